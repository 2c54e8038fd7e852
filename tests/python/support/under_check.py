"""A plug-in of pytest's (`-p under_check`): each test runs under `qn.check()` on the CPU, and fails when something is found."""

import os

import pytest
import quern as qn

os.environ["QUERN_DEVICE"] = "cpu"


@pytest.fixture(autouse=True)
def under_check():
    with qn.check() as report:
        yield
    assert not len(report), f"{report}"
