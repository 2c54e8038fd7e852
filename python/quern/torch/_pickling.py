"""How tensors are pickled, by which torch.save() writes them: what shares memory is written once, and shares it again when it is read."""

import multiprocessing.reduction
import weakref

from quern.lib import _engine
from quern.torch._core import Tensor, _rebuilt, attributes_of, host_values
from quern.torch._types import DTYPES


def _reduce(self, protocol):
    cls = None if type(self) is Tensor else type(self)  # the module that Tensor names is there in `quern run` alone
    memory = _memory_of(self.detach())
    if memory is None:
        return _compact(self)
    place = (self._shape, tuple(self.stride()), self.storage_offset())
    return _rebuilt_view, (memory, self._dtype_name, *place, self.requires_grad, cls), attributes_of(self)


class _Memory:
    """What pickle keeps once for all tensors that share memory."""

    __slots__ = ("__weakref__", "_tensor")

    def __init__(self, tensor):
        self._tensor = tensor  # a tensor of all of it

    def __reduce__(self):
        whole = self._tensor
        return _memory, (whole._dtype_name, host_values(whole), str(whole.device))


_memories = weakref.WeakValueDictionary()  # by the engine's key: one object while a pickler holds it


def _memory_of(x):
    """The object that stands for a tensor's memory; None for a tensor without elements, and for memory of another element size."""
    item, held = x.dtype.itemsize, _engine.memory_bytes(x)
    if not x._size or held % item:
        return None
    key = _engine.memory_key(x)
    memory = _memories.get(key)
    if memory is None:
        whole = x if x.is_contiguous() and held == x._size * item else x.as_strided((held // item,), (1,), 0)
        memory = _memories[key] = _Memory(whole)
    return memory


def _memory(name, host, device):
    """A tensor of what :class:`_Memory` kept."""
    return _rebuilt(name, host, device, False, None)


def _rebuilt_view(memory, name, shape, stride, offset, requires_grad, cls):
    """A tensor of memory that others may share."""
    if memory._dtype_name != name:
        memory = memory.reshape(-1).view(DTYPES[name])
    made = memory.detach()
    if (made._shape, tuple(made.stride()), offset) != (tuple(shape), tuple(stride), 0):
        made = made.as_strided(shape, stride, offset)
    if cls is not None:
        made = _engine.tensor_as(made, cls)
    return made.requires_grad_() if requires_grad else made


def _compact(self):
    """A tensor as its own elements alone: how it goes to other processes, where a part must not carry the whole."""
    cls = None if type(self) is Tensor else type(self)
    return _rebuilt, (self._dtype_name, host_values(self.detach()), str(self.device), self.requires_grad, cls), attributes_of(self)


Tensor.__reduce_ex__ = _reduce
multiprocessing.reduction.ForkingPickler.register(Tensor, _compact)
