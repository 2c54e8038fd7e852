"""What names mean from place to place: a name may come to mean a value of another type, and a value may be None on some ways."""

from __future__ import annotations

import ast

from quern.kernel import types
from quern.kernel.errors import TypingError
from quern.kernel.places import begin, end_of
from quern.kernel.source import variable_text
from quern.kernel.value import MISSING, NotYet


class Variable:
    """A local name: its type so far, and whether it can be negative."""

    def __init__(self, name, type=None, natural=True):
        self.name, self.type, self.natural = name, type, natural
        self.text = variable_text(name)
        self.const = MISSING  # of names for what has no value: modules, functions
        self.fixed = MISSING  # the constant that a variable is that is assigned once
        self.is_parameter = False
        self.scope = self.origin = None  # of a name that has a number of another type for a while: from where to where; what it means then
        self.ways = ()  # of a name that means one variable or another, by the way that was taken: their types

    @property
    def is_declared(self):
        return not self.is_parameter and self.type not in (None, types.none) and self.const is MISSING


class Again(Exception):  # noqa: N818  (no error)
    """The walk through a function begins anew."""


class Meanings:
    """What Function does with names whose meaning changes."""

    retypes = True  # may a name come to mean a value of another type?

    def number_again(self, variable, type_, node):
        """The variable that a name means which has a number and gets one: another one where its type is another and no place that reads the
        name sees both, as in Numba."""
        variable = self.variables[variable.name] = _meant(variable, begin(node))
        if not self.retypes or variable.name not in self.given or not isinstance(type_, types.Number):
            return variable
        place = variable.name, self.place_of(node)
        if type_ == variable.type and place not in self.numbers_again:  # as the walks before have it
            return variable
        end = self.source.places.ends(variable.name, node) if isinstance(variable.type, types.Number) else None
        if end is None:
            return variable
        self.numbers_again.add(place)
        made, around = self.of_another_type(variable.name, node), variable
        while around is not None and around is not made:
            around = around.origin
        if around is None:  # else it is what the name means around, from a walk before
            made.origin, made.scope = variable, (begin(node), end)
        return made

    def copy(self, parameter):
        """The parameter gets a number of another type, too: the name is to mean a variable that begins with the argument."""
        made = self.starts[parameter.name] = self.copies[parameter.name] = Variable(parameter.name, parameter.type, natural=False)
        made.text = variable_text(f"{parameter.name}_own")
        raise Again

    def begin_again(self):
        """Forgets what walks have found of what names mean."""
        self.variables.update(self.rebound)
        self.rebound.clear()
        self.left_by_rounds.clear()
        self.numbers_again.clear()
        self.exits.clear()
        self.unrolled.clear()
        self.variables = {name: variable for name, variable in self.variables.items() if " " not in name}

    def another(self, name, which):
        """From here on the name means a variable of its own."""
        key = f"{name} {which}"  # no name of Python's
        variable = self.variables.get(key)
        if variable is None:
            variable = self.variables[key] = Variable(name)
            variable.text = variable_text(f"{name}_{which}")
            self.changed = True
            self.left_by_rounds.clear()  # rounds may leave that one now
        variable.scope = variable.origin = None
        self.rebound.setdefault(name, self.variables.get(name))
        self.renamed.append((name, variable))
        self.variables[name] = variable
        return variable

    def of_another_type(self, name, node):
        """From this assignment on, which stands in one place, the name means a value of another type."""
        return self.another(name, self.place_of(node))

    def place_of(self, node):
        return "_".join(map(str, [node.lineno, node.col_offset, *self.unrolled]))

    def meanings(self):
        return {name: variable for name, variable in self.variables.items() if " " not in name}

    def mean_again(self, before):
        """Names mean what they meant there."""
        for name, variable in self.meanings().items():
            self.variables[name] = before[name] if name in before else self.rebound.get(name) or variable

    def either_way(self, name, place, *variables):
        """The name means one of these at the place, by the way that was taken: it is not read before it gets a value again."""
        found = list(dict.fromkeys(_meant(v, place) for v in variables if v is not None))
        if len(found) == 1:
            self.variables[name] = found[0]
            return
        made = Variable(name)
        made.ways = tuple(dict.fromkeys(t for v in found for t in (v.ways or (v.type,))))
        self.variables[name] = made

    def join(self, node, body, orelse):
        """Behind the `if`: what names mean at the end of its parts, None of a part that ends elsewhere."""
        if body is None and orelse is None:
            return
        if body is None or orelse is None:
            for name, variable in (body or orelse).items():
                self.variables[name] = variable
            return
        for name in body.keys() | orelse.keys():
            self.either_way(name, end_of(node), body.get(name), orelse.get(name))

    def check_one_way(self, variable, node):
        if variable.ways:
            said = " or ".join(map(str, variable.ways))
            error = self.error(TypingError, node, f"'{variable.name}' is {said} here, by the way that was taken", "use names of their own")
            raise NotYet(error)  # types may not be settled

    # ---- loops: what a round leaves is what the next one finds

    def loop_begins(self, node):
        before = self.meanings()
        for name, left in self.left_by_rounds.get((node, *self.unrolled), {}).items():
            self.either_way(name, end_of(node), before.get(name), *left)
        return before, len(self.renamed)

    def loop_ends(self, node, begun):
        before, count = begun
        renamed = self.renamed[count:]
        leaves = any(isinstance(n, (ast.Break, ast.Continue)) for n in ast.walk(node))
        known = self.left_by_rounds.setdefault((node, *self.unrolled), {})
        for name in dict.fromkeys(name for name, _ in renamed):
            left = dict.fromkeys([self.variables[name], *(v for n, v in renamed if n == name)])
            left = tuple(v for v in left if v is not None and not v.ways)
            if known.get(name) != left:
                known[name], self.changed = left, True
            self.either_way(name, end_of(node), before.get(name), self.variables[name], *(left if leaves else ()))

    # ---- values that may be None

    def either_type(self, a, b):
        """The type of what is of one type on some ways and of another one on others; None where there is none."""
        inner = [t.type if isinstance(t, types.Optional) else t for t in (a, b) if not isinstance(t, types.NoneType)]
        if not inner:
            return types.none
        to = self.merged(inner[0], inner[-1]) if len(inner) > 1 else inner[0]
        if to is None or isinstance(to, types.Known):
            return to if len(inner) > 1 and to == inner[0] == inner[1] else None
        may_be_none = len(inner) < 2 or isinstance(a, types.Optional) or isinstance(b, types.Optional)
        return types.Optional(to.loose if isinstance(to, types.FixedArray) else to) if may_be_none else to


def _meant(variable, place):
    while variable.scope is not None and not variable.scope[0] <= place < variable.scope[1]:
        variable = variable.origin
    return variable
