"""A GradientTape records what was watched while it was open, and nothing else. Expected values are TensorFlow's."""

import pytest
from keras_oracle import needs_keras
from programs import together

needs_keras()

HEAD = """
import numpy as np
import tensorflow as tf

def show(x):
    if isinstance(x, (list, tuple)):
        return [show(one) for one in x]
    return None if x is None else np.asarray(x).tolist()
"""
PROGRAMS = {
    "a count of calls in a model": """
class Counted(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.line, self.calls = tf.keras.layers.Dense(1), tf.Variable(0)
    def call(self, x):
        self.calls.assign_add(1)
        return self.line(x)
class Parts(tf.Module):
    def __init__(self):
        self.count, self.weight = tf.Variable(1), tf.Variable(2.0)
model = Counted()
model.compile("sgd", "mse")
model.fit(np.ones((8, 2), "float32"), np.ones((8, 1), "float32"), epochs=2, verbose=0)
print(len(model.trainable_variables), model.calls.trainable, len(Parts().trainable_variables))
with tf.GradientTape() as tape:
    z = tf.cast(model.calls, tf.float32) * 2
print(show(tape.gradient(z, model.calls))) | 2 True 2 None""",
    "a tensor that took a variable's name": """
x = tf.Variable(2.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        y = x * x
    print(show(tape.gradient(y, x)))
    x = x + 1 | 4.0 None""",
    "computed after the tape was closed": """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
z = y * 2
print(show(tape.gradient(z, x))) | None""",
    "a function of a target that was computed after": """
x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    y = x * x
z = y * 2
print(show(tape.gradient(z, y)), show(tape.gradient(y, x))) | None 6.0""",
    "a tensor that nobody watched": """
v, c = tf.Variable(2.0), tf.constant(3.0)
before = v * 5
with tf.GradientTape(persistent=True) as tape:
    y = v * c * before
print(show(tape.gradient(y, c)), show(tape.gradient(y, before)), show(tape.gradient(y, v))) | None None 30.0""",
    "a tensor that is watched, computed from a variable before": """
v = tf.Variable(2.0)
before = v * 5
with tf.GradientTape() as tape:
    tape.watch(before)
    y = v * before * before
print(show(tape.gradient(y, [v, before]))) | [100.0, 40.0]""",
    "a constant that another tape watched": """
c = tf.constant(3.0)
with tf.GradientTape() as one:
    one.watch(c)
    y = c * c
with tf.GradientTape() as two:
    z = c * c
print(show(one.gradient(y, c)), show(two.gradient(z, c))) | 6.0 None""",
    "two tapes of one computation": """
a, b = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as one, tf.GradientTape() as two:
    y = a * b * b
    z = y + a * y
print(show(one.gradient(y, a)), show(two.gradient(z, [a, b]))) | 9.0 [45.0, 36.0]""",
    "three tapes, of which one is persistent": """
x = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as one:
    with tf.GradientTape() as two:
        y = x * x
        with tf.GradientTape() as three:
            z = y * x
print(show(two.gradient(z, x)), show(three.gradient(z, x)), show(one.gradient(z, x)), show(one.gradient(y, x))) | 12.0 4.0 12.0 4.0""",
    "results on the way": """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x * x
    z = y * y
print(show(tape.gradient(z, [x, y, z]))) | [32.0, 8.0, 1.0]""",
    "results that depend on nothing watched": """
x = tf.Variable(2.0)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    y = x * x
    z = y * y
print(show(tape.gradient(z, [x, y]))) | [None, None]""",
    "a pause": """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
    with tape.stop_recording():
        z = x * x * x
    w = y + z
print(show(tape.gradient(w, x))) | 6.0""",
    "open twice": """
x = tf.Variable(3.0)
tape = tf.GradientTape(persistent=True)
with tape:
    y = x * x
between = y * 10
with tape:
    z = y * x
    w = between * x
print(show(tape.gradient(z, x)), show(tape.gradient(w, x))) | 27.0 90.0""",
    "open within itself": """
tape = tf.GradientTape()
with tape:
    try:
        tape.__enter__()
    except ValueError as error:
        print(error) | Tape is still recording, This can happen if you try to re-enter an already-active tape.""",
    "reset": """
x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    y = x * x
    tape.reset()
    z = x * 4
print(show(tape.gradient(y, x)), show(tape.gradient(z, x))) | None 4.0""",
    "a part of a result": """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = (x * x)[1]
print(show(tape.gradient(y, x))) | [0.0, 4.0]""",
    "second derivatives": """
x = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    first = inner.gradient(y, x)
print(show(first), show(outer.gradient(first, x))) | 12.0 12.0""",
    "unconnected sources that are no numbers": """
x, other = tf.Variable(2.0), tf.Variable([np.nan, np.inf, -1.0])
with tf.GradientTape() as tape:
    y = x * x
    other.read_value()
zeros = tape.gradient(y, other, unconnected_gradients="zero").numpy()
print(zeros.tolist(), np.signbit(zeros).any()) | [0.0, 0.0, 0.0] False""",
    "what is only written": """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    x.assign([3.0, 4.0])
print([v.shape[0] for v in tape.watched_variables()]) | [2]""",
    "unconnected sources as zeros": """
x, other = tf.Variable(2.0), tf.Variable([1.0, 1.0])
with tf.GradientTape() as tape:
    y = x * x
print(show(tape.gradient(y, [x, other], unconnected_gradients=tf.UnconnectedGradients.ZERO))) | [4.0, [0.0, 0.0]]""",
    "values that were read before the tape opened": """
x = tf.Variable([1.0, 2.0])
for read in (tf.convert_to_tensor, lambda v: v.value(), lambda v: v[:], lambda v: tf.cast(v, v.dtype), lambda v: tf.reshape(v, v.shape), tf.identity):
    before = read(x)
    with tf.GradientTape() as tape:
        y = before * 3
    with tf.GradientTape() as other:
        z = read(x) * 3
    print(show(tape.gradient(y, x)), show(other.gradient(z, x)), end=" ") | None [3.0, 3.0] None [3.0, 3.0] None [3.0, 3.0] None [3.0, 3.0] None [3.0, 3.0] None [3.0, 3.0]""",
    "a variable that is written while the tape is open": """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x * x
    x.assign(10.0)
print(show(tape.gradient(y, x)), show(x)) | 4.0 10.0""",
    "values that were read before the tape opened, and are watched": """
v = tf.Variable([1.0, 2.0])
for read in (tf.convert_to_tensor, lambda v: v.value(), lambda v: tf.cast(v, v.dtype), tf.squeeze, tf.math.real, tf.identity, lambda v: v[:]):
    w = read(v)
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = v * 2 + w * 3
    print(show(tape.gradient(y, [v, w])), end=" ") | """ + " ".join(["[[2.0, 2.0], [3.0, 3.0]]"] * 7),
    "values that were read before the tape opened, beside the variable": """
v = tf.Variable([1.0, 2.0])
w = tf.convert_to_tensor(v)
with tf.GradientTape() as tape:
    y = v * 2 + w * 3
print(show(tape.gradient(y, [v, w]))) | [[2.0, 2.0], None]""",
    "two reads are two tensors": """
v = tf.Variable([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    a, b = tf.convert_to_tensor(v), tf.convert_to_tensor(v)
    y = a * 2 + b * 3 + v * 4
print(show(tape.gradient(y, [a, b, v])), show(tape.gradient(y, a))) | [[2.0, 2.0], [3.0, 3.0], [9.0, 9.0]] [2.0, 2.0]""",
    "elements of a variable": """
v = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    a, b = tf.unstack(v)
    y = a * 2 + b * b
print(show(tape.gradient(y, v))) | [2.0, 4.0]""",
    "a read between an outer tape and an inner one": """
v = tf.Variable(2.0)
with tf.GradientTape() as outer:
    w = tf.convert_to_tensor(v)
    with tf.GradientTape() as inner:
        y = w * 3 + v * v
    first = inner.gradient(y, v)
    z = y + first * first
print(show(first), show(outer.gradient(z, [v, w]))) | 4.0 [23.0, 3.0]""",
    "a variable that is written between two reads": """
v = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    y = v * v
    v.assign(10.0)
    z = v * v + y
print(show(tape.gradient(z, v)), show(tape.gradient(y, v))) | 24.0 4.0""",
    "variables that are watched by name": """
a, b = tf.Variable(2.0, trainable=False), tf.Variable(3.0)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    early = a * 10
    tape.watch(a)
    y = a * a * b + early
print(show(tape.gradient(y, [a, b])), len(tape.watched_variables())) | [12.0, None] 1""",
    "a pause of one tape of two": """
x = tf.Variable(3.0)
with tf.GradientTape() as one, tf.GradientTape() as two:
    with two.stop_recording():
        w = tf.convert_to_tensor(x)
        y = x * x
    z = y + x + w
print(show(one.gradient(z, x)), show(two.gradient(z, x))) | 8.0 1.0""",
    "a tensor that is watched after it was used": """
v = tf.Variable(3.0)
x, c = v * 1.0, tf.constant(3.0)
with tf.GradientTape() as outer:
    u = v * v
    with tf.GradientTape(persistent=True) as tape:
        y, z, w = x * x, c * c, u * u
        tape.watch([x, c, u])
        y, z, w = y * x, z * c, w * u
print(show(tape.gradient(y, x)), show(tape.gradient(z, c)), show(tape.gradient(w, u)), show(outer.gradient(w, v))) | 9.0 9.0 81.0 1458.0""",
    "a gradient that is computed in a pause of the outer tape": """
v = tf.Variable(3.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = v * v * v
    with outer.stop_recording():
        first = inner.gradient(y, v)
    z = first * v
print(show(outer.gradient(z, v))) | 27.0""",
    "a tensor that is watched again": """
v = tf.Variable(3.0)
x, c = v * 1.0, tf.constant(3.0)
with tf.GradientTape() as one:
    one.watch([x, c])
    y, u = x * x, c * c
    one.watch([x, c])
with tf.GradientTape() as two:
    two.watch([x, c])
    z = x * x * x + c
print(show(one.gradient([y, u], [x, c])), show(two.gradient(z, [x, c])))
with tf.GradientTape() as outer:
    outer.watch(c)
    with tf.GradientTape() as inner:
        y = c * c
        inner.watch(c)
        z = y * c
print(show(inner.gradient(z, c)), show(outer.gradient(z, c)))
r = tf.convert_to_tensor(v)
with tf.GradientTape() as tape:
    y = r * r
    tape.watch(r)
    z = y * r
print(show(tape.gradient(z, r))) | [6.0, 6.0] [27.0, 1.0] 9.0 27.0 9.0""",
    "values of a layer's variables": """
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
x = tf.ones((1, 2))
layer(x)
with tf.GradientTape() as tape:
    y = tf.reduce_sum(layer(x) * 2.0)
print(show(tape.gradient(y, [w.value for w in layer.trainable_variables]))) | [[[2.0], [2.0]], [2.0]]""",
    "many reads of one variable": """
v = tf.Variable(tf.range(6.0))
with tf.GradientTape() as tape:
    y = sum(v[i] * float(i) for i in range(6)) + tf.reduce_sum(v[1:4])
print(show(tape.gradient(y, v))) | [0.0, 2.0, 3.0, 4.0, 4.0, 5.0]""",
    "integers of 64 bits": """
a, b = tf.constant([2**40 + 1, 5], tf.uint64), tf.constant([7, 9], tf.uint64)
print(tf.maximum(a, b).numpy(), tf.where([True, False], a, b).numpy(), tf.clip_by_value(a, 6, 2**41).numpy(), tf.minimum(a, b).dtype) | [1099511627777 9] [1099511627777 9] [1099511627777 6] <dtype: 'uint64'>""",
    "equal operands": """
x, y = tf.Variable([0.0, 1.0, -1.0, 2.0]), tf.Variable([0.0, 1.0, 1.0, 2.0])
for f in (lambda: tf.maximum(x, y), lambda: tf.minimum(x, y), lambda: tf.clip_by_value(x, 0.0, 1.0), lambda: tf.math.maximum(x, 0.0)):
    with tf.GradientTape() as tape:
        z = f()
    print(show(tape.gradient(z, x)), end=" ")
nan = float("nan")
print(tf.maximum([nan, 1.0, 2], [1.0, nan, 3]).numpy(), tf.minimum([nan, 1.0, 2], [1.0, nan, 3]).numpy()) | [1.0, 1.0, 0.0, 1.0] [1.0, 1.0, 1.0, 1.0] [1.0, 1.0, 0.0, 0.0] [1.0, 1.0, 0.0, 1.0] [nan nan 3.] [nan nan 2.]""",
    "a gradient of one's own that is given variables": """
u, a = tf.Variable(2.0), tf.constant(5.0)
@tf.custom_gradient
def f(x):
    def slope(d, variables=None):
        return d * 7.0, [d * 11.0 for _ in variables]
    return x * u, slope
with tf.GradientTape() as tape:
    tape.watch(a)
    y = f(a) * 2.0
print(show(y), show(tape.gradient(y, [a, u])))
@tf.custom_gradient
def g(x):
    return x * u, lambda d: d
try:
    g(a)
except TypeError as error:
    print("keyword argument" in str(error))
h = tf.custom_gradient(lambda x: (x * x, lambda d: d * 5.0))
with tf.GradientTape() as tape:
    y = h(u)
print(show(tape.gradient(y, u))) | 20.0 [14.0, 22.0] True 5.0""",
    "a number that is watched": """
with tf.GradientTape() as tape:
    try:
        tape.watch(3.0)
    except ValueError as error:
        print(error) | Passed in object 3.0 of type 'float', not tf.Tensor or tf.Variable or ExtensionType.""",
    "watched variables in the order in which they were made": """
a, b, c = (tf.Variable(1.0, name=name) for name in "abc")
layer = tf.keras.layers.Dense(1)
layer.build((None, 2))
d = tf.Variable(1.0, name="d")
with tf.GradientTape() as tape:
    y = d * layer(tf.ones((1, 2))) * c + a * b
    tape.watch(b)
print([v.name for v in tape.watched_variables()]) | ['a:0', 'b:0', 'c:0', 'kernel', 'bias', 'd:0']""",
    "slices that repeat": """
g = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant([0, 2, 0]), tf.constant([3, 2]))
print(show(tf.convert_to_tensor(g)), show(-g), g.shape, g.dtype.name, show(tf.linalg.global_norm([g])))
for name in ("SGD", "Adam", "Adagrad", "RMSprop"):
    v, w = (tf.Variable(tf.ones((3, 2))) for _ in range(2))
    tf.keras.optimizers.get(name).apply_gradients([(g, v)])
    tf.keras.optimizers.get(name).apply_gradients([(tf.convert_to_tensor(g), w)])
    print(show(v) == show(w), end=" ")
v = tf.Variable(tf.ones((3, 2)))
tf.keras.optimizers.SGD(0.1).apply_gradients([(tf.IndexedSlices(g.values, g.indices), v)])
try:
    tf.convert_to_tensor(tf.IndexedSlices(g.values, g.indices))
except ValueError as error:
    print("dense" in str(error), [round(x, 3) for x in np.ravel(v.numpy()).tolist()]) | [[6.0, 8.0], [0.0, 0.0], [3.0, 4.0]] [[-6.0, -8.0], [0.0, 0.0], [-3.0, -4.0]] (3, 2) float32 11.180339813232422 True True True True True [0.4, 0.2, 1.0, 1.0, 0.7, 0.6]""",
    "a model that is trained while a tape is open": """
model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
model.compile("sgd", "mse")
x, y = tf.ones((4, 2)), tf.zeros((4, 1))
with tf.GradientTape():
    model.train_on_batch(x, y)
print(show(model.weights[0])) | [[0.9599999785423279], [0.9599999785423279]]""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_tapes(name, device, tmp_path):
    texts = {name: HEAD + text.rsplit(" | ", 1)[0] for name, text in PROGRAMS.items()}
    printed, error = together(texts, tmp_path, QUERN_DEVICE=device.kind)[name]
    assert not error and " ".join(printed.split()) == PROGRAMS[name].rsplit(" | ", 1)[1], error
