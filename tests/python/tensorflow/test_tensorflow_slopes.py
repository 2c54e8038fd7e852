"""Gradients as TensorFlow defines them at zeros, at the ends of domains, and where the result's gradient is 0. Values are TensorFlow's."""

import pytest
from keras_oracle import needs_keras
from tensorflow_lines import differences

needs_keras()

NAMES = """inf, nan, k = np.inf, np.nan, tf.keras
rows = [[3., 4.], [0., 0.]]

def shown(g):
    return None if g is None else [round(float(v), 3) + 0.0 for v in np.ravel(g.numpy())]

def slopes(f, *values, up=1.):
    sources = [tf.Variable(v) for v in values]
    with tf.GradientTape() as tape:
        y = f(*sources) * up
    return [shown(g) for g in tape.gradient(y, sources)]

def bends(f, *values, up=1.):
    sources = [tf.Variable(v) for v in values]
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = f(*sources) * up
        g = tape.gradient(y, sources)
    return [shown(h) for h in outer.gradient(g, sources)]
"""
POWERS = """
slopes(lambda x, y: x ** y, [-2., 0., 0., 2.], [3., 2., -1., 3.]) | [[12.0, 0.0, -inf, 12.0], [0.0, 0.0, nan, 5.545]]
slopes(tf.pow, [-2., 2.], [3., 3.]) | [[12.0, 12.0], [0.0, 5.545]]
slopes(k.ops.power, [-2., 2.], [3., 3.]) | [[12.0, 12.0], [0.0, 5.545]]
slopes(lambda y: (-2.) ** y, [3., 2.]) | [[0.0, 0.0]]
slopes(lambda x: x ** 0., [0., 1.]) | [[nan, 0.0]]
slopes(lambda x: x ** .5, [0., 4.], up=0.) | [[nan, 0.0]]
slopes(lambda x: x ** 2, [0., 4.]) | [[0.0, 8.0]]
bends(lambda x, y: x ** y, [-2., 2.], [3., 3.]) | [[-12.0, 24.318], [4.0, 16.161]]
slopes(tf.pow, [-1 + 0j], [2 + 0j])[0] | [-2.0]
slopes(tf.math.xlogy, [0., 2.], [0., 3.]) | [[0.0, 1.099], [0.0, 0.667]]
slopes(tf.math.xlog1py, [0., 2.], [-1., 3.]) | [[0.0, 1.386], [0.0, 0.5]]
slopes(tf.math.xdivy, [0., 2.], [0., 4.]) | [[0.0, 0.25], [0.0, -0.125]]
tf.math.xdivy([1, 2], [3, 4]) | ! InvalidArgumentError
slopes(tf.math.multiply_no_nan, [3., 2.], [0., 4.]) | [[0.0, 4.0], [3.0, 2.0]]
bends(tf.math.multiply_no_nan, [3., 2.], [0., 4.]) | [[1.0, 1.0], [1.0, 1.0]]
"""
ZEROS = """
slopes(lambda x: k.ops.norm(x, axis=-1), rows, up=[1., 0.]) | [[0.6, 0.8, 0.0, 0.0]]
slopes(lambda x: tf.norm(x, axis=-1), rows, up=[1., 0.]) | [[0.6, 0.8, 0.0, 0.0]]
slopes(lambda x: tf.norm(x, axis=-1), rows) | [[0.6, 0.8, nan, nan]]
slopes(lambda x: tf.math.reduce_euclidean_norm(x, axis=-1), rows, up=[1., 0.]) | [[0.6, 0.8, nan, nan]]
slopes(k.ops.normalize, rows, up=[[1., 2.], [3., 4.]]) | [[-0.064, 0.048, 30000000.0, 40000000.0]]
slopes(k.layers.UnitNormalization(), rows)[0][:2] | [0.032, -0.024]
slopes(lambda x: k.losses.cosine_similarity([[1., 2.], [3., 4.]], x), rows) | [[0.029, -0.021, -6000000.0, -8000000.0]]
slopes(k.losses.CosineSimilarity(), [[1., 2.], [3., 4.]], rows)[1] | [0.014, -0.011, -3000000.0, -4000000.0]
[slopes(f, [0.], up=0.) for f in (k.ops.sqrt, k.ops.rsqrt, k.ops.reciprocal, tf.sqrt, tf.math.rsqrt)] | [[[0.0]], [[0.0]], [[0.0]], [[0.0]], [[0.0]]]
[slopes(f, [0.]) for f in (k.ops.sqrt, k.ops.rsqrt, k.ops.reciprocal)] | [[[inf]], [[-inf]], [[-inf]]]
slopes(lambda x: tf.math.real(tf.sqrt(tf.complex(x, x))), [0., 2.], up=[0., 1.])[0][0] | 0.0
slopes(tf.atan2, [0., 1.], [0., 0.], up=0.) | [[nan, 0.0], [nan, 0.0]]
slopes(lambda x: tf.math.reduce_std(x, axis=1), [[1., 3.], [2., 2.]]) | [[-0.5, 0.5, nan, nan]]
slopes(lambda x: k.ops.std(x, axis=1), [[1., 3.], [2., 2.]]) | [[-0.5, 0.5, nan, nan]]
slopes(lambda x: tf.math.reduce_std(x, axis=1), [[1., 3.], [2., 2.]], up=[1., 0.]) | [[-0.5, 0.5, 0.0, 0.0]]
[bends(f, [0., -1., 2.], up=0.)[0][0] for f in (tf.math.log, tf.math.log1p, tf.asin, tf.acos, tf.atanh)] | [0.0, 0.0, 0.0, 0.0, 0.0]
[bends(f, [1., -1.], up=0.) for f in (tf.asin, tf.acos, tf.atanh)] | [[[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]]]
"""
ENDS = """
slopes(tf.acosh, [-2., 1., 2.]) | [[nan, inf, 0.577]]
slopes(tf.math.floormod, [1., -1., 5., -5., 1.], [-inf, inf, 3., 3., 0.]) | [[1.0, 1.0, 1.0, 1.0, 1.0], [0.0, 0.0, -1.0, 2.0, -inf]]
slopes(lambda x, y: x % y, [1., 5.], [-inf, 3.]) | [[1.0, 1.0], [0.0, -1.0]]
slopes(lambda x: tf.reduce_max(x), [1., nan, 2.]), slopes(lambda x: tf.reduce_min(x, 0), [1., 1., 2.]) | ([[nan, nan, nan]], [[0.5, 0.5, 0.0]])
slopes(lambda x: tf.reduce_prod(x), [2., nan, 3.]), slopes(lambda x: tf.reduce_prod(x), [0., nan, 3.]) | ([[nan, 6.0, nan]], [[nan, 0.0, nan]])
slopes(tf.math.multiply_no_nan, 1., 0.), slopes(tf.math.multiply_no_nan, nan, 0.) | ([[0.0], [1.0]], [[0.0], [nan]])
slopes(tf.nn.selu, [nan, 0., -1.]) | [[1.051, 1.051, 0.647]]
slopes(k.ops.selu, [nan, 0., -1.]) | [[1.051, 1.051, 0.647]]
slopes(tf.nn.leaky_relu, [nan, 0., -1.]), bends(tf.nn.leaky_relu, [1., -1.]) | ([[0.2, 0.2, 0.2]], [[0.0, 0.0]])
slopes(k.ops.leaky_relu, [nan, 0., -1.]), bends(k.ops.leaky_relu, [1., -1.]) | ([[0.2, 0.2, 0.2]], [[0.0, 0.0]])
slopes(k.ops.maximum, [1., nan, 2.], [1., 1., nan]) | [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
slopes(tf.math.cumprod, [2., 0., 3.]) | [[1.0, 0.0, 0.0]]
slopes(tf.math.cumprod, [0., 1., nan]) | [[0.0, nan, nan]]
bends(tf.math.erfinv, [1., -1., 0.]) | [[inf, -inf, 0.0]]
slopes(lambda x: tf.nn.moments(x, [0])[1], [1., 4.]), bends(lambda x: tf.nn.moments(x, [0])[1], [1., 4.]) | ([[-1.5, 1.5]], [[1.0, 1.0]])
"""
PARTS = """
tf.complex([3., inf, 1.], [nan, inf, -inf]).numpy() | array([ 3.+nanj, inf+infj,  1.-infj], dtype=complex64)
tf.complex([1., 2.], [[inf], [3.]]).numpy().shape | (2, 2)
slopes(lambda x, y: tf.math.real(tf.complex(x, y)) + tf.math.imag(tf.complex(x, y)) * 3., [1., 2.], [[3.], [4.]]) | [[2.0, 2.0], [6.0, 6.0]]
tf.function(tf.complex)(tf.constant([inf]), tf.constant([1.])).numpy() | array([inf+1.j], dtype=complex64)
slopes(lambda x: tf.math.segment_max(x, [0, 1, 1, 2, 2]), [-inf, 1., 2., 3., 3.]) | [[1.0, 0.0, 1.0, 0.5, 0.5]]
slopes(lambda x: tf.math.segment_min(x, [0, 0, 1, 1]), [1., 1., inf, inf]) | [[0.5, 0.5, 0.5, 0.5]]
slopes(lambda x: tf.math.unsorted_segment_max(x, [-1, 0, 0], 2), [2., 2., 2.]) | [[0.0, 0.5, 0.5]]
tf.math.unsorted_segment_max([-inf, 1.], [0, 1], 3).numpy() | array([-3.4028235e+38,  1.0000000e+00, -3.4028235e+38], dtype=float32)
tf.tensor_scatter_nd_max([nan, 1., 2.], [[0], [1], [1], [2]], [1., nan, 3., nan]).numpy() | array([nan,  3.,  2.], dtype=float32)
tf.tensor_scatter_nd_min([nan, 1., 2.], [[0], [1], [1], [2]], [1., nan, 3., nan]).numpy() | array([nan,  1.,  2.], dtype=float32)
"""


@pytest.mark.parametrize("lines", [POWERS, ZEROS, ENDS, PARTS], ids=["powers", "zeros", "ends", "parts"])
def test_slopes_at_corners(lines, device, tmp_path):
    assert differences(lines, device, tmp_path, NAMES) == []
