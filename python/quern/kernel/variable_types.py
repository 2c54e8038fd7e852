"""What names mean from place to place. A name may hold values of several types; each type has a C++ variable of its own.

As in Numba, for which each assignment makes a variable (SSA form): an assignment makes the name mean the variable of its value's type.
Where ways join, behind an `if`, at the head of a loop, behind a loop, the name means the variable of the type that all ways' types unify
to, and each way ends with the conversion to it. Where types do not unify the name cannot be read before it gets a value again.

A walk knows the types at a join when it has seen all ways to it; conversions at their ends are those that the walk before has found, and
the function is walked until these are right.
"""

from __future__ import annotations

from quern.kernel import types
from quern.kernel.errors import TypingError
from quern.kernel.source import variable_text
from quern.kernel.value import MISSING, NotYet, Value

FRESH_WALKS = 12  # types at joins begin anew in each of these walks; from then on they only grow, so that they converge


class Variable:
    """What a local name means for values of one type; and whether these can be negative."""

    def __init__(self, name, type=None, natural=True):
        self.name, self.type, self.natural = name, type, natural
        self.text = variable_text(name)
        self.const = MISSING  # of names for what has no value: modules, functions
        self.fixed = MISSING  # the constant that a variable is that is assigned once
        self.is_parameter = False

    @property
    def is_declared(self):
        return not self.is_parameter and self.const is MISSING and not isinstance(self.type, (types.NoneType, Ways))


class Ways(types.Type):
    """Of a name that holds values of types that do not unify, by the way that was taken."""

    def __init__(self, *parts):
        self.parts = tuple(dict.fromkeys(t for part in parts for t in getattr(part, "parts", (part,))))
        self.name = " or ".join(map(str, self.parts))

    def __eq__(self, other):
        return isinstance(other, Ways) and set(other.parts) == set(self.parts)

    def __hash__(self):
        return hash(frozenset(self.parts))


class Loop:
    """A loop around a statement: the texts that leave it and go on with it, the join behind it, and the one that `continue` goes to."""

    def __init__(self, key, flag):
        self.flag = flag  # the name of a variable: was it left by `break`?
        self.after, self.again = ("after", *key), ("again", *key)
        self.leave, self.go_on = f"{{ {flag} = true; break; }}" if flag else "break;", "continue;"
        self.targets = {}  # what names mean at its head
        self.ended = None  # what they mean where it ends by itself; None: it does not


class Meanings:
    """What Function does with names. ``variables``: what each means at the place that is compiled."""

    retypes = True  # may a name come to mean a value of another type? Else it has one variable, of the type that all its values unify to

    def begin_walk(self):
        self.walks += 1
        self.joins_before = self.joins
        self.joins = {key: dict(join) for key, join in self.joins.items()} if self.walks > FRESH_WALKS else {}
        self.edges, self.heads = [], []
        self.used = {}
        self.variables = {}

    def is_settled(self):
        """Were the conversions at the ends of ways those to the types that this walk has found at the joins?"""
        ways = all(to == self.joins[key][name] for key, name, to in self.edges)
        return ways and all(targets == self.at_head(before, self.joins.get(key, {})) for key, before, targets in self.heads)

    def slot(self, name, type_):
        """The variable of that name for values of that type."""
        if not self.retypes and name in self.only:
            variable = self.only[name]
        else:
            variable = self.slots.get((name, type_))
        if variable is None:
            variable = self.slots[name, type_] = Variable(name, type_)
            variable.const = type_.obj if isinstance(type_, types.Known) else MISSING
            if any(n == name and t != type_ and v.is_declared | v.is_parameter for (n, t), v in self.slots.items()):
                variable.text = f"u{len(self.slots)}_{variable_text(name)}"  # no other text begins so
            if not self.retypes:
                self.only[name] = variable
            self.changed = True
        self.used[name, type_] = variable
        return variable

    def mean(self, name, type_):
        """From here on the name means its variable for values of that type."""
        variable = self.variables[name] = self.slot(name, type_)
        return variable

    def named_types(self):
        """The types of all its names; of one that holds several types, of the first."""
        found = {}
        for variable in [*self.arguments.values(), *self.used.values()]:
            found.setdefault(variable.name, variable.type)
        return found

    def key(self, node):
        """Of a join: tuples are looped over with a body for each element."""
        return (node, *self.unrolled)

    def check_one_way(self, variable, node):
        if isinstance(variable.type, Ways):
            said = f"'{variable.name}' is {variable.type} here, by the way that was taken"
            raise NotYet(self.error(TypingError, node, said, "use names of their own"))  # types may not have converged

    # ---- joins

    def either_meaning(self, a, b):
        """The type of a name that has values of these types by the way that was taken; None: of no value yet."""
        if a is None or b is None or a == b:
            return b if a is None else a
        if isinstance(a, Ways) or isinstance(b, Ways):
            return Ways(a, b)
        return self.either_type(a, b) or Ways(a, b)

    def edge(self, key, targets=None):
        """The way that is compiled goes to that join: its names get what they mean there."""
        join = self.joins.setdefault(key, {})
        targets = self.joins_before.get(key, {}) if targets is None else targets
        for name, variable in self.variables.items():
            join[name] = self.either_meaning(join.get(name), variable.type)
            if key[0] != "again":  # whose types are checked at the head
                self.edges.append((key, name, targets.get(name, variable.type)))
            self.convert(variable, targets.get(name))

    def arrive(self, key):
        """Behind the join of all ways that go there; is there one?"""
        if key not in self.joins:
            return False
        self.variables = {name: self.slot(name, type_) for name, type_ in self.joins[key].items()}
        return True

    def convert(self, variable, to):
        """What a name holds becomes what it means at a join, of type ``to``."""
        if to is None or isinstance(to, Ways) or isinstance(variable.type, Ways):
            return
        target = self.slot(variable.name, to)
        if target is variable or isinstance(to, (types.NoneType, types.Known)):
            return
        if variable.type != to and self.either_meaning(variable.type, to) != to:
            return  # a walk before took it for another type: the next one knows
        if target.natural and not (variable.natural or isinstance(variable.type, types.NoneType)):
            target.natural, self.changed = False, True
        value = Value(variable.type, variable.text, name=variable.name)
        if isinstance(variable.type, types.Optional):
            value = self.of_optional(variable.type, variable.text)
        self.emit(f"{target.text} = {self.converted(value, to, self.at).text};")

    def joined(self, node, *ways):
        """Compiles ways that go apart and join again: the value and the lines of each function of ``ways``; None for its value: its end is
        not reached. Returns these pairs."""
        key, before, made = ("join", *self.key(node)), self.variables, []
        for way in ways:
            self.variables = dict(before)
            made.append(self.apart(lambda: self._way(way, key)))  # noqa: B023  (called now)
        self.variables = before
        self.arrive(key)
        return made

    def _way(self, way, key):
        value = way()
        if value is not None:
            self.edge(key)
        return value

    # ---- loops: what a round leaves is what the next one finds

    def enter_loop(self, loop):
        """Before the text of a loop that C++ has as one."""
        before = {name: v.type for name, v in self.variables.items()}
        loop.targets = self.at_head(before, self.joins_before.get(loop.again, {}))
        self.heads.append((loop.again, before, loop.targets))
        for variable in self.variables.values():
            self.convert(variable, loop.targets[variable.name])
        self.variables = {name: self.slot(name, type_) for name, type_ in loop.targets.items()}
        loop.ended = dict(self.variables)

    def at_head(self, before, left):
        return {name: self.either_meaning(before.get(name), left.get(name)) for name in {**before, **left}}

    def next_round(self, loop):
        """`continue`, or the end of a loop's body."""
        self.edge(loop.again, loop.targets)

    # ---- values that may be None

    def either_type(self, a, b):
        """The type of what is of one type on some ways and of another one on others; None where there is none."""
        return types.either(a, b, self.merged)
