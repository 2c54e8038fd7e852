"""The functions of quern's Keras backend: values, types, shapes and gradients are those of Keras on JAX."""

from keras_oracle import compare_all, needs_keras
from long_runs import part
from programs import code

needs_keras()

REAL = """absolute arctan arcsinh cbrt ceil conj conjugate cos cosh deg2rad rad2deg exp exp2 expm1 floor fix negative positive round rint sign
signbit sin sinc sinh square tan tanh trunc isfinite isinf isnan isneginf isposinf isreal nan_to_num real imag i0 angle""".split()
ABOVE_0 = "log log10 log1p log2 sqrt reciprocal arccosh".split()
INSIDE = "arcsin arccos arctanh".split()
NO_SLOPE = set("ceil floor fix round rint sign signbit trunc isfinite isinf isnan isneginf isposinf isreal imag angle".split())
BINARY = """add subtract multiply divide true_divide maximum minimum power arctan2 hypot logaddexp logaddexp2 floor_divide mod fmod equal
not_equal less less_equal greater greater_equal logical_and logical_or logical_xor nextafter heaviside copysign fmax fmin divide_no_nan isclose
allclose ldexp gcd lcm""".split()
SLOPES = set("add subtract multiply divide maximum minimum power arctan2 hypot logaddexp divide_no_nan".split())
REDUCTIONS = "sum mean max min prod std var any all amax amin median nansum nanmean nanmax nanmin nanprod nanstd nanvar ptp".split()
BITS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift gcd lcm".split()
TYPES = "bool int8 int32 uint8 float16 bfloat16 float32".split()
# What is called with what. x: (3, 4), y: (4, 3), v: (5,), w: (3,), m: (3, 3), n: integers of (3, 4)
CALLS = """
append(x, x, axis=0) | arange(5) | arange(1.0, 3.0, 0.5) | arange(2, 9, 3, dtype="int16") | argmax(x, axis=1) | argmin(x) | argmax(n, axis=0)
argsort(v) | argsort(x, axis=0) | argpartition(v, 2) * 0 | array([[1, 2], [3, 4]]) | average(x, axis=1, weights=np.array([1.0, 2, 3, 4]))
bartlett(7) | hamming(7) | hanning(7) | blackman(7) | kaiser(7, 2.0) | bincount(np.array([1, 2, 2, 5]), minlength=8)
bincount(np.array([1, 2, 2]), weights=np.array([0.5, 1.5, 2])) | broadcast_to(v, (2, 5)) | clip(x, -0.3, 0.4) | clip(n, 1, 3)
concatenate([x, x], axis=1) | concatenate([x, n], axis=0) | copy(x) | corrcoef(x) | correlate(v, w) | correlate(v, w, mode="full")
correlate(v, w, mode="same") | count_nonzero(n, axis=1) | cross(m, m[::-1]) | cumprod(x, axis=1) | cumsum(x, axis=0) | cumsum(n)
diag(v) | diag(m, k=1) | diagflat(w) | diagonal(x, offset=1) | diff(v) | diff(x, n=2, axis=1) | digitize(v, np.array([-0.5, 0.0, 0.5]))
dot(x, y) | dot(v, v) | einsum("ij,jk->ik", x, y) | einsum("ii->i", m) | empty_like(x) * 0 | expand_dims(x, 1) | expand_dims(x, (0, -1)) | eye(3)
eye(3, 4, k=1) | flip(x) | flip(x, axis=1) | flipud(x) | fliplr(x) | full((2, 3), 4.5) | full_like(x, 2) | geomspace(1.0, 8.0, 4) | hstack([x, x])
identity(3) | inner(x, x) | isin(n, np.array([1, 3])) | kron(m, w) | linspace(0.0, 1.0, 5) | linspace(0, 10, 4, endpoint=False, dtype="int32")
logspace(0.0, 2.0, 5) | matmul(x, y) | matmul(np.ones((2, 3, 4), "float32"), y) | meshgrid(v, w) | meshgrid(v, w, indexing="ij")
moveaxis(np.zeros((2, 3, 4), "float32"), 0, -1) | nonzero(n) | nanargmax(v) | nanargmin(v) | outer(v, w) | pad(x, ((1, 2), (0, 1)))
pad(x, 2, mode="reflect") | pad(x, 1, mode="edge") | pad(x, ((1, 1), (0, 0)), constant_values=3.0) | quantile(x, 0.3) | percentile(x, 30, axis=0)
quantile(x, np.array([0.2, 0.7]), axis=1) | nanquantile(x, 0.4) | nanpercentile(x, 20) | nanmedian(x, axis=1) | ravel(x) | repeat(x, 2, axis=1)
repeat(v, 3) | reshape(x, (2, 6)) | reshape(x, (-1, 2)) | roll(x, 1, axis=1) | roll(v, 2) | rot90(x) | rot90(x, k=3)
searchsorted(np.array([0.1, 0.4, 0.8], "float32"), v) | select([x > 0, x > -0.5], [x, x * 2], 9.0) | size(x) | ndim(x) | shape(x) | sort(x, axis=1)
sort(v) | split(x, 2, axis=1) | split(x, [1, 3], axis=1) | array_split(v, 3) | vsplit(y, 2) | hsplit(x, 2) | dsplit(np.ones((1, 1, 4), "float32"), 2)
squeeze(np.ones((1, 3, 1), "int8")) | squeeze(np.ones((1, 3, 1), "int8"), 0) | stack([x, x], axis=1) | dstack([x, x]) | swapaxes(x, 0, 1) | take(x, np.array([0, 2]))
take(x, np.array([[0, -1], [1, 3]]), axis=1) | take(v, 3) | take_along_axis(x, np.array([[0], [1], [3]]), axis=1) | tensordot(x, y, axes=1)
tensordot(x, x, axes=[[1], [1]]) | tile(v, 2) | tile(x, (2, 1)) | trace(m) | trace(m, offset=1) | transpose(x) | tri(3) | tri(3, 4, k=-1) | tril(m)
triu(m, k=1) | unravel_index(np.array([3, 7], "int32"), (3, 4)) | unstack(x, axis=1) | vander(w) | vander(w, N=2, increasing=True) | vdot(v, v) | vstack([x, x])
where(x > 0, x, 0.0) | where(x > 0, n, x) | where(n > 1) | zeros((2, 3)) | zeros_like(n) | ones((2,), dtype="int8") | ones_like(x)
trapezoid(x, axis=1) | nancumsum(v) | nancumprod(v) | array_equal(x, x) | histogram(v, bins=4)[1] | unique(n) | view(x, "int32") | sqrt(n) | exp(n)
mean(n) | sum(n, axis=0) | prod(n, axis=1) | max(n) | var(n) | std(n) | logical_not(n) | bitwise_invert(n) | bitwise_not(n) | fabs(n) | abs(n)
cdist(x, x) | extract_sequences(v, 3, 1) | rsqrt(x + 2) | erf(x) | erfc(x) | erfinv(x * 0.9) | logsumexp(x, axis=1) | logsumexp(x) | top_k(x, 2)
in_top_k(np.array([1, 0, 3]), x, 2) | segment_sum(x, np.array([0, 1, 0]), 2) | segment_max(x, np.array([0, 1, 0]), 2) | qr(m) [1] * 0
segment_min(x, np.array([0, 2, 0]), 4) | segment_prod(x, np.array([0, 1, 0]), 2) | rfft(v) | irfft((v, v * 0)) | fft((v, v)) | fft2((x, x * 2))
ifft2((x, x * 2)) | stft(np.arange(20.0).astype("float32"), 4, 2, 4) | istft((np.ones((6, 3), "float32"), np.zeros((6, 3), "float32")), 4, 2, 4)
norm(x) | norm(x, ord=1, axis=1) | norm(m, ord="fro") | logdet(p) | slogdet(p) | det(p) | inv(p) | cholesky(p) | solve(p, w) | pinv(x) | eigh(p)[0]
solve_triangular(p, m, lower=True) | lstsq(x.T, v[:4])[:0] | svd(x, compute_uv=False) | cond(np.array(True), lambda: x, lambda: -x)
relu(x) | relu6(x * 9) | sigmoid(x) | softplus(x) | softsign(x) | silu(x) | log_sigmoid(x) | leaky_relu(x) | hard_sigmoid(x * 5) | hard_silu(x * 5)
hard_tanh(x * 2) | elu(x) | selu(x) | celu(x) | gelu(x) | gelu(x, approximate=False) | glu(x) | softmax(x) | softmax(x, axis=0) | softmax(x, axis=(0, 1))
log_softmax(x) | sparsemax(x) | hard_shrink(x) | soft_shrink(x) | tanh_shrink(x) | squareplus(x) | sparse_plus(x) | sparse_sigmoid(x)
threshold(x, 0.2, 5.0) | one_hot(n, 4) | one_hot(n, 3, axis=0) | one_hot(np.array([-1, 5, 1]), 3) | multi_hot(n, 5)
binary_crossentropy(x > 0, sigmoid(x)) | binary_crossentropy(x > 0, x, from_logits=True) | categorical_crossentropy(softmax(x), softmax(x * 2))
categorical_crossentropy(softmax(x), x, from_logits=True) | sparse_categorical_crossentropy(np.array([0, 3, 1]), softmax(x))
sparse_categorical_crossentropy(np.array([0, 3, 1]), x, from_logits=True) | moments(x, axes=[0]) | moments(x, axes=[0, 1], keepdims=True)
batch_normalization(x, mean=x[0], variance=x[1] * 0 + 1.0, axis=-1, offset=x[2], scale=x[1]) | normalize(x, axis=1) | psnr(x, x * 0.5, 1.0)
layer_normalization(x) | rms_normalization(x) | dot_product_attention(q, q, q) | depth_to_space(np.arange(16, dtype="float32").reshape(1, 2, 2, 4), 2)
space_to_depth(np.arange(16, dtype="float32").reshape(1, 4, 4, 1), 2) | unfold(np.arange(32, dtype="float32").reshape(1, 2, 4, 4), 2) | cast(x, "int32") | convert_to_tensor(n)
scatter(np.array([[0], [2], [0]]), x, (4, 4)) | scatter_update(x, np.array([[0, 1], [2, 3]]), np.array([5.0, 6.0])) | slice(x, (0, 1), (2, 2))
slice_update(x, (1, 1), np.ones((2, 2))) | stop_gradient(x) | fori_loop(0, 3, lambda i, a: a + i, x) | while_loop(lambda i: i < 5, lambda i: i + 2, 0)
map(lambda r: r * 2, x) | vectorized_map(lambda r: r.sum() if hasattr(r, "sum") else r, x) | scan(lambda c, r: (c + r, c * r), w * 0 + x[:, 0].sum(), v)
associative_scan(lambda a, b: a + b, v) | associative_scan(lambda a, b: a * b, x, axis=1, reverse=True) | switch(1, [lambda a: a, lambda a: -a], x)
floor_divide(n, 2) | mod(n, 3) | add(n, 1.5) | multiply(n, 2) | subtract(1, x) | power(x, 2) | power(n, 2) | true_divide(n, 2) | maximum(x, 0.1)
add(x, np.float16(1)) | matmul(n, n.T) | add(True, n) | saturate_cast(x * 300, "uint8") | logaddexp(x, -x) | rearrange(x, "a b -> b a") | polar(x, x)
""".replace("\n", " | ").strip(" |").split(" | ")  # fmt: skip
SLOPES_OF = """append(x, x, axis=0) | average(x, axis=1) | broadcast_to(v, (2, 5)) | clip(x, -0.3, 0.4) | concatenate([x, x * 2], axis=1) | cumsum(x, axis=0)
cumprod(x, axis=1) | diag(v) | diagonal(x) | diff(v) | dot(x, y) | einsum("ij,jk->ik", x, y) | expand_dims(x, 1) | flip(x) | matmul(x, y) | max(x, axis=1)
mean(x, axis=0) | min(x) | moveaxis(x, 0, 1) | norm(x) | outer(v, w) | pad(x, ((1, 2), (0, 1))) | prod(x, axis=1) | ravel(x) | repeat(x, 2, axis=1)
reshape(x, (2, 6)) | roll(x, 1, axis=1) | sort(x, axis=1) | split(x, 2, axis=1) | stack([x, x * 3]) | std(x) | sum(x, axis=1) | take(x, np.array([0, 2, 2]), axis=1)
take_along_axis(x, np.array([[0], [1], [3]]), axis=1) | tile(x, (2, 1)) | trace(x) | transpose(x) | tril(x) | var(x, axis=0) | where(x > 0, x, x * x)
logsumexp(x, axis=1) | top_k(x, 2)[0] | segment_sum(x, np.array([0, 1, 0]), 2) | segment_max(x, np.array([0, 1, 0]), 2) | rsqrt(x + 2) | erf(x) | cdist(x, y.T)
relu(x) | relu6(x * 9) | sigmoid(x) | softplus(x) | softsign(x) | silu(x) | log_sigmoid(x) | leaky_relu(x) | hard_sigmoid(x * 5) | elu(x) | selu(x) | celu(x)
gelu(x) | gelu(x, approximate=False) | glu(x) | softmax(x) * x | log_softmax(x) | hard_shrink(x) | soft_shrink(x) | tanh_shrink(x) | squareplus(x)
categorical_crossentropy(abs(x), softmax(x * 2)) | sparse_categorical_crossentropy(np.array([0, 3, 1]), softmax(x)) | moments(x, axes=[0])
sparse_categorical_crossentropy(np.array([0, 3, 1]), x, from_logits=True) | binary_crossentropy(abs(x), sigmoid(x)) | inv(matmul(x, y) + 3 * eye(3))
binary_crossentropy(abs(x), x, from_logits=True) | normalize(x, axis=1) | layer_normalization(x) | scatter(np.array([[0], [2], [0]]), x, (4, 4))
scatter_update(x, np.array([[0, 1], [2, 3]]), v[:2]) | slice_update(x, (1, 1), x[:2, :2] * 2) | slice(x, (0, 1), (2, 2)) | associative_scan(lambda a, b: a * b, v)
scan(lambda c, r: (c * r, c + r), v[0], v) | map(lambda r: r * r, x) | stop_gradient(x) * x | rms_normalization(x) | det(matmul(x, y) + 3 * eye(3))
quantile(x, 0.3) | median(x) | unstack(x, axis=1) | swapaxes(x, 0, 1) | squeeze(expand_dims(x, 0)) | linspace(v[0], v[1], 4) | full((2,), v[0]) | copy(x)""".replace(
    "\n", " | "
).split(" | ")  # fmt: skip
NEWER = {"rearrange"}
START = """
from keras.ops import *
x, y, v, w, m = data(3, 4), data(4, 3), data(5), data(3), data(3, 3)
n, q = np.abs(data(3, 4) * 5).astype("int32"), data(1, 2, 2, 4)
p = (m @ m.T + 3 * np.eye(3)).astype("float32")
"""


# Of tensors t, integer tensors u, and lists of them by other types.
PARTS = """
scatter_update(t, [[0, 1], [1, 2], [0, 1]], u[0], reduction) | scatter_update(t, [[2], [-1], [0]], t, reduction) | scatter_update(t, [[0, 1], [2, 3], [-4, 0]], u[0], reduction)
scatter_update(t, [[[0], [1]], [[1], [1]]], t[:2, None], reduction) | scatter_update(t, np.zeros((0, 2), "int32"), np.zeros((0,), "float32"), reduction)
scatter_update(t, [[1], [1]], 2, reduction) | raises(lambda: scatter_update(t, [[0.5]], 2, reduction))[0] | raises(lambda: scatter_update(t, [[0, 0, 0]], 2, reduction))[0]
""".replace("\n", " | ").strip(" |").split(" | ")  # fmt: skip
SLICES = """
slice(t, (0, 1), (2, 2)) | slice(t, (1, -1), (-1, 1)) | slice(t, (5, 5), (1, 2)) | slice(t, convert_to_tensor([1, 0]), (2, 2)) | slice(t, (-2, -3), (2, 3)) | slice(t, (0, 0), (0, 1))
slice_update(t, (1, 1), t[:2, :2] * t[1:, 1:]) | slice_update(t, (5, -1), t[:2, :2]) | slice_update(t, (0, 0), t[:0]) | raises(lambda: slice(t, (0, 0), (4, 1)))[0]
raises(lambda: slice(t, (0.5, 0), (1, 1)))[0] | raises(lambda: slice(t, (0,), (1,)))[0] | raises(lambda: slice(t, (0,), (1, 1)))[0] | raises(lambda: slice_update(t, (0, 0), t[0]))[0]
raises(lambda: slice_update(t, (0, 0), concatenate([t, t])))[0] | scatter(convert_to_tensor([[0], [2], [5]]), t, (4, 3)) | scatter(convert_to_tensor([[0, 1], [-1, 2], [0, 1]]), t[:, 0], (2, 3))
""".replace("\n", " | ").strip(" |").split(" | ")  # fmt: skip
DISTANCES = """
psnr(t, t * 2, 7) | psnr(t, t, 7) | cdist(t, t[:2] * 2) | cdist(t[None], t) | raises(lambda: psnr(t, t[:2], 1))[0] | raises(lambda: cdist(t, t[:, :2]))[0] | raises(lambda: cdist(t[0], t))[0]
psnr(t, x, 1.5) | psnr(x, t, 1) | cdist(t, x) | psnr(x, x[::-1], convert_to_tensor(255))
""".replace("\n", " | ").strip(" |").split(" | ")  # fmt: skip
PARTS_START = """
from keras.ops import *
x = convert_to_tensor(data(3, 3))
u = convert_to_tensor([[3, 0, 2], [1, 2, 2]])
t = cast([[1, 2, 3], [4, 5, 2], [0, 1, 1]], "{type}")
reduction = {reduction!r}
"""


def test_parts_and_distances_of_all_types(device):
    """Scattered updates, slices, and distances: of each type, at places that are not there, and in empty tensors."""
    texts = [PARTS_START.format(type=t, reduction=r) + call for t in TYPES[1:] for r in (None, "add", "mul", "max", "min") for call in PARTS]
    texts += [PARTS_START.format(type="bool", reduction=r) + call for r in (None, "max", "min") for call in PARTS[:3]]
    texts += [PARTS_START.format(type=t, reduction=None) + call for t in TYPES[1:] for call in SLICES + DISTANCES]
    texts += [PARTS_START.format(type="bool", reduction=None) + call for call in SLICES[:6] + ["raises(lambda: psnr(t, t, 1))[0]", "raises(lambda: cdist(t, t))[0]"]]
    compare_all(texts, "test_keras_functions", device.kind)


def _have(call):
    """Is it a function of every supported version?"""
    return call.split("(")[0].strip() not in NEWER


def test_functions_of_elements(device):
    texts = [f"ops.{name}(data(3, 4) * 3)" for name in REAL]
    texts += [f"ops.{name}(data(3, 4, low=1.1, high=4))" for name in ABOVE_0] + [f"ops.{name}(data(3, 4) * 0.9)" for name in INSIDE]
    texts += [f"grads(ops.{name}, data(3, 4) * 3)" for name in REAL if name not in NO_SLOPE and name not in ("nan_to_num", "i0", "sinc")]
    texts += [f"grads(ops.{name}, data(3, 4, low=1.1, high=4))" for name in ABOVE_0] + [
        f"grads(ops.{name}, data(3, 4) * 0.9)" for name in INSIDE
    ]
    texts += [f'ops.{name}(data(3, dtype="{t}"))' for name in ("exp", "sqrt", "tanh", "negative", "square") for t in TYPES[1:]]
    compare_all([t for t in texts if _have(t[4:])], "test_keras_functions", device.kind)


def test_functions_of_two(device):
    texts = [f"ops.{name}(data(3, 4), data(4, seed=1))" for name in BINARY if name not in ("gcd", "lcm", "ldexp", "nextafter")]
    texts += [f"grads(ops.{name}, data(3, 4) + 1.2, data(4, seed=1) + 1.3)" for name in sorted(SLOPES)]
    texts += [f'ops.{name}(np.abs(data(4) * 9).astype("int32"), np.abs(data(4, seed=1) * 4).astype("int32") + 1)' for name in BITS]
    for name in ("add", "multiply", "divide", "maximum", "equal", "power"):
        for i, a in enumerate(TYPES):
            for b in TYPES[i:]:
                if name != "power" or "bool" not in (a, b):
                    texts.append(f'ops.{name}(np.abs(data(3)).astype(ops.ones(1, "{a}").dtype), ops.ones(3, "{b}"))')
    compare_all(part([t for t in texts if _have(t[4:])], 200), "test_keras_functions", device.kind)


def test_reductions(device):
    texts = []
    for name in REDUCTIONS:
        texts += [f"ops.{name}(data(3, 4))", f"ops.{name}(data(2, 3, 4), axis=1, keepdims=True)", f"ops.{name}(data(2, 3, 4), axis=(0, 2))"]
    texts += [
        f'ops.{name}(np.arange(6).astype("{t}").reshape(2, 3), axis=0)'
        for name in ("sum", "mean", "max", "prod")
        for t in ("int8", "int32", "uint8")
    ]
    compare_all([t for t in texts if _have(t[4:])], "test_keras_functions", device.kind)


def test_calls(device):
    compare_all([START + call for call in CALLS if _have(call)], "test_keras_functions", device.kind, rtol=1e-4, atol=1e-5)


def test_gradients(device):
    texts = [START + f"grads(lambda x, y, v, w: {call}, x, y, v, w)" for call in SLOPES_OF if _have(call)]
    compare_all(texts, "test_keras_functions", device.kind, rtol=1e-4, atol=1e-5)


def test_gradients_at_corners(device):
    """Where a function's pieces meet: logits of models whose weights begin as zeros are 0."""
    zero = 'np.array([0.0, -0.0, 0.7, -0.7], "float32")'
    names = """relu relu6 sigmoid silu softplus softsign log_sigmoid leaky_relu hard_sigmoid hard_silu hard_tanh elu selu gelu celu squareplus
    sparse_plus sparse_sigmoid tanh_shrink soft_shrink hard_shrink logsumexp""".split()
    texts = [f"grads(ops.{name}, {zero})" for name in names] + [f"ops.{name}(np.array([1e4, -1e4, 100.0, -100.0, np.inf, -np.inf, np.nan], 'float32'))" for name in names]
    texts += ["grads(ops.hard_tanh, np.array([1.0, -1.0, 2.0], 'float32'))", f"grads(lambda x: keras.activations.get('mish')(x), {zero})"]
    texts += ["grads(ops.erfinv, np.array([0.0, 0.5, 1.0, -1.0], 'float32'))"]
    losses = """BinaryCrossentropy(from_logits=True) BinaryCrossentropy(from_logits=True,label_smoothing=0.2) BinaryFocalCrossentropy(from_logits=True)
    CategoricalCrossentropy(from_logits=True) LogCosh() Huber() Poisson() MeanSquaredLogarithmicError() BinaryCrossentropy()""".split()
    start = 'o = (np.arange(12).reshape(4, 3) % 2).astype("float32")\n'
    texts += [start + f"grads(lambda p: keras.losses.{one}(o, p), o * 0)" for one in losses]
    # far from 0 the mean square less the square of the mean would have no digits left
    x = "data(50, 3) + np.array([0, 100, 1000], 'float32')"
    texts += [f"ops.moments({x}, 0)", f"ops.moments({x}, (0, 1), keepdims=True)", f"grads(lambda x: ops.moments(x, 0)[1], {x})"]
    compare_all(texts, "test_keras_functions", device.kind, rtol=1e-4, atol=1e-5)


def test_types_of_operands_together(device):
    """Of tensors, Python's numbers and NumPy's arrays: result types are those of Keras on JAX."""
    kinds = [f'ops.convert_to_tensor(np.array([1, 0, 2]), "{t}")' for t in (*TYPES, "int64", "float64")]
    others = ["2", "1.5", "True", "np.float32(2)", "np.ones(3)", "np.arange(3)"]
    pairs = [(a, b) for i, a in enumerate(kinds[:8]) for b in kinds[i:]] + [(a, b) for a in kinds[:6] for b in others]
    texts = [f"ops.{name}({a}, {b})" for a, b in pairs for name in ("divide_no_nan", "allclose")]
    texts += [f"ops.dot({a}, {b})" for a, b in pairs if b != "2"]  # JAX refuses bytes times an int
    texts += [f"ops.where(np.array([True, False, True]), {a}, {b})" for a, b in pairs]
    texts += [f'ops.{name}({a}, {b}, mode="full")' for a, b in pairs for name in ("correlate",) if b not in others]
    texts += [f"ops.matmul({a}[None], {b}[:, None])" for a, b in pairs if b not in others]
    texts += ["ops.where(np.array([1, 0]), 1, 2.5)", "ops.where(1, True, 2)", "ops.where(np.array([0, 3.5]))", "ops.nonzero(np.eye(2))"]
    limits = ["1, 2", "0.5, 2.5", "1, 1.5", "np.float32(0.5), 2", "np.array(1, 'int8'), np.array(1.5, 'float16')", "True, 2"]
    texts += [f"ops.clip({a}, {b})" for a in kinds[:7] for b in limits]
    texts += [f"ops.nn.{name}({a})" for a in kinds[:6] if "uint8" not in a for name in ("relu", "hard_tanh")]
    wrong = ["ops.one_hot(np.array([0, 1]), -1)"]
    wrong += [f"keras.random.{name}((2,), dtype='int32')" for name in ("normal", "truncated_normal", "uniform")]
    wrong += ["keras.random.gamma((2,), 1.0, dtype='int32')", "keras.random.binomial((2,), 3, 0.5, dtype='uint8')"]
    texts += [f"raises(lambda: {text})[0]" for text in wrong]
    texts += [f"ops.batch_normalization(ops.ones((2, 3), '{t}'), np.ones(3), ops.ones(3), -1).dtype == 'float32'" for t in ("int64", "float16")]
    compare_all(part(texts, 160), "test_keras_functions", device.kind, rtol=1e-2)


def test_rows_of_segments_and_largest_elements(device):
    x = 'np.array([[3, 1], [2, 5], [4, 0]], "{}")'
    texts = [
        f"ops.segment_{name}(ops.convert_to_tensor({x.format(t)}), np.array({ids}), {count})"
        for name in ("sum", "max")
        for t in ("int8", "int32", "float16", "float32")
        for ids, count in (("[0, 0, 1]", 2), ("[2, -1, 0]", 4), ("[0, 7, 1]", 2), ("[1, 1, 1]", 1))
    ]
    texts += ["ops.segment_max(ops.convert_to_tensor(np.eye(2) > 0), np.array([0, 2]), 3)"]
    texts += ["ops.unravel_index(np.array([True, False]), (2, 3))", "ops.unravel_index(ops.convert_to_tensor([[5, -1]]), [2, 3])"]
    texts += [f"raises(lambda: ops.segment_sum(np.ones((3, 2)), np.array([0, 0, 1]), {count}))[0]" for count in (-1,)]
    texts += [f"list(ops.top_k(ops.convert_to_tensor({x.format(t)}), {k}))" for t in ("int8", "uint8", "float32") for k in (0, 1, 2)]
    texts += ["list(ops.top_k(ops.convert_to_tensor([3.0, float('nan'), 5.0, 5.0]), 3))", "raises(lambda: ops.top_k(ops.ones(3), 4))[0]"]
    texts += [f"ops.in_top_k(ops.convert_to_tensor([0, 1, 1]), ops.convert_to_tensor({x.format('float32')}), {k})" for k in (0, 1, 2)]
    texts += ["grads(lambda x: ops.top_k(x, 2)[0] * 2.0, data(3, 4))", "grads(ops.sparsemax, data(3, 4) * 3)"]
    texts += [f"grads(lambda x: ops.segment_{name}(x, np.array([0, 2, 0]), 3) * 2.0, data(3, 4))" for name in ("sum", "max")]
    compare_all(texts, "test_keras_functions", device.kind, rtol=1e-4, atol=1e-5)


def test_segments_of_more_kinds(device):
    text = """
import quern.keras, keras, numpy as np
from quern.keras.backend import math
ops = keras.ops
x = ops.convert_to_tensor(np.array([3, 4, 5], "int8"))
print([(one.tolist(), str(one.dtype)) for one in (math.segment_prod(x, [0, 2, 0], 3), math.segment_min(x, [0, 2, 0], 3))])
print(math.segment_sum([True, True], [0, 1]).tolist(), math.segment_sum(np.array([2**31 - 1, 1], "int32"), [0, 0]).tolist())
print(math.segment_sum(np.array([2**53 + 1, 5, 0]), [0, 1, 0]).tolist())
print(math.segment_max(np.ones((0, 2), "float32"), np.zeros(0, "int32"), 1).tolist(), ops.clip(ops.ones(2, "uint8"), -1, 300).tolist())
for call in (lambda: math.segment_sum(x, [0, 1]), lambda: math.segment_sum(x, [0.0, 1, 2]), lambda: ops.where(x, 1, None)):
    try:
        print(call())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, str(e)[:70])
"""
    assert code(text, QUERN_DEVICE=device.kind).stdout.splitlines() == [
        "[([15, 1, 4], 'int8'), ([3, 127, 4], 'int8')]",
        "[True, True] [-2147483648]",
        "[9007199254740993, 5]",
        "[[-inf, -inf]] [1, 1]",
        "ValueError Argument `segment_ids` of shape (2,) does not match the first axis of ",
        "TypeError Argument `segment_ids` must be integers, not float32",
        "ValueError `x1` and `x2` either both should be `None` or both should have non-Non",
    ]


def test_gradients_of_quotients_by_zero(device):
    text = """
import quern.keras, keras, numpy as np
from quern.keras.backend.core import gradients
a, b = keras.Variable(np.array([1.0, 2.0, 3.0], "f4")), keras.Variable(np.array([0.0, 2.0, 0.0], "f4"))
found = gradients(keras.ops.sum(keras.ops.divide_no_nan(a, b)), [a, b])
print([one.get().tolist() for one in found], keras.ops.divide_no_nan(3, 2), keras.ops.divide_no_nan(np.ones(1, "float16"), 0).dtype)
"""
    assert code(text, QUERN_DEVICE=device.kind).stdout == "[[0.0, 0.5, 0.0], [0.0, -0.5, 0.0]] 1.5 float16\n"


def test_class_numbers_and_moments_of_odd_types(device):
    text = """
import quern.keras, keras, numpy as np
ops = keras.ops
hot = ops.convert_to_numpy(ops.one_hot(np.array([1, 255], "uint8"), 300))
print(np.argwhere(hot).tolist(), ops.multi_hot(np.array([[0, 2]]), 3, dtype="bool").tolist())
print([(str(one.dtype), float(one)) for one in ops.moments(np.array([1, 2, 3, 4]), 0)], [float(one) for one in ops.moments(np.array([6e4, -6e4], "float16"), 0)])
print(abs(float(ops.sparse_categorical_crossentropy([1], np.array([[-np.inf, 0.0]], "float32"), from_logits=True)[0])))
t, o = np.array([[0, 1.0]], "float32"), np.array([[0.5, 0.5]], "float16")
print([str(f(a, o).dtype) for f in (ops.binary_crossentropy, ops.categorical_crossentropy) for a in (t, t.astype("float16"), t.astype("int32"))], ops.sparse_categorical_crossentropy([1], o).dtype)
print(ops.one_hot(np.array([0.5, 1.0], "float32"), 2).tolist(), ops.batch_normalization(o, t[0], t[0] + 1, -1).dtype)
for call in (
    lambda: ops.categorical_crossentropy(t, t, axis=2),
    lambda: ops.batch_normalization(np.ones((2, 3), "float32"), np.ones(2, "float32"), np.ones(2, "float32"), -1),
    lambda: keras.backend.backend() and ops.categorical_crossentropy(np.ones(2, "float32"), np.ones((2, 2), "float32")),
):
    try:
        print(call())
    except ValueError as e:
        print(str(e)[:60])
"""
    assert code(text, QUERN_DEVICE=device.kind).stdout.splitlines() == [
        "[[0, 1], [1, 255]] [[True, False, True]]",
        "[('float32', 2.5), ('float32', 1.25)] [0.0, 65504.0]",
        "0.0",
        "['float32', 'float16', 'float16', 'float32', 'float16', 'float16'] float32",
        "[[0.0, 0.0], [0.0, 1.0]] float32",
        "axis 2 is out of bounds for array of dimension 2",
        "[batch_normalization] `variance` has 2 elements, but `x` has",
        "Arguments `target` and `output` must have the same shape. Re",
    ]


# x: (3, 4), i: int8 of (3, 4), v: (5,)
ODD = """
take(x, 0) | take(x, [[0], [1]], axis=-1) | take(x, np.array([1], "uint8"), axis=0) | take(x, True, axis=1) | take(x, []) | take(i, -1, axis=1)
take(x, keras.Variable([0, 1], dtype="int32"), axis=0) | raises(lambda: keras.ops.take(x, [0.0, 1.0]))[0] | arange(5) | arange(2, 7, 2)
arange(7, 2, -1) | arange(0, 1, 0.25) | arange(2.5) | arange(-3) | arange(keras.ops.array(3)) | arange(0, keras.Variable(4, dtype="int32"))
arange(np.float16(3)) | arange(0, 5, dtype="float16") | arange(0, 5, 2, dtype="bfloat16") | arange(0, 5, 0.5, dtype="uint8") | arange(5, None)
raises(lambda: keras.ops.arange(True))[0] | raises(lambda: keras.ops.arange(1j))[0] | raises(lambda: keras.ops.arange(None, dtype="int32"))[0]
raises(lambda: keras.ops.arange(0, 10, 0))[0] | raises(lambda: keras.ops.arange(float("nan")))[0]
logspace(1, 2, 5, endpoint=False) | logspace(keras.ops.array([1, 2]), 3, num=3) | logspace(0, 2, 3, base=keras.ops.array(2.0)) | logspace(1j, 1, 3)
logspace(np.ones(2, "float16"), 3, 3) | logspace(1, 3, 3, dtype="int32") | logspace(np.ones((2, 2), "float32"), 2, 3, axis=1) | logspace(1, 2, 0)
geomspace(1, 10) | geomspace(keras.ops.array([1.0, 2.0]), 10.0, num=3) | geomspace(np.ones(2, "float16"), 10, 3) | geomspace(-1, -10, 3)
geomspace(1, 10, 3, dtype="int32") | geomspace(1, 10, 5, endpoint=False) | geomspace(1j, 10, 3) | geomspace(np.ones(2, "int8"), 10, 3, axis=-1)
i0(i) | i0(5) | i0(True) | i0(np.ones(2, "float16")) | i0(np.ones(2, "bool")) | histogram(v) | histogram(i[0], bins=3) | histogram(v, bins=3, range=(0, 5))
histogram(np.ones(4, "float32")) | histogram(np.array([True, False])) | histogram(5, bins=3)
fft((x, x * 2)) | fft([x, x]) | fft((x[:0], x[:0])) | fft2((x, x)) | ifft2((x, -x)) | rfft(x) | rfft(x, fft_length=3) | rfft(i) | irfft((x, x))
irfft((x, x), fft_length=5) | raises(lambda: keras.ops.fft(x))[0] | raises(lambda: keras.ops.fft((x, x[0])))[0] | raises(lambda: keras.ops.fft((i, i)))[0]
extract_sequences(x, 2, 1) | extract_sequences(x, 3, 2) | extract_sequences(i, 2, 3) | logdet(x[:3, :3]) | logdet(np.ones((2, 3, 3), "float32") * 0)
raises(lambda: keras.ops.take(x, 0, axis=7))[0].replace("AxisError", "ValueError")
""".strip().replace("\n", " | ").split(" | ")  # fmt: skip


def test_odd_arguments_of_places_ranges_and_transforms(device):
    before = 'x, i, v = data(3, 4), np.arange(12, dtype="int8").reshape(3, 4), data(5)\n'
    texts = [before + (call if call.startswith("raises") else f"ops.{call}") for call in ODD]
    texts += [
        before + "grads(lambda a: ops.fft((a, a * 2)), x)",
        before + "grads(lambda a: ops.irfft(ops.rfft(a)) * v[:4], x)",
        before + "grads(lambda a: ops.extract_sequences(a, 2, 1), x)",
        before + "grads(lambda a: ops.histogram(a, bins=3)[1] * ops.array([1.0, 2, 3, 4]), v)",
        before + "grads(lambda a: ops.i0(a), x)",
        before + "grads(lambda a, b: ops.geomspace(a * a + 1, b * b + 2, 4) * ops.logspace(a, b, 4), v, v * 2)",
    ]
    compare_all(texts, "test_keras_functions", device.kind)


# i: int8 of (3, 3), b: bools of (2, 2), n: float32 with NaN, s: int32, a matrix that is positive definite
OF_INTEGERS = """
cumsum(i) | cumsum(i, axis=0) | cumprod(i, axis=-1) | cumsum(b) | cumsum(i, dtype="float32") | nancumsum(n, axis=1) | nancumprod(i) | cumprod([[1, 2], [3, 4]])
nansum(i) | nansum(n, axis=0) | nansum(b, axis=(0,), keepdims=True) | nanprod(i, axis=0) | nanprod(n) | nanmax(n, axis=0) | nanmin(i) | nanmean(i) | nanmean(n)
nanmean([1, 2]) | nanvar(i) | nanstd(n, axis=1) | median(i, axis=0) | median(b) | median([[1, 2], [3, 4]]) | nanmedian(n) | nanmedian(i, keepdims=True)
median(np.ones(2, "float16")) | inv(s) | det(s) | cholesky(s) | cholesky(s, upper=True) | eigh(s) | pinv(s) | norm(s) | norm(i, ord=1, axis=0) | norm(s, ord="fro")
norm(i[0], keepdims=True) | svd(s, compute_uv=False) | inv(np.eye(2, dtype="float32") * 4) | det(np.ones((2, 3, 3), "float32"))
""".strip().replace("\n", " | ").split(" | ")  # fmt: skip


def test_types_of_sums_medians_and_linear_algebra(device):
    before = """
i, b = np.arange(1, 10, dtype="int8").reshape(3, 3), np.array([[True, False], [True, True]])
n, s = np.array([[1, np.nan], [3, 2]], "float32"), np.array([[4, 1], [1, 3]], "int32")
"""
    calls = [call for call in OF_INTEGERS if device.kind == "cpu" or call != "eigh(s)"]  # its vectors have other signs on a GPU
    compare_all([f"{before}ops.{call}" for call in calls], "test_keras_functions", device.kind)


def test_functions_whose_values_of_integers_have_fractions(device):
    names = "soft_shrink hard_shrink tanh_shrink sparse_plus sparse_sigmoid squareplus reciprocal deg2rad rad2deg selu hard_sigmoid log2".split()
    values = ["[[3, -3, 0, 2]]", "[3, 0, 1]", "[True, False]"]
    texts = [
        f"ops.{name}(np.array({value}, '{kind}'))"
        for name in names
        for value, kinds in zip(values, (("int8", "int32"), ("uint8",), ("bool",)), strict=True)
        for kind in kinds
        if _have(name)
    ]
    compare_all(texts + ["ops.soft_shrink(3)", "ops.reciprocal([2, 4])", "ops.reciprocal(np.ones(2, 'float16') * 3)"], "test_keras_functions", device.kind)


def test_types_of_halves_and_what_is_no_number(device):
    names = "soft_shrink hard_shrink tanh_shrink sparse_plus sparse_sigmoid squareplus glu reciprocal deg2rad rad2deg".split()
    texts = [f"ops.{name}(ops.cast([[3.0, -0.5, 0.25, 2.0]], {kind!r}))" for name in names for kind in ("bfloat16", "float16") if _have(name)]
    texts += [f"ops.{name}(np.array([np.nan, 0.5, -0.5, np.inf, -np.inf, -0.0], 'float32'))" for name in names if _have(name)]
    of_x = "x = np.array([[-2.0, -0.5, 0.1, 4.0]], 'float32')\nops."
    texts += [of_x + call for call in ("soft_shrink(x, -1)", "hard_shrink(x, ops.array([1, 1, 0, 0]))", "squareplus(x, b=0.5)", "glu(x, axis=-1)")]
    compare_all(texts, "test_keras_functions", device.kind)


def test_powers_of_integers_are_refused_at_the_call(device):
    i, one = "ops.array([1, 2])", "np.int32(-1)"
    calls = [f"ops.power(2, {one})", f"ops.power({i}, {one})", f"ops.power({i}, np.array(-1))", f"ops.power(True, {one})", "ops.array(3) ** ops.array(-1)"]
    if device.kind != "cpu":
        calls = [call for call in calls if "array(-1)" not in call]  # an exponent on a GPU is not read
    compare_all(calls, "test_keras_functions", device.kind)
    allowed = [f"ops.power({i}, {i})", f"ops.power({i} * 1.0, {one})", f"ops.power({i}, np.array([0, 3], 'uint8'))", f"{i} ** -1.0"]
    below_0 = ["ops.array([-1, -1, -3, -2, -1, 2, -64, -64])", "np.array([-1, -5, 3, -2, -1, 2, -63, 0])", "[-1, -2, -3, -4, 0, 1, 2, 3]"]
    base = "ops.cast([1, 2, -1, 3, 0, 5, 0, 2], '{}')"
    allowed += [f"ops.power({base.format(kind)}, {one})" for kind in ("int8", "int32", "uint8", "bool") for one in below_0]
    allowed += [f"{base.format('int32')} ** {below_0[0]}", f"ops.power(3, {below_0[0]})"]
    compare_all(allowed, "test_keras_functions", device.kind)


# i: int8, b: bools, n: float32 with NaN, c: complex, e: (0, 4), s: a signal
SPREADS = """
std(i) | std(i, axis=-1) | std(b) | std(h) | std(c) | std([[1, 2], [3, 5]], axis=[0], keepdims=True) | std(3) | std(e) | var(i, axis=(0, 1)) | var(b, axis=0)
var(h, axis=1, keepdims=True) | var(c) | var(1.5) | var([1, 2]) | var(keras.Variable([1.0, 4.0])) | ptp(i) | ptp(h, axis=-1) | ptp([[1, 4]], axis=1, keepdims=True)
ptp(2) | raises(lambda: keras.ops.ptp(b))[0] | count_nonzero(i) | count_nonzero(n, axis=0) | count_nonzero(b, axis=-1) | count_nonzero(e) | count_nonzero(c)
quantile(i, 0.3) | quantile(b, [0.2, 0.9], axis=1) | quantile(h, 0.4, keepdims=True) | quantile(h, np.array([0.5], "float64"), axis=0) | quantile([[1, 2, 7]], 0.7)
quantile(n, 0.5, axis=(0, 1)) | quantile(i, 0.4, method="lower") | quantile(e, [0.2, 0.7], axis=-1) | percentile(i, 30) | percentile(h, [20, 70.0], axis=0)
percentile(n[:1], keras.Variable(20.0, trainable=False), method="midpoint") | nanquantile(n, 0.3) | nanquantile(n, [0.2, 0.7], axis=-1) | nanquantile(n, 0.4, axis=0, keepdims=True)
nanquantile(n, 0.4, method="nearest") | nanquantile(n, 0.4, axis=1, method="lower") | nanquantile(n, 0.6, axis=0, method="higher") | nanquantile(n, 0.6, method="midpoint")
nanquantile(i, 0.3) | nanquantile(b, 0.3) | nanquantile(e, [0.2, 0.7], axis=-1) | nanpercentile(n, 30) | nanpercentile(n, [20.0, 70], axis=-1)
nanpercentile(e, [20.0, 70], axis=-1) | nanpercentile([1, 2, 4], 40.0, method="lower") | raises(lambda: keras.ops.nanquantile(e, 0.3))[0]
slogdet(m) | slogdet(m * 0) | slogdet([[2, 1], [1, 3]]) | slogdet(np.stack([m, -m]))
threshold(i, 1, 2) | threshold(i, 0.5, 1.5) | threshold(b, 0, -3) | threshold(h, 0.1, 5) | threshold([2, -3], 0, 1) | threshold(n, 2.0, 0.0) | threshold(3, 0.5, 1.0)
lstsq(m, [1.0, 2.0]) | lstsq(a, a[:, 0]) | lstsq(a.T, m[0]) | lstsq([[2, 1], [1, 3]], [[1], [2]]) | lstsq(m * np.array([1, 0], "float32"), m, rcond=1e-3)
solve_triangular(m, [1.0, 2.0]) | solve_triangular(m, m.T, lower=True) | solve_triangular(np.stack([m, m]), np.ones((2, 2), "float32")) | cholesky_inverse(m)
solve_triangular(np.stack([m, m]), m[None]) | cholesky_inverse(m, upper=True) | cholesky_inverse(np.tril(m)) | stft(s, 4, 2, 4) | stft(s, 3, 2, 5, window="hamming")
stft(s, 4, 3, 8, window=None, center=False) | stft(s, 4, 2, 4, window=np.array([1.0, 2, 2, 1])) | stft(np.stack([s, -s]), 1, 1, 2)
istft(p, 4, 2, 6) | istft(p, 6, 2, 6, window=None) | istft(p, 4, 3, 6, window="hamming", center=False) | istft(p, 6, 2, 6, length=7)
istft(p, 4, 2, 6, window=np.array([1.0, 2, 2, 1]), length=30) | raises(lambda: keras.ops.stft(s, 4, 2, 3))[0] | raises(lambda: keras.ops.stft(i, 4, 2, 4))[0]
raises(lambda: keras.ops.stft(s, 4, 2, 4, window="foo"))[0] | raises(lambda: keras.ops.stft(s, 4, 2, 4, window=np.ones(3)))[0]
""".strip().replace("\n", " | ").split(" | ")  # fmt: skip


def test_spreads_quantiles_factors_and_short_transforms(device):
    before = """
i, b, h = np.array([[3, -1, 0], [2, 2, 7]], "int8"), np.array([[True, False, True], [False, False, True]]), data(3, 4).astype("float16")
n, c, e = np.array([[1, np.nan, 3], [np.nan, 5, 2]], "float32"), np.array([1 + 2j, 3 - 1j], "complex64"), np.zeros((0, 4), "float32")
m, a, s = np.array([[4.0, 1.0], [1.0, 3.0]], "float32"), data(4, 2), data(19)
p = (data(5, 4), data(5, 4, low=0, high=2))
"""
    texts = [before + (call if call.startswith("raises") else f"ops.{call}") for call in SPREADS if _have(call)]
    texts += [
        before + "grads(lambda a: ops.istft(ops.stft(a, 4, 2, 4), 4, 2, 4) * s[:18] + ops.stft(a, 4, 2, 6)[1][:2, :1], s)",
        before + "grads(lambda a, m: ops.lstsq(a, a[:, :1] + 1) + ops.solve_triangular(m, m + 1.0, lower=True), a, m)",
        before + "grads(lambda a: ops.nanquantile(a, 0.4, axis=0, method='higher') + ops.slogdet(ops.matmul(a.T, a))[1] + ops.var(a), a)",
        before + "grads(lambda m: ops.cholesky_inverse(m) + ops.threshold(m, 2.0, 1.0), m)",
    ]
    compare_all(texts, "test_keras_functions", device.kind, rtol=1e-3, atol=1e-5)


# i: int8, b: bools, h: halves, x: floats, c: complex
PRODUCTS_AND_ORDERS = """
outer(i, h) | outer(b, i) | outer(x, 2.5) | inner(i, i) | inner(b, x.T) | inner(h, 3) | vdot(i, b) | vdot(c, c) | vdot([1, 2], [1.5, 2]) | kron(i, h) | kron(b, 2)
tensordot(i, i, axes=0) | tensordot(i, x, axes=[[0, 1], [1, 0]]) | tensordot(b, h, axes=[1, 1]) | einsum("ij,kj->ik", i, i) | einsum("ij,kj->ik", b, i) | einsum("ij->ji", i)
einsum("ij,j->i", [[1, 2], [3, 4]], [1.5, 2]) | einsum("ij,kj->ik", h, x.T) | einsum(",i->i", 2, x[0]) | einsum("ij,jk,k->i", x, i, i[0], optimize=True)
einsum("ij,j->i", keras.Variable(x), keras.Variable(x[0])) | heaviside(i, h) | heaviside(x, 0.5) | heaviside(b, 2) | sort(h) | sort(b, axis=0) | sort(i, axis=None) | argsort(i)
argsort(h, axis=0) | argsort(b, axis=None) | argsort(keras.Variable([2.0, 1.0])) | argpartition(i, 1) | argpartition(h, 0, axis=0) | searchsorted([1, 3, 5], i) | searchsorted([1.5, 2], h, side="right")
digitize(i, [0.5, 1.5]) | digitize(h, np.array([0, 1], "int32")) | digitize(2, [1, 2, 3]) | isin(i, [1, 2]) | isin(x, 2, invert=True) | isin([1, 2], i, assume_unique=True) | diff(i) | diff(b)
diff(h, n=2) | diff([[1, 4], [9, 2]], axis=0) | trunc(i) | trunc(b) | trunc(h * 3) | trunc(2.7) | cbrt(i) | cbrt(h) | cbrt(8) | fabs(i) | fabs(b) | fabs(h) | conj(c) | conj(i) | conjugate(b)
sinc(i) | sinc(h) | sinc(b) | sinc([0, 1]) | isposinf(i) | isneginf(h) | isreal(c) | isreal(i) | bitwise_not(i) | bitwise_invert(b) | flipud(i) | fliplr(b) | hsplit(i, 3) | vsplit(h, [1])
dsplit(i[None], [1, 2]) | hsplit([1, 2, 3, 4], 2) | dstack([i, h]) | dstack([b, i, b])
""".strip().replace("\n", " | ").split(" | ")  # fmt: skip


def test_types_of_products_and_orders(device):
    before = """
i, b, x = np.array([[3, -1, 0], [2, 2, 7]], "int8"), np.array([[True, False, True], [False, False, True]]), data(3, 2)
h, c = data(2, 3).astype("float16"), np.array([1 + 2j, 3 - 1j], "complex64")
"""
    texts = [f"{before}ops.{call}" for call in PRODUCTS_AND_ORDERS if _have(call)]
    texts += [before + "grads(lambda a: ops.outer(a, a[0]) * ops.sinc(ops.kron(a, a[:2, 0])[1, 2]) + ops.vdot(a, ops.sort(a)), x)"]
    texts += [before + "grads(lambda a: ops.einsum('ij,kj->ik', a, a) + ops.tensordot(a, a.T, axes=1) + ops.inner(a, ops.diff(a, axis=0)[:1]), x)"]
    compare_all(texts, "test_keras_functions", device.kind, rtol=1e-4, atol=1e-4)


def test_factors_solutions_and_places(device):
    before = """
m = np.array([[4.0, 1.0], [1.0, 3.0]], "float32")
s, n = np.array([[4, 1], [1, 3]], "int32"), np.array([[1, np.nan, 3], [np.nan, np.nan, np.nan]], "float32")
"""
    texts = """
solve(m, [1.0, 2.0]) | solve(m, s) | solve(s, np.ones((2, 1), "int32")) | solve(m, m * 1j) | solve(np.stack([m, m]), m[None]) | qr(m)[1] ** 2 | qr(s)[1] ** 2
qr(m[:1], mode="complete")[1] ** 2 | matrix_rank(m) | matrix_rank(s, tol=3.5) | matrix_rank(np.stack([m, m * 0])) | nanargmax(n) | nanargmin(n, axis=-1)
nanargmax(n, axis=1, keepdims=True) | nanargmin(n, axis=0) | nanargmax(s, axis=0) | nanargmax([[1.5, 2.5]]) | nanargmin(n[1]) | nanargmax(True)
corrcoef(m) | corrcoef(s) | corrcoef([[1, 2, 4], [3, 1, 0]]) | corrcoef(n[:1, ::2])
""".strip().replace("\n", " | ").split(" | ")  # fmt: skip
    refused = ["qr(m, mode='r')", "matrix_rank(m[0])", "solve(m, np.ones(3, 'float32'))", "nanargmax(None)"]
    compare_all([f"{before}ops.{text}" for text in texts + refused if _have(text)], "test_keras_functions", device.kind)
