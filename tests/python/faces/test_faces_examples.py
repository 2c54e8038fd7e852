"""Every row of bindings/faces/*.pyi has examples, and each front end that shows one runs it."""

import ast
import doctest
import functools
import importlib
import math
import pathlib
import re
import sys

import pytest
import quern as qn
import quern.cupy
import quern.torch  # noqa: F401
from places import ROOT

ROWS = [
    pytest.param(row, id=f"{path.stem}-{row.name}")
    for path in sorted(pathlib.Path(ROOT, "bindings", "faces").glob("*.pyi"))
    for row in ast.parse(path.read_text()).body
    if isinstance(row, ast.ClassDef)
]
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]\d+)?")


class Checker(doctest.OutputChecker):
    """Accepts other last digits of numbers: GPUs compute some functions with other roundings than the CPU."""

    def check_output(self, want, got, flags):
        if super().check_output(want, got, flags):
            return True
        texts = [re.sub(r"#\s+(?=[],])", "#", " ".join(NUMBER.sub("#", text).split())) for text in (want, got)]  # NumPy pads numbers
        numbers = zip(NUMBER.findall(want), NUMBER.findall(got), strict=False)
        return texts[0] == texts[1] and all(math.isclose(float(a), float(b), rel_tol=2e-4, abs_tol=1e-6) for a, b in numbers)


def failures(row, faces):
    """What the examples of a row print that they should not, by front end; None for a row without examples."""
    found, keys = None, faces.faces_of(row)
    for front_end in dict.fromkeys(front_end for front_end, *_ in keys):
        text = faces.examples_of(row, front_end)
        if text.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(text, {}, f"{row.name} of {front_end}", None, None)
            found = found or []
            doctest.DocTestRunner(Checker()).run(test, out=found.append)
    return found


@pytest.fixture
def faces(monkeypatch):
    """tools/faces.py; examples import Keras as programs under quern do."""
    monkeypatch.setitem(sys.modules, "keras", pytest.importorskip("quern.keras"))
    monkeypatch.syspath_prepend(str(pathlib.Path(ROOT, "tools")))
    return importlib.import_module("faces")


@pytest.mark.parametrize("row", ROWS)
def test_examples(row, faces, device):
    found = failures(row, faces)
    assert found is not None, f"{row.name} has no example"
    assert not found, "".join(found)


def test_functions_that_other_docstrings_name(faces):
    """Each has an example, and a front end without an example of its own names one."""
    for row in (row.values[0] for row in ROWS):
        for front_end, *_ in faces.faces_of(row):
            text = faces.examples_of(row, front_end)
            if not text.startswith(">>>"):
                name = text.removeprefix(faces.docstrings.SEE).strip("`.")
                value = functools.reduce(getattr, name.split(".")[1:], qn)  # quern.torch and quern.cupy are imported
                assert ">>>" in value.__doc__, f"{row.name} of {front_end}: {text}"


def test_a_row_without_examples_fails(faces):
    row = ast.parse('class exp:\n    """Return e to the power of each element."""\n    def torch(input: array): ...').body[0]
    assert failures(row, faces) is None


def test_a_wrong_example_fails(faces):
    row = ast.parse('class add:\n    """Add.\n\n    >>> add(1, 2)\n    array(4)\n    """\n    def numpy(x1, x2): ...').body[0]
    assert "array(3)" in "".join(failures(row, faces))


def test_each_face_says_what_it_returns(faces):
    """Docstrings with a general sentence in place of a result's shape and dtype, or with a parameter without a description."""
    data, table = faces.Data(), faces.rows()
    for row in (row.values[0] for row in ROWS):
        data.add(row, *table[row.name])
    texts = "\n".join(map(data.face, data.faces))
    assert "as described above" not in texts
    assert not re.findall(r"^.* : .*\\n\"\n *\"(?! {4}).*", texts, re.MULTILINE)


def test_spellings(faces):
    """A front end shows its own examples with the import that they need, and otherwise names a function that has one."""
    text = '"""Add.\n\n    >>> add(1, 2)\n    array(3)\n\n    >>> torch.add(1, 2)\n    tensor(3)\n    """'
    row = ast.parse(f"class add:\n    {text}\n    def numpy(x1, x2): ...\n    def torch(input, other): ...\n    def keras(x1, x2): ...").body[0]
    assert faces.examples_of(row, "numpy") == ">>> import quern as qn\n>>> qn.add(1, 2)\narray(3)"
    assert faces.examples_of(row, "torch") == faces.examples_of(row, "Tensor") == ">>> from quern import torch\n>>> torch.add(1, 2)\ntensor(3)"
    assert faces.examples_of(row, "keras") == "See the example of ``quern.add``."
