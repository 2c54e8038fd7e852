"""All functions, types and constants of torch, by their names: what ``quern.torch`` shows, and what its parts import."""

from math import e, inf, nan, pi  # noqa: F401

from quern.torch import _printing, _return_types, autograd  # noqa: F401
from quern.torch import random as random
from quern.torch._conversions import *  # noqa: F403
from quern.torch._core import Tensor  # noqa: F401
from quern.torch._creation import *  # noqa: F403
from quern.torch._creation import legacy_type as _legacy_type
from quern.torch._elementwise import *  # noqa: F403
from quern.torch._indexing import *  # noqa: F403
from quern.torch._linalg import pdist  # noqa: F401
from quern.torch._part_scatter import *  # noqa: F403
from quern.torch._reductions import *  # noqa: F403
from quern.torch._scatter import *  # noqa: F403
from quern.torch._shaping import *  # noqa: F403
from quern.torch._special import *  # noqa: F403
from quern.torch._types import *  # noqa: F403
from quern.torch.autograd import (  # noqa: F401
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from quern.torch.random import *  # noqa: F403

from quern.torch._faces import *  # noqa: F403  # isort: skip

return_types = _return_types
set_printoptions = _printing.set_printoptions

newaxis = None

FloatTensor, DoubleTensor, HalfTensor = _legacy_type("float32"), _legacy_type("float64"), _legacy_type("float16")
BFloat16Tensor, IntTensor, LongTensor = _legacy_type("bfloat16"), _legacy_type("int32"), _legacy_type("int64")
ShortTensor, CharTensor, ByteTensor = _legacy_type("int16"), _legacy_type("int8"), _legacy_type("uint8")
BoolTensor = _legacy_type("bool")
