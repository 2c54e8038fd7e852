"""A recorded train_step contains everything that it computes, or it is not recorded: both ways give the same weights and logs.

Bodies are put together at random from gradients by tapes and by Keras's own means, updates, metrics, reads of values, random numbers
and state that is written by assignment.
"""

import random
import re

import pytest
from arrays import cases
from features import Features
from keras_oracle import needs_keras
from programs import quern

needs_keras()

GRADIENTS = {
    "tape": """
        with tf.GradientTape() as tape:
            l = loss(self(x), y)
        grads = tape.gradient(l, [self.a, self.b])""",
    "persistent": """
        with tf.GradientTape(persistent=True) as tape:
            p = self(x)
            l = loss(p, y)
        grads = [tape.gradient(l, self.a), tape.gradient(l, self.b)]""",
    "watched batch": """
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                tape.watch(x)
                p = self(x)
            slope = tape.gradient(p, x)
            l = loss(p, y) + 0.1 * tf.reduce_mean(slope * slope)
        grads = outer.gradient(l, [self.a, self.b], unconnected_gradients=tf.UnconnectedGradients.ZERO)""",
    "paused": """
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                scale = 1.0 + tf.reduce_mean(tf.abs(self.a))
            l = loss(self(x), y) * scale
        grads = tape.gradient(l, [self.a, self.b])""",
}
UPDATES = {
    "optimizer": "self.optimizer.apply_gradients(zip(grads, [self.a, self.b]))",
    "assign_sub": "self.a.assign_sub(0.05 * grads[0]); self.b.assign_sub(0.05 * grads[1])",
    "assign": "self.a.assign(self.a - 0.05 * grads[0]); self.b.assign(self.b * 0.99 - 0.05 * grads[1])",
    "clipped": "grads = [tf.clip_by_value(g, -0.3, 0.3) for g in grads]; self.optimizer.apply_gradients(zip(grads, [self.a, self.b]))",
}
EXTRAS = {
    "nothing": "pass",
    "metric": "self.mean.update_state(l)",
    "a condition on a value": "self.b.assign_add(0.01 if float(l) > 0.5 else -0.01)",
    "a condition on NumPy's value": "self.b.assign_add(0.01 if l.numpy() > 0.5 else -0.01)",
    "a value in a text": "self.total.assign_add(float(f'{l:.3f}'))",
    "a shape": "self.total.assign_add(0.1 * tf.cast(x.shape.as_list()[0] + x.shape.rank, x.dtype))",
    "a kept tensor": "self.kept = l * 1.0; self.total.assign_add(self.kept)",
    "a tensor of the step before": "self.total.assign_add(self.kept); self.kept = l + 0.0",
    "a moving mean": "self.total.assign(0.9 * self.total + 0.1 * l)",
    "a count": "self.total.assign_add(1.0)",
    "other work on arrays": "self.total.assign_add(qn.asarray(float(self.count)) * 0 + qn.sum(self.a._value) * 1e-3); self.count += 1",
    "random numbers": "self.total.assign_add(keras.random.uniform((), seed=self.seed) * 0.0 + 1.0)",
}
MODEL = """
import numpy as np, keras, tensorflow as tf
import quern as qn

def loss(p, y):
    return tf.reduce_mean((p - y) ** 2)

def model(number, body):
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.a = self.add_weight(shape=(3, 1), initializer=keras.initializers.Constant(0.3))
            self.b = self.add_weight(shape=(1,), initializer="zeros")
            self.total = self.add_weight(shape=(), initializer="zeros", trainable=False)
            self.mean, self.seed = keras.metrics.Mean("mean"), keras.random.SeedGenerator(number)
            self.kept, self.count = tf.constant(0.0), 0

        def call(self, x):
            return tf.matmul(x, self.a) + self.b

        train_step = body
    return Model()

def fit(number, body, **options):
    m = model(number, body)
    m.compile(keras.optimizers.SGD(0.1), **options)
    rng = np.random.default_rng(number)
    x, y = rng.random((48, 3), "float32"), rng.random((48, 1), "float32")
    h = m.fit(x, y, batch_size=8, epochs=4, shuffle=False, verbose=0)
    return [*m.get_weights(), np.array(h.history["l"]), np.array(h.history["total"])]

def check(number, body):
    recorded, plain = fit(number, body, jit_compile=True), fit(number, body, jit_compile=False)
    if not all(np.array_equal(a, b) for a, b in zip(recorded, plain)):
        print(number, recorded, plain)
"""
BODY = """
def body(self, data):
        x, y = data{gradients}
        {update}
        {extra}
        return {{"l": l, "total": self.total * 1.0}}
check({number}, body)
"""


def bodies():
    every = [(g, u, e) for g in GRADIENTS.values() for u in UPDATES.values() for e in EXTRAS.values()]
    chosen = random.Random(5).sample(every, 48)
    return chosen + [(GRADIENTS["tape"], UPDATES["optimizer"], extra) for extra in EXTRAS.values()]


def test_what_bodies_have(capsys):
    pieces = GRADIENTS | UPDATES | EXTRAS
    features = Features("bodies of train_step", {name: re.escape(piece) for name, piece in pieces.items()})
    for gradients, update, extra in bodies():
        features.add("\n".join([gradients, update, extra]))
    features.check(capsys)


@pytest.mark.parametrize("part", range(3))
def test_recorded_and_plain_steps_agree(part, device, tmp_path):
    path = tmp_path / "steps.py"
    texts = [BODY.format(gradients=g, update=u, extra=e, number=n) for n, (g, u, e) in enumerate(bodies()) if n % 3 == part]
    path.write_text(MODEL + "".join(texts) + "print('end')\n")
    done = quern("run", path, QUERN_DEVICE=device.kind)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "end\n"


HOST_READS = """
ops.nonzero(x > 0.5)[0].shape[0] | len(x[x > 0.5]) | ops.size(ops.nonzero(x > 0.5)[0]) | ops.shape(ops.where(x > 0.5)[0])[0] | ops.sum(x[x > 0.5])
tf.shape(tf.boolean_mask(x, x > 0.5))[0] | ops.shape(ops.bincount(ops.cast(x[:, 0] * 8, "int32")))[0] | ops.shape(ops.segment_sum(x, ops.cast(x[:, 0] * 8, "int32")))[0]
ops.shape(ops.repeat(x[:, 0], ops.cast(x[:, 1] * 3, "int32")))[0] | np.sum(ops.convert_to_numpy(x)) | np.asarray(x).mean() | np.array(x)[0, 0] | memoryview(x)[0, 0] | np.max(x)
np.from_dlpack(x).sum() | sum(np.ravel(x).tolist()) | float(x[0, 0]) + int(x[0, 0] * 9) | (x > 0.5).numpy().sum() | sum(1 for row in x if row[0] > 0.5)
"""


def test_values_and_sizes_that_are_read_on_the_host(device, tmp_path):
    path = tmp_path / "steps.py"
    extras = [f"self.total.assign_add(ops.cast({one}, 'float32'))" for one in cases(HOST_READS)]
    texts = [BODY.format(gradients=GRADIENTS["tape"], update=UPDATES["optimizer"], extra=e, number=n) for n, e in enumerate(extras)]
    on_the_cpu = [text for text in texts if device.kind == "cpu" or not re.search("memoryview|dlpack|np[.](asarray|array|max|ravel)", text)]
    path.write_text(MODEL + "from keras import ops\n" + "".join(on_the_cpu) + "print('end')\n")
    done = quern("run", path, QUERN_DEVICE=device.kind)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "end\n"


CHANGES = """
import numpy as np, keras
L, ops = keras.layers, keras.ops
rng = np.random.default_rng(3)
x, y = rng.random((12, 4), "float32"), rng.random((12, 1), "float32")

def trained(change, when, optimizer, **how):
    keras.utils.set_random_seed(2)
    model = keras.Sequential([L.Input((4,)), L.Dense(5, activation="relu"), L.BatchNormalization(), L.Dropout(0.3, seed=5), L.Dense(1)])
    model.compile(optimizer(), "mse", **how)

    class Changing(keras.callbacks.Callback):
        def change(self, number, logs=None):
            change(model, number)

    setattr(Changing, when, Changing.change)
    model.fit(x, y, batch_size=4, epochs=5, shuffle=False, verbose=0, callbacks=[Changing()])
    return np.concatenate([w.ravel() for w in model.get_weights()])

CHANGES = {
    "layer.trainable": lambda m, n: setattr(m.layers[0], "trainable", n % 2 == 0),
    "model.trainable": lambda m, n: setattr(m, "trainable", n < 2),
    "normalization": lambda m, n: setattr(m.layers[1], "trainable", n != 1),
    "momentum of normalization": lambda m, n: setattr(m.layers[1], "momentum", 0.5 + n / 10),
    "variable.trainable": lambda m, n: setattr(m.layers[0].kernel, "trainable", n != 1),
    "constraint": lambda m, n: setattr(m.layers[0].kernel, "constraint", keras.constraints.MaxNorm(0.5) if n > 1 else None),
    "activation": lambda m, n: setattr(m.layers[0], "activation", keras.activations.tanh if n % 2 else keras.activations.relu),
    "rate": lambda m, n: setattr(m.layers[2], "rate", 0.3 if n < 2 else 0.6),
    "learning rate": lambda m, n: setattr(m.optimizer, "learning_rate", 0.01 / (n + 1)),
    "momentum": lambda m, n: setattr(m.optimizer, "momentum", 0.1 * n) if hasattr(m.optimizer, "momentum") else None,
}
for name, change in CHANGES.items():
    for when in ("on_epoch_begin", "on_train_batch_begin"):
        for optimizer in (lambda: keras.optimizers.SGD(0.05, momentum=0.9), lambda: keras.optimizers.Adam(0.05)):
            eager, made, recorded = [trained(change, when, optimizer, **how) for how in (dict(run_eagerly=True), {}, dict(jit_compile=True))]
            if not np.allclose(eager, made, 1e-4, 1e-5) or not np.allclose(eager, recorded, 1e-4, 1e-5):
                print(name, when, eager[:5], made[:5], recorded[:5])

class Scaled(L.Layer):
    calls = 0
    def __init__(self, read):
        super().__init__()
        self.read = read
    def build(self, shape):
        self.t = self.add_weight(shape=(), initializer="ones", trainable=False)
    def call(self, x):
        self.calls += 1
        return x * float(self.read(self))

READS = {
    "float": lambda s: float(s.t), "int": lambda s: int(s.t), "bool": lambda s: 2 if s.t else 1, "numpy": lambda s: s.t.numpy(),
    "asarray": lambda s: np.asarray(s.t), "convert": lambda s: ops.convert_to_numpy(s.t), "repr": lambda s: len(repr(s.t.value)),
    "size": lambda s: ops.sum(ops.ones((int(s.t),))), "own number": lambda s: s.calls,
}
for name, read in READS.items():
    results = []
    for how in (dict(run_eagerly=True), dict(jit_compile=True)):
        layer = Scaled(read)
        model = keras.Sequential([layer])
        model.compile("sgd", "mse", **how)
        model.build((None, 4))
        layer.calls = 0
        got = []
        for value in (1.0, 0.0, 13.0, 2.0):
            layer.t.assign(value)
            got += [model.predict(x, verbose=0, batch_size=4).sum() for _ in range(3)]
        results.append(got)
    if results[0] != results[1]:
        print(name, results)
print("end")
"""


def test_what_callbacks_change_and_variables_that_the_host_knows(device, tmp_path):
    path = tmp_path / "changes.py"
    path.write_text(CHANGES)
    done = quern("run", path, QUERN_DEVICE=device.kind)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "end\n"


HELD = """
import math, random
import numpy as np, keras
from quern.keras.backend import parts
L, ops = keras.layers, keras.ops
rng = np.random.default_rng(3)
x, y = rng.random((12, 4), "float32"), rng.random((12, 1), "float32")
factor, calls = 0.5, [0]

class Penalty(keras.regularizers.Regularizer):
    def __init__(self):
        self.rate = 0.1
    def __call__(self, w):
        return self.rate * ops.sum(w * w)

class Pinball(keras.losses.Loss):
    def __init__(self):
        super().__init__()
        self.quantile, self.seen = 0.5, []
    def call(self, y, p):
        self.seen.append(1)
        return ops.mean(ops.maximum(self.quantile * (y - p), (self.quantile - 1) * (y - p)), -1) * (1 + len(self.seen) % 2)

class Steps(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self):
        self.scale = 1.0
    def __call__(self, step):
        return 0.02 * self.scale

def scaled(y, p):
    return factor * ops.mean((y - p) ** 2, -1)

def counted(y, p):
    calls[0] += 1
    return ops.mean(ops.abs(y - p), -1) * (1 + calls[0] % 3)

def noisy(y, p):
    return ops.mean(ops.abs(y - p), -1) * random.random()

def powered(y, p):
    return ops.mean(ops.abs(y - p) ** math.sqrt(2), -1) + sum(ops.mean(p) * k for k in (0.1, 0.2))

def globally(n):
    global factor
    factor = 1.0 + n

def trained(how, change, loss="mse", rate=0.02, **dense):
    global factor
    factor, calls[0] = 0.5, 0
    keras.utils.set_random_seed(2)
    model = keras.Sequential([L.Input((4,)), L.Dense(5, activation="tanh", **dense), L.Dense(1)])
    model.compile(keras.optimizers.SGD(rate, momentum=0.9), loss, **how)
    callback = keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: change(model, epoch))
    losses = model.fit(x, y, batch_size=4, epochs=6, shuffle=False, verbose=0, callbacks=[callback]).history["loss"]
    return losses, bool(model.jit_compile), any(type(p) is tuple for p in model._programs["train"].programs.values()) if model.jit_compile else False

class Weights:
    rate = 0
    def loss(self, y, p):
        return (1.0 + self.rate) * ops.mean(ops.abs(y - p), -1)

same = lambda m, n: None
# the way it is trained, and whether steps of models that nobody asked to compile are recorded
CASES = {
    "regularizer's": (lambda how: trained(how, lambda m, n: setattr(m.layers[0].kernel_regularizer, "l2", 0.1 * n), kernel_regularizer=keras.regularizers.L2(0.0)), True),
    "constraint's": (lambda how: trained(how, lambda m, n: setattr(m.layers[0].kernel_constraint, "max_value", 1.0 / (n + 1)), kernel_constraint=keras.constraints.MaxNorm(2.0)), True),
    "loss's": (lambda how: trained(how, lambda m, n: m.loss._fn_kwargs.update(label_smoothing=0.1 * n), keras.losses.BinaryCrossentropy(True)), True),
    "reduction": (lambda how: trained(how, lambda m, n: setattr(m.loss, "reduction", "sum" if n % 2 else "mean"), keras.losses.MeanSquaredError()), True),
    "own regularizer": (lambda how: trained(how, lambda m, n: setattr(m.layers[0].kernel_regularizer, "rate", 0.1 * n), kernel_regularizer=Penalty()), False),
    "own loss": (lambda how: trained(how, lambda m, n: setattr(m.loss, "quantile", n / 6), Pinball()), False),
    "own schedule": (lambda how: trained(how, lambda m, n: setattr(m.optimizer._learning_rate, "scale", 1.0 + n), rate=Steps()), False),
    "a global number": (lambda how: trained(how, lambda m, n: globally(n), scaled), True),
    "a count": (lambda how: trained(how, same, counted), False),
    "without a state": (lambda how: trained(how, same, powered), True),
    "a partial function": (lambda how: trained(how, same, lambda y, p: scaled(y, p) * 2), True),
    "a method": (lambda how: trained(how, lambda m, n: setattr(m.loss.__self__, "rate", n), Weights().loss), False),
    "an activation": (lambda how: trained(how, same, bias_regularizer=lambda b: 0.1 * ops.sum(b * b)), True),
}
for name, (train, is_pure) in CASES.items():
    plain, made, asked = [train(how) for how in (dict(run_eagerly=True), {}, dict(jit_compile=True))]
    if made[1] is not is_pure or made[2] is not is_pure:
        print(name, "is recorded" if made[1] else "is not recorded")
    for kind, found in (("as it is", made), ("compiled", asked)):
        if not np.allclose(plain[0], found[0], 1e-4, 1e-5):
            print(name, kind, plain[0], found[0])
if trained({}, same, noisy)[1]:
    print("random numbers of Python's are recorded")
print("end")
"""


def test_what_layers_and_losses_hold(device, tmp_path):
    """Attributes of regularizers, losses and schedules, and what a program's own functions read, are those of the step, recorded or not."""
    path = tmp_path / "held.py"
    path.write_text(HELD)
    done = quern("run", path, QUERN_DEVICE=device.kind)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "end\n"
