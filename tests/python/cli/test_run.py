"""`quern run`, and the programs that must run unmodified."""

import importlib.util
import os
import pathlib

import pytest
from array_examples import PROGRAMS as ARRAY_PROGRAMS
from devices import DEVICES
from programs import ROOT, environment, quern

PROGRAMS = os.environ.get("QUERN_PROGRAMS")
# Those on arrays, with torch and with Keras run in test_array_examples.py, test_torch_examples.py and test_keras_programs.py, with sizes.
EXAMPLES = sorted(
    p.name
    for p in pathlib.Path(ROOT, "examples").glob("*.py")
    if p.name not in ARRAY_PROGRAMS and not p.name.startswith(("keras_", "torch_"))
)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["pycuda_add.py", "pycuda_stream.py"])
@pytest.mark.skipif(not PROGRAMS, reason="QUERN_PROGRAMS is not set")
def test_programs_run_unmodified(name, device):
    done = quern("run", os.path.join(PROGRAMS, name), QUERN_DEVICE=device)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(".") >= 6 and done.stdout.startswith("[")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, device, tmp_path):
    done = quern("run", os.path.join(ROOT, "examples", name), cwd=tmp_path, QUERN_DEVICE=device)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    for picture in tmp_path.glob("*.png"):
        assert picture.read_bytes()[:4] == b"\x89PNG"


def test_sobel_says_where_it_ran(tmp_path):
    done = quern("run", os.path.join(ROOT, "examples", "sobel.py"), cwd=tmp_path, QUERN_DEVICE="cpu")
    last = done.stdout.splitlines()[-1]
    assert last.startswith("device: ") and "compile" in last and "copies" in last and "kernel" in last
    assert (tmp_path / "sobel.png").exists()


def test_the_file_is_main_and_gets_its_arguments(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import sys, helper\nif __name__ == '__main__':\n    print(sys.argv[1:], helper.name, __file__)\n")
    (tmp_path / "helper.py").write_text("import pycuda.driver\nname = pycuda.driver.__name__\n")
    done = quern("run", path, "a", "--b")
    assert done.stdout.strip() == f"['a', '--b'] quern.pycuda.driver {path}", done.stderr


def test_annotations_are_the_programs_own(tmp_path):
    """What stands at the head of the file that runs it does not hold for a program."""
    path = tmp_path / "program.py"
    path.write_text("def f(x: int) -> list[float]: ...\nprint(f.__annotations__)\n")
    assert quern("run", path).stdout.strip() == "{'x': <class 'int'>, 'return': list[float]}"
    path.write_text("from __future__ import annotations\n" + path.read_text())
    assert quern("run", path).stdout.strip() == "{'x': 'int', 'return': 'list[float]'}"


def test_tracebacks_are_the_programs_own(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("def f():\n    return 1 / 0\n\nf()\n")
    done = quern("run", path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "Traceback (most recent call last):"
    assert "quern" not in done.stderr.replace(str(path), "") and f'File "{path}", line 2' in done.stderr
    path.write_text("x = (\n")
    done = quern("run", path)
    assert done.returncode == 1 and "SyntaxError" in done.stderr


@pytest.mark.parametrize("text, name", [
    ("import cupy as cp; cp.linspce(0, 1, 3)", "linspace"), ("from numba import cuda; cuda.gird(1)", "grid"),
    ("import torch; torch.zeos(3)", "zeros"), ("import quern as qn; qn.ones(3).summ()", "sum"), ("total = 1; print(totl)", "total"),
])  # fmt: skip
def test_errors_suggest_names(tmp_path, text, name):
    path = tmp_path / "program.py"
    path.write_text(text)
    done = quern("run", path)
    assert done.returncode == 1 and done.stderr.endswith(f"Did you mean: '{name}'?\n"), done.stderr


@pytest.mark.parametrize("exit, status", [("sys.exit(3)", 3), ("sys.exit()", 0), ("sys.exit('bad')", 1), ("raise KeyboardInterrupt", 130)])
def test_exit_status(tmp_path, exit, status):
    path = tmp_path / "program.py"
    path.write_text(f"import sys\n{exit}\n")
    assert quern("run", path).returncode == status


def test_a_file_that_is_not_there(tmp_path):
    done = quern("run", tmp_path / "nothing.py")
    assert done.returncode == 2 and "nothing.py" in done.stderr


@pytest.mark.parametrize("folder", ["site-packages", "made by pip install --target"])
def test_installed_packages_get_the_real_module(tmp_path, folder):
    site = tmp_path / folder
    (site / "pycuda").mkdir(parents=True)
    (site / "library-1.0.dist-info").mkdir()
    (site / "pycuda" / "__init__.py").write_text("")
    (site / "pycuda" / "driver.py").write_text("real = True\n")
    (site / "library.py").write_text("import pycuda.driver as d\nreal = getattr(d, 'real', False)\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import library, pycuda.driver as d\nfrom pycuda import compiler\nprint(library.real, hasattr(d, 'real'), compiler.__name__)\n"
    )
    done = quern("run", program, PYTHONPATH=os.pathsep.join([*filter(None, [environment().get("PYTHONPATH")]), str(site)]))
    assert done.stdout.strip() == "True False quern.pycuda.compiler", done.stderr


def test_import_module_finds_the_front_end(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import importlib\nprint(importlib.import_module('pycuda.driver').__name__)\n")
    assert quern("run", program).stdout.strip() == "quern.pycuda.driver"


def test_parts_that_stand_elsewhere(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import cupy as cp, cupy.prof, cupy.core.core, cupy.util\n"
        "from cupy.core.dlpack import toDlpack\n"
        "from cupy._core import create_ufunc\n"
        "print(cp.prof.TimeRangeDecorator.__name__, cupy.core.core.ndarray is cp.ndarray, cp.util.memoize is cp.memoize, create_ufunc.__name__)\n"
    )
    assert quern("run", program).stdout.strip() == "time_range True True create_ufunc"


def test_importlib_serves_torch_to_the_users_files_alone(tmp_path):
    site = tmp_path / "site-packages"
    site.mkdir()
    (site / "library.py").write_text(
        "import importlib, importlib.util, sys\n"
        "def ask():\n"
        "    try:\n"
        "        there = importlib.import_module('torch').__name__\n"
        "    except ImportError:\n"
        "        there = None\n"
        "    return there, importlib.util.find_spec('torch') and 'spec', 'torch' in sys.modules\n"
    )
    (site / "torch").mkdir()
    (site / "torch" / "__init__.py").write_text("")
    program = tmp_path / "program.py"
    program.write_text(
        "import importlib, importlib.util, sys\n"
        "print(importlib.import_module('torch').__name__, importlib.import_module('torch.nn.functional').__name__)\n"
        "print(importlib.util.find_spec('torch').name, importlib.util.find_spec('torch.nothing'), 'torch' in sys.modules)\n"
        "import library\n"
        "print(library.ask())\n"
    )
    real = "('torch', 'spec', True)" if importlib.util.find_spec("torch") else "(None, None, False)"
    for path, told in ((tmp_path / "nowhere", real), (site, "('torch', 'spec', True)")):
        (tmp_path / "nowhere").mkdir(exist_ok=True)
        if path != site:
            (path / "site-packages").mkdir()
            (path / "site-packages" / "library.py").write_text((site / "library.py").read_text())
            path = path / "site-packages"
        done = quern("run", program, PYTHONPATH=os.pathsep.join([*filter(None, [environment().get("PYTHONPATH")]), str(path)]))
        assert done.stdout.splitlines() == ["quern.torch quern.torch.nn.functional", "torch None False", told], done.stderr


def test_an_unsupported_module(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import pycuda.nothing_of_the_kind\n")
    done = quern("run", program)
    assert done.returncode == 1 and "ModuleNotFoundError: No module named 'pycuda.nothing_of_the_kind'" in done.stderr


def test_usage():
    assert quern().returncode == 0 and "quern run FILE" in quern("--help").stdout
    assert quern("frobnicate").returncode == 2


@pytest.mark.parametrize("command", ["run", "profile", "check"])
def test_modules_texts_and_folders(tmp_path, command):
    package = tmp_path / "parts"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "work.py").write_text(
        "from numba import cuda\n\n@cuda.jit\ndef thrice(x):\n    x[cuda.grid(1)] *= 3\n\ndef f(x):\n    thrice[1, 4](x)\n    return x\n"
    )
    main = "import sys\nimport numpy as np\nfrom parts.work import f\nprint(__name__, sys.argv[1:], f(np.ones(4)))\n"
    (package / "__main__.py").write_text(main)
    done = quern(command, "-m", "parts", "-c", 2, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "__main__ ['-c', '2'] [3. 3. 3. 3.]\n"), done.stderr
    done = quern(command, "-m", "parts.work", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    text = main.replace(
        "from parts.work import f", "from numba import cuda\n@cuda.jit\ndef k(x): x[cuda.grid(1)] *= 3\ndef f(x): k[1, 4](x); return x"
    )
    done = quern(command, "-c", text, "a", "-m", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "__main__ ['a', '-m'] [3. 3. 3. 3.]\n"), done.stderr
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text("import sys, cupy\nprint(sys.argv[1:], cupy.__spec__.name)\n")
    assert quern(command, tmp_path / "folder", "b").stdout == "['b'] quern.cupy\n"


def test_modules_and_texts_that_fail(tmp_path):
    done = quern("run", "-m", "there_is_no_such_module", cwd=tmp_path)
    assert done.returncode == 1 and "No module named there_is_no_such_module" in done.stderr
    done = quern("run", "-c", "import cupy\n1 / 0")
    assert done.returncode == 1 and done.stderr.startswith('Traceback (most recent call last):\n  File "<string>", line 2, in <module>\n')
    assert quern("run", "-c", "raise SystemExit(7)").returncode == 7
    for way, what in (("-m", "the name of a module"), ("-c", "the text of a program")):
        done = quern("run", way)
        assert done.returncode == 2 and f"{way} needs {what}" in done.stderr


@pytest.mark.parametrize("way", ["file", "text"])
def test_syntax_errors_are_shown_alone(tmp_path, way):
    (tmp_path / "main.py").write_text("retrun 1\n")
    done = quern("run", *([tmp_path / "main.py"] if way == "file" else ["-c", "retrun 1\n"]))
    assert done.returncode == 1 and done.stderr.splitlines()[0].startswith('  File "') and "SyntaxError" in done.stderr.splitlines()[-1]


def test_tracebacks_have_no_frames_of_the_import_hooks(tmp_path):
    (tmp_path / "broken.py").write_text("def f():\n    return 1 / 0\n\nf()\n")
    (tmp_path / "middle.py").write_text("try:\n    import broken\nexcept ZeroDivisionError as e:\n    raise ValueError('no') from e\n")
    (tmp_path / "main.py").write_text("import cupy\nimport middle\n")
    done = quern("run", tmp_path / "main.py")
    assert done.returncode == 1 and done.stderr.endswith("ValueError: no\n")
    files = [line.split('"')[1].rpartition("/")[2] for line in done.stderr.splitlines() if line.startswith('  File "')]
    assert files == ["middle.py", "broken.py", "broken.py", "main.py", "middle.py"]
