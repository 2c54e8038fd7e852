"""Where each class is written: one module has its text, others import it. And the imports that a module's text needs."""

import sys
import types

from stubs.modules import OURS


def is_ours(cls):
    """Whether a class or function is quern's."""
    return (getattr(cls, "__module__", None) or "").partition(".")[0] in OURS


class Homes:
    """The home of each public class; classes without one get a private name in the module that needs them first."""

    def __init__(self, modules):
        self.homes, self.private, self.attributes = {}, {}, {}
        best = {}
        for order, module in enumerate(modules.found):
            for name, value in modules.names(module).items():
                if isinstance(value, type) and is_ours(value):
                    key = (module not in (value.__module__, "quern." + value.__module__), name != value.__name__, module.count("."), order)
                    if value not in best or key < best[value][0]:
                        best[value] = (key, (module, name))
        self.homes = {cls: home for cls, (_, home) in best.items()}
        self.public = set(self.homes)

    def of(self, cls, module):
        """(module, name) of a class of ours; `module` is where it is needed."""
        if cls not in self.homes:
            mine = self.private.setdefault(module, {})
            name = "_" + cls.__name__.lstrip("_")
            while name in mine:
                name += "_"
            mine[name] = cls
            self.homes[cls] = (module, name)
        return self.homes[cls]

    def note_object(self, value):
        """Remember the public attributes of an object that a module shows, where no method of its class says them."""
        if type(value) not in self.public or not isinstance(type(value).__init__, types.FunctionType):
            self.attributes.setdefault(type(value), {}).update({k: v for k, v in getattr(value, "__dict__", {}).items() if k[0] != "_"})

    def of_objects(self, cls):
        """Attributes that note_object() has seen."""
        return self.attributes.get(cls, {})


class Imports:
    """What a module's text refers to, and the lines that import it."""

    def __init__(self, homes, module):
        self.homes, self.module, self.lines = homes, module, set()

    def of_module(self, name):
        short = "_" + name.replace(".", "_")
        self.lines.add(f"import {name} as {short}")
        return short

    def ref(self, cls):
        """How to write a class in an annotation."""
        if cls.__module__ == "builtins" and cls is not types.NoneType:
            return f"_b.{cls.__name__}" if getattr(_builtins(), cls.__name__, None) is cls else "_t.Any"
        if is_ours(cls):
            module, name = self.homes.of(cls, self.module)
            return f"{self.of_module(module)}.{name}"
        if getattr(sys.modules.get(cls.__module__), cls.__name__, None) is cls:
            return f"{self.of_module(public_module(cls))}.{cls.__name__}"
        return "_t.Any"


def _builtins():
    return sys.modules["builtins"]


def public_module(cls):
    """The module to import a class of NumPy's or of Python's own from: one without an underscore, where it has one."""
    module = cls.__module__
    while "._" in module:
        module = module.rpartition("._")[0]
    return module if getattr(sys.modules.get(module), cls.__name__, None) is cls else cls.__module__
