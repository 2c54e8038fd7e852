"""The classes of torch.cuda.amp and torch.cpu.amp, which PyTorch replaced by those of torch.amp."""

from quern.torch import _types
from quern.torch.amp import autocast_mode, grad_scaler
from quern.user_files import warn_user


def _warn(old, new):
    warn_user(f"`torch.{old}(args...)` is deprecated. Please use `torch.amp.{new}` instead.", FutureWarning)


class cuda_autocast(autocast_mode.autocast):
    """``torch.autocast("cuda")``, with a FutureWarning."""

    def __init__(self, enabled=True, dtype=_types.DTYPES["float16"], cache_enabled=True):
        _warn("cuda.amp.autocast", "autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class cpu_autocast(autocast_mode.autocast):
    """``torch.autocast("cpu")``, with a FutureWarning."""

    def __init__(self, enabled=True, dtype=_types.DTYPES["bfloat16"], cache_enabled=True):
        _warn("cpu.amp.autocast", "autocast('cpu', args...)")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class CudaGradScaler(grad_scaler.GradScaler):
    """``torch.amp.GradScaler("cuda")``, with a FutureWarning."""

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        _warn("cuda.amp.GradScaler", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


class CpuGradScaler(grad_scaler.GradScaler):
    """``torch.amp.GradScaler("cpu")``, with a FutureWarning."""

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        _warn("cpu.amp.GradScaler", "GradScaler('cpu', args...)")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd=None, *, cast_inputs=None):
    """``torch.amp.custom_fwd(device_type="cuda")``, with a FutureWarning."""
    _warn("cuda.amp.custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return autocast_mode.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """``torch.amp.custom_bwd(device_type="cuda")``, with a FutureWarning."""
    _warn("cuda.amp.custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return autocast_mode.custom_bwd(bwd, device_type="cuda")
