"""Modules that hold modules or parameters, as a list or by name."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from quern.torch import _namespace as torch
from quern.torch.nn.modules.module import Module, _addindent, _typename
from quern.torch.nn.parameter import Parameter


def _place(index, n):
    """An index from 0 on; IndexError where there is no such place."""
    index = operator.index(index)
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of range")
    return index % n


class _Row(Module):
    """Modules under the names "0", "1", ...: what Sequential and ModuleList share."""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def _set(self, modules):
        """Takes modules under new numbers."""
        self._modules.clear()
        self._modules.update((str(i), module) for i, module in enumerate(modules))

    def append(self, module):
        """Add a module at the end; return the container."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Remove a module and return it."""
        module = self[key]
        del self[key]
        return module


class Sequential(_Row):
    """Call modules one after another, each with the result of the one before.

    Parameters
    ----------
    *args : Module or OrderedDict
        Modules in order, or one OrderedDict of names and modules.

    Raises
    ------
    TypeError
        For an argument that is not a module.
    KeyError
        For a name that is empty, has a dot, or is an attribute already.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch import nn
    >>> nn.Sequential(nn.Linear(3, 2), nn.ReLU())(torch.ones(4, 3)).shape
    torch.Size([4, 2])
    """

    def __init__(self, *args):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else ((str(i), m) for i, m in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input):
        """Return the result of the last module.

        Parameters
        ----------
        input : object
            Argument of the first module.

        Returns
        -------
        object
            Result of the last module; `input` where there is none.
        """
        for module in self._modules.values():
            input = module(input)
        return input

    def _name(self, index):
        return list(self._modules)[_place(index, len(self))]

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name(idx)]

    def __setitem__(self, idx, module):
        setattr(self, self._name(idx), module)

    def __delitem__(self, idx):
        for name in list(self._modules)[idx] if isinstance(idx, slice) else [self._name(idx)]:
            delattr(self, name)
        self._set(list(self))

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(list(other))

    def _checked_times(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __mul__(self, other):
        self._checked_times(other)
        return Sequential(*(list(self) * other))

    __rmul__ = __mul__

    def __imul__(self, other):
        self._checked_times(other)
        return self.extend(list(self) * (other - 1))

    def insert(self, index, module):
        """Insert a module before the one at an index; return the container.

        Parameters
        ----------
        index : int
            Index, also a negative one.
        module : Module
            Module.

        Returns
        -------
        Sequential
            The container itself.

        Raises
        ------
        AssertionError
            For an argument that is not a module.
        IndexError
            For an `index` out of range.
        KeyError
            For modules after the index whose names are not their indices.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        index = index + n if index < 0 else index
        for i in range(n, index, -1):  # names that add_module() gave are kept, as in PyTorch
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module
        return self

    def extend(self, sequential):
        """Add modules at the end; return the container.

        Parameters
        ----------
        sequential : iterable of Module
            Modules.

        Returns
        -------
        Sequential
            The container itself.
        """
        for module in list(sequential):
            self.append(module)
        return self


class ModuleList(_Row):
    """List of modules; the module that holds it calls them.

    Parameters
    ----------
    modules : iterable of Module, optional
        Modules.

    Raises
    ------
    TypeError
        For an element that is not a module.

    Examples
    --------
    >>> from quern.torch import nn
    >>> layers = nn.ModuleList([nn.Linear(3, 2), nn.ReLU()])
    >>> len(layers), layers[1]
    (2, ReLU())
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return self.__class__(list(self._modules.values())[idx])
        return self._modules[str(_place(idx, len(self)))]

    def __setitem__(self, idx, module):
        setattr(self, str(_place(idx, len(self))), module)

    def __delitem__(self, idx):
        if isinstance(idx, slice):
            for i in range(len(self))[idx]:
                delattr(self, str(i))
        else:
            delattr(self, str(_place(idx, len(self))))
        self._set(list(self))

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def insert(self, index, module):
        """Insert a module before the one at an index.

        Parameters
        ----------
        index : int
            Index, also a negative one.
        module : Module
            Module.
        """
        modules = list(self)
        modules.insert(index, module)
        for i, m in enumerate(modules):  # checks the new one, too
            self.add_module(str(i), m)

    def extend(self, modules):
        """Add modules at the end.

        Parameters
        ----------
        modules : iterable of Module
            Modules.

        Returns
        -------
        ModuleList
            The list itself.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self):
        """Return the representation, in which equal modules in a row appear once."""
        groups = []  # first, last, text
        for i, text in enumerate(repr(module) for module in self):
            if groups and groups[-1][2] == text:
                groups[-1][1] = i
            else:
                groups.append([i, i, text])
        lines = []
        for first, last, text in groups:
            text = f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            lines.append(_addindent(text, 2))
        return f"{self._get_name()}(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"


class ModuleDict(Module):
    """Dictionary of modules, in insertion order; the module that holds it calls them.

    Parameters
    ----------
    modules : mapping or iterable of pairs, optional
        Names and modules.

    Raises
    ------
    TypeError
        For a value that is not a module, or a name that is not a string.
    KeyError
        For a name that is empty, has a dot, or is an attribute already.

    Examples
    --------
    >>> from quern.torch import nn
    >>> layers = nn.ModuleDict({"linear": nn.Linear(3, 2)})
    >>> list(layers), layers["linear"]
    (['linear'], Linear(in_features=3, out_features=2, bias=True))
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key):
        """Remove a module and return it.

        Parameters
        ----------
        key : str
            Name.

        Returns
        -------
        Module
            Module of that name.
        """
        return self._modules.pop(key)

    def keys(self):
        """The names."""
        return self._modules.keys()

    def items(self):
        """Pairs of name and module."""
        return self._modules.items()

    def values(self):
        """The modules."""
        return self._modules.values()

    def update(self, modules):
        """Add the modules of a dictionary; existing names get the new modules.

        Parameters
        ----------
        modules : mapping or iterable of pairs
            Names and modules.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleDict.update should be called with an iterable of key/value pairs, but got {type(modules).__name__}")
        for name, module in _pairs(modules, "ModuleDict"):
            self[name] = module


def _pairs(given, kind):
    """Names and values of a dictionary or of an iterable of pairs."""
    if isinstance(given, (Mapping, ModuleDict, ParameterDict)):
        return list(given.items())
    pairs = []
    for i, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{kind} update sequence element #{i} should be Iterable; is {type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{kind} update sequence element #{i} has length {len(pair)}; 2 is required")
        pairs.append(pair)
    return pairs


def _told(name, value, kind, where):
    """A line that says what a parameter in a list or dictionary is; two spaces more than other lines have, as PyTorch has it."""
    size = "x".join(map(str, value.size()))
    return f"  ({name}): {'Parameter' if isinstance(value, Parameter) else 'Tensor'} containing: [{kind} of size {size}{where}]"


class ParameterList(Module):
    """List of parameters; tensors that are put in become parameters.

    Parameters
    ----------
    values : iterable, optional
        Tensors, or other values, which stay what they are.

    Examples
    --------
    >>> from quern import torch
    >>> weights = torch.nn.ParameterList([torch.ones(2)])
    >>> weights[0].requires_grad
    True
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter(self[i] for i in range(len(self)))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return self.__class__(self[i] for i in range(len(self))[idx])
        return getattr(self, str(_place(idx, len(self))))

    def __setitem__(self, idx, param):
        if isinstance(param, torch.Tensor) and not isinstance(param, Parameter):
            param = Parameter(param)
        setattr(self, str(_place(idx, len(self))), param)

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value):
        """Add a value at the end.

        Parameters
        ----------
        value : object
            Tensor, which becomes a parameter, or another value.

        Returns
        -------
        ParameterList
            The list itself.
        """
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Add values at the end.

        Parameters
        ----------
        values : iterable
            Tensors, which become parameters, or other values.

        Returns
        -------
        ParameterList
            The list itself.
        """
        if not isinstance(values, Iterable) or isinstance(values, torch.Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self):
        lines = []
        for i, value in enumerate(self):
            if isinstance(value, torch.Tensor):
                where = "" if value.device.type == "cpu" else f" ({value.device})"
                lines.append(_told(i, value, value.dtype, where))
            else:
                lines.append(f"  ({i}): Object of type: {type(value).__name__}")
        return "\n".join(lines)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Dictionary of parameters, in insertion order; tensors that are put in become parameters.

    Parameters
    ----------
    parameters : mapping or iterable of pairs, optional
        Names and values.

    Examples
    --------
    >>> from quern import torch
    >>> weights = torch.nn.ParameterDict({"a": torch.ones(2)})
    >>> weights["a"].requires_grad
    True
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key):
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string (type is '{type(key).__name__}').")
        return key

    def __getitem__(self, key):
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key, value):
        attribute = self._key_to_attr(key)
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        self._keys[key] = None
        setattr(self, attribute, value)

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """Another dictionary of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key, default=None):
        """Return the value of a name; a missing one is set to a default.

        Parameters
        ----------
        key : str
            Name.
        default : object, optional
            Value of a missing name.

        Returns
        -------
        object
            Value of the name.
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """Remove all values."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Remove a value and return it.

        Parameters
        ----------
        key : str
            Name.

        Returns
        -------
        object
            Value of the name.
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Remove the last name and value and return them."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key, default=None):
        """Return the value of a name, or a default.

        Parameters
        ----------
        key : str
            Name.
        default : object, optional
            Result for a missing name.

        Returns
        -------
        object
            Value of the name.
        """
        return self[key] if key in self else default

    def fromkeys(self, keys, default=None):
        """Return a new dictionary with one value for all names.

        Parameters
        ----------
        keys : iterable of str
            Names.
        default : object, optional
            Value.

        Returns
        -------
        ParameterDict
            New dictionary.
        """
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        """The names."""
        return self._keys.keys()

    def items(self):
        """Pairs of name and value."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Add the values of a dictionary; existing names get the new values.

        Parameters
        ----------
        parameters : mapping or iterable of pairs
            Names and values.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                f"ParametersDict.update should be called with an iterable of key/value pairs, but got {type(parameters).__name__}"
            )
        pairs = _pairs(parameters, "ParameterDict")
        if type(parameters) is dict:
            pairs.sort()  # as PyTorch has it, for dictionaries of its first days
        for key, value in pairs:
            self[key] = value

    def extra_repr(self):
        lines = []
        for key, value in self.items():
            if isinstance(value, torch.Tensor):
                where = f" (GPU {value.get_device()})" if value.is_cuda else ""
                lines.append(_told(key, value, _typename(value), where))
            else:
                lines.append(f"  ({key}): Object of type: {_typename(value)}")
        return "\n".join(lines)

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        result = self.copy()
        result.update(other)
        return result

    def __ror__(self, other):
        result = other.copy()
        result.update(self)
        return result

    def __ior__(self, other):
        self.update(other)
        return self
