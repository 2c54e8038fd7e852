"""Programs that use Keras, or TensorFlow's names around it, under `quern run`; and how quern's backend comes to be chosen."""

import ast
import importlib.metadata
import os
import pathlib
import re
import shutil

import pytest
from keras_oracle import needs_keras
from programs import ROOT, code, quern

needs_keras()

# Each program asserts what it says: its arguments, and what a line of its output begins with.
EXAMPLES = {
    "keras_bidirectional_lstm.py": ("--epochs 8", r"(9\d|100)\.\d% of 1000 sequences"),
    "keras_convnet.py": ("", r"(9[89]|100)\.\d% of \d+ digits"),
    "keras_digits.py": ("--epochs 12", r"9\d\.\d% of \d+ digits"),
    "keras_two_inputs.py": ("--epochs 12", "prices are "),
    "keras_train_step.py": ("--epochs 25", "the points are "),
    "keras_autoencoder.py": ("--epochs 12", "pictures that it had not seen"),
}


def _device(device):
    return {"QUERN_DEVICE": device.kind} | ({"CUDA_VISIBLE_DEVICES": ""} if device.kind == "cpu" else {})


def test_every_example_is_run():
    assert set(EXAMPLES) == {p.name for p in pathlib.Path(ROOT, "examples").glob("keras_*.py")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, device, tmp_path):
    arguments, expected = EXAMPLES[name]
    done = quern("run", os.path.join(ROOT, "examples", name), *arguments.split(), cwd=tmp_path, timeout=600, **_device(device))
    assert done.returncode == 0, done.stderr[-3000:]
    assert any(re.match(expected, line) for line in done.stdout.splitlines()), done.stdout[-2000:]


@pytest.mark.skipif(not os.environ.get("QUERN_PROGRAMS"), reason="QUERN_PROGRAMS is not set")
def test_programs_that_know_nothing_of_quern(device, tmp_path):
    done = quern("run", os.path.join(os.environ["QUERN_PROGRAMS"], "keras_dense.py"), cwd=tmp_path, **_device(device))
    assert done.returncode == 0, done.stderr[-3000:]
    losses = [float(one) for one in re.findall(r"32/32.*loss: (\d\.\d+)", done.stdout.replace("\r", "\n"))]
    assert len(losses) >= 10 and losses[-1] < losses[0] < 2.6
    done = quern("run", os.path.join(os.environ["QUERN_PROGRAMS"], "check_gpu.py"), cwd=tmp_path, **_device(device))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == f"Is CUDA available:  {device.kind != 'cpu'}"
    assert (int(done.stdout.splitlines()[0].split()[-1]) > 0) == (device.kind != "cpu")


TENSORFLOW = """
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.models import Sequential
import tensorflow.keras.backend as K

print(keras.backend.backend(), tf.keras.layers is layers)
a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
print(tf.matmul(a, a, transpose_b=True).numpy().tolist(), tf.reduce_sum(a, axis=0).numpy().tolist(), tf.cast(a, tf.int32).numpy().tolist())
print(tf.linalg.det(a).numpy().round(3), tf.math.log(a).numpy().shape, tf.nn.softmax(a).numpy().sum().round(5), tf.shape(a).numpy().tolist())
tf.random.set_seed(1)
print(tf.random.normal((3, 2)).shape, tf.random.uniform((2,), maxval=5, dtype=tf.int32).numpy().dtype)
v = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    y = v * v
    z = y * v
print(tape.gradient(y, v).numpy(), tape.gradient(z, v).numpy())
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = v * v * v
    slope = inner.gradient(y, v)
print(outer.gradient(slope, v).numpy())
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x**3
print(tape.gradient(y, x).numpy())
v.assign_add(1.0)
print(v.numpy())

data, labels = np.random.rand(100, 4).astype("float32"), np.random.randint(0, 2, (100, 1))
ds = tf.data.Dataset.from_tensor_slices((data, labels)).shuffle(100).batch(20).map(lambda a, b: (a * 2, b)).prefetch(tf.data.AUTOTUNE)
print(len(ds), [tuple(a.shape) for a, b in ds.take(2)])
m = Sequential([layers.Dense(8, activation="relu"), layers.Dense(1, activation="sigmoid")])
m.compile(optimizer=tf.keras.optimizers.Adam(1e-2), loss="binary_crossentropy", metrics=["accuracy"])
print(len(m.fit(ds, epochs=2, verbose=0).history["loss"]), m.evaluate(ds, verbose=0)[0] > 0)

@tf.function
def step(a, b):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(m(a, training=True) - tf.cast(b, tf.float32)))
    grads = tape.gradient(loss, m.trainable_variables)
    m.optimizer.apply_gradients(zip(grads, m.trainable_variables))
    return loss
losses = [step(a, b).numpy() for _ in range(10) for a, b in ds]
print(losses[-1] < losses[0])
try:
    tf.strings.join
except AttributeError as e:
    print("tensorflow.strings is not supported" in str(e))
gpus = tf.config.experimental.list_physical_devices("GPU")
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
print(len(tf.config.list_physical_devices("CPU")), len(gpus) == len(tf.config.list_logical_devices("GPU")))
"""


def test_tensorflow(device, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(TENSORFLOW)
    done = quern("run", path, cwd=tmp_path, **_device(device))
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "quern True",
        "[[5.0, 11.0], [11.0, 25.0]] [4.0, 6.0] [[1, 2], [3, 4]]",
        "-2.0 (2, 2) 2.0 [2, 2]",
        "(3, 2) int32",
        "6.0 27.0",
        "18.0",
        "12.0",
        "4.0",
        "5 [(20, 4), (20, 4)]",
        "2 True",
        "True",
        "True",
        "1 True",
    ]


def test_ways_to_choose_the_backend(tmp_path):
    assert code("import quern.keras, keras; print(keras.backend.backend())").stdout == "quern\n"
    assert code("import quern.keras; print(quern.keras.layers.Dense.__module__)").stdout.startswith("keras.src")
    program = tmp_path / "program.py"
    program.write_text("import keras; print(keras.backend.backend())")
    assert quern("run", program, KERAS_BACKEND=None).stdout == "quern\n"
    # The installed package has a file that Python reads at its start; Keras is then asked for before quern is.
    shutil.copy(os.path.join(ROOT, "python", "quern-keras.pth"), tmp_path)
    at_start = f"import site; site.addsitedir({str(tmp_path)!r})\nimport keras; print(keras.backend.backend())"
    assert code(at_start, KERAS_BACKEND="quern").stdout == "quern\n"
    other = at_start.partition("\n")[0] + "\nimport sys; print('quern' in sys.modules)"
    assert code(other, KERAS_BACKEND="jax").stdout == "False\n"
    # Installed packages do not find the TensorFlow front end: Keras asks whether it is there.
    program.write_text("import keras; from keras.src.utils.module_utils import tensorflow as tf; print(tf.available)")
    if not _is_installed("tensorflow"):
        assert quern("run", program, KERAS_BACKEND=None).stdout == "False\n"
    for version in ("2.15.0", "3.99.0"):
        done = code(f"import importlib.metadata as m\nm.version = lambda name: {version!r}\nimport quern.keras")
        assert "ImportError: quern.keras supports Keras 3.13 to 3.15, and " + version in done.stderr
    missing = code("import importlib.metadata as m\ndef no(name): raise m.PackageNotFoundError(name)\nm.version = no\nimport quern.keras")
    assert "pip install 'quern[keras]'" in missing.stderr
    program.write_text(
        "import importlib.metadata as m\ndef no(name): raise m.PackageNotFoundError(name)\nm.version = no\nfrom tensorflow.keras import layers"
    )
    assert quern("run", program).stderr.rstrip().splitlines()[-1].endswith("pip install 'quern[keras]', or pip install keras h5py")


def test_which_branches_choose():
    """Branches for "numpy" that take its parts are taken for quern, too; what is said of NumPy's backend alone is not."""
    from quern import keras_hook

    text = """
if backend() == "numpy":
    from keras.src.backend.numpy.layer import NumpyLayer as BackendLayer
else:
    raise RuntimeError
if backend.backend() == "numpy":
    warnings.warn("The NumPy backend does not support masking at this time. Masks will be ignored.")
else:
    backend.set_keras_mask(tensor, mask)
if self._backend == "numpy":
    if backend_module.backend() == "numpy":
        return_ = getattr(backend_module, name)
"""
    rule = keras_hook._Branches()
    lines = ast.unparse(rule.visit(ast.parse(text))).splitlines()
    assert [line.strip() for line in lines if "quern" in line.lower()] == [
        "if backend() == 'quern':",
        "from quern.keras.backend.layer import QuernLayer as BackendLayer",
        "if self._backend == 'quern':",
        "if backend_module.backend() == 'quern':",
    ]


def _is_installed(name):
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.skipif(not os.environ.get("QUERN_API_NAMES"), reason="QUERN_API_NAMES is not set")
def test_names():
    """docs/keras.md is what tools/keras_names.py writes, where the newest Keras is installed."""
    if not importlib.metadata.version("keras").startswith("3.15."):
        pytest.skip("another version of Keras is installed")
    import sys

    from programs import python

    done = python(os.path.join(ROOT, "tools", "keras_names.py"), "--check", QUERN_API_NAMES=os.environ["QUERN_API_NAMES"])
    assert done.returncode == 0, f"run tools/keras_names.py with {sys.executable}: {done.stderr[-2000:]}"


def test_seeds_where_keras_finds_tensorflow():
    done = code(
        "import sys, quern.keras, quern.tensorflow as tf, keras\n"
        "sys.modules['tensorflow'] = tf  # Keras sets TensorFlow's seed where it finds it\n"
        "drawn = []\n"
        "for seed in (keras.utils.set_random_seed, tf.random.set_seed):\n"
        "    seed(3)\n"
        "    drawn.append(float(keras.random.normal(())))\n"
        "print(drawn[0] == drawn[1])\n"
    )
    assert done.stdout == "True\n", done.stderr
