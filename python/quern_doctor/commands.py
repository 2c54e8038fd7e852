"""The commands of `quern`, the one list of them. Read by `quern` and by a clone's ./quern, which must answer before anything is built."""

import argparse
import difflib
import os

# name, arguments, what it does
COMMANDS = (
    (
        "run",
        "FILE [args]",
        "run a Python program; its imports of cupy, numba, pycuda, torch... lead to quern\n"
        "(also a notebook, -m MODULE, -c TEXT, or - for standard input; profile and check take them too)",
    ),
    ("profile", "FILE [args]", "where its time goes, by source line; quern profile --help lists the reports"),
    ("check", "FILE [args]", "what is wrong in its kernels: memory, races, barriers"),
    ("doctor", "", "what is wrong with this machine, and how to fix it"),
    ("cache", "[clear]", "what compiled code is kept, and removing it"),
    ("--cmake-dir", "", "the folder for C++ programs: cmake -Dquern_DIR=\"$(quern --cmake-dir)\""),
    ("--version", "", "the version"),
    ("test", "[args]", "all tests, or pytest's with these arguments (from a clone)"),
    ("setup", "[test]", "build what programs need, or with `test` also what the tests need (from a clone)"),
    ("help", "", "this list"),
)
EXAMPLES = {
    "run": ("quern run program.py --epochs 3", "quern run -m package.module"),
    "profile": ("quern profile program.py", "quern profile --html report.html program.py --epochs 3"),
    "check": ("quern check program.py", "quern check --nan --json findings.json program.py"),
    "doctor": ("quern doctor", "quern doctor --mend"),
    "cache": ("quern cache", "quern cache clear"),
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


def examples(command, before=""):
    """Return the end of a command's help: a text, then two examples."""
    return "\n".join([f"{before}Examples:", *(f"  {line}" for line in EXAMPLES[command])])


def usage():
    """Return the list of commands as text."""
    lines = []
    for name, arguments, what in COMMANDS:
        first, *more = what.split("\n")
        lines.append(f"{f'quern {name} {arguments}':<25} {first}")
        lines += [f"{'':<25} {line}" for line in more]
    return "\n".join(lines) + "\n"


def command_of(argv):
    """Return the command that arguments name, or None where there is no such command."""
    name = SAME.get(argv[0], argv[0]) if argv else "help"
    return name if name in [one for one, _, _ in COMMANDS] else None


def refused(argv):
    """Return what is wrong with arguments of a command that has none; empty where nothing is."""
    command, rest = command_of(argv), argv[1:]
    if command not in ("help", "--version", "--cmake-dir") or not rest:
        return ""
    hint = f"; quern {rest[0]} --help shows its options" if command == "help" and command_of(rest) else ""
    return f"quern {command} takes no arguments: {' '.join(rest)}{hint}"


def unknown(name):
    """Return the answer to a word that is no command: the likely one, and the list of all."""
    near = difflib.get_close_matches(name, [*(one for one, _, _ in COMMANDS), *SAME], 1)
    if name.endswith(".py") or os.path.isfile(name):
        near = [f"run {name}"]
    return f"quern: there is no command {name!r}{f'; did you mean quern {near[0]}?' if near else ''}\n\n{usage()}"
