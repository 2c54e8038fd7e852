"""Python's operators on Keras's tensors and variables: types, values and errors are those of Keras on JAX, and no operator writes in place.

A text asks for all pairs of types at once and gives the names of the types of results, or of the errors, with all values in a row.
"""

import pytest
from keras_oracle import compare_all, needs_keras
from long_runs import part
from programs import code

needs_keras()

TYPES = "bool int8 int16 int32 uint8 uint16 uint32 float16 bfloat16 float32".split()  # those that JAX has without its switch for 64 bits
OPERATORS = "+ - * / // % ** == != < <= > >= & | ^ << >>".split()
OF_VARIABLES = [one for one in OPERATORS if one not in ("<<", ">>")]
START = f"""
TYPES = {TYPES}
x, y = [3, 1, 2, 5], [2, 1, 3, 2]
def tensor(values, kind):
    return ops.cast(np.array([v % 2 if kind == "bool" else v for v in values]), kind)
def variable(values, kind):
    return keras.Variable(tensor(values, kind), dtype=kind, trainable=False)
def host(values, kind):
    return np.array([v % 2 if kind == "bool" else v for v in values]).astype(kind)
def number(values, kind):
    return host(values, kind)[0]
def table(apply, lefts, rights):
    names, values = [], []
    for a in lefts:
        for b in rights:
            try:
                r = apply(a, b)
            except Exception as error:
                names.append(type(error).__name__)
                continue
            r = r if isinstance(r, tuple) else (r,)
            names.append(" ".join(str(keras.backend.standardize_dtype(one.dtype)) for one in r))
            values += [np.ravel(ops.convert_to_numpy(one)).astype("complex64") for one in r]
    return [names, np.concatenate(values) if values else 0]
with_ones = [1, 1, 1, 1]  # bools that may divide
"""


def texts(operators, left, right):
    """A text for each operator; ``left`` and ``right``: what is made of the operands' values."""
    out = []
    for one in operators:
        expression = one if "a" in one else f"a {one} b"
        divisors = "with_ones if kind == 'bool' else y" if one in ("/", "//", "%", "divmod(a, b)") else "y"
        lefts, rights = left.replace("VALUES", "x"), right.replace("VALUES", divisors)
        out.append(f"{START}table(lambda a, b: {expression}, {lefts}, {rights})")
    return out


def each(make, kinds="TYPES"):
    return f"[{make}(VALUES, kind) for kind in {kinds}]"


def compare(texts, device):
    compare_all(part(texts, 6), "test_keras_operators", device.kind, rtol=2e-2)  # roundings of quotients and powers in 16 bits


def test_of_two_tensors(device):
    compare(texts([*OPERATORS, "divmod(a, b)", "@"], each("tensor"), each("tensor")), device)


@pytest.mark.parametrize("order", ["right", "left"])
def test_of_a_tensor_and_a_number(device, order):
    numbers = "[True, 3, 1.5, 2j]"
    compare(texts([*OPERATORS, "divmod(a, b)"], *((each("tensor"), numbers) if order == "right" else (numbers, each("tensor")))), device)


@pytest.mark.parametrize("order", ["right", "left", "both", "number", "number on the left"])
def test_of_variables(device, order):
    sides = {
        "right": (each("tensor"), each("variable")),
        "left": (each("variable"), each("tensor")),
        "both": (each("variable"), each("variable")),
        "number": (each("variable"), "[3, 1.5]"),
        "number on the left": ("[3, 1.5]", each("variable")),
    }[order]
    compare(texts([*OF_VARIABLES, "@"] if order in ("right", "left", "both") else OF_VARIABLES, *sides), device)


HOST = "[*TYPES[:8], 'float32', 'int64', 'uint64', 'float64']"


@pytest.mark.parametrize("make", ["host", "number"])
def test_of_a_tensor_and_what_is_numpys(device, make):
    """Of 64 bits it counts as of 32."""
    right = texts([*OPERATORS, "divmod(a, b)"], each("tensor"), each(make, HOST))
    left = texts([*OPERATORS, "divmod(a, b)"], each(make, HOST), each("tensor"))
    if make == "host":
        right += texts(["@"], each("tensor"), each(make, HOST))
        left += texts(["@"], each(make, HOST), each("tensor"))
    compare(right + left, device)


def test_of_one_tensor(device):
    apply = ["-a", "+a", "abs(a)", "~a"]
    compare(texts([f"({one})" for one in apply], each("tensor"), "[0]") + texts([f"({one})" for one in apply], each("variable"), "[0]"), device)


def test_numbers_that_do_not_fit(device):
    """Integers go round where a type of up to 32 bits has no room for them; integers have no negative powers."""
    given = [
        *(f'ops.cast(np.array([1, 2, 200]), "{kind}") {one}' for kind in ("uint8", "int8", "uint16") for one in ("+ 300", "- 1000", "* -3", "& 511")),
        *(f'300 - ops.cast(np.array([1, 2, 3]), "{kind}")' for kind in ("uint8", "int8")),
        'ops.cast(np.array([1, 2, 200]), "uint8") == -1',
        'ops.cast(np.array([1, 2, 200]), "uint8") != 300',
        *(f'ops.cast(np.array([1, 3, 5, 6, 200]), "{kind}") ** 300' for kind in ("uint8", "int8", "int32", "uint32", "float32")),
        'raises(lambda: ops.cast(np.array([1, 2]), "int32") + 2**40)[0]',
        'raises(lambda: ops.cast(np.array([1, 2]), "int32") ** -1)[0]',
        'raises(lambda: ops.cast(np.array([1, 0]), "bool") ** -2)[0]',
        'raises(lambda: keras.Variable(np.array([1, 2]), dtype="int32") ** -1)[0]',
        'ops.cast(np.array([1, 2]), "float16") ** -1',
        'ops.cast(np.array([1, 2]), "int32") ** 2.0',
        'ops.cast(np.array([1, 4]), "int32") ** 0.5',
    ]
    compare(given, device)


def test_types_of_64_bits(device):
    """JAX has none without its switch; Keras's table of pairs says what they are with others, but for their width, which they keep."""
    done = code(
        """
import quern.keras, keras, operator
from keras import ops
kinds = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()
narrow = {"int64": "int32", "uint64": "uint32", "float64": "float32"}
made = {kind: ops.ones(2, kind) for kind in kinds}
variables = {kind: keras.Variable(made[kind], dtype=kind, trainable=False) for kind in kinds}
for a in kinds:
    for b in kinds:
        if not {a, b} & set(narrow):
            continue
        for apply in (operator.add, operator.mul, operator.sub, operator.floordiv, operator.mod, operator.pow):
            got = str(apply(made[a], made[b]).dtype)
            want = keras.backend.result_type(a, b)
            assert narrow.get(got, got) == want, (apply, a, b, got, want)
            wide = a if a in narrow and "bool" in b or a == b else got
            assert got == wide, (apply, a, b, got)
            other = apply(variables[a], made[b])
            assert str(other.dtype) == want, (apply, a, b, other.dtype)
        quotient = str((made[a] / made[b]).dtype)
        want = keras.backend.result_type(a, b, float)
        assert narrow.get(quotient, quotient) == want, (a, b, quotient, want)
        assert str((made[a] < made[b]).dtype) == "bool"
for kind in ("int64", "uint64"):
    assert str((made[kind] * 1.5).dtype) == str((made[kind] / 2).dtype) == str((made[kind] / made[kind]).dtype) == "float32"
    assert str((made[kind] * 3).dtype) == str((made[kind] + made["int32" if kind == "int64" else "uint32"]).dtype) == kind
assert str((made["float64"] * 1.5).dtype) == str((made["float64"] * made["float32"]).dtype) == str((made["float64"] * made["int64"]).dtype) == "float64"
assert str((made["float64"] * 2j).dtype) == "complex128" and str((made["float32"] * 2j).dtype) == "complex64"
print("fine")
""",

        QUERN_DEVICE=device.kind,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "fine"


def test_in_place_operators_give_another_tensor(device):
    operators = "+= -= *= /= //= %= **= &= |= ^= <<= >>=".split()
    lines = ["made = []"]
    for kind in ("int32", "float32", "uint8"):
        for one in operators:
            if kind == "float32" and one in ("&=", "|=", "^=", "<<=", ">>="):
                continue
            for other in (2, "ops.cast(2, 'int32')", "np.array([1, 2, 1])") if kind == "int32" else (2, "ops.cast([1, 2, 1], 'int32')"):
                lines += [f"x = y = ops.cast(np.array([4, 5, 6]), '{kind}')", f"y {one} {other}", "made += [x, y]"]
    lines += [
        "x = y = ops.ones((2, 2))\ny @= np.array([[1, 2], [3, 4]])\nmade += [x, y]",
        "x = y = ops.sum(ops.ones(3))\ny += 1\nmade += [x, y]",  # without axes
        "x = ops.zeros((3, 2))\ny = x[1]\ny += 5\nmade += [x, y]",  # a part
        "v = keras.Variable(np.array([1.0, 2.0]), dtype='float32')\nx = v.value\nx *= 3\nmade += [v.value, x]",
        "v = w = keras.Variable(np.array([1.0, 2.0]), dtype='float32')\nw += np.array([1, 2])\nmade += [v.value, w]",
        "v = keras.Variable(np.array([1.0, 2.0]), dtype='float32')\nx = y = ops.cast([1, 2], 'int32')\ny *= v\nmade += [x, y]",
        "y = ops.ones(3)\nfor x in (y, y.T):\n    x -= 0.5\nmade += [x, y]",
    ]
    compare(["\n".join([*lines, "made"])], device)


def test_items_can_be_assigned_to_and_comparisons_are_exact(device):
    done = code(
        """
import quern.keras, keras
from keras import ops
x = ops.cast([1, 2, 200], "uint8")
print((x < 300).tolist(), (x > -1).tolist())  # exact, where JAX takes these numbers as 44 and 255
x = ops.zeros((3, 2))
y = x[1]
x[1] = 2
x[0, 0] += 3
print(x.tolist(), y.tolist(), type(x) is type(ops.ones(1)))
""",

        QUERN_DEVICE=device.kind,
    )
    assert done.stdout.splitlines() == ["[True, True, True] [True, True, True]", "[[3.0, 0.0], [2.0, 2.0], [0.0, 0.0]] [2.0, 2.0] True"], done.stderr[-2000:]


MIXED = """
seen = []
def note(x):
    seen.append(keras.backend.standardize_dtype(x.dtype))
    return x
class Shifted(layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1],), initializer="ones")
        self.step = self.add_weight(shape=(), initializer="ones", dtype="int32", trainable=False)
    def call(self, x):
        before = x
        x += self.step
        x *= self.w / 2
        x = note(2 - x) + before
        return note(x - ops.arange(4) / 4)
def loss(y, p):
    y = ops.cast(y, "int32")
    margin = (2 * y - 1) * p
    total = note(ops.maximum(1 - margin, 0) ** 2 / 2)
    total += (y == 1) * ops.abs(p) / 10
    return note(total)
class Hits(keras.metrics.Metric):
    def __init__(self, **options):
        super().__init__(**options)
        self.hits = self.add_variable((), "zeros", dtype="int32")
        self.count = self.add_variable((), "zeros", dtype="int32")
    def update_state(self, y, p, sample_weight=None):
        self.hits.assign(self.hits + ops.sum(ops.cast((p > 0) == (ops.cast(y, "int32") == 1), "int32")))
        self.count.assign_add(ops.size(y) + 0 * ops.cast(ops.sum(y), "int32"))
    def result(self):
        return note(self.hits / self.count)
x, y = data(48, 4), (data(48, 4)[:, :1] > 0).astype("int32")
m = keras.Sequential([keras.Input((4,)), Shifted(), named(layers.Dense(1))])
m.layers[1].build((None, 4)) if not m.layers[1].built else None
named(m.layers[1])
m.compile(keras.optimizers.SGD(0.05), loss, metrics=[Hits()], OPTIONS)
h = m.fit(x, y, batch_size=16, epochs=4, shuffle=False, verbose=0)
[{k: np.array(v, "float32") for k, v in sorted(h.history.items())}, m.get_weights(), m.evaluate(x, y, verbose=0), sorted(set(seen))]
"""


def test_steps_that_mix_types(device):
    """Layers, losses and metrics of a program's own, of integers and reals: recorded steps, plain ones and JAX's are the same."""
    compare_all([MIXED.replace("OPTIONS", one) for one in ("jit_compile=True", "jit_compile=False")], "test_keras_operators", device.kind, rtol=1e-4)
    done = code(
        """
import quern.keras, keras, numpy as np
from keras import layers, ops
from quern.autograd import no_grad
from quern.keras.backend.core import gradients
class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense, self.seen, self.loss_value = layers.Dense(3, kernel_initializer="ones"), set(), keras.metrics.Mean("loss")
    def call(self, x):
        return self.dense(x)
    def train_step(self, data):
        x, y = data
        logits = self(x, training=True)
        chosen = (ops.arange(3) == ops.reshape(y, (-1, 1))) * logits
        loss = ops.sum(logits * logits / 2 - chosen * y.shape[0] / 4) / ops.size(y)
        loss += ops.sum(y) / 1000
        total = loss
        total *= 2
        self.seen |= {str(one.dtype) for one in (chosen, loss, total)}
        slopes = gradients(loss, self.trainable_weights)
        with no_grad():
            self.optimizer.apply(slopes, self.trainable_weights)
            self.loss_value.update_state(loss)
        return {"loss": self.loss_value.result(), "total": total}
def run(**options):
    m = Model()
    m.compile("sgd", **options)
    x = np.random.default_rng(0).random((32, 4), "float32")
    y = np.random.default_rng(1).integers(0, 3, 32).astype("int32")
    h = m.fit(x, y, batch_size=8, epochs=4, shuffle=False, verbose=0)
    kinds = [type(v).__name__ for p in m.__dict__.get("_programs", {}).values() for v in p.programs.values()]
    return h.history, m.get_weights(), m.seen, kinds
recorded, plain = run(jit_compile=True), run(jit_compile=False)
print(recorded[3], plain[3], plain[2] | recorded[2], recorded[0] == plain[0], all(np.array_equal(a, b) for a, b in zip(recorded[1], plain[1])))
""",
        QUERN_DEVICE=device.kind,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip() == "['tuple'] [] {'float32'} True True"


def test_recorded_operators(device):
    """Whatever stands on the left of a recorded tensor, in place or not, the program computes it anew."""
    done = code(
        """
import quern.keras, keras, numpy as np, quern as qn
from keras import ops
from quern.keras.backend import recording
v = keras.Variable(2.0)
def step(x, n):
    total = ops.zeros(())
    total += ops.sum(x)
    total -= n
    part = np.array([1.0, 2.0]) * x
    part **= 2
    part = part + np.float64(2) / x + ops.ones(2) % n + v * n
    part @= np.ones((2, 2))
    quotient, rest = divmod(n, np.array([2, 3]))
    more = divmod(ops.convert_to_tensor([7, 8]), n)
    mask = (np.array([1, 4]) < x) | (qn.ones(2) == x) & (x > 1)
    return total, part, quotient, rest, *more, mask, (1 - x) / n, n // 2 * x, -n * v
def arguments(k):
    return [ops.convert_to_tensor(np.array([k, k + 1.5], "float32")), ops.convert_to_tensor(np.int32(k + 1))]
with recording.Recorder(arguments(1)) as recorder:
    outputs = step(*recorder.inputs)
assert recorder.failed is None, recorder.failed
run = recording.program(recorder, [x.slot for x in outputs])
for k in (1, 4):
    for a, b in zip(run(arguments(k)), step(*arguments(k)), strict=True):
        assert type(a) is type(b) and a.dtype == b.dtype and np.allclose(a.get(), b.get()), (k, a, b)
print([str(one.dtype) for one in step(*arguments(1))])
""",
        QUERN_DEVICE=device.kind,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    kinds = "float32 float32 int32 int32 int32 int32 bool float32 float32 float32".split()
    assert done.stdout.strip() == str(kinds)


def test_gradients_through_unlike_types(device):
    calls = """x * n | n * x | x / n | n / x | x - n | x ** n | n ** x | (x @ ops.reshape(n, (4, 1)))[0] | x * 2 | 3 / x | x // n | x % n | x * h | h * x
    np.arange(4.0) * x | x ** 2 | x ** np.array([1, 2, 3, 0]) | (x > n) * x | abs(-x) | x * (n / 3) | x ** (n / 2) | divmod(x, n)[1] | h ** 2 * n"""
    texts = [
        f"n = ops.convert_to_tensor(np.array([2, 1, 3, 1]))\ngrads(lambda x, h: ops.sum({call}), data(4) + 2, (data(4, seed=1) + 2).astype('float16'))"
        for call in calls.replace("\n", " | ").split(" | ")
    ]
    compare(texts, device)


def test_a_tensor_is_an_array_of_quern(device):
    """What makes one of another, and how it is shown, copied, sent and read."""
    done = code(
        """
import copy, pickle
import quern.keras, keras, numpy as np, quern as qn
from keras import ops
Tensor = type(ops.ones(1))
x = ops.convert_to_tensor(np.arange(6, dtype="float32").reshape(2, 3))
same = [x, x[0], x[0, 0], x.T, x[x > 1], x.sum(), x.astype("int32"), x.copy(), x.reshape(-1), next(iter(x)), copy.copy(x), copy.deepcopy(x)]
same += [pickle.loads(pickle.dumps(x)), ops.convert_to_tensor(qn.ones(3)), qn.ones(3) * x, x * qn.ones(3), np.ones(3) * x, -x, x @ x.T, 1 - x, x == 1]
same += [ops.zeros(2), ops.full((2,), 3), ops.arange(3), ops.eye(2), ops.linspace(0, 1, 3), ops.convert_to_tensor([1, 2]), ops.convert_to_tensor(1.5)]
same += [keras.random.normal((2,)), keras.random.uniform((2,)), keras.random.randint((2,), 0, 5), keras.Variable(1.0).value, keras.Variable(x).value]
same += [*ops.unstack(x), *divmod(x, 2), keras.random.gamma((2,), 1.0), keras.random.shuffle(x), keras.random.categorical(x, 2), keras.random.dropout(x, 0.5)]
same += [pickle.loads(pickle.dumps(ops.cast(x, "bfloat16"))), np.exp(x), np.float64(2) * x, keras.initializers.Orthogonal()((2, 2))]
print([i for i, one in enumerate(same) if type(one) is not Tensor])
print(isinstance(x, qn.ndarray), ops.is_tensor(x), ops.is_tensor(qn.ones(2)), repr(x.sum()), np.asarray(x).dtype, float(x.sum()), x.tolist()[1], len(x))
y = qn.ones(3)
z = ops.convert_to_tensor(y)
y[0] = 5
print(z.tolist(), pickle.loads(pickle.dumps(x)).tolist() == x.tolist(), f"{ops.sum(x):.1f}", [i for i in ops.arange(2)])
from quern.autograd import gradients, requires_grad
y = requires_grad(qn.ones(3))
(slope,) = gradients((ops.convert_to_tensor(y) * ops.arange(3)).sum(), [y])
print(slope.tolist())
a = np.ones(3)
a += x[1]
print(a.tolist(), np.multiply(x[1], np.ones(3)).dtype, qn.multiply(x, ops.cast(1, "int32")).dtype)
""",

        QUERN_DEVICE=device.kind,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "[]",
        "True True True array(15., dtype=float32) float32 15.0 [3.0, 4.0, 5.0] 3"[:-1] + "2",
        "[5.0, 1.0, 1.0] True 15.0 [array(0, dtype=int32), array(1, dtype=int32)]",
        "[0.0, 1.0, 2.0]",
        "[4.0, 5.0, 6.0] float64 float64",
    ]
