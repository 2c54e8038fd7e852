"""Which source files are the user's own: neither Python's, nor an installed package's, nor quern's."""

from __future__ import annotations

import functools
import glob
import os
import sys
import sysconfig

_QUERN = os.path.dirname(os.path.abspath(__file__)) + os.sep


@functools.lru_cache(maxsize=4)
def _package_folders(path):
    """The folders on Python's path that packages were installed to (`pip install --target`, other environments)."""
    installed = (folder for folder in path if folder and glob.glob(os.path.join(glob.escape(folder), "*.dist-info")))
    return frozenset(os.path.realpath(folder) + os.sep for folder in installed)


def library_folders():
    """How the names of files begin that are not the user's: in the folders of Python's own modules and of packages, and made text."""
    paths = sysconfig.get_paths()
    found = {os.path.realpath(paths[k]) + os.sep for k in ("stdlib", "platstdlib", "purelib", "platlib")}
    # The first entry of Python's path is the program's own folder.
    found |= _package_folders(tuple(sys.path[1:]))
    # Of Python's own modules, of what classes and modules make by exec(), and of a step of Keras's that quern.keras wrote down.
    made = {"<frozen", "<string>", "<recorded step>"}
    return sorted(found | made | {paths[k] + os.sep for k in ("stdlib", "platstdlib", "purelib", "platlib")})


def is_user_file(file):
    """Is a file the user's?"""
    return not (file.startswith(_QUERN) or file.startswith(tuple(library_folders())))
