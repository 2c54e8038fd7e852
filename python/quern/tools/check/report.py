"""Findings in words: the kernel, the source lines with a caret, the threads, the array and what to do."""

from __future__ import annotations

import ast
import dataclasses
import functools
import linecache
import math
import os
import re
import struct

from quern.tools.check import columns


@dataclasses.dataclass(frozen=True)
class Finding:
    """One mistake, counted: ``kind`` is "out_of_bounds", "after_release", "null", "misaligned", "const_written", "never_written", "race",
    "barrier_places", "barrier_missing", "division", "overflow", "shift", "not_finite", "unordered", "leak", "block_order", "recomputed" or
    "argument_type";
    ``access`` and ``other`` are dicts with ``file``, ``line``, ``column``, ``thread``, ``block``.
    """

    kind: str
    kernel: str
    access: dict
    other: dict | None
    object: str  # the array's name; "" if unknown
    object_kind: str
    bytes: int
    offset: int
    size: int
    axis: int  # of an index outside of it: ``offset``, of ``size`` elements; -1 for others
    of_grid: bool  # of barriers: blocks wait, not threads
    passed_by: bool  # of barriers: the other thread went around it, and on
    of_warp: bool  # of races: between threads of one warp
    sign: str  # of the operation that overflows
    first: int  # its operands; what was divided and by what; a shift and the width; NaN or Inf and an operand, as the bits of doubles
    second: int
    allocated: str | None  # the line that allocated the memory
    launched: str
    work: str  # of two pieces of work that nothing orders: the one that was submitted later, and the other
    other_work: str
    other_launched: str
    count: int

    @property
    def title(self):
        """The mistake in a sentence."""
        return _TITLES[self.kind](self)

    @property
    def advice(self):
        """What to do."""
        return _ADVICE[self.kind](self)

    def __str__(self):
        kernel = f" in kernel '{self.kernel}'" if self.kernel else ""
        lines = [f"{_NAMES[self.kind]}{kernel}: {self.title}"]
        if self.kernel and self.kind not in ("block_order", "argument_type"):
            lines += _shown(self.access, _deed(self))
        if self.other:
            lines += _shown(self.other, _other_deed(self))
        if self.object and self.kind not in ("barrier_places", "barrier_missing", "argument_type"):
            lines.append(f"  {_array(self)}")
        if self.allocated:
            lines.append(f"  its memory was allocated at {self.allocated}")
        times = f" (found {self.count:,} times)" if self.count > 1 else ""
        if self.kind != "leak":
            where = self.launched or "an unknown line"
            of_arrays = self.kind in ("not_finite", "recomputed")
            verb = "launched" if self.kernel else "it is" if self.work.endswith("host") or of_arrays else "submitted"
            lines.append(f"  {verb} at {where}{times}")
        elif times:
            lines.append(f"  found {self.count:,} times")
        if self.other_work:
            lines.append(f"  {self.other_work} was {_submitted(self.other_work)} at {self.other_launched or 'an unknown line'}")
        lines.append(f"  {self.advice}")
        return "\n".join(lines)


_ROW = 0x7FFFFFFF  # in the axis's place: a row of an array of arrays in C++, or an array in a structure


def _is_variable(f):
    return f.object_kind != "parameter" and f.axis < 0 and 0 < f.size <= f.bytes


def _array(f):
    kind = "parameter" if f.object_kind == "parameter" else f"{f.object_kind} {'variable' if _is_variable(f) else 'array'}"
    unit = "bytes" if f.axis < 0 else "elements in a row" if f.axis == _ROW else f"elements along axis {f.axis}"
    return f"{kind} '{f.object}'" + (f", {f.size:,} {unit}" if f.size else "")


def _users_name(text):
    """The name of a Python kernel's variable, of that in the text that the kernel became."""
    return re.sub(r"^(v_|own\d+_?)", "", text)


def _submitted(work):
    return "launched" if work.startswith("kernel") else "submitted"


def _unordered(f):
    what = f"{f.work} and {f.other_work}"
    return f"{what} use the same memory, one of them writes, and no event, stream or wait orders them"


def _number(bits):
    return struct.unpack("d", struct.pack("q", bits))[0]


def _never_written(f):
    if f.object_kind == "local" and _is_variable(f):
        return f"'{f.object}' is read before anything was stored in it"
    return f"{f.bytes} bytes are read that nobody has written"


def _division(f):
    return "an integer is divided by 0" if f.second == 0 else f"{f.first:,} divided by -1, which is more than the type holds"


def _not_finite(f):
    value, given = _number(f.first), _number(f.second)
    if not f.kernel:
        kind = "NaN" if math.isnan(value) else "an infinity"
        return f"{f.work} of the finite value {given:g} gives {kind} at element {f.offset:,}"
    return f"{'NaN' if math.isnan(value) else 'an infinite number'} comes from finite values, {given:g} among them"


def _out_of_bounds(f):
    if f.axis == _ROW:
        return f"index {f.offset:,} is outside of its row, which has {f.size:,} elements"
    if f.axis >= 0:
        of = f" of '{f.object}'" if f.object else ""
        return f"index {f.offset:,} is outside of axis {f.axis}{of}, which has {f.size:,} element{'s' if f.size != 1 else ''}"
    if not f.size:
        return f"{f.bytes} bytes that belong to no allocation"
    what = f"'{f.object}'" if f.object and f.object_kind != "parameter" else "the allocation"
    if f.offset < 0:
        return f"{f.bytes} bytes that begin {-f.offset:,} bytes before {what}"
    if f.offset < f.size:
        return f"{f.bytes} bytes that begin at byte {f.offset:,} of {what}, which ends at {f.size:,}"
    if f.offset == f.size:
        return f"{f.bytes} bytes that begin where {what} ends, at {f.size:,} bytes"
    return f"{f.bytes} bytes that begin {f.offset - f.size:,} bytes behind the end of {what} ({f.size:,} bytes)"


# What the field calls it.
_NAMES = {
    "out_of_bounds": "out of bounds",
    "after_release": "use after free",
    "null": "null pointer",
    "misaligned": "misaligned access",
    "const_written": "write to const",
    "never_written": "uninitialized read",
    "race": "data race",
    "barrier_places": "divergent barrier",
    "barrier_missing": "divergent barrier",
    "division": "integer division",
    "overflow": "integer overflow",
    "shift": "shift too far",
    "not_finite": "NaN or infinity",
    "unordered": "missing synchronization",
    "leak": "memory leak",
    "block_order": "dependence on the order of blocks",
    "recomputed": "wrong fused kernel",
    "argument_type": "wrong argument type",
}

_TITLES = {
    "out_of_bounds": _out_of_bounds,
    "after_release": lambda f: f"{f.bytes} bytes of memory that was freed",
    "null": lambda f: f"{f.bytes} bytes at address {f.offset}: the pointer is null",
    "misaligned": lambda f: f"an access of {f.bytes} bytes at byte {f.offset}, which is no multiple of its alignment",
    "const_written": lambda f: f"a write through '{f.object}', a pointer to const",
    "never_written": _never_written,
    "race": lambda f: "two threads use the same element, one of them writes, and nothing orders them",
    "barrier_places": lambda f: (
        "lanes of one warp meet in different operations" if f.bytes else "threads of one block meet at different barriers"
    ),
    "barrier_missing": lambda f: (
        f"a shuffle takes the value of lane {f.first - 1}, which takes no part in it"
        if f.first
        else f"{f.bytes} of {f.size} threads wait at a barrier that others pass by"
        if f.passed_by
        else f"{f.bytes} of {f.size} {'blocks' if f.of_grid else 'threads'} wait for the others, which never come"
        if f.size
        else "the mask leaves out the thread that waits"
    ),
    "division": _division,
    "overflow": lambda f: f"{f.first:,} {f.sign} {f.second:,} does not fit into 32 bits, and an address is made of it",
    "shift": lambda f: f"a number of {f.second} bits is shifted by {f.first:,}",
    "not_finite": _not_finite,
    "unordered": _unordered,
    "leak": lambda f: f"{f.size:,} bytes of device memory are not freed at the end",
    "block_order": lambda f: "another order of its blocks gives another result",
    "recomputed": lambda f: (
        f"element {f.offset:,} of {f.work} is {_number(f.first):.9g} as part of a fused kernel, and {_number(f.second):.9g} by itself"
    ),
    "argument_type": lambda f: f"argument {f.first} is an array of {f.work}, the kernel reads it as {f.object}",
}


_IN_C = {
    "barrier": "__syncthreads()",
    "warp barrier": "__syncwarp()",
    "atomic": "atomicAdd()",
    "atomics": "atomic or volatile",
    "first value": "where it is declared",
    "in bounds": "if (i >= 0 && i < n)",
    "lane": "if (lane + d < count)",
    "divisor": "if (d != 0)",
    "wide index": "(long long)i * n",
    "wide shift": "1ull << n",
    "aligned": "let vectors (float4) begin at multiples of their size, or read their parts one by one",
}
_IN_PYTHON = {
    "barrier": "cuda.syncthreads()",
    "warp barrier": "cuda.syncwarp()",
    "atomic": "cuda.atomic.add()",
    "atomics": "atomic (cuda.atomic)",
    "first value": "on every path that leads there",
    "in bounds": "if 0 <= i < n:",
    "lane": "if lane + d < count:",
    "divisor": "if d != 0:",
    "wide index": "np.int64(i) * n",
    "wide shift": "np.uint64(1) << n",
    "aligned": "align the fields of structured dtypes: np.dtype(..., align=True)",
}


_IN_CUPY = _IN_PYTHON | {
    "barrier": "jit.syncthreads()",
    "warp barrier": "jit.syncwarp()",
    "atomic": "jit.atomic_add()",
    "atomics": "atomic (jit.atomic_add)",
}
_kernels_in_cupy = set()  # (file, name) of kernels that are written with cupyx.jit


def note_kernel_in_cupy(file, name):
    """Advice for that kernel has the names of cupyx.jit."""
    _kernels_in_cupy.add((os.path.basename(file), name))


def _is_python(f):
    return f.access["file"].endswith(".py")


_dynamic_shared = {}  # (file, name) of a kernel in Python -> bytes of an element, or None: see note_dynamic_shared()


def note_dynamic_shared(file, name, element_size):
    """Says how large elements of a kernel's dynamic shared arrays are; None where other arrays may be found without a name, too."""
    key = os.path.basename(file), name
    _dynamic_shared[key] = element_size if _dynamic_shared.get(key, element_size) == element_size else None  # for other types


@functools.lru_cache(maxsize=4)
def _subscripts(text):
    """Subscripts of names in a Python source; none where it is not Python."""
    try:
        nodes = ast.walk(ast.parse(text))
    except SyntaxError:
        return []
    return [node for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)]


def _index_of(f):
    """Return the index as the source has it, as ``i - 1`` of ``x[i - 1]``; "i" where its line has several of this array."""
    column, found = f.access["column"] - 1 - columns.BASE, set()
    for node in _subscripts("".join(linecache.getlines(f.access["file"]))):
        is_here = node.lineno == f.access["line"] and (column < 0 or node.col_offset == column)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if is_here and node.value.id == f.object and f.axis < len(indices):
            found.add(ast.unparse(indices[f.axis]))
    return found.pop() if len(found) == 1 else "i"


def _say(f, what):
    """What to write, in the language of the kernel."""
    if what == "in bounds" and _is_python(f) and f.object and f.axis >= 0:
        return f"if 0 <= {_index_of(f)} < {f.object}.shape[{f.axis}]:"
    in_python = _IN_CUPY if (os.path.basename(f.access["file"]), f.kernel) in _kernels_in_cupy else _IN_PYTHON
    return (in_python if _is_python(f) else _IN_C)[what]


def _more_shared(has):
    ways = "shared_mem= in CuPy, shared= in PyCUDA, the fourth number in [] of numba.cuda, the third in <<<>>>"
    return f"give the launch as many bytes of dynamic shared memory as the kernel uses ({ways}); {has}"


def _dynamic_shared_bytes(f):
    """Bytes of the array that a kernel in Python indexes, where that is dynamic shared memory; None for others."""
    is_unknown = f.axis >= 0 and not f.object and f.allocated is None
    size = _dynamic_shared.get((os.path.basename(f.access["file"]), f.kernel)) if is_unknown else None
    return None if size is None else f.size * size


def _bounds_advice(f):
    if f.object_kind == "dynamic shared":
        return _more_shared(f"it has {f.size:,}")
    size = _dynamic_shared_bytes(f)
    if size is not None:
        return _more_shared(f"the array has {size:,}")
    return f"check the index that is used against the array's size before the access: {_say(f, 'in bounds')}"


def _race_advice(f):
    scopes = [access for access in (f.access, f.other) if access and access["of_block"]]
    if scopes and f.other["block"] != f.access["block"]:
        return "an atomic of the block's scope (atomicAdd_block) orders the threads of one block alone: use atomicAdd()"
    if f.of_warp and not (f.access["atomic"] or f.other["atomic"]):
        return f"put {_say(f, 'warp barrier')} between the two accesses ({_say(f, 'barrier')} where other warps take part, too)"
    if f.other and f.access["atomic"] != f.other["atomic"]:
        return f"let both be {_say(f, 'atomics')}, or put a barrier between the two accesses"
    same = f.other and f.access["block"] == f.other["block"]
    if same and (f.access["file"], f.access["line"]) == (f.other["file"], f.other["line"]):
        return f"several threads change the element in one statement: use an atomic ({_say(f, 'atomic')}), or let one thread alone write it"
    if f.object_kind.endswith("shared") or same:
        return f"put {_say(f, 'barrier')} between the two accesses, or let one thread alone write the element"
    return f"blocks run in any order: use an atomic ({_say(f, 'atomic')}), give each block its own part, or launch a second kernel"


_ADVICE = {
    "out_of_bounds": _bounds_advice,
    "after_release": lambda f: "keep a reference to the array until the kernel has run",
    "null": lambda f: "pass an allocated array; where a pointer may be missing, test it first",
    "misaligned": lambda f: f"GPUs refuse it: {_say(f, 'aligned')}",
    "const_written": lambda f: "drop the cast, or take the parameter without const",
    "never_written": lambda f: (
        f"give it a value {_say(f, 'first value')}"
        if f.object_kind == "local"
        else f"fill the memory first (zeros, memset, {_say(f, 'barrier')} after the store that fills it)"
    ),
    "race": _race_advice,
    "barrier_places": lambda f: (
        "let all lanes of the mask call the same function: move it out of the branch, or give each side a mask of its own"
        if f.bytes
        else f"let all threads of a block pass the same {_say(f, 'barrier')}: move it out of the branch"
    ),
    "barrier_missing": lambda f: (
        f"use it only where the lane is there: {_say(f, 'lane')}"
        if f.first
        else "move the barrier out of the branch or loop that not all threads take"
    ),
    "unordered": lambda f: (
        "wait for the stream, or for an event behind that work, before the host uses the memory"
        if f.work.endswith("host")
        else "record an event behind the earlier work and let the other stream wait for it, or use one stream"
    ),
    "leak": lambda f: "call its free(), or let the last name that holds it go",
    "block_order": lambda f: "blocks run in any order: let none depend on what another has written, or counted, before it",
    "recomputed": lambda f: "please report it: the fused kernel, or the loop of the operation alone, is wrong",
    "argument_type": lambda f: f"pass an array of the kernel's dtype, for example x.astype({_dtype_of(f.object)}), or change the parameter",
    "division": lambda f: f"test the divisor first: {_say(f, 'divisor')}",
    "overflow": lambda f: f"compute the index in 64 bits: {_say(f, 'wide index')}",
    "shift": lambda f: f"shift by less than the width, or take a wider type: {_say(f, 'wide shift')}",
    "not_finite": lambda f: "look for a divisor of 0, for the root or logarithm of a number that has none, and for results beyond the type",
}


_DTYPES = {
    "float": "float32", "double": "float64", "short": "int16", "unsigned short": "uint16", "int": "int32", "unsigned int": "uint32",
    "long": "int64", "unsigned long": "uint64", "long long": "int64", "unsigned long long": "uint64", "__half": "float16",
}  # fmt: skip


def _dtype_of(pointer):
    """Return NumPy's name of what a parameter like ``const float*`` points to, in quotes; ``dtype`` where NumPy has none."""
    name = _DTYPES.get(pointer.removeprefix("const ").rstrip("*& "))
    return f"'{name}'" if name else "dtype"


def _deed(f):
    if f.kind == "barrier_missing" and f.first:
        return "is here"
    if f.kind in ("barrier_places", "barrier_missing"):
        return "waits here"
    if f.kind in ("division", "overflow", "shift", "not_finite") or f.axis >= 0:
        return "is here"
    return _verb(f.access)


def _other_deed(f):
    if f.kind == "barrier_missing" and f.first:
        return "uses what came of it"
    if f.passed_by:
        return "goes past it"
    return "waits here" if f.kind.startswith("barrier") else _verb(f.other)


def _verb(access):
    verb = "updates it" if access["reads"] and access["writes"] else "writes" if access["writes"] else "reads"
    return verb + (" (atomic)" if access["atomic"] else "")


def _shown(access, deed):
    """The place, its line, and a caret under its column."""
    who = f"thread {_triple(access['thread'])} of block {_triple(access['block'])} {deed}"
    if not access["file"]:
        return [f"  {who}"]
    where = f"{os.path.basename(access['file'])}:{access['line']}"
    text = access["source"] or linecache.getline(access["file"], access["line"])
    text = text.rstrip("\n").expandtabs(1)
    if not text.strip():
        return [f"  {where}: {who}"]
    indent = len(text) - len(text.lstrip())
    column = _column(access, text)
    caret = "" if column is None else f"{' ' * max(column - indent, 0)}^ "
    return [f"  {where}: {text.strip()}", f"  {' ' * (len(where) + 2)}{caret}{who}"]


def _column(access, text):
    """The column, from 0, of an access in its source line; None where a kernel in Python has none (columns.py)."""
    if not access["file"].endswith(".py"):
        return access["column"] - 1
    column = access["column"] - 1 - columns.BASE
    return len(text.encode()[:column].decode(errors="ignore")) if column >= 0 else None


def _triple(numbers):
    return f"({numbers[0]},{numbers[1]},{numbers[2]})"


class Report:
    """Findings of a check: a sequence of `Finding` in the order in which they occurred.

    Examples
    --------
    >>> import quern as qn
    >>> with qn.check() as report:
    ...     total = float(qn.ones(1000).sum())
    >>> print(report)
    quern check: nothing found
    """

    def __init__(self):
        self._findings: list[Finding] = []

    def _fill(self, found):
        for one in found:
            if one["access"]["file"].endswith(".py"):
                one["object"] = _users_name(one["object"])
            made = Finding(**one)
            # `bins[b] += 1` reads and writes by one index: that is one finding.
            if made.axis < 0 or all(str(made) != str(known) for known in self._findings):
                self._add([made])

    def _add(self, findings):
        """Adds findings; equal ones, of two operations of a line or of other processes, are counted."""
        for one in findings:
            for i, known in enumerate(self._findings):
                if dataclasses.replace(known, count=one.count) == one:
                    self._findings[i] = dataclasses.replace(known, count=known.count + one.count)
                    break
            else:
                self._findings.append(one)

    def __len__(self):
        return len(self._findings)

    def __iter__(self):
        return iter(self._findings)

    def __getitem__(self, number):
        return self._findings[number]

    def __str__(self):
        if not self._findings:
            return "quern check: nothing found"
        count = len(self._findings)
        return "\n\n".join([*map(str, self._findings), f"quern check: {count} finding{'s' if count > 1 else ''}"])

    def figures(self):
        """Return the findings as plain dicts.

        Returns
        -------
        list of dict
            The fields of each finding, with its ``title`` and ``advice``.

        Examples
        --------
        >>> import quern as qn
        >>> with qn.check() as report:
        ...     total = float(qn.ones(1000).sum())
        >>> report.figures()
        []
        """
        return [dataclasses.asdict(one) | {"title": one.title, "advice": one.advice} for one in self._findings]
