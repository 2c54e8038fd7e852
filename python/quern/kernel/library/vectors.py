"""CUDA's vectors in kernels: made of numbers and shorter vectors, read by .x .y .z .w."""

from __future__ import annotations

from quern.kernel import types
from quern.kernel.errors import TypingError
from quern.kernel.library.table import entry, method
from quern.kernel.value import Value, cast


def _maker(to):
    def compile_call(compiler, arguments, named, node):
        if named:
            raise compiler.error(TypingError, node, f"{to} takes no keyword arguments")
        parts = []
        for argument in arguments:
            if isinstance(argument.type, types.Vector):
                if argument.type.base != to.base:
                    raise compiler.error(TypingError, node, f"{to} is not made of {argument.type}", "take its parts, .x and so on")
                argument = compiler.kept(argument)
                parts += [Value(to.base, f"{argument.text}.{axis}") for axis in argument.type.axes]
            else:
                value = compiler.number(argument, node, "a number or a shorter vector")
                if isinstance(value.type, types.Complex):
                    raise compiler.error(TypingError, node, f"{value.type} does not convert to {to.base}", "take its .real")
                parts.append(cast(value, to.base))
        if len(parts) != len(to.axes):
            raise compiler.error(TypingError, node, f"{to} has {len(to.axes)} parts, and {len(parts)} are given")
        return Value(to, f"make_{to.c}({', '.join(p.text for p in parts)})")

    return compile_call


for _vector in types.VECTORS.values():
    entry(_vector)(_maker(_vector))


@method(types.Vector, *"xyzw")
def vector_part(compiler, owner, node):
    if node.attr not in owner.type.axes:
        return None
    return Value(owner.type.base, f"{owner.text}.{node.attr}")
