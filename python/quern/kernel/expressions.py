"""Expressions: one method for each kind of node, which gives a Value."""

from __future__ import annotations

import ast
import enum
import inspect
import math
import types as python_types
from dataclasses import replace

import numpy

from quern.arrays import core as _core
from quern.kernel import conversions, library, operators, signatures, times, types
from quern.kernel.choices import Choices
from quern.kernel.errors import KernelError, RequireLiteralValue, TypingError, UnsupportedError
from quern.kernel.indexing import Indexing
from quern.kernel.source import MISSING as NOTHING
from quern.kernel.source import constant_of_python, is_of_literals
from quern.kernel.suggestions import item_of_tuple, missing_import, near_attribute
from quern.kernel.value import MISSING, NotYet, Value, cast, known, part_text
from quern.tools.check import columns

_TAKES_STARS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
MOST_PARTS = 1000  # of a tuple
# What to write instead of what kernels do not have.
_INSTEAD = {
    ast.List: "write a tuple, or fill an array of cuda.local.array()",
    ast.Dict: "write a tuple, or an array that is indexed by number",
    ast.Set: "write a tuple, or comparisons",
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), "write a loop"),
    ast.JoinedStr: "print takes texts and numbers, with commas between them",
    **dict.fromkeys((ast.Yield, ast.YieldFrom, ast.Await), "write into an array that the kernel is given"),
    ast.Starred: "write each value",
}


def _is_missing(value):
    return value is MISSING or value is NOTHING


def _is_read_before(tree, named):
    """Does the expression with an assignment read the name before it? Its text would then be read behind it."""
    place = (named.lineno, named.col_offset)
    for statement in ast.walk(tree):
        if isinstance(statement, ast.stmt):
            parts = [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.expr)]
            within = [part for part in parts if _holds(part, named)]
            if within:
                names = [n for part in (parts if isinstance(statement, ast.AugAssign) else within) for n in _loads(part, named)]
                return any(n.id == named.target.id and (n.lineno, n.col_offset) < place for n in names)
    return False


def _holds(part, named):
    return any(n is named for n in ast.walk(part))


def _loads(part, named):
    """The names that a part reads, but for those of operands of `and`, `or` and `if` that are done, or not evaluated, when ``named`` is
    reached."""
    if isinstance(part, ast.Name):
        return [part] if isinstance(part.ctx, ast.Load) else []
    inner = list(ast.iter_child_nodes(part))
    if isinstance(part, ast.IfExp):
        inner = [one for one in inner if _holds(one, named)] or inner
    if isinstance(part, ast.BoolOp):
        last = [n for n, operand in enumerate(part.values) if _holds(operand, named)]
        inner = part.values[last[0] :] if last else part.values
    return [name for one in inner for name in _loads(one, named)]


class Expressions(Choices, Indexing):
    """What Function does with expressions."""

    def expression(self, node):
        method = getattr(self, "expr_" + type(node).__name__, None)
        if method is None:
            raise self.error(UnsupportedError, node, f"`{ast.unparse(node)}` is not supported in a kernel", _INSTEAD.get(type(node), ""))
        return method(node)

    def expr_NamedExpr(self, node):
        name = node.target.id
        if _is_read_before(self.source.tree, node):
            said = f"'{name}' is read before `{ast.unparse(node)}` in one expression"
            raise self.error(UnsupportedError, node, said, "write the assignment on a line of its own")
        self.assign(name, self.expression(node.value), node)
        return self.expr_Name(ast.copy_location(ast.Name(name, ast.Load()), node))

    def expr_Lambda(self, node):
        return self.function_within(node)

    def function_within(self, node):
        """A function that is written in this one, for calls; of what is around it it may use what is known when the kernel is compiled."""
        hint = "write it outside, with @cuda.jit(device=True)"
        codes = self.source.codes_within(node)
        if getattr(node, "decorator_list", ()) or node.args.kw_defaults or len(codes) != 1:
            raise self.error(UnsupportedError, node, "such a function inside of a kernel is not supported", hint)
        code = codes[0]
        try:
            defaults = tuple(map(ast.literal_eval, node.args.defaults))
        except ValueError:
            raise self.error(UnsupportedError, node, "defaults of a function inside a kernel must be constants", hint) from None
        around = []
        for name in code.co_freevars:
            value = self.source.closure.get(name, NOTHING)
            variable = self.variables.get(name)
            if variable is not None and name != code.co_name:
                value = variable.fixed if variable.const is MISSING else variable.const
            if _is_missing(value) and name != code.co_name:
                said = f"the function inside reads '{name}', which is not known when the kernel is compiled"
                raise self.error(UnsupportedError, node, said, "pass it as an argument")
            around.append(value)
        key = (id(code), *map(id, around))
        if key not in self.source.within:
            cells = tuple(python_types.CellType() if _is_missing(v) else python_types.CellType(v) for v in around)
            made = python_types.FunctionType(code, self.source.globals, code.co_name, defaults or None, cells)
            self.source.within[key] = (made, around)  # ids stay theirs
        return known(self.source.within[key][0])

    def apart(self, make):
        """What ``make`` gives, and the statements that it needs before, which are not among the others yet."""
        before, self.lines = self.lines, []
        try:
            return make(), self.lines
        finally:
            self.lines = before

    def each(self, nodes, compiled=None):
        """The values of these nodes. Where calls are statements of their own, what stands before them is computed before."""
        values = []
        for node in nodes:
            value, lines = self.apart(lambda: (compiled or self.expression)(node))  # noqa: B023  (called now)
            if lines and self.reports:
                values = [self.kept_whole(v) for v in values]
            self.lines += lines
            values.append(value)
        return values

    def kept_whole(self, value):
        if value.is_const or not isinstance(value.type, types.Tuple) or value.items is None:
            return self.kept(value)
        return self.tuple_of([self.kept_whole(item) for item in value.items], cls=getattr(value.type, "instance_class", None))

    def done(self, value):
        """What returns nothing is called now: there is no value that would bring the call along."""
        if isinstance(value.type, types.NoneType) and value.text:
            self.emit(f"{value.text};")
            return Value(types.none, "", None)
        return value

    def kept(self, value):
        """The value in a variable of its own, so that it is computed once and now."""
        if value.is_const or isinstance(value.type, (types.Known, types.NoneType)):
            return value
        if value.text.isidentifier() and value.name is None:
            return value
        name, maybe = self.temporary(), ""
        self.head.append(f"{value.own_type.c} {name}{{}};")
        if value.maybe:
            self.emit(f"{name} = {value.own_type.c}{{{value.maybe}, {value.text}}};")
            name, maybe = f"{name}.value", f"{name}.given"
        else:
            self.emit(f"{name} = {value.text};")
        return Value(
            value.type,
            name,
            maybe=maybe,
            natural=value.natural,
            fixed=value.foreseen,
            name=value.name if isinstance(value.type, (types.Array, types.Record)) else None,
        )

    # ---- names and constants

    def expr_Constant(self, node):
        return self.of_object(node.value, node)

    def expr_Name(self, node):
        variable = self.variables.get(node.id)
        if variable is not None:
            self.check_one_way(variable, node)
        if variable is not None and isinstance(variable.type, types.Optional):
            return self.of_optional(variable.type, variable.text, variable.natural, node.id)
        if variable is not None and variable.type is not None:
            if variable.const is not MISSING:
                return self.of_object(variable.const, node) if isinstance(variable.type, types.Literal) else known(variable.const)
            if isinstance(variable.type, types.NoneType):
                return Value(types.none)
            return Value(variable.type, variable.text, natural=variable.natural, name=node.id, fixed=variable.fixed)
        if node.id in self.source.locals:
            error = self.error(TypingError, node, f"'{node.id}' is used before it has a value")
            raise NotYet(error)  # a walk before may not have seen a loop's rounds leave it
        found = self.source.lookup(node.id)
        if found is NOTHING and node.id == self.source.name and not self.is_kernel:
            return known(self.source.function)  # of itself, while its decorator is at work
        if found is NOTHING:
            error = self.final_error(node, f"the name '{node.id}' is not defined", missing_import(node.id))
            error.undefined = node.id
            raise error
        return self.of_object(found, node)

    @staticmethod
    def of_optional(type_, text, natural=False, name=None):
        """The value that a text of C++ has, or None."""
        return Value(type_.type, f"{text}.value", natural=natural, name=name, maybe=f"{text}.given")

    def of_object(self, obj, node):
        """A Python object that the function refers to: its value now, as Numba freezes globals."""
        if isinstance(obj, (bool, int, float, complex)) and type(obj) in (bool, int, float, complex):
            if isinstance(obj, int) and not -(2**63) <= obj < 2**64:
                raise self.final_error(node, f"Int value is too large: {obj}", "integers have up to 64 bits; write a float, as in 1e20")
            return operators.constant(obj)
        if isinstance(obj, enum.Enum):
            return self.member(obj, node)
        frozen = library.frozen(obj)
        if frozen is not None:
            return frozen
        if isinstance(obj, numpy.void) and obj.dtype.names:
            (array,) = self.program.kept.setdefault(id(obj), [numpy.array([obj])])
            return self.element(self.program.constant_array(self, array, node), [operators.constant(0)], node)
        if self.program.finds and _is_of_device(obj):
            return self.program.found_array(self, obj)
        if isinstance(obj, numpy.ndarray):
            return self.program.constant_array(self, obj, node)
        if obj is None:
            return Value(types.none, "", None)
        if isinstance(obj, tuple):
            items = tuple(self.of_object(part, node) for part in obj)
            return self.tuple_of(items, obj, type(obj) if hasattr(obj, "_fields") else None)
        return known(obj)

    def member(self, obj, node):
        """A member of an enumeration: of integers, an integer."""
        if isinstance(obj, int):
            return replace(self.of_object(int(obj), node), fixed=obj)
        of = signatures.of_members(type(obj))
        return known(obj) if of is None else Value(types.EnumMember(type(obj), of), cast(self.of_object(obj.value, node), of).text, obj)

    def tuple_of(self, items, const=MISSING, cls=None):
        """A tuple; ``cls``: the class of a named one."""
        parts = [i.own_type for i in items]
        type_ = types.Tuple(parts) if cls is None else types.NamedTuple(parts, cls)
        text = f"{type_.c}{{{', '.join(map(part_text, items))}}}"
        if const is MISSING and all(i.is_const for i in items):
            const = tuple(i.const for i in items) if cls is None else cls(*(i.const for i in items))
        fixed = tuple(i.foreseen for i in items)
        return Value(type_, text, const, items=tuple(items), fixed=MISSING if MISSING in fixed else fixed)

    def expr_Tuple(self, node):
        return self.limited(self.tuple_of(self.each(node.elts, lambda part: self.done(self.expression(part)))), node)

    def listed(self, node):
        """An expression; a list that is written where nothing can change it is the tuple of its elements."""
        return self.expr_Tuple(node) if isinstance(node, ast.List) else self.expression(node)

    def limited(self, value, node):
        """A tuple that a compiler of C++ can be expected to read."""
        if value.type.count > MOST_PARTS:
            hint = "write an array, such as cuda.local.array()"
            raise self.error(TypingError, node, f"a tuple of {value.type.count} values is too large for a kernel", hint)
        return value

    def part(self, value, i):
        """Element ``i`` of a tuple."""
        if value.items is not None:
            return value.items[i]
        type_, text = value.type.types[i], f"{value.text}.template get<{i}>()"
        if isinstance(type_, types.NoneType):
            return Value(types.none, "", None)
        return self.of_optional(type_, text) if isinstance(type_, types.Optional) else Value(type_, text, name=value.name)

    def parts(self, value, node):
        if not isinstance(value.type, types.Tuple):
            raise self.error(TypingError, node, f"{value.type} cannot be unpacked", "only tuples can")
        if value.items is None:
            value = self.kept(value)
        return [self.part(value, i) for i in range(len(value.type.types))]

    # ---- operators

    def expr_BinOp(self, node):
        if is_of_literals(node) and type(made := constant_of_python(node)) in (int, float, complex):
            return self.of_object(made, node)  # which refuses those beyond 64 bits
        left, right = self.each([node.left, node.right])
        if isinstance(left.type, types.Tuple) and isinstance(right.type, types.Tuple) and isinstance(node.op, ast.Add):
            return self.limited(self.tuple_of([*self.parts(left, node), *self.parts(right, node)]), node)
        return self.arithmetic(node, left, right, is_of_literals(node))

    def arithmetic(self, node, left, right, of_literals=False):
        """What the node's operator makes of two values."""
        wanted = operators.types_of_optional(type(node.op), left, right)
        left, right = self.present(left, node), self.present(right, node)
        if wanted is not None:
            left, right = cast(left, wanted[0]), cast(right, wanted[1])
        if isinstance(left.type, types.Time) or isinstance(right.type, types.Time):
            return times.binary(type(node.op), left, right, self.failing(node))
        if isinstance(node.op, ast.Pow):
            left, right = self.base(left, right)
        right = self.divisor(type(node.op), left, right, node)
        return operators.binary(type(node.op), left, right, self.failing(node), of_literals)

    def checked_operand(self, operator, left, right, node):
        """The right operand of integers, which under `quern check` reports when it is 0, or more than there are bits to shift by."""
        if not self.program.checked or not all(isinstance(v.type, (types.Integer, types.Boolean)) for v in (left, right)):
            return right
        if operator in (ast.FloorDiv, ast.Mod) and not (right.is_const and right.const):
            return replace(right, text=f"{self.marked(node, 'checked_divisor')}({right.text})", const=MISSING)
        least_width = 32
        if operator in (ast.LShift, ast.RShift) and not (right.is_const and 0 <= right.const < least_width):
            return replace(right, text=f"{self.marked(node, 'checked_amount')}({right.text})", const=MISSING)
        return right

    def divisor(self, operator, left, right, node, name=""):
        """The right operand, which is not 0 where a division by 0 is an error, and which `quern check` checks."""
        right = self.checked_operand(operator, left, right, node)
        divides = operator in (ast.Div, ast.FloorDiv, ast.Mod) and all(isinstance(v.type, types.Number) for v in (left, right))
        if not divides or not self.is_told or self.settings.divides or (right.is_const and right.const):
            return right
        said = operators.division_by_zero(name or operators.BINARY[operator][0], left.type, right.type)
        if self.program.raises:
            return replace(right, text=f"divisor({right.text}, {self.stopping(ZeroDivisionError, said)})", const=MISSING)
        right = self.kept(right)
        self.stop_if(f"!{operators.truth(right, self.failing(node)).text}", ZeroDivisionError, said)
        return right

    def base(self, left, right, may_divide=True):
        """The operands of a power whose base is not 0 where the exponent is a negative integer, which is an error.

        ``may_divide``: not under an error model that divides by 0.
        """
        is_integer = isinstance(right.type, types.Integer) and right.type.signed and not isinstance(left.type, types.Complex)
        is_allowed = (may_divide and self.settings.divides) or right.is_const and right.const >= 0
        if not self.program.raises or is_allowed or not is_integer or not isinstance(left.type, types.Number):
            return left, right
        said = "division by zero" if isinstance(left.type, types.Float) else "0 cannot be raised to a negative power"
        right = right if right.is_const else self.kept(right)
        return replace(left, text=f"base({left.text}, {right.text}, {self.stopping(ZeroDivisionError, said)})", const=MISSING), right

    def expr_UnaryOp(self, node):
        if is_of_literals(node) and type(made := constant_of_python(node)) in (int, float, complex):
            return self.of_object(made, node)  # -2**63, whose operand alone is too large
        value = self.done(self.expression(node.operand))
        if not isinstance(node.op, ast.Not):
            value = self.present(value, node)
        if isinstance(value.type, types.Time):
            return times.unary(type(node.op), value, self.failing(node))
        return operators.unary(type(node.op), value, self.failing(node))

    def expr_Compare(self, node):
        left, tests = self.done(self.expression(node.left)), []
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            read = self.listed if isinstance(op, (ast.In, ast.NotIn)) else self.expression
            right, lines = self.apart(lambda: read(right_node))  # noqa: B023  (called now)
            if lines and self.reports:
                left = self.kept_whole(left)
            result = self.begin_if_all(tests) if lines and tests else ""
            self.lines += lines
            if len(node.ops) > 1 and not right.is_const:
                right = self.kept(right)
            tests.append(self.comparison(op, left, right, node))
            if result:
                self.emit(f"{result} = {tests.pop().text};")
                self.emit("}")
                tests = [Value(types.boolean, result)]
            left = right
        if len(tests) == 1:
            return tests[0]
        if all(t.is_const for t in tests):
            return operators.constant(all(t.const for t in tests))
        return Value(types.boolean, "(" + " && ".join(t.text for t in tests) + ")")

    def begin_if_all(self, tests):
        """Begins what runs where all tests are true; returns the name of a variable that has whether they are."""
        name = self.temporary()
        self.head.append(f"bool {name}{{}};")
        self.emit(f"{name} = {' && '.join(t.text for t in tests)};")
        self.emit(f"if ({name}) {{")
        return name

    def comparison(self, op, left, right, node):
        if not isinstance(op, (ast.In, ast.NotIn)) and (found := self.identity(op, left, right)) is not None:
            return found
        if isinstance(op, (ast.Is, ast.IsNot)):
            if right.is_const and right.const is None:
                is_none = isinstance(left.type, types.NoneType) or (left.is_const and left.const is None)
                return operators.constant(is_none == isinstance(op, ast.Is))
            if isinstance(left.type, types.Number) and isinstance(right.type, types.Number):
                if left.type != right.type:
                    return Value(types.boolean, "false" if isinstance(op, ast.Is) else "true")
                return self.comparison(ast.Eq() if isinstance(op, ast.Is) else ast.NotEq(), left, right, node)
            raise self.error(UnsupportedError, node, "`is` compares only with None in a kernel", "write ==")
        left, right = self.present(left, node), self.present(right, node)
        if isinstance(op, (ast.In, ast.NotIn)):
            tests = [self.comparison(ast.Eq(), left, part, node).text for part in self.parts(right, node)]
            text = "(" + (" || ".join(tests) or "false") + ")"
            return Value(types.boolean, text if isinstance(op, ast.In) else "!" + text)
        if isinstance(left.type, types.Tuple) and isinstance(right.type, types.Tuple) and not (left.is_const and right.is_const):
            return self.of_tuples(op, self.parts(left, node), self.parts(right, node), node)
        if isinstance(left.type, types.Time) and isinstance(right.type, types.Time):
            return times.compare(type(op), left, right, self.failing(node))
        return operators.compare(type(op), left, right, self.failing(node))

    def of_tuples(self, op, left, right, node):
        """A comparison of tuples: by the first elements that differ, or else by length."""
        if isinstance(op, (ast.Eq, ast.NotEq)):
            if len(left) != len(right):
                return operators.constant(isinstance(op, ast.NotEq))
            tests = [self.comparison(ast.Eq(), a, b, node).text for a, b in zip(left, right, strict=True)]
            text = "(" + (" && ".join(tests) or "true") + ")"
            return Value(types.boolean, text if isinstance(op, ast.Eq) else "!" + text)
        strict = ast.Lt() if isinstance(op, (ast.Lt, ast.LtE)) else ast.Gt()
        text = operators.COMPARE[type(op)][2](len(left), len(right))
        made = "true" if text else "false"
        for a, b in reversed(list(zip(left, right, strict=False))):
            a, b = self.kept_whole(a), self.kept_whole(b)
            same, before = self.comparison(ast.Eq(), a, b, node).text, self.comparison(strict, a, b, node).text
            made = f"({before} || ({same} && {made}))"
        return Value(types.boolean, made)

    @staticmethod
    def identity(op, left, right):
        """``is`` and ``==`` of members of enumerations, of booleans and of what is known now; None for others."""
        kinds = (types.EnumMember, types.Boolean)
        is_same = isinstance(op, (ast.Is, ast.Eq))
        if not isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
            return None
        for a, b in ((left, right), (right, left)):
            if isinstance(a.type, types.NoneType):
                if b.maybe:
                    return Value(types.boolean, f"!{b.maybe}" if is_same else b.maybe)
                are_none = isinstance(b.type, types.NoneType)
                return operators.constant(is_same) if are_none else Value(types.boolean, "false" if is_same else "true")
        if isinstance(left.fixed, enum.Enum) and isinstance(right.fixed, enum.Enum) and isinstance(op, (ast.Is, ast.IsNot)):
            return operators.constant((left.fixed is right.fixed) == is_same)
        for a, b in ((left, right), (right, left)):
            if isinstance(a.type, types.Known) and isinstance(a.const, str) and isinstance(b.type, types.Number):
                return Value(types.boolean, "false" if is_same else "true")
        if isinstance(left.type, types.Known) and isinstance(right.type, types.Known):
            same = left.const is right.const or (isinstance(left.const, (str, type)) and left.const == right.const)
            return operators.constant(same == is_same)
        is_enum = isinstance(left.type, types.EnumMember) or isinstance(right.type, types.EnumMember)
        if isinstance(op, (ast.Eq, ast.NotEq)) and not is_enum:
            return None
        if left.type == right.type and isinstance(left.type, kinds):
            if left.is_const and right.is_const:
                return operators.constant((left.const == right.const) == is_same)
            # Complex numbers have no `==` on GPUs.
            return Value(types.boolean, f"{'' if is_same else '!'}op::equal({left.text}, {right.text})")
        if is_enum or (isinstance(left.type, (types.Number, types.Tuple)) and isinstance(right.type, types.Boolean) and right.is_const):
            return None if isinstance(right.type, types.NoneType) else operators.constant(not is_same)
        return None

    # ---- attributes and calls

    def expr_Attribute(self, node):
        owner = self.expression(node.value)
        if isinstance(owner.type, types.Record):
            return self.field(owner, node.attr, node)
        if isinstance(owner.type, types.NamedTuple) and node.attr in owner.type.fields:
            return self.part(owner, owner.type.fields.index(node.attr))
        made = library.attribute(self, owner, node.attr, node)
        if made is None and isinstance(owner.type, types.Array) and isinstance(owner.type.dtype, types.Record):
            return self.field(owner, node.attr, node)
        if made is None:
            hint = near_attribute(owner.type, node.attr)
            error = self.error(TypingError, node, f"{owner.type} has no attribute '{node.attr}' in a kernel", hint)
            error.is_final = isinstance(owner.type, types.Array) and not hasattr(numpy.ndarray, node.attr)
            raise error
        return made

    def expr_Call(self, node):
        function = self.expression(node.func)
        if any(k.arg is None for k in node.keywords):
            raise self.error(UnsupportedError, node, "arguments cannot be unpacked with ** in a kernel", "write each")
        nodes = [*(a.value if isinstance(a, ast.Starred) else a for a in node.args), *(k.value for k in node.keywords)]
        values = self.each(nodes, self.listed)
        arguments = []
        for a, value in zip(node.args, values, strict=False):
            arguments += self.parts(value, a) if isinstance(a, ast.Starred) else [value]
        named = dict(zip([k.arg for k in node.keywords], values[len(node.args) :], strict=True))
        made = self.called(function, arguments, named, node)
        text = self.marked(node, made.text, columns.marked_call)
        return made if text == made.text else replace(made, text=text)

    def called(self, function, arguments, named, node):
        return library.call(self, function, arguments, named, node)

    def _in_order(self, callee, arguments, named, node):
        """The arguments of a call of a Python function, those by name at their places."""
        if named:
            names = callee.__code__.co_varnames[: callee.__code__.co_argcount]
            defaults = dict(zip(reversed(names), reversed(callee.__defaults__ or ()), strict=False))
            for name in names[len(arguments) :]:
                if name in named:
                    arguments = [*arguments, named.pop(name)]
                elif name in defaults and named:
                    arguments = [*arguments, self.of_object(defaults[name], node)]
            if named:
                raise self.error(TypingError, node, f"{callee.__name__} takes no argument '{next(iter(named))}' here")
        for argument in arguments:
            if getattr(argument.const, "is_looped_over", False):
                raise self.error(TypingError, node, f"{argument.type} cannot be passed to a function", "name it in the function")
            self.tangible(argument, node)
        code = callee.__code__
        least = code.co_argcount - len(callee.__defaults__ or ())
        if not code.co_kwonlyargcount and not least <= len(arguments) <= code.co_argcount and not code.co_flags & _TAKES_STARS:
            takes = least if least == code.co_argcount else f"{least} to {code.co_argcount}"
            raise self.error(TypingError, node, f"{callee.__name__} takes {takes} arguments, not {len(arguments)}")
        return arguments

    def _as_view_of(self, value, arguments, found):
        """The array or record that a function returned, which may be a view of any of those that it was given or found."""
        self.counter += 1
        name = f"returned{self.counter}"
        for argument in arguments:
            if argument.name and isinstance(argument.type, (types.Array, types.Record)):
                self.alias(name, argument.name)
        for one in found:
            self.alias(name, one)
        return replace(value, name=name)

    def call_function(self, callee, arguments, named, node, declared=(), settings=None):
        """A call of another Python function, compiled for these types, or for the nearest of the signatures ``declared``.

        ``settings``: its own; by default those of this function.
        """
        settings = self.settings._replace(locals=()) if settings is None else settings
        arguments = self._in_order(callee, arguments, named, node)
        signature = self.nearest(callee, arguments, declared, node)
        if signature is not None:
            arguments = [self.as_declared(a, t, node) for a, t in zip(arguments, signature.args, strict=True)]
        if library.is_own(callee):
            arguments = [replace(a, maybe="") for a in arguments]
        try:
            made = self.compiled(callee, arguments, [_handed_over(a) for a in arguments], settings, node)
        except KernelError as e:
            if not library.is_own(callee) or self.source.is_own:
                raise
            # Of a function of quern's, which the caller handed something wrong.
            given = ", ".join(str(a.type) for a in arguments)
            raise self.error(TypingError, node, f"{callee.__name__} does not take ({given})", e.said) from None
        texts = []
        for i, argument in enumerate(arguments):
            if not isinstance(made.parameters[i], (types.NoneType, types.Known)):
                texts.append(self.converted(argument, made.parameters[i], node).text)
            if made.parameter_names()[i] in made.written:
                for name in self.memory_of(argument):
                    self.written.update(root for root in self.aliases.get(name, {name}) if root in self.variables or root in self.found)
        for name, type_ in made.found.items():
            if name not in self.found:
                self.found[name], self.changed = type_, True
            texts.append(name)
        self.written |= made.written & made.found.keys()
        result = made.result or types.none
        if self.reports:
            texts.append("now")
        value = Value(result, f"{made.symbol}({', '.join(texts)})")
        if self.reports:
            value = self.done(value) if isinstance(result, types.NoneType) else self.kept(value)
            self.leave_if("now.left")
        if isinstance(result, types.Optional):
            value = self.of_optional(result, self.kept(value).text)
            result = result.type
        if isinstance(result, (types.Array, types.Record)):
            return self._as_view_of(value, arguments, made.found)
        if signature is not None and isinstance(signature.return_type, types.Number) and isinstance(result, types.Number):
            return replace(self.converted(value, signature.return_type, node), maybe=value.maybe)
        return value

    def nearest(self, callee, arguments, declared, node):
        """Of a function's declared signatures the one that arguments convert to best, the first of several; None where it has none."""
        if not declared:
            return None
        found = conversions.nearest([s.args for s in declared], [_handed_over(a) for a in arguments])
        if not found:
            given, listed = (", ".join(str(a.type) for a in arguments), " or ".join(f"({', '.join(map(str, s.args))})" for s in declared))
            raise self.final_error(node, f"{callee.__name__} does not take ({given})", f"it was declared for {listed}")
        return next(s for s in declared if s.args == found[0])

    def as_declared(self, value, to, node):
        """An argument as a signature has it: a number is converted as an assignment in C converts it."""
        if isinstance(to, types.Optional):
            return value if isinstance(value.type, types.NoneType) else replace(self.converted(value, to.type, node), maybe=value.maybe)
        return replace(self.converted(value, to, node), maybe="")

    def compiled(self, callee, arguments, parameters, settings, node):
        """The function for these types; arguments that it must know while it is compiled, as a shape, are passed to it."""
        try:
            return self.program.function(callee, tuple(parameters), settings, self, node)
        except KernelError as e:
            names = list(callee.__code__.co_varnames[: len(parameters)])
            i = names.index(e.wants) if getattr(e, "wants", None) in names and e.wanting is callee else -1
            if i < 0 or isinstance(parameters[i], types.Known):
                raise
            if arguments[i].foreseen is MISSING:
                e.wants, e.wanting = arguments[i].name, self.source.function  # whoever calls this one may know it
                raise
            known = [*parameters[:i], types.Literal(arguments[i].foreseen), *parameters[i + 1 :]]
            return self.compiled(callee, arguments, known, settings, node)

    # ---- loops

    def loops_over(self, node, iterable, loop):
        library.loop(self, node, iterable, loop)

    def number(self, value, node, what="a number"):
        if not isinstance(value.type, types.Number):
            raise self.error(TypingError, node, f"{what} is needed, not {value.type}")
        return self.present(value, node)

    def integer(self, value, node, what="an integer"):
        if not isinstance(value.type, (types.Integer, types.Boolean)):
            if isinstance(value.type, (types.Tuple, types.Complex)):
                raise self.final_error(node, f"{what} is needed, not {value.type}", item_of_tuple(node, value))
            raise self.error(TypingError, node, f"{what} is needed, not {value.type}")
        return cast(self.present(value, node), types.int64)

    def truncated(self, value, node, what="an integer"):
        """An integer; of a real the whole part, which Numba takes for the ends of ranges and slices: range(math.ceil(x))."""
        if isinstance(value.type, types.Float):
            if value.is_const and math.isfinite(value.const):
                return operators.constant(int(value.const))
            return cast(self.present(value, node), types.int64)
        self.integer(value, node, what)
        return replace(value, maybe="")

    def dtype_of(self, value, node):
        """The type that a dtype argument means: ``numba.float32``, ``numpy.float32``, ``"float32"``."""
        obj = value.const if value.is_const else None
        if isinstance(obj, (types.Number, types.Record, types.Time)):
            return obj
        try:
            if obj is None:
                raise TypeError(f"a type is needed, not {value.type}")
            return types.of_dtype(obj)
        except TypeError as e:
            said = f"Invalid NumPy dtype specified: {obj!r}" if isinstance(obj, str) else f"as dtype: {e}"
            raise self.error(TypingError, node, said) from None

    def constant_of(self, value, node, what):
        if value.foreseen is MISSING:
            said = f"{what} must be known when the kernel is compiled"
            error = self.error(RequireLiteralValue, node, said, "write a number or a global name")
            error.wants, error.wanting = value.name, self.source.function
            raise error
        return value.foreseen


def _is_of_device(obj):
    """Is it an array of the device, or memory that the device has? Mapped arrays are NumPy's, too."""
    if isinstance(obj, _core.Array) or getattr(obj, "__cuda_memory__", False) is True:
        return True
    if isinstance(obj, (type, numpy.ndarray)):
        return False
    return hasattr(type(obj), "__cuda_array_interface__") or hasattr(obj, "__cuda_array_interface__")  # on the CPU a property may raise


def _handed_over(value):
    """The type that a parameter has which takes it."""
    return types.Optional(_loose(value.type)) if value.maybe else _loose(value.type)


def _loose(type_):
    return type_.loose if isinstance(type_, types.FixedArray) else type_
