"""cupy.fft."""

import numpy

from quern.arrays import fft as _fft
from quern.cupy._fallback import getter as _getter
from quern.cupy._names import FFT as _names


class config:  # noqa: N801
    """Settings of CuPy's that programs make; plans are kept by the engine in any case."""

    enable_nd_planning = True
    use_multi_gpus = False
    __module__ = "cupy.fft"

    @staticmethod
    def get_plan_cache():
        """Raises NotImplementedError: the engine keeps plans itself."""
        raise NotImplementedError("[cupy.fft.config] the engine keeps plans itself; there is no cache to see")

    @staticmethod
    def show_plan_cache_info():
        """Raises NotImplementedError: the engine keeps plans itself."""
        config.get_plan_cache()

    clear_plan_cache = set_cufft_gpus = show_plan_cache_info


__getattr__ = _getter(globals(), _names, _fft, numpy.fft, "cupy.fft")
