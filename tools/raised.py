"""What rows of bindings/faces/*.pyi raise, for their docstrings, in the form that a row's docstring has. Start reading at raised().

Exception types are NumPy's; tools/docstrings.py translates them. An error that a row's docstring names itself needs no entry here.
tests/python/faces/test_raises_sections.py makes a wrong call for each sentence.
"""

import returned

OUT_OF_RANGE = "Raises AxisError where ``axis`` is out of range."
BROADCAST = "Raises ValueError for shapes that do not broadcast."
OUT = "Raises RuntimeError for an ``out`` of a dtype to which the result cannot be cast."
COMPLEX = "Raises TypeError (torch: NotImplementedError) for complex numbers."
FLOATS = "Raises TypeError (torch: NotImplementedError) for floating-point numbers."
REDUCTION = "Raises ValueError (torch: ValueError) for an unknown ``reduction``."
REAL_TYPINGS = ("number_not_complex", "round", "real_only", "quantiles")
INTEGER_TYPINGS = ("integer", "integer_no_bool", "integer_only")
OWN_AXIS_ERROR = ("tensordot", "transpose")  # rows whose docstrings say what their axes raise
COMPLEX_TOO = ("median", "nanmedian")
ANY_OUT = ("prod", "nansum")  # computed in the dtype of ``out``
# Of PyTorch's functions alone: the names of rows.
OF_TORCH = {
    # elementwise functions and activations
    "Raises NotImplementedError for complex numbers.": "hardtanh relu6 threshold signbit",
    "Raises NotImplementedError for integers.": """leaky_relu hardsigmoid hardshrink gelu silu mish softplus log_sigmoid elu selu celu
        hardswish gumbel_softmax mean std var std_mean var_mean layer_norm histogram_of_floats poisson_around
        gamma_around dirichlet_around""",
    "Raises ValueError (torch: ValueError) where ``min_val`` is above ``max_val``.": "hardtanh",
    "Raises RuntimeError where ``lower`` is above ``upper``.": "rrelu",
    "Raises RuntimeError for an ``alpha`` of 0.": "celu",
    "Raises RuntimeError for a negative ``lambd``.": "softshrink",
    "Raises RuntimeError for an odd size along ``axis``.": "glu",
    "Raises RuntimeError for an unknown ``approximate``.": "gelu",
    "Raises RuntimeError for a ``weight`` that is neither one slope nor one for each channel.": "prelu",
    "Raises RuntimeError for tensors of different dtypes.": "heaviside",
    "Raises RuntimeError for an ``end`` or ``weight`` of another dtype.": "lerp",
    "Raises RuntimeError without ``low`` and ``high``.": "clamp",
    "Raises RuntimeError for an unknown ``rounding_mode``.": "divide",
    "Raises RuntimeError for integers with a negative integer ``b``.": "power",
    # creation and random numbers
    "Raises RuntimeError for a negative size in ``shape``.": "zeros ones empty rand randn randint",
    "Raises RuntimeError for a negative ``n``.": "randperm",
    "Raises RuntimeError for a negative ``n`` or ``m``.": "eye",
    "Raises RuntimeError for a negative ``row`` or ``col``.": "tril_indices triu_indices",
    "Raises RuntimeError for a negative ``num``.": "logspace",
    "Raises RuntimeError for a negative ``M``, or a ``dtype`` that is not floating-point.": "bartlett blackman hanning hamming kaiser",
    "Raises RuntimeError for a ``step`` of 0 or of the wrong sign.": "arange arange_to_end",
    "Raises NotImplementedError for a ``dtype`` of integers.": "rand randn rand_like randn_like",
    "Raises RuntimeError where ``low`` is not below ``high``.": "randint randint_like",
    "Raises RuntimeError for negative means, when the result is read.": "poisson_around",
    "Raises RuntimeError for shapes or dtypes that do not fit.": "lu_solve lu_unpack householder_product ormqr",
    "Raises RuntimeError for integers, for different dtypes, and when the result is read for negative counts or probabilities outside of"
    " [0, 1].": "binomial_around",
    "Raises RuntimeError for probabilities outside of [0, 1], when the result is read.": "bernoulli",
    "Raises RuntimeError for a negative ``std``.": "normal_of_numbers",
    "Raises RuntimeError for a negative ``std``, when the result is read.": "normal_around",
    "Raises RuntimeError for integers, for more than two dimensions, for ``k`` below 1 or (without ``replacement``) above the"
    " number of weights; for negative weights, NaN or a sum of 0 when the result is read.": "places_by_weight",
    # shapes
    "Raises RuntimeError for numbers of elements that differ, or more than one -1.": "reshape",
    "Raises RuntimeError where ``axis2`` is before ``axis1``, IndexError where one of them is out of range.": "merge_axes",
    "Raises RuntimeError for other sizes than 1 that would change, or fewer dimensions.": "broadcast_to",
    "Raises IndexError where ``axis1`` or ``axis2`` is out of range.": "swapaxes",
    "Raises IndexError where ``source`` or ``destination`` is out of range, RuntimeError where they differ in length or repeat a"
    " dimension.": "moveaxis",
    "Raises RuntimeError where ``axis`` does not have each dimension once, IndexError where one of them is out of range.": "transpose",
    "Raises RuntimeError for more than two dimensions.": "t cov_of_rows corrcoef_of_rows",
    "Raises RuntimeError for a tensor without dimensions.": "flipud",
    "Raises RuntimeError for fewer than two dimensions.": "fliplr",
    "Raises RuntimeError for other than two dimensions.": "trace_of_matrices",
    "Raises RuntimeError for more than two dimensions, or none.": "diag_copy",
    "Raises RuntimeError where ``row`` equals ``column``, IndexError where one of them is out of range.": "diag_embed",
    "Raises RuntimeError for too few dimensions, or a size that the number of parts does not divide.": "hsplit vsplit dsplit",
    "Raises RuntimeError for ``chunks`` below 1.": "chunk",
    "Raises RuntimeError for negative sizes, or sizes whose sum is not that of the dimension.": "split_by_sizes",
    "Raises RuntimeError for a negative number of repetitions.": "tile",
    "Raises RuntimeError where ``shift`` and ``axis`` differ in length.": "roll",
    "Raises RuntimeError for shapes that differ.": "stack",
    "Raises RuntimeError for shapes that do not fit.": "vstack dstack",
    "Raises RuntimeError for other than one dimension, or a negative ``n``.": "vander",
    # searching, sorting and statistics
    "Raises TypeError for complex numbers.": "argsort_along sort_along topk msort",
    "Raises RuntimeError for a ``k`` above the size of the dimension.": "topk",
    "Raises RuntimeError for a ``k`` below 1 or above the size of the dimension.": "kthvalue",
    "Raises RuntimeError for an empty tensor.": "aminmax min",
    "Raises RuntimeError for integers, for a ``q`` outside of [0, 1] or of another dtype, or an unknown ``interpolation``.": """
        quantile_along nanquantile_along""",
    "Raises RuntimeError for an unknown ``side``, a ``sorter`` that is not int64, or dimensions that do not fit.": "searchsorted_in_lines",
    "Raises RuntimeError for ``boundaries`` with other than one dimension.": "bucketize",
    "Raises RuntimeError for negative numbers or other than one dimension, for ``weights`` of another length, or a negative"
    " ``minlength``. Raises NotImplementedError for floating-point numbers.": "bincount_as_torch",
    "Raises RuntimeError for ``bins`` below 1, or a range that falls.": "histc histogram_of_floats",
    "Raises RuntimeError for an ``x`` of another length.": "trapezoid cumulative_trapezoid trapezoid_alike",
    "Raises RuntimeError for tensors of different dtypes. ": "allclose",
    "Raises TypeError where both are numbers.": "isin_either",
    "Raises RuntimeError for indices that are not integers, or of too many dimensions; for indices out of range when the result is"
    " read.": "take_within",
    # linear algebra
    "Raises RuntimeError for matrices that are not square.": """slogdet eigh eigvalsh eigvals inv_ex cholesky_ex solve_ex ldl_factor
        ldl_factor_ex logdet log_abs_det matrix_exp matrix_power power_of_tensor""",
    "Raises RuntimeError for fewer than two dimensions.  ": "lu lu_factor_ex svd_of_tensor old_svd old_qr matrix_rank rank_of_tensor pinv",
    "Raises RuntimeError for an ``UPLO`` that is not 'L' or 'U'.": "eigh eigvalsh",
    "Raises RuntimeError for an unknown ``driver``, or shapes that do not fit.": "lstsq_of_tensor",
    "Raises ValueError (torch: ValueError) for an unknown order.": "cond_of_tensor",
    "Raises RuntimeError for an unknown order.": "matrix_norm_of_tensor norm_of_tensor",
    "Raises RuntimeError for shapes that do not fit.  ": """solve_triangular solution_by_triangle tensorsolve_of_tensor
        matmul mm bmm mv outer addmm addmv addr baddbmm addbmm chain_matmul product_along linear bilinear attention""",
    "Raises RuntimeError for an ``ind`` below 1.": "tensorinv_of_tensor",
    "Raises RuntimeError for other numbers of columns, or a negative ``p``.": "cdist",
    # losses and layers
    "Raises ValueError (torch: ValueError) for a ``p`` outside of [0, 1].": "dropout1d dropout2d dropout3d",
    "Raises RuntimeError for a ``p`` outside of [0, 1].": "feature_dropout",
    "Raises RuntimeError for a ``p`` outside of [0, 1]; functions of ``nn.functional`` raise ValueError, except for NaN.": """dropout
        alpha_dropout feature_alpha_dropout""",
    "Raises RuntimeError for other channels, sizes or dtypes than the weight's, a kernel larger than the input, or a stride below 1.": """
        conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d""",
    "Raises RuntimeError for windows larger than the input, or a ``padding`` above half of ``kernel_size``.": """max_pool1d max_pool2d
        max_pool3d avg_pool1d avg_pool2d avg_pool3d""",
    "Raises RuntimeError for a negative ``output_size``, NotImplementedError for integers.": """adaptive_avg_pool1d adaptive_avg_pool2d
        adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d""",
    "Raises ValueError (torch: ValueError) for both ``size`` and ``scale_factor``, or neither, and numbers that do not fit the axes. Raises"
    " NotImplementedError for a ``mode`` of another number of axes, or integers. Raises RuntimeError for sizes below 1.": "interpolate",
    "Raises RuntimeError for other dimensions, channels or dtypes than the weight's.": "conv_tbc convolution",
    "Raises RuntimeError for numbers below 1, sizes that do not fit, or windows larger than the input. Raises NotImplementedError"
    " for elements that are integers.": "unfold fold",
    "Raises RuntimeError for a place that the result does not have, or places of another shape or dtype. Raises ValueError"
    " (torch: ValueError) for an"
    " ``output_size`` that pooling cannot have had. Raises NotImplementedError for elements that are"
    " integers.": "max_unpool1d max_unpool2d max_unpool3d",
    "Raises ValueError (torch: ValueError) for a ``norm_type`` of 0. Raises RuntimeError for windows larger than the"
    " input.": "lp_pool1d lp_pool2d lp_pool3d",
    "Raises ValueError (torch: ValueError) for neither ``output_size`` nor ``output_ratio``. Raises RuntimeError for"
    " windows larger than the input.": """
        fractional_max_pool2d fractional_max_pool3d fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices""",
    "Raises RuntimeError for windows larger than the input, or a ``padding`` above half of ``kernel_size``.  ": """
        max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices""",
    "Raises RuntimeError for a negative ``output_size``, NotImplementedError for integers.  ": """adaptive_max_pool1d_with_indices
        adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices""",
    "Raises ValueError (torch: ValueError) for an unknown mode. Raises RuntimeError for a grid whose shape or dtype does not fit. Raises"
    " NotImplementedError for elements that are integers.": "grid_sample grid_sampler grid_sampler_2d grid_sampler_3d",
    "Raises ValueError (torch: ValueError) for matrices of another shape than ``size`` needs, sizes below 1, or integers."
    " Raises NotImplementedError for"
    " other than four or five sizes.": "affine_grid",
    "Raises RuntimeError for other than four or five sizes.": "affine_grid_generator",
    "Raises ValueError for another rank, an unknown mode or a wrong size.": """resize_images map_coordinates affine_transform
        gaussian_blur""",
    "Raises RuntimeError for no steps, or states and parameters whose number, sizes or dtypes do not fit.": "lstm gru rnn_tanh rnn_relu",
    "Raises RuntimeError for states and parameters whose sizes or dtypes do not fit.": "lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell",
    "Raises RuntimeError where ``normalized_shape`` is not the end of the input's shape.": "layer_norm rms_norm",
    "Raises RuntimeError for a number of channels that ``num_groups`` does not divide.": "group_norm",
    "Raises ValueError (torch: ValueError) in training, for one value in each channel. Raises RuntimeError for statistics of another"
    " length; without them outside of training.": "batch_norm",
    "Raises ValueError (torch: ValueError) for one value in each channel.": "instance_norm",
    "Raises ValueError (torch: ValueError) for fewer than three dimensions.": "local_response_norm",
    "Raises RuntimeError for an ``attn_mask`` with ``is_causal``.": "attention",
    "Raises AssertionError for inputs, weights or a ``key_padding_mask`` whose shapes do not fit, RuntimeError for an ``attn_mask`` of"
    " another shape, or for ``is_causal`` without one.": "multi_head_attention",
    "Raises RuntimeError for other than int64; for negative numbers; for numbers of ``num_classes`` or more.": "one_hot_classes",
    "Raises IndexError for row numbers out of range, when the result is read. Raises RuntimeError for row numbers that are not"
    " integers. Raises NotImplementedError where ``sparse`` is True.": "embedding",
    "Raises ValueError (torch: ValueError) for a line of row numbers without ``offsets``, or an unknown ``mode``. Raises RuntimeError"
    " for ``offsets`` that do not begin with 0.": "embedding_bag",
    "Raises RuntimeError for an odd number of sizes, or more than the input has; for a reflected border as long as the dimension."
    " Raises NotImplementedError for an unknown ``mode``.": "pad_last",
    "Raises RuntimeError for a number of channels that ``groups`` does not divide.": "channel_shuffle",
    "Raises RuntimeError for sizes that ``factor`` does not divide, or fewer than three dimensions.": "pixel_shuffle pixel_unshuffle",
    "Raises RuntimeError for a negative ``beta``.": "smooth_l1_loss",
    "Raises RuntimeError for a ``delta`` that is not above 0.": "huber_loss",
    "Raises ValueError (torch: ValueError) for a ``target`` of another shape.": """binary_cross_entropy
        binary_cross_entropy_with_logits""",
    "Raises ValueError (torch: ValueError) for a negative ``var``.": "gaussian_nll_loss",
    "Raises ValueError (torch: ValueError) for a ``p`` other than 1 or 2. Raises RuntimeError for a ``target`` of another shape, or for"
    " class numbers out of range when the loss is read.": "multi_margin_loss",
    "Raises RuntimeError for a ``target`` of another shape, or for class numbers out of range when the loss is read.": """
        multilabel_margin_loss""",
    "Raises RuntimeError for a ``target`` of more than one dimension.": "cosine_embedding_loss",
    "Raises ValueError (torch: ValueError) for a ``margin`` that is not above 0.": "triplet_margin_loss",
    "Raises ValueError (torch: ValueError) where ``target`` has another number of samples. Raises IndexError for class numbers out of"
    " range. Raises RuntimeError for a ``weight`` of another length than the number of classes.": "nll_loss cross_entropy",
    "Raises RuntimeError for a ``label_smoothing`` outside of [0, 1].": "cross_entropy",
}
_OF_TORCH = {}
for _said, _names in OF_TORCH.items():
    for _name in _names.split():
        _OF_TORCH.setdefault(_name, []).append(_said.strip())


def _by_rule(row, rule, slots, parameters):
    """The sentences that follow from the rule of a row's dtypes, and from its parameters."""
    is_of = {
        OUT_OF_RANGE: "axis" in parameters and row not in OWN_AXIS_ERROR,
        BROADCAST: "b" in slots and returned.is_operation(rule),
        FLOATS: rule in INTEGER_TYPINGS,
        COMPLEX: rule in REAL_TYPINGS and row not in COMPLEX_TOO,
    }
    return [said for said, holds in is_of.items() if holds]


def raised(row, rule, slots, front_end, parameters):
    """The sentences about a row's errors in a front end. `parameters`: the row's names of those that the front end has."""
    found = _by_rule(row, rule, slots, parameters)
    if front_end not in ("torch", "Tensor"):
        return found
    result = returned.returned(row, rule, len(slots), front_end, parameters)
    takes_any = result.startswith(("Bools", "Named tuple")) or rule == "creates" or row in ANY_OUT
    found += [OUT] if "out" in parameters and not takes_any else []
    found += [REDUCTION] if "reduction" in parameters else []
    return found + _OF_TORCH.get(row, [])
