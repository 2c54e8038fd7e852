"""The faces of losses and distances. How to read and write these files stands in tools/faces.py.

``reduction`` is "mean", "sum", or "none" for the loss of each element (of each sample, where classes are meant); ``size_average`` and
``reduce`` are older names for it.
"""

@submodule("nn.functional")
class l1_loss:
    """Return the absolute difference.

    >>> torch.nn.functional.l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]))
    tensor(2.5000)
    >>> torch.nn.functional.l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]), reduction="none")
    tensor([2., 3.])
    """

    def torch(input: array, target: array, size_average=None, reduce=None, reduction="mean", weight: array = None): ...

@submodule("nn.functional")
class mse_loss:
    """Return the square of the difference.

    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]))
    tensor(6.5000)
    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]), reduction="sum")
    tensor(13.)
    """

    def torch(input: array, target: array, size_average=None, reduce=None, reduction="mean", weight: array = None): ...

@submodule("nn.functional")
class smooth_l1_loss:
    """Return the square of the difference / (2 ``beta``) where it is below beta, elsewhere the absolute difference less beta / 2.

    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([0.0, 0.0]), torch.tensor([0.5, 3.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """

    def torch(input: array, target: array, size_average=None, reduce=None, reduction="mean", beta: number = 1.0): ...

@submodule("nn.functional")
class huber_loss:
    """Return half the square of the difference where it is below ``delta``, elsewhere delta times the difference less delta / 2.

    >>> torch.nn.functional.huber_loss(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 5.0]), reduction="none", delta=2.0)
    tensor([0.5000, 8.0000])
    """

    def torch(input: array, target: array, reduction="mean", delta: number = 1.0, weight: array = None): ...

@submodule("nn.functional")
class kl_div:
    """Return the Kullback-Leibler divergence of probabilities from others, whose logarithms are given.

    Parameters: ``target``: probabilities, or with ``log_target`` their logarithms; ``reduction`` may also be "batchmean": the sum
    divided by the number of samples, which is what the divergence is.

    >>> torch.nn.functional.kl_div(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.9, 0.1]]), reduction="batchmean")
    tensor(0.3681)
    """

    def torch(input: array, target: array, size_average=None, reduce=None, reduction="mean", log_target=False): ...

@submodule("nn.functional")
class binary_cross_entropy:
    """Return ``-(target * log(x) + (1 - target) * log(1 - x))`` of probabilities; logarithms end at -100.

    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.9, 0.2]), torch.tensor([1.0, 0.0]))
    tensor(0.1643)
    """

    def torch(input: array, target: array, weight: array = None, size_average=None, reduce=None, reduction="mean"): ...

@submodule("nn.functional")
class binary_cross_entropy_with_logits:
    """Return binary_cross_entropy() of the sigmoid of logits, exact for large ones too.

    ``weight`` and ``pos_weight``, that of the part with the target, broadcast to the input's size.

    >>> torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor([2.0, -100.0]), torch.tensor([1.0, 1.0]), reduction="none")
    tensor([  0.1269, 100.0000])
    """

    def torch(
        input: array, target: array, weight: array = None, size_average=None, reduce=None, reduction="mean", pos_weight: array = None
    ): ...

@submodule("nn.functional")
class soft_margin_loss:
    """Return ``log(1 + exp(-target * x))``, with targets 1 and -1.

    >>> torch.nn.functional.soft_margin_loss(torch.tensor([2.0, -1.0]), torch.tensor([1.0, -1.0]))
    tensor(0.2201)
    """

    def torch(input: array, target: array, size_average=None, reduce=None, reduction="mean"): ...

@submodule("nn.functional")
class multilabel_soft_margin_loss:
    """Return binary_cross_entropy_with_logits() of several labels, (N, C) or (C), as the mean of each sample's labels.

    >>> torch.nn.functional.multilabel_soft_margin_loss(torch.tensor([[2.0, -1.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.2201)
    """

    def torch(input: array, target: array, weight: array = None, size_average=None, reduce=None, reduction="mean"): ...

@submodule("nn.functional")
class poisson_nll_loss:
    """Return minus the log-likelihood of counts ``target`` under a Poisson distribution.

    Parameters: ``full``: whether to add an approximation of the term that depends on the target alone.

    >>> torch.nn.functional.poisson_nll_loss(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]), reduction="none")
    tensor([1.0000, 0.7183])
    """

    def torch(
        input: array, target: array, log_input=True, full=False, size_average=None, eps: number = 1e-8, reduce=None, reduction="mean"
    ): ...

@submodule("nn.functional")
class gaussian_nll_loss:
    """Return minus the log-likelihood of ``target`` under normal distributions with the means and the variances ``var``.

    Parameters: ``full``: whether to add the constant term.

    >>> torch.nn.functional.gaussian_nll_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([4.0]))
    tensor(1.1931)
    """

    def torch(input: array, target: array, var: operand, full=False, eps: number = 1e-6, reduction="mean"): ...

@submodule("nn.functional")
class hinge_embedding_loss:
    """Return x where the target is 1, ``max(0, margin - x)`` where it is -1.

    >>> torch.nn.functional.hinge_embedding_loss(torch.tensor([0.25, 0.25]), torch.tensor([1.0, -1.0]), reduction="none")
    tensor([0.2500, 0.7500])
    """

    def torch(input: array, target: array, margin: number = 1.0, size_average=None, reduce=None, reduction="mean"): ...

@submodule("nn.functional")
class margin_ranking_loss:
    """Return ``max(0, -target * (input1 - input2) + margin)``: targets are 1 where input1 should be larger, -1 where input2 should.

    >>> a, b, target = torch.tensor([3.0, 1.0]), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0])
    >>> torch.nn.functional.margin_ranking_loss(a, b, target, reduction="none")
    tensor([0., 1.])
    """

    def torch(input1: array, input2: array, target: array, margin: number = 0, size_average=None, reduce=None, reduction="mean"): ...

@submodule("nn.functional")
class cosine_embedding_loss:
    """Return 1 - cos where the target is 1, ``max(0, cos - margin)`` where it is -1; of (N, D) or (D), and targets (N) or ().

    >>> a, b = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])
    >>> torch.nn.functional.cosine_embedding_loss(a, b, torch.tensor([1.0]))
    tensor(0.2929)
    """

    def torch(input1: array, input2: array, target: array, margin: number = 0, size_average=None, reduce=None, reduction="mean"): ...

@submodule("nn.functional")
class multi_margin_loss:
    """Return the mean over all other classes i of ``max(0, margin - x[target] + x[i]) ** p``, with p 1 or 2.

    Parameters: ``target``: class numbers, (N) or (); ``weight``: one for each class, (C).

    >>> torch.nn.functional.multi_margin_loss(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([3]))
    tensor(0.3250)
    """

    def torch(
        input: array, target: array, p=1, margin: number = 1.0, weight: array = None, size_average=None, reduce=None, reduction="mean"
    ): ...

@submodule("nn.functional")
class multilabel_margin_loss:
    """Return the sum over target classes j and other classes i of ``max(0, 1 - x[j] + x[i])``, divided by the number of classes.

    ``target``: class numbers, of the input's size, in each row up to the first -1.

    >>> torch.nn.functional.multilabel_margin_loss(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]]))
    tensor(0.8500)
    """

    def torch(input: array, target: array, size_average=None, reduce=None, reduction="mean"): ...

@submodule("nn.functional")
class triplet_margin_loss:
    """Return ``max(0, distance(anchor, positive) - distance(anchor, negative) + margin)``, with pairwise_distance().

    >>> anchor, positive, negative = torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]])
    >>> torch.nn.functional.triplet_margin_loss(anchor, positive, negative)
    tensor(4.0000)
    """

    def torch(
        anchor: array,
        positive: array,
        negative: array,
        margin: number = 1.0,
        p: number = 2,
        eps: number = 1e-6,
        swap=False,
        size_average=None,
        reduce=None,
        reduction="mean",
    ): ...

@submodule("nn.functional")
class ctc_of_batch:
    """Return for each sample minus the logarithm of the probability of its labels, at any places of a sequence.

    Parameters: ``a``: log-probabilities, (T, N, C); ``labels``: (N, S); ``durations``: numbers of steps, (N); ``lengths``: numbers of
    labels, (N); ``blank``: class of no label.

    >>> one = torch.ones(1).long()
    >>> torch.nn.functional._ctc_of_batch(torch.tensor([[[0.25, 0.75]]]).log(), torch.ones(1, 1).long(), one, one, 0)
    tensor([0.2877])
    """

    @named("_ctc_of_batch")
    def torch(a: array, labels: array, durations: array, lengths: array, blank: integer): ...

@submodule("nn.functional")
class nll_loss:
    """Return minus the log-probability of each target class.

    Parameters: ``a``: log-probabilities, (C), (N, C) or (N, C, d1, ...); ``target``: class numbers, the same without C; ``weight``: one
    for each class, (C); ``ignore_index``: the class number of samples that do not count.

    >>> torch.nn.functional.nll_loss(torch.tensor([[0.25, 0.75], [0.5, 0.5]]).log(), torch.tensor([1, 0]))
    tensor(0.4904)
    """

    def torch(
        input: array, target: array, weight: array = None, size_average=None, ignore_index: integer = -100, reduce=None, reduction="mean"
    ): ...

@submodule("nn.functional")
class cross_entropy:
    """Return minus the logarithm of the probability that logits give to the target class.

    Parameters: ``a``: logits, (C), (N, C) or (N, C, d1, ...); ``target``: class numbers, the same without C, or a probability of each
    class, of the input's size; ``weight``: one for each class, (C); ``ignore_index``: the class number of samples that do not count.

    >>> torch.nn.functional.cross_entropy(torch.tensor([[2.0, 0.0, 0.0], [0.0, 3.0, 0.0]]), torch.tensor([0, 1]))
    tensor(0.1672)
    """

    def torch(
        input: array,
        target: array,
        weight: array = None,
        size_average=None,
        ignore_index: integer = -100,
        reduce=None,
        reduction="mean",
        label_smoothing: number = 0.0,
    ): ...

@submodule("nn.functional")
class normalize:
    """Return x divided by its ``p``-norm along ``axis``, which counts as no less than ``eps``.

    >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 1.0000]])
    """

    def torch(input: array, p=2.0, dim=1, eps: number = 1e-12, out=None): ...

@submodule("nn.functional")
class cosine_similarity:
    """Return the cosine of the angle between vectors along ``axis``, whose norms count as no less than ``eps``.

    >>> torch.nn.functional.cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """

    def torch(x1: array, x2: array, dim: integer = 1, eps: number = 1e-8): ...

class cdist:
    """Return the ``p``-norm distance of each row of ``x1`` and each row of ``x2``.

    Parameters: ``x1``: first vectors, (..., P, M), floating-point; ``x2``: second vectors, (..., R, M), of the same dtype; ``p``: order
    of the norm, 0 or more, inf for the largest difference. Returns shape (..., P, R), in the common dtype.

    >>> torch.cdist(torch.tensor([[0.0, 0.0], [1.0, 1.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([[5.0000],
            [3.6056]])
    """

    def torch(x1: array, x2: array, p=2.0, compute_mode: ignored = None): ...

class cdist_alike:
    """Return the distances of each row of ``x`` and each row of ``y``.

    Returns shape (..., P, R) for inputs of shapes (..., P, M) and (..., R, M); floating-point.

    >>> keras.ops.cdist([[0.0, 0.0]], [[3.0, 4.0], [0.0, 1.0]])
    array([[5., 1.]], dtype=float32)
    """

    @submodule("math")
    @named("cdist")
    def keras(x, y): ...

@submodule("nn")
class psnr:
    """Return the peak signal-to-noise ratio of ``x1`` and ``x2`` in decibels.

    Parameters: ``max_val``: the largest value that there may be. Returns an array without dimensions; floating-point.

    >>> keras.ops.psnr([0.0, 1.0], [0.1, 0.9], max_val=1.0)
    array(19.999998, dtype=float32)
    """

    def keras(x1, x2, max_val): ...

@submodule("nn.functional")
class pairwise_distance:
    """Return the ``p``-norm of ``x1 - x2 + eps`` along the last dimension.

    >>> torch.nn.functional.pairwise_distance(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """

    def torch(x1: array, x2: array, p=2.0, eps: number = 1e-6, keepdim=False): ...

@submodule("nn")
class categorical_crossentropy:
    """Return ``-sum(target * log(probability))`` along ``axis``. ``from_logits``: ``output`` has logits, else odds.

    >>> keras.ops.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])
    array([0.6931472], dtype=float32)
    """

    def keras(target, output, from_logits=False, axis=-1): ...

@submodule("nn")
class sparse_categorical_crossentropy:
    """Return -log(probability) of the class that each target names. ``from_logits``: ``output`` has logits, else odds.

    >>> keras.ops.sparse_categorical_crossentropy([1, 0], [[0.5, 0.5], [0.25, 0.75]])
    array([0.6931472, 1.3862944], dtype=float32)
    """

    def keras(target, output, from_logits=False, axis=-1): ...

@submodule("nn")
class binary_crossentropy:
    """Return ``-(target * log(p) + (1 - target) * log(1 - p))``. ``from_logits``: ``output`` has logits, else probabilities p.

    >>> keras.ops.binary_crossentropy([1.0, 0.0], [0.5, 0.75])
    array([0.6931472, 1.3862944], dtype=float32)
    """

    def keras(target, output, from_logits=False): ...
