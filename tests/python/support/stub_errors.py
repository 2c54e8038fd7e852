"""What mypy's stubtest finds wrong in stubs: stub_errors.py FOLDER (as tools/stubs.py wrote it). One line each; the last: N errors in N modules.

A process of its own: it imports every module, and mypy keeps its state in variables of modules.
"""

import importlib
import pathlib
import sys
import types
import warnings

from mypy import stubtest
from mypy.options import Options

# What is right as it is. mypy before 1.16 does not know the mark; the second is no identifier: getattr() alone finds it.
NOT_WRONG = ("@disjoint_base", "array3d_flags.2DARRAY")


def modules_of(folder):
    """The names of the modules that have stubs."""
    paths = (path.relative_to(folder).with_suffix("") for path in folder.glob("quern/**/*.pyi"))
    return sorted(".".join(path.parts).removesuffix(".__init__") for path in paths)


def options(folder):
    """mypy's, without NumPy's stubs, which take longer than all else: NumPy's types count as Any."""
    made = Options()
    made.incremental, made.mypy_path = False, [str(folder)]
    made.per_module_options = {name: {"follow_imports": "skip", "follow_imports_for_stubs": True} for name in ("numpy", "numpy.*")}
    return made


def main():
    warnings.simplefilter("ignore")
    folder = pathlib.Path(sys.argv[1])
    names, count = modules_of(folder), 0
    stubtest.build_stubs(names, options(folder))
    # Settings such as torch.backends.cudnn are imported as modules are and are none.
    real = [name for name in names if isinstance(importlib.import_module(name), types.ModuleType)]
    for name in real:
        for error in stubtest.test_module(name):
            text = error.get_description(concise=True)
            if not any(part in text for part in NOT_WRONG):
                print(text)
                count += 1
    print(f"{count} errors in {len(real)} modules")
    return count > 0


if __name__ == "__main__":
    sys.exit(main())
