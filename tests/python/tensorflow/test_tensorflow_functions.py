"""tf.function's input_signature, names of devices, and Keras's whole numbers under `quern run`, as TensorFlow 2.21 has them."""

import pytest
from keras_oracle import needs_keras
from tensorflow_lines import differences

needs_keras()

NAMES = """
S = tf.TensorSpec

def doubled(x):
    return x * 2

def both(x, n=3):
    return x * 2

def first(d, p):
    return d['a'] + p[0]

def of(function, *specs):
    return tf.function(function, input_signature=list(specs))

class M(tf.Module):
    @tf.function(input_signature=[S((None,))])
    def more(self, x):
        return x + 1

def error(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except TypeError as e:
        return str(e).partition(". Received args")[0]

def there():
    with tf.device(tf.constant(1.).device):
        return tf.constant(1.) + 1

f, g = of(doubled, S((None, 2))), of(both, S(None), S([], tf.int32))
h = of(first, {'a': S((None,))}, (S(None), S(None)))
one = tf.ones(2)
"""
CALLS = """
f(tf.ones((1,2))).numpy().tolist() | [[2.0, 2.0]]
f(x=tf.ones((1,2))).numpy().tolist() | [[2.0, 2.0]]
f([[1, 2]]) | <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[2., 4.]], dtype=float32)>
f(np.ones((1,2))).dtype | tf.float32
f(tf.Variable([[1., 2.]])).numpy().tolist() | [[2.0, 4.0]]
f.input_signature | (TensorSpec(shape=(None, 2), dtype=tf.float32, name=None),)
tf.function(doubled).input_signature | None
g(one).numpy().tolist() | [2.0, 2.0]
g(one, 4).numpy().tolist() | [2.0, 2.0]
g(one, n=np.int64(4)).numpy().tolist() | [2.0, 2.0]
g(one, 4.) | ! TypeError
g(one, tf.constant([3])) | ! TypeError
f(1.) | ! TypeError
f(tf.ones((2,3))) | ! TypeError
f(one) | ! TypeError
f(tf.ones((2,2), tf.int32)) | ! TypeError
f(tf.ones((2,2), tf.float64)) | ! TypeError
f(tf.Variable(one)) | ! TypeError
f() | ! TypeError
f(tf.ones((2,2)), 1) | ! TypeError
f(tf.ones((2,2)), y=2) | ! TypeError
f('a') | ! TypeError
f(None) | ! TypeError
M().more(one).numpy().tolist() | [2.0, 2.0]
M().more([1, 2]).numpy().tolist() | [2.0, 3.0]
M().more(tf.ones((2,2))) | ! TypeError
h({'a': one}, (one, one)).numpy().tolist() | [2.0, 2.0]
h({'a': one}, [one, one]) | ! TypeError
h({'b': one}, (one, one)) | ! TypeError
h({'a': one}, (one,)) | ! TypeError
h({'a': tf.ones((2,2))}, (one, one)) | ! TypeError
of(lambda *a: a[0] + a[1], S(None), S(None))(one, one).numpy().tolist() | [2.0, 2.0]
of(lambda: tf.constant(1))().numpy() | np.int32(1)
of(lambda: tf.constant(1))(1) | ! TypeError
of(doubled, S(None), S(None)) | ! TypeError
of(first, S(None)) | ! TypeError
of(doubled, 3) | ! TypeError
tf.function(doubled, S(None)) | ! TypeError
error(f, 1.) | 'Binding inputs to tf.function failed due to `Can not cast TensorSpec(shape=(), dtype=tf.float32, name=None) to \
TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)`'
error(f) | "Binding inputs to tf.function failed due to `missing a required argument: 'x'`"
error(f, 1, 2) | 'Binding inputs to tf.function failed due to `too many positional arguments`'
error(of, first, S(None)) | 'input_signature missing type constraint for p'
error(of, doubled, S(None), S(None)) | 'input_signature contains 1 extra type constraints.'
"""
ON_CPU = """
tf.constant([1., 2.]).device | '/job:localhost/replica:0/task:0/device:CPU:0'
tf.Variable(1.).device | '/job:localhost/replica:0/task:0/device:CPU:0'
"""
ON_GPU = """
tf.constant([1., 2.]).device | '/job:localhost/replica:0/task:0/device:GPU:0'
tf.Variable(1.).device | '/job:localhost/replica:0/task:0/device:GPU:0'
"""
DEVICES = """
'PU' in tf.constant(1.).device | True
tf.constant(1.).device.endswith(':0') | True
(tf.constant(1.) + tf.Variable(2.)).device == tf.Variable(2.).device | True
next(iter(tf.data.Dataset.from_tensor_slices([1., 2.]).batch(2))).device[:15] | '/job:localhost/'
there().device == tf.constant(1.).device | True
tf.keras.layers.Dense(1)(tf.ones((1, 2))).device[:15] | '/job:localhost/'
"""
WHOLE = """
tf.keras.optimizers.SGD().iterations.dtype | 'int64'
tf.keras.backend.standardize_dtype(int) | 'int64'
tf.keras.backend.standardize_dtype(complex) | 'complex128'
tf.keras.ops.cast(tf.constant(1.), 'int').dtype | tf.int64
tf.keras.Variable(1, dtype=int).dtype | 'int64'
tf.keras.Variable(1).dtype | 'int32'
tf.keras.ops.convert_to_tensor(3).dtype | tf.int32
tf.keras.ops.add(True, 2).dtype | tf.int32
tf.keras.metrics.MeanIoU(2).dtype | 'int64'
"""


@pytest.mark.parametrize("lines", (CALLS, DEVICES, WHOLE), ids=("signatures", "devices", "whole numbers"))
def test_functions(lines, device, tmp_path):
    assert differences(lines, device, tmp_path, NAMES) == []


def test_names_of_devices(device, tmp_path):
    assert differences(ON_CPU if device.kind == "cpu" else ON_GPU, device, tmp_path) == []
