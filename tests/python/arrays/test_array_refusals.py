"""What NumPy refuses is refused, with its exception and at once; what it takes is taken. And what failed leaves nothing behind."""

import gc
import struct
import weakref

import numpy as np
import pytest
import quern as qn
from quern import cuda, pycuda  # noqa: F401
from quern import cupy as cp

pytestmark = pytest.mark.usefixtures("quiet")

CASES = """
x = m.arange(3.); x @= x
x = m.ones((2, 3)); x @= m.ones((3, 3)); x
x = m.ones((3, 3)); x @= m.ones(3)
x = m.ones(3); x @= m.ones((3, 3)); x
x = m.ones((3, 2)); x @= m.ones((2, 3))
x = m.ones((3, 3), dtype=int); x @= m.ones((3, 3))
x = m.ones((3, 3)); x @= m.ones((2, 3, 3))
m.einsum('ii->i', m.ones((3, 1)))
m.einsum('ii', m.ones((1, 3)))
m.einsum('iij->j', m.ones((3, 1, 2)))
m.einsum('ij,ij->ij', m.ones((3, 1)), m.ones((3, 4)))
m.einsum('ii,i->i', m.ones((1, 1)), m.ones(3))
m.einsum('ij,jk->ik', m.ones((2, 1)), m.ones((3, 2)))
a = m.zeros(3, dtype='i2'); m.place(a, m.asarray([True, False, True]), m.asarray([1.5]))
a = m.zeros(3, dtype='i2'); m.place(a, m.asarray([True, False, True]), m.asarray([1]))
a = m.zeros(3, dtype='f4'); m.place(a, m.asarray([True, False, True]), m.asarray([1.5]))
a = m.zeros(3, dtype='i8'); m.place(a, m.asarray([True, False, True]), m.asarray([1, 2], dtype='i2')); a
a = m.zeros(3, dtype='i2'); m.place(a, m.asarray([True, False, True]), [1.5]); a
a = m.zeros(3, dtype='u1'); m.place(a, m.asarray([True, False, True]), [300])
a = m.zeros(3, dtype='f4'); m.place(a, m.asarray([True, False, True]), 2.5); a
a = m.zeros(3, dtype='i2'); m.putmask(a, m.asarray([True, False, True]), m.asarray([1]))
a = m.zeros(3, dtype='i4'); m.putmask(a, m.asarray([True, False, True]), m.asarray([1]))
a = m.zeros(3, dtype='u8'); m.putmask(a, m.asarray([True, False, True]), m.asarray([1]))
a = m.zeros(3, dtype='f4'); m.putmask(a, m.asarray([True, False, True]), m.asarray([1.5]))
a = m.zeros(3, dtype='i2'); m.putmask(a, m.asarray([True, False, True]), [1.5]); a
a = m.zeros(3, dtype='i2'); m.putmask(a, m.asarray([True, False, True]), 70000)
a = m.zeros(3, dtype='f4'); m.putmask(a, m.asarray([True, False, True]), 2.5); a
a = m.zeros(3, dtype='i8'); m.putmask(a, m.asarray([True, False, True]), m.asarray([1, 2], dtype='i2')); a
a = m.zeros(3, dtype='i8')[:0]; a ** -1
m.power(m.zeros((0, 3), dtype='i8'), m.full((1, 3), -1))
m.power(m.zeros((0, 3), dtype='i8'), m.full(24, -1))
m.arange(3) ** -1
a = m.arange(4.); a[a > 1] = m.ones((1, 2))
a = m.arange(4.); a[a > 1] = m.ones((2, 1))
a = m.arange(4.); a[a > 1] = m.ones((1, 1))
a = m.ones((2, 2)); a[a > 1] = m.ones((2, 2))
a = m.arange(6.).reshape(2, 3); a[a > 1] = [[1, 2, 3, 4]]
a = m.arange(4.); a[a > 1] = m.ones(3)
a = m.arange(4.); a[a > 1] = m.ones(2); a
a = m.arange(4.); a[a > 1] = m.asarray([7.]); a
m.trim_zeros(m.asarray([0, 1, 2, 0]))
m.trim_zeros(m.asarray([0, 1, 2, 0]), 'f')
m.trim_zeros(m.zeros(3))
m.trim_zeros(m.asarray([0, 1]), 'x')
m.trim_zeros(m.eye(4)[:3] * m.asarray([0, 1, 1, 0]))
m.trim_zeros(m.eye(3) * m.asarray([0, 1, 0]), axis=1)
m.zeros(0, dtype='i1').view('u2')
m.zeros((0, 3), dtype='i1').view('u2')
m.zeros((3, 0), dtype='i1').view('u2')
m.zeros((4, 4), dtype='i4')[:0, ::2].view('i8')
m.compress([True, False, True], m.ones((2, 0)), 0)
m.compress([True, False, True], m.ones((0, 2)), 0)
m.compress([True, False, True], m.ones((0, 3)), 1)
m.compress([False, False, False], m.ones((2, 0)), 0)
m.compress([True, True], m.zeros(0))
m.compress([False, False, True], m.arange(2))
x = m.ones(3, dtype='i4'); m.add(x, m.ones(2), out=x)
x = m.ones(3, dtype='i4'); m.add(x, 1.5, out=x, where=m.ones(2, dtype=bool))
x = m.ones(3, dtype='i4'); m.add(x, m.ones((2, 3)), out=x)
x = m.ones(3); m.add(x, m.ones((2, 3)), out=x, where=m.ones(3, dtype=bool))
m.add(m.ones(2), m.ones(3), out=m.ones(3, dtype='i4'))
m.nanpercentile(m.zeros(0, dtype=int), 50)
m.nanpercentile(m.zeros(0, dtype=int), [50, 20])
m.nanquantile(m.zeros((0, 3), dtype=int), 0.5, axis=0)
m.nanquantile(m.zeros((0, 3), dtype=int), 0.5, axis=1)
m.nanpercentile(m.zeros(0, dtype=int), 101)
m.nanpercentile(m.zeros((0, 3), dtype='f4'), [50, 20], axis=0)
m.nanpercentile(m.zeros(0, dtype=int), 50, keepdims=True)
m.quantile(m.arange(4), np.zeros((2, 2, 2)))
m.quantile(m.zeros((0, 3), dtype=int), 0.5, axis=1)
m.moveaxis(m.ones((2, 3)), [0, 1], [1, 1])
m.moveaxis(m.ones((2, 3)), [0, 0], [0, 1])
m.squeeze(m.ones((1, 2)), axis=(0, 0))
a = m.zeros(3); a.fill(m.ones(1))
a = m.zeros(3); a.fill([1])
a = m.zeros(3); a.fill(2); a
a = m.zeros((3, 4)); m.copyto(a, m.ones((1, 1, 3, 4))); a
a = m.zeros((2, 3, 4)); m.copyto(a, m.ones((1, 2, 1, 4))); a
a = m.zeros(3); m.copyto(a, 1, where=4); a
a = m.zeros(3, dtype='u1'); a[a == 0] = 300
a = m.zeros(3, dtype='u1'); a[a == 0] = -1.25
a = m.zeros(3, dtype='i8'); a[a == 0] = float('inf')
a = m.zeros(3, dtype='u1'); a[a == 0] = np.float64(300); a
a = m.zeros(3, dtype='i4'); a[a == 0] = 1 + 2j
a = m.zeros(3, dtype='i4'); a[[0, 1]] = 1 + 2j
a = m.zeros(3, dtype='?'); a[a == 0] = 1j; a
a = m.zeros(3, dtype='u1'); a[...] = [300]
a = m.zeros(3, dtype='u1'); a[:2] = (-1.25, 1)
a = m.zeros(3, dtype='i2'); a[[0, 1]] = [1, float('nan')]
a = m.zeros(3, dtype='f4'); a[:2] = [1, 1j]
a = m.zeros(3, dtype='f2'); a[...] = [[1, 2, 3]]
a = m.zeros((1, 3)); a[...] = [[1, 2, 3]]; a
a = m.zeros(()); a[...] = [1]
a = m.zeros(3); a[[0, 1]] = [[1, 2]]; a
a = m.zeros((0, 3)); m.put(a, [0], [])
a = m.zeros(0, dtype='u1'); m.put(a, [0], [-2])
a = m.zeros(0); m.put(a, [], [1]); a
a = m.broadcast_to(m.zeros(3), (2, 3)); m.place(a, a > 1, [1])
a = m.broadcast_to(m.zeros(3), (0, 3)); m.putmask(a, a > 1, 1)
a = m.broadcast_to(m.zeros(3), (2, 3)); m.put(a, [], [1])
a = m.zeros(3, dtype='f2'); m.putmask(a, a == 0, m.asarray(1, dtype='f4'))
a = m.zeros(3, dtype='f2'); m.putmask(a, a == 0, m.ones(3, dtype='f4').sum()); a
a = m.zeros(3, dtype='u2'); m.copyto(a, -2, where=a == 0)
a = m.zeros(3, dtype='u2'); m.copyto(a, 70000, where=False)
a = m.zeros(3, dtype='u2'); m.copyto(a, 70000, casting='unsafe')
a = m.zeros(3, dtype='u2'); m.copyto(a, 1e9, casting='unsafe'); a
a = m.zeros(3, dtype='u2'); m.copyto(a, -1.5, where=a == 0, casting='unsafe'); a
a = m.zeros(3, dtype='f4'); m.copyto(a, 1j, casting='unsafe'); a
a = m.zeros(3, dtype='?'); m.copyto(a, 2, where=[True, False, True])
m.take(m.zeros((0, 3)), [0], 0)
m.take(m.zeros((0, 0)), [0, 5], 0)
m.take(m.zeros((3, 0)), [[0, 5]], 1)
m.compress([False, False, True], m.zeros((0, 0)), -1)
m.compress([False, True], m.asarray(3) + 1, -1)
m.compress([True], m.asarray(3), -1)
m.compress([True], m.asarray(3), 1)
m.compress([True, False, True], m.ones((0, 1)), -1)
m.zeros(1).reshape((1,) * 65)
m.ones((1,) * 65)
m.arange(6).reshape(2, 3).T.reshape(6, copy=False)
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_as_numpy(device, case):
    answers = []
    for m in (np, qn):
        *lines, last = case.split("; ")
        names = {"m": m, "np": np}
        try:
            if "=" in last.split("(")[0]:
                lines.append(last)
                last = "None"
            for line in lines:
                exec(line, names)
            value = eval(last, names)
            answers.append(value if value is None else (np.asarray(value).tolist(), np.asarray(value).dtype, np.asarray(value).shape))
        except Exception as error:
            answers.append(next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins"))
    assert repr(answers[1]) == repr(answers[0])


def test_trimmed_zeros_are_a_view(device):
    x = qn.asarray([0, 0, 1, 2, 0])
    qn.trim_zeros(x)[:] = 9
    assert x.tolist() == [0, 0, 9, 9, 0]


@pytest.mark.parametrize("rows", [3, 3000])
def test_what_was_refused_leaves_nothing_behind(device, rows):
    negative = qn.asarray(np.full((rows, 8), -1))
    with pytest.raises(ValueError, match="broadcast"):
        qn.power(qn.zeros((0, 3), "i8"), negative)
    with pytest.raises(TypeError, match="Cannot cast"):
        qn.power(qn.asarray(np.full((rows, 8), 2)), negative, out=qn.zeros((rows, 8), "u1"))
    with pytest.raises(ValueError, match="broadcast"):
        qn.power(qn.asarray(np.full((rows, 8), 2)), negative, out=qn.zeros((rows, 4), "i8"))
    with pytest.raises(ValueError, match="broadcast"):
        qn.power(qn.asarray(np.full((rows, 8), 2)), negative, out=qn.zeros((1, 8), "i8"), where=qn.ones((rows, 8), bool))
    read_only = qn.zeros((rows, 8), "i8")
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        qn.power(qn.asarray(np.full((rows, 8), 2)), negative, out=read_only)
    assert (negative + 1).sum().item() == 0
    with pytest.raises(ValueError, match="negative integer powers"):
        qn.asnumpy(qn.power(qn.asarray(np.full((rows, 8), 2)), negative))


@pytest.mark.parametrize("make", [lambda: qn.arange(3), lambda: cp.arange(3), lambda: cuda.to_device(np.arange(3)), lambda: qn.arange(6)[::2]])
def test_weak_references(device, make):
    x = make()
    gone = []
    seen = weakref.ref(x, gone.append)
    assert seen() is x
    held = weakref.WeakValueDictionary(x=x)
    del x
    gc.collect()
    assert seen() is None
    assert len(gone) == 1
    assert "x" not in held


def test_prepared_arguments(device):
    from quern.pycuda import driver
    from quern.pycuda.compiler import SourceModule

    f = SourceModule("__global__ void put(int* x, int n) { x[0] = n; }").get_function("put")
    memory = driver.mem_alloc(4)
    out = np.zeros(1, np.int32)
    for value in (7, np.int64(8), True):
        f.prepare("Pi").prepared_call((1, 1), (1, 1, 1), memory, value)
        driver.memcpy_dtoh(out, memory)
        assert out[0] == value
    for wrong in (2.5, "a", None, 1 << 31, np.float32(1)):
        with pytest.raises(struct.error):
            f.prepared_call((1, 1), (1, 1, 1), memory, wrong)
    with pytest.raises(struct.error, match="pack expected 2 items"):
        f.prepared_call((1, 1), (1, 1, 1), memory)
    with pytest.raises(struct.error):
        f.prepared_call((1, 1), (1, 1, 1), 2.5, 1)
    f.prepare([np.intp, np.dtype("i4")]).prepared_call((1, 1), (1, 1, 1), int(memory), 9)
    driver.memcpy_dtoh(out, memory)
    assert out[0] == 9


@pytest.mark.parametrize("shape", [(), (3,), (0,)])
@pytest.mark.parametrize("number", [-2, 300000, 2.5, 1j, 7])
def test_copyto_under_a_mask_of_numbers_that_do_not_fit(device, shape, number):
    def outcome(m):
        x = m.zeros(shape, dtype="uint16")
        try:
            m.copyto(x, number, where=m.zeros(shape, dtype=bool))
        except (OverflowError, TypeError) as error:
            return type(error)
        return np.asarray(x).tolist() if m is np else qn.asnumpy(x).tolist()

    assert outcome(qn) == outcome(np)


@pytest.mark.parametrize("shape", [(0, 0, 2), (3, 0, 2), (2, 0, 0), (0, 0), (0, 3)])
def test_taking_from_an_empty_axis(device, shape):
    def outcome(m, f):
        try:
            return f(m, m.zeros(shape)).shape
        except IndexError:
            return IndexError

    for f in (lambda m, x: m.take(x, [0], 1), lambda m, x: m.compress([True], x, 1)):
        assert outcome(qn, f) == outcome(np, f)


@pytest.mark.parametrize("number, name", [(2.5, "float"), (2j, "complex"), (np.float32(1), "float32")])
def test_an_operation_that_has_no_such_types_names_them(device, number, name):
    with pytest.raises(TypeError, match=rf"\[gcd\] is not defined for operands of type int64, {name}; convert them with astype"):
        qn.gcd(qn.arange(3, dtype="int64"), number)


@pytest.mark.parametrize("text", ["a", b"a", bytearray(b"a")])
@pytest.mark.parametrize("value", [2, 2.0, [1, 2], [True]])
def test_texts_are_no_operands(device, value, text):
    """As in NumPy: an array of one integer is no number of repetitions, and its bytes are not joined."""
    x = qn.array(value)
    for call in (lambda: x + text, lambda: text + x, lambda: x * text, lambda: text * x):
        with pytest.raises(TypeError):
            call()
    for kind in (TypeError, ValueError) if isinstance(text, (str, bytes)) else ():  # others are buffers of uint8
        with pytest.raises(kind):
            x[...] = text
    with pytest.raises(TypeError):
        x += text
