"""Docstrings of faces in numpydoc's form: of a row's docstring (bindings/faces/*.pyi) and a face's parameters.

A row's docstring says what differs from the ordinary: "Parameters: ``name``: what it is; ``name``: ...", "Raises X for ...", "Returns ...",
and examples. Sections are made of that; a parameter of which it says nothing is described as in tools/parameters.py, by its name, and a
result as in tools/returned.py. A docstring with sections of its own stays as it is. Start reading at numpydoc().
"""

import functools
import importlib.util
import inspect
import pathlib
import re
import textwrap

from parameters import ARRAY, AXES, AXIS, DTYPE, LIKE, OF_FUNCTIONS, ONE_AXIS_IN_TORCH, PARAMETERS, SIZE, WITH_AXES
from stubs.annotations import FUNCTIONS, NUMPYS, TORCHS

RESULTS = {
    "named tuple of {A}": "eig eigh svd slogdet qr unique_all unique_counts unique_inverse sort topk kthvalue mode cummax cummin",
    "{A} or tuple of {A}": "unique unique_consecutive gradient average polyfit where lstsq",
    "{A} or list of {A}": "atleast_1d atleast_2d atleast_3d",
    "int": "ndim size",
    "dtype": "result_type promote_types min_scalar_type common_type",
}
SEE = "See the example of "  # the examples of a face that has none in its own spelling
RESULTS_OF_TORCH = {
    "named tuple of {A}": """aminmax lu lu_factor lu_factor_ex inv_ex cholesky_ex ldl_factor ldl_factor_ex solve_ex histogram lstsq""",
    "{A} or named tuple of {A}": "max min median nanmedian",
}
ANNOTATIONS = {"integer": "int", "boolean": "bool"}  # of parameters of faces: types
RESULTS_OF_METHODS = {"None": "sort partition"}
# Descriptions that say nothing of shapes and dtypes: what a row says stands in their place.
GENERAL = ("Input array.", "First input array.", "Second input array.", "Input arrays.", AXIS, AXES, DTYPE, "")
IGNORED = "Accepted for compatibility; has no effect."
ARRAYS = {"torch": "Tensor", "Tensor": "Tensor"} | dict.fromkeys(("cupy", "ndarray", "CupyGenerator", "CupyRandomState"), "ndarray")
_NAME = r"``(\w+)``"
_DESCRIBED = re.compile(rf"{_NAME}((?:(?:,| or|, or| and) {_NAME})*): ")
_ERROR = r"\w+(?:Error|Exception)"
_IN_PEERS = r"(?:\(([\w:; ]+)\) )?"
_WHEN = "(?=for|if|where|when|unless|in|without|at)"
_RAISED = re.compile(rf"(?:^|,? and |, |; )(?:a |an )?({_ERROR}(?:(?:, | or | and ){_ERROR})*) {_IN_PEERS}{_WHEN}")
# What a front end raises where rows say NumPy's exception types. A row names an exception to this in brackets, "none" for no error:
# "Raises ValueError (torch: IndexError; cupy: none) for ...".
TORCHS_ERRORS = {"ValueError": "RuntimeError", "AxisError": "IndexError", "LinAlgError": "RuntimeError"}
RAISED = {"torch": TORCHS_ERRORS, "Tensor": TORCHS_ERRORS}
PEERS = {"torch": "torch", "Tensor": "torch"} | dict.fromkeys(("cupy", "ndarray", "CupyGenerator", "CupyRandomState"), "cupy")
ONCE = (" out of range", "broadcast", "``out``")  # a general sentence with one of these is left out where the row's docstring has it, too
INDENT = {"initial_indent": "    ", "subsequent_indent": "    ", "break_on_hyphens": False}
SECTION = re.compile(r"^-{3,}$", re.MULTILINE)
# What faces do, where their rows' sentences do not fit together or hold for other front ends alone.
OF_FACES = {
    ("torch", "max"): """Return the largest element, the largest along a dimension with its index, or the larger one of two tensors.

    NaN counts as the largest.""",
    ("torch", "min"): """Return the smallest element, the smallest along a dimension with its index, or the smaller one of two tensors.

    NaN counts as the smallest.""",
    ("torch", "as_tensor"): """Convert ``data`` to a tensor: an array, a number, or nested sequences of them.

    On the CPU, the tensor shares the memory of a NumPy array; ``torch.tensor`` copies.""",
}


def _end(text, begin, marks):
    """The index of the first of the marks outside of brackets and literals that ends a part: ";" or a full stop before white space."""
    depth, quoted = 0, False
    for at in range(begin, len(text)):
        c = text[at]
        quoted ^= c == "`"
        depth += (c in "([{") - (c in ")]}")
        is_end = c in marks and depth <= 0 and not quoted and text[at - 1 : at + 1] != ".."
        if is_end and (c == ";" or at + 1 == len(text) or text[at + 1] in " \n"):
            return at
    return len(text)


def _sentence(text):
    text = " ".join(text.split()).strip(" ,;")
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".") if text else text


def _without_parameters(text, names):
    """A docstring's text without what it says of parameters, and that: {name: description}."""
    found, at = {}, _end(text, 0, ".")
    while described := _DESCRIBED.search(text, at):
        every = [described[1], *re.findall(_NAME, described[2])]
        if not set(every) <= set(names):
            at = described.end()
            continue
        end = _end(text, described.end(), ";.")
        found |= dict.fromkeys(every, text[described.end() : end])
        is_last = text[end : end + 1] != ";"
        text, at = text[: described.start()] + text[end + 1 :].lstrip(" ;"), described.start()
        if is_last:
            text = re.sub(r"(?:Parameters: |; |, )$", "", text[:at]) + text[at:]
            at = min(at, len(text))
    return re.sub(r"Parameters:\s*", "", text), found


def _taken(text, begins):
    """The text without the sentences that begin with a word, and these sentences."""
    taken = []
    while found := re.search(rf"(?:^|(?<=[.;] )|(?<=\n)){begins} ", text):
        end = _end(text, found.end(), ".")
        taken.append(text[found.end() : end])
        text = text[: found.start()] + text[end + 1 :].lstrip(" ")
    return text, taken


def _raises(sentences, front_end, absent):
    """[(exception, when)] of what follows "Raises", with the front end's exception types; None where it has another form.

    Errors about parameters that the face has not (`absent`) are left out.
    """
    out = {}
    for sentence in sentences:
        marks = list(_RAISED.finditer(sentence))
        if not marks or marks[0].start():
            return None
        for mark, after in zip(marks, [*marks[1:], None], strict=True):
            own = dict(one.split(": ") for one in mark[2].split("; ")) if mark[2] else {}
            own = own.get(PEERS.get(front_end, "numpy"))
            when = sentence[mark.end() : after.start() if after else len(sentence)].strip(" ,;")
            is_absent = not absent.isdisjoint(re.findall(_NAME, when))
            for error in re.findall(_ERROR, mark[1]) if not is_absent else ():
                out.setdefault(own or RAISED.get(front_end, {}).get(error, error), []).append(when)
    return [(error, "; ".join(dict.fromkeys(every))) for error, every in out.items() if error != "none"]


def _section(title, entries):
    lines = [line for head, text in entries for line in (head, *textwrap.wrap(_sentence(text), 110, **INDENT))]
    return "\n".join([title, "-" * len(title), *lines]) if lines else ""


def _summary(body):
    """A docstring's first sentence, and the rest of its body."""
    end = _end(body, 0, ".")
    return _sentence(body[:end]), body[end + 1 :].strip()


def result(front_end, name):
    """The type of what a face returns, as the type stubs have it."""
    if front_end in ("torch", "Tensor"):
        tables = [RESULTS_OF_TORCH, RESULTS, TORCHS, FUNCTIONS]
    else:
        tables = [RESULTS_OF_METHODS if front_end == "Array" else {}, RESULTS, NUMPYS, FUNCTIONS]
    found = next((kind for table in tables for kind, names in table.items() if name in names.split() and kind != "_t.Any"), "{A}")
    found = re.sub(r"_b\.|_t\.|\{n\}\.", "", found).replace(", ...", "")
    return re.sub(r"(list|tuple)\[(.*)\]", r"\1 of \2", found).removesuffix("[Any, Any]")


def _accepts_axes(front_end, function):
    """Whether a function's axis may be a tuple."""
    is_one = PEERS.get(front_end) == "torch" and function in ONE_AXIS_IN_TORCH
    return not is_one and (front_end == "reduce" or function.removeprefix("nan") in WITH_AXES)


def parameter(name, function, front_end, of_row=""):
    """The type and the description of a parameter, by its name; `of_row`: what its row says of it in place of a general description."""
    bare = name.lstrip("*")
    kind, said = OF_FUNCTIONS.get((function, bare)) or PARAMETERS.get(bare, ("object", ""))
    if said == SIZE and PEERS.get(front_end) == "torch":
        said = "Shape of the result."
    if said == AXIS and _accepts_axes(front_end, function):
        kind, said = "int or tuple of ints", AXES
    said = of_row if of_row and said in GENERAL else said
    array = ARRAYS.get(front_end, "Array")
    said = said.replace(ARRAY, "array" if array == "ndarray" else array)
    return kind.replace("{array}", array).replace(LIKE, "Tensor" if array == "Tensor" else LIKE), said


ROOT = pathlib.Path(__file__).resolve().parent.parent


@functools.cache
def _derived():
    """quern.arrays.derived_docstrings, from its file: quern is not built yet."""
    path = ROOT / "python/quern/arrays/derived_docstrings.py"
    spec = importlib.util.spec_from_file_location("derived_docstrings", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Examples of in-place functions whose plain functions have other parameters in their examples.
IN_PLACE_EXAMPLES = {
    "clamp_max": ("torch.tensor([-2, 1, 5])", ", 3", "tensor([-2,  1,  3])"),
    "clamp_min": ("torch.tensor([-2, 1, 5])", ", 0", "tensor([0, 1, 5])"),
    "dropout": ("torch.ones(3)", ", p=0.5, train=False", "tensor([1., 1., 1.])"),
    "alpha_dropout": ("torch.ones(3)", ", p=0.5, train=False", "tensor([1., 1., 1.])"),
    "feature_dropout": ("torch.ones(1, 2, 2)", ", p=1.0, train=True", "tensor([[[0., 0.],\n         [0., 0.]]])"),
    "feature_alpha_dropout": ("torch.ones(1, 3)", ", p=0.5, train=False", "tensor([[1., 1., 1.]])"),
}


def in_place(text, submodule, name):
    """The docstring of PyTorch's in-place function `name`, from that of the plain function."""
    plain, home = name.removesuffix("_"), ".".join(part for part in ("torch", submodule) if part)
    example = None
    if plain in IN_PLACE_EXAMPLES:
        operand, rest, output = IN_PLACE_EXAMPLES[plain]
        example = f">>> from quern import torch\n>>> x = {operand}\n>>> {home}.{name}(x{rest})\n{output}"
    elif not submodule and name not in _in_place_functions():
        example = ""  # a method alone, for which the operands of the plain function's example may have the wrong shape or dtype
    return _derived().in_place(text, f"{home}.{name}", f"{home}.{plain}", example)


@functools.cache
def _in_place_functions():
    """The in-place methods of tensors that PyTorch also has as functions."""
    source = (ROOT / "python/quern/torch/_faces.py").read_text(encoding="utf-8")
    return frozenset(re.search(r'_IN_PLACE = frozenset\(\s*"""([\w\s]+)"""', source)[1].split())


PAGES = {
    "cupy": ("CuPy", "https://docs.cupy.dev/en/stable/reference/generated/cupy.{}.html"),
    "torch": ("PyTorch", "https://docs.pytorch.org/docs/stable/generated/torch.{}.html"),
    "Tensor": ("PyTorch", "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.{}.html"),
    "special": ("PyTorch", "https://docs.pytorch.org/docs/stable/special.html#torch.special.{}"),  # one page for all
}


def _page(front_end, submodule, function):
    """The section that links the peer's page; "" where the peer has none."""
    if function.startswith("_") or front_end not in PAGES:
        return ""
    key = "special" if (front_end, submodule) == ("torch", "special") else front_end
    peer, address = PAGES[key]
    path = function if key in ("special", "Tensor") or not submodule else f"{submodule}.{function}"
    return f"Notes\n-----\n{peer}'s page: {address.format(path)}"


def numpydoc(text, parameters, front_end, function, submodule="", rows=((), (), (), ())):
    """A docstring with numpydoc's sections.

    `parameters`: (name, is it optional, is it ignored, its annotation where it has one) in the signature's order; `rows`: what rows
    return, {parameter: what it is}, the parameters of theirs that the face has not, and sentences about errors (tools/raised.py).
    """
    if SECTION.search(text):
        return text
    text = text.strip()
    array = ARRAYS.get(front_end, "Array")
    parts = text.split("\n\n")
    body = "\n\n".join(" ".join(part.split()) for part in parts if not part.startswith((">>>", SEE)))
    shown = [part for part in parts if part.startswith(">>>")]
    imported = f"{''.join(shown[:1]).partition(chr(10))[0]}\n"  # once, where several rows have examples
    shown = shown[:1] + [part.removeprefix(imported) for part in shown[1:]]
    examples = "\n\n".join(shown or [part for part in parts if part.startswith(SEE)][:1])
    shown = [one for one in parameters if one[0] != "self"]
    own = [name.lstrip("*") for name, *_ in shown]
    body, described = _without_parameters(body, {*own, *PARAMETERS})
    body, raised = _taken(body, "Raises")
    body, returned = _taken(body, "Returns")
    returned = [re.sub(r",? or of ``(\w+)``", lambda other: other[0] if other[1] in own else "", one) for one in returned]
    body = inspect.cleandoc(OF_FACES.get((front_end, function), body))
    said = " ".join(raised)
    raised += _taken(" ".join(one for one in rows[3] if not any(word in said for word in ONCE if word in one)), "Raises")[1]
    errors = _raises(raised, front_end, set(rows[2]) - {name for name, *_ in parameters})
    if errors is None:
        body, errors = f"{body}\n\nRaises {'. Raises '.join(raised)}.", []
    summary, rest = _summary(body)
    entries = []
    for name, is_optional, is_ignored, *annotation in shown:
        kind, general = parameter(name, function, front_end, dict(rows[1]).get(name.lstrip("*"), ""))
        kind = ANNOTATIONS.get(*annotation, kind) if annotation else kind
        said = IGNORED if is_ignored else described.get(name.lstrip("*")) or general
        entries.append((f"{name} : {kind}{', optional' if is_optional else ''}", said))
    gives = " ".join(map(_sentence, [*returned, *rows[0]])) or "The result, as described above"
    gives = [(result(front_end, function).replace("{A}", array), gives)]
    sections = [_section("Parameters", entries), _section("Returns", gives), _section("Raises", errors)]
    sections.append(_page(front_end, submodule, function))
    sections.append(f"Examples\n--------\n{examples}" if examples else "")
    paragraphs = [part[:1].upper() + part[1:] for part in rest.split("\n\n") if part.strip(" .;")]
    rest = "\n\n".join(textwrap.fill(part, 110, break_on_hyphens=False) for part in paragraphs)
    return "\n\n".join(part for part in (summary, rest, *sections) if part) + "\n"
