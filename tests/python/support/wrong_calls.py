"""Which exceptions the real peers raise for wrong calls: a table for tests/python/faces/test_wrong_calls.py.

    PYTHON tests/python/support/wrong_calls.py numpy torch cupy keras

with a Python that has those peers (CuPy's needs a GPU, Keras runs on JAX) writes tests/python/data/wrong_calls/PEER.json: for each public function and each wrong
call the name of the exception's type, "-" where the peer raises none. The table holds for the version that stands in it.
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import sys
import warnings

DATA = pathlib.Path(__file__).parents[1] / "data" / "wrong_calls"
MODULES = {
    "numpy": ("numpy", "numpy.linalg", "numpy.fft"),
    "cupy": ("cupy", "cupy.linalg", "cupy.fft"),
    "torch": ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special"),
    "keras": ("keras.ops", "keras.random"),
}
# What reads or writes files, changes how the peer works from then on, prints, or ends the process.
LEFT_OUT = ("set_", "get_", "save", "load", "from", "manual_seed", "seed", "init", "show_", "info", "compile", "test", "profiler", "import_", "export",
            "print", "use_", "sym_", "enable_", "err", "geterr", "seterr", "autocast", "classproperty", "thread", "vmap", "cond", "while_loop",
            "typename", "segment_reduce", "memmap", "open_memmap", "interface")  # fmt: skip


def calls(array):
    """The wrong calls by their names: positional and keyword arguments."""

    class Other:
        """No array, no number, no sequence."""

    return {
        "no arguments": ((), {}),
        "twelve arguments": ((array,) * 12, {}),
        "an unknown keyword": ((array,), {"no_such_argument": 1}),
        "an object": ((Other(),), {}),
        "two objects": ((Other(), Other()), {}),
        "text": (("text",), {}),
        "an axis too far": ((array,), {"axis": 7}),
        "an axis of text": ((array,), {"axis": "first"}),
        "a dim too far": ((array,), {"dim": 7}),
        "a dim of text": ((array,), {"dim": "first"}),
        "an unknown dtype": ((array,), {"dtype": "no such type"}),
    }


def functions(module):
    """The functions of a module that take arrays, by their names."""
    found = {name: getattr(module, name, None) for name in sorted(dir(module)) if name[0] != "_" and not name.startswith(LEFT_OUT)}
    return {name: f for name, f in found.items() if callable(f) and not isinstance(f, type) and name.islower()}


def raised(function, arguments, keywords):
    """The exception of a call, or None."""
    try:
        function(*arguments, **keywords)
    except Exception as error:  # noqa: BLE001
        return error
    return None


def public_name(error):
    """The name of the exception's type, or of the first one above it that programs can import."""
    return next(c.__name__ for c in type(error).__mro__ if c.__name__[0] != "_" and "._" not in c.__module__)


def array_of(peer, module):
    made = [[4.0, 1.0], [1.0, 3.0]]
    if peer == "keras":
        return module.ops.convert_to_tensor(made)
    return module.tensor(made) if peer == "torch" else module.asarray(made)


def table(peer):
    """{module: {function: names of the exceptions' types, one for each call, "-" for none}}, with the calls and the peer's version."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("KERAS_BACKEND", "jax")
    array = array_of(peer, importlib.import_module(peer))
    out = {"version": importlib.import_module(peer).__version__, "calls": list(calls(array))}
    for name in MODULES[peer]:
        out[name] = {}
        for one, function in functions(importlib.import_module(name)).items():
            errors = [raised(function, *given) for given in calls(array).values()]
            out[name][one] = " ".join("-" if e is None else public_name(e) for e in errors)
    return out


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True, parents=True)
    for peer in sys.argv[1:]:
        (DATA / f"{peer}.json").write_text(json.dumps(table(peer), indent=0) + "\n")
