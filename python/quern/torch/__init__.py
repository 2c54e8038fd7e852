"""PyTorch's names on quern's arrays: what `import torch` leads to under `quern run`.

Values, types, views, gradients and errors are PyTorch's; work is recorded and fused. Unsupported names raise AttributeError, so
that hasattr() returns False for them.
"""

import importlib as _importlib
import sys as _sys

import quern as _quern
from quern import errors as _errors
from quern.arrays.public_names import settle as _settle
from quern.torch import (  # noqa: F401
    _copies_and_queries,
    _functional_forms,
    _namespace,
    _types,
    amp,
    autograd,
    cpu,
    cuda,
    fft,
    linalg,
    nn,
    optim,
    random,
    special,
    types,
    utils,
)
from quern.torch._autocast import *  # noqa: F403
from quern.torch._copies_and_queries import *  # noqa: F403
from quern.torch._core import Tensor  # noqa: F401
from quern.torch._determinism import (  # noqa: F401
    are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode,
    is_deterministic_algorithms_warn_only_enabled,
    set_deterministic_debug_mode,
    use_deterministic_algorithms,
)
from quern.torch._functional_forms import *  # noqa: F403
from quern.torch._matrix_functions import *  # noqa: F403
from quern.torch._namespace import *  # noqa: F403
from quern.torch._namespace import (  # noqa: F401
    _sample_dirichlet,
    _samples_of_spectra,
    _spectra_of_frames,
    _standard_gamma,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    return_types,
    set_grad_enabled,
)
from quern.torch._saving_and_switches import (  # noqa: F401
    backends,
    compile,
    compiler,
    distributed,
    get_float32_matmul_precision,
    get_num_threads,
    jit,
    load,
    save,
    set_float32_matmul_precision,
    set_num_threads,
    version,
)
from quern.torch._settings import *  # noqa: F403
from quern.torch._short_transforms import *  # noqa: F403
from quern.torch._view_copies import *  # noqa: F403
from quern.torch.amp import GradScaler, autocast  # noqa: F401
from quern.torch.autograd import is_anomaly_enabled  # noqa: F401
from quern.torch.autograd.grad_mode import is_inference_mode_enabled  # noqa: F401
from quern.torch.cuda import amp as _cuda_amp  # noqa: F401
from quern.torch.nn.functional import (  # noqa: F401
    bilinear,
    celu,
    celu_,
    cosine_similarity,
    group_norm,
    hardshrink,
    layer_norm,
    pairwise_distance,
    prelu,
    rms_norm,
    rrelu,
    rrelu_,
    selu,
    selu_,
    threshold,
    threshold_,
)

_settle(__name__)

__version__ = "2.9.0+quern." + _quern.__version__
Generator = random.Generator

def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """Rows of a table: (V, D), (*) -> (*, D); see :func:`nn.functional.embedding`, which takes the row numbers first."""
    return nn.functional.embedding(indices, weight, None if padding_idx == -1 else padding_idx, None, 2.0, scale_grad_by_freq, sparse)


OutOfMemoryError = _errors.OutOfMemoryError


def set_default_tensor_type(t):
    """Set the default floating-point dtype by an old tensor type.

    Parameters
    ----------
    t : type or str
        Type such as ``torch.DoubleTensor``, or its name.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_default_tensor_type(torch.DoubleTensor)
    >>> dtype = torch.tensor(1.5).dtype
    >>> torch.set_default_tensor_type(torch.FloatTensor)
    >>> dtype
    torch.float64
    """
    name = t if isinstance(t, str) else getattr(t, "__name__", str(t))
    kinds = {"FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16"}
    _types.set_default_dtype(_types.DTYPES[kinds[name.rpartition(".")[2]]])


# PyTorch's modules that quern does not have, with alternatives. Imports of them say these, too (quern/tools/imports.py).
_INSTEAD = dict.fromkeys("ao export fx hub library masked mps nested overrides package signal xpu".split(), "")
_INSTEAD |= {
    "sparse": "quern has dense tensors only",
}


_LATER = frozenset("accelerator distributions func multiprocessing onnx profiler testing".split())  # modules that are imported when used


def __getattr__(name):
    if name in _LATER:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in getattr(_types, "UNSERVED", ()):
        raise AttributeError(f"torch.{name} is not supported: quern has no tensors of this dtype; use one of {', '.join(_types.DTYPES)}")
    if name in _INSTEAD:  # without Python's suggestion of a name that looks alike
        instead = _INSTEAD[name] or "docs/torch.md says what is left out"
        raise AttributeError(f"module 'torch' has no attribute '{name}': quern has no such module yet; {instead}", name=None)
    parts = ("quern does not support it", nn._names.group_of(name), "docs/torch.md says what is left out")
    said = "; ".join(part for part in parts if part)
    text = f"module 'torch' has no attribute '{name}': {said}"
    raise AttributeError(text, name=name, obj=_sys.modules[__name__])
