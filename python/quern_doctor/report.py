"""The report: what was found, what the front ends support here, what is wrong, and one line for a report of a bug."""

from __future__ import annotations

import json

from quern_doctor import commands
from quern_doctor.findings import EXIT_CODES, NOTE

# Front end, what programs import, and the packages that it needs besides quern.
FRONT_ENDS = (
    ("arrays", "import quern as qn", ()),
    ("CuPy", "import cupy, cupyx", ()),
    ("Numba", "from numba import cuda", ()),
    ("PyCUDA", "import pycuda", ()),
    ("PyTorch", "import torch", ()),
    ("TensorFlow", "import tensorflow", ("keras", "h5py")),
    ("Keras", "import keras", ("keras", "h5py")),
    ("C++", "#include <quern/quern.h>", ()),
)


def verdict(findings):
    """0 ok, 1 works with limits, 2 broken."""
    return max((EXIT_CODES[finding.level] for finding in findings), default=0)


def front_ends(m):
    """Return each front end with what programs import and where it runs, or what it lacks."""
    if m.engine.get("problem"):
        why = "this clone is not built yet" if m.unbuilt_clone else "quern cannot be imported"
        return [(name, text, f"nothing: {why}") for name, text, _ in FRONT_ENDS]
    working = [device["name"] for device in m.engine["devices"] if not device["problem"]]
    where = "on " + " and ".join(working) if working else "nothing: no device works"
    rows = []
    for name, text, needs in FRONT_ENDS:
        missing = [package for package in needs if not m.packages.get(package)]
        rows.append((name, text, f'needs {" and ".join(missing)}: pip install "quern[keras]"' if missing else where))
    return rows


def rows(m):
    """What was found, as pairs of words and text."""
    engine = m.engine
    yield "quern", f"{engine.get('version', 'cannot be imported')}, {', '.join(m.installations) or 'not on the path'}"
    yield "Python", f"{'.'.join(map(str, m.python))}{', free-threaded' if m.free_threaded else ''}, {m.python_path}"
    yield "packages", ", ".join(f"{name} {version or 'missing'}" for name, version in m.packages.items() if name != "quern")
    yield "system", m.system + (", WSL" if m.wsl else "") + (f", in a container ({m.container})" if m.container else "")
    yield "CPU", f"{m.cpu or 'unknown'}; {' '.join(m.cpu_features) or 'features unknown'}"
    if not engine.get("problem"):
        yield "small arrays", f"loops for {engine['tier0']}"
        clang = engine["clang"]
        yield (
            "compiler for the CPU",
            clang["path"] + (f": {clang['problem']}" if clang["problem"] else f" ({clang['bytes'] / 2**20:.0f} MiB)"),
        )
        driver = engine["driver"]
        version = f", CUDA {driver['version'] // 1000}.{driver['version'] % 1000 // 10}" if driver["version"] else ""
        yield (
            "NVIDIA driver",
            driver["problem"] or f"{driver['path']}{version}" + (f", module {m.kernel_module}" if m.kernel_module else ""),
        )
        for source in engine["sources"]:
            passed = f", passed over: {source['passed_over']}" if source["passed_over"] else ""
            yield f"NVIDIA libraries, {source['kind']}", f"{source['root']}, CUDA {source['version']}{passed}"
        for name, row in engine["libraries"].items():
            if engine["sources"]:
                yield name, f"{row['path']} ({row['version']})" if row["path"] else "not found"
        for device in engine["devices"]:
            what = f"{device['model']}, {device['memory'] / 2**30:.1f} GiB"
            what += (
                f", compute capability {device['compute_capability']}"
                if "compute_capability" in device
                else f", {device['processors']} threads"
            )
            yield device["name"], what
            yield f"kernel on {device['name']}", device["problem"] or "compiled and ran"
        cache = engine["cache"]
        size = f"{cache['files']} entries, {cache['bytes'] / 2**20:.1f} of {cache['limit'] / 2**20:.0f} MiB"
        yield "cache", f"not used: {cache['problem']}" if cache["problem"] else f"{cache['directory']}, {size}"
        yield "default device", engine["default"]
    yield from m.environment.items()


def bug_line(m):
    """All that a report of a bug needs, in one line."""
    engine = m.engine
    parts = [
        f"quern {engine.get('version', '?')}",
        f"Python {'.'.join(map(str, m.python))}" + (" free-threaded" if m.free_threaded else ""),
        f"NumPy {m.packages.get('numpy') or 'missing'}",
        m.system + (" WSL" if m.wsl else "") + (f" {m.container}" if m.container else ""),
        f"{m.cpu}: {' '.join(m.cpu_features)}",
    ]
    if engine.get("problem"):
        return "; ".join([*parts, f"import fails: {engine['problem']}"])
    driver = engine["driver"]
    parts.append(f"driver {m.kernel_module or '?'} CUDA {driver['version']}" if not driver["problem"] else f"no GPU: {driver['problem']}")
    parts += [f"CUDA {source['version']} {source['kind']}" for source in engine["sources"] if not source["passed_over"]]
    parts += [f"{d['name']} {d['model']}" + (f" FAILS: {d['problem']}" if d["problem"] else "") for d in engine["devices"]]
    parts += [f"{name}={value}" for name, value in m.environment.items()]
    return "; ".join(parts)


def print_report(m, findings):
    found = list(rows(m))
    _print_table(found)
    print("\nSupported programs")
    _print_table([(name, f"{text:<26}{where}") for name, text, where in front_ends(m)])
    print()
    for finding in findings:
        print(f"{'note' if finding.level == NOTE else 'problem'}: {finding.what}")
        if finding.why:
            print(f"    {finding.why}")
        for step in finding.steps:
            print(f"    fix: {step.text}")
    print(f"for a report of a bug: {bug_line(m)}\n")
    problems = sum(finding.level != NOTE for finding in findings)
    if not problems:
        print("all is well")
        return
    can = any(step.command for finding in findings for step in finding.steps)
    offer = f"; {commands.typed('doctor --fix')} fixes what it can, asking first" if can else ""
    state = "it works with limits" if verdict(findings) == 1 else "quern does not work here"
    print(f"{problems} problem{'s' if problems > 1 else ''}: {state}{offer}")


def print_json(m, findings):
    print(json.dumps({
        "verdict": ("ok", "limits", "broken")[verdict(findings)],
        "findings": [finding.as_dict() for finding in findings],
        "front_ends": [{"front_end": name, "imports": text, "runs": where} for name, text, where in front_ends(m)],
        "machine": vars(m),
        "bug_line": bug_line(m),
    }, indent=1))  # fmt: skip


def _print_table(pairs):
    width = max(len(what) for what, _ in pairs)
    for what, value in pairs:
        print(f"{what:<{width}}  {value}")
