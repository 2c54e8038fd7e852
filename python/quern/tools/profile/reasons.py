"""Why a line costs what it does: one sentence for each kind of cost, from the expressions at which the engine was asked."""

from __future__ import annotations

from collections import Counter, defaultdict

from quern.tools.profile.kernels import computed
from quern.tools.profile.lines import HELD_UP, NAMES
from quern.tools.profile.units import rough, rough_size, times

_LOOKS = {
    "test": "the test `{}` reads a value",
    "comparison": "`{}` reads a value",
    "loop": "the loop over `{}` reads each value",
    "text": "the text of `{}` reads its values",
    "unpacking": "unpacking `{}` reads its values",
    "item": "`{}` reads a value",
}
_CLOCKS = ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "default_timer")
_LONGEST = 60  # characters of an expression


def reasons(line) -> list[str]:
    """The sentences of one line, the dearest cost first."""
    out = []
    for kind, count in line.copies.items():
        if kind == "device_to_device":
            continue
        because = _because(line, kind, _look if kind == "device_to_host" else _transfer)
        waited = f"; {rough(line.waiting)} of waiting" if kind == "device_to_host" and line.waiting > 1e6 else ""
        out.append((line.waiting, f"{times(count, 'copy', 'copies')} {NAMES[kind]}, {rough_size(line.copied[kind])}{because}{waited}"))
    for what_for, (count, ns) in line.waited.items():
        asked = _because(line, "wait", _look) if what_for in _ASKED else ""
        out.append((ns, f"{times(count, 'wait')} for {_WAITS.get(what_for, what_for) or 'the device'}, {rough(ns)}{asked}"))
    if line.gradient:
        asked = _gradients("is its gradient, which", line.asked_by)
        out.append((line.gradient, f"{rough(line.gradient)} of its device time {asked} asked for"))
    if line.asked:
        charged = _gradients("charged to", line.gradients)
        out.append((line.asked, f"{rough(line.asked)} of device time for gradients, {charged}"))
    for name, count in line.fallbacks.items():
        out.append((0, f"{times(count, 'call')} of {name}, which NumPy computes on the host"))
    if line.singles:
        out.append((0, f"{times(line.singles, 'launch', 'launches')} of single operations, before their fused kernel was compiled"))
    if line.compiles:
        out.append((line.compiling, f"{times(line.compiles, 'compile')}, {rough(line.compiling)}{_why_compiled(line)}"))
    return [text for _, text in sorted(out, key=lambda one: -one[0])]


# Waits that an expression asks for; the others come with the work.
_WAITS = {HELD_UP: "earlier work to finish (free: the cores are busy)"}  # the engine's words -> those of the report
_ASKED = frozenset(("the end of all work", "the end of a stream's work", "an event", "an array", "values for the host"))


def _gradients(words, lines, most=3):
    """What is charged to which lines, the dearest first."""
    named = [f"line {number} ({rough(ns)})" if len(lines) > 1 else f"line {number}" for (_, number), ns in lines.most_common(most)]
    return f"{words} {', '.join(named)}{' and others' if len(lines) > most else ''}"


def _because(line, kind, words):
    """Return the expression that caused most of them."""
    asked = Counter()
    first = {}
    for place, kinds in line.places.items():
        if kinds[kind]:
            asked[place.text] += kinds[kind]
            first.setdefault(place.text, place)
    if not asked:
        return ""
    others = f" (and {times(len(asked) - 1, 'other place')})" if len(asked) > 1 else ""
    return f", because {words(first[asked.most_common(1)[0][0]])}{others}"


def _shown(text):
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _called(text):
    """The name of what a call calls: "x.y(1).z(2)" -> "z"."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]") - (text[at] in "([")
        if depth == 0:
            return text[:at].rpartition(".")[2]
    return text


def _look(place):
    if not place.text:
        return "the program asks for it"
    text = _shown(place.text)
    if place.way == "call":
        name = _called(text)
        if name in ("synchronize", "deviceSynchronize", "wait", "block_until_ready", "wait_event"):
            return f"`{text}` asks for it"
        if name in ("print", "str", "repr", "format"):
            return f"`{text}` prints values"
        if name in _CLOCKS:
            return f"`{text}` reads the clock, and quern waits for the device before that"
    return _LOOKS.get(place.way, "`{}` reads a value" if place.way != "call" else "`{}` takes values to the host").format(text)


def _transfer(place):
    return f"`{_shown(place.text)}` takes values of the host" if place.text else "values of the host are used"


def _why_compiled(line):
    """The engine's reasons for the compiles of a line, the most frequent first, each with what was compiled for it."""
    found = defaultdict(list)
    for name, ops, form, reason in line.compiled:
        what = computed(ops) or name
        if form and reason not in ("new expression", "new kernel source"):
            what += f" ({form.removeprefix('; ')})"
        found[reason or "first run"].append(what)
    parts = []
    for reason, whats in sorted(found.items(), key=lambda one: -len(one[1])):
        shown = list(dict.fromkeys(map(_shown, whats)))
        named = f": {' | '.join(shown[:_MOST])}{' | ...' if len(shown) > _MOST else ''}"
        parts.append(f"{f'{len(whats)} times ' if len(whats) > 1 else ''}{reason}{named}")
    return f", because of {'; '.join(parts)}" if parts else ""


_MOST = 3  # kernels named for one reason
