"""What tests of njit share: real Numba is the oracle. A module's functions are called here and in a process that has Numba.

QUERN_NUMBA_PYTHON names a Python that has Numba; without it, the one that runs the tests is asked. Where there is none the answers that
it once gave stand for it: tests/python/data/numba_answers.json. QUERN_RENEW_NUMBA=1 writes them anew.

A program is a text that defines functions; a case is (text, name of a function, list of argument lists), where an argument is
(name of a NumPy type, number). An answer is a list of results: numbers, None and tuples of these, exceptions as ("raises", class name).
This file is the other process's program also, which is why it imports little by itself.
"""

import functools
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ANSWERS = pathlib.Path(__file__).parent / "data" / "numba_answers.json"
RENEWS = os.environ.get("QUERN_RENEW_NUMBA") == "1"


@functools.cache
def numba_python():
    """A Python that has Numba, or None."""
    for python in filter(None, (os.environ.get("QUERN_NUMBA_PYTHON"), sys.executable)):
        if _ran(python, "-c", "import numba.core.ssa").returncode == 0:
            return python
    return None


def _ran(*command, given=""):
    """A process without quern's modules on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, input=given, capture_output=True, text=True, env=environment)


def key(case):
    return hashlib.sha256(json.dumps(case).encode()).hexdigest()[:16]


def answers(cases):
    """What Numba answers to these cases, now; None where there is no Numba."""
    python = numba_python()
    if python is None:
        return None
    done = _ran(python, __file__, given=json.dumps(cases))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def recorded(cases):
    """What Numba has answered to these cases, from the file; those without an answer fail."""
    known = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    if RENEWS:
        known |= dict(zip(map(key, cases), answers(cases), strict=True))
        ANSWERS.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(known.items())) + "\n}\n")
    return [known[key(case)] for case in cases]


def run(cases, njit, folder):
    """The answers of an njit."""
    import importlib.util

    import numpy as np

    made, modules = [], {}
    for text, name, calls in cases:
        if text not in modules:
            path = pathlib.Path(folder) / f"cases_{len(modules)}.py"
            path.write_text("import numpy as np\nfrom math import *\n" + text)
            spec = importlib.util.spec_from_file_location(path.stem, path)
            modules[text] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(modules[text])
        function = njit(getattr(modules[text], name))
        results = []
        for arguments in calls:
            try:
                results.append(plain(function(*[np.dtype(type_).type(value) for type_, value in arguments])))
            except Exception as e:
                results.append(["raises", type(e).__name__])
        made.append(results)
    return made


def plain(value):
    """A result as JSON keeps it: an int is no float."""
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    return repr(value) if isinstance(value, float) else value


def differs(ours, theirs):
    """Floats may differ in the last digits."""
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) != len(theirs) or any(map(differs, ours, theirs))
    if isinstance(ours, str) and isinstance(theirs, str) and ours != theirs:
        try:
            return not abs(float(ours) - float(theirs)) <= 1e-12 * abs(float(theirs))
        except ValueError:
            return True
    return type(ours) is not type(theirs) or ours != theirs


def main():
    import numba

    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(run(json.load(sys.stdin), numba.njit, folder)))


if __name__ == "__main__":
    main()
