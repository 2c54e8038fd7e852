"""The examples say what is so: those in the documentation of array functions, and the array programs in examples/."""

import doctest
import importlib
import os

import pytest
import quern as qn
from array_examples import PROGRAMS
from programs import ROOT, quern
from quern.lib import _engine

MODULES = """creation.grids data_types linalg.matrices logic manipulation.arranging manipulation.editing manipulation.padding
mathematics.rounding""".split()


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"quern.arrays.{name}")
    names = {key: getattr(qn, key) for key in qn.__all__} | vars(module)
    result = doctest.testmod(module, globs=names)
    assert result.attempted and not result.failed


FACES = {
    f"{module.__name__}.{name}": (value, vars(module))
    for module in (qn, qn.fft)
    for name, value in vars(module).items()
    if isinstance(value, _engine.array_function) and ">>>" in value.__doc__
}


@pytest.mark.parametrize("name", FACES)
def test_examples_of_faces(name):
    function, names = FACES[name]
    runner = doctest.DocTestRunner()
    for one in doctest.DocTestFinder().find(function, name, module=False, globs=dict(names)):
        runner.run(one)
    assert runner.summarize().attempted and not runner.failures


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
