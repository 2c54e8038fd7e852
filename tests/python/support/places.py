"""Where the tests find things: the clone, the package they import, their own data."""

import importlib.util
import os
import pathlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parents[1]
DATA = TESTS / "data"


def _package():
    """The folder with the package: the clone's, or an installed one where the clone is not built."""
    here = ROOT / "python"
    found = None if (here / "quern" / "lib").is_dir() else importlib.util.find_spec("quern")
    return str(pathlib.Path(found.origin).parents[1] if found else here)


PACKAGE = os.environ.get("QUERN_PACKAGE") or _package()  # tools/sanitize.py has one of its own
