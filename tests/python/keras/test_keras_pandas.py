"""Tables and columns of pandas as data of models on quern's Keras backend give what the same numbers in arrays give."""

import importlib.util
import textwrap

import pytest
from keras_oracle import needs_keras
from programs import code

needs_keras()

HAVE_PANDAS = importlib.util.find_spec("pandas") is not None
# Where pandas is not installed: what Keras and the backend ask of it.
STAND_IN = """
import numpy as np

class _Rows:
    def __init__(self, table):
        self.table = table

    def __getitem__(self, place):
        return type(self.table)([column[place] for column in self.table.parts], self.table.names)

class DataFrame:
    ndim = 2

    def __init__(self, parts, names=None):
        self.names = list(parts) if isinstance(parts, dict) else names
        self.parts = [np.asarray(one) for one in (parts.values() if isinstance(parts, dict) else parts)]

    columns = property(lambda self: self.names)
    iloc = property(_Rows)
    shape = property(lambda self: (len(self.parts[0]), len(self.parts)))

    @property
    def dtypes(self):
        made = np.empty(len(self.parts), object)
        made[:] = [one.dtype for one in self.parts]
        return Series(made)

    def __len__(self):
        return len(self.parts[0])

    def __getitem__(self, name):
        return _Rows(self)[name] if isinstance(name, slice) else Series(self.parts[self.names.index(name)])

    def astype(self, kind):
        return type(self)([one.astype(kind) for one in self.parts], self.names)

    def to_numpy(self, dtype=None):
        kinds = {one.dtype.kind == "b" for one in self.parts}
        return np.stack([one.astype(object) for one in self.parts] if len(kinds) > 1 else self.parts, axis=1)

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy() if dtype is None else self.to_numpy().astype(dtype)

class Series(DataFrame):
    ndim = 1

    def __init__(self, parts, names=None):
        super().__init__(parts if isinstance(parts, list) else [parts], [None])

    values = property(lambda self: self.parts[0])
    dtype = property(lambda self: self.parts[0].dtype)
    shape = property(lambda self: self.parts[0].shape)

    def __iter__(self):
        return iter(self.parts[0])

    def to_numpy(self, dtype=None):
        return self.parts[0]
"""
BEGIN = """
import quern.keras, keras, numpy as np, pandas as pd
draw = np.random.default_rng(0)
X, w = draw.normal(size=(50, 3)), draw.uniform(0.5, 2, 50)
y = X.sum(1)
def table(x, names="abc"):
    return pd.DataFrame({name: column for name, column in zip(names, x.T)})
def model(count=3):
    keras.utils.set_random_seed(1)
    made = keras.Sequential([keras.Input((count,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    made.compile("sgd", "mse", metrics=["mae"])
    return made
def same(what, tables, arrays, **options):
    found = []
    for x, target, more in (tables, arrays):
        m = model()
        history = m.fit(x, target, epochs=2, batch_size=16, verbose=0, **more, **options).history
        last = x[:4]
        found.append([*history.values(), m.evaluate(x, target, verbose=0, batch_size=16), m.predict(x, verbose=0, batch_size=16),
                      m.train_on_batch(last, target[:4]), m.test_on_batch(last, target[:4]), m.predict_on_batch(last)])
    assert len(found[0]) == len(found[1])
    for ours, theirs in zip(*found):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=what)
Y = y[:, None]
"""


def run(text, tmp_path, kind):
    begin = ""
    if not HAVE_PANDAS:
        (tmp_path / "pandas.py").write_text(STAND_IN)
        begin = f"import sys; sys.path.insert(0, {str(tmp_path)!r})"
    done = code(begin + BEGIN + textwrap.dedent(text) + "\nprint('well')", QUERN_DEVICE=kind)
    assert done.stdout.endswith("well\n"), done.stdout + done.stderr


def test_tables(device, tmp_path):
    text = """
    column = pd.Series(y)
    same("a column as target", (table(X), column, {}), (X, Y, {}))
    same("a table as target", (table(X), table(Y, "t"), {}), (X, Y, {}))
    same("the last rows held back", (table(X), column, {}), (X, Y, {}), validation_split=0.2)
    same("in order", (table(X), column, {}), (X, Y, {}), shuffle=False)
    same("data to validate with", (table(X), column, {"validation_data": (table(X), column)}), (X, Y, {"validation_data": (X, Y)}))
    same("weights", (table(X), column, {"sample_weight": pd.Series(w)}), (X, Y, {"sample_weight": w[:, None]}))
    whole = (X * 10).astype("int64")
    same("integers", (table(whole), column, {}), (whole, Y, {}))
    mixed = {"a": X[:, 0].astype("float32"), "b": whole[:, 1], "c": X[:, 2] > 0}
    same("types that have none in common", (pd.DataFrame(mixed), column, {}), (np.stack(list(mixed.values()), 1).astype("float32"), Y, {}))
    inputs = {name: keras.Input((1,), name=name) for name in "ab"}
    keras.utils.set_random_seed(1)
    both = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Concatenate()(list(inputs.values()))))
    given = both.predict({name: table(X)[name] for name in "ab"}, verbose=0)
    np.testing.assert_allclose(given, both.predict({"a": X[:, 0], "b": X[:, 1]}, verbose=0), rtol=1e-6)
    """
    run(text, tmp_path, device.kind)


@pytest.mark.skipif(not HAVE_PANDAS, reason="pandas is not installed")
def test_types_of_pandas(device, tmp_path):
    text = """
    own = pd.DataFrame({"a": pd.array([1.5, None, 2], dtype="Float64"), "b": pd.array([1, 2, None], dtype="Int64"), "c": [True, False, True]})
    m = model()
    want = m.predict(np.array([[1.5, 1, 1], [np.nan, 2, 0], [2, np.nan, 1]], "float32"), verbose=0)
    np.testing.assert_allclose(m.predict(own, verbose=0), want, rtol=1e-6)
    turned = table(X).sample(frac=1, random_state=0)
    same("rows in another order", (turned, pd.Series(y), {}), (turned.to_numpy(), Y, {}))
    try:
        m.fit(table(X).assign(c=["q"] * 50), pd.Series(y), verbose=0)
    except ValueError as error:
        assert "'q'" in str(error)
    else:
        raise AssertionError("words are no numbers")
    """
    run(text, tmp_path, device.kind)
