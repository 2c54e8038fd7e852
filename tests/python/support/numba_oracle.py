"""What tests of njit share: real Numba is the oracle. Functions are called here and in a process that has Numba.

Numba is in .venv/numba, where `./quern setup test` puts it, apart from what `import numba` finds; QUERN_NUMBA_PYTHON names another Python
that has it. Where there is none the answers that it once gave stand for it: tests/python/data/numba_answers.json, which
QUERN_RENEW_NUMBA=1 writes anew.

A case is [text, name of a function, list of argument lists]; the text is a module whose functions may be decorated with `njit` or with
what `numba` has, an argument [name of a NumPy dtype, number], ["array:" + name, numbers] ("fortran:" in place of "array:" for columns without gaps) or ["python", the text of a literal]. An answer has for each call the type that Numba gives the result, the result
and the arrays as the call left them: numbers as JSON has them (floats as their repr), tuples as lists, arrays as ["array", dtype, numbers],
exceptions as ["raises", class, arguments]. This file is the other process's program also, which is why it imports little by itself.
"""

import ast
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

from places import DATA, ROOT

ANSWERS = DATA / "numba_answers.json"
INSTALLED = ROOT / ".venv" / "numba"
RENEWS = os.environ.get("QUERN_RENEW_NUMBA") == "1"


def numba_command():
    """A Python that has Numba and its PYTHONPATH, or why there is none."""
    if os.environ.get("QUERN_NUMBA_PYTHON"):
        return os.environ["QUERN_NUMBA_PYTHON"], None
    if (INSTALLED / "numba").is_dir():
        return sys.executable, str(INSTALLED)
    try:
        return (INSTALLED.parent / "numba-missing").read_text()
    except OSError:
        return "there is no Numba to compare with; `./quern setup test` installs it"


def missing():
    """Why there is no Numba; "" where there is one."""
    return numba_command() if isinstance(numba_command(), str) else ""


def _ran(python, path, *arguments, given="", **variables):
    """A process without quern's modules on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | ({"PYTHONPATH": path} if path else {})
    environment |= variables
    return subprocess.run([python, *arguments], input=given, capture_output=True, text=True, env=environment)


def key(case):
    return hashlib.sha256(json.dumps(case).encode()).hexdigest()[:16]


def answers(cases, **variables):
    """What Numba answers to these cases, now; ``variables``: of its process's environment."""
    done = _ran(*numba_command(), __file__, given=json.dumps(cases), **variables)
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
    made, modules = [], {}
    for text, name, calls in cases:
        if text not in modules:
            path = pathlib.Path(folder) / f"cases_{len(modules)}.py"
            path.write_text(text)
            spec = importlib.util.spec_from_file_location(path.stem, path)
            modules[text] = importlib.util.module_from_spec(spec)
            modules[text].njit = njit
            modules[text].numba = importlib.import_module("numba" if njit.__module__.startswith("numba.") else "quern.numba")
            spec.loader.exec_module(modules[text])
        made.append([answer(getattr(modules[text], name), call) for call in calls])
    return made


def answer(function, call):
    """(type, result, arrays) of one call."""
    import numpy as np

    arguments = [_argument(np, *one) for one in call]
    known = len(getattr(function, "nopython_signatures", ()))
    try:
        result = plain(np, function(*arguments))
    except Exception as e:
        result = ["raises", type(e).__name__, str(e).splitlines()[:1] if "numba" in type(e).__module__ else plain(np, e.args)]
    signatures = getattr(function, "nopython_signatures", [])
    if len(signatures) > known:
        _TYPES[id(function)] = written(signatures[-1].return_type)
    return [_TYPES.get(id(function)), result, [plain(np, a) for a in arguments if isinstance(a, np.ndarray)]]


_TYPES = {}  # what functions return


def written(type_):
    """A type without what only Numba's has: literals, and tuples of one type."""
    text = re.sub(r"Literal\[(int|bool)\]\([^()]*\)", lambda found: {"int": "int64", "bool": "bool"}[found[1]], str(type_))
    return re.sub(r"UniTuple\(([^()]*) x (\d+)\)", lambda found: f"Tuple({', '.join([found[1]] * int(found[2]))})", text)


def _argument(np, kind, value):
    if kind == "python":
        return ast.literal_eval(value)
    if kind.startswith("fortran:"):
        return np.array(value, kind[8:], order="F")
    return np.array(value, kind[6:]) if kind.startswith("array:") else np.dtype(kind).type(value)


def plain(np, value):
    """A result as JSON keeps it: an int is no float."""
    if isinstance(value, np.ndarray):
        return ["array", value.dtype.name, plain(np, tuple(value.tolist()))]
    if isinstance(value, tuple):
        return [plain(np, v) for v in value]
    return value if isinstance(value, (bool, int, str, type(None))) else repr(value)


def differs(ours, theirs, loose):
    """Is one call's answer another one? ``loose``: the dtype of what may differ by 4 units in the last place, by its place in the result."""
    (own_type, own, own_arrays), (type_, result, arrays) = ours, theirs
    if own_arrays != arrays or own_type not in (None, type_):
        return True
    if not (isinstance(own, list) and isinstance(result, list) and len(own) == len(result)):
        return not same(own, result)
    if "raises" in (own[:1] + result[:1]):
        return own != result
    return any(not near(a, b, loose[i]) if i in loose else not same(a, b) for i, (a, b) in enumerate(zip(own, result, strict=True)))


def same(a, b):
    return type(a) is type(b) and a == b


def near(a, b, dtype):
    import numpy as np

    if same(a, b):
        return True
    try:
        a, b = (np.dtype(dtype).type(float(x)) for x in (a, b) if isinstance(x, str))
    except ValueError:
        return False
    with np.errstate(all="ignore"):
        return bool(abs(np.float64(a) - np.float64(b)) <= 4 * np.float64(np.spacing(max(abs(a), abs(b)))))


def main():
    import numba

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(run(json.load(sys.stdin), numba.njit, folder)))


if __name__ == "__main__":
    main()
