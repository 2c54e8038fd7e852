"""Tests that constants decide, found before there are types, as by Numba: branches that are left out have no say in the result's type.

A test decides where it is a constant (written there, a global or a variable of a function around), an operation of two constants, or a
name whose one value here is one of these. Attributes such as `math.pi`, calls and operations as operands are none. Of parameters only
None counts, in operations, and `len()` and `.ndim`. Start at truths().
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from dataclasses import dataclass

import numpy

from quern.kernel import types
from quern.kernel.operators import BINARY, COMPARE
from quern.kernel.source import MISSING as NOTHING
from quern.kernel.source import constant_of_python, is_of_literals
from quern.kernel.value import MISSING

_OPERATIONS = {kind: row[2] for kind, row in {**BINARY, **COMPARE}.items()}
_OPERATIONS |= {ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda a, b: a in b}
_MOST_BITS = 64  # powers and shifts by more are left to the program


def truths(source, parameters):
    """The expressions whose truth constants decide, and that truth. ``parameters``: the type of each, by name.

    As in Numba, a first walk knows names that have one value alone; where a branch is left out only by the second one, names that the
    branch gives values have none that is known behind it.
    """
    return _Walk(source, parameters, _Walk(source, parameters).run()).run()


@dataclass(frozen=True, eq=False)
class _Fact:
    """What a name or an expression is: a constant, what an operation of constants makes (``is_made``), or an argument of a type."""

    value: object = MISSING
    is_made: bool = False
    argument: object = None


class _Walk:
    """The state is what is known of names, by name; None behind what does not go on. ``before``: what the first walk has found."""

    def __init__(self, source, parameters, before=None):
        self.source, self.truths, self.breaks, self.before = source, {}, [], before
        names = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
        stores = Counter(n.id for n in names)
        given = {n.arg for n in ast.walk(source.tree) if isinstance(n, ast.arg)}
        self.locals = source.locals | stores.keys() | given
        self.once = {name for name, count in stores.items() if count == 1} - given  # which have that value wherever they have one
        self.arguments = {n: _Fact(None if isinstance(t, types.NoneType) else MISSING, argument=t) for n, t in parameters.items()}
        self.always = {name: fact for name, fact in self.arguments.items() if name not in stores}

    def run(self):
        tree = self.source.tree
        if isinstance(tree, ast.Lambda):
            self.read(tree.body, self.arguments)
        else:
            self.block(tree.body, self.arguments)
        return self.truths

    # ---- expressions

    def fact(self, node, state):
        if isinstance(node, ast.Constant):
            return _Fact(node.value)
        if isinstance(node, (ast.BinOp, ast.UnaryOp)) and is_of_literals(node):
            made = constant_of_python(node)
            return None if made is None else _Fact(made)
        if isinstance(node, ast.Name):
            if node.id in self.locals:
                return self.always.get(node.id) or (state.get(node.id) if self.before is not None else None)
            found = self.source.lookup(node.id)
            return None if found is NOTHING else _Fact(found)
        if isinstance(node, ast.BinOp):
            return self.made(node.op, self.fact(node.left, state), self.fact(node.right, state))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.made(node.ops[0], self.fact(node.left, state), self.fact(node.comparators[0], state))
        if isinstance(node, ast.IfExp):
            truth = self.truth(node.test, state)
            return None if truth is None else self.fact(node.body if truth else node.orelse, state)
        if isinstance(node, ast.BoolOp):
            return self.of_operands(node, state)
        return self.of_argument(node, state)

    def of_operands(self, node, state):
        """The fact about the value of `and` or `or`: the first operand that decides, or the last one."""
        for part in node.values[:-1]:
            truth = self.truth(part, state)
            if truth is None:
                return None
            if truth is isinstance(node.op, ast.Or):
                return self.fact(part, state)
        return self.fact(node.values[-1], state)

    def of_argument(self, node, state):
        """`a.ndim` of an array and `len(t)` of a tuple."""
        if isinstance(node, ast.Attribute) and node.attr == "ndim":
            of = self.fact(node.value, state)
            return _Fact(of.argument.ndim) if of and isinstance(of.argument, types.Array) else None
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and isinstance(node.func, ast.Name):
            function, of = self.fact(node.func, state), self.fact(node.args[0], state)
            if function and function.value is len and of and isinstance(of.argument, types.Tuple):
                return _Fact(len(of.argument.types))
        return None

    @staticmethod
    def made(op, a, b):
        """What an operation of two constants makes; one of them may be an argument that is None."""
        compute = _OPERATIONS.get(type(op))
        if compute is None or any(x is None or x.is_made or x.value is MISSING for x in (a, b)):
            return None
        a, b = a.value, b.value
        if isinstance(op, ast.operator) and not all(isinstance(x, (bool, int, float, complex, numpy.generic)) for x in (a, b)):
            return None
        if isinstance(op, (ast.Pow, ast.LShift)) and abs(b) > _MOST_BITS:
            return None
        try:
            with numpy.errstate(all="ignore"):
                return _Fact(bool(compute(a, b)), is_made=True)
        except Exception:  # of objects of any class: nothing is known
            return None

    def truth(self, node, state):
        """True, False, or None for what no constant decides."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = node.operand
            if isinstance(inner, ast.Compare) and len(inner.ops) == 1 and type(inner.ops[0]) in (ast.In, ast.NotIn):
                op = ast.NotIn() if isinstance(inner.ops[0], ast.In) else ast.In()  # as Python's compiler writes it
                return self.truth(ast.Compare(inner.left, [op], inner.comparators), state)
            truth = self.truth(inner, state)
            return None if truth is None else not truth
        if isinstance(node, ast.Tuple) and all(isinstance(part, ast.Constant) for part in node.elts):
            return bool(node.elts)
        if isinstance(node, ast.BoolOp):
            return _all_or_any([self.truth(part, state) for part in node.values], isinstance(node.op, ast.Or))
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            facts = [self.fact(part, state) for part in (node.left, *node.comparators)]
            pairs = [self.made(op, a, b) for op, a, b in zip(node.ops, facts[:-1], facts[1:], strict=True)]
            return _all_or_any([None if pair is None else pair.value for pair in pairs], False)
        fact = self.fact(node, state)
        if fact is None or fact.argument is not None:
            return None
        try:
            return bool(fact.value)
        except Exception:  # an array
            return None

    def note(self, test, state):
        truth = self.truth(test, state)
        if truth is not None:
            self.truths[test] = truth
        return truth

    def read(self, node, state):
        """Notes the tests in an expression; returns what is known behind it."""
        state = _without(state, node)
        for part in ast.walk(node):
            if isinstance(part, ast.IfExp):
                self.note(part.test, state)
                self.note(part, state)
            elif isinstance(part, ast.BoolOp):
                for test in (part, *part.values):
                    self.note(test, state)
        return state

    # ---- statements

    def block(self, nodes, state):
        for node in nodes:
            if state is None:
                return None
            state = self.statement(node, state)
        return state

    def statement(self, node, state):
        if isinstance(node, ast.If):
            state = self.read(node.test, state)
            truth = self.note(node.test, state)
            if self.before is not None:
                truth = self.before.get(node.test)
            if truth is not None:
                return self.block(node.body if truth else node.orelse, state)
            return _joined([self.block(node.body, dict(state)), self.block(node.orelse, dict(state))])
        if isinstance(node, (ast.While, ast.For)):
            return self.loop(node, state)
        fact = self.fact(node.value, state) if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None else None
        state = self.read(node, state)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else ():
            if isinstance(target, ast.Name) and fact is not None:
                state[target.id] = fact
                if target.id in self.once:
                    self.always[target.id] = fact
        if isinstance(node, ast.Break):
            self.breaks[-1].append(state)
        return None if isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break)) else state

    def loop(self, node, state):
        inside = _without(state, node)
        truth = None
        if isinstance(node, ast.While):
            if self.truth(node.test, state) is False:  # the first round's
                self.truths[node.test] = False
                return self.block(node.orelse, state)
            self.read(node.test, inside)
            truth = self.note(node.test, inside)
        else:
            self.read(node.iter, state)
        self.breaks.append([])
        self.block(node.body, dict(inside))
        left = self.breaks.pop()
        if truth is not True:
            left.append(self.block(node.orelse, dict(inside)))
        return _joined(left)


def _all_or_any(truths, is_any):
    if is_any in truths:
        return is_any
    return None if None in truths else not is_any


def _without(state, node):
    """What is known but for the names that get a value in the node."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    names |= {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)}
    return {name: fact for name, fact in state.items() if name not in names}


def _joined(states):
    states = [s for s in states if s is not None]
    first = states[0] if states else None
    return first and {name: fact for name, fact in first.items() if all(s.get(name) is fact for s in states[1:])}
