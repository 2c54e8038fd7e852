#!/usr/bin/env python3
"""Makes the tables of README.md and docs/results.md and the pictures of docs/ from bench/results/*.json.

    tools/results.py           writes them
    tools/results.py --check   fails when they are not what it would write (tests/python/tools/test_docs.py runs it)

A ratio is the peer's time over quern's: above 1 quern is faster. All rows of a file count, those that quern loses too; left out are only
rows without a peer, those compared with Numba's simulator, a tool for debugging, peers of a single row, and the rows of OUTDATED. Start at
SOURCES, which says what is shown; results_picture.py draws.
"""

import argparse
import json
import pathlib
import statistics
import sys

import results_picture

ROOT = pathlib.Path(__file__).resolve().parent.parent
README, CHINESE, PAGE = ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "docs" / "results.md"
OVERVIEW, BY_PROGRAM = ROOT / "docs" / "results.svg", ROOT / "docs" / "results-by-program.svg"
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
# Rows that were measured before operations ran one by one until their kernel is compiled (docs/decisions/0017), where that matters.
OUTDATED = {"h200-host-arrays-cpu": ("a new three-op expression",)}
# A peer's name in bench/results/: the library, and what of it is used there.
PEERS = {
    "JAX": ("JAX", "with `jax.jit`"),
    "torch": ("PyTorch", ""),
    "torch.compile": ("PyTorch", "with `torch.compile`"),
    "numba-cuda": ("Numba", "with `cuda.jit`"),
    "Numba": ("Numba", "with `njit`"),
    "njit(parallel)": ("Numba", "with `njit(parallel=True)`"),
}
# README's rows: the file, the peer, and what is compared, in English and Chinese.
SHOWN = (
    ("h200-arrays-cuda", "CuPy", "array programs on the GPU", "GPU 上的数组程序"),
    ("h200-arrays-cuda", "torch", "array programs on the GPU", "GPU 上的数组程序"),
    ("h200-arrays-cuda", "JAX", "array programs on the GPU", "GPU 上的数组程序"),
    ("h200-kernels-cuda", "numba-cuda", "kernels in Python on the GPU", "GPU 上的 Python 核函数"),
    ("h200-host-arrays-cpu", "NumPy", "array programs on the CPU", "CPU 上的数组程序"),
    ("h200-host-arrays-cpu", "torch", "array programs on the CPU", "CPU 上的数组程序"),
    ("h200-host-kernels-cpu", "njit(parallel)", "kernels on the CPU; for Numba, written as loops", "CPU 上的核函数（Numba 版改写为循环）"),
)
# The panels of the pictures: their titles, the arrays' file and the kernels'.
PANELS = (("On the GPU", "h200-arrays-cuda", "h200-kernels-cuda"), ("On the CPU", "h200-host-arrays-cpu", "h200-host-kernels-cpu"))


def results(name):
    data = json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text())
    data["rows"] = [row for row in data["rows"] if row["name"] not in OUTDATED.get(name, ())]
    return data


def ratios(data):
    """{peer: [(ratio, row's name)]}, in the order of the rows."""
    found = {}
    for row in data["rows"]:
        peers = row.get("peers") or ({row["peer_name"]: row["peer"]} if row.get("peer") else {})
        for peer, value in peers.items():
            if value and peer != "simulator":
                found.setdefault(peer, []).append((value / row["value"], row["name"]))
    return found


def named(peer, version=""):
    library, used = PEERS.get(peer, (peer, ""))
    return " ".join(part for part in (library, version, used) if part)


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
            won, middle = sum(v > 1 for v in values), number(statistics.median(values))
            lines.append(f"| {what} | {named(peer, version)} | {len(rows)} | {won} | {middle} | {number(worst)}: {row} |")
            what = ""
    return "\n".join(lines)


def machine(data):
    return data["machine"].replace(" (CPU)", "").replace("(R)", "")


def machines():
    gpu, host = (results(arrays) for _, arrays, _ in PANELS)
    dates = sorted(results(name)["date"] for name in SOURCES)
    return f"one {machine(gpu)} and {host['cores']} cores of its host ({machine(host)}), {dates[0]} to {dates[-1]}"


def section():
    """All rows, for docs/results.md."""
    return (
        f"{BEGIN}\n![Speed-ups of all array programs, by program](results-by-program.svg)\n\n"
        f"Measured on {machines()}, medians. A ratio is the peer's time divided by\nquern's: above 1, quern is faster.\n\n"
        f"{table()}\n\n{END}"
    )


HEADS = ("| compared with | programs | quern is faster in | median speed-up |", "| 对比对象 | 程序 | quern 更快的项数 | 加速比中位数 |")


def short(chinese):
    """README's rows."""
    lines = [HEADS[chinese], "|---|---|---:|---:|"]
    for source, peer, *texts in SHOWN:
        values = [ratio for ratio, _ in ratios(results(source))[peer]]
        won = sum(value > 1 for value in values)
        faster = f"{won} / {len(values)}" if chinese else f"{won} of {len(values)}"
        name = named(peer).replace(" with ", "，使用 ") if chinese else named(peer)
        lines.append(f"| {name} | {texts[chinese]} | {faster} | {number(statistics.median(values))} |")
    return BEGIN + "\n".join(lines) + f"\n\n{END}"


# ---- the pictures


def titled():
    """[(title, the arrays' file, the kernels' file)] of PANELS."""
    for place, *names in PANELS:
        data = results(names[0])
        cores = f", {data['cores']} cores" if "(CPU)" in data["machine"] else ""
        yield f"{place}: {machine(data)}{cores}", *names


def overview():
    panels = []
    for title, arrays, kernels in titled():
        rows = [
            (named(peer).replace("`", ""), unit, [ratio for ratio, _ in found])
            for name, unit in ((arrays, "array programs"), (kernels, "kernels in Python"))
            for peer, found in ratios(results(name)).items()
            if len(found) > 1
        ]
        panels.append((title, rows))
    return results_picture.overview(panels)


def main():
    parser = argparse.ArgumentParser(description="the tables and the picture of results in README.md and docs/")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when something differs")
    check = parser.parse_args().check
    by_program = results_picture.by_program([(title, results(arrays)) for title, arrays, _ in titled()])
    wished = {OVERVIEW: overview(), BY_PROGRAM: by_program}
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
