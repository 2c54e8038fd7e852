"""What a profile counts must not depend on how soon a kernel is compiled: groups wait for theirs, here and in programs that tests start."""

import pytest


@pytest.fixture(autouse=True)
def fused_programs(monkeypatch, fused):
    monkeypatch.setenv("QUERN_TIERED", "0")
