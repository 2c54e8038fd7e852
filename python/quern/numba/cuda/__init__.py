"""numba.cuda: kernels written in Python, on an NVIDIA GPU where there is one, compiled for the CPU where there is none.

    decorators.py  jit, vectorize, reduce        (quern/kernel/ compiles)
    arrays.py      to_device, device_array and what they return
    devices.py     devices, streams, events
"""

from quern.kernel.intrinsics import *  # noqa: F403
from quern.numba.cuda.arrays import (
    DeviceNDArray,
    as_cuda_array,
    device_array,
    device_array_like,
    from_cuda_array_interface,
    is_cuda_array,
    to_device,
)
from quern.numba.cuda.decorators import In, InOut, Out, Reduce, jit, reduce, vectorize
from quern.numba.cuda.devices import (
    Stream,
    close,
    current_context,
    default_stream,
    detect,
    event,
    event_elapsed_time,
    external_stream,
    get_current_device,
    gpus,
    is_available,
    list_devices,
    select_device,
    stream,
    synchronize,
)
