"""No error that a user gets names the engine's insides, and no call of a public function with odd arguments ends the process.

Each front end's functions are called in processes of their own (odd_calls.py). `QUERN_ODD_CALLS=N` makes N random calls as well and prints
crashes, hangs, memory that grows beyond bounds and internal text apart; a failure prints the seed and the call.
"""

import importlib.util
import os
import signal
import subprocess
import sys
import time

import pytest
from long_runs import FIRST_SEED, programs
from odd_calls import FRONT_ENDS
from places import TESTS
from programs import environment

START_SECONDS, HANG_SECONDS, MOST_BYTES = 300, 60, 6 << 30


def resident_bytes(process):
    try:
        with open(f"/proc/{process.pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def watch(process, progress):
    """Wait for the process; return "hang" or "memory" if it was ended because of that, else its exit code."""
    before, since = None, time.monotonic()
    while process.poll() is None:
        time.sleep(0.05)
        now = progress.read_text() if progress.exists() else ""
        if now != before:
            before, since = now, time.monotonic()
        most = HANG_SECONDS if now else START_SECONDS
        trouble = "memory" if resident_bytes(process) > MOST_BYTES else "hang" if time.monotonic() - since > most else None
        if trouble:
            process.kill()
            process.wait()
            return trouble
    return process.returncode


def run(front_end, folder, *options, most_troubles=20):
    """Make a front end's calls; return a line for each that ended the process or whose error has internal text."""
    folder.mkdir(exist_ok=True)
    progress, results = folder / "progress", folder / "results"
    program = str(TESTS / "support" / "odd_calls.py")
    start, found = 0, []
    results.write_text("")
    while len(found) < most_troubles:
        changes = {"OMP_NUM_THREADS": 1, "QUERN_DEVICE": "cpu"}
        command = [sys.executable, program, front_end, str(progress), str(results), "--start", str(start), *map(str, options)]
        with open(folder / "output", "w+", errors="replace") as output:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stderr=output, env=environment(**changes))
            ended = watch(process, progress)
            output.seek(0)
            said = output.read()
        line = progress.read_text().strip() if progress.exists() else ""
        if ended == 0 and line == "done":
            break
        if not line:
            return [f"{front_end} did not start: {said[-2000:]}"]
        what = {"hang": "hang", "memory": "memory"}.get(ended) or (signal.Signals(-ended).name if ended < 0 else f"exit {ended}")
        if line == "done":
            found.append(f"{what} when all calls were made")
            break
        found.append(f"{what}: {line} {said.strip().splitlines()[-1:] if ended == 1 else ''}")
        start = int(line.partition(" ")[0]) + 1
    return found + results.read_text().splitlines()


HERE = [name for name in FRONT_ENDS if name != "keras" or importlib.util.find_spec("keras")]


@pytest.mark.parametrize("front_end", HERE)
def test_every_function_refuses_wrong_arguments_in_words(front_end, tmp_path):
    found = run(front_end, tmp_path / "calls")
    assert not found, "\n".join(found)


RANDOM_CALLS = 1000


@pytest.mark.parametrize("front_end", HERE)
def test_random_calls(front_end, tmp_path):
    count = programs("QUERN_ODD_CALLS", RANDOM_CALLS)
    found = run(front_end, tmp_path / "calls", "--count", count, "--seed", FIRST_SEED)
    assert not found, f"seed {FIRST_SEED}, {count} calls\n" + "\n".join(found)
