"""Find errors in kernels: `qn.check()` and `quern check FILE`. Kernels run on the CPU, thread by thread, and each access is checked.

report.py makes texts of what the engine found. Start reading at :class:`check`.
"""

from __future__ import annotations

from quern_doctor import commands

from quern.errors import Error
from quern.lib import _engine
from quern.tools.check.report import Finding, Report
from quern.user_files import library_folders, warn_user

__all__ = ["Finding", "Report", "check"]


class check:  # noqa: N801
    """Check the kernels that a ``with`` block compiles and runs on the CPU: memory accesses, races, barriers and arithmetic.

    ``with check() as report:`` returns a :class:`Report` that is filled when the block ends: iterate over it, or print it. Kernels
    compiled before the block are not checked, nor are kernels that run on a GPU: a RuntimeWarning counts them. Checks do not change
    the results of correct kernels.

    Parameters
    ----------
    never_written : bool
        Report reads of memory that nobody has written.
    nan : bool
        Report values that become NaN or infinite.
    leaks : bool
        Report memory allocated explicitly, as by ``mem_alloc``, that is not freed when the block ends.
    orders : int
        In how many orders the blocks of each launch run; their results must agree.
    seed : int
        The seed, 0 to 2**32 - 1, of the order in which blocks and the threads of a block take turns. 0: by their indices. The same
        seed gives the same order.

    Raises
    ------
    RuntimeError
        If checks run already.

    Examples
    --------
    >>> import quern as qn
    >>> with qn.check() as report:
    ...     pass
    >>> len(report)
    0
    """

    _is_on = False

    def __init__(self, never_written: bool = True, *, nan: bool = False, leaks: bool = False, orders: int = 1, seed: int = 0):
        if not 1 <= orders <= 1000:
            raise ValueError(f"[check] orders is {orders}; pass a number from 1 to 1000")
        if not 0 <= seed < 1 << 32:
            raise ValueError(f"[check] seed is {seed}; pass a number from 0 to 4294967295")
        self._options = (never_written, nan, leaks, orders, seed)
        self._report = Report()

    def __enter__(self) -> Report:
        if check._is_on:
            raise RuntimeError("[check] a check is already active; end it first: only one can be active in a process")
        check._is_on = True
        _engine.set_library_folders(library_folders())
        _engine.start_checks(*self._options)
        self._on_gpus = _engine.launches_on_gpus()
        return self._report

    def __exit__(self, *error):
        try:
            _engine.wait_for_cpu()
        except Error:
            pass  # of a launch whose result nobody read; what it did is in the report
        finally:
            check._is_on = False
            _engine.set_library_folders([])
            self._report._fill(_engine.stop_checks())
        if unseen := _engine.launches_on_gpus() - self._on_gpus:
            warn_user(
                f"[check] {unseen} launches on a GPU were not checked: use {commands.typed('check FILE')}, or "
                "set_current_device(device('cpu')) of quern.device around the part",
                RuntimeWarning,
            )
