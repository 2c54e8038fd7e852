"""torch.special: functions of mathematics."""

from quern.arrays.public_names import settle as _settle
from quern.lib import _engine
from quern.torch._elementwise import xlogy  # noqa: F401
from quern.torch._faces import (  # noqa: A004, F401
    erf,
    erfc,
    erfinv,
    exp2,
    expm1,
    log1p,
    log_softmax,
    logit,
    logsumexp,
    round,
    sinc,
    softmax,
)
from quern.torch._faces import sigmoid as expit  # noqa: F401
from quern.torch._special import (  # noqa: F401
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    digamma,
    erfcx,
    gammainc,
    gammaincc,
    gammaln,
    hermite_polynomial_h,
    hermite_polynomial_he,
    i0,
    i0e,
    i1,
    i1e,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    log_ndtr,
    modified_bessel_i0,
    modified_bessel_i1,
    modified_bessel_k0,
    modified_bessel_k1,
    multigammaln,
    ndtr,
    ndtri,
    polygamma,
    psi,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
    spherical_bessel_j0,
    xlog1py,
    zeta,
)

_engine.add_functions(__name__, "torch", "special", binds=False)
_settle(__name__)
