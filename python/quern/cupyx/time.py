"""cupyx.time: the old name of what cupyx.profiler has."""


from quern.cupyx.profiler import benchmark
from quern.user_files import warn_user


def repeat(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=float("inf"), devices=None):  # noqa: B006
    """See cupyx.profiler.benchmark, which is its name now."""
    warn_user("cupyx.time.repeat is deprecated; use cupyx.profiler.benchmark", FutureWarning)
    return benchmark(func, args, kwargs, n_repeat, name=name, n_warmup=n_warmup, max_duration=max_duration, devices=devices)
