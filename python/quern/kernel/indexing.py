"""Array elements and views: a[i], a[i, j], a[1:, 0], fields of records, and writing to them."""

from __future__ import annotations

import ast
import enum

from quern.arrays import core as _core
from quern.kernel import operators, types
from quern.kernel.errors import TypingError, UnsupportedError
from quern.kernel.linked import CPointer
from quern.kernel.value import Elements, Value, cast


class Indexing:
    """What Function does with subscripts."""

    def expr_Subscript(self, node):
        owner = self.expression(node.value)
        if isinstance(owner.type, types.Known) and _is_flat(owner.const):
            return self.flat_element(owner.const, node)
        if isinstance(owner.type, types.Known) and isinstance(owner.const, enum.EnumMeta):
            return self.member_named(owner.const, node)
        if isinstance(owner.type, types.Known):
            raise self.error(UnsupportedError, node, f"{owner.type} has no elements in a kernel", _element_hint(owner.const))
        if isinstance(owner.type, types.Tuple):
            return self.tuple_item(owner, node)
        if isinstance(owner.type, types.Record) or _holds_records(owner.type):
            field = self.field_asked(owner, node)
            if field is not None:
                return self.field(owner, field, node)
        if isinstance(owner.type, CPointer):
            if isinstance(node.slice, (ast.Slice, ast.Tuple)):
                raise self.error(UnsupportedError, node, "a pointer has single elements", "numba.carray(pointer, shape) is an array there")
            return self.pointed_at(owner, self.expression(node.slice), node)
        if not isinstance(owner.type, types.Array):
            hint = "an address is a pointer where the signature says so: void(CPointer(float32), int64)"
            raise self.error(
                TypingError, node, f"{owner.type} has no elements", hint if isinstance(owner.type, types.Integer) else None
            )
        parts = self.index_parts(node, owner)
        is_whole = isinstance(node.slice, ast.Constant) and node.slice.value is Ellipsis
        if len(parts) == owner.type.ndim and not is_whole and not any(isinstance(p, slice) for p in parts):
            return self.element(owner, parts, node)
        return self.view(owner, parts, node)

    def member_named(self, cls, node):
        """``Color["red"]``."""
        name = self.expression(node.slice).foreseen
        if not isinstance(name, str) or name not in cls.__members__:
            raise self.error(TypingError, node, f"{cls.__name__} has no member {name!r}" if isinstance(name, str) else "a name is needed")
        return self.of_object(cls[name], node)

    def pointed_at(self, pointer, index, node):
        """``p[i]``. Nobody knows how many there are: a negative index is before ``p[0]``."""
        if isinstance(pointer.type.dtype, types.NoneType):
            raise self.error(TypingError, node, f"{pointer.type} has no elements", "numba.carray(pointer, shape, dtype) is an array there")
        text = f"{pointer.text}[{self.integer(index, node, 'an index').text}]"
        return Value(pointer.type.dtype, f"&{text}" if isinstance(pointer.type.dtype, types.Record) else text, name=pointer.name)

    def flat_element(self, flat, node):
        if isinstance(node.slice, (ast.Slice, ast.Tuple)):
            raise self.error(UnsupportedError, node, "a part of .flat is one element, of an array that may have gaps")
        index = self.integer(self.expression(node.slice), node, "an index")
        length = flat.length(self, node)
        text = index.text if index.natural else f"from_end({index.text}, {length})"
        text = self.within_axis(text, length)
        return flat.item(self, Value(types.int64, text), node)

    def tuple_item(self, owner, node):
        if isinstance(node.slice, ast.Slice):
            bounds = [None if b is None else self.constant_of(self.expression(b), node, "a tuple's slice") for b in _bounds(node.slice)]
            return self.tuple_of(self.parts(owner, node)[slice(*bounds)])
        index = self.expression(node.slice)
        count, i = len(owner.type.types), index.foreseen
        if index.is_const and not isinstance(i, int):
            raise self.error(TypingError, node, f"a tuple of {count} has no element {i}")
        if isinstance(i, int):
            if not -count <= i < count:
                raise self.final_error(node, f"tuple index out of range: element {i} of {count}")
            return self.part(owner, i % count)
        same = owner.type.types and all(t == owner.type.types[0] for t in owner.type.types)
        if not same:
            raise self.error(TypingError, node, "the index into a tuple of several types must be known when the kernel is compiled")
        self.tangible(owner, node)
        owner, at = self.kept(owner), self.wrapped(self.integer(index, node), count)
        return Value(owner.type.types[0], f"{owner.text}.at({self.within(at, count, 'tuple index out of range')})")

    def index_parts(self, node, owner):
        """Integers as Values, slices as (start, stop, step) of Values or None."""
        nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        parts = []
        for part in nodes:
            if isinstance(part, ast.Slice):
                bounds = [None if b is None else self.expression(b) for b in _bounds(part)]
                bounds = [None if b is None or isinstance(b.type, types.NoneType) else b for b in bounds]
                bounds = [None if b is None else self.truncated(b, part, "an integer in a slice") for b in bounds]
                if bounds[2] is not None and bounds[2].is_const and bounds[2].const == 0:
                    raise self.error(TypingError, part, "the step of a slice is 0")
                if self.is_told and bounds[2] is not None and not bounds[2].is_const:
                    bounds[2] = self.kept(bounds[2])
                    self.stop_if(f"{bounds[2].text} == 0", ValueError, "slice step cannot be zero")
                parts.append(slice(*bounds))
                continue
            if isinstance(part, ast.Constant) and part.value is Ellipsis:
                parts.append(Ellipsis)
                continue
            value = self.present(self.expression(part), node)
            if isinstance(value.type, types.Tuple):
                parts += self.parts(value, part)
            else:
                parts.append(value)
        if parts.count(Ellipsis) > 1:
            raise self.error(TypingError, node, "an index has one ellipsis")
        if Ellipsis in parts:
            at = parts.index(Ellipsis)
            parts[at : at + 1] = [slice(None)] * (owner.type.ndim - len(parts) + 1)
        if len(parts) > owner.type.ndim:
            raise self.final_error(node, f"{owner.type} has {owner.type.ndim} dimensions, and {len(parts)} indices are given")
        for part in parts:
            if not isinstance(part, slice) and not isinstance(part.type, (types.Integer, types.Boolean)):
                error = self.error(TypingError, node, f"an index must be an integer, not {part.type}", "convert it with int()")
                error.is_final = isinstance(part.type, types.Number)
                raise error
        return parts

    def index_text(self, owner, axis, part):
        """An index, which counts from the end when it is negative."""
        extent = f"{owner.text}.extent({axis})"
        return self.within_axis(self.wrapped(part, extent), extent)

    @staticmethod
    def wrapped(part, extent):
        """The text of an index that counts from the end when it is negative."""
        text = cast(part, types.int64).text
        if part.natural or (isinstance(part.type, types.Integer) and not part.type.signed):
            return text
        return f"{extent} - {-part.const}" if part.is_const else f"from_end({text}, {extent})"

    def within_axis(self, text, extent):
        return self.within(text, extent, "index is out of bounds") if self.settings.checks_bounds else text

    def within(self, text, extent, said):
        """The text of an index from 0 up, which raises IndexError where it is not below the extent."""
        if self.program.raises:
            return f"index_within({text}, {extent}, {self.stopping(IndexError, said)})"
        at = self.kept(Value(types.int64, text)).text
        self.stop_if(f"{at} < 0 || {at} >= {extent}", IndexError, said)
        return at

    def element(self, owner, parts, node):
        text = f"{self.marked(node, owner.text)}({', '.join(self.index_text(owner, i, p) for i, p in enumerate(parts))})"
        if isinstance(owner.type.dtype, types.Record):
            return Value(_frozen(owner.type.dtype, owner.type.readonly), f"&{text}", name=owner.name)
        if owner.type.packed:
            return Value(owner.type.dtype, f"{text}.load()", place=text)
        return Value(owner.type.dtype, text)

    def view(self, owner, parts, node):
        """A part of an array, over the same memory."""
        axes, ndim = [], 0
        for axis in range(owner.type.ndim):
            part = parts[axis] if axis < len(parts) else slice(None)
            if isinstance(part, slice):
                ndim += 1
                start, stop, step = ("none_given" if b is None else cast(b, types.int64).text for b in (part.start, part.stop, part.step))
                axes.append(f"slice_of({start}, {stop}, {step})")
            else:
                axes.append(f"at({self.index_text(owner, axis, part)})")
        whole_inside = all(isinstance(p, slice) and p == slice(None) for p in parts[1:])
        contiguous = owner.type.layout == "C" and whole_inside and (not parts or not isinstance(parts[0], slice) or parts[0].step is None)
        if owner.type.layout == "C" and not contiguous:
            # Integers first, then at most one slice, then all of the rest.
            first = next((i for i, p in enumerate(parts) if isinstance(p, slice)), len(parts))
            rest = parts[first:]
            contiguous = (not rest or rest[0].step is None) and all(isinstance(p, slice) and p == slice(None) for p in rest[1:])
        type_ = owner.type.part(ndim, "C" if contiguous else "A")
        return Value(type_, f"view<{ndim}, {'true' if contiguous else 'false'}>({', '.join([owner.text, *axes])})", name=owner.name)

    # ---- writing

    def element_place(self, node):
        """An element that is to be written."""
        place = self.expr_Subscript(node)
        self.check_writable(node)
        return place

    def check_writable(self, node):
        owner, _ = self.apart(lambda: self.expression(node.value))
        if isinstance(owner.type, types.Known) and _is_flat(owner.const):
            owner = owner.const.array
        if isinstance(owner.type, types.Tuple):
            raise self.error(TypingError, node, "a tuple cannot be written to")
        if not isinstance(owner.type, CPointer) and owner.type.readonly:
            raise self.error(TypingError, node, "this array is read-only")
        self.writes_to_array(owner)

    def store_item(self, node, value):
        return self.store_place(self.element_place(node), value, node)

    def store_attribute(self, node, value):
        """``r.x = value``."""
        return self.store_place(self.attribute_place(node), value, node)

    def attribute_place(self, node):
        owner = self.expression(node.value)
        if not isinstance(owner.type, types.Record) and not _holds_records(owner.type):
            raise self.error(UnsupportedError, node, f"`{ast.unparse(node)} = ...` is not supported in a kernel")
        place = self.field(owner, node.attr, node)
        self.check_writable(node)
        return place

    def store_place(self, place, value, node):
        if isinstance(place.type, types.Record):
            return self.store_record(place, value, node)
        if isinstance(place.type, types.Array):
            if isinstance(value.type, (types.Number, types.Time)):
                return self.emit(f"fill({place.text}, {self.converted(value, place.type.dtype, node).text});")
            if isinstance(value.type, types.Array) and value.type.ndim <= place.type.ndim:
                of, to = value.type.dtype, place.type.dtype
                if (isinstance(of, types.Record) or isinstance(to, types.Record)) and of.dtype != to.dtype:
                    raise self.error(TypingError, node, f"{value.type} cannot be written into {place.type}")
                if isinstance(of, types.Complex) and not isinstance(to, types.Complex):
                    raise self.error(TypingError, node, f"{of} does not convert to {to}", "take its .real")
                if (isinstance(of, types.Time) or isinstance(to, types.Time)) and of != to:
                    raise self.error(TypingError, node, f"{value.type} cannot be written into {place.type}", "write a loop")
                place, value = self.kept(place), self.kept(value)
                said = "cannot assign slice from input of different size"
                self.stop_if(f"!whole::fits({place.text}, {value.text})", ValueError, said)
                return self.stop_if(f"!whole::assign_all({place.text}, {value.text})", MemoryError, "there is no memory for a copy")
            if isinstance(value.type, types.Tuple) and place.type.ndim == 1:
                return self.store_tuple(place, value, node)
            raise self.error(TypingError, node, f"{value.type} cannot be written into {place.type}")
        kind = types.Time if isinstance(place.type, types.Time) else types.Number
        if not isinstance(value.type, kind):
            raise self.error(TypingError, node, f"{value.type} cannot be written into an element of type {place.type}")
        return self.emit(f"{place.place or place.text} {self.marked(node, '=')} {self.converted(value, place.type, node).text};")

    def store_tuple(self, place, value, node):
        """``a[i, :] = x, y``."""
        place, parts = self.kept(place), [self.kept(p) for p in self.parts(value, node)]
        self.stop_if(f"{place.text}.size() != {len(parts)}", ValueError, "cannot assign slice from input of different size")
        for k, part in enumerate(parts):
            self.store_place(self.element(place, [operators.constant(k)], node), part, node)

    # ---- records

    def field_asked(self, owner, node):
        """The name of the field that ``owner["x"]`` means, or of a record ``owner[0]``; None where an index of an array is asked for."""
        if isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return None
        index, _ = self.apart(lambda: self.expression(node.slice))
        if index.is_const and isinstance(index.const, str):
            return index.const
        if not isinstance(owner.type, types.Record) and owner.type.ndim:
            return None
        names = (owner.type if isinstance(owner.type, types.Record) else owner.type.dtype).dtype.names
        if not index.is_const or not isinstance(index.const, int) or not -len(names) <= index.const < len(names):
            raise self.error(TypingError, node, "a field is known by its name, or by its number when the kernel is compiled")
        return names[index.const]

    def field(self, owner, name, node):
        """A field of a record, or of each record of an array: a view. An array without axes is its one record."""
        if not isinstance(owner.type, types.Record) and owner.type.ndim == 0:
            owner = self.element(owner, [], node)
        record = owner.type if isinstance(owner.type, types.Record) else owner.type.dtype
        if name not in (record.dtype.names or ()):
            raise self.error(TypingError, node, f"the record has no field '{name}'", f"it has {', '.join(record.dtype.names)}")
        dtype, offset = record.dtype.fields[name][:2]
        base, shape = dtype.subdtype or (dtype, ())
        try:
            type_ = types.of_dtype(base)
        except TypeError as e:
            raise self.error(TypingError, node, f"the field '{name}': {e}") from None
        at = record.alignment(offset)
        if isinstance(type_, types.Record):
            type_, packed = types.Record(base, at), False
        else:
            packed = at < base.itemsize  # complex numbers are aligned as pairs
        element = f"packed<{type_.memory}>" if packed else type_.memory
        if record is not owner.type:
            parts = ", ".join([element, str(offset), *map(str, shape)])
            made = types.Array(type_, owner.type.ndim + len(shape), "A", owner.type.readonly, packed)
            return Value(made, f"field_view<{parts}>({owner.text})", name=owner.name)
        if shape:
            made = types.Array(type_, len(shape), "C", record.readonly, packed)
            fixed = f"fixed_array<{', '.join([element, *map(str, shape)])}>"
            return Value(made, f"{made.c}({fixed}{{&place<{element}, {offset}>({owner.text})}})", name=owner.name)
        text = f"place<{element}, {offset}>({owner.text})"
        if isinstance(type_, types.Record):
            return Value(_frozen(type_, record.readonly), f"&{text}", name=owner.name)
        return Value(type_, f"{text}.load()", place=text) if packed else Value(type_, text)

    def store_record(self, place, value, node):
        if _holds_records(value.type) and value.type.ndim == 0:
            value = self.element(value, [], node)
        if isinstance(value.type, types.Record) and value.type.dtype == place.type.dtype:
            return self.emit(f"*({place.text}) = *({value.text});")
        names = place.type.dtype.names
        if not isinstance(value.type, types.Tuple) or len(value.type.types) != len(names):
            raise self.error(TypingError, node, f"{value.type} cannot be written into {place.type}")
        place = self.kept(place)
        for name, part in zip(names, [self.kept(p) for p in self.parts(value, node)], strict=True):
            self.store_place(self.field(place, name, node), part, node)
        return None


def _is_flat(obj):
    return isinstance(obj, Elements) and obj.array is not None


def _element_hint(obj):
    if isinstance(obj, types.Type):
        return "name the type of an array's elements"
    if hasattr(obj, "py_func"):
        return "a kernel cannot launch another one"
    if isinstance(obj, _core.Array) or hasattr(obj, "__cuda_array_interface__"):
        return "pass it as an argument"
    return "write it as a tuple or as a NumPy array" if isinstance(obj, (list, dict, set)) else ""


def _holds_records(type_):
    return isinstance(type_, types.Array) and isinstance(type_.dtype, types.Record)


def _frozen(record, readonly):
    return types.Record(record.dtype, record.aligned_at, True) if readonly and not record.readonly else record


def _bounds(node):
    return (node.lower, node.upper, node.step)
