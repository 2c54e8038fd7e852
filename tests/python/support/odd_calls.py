"""Calls of every public function of a front end with arguments that it cannot take; the program of test_no_internal_text.py's processes.

    python odd_calls.py FRONT_END PROGRESS RESULTS [--start N] [--count N --seed S]

Without `--count`: each function gets a wrong count of arguments, an unknown keyword and wrong types. With it: N random calls. PROGRESS holds
the number and the name of the running call, so that whoever started the process knows what crashed it. RESULTS gets a line for each error
whose text names the engine's insides.
"""

import argparse
import importlib
import inspect
import os
import random
import re
import sys
import types
import warnings

INTERNAL = re.compile(
    r"incompatible function arguments|Invoked with types|\bstd::|\b_engine\b|nanobind|BareArray|\.(cpp|h):\d|in quern itself|bug in quern"
    r"|vector::_M|map::at|basic_string|bad_(alloc|cast)|Unable to convert function"
)
# Python's errors of wrong calls that name a private function. (dump and dumps are NumPy's; PyTorch's private classes have PyTorch's names.)
PRIVATE = re.compile(r"^(_(?!_|dumps?\()\w+[\w.]*|[\w.]*<(lambda|locals)>[\w.]*)\(\) (takes|missing|got)")
WITH_PEERS_NAMES = ("torch",)
# What is left out: it ends or stops the process, waits for a user, changes what later calls mean, or is a module of Python's.
LEFT_OUT = re.compile(
    r"exit$|breakpoint|set_trace|input$|profile|spawn|fork|debug|set_default|set_num|seed_all|freeze|_pickle|interact|jit_module|limit|allocator|compile$|"
    r"set_fallback|disable_|while_loop$|test$|self_check|raise_|read_memory|clear_session|set_backend|register_|pointer|from_address|"
    r"as_buffer|pagelocked_view|gpu_from_handle|memset|memcpy|memmove|mem_host_register|runtime\.(free|memset|memcpy|malloc)|unload|"
    r"mask_indices|tri[lu]_indices|for_all_dtypes_combination|"  # n x n elements, which a large machine has
    r"UnownedMemory|HostPointer|PointerHolder|from_dlpack|ExternalStream|DataLoader|get_worker|multiprocessing|download|load_state_dict_from_url"
)
FOREIGN = ("numpy", "builtins", "ml_dtypes")  # ml_dtypes.bfloat16("x") ends the process by itself
FRONT_ENDS = {
    "quern": ["quern", "quern.random", "quern.linalg", "quern.fft"],
    "cupy": "cupy cupy.linalg cupy.fft cupy.random cupy.cuda cupy.cuda.runtime cupyx cupyx.scipy.special cupyx.scipy.fft cupyx.scipy.ndimage "
    "cupyx.scipy.linalg cupyx.scipy.sparse cupyx.jit cupy.testing".split(),
    "numba.cuda": ["numba", "numba.cuda", "numba.cuda.random", "numba.types"],
    "pycuda": "pycuda.driver pycuda.gpuarray pycuda.cumath pycuda.curandom pycuda.compiler pycuda.elementwise pycuda.reduction pycuda.scan "
    "pycuda.tools".split(),
    "torch": "torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.linalg torch.fft torch.special torch.autograd torch.optim "
    "torch.optim.lr_scheduler torch.cuda torch.utils.data torch.random".split(),
    "keras": "keras.ops keras.ops.numpy keras.ops.nn keras.ops.linalg keras.random keras.backend".split(),
    "tensorflow": "tensorflow tensorflow.math tensorflow.linalg tensorflow.random tensorflow.nn tensorflow.data tensorflow.signal".split(),
}


def instances(front_end):
    """Return objects whose methods are called, by name."""
    import numpy as np

    values = np.arange(1.0, 7.0).reshape(2, 3)
    if front_end == "quern":
        import quern as qn

        kernel = qn.RawKernel('extern "C" __global__ void f(float* a) {}', "f")
        return {"Array": qn.asarray(values), "Generator": qn.random.default_rng(1), "RawKernel": kernel, "Device": qn.device("cpu")}
    if front_end == "cupy":
        import cupy as cp

        made = {"ndarray": cp.asarray(values), "Stream": cp.cuda.Stream(), "Event": cp.cuda.Event(), "Device": cp.cuda.Device(0)}
        made["RandomState"], made["Generator"] = cp.random.RandomState(1), cp.random.default_rng(1)
        made["memory"], made["pool"] = cp.cuda.alloc(64), cp.get_default_memory_pool()
        made["ElementwiseKernel"] = cp.ElementwiseKernel("T x", "T y", "y = x", "k")
        made["ReductionKernel"] = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "r")
        made["ufunc"] = cp.add
        return made
    if front_end == "numba.cuda":
        from numba import cuda, njit, vectorize

        @cuda.jit
        def kernel(a):
            a[0] = 1

        return {
            "DeviceNDArray": cuda.to_device(values),
            "stream": cuda.stream(),
            "event": cuda.event(),
            "kernel": kernel,
            "njit": njit(lambda x: x + 1),
            "vectorize": vectorize(lambda x: x + 1),
        }
    if front_end == "pycuda":
        import pycuda.autoinit  # noqa: F401
        from pycuda import driver, gpuarray
        from pycuda.compiler import SourceModule

        module = SourceModule("__global__ void f(float* a) {}")
        made = {"GPUArray": gpuarray.to_gpu(values), "Stream": driver.Stream(), "Event": driver.Event(), "Module": module}
        made["Function"], made["Device"], made["Context"] = module.get_function("f"), driver.Device(0), driver.Context
        return made
    if front_end == "torch":
        import torch

        weight = torch.ones(2, 3, requires_grad=True)
        made = {"Tensor": torch.tensor(values), "leaf": weight, "node": (weight * 2).grad_fn, "Generator": torch.Generator()}
        made["Linear"], made["SGD"] = torch.nn.Linear(3, 2), torch.optim.SGD([weight], 0.1)
        return made
    if front_end == "tensorflow":
        import tensorflow as tf

        return {"tensor": tf.constant(values), "Variable": tf.Variable(values), "Dataset": tf.data.Dataset.from_tensor_slices(values)}
    import keras

    return {"Variable": keras.Variable(values), "Dense": keras.layers.Dense(2)}


def members(owner, name):
    """Return (name, callable) for each public function and class of `owner`."""
    for key in sorted(set(getattr(owner, "__all__", None) or dir(owner))):
        full = f"{name}.{key}"
        if (key.startswith("_") and not re.match(r"__(?!class|subclasshook|init|reduce|del|getstate|new)\w+__$", key)) or LEFT_OUT.search(full):
            continue
        if key.startswith("__") and isinstance(owner, types.ModuleType):
            continue
        try:
            value = getattr(owner, key)
        except Exception:  # noqa: S112
            continue
        is_foreign = inspect.ismodule(value) or (isinstance(value, type) and issubclass(value, (BaseException, str, int, float)))
        if callable(value) and not is_foreign and (getattr(value, "__module__", None) or "").partition(".")[0] not in FOREIGN:
            yield full, value


def targets(front_end):
    """Return all (name, callable) of a front end, each callable once."""
    found, seen = [], set()
    for name in FRONT_ENDS[front_end]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        for full, value in members(module, name):
            if id(value) not in seen:
                seen.add(id(value))
                found.append((full, value))
    for name, value in instances(front_end).items():
        found += members(value, f"<{name}>")
        if callable(value):
            found.append((f"<{name}>", value))
    return found


def fixed_calls(array):
    """Return the argument lists that each function gets without `--count`."""
    odd = object()
    return [
        ((odd,) * 23, {}),
        ((), {}),
        ((), {"no_such_keyword": 1}),
        ((array,), {"no_such_keyword": 1}),
        ((odd,), {}),
        (("x",), {}),
        ((array, odd), {}),
        ((array, "x", 1.5), {}),
    ]


def odd_values(array):
    """Return the values that random calls are made of."""
    import numpy as np

    made = [array, array[0], array[:0], array[0, 0], array[:, ::2]]
    hosts = [np.ones(3), np.zeros((0, 2)), np.array(2), np.array([True, False]), np.array([1 + 2j]), np.array(["a"]), np.array([{}, None])]
    hosts += [np.zeros(2, [("a", "i4"), ("b", "f8")]), np.arange(6)[::-2], np.float32(1.5), np.int64(-3), np.bool_(True), np.datetime64("2020")]
    numbers = [0, 1, 2, 3, -1, -4, 1.5, -0.0, float("nan"), float("inf"), 1e300, 2j, True, False, 10**6, 2**63, -(2**63), 2**100]
    names = ["", "x", "float32", "int8", "mean", "same", "cpu", "ij,jk->ik", "\0", "é", b"x"]
    others = [None, ..., slice(None), slice(3, 0, -1), object(), int, float, len, np.float32, np.dtype("f2"), iter(()), range(3), lambda *a: 1]
    groups = [(), [], (0,), (1, 2), [2, 0], (2, 3), [[1, 2], [3, 4]], (-1,), (None, 1), ["a"], [array, array], {}, {"a": 1}, {1, 2}]
    return made * 4 + hosts + numbers + names + others + groups


def array_maker(front_end):
    """Return a function that makes a 2 x 3 array of the front end: calls may write into theirs."""
    import numpy as np

    name = {"numba.cuda": "numba.cuda", "pycuda": "pycuda.gpuarray", "keras": "keras.ops"}.get(front_end, front_end)
    function = {"numba.cuda": "to_device", "pycuda": "to_gpu", "torch": "tensor", "tensorflow": "constant", "keras": "convert_to_tensor"}
    make = getattr(importlib.import_module(name), function.get(front_end, "array"))
    return lambda: make(np.arange(1.0, 7.0).reshape(2, 3))


def keyword_names(function):
    try:
        return [p.name for p in inspect.signature(function).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    except (ValueError, TypeError):
        return []


def random_call(chosen, function, array):
    """Return the arguments of a random call."""
    values = odd_values(array)
    args = [chosen.choice(values) for _ in range(chosen.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6)))]
    if args and chosen.random() < 0.5:
        args[0] = array
    names = keyword_names(function)[len(args) :]
    named = {name: chosen.choice(values) for name in chosen.sample(names, min(len(names), chosen.choice((0, 0, 0, 1, 1, 2))))}
    return args, named


def show(result):
    """Evaluate what a call returned, if it is small."""
    if isinstance(result, (list, tuple)):
        for one in result[:4]:
            show(one)
    elif getattr(result, "size", None) is not None and isinstance(result.size, int) and result.size < 1000:
        if getattr(getattr(result, "dtype", None), "kind", "") not in "SU":  # new memory may hold what is no text
            repr(result)


def short(value):
    """Return the text of a plain value, else the name of its type."""
    if isinstance(value, (tuple, list)) and len(value) < 4:
        return f"{type(value).__name__}[{', '.join(map(short, value))}]"
    return repr(value) if type(value) in (int, float, complex, bool, str, bytes, type(None), slice) else type(value).__name__


class Calls:
    """Makes calls, says which one runs, and writes down errors with internal text."""

    def __init__(self, options):
        self.progress = os.open(options.progress, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self.results = open(options.results, "a", encoding="ascii", errors="backslashreplace")
        self.start, self.number = options.start, -1
        self.checks_names = options.front_end not in WITH_PEERS_NAMES

    def make(self, name, function, args, named, is_shown):
        self.number += 1
        if self.number < self.start:
            return
        kinds = [short(one) for one in args] + [f"{key}={short(one)}" for key, one in named.items()]
        line = f"{self.number} {name}({', '.join(kinds) if len(kinds) < 9 else f'{len(kinds)} objects'})"
        os.pwrite(self.progress, line.ljust(300)[:300].encode("ascii", "replace"), 0)
        try:
            result = function(*args, **named)
            if is_shown:
                show(result)
        except BaseException as error:  # noqa: BLE001
            texts = [str(error)] if not isinstance(error, SystemExit) else ["the call ended the program (SystemExit)"]
            is_private = self.checks_names and PRIVATE.match(texts[0]) and ".__" not in name and "py_func" not in name
            if is_private or type(error).__name__ == "InternalError" or INTERNAL.search(texts[0]) or isinstance(error, (SystemError, SystemExit)):
                self.results.write(f"{line}: {type(error).__name__}: {texts[0][:300]!r}\n")
                self.results.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("front_end", choices=FRONT_ENDS)
    parser.add_argument("progress")
    parser.add_argument("results")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.front_end == "keras":
        importlib.import_module("quern.keras")
    elif options.front_end != "quern":
        import quern.tools.imports

        quern.tools.imports.lead_imports()
    found, make_array, calls = targets(options.front_end), array_maker(options.front_end), Calls(options)
    sys.stdout = open(os.devnull, "w")
    if options.count:
        for n in range(options.count):
            chosen = random.Random(f"{options.seed} {n}")
            name, function = chosen.choice(found)
            args, named = random_call(chosen, function, make_array())
            calls.make(name, function, args, named, True)
    else:
        for name, function in found:
            for args, named in fixed_calls(make_array()):
                calls.make(name, function, args, named, False)
    os.pwrite(calls.progress, b"done".ljust(300), 0)


if __name__ == "__main__":
    main()
