"""Tests, `and`, `or` and conditional expressions: which of several expressions are compiled, and the code that chooses between them."""

from __future__ import annotations

import ast
from dataclasses import replace

from quern.kernel import operators, types
from quern.kernel.dead_branches import truths
from quern.kernel.errors import TypingError
from quern.kernel.value import MISSING, NotYet, Value

_COMPOUND = (ast.BoolOp, ast.IfExp, ast.NamedExpr)  # tests whose parts may do something, whatever they decide


def _is_about_none(node):
    if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Name):
        return False
    return any(isinstance(n, ast.Constant) and n.value is None for n in node.comparators)


class Choices:
    """What Function does with them."""

    def condition(self, node):
        """The truth of a test: a constant only where a branch is left out."""
        if node in self.truths and not any(isinstance(part, _COMPOUND) for part in ast.walk(node)):
            return operators.constant(self.truths[node])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            test = self.condition(node.operand)
            return operators.constant(not test.const) if test.is_const else Value(types.boolean, f"!{test.text}")
        if isinstance(node, ast.BoolOp):
            return self.joined_test(node)
        made = operators.truth(self.done(self.expression(node)), self.failing(node))
        truth = self.truth_of(node, made)
        return replace(made, const=MISSING) if truth is MISSING else operators.constant(truth)

    def joined_test(self, node):
        """The truth of `and` or `or` as a test."""
        tests = []

        def tested(part):
            tests.append(self.condition(part))
            return tests[-1]

        made = self.joined_by(node, tested)
        decides = any(test.is_const and test.const is isinstance(node.op, ast.Or) for test in tests)
        truth = isinstance(node.op, ast.Or) if decides else self.truth_of(node, made)
        if truth is MISSING:
            return made
        if not made.is_const:
            self.emit(f"static_cast<void>({made.text});")  # of `f(x) or True`, what f does
        return operators.constant(truth)

    def find_truths(self, parameters):
        """Before the first walk: the tests by which branches are left out. ``parameters``: the type of each, by name."""
        self.truths = truths(self.source, parameters)

    def truth_of(self, node, value):
        """The truth of a test that leaves a branch out, or MISSING. As for Numba, types decide where a function asks for them.

        ``x is None`` decides where x is None in this walk, by which it may be None at times.
        """
        if node in self.truths or not (value.is_const and isinstance(value.type, types.Number)):
            return self.truths.get(node, MISSING)
        return bool(value.const) if self.unrolled or self.source.asks_types or _is_about_none(node) else MISSING

    def expr_BoolOp(self, node):
        return self.joined_by(node, self.tested)

    def joined_by(self, node, tested):
        """The value of `and` or `or`, whose result is the last operand that was evaluated. ``tested``: makes the value of one."""
        symbol = "&&" if isinstance(node.op, ast.And) else "||"
        values, before = [], []
        for part in node.values:  # what is known now may decide: `b is not None and b > 3`
            truth = self.truths.get(part)
            if truth is isinstance(node.op, ast.And) and not isinstance(part, _COMPOUND) and part is not node.values[-1]:
                continue
            meant = self.variables
            self.variables = dict(meant)
            value, lines = self.apart(lambda: tested(part))  # noqa: B023  (called now)
            if values:  # the part before may have decided
                self.join_decided(part, meant, lines, before)
            truth = self.truth_of(part, value)
            decides = truth is isinstance(node.op, ast.Or)
            if not decides and truth is not MISSING and not lines and part is not node.values[-1]:
                continue
            values.append(value)
            before.append(lines)
            if decides:
                break
        if any(before[1:]):
            return self.one_by_one(symbol, values, before, node)
        self.lines += before[0]
        if len(values) == 1:
            return values[0]
        if all(isinstance(v.type, types.Boolean) for v in values):
            return Value(types.boolean, "(" + f" {symbol} ".join(v.text for v in values) + ")")
        # The value of the last one that was evaluated.
        result = values[-1]
        for value in reversed(values[:-1]):
            to = self.merged(value.type, result.type)
            if to is None:
                raise self.error(TypingError, node, f"Cannot unify {value.type} and {result.type}")
            value, test = self.kept(value), None
            test = operators.truth(value, self.failing(node)).text
            yes, no = (result, value) if symbol == "&&" else (value, result)
            result = Value(to, f"({test} ? {self.converted(yes, to, node).text} : {self.converted(no, to, node).text})")
        return result

    def join_decided(self, part, meant, lines, before):
        """Behind an operand of `and` or `or`: names mean what it leaves, or, where an operand before has decided, what they meant."""
        key = ("join", *self.key(part))
        lines += self.apart(lambda: self.edge(key))[1]
        self.variables = meant
        _, otherwise = self.apart(lambda: self.edge(key))
        for earlier in before:
            earlier += otherwise
        self.arrive(key)

    def tested(self, node):
        """An operand of `and` and `or` where their value is needed."""
        return self.expression(node)

    def one_by_one(self, symbol, values, before, node):
        """``a and b`` where b needs statements of its own, which run only if a is true."""
        to = values[0].type
        for value in values[1:]:
            unified = self.merged(to, value.type)
            if unified is None:
                raise self.error(TypingError, node, f"Cannot unify {to} and {value.type}")
            to = unified
        name = self.temporary()
        self.head.append(f"{to.c} {name}{{}};")
        for i, (value, lines) in enumerate(zip(values, before, strict=True)):
            if i:
                test = operators.truth(Value(to, name), self.failing(node)).text
                self.emit(f"if ({test}) {{" if symbol == "&&" else f"if (!{test}) {{")
            self.lines += lines
            if value.maybe and isinstance(to, types.Boolean):
                value = operators.truth(value, self.failing(node))
            self.emit(f"{name} = {self.converted(value, to, node).text};")
            if i:
                self.emit("}")
        return Value(to, name)

    def expr_IfExp(self, node):
        test = self.condition(node.test)
        if test.is_const:
            return self.expression(node.body if test.const else node.orelse)
        late = []

        def part(of):
            try:
                return self.expression(of)
            except NotYet as e:  # a call of itself, which returns what the other part is
                late.append(e)
                return None

        made = self.joined(node, lambda: part(node.body), lambda: part(node.orelse))
        parts = [value for value, _ in made if value is not None]
        if not parts:
            raise late[0]
        if len(parts) == 1:
            self.postponed = self.postponed or late[0]
            return parts[0]
        return self.chosen(test, parts, [lines for _, lines in made], node)

    def chosen(self, test, parts, before, node):
        """One of two values. What stands before each runs only where it is asked for."""
        yes, no = parts
        to = self.choice_type(yes, no, node)
        if isinstance(to, types.NoneType) and not (yes.text or no.text):
            return Value(types.none, "", None)
        if isinstance(to, (types.NoneType, types.Known)):
            raise self.error(TypingError, node, f"a value of type {to} is not supported in a kernel", "write if and else")
        text = f"({test.text} ? {self.as_choice(yes, to, node).text} : {self.as_choice(no, to, node).text})"
        if any(before):  # what they need runs for the one that is asked for
            text = self.temporary()
            self.head.append(f"{to.c} {text}{{}};")
            self.emit(f"if ({test.text}) {{")
            for value, lines in zip(parts, before, strict=True):
                self.lines += lines
                self.emit(f"{text} = {self.as_choice(value, to, node).text};")
                self.emit("} else {" if value is yes else "}")
        if isinstance(to, types.Optional):
            return self.of_optional(to, self.kept(Value(to, text)).text)
        return Value(to, text, natural=yes.natural and no.natural)

    def choice_type(self, yes, no, node):
        """The type of what is one of two values."""
        to = self.either_type(yes.own_type, no.own_type)
        if to is None:
            raise self.error(TypingError, node, f"Cannot unify {yes.type} and {no.type}")
        return to

    def as_choice(self, value, to, node):
        return self.converted(value, to, node)
