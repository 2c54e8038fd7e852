"""The names of quern.torch: docs/torch.md is up to date, most of PyTorch's names are there, and none that PyTorch has not."""

import importlib.util
import os
import types

import pytest
from places import ROOT
from quern import torch

NAMES = os.environ.get("QUERN_API_NAMES")
pytestmark = pytest.mark.skipif(not NAMES, reason="QUERN_API_NAMES is not set")


def tool():
    spec = importlib.util.spec_from_file_location("torch_names_tool", ROOT / "tools" / "torch_names.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date():
    assert (ROOT / "docs" / "torch.md").read_text() == tool().page(NAMES), "run tools/torch_names.py"


def test_most_names_are_supported():
    served, missing, _ = tool().count(NAMES)
    assert tool().share(served, missing) >= 60


@pytest.mark.parametrize("module", ["torch", "torch.Tensor", "torch.linalg", "torch.special", "torch.fft"])
def test_there_are_no_names_that_pytorch_has_not(module):
    where = torch if module == "torch" else getattr(torch, module.rpartition(".")[2])
    known = set(tool().listed(NAMES)[module])
    ours = [n for n in dir(where) if not n.startswith("_") and not (isinstance(getattr(where, n), types.ModuleType) and n in ("math", "onnx"))]
    assert [n for n in ours if n not in known] == []


@pytest.mark.parametrize(
    "name", ["linalg", "special", "fft", "nn.functional", "optim.lr_scheduler", "types", "cuda", "autograd", "nn.parallel"]
)
def test_modules_are_imported_by_their_names(name):
    assert isinstance(importlib.import_module("quern.torch." + name), types.ModuleType)


@pytest.mark.parametrize("name", ["cudnn", "cuda", "mps", "mkl", "mkldnn", "openmp"])
def test_settings_are_imported_by_their_names(name):
    import quern.torch as torch

    assert importlib.import_module("quern.torch.backends." + name) is getattr(torch.backends, name)
