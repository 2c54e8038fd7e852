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
    "this_grid",
    "this_grid(): all threads of the launch. All blocks of such a launch must fit on the device at once.",
)
this_thread_block = GroupIntrinsic("this_thread_block", "this_thread_block(): all threads of the block.")
sync = GroupIntrinsic("sync", "sync(group): waits until all threads of the group are here.")
memcpy_async = GroupIntrinsic(
    "memcpy_async",
    "memcpy_async(group, dst, dst_idx, src, src_idx, size, *, aligned_size=None): the group copies size bytes from "
    "src[src_idx] on to dst[dst_idx] on; wait() waits for it.",
)
wait = GroupIntrinsic("wait", "wait(group): waits for all copies of the group.")
wait_prior = GroupIntrinsic("wait_prior", "wait_prior(group, step): waits for all copies of the group but the last `step` ones.")
__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]
