"""`tf.keras` under `quern run`: Keras with TensorFlow's older names, among them the functions of `tf.keras.backend`."""

from keras_oracle import needs_keras
from programs import quern
from tensorflow_lines import differences

needs_keras()

KERAS = """
tf.keras.__name__ | 'keras._tf_keras.keras'
tf.keras.losses.mae([1.,2.],[2.,2.]) | <tf.Tensor: shape=(), dtype=float32, numpy=0.5>
tf.keras.losses.mse([1.,2.],[2.,4.]) | <tf.Tensor: shape=(), dtype=float32, numpy=2.5>
tf.keras.losses.MSE([1.,2.],[2.,4.]) | <tf.Tensor: shape=(), dtype=float32, numpy=2.5>
tf.keras.metrics.mse([1.,2.],[2.,4.]) | <tf.Tensor: shape=(), dtype=float32, numpy=2.5>
tf.keras.losses.binary_crossentropy([1.],[0.9]) | <tf.Tensor: shape=(), dtype=float32, numpy=0.10536054521799088>
tf.keras.backend.sum(tf.ones((2,2))) | <tf.Tensor: shape=(), dtype=float32, numpy=4.0>
tf.keras.backend.mean(tf.ones((2,2)), axis=1) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
tf.keras.backend.square(tf.constant([1.,2.])) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 4.], dtype=float32)>
tf.keras.backend.sqrt(tf.constant([1.,4.])) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.keras.backend.exp(tf.constant([0.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
tf.keras.backend.abs(tf.constant([-1.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
tf.keras.backend.clip(tf.constant([1.,5.]),0.,2.) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.keras.backend.flatten(tf.ones((2,2))) | <tf.Tensor: shape=(4,), dtype=float32, numpy=array([1., 1., 1., 1.], dtype=float32)>
tf.keras.backend.shape(tf.ones((2,3))) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
tf.keras.backend.ndim(tf.ones((2,3))) | 2
tf.keras.backend.variable([1.,2.]) | <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.keras.backend.constant([1.,2.]) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.keras.backend.zeros((2,)) | <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([0., 0.], dtype=float32)>
tf.keras.backend.ones((2,)) | <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 1.], dtype=float32)>
tf.keras.backend.zeros_like(tf.ones(2)) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
tf.keras.backend.get_value(tf.Variable([1.,2.])) | array([1., 2.], dtype=float32)
tf.keras.backend.eval(tf.constant([1.])) | array([1.], dtype=float32)
v=tf.keras.backend.variable(1.); tf.keras.backend.set_value(v,3.); v.numpy() | np.float32(3.0)
tf.keras.backend.cast(tf.constant([1]),"float32") | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
tf.keras.backend.cast_to_floatx([1,2]) | array([1., 2.], dtype=float32)
tf.keras.backend.permute_dimensions(tf.ones((2,3)),(1,0)).shape | TensorShape([3, 2])
tf.keras.backend.expand_dims(tf.ones(2),0) | <tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[1., 1.]], dtype=float32)>
tf.keras.backend.squeeze(tf.ones((1,2)),0) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
tf.keras.backend.sigmoid(tf.constant([0.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.5], dtype=float32)>
tf.keras.backend.relu(tf.constant([-1.,2.])) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 2.], dtype=float32)>
tf.keras.backend.relu(tf.constant([-1.,2.]),alpha=0.1) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([-0.1,  2. ], dtype=float32)>
tf.keras.backend.tanh(tf.constant([0.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.], dtype=float32)>
tf.keras.backend.hard_sigmoid(tf.constant([0.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.5], dtype=float32)>
tf.keras.backend.softplus(tf.constant([0.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.6931472], dtype=float32)>
tf.keras.backend.argmax(tf.constant([1.,2.])) | <tf.Tensor: shape=(), dtype=int64, numpy=1>
tf.keras.backend.max(tf.constant([1.,2.])) | <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
tf.keras.backend.min(tf.constant([1.,2.])) | <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
tf.keras.backend.prod(tf.constant([1.,2.])) | <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
tf.keras.backend.std(tf.constant([1.,2.])) | <tf.Tensor: shape=(), dtype=float32, numpy=0.5>
tf.keras.backend.var(tf.constant([1.,2.])) | <tf.Tensor: shape=(), dtype=float32, numpy=0.25>
tf.keras.backend.any(tf.constant([0,1])) | <tf.Tensor: shape=(), dtype=bool, numpy=True>
tf.keras.backend.all(tf.constant([0,1])) | <tf.Tensor: shape=(), dtype=bool, numpy=False>
tf.keras.backend.equal(tf.constant([0,1]),tf.constant([0,2])) | <tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>
tf.keras.backend.greater(tf.constant([0,1]),tf.constant([0,0])) | <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>
tf.keras.backend.maximum(tf.constant([0,1]),tf.constant([0,2])) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 2], dtype=int32)>
tf.keras.backend.pow(tf.constant([2.]),3) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([8.], dtype=float32)>
tf.keras.backend.sign(tf.constant([-2.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([-1.], dtype=float32)>
tf.keras.backend.round(tf.constant([-2.4])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([-2.], dtype=float32)>
tf.keras.backend.log(tf.constant([1.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.], dtype=float32)>
tf.keras.backend.cumsum(tf.constant([1.,2.])) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>
tf.keras.backend.cumprod(tf.constant([1.,2.])) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
tf.keras.backend.one_hot(tf.constant([1]),3) | <tf.Tensor: shape=(1, 3), dtype=float32, numpy=array([[0., 1., 0.]], dtype=float32)>
tf.keras.backend.gather(tf.constant([1,2,3]),tf.constant([2])) | <tf.Tensor: shape=(1,), dtype=int32, numpy=array([3], dtype=int32)>
tf.keras.backend.tile(tf.ones(2),[2]) | <tf.Tensor: shape=(4,), dtype=float32, numpy=array([1., 1., 1., 1.], dtype=float32)>
tf.keras.backend.transpose(tf.ones((2,3))).shape | TensorShape([3, 2])
tf.keras.backend.reverse(tf.constant([1,2]),axes=0) | <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 1], dtype=int32)>
tf.keras.backend.switch(tf.constant(True),lambda: tf.constant(1),lambda: tf.constant(2)) | <tf.Tensor: shape=(), dtype=int32, numpy=1>
tf.keras.backend.l2_normalize(tf.constant([3.,4.])) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.6, 0.8], dtype=float32)>
tf.keras.backend.random_normal((2,)).shape | TensorShape([2])
tf.keras.backend.random_uniform((2,)).shape | TensorShape([2])
tf.keras.backend.truncated_normal((2,)).shape | TensorShape([2])
tf.keras.backend.random_bernoulli((2,)).shape | TensorShape([2])
tf.keras.backend.dropout(tf.ones((2,)),0.).shape | TensorShape([2])
tf.keras.backend.dtype(tf.ones(2)) | 'float32'
tf.keras.backend.count_params(tf.ones((2,3))) | 6
tf.keras.backend.batch_get_value([tf.Variable(1.)]) | [np.float32(1.0)]
tf.keras.backend.foldl(lambda a,b: a+b, tf.constant([1,2,3])) | <tf.Tensor: shape=(), dtype=int32, numpy=6>
tf.keras.backend.map_fn(lambda a: a+1, tf.constant([1,2,3])) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([2, 3, 4], dtype=int32)>
tf.keras.backend.arange(3) | <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 2], dtype=int32)>
tf.keras.backend.stop_gradient(tf.ones(1)) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
tf.keras.backend.in_top_k(tf.constant([[0.1,0.9]]),tf.constant([1]),1) | <tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>
tf.keras.backend.not_equal(tf.constant([1]),2) | <tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>
tf.keras.backend.less_equal(tf.constant([1]),2) | <tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>
tf.keras.backend.spatial_2d_padding(tf.ones((1,2,2,1))).shape | TensorShape([1, 4, 4, 1])
tf.keras.backend.temporal_padding(tf.ones((1,2,2))).shape | TensorShape([1, 4, 2])
tf.keras.backend.resize_images(tf.ones((1,2,2,1)),2,2,"channels_last").shape | TensorShape([1, 4, 4, 1])
tf.keras.backend.ones_like(tf.ones(2)) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>
tf.keras.backend.softsign(tf.constant([1.])) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.5], dtype=float32)>
tf.keras.backend.is_sparse(tf.ones(1)) | False
tf.keras.backend.to_dense(tf.ones(1)) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>
tf.keras.preprocessing.text.text_to_word_sequence("Hello, World") | ['hello', 'world']
tf.keras.preprocessing.text.one_hot("a b", 5).__len__() | 2
tf.keras.preprocessing.sequence.skipgrams([1,2,3],4,negative_samples=0.,seed=1)[1] | [1, 1, 1, 1, 1, 1]
tf.keras.preprocessing.sequence.make_sampling_table(3) | array([0.00315225, 0.00315225, 0.00547597])
tf.keras.layers.Dense(2)(tf.ones((1,3))).shape | TensorShape([1, 2])
tf.keras.layers.ThresholdedReLU(1.0)(tf.constant([0.5,2.])) | <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 2.], dtype=float32)>
tf.keras.initializers.GlorotUniform()((2,2)).shape | TensorShape([2, 2])
tf.losses.MeanSquaredError()([1.],[3.]) | <tf.Tensor: shape=(), dtype=float32, numpy=4.0>
tf.keras.losses.KLD([[0.5,0.5]],[[0.5,0.5]]) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.], dtype=float32)>
tf.keras.metrics.Mean()([1.,2.,3.]) | <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
m=tf.keras.metrics.Accuracy(); m.update_state([1,2],[1,3]); m.result().numpy() | np.float32(0.5)
tf.keras.optimizers.SGD(0.1).learning_rate.numpy() | np.float32(0.1)
tf.initializers.Zeros()((1,)) | <tf.Tensor: shape=(1,), dtype=float32, numpy=array([0.], dtype=float32)>
m=tf.keras.Sequential([tf.keras.Input((3,)),tf.keras.layers.Dense(1,name="d")]); m.get_layer("d").kernel.shape | TensorShape([3, 1])
m=tf.keras.Sequential([tf.keras.layers.Dense(1)]); m(np.ones((4,2))).shape | TensorShape([4, 1])
tf.version.VERSION.split(".")[0] | '2'
import tensorflow.keras.backend as K; K.mean(tf.ones((2, 2))) | <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
from tensorflow.keras.layers import Dense; Dense is tf.keras.layers.Dense | True
from tensorflow.keras import layers; layers.Dense is tf.keras.layers.Dense | True
import tensorflow.keras; tensorflow.keras.layers is tf.keras.layers | True
import keras; keras.layers.Dense is tf.keras.layers.Dense | True
"""

MISSING = """
import tensorflow as tf
L = tf.keras.layers
tf.keras.utils.set_random_seed(1)
for make in (L.StringLookup, L.TextVectorization, L.IntegerLookup, lambda: L.Hashing(3), lambda: L.HashedCrossing(3),
             lambda: tf.keras.layers.TFSMLayer("x"), lambda: tf.constant("text"), lambda: tf.strings.split("a b"),
             lambda: tf.keras.backend.ctc_decode(tf.ones((1, 2, 3)), [2])):
    try:
        make()
        print("made")
    except Exception as e:
        print(type(e).__name__, e)
"""


def test_keras(device, tmp_path):
    assert differences(KERAS, device, tmp_path) == []


def test_missing_parts_name_what_there_is(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(MISSING)
    done = quern("run", path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "made" not in done.stdout and "pip install" not in done.stdout
    assert done.stdout.count("Embedding, CategoryEncoding or Discretization") == 5
