"""What the source of a function says: which values it returns, and which attributes of `self` it sets."""

import ast
import builtins
import functools
import inspect
import types

HOLDERS = (ast.stmt, ast.ExceptHandler)  # of statements


@functools.cache
def _definitions(file):
    """The functions of a file by their first line, that of a decorator included."""
    try:
        with open(file, encoding="utf-8") as f:
            tree = ast.parse(f.read())
    except (OSError, SyntaxError):
        return {}
    found, waiting = {}, [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[min([one.lineno, *(d.lineno for d in one.decorator_list)])] = one
        waiting += [n for name in ("body", "orelse", "handlers", "finalbody") for n in getattr(one, name, ()) if isinstance(n, HOLDERS)]
    return found


def definition(function):
    """The function that the source has, and its node; None where there is no source."""
    function = inspect.unwrap(getattr(function, "__quern_native__", function)) if callable(function) else function
    code = getattr(function, "__code__", None)
    if not isinstance(function, types.FunctionType) or code.co_name == "<lambda>":
        return None, None
    return function, _definitions(code.co_filename).get(code.co_firstlineno)


@functools.cache
def own_nodes(node):
    """The statements and expressions that matter here, of a function without those inside it: assignments, returns, yields."""
    waiting, found = list(node.body), []
    while waiting:
        one = waiting.pop()
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(one, ast.stmt):
            value = getattr(one, "value", None)
            waiting += [part for name in ("body", "orelse", "finalbody", "handlers", "cases") for part in getattr(one, name, ())]
            if isinstance(value, (ast.Yield, ast.YieldFrom)):
                found.append(value)
            found.append(one)
        elif isinstance(one, (ast.ExceptHandler, ast.match_case)):
            waiting += one.body
    return found


def attributes(function):
    """(name, value's node or None) of the public attributes that a method sets."""
    function, node = definition(function)
    if node is None or not node.args.args:
        return
    me = node.args.args[0].arg
    for one in own_nodes(node):
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            for part in parts:
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == me and part.attr[0] != "_":
                    yield part.attr, one.value if part is target else None


class Returns:
    """The types of what a function returns, as its source shows them."""

    def __init__(self, imports):
        self.imports = imports

    def of(self, function, unknown):
        """The annotation of a function's result; `unknown`: that of results whose type the source does not show."""
        is_context = "contextlib" in getattr(getattr(function, "__code__", None), "co_filename", "") and hasattr(function, "__wrapped__")
        function, node = definition(function)
        if node is None:
            return unknown
        nodes = own_nodes(node)
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes):
            self.imports.lines.add("import contextlib as _contextlib")
            return "_contextlib._GeneratorContextManager[_t.Any]" if is_context else "_t.Iterator[_t.Any]"
        values = [n.value for n in nodes if isinstance(n, ast.Return)]
        if not [v for v in values if v is not None]:
            return "_t.Any" if isinstance(node.body[-1], ast.Raise) else "None"
        me = node.args.args[0].arg if node.args.args else None
        found = {t for v in values for t in self.kinds(v, function, me)}
        if None not in found:
            return " | ".join([*sorted(found - {"None"}), *({"None"} & found)])
        return unknown if found <= {None, unknown} else "_t.Any"

    def kinds(self, value, function, me):
        """The types that an expression may have; None among them for one that is not known."""
        if value is None:
            return ["None"]
        if isinstance(value, ast.IfExp):
            return [*self.kinds(value.body, function, me), *self.kinds(value.orelse, function, me)]
        if isinstance(value, ast.BoolOp):
            return [t for v in value.values for t in self.kinds(v, function, me)]
        return [self.kind(value, function, me)]

    def kind(self, value, function, me):
        if isinstance(value, ast.Constant):
            return "None" if value.value is None else f"_b.{type(value.value).__name__}" if value.value is not ... else None
        if isinstance(value, ast.Name) and value.id == me == "self":
            return "_te.Self"
        plain = {ast.JoinedStr: "str", ast.Tuple: "tuple[_t.Any, ...]", ast.List: "list[_t.Any]", ast.ListComp: "list[_t.Any]"}
        plain |= {ast.Dict: "dict[_t.Any, _t.Any]", ast.DictComp: "dict[_t.Any, _t.Any]"}
        if type(value) in plain:
            return f"_b.{plain[type(value)]}"
        is_bool = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
        if isinstance(value, ast.Compare):
            is_bool = all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in value.ops)
        if is_bool:
            return "_b.bool"
        return self.call(value.func, function) if isinstance(value, ast.Call) else None

    def call(self, called, function):
        """The type of a call's result: of a class, or of one of Python's functions of one type."""
        if not isinstance(called, ast.Name) or called.id in function.__code__.co_varnames + function.__code__.co_freevars:
            return None
        value = function.__globals__.get(called.id, getattr(builtins, called.id, None))
        if value in (len, hash, id, ord, int):
            return "_b.int"
        if value in (isinstance, issubclass, callable, hasattr, any, all, bool):
            return "_b.bool"
        if value in (repr, str):
            return "_b.str"
        return self.imports.ref(value) if isinstance(value, type) and value in self.imports.homes.homes else None
