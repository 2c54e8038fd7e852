#!/usr/bin/env python3
"""No public function or class of python/quern is made where grep and editors do not find it: by exec(), by writing into globals(), or by
setattr() on a module or class.

Public names are made by def, class, assignment and import, or by the engine from the face files (``add_functions``, ``add_methods``). A
table of names is a dictionary behind a module's ``__getattr__``. ALLOWED has what stays, and why. Start reading at main().
"""

import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python/quern"
_CACHED = "a module's __getattr__ keeps what it found"
_TESTS = "decorators of tests, as the peer has them"
ALLOWED = {
    ("__init__.py", "globals"): _CACHED,
    ("arrays/fft.py", "globals"): _CACHED,
    ("arrays/linalg/__init__.py", "globals"): _CACHED,
    ("cuda/testing.py", "exec"): _TESTS,
    ("cuda/testing.py", "setattr"): _TESTS,
    ("cupy/__init__.py", "globals"): _CACHED,
    ("cupy/fft/__init__.py", "globals"): _CACHED,
    ("cupy/linalg.py", "globals"): _CACHED,
    ("cupy/testing.py", "setattr"): _TESTS,
    ("keras/backend/_borrowed.py", "exec"): "functions of Keras's own NumPy backend, from its source",
    ("keras/backend/image.py", "globals"): "the same",
    ("keras/backend/linalg.py", "globals"): "the same",
    ("keras/backend/math.py", "globals"): "the same",
    ("keras/backend/nn.py", "globals"): "the same",
    ("keras/backend/numpy.py", "globals"): "the same",
    ("keras/backend/rnn.py", "globals"): "the same",
    ("keras/backend/recording.py", "exec"): "a recorded step as a function, which has no public name",
    ("keras/backend/recording.py", "setattr"): "operators of tensors that are recorded",
    ("keras/backend/trainer.py", "setattr"): "methods of dict that wait",
    ("pycuda/enums.py", "setattr"): "an enumeration's values are of its own type",
    ("tools/clocks.py", "setattr"): "clocks of Python's module time that wait for the device, under `quern run`",
    ("tools/cli/run.py", "exec"): "the user's program",
}
READS = {"dict", "dir", "frozenset", "len", "list", "set", "sorted", "tuple"}
READING_METHODS = {"copy", "get", "items", "keys", "values"}


class Finder(ast.NodeVisitor):
    """Finds (line, kind) of what makes names in other ways."""

    def __init__(self, tree):
        self.found, self.depth = [], 0
        self.above = {below: node for node in ast.walk(tree) for below in ast.iter_child_nodes(node)}
        self.objects = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        self.objects |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self.visit(tree)

    def visit_FunctionDef(self, node):  # noqa: N802
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef  # noqa: N815

    def visit_Call(self, node):  # noqa: N802
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name == "exec":
            self.found.append((node.lineno, "exec"))
        if name == "globals" and not self.is_read(node):
            self.found.append((node.lineno, "globals"))
        if name == "setattr" and (self.depth == 0 or self.is_shared(node.args[0])):
            self.found.append((node.lineno, "setattr"))
        self.generic_visit(node)

    def is_read(self, node):
        """Is the dictionary that globals() gives only read here?"""
        above = self.above[node]
        if isinstance(above, ast.Subscript):
            return isinstance(above.ctx, ast.Load)
        if isinstance(above, ast.Attribute):
            return above.attr in READING_METHODS
        if isinstance(above, ast.Call):
            return isinstance(above.func, ast.Name) and above.func.id in READS
        return isinstance(above, (ast.Compare, ast.Starred, ast.comprehension, ast.For))

    def is_shared(self, target):
        """Is it a class or a module, not an object of one?"""
        if not isinstance(target, ast.Name):
            return isinstance(target, ast.Subscript) and ast.unparse(target.value) == "sys.modules"
        return target.id in self.objects or target.id[:1].isupper() or target.id == "cls"


def main():
    wrong, met = [], set()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        for line, kind in Finder(ast.parse(path.read_text())).found:
            met.add((name, kind))
            if (name, kind) not in ALLOWED:
                what = {"exec": "exec()", "globals": "writing into globals()", "setattr": "setattr() on a class or module"}[kind]
                wrong.append(f"python/quern/{name}:{line}: {what} makes names that grep and editors do not find")
    wrong += [f"tools/check_names.py: {name} has no {kind} any more" for name, kind in ALLOWED.keys() - met]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"names: made where they are found; {len(ALLOWED)} exceptions")


if __name__ == "__main__":
    main()
