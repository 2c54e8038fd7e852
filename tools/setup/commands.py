"""The commands of ./quern: which set something up first, and which answer without. The list of them is quern_doctor/commands.py."""

import importlib
import os
import re
import sys
import types

import run_tests_arguments
import setup_clone
from quern_doctor import commands

from setup import building, environment, processes


def main(root, argv):
    """Run a command, in a Python of its own where it needs one; return the exit code of one that does not."""
    processes.open_closed_streams()
    command, rest = commands.command_of(argv), argv[1:]
    if command is None:
        print(commands.unknown(argv[0]), end="", file=sys.stderr)
        return 2
    if refused := commands.refused(argv):
        print(refused, file=sys.stderr)
        return 2
    if command == "help":
        print(commands.usage(), end="")
        return 0
    if command == "--version":
        print(version(root))
        return 0
    if command == "doctor":
        return start(root, doctor_python(root), ["-m", "quern_doctor", *rest])
    if command == "setup":
        return set_up(root, rest)
    if command == "test":
        answered = run_tests_arguments.answer(root, rest)
        if answered is not None:
            return answered
        python = setup_clone.ready(root, "test")
        return start(root, python, [os.path.join(root, "tools", "run_tests.py"), *rest])
    if command in commands.PROGRAMS:
        if not setup_clone.is_ready(root):
            code = ends_at_arguments(root, command, rest)
            if code is not None:
                return code
            setup_clone.ready(root)
        return start(root, environment.python(root), ["-m", "quern", *argv])
    ends_at_arguments(root, command, rest)
    if not building.is_built(root) or not os.path.exists(environment.python(root)):
        print(f"quern {command}: this clone is not built yet; ./quern setup builds it", file=sys.stderr)
        return 1
    return start(root, environment.python(root), ["-m", "quern", *argv])


def start(root, python, arguments):
    """Replace this process by another Python, which finds the clone's packages."""
    path = os.pathsep.join(p for p in (os.path.join(root, "python"), os.environ.get("PYTHONPATH")) if p)
    sys.stdout.flush()
    os.execve(python, [python, *arguments], dict(os.environ, PYTHONPATH=path))


def set_up(root, argv):
    usage = "usage: ./quern setup [test]"
    if argv[:1] in (["-h"], ["--help"]):
        what = "Build what programs need; with `test`, also what the tests need. What is built already is kept."
        print(f"{usage}\n\n{what}\n\n{commands.examples('setup')}")
        return 0
    if len(argv) > 1 or any(part not in ("run", "test") for part in argv):
        print(f"quern setup: {' '.join(argv)}: only `test` can stand here\n{usage}", file=sys.stderr)
        return 2
    setup_clone.ready(root, argv[0] if argv else "run", quiet=False)
    return 0


def doctor_python(root):
    """Return the environment's Python, which the doctor reports on, or this one where there is none."""
    python = environment.python(root)
    return python if os.path.exists(python) else sys.executable


def version(root):
    """Return the version from the package's own file, which cannot be imported before the engine is built."""
    with open(os.path.join(root, "python", "quern", "__init__.py"), encoding="utf-8") as f:
        return re.search(r'^__version__ = "(.*)"', f.read(), re.MULTILINE)[1]


def ends_at_arguments(root, command, argv):
    """Let the command itself check its arguments: its modules run in an empty package `quern`, as the real one needs the engine."""
    package = types.ModuleType("quern")
    package.__path__ = [os.path.join(root, "python", "quern")]
    sys.modules["quern"] = package
    try:
        return importlib.import_module("quern.tools.cli").ends_at_arguments(command, argv)
    finally:
        for name in [name for name in sys.modules if name == "quern" or name.startswith("quern.")]:
            del sys.modules[name]
