"""`quern doctor`: each thing that can be wrong with a machine is simulated: by what the machine reports of itself, by a folder in the place
of /, or by an environment of a real process."""

import copy
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from places import PACKAGE
from programs import python, quern
from quern_doctor import machine as machines
from quern_doctor import report, rules
from quern_doctor.findings import Finding, Step
from quern_doctor.fixes import run_fixes
from quern_doctor.machine import Machine

PYTHON = pathlib.Path(PACKAGE)
LIBRARIES = ("nvrtc", "cublasLt", "cublas", "cufft", "cusolver")
NO_DRIVER = "no NVIDIA driver was found on this machine (libcuda.so.1 is not there)"


def device(name="cpu", problem=""):
    more = {} if name == "cpu" else {"compute_capability": "9.0"}
    return {"name": name, "model": "a model", "memory": 2**34, "processors": 8, "problem": problem, **more}


def well():
    """A machine without a GPU, in order."""
    return Machine(
        python=(3, 12, 1),
        python_path="/usr/bin/python3",
        system="Linux 6.1 x86_64, glibc 2.36",
        cpu="A CPU",
        cpu_features=["avx", "avx2", "fma"],
        packages={"quern": "0.1.0", "numpy": "2.4.0", "ml_dtypes": "0.5", "rich": "14.0", "keras": "3.15.1", "h5py": "3.12"},
        installations=["/site/quern"],
        cache={"directory": "/home/u/.cache/quern", "there": True, "owner": 7, "user": 7, "free": 2**33, "writable": True},
        engine={
            "problem": "",
            "version": "0.1.0",
            "package": "/site/quern",
            "gil": True,
            "tier0": "avx2",
            "clang": {"path": "/site/quern/lib/libquern_clang.so", "problem": "", "bytes": 2**26, "there": True},
            "driver": {"version": 0, "path": "", "problem": NO_DRIVER},
            "sources": [],
            "libraries": {},
            "cache": {"directory": "/home/u/.cache/quern", "problem": "", "files": 3, "bytes": 5000, "limit": 2**30},
            "default": "cpu",
            "devices": [device()],
        },
    )


def with_gpu():
    """A machine with a GPU, its driver and pip's libraries."""
    m = well()
    root = "/site/nvidia"
    m.gpus = [{"address": "0000:41:00.0", "lost": False}]
    m.nodes = {"/dev/nvidia0": "ok", "/dev/nvidiactl": "ok"}
    m.kernel_module = "580.65.06"
    m.engine["driver"] = {"version": 13000, "path": "/usr/lib/libcuda.so.1", "problem": ""}
    m.engine["sources"] = [{"kind": "pip", "root": root, "version": "12.9", "passed_over": ""}]
    m.engine["libraries"] = {n: {"name": n, "path": f"{root}/{n}/lib/lib{n}.so", "version": "12.9"} for n in LIBRARIES}
    m.engine["devices"] = [device("cuda:0"), device()]
    m.engine["default"] = "cuda:0"
    return m


def without_driver(problem=NO_DRIVER, path=""):
    m = with_gpu()
    m.engine["driver"] = {"version": 0, "path": path, "problem": problem}
    m.engine["devices"] = [device()]
    m.engine["default"] = "cpu"
    return m


# Each: the machine, the rules that are to fire, the verdict, and words of the report.
def no_driver():
    m = without_driver()
    m.kernel_module, m.nodes = "", {}
    return m, ["no_driver"], 1, ["apt install nvidia-driver"]


def no_gpu():
    return well(), ["no_gpu"], 0, ["programs run on the CPU"]


def module_and_library_differ():
    problem = "the NVIDIA driver does not start: system has unsupported display driver / cuda driver combination (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)"
    return without_driver(problem, "/usr/lib/libcuda.so.1"), ["driver_unusable"], 1, ["restart it"]


def driver_older_than_the_engine_needs():
    problem = "the NVIDIA driver supports CUDA 11.4; CUDA 12.0 or newer is needed: update the driver"
    return without_driver(problem, "/usr/lib/libcuda.so.1"), ["driver_too_old"], 1, ["install a newer NVIDIA driver"]


def driver_older_than_nvrtc():
    m = with_gpu()
    m.engine["driver"]["version"] = 12040
    m.engine["sources"] = [
        {"kind": "toolkit", "root": "/usr/local/cuda", "version": "13.0", "passed_over": "newer than the driver supports"}
    ]
    m.engine["libraries"] = {n: {"name": n, "path": "", "version": ""} for n in LIBRARIES}
    m.engine["devices"][0]["problem"] = "NVRTC was not found"
    return m, ["nvrtc_too_new"], 1, ["supports CUDA 12.4", "13.0 in /usr/local/cuda", "nvidia-cuda-nvrtc-cu12==12.9.*"]


def driver_without_permission():
    m = without_driver(
        "the NVIDIA driver does not start: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE)", "/usr/lib/libcuda.so.1"
    )
    m.nodes = {"/dev/nvidia0": "denied", "/dev/nvidiactl": "denied"}
    return m, ["no_permission"], 1, ["may not open /dev/nvidia0, /dev/nvidiactl", "usermod -aG video"]


def container(name, flag):
    m = without_driver()
    m.container, m.nodes = name, {}
    return m, ["no_permission"], 1, [flag]


def container_without_the_library():
    m = without_driver()
    m.container, m.environment = "docker", {"NVIDIA_DRIVER_CAPABILITIES": "utility"}
    return m, ["no_permission"], 1, ["NVIDIA_DRIVER_CAPABILITIES=compute,utility", "now: utility"]


def two_cuda_versions():
    m = with_gpu()
    m.toolkits = [
        {"version": "12.4", "path": "/usr/local/cuda-12.4", "named": "PATH"},
        {"version": "13.0", "path": "/usr/local/cuda-13.0", "named": "CUDA_HOME"},
    ]
    return m, ["two_toolkits"], 1, ["12.4 by PATH", "13.0 by CUDA_HOME", "uses CUDA 12.9"]


def libraries_of_mixed_origin():
    m = with_gpu()
    m.engine["libraries"]["cublasLt"]["path"] = "/usr/lib/x86_64-linux-gnu/libcublasLt.so.12"
    return m, ["mixed_libraries"], 1, ["/usr/lib/x86_64-linux-gnu/libcublasLt.so.12"]


def libraries_of_mixed_versions():
    m = with_gpu()
    for name in ("cublas", "cublasLt"):
        m.engine["libraries"][name]["version"] = "13"
    return m, ["mixed_libraries"], 1, ["CUDA 12.9 from /site/nvidia"]


def a_missing_library():
    m = with_gpu()
    m.engine["libraries"]["cufft"] = {"name": "cufft", "path": "", "version": ""}
    return m, ["library_missing"], 1, ["missing: cufft", "-m pip install nvidia-cufft-cu12\n"]


def a_missing_library_of_a_toolkit():
    m, *_ = a_missing_library()
    m.engine["sources"][0]["kind"] = "toolkit"
    return m, ["library_missing"], 1, ['-m pip install "nvidia-cuda-nvrtc-cu12==12.9.*" "nvidia-cublas-cu12==12.9.*"']


def no_libraries_at_all():
    m = with_gpu()
    m.engine["sources"] = []
    m.engine["libraries"] = {n: {"name": n, "path": "", "version": ""} for n in LIBRARIES}
    m.engine["devices"][0]["problem"] = "NVRTC was not found"
    return m, ["library_missing"], 1, ["no kernel can be compiled for the GPU"]


def a_gpu_without_cudnn():
    m = with_gpu()
    m.engine["cudnn"] = "cuDNN is not installed: pip install nvidia-cudnn-cu12"
    return m, ["without_cudnn"], 0, ["cuDNN is not installed", "-m pip install nvidia-cudnn-cu12\n"]


def gpu_hidden():
    m = without_driver("CUDA_VISIBLE_DEVICES='' leaves no GPU visible", "/usr/lib/libcuda.so.1")
    m.environment = {"CUDA_VISIBLE_DEVICES": ""}
    return m, ["gpu_hidden"], 1, ["unset CUDA_VISIBLE_DEVICES"]


def gpu_lost_on_the_bus():
    m = without_driver("the NVIDIA driver does not start: unknown error (CUDA_ERROR_UNKNOWN)", "/usr/lib/libcuda.so.1")
    m.gpus[0]["lost"] = True
    return m, ["gpu_lost"], 1, ["0000:41:00.0 does not answer", "nvidia-smi --gpu-reset"]


def gpu_lost_by_xid():
    m = without_driver("the NVIDIA driver does not start: unknown error (CUDA_ERROR_UNKNOWN)", "/usr/lib/libcuda.so.1")
    m.xids = ["Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus."]
    return m, ["gpu_lost"], 1, ["fallen off the bus"]


def gpu_that_hangs():
    m = with_gpu()
    m.engine = {"problem": "it does not answer within 120 s", "hangs": True}
    m.xids = ["Xid (PCI:0000:41:00): 119, pid=1, Timeout waiting for RPC from GSP"]
    return m, ["gpu_lost"], 1, ["Timeout waiting"]


def cache(**changes):
    m = well()
    m.cache.update(changes)
    return m


def unwritable_cache():
    return cache(writable=False), ["cache_unwritable", "no_gpu"], 1, ["cannot be written", "QUERN_CACHE_DIR"]


def foreign_cache():
    return cache(owner=0), ["cache_foreign", "no_gpu"], 1, ["belongs to user 0, not to you (7)", "chown -R 7"]


def full_cache():
    return cache(free=1 << 20), ["cache_full", "no_gpu"], 1, ["1 MiB are free", "quern cache clear"]


def plugin(there):
    m = well()
    m.engine["clang"].update(problem="it cannot be opened", there=there, bytes=12)
    m.engine["devices"] = [device(problem="the compiler for the CPU could not be loaded")]
    return m, ["plugin_broken", "no_gpu"], 2, ["is damaged" if there else "is missing", "install quern's wheel again"]


def python_too_old():
    m = well()
    m.python, m.engine = (3, 9, 2), {"problem": "SyntaxError"}
    return m, ["python_too_old"], 2, ["quern needs Python 3.10 or newer"]


def numpy_too_old():
    m = well()
    m.packages["numpy"], m.engine = "1.24.4", {"problem": "ImportError: numpy"}
    return m, ["numpy_too_old"], 2, ['pip install "numpy>=1.26"']


def two_installations():
    m = well()
    m.installations.append("/home/u/quern/python/quern")
    return m, ["two_installations", "no_gpu"], 1, ["/site/quern is used"]


def no_avx2():
    m = well()
    m.cpu_features = ["sse4_2", "avx"]
    return m, ["no_avx2", "no_gpu"], 1, ["has no AVX2"]


def instructions_that_are_unknown():
    m = well()
    m.engine = {"problem": "it dies of signal 4", "signal": 4}
    return m, ["engine_broken"], 2, ["does not know"]


def a_device_that_is_not_there():
    m = well()
    m.environment = {"QUERN_DEVICE": "foo"}
    m.engine = {"problem": "ValueError: [device] QUERN_DEVICE is 'foo'; use cpu, cuda or cuda:N"}
    return m, ["device_unknown"], 2, ["QUERN_DEVICE=foo selects no device", "unset QUERN_DEVICE"]


def values_that_are_ignored():
    m = well()
    m.environment = {"QUERN_NUM_THREADS": "0", "QUERN_KEEP_TEXTS": "/no/such/folder", "QUERN_TIERED": "0", "QUERN_CACHE_SIZE": "12"}
    return m, ["values_ignored", "no_gpu"], 1, ["QUERN_NUM_THREADS=0, QUERN_KEEP_TEXTS=/no", "set QUERN_NUM_THREADS to a number above 0"]


def names_that_are_misspelled():
    m = well()
    m.environment = {"QUERN_DEVISE": "cpu", "QUERN_RENEW_TEXTS": "1", "QUERN_NUMBA_PYTHON": "/python"}
    return m, ["names_misspelled", "no_gpu"], 1, ["no environment variable QUERN_DEVISE\n", "use QUERN_DEVICE"]


def another_architecture():
    m = well()
    m.engine, m.architecture = {"problem": "ImportError: wrong ELF class"}, "aarch64"
    return m, ["engine_broken"], 2, ["this one is aarch64"]


def wsl_without_a_gpu():
    m = well()
    m.wsl = True
    return m, ["wsl"], 0, ["the NVIDIA driver of Windows", "wsl --update"]


def wsl_with_a_gpu():
    m = with_gpu()
    m.wsl, m.gpus, m.nodes, m.kernel_module = True, [], {}, ""
    return m, ["wsl"], 0, ["uses the NVIDIA driver of Windows"]


def free_threaded():
    m = well()
    m.free_threaded = True
    return m, ["free_threaded_python", "no_gpu"], 1, ["turns its global interpreter lock on"]


def free_threaded_without_a_build():
    m = well()
    m.free_threaded, m.engine = True, {"problem": "ImportError: no _engine"}
    return m, ["free_threaded_python"], 2, ["no build for it"]


def a_kernel_that_fails():
    m = with_gpu()
    m.engine["devices"][0]["problem"] = "an illegal memory access"
    return m, ["kernel_fails"], 2, ["cuda:0: an illegal memory access"]


def another_driver_by_name():
    m = without_driver("QUERN_CUDA_DRIVER=/none.so cannot be opened: no such file")
    m.environment, m.container, m.nodes = {"QUERN_CUDA_DRIVER": "/none.so"}, "docker", {}
    return m, ["driver_unusable"], 1, ["unset QUERN_CUDA_DRIVER"]


def clone_without_a_build():
    m = well()
    m.unbuilt_clone, m.engine = "/home/u/my quern", {"problem": "ImportError: no _engine"}
    m.packages = dict.fromkeys(m.packages, "")
    return m, ["clone_not_built"], 2, ["fix: build it: '/home/u/my quern/quern' setup", "nothing: this clone is not built yet"]


def clone_in_a_build():
    m = well()
    m.is_building, m.unbuilt_clone, m.engine = True, "/home/u/my quern", {"problem": "ImportError: no _engine"}
    m.packages = dict.fromkeys(m.packages, "")
    return m, ["clone_not_built"], 2, ["the clone /home/u/my quern is being built", "wait until it ends, then run quern doctor again"]


CASES = {
    f.__name__: f
    for f in (
        no_driver, no_gpu, module_and_library_differ, driver_older_than_the_engine_needs, driver_older_than_nvrtc, driver_without_permission,
        container_without_the_library, two_cuda_versions, libraries_of_mixed_origin, libraries_of_mixed_versions, a_missing_library,
        a_missing_library_of_a_toolkit, no_libraries_at_all, gpu_hidden, gpu_lost_on_the_bus, gpu_lost_by_xid, gpu_that_hangs,
        unwritable_cache, foreign_cache, full_cache, python_too_old, numpy_too_old, two_installations, no_avx2,
        instructions_that_are_unknown, another_architecture, wsl_without_a_gpu, wsl_with_a_gpu, free_threaded, free_threaded_without_a_build,
        a_kernel_that_fails, another_driver_by_name, clone_without_a_build, clone_in_a_build,
        a_device_that_is_not_there, values_that_are_ignored, names_that_are_misspelled,
    )
} | {
    "docker": lambda: container("docker", "docker run --gpus all"),
    "podman": lambda: container("podman", "podman run --device nvidia.com/gpu=all"),
    "kubernetes": lambda: container("kubernetes", "nvidia.com/gpu: 1"),
    "apptainer": lambda: container("apptainer", "apptainer exec --nv"),
    "a damaged plug-in": lambda: plugin(True),
    "a missing plug-in": lambda: plugin(False),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_said(case, capsys):
    m, fired, verdict, words = CASES[case]()
    findings = rules.find(m)
    assert [finding.rule for finding in findings] == fired
    assert report.verdict(findings) == verdict
    report.print_report(m, findings)
    told = capsys.readouterr().out
    for word in words:
        assert word in told
    assert len(report.bug_line(m).splitlines()) == 1 and "for a report of a bug: " in told
    report.print_json(m, findings)
    assert json.loads(capsys.readouterr().out)["verdict"] == ("ok", "limits", "broken")[verdict]


def test_a_machine_in_order(capsys):
    m = with_gpu()
    assert rules.find(m) == []
    report.print_report(m, [])
    told = capsys.readouterr().out
    assert told.splitlines()[-1] == "all is well" and "on cuda:0 and cpu" in told
    m.packages["keras"] = ""
    assert dict((name, where) for name, _, where in report.front_ends(m))["Keras"] == 'needs keras: pip install "quern[keras]"'


def test_rules_leave_the_machine_as_it_is():
    for case in CASES.values():
        m = case()[0]
        before = copy.deepcopy(vars(m))
        rules.find(m)
        assert vars(m) == before


# ---- a folder in the place of /


@pytest.fixture
def root(tmp_path):
    def write(path, text):
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text) if isinstance(text, bytes) else place.write_text(text)
        return place

    write("proc/version", "Linux version 6.1")
    write("proc/cpuinfo", "processor : 0\nmodel name\t: A CPU @ 2 GHz\nflags\t\t: fpu sse4_2 avx avx2\n")
    return tmp_path, write


def looked(root, **environ):
    return machines.look(str(root), environ, engine=well().engine)


def test_inspects_the_system(root):
    folder, write = root
    m = looked(folder)
    assert (m.cpu, m.cpu_features, m.wsl, m.container, m.gpus, m.nodes) == ("A CPU @ 2 GHz", ["sse4_2", "avx", "avx2"], False, "", [], {})
    write("proc/version", "Linux version 5.15-microsoft-standard-WSL2")
    write("run/.containerenv", "")
    m = looked(folder)
    assert m.wsl and m.container == "podman"
    (folder / "run/.containerenv").unlink()
    write("proc/1/cgroup", "0::/kubepods/besteffort/pod1")
    assert looked(folder).container == "kubernetes"
    write(".dockerenv", "")
    assert looked(folder).container == "docker"


def test_inspects_gpus(root):
    folder, write = root
    for address, vendor, kind, config in (
        ("0000:01:00.0", "0x10de", "0x030200", b"\xde\x10\x30\x23"),
        ("0000:02:00.0", "0x10de", "0x030000", b"\xff\xff\xff\xff"),
        ("0000:02:00.1", "0x10de", "0x040300", b"\xde\x10\x30\x23"),  # its sound
        ("0000:03:00.0", "0x1002", "0x030000", b"\x02\x10\x30\x23"),
    ):
        write(f"sys/bus/pci/devices/{address}/vendor", vendor + "\n")
        write(f"sys/bus/pci/devices/{address}/class", kind + "\n")
        write(f"sys/bus/pci/devices/{address}/config", config)
    write("dev/nvidia0", "")
    write("dev/nvidiactl", "").chmod(0)
    write("dev/nvidia-caps", "")
    write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19\n")
    write("var/log/kern.log", "a\n[1] NVRM: Xid (PCI:0000:02:00): 79, pid=3, GPU has fallen off the bus.\nb\n")
    m = looked(folder)
    assert m.gpus == [{"address": "0000:01:00.0", "lost": False}, {"address": "0000:02:00.0", "lost": True}]
    assert set(m.nodes) == {"/dev/nvidia0", "/dev/nvidiactl"} and m.nodes["/dev/nvidia0"] == "ok"
    assert os.getuid() == 0 or m.nodes["/dev/nvidiactl"] == "denied"
    assert m.kernel_module == "535.104.05" and m.xids == ["Xid (PCI:0000:02:00): 79, pid=3, GPU has fallen off the bus."]


def test_inspects_toolkits(root):
    folder, write = root
    write("a/bin/nvcc", "")
    write("a/version.json", '{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}')
    write("b/include/cuda.h", "#define CUDA_VERSION 13000\n")
    write("c/lib64/libcudart.so.11.8.89", "")
    write("d/lib/libm.so.6", "")
    m = looked(
        folder, PATH=f"{folder}/a/bin:{folder}/nowhere", CUDA_HOME=f"{folder}/b", LD_LIBRARY_PATH=f"{folder}/c/lib64:{folder}/d/lib:"
    )
    assert [(t["version"], t["named"]) for t in m.toolkits] == [("13.0", "CUDA_HOME"), ("12.4", "PATH"), ("11.8", "LD_LIBRARY_PATH")]
    assert len(looked(folder, PATH=f"{folder}/a/bin", CUDA_HOME=f"{folder}/a").toolkits) == 1


def test_inspects_the_cache(root):
    folder, write = root
    c = looked(folder, HOME=str(folder)).cache
    assert c["directory"] == f"{folder}/.cache/quern" and not c["there"] and c["writable"] and c["free"] > 0
    (folder / "x/quern").mkdir(parents=True)
    c = looked(folder, XDG_CACHE_HOME=f"{folder}/x").cache
    assert c["there"] and c["owner"] == c["user"] == os.getuid()
    write("file", "")
    assert not looked(folder, QUERN_CACHE_DIR=f"{folder}/file").cache["writable"]


# ---- real processes


def told(*arguments, **environ):
    done = quern("doctor", "--json", *arguments, **environ)
    assert done.stdout.startswith("{"), done.stderr
    found = json.loads(done.stdout)
    assert done.returncode == ("ok", "limits", "broken").index(found["verdict"])
    return found, {finding["rule"] for finding in found["findings"]}


def test_this_machine():
    done = quern("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    for what in ("quern", "CPU", "compiler for the CPU", "cache", "default device", "kernel on cpu", "Supported programs"):
        assert what in done.stdout
    assert done.stdout.splitlines()[-1] == "all is well"


def test_plugins(tmp_path):
    found, fired = told(QUERN_CLANG_PLUGIN=tmp_path / "none.so")
    assert "plugin_broken" in fired and found["verdict"] == "broken"
    damaged = tmp_path / "damaged.so"
    damaged.write_bytes(b"\x7fELF, and then nothing")
    found, fired = told(QUERN_CLANG_PLUGIN=damaged)
    (finding,) = [f for f in found["findings"] if f["rule"] == "plugin_broken"]
    assert "is damaged" in finding["what"] and "unset QUERN_CLANG_PLUGIN" in finding["fixes"][0]["text"]


def test_a_cache_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    found, fired = told(QUERN_CACHE_DIR=tmp_path / "file")
    assert "cache_unwritable" in fired and found["verdict"] == "limits"
    (finding,) = [f for f in found["findings"] if f["rule"] == "cache_unwritable"]
    assert finding["what"].endswith("file, which is a file") and finding["fixes"][0]["text"].startswith("unset QUERN_CACHE_DIR, or set it")


def test_a_driver_that_is_none(tmp_path):
    found, fired = told(QUERN_CUDA_DRIVER=tmp_path / "none.so")
    assert any("QUERN_CUDA_DRIVER" in finding["what"] for finding in found["findings"])


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The doctor and quern's Python files in a place of their own, without the engine."""
    folder = tmp_path_factory.mktemp("copied")
    for package in ("quern", "quern_doctor"):
        shutil.copytree(PYTHON / package, folder / package, ignore=shutil.ignore_patterns("lib", "__pycache__"))
    return folder


def test_an_engine_that_is_not_there(copied):
    done = python("-m", "quern_doctor", "--json", PYTHONPATH=copied)
    found = json.loads(done.stdout)
    assert done.returncode == 2 and found["verdict"] == "broken"
    assert "engine_broken" in {finding["rule"] for finding in found["findings"]}
    done = python(
        "-c",
        "import sys; sys.argv = ['quern', 'run', 'x.py']; from quern_doctor.command import quern; sys.exit(quern())",
        PYTHONPATH=copied,
    )
    assert done.returncode == 1 and "`quern doctor` says why" in done.stderr


@pytest.mark.parametrize("there", [(), (".venv/bin/python",), ("python/quern/lib/libquern.so", "python/quern/lib/_engine.x.so")])
def test_a_clone_that_is_not_built(copied, tmp_path, there):
    shutil.copytree(copied, tmp_path / "python")
    for file in ("tools/setup_clone.py", *there):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    done = python("-S", "-m", "quern_doctor", "--fix", "--yes", PYTHONPATH=tmp_path / "python", cwd=tmp_path)  # without site-packages
    assert done.returncode == 2 and f"problem: the clone {tmp_path} is not built yet" in done.stdout, done.stdout
    assert f"only you can do this, for clone_not_built: build it: {tmp_path}/quern setup" in done.stdout and "pip" not in done.stdout


def test_two_installations_of_a_process(copied):
    found, fired = told(PYTHONPATH=os.pathsep.join([str(PYTHON), str(copied)]))
    assert "two_installations" in fired


def test_old_pythons(copied):
    """The doctor's files are of a language that Python 3.8 reads."""
    import ast

    for path in sorted((PYTHON / "quern_doctor").glob("*.py")):
        ast.parse(path.read_text(), feature_version=(3, 8))


def test_options():
    assert quern("doctor", "--nonsense").returncode == 2
    assert "--yes goes with --fix" in quern("doctor", "--yes").stderr
    assert quern("doctor", "--json", "--fix").returncode == 2


# ---- fixes


def test_fixes(tmp_path, capsys):
    made = tmp_path / "made"
    first = Step("make it", [sys.executable, "-c", f"open({str(made)!r}, 'w')"])
    findings = [
        Finding(
            "one", "limit", "it is not made", steps=[Step("by hand"), first, Step("never", [sys.executable, "-c", "raise SystemExit(9)"])]
        ),
        Finding("two", "limit", "it fails", steps=[Step("fails", [sys.executable, "-c", "raise SystemExit(3)"])]),
        Finding("three", "limit", "no such program", steps=[Step("none", [str(tmp_path / "none")])]),
    ]
    assert run_fixes(findings, False, lambda question: "n") == 0 and not made.exists()

    def closed(question):
        raise EOFError

    assert run_fixes(findings, False, closed) == 0 and not made.exists()
    assert run_fixes(findings[:1], False, lambda question: "y") == 1 and made.exists()
    capsys.readouterr()
    assert run_fixes(findings, True) == 1
    told = capsys.readouterr()
    assert "only you can do this, for one: by hand" in told.out and "failed with exit code 3" in told.err and "No such file" in told.err


def test_nothing_is_changed_without_the_option(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o500)
    mode = cache.stat().st_mode
    quern("doctor", QUERN_CACHE_DIR=cache)
    assert cache.stat().st_mode == mode
    if os.getuid() != 0:  # root may write everywhere
        done = quern("doctor", "--fix", "--yes", QUERN_CACHE_DIR=cache)
        assert done.returncode == 0 and "chmod u+rwx" in done.stdout and "after the fixes" in done.stdout
        assert cache.stat().st_mode & 0o700 == 0o700


def test_fixes_ask():
    assert subprocess.run([sys.executable, "-c", "import quern_doctor"], env={**os.environ, "PYTHONPATH": str(PYTHON)}).returncode == 0
    done = quern("doctor", "--fix")  # nothing to fix here, and nobody to ask
    assert done.returncode == 0 and "run it?" not in done.stdout


def test_a_set_up_that_runs_is_noticed(tmp_path):
    from quern_doctor.machine import is_building

    (tmp_path / "build").mkdir()
    path = tmp_path / "build" / "set-up.lock"
    assert not is_building(tmp_path)
    with open(path, "w") as lock:
        assert not is_building(tmp_path)
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert is_building(tmp_path)
    assert not is_building(tmp_path)
