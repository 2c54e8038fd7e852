"""What is said of kernels that cannot be compiled: the type of the error, file, line, caret, what was seen, what to write instead.

Each row is a kernel's body with « and » around what the caret marks, and how the message begins. Python and Numba say what is wrong.
"""

import ast
import functools
import linecache
import math
import operator
import pathlib
import textwrap

import numpy as np
import pytest
from kernels import module_of
from quern import cuda, numba
from quern.arrays.records import UnsupportedDType
from quern.errors import CompileError, InternalError
from quern.kernel import dispatcher, errors, operators, signatures, types

HEAD = """
import enum
from quern.cuda import bf16, cg, fp16, libdevice
from quern.numba import float32, int32

I, LIST, DICT, BIG, OBJECTS = np.arange(8), [1, 2, 3], {1: 2}, np.zeros(10**5), np.zeros(3, "O")


@cuda.jit(device=True)
def helper(a, b):
    return a + b


@cuda.jit(device=True)
def nothing(a):
    a[0] = 1


"""
RECORD = np.dtype([("a", "i4"), ("b", "f8"), ("v", "f4", (3,))], align=True)
R = str(types.Record(RECORD))


def told(folder, text, kind, message):
    """Launches the text's kernel: the error is of that kind, and says this of the place that « and » are around."""
    before, _, rest = text.partition("«")
    marked, _, after = rest.partition("»")
    module = module_of(folder, HEAD + before + marked + after)
    with pytest.raises(errors.KernelError) as caught:
        module.kernel[1, 1](np.zeros(8), np.zeros((3, 4)), np.zeros(4, RECORD), None, (1, 2, 3))
    literal = kind is errors.TypingError and ("must be known when" in str(caught.value) or "a constant" in str(caught.value))
    assert type(caught.value) is kind or (literal and type(caught.value) is errors.RequireLiteralValue)
    first, line, caret = str(caught.value).split("\n")
    lines = pathlib.Path(module.__file__).read_text().splitlines()
    number = len(lines) - (text.count("\n", len(before)) - text.endswith("\n"))
    assert first.startswith(f"{module.__file__}:{number}: [")
    assert line == "    " + lines[number - 1] and caret.strip("^ ") == ""
    assert line[caret.index("^") : len(caret)] == marked, (line, caret)
    said = first.split("] ", 1)[1]
    assert said.startswith(message), said


def kernel(body):
    return "@cuda.jit\ndef kernel(x, m, r, none, three):\n" + textwrap.indent(body, "    ") + "\n"


TYPING = [
    ("x[0] = «cuda.grid(1, 2)»", "it takes the number of dimensions, ndim, and nothing else"),
    ("x[0] = «cuda.grid(foo=1)»", "it takes the number of dimensions, ndim, and nothing else"),
    ("x[0] = «cuda.grid()»", "it takes the number of dimensions, ndim, and nothing else"),
    ("x[0] = «cuda.gridsize()»", "it takes the number of dimensions, ndim, and nothing else"),
    ("x[0] = «cuda.grid(True)»", "the number of dimensions is 1, 2 or 3, not True"),
    ("x[0] = «cuda.gridsize(1.0)»", "the number of dimensions is 1, 2 or 3, not 1.0"),
    ("x[0] = «cuda.grid('a')»", "the number of dimensions is 1, 2 or 3, not 'a'"),
    ("x[0] = «cuda.grid(4)»", "the number of dimensions is 1, 2 or 3, not 4"),
    ("x[0] = «cuda.grid(0)»", "the number of dimensions is 1, 2 or 3, not 0"),
    ("x[0] = «cuda.grid(1.5)»", "the number of dimensions is 1, 2 or 3, not 1.5"),
    ("x[0] = «cuda.local.array()»[0]", "an array needs (shape, dtype), and may have an alignment"),
    ("x[0] = «cuda.shared.array()»[0]", "an array needs (shape, dtype), and may have an alignment"),
    ("x[0] = «cuda.shared.array(-1, 'f4')»[0]", "a shape must be a non-negative integer or a tuple of them, not (-1,)"),
    ("x[0] = «cuda.shared.array((), 'f4')»[0]", "a shape must be a non-negative integer or a tuple of them, not ()"),
    ("x[0] = «cuda.shared.array(3, int32, 3)»[0]", "an alignment is a power of two up to 4096, not 3"),
    ("x[0] = «cuda.shared.array(3, int32, alignment=3)»[0]", "an alignment is a power of two up to 4096, not 3"),
    ("x[0] = «cuda.shared.array(3, int32, alignment=-4)»[0]", "an alignment is a power of two up to 4096, not -4"),
    ("x[0] = «cuda.shared.array(3, int32, alignment=x.shape[0])»[0]", "alignment must be a constant integer"),
    ("x[0] = «cuda.local.array(3, int32, alignment=1.5)»[0]", "alignment must be a constant integer"),
    ("x[0] = «cuda.shared.array(3, 'int33')»[0]", "Invalid NumPy dtype specified: 'int33'"),
    ("«cuda.syncwarp(1.5)»", "Mask type must be an integer, not float64"),
    ("x[0] = «cuda.shfl_up_sync(x[0], 1, 1)»", "Mask type must be an integer, not float64"),
    ("x[0] = «cuda.ballot_sync(x[0], True)»", "Mask type must be an integer, not float64"),
    ("x[0] = «cuda.local.array(10**9, int32)»[0]", "an array of 1000000000 elements is too large for a kernel's own; pass one as an argument"),
    ("a = «cuda.shared.array((10**10, 10**10), int32)»\na[0, 0] = 1", "an array of 100000000000000000000 elements is too large for a"),
    ("x[0] = «cuda.shared.array((0, 3), int32)»[0, 0]", "a dynamic shared array has one dimension; write shape=0 and take parts of it"),
    ("x[0] = «cuda.const.array_like(x)»", "const.array_like takes a global NumPy array"),
    ("x[0] = «cuda.const.array_like(3)»", "const.array_like takes a global NumPy array"),
    ("x[0] = «cg.this_grid().sync(1)»", "grid.sync takes no arguments"),
    ("x[0] = «cuda.selp(1, 2, x)»", "selp chooses between two numbers, not int64 and array(float64, 1d, C)"),
    ("x[0] = «cuda.selp(1, 'a', 'b')»", "selp chooses between two numbers, not str(a) and str(b)"),
    ("x[0] = «cuda.ldcg(3, 0)»", "an array is needed, not int64"),
    ("x[0] = «cuda.stcg(3, 0, 1)»", "an array is needed, not int64"),
    ("«cuda.atomic.add(r[0], 'a', 1)»", "an array is needed, not {R}"),
    ("x[0] = «cuda.ldcg(x, (0, 0))»", "array(float64, 1d, C) has 1 dimensions, and 2 indices are given"),
    ("x[0] = «cuda.atomic.add(x, (), 1)»", "array(float64, 1d, C) has 1 dimensions, and 0 indices are given"),
    ("x[0] = «cuda.atomic.add()»", "atomic.add takes 3 arguments: the array, the index and what goes there"),
    ("x[0] = «cuda.atomic.add(x)»", "atomic.add takes 3 arguments: the array, the index and what goes there"),
    ("x[0] = «cuda.atomic.cas(x, 0, 1)»", "atomic.cas takes 4 arguments: the array, the index and what goes there"),
    ("«cuda.atomic.add(r, 0, 1)»", "atomic.add does not update elements of type {R}; it takes int32, int64, uint32, uint64, float32,"),
    ("x[0] = «cuda.atomic.inc(x, 0, 1)»", "atomic.inc does not update elements of type float64; it takes uint32, uint64"),
    ("x[0] = «cuda.atomic.and_(x, 0, 1)»", "atomic.and_ does not update elements of type float64; it takes int32, int64, uint32, uint64"),
    ("x[0] = «cuda.atomic.compare_and_swap(x, 0)»", "atomic.compare_and_swap takes 3 arguments: the array, the old value and the new"),
    ("x[0] = «y»\ny = 3", "'y' is used before it has a value"),
    ("i: int\nx[0] = «i»", "'i' is used before it has a value"),
    ("x[0] = «99999999999999999999»", "Int value is too large: 99999999999999999999; integers have up to 64 bits"),
    ("x[0] = «18446744073709551616»", "Int value is too large: 18446744073709551616"),
    ("«a, b» = x", "array(float64, 1d, C) cannot be unpacked; only tuples can"),
    ("«a, b» = none", "none cannot be unpacked; only tuples can"),
    ("x[0] = «3 in 4»", "int64 cannot be unpacked; only tuples can"),
    ("x[0] = «x or 3»", "Cannot unify array(float64, 1d, C) and int64"),
    ("x[0] = «x and 3»", "Cannot unify array(float64, 1d, C) and int64"),
    ("x[0] = «3 if x[0] > 1 else x»", "Cannot unify int64 and array(float64, 1d, C)"),
    ("«x.sort»()", "array(float64, 1d, C) has no attribute 'sort' in a kernel"),
    ("«x.resize»(3)", "array(float64, 1d, C) has no attribute 'resize' in a kernel"),
    ("x[0] = «none.size»", "none has no attribute 'size' in a kernel"),
    ("«helper(1, a=2, b=3)»", "helper takes no argument 'a' here"),
    ("x[0] = «helper(1, c=2)»", "helper takes no argument 'c' here"),
    ("«helper(1, b=range(3))»", "Range(...) cannot be passed to a function; name it in the function"),
    ("x[0] = «helper(1)»", "helper takes 2 arguments, not 1"),
    ("x[0] = «helper(1, 2, 3)»", "helper takes 2 arguments, not 3"),
    ("x[0] = «int(x)»", "a number is needed, not array(float64, 1d, C)"),
    ("x[0] = «abs(x)»", "a number is needed, not array(float64, 1d, C)"),
    ("x[0] = «int('3')»", "a number is needed, not str(3)"),
    ("x[«x:»] = 1", "an integer in a slice is needed, not array(float64, 1d, C)"),
    ("x[«1j:»] = 1", "an integer in a slice is needed, not complex128"),
    ("«x[1.5]» = 3", "an index must be an integer, not float64"),
    ("for i in «range(1j)»:\n    x[0] = i", "an integer is needed, not complex128"),
    ("x[0] = «cuda.shared.array(3, 4)»[0]", "as dtype: Cannot interpret '4' as a data type"),
    ("x[0] = «cuda.shared.array(3, x)»[0]", "as dtype: a type is needed, not array(float64, 1d, C)"),
    ("x[0] = «cuda.shared.array(3, str)»[0]", "as dtype: kernels do not support values of type <U0; convert to one of: bool, int8, int16,"),
    ("x[0] = «cuda.grid(x)»", "ndim must be known when the kernel is compiled; write a number or a global name"),
    ("x[0] = «cuda.grid(int(x[0]))»", "ndim must be known when the kernel is compiled; write a number or a global name"),
    ("t = (1, 2)\nx[0] = «t[int(x[0]):]»", "a tuple's slice must be known when the kernel is compiled; write a number or a global name"),
    ("if x[0] > 1:\n    y = math\nelse:\n    y = np\nx[0] = «y».pi", "'y' is module(math) or module(numpy) here, by the way that was taken"),
    ("y = None\n«x[0]» = y", "none cannot be written into an element of type float64"),
    ("if x[0] > 1:\n    r = 3\nx[0] = «r».size", "'r' is int64 or array({R}, 1d, C) here, by the way that was taken; use names"),
    ("if x[0] > 1:\n    x = I\nx[0] = «x».size", "'x' is array(int64, 8) or array(float64, 1d, C) here, by the way that was taken"),
    ("none = 3\nif m[0, 0] > 1:\n    none = x\nx[0] = «none»", "'none' is array(float64, 1d, C) or int64 here, by the way"),
    ("«t» = ('a', 1)\nx[0] = t[1]", "str(a) would be part of a tuple; tuples that are kept or handed over hold numbers, arrays and"),
    ("«t» = ('a', x[0])\nx[0] = t[1]", "str(a) would be part of a tuple; tuples that are kept or handed over hold numbers, arrays and"),
    ("«t» = (math, x[0])\nx[0] = t[1]", "module(math) would be part of a tuple; tuples that are kept or handed over hold numbers,"),
    ("«x[0]» = 1j", "complex128 does not convert to float64; take its .real"),
    ("«x[0] += 1j»", "complex128 does not convert to float64; take its .real"),
    ("«r[0].a» = 1j", "complex128 does not convert to int32; take its .real"),
    ("«r[:]» = 3", "int64 does not convert to {R}"),
    ("«a, b» = three", "there are 3 values for 2 names"),
    ("«a, b» = 1, 2, 3", "there are 3 values for 2 names"),
    ("«return 3»", "CUDA kernel must have void return type; write the result into an array argument"),
    ("«return x»", "CUDA kernel must have void return type; write the result into an array argument"),
    ("«none[0]» = 1", "none has no elements"),
    ("«x[0][0]» = 3", "float64 has no elements"),
    ("a = (1)\nx[0] = «a[0]»", "int64 has no elements"),
    ("x[0] = «x.shape[1]»", "tuple index out of range: element 1 of 1"),
    ("t = ()\nx[0] = «t[0]»", "tuple index out of range: element 0 of 0"),
    ("t = (1, 2)\nx[0] = «t[1.5]»", "a tuple of 2 has no element 1.5"),
    ("t = (1, 2.5)\nx[0] = «t[int(x[0])]»", "the index into a tuple of several types must be known when the kernel is compiled"),
    ("x[«1:2:0»] = 3", "the step of a slice is 0"),
    ("y = «x[..., ...]»", "an index has one ellipsis"),
    ("«x[0, 0]» = 3", "array(float64, 1d, C) has 1 dimensions, and 2 indices are given"),
    ("y = «x[0, 0]»", "array(float64, 1d, C) has 1 dimensions, and 2 indices are given"),
    ("«x[x]» = 3", "an index must be an integer, not array(float64, 1d, C); convert it with int()"),
    ("«x[I]» = 3", "an index must be an integer, not array(int64, 8); convert it with int()"),
    ("«x[1j]» = 3", "an index must be an integer, not complex128; convert it with int()"),
    ("t = (1, 2)\n«t[0]» = 3", "a tuple cannot be written to"),
    ("«r[0].v» = r", "array({R}, 1d, C) cannot be written into array(float32, 1d, C)"),
    ("«m[0]» = m", "array(float64, 2d, C) cannot be written into array(float64, 1d, C)"),
    ("«x[0:2]» = 1, x", "array(float64, 1d, C) cannot be written into an element of type float64"),
    ("«x[0]» = none", "none cannot be written into an element of type float64"),
    ("«x[0]» = I", "array(int64, 8) cannot be written into an element of type float64"),
    ("«r[0][7]» = 1", "a field is known by its name, or by its number when the kernel is compiled"),
    ("y = «r[0][5]»\nr[0].a = y", "a field is known by its name, or by its number when the kernel is compiled"),
    ("«r[0].c» = 3", "the record has no field 'c'; it has a, b, v"),
    ("«r['c']» = 3", "the record has no field 'c'; it has a, b, v"),
    ("«r[0]» = 3", "int64 cannot be written into {R}"),
    ("«r[0]» = r", "array({R}, 1d, C) cannot be written into {R}"),
    ("«r[0]» = (1, 2)", "UniTuple(int64 x 2) cannot be written into {R}"),
    ("x[0] = «np.rint(1j)»", "it does not take complex128"),
    ("x[0] = «np.cbrt(1j)»", "it does not take complex128"),
    ("x[0] = «np.fmod(1j, 2)»", "it does not take complex128"),
    ("x[0] = «math.pow(1j, 2)»", "it does not take complex128"),
    ("x[0] = «math.modf(1j)»[0]", "it does not take complex128"),
    ("x[0] = «math.floor(1j)»", "it does not take complex128"),
    ("x[0] = «np.invert(1.5)»", "it takes integers, not float64"),
    ("x[0] = «np.bitwise_and(1.5, 2)»", "it takes integers, not float64 and int64"),
    ("x[0] = «np.left_shift(np.uint64(1), np.int64(2))»", "there is no integer type for uint64 and int64"),
    ("x[0] = «cmath.rect(1j, 2)»", "the length and the angle must be real"),
    ("«x[0] @= x»", "unsupported operand types for @ in a kernel: float64 and array(float64, 1d, C); write the product's sums as a loop"),
    ("x[0] = «x @ x»", "unsupported operand types for @ in a kernel: array(float64, 1d, C) and array(float64, 1d, C); write the product's sums as a loop"),
    ("«x += 1»", "unsupported operand types for +: array(float64, 1d, C) and int64; a kernel works on elements: write a loop, or x[i]"),
    ("y = «x + x»", "unsupported operand types for +: array(float64, 1d, C) and array(float64, 1d, C); a kernel works on elements: write a loop, or x[i]"),
    ("y = «x * 2»", "unsupported operand types for *: array(float64, 1d, C) and int64; a kernel works on elements: write a loop, or x[i]"),
    ("y = «-x»", "bad operand type for unary -: array(float64, 1d, C); a kernel works on elements: write a loop, or x[i]"),
    ("x[0] = «~1.5»", "bad operand type for unary ~: float64"),
    ("x[0] = «-'a'»", "bad operand type for unary -: str(a)"),
    ("x[0] = «not x»", "array(float64, 1d, C) is neither true nor false; test its size, or an element"),
    ("if «x»:\n    pass", "array(float64, 1d, C) is neither true nor false; test its size, or an element"),
    ("y = «not r[0]»\nr[0].a = y", "{R} is neither true nor false"),
    ("x[0] = «x < 3»", "unsupported operand types for <: array(float64, 1d, C) and int64; a kernel works on elements: write a loop, or x[i]"),
    ("x[«x > 1»] = 3", "unsupported operand types for >: array(float64, 1d, C) and int64; a kernel works on elements: write a loop, or x[i]"),
    ("x[0] = «x == x»", "unsupported operand types for ==: array(float64, 1d, C) and array(float64, 1d, C); a kernel works on elements: write a loop, or x[i]"),
    ("x[0] = «2j < 1j»", "unsupported operand types for <: complex128 and complex128; compare their .real, or abs()"),
    ("x[0] = «kernel(x)»", "kernel takes 5 arguments, not 1"),
    ("x[0] = «numba.literal_unroll(3)»", "literal_unroll takes a tuple"),
    ("for i, v in «enumerate()»:\n    pass", "enumerate takes what it goes over, and the number that it starts with"),
    ("for i, v in «enumerate(x, y=3)»:\n    pass", "enumerate takes what it goes over, and the number that it starts with"),
    ("for a in «zip()»:\n    pass", "zip takes what it goes over side by side, and no keyword arguments in a kernel"),
    ("for a, b in «zip(x, x, strict=True)»:\n    x[0] = a", "zip takes what it goes over side by side, and no keyword arguments in a"),
    ("for v in «3»:\n    pass", "int64 is not iterable in a kernel"),
    ("for v in «none»:\n    pass", "none is not iterable in a kernel"),
    ("for v in «x[0]»:\n    pass", "float64 is not iterable in a kernel"),
    ("for i in «range(0, 3, 0)»:\n    pass", "the step of range is 0"),
    ("for a, b in «zip(x, 3)»:\n    pass", "int64 is not iterable next to others in a kernel"),
    ("for i, v in «enumerate(3)»:\n    pass", "int64 is not iterable next to others in a kernel"),
    ("x[0] = «len(1)»", "int64 has no length"),
    ("x[0] = «len(none)»", "none has no length"),
    ("x[0] = «len(LIST)»", "list([1, 2, 3]) has no length"),
    ("x[0] = «int(1j)»", "can't convert complex to int; take its .real"),
    ("x[0] = «float(1j)»", "can't convert complex to float; take its .real"),
    ("x[0] = «complex(1j, 1j)»", "a complex number is made of two real ones; take their .real"),
    ("x[0] = «min(1)»", "min needs at least two numbers"),
    ("x[0] = «min(x)»", "min needs at least two numbers"),
    ("x[0] = «max(())»", "max needs at least two numbers"),
    ("x[0] = «min(1j, 2j)»", "complex128 has no order; take its .real, or abs()"),
    ("x[0] = «round(1j)»", "a complex number is not rounded; round its .real"),
    ("«print('a', end='')»", "print takes no keyword arguments in a kernel"),
    ("«print(x[0], sep=',')»", "print takes no keyword arguments in a kernel"),
    ("«print(x)»", "array(float64, 1d, C) cannot be printed in a kernel"),
    ("«print(None)»", "none cannot be printed in a kernel"),
    ("«print(math)»", "module(math) cannot be printed in a kernel"),
    ("x[0] = «x[0].conjugate(3)»", "conjugate takes no arguments"),
    ("x[0] = «libdevice.sin(x=1)»", "cuda.libdevice.sin takes no keyword arguments in a kernel"),
    ("x[0] = «cuda.popc()»", "cuda.popc does not take (); it takes (int8) or (uint8) or (int16) or (uint16) or (int32) or (uint32) or (int64) or (uint64)"),
    ("x[0] = «cuda.popc(x)»", "cuda.popc does not take (array(float64, 1d, C)); it takes (int8) or (uint8) or (int16) or (uint16) or (int32) or (uint32) or (int64) or (uint64)"),
    ("x[0] = «cuda.clz(1j)»", "cuda.clz does not take (complex128); it takes (int8) or (uint8) or (int16) or (uint16) or (int32) or (uint32) or (int64) or (uint64)"),
    ("x[0] = «fp16.hsin(x)»", "cuda.fp16.hsin does not take (array(float64, 1d, C)); it takes (float16)"),
    ("x[0] = «cg.foo»()", "module 'quern.cuda.cg' has no 'foo'"),
    ("x[0] = «fp16.foo»(1)", "module 'quern.cuda.fp16' has no 'foo'"),
    ("«none()»", "none cannot be called"),
    ("x[0] = «x()»", "array(float64, 1d, C) cannot be called"),
    ("x[0] = «x[0]()»", "float64 cannot be called"),
    ("«open('a')»", f"{open.__module__}.open cannot be called in a kernel"),
    ("x[0] = «set()»", "set cannot be called in a kernel"),
    ("x[0] = «len(x=x)»", "len takes no keyword arguments in a kernel"),
    ("x[0] = «min(1, 2, key=abs)»", "min takes no keyword arguments in a kernel"),
    ("x[0] = «np.add(1, 2, where=x)»", "numpy.add takes no keyword arguments in a kernel"),
    ("x[0] = «cuda.stcg(x, index=0, value=1)»", "cuda.stcg takes no keyword arguments in a kernel"),
    ("x[0] = «len()»", "len takes 1 argument in a kernel, not 0"),
    ("x[0] = «abs()»", "abs takes 1 argument in a kernel, not 0"),
    ("x[0] = «min()»", "min takes at least 1 arguments in a kernel, not 0"),
    ("x[0] = «pow()»", "pow takes 2 arguments in a kernel, not 0"),
    ("x[0] = «round()»", "round takes 1 to 2 arguments in a kernel, not 0"),
    ("x[0] = «divmod()»", "divmod takes 2 arguments in a kernel, not 0"),
    ("x[0] = «np.sin()»", "numpy.sin takes 1 argument in a kernel, not 0"),
    ("x[0] = «int(1, 2)»", "int takes 0 to 1 arguments in a kernel, not 2"),
    ("x[0] = «np.add(1)»", "numpy.add takes 2 arguments in a kernel, not 1"),
    ("x[0] = «np.mod(1)»", "numpy.remainder takes 2 arguments in a kernel, not 1"),
    ("x[0] = «np.fmax()»", "numpy.fmax takes 2 arguments in a kernel, not 0"),
    ("x[0] = «float(1,2)»", "float takes 0 to 1 arguments in a kernel, not 2"),
    ("x[0] = «bool(1, 2)»", "bool takes 0 to 1 arguments in a kernel, not 2"),
    ("x[0] = «math.sin()»", "math.sin takes 1 argument in a kernel, not 0"),
    ("x[0] = «math.pow()»", "math.pow takes 2 arguments in a kernel, not 0"),
    ("x[0] = «np.isnan()»", "numpy.isnan takes 1 argument in a kernel, not 0"),
    ("x[0] = «cmath.sin()»", "cmath.sin takes 1 argument in a kernel, not 0"),
    ("x[0] = «np.power(2)»", "numpy.power takes 2 arguments in a kernel, not 1"),
    ("x[0] = «np.square()»", "numpy.square takes 1 argument in a kernel, not 0"),
    ("x[0] = «np.equal(1)»", "numpy.equal takes 2 arguments in a kernel, not 1"),
    ("x[0] = «cuda.selp()»", "cuda.selp takes 3 arguments in a kernel, not 0"),
    ("x[0] = «cuda.ldcg()»", "cuda.ldcg takes 2 arguments in a kernel, not 0"),
    ("x[0] = «math.isnan()»", "math.isnan takes 1 argument in a kernel, not 0"),
    ("x[0] = «math.floor()»", "math.floor takes 1 argument in a kernel, not 0"),
    ("x[0] = «np.maximum()»", "numpy.maximum takes 2 arguments in a kernel, not 0"),
    ("x[0] = «math.atan2(1)»", "math.atan2 takes 2 arguments in a kernel, not 1"),
    ("x[0] = «cmath.phase()»", "cmath.phase takes 1 argument in a kernel, not 0"),
    ("x[0] = «cmath.rect(1)»", "cmath.rect takes 2 arguments in a kernel, not 1"),
    ("x[0] = «np.arctan2(1)»", "numpy.arctan2 takes 2 arguments in a kernel, not 1"),
    ("x[0] = «np.negative()»", "numpy.negative takes 1 argument in a kernel, not 0"),
    ("x[0] = «math.log(8, 2)»", "math.log takes 1 argument in a kernel, not 2"),
    ("x[0] = «np.conjugate()»", "numpy.conjugate takes 1 argument in a kernel, not 0"),
    ("x[0] = «operator.neg()»", "operator.neg takes 1 argument in a kernel, not 0"),
    ("x[0] = «operator.lt(1)»", "operator.lt takes 2 arguments in a kernel, not 1"),
    ("x[0] = «math.frexp()»[0]", "math.frexp takes 1 argument in a kernel, not 0"),
    ("x[0] = «operator.add(1)»", "operator.add takes 2 arguments in a kernel, not 1"),
    ("x[0] = «operator.not_()»", "operator.not_ takes 1 argument in a kernel, not 0"),
    ("x[0] = «cuda.stcg(x, 0)»", "cuda.stcg takes 3 arguments in a kernel, not 2"),
    ("x[0] = «cg.this_grid(1)»", "cuda.cg.this_grid takes no arguments in a kernel, not 1"),
    ("x[0] = «complex(1, 2, 3)»", "complex takes 0 to 2 arguments in a kernel, not 3"),
    ("x[0] = «math.trunc(1, 2)»", "math.trunc takes 1 argument in a kernel, not 2"),
    ("x[0] = «math.copysign(1)»", "math.copysign takes 2 arguments in a kernel, not 1"),
    ("x[0] = «cmath.log(1j, 2, 3)»", "cmath.log takes 1 to 2 arguments in a kernel, not 3"),
    ("x[0] = «operator.iadd(1)»", "operator.iadd takes 2 arguments in a kernel, not 1"),
    ("x[0] = «np.bitwise_and(1)»", "numpy.bitwise_and takes 2 arguments in a kernel, not 1"),
    ("x[0] = «np.float32()»", "float32() takes one number"),
    ("x[0] = «numba.float32()»", "float32() takes one number"),
    ("x[0] = «numba.int32(1, 2)»", "int32() takes one number"),
    ("x[0] = «np.int32(1j)»", "complex128 does not convert to int32; take its .real"),
    ("x[0] = «cuda.float32x4(x=1)».x", "float32x4 takes no keyword arguments"),
    ("x[0] = «cuda.float32x4(cuda.int32x2(1, 2), 1, 2)».x", "float32x4 is not made of int32x2; take its parts, .x and so on"),
    ("x[0] = «cuda.float32x4(1j, 1, 2, 3)».x", "complex128 does not convert to float32; take its .real"),
    ("x[0] = «cuda.float32x4()»", "float32x4 has 4 parts, and 0 are given"),
    ("x[0] = «cuda.float32x4(1, 2)»", "float32x4 has 4 parts, and 2 are given"),
]  # fmt: skip


@pytest.mark.parametrize("body, message", TYPING, ids=map(str, range(len(TYPING))))
def test_typing(device, tmp_path, body, message):
    told(tmp_path, kernel(body), errors.TypingError, message.replace("{R}", R))


UNSUPPORTED = [
    ("x[0] = «{**x}»", "`{**x}` is not supported in a kernel; write a tuple, or an array that is indexed by number"),
    ("x[«[1, 2]»] = 3", "`[1, 2]` is not supported in a kernel; write a tuple, or fill an array of cuda.local.array()"),
    ("x[0] = («yield»)", "`(yield)` is not supported in a kernel; write into an array that the kernel is given"),
    ("x[0] = «x is x»", "`is` compares only with None in a kernel; write =="),
    ("«print(**x)»", "arguments cannot be unpacked with ** in a kernel; write each"),
    ("«helper(**x)»", "arguments cannot be unpacked with ** in a kernel; write each"),
    ("«r» = range(3)\nx[0] = r[1]", "Range(...) is not kept in a variable; write it where it is looped over"),
    ("«e» = enumerate(x)\nx[0] = len(e)", "Numbered(...) is not kept in a variable; write it where it is looped over"),
    ("«global G»\nG = 1", "`global` is not supported in a kernel; write into an array that the kernel is given"),
    ("«with x:»\n    pass", "`with` is not supported in a kernel; write what it does"),
    ("«class A:»\n    pass", "`class` is not supported in a kernel; write it outside; kernels work on numbers, tuples and arrays"),
    ("a, «*b» = 1, 2, 3\nx[0] = a", "`*b` is not supported in a kernel; name each value"),
    ("del «x[0]»", "`del x[0]` is not supported in a kernel; elements stay"),
    ("del «r[0].a»", "`del r[0].a` is not supported in a kernel; elements stay"),
    ("«def inner(a):»\n    return a + m[0, 0]\nx[0] = inner(1)", "the function inside reads 'm', which is not known when the kernel is compiled"),
    ("@len\n«def inner(a):»\n    return a\nx[0] = inner(1)", "such a function inside of a kernel is not supported; write it outside, with"),
    ("«def inner(a, b=n):»\n    return a\nx[0] = inner(1)", "defaults of a function inside a kernel must be constants"),
    ("x[0] = «LIST[0]»", "list([1, 2, 3]) has no elements in a kernel; write it as a tuple or as a NumPy array"),
    ("x[0] = «DICT[1]»", "dict({1: 2}) has no elements in a kernel; write it as a tuple or as a NumPy array"),
    ("«kernel[1, 1]»(x)", "Dispatcher(kernel) has no elements in a kernel; a kernel cannot launch another one"),
    ("«x.foo» = 3", "`x.foo = ...` is not supported in a kernel"),
    ("«x.shape» = 3", "`x.shape = ...` is not supported in a kernel"),
    ("«math.pi» = 3", "`math.pi = ...` is not supported in a kernel"),
    ("«try:»\n    x[0] = 1\nexcept ValueError:\n    pass", "`try` is not supported in a kernel; test what may fail before it does"),
    ("«import math»", "`import` is not supported in a kernel; import it at the head of the file"),
    ("«from math import pi»", "`import` is not supported in a kernel; import it at the head of the file"),
    ("match x[0]:\n    case «{1: 2}»:\n        pass", "the pattern `{1: 2}` is not supported in a kernel; write if and elif"),
    ("n = 1\nx[0] = n + («n := 3»)", "'n' is read before `(n := 3)` in one expression; write the assignment on a line of its own"),
    ("n = 1\nx[n] += («n := 0»)", "'n' is read before `(n := 0)` in one expression; write the assignment on a line of its own"),
    ("x[0] = sum(«[i for i in range(3)]»)", "`[i for i in range(3)]` is not supported in a kernel; write a loop"),
    ("x[0] = sum«(i for i in range(3))»", "`(i for i in range(3))` is not supported in a kernel; write a loop"),
    ("d = «{1: 2}»", "`{1: 2}` is not supported in a kernel; write a tuple, or an array"),
    ("d = «{1, 2}»", "`{1, 2}` is not supported in a kernel; write a tuple, or comparisons"),
    ("x[0] = («lambda a: a + m[0, 0]»)(3)", "the function inside reads 'm', which is not known when the kernel is compiled; pass it"),
    ("print(«f'{x[0]}'»)", "`f'{x[0]}'` is not supported in a kernel; print takes texts and numbers"),
    ("«async def f():»\n    pass", "`async def` is not supported in a kernel; write a function outside"),
    ("x[0] = («*x», 1)[0]", "`*x` is not supported in a kernel; write each value"),
    ("for i in range(3):\n    «yield i»", "`(yield i)` is not supported in a kernel; write into an array that the kernel is given"),
    ("«x[0] = " + " + ".join(["x[1]"] * 900) + "»", "this is nested too deeply; give parts of it names"),
]  # fmt: skip


@pytest.mark.parametrize("body, message", UNSUPPORTED, ids=map(str, range(len(UNSUPPORTED))))
def test_what_kernels_do_not_have(device, tmp_path, body, message):
    told(tmp_path, kernel(body), errors.UnsupportedError, message)


DEVICE = "@cuda.jit(device=True)\n"
CALLS = kernel("x[0] = f(x[0])")
# The whole text, kernel and all: what is wrong lies in functions, arguments or globals.
TEXTS = [
    ("T", DEVICE + "def f(a):\n    if a > 1:\n        return 1\n    «return a, a»\n" + CALLS, "it returns int64 elsewhere, and UniTuple(float64 x 2)"),
    ("T", DEVICE + "def f(a):\n    «return math»\n" + CALLS, "module(math) cannot be returned; a function returns numbers, tuples and arrays"),
    ("T", DEVICE + "def f(a):\n    «return 'a', a»\n" + CALLS, "str(a) would be part of a tuple; tuples that are kept"),
    ("T", DEVICE + "def f(a):\n    return «f(a)»\n" + CALLS, "the return type of this recursive call cannot be inferred; return a value where"),
    ("T", DEVICE + "def f(a):\n    return a + e(a)\n" + DEVICE + "def e(a):\n    return a + «f(a)»\n" + CALLS, "the return type of this recursive call"),
    ("T", DEVICE + "def f(a, n=1):\n    if n > 3:\n        return 1\n    return «f((a,), n + 1)»\n" + CALLS, "calls are nested more than 50 deep"),
    ("T", DEVICE + "def f(a, n=1):\n    if n > 3:\n        return 1\n    return f(«(a, a)», n + 1)\n" + CALLS, "a tuple of 1024 values is too large"),
    ("T", DEVICE + "def f(a):\n    «a[0]» = 1\n" + kernel("f((1, 2))"), "a tuple cannot be written to"),
    ("T", DEVICE + "def f(a):\n    «a[0]» = 1\n" + kernel("f(I)"), "this array is read-only"),
    ("T", DEVICE + "def f(n):\n    return «cuda.shared.array(n, int32)»[0]\n" + CALLS, "the shape of an array of the kernel's own must be known"),
    ("T", DEVICE + "def f(g, a):\n    return g(a)\n" + kernel("x[0] = «f(range(3), x[0])»"), "Range(...) cannot be passed"),
    ("T", DEVICE + "def f(a):\n    return a\n" + kernel("x[0] = «f()»"), "f takes 1 arguments, not 0"),
    ("T", DEVICE + "def f(a, b=1):\n    return a\n" + kernel("x[0] = «f(1, 2, 3)»"), "f takes 1 to 2 arguments, not 3"),
    ("U", DEVICE + "def f(a):\n    «yield a»\n" + CALLS, "`(yield a)` is not supported in a kernel"),
    ("U", DEVICE + "«def f(*a):»\n    return a[0]\n" + CALLS, "*args, **kwargs and keyword-only parameters are not supported in a kernel"),
    ("U", DEVICE + "«def f(a, *, b=1):»\n    return a\n" + CALLS, "*args, **kwargs and keyword-only parameters are not supported in a kernel"),
    ("U", DEVICE + "«async def f(a):»\n    return a\n" + CALLS, "`async def` is not supported in a kernel; write def"),
    ("U", kernel("«kernel(x, m, r, none, three)»"), "a kernel cannot call itself"),
    ("T", kernel("x[0] = «BIG»[0]"), "a global array of 100000 elements is too large to become part of a kernel; pass it as an argument"),
    ("T", kernel("x[0] = «OBJECTS»[0]"), "kernels do not support values of type object; convert to one of: bool,"),
    ("T", kernel("«I[0]» = 1"), "this array is read-only"),
    ("T", kernel("«cuda.const.array_like(I)[0]» = 1"), "this array is read-only"),
    ("T", kernel("a = I[2:]\n«a[0]» = 1"), "this array is read-only"),
    ("T", kernel("«cuda.atomic.add(I, 0, 1)»"), "this array is read-only"),
    ("T", "def f(a):\n    return [a]\n" + kernel("x[0] = «cuda.to_device(x)»"), "cuda.to_device cannot be called in a kernel"),
    ("U", "F4 = numba.float32\n" + kernel("x[0] = «F4[:]»"), "Float(float32) has no elements in a kernel; name the type of an array's elements"),
    ("T", "import functools\nB = functools.partial(helper, 1)\n" + kernel("x[0] = «B(1)»"), "functools.partial("),
    ("T", kernel("x[0] = «np.finfo(np.float32)».eps"), "numpy.finfo cannot be called in a kernel"),
    ("T", kernel("x[0] = «np.sort(x)»"), "numpy.sort cannot be called in a kernel; a kernel works on one element at a time: write a loop"),
    ("T", kernel("x[0] = «cuda.random.xoroshiro128p_uniform_float32(x, 0)»"), "xoroshiro128p_uniform_float32 does not take (array(float64,"),
    ("T", kernel("x[0] = «x[0].foo»"), "float64 has no attribute 'foo' in a kernel"),
    ("T", kernel("«nothing(x) if x[0] else None»"), "a value of type none is not supported in a kernel; write if and else"),
    ("T", kernel("f = «helper if x[0] else helper»"), "a value of type DeviceFunction(helper) is not supported in a kernel"),
    ("T", kernel("x[0] = «y»\ny = 3"), "'y' is used before it has a value"),
    ("T", "y = 1\n" + kernel("x[0] = «y»\ny = 3"), "'y' is used before it has a value"),
    ("T", kernel("for i in range(3):\n    x[0] = «y»\nx[1] = 1"), "the name 'y' is not defined"),
    ("T", kernel("for i in range(3):\n    x[0] = «y»\n    y = y + 1"), "'y' is used before it has a value"),
    ("T", kernel("x[0] = «numba»y.a").replace("numba»y", "nunpy»"), "the name 'nunpy' is not defined"),
    ("T", "import enum\nclass E(enum.Enum):\n    a = 3\n\n" + kernel("«x[0]» = E.a"), "Enum<int64>(E) cannot be written into an element of type float64"),
]  # fmt: skip


@pytest.mark.parametrize("kind, text, message", TEXTS, ids=map(str, range(len(TEXTS))))
def test_functions_and_globals(device, tmp_path, kind, text, message):
    told(tmp_path, text, {"T": errors.TypingError, "U": errors.UnsupportedError}[kind], message)


def test_names_around_a_kernel(device):
    """What a function inside of another names has no value yet; a wrapper is read as itself, not as what it wraps."""

    @cuda.jit
    def kernel(x):
        x[0] = later

    def wrapped(x):
        x[0] = 1

    @cuda.jit
    @functools.wraps(wrapped)
    def wrapper(*args):
        wrapped(*args)

    with pytest.raises(errors.TypingError, match="the name 'later' is not defined"):
        kernel[1, 1](np.zeros(1))
    with pytest.raises(errors.UnsupportedError, match=r"wrapped\] \*args, \*\*kwargs and keyword-only parameters are not supported"):
        wrapper[1, 1](np.zeros(1))
    later = 3
    x = np.zeros(1)
    kernel[1, 1](x)
    assert x[0] == later


def test_types_that_do_not_converge(device, tmp_path, monkeypatch):
    """A type goes through a chain of variables by one name in each round; forty are no trouble."""
    lines = ["for _ in range(41):", *[f"    v{i} = v{i + 1}" for i in range(40)], "    v40 = x[0]", "x[1] = v0"]
    text = "\n".join([*[f"v{i} = 0" for i in range(41)], *lines])
    x = np.array([2.5, 0])
    module_of(tmp_path, HEAD + "@cuda.jit\ndef kernel(x):\n" + textwrap.indent(text, "    ") + "\n").kernel[1, 1](x)
    assert x[1] == 2.5
    monkeypatch.setattr("quern.kernel.function.MOST_WALKS", 2)
    told(
        tmp_path, "@cuda.jit\n«def kernel(x, m, r, none, three):»\n" + textwrap.indent(text, "    "), errors.TypingError, "the types of its"
    )


def test_what_a_round_leaves_for_the_next(device, tmp_path):
    text = """@cuda.jit(device=True)
def factorial(n):
    if n > 1:
        return n * factorial(n - 1)
    return 1


@cuda.jit
def kernel(x):
    for i in range(3):
        if i > 0:
            x[i] = before
            twice = before * 2
        before = i + 0.5
    x[3] = twice
    x[4] = factorial(5)
"""
    x = np.zeros(5)
    module_of(tmp_path, text).kernel[1, 1](x)
    np.testing.assert_array_equal(x, [0, 0.5, 1.5, 3, 120])


def test_no_value_at_a_functions_end(device, tmp_path):
    """Python returns None, which has no number: it is 0, not whatever lies there."""
    text = """
@cuda.jit(device=True)
def real(a):
    if a > 1:
        return 1.5

@cuda.jit(device=True)
def whole(a):
    if a > 1:
        return 7

@cuda.jit(device=True)
def raises(a):
    if a > 1:
        return np.uint64(7)
    raise ValueError("too small")

@cuda.jit(device=True)
def pair(a):
    if a > 1:
        return a, 7

@cuda.jit
def kernel(x, out):
    for i in range(x.size):
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = real(x[i]), whole(x[i]), raises(x[i]), pair(x[i])[1]
"""
    out = np.ones((2, 4))
    module_of(tmp_path, text).kernel[1, 1](np.array([0.0, 2.0]), out)
    np.testing.assert_array_equal(out, [[0, 0, 0, 0], [1.5, 7, 7, 7]])


def test_calls_that_return_nothing_happen(device, tmp_path):
    text = """
@cuda.jit(device=True)
def count(x):
    x[0] += 1
@cuda.jit
def kernel(x, none):
    none
    if count(x):
        x[1] = 1
    x[2] = not count(x)
    x[3] = count(x) is None
    return count(x)
"""
    x = np.zeros(4)
    module_of(tmp_path, text).kernel[1, 1](x, None)
    np.testing.assert_array_equal(x, [4, 0, 1, 1])


def test_constants(device, tmp_path):
    """NaN, infinities, booleans and members of an IntEnum."""
    text = """import enum
class E(enum.IntEnum):
    a = 3
@cuda.jit
def kernel(x, single):
    x[0], x[1], x[2] = math.nan, math.inf, -math.inf
    x[3] = math.erf(True) + cuda.ffs(True)
    x[True + 3] = E.a
    x[False + 5] = np.left_shift(True, True) + np.bitwise_and(True, 3)
    single[0], single[1] = np.nan, np.inf
"""
    x, single = np.zeros(6), np.zeros(2, "f4")
    module_of(tmp_path, text).kernel[1, 1](x, single)
    np.testing.assert_allclose(x, [np.nan, np.inf, -np.inf, math.erf(True) + 1, 3, 3], rtol=1e-15)
    np.testing.assert_array_equal(single, [np.nan, np.inf])


def test_an_index_that_is_true(device, tmp_path):
    x = np.zeros(3)
    module_of(tmp_path, "@cuda.jit\ndef kernel(x):\n    x[True] = 1\n    cuda.atomic.add(x, True, 1)\n").kernel[1, 1](x)
    np.testing.assert_array_equal(x, [0, 2, 0])


def test_shared_memory_that_a_gpu_does_not_have(device, tmp_path):
    """The CPU has as much as a GPU's largest block; NVIDIA's assembler takes 49152 bytes."""
    text = "@cuda.jit\ndef kernel(x, m, r, none, three):\n    s = «cuda.shared.array(20000, int32)»\n    s[int(x[1])] = 7\n    cuda.syncthreads()\n    x[0] = s[int(x[2])]\n"
    message = "the device has 49152 bytes for the shared arrays of a kernel; ask for it at the launch"
    if device.kind != "cpu":
        return told(tmp_path, text, errors.KernelError, message)
    x = np.zeros(8)
    module_of(tmp_path, HEAD + text.replace("«", "").replace("»", "")).kernel[1, 1](x, x, np.zeros(1, RECORD), None, (1,))
    assert x[0] == 7


def test_a_local_array_does_not_outlive_its_function(device, tmp_path):
    """One that is shared by the block does."""
    text = "@cuda.jit\ndef {0}():\n    a = cuda.{1}.array(4, np.int32)\n    a[0] = 7\n    return a\n@cuda.jit\ndef kernel(x):\n    x[0] = {0}()[0]\n"
    x = np.zeros(1)
    module_of(tmp_path, text.format("together", "shared")).kernel[1, 1](x)
    assert x[0] == 7
    with pytest.raises(errors.UnsupportedError, match="it returns a local array, which ends with the call; pass the function an array"):
        module_of(tmp_path, text.format("own", "local")).kernel[1, 1](x)


def test_sources_that_cannot_be_read(device):
    scope = {}
    exec("def f(x): x[0] = 1", scope)
    with pytest.raises(errors.UnsupportedError, match="write it into a file, not at the prompt"):
        cuda.jit(scope["f"])[1, 1](np.zeros(1))
    for made in (print, np.sin, functools.partial(print), type("A", (), {})):
        for decorator in (cuda.jit, numba.njit, numba.vectorize, cuda.reduce, numba.guvectorize(["void(f8[:], f8[:])"], "(n)->(n)")):
            with pytest.raises(TypeError, match="a function written in Python is needed, not"):
                decorator(made)


@cuda.jit(device=True)
def plus(a, b):
    return a + b


@cuda.jit
def kernel_of_one(x):
    x[0] = 1


def nothing_at_all(x):
    pass


@numba.vectorize
def added(a, b):
    return a + b


X, RECORDS = np.zeros(8), np.zeros(4, RECORD)
# What is called, the error's type, how its message begins (after where a kernel's place is).
CALLS_OF_THE_HOST = [
    # Decorators and their options.
    (lambda: cuda.jit(foo=3), TypeError, "[jit] unrecognized option foo"),
    (lambda: cuda.jit(launch_bounds="a")(nothing_at_all), TypeError, "[jit] launch_bounds must be a number of threads or a tuple of up to three"),
    (lambda: cuda.jit(launch_bounds=True)(nothing_at_all), TypeError, "[jit] launch_bounds must be a number of threads or"),
    (lambda: cuda.jit(launch_bounds=2**40)(nothing_at_all), TypeError, "[jit] launch_bounds must be a number of threads or"),
    (lambda: cuda.jit(launch_bounds=-4)(nothing_at_all), TypeError, "[jit] launch_bounds must be a number of threads or"),
    (lambda: cuda.jit(launch_bounds=(1, 2, 3, 4))(nothing_at_all), TypeError, "[jit] launch_bounds must be a number of threads or"),
    (lambda: cuda.jit(max_registers="a")(nothing_at_all), TypeError, "[jit] max_registers must be a non-negative integer, not 'a'"),
    (lambda: cuda.jit(max_registers=-1)(nothing_at_all), TypeError, "[jit] max_registers must be a non-negative integer, not -1"),
    (lambda: cuda.jit(link=3)(nothing_at_all), TypeError, "[link] expected a path, CUSource, PTXSource or another linkable object, not int"),
    (lambda: cuda.jit(extensions=[3])(nothing_at_all), TypeError, "[jit] an extension has a method prepare_args"),
    (lambda: cuda.jit(extensions=3)(nothing_at_all), TypeError, "[jit] an extension has a method prepare_args"),
    (lambda: cuda.jit("float64(float64)")(nothing_at_all), TypeError, "[nothing_at_all] CUDA kernel must have void return type"),
    (lambda: numba.guvectorize("(n)->(n)", 3), TypeError, "[guvectorize] it is called as guvectorize(signatures, layout)"),
    # Signatures.
    *[
        (lambda text=text: cuda.jit(text)(nothing_at_all), TypeError, f"[signature] {text!r} is not a signature; write it as 'void(float32[:], int32)'")
        for text in ("void(", "", "void(float32[:", "void(f4, x=3)", 3, "\0")
    ],
    *[
        (lambda text=text: cuda.jit(f"void({text})")(nothing_at_all), TypeError, f"[signature] {text!r} is not a type, in {f'void({text})'!r}")
        for text in (
            *("float32[1:]", "float32[::2]", "float32[::x]", "float32[:, ::'a']", "f4 + 3", "*f4", "f4[3]", "UniTuple(f4, x)", "UniTuple(f4, -1)"),
            *("Array(f4, 1, 'Q')", "Array(f4, -1, 'C')", "Array(f4, 'a', 'C')", "Array(f4, 1, C)", "Array(f4, 1)", "Tuple(f4)", "foo(f4)", "3"),
        )
    ],
    (lambda: cuda.jit("void(foo[:])")(nothing_at_all), TypeError, "[signature] unknown type 'foo' in 'void(foo[:])'"),
    (lambda: cuda.jit(("f4", 3))(nothing_at_all), TypeError, "[signature] 3 is not a type: "),
    (lambda: cuda.jit(("f4", "f4("))(nothing_at_all), TypeError, "[signature] 'f4(' is not a type"),
    (lambda: numba.float32[3], KeyError, "'an array type is written float32[:] or float32[:, ::1], not with 3"),
    (lambda: numba.float32[::2], KeyError, "'an array type is written float32[:] or float32[:, ::1], not with slice(None, None, 2)"),
    (lambda: numba.void[:], TypeError, "none has no arrays"),
    (lambda: numba.typeof([]), signatures.NoType, "Cannot determine Numba type of <class 'list'>: a list; kernels accept"),
    # Launches; the others are in test_kernel_launch.py.
    (lambda: kernel_of_one.forall(-1), ValueError, "Can't create ForAll with negative task count: -1"),
    (lambda: kernel_of_one.forall(3, tpb=-1), ValueError, "[forall] tpb, the number of threads of a block, must be non-negative, not -1"),
    (lambda: kernel_of_one.forall("a"), TypeError, "[forall] ntasks and tpb must be integers, not 'a' and 0"),
    (lambda: kernel_of_one.forall(3, tpb="a"), TypeError, "[forall] ntasks and tpb must be integers, not 3 and 'a'"),
    (lambda: plus(1, 2), RuntimeError, "[plus] a device function is called by kernels; its Python function is plus.py_func"),
    (lambda: plus[1, 1](X), RuntimeError, "[plus] Cannot compile a device function as a kernel; leave out device=True"),
    # Functions for the host.
    (lambda: numba.njit(lambda x: (1, x[0]))(RECORDS), errors.UnsupportedError, "it returns Record("),
    (lambda: numba.njit(lambda x: cuda.float32x2(1, 2))(1), errors.UnsupportedError, "it returns float32x2; a compiled function returns"),
    (lambda: numba.njit(lambda x: "a")(1), errors.TypingError, "str(a) cannot be returned; a function returns numbers"),
    (lambda: cuda.jit("i4(c16)", device=True)(lambda x: x), errors.TypingError, "it returns complex128, and its signature says int32"),
    (lambda: cuda.jit("none(f4)", device=True)(lambda x: x), errors.TypingError, "it returns float32, and its signature says none"),
    (lambda: cuda.jit(lambda x: x).compile_device(("c16",), "f4"), errors.TypingError, "it returns complex128, and its signature says float32"),
    (lambda: cuda.compile(plus, "f4(c16, c16)"), errors.TypingError, "it returns complex128, and its signature says float32"),
    (lambda: cuda.compile(plus, "f4(f4, f4)", output="foo"), NotImplementedError, "[compile] unsupported output 'foo'; it is 'ptx'"),
    (lambda: cuda.compile(lambda x: x[0], "f4(UniTuple(f4, 2))"), NotImplementedError, "[compile] UniTuple(float32 x 2) has no C type"),
    (lambda: cuda.compile(3, "f4(f4)"), TypeError, "[compile] a function written in Python is needed, not 3"),
    (lambda: cuda.declare_device("1f", "f4(f4)"), TypeError, "[declare_device] '1f' is not the name of a C++ function"),
    (lambda: cuda.declare_device(3, "f4(f4)"), TypeError, "[declare_device] 3 is not the name of a C++ function"),
    # vectorize and reduce.
    (lambda: added(X, X, out=3), TypeError, "[added] out must be an array, not a int"),
    (lambda: added(X, X, out=(X, X)), TypeError, "[added] out must be an array, not a tuple"),
    (lambda: added(None, X), TypeError, "[added] the arguments of a vectorized function must be scalars, not none"),
    (lambda: numba.vectorize(lambda x: (x, x))(X), errors.TypingError, "it must return a number, not UniTuple(float64 x 2)"),
    (lambda: numba.vectorize(lambda x: None)(X), errors.TypingError, "it must return a number, not none"),
    (lambda: numba.vectorize(["i4(c16)"])(lambda x: x), errors.TypingError, "it returns complex128, and its signature says int32"),
    (lambda: numba.vectorize(["f8(f8, f8)"], identity="a")(lambda x, y: x), ValueError, "[<lambda>] identity must be a number, 'reorderable' or"),
    (lambda: numba.vectorize(lambda x: x).reduce(X), ValueError, "[<lambda>] reduce only supported for binary functions; this one takes 1"),
    (lambda: numba.vectorize(lambda x, y: (x, y)).reduce(X), errors.TypingError, "it must return a number, not UniTuple(float64 x 2)"),
    (
        lambda: numba.vectorize([], target="cuda")(lambda x, y: (x, y)).reduce(X),
        errors.TypingError,
        "it folds numbers of float64 and returns UniTuple(float64 x 2)",
    ),
    (lambda: added.reduce(X, out=np.zeros(3)), ValueError, "[added] the result has shape (), and `out` (3,)"),
    (lambda: cuda.reduce(lambda a, b: a - b)([1, 2]), TypeError, "[lambda] an array is reduced, not a list; numpy.asarray() makes one"),
    (lambda: cuda.reduce(lambda a, b: a - b)(np.zeros((2, 2))), TypeError, "[lambda] only arrays of one dimension are reduced, not of 2"),
    # Memory.
    (lambda: cuda.pinned_array(3, "O"), TypeError, "[array] object contains Python objects, which device memory cannot hold"),
    (lambda: cuda.managed_array(3, "O"), TypeError, "[array] object contains Python objects, which device memory cannot hold"),
    (lambda: cuda.mapped_array(3, [("a", "O")]), TypeError, "[array] [('a', 'O')] contains Python objects"),
    (lambda: cuda.to_device(np.zeros(3, [("a", "O")])), UnsupportedDType, "Unsupported dtype [('a', 'O')]: it contains Python objects"),
    (lambda: len(cuda.device_array((), RECORD)), TypeError, "len() of unsized object"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, message", CALLS_OF_THE_HOST, ids=map(str, range(len(CALLS_OF_THE_HOST))))
def test_the_host(device, no_fallback, call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    lines = str(caught.value).split("\n")
    if isinstance(caught.value, errors.KernelError):
        assert len(lines) == 3 and lines[0].startswith(__file__) and "^" in lines[2]
        lines[0] = lines[0].split("] ", 1)[1]
    assert lines[0].startswith(message)


def test_too_much_shared_memory_is_reported(device, monkeypatch, tmp_path):
    """What NVIDIA's assembler says of it, as an engine that has one would."""

    def build(*args, **named):
        raise CompileError("ptxas error   : Entry function 'kernel' uses too much shared data (0x13880 bytes, 0xc000 max)")

    monkeypatch.setattr(dispatcher._engine, "build", build)
    text = "@cuda.jit\ndef kernel(x, m, r, none, three):\n    a = cuda.shared.array(5, int32)\n    s = «cuda.shared.array(20000, int32)»\n"
    told(tmp_path, text, errors.KernelError, "the device has 49152 bytes for the shared arrays of a kernel; ask for it at the launch")


@pytest.mark.parametrize("now", ["y = 1\n", "    y = (\n", "def other(x):\n    pass\n"])
def test_a_file_that_has_changed(device, tmp_path, now):
    module = module_of(tmp_path, "@cuda.jit\ndef kernel(x):\n    x[0] = 1\n")
    pathlib.Path(module.__file__).write_text(now * 20)
    linecache.clearcache()
    with pytest.raises(errors.KernelError, match="there is no function of that name any more; import the file again|cannot be read"):
        module.kernel[1, 1](np.zeros(1))


def test_a_fault_of_quern_is_reported_as_one(device, monkeypatch, tmp_path):
    """Text that no compiler takes comes from a fault in the tables alone: here from one that the test makes."""
    monkeypatch.delenv("QUERN_KEEP_TEXTS", raising=False)  # which are to compile
    monkeypatch.setitem(operators.BINARY, ast.LShift, ("<<", "no_such_function", operator.lshift))
    with pytest.raises(InternalError, match="quern generated C\\+\\+ source that does not compile; this is a bug in quern, please report it"):
        module_of(tmp_path, "@cuda.jit\ndef kernel(x):\n    x[0] = x[0] << x[1]\n").kernel[1, 1](np.zeros(2, "i8"))
