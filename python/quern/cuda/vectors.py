"""CUDA's vector types by Numba's names, float32x4, and by CUDA's, float4. In kernels they are called with numbers and shorter vectors."""

from quern.kernel import types as _types

_VECTORS = _types.VECTORS | {name: _types.VECTORS[of] for name, of in _types.VECTOR_ALIASES.items()}

__all__ = list(_VECTORS)


def __getattr__(name):
    if name in _VECTORS:
        return _VECTORS[name]
    raise AttributeError(f"module 'numba.cuda.vector_types' has no attribute '{name}'")


def __dir__():
    return __all__
