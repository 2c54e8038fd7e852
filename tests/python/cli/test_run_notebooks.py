"""`quern run FILE.ipynb` and `quern run -`: the cells of a notebook, and a program from standard input."""

import json
import subprocess
import sys

import pytest
from programs import environment, quern

CELLS = """
import cupy as cp
%matplotlib inline
x = cp.arange(3)
!pip install pandas
#---
%time y = x + 1
print(y)
y * 2
#---
%%bash
exit 1
#---
from numba import njit
@njit
def total(n):
    s = 0
    for i in range(n):
        s += i
    return s
if total(5) == 10:
    %timeit z = 7
total(6);
#---
text = '''
%not a magic
'''
(22
% 5)
#---
total?
"""


def notebook(path, text, **metadata):
    cells = [{"cell_type": "markdown", "source": ["# Title\n", "not code"], "metadata": {}}]
    cells += [
        {"cell_type": "code", "source": one.strip("\n").splitlines(True), "outputs": [], "metadata": {}} for one in text.split("#---\n")
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))
    return str(path)


def test_the_cells_of_a_notebook(tmp_path, device):
    done = quern("run", notebook(tmp_path / "a.ipynb", CELLS), QUERN_DEVICE=device.name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[1 2 3]", "array([2, 4, 6])", "2"]
    assert [line.split("`")[1] for line in done.stderr.splitlines()] == ["%matplotlib inline", "!pip install pandas", "%%bash", "total?"]


def test_cells_that_wait(tmp_path):
    text = "import asyncio\nasync def twice(x):\n    await asyncio.sleep(0)\n    return 2 * x\n#---\ny = await twice(4)\nawait twice(y)"
    done = quern("run", notebook(tmp_path / "a.ipynb", text))
    assert (done.returncode, done.stdout) == (0, "16\n"), done.stderr


def test_errors_name_the_cell_and_its_line(tmp_path):
    done = quern("run", notebook(tmp_path / "a.ipynb", "x = 1\n#---\ny = [x]\ny[7]\n#---\nprint('never')"))
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.splitlines()[1:3] == ['  File "<cell 2 of a.ipynb>", line 2, in <module>', "    y[7]"]
    done = quern("run", notebook(tmp_path / "b.ipynb", "print(1)\n#---\nx = = 1"))
    assert done.returncode == 1 and done.stdout == "1\n" and '"<cell 2 of b.ipynb>", line 1' in done.stderr


@pytest.mark.parametrize("command", ["profile", "check"])
def test_notebooks_under_other_commands(tmp_path, command):
    done = quern(command, notebook(tmp_path / "a.ipynb", "import cupy as cp\n#---\nprint((cp.arange(4) * 2).sum())"))
    assert done.returncode == 0 and done.stdout == "12\n", done.stderr
    assert "cell 2 of a.ipynb" in done.stderr or command == "check"


def test_a_cells_value_is_charged_to_its_line(tmp_path):
    done = quern("profile", notebook(tmp_path / "a.ipynb", "import cupy as cp\n#---\nx = cp.arange(10**6)\nx.sum()"))
    assert done.returncode == 0 and done.stdout == "array(499999500000)\n", done.stderr
    assert "<cell 2 of a.ipynb>:2: 1 copy to the host" in done.stderr and "runpy" not in done.stderr


def test_files_that_are_no_notebook_of_python(tmp_path):
    (tmp_path / "a.ipynb").write_text("{}")
    done = quern("run", tmp_path / "a.ipynb")
    assert done.returncode == 2 and done.stderr.endswith("a.ipynb is not a notebook of format 4\n")
    done = quern("run", notebook(tmp_path / "b.ipynb", "1", kernelspec={"language": "julia", "name": "j"}))
    assert done.returncode == 2 and "is a notebook of julia, not of Python" in done.stderr


def test_a_program_from_standard_input():
    command = [sys.executable, "-m", "quern", "run", "-", "a"]
    text = "import sys\nimport cupy\nprint(sys.argv, __name__, cupy.arange(3).sum())"
    done = subprocess.run(command, input=text, capture_output=True, text=True, env=environment())
    assert (done.returncode, done.stdout) == (0, "['-', 'a'] __main__ 3\n"), done.stderr
    done = subprocess.run(command, input="1 / 0", capture_output=True, text=True, env=environment())
    assert done.returncode == 1 and done.stderr.splitlines()[1] == '  File "<stdin>", line 1, in <module>'
