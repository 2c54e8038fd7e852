"""TensorFlow's functions and datasets under `quern run`: places out of range, wrong shapes, and what datasets print."""

from keras_oracle import needs_keras
from tensorflow_lines import differences

needs_keras()

PLACES = """
tf.gather([1,2,3],[5]) | ! InvalidArgumentError
tf.gather([1,2,3],[-1]) | ! InvalidArgumentError
tf.gather([1,2,3],5) | ! InvalidArgumentError
tf.gather([1,2,3],2) | <tf.Tensor: shape=(), dtype=int32, numpy=3>
tf.gather(tf.ones((2,2)),[2],axis=1) | ! InvalidArgumentError
tf.gather(tf.ones((2,2)),[0],axis=5) | ! InvalidArgumentError
tf.gather([[1,2],[3,4]],[1,0],batch_dims=1) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
tf.gather([1,2,3],[0.5]) | ! InvalidArgumentError
tf.gather([1,2,3],[True]) | ! InvalidArgumentError
tf.gather([1,2,3],[]) | ! InvalidArgumentError
tf.gather([1,2,3],tf.constant([0],tf.int64)) | <tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], dtype=int32)>
tf.gather(tf.Variable([1.,2.,3.]),[0,2]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>
tf.gather(tf.Variable([1.,2.,3.]),[3]) | ! InvalidArgumentError
tf.gather(params=[1,2,3],indices=[0]) | <tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], dtype=int32)>
tf.gather([1,2,3],indices=[0],axis=0) | <tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], dtype=int32)>
tf.gather_nd(tf.ones((2,2)),[[5,0]]) | ! InvalidArgumentError
tf.gather_nd(tf.ones((2,2)),[[-1,0]]) | ! InvalidArgumentError
tf.gather_nd(tf.constant([[1,2],[3,4]]),[[1]]) | <tf.Tensor: shape=(1, 2), dtype=int32, numpy=array([[3, 4]], dtype=int32)>
tf.gather_nd(tf.constant([[1,2],[3,4]]),[[0,0],[1,1]]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 4], dtype=int32)>
tf.gather_nd(tf.constant([[1,2],[3,4]]),[[0,0,0]]) | ! InvalidArgumentError
tf.gather_nd([[1,2],[3,4]],[[1],[0]],batch_dims=1) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
tf.nn.embedding_lookup(tf.ones((3,2)),[3]) | ! InvalidArgumentError
tf.nn.embedding_lookup(tf.Variable(tf.ones((3,2))),[[-1]]) | ! InvalidArgumentError
tf.one_hot(1,3) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 1., 0.], dtype=float32)>
tf.one_hot([0.5],2) | ! InvalidArgumentError
tf.scatter_nd([[5]],[1.],[3]) | ! InvalidArgumentError
tf.scatter_nd([[-1]],[1.],[3]) | ! InvalidArgumentError
tf.scatter_nd([[1]],[1.],[3]) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 1., 0.], dtype=float32)>
tf.tensor_scatter_nd_update([1,2,3],[[7]],[9]) | ! InvalidArgumentError
tf.tensor_scatter_nd_update([1,2,3],[[1]],[9]) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 9, 3], dtype=int32)>
tf.tensor_scatter_nd_add([1,2,3],[[-1]],[9]) | ! InvalidArgumentError
tf.tensor_scatter_nd_sub([1,2,3],[[1]],[9]) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([ 1, -7,  3], dtype=int32)>
tf.tensor_scatter_nd_max([1,2,3],[[1]],[9]) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 9, 3], dtype=int32)>
"""
FUNCTIONS = """
tf.linalg.inv(tf.zeros((3,3))) | ! InvalidArgumentError
tf.linalg.inv([[1.,2.],[2.,4.]]) | ! InvalidArgumentError
tf.linalg.solve(tf.zeros((2,2)),tf.ones((2,1))) | ! InvalidArgumentError
tf.math.softmax([1.,1.]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5, 0.5], dtype=float32)>
tf.math.invert_permutation([1,0]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 0], dtype=int32)>
tf.Variable([1,2,3]).scatter_nd_update([[0]],[9]).numpy() | array([9, 2, 3], dtype=int32)
tf.Variable([1.,2.]).gather_nd([[0]]) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
tf.Variable([1.,2.]).is_initialized() | <tf.Tensor: shape=(), dtype=bool, numpy=True>
tf.config.optimizer.set_jit(True) | None
tf.autograph.set_verbosity(0) | None
tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR) | None
tf.boolean_mask([1,2,3],[True,False]) | ! ValueError
tf.boolean_mask([1,2,3],[True,False,True]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>
tf.slice([1,2,3],[1],[5]) | ! InvalidArgumentError
tf.slice([1,2,3],[1],[2]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
tf.slice([1,2,3],[-1],[1]) | ! InvalidArgumentError
tf.reshape([1,2,3],[2,2]) | ! InvalidArgumentError
tf.reshape([1,2,3],[-1,2]) | ! InvalidArgumentError
tf.reshape([1,2,3,4],[-1,-1]) | ! InvalidArgumentError
tf.concat([[1,2],[3,4]],0) | <tf.Tensor: shape=(4,), dtype=int32, numpy=array([1, 2, 3, 4], dtype=int32)>
tf.concat([tf.ones((2,2)),tf.ones((3,3))],0) | ! InvalidArgumentError
tf.concat([[1,2],[3,4]],5) | ! InvalidArgumentError
tf.stack([[1,2],[3]]) | ! InvalidArgumentError
tf.stack([tf.ones(2),tf.ones(3)]) | ! InvalidArgumentError
tf.stack([1,2,3]) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
tf.unstack(tf.constant([1,2])) | [<tf.Tensor: shape=(), dtype=int32, numpy=1>, <tf.Tensor: shape=(), dtype=int32, numpy=2>]
tf.split([1,2,3,4],3) | ! InvalidArgumentError
tf.split([1,2,3,4],[1,2]) | ! InvalidArgumentError
tf.squeeze(tf.ones((2,1))) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
tf.squeeze(tf.ones((2,1)),0) | ! InvalidArgumentError
tf.expand_dims([1,2],5) | ! InvalidArgumentError
tf.transpose(tf.ones((2,3)),[0]) | ! InvalidArgumentError
tf.transpose(tf.ones((2,3)),[0,0]) | ! InvalidArgumentError
tf.matmul(tf.ones((2,3)),tf.ones((2,3))) | ! InvalidArgumentError
tf.linalg.matmul(tf.ones((2,3)),tf.ones((4,3))) | ! InvalidArgumentError
tf.linalg.det([[1.,0.],[3.,4.]]) | <tf.Tensor: shape=(), dtype=float32, numpy=4.0>
tf.tile([1,2],[2]) | <tf.Tensor: shape=(4,), dtype=int32, numpy=array([1, 2, 1, 2], dtype=int32)>
tf.pad([1,2],[[1,1]]) | <tf.Tensor: shape=(4,), dtype=int32, numpy=array([0, 1, 2, 0], dtype=int32)>
tf.broadcast_to([1,2],[3]) | ! InvalidArgumentError
tf.range(5) | <tf.Tensor: shape=(5,), dtype=int32, numpy=array([0, 1, 2, 3, 4], dtype=int32)>
tf.range(0,10,0) | ! InvalidArgumentError
tf.range(3.) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 1., 2.], dtype=float32)>
tf.range(1,10,3) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 4, 7], dtype=int32)>
tf.linspace(0.,1.,5) | <tf.Tensor: shape=(5,), dtype=float32, numpy=array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)>
tf.fill((2,),1.5) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 1.5], dtype=float32)>
tf.zeros([2,-1]) | ! InvalidArgumentError
tf.zeros(3) | <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 0., 0.], dtype=float32)>
tf.zeros([2],tf.int32) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 0], dtype=int32)>
tf.zeros_like([1,2]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 0], dtype=int32)>
tf.ones_like(tf.ones(2,tf.int64)) | <tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 1])>
tf.cast([1.7,2.2],tf.int32) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
tf.cast(True,tf.float32) | <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
tf.argmax([1,3,2]) | <tf.Tensor: shape=(), dtype=int64, numpy=1>
tf.argmax([[1,3],[4,2]],axis=1) | <tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 0])>
tf.argmax([[1,3],[4,2]],axis=2) | ! InvalidArgumentError
tf.reduce_sum([1,2],axis=1) | ! InvalidArgumentError
tf.reduce_mean([1,2]) | <tf.Tensor: shape=(), dtype=int32, numpy=1>
tf.reduce_mean([1.,2.]) | <tf.Tensor: shape=(), dtype=float32, numpy=1.5>
tf.reduce_any([True,False]) | <tf.Tensor: shape=(), dtype=bool, numpy=True>
tf.where([True,False],[1,2],[3,4]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 4], dtype=int32)>
tf.where([True,False],[1,2,3],[3,4,5]) | ! InvalidArgumentError
tf.where([[True,False]]) | <tf.Tensor: shape=(1, 2), dtype=int64, numpy=array([[0, 0]])>
tf.math.log([0.]) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([-inf], dtype=float32)>
tf.sqrt(4.) | <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
tf.square(3) | <tf.Tensor: shape=(), dtype=int32, numpy=9>
tf.abs(-3) | <tf.Tensor: shape=(), dtype=int32, numpy=3>
tf.pow(2,3) | <tf.Tensor: shape=(), dtype=int32, numpy=8>
tf.pow(2.,[1,2]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>
tf.maximum(1,2) | <tf.Tensor: shape=(), dtype=int32, numpy=2>
tf.math.divide_no_nan(1.,0.) | <tf.Tensor: shape=(), dtype=float32, numpy=0.0>
tf.sigmoid([0.]) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.5], dtype=float32)>
tf.nn.relu([-1.,2.]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 2.], dtype=float32)>
tf.nn.relu([-1,2]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 2], dtype=int32)>
tf.math.top_k([1.,3.,2.],5) | ! InvalidArgumentError
tf.nn.top_k([1.,3.,2.],2).values | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 2.], dtype=float32)>
tf.sort([3,1,2]) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
tf.argsort([3,1,2]) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 0], dtype=int32)>
tf.equal([1,2],[1,3]) | <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>
tf.logical_and([True],[False]) | <tf.Tensor: shape=(1,), dtype=bool, numpy=array([False])>
tf.rank([[1]]) | <tf.Tensor: shape=(), dtype=int32, numpy=2>
tf.size([[1,2]]) | <tf.Tensor: shape=(), dtype=int32, numpy=2>
tf.identity([1,2]) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
tf.einsum("ij,jk",tf.ones((2,3)),tf.ones((2,3))) | ! InvalidArgumentError
tf.tensordot([1.,2.],[3.,4.],1) | <tf.Tensor: shape=(), dtype=float32, numpy=11.0>
tf.norm([3.,4.]) | <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
tf.debugging.assert_equal(1,2) | ! InvalidArgumentError
tf.debugging.assert_equal(1,1) | None
tf.debugging.assert_shapes([(tf.ones((2,3)),(2,3))]) | None
tf.debugging.check_numerics(tf.constant([1.,float("nan")]),"bad") | ! InvalidArgumentError
tf.random.set_seed(1); tf.random.uniform((2,)).shape | TensorShape([2])
tf.random.uniform((2,),0,10,dtype=tf.int32).dtype | tf.int32
tf.random.normal([2,3]).dtype | tf.float32
tf.random.shuffle([1,2,3]).shape | TensorShape([3])
tf.function(lambda x: x+1)(tf.constant(1)) | <tf.Tensor: shape=(), dtype=int32, numpy=2>
"""
DATASETS = """
[int(x) for x in tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))] | [0, 1, 3, 6]
[b.numpy().tolist() for b in tf.data.Dataset.range(7).batch(3).rebatch(2)] | [[0, 1], [2, 3], [4, 5], [6]]
list(tf.data.Dataset.counter().take(2).as_numpy_iterator()) | [np.int64(0), np.int64(1)]
tf.data.Dataset.range(6) | <_RangeDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.from_tensors([1,2]) | <_TensorDataset element_spec=TensorSpec(shape=(2,), dtype=tf.int32, name=None)>
tf.data.Dataset.range(6).map(lambda x: x*2) | <_MapDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).filter(lambda x: x>2) | <_FilterDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).shuffle(3) | <_ShuffleDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).repeat() | <_RepeatDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).take(2) | <_TakeDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).skip(2) | <_SkipDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).prefetch(1) | <_PrefetchDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).batch(2).unbatch() | <_UnbatchDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).shard(2,0) | <_ShardDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>
tf.data.Dataset.range(6).padded_batch(2) | <_PaddedBatchDataset element_spec=TensorSpec(shape=(None,), dtype=tf.int64, name=None)>
next(iter(tf.data.Dataset.range(6))) | <tf.Tensor: shape=(), dtype=int64, numpy=0>
list(tf.data.Dataset.range(3).repeat().skip(-1).as_numpy_iterator()) | []
tf.data.Dataset.range(3).repeat().take(5).cardinality() | <tf.Tensor: shape=(), dtype=int64, numpy=5>
tf.data.Dataset.range(3).cardinality().numpy() | np.int64(3)
tf.data.Dataset.range(3).cardinality() == tf.data.INFINITE_CARDINALITY | <tf.Tensor: shape=(), dtype=bool, numpy=False>
tf.data.Dataset.range(3).repeat().cardinality().numpy() | np.int64(-1)
tf.data.experimental.cardinality(tf.data.Dataset.range(3)).numpy() | np.int64(3)
list(tf.data.Dataset.range(3).batch(0)) | ! InvalidArgumentError
tf.data.Dataset.range(3).batch(0) | ! InvalidArgumentError
list(tf.data.Dataset.range(3).batch(-1)) | ! InvalidArgumentError
list(tf.data.Dataset.range(3).shuffle(0)) | ! InvalidArgumentError
list(tf.data.Dataset.range(3).shuffle(-3)) | ! InvalidArgumentError
list(tf.data.Dataset.range(3).padded_batch(0)) | ! InvalidArgumentError
list(tf.data.Dataset.range(3).shard(2,5)) | ! InvalidArgumentError
list(tf.data.Dataset.range(3).shard(0,0)) | ! InvalidArgumentError
list(tf.data.Dataset.range(3).window(0)) | ! InvalidArgumentError
tf.data.Dataset.from_tensor_slices(5) | ! ValueError
tf.data.Dataset.range(6).element_spec | TensorSpec(shape=(), dtype=tf.int64, name=None)
tf.data.Dataset.range(6).batch(2).element_spec | TensorSpec(shape=(None,), dtype=tf.int64, name=None)
tf.data.Dataset.range(6).batch(2, drop_remainder=True).element_spec | TensorSpec(shape=(2,), dtype=tf.int64, name=None)
tf.data.Dataset.range(6).map(lambda a,b: a) | ! TypeError
bool(tf.data.Dataset.range(0)) | True
tf.data.Dataset.range(6).reduce(0, lambda a,b: a+1) | <tf.Tensor: shape=(), dtype=int32, numpy=6>
tf.data.Dataset.range(6).reduce(np.int64(0), lambda a,b: a+b) | <tf.Tensor: shape=(), dtype=int64, numpy=15>
tf.data.Dataset.range(3).get_single_element() | ! InvalidArgumentError
tf.data.Dataset.range(1).get_single_element() | <tf.Tensor: shape=(), dtype=int64, numpy=0>
it=iter(tf.data.Dataset.range(2)); it.get_next() | <tf.Tensor: shape=(), dtype=int64, numpy=0>
it=iter(tf.data.Dataset.range(1)); it.get_next(); it.get_next() | ! OutOfRangeError
it=iter(tf.data.Dataset.range(2)); it.element_spec | TensorSpec(shape=(), dtype=tf.int64, name=None)
tf.TensorSpec.from_tensor(tf.ones((2,3))) | TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)
tf.TensorSpec.from_tensor(tf.ones((2,3)), name="q") | TensorSpec(shape=(2, 3), dtype=tf.float32, name='q')
tf.type_spec_from_value(tf.ones((2,3))) | TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)
"""
SPECS = """
tf.TensorSpec((None,2), tf.float32) | TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
tf.TensorSpec((2,), tf.float32, name="x") | TensorSpec(shape=(2,), dtype=tf.float32, name='x')
tf.TensorSpec([None,2]) | TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
tf.TensorSpec(None) | TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)
tf.TensorSpec((2,), "int32") | TensorSpec(shape=(2,), dtype=tf.int32, name=None)
tf.TensorSpec((2,)).shape | TensorShape([2])
tf.TensorSpec((2,)).dtype | tf.float32
tf.TensorSpec((2,)) == tf.TensorSpec((2,)) | True
tf.TensorSpec.from_spec(tf.TensorSpec((2,)), name="q") | TensorSpec(shape=(2,), dtype=tf.float32, name='q')
tf.TensorSpec((None,2)).is_compatible_with(tf.ones((3,2))) | True
tf.TensorSpec((None,2)).is_compatible_with(tf.ones((3,3))) | False
tf.TensorSpec((None,2)).is_compatible_with(tf.TensorSpec((3,2))) | True
tf.TensorSpec((2,), 'foo') | ! TypeError
"""


def test_places(device, tmp_path):
    assert differences(PLACES, device, tmp_path) == []


def test_functions(device, tmp_path):
    assert differences(FUNCTIONS, device, tmp_path) == []


def test_datasets(device, tmp_path):
    assert differences(DATASETS, device, tmp_path) == []


def test_specs(device, tmp_path):
    assert differences(SPECS, device, tmp_path) == []
