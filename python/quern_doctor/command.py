"""The command line of `quern doctor`: inspect the machine, find problems, print them, and fix them if asked."""

from __future__ import annotations

import argparse
import os
import sys

from quern_doctor import commands, machine, report, rules
from quern_doctor.fixes import run_fixes

EPILOGUE = "Exit codes: 0 ok, 1 works with limits, 2 broken. Nothing is changed unless --fix is given."


def main(argv=None):
    """`quern doctor [--json] [--fix [--yes]]`; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog=f"{commands.NAME} doctor",
        description="Report problems of this machine, and how to fix them.",
        epilog=commands.examples("doctor", EPILOGUE),
        formatter_class=commands.WithExamples,
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--fix", action="store_true", help="show each step that fixes a problem, ask, and run it")
    parser.add_argument("--yes", action="store_true", help="with --fix: run the steps without asking")
    options = parser.parse_args(sys.argv[1:] if argv is None else argv)
    if options.yes and not options.fix:
        parser.error("--yes goes with --fix")
    if options.json and options.fix:
        parser.error("--json and --fix exclude each other: run --json first, then --fix")
    seen = machine.look()
    findings = rules.find(seen)
    if options.json:
        report.print_json(seen, findings)
        return report.verdict(findings)
    report.print_report(seen, findings)
    if options.fix and not any(finding.steps for finding in findings):
        print("nothing to fix")
    elif options.fix and run_fixes(findings, options.yes):
        findings = rules.find(machine.look())
        print("after the fixes: " + ("; ".join(finding.what for finding in findings) or "all is well"))
    return report.verdict(findings)


def quern():
    """The command `quern`: where the package cannot be imported, the doctor still can."""
    os.environ.setdefault("QUERN_COMMAND", "quern")
    if sys.argv[1:2] == ["doctor"]:
        return main(sys.argv[2:])
    try:
        from quern.tools.cli import main as run
    except ImportError as error:
        print(f"quern cannot be imported: {error}\n{commands.typed('doctor')} says why, and how to fix it.", file=sys.stderr)
        return 1
    return run()
