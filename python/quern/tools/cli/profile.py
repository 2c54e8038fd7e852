"""`quern profile [options] FILE [args]`: runs a program as `quern run` does and reports where its time went.

The report comes also when the program fails or is interrupted: of what ran. Exit codes: the program's own; 3 when a budget is exceeded;
2 for wrong arguments or a report that cannot be written.
"""

from __future__ import annotations

import argparse
import re
import sys

from quern_doctor import commands

from quern.tools.cli.run import PROGRAM, Reports, add_program, count, note_options_behind, prepare, print_usage, program_of, title_of

BUDGETS = (("--max-copies", "copies"), ("--max-waits", "waits"), ("--max-compiles", "compiles"), ("--max-memory", "memory"))


def parser():
    """The options."""
    p = argparse.ArgumentParser(
        prog=f"{commands.NAME} profile",
        epilog=commands.examples("profile"),
        formatter_class=commands.WithExamples,
        description="Run a Python program and report by source line the time of kernels, copies, synchronizations and compilations, and "
        "the memory used, with advice. The report is printed on standard error.",
        usage=f"{commands.NAME} profile [options] {PROGRAM}\n       {commands.NAME} profile --compare A.json B.json",
    )
    p.add_argument("--tree", action="store_true", help="show the costs by function, too")
    p.add_argument("--lines", type=count, default=20, metavar="N", help="show at most N source lines (default: 20)")
    p.add_argument("--print-gpu-trace", action="store_true", help="print kernels and copies in order, as nvprof does")
    p.add_argument("--summary", action="store_true", help="print a summary by kernel, as nvprof does")
    p.add_argument("--html", metavar="OUT.html", help="write a page: timeline, flame graphs, source, memory")
    p.add_argument("--trace", metavar="OUT.json", help="write the timeline for Perfetto (ui.perfetto.dev)")
    p.add_argument("--json", metavar="OUT.json", help="write the figures as JSON; '-' for standard output")
    p.add_argument("--compare", nargs=2, metavar=("A.json", "B.json"), help="compare two files of --json, line by line")
    p.add_argument("--raw-clock", action="store_true", help="let clocks of the program measure without waiting for the device")
    for option, what in BUDGETS:
        kind = "BYTES" if what == "memory" else "N"
        more = "the peak memory is more" if what == "memory" else f"there are more {what} than this"
        p.add_argument(option, type=_bytes if what == "memory" else count, metavar=kind, help=f"exit with code 3 if {more}")
    add_program(p)
    return p


def _bytes(text):
    units = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
    parts = re.fullmatch(r"(\d+|\d*\.\d+|\d+\.)\s*([kmgt]?)i?b?", text.strip().lower())
    if parts is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size in bytes, such as 500000, 512kB, 1.5GiB")
    return int(float(parts[1]) * units[parts[2]])


def arguments(argv):
    """Return the program (none for --compare) and the options with their reports, or an exit code where nothing can be run so."""
    options = parser().parse_args(argv)
    named = program_of(options)
    if named and options.compare:
        parser().error(f"--compare takes two files and no program: {' '.join(named)}")
    if not named and not options.compare:
        print_usage("profile", parser())
        return 2
    try:
        options.reports = Reports(options.html, options.trace, options.json)
        for path in options.compare or ():
            with open(path):
                pass
    except OSError as error:
        print(f"quern profile: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return named, options


def profile(argv) -> int:
    """The command. Returns the exit code."""
    read = arguments(argv)
    if isinstance(read, int):
        return read
    named, options = read
    if options.compare:
        return _compare(*options.compare)
    from quern.device import set_tiered
    from quern.tools.profile import Profile
    from quern.tools.profile.collect import Collector
    from quern.tools.profile.progress import Progress

    program = prepare("profile", named, options.raw_clock)
    if isinstance(program, int):
        return program
    budgets = {what: getattr(options, option[2:].replace("-", "_")) for option, what in BUDGETS}
    if any(most is not None for most in budgets.values()):
        set_tiered(False)  # what a program costs must not depend on how soon a kernel is compiled
    collector = Collector()
    collector.start()
    try:
        with Progress(sys.stderr, f"quern profile {title_of(named)}"):
            code = program()
    finally:
        found = Profile(collector.stop(), title=title_of(named))
    sys.stdout.flush()
    _show(found, options)
    note_options_behind("profile", argv, named, parser())
    for path, write in ((options.json, found.save_json), (options.trace, found.save_trace), (options.html, found.save_html)):
        if failed := options.reports.write(path, write):
            print(f"quern profile: {failed}", file=sys.stderr)
            code = code or 2
    exceeded = found.exceeded(budgets)
    for text in exceeded:
        print(f"quern profile: {text}", file=sys.stderr)
    return code or (3 if exceeded else 0)


def _show(found, options):
    if options.json == "-":
        found.save_json(sys.stdout)
    elif options.print_gpu_trace:
        found.print_gpu_trace(sys.stderr)
    elif options.summary:
        found.print_summary(sys.stderr)
    else:
        found.print(sys.stderr, most=options.lines, tree=options.tree)


def _compare(before, after):
    from quern.tools.profile.compare import compare

    try:
        compare(before, after, sys.stdout)
    except (OSError, ValueError) as error:
        print(f"quern profile: {error}", file=sys.stderr)
        return 2
    return 0
