"""Keras's functions that pad, repeat, pick, choose, count and average: values, types, shapes and errors are those of Keras on JAX."""

from keras_oracle import compare_all, needs_keras

needs_keras()

TYPES = "bool int8 uint8 uint32 float16 bfloat16 float32".split()
# What is called with arrays of each type. v: (5,), w: (3,), x: (3, 4), s: (), e: (0,)
OF_TYPES = """
pad(x, ((1, 2), (0, 1))) | pad(v, (1, 2), constant_values=3) | pad(v, 2, mode="reflect") | pad(x, 1, mode="symmetric") | pad(s, 0)
repeat(x, 2) | repeat(x, 2, axis=-2) | repeat(v, np.array([1, 0, 2, 1, 3]), axis=0) | repeat(s, 3) | repeat(e, 2)
take_along_axis(x, np.array([[0], [1], [3]]), axis=1) | take_along_axis(x, np.array([0, 11, 5, -1])) | take_along_axis(v, [4, 0], axis=-1)
real(x) | imag(x) | angle(x) | real(s) | imag(s) | round(x, 1) | trapezoid(x) | trapezoid(x, axis=0) | trapezoid(v, x=[1, 2, 4, 7, 8])
average(x) | average(x, axis=(0, 1)) | average(x, axis=-1, weights=[1, 2, 3, 4]) | average(v, weights=v, axis=0) | vander(w, 2) | corrcoef(x)
select([v > 1], [v], 3) | select([v > 1], [v], 3.5) | select([v > 1, v > 0], [2, v]) | select([v], [v], 3)
full_like(x, 2) | full_like(x, s) | full_like(x, 1, dtype="int16") | empty_like(x) * 0 | append(x, x, axis=0) | append(x, 3) | append(v, s)
unique(x) | unique(x, return_index=True, return_inverse=True, return_counts=True) | unique(v, size=3) | unique(v, size=8, fill_value=7)
unique(x, size=5, axis=1, return_index=True, return_inverse=True, return_counts=True) | meshgrid(v, w) | meshgrid(v, w, indexing="ij")
"""
OF_PAIRS = "cross(w, w2) | average(v, weights=v2) | trapezoid(v, x=v2) | append(v, w2) | select([v > 1, v2 > 0], [v, v2], 1) | ldexp(v, v2)"
OTHERS = """
pad([1, 2], 1) | pad(3, 1) | pad(np.ones((2, 3)), (-1, 2)) | pad(np.ones((2, 3)), 1.5) | pad(np.ones((2, 3)), 1, mode="nope")
pad(np.ones((2, 3)), 1, mode="reflect", constant_values=1) | pad(np.ones((2, 3)), ((1, 2), (1, 2), (1, 2)))
pad(keras.KerasTensor((None, 3)), ((0, 0), (1, 2))) | repeat([1.5], 2) | repeat(3, 2)
repeat(keras.KerasTensor((2, 3)), 2, axis=1) | take_along_axis(np.ones((2, 3)), [[0.5]], axis=0) | take_along_axis(np.ones((2, 3)), [0, 1], axis=0)
take_along_axis(keras.KerasTensor((2, 3)), keras.KerasTensor((2, 1), dtype="int32"), axis=1) | cross([1, 2, 3], [1.5, 2, 3]) | cross([1, 2], [4, 5])
cross(np.ones((5, 1, 3)), np.ones((4, 3))) | cross([1, 2, 3, 4], [4, 5, 6, 7]) | real(1.5) | imag(2) | angle(-2) | real([1, 2]) | angle(np.array([1j], "complex64"))
round(2.5) | round([0.5, 1.5, 2.5]) | round(np.array([15, 25, 35, -15], "int32"), -1) | round(True) | round(keras.KerasTensor((2, None)))
trapezoid([1, 2, 3]) | average([1, 2]) | average([1, 2], weights=[0, 0]) | average(np.ones((2, 3)), weights=[1, 2])
average(keras.KerasTensor((None, 3), dtype="int8"), axis=0) | select([True], [1], 2) | select([], []) | select([np.array([True])], [])
select([np.array([True, False])], [1.5], 2) | vander(3) | vander([1, 2], -1)
bincount(np.array([1, 2])) | bincount(np.array([1.5, 2])) | bincount(np.array([[1, 2], [0, 2]])) | bincount(np.array([1, 2]), minlength=4)
bincount(np.array([1, 2, 1]), weights=np.array([0.5, 2, 1], "float16")) | unique([3, 1, 3]) | unique([np.nan, 1, np.nan]) | unique([], size=2) | unique(np.zeros((2, 0), "float32"), axis=0)
ldexp([1.5, 2], [1, 2]) | ldexp([1, 2], [1.5, 2]) | append([1, 2], [3.5]) | meshgrid(1, 2) | bartlett(7) | kaiser(7, 2.0)
"""


def _lines(texts):
    return [text.strip() for line in texts.strip().splitlines() for text in line.split(" | ")]


def _given(kind, other="float32"):
    made = {"v": "[3, 0, 1, 5, 2]", "w": "[1, 2, 4]", "x": "[[1, 2, 0, 3], [4, 1, 1, 0], [2, 5, 3, 1]]", "s": "3", "e": "np.zeros(0)"}
    lines = [f"{name} = ops.cast(np.array({value}), '{kind}')" for name, value in made.items()]
    return "\n".join([*lines, *[f"{name}2 = ops.cast(np.array({made[name]}), '{other}')" for name in "vw"], ""])


def test_arrangements_of_each_type(device):
    texts = [_given(kind) + f"ops.{text}" for kind in TYPES for text in _lines(OF_TYPES)]
    compare_all(texts, "test_keras_arrangements", device.kind)


def test_arrangements_of_pairs_of_types(device):
    pairs = [(a, b) for a in TYPES for b in TYPES if TYPES.index(a) <= TYPES.index(b)]
    texts = [_given(a, b) + f"ops.{text}" for a, b in pairs for text in _lines(OF_PAIRS)]
    compare_all(texts, "test_keras_arrangements", device.kind)


def test_arrangements_of_other_arguments(device):
    compare_all([f"ops.{text}" for text in _lines(OTHERS)], "test_keras_arrangements", device.kind)
