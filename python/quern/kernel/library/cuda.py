"""Threads, barriers, the kernel's own arrays, atomics, warps, bits: what intrinsics.py names."""

from __future__ import annotations

import math

from quern.kernel import intrinsics, operators, types
from quern.kernel.errors import RequireLiteralValue, TypingError
from quern.kernel.library.table import attributes_of, bound, chosen, entry, freezer, method, rows
from quern.kernel.linked import CPointer
from quern.kernel.value import Value, cast

MOST_BYTES = 2**31 - 1  # of an array of a kernel's own: how much there is, the device says at the launch
MOST_ALIGNED = 4096

# ---- places

for _index in (intrinsics.threadIdx, intrinsics.blockIdx, intrinsics.blockDim, intrinsics.gridDim):
    attributes_of(_index, **{axis: ("int32", f"static_cast<int>({_index.__name__}.{axis})") for axis in "xyz"})


@freezer
def number_of_a_thread(obj):
    if obj is intrinsics.laneid:
        return Value(types.int32, "lane_id()", natural=True)
    if obj is intrinsics.warpsize:
        return Value(types.int32, "32", 32, natural=True)
    return None


def _of_grid(pattern):
    def compile_call(compiler, arguments, named, node):
        if len(arguments) + len(named) != 1 or set(named) - {"ndim"}:
            raise compiler.error(TypingError, node, "it takes the number of dimensions, ndim, and nothing else")
        (ndim,) = [*arguments, *named.values()]
        count = compiler.constant_of(ndim, node, "ndim")
        if type(count) is not int or count not in (1, 2, 3):
            raise compiler.error(TypingError, node, f"the number of dimensions is 1, 2 or 3, not {count!r}")
        items = [Value(types.int64, pattern.format(axis), natural=True) for axis in "xyz"[:count]]
        return items[0] if count == 1 else compiler.tuple_of(items)

    return compile_call


entry(intrinsics.grid)(_of_grid("(static_cast<long long>(blockIdx.{0}) * blockDim.{0} + threadIdx.{0})"))
entry(intrinsics.gridsize)(_of_grid("(static_cast<long long>(gridDim.{0}) * blockDim.{0})"))

# ---- arrays of the kernel's own


def _asked(compiler, arguments, named, node):
    """Shape, type and alignment that an array is asked for with."""
    given = {**dict(zip(("shape", "dtype", "alignment"), arguments, strict=False)), **named}
    unknown = set(given) - {"shape", "dtype", "alignment"}
    if "shape" not in given or "dtype" not in given or unknown or len(given) != len(arguments) + len(named):
        raise compiler.error(TypingError, node, "an array needs (shape, dtype), and may have an alignment")
    shape = compiler.constant_of(given["shape"], node, "the shape of an array of the kernel's own")
    shape = shape if isinstance(shape, tuple) else (shape,)
    if not shape or not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in shape):
        raise compiler.error(TypingError, node, f"a shape must be a non-negative integer or a tuple of them, not {shape}")
    wanted = "alignment must be a constant integer, and"
    alignment = compiler.constant_of(given["alignment"], node, wanted) if "alignment" in given else None
    if type(alignment) not in (int, type(None)):
        raise compiler.error(RequireLiteralValue, node, "alignment must be a constant integer", "write a number or a global name")
    if alignment is not None and (not 0 < alignment <= MOST_ALIGNED or alignment & (alignment - 1)):
        raise compiler.error(TypingError, node, f"an alignment is a power of two up to {MOST_ALIGNED}, not {alignment}")
    dtype = compiler.dtype_of(given["dtype"], node)
    count = math.prod(shape)
    if count * dtype.bits // 8 > MOST_BYTES:
        raise compiler.error(TypingError, node, f"an array of {count} elements is too large for a kernel's own", "pass one as an argument")
    return shape, dtype, alignment


def _declared(compiler, kind, shape, dtype, alignment):
    # Reports name it as the text does.
    name = compiler.temporary("own") + (f"_{compiler.target}" if compiler.target.isascii() else "")
    count = math.prod(shape)
    # As bytes, since shared memory cannot have constructors.
    own = dtype.aligned_at if isinstance(dtype, types.Record) else min(16, dtype.bits // 8)
    align = f"__align__({max(alignment or 0, own)})"
    compiler.head.append(f"{kind}{align} unsigned char {name}[{max(count, 1) * dtype.bits // 8}];")
    type_ = types.FixedArray(dtype, shape)
    return Value(type_, f"{type_.c}{{reinterpret_cast<{dtype.memory}*>({name})}}")


@entry(intrinsics.shared.array)
def call_shared_array(compiler, arguments, named, node):
    shape, dtype, alignment = _asked(compiler, arguments, named, node)
    if 0 not in shape:
        compiler.has_shared_arrays = True
        compiler.program.has_shared(math.prod(shape) * dtype.bits // 8, compiler, node)
        return _declared(compiler, "__shared__ ", shape, dtype, alignment)
    if len(shape) > 1:
        raise compiler.error(TypingError, node, "a dynamic shared array has one dimension", "write shape=0 and take parts of it")
    compiler.program.uses_dynamic_shared(compiler.source, node, dtype)
    type_ = types.Array(dtype, 1, "C")
    return Value(type_, f"dynamic_array<{dtype.memory}>()")


@entry(intrinsics.local.array)
def call_local_array(compiler, arguments, named, node):
    shape, dtype, alignment = _asked(compiler, arguments, named, node)
    compiler.has_local_arrays = True
    return _declared(compiler, "", shape, dtype, alignment)


@entry(intrinsics.const.array_like, takes=1)
def call_const_array(compiler, arguments, named, node):
    (value,) = arguments
    if not isinstance(value.type, types.FixedArray) or not value.type.readonly:
        raise compiler.error(TypingError, node, "const.array_like takes a global NumPy array")
    return value


# ---- barriers and fences

for _name in ("syncthreads", "threadfence", "threadfence_block", "threadfence_system"):
    rows(getattr(intrinsics, _name), ("none()", f"__{_name}()"))
for _name in ("syncthreads_count", "syncthreads_and", "syncthreads_or"):
    rows(getattr(intrinsics, _name), ("int32(int32)", f"__{_name}({{0}})"))
rows(intrinsics.nanosleep, ("none(uint32)", "__nanosleep({0})"))

# ---- all threads of a launch


@entry(intrinsics.cg.this_grid, takes=0)
def call_this_grid(compiler, arguments, named, node):
    compiler.program.is_cooperative = True
    return Value(types.grid_group, f"{types.grid_group.c}()")


@method(types.GridGroup, "sync")
def grid_sync(compiler, owner, node):
    def sync(compiler, owner, arguments, named, node):
        if arguments or named:
            raise compiler.error(TypingError, node, "grid.sync takes no arguments")
        if compiler.reports:
            compiler.emit("now.sync_grid();")
            compiler.leave_if("now.left")
            return Value(types.none, "", None)
        return Value(types.none, f"{owner.text}.sync()")

    return bound(sync, owner)


# ---- warps

_MASK = "Mask type"  # in messages, as Numba has it
rows(intrinsics.syncwarp, ("none()", "__syncwarp()"), ("none(uint32)", "__syncwarp({0})"), integer=_MASK)
rows(intrinsics.all_sync, ("bool(uint32, bool)", "(__all_sync({0}, {1}) != 0)"), integer=_MASK)
rows(intrinsics.any_sync, ("bool(uint32, bool)", "(__any_sync({0}, {1}) != 0)"), integer=_MASK)
rows(intrinsics.eq_sync, ("bool(uint32, bool)", "same_in_warp({0}, {1})"), integer=_MASK)
rows(intrinsics.ballot_sync, ("uint32(uint32, bool)", "__ballot_sync({0}, {1})"), integer=_MASK)
rows(intrinsics.activemask, ("uint32()", "__activemask()"))
rows(intrinsics.lanemask_lt, ("uint32()", "((1u << lane_id()) - 1)"))
for _name in ("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"):
    rows(
        getattr(intrinsics, _name),
        *[
            (f"{t}(uint32, {t}, {'uint32' if _name in ('shfl_up_sync', 'shfl_down_sync') else 'int32'})", f"__{_name}({{0}}, {{1}}, {{2}})")
            for t in ("int32", "uint32", "int64", "uint64", "float32", "float64")
        ],
        integer=_MASK,
    )
_MATCHED = ("int32", "uint32", "int64", "uint64", "float32", "float64")
rows(intrinsics.match_any_sync, *[(f"uint32(uint32, {t})", "__match_any_sync({0}, {1})") for t in _MATCHED], integer=_MASK)


@entry(intrinsics.match_all_sync)
def call_match_all(compiler, arguments, named, node):
    takes = [(types.uint32, types.NUMBERS[t]) for t in _MATCHED]
    _, (mask, value) = chosen(compiler, intrinsics.match_all_sync, takes, arguments, named, node)
    same = compiler.temporary("same")
    compiler.head.append(f"int {same} = 0;")
    found = compiler.kept(Value(types.uint32, f"__match_all_sync({mask}, {value}, &{same})"))
    return compiler.tuple_of([found, Value(types.boolean, f"({same} != 0)")])


# ---- bits

_SHORT = (("int8", "unsigned char", 24), ("uint8", "unsigned char", 24), ("int16", "unsigned short", 16), ("uint16", "unsigned short", 16))
rows(
    intrinsics.popc,
    *[(f"int32({t})", f"__popc(static_cast<{c}>({{0}}))") for t, c, _ in _SHORT],
    *[(f"int32({t})", "__popc({0})") for t in ("int32", "uint32")],
    *[(f"int32({t})", "__popcll({0})") for t in ("int64", "uint64")],
)
rows(  # of all but uint64 Numba takes 32 bits: of the int64 that grid() gives, too
    intrinsics.brev,
    *[(f"uint32({t})", "__brev(static_cast<unsigned int>({0}))") for t in ("int32", "uint32", "int64")],
    ("uint64(uint64)", "__brevll({0})"),
)
rows(
    intrinsics.clz,
    *[(f"int32({t})", f"(__clz(static_cast<{c}>({{0}})) - {unused})") for t, c, unused in _SHORT],
    *[(f"int32({t})", "__clz({0})") for t in ("int32", "uint32")],
    *[(f"int32({t})", "__clzll({0})") for t in ("int64", "uint64")],
)
rows(
    intrinsics.ffs,
    *[(f"int32({t})", "__ffs({0})") for t in ("int32", "uint32")],
    *[(f"int32({t})", "__ffsll({0})") for t in ("int64", "uint64")],
)
rows(
    intrinsics.fma,
    ("float32(float32, float32, float32)", "fmaf({0}, {1}, {2})"),
    ("float64(float64, float64, float64)", "::fma({0}, {1}, {2})"),
)
rows(intrinsics.cbrt, ("float32(float32)", "cbrtf({0})"), ("float64(float64)", "::cbrt({0})"))


@entry(intrinsics.selp, takes=3)
def call_selp(compiler, arguments, named, node):
    test, a, b = arguments
    to = types.unified(a.type, b.type)
    if not isinstance(to, types.Number):
        raise compiler.error(TypingError, node, f"selp chooses between two numbers, not {a.type} and {b.type}")
    text = f"({operators.truth(test, compiler.failing(node)).text} ? {cast(a, to).text} : {cast(b, to).text})"
    return Value(to, text, natural=a.natural and b.natural)


# ---- elements by number, for atomics and cache hints


def element_at(compiler, array, index, node, truncates=False):
    """The element that an atomic or a copy names by its array and index, or tuple of indices; or by its pointer and index.

    ``truncates``: reals are indices, too, by their whole parts, which Numba takes for atomics.
    """
    if isinstance(array.type, CPointer):
        return compiler.pointed_at(array, index, node)
    if not isinstance(array.type, types.Array):
        raise compiler.error(TypingError, node, f"an array is needed, not {array.type}")
    parts = compiler.parts(index, node) if isinstance(index.type, types.Tuple) else [index]
    if len(parts) != array.type.ndim:
        raise compiler.error(TypingError, node, f"{array.type} has {array.type.ndim} dimensions, and {len(parts)} indices are given")
    if truncates:
        parts = [compiler.truncated(part, node, "an index") for part in parts]
    for part in parts:
        compiler.integer(part, node, "an index")
    if array.type.packed:
        raise compiler.error(TypingError, node, "the field is not aligned for its type", "make the record type with align=True")
    return compiler.element(array, parts, node)


def _written(compiler, array, node):
    if not isinstance(array.type, CPointer) and array.type.readonly:
        raise compiler.error(TypingError, node, "this array is read-only")
    compiler.writes_to_array(array)


# What each takes: integers, unsigned integers, floats (with complex numbers: parts of their own).
_ATOMIC_TYPES = {
    "add": (types.int32, types.int64, types.uint32, types.uint64, types.float32, types.float64, *types.HALVES),
    "sub": (types.int32, types.int64, types.uint32, types.uint64, types.float32, types.float64),
    "and_": (types.int32, types.int64, types.uint32, types.uint64),
    "or_": (types.int32, types.int64, types.uint32, types.uint64),
    "xor": (types.int32, types.int64, types.uint32, types.uint64),
    "inc": (types.uint32, types.uint64),
    "dec": (types.uint32, types.uint64),
    "exch": (types.int32, types.int64, types.uint32, types.uint64, types.float32, types.float64),
    "max": (types.int32, types.int64, types.uint32, types.uint64, types.float32, types.float64),
    "min": (types.int32, types.int64, types.uint32, types.uint64, types.float32, types.float64),
    "nanmax": (types.int32, types.int64, types.uint32, types.uint64, types.float32, types.float64),
    "nanmin": (types.int32, types.int64, types.uint32, types.uint64, types.float32, types.float64),
    "cas": (
        types.int8,
        types.uint8,
        types.int16,
        types.uint16,
        types.int32,
        types.int64,
        types.uint32,
        types.uint64,
        types.float32,
        types.float64,
    ),
}


def _atomic(name):
    def compile_call(compiler, arguments, named, node):
        wanted = 4 if name == "cas" else 3
        if named or len(arguments) != wanted:
            raise compiler.error(TypingError, node, f"atomic.{name} takes {wanted} arguments: the array, the index and what goes there")
        return _update(compiler, name, *arguments, node=node)

    return compile_call


def _update(compiler, name, array, index, *values, node):
    place = element_at(compiler, array, index, node, truncates=True)
    if place.type not in _ATOMIC_TYPES[name]:
        allowed = ", ".join(map(str, _ATOMIC_TYPES[name]))
        raise compiler.error(TypingError, node, f"atomic.{name} does not update elements of type {place.type}", f"it takes {allowed}")
    _written(compiler, array, node)
    texts = [compiler.converted(compiler.number(v, node), place.type, node).text for v in values]
    return Value(place.type, f"atomic_{name.rstrip('_')}(&{place.text}, {', '.join(texts)})")


for _name in _ATOMIC_TYPES:
    entry(getattr(intrinsics.atomic, _name))(_atomic(_name))


@entry(intrinsics.atomic.compare_and_swap)
def call_compare_and_swap(compiler, arguments, named, node):
    if named or len(arguments) != 3:
        raise compiler.error(TypingError, node, "atomic.compare_and_swap takes 3 arguments: the array, the old value and the new one")
    array, old, new = arguments
    zero = operators.constant(0)
    index = compiler.tuple_of([zero] * array.type.ndim) if isinstance(array.type, types.Array) and array.type.ndim > 1 else zero
    return _update(compiler, "cas", array, index, old, new, node=node)


def _load(name):
    def compile_call(compiler, arguments, named, node):
        place = element_at(compiler, arguments[0], arguments[1], node)
        if place.type in types.HALVES:  # CUDA has them for its own types
            loaded = f"__{name}(reinterpret_cast<const unsigned short*>(&{place.text}))"
            return Value(place.type, f"of_bits<{place.type.c}>({loaded})")
        return Value(place.type, f"__{name}(&{place.text})")

    return compile_call


def _store(name):
    def compile_call(compiler, arguments, named, node):
        place = element_at(compiler, arguments[0], arguments[1], node)
        _written(compiler, arguments[0], node)
        value = compiler.converted(compiler.number(arguments[2], node), place.type, node)
        if place.type in types.HALVES:
            return Value(types.none, f"__{name}(reinterpret_cast<unsigned short*>(&{place.text}), bits({place.type.c}({value.text})))")
        return Value(types.none, f"__{name}(&{place.text}, {value.text})")

    return compile_call


for _name in ("ldca", "ldcg", "ldcs", "ldlu", "ldcv"):
    entry(getattr(intrinsics, _name), takes=2)(_load(_name))
for _name in ("stcg", "stcs", "stwb", "stwt"):
    entry(getattr(intrinsics, _name), takes=3)(_store(_name))
