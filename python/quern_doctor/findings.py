"""What a rule finds, and the steps that fix it."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field

NOTE, LIMIT, BROKEN = "note", "limit", "broken"  # nothing to do; works, but less well; does not work
EXIT_CODES = {NOTE: 0, LIMIT: 1, BROKEN: 2}


@dataclass
class Step:
    """One step of a fix.

    Parameters
    ----------
    text : str
        What it does, for the user.
    command : list of str
        What `--fix` runs; empty: only the user can do it (as root, outside of the container, in another terminal).
    """

    text: str
    command: list = field(default_factory=list)

    def shown(self):
        return " ".join(shlex.quote(word) for word in self.command)


@dataclass
class Finding:
    rule: str
    level: str
    what: str  # one sentence: what is wrong
    why: str = ""  # what it means for the user's programs
    steps: list = field(default_factory=list)

    def as_dict(self):
        steps = [{"text": step.text, "command": step.shown()} for step in self.steps]
        return {"rule": self.rule, "level": self.level, "what": self.what, "why": self.why, "fixes": steps}


def pip_install(*packages):
    """The step that brings packages into this Python."""
    command = [sys.executable, "-m", "pip", "install", *packages]
    words = " ".join(f'"{p}"' if set(p) & set("<>*[ ") else p for p in packages)
    return Step(f"{sys.executable} -m pip install {words}", command)
