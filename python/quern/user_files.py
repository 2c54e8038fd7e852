"""Which source files are the user's own: neither Python's, nor an installed package's, nor quern's; warnings at the user's line."""

from __future__ import annotations

import functools
import glob
import os
import sys
import sysconfig
import warnings

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


_NO_CALLERS = frozenset(("quern", "numpy", "keras"))  # packages whose lines say nothing to the user


def warn_user(text, category=UserWarning):
    """Warn at the line that called quern: the innermost one outside of quern, NumPy and Keras."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_within(frame):
        frame = frame.f_back
    module = frame.f_globals.get("__name__") or "<unknown>"
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno, module, registry)


def _is_within(frame):
    package = (frame.f_globals.get("__name__") or "").partition(".")[0]
    return package in _NO_CALLERS or frame.f_code.co_filename.startswith(_QUERN)
