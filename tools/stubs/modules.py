"""Which modules have stubs, and what their public names are."""

import contextlib
import importlib
import keyword
import pkgutil
import sys
import types
import typing

import numpy

PACKAGES = ("quern.cupy", "quern.cupyx", "quern.torch", "quern.numba", "quern.cuda", "quern.pycuda", "quern.array_api")
ALONE = ("quern.autograd", "quern.errors", "quern.tools", "quern.tools.profile")  # modules beside the front ends
IN_ARRAYS = ("quern.fft", "quern.linalg", "quern.random")  # by these names in sys.modules; their files are in quern/arrays
HOSTED = ("quern", "quern.cupy")  # modules where NumPy's names run on the host
# Packages whose classes and functions are quern's own. Front ends give theirs the peer's names.
OURS = ("quern", "cupy", "cupyx", "torch", "numba", "pycuda")
THEIRS = ("numpy", "ml_dtypes")  # types and functions of these are part of the API


class Modules:
    """Modules by their names, with the submodules that each has after its own import."""

    def __init__(self):
        self.found, self.brought, self.read = {}, {}, {}
        self._add("quern")
        for package in PACKAGES:
            self._add(package)
        for name in (*ALONE, *IN_ARRAYS):
            self.found[name] = importlib.import_module(name)

    def _add(self, package):
        module = importlib.import_module(package)
        below = [name for name in sys.modules if name == package or name.startswith(package + ".")]
        for name in below:
            self.brought[name] = set(vars(sys.modules[name]))
        self.found[package] = module
        if package == "quern":
            return
        for one in pkgutil.walk_packages(module.__path__, package + "."):
            if is_public(one.name):
                with contextlib.suppress(ImportError):  # a module that only says why it is not supported
                    importlib.import_module(one.name)
        for name in sorted(sys.modules):
            if name.startswith(package + ".") and is_public(name) and sys.modules[name] is not None:
                self.found[name] = sys.modules[name]

    def name_of(self, module):
        """The name by which a module has stubs, or None."""
        return next((name for name, one in self.found.items() if one is module), None)

    def names(self, name):
        """The public names of a module with their values, sorted."""
        if name not in self.read:
            self.read[name] = self._names(name)
        return self.read[name]

    def _names(self, name):
        module = self.found[name]
        listed = getattr(module, "__all__", ())
        every = (
            {n for n in (*dir(module), *dir(type(module))) if not n.startswith("_")}
            | set(listed)
            | {"__version__"}
            | fallbacks(name, module)
        )
        found = {}
        for one in sorted(every):
            if one.isidentifier() and not keyword.iskeyword(one):
                with contextlib.suppress(AttributeError):
                    found[one] = getattr(module, one)
        return {k: v for k, v in found.items() if k in listed or self.is_api(name, k, v)}

    def is_api(self, name, key, value):
        """Whether a value is part of a module's API, not something that the module imports for itself."""
        if self.name_of(value):
            return key in self.brought.get(name, ())
        if isinstance(value, types.ModuleType):
            is_numpys = name in HOSTED and hasattr(numpy, key) and "." in value.__name__
            is_part = value.__name__.partition(".")[0] in OURS and "." in value.__name__ and name != "quern" and key != "arrays"
            return is_numpys or is_part
        if isinstance(value, type) and value.__module__ == "builtins":
            return True
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            is_own = (value.__module__ or "numpy").partition(".")[0] in (*OURS, *THEIRS)
            return is_own or (not isinstance(value, type) and key != value.__name__)
        return type(value).__module__ != "__future__" and getattr(typing, key, ...) is not value

    def has_any_name(self, name):
        """Whether a module has whatever name is asked for, as those that only say why they are not supported."""
        try:
            return "__getattr__" in vars(self.found[name]) and hasattr(self.found[name], "a_name_that_nothing_has")
        except NotImplementedError:
            return False


def is_public(name):
    return not any(part.startswith("_") for part in name.split("."))


def fallbacks(name, module):
    """Names that a module has only when they are asked for: those in its __getattr__, and NumPy's, which run on the host."""
    lazy = vars(module).get("__getattr__")
    if lazy is None:
        return set()
    found = {one for one in lazy.__code__.co_consts if isinstance(one, str) and one.isidentifier() and not one.startswith("_")}
    if name.startswith("quern.cupy") or name in ("quern", *IN_ARRAYS):
        host = numpy if name in HOSTED else getattr(numpy, name.rpartition(".")[2], None)
        found |= {n for n in dir(host) if not n.startswith("_")} if isinstance(host, types.ModuleType) else set()
    return found
