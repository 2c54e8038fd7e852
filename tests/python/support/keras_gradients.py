"""What test_keras_gradients.py runs with Keras on quern's backend: derivatives by autograd, compared with central differences, in float64.

It is a program of its own, for importing quern.keras chooses the backend of a whole process. The first argument is a call, the texts come
on standard input: "slopes" gives for each text None or what is wrong with it, "names" the public functions of modules and which are stand-ins.
"""

import ast
import importlib
import inspect
import os
import pickle
import subprocess
import sys
import traceback

import numpy as np

MODULES = ("numpy", "nn", "math", "core", "image", "linalg", "random")


def asked(call, texts=(), device="cpu"):
    """What such a process answers."""
    from programs import environment

    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), call],
        input=pickle.dumps(list(texts)),
        capture_output=True,
        env=environment(QUERN_DEVICE=device, KERAS_BACKEND=None),
        timeout=900,
    )
    if done.returncode:
        raise AssertionError(f"the process failed:\n{done.stderr.decode()[-4000:]}")
    return pickle.loads(done.stdout)


# ---- the other process


def _arguments():
    """x, y: (2, 3); z: (3, 2); v: (5,), w: (3,), m, p: (3, 3), p positive definite; t: (2, 4, 4, 3), in (0, 1); c: one number."""
    draw = np.random.default_rng(5)
    made = {name: draw.uniform(0.15, 0.95, shape) * draw.choice([-1, 1], shape) for name, shape in (
        ("x", (2, 3)), ("y", (2, 3)), ("z", (3, 2)), ("v", (5,)), ("w", (3,)), ("m", (3, 3)), ("c", ()),
    )}  # fmt: skip
    made["p"] = made["m"] @ made["m"].T + 2 * np.eye(3)
    made["t"] = draw.uniform(0.1, 0.9, (1, 2, 2, 3))
    return {name: np.asarray(value, "float64") for name, value in made.items()}


def _flat(found):
    """The tensors of real and complex numbers in a result."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, (list, tuple)):
        return [x for one in found for x in _flat(one)]
    return [found] if hasattr(found, "dtype") and ("float" in str(found.dtype) or "complex" in str(found.dtype)) else []


def _slope(text, names, values):
    """None, or in words what is wrong with the derivatives of a text's result."""
    import quern as qn
    from quern.keras.backend.core import convert_to_tensor
    from quern.lib import _engine

    step, close = (1e-2, 2e-3) if text.startswith("~") else (1e-5, 2e-6)
    text = text.lstrip("~ ")
    code = compile(text, "<text>", "eval")
    used = [name for name in values if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(ast.parse(text)))]

    def total(given):
        out = 0.0
        for i, part in enumerate(_flat(eval(code, names | values | given))):
            factors = np.random.default_rng(i).uniform(0.5, 1.5, part.shape)
            out = out + qn.sum(part.real * qn.asarray(factors)) if part.dtype.kind == "c" else out + qn.sum(part * qn.asarray(factors))
            if part.dtype.kind == "c":
                out = out + qn.sum(part.imag * qn.asarray(factors + 0.3))
        return out

    leaves = {name: convert_to_tensor(values[name].copy()) for name in used}
    for leaf in leaves.values():
        _engine.want_gradient(leaf, True)
    result = total(leaves)
    if not hasattr(result, "dtype"):
        return "no result of real numbers"
    if _engine.wants_gradient(result):
        found = _engine.gradients((result,), (None,), tuple(leaves.values()), False, False, True)
    else:
        found = [None] * len(used)
    for name, got in zip(used, found, strict=True):
        want = np.zeros_like(values[name])
        for place in np.ndindex(want.shape):
            ends = []
            for way in (step, -step):
                moved = values[name].copy()
                moved[place] += way
                ends.append(float(total({name: convert_to_tensor(moved)})))
            want[place] = (ends[0] - ends[1]) / (2 * step)
        if got is None and np.any(want):
            return f"no derivative by {name}, which is\n{want}"
        if got is not None and not np.allclose(got.get(), want, rtol=close, atol=close / 10):
            return f"the derivative by {name} is\n{got.get()}\nand should be\n{want}"
    return None


def _slopes(texts):
    names = {"np": np}
    modules = {name: importlib.import_module(f"quern.keras.backend.{name}") for name in MODULES}
    values = _arguments()
    answers = []
    for module, text in texts:
        known = {k: f for k, f in vars(modules[module]).items() if not k.startswith("_")}
        try:
            answers.append(_slope(text, names | modules | known, values))
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            answers.append(f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})")
    return answers


def _names(_):
    """For each module its own functions, by name: whether one is a stand-in. What one module has from another counts there."""
    found, seen = {}, set()
    for name in ("core", "math", *[m for m in MODULES if m not in ("core", "math")]):
        functions = {
            key: value
            for key, value in vars(importlib.import_module(f"quern.keras.backend.{name}")).items()
            if not key.startswith("_") and inspect.isroutine(value) and (value.__module__ or "").startswith("quern.keras")
        }
        found[name] = {key: getattr(value, "is_stand_in", False) for key, value in functions.items() if id(value) not in seen}
        seen |= {id(value) for value in functions.values()}
    return found


def main():
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    import warnings

    warnings.simplefilter("ignore")
    import quern.keras  # noqa: F401
    from keras.src.backend.common import dtypes

    # Keras's result types have 32 bits except on TensorFlow; differences want to be computed in float64.
    dtypes.BIT64_TO_BIT32_DTYPE.update(float64="float64", complex128="complex128")
    with np.errstate(all="ignore"):
        out.write(pickle.dumps({"slopes": _slopes, "names": _names}[sys.argv[1]](pickle.load(sys.stdin.buffer))))
    out.flush()


if __name__ == "__main__":
    main()
