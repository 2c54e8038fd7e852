"""The examples say what is so: those in the documentation of array functions, and the array programs in examples/."""

import doctest
import importlib
import os

import pytest
import quern as qn
from array_examples import PROGRAMS
from programs import ROOT, quern
from quern import autograd

MODULES = """creation.grids data_types linalg.matrices logic manipulation.arranging manipulation.editing manipulation.padding
mathematics.rounding""".split()


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"quern.arrays.{name}")
    result = doctest.testmod(module, globs={})
    assert result.attempted and not result.failed


def is_ours(value):
    """Whether a public name's docstring is quern's: NumPy's are in quern.arrays.host, and of scalar types."""
    return (getattr(value, "__module__", None) or "").startswith("quern") and value.__module__ != "quern.arrays.host"


FUNCTIONS = {
    f"{module.__name__}.{name}": value
    for module in (qn, qn.fft, qn.linalg, qn.random, autograd)
    for name, value in vars(module).items()
    if callable(value) and is_ours(value) and ">>>" in (value.__doc__ or "")
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_public_names(name):
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest(FUNCTIONS[name].__doc__, {}, name, None, None)
    runner.run(test)
    assert test.examples and not runner.failures


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, device, tmp_path):
    arguments, expected = PROGRAMS[name]
    done = quern("run", os.path.join(ROOT, "examples", name), *arguments.split(), cwd=tmp_path, QUERN_DEVICE=device.name)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith(expected) for line in lines), done.stdout
    assert any(f"computed on {device.name}" in line for line in lines), done.stdout
    assert "Warning" not in done.stderr, done.stderr  # nothing of theirs runs through NumPy on the host
    for picture in tmp_path.glob("*.png"):
        assert picture.read_bytes()[:4] == b"\x89PNG"
