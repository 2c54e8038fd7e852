"""`quern check [options] FILE [args]`: runs a program as `quern run` does, on the CPU, and checks each access of its kernels.

Exit codes: 3 when something was found; else the program's own; 2 for wrong arguments or a report that cannot be written.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile

from quern_doctor import commands

from quern.tools.cli.run import PROGRAM, Reports, add_program, note_options_behind, prepare, print_usage, program_of


def parser():
    """The options."""
    p = argparse.ArgumentParser(
        prog=f"{commands.NAME} check",
        epilog=commands.examples("check"),
        formatter_class=commands.WithExamples,
        usage=f"{commands.NAME} check [options] {PROGRAM}",
        description="Run a Python program with its kernels on the CPU, thread by thread, and report accesses outside of arrays, races, "
        "barriers that not all threads reach, and arithmetic that has no result.",
    )
    p.add_argument("--json", metavar="OUT.json", help="write the findings as JSON; '-' for standard output")
    p.add_argument("--no-never-written", action="store_true", help="do not report reads of uninitialized memory")
    p.add_argument("--nan", action="store_true", help="report values that become NaN or infinite, too")
    p.add_argument("--leaks", action="store_true", help="report memory that mem_alloc and similar functions allocate and that is not freed")
    p.add_argument(
        "--orders",
        type=_number(1, 1000),
        default=1,
        metavar="N",
        help="run the blocks of each launch in N orders and compare the results",
    )
    p.add_argument(
        "--seed",
        type=_number(0, (1 << 32) - 1),
        default=0,
        metavar="N",
        help="seed of the order in which blocks and threads run",
    )
    add_program(p)
    return p


def _number(least, most):
    def read(text):
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
        return int(text)

    return read


def arguments(argv):
    """Return the program and the options with their report, or an exit code where nothing can be run so."""
    options = parser().parse_args(argv)
    named = program_of(options)
    if not named:
        print_usage("check", parser())
        return 2
    try:
        options.reports = Reports(options.json)
    except OSError as error:
        print(f"quern check: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return named, options


def check(argv) -> int:
    """The command. Returns the exit code."""
    read = arguments(argv)
    if isinstance(read, int):
        return read
    named, options = read
    os.environ["QUERN_DEVICE"] = "cpu"
    program = prepare("check", named, raw_clock=True)
    if isinstance(program, int):
        return program

    from quern.tools.check import check as checks
    from quern.tools.cli.check_children import check_children, findings_of_children, on_termination

    here = os.path.join(os.getcwd(), "")  # the program may change it
    asked = {"never_written": not options.no_never_written, "nan": options.nan, "leaks": options.leaks}
    asked |= {"orders": options.orders, "seed": options.seed}
    with tempfile.TemporaryDirectory(prefix="quern-check-") as folder:
        check_children(folder, asked)
        on_termination(lambda number, frame: sys.exit(128 + number))  # what was found until then is shown
        with checks(**asked) as report:
            code = program()
        report._add(findings_of_children(folder))
    sys.stdout.flush()
    if options.json == "-":
        print(json.dumps(report.figures(), indent=1))
    elif program.error and not len(report):
        print(f"quern check: no errors in kernels; the program ended with {program.error}", file=sys.stderr)
    else:
        print(str(report).replace(f" at {here}", " at "), file=sys.stderr)  # lines by their paths from where the command began
    note_options_behind("check", argv, named, parser())
    if failed := options.reports.write(options.json, lambda file: json.dump(report.figures(), file, indent=1)):
        print(f"quern check: {failed}", file=sys.stderr)
        code = code or 2
    return 3 if len(report) else code
