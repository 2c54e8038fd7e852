"""The worked additions of docs/additions apply to these sources, and touch few files; the long tests build them and use what they add."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from places import ROOT

ADDITIONS = ROOT / "docs" / "additions"
# Files that an addition touches, C++ included; the first is an operation of ops.def, whose C++ function is made of its row.
FILES = {"operation": 3, "reduction": 4, "function": 4}
USES = """
import numpy as np, quern as qn, quern.cupy as cupy, quern.torch as torch
x = np.array([[0.25, 0.5], [0.75, 1.0]])
sech, smooth = 1 / np.cosh(x), x * x * (3 - 2 * x)
for m in (qn, cupy):
    a = m.asarray(x)
    assert np.allclose(m.asnumpy(m.smoothstep(a)), smooth) and np.allclose(m.asnumpy(m.midrange(a, axis=1)), [0.375, 0.875])
assert np.allclose(qn.asnumpy(qn.sech(x)), sech) and qn.midrange(x) == 0.625
t = torch.tensor(x, requires_grad=True)
assert np.allclose(torch.midrange(t, dim=0).detach().numpy(), [0.5, 0.75])
(torch.sech(t) + torch.smoothstep(t)).sum().backward()
assert np.allclose(t.grad.numpy(), -sech * np.tanh(x) + 6 * x - 6 * x * x)
assert t.detach().clone().sech_().allclose(torch.tensor(sech))
for f in (qn.sech, qn.smoothstep, qn.midrange, torch.smoothstep):
    assert f.__doc__ and f.__name__ in ("sech", "smoothstep", "midrange")
"""
CPP = """
#include <quern/nn.h>
#include <quern/statistics.h>
int main() {
  qn::Array x = qn::linspace(0, 1, 5);
  bool good = qn::midrange(x).item<double>() == 0.5 && qn::nn::smoothstep(x).sum().item<double>() == 2.5;
  return good && qn::sech(x).max().item<double>() == 1 ? 0 : 1;
}
"""


def files_of(diff):
    return re.findall(r"^\+\+\+ b/(.*)$", diff.read_text(), re.M)


def applied(folder, name):
    diff = ADDITIONS / f"{name}.diff"
    done = subprocess.run(["git", "apply", "--verbose", str(diff)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", FILES)
def test_they_apply_and_touch_few_files(name, tmp_path):
    touched = files_of(ADDITIONS / f"{name}.diff")
    assert len(touched) == len(set(touched)) == FILES[name]
    for path in touched:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    applied(tmp_path, name)
    assert all((tmp_path / path).read_text() != (ROOT / path).read_text() for path in touched)


@pytest.mark.skipif("QUERN_BUILD_ADDITIONS" not in os.environ, reason="one of the long tests")
def test_what_they_add_works(tmp_path):
    kept = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for path in filter(None, kept):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    for name in FILES:
        applied(tmp_path, name)
    build = tmp_path / "build"
    options = ["-DQUERN_DEVELOP=ON", "-DQUERN_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
    subprocess.run(["cmake", "-G", "Ninja", "-S", tmp_path, "-B", build, *options], check=True)
    subprocess.run(["ninja", "-C", build, "runtime"], check=True)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "python"), "QUERN_DEVICE": "cpu"}
    subprocess.run([sys.executable, "-c", USES], check=True, cwd=build, env=environment)
    (build / "uses.cpp").write_text(CPP)
    lib = tmp_path / "python" / "quern" / "lib"
    command = ["c++", "-std=c++20", f"-I{tmp_path}/engine/include", "uses.cpp", f"-L{lib}", "-lquern", f"-Wl,-rpath,{lib}", "-o", "uses"]
    subprocess.run(command, check=True, cwd=build)
    subprocess.run([build / "uses"], check=True, cwd=build, env=environment)
