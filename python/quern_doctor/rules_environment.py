"""The rules about environment variables: values that quern cannot use, and names that are probably misspelled."""

from __future__ import annotations

import difflib
import os
import re

from quern_doctor.findings import BROKEN, LIMIT, Finding, Step

# The variables of docs/environment.md: the values that they accept (None: any), in words.
VARIABLES = {
    "QUERN_DEVICE": (None, ""),  # the engine itself reports a wrong one
    "QUERN_CACHE_DIR": (None, ""),  # has a rule of its own
    "QUERN_CACHE_SIZE": (r"\d+", "a number of MiB"),
    "QUERN_NUM_THREADS": (r"0*[1-9]\d*", "a number above 0"),
    "QUERN_BLAS": (None, ""),
    "QUERN_DEBUG": (r"\d+", "a number from 0 to 5"),
    "QUERN_TIERED": (r"[01]", "0 or 1"),
    "QUERN_TIER0_LEVEL": (r"baseline|avx2|avx512", "baseline, avx2 or avx512"),
    "QUERN_COMMAND": (None, ""),
    "QUERN_QUIET": (None, ""),
    "QUERN_PURE_PYTHON": (None, ""),
    "QUERN_KEEP_TEXTS": (None, "an existing folder"),
    "QUERN_CUDA_DRIVER": (None, ""),
    "QUERN_CUPTI": (None, ""),
}
ALIKE = 0.88  # difflib's ratio from which an unknown name is taken for a misspelled one; variables for development are below it


def device_unknown(m):
    value, problem = m.environment.get("QUERN_DEVICE"), m.engine.get("problem", "")
    if not value or "[device]" not in problem:
        return None
    step = Step("use another device: unset QUERN_DEVICE, or export QUERN_DEVICE=cpu")
    return Finding("device_unknown", BROKEN, f"QUERN_DEVICE={value} selects no device of this machine", problem, [step])


def _is_usable(name, value):
    pattern, _ = VARIABLES[name]
    if name == "QUERN_KEEP_TEXTS":
        return os.path.isdir(value)
    return not value or pattern is None or re.fullmatch(pattern, value)


def values_ignored(m):
    wrong = [name for name in VARIABLES if name in m.environment and not _is_usable(name, m.environment[name])]
    if not wrong:
        return None
    steps = [Step(f"set {name} to {VARIABLES[name][1]}, or take it out of the environment: unset {name}") for name in wrong]
    values = ", ".join(f"{name}={m.environment[name]}" for name in wrong)
    what = f"environment variables have values that quern cannot use: {values}"
    return Finding("values_ignored", LIMIT, what, "they are ignored, or count as 0", steps)


def names_misspelled(m):
    unknown = [name for name in m.environment if name.startswith("QUERN_") and name not in VARIABLES]
    meant = {name: alike[0] for name in unknown for alike in [difflib.get_close_matches(name, VARIABLES, 1, ALIKE)] if alike}
    if not meant:
        return None
    steps = [Step(f"use {other} in place of {name}") for name, other in meant.items()]
    return Finding("names_misspelled", LIMIT, f"quern has no environment variable {', '.join(meant)}", "it is ignored", steps)


RULES = (device_unknown, values_ignored, names_misspelled)
