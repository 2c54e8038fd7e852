"""cupyx.jit.cub: not supported; RawKernel takes CUDA C++ with `#include <cub/...>`."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(
        f"[cupyx.jit] jit.cub.{name} is not supported; write the loop, use jit.shfl_down_sync and jit.shared_memory, or a cupy.RawKernel "
        "that includes <cub/cub.cuh>"
    )
