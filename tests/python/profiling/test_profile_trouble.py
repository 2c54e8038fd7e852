"""`quern profile`: bad input and programs that fail: one clear message, the program's own traceback and exit code, and the report."""

import os
import stat

import pytest
from programs import quern

REPORTS = ("--html", "--json", "--trace")


@pytest.mark.parametrize("option", REPORTS)
def test_a_report_that_cannot_be_written(program, tmp_path, option):
    path = program("print('ran')\n")
    for where, why in ((tmp_path, "is a folder"), (tmp_path / "none" / "a", "there is no folder")):
        done = quern("profile", option, where, path)
        assert done.returncode == 2 and done.stdout == "" and why in done.stderr and len(done.stderr.splitlines()) == 1
    if os.geteuid() != 0:
        (tmp_path / "kept").touch(mode=stat.S_IRUSR)
        done = quern("profile", option, tmp_path / "kept", path)
        assert done.returncode == 2 and done.stdout == "" and "cannot be written" in done.stderr


@pytest.mark.parametrize("option", REPORTS)
def test_a_report_whose_folder_goes_away(program, tmp_path, option):
    (tmp_path / "reports").mkdir()
    path = program(f"import os\nprint('ran')\nos.rmdir({str(tmp_path / 'reports')!r})\n")
    done = quern("profile", option, tmp_path / "reports" / "r", path)
    assert done.returncode == 2 and done.stdout == "ran\n" and "No such file or directory" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("command, options", [("profile", REPORTS), ("check", ("--json",))])
def test_a_disk_that_is_full(program, command, options):
    path = program("import sys\nprint('ran')\nsys.exit(int(sys.argv[1]))\n")
    for option in options:
        for code in (0, 7):
            done = quern(command, option, "/dev/full", path, code)
            assert done.returncode == (code or 2) and done.stdout == "ran\n"
            *report, last = done.stderr.splitlines()
            assert report[0].startswith(f"quern {command}: ") and last == f"quern {command}: /dev/full: No space left on device"


@pytest.mark.parametrize("command", ["profile", "check"])
def test_reports_are_of_the_folder_where_the_command_began(program, tmp_path, command):
    path = program("import os\nos.mkdir('other')\nos.chdir('other')\n")
    done = quern(command, "--json", "report.json", path, cwd=tmp_path)
    assert done.returncode == 0 and done.stderr.endswith("wrote report.json\n")
    assert (tmp_path / "report.json").exists() and not list((tmp_path / "other").iterdir())


THREADS = """\
import concurrent.futures
import threading
import time
import cupy as cp
kernel = cp.RawKernel('extern "C" __global__ void k(float* x) { x[threadIdx.x + 1] = 1; }', "k")
def work():
    time.sleep(0.3)
    x = cp.zeros(32, dtype=cp.float32)
    kernel((1,), (32,), (x,))
    print(float(x[0]))
pool = concurrent.futures.ThreadPoolExecutor(2)  # whose threads stay
pool.submit(print, "in the pool").result()
threading.Thread(target=work).start()
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
"""


def test_threads_that_outlive_the_program(program):
    """Python waits for them but for daemons, so they belong to the run."""
    path = program(THREADS)
    done = quern("profile", path)
    assert done.returncode == 0 and done.stdout == "in the pool\n0.0\n" and "print(float(x[0]))" in done.stderr
    done = quern("check", path)
    assert done.returncode == 3 and done.stdout == "in the pool\n0.0\n" and "out of bounds in kernel 'k'" in done.stderr


def test_a_profile_inside_a_profile(program):
    done = quern("profile", program("import quern as qn\nprint(1, flush=True)\nwith qn.profile() as p:\n    pass\n"))
    assert done.returncode == 1 and done.stdout == "1\n"
    assert "RuntimeError: [profile] a profile is already active; end it first: only one can be active in a process" in done.stderr
    assert "quern profile: program.py, " in done.stderr  # the report of what ran


def test_a_profile_started_by_a_profiled_program(program):
    inner = program("import quern as qn\nprint(float(qn.ones(5000).sum()))\n", "inner.py")
    outer = program(f"import subprocess, sys\nsys.exit(subprocess.call([sys.executable, '-m', 'quern', 'profile', {str(inner)!r}]))\n")
    done = quern("profile", outer)
    assert done.returncode == 0 and done.stdout == "5000.0\n"
    assert "quern profile: inner.py, " in done.stderr and "quern profile: program.py, " in done.stderr


@pytest.mark.parametrize("name, why", [("none.py", "No such file or directory"), ("", "is a folder without a __main__.py")])
def test_a_program_that_is_not_there(tmp_path, name, why):
    done = quern("profile", tmp_path / name)
    assert done.returncode == 2 and why in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_program_that_is_no_python(program):
    done = quern("profile", program("print('a'\nx = = 2\n"))
    assert done.returncode == 1 and "SyntaxError" in done.stderr and "program.py" in done.stderr and "quern/cli" not in done.stderr


@pytest.mark.parametrize("ending, code, told", [("raise KeyError('mine')", 1, "KeyError: 'mine'"), ("sys.exit(5)", 5, ""),
                                                ("sys.exit('bye')", 1, "bye"), ("os._exit(9)", 9, None)])  # fmt: skip
def test_a_program_that_fails(program, ending, code, told):
    path = program(f"import os, sys\nimport quern as qn\nprint(float(qn.ones(5000).sum()), flush=True)\n{ending}\n")
    done = quern("profile", "--html", str(path) + ".html", path)
    assert done.returncode == code and done.stdout == "5000.0\n"
    if told is None:
        return  # nothing runs after that
    assert told in done.stderr and "float(qn.ones(5000).sum())" in done.stderr.split("quern profile:")[1]
    assert os.path.getsize(str(path) + ".html") > 100_000


@pytest.mark.parametrize(
    "arguments, told",
    [(["--nonsense", "x.py"], "unrecognized arguments: --nonsense"), (["--htm"], "--htm"), (["--lines", "few", "x.py"], "'few' is not a non-negative integer"),
     (["--lines", "-3", "x.py"], "'-3' is not a non-negative integer"), (["--max-waits", "-1", "x.py"], "'-1' is not a non-negative integer"),
     (["--max-memory", "10 cows", "x.py"], "--max-memory: '10 cows' is not a size in bytes, such as 500000, 512kB, 1.5GiB"), (["--html"], "expected one argument"), (["--compare", "a.json"], "--compare")],
)  # fmt: skip
def test_wrong_options(tmp_path, arguments, told):
    done = quern("profile", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_the_programs_own_options_are_its_own(program):
    done = quern("profile", program("import sys\nprint(sys.argv[1:])\n"), "--nonsense", "--html", "x")
    assert done.returncode == 0 and done.stdout == "['--nonsense', '--html', 'x']\n"
