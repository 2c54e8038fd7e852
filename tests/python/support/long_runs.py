"""How much of a long test runs: a fixed part for every change, all of it in `./quern test --long` (tools/long_tests.py)."""

import os
import random

# The first seed of random programs; the long run gives each of its items another one.
FIRST_SEED = int(os.environ.get("QUERN_FIRST_SEED", "0"))


def programs(variable, usual):
    """Return the number in an environment variable, or the usual one."""
    return int(os.environ.get(variable) or usual)


def seeds(count, skip=0):
    """Return the seeds of that many programs, after some that run anyway."""
    return range(FIRST_SEED + skip, FIRST_SEED + skip + count)


def part(cases, count):
    """Return so many of the cases, the same ones in each run; all of them with QUERN_ALL_CASES=1, and where answers are renewed."""
    cases = list(cases)
    if count >= len(cases) or os.environ.get("QUERN_ALL_CASES") == "1" or any(name.startswith("QUERN_RENEW_") for name in os.environ):
        return cases
    test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]  # each takes other cases
    return [cases[i] for i in sorted(random.Random(test).sample(range(len(cases)), count))]
