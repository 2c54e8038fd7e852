"""The first-use set-up of a clone (./quern, tools/setup): steps, lock, interruption, messages; with stand-ins for all that it starts."""

import re
import signal
import sys
import time

import pytest
from setup_stubs import ROOT, Clone

sys.path.insert(0, str(ROOT / "tools"))
from setup import building, environment, processes  # noqa: E402

WITHOUT_A_BUILD = {
    (): (0, "quern run FILE"),
    ("help",): (0, "quern cache"),
    ("--version",): (0, "0."),
    ("-V",): (0, "0."),
    ("--version", "foo"): (2, "quern --version takes no arguments: foo"),
    ("help", "run"): (2, "quern run --help shows its options"),
    ("--cmake-dir", "here"): (2, "takes no arguments: here"),
    ("cache",): (1, "./quern setup builds it"),
    ("cache", "--help"): (0, "usage: quern cache"),
    ("cache", "empty"): (2, "invalid choice: 'empty'"),
    ("--cmake-dir",): (1, "./quern setup builds it"),
    ("frobnicate",): (2, "there is no command 'frobnicate'\n"),
    ("tset",): (2, "there is no command 'tset'; did you mean quern test?"),
    ("--verison",): (2, "did you mean quern --version?"),
    ("program.py", "--fast"): (2, "there is no command 'program.py'; did you mean quern run program.py?"),
    ("run",): (2, "usage: quern run"),
    ("run", "nothing.py"): (2, "nothing.py: No such file"),
    ("run", "-m"): (2, "the name of a module"),
    ("run", "--help"): (0, "usage: quern run"),
    ("profile",): (2, "usage: quern profile"),
    ("profile", "--help"): (0, "--tree"),
    ("profile", "--lines", "3", "nothing.py"): (2, "nothing.py: No such file"),
    ("profile", "--compare", "a.json", "b.json"): (2, "quern profile: a.json: No such file"),
    ("profile", "--compare", "quern", "quern", "x.py"): (2, "--compare takes two files and no program: x.py"),
    ("profile", "--json", "/nowhere/x.json", "x.py"): (2, "/nowhere/x.json: there is no folder /nowhere"),
    ("check", "--json", ".", "x.py"): (2, "quern check: .: is a folder"),
    ("run", "tools"): (2, "tools is a folder without a __main__.py"),
    ("run", ""): (2, "quern run: '': No such file"),
    ("check", "--orders", "many", "x.py"): (2, "'many' is not a number"),
    ("setup", "everything"): (2, "usage: ./quern setup"),
    ("setup", "test", "run"): (2, "usage: ./quern setup"),
    ("--help",): (0, "Examples:\n  quern run program.py  "),
    ("setup", "--help"): (0, "Examples:\n  ./quern setup  "),
    ("test", "--help"): (0, "Examples:\n  ./quern test  "),
    ("doctor",): (0, "started -m quern_doctor"),
}


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


def wait_for(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen in a minute")


def has_ended(process):
    try:
        with open(f"/proc/{process}/stat") as f:
            return ") Z " in f.read()
    except OSError:
        return True


@pytest.mark.parametrize("arguments", WITHOUT_A_BUILD, ids=" ".join)
def test_commands_without_a_build(clone, arguments):
    status, text = WITHOUT_A_BUILD[arguments]
    assert text in clone.quern(*arguments, status=status)
    assert not clone.log() and not (clone.root / "build").exists()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words, status", [("doctor", 0), ("run {program}", 0), ("--version", 0), ("frobnicate", 2), ("test --list", 2)])
def test_streams_that_the_caller_has_closed(clone, closed, words, status):
    clone.do("ninja", 'for i in 0 1 2; do [ -e /proc/self/fd/$i ] || echo "closed: $i" >> "$STUBS/log"; done\n')
    clone.write(clone.root / "closing", f'exec "$@" {closed}\n')
    shell = ["/bin/sh", str(clone.root / "closing")]
    text = clone.quern(*words.format(program=clone.program).split(), status=status, before=shell)
    assert not [line for line in clone.log() if line.startswith("closed")]
    assert ("started" in text) == (words.split()[0] in ("doctor", "run") and ">&-" not in closed.replace("2>&-", "")), text


# ---- folders with odd names


def test_headers_are_found_below_folders_with_odd_names(tmp_path):
    import take_cccl

    prelude, folder = tmp_path / "prelude", tmp_path / "a (b) it's $HOME #1 中文" / "cccl"
    Clone.write(prelude / "quern/sort.cuh", "#include <cub/block/block_scan.cuh>\n")
    Clone.write(folder / "cub/block/block_scan.cuh", '#include <cub/config.cuh>\n#include <cuda/std/limits>\n#ifdef NEVER\n#include <cub/other.cuh>\n#endif\n')
    for name in ("cub/config.cuh", "cub/other.cuh", "cub/unused.cuh", "cuda/std/limits"):
        Clone.write(folder / name, "")
    found = [file.as_posix() for file in take_cccl.needed(prelude, folder, "c++")]
    assert found == ["cub/block/block_scan.cuh", "cub/config.cuh", "cub/other.cuh", "cuda/std/limits"]


def test_commands_of_the_build_quote_their_paths():
    """Without VERBATIM a clone below a folder such as `it's (new)` cannot be built."""
    for file in (ROOT / "CMakeLists.txt", *ROOT.glob("[betd]*/**/CMakeLists.txt")):
        if "build" not in file.relative_to(ROOT).parts:
            for command in re.findall(r"add_custom_command\((.*?)\)\n", file.read_text(), re.DOTALL):
                assert command.split()[-1] == "VERBATIM", f"{file}: {command}"


def test_all_commands_are_listed_once():
    from quern_doctor import commands

    names = [name for name, _, _ in commands.COMMANDS]
    assert len(set(names)) == len(names) and all(f"quern {name}" in commands.usage() for name in names)
    from quern.tools.cli import main

    assert main(["frobnicate"]) == 2 and main(["test"]) == 2 and main(["--version"]) == 0


def test_running_needs_less_than_testing(clone):
    text = clone.quern("run", clone.program)
    assert f"started -m quern run {clone.program}" in text
    assert re.search(r"done \(system packages \d+ s, Python packages \d+ s, build \d+ s\)", text)
    log = clone.log()
    assert [line.split()[0] for line in log] == ["apt-get", "apt-get", "venv", "pip", "cmake", "ninja"]
    assert log[1].endswith(" libstub-dev") and "pytest" not in log[3]
    assert "-DQUERN_TESTS=OFF" in log[4] and log[5].endswith("build/develop runtime")

    assert "set-up" not in clone.quern("run", clone.program) and not clone.log()

    assert "started" in clone.quern("test", "-k", "x")
    log = clone.log()
    assert [line.split()[0] for line in log] == ["apt-get", "apt-get", "pip", "pip", "cmake", "ninja"]
    assert log[1].endswith(" libtests-dev") and " pytest " in log[2] and "numba" not in log[2]
    assert f"--target {clone.root}/.venv/numba numba==" in log[3]
    assert "-DQUERN_TESTS=ON" in log[4] and log[5].endswith("build/develop all")
    for part in ([], ["run"], ["test"]):
        assert clone.quern("setup", *part).startswith("quern is set up already") and not clone.log()
    clone.quern("run", clone.program)
    assert not clone.log()


def test_numba_need_not_have_a_wheel(clone):
    clone.do("pip", 'case "$*" in *numba==*) echo "ERROR: No matching distribution found for numba"; exit 1;; esac\n')
    text = clone.quern("test")
    assert "cannot be installed: No matching distribution found for numba. Tests that compare with it are skipped" in text
    assert "started" in text and "No matching distribution" in (clone.root / ".venv/numba-missing").read_text()
    clone.log()
    assert "started" in clone.quern("test") and not clone.log()  # it is not tried again


def test_pip_installs_into_the_environment_alone(clone):
    clone.do("pip", 'echo "pip finds $PIP_TARGET$PIP_PREFIX$PIP_USER$PYTHONPATH, $PIP_INDEX_URL" >> "$STUBS/log"\n')
    elsewhere = dict.fromkeys(("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PYTHONPATH"), "/elsewhere")
    clone.quern("test", PIP_INDEX_URL="http://mirror", **elsewhere)
    assert [line for line in clone.log() if line.startswith("pip finds")] == ["pip finds , http://mirror"] * 2


def test_a_changed_source_is_built_with_the_settings_as_they_are(clone):
    clone.quern("test")
    clone.log()
    clone.write(clone.root / "engine/one.cpp", "int two_;\n")
    clone.quern("run", clone.program)
    assert [line.split()[-1] for line in clone.log()] == ["runtime"]
    clone.write(clone.root / "tests/engine/one_test.cpp", "int three;\n")
    clone.quern("run", clone.program)
    assert not clone.log()
    clone.quern("test")
    assert [line.split()[-1] for line in clone.log()] == ["all"]


def test_removed_libraries_and_a_moved_clone(clone):
    clone.quern("run", clone.program)
    (clone.root / "python/quern/lib/libquern.so").unlink()
    clone.log()
    clone.quern("run", clone.program)
    assert [line.split()[0] for line in clone.log()] == ["ninja"]
    clone.root = clone.root.rename(clone.root.with_name("moved"))
    text = clone.quern("run", clone.program)
    assert "the clone was moved" in text
    assert [line.split()[0] for line in clone.log()] == ["venv", "pip", "cmake", "ninja"]


def test_nothing_to_do_takes_milliseconds():
    building.source_state(str(ROOT), "test")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        environment.is_ready(str(ROOT), "test")
        building.source_state(str(ROOT), "test")
        times.append(time.perf_counter() - start)
    assert min(times) < 0.03


# ---- the lock


def test_a_second_set_up_waits_and_says_for_whom(clone):
    clone.do("ninja", "sleep 1\n")
    first = clone.start("run", clone.program)
    wait_for((clone.root / ".venv/quern-packages").exists)
    second = clone.quern("run", clone.program)
    assert re.search(rf"waiting for another set-up of this clone: ./quern run \S+, process {first.pid}, since \d+:", second)
    assert "started" in second and "done (" not in second
    assert first.wait() == 0 and sum(line.startswith("ninja") for line in clone.log()) == 1
    first.stdout.close()


def test_no_waiting_where_nothing_is_to_do(clone):
    clone.quern("run", clone.program)
    clone.do("ninja", "sleep 1.5\n")
    first = clone.start("test")
    wait_for(lambda: any(line.endswith(" all") for line in clone.log()))
    assert "waiting for" not in clone.quern("run", clone.program)
    assert first.poll() is None
    assert "started" in first.communicate()[0]


@pytest.mark.parametrize("step, name", [("ninja", "ninja"), ("pip", "pip"), ("cmake", "cmake")])
def test_the_lock_outlives_a_killed_holder_as_long_as_its_children(clone, step, name):
    clone.do(step, 'echo $$ > "$STUBS/pid"; sleep 1.5; rm "$STUBS/pid"\n')
    first = clone.start("run", clone.program)
    pid = clone.stubs / "pid"
    wait_for(lambda: pid.exists() and pid.read_text().endswith("\n"))
    child = pid.read_text().strip()
    first.kill()
    first.communicate()
    second = clone.start("run", clone.program)
    clone.write(clone.stubs / f"do-{step}", 'if [ -e "$STUBS/pid" ]; then echo "two at once" >> "$STUBS/log"; fi\n')
    text = second.communicate(timeout=30)[0]
    assert re.search(rf"waiting for {name}, process {child}, left running by a set-up that was killed: ./quern run \S+, since \d+:", text), text
    assert f"process {first.pid}" not in text and "started -m quern" in text
    assert "two at once" not in clone.log()


# ---- interruption


@pytest.mark.parametrize("step", ["pip", "cmake", "ninja"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_set_up_ends_its_children_and_resumes(clone, step, number):
    clone.do(step, 'sleep 60 & echo $$ $! > "$STUBS/pid"; wait\n')
    process = clone.start("run", clone.program)
    pids = clone.stubs / "pid"
    wait_for(lambda: pids.exists() and pids.read_text().endswith("\n"))
    process.send_signal(number)
    text = process.communicate(timeout=20)[0]
    assert process.returncode == 128 + number
    assert text.splitlines()[-1].startswith("quern set-up: interrupted; run the same command again") and "Traceback" not in text
    wait_for(lambda: all(has_ended(one) for one in pids.read_text().split()))
    clone.do(step, "")
    clone.log()
    assert "started" in clone.quern("run", clone.program)
    again = {"pip": ["venv", "pip", "cmake", "ninja"], "cmake": ["cmake", "ninja"], "ninja": ["ninja"]}[step]
    assert [line.split()[0] for line in clone.log()] == again


def test_an_interrupted_set_up_waits_for_dpkg(clone):
    clone.do("apt-get", 'trap "" INT TERM; echo > "$STUBS/begun"; sleep 0.5; echo ended >> "$STUBS/log"\n')
    process = clone.start("run", clone.program)
    wait_for((clone.stubs / "begun").exists)
    process.send_signal(signal.SIGTERM)
    text = process.communicate(timeout=20)[0]
    assert process.returncode == 128 + signal.SIGTERM and "waiting until apt-get has ended" in text
    assert "ended" in clone.log()


def test_an_environment_that_pip_left_unfinished_is_made_anew(clone):
    clone.do("pip", "kill -9 $PPID; exit\n")
    clone.start("run", clone.program).communicate()
    clone.do("pip", "")
    clone.log()
    assert "started" in clone.quern("run", clone.program)
    assert [line.split()[0] for line in clone.log()][:2] == ["venv", "pip"]


def test_interrupted_dpkg_is_completed(clone):
    clone.do("apt-get", 'case "$*" in *libstub*) [ -e "$STUBS/fixed" ] || { echo "E: dpkg was interrupted, you must manually run '
             "'dpkg --configure -a' to correct the problem.\"; exit 100; };; *--fix-broken*) touch \"$STUBS/fixed\";; esac\n")  # fmt: skip
    clone.do("dpkg-query", "echo 'reinstreq half'; echo 'ok whole'\n")
    assert "an earlier installation was interrupted; completing it" in clone.quern("run", clone.program)
    log = [line for line in clone.log() if line.startswith(("apt", "dpkg"))]
    assert [re.search("update|libstub|--configure|--reinstall half|--fix-broken", line)[0] for line in log] == [
        "update", "libstub", "--configure", "--reinstall half", "--fix-broken", "libstub"
    ]  # fmt: skip


# ---- messages

NO_APT = "import shutil; which = shutil.which; shutil.which = lambda name: None if name == 'apt-get' else which(name)"
NO_ROOT = "os.geteuid = lambda: 1000; packages.shutil.which = (lambda which: lambda name: None if name == 'sudo' else which(name))(packages.shutil.which)"
NO_HEADERS = "packages.PACKAGES.append(packages.Package(packages.PYTHON + '-dev', '', '', lambda _: False)); packages.has_python_headers = lambda: False"
FAILURES = {
    "apt: no network": ("apt-get", "E: Failed to fetch http://x  Temporary failure resolving 'deb.debian.org'", "The network cannot be reached"),
    "apt: old release": ("apt-get", "E: Unable to locate package llvm-19-dev", "This release lacks such packages"),
    "apt: full disk": ("apt-get", "dpkg: error: write: No space left on device", "The disk is full"),
    "apt: another at work": ("apt-get", "E: Could not get lock /var/lib/dpkg/lock-frontend.", "Another program installs packages"),
    "apt: broken": ("apt-get", "E: Unmet dependencies. Try 'apt --fix-broken install'", "Complete it as root"),
    "pip: no network": ("pip", "ERROR: Failed to establish a new connection: [Errno -3]", "The network cannot be reached"),
    "pip: full disk": ("pip", "ERROR: Could not install packages: [Errno 28] No space left on device", "The disk is full"),
    "pip: other": ("pip", "ERROR: something", "Fix what pip reports"),
    "cmake": ("cmake", "CMake Error: no such thing", "CMake Error: no such thing"),
    "ninja": ("ninja", "FAILED: x.cpp.o\nx.cpp:1: error: unresolved overload", "what is built is kept"),
    "ninja: memory": ("ninja", "FAILED: x\nc++: fatal error: Killed signal terminated program cc1plus", "The memory is short"),
    "ninja: full disk": ("ninja", "FAILED: x\nfatal error: error writing to x.s: No space left on device", "The disk is full"),
}
OTHERS = {
    "old compiler": (dict(STUB_GCC="9"), "c++ is GCC 9.2; the engine's C++20 needs GCC 11"),
    "CXX": (dict(CXX="g++-99"), "CXX=g++-99 names no command that can be found. Name GCC 11"),
    "CXX with words": (dict(CXX="g++-99 -m64"), "CXX=g++-99 -m64 names no command"),
    "CC": (dict(CC="/no/gcc"), "CC=/no/gcc names no command"),
    "no compiler": (dict(CXX="/bin/true"), "/bin/true is neither GCC nor clang. The build needs GCC 11"),
    "no C compiler": (dict(CC="/bin/echo"), "/bin/echo is neither GCC nor clang (-dM -E -x c /dev/null)"),
    "LLVM": (dict(QUERN_LLVM_ROOT="/bin"), "QUERN_LLVM_ROOT=/bin has no bin/llvm-config, bin/ld.lld, lib/libclangFrontend.a, lib/liblldELF.a"),
    "old cmake": (dict(STUB_CMAKE="3.18.4"), "cmake is 3.18; the build needs 3.21 or newer"),
    "no apt": (dict(STUB_PATCH=NO_APT), "dnf install stub-devel"),
    "no root": (dict(STUB_PATCH=NO_ROOT), "su -c 'apt-get update"),
    "no headers": (dict(STUB_PATCH=NO_HEADERS), "has no headers (Python.h)"),
    "processor": (dict(STUB_PATCH="import platform; platform.machine = lambda: 'aarch64'"), "x86-64; this machine is Linux on aarch64"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_failures_are_explained(clone, case):
    name, output, expected = FAILURES[case]
    clone.do(name, f'printf "%s\\n" "{output}"; exit 1\n')
    text = clone.quern("run", clone.program, status=1)
    assert expected in text and "started" not in text
    assert ("network" in text) == ("network" in case)
    clone.do(name, "")
    assert "started" in clone.quern("run", clone.program)


@pytest.mark.parametrize("variable", ["CXXFLAGS", "LDFLAGS", "CFLAGS"])
def test_a_compiler_that_builds_no_program(clone, variable):
    for name in ("c++", "cc"):
        clone.do(name, 'case "$*" in *--bad*) echo "note"; echo "$0: error: unknown option --bad"; exit 1;; esac\n')
    text = clone.quern("run", clone.program, status=1, **{variable: "--bad"})
    assert f"cannot build a program with {variable}=--bad:\n" in text and f"Unset {variable}, then run this again" in text
    assert "unknown option" in text.splitlines()[-2] and not [line for line in clone.log() if line.startswith("cmake")]
    clone.do("c++", "echo 'ld: error: cannot find crt1.o'; case $* in *-dM*) ;; *) exit 1;; esac\n")
    assert "c++ cannot build a program:\n    ld: error: cannot find crt1.o\n" in clone.quern("run", clone.program, status=1)


def test_a_wrong_variable_is_named_before_packages_are_installed(clone):
    clone.quern("run", clone.program, status=1, CXX="g++-99")
    assert not clone.log()


def test_a_compiler_that_was_removed(clone):
    clone.quern("run", clone.program, CXX=str(clone.stubs / "clang++"))
    clone.write(clone.root / "engine/one.cpp", "int two_;\n")
    clone.log()
    assert "started" in clone.quern("run", clone.program, CXX="g++-99")  # a configured build keeps its compiler
    assert [line.split()[0] for line in clone.log()] == ["ninja"]
    (clone.stubs / "clang++").unlink()
    clone.write(clone.root / "engine/one.cpp", "int three;\n")
    clone.quern("run", clone.program)
    assert [line.split()[0] for line in clone.log()] == ["cmake", "ninja"]


@pytest.mark.parametrize("case", OTHERS)
def test_what_is_missing_is_named(clone, case):
    patches, expected = OTHERS[case]
    assert expected in clone.quern("run", clone.program, status=1, **patches)


def test_a_clone_that_cannot_be_written(clone):
    (clone.root / "build").write_text("")
    text = clone.quern("run", clone.program, status=1)
    assert "cannot write to" in text and "copy the clone" in text and not clone.log()


REFUSED = """
import errno, os
stat, access = os.stat, os.access
def refused(path, *rest, **named):
    if str(path).endswith(%r):
        raise PermissionError(errno.EACCES, "Permission denied", path)
    return stat(path, *rest, **named)
os.stat, os.access = refused, lambda path, mode: not str(path).endswith(%r) and access(path, mode)
"""


@pytest.mark.parametrize("path", [".venv/bin/python", "quern-packages", "quern-built-run", "python/quern/lib"])
def test_a_clone_of_another_user_that_cannot_be_read(clone, path):
    clone.quern("run", clone.program)
    clone.write(clone.root / "engine/one.cpp", "int two_;\n")
    clone.log()
    text = clone.quern("run", clone.program, status=1, STUB_PATCH=REFUSED % (path, path))
    assert f"{path} cannot be read by this user" in text and f"git clone {clone.root} FOLDER" in text and not clone.log()
    assert "lock" not in text


def steps(count):
    return [f"c++ -o {i}.cpp.o -c {i}.cpp" for i in range(count)], [f"[{i}/{count}] Building CXX object {i}.cpp.o" for i in range(1, count + 1)]


def test_progress_in_a_log(capsys):
    commands, lines = steps(100)
    progress = building.Progress([*commands, *commands], 2)  # a half of them was built before
    for line in ["[0/2] Re-checking", "[1/1] Re-running CMake", *lines]:
        progress.line(line)
    first, *others = capsys.readouterr().err.splitlines()
    assert re.search(r"building, about \d+ s on 2 cores", first)
    assert [int(re.search(r"built (\d+)%", line)[1]) for line in others] == list(range(10, 101, 10))


def test_progress_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(building, "on_terminal", lambda: True)
    monkeypatch.setattr("setup.messages.on_terminal", lambda: True)
    commands, lines = steps(4)
    building.Progress(commands, 1).line(lines[0])
    assert re.search(r"\r.*building, 25% \(1 of 4 steps\), about \d+ s left$", capsys.readouterr().err)


def test_a_full_disk_that_no_program_reports(clone):
    clone.do("venv", "echo \"Error: Command 'ensurepip' returned non-zero exit status 1.\"; exit 1\n")
    assert "Try it by hand" in clone.quern("run", clone.program, status=1)
    full = "import shutil, types; shutil.disk_usage = lambda _: types.SimpleNamespace(free=4096)"
    assert "The disk is full (0 MiB are free in" in clone.quern("run", clone.program, status=1, STUB_PATCH=full)


def test_what_explains_nothing():
    assert processes.explain("error: unresolved overloaded function type", "/") == ""
