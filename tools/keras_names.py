#!/usr/bin/env python3
"""Counts which functions Keras asks of a backend quern.keras supports, and writes docs/keras.md.

    QUERN_API_NAMES=FOLDER tools/keras_names.py [--check]

FOLDER has keras_backend.tsv: the modules of Keras's NumPy backend, their names and signatures. One that only raises is not supported.
"""

import collections
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(ROOT, "docs", "keras.md")
MODULES = ("core", "numpy", "nn", "math", "linalg", "random", "image", "rnn")
# Functions that Keras does without: it has its own way where a backend raises.
OWN_WAY = {"bidirectional_lstm", "bidirectional_gru"}
# What the list has because NumPy's modules import it, or use it themselves.
HELPERS = {"floatx", "jax_fft", "jax_fft2", "numpy_scan", "slice_along_axis"}
REASONS = (
    ("factorisations", "lu_factor eig jvp", "the engine has no such factorisation; `qr`, `svd`, `eigh`, `cholesky` are supported"),
)
LAYERS = """Input Dense EinsumDense Embedding Activation Dropout SpatialDropout GaussianNoise GaussianDropout AlphaDropout
ActivityRegularization BatchNormalization LayerNormalization GroupNormalization UnitNormalization RMSNormalization Flatten Reshape Permute
RepeatVector Concatenate Add Subtract Multiply Average Maximum Minimum Dot Lambda TimeDistributed Masking Rescaling Normalization
Discretization CategoryEncoding Identity ReLU LeakyReLU PReLU ELU Softmax SimpleRNN LSTM GRU RNN ConvLSTM1D ConvLSTM2D
Bidirectional MultiHeadAttention Attention
AdditiveAttention UpSampling1D ZeroPadding Cropping GlobalAveragePooling GlobalMaxPooling""".split()
DIFFERENT = (
    (
        "random numbers",
        "They depend on the seed and on the number of earlier draws, not on the device. Other backends draw other numbers.",
    ),
    (
        "steps",
        "If layers, loss and metrics are Keras's own, or functions that read nothing that may change, a step is recorded at the"
        " second batch of a kind. From then on it is replayed, without running the Python code of the layers. With your own "
        "layers, losses, metrics or `train_step`, steps run as plain Python, unless `compile(jit_compile=True)` is set; with "
        "`run_eagerly=True` or `jit_compile=False`, all steps do. If the program sets an attribute of a layer, an optimizer, a "
        "loss, a regularizer or a schedule between two steps, or changes a list or a dict in one of them, the steps are "
        "recorded again. A step that does so itself, or that reads values on the host, is not recorded. With "
        "`jit_compile=True`, other Python state that your own step reads (`random`, NumPy arrays, objects) keeps the value that"
        " it had during recording, as on JAX.",
    ),
    (
        "a `train_step` of your own",
        "Gradients are `quern.autograd.gradients(loss, [v.value for v in weights])`, or, under `./quern run`, "
        "`tf.GradientTape`. Update weights and metrics inside `quern.autograd.no_grad()`.",
    ),
    (
        "metrics",
        "They stay on the device until the progress bar prints them or a callback reads the logs; the `logs` of a batch are "
        "computed at that time.",
    ),
    (
        "data",
        "Arrays of up to 1 GiB are copied to the device once; batches are slices of them. NumPy's generator determines their "
        "order, as on JAX.",
    ),
    ("`tf.function`", "The function runs as Python at each call; options such as `input_signature` have no effect."),
    (
        "gradients with `tensorflow`",
        "At zeros, NaN and the ends of domains they are TensorFlow's, also those of `keras.ops`; those of `celu`, `hard_silu`, "
        "`hard_tanh`, `cbrt`, `hypot`, `lgamma` and `digamma` are JAX's there. The gradient of `tf.sqrt(tf.nn.relu(x))` is 0 where "
        "TensorFlow's is NaN, and the second derivative of `tf.math.xdivy` by 0 is infinite. Gradients of `tf.gather` are tensors, "
        "not `tf.IndexedSlices`. NaN is the extreme of its segment wherever it stands; TensorFlow's depends on the order.",
    ),
    (
        "gradients on JAX's side",
        "At NaN and zeros they are JAX's, with these exceptions: `std` of equal elements has the gradient 0 (JAX: NaN), "
        "`segment_max` with NaN has NaN (JAX: 0), and `nanmedian` and `nanquantile` of NaN alone pass it to an element.",
    ),
    ("optimizers", "One call of the engine updates all variables; Lamb, Adafactor and Muon run one operation at a time."),
    (
        "64 bits",
        "64-bit tensors need no switch. Python's operators, which otherwise follow JAX's dtype rules, keep 64 bits, and so do "
        "functions of one tensor (`ops.sum`, `ops.sort`), as on NumPy. Functions that combine dtypes (`ops.add`) return 32 "
        "bits, as on JAX.",
    ),
    ("variables", "They are written in place; a tensor that was read from a variable before (`v.value`, `v[0]`) keeps its values."),
    (
        "writing to tensors",
        "`t[0] = 1` changes a tensor, as with Keras's PyTorch backend. JAX raises an error, and so does quern once `tensorflow`"
        " is imported.",
    ),
    ("`cdist` and `psnr` of integers", "The differences are float32; on JAX, differences of small integers wrap around."),
    ("`mixed_float16`", "Each step reads the scale of the loss and is therefore not recorded."),
    ("float8, sparse and ragged tensors", "Not supported."),
    ("`model.export()`", "Not supported. `.keras` and `.weights.h5` files are equal to those of the other backends, bit for bit."),
    ("`keras.remat`", "Accepted; the results are kept."),
)
FAILED = os.path.join(ROOT, "tools", "keras_own_tests.tsv")


def names(folder):
    """(module, name) of each function that the list has."""
    with open(os.path.join(folder, "keras_backend.tsv")) as file:
        for line in file:
            module, name, kind, *_ = line.rstrip("\n").split("\t")
            part = module.removeprefix("keras.src.backend.numpy.")
            if (
                kind == "function"
                and part in MODULES
                and (part, name) != ("random", "softmax")
                and not name.startswith("_")
                and name not in HELPERS
            ):
                yield part, name


def count(folder):
    """The supported names and the others, by module."""
    import importlib

    import quern.keras  # noqa: F401

    served, missing = collections.OrderedDict(), collections.OrderedDict()
    for module, name in names(folder):
        function = getattr(importlib.import_module(f"quern.keras.backend.{module}"), name, None)
        is_there = function is not None and not hasattr(getattr(function, "plain_function", function), "is_stand_in")
        (served if is_there and name not in OWN_WAY else missing).setdefault(module, []).append(name)
    return served, missing


def own_tests():
    """What Keras's own tests say: (what they were run with, how many passed on JAX and on both, the failing ones with why)."""
    made_with, passed, failing = "", {}, []
    with open(FAILED) as file:
        for line in file:
            kind, *rest = line.rstrip("\n").split("\t")
            if kind == "made with":
                made_with = rest[0]
            elif kind == "passed":
                passed[rest[0]] = int(rest[1])
            elif kind == "failed":
                failing.append(rest)
    return made_with, passed, failing


def page(folder):
    """The text of docs/keras.md."""
    from quern import keras_hook

    served, missing = count(folder)
    total = sum(map(len, served.values())) + sum(len([n for n in v if n not in OWN_WAY]) for v in missing.values())
    oldest, newest = (".".join(map(str, v)) for v in (keras_hook.OLDEST, keras_hook.NEWEST))
    lines = [
        "# Keras",
        "",
        "Written by `tools/keras_names.py`. Under `./quern run`, after `import quern.keras`, and in any program where",
        f"the environment variable KERAS_BACKEND is `quern` (installed package), Keras itself ({oldest} to {newest},",
        "`pip install 'quern[keras]'`) runs on quern, on GPUs and CPUs. Under `./quern run`,",
        "`import tensorflow` in your own files loads a small part of TensorFlow's API around `tf.keras`, which also has",
        "Keras's older names (`losses.mae`, `backend.sum`, `preprocessing.text.Tokenizer`). Tensors are then TensorFlow's:",
        "immutable, with `TensorShape` and `DType`. Tensors of strings are not supported.",
        "",
        f"Of the {total} functions that Keras requires of a backend, {sum(map(len, served.values()))} are supported. The others raise",
        "NotImplementedError with their name.",
        "",
        "| module | supported | left out |",
        "|---|---|---|",
        *(f"| `{m}` | {len(served.get(m, ()))} | {len([n for n in missing.get(m, ()) if n not in OWN_WAY])} |" for m in MODULES),
        "",
        "## Layers",
        "",
        "Tested: " + ", ".join(f"`{name}`" for name in LAYERS) + "; layers of your own, Sequential, functional and subclassed models.",
        "All losses, metrics, optimizers, schedules, initializers, regularizers, constraints and callbacks are supported;",
        "TensorBoard's callback needs its package.",
        "",
        "## Left out",
        "",
        "| group | functions | why |",
        "|---|---|---|",
    ]
    rest = [n for m in MODULES for n in missing.get(m, ()) if n not in OWN_WAY]
    for title, of_group, why in REASONS:
        found = [n for n in rest if n in of_group.split()]
        rest = [n for n in rest if n not in found]
        if found:
            lines.append(f"| {title} | {' '.join(f'`{n}`' for n in found)} | {why} |")
    if rest:
        lines.append(f"| others | {' '.join(f'`{n}`' for n in rest)} | not supported yet |")
    lines += ["", "## What differs", "", "| what | how |", "|---|---|"]
    lines += [f"| {what} | {how} |" for what, how in DIFFERENT]
    if os.path.exists(FAILED):
        made_with, passed, failing = own_tests()
        both = 100 * passed["both"] / passed["jax"]
        lines += [
            "",
            "## Keras's own tests",
            "",
            "Of the tests in Keras's wheel for these layers, losses, metrics, optimizers, activations, initializers, models, trainers and",
            "callbacks,",
            f"{passed['jax']} pass on JAX's backend; {passed['both']} of them, {both:.1f} %, pass on quern's. {made_with} The others:",
            "",
            "| tests | why |",
            "|---|---|",
            *(f"| {tests} | {why} |" for tests, why in failing),
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    import generated_page

    generated_page.main(__doc__, FILE, page, "keras_backend.tsv")
