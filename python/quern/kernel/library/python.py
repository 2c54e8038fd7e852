"""Python's built-in functions and loops, attributes of numbers, arrays and tuples, NumPy scalars as globals."""

from __future__ import annotations

import ast
import copy
import enum
from dataclasses import replace

import numpy

from quern.kernel import conversions, intrinsics, operators, times, types
from quern.kernel.errors import TypingError
from quern.kernel.library.table import attribute, bound, entry, freezer, method
from quern.kernel.value import Elements, Value, cast, literal_text

_COUNTS = (types.int32, types.int64, types.uint64)


class Range:
    """What ``range(...)`` is until it is looped over. ``type``: of its numbers; ``counts``: the type that the loop counts in; ``pragma``:
    what stands before the loop."""

    __name__, is_looped_over = "...", True  # for messages

    def __init__(self, start, stop, step, type=None, pragma=""):
        self.start, self.stop, self.step, self.type, self.pragma = start, stop, step, type, pragma
        self.counts = type if type in _COUNTS else types.int64

    @classmethod
    def of(cls, arguments):
        """As Numba has it: its ranges are of int32, int64 or uint64, whichever the arguments convert to best."""
        zero, one = operators.constant(0), operators.constant(1)
        made = cls(*{1: (zero, *arguments, one), 2: (*arguments, one)}.get(len(arguments), arguments))
        given = [a.type for a in arguments]
        made.counts = conversions.nearest([(t,) * len(given) for t in _COUNTS], given)[0][0]
        return made


class Numbered:
    """``enumerate(...)`` and ``zip(...)``: what is looped over side by side."""

    __name__, is_looped_over = "...", True

    def __init__(self, iterables, start=None):
        self.iterables, self.start = iterables, start


@freezer
def numpy_scalar(obj):
    if isinstance(obj, numpy.generic):
        try:
            type_ = types.of_dtype(obj.dtype)
        except TypeError:
            return None
        if isinstance(type_, types.Record):
            return None
        if isinstance(type_, types.Time):
            return times.constant(obj)
        return Value(type_, literal_text(obj.item(), type_), natural=isinstance(type_, types.Integer) and obj >= 0)
    return None


_PYTHONS = {  # of a class the types whose values it has
    bool: types.Boolean, int: types.Integer, float: types.Float, complex: types.Complex, tuple: types.Tuple, numpy.ndarray: types.Array,
    type(None): types.NoneType,
}  # fmt: skip


@entry(isinstance, takes=2)
def call_isinstance(compiler, arguments, named, node):
    """Known when the kernel is compiled, so that the part of an `if` that is not taken need not have types."""
    value, classes = arguments
    if isinstance(value.type, types.Optional):
        raise compiler.error(TypingError, node, f"the class of {value.type} is not known when the kernel is compiled", "test `is None`")
    classes = compiler.parts(classes, node) if isinstance(classes.type, types.Tuple) else [classes]
    return compiler.of_object(any(_is_of(compiler, value, c, node) for c in classes), node)


def _is_of(compiler, value, cls, node):
    cls = cls.const if isinstance(cls.type, types.Known) else None
    if not isinstance(cls, (type, types.Number)):
        raise compiler.error(TypingError, node, "isinstance takes classes that are known when the kernel is compiled")
    if cls is str:
        return isinstance(value.foreseen, str)
    if isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return isinstance(value.type, types.NamedTuple) and issubclass(value.type.instance_class, cls)
    if cls in _PYTHONS:
        return isinstance(value.type, _PYTHONS[cls])
    if isinstance(cls, types.Number):
        return value.type == cls
    return isinstance(value.type, (types.Number, types.Time)) and issubclass(value.type.dtype.type, cls)


# ---- loops


@entry(range, intrinsics.prange, takes=(1, 3))
def call_range(compiler, arguments, named, node):
    arguments = [compiler.truncated(a, node) for a in arguments]
    made = Range.of(arguments)
    return Value(types.Known(made), const=made)


@entry(intrinsics.literal_unroll, takes=1)
def call_literal_unroll(compiler, arguments, named, node):
    if not isinstance(arguments[0].type, types.Tuple):
        raise compiler.error(TypingError, node, "literal_unroll takes a tuple")
    return arguments[0]


@entry(enumerate)
def call_enumerate(compiler, arguments, named, node):
    given = dict(zip(("iterable", "start"), arguments, strict=False), **named)
    if not 1 <= len(arguments) <= 2 or set(given) - {"iterable", "start"} or len(given) != len(arguments) + len(named):
        raise compiler.error(TypingError, node, "enumerate takes what it goes over, and the number that it starts with")
    start = given.get("start", operators.constant(0))
    compiler.integer(start, node)
    made = Numbered(arguments[:1], start)
    return Value(types.Known(made), const=made)


@entry(zip)
def call_zip(compiler, arguments, named, node):
    if named or not arguments:
        raise compiler.error(TypingError, node, "zip takes what it goes over side by side, and no keyword arguments in a kernel")
    made = Numbered(arguments)
    return Value(types.Known(made), const=made)


def loop(compiler, node, iterable, loop):
    """Compiles ``for target in iterable``."""
    obj = iterable.const if isinstance(iterable.type, types.Known) else None
    if isinstance(obj, Range):
        return _range_loop(compiler, node, obj, loop)
    items = _tuple_items(compiler, iterable, node)
    if items is not None:
        return _unrolled(compiler, node, items, loop)
    if isinstance(iterable.type, types.Array) or isinstance(obj, (Numbered, Elements)):
        return _array_loop(compiler, node, iterable, loop)
    raise compiler.error(TypingError, node.iter, f"{iterable.type} is not iterable in a kernel")


def _range_loop(compiler, node, given, loop):
    type_ = given.counts
    start, stop, step = (cast(compiler.kept(v), type_) for v in (given.start, given.stop, given.step))
    compiler.enter_loop(loop)
    i, end, head = compiler.temporary("i"), compiler.temporary("end"), f"{given.pragma}for"
    if step.is_const:
        if step.const == 0:
            raise compiler.error(TypingError, node.iter, "the step of range is 0")
        natural = start.natural and step.const > 0
        compiler.head.append(f"{type_.c} {end} = 0;")
        compiler.emit(f"{end} = {stop.text};")
        goes_on = f"{i} {'<' if step.const > 0 else '>'} {end}"
        if type_ == types.uint64:  # as in Numba, which counts what lies between: from -3 there are 8 to 5
            goes_on = f"static_cast<long long>({end} - {i}) {'>' if step.const > 0 else '<'} 0"
        compiler.emit(f"{head} ({type_.c} {i} = {start.text}; {goes_on}; {i} += {step.text}) {{")
    else:
        # Counted, so that NVIDIA's compiler sees how often the body runs and unrolls it: loads of several rounds are then on their way at
        # once. Upwards from no less than 0, the CPU's goes by the end instead, which is the same for all threads.
        by, first, natural = compiler.temporary("step"), compiler.temporary("first"), start.natural and step.natural
        compiler.head += [f"{type_.c} {by} = 0;", f"{type_.c} {first} = 0;", f"long long {end} = 0;"]
        compiler.emit(f"{by} = {step.text};")
        if compiler.is_told:
            compiler.stop_if(f"{by} == 0", ValueError, "range() arg 3 must not be zero")
        compiler.emit(f"{first} = {start.text};")
        if natural and type_ != types.uint64:
            compiler.emit(f"{end} = end_of_rounds({first}, {stop.text}, {by});")
            compiler.emit(f"{head} ({type_.c} {i} = {first}; has_rounds({i}, {end}); next_round({i}, {end}, {by})) {{")
        else:
            compiler.emit(f"{end} = range_length({first}, {stop.text}, {by});")
            compiler.emit(f"{head} ({type_.c} {i} = {first}; {end} > 0; --{end}, {i} += {by}) {{")
    compiler.depth += 1
    made = Value(type_, i, natural=natural)
    compiler.store(node.target, made if given.type is None else Value(given.type, cast(made, given.type).text, natural=natural))
    compiler.loop_body(node, loop)
    compiler.depth -= 1
    compiler.emit("}")


def _unrolled(compiler, node, parts, loop):
    """Over a tuple: each element has a type of its own, so the body is written for each; its names have variables by type."""
    leaves = any(isinstance(n, (ast.Break, ast.Continue)) for n in ast.walk(node))
    end = compiler.temporary("left")
    loop.leave = f"{{ {f'{loop.flag} = true; ' if loop.flag else ''}goto {end}; }}"
    # Of numbers of one type Numba makes a loop, which might not run: names have the types of both ways behind it.
    ended, kinds = ("ended", *compiler.key(node)), {part.type for part in parts}
    might_not_run = len(kinds) == 1 and isinstance(parts[0].type, types.Number)
    if might_not_run:
        compiler.edge(ended)
    goes_on = True
    for i, part in enumerate(parts):
        after = compiler.temporary("next")
        compiler.emit("{")
        compiler.depth += 1
        compiler.unrolled.append(i)
        round_ = copy.copy(loop)
        round_.again, round_.targets, round_.go_on = ("next", *compiler.key(node)), None, f"goto {after};"
        compiler.store(node.target, part)
        compiler.exits.append(round_)
        if not compiler.block(node.body):
            compiler.next_round(round_)
        compiler.exits.pop()
        compiler.unrolled.pop()
        compiler.depth -= 1
        compiler.emit("}")
        if leaves:
            compiler.emit(f"{after}:;")
        goes_on = compiler.arrive(round_.again)
        if not goes_on:
            break
    if might_not_run:
        if goes_on:
            compiler.edge(ended)
        goes_on = compiler.arrive(ended)
    loop.ended = compiler.variables if goes_on else None
    if leaves:
        compiler.emit(f"{end}:;")


def _tuple_items(compiler, iterable, node):
    """The elements of what is made of tuples alone; None where an array or a range is part of it."""
    if isinstance(iterable.type, types.Tuple):
        return compiler.parts(iterable, node)
    obj = iterable.const if isinstance(iterable.type, types.Known) else None
    if not isinstance(obj, Numbered):
        return None
    columns = [_tuple_items(compiler, it, node) for it in obj.iterables]
    if any(c is None for c in columns):
        return None
    rows = [list(row) for row in zip(*columns, strict=False)]
    if obj.start is not None:
        fail = compiler.failing(node)
        rows = [[operators.binary(ast.Add, obj.start, operators.constant(i), fail), *row] for i, row in enumerate(rows)]
    return [compiler.tuple_of(row) for row in rows]


def _array_loop(compiler, node, iterable, loop):
    i, end = compiler.temporary("i"), compiler.temporary("end")
    compiler.head.append(f"long long {end} = 0;")
    lengths = []
    compiler.emit(f"{end} = {_length(compiler, iterable, node, lengths)};")
    compiler.enter_loop(loop)
    compiler.emit(f"for (long long {i} = 0; {i} < {end}; ++{i}) {{")
    compiler.depth += 1
    compiler.store(node.target, _item(compiler, iterable, Value(types.int64, i, natural=True), node))
    compiler.loop_body(node, loop)
    compiler.depth -= 1
    compiler.emit("}")


def _length(compiler, iterable, node, seen):
    obj = iterable.const if isinstance(iterable.type, types.Known) else None
    if isinstance(obj, Numbered):
        texts = [_length(compiler, it, node, seen) for it in obj.iterables]
        out = texts[0]
        for text in texts[1:]:
            out = f"op::minimum({out}, {text})"
        return out
    if isinstance(obj, Range):
        parts = [cast(compiler.integer(v, node), types.int64).text for v in (obj.start, obj.stop, obj.step)]
        return f"range_length({', '.join(parts)})"
    if isinstance(iterable.type, types.Array):
        return f"{iterable.text}.extent(0)"
    if isinstance(obj, Elements):
        return obj.length(compiler, node)
    raise compiler.error(TypingError, node.iter, f"{iterable.type} is not iterable next to others in a kernel")


def _item(compiler, iterable, i, node):
    obj = iterable.const if isinstance(iterable.type, types.Known) else None
    if isinstance(obj, Numbered):
        items = [_item(compiler, it, i, node) for it in obj.iterables]
        if obj.start is not None:
            items.insert(0, operators.binary(ast.Add, obj.start, i, compiler.failing(node)))
        return compiler.tuple_of(items)
    if isinstance(obj, Range):
        fail = compiler.failing(node)
        return operators.binary(ast.Add, obj.start, operators.binary(ast.Mult, i, obj.step, fail), fail)
    if isinstance(obj, Elements):
        return obj.item(compiler, i, node)
    if iterable.type.ndim == 1:
        return compiler.element(iterable, [i], node)
    return compiler.view(iterable, [i], node)


# ---- functions


@entry(len, takes=1)
def call_len(compiler, arguments, named, node):
    (value,) = arguments
    if isinstance(value.type, types.Tuple):
        compiler.kept_whole(value)  # its parts may raise
        return operators.constant(len(value.type.types))
    if isinstance(value.type, types.Known) and isinstance(value.const, Elements):
        return Value(types.int64, value.const.length(compiler, node), natural=True)
    if isinstance(value.type, types.Known) and isinstance(value.const, Range):
        return Value(types.int64, _length(compiler, value, node, []), natural=True)
    if not isinstance(value.type, types.Array):
        raise compiler.error(TypingError, node, f"{value.type} has no length")
    return Value(types.int64, f"{value.text}.extent(0)", natural=True)


@entry(int, takes=(0, 1))
def call_int(compiler, arguments, named, node):
    if arguments and isinstance(arguments[0].type, types.Time):
        return Value(types.int64, arguments[0].text)
    value = compiler.number(arguments[0], node) if arguments else operators.constant(0)
    if isinstance(value.type, types.Integer):
        return value
    if isinstance(value.type, types.Complex):
        raise compiler.error(TypingError, node, "can't convert complex to int", "take its .real")
    return cast(value, types.int64)


@entry(float, takes=(0, 1))
def call_float(compiler, arguments, named, node):
    if arguments and isinstance(arguments[0].foreseen, str):
        return number_in(compiler, arguments[0].foreseen, node)
    value = compiler.number(arguments[0], node) if arguments else operators.constant(0.0)
    if isinstance(value.type, types.Complex):
        raise compiler.error(TypingError, node, "can't convert complex to float", "take its .real")
    return value if isinstance(value.type, types.Float) else cast(value, types.float64)


def number_in(compiler, text, node):
    """``float("nan")``: the number that a text is."""
    try:
        return operators.constant(float(text))
    except ValueError:
        raise compiler.error(TypingError, node, f"could not convert string to float: {text!r}") from None


@entry(bool, takes=(0, 1))
def call_bool(compiler, arguments, named, node):
    return operators.truth(arguments[0], compiler.failing(node)) if arguments else operators.constant(False)


@entry(complex, takes=(0, 2))
def call_complex(compiler, arguments, named, node):
    values = [compiler.number(a, node) for a in arguments] or [operators.constant(0.0)]
    if len(values) == 1:
        return values[0] if isinstance(values[0].type, types.Complex) else cast(values[0], types.complex128)
    if any(isinstance(v.type, types.Complex) for v in values):
        raise compiler.error(TypingError, node, "a complex number is made of two real ones", "take their .real")
    part = types.float32 if all(v.type == types.float32 for v in values) else types.float64
    to = types.complex64 if part == types.float32 else types.complex128
    return Value(to, f"{to.c}({cast(values[0], part).text}, {cast(values[1], part).text})")


@entry(abs, numpy.absolute, takes=1)  # which numpy.abs is, too
def call_abs(compiler, arguments, named, node):
    if isinstance(arguments[0].type, types.NPTimedelta):
        return Value(arguments[0].type, f"op::absolute({arguments[0].text})")  # of NaT itself
    value = compiler.number(arguments[0], node)
    if isinstance(value.type, types.Complex):
        return Value(value.type.part, f"op::absolute({value.text})")
    if isinstance(value.type, types.Boolean):
        value = cast(value, types.int64)
    # abs(int8(-128)) is -128, which an index counts from the end.
    return Value(value.type, f"op::absolute({value.text})", natural=isinstance(value.type, types.Integer) and value.type.bits == 64)


def _choose(name):
    def compile_call(compiler, arguments, named, node):
        if len(arguments) == 1 and isinstance(arguments[0].type, types.Tuple):
            arguments = compiler.parts(arguments[0], node)
        if len(arguments) < 2:
            raise compiler.error(TypingError, node, f"{name} needs at least two numbers")
        if any(isinstance(a.type, types.Time) for a in arguments):
            return times.chosen(name, arguments, compiler.failing(node))
        result = compiler.number(arguments[0], node)
        for value in arguments:
            if isinstance(compiler.number(value, node).type, types.Complex):
                raise compiler.error(TypingError, node, f"{value.type} has no order", "take its .real, or abs()")
        for value in arguments[1:]:
            to = types.unified(result.type, value.type)
            less = "<" if name == "min" else ">"
            a, b = compiler.kept(cast(result, to)), compiler.kept(cast(value, to))
            # As Python does it: the first one stays, unless the other is less (greater).
            result = Value(to, f"({b.text} {less} {a.text} ? {b.text} : {a.text})", natural=a.natural and b.natural)
        return result

    return compile_call


entry(min, takes=(1, None))(_choose("min"))
entry(max, takes=(1, None))(_choose("max"))


def _sum_of(values, start):
    total = start
    for value in values:
        total += value
    return total


def _any_of(values):
    for value in values:
        if value:
            return True
    return False


def _all_of(values):
    for value in values:
        if not value:
            return False
    return True


def _over(function, name):
    def compile_call(compiler, arguments, named, node):
        if not isinstance(arguments[0].type, types.Tuple) and getattr(arguments[0].type, "ndim", 0) != 1:
            hint = "write a loop"
            raise compiler.error(TypingError, node, f"{name} takes a tuple or an array of one dimension, not {arguments[0].type}", hint)
        return compiler.call_function(function, arguments, {}, node)

    return compile_call


entry(any, takes=1)(_over(_any_of, "any"))
entry(all, takes=1)(_over(_all_of, "all"))


@entry(sum)
def call_sum(compiler, arguments, named, node):
    start = arguments[1:] + [named[name] for name in named if name == "start"]
    if not arguments or len(start) > 1 or set(named) - {"start"}:
        raise compiler.error(TypingError, node, "sum takes what is summed, and what it starts with")
    return _over(_sum_of, "sum")(compiler, [arguments[0], *(start or [operators.constant(0)])], {}, node)


@entry(round, takes=(1, 2))
def call_round(compiler, arguments, named, node):
    value = compiler.number(arguments[0], node)
    if isinstance(value.type, types.Complex):
        raise compiler.error(TypingError, node, "a complex number is not rounded", "round its .real")
    if isinstance(value.type, (types.Integer, types.Boolean)):
        value = cast(value, types.int64 if len(arguments) == 1 else types.float64)  # digits of an integer are a float's, in Numba
        if len(arguments) == 1:
            return value
    if len(arguments) == 1:
        return Value(types.int64, f"cast<long long>(op::rint({value.text}))")
    return Value(value.type, f"round_to({value.text}, {compiler.integer(arguments[1], node).text})")


def _operands_of_divmod(a, b):
    """Of two kinds of integers Numba's divmod has the type that holds both; its operators ``//`` and ``%`` stay with int64."""
    if not all(isinstance(v.type, (types.Integer, types.Boolean)) for v in (a, b)):
        return a, b
    kinds = {v.type.signed if isinstance(v.type, types.Integer) else None for v in (a, b)}
    if kinds == {None, False}:
        return cast(a, types.uint64), cast(b, types.uint64)
    if kinds == {True, False} and types.uint64 in (a.type, b.type):
        return cast(a, types.float64), cast(b, types.float64)
    return a, b


@entry(divmod, takes=2)
def call_divmod(compiler, arguments, named, node):
    a, b = _operands_of_divmod(*(compiler.number(v, node) for v in arguments))
    a = compiler.kept(a)
    b = compiler.kept(compiler.divisor(ast.FloorDiv, a, b, node, "divmod"))
    fail = compiler.failing(node)
    return compiler.tuple_of([operators.binary(ast.FloorDiv, a, b, fail), operators.binary(ast.Mod, a, b, fail)])


@entry(pow, takes=2)
def call_pow(compiler, arguments, named, node):
    return operators.binary(ast.Pow, *compiler.base(arguments[0], arguments[1]), compiler.failing(node))


@entry(print)
def call_print(compiler, arguments, named, node):
    """Values apart by spaces, then a line's end. Kernels print numbers as C does, functions for the host as Python does."""
    if named:
        raise compiler.error(TypingError, node, "print takes no keyword arguments in a kernel")
    nodes = node.args if len(node.args) == len(arguments) else [None] * len(arguments)
    line, values = "", []
    for i, (argument, written) in enumerate(zip(arguments, nodes, strict=True)):
        line += " " * (i > 0)
        if argument.maybe and compiler.program.raises:
            argument = compiler.kept(argument)
            text, more = _printed(compiler, replace(argument, maybe=""), node)
            compiler.emit(f"{_printf(line, values)};")
            compiler.emit(f"if ({argument.maybe}) {_printf(text, more)}; else {_printf('None', [])};")
            line, values = "", []
        elif argument.is_const and isinstance(argument.const, str):
            line += _escaped(argument.const)
        else:
            text, more = _printed(compiler, compiler.present(argument, node), node, "[]" if isinstance(written, ast.List) else "()")
            line += text
            values += more
    return Value(types.none, _printf(line + "\\n", values))


def _printf(text, values):
    return f"printf({', '.join([chr(34) + text + chr(34), *values])})"


def _escaped(text):
    return text.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _printed(compiler, value, node, brackets="()"):
    if value.is_const and isinstance(value.const, intrinsics.Index):
        axes = [attribute(compiler, value, axis, node) for axis in "xyz"]
        return "(%d, %d, %d)", [axis.text for axis in axes]
    if value.is_const and isinstance(value.const, str):  # in a tuple
        return _escaped(repr(value.const)), []
    if isinstance(value.type, types.Tuple):
        parts = [_printed(compiler, part, node) for part in compiler.parts(value, node)]
        texts = [text for text, _ in parts]
        values = [v for _, values in parts for v in values]
        if isinstance(value.type, types.NamedTuple) and compiler.program.raises:
            inside = ", ".join(f"{name}={text}" for name, text in zip(value.type.fields, texts, strict=True))
            return f"{value.type.instance_class.__name__}({inside})", values
        return f"{brackets[0]}{', '.join(texts)}{',' * (len(parts) == 1 and brackets == '()')}{brackets[1]}", values
    if isinstance(value.type, types.Boolean):
        return "%s", [f'({value.text} ? "True" : "False")']
    if isinstance(value.type, types.Integer):
        return ("%lld" if value.type.signed else "%llu"), [cast(value, types.int64 if value.type.signed else types.uint64).text]
    if isinstance(value.type, types.NoneType) and compiler.program.raises:
        return "None", []
    if isinstance(value.type, types.Float):
        return ("%r" if compiler.program.raises else "%f"), [cast(value, types.float64).text]  # %r, %R: device/cpu_runtime.cpp
    if isinstance(value.type, types.Complex):
        value = compiler.kept(value)
        return ("%R" if compiler.program.raises else "(%f+%fj)"), [f"double({value.text}.re)", f"double({value.text}.im)"]
    raise compiler.error(TypingError, node, f"{value.type} cannot be printed in a kernel")


# ---- attributes


@method(types.Number, "real")
def number_real(compiler, owner, node):
    return Value(owner.type.part, f"{owner.text}.re") if isinstance(owner.type, types.Complex) else owner


@method(types.Number, "imag")
def number_imag(compiler, owner, node):
    if isinstance(owner.type, types.Complex):
        return Value(owner.type.part, f"{owner.text}.im")
    return cast(operators.constant(0), owner.type)


@method(types.Number, "conjugate")
def number_conjugate(compiler, owner, node):
    def conjugate(compiler, owner, arguments, named, node):
        if arguments or named:
            raise compiler.error(TypingError, node, "conjugate takes no arguments")
        return Value(owner.type, f"op::conjugate({owner.text})") if isinstance(owner.type, types.Complex) else owner

    return bound(conjugate, owner)


@method(types.EnumMember, "value")
def member_value(compiler, owner, node):
    return compiler.of_object(owner.const.value, node) if owner.is_const else Value(owner.type.dtype, owner.text)


@method(types.Integer, "value")
def integer_member_value(compiler, owner, node):
    return owner if isinstance(owner.fixed, enum.Enum) else None


@method(types.Integer, "bit_count")
def number_bit_count(compiler, owner, node):
    def bit_count(compiler, owner, arguments, named, node):
        if arguments or named:
            raise compiler.error(TypingError, node, "bit_count takes no arguments")
        return Value(types.int64, f"static_cast<long long>(op::bitwise_count({owner.text}))", natural=True)

    return bound(bit_count, owner)


@method(types.Array, "size")
def array_size(compiler, owner, node):
    return Value(types.int64, f"{owner.text}.size()", natural=True)


@method(types.Array, "ndim")
def array_ndim(compiler, owner, node):
    return operators.constant(owner.type.ndim)


@method(types.Array, "itemsize")
def array_itemsize(compiler, owner, node):
    return operators.constant(owner.type.dtype.bits // 8)


@method(types.Array, "nbytes")
def array_nbytes(compiler, owner, node):
    return Value(types.int64, f"({owner.text}.size() * {owner.type.dtype.bits // 8})", natural=True)


@method(types.Array, "shape")
def array_shape(compiler, owner, node):
    return compiler.tuple_of([Value(types.int64, f"{owner.text}.extent({i})", natural=True) for i in range(owner.type.ndim)])


@method(types.Array, "strides")
def array_strides(compiler, owner, node):
    return compiler.tuple_of([Value(types.int64, f"{owner.text}.step({i})") for i in range(owner.type.ndim)])


@method(types.Array, "dtype")
def array_dtype(compiler, owner, node):
    return Value(types.Known(owner.type.dtype), const=owner.type.dtype)


@method(types.Number, "dtype")
def number_dtype(compiler, owner, node):
    return Value(types.Known(owner.type), const=owner.type)


@method(types.Array, "T")
def array_transposed(compiler, owner, node):
    if owner.type.ndim == 1:
        return owner
    return Value(owner.type.part(owner.type.ndim, "A"), f"transposed({owner.text})", name=owner.name)
