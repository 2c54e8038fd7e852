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


@pytest.mark.parametrize("lines", (ASSIGNED, READ, COMPARED), ids=("assigned", "read", "compared"))
def test_variables(lines, device, tmp_path):
    assert differences(lines, device, tmp_path, NAMES) == []
