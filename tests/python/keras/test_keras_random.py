"""keras.random: faces of the engine's distributions; numbers of a seed, limits, odd arguments."""

import pytest
from keras_oracle import needs_keras
from programs import code

needs_keras()
HEAD = """
import quern.keras, keras, numpy as np
from quern.keras.backend import random as backend
r, ops = keras.random, keras.ops
t = ops.convert_to_tensor
def near(found, wanted):
    np.testing.assert_allclose(np.asarray(found, "float64"), wanted, rtol=2e-6)
"""

PROGRAMS = {
    "numbers of a seed stay as they are": """
near(r.normal((2, 3), seed=3), [[-0.681897342, -0.464078069, 0.904964089], [0.574563026, -0.750618815, -1.320546508]])
near(r.normal((2,), 1.5, 2.0, seed=3), [0.136205316, 0.571843863])
near(r.normal((3,), 1.0, 3.0, "float16", seed=3), [-1.0458984375, -0.392333984375, 3.71484375])
near(r.uniform((3,), -1.0, 3.0, seed=3), [1.380421877, 1.670949221, 0.634079218])
near(r.truncated_normal((3,), seed=3), [0.229547173, 0.412750393, -0.220650658])
near(r.gamma((3,), 2.0, seed=3), [0.884572744, 3.411158323, 1.929431200])
near(r.binomial((5,), 10, 0.3, seed=3), [5, 2, 2, 2, 4])
near(r.beta((4,), 2.0, 3.0, seed=3), [0.364597231, 0.467760026, 0.395304800, 0.315373540])
near(r.randint((6,), 0, 10, seed=3), [5, 6, 4, 0, 6, 6])
near(r.categorical(t([[0.1, 0.9, 0.3], [2.0, 1.0, 0.0]]), 5, seed=3), [[1, 1, 1, 0, 1], [1, 2, 0, 1, 0]])
near(r.dropout(ops.ones((3, 4)), 0.5, seed=3), [[2, 2, 0, 0], [2, 2, 0, 0], [0, 2, 2, 2]])
near(r.shuffle(t(np.arange(8).reshape(4, 2)), seed=3), [[6, 7], [4, 5], [0, 1], [2, 3]])
g = r.SeedGenerator(5)
near(r.normal((2,), seed=g), [-0.179860562, -0.659460545])
near(r.uniform((2,), seed=g), [0.798700333, 0.714480937])
assert np.asarray(g.state.value).tolist() == [5, 2]
keras.utils.set_random_seed(4)
near(r.normal((2,)), [-1.345393896, -1.328338742])
near(r.randint((3,), 0, 9), [2, 1, 6])
""",
    "parameters may be tensors and variables": """
wanted = np.asarray(r.uniform((3,), dtype="float32", seed=3), "float64")
near(backend.uniform((3,), t([0.0, 1.0, 2.0]), keras.Variable(5.0), seed=3), wanted * (5 - np.arange(3)) + np.arange(3))
near(backend.normal((3,), keras.Variable([1.0, 2.0, 3.0]), np.float32(2), seed=3), np.asarray(r.normal((3,), seed=3)) * 2.0 + [1, 2, 3])
near(backend.randint((3,), t([0, 5, 9]), t([3, 9, 20]), seed=3), [1, 7, 13])
near(backend.randint((3,), keras.Variable(0, dtype="int32"), 10, seed=3), [5, 6, 4])
assert backend.truncated_normal((3,), t([1.0, 2.0, 3.0]), 2.0, seed=3).shape == (3,)
assert backend.gamma((3,), keras.Variable([1.0, 2.0, 3.0])).shape == (3,) and backend.binomial((2,), t([5.0, 9.0]), t([0.5, 0.1])).shape == (2,)
""",
    "types and shapes are those that are asked for": """
for name, given in dict(normal=(), uniform=(), truncated_normal=(), gamma=(2.0,), beta=(2.0, 3.0), binomial=(5, 0.5)).items():
    draw = getattr(backend, name)
    for kind in ("float16", "bfloat16", "float32", "float64"):
        for shape in ((), (2, 3), [4], (0, 2)):
            made = draw(shape, *given, dtype=kind)
            assert keras.backend.standardize_dtype(made.dtype) == kind and tuple(made.shape) == tuple(shape), (name, kind, shape)
    assert keras.backend.standardize_dtype(draw((2,), *given).dtype) == "float32"
assert backend.randint((2,), 0, 5, "uint8").dtype == "uint8" and backend.categorical(t([[1.0, 2.0]]), 3, "int32").dtype == "int32"
for kind in ("float16", "bfloat16"):
    assert float(ops.max(r.uniform((200_000,), 1.0, 2.0, kind, seed=1))) < 2
""",
    "dropout": """
x = t(np.arange(1, 13, dtype="float32").reshape(3, 4))
assert backend.dropout(x, 0.0) is x and not np.asarray(backend.dropout(x, 1.0)).any()
made = np.asarray(backend.dropout(x, 0.5, (None, 1), seed=1)) / np.asarray(x)
assert (made == made[:, :1]).all() and set(made.ravel()) <= {0.0, 2.0}
assert backend.dropout(t(np.ones(3, "float16")), 0.25).dtype == "float16"
many = np.asarray(backend.dropout(ops.ones(100_000), 0.3, seed=2))
assert abs((many == 0).mean() - 0.3) < 0.01 and abs(many.mean() - 1) < 0.01
try:
    backend.dropout(x, 0.5, (3,))
except ValueError as error:
    assert "noise_shape" in str(error)
else:
    raise AssertionError
""",
    "truncated and categorical numbers": """
many = np.asarray(r.truncated_normal((100_000,), 1.0, 2.0, seed=1))
assert abs(many - 1).max() <= 4 and abs(many.mean() - 1) < 0.03 and abs(many.std() - 2 * 0.8796) < 0.02
odds = np.log([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-9]])
places = np.asarray(r.categorical(odds, 50_000, seed=1))
for row, wanted in zip(places, np.exp(odds)):
    np.testing.assert_allclose(np.bincount(row, minlength=3) / 50_000, wanted, atol=0.01)
x = t(np.arange(12).reshape(3, 4))
assert sorted(np.asarray(r.shuffle(x, axis=-1))[0].tolist()) == [0, 1, 2, 3]
for wrong in (lambda: r.categorical(t([1.0, 2.0]), 3), lambda: backend.normal((-1,)), lambda: backend.gamma((2,), -1.0), lambda: backend.binomial((2,), 3, 1.5)):
    try:
        wrong()
    except ValueError:
        continue
    raise AssertionError(wrong)
""",
    "erfinv": """
x = np.array([-1.5, -1.0, -0.9, 0.0, 0.3, 1.0, np.nan])
found = np.asarray(ops.erfinv(x.astype("float64")))
np.testing.assert_array_equal(np.isnan(found), [1, 0, 0, 0, 0, 0, 1])
assert found[1] == -np.inf and found[5] == np.inf and found[3] == 0
np.testing.assert_allclose(np.asarray(ops.erf(t(found[[2, 4]]))), [-0.9, 0.3], rtol=1e-14)
assert ops.erfinv(t([0, 1])).dtype == "float32" and ops.erfinv(t(np.float16([0.5]))).dtype == "float16"
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, device):
    done = code(HEAD + PROGRAMS[name] + "\nprint('well')", QUERN_DEVICE=device.kind)
    assert done.stdout.endswith("well\n"), done.stdout + done.stderr
