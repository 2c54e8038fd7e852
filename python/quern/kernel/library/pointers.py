"""carray and farray: arrays over the memory that a pointer points to."""

from __future__ import annotations

from quern.kernel import intrinsics, types
from quern.kernel.errors import TypingError
from quern.kernel.library.table import entry
from quern.kernel.linked import CPointer
from quern.kernel.value import Value


def _over_pointer(name, axes_of):
    def compile_call(compiler, arguments, named, node):
        given = dict(zip(("ptr", "shape", "dtype"), arguments, strict=False), **named)
        if set(given) - {"ptr", "shape", "dtype"} or not {"ptr", "shape"} <= set(given) or len(given) != len(arguments) + len(named):
            raise compiler.error(TypingError, node, f"{name} takes a pointer, a shape and perhaps a dtype")
        pointer, shape = given["ptr"], given["shape"]
        if not isinstance(pointer.type, CPointer):
            raise compiler.error(TypingError, node, f"{name} takes a pointer, not {pointer.type}", "an array is used as it is")
        element, dtype = pointer.type.dtype, None
        if "dtype" in given and not isinstance(given["dtype"].type, types.NoneType):
            dtype = compiler.dtype_of(given["dtype"], node)
        if isinstance(element, types.NoneType) and dtype is None:
            raise compiler.error(TypingError, node, f"{name} of a pointer to nothing needs a dtype")
        if dtype is not None and not isinstance(element, types.NoneType) and dtype != element:
            raise compiler.error(TypingError, node, f"mismatching dtype '{dtype}' for pointer type '{pointer.type}'")
        lengths = compiler.parts(shape, node) if isinstance(shape.type, types.Tuple) else [shape]
        lengths = [compiler.integer(n, node, "a length") for n in lengths]
        type_ = types.Array(dtype or element, len(lengths), "C" if name == "carray" or len(lengths) < 2 else "F")
        made = compiler.temporary()
        compiler.head.append(f"{type_.c} {made}{{}};")
        compiler.emit(f"{made}.data = static_cast<{type_.dtype.memory}*>({pointer.text});")
        step = f"static_cast<long long>(sizeof({type_.dtype.memory}))"
        for axis, length in enumerate(lengths):
            compiler.emit(f"{made}.shape[{axis}] = {length.text};")
        for axis in axes_of(len(lengths)):
            compiler.emit(f"{made}.strides[{axis}] = {step};")
            step = f"{made}.strides[{axis}] * {made}.shape[{axis}]"
        return Value(type_, made)

    return compile_call


entry(intrinsics.carray)(_over_pointer("carray", lambda n: reversed(range(n))))
entry(intrinsics.farray)(_over_pointer("farray", range))
