"""Names of a function that are read where not every path has set them. Kernels begin with zeros there; Python would raise."""

from __future__ import annotations

import ast


def unset_reads(tree):
    """(name, node) of the first read of each such name, for the tree of a function or a lambda."""
    arguments = {a.arg for a in ast.walk(tree.args) if isinstance(a, ast.arg)}
    body = tree.body if isinstance(tree.body, list) else [ast.Expr(tree.body)]
    stored = {n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    walk = _Walk(stored - arguments)
    walk.block(body, set())
    return sorted(walk.found.items(), key=lambda pair: (pair[1].lineno, pair[1].col_offset))


class _Walk:
    """The state is the set of names that are set for sure; None behind what does not go on."""

    def __init__(self, names):
        self.names, self.found, self.breaks = names, {}, []

    def block(self, nodes, state):
        for node in nodes:
            if state is None:
                return None
            state = self.statement(node, state)
        return state

    def statement(self, node, state):
        if isinstance(node, ast.If):
            self.read(node.test, state)
            return _joined([self.block(node.body, set(state)), self.block(node.orelse, set(state))])
        if isinstance(node, (ast.While, ast.For)):
            return self.loop(node, state)
        if isinstance(node, ast.AugAssign):
            self.read(node.value, state)
            self.read(node.target, state, even_if_stored=True)
            return state | _stored(node.target)
        self.read(node, state)
        if isinstance(node, (ast.Return, ast.Raise, ast.Continue)):
            return None
        if isinstance(node, ast.Break):
            self.breaks[-1].append(state)
            return None
        return state | _stored(node)

    def loop(self, node, state):
        is_endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        self.read(node.test if isinstance(node, ast.While) else node.iter, state)
        inside = state | (_stored(node.target) if isinstance(node, ast.For) else set())
        self.breaks.append([])
        self.block(node.body, set(inside))
        left = self.breaks.pop()
        if not is_endless:
            left.append(self.block(node.orelse, set(state)))
        return _joined(left)

    def read(self, node, state, even_if_stored=False):
        """Checks all names that an expression, or a statement without others inside, reads."""
        inner = set()  # of comprehensions
        for part in ast.walk(node):
            if isinstance(part, ast.comprehension):
                inner |= _stored(part.target)
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and (even_if_stored or isinstance(part.ctx, ast.Load)) and part.id in self.names - inner - state:
                self.found.setdefault(part.id, part)


def _stored(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _joined(states):
    states = [s for s in states if s is not None]
    return set.intersection(*states) if states else None
