"""TensorFlow's door under `quern run`: functions, variables and tapes give what TensorFlow 2.21 gave for the same lines."""

import pytest
from keras_oracle import needs_keras
from programs import quern

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
    text, expected = PROGRAMS[name]
    assert _run(text, device, tmp_path) == expected
