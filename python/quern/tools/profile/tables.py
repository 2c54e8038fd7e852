"""The views for a terminal, by rich: cost by line, by function, nvprof's tables, and what a comparison found."""

from __future__ import annotations

import os

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from quern.tools.profile.kernels import summary
from quern.tools.profile.lines import NAMES
from quern.tools.profile.reasons import reasons
from quern.tools.profile.units import rough, rough_size, times

PLAIN_WIDTH = 160  # where the output is no terminal


def console(file, width=None):
    """A console that writes to a file object; a console is taken as it is."""
    import sys

    if isinstance(file, Console):
        return file
    file = file or sys.stdout
    is_terminal = hasattr(file, "isatty") and file.isatty()
    return Console(file=file, width=width or (None if is_terminal else PLAIN_WIDTH), highlight=False, soft_wrap=False)


def _time(ns):
    return rough(ns) if ns >= 500 else ""


def _clipped(text, most):
    return text if len(text) <= most else text[: most - 1] + "\u2026"  # a long line would leave the figures no room


def _count(count):
    return f"{count:,.0f}" if count >= 0.5 else ""


def copies_in_words(cost):
    """What a line copied, and where to."""
    parts = [f"{rough_size(cost.copied[k])} {NAMES[k]}" for k in NAMES if cost.copies[k]]
    return ", ".join(parts)


def head_in_words(profile):
    """The totals, in one sentence."""
    t = profile.total
    parts = [
        f"device {rough(t.device)}",
        f"waiting {rough(t.waiting)}",
        times(t.launches, "launch", "launches") if t.launches else "no launch",
        f"{times(t.compiles, 'compile')} ({rough(t.compiling)})" if t.compiles else "no compile",
        f"copies: {copies_in_words(t)}" if any(t.copies.values()) else "no copies",
        f"peak memory {rough_size(profile.peak)}",
    ]
    return "; ".join(parts)


def show_head(out, profile):
    """What ran, where, and the totals."""
    out.print(Text(f"quern profile: {profile.title}, {rough(profile.seconds * 1e9)} on {profile.device_names or 'no device'}", "bold"))
    out.print("  " + head_in_words(profile))
    if profile.recording.timing_in_words:
        out.print(f"  {escape(profile.recording.timing_in_words)}")


def show_lines(out, profile, most=20):
    """The dearest lines, with their text, and why."""
    lines = [line for line in profile.lines if line.weight > 0 or line.compiles or line.launches][:most]
    files = {line.file for line in lines if line.file}
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for head in ("Line", "Device", "Host", "Waiting", "Compiling"):
        table.add_column(head, justify="left" if head == "Line" else "right", no_wrap=True)
    for head in ("Launches", "Copies", "Peak memory"):
        table.add_column(head, justify="right")
    table.add_column("Source", no_wrap=True, overflow="ellipsis", ratio=1)
    for line in lines:
        where = f"{os.path.basename(line.file)}:{line.line}" if len(files) > 1 else str(line.line) if line.file else ""
        table.add_row(
            where,
            f"({_time(line.asked)})" if line.asked > line.device else _time(line.device),
            _time(max(line.host, line.python)),
            _time(line.waiting),
            _time(line.compiling),
            _count(line.launches),
            copies_in_words(line),
            rough_size(line.peak) if line.peak else "",
            escape(_clipped(line.source, out.width // 2)) if line.file else "(no line of the program)",
        )
    if len(files) == 1:
        out.print(f"\n[bold]{escape(next(iter(files)))}[/bold]")
    else:
        out.print()
    out.print(table)
    told = [(line, sentence) for line in lines if line.file for sentence in reasons(line)]
    if told:
        out.print("\n[bold]Why[/bold]")
        for line, sentence in told:
            where = f"{os.path.basename(line.file)}:{line.line}" if len(files) > 1 else f"line {line.line}"
            out.print(f"  {escape(where)}: {escape(sentence)}")


def show_tree(out, profile):
    """Files, their functions and these functions' lines."""
    tree = Tree("[bold]by function[/bold]")
    for (file, function), cost in profile.functions.items():
        if not file:
            continue
        node = tree.add(escape(f"{function} ({os.path.basename(file)})  {_both(cost)}"))
        lines = [line for line in profile.lines if (line.file, line.function) == (file, function)]
        shown = [line for line in lines if line.weight >= 0.01 * cost.weight]
        for line in shown:
            node.add(escape(f"{line.line}  {_both(line)}  {line.source}"))
        if len(lines) > len(shown):
            node.add(f"{times(len(lines) - len(shown), 'line')} of less than 1 % of the function")
    out.print(tree)


def _both(cost):
    return f"device {rough(cost.device)}, host {rough(max(cost.host, cost.python))}"


def show_work(out, profile, most=6):
    """Print the longest work of the CPU, compared with what the machine can do."""
    machine = profile.machine
    if machine is None:
        return
    least = 0.01 * profile.total.device
    known = [g for g in summary(profile.recording)[0] if g.thread_time and g.total >= least and not g.name.startswith("[CUDA")]
    if not known:
        return
    peak = max(machine.float32, machine.float64)
    can = f"{machine.bandwidth / 1e9:.3g} GB/s, {peak / 1e9:.3g} GFLOP/s, {times(machine.threads, 'thread')}"
    out.print(f"\n[bold]Work[/bold] compared with what the machine can do: {can}")
    for group in known[:most]:
        part = 100e9 * group.rate(group.bytes) / machine.bandwidth
        rates = [
            f"{group.rate(group.bytes):.3g} GB/s ({f'{part:.0f} %' if part < 110 else 'in caches'})" if group.bytes else "",
            f"{group.rate(group.operations):.3g} GFLOP/s" if group.operations else "",
            f"{group.rate(group.thread_time):.1f} threads",
        ]
        out.print(f"  {rough(group.total)}  {escape(group.name)}: {', '.join(filter(None, rates))}")


def show_advice(out, advice):
    """What to do about it."""
    if not advice:
        return
    out.print("\n[bold]Advice[/bold]")
    for one in advice:
        out.print(f"  {escape(one.where)}: {escape(one.text)}")
