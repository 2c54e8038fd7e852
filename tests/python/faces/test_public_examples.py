"""Examples in docstrings of public names run as printed, in a namespace without anything."""

import doctest
import functools
import importlib
import inspect
import re

import pytest
from test_faces_examples import Checker

MODULES = """quern quern.linalg quern.fft quern.random quern.cupy quern.cupy.linalg quern.cupy.fft quern.cupy.random quern.torch
quern.torch.nn quern.torch.nn.functional quern.torch.nn.utils quern.torch.optim quern.torch.utils.data quern.torch.linalg quern.torch.fft
quern.torch.special quern.torch.autograd quern.torch.autograd.functional quern.cuda""".split()
# NumPy's own docstrings: names of its types and functions that quern passes on, whose examples are written for NumPy's prompt.
NUMPYS = {"frombuffer", "save", "tril_indices", "triu_indices", "LinAlgError", "DataSource"}

OF_NUMPY = re.compile("computed on the host|NumPy computes it on the host")  # functions that are passed on to it, whose docstring follows


def is_numpys(value):
    return (getattr(value, "__module__", None) or "").startswith(("numpy", "ml_dtypes"))


def public_values(module):
    """(name, value) of the functions, classes and methods of a module."""
    for name in dir(module):
        value = getattr(module, name, None)
        if name.startswith("_") or name in NUMPYS or inspect.ismodule(value) or not callable(value) or is_numpys(value):
            continue
        yield name, value
        for method in dir(value) if inspect.isclass(value) else ():
            if not method.startswith("_") and callable(found := getattr(value, method, None)):
                yield f"{name}.{method}", found


@functools.cache
def failures(text):
    """What an example prints that it should not."""
    found = []
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, "example", None, None)
    doctest.DocTestRunner(Checker()).run(test, out=found.append)
    return "".join(found)


@pytest.mark.filterwarnings("ignore")  # examples of NumPy leave files open and make matrices, of which NumPy warns
@pytest.mark.parametrize("module", MODULES)
def test_examples_run_as_printed(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    docs = {name: getattr(value, "__doc__", None) for name, value in public_values(importlib.import_module(module))}
    wrong = {name: failures(doc) for name, doc in docs.items() if isinstance(doc, str) and ">>>" in doc and not OF_NUMPY.search(doc)}
    assert not any(wrong.values()), "\n".join(f"{name}: {text}" for name, text in wrong.items() if text)


@pytest.mark.parametrize(
    "path", "cuda.grid cupy.abs cupy.asnumpy torch.cdist torch.save torch.load torch.gather torch.no_grad torch.nn.Linear".split()
)
def test_common_functions_have_examples(path):
    importlib.import_module(f"quern.{path.partition('.')[0]}")
    value = functools.reduce(getattr, path.split("."), importlib.import_module("quern"))
    assert ">>>" in value.__doc__
