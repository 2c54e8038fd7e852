"""cupyx.jit.thrust: not served."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"[cupyx.jit] jit.thrust.{name} is not served; write the loop, or call CuPy's function on the whole array")
