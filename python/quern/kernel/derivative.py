"""The derivative of a function of numbers, as another function of numbers: from its source, in forward mode.

Beside each variable x stand x_by0, x_by1 ...: its slopes along the directions that are asked for. Every statement is written with what it
does to them; comparisons, whole numbers and conditions stay as they are. What is called is a row of slopes.py, or a function written in
Python, which is derived likewise. The results are functions again, so that they have derivatives.

Start at gradient_of(), then _Writer.body().
"""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import types as python_types
from dataclasses import dataclass, field

import numpy

from quern.kernel import intrinsics, nodes, slopes, types
from quern.kernel.errors import UnsupportedError
from quern.kernel.source import MISSING, Source, assigned_once, source_of

_numbers = itertools.count()


def gradient_of(function, parameters, results, wanted):
    """The function of the same arguments and a gradient for each result, in that order, that gives the gradients of the wanted arguments.

    ``parameters``, ``results``: their types; ``wanted``: numbers of arguments. It gives one number, or a tuple where several are wanted.
    A complex result counts by its real and imaginary part, so the gradient is that of PyTorch. Raises UnsupportedError, with the place,
    for what has no derivative.
    """
    source = source_of(function)
    directions = []  # (argument, is it along the imaginary axis)
    for i in wanted:
        directions += [(i, False), (i, True)] if isinstance(parameters[i], types.Complex) else [(i, False)]
    family = _Family(len(directions), any(isinstance(t, types.Complex) for t in (*parameters, *results)))
    masks = tuple(frozenset(d for d, (i, _) in enumerate(directions) if i == k) for k in range(len(parameters)))
    inner = family.derived(function, masks, source.tree, source)

    # def gradient(a, b, g0): s = inner(a, b, seeds...); return (product(g0, s[1]), ...)
    scope = {"inner": inner, "product": slopes.real_product, "zero": slopes.zero_like, "i": 1j}
    names = [f"x{k}" for k in range(len(parameters))]
    given = [f"g{k}" for k in range(len(results))]
    seeds = []
    for k, mask in enumerate(masks):
        for d in sorted(mask):
            scope[f"type{k}"] = parameters[k]
            seeds.append(f"type{k}({'i' if directions[d][1] else 1})")
    lines = [f"s = inner({', '.join([*names, *seeds])})"]
    slope = [f"s[{d + 1}]" + (f"[{{{0}}}]" if len(results) > 1 else "") for d in range(len(directions))]
    made = []
    for i in wanted:
        parts = []
        for d, (k, _) in enumerate(directions):
            if k != i:
                continue
            terms = [f"product({g}, {slope[d].format(r)})" for r, g in enumerate(given)]
            parts.append(" + ".join(terms))
        if len(parts) == 2:
            scope["join"] = complex
            made.append(f"join({parts[0]}, {parts[1]})")
        else:
            made.append(parts[0])
    lines.append(f"return {made[0] if len(made) == 1 else '(' + ', '.join(made) + ')'}")
    text = f"def gradient({', '.join([*names, *given])}):\n" + "".join(f"    {line}\n" for line in lines)
    tree = ast.parse(text).body[0]
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            ast.copy_location(node, source.tree)
    return _function(tree, source, f"{source.name}_gradient", scope)


class _Derived(Source):
    """The source of a function that was written here: its lines are another's."""

    def __init__(self, base, tree, name, scope):
        vars(self).update(vars(base))
        self.tree, self.name, self.scope, self.base = tree, name, scope, base
        self.symbol = base.symbol + name.removeprefix(base.name)
        self.assigned_once = assigned_once(tree)
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.locals = frozenset(stored | {a.arg for a in tree.args.args})

    def lookup(self, name):
        found = self.scope.get(name, MISSING)
        if isinstance(found, _Later):
            return found.function
        return self.base.lookup(name) if found is MISSING else found


class _Later:
    """A function that is being written: it may call itself."""

    function = None


def _function(tree, base, name, scope):
    tree = ast.fix_missing_locations(ast.FunctionDef(name, tree.args, tree.body, [], None, type_params=[], lineno=tree.lineno,
                                                     col_offset=tree.col_offset))  # fmt: skip
    # Never run as Python: the code says which arguments there are.
    names = ", ".join(a.arg for a in tree.args.args)
    code = compile(f"def f({names}): pass", base.file, "exec").co_consts[0]
    made = python_types.FunctionType(code, base.globals, name)
    made.__module__ = "__derived__"
    made.__quern_source__ = _Derived(base, tree, name, scope)
    made.__quern_source__.function = made
    return made


class _Family:
    """Functions that are derived together: along how many directions, and whether there are complex numbers."""

    def __init__(self, count, is_complex):
        self.count, self.is_complex, self.made = count, is_complex, {}

    def derived(self, function, masks, node, caller):
        """The function that also takes the slopes of its arguments, of each along its directions, and gives (value, slope, ...)."""
        key = function, masks
        if key in self.made:
            return self.made[key]
        later = self.made[key] = _Later()
        source = source_of(function)
        writer = _Writer(self, source, masks)
        tree = writer.function()
        later.function = _function(tree, source, f"{source.name}_by{next(_numbers)}", writer.scope)
        return later


@dataclass
class _Slopes:
    """An expression that costs nothing to repeat, and its slopes: by direction, where there is one."""

    node: ast.expr
    by: dict = field(default_factory=dict)


_NO_DERIVATIVE = "has no derivative here"
_HINT = "write it with functions of math and NumPy, or give the array detached"


class _Writer:
    """Writes one function. ``masks``: along which directions each argument changes."""

    def __init__(self, family, source, masks):
        self.family, self.source, self.masks = family, source, masks
        self.scope = {}
        tree = source.tree
        self.parameters = [a.arg for a in tree.args.posonlyargs + tree.args.args]
        self.taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | set(self.parameters)
        self.names = {}
        self.changes = {}  # name of a variable -> directions along which it may change
        self.lines = []
        self.counter = 0

    def error(self, node, message, hint=_HINT):
        return self.source.error(UnsupportedError, node, message, hint)

    # ---- the whole

    def function(self):
        tree = self.source.tree
        given = tree.args
        if given.vararg or given.kwarg or given.kwonlyargs:
            raise self.error(tree, f"a function of *args, **kwargs or keywords alone {_NO_DERIVATIVE}", "name its arguments")
        for name, mask in zip(self.parameters, self.masks, strict=True):
            if mask:
                self.changes[name] = set(mask)
        body = [ast.copy_location(ast.Return(tree.body), tree.body)] if isinstance(tree, ast.Lambda) else tree.body
        self.find_changes(body)
        self.check_arrays(body)
        arguments = [*self.parameters]
        for name, mask in zip(self.parameters, self.masks, strict=True):
            arguments += [self.slope_name(name, d) for d in sorted(mask)]
        made = self.block(body)
        args = ast.arguments([], [ast.arg(a) for a in arguments], None, [], [], None, [])
        # What changes only later has slopes from the start.
        head = []
        for name, mask in zip(self.parameters, self.masks, strict=True):
            for d in sorted(self.changes.get(name, set()) - mask):
                head.append(nodes.assign(self.slope_name(name, d), nodes.call(self.known("zero", slopes.zero_like), nodes.load(name))))
        for node in head:
            nodes.place(node, tree)
        return ast.copy_location(ast.FunctionDef("f", args, head + made, [], None, type_params=[]), tree)

    def find_changes(self, body):
        """Which variables change along which directions: from assignments to assignments, until nothing is new."""
        module = ast.Module(body, [])
        while True:
            before = {name: set(mask) for name, mask in self.changes.items()}
            for node in ast.walk(module):
                if isinstance(node, ast.Assign):
                    for target in node.targets:
                        self.may_change(target, self.mask(node.value))
                elif isinstance(node, ast.AugAssign):
                    self.may_change(node.target, self.mask(node.value))
                elif isinstance(node, ast.AnnAssign) and node.value is not None:
                    self.may_change(node.target, self.mask(node.value))
                elif isinstance(node, ast.For):
                    self.loop_changes(node.target, node.iter)
            if self.changes == before:
                return

    def check_arrays(self, body):
        """What a function writes into an array that it is handed is not seen from here."""
        module = ast.Module(body, [])
        made = [n for n in ast.walk(module) if isinstance(n, ast.Assign) and self.is_local_array(n.value)]
        arrays = {t.id for n in made for t in n.targets if isinstance(t, ast.Name)}
        for node in ast.walk(module) if arrays else ():
            if isinstance(node, ast.Call) and any(isinstance(a, ast.Name) and a.id in arrays for a in node.args):
                if isinstance(getattr(self.meaning(node.func), "py_func", self.meaning(node.func)), python_types.FunctionType):
                    raise self.error(node, f"`{ast.unparse(node)}`, which may write into an array, {_NO_DERIVATIVE}", "write its loop here")

    def may_change(self, target, mask):
        if not mask:
            return
        if isinstance(target, ast.Name):
            self.changes.setdefault(target.id, set()).update(mask)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self.may_change(one, mask)
        elif isinstance(target, ast.Subscript):
            self.may_change(target.value, mask)

    def loop_changes(self, target, iterable):
        if isinstance(iterable, ast.Call):
            function = self.meaning(iterable.func)
            if function is enumerate and isinstance(target, ast.Tuple) and len(target.elts) == 2 and iterable.args:
                return self.loop_changes(target.elts[1], iterable.args[0])
            if function is zip and isinstance(target, ast.Tuple) and len(target.elts) == len(iterable.args):
                for one, of in zip(target.elts, iterable.args, strict=True):
                    self.loop_changes(one, of)
                return None
            if function is intrinsics.literal_unroll and iterable.args:
                return self.loop_changes(target, iterable.args[0])
        return self.may_change(target, self.mask(iterable))

    def mask(self, node):
        """Along which directions an expression changes."""
        if isinstance(node, ast.Name):
            return self.changes.get(node.id, set())
        if isinstance(node, (ast.Constant, ast.Compare)) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert))):
            return set()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            return set()
        if isinstance(node, ast.Call):
            function = self.meaning(node.func)
            if function is not MISSING and self.is_flat(function):
                return set()
            if isinstance(node.func, ast.Attribute) and function is MISSING:
                return set().union(self.mask(node.func.value), *map(self.mask, node.args))
            return set().union(*map(self.mask, node.args), *(self.mask(k.value) for k in node.keywords))
        if isinstance(node, ast.Attribute):
            return self.mask(node.value) if node.attr not in _OF_SHAPE else set()
        if isinstance(node, ast.Subscript):
            return self.mask(node.value)
        if isinstance(node, ast.IfExp):
            return self.mask(node.body) | self.mask(node.orelse)
        return set().union(*(self.mask(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)))

    def meaning(self, node):
        """The object that a name, or an attribute of one, means outside of the function; MISSING where that is not known."""
        if isinstance(node, ast.Name):
            return MISSING if node.id in self.source.locals else self.source.lookup(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.meaning(node.value)
            return MISSING if owner is MISSING else getattr(owner, node.attr, MISSING)
        return MISSING

    @staticmethod
    def is_flat(function):
        if id(function) in slopes.FLAT:
            return True
        number = _number_type(function)
        return number is not None and not isinstance(number, (types.Float, types.Complex))

    # ---- names

    def new_name(self, stem):
        name = stem
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def slope_name(self, name, direction):
        key = name, direction
        if key not in self.names:
            self.names[key] = self.new_name(f"{name}_by{direction}")
        return self.names[key]

    def temporary(self):
        self.counter += 1
        return self.new_name(f"t{self.counter}")

    def known(self, stem, obj):
        """A name for an object of ours."""
        for name, known in self.scope.items():
            if known is obj:
                return nodes.load(name)
        name = self.new_name(f"own_{stem}")
        while self.source.lookup(name) is not MISSING:
            name = self.new_name(name + "_")
        self.scope[name] = obj
        return nodes.load(name)

    # ---- statements

    def block(self, statements):
        before, self.lines = self.lines, []
        for node in statements:
            method = getattr(self, "stmt_" + type(node).__name__, None)
            first = len(self.lines)
            if method is None:
                self.lines.append(copy.deepcopy(node))
            else:
                method(node)
            for made in self.lines[first:]:
                nodes.place(made, node)
        made, self.lines = self.lines, before
        return made or [ast.Pass()]

    def stmt_Assign(self, node):
        if not any(self.touches(target) for target in node.targets):
            self.lines.append(copy.deepcopy(node))
            return
        if len(node.targets) == 1 and self.is_local_array(node.value):
            self.lines.append(copy.deepcopy(node))
            for d in sorted(self.changes[node.targets[0].id]):
                self.lines.append(nodes.assign(self.slope_name(node.targets[0].id, d), copy.deepcopy(node.value)))
            return
        self.store(node.targets, self.expression(node.value))

    def is_local_array(self, value):
        return isinstance(value, ast.Call) and self.meaning(value.func) is intrinsics.local.array

    def stmt_AnnAssign(self, node):
        if node.value is None:
            self.lines.append(copy.deepcopy(node))
        else:
            self.stmt_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def stmt_AugAssign(self, node):
        if not self.touches(node.target):
            self.lines.append(copy.deepcopy(node))
            return
        old = copy.deepcopy(node.target)
        for part in ast.walk(old):
            if isinstance(getattr(part, "ctx", None), ast.Store):
                part.ctx = ast.Load()
        value = ast.copy_location(ast.BinOp(old, node.op, node.value), node)
        self.store([node.target], self.expression(value))

    def touches(self, target):
        if isinstance(target, ast.Name):
            return bool(self.changes.get(target.id))
        if isinstance(target, (ast.Tuple, ast.List)):
            return any(self.touches(one) for one in target.elts)
        if isinstance(target, ast.Subscript):
            return self.touches(target.value)
        return False

    def directions(self, target):
        if isinstance(target, ast.Name):
            return self.changes.get(target.id, set())
        if isinstance(target, (ast.Tuple, ast.List)):
            return set().union(*map(self.directions, target.elts))
        return self.directions(target.value) if isinstance(target, ast.Subscript) else set()

    def store(self, targets, value):
        """The value and its slopes, all of them computed before one is stored."""
        directions = sorted(set().union(*map(self.directions, targets)))
        value = self.kept(value)
        by = {d: self.name_for(value.by[d]) for d in directions if d in value.by}
        for target in targets:
            if isinstance(target, ast.Attribute):
                raise self.error(target, f"`{ast.unparse(target)} = ...` {_NO_DERIVATIVE}")
            self.lines.append(ast.Assign([copy.deepcopy(target)], copy.deepcopy(value.node)))
            for d in directions:
                slope = by.get(d) or nodes.call(self.known("zero", slopes.zero_like), value.node)
                self.lines.append(ast.Assign([self.slope_target(target, d)], copy.deepcopy(slope)))

    def slope_target(self, target, d):
        """Where a value's slope goes; what has none goes nowhere."""
        if isinstance(target, ast.Name):
            changes = d in self.changes.get(target.id, ())
            return ast.Name(self.slope_name(target.id, d) if changes else self.temporary(), ast.Store())
        if isinstance(target, (ast.Tuple, ast.List)):
            return ast.Tuple([self.slope_target(one, d) for one in target.elts], ast.Store())
        if isinstance(target, ast.Subscript) and d in self.directions(target):
            return ast.Subscript(self.slope_of_base(target.value, d), copy.deepcopy(target.slice), ast.Store())
        return ast.Name(self.temporary(), ast.Store())

    def slope_of_base(self, node, d):
        if isinstance(node, ast.Name):
            return nodes.load(self.slope_name(node.id, d))
        if isinstance(node, ast.Subscript):
            return ast.Subscript(self.slope_of_base(node.value, d), copy.deepcopy(node.slice), ast.Load())
        raise self.error(node, f"a write to `{ast.unparse(node)}` {_NO_DERIVATIVE}")

    def stmt_If(self, node):
        self.lines.append(ast.If(copy.deepcopy(node.test), self.block(node.body), self.block(node.orelse) if node.orelse else []))

    def stmt_While(self, node):
        self.lines.append(ast.While(copy.deepcopy(node.test), self.block(node.body), self.block(node.orelse) if node.orelse else []))

    def stmt_For(self, node):
        directions = sorted(self.mask(node.iter))
        target, iterable = copy.deepcopy(node.target), copy.deepcopy(node.iter)
        if directions:
            targets, iterables = [target], [iterable]
            for d in directions:
                one, of = self.loop_slope(node.target, node.iter, d)
                targets.append(one)
                iterables.append(of)
            target = ast.Tuple(targets, ast.Store())
            iterable = nodes.call(self.known("zip", zip), *iterables)
        body = self.block(node.body)
        head = [ast.Assign([self.slope_target(n, d)], nodes.call(self.known("zero", slopes.zero_like), nodes.load(n.id)))
                for n in ast.walk(node.target) if isinstance(n, ast.Name)
                for d in sorted(self.changes.get(n.id, set()) - set(directions))]  # fmt: skip
        self.lines.append(ast.For(target, iterable, head + body, self.block(node.orelse) if node.orelse else []))

    def loop_slope(self, target, iterable, d):
        """What is looped over beside the values, along a direction, and where it goes."""
        if d not in self.mask(iterable):
            return ast.Name(self.temporary(), ast.Store()), copy.deepcopy(iterable)
        function = self.meaning(iterable.func) if isinstance(iterable, ast.Call) else MISSING
        if function is enumerate and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            return self.loop_slope(target.elts[1], iterable.args[0], d)
        if function is intrinsics.literal_unroll:
            return self.loop_slope(target, iterable.args[0], d)
        if function is zip and isinstance(target, ast.Tuple) and len(target.elts) == len(iterable.args):
            pairs = [self.loop_slope(one, of, d) for one, of in zip(target.elts, iterable.args, strict=True)]
            return ast.Tuple([one for one, _ in pairs], ast.Store()), nodes.call(copy.deepcopy(iterable.func), *[of for _, of in pairs])
        if function is not MISSING:
            raise self.error(iterable, f"a loop over `{ast.unparse(iterable)}` {_NO_DERIVATIVE}", "loop over numbers of a range")
        return self.slope_target(target, d), self.expression(iterable).by[d]

    def stmt_Return(self, node):
        if node.value is None:
            self.lines.append(copy.deepcopy(node))
            return
        value = self.kept(self.expression(node.value))
        zero = self.known("zero", slopes.zero_like)
        parts = [value.by.get(d) or nodes.call(zero, value.node) for d in range(self.family.count)]
        self.lines.append(ast.Return(ast.Tuple([copy.deepcopy(n) for n in (value.node, *parts)], ast.Load())))

    # ---- expressions

    def expression(self, node):
        """What it is, with its slopes; what has to be computed for them is written before."""
        if not self.mask(node):
            return _Slopes(copy.deepcopy(node))
        method = getattr(self, "expr_" + type(node).__name__, None)
        if method is None:
            raise self.error(node, f"`{ast.unparse(node)}` {_NO_DERIVATIVE}")
        return method(node)

    def name_for(self, node):
        """The expression, as a variable."""
        if isinstance(node, (ast.Name, ast.Constant)):
            return node
        name = self.temporary()
        self.lines.append(nodes.assign(name, node))
        return nodes.load(name)

    def kept(self, value):
        if isinstance(value.node, ast.Tuple):
            return value
        return _Slopes(self.name_for(value.node), {d: self.name_for(s) for d, s in value.by.items()})

    def operand(self, node):
        value = self.expression(node)
        return self.kept(value) if value.by else value

    def expr_Name(self, node):
        # A copy: an assignment may come before it is used.
        return _Slopes(nodes.load(node.id), {d: nodes.load(self.slope_name(node.id, d)) for d in sorted(self.changes[node.id])})

    def expr_Tuple(self, node):
        parts = [self.kept(self.expression(e)) for e in node.elts]
        parts = [_Slopes(self.snapshot(p.node), {d: self.snapshot(s) for d, s in p.by.items()}) for p in parts]
        zero = self.known("zero", slopes.zero_like)
        by = {}
        for d in sorted(self.mask(node)):
            by[d] = ast.Tuple([p.by.get(d) or nodes.call(zero, p.node) for p in parts], ast.Load())
        return _Slopes(ast.Tuple([p.node for p in parts], ast.Load()), by)

    def snapshot(self, node):
        """A variable as it is now: `a, b = b, a` reads all before it writes."""
        if not isinstance(node, ast.Name) or node.id not in self.source.locals and node.id not in self.names.values():
            return node
        name = self.temporary()
        self.lines.append(nodes.assign(name, node))
        return nodes.load(name)

    def expr_UnaryOp(self, node):
        value = self.operand(node.operand)
        made = ast.UnaryOp(node.op, value.node)
        if isinstance(node.op, ast.UAdd):
            return _Slopes(made, value.by)
        return _Slopes(made, {d: ast.UnaryOp(ast.USub(), s) for d, s in value.by.items()})

    def expr_BinOp(self, node):
        if isinstance(node.op, ast.Add) and (isinstance(node.left, ast.Tuple) or isinstance(node.right, ast.Tuple)):
            left, right = self.kept(self.expression(node.left)), self.kept(self.expression(node.right))
            zero = self.known("zero", slopes.zero_like)
            by = {d: ast.BinOp(left.by.get(d) or nodes.call(zero, left.node), ast.Add(), right.by.get(d) or nodes.call(zero, right.node))
                  for d in sorted({*left.by, *right.by})}  # fmt: skip
            return _Slopes(ast.BinOp(left.node, ast.Add(), right.node), by)
        return self.of_operator(node, type(node.op).__name__, self.operand(node.left), self.operand(node.right))

    def of_operator(self, node, name, left, right):
        made = ast.BinOp(left.node, getattr(ast, name)(), right.node)
        if name in ("Add", "Sub"):
            by = {}
            for d in sorted({*left.by, *right.by}):
                a, b = left.by.get(d), right.by.get(d)
                if a is None:
                    by[d] = b if name == "Add" else ast.UnaryOp(ast.USub(), b)
                else:
                    by[d] = a if b is None else ast.BinOp(a, made.op, b)
            return _Slopes(made, by)
        if name == "Pow":
            texts = self.of_power(right.node)
        elif name in slopes.OPERATIONS:
            texts = slopes.RULES[slopes.OPERATIONS[name]]
        else:
            raise self.error(node, f"`{ast.unparse(node)}` {_NO_DERIVATIVE}")
        return self.by_texts(made, texts, [left, right])

    def of_power(self, exponent):
        if isinstance(exponent, ast.Constant) and isinstance(exponent.value, int):
            if exponent.value == 2:
                return "(d + d) * a", ""
            if exponent.value in (0, 1):
                return ("d" if exponent.value else ""), ""
            return f"d * ({exponent.value} * a ** less(b))", ""
        flat = "a == 0" if self.family.is_complex else "a == 0 and b >= 0"
        return "zero(d) if b == 0 else d * (b * a ** less(b))", f"zero(d) if {flat} else d * (y * np.log(a))"

    def by_texts(self, made, texts, operands):
        """The call `made` of these operands, whose slopes are sums of the rules' expressions."""
        value = _Slopes(self.name_for(made) if any("y" in nodes.words(t) for t in texts) else made)
        words = dict(zip("abc", (o.node for o in operands), strict=False))
        for d in sorted(set().union(*(o.by for o in operands))):
            terms = [
                self.filled(text, {**words, "y": value.node, "d": operand.by[d]})
                for text, operand in zip(texts, operands, strict=True)
                if d in operand.by and text
            ]
            if terms:
                total = terms[0]
                for term in terms[1:]:
                    total = ast.BinOp(total, ast.Add(), term)
                value.by[d] = total
        return value

    def filled(self, text, words):
        """A rule's expression, with what its words stand for."""
        writer, numbers = self, [words[w] for w in "abc" if w in words and not isinstance(words[w], ast.Constant)]

        class Filler(ast.NodeTransformer):
            def visit_Name(self, node):
                if node.id in words:
                    return copy.deepcopy(words[node.id])
                return writer.known(node.id, slopes.NAMES[node.id])

            def visit_Constant(self, node):
                return nodes.call(writer.known("number", slopes.number_like), node, *map(copy.deepcopy, numbers))

            def visit_Call(self, node):
                called = node.func.id if isinstance(node.func, ast.Name) else None
                if called == "part":  # of a tuple
                    return ast.Subscript(copy.deepcopy(words[node.args[0].id]), node.args[1], ast.Load())
                if called == "if_complex":
                    return self.visit(node.args[not writer.family.is_complex])
                if called == "less":  # one less; of a number that is written there
                    of = words[node.args[0].id]
                    if isinstance(of, ast.Constant):
                        return ast.Constant(of.value - 1)
                    return ast.BinOp(copy.deepcopy(of), ast.Sub(), ast.Constant(1))
                return self.generic_visit(node)

        rule = ast.parse(text, mode="eval").body
        for part in ast.walk(rule):
            for name in part._attributes:
                vars(part).pop(name, None)  # it stands where the call does
        return Filler().visit(rule)

    def expr_IfExp(self, node):
        return self.chosen(node.test, node.body, node.orelse)

    def chosen(self, test, yes, no):
        """`yes if test else no`, as statements: only one of them is computed."""
        mask = sorted(self.mask(yes) | self.mask(no))
        name, slope_names = self.temporary(), [self.temporary() for _ in mask]
        zero = self.known("zero", slopes.zero_like)

        def branch(node):
            before, self.lines = self.lines, []
            value = self.kept(self.expression(node))
            self.lines.append(nodes.assign(name, value.node))
            for d, slope_name in zip(mask, slope_names, strict=True):
                self.lines.append(nodes.assign(slope_name, value.by.get(d) or nodes.call(zero, value.node)))
            made, self.lines = self.lines, before
            return made

        self.lines.append(ast.If(copy.deepcopy(test), branch(yes), branch(no)))
        return _Slopes(nodes.load(name), {d: nodes.load(s) for d, s in zip(mask, slope_names, strict=True)})

    def expr_BoolOp(self, node):
        value = node.values[0]
        for other in node.values[1:]:
            first = self.named(value)
            yes, no = (other, first) if isinstance(node.op, ast.And) else (first, other)
            value = self.named(ast.copy_location(ast.IfExp(first, yes, no), node))
        return self.expression(value)

    def named(self, node):
        """The expression as a variable of the function's, which has slopes."""
        if isinstance(node, ast.Name):
            return node
        name = self.temporary()
        value = self.expression(node)
        if value.by:
            self.changes[name] = set(value.by)
        self.lines.append(nodes.assign(name, value.node))
        for d, slope in value.by.items():
            self.lines.append(nodes.assign(self.slope_name(name, d), slope))
        return ast.copy_location(nodes.load(name), node)

    def expr_Attribute(self, node):
        value = self.operand(node.value)
        if node.attr not in ("real", "imag"):
            raise self.error(node, f"`{ast.unparse(node)}` {_NO_DERIVATIVE}")
        return _Slopes(
            ast.Attribute(value.node, node.attr, ast.Load()), {d: ast.Attribute(s, node.attr, ast.Load()) for d, s in value.by.items()}
        )

    def expr_Subscript(self, node):
        value = self.kept(self.expression(node.value)) if not isinstance(node.value, ast.Name) else self.expression(node.value)

        def at(of):
            return ast.Subscript(of, copy.deepcopy(node.slice), ast.Load())

        return _Slopes(at(value.node), {d: at(s) for d, s in value.by.items()})

    def expr_Call(self, node):
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            raise self.error(node, "arguments cannot be unpacked with * or ** in a kernel", "write each")
        function = self.meaning(node.func)
        if function is MISSING:
            if isinstance(node.func, ast.Attribute) and node.func.attr == "conjugate" and not node.args:
                value = self.operand(node.func.value)

                def turned(of):
                    return nodes.call(ast.Attribute(of, "conjugate", ast.Load()))

                return _Slopes(turned(value.node), {d: turned(s) for d, s in value.by.items()})
            raise self.error(node, f"`{ast.unparse(node)}` {_NO_DERIVATIVE}: what is called is not known before it runs")
        special = _SPECIAL.get(id(function))
        if special is not None:
            return special(self, node)
        if id(function) in slopes.OPERATORS and len(node.args) == 2:
            made = self.of_operator(node, slopes.OPERATORS[id(function)], *map(self.operand, node.args))
            return made
        texts = slopes.SLOPES.get(id(function))
        if id(function) in slopes.ABSOLUTE:
            texts = (slopes.OF_COMPLEX if self.family.is_complex else slopes.OF_REAL,)
        if texts is not None and len(texts) == len(node.args) and not node.keywords:
            operands = [self.operand(a) for a in node.args]
            return self.by_texts(nodes.call(copy.deepcopy(node.func), *[o.node for o in operands]), texts, operands)
        if function is float or function is complex or _number_type(function) is not None:
            return self.of_conversion(node)
        callee = getattr(function, "py_func", function)
        if isinstance(callee, python_types.FunctionType):
            return self.of_function(callee, node)
        raise self.error(node, f"`{ast.unparse(node.func)}` {_NO_DERIVATIVE}")

    def of_conversion(self, node):
        values = [self.operand(a) for a in node.args]
        zero = self.known("zero", slopes.zero_like)
        by = {}
        for d in sorted(set().union(*(v.by for v in values))):
            by[d] = nodes.call(copy.deepcopy(node.func), *[v.by.get(d) or nodes.call(zero, v.node) for v in values])
        return _Slopes(nodes.call(copy.deepcopy(node.func), *[v.node for v in values]), by)

    def of_function(self, callee, node):
        """A call of a function written in Python: of its derivative, which gives a tuple."""
        source = source_of(callee)
        try:
            bound = inspect.signature(callee).bind(*node.args, **{k.arg: k.value for k in node.keywords})
        except TypeError as e:
            raise self.error(node, f"{source.name}: {e}", "") from None
        values = []
        for name, parameter in inspect.signature(callee).parameters.items():
            if name in bound.arguments:
                values.append(self.operand(bound.arguments[name]))
            else:
                values.append(_Slopes(self.known(f"default_{name}", parameter.default)))
        masks = tuple(frozenset(v.by) for v in values)
        derived = self.family.derived(callee, masks, node, self.source)
        arguments = [v.node for v in values]
        for v in values:
            arguments += [v.by[d] for d in sorted(v.by)]
        made = self.name_for(nodes.call(self.known(source.symbol, derived), *arguments))
        part = lambda i: ast.Subscript(made, ast.Constant(i), ast.Load())  # noqa: E731
        changes = sorted(set().union(*masks))
        return _Slopes(part(0), {d: part(d + 1) for d in changes})

    # ---- calls of their own

    def of_extreme(self, node, less):
        """min and max, as Python has them: the first one stays, unless another is less (greater)."""
        parts = node.args
        if len(parts) == 1 and isinstance(parts[0], ast.Tuple):
            parts = parts[0].elts
        if len(parts) == 1:
            raise self.error(node, f"`{ast.unparse(node)}` of a tuple {_NO_DERIVATIVE}", "write its parts as arguments")
        best = self.named(parts[0])
        for part in parts[1:]:
            other = self.named(part)
            test = ast.Compare(nodes.load_of(other), [ast.Lt() if less else ast.Gt()], [nodes.load_of(best)])
            best = self.named(ast.copy_location(ast.IfExp(ast.copy_location(test, node), other, best), node))
        return self.expression(best)

    def of_min(self, node):
        return self.of_extreme(node, True)

    def of_max(self, node):
        return self.of_extreme(node, False)

    def of_divmod(self, node):
        a, b = (self.operand(x) for x in node.args)
        whole = self.name_for(ast.BinOp(a.node, ast.FloorDiv(), b.node))
        rest = self.kept(self.of_operator(node, "Mod", a, b))
        zero = self.known("zero", slopes.zero_like)
        return _Slopes(
            ast.Tuple([whole, rest.node], ast.Load()),
            {d: ast.Tuple([nodes.call(zero, whole), s], ast.Load()) for d, s in rest.by.items()},
        )

    def of_parts(self, node, texts):
        """A function that gives a tuple; the text of each part's slope, "" for one that has none. In it y is the tuple."""
        (a,) = (self.operand(x) for x in node.args)
        made = self.name_for(nodes.call(copy.deepcopy(node.func), a.node))
        zero = self.known("zero", slopes.zero_like)
        by = {}
        for d, s in a.by.items():
            parts = []
            for i, text in enumerate(texts):
                at = ast.Subscript(made, ast.Constant(i), ast.Load())
                parts.append(self.filled(text, {"a": a.node, "y": made, "d": s}) if text else nodes.call(zero, at))
            by[d] = ast.Tuple([self.name_for(p) for p in parts], ast.Load())
        return _Slopes(made, by)


_OF_SHAPE = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides")


def _special():
    import cmath
    import math

    libdevice = slopes.libdevice
    found = {id(min): _Writer.of_min, id(max): _Writer.of_max, id(divmod): _Writer.of_divmod}

    def parts(function, *texts):
        found[id(function)] = lambda writer, node: writer.of_parts(node, texts)

    parts(math.modf, "d", "")
    parts(cmath.polar, "real_product(d, a) / part(y, 0)", "(d / a).imag")
    for end in ("", "f"):
        parts(libdevice["modf" + end], "d", "")
        parts(libdevice["sincos" + end], "d * part(y, 1)", "-d * part(y, 0)")
    return found


_SPECIAL = _special()


def _number_type(obj):
    """The type of numbers that an object stands for: of NumPy's or of kernels'."""
    if isinstance(obj, types.Number):
        return obj
    if isinstance(obj, type) and issubclass(obj, numpy.generic):
        try:
            return types.of_dtype(obj)
        except TypeError:
            return None
    return None
