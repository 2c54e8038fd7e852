"""Modules of Numba's that programs import: what is there, what is said of the others; what tests of kernels are written with."""

import enum
import os
import sys
import unittest
import warnings

import numpy as np
import pytest
from programs import quern
from quern import cuda
from quern.cuda import args, config, errors, kernels, numpy_support, sigutils, testing, typing
from quern.cuda.cudadrv import driver, enums
from quern.numba import njit, threads, types

IMPORTS = """
from numba.cuda.simulator.kernelapi import Dim3
from numba.cuda.simulator import kernelapi
from numba.cuda.testing import unittest, CUDATestCase, ContextResettingTestCase, skip_on_cudasim, skip_unless_cudasim, ForeignArray
from numba.cuda import testing, args, kernels
from numba.cuda.tests.support import TestCase
from numba.tests.support import captured_stdout, captured_stderr, override_config, TestCase, SerialMixin
from numba.core import sigutils, typing, types, config, errors, registry, utils, dispatcher, extending
from numba.core.sigutils import is_signature, normalize_signature
from numba.cuda.core.sigutils import normalize_signature
from numba.core.typing import signature, Signature
from numba.core.typing.templates import Signature, signature
from numba.cuda.typing.templates import signature
from numba.core.typing.typeof import typeof
from numba.core.types.abstract import Type, Callable
from numba.core.types.npytypes import Array
from numba.core.types.containers import UniTuple
from numba.core.types.functions import Function
from numba.core.registry import CPUDispatcher
from numba.core.dispatcher import Dispatcher
from numba.core.decorators import jit, njit
from numba.core.utils import PYVERSION
from numba.np.ufunc import vectorize, guvectorize
from numba.np.numpy_support import map_layout, from_struct_dtype, numpy_version, carray
from numba.cuda.args import In, Out, InOut, ArgHint, wrap_arg
from numba.cuda.errors import normalize_kernel_dimensions, CudaLoweringError, missing_launch_config_msg
from numba.cuda.kernels.transpose import transpose
from numba.cuda.kernels.reduction import Reduce
from numba.cuda.stubs import threadIdx, blockIdx, atomic, shared
from numba.cuda.api import to_device, synchronize
from numba.cuda.api_util import prepare_shape_strides_dtype
from numba.cuda.intrinsic_wrapper import all_sync, shfl_sync
from numba.cuda.device_init import is_available
from numba.cuda.cudadrv.enums import CUDA_SUCCESS
from numba.cuda.cudadrv import enums
from numba.extending import is_jitted
from numba import get_num_threads, set_num_threads, threading_layer
""".strip().splitlines()
# What is imported, and what the error says behind the name.
NOT_SERVED = {
    "from numba.typed import List": "No module named 'numba.typed': quern does not support this module of numba; hand functions NumPy arrays and tuples",
    "from numba import typed": "cannot import name 'typed' from 'numba': module 'numba' has no attribute 'typed': quern does not support it; hand",
    "from numba import stencil": "cannot import name 'stencil' from 'numba': module 'numba' has no attribute 'stencil': quern does not support it; w",
    "import numba.core.compiler": "No module named 'numba.core.compiler': quern does not support this module of numba; kernels are not compiled by Numba; f",
    "from numba.core.typing.templates import AbstractTemplate": "cannot import name 'AbstractTemplate' from 'numba.core.typing.templates': [",
    "from numba.core.registry import cpu_target": "cannot import name 'cpu_target' from 'numba.core.registry': [numba.core] there is no",
    "from numba.experimental import jitclass": "No module named 'numba.experimental': quern does not support this module of numba; hand functions",
    "from numba.cuda.simulator.kernelapi import FakeCUDAModule": "cannot import name 'FakeCUDAModule' from 'numba.cuda.simulator.kernelapi': [ke",
    "import numba.cuda.cudadrv.libs": "No module named 'numba.cuda.cudadrv.libs': quern does not support this module of numba",
    "from numba.types import ClassType": "cannot import name 'ClassType' from 'numba.types': module 'numba.types' has no attribute 'ClassType': ",
    "from cupy import nonsense": "cannot import name 'nonsense' from 'cupy': module 'cupy' has no attribute 'nonsense'",
}


def test_imports(tmp_path):
    """Under `quern run`, all of them in one process."""
    program = tmp_path / "program.py"
    lines = [*IMPORTS, "said = {}"]
    for line in NOT_SERVED:
        lines += ["try:", f"    {line}", "except ImportError as e:", f"    said[{line!r}] = str(e)"]
    program.write_text("\n".join([*lines, f"wanted = {NOT_SERVED!r}", "for line, text in wanted.items():", "    assert said[line].startswith(text), said[line]"]))
    made = quern("run", program)
    assert made.returncode == 0, made.stderr


def test_signatures():
    of = typing.signature(types.int32, types.float32, types.boolean)
    assert of == types.int32(types.float32, types.boolean) and repr(of) == "(float32, bool) -> int32"
    assert typing.signature(types.int32, types.int8, recvr=types.float32[:]).recvr == types.float32[:]
    assert sigutils.normalize_signature("void(int32)") == ((types.int32,), types.none)
    assert sigutils.normalize_signature("(int32, float32[:])") == ((types.int32, types.float32[:]), None)
    assert sigutils.normalize_signature(of) == ((types.float32, types.boolean), types.int32)
    assert [sigutils.is_signature(s) for s in ("int32(int32)", (types.int32,), of, 3, [of])] == [True, True, True, False, False]
    for wrong in ("int32", "foo(int32)", 3, (3,), ["int32"]):
        with pytest.raises(TypeError):
            sigutils.normalize_signature(wrong)
    assert typing.typeof(3) == types.int64


def test_arguments_and_grids(device):
    @cuda.jit
    def doubled(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 2

    x = np.arange(4.0)
    doubled[1, 4](args.wrap_arg(x))
    doubled[1, 4](args.wrap_arg(x, default=args.In))
    assert x.tolist() == [0, 2, 4, 6]
    given = args.In(x)
    assert args.wrap_arg(given) is given and isinstance(given, args.ArgHint) and args.In is cuda.In
    assert errors.normalize_kernel_dimensions(3, (1, np.int64(2))) == ((3, 1, 1), (1, 2, 1))
    with pytest.raises(TypeError, match="griddim must be a sequence of integers, got"):
        errors.normalize_kernel_dimensions(1.5, 1)
    with pytest.raises(ValueError, match=r"blockdim must be a sequence of 1, 2 or 3 integers, got \[1, 2, 3, 4\]"):
        errors.normalize_kernel_dimensions(1, (1, 2, 3, 4))


def test_transpose(device):
    a = np.arange(6.0).reshape(2, 3)
    for given in (a, cuda.to_device(a), np.asfortranarray(a)):
        made = kernels.transpose(given)
        assert isinstance(made, cuda.DeviceNDArray)
        np.testing.assert_array_equal(made.copy_to_host(), a.T)
    for out in (cuda.device_array((3, 2)), np.zeros((3, 2))):
        assert kernels.transpose(a, out) is out
        np.testing.assert_array_equal(np.asarray(out), a.T)
    with pytest.raises(ValueError, match="the result has shape"):
        kernels.transpose(a, np.zeros((2, 3)))


def test_the_driver_and_numpy(device):
    x = np.zeros((3, 4), "f4")
    begin, end = driver.host_memory_extents(x)
    assert (begin, end - begin) == (x.ctypes.data, 48)
    begin, end = driver.device_extents(cuda.to_device(x))
    assert end - begin == 48 and driver.memory_size_from_info((3, 4), (16, 4), 4) == 48 and driver.memory_size_from_info((0,), (4,), 4) == 0
    assert enums.CUDA_SUCCESS == 0 and enums.CUDA_ERROR_INVALID_VALUE == 1 and enums.CUDA_ERROR_LAUNCH_FAILED == 719
    assert [numpy_support.map_layout(v) for v in (x, x.T, x[::2, ::2])] == ["C", "F", "A"]
    assert numpy_support.map_arrayscalar_type(np.float32(1)) == types.float32
    record = np.dtype([("a", "i4")])
    assert numpy_support.as_struct_dtype(numpy_support.from_struct_dtype(record)) == record


def test_threads():
    assert threads.get_num_threads() == config.NUMBA_NUM_THREADS
    threads.set_num_threads(1)
    assert threads.get_num_threads() == 1
    threads.set_num_threads(config.NUMBA_NUM_THREADS)
    for wrong, kind in ((0, ValueError), (10**6, ValueError), (1.5, TypeError)):
        with pytest.raises(kind):
            threads.set_num_threads(wrong)
    with threads.parallel_chunksize(8):
        assert threads.get_parallel_chunksize() == 8
    assert threads.get_parallel_chunksize() == 0


def test_jitted_functions():
    from quern.numba import extending
    from quern.numba.core import dispatcher

    @njit
    def f(x):
        return x

    assert extending.is_jitted(f) and not extending.is_jitted(f.py_func) and isinstance(f, dispatcher.CPUDispatcher)


# ---- numba.cuda.testing


class Level(enum.Enum):
    LOW = 1.5
    HIGH = 2.5


NAN, STEP = float("nan"), 2.0**-52
EQUAL = [
    (1, 1), (1.5, 1.5), (NAN, NAN), (True, np.True_), ("x", "x"), ((1, 2.0), [1, 2.0]), (np.arange(3.0), np.arange(3.0)), (1 + 2j, 1 + 2j),
    (np.array([NAN]), np.array([NAN])), (np.datetime64("NaT", "s"), np.datetime64("NaT", "s")), (Level.LOW, Level.LOW), (1, np.int64(1)), (None, None),
]  # fmt: skip
DIFFERENT = [
    (1, 2), (1, 1.0), (1, True), (0.0, -0.0), (1.0, 1.0 + STEP), (np.float32(1), np.float64(1)), (Level.LOW, Level.HIGH), ((1,), (1, 2)),
    (np.arange(3), np.arange(3.0)), (np.zeros((2, 3)), np.zeros((3, 2)).T), (np.zeros((2, 3)), np.zeros(6)), (complex(0, 0.0), complex(0, -0.0)),
    (float("inf"), 1.0), (None, 1), (NAN, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("pairs", "is_equal"), [(EQUAL, True), (DIFFERENT, False)])
def test_precise_equality(pairs, is_equal):
    case = testing.TestCase()
    for first, second in pairs:
        for a, b in ((first, second), (second, first)):
            if is_equal:
                case.assertPreciseEqual(a, b)
            else:
                with pytest.raises(AssertionError, match="when comparing"):
                    case.assertPreciseEqual(a, b)


def test_precise_equality_by_rules():
    case = testing.TestCase()
    case.assertPreciseEqual(0.0, -0.0, ignore_sign_on_zero=True)
    case.assertPreciseEqual(1.0, 1.0 + STEP, prec="double")
    case.assertPreciseEqual(1.0, 1.0 + 2.0**-23, prec="single")
    case.assertPreciseEqual(1.0, 1.0 + 8 * STEP, prec="double", ulps=4)
    case.assertPreciseEqual(1.0, 1.1, abs_tol=0.2)
    case.assertPreciseEqual(1.0, 1.0 + STEP / 2, abs_tol="eps")
    with pytest.raises(AssertionError):
        case.assertPreciseEqual(1.0, 1.0 + 8 * STEP, prec="double")
    with pytest.raises(ValueError, match="unsupported precision"):
        case.assertPreciseEqual(1.0, 1.0, prec="half")
    with pytest.raises(ValueError, match="abs_tol"):
        case.assertPreciseEqual(1.0, 1.0, abs_tol=1)


def test_a_case(device):
    class Case(testing.CUDATestCase):
        def test_it(self):
            @cuda.jit
            def hello(x):
                x[cuda.grid(1)] = 1
                print("hello", x.size)

            x = np.zeros(1)
            with warnings.catch_warnings(), testing.captured_stdout() as out:
                warnings.simplefilter("error")
                hello[1, 1](x)
                cuda.synchronize()
            self.assertPreciseEqual(x, np.ones(1))
            self.assertEqual(out.getvalue(), "hello 1\n" if device.kind == "cpu" else "")  # a GPU prints to the process's stdout

        @testing.skip_on_cudasim("a GPU's")
        def test_not_simulated(self):
            self.assertFalse(config.ENABLE_CUDASIM)

        @testing.skip_unless_cudasim("the simulator's")
        def test_simulated(self):
            self.assertTrue(config.ENABLE_CUDASIM)

    before = config.CUDA_LOW_OCCUPANCY_WARNINGS
    result = unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(unittest.TestResult())
    assert result.testsRun == 3 and result.wasSuccessful(), result.failures + result.errors
    assert [reason for _, reason in result.skipped] == ["a GPU's" if config.ENABLE_CUDASIM else "the simulator's"]
    assert config.CUDA_LOW_OCCUPANCY_WARNINGS == before


def test_what_else_tests_use(device):
    with testing.override_config("DEBUG_JIT", 1):
        assert config.DEBUG_JIT == 1
    assert config.DEBUG_JIT == 0
    with testing.override_env_config("QUERN_SOMETHING", "1"):
        assert os.environ["QUERN_SOMETHING"] == "1"
    assert "QUERN_SOMETHING" not in os.environ
    with testing.captured_stderr() as out:
        print("x", file=sys.stderr)
    assert out.getvalue() == "x\n"
    if device.kind == "cuda":  # what is on the CPU offers no such interface
        foreign = testing.ForeignArray(cuda.to_device(np.arange(3.0)))
        assert not isinstance(foreign, cuda.DeviceNDArray) and cuda.as_cuda_array(foreign).copy_to_host().tolist() == [0, 1, 2]
    assert testing.compile_function("f", "def f(x):\n    return x + y\n", {"y": 2}) is not None
    os.rmdir(testing.temp_directory("quern-"))
