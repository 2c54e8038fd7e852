"""The tests that take longer than every change can wait for: one table, run in parts. Called by `./quern test --long`.

    ./quern test --long [--part K/N] [--seed S] [--minutes 45] [--only TEXT]
    ./quern test --long --list               the table: names, minutes, commands

As many items run at once as there are cores. Items finished for this state of the sources are kept in build/long-tests.json with the base
seed, so that a second call goes on. No item starts after `--minutes`. Last line: `N passed, N failed, N skipped`.
"""

import argparse
import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import run_tests_arguments
from setup.processes import GRACE, Interrupted, interruptible

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STATE = os.path.join(ROOT, "build", "long-tests.json")
ENGINE_TESTS = "build/develop/tests/engine/"
CORES = len(os.sched_getaffinity(0))
SEEDS_APART = 10_000_000  # between the first seeds of two items, so that no two run the same programs


@dataclasses.dataclass
class Item:
    name: str
    command: list
    minutes: float  # on one core
    environment: dict = dataclasses.field(default_factory=dict)
    needs: str = ""  # a variable that names what the virtual environment lacks


def pytest(arguments):
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments.split()]


# Random programs: name, variable with their number, number, how many items they are split into, minutes of one item on one core, tests.
GENERATORS = [
    ("arrays", "QUERN_RANDOM_PROGRAMS", 1_000_000, 20, 9, "arrays/test_array_random_programs.py"),
    ("views and aliases", "QUERN_ALIAS_PROGRAMS", 1_000_000, 2, 5, "arrays/test_array_alias.py -k tiny"),
    ("gradients", "QUERN_GRADIENT_PROGRAMS", 10_000, 2, 9, "gradients/test_gradient_programs.py"),
    ("PyTorch's gradients", "QUERN_TORCH_PROGRAMS", 10_000, 2, 10, "torch/test_torch_autograd_programs.py -k more_random"),
    ("PyCUDA's order", "QUERN_PYCUDA_PROGRAMS", 10_000, 1, 5, "pycuda/test_pycuda_order.py"),
    ("njit functions", "QUERN_NUMBA_PROGRAMS", 5_000, 5, 12, "kernel/test_njit_random.py -k answers_of_numba"),
    ("odd arguments", "QUERN_ODD_CALLS", 400_000, 2, 8, "engine/test_no_internal_text.py -k random_calls"),
    ("mathematical functions", "QUERN_MATH_POINTS", 10_000, 5, 6, "source/test_device_math.py"),
]
NEEDS = {"QUERN_TORCH_PROGRAMS": "QUERN_TORCH_PYTHON"}
KERNELS, KERNEL_ITEMS, KERNEL_MINUTES = 100_000, 20, 13  # of fuzz_lowering
# Each row of tests/engine/codegen/vector_math_test.cpp: all floats, and many doubles.
VECTOR_FUNCTIONS = """sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p cbrt rcbrt rsqrt
erf erfc pow atan2 hypot""".split()
# Of these every change runs a part: long_runs.part().
WHOLE_TABLES = """arrays/test_array_fft_lines.py arrays/test_array_loops.py arrays/test_array_wide_groups.py checking/test_check_right.py
kernel/test_kernel_ufunc_loops.py kernel/test_njit_random.py kernel/test_njit_ranges.py kernel/test_njit_signatures.py
kernel/test_njit_whole_arrays.py keras/test_keras_conversion.py keras/test_keras_functions.py keras/test_keras_operators.py""".split()


def table(seed):
    """Return all items, with first seeds from `seed` on."""
    items = []
    for name, variable, count, parts, minutes, tests in GENERATORS:
        for i in range(parts):
            environment = {variable: str(count // parts), "QUERN_FIRST_SEED": str(seed + SEEDS_APART * len(items))}
            command = pytest("tests/python/" + tests)
            items.append(Item(f"{name} {i + 1}/{parts}", command, minutes, environment, NEEDS.get(variable, "")))
    for i in range(KERNEL_ITEMS):
        first = str(seed + SEEDS_APART * len(items))
        command = [ENGINE_TESTS + "fuzz_lowering", "--count", str(KERNELS // KERNEL_ITEMS), "--seed", first]
        items.append(Item(f"lowering of kernels {i + 1}/{KERNEL_ITEMS}", command, KERNEL_MINUTES, {"QUERN_CACHE_SIZE": "0"}))
    for name in VECTOR_FUNCTIONS:
        environment = {"QUERN_MATH_ALL": "1", "QUERN_MATH_ONLY": name}
        items.append(Item(f"vector function {name}", [ENGINE_TESTS + "vector_math_test"], 5, environment))
    keras = os.environ.get("QUERN_KERAS_PYTHON", "")
    return items + [
        Item("loops of 10,000 iterations", pytest("tests/python/arrays/test_array_pressure.py"), 2, {"QUERN_LONG_LOOPS": "1"}),
        Item("whole tables of cases", pytest(" ".join("tests/python/" + name for name in WHOLE_TABLES)), 6, {"QUERN_ALL_CASES": "1"}),
        Item("worked additions", pytest("tests/python/tools/test_additions.py"), 12, {"QUERN_BUILD_ADDITIONS": "1"}),
        Item("20,000 kernels in a process", [sys.executable, "bench/many.py"], 30),
        Item("threads under a sanitizer", [sys.executable, "tools/sanitize.py", "thread"], 30),
        Item("Keras's own tests", [keras, "tools/keras_own_tests.py"], 60, {"PYTHONPATH": "python"}, "QUERN_KERAS_PYTHON"),
    ]


def state_of_sources():
    """Return what changes with the commit and with every edit of a tracked file; "unknown" where git does not say."""
    parts = [["rev-parse", "HEAD"], ["diff", "HEAD"]]
    try:
        texts = [subprocess.run(["git", *part], cwd=ROOT, capture_output=True, check=True).stdout for part in parts]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return texts[0].decode().strip()[:12] + ("-" + hashlib.sha256(texts[1]).hexdigest()[:12] if texts[1] else "")


def load_state(seed):
    """Return the state of an earlier call on the same sources, or a new one."""
    now, state = state_of_sources(), read_state()
    if state.get("sources") != now or seed not in (None, state.get("seed")):
        state = {"sources": now, "seed": random.SystemRandom().randrange(2**31) if seed is None else seed, "finished": {}}
    return state


def read_state():
    try:
        with open(STATE, encoding="utf-8") as f:
            state = json.load(f)
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) and isinstance(state.get("finished"), dict) else {}


def save_state(state):
    """Write the state, with the items that another part has finished meanwhile on the same sources."""
    os.makedirs(os.path.dirname(STATE), exist_ok=True)
    with open(STATE + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        other = read_state()
        if (other.get("sources"), other.get("seed")) == (state["sources"], state["seed"]):
            state["finished"] = other["finished"] | state["finished"]
        with open(STATE + ".new", "w", encoding="utf-8") as f:
            json.dump(state, f, indent=1)
        os.replace(STATE + ".new", STATE)


def part_of(items, part, parts):
    """Return the items of part `part` (from 1): parts of about the same length."""
    sums, chosen = [0.0] * parts, []
    for item in sorted(items, key=lambda item: -item.minutes):
        least = sums.index(min(sums))
        sums[least] += item.minutes
        if least == part - 1:
            chosen.append(item)
    return chosen


class Run:
    """Items on all cores."""

    def __init__(self, state, deadline):
        self.state, self.deadline = state, deadline
        self.lock = threading.Lock()
        self.passed, self.failed, self.late = [], [], []
        self.running, self.interrupted = set(), False

    def say(self, *words):
        with self.lock:
            print(*words, flush=True)

    def one(self, item):
        if time.monotonic() > self.deadline:
            self.late.append(item)
            return
        shown = " ".join(f"{k}={v}" for k, v in item.environment.items())
        self.say(f"begins: {item.name} ({shown})")
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="quern-long-") as cache:
            status, output = self.command(item, {**os.environ, "QUERN_CACHE_DIR": cache, **item.environment})
        if self.interrupted:
            return
        minutes = (time.monotonic() - begin) / 60
        if status:
            self.failed.append(item)
            self.say(f"FAILED after {minutes:.1f} min: {item.name}\n    {shown} {' '.join(item.command)}\n{output[-20_000:]}")
            return
        self.passed.append(item)
        with self.lock:
            self.state["finished"][item.name] = round(minutes, 2)
            save_state(self.state)
            print(f"passed in {minutes:.1f} min: {item.name}", flush=True)
            for line in output.splitlines():
                if line.startswith("features of"):
                    print(f"    {line}", flush=True)

    def command(self, item, environment):
        """Run an item's command in a process group of its own; return its exit status and output."""
        with self.lock:
            if self.interrupted:
                return None, ""
            pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            child = subprocess.Popen(item.command, cwd=ROOT, env=environment, start_new_session=True, **pipes)
            self.running.add(child)
        output = child.communicate()[0]
        with self.lock:
            self.running.remove(child)
        return child.returncode, output

    def end(self, number):
        """Start no more items, and send a signal to those that run."""
        with self.lock:
            self.interrupted = True
            for child in self.running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, number)

    def all(self, items):
        waiting = iter(items)

        def work():
            while True:
                with self.lock:
                    item = next(waiting, None)
                if item is None or self.interrupted:
                    return
                self.one(item)

        threads = [threading.Thread(target=work) for _ in range(CORES)]
        for thread in threads:
            thread.start()
        try:
            wait(threads)
        except Interrupted:
            for number in (signal.SIGTERM, signal.SIGKILL):
                self.end(number)
                wait(threads, GRACE)
            raise


def wait(threads, seconds=float("inf")):
    """Wait until threads have ended. An interrupted join() would count its thread as ended (bpo-45274)."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(thread.is_alive() for thread in threads):
        time.sleep(0.1)


def read(arguments):
    """Return the options, the state of an earlier call and the items, or end the program where the arguments are wrong."""
    parser = run_tests_arguments.Parser(prog="quern test --long", description=__doc__.splitlines()[0])
    parser.add_argument("--part", default="1/1", metavar="K/N", help="only the K-th of N parts of about the same length")
    parser.add_argument("--seed", type=int, help="the base seed (default: that of the earlier call, else a new one)")
    parser.add_argument("--minutes", type=_minutes, default=45, help="start no item after so many minutes (default: 45)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only items whose name contains the text")
    parser.add_argument("--list", action="store_true", help="show the table and run nothing")
    given, others = parser.parse_known_args(arguments)
    if others:
        parser.error(run_tests_arguments.not_of_long(others[0]))
    part, _, parts = given.part.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        parser.error(f"--part {given.part}: K/N with 1 <= K <= N is needed, for example 2/8")

    state = load_state(given.seed)
    everything = table(state["seed"])
    items = [item for item in part_of(everything, int(part), int(parts)) if given.only.lower() in item.name.lower()]
    if not items:
        parser.error(f"no item of part {given.part} has a name that contains {given.only!r}; --list shows all names")
    return given, state, items


def _minutes(text):
    try:
        minutes = float(text)
    except ValueError:
        minutes = -1
    if not 0 <= minutes < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes, 0 or more")
    return minutes


def answer(arguments):
    """Print the table for --list and return the exit code, or None where tests are to run; wrong arguments end the program."""
    given, _, items = read(arguments)
    if not given.list:
        return None
    for item in items:
        words = ["python" if word == sys.executable else word for word in item.command]
        print(f"{item.minutes:6.1f} min  {item.name}\n            {' '.join(words)}")
    total = sum(item.minutes for item in items)
    parts = -(-total // (45 * CORES))
    print(f"{total:.0f} minutes on one core: {parts:.0f} part{'s' * (parts > 1)} of less than an hour on {CORES} cores")
    return 0


def main(arguments):
    given, state, items = read(arguments)
    save_state(state)
    print(f"base seed {state['seed']}, sources {state['sources']}, part {given.part}", flush=True)
    skipped = [item for item in items if item.needs and not os.environ.get(item.needs)]
    for need in sorted({item.needs for item in skipped}):
        print(f"skipped, for {need} is not set: {', '.join(item.name for item in skipped if item.needs == need)}")
    finished = [item for item in items if item.name in state["finished"]]
    run = Run(state, time.monotonic() + 60 * given.minutes)
    try:
        with interruptible():
            run.all([item for item in items if item not in skipped and item not in finished])
    except Interrupted as signalled:
        print(f"interrupted; {len(state['finished'])} items are finished, and the same command goes on with the others")
        return 128 + signalled.number
    if finished:
        print(f"{len(finished)} items were finished by an earlier call")
    if run.late:
        print(f"items left after {given.minutes:g} minutes: {len(run.late)}; the same command goes on with them")
    print(f"{len(run.passed) + len(finished)} passed, {len(run.failed)} failed, {len(skipped) + len(run.late)} skipped")
    return 1 if run.failed or not (run.passed or finished) else 0
