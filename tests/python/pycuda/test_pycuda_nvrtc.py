"""The kernels that PyCUDA's array modules print compile for a GPU, whether there is one or not: NVRTC needs none."""


import pytest
from programs import has_nvrtc, python, stand_in
from quern.lib import _engine

PROGRAM = """
import numpy as np
from quern.pycuda import cumath, curandom, driver, elementwise, gpuarray, reduction, scan
from quern.pycuda.elementwise import ElementwiseKernel, ScalarArg, VectorArg

f = np.float32
a, c = gpuarray.zeros(1000, f), gpuarray.zeros(1000, np.complex64)
at = gpuarray.zeros(5, np.int32)

def made(arguments, text, **kwargs):
    for use_range in (False, True):
        elementwise.get_elwise_kernel_and_types(arguments, text, use_range=use_range, **kwargs)

made("float a, float *x", "x[i] = a * x[i] + i + M_PI + INFINITY + std::abs(-2.f)")
made("pycuda::complex<float> *z", "z[i] = z[i] * z[i] + pycuda::complex<float>(i, abs(z[i]))")
made([VectorArg(f, "x"), ScalarArg(gpuarray.vec.float3, "v")], "x[i] = v.x + i", preamble="#define N 3", loop_prep="int k = N", after_loop="k++")
ElementwiseKernel("float a, float *x", "x[i] = a * x[i]")(2, a)
for char in "?bBhHiIqQefdFD":
    x = gpuarray.zeros(100, np.dtype(char))
    made([VectorArg(x.dtype, "x"), ScalarArg(x.dtype, "v")], "x[i] = v")
    ((x + x) * 2).get()
    if char == "e":
        continue
    reduction.ReductionKernel(x.dtype, "0", "a+b", "x[i] * x[(i + 1) % n]", [VectorArg(x.dtype, "x")])(x, slice=slice(3))
    scan.ExclusiveScanKernel(x.dtype, "a * b", "1")._kernels()
    if char not in "?FD":
        for what in ("min", "max"):
            reduction.get_minmax_kernel(what, x.dtype)(x)
box = "surface<void, 3> box; surface<void, cudaSurfaceType2DLayered> page;"
for kind in ("unsigned char", "float", "double", "pycuda::complex<float>", "pycuda::complex<double>"):
    text = "fp_surf3Dwrite(x[i], box, i, 1, 2); fp_surf2DLayeredread(x + i, page, i, 1, 2, cudaBoundaryModeClamp)"
    made(kind + " *x", text, preamble="#include <pycuda-helpers.hpp>" + chr(10) + box)
reduction.get_reduction_kernel_and_types(1, "double", 96, "0", "a+b", "x[i] * x[i]", "double *x")
reduction.get_dot_kernel(np.complex64)(c, c)
reduction.get_subset_sum_kernel(f, np.int32, f)(at, a)
for name, args in {
    "axpbyz": (f, f, f), "axpbz": (f, f), "binary_op": (f, f, f, "*"), "binary_minmax": ("max", f, f, f, True), "arange": (f,), "fill": (f,),
    "reverse": (f,), "pow_array": (f, f, f, True, False), "pow": (np.float64,), "fmod": (), "modf": (), "frexp": (), "ldexp": (),
    "real": (np.complex64, f), "imag": (np.complex64, f), "conj": (np.complex64, np.complex64), "put": (f, np.int32), "if_positive": (f, f), "where": (f, f), "logical_not": (f, np.int8), "copy": (f, np.float64),
}.items():
    getattr(elementwise, f"get_{name}_kernel")(*args)
for name, args in {
    "take": (f, np.int32), "take_put": (f, np.int32, True, 2), "linear_combination": (((True, np.float64, f), (False, f, f)), f)
}.items():
    try:
        getattr(elementwise, f"get_{name}_kernel")(*args)
    except driver.LogicError as e:  # the tests' own driver finds no variables
        assert "no texture reference" in str(e)
generator = curandom.XORWOWRandomNumberGenerator()
generator.gen_normal(1000, f).get(), generator.gen_uniform(1000, f).get(), generator.gen_poisson(1000, np.uint32, 3).get()
for name in "fabs ceil exp log10 sqrt tan asin tanh".split():
    getattr(cumath, name)(a).get()
gpuarray.sum(a).get(), gpuarray.max(a).get(), gpuarray.dot(a, a).get(), (gpuarray.zeros(5000, np.int32) / 2).get()
"""


def test_kernels_compile(tmp_path):
    environment = {}
    if not _engine.cuda_count():
        fake = stand_in()
        if not fake:
            pytest.skip("no GPU, and the tests' own driver is not built (ninja -C build/develop)")
        if not has_nvrtc():
            pytest.skip("no GPU, and no NVRTC to compile for one (pip install nvidia-cuda-nvrtc-cu12)")
        environment["QUERN_CUDA_DRIVER"] = fake
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = python(path, QUERN_DEVICE="cuda", timeout=500, **environment)
    assert done.returncode == 0, done.stderr
