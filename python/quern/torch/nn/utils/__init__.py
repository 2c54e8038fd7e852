"""torch.nn.utils: what is done to the gradients and parameters of modules."""

from quern.torch.nn._names import unserved
from quern.torch.nn.utils import rnn  # noqa: F401
from quern.torch.nn.utils.clip_grad import (  # noqa: F401
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from quern.torch.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters  # noqa: F401
from quern.torch.nn.utils.fusion import (  # noqa: F401
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from quern.torch.nn.utils.memory_format import (  # noqa: F401
    convert_conv2d_weight_memory_format,
    convert_conv3d_weight_memory_format,
)

__getattr__ = unserved(
    __name__,
    """
    parametrizations parametrize prune remove_spectral_norm remove_weight_norm skip_init spectral_norm stateless weight_norm
    """,
)
