"""torch.nn.functional: the functions that layers and losses are made of, with all they need as arguments."""

from quern.lib import _engine
from quern.torch._linalg import pdist  # noqa: F401
from quern.torch.nn._names import unserved
from quern.torch.nn.functional._loss import ctc_loss, triplet_margin_with_distance_loss  # noqa: F401

_engine.add_functions(__name__, "torch", "nn.functional", binds=False)

__getattr__ = unserved(
    __name__,
    """
    adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices affine_grid conv_tbc
    fold fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices grid_sample
    grouped_mm interpolate linear_cross_entropy lp_pool1d lp_pool2d lp_pool3d max_pool1d_with_indices max_pool2d_with_indices
    max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d native_channel_shuffle scaled_grouped_mm
    scaled_mm unfold upsample upsample_bilinear upsample_nearest
    """,
)
