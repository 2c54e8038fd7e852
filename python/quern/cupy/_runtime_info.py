"""cupyx.get_runtime_info: what this runs on."""

import os
import platform

import numpy

import quern
from quern.cupy.cuda import runtime
from quern.device import current_device, door_devices
from quern.lib import _engine


class _RuntimeInfo:
    """Versions, devices, and where compiled code is kept; as text, a line each."""

    def __init__(self, full):
        cache = _engine.cache_info()
        self.rows = [
            ("OS", platform.platform()),
            ("Python Version", platform.python_version()),
            ("quern Version", quern.__version__),
            ("quern Platform", "the CPU" if current_device().kind == "cpu" else "NVIDIA CUDA"),
            ("NumPy Version", numpy.__version__),
            ("CUDA Driver Version", str(runtime.driverGetVersion()) if current_device().kind == "cuda" else "None"),
            ("CUDA Language Version", str(runtime.runtimeGetVersion())),
            ("Cache", cache["directory"] or cache["problem"]),
        ]
        if full:
            if current_device().kind == "cuda":
                self.rows += [(f"{x['kind']}, CUDA {x['version']}", x["root"]) for x in _engine.nvidia_sources()]
                self.rows += [(x["name"], x["path"] or "not found") for x in _engine.nvidia_libraries()]
            for number, device in enumerate(door_devices()):
                info = device.info()
                self.rows += [
                    (f"Device {number} Name", info["name"]),
                    (f"Device {number} Compute Capability", "".join(map(str, info["compute_capability"]))),
                    (f"Device {number} PCI Bus ID", info["pci_bus_id"]),
                ]
            self.rows += [(name, os.environ[name]) for name in sorted(os.environ) if name.startswith(("QUERN_", "CUPY_", "CUDA_"))]

    def __str__(self):
        width = max(len(name) for name, _ in self.rows)
        return "\n".join(f"{name:<{width}} : {value}" for name, value in self.rows)

    __repr__ = __str__


def get_runtime_info(*, full=True):
    """What this runs on; print() it. ``full``: with the devices, libraries and switches."""
    return _RuntimeInfo(full)
