"""What the benchmarks share: finding quern, medians, the table, and results as data."""

import glob
import json
import os
import platform
import statistics
import sys
import sysconfig
import tempfile
import time

_folders = []  # removed when the program ends


def fresh_folder():
    _folders.append(tempfile.TemporaryDirectory(prefix="quern-bench-", ignore_cleanup_errors=True))
    return _folders[-1].name


for _cache in ("QUERN_CACHE_DIR", "CUDA_CACHE_PATH"):  # NVRTC and the driver keep what they compiled, too
    os.environ.setdefault(_cache, fresh_folder())
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if glob.glob(os.path.join(ROOT, "python", "quern", "lib", "_engine*" + sysconfig.get_config_var("EXT_SUFFIX"))):  # built for this Python
    sys.path.insert(0, os.path.join(ROOT, "python"))

rows = []


def report(name, value, unit, peer=None, peer_name="", target=""):
    rows.append({"name": name, "value": value, "unit": unit, "peer": peer, "peer_name": peer_name, "target": target})
    beside = f"   {peer_name} {peer:.4g}, ratio {value / peer:.3f}" if peer else ""
    print(f"{name:<46} {value:>10.4g} {unit:<6}{beside:<44} {target}", flush=True)


def report_beside(name, value, unit, peers, target=""):
    """A row compared with several peers: {name: value}."""
    rows.append({"name": name, "value": value, "unit": unit, "peers": peers, "target": target})
    beside = "   ".join(f"{peer} {figure:.4g} ({value / figure:.3f})" for peer, figure in peers.items())
    print(f"{name:<46} {value:>10.4g} {unit:<4}{beside and '   ' + beside}{target and '   ' + target}", flush=True)


def median_ms(call, wait, rounds=15, warm=3):
    """Median of whole rounds: submit and wait."""
    for _ in range(warm):
        call()
    wait()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        wait()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def call_ns(call, calls=20_000, rounds=5):
    """Nanoseconds for one call among many: the median of some rounds."""
    for _ in range(1000):
        call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        times.append(1e9 * (time.perf_counter() - start) / calls)
    return statistics.median(times)


def keep(file, command, device, peers=None):
    """Writes the rows to `file`, if there is one, with the machine's name and the peers' versions."""
    if not file:
        return
    import numpy

    with open(file, "w") as out:
        json.dump(
            {
                "machine": device.info()["name"],
                "cores": os.cpu_count(),
                "python": platform.python_version(),
                "numpy": numpy.__version__,
                **({"peers": peers} if peers else {}),
                "command": f"{command} --device {device.kind}",
                "date": time.strftime("%Y-%m-%d"),
                "rows": rows,
            },
            out,
            indent=1,
        )
