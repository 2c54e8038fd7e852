"""The command line: `quern run FILE`, `quern profile FILE`, `quern check FILE`, `quern cache`. Start reading at main()."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

from quern_doctor import commands

from quern.tools.cli.run import source_of


def main(argv=None) -> int:
    argv = list(sys.argv[1:] if argv is None else argv)
    command, rest = commands.command_of(argv), argv[1:]
    if command is None:
        print(commands.unknown(argv[0]), end="", file=sys.stderr)
        return 2
    if refused := commands.refused(argv):
        print(refused, file=sys.stderr)
        return 2
    if command in commands.CLONE:
        print(f"quern {command}: this command is a clone's: ./quern {command}", file=sys.stderr)
        return 2
    if command == "run":
        from quern.tools.cli.run import run

        return run(rest)
    if command == "profile":
        from quern.tools.cli.profile import profile

        return profile(rest)
    if command == "check":
        from quern.tools.cli.check import check

        return check(rest)
    if command == "doctor":
        from quern_doctor.command import main as doctor

        return doctor(rest)
    if command == "cache":
        return cache(rest)
    if command == "--cmake-dir":
        from quern.tools.development import cmake_dir

        try:
            print(cmake_dir())
        except FileNotFoundError as error:
            print(f"quern: {error}", file=sys.stderr)
            return 1
        return 0
    if command == "--version":
        import quern

        print(quern.__version__)
        return 0
    print(commands.usage(), end="")
    return 0


def ends_at_arguments(command, argv):
    """Return the exit code of a command that ends at its arguments (wrong ones, --help, no such file), else None.

    It needs no engine, and reads no pipe.
    """
    if command == "cache":
        cache_action(argv)
    if command not in commands.PROGRAMS:
        return None
    arguments = importlib.import_module(f"quern.tools.cli.{command}").arguments(argv)
    if isinstance(arguments, int):
        return arguments
    program = arguments[0]
    special = program and os.path.exists(program[0]) and not os.path.isfile(program[0]) and not os.path.isdir(program[0])
    if not program or special:
        return None
    return 2 if source_of(command, program) is None else None


def cache_action(argv):
    """Return what is to be done, or end the program at wrong arguments and --help."""
    parser = argparse.ArgumentParser(
        prog=f"{commands.NAME} cache",
        description="Show the cache of compiled kernels, or clear it.",
        epilog=commands.examples("cache"),
        formatter_class=commands.WithExamples,
    )
    parser.add_argument("action", nargs="?", choices=["show", "clear"], default="show", help="show (the default) or clear")
    return parser.parse_args(argv).action


def cache(argv) -> int:
    action = cache_action(argv)
    from quern.lib import _engine

    if action == "clear":
        print(f"{_engine.cache_clear()} entries removed")
        return 0
    info = _engine.cache_info()
    if info["problem"]:
        print(f"compiled code is not kept: {info['problem']}")
        return 0
    print(f"{info['directory']}: {info['files']} entries, {info['bytes'] / 2**20:.1f} of {info['limit'] / 2**20:.0f} MiB")
    return 0
