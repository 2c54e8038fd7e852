"""Functions of torch that are faces of the engine's table of functions (bindings/faces/), and what the engine asks of this front end.

A call of a face runs no Python code.
"""

from quern.lib import _engine
from quern.torch import _named
from quern.torch._core import Tensor, engine_device, name_of, tensor_like
from quern.torch._types import DTYPES

_engine.set_front_end(
    "torch", type=Tensor, convert=tensor_like, name_of_dtype=name_of, tuples=vars(_named), device=engine_device
)
for _dtype in DTYPES.values():
    _engine.name_dtype(_dtype, _dtype._name)

# By their names; those that write in place end in "_". As in PyTorch, a function in a class of the user's does not become its method.
_functions = _engine.functions_of("torch", "quern.torch", binds=False)
# Functions whose first argument is a tensor and which are no methods.
_NO_METHODS = frozenset(
    """bucketize gradient std_mean var_mean zeros_like ones_like empty_like full_like rand_like randn_like
    randint_like poisson""".split()
)
METHODS = {
    name: face
    for name, face in _engine.functions_of("torch", "quern.torch", "Tensor").items()
    if _engine.is_method(face) and name not in _NO_METHODS
}
METHODS |= _engine.functions_of("Tensor", "quern.torch", "Tensor")
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
# Of the methods in place PyTorch has these as functions, too.
_IN_PLACE = """abs_ addmv_ acos_ acosh_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ clamp_
clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ frac_ gcd_ lcm_ log10_ log1p_ log2_ log_
logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_
trunc_"""
FACES = {name: face for name, face in _functions.items() if not name.endswith("_") or name in _IN_PLACE.split()}
