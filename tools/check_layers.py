#!/usr/bin/env python3
"""The layers: of the engine's includes (ORDER) and of Python's imports (PYTHON). Each points to its own layer or to one on its left.

An include counts as the file that the compiler takes for it. Imports inside functions count as those at a module's head do; modules that
import each other in a circle are wrong in any layer. Of the files that are compiled together it checks that their functions differ in name.
Start reading at main().
"""

import ast
import pathlib
import re
import sys

import embed_headers

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDER = ["include", "core", "graph", "codegen", "compile", "device", "run", "functions", "api", "bindings"]


# The layers of python/quern, each with the modules and packages that are in it; "quern" is the package's own file.
PYTHON = (
    ("quern.errors", "quern.errors.of_calls", "quern.device", "quern.tools.development", "quern.tools.kept_sources", "quern.user_files"),
    ("quern.arrays", "quern.array_api", "quern.fft", "quern.random"),
    ("quern.raw", "quern.tools.compile_note", "quern.tools.trace", "quern.autograd"),
    ("quern.tools.measure", "quern.pycuda", "quern.tools.profile", "quern.tools.check"),
    ("quern.tools", "quern.tools.notebook"),
    ("quern",),
    ("quern.kernel",),
    ("quern.cuda",),
    ("quern.numba", "quern.cupy"),
    ("quern.cupyx", "quern.torch", "quern.keras_hook"),
    ("quern.keras",),
    ("quern.tensorflow",),
    ("quern.tools.clocks", "quern.tools.imports"),
    ("quern.tools.children",),
    ("quern.tools.cli",),
    ("quern.__main__",),
)
MADE = ("faces.inc", "bodies.inc")  # by the build: tools/faces.py, tools/cpp_functions.py
NO_FUNCTION = (" ", "}", "#", "//", "struct", "class", "enum", "using", "namespace", "template", "return")
# Imports that may close a circle, and why.
CIRCLES = {
    ("quern.cupy.testing", "quern.cupy"): "a test receives the front end as a whole, when it runs",
    ("quern.arrays.objects.protocols", "quern.array_api"): "an array names the module of its standard when it is asked",
}


def layer(path):
    """The layer a file belongs to, from its path under engine/ or bindings/; None for tests and examples."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "bindings":
        return "bindings"
    return parts[1] if parts[0] == "engine" and parts[1] in ORDER else None


def folders(path):
    """Where the compiler looks for what a file includes."""
    if any(folder in path.parents for folder in embed_headers.FOLDERS):
        return [path.parent, *embed_headers.FOLDERS]
    return [path.parent, ROOT / "engine/include", ROOT / "engine", embed_headers.FOLDERS[0], *([ROOT] if layer(path) == "bindings" else [])]


def includes(text):
    """(line, name, is it in quotes) of each include; kernel sources are no lines of ours."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda raw: "\n" * raw[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield number, found[2], found[1] == '"'


def check_engine():
    suffixes = (".h", ".hpp", ".cpp", ".cuh", "")
    files = [p for folder in ("engine", "bindings") for p in sorted((ROOT / folder).rglob("*")) if p.suffix in suffixes]
    wrong, checked = [], 0
    for path in files:
        mine = layer(path)
        if mine is None or not path.is_file():
            continue
        checked += 1
        text, name = path.read_text(), path.relative_to(ROOT)
        for number, included, quoted in includes(text):
            meant = next((folder / included for folder in folders(path) if (folder / included).is_file()), None)
            if meant is None:
                if quoted and included not in MADE:
                    wrong.append(f'{name}:{number}: there is no "{included}" where the compiler looks')
                continue
            theirs = layer(meant.resolve())
            if theirs is not None and ORDER.index(theirs) > ORDER.index(mine):
                wrong.append(f"{name}:{number}: {mine}/ includes {meant.resolve().relative_to(ROOT)}, which stands to its right")
        if mine != "bindings" and "Python.h" in text:
            wrong.append(f"{name}: the engine knows no Python")
    return wrong, checked


def python_layer(module):
    """The number of the layer that the module is in, from its longest name there; None where it is in none."""
    while module:
        for number, names in enumerate(PYTHON):
            if module in names:
                return number
        module = module.rpartition(".")[0]
        if module == "quern":
            return None
    return None


def imports(module, path, modules):
    """(line, module of ours) of each import of a file, those inside functions included; not those for type checkers alone."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    nodes = [ast.parse(path.read_text())]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            nodes += node.orelse
            continue
        nodes += ast.iter_child_nodes(node)
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and isinstance(node.args[0], ast.Constant):
            names = [node.args[0].value]
        yield from ((node.lineno, name) for name in names if name in modules and name != module)


def circles(edges):
    """The sets of modules each of which leads to every other (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(module):
        order[module] = low[module] = len(order)
        stack.append(module)
        for other in edges[module]:
            if other not in order:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], order[other])
        if low[module] == order[module]:
            start = stack.index(module)
            found.append(stack[start:])
            del stack[start:]

    for module in edges:
        if module not in order:
            visit(module)
    return [sorted(circle) for circle in found if len(circle) > 1]


def check_python():
    root, modules, wrong = ROOT / "python", {}, []
    for path in sorted((root / "quern").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    edges = {module: {} for module in modules}
    for module, path in modules.items():
        mine = python_layer(module)
        if mine is None:
            wrong.append(f"{path.relative_to(ROOT)}: {module} is in no layer; see PYTHON in tools/check_layers.py")
            continue
        for line, other in imports(module, path, modules):
            theirs = python_layer(other)
            if theirs is not None and theirs > mine:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {module} imports {other}, which stands to its right")
            if (module, other) not in CIRCLES:
                edges[module].setdefault(other, line)
    for circle in circles(edges):
        wrong.append(f"{len(circle)} modules import each other in a circle:")
        for module in circle:
            wrong += [f"  {modules[module].relative_to(ROOT)}:{line}: {other}" for other, line in edges[module].items() if other in circle]
    return wrong, len(modules)


def own_functions(text):
    """The names of the functions that only one file of C++ knows."""
    inside = False
    for line in text.splitlines():
        if line in ("namespace {", "}  // namespace"):
            inside = line == "namespace {"
        elif (inside or line.startswith("static ")) and not line.endswith(";") and not line.startswith(NO_FUNCTION):
            found = re.match(r"[A-Za-z_][\w:<>,*& \[\]]*[ *&](\w+)\(", line)
            if found:
                yield found[1]


def check_unity():
    """Files that are compiled together (engine/compile/clang): an overload in another one might be the better match."""
    wrong = []
    for folder in sorted({path.parent for path in (ROOT / "engine/compile/clang").rglob("*.cpp")}):
        files = {}
        for path in sorted(folder.glob("*.cpp")):
            for name in set(own_functions(path.read_text())):
                files.setdefault(name, []).append(path.name)
        wrong += [f"{folder.relative_to(ROOT)}: {' and '.join(of)} each have a {name}()" for name, of in files.items() if len(of) > 1]
    return wrong


def main():
    (wrong, checked), (wrong_imports, modules) = check_engine(), check_python()
    wrong += wrong_imports + check_unity()
    for line in wrong:
        print(line)
    print(f"layers: {checked} files of the engine and {modules} modules checked, {len(wrong)} lines are wrong")
    return 1 if wrong or not checked or not modules else 0


if __name__ == "__main__":
    sys.exit(main())
