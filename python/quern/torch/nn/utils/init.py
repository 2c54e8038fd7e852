"""Modules whose parameters are not initialized."""

import inspect

from quern.torch import random
from quern.torch.nn.modules.module import Module


def skip_init(module_cls, *args, **kwargs):
    """Return a module without drawing initial parameters; their values are arbitrary.

    Parameters
    ----------
    module_cls : type
        Class of the module, which accepts `device`.
    *args : object
        Positional arguments of the class.
    **kwargs : object
        Keyword arguments of the class.

    Returns
    -------
    Module
        The module.

    Raises
    ------
    RuntimeError
        For another class.

    Examples
    --------
    >>> from quern import torch
    >>> torch.nn.utils.skip_init(torch.nn.Linear, 3, 2).weight.shape
    torch.Size([2, 3])
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    with random.fork_rng():  # what the initialization records is dropped when values are assigned
        return module_cls(*args, **kwargs)
