"""cupyx.jit.thrust: not supported."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"[cupyx.jit] jit.thrust.{name} is not supported; write the loop, or call CuPy's function on the whole array")
