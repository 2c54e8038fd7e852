#!/usr/bin/env python3
"""The faces of functions of arrays (bindings/faces/*.pyi) as data for the reader of calls: tools/faces.py OUT.inc

A face file has a class for each row of engine/functions/functions.def, with the docstring and a method for each front end that has the
function, in that front end's spelling and order; Array and Tensor are methods of these types that are spelled otherwise than the function.
Several methods of one front end under @overload are tried in their order. @named("amax")
gives a face another name than its row's; ``cupy = numpy`` gives CuPy the faces that NumPy has above that line. An annotation is what an
argument must be for the call to be taken (Kind in bindings/faces/face.h); ``subok: ignored`` is read and changes nothing. ``*shape``
accepts integers one by one or as one sequence; with ``| None`` there need be none. The files are never imported.
Start reading at main().
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = re.compile(r'^QUERN_FUNCTION\((\w+), \w+, \w+, "([\w ]+)"\)', re.MULTILINE)
OUT = "out"  # a parameter of faces alone: the array that takes the result
OUT_SLOT, IGNORED_SLOT = 15, 14
# Of each front end: what it calls the rows' parameters; keywords that it accepts besides.
NAMES = {
    "numpy": {"correction": "ddof", "m": "a", "x": "a", "array": "a", "axes": "axis"},
    "reduce": {"array": "a"},
    "torch": {"input": "a", "dim": "axis", "dims": ("axis", "reps"), "keepdim": "keepdims", "correction": "ddof", "unbiased": "ddof"},
    "keras": {"x": "a", "array": "a", "axes": "axis", "newshape": "shape"},
}
NAMES["torch"] |= {"dim0": "axis1", "dim1": "axis2", "axis0": "axis1", "axis1": "axis2", "start_dim": "axis1", "end_dim": "axis2"}
NAMES["torch"] |= {"shifts": "shift", "size": "shape", "other": "shape"}
_SECTIONS = "indices_or_sections indices sections tensor_indices_or_sections split_size_or_sections split_size split_sizes".split()
NAMES["torch"] |= {"tensors": "a"} | dict.fromkeys(_SECTIONS, "sections")
NAMES["keras"] |= {"xs": "a", "repeats": "reps", "indices_or_sections": "sections"}
NAMES["numpy"] |= dict.fromkeys(("arrays", "tup", "arys", "ary", "args", "A"), "a") | {"indices_or_sections": "sections"}
NAMES["cupy"] = NAMES["numpy"]
NAMES["Array"] = NAMES["numpy"] | {"self": "a"}
NAMES["Tensor"] = NAMES["torch"] | {"self": "a", "repeats": "reps"}
SECOND_NAMES = {"torch": {"dim": "axis", "keepdim": "keepdims"}}
SECOND_NAMES["Tensor"] = SECOND_NAMES["torch"]
ABSENT = ("None", "NoValue")  # defaults that leave a slot empty


class Wrong(Exception):
    """A face that does not fit its row."""


def rows():
    """The parameters of each row of the table, by its name."""
    return {name: parameters.split() for name, parameters in ROWS.findall((ROOT / "engine/functions/functions.def").read_text())}


class Parameter:
    """A parameter of a face: what its declaration says."""

    def __init__(self, declared, default=None, is_keyword_only=False, takes_rest=False):
        self.name, self.is_keyword_only, self.takes_rest = declared.arg, is_keyword_only, takes_rest
        words = ast.unparse(declared.annotation).split(" | ") if declared.annotation else ["any"]
        self.is_ignored = words[0] == "ignored"
        self.kind = "any" if self.is_ignored else words[0]
        self.default = "None" if takes_rest and "None" in words else default and ast.unparse(default)

    def __str__(self):
        if self.takes_rest:
            return f"*{self.name}"
        return f"{self.name}={self.default}" if self.default is not None else self.name


def parameters_of(function):
    """The parameters of a face."""
    a = function.args
    defaults = [None] * (len(a.args) - len(a.defaults)) + a.defaults
    every = [Parameter(p) for p in a.posonlyargs] + [Parameter(p, d) for p, d in zip(a.args, defaults, strict=True)]
    every += [Parameter(a.vararg, takes_rest=True)] if a.vararg else []
    return every + [Parameter(p, d, is_keyword_only=True) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)]


def name_of(function, row):
    """The name of a face: its row's, or that of @named."""
    for one in function.decorator_list:
        if isinstance(one, ast.Call):
            return ast.literal_eval(one.args[0])
    return row


def faces_of(row):
    """(front end, name) -> the overloads of a class of a face file."""
    found = {}
    for one in row.body:
        if isinstance(one, ast.Assign):
            to, of = one.targets[0].id, one.value.id
            found |= {(to, name): overloads for (front_end, name), overloads in found.items() if front_end == of}
        elif isinstance(one, ast.FunctionDef):
            found.setdefault((one.name, name_of(one, row.name)), []).append(one)
    if unknown := {front_end for front_end, _ in found} - set(NAMES):
        raise Wrong(f"{row.name}: there is no front end {' '.join(unknown)}")
    return found


def canonical(front_end, name, slots):
    """What the row calls a parameter of a face; of several names that one which the row has."""
    ours = NAMES[front_end].get(name, name)
    return ours if isinstance(ours, str) else next((one for one in ours if one in slots), ours[0])


def text_of(string):
    """A string as C++ has it."""
    return '"' + string.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n    "') + '"'


def docstring(row, front_end, parameters, slots):
    """The row's docstring in the face's names, without parameters that the face has not; examples are NumPy's and CuPy's."""
    text = ast.get_docstring(row)
    if front_end not in ("numpy", "cupy"):
        text = text.partition("\n\n>>>")[0]
    known = {canonical(front_end, name, slots) for name in parameters}
    unknown = [name for name in (*slots, OUT) if name not in known]
    # What is said of a parameter that the face has not: from its name to the next semicolon or full stop.
    for name in unknown:
        text = re.sub(rf"(;?)\s*``{name}``: [^;.]*([;.])", lambda found: found[1] if found[2] == ";" else found[1] and ".", text)
    text = "\n\n".join(part for part in text.split("\n\n") if part.strip())
    theirs = {canonical(front_end, name, slots): name for name in NAMES[front_end] if name in parameters}
    theirs = {ours: name for ours, name in theirs.items() if ours not in parameters}
    return re.sub(r"``(\w+)``", lambda word: f"``{theirs.get(word[1], word[1])}``", text)


def signature(overloads):
    """One signature for all overloads: the parameters by position of the longest, then what else is accepted by keyword."""
    every = [parameters_of(one) for one in overloads]
    longest = max(every, key=lambda ps: sum(not p.is_keyword_only for p in ps))
    by_position = [p for p in longest if not p.is_keyword_only]
    words = {p.name: p for ps in every for p in ps if p.name not in [q.name for q in by_position]}
    star = ["*"] if words and not any(p.takes_rest for p in by_position) else []
    if count := len(overloads[0].args.posonlyargs):
        by_position.insert(count, "/")
    return "(" + ", ".join(map(str, [*by_position, *star, *words.values()])) + ")"


class Data:
    """The text that is written."""

    def __init__(self):
        self.lines, self.faces, self.defaults = [], [], ["None"]

    def constant(self, default):
        if default is None:
            return "required"
        if default in ABSENT:
            return "absent"
        if default not in self.defaults:
            self.defaults.append(default)
        return str(self.defaults.index(default))

    def overload(self, name, function, front_end, slots):
        rows, by_position = [], 0
        for p in parameters_of(function):
            ours = canonical(front_end, p.name, slots)
            if ours != OUT and ours not in slots and not p.is_ignored:
                raise Wrong(f"{name}: the row has no parameter {ours}")
            slot = IGNORED_SLOT if p.is_ignored else OUT_SLOT if ours == OUT else slots.index(ours)
            second = SECOND_NAMES.get(front_end, {}).get(p.name)
            by_position += not p.is_keyword_only
            second = text_of(second) if second else "nullptr"
            flags = f"{p.is_keyword_only}, {p.takes_rest}".lower()
            rows.append(f'{{"{p.name}", {second}, {slot}, Kind::{p.kind}, {self.constant(p.default)}, {flags}}}')
        self.lines.append(f"constexpr Parameter {name}[] = {{{', '.join(rows)}}};")
        return f"{{{name}, {len(rows)}, {by_position}}}"

    def add(self, row, slots):
        for (front_end, name), overloads in faces_of(row).items():
            base = f"{front_end}_{name}"
            made = [self.overload(f"parameters_of_{base}_{k}", one, front_end, slots) for k, one in enumerate(overloads)]
            self.lines.append(f"constexpr Overload overloads_of_{base}[] = {{{', '.join(made)}}};")
            doc = docstring(row, front_end, [p.name for one in overloads for p in parameters_of(one)], slots)
            self.faces.append(
                f'{{quern::Function::{row.name}_, "{front_end}", "{name}", {text_of(signature(overloads))},\n    {text_of(doc)},\n'
                f"    overloads_of_{base}, {len(made)}}}"
            )

    def text(self):
        defaults = ", ".join(f'"{one}"' for one in self.defaults)
        return "\n".join(
            [
                "// Made of bindings/faces/*.pyi by tools/faces.py.",
                f"constexpr const char* default_texts[] = {{{defaults}}};",
                *self.lines,
                "constexpr Face all_faces[] = {\n" + ",\n".join(self.faces) + "};",
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
                    raise Wrong(f"{path.name}: functions.def has no row {row.name}")
                data.add(row, table[row.name])
    pathlib.Path(out).write_text(data.text())


def main():
    try:
        write(sorted((ROOT / "bindings/faces").glob("*.pyi")), sys.argv[1])
    except Wrong as wrong:
        sys.exit(f"faces: {wrong}")


if __name__ == "__main__":
    main()
