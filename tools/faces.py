#!/usr/bin/env python3
"""The faces of functions of arrays (bindings/faces/*.pyi) as data for the reader of calls: tools/faces.py OUT.inc

A face file has a class for each row of engine/functions/functions.def, or for a row of elementwise operations
(engine/include/quern/ops.def), with the docstring and a method for each front end that has the function, in that front end's spelling and
order; Array, ndarray (CuPy's), Tensor, Generator, RandomState and those of CuPy are methods of these types that are spelled otherwise than
the function; the functions of a module random are the methods of its RandomState.
A docstring's examples are in the spelling of one front end (SPELLINGS), which shows them; tests/python/faces/test_faces_examples.py runs
all of them. What a row returns is said after "Returns", or in tools/returned.py.
Several methods of one front end and name under @overload are tried in their order, also where they stand in classes of several rows.
@named("amax") gives a face another name than its row's, @named("abs", "absolute") several; @submodule("fft") puts a face, or all of a
class, into that module of the front end; @in_place_too adds ``exp_``, which writes into its first argument; ``cupy = numpy`` gives CuPy
the faces that NumPy has above that line. An annotation is what an argument must be for the call to
be taken (Kind in bindings/faces/face.h); ``subok: ignored`` and ``sorted: ignored[boolean]`` are read and change nothing. ``*shape``
accepts integers one by one or as one sequence; with ``| None`` there need be none. ``**new`` stands for keywords that many faces have
(KEYWORDS). The files are never imported.
Start reading at main().
"""

import ast
import functools
import pathlib
import re
import sys

import docstrings
import raised
import returned

import examples

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = re.compile(r'^QUERN_FUNCTION\((\w+), (\w+), [\w:<>]+, "([\w ]+)"\)', re.MULTILINE)
OPERATIONS = re.compile(r"^QUERN_(?:ROW|OWN|PART)\((\w+), (\d), (\w+), ", re.MULTILINE)
OUT = "out"  # a parameter of faces alone: the array that takes the result
GRADIENT = "requires_grad"  # the same: does a new tensor want a gradient?
IN_PLACE = "inplace"  # the same: does the first argument take the result?
OUT_SLOT, IGNORED_SLOT, GRADIENT_SLOT, IN_PLACE_SLOT = 31, 30, 29, 28
IGNORED = re.compile(r"ignored(?:\[(\w+)\])?")  # the annotation of a parameter that is accepted and changes nothing
# Of each front end: what it calls the rows' parameters; keywords that it accepts besides.
NAMES = {
    "numpy": {"correction": "ddof", "m": "a", "x": ("a", "x"), "array": "a", "axes": "axis"},
    "reduce": {"array": "a"},
    "torch": {"input": "a", "dim": "axis", "dims": ("axis", "reps"), "keepdim": "keepdims", "correction": "ddof", "unbiased": "ddof"},
    "keras": {"x": ("a", "M", "x", "xi"), "y": ("b", "y"), "array": "a", "axes": "axis", "newshape": "shape"},
}
for _front_end in ("numpy", "keras"):
    NAMES[_front_end] |= {"axis1": ("axis1", "row"), "axis2": ("axis2", "column")}
NAMES["torch"] |= {"dim0": "axis1", "dim1": "axis2", "axis0": "axis1", "axis1": "axis2", "start_dim": "axis1", "end_dim": "axis2"}
NAMES["torch"] |= {"shifts": "shift", "size": ("shape", "size"), "other": ("b", "shape"), "exponent": "b"}
NAMES["torch"] |= {"s": "n", "tensor1": "x", "tensor2": "y", "min": "low", "max": "high"}
_SECTIONS = "indices_or_sections indices sections tensor_indices_or_sections split_size_or_sections split_size split_sizes".split()
NAMES["torch"] |= {"logits": "a", "generator": "draws", "from_": "low", "to": "high"}
NAMES["torch"] |= {"LU": "lu", "LU_data": "lu", "LU_pivots": "pivots"}
NAMES["torch"] |= {"A": "a", "B": ("b", "a"), "L": "factor", "input2": ("factor", "input2"), "x": ("x", "a"), "y": ("y", "b")}
NAMES["torch"] |= dict.fromkeys(("mat1", "mat", "vec1", "batch1"), "x") | {"matrices": "a", "operands": "a"}
NAMES["torch"] |= dict.fromkeys(("mat2", "vec", "vec2"), ("y", "b"))
NAMES["torch"] |= {"dim1": ("axis2", "row"), "dim2": "column", "batch2": "y", "tensor": "b", "diagonal": "k", "offset": ("offset", "k")}
NAMES["torch"] |= {"tensors": "a"} | dict.fromkeys(_SECTIONS, "sections") | {"indices": ("sections", "indices")}
NAMES["keras"] |= {"xs": "a", "repeats": ("reps", "repeats"), "indices_or_sections": "sections"}
NAMES["numpy"] |= dict.fromkeys(("arrays", "tup", "arys", "ary", "args", "A", "M", "x1", "operands", "arr", "f", "ar", "ar1"), "a")
NAMES["numpy"] |= {"x2": "b", "y": ("y", "b"), "v": ("v", "a"), "s": "n", "varargs": "spacing", "indices_or_sections": "sections"}
NAMES["numpy"] |= {"ar2": "other", "z": "a"}
NAMES["numpy"] |= {"condition": ("condition", "a")}
NAMES["numpy"] |= {"prototype": "a", "N": "n", "M": ("m", "a", "M")}
NAMES["numpy"] |= {"object": "a", "obj": "a"}
NAMES["torch"] |= {"data": "a", "obj": "a", "sequences": "a"}
NAMES["keras"] |= {"N": "n", "M": "m", "condition": ("condition", "a"), "indices": ("indices", "a"), "x_min": "a_min", "x_max": "a_max"}
NAMES["keras"] |= {"seed": "draws", "shape": ("size", "shape"), "mean": ("mean", "loc"), "stddev": "scale"}
NAMES["keras"] |= {"x1": ("a", "x", "element"), "x2": ("b", "y", "test_elements")}
NAMES["keras"] |= {"sorted_sequence": "a", "values": "v", "subscripts": "equation", "operands": "a"}
NAMES["keras"] |= {"minval": "low", "maxval": "high"}
NAMES["keras"] |= {"alpha": ("alpha", "a", "shape"), "beta": ("beta", "b"), "counts": "n", "probabilities": "p", "num_samples": "k"}
NAMES["keras"] |= {"fft_length": "n", "sequence_length": ("sequence_length", "length"), "sequence_stride": "stride"}
NAMES["keras"] |= dict.fromkeys(("inputs", "logits", "images"), "a")
NAMES["cupy"] = NAMES["numpy"]
NAMES["Array"] = NAMES["numpy"] | {"self": "a"}
NAMES["ndarray"] = NAMES["Array"]
NAMES["array_api"] = {"obj": "a", "x": "a", "n_rows": "n", "n_cols": "m"}
NAMES["torch"] |= {"condition": ("condition", "a"), "input": ("a", "x"), "other": ("b", "shape", "y"), "end": ("end", "stop")}
NAMES["torch"] |= {"steps": "num", "window_length": "M", "N": "n", "tensors": ("a", "xi"), "num_samples": "k"}
NAMES["torch"] |= {"train": "training", "upscale_factor": "factor", "_random_samples": "samples", "downscale_factor": "factor"}
NAMES["Tensor"] = NAMES["torch"] | {"self": ("a", "x"), "repeats": "reps"}
_DRAWING = {"self": "draws", "shape": ("shape", "size"), "x": "a"}
NAMES |= dict.fromkeys(("Generator", "RandomState", "CupyGenerator", "CupyRandomState"), _DRAWING)
SECOND_NAMES = {"torch": {"dim": "axis", "keepdim": "keepdims", "from_": "from", "A": "input"}}
SECOND_NAMES["Tensor"] = SECOND_NAMES["torch"]
_TYPED = "dtype=None, layout: ignored = None, device=None, requires_grad: boolean = False, pin_memory: ignored = False"
KEYWORDS = {"typed": _TYPED, "new": f"out=None, {_TYPED}", "like": f"{_TYPED}, memory_format=None"}  # of PyTorch's new tensors
ABSENT = ("None", "NoValue")  # defaults that leave a slot empty
# The front ends that show an example, by a word in it: its spelling. An example with none of these words is in NumPy's spelling.
SPELLINGS = {
    "torch.": ("torch", "Tensor"),
    "keras.": ("keras",),
    "default_rng": ("Generator", "CupyGenerator"),
    "": ("numpy", "cupy", "Array", "ndarray", "RandomState", "CupyRandomState"),
}
# Where users find the functions of a front end; keras.ops has Keras's own docstrings.
HOMES = {"Array": "quern.Array", "Generator": "quern.random.Generator", "RandomState": "quern.random", "Tensor": "quern.torch.Tensor"}
HOMES |= {"numpy": "quern", "torch": "quern.torch", "CupyGenerator": "quern.cupy.random.Generator"}


class Wrong(Exception):
    """A face that does not fit its row."""


def rows():
    """The row in C++ and its parameters, by its name: operands of operations are a, b and c."""
    functions = ROWS.findall((ROOT / "engine/functions/functions.def").read_text())
    operations = OPERATIONS.findall((ROOT / "engine/include/quern/ops.def").read_text())
    found = {name: (f"operation(quern::Op::{name})", list("abc"[: int(count)])) for name, count, _ in operations}
    return found | {name: (f"quern::Function::{name}_", parameters.split()) for name, _, parameters in functions}


@functools.cache
def rules():
    """By the names of rows: the family of a function, or which dtypes an operation takes and returns."""
    families = {name: family for name, family, _ in ROWS.findall((ROOT / "engine/functions/functions.def").read_text())}
    return families | {name: typing for name, _, typing in OPERATIONS.findall((ROOT / "engine/include/quern/ops.def").read_text())}


class Parameter:
    """A parameter of a face: what its declaration says."""

    def __init__(self, declared, default=None, is_keyword_only=False, takes_rest=False):
        self.name, self.is_keyword_only, self.takes_rest = declared.arg, is_keyword_only, takes_rest
        words = ast.unparse(declared.annotation).split(" | ") if declared.annotation else ["any"]
        ignored = IGNORED.fullmatch(words[0])
        self.is_ignored = bool(ignored)
        self.kind = ignored[1] or "any" if ignored else words[0]
        self.default = "None" if takes_rest and "None" in words else default and ast.unparse(default)

    def shown(self, is_optional):
        """As a signature has it; what one overload does without has a default."""
        if self.takes_rest:
            return f"*{self.name}"
        default = "None" if self.default is None and is_optional else self.default
        return f"{self.name}={default}" if default is not None else self.name


def parameters_of(function, in_place=False):
    """The parameters of a face; in place the first is an array that takes the result."""
    a = function.args
    positional = a.posonlyargs + a.args
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    every = [Parameter(p, d) for p, d in zip(positional, defaults, strict=True)]
    every += [Parameter(a.vararg, takes_rest=True)] if a.vararg else []
    every += [Parameter(p, d, is_keyword_only=True) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    if in_place:
        every[0].kind = "array"
    return [p for p in every if not in_place or p.name not in (OUT, IN_PLACE)]


def names_of(function, row):
    """The names of a face: its row's, or those of @named; with the names of those that write in place."""
    found, in_place = [row], False
    for one in function.decorator_list:
        if isinstance(one, ast.Call) and one.func.id == "named":
            found = [ast.literal_eval(name) for name in one.args]
        in_place |= isinstance(one, ast.Name) and one.id == "in_place_too"
    return found + [name + "_" for name in found if in_place]


def submodule_of(declared, otherwise=""):
    """The module in a front end's that @submodule of a class or a face names."""
    named = (one.args[0] for one in declared.decorator_list if isinstance(one, ast.Call) and one.func.id == "submodule")
    return next(map(ast.literal_eval, named), otherwise)


def with_keywords(face):
    """A face with the keywords that its ``**name`` stands for."""
    a = face.args
    if a.kwarg:
        shared = ast.parse(f"def shared(*, {KEYWORDS[a.kwarg.arg]}): ...").body[0].args
        a.kwonlyargs, a.kw_defaults, a.kwarg = a.kwonlyargs + shared.kwonlyargs, a.kw_defaults + shared.kw_defaults, None
    return face


def faces_of(row):
    """(front end, submodule, name) -> the overloads of a class of a face file."""
    found = {}
    for one in row.body:
        if isinstance(one, ast.Assign):
            for to in one.targets:
                found |= {(to.id, *key): overloads for (front_end, *key), overloads in found.items() if front_end == one.value.id}
        elif isinstance(one, ast.FunctionDef):
            with_keywords(one)
            for name in names_of(one, row.name):
                found.setdefault((one.name, submodule_of(one, submodule_of(row)), name), []).append(one)
    if unknown := {front_end for front_end, _, _ in found} - set(NAMES):
        raise Wrong(f"{row.name}: there is no front end {' '.join(unknown)}")
    return found


def canonical(front_end, name, slots):
    """What the row calls a parameter of a face; of several names that one which the row has."""
    ours = NAMES[front_end].get(name, name)
    return ours if isinstance(ours, str) else next((one for one in ours if one in slots), ours[0])


def text_of(string):
    """A string as C++ has it."""
    return '"' + string.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n    "') + '"'


def spelled_for(example):
    """The front ends whose docstrings show an example."""
    return next(front_ends for word, front_ends in SPELLINGS.items() if word in example)


@functools.cache
def known_names():
    """(front end, name) -> the modules that have the function; the same -> its parameters."""
    modules, parameters = {}, {}
    for path in sorted((ROOT / "bindings/faces").glob("*.pyi")):
        for row in (one for one in ast.parse(path.read_text()).body if isinstance(one, ast.ClassDef)):
            for (front_end, submodule, name), overloads in faces_of(row).items():
                modules.setdefault((front_end, name), []).append(submodule)
                names = [f"*{p.name}" if p.takes_rest else p.name for p in merged(map(parameters_of, overloads))[0]]
                parameters.setdefault((front_end, name), names)
    return modules, parameters


def examples_of(row, front_end):
    """The examples of a row in a front end's spelling; where it has none, the name of a function whose docstring has one."""
    every = [part for part in ast.get_docstring(row).split("\n\n") if part.startswith(">>>")]
    if ours := [part for part in every if front_end in spelled_for(part)]:
        own = next((submodule for one, submodule, _ in faces_of(row) if one == front_end), "")
        return examples.printed("\n\n".join(ours), front_end, own, *known_names())
    shown = {one for part in every for one in spelled_for(part)}
    home, submodule, name = next((key for key in faces_of(row) if key[0] in shown and key[0] in HOMES), (None, "", ""))
    path = ".".join(part for part in (HOMES.get(home), submodule, name) if part)
    return f"{docstrings.SEE}``{path}``." if home else ""


def absent(front_end, parameters, slots):
    """The parameters of a row that a face has not."""
    known = {canonical(front_end, name, slots) for name in parameters}
    return [name for name in (*slots, OUT) if name not in known]


def docstring(row, front_end, parameters, slots):
    """The row's docstring in the face's names and spelling, without parameters that the face has not."""
    text = ast.get_docstring(row).partition("\n\n>>>")[0]
    # What is said of a parameter that the face has not: from its name to the next semicolon or full stop.
    for name in absent(front_end, parameters, slots):
        text = re.sub(rf"(;?)\s*``{name}``: [^;.]*([;.])", lambda found: found[1] if found[2] == ";" else found[1] and ".", text)
    text = "\n\n".join(part for part in text.split("\n\n") if part.strip())
    return "\n\n".join(filter(None, (renamed(text, front_end, parameters, slots), examples_of(row, front_end))))


def renamed(text, front_end, parameters, slots):
    """A text about a row in a face's names of parameters."""
    theirs = {canonical(front_end, name, slots): name for name in NAMES[front_end] if name in parameters}
    theirs = {ours: name for ours, name in theirs.items() if ours not in parameters}
    return re.sub(r"``(\w+)``", lambda word: f"``{theirs.get(word[1], word[1])}``", text)


def from_tables(row, front_end, parameters, slots):
    """What tools/returned.py says of a face: of its result, unless the docstring does; of its parameters, by name."""
    rule, theirs = rules().get(row.name), {name: canonical(front_end, name, slots) for name in parameters}
    is_said = re.search(r"\bReturns ", ast.get_docstring(row))
    result = "" if is_said else returned.returned(row.name, rule, len(slots), front_end, set(theirs.values()))
    said = {name: returned.operand(row.name, rule, ours, slots, front_end) for name, ours in theirs.items()}
    return renamed(result, front_end, parameters, slots), {name: text for name, text in said.items() if text}


def errors_of(row, front_end, parameters, slots):
    """What tools/raised.py says of a face's errors, in the face's names."""
    ours = {canonical(front_end, name, slots) for name in parameters}
    found = raised.raised(row.name, rules().get(row.name), slots, front_end, ours)
    return [renamed(one, front_end, parameters, slots) for one in found]


def merged(every):
    """(by position, by keyword) of all overloads' parameters: those by position of the longest, then what else is accepted by keyword."""
    every = [*every]
    longest = max(every, key=lambda ps: sum(not p.is_keyword_only for p in ps))
    by_position = [p for p in longest if not p.is_keyword_only]
    words = {p.name: p for ps in every for p in ps if p.name not in [q.name for q in by_position]}
    return by_position, [*words.values()]


def is_optional(parameter, every):
    """Whether an overload does without a parameter, or has a default for it."""
    same = [next((p for p in ps if p.name == parameter.name), None) for ps in every]
    return any(p is None or p.default is not None for p in same)


def signature(every, count_before_slash):
    """One signature for the parameters of all overloads."""
    by_position, words = merged(every)

    def shown(parameter):
        return parameter.shown(is_optional(parameter, every))

    star = ["*"] if words and not any(p.takes_rest for p in by_position) else []
    texts = [*map(shown, by_position)]
    for i in range(1, len(texts)):  # what stands behind an optional parameter is optional
        if "=" in texts[i - 1] and "=" not in texts[i] and not texts[i].startswith("*"):
            texts[i] += "=None"
    texts += [*star, *map(shown, words)]
    if count_before_slash:
        texts.insert(count_before_slash, "/")
    return "(" + ", ".join(texts) + ")"


class Data:
    """The text that is written."""

    def __init__(self):
        self.lines, self.faces, self.defaults = [], {}, ["None"]

    def constant(self, default):
        if default is None:
            return "required"
        if default in ABSENT:
            return "absent"
        if default not in self.defaults:
            self.defaults.append(default)
        return str(self.defaults.index(default))

    def overload(self, name, function, parameters, front_end, slots):
        rows, by_position = [], 0
        for p in parameters:
            ours = canonical(front_end, p.name, slots)
            own = IGNORED_SLOT if p.is_ignored else {OUT: OUT_SLOT, GRADIENT: GRADIENT_SLOT, IN_PLACE: IN_PLACE_SLOT}.get(ours)
            if own is None and ours not in slots:
                raise Wrong(f"{name}: the row has no parameter {ours}")
            slot = slots.index(ours) if own is None else own
            second = SECOND_NAMES.get(front_end, {}).get(p.name)
            by_position += not p.is_keyword_only
            second = text_of(second) if second else "nullptr"
            flags = f"{p.is_keyword_only}, {p.takes_rest}".lower()
            rows.append(f'{{"{p.name}", {second}, {slot}, Kind::{p.kind}, {self.constant(p.default)}, {flags}}}')
        self.lines.append(f"constexpr Parameter {name}[] = {{{', '.join(rows)}}};")
        return f"{{{function}, {name}, {len(rows)}, {by_position}}}"

    def add(self, row, function, slots):
        """The faces of one row: overloads of what is there already, or new."""
        of_row = faces_of(row)
        names_of_row = {name for _, _, name in of_row}
        for key, overloads in of_row.items():
            front_end, submodule, name = key
            in_place = name.endswith("_")
            slash = len(overloads[0].args.posonlyargs)
            new = {"every": [], "made": [], "docs": [], "gives": [], "said": {}, "absent": [], "errors": []}
            face = self.faces.setdefault(key, new | {"slash": slash})
            every = [parameters_of(one, in_place) for one in overloads]
            for parameters in every:
                of = f"parameters_of_{front_end}_{submodule.replace('.', '_')}_{name}_{len(face['made'])}"
                face["made"].append(self.overload(of, function, parameters, front_end, slots))
            face["every"] += every
            face["is_other"] = in_place and name[:-1] in names_of_row  # what another face gives is written
            if face["is_other"]:
                continue
            parameters = [p.name for one in every for p in one]
            face["docs"].append(docstring(row, front_end, parameters, slots))
            face["absent"] += absent(front_end, parameters, slots)
            gives, said = from_tables(row, front_end, parameters, slots)
            face["gives"] += [gives] if gives and gives not in face["gives"] else []
            face["said"] = said | face["said"]
            face["errors"] += errors_of(row, front_end, parameters, slots)

    def docs(self, key):
        """A face's docstring; that of an in-place function is made from the plain function's."""
        (front_end, submodule, name), face = key, self.faces[key]
        if not face["is_other"]:
            rows = (face["gives"], face["said"], face["absent"], face["errors"])
            return docstrings.numpydoc("\n\n".join(face["docs"]), self.parameters(key), front_end, name, submodule, rows)
        return docstrings.in_place(self.docs((front_end, submodule, name[:-1])), submodule, name)

    def parameters(self, key):
        """(name, is it optional, is it ignored, its annotation) of a face's parameters."""
        every = self.faces[key]["every"]
        of_all = (p for part in merged(every) for p in part)
        return [(f"*{p.name}" if p.takes_rest else p.name, p.takes_rest or is_optional(p, every), p.is_ignored, p.kind) for p in of_all]

    def face(self, key):
        """A face's entry in the list of all."""
        (front_end, submodule, name), face = key, self.faces[key]
        base = f"overloads_of_{front_end}_{submodule.replace('.', '_')}_{name}"
        self.lines.append(f"constexpr Overload {base}[] = {{{', '.join(face['made'])}}};")
        docs = self.docs(key)
        texts = f"{text_of(signature(face['every'], face['slash']))},\n    {text_of(docs)}"
        return f'{{"{front_end}", "{submodule}", "{name}", {texts},\n    {base}, {len(face["made"])}, {str(name.endswith("_")).lower()}}}'

    def text(self):
        faces = [self.face(key) for key in self.faces]
        defaults = ", ".join(f'"{one}"' for one in self.defaults)
        return "\n".join(
            [
                "// Made of bindings/faces/*.pyi by tools/faces.py.",
                f"constexpr const char* default_texts[] = {{{defaults}}};",
                *self.lines,
                "constexpr Face all_faces[] = {\n" + ",\n".join(faces) + "};",
                "",
            ]
        )


def write(files, out):
    """Writes the data of face files."""
    table, data = rows(), Data()
    for path in map(pathlib.Path, files):
        for row in ast.parse(path.read_text()).body:
            if isinstance(row, ast.ClassDef):
                if row.name not in table:
                    raise Wrong(f"{path.name}: functions.def has no row {row.name}, nor has ops.def")
                data.add(row, *table[row.name])
    pathlib.Path(out).write_text(data.text())


def main():
    try:
        write(sorted((ROOT / "bindings/faces").glob("*.pyi")), sys.argv[1])
    except Wrong as wrong:
        sys.exit(f"faces: {wrong}")


if __name__ == "__main__":
    main()
