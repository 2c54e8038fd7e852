"""How many random programs a test runs and from which seed: few for every change, more in `./quern test --long` (tools/long_tests.py)."""

import os

# The first seed of random programs; the long run gives each of its items another one.
FIRST_SEED = int(os.environ.get("QUERN_FIRST_SEED", "0"))


def programs(variable, usual):
    """Return the number in an environment variable, or the usual one."""
    return int(os.environ.get(variable) or usual)


def seeds(count, skip=0):
    """Return the seeds of that many programs, after some that run anyway."""
    return range(FIRST_SEED + skip, FIRST_SEED + skip + count)
