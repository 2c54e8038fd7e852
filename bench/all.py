#!/usr/bin/env python3
"""Runs the benches of a device, and compares each row with the results of the same machine that were committed.

    python bench/all.py --machine epyc-2-cores [--device cpu|cuda] [--only arrays,loops] [--keep]

A row's ratio is its new value to the committed one. Where a row has a peer's time, the row counts relative to the peer, so that a
slower hour of the machine does not show. `--keep` replaces the committed results.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BENCHES = {
    "cpu": ["first_run", "functions", "arrays", "fourier", "spine", "kernels", "loops", "training", "keras", "pycuda"],
    "cuda": ["functions", "arrays", "spine", "kernels", "loops", "training", "keras", "pycuda"],
}
BAR = 1.15  # rows that are slower by more are listed


def rows_of(file):
    """Each row's value, and its value relative to the first peer; None without a peer."""
    rows, kept = {}, json.loads(file.read_text())
    times = kept.get("milliseconds", {})  # of bench/keras.py: {backend: {name: ms}}
    others = next((times[backend] for backend in times if backend != "quern"), {})
    for name, value in times.get("quern", {}).items():
        rows[name] = value, value / others[name] if others.get(name) else None
    for row in kept.get("rows", []):
        peer = row.get("peer") or next(iter((row.get("peers") or {}).values()), None)
        if isinstance(row.get("value"), (int, float)):
            rows[row["name"]] = row["value"], row["value"] / peer if peer else None
    return rows


def compare(before, now):
    """The ratios of the rows that both have: (ratio, name, before, now), the slowest first."""
    found = []
    for name in before.keys() & now.keys():
        (old, old_share), (new, new_share) = before[name], now[name]
        if old and new:
            found.append((new_share / old_share if old_share and new_share else new / old, name, old, new))
    return sorted(found, reverse=True)


def run(bench, device, out):
    """Whether the bench ran to its end."""
    takes_device = "--device" in (HERE / f"{bench}.py").read_text()
    command = [sys.executable, HERE / f"{bench}.py", *(["--device", device] if takes_device else []), "--out", out]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode or not out.exists():
        print(f"{bench}: failed\n{done.stdout[-1500:]}")
    return not done.returncode and out.exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", required=True, help="as the files in bench/results begin")
    parser.add_argument("--device", default="cpu", choices=BENCHES)
    parser.add_argument("--only", default="", help="names of benches, with commas between them")
    parser.add_argument("--keep", action="store_true", help="the new results replace the committed ones")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else BENCHES[options.device]
    slower = []
    with tempfile.TemporaryDirectory() as folder:
        for bench in wanted:
            out = pathlib.Path(folder, f"{bench}.json")
            committed = HERE / "results" / f"{options.machine}-{bench.replace('_', '-')}-{options.device}.json"
            if not run(bench, options.device, out):
                slower.append((0, bench, "failed"))
                continue
            if committed.exists():
                ratios = compare(rows_of(committed), rows_of(out))
                middle = statistics.geometric_mean(ratio for ratio, *_ in ratios) if ratios else 1
                print(f"{bench}: {len(ratios)} rows, geometric mean {middle:.3f} of the committed results", flush=True)
                slower += [(ratio, bench, name) for ratio, name, *_ in ratios if ratio > BAR]
                for ratio, name, old, new in ratios[:5]:
                    print(f"    {ratio:6.2f}   {name}: {old:.4g} -> {new:.4g}")
            else:
                print(f"{bench}: no results of {options.machine} are committed", flush=True)
            if options.keep:
                os.replace(out, committed)
    print(f"{len(slower)} rows are slower by more than {BAR - 1:.0%}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
