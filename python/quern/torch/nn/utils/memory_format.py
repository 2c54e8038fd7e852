"""Weights of convolutions with their channels last."""

from quern.torch.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def convert_conv2d_weight_memory_format(module, memory_format):
    """Lay out the weights of all Conv2d and ConvTranspose2d in a module in a memory format.

    Parameters
    ----------
    module : Module
        Module that is changed, with all modules in it.
    memory_format : memory_format
        ``torch.channels_last`` or ``torch.contiguous_format``.

    Returns
    -------
    Module
        The same module.

    Examples
    --------
    >>> from quern import torch
    >>> conv = torch.nn.utils.convert_conv2d_weight_memory_format(torch.nn.Conv2d(3, 4, 2), torch.channels_last)
    >>> conv.weight.stride()
    (12, 1, 6, 3)
    """
    return _converted(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module, memory_format):
    """Lay out the weights of all Conv3d and ConvTranspose3d in a module in a memory format.

    Parameters
    ----------
    module : Module
        Module that is changed, with all modules in it.
    memory_format : memory_format
        ``torch.channels_last_3d`` or ``torch.contiguous_format``.

    Returns
    -------
    Module
        The same module.

    Examples
    --------
    >>> from quern import torch
    >>> conv = torch.nn.utils.convert_conv3d_weight_memory_format(torch.nn.Conv3d(3, 4, 2), torch.channels_last_3d)
    >>> conv.weight.stride()
    (24, 1, 12, 6, 3)
    """
    return _converted(module, (Conv3d, ConvTranspose3d), memory_format)


def _converted(module, classes, memory_format):
    for one in module.modules():
        if isinstance(one, classes):
            one.weight.data = one.weight.detach().clone(memory_format=memory_format)
    return module
