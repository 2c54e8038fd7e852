"""cuComplex.h and thrust's complex numbers in kernels, compared with NumPy and mpmath."""

import mpmath
import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv

C = r"""
#include <cuComplex.h>
extern "C" __global__ void f(const cuFloatComplex* x, const cuDoubleComplex* y, cuFloatComplex* single, cuDoubleComplex* whole, int n) {
  int i = threadIdx.x;
  cuFloatComplex a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n];
  cuDoubleComplex p = y[i], q = y[(i + 1) % n], r = y[(i + 2) % n];
  cuFloatComplex* s = single + 8 * i;
  cuDoubleComplex* w = whole + 8 * i;
  s[0] = cuCaddf(a, b), s[1] = cuCsubf(a, b), s[2] = cuCmulf(a, b), s[3] = cuCdivf(a, b), s[4] = cuConjf(a);
  s[5] = make_cuComplex(cuCabsf(a), cuCrealf(a)), s[6] = cuCfmaf(a, b, c), s[7] = cuComplexDoubleToFloat(p);
  w[0] = cuCadd(p, q), w[1] = cuCsub(p, q), w[2] = cuCmul(p, q), w[3] = cuCdiv(p, q), w[4] = cuConj(p);
  w[5] = make_cuDoubleComplex(cuCabs(p), cuCimag(p)), w[6] = cuCfma(p, q, r), w[7] = cuComplexFloatToDouble(a);
}
"""


def test_the_interface_for_c(device):
    rng = np.random.default_rng(4)
    y = rng.normal(size=40) + 1j * rng.normal(size=40)
    x = y.astype(np.complex64)
    single, whole = np.zeros((40, 8), np.complex64), np.zeros((40, 8), np.complex128)
    places = [drv.to_device(v) for v in (x, y, single, whole)]
    quern.RawKernel(C, "f")((1,), (40,), (*places, np.int32(40)))
    for place, given, out, other, part in ((places[2], x, single, y, "real"), (places[3], y, whole, x, "imag")):
        b, c = np.roll(given, -1), np.roll(given, -2)
        wanted = [given + b, given - b, given * b, given / b, given.conj(), abs(given) + 1j * getattr(given, part), given * b + c, other]
        np.testing.assert_allclose(drv.from_device_like(place, out), np.array(wanted).T, rtol=1e-5 if out.dtype == np.complex64 else 1e-13)


ONE = "abs arg norm conj proj exp log log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh".split()
PLAIN = {"abs": abs, "norm": lambda z: abs(z) ** 2, "conj": mpmath.conj, "proj": lambda z: z}


@pytest.mark.parametrize("kind", ["float", "double"])
def test_functions_of_complex_numbers(device, kind):
    calls = "\n".join(f"  o[{k}] = {name}(z);" for k, name in enumerate(ONE))
    text = f"""
#include <cupy/complex.cuh>
extern "C" __global__ void f(const thrust::complex<{kind}>* x, thrust::complex<{kind}>* out) {{
  thrust::complex<{kind}> z = x[threadIdx.x], *o = out + {len(ONE) + 3} * threadIdx.x;
{calls}
  o[{len(ONE)}] = thrust::pow(z, x[0]);
  o[{len(ONE) + 1}] = thrust::complex<{kind}>(z.real(), -z.imag()) * z / x[1];
  o[{len(ONE) + 2}] = thrust::polar(({kind})2, z.real()) + ({kind})1;
}}
"""
    rng = np.random.default_rng(6)
    dtype = np.complex64 if kind == "float" else np.complex128
    x = (rng.normal(size=48) * 2 + 2j * rng.normal(size=48)).astype(dtype)
    out = np.zeros((x.size, len(ONE) + 3), dtype)
    places = [drv.to_device(x), drv.to_device(out)]
    quern.RawKernel(text, "f")((1,), (x.size,), tuple(places))
    out = drv.from_device_like(places[1], out)
    eps = 12 * np.finfo(dtype).eps
    first, second = (mpmath.mpc(complex(v)) for v in x[:2])
    for v, row in zip(x, out, strict=True):
        z = mpmath.mpc(complex(v))
        wanted = [PLAIN[n](z) if n in PLAIN else getattr(mpmath, n)(z) for n in ONE]
        wanted += [z**first, abs(z) ** 2 / second, 2 * mpmath.expj(z.real) + 1]
        for name, got, w in zip([*ONE, "pow", "arithmetic", "polar"], row, wanted, strict=True):
            error = abs(mpmath.mpc(complex(got)) - w)
            assert error <= eps * max(abs(w), 0.5) * (20 if name == "pow" else 1), (name, v, got, w)


OF_PYCUDA = r"""
#include <pycuda-complex.hpp>
typedef pycuda::complex<double> whole;
typedef pycuda::complex<float> single;
__device__ double weight(const whole* x, int i) { return pycuda::real<double>(x[i] * pycuda::conj(x[i])); }
extern "C" __global__ void f(const whole* x, whole* o, single* s) {
  int i = threadIdx.x;
  whole z = x[i], turn(0, 1), *p = o + 16 * i;
  p[0] = whole(weight(x, i), pycuda::imag(z)), p[1] = whole(pycuda::abs(z), pycuda::arg(z)), p[2] = pycuda::norm(z);
  p[3] = pycuda::polar(2.0, 0.5) + pycuda::polar(3.0), p[4] = pycuda::exp(turn * z), p[5] = pycuda::log(z), p[6] = pycuda::log10(z);
  p[7] = pycuda::sqrt(z), p[8] = pycuda::pow(z, 3.0) + pycuda::pow(z, z), p[9] = pycuda::sin(z), p[10] = pycuda::cos(z), p[11] = pycuda::tan(z);
  p[12] = pycuda::sinh(z), p[13] = pycuda::cosh(z), p[14] = pycuda::tanh(z);
  p[15]._M_re = z._M_im, p[15]._M_im = 2 * z._M_re;
  s[i] = single(z);
}
extern "C" __global__ void total(const single* x, single* sum) {
  __shared__ volatile single part[64];
  int i = threadIdx.x;
  part[i] = x[i];
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (i < s) part[i] = part[i] + part[i + s];
    __syncthreads();
  }
  if (i == 0) {
    single one = part[1] / part[1];
    *sum = part[0] - one;
  }
}
"""


def test_the_names_of_pycuda(device):
    rng = np.random.default_rng(7)
    x = rng.normal(size=64) + 1j * rng.normal(size=64)
    places = [drv.to_device(v) for v in (x, np.zeros((64, 16), complex), np.zeros(64, np.complex64), np.zeros(1, np.complex64))]
    quern.RawKernel(OF_PYCUDA, "f")((1,), (64,), tuple(places[:3]))
    wanted = [abs(x) ** 2 + 1j * x.imag, abs(x) + 1j * np.angle(x), abs(x) ** 2 + 0j, np.full(64, 2 * np.exp(0.5j) + 3), np.exp(1j * x), np.log(x)]
    wanted += [np.log10(x), np.sqrt(x), x**3 + x**x, np.sin(x), np.cos(x), np.tan(x), np.sinh(x), np.cosh(x), np.tanh(x), x.imag + 2j * x.real]
    np.testing.assert_allclose(drv.from_device(places[1], (64, 16), complex), np.array(wanted).T, rtol=1e-12)
    np.testing.assert_array_equal(drv.from_device(places[2], 64, np.complex64), x.astype(np.complex64))
    quern.RawKernel(OF_PYCUDA, "total")((1,), (64,), (places[2], places[3]))
    np.testing.assert_allclose(drv.from_device(places[3], 1, np.complex64), [x.sum() - 1], rtol=1e-5)
