"""Examples in docstrings run as printed, in an empty namespace.

Covered are the docstrings of all public modules of quern and of its front ends, of the functions and classes in them, and of the methods of
these classes. Left out: docstrings that are NumPy's (of functions that NumPy computes), those of Python and of other packages, and the
modules of PRIVATE.
"""

import doctest
import functools
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import sys

import pytest
import quern
from programs import code
from quern.kernel.intrinsics import Intrinsic, Memory
from test_faces_examples import Checker

# NumPy's own docstrings, whose examples are written for NumPy's prompt.
NUMPYS = {"frombuffer", "save", "tril_indices", "triu_indices", "LinAlgError", "DataSource"}
OF_NUMPY = re.compile("computed on the host|NumPy computes it on the host")  # functions that are passed on to it, whose docstring follows
# Modules that users do not import: the implementations of arrays, of keras.ops (whose docstrings are Keras's) and of the tools.
PRIVATE = re.compile(r"quern\.(lib|arrays|kernel|keras\.backend|tools\.(?!trace$)\w+|pycuda\.gl$)|.*\._|.*\.__main__")
OURS = ("quern", "cupy", "cupyx", "numba", "pycuda", "torch", "tensorflow")


def is_ours(value):
    """Whether a class or function is quern's; a method of a class of NumPy's is none."""
    home = getattr(value, "__objclass__", value)
    return (getattr(home, "__module__", None) or "quern").startswith(OURS)


def public_modules(folder, package):
    """The names of modules, none of which is imported: quern.tensorflow changes what Keras's tensors are."""
    found = [] if PRIVATE.match(package) else [package]
    for module in pkgutil.iter_modules([folder], f"{package}."):
        inner = os.path.join(folder, module.name.rpartition(".")[2])
        found += public_modules(inner, module.name) if module.ispkg else [module.name] if not PRIVATE.match(module.name) else []
    return found


def public_values(module):
    """(name, value) of a module, and of its functions, classes, methods and properties."""
    yield module.__name__, module
    loaded_later = {name: getattr(module, name) for name in vars(module).get("_LATER", ())}
    for name, value in {**vars(module), **loaded_later}.items():
        if name.startswith("_") or name in NUMPYS or inspect.ismodule(value) or not callable(value) or not is_ours(value):
            continue
        yield name, value
        if isinstance(value, Memory):  # cuda.shared, whose functions are its attributes
            yield from ((f"{name}.{one}", function) for one, function in vars(value).items() if isinstance(function, Intrinsic))
        for method in dir(value) if inspect.isclass(value) else ():
            found = inspect.getattr_static(value, method)
            is_property = isinstance(found, (property, functools.cached_property))
            found = found if is_property else getattr(value, method, None)
            if not method.startswith("_") and (is_property or callable(found)) and is_ours(found):
                yield f"{name}.{method}", found


@functools.cache
def failures(text):
    """What an example prints that it should not."""
    found = []
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, "example", None, None)
    doctest.DocTestRunner(Checker()).run(test, out=found.append)
    return "".join(found)


def wrong_examples(module):
    """What the examples of a module print that they should not."""
    docs = {name: getattr(value, "__doc__", None) for name, value in public_values(importlib.import_module(module))}
    docs = {name: doc for name, doc in docs.items() if isinstance(doc, str) and ">>>" in doc and not OF_NUMPY.search(doc)}
    if importlib.util.find_spec("IPython") is None:
        docs = {name: doc for name, doc in docs.items() if "IPython" not in doc}
    wrong = {name: failures(doc) for name, doc in docs.items()}
    return "\n".join(f"{name}: {text}" for name, text in wrong.items() if text)


@pytest.mark.filterwarnings("ignore")  # examples of NumPy leave files open and make matrices, of which NumPy warns
@pytest.mark.parametrize("module", public_modules(os.path.dirname(quern.__file__), "quern"))
def test_examples_run_as_printed(module, tmp_path, monkeypatch):
    if "keras" in module or "tensorflow" in module:
        pytest.importorskip("quern.keras")
    monkeypatch.chdir(tmp_path)
    if "tensorflow" in module:
        found = f"import test_public_examples as t; print(t.wrong_examples({module!r}))"
        done = code(f"import sys; sys.path[:0] = {sys.path}; import quern.keras; {found}")
        assert done.returncode == 0 and not done.stdout.strip(), done.stdout + done.stderr
    else:
        assert not wrong_examples(module)


@pytest.mark.parametrize(
    "path", "cuda.grid cupy.abs cupy.asnumpy torch.cdist torch.save torch.load torch.gather torch.no_grad torch.nn.Linear".split()
)
def test_common_functions_have_examples(path):
    importlib.import_module(f"quern.{path.partition('.')[0]}")
    value = functools.reduce(getattr, path.split("."), importlib.import_module("quern"))
    assert ">>>" in value.__doc__
