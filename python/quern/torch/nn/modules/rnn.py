"""Recurrent networks as layers, and their cells. Start reading at RNNBase._run(); the work is torch.lstm() and its relatives."""

import math
import numbers
import warnings

from quern.torch import _namespace as torch
from quern.torch.nn import init
from quern.torch.nn.modules.module import Module
from quern.torch.nn.parameter import Parameter
from quern.torch.nn.utils.rnn import PackedSequence

_FUNCTIONS = {"LSTM": torch.lstm, "GRU": torch.gru, "RNN_TANH": torch.rnn_tanh, "RNN_RELU": torch.rnn_relu}
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _check(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size):
    if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than 1, "
            f"but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=4,
        )
    for name, value, kind in (
        ("bias", bias, bool),
        ("batch_first", batch_first, bool),
        ("input_size", input_size, int),
        ("hidden_size", hidden_size, int),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in _GATES:
        raise ValueError(f"Unrecognized RNN mode: {mode}")


def _shapes(gates, inner, size, proj_size, bias):
    """The names of a layer's parameters and their shapes."""
    width = proj_size or size
    found = {"weight_ih": (gates * size, inner), "weight_hh": (gates * size, width)}
    if bias:
        found |= {"bias_ih": (gates * size,), "bias_hh": (gates * size,)}
    if proj_size:
        found["weight_hr"] = (proj_size, size)
    return found


def _reset(module):
    """Gives the parameters new random values."""
    limit = 1 / math.sqrt(module.hidden_size)
    for parameter in module.parameters():
        init.uniform_(parameter, -limit, limit)


class RNNBase(Module):
    """Base class of recurrent networks: their parameters, and checks of arguments.

    Parameters
    ----------
    mode : {"LSTM", "GRU", "RNN_TANH", "RNN_RELU"}
        What the network computes.
    input_size : int
        Size of the last dimension of the input.
    hidden_size : int
        Size of the states.
    num_layers : int, optional
        Number of layers, each of which reads the results of the one before.
    bias : bool, optional
        Whether to add biases.
    batch_first : bool, optional
        Whether the input and the result are (N, steps, ...) instead of (steps, N, ...).
    dropout : float, optional
        Probability of dropout, in training, of the results of all layers but the last.
    bidirectional : bool, optional
        Whether each layer also goes through the steps backwards.
    proj_size : int, optional
        Size that hidden states of an LSTM are projected to; 0: they are not.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Raises
    ------
    ValueError
        For an unknown `mode`, sizes that are not positive, or a `dropout` outside of [0, 1].
    TypeError
        For sizes that are no integers, or flags that are no bools.

    Examples
    --------
    >>> from quern import torch
    >>> [tuple(p.shape) for p in torch.nn.RNNBase("GRU", 3, 4).parameters()]
    [(12, 3), (12, 4), (12,), (12,)]
    """

    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        _check(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights = []
        sides = ("", "_reverse") if bidirectional else ("",)
        for layer in range(num_layers):
            inner = (proj_size or hidden_size) * len(sides) if layer else input_size
            for side in sides:
                shapes = _shapes(_GATES[mode], inner, hidden_size, proj_size, bias)
                names = [f"{name}_l{layer}{side}" for name in shapes]
                self._all_weights.append(names)
                for name, shape in zip(names, shapes.values(), strict=True):
                    setattr(self, name, Parameter(torch.empty(shape, device=device, dtype=dtype)))
        self.reset_parameters()

    @property
    def all_weights(self):
        """The parameters, a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [getattr(self, name, None) for name in self._flat_weights_names]

    def flatten_parameters(self):
        """Do nothing: the parameters need not be neighbours in memory."""

    def reset_parameters(self):
        """Give the parameters new random values, between -1 and 1 divided by the root of `hidden_size`."""
        _reset(self)

    def check_input(self, input, batch_sizes):
        """Raise an error for an input of another dtype, number of dimensions or size."""
        first = self._flat_weights[0]
        if input.dtype != first.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({first.dtype}). "
                f"Convert input: input.to({first.dtype}), or convert model: model.to({input.dtype})"
            )
        expected = 3 if batch_sizes is None else 2
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}")

    def _expected_size(self, input, batch_sizes, size):
        samples = input.size(0 if self.batch_first else 1) if batch_sizes is None else int(batch_sizes[0])
        return (self.num_layers * (2 if self.bidirectional else 1), samples, size)

    def get_expected_hidden_size(self, input, batch_sizes):
        """Return the shape of the hidden states for an input."""
        return self._expected_size(input, batch_sizes, self.proj_size or self.hidden_size)

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        """Raise an error for states of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input, hidden, batch_sizes):
        """Raise an error for an input or states that do not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        """Return the states with their samples in another order; None: in this one."""
        return hx if permutation is None else hx.index_select(1, permutation)

    # LSTM's states are two tensors, others' one; these three take and give a tuple.

    def _joined(self, states):
        return states[0]

    def _zeros(self, input, batch_sizes):
        shape = self.get_expected_hidden_size(input, batch_sizes)
        return (torch.zeros(shape, dtype=input.dtype, device=input.device),)

    def _check_states(self, states, is_batched):
        if states[0].dim() != (3 if is_batched else 2):
            kind = "batched 3-D" if is_batched else "unbatched 2-D"
            raise RuntimeError(f"For {kind} input, hx should also be {3 if is_batched else 2}-D but got {states[0].dim()}-D tensor")

    def _run(self, input, hx):
        if isinstance(input, PackedSequence):
            return self._run_packed(input, hx)
        name = "RNN" if self.mode.startswith("RNN") else self.mode
        if input.dim() not in (2, 3):
            kind = "D tensor instead" if name == "RNN" else "D instead"
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}{kind}")
        is_batched, axis = input.dim() == 3, 0 if self.batch_first else 1
        if not is_batched:
            input = input.unsqueeze(axis)
        if hx is None:
            states = self._zeros(input, None)
        else:
            states = tuple(hx) if self.mode == "LSTM" else (hx,)
            self._check_states(states, is_batched)
            if not is_batched:
                states = tuple(state.unsqueeze(1) for state in states)
        self.check_forward_args(input, self._joined(states), None)
        output, *states = _FUNCTIONS[self.mode](
            input,
            self._joined(states),
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
            self.batch_first,
        )
        if not is_batched:
            output, states = output.squeeze(axis), [state.squeeze(1) for state in states]
        return output, self._joined(tuple(states))

    def _run_packed(self, given, hx):
        input, batch_sizes, sorted_indices, unsorted_indices = given
        if hx is None:
            hx = self._joined(self._zeros(input, batch_sizes))
        else:
            hx = self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(input, hx, batch_sizes)
        output, *states = _FUNCTIONS[self.mode](
            input,
            batch_sizes,
            hx,
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
        )
        packed = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        return packed, self.permute_hidden(self._joined(tuple(states)), unsorted_indices)

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("proj_size", 0)  # of states that were saved before there was one

    def extra_repr(self):
        parts = [f"{self.input_size}, {self.hidden_size}"]
        defaults = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False}
        parts += [f"{name}={getattr(self, name)}" for name, default in defaults.items() if getattr(self, name) != default]
        return ", ".join(parts)


_NETWORK = """Apply {what} of one or several layers to sequences: (steps, N, input_size) -> (steps, N, D * {out}).

{formula}

Parameters
----------
input_size : int
    Size of the last dimension of the input.
hidden_size : int
    Size of the states.
num_layers : int, optional
    Number of layers, each of which reads the results of the one before.{nonlinearity}
bias : bool, optional
    Whether to add biases.
batch_first : bool, optional
    Whether the input and the result are (N, steps, ...) instead of (steps, N, ...).
dropout : float, optional
    Probability of dropout, in training, of the results of all layers but the last.
bidirectional : bool, optional
    Whether each layer also goes through the steps backwards; D is then 2.
proj_size : {projection}
device, dtype : optional
    Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

Attributes
----------
weight_ih_l0, weight_hh_l0 : Parameter
    Weights of the input and of the hidden state in layer 0, at first random in [-1, 1] / sqrt(hidden_size); those of the other
    direction end in ``_reverse``.
bias_ih_l0, bias_hh_l0 : Parameter
    Biases, of the same values at first.

Raises
------
ValueError
    For sizes that are not positive or a `dropout` outside of [0, 1]; at a call, for an input of another dtype or rank.
TypeError
    For sizes that are no integers, or flags that are no bools.
RuntimeError
    For an input or states of other sizes, at a call.

Notes
-----
Called with the input and, optionally, the states before the first step, it returns ``(output, {states})``. States are (layers * D, N,
size). An input without N is taken, too, and a PackedSequence of sequences of different lengths, which gives one.

Examples
--------
>>> from quern import torch
>>> output, states = torch.nn.{name}(3, 4, bidirectional=True)(torch.ones(5, 2, 3))
>>> output.shape
torch.Size([5, 2, 8])
"""


_NO_PROJECTION = "None, optional\n    Not supported: an LSTM has one."


def _described(name, what, formula, states, out="hidden_size", nonlinearity="", projection=_NO_PROJECTION):
    return _NETWORK.format(
        name=name, what=what, formula=formula, states=states, out=out, nonlinearity=nonlinearity, projection=projection
    )


def _refuse_projection(proj_size):
    if proj_size is not None:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    __doc__ = _described(
        "RNN",
        "a recurrent network",
        "Each step computes ``h = tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``.",
        "h_n",
        nonlinearity='\nnonlinearity : {"tanh", "relu"}, optional\n    Which function a step applies.',
    )

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        nonlinearity="tanh",
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=None,
        device=None,
        dtype=None,
    ):
        _refuse_projection(proj_size)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        mode = f"RNN_{nonlinearity.upper()}"
        super().__init__(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        """Return the hidden states of the last layer, and those of all layers after the last step."""
        return self._run(input, hx)


class LSTM(RNNBase):
    __doc__ = _described(
        "LSTM",
        "a long short-term memory",
        "With the gates i, f, g and o of a step, ``c = sigmoid(f) * c + sigmoid(i) * tanh(g)`` and ``h = sigmoid(o) * tanh(c)``.",
        "(h_n, c_n)",
        out="(proj_size or hidden_size)",
        projection="int, optional\n    Size that hidden states are projected to, by ``weight_hr_l0``; 0: they are not.",
    )

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device, dtype)

    def get_expected_cell_size(self, input, batch_sizes):
        """Return the shape of the cells for an input."""
        return self._expected_size(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input, hidden, batch_sizes):
        """Raise an error for an input or states that do not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden[0], self.get_expected_hidden_size(input, batch_sizes), "Expected hidden[0] size {}, got {}")
        self.check_hidden_size(hidden[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx, permutation):
        """Return the states with their samples in another order; None: in this one."""
        return hx if permutation is None else tuple(state.index_select(1, permutation) for state in hx)

    def _joined(self, states):
        return states

    def _zeros(self, input, batch_sizes):
        shapes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        return tuple(torch.zeros(shape, dtype=input.dtype, device=input.device) for shape in shapes)

    def _check_states(self, states, is_batched):
        expected = 3 if is_batched else 2
        if any(state.dim() != expected for state in states[:2]):
            kind = "batched 3-D" if is_batched else "unbatched 2-D"
            raise RuntimeError(
                f"For {kind} input, hx and cx should also be {expected}-D but got ({states[0].dim()}-D, {states[1].dim()}-D) tensors"
            )

    def forward(self, input, hx=None):
        """Return the hidden states of the last layer, and the hidden states and cells of all layers after the last step."""
        return self._run(input, hx)


class GRU(RNNBase):
    __doc__ = _described(
        "GRU",
        "gated recurrent units",
        "With the gates r, z and n of a step, where ``sigmoid(r)`` multiplies the hidden state's part of n, "
        "``h = sigmoid(z) * h + (1 - sigmoid(z)) * tanh(n)``.",
        "h_n",
    )

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=None,
        device=None,
        dtype=None,
    ):
        _refuse_projection(proj_size)
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype)

    def forward(self, input, hx=None):
        """Return the hidden states of the last layer, and those of all layers after the last step."""
        return self._run(input, hx)


# ---- cells


class RNNCellBase(Module):
    """Base class of recurrent cells: their parameters.

    Parameters
    ----------
    input_size : int
        Size of the last dimension of the input.
    hidden_size : int
        Size of the states.
    bias : bool
        Whether to add biases.
    num_chunks : int
        Number of gates.
    device, dtype : optional
        Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

    Examples
    --------
    >>> from quern import torch
    >>> [tuple(p.shape) for p in torch.nn.RNNCellBase(3, 4, bias=False, num_chunks=2).parameters()]
    [(8, 3), (8, 4)]
    """

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        for name, shape in _shapes(num_chunks, input_size, hidden_size, 0, True).items():
            if bias or name.startswith("weight"):
                setattr(self, name, Parameter(torch.empty(shape, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self):
        """Give the parameters new random values, between -1 and 1 divided by the root of `hidden_size`."""
        _reset(self)

    def extra_repr(self):
        bias = "" if self.__dict__.get("bias", True) is True else f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return f"{self.input_size}, {self.hidden_size}{bias}" + (f", nonlinearity={nonlinearity}" if nonlinearity != "tanh" else "")

    def _run(self, function, input, states, count=1):
        """The new states, of which there are `count`, as a list."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if count > 1 and isinstance(states, torch.Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        for i, state in enumerate(states or ()):
            if state.dim() not in (1, 2):
                which = f"hx[{i}]" if count > 1 else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {state.dim()}D instead")
        is_batched = input.dim() == 2
        if not is_batched:
            input = input.unsqueeze(0)
        if states is None:
            states = (torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device),) * count
        elif not is_batched:
            states = tuple(state.unsqueeze(0) for state in states)
        hx = tuple(states) if count > 1 else states[0]
        found = function(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        found = found if count > 1 else (found,)
        return found if is_batched else tuple(state.squeeze(0) for state in found)


_CELL = """Apply one step of {what}: (N, input_size) and the states, each (N, hidden_size) -> the states after it.

Parameters
----------
input_size : int
    Size of the last dimension of the input.
hidden_size : int
    Size of the states.
bias : bool, optional
    Whether to add biases.{nonlinearity}
device, dtype : optional
    Device and dtype of the parameters; None is the current device, and the default floating-point dtype.

Attributes
----------
weight_ih, weight_hh : Parameter
    Weights of the input and of the hidden state, at first random in [-1, 1] / sqrt(hidden_size).
bias_ih, bias_hh : Parameter or None
    Biases, of the same values at first.

Raises
------
ValueError
    For an input or states that have not one or two dimensions, at a call.
RuntimeError
    For an input or states of other sizes or dtypes, at a call.

Examples
--------
>>> from quern import torch
>>> cell = torch.nn.{name}(3, 4)
>>> {call}.shape
torch.Size([2, 4])
"""


class RNNCell(RNNCellBase):
    __doc__ = _CELL.format(
        name="RNNCell",
        what="a recurrent network",
        call="cell(torch.ones(2, 3))",
        nonlinearity='\nnonlinearity : {"tanh", "relu"}, optional\n    Which function it applies.',
    )
    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        """Return the hidden state after the step; None is a state of zeros."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        function = torch.rnn_tanh_cell if self.nonlinearity == "tanh" else torch.rnn_relu_cell
        return self._run(function, input, None if hx is None else (hx,))[0]


class LSTMCell(RNNCellBase):
    __doc__ = _CELL.format(name="LSTMCell", what="a long short-term memory", call="cell(torch.ones(2, 3))[0]", nonlinearity="")

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        """Return the hidden state and the cell after the step; None are states of zeros."""
        return self._run(torch.lstm_cell, input, hx, count=2)


class GRUCell(RNNCellBase):
    __doc__ = _CELL.format(name="GRUCell", what="gated recurrent units", call="cell(torch.ones(2, 3))", nonlinearity="")

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        """Return the hidden state after the step; None is a state of zeros."""
        return self._run(torch.gru_cell, input, None if hx is None else (hx,))[0]
