"""The type stubs that tools/stubs.py writes: they agree with the modules, and have every public name.

QUERN_API_NAMES names a folder with lists of the peers' names (module, name, kind, signature); names of these that quern has are looked for, too.
"""

import ast
import functools
import importlib
import os
import pathlib
import subprocess
import sys
import types
import warnings

import pytest
from places import ROOT
from quern.tools import imports

API_NAMES = os.environ.get("QUERN_API_NAMES")
LISTS = ("numpy", "cupy", "numba", "pycuda", "torch")


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    if not (ROOT / "python" / "quern" / "lib").exists():
        pytest.skip("there is no build in this folder to write stubs of")
    folder = tmp_path_factory.mktemp("typings")
    subprocess.run([sys.executable, ROOT / "tools" / "stubs.py", folder], check=True)
    return folder


@functools.cache
def tree(path):
    return ast.parse(path.read_text())


def stub_of(folder, module):
    """The path of a module's stub, or None."""
    path = folder.joinpath(*module.split("."))
    found = [p for p in (path / "__init__.pyi", path.with_suffix(".pyi")) if p.exists()]
    return found[0] if found else None


def bound(body):
    """The names that the statements of a module or class bind, with the class where it is one."""
    found = {}
    for one in body:
        if isinstance(one, ast.ImportFrom):
            found.update({name.asname: None for name in one.names if name.asname == name.name or name.asname})
        elif isinstance(one, ast.ClassDef):
            found[one.name] = one
        elif isinstance(one, ast.FunctionDef):
            found[one.name] = None
        elif isinstance(one, (ast.Assign, ast.AnnAssign)):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            found.update({target.id: None for target in targets})
            if isinstance(one.value, ast.Name):  # another name of a class
                found[targets[0].id] = next((c for c in body if isinstance(c, ast.ClassDef) and c.name == one.value.id), None)
    return found


def is_own(name, value):
    """Whether a public name is the module's: neither a module nor something of Python's own library that it imports for itself."""
    if isinstance(value, types.ModuleType) or name == "annotations":
        return False
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        top = (value.__module__ or "").partition(".")[0]
        return top not in sys.stdlib_module_names or value.__name__ != name
    return type(value).__module__ != "typing"


def test_stubs_agree_with_the_modules(stubs):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, ROOT / "tests/python/support/stub_errors.py", stubs], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert done.stdout.splitlines()[-1].startswith("0 errors in 27")


def test_every_public_name_has_a_stub(stubs):
    missing, count = [], 0
    for path in sorted(stubs.glob("quern/**/*.pyi")):
        module = ".".join(path.relative_to(stubs).with_suffix("").parts).removesuffix(".__init__")
        live = importlib.import_module(module)
        here = bound(tree(path).body)
        for name in sorted({*dir(live), *getattr(live, "__all__", ())}):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                is_named = not name.startswith("_") and name.isidentifier() and is_own(name, getattr(live, name))
            if is_named:
                count += 1
                missing += [f"{module}.{name}"] * (name not in here)
    assert (missing, count > 5000) == ([], True)


def is_of_ours(cls, name):
    """Whether a class has a name from a class of quern's, not from Python's own."""
    at = next((c for c in getattr(cls, "__mro__", ()) if name in vars(c)), None)
    return at is None or at.__module__.partition(".")[0] not in sys.stdlib_module_names


def ours(path):
    """The module of ours, and the classes in it, that a path such as torch.nn.Module means."""
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        name = ".".join(parts[:n])
        module = "quern" + name.removeprefix("numpy") if parts[0] == "numpy" else imports.module_for(name)
        try:
            return module, importlib.import_module(module), parts[n:]
        except ImportError:
            continue
    return None, None, []


def home_of(body, name):
    """(module, name) of a class that a stub has from another module, or None."""
    modules = {a.asname: a.name for one in body if isinstance(one, ast.Import) for a in one.names}
    for one in body:
        if isinstance(one, ast.ImportFrom) and name in [a.asname for a in one.names]:
            return one.module, name
        if isinstance(one, ast.Assign) and one.targets[0].id == name and isinstance(one.value, ast.Attribute):
            return modules[one.value.value.id], one.value.attr
    return None


def members(folder, module, classes):
    """What the stub of a module, or of a class in it, has; names of bases, too. None where the stub has no such class."""
    path = stub_of(folder, module)
    if path is None:
        return None
    found = bound(tree(path).body)
    for name in classes:
        if name not in found:
            return None
        node = found[name]
        if node is None:
            home = home_of(tree(path).body, name)
            return members(folder, home[0], [home[1], *classes[1:]]) if home else None
        inherited = {}
        for base in node.bases:
            text = ast.unparse(base)
            if text.startswith("_quern"):
                inherited |= members(folder, text.rpartition(".")[0][1:].replace("_", "."), [text.rpartition(".")[2]]) or {}
        found = {**inherited, **bound(node.body)}
    return found


@pytest.mark.skipif(not API_NAMES, reason="QUERN_API_NAMES is not set")
@pytest.mark.parametrize("peer", LISTS)
def test_names_of_the_peers_have_a_stub(stubs, peer):
    missing, count = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in pathlib.Path(API_NAMES, f"{peer}.tsv").read_text().splitlines():
            path, name = line.split("\t")[:2]
            module, place, classes = ours(path)
            for part in classes:
                place = getattr(place, part, None)
            if place is None or name.startswith("_") or name not in dir(place) and not hasattr(place, name):
                continue
            if not (is_of_ours(place, name) if classes else is_own(name, getattr(place, name))):
                continue
            count += 1
            here = members(stubs, module, classes)
            if here is None or name not in here:
                missing.append(f"{path}.{name}")
    assert (missing, count > 400) == ([], True)
