"""Warnings name the line of the program that called quern, under `quern run` as well."""

import subprocess
import sys

PROGRAM = """
import warnings
warnings.simplefilter("always")
import numpy as np
import torch, cupy
from numba import njit, vectorize, cuda
from torch.utils.data import DataLoader, random_split
import torch.nn.functional as F

def several():
    x = torch.ones(2, 3)
    DataLoader(torch.arange(4.), num_workers=2)  # warns
    F.mse_loss(x, x[:1])  # warns
    torch.nn.MSELoss()(x, x[:1])  # warns
    torch.nn.Softmax()(x)  # warns
    F.softmax(x)  # warns
    F.kl_div(x, x)  # warns
    torch.nn.KLDivLoss()(x, x)  # warns
    torch.nn.Dropout2d()(x)  # warns
    torch.nn.MSELoss(size_average=True)  # warns
    torch.nn.Hardtanh(min_value=-1)  # warns
    torch.nn.Linear(0, 2)  # warns
    torch.nn.utils.clip_grad_norm(x, 1)  # warns
    x[0].T  # warns
    random_split(torch.utils.data.TensorDataset(x), [1.0, 0.0])  # warns
    o = torch.optim.SGD([torch.nn.Parameter(x)], lr=1)
    torch.optim.lr_scheduler.StepLR(o, 1).step()  # warns

several()
c = cupy.ones(3) * 1j
c.astype("f4")  # warns
cupy.row_stack([cupy.ones(2)])  # warns
cupy.corrcoef(cupy.ones((2, 2)), bias=True)  # warns
cupy.cov(cupy.ones((2, 1)))  # warns
cupy.nanmax(cupy.array([np.nan]))  # warns
njit(lambda x: [x])(1)  # warns
vectorize(["i8(i8)"])(lambda x: x if x > 0 else [x][0])(1)  # warns
cuda.jit(debug=True)(several)  # warns
"""


def test_lines_of_programs(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "quern", "run", str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    wanted = {i for i, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# warns")}
    places = {line.split(": ")[0] for line in done.stderr.splitlines() if "Warning: " in line}
    assert {p.rpartition(":")[0] for p in places} == {str(program)}, done.stderr
    assert wanted <= {int(p.rpartition(":")[2]) for p in places}, (wanted - {int(p.rpartition(":")[2]) for p in places}, done.stderr)
