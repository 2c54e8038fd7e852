"""The commands of `quern`, the one list of them. Read by `quern` and by a clone's ./quern, which must answer before anything is built."""

import argparse
import difflib
import os

# How the user typed it: ./quern and the wheel's command set it, and the engine's messages use it, too (engine/core/user_command.h).
NAME = os.environ.get("QUERN_COMMAND") or "quern"
# name, arguments, what it does
COMMANDS = (
    (
        "run",
        "FILE [args]",
        "run a Python program on quern: its imports of cupy, numba, pycuda, torch, keras load quern\n"
        "(also a notebook, -m MODULE, -c TEXT, or - for standard input; the same for profile and check)",
    ),
    ("profile", "FILE [args]", "run a program and report where its time goes, by source line"),
    ("check", "FILE [args]", "run a program and report errors in its kernels: memory accesses, races, barriers"),
    ("doctor", "", "report problems of this machine, and how to fix them"),
    ("cache", "[clear]", "show the cache of compiled kernels, or clear it"),
    ("--cmake-dir", "", f'print the folder for C++ programs: cmake -Dquern_DIR="$({NAME} --cmake-dir)"'),
    ("--version", "", "print the version"),
    ("test", "[args]", "run all tests, or pytest with these arguments (in a clone)"),
    ("setup", "[test]", "build what programs need; with `test`, also what the tests need (in a clone)"),
    ("help", "", "print this list"),
)
# Of each command: two calls, and what they do; of `test` in tools/run_tests_arguments.py. None: of all together.
EXAMPLES = {
    None: (
        ("quern run program.py", "run a CuPy, Numba, PyCUDA, PyTorch or Keras program"),
        ("quern doctor", "find out why it does not run"),
    ),
    "run": (
        ("quern run program.py --epochs 3", "run a file with its arguments"),
        ("quern run -m package.module", "run a module, as python -m does"),
    ),
    "profile": (
        ("quern profile program.py", "print the source lines that take the most time"),
        ("quern profile --html report.html program.py --epochs 3", "write a page with a timeline"),
    ),
    "check": (
        ("quern check program.py", "report wrong memory accesses and races, by source line"),
        ("quern check --nan --json findings.json program.py", "report NaN, too; write the findings as JSON"),
    ),
    "doctor": (("quern doctor", "report problems; change nothing"), ("quern doctor --fix", "show each fix, ask, and run it")),
    "cache": (("quern cache", "show the folder and its size"), ("quern cache clear", "remove all compiled kernels")),
    "setup": (("./quern setup", "build what programs need"), ("./quern setup test", "build the tests, too")),
}
PROGRAMS = ("run", "profile", "check")
CLONE = ("test", "setup")
SAME = {"-h": "help", "--help": "help", "version": "--version", "-V": "--version"}


class WithExamples(argparse.HelpFormatter):
    """Help that keeps the lines of examples()."""

    def _fill_text(self, text, width, indent):
        before, mark, lines = text.partition("Examples:\n")
        filled = super()._fill_text(before, width, indent) if before.strip() else ""
        return filled + ("\n\n" if filled and mark else "") + mark + lines


def typed(arguments):
    """Return a command as the user types it, in backquotes: "`./quern check FILE`"."""
    return f"`{NAME} {arguments}`" if os.environ.get("QUERN_COMMAND") else f"`quern {arguments}` (in a clone `./quern {arguments}`)"


def calls_of(command):
    """Return [(call, what it does)] of EXAMPLES, with quern as the user types it."""
    return [(call if call.startswith("./") else NAME + call.removeprefix("quern"), what) for call, what in EXAMPLES[command]]


def examples(command, before=""):
    """Return the end of a command's help: a text, then two examples with what they do."""
    calls = calls_of(command)
    width = max(len(call) for call, _ in calls)
    return "\n".join([f"{before}Examples:", *(f"  {call:<{width}}  {what}" for call, what in calls)])


def usage():
    """Return the list of commands as text."""
    lines, width = [], len(NAME) + 20
    for name, arguments, what in COMMANDS:
        first, *more = what.split("\n")
        lines.append(f"{f'{NAME} {name} {arguments}':<{width}} {first}")
        lines += [f"{'':<{width}} {line}" for line in more]
    return "\n".join([*lines, "", f"`{NAME} COMMAND --help` lists the options of a command.", "", examples(None)]) + "\n"


def command_of(argv):
    """Return the command that arguments name, or None where there is no such command."""
    name = SAME.get(argv[0], argv[0]) if argv else "help"
    return name if name in [one for one, _, _ in COMMANDS] else None


def refused(argv):
    """Return what is wrong with arguments of a command that has none; empty where nothing is."""
    command, rest = command_of(argv), argv[1:]
    if command not in ("help", "--version", "--cmake-dir") or not rest:
        return ""
    hint = f"; {NAME} {rest[0]} --help shows its options" if command == "help" and command_of(rest) else ""
    return f"quern {command} takes no arguments: {' '.join(rest)}{hint}"


def unknown(name):
    """Return the answer to a word that is no command: the likely one, and the list of all."""
    near = difflib.get_close_matches(name, [*(one for one, _, _ in COMMANDS), *SAME], 1)
    if name.endswith(".py") or os.path.isfile(name):
        near = [f"run {name}"]
    return f"quern: there is no command {name!r}{f'; did you mean {NAME} {near[0]}?' if near else ''}\n\n{usage()}"
