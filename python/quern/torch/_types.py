"""PyTorch's small types: dtype, device, Size, layout, memory_format, finfo, iinfo, and the rules that need only dtypes.

``NAMES`` has what ``quern.torch`` takes over. The engine's name of a dtype is ``dtype._name``; ``DTYPES`` leads from it to the dtype.
The engine has the same rules for its operations in engine/graph/torch_types.cpp.
"""

import operator
import re
import threading

import numpy

# ---- dtypes


class _Named:
    """An object of which there is one for each name, such as ``torch.strided``; equal only to itself."""

    __slots__ = ("_name",)

    def __new__(cls, *args, **kwargs):
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    @classmethod
    def _make(cls, name):
        made = object.__new__(cls)
        made._name = name
        return made

    def __repr__(self):
        return f"torch.{self._name}"

    def __reduce__(self):
        return _named, (self._name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class dtype(_Named):  # noqa: N801
    """The type of a tensor's elements, such as ``torch.float32``."""

    __slots__ = ("abbr", "is_complex", "is_floating_point", "is_signed", "itemsize", "_kind")

    @classmethod
    def _make(cls, name):
        made = super()._make(name)
        if name == "bfloat16":
            made._kind, made.itemsize = "f", 2
        else:
            made._kind, made.itemsize = numpy.dtype(name).kind, numpy.dtype(name).itemsize
        made.is_complex = made._kind == "c"
        made.is_floating_point = made._kind == "f"
        made.is_signed = made._kind in "ifc"
        made.abbr = f"{'bf' if name == 'bfloat16' else made._kind}{made.itemsize * 8}"
        return made

    def __setattr__(self, name, value):
        if hasattr(self, name):
            raise AttributeError(f"attribute '{name}' of 'torch.dtype' objects is not writable")
        object.__setattr__(self, name, value)

    def to_real(self):
        """The type of the parts of complex numbers; other types as they are."""
        return _reals.get(self, self)

    def to_complex(self):
        """The complex type whose parts are of this type."""
        if self.is_complex:
            return self
        if self in _complexes:
            return _complexes[self]
        if self.is_floating_point:
            raise NotImplementedError(f"[torch.dtype.to_complex] complex numbers with {self._name} parts are not supported; use complex64")
        raise RuntimeError(f"Unknown Complex ScalarType for {scalar_name(self)}")


# The engine's names, and PyTorch's names in errors.
_scalar_names = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}
DTYPES = {name: dtype._make(name) for name in _scalar_names}  # by the engine's names
_aliases = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "short": "int16",
    "int": "int32",
    "long": "int64",
}
_complexes = {DTYPES["float32"]: DTYPES["complex64"], DTYPES["float64"]: DTYPES["complex128"]}
_reals = {c: r for r, c in _complexes.items()}
_of_python = {bool: DTYPES["bool"], int: DTYPES["int64"], float: DTYPES["float64"], complex: DTYPES["complex128"]}

# Types of PyTorch's that the engine has not.
UNSERVED = """complex32 chalf bcomplex32 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2
qint8 qint32 quint8 quint4x2 quint2x4 bit bits8 bits16 bits1x8 bits2x4 bits4x2
int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7""".split()


def scalar_name(kind):
    """What PyTorch's errors call a dtype: "Long" for int64."""
    return _scalar_names[kind._name]


def of_numpy(kind):
    """The dtype of an array of NumPy's; TypeError where tensors have none."""
    found = DTYPES.get(numpy.dtype(kind).name)
    if found is None:
        served = "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool"
        raise TypeError(f"can't convert np.ndarray of type {numpy.dtype(kind)}. The only supported types are: {served}.")
    return found


def as_dtype(value, function, argument="dtype"):
    """What a function takes as a dtype: one, a type of Python's, or None, which stays None."""
    if value is None or isinstance(value, dtype):
        return value
    try:
        return _of_python[value]
    except (KeyError, TypeError):
        raise TypeError(f"{function}(): argument '{argument}' must be torch.dtype, not {type(value).__name__}")


# ---- rules of dtypes

_ranks = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
_default = DTYPES["float32"]
_on_default_dtype = []


def get_default_dtype():
    """The dtype of tensors made from Python's floats.

    Returns
    -------
    dtype
        Dtype.

    Examples
    --------
    >>> from quern import torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return _default


def set_default_dtype(d):
    """Set the default floating-point dtype.

    Parameters
    ----------
    d : dtype
        Floating-point dtype of tensors that are made of Python's floats.

    Raises
    ------
    TypeError
        For a dtype that is not a floating-point one.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_default_dtype(torch.float64)
    >>> dtype = torch.tensor(1.5).dtype
    >>> torch.set_default_dtype(torch.float32)
    >>> dtype
    torch.float64
    """
    global _default
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d
    for hook in _on_default_dtype:
        hook(d)


def on_default_dtype(hook):
    """Has ``hook(dtype)`` called now, and whenever the default dtype changes: the engine needs to know it."""
    _on_default_dtype.append(hook)
    hook(_default)


def default_of_number(number):
    """The dtype of a tensor that is made from a number of Python's."""
    if isinstance(number, bool):
        return DTYPES["bool"]
    if isinstance(number, int):
        return DTYPES["int64"]
    return _default if isinstance(number, float) else _complexes.get(_default, DTYPES["complex64"])


def _check(function, **kinds):
    for i, (name, kind) in enumerate(kinds.items()):
        if not isinstance(kind, dtype):
            raise TypeError(f"{function}(): argument '{name}' (position {i + 1}) must be torch.dtype, not {type(kind).__name__}")


def promote_types(type1, type2):
    """Return the dtype of the result of an operation on tensors of two dtypes.

    Parameters
    ----------
    type1 : dtype
        Dtype of the first operand.
    type2 : dtype
        Dtype of the second operand.

    Returns
    -------
    dtype
        Dtype of the result.

    Examples
    --------
    >>> from quern import torch
    >>> torch.promote_types(torch.int64, torch.float32)
    torch.float32
    """
    _check("promote_types", type1=type1, type2=type2)
    if type1 is type2:
        return type1
    for wide, other in ((type1, type2), (type2, type1)):
        if wide._kind == "u" and wide.itemsize > 1:
            if other.is_floating_point:
                return other
            names = f"{scalar_name(type1)} and {scalar_name(type2)}"
            raise RuntimeError(f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {names}")
    low, high = sorted((type1, type2), key=lambda kind: (_ranks[kind._kind], kind.itemsize))
    if low._kind == high._kind == "f" and low.itemsize == high.itemsize:  # float16 with bfloat16
        return DTYPES["float32"]
    if {low._name, high._name} == {"uint8", "int8"}:
        return DTYPES["int16"]
    if high.is_complex and DTYPES["float64"] in (low, low.to_real()):
        return DTYPES["complex128"]
    return high


def can_cast(from_, to):
    """Return whether a result of one dtype may be written into a tensor of another.

    The kinds in order are bool, integers, floating-point and complex numbers; a result may not go to a lower kind.

    Parameters
    ----------
    from_ : dtype
        Dtype of the result.
    to : dtype
        Dtype of the tensor.

    Returns
    -------
    bool
        Whether it may.

    Examples
    --------
    >>> from quern import torch
    >>> torch.can_cast(torch.int64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    _check("can_cast", from_=from_, to=to)
    return _ranks[from_._kind] <= _ranks[to._kind]


def result_type_of(operands):
    """The dtype of a result. Of each operand: a dtype, and 0 for a tensor with dimensions, 1 for one without, 2 for a number.

    Returns None for complex32 and bcomplex32, which half precision gives with a complex operand of a later group.
    """
    groups = [None, None, None]
    for kind, group in operands:
        groups[group] = kind if groups[group] is None else promote_types(groups[group], kind)
    found = None
    for kind in reversed(groups):
        if kind is None or found is kind:
            continue
        here, later = _ranks[kind._kind], -1 if found is None else _ranks[found._kind]
        if later <= here:
            found = kind
        elif here == 2:
            found = _complexes.get(kind)
            if found is None:
                return None
        elif here == 0 and later == 1:
            promote_types(kind, found)  # which refuses the wide naturals
    return found


# ---- devices

_DEVICE_TYPES = "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia privateuseone".split()
_device_text = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?")
_defaults = threading.local()  # .stack: what torch.set_default_device and `with device` have set
_on_default_device = []


class device:  # noqa: N801
    """Device of a tensor; as a context manager, the device of tensors that are made inside.

    Parameters
    ----------
    *args : str, int or device
        ``device("cuda", 1)``, ``device("cuda:1")``, ``device(1)`` or ``device("cpu")``.
    **kwargs : object
        The same by name: `type` and `index`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.device("cuda", 1).index, torch.ones(2).device
    (1, device(type='cpu'))
    """

    __slots__ = ("_index", "_type")

    def __new__(cls, *args, **kwargs):
        if not kwargs:
            if len(args) == 1:
                value = args[0]
                if isinstance(value, str):
                    return _parsed(value)
                if isinstance(value, device):
                    return value
                if isinstance(value, int) and not isinstance(value, bool):
                    return _device("cuda", _index(value))
            elif len(args) == 2 and isinstance(args[0], str):
                return _with_index(*args)
        else:
            named = dict(zip(("type", "index"), args, strict=False)) | kwargs
            if len(named) == len(args) + len(kwargs):
                if set(named) == {"device"}:
                    return cls(named["device"])
                if isinstance(named.get("type"), str) and set(named) <= {"type", "index"}:
                    return _with_index(named["type"], named.get("index"))
        got = ", ".join([type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()])
        raise TypeError(
            f"device() received an invalid combination of arguments - got ({got}{', ' if kwargs else ''}), but expected one of:\n"
            " * (torch.device device)\n * (str type, int index = -1)\n"
        )

    @property
    def type(self):
        """The kind of device: "cpu" or "cuda"."""
        return self._type

    @property
    def index(self):
        """The number of the device; None where it means the current one."""
        return self._index

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __eq__(self, other):
        if not isinstance(other, device):
            return NotImplemented
        return self._type == other._type and self._index == other._index

    def __hash__(self):
        return hash((self._type, self._index))

    def __lt__(self, other):
        raise TypeError("comparison not implemented")

    __le__ = __gt__ = __ge__ = __lt__

    def __str__(self):
        return self._type if self._index is None else f"{self._type}:{self._index}"

    def __repr__(self):
        return f"device(type='{self._type}')" if self._index is None else f"device(type='{self._type}', index={self._index})"

    def __reduce__(self):
        return _device, (self._type, self._index)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __enter__(self):
        _stack().append(self)
        _tell_default_device()
        return self

    def __exit__(self, *error):
        _stack().pop()
        _tell_default_device()

    def __call__(self, function):
        """A function that runs inside of it."""

        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        inside.__name__ = getattr(function, "__name__", "inside")
        inside.__doc__ = function.__doc__
        inside.__wrapped__ = function
        return inside


def _device(kind, index=None):
    made = object.__new__(device)
    object.__setattr__(made, "_type", kind)
    object.__setattr__(made, "_index", index)
    return made


def _index(value):
    value = operator.index(value)
    if value < 0:
        raise RuntimeError("Device index must not be negative")
    return value


def _parsed(text):
    if not text:
        raise RuntimeError("Device string must not be empty")
    match = _device_text.fullmatch(text)
    if match is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    kind, index = match.groups()
    if kind not in _DEVICE_TYPES:
        raise RuntimeError(f"Expected one of {', '.join(_DEVICE_TYPES)} device type at start of device string: {kind}")
    return _device(kind, None if index is None else int(index))


def _with_index(text, index):
    if index is None:
        return _parsed(text)
    if ":" in text:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
    return _device(_parsed(text)._type, _index(index))


def as_device(value):
    """What a function takes as a device: one, a string, a number of a GPU, or None, which stays None."""
    return value if value is None or isinstance(value, device) else device(value)


CPU = _device("cpu")


def _stack():
    """This thread's default devices; the first is set_default_device()'s, those behind it are entered."""
    try:
        return _defaults.stack
    except AttributeError:
        _defaults.stack = [CPU]
        return _defaults.stack


def get_default_device():
    """The device of tensors that are made without one.

    Returns
    -------
    device
        Device.

    Examples
    --------
    >>> from quern import torch
    >>> isinstance(torch.get_default_device(), torch.device)
    True
    """
    return _stack()[-1]


def set_default_device(device):
    """Set the device of tensors that are made without one.

    Parameters
    ----------
    device : device, str or None
        Device, such as "cuda:0"; None is the CPU.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_default_device("cpu")
    >>> torch.ones(2).device
    device(type='cpu')
    """
    _stack()[0] = CPU if device is None else as_device(device)
    _tell_default_device()


def on_default_device(hook):
    """Has ``hook(device)`` called whenever this thread's default device changes."""
    _on_default_device.append(hook)


def _tell_default_device():
    for hook in _on_default_device:
        hook(_stack()[-1])


# ---- shapes


class Size(tuple):
    """Shape of a tensor: a tuple of integers.

    Parameters
    ----------
    sizes : iterable of ints, optional
        Sizes of the dimensions.

    Examples
    --------
    >>> from quern import torch
    >>> torch.Size([2, 3]).numel()
    6
    """

    __slots__ = ()

    def __new__(cls, sizes=()):
        sizes = tuple(sizes)
        for i, n in enumerate(sizes):
            if type(n) is not int:
                return size_of(_as_int(n, i) for i, n in enumerate(sizes))
        return tuple.__new__(cls, sizes)

    def numel(self):
        """How many elements a tensor of this shape has."""
        count = 1
        for n in self:
            count *= n
        return count

    def __repr__(self):
        return f"torch.Size({list(self)})"

    __str__ = __repr__

    def __getitem__(self, place):
        found = tuple.__getitem__(self, place)
        return size_of(found) if isinstance(place, slice) else found

    def __add__(self, other):
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return size_of(tuple.__add__(self, other))

    def __radd__(self, other):
        return size_of(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count):
        found = tuple.__mul__(self, count)
        return found if found is NotImplemented else size_of(found)

    __rmul__ = __mul__

    def __reduce__(self):
        return size_of, (tuple(self),)


def _as_int(n, i):
    try:
        return operator.index(n)
    except TypeError:
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")


def size_of(sizes):
    """A Size of what are integers for sure: faster than Size()."""
    return tuple.__new__(Size, sizes)


# ---- layouts and orders in memory


class layout(_Named):  # noqa: N801
    """How a tensor's elements are stored; all tensors here are ``torch.strided``."""

    __slots__ = ()


class memory_format(_Named):  # noqa: N801
    """An order of a tensor's dimensions in memory, such as ``torch.channels_last``."""

    __slots__ = ()


_orders = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
FORMATS = {name: memory_format._make(name) for name in _orders}
LAYOUTS = {name: layout._make(name) for name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged")}


def _named(name):
    """The object of a name, for pickle."""
    return NAMES[name]


# ---- what the types can hold

_resolutions = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-6, "float64": 1e-15}


class _Limits:
    __slots__ = ("bits", "dtype", "max", "min")

    def __eq__(self, other):
        return NotImplemented if type(other) is not type(self) else self.dtype == other.dtype

    def __hash__(self):
        return hash((type(self).__name__, self.dtype))


class finfo(_Limits):  # noqa: N801
    """Limits of a floating-point dtype.

    Parameters
    ----------
    type : dtype, optional
        Floating-point dtype, or complex dtype for its parts; the default dtype if missing.

    Raises
    ------
    TypeError
        For a dtype that is not a floating-point or complex one.

    Examples
    --------
    >>> from quern import torch
    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")

    def __init__(self, type=...):
        kind = _default if type is ... else _limits_of(type, "finfo").to_real()
        if not kind.is_floating_point:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        self.bits = kind.itemsize * 8
        self.dtype = kind._name
        if kind._name == "bfloat16":
            self.eps, self.max, self.tiny = 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126
        else:
            limits = numpy.finfo(kind._name)
            self.eps, self.max, self.tiny = float(limits.eps), float(limits.max), float(limits.tiny)
        self.min = -self.max
        self.smallest_normal = self.tiny
        self.resolution = _resolutions[kind._name]

    def __repr__(self):
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in names)}, dtype={self.dtype})"


class iinfo(_Limits):  # noqa: N801
    """Limits of an integer dtype.

    Parameters
    ----------
    type : dtype
        Integer dtype.

    Raises
    ------
    TypeError
        For a dtype that is not an integer one.

    Examples
    --------
    >>> from quern import torch
    >>> torch.iinfo(torch.int8).max
    127
    """

    __slots__ = ()

    def __init__(self, type):
        kind = _limits_of(type, "iinfo")
        if kind._kind == "b":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if kind._kind not in "iu":
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        self.bits = kind.itemsize * 8
        self.dtype = kind._name
        self.min = -(1 << (self.bits - 1)) if kind.is_signed else 0
        self.max = (1 << (self.bits - kind.is_signed)) - 1

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"  # rounded, as PyTorch has it


def _limits_of(kind, function):
    if kind is None:
        raise TypeError(f"{function}(): argument 'type' (position 1) must be torch.dtype, not NoneType")
    return as_dtype(kind, function, "type")


NAMES = {**DTYPES, **{alias: DTYPES[name] for alias, name in _aliases.items()}, **LAYOUTS, **FORMATS}
NAMES["legacy_contiguous_format"] = FORMATS["contiguous_format"]
NAMES |= {kind.__name__: kind for kind in (dtype, device, Size, layout, memory_format, finfo, iinfo)}
NAMES |= {function.__name__: function for function in (get_default_dtype, set_default_dtype, promote_types, can_cast)}
NAMES |= {function.__name__: function for function in (get_default_device, set_default_device)}
__all__ = list(NAMES)  # noqa: PLE0605
for _kind in (dtype, device, Size, layout, memory_format, finfo, iinfo):
    _kind.__module__ = "torch"  # as programs print it


def __getattr__(name):
    if name in NAMES:
        return NAMES[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
