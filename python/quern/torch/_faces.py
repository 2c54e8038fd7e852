"""Functions of torch that are faces of the engine's table of functions (bindings/faces/), and what the engine asks of this front end.

A call of a face runs no Python code.
"""

from quern.lib import _engine
from quern.torch import _return_types
from quern.torch._core import Tensor, tensor_like
from quern.torch._devices import engine_device, name_of
from quern.torch._types import DTYPES

_engine.set_front_end(
    "torch", type=Tensor, convert=tensor_like, name_of_dtype=name_of, tuples=vars(_return_types), device=engine_device
)
for _dtype in DTYPES.values():
    _engine.name_dtype(_dtype, _dtype._name)

# Of the methods in place PyTorch has these as functions, too.
_IN_PLACE = frozenset(
    """abs_ addmv_ acos_ acosh_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ clamp_
    clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ frac_ gcd_ lcm_ log10_ log1p_ log2_ log_
    logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_
    trunc_""".split()
)
# Functions whose first argument is a tensor and which are no methods.
_NO_METHODS = frozenset(
    """bucketize cdist gradient std_mean var_mean zeros_like ones_like empty_like full_like rand_like randn_like randint_like poisson
    binomial _standard_gamma _sample_dirichlet _spectra_of_frames _samples_of_spectra
    channel_shuffle pixel_shuffle pixel_unshuffle dropout dropout_ feature_dropout feature_dropout_ alpha_dropout alpha_dropout_
    feature_alpha_dropout feature_alpha_dropout_ conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc
    convolution max_pool1d max_pool2d max_pool3d max_pool1d_with_indices adaptive_max_pool1d grid_sampler grid_sampler_2d
    grid_sampler_3d affine_grid_generator native_channel_shuffle avg_pool1d adaptive_avg_pool1d lstm gru rnn_tanh rnn_relu lstm_cell
    gru_cell rnn_tanh_cell rnn_relu_cell""".split()
)
METHODS = {
    name: face
    for name, face in _engine.functions_of("torch", "quern.torch", "Tensor").items()
    if _engine.is_method(face) and name not in _NO_METHODS
}
METHODS |= _engine.functions_of("Tensor", "quern.torch", "Tensor")
_engine.add_methods(Tensor, METHODS)
_METHODS_ALONE = {name for name in METHODS if name.endswith("_")} - _IN_PLACE
# As in PyTorch, a function in a class of the user's does not become its method.
FACES = _engine.add_functions(__name__, "torch", binds=False, shown="quern.torch", but=_METHODS_ALONE)
__all__ = sorted(FACES.keys() - _METHODS_ALONE)
