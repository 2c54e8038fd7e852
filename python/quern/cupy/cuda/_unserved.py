"""Public names of CuPy that quern does not implement: they exist, and raise NotImplementedError when they are used."""

import builtins


def _described(why):
    return f"Raise NotImplementedError: {why}.\n\nRaises\n------\nNotImplementedError\n    Always.\n"


def function(name, why):
    """A function that raises NotImplementedError: ``[name] why``."""

    def call(*args, **kwargs):
        raise NotImplementedError(f"[{name}] {why}")

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = _described(why)
    return call


def type(name, why):  # noqa: A001
    """A class that cannot be made."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"[{name}] {why}")

    body = {"__init__": __init__, "__doc__": _described(why), "__module__": name.rpartition(".")[0]}
    return builtins.type(name.rpartition(".")[2], (), body)


def getter(module, why):
    """A module's __getattr__: every public name of it raises when it is called."""

    def __getattr__(name):
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return function(f"{module}.{name}", why)

    return __getattr__
