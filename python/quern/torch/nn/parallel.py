"""torch.nn.parallel: a module on several devices. Here it stays on its own."""

from quern.torch.nn._names import unserved
from quern.torch.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """A module as ``module`` of another one, which calls it: batches are not spread over devices.

    ``device_ids``, ``output_device`` and ``dim`` are accepted.

    Parameters
    ----------
    module : Module
        Module that is called.
    device_ids, output_device, dim : object
        Accepted for compatibility.

    Examples
    --------
    >>> from quern.torch import nn
    >>> m = nn.DataParallel(nn.Linear(2, 3))
    >>> list(m.state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = []

    def forward(self, *inputs, **kwargs):
        """What the module gives."""
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """``module(*inputs, **module_kwargs)``; ``inputs``: a tuple, or one argument."""
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


__getattr__ = unserved(__name__, "DistributedDataParallel gather parallel_apply replicate scatter distributed comms")
