"""Names that mean something inside of kernels only: ``jit.threadIdx``, ``jit.syncthreads``. What they compile to: _library.py."""

import re

from quern.kernel import intrinsics

# What parameters of these functions are, by their names.
PARAMETERS = {
    "array": ("ndarray", "Array that is changed."),
    "index": ("int or tuple of ints", "Index of the element."),
    "value": ("scalar", "Operand, converted to the dtype of the array."),
    "alt_value": ("scalar", "New value of an element that is equal to `value`."),
    "mask": ("int", "Threads of the warp that take part, one bit for each; a constant."),
    "var": ("scalar", "Value that the thread shares."),
    "val_id": ("int", "Which thread's value is returned."),
    "width": ("int, optional", "Number of threads in a group of the warp; a constant."),
    "ndim": ("int", "Number of dimensions, 1 to 3; a constant."),
    "dtype": ("dtype", "Dtype of the elements."),
    "size": ("int or None", "Number of elements, None for those of the launch's `shared_mem`; or number of bytes that are copied."),
    "alignment": ("int, optional", "Alignment in bytes."),
    "start": ("int", "First number."),
    "stop": ("int", "End of the numbers, excluded."),
    "step": ("int", "Distance of the numbers; or number of copies that may be open."),
    "unroll": ("bool or int, optional", "Whether to unroll the loop, or how many iterations."),
    "group": ("group", "Group of threads, from `this_grid()` or `this_thread_block()`."),
    "dst": ("ndarray", "Array that is written."),
    "dst_idx": ("int", "First index of `dst`."),
    "src": ("ndarray", "Array that is read."),
    "src_idx": ("int", "First index of `src`."),
    "aligned_size": ("int, optional", "Alignment in bytes."),
}


def _documented(signature, summary):
    """The docstring, with sections of the parameters in a signature and of errors; and the names of the parameters."""
    names = re.findall(r"\w+(?==|,|\))", re.sub(r"=\w+", "", signature))
    sections = "".join(f"{name} : {PARAMETERS[name][0]}\n    {PARAMETERS[name][1]}\n" for name in names)
    parameters = f"Parameters\n----------\n{sections}\n" if names else ""
    return f"{summary}\n\n{parameters}Raises\n------\nRuntimeError\n    Outside of a kernel.\n", names


# Name of the function: the body of a kernel, which writes to zeros ``out`` of uint32, one for each of four threads; the printed array.
_PUT = "out[jit.threadIdx.x] = "
EXAMPLES = {
    "warpsize": (f"{_PUT}jit.warpsize", "32, 32, 32, 32"),
    "grid": ("out[jit.grid(1)] = 10 * jit.grid(1)", " 0, 10, 20, 30"),
    "gridsize": (f"{_PUT}jit.gridsize(1)", "4, 4, 4, 4"),
    "laneid": (f"{_PUT}jit.laneid()", "0, 1, 2, 3"),
    "range": ("for i in jit.range(0, 3, 1, unroll=True):\n    out[jit.threadIdx.x] += i", "3, 3, 3, 3"),
    "syncthreads": (f"{_PUT}1\njit.syncthreads()", "1, 1, 1, 1"),
    "syncwarp": (f"{_PUT}1\njit.syncwarp()", "1, 1, 1, 1"),
    "shared_memory": (
        f"s = jit.shared_memory(cp.uint32, 4)\nt = jit.threadIdx.x\ns[t] = t\njit.syncthreads()\n{_PUT}s[3 - t]",
        "3, 2, 1, 0",
    ),
    "shfl_sync": (f"{_PUT}jit.shfl_sync(0xF, 10 * jit.threadIdx.x, 2)", "20, 20, 20, 20"),
    "shfl_up_sync": (f"{_PUT}jit.shfl_up_sync(0xF, 10 * jit.threadIdx.x, 1)", " 0,  0, 10, 20"),
    "shfl_down_sync": (
        "value = jit.shfl_down_sync(0xF, 10 * jit.threadIdx.x, 1)\nif jit.threadIdx.x < 3:\n    out[jit.threadIdx.x] = value",
        "10, 20, 30,  0",
    ),
    "shfl_xor_sync": (f"{_PUT}jit.shfl_xor_sync(0xF, 10 * jit.threadIdx.x, 1)", "10,  0, 30, 20"),
    "atomic_add": ("jit.atomic_add(out, 0, 1)", "4, 0, 0, 0"),
    "atomic_sub": ("out[jit.threadIdx.x] = 9\njit.atomic_sub(out, jit.threadIdx.x, 1)", "8, 8, 8, 8"),
    "atomic_exch": ("jit.atomic_exch(out, jit.threadIdx.x, 7)", "7, 7, 7, 7"),
    "atomic_min": ("out[jit.threadIdx.x] = 2\njit.atomic_min(out, jit.threadIdx.x, jit.threadIdx.x)", "0, 1, 2, 2"),
    "atomic_max": ("jit.atomic_max(out, 0, jit.threadIdx.x)", "3, 0, 0, 0"),
    "atomic_inc": ("jit.atomic_inc(out, 0, 10)", "4, 0, 0, 0"),
    "atomic_dec": ("jit.atomic_dec(out, 0, 10)", "7, 0, 0, 0"),
    "atomic_cas": ("jit.atomic_cas(out, jit.threadIdx.x, 0, 7)", "7, 7, 7, 7"),
    "atomic_and": ("out[jit.threadIdx.x] = 6\njit.atomic_and(out, jit.threadIdx.x, 3)", "2, 2, 2, 2"),
    "atomic_or": ("jit.atomic_or(out, 0, 1 << jit.threadIdx.x)", "15,  0,  0,  0"),
    "atomic_xor": ("jit.atomic_xor(out, 0, 1 << jit.threadIdx.x)", "15,  0,  0,  0"),
}
_EXAMPLE = """
Examples
--------
>>> from quern import cupy as cp
>>> from quern.cupyx import jit
>>> @jit.rawkernel()
... def kernel(out):
...     {}
>>> out = cp.zeros(4, cp.uint32)
>>> kernel[1, 4](out)
>>> out
array([{}], dtype=uint32)
"""


def _example(name):
    """The example of a function: a kernel that is run, or nothing."""
    body, printed = EXAMPLES.get(name, ("", ""))
    return body and _EXAMPLE.format(body.replace("\n", "\n...     "), printed)


class Intrinsic(intrinsics.Intrinsic):
    """A function of kernels. Called from host code it raises RuntimeError."""

    module = "jit"

    def __init__(self, name, summary, signature=""):
        doc, names = _documented(signature, summary)
        doc = (doc if signature else f"{summary}\n") + _example(name)
        parameters = [(one, f"{one}=" not in signature) for one in names] if signature else None
        super().__init__(name, doc, parameters)
        self.__module__ = f"cupyx.{self.module}"

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.module}.{self.__name__} is available only inside a kernel; call it from one under @jit.rawkernel()")

    def __repr__(self):
        return f"<cupyx.{self.module} {self.__name__}>"


class GroupIntrinsic(Intrinsic):
    module = "jit.cg"


class Index(Intrinsic):
    """Three numbers, ``x``, ``y`` and ``z``, each uint32."""

    x, y, z = (property(lambda self, axis=axis: self()) for axis in "xyz")


threadIdx = Index("threadIdx", "Index of the thread in its block: `x`, `y` and `z`, each uint32.")
blockIdx = Index("blockIdx", "Index of the block in the grid: `x`, `y` and `z`, each uint32.")
blockDim = Index("blockDim", "Number of threads in a block: `x`, `y` and `z`, each uint32.")
gridDim = Index("gridDim", "Number of blocks in the grid: `x`, `y` and `z`, each uint32.")
warpsize = Intrinsic("warpsize", "Number of threads in a warp: 32, uint32.")

grid = Intrinsic("grid", "Return the index of the thread in the grid: uint32, or a tuple for several dimensions.", "(ndim)")
gridsize = Intrinsic("gridsize", "Return the number of threads in the grid: uint32, or a tuple for several dimensions.", "(ndim)")
laneid = Intrinsic("laneid", "Return the index of the thread in its warp, 0 to 31, uint32.", "()")
range = Intrinsic("range", "Return the numbers of a loop, as Python's `range`.", "(start, stop, step, unroll=None)")  # noqa: A001
syncthreads = Intrinsic("syncthreads", "Wait for all threads of the block, and for what they have written.", "()")
syncwarp = Intrinsic("syncwarp", "Wait for threads of the warp.", "(*, mask=4294967295)")
shared_memory = Intrinsic(
    "shared_memory", "Return a one-dimensional array that the threads of a block share.", "(dtype, size, alignment=None)"
)
_SHUFFLE = "(mask, var, val_id, *, width=32)"
shfl_sync = Intrinsic("shfl_sync", "Return the value of the thread `val_id` of the warp.", _SHUFFLE)
shfl_up_sync = Intrinsic("shfl_up_sync", "Return the value of the thread that is `val_id` threads before this one.", _SHUFFLE)
shfl_down_sync = Intrinsic("shfl_down_sync", "Return the value of the thread that is `val_id` threads after this one.", _SHUFFLE)
shfl_xor_sync = Intrinsic(
    "shfl_xor_sync", "Return the value of the thread whose index differs from this one's in the bits of `val_id`.", _SHUFFLE
)


def _atomic(name, what, signature="(array, index, value)"):
    return Intrinsic(f"atomic_{name}", f"{what} atomically, and return the old value.", signature)


atomic_add = _atomic("add", "Add `value` to an element")
atomic_sub = _atomic("sub", "Subtract `value` from an element")
atomic_exch = _atomic("exch", "Set an element to `value`")
atomic_min = _atomic("min", "Set an element to the smaller one of it and `value`")
atomic_max = _atomic("max", "Set an element to the larger one of it and `value`")
atomic_inc = _atomic("inc", "Add 1 to an unsigned integer, which becomes 0 after `value`,")
atomic_dec = _atomic("dec", "Subtract 1 from an unsigned integer, which becomes `value` after 0,")
atomic_cas = _atomic("cas", "Set an element to `alt_value` if it is equal to `value`,", "(array, index, value, alt_value)")
atomic_and = _atomic("and", "Set an element to the bitwise and of it and `value`")
atomic_or = _atomic("or", "Set an element to the bitwise or of it and `value`")
atomic_xor = _atomic("xor", "Set an element to the bitwise xor of it and `value`")
ATOMICS = {name[7:]: one for name, one in globals().items() if name.startswith("atomic_")}
