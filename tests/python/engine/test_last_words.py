"""What a process says that ends because a kernel of the CPU has damaged memory."""

import signal

import pytest
from programs import python

PROGRAM = """
import os, signal, sys
import quern
k = quern.RawKernel('extern "C" __global__ void spill(float* x) { x[0] = 1; }', "spill")
k((1,), (1,), (quern.zeros(4, dtype="float32"),))
quern.synchronize()
"""
WORDS = "the kernel that ran last on the CPU is 'spill': run {} to find the access\n"
COMMANDS = {"": "`quern check FILE` (in a clone `./quern check FILE`)", "./quern": "`./quern check FILE`"}
ENDS = {"SIGABRT": "os.abort()", "SIGSEGV": "import ctypes; ctypes.string_at(8)", "SIGBUS": "signal.raise_signal(signal.SIGBUS)"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ENDS)
def test_the_kernel_and_the_user_s_command_are_named(name, command):
    done = python("-c", PROGRAM + ENDS[name], QUERN_DEVICE="cpu", QUERN_COMMAND=command)
    assert done.returncode == -signal.Signals[name]
    assert done.stderr == f"quern: the process ends by {name}; {WORDS.format(COMMANDS[command])}"


@pytest.mark.parametrize("place", ["before", "behind"])
def test_faulthandler_works(place):
    turned_on = "import faulthandler; faulthandler.enable()\n"
    text = turned_on + PROGRAM if place == "before" else PROGRAM + turned_on
    done = python("-c", text + ENDS["SIGABRT"], QUERN_DEVICE="cpu")
    assert done.returncode == -signal.SIGABRT and "Fatal Python error: Aborted" in done.stderr


def test_other_deaths_are_not_the_kernels():
    assert python("-c", "import quern; quern.ones(3).sum()\nimport os; os.abort()", QUERN_DEVICE="cpu").stderr == ""
    handled = "signal.signal(signal.SIGABRT, lambda *_: sys.exit(3))\nos.kill(os.getpid(), signal.SIGABRT)\nsignal.pause()"
    done = python("-c", PROGRAM + handled, QUERN_DEVICE="cpu")
    assert (done.returncode, done.stderr) == (3, "")
