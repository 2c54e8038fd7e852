"""The backend: what Keras asks one for, as modules and names that it imports like those of its own backends.

core: tensors, variables, control flow. numpy: the functions named as NumPy's. nn, math, linalg, random, rnn, image: likewise by
subject. trainer: fit(), evaluate(), predict(). optimizer: steps, one call of the engine each. layer, export: bases of layers and models.

A tensor is quern's array with operators of its own: _tensor.py; the tape of quern.autograd gives the gradients. Functions' result types
are Keras's, computed by Keras: _borrowed.py.
"""

from keras.src.backend.common.name_scope import name_scope as name_scope

from quern.keras.backend import core, image, linalg, math, nn, numpy, random  # noqa: F401
from quern.keras.backend.core import (  # noqa: F401
    IS_THREAD_SAFE,
    SUPPORTS_COMPLEX_DTYPES,
    SUPPORTS_RAGGED_TENSORS,
    SUPPORTS_SPARSE_TENSORS,
    Variable,
    cast,
    compute_output_spec,
    cond,
    convert_to_numpy,
    convert_to_tensor,
    device_scope,
    is_tensor,
    random_seed_dtype,
    shape,
    vectorized_map,
)
from quern.keras.backend.rnn import *  # noqa: F403
