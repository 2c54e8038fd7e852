"""What newcomers write first (support/first_programs.py): it prints the right thing, or ends in one error at the program's line."""

import json
import os

import pytest
from first_programs import PROGRAMS
from programs import quern

# Runs programs one after the other, each as `quern run` does: name -> (output, standard error).
DRIVER = """
import contextlib, io, json, os, sys
from quern.tools.cli.run import _shown
found = {}
for name in sorted(os.listdir("programs")):
    path = os.path.abspath(os.path.join("programs", name))
    text = open(path).read()
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        _shown(lambda: exec(compile(text, path, "exec"), {"__name__": "__main__", "__file__": path}))
    found[name.removesuffix(".py")] = (out.getvalue(), err.getvalue())
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the programs of a front end print, all in one process."""
    known = {}

    def answers(front_end):
        if front_end not in known:
            folder = tmp_path_factory.mktemp(front_end)
            (folder / "programs").mkdir()
            for name, (text, *_) in PROGRAMS[front_end].items():
                (folder / "programs" / f"{name}.py").write_text(text.lstrip() + "\n")
            (folder / "driver.py").write_text(DRIVER)
            done = quern("run", folder / "driver.py", cwd=folder, QUERN_DEVICE="cpu", CUDA_VISIBLE_DEVICES="")
            assert done.returncode == 0, done.stderr[-3000:]
            known[front_end] = json.loads(done.stdout.splitlines()[-1])
        return known[front_end]

    return answers


@pytest.mark.parametrize("front_end, name", [(front_end, name) for front_end in PROGRAMS for name in PROGRAMS[front_end]])
def test_first_program(answers, front_end, name):
    text, printed, error, words = PROGRAMS[front_end][name]
    out, err = answers(front_end)[name]
    if not error:
        assert (out, err) == (printed, "")
        return
    assert words in err, err
    marked = next(number for number, line in enumerate(text.lstrip().splitlines(), 1) if line.endswith("# !"))
    if error.endswith("Warning"):  # the program goes on
        assert err.startswith(os.path.join(os.path.dirname(err.partition(":")[0]), f"{name}.py:{marked}: {error.rpartition('.')[2]}: ")), err
        assert err.count("Warning:") == 1 and "Traceback" not in err and (not printed or out == printed)
        return
    assert out == printed and err.count("Traceback") == 1 and "another exception" not in err and "Warning" not in err, err
    places = [line for line in err.splitlines() if line.startswith('  File "')]
    assert f'{name}.py", line {marked}, in <module>' in places[-1] and "/quern/" not in "".join(places), err
    assert any(line.startswith(f"{error}: ") for line in err.splitlines()), err
