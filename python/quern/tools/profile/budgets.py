"""Budgets: limits for a program's copies, waits, compiles and memory, with the lines that exceed them."""

from quern.tools.profile.units import rough_size, times


def exceeded(profile, budgets) -> list[str]:
    """A text for each limit of {"copies", "waits", "compiles", "memory"} that the profile is above; None is no limit."""
    counts = {
        "copies": lambda cost: cost.copies["host_to_device"] + cost.copies["device_to_host"],
        "waits": lambda cost: cost.waits,
        "compiles": lambda cost: cost.compiles,
    }
    out = []
    for what, most in budgets.items():
        if most is None:
            continue
        if what == "memory":
            if profile.peak > most:
                lines = _worst(profile.lines, lambda line: line.peak, rough_size)
                out.append(f"peak memory is {rough_size(profile.peak)}, the budget {rough_size(most)}: {lines}")
        elif (found := counts[what](profile.total)) > most:
            lines = _worst(profile.lines, counts[what], str)
            out.append(f"{times(found, *_words[what])}, the budget is {most}: {lines}")
    return out


_words = {"copies": ("copy", "copies"), "waits": ("wait",), "compiles": ("compile",)}


def _worst(lines, count, words, most=5):
    found = sorted((line for line in lines if count(line)), key=lambda line: -count(line))
    named = [
        f"{line.file.rpartition('/')[2]}:{line.line} ({words(count(line))})" if line.file else f"elsewhere ({words(count(line))})"
        for line in found
    ]
    return ", ".join(named[:most]) + (f" and {len(named) - most} more lines" if len(named) > most else "")
