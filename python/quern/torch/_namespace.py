"""All functions, types and constants of torch, by their names: what ``quern.torch`` shows, and what its parts import."""

import math as _math

from quern.torch import (
    _creation,
    _elementwise,
    _faces,
    _indexing,
    _linalg,
    _named,
    _printing,
    _reductions,
    _shaping,
    _special,
    _types,
    autograd,
    random,
)
from quern.torch._core import Tensor
from quern.torch.autograd import (  # noqa: F401
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)

globals().update(_types.NAMES)
for _module in (_creation, _elementwise, _shaping, _reductions, _indexing, _linalg, _special, random):
    globals().update({_name: getattr(_module, _name) for _name in _module.NAMES})
globals().update(_faces.FACES)

return_types = _named
set_printoptions = _printing.set_printoptions

inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
newaxis = None

for _name, _dtype in {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16", "IntTensor": "int32",
    "LongTensor": "int64", "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8", "BoolTensor": "bool",
}.items():  # fmt: skip
    globals()[_name] = _creation.legacy_type(_dtype)

__all__ = ["Tensor", "autograd", "return_types"]
