"""`match` as Python means it, written with `if`: what compiles a function sees no other statement.

A subject that is no name gets one; a pattern is a test and the names that it gives values, a case the next branch of a chain.
"""

from __future__ import annotations

import ast

from quern.kernel.errors import UnsupportedError

OWN = "matched_"  # what names of subjects begin with
_ITSELF = ("bool", "int", "float", "complex", "str", "tuple")  # classes whose one pattern within is about the value itself


def without_match(tree, error):
    """The tree of a function without `match`. ``error``: makes an error at a node."""
    if not any(isinstance(node, ast.Match) for node in ast.walk(tree)):
        return tree
    return ast.fix_missing_locations(_Rewriter(error).visit(tree))


class _Rewriter(ast.NodeTransformer):
    def __init__(self, error):
        self.error = error

    def visit_Match(self, node):
        self.generic_visit(node)
        made = []
        given = {name for part in ast.walk(node) for name in (getattr(part, "name", None), getattr(part, "rest", None)) if name}
        subject = self.named(node.subject, node, made, given)
        end = []
        for case in reversed(node.cases):
            end = self.case(case, subject, end)
        return made + end

    def named(self, subject, node, made, given):
        """The subject as an expression that reads the same whenever it is read; what gives it names of its own is added to ``made``.
        ``given``: the names that the cases give values."""
        if isinstance(subject, ast.Constant) or (isinstance(subject, ast.Name) and subject.id not in given):
            return subject
        if isinstance(subject, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in subject.elts):
            return ast.copy_location(ast.Tuple([self.named(e, node, made, given) for e in subject.elts], ast.Load()), subject)
        name = f"{OWN}{subject.lineno}_{subject.col_offset}"
        made.append(ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), subject)], subject), node))
        return ast.copy_location(ast.Name(name, ast.Load()), subject)

    def case(self, case, subject, orelse):
        """The statements of a case, and of those behind it."""
        tests, names = [], []
        self.pattern(case.pattern, subject, tests, names)
        gives = [ast.copy_location(ast.Assign([ast.copy_location(ast.Name(n, ast.Store()), at)], v), at) for n, v, at in names]
        test = tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(ast.And(), tests), case.pattern) if tests else None
        if case.guard is None:
            return [*gives, *case.body] if test is None else [self.branch(test, [*gives, *case.body], orelse, case.pattern)]
        if test is None:
            return [*gives, self.branch(case.guard, case.body, orelse, case.guard)]
        # The guard reads what the names will be: where it says no, the next case is tried.
        guard = _Renamed({name: value for name, value, _ in names}).visit(case.guard)
        both = ast.copy_location(ast.BoolOp(ast.And(), [test, guard]), case.pattern)
        return [self.branch(both, [*gives, *case.body], orelse, case.pattern)]

    @staticmethod
    def branch(test, body, orelse, at):
        return ast.copy_location(ast.If(test, body, orelse), at)

    def pattern(self, pattern, subject, tests, names):
        """Adds to ``tests`` what must be true, and to ``names`` the names that get values."""
        method = getattr(self, "pattern_" + type(pattern).__name__, None)
        if method is None:
            raise self.refused(pattern, f"the pattern `{ast.unparse(pattern)}` is not supported in a kernel")
        method(pattern, subject, tests, names)

    def refused(self, pattern, said, hint="write if and elif"):
        return self.error(UnsupportedError, pattern, said, hint)

    def pattern_MatchValue(self, pattern, subject, tests, names):
        tests.append(_compared(subject, ast.Eq(), pattern.value, pattern))

    def pattern_MatchSingleton(self, pattern, subject, tests, names):
        constant = ast.copy_location(ast.Constant(pattern.value), pattern)
        if pattern.value is None:
            tests.append(_compared(subject, ast.Is(), constant, pattern))
        else:  # True, and no number that equals it
            tests += [_is_a(subject, ast.Name("bool", ast.Load()), pattern), _compared(subject, ast.Eq(), constant, pattern)]

    def pattern_MatchAs(self, pattern, subject, tests, names):
        if pattern.pattern is not None:
            self.pattern(pattern.pattern, subject, tests, names)
        if pattern.name is not None:
            names.append((pattern.name, subject, pattern))

    def pattern_MatchOr(self, pattern, subject, tests, names):
        either = []
        for one in pattern.patterns:
            inner, given = [], []
            self.pattern(one, subject, inner, given)
            if given:
                raise self.refused(one, "names within alternatives are not supported in a kernel", "write a case for each")
            if not inner:
                return
            either.append(inner[0] if len(inner) == 1 else ast.copy_location(ast.BoolOp(ast.And(), inner), one))
        tests.append(ast.copy_location(ast.BoolOp(ast.Or(), either), pattern))

    def pattern_MatchSequence(self, pattern, subject, tests, names):
        stars = [i for i, one in enumerate(pattern.patterns) if isinstance(one, ast.MatchStar)]
        count = len(pattern.patterns) - len(stars)
        if isinstance(subject, ast.Tuple):
            if count > len(subject.elts) or (not stars and count < len(subject.elts)):
                tests.append(ast.copy_location(ast.Constant(False), pattern))
                return
        else:
            length = ast.Call(ast.Name("len", ast.Load()), [subject], [])
            tests.append(_is_a(subject, ast.Name("tuple", ast.Load()), pattern))
            tests.append(_compared(length, ast.GtE() if stars else ast.Eq(), ast.Constant(count), pattern))
        for i, one in enumerate(pattern.patterns):
            behind = i - len(pattern.patterns)
            if isinstance(one, ast.MatchStar):
                if one.name is not None:
                    upper = None if behind == -1 else _number(behind + 1)
                    names.append((one.name, _part(subject, ast.Slice(ast.Constant(i), upper), one), one))
            else:
                place = behind if stars and stars[0] < i else i
                part = subject.elts[place] if isinstance(subject, ast.Tuple) else _part(subject, _number(place), one)
                self.pattern(one, part, tests, names)

    def pattern_MatchClass(self, pattern, subject, tests, names):
        name = getattr(pattern.cls, "id", None)
        if pattern.patterns and (name not in _ITSELF or len(pattern.patterns) > 1):
            raise self.refused(pattern, f"`{ast.unparse(pattern)}` does not say which attributes it is about", "write them as name=pattern")
        tests.append(_is_a(subject, pattern.cls, pattern))
        for one in pattern.patterns:
            self.pattern(one, subject, tests, names)
        for attribute, one in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            self.pattern(one, ast.copy_location(ast.Attribute(subject, attribute, ast.Load()), one), tests, names)


class _Renamed(ast.NodeTransformer):
    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        return self.names.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _compared(subject, operator, value, at):
    return ast.copy_location(ast.Compare(subject, [operator], [value]), at)


def _is_a(subject, cls, at):
    return ast.copy_location(ast.Call(ast.Name("isinstance", ast.Load()), [subject, cls], []), at)


def _number(i):
    return ast.Constant(i) if i >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-i))


def _part(subject, place, at):
    return ast.copy_location(ast.Subscript(subject, place, ast.Load()), at)
