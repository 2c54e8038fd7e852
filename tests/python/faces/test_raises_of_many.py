"""Sentences that many functions have under "Raises" (tools/raised.py): the call in the docstring's example, made wrong, raises that type.

In quern.torch, each type that a section names is raised by such a call or by one in test_raises_sections.py.
"""

import ast
import contextlib
import importlib
import inspect
import io
import re

import pytest
from test_raises_sections import TORCH, calls, functions, operands, raised_by

FRONT_ENDS = {"quern": "qn", "quern.cupy": "cp", "quern.torch": "torch"}
MODULES = ("", ".linalg", ".fft", ".special", ".nn.functional")
OUT_OF_RANGE = re.compile(r"``(\w+)`` is out of range")


def put(call, parameters, name, value):
    """Makes the source of a value the call's argument of that name."""
    call.keywords = [word for word in call.keywords if word.arg != name]
    at, node = parameters.index(name), ast.parse(value, mode="eval").body
    if at < len(call.args):
        call.args[at] = node
    else:
        call.keywords.append(ast.keyword(name, node))


def with_axis(call, parameters, said, module):
    name = OUT_OF_RANGE.search(said)[1]
    takes_several = (name in ("axes", "dims") and "shifts" not in parameters) or ast.unparse(call.func).endswith("matrix_norm")
    put(call, parameters, name, "[9, 0]" if takes_several else "9")


def with_leaf(call, parameters, said, module):
    call.args[0] = ast.parse(f"({ast.unparse(call.args[0])}).detach().double().requires_grad_()", mode="eval").body


def with_shapes(call, parameters, said, module):
    integers = "torch.int64" if module == "torch" else "int"
    call.args[:2] = [ast.parse(f"{module}.ones({shape}, dtype={integers})", mode="eval").body for shape in ((7, 5), (7, 4))]


def with_first(values):
    def changed(call, parameters, said, module):
        call.args[0] = ast.parse(f"{module}.{'tensor' if module == 'torch' else 'asarray'}({values})", mode="eval").body

    return changed


WRONG = {
    "`` is out of range": with_axis,
    "shapes that do not broadcast": with_shapes,
    "to which the result cannot be cast": lambda call, parameters, *_: put(call, parameters, "out", "torch.zeros(1, dtype=torch.bool)"),
    "complex numbers": with_first("[1j, 2j]"),
    "floating-point numbers": with_first("[1.5, 2]"),
    "or a leaf that requires gradients": with_leaf,
    "For integers.": with_first("[[1, 2], [3, 4]]"),
    "unknown ``reduction``": lambda call, parameters, *_: put(call, parameters, "reduction", "'no'"),
}
# Aliases whose docstring's example has parameters that they lack, or a list where they need one: called in test_raises_sections.py. And
# dropout outside of training, which writes nothing.
NO_CALL = ("clamp_min", "clamp_max", "split_with_sizes", "unsafe_split_with_sizes", "dropout_")


def section(function, title):
    text = inspect.cleandoc(function.__doc__ or "")
    found = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n\w+\n-+|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def errors(function):
    """[(type, what is said of it)] in a docstring."""
    found = re.findall(r"^(\w+)\n((?:    .*\n?)+)", section(function, "Raises"), re.MULTILINE)
    return [(kind, " ".join(said.split())) for kind, said in found]


def example(function):
    """The syntax tree of an example, and in it the call of the function, or of the one whose alias it is."""
    tree = ast.parse("\n".join(re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", section(function, "Examples"), re.MULTILINE)))
    every = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    own = [node for node in every if ast.unparse(node.func).rpartition(".")[2] == function.__name__]
    return tree, (own or every or [None])[0]


def raised_in(tree, function):
    """The types of the error that an example ends with."""
    names = {"function": function} | {short: importlib.import_module(name) for name, short in FRONT_ENDS.items()}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for line in tree.body:
                source = ast.unparse(line)
                exec(f"print({source})" if isinstance(line, ast.Expr) else source, names)  # noqa: S102
    except Exception as error:  # noqa: BLE001
        return {kind.__name__.lstrip("_") for kind in type(error).__mro__}
    return {"no error"}


def wrong_calls(function, module):
    """(type, types raised, call) of each sentence of WRONG in a docstring."""
    parameters = re.findall(r"^\*?(\w+) : ", section(function, "Parameters"), re.MULTILINE)
    for kind, said in errors(function):
        for changed in (changed for sentence, changed in WRONG.items() if sentence in said):
            tree, call = example(function)
            if call:
                changed(call, parameters, said, module)
                call.func = ast.Name("function")
                yield kind, raised_in(tree, function), ast.unparse(call)


def every_function(front_end):
    for module in MODULES:
        with contextlib.suppress(ModuleNotFoundError):
            yield from ((f"{module}.{name}"[1:], value) for name, value in functions(importlib.import_module(f"{front_end}{module}")).items())


def others_of_torch():
    """(name, value) of classes, and of functions whose docstrings are not made of rows."""
    for module in ("nn", "nn.init", "nn.utils", "autograd", "optim", "optim.lr_scheduler"):
        found = vars(importlib.import_module(f"quern.torch.{module}"))
        ours = {name: value for name, value in found.items() if name[0] != "_" and "quern" in getattr(value, "__module__", "")}
        yield from ((f"{module}.{name}", value) for name, value in ours.items() if callable(value))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_general_sentences(front_end):
    wrong, count = [], 0
    for name, function in every_function(front_end):
        if not name.endswith(NO_CALL) and not hasattr(function, "nin"):  # docstrings of ufuncs name what any of them raises
            for kind, raised, call in wrong_calls(function, FRONT_ENDS[front_end]):
                count += 1
                wrong += [f"{name}: {kind}, but {call} raises {', '.join(raised)}"] if kind not in raised else []
    assert wrong == [] and count > 50, wrong


@pytest.mark.filterwarnings("ignore")
def test_every_type_of_torch_is_raised():
    """Of functions whose rows tools/raised.py knows, and of those that are called in test_raises_sections.py."""
    names, seen = operands(importlib.import_module("quern.torch")), {}
    for call in calls(TORCH):
        name, _, rest = call.partition("(")
        for form in ("", "_", "_copy"):  # docstrings of the others are made of the plain function's
            own = operands(importlib.import_module("quern.torch")) if form == "_" else names  # which are written
            seen.setdefault(name + form, set()).update(raised_by(f"{name}{form}({rest}", own))
    missing = []
    made = {name: [raised for _, raised, _ in wrong_calls(function, "torch")] for name, function in every_function("quern.torch")}
    for name, function in [*every_function("quern.torch"), *others_of_torch()]:
        kinds = {kind for kind, _ in errors(function)}
        # Old names, without the last letter, call the others.
        is_older = name.startswith("nn.init.") or name == "nn.utils.clip_grad_norm"
        raised = seen.get(name, set()).union(seen.get(f"{name}_", set()) if is_older else (), *made.get(name, ()))
        missing += [f"{name}: {kind}" for kind in kinds - raised if name != "load"]  # of files
    assert missing == [], missing
