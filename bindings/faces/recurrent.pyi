"""The faces of recurrent networks and of sequences of different lengths. How to read and write these files stands in tools/faces.py."""

class lstm:
    """Return the results of an LSTM of several layers, and its states after the last step: ``(output, h_n, c_n)``.

    The input is (steps, N, in) or, with ``batch_first``, (N, steps, in); or packed: its rows step by step, and ``batch_sizes``, how many
    each step has. ``hx`` is (h_0, c_0), each (layers * directions, N, size). ``params`` has for each layer and direction the weights
    (4 * size, in) and (4 * size, size) and, with ``has_biases``, two biases (4 * size); its gates are input, forget, cell, output. Where
    the sizes of h_0 and c_0 differ, the last parameter of each projects hidden states.

    >>> x, zero = torch.ones(2, 1, 1), torch.zeros(1, 1, 1)
    >>> output, h, c = torch.lstm(x, (zero, zero), [torch.ones(4, 1), torch.zeros(4, 1)], False, 1, 0.0, False, False, False)
    >>> output.flatten()
    tensor([0.3696, 0.5453])
    """

    def torch(
        input: array,
        hx: arrays,
        params: arrays,
        has_biases: boolean,
        num_layers: integer,
        dropout: number,
        train: boolean,
        bidirectional: boolean,
        batch_first: boolean,
    ): ...

class lstm_packed:
    """Return them of packed sequences.

    >>> rows, zero = torch.ones(3, 1), torch.zeros(1, 2, 1)
    >>> params = [torch.ones(4, 1), torch.zeros(4, 1)]
    >>> torch.lstm(rows, torch.tensor([2, 1]), (zero, zero), params, False, 1, 0.0, False, False)[0].flatten()
    tensor([0.3696, 0.3696, 0.5453])
    """

    @named("lstm")
    def torch(
        data: array,
        batch_sizes: array,
        hx: arrays,
        params: arrays,
        has_biases: boolean,
        num_layers: integer,
        dropout: number,
        train: boolean,
        bidirectional: boolean,
    ): ...

class gru:
    """Return the results of a GRU of several layers, and its states after the last step: ``(output, h_n)``.

    The input is (steps, N, in) or, with ``batch_first``, (N, steps, in); or packed: its rows step by step, and ``batch_sizes``, how many
    each step has. ``hx`` is (layers * directions, N, size). ``params`` has for each layer and direction the weights (3 * size, in) and
    (3 * size, size) and, with ``has_biases``, two biases (3 * size); its gates are reset, update, new.

    >>> x, zero = torch.ones(2, 1, 1), torch.zeros(1, 1, 1)
    >>> torch.gru(x, zero, [torch.ones(3, 1), torch.zeros(3, 1)], False, 1, 0.0, False, False, False)[0].flatten()
    tensor([0.2048, 0.3546])
    """

    def torch(
        input: array,
        hx: array,
        params: arrays,
        has_biases: boolean,
        num_layers: integer,
        dropout: number,
        train: boolean,
        bidirectional: boolean,
        batch_first: boolean,
    ): ...

class gru_packed:
    """Return them of packed sequences.

    >>> rows, zero = torch.ones(3, 1), torch.zeros(1, 2, 1)
    >>> params = [torch.ones(3, 1), torch.zeros(3, 1)]
    >>> torch.gru(rows, torch.tensor([2, 1]), zero, params, False, 1, 0.0, False, False)[0].flatten()
    tensor([0.2048, 0.2048, 0.3546])
    """

    @named("gru")
    def torch(
        data: array,
        batch_sizes: array,
        hx: array,
        params: arrays,
        has_biases: boolean,
        num_layers: integer,
        dropout: number,
        train: boolean,
        bidirectional: boolean,
    ): ...

class rnn_tanh:
    """Return the results of a network of ``tanh(x W_ih^T + h W_hh^T + biases)``, and its states after the last step: ``(output, h_n)``.

    The input is (steps, N, in) or, with ``batch_first``, (N, steps, in); or packed: its rows step by step, and ``batch_sizes``, how many
    each step has. ``hx`` is (layers * directions, N, size). ``params`` has for each layer and direction the weights (size, in) and
    (size, size) and, with ``has_biases``, two biases (size).

    >>> x, zero = torch.ones(2, 1, 1), torch.zeros(1, 1, 1)
    >>> torch.rnn_tanh(x, zero, [torch.ones(1, 1), torch.ones(1, 1)], False, 1, 0.0, False, False, False)[0].flatten()
    tensor([0.7616, 0.9427])
    """

    def torch(
        input: array,
        hx: array,
        params: arrays,
        has_biases: boolean,
        num_layers: integer,
        dropout: number,
        train: boolean,
        bidirectional: boolean,
        batch_first: boolean,
    ): ...

class rnn_tanh_packed:
    """Return them of packed sequences.

    >>> rows, zero = torch.ones(3, 1), torch.zeros(1, 2, 1)
    >>> params = [torch.ones(1, 1), torch.zeros(1, 1)]
    >>> torch.rnn_tanh(rows, torch.tensor([2, 1]), zero, params, False, 1, 0.0, False, False)[0].flatten()
    tensor([0.7616, 0.7616, 0.7616])
    """

    @named("rnn_tanh")
    def torch(
        data: array,
        batch_sizes: array,
        hx: array,
        params: arrays,
        has_biases: boolean,
        num_layers: integer,
        dropout: number,
        train: boolean,
        bidirectional: boolean,
    ): ...

class rnn_relu:
    """Return the results of a network of ``relu(x W_ih^T + h W_hh^T + biases)``, and its states after the last step: ``(output, h_n)``.

    The input is (steps, N, in) or, with ``batch_first``, (N, steps, in); or packed: its rows step by step, and ``batch_sizes``, how many
    each step has. ``hx`` is (layers * directions, N, size). ``params`` has for each layer and direction the weights (size, in) and
    (size, size) and, with ``has_biases``, two biases (size).

    >>> x, zero = torch.ones(2, 1, 1), torch.zeros(1, 1, 1)
    >>> torch.rnn_relu(x, zero, [torch.ones(1, 1), torch.ones(1, 1)], False, 1, 0.0, False, False, False)[0].flatten()
    tensor([1., 2.])
    """

    def torch(
        input: array,
        hx: array,
        params: arrays,
        has_biases: boolean,
        num_layers: integer,
        dropout: number,
        train: boolean,
        bidirectional: boolean,
        batch_first: boolean,
    ): ...

class rnn_relu_packed:
    """Return them of packed sequences.

    >>> rows, zero = torch.ones(3, 1), torch.zeros(1, 2, 1)
    >>> params = [torch.ones(1, 1), torch.zeros(1, 1)]
    >>> torch.rnn_relu(rows, torch.tensor([2, 1]), zero, params, False, 1, 0.0, False, False)[0].flatten()
    tensor([1., 1., 1.])
    """

    @named("rnn_relu")
    def torch(
        data: array,
        batch_sizes: array,
        hx: array,
        params: arrays,
        has_biases: boolean,
        num_layers: integer,
        dropout: number,
        train: boolean,
        bidirectional: boolean,
    ): ...

class lstm_cell:
    """Return the states of an LSTM after one step: (N, in) and ``hx``, (h, c), each (N, size) -> (h, c).

    >>> x, zero = torch.ones(1, 1), torch.zeros(1, 1)
    >>> torch.lstm_cell(x, (zero, zero), torch.ones(4, 1), torch.zeros(4, 1))
    (tensor([[0.3696]]), tensor([[0.5568]]))
    """

    def torch(input: array, hx: arrays, w_ih: array, w_hh: array, b_ih: array = None, b_hh: array = None): ...

class gru_cell:
    """Return the state of a GRU after one step: (N, in) and ``hx``, (N, size) -> (N, size).

    >>> torch.gru_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(3, 1), torch.zeros(3, 1))
    tensor([[0.2048]])
    """

    def torch(input: array, hx: array, w_ih: array, w_hh: array, b_ih: array = None, b_hh: array = None): ...

class rnn_tanh_cell:
    """Return ``tanh(input w_ih^T + hx w_hh^T + biases)``: (N, in), (N, size) -> (N, size).

    >>> torch.rnn_tanh_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(1, 1), torch.ones(1, 1))
    tensor([[0.7616]])
    """

    def torch(input: array, hx: array, w_ih: array, w_hh: array, b_ih: array = None, b_hh: array = None): ...

class rnn_relu_cell:
    """Return ``relu(input w_ih^T + hx w_hh^T + biases)``: (N, in), (N, size) -> (N, size).

    >>> torch.rnn_relu_cell(torch.ones(1, 1), torch.ones(1, 1), torch.ones(1, 1), torch.ones(1, 1))
    tensor([[2.]])
    """

    def torch(input: array, hx: array, w_ih: array, w_hh: array, b_ih: array = None, b_hh: array = None): ...

@submodule("rnn")
class lstm_layer:
    """Return the hidden states of (N, steps, in) in the order in which they are computed, (N, steps, size), the last one, and the cells.

    >>> keras.layers.LSTM(1, kernel_initializer="ones", recurrent_initializer="zeros", unit_forget_bias=False)(keras.ops.ones((1, 2, 1)))
    array([[0.5453461]], dtype=float32)
    """

    def keras(inputs, state, cells, kernel, recurrent_kernel, bias=None, go_backwards: boolean = False): ...

@submodule("rnn")
class gru_layer:
    """Return the hidden states of (N, steps, in) in the order in which they are computed, (N, steps, size), and the last one.

    >>> keras.layers.GRU(1, kernel_initializer="ones", recurrent_initializer="zeros")(keras.ops.ones((1, 2, 1)))
    array([[0.3545627]], dtype=float32)
    """

    def keras(inputs, state, kernel, recurrent_kernel, bias=None, go_backwards: boolean = False): ...

@submodule("nn.utils.rnn")
class pack_padded:
    """Return the elements of padded sequences step by step, and how many sequences each step has; ``lengths`` must not increase.

    >>> torch.nn.utils.rnn.pack_padded_sequence(torch.tensor([[1, 2], [3, 0]]), [2, 1]).data
    tensor([1, 2, 3])
    """

    @named("_pack_padded_sequence")
    def torch(input: array, lengths: array, batch_first: boolean): ...

@submodule("nn.utils.rnn")
class pad_packed:
    """Return packed sequences side by side, with ``padding_value`` behind the ends of shorter ones, and their lengths.

    >>> packed = torch.nn.utils.rnn.PackedSequence(torch.tensor([1, 2, 3]), torch.tensor([2, 1]))
    >>> torch.nn.utils.rnn.pad_packed_sequence(packed)
    (tensor([[1, 2],
            [3, 0]]), tensor([2, 1]))
    """

    @named("_pad_packed_sequence")
    def torch(data: array, batch_sizes: array, batch_first: boolean, padding_value: number, total_length: integer): ...

@submodule("nn.utils.rnn")
class pad_sequence:
    """Return sequences side by side, with ``padding_value`` behind the ends of shorter ones or, "left", before their starts.

    >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 5, 0]])
    """

    @named("_pad_sequence")
    def torch(sequences: arrays, batch_first: boolean, padding_value: number, padding_side): ...
