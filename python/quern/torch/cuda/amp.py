"""torch.cuda.amp: older names of torch.amp."""

from quern.torch.amp.of_devices import CudaGradScaler as GradScaler  # noqa: F401
from quern.torch.amp.of_devices import cuda_autocast as autocast  # noqa: F401
from quern.torch.amp.of_devices import custom_bwd, custom_fwd  # noqa: F401
