"""`quern run [options] FILE [args]`: the file as `__main__`, with the front ends importable and its own tracebacks.

Instead of FILE, as Python has it: `-m MODULE`, `-c TEXT`, `-` for standard input, and a folder or archive with a `__main__.py`; also a
notebook (FILE.ipynb), whose cells run one after the other. Options stand before FILE; what
follows FILE belongs to the program. An option of the command's own that stands there is passed on with a note, and without one behind
`--` (`quern run -- FILE --raw-clock`).
"""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import os
import runpy
import sys
import threading
import traceback
import zipfile

from quern_doctor import commands

from quern.tools.cli.missing_packages import say_how_to_install

PROGRAM = "[--] (FILE | -m MODULE | -c TEXT) [args]"


def run(argv) -> int:
    read = arguments(argv)
    if isinstance(read, int):
        return read
    named, options = read
    program = prepare("run", named, options.raw_clock)
    if isinstance(program, int):
        return program
    note_options_behind("run", argv, named, parser())
    return program()


def parser():
    """The options."""
    p = argparse.ArgumentParser(
        prog=f"{commands.NAME} run",
        usage=f"{commands.NAME} run [--raw-clock] {PROGRAM}",
        description="Run a Python program; its imports of cupy, numba, pycuda, torch, keras and tensorflow load quern.",
        epilog=commands.examples("run"),
        formatter_class=commands.WithExamples,
    )
    p.add_argument("--raw-clock", action="store_true", help="do not synchronize the device when the program reads a clock")
    add_program(p)
    return p


def arguments(argv):
    """Return the program and the options, or an exit code where the arguments name nothing to run."""
    options = parser().parse_args(argv)
    named = program_of(options)
    if not named:
        print_usage("run", parser())
        return 2
    return named, options


def print_usage(command, parser):
    """Print what a command without a program needs."""
    parser.print_usage(sys.stderr)
    print(f"quern {command}: name a program, as in `{commands.calls_of(command)[0][0]}`", file=sys.stderr)


def prepare(command, argv, raw_clock):
    """Set up the front ends for a program and return what runs it, a function that returns its exit code; 2 when it cannot be read."""
    source = source_of(command, argv)
    if source is None:
        return 2
    way, path = _way(argv)

    from quern.tools.children import open_all

    open_all(raw_clock)
    if way == "-m":
        sys.argv, sys.path[0] = [path, *argv[2:]], os.getcwd()
        if problem := _cannot_find(path):
            print(f"quern {command}: {problem}", file=sys.stderr)
            return 1
        return _program(lambda: runpy.run_module(path, run_name="__main__", alter_sys=True))
    if not way and _is_package(path):
        sys.argv = list(argv)
        return _program(lambda: runpy.run_path(path, run_name="__main__"))
    main = type(sys)("__main__")
    main.__builtins__ = __builtins__
    if way == "-c":
        sys.argv, sys.path[0], file = ["-c", *argv[2:]], "", "<string>"
    elif path == "-":
        sys.argv, sys.path[0], file, source = list(argv), "", "<stdin>", sys.stdin.buffer.read()
    else:
        file = main.__file__ = os.path.abspath(path)  # which holds when the program changes its folder
        sys.argv, sys.path[0] = list(argv), os.path.dirname(file)
    sys.modules["__main__"] = main
    if path.endswith(".ipynb") and not way:
        from quern.tools.cli.notebook_file import cells_of, run_cells

        try:
            cells = cells_of(source)
        except ValueError as e:
            print(f"quern {command}: {path} {e}", file=sys.stderr)
            return 2
        return _program(lambda: run_cells(os.path.basename(path), cells, main.__dict__))
    return _program(lambda: exec(compile(source, file, "exec", dont_inherit=True), main.__dict__))


def _cannot_find(module):
    """Return why `-m` cannot run a module, empty where it can."""
    try:
        return "" if importlib.util.find_spec(module) else f"No module named {module}"
    except (ImportError, ValueError) as error:
        return str(error) if isinstance(error, ModuleNotFoundError) and error.name != module else f"{module} cannot be run: {error}"
    except Exception:
        return ""  # of the package's own code: the program shows it


def _way(argv):
    """Return how arguments name a program (-m, -c or empty), and the module, the source or the file."""
    return (argv[0], argv[1] if len(argv) > 1 else "") if argv[0] in ("-m", "-c") else ("", argv[0])


def source_of(command, argv):
    """Return the source of a program, empty for a module or package; print the reason and return None when it cannot be read."""
    way, path = _way(argv)
    if way and not path:
        print(
            f"quern {command}: {way} needs {'the name of a module' if way == '-m' else 'the text of a program'} behind it", file=sys.stderr
        )
        return None
    if way or _is_package(path):
        return path.encode() if way == "-c" else b""
    if path == "-":
        return b""
    try:
        with open(path, "rb") as f:
            source = f.read()
        if b"\0" not in source:
            return source
        print(f"quern {command}: {path} is not a text of Python: it has null bytes in it", file=sys.stderr)
        return None
    except IsADirectoryError:
        print(f"quern {command}: {path} is a folder without a __main__.py", file=sys.stderr)
        return None
    except OSError as e:
        print(f"quern {command}: {path or repr(path)}: {e.strerror}{_similar_file(path)}", file=sys.stderr)
        return None


def _similar_file(path):
    """Return "; did you mean ...?" for a file that is not there, empty where no program has a similar name."""
    folder, name = os.path.split(path)
    try:
        there = [one for one in os.listdir(folder or ".") if one.endswith((".py", ".ipynb"))]
    except OSError:
        return ""
    near = [name + end for end in (".py", ".ipynb") if name + end in there] or difflib.get_close_matches(name, there, 1, 0.85)
    return f"; did you mean {os.path.join(folder, near[0])}?" if near else ""


def _is_package(path):
    return os.path.isfile(os.path.join(path, "__main__.py")) or zipfile.is_zipfile(path)


def _program(f):
    def program():
        code = _shown(f, program)
        return _shown(_end_threads) or code

    program.error = None
    return program


def _shown(f, program=None) -> int:
    """Calls a function; what it raises is shown as Python shows it, and kept in ``program.error``. Returns the exit code."""
    try:
        f()
    except SystemExit as e:
        return _status(e.code)
    except BaseException as e:  # KeyboardInterrupt too
        if program:
            program.error = type(e).__name__
        _show(e)
        return 130 if isinstance(e, KeyboardInterrupt) else 1
    return 0


def _end_threads():
    """Waits for the program's threads and processes but for daemons, and ends the idle threads of executors, as Python does at its end."""
    for told in reversed(getattr(threading, "_threading_atexits", ())):
        told()
    while left := [one for one in threading.enumerate() if not one.daemon and one is not threading.current_thread()]:
        for one in left:
            one.join()
    if processes := sys.modules.get("multiprocessing.process"):
        for one in processes.active_children():
            if not one.daemon:
                one.join()


def add_program(parser):
    """The arguments that name the program, for parsers of commands that run one; program_of() gives them."""
    for way, what in (("-m", "MODULE"), ("-c", "TEXT")):
        parser.add_argument(
            way, dest=what.lower(), nargs=argparse.REMAINDER, metavar=what, help=f"{what} [args] instead of FILE, as python {way}"
        )
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="FILE [args]", help="the program: a file, notebook or folder; - is standard input"
    )


def program_of(options):
    """What prepare() takes, of parsed arguments; empty where no program is named."""
    for way, given in (("-m", options.module), ("-c", options.text)):
        if given is not None:
            return [way, *given]
    return options.program[1:] if options.program[:1] == ["--"] else options.program


def note_options_behind(command, argv, named, parser):
    """Print a note for options of the command that stand behind the program, and so are the program's."""
    ours = {option for action in parser._actions for option in action.option_strings if option.startswith("--")} - {"--help"}
    behind = named[2 if named[0] in ("-m", "-c") else 1 :]
    before = argv[: len(argv) - len(behind)]
    behind = behind[: behind.index("--")] if "--" in behind else behind
    given = list(dict.fromkeys(one.partition("=")[0] for one in behind if one.startswith("--")))
    if "--" in before:
        return
    for one in given:
        if one not in ours and (near := difflib.get_close_matches(one, ours, 1, 0.8)):
            said = f"{one} behind {title_of(named)} is an argument of the program; did you mean {near[0]}, before the program?"
            print(f"quern {command}: {said}", file=sys.stderr)
    found = [one for one in given if one in ours]
    if not found:
        return
    are, them = ("is an argument", "it") if len(found) == 1 else ("are arguments", "them")
    print(
        f"quern {command}: {' and '.join(found)} behind {title_of(named)} {are} of the program. To give {them} to quern, write {them} "
        "before the program; `--` before the program silences this note",
        file=sys.stderr,
    )


def title_of(named):
    """What a report calls the program that prepare() takes: a file's name without its folders."""
    return {"-c": "the text of -c", "-m": " ".join(named[:2])}.get(named[0]) or os.path.basename(named[0])


class Reports:
    """The files that a command writes when the program is over, by their paths; None and "-" are no files. A path is one of the folder in
    which the command began, wherever the program goes. Raises OSError where no file can be written there.
    """

    def __init__(self, *paths):
        self._files = {path: os.path.abspath(path) for path in paths if path and path != "-"}
        for path, file in self._files.items():
            if problem := cannot_write(file):
                raise OSError(0, problem, path)

    def write(self, path, write):
        """Calls ``write`` with a file that is open for text, where the path is one, and says so; returns why that did not work, or "".

        Raises nothing: the program's own result is not lost by it.
        """
        if path not in self._files:
            return ""
        try:
            with open(self._files[path], "w", encoding="utf-8") as f:
                write(f)
        except OSError as error:
            return f"{path}: {error.strerror}"
        print(f"wrote {path}", file=sys.stderr)
        return ""


def count(text):
    """An option's number, 0 or more."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a non-negative integer")
    return int(text)


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
    """The traceback as python FILE would print it: the program's frames and those of other packages, without quern's.

    With QUERN_DEBUG quern's frames are shown, but for this module's and those of the import hooks.
    """
    _drop_own_frames(error, set())
    if isinstance(error, ModuleNotFoundError):
        say_how_to_install(error)
    sys.stdout.flush()
    if any(frame.f_code.co_filename.startswith("<cell ") for frame, _ in traceback.walk_tb(error.__traceback__)):
        traceback.print_exception(type(error), error, error.__traceback__)  # which knows the lines of cells
    else:
        sys.excepthook(type(error), error, error.__traceback__)  # which suggests names on Python 3.10 and 3.11, too


_OURS = (__file__, runpy.__file__, "<frozen runpy>", os.path.join(os.path.dirname(__file__), "notebook_file.py"))
_HOOKS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "imports.py")
# Functions that stand around each call of Keras's, and around each layer that is made.
_AROUND_KERAS = {"error_handler": os.path.join("keras", "src", "utils", "traceback_utils.py")}
_AROUND_KERAS["__new__"] = os.path.join("keras", "src", "layers", "layer.py")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_KERAS = os.path.join("-packages", "keras", "src") + os.sep


def _without_checks_of_keras(frames):
    """Drop the last frames where they are Keras's: its check of shapes and arguments failed at the line of the program before them."""
    count = len(frames)
    while count and _KERAS in frames[count - 1].tb_frame.f_code.co_filename:
        count -= 1
    return frames[:count] or frames


def _drop_own_frames(error, seen):
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    shows_all = os.environ.get("QUERN_DEBUG", "0") not in ("", "0")
    frames, tb = [], error.__traceback__
    while tb is not None:
        file = tb.tb_frame.f_code.co_filename
        is_inner = file.startswith(_PACKAGE) or file.endswith(_AROUND_KERAS.get(tb.tb_frame.f_code.co_name, "\0"))
        if file != _HOOKS and (frames or file not in _OURS) and (shows_all or not is_inner):
            frames.append(tb)
        tb = tb.tb_next
    if isinstance(error, (ValueError, TypeError)) and not shows_all:
        frames = _without_checks_of_keras(frames)
    for number, frame in enumerate(frames, 1):
        frame.tb_next = frames[number] if number < len(frames) else None
    error.__traceback__ = frames[0] if frames else None
    _drop_own_frames(error.__cause__, seen)
    _drop_own_frames(error.__context__, seen)
    if error.__context__ is not None and error.__context__.__traceback__ is None:
        error.__suppress_context__ = True  # it was raised and handled within quern
