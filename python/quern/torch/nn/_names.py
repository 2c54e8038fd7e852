"""Unsupported names of torch.nn: accessing one raises an AttributeError that says so, and hasattr() returns False."""

import re
import sys

# What a name belongs to, by the first pattern that is found in it.
_GROUPS = (
    ("^vmap$", "function transforms are"),
)


def group_of(name):
    """Return what a name belongs to, as a clause of an error: "convolutions are not supported yet"."""
    found = [group for pattern, group in _GROUPS if re.search(pattern, name.lower())]
    return f"{found[0]} not supported yet" if found else ""


def unserved(module, names):
    """A module's ``__getattr__``, which knows ``names``, apart by spaces, as PyTorch's."""
    names = frozenset(names.split())
    public = module.removeprefix("quern.")

    def __getattr__(name):
        if name in names:
            group = f": {group}" if (group := group_of(name)) else ""
            raise AttributeError(
                f"[{public}.{name}] quern has no such name yet{group}; docs/torch.md says what is left out; with PyTorch installed, "
                "`python FILE` runs the program on it"
            )
        raise AttributeError(f"module '{public}' has no attribute '{name}'", name=name, obj=sys.modules[module])

    return __getattr__
