"""What this machine is: everything that the rules look at, read once and changed by nothing.

look() reads below `root`, which is / but in tests: /proc, /sys, /dev and the folders that programs name.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from importlib import metadata

ENVIRONMENT = ("CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
CPU_FEATURES = ("sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_fp16", "avx512_bf16", "amx_tile")
PROBE_SECONDS = 120


@dataclass
class Machine:
    python: tuple = (3, 10, 0)
    python_path: str = ""
    free_threaded: bool = False
    system: str = ""  # "Linux 6.1.0 x86_64, glibc 2.36"
    architecture: str = "x86_64"
    wsl: bool = False
    container: str = ""  # "docker", "podman", "kubernetes", ...
    cpu: str = ""
    cpu_features: list = field(default_factory=list)
    packages: dict = field(default_factory=dict)  # name -> version of those that quern knows; "" where it is not installed
    installations: list = field(default_factory=list)  # the folders of all packages named quern that Python can see, the used one first
    unbuilt_clone: str = ""  # the clone that the used installation is in, where ./quern setup has not built it
    is_building: bool = False  # whether a set-up of that clone runs now
    gpus: list = field(default_factory=list)  # {"address", "lost"} of NVIDIA's on the PCI bus
    nodes: dict = field(default_factory=dict)  # /dev/nvidia*: "ok", "denied"
    kernel_module: str = ""  # version of the loaded NVIDIA kernel module
    xids: list = field(default_factory=list)  # what the kernel's log says of GPUs that failed
    toolkits: list = field(default_factory=list)  # {"version", "path", "named"}: CUDA versions that the environment names
    environment: dict = field(default_factory=dict)
    cache: dict = field(default_factory=dict)  # {"directory", "problem": "", "owner", "user", "free"}
    engine: dict = field(default_factory=dict)  # what probe.py found; {"problem"} where quern cannot be imported


def look(root="/", environ=None, engine=None):
    """Reads the machine.

    Parameters
    ----------
    root : str
        Where /proc, /sys and /dev lie.
    environ : dict, optional
        The environment; os.environ if not given.
    engine : dict, optional
        What the engine says of itself; asked in a process of its own if not given.
    """
    environ = dict(os.environ if environ is None else environ)
    machine = Machine(
        python=sys.version_info[:3],
        python_path=sys.executable,
        free_threaded=bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        system=f"{platform.system()} {platform.release()} {platform.machine()}, {' '.join(platform.libc_ver()).strip() or 'libc unknown'}",
        architecture=platform.machine(),
        wsl="microsoft" in _text(root, "proc/version").lower(),
        container=_container(root, environ),
        packages={name: _version(name) for name in ("quern", "numpy", "ml_dtypes", "rich", "keras", "h5py")},
        installations=_installations(),
        gpus=_gpus(root),
        nodes=_nodes(root),
        kernel_module=_first(r"Kernel Module\D*([\d.]+)", _text(root, "proc/driver/nvidia/version")),
        xids=_xids(root),
        toolkits=_toolkits(root, environ),
        environment={name: environ[name] for name in sorted(environ) if name in ENVIRONMENT or name.startswith("QUERN_")},
        cache=_cache(environ),
    )
    cpu = _text(root, "proc/cpuinfo")
    machine.cpu = _first(r"model name\s*:\s*(.*)", cpu)
    flags = _first(r"flags\s*:\s*(.*)", cpu).split()
    machine.cpu_features = [name for name in CPU_FEATURES if name in flags]
    machine.engine = _engine(environ) if engine is None else engine
    machine.unbuilt_clone = _unbuilt_clone(machine.installations) if machine.engine.get("problem") else ""
    machine.is_building = is_building(machine.unbuilt_clone)
    return machine


# ---- the engine


def _engine(environ):
    """What the engine says, from a process of its own: one that crashes or hangs is a finding."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.pathsep.join(p for p in (here, environ.get("PYTHONPATH", "")) if p)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "quern_doctor.probe"],
            env=dict(environ, PYTHONPATH=path),
            capture_output=True,
            timeout=PROBE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return {"problem": f"it does not answer within {PROBE_SECONDS} s", "hangs": True}
    try:
        return json.loads(done.stdout.decode().strip().splitlines()[-1])
    except (ValueError, IndexError):
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        how = f"it dies of signal {-done.returncode}" if done.returncode < 0 else f"it ends with exit code {done.returncode}"
        return {"problem": "; ".join([how, *last]), "signal": max(-done.returncode, 0)}


# ---- Python's packages


def _unbuilt_clone(installations):
    """Return the clone that the first installation lies in where it lacks its libraries or its environment; "" elsewhere."""
    package = installations[0] if installations else ""
    root = os.path.dirname(os.path.dirname(package))
    if not os.path.isfile(os.path.join(root, "tools", "setup_clone.py")):
        return ""
    library = os.path.join(package, "lib")
    files = os.listdir(library) if os.path.isdir(library) else []
    built = "libquern.so" in files and any(name.startswith("_engine.") for name in files)
    return "" if built and os.path.exists(os.path.join(root, ".venv", "bin", "python")) else root


def is_building(clone):
    """Return whether a set-up holds the clone's lock (tools/setup/lock.py)."""
    try:
        with open(os.path.join(clone, "build", "set-up.lock")) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no set-up has begun, or another user's
        return False
    return False


def _version(name):
    try:
        return metadata.version(name)
    except Exception:  # not there, or its metadata cannot be read
        return ""


def _installations():
    """The folders of every package named quern on sys.path, in Python's order."""
    found = []
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in [here, *sys.path]:
        package = os.path.realpath(os.path.join(folder or ".", "quern"))
        if os.path.isfile(os.path.join(package, "__init__.py")) and package not in found:
            found.append(package)
    return found


# ---- the system


def _text(root, path):
    try:
        with open(os.path.join(root, path), errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _first(pattern, text):
    found = re.search(pattern, text)
    return found.group(1).strip() if found else ""


def _container(root, environ):
    if os.path.exists(os.path.join(root, "run/.containerenv")):
        return "podman"
    if os.path.exists(os.path.join(root, ".dockerenv")):
        return "docker"
    if environ.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    if environ.get("APPTAINER_NAME") or environ.get("SINGULARITY_NAME"):
        return "apptainer"
    return _first(r"(docker|podman|kubepods|containerd|lxc)", _text(root, "proc/1/cgroup")).replace("kubepods", "kubernetes")


def _gpus(root):
    """NVIDIA's display controllers on the PCI bus. One that has fallen off the bus reads as ones."""
    bus = os.path.join(root, "sys/bus/pci/devices")
    found = []
    for address in sorted(os.listdir(bus)) if os.path.isdir(bus) else []:
        device = os.path.join(bus, address)
        if _text(device, "vendor").strip() != "0x10de" or not _text(device, "class").startswith("0x03"):
            continue
        try:
            with open(os.path.join(device, "config"), "rb") as file:
                head = file.read(4)
        except OSError:
            head = b""
        found.append({"address": address, "lost": head == b"\xff\xff\xff\xff"})
    return found


def _nodes(root):
    folder = os.path.join(root, "dev")
    names = [name for name in sorted(os.listdir(folder)) if re.fullmatch(r"nvidia(\d+|ctl|-uvm)", name)] if os.path.isdir(folder) else []
    return {f"/dev/{name}": "ok" if os.access(os.path.join(folder, name), os.R_OK | os.W_OK) else "denied" for name in names}


def _xids(root):
    """The last of what the kernel's log says of GPUs that failed, if this user may read it."""
    text = _text(root, "var/log/kern.log") + _text(root, "var/log/dmesg")
    if root == "/" and not text and shutil.which("dmesg"):
        try:
            done = subprocess.run(["dmesg"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10)
            text = done.stdout.decode(errors="replace")
        except (OSError, subprocess.TimeoutExpired):
            text = ""
    return re.findall(r"Xid \([^)]*\): \d+[^\n]*", text)[-4:]


def _toolkits(root, environ):
    """The CUDA versions that PATH, CUDA_HOME, CUDA_PATH and LD_LIBRARY_PATH name, each folder once."""
    found = {}

    def add(folder, named):
        real = os.path.realpath(folder)
        version = _toolkit_version(real)
        if version and real not in found:
            found[real] = {"version": version, "path": real, "named": named}

    for name in ("CUDA_HOME", "CUDA_PATH"):
        if environ.get(name):
            add(environ[name], name)
    for folder in environ.get("PATH", "").split(os.pathsep):
        if folder and os.path.exists(os.path.join(folder, "nvcc")):
            add(os.path.dirname(os.path.dirname(os.path.realpath(os.path.join(folder, "nvcc")))), "PATH")
    for folder in environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        if folder and os.path.isdir(folder) and any(n.startswith(("libcudart.so", "libnvrtc.so")) for n in os.listdir(folder)):
            real = os.path.realpath(folder)
            up = os.path.dirname(real)
            add(
                next((p for p in (up, os.path.dirname(up), os.path.dirname(os.path.dirname(up))) if _toolkit_version(p)), real),
                "LD_LIBRARY_PATH",
            )
    return list(found.values())


def _toolkit_version(folder):
    """Of a toolkit's folder: from version.json, the headers, or the names of its libraries."""
    try:
        return ".".join(json.loads(_text(folder, "version.json"))["cuda"]["version"].split(".")[:2])
    except (ValueError, KeyError, TypeError):
        pass
    number = _first(r"#define\s+CUDA_VERSION\s+(\d+)", _text(folder, "include/cuda.h"))
    if number:
        return f"{int(number) // 1000}.{int(number) % 1000 // 10}"
    for libraries in (os.path.join(folder, "lib64"), os.path.join(folder, "lib"), folder):
        for name in sorted(os.listdir(libraries)) if os.path.isdir(libraries) else []:
            version = _first(r"^lib(?:cudart|nvrtc)\.so\.(\d+\.\d+)", name)
            if version:
                return version
    return ""


def _cache(environ):
    """The folder for compiled code, or the nearest folder above that is there."""
    base = environ.get("QUERN_CACHE_DIR")
    if not base:
        base = os.path.join(
            environ.get("XDG_CACHE_HOME") or os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".cache"), "quern"
        )
    place = os.path.abspath(base)
    while not os.path.exists(place) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    out = {"directory": base, "there": place == os.path.abspath(base), "owner": -1, "user": os.getuid(), "free": -1, "writable": False}
    try:
        out["owner"] = os.stat(place).st_uid
        space = os.statvfs(place)
        if space.f_blocks:  # not so for what is no disk
            out["free"] = space.f_bavail * space.f_frsize
        out["writable"] = os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)
    except OSError:
        pass
    return out
