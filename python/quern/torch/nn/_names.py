"""Unsupported names of torch.nn: accessing one raises an AttributeError that says so, and hasattr() returns False."""

import sys


def unserved(module, names):
    """A module's ``__getattr__``, which knows ``names``, apart by spaces, as PyTorch's."""
    names = frozenset(names.split())
    public = module.removeprefix("quern.")

    def __getattr__(name):
        if name in names:
            raise AttributeError(
                f"[{public}.{name}] quern has no such name yet; docs/torch.md says what is left out; with PyTorch installed, "
                "`python FILE` runs the program on it"
            )
        raise AttributeError(f"module '{public}' has no attribute '{name}'", name=name, obj=sys.modules[module])

    return __getattr__
