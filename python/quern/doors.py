"""What `import pycuda` means under `quern run`.

Imports made by the user's own files lead to quern's doors; those made by installed packages get the real module where it is
installed. The first is done by wrapping `__import__`, which knows who imports; a finder serves the names of packages that
are not installed.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.abc
import importlib.util
import os
import sys
import sysconfig

from quern.keras_hook import use_when_imported

DOORS = {
    "pycuda": "quern.pycuda",
    "cupy": "quern.cupy",
    "cupyx": "quern.cupyx",
    "numba": "quern.numba",
    "torch": "quern.torch",
    "tensorflow": "quern.tensorflow",
}
# Installed packages ask whether these are there and believe what they get: they are for the user's own files.
_USERS_ALONE = {"torch", "tensorflow"}
# No module of ours is called "...numba.cuda": the numba-cuda package leads all such names to itself.
PARTS = {
    "numba.cuda.core.config": "quern.cuda.config",
    "numba.cuda.core.errors": "quern.cuda.errors",
    "numba.cuda.core": "quern.numba.core",
    "numba.cuda.np.numpy_support": "quern.cuda.numpy_support",
    "numba.cuda.np": "quern.numba.np",
    "numba.cuda.simulator.kernel": "quern.cuda.dispatcher",  # what the simulator calls the same things
    "numba.cuda.simulator.api": "quern.cuda",
    "numba.cuda.simulator.reduction": "quern.cuda",
    "numba.cuda.simulator.vector_types": "quern.cuda.vectors",
    "numba.cuda.simulator": "quern.cuda",
    "numba.cuda.api": "quern.cuda",
    "numba.cuda.args": "quern.cuda",
    "numba.cuda.kernels.reduction": "quern.cuda",
    "numba.cuda.vector_types": "quern.cuda.vectors",
    "numba.cuda": "quern.cuda",
    "numba.extending": "quern.cuda.extending",
    "numba.core.extending": "quern.cuda.extending",
    "numba.types": "quern.cuda.types",
    "numba.core.types": "quern.cuda.types",
    "numba.config": "quern.cuda.config",
    "numba.core.config": "quern.cuda.config",
    "numba.errors": "quern.cuda.errors",
    "numba.core.errors": "quern.cuda.errors",
    "numba.np.numpy_support": "quern.cuda.numpy_support",
    "tensorflow.keras": "keras",
}


def door_of(name: str) -> str | None:
    """The module of ours that stands for `name`: "pycuda.driver" -> "quern.pycuda.driver"."""
    top, _, rest = name.partition(".")
    if top not in DOORS:
        return None
    for part, ours in PARTS.items():
        if name == part or name.startswith(part + "."):
            return ours + name[len(part) :]
    return DOORS[top] + ("." + rest if rest else "")


def _installed_folders():
    paths = sysconfig.get_paths()
    found = {paths[k] for k in ("stdlib", "platstdlib", "purelib", "platlib")} | {os.path.dirname(os.path.abspath(__file__))}
    return tuple(os.path.realpath(p) + os.sep for p in found)


class _Importer:
    def __init__(self):
        self.real = builtins.__import__
        self.real_import_module, self.real_find_spec = importlib.import_module, importlib.util.find_spec
        self.installed = _installed_folders()
        self.of_user: dict[str, bool] = {}

    def is_user_file(self, file: str | None) -> bool:
        if not file:
            return True  # an interactive session, exec
        known = self.of_user.get(file)
        if known is None:
            path = os.path.realpath(file)
            known = self.of_user[file] = not path.startswith(self.installed) and "site-packages" not in path
        return known

    def __call__(self, name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0 and name.partition(".")[0] in DOORS and self.is_user_file((globals or {}).get("__file__")):
            ours = door_of(name)
            module = _import_door(name, ours)
            if fromlist:
                for item in fromlist:
                    if item != "*" and not hasattr(module, item):
                        _try_submodule(f"{ours}.{item}")
                return module
            top = name.partition(".")[0]
            return _import_door(top, DOORS[top])
        return self.real(name, globals, locals, fromlist, level)

    # importlib's functions, for the user's own files; what they give is nowhere registered under the name asked for.

    def import_module(self, name, package=None):
        if name.partition(".")[0] in DOORS and self.is_user_file(sys._getframe(1).f_globals.get("__file__")):
            return _import_door(name, door_of(name))
        return self.real_import_module(name, package)

    def find_spec(self, name, package=None):
        if name.partition(".")[0] in DOORS and self.is_user_file(sys._getframe(1).f_globals.get("__file__")):
            ours = self.real_find_spec(door_of(name))
            return ours and importlib.util.spec_from_loader(name, _Finder({name.partition(".")[0]}), is_package=True)
        return self.real_find_spec(name, package)


def _try_submodule(name):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as e:
        if e.name != name:
            raise


def _import_door(asked, ours):
    try:
        return importlib.import_module(ours)
    except ModuleNotFoundError as e:
        is_plain = str(e).startswith("No module named")  # else it says already what to do
        if not is_plain or not (ours + ".").startswith(f"{e.name}."):  # something else that a part of ours needs
            raise
        package = asked.partition(".")[0]
        raise ModuleNotFoundError(f"No module named '{asked}': quern serves no such part of {package}", name=asked) from None


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves the names of packages that are not installed, also to importlib.import_module() and to installed packages."""

    def __init__(self, served):
        self.served = served

    def find_spec(self, name, path=None, target=None):
        ours = door_of(name)
        if ours is None or name.partition(".")[0] not in self.served or importlib.util.find_spec(ours) is None:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec):
        return importlib.import_module(door_of(spec.name))

    def exec_module(self, module):
        pass


def open_doors() -> _Importer:
    """Makes the imports of this process lead to the doors; a second call does nothing. Returns who serves them."""
    if isinstance(builtins.__import__, _Importer):
        return builtins.__import__
    if any(os.environ.get(name, "0") not in ("", "0") for name in ("NUMBA_ENABLE_CUDASIM", "NUMBA_DISABLE_CUDA")):
        os.environ.setdefault("QUERN_DEVICE", "cpu")  # before the first use of a device
    importer = builtins.__import__ = _Importer()
    importlib.import_module, importlib.util.find_spec = importer.import_module, importer.find_spec
    use_when_imported()
    sys.meta_path.insert(0, _Finder({top for top in DOORS if top not in _USERS_ALONE and importlib.util.find_spec(top) is None}))
    return importer
