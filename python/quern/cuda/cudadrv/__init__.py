"""numba.cuda.cudadrv: the driver, by the modules that Numba has it in.

devicearray.py   arrays on the device
devices.py       devices and contexts
driver.py        streams, events, memory, copies
enums.py         what calls of the driver give
error.py         what is raised
linkable_code.py what kernels are linked with
nvvm.py, runtime.py: versions
"""

from quern.cuda.cudadrv import devicearray, devices, driver, enums, error, linkable_code, nvvm, runtime

__all__ = ["devicearray", "devices", "driver", "enums", "error", "linkable_code", "nvvm", "runtime"]
