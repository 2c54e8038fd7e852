#!/usr/bin/env python3
"""What a user's first run costs on the CPU: ten programs (first_run_programs.py), each compared with the same program in NumPy.

    python bench/first_run.py [--only TEXT] [--repeat 5] [--quick] [--out FILE.json]

The clock runs from the first array to the last value on the host. Importing the library and making the inputs are outside of it. Each
figure is the median over the processes of its kind, which alternate with NumPy's:

- first run, empty cache: a new process that compiles its kernels;
- first run, full cache: the next process, which loads them;
- steady: the same work again in that process, the median.

Further processes with an empty cache are traced: how many kernels they compile, the time that this takes by stage of the compiler, and
the peak of the bytes of live arrays. NumPy's peak is tracemalloc's, in a process of its own. Resident memory is the peak of a process
after its first run. A result that differs from NumPy's fails the run at its end.

Start reading at measured(); run_here() runs in each process.
"""

import argparse
import importlib
import json
import os
import re
import statistics
import subprocess
import sys
import time
import tracemalloc
import types

from measure import fresh_folder, keep, report, report_beside  # isort: skip, finds quern

import numpy as np
from first_run_programs import PROGRAMS, example

STAGES = ("parse", "lower", "optimise", "emit", "link")  # of a compilation, as QUERN_DEBUG=2 names them
STEADY_RUNS, STEADY_SECONDS = 5, 3.0
COLUMNS = (
    "program", "empty", "full", "steady", "NumPy", "steady", "kernels", "compiler", "outside",
    "arrays", "NumPy", "resident", "full", "NumPy",
)  # fmt: skip


# ---- in a process of its own


def run_here(program, options):
    """Run the program in this process; prints its figures as JSON and stores its results."""
    if options.library == "NumPy":
        sys.modules["quern"] = types.ModuleType("quern")  # examples import it, and its memory is not NumPy's
        xp, read = np, np.asarray
    else:
        xp = importlib.import_module(program.module)
        read = xp.asnumpy
    if program.example:
        example(program.example)
    if options.traced and xp is np:
        tracemalloc.start()  # before the inputs: quern's peak includes its copies of them
    inputs = program.inputs(**(program.quick if options.quick else program.size))

    def run():
        start = time.perf_counter()
        results = [a if isinstance(a, np.ndarray) else read(a) for a in program.work(xp, *inputs)]
        return time.perf_counter() - start, results

    if options.traced:
        figures = numpy_memory(run) if xp is np else traced(run)
    else:
        figures = timed(run, options)
    print(json.dumps(figures))


def timed(run, options):
    """Seconds, the number of kernels compiled until then, and the resident memory after the first run; and of the steady runs."""
    compiled = sys.modules["quern"].lib._engine.compiled if options.library == "quern" else lambda: (0, 0)
    first, results = run()
    memory, kernels = resident(), compiled()[0]
    again = []
    while options.again and (not again or len(again) < STEADY_RUNS and sum(again) < STEADY_SECONDS):
        took, results = run()
        again.append(took)
    np.savez(options.results, *results)
    figures = {"first": first, "resident": memory, "kernels": kernels}
    return {**figures, "again": statistics.median(again), "more": compiled()[0] - kernels} if again else figures


def resident():
    """The peak of this process's resident memory, in bytes. getrusage's includes the parent's, whose pages a new process begins with."""
    with open("/proc/self/status") as status:
        return 1024 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def numpy_memory(run):
    tracemalloc.reset_peak()
    run()
    return {"peak": tracemalloc.get_traced_memory()[1]}


def traced(run):
    """How many kernels are compiled, the compiler's seconds (`busy`: threads that work at once count once), and the peak of live arrays."""
    import quern as qn

    with qn.profile() as p:
        took, _ = run()
    rows = p.recording.of_kind("compile")
    rows = rows[[p.recording.texts[detail] == "compiled" for detail in rows["detail"]]]
    spans = sorted((int(start), int(start + took)) for start, took in zip(rows["start_ns"], rows["host_ns"], strict=True))
    busy = end = 0
    for start, stop in spans:
        busy += max(0, stop - max(start, end))
        end = max(end, stop)
    compiler = int(rows["host_ns"].sum()) / 1e9
    return {"kernels": len(rows), "compiler": compiler, "busy": busy / 1e9, "outside": took - busy / 1e9, "peak": p.peak}


# ---- the processes


def process(program, options, library, cache, *flags):
    """The figures of a new process; of a traced one with the seconds of the compiler's stages."""
    command = [sys.executable, os.path.abspath(__file__), "--run", program.name, "--library", library, *flags]
    environment = {**os.environ, "QUERN_CACHE_DIR": cache, "QUERN_DEVICE": "cpu", "QUERN_QUIET": "1"}
    if "--traced" in flags:
        environment["QUERN_DEBUG"] = "2"
    done = subprocess.run(command + ["--quick"] * options.quick, capture_output=True, text=True, env=environment, timeout=600)
    if done.returncode:
        raise SystemExit(f"{program.name} with {library} failed:\n{done.stderr[-2000:]}")
    figures = json.loads(done.stdout.splitlines()[-1])
    return {**figures, **stages(done.stderr, figures["compiler"])} if "compiler" in figures else figures


def stages(log, compiler):
    """{stage: seconds} of all compilations; "rest": in the compiler and in none of its stages."""
    out = {stage: sum(map(float, re.findall(rf"\b{stage} (\d+\.\d)", log))) / 1e3 for stage in STAGES}
    return {**out, "rest": compiler - sum(out.values())}


def differences(program, files, kind):
    """What differs from NumPy's results by more than the program's tolerance."""
    out = []
    with np.load(files[kind]) as mine, np.load(files["NumPy"]) as other:
        if mine.files != other.files:
            return [f"{len(mine.files)} results, not {len(other.files)}"]
        for name in mine.files:
            a, b = mine[name], other[name]
            if a.shape != b.shape or a.dtype != b.dtype:
                out.append(f"{name}: {a.dtype} {a.shape}, not {b.dtype} {b.shape}")
            elif a.dtype.kind in "biu":
                if (a != b).mean() > program.others:
                    out.append(f"{name}: {(a != b).sum()} of {a.size} elements")
            elif not np.abs(a - b).max() <= program.tolerance:
                out.append(f"{name}: by {np.abs(a - b).max():.1e}")
    return out


def measured(program, options):
    """Report the program's rows; return its line of the table, and what differs from NumPy's results."""
    folder = fresh_folder()
    files = {kind: os.path.join(folder, f"{kind}.npz") for kind in ("empty", "full", "NumPy")}
    kinds = {kind: [] for kind in (*files, "traced")}
    theirs = process(program, options, "NumPy", folder, "--traced")
    for _ in range(options.repeat):
        kinds["traced"].append(process(program, options, "quern", fresh_folder(), "--traced"))  # first: it warms the system's file cache
        cache = fresh_folder()
        for kind, library, flags in (("NumPy", "NumPy", ["--again"]), ("empty", "quern", []), ("full", "quern", ["--again"])):
            kinds[kind].append(process(program, options, library, cache, "--results", files[kind], *flags))
    wrong = [f"{program.name}, {kind} cache, {text}" for kind in ("empty", "full") for text in differences(program, files, kind)]
    for file in files.values():
        os.remove(file)

    def median(kind, figure, factor=1.0):
        return factor * statistics.median(one[figure] for one in kinds[kind])

    times = [median("empty", "first", 1e3), median("full", "first", 1e3), median("full", "again", 1e3)]
    numpys = [median("NumPy", "first", 1e3), median("NumPy", "again", 1e3)]
    compiler = [median("traced", "kernels"), median("traced", "busy", 1e3), median("traced", "outside", 1e3)]
    memory = [median("traced", "peak", 1e-6), theirs["peak"] / 1e6]
    memory += [median(kind, "resident", 1e-6) for kind in ("empty", "full", "NumPy")]
    report_beside(f"{program.name}: first run, empty cache", times[0], "ms", {"NumPy": numpys[0]})
    report_beside(f"{program.name}: first run, full cache", times[1], "ms", {"NumPy": numpys[0]})
    report_beside(f"{program.name}: steady", times[2], "ms", {"NumPy": numpys[1]})
    report(f"{program.name}: kernels compiled", compiler[0], "")
    report(f"{program.name}: kernels compiled, full cache", median("full", "kernels"), "", target="0")
    report(f"{program.name}: kernels compiled, steady", median("full", "more"), "", target="0")
    report(f"{program.name}: compiler at work", compiler[1], "ms")
    for stage in (*STAGES, "rest"):
        report(f"{program.name}: compiler, {stage}, all threads", median("traced", stage, 1e3), "ms")
    report(f"{program.name}: outside of the compiler", compiler[2], "ms")
    report_beside(f"{program.name}: peak of live arrays", memory[0], "MB", {"NumPy": memory[1]})
    report_beside(f"{program.name}: resident, empty cache", memory[2], "MB", {"NumPy": memory[4]})
    report_beside(f"{program.name}: resident, full cache", memory[3], "MB", {"NumPy": memory[4]})
    return (program.name, *times, *numpys, *compiler, *memory), wrong


def print_table(lines):
    """Times in ms: quern's with an empty cache, a full one, and steady, and NumPy's; of the traced process; memory in MB."""
    print(f"\n{'':<18}{'time, ms':>45}{'traced, empty cache, ms':>27}{'live arrays, MB':>18}{'resident, MB':>27}")
    for line in (COLUMNS, *lines):
        cells = [cell if isinstance(cell, str) else f"{cell:.0f}" if cell >= 100 else f"{cell:.3g}" for cell in line]
        print(f"{cells[0]:<18}" + "".join(f"{cell:>9}" for cell in cells[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="the programs whose name contains it")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="processes of each kind")
    parser.add_argument("--quick", action="store_true", help="a small size, one process of each kind: whether the benchmark works")
    parser.add_argument("--out", "--output", metavar="FILE.json")
    for hidden in ("--run", "--library", "--results"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    for hidden in ("--again", "--traced"):
        parser.add_argument(hidden, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        return run_here(next(program for program in PROGRAMS if program.name == options.run), options)
    if options.quick:
        options.repeat = 1
    chosen = [program for program in PROGRAMS if options.only in program.name]
    lines, wrong = zip(*(measured(program, options) for program in chosen), strict=True)
    print_table(lines)
    import quern as qn

    keep(options.out, "bench/first_run.py" + " --quick" * options.quick, qn.device("cpu"))
    if any(wrong):
        raise SystemExit("other results than NumPy's: " + "; ".join(sum(wrong, [])))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
