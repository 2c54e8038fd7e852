"""TensorFlow's values under `quern run`: what tensors print, TensorShape, DType, and which constants are made or refused."""

from keras_oracle import needs_keras
from tensorflow_lines import differences

needs_keras()

SCALARS = """
tf.constant(1.5).numpy() | np.float32(1.5)
tf.reduce_sum(tf.ones((2,2))).numpy() | np.float32(4.0)
tf.Variable(2).numpy() | np.int32(2)
{tf.constant(1).numpy(): 2} | {np.int32(1): 2}
round(tf.constant(1.4).numpy(), 1) | np.float32(1.4)
"%s" % tf.constant(1.5) | 'tf.Tensor(1.5, shape=(), dtype=float32)'
tf.constant(True).numpy() | np.True_
tf.constant(True) | <tf.Tensor: shape=(), dtype=bool, numpy=True>
tf.constant([1,2],tf.int64) | <tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>
tf.zeros((0,3)) | <tf.Tensor: shape=(0, 3), dtype=float32, numpy=array([], shape=(0, 3), dtype=float32)>
tf.Variable(1.0) | <tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>
tf.Variable([1,2], name="v") | <tf.Variable 'v:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>
tf.Variable(2.0) + 1 | <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
tf.constant([1,2,3])[1:] | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
tf.constant([1,2,3])[1] | <tf.Tensor: shape=(), dtype=int32, numpy=2>
tf.constant([1,2,3])[-1].numpy() | np.int32(3)
"""
SHAPES = """
tf.constant([[1,2],[3,4]]).shape | TensorShape([2, 2])
tf.constant([[1,2],[3,4]]).shape.as_list() | [2, 2]
tf.constant([[1,2],[3,4]]).shape.rank | 2
tf.constant([[1,2],[3,4]]).shape.ndims | 2
tf.constant([[1,2],[3,4]]).get_shape() | TensorShape([2, 2])
tf.constant([[1,2],[3,4]]).get_shape().as_list() | [2, 2]
tf.Variable([[1,2],[3,4]]).shape | TensorShape([2, 2])
tf.Variable([[1,2],[3,4]]).get_shape().as_list() | [2, 2]
tf.Variable([[1,2],[3,4]]).shape.rank | 2
tf.constant([[1,2],[3,4]]).set_shape((2,2)) | None
tf.constant([[1,2],[3,4]]).set_shape((None,2)) | None
tf.constant([[1,2],[3,4]]).set_shape((3,2)) | ! ValueError
tf.constant([[1,2],[3,4]]).set_shape((2,)) | ! ValueError
tf.TensorShape([None,2]) | TensorShape([None, 2])
tf.TensorShape([None,2]).as_list() | [None, 2]
tf.TensorShape(None) | TensorShape(None)
tf.TensorShape(None).rank | None
tf.TensorShape(None).as_list() | ! ValueError
len(tf.TensorShape(None)) | ! ValueError
tf.TensorShape([]) | TensorShape([])
tf.TensorShape(3) | TensorShape([3])
tf.TensorShape((2,3)) == (2,3) | True
tf.TensorShape((2,3)) == [2,3] | True
tf.TensorShape((2,3)) == tf.TensorShape([2,3]) | True
tf.TensorShape((2,3)) != [2,4] | True
tf.TensorShape((None,3)) == tf.TensorShape((None,3)) | True
tf.TensorShape((None,3)) == [2,3] | False
tf.TensorShape((2,3)) == 5 | False
tf.TensorShape((2,3)) == None | False
tf.TensorShape(None) == tf.TensorShape(None) | True
tf.TensorShape((2,3))[0] | 2
tf.TensorShape((2,3))[-1] | 3
tf.TensorShape((2,3))[1:] | TensorShape([3])
tf.TensorShape((2,3,4))[:2] | TensorShape([2, 3])
tf.TensorShape((2,3,4))[::2] | TensorShape([2, 4])
tf.TensorShape((2,3))[5] | ! IndexError
tf.TensorShape(None)[0] | None
tf.TensorShape(None)[1:] | TensorShape(None)
tf.TensorShape((None,3))[0] | None
tf.TensorShape((2,3)).num_elements() | 6
tf.TensorShape((None,3)).num_elements() | None
tf.TensorShape(None).num_elements() | None
tf.TensorShape(()).num_elements() | 1
tf.TensorShape((2,3)).is_fully_defined() | True
tf.TensorShape((None,3)).is_fully_defined() | False
tf.TensorShape(None).is_fully_defined() | False
tf.TensorShape((None,3)).is_compatible_with((2,3)) | True
tf.TensorShape((None,3)).is_compatible_with((2,4)) | False
tf.TensorShape((None,3)).is_compatible_with((2,4,1)) | False
tf.TensorShape((None,3)).is_compatible_with(None) | True
tf.TensorShape((None,3)).assert_is_compatible_with((2,3)) | None
tf.TensorShape((None,3)).assert_is_compatible_with((2,4)) | ! ValueError
tf.TensorShape((None,3)).assert_same_rank((2,4,1)) | ! ValueError
tf.TensorShape((None,3)).assert_same_rank((2,4)) | None
tf.TensorShape((None,3)).assert_has_rank(2) | None
tf.TensorShape((None,3)).assert_has_rank(3) | ! ValueError
tf.TensorShape((None,3)).assert_is_fully_defined() | ! ValueError
tf.TensorShape((2,3)).assert_is_fully_defined() | None
tf.TensorShape((None,3)).merge_with((2,None)) | TensorShape([2, 3])
tf.TensorShape((None,3)).merge_with((2,4)) | ! ValueError
tf.TensorShape(None).merge_with((2,4)) | TensorShape([2, 4])
tf.TensorShape((None,3)).merge_with((2,4,3)) | ! ValueError
tf.TensorShape((None,3)).concatenate((2,4)) | TensorShape([None, 3, 2, 4])
tf.TensorShape((None,3)).concatenate(5) | TensorShape([None, 3, 5])
tf.TensorShape((None,3)).concatenate(None) | TensorShape(None)
tf.TensorShape((None,3)) + [4] | TensorShape([None, 3, 4])
tf.TensorShape((None,3)) + (4,) | TensorShape([None, 3, 4])
[4] + tf.TensorShape((None,3)) | TensorShape([4, None, 3])
(4,) + tf.TensorShape((None,3)) | TensorShape([4, None, 3])
tf.TensorShape((None,3)).with_rank(2) | TensorShape([None, 3])
tf.TensorShape((None,3)).with_rank(3) | ! ValueError
tf.TensorShape((None,3)).with_rank_at_least(1) | TensorShape([None, 3])
tf.TensorShape((None,3)).with_rank_at_least(3) | ! ValueError
tf.TensorShape((None,3)).with_rank_at_most(3) | TensorShape([None, 3])
tf.TensorShape((None,3)).with_rank_at_most(1) | ! ValueError
tf.TensorShape((None,3)).dims | [Dimension(None), Dimension(3)]
tf.TensorShape(None).dims | None
tf.TensorShape((2,3)).dims[0].value | 2
str(tf.TensorShape((2,3))) | '(2, 3)'
str(tf.TensorShape((None,3))) | '(None, 3)'
str(tf.TensorShape((3,))) | '(3,)'
str(tf.TensorShape(None)) | '<unknown>'
f"{tf.TensorShape((2,3))}" | '(2, 3)'
list(tf.TensorShape((2,3))) | [2, 3]
tuple(tf.TensorShape((2,3))) | (2, 3)
[d for d in tf.TensorShape((2,None))] | [2, None]
len(tf.TensorShape((2,3))) | 2
bool(tf.TensorShape(())) | True
bool(tf.TensorShape(None)) | False
hash(tf.TensorShape((2,3))) == hash(tf.TensorShape([2,3])) | True
{tf.TensorShape((2,3)): 1}[tf.TensorShape((2,3))] | 1
tf.TensorShape([2,3]).most_specific_compatible_shape((2,4)) | TensorShape([2, None])
tf.TensorShape([-1]) | ! ValueError
tf.TensorShape(["a"]) | ! TypeError
tf.TensorShape([2.5]) | ! TypeError
tf.TensorShape(tf.TensorShape([1,2])) | TensorShape([1, 2])
tf.TensorShape(np.array([1,2])) | TensorShape([1, 2])
tf.TensorShape(tf.constant([1,2])) | TensorShape([1, 2])
tf.zeros(tf.TensorShape([2,3])).shape | TensorShape([2, 3])
tf.ones(tf.constant([1,2])).shape | TensorShape([1, 2])
x=tf.zeros((4,5)); tf.random.normal(x.shape).shape | TensorShape([4, 5])
x=tf.zeros((4,5)); x.shape == (4,5), x.shape == [4,5], x.shape != (4,5) | (True, True, False)
x=tf.zeros((4,5)); isinstance(x.shape, tf.TensorShape) | True
tf.broadcast_static_shape(tf.TensorShape([2,1]), tf.TensorShape([3])) | TensorShape([2, 3])
tf.broadcast_dynamic_shape([2,1],[3]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
tf.shape(tf.zeros((4,5))) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 5], dtype=int32)>
tf.shape(tf.zeros((4,5)))[0] | <tf.Tensor: shape=(), dtype=int32, numpy=4>
"""
DTYPES = """
tf.float32 | tf.float32
str(tf.int32) | "<dtype: 'int32'>"
f"{tf.bool}" | "<dtype: 'bool'>"
tf.float32.max | np.float32(3.4028235e+38)
tf.float32.min | np.float32(-3.4028235e+38)
tf.float16.max | np.float16(6.55e+04)
tf.bfloat16.max | 3.38953e+38
tf.int32.max | 2147483647
tf.int8.min | -128
tf.uint8.limits | (0, 255)
tf.float32.limits | (0, 1)
tf.int16.limits | (0, 32767)
tf.bool.limits | (0, True)
tf.bool.max | ! TypeError
tf.bool.min | ! TypeError
tf.complex64.max | ! TypeError
tf.as_dtype('float32') | tf.float32
tf.as_dtype(np.float64) | tf.float64
tf.as_dtype(np.dtype('int8')) | tf.int8
tf.as_dtype(tf.int32) | tf.int32
tf.as_dtype(float) | tf.float32
tf.as_dtype(int) | ! TypeError
tf.as_dtype(bool) | tf.bool
tf.as_dtype('foo') | ! TypeError
tf.as_dtype(1) | tf.float32
tf.dtypes.as_dtype('int32') | tf.int32
tf.dtypes.float32 | tf.float32
tf.dtypes.cast([1,2], tf.float32) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.dtypes.complex(1.,2.) | <tf.Tensor: shape=(), dtype=complex64, numpy=(1+2j)>
tf.dtypes.saturate_cast([300], tf.uint8) | <tf.Tensor: shape=(1,), dtype=uint8, numpy=array([255], dtype=uint8)>
tf.float32 == float | True
np.float32 == tf.float32 | True
tf.uint8.is_unsigned, tf.int8.is_unsigned, tf.float32.is_unsigned, tf.bool.is_unsigned | (True, False, False, False)
tf.float32.is_numeric, tf.bool.is_numeric | (True, False)
tf.float32.real_dtype, tf.complex64.real_dtype, tf.complex128.real_dtype | (tf.float32, tf.float32, tf.float64)
tf.float32.base_dtype | tf.float32
tf.float32.is_compatible_with(tf.float32), tf.float32.is_compatible_with(tf.int32) | (True, False)
tf.float32.as_datatype_enum | 1
tf.half, tf.double | (tf.float16, tf.float64)
tf.half is tf.float16 | True
tf.add(1, 2) | <tf.Tensor: shape=(), dtype=int32, numpy=3>
tf.multiply([1,2],[3,4]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 8], dtype=int32)>
tf.constant(1.).dtype | tf.float32
tf.constant(1.).dtype.is_floating | True
tf.Variable(1.).dtype | tf.float32
isinstance(tf.constant(1).dtype, tf.DType) | True
tf.float32 is tf.constant(1.).dtype | True
{tf.float32: 1}[tf.constant(1.).dtype] | 1
tf.Variable(2**40).dtype | tf.int64
"""
CONSTANTS = """
tf.constant(1.5, tf.int32) | ! TypeError
tf.constant([1.5,2], dtype="int32") | ! TypeError
tf.constant([1.5,2], shape=(2,), dtype=tf.int32) | ! TypeError
tf.constant(2.0, tf.int32) | ! TypeError
tf.constant(np.array(1.5), tf.int32) | <tf.Tensor: shape=(), dtype=int32, numpy=1>
tf.constant(np.array([1.5,2.5]), tf.int32) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
tf.constant(np.float32(1.5), tf.int32) | <tf.Tensor: shape=(), dtype=int32, numpy=1>
tf.constant(np.float64(1.5)) | <tf.Tensor: shape=(), dtype=float64, numpy=1.5>
tf.constant(np.arange(3)) | <tf.Tensor: shape=(3,), dtype=int64, numpy=array([0, 1, 2])>
tf.constant(np.arange(3.)) | <tf.Tensor: shape=(3,), dtype=float64, numpy=array([0., 1., 2.])>
tf.constant([np.float64(1.5), 2.]) | <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1.5, 2. ])>
tf.constant([np.float32(1.5), 2.]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2. ], dtype=float32)>
tf.constant([np.int64(1), 2]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
tf.constant(True, tf.int32) | <tf.Tensor: shape=(), dtype=int32, numpy=1>
tf.constant(True, tf.float32) | <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
tf.constant(1, tf.bool) | ! TypeError
tf.constant(0.5, tf.bool) | ! TypeError
tf.constant([True, 2]) | ! ValueError
tf.constant([1, 2.5]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1. , 2.5], dtype=float32)>
tf.constant([1, True]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>
tf.constant(300, tf.uint8) | <tf.Tensor: shape=(), dtype=uint8, numpy=44>
tf.constant(-1, tf.uint8) | <tf.Tensor: shape=(), dtype=uint8, numpy=255>
tf.constant([1,300], tf.uint8) | <tf.Tensor: shape=(2,), dtype=uint8, numpy=array([ 1, 44], dtype=uint8)>
tf.constant(200, tf.int8) | <tf.Tensor: shape=(), dtype=int8, numpy=-56>
tf.constant(2**40) | <tf.Tensor: shape=(), dtype=int64, numpy=1099511627776>
tf.constant([2**40, 1]) | <tf.Tensor: shape=(2,), dtype=int64, numpy=array([1099511627776,             1])>
tf.constant(2**40, tf.int32) | <tf.Tensor: shape=(), dtype=int32, numpy=0>
tf.constant(2**70) | ! ValueError
tf.constant(2**40, tf.float32) | <tf.Tensor: shape=(), dtype=float32, numpy=1099511627776.0>
tf.constant(1e50) | ! ValueError
tf.constant(1e50, tf.float32) | <tf.Tensor: shape=(), dtype=float32, numpy=inf>
tf.constant(70000., tf.float16) | <tf.Tensor: shape=(), dtype=float16, numpy=inf>
tf.constant(1+2j) | <tf.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>
tf.constant(1+2j, tf.float32) | ! TypeError
tf.constant(1, tf.complex64) | <tf.Tensor: shape=(), dtype=complex64, numpy=(1+0j)>
tf.constant(1, tf.float32) | <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
tf.constant(1, tf.float64) | <tf.Tensor: shape=(), dtype=float64, numpy=1.0>
tf.constant([]) | <tf.Tensor: shape=(0,), dtype=float32, numpy=array([], dtype=float32)>
tf.constant([[]]) | <tf.Tensor: shape=(1, 0), dtype=float32, numpy=array([], shape=(1, 0), dtype=float32)>
tf.constant((1,2)) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
tf.constant(range(3)) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 2], dtype=int32)>
tf.constant([1,2,3], shape=(2,2)) | ! TypeError
tf.constant([1,2,3,4,5], shape=(2,2)) | ! TypeError
tf.constant(tf.constant([1,2]), tf.int32) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
tf.constant(tf.constant([1,2]), tf.float32) | ! TypeError
tf.constant(tf.Variable(1.0)) | <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
tf.convert_to_tensor(1.5, tf.int32) | ! TypeError
tf.convert_to_tensor([1.5], dtype=tf.int32) | ! TypeError
tf.convert_to_tensor(tf.constant(1.5), tf.int32) | ! ValueError
tf.convert_to_tensor(np.array([1,2]), tf.float32) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.convert_to_tensor([1,2], dtype_hint=tf.float32) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.convert_to_tensor([tf.constant(1.), 2.]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.convert_to_tensor(tf.Variable(2.0)) | <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
tf.Variable(1.5, dtype=tf.int32) | ! TypeError
tf.Variable([1,2], dtype=tf.float32) | <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.Variable(1).assign(1.5) | ! TypeError
tf.Variable(1.).assign(2).numpy() | np.float32(2.0)
v=tf.Variable(3); v.assign_add(2).numpy() | np.int32(5)
x=tf.constant([1,2]); x[0]=5 | ! TypeError
x=tf.constant([1,2]); del x[0] | ! TypeError
x=tf.ones((2,2)); x[0,1]=5 | ! TypeError
x=tf.ones((2,2)); x[x>0]=5 | ! TypeError
x=tf.ones((2,2)); x[:]=5 | ! TypeError
x=tf.constant([1,2]); d={x.ref(): 1}; d[x.ref()] | 1
x=tf.constant([1,2]); x.ref().deref() | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
list(tf.constant([1,2])) | [<tf.Tensor: shape=(), dtype=int32, numpy=1>, <tf.Tensor: shape=(), dtype=int32, numpy=2>]
tf.constant([1,2]) == tf.constant([1,3]) | <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>
tf.constant([1,2]) == [1,3] | <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>
tf.constant([1,2]) != 1 | <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>
tf.constant([1,2]) == None | False
tf.constant(1.) + 1 | <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
tf.constant([1,2]) + np.array([1,2]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>
tf.constant([1.,2.]) + np.array([1.,2.]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>
tf.constant([1.,2.]) * np.array([1,2], np.int32) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 4.], dtype=float32)>
np.array([1.,2.]) * tf.constant([1.,2.]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 4.], dtype=float32)>
tf.constant(1) / 2 | <tf.Tensor: shape=(), dtype=float64, numpy=0.5>
tf.constant(7) // 2, tf.constant(-7) % 3 | (<tf.Tensor: shape=(), dtype=int32, numpy=3>, <tf.Tensor: shape=(), dtype=int32, numpy=2>)
tf.constant(2) ** 3 | <tf.Tensor: shape=(), dtype=int32, numpy=8>
2 ** tf.constant([1.,2.]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>
tf.constant([True]) & tf.constant([False]) | <tf.Tensor: shape=(1,), dtype=bool, numpy=array([False])>
~tf.constant([True]) | <tf.Tensor: shape=(1,), dtype=bool, numpy=array([False])>
tf.constant([[1.,2.]]) @ tf.constant([[3.],[4.]]) | <tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[11.]], dtype=float32)>
tf.constant([1,2,3])[tf.constant(1)] | <tf.Tensor: shape=(), dtype=int32, numpy=2>
tf.constant([[1,2],[3,4]])[..., 1] | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>
x=tf.constant([1,2,3]); x[x>1] | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
np.sum(tf.constant([1,2])) | np.int64(3)
np.mean(tf.constant([1.,2.])) | np.float32(1.5)
np.argmax(tf.constant([1.,2.])) | np.int64(1)
np.concatenate([tf.constant([1.]), [2.]]) | array([1., 2.])
"""


def test_scalars(device, tmp_path):
    assert differences(SCALARS, device, tmp_path) == []


def test_shapes(device, tmp_path):
    assert differences(SHAPES, device, tmp_path) == []


def test_dtypes(device, tmp_path):
    assert differences(DTYPES, device, tmp_path) == []


def test_constants(device, tmp_path):
    assert differences(CONSTANTS, device, tmp_path) == []
