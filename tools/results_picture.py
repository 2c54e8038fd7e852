"""The pictures of results as SVG; tools/results.py writes them. A ratio is the peer's time over quern's, on a logarithmic axis.

overview() has a row for each peer and a dot for each program; by_program() has a row for each program and a dot for each peer.
"""

import html
import math
import statistics

DARK = "@media (prefers-color-scheme:dark)"
STYLE = (
    "text{font:13px sans-serif;fill:#1f2328}.title{font-weight:bold;font-size:15px}.strong{font-weight:bold}"
    ".small{font-size:12px;fill:#59636e}.end{text-anchor:end}.middle{text-anchor:middle}"
    ".paper{fill:#fff}.grid{stroke:#dfe3e8}.one{stroke:#1f2328;stroke-width:1.5}.band{fill:#e4e8ed}.median{stroke:#1f2328;stroke-width:3}"
    ".faster{fill:#0969da}.slower{fill:#d4620a}.one-dot{fill-opacity:.8}"
)
STYLE_DARK = (
    "text{fill:#e6edf3}.small{fill:#9198a1}.paper{fill:#0d1117}.grid{stroke:#2b3138}.one{stroke:#e6edf3}.band{fill:#252c35}"
    ".median{stroke:#e6edf3}.faster{fill:#58a6ff}.slower{fill:#f0883e}"
)
COLOURS = {"CuPy": "#2a9d3a", "torch": "#e0532f", "torch.compile": "#a45fd3", "JAX": "#2f81e8", "NumPy": "#2a9d3a", "Numba": "#d99a00"}


def document(width, height, lines, label):
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:g}" viewBox="0 0 {width} {height:g}" role="img">',
            f"<title>{html.escape(label)}</title>",
            f"<style>{STYLE}{DARK}{{{STYLE_DARK}}}</style>",
            f'<rect width="{width}" height="{height:g}" rx="6" class="paper"/>',
            *lines,
            "</svg>",
            "",
        ]
    )


def text(x, y, content, style=""):
    style = f' class="{style}"' if style else ""
    return f'<text x="{x:.5g}" y="{y:.5g}"{style}>{html.escape(content)}</text>'


def dot(x, y, radius, look):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" {look}/>'


def rule(x, top, bottom, style):
    return f'<line x1="{x:.1f}" y1="{top:.5g}" x2="{x:.1f}" y2="{bottom:.5g}" class="{style}"/>'


class Axis:
    """Ratios from `low` to `high` between the abscissas `left` and `left + width`; what lies beyond is drawn at the edge."""

    def __init__(self, left, width, low, high, ticks):
        self.left, self.width, self.low, self.high, self.ticks = left, width, low, high, ticks

    def __call__(self, ratio):
        at = math.log(ratio / self.low) / math.log(self.high / self.low)
        return self.left + self.width * min(max(at, 0), 1)

    def grid(self, top, bottom):
        for ratio in self.ticks:
            yield rule(self(ratio), top, bottom, "one" if ratio == 1 else "grid")
            yield text(self(ratio), bottom + 16, shown(ratio), "small middle")


def shown(ratio):
    """A ratio as a reader of an axis expects it: 1/10, 1, 10."""
    return f"{ratio:,.0f}" if ratio >= 1 else f"1/{1 / ratio:.0f}"


# ---- a row for each peer


RADIUS, STEP, LEAST = 3.5, 2.0, 36  # of a dot; between the lanes of dots; the height of a row
RIGHT = 140  # from the axis to the end of the figures


def swarm(abscissas):
    """Return [(x, offset)]: dots that would touch lie above and below each other, as near to the middle of the row as there is room."""
    placed = []
    for x in sorted(abscissas):
        lane = 0
        while any(math.hypot(x - other, lane * STEP - offset) < 1.7 * RADIUS for other, offset in placed):
            lane = -lane if lane > 0 else 1 - lane  # 0, 1, -1, 2, -2, ...
        placed.append((x, lane * STEP))
    return placed


def beyond(axis, values, y):
    """The ratios outside of the axis, each as an arrow at its edge with the value."""
    for ratio in values:
        if axis.low <= ratio <= axis.high:
            continue
        right = ratio > 1
        edge, back = (axis(ratio) + 5, -8) if right else (axis(ratio) - 5, 8)
        style = "faster" if right else "slower"
        yield f'<path d="M{edge:.1f} {y:.5g}l{back} -5v10z" class="{style}"/>'
        yield text(edge + (4 if right else -4), y + 4, shown(ratio), "small" if right else "small end")


def peer_row(axis, y, height, name, unit, values):
    """A peer's name, its dots on the band of their middle half, the median, and how many programs are faster."""
    middle, median = y + height / 2, statistics.median(values)
    first, _, third = (axis(quartile) for quartile in statistics.quantiles(values, n=4, method="inclusive"))
    yield text(16, middle - 2, name, "strong")
    yield text(16, middle + 14, f"{len(values)} {unit}", "small")
    yield f'<rect x="{first:.1f}" y="{y + 4:.5g}" width="{third - first:.1f}" height="{height - 8:.5g}" rx="4" class="band"/>'
    yield rule(axis(1), y, y + height, "one")
    for x, offset in swarm([axis(value) for value in values if axis.low <= value <= axis.high]):
        yield dot(x, middle + offset, RADIUS, f'class="one-dot {"faster" if x > axis(1) else "slower"}"')
    yield rule(axis(median), y + 3, y + height - 3, "median")
    yield from beyond(axis, values, middle)
    at = axis.left + axis.width + RIGHT
    yield text(at, middle - 2, f"{median:.0f}" if median >= 10 else f"{median:.1f}", "strong end")
    yield text(at, middle + 14, f"{sum(value > 1 for value in values)} of {len(values)} faster", "small end")


def overview(panels):
    """The picture of [(title, [(peer, unit, ratios)])]: a dot is a program, its abscissa how many times faster quern is than the peer."""
    axis = Axis(256, 450, 1 / 128, 128, (1 / 100, 1 / 30, 1 / 10, 1 / 3, 1, 3, 10, 30, 100))
    lines, y = [], 8
    for title, rows in panels:
        lines.append(text(16, y + 18, title, "title"))
        lines.append(text(axis.left + axis.width + RIGHT, y + 18, "median speed-up", "small end"))
        y += 30
        swarms = [[offset for _, offset in swarm([axis(value) for value in values])] for _, _, values in rows]
        heights = [max(LEAST, max(offsets) - min(offsets) + 2 * RADIUS + 8) for offsets in swarms]
        lines += axis.grid(y, y + sum(heights))
        for (name, unit, values), height in zip(rows, heights, strict=True):
            lines += peer_row(axis, y, height, name, unit, values)
            y += height
        y += 30
    width = axis.left + axis.width + RIGHT + 16
    lines.append(text(axis(1) - 10, y + 6, "← quern is slower", "small end"))
    lines.append(text(axis(1) + 10, y + 6, "quern is faster →", "small"))
    note = "The axis is the peer's time divided by quern's. Dot: a program; bar: the median; band: the middle half of the programs."
    lines.append(text(width / 2, y + 28, note, "small middle"))
    return document(width, y + 44, lines, "Speed of quern compared with its peers")


# ---- a row for each program


def programs(axis, y, title, data):
    """The lines of one machine, and where they end."""
    line, radius = 17, 4.5
    rows = [row for row in data["rows"] if row.get("peers")]
    top, bottom = y + 56, y + 64 + line * len(rows)
    lines, x = [text(12, y + 24, title, "title")], axis.left
    for peer, version in data["peers"].items():
        label = f"{peer} {version.split('+')[0]}"
        lines += [dot(x, y + 40, radius, f'fill="{COLOURS[peer]}"'), text(x + 9, y + 44, label)]
        x += 8 * len(label) + 24
    lines += axis.grid(top, bottom)
    for i, row in enumerate(rows):
        at = y + 68 + line * i
        lines.append(text(axis.left - 12, at + 4, row["name"], "end"))
        look = 'fill="{}" fill-opacity="0.85"'
        lines += [dot(axis(value / row["value"]), at, radius, look.format(COLOURS[peer])) for peer, value in row["peers"].items() if value]
    return lines, bottom + 40


def by_program(panels):
    """The picture of [(title, results of bench/arrays.py)]."""
    axis = Axis(340, 520, 1 / 128, 1024, [2.0**power for power in range(-6, 11, 2)])
    lines, y = [], 0
    for title, data in panels:
        added, y = programs(axis, y, title, data)
        lines += added
    note = "the peer's time divided by quern's: right of 1, quern is faster (dots at the edges lie beyond them)"
    width = axis.left + axis.width + 30
    lines.append(text(width / 2, y + 12, note, "small middle"))
    return document(width, y + 24, lines, "Speed of quern compared with its peers, by program")
