"""Docstrings of faces in numpydoc's form: of a row's docstring (bindings/faces/*.pyi) and a face's parameters.

A row's docstring says what differs from the ordinary: "Parameters: ``name``: what it is; ``name``: ...", "Raises X for ...", "Returns ...",
and examples. Sections are made of that; a parameter of which it says nothing is described as in PARAMETERS, by its name, and a result as
in tools/returned.py. A docstring with sections of its own stays as it is. Start reading at numpydoc().
"""

import functools
import importlib.util
import inspect
import pathlib
import re
import textwrap

from stubs.annotations import FUNCTIONS, NUMPYS, TORCHS

# Name of a parameter: type, description. {array} is what the front end calls an array.
ARRAY = "{array}"
LIKE = "array_like"
DTYPE = "Dtype of the result; None infers it from the inputs."
SIZE = "Shape of the result; None is the shape to which the parameters broadcast."
AXIS = "Axis of the operation; a negative one counts from the end."
AXES = "Axis or axes of the operation; negative ones count from the end."
# Functions whose axis may be a tuple, with those of the same name after "nan".
WITH_AXES = """
all amax amin any average count_nonzero expand_dims flip gradient linalg_norm logsumexp max mean median min norm
percentile prod ptp quantile roll size squeeze std std_mean sum trim_zeros var var_mean vector_norm matrix_norm
normalize fft2 fftn ifft2 ifftn rfft2 rfftn irfft2 irfftn hfft2 hfftn ihfft2 ihfftn fftshift ifftshift
""".split()
ONE_AXIS_IN_TORCH = ("quantile", "nanquantile")
PARAMETERS = {
    **dict.fromkeys(("a", "x", "m", "M", "ary", "arr", "array", "f", "z", "v", "ar", "input", "A", "inputs"), (LIKE, "Input array.")),
    **dict.fromkeys(("x1", "ar1", "input1", "tensor1"), (LIKE, "First input array.")),
    **dict.fromkeys(("x2", "ar2", "input2", "tensor2", "b", "y", "other", "B"), (LIKE, "Second input array.")),
    **dict.fromkeys(("arrays", "tup", "arys", "args", "operands", "xi", "tensors"), ("sequence of array_like", "Input arrays.")),
    **dict.fromkeys(("axis", "dim"), ("int", AXIS)),
    "axes": ("int or sequence of ints", "Axes along which the function operates."),
    "axis1": ("int", "First axis of the matrices or pair."),
    "axis2": ("int", "Second axis of the matrices or pair."),
    "axisa": ("int", "Axis of `a` that holds the vectors."),
    "axisb": ("int", "Axis of `b` that holds the vectors."),
    "axisc": ("int", "Axis of the result that holds the vectors."),
    "dtype": ("dtype", DTYPE),
    "out": (ARRAY, "{array} that receives the result; it must have the result's shape."),
    **dict.fromkeys(("keepdims", "keepdim"), ("bool", "Whether the reduced axes stay, with size 1.")),
    "initial": ("scalar", "Start value of the reduction."),
    "where": ("array_like of bool", "Elements that take part; the mask broadcasts to the input."),
    "shape": ("int or tuple of ints", "Shape of the result."),
    "size": ("int or tuple of ints", SIZE),
    "device": ("Device or str", 'Device of the result, such as "cpu" or "cuda:0"; None is that of the inputs, or the current one.'),
    "like": ("object", "Accepted for compatibility; must be None."),
    "order": ("{'C', 'F', 'A', 'K'}", "Memory layout of the result."),
    "copy": ("bool", "Whether to copy always (True), never (False) or where needed (None)."),
    "casting": ("{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}", "Which conversions of dtypes are allowed."),
    "fill_value": ("scalar or array_like", "Value of every element."),
    "N": ("int", "Number of rows."),
    "k": ("int", "Number of the diagonal: 0 is the main one, positive ones are above it."),
    "offset": ("int", "Number of the diagonal: 0 is the main one, positive ones are above it."),
    "n": ("int", "Number of samples, repetitions or elements."),
    "s": ("sequence of ints", "Length of each transformed axis; None keeps the lengths."),
    "d": ("float", "Sample spacing."),
    "norm": ("{'backward', 'ortho', 'forward'}", "Which direction is scaled, and by what."),
    "start": ("scalar or array_like", "First value."),
    "stop": ("scalar or array_like", "Last value, or the end of the half-open range."),
    "step": ("scalar", "Distance of two values."),
    "num": ("int", "Number of values."),
    "endpoint": ("bool", "Whether `stop` is the last value."),
    "retstep": ("bool", "Whether to return the distance of the values, too."),
    "base": ("scalar or array_like", "Base of the powers."),
    "object": (LIKE, "Array, number, sequence, or object that describes memory."),
    "obj": (LIKE, "Array, number, sequence, or object that describes memory."),
    "ndmin": ("int", "Smallest number of dimensions of the result."),
    "ndmax": ("int", "Largest depth of nested sequences that become dimensions."),
    "prototype": (LIKE, "Array whose shape and dtype the result has."),
    "dimensions": ("sequence of ints", "Shape of the grid."),
    "indexing": ("{'xy', 'ij'}", "Cartesian or matrix order of the axes."),
    "sparse": ("bool", "Whether to return arrays of size 1 along the other axes."),
    "repeats": ("int or array_like of ints", "Number of repetitions of each element."),
    "reps": ("int or tuple of ints", "Number of repetitions along each axis."),
    "pad_width": ("int or sequence of pairs", "Number of elements that are added before and after each axis."),
    "mode": ("str", "Mode of the function, by NumPy's names."),
    "constant_values": ("scalar or sequence", "Values of the border in mode 'constant'."),
    "source": ("int or sequence of ints", "Axes to move."),
    "destination": ("int or sequence of ints", "Where they go."),
    "shift": ("int or tuple of ints", "Number of places by which elements move along each axis."),
    "indices_or_sections": ("int or sequence of ints", "Number of equal parts, or indices at which to split."),
    "kind": ("str", "Accepted algorithm names; all give the same order."),
    "stable": ("bool", "Whether equal elements keep their order; they always do."),
    "descending": ("bool", "Whether the largest elements come first."),
    "kth": ("int or sequence of ints", "Indices whose elements take their place of the sorted order."),
    "keys": ("sequence of array_like", "Keys; the last one is the primary."),
    "side": ("{'left', 'right'}", "Whether to insert before or after equal elements."),
    "sorter": ("array_like of ints", "Indices that sort `a`."),
    "bins": ("int, str or array_like", "Number of bins, rule, or edges."),
    "range": ("pair of floats", "Lower and upper limit; None is the range of the elements."),
    "density": ("bool", "Whether to return the probability density instead of counts."),
    "weights": (LIKE, "Weights of the elements."),
    "minlength": ("int", "Smallest length of the result."),
    "right": ("bool or scalar", "Which side is included, or the value beyond the last point."),
    "left": ("scalar", "Value before the first point."),
    "xp": (LIKE, "Coordinates of the points, in rising order."),
    "fp": (LIKE, "Values at the points."),
    "period": ("float", "Period of the coordinates."),
    "returned": ("bool", "Whether to return the sum of the weights, too."),
    "ddof": ("int", "Delta degrees of freedom: the divisor is the number of elements minus it."),
    "correction": ("int or float", "Another name of `ddof`."),
    "mean": (LIKE, "Mean, computed before; or the mean of the distribution."),
    "q": ("float or array_like of floats", "Quantiles, in [0, 1], or percentiles, in [0, 100]."),
    "method": ("str", "How a quantile between two elements is computed, by NumPy's names."),
    "interpolation": ("str", "Old name of `method`."),
    "overwrite_input": ("bool", "Whether the input's memory may be used for sorting."),
    "rowvar": ("bool", "Whether rows are variables, and columns observations."),
    "bias": ("bool", "Whether to divide by the number of observations."),
    "fweights": ("array_like of ints", "Number of times that each observation counts."),
    "aweights": (LIKE, "Weight of each observation."),
    "rtol": ("float", "Relative tolerance."),
    "atol": ("float", "Absolute tolerance."),
    "equal_nan": ("bool", "Whether NaN equals NaN."),
    "assume_unique": ("bool", "Whether both inputs have distinct elements, which makes it faster."),
    "return_index": ("bool", "Whether to return where each distinct element stands first."),
    "return_inverse": ("bool", "Whether to return the number of each element among the distinct ones."),
    "return_counts": ("bool", "Whether to return how often each distinct element occurs."),
    "return_indices": ("bool", "Whether to return where the common elements stand."),
    "sorted": ("bool", "Whether the result is sorted."),
    "invert": ("bool", "Whether to return the opposite."),
    "test_elements": (LIKE, "Elements that are searched."),
    "element": (LIKE, "Elements that are tested."),
    "condition": ("array_like of bool", "Where it is true, an element is chosen."),
    "condlist": ("list of array_like of bool", "Conditions; the first that holds counts."),
    "choicelist": ("list of array_like", "Values for each condition."),
    "default": ("scalar", "Value where no condition holds."),
    "indices": ("array_like of ints", "Indices of the elements."),
    "a_min": (LIKE, "Lower limit; None: no limit."),
    "a_max": (LIKE, "Upper limit; None: no limit."),
    "min": (LIKE, "Lower limit; None: no limit."),
    "max": (LIKE, "Upper limit; None: no limit."),
    "signature": ("str or tuple", "As in calls of ufuncs."),
    "decimals": ("int", "Number of decimal places; negative ones round before the point."),
    "nan": ("scalar", "Value in place of NaN."),
    "posinf": ("scalar", "Value in place of infinity; None is the largest finite number."),
    "neginf": ("scalar", "Value in place of minus infinity; None is the smallest finite number."),
    "deg": ("bool", "Whether to return degrees instead of radians."),
    "prepend": (LIKE, "Values before the first element."),
    "append": (LIKE, "Values after the last element."),
    "to_end": (LIKE, "Values after the last difference."),
    "to_begin": (LIKE, "Values before the first difference."),
    "varargs": ("scalar or array_like", "Sample spacing or coordinates, for all axes or for each."),
    "spacing": ("scalar or array_like", "Sample spacing or coordinates, for all axes or for each."),
    "edge_order": ("{1, 2}", "Order of accuracy at the edges."),
    "dx": ("float", "Distance of the sample points, where no coordinates are passed."),
    "increasing": ("bool", "Whether the powers rise from left to right."),
    "subscripts": ("str", "Subscripts of the operands and of the result, as in 'ij,jk->ik'."),
    "optimize": ("bool or str", "Order of the contractions."),
    "full_matrices": ("bool", "Whether to return square matrices."),
    "compute_uv": ("bool", "Whether to return the singular vectors, too."),
    "hermitian": ("bool", "Whether the matrices are Hermitian."),
    "UPLO": ("{'L', 'U'}", "Which triangle is read."),
    "upper": ("bool", "Whether to return the upper factor."),
    "ord": ("int, float or str", "Order of the norm, by NumPy's names."),
    "p": ("float or array_like of floats", "Probability."),
    "rcond": ("float", "Singular values below it times the largest count as 0."),
    "tol": ("float", "Singular values below it count as 0."),
    "ind": ("int", "Number of the first axes of the inverse."),
    "low": (LIKE, "Lower limit, included."),
    "high": (LIKE, "Upper limit, excluded."),
    "loc": (LIKE, "Location: mean, mode or centre of the distribution."),
    "scale": (LIKE, "Scale of the distribution."),
    "alpha": (LIKE, "First parameter of the distribution."),
    "beta": (LIKE, "Second parameter, or the shape of the window."),
    "df": (LIKE, "Degrees of freedom."),
    "dfnum": (LIKE, "Degrees of freedom of the numerator."),
    "dfden": (LIKE, "Degrees of freedom of the denominator."),
    "nonc": (LIKE, "Non-centrality."),
    "mu": (LIKE, "Mode of the distribution, in radians."),
    "kappa": (LIKE, "Concentration."),
    "lam": (LIKE, "Mean number of events."),
    "sigma": (LIKE, "Standard deviation of the logarithm."),
    "ngood": (LIKE, "Number of good ones."),
    "nbad": (LIKE, "Number of bad ones."),
    "nsample": (LIKE, "Number of samples."),
    "colors": ("sequence of ints", "Number of items of each colour."),
    "pvals": (LIKE, "Probabilities along the last axis."),
    "cov": (LIKE, "Covariance matrix."),
    "check_valid": ("{'warn', 'raise', 'ignore'}", "What happens where `cov` is no covariance matrix."),
    "replace": ("bool", "Whether an element may be picked more than once."),
    "shuffle": ("bool", "Whether the order of the picks is random."),
    "include_initial": ("bool", "Whether the result begins with the value of no elements."),
    "row": ("int", "Number of rows."),
    "col": ("int", "Number of columns."),
    "array_like": (LIKE, "Input array."),
    # Of new tensors, random numbers and layers.
    "requires_grad": ("bool", "Whether the result records operations for gradients."),
    "memory_format": ("memory_format", "Order of the dimensions in memory; None keeps the usual one."),
    "generator": ("Generator", "Source of the random numbers; None is the default generator of the device."),
    "seed": ("int or SeedGenerator", "Source of the random numbers; None is the global one."),
    "inplace": ("bool", "Whether the result replaces the input's values; the input is returned then."),
    **dict.fromkeys(("training", "train"), ("bool", "Whether the layer trains; outside of training the function has no random part.")),
    "eps": ("float", "Small number that keeps divisors and logarithms away from 0."),
    "epsilon": ("float", "Small number that keeps the divisor away from 0."),
    "momentum": ("float", "Fraction by which the running values move towards those of the input."),
    "running_mean": (ARRAY, "Running mean of each channel, (C); updated in place in training."),
    "running_var": (ARRAY, "Running variance of each channel, (C); updated in place in training."),
    "normalized_shape": ("int or sequence of ints", "Sizes of the last dimensions, which are normalized."),
    "kernel": (ARRAY, "Weights of the convolution, in the inputs' dtype."),
    "depthwise_kernel": (ARRAY, "Weights of each channel, (sizes, channels, results of each)."),
    "pointwise_kernel": (ARRAY, "Weights of size 1, (1, ..., channels, results)."),
    "stride": ("int or tuple of int", "Step along each axis, or one for all."),
    "strides": ("int or tuple of int", "Step along each axis, or one for all."),
    "padding": ("int or tuple of int", "Elements added on both sides of each axis, or one number for all."),
    "dilation": ("int or tuple of int", "Distance of neighbouring elements of the kernel along each axis, or one for all."),
    "dilation_rate": ("int or tuple of int", "Distance of neighbouring elements of the kernel along each axis, or one for all."),
    "output_padding": ("int or tuple of int", "Elements added at the end of each axis of the result, or one number for all."),
    "kernel_size": ("int or tuple of int", "Size of the windows along each axis, or one for all."),
    "pool_size": ("int or tuple of int", "Size of the windows along each axis, or one for all."),
    "output_size": ("int or tuple of int", "Sizes of the result along the windows' axes, or one for all."),
    "ceil_mode": ("bool", "Whether windows that end beyond the border count."),
    "count_include_pad": ("bool", "Whether elements of the border count in the mean."),
    "divisor_override": ("int", "Divisor of the sums; None is the number of elements."),
    "data_format": ("{'channels_last', 'channels_first'}", "Where the channels are; None is Keras's setting."),
    "lengths": (ARRAY, "Length of each sequence: int64, on the CPU."),
    "padding_value": ("float", "Value of elements that are added."),
    "padding_side": ("{'right', 'left'}", "Where elements are added."),
    "total_length": ("int", "Number of steps of the result."),
    "state": (ARRAY, "Hidden state before the first step, (N, size)."),
    "cells": (ARRAY, "Cells before the first step, (N, size)."),
    "recurrent_kernel": (ARRAY, "Weights of the hidden state, (size, gates * size)."),
    "go_backwards": ("bool", "Whether the last step is computed first."),
    "hx": (ARRAY, "Hidden state before the first step."),
    "params": ("tuple of Tensors", "Weights and biases of each layer and direction."),
    "batch_sizes": (ARRAY, "Number of sequences in each step: int64, on the CPU."),
    "has_biases": ("bool", "Whether each layer has biases."),
    "num_layers": ("int", "Number of layers."),
    "bidirectional": ("bool", "Whether each layer also goes through the steps backwards."),
    "batch_first": ("bool", "Whether the samples are the first dimension, not the second."),
    "w_ih": (ARRAY, "Weights of the input, (gates * size, in)."),
    "w_hh": (ARRAY, "Weights of the hidden state, (gates * size, size)."),
    "b_ih": (ARRAY, "Biases, (gates * size)."),
    "b_hh": (ARRAY, "Biases of the hidden state's products, (gates * size)."),
    "num_groups": ("int", "Number of groups; it divides the number of channels."),
    "groups": ("int", "Number of groups; it divides the number of channels."),
    "use_input_stats": ("bool", "Whether to use mean and variance of the input instead of the running ones."),
    "variance": (LIKE, "Variance of each channel."),
    "rate": ("float", "Probability of 0, in [0, 1]."),
    "noise_shape": ("sequence of ints", "Shape of the mask, which broadcasts to the input; None is the input's."),
    "num_classes": ("int", "Number of classes, the size of the new axis."),
    "upscale_factor": ("int", "Factor r by which height and width grow."),
    "downscale_factor": ("int", "Factor r by which height and width shrink."),
    "padding_idx": ("int", "Number of the row that gets no gradient, or does not count."),
    "max_norm": ("float", "Longer rows are scaled to this norm, in the table itself."),
    "norm_type": ("float", "Order p of the norm for `max_norm`."),
    "scale_grad_by_freq": ("bool", "Whether to divide the gradient of a row by how often it is picked."),
    "include_last_offset": ("bool", "Whether `offsets` also has the end of the last bag."),
    "negative_slope": ("float", "Slope for negative elements."),
    "lambd": ("float", "Distance from 0 up to which the result is 0."),
    "threshold": ("float", "Limit above which elements stay as they are."),
    "default_value": ("scalar", "Value for the elements up to the threshold."),
    "min_val": ("float", "Lower limit."),
    "max_val": ("float", "Upper limit."),
    "approximate": ("{'none', 'tanh'}", "Whether to use the approximation with tanh."),
    "tau": ("float", "Temperature: the smaller, the nearer the result is to 0 and 1."),
    # Of losses.
    "target": (LIKE, "True values, of the shape of the predictions."),
    "output": (LIKE, "Predictions: probabilities, or logits with `from_logits`."),
    "from_logits": ("bool", "Whether the predictions are logits instead of probabilities."),
    "reduction": ("{'mean', 'sum', 'none'}", "What becomes of the losses of all elements: their mean, their sum, or themselves."),
    "size_average": ("bool", "Old form of `reduction`; None uses that."),
    "reduce": ("bool", "Old form of `reduction`; None uses that."),
    "margin": ("float", "Distance from which a pair or class costs nothing."),
    "full": ("bool", "Whether to add the terms that depend on the target alone."),
    "ignore_index": ("int", "Class number of samples that do not count."),
    "anchor": (LIKE, "Vectors to which distances are measured, of shape (N, D) or (D)."),
    "positive": (LIKE, "Vectors that should be near, of the shape of `anchor`."),
    "negative": (LIKE, "Vectors that should be far, of the shape of `anchor`."),
    "weight": (LIKE, "Weight of each element; it broadcasts to the input."),
    "delta": ("float", "Difference at which the quadratic part ends."),
    "label_smoothing": ("float", "Fraction of the target, in [0, 1], that is distributed equally among all classes."),
    "log_input": ("bool", "Whether the input is the logarithm of the mean; else `eps` is added to the mean."),
    "swap": ("bool", "Whether the distance from `positive` to `negative` counts where that is smaller."),
    "var": ("float or array_like", "Variances, of the input's shape or one for each row; smaller ones than `eps` count as `eps`."),
    "attn_mask": (LIKE, "Mask that broadcasts to (*, H, L, S): bools (True takes part), or summands of the scores."),
    "dropout_p": ("float", "Probability that an attention weight becomes 0."),
    "is_causal": ("bool", "Whether a query sees the keys up to its own position only."),
    "enable_gqa": ("bool", "Whether keys and values may have fewer heads, each for several heads of queries."),
    "hard": ("bool", "Whether the results are 0 and 1; the derivative is that of the probabilities."),
    "offsets": ("array_like of ints", "First index of each bag in a one-dimensional input, (B); also the end with `include_last_offset`."),
    "per_sample_weights": (LIKE, 'Factor of each row, of the shape of the input; with mode "sum".'),
    "start_indices": ("sequence of ints", "First index along each axis."),
    "updates": (LIKE, "New values."),
    "log_target": ("bool", "Whether the target has logarithms."),
    "pos_weight": (LIKE, "Weight of the terms where the target is 1; it broadcasts to the input."),
    "ragged": ("bool", "Accepted for compatibility; must be false."),
    "synchronized": ("bool", "Accepted for compatibility; must be false."),
    # Of matrices, shapes, searches and transforms.
    **dict.fromkeys(("mat", "mat1"), (LIKE, "First factor, a matrix of shape (N, M).")),
    "mat2": (LIKE, "Second factor, a matrix of shape (M, P)."),
    "vec": (LIKE, "Vector of M elements."),
    "vec1": (LIKE, "First vector, of N elements."),
    "vec2": (LIKE, "Second vector, of M elements."),
    "batch1": (LIKE, "First factors, of shape (B, N, M)."),
    "batch2": (LIKE, "Second factors, of shape (B, M, P)."),
    "tensor": (LIKE, "Second operand, a vector of as many elements."),
    "matrices": ("sequence of array_like", "Matrices; the columns of each are as many as the rows of the next."),
    "L": (LIKE, "Triangular factor of Cholesky's decomposition, of shape (*, M, M)."),
    "check_errors": ("bool", "Whether to raise LinAlgError for a nonzero info, which waits for it."),
    "pivot": ("bool", "Whether rows may be swapped; only True is stable."),
    "some": ("bool", "Whether to return the reduced factors."),
    "unitriangular": ("bool", "Whether the diagonal counts as ones."),
    "lower": ("bool", "Whether the lower triangle counts instead of the upper one."),
    "driver": ("str", "LAPACK routine: 'gels', 'gelsy', 'gelsd' or 'gelss'."),
    "equation": ("str", "Subscripts of the operands and of the result, as in 'ij,jk->ik'."),
    "diagonal": ("int", "Number of the diagonal: 0 is the main one, positive ones are above it."),
    **dict.fromkeys(("dim0", "axis0", "dim1"), ("int", "First axis of the pair.")),
    "dim2": ("int", "Second axis of the pair."),
    "dims": ("int or sequence of ints", "Dimensions of the operation; negative ones count from the end."),
    "shifts": ("int or tuple of ints", "Number of places by which elements move along each dimension."),
    "newshape": ("int or tuple of ints", "New shape; -1 stands for the size that is left."),
    "start_dim": ("int", "First dimension to merge."),
    "end_dim": ("int", "Last dimension to merge."),
    **dict.fromkeys(
        ("sections", "tensor_indices_or_sections"), ("int or sequence of ints", "Number of parts, or indices at which to split.")
    ),
    "split_size_or_sections": ("int or sequence of ints", "Size of each part, or the sizes of all parts."),
    "split_size": ("int", "Size of each part; the last one may be smaller."),
    "split_sizes": ("sequence of ints", "Sizes of the parts."),
    "chunks": ("int", "Largest number of parts."),
    "xs": ("sequence of array_like", "Input arrays."),
    "data": (LIKE, "Values: an array, a number or nested sequences."),
    "subok": ("bool", "Accepted for compatibility; the result has quern's own class."),
    "steps": ("int", "Number of values."),
    "end": ("scalar", "Last value, or the end of the half-open range."),
    "window_length": ("int", "Number of points."),
    "periodic": ("bool", "Whether the window is one of a periodic signal: as one longer, without its last value."),
    "exponent": ("scalar or array_like", "Exponents, which broadcast with the input."),
    "rounding_mode": ("{None, 'trunc', 'floor'}", "How quotients are rounded: not, towards zero, or downwards."),
    "value": ("scalar", "Factor of the product or quotient."),
    "x_min": (LIKE, "Lower limit; None: no limit."),
    "x_max": (LIKE, "Upper limit; None: no limit."),
    "unbiased": ("bool", "Whether the divisor is the number of elements less 1."),
    "segment_ids": ("array_like of ints", "Number of the segment to which each row belongs."),
    "num_segments": ("int", "Number of segments; None is one more than the largest number."),
    "sorted_sequence": (LIKE, "Values in rising order along the last axis."),
    "boundaries": (LIKE, "Boundaries in rising order, one-dimensional."),
    "out_int32": ("bool", "Whether the indices are int32 instead of int64."),
    "values": (LIKE, "Values to insert."),
    "elements": (LIKE, "Elements that are tested."),
    "largest": ("bool", "Whether to return the largest elements instead of the smallest."),
    "targets": ("array_like of ints", "Class number of each row."),
    "predictions": (LIKE, "Scores of the classes, of shape (N, C)."),
    "replacement": ("bool", "Whether an index may be picked more than once."),
    "num_samples": ("int", "Number of picks for each row."),
    "logits": (LIKE, "Logarithms of unnormalized probabilities."),
    "std": ("float or array_like", "Standard deviation."),
    "stddev": ("float", "Standard deviation."),
    "median": ("float", "Median of the distribution."),
    **dict.fromkeys(("minval", "from_"), ("scalar", "Lower limit, included.")),
    **dict.fromkeys(("maxval", "to"), ("scalar", "Upper limit, excluded.")),
    "counts": ("int or array_like of ints", "Number of trials."),
    "probabilities": ("float or array_like", "Probability of success, in [0, 1]."),
    "n_rows": ("int", "Number of rows."),
    "n_cols": ("int", "Number of columns; None: as many as rows."),
    "fft_length": ("int", "Length of the transform: longer input is truncated, shorter padded."),
    "sequence_length": ("int", "Number of elements of each piece."),
    "sequence_stride": ("int", "Distance between the beginnings of two pieces."),
    "length": ("int", "Number of samples of the result; None: all."),
    "window": ("str or array_like", "Window of the pieces: 'hann', 'hamming', values, or None for ones."),
    "center": ("bool", "Whether pieces are centred at their places, with the ends reflected."),
}
# The same of functions whose parameter of that name means something else: names of functions, of parameters.
OF_FUNCTIONS = {
    ("sort argsort partition argpartition", "order"): ("str or list of str", "Fields that are compared first, second, and so on."),
    ("fft ifft rfft irfft hfft ihfft", "n"): ("int", "Length of the transform: longer input is truncated, shorter padded."),
    (
        "max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
        "return_indices",
    ): ("bool", "Whether the places of the elements in the plane are returned as well."),
    ("lstm", "hx"): ("tuple of Tensors", "Hidden states and cells before the first step, each (layers * directions, N, size)."),
    ("lstm_layer gru_layer", "kernel"): (ARRAY, "Weights of the inputs, (in, gates * size)."),
    ("lstm_layer gru_layer", "bias"): (ARRAY, "Biases of the gates; None: there are none."),
    ("lstm gru rnn_tanh rnn_relu", "data"): (ARRAY, "Rows of packed sequences, step by step."),
    ("lstm_cell", "hx"): ("tuple of Tensors", "Hidden state and cell, each (N, size)."),
    ("lstm gru rnn_tanh rnn_relu", "dropout"): ("float", "Probability of dropout, in training, between layers."),
    ("diff", "n"): ("int", "How many times differences are taken."),
    ("identity", "n"): ("int", "Number of rows and columns."),
    ("matrix_power", "n"): ("int", "Exponent."),
    ("binomial multinomial", "n"): ("int or array_like of ints", "Number of trials."),
    ("negative_binomial", "n"): ("int or array_like of ints", "Number of successes."),
    ("choice", "a"): ("array_like or int", "Array to choose from, or n for range(n)."),
    ("choice", "p"): (LIKE, "Probabilities of the elements; None: all the same."),
    ("bartlett blackman hamming hanning kaiser", "M"): ("int", "Number of points."),
    ("kaiser", "beta"): ("float", "Shape of the window."),
    ("eye tri", "M"): ("int", "Number of columns; None: as many as rows."),
    ("vander", "N"): ("int", "Number of columns; None: as many as elements."),
    ("gamma standard_gamma", "shape"): (LIKE, "Shape of the distribution."),
    ("pareto power weibull zipf", "a"): (LIKE, "Shape of the distribution."),
    ("beta", "a b"): (LIKE, "Parameter of the distribution, above 0."),
    ("triangular", "left mode right"): (LIKE, "Lower limit, mode and upper limit, in rising order."),
    ("where", "x y"): (LIKE, "Values where the condition holds (`x`) and elsewhere (`y`)."),
    ("searchsorted", "v"): (LIKE, "Values to insert."),
    ("convolve correlate", "v"): (LIKE, "Second line."),
    ("eye", "m"): ("int", "Number of columns; None: as many as rows."),
    ("asarray asanyarray convert_to_tensor cast array ascontiguousarray asfortranarray", "a x"): (
        LIKE,
        "Array, number, or nested sequences of numbers.",
    ),
    ("zeros_like ones_like empty_like full_like rand_like randn_like randint_like", "a x input"): (
        LIKE,
        "Array whose shape, dtype and device the result has.",
    ),
    ("permutation", "a x"): ("array_like or int", "Array to permute, or n for range(n)."),
    ("permuted shuffle", "x"): (LIKE, "Array to permute."),
    ("bartlett blackman hanning hamming kaiser", "x"): ("int", "Number of points."),
    ("where", "input x1"): (LIKE, "Values where the condition holds."),
    ("where", "other x2"): (LIKE, "Values elsewhere."),
    ("reshape_as view_as expand_as", "other"): (LIKE, "Array whose shape the result has."),
    ("cholesky_solve", "input2"): (LIKE, "Triangular factor of Cholesky's decomposition, of shape (*, M, M)."),
    ("squareplus", "b"): ("float", "Sharpness of the bend at 0."),
    ("trapezoid trapz cumulative_trapezoid", "x"): (LIKE, "Coordinates of the values."),
    ("interp", "x"): (LIKE, "Coordinates at which to interpolate."),
    ("digitize", "bins"): (LIKE, "Edges, in rising or falling order."),
    ("digitize", "right"): ("bool", "Whether the right edge belongs to a bin."),
    ("interp", "right"): ("scalar", "Value beyond the last point."),
    ("solve lstsq tensorsolve", "b"): (LIKE, "Right sides."),
    ("pad", "mode"): ("str", "Kind of the border, by NumPy's names."),
    ("add sub subtract", "alpha"): ("scalar", "Factor of `other`."),
    ("addmm addmv addr baddbmm addbmm", "alpha"): ("scalar", "Factor of the product."),
    ("addmm addmv addr baddbmm addbmm", "beta"): ("scalar", "Factor of `input`; with 0 its values, NaN among them, do not count."),
    ("addmm addmv addr baddbmm addbmm", "input"): (LIKE, "Summand, which broadcasts to the shape of the product."),
    ("bernoulli", "input"): (LIKE, "Probabilities of 1, in [0, 1]."),
    ("poisson", "input"): (LIKE, "Means, of any shape; floating-point."),
    ("multinomial", "input"): (LIKE, "Weights of the indices, not negative, of shape (N) or (B, N)."),
    ("convolve correlate", "a x1"): (LIKE, "First sequence, one-dimensional."),
    ("cov corrcoef", "m x input"): (LIKE, "Variables, as rows of a matrix, or one variable."),
    ("bincount", "x input"): ("array_like of ints", "Integers that are not negative, one-dimensional."),
    ("vander", "x input"): (LIKE, "Numbers, one-dimensional."),
    ("pad", "input"): (LIKE, "Array of any shape and dtype."),
    ("norm vector_norm vecdot", "a x A input"): (LIKE, "Vectors or matrices, of any shape."),
    ("tensorsolve tensorinv", "a A"): (LIKE, "Array that is a square matrix once its axes are merged into rows and columns."),
    ("tril triu", "a m x input"): (LIKE, "Array of any dtype, with at least two axes."),
    ("rfft rfft2 rfftn ihfft ihfft2 ihfftn", "a x input"): (LIKE, "Real numbers, of any shape."),
    ("mm", "input"): (LIKE, "First factor, a matrix of shape (N, M)."),
    ("bmm", "input"): (LIKE, "First factors, of shape (B, N, M)."),
    ("bmm", "mat2"): (LIKE, "Second factors, of shape (B, M, P)."),
    ("mv", "input"): (LIKE, "Matrix of shape (N, M)."),
    ("elu celu", "alpha"): ("float", "Limit of the result for large negative elements, with the other sign."),
    ("softplus", "beta"): ("float", "Sharpness of the bend at 0."),
    ("local_response_norm", "size"): ("int", "Number of neighbouring channels."),
    ("local_response_norm", "alpha"): ("float", "Factor of the mean of squares."),
    ("local_response_norm", "beta"): ("float", "Exponent of the divisor."),
    ("local_response_norm", "k"): ("float", "Summand of the divisor."),
    ("topk top_k in_top_k", "k"): ("int", "Number of elements."),
    ("kthvalue", "k"): ("int", "Which element in rising order, from 1."),
    ("dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout", "p"): ("float", "Probability of 0."),
    ("normalize pairwise_distance triplet_margin_loss", "p"): ("float", "Order of the norm."),
    ("cond", "p"): ("int, float or str", "Order of the norm; None: the ratio of the singular values."),
    ("multi_margin_loss", "p"): ("{1, 2}", "Exponent of each term."),
    ("bernoulli bernoulli_", "p"): ("float or array_like", "Probability of 1."),
    ("solve solve_ex solve_triangular", "left"): ("bool", "Whether to solve A @ X = B instead of X @ A = B."),
    ("solve solve_ex solve_triangular lstsq tensorsolve", "B"): (LIKE, "Right sides, of shape (*, M, K); for `solve` also (*, M)."),
    ("solve_triangular", "b"): (LIKE, "Right sides, of shape (*, M, K) or (*, M)."),
    ("solve_triangular", "upper"): ("bool", "Whether the matrices are upper triangular."),
    ("cholesky_solve", "B"): (LIKE, "Right sides, of shape (*, M, K)."),
    ("cholesky_solve", "upper"): ("bool", "Whether the factor is upper triangular."),
    ("cholesky_inverse", "upper"): ("bool", "Whether the factor is upper triangular."),
    ("inv inv_ex solve solve_ex cholesky cholesky_ex eig eigh eigvals eigvalsh det slogdet logdet matrix_exp matrix_power", "A a input"): (
        LIKE,
        "Square matrices, of shape (*, M, M).",
    ),
    ("svd svdvals qr pinv matrix_rank lu lu_factor lu_factor_ex lstsq", "A a input"): (LIKE, "Matrices, of shape (*, M, N)."),
    ("ldl_factor ldl_factor_ex", "A"): (LIKE, "Symmetric or Hermitian matrices, of shape (*, M, M)."),
    ("solve_triangular", "A a"): (LIKE, "Triangular matrices, of shape (*, M, M)."),
    ("searchsorted bucketize", "right"): ("bool", "Whether to insert after equal elements."),
    ("searchsorted bucketize", "input"): (LIKE, "Values to insert."),
    ("var std var_mean std_mean cov", "correction"): ("int or float", "The divisor is the number of elements less this."),
    ("quantile nanquantile", "interpolation"): ("str", "How a quantile between two elements is computed: 'linear', 'lower', and so on."),
    ("quantile nanquantile", "q"): ("float or array_like of floats", "Quantiles, in [0, 1]."),
    ("percentile nanpercentile", "q"): ("float or array_like of floats", "Percentiles, in [0, 100]."),
    ("lerp", "end"): (LIKE, "Values at weight 1."),
    ("lerp", "weight"): ("float or array_like", "Weight of `end`: 0 gives the input, 1 gives `end`."),
    ("threshold pad", "value"): ("scalar", "Value that takes the place."),
    ("softplus", "threshold"): ("float", "Limit of beta * x above which the result is x itself."),
    ("exponential_", "lambd"): ("float", "Rate of the distribution."),
    ("normal log_normal_ normal_", "mean"): ("float or array_like", "Mean of the distribution, or of the logarithm."),
    ("step heaviside", "values"): (LIKE, "Values where the input is 0."),
    ("linear", "input"): (LIKE, "Inputs, of shape (*, in)."),
    ("linear", "weight"): (LIKE, "Weights, of shape (out, in) or (in)."),
    ("linear bilinear", "bias"): (LIKE, "Summands, of shape (out); None adds nothing."),
    ("bilinear", "input1 input2"): (LIKE, "Inputs, of shapes (*, in1) and (*, in2)."),
    ("bilinear", "weight"): (LIKE, "Weights, of shape (out, in1, in2)."),
    ("layer_norm rms_norm", "weight bias"): (LIKE, "Factors and summands, of shape `normalized_shape`; None changes nothing."),
    ("group_norm batch_norm instance_norm", "weight bias"): (LIKE, "Factor and summand of each channel, (C); None changes nothing."),
    ("group_norm batch_norm instance_norm local_response_norm", "input"): (LIKE, "Inputs, of shape (N, C, ...); floating-point."),
    ("dropout1d dropout2d dropout3d feature_dropout feature_alpha_dropout", "input"): (LIKE, "Inputs, of shape (N, C, ...) or without N."),
    ("scaled_dot_product_attention", "query"): (LIKE, "Queries, of shape (*, H, L, E)."),
    ("scaled_dot_product_attention", "key"): (LIKE, "Keys, of shape (*, H, S, E)."),
    ("scaled_dot_product_attention", "value"): (LIKE, "Values, of shape (*, H, S, Ev)."),
    ("multi_head_attention_forward", "query key value"): (LIKE, "Inputs, of shapes (L, N, E), (S, N, Ek) and (S, N, Ev), or without N."),
    ("multi_head_attention_forward", "embed_dim_to_check"): ("int", "Size E of the queries."),
    ("multi_head_attention_forward", "num_heads"): ("int", "Number of heads; it divides E."),
    ("multi_head_attention_forward", "in_proj_weight"): (LIKE, "Weights of the projections of query, key and value, (3 * E, E), or None."),
    ("multi_head_attention_forward", "in_proj_bias"): (LIKE, "Their summands, (3 * E), or None."),
    ("multi_head_attention_forward", "bias_k bias_v"): (LIKE, "One more key and its value, (1, 1, E), or None."),
    ("multi_head_attention_forward", "add_zero_attn"): ("bool", "Whether to add one key and value of zeros."),
    ("multi_head_attention_forward", "out_proj_weight"): (LIKE, "Weight of the projection of the result, (E, E)."),
    ("multi_head_attention_forward", "out_proj_bias"): (LIKE, "Its summands, (E), or None."),
    ("multi_head_attention_forward", "training"): ("bool", "Whether dropout happens."),
    ("multi_head_attention_forward", "key_padding_mask"): (
        LIKE,
        "Shape (N, S): True for keys that nobody attends to, or numbers that are added to their scores.",
    ),
    ("multi_head_attention_forward", "need_weights"): ("bool", "Whether to return the weights."),
    ("multi_head_attention_forward", "attn_mask"): (
        LIKE,
        "Shape (L, S) or (N * num_heads, L, S): True for pairs that do not attend, or numbers that are added to their scores.",
    ),
    ("multi_head_attention_forward", "use_separate_proj_weight"): ("bool", "Whether three weights take the place of `in_proj_weight`."),
    ("multi_head_attention_forward", "q_proj_weight k_proj_weight v_proj_weight"): (LIKE, "These weights, (E, E), (E, Ek) and (E, Ev)."),
    ("multi_head_attention_forward", "static_k static_v"): (
        LIKE,
        "Keys and values in place of the projections, (N * num_heads, S, E / num_heads).",
    ),
    ("multi_head_attention_forward", "average_attn_weights"): ("bool", "Whether the weights are means over the heads."),
    ("multi_head_attention_forward", "is_causal"): ("bool", "Whether `attn_mask` is the causal mask."),
    ("scaled_dot_product_attention", "scale"): ("float", "Factor of the scores."),
    ("embedding embedding_bag", "input"): ("array_like of ints", "Row numbers, int64 or int32, of any shape."),
    ("embedding embedding_bag", "sparse"): ("bool", "Must be False: sparse gradients are not supported."),
    ("embedding embedding_bag", "weight"): (LIKE, "Table of rows, of shape (V, D)."),
    ("one_hot", "input"): ("array_like of ints", "Class numbers, int64, of any shape."),
    ("one_hot multi_hot", "x"): ("array_like of ints", "Class numbers, int64 or int32, of any shape."),
    ("pixel_shuffle", "input"): (LIKE, "Inputs, of shape (*, C * r * r, H, W)."),
    ("pixel_unshuffle", "input"): (LIKE, "Inputs, of shape (*, C, H * r, W * r)."),
    ("channel_shuffle", "input"): (LIKE, "Inputs, of shape (N, C, ...)."),
    ("pad", "pad"): ("sequence of ints", "Elements to add: (before, after) of the last dimension, then of the one before it, and so on."),
    ("nll_loss", "input"): (LIKE, "Log-probabilities, of shape (N, C), (C) or (N, C, d1, ...)."),
    ("multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss", "input"): (LIKE, "Scores, of shape (N, C) or (C)."),
    ("rrelu", "lower upper"): ("float", "Limits of the random slopes."),
    ("prelu", "weight"): (LIKE, "Slopes for negative elements: one, or one for each channel."),
    ("nll_loss cross_entropy multi_margin_loss multilabel_soft_margin_loss", "weight"): (LIKE, "Weight of each class, (C)."),
    ("binary_cross_entropy binary_cross_entropy_with_logits l1_loss mse_loss huber_loss", "weight"): (
        LIKE,
        "Weight of each element; it broadcasts to the input.",
    ),
    ("l1_loss mse_loss smooth_l1_loss huber_loss", "input"): (LIKE, "Predictions, of any shape; floating-point."),
    ("smooth_l1_loss", "beta"): ("float", "Difference at which the quadratic part ends."),
    ("binary_cross_entropy", "input"): (LIKE, "Probabilities, in [0, 1], of any shape."),
    ("binary_cross_entropy binary_cross_entropy_with_logits", "target"): (LIKE, "True probabilities, in [0, 1], of the input's shape."),
    ("binary_cross_entropy_with_logits", "input"): (LIKE, "Logits, of any shape; floating-point."),
    ("kl_div", "input"): (LIKE, "Logarithms of probabilities, of any shape."),
    ("soft_margin_loss hinge_embedding_loss", "target"): (LIKE, "1 or -1 for each element."),
    ("margin_ranking_loss cosine_embedding_loss", "target"): (LIKE, "1 or -1 for each pair."),
    ("multilabel_soft_margin_loss", "target"): (LIKE, "1 or 0 for each class, of the input's shape."),
    ("poisson_nll_loss", "input"): (LIKE, "Means, or their logarithms with `log_input`, of any shape."),
    ("gaussian_nll_loss", "input"): (LIKE, "Means, of any shape."),
    ("margin_ranking_loss", "input1 input2"): (LIKE, "Values to compare, of one shape."),
    ("cosine_embedding_loss cosine_similarity pairwise_distance", "input1 input2 x1 x2"): (LIKE, "Vectors to compare, (N, D) or (D)."),
    ("sparse_categorical_crossentropy", "target"): ("array_like of ints", "Class number of each sample."),
}
OF_FUNCTIONS = {(f, n): said for (fs, ns), said in OF_FUNCTIONS.items() for f in fs.split() for n in ns.split()}
# What functions return that the type stubs call anything.
RESULTS = {
    "named tuple of {A}": "eig eigh svd slogdet qr unique_all unique_counts unique_inverse sort topk kthvalue mode cummax cummin",
    "{A} or tuple of {A}": "unique unique_consecutive gradient average polyfit where lstsq",
    "{A} or list of {A}": "atleast_1d atleast_2d atleast_3d",
    "int": "ndim size",
    "dtype": "result_type promote_types min_scalar_type common_type",
}
SEE = "See the example of "  # the examples of a face that has none in its own spelling
RESULTS_OF_TORCH = {
    "named tuple of {A}": """aminmax lu lu_factor lu_factor_ex inv_ex cholesky_ex ldl_factor ldl_factor_ex solve_ex histogram lstsq""",
    "{A} or named tuple of {A}": "max min median nanmedian",
}
ANNOTATIONS = {"integer": "int", "boolean": "bool"}  # of parameters of faces: types
RESULTS_OF_METHODS = {"None": "sort partition"}
# Descriptions that say nothing of shapes and dtypes: what a row says stands in their place.
GENERAL = ("Input array.", "First input array.", "Second input array.", "Input arrays.", AXIS, AXES, DTYPE, "")
IGNORED = "Accepted for compatibility; has no effect."
ARRAYS = {"torch": "Tensor", "Tensor": "Tensor"} | dict.fromkeys(("cupy", "ndarray", "CupyGenerator", "CupyRandomState"), "ndarray")
_NAME = r"``(\w+)``"
_DESCRIBED = re.compile(rf"{_NAME}((?:(?:,| or|, or| and) {_NAME})*): ")
_ERROR = r"\w+(?:Error|Exception)"
_IN_PEERS = r"(?:\(([\w:; ]+)\) )?"
_WHEN = "(?=for|if|where|when|unless|in|without|at)"
_RAISED = re.compile(rf"(?:^|,? and |, |; )(?:a |an )?({_ERROR}(?:(?:, | or | and ){_ERROR})*) {_IN_PEERS}{_WHEN}")
# What a front end raises where rows say NumPy's exception types. A row names an exception to this in brackets, "none" for no error:
# "Raises ValueError (torch: IndexError; cupy: none) for ...".
TORCHS_ERRORS = {"ValueError": "RuntimeError", "AxisError": "IndexError", "LinAlgError": "RuntimeError"}
RAISED = {"torch": TORCHS_ERRORS, "Tensor": TORCHS_ERRORS}
PEERS = {"torch": "torch", "Tensor": "torch"} | dict.fromkeys(("cupy", "ndarray", "CupyGenerator", "CupyRandomState"), "cupy")
ONCE = (" out of range", "broadcast", "``out``")  # a general sentence with one of these is left out where the row's docstring has it, too
INDENT = {"initial_indent": "    ", "subsequent_indent": "    ", "break_on_hyphens": False}
SECTION = re.compile(r"^-{3,}$", re.MULTILINE)
# What faces do, where their rows' sentences do not fit together or hold for other front ends alone.
OF_FACES = {
    ("torch", "max"): """Return the largest element, the largest along a dimension with its index, or the larger one of two tensors.

    NaN counts as the largest.""",
    ("torch", "min"): """Return the smallest element, the smallest along a dimension with its index, or the smaller one of two tensors.

    NaN counts as the smallest.""",
    ("torch", "as_tensor"): """Convert ``data`` to a tensor: an array, a number, or nested sequences of them.

    On the CPU, the tensor shares the memory of a NumPy array; ``torch.tensor`` copies.""",
}


def _end(text, begin, marks):
    """The index of the first of the marks outside of brackets and literals that ends a part: ";" or a full stop before white space."""
    depth, quoted = 0, False
    for at in range(begin, len(text)):
        c = text[at]
        quoted ^= c == "`"
        depth += (c in "([{") - (c in ")]}")
        is_end = c in marks and depth <= 0 and not quoted and text[at - 1 : at + 1] != ".."
        if is_end and (c == ";" or at + 1 == len(text) or text[at + 1] in " \n"):
            return at
    return len(text)


def _sentence(text):
    text = " ".join(text.split()).strip(" ,;")
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".") if text else text


def _without_parameters(text, names):
    """A docstring's text without what it says of parameters, and that: {name: description}."""
    found, at = {}, _end(text, 0, ".")
    while described := _DESCRIBED.search(text, at):
        every = [described[1], *re.findall(_NAME, described[2])]
        if not set(every) <= set(names):
            at = described.end()
            continue
        end = _end(text, described.end(), ";.")
        found |= dict.fromkeys(every, text[described.end() : end])
        is_last = text[end : end + 1] != ";"
        text, at = text[: described.start()] + text[end + 1 :].lstrip(" ;"), described.start()
        if is_last:
            text = re.sub(r"(?:Parameters: |; |, )$", "", text[:at]) + text[at:]
            at = min(at, len(text))
    return re.sub(r"Parameters:\s*", "", text), found


def _taken(text, begins):
    """The text without the sentences that begin with a word, and these sentences."""
    taken = []
    while found := re.search(rf"(?:^|(?<=[.;] )|(?<=\n)){begins} ", text):
        end = _end(text, found.end(), ".")
        taken.append(text[found.end() : end])
        text = text[: found.start()] + text[end + 1 :].lstrip(" ")
    return text, taken


def _raises(sentences, front_end, absent):
    """[(exception, when)] of what follows "Raises", with the front end's exception types; None where it has another form.

    Errors about parameters that the face has not (`absent`) are left out.
    """
    out = {}
    for sentence in sentences:
        marks = list(_RAISED.finditer(sentence))
        if not marks or marks[0].start():
            return None
        for mark, after in zip(marks, [*marks[1:], None], strict=True):
            own = dict(one.split(": ") for one in mark[2].split("; ")) if mark[2] else {}
            own = own.get(PEERS.get(front_end, "numpy"))
            when = sentence[mark.end() : after.start() if after else len(sentence)].strip(" ,;")
            is_absent = not absent.isdisjoint(re.findall(_NAME, when))
            for error in re.findall(_ERROR, mark[1]) if not is_absent else ():
                out.setdefault(own or RAISED.get(front_end, {}).get(error, error), []).append(when)
    return [(error, "; ".join(dict.fromkeys(every))) for error, every in out.items() if error != "none"]


def _section(title, entries):
    lines = [line for head, text in entries for line in (head, *textwrap.wrap(_sentence(text), 110, **INDENT))]
    return "\n".join([title, "-" * len(title), *lines]) if lines else ""


def _summary(body):
    """A docstring's first sentence, and the rest of its body."""
    end = _end(body, 0, ".")
    return _sentence(body[:end]), body[end + 1 :].strip()


def result(front_end, name):
    """The type of what a face returns, as the type stubs have it."""
    if front_end in ("torch", "Tensor"):
        tables = [RESULTS_OF_TORCH, RESULTS, TORCHS, FUNCTIONS]
    else:
        tables = [RESULTS_OF_METHODS if front_end == "Array" else {}, RESULTS, NUMPYS, FUNCTIONS]
    found = next((kind for table in tables for kind, names in table.items() if name in names.split() and kind != "_t.Any"), "{A}")
    found = re.sub(r"_b\.|_t\.|\{n\}\.", "", found).replace(", ...", "")
    return re.sub(r"(list|tuple)\[(.*)\]", r"\1 of \2", found).removesuffix("[Any, Any]")


def _accepts_axes(front_end, function):
    """Whether a function's axis may be a tuple."""
    is_one = PEERS.get(front_end) == "torch" and function in ONE_AXIS_IN_TORCH
    return not is_one and (front_end == "reduce" or function.removeprefix("nan") in WITH_AXES)


def parameter(name, function, front_end, of_row=""):
    """The type and the description of a parameter, by its name; `of_row`: what its row says of it in place of a general description."""
    bare = name.lstrip("*")
    kind, said = OF_FUNCTIONS.get((function, bare)) or PARAMETERS.get(bare, ("object", ""))
    if said == SIZE and PEERS.get(front_end) == "torch":
        said = "Shape of the result."
    if said == AXIS and _accepts_axes(front_end, function):
        kind, said = "int or tuple of ints", AXES
    said = of_row if of_row and said in GENERAL else said
    array = ARRAYS.get(front_end, "Array")
    said = said.replace(ARRAY, "array" if array == "ndarray" else array)
    return kind.replace("{array}", array).replace(LIKE, "Tensor" if array == "Tensor" else LIKE), said


ROOT = pathlib.Path(__file__).resolve().parent.parent


@functools.cache
def _derived():
    """quern.arrays.derived_docstrings, from its file: quern is not built yet."""
    path = ROOT / "python/quern/arrays/derived_docstrings.py"
    spec = importlib.util.spec_from_file_location("derived_docstrings", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Examples of in-place functions whose plain functions have other parameters in their examples.
IN_PLACE_EXAMPLES = {
    "clamp_max": ("torch.tensor([-2, 1, 5])", ", 3", "tensor([-2,  1,  3])"),
    "clamp_min": ("torch.tensor([-2, 1, 5])", ", 0", "tensor([0, 1, 5])"),
    "dropout": ("torch.ones(3)", ", p=0.5, train=False", "tensor([1., 1., 1.])"),
    "alpha_dropout": ("torch.ones(3)", ", p=0.5, train=False", "tensor([1., 1., 1.])"),
    "feature_dropout": ("torch.ones(1, 2, 2)", ", p=1.0, train=True", "tensor([[[0., 0.],\n         [0., 0.]]])"),
    "feature_alpha_dropout": ("torch.ones(1, 3)", ", p=0.5, train=False", "tensor([[1., 1., 1.]])"),
}


def in_place(text, submodule, name):
    """The docstring of PyTorch's in-place function `name`, from that of the plain function."""
    plain, home = name.removesuffix("_"), ".".join(part for part in ("torch", submodule) if part)
    example = None
    if plain in IN_PLACE_EXAMPLES:
        operand, rest, output = IN_PLACE_EXAMPLES[plain]
        example = f">>> from quern import torch\n>>> x = {operand}\n>>> {home}.{name}(x{rest})\n{output}"
    elif not submodule and name not in _in_place_functions():
        example = ""  # a method alone, for which the operands of the plain function's example may have the wrong shape or dtype
    return _derived().in_place(text, f"{home}.{name}", f"{home}.{plain}", example)


@functools.cache
def _in_place_functions():
    """The in-place methods of tensors that PyTorch also has as functions."""
    source = (ROOT / "python/quern/torch/_faces.py").read_text(encoding="utf-8")
    return frozenset(re.search(r'_IN_PLACE = frozenset\(\s*"""([\w\s]+)"""', source)[1].split())


PAGES = {
    "cupy": ("CuPy", "https://docs.cupy.dev/en/stable/reference/generated/cupy.{}.html"),
    "torch": ("PyTorch", "https://docs.pytorch.org/docs/stable/generated/torch.{}.html"),
    "Tensor": ("PyTorch", "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.{}.html"),
    "special": ("PyTorch", "https://docs.pytorch.org/docs/stable/special.html#torch.special.{}"),  # one page for all
}


def _page(front_end, submodule, function):
    """The section that links the peer's page; "" where the peer has none."""
    if function.startswith("_") or front_end not in PAGES:
        return ""
    key = "special" if (front_end, submodule) == ("torch", "special") else front_end
    peer, address = PAGES[key]
    path = function if key in ("special", "Tensor") or not submodule else f"{submodule}.{function}"
    return f"Notes\n-----\n{peer}'s page: {address.format(path)}"


def numpydoc(text, parameters, front_end, function, submodule="", rows=((), (), (), ())):
    """A docstring with numpydoc's sections.

    `parameters`: (name, is it optional, is it ignored, its annotation where it has one) in the signature's order; `rows`: what rows
    return, {parameter: what it is}, the parameters of theirs that the face has not, and sentences about errors (tools/raised.py).
    """
    if SECTION.search(text):
        return text
    text = text.strip()
    array = ARRAYS.get(front_end, "Array")
    parts = text.split("\n\n")
    body = "\n\n".join(" ".join(part.split()) for part in parts if not part.startswith((">>>", SEE)))
    shown = [part for part in parts if part.startswith(">>>")]
    imported = f"{''.join(shown[:1]).partition(chr(10))[0]}\n"  # once, where several rows have examples
    shown = shown[:1] + [part.removeprefix(imported) for part in shown[1:]]
    examples = "\n\n".join(shown or [part for part in parts if part.startswith(SEE)][:1])
    shown = [one for one in parameters if one[0] != "self"]
    own = [name.lstrip("*") for name, *_ in shown]
    body, described = _without_parameters(body, {*own, *PARAMETERS})
    body, raised = _taken(body, "Raises")
    body, returned = _taken(body, "Returns")
    returned = [re.sub(r",? or of ``(\w+)``", lambda other: other[0] if other[1] in own else "", one) for one in returned]
    body = inspect.cleandoc(OF_FACES.get((front_end, function), body))
    said = " ".join(raised)
    raised += _taken(" ".join(one for one in rows[3] if not any(word in said for word in ONCE if word in one)), "Raises")[1]
    errors = _raises(raised, front_end, set(rows[2]) - {name for name, *_ in parameters})
    if errors is None:
        body, errors = f"{body}\n\nRaises {'. Raises '.join(raised)}.", []
    summary, rest = _summary(body)
    entries = []
    for name, is_optional, is_ignored, *annotation in shown:
        kind, general = parameter(name, function, front_end, dict(rows[1]).get(name.lstrip("*"), ""))
        kind = ANNOTATIONS.get(*annotation, kind) if annotation else kind
        said = IGNORED if is_ignored else described.get(name.lstrip("*")) or general
        entries.append((f"{name} : {kind}{', optional' if is_optional else ''}", said))
    gives = " ".join(map(_sentence, [*returned, *rows[0]])) or "The result, as described above"
    gives = [(result(front_end, function).replace("{A}", array), gives)]
    sections = [_section("Parameters", entries), _section("Returns", gives), _section("Raises", errors)]
    sections.append(_page(front_end, submodule, function))
    sections.append(f"Examples\n--------\n{examples}" if examples else "")
    paragraphs = [part[:1].upper() + part[1:] for part in rest.split("\n\n") if part.strip(" .;")]
    rest = "\n\n".join(textwrap.fill(part, 110, break_on_hyphens=False) for part in paragraphs)
    return "\n\n".join(part for part in (summary, rest, *sections) if part) + "\n"
