"""`quern doctor`: what was found on this machine, and what is missing. It compiles and runs one tiny kernel on each device."""

from __future__ import annotations

import os
import platform
import sys

import numpy as np

PROBE = 'extern "C" __global__ void quern_doctor_probe(int* a, int n) { int i = threadIdx.x; if (i < n) a[i] = 3 * i; }'


def doctor() -> int:
    import quern
    from quern.lib import _engine

    lines: list[tuple[str, str]] = []
    problems: list[str] = []

    def say(what, value):
        lines.append((what, value))

    say("quern", f"{quern.__version__}, Python {platform.python_version()}, {os.path.dirname(quern.__file__)}")
    cpu = _engine.cpu()
    info = cpu.info()
    say("CPU", f"{info['name']}, {info['multiprocessors']} threads, {info['total_memory'] / 2**30:.1f} GiB; {_cpu_features()}")
    say("tiny work", f"loops for {_engine.tier0_level()}")
    clang = _engine.clang_report()
    if clang["problem"]:
        say("compiler for the CPU", f"{clang['path']}: {clang['problem']}")
        problems.append("the compiler for the CPU is missing: install quern again")
    else:
        say("compiler for the CPU", f"{clang['path']} ({os.path.getsize(clang['path']) / 2**20:.0f} MiB)")

    if _engine.cuda_problem():
        say("NVIDIA driver", _engine.cuda_problem())
    for what, value in _engine.cuda_report():
        say(what, value)
    for i in range(_engine.cuda_count()):
        info = _engine.cuda(i).info()
        major, minor = info["compute_capability"]
        say(f"cuda:{i}", f"{info['name']}, compute capability {major}.{minor}, {info['total_memory'] / 2**30:.1f} GiB")

    cache = _engine.cache_info()
    if cache["problem"]:
        say("cache", f"not used: {cache['problem']}")
        problems.append("compiled code is not kept; set QUERN_CACHE_DIR to a folder of yours")
    else:
        say("cache", f"{cache['directory']}, {cache['files']} entries, {cache['bytes'] / 2**20:.1f} of {cache['limit'] / 2**20:.0f} MiB")
    for name in sorted(k for k in os.environ if k.startswith("QUERN_") or k == "CUDA_VISIBLE_DEVICES"):
        say(name, os.environ[name])
    say("default device", _engine.default_device().name)

    for device in [_engine.cuda(i) for i in range(_engine.cuda_count())] + [cpu]:
        problem = _try(device)
        say(f"kernel on {device.name}", problem or "compiled and ran")
        if problem:
            problems.append(f"{device.name} does not work: {problem}")

    width = max(len(what) for what, _ in lines)
    for what, value in lines:
        print(f"{what:<{width}}  {value}")
    for problem in problems:
        print(f"problem: {problem}")
    print("all is well" if not problems else f"{len(problems)} problem{'s' if len(problems) > 1 else ''}")
    return 1 if problems else 0


def _cpu_features() -> str:
    wanted = ["sse4_2", "avx", "avx2", "fma", "avx512f", "avx512bw", "avx512vl", "avx512_fp16", "avx512_bf16", "amx_tile"]
    try:
        with open("/proc/cpuinfo") as f:
            flags = next(line for line in f if line.startswith("flags")).split(":", 1)[1].split()
    except (OSError, StopIteration):
        return "features unknown"
    return " ".join(w for w in wanted if w in flags)


def _try(device) -> str:
    from quern.lib import _engine

    try:
        program = _engine.build(device, PROBE, "doctor.cu")
        kernel = _engine.Function(program, "quern_doctor_probe")
        memory = _engine.Allocation(device, 128)
        kernel(memory, 32, block=(32, 1, 1), grid=(1,))
        out = np.zeros(32, np.int32)
        _engine.dtoh(device, out, memory)
        if not np.array_equal(out, 3 * np.arange(32)):
            return f"wrong result {out}"
    except Exception as e:  # whatever is wrong is the report
        return str(e).strip().splitlines()[0]
    return ""


if __name__ == "__main__":
    sys.exit(doctor())
