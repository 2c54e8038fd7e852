"""The build in build/develop: CMake when its settings change, ninja when a source does."""

import contextlib
import glob
import hashlib
import os
import re
import shutil
import time

from setup import environment
from setup.messages import duration, fail, on_terminal, say, show
from setup.processes import explain, run

# What a build reads, by part. Of bench/, only its CMake file: the benchmarks are built by name.
SOURCES = ["CMakeLists.txt", "CMakePresets.json", "engine", "bindings", "tools"]
TEST_SOURCES = ["tests/engine", "examples/cpp", "bench/CMakeLists.txt"]

# Seconds that steps take on one core of 2020: the first pattern that is found in ninja's line counts.
WEIGHTS = [
    (r"^Linking .*quern_clang", 2),
    (r"^Linking", 0.2),
    (r"^Building .*cmake_pch", 4),
    (r"^Building .*nanobind-static", 1),
    (r"^Building .*quern_clang", 7),
    (r"^Building .*_engine\.dir", 2),
    (r"^Building .*/scan\.cpp", 12),
    (r"^Building .*/(convert|reduce|rows_|fourier_)", 5),
    (r"^Building .*tests/engine", 2.5),
    (r"^Building", 1),
    (r"", 1),
]


def folder(root):
    return os.path.join(root, "build", "develop")


def libraries(root):
    return os.path.join(root, "python", "quern", "lib")


def cached(root, name):
    """Return a setting in CMake's cache, or None."""
    try:
        with open(os.path.join(folder(root), "CMakeCache.txt"), encoding="utf-8", errors="replace") as f:
            found = re.search(rf"^{re.escape(name)}:\w+=(.*)$", f.read(), re.MULTILINE)
    except OSError:
        return None
    return found[1] if found else None


# CMake's name of a language, and the variable that names its compiler.
LANGUAGES = {"CXX": "CXX", "C": "CC"}


def compiler(root, language="CXX"):
    """Return the command of the compiler that CMake uses or will use, as a list of words, or None where there is none.

    A configured build keeps its compiler. Before, a variable counts even where it names nothing that exists, as it does for CMake.
    """
    before = shutil.which(cached(root, f"CMAKE_{language}_COMPILER") or "")
    if before:
        return [before]
    if named := os.environ.get(LANGUAGES[language], "").split():
        return named
    names = ("c++", "g++", "clang++") if language == "CXX" else ("cc", "gcc", "clang")
    return next(([path] for path in map(shutil.which, names) if path), None)


def llvm_root(root):
    return os.environ.get("QUERN_LLVM_ROOT") or cached(root, "QUERN_LLVM_ROOT") or "/usr/lib/llvm-19"


# ---- whether there is anything to do


def is_ready(root, part):
    """Return whether the last build of this part saw the sources as they are, and its libraries still exist."""
    return _read(_stamp(root, part)) == source_state(root, part) and is_built(root)


def is_built(root):
    """Return whether there are libraries, new or old."""
    try:
        files = os.listdir(libraries(root))
    except OSError:
        return False
    return "libquern.so" in files and any(f.startswith("_engine.") for f in files)


def stamps(root):
    return [_stamp(root, part) for part in ("run", "test")]


def _stamp(root, part):
    return os.path.join(folder(root), f"quern-built-{part}")


def _read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except OSError:
        return None


def source_state(root, part):
    """Return a hash that changes whenever a file that the build reads does."""
    digest = hashlib.sha256(f"{root}\n{environment.python_version(root)}\n".encode())
    for top in SOURCES + (TEST_SOURCES if part == "test" else []):
        for path, status in _files(os.path.join(root, top)):
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _files(top):
    """Return the files below a folder, with their status, sorted."""
    if os.path.isfile(top):
        return [(top, os.stat(top))]
    found, folders = [], [top]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.name == "__pycache__" or entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_file():
                        found.append((entry.path, entry.stat()))
        except FileNotFoundError:
            continue  # removed while we read
    return sorted(found, key=lambda one: one[0])


# ---- configure and build


def build(root, part, held):
    """Build what this part needs; return whether there was anything to do."""
    if is_ready(root, part):
        return False
    states = {p: source_state(root, p) for p in ("run", "test")}
    environ = dict(os.environ, PATH=os.path.dirname(environment.python(root)) + os.pathsep + os.environ["PATH"], PWD=root)
    environ["NINJA_STATUS"] = "[%f/%t] "
    _configure(root, part, held, environ)
    _ninja(root, "runtime" if part == "run" else "all", held, environ)
    for built in ("run", "test") if part == "test" else ("run",):
        _write(_stamp(root, built), states[built])
    return True


def _configure(root, part, held, environ):
    """Run CMake unless it has run with these settings."""
    before = cached(root, "CMAKE_HOME_DIRECTORY")
    if before and os.path.realpath(before) != root:
        say("the clone was moved: build/develop is made anew")
        shutil.rmtree(folder(root), ignore_errors=True)
    tests = "ON" if part == "test" or cached(root, "QUERN_TESTS") == "ON" else "OFF"
    preset = _read(os.path.join(root, "CMakePresets.json"))
    version = environment.python_version(root)
    settings = f"{version}\n{tests}\n{llvm_root(root)}\n{preset}"
    done_before = os.path.join(folder(root), "quern-configured")
    last = _read(done_before)
    is_lost = any(_has_lost_compiler(root, one) for one in LANGUAGES)
    if last == settings and os.path.exists(os.path.join(folder(root), "build.ninja")) and not is_lost:
        return
    if last is not None:
        os.remove(done_before)
    if is_lost or (last is not None and last.split("\n")[0] != version):  # CMake would keep the compiler and the other Python's headers
        for kept in glob.glob(os.path.join(folder(root), "CMakeFiles", "[0-9]*")):
            shutil.rmtree(kept)
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(folder(root), "CMakeCache.txt"))
    command = ["cmake", "--preset", "develop", f"-DPython_EXECUTABLE={environment.python(root)}", f"-DQUERN_TESTS={tests}"]
    command.append(f"-DQUERN_LLVM_ROOT={llvm_root(root)}")
    done = run(command, held, waiting="configuring the build", cwd=root, env=environ)
    if done.status != 0:
        lines = "\n".join(line for line in done.output.splitlines() if not line.startswith("-- "))
        todo = explain(done.output, root) or "Fix what it reports, then run this again; after a change of compiler: rm -r build/develop"
        fail(f"cmake failed:\n{lines[-3000:]}\n{todo}")
    _write(done_before, settings)


def _has_lost_compiler(root, language):
    before = cached(root, f"CMAKE_{language}_COMPILER")
    return bool(before) and shutil.which(before) is None


def _ninja(root, target, held, environ):
    command = ["ninja", "-C", folder(root), target]
    plan = run([*command[:3], "-t", "commands", target], held, limit=None, env=environ)
    progress = Progress(plan.output.splitlines(), len(os.sched_getaffinity(0)))
    done = run(command, held, on_line=progress.line, env=environ)
    if done.status != 0:
        failed = done.output[max(done.output.find("FAILED:"), 0) :]
        lines = [line for line in dict.fromkeys(failed.splitlines()) if not _parse(line)[2] and not line.startswith("ninja: Entering")]
        if cause := explain(failed, root):
            lines = [line for line in lines if "rror" in line][:3]
        todo = cause or "Fix it, then run this again; what is built is kept. A fresh start: rm -r build/develop"
        fail("\n".join(["the build failed:", *lines[:60], todo]))


def _write(path, text):
    try:
        with open(path + ".new", "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(path + ".new", path)
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}\n{explain(error.strerror, os.path.dirname(path))}")


class Progress:
    """How far ninja is: a line that overwrites itself on a terminal, and one line for each tenth in a log.

    Parameters
    ----------
    commands : list of str
        The commands of all steps that the target can need. Ninja counts those that it does need, without a word which they are; their cost
        is taken as the mean of all that have not ended yet.
    jobs : int
        Steps that run side by side.
    """

    def __init__(self, commands, jobs):
        weights = [_weight(_step_of(command)) for command in commands]
        self.others, self.cost_of_others = len(weights), sum(weights)
        self.jobs, self.start, self.tenth, self.done = jobs, time.monotonic(), 0, 0

    def line(self, text):
        """Read a line of ninja's output; only lines of finished steps count."""
        finished, steps, step = _parse(text)
        if not step:
            return
        if finished == 1:
            self._begin(steps)
        self.done += _weight(step)
        self.others, self.cost_of_others = self.others - 1, self.cost_of_others - _weight(step)
        remaining = self._cost(steps - finished)
        share, count = self.done / (self.done + remaining), f"{finished} of {steps} steps"
        if on_terminal():
            show(f"building, {share:.0%} ({count}), about {duration(self._seconds(remaining))} left")
        elif int(share * 10) > self.tenth:
            self.tenth = int(share * 10)
            say(f"built {self.tenth * 10}% ({count}) in {duration(time.monotonic() - self.start)}")

    def _begin(self, steps):
        self.tenth, self.done = 0, 0
        seconds = self._seconds(self._cost(steps))
        if seconds > 30:
            cores = f"{self.jobs} core{'s' * (self.jobs > 1)}"
            say(f"building, about {duration(seconds)} on {cores} if they are free: sources are newer than the build")

    def _cost(self, steps):
        return steps * max(self.cost_of_others, 0) / self.others if self.others > 0 else steps

    def _seconds(self, cost):
        """Return the seconds for steps of this cost: by the speed so far, and at first by that of a machine of 2020."""
        first = 20 * self.jobs
        speed = (self.done + first) / (time.monotonic() - self.start + first / self.jobs)
        return cost / speed


def _parse(line):
    """Return the numbers of finished and of all steps and the description, from a line such as "[3/200] Building CXX object ..."."""
    found = re.match(r"\[([1-9]\d*)/(\d+)\] (?!Re-)(.*)", line)  # not CMake's "Re-checking globbed directories"
    return (int(found[1]), int(found[2]), found[3]) if found else (0, 0, "")


def _step_of(command):
    """Return a step's description, as far as _weight() reads it, from its command."""
    output = re.search(r" -o (\S+)", command)
    if command.startswith(": &&") or " -c " in command:
        return f"{'Building' if ' -c ' in command else 'Linking'} {output[1] if output else ''}"
    return command[:200]


def _weight(step):
    return next(seconds for pattern, seconds in WEIGHTS if re.search(pattern, step))
