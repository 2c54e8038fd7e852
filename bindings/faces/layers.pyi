"""The faces of layers: products, normalization, dropout. How to read and write these files stands in tools/faces.py."""

@submodule("nn.functional")
class linear:
    """Return ``a @ weight.T + bias``: (*, in), (out, in) or (in), (out) -> (*, out)."""

    def torch(input: array, weight: array, bias: array = None, *, out=None): ...

@submodule("nn.functional")
class layer_norm:
    """Return x with mean 0 and variance 1 over its last dimensions, then times ``weight`` plus ``bias``.

    ``normalized_shape``: the sizes of these dimensions.
    """

    def torch(input: array, normalized_shape: integers, weight: array = None, bias: array = None, eps: number = 1e-5): ...

@submodule("nn.functional")
class rms_norm:
    """Return x divided by the root of the mean of its squares plus ``eps`` over its last dimensions, then times ``weight``.

    ``eps`` is by default the input's type's.
    """

    def torch(input: array, normalized_shape: integers, weight: array = None, eps: number = None): ...

@submodule("nn.functional")
class group_norm:
    """Return x, (N, C, ...), with mean 0 and variance 1 over groups of channels, then times ``weight`` plus ``bias``, (C).

    ``num_groups``: how many groups there are.
    """

    def torch(input: array, num_groups: integer, weight: array = None, bias: array = None, eps: number = 1e-5): ...

@submodule("nn.functional")
class batch_norm:
    """Return x, (N, C, ...), normalized for each channel, in training with its own mean and variance, else with the running ones.

    In training the running ones, unless None, move towards those of x by the part ``momentum``, in place.
    """

    def torch(
        input: array,
        running_mean,
        running_var,
        weight: array = None,
        bias: array = None,
        training=False,
        momentum: operand = 0.1,
        eps: number = 1e-5,
    ): ...

@submodule("nn.functional")
class instance_norm:
    """Return x, (N, C, ...), normalized for each sample and channel; without ``use_input_stats`` with the running mean and variance.

    The running ones, unless None, move towards the samples' mean ones by the part ``momentum``, in place.
    """

    def torch(
        input: array,
        running_mean: array = None,
        running_var: array = None,
        weight: array = None,
        bias: array = None,
        use_input_stats=True,
        momentum: operand = 0.1,
        eps: number = 1e-5,
    ): ...

@submodule("nn.functional")
class bilinear:
    """Return ``input1 @ weight[k] @ input2 + bias[k]`` for each k: (*, in1), (*, in2), (out, in1, in2), (out) -> (*, out)."""

    def torch(input1: array, input2: array, weight: array, bias: array = None): ...

@submodule("nn.functional")
class dropout:
    """Return the elements, in training each 0 with probability ``p`` and else divided by 1 - p; outside of training the input itself.

    ``inplace``: in the input's memory.
    """

    def torch(input: array, p: number = 0.5, training=True, inplace=False): ...
