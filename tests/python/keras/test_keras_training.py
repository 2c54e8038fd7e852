"""Training with quern's Keras backend: the curves are JAX's, whatever the data come in, and what goes wrong leaves the model whole."""

import base64
import os
import sys
import textwrap

import pytest
from keras_oracle import answers, compare_all, expected, needs_keras
from programs import code

needs_keras()

START = """
x, y = data(70, 6), (data(70, 6)[:, :1] > 0).astype("float32")
def model():
    a = keras.Input((6,))
    h = layers.Dense(8, activation="relu", kernel_regularizer=keras.regularizers.L2(0.01))(a)
    h = layers.BatchNormalization()(h)
    return named(keras.Model(a, layers.Dense(1, activation="sigmoid")(h)))
m = model()
m.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
def curve(h):
    return {k: np.array(v, "float32") for k, v in sorted(h.history.items())}
"""
CURVES = """
curve(m.fit(x, y, batch_size=16, epochs=3, verbose=0)) ||| curve(m.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0))
curve(m.fit(x, y, epochs=2, verbose=0, validation_split=0.3)) ||| curve(m.fit(x, y, epochs=2, verbose=0, validation_data=(x[:20], y[:20])))
curve(m.fit(x, y, epochs=2, verbose=0, shuffle=False, class_weight={0: 1.0, 1: 3.0})) ||| m.evaluate(x, y, verbose=0) ||| m.predict(x, verbose=0)
curve(m.fit(x, y, epochs=2, verbose=0, shuffle=False, sample_weight=np.arange(70.0))) ||| m.evaluate(x, y, batch_size=7, verbose=0, return_dict=True)
[m.train_on_batch(x[:8], y[:8]), m.train_on_batch(x[8:16], y[8:16], return_dict=True), m.test_on_batch(x, y), m.predict_on_batch(x[:3])]
[m.train_on_batch(x[:8], y[:8], sample_weight=np.arange(8.0)), m.train_on_batch(x[:8], y[:8], class_weight={0: 1.0, 1: 2.0})]
curve(m.fit(((x[i : i + 10], y[i : i + 10]) for e in range(2) for i in range(0, 70, 10)), steps_per_epoch=7, epochs=2, verbose=0))
curve(m.fit(x, y, epochs=1, batch_size=16, verbose=0, shuffle=False, steps_per_epoch=2)) ||| m.predict(x, batch_size=16, steps=2, verbose=0)
m.stop = [e.stopped_epoch for e in [keras.callbacks.EarlyStopping("loss", min_delta=10.0, patience=1)] if m.fit(x, y, epochs=9, verbose=0, callbacks=[e])] ||| ...
curve(m.fit(x, y, epochs=3, verbose=0, callbacks=[keras.callbacks.LearningRateScheduler(lambda e, r: r * 0.5)]))
curve(m.fit(x, y, epochs=4, verbose=0, callbacks=[keras.callbacks.ReduceLROnPlateau("loss", patience=1, min_delta=1.0)]))
m.compile("sgd", "mse", run_eagerly=True); curve(m.fit(x, y, epochs=2, shuffle=False, verbose=0))
m.compile("rmsprop", "mse", steps_per_execution=3); curve(m.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0))
m.compile("adam", "mse", weighted_metrics=["mae"]); curve(m.fit(x, y, sample_weight=np.arange(70.0), epochs=2, shuffle=False, verbose=0))
m.compile("adam", lambda a, b: ops.mean(ops.abs(a - b), axis=-1), metrics=[lambda a, b: ops.mean(a * b)]); curve(m.fit(x, y, epochs=2, verbose=0))
m.compile("adam", "mse", jit_compile=True); curve(m.fit(x, y, epochs=3, shuffle=False, verbose=0)) ||| m.get_weights()
m.layers[1].trainable = False; m.compile("adam", "mse"); m.fit(x, y, epochs=2, shuffle=False, verbose=0); m.get_weights()
raises(lambda: m.fit(data(70, 5), y, verbose=0))[0] ||| raises(lambda: m.fit(x, y[:60], verbose=0)) ||| raises(lambda: keras.Sequential([layers.Dense(1)]).fit(x, y))
m.fit(x, y * np.nan, epochs=1, verbose=0, callbacks=[keras.callbacks.TerminateOnNaN()]); bool(m.stop_training)
""".replace("\n", " ||| ").strip(" |").split(" ||| ")  # fmt: skip
MODELS = [
    """
    a, b = keras.Input((3,)), keras.Input((2,))
    h = layers.Concatenate()([layers.Dense(4, activation="tanh")(a), b])
    m = named(keras.Model([a, b], {"one": layers.Dense(1, name="one")(h), "two": layers.Dense(2, name="two")(h)}))
    m.compile("adam", {"one": "mse", "two": "mae"}, loss_weights={"one": 1.0, "two": 0.5}, metrics={"one": ["mae"]})
    h = m.fit([data(40, 3), data(40, 2)], {"one": data(40, 1), "two": data(40, 2, seed=3)}, epochs=3, shuffle=False, verbose=0)
    {k: np.array(v, "float32") for k, v in sorted(h.history.items())}
    """,
    """
    class Block(keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(shape[-1], 4), initializer="zeros")
        def call(self, x, training=False):
            self.add_loss(ops.sum(self.w ** 2) * 0.01)
            return ops.tanh(x @ self.w)
    class Whole(keras.Model):
        def __init__(self):
            super().__init__()
            self.block, self.head = Block(), layers.Dense(1)
        def call(self, x):
            return self.head(self.block(x))
    m = Whole()
    m(data(2, 6))
    named(m)
    m.compile("adam", "mse")
    h = m.fit(data(40, 6), data(40, 1), epochs=3, shuffle=False, verbose=0)
    [np.array(h.history["loss"], "float32"), m.predict(data(3, 6), verbose=0)]
    """,
    """
    class Data(keras.utils.PyDataset):
        def __len__(self):
            return 4
        def __getitem__(self, i):
            return data(8, 6, seed=i), data(8, 1, seed=i)
    m = keras.Sequential([keras.Input((6,)), layers.Dense(1)])
    named(m)
    m.compile("sgd", "mse")
    np.array(m.fit(Data(), epochs=2, shuffle=False, verbose=0).history["loss"], "float32")
    """,
    """
    m = keras.Sequential([keras.Input((5,)), layers.Embedding(9, 4, mask_zero=True), layers.GRU(3), layers.Dense(1)])
    named(m)
    m.compile("adam", "mse")
    np.array(m.fit(np.abs(data(30, 5) * 8).astype("int32"), data(30, 1), epochs=3, shuffle=False, verbose=0).history["loss"], "float32")
    """,
    """
    class Whole(keras.Model):
        def __init__(self):
            super().__init__()
            self.used, self.unused = layers.Dense(2), layers.Dense(2)
        def call(self, x):
            self.unused(x)
            return self.used(x)
    m = Whole()
    m(data(2, 3))
    named(m)
    m.compile(keras.optimizers.AdamW(0.01, weight_decay=0.1), "mse", jit_compile=True)
    m.fit(data(8, 3), data(8, 2), epochs=5, verbose=0)
    m.get_weights()
    """,
    """
    m = named(keras.Sequential([keras.Input((3,)), layers.Dense(2)]))
    m.compile("sgd", lambda a, b: ops.mean(a))
    h = m.fit(data(8, 3), data(8, 2), epochs=2, verbose=0)
    [np.array(h.history["loss"], "float32"), m.get_weights()]
    """,
    """
    class Whole(keras.Model):
        def __init__(self):
            super().__init__()
            self.head = layers.Dense(2)
        def call(self, x):
            return self.head(x)
        def compute_loss(self, *args, **kwargs):
            return 0.0
    m = Whole()
    m(data(2, 3))
    named(m)
    m.compile("sgd")
    h = m.fit(data(8, 3), data(8, 2), epochs=3, verbose=0)
    [np.array(h.history["loss"], "float32"), m.get_weights()]
    """,
    """
    m = keras.Sequential([keras.Input((6,)), layers.Dense(2)])
    m.count_params(), m.to_json() == keras.models.model_from_json(m.to_json()).to_json(), len(m.get_config()["layers"])
    """,
]  # fmt: skip
FILES = """
import os, tempfile
folder = tempfile.mkdtemp()
m = keras.Sequential([keras.Input((6,)), layers.Dense(5, activation="relu"), layers.BatchNormalization(), layers.Dense(2)])
named(m)
m.compile("adam", "mse")
m.fit(data(32, 6), data(32, 2), verbose=0)
m.save(folder + "/m.keras")
m.save_weights(folder + "/m.weights.h5")
[open(folder + "/m.keras", "rb").read(), open(folder + "/m.weights.h5", "rb").read(), [w for w in m.get_weights()]]
"""
READ = """
import base64, os, tempfile
folder = tempfile.mkdtemp()
for name in ("m.keras", "m.weights.h5"):
    open(os.path.join(folder, name), "wb").write(base64.b64decode({{"m.keras": {0!r}, "m.weights.h5": {1!r}}}[name]))
a = keras.models.load_model(folder + "/m.keras")
b = keras.Sequential([keras.Input((6,)), layers.Dense(5, activation="relu"), layers.BatchNormalization(), layers.Dense(2)])
b.load_weights(folder + "/m.weights.h5")
[int(a.optimizer.iterations), a.get_weights(), b.get_weights()]
"""


def test_curves(device):
    compare_all([START + line for line in CURVES], "test_keras_training", device.kind, rtol=2e-3, atol=2e-4)


def test_models(device):
    compare_all(MODELS, "test_keras_training", device.kind, rtol=2e-3, atol=2e-4)


def _content(value):
    return [base64.b64encode(one[1]).decode() for one in value[2][:2]], value[2][2]


def test_files_of_another_backend(device):
    """What Keras on JAX has saved is loaded bit for bit."""
    (model, weights), want = _content(expected([FILES.strip()], "test_keras_training")[0])
    (found,) = answers([READ.format(model, weights).strip()], "quern", sys.executable, device.kind)
    assert found[0] == "list", found
    assert found[2][1] == want and found[2][2] == want


@pytest.mark.skipif(not os.environ.get("QUERN_KERAS_PYTHON"), reason="QUERN_KERAS_PYTHON names no Python with Keras on JAX")
def test_files_for_another_backend(device):
    (model, weights), want = _content(answers([FILES.strip()], "quern", sys.executable, device.kind)[0])
    (found,) = answers([READ.format(model, weights).strip()], "jax", os.environ["QUERN_KERAS_PYTHON"])
    assert found[2][1] == want and found[2][2] == want


def _run(text, device, **changes):
    done = code(
        "import quern.keras, keras, numpy as np\nfrom keras import layers, ops\n" + textwrap.dedent(text),
        QUERN_DEVICE=device.kind,
        **changes,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


SMALL = """
keras.utils.set_random_seed(1)
x, y = np.random.rand(64, 6).astype("float32"), np.random.rand(64, 1).astype("float32")
m = keras.Sequential([keras.Input((6,)), layers.Dense(8, activation="relu"), layers.Dropout(0.2), layers.Dense(1)])
m.compile("adam", "mse", metrics=["mae"])
"""


def test_recorded_steps_do_what_plain_ones_do(device):
    out = _run(
        """
        def run(**options):
            keras.utils.set_random_seed(1)
            x, y = np.random.rand(100, 6).astype("float32"), np.random.rand(100, 1).astype("float32")
            a = keras.Input((6,))
            h = layers.Dropout(0.3)(layers.BatchNormalization()(layers.Dense(8, "gelu", kernel_regularizer="l2")(a)))
            m = keras.Model(a, layers.Dense(1, kernel_constraint="unit_norm")(h))
            rate = keras.optimizers.schedules.ExponentialDecay(0.01, 5, 0.9)
            m.compile(keras.optimizers.AdamW(rate, clipnorm=1.0), "mse", metrics=["mae"], **options)
            h = m.fit(x, y, epochs=5, verbose=0, validation_split=0.2, callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: None)])
            return h.history, m.get_weights(), {k: sorted(type(v).__name__ for v in p.programs.values()) for k, p in m.__dict__.get("_programs", {}).items()}
        plain, recorded = run(run_eagerly=True), run()
        print(plain[0] == recorded[0], all(np.array_equal(a, b) for a, b in zip(plain[1], recorded[1])), plain[2], recorded[2]["train"])
        """,
        device,
    )
    assert out.split() == ["True", "True", "{}", "['tuple',", "'tuple']"]


def test_data_of_all_kinds(device):
    out = _run(
        SMALL
        + """
import quern as qn, quern.torch as torch
m = keras.Sequential([keras.Input((6,)), layers.Dense(1, kernel_initializer="ones")])
m.compile(keras.optimizers.SGD(0.0), "mse")
want = m.evaluate(x, y, verbose=0)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.tensor(x), torch.tensor(y)), batch_size=16)
sources = [(qn.array(x), qn.array(y)), (x.astype("float64"), y), (torch.tensor(x), torch.tensor(y)), (loader,), (x.tolist(), y.tolist())]
for source in sources[:4]:
    print(np.allclose(m.evaluate(*source, verbose=0), want, 1e-5), np.allclose(m.fit(*source, verbose=0).history["loss"], want, 1e-5))
m.fit(qn.array(x), qn.array(y), validation_split=0.25, verbose=0)
        """,
        device,
    )
    assert out.split() == ["True"] * 8


def test_values_that_were_read_stay(device):
    """A variable is written in place where nobody else has its value; who has it keeps that."""
    out = _run(
        """
        v = keras.Variable(np.array([1.0, 2.0], "f4"))
        w = keras.Variable(3.0)
        held = [v.value, v[0], ops.convert_to_tensor(v), ops.reshape(v, (2, 1)), w.value]
        v.assign_add([10.0, 10.0])
        w.assign(4.0)
        print([np.asarray(one.get()).tolist() for one in held], v.numpy().tolist(), float(w))
        layer = layers.Dense(1, kernel_initializer="ones")
        m = keras.Sequential([keras.Input((2,)), layer])
        m.compile("adam", "mse")
        kernel = layer.kernel.value
        m.fit(np.ones((8, 2), "f4"), np.zeros((8, 1), "f4"), batch_size=2, epochs=3, verbose=0)
        print(kernel.get().ravel().tolist(), bool((layer.kernel.numpy() < 1).all()))
        t = keras.metrics.TruePositives()
        t.update_state([1, 1], [1, 1])
        first = t.result()
        t.update_state([1, 1], [1, 1])
        print(float(first), float(t.result()))
        """,
        device,
    )
    assert out.splitlines() == [
        "[[1.0, 2.0], 1.0, [1.0, 2.0], [[1.0], [2.0]], 3.0] [11.0, 12.0] 4.0",
        "[1.0, 1.0] True",
        "2.0 4.0",
    ]


def test_steady_state(device):
    """After the first steps nothing is compiled, and nothing but the order of the data goes to the device."""
    out = _run(
        SMALL
        + """
import quern as qn
m.fit(x, y, epochs=4, verbose=0, batch_size=16)
with qn.trace() as events:
    m.fit(x, y, epochs=3, verbose=0, batch_size=16)
kinds = [e.kind for e in events]
print(kinds.count("compile"), sum(e.bytes for e in events if e.kind == "host_to_device") < 12000, sum(e.kind == "device_to_host" for e in events) <= 9)
        """,
        device,
    )
    assert out.split() == ["0", "True", "True"]


def test_what_goes_wrong(device):
    out = _run(
        SMALL
        + """
class Stop(keras.callbacks.Callback):
    def __init__(self, error):
        self.error = error
    def on_train_batch_end(self, batch, logs=None):
        if batch == 1:
            raise self.error
for error in (RuntimeError("mine"), KeyboardInterrupt()):
    try:
        m.fit(x, y, verbose=0, callbacks=[Stop(error)], batch_size=8)
    except BaseException as e:
        print(type(e).__name__, all(np.isfinite(w).all() for w in m.get_weights()))
print(len(m.fit(x, y, verbose=0, epochs=2).history["loss"]))
try:
    m.fit(x, verbose=0)
except ValueError as e:
    print("None is not a tensor" in str(e))
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "m.keras")
m.save(path)
whole = open(path, "rb").read()
open(path, "wb").write(whole[: len(whole) // 2])
try:
    keras.models.load_model(path)
except Exception as e:
    print("refused")
try:
    keras.ops.lu_factor(np.eye(3, dtype="float32"))
except NotImplementedError as e:
    print("lu_factor" in str(e) and "docs/keras.md" in str(e))
        """,
        device,
    )
    assert out.split() == ["RuntimeError", "True", "KeyboardInterrupt", "True", "2", "True", "refused", "True"]


def test_checkpoints_and_logs(device, tmp_path):
    out = _run(
        SMALL
        + f"""
folder = {str(tmp_path)!r}
C = keras.callbacks
m.fit(x, y, epochs=3, verbose=0, validation_data=(x, y), callbacks=[C.ModelCheckpoint(folder + "/best.keras", save_best_only=True), C.CSVLogger(folder + "/log.csv")])
print(len(open(folder + "/log.csv").read().split()), np.isfinite(keras.models.load_model(folder + "/best.keras").predict(x, verbose=0)).all())
seen = []
m.fit(x, y, verbose=1, batch_size=16, callbacks=[C.LambdaCallback(on_train_batch_end=lambda b, logs: seen.append(type(logs["loss"]).__name__))])
print(set(seen), len(seen))
        """,
        device,
    )
    lines = out.split("\n")
    assert lines[0] == "4 True"
    assert "{'float'} 4" in out
