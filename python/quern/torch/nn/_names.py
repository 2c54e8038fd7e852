"""Unsupported names of torch.nn: accessing one raises an AttributeError that says so, and hasattr() returns False."""


def unserved(module, names):
    """A module's ``__getattr__``, which knows ``names``, apart by spaces, as PyTorch's."""
    names = frozenset(names.split())
    public = module.removeprefix("quern.")

    def __getattr__(name):
        if name in names:
            raise AttributeError(f"[{public}.{name}] quern has no such name yet; PyTorch has it")
        raise AttributeError(f"module '{public}' has no attribute '{name}'")

    return __getattr__
