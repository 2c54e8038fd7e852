"""The TensorFlow front end under `quern run`: functions, variables and tapes give what TensorFlow 2.21 gave for the same lines."""

import pytest
from keras_oracle import needs_keras
from programs import quern, together

needs_keras()

HEAD = """
import numpy as np
import tensorflow as tf

def show(x):
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(show(one) for one in x) + "]"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{name}: {show(one)}" for name, one in x.items()) + "}"
    x = x.numpy() if hasattr(x, "numpy") else x
    if isinstance(x, (np.ndarray, np.generic)):
        return f"{x.dtype}{(np.round(x.astype(float), 3) + 0 if x.dtype.kind == 'f' else x).tolist()}"
    return str(x)

a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1, 2], [3, 4]])
"""
FUNCTIONS = """
tf.reduce_mean(b) | int322
tf.reduce_sum(b, axis=[0]) | int32[4, 6]
tf.cumsum([1, 2, 3], exclusive=True) | int32[0, 1, 3]
tf.cumsum([1, 2, 3], reverse=True) | int32[6, 5, 3]
tf.math.cumprod([1, 2, 3], exclusive=True, reverse=True) | int32[6, 3, 1]
tf.sort(a, direction="DESCENDING") | float32[[2.0, 1.0], [4.0, 3.0]]
tf.argsort([3, 1, 1, 2], direction="DESCENDING") | int32[0, 3, 1, 2]
tf.math.top_k([1.0, 3.0, 2.0], k=2).indices | int32[1, 2]
tf.repeat([1, 2], 2) | int32[1, 1, 2, 2]
tf.round([0.5, 1.5, 2.5]) | float32[0.0, 2.0, 2.0]
tf.divide(b, 2) | float64[[0.5, 1.0], [1.5, 2.0]]
b / 2 | float64[[0.5, 1.0], [1.5, 2.0]]
tf.constant([1, 2], tf.int8) / tf.constant([2, 4], tf.int8) | float32[0.5, 0.5]
tf.add(a, b.numpy()) | float32[[2.0, 4.0], [6.0, 8.0]]
tf.sqrt(tf.constant([2.0], tf.float64)) | float64[1.414]
tf.norm(a, ord=1) | float3210.0
tf.norm(a, axis=1) | float32[2.236, 5.0]
tf.norm(a, axis=[0, 1]) | float325.477
tf.nn.gelu(a) | float32[[0.841, 1.954], [2.996, 4.0]]
tf.nn.leaky_relu([-1.0], alpha=0.1) | float32[-0.1]
tf.eye(2, batch_shape=[1]) | float32[[[1.0, 0.0], [0.0, 1.0]]]
tf.linspace(0, 4, 3) | float64[0.0, 2.0, 4.0]
tf.where(a > 2) | int64[[1, 0], [1, 1]]
tf.where(a > 2, a, 0.0) | float32[[0.0, 0.0], [3.0, 4.0]]
tf.gather_nd(a, [[0, 1], [1, 0]]) | float32[2.0, 3.0]
tf.boolean_mask(a, [True, False]) | float32[[1.0, 2.0]]
tf.scatter_nd([[1], [1]], [5.0, 6.0], [3]) | float32[0.0, 11.0, 0.0]
tf.tensor_scatter_nd_update([1.0, 2, 3], [[1]], [9.0]) | float32[1.0, 9.0, 3.0]
tf.slice(a, [0, 1], [-1, 1]) | float32[[2.0], [4.0]]
tf.split(tf.range(6), [1, -1, 2]) | [int32[0], int32[1, 2, 3], int32[4, 5]]
tf.sequence_mask([1, 3], 3) | bool[[True, False, False], [True, True, True]]
tf.roll([1, 2, 3], 1, 0) | int32[3, 1, 2]
tf.clip_by_norm([3.0, 4.0], 1.0) | float32[0.6, 0.8]
tf.clip_by_global_norm([[3.0], None, [4.0]], 2.5) | [[float32[1.5], None, float32[2.0]], float325.0]
tf.linalg.diag([1.0, 2.0]) | float32[[1.0, 0.0], [0.0, 2.0]]
tf.linalg.set_diag(a, [9.0, 8.0]) | float32[[9.0, 2.0], [3.0, 8.0]]
tf.linalg.band_part(a, 0, -1) | float32[[1.0, 2.0], [0.0, 4.0]]
tf.linalg.triangular_solve(a, [[1.0], [2.0]]) | float32[[1.0], [-0.25]]
tf.linalg.normalize([3.0, 4.0]) | [float32[0.6, 0.8], float32[5.0]]
tf.math.l2_normalize(a, axis=1) | float32[[0.447, 0.894], [0.6, 0.8]]
tf.math.xlogy(0.0, 0.0) | float320.0
tf.math.squared_difference(a, 1.0) | float32[[0.0, 1.0], [4.0, 9.0]]
tf.math.count_nonzero([[0, 1], [2, 3]], axis=0) | int64[1, 2]
tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]) | int32[[1, 0], [1, 1]]
tf.math.unsorted_segment_sum(a, [1, 0], 2) | float32[[3.0, 4.0], [1.0, 2.0]]
tf.math.in_top_k([0, 1], [[0.9, 0.1], [0.8, 0.2]], 1) | bool[True, False]
tf.nn.bias_add(a, [1.0, 2.0]) | float32[[2.0, 4.0], [4.0, 6.0]]
tf.nn.weighted_cross_entropy_with_logits([1.0], [0.0], 2.0) | float32[1.386]
tf.nn.batch_normalization(a, 1.0, 2.0, 0.0, 1.0, 0.0) | float32[[0.0, 0.707], [1.414, 2.121]]
[tf.float32.name, tf.int32.is_integer, tf.float16.size, a.dtype == tf.float32] | [float32, True, 2, True]
[tf.Variable(1.0).dtype.name, tf.Variable([1]).dtype.is_integer, tf.Variable(1.0).dtype == tf.float32] | [float32, True, True]
tf.meshgrid([1, 2], [3, 4, 5]) | [int32[[1, 2], [1, 2], [1, 2]], int32[[3, 3], [4, 4], [5, 5]]]
tf.meshgrid([1.0, 2.0], [3.0, 4.0], indexing="ij") | [float32[[1.0, 1.0], [2.0, 2.0]], float32[[3.0, 4.0], [3.0, 4.0]]]
tf.complex([1.0], [2.0]) | complex64[(1+2j)]
tf.saturate_cast([300.0, -5.0], tf.uint8) | uint8[255, 0]
tf.ensure_shape(a, (None, 2)) | float32[[1.0, 2.0], [3.0, 4.0]]
tf.searchsorted([1.0, 3.0, 5.0], [0.0, 3.0, 6.0]) | int32[0, 1, 3]
tf.searchsorted([1.0, 3.0, 5.0], [3.0], side="right") | int32[2]
tf.searchsorted([[1, 3], [5, 7]], [[2, 3], [6, 9]]) | int32[[1, 1], [1, 2]]
tf.unique([4, 2, 4, 1, 2]) | [int32[4, 2, 1], int32[0, 1, 0, 2, 1]]
tf.unique([4, 2, 4, 1, 2]).idx | int32[0, 1, 0, 2, 1]
tf.unique_with_counts([4, 2, 4, 1, 2]) | [int32[4, 2, 1], int32[0, 1, 0, 2, 1], int32[2, 2, 1]]
tf.cosh([0.5]) | float32[1.128]
tf.negative(b) | int32[[-1, -2], [-3, -4]]
tf.atan2([1.0], [2.0]) | float32[0.464]
tf.acosh([2.0]) | float32[1.317]
tf.cond(tf.reduce_sum(a) > 3, lambda: a + 1, lambda: a - 1) | float32[[2.0, 3.0], [4.0, 5.0]]
tf.cond(True, lambda: 1, lambda: 2) | 1
tf.case([(tf.constant(False), lambda: tf.constant(1)), (tf.constant(True), lambda: tf.constant(2))], default=lambda: tf.constant(3)) | int322
tf.case([(tf.constant(False), lambda: tf.constant(1))], default=lambda: tf.constant(3)) | int323
tf.switch_case(tf.constant(1), [lambda: tf.constant(5), lambda: tf.constant(6)]) | int326
tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0))) | [int325, int3210]
tf.map_fn(lambda x: x * 2, b) | int32[[2, 4], [6, 8]]
tf.map_fn(lambda t: t[0] + t[1], (a, a), fn_output_signature=tf.float32) | float32[[2.0, 4.0], [6.0, 8.0]]
tf.map_fn(lambda x: (x, -x), a, fn_output_signature=(tf.float32, tf.float32)) | [float32[[1.0, 2.0], [3.0, 4.0]], float32[[-1.0, -2.0], [-3.0, -4.0]]]
tf.map_fn(lambda x: tf.cast(x, tf.float32) / 2, tf.range(3), dtype=tf.float32) | float32[0.0, 0.5, 1.0]
tf.vectorized_map(lambda x: tf.reduce_sum(x), a) | float32[3.0, 7.0]
tf.scan(lambda s, x: s + x, tf.constant([1, 2, 3])) | int32[1, 3, 6]
tf.scan(lambda s, x: s + x, tf.constant([1, 2, 3]), initializer=10) | int32[11, 13, 16]
tf.scan(lambda s, x: s + x, tf.constant([1, 2, 3]), reverse=True) | int32[6, 5, 3]
tf.foldl(lambda s, x: s * 2 + x, tf.constant([1, 2, 3])) | int3211
tf.foldr(lambda s, x: s * 2 + x, tf.constant([1, 2, 3]), initializer=1) | int3225
tf.math.lgamma([0.5, 3.0, -1.5]) | float32[0.572, 0.693, 0.86]
tf.math.digamma([0.5, 3.0]) | float32[-1.964, 0.923]
tf.math.erfc([0.5, -1.0]) | float32[0.48, 1.843]
tf.math.erfinv([0.5, -0.1]) | float32[0.477, -0.089]
tf.math.polyval([2.0, 0.0, 1.0], a) | float32[[3.0, 9.0], [19.0, 33.0]]
tf.math.zero_fraction([0, 1, 0]) | float320.667
tf.math.rint([0.5, 1.5, -2.5]) | float32[0.0, 2.0, -2.0]
tf.math.multiply_no_nan([1.0, float("nan")], [2.0, 0.0]) | float32[2.0, 0.0]
tf.math.reciprocal_no_nan([2.0, 0.0]) | float32[0.5, 0.0]
tf.math.segment_mean(a, [0, 0]) | float32[[2.0, 3.0]]
tf.math.segment_mean([1, 2, 4], [0, 0, 2]) | int32[1, 0, 4]
tf.math.segment_max([1, 7, 4], [0, 0, 1]) | int32[7, 4]
tf.nn.crelu([1.0, -2.0]) | float32[1.0, 0.0, 0.0, 2.0]
tf.linalg.cholesky_solve(tf.linalg.cholesky([[4.0, 1.0], [1.0, 3.0]]), [[1.0], [2.0]]) | float32[[0.091], [0.636]]
tf.linalg.global_norm([[3.0], [4.0]]) | float325.0
tf.executing_eagerly() | True
tf.zeros_initializer()((2,)) | float32[0.0, 0.0]
tf.constant_initializer(3.0)((2,)) | float32[3.0, 3.0]
tf.losses.MeanSquaredError()([1.0], [3.0]) | float324.0
[d for d in tf.data.Dataset.range(6).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))] | [int64[0, 1, 2], int64[1, 2, 3], int64[2, 3, 4], int64[3, 4, 5]]
[list(w) for w in tf.data.Dataset.range(5).window(2)] | [[int640, int641], [int642, int643], [int644]]
list(tf.data.Dataset.range(10).take_while(lambda x: x < 3)) | [int640, int641, int642]
list(tf.data.Dataset.from_tensor_slices([1, 2, 1, 3]).unique()) | [int321, int322, int323]
list(tf.data.Dataset.range(1, 4).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)) | [int641, int641, int642, int642, int641, int642, int643, int643, int643]
list(tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2)) | [int64[[1, 0], [2, 2]], int64[[3, 3, 3, 0], [4, 4, 4, 4]]]
list(tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[5], padding_values=tf.constant(-1, tf.int64))) | [int64[[1, -1, -1, -1, -1], [2, 2, -1, -1, -1]], int64[[3, 3, 3, -1, -1]]]
list(tf.data.Dataset.range(4).enumerate().skip(2)) | [[int642, int642], [int643, int643]]
tf.cast(tf.data.Dataset.range(4).element_spec.dtype == tf.int64, tf.int32) | int321
tf.repeat(a, [1, 2], axis=0) | float32[[1.0, 2.0], [3.0, 4.0], [3.0, 4.0]]
tf.tile(b, [1, 2]) | int32[[1, 2, 1, 2], [3, 4, 3, 4]]
tf.einsum("ij,ij->i", a, a) | float32[5.0, 25.0]
tf.tensordot(a, a, axes=[[1], [0]]) | float32[[7.0, 10.0], [15.0, 22.0]]
tf.reduce_max(a, axis=1, keepdims=True) | float32[[2.0], [4.0]]
b // 2 | int32[[0, 1], [1, 2]]
b % 2 | int32[[1, 0], [1, 0]]
-b | int32[[-1, -2], [-3, -4]]
abs(-a) | float32[[1.0, 2.0], [3.0, 4.0]]
a ** 2 | float32[[1.0, 4.0], [9.0, 16.0]]
2 ** b | int32[[2, 4], [8, 16]]
b @ b | int32[[7, 10], [15, 22]]
~tf.constant([True]) | bool[False]
a[:, -1] | float32[2.0, 4.0]
tf.math.floormod([-5, 5], 3) | int32[1, 2]
tf.sign(b) | int32[[1, 1], [1, 1]]
tf.math.top_k([1, 5, 3], 2) | [int32[5, 3], int32[1, 2]]
tf.bitcast(tf.constant([1.0]), tf.int32) | int32[1065353216]
tf.clip_by_value(b, 2, 3) | int32[[2, 2], [3, 3]]
tf.stack([1, 2]) | int32[1, 2]
tf.stack([a, a], axis=1) | float32[[[1.0, 2.0], [1.0, 2.0]], [[3.0, 4.0], [3.0, 4.0]]]
tf.concat([[1, 2], [3]], 0) | int32[1, 2, 3]
tf.unstack(b, axis=1) | [int32[1, 3], int32[2, 4]]
tf.reverse(b, [1]) | int32[[2, 1], [4, 3]]
tf.pad([1, 2, 3], [[1, 2]], mode="REFLECT") | int32[2, 1, 2, 3, 2, 1]
tf.range(0, 1, 0.25) | float32[0.0, 0.25, 0.5, 0.75]
tf.range(5, dtype=tf.float32) | float32[0.0, 1.0, 2.0, 3.0, 4.0]
tf.zeros(3, tf.int32) | int32[0, 0, 0]
tf.zeros([]) | float320.0
tf.ones_like(b) | int32[[1, 1], [1, 1]]
tf.ones_like(b, dtype=tf.float32) | float32[[1.0, 1.0], [1.0, 1.0]]
tf.constant(5, shape=[2]) | int32[5, 5]
tf.constant([True, False]) | bool[True, False]
tf.constant(3.0, tf.float64) | float643.0
tf.argmax(a, axis=1) | int64[1, 1]
tf.argsort([3, 1, 2]) | int32[1, 2, 0]
tf.reduce_all([True, False]) | boolFalse
tf.nn.softmax([1.0, 2.0]) | float32[0.269, 0.731]
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=[[1.0, 2.0]]) | float32[1.313]
tf.keras.activations.relu([-1.0, 1.0]) | float32[0.0, 1.0]
tf.square([1, 2]) | int32[1, 4]
tf.sqrt([4.0]) | float32[2.0]
tf.pow(2, 3) | int328
tf.pow([2.0], [3]) | float32[8.0]
tf.maximum([1, 5], 3) | int32[3, 5]
tf.minimum(a, 2.5) | float32[[1.0, 2.0], [2.5, 2.5]]
tf.subtract(5, b) | int32[[4, 3], [2, 1]]
tf.multiply(a, [1.0, 2.0]) | float32[[1.0, 4.0], [3.0, 8.0]]
tf.equal(b, 2) | bool[[False, True], [False, False]]
tf.not_equal(b, b) | bool[[False, False], [False, False]]
tf.size(a) | int324
tf.squeeze([[[1]]]) | int321
tf.transpose(tf.reshape(tf.range(6), (1, 2, 3)), perm=[2, 0, 1]) | int32[[[0, 3]], [[1, 4]], [[2, 5]]]
tf.broadcast_to([1, 2], [2, 2]) | int32[[1, 2], [1, 2]]
tf.math.log([1.0, 2.0]) | float32[0.0, 0.693]
tf.math.cumulative_logsumexp([1.0, 2.0]) | float32[1.0, 2.313]
tf.histogram_fixed_width([0.0, 1.0, 4.9, 5.0], [0.0, 5.0], nbins=5) | int32[1, 1, 0, 0, 2]
tf.math.bincount([1, 1, 3]) | int32[0, 2, 0, 1]
tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]) | float32[[1.0, 1.0], [0.0, 1.0]]
tf.linalg.diag_part(a) | float32[1.0, 4.0]
tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])[0] | float32[1.0, 2.0]
tf.nest.flatten([[1, 2], 3]) | [1, 2, 3]
tf.nest.map_structure(lambda x: x + 1, [1, [2]]) | [2, [3]]
""".strip().splitlines()
PROGRAMS = {
    "what a tape sees": (
        """
x0, x1, x2 = tf.Variable(3.0), tf.Variable(3.0, trainable=False), tf.Variable(2.0)
before = x2 * 2.0
with tf.GradientTape() as tape:
    y = x0**2 + x1**2 + before**2
print(show(tape.gradient(y, [x0, x1, x2])), [v is x0 for v in tape.watched_variables()])
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(x2)
    y = x0 * x2
print(show(tape.gradient(y, {"x0": x0, "x2": x2})))
with tf.GradientTape() as tape:
    y = x0**2
    tape.reset()
    y = y + x2**2
print(show(tape.gradient(y, [x0, x2])))
with tf.GradientTape() as tape:
    x0.assign_add(x2)
    y = x0**2
print(show(tape.gradient(y, x2, unconnected_gradients=tf.UnconnectedGradients.ZERO)))
i = tf.constant(10)
with tf.GradientTape() as tape:
    tape.watch(i)
    y = i * i
print(tape.gradient(y, i))
""",
        ["[float326.0, None, None] [True]", "{x0: None, x2: float323.0}", "[None, float324.0]", "float320.0", "None"],
    ),
    "gradients through control flow": (
        """
x = tf.Variable([1.0, 2.0, 3.0])
def gradient(f):
    with tf.GradientTape() as tape:
        y = f()
    print(show(tape.gradient(y, x)))
gradient(lambda: tf.map_fn(lambda one: one * one, x))
gradient(lambda: tf.scan(lambda s, one: s * one, x))
gradient(lambda: tf.foldl(lambda s, one: s * one, x))
gradient(lambda: tf.cond(tf.reduce_sum(x) > 5, lambda: x * 3, lambda: x))
gradient(lambda: tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x), (tf.constant(0), tf.ones(3)))[1])
gradient(lambda: tf.math.lgamma(x) + tf.math.erfc(x) + tf.nn.crelu(x)[:3])
gradient(lambda: tf.meshgrid(x, x)[0] * [[1.0, 2.0, 3.0]])
""",
        [
            "float32[2.0, 4.0, 6.0]",
            "float32[9.0, 4.0, 2.0]",
            "float32[6.0, 3.0, 2.0]",
            "float32[3.0, 3.0, 3.0]",
            "float32[3.0, 12.0, 27.0]",
            "float32[0.008, 1.402, 1.923]",
            "float32[3.0, 6.0, 9.0]",
        ],
    ),
    "jacobians": (
        """
d, x = tf.Variable(0.0), tf.linspace(-10.0, 10.0, 3)
with tf.GradientTape() as tape:
    y = tf.nn.sigmoid(x + d)
print(show(tape.jacobian(y, d)))
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x**2
print(show(tape.batch_jacobian(y, x)), tape.jacobian(y, [x, d])[0].shape, tape.jacobian(y, [x, d])[1])
""",
        ["float32[0.0, 0.25, 0.0]", "float32[[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]] (2, 2, 2, 2) None"],
    ),
    "a gradient of one's own": (
        """
@tf.custom_gradient
def limited(y):
    return y, lambda dy: tf.clip_by_norm(dy, 0.5)
v = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = limited(v * v)
print(show(tape.gradient(y, v)))
""",
        ["float322.0"],
    ),
    "a module": (
        """
class Line(tf.Module):
    def __init__(self, **options):
        super().__init__(**options)
        self.w, self.b = tf.Variable(5.0), tf.Variable(0.0)
        self.parts = [tf.Variable(1, trainable=False)]
    def __call__(self, x):
        return self.w * x + self.b
x = tf.linspace(-2.0, 2.0, 201)
y, m = x * 3.0 + 2.0, Line()
for _ in range(10):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(y - m(x)))
    dw, db = tape.gradient(loss, [m.w, m.b])
    m.w.assign_sub(0.1 * dw)
    m.b.assign_sub(0.1 * db)
print(show(loss), show(m.w), show(m.b), len(m.variables), len(m.trainable_variables), m.name)
""",
        ["float320.091 float323.087 float321.785 3 2 line"],
    ),
    "variables that a built model is given": (
        """
class Sum(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.d = tf.keras.layers.Dense(2)
    def call(self, x):
        return self.d(x)
m = Sum()
m(tf.ones((1, 3)))
m.count, m.many, m.named = tf.Variable(0.0, trainable=False), [tf.Variable(0.0)], {"a": tf.Variable([1.0])}
m.many.append(tf.Variable(2.0))
m.count.assign_add(1.0)
print(show(m.count), show(m.many), show(m.named["a"]), len(m.trainable_variables), len(m.variables))
m.d.more = tf.Variable(3.0)
m.many = (tf.Variable(4.0),)
print(show(m.d.more), show(m.many), len(m.variables))
try:
    m.late = tf.keras.Variable(0.0)
except ValueError as error:
    print(str(error)[:34])
""",
        ["float321.0 [float320.0, float322.0] float32[1.0] 2 2", "float323.0 [float324.0] 2", "You cannot add new elements of sta"],
    ),
    "datasets": (
        """
D = tf.data.Dataset
S = D.from_tensor_slices
print(show([[one for one in S(([1, 2], [3.0, 4.0]))], list(S({"a": [1, 2]})), list(S([np.float64(1.5)])), list(D.from_tensors([1, 2]))]))
print(show(list(D.from_generator(lambda: iter([(1, 2.0)]), output_signature=(tf.TensorSpec((), tf.int64), tf.TensorSpec((), tf.float16))))))
print(show(list(D.from_generator(lambda: range(2), output_types=tf.float32))))
print(show(D.range(5).reduce(np.int64(0), lambda a, b: a + b)), show(list(S([[1, 2], [3, 4]]).flat_map(lambda x: S(x)))))
print(show(list(D.range(6).shard(3, 1))), len(D.range(7).shard(3, 0)), show(list(D.range(3).apply(lambda d: d.batch(2)))))
print(show(list(D.range(3).batch(2).repeat(2))), show(list(D.range(3).repeat(2).batch(4, drop_remainder=True))))
""",
        [
            "[[[int321, float323.0], [int322, float324.0]], [{a: int321}, {a: int322}], [float641.5], [int32[1, 2]]]",
            "[[int641, float162.0]]",
            "[float320.0, float321.0]",
            "int6410 [int321, int322, int323, int324]",
            "[int641, int644] 3 [int64[0, 1], int64[2]]",
            "[int64[0, 1], int64[2], int64[0, 1], int64[2]] [int64[0, 1, 2, 0]]",
        ],
    ),
    "data that layers adapt to": (
        """
x = np.arange(60.0).reshape(20, 3).astype("float32")
ds = tf.data.Dataset.from_tensor_slices(x).batch(4)
n, d = tf.keras.layers.Normalization(), tf.keras.layers.Discretization(num_bins=2)
n.adapt(ds)
d.adapt(ds)
print(show(n.mean), len(d.bin_boundaries), show(tf.reduce_mean(n(x))))
""",
        ["float32[[28.5, 29.5, 30.5]] 1 float320.0"],
    ),
    "a device that is missing": (
        """
for name in ("/GPU:0", "/device:GPU:60", "/job:localhost/replica:0/task:0/device:GPU:0", "/CPU:0"):
    with tf.device(name):
        print(show(tf.constant([1.0]) + 1))
tf.config.set_soft_device_placement(False)
print(tf.config.get_soft_device_placement())
try:
    with tf.device("/GPU:60"):
        print(show(tf.constant([1.0]) + 1))
except Exception as error:
    print(isinstance(error, (RuntimeError, ValueError)))
""",
        ["float32[2.0]"] * 4 + ["False", "True"],
    ),
}


def _run(text, device, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(HEAD + text)
    done = quern("run", path, cwd=tmp_path, QUERN_DEVICE=device.kind, **({"CUDA_VISIBLE_DEVICES": ""} if device.kind == "cpu" else {}))
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_functions(device, tmp_path):
    lines, expected = zip(*[line.split(" | ") for line in FUNCTIONS], strict=True)
    found = _run("\n".join(f"print(show({line}))" for line in lines), device, tmp_path)
    assert [(line, one) for line, one, want in zip(lines, found, expected, strict=True) if one != want] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, device, tmp_path):
    texts = {name: HEAD + text for name, (text, _) in PROGRAMS.items()}
    hidden = {"CUDA_VISIBLE_DEVICES": ""} if device.kind == "cpu" else {}
    printed, error = together(texts, tmp_path, QUERN_DEVICE=device.kind, **hidden)[name]
    assert not error and printed.splitlines() == PROGRAMS[name][1], error
