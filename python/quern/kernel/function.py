"""One Python function for given types of arguments, as a C++ function.

The tree is walked several times: types of variables are what all their assignments unify to, so it is walked until they do not
change; the text of the last walk counts. Expressions are in expressions.py.
"""

from __future__ import annotations

import ast

from quern.kernel import times, types
from quern.kernel.errors import DEBUGGER, TypingError, UnsupportedError
from quern.kernel.expressions import Expressions
from quern.kernel.meanings import Again, Meanings, Variable
from quern.kernel.raised import exception_of
from quern.kernel.value import NotYet, Value, cast

MOST_WALKS = 1000


class Function(Expressions, Meanings):
    """``parameters``: a type for each argument. ``program`` knows all functions of the kernel (program.py)."""

    def __init__(self, program, source, parameters, symbol, is_kernel):
        self.program, self.source, self.parameters, self.symbol, self.is_kernel = program, source, parameters, symbol, is_kernel
        self.result = None  # the type that it returns, once that is known
        self.has_local_arrays = self.has_shared_arrays = self.has_copies = False
        self.at = None  # the statement
        self.variables = {}
        self.written = set()  # parameters whose memory it writes
        self.head = []  # declarations
        self.lines = []
        self.depth = 1
        self.counter = 0
        self.changed = False
        self.exits = []  # for each loop around: what leaves it, what goes on with it
        self.aliases = {}  # names of arrays that see a parameter's memory
        self.found = {}  # names of arrays that it, or what it calls, finds around it, and their types: parameters behind the others
        self.arguments = {}  # the parameters' Variables
        self.starts = {}  # what names mean at first that are None then, and perhaps not later
        self.copies = {}  # of parameters that come to have numbers of other types: variables that begin with the arguments
        self.given = set()  # names that have got a value in this walk
        self.numbers_again = set()  # (name, place) of assignments of numbers of another type than before
        self.target = ""  # the name that what is computed now will have; "" if it is not known
        self.renamed = []  # names that came to mean another variable, in this walk
        self.left_by_rounds = {}  # for each loop (and round around), for names that come to mean another variable: which its rounds leave
        self.rebound = {}  # what names mean at first that come to mean another variable
        self.unrolled = []  # for each loop around that is written out: which of its rounds

    # ---- the whole

    def compile(self):
        """Types and text; returns self."""
        tree = self.source.tree
        names = [a.arg for a in tree.args.posonlyargs + tree.args.args]
        if isinstance(tree, ast.AsyncFunctionDef):
            raise self.error(UnsupportedError, tree, "`async def` has no meaning in a kernel", "write def")
        if tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs:
            raise self.error(UnsupportedError, tree, "*args, **kwargs and keyword-only parameters have no place in a kernel")
        defaults = dict(zip(reversed(names), reversed(self.source.function.__defaults__ or ()), strict=False))
        missing = names[len(self.parameters) :]
        if len(names) < len(self.parameters) or not all(name in defaults for name in missing):
            least = len(names) - len(defaults)
            takes = len(names) if not defaults else f"{least} to {len(names)}"
            raise self.error(TypingError, tree, f"it takes {takes} arguments, not {len(self.parameters)}")
        for name, type_ in zip(names, self.parameters, strict=False):
            variable = self.variables[name] = self.arguments[name] = Variable(name, type_, natural=False)
            variable.is_parameter = True
            if isinstance(type_, types.Known):
                variable.const = type_.obj
        if self.reports and self.is_kernel:
            self.found["raised_words"] = types.Array(types.uint32, 1, "C")
            self.written.add("raised_words")
        for _ in range(MOST_WALKS):
            self.changed = False
            self.head, self.lines, self.counter, self.depth = [], [], 0, 1
            self.renamed = []
            self.variables.update(self.rebound)
            self.variables.update(self.starts)
            self.given = set(self.arguments)
            for name, variable in self.copies.items():
                argument = self.arguments[name]
                self.emit(f"{variable.text} = {self.converted(Value(argument.type, argument.text), variable.type, tree).text};")
            for name in missing:
                if defaults[name] is None:
                    self.variables[name] = self.starts.setdefault(name, Variable(name, types.none))
                else:
                    self.assign(name, self.of_object(defaults[name], tree), tree)
            self.at, self.postponed = tree, None
            try:
                if isinstance(tree, ast.Lambda):
                    self.give_back(self.expression(tree.body), tree)
                else:
                    if not self.block(tree.body):
                        self.ends_without_value()
            except Again:
                self.begin_again()
                continue
            except RecursionError:
                raise self.error(UnsupportedError, self.at, "this is nested too deeply", "give parts of it names") from None
            if not self.changed and self.postponed is not None:
                raise self.postponed.error
            if not self.changed:
                break
        else:
            raise self.error(TypingError, tree, "the types of its variables do not settle")
        if self.result is None:
            self.result = types.none
        return self

    def text(self, attributes=""):
        """The C++ definition. A kernel takes the parts of tuples one by one."""
        parameters, made = [], []
        for variable in self.arguments.values():
            if not self.is_kernel or not isinstance(variable.type, types.Tuple):
                parameters.append((variable.type, variable.text))
                continue
            made.append(f"  {variable.type.c} {variable.text} = {from_parts(variable.type, variable.text, parameters)};")
        parameters += [(t, name) for name, t in self.found.items()]
        kept = [f"{t.c} {text}" for t, text in parameters if not isinstance(t, (types.NoneType, types.Known))]
        if self.reports and self.is_kernel:
            made.append("  status now(raised_words.data);")
        elif self.reports:
            kept.append("status& now")
        kind = f'extern "C" __global__ {attributes}' if self.is_kernel else "static __device__ "
        lines = [f"{kind}{'void' if self.is_kernel else self.result.c} {self.symbol}({', '.join(kept)}) {{", *made]
        for variable in dict.fromkeys([*self.variables.values(), *self.rebound.values(), *self.copies.values()]):
            if variable is not None and variable.is_declared:
                lines.append(f"  {variable.type.c} {variable.text}{{}};")
        lines += ["  " + line for line in self.head]
        lines += self.lines
        if not self.is_kernel and not isinstance(self.result, types.NoneType) and not self.lines[-1].startswith("  return"):
            lines.append("  return {};")  # Python gives None here; C++ may do anything
        lines.append("}")
        return "\n".join(lines)

    def prototype(self):
        kept = [*(v.type for v in self.arguments.values()), *self.found.values()]
        parameters = [t.c for t in kept if not isinstance(t, (types.NoneType, types.Known))] + ["status&"] * self.reports
        return f"static __device__ {self.result.c} {self.symbol}({', '.join(parameters)});"

    def parameter_names(self):
        return [*self.arguments, *self.found]

    def error(self, kind, node, message, hint=""):
        return self.source.error(kind, node, message, hint)

    def merged(self, a, b):
        """The type of what is given values of both types; None where there is none."""
        return types.unified(a, b)

    def failing(self, node):
        """For operators.py: makes an error at the node."""
        return lambda kind, message, hint="": self.error(kind, node, message, hint)

    @property
    def reports(self):
        """Does the launch raise what threads raise? Else they end without a word, or the kernel fails (raised.py)."""
        return self.program.raised is not None

    # ---- text

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def temporary(self, prefix="t"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def place(self, node):
        self.lines.append(f'#line {self.source.line(node)} "{self.source.file}"')

    # ---- variables

    def assign(self, name, value, node):
        value = self.done(value)
        variable, is_none = self.variables.get(name), isinstance(value.type, types.NoneType)
        if variable is not None and variable.ways:
            variable = self.of_another_type(name, node)
        if variable is not None and isinstance(variable.type, types.NoneType):
            if is_none:
                return
            if self.depth == 1:
                variable = self.another(name, "given")
            elif variable.is_parameter:  # None on some ways from here on
                variable = self.variables[name] = self.starts[name] = Variable(name, types.none)
        if variable is None:
            variable = self.variables[name] = Variable(name)
            self.changed = True
        if isinstance(value.type, types.Known):
            if getattr(value.const, "is_looped_over", False):
                raise self.error(UnsupportedError, node, f"{value.type} is not kept in a variable", "write it where it is looped over")
            if variable.type is not None and variable.type != value.type:
                variable = self.retyped(variable, value, node)
            if variable.type is None:
                self.changed = True
            variable.type, variable.const = value.type, value.const
            return
        if is_none and variable.type is None:
            variable.type, self.changed = types.none, True
            return
        self.tangible(value, node)
        given = value.own_type
        variable = self.number_again(variable, given, node)
        self.given.add(name)
        to = given if variable.type is None else self.either_type(variable.type, given)
        if to is None:
            variable = self.retyped(variable, value, node)
            to = given if variable.type is None else self.either_type(variable.type, given)
        if to != variable.type:
            if variable.is_parameter and isinstance(variable.type, types.Number):
                self.copy(variable)
            variable.type, self.changed = to, True
        if name in self.source.assigned_once:
            variable.fixed = value.foreseen
        natural = variable.natural and (value.natural or is_none)
        if natural != variable.natural:
            variable.natural, self.changed = natural, True
        if isinstance(value.type, (types.Array, types.Tuple, types.Record)):
            for of in self.memory_of(value):
                self.alias(name, of)
        self.emit(f"{variable.text} = {self.converted(value, to, node).text};")

    def tangible(self, value, node):
        """Raises TypingError for a tuple with something in it that has no value in a kernel."""
        for part in value.type.types if isinstance(value.type, types.Tuple) else ():
            if isinstance(part, (types.Known, types.NoneType)):
                hint = "tuples that are kept or handed over hold numbers, arrays and tuples"
                raise self.error(TypingError, node, f"{part} would be part of a tuple", hint)
            self.tangible(Value(part), node)
        if any(item.maybe for item in value.items or ()):
            raise self.error(TypingError, node, "what may be None would be part of a tuple", "test it with `is None` before")

    def memory_of(self, value):
        """The names whose memory an array, or arrays in a tuple, may be."""
        if isinstance(value.type, types.Tuple) and value.items is not None:
            return [name for item in value.items for name in self.memory_of(item)]
        if isinstance(value.type, types.FixedArray) or not isinstance(value.type, (types.Array, types.Tuple, types.Record)):
            return []
        return [value.name] if value.name else self.parameter_names()

    @staticmethod
    def own_name():
        """As the name of an array: its memory is the kernel's own, and no parameter's."""
        return "own memory"  # no name of Python's

    def alias(self, name, of):
        roots = self.aliases.setdefault(name, set())
        new = self.aliases.get(of, {of}) - roots
        if new:
            roots |= new
            self.changed = True

    def writes_to_array(self, value):
        """The memory of that array is written. Of one without a name nobody knows whose it is: any parameter's."""
        if isinstance(value.type, types.FixedArray):
            return
        roots = self.aliases.get(value.name, {value.name}) if value.name else self.parameter_names()
        self.written.update(root for root in roots if root in self.variables or root in self.found)

    def converted(self, value, to, node):
        """The value as a variable's type."""
        if isinstance(to, types.Optional):
            if isinstance(value.type, types.NoneType):
                return Value(to, f"{to.c}{{}}")
            return Value(to, f"{to.c}{{{value.maybe or 'true'}, {self.converted(value, to.type, node).text}}}")
        if value.type == to:
            return value
        if isinstance(to, types.Number) and isinstance(value.type, types.Number):
            if isinstance(value.type, types.Complex) and not isinstance(to, types.Complex):
                raise self.error(TypingError, node, f"{value.type} does not convert to {to}", "take its .real")
            return cast(value, to)
        if isinstance(to, types.Time) and isinstance(value.type, types.Time):
            return times.as_unit(value, to, self.failing(node))
        if (
            isinstance(to, types.Array)
            and isinstance(value.type, types.Array)
            and to.ndim == value.type.ndim
            and (to.dtype, to.packed) == (value.type.dtype, value.type.packed)
        ):
            if to.layout == "A" or value.type.layout == "C":
                return Value(to, f"{to.c}({value.text})", name=value.name)
        if isinstance(to, types.Record) and isinstance(value.type, types.Record) and to.dtype == value.type.dtype:
            return Value(to, value.text, name=value.name)
        if isinstance(to, types.Tuple) and isinstance(value.type, types.Tuple) and len(to.types) == len(value.type.types):
            parts = [self.converted(self.part(value, i), t, node).text for i, t in enumerate(to.types)]
            return Value(to, f"{to.c}{{{', '.join(parts)}}}")
        raise self.error(TypingError, node, f"{value.type} does not convert to {to}")

    # ---- statements

    def block(self, nodes):
        """Compiles statements up to one after which nothing runs; was there one?"""
        for node in nodes:
            method = getattr(self, "stmt_" + type(node).__name__, None)
            if method is None:
                word, instead = _NOT_SERVED.get(type(node).__name__, (type(node).__name__.lower(), ""))
                if word == "import" and "pdb" in ast.unparse(node):
                    instead = DEBUGGER
                raise self.error(UnsupportedError, node, f"`{word}` has no meaning in a kernel", instead)
            self.place(node)
            self.at = node
            before = self.depth, len(self.exits), len(self.unrolled)
            try:
                left = method(node)
            except NotYet as e:  # a loop's round before may have given it a value: the next walk knows
                self.depth, exits, unrolled = before
                del self.exits[exits:], self.unrolled[unrolled:]
                self.postponed, left = self.postponed or e, False
            if isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)) or (isinstance(node, (ast.If, ast.While)) and left):
                return True
        return False

    def stmt_Pass(self, node):
        pass

    def stmt_Expr(self, node):
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        value = self.expression(node.value)
        self.tangible(value, node)
        if value.text and value.text != self.written_out(value):
            self.emit(f"{value.text};")

    def written_out(self, value):
        """The text of the variable that a value is, if it is one: there is nothing to do for it."""
        return self.variables[value.name].text if value.name in self.variables else ""

    def stmt_Assign(self, node):
        self.target = node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
        value = self.expression(node.value)
        if len(node.targets) > 1:
            value = self.kept(value)
        for target in node.targets:
            self.store(target, value)

    def stmt_AnnAssign(self, node):
        if node.value is not None:
            self.store(node.target, self.expression(node.value))

    def stmt_AugAssign(self, node):
        target = node.target
        if isinstance(target, ast.Name):
            made = self.arithmetic(node, *self.each([_as_load(target), node.value]))
            return self.assign(target.id, made, node)
        if isinstance(target, ast.Subscript):
            place = self.element_place(target)
        else:
            place = self.attribute_place(target)
        value, lines = self.apart(lambda: self.expression(node.value))
        left = self.kept(place) if lines and self.reports else place
        self.lines += lines
        made = self.arithmetic(node, left, value)
        return self.emit(f"{place.place or place.text} = {self.converted(made, place.type, node).text};")

    def store(self, target, value):
        if isinstance(target, ast.Name):
            return self.assign(target.id, value, target)
        if isinstance(target, (ast.Tuple, ast.List)):
            starred = next((t for t in target.elts if isinstance(t, ast.Starred)), None)
            if starred is not None:
                raise self.error(UnsupportedError, starred, f"`{ast.unparse(starred)}` has no meaning in a kernel", "name each value")
            parts = self.parts(value, target)
            if len(parts) != len(target.elts):
                raise self.error(TypingError, target, f"there are {len(parts)} values for {len(target.elts)} names")
            if len(parts) > 1:
                parts = [self.kept(part) for part in parts]  # a, b = b, a
            for part, to in zip(parts, target.elts, strict=True):
                self.store(to, part)
            return None
        if isinstance(target, ast.Subscript):
            return self.store_item(target, value)
        return self.store_attribute(target, value)

    def stmt_If(self, node):
        condition = self.condition(node.test)
        if condition.is_const:  # as Numba does: what cannot happen need not have types
            return self.block(node.body if condition.const else node.orelse)
        before, ends, leaves = self.meanings(), [], []
        self.emit(f"if ({condition.text}) {{")
        for nodes in (node.body, node.orelse):
            if nodes is node.orelse and nodes:
                self.emit("} else {")
            leaves.append(self.inner(nodes))
            ends.append(None if leaves[-1] else self.meanings())
            self.mean_again(before)
        self.join(node, *ends)
        self.emit("}")
        return all(leaves)

    def inner(self, nodes):
        self.depth += 1
        left = self.block(nodes)
        self.depth -= 1
        return left

    def stmt_While(self, node):
        # The condition may need statements of its own, so it is looked at inside.
        flag = self.broken_flag(node)
        self.emit("for (;;) {")
        self.depth += 1
        self.loop_begins(node)
        condition = self.condition(node.test)
        self.emit(f"if (!({condition.text})) break;")
        self.loop_body(node, flag)
        self.depth -= 1
        self.emit("}")
        self.after_loop(node, flag)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return endless and not any(isinstance(n, ast.Break) for n in ast.walk(node))

    def stmt_For(self, node):
        flag = self.broken_flag(node)
        self.loops_over(node, self.listed(node.iter), flag)
        self.after_loop(node, flag)

    def broken_flag(self, node):
        if not node.orelse:
            return None
        flag = self.temporary("broken")
        self.emit(f"bool {flag} = false;")
        return flag

    def loop_body(self, node, flag):
        self.exits.append((f"{{ {flag} = true; break; }}" if flag else "break;", "continue;"))
        begun = self.loop_begins(node)
        self.block(node.body)
        self.loop_ends(node, begun)
        self.exits.pop()

    def after_loop(self, node, flag):
        if flag:
            self.emit(f"if (!{flag}) {{")
            self.inner(node.orelse)
            self.emit("}")

    def stmt_Break(self, node):
        self.emit(self.exits[-1][0])

    def stmt_Continue(self, node):
        self.emit(self.exits[-1][1])

    def stmt_Return(self, node):
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            return self.give_back(None, node)
        return self.give_back(self.expression(node.value), node)

    def give_back(self, value, node):
        if value is not None:
            self.tangible(value, node)
            self.done(value)
        if value is not None and isinstance(value.type, types.Known):
            raise self.error(TypingError, node, f"{value.type} cannot be returned", "a function returns numbers, tuples and arrays")
        if self.is_kernel:
            if value is not None and not isinstance(value.type, types.NoneType):
                raise self.error(TypingError, node, "a kernel returns nothing", "write the result into an array that it is given")
            return self.emit("return;")
        type_ = types.none if value is None else value.own_type
        to = type_ if self.result is None else self.either_type(self.result, type_)
        if to is None:
            raise self.error(TypingError, node, f"it returns {self.result} elsewhere, and {type_} here")
        if isinstance(to, types.FixedArray):
            if self.has_local_arrays and not self.has_shared_arrays:
                hint = "hand the function an array to write to"
                raise self.error(UnsupportedError, node, "it returns a local array, which ends with the call", hint)
            to = to.loose
        if self.has_copies and _holds_arrays(to):
            hint = "hand the function an array to write to"
            raise self.error(UnsupportedError, node, "it makes copies of arrays, which end with the call, and returns an array", hint)
        if to != self.result:
            self.result, self.changed = to, True
        if isinstance(to, types.NoneType):
            return self.emit("return;")
        return self.emit(f"return {self.converted(value or Value(types.none), to, node).text};")

    def ends_without_value(self):
        """What other functions call gives None where it ends without `return`."""
        if self.is_kernel or self.result in (None, types.none) or self.program.in_work[0] is self:
            return
        to = self.either_type(self.result, types.none)
        if to != self.result:
            self.result, self.changed = to, True

    def retyped(self, variable, value, node):
        """The name's variable from this assignment on, whose value is of another type."""
        if not self.retypes or isinstance(variable.type, types.Optional):
            said = f"'{variable.name}' is {variable.type} before, and cannot also be {value.type}"
            raise self.error(TypingError, node, said, "use another name for it")
        return self.of_another_type(variable.name, node)

    def stmt_Assert(self, node):
        if self.reports:
            test = self.condition(node.test).text
            self.emit(f"if (!({test})) {{")
            self.depth += 1
            self.stop("", exception_of(self, ast.Call(ast.Name("AssertionError"), [node.msg] if node.msg else [], [])))
            self.depth -= 1
            self.emit("}")
        elif self.program.debug:
            self.emit(f"assert({self.condition(node.test).text});")

    def stmt_Raise(self, node):
        if node.exc is None:
            raise self.error(UnsupportedError, node, "there is nothing to raise again", "name an exception")
        self.stop(ast.unparse(node), exception_of(self, node.exc) if self.reports else None)

    def stop(self, said, raised):
        """The thread ends; without debugging nobody looks at its errors. ``raised``: class and arguments; ``said``: as text."""
        if self.reports:
            self.emit(f"now.left = {self.program.raised.number(*raised, self.source, self.at)};")
        elif self.program.debug:
            text = said.replace("\\", "\\\\").replace('"', '\\"')
            self.emit(f'assert(!"{text}");')
        self.leave()

    def leave(self):
        if self.reports and self.is_kernel:
            self.emit("now.tell();")
        self.emit("return;" if self.is_kernel or self.result in (None, types.none) else "return {};")

    def leave_if(self, test):
        self.emit(f"if ({test}) {{")
        self.depth += 1
        self.leave()
        self.depth -= 1
        self.emit("}")

    def stop_if(self, test, kind, text):
        """The thread raises ``kind(text)`` there."""
        self.emit(f"if ({test}) {{")
        self.depth += 1
        self.stop(f"{kind.__name__}({text!r})", (kind, (text,)))
        self.depth -= 1
        self.emit("}")

    def stmt_Delete(self, node):
        for target in node.targets:
            if not isinstance(target, ast.Name):
                raise self.error(UnsupportedError, target, f"`del {ast.unparse(target)}` has no meaning in a kernel", "elements stay")
            self.expression(_as_load(target))

    def stmt_FunctionDef(self, node):
        self.assign(node.name, self.function_within(node), node)


def _holds_arrays(type_):
    return isinstance(type_, types.Array) or (isinstance(type_, types.Tuple) and any(map(_holds_arrays, type_.types)))


def from_parts(type_, text, parameters):
    """The text that makes a tuple of its parts, which are added to ``parameters``."""
    texts = []
    for i, part in enumerate(type_.types):
        name = f"{text}_{i}"
        if isinstance(part, types.Tuple):
            texts.append(from_parts(part, name, parameters))
        else:
            parameters.append((part, name))
            texts.append(name)
    return f"{type_.c}{{{', '.join(texts)}}}"


def _as_load(node):
    return ast.copy_location(ast.Name(node.id, ast.Load()), node)


_IMPORT = "import it at the head of the file"
# Statements that kernels do not have: as Python spells them, and what to write instead.
_NOT_SERVED = {
    "Try": ("try", "test what may fail before it does"),
    "TryStar": ("try", "test what may fail before it does"),
    "With": ("with", "write what it does"),
    "AsyncWith": ("async with", "write what it does"),
    "AsyncFor": ("async for", "write for"),
    "Global": ("global", "write into an array that the kernel is given"),
    "Nonlocal": ("nonlocal", "write into an array that the kernel is given"),
    "Import": ("import", _IMPORT),
    "ImportFrom": ("import", _IMPORT),
    "ClassDef": ("class", "write it outside; kernels work on numbers, tuples and arrays"),
    "AsyncFunctionDef": ("async def", "write a function outside, with @cuda.jit(device=True)"),
}
