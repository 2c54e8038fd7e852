"""Functions that are faces of the engine's table: how they take arguments, and that they are functions like others."""

import copy
import functools
import importlib
import inspect
import pickle
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest
import quern as qn
import quern.torch as torch
from places import ROOT

REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "amax", "amin", "ptp", "count_nonzero")
WITHOUT_NAN = ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nancumsum", "nancumprod")


@pytest.mark.parametrize("name", REDUCTIONS + WITHOUT_NAN + ("cumsum", "cumprod"))
def test_function_objects(name):
    function = getattr(qn, name)
    assert function.__name__ == function.__qualname__ == name and function.__module__ == "quern" and function.__doc__
    ours, numpys = (inspect.signature(xp_function).parameters.values() for xp_function in (function, getattr(np, name)))
    assert callable(function) and [(p.name, p.kind) for p in ours] == [(p.name, p.kind) for p in numpys]
    assert pickle.loads(pickle.dumps(function)) is function is copy.deepcopy(function) is copy.copy(function)
    assert weakref.ref(function)() is function
    wrapped = functools.wraps(function)(lambda *args: function(*args))
    assert wrapped.__name__ == name and wrapped(qn.ones(3)).shape == getattr(np, name)(np.ones(3)).shape
    function.note = "an attribute of the user's"
    assert function.note and repr(function).startswith("<function ")
    del function.note


MODULES = """quern quern.linalg quern.fft quern.random quern.array_api quern.cupy quern.cupy.linalg quern.cupy.fft quern.cupy.random
quern.cupy.testing quern.cupy.cuda quern.cupy.cuda.runtime quern.cupyx quern.torch quern.torch.nn.functional quern.torch.nn.init
quern.torch.linalg quern.torch.fft quern.torch.special quern.torch.random quern.torch.cuda quern.torch.autograd quern.numba quern.cuda
quern.pycuda.driver quern.pycuda.gpuarray quern.pycuda.cumath quern.pycuda.tools""".split()


@pytest.mark.parametrize("module", MODULES)
def test_public_functions_are_found_by_their_name(module):
    """By pickle, and by who asks for a name, a module and a signature: each function that a module shows is at home somewhere public."""
    shown = importlib.import_module(module)
    for name in ("unwrap", "nanmax", "roots", "lstsq", "tensorinv", "piecewise"):  # made when they are asked for, some on the host
        getattr(shown, name, None)
    functions = {name: getattr(shown, name) for name in dir(shown) if name[0] != "_"}
    functions = {name: f for name, f in functions.items() if type(f).__name__ in ("function", "array_function")}
    assert functions and [name for name, f in functions.items() if not _same_after_pickle(f)] == []
    for name, function in functions.items():
        assert function.__qualname__.rpartition(".")[2] and "<locals>" not in function.__qualname__, name
        if not inspect.isbuiltin(inspect.unwrap(function)):  # NumPy's in C, which have none
            assert inspect.signature(function) is not None, name


def _same_after_pickle(function):
    try:
        return pickle.loads(pickle.dumps(function)) is function
    except (pickle.PicklingError, AttributeError):
        return False


def test_methods_are_the_functions():
    x = qn.arange(6.0).reshape(2, 3)
    bound = x.sum
    assert bound() == 15 and bound.__self__ is x and bound.__func__ is qn.sum
    assert qn.Array.sum(x, 0).tolist() == [3, 5, 7] == list(map(qn.Array.sum, x.T))
    assert torch.Tensor.sum(torch.ones(2, 3), 1).tolist() == torch.ones(2, 3).sum(1).tolist() == [3, 3]

    class Mine(qn.Array):
        pass

    assert Mine.mean is qn.mean


CALLS = [
    ("sum", (1,), {}),
    ("sum", (), {"axis": (0, 1)}),
    ("sum", (-1, "float32"), {"keepdims": True}),
    ("sum", (), {"dtype": np.int16, "initial": 3}),
    ("prod", (None, int), {}),
    ("max", (0,), {"initial": 4.5}),
    ("min", (), {"axis": 1, "where": np.array([[True], [False]]), "initial": 9}),
    ("ptp", (0,), {"keepdims": True}),
    ("count_nonzero", ((0, 1),), {}),
    ("count_nonzero", (), {"axis": 1, "keepdims": True}),
    ("any", (0,), {"keepdims": 1}),
    ("all", (), {"axis": ()}),
    ("mean", ((0, 1), np.float32), {}),
    ("var", (0,), {"ddof": 1}),
    ("var", (), {"axis": 1, "correction": 1, "mean": np.array([[1.0], [4.0]])}),
    ("std", (1, None, None, 1, True), {}),
    ("std", (), {"ddof": 0, "correction": 1}),
    ("cumsum", (), {}),
    ("cumsum", (0,), {"dtype": np.int16}),
    ("cumprod", (-1, "float32"), {}),
    ("argmax", (1,), {"keepdims": True}),
    ("argmin", (), {}),
    ("nansum", (0,), {"initial": 4.5, "where": np.array([True, False, True])}),
    ("nanmax", (), {"axis": 1, "where": np.array([[True], [False]]), "initial": 9}),
    ("nanmean", (0, np.float32), {"where": np.array([[True], [False]])}),
    ("nanmean", (), {"dtype": int}),
    ("nanvar", (1,), {"ddof": 2}),
    ("nanstd", (), {"axis": (0, 1), "correction": 1}),
    ("nancumsum", (1,), {}),
]


@pytest.mark.parametrize("dtype", ["float64", "int32", "bool", "complex64"])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_calls_are_numpys(call, dtype):
    name, args, kwargs = call
    host = np.arange(6).reshape(2, 3).astype(dtype)
    wanted = outcome(lambda: getattr(np, name)(host, *args, **kwargs))
    assert outcome(lambda: getattr(qn, name)(qn.asarray(host), *args, **kwargs)) == wanted
    if hasattr(np.ndarray, name):
        assert outcome(lambda: getattr(qn.asarray(host), name)(*args, **kwargs)) == wanted


def outcome(call):
    """The values to six digits, dtype and shape of a call's result, or the type of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)  # NumPy's, of sums that lose the imaginary part
            result = np.asarray(call())
    except Exception as error:
        return type(error)
    return np.round(result.astype(complex), 5).tolist(), result.dtype, result.shape


WRONG = [
    ((), {}),
    ((1, 2, 3, 4, 5, 6, 7, 8, 9), {}),
    (("x",), {"axes": 1}),
    (("x", 0), {"axis": 1}),
    (("x", 1.0), {}),
    (("x", True), {}),
    (("x", [0, 1]), {}),
    (("x", 5), {}),
    (("x", (0, 0)), {}),
    (("x", (0, -2)), {}),
    (("x", 10**30), {}),
    (("x",), {"where": [1, 2]}),
    (("x",), {"where": np.ones((4, 2, 3), bool)}),
    (("x",), {"where": np.ones(3, int)}),
    (("x",), {"out": 3}),
    (("x", 0), {"out": np.zeros(7)}),
    (("x", 0), {"dtype": "no such"}),
]


@pytest.mark.parametrize("name", ["sum", "max", "mean", "any"])
@pytest.mark.parametrize("call", WRONG, ids=str)
def test_wrong_calls_have_numpys_error(call, name):
    args, kwargs = call

    def of(xp):
        x = xp.ones((2, 3))
        return outcome(lambda: getattr(xp, name)(*(x if one == "x" else one for one in args), **kwargs))

    assert of(qn) == of(np)


def test_a_call_that_fails_leaves_out_alone():
    x, out = qn.ones((2, 3)), qn.full(3, 7.0)
    for call in (lambda: qn.sum(x, 5, out=out), lambda: x.max(1, out=out), lambda: x.std(0, out=out, ddof="1")):
        with pytest.raises((ValueError, TypeError)):
            call()
    assert out.tolist() == [7, 7, 7]
    assert qn.sum(x, 0, out=out) is out and out.tolist() == [2, 2, 2]


def test_initial_values_are_converted_as_in_an_assignment():
    for initial, dtype in [(2.7, "int32"), (300, "uint8"), (-1, "uint8"), (1 + 2j, "float32"), (np.float32(1e-3), "float16"), (float("nan"), "int8")]:
        host = np.ones((2, 3), dtype)
        wanted = outcome(lambda h=host, i=initial: h.max(0, initial=i))
        assert outcome(lambda h=host, i=initial: qn.asarray(h).max(0, initial=i)) == wanted, (initial, dtype)
    empty = np.ones((0, 3))
    for name in ("sum", "prod", "max", "min"):
        for initial in (None, 5):
            for axis in (0, 1):
                wanted = outcome(lambda n=name, a=axis, i=initial: getattr(empty, n)(a, initial=i))
                assert outcome(lambda n=name, a=axis, i=initial: getattr(qn.asarray(empty), n)(a, initial=i)) == wanted, (name, axis, initial)


TORCH = [
    ("sum", (1,), {}, [3, 12]),
    ("sum", ([0, 1],), {"keepdim": True}, [[15]]),
    ("sum", (), {"axis": 0, "keepdims": True}, [[3, 5, 7]]),
    ("var", (False,), {}, 35 / 12),
    ("var", (1, False), {}, [2 / 3, 2 / 3]),
    ("var", (1,), {"correction": 2}, [2, 2]),
    ("std", (), {"dim": 0, "correction": 0}, [1.5, 1.5, 1.5]),
    ("mean", ((),), {}, 2.5),
    ("amax", ((),), {}, 5),
    ("amin", (-1, True), {}, [[0], [3]]),
]


@pytest.mark.parametrize("call", TORCH, ids=str)
def test_calls_of_torch(call):
    name, args, kwargs, wanted = call
    x = torch.arange(6.0).reshape(2, 3)
    for result in (getattr(torch, name)(x, *args, **kwargs), getattr(x, name)(*args, **kwargs)):
        assert type(result) is torch.Tensor and np.allclose(result.tolist(), wanted)


def test_torchs_errors():
    x = torch.ones(2, 3)
    for call, error, text in [
        (lambda: torch.sum(), TypeError, 'sum() missing 1 required positional arguments: "input"'),
        (lambda: x.var(unbiased=None), TypeError, "var() "),
        (lambda: torch.sum([1]), TypeError, "sum(): argument 'input' (position 1) must be Tensor, not list"),
        (lambda: x.mean(0, 3), TypeError, "mean(): argument 'keepdim' (position 3) must be bool, not int"),
        (lambda: x.sum(2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda: x.sum((0, -2)), RuntimeError, "dim 0 appears multiple times in the list of dims"),
        (lambda: x.long().var(), NotImplementedError, "std and var only support floating point and complex dtypes"),
        (lambda: torch.ones(0).amax(), RuntimeError, "amax(): Expected reduction dim to be specified for input.numel() == 0."),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value).startswith(text)


def events_of(call):
    """Return what sys.setprofile reports during a call: Python functions, and functions of C that announce themselves."""
    seen = []
    call()
    sys.setprofile(lambda frame, event, argument: seen.append((event, frame.f_code.co_name, argument)))
    try:
        call()
    finally:
        sys.setprofile(None)
    return [one for one in seen if one[1] not in ("<lambda>", "events_of")]


def test_nothing_of_python_runs_between_the_users_line_and_the_result(no_allocator):
    x, t = qn.ones((4, 5)), torch.ones(4, 5)
    of_sums, of_torchs_sums = qn.zeros(5), torch.zeros(5)
    for call in (
        lambda: qn.sum(x, axis=0),
        lambda: qn.sum(x, 0, out=of_sums),
        lambda: torch.sum(t, 0, out=of_torchs_sums),
        lambda: qn.where(x > 0, x, 0),
        lambda: x.clip(max=0.5),
        lambda: x.astype("float32", copy=False),
        lambda: torch.where(t > 0, t, 0),
        lambda: qn.zeros((2, 3), "float32"),
        lambda: qn.full_like(x, 2.5),
        lambda: qn.arange(0, 1, 0.25),
        lambda: qn.eye(3, k=1),
        lambda: torch.zeros(2, 3, dtype=torch.int8),
        lambda: torch.full((2,), 1.5, requires_grad=True),
        lambda: torch.arange(3),
        lambda: t.new_ones(2),
        lambda: x.mean((0, 1), keepdims=True),
        lambda: qn.var(x, 1, "float32", ddof=1),
        lambda: torch.std(t, 1),
        lambda: t.sum(dim=-1, keepdim=True),
        lambda: t.amax([0, 1]),
        lambda: qn.cumsum(x, 1),
        lambda: x.argmax(0),
        lambda: qn.nanmean(x, 0, keepdims=True),
        lambda: t.sort(0, descending=True),
        lambda: torch.topk(t, 2),
        lambda: t.median(1),
        lambda: torch.cumsum(t, dim=0),
    ):
        assert events_of(call) == []


def test_faces_that_do_not_fit_their_row_are_refused(tmp_path):
    for text, told in [
        ("class sum:\n    def numpy(a, dims=None): ...", "the row has no parameter dims"),
        ("class no_such:\n    def numpy(a): ...", "functions.def has no row no_such"),
        ("class sum:\n    def fortran(a): ...", "there is no front end fortran"),
    ]:
        (tmp_path / "faces.pyi").write_text(text)
        program = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); import faces; faces.write([{str(tmp_path / 'faces.pyi')!r}], {str(tmp_path / 'out')!r})"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.returncode == 1 and told in done.stderr and not (tmp_path / "out").exists()


def test_functions_of_torch_in_a_class_do_not_bind():
    class Mine:
        activate = torch.exp
        total = qn.sum  # NumPy's functions bind, as functions of Python's do

    assert Mine().activate(torch.zeros(2)).tolist() == [1, 1]
    with pytest.raises(TypeError):
        Mine().total(qn.ones(2))
    for method in (torch.Tensor.view, torch.Tensor.sum, qn.Array.reshape):
        assert pickle.loads(pickle.dumps(method)) is method and "." in method.__qualname__


def test_no_function_is_made_by_hand():
    with pytest.raises(TypeError):
        type(qn.sum)()


def test_sums_are_computed_in_the_type_of_a_wider_out(quiet):
    for name, values, dtype, out in [
        ("sum", [2**62] * 3, "int64", "float64"),
        ("sum", [3e38, 3e38], "float32", "float64"),
        ("prod", [2**40] * 2, "int64", "float64"),
        ("mean", [3e38, 3e38], "float32", "float64"),
        ("nansum", [3e38, 3e38], "float32", "float64"),
        ("ptp", [-100, 100], "int8", "int64"),
        ("max", [1, 2], "int8", "float32"),
        ("sum", [1.5, 2.5], "float64", "float32"),
    ]:
        host, into, ours = np.array(values, dtype), np.zeros((), out), qn.zeros((), out)
        getattr(np, name)(host, out=into)
        getattr(qn, name)(qn.asarray(host), out=ours)
        assert np.array_equal(qn.asnumpy(ours), into), name
    assert qn.var([1, 2, 3], mean=2) == np.var([1, 2, 3], mean=2)
    big = torch.tensor([[3e38], [3e38]])
    assert torch.mean(big, 0, out=torch.zeros(1, dtype=torch.float64)).tolist() == [float(np.float32(3e38))]


def test_tests_over_no_dimension_keep_all():
    x = torch.tensor([[1.0, 0.0], [0.0, 0.0]])
    assert torch.any(x, ()).tolist() == x.all([]).tolist() == [[True, False], [False, False]] and x.sum(()).item() == 1
