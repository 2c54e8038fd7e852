"""What the command line says of programs that cannot be run, and the notes of programs that can."""

import os
import re
import sys

import pytest
from programs import python, quern


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "program.py").write_text("print('ran')\n")
    (tmp_path / "binary.py").write_bytes(b"\x7fELF\0\0")
    return tmp_path


@pytest.mark.parametrize("arguments, status, words", [
    (["progam.py"], 2, "progam.py: No such file or directory; did you mean program.py?"), (["program"], 2, "did you mean program.py?"),
    (["binary.py"], 2, "binary.py is not a text of Python"), (["."], 2, ". is a folder without a __main__.py"),
    (["-m", "no_such_module"], 1, "quern run: No module named no_such_module"), (["-m"], 2, "-m needs the name of a module behind it"),
    (["-c"], 2, "-c needs the text of a program behind it"), ([], 2, "name a program, as in `quern run program.py --epochs 3`"),
])  # fmt: skip
def test_what_cannot_be_run(folder, arguments, status, words):
    done = quern("run", *arguments, cwd=folder)
    assert done.returncode == status and words in done.stderr and "Traceback" not in done.stderr and not done.stdout


def test_help_names_the_command_as_it_was_typed():
    for command in ("./quern", "quern"):
        helps = [quern(*arguments, QUERN_COMMAND=command).stdout for arguments in (("help",), ("run", "--help"), ("cache", "--help"))]
        assert f"\n{command} profile FILE" in helps[0] and all(f"\n  {command} " in text for text in helps)
        assert f"as in `{command} run program.py --epochs 3`" in quern("run", QUERN_COMMAND=command).stderr
        assert helps[1].startswith(f"usage: {command} run ") and helps[2].startswith(f"usage: {command} cache ")


def test_a_module_that_pytorch_alone_has(folder):
    (folder / "program.py").write_text("import torch\nassert not hasattr(torch, 'sparse')\ntorch.sparse.mm(0, 0)\n")
    said = quern("run", "program.py", cwd=folder).stderr
    assert "'sparse': quern has no such module yet; quern has dense tensors only" in said and ("Did you mean" not in said or sys.version_info < (3, 11))
    (folder / "program.py").write_text("from torch.sparse import mm\n")
    said = quern("run", "program.py", cwd=folder).stderr
    assert "No module named 'torch.sparse': quern does not support this module of torch; quern has dense tensors only" in said


def test_syntax_errors(folder):
    (folder / "open.py").write_text("x = (\n")
    for arguments in (["open.py"], ["-c", "x = ("]):
        done = quern("run", *arguments, cwd=folder)
        assert done.returncode == 1 and done.stderr.endswith("SyntaxError: '(' was never closed\n") and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["run", "profile", "check", "doctor", "cache"])
def test_help_has_two_examples(command):
    done = quern(command, "--help")
    lines = done.stdout.split("Examples:\n")[1].splitlines()
    assert done.returncode == 0 and len(lines) == 2 and all(re.match(rf"  quern {command}\b.*?  +[a-z]", line) for line in lines)


def test_misspelt_options_behind_the_program(folder):
    done = quern("profile", "program.py", "--hmtl", "x.html", "--other", cwd=folder)
    assert "--hmtl behind program.py is an argument of the program; did you mean --html, before the program?" in done.stderr
    assert "--other" not in done.stderr


@pytest.mark.parametrize("name, words", [
    ("nibabel.core", "install it with `"), ("nunpy", "Did you mean: 'numpy'?"), ("some_name_of_mine", "No module named 'some_name_of_mine'\n"),
])  # fmt: skip
def test_packages_that_are_missing(folder, name, words):
    (folder / "program.py").write_text(f"import {name}\n")
    done = quern("run", folder / "program.py")
    assert done.returncode == 1 and words in done.stderr and "Traceback" in done.stderr
    if "install" in words:
        assert f"{os.path.join('bin', 'pip')} install nibabel`" in done.stderr or f"{sys.executable} -m pip install nibabel" in done.stderr


def test_a_program_may_change_its_folder(folder):
    (folder / "program.py").write_text("import os\nos.chdir('/')\nraise ValueError('here')  # the line\n")
    assert "raise ValueError('here')  # the line" in quern("run", "program.py", cwd=folder).stderr


COMPILES = """
import quern
from quern.tools import compile_note
compile_note._LEAST_SECONDS = 0
quern.RawKernel('extern "C" __global__ void k(float* x) { x[0] = 3; }', "k")((1,), (1,), (quern.zeros(4, dtype="float32"),))
"""


def test_a_note_of_long_compilations(tmp_path):
    quiet = {"QUERN_CACHE_DIR": tmp_path, "QUERN_DEVICE": "cpu"}
    assert python("-c", COMPILES, **quiet).stderr == ""  # a test
    loud = {**quiet, "PYTEST_CURRENT_TEST": None, "QUERN_CACHE_DIR": tmp_path / "other"}
    done = python("-c", COMPILES, **loud)
    assert done.stderr.startswith("quern: compiled 1 kernel in ") and done.stderr.endswith(" s; cached for the next run\n")
    assert python("-c", COMPILES, **loud, QUERN_QUIET="1").stderr == ""


KERAS_PROGRAM = """import keras
import numpy as np

model = keras.Sequential([keras.layers.Embedding(10, 4), keras.layers.Flatten(), keras.layers.Dense(3)])
x = np.{x}
{line}
"""


@pytest.mark.parametrize("x, line, words", [
    ("zeros((2, 5))", "keras.layers.Reshape((3, 3))(keras.Input((16,)))", "The total size of the tensor must be unchanged"),
    ("zeros((2, 5))", "keras.layers.Add()([keras.Input((4,)), keras.Input((5,))])", "Inputs have incompatible shapes"),
    ("full((2, 5), 99)", "model.predict(x, verbose=0)", "indices contain 99, which is not in [0, 10)"),
])  # fmt: skip
def test_errors_of_keras_name_the_programs_line(folder, x, line, words):
    pytest.importorskip("keras")
    (folder / "program.py").write_text(KERAS_PROGRAM.format(x=x, line=line))
    said = quern("run", "program.py", cwd=folder).stderr
    assert words in said and 'program.py", line 6' in said and line in said and "site-packages" not in said
