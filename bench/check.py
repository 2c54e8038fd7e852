#!/usr/bin/env python3
"""What `quern check` costs: the kernels of the examples, checked, compared with the same kernels run a thread after the other, unchecked,
on one thread of the CPU; and the memory that it keeps for each byte that kernels use.

    python bench/check.py [--only TEXT] [--out FILE.json]

Each example runs in a process of its own, on little work. Its figure is the time of all launches of its own kernels.
"""

import argparse
import contextlib
import io
import json
import os
import pathlib
import runpy
import statistics
import subprocess
import sys
import tempfile

from measure import ROOT, keep, report  # isort: skip, finds quern

# Their arguments, for little work.
EXAMPLES = {
    "histogram.py": "", "jit_bilateral.py": "", "jit_black_scholes.py": "20000", "jit_heat_grid_sync.py": "64 20",
    "jit_histogram.py": "100000", "jit_k_means.py": "2000", "jit_life.py": "5", "jit_mandelbrot.py": "100", "jit_matmul.py": "100",
    "jit_monte_carlo.py": "1024", "jit_prefix_sum.py": "50000", "mandelbrot.py": "", "matmul_tiled.py": "", "n_body_tiles.py": "",
    "prefix_sum.py": "", "pycuda_monte_carlo.py": "", "reduction_shuffle.py": "", "rotate_texture.py": "--size 128",
    "smoke_textures.py": "--size 64 --steps 5", "sobel.py": "", "sparse_matvec.py": "", "transpose.py": "",
}  # fmt: skip


def run_one(path, checked):
    """Runs an example here; prints the nanoseconds of its launches, and the memory that checks used and kept, as JSON."""
    import quern as qn
    from quern.lib import _engine
    from quern.tools.imports import lead_imports

    lead_imports()
    sys.path.insert(0, os.path.dirname(path))
    sys.argv = [path, *sys.argv[sys.argv.index("--") + 1 :]]
    _engine.lower_to_threads(True)
    with qn.check() if checked else contextlib.nullcontext():
        _engine.start_trace(True)
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(path, run_name="__main__")
        qn.synchronize()
        took = _launches(_engine.stop_trace_rows())
        memory = _engine.checked_memory()
    print(json.dumps({"ns": took, "used": memory[0], "kept": memory[1]}))


def _launches(stopped):
    """The time of kernels that the program brought, by the CPU's own clock."""
    import numpy as np
    from quern.tools.profile.collect import KINDS, ROW

    rows = np.frombuffer(stopped[0], ROW)
    launches = rows[rows["kind"] == KINDS.index("launch")]
    return int(launches["device_ns"].clip(0).sum())


def measured(name, arguments, checked):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--run", os.path.join(ROOT, "examples", name), *(["--checked"] if checked else []), "--"]
        environment = {**os.environ, "QUERN_NUM_THREADS": "1", "QUERN_DEVICE": "cpu", "MPLBACKEND": "agg"}
        done = subprocess.run([*command, *arguments.split()], capture_output=True, text=True, cwd=folder, env=environment, timeout=600)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    import quern as qn

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="the examples whose name contains it")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE.json")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--checked", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        return run_one(options.run, options.checked)
    ratios = []
    for name, arguments in EXAMPLES.items():
        if options.only not in name:
            continue
        plain, checked = measured(name, arguments, False), measured(name, arguments, True)
        if not plain["ns"]:
            continue
        ratios.append(checked["ns"] / plain["ns"])
        report(f"check {name[:-3]}", checked["ns"] / 1e6, "ms", plain["ns"] / 1e6, "unchecked")
        if checked["used"]:
            report(f"check {name[:-3]}: memory", checked["kept"] / checked["used"], "B/B", target="5, or 20 of single bytes")
    if ratios:
        report("check, median of the examples", statistics.median(ratios), "times", target="25")
    keep(options.out, "python bench/check.py", qn.device("cpu"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
