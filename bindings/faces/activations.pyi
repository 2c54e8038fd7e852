"""The faces of activations. How to read and write these files stands in tools/faces.py.

What NumPy has not is found in torch.nn.functional and keras.ops.nn. ``inplace``: is the result written into the input, which is returned?
"""

class sigmoid:
    """Return ``1 / (1 + exp(-x))`` of each element.

    >>> keras.ops.sigmoid([-1.0, 0.0, 1.0])
    array([0.26894143, 0.5       , 0.7310586 ], dtype=float32)
    """

    @submodule("nn")
    def keras(x): ...

class hardtanh:
    """Return the elements limited to the range from ``min_val`` to ``max_val``.

    >>> torch.nn.functional.hardtanh(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, min_val: number = -1.0, max_val: number = 1.0, inplace=False): ...

@submodule("nn")
class relu:
    """Return the elements above 0, and 0 for the others; the derivative at 0 is 0.

    >>> keras.ops.relu([-1.0, 0.0, 2.5])
    array([0. , 0. , 2.5], dtype=float32)
    """

    def keras(x): ...

@submodule("nn")
class leaky_relu_from_zero:
    """Return elements that are not negative, and the others times ``negative_slope``.

    >>> keras.ops.leaky_relu([-10.0, 3.0])
    array([-2.,  3.], dtype=float32)
    """

    @named("leaky_relu")
    def keras(x, negative_slope: number = 0.2): ...

@submodule("nn")
class hard_tanh:
    """Return the elements limited to [-1, 1]; the derivative at the ends is 1.

    >>> keras.ops.hard_tanh([-2.0, 0.5, 3.0])
    array([-1. ,  0.5,  1. ], dtype=float32)
    """

    def keras(x): ...

@submodule("nn")
class sparsemax:
    """Return probabilities along ``axis`` of which some are 0: max(x - tau, 0), where tau follows from the largest elements.

    >>> keras.ops.sparsemax([1.0, 0.5, -1.0])
    array([0.25, 0.  , 0.  ], dtype=float32)
    """

    def keras(x, axis=-1): ...

class relu6:
    """Return the elements limited to the range from 0 to 6.

    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 4.0, 8.0]))
    tensor([0., 4., 6.])
    """

    @submodule("nn.functional")
    def torch(input: array, inplace=False): ...
    @submodule("nn")
    def keras(x): ...

class threshold:
    """Return the elements above ``threshold``, and ``value`` for the others.

    >>> torch.nn.functional.threshold(torch.tensor([0.5, 1.5, 2.5]), 1.0, -9.0)
    tensor([-9.0000,  1.5000,  2.5000])
    """

    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, threshold: operand, value: operand, inplace=False): ...

class leaky_relu:
    """Return positive elements, and the others times ``negative_slope``.

    >>> torch.nn.functional.leaky_relu(torch.tensor([-2.0, 3.0]), 0.1)
    tensor([-0.2000,  3.0000])
    """

    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, negative_slope: operand = 0.01, inplace=False): ...

class prelu:
    """Return positive elements, and the others times ``weight``: one number, or one for each channel of (N, C, ...).

    >>> torch.nn.functional.prelu(torch.tensor([[-4.0, -4.0], [1.0, 2.0]]), torch.tensor([0.25, 0.5]))
    tensor([[-1., -2.],
            [ 1.,  2.]])
    """

    @submodule("nn.functional")
    def torch(input: array, weight: array): ...
    def Tensor(self: array, weight: array): ...

class rrelu:
    """Return positive elements, and the others times random slopes.

    Parameters: ``lower``, ``upper``: limits of the random slopes; ``training``: whether slopes are random, otherwise all are the middle of
    the limits.

    >>> torch.nn.functional.rrelu(torch.tensor([-8.0, 3.0]), lower=0.25, upper=0.75)
    tensor([-4.,  3.])
    """

    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, lower: number = 0.125, upper: number = 0.3333333333333333, training=False, inplace=False): ...

class hardsigmoid:
    """Return ``x / 6 + 1/2`` limited to the range from 0 to 1.

    >>> torch.nn.functional.hardsigmoid(torch.tensor([-4.0, 0.0, 1.5, 4.0]))
    tensor([0.0000, 0.5000, 0.7500, 1.0000])
    """

    @submodule("nn.functional")
    def torch(input: array, inplace=False): ...
    @submodule("nn")
    @named("hard_sigmoid")
    def keras(x): ...

class hardswish:
    """Return each element times its hardsigmoid.

    >>> torch.nn.functional.hardswish(torch.tensor([-4.0, -1.5, 3.0]))
    tensor([-0.0000, -0.3750,  3.0000])
    """

    @submodule("nn.functional")
    def torch(input: array, inplace=False): ...
    @submodule("nn")
    @named("hard_silu")
    def keras(x): ...

class softshrink:
    """Return the elements moved towards 0 by ``lambd``, and 0 for those no farther from it.

    >>> torch.nn.functional.softshrink(torch.tensor([-2.0, 0.3, 1.0]))
    tensor([-1.5000,  0.0000,  0.5000])
    """

    @submodule("nn.functional")
    def torch(input: array, lambd: operand = 0.5, *, out=None): ...

class hardshrink:
    """Return the elements, and 0 for those no farther from 0 than ``lambd``.

    >>> torch.nn.functional.hardshrink(torch.tensor([-2.0, 0.3, 1.0]))
    tensor([-2.,  0.,  1.])
    """

    @submodule("nn.functional")
    def torch(input: array, lambd: operand = 0.5, *, out=None): ...
    def Tensor(self: array, lambd: operand = 0.5): ...

@submodule("nn")
class threshold_alike:
    """Return the elements above a threshold, and ``default_value`` in place of the others, in the type of both.

    >>> keras.ops.threshold([0.5, 1.5, 2.5], 1.0, -9.0)
    array([-9. ,  1.5,  2.5], dtype=float32)
    """

    @named("threshold")
    def keras(x, threshold, default_value): ...

@submodule("nn")
class soft_shrink:
    """Return the elements moved towards 0 by ``threshold``, and 0 for those no farther from it, and for NaN.

    >>> keras.ops.soft_shrink([-2.0, 0.25, 1.0])
    array([-1.5,  0. ,  0.5], dtype=float32)
    """

    def keras(x, threshold: operand = 0.5): ...

@submodule("nn")
class hard_shrink:
    """Return the elements, and 0 for those no farther from 0 than ``threshold``, and for NaN.

    >>> keras.ops.hard_shrink([-2.0, 0.25, 1.0])
    array([-2.,  0.,  1.], dtype=float32)
    """

    def keras(x, threshold: operand = 0.5): ...

@submodule("nn")
class sparse_plus:
    """Return 0 up to -1, ``(x + 1) ** 2 / 4`` up to 1, and the elements above.

    >>> keras.ops.sparse_plus([-2.0, 0.0, 1.0, 3.0])
    array([0.  , 0.25, 1.  , 3.  ], dtype=float32)
    """

    def keras(x): ...

@submodule("nn")
class sparse_sigmoid:
    """Return ``(x + 1) / 2`` of each element, 0 below and 1 above that: the slope of :func:`sparse_plus`.

    >>> keras.ops.sparse_sigmoid([-2.0, 0.0, 0.5, 3.0])
    array([0.  , 0.5 , 0.75, 1.  ], dtype=float32)
    """

    def keras(x): ...

@submodule("nn")
class squareplus:
    """Return ``(x + sqrt(x ** 2 + b)) / 2`` of each element.

    >>> keras.ops.squareplus([-1.5, 0.0, 1.5])
    array([0.5, 1. , 2. ], dtype=float32)
    """

    def keras(x, b: operand = 4): ...

class gelu:
    """Return each element times the normal distribution's probability of being below it.

    >>> torch.nn.functional.gelu(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    >>> torch.nn.functional.gelu(torch.tensor([-1.0, 0.0, 1.0]), approximate="tanh")
    tensor([-0.1588,  0.0000,  0.8412])
    """

    @submodule("nn.functional")
    def torch(input: array, *, approximate="none", out=None): ...
    @submodule("nn")
    def keras(x, approximate=True): ...

class silu:
    """Return ``x * sigmoid(x)`` of each element, which is also called swish.

    >>> torch.nn.functional.silu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2689,  0.0000,  1.7616])
    """

    @submodule("nn.functional")
    def torch(input: array, inplace=False): ...
    @submodule("nn")
    def keras(x): ...

class mish:
    """Return ``x * tanh(softplus(x))`` of each element.

    >>> torch.nn.functional.mish(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.3034,  0.0000,  1.9440])
    """

    @submodule("nn.functional")
    def torch(input: array, inplace=False): ...

class softplus:
    """Return ``log(1 + exp(beta * x)) / beta`` of each element, or x itself where ``beta * x`` is above ``threshold``.

    >>> torch.nn.functional.softplus(torch.tensor([-5.0, 0.0, 30.0]))
    tensor([6.7153e-03, 6.9315e-01, 3.0000e+01])
    """

    @submodule("nn.functional")
    def torch(input: array, beta: operand = 1, threshold: operand = 20, *, out=None): ...
    @submodule("nn")
    def keras(x): ...

class log_sigmoid:
    """Return ``log(sigmoid(x))`` of each element, exact for large negative ones too.

    >>> torch.nn.functional.logsigmoid(torch.tensor([-100.0, 0.0, 3.0]))
    tensor([-1.0000e+02, -6.9315e-01, -4.8587e-02])
    """

    @submodule("nn.functional")
    @named("logsigmoid")
    def torch(input: array, *, out=None): ...
    @submodule("nn")
    def keras(x): ...

class elu:
    """Return positive elements, and ``alpha * (exp(x) - 1)`` for the others.

    >>> torch.nn.functional.elu(torch.tensor([-1.0, 0.0, 2.0]), alpha=2.0)
    tensor([-1.2642,  0.0000,  2.0000])
    """

    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, alpha: operand = 1.0, inplace=False): ...
    @submodule("nn")
    def keras(x, alpha=1.0): ...

class selu:
    """Return elu() with the two factors that keep mean 0 and variance 1 from layer to layer.

    >>> torch.nn.functional.selu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.1113,  0.0000,  2.1014])
    """

    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, inplace=False): ...
    @submodule("nn")
    def keras(x): ...

class celu:
    """Return positive elements, and ``alpha * (exp(x / alpha) - 1)`` for the others.

    >>> torch.nn.functional.celu(torch.tensor([-1.0, 0.0, 2.0]), alpha=0.5)
    tensor([-0.4323,  0.0000,  2.0000])
    """

    @submodule("nn.functional")
    @in_place_too
    def torch(input: array, alpha: operand = 1.0, inplace=False): ...
    @submodule("nn")
    def keras(x, alpha=1.0): ...

class softsign:
    """Return ``x / (1 + abs(x))`` of each element.

    >>> torch.nn.functional.softsign(torch.tensor([-4.0, 0.0, 1.0]))
    tensor([-0.8000,  0.0000,  0.5000])
    """

    @submodule("nn.functional")
    def torch(input: array): ...
    @submodule("nn")
    def keras(x): ...

class tanhshrink:
    """Return ``x - tanh(x)`` of each element.

    >>> torch.nn.functional.tanhshrink(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2384,  0.0000,  1.0360])
    """

    @submodule("nn.functional")
    def torch(input: array): ...
    @submodule("nn")
    @named("tanh_shrink")
    def keras(x): ...

class entr:
    """Return ``-x log(x)`` of each element: 0 at 0, minus infinity below.

    >>> torch.special.entr(torch.tensor([-1.0, 0.0, 0.5, 2.0]))
    tensor([   -inf,  0.0000,  0.3466, -1.3863])
    """

    @submodule("special")
    def torch(input: array, *, out=None): ...

class glu:
    """Return the first half along ``axis`` times the sigmoid of the second half.

    >>> torch.nn.functional.glu(torch.tensor([1.0, 2.0, 0.0, 3.0]))
    tensor([0.5000, 1.9051])
    """

    @submodule("nn.functional")
    def torch(input: array, dim: integer = -1): ...
    @submodule("nn")
    def keras(x, axis=-1): ...

class softmax:
    """Return exp(x), scaled so that the sum along ``axis`` is 1.

    >>> torch.softmax(torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), dim=1)
    tensor([[0.0900, 0.2447, 0.6652],
            [0.3333, 0.3333, 0.3333]])
    """

    def torch(input: array, dim: integer, dtype: dtype = None, *, out=None): ...
    @submodule("nn.functional")
    def torch(input: array, dim: integer = None, _stacklevel: ignored = 3, dtype: dtype = None): ...
    @submodule("nn")
    def keras(x, axis=-1): ...

class softmin:
    """Return softmax of -x along ``axis``.

    >>> torch.nn.functional.softmin(torch.tensor([1.0, 2.0, 3.0]), dim=0)
    tensor([0.6652, 0.2447, 0.0900])
    """

    @submodule("nn.functional")
    def torch(input: array, dim: integer = None, _stacklevel: ignored = 3, dtype: dtype = None): ...

class log_softmax:
    """Return the logarithm of softmax along ``axis``, without its overflow.

    >>> torch.log_softmax(torch.tensor([0.0, 1000.0]), dim=0)
    tensor([-1000.,     0.])
    """

    def torch(input: array, dim: integer, dtype: dtype = None, *, out=None): ...
    @submodule("nn.functional")
    def torch(input: array, dim: integer = None, _stacklevel: ignored = 3, dtype: dtype = None): ...
    @submodule("nn")
    def keras(x, axis=-1): ...

class gumbel_softmax:
    """Return random samples of classes with the unnormalized log-probabilities ``a`` along ``axis``, as probabilities.

    Parameters: ``tau``: temperature: the smaller, the nearer the results are to 0 and 1; ``eps``: has no effect.

    >>> torch.nn.functional.gumbel_softmax(torch.tensor([[0.0, 1.0, 2.0]]), hard=True).sum()
    tensor(1.)
    """

    @submodule("nn.functional")
    def torch(logits: array, tau: number = 1, hard=False, eps: ignored = 1e-10, dim: integer = -1): ...
