#!/usr/bin/env python3
"""Makes the tables of README.md and docs/results.md and the picture docs/results.svg from bench/results/*.json.

    tools/results.py           writes all three
    tools/results.py --check   fails when they are not what it would write (tests/python/tools/test_docs.py runs it)

A ratio is the peer's time over quern's: above 1 quern is faster. All rows of a file count, those that quern loses too; left out are only
rows without a peer, those compared with Numba's simulator, a tool for debugging, and peers of a single row. Start at SOURCES, which says
what is shown.
"""

import argparse
import html
import json
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README, CHINESE, PAGE = ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "docs" / "results.md"
PICTURE = ROOT / "docs" / "results.svg"
BEGIN, END = "<!-- written by tools/results.py: -->\n", "<!-- end of tools/results.py -->\n"

# What the rows of a file are, in the order of the table.
SOURCES = {
    "h200-arrays-cuda": "array programs, on the GPU",
    "h200-functions-cuda": "thirty functions, 1 to 10 million elements, on the GPU",
    "h200-kernels-cuda": "kernels in Python, on the GPU",
    "h200-host-arrays-cpu": "array programs, on the CPU",
    "h200-host-functions-cpu": "thirty functions, 1 to 10 million elements, on the CPU",
    "h200-host-kernels-cpu": "kernels in Python, on the CPU",
}
# README's rows: the file, the peer, and what is compared, in English and Chinese.
SHOWN = (
    ("h200-arrays-cuda", "CuPy", "array programs on the GPU", "GPU 上的数组程序"),
    ("h200-arrays-cuda", "JAX", "array programs on the GPU", "GPU 上的数组程序"),
    ("h200-kernels-cuda", "numba-cuda", "Python kernels on the GPU", "GPU 上的 Python 核函数"),
    ("h200-host-arrays-cpu", "NumPy", "array programs on the CPU", "CPU 上的数组程序"),
    ("h200-host-arrays-cpu", "torch", "array programs on the CPU", "CPU 上的数组程序"),
    ("h200-host-kernels-cpu", "njit(parallel)", "Python kernels on the CPU", "CPU 上的 Python 核函数"),
)
PANELS = ("h200-arrays-cuda", "h200-host-arrays-cpu")
COLOURS = {"CuPy": "#2a9d3a", "torch": "#e0532f", "torch.compile": "#8c3fbf", "JAX": "#1f6fd1", "NumPy": "#2a9d3a", "Numba": "#d99a00"}


def results(name):
    return json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text())


def ratios(data):
    """{peer: [(ratio, row's name)]}, in the order of the rows."""
    found = {}
    for row in data["rows"]:
        peers = row.get("peers") or ({row["peer_name"]: row["peer"]} if row.get("peer") else {})
        for peer, value in peers.items():
            if value and peer != "simulator":
                found.setdefault(peer, []).append((value / row["value"], row["name"]))
    return found


def number(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2g}"


def table():
    lines = ["| what | compared with | rows | quern is faster in | median ratio | worst ratio |", "|---|---|---:|---:|---:|---|"]
    for name, what in SOURCES.items():
        data = results(name)
        for peer, rows in ratios(data).items():
            if len(rows) == 1:
                continue
            values = [ratio for ratio, _ in rows]
            worst, row = min(rows)
            version = data.get("peers", {}).get(peer, "").split("+")[0]
            beside = f"{peer} {version}".strip()
            won, middle = sum(v > 1 for v in values), number(statistics.median(values))
            lines.append(f"| {what} | {beside} | {len(rows)} | {won} | {middle} | {number(worst)}: {row} |")
            what = ""
    return "\n".join(lines)


def machines():
    gpu, host = results(PANELS[0]), results(PANELS[1])
    cores = f"{host['cores']} cores of its host ({host['machine'].replace(' (CPU)', '').replace('(R)', '')})"
    return f"one {gpu['machine']} and {cores}, {max(results(name)['date'] for name in SOURCES)}"


def section():
    """All rows, for docs/results.md."""
    return (
        f"{BEGIN}\n![Ratios of all array programs, by peer](results.svg)\n\n"
        f"Measured on {machines()}, medians. A ratio is the peer's time divided by\nquern's: above 1, quern is faster.\n\n"
        f"{table()}\n\n{END}"
    )


HEADS = ("| compared with | programs | quern is faster in | median speed-up |", "| 对比对象 | 程序 | quern 更快的项数 | 加速比中位数 |")


def short(chinese):
    """README's rows."""
    lines = [HEADS[chinese], "|---|---|---:|---:|"]
    for name, peer, *texts in SHOWN:
        values = [ratio for ratio, _ in ratios(results(name))[peer]]
        won = sum(value > 1 for value in values)
        faster = f"{won} / {len(values)}" if chinese else f"{won} of {len(values)}"
        lines.append(f"| {peer} | {texts[chinese]} | {faster} | {number(statistics.median(values))} |")
    return f"{BEGIN}\n" + "\n".join(lines) + f"\n\n{END}"


# ---- the picture: a line for each row, a dot for each peer, ratios on a logarithmic axis


class Panel:
    left, width, line, top = 330, 520, 17, 64

    def __init__(self, name, y):
        self.data, self.y = results(name), y
        self.title = SOURCES[name]
        self.rows = [row for row in self.data["rows"] if row.get("peers")]
        self.low, self.high = 1 / 128, 1024

    @property
    def height(self):
        return self.top + self.line * len(self.rows) + 40

    def x(self, ratio):
        at = (math.log(ratio) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return self.left + self.width * min(max(at, 0), 1)

    def draw(self):
        first, last = self.y + self.top - 8, self.y + self.top + self.line * len(self.rows)
        title = f"{self.title[0].upper()}{self.title[1:]}: {self.data['machine']}"
        yield f'<text x="12" y="{self.y + 24}" class="title">{html.escape(title)}</text>'
        x = self.left
        for peer in self.data["peers"]:
            yield f'<circle cx="{x}" cy="{self.y + 40}" r="4.5" fill="{COLOURS[peer]}"/>'
            label = f"{peer} {self.data['peers'][peer].split('+')[0]}"
            yield f'<text x="{x + 9}" y="{self.y + 44}">{html.escape(label)}</text>'
            x += 8 * len(label) + 20
        for power in range(-7, 11):
            ratio = 2.0**power
            if power % 2 and power != 0:
                continue
            style = "one" if ratio == 1 else "grid"
            yield f'<line x1="{self.x(ratio):.1f}" y1="{first}" x2="{self.x(ratio):.1f}" y2="{last}" class="{style}"/>'
            text = f"{ratio:.0f}" if ratio >= 1 else f"1/{1 / ratio:.0f}"
            yield f'<text x="{self.x(ratio):.1f}" y="{last + 15}" class="axis">{text}</text>'
        for i, row in enumerate(self.rows):
            y = self.y + self.top + self.line * i + 4
            yield f'<text x="{self.left - 10}" y="{y + 4}" class="row">{html.escape(row["name"])}</text>'
            for peer, value in row["peers"].items():
                if value:
                    yield f'<circle cx="{self.x(value / row["value"]):.1f}" cy="{y}" r="4.5" fill="{COLOURS[peer]}" fill-opacity="0.85"/>'


def picture():
    panels, y = [], 0
    for name in PANELS:
        panels.append(Panel(name, y))
        y += panels[-1].height
    width, height = Panel.left + Panel.width + 30, y + 24
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        "<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold;font-size:14px}.row{text-anchor:end}"
        ".axis{text-anchor:middle;fill:#666}.grid{stroke:#ddd}.one{stroke:#222;stroke-width:1.5}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for panel in panels:
        lines += panel.draw()
    lines.append(
        f'<text x="{Panel.left + Panel.width / 2}" y="{height - 12}" class="axis">'
        "the peer's time over quern's: right of 1 quern is faster (dots at the edges lie beyond them)</text>"
    )
    return "\n".join([*lines, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description="the tables and the picture of results in README.md and docs/")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when something differs")
    check = parser.parse_args().check
    wished = {PICTURE: picture()}
    for path, made in ((README, short(False)), (CHINESE, short(True)), (PAGE, section())):
        text = path.read_text(encoding="utf-8")
        begin, end = text.index(BEGIN), text.index(END) + len(END)
        wished[path] = text[:begin] + made + text[end:]
    differs = [path.name for path, text in wished.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if check:
        sys.exit(f"{' and '.join(differs)}: not what bench/results gives; run tools/results.py" if differs else 0)
    for path, text in wished.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
