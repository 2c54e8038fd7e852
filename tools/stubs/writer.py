"""The texts of all stubs, by their paths."""

import pathlib
import sys
import types

from stubs import annotations
from stubs.classes import Classes, is_function
from stubs.homes import Homes, Imports, is_ours, public_module
from stubs.modules import Modules

HEAD = """# Made by tools/stubs.py from the module itself.
# mypy: disable-error-code="override,misc,assignment"
import builtins as _b
import typing as _t

import typing_extensions as _te
"""
# Tops of the names that programs under `quern run` import, and of ours.
PEERS = {"cupy": "quern.cupy", "cupyx": "quern.cupyx", "numba": "quern.numba", "pycuda": "quern.pycuda", "torch": "quern.torch"}
BY_PARTS = {"numba.cuda": "quern.cuda", "numba.types": "quern.cuda.types"}


class ModuleText:
    """The text of one module."""

    def __init__(self, modules, homes, name):
        self.modules, self.homes, self.name = modules, homes, name
        self.imports = Imports(homes, name)
        self.classes = Classes(self.imports, name)
        self.lines, self.written = [], set()

    def text(self):
        listed = getattr(self.modules.found[self.name], "__all__", None)
        if listed is not None:
            self.lines.append(f"__all__ = [{', '.join(map(repr, listed))}]")
        # Classes come last: the others' objects may show attributes of theirs.
        for name, value in sorted(self.modules.names(self.name).items(), key=lambda item: isinstance(item[1], type)):
            self.lines += self.of(name, value)
        if self.modules.has_any_name(self.name):
            self.lines.append("def __getattr__(name: _b.str) -> _t.Any: ...")
        while waiting := [(n, c) for n, c in self.homes.private.get(self.name, {}).items() if c not in self.written]:
            for name, cls in waiting:
                self.written.add(cls)
                self.lines += self.classes.text(name, cls)
        if self.name == "quern":
            self.lines += ["@_t.type_check_only", "class _nb_type(_b.type): ..."]
        variable = ['_T = _t.TypeVar("_T")', ""] if any("[_T]" in line for line in self.lines) else []
        return "\n".join([HEAD, *sorted(self.imports.lines), "", *variable, *self.lines, ""])

    def of(self, name, value):
        """The lines of a public name."""
        if isinstance(value, types.ModuleType) or self.modules.name_of(value):
            return self.submodule(name, value)
        if isinstance(value, type):
            return self.cls(name, value)
        if type(value).__name__ == "ufunc" and is_ours(type(value)):
            self.homes.note_object(value)
            array = self.classes.signatures.array_of(self.name) or annotations.ANY
            result = array if value.nout == 1 else f"_b.tuple[{', '.join([array] * value.nout)}]"
            return [f"{name}: {self.imports.ref(type(value))}[{result}]"]
        if is_function(value) and is_borrowed(value):
            return self.imported(value.__module__, value.__name__, name)
        if is_function(value) or isinstance(value, types.MethodType):
            return self.classes.signatures.function(name, value, self.name)
        return [f"{name}: {'None' if name == 'newaxis' else self.classes.value_type(value)}"]

    def submodule(self, name, module):
        ours = self.modules.name_of(module)
        if ours is None:
            return [f"{name}: {self.classes.value_type(module)}"]
        above, _, last = ours.rpartition(".")
        return self.imported(above, last, name)

    def cls(self, name, cls):
        if is_ours(cls) and cls in self.homes.homes:
            home, theirs = self.homes.homes[cls]
            if (home, theirs) == (self.name, name):
                return self.classes.text(name, cls)
            return [f"{name} = {theirs}"] if home == self.name else self.imported(home, theirs, name)
        if cls.__module__ == "builtins":
            return [f"{name} = {self.imports.ref(cls)}"]
        return self.imported(public_module(cls), cls.__name__, name)

    def imported(self, module, theirs, name):
        """Lines for something of another module; checkers see an import as a public name where it keeps its name."""
        if theirs == name:
            return [f"from {module} import {name} as {name}"]
        return [f"{name} = {self.imports.of_module(module)}.{theirs}"]


def is_borrowed(function):
    """Whether a function is another package's, which has it under its own name."""
    is_public = not function.__name__.startswith("_") and not is_ours(function)
    return is_public and getattr(sys.modules.get(function.__module__), function.__name__, None) is function


def path_of(name, packages):
    """The path of a module's stub."""
    path = pathlib.Path(*name.split("."))
    return path / "__init__.pyi" if name in packages else path.with_suffix(".pyi")


def peer_of(name):
    """The names by which programs under `quern run` import a module of ours."""
    for peer, ours in {**PEERS, **BY_PARTS}.items():
        if name == ours or name.startswith(ours + "."):
            yield peer + name[len(ours) :]


def texts():
    """The texts of all stubs, by their paths."""
    modules = Modules()
    homes = Homes(modules)
    packages = {name.rpartition(".")[0] for name in modules.found} | {
        name for name, one in modules.found.items() if hasattr(one, "__path__")
    }
    found = {path_of(name, packages): ModuleText(modules, homes, name).text() for name in modules.found}
    peers = {peer: name for name in modules.found for peer in peer_of(name)}
    around = {name.rpartition(".")[0] for name in peers} | {peer for peer, name in peers.items() if name in packages}
    for peer, name in peers.items():
        found[path_of(peer, around)] = forwarded(name, peer, modules, peers)
    return found


def forwarded(name, peer, modules, peers):
    """A module by its peer's name: the names of ours, with submodules by their peers' names."""
    lines = [f"# Made by tools/stubs.py: what `import {peer}` is under `quern run`."]
    back = {}
    for theirs, ours in peers.items():
        if ours not in back or theirs.startswith(peer.partition(".")[0]):
            back[ours] = theirs
    for one, value in modules.names(name).items():
        ours = modules.name_of(value)
        source, _, last = back.get(ours, f"{name}.{one}").rpartition(".")
        if last == one:
            lines.append(f"from {source} import {one} as {one}")
        else:
            lines += [f"import {source}.{last} as _{one}", f"{one} = _{one}"]
    return "\n".join([*lines, ""])
