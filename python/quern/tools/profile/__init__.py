"""Where a program's time goes, by the line of its own files: `qn.profile()` and `quern profile FILE`.

collect.py takes the events and the stacks, call_sites.py and lines.py charge them to lines, reasons.py and advice.py say why and what to
do; kernels.py (nvprof's tables), html.py (the page), perfetto.py and compare.py are other views. Start reading at :class:`Profile`.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys

from quern.tools.profile import kernels, lines
from quern.tools.profile.advice import advice
from quern.tools.profile.budgets import exceeded
from quern.tools.profile.collect import Collector, Recording
from quern.tools.profile.figures import figures

__all__ = ["Profile", "profile"]

LEAST_WORK = 10_000_000  # ns of work on the CPU from which the machine's limits are measured


class Profile:
    """Costs of a program by source line and kernel, as :func:`profile` returns them; complete when the ``with`` block has ended.

    Parameters
    ----------
    recording : Recording, optional
        Events of the profile.
    title : str, optional
        Heading of the report.

    Examples
    --------
    >>> import quern as qn
    >>> with qn.profile() as p:
    ...     total = float(qn.ones(100_000).sum())
    >>> isinstance(p, qn.Profile)
    True
    """

    def __init__(self, recording: Recording | None = None, title: str = ""):
        self.title = title
        self._recording = recording

    @property
    def recording(self) -> Recording:
        """The recorded events.

        Raises
        ------
        RuntimeError
            While the ``with`` block has not ended.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> type(p.recording).__name__
        'Recording'
        """
        if self._recording is None:
            raise RuntimeError("[profile] the profile has not ended; read it after the with block")
        return self._recording

    @property
    def seconds(self):
        """The duration of the ``with`` block in seconds.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> p.seconds > 0
        True
        """
        return (self.recording.ended - self.recording.began) * 1e-9

    @functools.cached_property
    def lines(self):
        """The cost of each source line, a list of `quern.tools.profile.lines.Line`, the most expensive first.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> isinstance(p.lines, list)
        True
        """
        return lines.cost_by_line(self.recording)

    @functools.cached_property
    def functions(self):
        """The cost of each function of the user's files, a dict by (file, function).

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> isinstance(p.functions, dict)
        True
        """
        return lines.cost_by_function(self.lines)

    @functools.cached_property
    def total(self):
        """The cost of all source lines together.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> isinstance(p.total.launches, int)
        True
        """
        return lines.total(self.lines)

    @functools.cached_property
    def peak(self):
        """The largest amount of memory that arrays and buffers used at a time, in bytes.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(100_000).sum())
        >>> p.peak >= 0
        True
        """
        return lines.peak_memory(self.recording)[0]

    @property
    def advice(self):
        """Advice on the most expensive lines: a list of dicts with the keys ``where``, ``rule`` and ``text``.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> isinstance(p.advice, list)
        True
        """
        return advice(self)

    @property
    def device_names(self):
        """The names of the devices that ran kernels or copies, as one text.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     pass
        >>> p.device_names
        ''
        """
        used = {"cpu" if n < 0 else f"cuda:{n}" for n in self.recording.rows["device"].tolist()}
        return ", ".join(f"{name} ({self.recording.devices[name]['name']})" for name in sorted(used) if name in self.recording.devices)

    @functools.cached_property
    def machine(self):
        """The limits of the CPU, a `quern.tools.profile.machine.Machine`; None where it ran no kernels, or for less than 10 ms.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> p.machine is None
        True
        """
        from quern.tools.profile.machine import machine

        worked = sum(group.device_ns for group in self.recording.groups if group.row["device"] < 0 and group.kind == "launch")
        return machine() if worked >= LEAST_WORK else None

    def exceeded(self, budgets):
        """Return a message for each budget that was exceeded.

        Parameters
        ----------
        budgets : dict
            Largest numbers of "copies", "waits", "compiles", and of bytes of "memory".

        Returns
        -------
        list of str
            Messages.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> p.exceeded({"memory": 1 << 30})
        []
        """
        return exceeded(self, budgets)

    def print(self, file=None, most=20, tree=False):
        """Print the most expensive source lines, with reasons and advice.

        Parameters
        ----------
        file : file object, optional
            File; None is the standard output.
        most : int, optional
            Number of lines to print.
        tree : bool, optional
            Whether to print the tree of calls, too.

        Examples
        --------
        >>> import io, quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> out = io.StringIO()
        >>> p.print(out)
        >>> out.getvalue().startswith("quern profile")
        True
        """
        from quern.tools.profile import tables  # rich takes a while to import

        out = tables.console(file)
        tables.show_head(out, self)
        tables.show_lines(out, self, most)
        if tree:
            tables.show_tree(out, self)
        tables.show_work(out, self)
        tables.show_advice(out, self.advice)

    def print_gpu_trace(self, file=None):
        """Print the work of the devices event by event, in the columns of nvprof.

        Parameters
        ----------
        file : file object, optional
            File; None is the standard output.

        Examples
        --------
        >>> import io, quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> out = io.StringIO()
        >>> p.print_gpu_trace(out)
        >>> "Duration" in out.getvalue()
        True
        """
        kernels.print_columns(file, *kernels.trace_lines(self.recording))

    def print_summary(self, file=None):
        """Print the work of the devices and the calls of the host by name, in the columns of nvprof.

        Parameters
        ----------
        file : file object, optional
            File; None is the standard output.

        Examples
        --------
        >>> import io, quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> out = io.StringIO()
        >>> p.print_summary(out)
        >>> "Calls" in out.getvalue()
        True
        """
        kernels.print_columns(file, *kernels.summary_lines(self.recording))

    def figures(self):
        """Return all figures of the profile as plain values, as `save_json` writes them.

        Returns
        -------
        dict
            Numbers, texts, lists and dicts.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> isinstance(p.figures(), dict)
        True
        """
        return figures(self)

    def save_json(self, file):
        """Write the figures as JSON.

        Parameters
        ----------
        file : str, path or file object
            File that is written.

        Examples
        --------
        >>> import io, json, quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> out = io.StringIO()
        >>> p.save_json(out)
        >>> isinstance(json.loads(out.getvalue()), dict)
        True
        """
        with _opened(file) as f:
            json.dump(self.figures(), f, indent=1)
            f.write("\n")

    def save_trace(self, file):
        """Write the timeline of the host and of the streams for Perfetto (ui.perfetto.dev).

        Parameters
        ----------
        file : str, path or file object
            File that is written.

        Examples
        --------
        >>> import io, quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> out = io.StringIO()
        >>> p.save_trace(out)
        >>> "traceEvents" in out.getvalue()
        True
        """
        from quern.tools.profile.perfetto import write_timeline

        with _opened(file) as f:
            write_timeline(self.recording, f)

    def save_html(self, file):
        """Write the report as one page that needs no network: timeline, flame graph, source with costs, and memory.

        Parameters
        ----------
        file : str, path or file object
            File that is written.

        Examples
        --------
        >>> import io, quern as qn
        >>> with qn.profile() as p:
        ...     total = float(qn.ones(1000).sum())
        >>> out = io.StringIO()
        >>> p.save_html(out)
        >>> out.getvalue()[:15]
        '<!doctype html>'
        """
        from quern.tools.profile.html import page

        with _opened(file) as f:
            f.write(page(self))


def _opened(file):
    if isinstance(file, (str, os.PathLike)):
        return open(file, "w", encoding="utf-8")
    return contextlib.nullcontext(file)


class profile:  # noqa: N801
    """Record where the time of a ``with`` block goes, by source line of the user's own files.

    ``with profile() as p:`` returns a :class:`Profile`. After the block, ``p.print()`` shows the costs by line with the reasons;
    ``p.lines`` and ``p.figures()`` return them to programs; ``p.print_summary()`` and ``p.print_gpu_trace()`` print nvprof's tables.
    The block ends when all work that was submitted in it is done.

    Parameters
    ----------
    title : str, optional
        Heading of the report; by default the program's name.
    leave_out : sequence of str, optional
        Names of files whose work is counted at the lines that call them, as the work of libraries is.

    Raises
    ------
    RuntimeError
        If a profile is already active.

    Examples
    --------
    >>> import quern as qn
    >>> with qn.profile() as p:
    ...     total = float(qn.ones(100_000).sum())
    >>> p.total.copies["device_to_host"]
    1
    """

    def __init__(self, title: str | None = None, *, leave_out=()):
        self._title = title
        self._collector = Collector(leave_out)
        self._profile = None

    def __enter__(self) -> Profile:
        title = self._title or os.path.basename(sys.argv[0] or "python")
        self._collector.start()
        self._profile = Profile(None, title)
        return self._profile

    def __exit__(self, *error):
        self._profile._recording = self._collector.stop()
