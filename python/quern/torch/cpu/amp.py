"""torch.cpu.amp: older names of torch.amp."""

from quern.torch.amp.of_devices import CpuGradScaler as GradScaler  # noqa: F401
from quern.torch.amp.of_devices import cpu_autocast as autocast  # noqa: F401
