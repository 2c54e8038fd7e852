"""First-use set-up of the script ./quern: packages, a virtual environment, the build. Standard library only.

Start reading at ready(), which lists the steps. Each is a file in tools/setup/, and first looks whether there is anything to do.
"""

import os
import shlex
import sys
import time

from setup import building, environment, lock, packages, toolchain
from setup.messages import clear, duration, fail, say
from setup.processes import Interrupted, explain, interruptible


def is_ready(root, part="run"):
    """Return whether there is nothing to do. It needs no lock: a set-up that is running in this clone writes its stamps last."""
    try:
        return environment.is_ready(root, part) and building.is_ready(root, part)
    except PermissionError:
        return False


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
    _check_readable(root)
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
    toolchain.check_variables(root)
    times = [
        ("system packages", _timed(_install, root, part)),
        ("Python packages", _timed(environment.make, root, part, [descriptor])),
        ("build", _timed(building.build, root, part, [descriptor])),
    ]
    text = ", ".join(f"{name} {duration(seconds)}" for name, seconds in times)
    say(f"done ({text}); running it again repeats nothing")


def _check_readable(root):
    """End the set-up where this user may not read what another one has set up."""
    for path in (environment.python(root), *environment.stamps(root), *building.stamps(root), building.libraries(root)):
        try:
            os.stat(path)
            refused = not os.access(path, os.R_OK)
        except OSError as error:
            refused = isinstance(error, PermissionError)
        if refused:
            behind = f" (-> {os.path.realpath(path)})" if os.path.islink(path) else ""
            fail(
                f"{path}{behind} cannot be read by this user, and another one has set up this clone. Let that user make it readable (the "
                f"clone, and the Python behind .venv), or use a clone of your own: git clone {shlex.quote(root)} FOLDER"
            )


def _install(root, part):
    packages.install(root, part)
    toolchain.check_tools(root)


def _timed(step, *arguments):
    """Run a step; return the seconds that it took."""
    start = time.monotonic()
    step(*arguments)
    return time.monotonic() - start
