"""Where C++ programs find quern: its headers, and what CMake's find_package(quern) reads."""

from __future__ import annotations

import os

from quern.lib import _engine

_LIBRARIES = os.path.dirname(os.path.abspath(_engine.__file__))


def get_include() -> str:
    """Return the folder of the C++ headers.

    Returns
    -------
    str
        Folder to add to the compiler's: with it, ``#include <quern/quern.h>`` works.

    Examples
    --------
    >>> import quern
    >>> folder = quern.get_include()  # doctest: +SKIP
    """
    installed = os.path.join(os.path.dirname(_LIBRARIES), "include")
    in_the_sources = os.path.abspath(os.path.join(_LIBRARIES, *[os.pardir] * 3, "engine", "include"))
    return _there("get_include", "the C++ headers", (installed, in_the_sources), "quern/quern.h")


def cmake_dir() -> str:
    """The folder of quernConfig.cmake, for `cmake -Dquern_DIR=...`."""
    return _there("cmake_dir", "the files for CMake", (os.path.join(_LIBRARIES, "cmake"),), "quernConfig.cmake")


def _there(name, what, folders, file):
    for folder in folders:
        if os.path.exists(os.path.join(folder, file)):
            return folder
    raise FileNotFoundError(f"[{name}] {what} are missing from {folders[0]}; install quern again, or build the clone again")
