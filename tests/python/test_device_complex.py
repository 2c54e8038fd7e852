"""cuComplex.h and thrust's complex numbers in kernels, beside NumPy and mpmath."""

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
