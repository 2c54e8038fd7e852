"""Array elements and views: a[i], a[i, j], a[1:, 0], and writing to them."""

from __future__ import annotations

import ast

from quern.kernel import types
from quern.kernel.errors import TypingError, UnsupportedError
from quern.kernel.value import Value, cast


class Indexing:
    """What Function does with subscripts."""

    def expr_Subscript(self, node):
        owner = self.expression(node.value)
        if isinstance(owner.type, types.Known):
            return self.launch_error(owner, node)
        if isinstance(owner.type, types.Tuple):
            return self.tuple_item(owner, node)
        if not isinstance(owner.type, types.Array):
            raise self.error(TypingError, node, f"{owner.type} has no elements")
        parts = self.index_parts(node, owner)
        if len(parts) == owner.type.ndim and not any(isinstance(p, slice) for p in parts):
            return self.element(owner, parts, node)
        return self.view(owner, parts, node)

    def launch_error(self, owner, node):
        raise self.error(UnsupportedError, node, f"{owner.type} has no elements", "a kernel cannot launch another one")

    def tuple_item(self, owner, node):
        if isinstance(node.slice, ast.Slice):
            bounds = [None if b is None else self.constant_of(self.expression(b), node, "a tuple's slice") for b in _bounds(node.slice)]
            return self.tuple_of(self.parts(owner, node)[slice(*bounds)])
        index = self.expression(node.slice)
        count = len(owner.type.types)
        if index.is_const:
            i = index.const
            if not isinstance(i, int) or not -count <= i < count:
                raise self.error(TypingError, node, f"a tuple of {count} has no element {i}")
            return self.part(owner, i % count)
        same = owner.type.types and all(t == owner.type.types[0] for t in owner.type.types)
        if not same:
            raise self.error(TypingError, node, "the index into a tuple of several types must be known when the kernel is compiled")
        owner = self.kept(owner)
        return Value(owner.type.types[0], f"{owner.text}.at({self.integer(index, node).text})")

    def index_parts(self, node, owner):
        """Integers as Values, slices as (start, stop, step) of Values or None."""
        nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        parts = []
        for part in nodes:
            if isinstance(part, ast.Slice):
                parts.append(slice(*(None if b is None else self.expression(b) for b in _bounds(part))))
                continue
            if isinstance(part, ast.Constant) and part.value is Ellipsis:
                parts.append(Ellipsis)
                continue
            value = self.expression(part)
            if isinstance(value.type, types.Tuple):
                parts += self.parts(value, part)
            else:
                parts.append(value)
        if Ellipsis in parts:
            at = parts.index(Ellipsis)
            parts[at : at + 1] = [slice(None)] * (owner.type.ndim - len(parts) + 1)
        if len(parts) > owner.type.ndim:
            raise self.error(TypingError, node, f"{owner.type} has {owner.type.ndim} dimensions, and {len(parts)} indices are given")
        for part in parts:
            if not isinstance(part, slice) and not isinstance(part.type, (types.Integer, types.Boolean)):
                raise self.error(TypingError, node, f"an index must be an integer, not {part.type}", "convert it with int()")
        return parts

    def index_text(self, owner, axis, part):
        """An index, which counts from the end when it is negative."""
        text = cast(part, types.int64).text
        if part.natural or (isinstance(part.type, types.Integer) and not part.type.signed):
            return text
        if part.is_const:
            return f"{owner.text}.extent({axis}) - {-part.const}"
        return f"from_end({text}, {owner.text}.extent({axis}))"

    def element(self, owner, parts, node):
        text = ", ".join(self.index_text(owner, i, p) for i, p in enumerate(parts))
        return Value(owner.type.dtype, f"{owner.text}({text})")

    def view(self, owner, parts, node):
        """A part of an array, over the same memory."""
        axes, ndim = [], 0
        for axis in range(owner.type.ndim):
            part = parts[axis] if axis < len(parts) else slice(None)
            if isinstance(part, slice):
                ndim += 1
                start, stop, step = (
                    "none_given" if b is None else cast(self.number(b, node), types.int64).text for b in (part.start, part.stop, part.step)
                )
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
        type_ = types.Array(owner.type.dtype, ndim, "C" if contiguous else "A", owner.type.readonly)
        return Value(type_, f"view<{ndim}, {'true' if contiguous else 'false'}>({owner.text}, {', '.join(axes)})", name=owner.name)

    # ---- writing

    def element_place(self, node):
        """An element that is to be written."""
        place = self.expr_Subscript(node)
        self.check_writable(node)
        return place

    def check_writable(self, node):
        owner = self.expression(node.value)
        if isinstance(owner.type, types.Tuple):
            raise self.error(TypingError, node, "a tuple cannot be written to")
        if owner.type.readonly:
            raise self.error(TypingError, node, "this array is read-only")
        self.writes_to_array(owner)

    def store_item(self, node, value):
        place = self.element_place(node)
        if isinstance(place.type, types.Array):
            if isinstance(value.type, types.Number):
                return self.emit(f"fill({place.text}, {self.converted(value, place.type.dtype, node).text});")
            if isinstance(value.type, types.Array) and value.type.ndim <= place.type.ndim:
                return self.emit(f"assign({place.text}, {value.text});")
            raise self.error(TypingError, node, f"{value.type} cannot be written into {place.type}")
        if not isinstance(value.type, types.Number):
            raise self.error(TypingError, node, f"{value.type} cannot be written into an element of type {place.type}")
        return self.emit(f"{place.text} = {self.converted(value, place.type, node).text};")


def _bounds(node):
    return (node.lower, node.upper, node.step)
