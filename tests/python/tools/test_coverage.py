"""docs/coverage.md is what tools/coverage.py writes."""

import importlib.util
import os
import re

import numpy as np
import pytest
from places import ROOT


def tool():
    spec = importlib.util.spec_from_file_location("coverage_tool", os.path.join(ROOT, "tools", "coverage.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date():
    with open(os.path.join(ROOT, "docs", "coverage.md")) as file:
        written = file.read()
    version = re.search(r"from NumPy (\S+);", written)[1]
    if version != np.__version__:
        pytest.skip(f"the page is of NumPy {version}, installed is {np.__version__}")
    assert written == tool().page(), "run tools/coverage.py"


def test_states():
    state = tool().state
    assert state("add") == "native"
    assert state("linalg.norm") == "native"
    assert state("roots") == "host"
    assert state("random.vonmises") == "native"
    assert state("nothing") == "missing"


def test_the_array_api_is_complete():
    """No name of the standard is missing, native or not."""
    coverage = tool()
    missing = {n for names in coverage.ARRAY_API.values() for n in names.split() if coverage.state(n) == "missing"}
    assert missing <= {"from_dlpack", "ndarray.__dlpack__", "ndarray.__dlpack_device__"}
