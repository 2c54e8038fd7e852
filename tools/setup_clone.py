"""First-use set-up of the script ./quern: packages, a virtual environment, the build. Standard library only.

Start reading at ready(), which lists the steps. Each is a file in tools/setup/, and first looks whether there is anything to do.
"""

import sys
import time

from setup import building, environment, lock, packages, toolchain
from setup.messages import clear, duration, fail, say
from setup.processes import Interrupted, explain, interruptible


def is_ready(root, part="run"):
    """Return whether there is nothing to do. It needs no lock: a set-up that is running in this clone writes its stamps last."""
    return environment.is_ready(root, part) and building.is_ready(root, part)


def ready(root, part="run", quiet=True):
    """Set up what is missing and return the virtual environment's Python.

    Parameters
    ----------
    root : str
        The clone.
    part : {"run", "test"}
        What is set up: all that programs need, or all that the tests need too.
    quiet : bool
        Says nothing when there is nothing to do.
    """
    if is_ready(root, part):
        if not quiet:
            print("quern is set up already.", flush=True)
        return environment.python(root)
    try:
        with interruptible(), lock.held(root) as descriptor:
            _set_up(root, part, descriptor)
    except Interrupted as signal:
        clear()
        say("interrupted; run the same command again, and it goes on where it stopped")
        sys.exit(128 + signal.number)
    except OSError as error:
        fail(f"{error.filename or root}: {error.strerror}\n{explain(str(error), root)}")
    return environment.python(root)


def _set_up(root, part, descriptor):
    if is_ready(root, part):  # another process did it while we waited
        return
    toolchain.check_machine()
    times = [
        ("system packages", _timed(_install, root, part)),
        ("Python packages", _timed(environment.make, root, part, [descriptor])),
        ("build", _timed(building.build, root, part, [descriptor])),
    ]
    text = ", ".join(f"{name} {duration(seconds)}" for name, seconds in times)
    say(f"done ({text}); running it again does nothing of this")


def _install(root, part):
    packages.install(root, part)
    toolchain.check_tools(root)


def _timed(step, *arguments):
    """Run a step; return the seconds that it took."""
    start = time.monotonic()
    step(*arguments)
    return time.monotonic() - start
