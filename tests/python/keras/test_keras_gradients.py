"""Every function of quern's Keras backend has its derivative: autograd's, compared with central differences, in float64 at a smooth point.

A case is a call, of arguments that keras_gradients.py names; after ~ stands one whose function computes in float32. A function that is in no case needs a reason in ASIDE.
"""

import re

import pytest
from keras_gradients import MODULES, asked
from keras_oracle import needs_keras
from programs import code

needs_keras()

CASES = {
    "numpy": """
add(x, y) | add(x, w) | subtract(x, y) | subtract(c, x) | multiply(x, y) | multiply(x, c) | divide(x, y) | true_divide(x, y) | divide_no_nan(x, y)
divide_no_nan(x, np.where(x > 0, 0.0, 2.0)) | power(absolute(x), y) | power(x, 3.0) | maximum(x, y) | minimum(x, y) | fmax(x, y) | fmin(x, y) | mod(x, y)
fmod(x, y) | floor_divide(x, y) | arctan2(x, y) | hypot(x, y) | logaddexp(x, y) | logaddexp2(x, y) | ldexp(x, np.array([1, -2, 3]))
heaviside(x, y) | matmul(x, z) | matmul(w, m) | matmul(m, w) | matmul(w, w) | matmul(t, m)
dot(x, z) | dot(w, w) | vdot(x, y) | inner(x, y) | outer(v, w) | kron(x, z) | tensordot(x, z, axes=1) | tensordot(x, y, axes=[[0], [0]])
einsum("ij,jk->ik", x, z) | einsum("ii->i", m) | einsum("ij,kj,k->i", x, y, np.array([0.5, 2.0])) | cross(m, p) | cross(w, m[0]) | correlate(v, w)
correlate(v, w, mode="full") | correlate(w, v, mode="same") | absolute(x) | abs(x) | fabs(x) | negative(x) | square(x) | sqrt(absolute(x)) | cbrt(x) | exp(x)
exp2(x) | expm1(x) | log(absolute(x)) | log2(absolute(x)) | log10(absolute(x)) | log1p(x) | sin(x) | cos(x) | tan(x) | sinh(x) | cosh(x) | tanh(x) | sinc(x)
arcsin(x) | arccos(x) | arctan(x) | arcsinh(x) | arccosh(absolute(x) + 1.0) | arctanh(x) | deg2rad(x) | rad2deg(x) | reciprocal(x) | i0(x) | sign(x) | ceil(x)
floor(x) | trunc(x) | round(x) | round(x * 10, 1) | nan_to_num(x) | real(x) | real(x + 1j * y) | imag(x) | imag(x + 1j * y) | conj(x) | conj(x + 1j * y)
conjugate(x + 1j * y) | angle(x) | angle(x + 1j * y) | clip(x, -0.4, 0.5) | clip(x, y - 0.1, 2.0) | where(x > 0, x, y) | where(x > 0, x, 2.0)
select([x > 0.5, x > -0.5], [x, y], 3.0) | select([x > 0, x > -0.5], [x, y], c) | sum(x) | sum(x, axis=1) | sum(x, axis=(0, 1), keepdims=True) | mean(x) | mean(t, axis=(1, 2))
prod(x) | prod(x, axis=1) | max(x) | max(x, axis=1) | max(x, axis=0, initial=0.2) | min(x, axis=0) | min(x, initial=-5.0) | amax(x, axis=1) | amin(x) | var(x) | var(x, axis=1)
std(x) | std(x, axis=0, keepdims=True) | ptp(x) | ptp(x, axis=1) | average(x, axis=1) | average(x, axis=1, weights=w + 2) | median(x) | median(x, axis=1)
quantile(x, 0.3) | quantile(x, np.array([0.2, 0.7]), axis=1) | percentile(x, 35.0, axis=0) | nansum(x, axis=1) | nanmean(x, axis=0) | nanprod(x) | nanmax(x, axis=1)
nanmin(x) | nanstd(x) | nanvar(x, axis=1) | nanmedian(x) | nanmedian(x, axis=1) | nanquantile(x, 0.4) | nanpercentile(x, 40.0, axis=0) | nancumsum(x, axis=1) | nancumprod(x, axis=1)
nanmean(where(x > 0.5, np.nan, x)) | nansum(where(x > 0.5, np.nan, x)) | nanprod(where(x > 0.5, np.nan, x)) | nanvar(where(x > 0.5, np.nan, x)) | nanmedian(where(x > 0.5, np.nan, x))
nancumsum(where(x > 0.5, np.nan, x)) | nancumprod(where(x > 0.5, np.nan, x)) | nanmax(where(x > 0.5, np.nan, x)) | nanstd(where(x > 0.5, np.nan, x)) | nan_to_num(where(x > 0.5, np.nan, x))
cumsum(x, axis=1) | cumsum(x) | cumprod(x, axis=0) | diff(v) | diff(x, n=2, axis=1) | trapezoid(x) | trapezoid(x, axis=0, dx=0.5) | trapezoid(w, x=m[0]) | sort(x, axis=1) | sort(x, axis=0)
trace(m) | trace(m, offset=1) | diag(v) | diag(m, k=1) | diagonal(x) | diagonal(m, offset=-1) | diagflat(x) | tril(m) | triu(m, k=1) | vander(w) | vander(w, N=4, increasing=True)
corrcoef(x) | slogdet(p) | bincount(np.array([0, 1, 1]), weights=w) | append(x, y, axis=0) | append(x, v) | concatenate([x, y], axis=1) | stack([x, y], axis=1) | hstack([x, y])
vstack([x, y]) | dstack([x, y]) | split(x, [1], axis=1) | split(m, 3) | array_split(v, 2) | hsplit(x, 3) | vsplit(x, 2) | dsplit(t[0], 3)
reshape(x, (3, 2)) | ravel(x) | transpose(x) | transpose(t, (3, 0, 2, 1)) | swapaxes(x, 0, 1) | moveaxis(t, 1, -1) | expand_dims(x, (0, -1)) | squeeze(t, 0) | broadcast_to(w, (2, 3))
flip(x) | flip(x, axis=1) | fliplr(x) | flipud(x) | roll(x, 1, axis=1) | roll(v, -2) | rot90(x) | rot90(x, k=2) | tile(x, (2, 1)) | tile(v, 2) | repeat(x, 2, axis=1)
repeat(x, np.array([1, 2]), axis=0) | pad(x, ((1, 2), (0, 1))) | pad(x, 1, mode="reflect") | pad(x, 1, mode="edge") | pad(x, 1, mode="symmetric") | pad(x, 1, constant_values=2.0)
take(x, np.array([0, 4])) | take(x, np.array([[0, -1], [1, 1]]), axis=1) | take_along_axis(x, np.array([[0], [2]]), axis=1) | copy(x) | array(x) | array([c, c * c]) | meshgrid(v, w)
meshgrid(v, w, indexing="ij") | linspace(c, w, 4) | linspace(x, y, 3, axis=1) | geomspace(absolute(w), absolute(w) + 2, 4, dtype="float64") | logspace(c, w, 3) | full((2, 3), c, dtype="float64") | full_like(x, c)
full_like(y, w) | unique(x) | vectorize(lambda a, b: a * b)(w, w + 1.0) | view(x, "float64") | histogram(v)[1]
""",
    "nn": """
relu(x) | relu6(x * 9) | sigmoid(x) | sparse_sigmoid(x * 2) | tanh(x) | tanh_shrink(x) | softplus(x) | softsign(x) | soft_shrink(x) | sparse_plus(x * 2) | silu(x)
squareplus(x) | log_sigmoid(x) | leaky_relu(x) | hard_sigmoid(x * 4) | hard_silu(x * 4) | elu(x, alpha=1.3) | selu(x) | gelu(x) | gelu(x, approximate=False)
celu(x, alpha=0.7) | glu(v[:4]) | glu(z, axis=1) | hard_tanh(x * 2) | hard_shrink(x) | threshold(x, 0.1, 5.0) | softmax(x) | softmax(x, axis=0)
softmax(x, axis=None) | log_softmax(x) | log_softmax(x, axis=(0, 1)) | sparsemax(x) | sparsemax(x, axis=0) | categorical_crossentropy(np.abs(y), softmax(x))
categorical_crossentropy(x, y, from_logits=True) | sparse_categorical_crossentropy(np.array([0, 2]), softmax(x)) | sparse_categorical_crossentropy(np.array([0, 2]), x, from_logits=True)
binary_crossentropy(numpy.absolute(y), sigmoid(x)) | binary_crossentropy(y, x, from_logits=True) | moments(x, axes=[0]) | moments(t, axes=[0, 1, 2], keepdims=True)
batch_normalization(x, mean=w, variance=numpy.absolute(m[0]), axis=1, offset=m[1], scale=m[2]) | batch_normalization(t, w, w * w, -1) | psnr(x, y, 1.0)
conv(t, numpy.reshape(z, (1, 2, 3, 1))) | conv(t, numpy.reshape(z, (1, 2, 3, 1)), 2, "same") | conv(numpy.transpose(t, (0, 3, 1, 2)), numpy.reshape(z, (1, 2, 3, 1)), data_format="channels_first")
depthwise_conv(t, numpy.reshape(z, (1, 2, 3, 1)), padding="same") | separable_conv(t, numpy.reshape(z, (1, 2, 3, 1)), numpy.reshape(m, (1, 1, 3, 3)))
conv_transpose(t, numpy.reshape(z, (1, 2, 1, 3)), 2) | conv_transpose(t, numpy.reshape(z, (1, 2, 1, 3)), 2, "same") | max_pool(t, 2) | max_pool(t, 2, 1, "same")
average_pool(t, 2) | average_pool(t, (2, 1), 1, "same")
dot_product_attention(t, t * 0.5, t + 0.1) | dot_product_attention(t, t, t, is_causal=True) | dot_product_attention(t, t, t, bias=numpy.reshape(c, (1, 1, 1, 1)), scale=0.3)
unfold(numpy.transpose(t, (0, 3, 1, 2)), 2) | unfold(numpy.transpose(t, (0, 3, 1, 2)), 2, padding=1, stride=1) | fold(unfold(numpy.transpose(t, (0, 3, 1, 2)), 2, padding=1), (2, 2), 2, padding=1)
depth_to_space(numpy.concatenate([t, t[..., :1]], axis=-1), 2) | space_to_depth(t, 2) | adaptive_average_pool(t, 1) | adaptive_average_pool(t, (2, 1)) | adaptive_max_pool(t, 1)
ctc_loss(np.array([[1, 2]]), numpy.reshape(numpy.concatenate([m, x]), (1, 5, 3)), np.array([2]), np.array([5]), mask_index=0)
""",
    "math": """
segment_sum(m, np.array([0, 1, 0]), 2) | segment_sum(m, np.array([0, -1, 5]), 2) | segment_max(m, np.array([0, 1, 0]), 2) | segment_min(m, np.array([0, 1, 0]), 2)
segment_prod(m, np.array([0, 1, 0]), 2) | top_k(x, 2) | logsumexp(x) | logsumexp(x, axis=1, keepdims=True) | cdist(x, y) | extract_sequences(v, 3, 1) | fft((x, y)) | fft2((x, y))
ifft2((x, y)) | rfft(v) | rfft(x, fft_length=4) | irfft((x, y)) | irfft((x, y), fft_length=3) | stft(v, 3, 1, 4) | stft(x, 2, 1, 2, window=None, center=False)
istft((x, y), 4, 2, 4) | istft((m, p), 3, 1, 4, window="hamming") | rsqrt(x * x) | erf(x) | erfc(x) | erfinv(x) | erfinv(x * 0.1) | erfinv(x * 1.01) | logdet(p)
""",
    "core": """
convert_to_tensor(x) | convert_to_tensor([c, c * 2]) | cast(x, "float64") | unstack(x, axis=1) | cond(True, lambda: x * 2, lambda: x) | switch(1, [lambda a: a, lambda a: a * a], x)
while_loop(lambda a: a < 5, lambda a: a * a + 1, (c,)) | fori_loop(0, 3, lambda i, a: a * a + i, x) | map(lambda r: r * r, x) | vectorized_map(lambda r: r * r, x)
vectorized_map(lambda rs: rs[0] * rs[1], [x, y]) | scan(lambda a, b: (a * b, a + b), c, v) | scan(lambda a, b: (a * b, a + b), c, v, reverse=True)
associative_scan(lambda a, b: a * b, v) | associative_scan(lambda a, b: a * b, x, axis=1, reverse=True) | scatter(np.array([[0], [2], [0]]), m, (4, 3))
scatter_update(x, np.array([[0, 1], [1, 2]]), v[:2]) | scatter_update(x, np.array([[0], [0]]), y, reduction="add") | scatter_update(x, np.array([[0, 1], [1, 2]]), v[:2], reduction="max")
scatter_update(x, np.array([[0, 1], [1, 2]]), v[:2], reduction="min") | scatter_update(x, np.array([[0, 1], [1, 2]]), v[:2], reduction="mul")
scatter_update(x, np.array([[0, 1], [0, 1]]), v[:2], reduction="mul") | scatter_update(x, np.array([[0, 1], [0, 1]]), v[:2], reduction="max")
slice(x, (0, 1), (2, 2)) | slice_update(x, (1, 1), y[:1, :2]) | remat(lambda a: a * a)(x)
""",
    "image": """
rgb_to_grayscale(t) | rgb_to_grayscale(numpy.transpose(t, (0, 3, 1, 2)), data_format="channels_first") | rgb_to_grayscale(t[..., :1]) | rgb_to_hsv(t) | hsv_to_rgb(t)
resize(t, (3, 5)) | resize(t, (1, 1), antialias=True) | resize(t, (3, 4), interpolation="nearest") | resize(t, (3, 3), interpolation="bicubic")
resize(t, (3, 3), interpolation="lanczos3") | resize(t, (3, 3), interpolation="lanczos5") | resize(t, (4, 2), pad_to_aspect_ratio=True) | resize(t, (4, 2), crop_to_aspect_ratio=True)
compute_homography_matrix(np.array([[[0.0, 0], [0, 2], [2, 0], [3, 3]]]) + c, np.array([[[0.0, 1], [0, 4], [3, 1], [5, 5]]]) + c * c)
scale_and_translate(t, (1, 3, 4, 3), w[:2] + 2, w[1:] * 0.3, (1, 2), "linear") | scale_and_translate(t, (1, 3, 4, 3), w[:2] + 2, w[1:] * 0.3, (1, 2), "cubic")
scale_and_translate(t, (1, 3, 4, 3), w[:2] + 2, w[1:] * 0.3, (1, 2), "lanczos3", antialias=False)
map_coordinates(x, numpy.stack([v[:2] * 0.3 + 0.2, v[1:3] * 0.3 + 0.3]), 1) | gaussian_blur(t, data_format="channels_last") | sobel_edges(t) | elastic_transform(t, 0.1, 1.0, seed=3)
affine_transform(t, numpy.concatenate([w[:1] + 1, w[1:] * 0.1, w * 0.1, np.array([0.0, 0.0])])[:8]) | perspective_transform(t, np.array([[0.0, 0], [0, 2], [2, 0], [3, 3]]), np.array([[0.1, 0], [0, 2.2], [2, 0.1], [3, 3]]))
""",
    "linalg": """
cholesky(p + p.T) | cholesky(p + p.T, upper=True) | cholesky_inverse(p) | cholesky_inverse(p, upper=True) | det(m) | inv(p) | solve(p, m) | solve(p, w) | solve_triangular(p, m, lower=True)
solve_triangular(p, w) | eigh(m + m.T)[0] | eigh(m + m.T)[1] ** 2 | eig(p)[0] | qr(m) | qr(z) | svd(m)[0] ** 2 | svd(x, compute_uv=False) | lstsq(z, w) | lstsq(p, m) | pinv(x) | norm(x)
norm(x, ord=1, axis=1) | norm(x, ord=3, axis=0) | norm(x, ord=np.inf, axis=1) | norm(m, ord="fro") | norm(m, ord="nuc") | norm(m, ord=2) | norm(m, ord=-2) | jvp(lambda a: a * a * a, (x,), (y,)) | jvp(lambda a, b: [a @ b, b * b * b], (x, z), (y, z * 2)) | jvp(lambda a: (a ** 4, 3), (x,), (y,), has_aux=True)
""",
    "random": """
normal((3,), mean=w, stddev=m[0], seed=3, dtype="float64") | normal((3,), mean=c, seed=3, dtype="float64") | uniform((3,), minval=w, maxval=w + 2, seed=3, dtype="float64")
truncated_normal((3,), mean=w, stddev=m[0], seed=3, dtype="float64") | dropout(x, 0.4, seed=3) | shuffle(x, seed=3) | shuffle(x, axis=1, seed=3)
""",
}
# What has no derivative to be tried, by the reason.
ASIDE = {
    "the results are truths": """all allclose any equal not_equal greater greater_equal less less_equal isclose isfinite isin isinf isnan isneginf isposinf isreal
logical_and logical_not logical_or logical_xor signbit in_top_k is_tensor""",
    "the results are places or counts": """argmax argmin nanargmax nanargmin argsort argpartition searchsorted digitize nonzero unravel_index count_nonzero size ndim shape
matrix_rank ctc_decode""",
    "the arguments are integers": """bitwise_and bitwise_invert bitwise_not bitwise_or bitwise_xor bitwise_left_shift left_shift bitwise_right_shift right_shift gcd lcm
one_hot multi_hot""",
    "the results depend on sizes and types alone": """ones zeros empty ones_like zeros_like empty_like arange bartlett hamming hanning blackman kaiser identity eye tri
placeholder""",
    "not differentiable: the next number there is, as on other backends": "nextafter",
    "it is about gradients itself": "stop_gradient gradients",
    "the same array under another type: test_keras_operators.py": "as_tensor typed",
    "it gives no tensors": "is_real convert_to_numpy device_scope on_device random_seed_dtype compute_output_spec",
    "drawn numbers that are whole": "randint categorical binomial",
    "drawn by rejection, so that differences do not tell it: test_what_is_drawn_by_rejection": "gamma beta",
}


def calls(module):
    return [one.strip() for one in CASES[module].replace("\n", " | ").split(" | ") if one.strip()]


@pytest.mark.parametrize("module", MODULES)
def test_derivatives(device, module):
    texts = calls(module)
    answers = asked("slopes", [(module, text) for text in texts], device.kind)
    wrong = [f"{text}\n    {answer}" for text, answer in zip(texts, answers, strict=True) if answer]
    assert not wrong, f"{len(wrong)} of {len(texts)}:\n\n" + "\n\n".join(wrong)


def test_every_function_is_tried():
    aside = {name for names in ASIDE.values() for name in names.split()}
    known = set()
    for module, functions in asked("names").items():
        tried = {re.match(r"[~ ]*(\w+)", text)[1] for text in calls(module)}
        left = [name for name, is_stand_in in functions.items() if not is_stand_in and name not in tried and name not in aside]
        assert not left, f"{module}: {left} have no case, and no reason to have none"
        assert not tried - set(functions), f"{module}: {tried - set(functions)} are no functions"
        known |= set(functions)
    assert not aside - known, f"{aside - known} are no functions"


def test_values_of_functions_made_for_their_derivatives(device):
    text = """
import quern.keras, keras, numpy as np
from keras import ops
from keras.src import backend
from quern.keras.backend import linalg
from quern.keras.backend.core import gradients
close = lambda found, want: np.testing.assert_allclose(ops.convert_to_numpy(found), want, rtol=2e-5, atol=1e-6)
x = np.random.default_rng(0).normal(size=(2, 7, 5, 3)).astype("float32")

def pooled(x, size, pool):
    for axis, n in zip((1, 2), size):
        count = x.shape[axis]
        ends = [(i * count // n, -(-(i + 1) * count // n)) for i in range(n)]
        x = np.stack([pool(x.take(range(a, b), axis), axis=axis) for a, b in ends], axis=axis)
    return x

for size in ((3, 2), (7, 5), (1, 1), (4, 3)):
    close(ops.adaptive_average_pool(x, size), pooled(x, size, np.mean))
    close(ops.adaptive_max_pool(x, size), pooled(x, size, np.max))
close(ops.adaptive_average_pool(x[:, :, 0].transpose(0, 2, 1), 3, data_format="channels_first"), pooled(x, (3, 5), np.mean)[:, :, 0].transpose(0, 2, 1))
close(ops.adaptive_average_pool(x[:, None], (1, 3, 2)), pooled(x, (3, 2), np.mean)[:, None])

a = x[0, 0]
out, along = linalg.jvp(lambda a, b: {"dot": ops.matmul(a, b), "sin": ops.sin(b)}, (a, a.T), (a * 2, a.T * 3))
close(out["dot"], a @ a.T), close(along["dot"], 5 * a @ a.T), close(along["sin"], np.cos(a.T) * 3 * a.T)
out, along, more = linalg.jvp(lambda a: (ops.exp(a), "more"), (a,), (a,), has_aux=True)
close(out, np.exp(a)), close(along, np.exp(a) * a)
assert more == "more"
out, along = linalg.jvp(lambda a: ops.ones(2), (a,), (a,))
close(along, np.zeros(2))

close(ops.vectorize(lambda a, b: a * b + 1)(a[:, :1], a[:1]), a[:, :1] * a[:1] + 1)
close(ops.vectorize(ops.sum, signature="(n)->()")(a), a.sum(-1))
close(ops.vectorize(ops.dot, signature="(n),(n)->()")(a, a[0]), a @ a[0])
start, stop = ops.convert_to_tensor(np.array([1, -2], "float32")), ops.convert_to_tensor(np.array([8, -50], "float32"))
for endpoint in (True, False):
    close(ops.geomspace(start, stop, 4, endpoint=endpoint), np.geomspace([1, -2], [8, -50], 4, endpoint=endpoint))
    close(ops.geomspace(start, stop, 4, endpoint=endpoint, axis=-1), np.geomspace([1, -2], [8, -50], 4, endpoint=endpoint, axis=-1))

v, u = keras.Variable(np.array([1, 5, 3], "float32")), keras.Variable(np.array([4, 1, 2, 7, 3], "float32"))
found = ops.scatter_update(v, np.array([[0], [0], [1], [1], [2]]), u, reduction="max")
close(found, [4, 7, 3])
close(gradients(ops.sum(found), [v])[0], [0, 0, 0.5])
close(gradients(ops.sum(ops.scatter_update(v, np.array([[0], [0], [1], [1], [2]]), u, reduction="max")), [u])[0], [1, 0, 0, 1, 0.5])
close(ops.scatter_update(v, np.array([[0]]), np.array([np.inf], "float32"), reduction="max"), [np.inf, 5, 3])
close(ops.i0(np.array([0, 1, -3, 20], "float32")), np.i0([0, 1, -3, 20]))
h = keras.Variable(np.array([1, 2, 2, 5], "float32"))
counts, edges = ops.histogram(h, bins=4)
close(counts, [1, 2, 0, 1]), close(edges, [1, 2, 3, 4, 5])
z, w = keras.Variable(x[0, 0]), keras.Variable(x[0, 1])
close(ops.lstsq(ops.convert_to_tensor(z), ops.convert_to_tensor(w)), np.linalg.lstsq(x[0, 0], x[0, 1], rcond=None)[0])
print("well")
"""
    done = code(text, QUERN_DEVICE=device.kind)
    assert done.stdout == "well\n", done.stdout + done.stderr


def test_what_is_drawn_by_rejection(device):
    """The mean of a gamma distribution is its shape, that of a beta distribution a / (a + b): the slopes' means are those of the means."""
    done = code(
        """
import quern.keras, keras, numpy as np
from quern.lib import _engine
for name, parameters, want in (("gamma", (2.5,), (1.0,)), ("beta", (2.0, 3.0), (3 / 25, -2 / 25))):
    leaves = [keras.ops.full(100_000, p) for p in parameters]
    for leaf in leaves:
        _engine.want_gradient(leaf, True)
    result = keras.ops.sum(getattr(keras.random, name)((100_000,), *leaves, seed=3))
    slopes = [float(g.get().mean()) for g in _engine.gradients((result,), (None,), tuple(leaves), False, False, True)]
    assert np.allclose(slopes, want, rtol=0.02), (name, slopes)
print("well")
"""
    )
    assert done.stdout == "well\n", done.stderr
