"""The Tensor: the engine's array with PyTorch's attributes. Its functions stand in the modules beside this one, each once: what the table
``methods`` of a module names is a method too.

A tensor derives from ``_engine.TensorBase``, whose operators are C++ (bindings/tensor.cpp); NumPy's methods are on another branch.
"""

import copy
import numbers
import sys

import numpy

from quern.arrays.records import numpy_dtypes
from quern.lib import _engine
from quern.torch import _types
from quern.torch._devices import device_of_number, gpu_count
from quern.torch._dimensions import dim_of, sizes_in
from quern.torch._history import full_name, history_node, hooked
from quern.torch._printing import corners, tensor_str
from quern.torch._types import DTYPES, size_of

_op = _engine.tensor_op


def is_number(value):
    """Is it a number of Python's or NumPy's?"""
    return isinstance(value, (numbers.Number, numpy.generic))


def tensor_like(value, other=None):
    """A tensor as it is; a number as one without dimensions, with all its digits, on the device of ``other``."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, _engine.BareArray):
        return _engine.tensor_as(value, Tensor)
    if not is_number(value):
        raise TypeError(f"expected a Tensor, not {type(value).__name__}")
    kind = numpy.asarray(value).dtype.kind
    name = {"b": "bool", "f": "float64", "c": "complex128"}.get(kind, "int64")
    return filled([], value, name, _engine.cpu() if other is None else engine_device_of(other))


def engine_device_of(tensor):
    """The engine's device that a tensor is on."""
    return _engine.cpu() if tensor._device_number < 0 else _engine.cuda(tensor._device_number)


def filled(shape, value, name, device):
    """A new tensor of one value."""
    return _engine.tensor_as(_engine.array_full(sizes_in(shape), value, name, device), Tensor)


def grown(array):
    """An array of the engine's as a tensor."""
    return _engine.tensor_as(array, Tensor)


def host_values(tensor):
    """The values as a NumPy array; this waits for them."""
    dtype = numpy_dtypes[tensor._dtype_name]
    if tensor._size and not tensor._contiguous[0]:
        tensor = tensor._in_order("C")
    out = numpy.empty(tensor._shape, dtype)
    _engine.array_read(tensor, out.reshape(-1).view(numpy.uint8))
    return out


def joined(result, input):
    """``result``, in which nothing of ``input`` is left, with the gradient of ``input`` that PyTorch gives: zeros."""
    if not _engine.gradient_mode() or not _engine.wants_gradient(input) or _engine.wants_gradient(result):
        return result
    return result + input._reshaped([input._size])[:0].sum().to(result.dtype)


def finish(result, out):
    """``result``, or ``out`` with its values where one is given."""
    if out is None:
        return result
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    if _engine.gradient_mode() and (_engine.wants_gradient(result) or _engine.wants_gradient(out)):
        raise RuntimeError(
            "functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
        )
    check_apart(out)
    if out._shape != result._shape:
        out.resize_(result._shape)
    if not _engine.torch_can_write(result._dtype_name, out._dtype_name):
        raise RuntimeError(
            f"result type {_types.scalar_name(result.dtype)} can't be cast to the desired output type {_types.scalar_name(out.dtype)}"
        )
    return out.copy_(result)


def finish_same(result, out):
    """:func:`finish` for functions whose ``out`` must have the result's type."""
    if isinstance(out, Tensor) and isinstance(result, Tensor) and out._dtype_name != result._dtype_name:
        raise RuntimeError(f"Expected out tensor to have dtype {result.dtype}, but got {out.dtype} instead")
    return finish(result, out)


# ---- the type


class Tensor(_engine.TensorBase):
    """An array with gradients, as PyTorch's.

    ``Tensor(2, 3)`` is a new one of that size with any values, ``Tensor([1, 2])`` one of these values as float32; ``torch.tensor`` makes
    one of values and keeps their type.

    Examples
    --------
    >>> import quern.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __new__(cls, *args, device=None):
        made = cls._made(args, device)
        return made if cls is Tensor else _engine.tensor_as(made, cls)

    def __init__(self, *args, **kwargs):
        pass

    @staticmethod
    def _make_subclass(cls, data, require_grad=False):
        made = _engine.tensor_as(_engine.detached(data), cls)
        if require_grad:
            _engine.want_gradient(made, True)
        return made

    def as_subclass(self, cls):
        """The same tensor as one of that subclass."""
        return _engine.tensor_as(self, cls)

    # ---- what it is

    @property
    def shape(self):
        """The sizes of the dimensions."""
        return size_of(self._shape)

    @property
    def dtype(self):
        """The type of the elements."""
        return DTYPES[self._dtype_name]

    @property
    def device(self):
        """Where it is."""
        return device_of_number(self._device_number)

    @property
    def ndim(self):
        """How many dimensions it has."""
        return self._rank

    @property
    def itemsize(self):
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self._size * self.dtype.itemsize

    layout = property(lambda self: _types.NAMES["strided"], doc="How it is stored: torch.strided.")
    is_cuda = property(lambda self: self._device_number >= 0, doc="Is it on a GPU?")
    is_cpu = property(lambda self: self._device_number < 0, doc="Is it on the CPU?")
    is_sparse = is_sparse_csr = is_quantized = is_meta = is_mkldnn = is_nested = is_mps = is_xpu = is_xla = is_vulkan = is_ipu = property(
        lambda self: False, doc="Always False here."
    )

    def dim(self):
        """How many dimensions it has."""
        return self._rank

    ndimension = dim

    def size(self, dim=None):
        """Return the shape, or the size of one dimension.

        Parameters
        ----------
        dim : int, optional
            Dimension; None returns the whole shape.

        Returns
        -------
        Size or int
            Shape, or size of the dimension.

        Examples
        --------
        >>> from quern import torch
        >>> torch.ones(2, 3).size(), torch.ones(2, 3).size(1)
        (torch.Size([2, 3]), 3)
        """
        return size_of(self._shape) if dim is None else self._shape[dim_of(dim, self._rank)]

    def stride(self, dim=None):
        """Return the number of elements between neighbours along each dimension, or along one.

        Parameters
        ----------
        dim : int, optional
            Dimension; None returns the strides of all.

        Returns
        -------
        tuple of ints or int
            Strides.
        """
        steps = [s // self.dtype.itemsize for s in self._strides]
        for d in range(self._rank - 1, -1, -1):  # a new dimension of one element, and any of a tensor without elements, has no step here
            if steps[d] == 0 and (self._shape[d] == 1 or not self._size):
                steps[d] = steps[d + 1] * max(self._shape[d + 1], 1) if d + 1 < self._rank else 1
        steps = tuple(steps)
        return steps if dim is None else steps[dim_of(dim, self._rank)]

    def storage_offset(self):
        """Where in its memory it starts, in elements."""
        return self._offset // self.dtype.itemsize

    def numel(self):
        """How many elements it has."""
        return self._size

    nelement = numel

    def element_size(self):
        """Bytes of an element."""
        return self.dtype.itemsize

    def get_device(self):
        """The number of the GPU it is on; -1 on the CPU."""
        return self._device_number

    def data_ptr(self):
        """The address of the first element. What is pending is computed first."""
        return self._address() if self._size else 0

    def is_floating_point(self):
        """Are the elements real numbers?"""
        return self.dtype.is_floating_point

    def is_complex(self):
        """Are the elements complex numbers?"""
        return self.dtype.is_complex

    def is_signed(self):
        """Do the elements have signs?"""
        return self.dtype.is_signed

    def is_pinned(self, device=None):
        """Is it in pinned memory? Never here."""
        return False

    def is_shared(self):
        """Is it shared between processes? Never here."""
        return False

    def share_memory_(self):
        """Does nothing: threads share memory anyway."""
        return self

    def is_set_to(self, tensor):
        """Return whether another tensor has the same memory, shape and strides."""
        if not isinstance(tensor, Tensor):
            raise TypeError(f"is_set_to(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
        return self._shares_cell(tensor) and self._shape == tensor._shape and self._strides == tensor._strides

    def is_inference(self):
        """Was it made in inference mode, or is it a view of a tensor that was?"""
        return _engine.is_inference(self)

    def is_conj(self):
        """Is it a view that conjugates? Never here: conj() computes."""
        return False

    is_neg = is_conj

    def type(self, dtype=None, non_blocking=False, **kwargs):
        """Return the name of the tensor's type, or the tensor in another dtype.

        Parameters
        ----------
        dtype : dtype, type or str, optional
            Dtype of the result, or an old type such as ``torch.FloatTensor``; None returns the name.
        non_blocking : bool, optional
            Accepted for compatibility; has no effect.

        Returns
        -------
        str or Tensor
            Name, or tensor of the same shape.
        """
        if dtype is None:
            return f"torch.{'cuda.' if self.is_cuda else ''}{_types.scalar_name(self.dtype)}Tensor"
        if isinstance(dtype, str):
            short = dtype.rpartition(".")[2].removesuffix("Tensor")
            dtype = next((d for d in DTYPES.values() if _types.scalar_name(d) == short), None)
            if dtype is None:
                raise ValueError(f"invalid type: {short!r}")
        wanted = dtype.dtype if isinstance(dtype, type) and hasattr(dtype, "dtype") else dtype
        if not isinstance(wanted, _types.dtype):
            raise TypeError("dtype must be a type, str, or dtype object")
        return self.to(wanted)

    # ---- gradients

    @property
    def requires_grad(self):
        """Does it want a gradient?"""
        return _engine.wants_gradient(self)

    @requires_grad.setter
    def requires_grad(self, value):
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad=True):
        """Set whether the tensor requires gradients; a gradient that it has stays.

        Parameters
        ----------
        requires_grad : bool, optional
            Whether it requires gradients.

        Returns
        -------
        Tensor
            The tensor itself.

        Raises
        ------
        TypeError
            For a value that is no bool.

        Examples
        --------
        >>> from quern import torch
        >>> torch.ones(2).requires_grad_()
        tensor([1., 1.], requires_grad=True)
        """
        if not isinstance(requires_grad, bool):
            what = type(requires_grad).__name__
            raise TypeError(f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {what}")
        held = None if requires_grad else _engine.gradient(self, Tensor)
        _engine.want_gradient(self, requires_grad)
        if requires_grad:
            held = self.__dict__.pop("_held_gradient", None)
            if held is not None:
                _engine.set_gradient(self, held)
        elif held is not None:
            self._held_gradient = held
        return self

    @property
    def grad(self):
        """The gradient that backward() has added up; None before."""
        found = _engine.gradient(self, Tensor)
        return self.__dict__.get("_held_gradient") if found is None else found

    @grad.setter
    def grad(self, value):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
        if value is not None and value._shape != self._shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(value._shape)}' to a tensor of size '{list(self._shape)}'. "
                "Please ensure that the gradient and the tensor are the same size"
            )
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        self.__dict__.pop("_held_gradient", None)
        if value is None or _engine.wants_gradient(self):
            _engine.set_gradient(self, value)
            return
        for name in ("dtype", "device"):
            ours, its = getattr(self, name), getattr(value, name)
            if ours != its:
                raise RuntimeError(f"attempting to assign a gradient of {name} {its} to a tensor of {name} {ours}")
        self._held_gradient = value

    @grad.deleter
    def grad(self):
        self.grad = None

    @property
    def is_leaf(self):
        """Was it made by the program, not by an operation on what wants a gradient?"""
        return _engine.is_leaf(self)

    @property
    def grad_fn(self):
        """What made it, where it wants a gradient; None for leaves."""
        edge = _engine.gradient_node(self)
        return None if edge is None else history_node(edge[0])

    @property
    def output_nr(self):
        """Of what made it, which result it is."""
        edge = _engine.gradient_node(self)
        return 0 if edge is None else edge[1]

    @property
    def _version(self):
        """How often its memory was written."""
        if _engine.is_inference(self):
            raise RuntimeError("Inference tensors do not track version counter; use a clone() made outside of inference mode.")
        return _engine.version(self)

    @property
    def _base(self):
        """The tensor that it is a view of, or None. What detach() and ``data`` return is none, though it shares memory."""
        return _engine.array_whole(self) if _engine.TensorBase._is_view(self) else None

    @property
    def retains_grad(self):
        """Was retain_grad() called?"""
        return _engine.keeps_gradient(self)

    def retain_grad(self):
        """Keeps the gradient of a tensor that is no leaf."""
        _engine.keep_gradient(self)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Add the gradients of this tensor to the `grad` of all leaves on which it depends.

        Parameters
        ----------
        gradient : Tensor, optional
            Gradient of this tensor, in its shape; not needed for a tensor with one element.
        retain_graph : bool, optional
            Whether a second backward pass is possible; None is `create_graph`.
        create_graph : bool, optional
            Whether the gradients can be differentiated.
        inputs : Tensor or sequence of Tensor, optional
            Leaves that receive gradients; None is all of them.

        Raises
        ------
        RuntimeError
            For a tensor that does not depend on a leaf, a gradient that is missing or has another shape, or a second pass.

        Examples
        --------
        >>> from quern import torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
        """
        if inputs is None:
            inputs = ()
        else:
            inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
            for one in inputs:
                if not isinstance(one, Tensor):
                    raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(one).__name__}")
            if not inputs:
                raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        retain = create_graph if retain_graph is None else retain_graph
        _engine.backward((self,), (gradient,), inputs, bool(retain), bool(create_graph))

    def detach(self):
        """Return a tensor with the same memory and without history."""
        return _engine.detached(self)

    def detach_(self):
        """Remove the history of the tensor in place; the gradient of a leaf stays."""
        held = _engine.gradient(self, Tensor)
        _engine.forget_gradient(self)
        if held is not None:
            self._held_gradient = held
        return self

    @property
    def data(self):
        """The same memory, without the record: what is written there is not seen by gradients."""
        return _engine.detached(self)

    @data.setter
    def data(self, value):
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        _engine.set_data(self, value)

    def register_hook(self, hook):
        """Register a function that is called when the gradient of the tensor is computed.

        Parameters
        ----------
        hook : callable
            ``hook(grad)``; it returns None or a new gradient.

        Returns
        -------
        RemovableHandle
            Handle whose method `remove()` removes the hook.

        Examples
        --------
        >>> from quern import torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 10)
        >>> x.sum().backward()
        >>> x.grad
        tensor([10., 10.])
        """
        return hooked(self, hook, False)

    def register_post_accumulate_grad_hook(self, hook):
        """Register ``hook(tensor)``, called after a gradient is added to the `grad` of a leaf; return a handle."""
        if not callable(hook):
            raise TypeError("a hook must be callable")
        tensor = self

        def called(grad):
            found = hook(tensor)
            if found is None:
                return
            if not isinstance(found, Tensor):
                raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")

        return hooked(self, called, True)

    # ---- Python's protocols

    def __repr__(self, *, tensor_contents=None):
        name = _engine.gradient_name(self)
        picked = corners(self._shape)
        shown = self.detach()
        if picked is not None:
            for dim, places in enumerate(picked):
                if places is not None and len(places) != self._shape[dim]:
                    shown = _engine.array_take_at(shown, _places(places, shown), dim, "raise")
        if shown._dtype_name == "bfloat16":
            shown = shown._astype("float32")
        return tensor_str(
            host_values(shown),
            self.shape,
            self._dtype_name,
            device=str(self.device) if self.is_cuda else None,
            requires_grad=self.requires_grad,
            grad_fn=None if name is None else full_name(name),
            default=_types.get_default_dtype()._name,
        )

    __str__ = __repr__

    def __format__(self, spec):
        return format(self.item(), spec) if self._rank == 0 and type(self) is Tensor else object.__format__(self, spec)

    def __iter__(self):
        if self._rank == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __reversed__(self):
        return self.flip(0) if self._rank else self

    def __contains__(self, element):
        if isinstance(element, Tensor) or is_number(element):
            return bool((self == element).any())
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.",
        )

    def __complex__(self):
        return complex(self.item())

    def __array__(self, dtype=None, copy=None):
        host = self.numpy()
        return host if dtype is None else host.astype(dtype, copy=False)

    __array_priority__ = 1000

    @property
    def __cuda_array_interface__(self):
        if not self.is_cuda:
            raise AttributeError(
                f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} "
                "If CUDA data is required use tensor.cuda() to copy tensor to device memory."
            )
        if self._dtype_name == "bfloat16":
            raise AttributeError("__cuda_array_interface__ has no bfloat16; exchange the tensor by DLPack, or take tensor.float()")
        if self.requires_grad:
            raise RuntimeError(
                "Can't get __cuda_array_interface__ on Variable that requires grad. "
                "If gradients aren't required, use var.detach() to get Variable that doesn't require grad."
            )
        return {
            "shape": self._shape,
            "typestr": numpy_dtypes[self._dtype_name].str,
            "data": (self._address() if self._size else 0, False),
            "strides": None if self.is_contiguous() else self._strides,
            "version": 3,
            "stream": 1,
        }

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. "
                "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage."
            )
        made = self._dressed(_copied_memory(self.detach(), memo))
        memo[id(self)] = made
        if self.grad is not None:
            made.grad = self.grad.detach().clone()
        made.__dict__.update(copy.deepcopy(attributes_of(self) or {}, memo))
        return made

    def __copy__(self):
        made = self._dressed(self.clone() if _engine.is_inference(self) else self.detach())
        made.__dict__.update(attributes_of(self) or {})
        return made

    def _dressed(self, made):
        """``made`` with this tensor's class and wish for a gradient."""
        if type(self) is not Tensor:
            made = _engine.tensor_as(made, type(self))
        return made.requires_grad_() if self.requires_grad else made

    def __dir__(self):
        return [name for name in super().__dir__() if not name.startswith("_engine")]

    def item(self):
        """The only element, as a number of Python's; this waits for it."""
        if self._size != 1:
            raise RuntimeError(f"a Tensor with {self._size} elements cannot be converted to Scalar")
        return self._item()

    def tolist(self):
        """The values as nested lists, or a number; this waits for them."""
        host = host_values(self.detach())
        return (host.astype(numpy.float32) if self._dtype_name == "bfloat16" else host).tolist()

    def numpy(self, *, force=False):
        """Return a NumPy array that shares the memory of the tensor.

        Parameters
        ----------
        force : bool, optional
            Whether to detach the tensor and copy it to the CPU where that is needed.

        Returns
        -------
        numpy.ndarray
            Shape and dtype of the tensor.

        Raises
        ------
        RuntimeError
            For a tensor that requires gradients, unless `force`.
        TypeError
            For a tensor on a GPU, unless `force`.

        Examples
        --------
        >>> from quern import torch
        >>> torch.ones(2).numpy()
        array([1., 1.], dtype=float32)
        """
        if not isinstance(force, bool):
            raise TypeError(f"numpy(): argument 'force' must be bool, not {type(force).__name__}")
        if force:
            return self.detach().cpu().numpy()
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.is_cuda:
            raise TypeError(
                f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
            )
        if self._dtype_name == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return numpy.asarray(_Interface(self))


Tensor.__module__ = "torch"
_engine.set_tensor_type(Tensor)
_engine.set_door(Tensor, has_numbers=False, broadcasts_read_only=False, truncates_powers=False, indexes_as_torch=True)
_engine.set_index_rule(Tensor, "places")


class _Interface:
    """What NumPy reads a tensor's memory by."""

    def __init__(self, tensor):
        self._tensor = tensor
        self.__array_interface__ = {
            "version": 3,
            "shape": tensor._shape,
            "typestr": numpy_dtypes[tensor._dtype_name].str,
            "strides": tensor._strides,
            "data": (tensor._address() if tensor._size else 0, False),
        }
        if not tensor._size:
            del self.__array_interface__["data"]
            self.__array_interface__["strides"] = None
            self.__array_interface__["data"] = (numpy.empty(1).ctypes.data, False)


def _copied_memory(x, memo):
    """A copy of a tensor for deepcopy(): tensors that share memory have copies that share memory."""
    key = ("torch memory", _engine.memory_key(x))
    copied = memo.get(key)
    if copied is None:
        memo.setdefault(id(memo), []).append(x)  # as copy.deepcopy() keeps what it has met: the key stays this memory's
        size = _engine.memory_bytes(x)
        if not x._size or size == x._size * x.dtype.itemsize:
            made = x.clone()
            if made._strides == x._strides:
                memo[key] = made.detach()
            return made
        memo[key] = copied = x.as_strided((size // x.dtype.itemsize,), (1,), 0).clone()
    elif copied._dtype_name != x._dtype_name:
        copied = copied.as_strided((_engine.memory_bytes(copied) // copied.dtype.itemsize,), (1,), 0).view(x.dtype)
    return copied.as_strided(x._shape, x.stride(), x.storage_offset())


def _places(places, like):
    array = _engine.array_from_host(numpy.asarray(places, numpy.int64).view(numpy.uint8), [len(places)], "int64", engine_device_of(like))
    return grown(array)


def attributes_of(tensor):
    """What a program has set on a tensor, for its copies; None where it has set nothing."""
    return {k: v for k, v in tensor.__dict__.items() if k != "_held_gradient"} or None


def _rebuilt(name, host, device, requires_grad, cls):
    """A tensor from what pickle kept."""
    array = _engine.array_from_host(numpy.ascontiguousarray(host).reshape(-1).view(numpy.uint8), list(host.shape), name, _engine.cpu())
    made = grown(array)
    if device != "cpu" and gpu_count():
        made = made.to(device)
    if cls is not None:
        made = _engine.tensor_as(made, cls)
    return made.requires_grad_() if requires_grad else made


def add_methods(module, names):
    """Makes functions of a module methods of the Tensor too; the first parameter is the tensor."""
    _engine.add_methods(Tensor, {name: vars(sys.modules[module])[name] for name in names.split()})


def add_in_place(names):
    """``x.name_(...)`` for functions whose method ``name`` gives a new tensor: its values are written into x."""

    def made(name):
        method = getattr(Tensor, name)

        def in_place(self, *args, **kwargs):
            return self._take_values(method(_engine.unhooked(self), *args, **kwargs), name)

        in_place.__name__ = name + "_"
        in_place.__doc__ = f"Compute :meth:`{name}` in place, with the same parameters; return the tensor."
        return in_place

    _engine.add_methods(Tensor, {name + "_": made(name) for name in names.split()})


def check_apart(target):
    """Raises RuntimeError for a tensor to be written whose elements share places, as those of expand() do."""
    if target._size and 0 in target._strides and any(step == 0 and n > 1 for step, n in zip(target._strides, target._shape, strict=True)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the "
            "tensor before performing the operation."
        )


def _take_values(self, result, name):
    check_apart(self)
    if result._shape != self._shape:
        raise RuntimeError(f"output with shape {list(self._shape)} doesn't match the broadcast shape {list(result._shape)}")
    if not _engine.torch_can_write(result._dtype_name, self._dtype_name):
        raise RuntimeError(
            f"result type {_types.scalar_name(result.dtype)} can't be cast to the desired output type {_types.scalar_name(self.dtype)}"
        )
    _engine.array_assign(self, result)
    return self


Tensor._take_values = _take_values
