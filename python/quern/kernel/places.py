"""Where a function's names are written and read: which assignments give values that reach no place which another one's may reach, too.

Such a name may be of another type from there on, as in Numba, for which every assignment makes a variable of its own.
"""

from __future__ import annotations

import ast

EVERYWHERE = (2**62, 0)


class Places:
    """A function's names; places are lines and columns."""

    def __init__(self, tree):
        self.tree, self.parents, self.reads, self.inner, self.loops = tree, {}, {}, set(), []
        for node in ast.walk(tree):
            if isinstance(node, ast.For):
                self.loops.append(node)
            for child in ast.iter_child_nodes(node):
                self.parents[id(child)] = node
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
                self.reads.setdefault(node.id, []).append(begin(node))
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.reads.setdefault(node.target.id, []).append(begin(node))
            elif isinstance(node, (ast.FunctionDef, ast.Lambda)) and node is not tree:
                self.inner.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name))

    def ends(self, name, node):
        """Up to which place the name has nothing but the value that it gets at ``node``, or what is assigned behind it. None: it may have
        one from before there."""
        if id(node) not in self.parents or name in self.inner:
            return None
        end = before = None
        while node is not self.tree:
            if isinstance(node, ast.stmt):
                is_plain = isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))
                if not is_plain and not isinstance(node, (ast.If, ast.For, ast.While)):
                    return None
                if not is_plain and end is None:
                    end = end_of(node)
                is_target = isinstance(node, ast.For) and before is node.target
                if is_target and not _sets(node, name):
                    return None
                if isinstance(node, (ast.For, ast.While)) and not is_target and not self._begins_with(name, node):
                    return None
                if (next_one := self._next(name, node, is_plain)) is not None:
                    return end or begin(next_one)
                if not is_plain and self._is_read_behind(name, end_of(node)):
                    return None
            elif not isinstance(node, (ast.Name, ast.Tuple, ast.List)):
                return None
            before, node = node, self.parents[id(node)]
        return end or EVERYWHERE

    def _next(self, name, node, is_plain):
        """The statement behind ``node`` that gives the name its next value, on all ways, before it is read; behind a plain assignment it
        may be read."""
        parent = self.parents[id(node)]
        block = next((b for b in (getattr(parent, "body", ()), getattr(parent, "orelse", ())) if isinstance(b, list) and node in b), [node])
        for statement in block[block.index(node) :]:
            if any(isinstance(n, (ast.Break, ast.Continue)) for n in ast.walk(statement)):
                return None
            if statement is node:
                continue
            if isinstance(statement, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in statement.targets):
                return statement if is_plain or not _names(statement.value, name) else None
            if not is_plain and _names(statement, name) and not (isinstance(statement, ast.For) and _sets(statement, name)):
                return None
        return None

    def _begins_with(self, name, loop):
        """Does each round give the name a value before it looks at it?"""
        for node in [loop.target, loop.iter] if isinstance(loop, ast.For) else [loop.test]:
            if _names(node, name):
                return False
        first = next((s for s in loop.body if _names(s, name)), None)
        if isinstance(first, ast.For):
            return _sets(first, name) and not self._is_read_behind(name, end_of(first))  # what no round of it leaves
        return isinstance(first, (ast.Assign, ast.AnnAssign)) and first.value is not None and not _names(first.value, name)

    def _is_read_behind(self, name, end):
        """Does a place from there on see a value from before? Those in a loop over the name see the loop's."""
        loops = [(begin(f.body[0]), end_of(f.body[-1])) for f in self.loops if begin(f) >= end and _sets(f, name)]
        return any(place >= end and not any(first <= place < last for first, last in loops) for place in self.reads.get(name, ()))


def _sets(loop, name):
    """Is it a loop over the name, each round of which begins with a new value, and which sees none from before?"""
    return _names(loop.target, name) and not any(_names(n, name) for n in [loop.iter, *loop.orelse])


def begin(node):
    return node.lineno, node.col_offset


def end_of(node):
    return node.end_lineno, node.end_col_offset


def _names(tree, name):
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(tree))
