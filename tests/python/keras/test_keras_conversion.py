"""convert_to_tensor() and cast(): values, types and exceptions are those of Keras on JAX, for all kinds of arguments."""

from keras_oracle import compare_all, needs_keras
from long_runs import part
from programs import code

needs_keras()

VALUES = """3 | -3 | 1.5 | True | 1j | float("nan") | [1, 2] | [1, 2.5] | [True, False] | [True, 2] | [1j, 2] | [] | [[], []] | (1, 2.0)
[[1, 2], [3, 4]] | [float("nan"), float("inf")] | [300] | [-1] | [np.float32(1), np.int8(2)] | [np.ones(2, "float32"), np.zeros(2, "float32")]
np.float32(2.5) | np.bool_(True) | np.ones((2, 3), "float32") | np.arange(6, dtype="int8").reshape(2, 3) | np.ones(2, "complex64") * 1j
np.zeros((0, 3), "float32") | np.ones(3, "float16") | np.arange(3, dtype=">f4") | np.arange(5, dtype="int16")[::-1] | np.asfortranarray(data(2, 3))
memoryview(b"abc") | ops.ones((2, 2)) | ops.arange(3) | ops.ones(2, dtype="bfloat16") | [ops.ones(2), ops.zeros(2)]
[ops.ones(2, dtype="int32"), [1.5, 2]] | [ops.ones(()), 2] | keras.Variable([1.0, 2.0]) | keras.Variable([1, 2], dtype="int32")
[keras.Variable(1.0), 2.0]""".replace("\n", " | ").split(" | ")  # fmt: skip
TYPES = ("float32", "int32", "uint8", "bool", "float16", "bfloat16", "complex64")
# Python's numbers of each kind, and what JAX refuses, too.
WRONG = """convert_to_tensor(2**40) | convert_to_tensor([2**40]) | convert_to_tensor(2**70, "int32") | convert_to_tensor(1, ragged=True)
convert_to_tensor(1, "nope") | convert_to_tensor([[1], [1, 2]]) | convert_to_tensor(None) | convert_to_tensor("abc") | convert_to_tensor(object())
convert_to_tensor({"a": 1}) | convert_to_tensor(keras.KerasTensor((2, 3)))""".replace("\n", " | ").split(" | ")


def test_values_of_all_kinds(device):
    texts = [f"keras.backend.convert_to_tensor({value})" for value in VALUES if "np.arange(5" not in value]
    compare_all(texts, "test_keras_conversion", device.kind)


def test_types_that_are_asked_for(device):
    texts = [f"keras.backend.convert_to_tensor({value}, {name!r})" for value in VALUES for name in TYPES]
    texts += [f"keras.backend.cast({value}, dtype={name!r})" for value in VALUES[::3] for name in TYPES[:3]]
    texts = [text for text in texts if "bfloat16" not in text or "1j" not in text]
    compare_all(part(texts, 150), "test_keras_conversion", device.kind)


def test_what_is_refused(device):
    compare_all([f"raises(lambda: keras.backend.{call})[0]" for call in WRONG], "test_keras_conversion", device.kind)


def test_gradients_pass_through_sequences_and_variables(device):
    texts = [
        "grads(lambda x: keras.backend.convert_to_tensor([x, x * 2, [1.0, 2.0]]), data(2))",
        "grads(lambda x: keras.backend.cast(x, 'float16') * 3, data(2))",
        "grads(lambda x: ops.sum(keras.backend.convert_to_tensor([[x[0], 2.0], [1.0, x[1]]])), data(2))",
    ]
    compare_all(texts, "test_keras_conversion", device.kind)


def test_new_tensors_have_no_part_in_what_they_are_made_of(device):
    text = """
import quern, quern.keras, keras, numpy as np
host = np.ones(3, "float32")
made, mine = keras.ops.convert_to_tensor(host), quern.ones(3)
host[0] = 5
print(made.tolist(), type(keras.ops.convert_to_tensor(mine)).__name__, keras.ops.convert_to_tensor(made) is made)
try:
    keras.ops.convert_to_tensor(1, sparse=True)
except ValueError as e:
    print(e)
"""
    assert code(text, QUERN_DEVICE=device.kind).stdout.splitlines() == [
        "[1.0, 1.0, 1.0] Tensor True",
        "`sparse=True` is not supported with the quern backend",
    ]
