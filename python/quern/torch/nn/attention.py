"""torch.nn.attention: which of PyTorch's kernels may compute attention. Here one function computes it always; what is set is kept."""

import contextlib
import enum

from quern.torch.nn._names import unserved

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.Enum):
    """PyTorch's kernels for :func:`torch.nn.functional.scaled_dot_product_attention`."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self):
        return self.value

    def __index__(self):
        return self.value

    def __str__(self):
        return f"SDPBackend.{self.name}"


_SWITCHES = {
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
    "overrideable": SDPBackend.OVERRIDEABLE,
}
_enabled = dict.fromkeys(_SWITCHES.values(), True)
_priority = [
    SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH, SDPBackend.CUDNN_ATTENTION, SDPBackend.OVERRIDEABLE,
]  # fmt: skip


def switches():
    """The functions of torch.backends.cuda that enable kernels and say whether they are enabled, by their names."""

    def of(backend):
        return (lambda enabled: _enabled.__setitem__(backend, bool(enabled))), (lambda: _enabled[backend])

    made = {}
    for name in ("cudnn", "flash", "mem_efficient", "math"):
        made[f"enable_{name}_sdp"], made[f"{name}_sdp_enabled"] = of(_SWITCHES[name])
    return made


def _cur_sdpa_kernel_backends(with_priority=False):
    found = [backend for backend in _SWITCHES.values() if _enabled[backend]]
    return sorted(found, key=_priority.index) if with_priority else found


def _use(backends, set_priority):
    _enabled.update((backend, backend in backends) for backend in _enabled)
    if set_priority:
        _priority[:] = [*backends, *(one for one in _priority if one not in backends)]


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Enable some of PyTorch's attention kernels within a ``with`` statement: the setting is kept, and changes no result.

    Parameters
    ----------
    backends : SDPBackend or list of SDPBackend
        Kernels that may be used.
    set_priority : bool, optional
        Whether their order is that of their priorities.

    Raises
    ------
    AssertionError
        For another type of `backends`.

    Examples
    --------
    >>> from quern import torch
    >>> from quern.torch.nn.attention import SDPBackend, sdpa_kernel
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     torch.backends.cuda.flash_sdp_enabled()
    False
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
        )
    backends = [backends] if isinstance(backends, SDPBackend) else list(dict.fromkeys(backends))
    before = _cur_sdpa_kernel_backends(set_priority)
    try:
        _use(backends, set_priority)
        yield {}
    finally:
        _use(before, set_priority)


__getattr__ = unserved(
    __name__,
    "activate_flash_attention_impl bias current_flash_attention_impl experimental flex_attention list_flash_attention_impls "
    "register_flash_attention_impl restore_flash_attention_impl varlen",
)
