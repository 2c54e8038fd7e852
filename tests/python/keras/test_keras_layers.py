"""Layers, losses, metrics, optimizers and what else models are built of: as Keras has them on JAX, values and gradients."""

import os

import pytest
from keras_oracle import compare_all, needs_keras
from programs import code

needs_keras()

# Layers with the shape of their input; those with more inputs, or other than real ones, stand in LAYER_CALLS.
LAYERS = """
Dense(3) (2, 4) | Dense(3, activation="relu", use_bias=False) (2, 5, 4) | EinsumDense("abc,cd->abd", (None, 3), bias_axes="d") (2, 3, 4)
Activation("gelu") (2, 4) | Activation("softmax") (2, 4) | ReLU(max_value=0.5, negative_slope=0.1) (2, 4) | LeakyReLU() (2, 4) | PReLU() (2, 4)
ELU() (2, 4) | Softmax() (2, 4) | BatchNormalization() (4, 3) | BatchNormalization(axis=1, scale=False) (2, 3, 4) | LayerNormalization() (2, 3, 4)
LayerNormalization(axis=(1, 2)) (2, 3, 4) | GroupNormalization(groups=2) (2, 3, 4) | UnitNormalization() (2, 4) | RMSNormalization() (2, 4)
Flatten() (2, 3, 4) | Reshape((4, 3)) (2, 3, 4) | Reshape((-1,)) (2, 3, 4) | Permute((2, 1)) (2, 3, 4) | RepeatVector(3) (2, 4) | Identity() (2, 4)
Lambda(lambda x: x * 2) (2, 4) | TimeDistributed(keras.layers.Dense(3)) (2, 5, 4) | Masking(0.5) (2, 3, 4) | Rescaling(2.0, 0.5) (2, 4)
Normalization(mean=0.5, variance=2.0) (2, 4) | SpatialDropout1D(0.5) (2, 3, 4) | Dropout(0.5) (2, 4) | GaussianNoise(0.3) (2, 4)
GaussianDropout(0.3) (2, 4) | AlphaDropout(0.3) (2, 4) | ActivityRegularization(l2=0.1) (2, 4) | SimpleRNN(3) (2, 5, 4) | LSTM(3) (2, 5, 4)
GRU(3, return_sequences=True) (2, 5, 4) | Bidirectional(keras.layers.LSTM(2)) (2, 5, 4) | UpSampling1D(2) (2, 3, 4) | ZeroPadding1D(2) (2, 3, 4)
Cropping1D(1) (2, 4, 3) | ZeroPadding2D(1) (1, 2, 2, 3) | Cropping2D(1) (1, 4, 4, 2) | GlobalAveragePooling1D() (2, 3, 4) | GlobalMaxPooling1D() (2, 3, 4)
GlobalAveragePooling2D() (2, 3, 3, 4) | GlobalMaxPooling2D() (2, 3, 3, 4) | UpSampling2D(2) (1, 2, 2, 3)
""".replace("\n", " | ").strip(" |").split(" | ")  # fmt: skip
LAYER_CALLS = """
(lambda e: (e.build(), named(e)(np.array([[1, 6, 0]]))))(layers.Embedding(7, 3)) ||| layers.Concatenate()([data(2, 3), data(2, 4)]) ||| layers.Add()([data(2, 3), data(2, 3, seed=1)])
layers.Subtract()([data(2, 3), data(2, 3, seed=1)]) ||| layers.Multiply()([data(2, 3), data(2, 3, seed=1), data(2, 1)])
layers.Average()([data(2, 3), data(2, 3, seed=1)]) ||| layers.Maximum()([data(2, 3), data(2, 3, seed=1)]) ||| layers.Dot(axes=1)([data(2, 3), data(2, 3, seed=1)])
layers.Minimum()([data(2, 3), data(2, 3, seed=1)]) ||| layers.Dot(axes=(2, 1), normalize=True)([data(2, 3, 4), data(2, 4, 3)])
layers.Discretization([-0.5, 0.0, 0.5])(data(2, 4)) ||| layers.Discretization([0.0], output_mode="one_hot")(data(4))
layers.CategoryEncoding(5, output_mode="multi_hot")(np.array([[0, 2], [3, 3]])) ||| layers.CategoryEncoding(5, output_mode="one_hot")(np.array([1, 4]))
layers.CategoryEncoding(4, output_mode="count")(np.array([[0, 2, 2]])) ||| layers.MultiHeadAttention(2, 3).compute_output_shape((2, 5, 4), (2, 5, 4))
named(layers.Embedding(7, 3, mask_zero=True)).compute_mask(np.array([[1, 6, 0]])) ||| layers.Attention()([data(2, 3, 4), data(2, 5, 4)])
(lambda l: (l.build((2, 4, 3)), named(l)(data(2, 4, 3), mask=np.array([[1, 1, 0, 0], [1, 1, 1, 1]], bool))))(layers.LSTM(3)) ||| layers.Masking(0.0).compute_mask(data(2, 3, 4) * 0)
raises(lambda: layers.Dense(3)(np.ones(()))) ||| raises(lambda: layers.Concatenate()([data(2, 3), data(3, 3)])) ||| raises(lambda: layers.Dense(-1))
raises(lambda: keras.Sequential([keras.Input((4,)), layers.Dense(3)])(data(2, 5))) ||| keras.Input((None, 3)) ||| layers.Dense(4)(keras.Input((None, 3)))
grads(lambda x: layers.BatchNormalization()(x, training=True) ** 2, data(5, 3)) ||| layers.LSTM(5)(keras.Input((None, 3))) ||| layers.Flatten()(keras.Input((3, 4))) ||| layers.Lambda(lambda x: x[:, :2])(keras.Input((5,)))
""".replace("\n", " ||| ").strip(" |").split(" ||| ")  # fmt: skip
LOSSES = """MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogarithmicError Huber LogCosh BinaryCrossentropy
BinaryFocalCrossentropy CategoricalCrossentropy CategoricalFocalCrossentropy Hinge SquaredHinge CategoricalHinge KLDivergence Poisson CosineSimilarity
Dice Tversky""".split()
METRICS = """Accuracy BinaryAccuracy CategoricalAccuracy TopKCategoricalAccuracy MeanSquaredError MeanAbsoluteError RootMeanSquaredError
MeanAbsolutePercentageError MeanSquaredLogarithmicError CosineSimilarity LogCoshError AUC Precision Recall FalsePositives TruePositives FalseNegatives
TrueNegatives BinaryCrossentropy CategoricalCrossentropy KLDivergence Poisson Hinge SquaredHinge R2Score F1Score FBetaScore BinaryIoU""".split()
OPTIMIZERS = """SGD(0.1) | SGD(0.1, momentum=0.9) | SGD(0.1, momentum=0.9, nesterov=True) | SGD(0.1, weight_decay=0.01) | RMSprop(0.01)
RMSprop(0.01, momentum=0.9, centered=True) | RMSprop(0.01, centered=True) | RMSprop(0.01, momentum=0.5) | Adam(0.01) | Adam(0.01, amsgrad=True)
Adam(0.01, clipnorm=0.5) | Adam(0.01, clipvalue=0.1) | Adam(0.01, global_clipnorm=0.3) | Adam(0.01, use_ema=True, ema_overwrite_frequency=3)
Adam(0.01, gradient_accumulation_steps=2) | Nadam(0.01, gradient_accumulation_steps=2) | Nadam(0.01, gradient_accumulation_steps=3, weight_decay=0.1)
SGD(0.1, momentum=0.9, gradient_accumulation_steps=3) | Adamax(0.01, gradient_accumulation_steps=2) | Nadam(0.01, weight_decay=0.1)
Ftrl(0.1, gradient_accumulation_steps=2) | Nadam(0.01, clipnorm=0.5, gradient_accumulation_steps=2) | AdamW(0.01, weight_decay=0.05) | Adamax(0.01) | Nadam(0.01) | Adadelta(0.5) | Adagrad(0.1) | Ftrl(0.1)
Ftrl(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02, beta=0.1, l2_shrinkage_regularization_strength=0.05) | Lion(0.01)
Lion(0.01, weight_decay=0.1) | ScheduleFreeAdamW(0.05) | Lamb(0.01) | Adafactor(0.05) | Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 3, 0.5))
SGD(keras.optimizers.schedules.CosineDecay(0.1, 8)) | SGD(keras.optimizers.schedules.PiecewiseConstantDecay([3, 6], [0.1, 0.05, 0.01]))
SGD(keras.optimizers.schedules.PolynomialDecay(0.1, 8)) | SGD(keras.optimizers.schedules.InverseTimeDecay(0.1, 3, 0.5), momentum=0.8)""".replace("\n", " | ").split(" | ")  # fmt: skip
STEP = """
w, b = keras.Variable(data(3, 2)), keras.Variable(data(2))
optimizer = keras.optimizers.{}
optimizer.build([w, b])
for i in range(10):
    optimizer.apply([ops.convert_to_tensor(data(3, 2, seed=i + 2)), ops.convert_to_tensor(data(2, seed=i + 2))], [w, b])
[w, b, optimizer.iterations] + [ops.cast(v, "float32") for v in optimizer.variables[2:]]
"""
RANDOM = ("Dropout(", "GaussianNoise", "GaussianDropout", "AlphaDropout", "SpatialDropout")


def keras_optimizers():
    """The module whose names older versions of Keras lack some of."""
    os.environ.setdefault("KERAS_BACKEND", "quern")
    import quern.keras

    return quern.keras.optimizers


def _layer_texts():
    for line in LAYERS:
        cut = line.rindex(" (")
        layer, sizes = line[:cut], line[cut + 1 :]
        name = f"layers.{layer}"
        yield f"layer = {name}\nlayer.build({sizes})\nnamed(layer)(data{sizes})"
        yield f"layer = {name}\nlayer.compute_output_shape({sizes})"
        if not layer.startswith(RANDOM):
            yield f"layer = {name}\nlayer.build({sizes})\nnamed(layer)\ngrads(layer, data{sizes})"
        else:
            yield f"layer = {name}\ny = ops.convert_to_numpy(layer(np.ones((40, 50, 4)[:{sizes.count(',') + 1}], 'float32') * 1.0, training=True))\nbool(abs(y.mean() - 1) < 0.1)"
        if not layer.startswith("Lambda"):
            yield f"layer = {name}\nother = type(layer).from_config(layer.get_config())\nsorted(map(str, other.get_config()))"


def test_layers(device):
    compare_all(list(_layer_texts()) + LAYER_CALLS, "test_keras_layers", device.kind, rtol=1e-4, atol=1e-5)


def test_layers_that_look_at_data(device):
    texts = [
        "l = layers.Normalization()\nl.adapt(np.concatenate([data(20, 3), data(30, 3) + 1]))\n[l.mean, l.variance, l(data(4, 3))]",
        "l = layers.Normalization(axis=1, invert=True)\nl.adapt(data(20, 3, 4))\n[l.mean, l(data(2, 3, 4))]",
        "l = layers.Normalization(axis=None)\nl.adapt(ops.convert_to_tensor(data(20, 3)))\nl(data(2, 3))",
    ]
    compare_all(texts, "test_keras_layers", device.kind)
    text = """
import quern.keras, keras, numpy as np
x, y, m, n = np.random.rand(20, 3), np.random.rand(30, 3) + 1, keras.layers.Normalization(), keras.layers.Normalization()
m.adapt([x, y])
n.adapt(np.concatenate([x, y]))
print(np.allclose(m.mean, n.mean), np.allclose(m.variance, n.variance))
l = keras.layers.Discretization(num_bins=4, epsilon=0.01)
l.adapt(np.arange(100.0).reshape(50, 2))
print([round(one) for one in l.bin_boundaries], l(np.array([[10.0, 60.0]])).get().tolist())
e = keras.layers.Embedding(7, 3, mask_zero=True)(np.array([[1, 2, 0]]))
print(e._keras_mask.get().tolist(), keras.layers.Dropout(0.5)(e)._keras_mask.shape, hasattr(keras.ops.ones(2), "_keras_mask"))
"""
    out = code(text, QUERN_DEVICE=device.kind)
    assert out.stdout == "True True\n[24, 49, 74] [[0, 2]]\n[[True, True, False]] (1, 3) False\n", out.stdout + out.stderr[-2000:]


def test_losses(device):
    texts = []
    for name in LOSSES:
        ready = f"y, p = np.abs(data(4, 3)), np.abs(data(4, 3, seed=1)) + 0.1\nloss = keras.losses.{name}()\n"
        texts += [ready + "loss(y, p)", ready + "loss(y, p, sample_weight=np.arange(4.0))", ready + "grads(lambda p: loss(y, p), p)"]
    texts += [
        f"keras.losses.SparseCategoricalCrossentropy(from_logits={logits})(np.array([0, 2, 1, 1]), np.abs(data(4, 3)))"
        for logits in (True, False)
    ]
    texts += [
        "keras.losses.MeanSquaredError(reduction='none')(data(4, 3), data(4, 3, seed=1))",
        "keras.losses.CTC",
        "keras.losses.get('mse')",
    ]
    texts += ["raises(lambda: keras.losses.CategoricalCrossentropy()(data(4, 3), data(4, 2)))"]
    compare_all(texts, "test_keras_layers", device.kind, rtol=1e-4, atol=1e-5)


def test_metrics(device):
    texts = []
    for name in METRICS:
        arguments = "target_class_ids=[0, 1]" if name == "BinaryIoU" else ""
        binary = (
            name
            in "AUC Precision Recall FalsePositives TruePositives FalseNegatives TrueNegatives BinaryAccuracy BinaryIoU F1Score FBetaScore".split()
        )
        y = '(data(6, 3) > 0).astype("float32")' if binary else "np.abs(data(6, 3))"
        ready = f"m = keras.metrics.{name}({arguments})\nm.update_state({y}, np.abs(data(6, 3, seed=1)))\n"
        texts += [
            ready + "m.result()",
            ready + f"m.update_state({y}, np.abs(data(6, 3, seed=2)))\nm.result()",
            ready + "m.reset_state()\n[v for v in m.variables]",
        ]
    texts += [
        "m = keras.metrics.SparseCategoricalAccuracy()\nm.update_state(np.array([0, 2, 1]), data(3, 3), sample_weight=np.array([1.0, 0, 2]))\nm.result()",
        "m = keras.metrics.SparseTopKCategoricalAccuracy(k=2)\nm.update_state(np.array([0, 2, 1]), data(3, 3))\nm.result()",
        "m = keras.metrics.MeanIoU(num_classes=2)\nm.update_state([0, 0, 1, 1], [0, 1, 0, 1])\nm.result()",
        "m = keras.metrics.Mean()\nm.update_state(data(5), sample_weight=np.arange(5.0))\nm.result()",
        "m = keras.metrics.SensitivityAtSpecificity(0.5)\nm.update_state([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])\nm.result()",
    ]
    compare_all(texts, "test_keras_layers", device.kind, rtol=1e-4, atol=1e-5)


def test_optimizers(device):
    """Ten steps, to 1e-5."""
    texts = [STEP.format(one.strip()) for one in OPTIMIZERS if hasattr(keras_optimizers(), one.split("(")[0].strip())]
    compare_all(texts, "test_keras_layers", device.kind, rtol=1e-5, atol=1e-5)


def test_initializers_regularizers_constraints(device):
    texts = [f"keras.initializers.{one}((3, 3))" for one in ("Zeros()", "Ones()", "Constant(2.5)", "Identity()")]
    texts += [
        f"keras.regularizers.{one}(ops.convert_to_tensor(data(3, 3)))"
        for one in ("L1(0.1)", "L2(0.1)", "L1L2(0.1, 0.2)", "OrthogonalRegularizer()")
    ]
    texts += [
        f"keras.constraints.{one}(ops.convert_to_tensor(data(3, 3) * 3))"
        for one in ("MaxNorm(1.0)", "NonNeg()", "UnitNorm()", "MinMaxNorm(0.5, 1.0)")
    ]
    for one in ("RandomNormal(1.0, 0.5)", "RandomUniform(0.5, 1.5)", "TruncatedNormal(1.0, 0.5)"):
        texts.append(f"x = ops.convert_to_numpy(keras.initializers.{one}((200, 200)))\n[bool(abs(x.mean() - 1) < 0.01), x.dtype.name]")
    for one in ("GlorotUniform", "GlorotNormal", "HeNormal", "HeUniform", "LecunNormal", "VarianceScaling", "Orthogonal"):
        texts.append(
            f"x = keras.initializers.{one}(seed=1)((30, 40))\ny = keras.initializers.{one}(seed=1)((30, 40))\n[x.shape, bool(ops.all(x == y))]"
        )
    compare_all(texts, "test_keras_layers", device.kind)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16", "bfloat16", "float64"])
def test_policies(policy, device):
    start = f"keras.config.set_dtype_policy('{policy}')\n"
    texts = [
        start + "layer = layers.Dense(3)\ny = layer(data(2, 4))\n[keras.backend.standardize_dtype(y.dtype), layer.kernel.dtype]",
        start
        + "model = keras.Sequential([keras.Input((4,)), layers.Dense(3, activation='relu'), layers.BatchNormalization(), layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\nmodel.fit(data(32, 4), data(32, 1), verbose=0)\n[v.dtype for v in model.weights]",
    ]
    compare_all(texts, "test_keras_layers", device.kind)
