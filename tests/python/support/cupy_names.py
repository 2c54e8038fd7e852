"""The tables of test_cupy_names.py: CuPy's names and a small call of each.

``COMPARED``: the calls that NumPy has too; both must give the same values, types and shapes. A template is formatted with each of its
names; `m` is the module (numpy or cupy), the arrays are those of arrays.py's `operands`. ``TRUE``: expressions that must be true of what
CuPy has alone; they may name the variables of `named` in test_cupy_names.py. ``RAISES``: what exists but needs what quern does not
support; it raises NotImplementedError.
"""

COMPARED = {
    "cupy": {
        "m.{}(g)": """abs absolute fabs sin cos tan arcsin asin arccos acos arctan atan sinh cosh tanh arcsinh asinh arccosh acosh
            arctanh atanh exp exp2 expm1 log log10 log1p log2 sqrt cbrt square sign signbit floor ceil trunc rint fix round around
            positive negative reciprocal degrees radians deg2rad rad2deg isnan isinf isfinite isneginf isposinf sinc i0 nan_to_num
            real imag angle conj conjugate iscomplex isreal iscomplexobj isrealobj real_if_close logical_not frexp modf ravel
            transpose permute_dims matrix_transpose fliplr flipud flip rot90 copy ndim shape size squeeze array asarray asanyarray
            ascontiguousarray asfortranarray asarray_chkfinite atleast_1d atleast_2d atleast_3d zeros_like ones_like sort argsort
            sort_complex argmax argmin max min amax amin sum prod mean std var median all any cumsum cumprod nancumsum nancumprod
            nanmax nanmin nansum nanprod nanmean nanstd nanvar nanmedian nanargmax nanargmin ptp diff ediff1d gradient count_nonzero
            nonzero argwhere flatnonzero tril triu diag diagonal diagflat trace unique cov corrcoef average require isfortran
            isscalar iterable common_type min_scalar_type array_repr array_str array2string unwrap trapezoid histogram
            unique_values unique_counts unique_inverse unique_all""",
        "m.{}(g, w)": """add subtract multiply divide true_divide power pow float_power maximum minimum fmax fmin mod remainder fmod
            floor_divide divmod arctan2 atan2 hypot copysign nextafter logaddexp logaddexp2 heaviside equal not_equal less less_equal
            greater greater_equal logical_and logical_or logical_xor isclose allclose array_equal array_equiv broadcast_arrays
            shares_memory may_share_memory dot inner result_type""",
        "m.{}(v, 3)": """gcd lcm bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift
            tile repeat roll""",
        "m.{}(v)": "invert bitwise_not bitwise_invert bitwise_count poly trim_zeros",
        "m.{}(u)": "bincount unpackbits packbits",
        "m.{}(v, w[:3])": "convolve correlate",
        "m.{}((v, v))": "concatenate concat stack vstack hstack dstack column_stack",
        "m.{}(v, [1, 3, 4])": "isin intersect1d union1d setdiff1d setxor1d append",
        "m.{}(v, 2)": "array_split split argpartition",
        "m.{}(g, 2, axis=1)": "partition",
        "m.{}(q, 1)": "hsplit vsplit dsplit expand_dims",
        "m.{}(4)": "identity eye hanning hamming blackman bartlett tri arange ones zeros diag_indices tril_indices triu_indices",
        "m.{}(0, 5, 4)": "linspace logspace",
        "m.{}(w, v[:4])": "outer kron vdot polyadd polysub polymul polyval searchsorted",
        "m.{}(r, 0.5)": "quantile",
        "m.{}(r, 25)": "percentile",
        "m.{}((2, 3), 7.0)": "full",
        "m.{}(v[:3], w[:3])": "cross histogram2d",
    },
    "cupy.linalg": {
        "m.linalg.{}(s)": "cholesky inv pinv det slogdet cond matrix_rank eigvalsh norm matrix_transpose",
        "m.linalg.{}(s, one[:, 0])": "solve",
        "m.linalg.{}(s, 3)": "matrix_power",
        "m.linalg.{}(s, s)": "matmul",
        "m.linalg.{}(m.eye(6).reshape(2, 3, 2, 3) * 2)": "tensorinv",
        "m.linalg.{}(m.eye(6).reshape(2, 3, 2, 3) * 2, m.ones((2, 3)))": "tensorsolve",
        "m.linalg.{}(v[:3], v[3:])": "cross",
        "m.linalg.{}(s, one, rcond=None)[0]": "lstsq",
    },
    "cupy.fft": {
        "m.fft.{}(g[:2])": "fft ifft fft2 ifft2 fftn ifftn rfft rfft2 rfftn irfft irfft2 irfftn hfft ihfft fftshift ifftshift",
        "m.fft.{}(6, 0.5)": "fftfreq rfftfreq",
    },
    "cupy.ndarray": {
        "g.{}()": """all any argmax argmin argsort conj conjugate copy cumprod cumsum diagonal flatten max mean min nonzero prod ravel
            round squeeze std sum tobytes tolist trace transpose var __neg__ __pos__ __abs__ __len__ __copy__ byteswap""",
        "v.{}(3)": """__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __divmod__ __pow__ __and__ __or__ __xor__ __lshift__
            __rshift__ __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rdivmod__ __rand__ __ror__ __rxor__
            __rlshift__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __getitem__ item repeat take argpartition""",
        "v.__abs__().{}(2)": "__rpow__ __rrshift__",
        "v.{}()": "__invert__",
        "zero.{}()": "__bool__ __int__ __float__ __complex__",
        "zero.{}('')": "__format__",
        "g.{}": "T mT dtype itemsize nbytes ndim real imag shape size strides",
        "s.{}(s)": "dot __matmul__ __rmatmul__",
    },
}

# Calls of their own, a line each: the name, then what is compared with NumPy.
LINES = {
    "cupy": """
apply_along_axis: m.apply_along_axis(lambda x: x.sum(), 1, g)
apply_over_axes: m.apply_over_axes(m.sum, q, [0, 2])
astype: m.astype(g, 'float32')
base_repr: m.base_repr(11, 3)
binary_repr: m.binary_repr(11)
bool: m.bool is np.bool_
broadcast: m.broadcast(g, w).shape
broadcast_shapes: m.broadcast_shapes((3, 1), (4,))
broadcast_to: m.broadcast_to(w, (3, 4))
c_: m.c_[v, v]
can_cast: m.can_cast('int32', 'float64')
choose: m.choose(m.asarray([0, 1, 0]), [v[:3], v[3:]])
clip: m.clip(g, 0, 3)
compress: m.compress([True, False, True], g, axis=0)
copyto: x = m.zeros(4); m.copyto(x, w); x
cumulative_prod: m.cumulative_prod(v)
cumulative_sum: m.cumulative_sum(v, include_initial=True)
delete: m.delete(v, [1, 3])
diag_indices_from: m.diag_indices_from(m.zeros((3, 3)))
digitize: m.digitize(w, m.asarray([0.0, 1.0, 4.0]))
e: m.e
einsum: m.einsum('ij,kj->ik', g, g)
empty: m.empty((2, 3)).shape
empty_like: m.empty_like(f4).dtype
euler_gamma: m.euler_gamma
extract: m.extract(a > 2, a)
fill_diagonal: x = m.zeros((3, 3)); m.fill_diagonal(x, 4); x
finfo: float(m.finfo('float32').eps)
format_float_positional: m.format_float_positional(1.5)
format_float_scientific: m.format_float_scientific(1.5)
from_dlpack: m.from_dlpack(np.arange(3.0))
frombuffer: m.frombuffer(b'abcdefgh', 'uint8')
fromfunction: m.fromfunction(lambda i, j: i + j, (2, 3))
fromiter: m.fromiter(range(4), 'float64')
fromstring: m.fromstring('1 2 3', sep=' ')
full_like: m.full_like(g, 3)
get_printoptions: m.get_printoptions()['precision']
histogramdd: m.histogramdd(g, bins=2)[0]
iinfo: m.iinfo('int16').max
index_exp: m.index_exp[1:3, ...]
indices: m.indices((2, 3))
inf: m.inf
interp: m.interp(w, m.asarray([0.0, 4.0, 9.0]), m.asarray([1.0, 2.0, 0.0]))
isdtype: m.isdtype(np.dtype('f4'), 'real floating')
issubdtype: m.issubdtype('float32', m.floating)
ix_: m.ix_([0, 1], [1, 2])
kaiser: m.kaiser(5, 3.0)
ldexp: m.ldexp(w, 2)
lexsort: m.lexsort(m.stack([v, v[::-1]]))
mask_indices: m.mask_indices(3, m.triu)
matmul: m.matmul(g, g.T)
meshgrid: m.meshgrid(v, w)
mgrid: m.mgrid[0:3, 1:3]
mintypecode: m.mintypecode(['f', 'd'])
moveaxis: m.moveaxis(q, 0, 2).copy()
nan: np.isnan(m.nan)
ndindex: list(m.ndindex(2, 2))
newaxis: m.newaxis is None
ogrid: m.ogrid[0:3, 1:3]
pad: m.pad(g, 2, mode='edge')
pi: m.pi
piecewise: m.piecewise(w, [w < 1, w >= 1], [0.0, 5.0])
place: x = m.arange(6); m.place(x, x > 2, [7, 8]); x
poly1d: m.poly1d([1, 2, 3])(2)
polyfit: m.polyfit(m.asarray([0.0, 1.0, 2.0, 3.0]), m.asarray([1.0, 3.0, 7.0, 13.0]), 2)
printoptions: m.printoptions(precision=2).__enter__()['precision']
promote_types: m.promote_types('int8', 'float32')
put: x = m.arange(5); m.put(x, [0, 2], [-44, -55]); x
put_along_axis: x = m.zeros((2, 3)); m.put_along_axis(x, m.asarray([[0], [2]]), 9, axis=1); x
putmask: x = m.arange(6); m.putmask(x, x > 2, -1); x
r_: m.r_[v, 0, v]
ravel_multi_index: m.ravel_multi_index((m.asarray([0, 1]), m.asarray([2, 1])), (3, 4))
reshape: m.reshape(g, (4, 3))
resize: m.resize(v, (2, 5))
rollaxis: m.rollaxis(q, 2).copy()
roots: m.sort(m.roots(m.asarray([1.0, -3.0, 2.0])))
s_: m.s_[1:2]
select: m.select([w < 1, w > 4], [w, w * 2], 9.0)
set_printoptions: m.set_printoptions(precision=8)
swapaxes: m.swapaxes(q, 0, 2).copy()
take: m.take(g, [0, 2], axis=1)
take_along_axis: m.take_along_axis(g, m.argsort(g, 1), 1)
tensordot: m.tensordot(g, g.T, 1)
tril_indices_from: m.tril_indices_from(m.zeros((3, 3)))
triu_indices_from: m.triu_indices_from(m.zeros((3, 3)))
typename: m.typename('d')
unravel_index: m.unravel_index(m.asarray([3, 5]), (2, 3))
vander: m.vander(w, 3)
where: m.where(a > 2, a, -a)
""",
    "cupy.linalg": """
LinAlgError: m.linalg.LinAlgError is np.linalg.LinAlgError
eig: m.sort(m.linalg.eig(s)[0])
eigvals: m.sort(m.linalg.eigvals(s))
eigh: m.linalg.eigh(s)[0]
qr: m.abs(m.linalg.qr(s)[1])
svd: m.linalg.svd(s)[1]
""",
    "cupy.ndarray": """
__array__: callable(g.__array__)
__setitem__: x = g.copy(); x[1] = 5; x
__iter__: [int(x) for x in v]
__deepcopy__: g.__deepcopy__({})
__reduce__: __import__('pickle').loads(__import__('pickle').dumps(g)) + 0
astype: g.astype('float32')
base: (m.arange(4)[1:].base is None)
choose: m.asarray([0, 1, 0]).choose([v[:3], v[3:]])
clip: g.clip(0, 3)
compress: g.compress([True, False, True], axis=0)
dump: __import__('pickle').loads(g.dumps()).shape
dumps: len(g.dumps()) > 0
fill: x = m.zeros(3); x.fill(4); x
flags: (g.flags.c_contiguous, g.T.flags.f_contiguous)
partition: x = v.copy(); x.partition(2); m.sort(x)
put: x = m.arange(5); x.put([0, 2], [-44, -55]); x
reshape: g.reshape(4, 3)
searchsorted: w.copy().searchsorted(m.asarray([1.0, 5.0])).shape
sort: x = v.copy(); x.sort(); x
swapaxes: q.swapaxes(0, 2).copy()
view: f4.view('int32')
""",
}

# Those that change their first operand, and what they are computed with.
IN_PLACE = """__iadd__ __isub__ __imul__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__"""

# What NumPy does not have: expressions that must be true.
TRUE = {
    "cupy": """
ElementwiseKernel: cp.ElementwiseKernel('T x', 'T y', 'y = x + 1')(x).tolist() == [1, 2, 3, 4]
ReductionKernel: float(cp.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0')(x)) == 6
RawKernel: launched(cp.RawKernel(TWICE, 'twice'))
RawModule: launched(cp.RawModule(code=TWICE).get_function('twice'))
fuse: cp.fuse(lambda x: x * x)(x).tolist() == [0, 1, 4, 9]
ndarray: cp.ndarray((2, 3), 'f4').shape == (2, 3) and cp.ndarray((2, 3), order='F').strides == (8, 16)
ufunc: isinstance(cp.add, cp.ufunc)
asnumpy: type(cp.asnumpy(x)) is np.ndarray and cp.asnumpy([1, 2]).tolist() == [1, 2]
get_array_module: cp.get_array_module(x) is cp and cp.get_array_module(1, np.ones(2)) is np
is_available: cp.is_available() is True
fromDlpack: (cp.fromDlpack(x.toDlpack()) == x).all()
memoize: remembers(cp)
clear_memo: cp.clear_memo() is None
show_config: 'quern' in printed(cp.show_config)
get_default_memory_pool: cp.get_default_memory_pool().used_bytes() > 0
get_default_pinned_memory_pool: cp.get_default_pinned_memory_pool().n_free_blocks() >= 0
cuda: cp.cuda.Device(0).id == 0
exceptions: cp.exceptions.AxisError is np.exceptions.AxisError
fft: cp.fft.__name__.endswith('fft')
lib: cp.lib.__name__ == 'cupy.lib'
linalg: cp.linalg.__name__.endswith('linalg')
polynomial: cp.polynomial.polynomial.polyval(2, [1, 2]) == 5
random: cp.random.__name__.endswith('random')
testing: cp.testing.assert_array_equal(x, [0, 1, 2, 3]) is None
typing: cp.typing.ArrayLike is np.typing.ArrayLike
flatiter: isinstance(x.flat, cp.flatiter) and list(map(int, x.flat)) == [0, 1, 2, 3]
dtype: cp.dtype('f4') == np.float32
generic: issubclass(np.float32, cp.generic)
number: issubclass(np.float32, cp.number)
inexact: issubclass(np.float32, cp.inexact)
floating: issubclass(np.float32, cp.floating)
complexfloating: issubclass(np.complex64, cp.complexfloating)
integer: issubclass(np.int32, cp.integer)
signedinteger: issubclass(np.int32, cp.signedinteger)
unsignedinteger: issubclass(np.uint32, cp.unsignedinteger)
AxisError: raised(lambda: x.sum(axis=5)) is cp.AxisError
ComplexWarning: issubclass(cp.ComplexWarning, Warning)
ModuleDeprecationWarning: issubclass(cp.ModuleDeprecationWarning, Warning)
RankWarning: issubclass(cp.RankWarning, Warning)
TooHardError: issubclass(cp.TooHardError, Exception)
VisibleDeprecationWarning: issubclass(cp.VisibleDeprecationWarning, Warning)
DataSource: isinstance(cp.DataSource(None), np.lib.npyio.DataSource)
Inf: cp.Inf == cp.inf
Infinity: cp.Infinity == cp.inf
infty: cp.infty == cp.inf
PINF: cp.PINF == cp.inf
NINF: cp.NINF == -cp.inf
NAN: cp.NAN != cp.NAN
NaN: cp.NaN != cp.NaN
PZERO: np.signbit(cp.PZERO) == False
NZERO: np.signbit(cp.NZERO) == True
cfloat: cp.cfloat is np.complex128
complex_: cp.complex_ is np.complex128
singlecomplex: cp.singlecomplex is np.complex64
float_: cp.float_ is np.float64
disable_experimental_feature_warning: cp.disable_experimental_feature_warning is False
alltrue: bool(cp.alltrue(x)) is False and cp.alltrue(x.reshape(2, 2), axis=1).tolist() == [False, True]
sometrue: bool(cp.sometrue(x)) is True
product: int(cp.product(x[1:])) == 6
cumproduct: cp.cumproduct(x[1:]).tolist() == [1, 2, 6]
round_: float(cp.round_(cp.asarray(1.26), 1)) == 1.3
trapz: float(cp.trapz(x)) == 4.5
in1d: cp.in1d(x.reshape(2, 2), [1, 3]).tolist() == [False, True, False, True]
msort: cp.msort(x[::-1].reshape(2, 2)).tolist() == [[1, 0], [3, 2]]
row_stack: cp.row_stack((x, x)).shape == (2, 4)
asfarray: cp.asfarray([1, 2]).dtype == np.float64
byte_bounds: int(np.diff(cp.byte_bounds(x[::-1]))[0]) == 32
find_common_type: cp.find_common_type(['f4'], ['i8']) == np.float32
issubclass_: cp.issubclass_(int, object) and not cp.issubclass_(3, int)
issctype: cp.issctype(np.float32) and not cp.issctype(3)
obj2sctype: cp.obj2sctype('f4') is np.float32
issubsctype: cp.issubsctype('i4', np.integer)
sctype2char: cp.sctype2char(np.float32) == 'f'
safe_eval: cp.safe_eval('[1, 2]') == [1, 2]
disp: printed(lambda: cp.disp('hello')) == 'hello\\n'
who: '2 x 2' in printed(lambda: cp.who({'a': cp.zeros((2, 2))}))
format_parser: cp.format_parser(['f8', 'i4'], ['a', 'b'], []).dtype.names == ('a', 'b')
get_array_wrap: cp.get_array_wrap(np.ones(2))(np.zeros(2)).tolist() == [0, 0]
make_aligned_dtype: cp.make_aligned_dtype(np.dtype([('a', 'i1'), ('b', 'f8')])).itemsize == 16
save: (cp.load(saved(lambda f: cp.save(f, x))) == x).all()
load: cp.load(saved(lambda f: np.save(f, np.arange(3)))).tolist() == [0, 1, 2]
savez: (cp.load(saved(lambda f: cp.savez(f, a=x), '.npz'))['a'] == x.get()).all()
savez_compressed: (cp.load(saved(lambda f: cp.savez_compressed(f, a=x), '.npz'))['a'] == x.get()).all()
savetxt: np.loadtxt(saved(lambda f: cp.savetxt(f, x))).tolist() == [0, 1, 2, 3]
loadtxt: cp.loadtxt(saved(lambda f: np.savetxt(f, [1.0, 2.0]))).tolist() == [1, 2]
genfromtxt: cp.genfromtxt(saved(lambda f: np.savetxt(f, [1.0, 2.0]))).tolist() == [1, 2]
fromfile: cp.fromfile(saved(lambda f: np.arange(3).tofile(f))).shape == (3,)
vectorize: cp.vectorize(successor)(x).tolist() == [1, 2, 3, 4]
""",
    "cupy.ndarray": """
get: type(x.get()) is np.ndarray and x.reshape(2, 2).get(order='F').flags.f_contiguous
set: [y := cp.zeros(4, int), y.set(np.arange(4)), (y == x).all()][-1]
data: x[1:].data.ptr - x.data.ptr == 8 and x.data.mem.size == 32
device: x.device == cp.cuda.Device()
flat: [y := cp.zeros((2, 2)).T, y.flat.__setitem__(slice(1, 3), [1, 2]), y.tolist() == [[0, 1], [2, 0]]][-1]
ptp: int(x.ptp()) == 3
scatter_add: [y := cp.zeros(3), y.scatter_add([0, 0, 2], 1), y.tolist() == [2, 0, 1]][-1]
scatter_max: [y := cp.zeros(3), y.scatter_max([0, 0, 2], cp.asarray([1.0, 5, -1])), y.tolist() == [5, 0, 0]][-1]
scatter_min: [y := cp.zeros(3), y.scatter_min([0, 0, 2], cp.asarray([1.0, -5, -1])), y.tolist() == [-5, 0, -1]][-1]
mdspan: cp.arange(6.0).reshape(2, 3).mdspan(index_type=cp.int32)["extents"].tolist() == [2, 3]
reduced_view: cp.zeros((2, 3, 4)).reduced_view().shape == (24,) and cp.zeros((2, 3)).T.reduced_view().shape == (3, 2)
toDlpack: (cp.fromDlpack(x.toDlpack()) == x).all()
tofile: np.fromfile(saved(lambda f: x.tofile(f)), int).tolist() == [0, 1, 2, 3]
__array_function__: type(np.sum(x)) is cp.ndarray
__array_ufunc__: type(np.add(x, 1)) is cp.ndarray
__array_priority__: x.__array_priority__ > 0
__cuda_array_interface__: on_cpu or x.__cuda_array_interface__['data'][0] == x.data.ptr
__dlpack__: type(x.__dlpack__()).__name__ == 'PyCapsule'
__dlpack_device__: len(x.__dlpack_device__()) == 2
__itruediv__: [y := cp.ones(2), y.__itruediv__(2), y.tolist() == [0.5, 0.5]][-1]
""",
    "cupy.ufunc": """
__call__: cp.add(x, 1).tolist() == [1, 2, 3, 4]
__eq__: cp.add == cp.add
__ne__: cp.add != cp.subtract
__format__: 'add' in format(cp.add)
__ge__: raised(lambda: cp.add >= 1) is TypeError
__gt__: raised(lambda: cp.add > 1) is TypeError
__le__: raised(lambda: cp.add <= 1) is TypeError
__lt__: raised(lambda: cp.add < 1) is TypeError
__reduce__: __import__('pickle').loads(__import__('pickle').dumps(cp.add)) is cp.add
accumulate: cp.add.accumulate(x).tolist() == [0, 1, 3, 6]
at: [y := cp.zeros(3), cp.add.at(y, [0, 0], 1), y.tolist() == [2, 0, 0]][-1]
name: cp.add.name == 'cupy_add'
nargs: cp.add.nargs == 3
nin: cp.add.nin == 2
nout: cp.divmod.nout == 2
outer: cp.add.outer(x, x).shape == (4, 4)
reduce: int(cp.add.reduce(x)) == 6
reduceat: cp.add.reduceat(x, [0, 2]).tolist() == [1, 5]
types: 'dd->d' in cp.add.types
""",
    "cupy.fft": """
config: cp.fft.config.use_multi_gpus is False
""",
    "cupy.random": """
BitGenerator: isinstance(cp.random.XORWOW(1), cp.random.BitGenerator)
MRG32k3a: cp.random.Generator(cp.random.MRG32k3a(1)).random(3).shape == (3,)
Philox4x3210: cp.random.Generator(cp.random.Philox4x3210(1)).random(3).shape == (3,)
XORWOW: cp.random.Generator(cp.random.XORWOW(1)).random(3).shape == (3,)
RandomState: (cp.random.RandomState(3).rand(4) == cp.random.RandomState(3).rand(4)).all()
default_rng: (cp.random.default_rng(3).random(4) == cp.random.default_rng(3).random(4)).all()
get_random_state: isinstance(cp.random.get_random_state(), cp.random.RandomState)
set_random_state: [s := cp.random.RandomState(5), cp.random.set_random_state(s), cp.random.get_random_state() is s][-1]
reset_states: [s := cp.random.get_random_state(), cp.random.reset_states(), cp.random.get_random_state() is not s][-1]
seed: [cp.random.seed(4), y := cp.random.rand(3), cp.random.seed(4), (cp.random.rand(3) == y).all()][-1]
bytes: len(cp.random.bytes(5)) == 5
choice: cp.random.choice(10, 4, replace=False).shape == (4,)
permutation: sorted(cp.random.permutation(5).tolist()) == [0, 1, 2, 3, 4]
shuffle: [y := cp.arange(5), cp.random.shuffle(y), sorted(y.tolist()) == [0, 1, 2, 3, 4]][-1]
rand: cp.random.rand(2, 3).shape == (2, 3)
randn: cp.random.randn(2, 3).shape == (2, 3)
randint: 0 <= int(cp.random.randint(0, 5, 100).min()) and int(cp.random.randint(0, 5, 100).max()) < 5
random: cp.random.random((2, 3)).shape == (2, 3)
random_sample: cp.random.random_sample((2, 3)).shape == (2, 3)
ranf: cp.random.ranf(3).shape == (3,)
sample: cp.random.sample(3).shape == (3,)
random_integers: int(cp.random.random_integers(1, 5, 100).max()) <= 5
dirichlet: abs(float(cp.random.dirichlet([1.0, 2.0, 3.0]).sum()) - 1) < 1e-12
multinomial: int(cp.random.multinomial(10, [0.2, 0.8]).sum()) == 10
multivariate_normal: cp.random.multivariate_normal([0, 1], [[1, 0], [0, 2]], 5).shape == (5, 2)
""",
    "cupy.random.Generator": """
__eq__: rng == rng
__ne__: rng != state
__lt__: raised(lambda: rng < rng) is TypeError
__le__: raised(lambda: rng <= rng) is TypeError
__gt__: raised(lambda: rng > rng) is TypeError
__ge__: raised(lambda: rng >= rng) is TypeError
__format__: 'Generator' in format(rng)
__reduce__: (__import__('pickle').loads(__import__('pickle').dumps(rng)).random(3) == rng.random(3)).all()
choice: rng.choice(10, 4, replace=False).shape == (4,)
dirichlet: abs(float(rng.dirichlet([1.0, 2.0, 3.0]).sum()) - 1) < 1e-12
integers: 0 <= int(rng.integers(0, 5, 100).min()) and int(rng.integers(0, 5, 100).max()) < 5
multinomial: int(rng.multinomial(10, [0.2, 0.8]).sum()) == 10
permutation: sorted(rng.permutation(5).tolist()) == [0, 1, 2, 3, 4]
random: 0 <= float(rng.random(50).min()) and float(rng.random(50).max()) < 1
shuffle: [y := cp.arange(5), rng.shuffle(y), sorted(y.tolist()) == [0, 1, 2, 3, 4]][-1]
""",
    "cupy.random.RandomState": """
__eq__: state == state
__ne__: rng != state
__lt__: raised(lambda: state < state) is TypeError
__le__: raised(lambda: state <= state) is TypeError
__gt__: raised(lambda: state > state) is TypeError
__ge__: raised(lambda: state >= state) is TypeError
__format__: 'RandomState' in format(state)
__reduce__: (__import__('pickle').loads(__import__('pickle').dumps(state)).rand(3) == state.rand(3)).all()
bytes: len(state.bytes(5)) == 5
choice: state.choice(10, 4, replace=False).shape == (4,)
dirichlet: abs(float(state.dirichlet([1.0, 2.0, 3.0]).sum()) - 1) < 1e-12
multinomial: int(state.multinomial(10, [0.2, 0.8]).sum()) == 10
multivariate_normal: state.multivariate_normal([0, 1], [[1, 0], [0, 2]], 5).shape == (5, 2)
permutation: sorted(state.permutation(5).tolist()) == [0, 1, 2, 3, 4]
rand: state.rand(2, 3).shape == (2, 3)
randn: state.randn(2, 3).shape == (2, 3)
randint: int(state.randint(0, 5, 100).max()) < 5
random_sample: state.random_sample((2, 3)).shape == (2, 3)
seed: [state.seed(4), y := state.rand(3), state.seed(4), (state.rand(3) == y).all()][-1]
shuffle: [y := cp.arange(5), state.shuffle(y), sorted(y.tolist()) == [0, 1, 2, 3, 4]][-1]
tomaxint: int(state.tomaxint(5).min()) >= 0
""",
}

# The distributions: their parameters, and mean and standard deviation that many draws must have (None: no test of that).
DISTRIBUTIONS = {
    "beta": ((2.0, 3.0), 0.4, 0.2),
    "binomial": ((10, 0.3), 3.0, 1.449),
    "chisquare": ((4.0,), 4.0, 2.828),
    "exponential": ((2.0,), 2.0, 2.0),
    "f": ((5.0, 20.0), 1.111, None),
    "gamma": ((3.0, 2.0), 6.0, 3.464),
    "geometric": ((0.25,), 4.0, 3.464),
    "gumbel": ((0.0, 1.0), 0.5772, 1.2825),
    "hypergeometric": ((30, 20, 15), 9.0, 1.604),
    "laplace": ((1.0, 1.0), 1.0, 1.414),
    "logistic": ((1.0, 1.0), 1.0, 1.8138),
    "lognormal": ((0.0, 0.5), 1.1331, 0.6039),
    "logseries": ((0.5,), 1.4427, 0.8980),
    "negative_binomial": ((5, 0.5), 5.0, 3.162),
    "noncentral_chisquare": ((3.0, 2.0), 5.0, 3.742),
    "noncentral_f": ((3.0, 20.0, 4.0), 2.593, None),
    "normal": ((1.0, 2.0), 1.0, 2.0),
    "pareto": ((5.0,), 0.25, None),
    "poisson": ((4.0,), 4.0, 2.0),
    "power": ((3.0,), 0.75, 0.1936),
    "rayleigh": ((1.0,), 1.2533, 0.6551),
    "standard_cauchy": ((), None, None),
    "standard_exponential": ((), 1.0, 1.0),
    "standard_gamma": ((3.0,), 3.0, 1.732),
    "standard_normal": ((), 0.0, 1.0),
    "standard_t": ((10.0,), 0.0, 1.118),
    "triangular": ((0.0, 1.0, 2.0), 1.0, 0.4082),
    "uniform": ((1.0, 3.0), 2.0, 0.5774),
    "vonmises": ((0.5, 4.0), 0.5, 0.5447),
    "wald": ((1.0, 4.0), 1.0, 0.5),
    "weibull": ((2.0,), 0.8862, 0.4633),
    "zipf": ((4.5,), 1.0678, None),
}
