"""The faces of layers: products, normalization, dropout. How to read and write these files stands in tools/faces.py."""

@submodule("nn.functional")
class linear:
    """Return ``a @ weight.T + bias``: (*, in), (out, in) or (in), (out) -> (*, out).

    >>> torch.nn.functional.linear(torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 0.0], [1.0, 1.0]]), torch.tensor([0.5, 0.0]))
    tensor([1.5000, 3.0000])
    """

    def torch(input: array, weight: array, bias: array = None, *, out=None): ...

@submodule("nn.functional")
class layer_norm:
    """Return x with mean 0 and variance 1 over its last dimensions, then times ``weight`` plus ``bias``.

    ``normalized_shape``: the sizes of these dimensions.

    >>> torch.nn.functional.layer_norm(torch.tensor([[1.0, 2.0, 3.0], [10.0, 10.0, 40.0]]), (3,))
    tensor([[-1.2247,  0.0000,  1.2247],
            [-0.7071, -0.7071,  1.4142]])
    """

    def torch(input: array, normalized_shape: integers, weight: array = None, bias: array = None, eps: number = 1e-5): ...

@submodule("nn.functional")
class rms_norm:
    """Return x divided by the root of the mean of its squares plus ``eps`` over its last dimensions, then times ``weight``.

    ``eps`` is by default the input's type's.

    >>> torch.nn.functional.rms_norm(torch.tensor([[3.0, 4.0]]), (2,))
    tensor([[0.8485, 1.1314]])
    """

    def torch(input: array, normalized_shape: integers, weight: array = None, eps: number = None): ...

@submodule("nn.functional")
class group_norm:
    """Return x, (N, C, ...), with mean 0 and variance 1 over groups of channels, then times ``weight`` plus ``bias``, (C).

    ``num_groups``: how many groups there are.

    >>> torch.nn.functional.group_norm(torch.tensor([[[1.0], [3.0], [10.0], [30.0]]]), 2).flatten()
    tensor([-1.0000,  1.0000, -1.0000,  1.0000])
    """

    def torch(input: array, num_groups: integer, weight: array = None, bias: array = None, eps: number = 1e-5): ...

@submodule("nn.functional")
class batch_norm:
    """Return x, (N, C, ...), normalized for each channel, in training with its own mean and variance, else with the running ones.

    In training the running ones, unless None, move towards those of x by the part ``momentum``, in place.

    >>> mean, variance = torch.tensor([1.0, 0.0]), torch.tensor([4.0, 1.0])
    >>> torch.nn.functional.batch_norm(torch.tensor([[5.0, 2.0], [1.0, 3.0]]), mean, variance)
    tensor([[2.0000, 2.0000],
            [0.0000, 3.0000]])
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

    >>> torch.nn.functional.instance_norm(torch.tensor([[[1.0, 3.0], [10.0, 30.0]]])).flatten()
    tensor([-1.0000,  1.0000, -1.0000,  1.0000])
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

@submodule("nn")
class moments:
    """Return mean and variance along axes; those of float16 are computed in float32.

    >>> mean, variance = keras.ops.moments(keras.ops.array([[1.0, 2.0], [5.0, 4.0]]), axes=[0])
    >>> mean
    array([3., 3.], dtype=float32)
    >>> variance
    array([4., 1.], dtype=float32)
    """

    def keras(x, axes, keepdims=False, synchronized=False): ...

@submodule("nn")
class batch_normalization:
    """Return ``(x - mean) / sqrt(variance + epsilon) * scale + offset``, along an axis of channels.

    >>> x, mean, variance = keras.ops.array([[5.0, 2.0], [1.0, 3.0]]), keras.ops.array([1.0, 0.0]), keras.ops.array([4.0, 1.0])
    >>> keras.ops.batch_normalization(x, mean, variance, axis=-1, epsilon=0.0)
    array([[2., 2.],
           [0., 3.]], dtype=float32)
    """

    def keras(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3): ...

@submodule("nn.functional")
class bilinear:
    """Return ``input1 @ weight[k] @ input2 + bias[k]`` for each k: (*, in1), (*, in2), (out, in1, in2), (out) -> (*, out).

    >>> torch.nn.functional.bilinear(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]))
    tensor([11.])
    """

    def torch(input1: array, input2: array, weight: array, bias: array = None): ...

class conv1d:
    """Return the convolution of (N, C, L) or (C, L) with ``weight``, (O, C / groups, K), plus ``bias``, (O): (N, O, L').

    ``padding``: so many zeros at both ends, or "valid", none, or "same", as many as keep the length.

    >>> torch.nn.functional.conv1d(torch.tensor([[[1.0, 2.0, 4.0]]]), torch.tensor([[[1.0, -1.0]]]))
    tensor([[[-1., -2.]]])
    """

    @submodule("nn.functional")
    def torch(input: array, weight: array, bias: array = None, stride=1, padding=0, dilation=1, groups: integer = 1): ...
    def torch(input: array, weight: array, bias: array = None, stride=1, padding=0, dilation=1, groups: integer = 1): ...

class conv2d:
    """Return the convolution of (N, C, H, W) or (C, H, W) with ``weight``, (O, C / groups, kH, kW), plus ``bias``, (O): (N, O, H', W').

    ``stride``, ``padding`` and ``dilation`` are a number or two. ``padding``: so many zeros on both sides of each axis, or "valid",
    none, or "same", as many as keep the sizes.

    >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
    >>> torch.nn.functional.conv2d(x, torch.ones(1, 1, 2, 2), stride=2)
    tensor([[[[10., 18.],
              [42., 50.]]]])
    """

    @submodule("nn.functional")
    def torch(input: array, weight: array, bias: array = None, stride=1, padding=0, dilation=1, groups: integer = 1): ...
    def torch(input: array, weight: array, bias: array = None, stride=1, padding=0, dilation=1, groups: integer = 1): ...

class conv3d:
    """Return the convolution of (N, C, D, H, W) or (C, D, H, W) with ``weight``, (O, C / groups, kD, kH, kW), plus ``bias``, (O).

    The arguments are those of conv2d(), for three axes.

    >>> torch.nn.functional.conv3d(torch.ones(1, 2, 3, 3, 3), torch.ones(4, 2, 2, 2, 2)).shape
    torch.Size([1, 4, 2, 2, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, weight: array, bias: array = None, stride=1, padding=0, dilation=1, groups: integer = 1): ...
    def torch(input: array, weight: array, bias: array = None, stride=1, padding=0, dilation=1, groups: integer = 1): ...

class conv_transpose1d:
    """Return the transposed convolution of (N, C, L) with ``weight``, (C, O / groups, K), plus ``bias``, (O).

    It is the gradient of conv1d() by its input. ``output_padding``: so many more elements at the end of each axis.

    >>> torch.nn.functional.conv_transpose1d(torch.ones(1, 1, 2), torch.ones(1, 1, 3))
    tensor([[[1., 2., 2., 1.]]])
    """

    @submodule("nn.functional")
    def torch(
        input: array,
        weight: array,
        bias: array = None,
        stride=1,
        padding=0,
        output_padding=0,
        groups: integer = 1,
        dilation=1,
    ): ...
    def torch(
        input: array,
        weight: array,
        bias: array = None,
        stride=1,
        padding=0,
        output_padding=0,
        groups: integer = 1,
        dilation=1,
    ): ...

class conv_transpose2d:
    """Return the transposed convolution of (N, C, H, W) with ``weight``, (C, O / groups, kH, kW), plus ``bias``, (O).

    It is the gradient of conv2d() by its input. ``output_padding``: so many more elements at the end of each axis.

    >>> torch.nn.functional.conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), stride=2)
    tensor([[[[1., 1., 1., 1.],
              [1., 1., 1., 1.],
              [1., 1., 1., 1.],
              [1., 1., 1., 1.]]]])
    """

    @submodule("nn.functional")
    def torch(
        input: array,
        weight: array,
        bias: array = None,
        stride=1,
        padding=0,
        output_padding=0,
        groups: integer = 1,
        dilation=1,
    ): ...
    def torch(
        input: array,
        weight: array,
        bias: array = None,
        stride=1,
        padding=0,
        output_padding=0,
        groups: integer = 1,
        dilation=1,
    ): ...

class conv_transpose3d:
    """Return the transposed convolution of (N, C, D, H, W) with ``weight``, (C, O / groups, kD, kH, kW), plus ``bias``, (O).

    It is the gradient of conv3d() by its input. ``output_padding``: so many more elements at the end of each axis.

    >>> torch.nn.functional.conv_transpose3d(torch.ones(1, 2, 3, 3, 3), torch.ones(2, 4, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4, 4])
    """

    @submodule("nn.functional")
    def torch(
        input: array,
        weight: array,
        bias: array = None,
        stride=1,
        padding=0,
        output_padding=0,
        groups: integer = 1,
        dilation=1,
    ): ...
    def torch(
        input: array,
        weight: array,
        bias: array = None,
        stride=1,
        padding=0,
        output_padding=0,
        groups: integer = 1,
        dilation=1,
    ): ...

@submodule("nn")
class conv:
    """Return the convolution of inputs, (N, sizes, C) or, "channels_first", (N, C, sizes), with a kernel (sizes, C / groups, O).

    ``padding``: "valid", none, or "same", as makes the result as large as the inputs divided by the strides.

    >>> x = keras.ops.reshape(keras.ops.arange(4, dtype="float32"), (1, 4, 1))
    >>> keras.ops.reshape(keras.ops.conv(x, keras.ops.ones((2, 1, 1)), padding="same"), (4,))
    array([1., 3., 5., 3.], dtype=float32)
    """

    def keras(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1): ...

@submodule("nn")
class depthwise_conv:
    """Return the convolution of each channel of the inputs with kernels of its own, (sizes, C, results of each channel).

    >>> keras.ops.depthwise_conv(keras.ops.ones((1, 4, 4, 3)), keras.ops.ones((2, 2, 3, 2))).shape
    (1, 3, 3, 6)
    """

    def keras(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1): ...

@submodule("nn")
class separable_conv:
    """Return depthwise_conv() of the inputs, then conv() of that with a kernel of size 1.

    >>> x, depthwise, pointwise = keras.ops.ones((1, 4, 4, 3)), keras.ops.ones((2, 2, 3, 2)), keras.ops.ones((1, 1, 6, 5))
    >>> keras.ops.separable_conv(x, depthwise, pointwise).shape
    (1, 3, 3, 5)
    """

    def keras(inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid", data_format=None, dilation_rate=1): ...

@submodule("nn")
class conv_transpose:
    """Return the transposed convolution of the inputs with a kernel (sizes, O, C): the gradient of conv() by its inputs.

    >>> keras.ops.conv_transpose(keras.ops.ones((1, 4, 4, 3)), keras.ops.ones((2, 2, 5, 3)), strides=2).shape
    (1, 8, 8, 5)
    """

    def keras(inputs, kernel, strides=1, padding="valid", output_padding=None, data_format=None, dilation_rate=1): ...

class max_pool1d:
    """Return the largest element in each window of (N, C, L) or (C, L); with ``return_indices`` also its place in the plane.

    ``stride`` is by default the windows' size. ``ceil_mode``: windows that end beyond the border count, too.

    >>> torch.nn.functional.max_pool1d(torch.arange(4.0).reshape(1, 1, 4), 2)
    tensor([[[1., 3.]]])
    """

    @submodule("nn.functional")
    def torch(
        input: array, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: boolean = False, return_indices: boolean = False
    ): ...
    def torch(input: array, kernel_size, stride=(), padding=0, dilation=1, ceil_mode: boolean = False): ...

class max_pool2d:
    """Return the largest element in each window of (N, C, H, W) or (C, H, W); with ``return_indices`` also its place in the plane.

    ``stride`` is by default the windows' size. ``ceil_mode``: windows that end beyond the border count, too.

    >>> torch.nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 1, 4, 4), 2)
    tensor([[[[ 5.,  7.],
              [13., 15.]]]])
    """

    @submodule("nn.functional")
    def torch(
        input: array, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: boolean = False, return_indices: boolean = False
    ): ...
    def torch(input: array, kernel_size, stride=(), padding=0, dilation=1, ceil_mode: boolean = False): ...

class max_pool3d:
    """Return the largest element in each window of (N, C, D, H, W) or (C, D, H, W); with ``return_indices`` also its place in the plane.

    ``stride`` is by default the windows' size. ``ceil_mode``: windows that end beyond the border count, too.

    >>> torch.nn.functional.max_pool3d(torch.arange(64.0).reshape(1, 1, 4, 4, 4), 2).flatten()
    tensor([21., 23., 29., 31., 53., 55., 61., 63.])
    """

    @submodule("nn.functional")
    def torch(
        input: array, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: boolean = False, return_indices: boolean = False
    ): ...
    def torch(input: array, kernel_size, stride=(), padding=0, dilation=1, ceil_mode: boolean = False): ...

class avg_pool1d:
    """Return the mean of each window of (N, C, L) or (C, L).

    Elements around the input count as zeros; without ``count_include_pad`` they are left out.

    >>> torch.nn.functional.avg_pool1d(torch.arange(4.0).reshape(1, 1, 4), 2)
    tensor([[[0.5000, 2.5000]]])
    """

    @submodule("nn.functional")
    def torch(input: array, kernel_size, stride=None, padding=0, ceil_mode: boolean = False, count_include_pad: boolean = True): ...
    def torch(input: array, kernel_size, stride=(), padding=0, ceil_mode: boolean = False, count_include_pad: boolean = True): ...

class avg_pool2d:
    """Return the mean of each window of (N, C, H, W) or (C, H, W).

    Elements around the input count as zeros; without ``count_include_pad`` they are left out.

    >>> torch.nn.functional.avg_pool2d(torch.arange(16.0).reshape(1, 1, 4, 4), 2)
    tensor([[[[ 2.5000,  4.5000],
              [10.5000, 12.5000]]]])
    """

    @submodule("nn.functional")
    def torch(
        input: array,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode: boolean = False,
        count_include_pad: boolean = True,
        divisor_override: integer = None,
    ): ...

class avg_pool3d:
    """Return the mean of each window of (N, C, D, H, W) or (C, D, H, W).

    Elements around the input count as zeros; without ``count_include_pad`` they are left out.

    >>> torch.nn.functional.avg_pool3d(torch.ones(1, 1, 4, 4, 4), 2).shape
    torch.Size([1, 1, 2, 2, 2])
    """

    @submodule("nn.functional")
    def torch(
        input: array,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode: boolean = False,
        count_include_pad: boolean = True,
        divisor_override: integer = None,
    ): ...

class adaptive_avg_pool1d:
    """Return means of windows that cover (N, C, L) or (C, L) evenly: as many as ``output_size`` says, None for the input's size.

    >>> torch.nn.functional.adaptive_avg_pool1d(torch.ones(1, 1, 4), 2).shape
    torch.Size([1, 1, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size): ...
    def torch(input: array, output_size): ...

class adaptive_max_pool1d:
    """Return the largest elements of windows that cover (N, C, L) or (C, L) evenly: as many as ``output_size`` says.

    >>> torch.nn.functional.adaptive_max_pool1d(torch.ones(1, 1, 4), 2).shape
    torch.Size([1, 1, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size, return_indices: boolean = False): ...

class adaptive_avg_pool2d:
    """Return means of windows that cover (N, C, H, W) or (C, H, W) evenly: as many as ``output_size`` says, None for the input's size.

    >>> torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 1, 4, 4), (2, 2)).shape
    torch.Size([1, 1, 2, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size): ...

class adaptive_max_pool2d:
    """Return the largest elements of windows that cover (N, C, H, W) or (C, H, W) evenly: as many as ``output_size`` says.

    >>> torch.nn.functional.adaptive_max_pool2d(torch.ones(1, 1, 4, 4), (2, 2)).shape
    torch.Size([1, 1, 2, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size, return_indices: boolean = False): ...

class adaptive_avg_pool3d:
    """Return means of windows that cover (N, C, D, H, W) or (C, D, H, W) evenly: as many as ``output_size`` says, None: as many elements.

    >>> torch.nn.functional.adaptive_avg_pool3d(torch.ones(1, 1, 4, 4, 4), (2, 2, 2)).shape
    torch.Size([1, 1, 2, 2, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size): ...

class adaptive_max_pool3d:
    """Return the largest elements of windows that cover (N, C, D, H, W) or (C, D, H, W) evenly: as many as ``output_size`` says.

    >>> torch.nn.functional.adaptive_max_pool3d(torch.ones(1, 1, 4, 4, 4), (2, 2, 2)).shape
    torch.Size([1, 1, 2, 2, 2])
    """

    @submodule("nn.functional")
    def torch(input: array, output_size, return_indices: boolean = False): ...

@submodule("nn")
class max_pool:
    """Return the largest element in each window of inputs, (N, sizes, C) or, "channels_first", (N, C, sizes).

    >>> x = keras.ops.reshape(keras.ops.arange(4, dtype="float32"), (1, 4, 1))
    >>> keras.ops.reshape(keras.ops.max_pool(x, 2), (2,))
    array([1., 3.], dtype=float32)
    """

    def keras(inputs, pool_size, strides=None, padding="valid", data_format=None): ...

@submodule("nn")
class average_pool:
    """Return the mean of each window of inputs, (N, sizes, C) or, "channels_first", (N, C, sizes).

    >>> x = keras.ops.reshape(keras.ops.arange(4, dtype="float32"), (1, 4, 1))
    >>> keras.ops.reshape(keras.ops.average_pool(x, 2), (2,))
    array([0.5, 2.5], dtype=float32)
    """

    def keras(inputs, pool_size, strides=None, padding="valid", data_format=None): ...

@submodule("nn")
class adaptive_max_pool:
    """Return the largest elements of windows that cover the inputs evenly: as many as ``output_size`` says.

    >>> keras.ops.adaptive_max_pool(keras.ops.ones((1, 6, 6, 3)), 2).shape
    (1, 2, 2, 3)
    """

    def keras(inputs, output_size, data_format=None): ...

@submodule("nn")
class adaptive_average_pool:
    """Return the means of windows that cover the inputs evenly: as many as ``output_size`` says.

    >>> keras.ops.adaptive_average_pool(keras.ops.ones((1, 6, 6, 3)), 2).shape
    (1, 2, 2, 3)
    """

    def keras(inputs, output_size, data_format=None): ...

class dropout:
    """Return the elements, in training each 0 with probability ``p`` and else divided by 1 - p; outside of training the input itself.

    >>> torch.nn.functional.dropout(torch.ones(1000), p=0.75).unique()
    tensor([0., 4.])
    >>> torch.nn.functional.dropout(torch.tensor([1.0, 2.0]), training=False)
    tensor([1., 2.])
    """

    @submodule("nn.functional")
    def torch(input: array, p: number = 0.5, training=True, inplace=False): ...
    @in_place_too
    def torch(input: array, p: number, train: boolean): ...

@submodule("nn.functional")
class dropout1d:
    """Return dropout() of whole channels of (N, C, L) or (C, L).

    >>> torch.nn.functional.dropout1d(torch.ones(1000, 2), p=0.5).unique(dim=0)
    tensor([[0., 0.],
            [2., 2.]])
    """

    def torch(input: array, p: number = 0.5, training=True, inplace=False): ...

@submodule("nn.functional")
class dropout2d:
    """Return dropout() of whole channels of (N, C, H, W).

    A tensor with three dimensions is taken as (N, C, L), as older programs mean it.

    >>> torch.nn.functional.dropout2d(torch.ones(1, 1000, 1, 2), p=0.5).reshape(1000, 2).unique(dim=0)
    tensor([[0., 0.],
            [2., 2.]])
    """

    def torch(input: array, p: number = 0.5, training=True, inplace=False): ...

@submodule("nn.functional")
class dropout3d:
    """Return dropout() of whole channels of (N, C, D, H, W) or (C, D, H, W).

    >>> torch.nn.functional.dropout3d(torch.ones(1000, 1, 1, 2), p=0.5).reshape(1000, 2).unique(dim=0)
    tensor([[0., 0.],
            [2., 2.]])
    """

    def torch(input: array, p: number = 0.5, training=True, inplace=False): ...

class feature_dropout:
    """Return dropout() of whole channels of (N, C, ...).

    >>> torch.feature_dropout(torch.ones(1, 1000, 2), p=0.5, train=True)[0].unique(dim=0)
    tensor([[0., 0.],
            [2., 2.]])
    """

    @in_place_too
    def torch(input: array, p: number, train: boolean): ...

class alpha_dropout:
    """Return dropout that keeps mean 0 and variance 1, for layers with selu().

    >>> torch.nn.functional.alpha_dropout(torch.ones(1000), p=0.5, training=True).unique()
    tensor([-0.7792,  1.6656])
    """

    @submodule("nn.functional")
    def torch(input: array, p: number = 0.5, training=False, inplace=False): ...
    @in_place_too
    def torch(input: array, p: number, train: boolean): ...

class feature_alpha_dropout:
    """Return alpha_dropout() of whole channels of (N, C, ...).

    >>> torch.nn.functional.feature_alpha_dropout(torch.ones(1, 1000, 2), p=0.5, training=True)[0].unique(dim=0)
    tensor([[-0.7792, -0.7792],
            [ 1.6656,  1.6656]])
    """

    @submodule("nn.functional")
    def torch(input: array, p: number = 0.5, training=False, inplace=False): ...
    @in_place_too
    def torch(input: array, p: number, train: boolean): ...

@submodule("nn.functional")
class attention:
    """Return ``softmax(query @ key^T * scale + mask) @ value``: (*, H, L, E), (*, H, S, E), (*, H, S, Ev) -> (*, H, L, Ev).

    Parameters: ``scale``: factor of the scores, by default 1 / sqrt(E). Queries whose keys are all masked give 0.

    >>> query, key, value = torch.tensor([[1.0, 0.0]]), torch.tensor([[9.0, 0.0], [0.0, 9.0]]), torch.tensor([[1.0], [5.0]])
    >>> torch.nn.functional.scaled_dot_product_attention(query, key, value)
    tensor([[1.0069]])
    """

    @named("scaled_dot_product_attention")
    def torch(
        query: array,
        key: array,
        value: array,
        attn_mask: array = None,
        dropout_p: number = 0.0,
        is_causal=False,
        *,
        scale: number = None,
        enable_gqa=False,
    ): ...

@submodule("nn")
class dot_product_attention:
    """Return ``softmax(query @ key^T * scale + bias) @ value`` of (N, T, H, E), (N, S, H, E), (N, S, H, Ev): (N, T, H, Ev).

    Memory is linear in the tokens on the CPU. `flash_attention` is accepted and changes nothing. Queries that see no
    key take the mean of all values.

    >>> query, key = keras.ops.ones((1, 1, 1, 2)), keras.ops.ones((1, 2, 1, 2))
    >>> keras.ops.dot_product_attention(query, key, keras.ops.reshape([1.0, 5.0], (1, 2, 1, 1)))
    array([[[[3.]]]], dtype=float32)
    """

    def keras(
        query,
        key,
        value,
        bias=None,
        mask=None,
        scale: number = None,
        is_causal=False,
        flash_attention: ignored = None,
        attn_logits_soft_cap: ignored = None,
    ): ...

@submodule("nn.functional")
class multi_head_attention:
    """Return what several heads of attention give, and their weights: the function of :class:`torch.nn.MultiheadAttention`.

    Inputs are (L, N, E), (S, N, Ek) and (S, N, Ev), or lack N. The pair's second part is None without ``need_weights``; else its shape is
    (N, L, S), or (N, ``num_heads``, L, S) without ``average_attn_weights``.

    >>> x, one = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.eye(2)
    >>> values, weights = torch.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 2, 1, torch.cat([one, one, one]), None, None, None, False, 0.0, one, None)
    >>> weights
    tensor([[0.6698, 0.3302],
            [0.3302, 0.6698]])
    """

    @named("multi_head_attention_forward")
    def torch(
        query: array,
        key: array,
        value: array,
        embed_dim_to_check: integer,
        num_heads: integer,
        in_proj_weight,
        in_proj_bias,
        bias_k,
        bias_v,
        add_zero_attn,
        dropout_p: number,
        out_proj_weight: array,
        out_proj_bias,
        training=True,
        key_padding_mask: array = None,
        need_weights=True,
        attn_mask: array = None,
        use_separate_proj_weight=False,
        q_proj_weight: array = None,
        k_proj_weight: array = None,
        v_proj_weight: array = None,
        static_k: array = None,
        static_v: array = None,
        average_attn_weights=True,
        is_causal=False,
    ): ...

@submodule("nn.functional")
class one_hot_classes:
    """Return class numbers as rows of 0 and one 1: (*) -> (*, num_classes), int64.

    ``num_classes``: by default one more than the largest number.

    >>> torch.nn.functional.one_hot(torch.tensor([0, 2, 1]))
    tensor([[1, 0, 0],
            [0, 0, 1],
            [0, 1, 0]])
    """

    @named("one_hot")
    def torch(input: array, num_classes: integer = -1): ...

@submodule("nn")
class one_hot:
    """Return 1 at each number's place along a new axis, and 0 elsewhere; rows of numbers out of range are all 0.

    >>> keras.ops.one_hot([0, 2, 5], 3)
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 0., 0.]], dtype=float32)
    """

    def keras(x, num_classes, axis=-1, dtype=None, sparse=False): ...

@submodule("nn")
class multi_hot:
    """Return 1 at the place of each number of a row, and 0 elsewhere.

    >>> keras.ops.multi_hot([[0, 2], [1, 1]], 3)
    array([[1., 0., 1.],
           [0., 1., 0.]], dtype=float32)
    """

    def keras(x, num_classes, axis=-1, dtype=None, sparse=False): ...

@submodule("nn.functional")
class embedding:
    """Return rows of a table: (*), (V, D) -> (*, D).

    Parameters: ``padding_idx``: a row that gets no gradient; ``max_norm``: longer rows are scaled to it, in the table, by their
    ``norm_type``-norm; ``scale_grad_by_freq``: each row's gradient is divided by how often the row is picked.

    >>> torch.nn.functional.embedding(torch.tensor([2, 0]), torch.tensor([[0.0, 0.1], [1.0, 1.1], [2.0, 2.1]]))
    tensor([[2.0000, 2.1000],
            [0.0000, 0.1000]])
    """

    def torch(
        input: array,
        weight: array,
        padding_idx: integer = None,
        max_norm: number = None,
        norm_type: number = 2.0,
        scale_grad_by_freq=False,
        sparse=False,
    ): ...

@submodule("nn.functional")
class embedding_bag:
    """Return the sum, mean or maximum of rows of a table, for each bag of row numbers: (B, n), (V, D) -> (B, D).

    Parameters: ``mode``: "sum", "mean" or "max"; ``padding_idx``: number of a row that does not count. The others are those of
    embedding().

    >>> torch.nn.functional.embedding_bag(torch.tensor([0, 1, 2]), torch.tensor([[1.0], [3.0], [5.0]]), torch.tensor([0, 2]))
    tensor([[2.],
            [5.]])
    """

    def torch(
        input: array,
        weight: array,
        offsets: array = None,
        max_norm: number = None,
        norm_type: number = 2,
        scale_grad_by_freq=False,
        mode="mean",
        sparse=False,
        per_sample_weights: array = None,
        include_last_offset=False,
        padding_idx: integer = None,
    ): ...

@submodule("nn.functional")
class pad_last:
    """Return x with elements added before and after: ``pad`` is (before, after) of the last dimension, then of that before it, and so on.

    Negative numbers cut. ``mode``: "constant", with ``value``, by default 0, or "reflect", "replicate" or "circular", of the last one to
    three dimensions, with one or two more before them.

    >>> torch.nn.functional.pad(torch.tensor([[1, 2], [3, 4]]), (1, 2))
    tensor([[0, 1, 2, 0, 0],
            [0, 3, 4, 0, 0]])
    >>> torch.nn.functional.pad(torch.tensor([[1.0, 2.0, 3.0]]), (2, 0), mode="reflect")
    tensor([[3., 2., 1., 2., 3.]])
    """

    @named("pad")
    def torch(input: array, pad: integers, mode="constant", value: number = None): ...

@submodule("nn.functional")
class local_response_norm:
    """Return x divided by (k + alpha * the mean of squares of ``size`` neighbouring channels) ** beta; x: (N, C, ...).

    >>> torch.nn.functional.local_response_norm(torch.tensor([[[1.0], [2.0]]]), size=1, alpha=1.0, beta=1.0).flatten()
    tensor([0.5000, 0.4000])
    """

    def torch(input: array, size: integer, alpha: number = 1e-4, beta: number = 0.75, k: number = 1.0): ...

class channel_shuffle:
    """Return the channels in another order: those of all ``groups`` by turns.

    >>> torch.nn.functional.channel_shuffle(torch.arange(6).reshape(1, 6, 1, 1), 2).flatten()
    tensor([0, 3, 1, 4, 2, 5])
    """

    @named("channel_shuffle", "native_channel_shuffle")
    def torch(input: array, groups: integer): ...
    @named("channel_shuffle", "native_channel_shuffle")
    @submodule("nn.functional")
    def torch(input: array, groups: integer): ...

class pixel_shuffle:
    """Return channels (C * r * r, H, W) as the pixels (C, H * r, W * r), where r is ``factor``.

    >>> torch.nn.functional.pixel_shuffle(torch.tensor([[[1, 2]], [[3, 4]], [[5, 6]], [[7, 8]]]), 2)
    tensor([[[1, 3, 2, 4],
             [5, 7, 6, 8]]])
    """

    def torch(input: array, upscale_factor: integer): ...
    @submodule("nn.functional")
    def torch(input: array, upscale_factor: integer): ...

class pixel_unshuffle:
    """Return pixels (C, H * r, W * r) as the channels (C * r * r, H, W), where r is ``factor``.

    >>> torch.nn.functional.pixel_unshuffle(torch.tensor([[[1, 3], [5, 7]]]), 2).flatten()
    tensor([1, 3, 5, 7])
    """

    def torch(input: array, downscale_factor: integer): ...
    @submodule("nn.functional")
    def torch(input: array, downscale_factor: integer): ...

class conv_tbc:
    """Return the convolution of sequences, (steps, N, C), with kernels, (K, C, O), plus ``bias``: (steps', N, O).

    ``pad``: so many zeros before the first step and after the last one.

    >>> torch.conv_tbc(torch.ones(4, 1, 2), torch.ones(3, 2, 1), torch.zeros(1)).flatten()
    tensor([6., 6.])
    """

    def torch(input: array, weight: array, bias: array, pad: integer = 0): ...
    @submodule("nn.functional")
    def torch(input: array, weight: array, bias: array, pad: integer = 0): ...

class convolution:
    """Return the convolution of (N, C, sizes), or the transposed one, over one to three axes, as conv1d() to conv3d() do.

    >>> torch.convolution(torch.ones(1, 1, 4), torch.ones(1, 1, 3), None, (1,), (0,), (1,), False, (0,), 1).flatten()
    tensor([3., 3.])
    """

    def torch(
        input: array, weight: array, bias, stride, padding, dilation, transposed: boolean, output_padding, groups: integer
    ): ...
