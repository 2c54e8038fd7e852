"""torch.amp: automatic mixed precision, regions in which products are computed in 16 bits, and scaled losses."""

from quern.torch.amp import autocast_mode, grad_scaler  # noqa: F401
from quern.torch.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from quern.torch.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
