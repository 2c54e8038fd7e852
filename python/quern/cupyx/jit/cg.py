"""cupyx.jit.cg: cooperative groups, for kernels.

>>> from quern.cupyx import jit
>>> @jit.rawkernel()
... def kernel(x):
...     grid = jit.cg.this_grid()
...     x[jit.grid(1)] = 1
...     grid.sync()
"""

from quern.cupyx.jit._names import GroupIntrinsic

this_grid = GroupIntrinsic(
    "this_grid", "Return the group of all threads of the launch; all blocks of such a launch must fit on the device at once.", "()"
)
this_thread_block = GroupIntrinsic("this_thread_block", "Return the group of all threads of the block.", "()")
sync = GroupIntrinsic("sync", "Wait for all threads of a group.", "(group)")
memcpy_async = GroupIntrinsic(
    "memcpy_async",
    "Copy bytes with the threads of a group; `wait()` waits for the copy.",
    "(group, dst, dst_idx, src, src_idx, size, *, aligned_size=None)",
)
wait = GroupIntrinsic("wait", "Wait for all copies of a group.", "(group)")
wait_prior = GroupIntrinsic("wait_prior", "Wait for all copies of a group except the last `step` ones.", "(group, step)")
__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]
