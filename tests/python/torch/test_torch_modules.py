"""Modules of PyTorch's that programs import: those that quern does not support say so where they are called."""

from programs import quern

PROGRAM = """\
import importlib.metadata
from importlib.metadata import version
import torch
import torch.multiprocessing as mp
import torch.onnx
from torch.profiler import ProfilerActivity, profile, record_function
from torch.testing import assert_close
from torch.utils.tensorboard import SummaryWriter

assert importlib.metadata.version("torch") == version("torch") == torch.__version__
assert version("numpy")[0].isdigit()
with record_function("part"):
    assert_close(torch.ones(1), torch.ones(1))
assert torch.accelerator.is_available() == torch.cuda.is_available()
assert (torch.accelerator.current_accelerator(True) is None) != torch.cuda.is_available()
assert mp.get_sharing_strategy() == "file_descriptor" and mp.cpu_count() > 0
calls = {
    "SummaryWriter": lambda: SummaryWriter("runs"), "profile": lambda: profile(activities=[ProfilerActivity.CPU]),
    "export": lambda: torch.onnx.export(None, (), "a.onnx"), "spawn": lambda: mp.spawn(print, nprocs=2),
}
for name, call in calls.items():
    try:
        call()
        raise SystemExit(f"{name} raised nothing")
    except NotImplementedError as error:
        assert name in str(error) and "is not supported; " in str(error), error
print("done")
"""


def test_a_program_that_imports_them(program):
    done = quern("run", program(PROGRAM))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"


def test_installed_packages_get_the_answer_about_installed_ones(program, tmp_path):
    package = tmp_path / "site-packages" / "asks"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import importlib.metadata\ntry:\n    found = importlib.metadata.version('torch')\nexcept importlib.metadata.PackageNotFoundError:\n"
        "    found = None\n"
    )
    text = f"import sys\nsys.path.insert(0, {str(tmp_path / 'site-packages')!r})\nimport asks\nprint('quern' in (asks.found or ''))\n"
    done = quern("run", program(text))
    assert done.stdout == "False\n", done.stderr
