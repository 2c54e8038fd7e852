#!/usr/bin/env python3
"""Write type stubs of quern and its front ends, from the modules themselves: tools/stubs.py FOLDER [--lib FOLDER]

FOLDER gets quern/, the stubs of the package, and cupy/, cupyx/, numba/, pycuda/ and torch/: the same modules by the names that programs
under `quern run` import. --lib: the folder of the compiled engine, where it is not python/quern/lib.
docs/decisions/0016 says where the stubs lie and why. Start reading at main().
"""

import argparse
import pathlib
import sys
import types
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent


def use_engine(folder):
    """Let `import quern.lib` find a folder outside the package."""
    package = types.ModuleType("quern.lib")
    package.__path__ = [str(pathlib.Path(folder).resolve())]
    sys.modules["quern.lib"] = package


def write(folder, texts):
    """Write the files that changed, by their paths in the folder, and remove stubs that are not among them."""
    for path, text in texts.items():
        to = folder / path
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists() or to.read_text() != text:
            to.write_text(text)
    for path in folder.rglob("*.pyi"):
        if path.relative_to(folder) not in texts:
            path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--lib")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "python"))
    if options.lib:
        use_engine(options.lib)
    warnings.simplefilter("ignore")  # of old names, which are read here as all others are
    from stubs import writer

    write(options.folder, writer.texts())


if __name__ == "__main__":
    main()
