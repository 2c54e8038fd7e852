"""cupyx.optimizing: not served; kernels' shapes are the engine's choice."""


def optimize(*args, **kwargs):
    """Raises NotImplementedError: the engine chooses how kernels are launched, there is nothing to search for."""
    raise NotImplementedError("[cupyx.optimizing.optimize] the engine chooses how kernels are launched; there is nothing to optimize")
