"""What the names of cupyx.jit compile to."""

from __future__ import annotations

from quern.cupyx.jit import _names, cg
from quern.kernel import intrinsics, library, operators, types
from quern.kernel.cupy_rules import CupyFunction, call_range
from quern.kernel.errors import TypingError
from quern.kernel.library.cuda import element_at
from quern.kernel.library.table import attributes_of, bound, entry, freezer, method, rows
from quern.kernel.program import COOPERATIVE
from quern.kernel.value import MISSING, Value, known

_COPIES = '#include "cooperative_groups/memcpy_async.h"\n'

for _index in (_names.threadIdx, _names.blockIdx, _names.blockDim, _names.gridDim):
    attributes_of(_index, **{axis: ("uint32", f"{_index.__name__}.{axis}") for axis in "xyz"})


@freezer
def warpsize(obj):
    return Value(types.uint32, "32u", natural=True) if obj is _names.warpsize else None


def _read(compiler, function, arguments, named, node, names, least, only_named=()):
    """The arguments by name."""
    both = [*arguments, *named]
    given = dict(zip(names, arguments, strict=False), **named)
    if len(arguments) > len(names) or set(named) - {*names, *only_named} or len(given) != len(both) or set(names[:least]) - set(given):
        wanted = ", ".join([*names[:least], *[f"{name}=" for name in (*names[least:], *only_named)]])
        raise compiler.error(TypingError, node, f"{function} takes ({wanted})")
    return given


def _of_grid(name, pattern):
    def compile_call(compiler, arguments, named, node):
        given = _read(compiler, name, arguments, named, node, ["ndim"], 1)
        count = given["ndim"].foreseen
        if type(count) is not int:
            raise compiler.error(TypingError, node, "ndim must be an integer")
        if count not in (1, 2, 3):
            raise compiler.error(TypingError, node, f"Only ndim=1,2,3 are supported, not {count}")
        items = [Value(types.uint32, pattern.format(axis), natural=True) for axis in "xyz"[:count]]
        return items[0] if count == 1 else compiler.tuple_of(items)

    return compile_call


entry(_names.grid)(_of_grid("grid", "(threadIdx.{0} + blockIdx.{0} * blockDim.{0})"))
entry(_names.gridsize)(_of_grid("gridsize", "(blockDim.{0} * gridDim.{0})"))
rows(_names.laneid, ("uint32()", "static_cast<unsigned int>(lane_id())"))
rows(_names.syncthreads, ("none()", "__syncthreads()"))


@entry(_names.range)
def jit_range(compiler, arguments, named, node):
    unroll = named.pop("unroll", Value(types.none, "", None)).foreseen
    if unroll is MISSING:
        raise compiler.error(TypingError, node, "unroll must be known when the kernel is compiled", "write True, False or a number")
    if unroll is not None and (type(unroll) not in (int, bool) or unroll < 0):
        raise compiler.error(TypingError, node, f"unroll must be True, False or a number of iterations, not {unroll!r}")
    pragma = "" if unroll is None else "unroll" if unroll is True else f"unroll {unroll or 1}"
    return call_range(compiler, arguments, named, node, pragma and f'_Pragma("{pragma}") ')


def _mask(compiler, value, node):
    """Which threads of a warp; known when the kernel is compiled."""
    mask = value.foreseen
    if type(mask) is not int:
        raise compiler.error(TypingError, node, "mask must be an integer that is known when the kernel is compiled")
    if not 0 <= mask <= 0xFFFFFFFF:
        raise compiler.error(TypingError, node, "mask is out of range", "it has 32 bits")
    return f"{mask:#x}u"


@entry(_names.syncwarp)
def call_syncwarp(compiler, arguments, named, node):
    given = _read(compiler, "syncwarp", arguments, named, node, ["mask"], 0)
    return Value(types.none, f"__syncwarp({_mask(compiler, given['mask'], node) if given else ''})")


def _shuffle(name):
    allowed = (types.int32, types.uint32, types.int64, types.uint64, types.float32, types.float64)

    def compile_call(compiler, arguments, named, node):
        given = _read(compiler, name, arguments, named, node, ["mask", "var", "val_id"], 3, ["width"])
        var = compiler.settled(given["var"])
        work = types.float32 if var.type == types.float16 else var.type
        if work not in allowed:
            raise compiler.error(TypingError, node, f"`__{name}` does not support {var.type} input.")
        width = "32"
        if "width" in given:
            width = given["width"].foreseen
            if width is MISSING:
                width = compiler.converted(compiler.number(given["width"], node), types.int32, node).text
            elif width not in (2, 4, 8, 16, 32):
                raise compiler.error(TypingError, node, "width needs to be power of 2", "it is 2, 4, 8, 16 or 32")
        place = types.uint32 if name in ("shfl_up_sync", "shfl_down_sync") else types.int32
        which = compiler.as_type(compiler.number(given["val_id"], node), place).text
        made = Value(work, f"__{name}({_mask(compiler, given['mask'], node)}, {compiler.as_type(var, work).text}, {which}, {width})")
        return compiler.as_type(made, var.type)

    return compile_call


for _name in ("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"):
    entry(getattr(_names, _name))(_shuffle(_name))


@entry(_names.shared_memory)
def call_shared_memory(compiler, arguments, named, node):
    given = _read(compiler, "shared_memory", arguments, named, node, ["dtype", "size", "alignment"], 2)
    size = given["size"]
    if isinstance(size.type, types.NoneType):  # as long as the launch says
        size = operators.constant(0)
    elif type(size.foreseen) is not int:
        raise compiler.error(TypingError, node, "size must be an integer that is known when the kernel is compiled, or None")
    more = {"alignment": given["alignment"]} if "alignment" in given and not isinstance(given["alignment"].type, types.NoneType) else {}
    return library.call(compiler, known(intrinsics.shared.array), [size, given["dtype"]], more, node)


# ---- atomics

_ATOMICS = {"and": "and_", "or": "or_"}


def _atomic(name):
    theirs = getattr(intrinsics.atomic, _ATOMICS.get(name, name))

    def compile_call(compiler, arguments, named, node):
        names = ["array", "index", "value", "alt_value"]
        given = _read(compiler, f"atomic_{name}", arguments, named, node, names, 4 if name == "cas" else 3)
        alternative = given.pop("alt_value", None)
        is_none = alternative is None or isinstance(alternative.type, types.NoneType)
        if is_none is (name == "cas"):
            raise compiler.error(TypingError, node, f"atomic_{name} takes {'an' if name == 'cas' else 'no'} alt_value")
        values = [given[key] for key in names[:3]] + ([] if is_none else [alternative])
        return library.call(compiler, known(theirs), values, {}, node)

    return compile_call


for _name, _object in _names.ATOMICS.items():
    entry(_object)(_atomic(_name))

# ---- cooperative groups


class ThreadBlock(types.Type):
    """Of ``cg.this_thread_block()``."""

    name, c = "ThreadBlock", "::cooperative_groups::thread_block"


_thread_block = ThreadBlock()


@entry(cg.this_grid, takes=0)
def call_this_grid(compiler, arguments, named, node):
    return library.call(compiler, known(intrinsics.cg.this_grid), arguments, named, node)


@entry(cg.this_thread_block, takes=0)
def call_this_thread_block(compiler, arguments, named, node):
    compiler.program.headers[COOPERATIVE] = None
    return Value(_thread_block, f"{_thread_block.c}()")


def _group(compiler, value, node, kinds=(types.GridGroup, ThreadBlock)):
    if not isinstance(value.type, kinds):
        raise compiler.error(TypingError, node, f"a group of threads is needed, not {value.type}", "jit.cg.this_thread_block() is one")
    return value


@entry(cg.sync, takes=1)
def call_sync(compiler, arguments, named, node):
    return Value(types.none, f"{_group(compiler, arguments[0], node).text}.sync()")


@entry(cg.memcpy_async)
def call_memcpy_async(compiler, arguments, named, node):
    names = ["group", "dst", "dst_idx", "src", "src_idx", "size"]
    given = _read(compiler, "memcpy_async", arguments, named, node, names, 6, ["aligned_size"])
    group = _group(compiler, given["group"], node, ThreadBlock)
    places = [element_at(compiler, given[array], given[index], node) for array, index in (("dst", "dst_idx"), ("src", "src_idx"))]
    if places[0].type != places[1].type:
        raise compiler.error(TypingError, node, f"dst has elements of type {places[0].type}, src of {places[1].type}")
    compiler.writes_to_array(given["dst"])
    compiler.program.headers[_COPIES] = None
    size = compiler.integer(given["size"], node, "the size in bytes").text
    call = (
        f"::cooperative_groups::memcpy_async({group.text}, &{places[0].text}, &{places[1].text}, static_cast<unsigned long long>({size}))"
    )
    return Value(types.none, call)


@entry(cg.wait, takes=1)
def call_wait(compiler, arguments, named, node):
    compiler.program.headers[_COPIES] = None
    return Value(types.none, f"::cooperative_groups::wait({_group(compiler, arguments[0], node, ThreadBlock).text})")


@entry(cg.wait_prior, takes=2)
def call_wait_prior(compiler, arguments, named, node):
    step = compiler.constant_of(arguments[1], node, "step")
    compiler.program.headers[_COPIES] = None
    text = f"::cooperative_groups::wait_prior<{int(step)}>({_group(compiler, arguments[0], node, ThreadBlock).text})"
    return Value(types.none, text)


_THREE = types.VECTORS["uint32x3"]
_METHODS = {}  # class of the type -> {name: (type, text)}
for _kind, _count, _methods in (
    (ThreadBlock, types.uint32, "thread_rank size num_threads"),
    (types.GridGroup, types.uint64, "thread_rank size num_threads block_rank num_blocks"),
):
    _METHODS[_kind] = {name: (_count, f"static_cast<{_count.c}>({{}}.{name}())") for name in _methods.split()}
for _kind, _name, _of in (
    *((ThreadBlock, "group_index", "blockIdx"), (ThreadBlock, "thread_index", "threadIdx"), (ThreadBlock, "group_dim", "blockDim")),
    *((ThreadBlock, "dim_threads", "blockDim"), (types.GridGroup, "group_dim", "gridDim"), (types.GridGroup, "dim_blocks", "gridDim")),
    (types.GridGroup, "block_index", "blockIdx"),
):
    _METHODS[_kind][_name] = (_THREE, f"make_uint3({_of}.x, {_of}.y, {_of}.z)")
_METHODS[ThreadBlock]["sync"] = (types.none, "{}.sync()")
_METHODS[types.GridGroup]["is_valid"] = (types.boolean, "{}.is_valid()")


def _group_method(name, type_, text):
    def attribute(compiler, owner, node):
        if not isinstance(compiler, CupyFunction):
            return None  # Numba's groups have less

        def compile_call(compiler, owner, arguments, named, node):
            if arguments or named:
                raise compiler.error(TypingError, node, f"{name} takes no arguments")
            compiler.program.headers[COOPERATIVE] = None
            return Value(type_, text.format(owner.text))

        return bound(compile_call, owner)

    return attribute


for _kind, _methods in _METHODS.items():
    for _name, (_type, _text) in _methods.items():
        method(_kind, _name)(_group_method(_name, _type, _text))
