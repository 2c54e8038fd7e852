"""CUDA's vector types by Numba's names, float32x4, and by CUDA's, float4. In kernels they are called with numbers and shorter vectors."""

from quern.kernel import types as _types

globals().update(_types.VECTORS)
globals().update({name: _types.VECTORS[of] for name, of in _types.VECTOR_ALIASES.items()})

__all__ = [*_types.VECTORS, *_types.VECTOR_ALIASES]
