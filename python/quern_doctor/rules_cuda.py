"""The rules of GPUs, their driver and NVIDIA's libraries. One of says_why()'s rules at most explains why a GPU is not used."""

from __future__ import annotations

import re

from quern_doctor.findings import LIMIT, NOTE, Finding, Step, pip_install

# The packages of PyPI that bring the libraries: one family, which drivers for CUDA 12 and 13 support.
FAMILY = ("nvidia-cuda-nvrtc-cu12==12.9.*", "nvidia-cublas-cu12==12.9.*", "nvidia-cufft-cu12==11.4.*", "nvidia-cusolver-cu12==11.7.*")
PACKAGES = {
    "nvrtc": "nvidia-cuda-nvrtc",
    "cublas": "nvidia-cublas",
    "cublasLt": "nvidia-cublas",
    "cufft": "nvidia-cufft",
    "cusolver": "nvidia-cusolver",
}
WITHOUT = {
    "nvrtc": "no kernel can be compiled for the GPU",
    "cublas": "products of matrices do not run on the GPU",
    "cublasLt": "products of matrices do not run on the GPU",
    "cufft": "Fourier transforms do not run on the GPU",
    "cusolver": "factorisations do not run on the GPU",
}


def packages_for(missing, used):
    """What pip installs to bring missing libraries: beside pip's NVRTC those alone; else the family, as sources are never mixed."""
    if not used or used["kind"] != "pip":
        return FAMILY
    major = used["version"].partition(".")[0]
    return sorted({PACKAGES[name] + (f"-cu{major}" if int(major) < 13 else "") for name in missing})


def cuda_text(version):
    return f"{version // 1000}.{version % 1000 // 10}"


def _driver(m):
    return m.engine.get("driver") or {"version": 0, "path": "", "problem": ""}


def _used(m):
    return next((source for source in m.engine.get("sources", []) if not source["passed_over"]), None)


def _has_gpu(m):
    return bool(m.gpus or m.nodes or m.kernel_module)


def gpu_lost(m):
    lost = [gpu["address"] for gpu in m.gpus if gpu["lost"]]
    problem = _driver(m)["problem"] + m.engine.get("problem", "")
    failed = re.search(r"CUDA_ERROR_(UNKNOWN|DEVICE_UNAVAILABLE|ECC_UNCORRECTABLE|HARDWARE_STACK_ERROR|SYSTEM_NOT_READY)", problem)
    fatal = [line for line in m.xids if re.search(r"\): (48|62|64|74|79|95|119|120)\b", line)]
    if not lost and not (fatal and (failed or m.engine.get("hangs"))):
        return None
    seen = [f"{address} does not answer on the PCI bus" for address in lost] + [f"the kernel's log says: {line}" for line in fatal[-1:]]
    return Finding(
        "gpu_lost",
        LIMIT,
        "a GPU is lost: " + "; ".join(seen),
        "programs run on the CPU until it is back",
        [
            Step("end the programs that use it, then reset it as root: nvidia-smi --gpu-reset"),
            Step("if that fails, restart the machine; if it comes again, look at its power supply, cooling and slot"),
        ],
    )


def hidden(m):
    """By CUDA_VISIBLE_DEVICES, which leaves none."""
    value = m.environment.get("CUDA_VISIBLE_DEVICES")
    if value is None or "CUDA_VISIBLE_DEVICES" not in _driver(m)["problem"]:
        return None
    return Finding(
        "gpu_hidden",
        LIMIT,
        f"CUDA_VISIBLE_DEVICES={value!r} hides the GPUs of this machine",
        "programs run on the CPU",
        [Step("to use them: unset CUDA_VISIBLE_DEVICES, or name one: export CUDA_VISIBLE_DEVICES=0")],
    )


def no_permission(m):
    """A driver is there and may not be used: groups, or a flag that the container was started without."""
    if hidden(m) or gpu_lost(m) or not _driver(m)["problem"] or "QUERN_CUDA_DRIVER" in m.environment:
        return None
    denied = [path for path, state in m.nodes.items() if state == "denied"]
    if denied:
        return Finding(
            "no_permission",
            LIMIT,
            f"you may not open {', '.join(denied)}",
            "programs run on the CPU",
            [Step("as root: usermod -aG video,render YOUR_USER (the group that `ls -l /dev/nvidia*` shows), then log in again")],
        )
    if not m.container or not (m.gpus or m.kernel_module or m.nodes):
        return None
    if not m.nodes:
        flag = {
            "podman": "podman run --device nvidia.com/gpu=all",
            "kubernetes": "resources: limits: nvidia.com/gpu: 1",
            "apptainer": "apptainer exec --nv",
        }.get(m.container, "docker run --gpus all")
        return Finding(
            "no_permission",
            LIMIT,
            f"this {m.container} container was started without the GPU that its host has",
            "programs run on the CPU",
            [Step(f"start it with: {flag}; the host needs nvidia-container-toolkit")],
        )
    if not _driver(m)["path"]:
        return Finding(
            "no_permission",
            LIMIT,
            f"this {m.container} container has the GPU's devices and no libcuda.so.1",
            "programs run on the CPU",
            [Step("start it with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility (all that it has now: "
                  f"{m.environment.get('NVIDIA_DRIVER_CAPABILITIES', 'none set')})")],
        )  # fmt: skip
    return None


def driver_too_old(m):
    """For the engine itself."""
    problem = _driver(m)["problem"]
    if "or newer is needed" not in problem:
        return None
    return Finding("driver_too_old", LIMIT, problem.partition(":")[0], "programs run on the CPU", [Step("install a newer NVIDIA driver")])


def no_driver(m):
    """A GPU without a driver. Without a GPU there is nothing to say: the CPU is a device like others."""
    driver = _driver(m)
    if not driver["problem"] or m.wsl or any(rule(m) for rule in (gpu_lost, hidden, no_permission, driver_too_old)):
        return None
    if m.engine.get("problem"):
        return None
    if "QUERN_CUDA_DRIVER" in m.environment:
        return Finding(
            "driver_unusable", LIMIT, driver["problem"], "programs run on the CPU", [Step("take it away: unset QUERN_CUDA_DRIVER")]
        )
    if not _has_gpu(m):
        if driver["path"]:
            return Finding("driver_unusable", LIMIT, f"{driver['path']}: {driver['problem']}", "programs run on the CPU")
        return Finding("no_gpu", NOTE, "this machine has no NVIDIA GPU: programs run on the CPU")
    if driver["path"] and m.kernel_module:
        return Finding(
            "driver_unusable",
            LIMIT,
            driver["problem"],
            f"programs run on the CPU; the loaded kernel module is {m.kernel_module}",
            [Step("if the driver was updated since the machine started, restart it: the module and libcuda.so.1 must be of one version")],
        )
    return Finding(
        "no_driver",
        LIMIT,
        "this machine has an NVIDIA GPU and no working driver: " + driver["problem"],
        "programs run on the CPU",
        [
            Step("install NVIDIA's driver and restart (Debian: apt install nvidia-driver; Ubuntu: ubuntu-drivers install)"),
        ],
    )


def nvrtc_too_new(m):
    """Every NVRTC that was found is newer than the driver supports."""
    driver, sources = _driver(m), m.engine.get("sources", [])
    if driver["problem"] or not sources or not all(source["passed_over"] for source in sources):
        return None
    found = ", ".join(f"{source['version']} in {source['root']}" for source in sources)
    return Finding(
        "nvrtc_too_new",
        LIMIT,
        f"the driver supports CUDA {cuda_text(driver['version'])}, and the NVRTC that was found is newer: {found}",
        WITHOUT["nvrtc"],
        [pip_install(*FAMILY), Step("or update the driver")],
    )


def library_missing(m):
    if _driver(m)["problem"] or m.engine.get("problem") or nvrtc_too_new(m):
        return None
    libraries = m.engine.get("libraries", {})
    missing = [name for name in PACKAGES if not libraries.get(name, {}).get("path")]
    if not missing:
        return None
    why = "; ".join(dict.fromkeys(WITHOUT[name] for name in missing))
    return Finding(
        "library_missing",
        LIMIT,
        f"libraries of NVIDIA are missing: {', '.join(missing)}",
        why,
        [pip_install(*packages_for(missing, _used(m)))],
    )


def mixed_libraries(m):
    """Libraries of another major version of CUDA than NVRTC's, or files of several sources."""
    libraries = {name: row for name, row in m.engine.get("libraries", {}).items() if row.get("path") and name != "cudnn"}
    used = _used(m)
    if _driver(m)["problem"] or not used or "nvrtc" not in libraries:
        return None
    foreign = [row["path"] for row in libraries.values() if not _same_place(row["path"], used, libraries["nvrtc"]["path"])]
    major = used["version"].partition(".")[0]
    other = [row["path"] for name, row in libraries.items() if name.startswith("cublas") and row["version"].partition(".")[0] != major]
    mixed = ", ".join(dict.fromkeys(foreign + other))
    if not mixed:
        return None
    return Finding(
        "mixed_libraries",
        LIMIT,
        f"NVIDIA's libraries are of several versions or places: CUDA {used['version']} from {used['root']}, and {mixed}",
        "mixed versions fail in ways that are hard to read",
        [pip_install(*FAMILY)],
    )


def _same_place(path, source, nvrtc):
    top = source["root"].rstrip("/")
    if source["kind"] == "system":
        top = nvrtc.rpartition("/")[0]
    return path.startswith(top + "/") or source["kind"] == "pip" and "site-packages/nvidia/" in path


def without_cudnn(m):
    problem = m.engine.get("cudnn")
    if not problem or says_why(m):
        return None
    major = _used(m)["version"].partition(".")[0]
    return Finding(
        "without_cudnn",
        NOTE,
        f"cuDNN is not used: {problem.partition(':')[0]}",
        "convolutions on the GPU run in quern's own kernels, which take several times as long",
        [pip_install(f"nvidia-cudnn-cu{major}")],
    )


def two_toolkits(m):
    versions = {toolkit["version"] for toolkit in m.toolkits}
    if len(versions) < 2:
        return None
    used = _used(m)
    seen = ", ".join(f"CUDA {t['version']} by {t['named']} ({t['path']})" for t in m.toolkits)
    return Finding(
        "two_toolkits",
        LIMIT if not _driver(m)["problem"] else NOTE,
        f"the environment names several CUDA versions: {seen}",
        f"quern uses CUDA {used['version']} from {used['root']}; other programs may not" if used else "",
        [Step("let PATH, CUDA_HOME and LD_LIBRARY_PATH name one version")],
    )


def says_why(m):
    """Whether one of these explains that a GPU, or a kernel on it, does not work."""
    return any(rule(m) for rule in (gpu_lost, hidden, no_permission, driver_too_old, no_driver, nvrtc_too_new, library_missing))


RULES = (
    gpu_lost,
    hidden,
    no_permission,
    driver_too_old,
    no_driver,
    nvrtc_too_new,
    library_missing,
    mixed_libraries,
    without_cudnn,
    two_toolkits,
)
