"""Operands, variables and places under `quern run` of programs that import TensorFlow: data types are never promoted."""

import pytest
from keras_oracle import needs_keras
from tensorflow_lines import differences

needs_keras()

NAMES = """i, f, d = tf.constant([1, 2, 3]), tf.constant([1., 2., 3.]), tf.constant([1., 2., 3.], tf.float64)
l, b, u, h = tf.constant([1, 2, 3], tf.int64), tf.constant([True, False, True]), tf.constant([1, 2, 3], tf.uint8), tf.cast(f, tf.float16)
v, w = tf.Variable([1., 2., 3.]), tf.Variable([1, 2, 3])
c = tf.constant([3+4j])
p = np.array([[.2, .8], [.5, .5]], np.float32)
"""
MIXED = """
i + f | ! InvalidArgumentError
f + d | ! InvalidArgumentError
i + l | ! InvalidArgumentError
v + i | ! InvalidArgumentError
i + v | ! InvalidArgumentError
f + h | ! InvalidArgumentError
i - f | ! InvalidArgumentError
f - d | ! InvalidArgumentError
i - l | ! InvalidArgumentError
v - i | ! InvalidArgumentError
i - v | ! InvalidArgumentError
f - h | ! InvalidArgumentError
i * f | ! InvalidArgumentError
f * d | ! InvalidArgumentError
i * l | ! InvalidArgumentError
v * i | ! InvalidArgumentError
i * v | ! InvalidArgumentError
f * h | ! InvalidArgumentError
i / f | ! TypeError
f / d | ! TypeError
i / l | ! TypeError
v / i | ! TypeError
i / v | ! TypeError
f / h | ! TypeError
i // f | ! InvalidArgumentError
f // d | ! InvalidArgumentError
i // l | ! InvalidArgumentError
v // i | ! InvalidArgumentError
i // v | ! InvalidArgumentError
f // h | ! InvalidArgumentError
i % f | ! InvalidArgumentError
f % d | ! InvalidArgumentError
i % l | ! InvalidArgumentError
v % i | ! InvalidArgumentError
i % v | ! InvalidArgumentError
f % h | ! InvalidArgumentError
i ** f | ! InvalidArgumentError
f ** d | ! InvalidArgumentError
i ** l | ! InvalidArgumentError
v ** i | ! InvalidArgumentError
i ** v | ! InvalidArgumentError
f ** h | ! InvalidArgumentError
i < f | ! InvalidArgumentError
f < d | ! InvalidArgumentError
i < l | ! InvalidArgumentError
v < i | ! InvalidArgumentError
i < v | ! InvalidArgumentError
f < h | ! InvalidArgumentError
i <= f | ! InvalidArgumentError
f <= d | ! InvalidArgumentError
i <= l | ! InvalidArgumentError
v <= i | ! InvalidArgumentError
i <= v | ! InvalidArgumentError
f <= h | ! InvalidArgumentError
i > f | ! InvalidArgumentError
f > d | ! InvalidArgumentError
i > l | ! InvalidArgumentError
v > i | ! InvalidArgumentError
i > v | ! InvalidArgumentError
f > h | ! InvalidArgumentError
i >= f | ! InvalidArgumentError
f >= d | ! InvalidArgumentError
i >= l | ! InvalidArgumentError
v >= i | ! InvalidArgumentError
i >= v | ! InvalidArgumentError
f >= h | ! InvalidArgumentError
i == f | ! InvalidArgumentError
f == d | ! InvalidArgumentError
i == l | ! InvalidArgumentError
v == i | ! InvalidArgumentError
i == v | ! InvalidArgumentError
f == h | ! InvalidArgumentError
i != f | ! InvalidArgumentError
f != d | ! InvalidArgumentError
i != l | ! InvalidArgumentError
v != i | ! InvalidArgumentError
i != v | ! InvalidArgumentError
f != h | ! InvalidArgumentError
f*b | <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True, False,  True])>
b*i | <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True, False,  True])>
i & l | ! InvalidArgumentError
b | i | ! InvalidArgumentError
i ^ b | ! InvalidArgumentError
tf.ones((2,2)) @ tf.ones((2,2),tf.int32) | ! InvalidArgumentError
f @ f | ! InvalidArgumentError
"""
PYTHONS = """
i + 1.5 | ! InvalidArgumentError
i - 1.5 | ! TypeError
i * 1.5 | ! TypeError
i / 1.5 | ! TypeError
i // 1.5 | ! TypeError
i % 1.5 | ! TypeError
i ** 1.5 | ! TypeError
i < 1.5 | ! TypeError
i <= 1.5 | ! TypeError
i > 1.5 | ! TypeError
i >= 1.5 | ! TypeError
i == 1.5 | ! TypeError
i != 1.5 | ! TypeError
1.5 - i | ! TypeError
1.5 * i | ! TypeError
1.5 / i | ! TypeError
1.5 // i | ! TypeError
1.5 % i | ! TypeError
1.5 ** i | ! TypeError
1.5 < i | ! TypeError
1.5 == i | ! TypeError
i + np.float32(1.5) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([2, 3, 4], dtype=int32)>
i - np.float32(1.5) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 2], dtype=int32)>
i * np.float32(1.5) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
i // np.float32(1.5) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
i < np.float32(1.5) | <tf.Tensor: shape=(3,), dtype=bool, numpy=array([False, False, False])>
i == np.float32(1.5) | <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True, False, False])>
f + 1 | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([2., 3., 4.], dtype=float32)>
f + True | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([2., 3., 4.], dtype=float32)>
i + 2**40 | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
i - 300 | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([-299, -298, -297], dtype=int32)>
u + 300 | <tf.Tensor: shape=(3,), dtype=uint8, numpy=array([45, 46, 47], dtype=uint8)>
u < -1 | <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True,  True,  True])>
f + 1j | ! InvalidArgumentError
f * 1j | ! TypeError
f + [1,2,3] | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([2., 4., 6.], dtype=float32)>
i + [1.,2.,3.] | ! InvalidArgumentError
v + np.float64(2) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([3., 4., 5.], dtype=float32)>
w + 2.5 | ! InvalidArgumentError
np.float32(1.5) * i | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
np.array([1.,2.,3.]) + i | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([2, 4, 6], dtype=int32)>
np.array([1,2,3]) * f | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 4., 9.], dtype=float32)>
b + True | ! InvalidArgumentError
b < True | ! InvalidArgumentError
u ** 2 | ! InvalidArgumentError
i // 0 | ! InvalidArgumentError
i % 0 | ! InvalidArgumentError
i ** -1 | ! InvalidArgumentError
tf.constant(5) // tf.constant(0) | ! InvalidArgumentError
f // 0. | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([inf, inf, inf], dtype=float32)>
f == [1,2,3] | <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True,  True,  True])>
f == None | False
f != None | True
f == f[:2] | <tf.Tensor: shape=(), dtype=bool, numpy=False>
f != f[:2] | <tf.Tensor: shape=(), dtype=bool, numpy=True>
f < f[:2] | ! InvalidArgumentError
f + f[:2] | ! InvalidArgumentError
"""
FUNCTIONS = """
tf.add(i, f) | ! InvalidArgumentError
tf.add(f, d) | ! InvalidArgumentError
tf.add(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([2., 4., 6.], dtype=float32)>
tf.multiply(i, f) | ! InvalidArgumentError
tf.multiply(f, d) | ! InvalidArgumentError
tf.multiply(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 4., 9.], dtype=float32)>
tf.divide(i, f) | ! TypeError
tf.divide(f, d) | ! TypeError
tf.divide(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 1., 1.], dtype=float32)>
tf.maximum(i, f) | ! InvalidArgumentError
tf.maximum(f, d) | ! InvalidArgumentError
tf.maximum(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 2., 3.], dtype=float32)>
tf.pow(i, f) | ! InvalidArgumentError
tf.pow(f, d) | ! InvalidArgumentError
tf.pow(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([ 1.,  4., 27.], dtype=float32)>
tf.equal(i, f) | ! InvalidArgumentError
tf.equal(f, d) | ! InvalidArgumentError
tf.equal(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=bool, numpy=array([ True,  True,  True])>
tf.less(i, f) | ! InvalidArgumentError
tf.less(f, d) | ! InvalidArgumentError
tf.less(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=bool, numpy=array([False, False, False])>
tf.math.floormod(i, f) | ! InvalidArgumentError
tf.math.floormod(f, d) | ! InvalidArgumentError
tf.math.floormod(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 0., 0.], dtype=float32)>
tf.math.atan2(i, f) | ! InvalidArgumentError
tf.math.atan2(f, d) | ! InvalidArgumentError
tf.math.atan2(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0.7853982, 0.7853982, 0.7853982], dtype=float32)>
tf.math.squared_difference(i, f) | ! InvalidArgumentError
tf.math.squared_difference(f, d) | ! InvalidArgumentError
tf.math.squared_difference(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 0., 0.], dtype=float32)>
tf.math.xlogy(i, f) | ! InvalidArgumentError
tf.math.xlogy(f, d) | ! InvalidArgumentError
tf.math.xlogy(f, np.array([1.,2.,3.])) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0.       , 1.3862944, 3.295837 ], dtype=float32)>
tf.matmul([[1.,2.]], [[1],[2]]) | <tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[5.]], dtype=float32)>
tf.matmul(tf.ones((1,2)), tf.ones((2,1),tf.float64)) | ! InvalidArgumentError
tf.where(b, f, i) | ! InvalidArgumentError
tf.where(b, f, 0) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 0., 3.], dtype=float32)>
tf.where(b, i, 0.5) | ! TypeError
tf.where(i, f, f) | ! InvalidArgumentError
tf.concat([f, i], 0) | ! InvalidArgumentError
tf.concat([f, [1,2]], 0) | <tf.Tensor: shape=(5,), dtype=float32, numpy=array([1., 2., 3., 1., 2.], dtype=float32)>
tf.concat([i, [1.5]], 0) | ! TypeError
tf.concat([f, np.array([1.,2.])], 0) | <tf.Tensor: shape=(5,), dtype=float32, numpy=array([1., 2., 3., 1., 2.], dtype=float32)>
tf.stack([f, d]) | ! InvalidArgumentError
tf.stack([f, [1,2,3]]) | <tf.Tensor: shape=(2, 3), dtype=float32, numpy=~array([[1., 2., 3.],~       [1., 2., 3.]], dtype=float32)>
tf.stack([1, 2.5]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1. , 2.5], dtype=float32)>
tf.tensordot(f, i, 1) | ! InvalidArgumentError
tf.einsum('i,i->', f, d) | ! InvalidArgumentError
tf.add_n([f, i]) | ! InvalidArgumentError
tf.clip_by_value(i, 0.5, 2.5) | ! TypeError
tf.clip_by_value(f, tf.constant(1), 2) | ! InvalidArgumentError
tf.pad(i, [[1,1]], constant_values=1.5) | ! TypeError
tf.one_hot([0,1], 2, on_value=1, off_value=0.) | ! TypeError
tf.complex(f, d) | ! TypeError
tf.complex(i, i) | ! TypeError
tf.searchsorted(f, i) | ! InvalidArgumentError
tf.tensor_scatter_nd_update(f, [[0]], tf.constant([5])) | ! InvalidArgumentError
tf.tensor_scatter_nd_update(i, [[0]], [5.5]) | ! TypeError
tf.linalg.solve(tf.eye(2), tf.ones((2,1),tf.float64)) | ! InvalidArgumentError
tf.linalg.matvec(tf.eye(2), tf.constant([1,2])) | ! InvalidArgumentError
tf.linalg.det(tf.constant([[1,2],[3,4]])) | ! InvalidArgumentError
tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.constant([[1,0]]), logits=tf.constant([[1.,2.]])) | ! InvalidArgumentError
tf.nn.bias_add(f[None], tf.constant([1,2,3])) | ! InvalidArgumentError
tf.sqrt(i) | ! InvalidArgumentError
tf.exp(i) | ! InvalidArgumentError
tf.math.log(i) | ! InvalidArgumentError
tf.sigmoid(i) | ! InvalidArgumentError
tf.abs(b) | ! InvalidArgumentError
tf.floor(i) | ! InvalidArgumentError
tf.nn.softmax(i) | ! InvalidArgumentError
tf.reduce_mean(b) | ! InvalidArgumentError
tf.reduce_sum(b) | ! InvalidArgumentError
tf.reduce_any(i) | ! InvalidArgumentError
tf.math.reduce_std(i) | ! TypeError
tf.norm(i) | ! InvalidArgumentError
tf.logical_and(b, i) | ! InvalidArgumentError
tf.logical_not(i) | ! InvalidArgumentError
tf.cumsum(b) | ! InvalidArgumentError
tf.math.divide_no_nan(i, i) | <tf.Tensor: shape=(3,), dtype=float64, numpy=array([1., 1., 1.])>
tf.reduce_max(tf.zeros([0])) | <tf.Tensor: shape=(), dtype=float32, numpy=-inf>
"""
VARIABLES = """
v.assign(i) | ! ValueError
v.assign(d) | ! ValueError
v.assign(np.array([4.,5.,6.])); v.numpy() | array([4., 5., 6.], dtype=float32)
v.assign_add(i) | ! ValueError
v.assign_add(1) | ! InvalidArgumentError
v.assign_sub(d) | ! ValueError
w.assign_add(1.5) | ! TypeError
v += 1 | ! RuntimeError
v[0].assign(9.); v.numpy() | array([9., 2., 3.], dtype=float32)
v[1:].assign([7,8]); v.numpy() | array([1., 7., 8.], dtype=float32)
v[::2].assign([7.,8.]); v.numpy() | array([7., 2., 8.], dtype=float32)
v[::-1].assign([7.,8.,9.]); v.numpy() | array([9., 8., 7.], dtype=float32)
v[...].assign(f*2); v.numpy() | array([2., 4., 6.], dtype=float32)
v[:2].assign(5.); v.numpy() | array([5., 5., 3.], dtype=float32)
v[tf.constant(1)].assign(5.); v.numpy() | array([1., 5., 3.], dtype=float32)
v[0].assign(tf.constant(5.)); v.numpy() | array([5., 2., 3.], dtype=float32)
w[0].assign(9); w.numpy() | array([9, 2, 3], dtype=int32)
w[0].assign(9.5) | ! TypeError
v[0].assign([1.,2.]) | ! InvalidArgumentError
v[5].assign(1.) | ! InvalidArgumentError
m=tf.Variable([[1.,2.],[3.,4.]]); m[0,1].assign(9.); m.numpy() | array([[1., 9.],~       [3., 4.]], dtype=float32)
m=tf.Variable([[1.,2.],[3.,4.]]); m[:,1].assign([8.,9.]); m.numpy() | array([[1., 8.],~       [3., 9.]], dtype=float32)
m=tf.Variable([[1.,2.],[3.,4.]]); m[0].assign(7.); m.numpy() | array([[7., 7.],~       [3., 4.]], dtype=float32)
m=tf.Variable([[1.,2.],[3.,4.]]); m[:,tf.newaxis,1].assign([[8.],[9.]]); m.numpy() | array([[1., 8.],~       [3., 9.]], dtype=float32)
x=v[0]; x.assign(7.); (v.numpy(), x.numpy()) | (array([7., 2., 3.], dtype=float32), np.float32(1.0))
f[0].assign(1.) | ! AttributeError
tf.Variable(f, dtype=tf.int32) | ! ValueError
float(tf.constant(1j+2)) | 2.0
int(tf.constant(3+1j)) | 3
"""
PLACES = """
tf.keras.losses.SparseCategoricalCrossentropy()(np.array([5,0]), p) | ! InvalidArgumentError
tf.keras.losses.SparseCategoricalCrossentropy()(np.array([-1,0]), p) | ! InvalidArgumentError
tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(tf.constant([2,0]), p) | ! InvalidArgumentError
tf.keras.losses.SparseCategoricalCrossentropy(ignore_class=-1)(np.array([-1,0]), p).shape | TensorShape([])
tf.keras.losses.SparseCategoricalCrossentropy(ignore_class=9)(np.array([8,0]), p) | ! InvalidArgumentError
tf.keras.losses.sparse_categorical_crossentropy(tf.constant([5.,0]), tf.constant(p)) | ! InvalidArgumentError
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[5,0], logits=p) | ! InvalidArgumentError
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1.,0.], logits=p) | ! InvalidArgumentError
tf.gather([1.,2.], -1) | ! InvalidArgumentError
tf.math.segment_sum([1.,2.,3.],[1,0,1]) | ! InvalidArgumentError
tf.math.segment_sum([1.,2.,3.],[-1,0,1]) | ! InvalidArgumentError
tf.math.segment_max([1.,2.,3.],[0,0,2]) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([2., 0., 3.], dtype=float32)>
tf.math.segment_min([1.,2.,3.],[0,0,2]) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 0., 3.], dtype=float32)>
tf.math.segment_prod([1.,2.,3.],[0,0,2]) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([2., 1., 3.], dtype=float32)>
tf.math.segment_mean([1.,2.,3.],[0,0,2]) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1.5, 0. , 3. ], dtype=float32)>
tf.math.unsorted_segment_sum([1.,2.,3.],[0,5,1],2) | ! InvalidArgumentError
tf.math.unsorted_segment_sum([1.,2.,3.],[0,-1,1],2) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>
tf.math.unsorted_segment_max([1.,2.,3.],[0,5,1],2) | ! InvalidArgumentError
tf.math.unsorted_segment_min([1,2,3],[0,1,1],3) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([         1,          2, 2147483647], dtype=int32)>
tf.math.unsorted_segment_mean([1.,2.,3.],[0,1,1],3) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([1. , 2.5, 0. ], dtype=float32)>
tf.math.bincount([0,1,5], maxlength=3) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 1, 0], dtype=int32)>
tf.math.confusion_matrix([0,-1],[0,1], num_classes=2) | ! InvalidArgumentError
tf.math.confusion_matrix([0,1],[0,5], num_classes=2) | ! InvalidArgumentError
tf.math.invert_permutation([0,0]) | ! InvalidArgumentError
tf.math.invert_permutation([0,5]) | ! InvalidArgumentError
tf.random.uniform([2],minval=5,maxval=1,dtype=tf.int32) | ! InvalidArgumentError
tf.range(5,0) | ! InvalidArgumentError
tf.fill([-1],0) | ! InvalidArgumentError
i[5] | ! InvalidArgumentError
i[0,0] | ! InvalidArgumentError
i[1.5] | ! TypeError
i[tf.constant([0])] | ! TypeError
i[[0]] | <tf.Tensor: shape=(), dtype=int32, numpy=1>
i[::0] | ! InvalidArgumentError
tf.nn.softmax([1.,2.],axis=1) | ! InvalidArgumentError
tf.clip_by_value([1.,2.],3.,1.) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 3.], dtype=float32)>
"""
COMPLEX = """
tf.abs(c) | <tf.Tensor: shape=(1,), dtype=float64, numpy=array([5.])>
abs(c) | <tf.Tensor: shape=(1,), dtype=float64, numpy=array([5.])>
tf.math.angle(c) | <tf.Tensor: shape=(1,), dtype=float64, numpy=array([0.92729522])>
tf.sqrt(c) | <tf.Tensor: shape=(1,), dtype=complex128, numpy=array([2.+1.j])>
tf.where([True], c, c) | <tf.Tensor: shape=(1,), dtype=complex128, numpy=array([3.+4.j])>
tf.transpose([[1j,2]]) | <tf.Tensor: shape=(2, 1), dtype=complex128, numpy=~array([[0.+1.j],~       [2.+0.j]])>
tf.transpose([[1j,2]], conjugate=True) | <tf.Tensor: shape=(2, 1), dtype=complex128, numpy=~array([[0.-1.j],~       [2.-0.j]])>
tf.einsum('i,i->',c,c) | <tf.Tensor: shape=(), dtype=complex128, numpy=(-7+24j)>
tf.tensordot(c,c,1) | <tf.Tensor: shape=(), dtype=complex128, numpy=(-7+24j)>
tf.squeeze([c]) | <tf.Tensor: shape=(), dtype=complex128, numpy=(3+4j)>
tf.math.log(c) | <tf.Tensor: shape=(1,), dtype=complex128, numpy=array([1.60943791+0.92729522j])>
tf.math.rsqrt(c) | <tf.Tensor: shape=(1,), dtype=complex128, numpy=array([0.4-0.2j])>
tf.math.reduce_variance(c) | <tf.Tensor: shape=(), dtype=float64, numpy=0.0>
tf.math.reduce_euclidean_norm([3,4]) | <tf.Tensor: shape=(), dtype=int32, numpy=5>
tf.add(c, c) | <tf.Tensor: shape=(1,), dtype=complex128, numpy=array([6.+8.j])>
tf.multiply(c, 2) | <tf.Tensor: shape=(1,), dtype=complex128, numpy=array([6.+8.j])>
c / 2 | <tf.Tensor: shape=(1,), dtype=complex128, numpy=array([1.5+2.j])>
"""
TABLES = {"mixed": MIXED, "pythons": PYTHONS, "functions": FUNCTIONS, "variables": VARIABLES, "places": PLACES, "complex": COMPLEX}


# Labels out of range are found when the loss is read; zeros and numbers of segments not at all, as by TensorFlow's kernels there.
ON_GPU = {
    "i // 0": "<tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 0, 0], dtype=int32)>",
    "i % 0": "<tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 0, 0], dtype=int32)>",
    "tf.constant(5) // tf.constant(0)": "<tf.Tensor: shape=(), dtype=int32, numpy=0>",
    "tf.keras.losses.SparseCategoricalCrossentropy()(np.array([5,0]), p)": "! ValueError",
    "tf.keras.losses.SparseCategoricalCrossentropy()(np.array([-1,0]), p)": "! ValueError",
    "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(tf.constant([2,0]), p)": "! ValueError",
    "tf.keras.losses.SparseCategoricalCrossentropy(ignore_class=9)(np.array([8,0]), p)": "! ValueError",
    "tf.keras.losses.sparse_categorical_crossentropy(tf.constant([5.,0]), tf.constant(p))": "! ValueError",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[5,0], logits=p)": "! ValueError",
    "tf.math.segment_sum([1.,2.,3.],[1,0,1])": "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>",
    "tf.math.segment_sum([1.,2.,3.],[-1,0,1])": "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>",
    "tf.math.unsorted_segment_sum([1.,2.,3.],[0,5,1],2)": "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>",
    "tf.math.unsorted_segment_max([1.,2.,3.],[0,5,1],2)": "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>",
}


@pytest.mark.parametrize("lines", list(TABLES.values()), ids=list(TABLES))
def test_operands(lines, device, tmp_path):
    assert differences(lines, device, tmp_path, NAMES, ON_GPU) == []


def test_keras_labels_out_of_range(device, tmp_path):
    lines = """
import keras; keras.losses.sparse_categorical_crossentropy(np.array([1, 0]), p).numpy().round(3) | array([0.223, 0.693], dtype=float32)
import keras; keras.ops.sparse_categorical_crossentropy(np.array([2, 0]), p).numpy() | ! InvalidArgumentError
import keras; keras.ops.take(f, np.array([3])).numpy() | ! ValueError
import keras; keras.ops.take(f, np.array([-4])).numpy() | ! ValueError
import keras; keras.ops.take(f, np.array([-1])).numpy() | array([3.], dtype=float32)
import keras; keras.layers.Embedding(2, 3)(np.array([2])).numpy() | ! ValueError
"""
    read_later = {"import keras; keras.ops.sparse_categorical_crossentropy(np.array([2, 0]), p).numpy()": "! ValueError"}
    assert differences(lines, device, tmp_path, NAMES, read_later) == []


def test_training_with_labels_and_indices_out_of_range(device, tmp_path):
    labels = "! InvalidArgumentError" if device.kind == "cpu" else "! ValueError"  # which it is: found when the loss is read
    model = "m = tf.keras.Sequential([tf.keras.layers.Embedding(3, 2), tf.keras.layers.Flatten(), tf.keras.layers.Dense(3)])"
    loss = "m.compile('sgd', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile={})"
    fit = "m.fit(np.array([[0, {}]] * 8), np.array([0, 1, 2, {}] * 2), batch_size=4, epochs=12, verbose=0).history['loss'][-1] < 10"
    lines = "".join(
        f"{model}; {loss.format(jit)}; {fit.format(*numbers)} | {wanted}\n"
        for jit in (True, False)
        for numbers, wanted in (((1, 0), "True"), ((1, 5), labels), ((7, 0), "! ValueError"))
    )
    assert differences(lines, device, tmp_path) == []


FUNCTIONS_OF_NUMPY = """
np.add(np.array([1.5, 2.5, 3.5]), i) | array([2.5, 4.5, 6.5])
np.multiply(i, 2.5) | array([2.5, 5. , 7.5])
np.less(i, np.array([1.5, 1.5, 1.5])) | array([ True, False, False])
np.add(i, f) | array([2., 4., 6.])
np.maximum(i, 2.5) | array([2.5, 2.5, 3. ])
(np.array([4., 5., 6.], np.float32) + f).numpy() | array([5., 7., 9.], dtype=float32)
(np.array([4, 5, 6]) * i).numpy() | array([ 4, 10, 18], dtype=int32)
"""


def test_functions_of_numpy(device, tmp_path):
    """TensorFlow's tensors have operators of their own, and are arrays for NumPy's functions."""
    assert differences(FUNCTIONS_OF_NUMPY, device, tmp_path, NAMES) == []
