"""What tests of quern.torch share: real PyTorch is the oracle. A case is a program text, run with `torch` as quern.torch and as PyTorch.

The last line of a text is an expression; its values are compared: structure, types, shapes, requires_grad, numbers. Names in a text:
torch, np, math, nn, F, optim; `device`, a device string that stands for where the text runs; `raises(callable)`, which gives the
exception's type name and the first 60 characters of its message. An exception that leaves the text is a value, too.

PyTorch runs in a process of its own, on the CPU, which lives as long as the tests do. QUERN_TORCH_PYTHON names a Python that has it;
without, it is looked for beside quern. This file is that process's program also, which is why it imports little by itself.

Where there is no PyTorch, the answers that it once gave stand for it: tests/python/data/torch_answers/ has a file for each test module,
compressed JSON by the texts' hashes. A text that has none fails. With QUERN_RENEW_TORCH=1 the tests that run write PyTorch's answers to
these files; what other tests asked stays. To drop answers that nothing asks for any more, delete a module's file and run all its tests.
"""

import ast
import atexit
import base64
import contextlib
import functools
import gzip
import hashlib
import json
import math
import os
import pickle
import re
import select
import struct
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
from places import DATA

SECONDS = 120  # that a text may take in the other process
TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
TOLERANCES |= {"complex64": TOLERANCES["float32"], "complex128": TOLERANCES["float64"]}
NUMBERS = TOLERANCES["float32"]  # Python's floats mostly come from elements of float32


# ---- for tests


def compare(text, device="cpu", rtol=None, atol=None):
    """Runs a text with quern.torch on a device of quern's and with PyTorch; AssertionError where the results differ."""
    compare_all([text], device, rtol, atol)


def compare_all(texts, device="cpu", rtol=None, atol=None, keep=True):
    """The same for many texts, which is faster; the error names each that differs. Without ``keep`` the answers are never written."""
    texts = [textwrap.dedent(text).strip() for text in texts]
    for text in texts:
        _parts(text)  # SyntaxError at once
    oracle = _oracle()
    import quern.torch

    oracle.send([text for text in texts if text not in oracle.known])
    ours = [run(text, quern.torch, _device_name(device)) for text in texts]
    theirs = oracle.receive()
    if keep:
        _note(texts, theirs)
    failures = []
    for text, got in zip(texts, ours, strict=True):
        problem = difference(got, theirs[text], rtol, atol)
        if problem:
            failures.append(f"{text}\n{textwrap.indent(problem, '    ')}")
    if failures:
        raise AssertionError(f"{len(failures)} of {len(texts)} differ from PyTorch's:\n\n" + "\n\n".join(failures))


def expected(text):
    """What PyTorch gives for a text, as plain() has it."""
    text = textwrap.dedent(text).strip()
    oracle = _oracle()
    oracle.send([] if text in oracle.known else [text])
    theirs = oracle.receive()
    _note([text], theirs)
    return theirs[text]


# ---- a text and its value, in both processes


def _parts(text):
    """The statements of a text and the expression it ends with, compiled."""
    tree = ast.parse(text)
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        raise SyntaxError(f"the last line is no expression: {text!r}")
    last = ast.Expression(tree.body.pop().value)
    return compile(tree, "<text>", "exec"), compile(last, "<text>", "eval")


def _raises(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error)[:60]
    return "nothing is raised", ""


def run(text, torch, device):
    """The value of a text as plain data; ("raised", type name, message) where it raises."""
    body, last = _parts(text)
    names = {"torch": torch, "np": np, "math": math, "device": device, "raises": _raises, "__name__": "text"}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            names["nn"] = getattr(torch, "nn", None)
            names["F"] = getattr(names["nn"], "functional", None)
            names["optim"] = getattr(torch, "optim", None)
            with contextlib.nullcontext() if device == "cpu" else torch.device(device):
                torch.manual_seed(0)
                exec(body, names)
                return plain(eval(last, names), torch, device)
    except Exception as error:
        return "raised", type(error).__name__, str(error)
    finally:
        with contextlib.suppress(AttributeError):  # what a text may leave
            torch.set_default_dtype(torch.float32)
            torch.set_grad_enabled(True)
            torch.set_printoptions(profile="default")


def plain(value, torch, device):
    """A value as tuples that begin with what it is, for a comparison and for pickle."""
    kind = type(value).__name__
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).rpartition(".")[2]
        return "tensor", kind, dtype, tuple(value.shape), bool(value.requires_grad), _elements(value, dtype, torch)
    if isinstance(value, torch.device):
        return "device", "here" if str(value) == str(torch.device(device)) else str(value)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, range, slice)):
        return "number" if isinstance(value, (bool, int, float, complex)) else "value", kind, value
    if isinstance(value, (np.ndarray, np.generic)):
        return "ndarray", kind, value.dtype.name, value.shape, np.array(value)
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None) or (getattr(value, "__match_args__", ()) if hasattr(value, "n_fields") else ())
        return "tuple", kind, tuple(fields), [plain(v, torch, device) for v in value]
    if isinstance(value, list):
        return "list", kind, [plain(v, torch, device) for v in value]
    if isinstance(value, dict):
        return "dict", kind, [(plain(k, torch, device), plain(v, torch, device)) for k, v in value.items()]
    if isinstance(value, (set, frozenset)):
        return "set", kind, sorted((plain(v, torch, device) for v in value), key=repr)
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return "named", kind, str(value)
    if isinstance(value, BaseException):
        return "exception", kind
    return "object", kind


def _elements(tensor, dtype, torch):
    """A tensor's values in NumPy; of bfloat16 its bits."""
    tensor = tensor.detach()
    for name in ("resolve_conj", "resolve_neg", "cpu"):
        tensor = getattr(tensor, name, lambda tensor=tensor: tensor)()
    if dtype == "bfloat16":
        return tensor.view(torch.int16).numpy().view(np.uint16).copy()
    return np.array(tensor.numpy())


# ---- the comparison


def difference(got, want, rtol=None, atol=None, where="the value"):
    """What differs, in words; None if nothing does."""
    if got[0] == "raised" or want[0] == "raised":
        if got[:2] == want[:2]:
            return None
        return f"{where}: {_words(got)}, but PyTorch's {_words(want)}"
    head = 3 if got[0] == "tuple" else 5 if got[0] == "tensor" else 4 if got[0] == "ndarray" else 2
    if got[:head] != want[:head]:
        return f"{where}: {_words(got)}, but PyTorch's {_words(want)}"
    if got[0] in ("tensor", "ndarray"):
        return _unequal_arrays(got[-1], want[-1], got[2], rtol, atol, where)
    if got[0] == "number":
        if isinstance(want[2], (float, complex)):
            r, a = NUMBERS[0] if rtol is None else rtol, NUMBERS[1] if atol is None else atol
            equal = np.isclose(got[2], want[2], rtol=r, atol=a, equal_nan=True)
        else:
            equal = got[2] == want[2]
        return None if equal else f"{where}: {got[2]!r}, but PyTorch's {want[2]!r}"
    if got[0] not in ("tuple", "list", "dict", "set"):
        if isinstance(got[-1], str) and got != want:
            there = _as_on_the_cpu(got[-1])
            if there != got[-1] and _as_on_the_cpu(want[-1]).startswith(there):  # errors are cut off
                return None
        return None if got == want else f"{where}: {_words(got)}, but PyTorch's {_words(want)}"
    ours, theirs = got[-1], want[-1]
    if len(ours) != len(theirs):
        return f"{where}: {len(ours)} elements, but PyTorch's {len(theirs)}"
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if got[0] == "dict":
            problem = difference(a[0], b[0], rtol, atol, f"{where}, key {i}")
            problem = problem or difference(a[1], b[1], rtol, atol, f"{where}[{a[0][-1]!r}]")
        else:
            problem = difference(a, b, rtol, atol, f"{where}[{i}]")
        if problem:
            return problem
    return None


def _as_on_the_cpu(text):
    """What a text that names a GPU says of the CPU."""
    for named, instead in (
        (r"torch\.cuda\.(\w+Tensor)", r"torch.\1"),
        (r", device='cuda:\d'", ""),
        (r" \((?:cuda:|GPU )\d\)", ""),
        (r",\n +(?=grad_fn=)", ", "),  # the device's name can make the line too long
    ):
        text = re.sub(named, instead, text)
    return text


def _words(value):
    kind = value[0]
    if kind == "raised":
        return f"raises {value[1]}: {value[2][:300]}"
    if kind == "tensor":
        return f"{value[1]} of {value[2]} {list(value[3])}{' that requires grad' if value[4] else ''}"
    if kind == "ndarray":
        return f"{value[1]} of {value[2]} {list(value[3])}"
    if kind in ("list", "tuple", "dict", "set"):
        return f"{value[1]} of {len(value[-1])}{' with fields ' + ', '.join(value[2]) if kind == 'tuple' and value[2] else ''}"
    return f"{value[-1]!r}" if kind in ("number", "value") else " ".join(value[1:])


def _unequal_arrays(got, want, dtype, rtol, atol, where):
    if dtype == "bfloat16":
        got, want = ((bits.astype(np.uint32) << 16).view(np.float32).reshape(bits.shape) for bits in (got, want))
    if got.shape != want.shape:  # as .numpy() has it
        return f"{where}: its values have the shape {got.shape}, but PyTorch's {want.shape}"
    if dtype in TOLERANCES:
        r, a = TOLERANCES[dtype]
        wide = np.complex128 if dtype.startswith("complex") else np.float64
        with np.errstate(all="ignore"):
            got, want = got.astype(wide), want.astype(wide)
            right = np.isclose(got, want, rtol=r if rtol is None else rtol, atol=a if atol is None else atol, equal_nan=True)
    else:
        right = np.asarray(got == want)
    if right.all():
        return None
    places = np.argwhere(~right)
    first = tuple(places[0].tolist())
    texts = [np.array2string(x, threshold=24, edgeitems=4, precision=9) for x in (got, want)]
    return (
        f"{where}: {len(places)} of {right.size} elements differ, the first at {list(first)}: {got[first]!r}, but PyTorch's {want[first]!r}\n"
        f"{texts[0]}\nPyTorch's:\n{texts[1]}"
    )


def _device_name(device):
    """PyTorch's name of a device of quern's."""
    if isinstance(device, str):
        return device
    return "cpu" if device.kind == "cpu" else f"cuda:{device.index}"


# ---- the other process


class _Oracle:
    """A process with PyTorch. Messages are a length and a pickle: a list of texts one way, a value for each text back."""

    def __init__(self, python):
        self.python = python
        self.process = None
        self.asked = []
        self.known = {}  # values, by text: tests on several devices ask the same

    def start(self):
        environment = _environment() | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        command = [self.python, os.path.abspath(__file__)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=environment, **pipes)

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def send(self, texts):
        """Has the process begin with texts, whose values receive() gives."""
        self.asked = list(dict.fromkeys(texts))
        if not self.asked:
            return
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.start()
        message = pickle.dumps(self.asked)
        with contextlib.suppress(BrokenPipeError):  # receive() reports it
            self.process.stdin.write(struct.pack("<q", len(message)) + message)
            self.process.stdin.flush()

    def receive(self):
        """The values of all texts known so far, by text."""
        asked, self.asked = self.asked, []
        for i, text in enumerate(asked):
            try:
                self.known[text] = pickle.loads(self._read(struct.unpack("<q", self._read(8))[0]))
            except (EOFError, TimeoutError) as error:
                self.stop()
                self.send(asked[i + 1 :])
                return self.receive() | {text: ("raised", f"nothing: {error}", "")}
        return self.known

    def _read(self, count):
        parts, end = [], time.monotonic() + SECONDS
        while count:
            if not select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError(f"its process took more than {SECONDS} s")
            part = os.read(self.process.stdout.fileno(), min(count, 1 << 20))
            if not part:
                raise EOFError("its process ended")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


def _environment():
    """This process's, without what leads to quern."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUERN_")}
    environment.pop("PYTHONPATH", None)
    return environment


VERSION = "2.15"  # of PyTorch


@functools.cache
def _found():
    """The Python that has this PyTorch, or None, and why there is none."""
    python = os.environ.get("QUERN_TORCH_PYTHON") or sys.executable
    if python == "/dev/null":
        return None, "QUERN_TORCH_PYTHON=/dev/null"
    try:
        command = [python, "-c", "import torch; print(torch.__version__)"]
        done = subprocess.run(command, env=_environment(), cwd="/", capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"{python}: {error}"
    if done.returncode != 0:
        return None, f"no PyTorch in {python} (QUERN_TORCH_PYTHON names one): {(done.stderr.strip().splitlines() or [''])[-1]}"
    version = done.stdout.strip()
    if not version.startswith(VERSION + "."):  # others answer some calls otherwise
        return None, f"{python} has PyTorch {version}, the answers are {VERSION}'s"
    return python, ""


@functools.cache
def _made(python):
    oracle = _Oracle(python)
    atexit.register(oracle.stop)
    return oracle


def _oracle():
    """The session's oracle: PyTorch, or what it once answered."""
    python, reason = _found()
    return _Answers(reason) if python is None else _made(python)


# ---- answers that are kept


class _Answers:
    """Answers that PyTorch once gave to the texts of the running test's module, in _Oracle's place."""

    def __init__(self, reason):
        self.known = {}
        self.reason = reason

    def send(self, texts):
        """Looks the texts up."""
        module = _module()
        kept = _kept(module)
        for text in texts:
            if _key(text) not in kept:
                raise AssertionError(
                    f"PyTorch's answer to a text of {module} is not kept: run with QUERN_RENEW_TORCH=1 ({self.reason})\n{text}"
                )
            self.known[text] = _unpacked(kept[_key(text)])

    def receive(self):
        """The answers by text."""
        return self.known


FOLDER = str(DATA / "torch_answers")
_new = {}  # answers to write, by module and key


def _module():
    """The name of the running test's module."""
    path = os.environ.get("PYTEST_CURRENT_TEST", "none").partition("::")[0]
    return os.path.splitext(os.path.basename(path))[0]


def _key(text):
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@functools.cache
def _kept(module):
    """The answers in a module's file, packed, by key."""
    path = os.path.join(FOLDER, module + ".json.gz")
    if not os.path.exists(path):
        return {}
    with gzip.open(path, "rt", encoding="ascii") as file:
        return json.load(file)


def _note(texts, answers):
    """Takes down answers to texts of the running test, where they are to be written."""
    if os.environ.get("QUERN_RENEW_TORCH") != "1":
        return
    if _found()[0] is None:
        raise AssertionError(f"QUERN_RENEW_TORCH=1 needs PyTorch: {_found()[1]}")
    if not _new:
        atexit.register(_write)
    told = _new.setdefault(_module(), {})
    for text in texts:
        if answers[text][0] == "raised" and answers[text][1].startswith("nothing: "):
            raise AssertionError(f"PyTorch gave no answer, {answers[text][1]}:\n{text}")
        told[_key(text)] = _packed(answers[text])


def _write():
    """Writes what was noted, beside what the files have."""
    os.makedirs(FOLDER, exist_ok=True)
    for module, told in _new.items():
        text = "{" + ",\n".join(f'"{k}":{json.dumps(v, separators=(",", ":"))}' for k, v in sorted((_kept(module) | told).items())) + "}"
        with open(os.path.join(FOLDER, module + ".json.gz"), "wb") as file:
            file.write(gzip.compress(text.encode("ascii"), 9, mtime=0))


def _packed(value):
    """What plain() gives, for JSON: what JSON does not have is an object with one member, which says what it is."""
    if isinstance(value, list):
        return [_packed(v) for v in value]
    if isinstance(value, tuple):
        if value[:1] == ("raised",):  # of the message the beginning is enough
            value = (*value[:2], value[2][:200])
        return {"tuple": [_packed(v) for v in value]}
    if isinstance(value, np.ndarray):
        return {"array": [value.dtype.str, list(value.shape), base64.b64encode(value.tobytes()).decode()]}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, (range, slice)):
        return {type(value).__name__: [value.start, value.stop, value.step]}
    return value


def _unpacked(value):
    """The opposite of _packed()."""
    if isinstance(value, list):
        return [_unpacked(v) for v in value]
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "tuple":
        return tuple(_unpacked(v) for v in inner)
    if kind == "array":
        return np.frombuffer(base64.b64decode(inner[2]), inner[0]).reshape(inner[1])
    if kind == "bytes":
        return base64.b64decode(inner)
    return {"complex": complex, "range": range, "slice": slice}[kind](*inner)


# ---- the other process's program


def _serve():
    """The other process: answers texts until its input ends. What a text prints goes nowhere."""
    sys.path.pop(0)  # the tests' folder
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    import torch

    while head := requests.read(8):
        for text in pickle.loads(requests.read(struct.unpack("<q", head)[0])):
            reply = pickle.dumps(run(text, torch, "cpu"))
            replies.write(struct.pack("<q", len(reply)) + reply)
            replies.flush()


if __name__ == "__main__":
    _serve()
