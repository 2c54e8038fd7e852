#!/usr/bin/env python3
"""The faces of functions of arrays (bindings/faces/*.pyi) as data for the reader of calls: tools/faces.py OUT.inc

A face file has a class for each row of engine/functions/functions.def, or for a row of elementwise operations
(engine/include/quern/ops.def), with the docstring and a method for each front end that has the function, in that front end's spelling and
order. Several methods of one front end under @overload are tried in their order. @named("amax") gives a face another name than its row's,
@named("abs", "absolute") several; @in_place_too adds ``exp_``, which writes into its first argument; ``cupy = numpy`` gives CuPy the faces
that NumPy has above that line. An annotation is what an argument must be for the call to be taken (Kind in bindings/faces/face.h). The
files are never imported.
Start reading at main().
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = re.compile(r'^QUERN_FUNCTION\((\w+), \w+, \w+, "([\w ]+)"\)', re.MULTILINE)
OPERATIONS = re.compile(r"^QUERN_(?:ROW|OWN|PART)\((\w+), (\d), ", re.MULTILINE)
OUT = "out"  # a parameter of faces alone: the array that takes the result
OUT_SLOT = 15
# Of each front end: what it calls the rows' parameters; keywords that it accepts besides.
NAMES = {
    "numpy": {"correction": "ddof", "x": "a"},
    "cupy": {"correction": "ddof", "x": "a"},
    "reduce": {"array": "a"},
    "torch": {
        "input": "a", "other": "b", "exponent": "b", "tensor1": "x", "tensor2": "y", "min": "low", "max": "high", "dim": "axis",
        "keepdim": "keepdims", "correction": "ddof", "unbiased": "ddof",
    },
    "keras": {"x": "a", "x1": "a", "x2": "b"},
}
SECOND_NAMES = {"torch": {"dim": "axis", "keepdim": "keepdims"}}
ABSENT = ("None", "NoValue")  # defaults that leave a slot empty


class Wrong(Exception):
    """A face that does not fit its row."""


def rows():
    """The row in C++ and its parameters, by its name: operands of operations are a, b and c."""
    functions = ROWS.findall((ROOT / "engine/functions/functions.def").read_text())
    operations = OPERATIONS.findall((ROOT / "engine/include/quern/ops.def").read_text())
    found = {name: (f"operation(quern::Op::{name})", list("abc"[: int(count)])) for name, count in operations}
    return found | {name: (f"quern::Function::{name}_", parameters.split()) for name, parameters in functions}


def parameters_of(function, in_place=False):
    """(name, kind, default's text or None, is it keyword-only) of each parameter; in place the first is an array that takes the result."""
    a = function.args
    defaults = [None] * (len(a.args) - len(a.defaults)) + a.defaults
    every = [(p, d, False) for p, d in zip(a.args, defaults, strict=True)]
    every += [(p, d, True) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    every = [one for one in every if not in_place or one[0].arg != OUT]
    found = [(p.arg, p.annotation.id if p.annotation else "any", d and ast.unparse(d), only) for p, d, only in every]
    return [(found[0][0], "array", *found[0][2:]), *found[1:]] if in_place else found


def names_of(function, row):
    """The names of a face: its row's, or those of @named; with the names of those that write in place."""
    found, in_place = [row], False
    for one in function.decorator_list:
        if isinstance(one, ast.Call):
            found = [ast.literal_eval(name) for name in one.args]
        in_place |= isinstance(one, ast.Name) and one.id == "in_place_too"
    return found + [name + "_" for name in found if in_place]


def faces_of(row):
    """(front end, name) -> the overloads of a class of a face file."""
    found = {}
    for one in row.body:
        if isinstance(one, ast.Assign):
            to, of = one.targets[0].id, one.value.id
            found |= {(to, name): overloads for (front_end, name), overloads in found.items() if front_end == of}
        elif isinstance(one, ast.FunctionDef):
            for name in names_of(one, row.name):
                found.setdefault((one.name, name), []).append(one)
    if unknown := {front_end for front_end, _ in found} - set(NAMES):
        raise Wrong(f"{row.name}: there is no front end {' '.join(unknown)}")
    return found


def text_of(string):
    """A string as C++ has it."""
    return '"' + string.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n    "') + '"'


def docstring(row, front_end, parameters, slots):
    """The row's docstring in the face's names, without parameters that the face has not; examples are NumPy's and CuPy's."""
    text = ast.get_docstring(row)
    if front_end not in ("numpy", "cupy"):
        text = text.partition("\n\n>>>")[0]
    known = {NAMES[front_end].get(name, name) for name in parameters}
    unknown = [name for name in (*slots, OUT) if name not in known]
    # What is said of a parameter that the face has not: from its name to the next semicolon or full stop.
    for name in unknown:
        text = re.sub(rf"(;?)\s*``{name}``: [^;.]*([;.])", lambda found: found[1] if found[2] == ";" else found[1] and ".", text)
    text = "\n\n".join(part for part in text.split("\n\n") if part.strip())
    theirs = {ours: name for name, ours in NAMES[front_end].items() if name in parameters and ours not in parameters}
    return re.sub(r"``(\w+)``", lambda word: f"``{theirs.get(word[1], word[1])}``", text)


def signature(every):
    """One signature for the parameters of all overloads: those by position of the longest, then what else is accepted by keyword."""
    longest = max(every, key=lambda ps: sum(not p[3] for p in ps))
    by_position = [p for p in longest if not p[3]]
    words = {p[0]: p for ps in every for p in ps if p[0] not in [q[0] for q in by_position]}
    shown = [f"{p[0]}={p[2]}" if p[2] is not None else p[0] for p in by_position]
    shown += ["*"] if words else []
    return "(" + ", ".join([*shown, *(f"{p[0]}={p[2]}" if p[2] is not None else p[0] for p in words.values())]) + ")"


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

    def overload(self, name, parameters, front_end, slots):
        rows, by_position = [], 0
        for parameter, kind, default, is_keyword_only in parameters:
            ours = NAMES[front_end].get(parameter, parameter)
            if ours != OUT and ours not in slots:
                raise Wrong(f"{name}: the row has no parameter {ours}")
            slot = OUT_SLOT if ours == OUT else slots.index(ours)
            second = SECOND_NAMES.get(front_end, {}).get(parameter)
            by_position += not is_keyword_only
            only = str(is_keyword_only).lower()
            second = text_of(second) if second else "nullptr"
            rows.append(f'{{"{parameter}", {second}, {slot}, Kind::{kind}, {self.constant(default)}, {only}}}')
        self.lines.append(f"constexpr Parameter {name}[] = {{{', '.join(rows)}}};")
        return f"{{{name}, {len(rows)}, {by_position}}}"

    def add(self, row, function, slots):
        for (front_end, name), overloads in faces_of(row).items():
            base, in_place = f"{front_end}_{name}", name.endswith("_")
            every = [parameters_of(one, in_place) for one in overloads]
            made = [self.overload(f"parameters_of_{base}_{k}", one, front_end, slots) for k, one in enumerate(every)]
            self.lines.append(f"constexpr Overload overloads_of_{base}[] = {{{', '.join(made)}}};")
            doc = docstring(row, front_end, [p[0] for one in every for p in one], slots)
            if in_place:
                doc = f"As :meth:`{name[:-1]}`, written into this tensor, which is returned."
            self.faces.append(
                f'{{{function}, "{front_end}", "{name}", {text_of(signature(every))},\n    {text_of(doc)},\n'
                f"    overloads_of_{base}, {len(made)}, {str(in_place).lower()}}}"
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
