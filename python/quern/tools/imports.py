"""What `import pycuda` means under `quern run`.

Imports made by the user's own files lead to quern's front ends; those made by installed packages get the real module where it is
installed. The first is done by wrapping `__import__`, which knows who imports; a finder provides the names of packages that
are not installed.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.abc
import importlib.util
import os
import sys

from quern import user_files
from quern.keras_hook import use_when_imported

FRONT_ENDS = {
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
    "cupy.core": "quern.cupy._core",  # what older programs call it
    "cupy.util": "quern.cupy._util",
    "cupy.prof": "quern.cupyx.prof",
    "numba.cuda.core.sigutils": "quern.cuda.sigutils",
    "numba.cuda.core.typing": "quern.cuda.typing",
    "numba.cuda.core.config": "quern.cuda.config",
    "numba.cuda.core.errors": "quern.cuda.errors",
    "numba.cuda.core": "quern.numba.core",
    "numba.cuda.typing.templates": "quern.cuda.typing",
    "numba.cuda.np.numpy_support": "quern.cuda.numpy_support",
    "numba.cuda.np": "quern.numba.np",
    "numba.cuda.simulator.kernel": "quern.cuda.dispatcher",  # what the simulator calls the same things
    "numba.cuda.simulator.api": "quern.cuda",
    "numba.cuda.simulator.reduction": "quern.cuda",
    "numba.cuda.simulator.vector_types": "quern.cuda.vectors",
    "numba.cuda.simulator.kernelapi": "quern.cuda.kernelapi",
    "numba.cuda.simulator": "quern.cuda",
    "numba.cuda.tests.support": "quern.cuda.testing",
    **dict.fromkeys(
        (f"numba.cuda.{name}" for name in ("api", "api_util", "device_init", "intrinsic_wrapper", "intrinsics", "stubs")), "quern.cuda"
    ),
    "numba.cuda.kernels.reduction": "quern.cuda",
    "numba.cuda.kernels.transpose": "quern.cuda.kernels",
    "numba.cuda.vector_types": "quern.cuda.vectors",
    "numba.cuda": "quern.cuda",
    "numba.extending": "quern.cuda.extending",
    "numba.core.extending": "quern.cuda.extending",
    "numba.types": "quern.cuda.types",
    **dict.fromkeys(
        (f"numba.core.types.{name}" for name in "abstract common containers function_type functions misc npytypes scalars".split()),
        "quern.cuda.types",
    ),
    "numba.core.types": "quern.cuda.types",
    "numba.core.sigutils": "quern.cuda.sigutils",
    "numba.core.typing.templates": "quern.cuda.typing",
    "numba.core.typing.typeof": "quern.cuda.typing",
    "numba.core.typing": "quern.cuda.typing",
    "numba.core.registry": "quern.numba.core.dispatcher",
    "numba.core.decorators": "quern.numba.decorators",
    "numba.tests.support": "quern.cuda.testing",
    "numba.testing": "quern.cuda.testing",
    "numba.np.ufunc.decorators": "quern.numba.np.ufunc",
    "numba.np.ufunc.dufunc": "quern.numba.np.ufunc",
    "numba.config": "quern.cuda.config",
    "numba.core.config": "quern.cuda.config",
    "numba.errors": "quern.cuda.errors",
    "numba.core.errors": "quern.cuda.errors",
    "numba.np.numpy_support": "quern.cuda.numpy_support",
    "tensorflow.keras": "keras._tf_keras.keras",  # Keras as TensorFlow has it, with older names
}


def module_for(name: str) -> str | None:
    """The module of ours that stands for `name`: "pycuda.driver" -> "quern.pycuda.driver"."""
    top, _, rest = name.partition(".")
    if top not in FRONT_ENDS:
        return None
    for part, ours in PARTS.items():
        if name == part or name.startswith(part + "."):
            return ours + name[len(part) :]
    return FRONT_ENDS[top] + ("." + rest if rest else "")


class _Importer:
    def __init__(self):
        self.real = builtins.__import__
        self.real_import_module, self.real_find_spec = importlib.import_module, importlib.util.find_spec
        self.of_user: dict[str, bool] = {}

    def is_user_file(self, file: str | None) -> bool:
        if not file:
            return True  # an interactive session, exec
        known = self.of_user.get(file)
        if known is None:
            path = os.path.realpath(file)
            known = self.of_user[file] = "site-packages" not in path and user_files.is_user_file(path)
        return known

    def __call__(self, name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0 and name.partition(".")[0] in FRONT_ENDS and self.is_user_file((globals or {}).get("__file__")):
            ours = module_for(name)
            module = _import_ours(name, ours)
            if fromlist:
                for item in fromlist:
                    if item != "*" and not hasattr(module, item):
                        _try_submodule(f"{ours}.{item}")
                        _check_has(module, item, name)
                return module
            around, _, part = name.rpartition(".")
            if ours in PARTS.values() and not hasattr(package := _import_ours(around, module_for(around)), part):
                setattr(package, part, module)  # it stands elsewhere: cupy.prof
            top = name.partition(".")[0]
            return _import_ours(top, FRONT_ENDS[top])
        module = self.real(name, globals, locals, fromlist, level)
        if name.startswith("importlib"):
            self.lead_versions()
        return module

    def lead_versions(self):
        """Programs ask importlib.metadata which PyTorch they run on; installed packages get the answer about installed ones."""
        metadata = sys.modules.get("importlib.metadata")
        if metadata is None or hasattr(metadata.version, "__wrapped__"):
            return
        real = metadata.version

        @functools.wraps(real)
        def version(distribution_name):
            if distribution_name == "torch" and self.is_user_file(sys._getframe(1).f_globals.get("__file__")):
                return _import_ours("torch", FRONT_ENDS["torch"]).__version__
            return real(distribution_name)

        metadata.version = version

    def install(self):
        """Put functions in the places of Python's own, which keep their names and signatures."""

        @functools.wraps(self.real)
        def __import__(name, globals=None, locals=None, fromlist=(), level=0):
            return self(name, globals, locals, fromlist, level)

        # importlib's functions, for the user's own files; what they give is nowhere registered under the name asked for.

        @functools.wraps(self.real_import_module)
        def import_module(name, package=None):
            if name.partition(".")[0] in FRONT_ENDS and self.is_user_file(sys._getframe(1).f_globals.get("__file__")):
                return _import_ours(name, module_for(name))
            return self.real_import_module(name, package)

        @functools.wraps(self.real_find_spec)
        def find_spec(name, package=None):
            if name.partition(".")[0] in FRONT_ENDS and self.is_user_file(sys._getframe(1).f_globals.get("__file__")):
                ours = self.real_find_spec(module_for(name))
                return ours and importlib.util.spec_from_loader(name, _Finder({name.partition(".")[0]}), is_package=True)
            return self.real_find_spec(name, package)

        builtins.__import__ = __import__
        importlib.import_module, importlib.util.find_spec = import_module, find_spec


def _try_submodule(name):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as e:
        if e.name != name:
            raise


def _check_has(module, item, asked):
    """Raises ImportError where the module has no such name, with what the module says about it."""
    try:
        getattr(module, item)
    except AttributeError as e:
        raise ImportError(f"cannot import name '{item}' from '{asked}': {e}", name=asked) from None


def _import_ours(asked, ours):
    try:
        if not ours.startswith("quern."):  # a part that stands elsewhere works with the front end around it
            importlib.import_module(FRONT_ENDS[asked.partition(".")[0]])
        return importlib.import_module(ours)
    except ModuleNotFoundError as e:
        is_plain = str(e).startswith("No module named")  # else it says already what to do
        if not is_plain or not (ours + ".").startswith(f"{e.name}."):  # something else that a part of ours needs
            raise
        package, _, part = asked.partition(".")
        instead = getattr(importlib.import_module(FRONT_ENDS[package]), "_INSTEAD", {}).get(part.partition(".")[0])
        said = f"quern does not support this module of {package}{'; ' + instead if instead else ''}"
        raise ModuleNotFoundError(f"No module named '{asked}': {said}", name=asked) from None


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Provides the names of packages that are not installed, also to importlib.import_module() and to installed packages."""

    def __init__(self, served):
        self.served = served

    def find_spec(self, name, path=None, target=None):
        ours = module_for(name)
        if ours is None or name.partition(".")[0] not in self.served or importlib.util.find_spec(ours) is None:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec):
        return importlib.import_module(module_for(spec.name))

    def exec_module(self, module):
        pass


_importer: _Importer | None = None


def lead_imports() -> _Importer:
    """Makes the imports of this process lead to the front ends; a second call does nothing. Returns who serves them."""
    global _importer
    if _importer is not None:
        return _importer
    if any(os.environ.get(name, "0") not in ("", "0") for name in ("NUMBA_ENABLE_CUDASIM", "NUMBA_DISABLE_CUDA")):
        os.environ.setdefault("QUERN_DEVICE", "cpu")  # before the first use of a device
    _importer = _Importer()
    _importer.install()
    use_when_imported()
    sys.meta_path.insert(0, _Finder({top for top in FRONT_ENDS if top not in _USERS_ALONE and importlib.util.find_spec(top) is None}))
    return _importer
