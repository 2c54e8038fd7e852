"""What tests of quern.keras share: Keras on JAX is the oracle. A case is a program text, run with Keras on quern's backend and on JAX's.

The last line of a text is an expression; its values are compared: structure, types, shapes, numbers. Names in a text: keras, ops, layers,
np; ``data(*shape)``, numbers between -1 and 1, the same for the same call; ``grads(f, *arrays)``, the gradients of the sum of f's results;
``named(layer)``, the layer with weights that do not depend on the backend; ``raises(callable)``. An exception that leaves a text is a value,
too. ``...`` as the value of a text asks for nothing but that it runs.

Each backend runs in a process of its own, whose program this file is; it answers all tests of a worker. Where QUERN_KERAS_PYTHON names no Python that has Keras and JAX, the
answers that it once gave stand for it: tests/python/data/keras_answers/, a file for each test module, by the texts' hashes. A text that has
none fails. With QUERN_RENEW_KERAS=1 the tests that run write JAX's answers to these files.
"""

import ast
import atexit
import gzip
import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
import textwrap
import zlib

import numpy as np
from places import DATA

FOLDER = str(DATA / "keras_answers")
TOLERANCES = {
    "float16": (2e-3, 1e-3),
    "bfloat16": (2e-2, 1e-2),
    "float32": (2e-5, 2e-6),
    "float64": (1e-6, 1e-7),
    "complex64": (2e-5, 1e-5),
}


# ---- for tests


def needs_keras():
    """Skips the module where Keras is not installed."""
    import importlib.util

    import pytest

    if importlib.util.find_spec("keras") is None:
        pytest.skip("Keras is not installed", allow_module_level=True)


def compare_all(texts, module, device="cpu", rtol=None, atol=None):
    """Runs texts on both backends; AssertionError that names each text whose results differ."""
    texts = [textwrap.dedent(text).strip() for text in texts]
    ours = answers(texts, "quern", sys.executable, device)
    theirs = expected(texts, module)
    failures = []
    for text, got, want in zip(texts, ours, theirs, strict=True):
        problem = difference(got, want, rtol, atol)
        if problem:
            failures.append(f"{text}\n{textwrap.indent(problem, '    ')}")
    if failures:
        raise AssertionError(f"{len(failures)} of {len(texts)} differ from JAX's:\n\n" + "\n\n".join(failures))


def expected(texts, module):
    """JAX's values for texts: asked for where there is one, else those that are kept."""
    other = os.environ.get("QUERN_KERAS_PYTHON")
    path = os.path.join(FOLDER, module + ".json.gz")
    kept = {}
    if os.path.exists(path):
        with gzip.open(path, "rt") as file:
            kept = json.load(file)
    if other and os.path.exists(other):
        found = answers(texts, "jax", other)
        if os.environ.get("QUERN_RENEW_KERAS"):
            kept |= {_hash(text): _encoded(value) for text, value in zip(texts, found, strict=True)}
            os.makedirs(FOLDER, exist_ok=True)
            with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
                file.write(json.dumps(kept, sort_keys=True).encode())
        return found
    missing = [text for text in texts if _hash(text) not in kept]
    if missing:
        raise AssertionError(f"{path} has no answer for {len(missing)} texts, the first is:\n{missing[0]}")
    return [_decoded(kept[_hash(text)]) for text in texts]


def answers(texts, backend, python, device="cpu"):
    """The values of texts, from a process with that backend."""
    key = backend, python, device
    if key not in _others or _others[key].poll() is not None:
        _others[key] = _started(backend, python, device)
    other = _others[key]
    try:
        pickle.dump(texts, other.stdin)
        other.stdin.flush()
        return pickle.load(other.stdout)
    except (OSError, EOFError, pickle.UnpicklingError):
        other.kill()
        raise AssertionError(f"the process with {backend} ended with {other.wait()}:\n{_said(other)}") from None


_others = {}  # the processes that answer, by backend, Python and device: importing Keras takes longer than most texts


def _started(backend, python, device):
    from programs import environment

    env = environment(
        KERAS_BACKEND=backend, QUERN_DEVICE=device, CUDA_VISIBLE_DEVICES="" if backend == "jax" else None, JAX_PLATFORMS="cpu"
    )
    if backend != "quern":
        env.pop("PYTHONPATH", None)
    if device != "cpu" and "CUDA_VISIBLE_DEVICES" in os.environ:
        env["CUDA_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
    said = tempfile.TemporaryFile()
    other = subprocess.Popen(
        [python, os.path.abspath(__file__), backend], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, env=env
    )
    other.said = said
    atexit.register(other.kill)
    return other


def _said(other):
    other.said.seek(0)
    return other.said.read().decode()[-4000:]


def _hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _encoded(value):
    import base64

    if isinstance(value, tuple):
        return {"t": [_encoded(one) for one in value]}
    if isinstance(value, bytes):
        return {"b": base64.b64encode(zlib.compress(value, 9)).decode()}
    if isinstance(value, float):
        return {"f": repr(value)}
    return value


def _decoded(value):
    import base64

    if isinstance(value, dict):
        if "t" in value:
            return tuple(_decoded(one) for one in value["t"])
        return zlib.decompress(base64.b64decode(value["b"])) if "b" in value else float(value["f"])
    return value


# ---- the comparison


def difference(got, want, rtol=None, atol=None, where="the value"):
    """What differs, in words; None if nothing does."""
    if want == ("anything",) or got == ("anything",):
        return f"{where}: {got}" if got[0] == "raised" else None
    if got[0] != want[0]:
        return f"{where}: {_words(got)}, but JAX's {_words(want)}"
    if got[0] == "raised":
        return None if got[1] == want[1] else f"{where}: raises {got[1:]}, but JAX's {want[1:]}"
    if got[0] in ("list", "tuple", "dict"):
        if got[1] != want[1] or len(got[2]) != len(want[2]):
            return f"{where}: {_words(got)}, but JAX's {_words(want)}"
        for i, (a, b) in enumerate(zip(got[2], want[2], strict=True)):
            problem = difference(a, b, rtol, atol, f"{where}[{i}]")
            if problem:
                return problem
        return None
    if got[0] == "array":
        return _arrays_differ(got, want, rtol, atol, where)
    return None if got == want else f"{where}: {_words(got)}, but JAX's {_words(want)}"


def _arrays_differ(got, want, rtol, atol, where):
    _, dtype, shape, data = got
    _, other, other_shape, other_data = want
    if dtype != other or shape != other_shape:
        return f"{where}: {dtype}{list(shape)}, but JAX's {other}{list(other_shape)}"
    a, b = (np.frombuffer(one, _plain(dtype)).reshape(shape) for one in (data, other_data))
    if dtype == "bfloat16":
        a, b = ((one.astype(np.uint32) << 16).view(np.float32) for one in (a, b))
    if a.dtype.kind not in "fc":
        return None if np.array_equal(a, b) else f"{where}: {a.tolist()}, but JAX's {b.tolist()}"
    r, t = TOLERANCES[dtype]
    r, t = r if rtol is None else rtol, t if atol is None else atol
    with np.errstate(all="ignore"):
        if np.allclose(a, b, r, t, equal_nan=True):
            return None
        worst = np.nanmax(np.abs(a - b)) if a.size else 0
    return f"{where}: up to {worst:g} apart: {np.array2string(a.ravel()[:8])}, but JAX's {np.array2string(b.ravel()[:8])}"


def _plain(dtype):
    return "uint16" if dtype == "bfloat16" else dtype


def _words(value):
    if value[0] == "array":
        return f"{value[1]}{list(value[2])}"
    return str(value)[:300]


# ---- the other process


def main():
    backend = sys.argv[1]
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    import warnings

    warnings.simplefilter("ignore")
    if backend == "quern":
        import quern.keras  # noqa: F401
    import keras

    while True:
        try:
            texts = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump([_run(text, keras, backend) for text in texts], out)
        out.flush()


def _run(text, keras, backend):
    tree = ast.parse(text)
    last = ast.Expression(tree.body.pop().value)
    names = {"keras": keras, "ops": keras.ops, "layers": keras.layers, "np": np, "data": _data, "raises": _raises, "__name__": "text"}
    names["grads"] = lambda f, *arrays: _gradients(f, arrays, keras, backend)
    names["named"] = lambda layer: _named(layer, keras)
    try:
        with np.errstate(all="ignore"):
            keras.backend.clear_session()
            keras.utils.set_random_seed(1)
            exec(compile(tree, "<text>", "exec"), names)
            return _value(eval(compile(last, "<text>", "eval"), names), keras)
    except Exception as error:
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        return ("raised", type(error).__name__, str(error)[:400], f"{os.path.basename(place.filename)}:{place.lineno}")
    finally:
        keras.config.set_dtype_policy("float32")
        keras.config.set_floatx("float32")


def _value(value, keras):
    if value is ...:
        return ("anything",)
    if keras.ops.is_tensor(value) and type(value) is not type(keras.ops.ones(())) and keras.backend.backend() == "quern":
        return ("object", "an array that is no tensor of Keras's")
    if isinstance(value, keras.Variable) or keras.ops.is_tensor(value):
        value = keras.ops.convert_to_numpy(value)
    if isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value)
        name = value.dtype.name
        if name == "bfloat16":
            value = value.view(np.uint16)
        return ("array", name, tuple(value.shape), np.ascontiguousarray(value).tobytes())
    if isinstance(value, keras.KerasTensor):
        return ("symbolic", value.dtype, tuple(value.shape))
    if isinstance(value, dict):
        return ("dict", tuple(map(str, value)), tuple(_value(one, keras) for one in value.values()))
    if isinstance(value, (list, tuple)):
        return ("list", "", tuple(_value(one, keras) for one in value))
    if isinstance(value, float):
        return _value(np.float32(value), keras)
    if value is None or isinstance(value, (bool, int, str, bytes)):
        return ("plain", value)
    return ("object", type(value).__name__)


def _data(*shape, low=-1.0, high=1.0, seed=0, dtype="float32"):
    made = np.random.default_rng((zlib.crc32(repr((shape, seed)).encode()),)).uniform(low, high, shape)
    return np.asarray(made).astype(dtype)


def _raises(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error).split("Arguments received")[0]]
    return "nothing is raised"


def _gradients(f, arrays, keras, backend):
    """The gradients of the sum of f's results with respect to arrays."""

    def total(*xs):
        made = f(*xs)
        parts = keras.tree.flatten(made)
        return sum(
            keras.ops.sum(keras.ops.cast(p, "float32") * (i + 1))
            for i, p in enumerate(parts)
            if "float" in keras.backend.standardize_dtype(p.dtype)
        )

    if backend == "jax":
        import jax

        return list(jax.grad(total, tuple(range(len(arrays))))(*[keras.ops.convert_to_tensor(a) for a in arrays]))
    from quern.autograd import gradients, requires_grad

    xs = [requires_grad(keras.ops.copy(keras.ops.convert_to_tensor(a))) for a in arrays]
    found = gradients(total(*xs), xs, allow_unused=True)
    return [keras.ops.zeros_like(x) if g is None else g for x, g in zip(xs, found, strict=True)]


def _named(layer, keras):
    """The layer with weights made from their shapes and their order; moving means and variances stay."""
    for i, v in enumerate(layer.weights):
        if "seed" not in v.path and "moving" not in v.path and "float" in v.dtype:
            v.assign(_data(*v.shape, seed=i + 1, low=-0.7, high=0.7))
    return layer


if __name__ == "__main__":
    main()
