"""Docstrings name the exception types that wrong calls raise, in each front end: a call for each kind of error that a section lists."""

import importlib
import inspect
import pathlib
import re
import sys

import pytest
from places import ROOT

NUMPY = """
delete(i, 7)  delete(i, b)  insert(i, 9, 1)  clip(x, 1)  clip(x, 1, 2, min=1)  place(x, b, [1])  putmask(x, b, 1)  pad(v, 1, mode="no")  pad(v, 1.5)
nanmean(x, dtype=int)  nanvar(x, dtype=int)  isposinf(c)  isneginf(c)  finfo(int)  diff(x, -1)  diff(x, axis=5)  repeat(x, -1)  repeat(x, v)
cumsum(x, 0, out=v)  cumsum(x, 5)  sum(x, 0, out=x)  sum(x, 5)  sum(x, where=[b, b])  geomspace(0, 1)  sort(x, kind="no")  sort(x, 5)
meshgrid(v, indexing="no")  isin(v, v, kind="no")  searchsorted(v, v, side="no")  searchsorted(x, v)  trim_zeros(v, "no")  diag_indices_from(x)
gradient(v[:1])  gradient(x, 1.0, 1.0, 1.0)  rot90(x, 1, (0, 0))  rot90(x, 1, (0, 5))  tensordot(x, x, 1)  take_along_axis(x, i, 0)
take_along_axis(x, x, 0)  vdot(v, v[1:])  histogram(v, asarray([1, 3, 2]))  histogram(v, range=(2, 1))  histogram(v, 0)  digitize(c, v)
digitize(v, asarray([1, 3, 2]))  block([])  block((v,))  diagonal(v)  diagonal(x, 0, 0, 0)  diagonal(x, 0, 0, 5)  fill_diagonal(v, 1)
matrix_transpose(v)  select([b], [v, v])  select([v], [v])  full(-1, 1)  resize(x, (-1,))  array_split(v, 0)  argmax(e)  argmax(x, 1, out=i)
argmin(e)  nanmax(e)  ptp(e)  ptp(b)  where(b, v)  cross(v, ones(4))  partition(v, 9)  partition(v, 1.5)  argpartition(v, 9)  interp(v, [], [])
interp(v, v, v, period=0)  isclose(v, v[1:])  column_stack([v, v[1:]])  hstack([x, x.T])  concatenate([x, v])
concatenate([x, x], dtype=int, casting="safe")  dot(v, v[1:])  dot(v, v, out=v)  inner(v, v[1:])  einsum("ij,jk", x, x)  convolve(x, v)
tril_indices_from(v)  trace(v)  var(x, ddof=1, correction=1)  split(v, 2)  nanargmax(v * nan)  amax(e)  max(e)  broadcast_arrays(v, v[1:])
average(x, weights=v)  average(x, weights=v[1:], axis=1)  asarray([1], copy=False)  asarray("text")  compress(x, v)  bincount(-i)  bincount(v)
quantile(v, 2.0)  quantile(c, 0.5)  round(x, out=i)  lexsort(())  ediff1d(i, to_end=c)  unique(x, axis=5)  size(x, 5)
linalg.solve(x, v)  linalg.solve(s, v)  linalg.eig(x)  linalg.cholesky(x)  linalg.det(x)  linalg.inv(x)  linalg.lstsq(x, v)  linalg.qr(s, mode="no")
linalg.tensorsolve(x, v)  linalg.matrix_power(s, 1.5)  linalg.tensorinv(s, 0)  linalg.norm(x, "no")  linalg.multi_dot([s])  linalg.outer(x, x)
linalg.cross(v, ones(4))  linalg.pinv(s, 1.0, rtol=1.0)  fft.fft(v, 0)  fft.fft(v, norm="no")  fft.fft(v, axis=5)  fft.rfft(c)  fft.ihfft(c)
fft.fftfreq(1.5)  random.normal(0, -1)  random.uniform(0, inf)  random.vonmises(0, -1)  random.multinomial(-1, [0.5, 0.5])  random.poisson(-1)
random.standard_gamma(-1)  random.exponential(-1)  random.gamma(-1)  random.hypergeometric(-1, 1, 1)  random.randint(5, 5)  random.binomial(1, 2.0)
random.logseries(1.5)  random.zipf(1.0)  random.dirichlet([-1.0, 1.0])  random.dirichlet(1.0)  random.chisquare(0)  random.beta(0, 1)
random.wald(0, 1)  random.noncentral_chisquare(0, 1)  random.noncentral_f(0, 1, 1)  random.triangular(1, 0, 2)
random.multivariate_normal([0, 0], [[1]])  random.choice(3, 5, False)
"""
TORCH = """
linspace(0, 1, -1)  where(b, ones(2, dtype=int32), 2**40)
asarray("text")  asarray([1], copy=False)  asarray([print])  as_tensor("text")  as_tensor([print])  full((-1,), 1)  meshgrid(v, indexing="no")
max(e)  max(e, 0)  amax(e)  amax(e, 0)  imag(x)  round(x, out=i)  isclose(v, v[1:])  isposinf(c)  isneginf(c)  det(x)  inverse(s)  cholesky(-s)
dot(v, v[1:])  vdot(v, v[1:])  inner(v, v[1:])  einsum("ij,jk", x, x)  diagonal(v)  diagonal(x, 0, 0, 0)  diagonal(x, 0, 0, 5)  cumsum(x, 5)
argmax(e)  argmin(e)  sum(x, 5)  rot90(x, 1, (0, 0))  rot90(x, 1, (0, 5))  broadcast_tensors(v, v[1:])  cat([x, v])  concat([x, v])
concatenate([x, v])  hstack([x, x.T])  column_stack([v, v[1:]])  tensor_split(v, 0)  diff(x, -1)  diff(x, 1, 5)  gradient(v[:1])
gradient(x, spacing=[1.0, 1.0, 1.0])  nanmean(x, dtype=int32)  from_numpy([1])  linalg.det(x)  linalg.qr(s, mode="no")
linalg.eig(x)  linalg.pinv(s, rcond=1.0, rtol=1.0)  linalg.multi_dot([s])  linalg.inv(s)  linalg.cholesky(-s)  linalg.solve(s, v[:2])
linalg.lu_factor(s * 0)  linalg.diagonal(v)  fft.fft(v, 0)  fft.fft(v, norm="no")  fft.fft(v, dim=5)  fft.rfft(c)  fft.ihfft(c)  fft.fftfreq(1.5)
"""
# Sections that are not about arguments: a file's format, memory that would have to move.
WITHOUT_CALL = {"load", "lu_factor"}
FRONT_ENDS = {"quern": NUMPY, "quern.cupy": NUMPY, "quern.torch": TORCH}


def calls(text):
    return re.findall(r"\S.*?\)(?=  |\n)", text)


def raised_types(function):
    """The exception types in a docstring's Raises section."""
    section = re.search(r"^Raises\n-+\n(.*?)(?=\n\n|\Z)", inspect.cleandoc(function.__doc__ or ""), re.MULTILINE | re.DOTALL)
    return set(re.findall(r"^(?:\w+\.)*(\w+)$", section[1], re.MULTILINE)) if section else set()


def operands(module):
    """What the calls above name: a matrix, vectors, a square matrix, complex numbers, bools, integers, an empty array."""
    new = getattr(module, "tensor", module.asarray)
    values = {"x": [[1.0] * 3] * 2, "v": [1.0] * 3, "s": [[1.0] * 2] * 2, "c": [1j, 2], "b": [True, False], "i": [1, 2, 3]}
    others = {name: getattr(module, name) for name in ("asarray", "ones", "int32", "inf", "nan")}
    return others | {name: new(value) for name, value in values.items()} | {"e": module.ones((0, 3)), "module": module}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_sections_name_what_is_raised(front_end):
    module, wrong = importlib.import_module(front_end), []
    names = operands(module)
    for call in calls(FRONT_ENDS[front_end]):
        try:
            types = raised_types(eval(f"module.{call.partition('(')[0]}", names))  # noqa: S307
        except AttributeError:  # the front end has no such function
            continue
        error = None
        try:
            eval(f"module.{call}", names)  # noqa: S307
        except Exception as e:  # noqa: BLE001
            error = e
        raised = {kind.__name__.lstrip("_") for kind in type(error).__mro__} if error else {"no error"}
        if types and not raised & types:
            wrong.append(f"{call} raises {type(error).__name__}, the docstring names {', '.join(types)}")
    assert wrong == []


def functions(module):
    return {name: value for name, value in vars(module).items() if name[0] != "_" and callable(value) and not inspect.isclass(value)}


def test_no_type_of_numpys_in_torch(monkeypatch):
    """Rows name NumPy's exception types, which tools/docstrings.py translates; those that stay are called above."""
    monkeypatch.setattr(sys, "path", [str(pathlib.Path(ROOT, "tools")), *sys.path])
    translated, called = importlib.import_module("docstrings").TORCHS_ERRORS, {call.partition("(")[0].rpartition(".")[2] for call in calls(TORCH)}
    torch = importlib.import_module("quern.torch")
    for name in ("", "linalg.", "fft.", "special.", "nn.functional."):
        for function, value in functions(importlib.import_module(f"quern.torch.{name}".rstrip("."))).items():
            types = raised_types(value)
            assert not types or function in called | WITHOUT_CALL, f"no call of {name}{function} above"
            assert not types & translated.keys() or function in called, f"{name}{function}: {types}"
    for method in dir(torch.Tensor):
        types = raised_types(getattr(torch.Tensor, method))
        assert not types & translated.keys() or method in called, f"Tensor.{method}: {types}"
