"""Networks trained for 100 steps from equal weights: each step's loss is PyTorch's (support/training_networks.py)."""

import re
from pathlib import Path

import pytest
from torch_oracle import compare_all

NETWORKS = (Path(__file__).parents[1] / "support" / "training_networks.py").read_text()
NAMES = re.search(r"^CURVES = \[(.*)\]$", NETWORKS, re.M).group(1).split(", ")
HEAD = """
floats = "{}"
torch.set_default_dtype(torch.{})
"""
END = """
def curve(network):
    try:
        return torch.tensor(network(), dtype=torch.float64)
    finally:
        torch.set_default_dtype(torch.float32)
curve({})
"""


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_losses_are_pytorchs(device, name, dtype):
    tolerance = 1e-3 if dtype == "float32" else 1e-7
    compare_all([HEAD.format(dtype, dtype) + NETWORKS + END.format(name)], device, rtol=tolerance, atol=tolerance)
