"""The command line: `quern run FILE`, `quern profile FILE`, `quern check FILE`, `quern cache`. Start reading at main()."""

from __future__ import annotations

import argparse
import sys

USAGE = """\
quern run FILE [args]     run a Python program; its imports of cupy, numba, pycuda, torch... lead to quern
                          (also -m MODULE, -c TEXT, as Python has it; profile and check take them too)
quern profile FILE [args] where its time goes, by source line; quern profile --help lists the reports
quern check FILE [args]   what is wrong in its kernels: memory, races, barriers
quern doctor              what is wrong with this machine, and how to mend it
quern cache [clear]       what compiled code is kept, and removing it
quern --cmake-dir         the folder for C++ programs: cmake -Dquern_DIR=$(quern --cmake-dir)
quern test                all tests (from a clone)
"""


def main(argv=None) -> int:
    argv = list(sys.argv[1:] if argv is None else argv)
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    command, rest = argv[0], argv[1:]
    if command == "run":
        from quern.cli.run import run

        return run(rest)
    if command == "profile":
        from quern.cli.profile import profile

        return profile(rest)
    if command == "check":
        from quern.cli.check import check

        return check(rest)
    if command == "doctor":
        from quern_doctor.command import main as doctor

        return doctor(rest)
    if command == "cache":
        return cache(rest)
    if command == "--cmake-dir":
        from quern.development import cmake_dir

        try:
            print(cmake_dir())
        except FileNotFoundError as error:
            print(f"quern: {error}", file=sys.stderr)
            return 1
        return 0
    if command in ("--version", "version"):
        import quern

        print(quern.__version__)
        return 0
    print(f"quern: there is no command {command!r}\n\n{USAGE}", end="", file=sys.stderr)
    return 2


def cache(argv) -> int:
    from quern.lib import _engine

    parser = argparse.ArgumentParser(prog="quern cache")
    parser.add_argument("action", nargs="?", choices=["show", "clear"], default="show")
    if parser.parse_args(argv).action == "clear":
        print(f"{_engine.cache_clear()} entries removed")
        return 0
    info = _engine.cache_info()
    if info["problem"]:
        print(f"compiled code is not kept: {info['problem']}")
        return 0
    print(f"{info['directory']}: {info['files']} entries, {info['bytes'] / 2**20:.1f} of {info['limit'] / 2**20:.0f} MiB")
    return 0
