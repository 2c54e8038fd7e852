"""Errors of calls that the engine's bindings do not accept: type, operation, argument and what it must be, in the caller's words."""

import re

import numpy as np
import pytest
import quern as qn
from odd_calls import INTERNAL
from quern import cupy as cp
from quern import torch
from quern.cuda import bfloat16
from quern.errors.of_calls import explained
from quern.pycuda import cumath, gpuarray
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule


@pytest.fixture(autouse=True)
def on_default_device(on_the_cpu):
    """The calls fail before any work is done: one device is enough."""


def weight():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def loss(w):
    return (w * w).sum()


def module():
    return SourceModule("__global__ void f(int* a) {}")


a = np.arange(4.0)
CALLS = [
    (lambda: torch.autograd.grad(loss(weight()), (3,)), RuntimeError, "all inputs have to be Tensors or GradientEdges, but got int"),
    (lambda: torch.autograd.grad(loss(weight()), [None]), RuntimeError, "but got NoneType"),
    (lambda: torch.autograd.backward(loss(weight()), inputs=["w"]), RuntimeError, "but got str"),
    (lambda: loss(weight()).backward(inputs=[None]), RuntimeError, "but got NoneType"),
    (lambda: torch.ones(3).set_(3), TypeError, r"set_\(\) received an invalid combination"),
    (lambda: torch.ones(3).set_("x", 1), TypeError, r"set_\(\) received an invalid combination"),
    (lambda: torch.ones(3).is_set_to(3), TypeError, r"is_set_to\(\): argument 'tensor' \(position 1\) must be Tensor, not int"),
    (lambda: setattr(torch.ones(3), "data", 3), TypeError, "Variable data has to be a tensor, but got int"),
    (lambda: qn.take(qn.asarray(a), [1], mode=3), ValueError, "integer clipmode"),
    (lambda: qn.take(qn.asarray(a), [1], mode=1.5), TypeError, "clipmode not understood"),
    (lambda: cp.asarray(a).take(cp.array([1]), mode=3), ValueError, "integer clipmode"),
    (lambda: cp.put(cp.asarray(a), cp.array([1]), 2, mode=3), ValueError, "clipmode must be one of"),
    (lambda: qn.put(qn.asarray(a), [1], 2, mode=-1), ValueError, "integer clipmode"),
    (lambda: cp.choose(cp.array([0]), [cp.asarray(a)], mode=3), ValueError, "integer clipmode"),
    (lambda: qn.choose([0], [[1]], mode="x"), ValueError, "clipmode must be one of 'clip', 'raise', or 'wrap'"),
    (lambda: qn.asarray(a).__dlpack__(copy="x"), ValueError, "strings are not allowed for 'copy'"),
    (lambda: qn.asarray(a).__dlpack__(max_version=3), TypeError, "max_version must be None or a tuple"),
    (lambda: qn.asarray(a).__dlpack__(dl_device=("x", 0)), TypeError, "cannot be interpreted as an integer"),
    (lambda: cp.zeros(3, device=5), TypeError, r"\[zeros\] `device` must be a Device or a name"),
    (lambda: qn.full((2,), 1, device=1.5), TypeError, r"\[full\] `device` must be a Device or a name"),
    (lambda: qn.arange(3, device=[]), TypeError, r"\[arange\] `device` must be a Device or a name"),
    (lambda: qn.asarray(a).to_device(5), TypeError, r"\[to_device\] `device` must be"),
    (lambda: cp.asarray(a).set([1, 2]), TypeError, "Only numpy.ndarray can be set to cupy.ndarray"),
    (lambda: cp.shares_memory(cp.asarray(a), cp.asarray(a), max_work="x"), ValueError, "max_work must be an integer"),
    (lambda: qn.shares_memory(qn.asarray(a), qn.asarray(a), max_work=1.5), ValueError, "max_work must be an integer"),
    (lambda: cp.ElementwiseKernel(1, 2, 3, 4), TypeError, r"\[ElementwiseKernel\] `in_params` must be a string, not int"),
    (lambda: cp.ElementwiseKernel("T x", 2, "y = x", "k"), TypeError, r"`out_params` must be a string, not int"),
    (lambda: cp.ReductionKernel("T x", "T y", 3, "a + b", "y = a", "0"), TypeError, r"`map_expr` must be a string, not int"),
    (lambda: cp.RawKernel(1, 2), TypeError, "name must be a str, not int"),
    (lambda: cp.RawModule(code=3), TypeError, "code must be a str, not int"),
    (lambda: drv.memset_d8(drv.mem_alloc(8), 1, 2.5), TypeError, "`size` must be an integer, not float"),
    (lambda: drv.memset_d32(drv.mem_alloc(8), "a", 2), TypeError, "integer"),
    (lambda: drv.memcpy_dtod(drv.mem_alloc(8), drv.mem_alloc(8), "x"), TypeError, r"\[memcpy_dtod\] `size` must be an integer, not str"),
    (lambda: drv.memcpy_peer(drv.mem_alloc(8), drv.mem_alloc(8), None), TypeError, r"\[memcpy_peer\] `size` must be an integer"),
    (lambda: drv.from_device_like(drv.mem_alloc(8), object()), TypeError, "arrays of Python objects"),
    (lambda: drv.memcpy_htod(drv.mem_alloc(8), np.array([None])), TypeError, "arrays of Python objects"),
    (lambda: module().get_function(3), TypeError, r"\[get_function\] `name` must be a string, not int"),
    (lambda: module().get_global(b"x"), TypeError, r"\[get_global\] `name` must be a string, not bytes"),
    (lambda: cumath.sin(gpuarray.to_gpu(a), 3), TypeError, "out must be a GPUArray, not int"),
    (lambda: gpuarray.zeros(3, np.float32, allocator="x"), TypeError, r"\[allocator\] must be callable"),
    (lambda: gpuarray.zeros(3, np.float32, allocator=lambda n: 1.5), TypeError, r"\[allocator\] must return device memory"),
    (lambda: gpuarray.zeros(3, np.float32, allocator=int), TypeError, r"\[allocator\] must return device memory"),
    (lambda: gpuarray.ones_like(np.int64(-3)), TypeError, r"\[ones_like\] `other_ary` must be an array, not int64"),
    (lambda: torch.nn.Linear(3, 2).__getattr__(torch.ones(3)), TypeError, "attribute name must be string, not"),
    (lambda: torch.save(torch.ones(2), 7), AttributeError, "expected 'f' to be string, path"),
    (lambda: torch.load(7), AttributeError, "'int' object has no attribute 'seek'"),
    (lambda: drv.module_from_file(7), TypeError, "PathLike"),
    (lambda: cp.cuda.function.Module().load_file(7), TypeError, "PathLike"),
    (lambda: qn.Array(), TypeError, "cannot create 'Array' instances"),
    (lambda: type(qn.device("cpu"))(1), TypeError, "cannot create 'Device' instances"),
    (lambda: bfloat16("x"), ValueError, "could not convert string to float"),
    (lambda: qn.bench(3), TypeError, r"\[bench\] f must be a function, not int"),
    (lambda: qn.percentile(qn.ones(3), 150), ValueError, r"\[percentile\] 150 is not in the range \[0, 100\]"),
    (lambda: qn.quantile(qn.ones(3), [0.5, 1.5]), ValueError, r"\[quantile\] 1.5 is not in the range \[0, 1\]"),
    (lambda: qn.linalg.solve(qn.ones((2, 3)), qn.ones(2)), np.linalg.LinAlgError, r"\[solve\] the matrices must be square, not of shape"),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_error_of_call(number):
    call, kind, text = CALLS[number]
    with pytest.raises(kind, match=text) as error:
        call()
    assert not INTERNAL.search(str(error.value))


def test_accepted_values():
    """What peers accept of the arguments above."""
    assert qn.take(qn.asarray(a), [5], mode=0).tolist() == [3.0]
    assert qn.take(qn.asarray(a), [5], mode=np.int64(1)).tolist() == [1.0]
    assert qn.take(qn.asarray(a), [2], mode=None).tolist() == [2.0]
    assert np.array_equal(np.from_dlpack(qn.asarray(a)), a)
    assert qn.asarray(a).__dlpack__(copy=np.True_) is not None
    assert qn.shares_memory(x := qn.asarray(a), x, max_work=None)
    y = cp.asarray(a)
    assert y.to_device(y.device).tolist() == a.tolist()
    for seed in (np.array(5), 5):
        cp.random.seed(seed)
        first = cp.random.rand(3).tolist()
        cp.random.seed(seed)
        assert cp.random.rand(3).tolist() == first
    t = torch.zeros(1)
    assert t.set_(torch.arange(6.0), 1, (2, 2), (3, 1)).tolist() == [[1.0, 2.0], [4.0, 5.0]]


class Binding:
    """Stands for a function of nanobind's with these signatures."""

    def __init__(self, *signatures):
        self.__name__ = "public"
        self.__nb_signature__ = [(one, None) for one in signatures]


@pytest.mark.parametrize(
    ("signature", "args", "named", "text"),
    [
        ("def f(a: int, b: str = 'x, y') -> None", (1, 2), {}, r"\[\w+\] `b` must be a string, not int"),
        ("def f(a: int, b: float | None = None) -> None", (1,), {"b": "s"}, "`b` must be a number or None, not str"),
        ("def f(shape: collections.abc.Sequence[int]) -> None", ([1, "a"],), {}, "`shape` must be a sequence of integer values, not list"),
        ("def f(p: list[list[int]]) -> None", (1,), {}, "`p` must be a sequence of sequences of integer values, not int"),
        ("def f(arg0: quern.lib._engine.BareArray, arg1: bool, /) -> None", (1, True), {}, "an argument must be an array, not int"),
        ("def f(copy: bool) -> None", (np.True_,), {}, "`copy` must be a bool, not numpy.bool"),
    ],
)
def test_explanation(signature, args, named, text):
    error = explained(Binding(signature), list(args), named)
    assert isinstance(error, TypeError)
    assert re.search(text, str(error))


def test_integer_out_of_range():
    error = explained(Binding("def f(a: int) -> None"), [2**100], {})
    assert isinstance(error, OverflowError)
