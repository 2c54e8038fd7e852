"""Functions of quern.torch with wrong arguments raise; they never end the process. Each batch runs in a process of its own."""

import faulthandler
import inspect
import itertools
import os
import random
import subprocess
import sys
import tempfile

import pytest

MODULES = ("torch", "torch.Tensor", "torch.linalg", "torch.fft", "torch.special")
BATCHES = 6
# Of files, settings and other modules, or such that wait for what will not come.
LEFT_OUT = set(
    """save load from_file compile set_default_device set_default_dtype set_default_tensor_type set_printoptions set_num_threads
    set_grad_enabled enable_grad no_grad inference_mode manual_seed seed fork_rng set_rng_state set_float32_matmul_precision Tensor
    use_deterministic_algorithms""".split()
)


def holder(torch, module):
    return torch if module == "torch" else getattr(torch, module.rpartition(".")[2])


def names_of(torch, module):
    """The names of all that can be called."""
    where = holder(torch, module)
    names = [n for n in dir(where) if not n.startswith("_") and n not in LEFT_OUT]
    return [n for n in names if callable(getattr(where, n)) and not inspect.ismodule(getattr(where, n))]


def odd_values(torch):
    """Makers of arguments, each of a new value: calls write into them."""
    t = torch.tensor
    return [
        lambda: t(2.5), lambda: t(1), lambda: torch.ones(2, 3), lambda: torch.ones(3), lambda: torch.ones(0), lambda: torch.ones(2, 0, 3),
        lambda: torch.ones(3, 3), lambda: torch.ones(2, 3, 3), lambda: t([0, 2, -7]), lambda: t([[0, 9]]), lambda: t([True, False, True]),
        lambda: torch.ones(2, 3, dtype=torch.bool), lambda: t([1j, 2.0]), lambda: torch.ones(3, dtype=torch.float16),
        lambda: torch.ones(2, 3).t(), lambda: torch.ones(1).expand(4), lambda: torch.ones(3, requires_grad=True),
        lambda: t([1, 2], dtype=torch.uint16), lambda: 0, lambda: 1, lambda: -1, lambda: 3, lambda: -5, lambda: 99, lambda: 2**70,
        lambda: 1.5, lambda: float("nan"), lambda: 1j, lambda: True, lambda: None, lambda: "x", lambda: b"x", lambda: [], lambda: [0, 1],
        lambda: [7, -9], lambda: (2, -1), lambda: (0, 0), lambda: [1.5], lambda: [torch.ones(2), torch.ones(3, 1)], lambda: [t(1), 5],
        lambda: [None], lambda: object(), lambda: torch.float32, lambda: torch.device("cpu"), lambda: {}, lambda: slice(None), lambda: len,
        lambda: int,
    ]  # fmt: skip


def calls(torch, name, is_method):
    """Lists of makers: of every argument alone, of a tensor and every one, and of more by chance, always the same."""
    values = odd_values(torch)
    first = values[:18]
    chance = random.Random(name)
    yield []
    yield from ([v] for v in values)
    for a in (values[0], values[2], values[4], values[7]):
        yield from ([a, v] for v in values)
    for count in (3, 3, 4, 5):
        for _ in range(25):
            yield [chance.choice(first), *(chance.choice(values) for _ in range(count - 1))]


def run_batch(part, path):
    """In a process of its own: calls each function and writes its name before to a file."""
    faulthandler.enable()
    import resource
    import warnings

    import quern.torch as torch

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    every = [(m, n) for m in MODULES for n in names_of(torch, m)]
    with open(path, "w") as log:
        for module, name in every[part::BATCHES]:
            function = getattr(holder(torch, module), name)
            for makers in calls(torch, name, module == "torch.Tensor"):
                arguments = [make() for make in makers]
                log.seek(0)
                log.write(f"{module}.{name}({', '.join(shown(a) for a in arguments)})" + " " * 400 + "\n")
                log.flush()
                try:
                    look_at(torch, function(*arguments))
                    for a in arguments:
                        look_at(torch, a)
                except Exception:
                    pass
        log.seek(0)
        log.write("done" + " " * 2000)


def shown(value):
    return f"{value.dtype} {list(value.shape)}" if hasattr(value, "dtype") else repr(value)[:40]


def look_at(torch, value):
    """Has the values computed."""
    if isinstance(value, torch.Tensor):
        if value.numel() < 1000:
            value.tolist()
    elif isinstance(value, list | tuple):
        for one in value[:10]:
            look_at(torch, one)


@pytest.mark.parametrize("part", range(BATCHES))
def test_wrong_arguments_end_no_process(part):
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as log:
        code = f"import sys; sys.path[:0] = {[os.path.dirname(os.path.abspath(__file__)), *sys.path]!r}; import test_torch_robust as t; "
        code += f"t.run_batch({part}, {log.name!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=900, check=False)
        last = log.read().splitlines()[:1]
    if done.returncode:
        pytest.fail(f"ended with {done.returncode} in {last[0].strip() if last else 'the start'}\n{done.stderr[-1500:]}", pytrace=False)


def test_attributes_refuse_wrong_values():
    import quern.torch as torch

    values = odd_values(torch)
    for name, make in itertools.product(("grad", "data", "requires_grad", "real", "imag", "shape", "dtype"), values):
        x = torch.ones(2, 3)
        try:
            setattr(x, name, make())
            look_at(torch, x)
        except (AttributeError, TypeError, RuntimeError, ValueError, OverflowError):
            pass
