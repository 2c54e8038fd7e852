"""torch.autograd.graph: nodes of the history. Hooks of saved tensors are refused.

The engine keeps the operands of fused operations itself and computes some of them again; there is no tensor to hand to a hook.
"""

import contextlib
import threading

from quern.torch import _history

__all__ = ["Node", "disable_saved_tensors_hooks", "save_on_cpu", "saved_tensors_hooks"]

Node = _history.GradientNode
_refusals = threading.local()


class saved_tensors_hooks:  # noqa: N801
    """Raises NotImplementedError when it is entered: operations keep their operands inside fused kernels.

    Parameters
    ----------
    pack_hook : callable
        Function of a tensor that an operation saves.
    unpack_hook : callable
        Function of the result, which gives the tensor back.

    Examples
    --------
    >>> from quern import torch
    >>> try:
    ...     torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__()
    ... except NotImplementedError as error:
    ...     print(str(error)[:21])
    [saved_tensors_hooks]
    """

    _name = "saved_tensors_hooks"

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        refused = getattr(_refusals, "messages", ())
        if refused:
            raise RuntimeError(refused[-1])
        raise NotImplementedError(
            f"[{self._name}] operations keep their operands inside the engine, where no hook is called; to save memory, use"
            " torch.utils.checkpoint.checkpoint"
        )

    def __exit__(self, *error):
        return None


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Raises NotImplementedError when it is entered: saved operands stay on their device.

    Parameters
    ----------
    pin_memory : bool, optional
        Whether the copies are in pinned memory.
    device_type : str, optional
        Type of the device.

    Examples
    --------
    >>> from quern import torch
    >>> try:
    ...     torch.autograd.graph.save_on_cpu().__enter__()
    ... except NotImplementedError as error:
    ...     print(str(error)[:13])
    [save_on_cpu]
    """

    _name = "save_on_cpu"

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(None, None)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Return a context in which hooks of saved tensors raise a RuntimeError.

    Parameters
    ----------
    error_message : str
        Text of the error.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> from quern import torch
    >>> with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
    ...     y = torch.ones(2, requires_grad=True).sum()
    """
    before = getattr(_refusals, "messages", ())
    _refusals.messages = (*before, error_message)
    try:
        yield
    finally:
        _refusals.messages = before
