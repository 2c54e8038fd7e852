"""torch.special: functions of mathematics."""

from quern.arrays.public_names import settle as _settle
from quern.lib import _engine
from quern.torch._elementwise import xlogy  # noqa: F401
from quern.torch._faces import (  # noqa: A004, F401
    digamma,
    erf,
    erfc,
    erfinv,
    exp2,
    expm1,
    i0,
    log1p,
    log_softmax,
    logit,
    logsumexp,
    round,
    sinc,
    softmax,
)
from quern.torch._faces import digamma as psi  # noqa: F401
from quern.torch._faces import i0 as modified_bessel_i0  # noqa: F401
from quern.torch._faces import igamma as gammainc  # noqa: F401
from quern.torch._faces import igammac as gammaincc  # noqa: F401
from quern.torch._faces import lgamma as gammaln  # noqa: F401
from quern.torch._faces import sigmoid as expit  # noqa: F401
from quern.torch._special import (  # noqa: F401
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    multigammaln,
    polygamma,
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
