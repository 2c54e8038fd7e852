#!/usr/bin/env python3
"""The C++ functions of arrays, as faces of the rows of engine/functions/functions.def: tools/cpp_functions.py PUBLIC.cpp BODIES.inc

A declaration in engine/include/quern/*.h that has a row's name is a face of that row, as a method in bindings/faces/*.pyi is. PUBLIC.cpp
gets its definition, which hands the arguments to the row's body (engine/api/faces.h); functions that engine/api/ defines itself are left
alone. Parameters have the row's names (or NumPy's for these: NAMES in tools/faces.py); those of a struct ``options`` are its members; what
the function lacks has the default of the row's first face.

BODIES.inc gets the declarations of bodies that no header of engine/functions/ declares, as their definitions there have them.
The sources are read as clang-format leaves them: a function of a namespace begins at a line's first column.
Start reading at main().
"""

import ast
import pathlib
import re
import sys

import faces

ENGINE = faces.ROOT / "engine"
NAMESPACE = re.compile(r"(?:inline )?namespace([\w: ]*) \{")
FUNCTION = re.compile(r"([\w:<>,&* ]+[ &*])(\w+)\((.*)\)(?:;| \{)")
STRUCT = re.compile(r"^struct (\w*Options) \{(.*?)^\};", re.MULTILINE | re.DOTALL)
NO_CODE = re.compile(r'''[ ]*//.*|^#(?:.*\\\n)*.*|"(?:[^"\\\n]|\\.)*"|'[{}"]'| +$''', re.MULTILINE)  # comments, macros, texts
NO_FUNCTION = ("struct", "class", "enum", "using", "template", "inline", "static", "return")


class Function:
    """A declaration or a definition of a namespace: its result, its name, its parameters as (type, name)."""

    def __init__(self, namespace, result, name, parameters, is_definition):
        self.namespace, self.result, self.name, self.is_definition = namespace, result.strip(), name, is_definition
        self.text = " ".join(parameters.split())
        words = [one.partition(" = ")[0].rpartition(" ") for one in split(self.text)]
        self.parameters = [(kind, name) for kind, _, name in words]


def split(text):
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "(<{") - (letter in ")>}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def functions_in(text):
    """The functions of a file's namespaces that have names."""
    spaces, depth, statement = [], 0, ""
    for line in NO_CODE.sub("", text).splitlines():
        if depth == len(spaces) and (found := NAMESPACE.match(line)):
            spaces.append(found[1].strip())
        elif depth == len(spaces) and line.strip(" }"):
            statement = f"{statement} {line.strip()}".strip()
            if statement.endswith((";", "{", "}")):
                is_declaration = line.endswith(");")
                found = FUNCTION.match(statement if is_declaration else statement.partition(") {")[0] + ") {")
                if found and all(spaces) and not statement.startswith(NO_FUNCTION):
                    yield Function("::".join(spaces), found[1], found[2], found[3], not is_declaration)
                statement = ""
        depth += line.count("{") - line.count("}")
        del spaces[depth:]


def sources(folder, suffix):
    return {path: path.read_text() for path in sorted((ENGINE / folder).glob(f"*.{suffix}"))}


def defaults_of_faces():
    """Of each row the defaults of its first face, by the row's names."""
    table, found = faces.rows(), {}
    for path in sorted((faces.ROOT / "bindings/faces").glob("*.pyi")):
        for row in ast.parse(path.read_text()).body:
            face = next((one for one in row.body if isinstance(one, ast.FunctionDef)), None) if isinstance(row, ast.ClassDef) else None
            if face and row.name not in found:
                every = faces.parameters_of(faces.with_keywords(face))
                found[row.name] = {faces.canonical(face.name, p.name, table[row.name][1]): p.default for p in every}
    return found


def argument(default):
    """A default of Python's as C++ has it."""
    if default in (None, *faces.ABSENT):
        return "absent"
    value = ast.literal_eval(default)
    if isinstance(value, str):
        return faces.text_of(value)
    return str(value).lower()


def definition(function, body, slots, defaults, structs):
    """The function, which passes its arguments on to the body of its row."""

    def ours(name):
        return name if name in slots else faces.canonical("numpy", name, slots)

    given = {}
    for kind, name in function.parameters:
        if name == "options":
            members = structs[re.sub("^const |&$", "", kind)]
            given |= {ours(member): f"options.{member}" for member in members}
        else:
            given[ours(name)] = name
    here = given.pop("here", None) or next(f"{name}.here()" for kind, name in function.parameters if kind == "const Operand&")
    if unknown := set(given) - set(slots):
        raise faces.Wrong(f"{function.namespace}::{function.name}: the row has no parameter {' '.join(unknown)}")
    passed = ", ".join([here, *(given.get(slot) or argument(defaults.get(slot)) for slot in slots)])
    declared = ", ".join(f"{kind} {name}" for kind, name in function.parameters)
    body = "quern::" + body.replace("<", "<quern::")
    return f"{function.result} {function.name}({declared}) {{\n  return pass_on<{function.result}, {body}>({passed});\n}}"


def members_of(text):
    """The members of each struct of options."""
    return {
        name: [re.search(r"(\w+)(?: = .*)?$", one)[1] for line in re.sub(r"//.*", "", body).split(";") for one in split(line)]
        for name, body in STRUCT.findall(text)
    }


def public():
    """The text of the public functions' definitions."""
    own = {(f.namespace, f.name) for text in sources("api", "cpp").values() for f in functions_in(text) if f.is_definition}
    table, defaults, out = rows(), defaults_of_faces(), {}
    for path, text in sources("include/quern", "h").items():
        structs = members_of(text)
        for f in functions_in(text):
            if f.is_definition or (f.namespace, f.name) in own or f.namespace.endswith("detail"):
                continue
            if f.name not in table:
                raise faces.Wrong(f"{path.name}: {f.namespace}::{f.name} is no row of functions.def, and engine/api/ does not define it")
            made = definition(f, *table[f.name], defaults[f.name], structs)
            out.setdefault(path.name, []).append(f"namespace {f.namespace} {{\n{made}\n}}")
    heads = ['#include "api/faces.h"', '#include "functions/functions.h"', *(f'#include "quern/{name}"' for name in out)]
    return "\n".join([*heads, "namespace qn { using namespace inside; }", *(one for made in out.values() for one in made), ""])


def rows():
    """The body and the parameters of each row that is no operation."""
    text = (ENGINE / "functions/functions.def").read_text()
    found = re.findall(r'^QUERN_FUNCTION\((\w+), \w+, ([\w:<>]+), "([\w ]+)"\)', text, re.MULTILINE)
    return {name: (body, parameters.split()) for name, body, parameters in found}


def bodies():
    """The declarations of bodies that no header declares."""
    declared = {f"{f.namespace}::{f.name}" for text in sources("functions", "h").values() for f in functions_in(text)}
    wanted = {f"quern::{body}" for body, _ in rows().values()} - declared
    out = []
    for text in sources("functions", "cpp").values():
        if any(re.search(rf"\b{name.rpartition('::')[2]}\(", text) for name in wanted):
            found = [f for f in functions_in(text) if f.is_definition and f"{f.namespace}::{f.name}" in wanted]
            out += [f"namespace {f.namespace} {{\n{f.result} {f.name}({f.text});\n}}" for f in found]
    return "\n".join([*out, ""])


def main():
    for path, text in zip(map(pathlib.Path, sys.argv[1:]), (public(), bodies()), strict=True):
        text = "// Made by tools/cpp_functions.py.\n" + text
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    try:
        main()
    except faces.Wrong as wrong:
        sys.exit(f"cpp_functions: {wrong}")
