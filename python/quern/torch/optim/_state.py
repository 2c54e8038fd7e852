"""The state that an optimizer keeps for a parameter: counts and factors are numbers for steps, and tensors for programs that read them."""

from quern.torch import _namespace as torch

NUMBERS = ("step", "mu_product", "eta", "mu")
_stored = dict.__getitem__


def as_tensor(value):
    """A number as PyTorch keeps it in a state."""
    kind = torch.float64 if torch.get_default_dtype() == torch.float64 else torch.float32
    return torch.tensor(value, dtype=kind, device="cpu")


class State(dict):
    """A dict in which a number becomes a tensor when a program reads it, and stays that tensor from then on."""

    __slots__ = ()

    def number(self, name):
        """The number, for a step."""
        value = _stored(self, name)
        return value if type(value) is float else float(value)

    def count(self):
        """The number of the next step."""
        step = self.number("step") + 1
        self.set_number("step", step)
        return step

    def set_number(self, name, value):
        """Takes a step's new number, into the tensor where a program has read one."""
        old = super().get(name)
        if isinstance(old, torch.Tensor):
            old.fill_(value)
        else:
            super().__setitem__(name, value)

    def plain(self):
        """A plain dict; tensors of numbers in it are its own unless the state has some."""
        return {name: as_tensor(v) if type(v) is float and name in NUMBERS else v for name, v in super().items()}

    def _with_tensors(self):
        for name in NUMBERS:
            self.get(name)
        return self

    def __getitem__(self, name):
        value = super().__getitem__(name)
        if type(value) is float and name in NUMBERS:
            value = as_tensor(value)
            super().__setitem__(name, value)
        return value

    def get(self, name, default=None):
        return self[name] if name in self else default

    def __iter__(self):
        return super().__iter__()  # defined here, so that dict(state) and {**state} read by __getitem__

    def items(self):
        return super(State, self._with_tensors()).items()

    def values(self):
        return super(State, self._with_tensors()).values()

    def pop(self, name, *default):
        self.get(name)
        return super().pop(name, *default)

    def popitem(self):
        return super(State, self._with_tensors()).popitem()

    def setdefault(self, name, default=None):
        super().setdefault(name, default)
        return self[name]

    def copy(self):
        return dict(self.items())

    def __eq__(self, other):
        return super(State, self._with_tensors()).__eq__(other)

    __hash__ = None

    def __or__(self, other):
        return self.copy() | other

    def __ror__(self, other):
        return other | self.copy()

    def __repr__(self):
        return super(State, self._with_tensors()).__repr__()

    def __reduce_ex__(self, protocol):
        return dict, (), None, None, iter(self.plain().items())  # which each optimizer loads, also PyTorch's
