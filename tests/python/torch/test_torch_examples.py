"""The examples that are written against torch run with quern's, and are content with their own figures."""

import os
import pathlib
import re

import pytest
from programs import ROOT, quern

# Each program asserts what it says: its arguments, and what a line of its output begins with.
PROGRAMS = {
    "torch_char_gpt.py": ("--steps 60 --write 20", "def "),
    "torch_char_lstm.py": ("--steps 100 --write 60", "step 100: loss 2."),
    "torch_characters.py": ("", "the loss fell from "),
    "torch_convnet.py": ("", "epoch 15: "),
    "torch_digits.py": ("", "epoch 25: "),
    "torch_policy_gradient.py": ("", "the poles stood "),
    "torch_polynomial.py": ("", "y = "),
    "torch_sort_transformer.py": ("--steps 200 --length 4", "step 200: "),
    "torch_vae_digits.py": ("--epochs 8", "the pictures' mean squared error is "),
}


def test_every_example_is_run():
    assert set(PROGRAMS) == {p.name for p in pathlib.Path(ROOT, "examples").glob("torch_*.py")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, device, tmp_path):
    arguments, expected = PROGRAMS[name]
    hidden = {} if device.kind != "cpu" else {"CUDA_VISIBLE_DEVICES": ""}  # the programs take a GPU where there is one
    done = quern("run", os.path.join(ROOT, "examples", name), *arguments.split(), cwd=tmp_path, **hidden)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith(expected) for line in lines), done.stdout
    assert any(line.startswith(f"computed on {device.kind}") for line in lines), done.stdout


@pytest.mark.skipif(not os.environ.get("QUERN_PROGRAMS"), reason="QUERN_PROGRAMS is not set")
def test_a_network_that_knows_nothing_of_quern(device, tmp_path):
    hidden = {} if device.kind != "cpu" else {"CUDA_VISIBLE_DEVICES": ""}
    done = quern("run", os.path.join(os.environ["QUERN_PROGRAMS"], "torch_simple.py"), cwd=tmp_path, **hidden)
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in re.findall(r"^Epoch \d+, Loss: (\S+)$", done.stdout, re.M)]
    assert len(losses) == 10
    assert losses == sorted(losses, reverse=True)
