"""torch.nn.functional: the functions that layers and losses are made of, with all they need as arguments."""

from quern.lib import _engine
from quern.torch._linalg import pdist  # noqa: F401
from quern.torch.nn._names import unserved
from quern.torch.nn.functional._loss import ctc_loss, triplet_margin_with_distance_loss  # noqa: F401
from quern.torch.nn.functional._resizing import upsample, upsample_bilinear, upsample_nearest  # noqa: F401

_engine.add_functions(__name__, "torch", "nn.functional", binds=False)

__getattr__ = unserved(
    __name__,
    """
    grouped_mm linear_cross_entropy scaled_grouped_mm scaled_mm
    """,
)
