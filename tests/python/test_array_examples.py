"""The examples say what is so: those in the documentation of array functions, and the array programs in examples/."""

import doctest
import importlib
import os

import pytest
import quern as qn
from programs import ROOT, quern
from quern.lib import _engine

MODULES = """creation.grids data_types linalg.matrices logic manipulation.arranging manipulation.editing manipulation.padding
mathematics.rounding""".split()

# Each program compares itself with NumPy: its arguments for a small run, and what a line of its output begins with.
PROGRAMS = {
    "attention.py": ("--batch 1 --tokens 48 --width 64 --heads 4", "6 matrix products, "),
    "black_scholes.py": ("--options 5000", "call and put differ from their parity by at most "),
    "conjugate_gradient.py": ("--size 31 --every 5", "the loop: "),
    "gray_scott.py": ("--size 48 --steps 60", "wrote gray_scott.png"),
    "heat_2d.py": ("--size 40 --steps 60 --out plate.png", "wrote plate.png"),
    "image_filters.py": ("--sigma 1 --threshold 0.5", "the chain: "),
    "k_means.py": ("--points 2000 --clusters 4", "largest difference of a centre "),
    "logistic_regression_qn.py": ("--points 1000", "the gradient differs from its formula by at most "),
    "n_body.py": ("--bodies 60 --steps 20", "the energy was "),
    "rk4.py": ("64", "200 steps without a look: "),
}


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
