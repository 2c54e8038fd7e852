"""What rows of bindings/faces/*.pyi take and return, for their docstrings: shapes and dtypes. Start reading at returned() and operand().

A docstring with "Returns ..." of its own needs no entry here. Placeholders: {reduced} is a shape without the reduced axes, {index} the
dtype of indices, {float} the floating-point dtype of a front end, {sums} the dtype of sums.
"""

SAME = "Same shape and dtype as the input"
FLOAT = "Same shape as the input, in its floating-point dtype"
INTEGERS_TOO = "Same shape as the input, in its floating-point dtype; {float} for integers"
OPERANDS = "Shape to which the operands broadcast, in their common dtype"
BOOLS = "Bools, of the shape to which the operands broadcast"
# Of operations, by their typing (engine/include/quern/ops.def): with one operand, with several.
TYPINGS = {
    "number number_no_bool number_from_int8 number_not_complex integer integer_no_bool integer_only": (SAME, OPERANDS),
    "round": ("Same shape as the input, in its dtype where that is floating-point", OPERANDS),
    "widest": ("Same shape as the input; float64 or complex128", "Shape to which the operands broadcast; float64 or complex128"),
    "real_of real_only ratio": (
        INTEGERS_TOO,
        "Shape to which the operands broadcast, in their common floating-point dtype",
    ),
    "compare truth test sign_test": ("Bools, of the input's shape", BOOLS),
    "size": ("Same shape and dtype as the input; of complex elements, the dtype of their parts", OPERANDS),
    "choose": (OPERANDS, "Shape to which the operands broadcast, in the common dtype of the values"),
}
LOSS = 'Tensor without dimensions; with ``reduction="none"``, the loss of each element, in the shape to which the operands broadcast'
LOSS_OF_SAMPLES = 'Tensor without dimensions; with ``reduction="none"``, the loss of each sample, in the shape of the class numbers'
LOSS_OF_ROWS = 'Tensor without dimensions; with ``reduction="none"``, the loss of each sample, of shape (N) or ()'
DRAWN = "Shape ``size``, by default the shape to which the parameters broadcast; {drawn}"
COUNTS = "Shape ``size``, by default the shape to which the parameters broadcast; integers"
ONE_DIMENSION = "One-dimensional, in the input's dtype"
# Of functions: the names of rows.
FUNCTIONS = {
    # elementwise functions and activations
    SAME: """hardtanh relu6 threshold sgn real_sign frac round round_by_scale nan_to_num tril triu fftshift ifftshift flip flipud fliplr
        roll copy msort layer_norm rms_norm group_norm batch_norm instance_norm batch_normalization local_response_norm normalize dropout
        dropout1d dropout2d dropout3d feature_dropout alpha_dropout feature_alpha_dropout channel_shuffle bernoulli poisson_around
        gamma_around dirichlet_around dropped
        permuted""",
    FLOAT: """leaky_relu leaky_relu_from_zero hard_tanh sparsemax prelu rrelu hardsigmoid softshrink hardshrink soft_shrink hard_shrink
        sparse_plus sparse_sigmoid squareplus gelu silu mish softplus log_sigmoid elu selu celu hardswish softsign tanhshrink entr
        gumbel_softmax sigmoid""",
    INTEGERS_TOO: """rsqrt expit logit erfinv sinc sinc_of_reals angle
        angle_of_reals reciprocal""",
    "Same shape as the input{typed}": "softmax softmin log_softmax",
    "Shape (N, O, sizes) or (O, sizes), in the input's dtype; each size is"
    " (size + 2 padding - dilation (kernel size - 1) - 1) / stride + 1, rounded down": "conv1d conv2d conv3d",
    "Shape (N, O, sizes) or (O, sizes), in the input's dtype; each size is (size - 1) stride - 2 padding + dilation (kernel size - 1) +"
    " output_padding + 1": "conv_transpose1d conv_transpose2d conv_transpose3d",
    "Shape (N, sizes, O), with ``channels_first`` (N, O, sizes), in the kernel's dtype": """conv depthwise_conv separable_conv
        conv_transpose""",
    "Shape of ``b``, in its dtype": "lu_solve ormqr",
    "Shape of ``a``, in its dtype": "householder_product",
    "P of shape (..., M, M), L of shape (..., M, K) and U of shape (..., K, N) with K = min(M, N), in the dtype of ``lu``": "lu_unpack",
    "Shape (N), in the dtype of ``a``": "ctc_of_batch",
    "Shape (..., F, bins); complex": "spectra_of_frames",
    "Signals of shape (..., length + hop (F - 1)), and the sums, of shape (length + hop (F - 1))": "samples_of_spectra",
    "Output of shape (steps, N, directions * size) or, packed, (rows, directions * size), and states of shape"
    " (layers * directions, N, size), in the input's dtype": "lstm gru rnn_tanh rnn_relu",
    "Rows of shape (sum of the lengths, ...), in the input's dtype; how many each step has, int64": "pack_padded",
    "Shape (steps, N, ...) or, with ``batch_first``, (N, steps, ...), in the data's dtype; the lengths, int64": "pad_packed",
    "Shape (steps, N, ...) or, with ``batch_first``, (N, steps, ...), in the first sequence's dtype": "pad_sequence",
    "Shape (N, size), in the input's dtype": "gru_cell rnn_tanh_cell rnn_relu_cell",
    "Two tensors of shape (N, size), in the input's dtype": "lstm_cell",
    "States of shape (N, steps, size) and (N, size), in the kernel's dtype": "lstm_layer gru_layer",
    "Shape (N, C, sizes) or (C, sizes), in the input's dtype; each size is"
    " (size + 2 padding - dilation (kernel size - 1) - 1) / stride + 1, rounded down or, with ``ceil_mode``, up": """max_pool1d
        max_pool2d max_pool3d""",
    "Shape (N, C, sizes) or (C, sizes), in the input's dtype; each size is"
    " (size + 2 padding - kernel size) / stride + 1, rounded down or, with ``ceil_mode``, up": "avg_pool1d avg_pool2d avg_pool3d",
    "Shape (N, C, *output_size) or (C, *output_size), in the input's dtype": """adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
        adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d""",
    "Shape (N, C, sizes), in the input's dtype; the sizes are ``size``, or the input's times ``scale_factor``, rounded down": "interpolate",
    "Shape (steps', N, O), in the input's dtype; steps' is steps + 2 pad - kernel size + 1": "conv_tbc",
    "Shape (N, O, sizes), in the input's dtype": "convolution",
    "Shape (N, C * elements, windows) or (C * elements, windows), in the input's dtype": "unfold",
    "Shape (N, C, *output_size) or (C, *output_size), in the input's dtype, also where windows overlap": "fold",
    "Shape (N, C, sizes) or (C, sizes), in the input's dtype; each size is (size - 1) stride - 2 padding + kernel size, or"
    " ``output_size``": "max_unpool1d max_unpool2d max_unpool3d",
    "Shape (N, C, sizes) or (C, sizes), in the input's dtype; each size is (size - kernel size) / stride + 1": """lp_pool1d lp_pool2d
        lp_pool3d""",
    "Shape (N, C, sizes) or (C, sizes), in the input's dtype": "fractional_max_pool2d fractional_max_pool3d",
    "Two tensors of shape (N, C, sizes) or (C, sizes): elements in the input's dtype, and their places, int64": """max_pool1d_with_indices
        max_pool2d_with_indices max_pool3d_with_indices adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices
        adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices""",
    "Shape (N, C, sizes of the grid), in the input's dtype": "grid_sample grid_sampler grid_sampler_2d grid_sampler_3d",
    "Shape (N, H, W, 2) or (N, D, H, W, 3), in the dtype of ``theta``": "affine_grid affine_grid_generator",
    "Shape of the images with other sizes, in their dtype": "resize_images",
    "Shape of the images, in their dtype": "affine_transform gaussian_blur",
    "Shape of a row of ``coordinates``, in the dtype of ``inputs``": "map_coordinates",
    "Shape (N, sizes, C), with ``channels_first`` (N, C, sizes), in the inputs' dtype": """max_pool average_pool adaptive_max_pool
        adaptive_average_pool""",
    "Shape of the input with half the size along ``axis``, in its dtype": "glu",
    OPERANDS: """binomial_around add_multiple subtract_multiple lerp addcmul addcdiv clamp clip log_of_sum step threshold_alike cross
        cross_of_three cross_alike cross_along""",
    "Shape to which the operands broadcast, in their common dtype; without ``rounding_mode``, floating-point": "divide",
    "Shape to which the operands broadcast; floating-point": "ldexp_of_reals divide_no_nan",
    "Shape to which conditions and choices broadcast, in the common dtype of the choices": "select",
    "Same shape as the input; of complex elements, the dtype of their parts": "real imag",
    BOOLS: "isclose",
    "Bools, of the input's shape": "isposinf isneginf isreal iscomplex",
    "A bool of Python's": "allclose are_equal",
    "Bool tensor without axes": "all_close",
    "Same shape as the input, in ``dtype``": "astype",
    # reductions and statistics
    "{reduced}{sums}": "sum prod nansum nanprod",
    "{reduced}, in the input's dtype": "max min nanmax nanmin ptp",
    "Bools, of the {reduced}{bytes}": "any all",
    "Integers ({index}), of the {reduced}": "count_nonzero nanargmax nanargmin nanargmax_or_none nanargmin_or_none",
    "{reduced}; floating-point or complex": "mean nanmean",
    "{reduced}; floating-point, also of complex elements": "var std nanvar nanstd",
    "Shape of the input, one-dimensional for ``axis`` None{sums}": "cumsum cumprod nancumsum nancumprod",
    "Shape of the input; with ``include_initial``, one longer along ``axis``": "cumulative_sum cumulative_prod",
    "Two tensors of the {reduced}; floating-point or complex": "var_mean std_mean moments",
    "{reduced}; floating-point": "logsumexp median nanmedian norm matrix_norm vector_norm norm_of_tensor matrix_norm_of_tensor"
    " vector_norm_of_tensor",
    "Shape of ``q``, then the {reduced}; floating-point": """quantile percentile nanquantile nanpercentile quantile_along
        nanquantile_along""",
    "Shape of the input without ``axis``; floating-point": "average_alike",
    "Square matrix, a row for each variable; of one variable without axes": "cov cov_of_rows corrcoef corrcoef_of_rows",
    # searching and sorting
    "With ``axis``: a named tuple (values, indices) of the {reduced}; indices are int64": """max_along min_along median_along
        nanmedian_along""",
    "Named tuple (values, indices) of the {reduced}; indices are int64": "kthvalue mode",
    "Without ``dim``: a tensor without dimensions, in the input's dtype": "middle nanmiddle",
    "Named tuple (values, indices) of the input's shape; indices are int64": "sort_along cummax cummin",
    "Named tuple (values, indices), with ``k`` elements along ``axis``; indices are int64": "topk",
    "Two tensors (values, indices), with ``k`` elements along the last axis; indices are int32": "top_k",
    "Bools, of the shape of ``targets``": "in_top_k",
    "Named tuple (min, max) of the {reduced}, in the input's dtype": "aminmax",
    "Indices ({index}), of the input's shape": "argsort_along argsort argsort_of_numbers argpartition argpartition_of_numbers",
    "Same shape and dtype as the input, one-dimensional for ``axis`` None": "sort partition",
    "None; the array itself is changed": "sort_in_place partition_in_place",
    "Same shape as the input; complex": "sort_complex",
    "Indices ({index}), of the shape of one key": "lexsort",
    "Indices of the shape of ``input``: int64, with ``out_int32`` int32": "searchsorted_in_lines bucketize",
    "Bools, of the shape of ``element``": "isin",
    "Bools, of the shape of ``elements``": "isin_either",
    "Tuple with a one-dimensional array of indices ({index}) for each axis": "nonzero nonzero_of_lines",
    "Tuple with a tensor for each axis, of the shape of ``indices``; int32": "unravel_index",
    "Dtype of ``data``, in its shape with ``num_segments`` rows": "segment_sum segment_prod segment_max segment_min",
    "Indices ({index}), one-dimensional": "flatnonzero",
    "Indices ({index}) of shape (elements found, axes)": "argwhere",
    "One-dimensional, int64; with ``weights``, floating-point": "bincount_as_torch",
    "Counts (int32) along the last axis; with ``weights``, sums in their dtype": "bincount_of_rows",
    "Tuple (hist, bin_edges): int64 counts, floating-point with ``density``, in the dtype of ``weights``; and one edge more": "histogram",
    "Edges, one-dimensional, floating-point": "histogram_bin_edges",
    "Named tuple (hist, bin_edges), one-dimensional, in the input's dtype": "histogram_of_floats",
    "Tuple (hist, bin_edges), one-dimensional, in the input's dtype": "histogram_of_reals",
    "One-dimensional, ``bins`` counts in the input's dtype": "histc",
    "Dtype of the input; the shape of ``indices`` in place of ``axis``": "take_within",
    "Dtype of the input; the shape of ``indices``": "take_along",
    "Distinct elements, one-dimensional (along ``axis``: slices), or a tuple with the further results ({index})": """unique_of_size
        unique_along unique_consecutive""",
    "Named tuple (values, indices, inverse_indices, counts); all but values int64": "unique_all",
    "Named tuple (values, counts); counts are int64": "unique_counts",
    "Named tuple (values, inverse_indices); indices are int64, of the input's shape": "unique_inverse",
    ONE_DIMENSION: "unique_values ravel flatten",
    "One-dimensional, in the common dtype of both": "union1d setxor1d",
    "One-dimensional, in the dtype of ``ar1``": "setdiff1d",
    "One-dimensional, in the common dtype; with ``return_indices``, a tuple with two arrays of indices (int64), too": "intersect1d",
    # creation
    "Shape ``shape``, in ``dtype``, by default {float}": "zeros ones empty",
    "Shape ``shape``, in ``dtype``": "full integers_by_unit",
    "Shape of the array or the nested sequences, in ``dtype``, by default that of the values": "asarray array",
    "At least one-dimensional, in ``dtype``, by default that of ``a``": "ascontiguousarray asfortranarray",
    "Shape, dtype and device of ``a``, unless others are passed": "zeros_like ones_like empty_like full_like",
    "One-dimensional, ceil((stop - start) / step) elements; integers for integer arguments, unless ``dtype`` is passed": "arange",
    "One-dimensional, floor((end - start) / step) + 1 elements; by default {float}": "arange_to_end",
    "Matrix in ``dtype``, by default {float}": "eye identity tri",
    "Indices of shape (2, elements), by default int64: rows first": "tril_indices triu_indices",
    "Integers of shape (N, *dimensions); with ``sparse``, a tuple of N arrays": "indices",
    "Arrays with as many axes as there are vectors, in their dtypes": "meshgrid",
    "``num`` values along a new axis; floating-point unless ``dtype`` is passed": "linspace logspace geomspace",
    "One-dimensional, ``M`` values; {float}": "bartlett blackman hanning hamming kaiser",
    # distributions
    DRAWN: """random standard_normal standard_exponential standard_gamma standard_cauchy uniform uniform_in_order normal exponential
        lognormal laplace logistic gumbel rayleigh weibull pareto power_of_unit triangular wald vonmises gamma beta chisquare
        noncentral_chisquare f noncentral_f standard_t""",
    COUNTS: """poisson negative_binomial geometric logseries zipf integers integers_to_end tomaxint hypergeometric
        hypergeometric_at_most""",
    "Shape ``size``, by default the shape to which the parameters broadcast": "binomial",
    "Shape ``size``, then the length of ``alpha``; {drawn}": "dirichlet dirichlet_above_zero",
    "Shape ``size``, then the length of ``alpha`` where that is above 1; {drawn}": "dirichlet_of_one_too",
    "Shape ``size``, then one axis for the colors; int64": "multivariate_hypergeometric",
    "Shape ``size``, then one axis for the outcomes; int64": "multinomial",
    "Shape ``size``, then the length of ``mean``; {drawn}": "multivariate_normal",
    "Shape ``size`` in place of the axis of the picks, in the dtype of ``a``; int64 for an int": "choice",
    "Same shape and dtype as the array; of an int, one-dimensional integers": "permutation",
    "Shape ``shape``, in ``dtype``, by default float32": "scaled_normal scaled_unit truncated_normal",
    "Integers of shape (rows of ``logits``, ``num_samples``)": "places_by_logarithm",
    "Shape ``size``, in ``dtype``, by default {float}": "rand randn",
    "Shape of ``input``, in ``dtype``, by default that of ``input``": "rand_like randn_like randint_like",
    "Shape ``size``, in ``dtype``, by default int64": "randint",
    "One-dimensional, ``n`` elements, by default int64": "randperm",
    "This tensor": """uniform_for normal_for exponential_for cauchy_for lognormal_for geometric_for random_for bernoulli_for""",
    "Shape to which tensors of means and standard deviations broadcast, in their dtype": "normal_around",
    "With ``size``: that shape, in ``dtype``, by default {float}": "normal_of_numbers",
    "Indices (int64), ``num_samples`` for each row of ``input``": "places_by_weight",
    # linear algebra: * stands for the axes of a stack
    "Shape (*) for matrices (*, M, M); floating-point": "cond cond_of_tensor log_abs_det",
    "Shape (*) for matrices (*, M, M)": "det logdet",
    "Shape of ``b``, with the axes of a stack of ``a``; floating-point or complex": """solve checked_solve solve_triangular
        solution_by_triangle""",
    "Shape (*, M, M) of the input; floating-point or complex": """inv inverse cholesky checked_cholesky matrix_exp inverse_by_factor""",
    "Shape (*, M, M) of the input": "matrix_power power_of_tensor",
    "Tuple (x, residuals, rank, s): x of shape (N, K) for ``b`` of shape (M, K), the last two of ``a`` of shape (M, N)": "lstsq",
    "Shape (N, K) for ``b`` of shape (M, K), and (N) for (M)": "lstsq_alone",
    "Named tuple (sign, logabsdet), each of shape (*) for matrices (*, M, M)": "slogdet",
    "Named tuple (Q, R) of shapes (*, M, K) and (*, K, N), where K is min(M, N)": "qr old_qr",
    "Named tuple (eigenvalues, eigenvectors) of shapes (*, M) and (*, M, M); eigenvalues are real": "eigh",
    "Named tuple (eigenvalues, eigenvectors) of shapes (*, M) and (*, M, M); complex": "eig",
    "Shape (*, M) for matrices (*, M, M); real": "eigvalsh",
    "Shape (*, M) for matrices (*, M, M); complex": "eigvals",
    "Named tuple (U, S, Vh) of shapes (*, M, M), (*, K) and (*, N, N), where K is min(M, N); without ``full_matrices``, (*, M, K), (*, K)"
    " and (*, K, N)": "svd svd_of_tensor",
    "Named tuple (U, S, V) of shapes (*, M, K), (*, K) and (*, N, K), where K is min(M, N)": "old_svd",
    "Shape (*, K) for matrices (*, M, N), where K is min(M, N); real": "svdvals",
    "Shape (*, N, M) for matrices (*, M, N)": "pinv",
    "Integers ({index}), of shape (*) for matrices (*, M, N)": "matrix_rank rank_of_tensor",
    "Matrix with the rows of the first matrix and the columns of the last": "multi_dot chain_matmul",
    "Shape of the axes of ``a`` behind those of ``b``; floating-point or complex": "tensorsolve tensorsolve_of_tensor",
    "Shape of the axes of ``a`` behind the first ``ind``, then that of the first; floating-point or complex": """tensorinv
        tensorinv_of_tensor""",
    "Named tuple (inverse, info) of shapes (*, M, M) and (*); info is int32": "inv_ex",
    "Named tuple (L, info) of shapes (*, M, M) and (*); info is int32": "cholesky_ex",
    "Named tuple (result, info): the shape of ``b``, and (*); info is int32": "solve_ex",
    "Named tuple (P, L, U) of shapes (*, M, M), (*, M, K) and (*, K, N), where K is min(M, N)": "lu",
    "Named tuple (LU, pivots) of shapes (*, M, N) and (*, min(M, N)); pivots are int32 and count from 1": "lu_factor",
    "Named tuple (LU, pivots, info) of shapes (*, M, N), (*, min(M, N)) and (*); the last two are int32": "lu_factor_ex",
    "Named tuple (LD, pivots) of shapes (*, M, M) and (*, M); pivots are int32": "ldl_factor",
    "Named tuple (LD, pivots, info) of shapes (*, M, M), (*, M) and (*); the last two are int32": "ldl_factor_ex",
    "Shape to which the operands broadcast, without ``dim``": "product_along",
    "Shape (*, M, K) of the right sides": "cholesky_solve",
    "Named tuple (solution, residuals, rank, singular_values); the solution has shape (*, N, K) for (*, M, N) and (*, M, K)": """
        lstsq_of_tensor""",
    # products and matrices
    "Shape (*, M, N) for operands (*, M, K) and (*, K, N), in their common dtype": "matmul matmul_alike",
    "Shape of the first operand without its last axis, then of the second without its last but one (its only one)": "dot dot_alike",
    "Array without axes, in the common dtype": "vdot vdot_alike",
    "Shape of the first operand, then of the second, both without their last axes": "inner inner_alike",
    "Matrix of shape (elements of the first operand, elements of the second), in the common dtype": "outer outer_of_vectors outer_alike",
    "Sizes that are the products of both operands' sizes, in the common dtype": "kron kron_alike",
    "Shape that the subscripts of the result name, in the common dtype": "einsum",
    "Shape of the first operand, then of the second, both without the summed axes": "tensordot tensordot_of_ones tensordot_alike",
    "Matrix of shape (N, P) for (N, M) and (M, P)": "mm addmm",
    "Shape (B, N, P) for (B, N, M) and (B, M, P)": "bmm baddbmm",
    "Matrix of shape (N, P) for stacks (B, N, M) and (B, M, P)": "addbmm",
    "Vector of N elements for a matrix (N, M)": "mv addmv",
    "Matrix of shape (N, M) for vectors of N and M elements": "addr",
    "View of the input's shape without the two axes, then the length of the diagonal": "diagonal diagonal_of_matrices",
    "Vector of a matrix, matrix of a vector; in the input's dtype": "diag diag_copy",
    "Square matrix, in the input's dtype": "diagflat",
    "Shape of the input with one axis more, in its dtype": "diag_embed",
    "Shape of the input without the two axes": "trace trace_of_matrices",
    "Matrix with a row for each element of ``x``": "vander vander_in_type",
    # shapes
    "View with the same sizes in the new order": "moveaxis swapaxes transpose matrix_transpose t",
    "View with dimensions of size 1 more": "expand_dims",
    "View without these dimensions of size 1": "squeeze squeezed",
    "Dtype of the input; the sizes of the two axes swap for odd ``k``": "rot90",
    "New shape, in the input's dtype": "reshape",
    "View in the new shape, or as elements of the new dtype": "view",
    "Shape of the input with these dimensions merged": "merge_axes",
    "View of the new shape": "broadcast_to",
    "A view of one array, a tuple of views of several": "atleast_1d atleast_2d atleast_3d",
    "Views of the common shape, one for each array": "broadcast_arrays",
    "Common dtype of the inputs; sizes along the axis add up": "concatenate hstack vstack dstack column_stack append_alike",
    "Common dtype of the inputs; one axis more, with a place for each of them": "stack",
    "Views in the input's dtype, in order": "split array_split hsplit vsplit dsplit split_by_sizes chunk",
    "Views without ``axis``, one for each index along it": "unstack",
    "Dtype of the input; longer along the axis": "repeat",
    "Dtype of the input; each size times its repetitions": "tile",
    "Dtype of the input; each size with the border": "pad pad_last",
    # signals and transforms
    "Shape of the input, ``n`` shorter along ``axis``": "diff",
    "One-dimensional, in the input's dtype, one shorter without ``to_begin`` and ``to_end``": "ediff1d",
    "Shape of ``y`` without ``axis``; floating-point": "trapezoid trapezoid_alike",
    "Shape of ``y``, one shorter along the dimension; floating-point": "cumulative_trapezoid",
    "Shape (*, pieces, ``sequence_length``), in the input's dtype": "extract_sequences",
    "One-dimensional, in the common dtype; its length depends on ``mode``": "correlate correlate_alike",
    "Shape of the input, with ``n`` elements along ``axis``; complex": "ifft",
    "Shape of the input, with n // 2 + 1 elements along ``axis``; complex": "rfft ihfft",
    "Shape of the input, with ``n`` elements along ``axis``; real": "irfft hfft",
    "Shape of the input, with the lengths of the transforms along their axes; complex": "fftn ifftn",
    "Shape of the input, with the lengths of the transforms, along the last axis n // 2 + 1 for length n; complex": "rfftn ihfftn",
    "Shape of the input, with the lengths of the transforms along their axes; real": "irfftn hfftn",
    "One-dimensional, ``n`` frequencies; floating-point": "fftfreq",
    "One-dimensional, n // 2 + 1 frequencies; floating-point": "rfftfreq",
    "Pair (real, imaginary) of the input's shape": "fft_of_parts fft2_of_parts ifft2_of_parts",
    "Pair (real, imaginary), with n // 2 + 1 elements along the last axis": "rfft_in_parts",
    "Real, with ``fft_length`` elements along the last axis": "irfft_of_parts",
    "Pair (real, imaginary) of shape (*, pieces, fft_length // 2 + 1)": "stft_in_parts",
    "Real, of shape (*, samples)": "istft_of_parts",
    # losses and layers
    LOSS: """l1_loss mse_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss
        poisson_nll_loss gaussian_nll_loss hinge_embedding_loss margin_ranking_loss""",
    LOSS_OF_SAMPLES: "nll_loss cross_entropy multi_margin_loss",
    LOSS_OF_ROWS: "cosine_embedding_loss multilabel_soft_margin_loss multilabel_margin_loss triplet_margin_loss",
    "Shape to which the operands broadcast, without ``axis``": "cosine_similarity",
    "Shape of the inputs without the last dimension (size 1 with ``keepdim``)": "pairwise_distance",
    "Loss of each sample: the shape of ``output`` without ``axis``": "categorical_crossentropy",
    "Loss of each sample: the shape of ``target``": "sparse_categorical_crossentropy",
    "Loss of each element: the shape of ``output``": "binary_crossentropy",
    "Shape (*, out), in the inputs' dtype": "linear bilinear",
    "Shape (*, H, L, Ev), in the dtype of ``query``": "attention",
    "Shape (N, T, H, Ev), in the dtype of query, key and value together": "dot_product_attention",
    "Pair of values, (L, N, E) or (L, E), and weights or None, in the dtype of ``query``": "multi_head_attention",
    "Shape of the input, then ``num_classes``; int64": "one_hot_classes",
    "Shape of the input with a new axis of size ``num_classes``, in ``dtype``, by default float32": "one_hot",
    "Shape of the input without the axis of class numbers, with one of size ``num_classes``": "multi_hot",
    "Shape of ``input``, then the length of a row, in the dtype of ``weight``": "embedding",
    "Shape (bags, length of a row), in the dtype of ``weight``": "embedding_bag",
    "Shape (*, C, H * r, W * r), in the input's dtype": "pixel_shuffle",
    "Shape (*, C * r * r, H, W), in the input's dtype": "pixel_unshuffle",
}
# Of first operands, by the family of a function or the typing of an operation.
OPERANDS = {
    "number number_from_int8 size elementwise": "Numbers, of any shape.",
    "number_no_bool": "Numbers, of any shape; not bools.",
    "number_not_complex round real_only quantiles ranks": "Real numbers, of any shape.",
    "widest real_of ratio": "Real or complex numbers, of any shape.",
    "integer": "Integers or bools, of any shape.",
    "integer_no_bool integer_only": "Integers, of any shape.",
    "compare truth test sign_test choose tests": "Values of any dtype and shape.",
    "sums averages extremes places": "Numbers, of any shape.",
    "views repeats turned moves converts": "Array of any shape and dtype.",
    "samples": "Real or complex numbers, of any shape.",
    "statistics": "Numbers, of any shape.",
    "layers": "Floating-point numbers, of any shape.",
    "algebra": "Matrices, of shape (*, M, N).",
    "products": "First factor.",
}
# Of parameters of that name, by rows; then by families.
DTYPES = {
    "Dtype of the result; None: {float}.": "zeros ones empty eye identity tri linspace logspace geomspace bartlett blackman hanning hamming"
    " kaiser rand randn fftfreq rfftfreq",
    "Dtype of the result; None: that of the arguments.": "arange arange_to_end",
    "Dtype of the result; None: that of the values.": "asarray array ascontiguousarray asfortranarray full corrcoef",
    "Dtype of the result; None: that of the input.": "zeros_like ones_like empty_like full_like rand_like randn_like randint_like clip",
    "Dtype of the result; None: int64.": "tril_indices triu_indices indices randint randperm",
    "Dtype of the result; None: float32.": "one_hot multi_hot scaled_normal scaled_unit truncated_normal",
    "Dtype of the result; None: the common dtype of the inputs.": "concatenate stack hstack vstack dstack column_stack",
    "Dtype of the computation; None: that of the input.": "norm matrix_norm vector_norm norm_of_tensor matrix_norm_of_tensor"
    " vector_norm_of_tensor",
    "Dtype of the computation and of the result; None: that of the input.": "softmax softmin log_softmax",
    "Dtype of the result.": "astype",
    "Dtype as whose elements the memory is read.": "view",
}
DTYPES_OF_FAMILIES = {
    "Dtype of the computation and of the result; None: 64 bits for integers, else that of the input.": "sums",
    "Dtype of the computation and of the result; None: that of the input, floating-point for integers.": "averages",
    "Dtype of the indices; None: int64.": "places",
    "Dtype of the computation and of the result; None: that of the input.": "number truth extremes tests",
}
SEQUENCES = {
    "Vectors, of any dtypes.": "meshgrid",
    "Matrices; the columns of each are as many as the rows of the next.": "multi_dot",
    "Operands, one for each group of subscripts.": "einsum",
    "Arrays of any shapes and dtypes.": "atleast_1d atleast_2d atleast_3d",
    "Arrays of any dtypes, whose shapes broadcast.": "broadcast_arrays",
    "Arrays of any dtypes, whose shapes differ along the axis alone.": "concatenate hstack vstack dstack column_stack",
    "Arrays of one shape, of any dtypes.": "stack",
}
SECONDS = {
    "Second operand, which broadcasts with the first.": "addcmul addcdiv ldexp_of_reals product_along",
    "Elements that are searched.": "isin",
    "Second array, of any shape.": "union1d intersect1d setdiff1d setxor1d append_alike",
    "Second sequence, one-dimensional.": "correlate correlate_alike",
    "Further variables, of the same observations.": "cov corrcoef",
}
REDUCED = "Axis or axes that are reduced, all if None; negative ones count from the end."
ALONG = "Axis along which the function operates; negative ones count from the end."
_OF_FUNCTIONS = {name: said for said, names in FUNCTIONS.items() for name in names.split()}
_OF_OPERATIONS = {typing: said for typings, said in TYPINGS.items() for typing in typings.split()}
_DTYPES, _DTYPES_OF_FAMILIES, _SEQUENCES, _SECONDS = (
    {name: said for said, names in table.items() for name in names.split()}
    for table in (DTYPES, DTYPES_OF_FAMILIES, SEQUENCES, SECONDS)
)
_OPERANDS = {rule: said for rules, said in OPERANDS.items() for rule in rules.split()}


def _float(front_end):
    return "float32" if front_end in ("torch", "Tensor", "keras") else "float64"


def operand(row, rule, parameter, slots, front_end):
    """What a parameter of a row is, by the rule of its dtypes; "" where its name alone says it."""
    if parameter == "axis":
        is_reduced = "keepdims" in slots or "{reduced}" in _OF_FUNCTIONS.get(row, "")
        return REDUCED if is_reduced and rule not in ("ranks", "algebra", "places") else ALONG
    if parameter == "dtype":
        drawn = "Dtype of the result: float64 or float32." if "{drawn}" in _OF_FUNCTIONS.get(row, "") else "Dtype of the result."
        said = _DTYPES.get(row) or _DTYPES_OF_FAMILIES.get(rule) or ("draws" in slots and drawn) or ""
        return said.format(float=_float(front_end))
    if parameter == slots[0] and row in _SEQUENCES:
        return _SEQUENCES[row]
    if parameter == slots[0] and _OF_FUNCTIONS.get(row) == INTEGERS_TOO:
        return "Real numbers, of any shape."
    if parameter == slots[0]:
        return "Floating-point numbers, of any shape." if _OF_FUNCTIONS.get(row) in (FLOAT, LOSS) else _OPERANDS.get(rule, "")
    if parameter == "b" and (rule in _OF_OPERATIONS or rule == "elementwise"):
        return "Second operand, which broadcasts with the first."
    if parameter in slots[1:3] and row in _SECONDS:
        return _SECONDS[row]
    return "Second factor." if parameter in ("b", "y") and rule == "products" else ""


def is_operation(rule):
    """Whether the rule is the typing of an elementwise operation, whose operands broadcast."""
    return rule in _OF_OPERATIONS


def returned(row, rule, count, front_end, parameters):
    """What a row returns in a front end; "" where nothing is known. `parameters`: the row's names of those that the front end has."""
    said = _OF_FUNCTIONS.get(row) or (_OF_OPERATIONS[rule][count > 1] if rule in _OF_OPERATIONS else "")
    is_keras = front_end == "keras"
    fills = {
        "reduced": "shape of the input without the reduced axes" + " (size 1 with ``keepdims``)" * ("keepdims" in parameters),
        "bytes": "; of uint8, uint8" if _float(front_end) == "float32" and not is_keras else "",
        "index": "int32" if is_keras else "int64",
        "float": _float(front_end),
        "sums": "" if is_keras else "; integers and bools give 64-bit integers",
        "typed": ", in ``dtype``, by default the input's" if "dtype" in parameters else ", in its floating-point dtype",
        "drawn": "float32 by default" if is_keras else "float64" + " by default" * ("dtype" in parameters),
    }
    return said.format(**fills)
