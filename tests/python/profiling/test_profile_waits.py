"""`quern profile`: what a line waits for, and what a long run shows meanwhile."""

import os
import re
import select
import subprocess
import sys
import time

import pytest
from devices import DEVICES
from profiles import figures, line
from programs import environment

WAITS = """\
import numpy as np
import cupy as cp
x = cp.ones(400_000)
stream, event = cp.cuda.Stream(), cp.cuda.Event()
for i in range(4):
    y = cp.sin(x) + i
    cp.cuda.Device().synchronize()
    y = cp.cos(y)
    event.record()
    event.synchronize()
    cp.cuda.Stream.null.synchronize()
    stream.synchronize()
    seen = float(y.sum())
print(seen)
"""


@pytest.mark.parametrize("device", DEVICES)
def test_waits_know_what_for(program, device):
    found = figures(program(WAITS), device=device)
    wanted = {7: "the end of all work", 10: "an event", 11: "the end of a stream's work", 12: "the end of a stream's work"}
    for number, what in wanted.items():
        assert line(found, number)["waits_for"][what]["count"] == 4, line(found, number)
    why = " ".join(line(found, 7)["why"])
    assert re.search(r"4 waits for the end of all work, .*s, because `cp.cuda.Device\(\).synchronize\(\)` asks for it", why), why
    assert not line(found, 6)["waits_for"] and not line(found, 8)["waits_for"]
    assert line(found, 13)["copies"] == {"device_to_host": 4}


def test_a_wait_for_memory(program):
    found = figures(
        program("""\
        import cupy as cp
        pool = cp.get_default_memory_pool()
        x = cp.ones(4_000_000)
        cp.cuda.Device().synchronize()
        pool.set_limit(size=48_000_000)
        try:
            y = cp.ones(4_000_000)
            cp.cuda.Device().synchronize()
        except cp.cuda.memory.OutOfMemoryError:
            print("full")
        """)
    )
    assert line(found, 7)["waits_for"]["room in memory"]["count"] == 1
    assert any(why.startswith("1 wait for room in memory, ") for why in line(found, 7)["why"])


def test_a_kernel_on_arrays_of_the_host(program):
    found = figures(
        program("""\
        import numpy as np
        from numba import cuda
        @cuda.jit
        def double(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] *= 2
        h = np.ones(1000)
        double[8, 128](h)
        print(h[0])
        """)
    )
    waits = line(found, 9)["waits_for"]
    assert not waits or set(waits) <= {"a kernel on arrays of the host", "memory that others see"}


LONG = """\
import time
import quern as qn
x = qn.ones(5000)
for i in range(17):
    float((x + i).sum())
    time.sleep(0.1)
print("done")
"""


def read_all(master, process, most=60):
    text, end = b"", time.monotonic() + most
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                some = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            text += some
        elif process.poll() is not None:
            break
    return text.decode()


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_long_run_shows_progress_on_a_terminal(program, is_terminal):
    path = program(LONG)
    command = [sys.executable, "-m", "quern", "profile", path]
    if is_terminal:
        try:
            master, other = os.openpty()
        except OSError as error:
            pytest.skip(f"this machine has no pseudo-terminals: {error}")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other, text=True, env=environment(TERM="xterm", COLUMNS="100"))
        os.close(other)
        told = read_all(master, process)
        os.close(master)
        out, _ = process.communicate()
    else:
        done = subprocess.run(command, capture_output=True, text=True, env=environment())
        out, told, process = done.stdout, done.stderr, done
    assert process.returncode == 0 and out == "done\n"
    assert bool(re.search(r"quern profile program.py: \d+ s, [\d,]+ events", told)) == is_terminal
    assert "copies to the host" in told
