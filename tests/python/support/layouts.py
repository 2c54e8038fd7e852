"""Arrays of every layout, and calls of every public function on them: what test_array_layouts.py compares with NumPy."""

import inspect

import numpy as np

# How an array comes to lie in memory; `n(shape)` makes numbers in C order, `m` is numpy or quern.
LAYOUTS = {
    "C": "n(3, 4)",
    "Fortran": "n(4, 3).T",
    "rows apart": "n(6, 4)[::2]",
    "columns apart": "n(3, 8)[:, ::2]",
    "Fortran, apart": "n(8, 3).T[:, ::2]",
    "rows backwards": "n(3, 4)[::-1]",
    "both backwards": "n(3, 4)[::-1, ::-1]",
    "Fortran backwards": "n(4, 3).T[:, ::-1]",
    "a repeated row": "m.broadcast_to(n(4), (3, 4))",
    "a repeated column": "m.broadcast_to(n(3, 1), (3, 4))",
    "square": "n(3, 3)",
    "square, Fortran": "n(3, 3).T",
    "square, apart": "n(6, 6)[::2, ::2].T",
    "three": "n(2, 3, 4)",
    "three, Fortran": "n(4, 3, 2).T",
    "three, permuted": "n(4, 2, 3).transpose(1, 2, 0)",
    "three, permuted otherwise": "n(3, 2, 4).transpose(1, 0, 2)",
    "three, apart": "n(4, 3, 8)[::2, :, ::-2]",
    "three, permuted backwards": "n(4, 2, 3).transpose(1, 2, 0)[:, ::-1]",
    "three, repeated": "m.broadcast_to(n(2, 1, 4), (2, 3, 4))",
    "matrices": "n(2, 3, 3)",
    "matrices, turned": "n(2, 3, 3).swapaxes(1, 2)",
    "four, permuted": "n(2, 3, 2, 4).transpose(2, 0, 3, 1)",
    "ones around": "n(1, 4, 1)",
    "ones, Fortran": "n(1, 4, 3).T",
    "line": "n(6)",
    "line, apart": "n(12)[::2]",
    "line, backwards": "n(6)[::-1]",
    "line, repeated": "m.broadcast_to(n(1), (6,))",
    "no dimensions": "n()",
    "one": "n(1)",
    "one by one": "n(1, 1)",
    "one of a row": "n(3, 4)[1:2, ::4]",
    "no rows": "n(0, 3)",
    "no columns": "n(3, 0).T",
    "nothing of a row": "n(3, 4)[:, 2:2]",
    "nothing": "n(0)",
}

# Calls that fit many functions; those that NumPy refuses are passed over.
CALLS = """
f(x) | f(x, x) | f(x, 2) | f([x, x]) | f(x, 0) | f(x, axis=0) | f(x, axis=1) | f(x, axis=-1) | f(x, axis=None) | f(x, keepdims=True)
f(x, axis=0, keepdims=True) | f(x, 1, axis=0) | f(x, 1, axis=1) | f([x, x], axis=1) | f(x, x, axis=0) | f(x.shape) | f(x, x, x) | f(x, order='F')
f(x, order='a') | f(x, order='K') | f(x, order='c') | f(x, (0, 1)) | f(x, 0, 1) | f(x, [0, 0], 1) | f(x, [0], axis=0) | f(x > 2, x) | f(x > 2, x, x)
f(x, .3) | f(x, [.3, .4], axis=0) | f(x, .3, axis=1) | f(x, x.T) | f(x, dtype='float32') | f(x, 1, 0) | f(x, 2, 2) | f(x, x.astype(int) * 0, axis=0)
f(x, x.astype(int) * 0, axis=1) | f(x, (-1,)) | f(x, (x.size,))
"""
CALLS = [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")]
EINSUMS = ["f('ij->ji', x)", "f('ij->i', x)", "f('ij,jk->ik', x, x.T)", "f('ii->i', x)", "f('ijk->kij', x)", "f('ij,ij->ij', x, x)"]

METHODS = """
x.copy() | x.copy('f') | x.copy('A') | x.copy('K') | x.flatten() | x.flatten('F') | x.flatten('a') | x.flatten('k') | x.ravel() | x.ravel('f')
x.ravel('A') | x.ravel('K') | x.reshape(-1) | x.reshape(-1, order='F') | x.reshape(-1, order='A') | x.reshape((2, -1)) | x.reshape((2, -1), order='f')
x.reshape((2, -1), order='a') | x.reshape(x.shape[::-1]) | x.astype('f4') | x.astype('f4', order='C') | x.astype('f4', order='f') | x.astype('f4', order='A')
x.astype(x.dtype, copy=False) | x.astype(x.dtype, order='f', copy=False) | x.astype(x.dtype, order='A', copy=False) | x.T | x.mT | x.real | x.imag
x.conj() | x.swapaxes(0, 1) | x.squeeze() | x.diagonal() | x.view() | x.view('i8') | x.view('i4') | x[::2] | x[..., None] | x[[0, 0]] | x[:, [0, 1, 0]]
x[..., ::-1] | x[x > 3] | x[[[0], [0]]] | x + 1 | -x | x * x | x + x.T | x > 2 | x.cumsum(0) | x.cumsum(1) | x.cumprod(-1)
x.sum(0) | x.sum(1) | x.mean(-1) | x.max(0) | x.argsort(0) | x.argsort(1) | x.argmax(0) | x.take([0, 0], 0) | x.take([0, 0], 1) | x.repeat(2, 0)
x.clip(2, 5) | x.round(1) | x.dot(x.T) | x @ x.T | x.compress([True], 0) | x.trace() | x.nonzero()[0] * 1 | m.zeros(x.shape, order='f') | m.ones(x.shape, order='F')
m.full(x.shape, 2, order='F') | m.empty(x.shape, order='c') | m.zeros_like(x) | m.zeros_like(x, order='f') | m.ones_like(x, order='a')
m.full_like(x, 2, order='C') | m.empty_like(x, shape=(2, 3)) | m.array(x) | m.array(x, order='F') | m.array(x, order='a') | m.array(x, copy=None)
m.asarray(x, order='F') | m.asarray(x, order='c') | m.asanyarray(x, order='f') | m.array(np.asarray(n(2, 3)).T) | m.asarray(np.asfortranarray(n(2, 3)))
m.add.accumulate(x, 0) | m.maximum.accumulate(x, 1) | m.add.reduce(x, 0) | m.add.outer(x, x) | m.multiply.reduce(x, -1, keepdims=True)
m.concatenate([x, x], 1) | m.stack([x, x], -1) | m.hstack([x, x]) | m.vstack([x, x]) | m.dstack([x, x]) | m.moveaxis(x, 0, -1) | m.fft.fft(x, 5, axis=0)
m.fft.rfft(x, axis=0) | m.fft.irfft(x, 4, axis=0) | m.linalg.inv(x + m.eye(3)) | m.partition(x, 0, axis=0) | m.argpartition(x, 0, axis=0) | m.tile(x, 1)
m.tile(x, (1, 1, 1))
"""
METHODS = [call.strip() for line in METHODS.strip().splitlines() for call in line.split(" | ")]

# Where the layout is not NumPy's, and why that stays.
OTHERWISE = {
    "dot": "a number times an array lies as the array",
    "inner": "as dot",
    "trace": "of axes in another order, a sum over them lies in C order",
    "frexp": "an array given as the result and as the operand",
    "modf": "as frexp",
    "histogram": "edges that are given are copied",
    "histogram_bin_edges": "as histogram",
    "isreal": "real numbers are not read: the answer is made new",
    "where": "each array of places has memory of its own: columns of one would be slower to pick by",
    "nonzero": "as where",
    "delete": "places in a list: the rest is copied slice by slice, where NumPy picks by a mask",
    "ix_": "made on the host",
    "nanquantile": "NumPy goes through the lines in Python, and puts q behind them",
    "nanpercentile": "as nanquantile",
    "nanmedian": "as nanquantile",
    "percentile": "q of several dimensions",
    "quantile": "as percentile",
    "geomspace": "one operation makes all numbers, in C order",
    "linalg.qr": "as linalg.eig",
    "linalg.cond": "as linalg.eig",
    "linalg.svdvals": "as linalg.eig",
    "linalg.matrix_power": "the power 0 is an identity of its own",
    "linalg.lstsq": "the residuals of LAPACK's memory",
    "linalg.eig": "LAPACK's memory, as the library that is found leaves it",
    "linalg.eigvals": "as linalg.eig",
    "linalg.svd": "as linalg.eig",
    "linalg.pinv": "as linalg.eig",
    "linalg.matrix_rank": "as linalg.eig",
}

# The same, of elements that are repeated (strides of 0): NumPy copies first, and puts repeated axes innermost then; here one operation
# does it all.
REPEATED = """nan_to_num nansum nanprod nanmean nanvar nanstd nancumsum nancumprod polyval linspace logspace roll fft.irfftn choose
select""".split()

# No arrays come from these, or they have no layout that could be compared.
LEFT_OUT = """
array2string array_repr array_str base_repr binary_repr savetxt save savez savez_compressed info show_config show_runtime source fromfile load
loadtxt genfromtxt fromregex frombuffer put place putmask copyto fill_diagonal put_along_axis test get_include may_share_memory shares_memory
set_printoptions printoptions seterr seterrcall setbufsize frompyfunc from_dlpack apply_along_axis apply_over_axes piecewise einsum_path empty
linalg.test fft.test nested_iters bmat asmatrix
""".split()


def functions(quern):
    """The names of NumPy's functions that quern has itself."""
    found = []
    for module, prefix in ((np, ""), (np.linalg, "linalg."), (np.fft, "fft.")):
        for name in sorted(dir(module)):
            value = getattr(module, name)
            if name[0] == "_" or isinstance(value, type) or not callable(value) or inspect.ismodule(value) or prefix + name in LEFT_OUT:
                continue
            ours = named(quern, prefix + name, None)
            if ours is not None and not hasattr(ours, "__quern_host__"):
                found.append(prefix + name)
    return found


def named(module, name, *otherwise):
    for part in name.split("."):
        module = getattr(module, part, *otherwise)
    return module


def made(m, layout, dtype="float64"):
    def n(*shape):
        numbers = (np.arange(int(np.prod(shape))) * 7 % 11 + 1).astype(dtype).reshape(shape).copy()
        return m.asarray(numbers)

    return eval(LAYOUTS[layout], {"m": m, "n": n}), n


def arrays_in(result):
    if isinstance(result, (list, tuple)):
        return [a for part in result for a in arrays_in(part)]
    return [result] if hasattr(result, "strides") and not isinstance(result, (np.generic, type)) else []


def described(a, in_elements=False, all_axes=False):
    """What can be compared: strides of no elements say nothing, and those of axes of one element nothing about an element."""
    unit = a.itemsize if in_elements else 1
    strides = tuple(step // unit for step, n in zip(a.strides, a.shape, strict=True) if all_axes or n != 1) if a.size else None
    flags = a.flags
    return strides, bool(flags.c_contiguous), bool(flags.f_contiguous), bool(flags.writeable)
