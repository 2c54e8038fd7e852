"""torch.nn: layers, losses and what they are made of."""

from quern.torch.nn import attention, functional, init, modules, parallel, parameter, utils  # noqa: F401
from quern.torch.nn._names import unserved
from quern.torch.nn.modules import *  # noqa: F403
from quern.torch.nn.modules import UNSERVED
from quern.torch.nn.parallel import DataParallel  # noqa: F401
from quern.torch.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter  # noqa: F401

__getattr__ = unserved(__name__, UNSERVED + " common_types cpp factory_kwargs intrinsic qat quantizable quantized")
