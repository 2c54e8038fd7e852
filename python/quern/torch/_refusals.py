"""Functions and classes of PyTorch's that programs import and may never call: a call says that they are not supported."""


def refused(name, instead):
    """Return a function that raises NotImplementedError. `name`: PyTorch's full name; `instead`: what to do."""

    def refuse(*args, **kwargs):
        raise NotImplementedError(f"[{name}] is not supported; {instead}")

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.__doc__ = f"Raise NotImplementedError: this is not supported; {instead}."
    return refuse
