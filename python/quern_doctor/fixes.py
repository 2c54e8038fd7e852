"""Run fixes: each step that has a command is shown, confirmed, and run."""

from __future__ import annotations

import subprocess
import sys


def run_fixes(findings, yes, ask=input):
    """Run the steps of findings, each after a question.

    Parameters
    ----------
    findings : list of Finding
    yes : bool
        Whether steps are run without a question.
    ask : callable
        Called with the question; gives the answer's text.

    Returns
    -------
    int
        How many steps were run and ended well.
    """
    done = 0
    for finding in findings:
        for step in finding.steps:
            if not step.command:
                print(f"only you can do this, for {finding.rule}: {step.text}")
                continue
            print(f"{finding.what}\n    {step.shown()}")
            if not yes and not _agreed(ask):
                print("    left as it is")
                continue
            try:
                code = subprocess.run(step.command).returncode
            except OSError as error:
                print(f"    failed: {error}", file=sys.stderr)
                continue
            if code:
                print(f"    failed with exit code {code}", file=sys.stderr)
                continue
            done += 1
            break  # a finding's steps are alternatives, the best first
    return done


def _agreed(ask):
    try:
        return ask("    run it? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
