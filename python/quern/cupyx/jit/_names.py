"""Names that mean something inside of kernels only: ``jit.threadIdx``, ``jit.syncthreads``. What they compile to: _library.py."""

from quern.kernel import intrinsics


class Intrinsic(intrinsics.Intrinsic):
    """A function of kernels. Called from host code it raises RuntimeError."""

    module = "jit"

    def __init__(self, name, doc):
        super().__init__(name, doc)
        self.__module__ = f"cupyx.{self.module}"

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.module}.{self.__name__} is available only inside a kernel; call it from one under @jit.rawkernel()")

    def __repr__(self):
        return f"<cupyx.{self.module} {self.__name__}>"


class GroupIntrinsic(Intrinsic):
    module = "jit.cg"


class Index(Intrinsic):
    """Three numbers, ``x``, ``y`` and ``z``, each uint32."""

    x, y, z = (property(lambda self, axis=axis: self()) for axis in "xyz")


threadIdx = Index("threadIdx", "The thread's place in its block: .x, .y, .z, each uint32.")
blockIdx = Index("blockIdx", "The block's place in the grid: .x, .y, .z, each uint32.")
blockDim = Index("blockDim", "How many threads a block has: .x, .y, .z, each uint32.")
gridDim = Index("gridDim", "How many blocks the grid has: .x, .y, .z, each uint32.")
warpsize = Intrinsic("warpsize", "32, uint32.")

grid = Intrinsic("grid", "grid(ndim): the thread's place in the whole grid; uint32 for ndim 1, else a tuple of ndim of them.")
gridsize = Intrinsic("gridsize", "gridsize(ndim): how many threads the whole grid has; uint32 for ndim 1, else a tuple.")
laneid = Intrinsic("laneid", "laneid(): the thread's place in its warp, 0 to 31, uint32.")
range = Intrinsic(
    "range",
    "range(start, stop, step, unroll=None): as range(); unroll: True, False or how many rounds of the loop are written out.",
)  # noqa: A001
syncthreads = Intrinsic(
    "syncthreads",
    "syncthreads(): waits until all threads of the block are here; what they wrote before is then seen by all.",
)
syncwarp = Intrinsic("syncwarp", "syncwarp(*, mask=0xffffffff): waits for the threads of the warp that the mask names.")
shared_memory = Intrinsic(
    "shared_memory",
    "shared_memory(dtype, size, alignment=None): an array of one dimension that the threads of a block share; size None: "
    "as long as the launch's shared_mem.",
)
shfl_sync = Intrinsic("shfl_sync", "shfl_sync(mask, var, val_id, *, width=32): the value that the thread `val_id` of the warp has.")
shfl_up_sync = Intrinsic("shfl_up_sync", "shfl_up_sync(mask, var, val_id, *, width=32): the value of the thread `val_id` places before.")
shfl_down_sync = Intrinsic(
    "shfl_down_sync",
    "shfl_down_sync(mask, var, val_id, *, width=32): the value of the thread `val_id` places after.",
)
shfl_xor_sync = Intrinsic(
    "shfl_xor_sync",
    "shfl_xor_sync(mask, var, val_id, *, width=32): the value of the thread whose place differs in the bits of `val_id`.",
)
atomic_add = Intrinsic("atomic_add", "atomic_add(array, index, value): array[index] += value; returns the old value.")
atomic_sub = Intrinsic("atomic_sub", "atomic_sub(array, index, value): array[index] -= value; returns the old value.")
atomic_exch = Intrinsic("atomic_exch", "atomic_exch(array, index, value): array[index] = value; returns the old value.")
atomic_min = Intrinsic("atomic_min", "atomic_min(array, index, value): the smaller one stays; returns the old value.")
atomic_max = Intrinsic("atomic_max", "atomic_max(array, index, value): the larger one stays; returns the old value.")
atomic_inc = Intrinsic(
    "atomic_inc",
    "atomic_inc(array, index, value): counts up to the value, then 0; returns the old value. Unsigned integers.",
)
atomic_dec = Intrinsic(
    "atomic_dec",
    "atomic_dec(array, index, value): counts down to 0, then the value; returns the old value. Unsigned integers.",
)
atomic_cas = Intrinsic(
    "atomic_cas",
    "atomic_cas(array, index, value, alt_value): array[index] = alt_value where it is value; returns what it was.",
)
atomic_and = Intrinsic("atomic_and", "atomic_and(array, index, value): array[index] &= value; returns the old value.")
atomic_or = Intrinsic("atomic_or", "atomic_or(array, index, value): array[index] |= value; returns the old value.")
atomic_xor = Intrinsic("atomic_xor", "atomic_xor(array, index, value): array[index] ^= value; returns the old value.")
ATOMICS = {name[7:]: one for name, one in globals().items() if name.startswith("atomic_")}
