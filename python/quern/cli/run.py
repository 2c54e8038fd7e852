"""`quern run [--raw-clock] FILE [args]`: the file as `__main__`, with the doors open and its own tracebacks."""

from __future__ import annotations

import os
import sys
import traceback


def run(argv) -> int:
    raw_clock = bool(argv) and argv[0] == "--raw-clock"
    if raw_clock:
        argv = argv[1:]
    if not argv or argv[0] in ("-h", "--help"):
        print("usage: quern run [--raw-clock] FILE [args]", file=sys.stderr if not argv else sys.stdout)
        return 0 if argv else 2
    program = prepare("run", argv, raw_clock)
    return program if isinstance(program, int) else program()


def prepare(command, argv, raw_clock):
    """Opens the doors for a file and gives what runs it, a function that returns its exit code; 2 when it cannot be read."""
    path = argv[0]
    try:
        with open(path, "rb") as f:
            source = f.read()
    except OSError as e:
        print(f"quern {command}: {path}: {e.strerror}", file=sys.stderr)
        return 2

    from quern.children import open_all

    open_all(raw_clock)
    sys.argv = list(argv)
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    main = type(sys)("__main__")
    main.__file__ = path
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main

    def program():
        try:
            exec(compile(source, path, "exec"), main.__dict__)
        except SystemExit as e:
            return _status(e.code)
        except BaseException as e:  # KeyboardInterrupt too is shown as Python shows it
            _show(e)
            return 130 if isinstance(e, KeyboardInterrupt) else 1
        return 0

    return program


def cannot_write(path):
    """Why a report cannot be written there; "" if it can."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        return "is a folder"
    if not os.path.isdir(folder):
        return f"there is no folder {folder}"
    return "" if os.access(path if os.path.exists(path) else folder, os.W_OK) else "cannot be written"


def _status(code) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return 1


def _show(error) -> None:
    """The traceback from the program's own first frame on: what python FILE would print."""
    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_code.co_filename == __file__:
        tb = tb.tb_next
    error.__traceback__ = tb
    sys.stdout.flush()
    traceback.print_exception(type(error), error, tb)
