"""Where the tests find things: the clone, the package they import, their own data."""

import os
import pathlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parents[1]
DATA = TESTS / "data"
PACKAGE = os.environ.get("QUERN_PACKAGE") or str(ROOT / "python")  # tools/sanitize.py has one of its own
