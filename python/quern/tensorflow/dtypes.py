"""tf.dtypes: TensorFlow's data types, and functions that change the type of tensors."""

import builtins

import numpy as np

# In the order of TensorFlow's numbers of types (types.proto).
_NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "complex64": 8, "int64": 9, "bool": 10,
    "bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip
_LETTERS = {"half": "float16", "float": "float32", "double": "float64"}


class DType(str):
    """A data type: its name, as Keras takes it, with TensorFlow's attributes; others are those of NumPy's dtype."""

    __slots__ = ()

    def __new__(cls, name):
        known = _KNOWN.get(name)
        return known if known is not None else as_dtype(name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return getattr(np.dtype(self.as_numpy_dtype), name)
        except AttributeError:
            raise AttributeError(f"'DType' object has no attribute {name!r}") from None

    def __repr__(self):
        return f"tf.{self.name}"

    def __str__(self):
        return f"<dtype: {self.name!r}>"

    def __format__(self, spec):
        return format(str(self), spec)

    def __eq__(self, other):
        if isinstance(other, str):
            return str.__eq__(self, _LETTERS.get(other, other))
        if other is None:
            return False
        try:
            return str.__eq__(self, as_dtype(other))
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__

    def __reduce__(self):
        return as_dtype, (self.name,)

    @property
    def name(self):
        """The name."""
        return str.__str__(self)

    @property
    def is_floating(self):
        """Whether it is a type of real numbers."""
        return "float" in self.name

    @property
    def is_integer(self):
        """Whether it is a type of integers."""
        return "int" in self.name

    @property
    def is_unsigned(self):
        """Whether it is a type of integers without a sign."""
        return "uint" in self.name

    @property
    def is_complex(self):
        """Whether it is a type of complex numbers."""
        return "complex" in self.name

    @property
    def is_bool(self):
        """Whether it is the type of truth values."""
        return self.name == "bool"

    @property
    def is_numeric(self):
        """Whether it is a type of numbers."""
        return not self.is_bool

    @property
    def is_numpy_compatible(self):
        """True: NumPy has all these types, with ml_dtypes."""
        return True

    @property
    def is_quantized(self):
        """False: there are no quantized types."""
        return False

    @property
    def as_numpy_dtype(self):
        """NumPy's type."""
        if self.name == "bfloat16":
            import ml_dtypes

            return ml_dtypes.bfloat16
        return np.dtype(self.name).type

    @property
    def as_datatype_enum(self):
        """TensorFlow's number of the type."""
        return _NUMBERS[self.name]

    @property
    def real_dtype(self):
        """The type of the real part."""
        return DType({"complex64": "float32", "complex128": "float64"}.get(self.name, self.name))

    @property
    def base_dtype(self):
        """The type itself."""
        return self

    @property
    def size(self):
        """The number of bytes of an element."""
        return np.dtype(self.as_numpy_dtype).itemsize

    def _limit(self, which, word):
        if self.is_integer:
            return int(getattr(np.iinfo(self.name), which))
        if self.is_floating:
            if self.name == "bfloat16":
                import ml_dtypes

                return getattr(ml_dtypes.finfo(ml_dtypes.bfloat16), which)
            return getattr(np.finfo(self.name), which)
        raise TypeError(f"Cannot find {word} value of {self} with type {self}.")

    @property
    def min(self):
        """The smallest value."""
        return self._limit("min", "minimum")

    @property
    def max(self):
        """The largest value."""
        return self._limit("max", "maximum")

    @property
    def limits(self):
        """The ends of the range that an image of this type uses: 0 to 1 for real numbers."""
        if self.is_bool:
            return 0, True
        return (0, 1) if self.is_floating else (0, self.max)

    def is_compatible_with(self, other):
        """Return whether tensors of the other type are of this one."""
        return self == as_dtype(other)


_KNOWN = {name: str.__new__(DType, name) for name in _NUMBERS}
float32, float64, int32, uint8, int16, int8, complex64, int64 = (_KNOWN[_name] for _name in list(_NUMBERS)[:8])
bool, bfloat16, uint16, complex128, float16, uint32, uint64 = (_KNOWN[_name] for _name in list(_NUMBERS)[8:])
half, double = _KNOWN["float16"], _KNOWN["float64"]
_BY_NUMBER = {number: _KNOWN[name] for name, number in _NUMBERS.items()}
_OF_PYTHON = {builtins.float: "float32", builtins.bool: "bool"}


def as_dtype(type_value):
    """Return the DType of a name, a NumPy type, TensorFlow's number of a type, or Python's float and bool."""
    if type(type_value) is DType:
        return type_value
    found = None
    if type(type_value) is str:
        found = _KNOWN.get(_LETTERS.get(type_value, type_value))
    elif type(type_value) is int:
        found = _BY_NUMBER.get(type_value)
    elif type_value in (builtins.float, builtins.bool):
        found = _KNOWN[_OF_PYTHON[type_value]]
    elif type_value not in (builtins.int, None, object):
        try:
            found = _KNOWN.get(np.dtype(type_value).name)
        except TypeError:
            pass
    if found is None:
        raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")
    return found


def __getattr__(name):
    raise AttributeError(f"tensorflow.dtypes.{name} is not supported by quern; its dtypes are {', '.join(sorted(_NUMBERS))}")
