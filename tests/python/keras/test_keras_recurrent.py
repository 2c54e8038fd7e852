"""Recurrent layers of Keras compared with Keras on JAX: values, states, masks, gradients, and models that are trained."""

from keras_oracle import compare_all, needs_keras
from programs import code

needs_keras()

OPTIONS = (
    "3", "3, return_sequences=True", "3, return_sequences=True, return_state=True", "3, go_backwards=True, return_sequences=True",
    "3, go_backwards=True, return_state=True", "3, unroll=True, return_sequences=True", "3, use_bias=False", "3, activation='relu'",
)  # fmt: skip
ONLY = {
    "LSTM": ("3, recurrent_activation='hard_sigmoid', return_sequences=True", "3, unit_forget_bias=False", "3, use_cudnn=False"),
    "GRU": ("3, reset_after=False, return_sequences=True", "3, recurrent_activation='tanh'", "3, reset_after=False, use_bias=False"),
    "SimpleRNN": ("3, activation='sigmoid', return_state=True",),
}
MASK = "np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1], [0, 0, 1, 1, 0]], bool)"


def layers_of(kind):
    return [f"layers.{kind}({options})" for options in (*OPTIONS, *ONLY[kind])]


def built(layer, *shape):
    data = ", ".join(map(str, shape))
    return f"l = {layer}\nl.build(({data}))\nnamed(l)(data({data}))"


def check(texts, device):
    compare_all(texts, "test_keras_recurrent", device.kind, rtol=1e-4, atol=1e-5)


def test_layers(device):
    texts = [built(layer, 2, 5, 4) for kind in ONLY for layer in layers_of(kind)]
    texts += [built(layer, 1, 1, 1) for layer in ("layers.LSTM(1)", "layers.GRU(1)", "layers.SimpleRNN(1)")]
    check(texts, device)


def test_layers_with_initial_states(device):
    texts = []
    for kind in ONLY:
        states = "[data(2, 3), data(2, 3, seed=2)]" if kind == "LSTM" else "data(2, 3)"
        for options in ("return_state=True", "return_sequences=True, go_backwards=True"):
            texts.append(f"l = layers.{kind}(3, {options})\nl.build((2, 5, 4))\nnamed(l)(data(2, 5, 4), initial_state={states})")
    check(texts, device)


def test_masks(device):
    texts = []
    for kind in ONLY:
        for options in ("return_sequences=True", "return_state=True", "return_sequences=True, zero_output_for_mask=True", "go_backwards=True"):
            texts.append(f"l = layers.{kind}(3, {options})\nl.build((3, 5, 4))\nnamed(l)(data(3, 5, 4), mask={MASK})")
        texts.append(f"x = data(2, 4, 3)\nx[:, 2:] = 0\nm = keras.Sequential([layers.Masking(), layers.{kind}(3)])\nm.build((2, 4, 3))\nnamed(m)(x)")
    check(texts, device)


def test_stateful_layers(device):
    texts = []
    for kind in ONLY:
        ready = f"l = layers.{kind}(3, stateful=True)\nl.build((2, 5, 4))\nnamed(l)\nfirst, second = l(data(2, 5, 4)), l(data(2, 5, 4, seed=1))\n"
        texts.append(ready + "l.reset_states()\n[first, second, l(data(2, 5, 4, seed=1))]")
    check(texts, device)


def test_wrappers_and_cells(device):
    check(
        [
            built("layers.Bidirectional(layers.LSTM(3))", 2, 5, 4),
            built("layers.Bidirectional(layers.LSTM(3, return_sequences=True), merge_mode='sum')", 2, 5, 4),
            built("layers.Bidirectional(layers.GRU(3, return_sequences=True, return_state=True), merge_mode='mul')", 2, 5, 4),
            built("layers.Bidirectional(layers.SimpleRNN(3), merge_mode=None)", 2, 5, 4),
            built("layers.Bidirectional(layers.GRU(3), backward_layer=layers.LSTM(3, go_backwards=True))", 2, 5, 4),
            built("layers.RNN(layers.LSTMCell(3))", 2, 5, 4),
            built("layers.RNN([layers.LSTMCell(3), layers.GRUCell(2)], return_sequences=True, return_state=True)", 2, 5, 4),
            built("layers.RNN(layers.StackedRNNCells([layers.SimpleRNNCell(3), layers.SimpleRNNCell(2)]))", 2, 5, 4),
            "l = layers.LSTMCell(3)\nl.build((2, 4))\nnamed(l)(data(2, 4), [data(2, 3), data(2, 3, seed=1)])",
            "l = layers.GRUCell(3)\nl.build((2, 4))\nnamed(l)(data(2, 4), data(2, 3))",
            built("layers.TimeDistributed(layers.Dense(3))", 2, 5, 4),
            built("layers.TimeDistributed(layers.LSTM(3))", 2, 3, 5, 4),
            built("layers.ConvLSTM1D(2, 3, padding='same', return_sequences=True)", 2, 3, 5, 2),
            built("layers.ConvLSTM2D(2, 3)", 2, 3, 5, 5, 2),
            built("layers.ConvLSTM2D(2, 2, go_backwards=True, return_state=True)", 2, 3, 4, 4, 1),
        ],
        device,
    )


def test_backend_functions(device):
    step = "lambda x, states: (x + states[0], [x + states[0] * 0.5])"
    texts = []
    for options in ("", "go_backwards=True", "unroll=True", "time_major=True", "unroll=True, go_backwards=True, return_all_outputs=False",
                    "mask=ops.array(MASK)", "mask=ops.array(MASK), zero_output_for_mask=True", "mask=ops.array(MASK), unroll=True",
                    "mask=ops.array(MASK), go_backwards=True"):  # fmt: skip
        shape = "5, 3, 2" if "time_major" in options else "3, 5, 2"
        initial = "[ops.array(data(3, 2, seed=1))]"
        texts.append(f"keras.src.backend.rnn({step}, ops.array(data({shape})), {initial}, {options.replace('MASK', MASK)})")
    check(texts, device)


def test_gradients(device):
    texts = []
    for kind in ONLY:
        for options in ("3", "3, return_sequences=True, go_backwards=True", "3, use_bias=False"):
            ready = f"l = layers.{kind}({options})\nl.build((2, 5, 4))\nnamed(l)\n"
            texts.append(ready + "grads(lambda x: l(x) ** 2, data(2, 5, 4))")
    texts.append("l = layers.LSTM(3)\nl.build((3, 5, 4))\nnamed(l)\ngrads(lambda x: l(x, mask=" + MASK + ") ** 2, data(3, 5, 4))")
    check(texts, device)


FIT = """
m = keras.Sequential([keras.Input((6, 4)), {}, layers.Dense(2)])
named(m)
m.compile(keras.optimizers.Adam(0.02), "mse")
history = m.fit(data(12, 6, 4), data(12, 2, seed=1), batch_size=4, epochs=3, shuffle=False, verbose=0)
[history.history["loss"], m.predict(data(3, 6, 4), verbose=0), m.evaluate(data(12, 6, 4), data(12, 2, seed=1), verbose=0)]
"""


def test_models_are_trained(device):
    hidden = (
        "layers.LSTM(5)", "layers.GRU(5)", "layers.SimpleRNN(5)", "layers.LSTM(5, return_sequences=True), layers.GRU(3)",
        "layers.Bidirectional(layers.LSTM(3))", "layers.Masking(), layers.LSTM(3)", "layers.GRU(5, reset_after=False)",
    )  # fmt: skip
    check([FIT.format(one) for one in hidden], device)


def test_half_precision_and_errors(device):
    check(
        [
            "layers.LSTM(3, dtype='mixed_float16')(data(2, 5, 4)).dtype, layers.GRU(3, dtype='mixed_bfloat16')(data(2, 5, 4)).dtype",
            "raises(lambda: layers.LSTM(3)(data(2, 5)))",
            "raises(lambda: layers.LSTM(0))",
            "raises(lambda: layers.GRU(3, use_cudnn='no'))",
        ],
        device,
    )


WRONG = """
import quern.keras, keras, numpy as np
def raised(f):
    try:
        return str(f().shape)
    except ValueError as error:
        return str(error)
layers, x = keras.layers, np.ones((3, 4, 2), "float32")
for layer in (layers.GRU(5), layers.LSTM(5)):
    count = 1 + isinstance(layer, layers.LSTM)
    found = [raised(lambda: layer(x, initial_state=[np.ones(shape, "float32")] * count)) for shape in ((1, 5), (4, 5), (3, 6), (5,), ())]
    print(["initial_state must have the shape (samples, units), which is (3, 5)" in text for text in found])
for layer in (layers.GRU(5), layers.LSTM(5), layers.SimpleRNN(5)):
    found = [raised(lambda: layer(x, mask=np.ones((3, steps), bool))) for steps in (1, 3, 5)]
    print(["a mask has an element for each step of the inputs, (3, 4)" in text for text in found])
"""


def test_states_and_masks_that_do_not_fit(device):
    out = code(WRONG, QUERN_DEVICE=device.kind)
    assert out.stdout == "[True, True, True, True, True]\n" * 2 + "[True, True, True]\n" * 3, out.stdout + out.stderr[-2000:]
