"""tf.Variable: assign() returns the variable, tapes and functions read it; gradients of maximum and minimum. Values are TensorFlow's."""

import pytest
from keras_oracle import needs_keras
from tensorflow_lines import differences

needs_keras()

NAMES = """v, s, x = tf.Variable([1., 2.]), tf.Variable(3.), tf.constant([4., 5.])
n, m = tf.constant([np.nan, 1., 2., np.nan, 3.]), tf.constant([1., np.nan, 2., np.nan, 1.])

def slopes(f, *sources):
    with tf.GradientTape() as tape:
        tape.watch([one for one in sources if not isinstance(one, tf.Variable)])
        y = f()
    return [None if g is None else g.numpy().tolist() for g in tape.gradient(y, sources)]

w = tf.Variable([1., 2., 3.])

def own(*values, f=lambda: None, **options):
    with tf.GradientTape(**options) as tape:
        f()
    return [None if g is None else g.numpy().tolist() for g in tape.gradient(values[0], list(values[1:]))]

def slices(values, indices):
    return tf.IndexedSlices(values, indices)
"""
ASSIGNED = """
v.assign(x).numpy() | array([4., 5.], dtype=float32)
isinstance(v.assign(x), tf.Variable), isinstance(s.assign(2), tf.Variable), isinstance(v[0].assign(1.), tf.Variable) | (True, True, True)
v.assign(x).assign_add([1., 1.]).assign_sub(x).numpy() | array([1., 1.], dtype=float32)
y = v.assign(x); v.assign_add(x); y.numpy() | array([ 8., 10.], dtype=float32)
s.assign_add(1.) + s.assign_add(1.) | <tf.Tensor: shape=(), dtype=float32, numpy=10.0>
v.scatter_nd_add([[0]], [7.]).assign_sub(x).numpy() | array([ 4., -3.], dtype=float32)
v.assign(x, read_value=False), v.assign_add(x, read_value=False), v.assign_sub(x, read_value=False) | (None, None, None)
slopes(lambda: v.assign(x) * v, v, x) | [[8.0, 10.0], None]
slopes(lambda: v.assign(x * 2) ** 2, v, x) | [[16.0, 20.0], None]
slopes(lambda: v.assign(v * 2) ** 2, v) | [[4.0, 8.0]]
slopes(lambda: v.assign_add(v) ** 2, v) | [[4.0, 8.0]]
slopes(lambda: s.assign(4.).assign_add(1.) * 2, s) | [2.0]
"""
READ = """
v.value().numpy() | array([1., 2.], dtype=float32)
slopes(lambda: v.value() * 2, v) | [[2.0, 2.0]]
y = v.value(); v.assign(x); y.numpy() | array([1., 2.], dtype=float32)
v.handle | ! AttributeError
w = tf.Variable(v); w.assign_add(x); v.numpy(), w.numpy() | (array([1., 2.], dtype=float32), array([5., 7.], dtype=float32))
tf.Variable(v.value()) | <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.convert_to_tensor(v, tf.float64) | ! ValueError
tf.range(s) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 1., 2.], dtype=float32)>
np.add(v, 1) | array([2., 3.], dtype=float32)
np.multiply(v, x) | array([ 4., 10.], dtype=float32)
np.float32(2) * v | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>
f = tf.function(lambda: v.assign_add(x)); y = f(); f(); y | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([5., 7.], dtype=float32)>
f = tf.function(jit_compile=True)(lambda: {"b": v, "a": s}); list(f().items()) | [('b', <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>), ('a', <tf.Tensor: shape=(), dtype=float32, numpy=3.0>)]
slopes(lambda: tf.function(lambda: v)() * 2, v) | [[2.0, 2.0]]
"""
COMPARED = """
slopes(lambda: tf.maximum(n, m), n, m) | [[0.0, 0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0, 0.0]]
slopes(lambda: tf.minimum(n, m), n, m) | [[0.0, 0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0, 1.0]]
tf.maximum(n, m).numpy() | array([nan, nan,  2., nan,  3.], dtype=float32)
tf.minimum(n, m).numpy() | array([nan, nan,  2., nan,  1.], dtype=float32)
slopes(lambda: tf.maximum(n, n), n) | [[1.0, 1.0, 1.0, 1.0, 1.0]]
slopes(lambda: tf.maximum(s, v), s, v) | [2.0, [0.0, 0.0]]
slopes(lambda: tf.maximum(x[0], x[:, None]), x) | [[1.0, 1.0]]
tf.maximum(tf.constant([1, 2], tf.uint64), tf.constant([2**63, 1], tf.uint64)).numpy() | array([9223372036854775808,                   2], dtype=uint64)
tf.where([True, False], tf.constant([1., 2.], tf.bfloat16), 0.).dtype | tf.bfloat16
"""

SCATTERED = """
own(v, v) | [[1.0, 1.0]]
own(v, v, watch_accessed_variables=False) | [[1.0, 1.0]]
own(v, v, f=lambda: v * 2) | [[1.0, 1.0]]
own(v, s, v) | [None, [1.0, 1.0]]
own(x, x, v) | [[1.0, 1.0], None]
own([v, v], v) | [[2.0, 2.0]]
own(tf.Variable(1), tf.constant(2)) | [None]
i = tf.Variable(1); own(i, i) | [1]
t = tf.Variable([1., 2.], trainable=False); own(t, t, f=lambda: t * 2) | [[1.0, 1.0]]
y = x * 2; own(y, y, x) | [[1.0, 1.0], None]
own([v, x], v, x) | [[1.0, 1.0], [1.0, 1.0]]
v == None | ! ValueError
v != None | ! ValueError
None == v | ! ValueError
v == [1., 5.] | <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>
[tf.Variable(one).trainable for one in (1, True, 1., [1, 2])] | [True, True, True, True]
[tf.Variable(1., trainable=one).trainable for one in (None, False, True)] | [True, False, True]
w.scatter_update(slices([9., 8.], [0, 2])).numpy() | array([9., 2., 8.], dtype=float32)
w.scatter_add(slices([9., 8.], [0, 0])).numpy() | array([18.,  2.,  3.], dtype=float32)
w.scatter_sub(slices([9., 8.], [0, 0])).numpy() | array([-16.,   2.,   3.], dtype=float32)
w.scatter_mul(slices([9., 8.], [0, 0])).numpy() | array([72.,  2.,  3.], dtype=float32)
w.scatter_div(slices([2., 4.], [0, 0])).numpy() | array([0.125, 2.   , 3.   ], dtype=float32)
w.scatter_max(slices([9., .5], [0, 1])).numpy() | array([9., 2., 3.], dtype=float32)
w.scatter_min(slices([9., .5], [0, 1])).numpy() | array([1. , 0.5, 3. ], dtype=float32)
w.scatter_nd_max([[0], [2]], [9., .5]).numpy() | array([9., 2., 3.], dtype=float32)
w.scatter_nd_min([[0], [2]], [9., .5]).numpy() | array([1. , 2. , 0.5], dtype=float32)
tf.Variable([[1., 2.], [3., 4.]]).scatter_update(slices([[9., 8.]], [1])).numpy().tolist() | [[1.0, 2.0], [9.0, 8.0]]
tf.Variable([7, 8]).scatter_div(slices([2], [0])).numpy() | array([3, 8], dtype=int32)
w.scatter_add([9.]) | ! TypeError
w.scatter_update(slices([9.], [7])) | ! InvalidArgumentError
w.scatter_add(slices([9.], [-1])) | ! InvalidArgumentError
w.sparse_read([0, 2]).numpy() | array([1., 3.], dtype=float32)
slopes(lambda: w.scatter_add(slices([9., 8.], [0, 0])) * w, w) | [[36.0, 4.0, 6.0]]
y = w * w; w.scatter_mul(slices([2.], [1])); (y.numpy(), w.numpy()) | (array([1., 4., 9.], dtype=float32), array([1., 4., 3.], dtype=float32))
"""
SLOPES_AT = """nan, inf = float('nan'), float('inf')
n = tf.constant([nan, inf, -inf, 0., -0., 1., -1., 1., .5])
m = tf.constant([1., inf, 1., 0., 0., 1., nan, -1., 2.])

def at(f, *sources):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = f(*sources)
    return [None if g is None else g.numpy().tolist() for g in tape.gradient(y, sources)]
"""
AT_CORNERS = """
at(tf.nn.relu, n) | [[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0]]
at(tf.nn.relu6, n) | [[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0]]
at(tf.nn.leaky_relu, n) | [[0.20000000298023224, 1.0, 0.20000000298023224, 0.20000000298023224, 0.20000000298023224, 1.0, 0.20000000298023224, 1.0, 1.0]]
at(tf.nn.elu, n[3:]) | [[1.0, 1.0, 1.0, 0.3678794503211975, 1.0, 1.0]]
at(tf.nn.selu, n[2:6]) | [[0.0, 1.0507010221481323, 1.0507010221481323, 1.0507010221481323]]
at(tf.abs, n) | [[nan, 1.0, -1.0, 0.0, 0.0, 1.0, -1.0, 1.0, 1.0]]
at(abs, n) | [[nan, 1.0, -1.0, 0.0, 0.0, 1.0, -1.0, 1.0, 1.0]]
at(tf.sign, n) | [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
at(tf.reduce_max, n) | [[nan, nan, nan, nan, nan, nan, nan, nan, nan]]
at(tf.reduce_min, n) | [[nan, nan, nan, nan, nan, nan, nan, nan, nan]]
at(tf.reduce_max, n[1:]) | [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
at(tf.reduce_min, n[3:]) | [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]
at(tf.reduce_max, n[3:]) | [[0.0, 0.0, 0.5, 0.0, 0.5, 0.0]]
at(lambda x: tf.reduce_max(tf.reshape(x, [3, 3]), 0), n) | [[nan, 1.0, 0.0, nan, 0.0, 1.0, nan, 0.0, 0.0]]
at(lambda x: tf.reduce_max(tf.reshape(x, [3, 3]), 1), n) | [[nan, nan, nan, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]]
at(lambda x: tf.reduce_min(tf.reshape(x, [3, 3]), [0, 1]), n) | [[nan, nan, nan, nan, nan, nan, nan, nan, nan]]
at(lambda x, y: tf.reduce_max([x, y], 0), n, m) | [[nan, 0.5, 0.0, 0.5, 0.5, 0.5, nan, 1.0, 0.0], [nan, 0.5, 1.0, 0.5, 0.5, 0.5, nan, 0.0, 1.0]]
at(lambda x, y: tf.reduce_min([x, x, y], 0), n, m) | [[nan, 0.6666666865348816, 1.0, 0.6666666865348816, 0.6666666865348816, 0.6666666865348816, nan, 0.0, 1.0], [nan, 0.3333333432674408, 0.0, 0.3333333432674408, 0.3333333432674408, 0.3333333432674408, nan, 1.0, 0.0]]
at(tf.reduce_prod, n[5:]) | [[-0.5, 0.5, -0.5, -1.0]]
at(tf.maximum, n, m) | [[0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]]
at(tf.minimum, n, m) | [[0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]]
at(lambda x: tf.maximum(x, 0.), n) | [[0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]]
at(tf.floor, n) | [None]
at(tf.math.ceil, n) | [None]
at(tf.round, n) | [None]
at(tf.math.rint, n) | [None]
at(lambda x: x // 2., n) | [None]
at(tf.math.floordiv, n, m) | [None, None]
at(lambda x: tf.linalg.diag(x), n) | [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
tf.linalg.diag(n[:3]).numpy().tolist() | [[nan, 0.0, 0.0], [0.0, inf, 0.0], [0.0, 0.0, -inf]]
tf.math.polyval([2., 1.], n).numpy().tolist() | [nan, inf, -inf, 1.0, 1.0, 3.0, -1.0, 3.0, 2.0]
at(lambda x: tf.math.polyval([2., 1.], x), n) | [[2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]
(tf.constant([1., .3, 6., -1., 5., -.7, 7.]) // tf.constant([.1, .1, .1, .1, 0., .1, -.1])).numpy().tolist() | [10.0, 3.0, 60.0, -10.0, inf, -7.0, -70.0]
(tf.constant([1., .3], tf.float64) // .1).numpy().tolist() | [10.0, 2.0]
(tf.Variable([1., -inf]) // .1).numpy().tolist() | [10.0, -inf]
tf.math.floordiv(tf.constant([7, -7]), 2).numpy().tolist() | [3, -4]
at(lambda x: tf.clip_by_value(x, 0., 1.), n) | [[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]]
at(lambda x: tf.floor(x) * x, n[5:]) | [[1.0, -1.0, 1.0, 0.0]]
at(lambda x: tf.where(x > 0, tf.sqrt(x), 0.), n) | [[0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.7071067690849304]]
at(lambda x: tf.where(x > 0, tf.math.rsqrt(x), 0.), n[2:]) | [[0.0, 0.0, 0.0, -0.5, 0.0, -0.5, -1.4142134189605713]]
at(lambda x: tf.where(x > 0, tf.math.reciprocal(x), 0.), n[2:]) | [[0.0, 0.0, 0.0, -1.0, 0.0, -1.0, -4.0]]
at(lambda x: 0. * tf.sqrt(x), n) | [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
at(lambda x: tf.constant([1., 0.]) * tf.norm(x, axis=-1), tf.constant([[3., 4.], [0., 0.]])) | [[[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]]
at(lambda x: 0. * tf.norm(x), tf.zeros(2)) | [[0.0, 0.0]]
at(lambda x: 0. * tf.linalg.global_norm([x]), tf.zeros(2)) | [[0.0, 0.0]]
at(tf.sqrt, n[3:]) | [[inf, -inf, 0.5, nan, 0.5, 0.7071067690849304]]
at(tf.sqrt, tf.Variable([0., 4.])) | [[inf, 0.25]]
"""


@pytest.mark.parametrize("lines", (ASSIGNED, READ, COMPARED, SCATTERED), ids=("assigned", "read", "compared", "scattered"))
def test_variables(lines, device, tmp_path):
    assert differences(lines, device, tmp_path, NAMES) == []


def test_gradients_at_corners(device, tmp_path):
    """At NaN, infinities, zeros of both signs and equal elements."""
    assert differences(AT_CORNERS, device, tmp_path, SLOPES_AT) == []
