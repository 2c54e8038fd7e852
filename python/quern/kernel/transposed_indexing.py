"""Turning: which threads of a block stand side by side, where the kernel leaves that open.

Hardware puts threads that differ in x into one warp, and the CPU's compiler makes x the innermost loop. Kernels in NumPy's order,
`i, j = cuda.grid(2)` and `a[i, j]`, walk along an array's last axis with y: neighbours in a warp are a row apart. Such a kernel is
turned: its text has x and y of threadIdx and blockDim in each other's place (codegen/prelude/quern/turned.cuh), and so has the block of a
launch. Each thread does what it did; only its neighbours are others, which a kernel cannot see that calls nothing of warps.

Start at is_better_turned(). Each local variable has a form: how it changes with the thread's x and y.
"""

from __future__ import annotations

import ast
import builtins

from quern.kernel import intrinsics, types
from quern.kernel.source import MISSING

STILL, STEP, LEAP = 0, 1, 2  # with the next thread a number stays, goes on by one, or goes somewhere
NOWHERE = (STILL, STILL)
MOST_WALKS = 12
STRIDED = 8  # what a warp's access costs whose elements are apart, where one side by side costs 1
GAIN = 0.75  # turned, the accesses must cost less than this of what they did

_STEPS_ALONG = (min, max, int, abs, round)  # of one step make one, or none
_NAMES = frozenset(
    "laneid warpsize syncwarp all_sync any_sync eq_sync ballot_sync shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync match_any_sync "
    "match_all_sync activemask lanemask_lt nanosleep".split()
)


def is_better_turned(program):
    """Does a Program's kernel reach memory better with y's neighbours in a warp, and is that all that would change?"""
    if program.debug or program.linked or program.declared or program.headers:
        return False
    if "threadIdx.y" not in program.text:
        return False
    if any(_sees_neighbours(f.source) for f in program.functions.values()):
        return False
    walk = _Walk(program.kernel)
    along_x, along_y = walk.costs()
    return walk.is_beside and along_y < GAIN * along_x


def _sees_neighbours(source):
    code = source.function.__code__
    for name in code.co_names + code.co_freevars:  # of attributes, too
        meant = source.lookup(name)
        if name in _NAMES or meant is builtins.print or (isinstance(meant, intrinsics.Intrinsic) and meant.__name__ in _NAMES):
            return True
    return False


def _meaning(source, node):
    """What a name, or an attribute of one, means outside of the function; None where it means nothing."""
    if isinstance(node, ast.Name):
        meant = source.lookup(node.id)
        return meant if meant is not MISSING else None
    if isinstance(node, ast.Attribute):
        owner = _meaning(source, node.value)
        if owner is None or isinstance(owner, intrinsics.Index):
            return None
        return getattr(owner, node.attr, None)
    return None


def _is_called(meant, name):
    """Is it the intrinsic of that name? Numba's and CuPy's are objects of their own."""
    return isinstance(meant, intrinsics.Intrinsic) and meant.__name__ == name


def _joined(a, b):
    return tuple(x if x == y or y == STILL else y if x == STILL else LEAP for x, y in zip(a, b, strict=True))


def _most(forms):
    return tuple(max(parts) for parts in zip(NOWHERE, *forms, strict=True))


def _leap(form):
    return tuple(LEAP if part else STILL for part in form)


class _Walk:
    def __init__(self, function):
        self.source = function.source
        self.locals = {a.arg: NOWHERE for a in function.source.tree.args.posonlyargs + function.source.tree.args.args}
        self.arrays = {name: t for name, t in function.named_types().items() if isinstance(t, types.Array)}
        self.changes, self.accesses = [], []  # statements that give names values; (a[i, j], weight)
        self.changed = False
        self.x = self.y = 0.0
        self.is_beside = False  # does any access go from element to element with y?

    def costs(self):
        """What all accesses cost with x's neighbours in a warp, and with y's; those in loops count for more."""
        if isinstance(self.source.tree, ast.FunctionDef):
            for node in self.source.tree.body:
                self.collect(node, 1.0)
        for _ in range(MOST_WALKS):
            self.changed = False
            for node in self.changes:
                self.change(node)
            if not self.changed:
                break
        else:
            return 0.0, 0.0
        for node, weight in self.accesses:
            self.count(node, weight)
        return self.x, self.y

    # ---- statements

    def collect(self, node, weight):
        kind = type(node)
        if kind in (ast.For, ast.While):
            weight *= 4
        if kind in (ast.For, ast.Assign, ast.AnnAssign, ast.AugAssign):
            self.changes.append(node)
        elif kind is ast.Subscript:
            self.accesses.append((node, weight))
        for name in kind._fields:
            child = getattr(node, name, None)
            if isinstance(child, list):
                for one in child:
                    self.collect(one, weight)
            elif isinstance(child, ast.AST):
                self.collect(child, weight)

    def change(self, node):
        if isinstance(node, ast.For):
            self.store(node.target, self.of_loop(node.iter))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.assign(target, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.store(node.target, self.form(ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, node.value)

    def of_loop(self, node):
        if isinstance(node, ast.Call):
            return _most([self.form(a) for a in node.args[:2]]) if len(node.args) > 1 else NOWHERE
        return NOWHERE

    def assign(self, target, value):
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts):
            for one, its in zip(target.elts, value.elts, strict=True):
                self.assign(one, its)
        elif isinstance(target, (ast.Tuple, ast.List)) and self.is_grid(value):
            for one, form in zip(target.elts, ((STEP, STILL), (STILL, STEP), NOWHERE), strict=False):
                self.store(one, form)
        else:
            self.store(target, self.form(value))

    def store(self, target, form):
        if isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self.store(one, form)
        elif isinstance(target, ast.Name):
            made = _joined(self.locals.get(target.id, NOWHERE), form)
            if self.locals.get(target.id) != made:
                self.locals[target.id], self.changed = made, True

    # ---- forms of expressions

    def is_grid(self, node):
        return isinstance(node, ast.Call) and _is_called(_meaning(self.source, node.func), "grid")

    def form(self, node):
        if isinstance(node, ast.Constant):
            return NOWHERE
        if isinstance(node, ast.Name):
            return self.locals.get(node.id, NOWHERE)
        if isinstance(node, ast.Attribute):
            if _is_called(_meaning(self.source, node.value), "threadIdx"):
                return {"x": (STEP, STILL), "y": (STILL, STEP)}.get(node.attr, NOWHERE)
            return self.form(node.value)
        if isinstance(node, ast.UnaryOp):
            return self.form(node.operand)
        if isinstance(node, ast.IfExp):
            return _joined(self.form(node.body), self.form(node.orelse))
        if isinstance(node, ast.BinOp):
            left, right = self.form(node.left), self.form(node.right)
            if isinstance(node.op, (ast.Add, ast.Sub)):
                return tuple(LEAP if x and y else max(x, y) for x, y in zip(left, right, strict=True))
            if isinstance(node.op, ast.Mod) and right == NOWHERE:
                return left
            return _leap(_most([left, right]))
        if isinstance(node, ast.Call):
            if self.is_grid(node):
                return (STEP, STILL)  # of one dimension
            if _meaning(self.source, node.func) in _STEPS_ALONG or self.is_number_type(node.func):
                return _most([self.form(a) for a in node.args])
        if isinstance(node, ast.Subscript) and self.is_grid(node.value) and isinstance(node.slice, ast.Constant):
            return {0: (STEP, STILL), 1: (STILL, STEP)}.get(node.slice.value, NOWHERE)
        return _leap(_most([self.form(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]))

    def is_number_type(self, node):
        return isinstance(_meaning(self.source, node), types.Number)

    # ---- accesses

    def count(self, node, weight):
        """An element of an array, as a[i, j] names it. The kernel's own memory counts for less, and a thread's own for nothing."""
        array = self.arrays.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if array is None:
            return
        index = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(index) != array.ndim or any(isinstance(i, (ast.Slice, ast.Starred)) for i in index):
            return
        forms = [self.form(i) for i in index]
        if array.layout == "F":
            forms.reverse()
        if isinstance(array, types.FixedArray):
            weight /= 4
        self.x += weight * self.cost([f[0] for f in forms])
        self.y += weight * self.cost([f[1] for f in forms])
        self.is_beside |= forms[-1][1] == STEP and not any(f[1] for f in forms[:-1])

    @staticmethod
    def cost(parts):
        *others, last = parts
        return STRIDED if any(others) or last == LEAP else 1
