"""What the engine says of itself, as one line of JSON: its devices, its compilers, NVIDIA's libraries, and whether a kernel runs.

Run by machine.py in a process of its own: `python -m quern_doctor.probe`.
"""

from __future__ import annotations

import json
import os
import sys

PROBE = 'extern "C" __global__ void quern_doctor_probe(int* a, int n) { int i = threadIdx.x; if (i < n) a[i] = 3 * i; }'
LIBRARIES = ("nvrtc", "cublasLt", "cublas", "cufft", "cusolver", "cudnn")


def main():
    try:
        print(json.dumps(_facts()))
    except Exception as error:  # whatever is wrong is the report
        print(json.dumps({"problem": f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"}))


def _facts():
    import quern
    from quern.lib import _engine

    gil = getattr(sys, "_is_gil_enabled", None)
    cpu = _engine.cpu()
    devices = [_engine.cuda(i) for i in range(_engine.cuda_count())] + [cpu]
    return {
        "problem": "",
        "version": quern.__version__,
        "package": os.path.dirname(os.path.abspath(quern.__file__)),
        "gil": gil() if gil else True,
        "tier0": _engine.tier0_level(),
        "clang": _clang(_engine),
        "driver": {"version": _engine.cuda_driver_version(), "path": _engine.cuda_driver_path(), "problem": _engine.cuda_problem() or ""},
        "sources": _engine.nvidia_sources(),
        "libraries": {row["name"]: row for row in _engine.nvidia_libraries() if row["name"] in LIBRARIES},
        "cudnn": _engine.cudnn_problem() if _engine.cuda_count() else "",
        "cache": _engine.cache_info(),
        "default": _engine.default_device().name,
        "devices": [dict(_described(device), problem=_try(_engine, device)) for device in devices],
    }


def _clang(engine):
    report = engine.clang_report()
    there = os.path.exists(report["path"])
    return {"path": report["path"], "problem": report["problem"], "bytes": os.path.getsize(report["path"]) if there else 0, "there": there}


def _described(device):
    info = device.info()
    major, minor = info["compute_capability"]
    described = {"name": device.name, "model": info["name"], "memory": info["total_memory"], "processors": info["multiprocessors"]}
    if device.name != "cpu":
        described["compute_capability"] = f"{major}.{minor}"
    return described


def _try(engine, device):
    """One tiny kernel, compiled and run; what went wrong, or ""."""
    import numpy as np

    try:
        program = engine.build(device, PROBE, "doctor.cu")
        kernel = engine.Function(program, "quern_doctor_probe")
        memory = engine.Allocation(device, 128)
        kernel(memory, 32, block=(32, 1, 1), grid=(1,))
        out = np.zeros(32, np.int32)
        engine.dtoh(device, out, memory)
        if not np.array_equal(out, 3 * np.arange(32)):
            return f"wrong result {out}"
    except Exception as error:  # whatever is wrong is the report
        return str(error).strip().splitlines()[0]
    return ""


if __name__ == "__main__":
    main()
