"""One Python function for given types of arguments, as a C++ function.

The tree is walked several times: types of variables are what all their assignments unify to, so it is walked until they do not
change; the text of the last walk counts. Expressions are in expressions.py.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from quern.kernel import times, types
from quern.kernel.errors import DEBUGGER, TypingError, UnsupportedError
from quern.kernel.expressions import Expressions
from quern.kernel.raised import exception_of, failing_assert
from quern.kernel.value import NotYet, Value, cast, part_text
from quern.kernel.variable_types import Loop, Meanings, Variable
from quern.tools.check import columns

MOST_WALKS = 200


class Function(Expressions, Meanings):
    """``parameters``: a type for each argument. ``program`` knows all functions of the kernel (program.py)."""

    def __init__(self, program, source, parameters, symbol, is_kernel, settings=None):
        self.program, self.source, self.parameters, self.symbol, self.is_kernel = program, source, parameters, symbol, is_kernel
        self.settings = program.settings if settings is None else settings
        self.locals = dict(self.settings.locals)  # types that names are given
        self.result = None  # the type that it returns, once that is known
        self.has_local_arrays = self.has_shared_arrays = self.has_copies = False
        self.at = None  # the statement
        self.variables = {}  # what names mean at the place that is compiled
        self.truths = {}  # of the tests that constants decide (dead_branches.py)
        self.slots = {}  # (name, type) -> Variable
        self.only = {}  # where a name has one variable: which
        self.joins, self.walks = {}, 0
        self.falls_through = False  # does it end without `return`, on some of its ways?
        self.guesses = {}  # functions that call it while they are compiled -> what they were taken to return
        self.calls, self.is_recursive = set(), False  # functions; does one of them call it again?
        self.stops = False  # does it contain anything that ends a thread with an error?
        self.written = set()  # parameters whose memory it writes
        self.head = []  # declarations
        self.lines = []
        self.depth = 1
        self.counter = 0
        self.changed = False
        self.exits = []  # the loops around
        self.aliases = {}  # names of arrays that see a parameter's memory
        self.found = {}  # names of arrays that it, or what it calls, finds around it, and their types: parameters behind the others
        self.arguments = {}  # the parameters' Variables
        self.target = ""  # the name that what is computed now will have; "" if it is not known
        self.flagged = set()  # loops that must say whether `break` has left them
        self.unrolled = []  # for each loop around that is written out: which of its rounds

    # ---- the whole

    def compile(self):
        """Types and text; returns self."""
        tree = self.source.tree
        names = [a.arg for a in tree.args.posonlyargs + tree.args.args]
        if isinstance(tree, ast.AsyncFunctionDef):
            raise self.error(UnsupportedError, tree, "`async def` is not supported in a kernel", "write def")
        if tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs:
            raise self.error(UnsupportedError, tree, "*args, **kwargs and keyword-only parameters are not supported in a kernel")
        defaults = dict(zip(reversed(names), reversed(self.source.function.__defaults__ or ()), strict=False))
        missing = names[len(self.parameters) :]
        if len(names) < len(self.parameters) or not all(name in defaults for name in missing):
            least = len(names) - len(defaults)
            takes = len(names) if not defaults else f"{least} to {len(names)}"
            raise self.error(TypingError, tree, f"it takes {takes} argument{'s' * (takes != 1)}, not {len(self.parameters)}")
        for name, type_ in zip(names, self.parameters, strict=False):
            variable = self.arguments[name] = Variable(name, type_, natural=False)
            variable.is_parameter = True
            if isinstance(type_, types.Known):
                variable.const = type_.obj
            self.slots[name, type_] = self.only[name] = variable
        omitted = {name: types.none if defaults[name] is None else types.Known(defaults[name]) for name in missing}
        self.find_truths({**dict(zip(names, self.parameters, strict=False)), **omitted})
        if self.reports and self.is_kernel:
            self.found["raised_words"] = types.Array(types.uint32, 1, "C")
            self.written.add("raised_words")
        for _ in range(MOST_WALKS):
            self.changed = False
            self.head, self.lines, self.counter, self.depth = [], [], 0, 1
            self.begin_walk()
            for name, type_ in zip(names, self.parameters, strict=False):
                self.begin_with(name, type_)
            for name in missing:
                self.assign(name, self.of_object(defaults[name], tree), tree)
            self.at, self.postponed = tree, None
            try:
                if isinstance(tree, ast.Lambda):
                    self.give_back(self.expression(tree.body), tree)
                else:
                    self.falls_through = not self.block(tree.body)
                    if self.falls_through:
                        self.ends_without_value()
            except RecursionError:
                raise self.error(UnsupportedError, self.at, "this is nested too deeply", "give parts of it names") from None
            if self.changed or not self.is_settled():
                continue
            if self.is_done():
                break
        else:
            raise self.error(TypingError, tree, "the types of its variables do not converge")
        return self

    def is_done(self):
        """After a walk that has found nothing new. Raises what the walk has put off where no further one can know more."""
        waits_for = self.postponed.of if self.postponed is not None else None
        is_endless = waits_for is self and (self.result is not None or not self.falls_through)
        if self.postponed is not None and (waits_for is None or is_endless):
            raise self.postponed.error
        if waits_for not in (None, self):  # a function around this one, which knows more after this walk
            if self.result is None:
                raise self.postponed
            self.guesses[waits_for] = None
            return True
        if self.result is not None:
            return True
        self.result = types.none  # nothing returns a value
        return waits_for is None and not any(self in f.guesses for f in self.program.functions.values())

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
        for variable in dict.fromkeys(self.used.values()):
            if variable.is_declared:
                lines.append(f"  {variable.type.c} {variable.text}{{}};")
        lines += ["  " + line for line in self.head]
        lines += self.lines
        if not self.is_kernel and not isinstance(self.result, types.NoneType) and not self.lines[-1].startswith("  return"):
            lines.append("  return {};")  # Python gives None here; C++ may do anything
        lines.append("}")
        return "\n".join(columns.placed(lines, self.source.file) if self.program.checked else lines)

    def prototype(self):
        kept = [*(v.type for v in self.arguments.values()), *self.found.values()]
        parameters = [t.c for t in kept if not isinstance(t, (types.NoneType, types.Known))] + ["status&"] * self.reports
        return f"static __device__ {self.result.c} {self.symbol}({', '.join(parameters)});"

    def parameter_names(self):
        return [*self.arguments, *self.found]

    offers_local_arrays = True  # cuda.local.array

    def error(self, kind, node, message, hint=""):
        return self.source.error(kind, node, message, hint)

    def final_error(self, node, message, hint=""):
        """An error that Numba has, too: Python does not run the function instead."""
        error = self.error(TypingError, node, message, hint)
        error.is_final = True
        return error

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

    def marked(self, node, text, mark=columns.marked):
        """The text, which for `quern check` has the node's column."""
        if not self.program.checked or not hasattr(node, "col_offset"):
            return text
        return mark(text, self.source.line(node), self.source.indent + node.col_offset)

    def place(self, node):
        self.lines.append(f'#line {self.source.line(node)} "{self.source.file}"')

    # ---- variables

    def begin_with(self, name, type_):
        """A parameter begins with its argument."""
        argument, variable = self.arguments[name], self.mean(name, self.locals.get(name, type_))
        if variable is not argument:  # it gets values of other types, too
            self.emit(f"{variable.text} = {self.converted(Value(type_, argument.text), variable.type, self.source.tree).text};")

    def assign(self, name, value, node):
        value = self.of_given_type(name, self.done(value), node)
        if getattr(value.const, "is_looped_over", False):
            raise self.error(UnsupportedError, node, f"{value.type} is not kept in a variable", "write it where it is looped over")
        given = value.own_type
        if isinstance(given, types.Known):
            if name in self.only and self.only[name].type != given and not self.retypes:
                self.refuse_type(name, given, node)
            self.mean(name, given).const = value.const
            return
        is_none = isinstance(given, types.NoneType)
        if not is_none:
            self.tangible(value, node)
        variable = self.mean(name, given) if self.retypes else self.widened(name, given, node)
        if is_none and variable.type == types.none:
            return
        if name in self.source.assigned_once:
            variable.fixed = value.foreseen
        natural = variable.natural and (value.natural or is_none)
        if natural != variable.natural:
            variable.natural, self.changed = natural, True
        if isinstance(value.type, (types.Array, types.Tuple, types.Record)):
            for of in self.memory_of(value):
                self.alias(name, of)
        self.emit(f"{variable.text} = {self.converted(value, variable.type, node).text};")

    def of_given_type(self, name, value, node):
        """The value as the type that the option ``locals`` gives the name. Raises a TypingError where it does not convert."""
        to = self.locals.get(name)
        if to is None or value.own_type == to:
            return value
        try:
            made = self.converted(value, to, node)
        except TypingError as e:
            raise self.final_error(node, f"No conversion from {value.own_type} to {to} for '{name}'", "change it in `locals`") from e
        return Value(to, made.text, name=value.name)

    def widened(self, name, given, node):
        """The one variable of a name, of the type that all its values unify to."""
        variable = self.only.get(name)
        if variable is not None and variable.type != given:
            to = None if isinstance(variable.type, types.Known) else self.either_type(variable.type, given)
            if to is None:
                self.refuse_type(name, given, node)
            if to != variable.type and variable.is_parameter:
                variable = self.only[name] = Variable(name, natural=False)
                variable.text = f"own_{variable.text}"
            if to != variable.type:
                variable.type, self.changed = to, True
        return self.mean(name, given)

    def refuse_type(self, name, given, node):
        said = f"'{name}' is {self.only[name].type} before, and cannot also be {given}"
        raise self.error(TypingError, node, said, "use another name for it")

    def tangible(self, value, node):
        """Raises TypingError for a tuple with something in it that has no value in a kernel."""
        for part in value.type.types if isinstance(value.type, types.Tuple) else ():
            if isinstance(part, types.Known):
                hint = "tuples that are kept or handed over hold numbers, arrays and tuples"
                raise self.error(TypingError, node, f"{part} would be part of a tuple", hint)
            self.tangible(Value(part), node)

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
            return Value(to, f"{to.c}{{{value.maybe or 'true'}, {self.converted(replace(value, maybe=''), to.type, node).text}}}")
        value = self.present(value, node)
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
            parts = [part_text(self.converted(self.part(value, i), t, node)) for i, t in enumerate(to.types)]
            return Value(to, f"{to.c}{{{', '.join(parts)}}}")
        raise self.error(TypingError, node, f"{value.type} does not convert to {to}")

    def present(self, value, node):
        """A value that is needed where it may be None: functions that raise raise there, as Numba's do."""
        if value.maybe and (self.program.raises or self.reports):
            self.stop_if(f"!{value.maybe}", TypeError, f"expected {value.type}, got None")
        return replace(value, maybe="") if value.maybe else value

    # ---- statements

    def block(self, nodes):
        """Compiles statements up to one after which nothing runs; was there one?"""
        for node in nodes:
            method = getattr(self, "stmt_" + type(node).__name__, None)
            if method is None:
                word, instead = _NOT_SERVED.get(type(node).__name__, (type(node).__name__.lower(), ""))
                if word == "import" and "pdb" in ast.unparse(node):
                    instead = DEBUGGER
                raise self.error(UnsupportedError, node, f"`{word}` is not supported in a kernel", instead)
            self.place(node)
            self.at = node
            before = self.depth, len(self.exits), len(self.unrolled)
            try:
                left = method(node)
            except NotYet as e:  # a loop's round before may have given it a value: the next walk knows
                self.depth, exits, unrolled = before
                del self.exits[exits:], self.unrolled[unrolled:]
                self.postponed, left = self.postponed or e, False
            if isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)) or (isinstance(node, _BLOCKS) and left):
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
        return self.emit(f"{place.place or place.text} {self.marked(node, '=')} {self.converted(made, place.type, node).text};")

    def store(self, target, value):
        if isinstance(target, ast.Name):
            return self.assign(target.id, value, target)
        if isinstance(target, (ast.Tuple, ast.List)):
            starred = next((t for t in target.elts if isinstance(t, ast.Starred)), None)
            if starred is not None:
                raise self.error(UnsupportedError, starred, f"`{ast.unparse(starred)}` is not supported in a kernel", "name each value")
            parts = self.parts(value, target)
            if len(parts) != len(target.elts):
                raise self.final_error(target, f"there are {len(parts)} values for {len(target.elts)} names")
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
        def inside(nodes):
            return None if self.inner(nodes) else True

        self.emit(f"if ({condition.text}) {{")
        (goes_on, lines), (else_goes_on, else_lines) = self.joined(node, lambda: inside(node.body), lambda: inside(node.orelse))
        self.lines += lines
        if else_lines:
            self.emit("} else {")
            self.lines += else_lines
        self.emit("}")
        return not (goes_on or else_goes_on)

    def inner(self, nodes):
        self.depth += 1
        left = self.block(nodes)
        self.depth -= 1
        return left

    def stmt_While(self, node):
        # The condition may need statements of its own, so it is evaluated inside.
        if self.truths.get(node.test) is False:
            return self.block(node.orelse)
        loop = self.loop(node)
        self.enter_loop(loop)
        self.emit("for (;;) {")
        self.depth += 1
        condition = self.condition(node.test)
        loop.ended = None if condition.is_const and condition.const else dict(self.variables)
        self.emit(f"if (!({condition.text})) break;")
        self.loop_body(node, loop)
        self.depth -= 1
        self.emit("}")
        return self.after_loop(node, loop)

    def stmt_For(self, node):
        iterable, loop = self.listed(node.iter), self.loop(node)
        self.loops_over(node, iterable, loop)
        return self.after_loop(node, loop)

    def loop(self, node):
        key = self.key(node)
        if not node.orelse and key not in self.flagged:
            return Loop(key, "")
        flag = self.temporary("broken")
        self.emit(f"bool {flag} = false;")
        return Loop(key, flag)

    def loop_body(self, node, loop):
        """The body of a loop that C++ has as one."""
        self.exits.append(loop)
        if not self.block(node.body):
            self.next_round(loop)
        self.exits.pop()

    def after_loop(self, node, loop):
        """What runs where a loop ends by itself; is the place behind the loop never reached?"""
        if loop.ended is not None:
            self.variables = loop.ended
            _, lines = self.apart(lambda: None if self.inner(node.orelse) else self.edge(loop.after))
            if lines and not loop.flag:
                self.flagged.add(self.key(node))
                self.changed = True
            if lines and loop.flag:
                self.emit(f"if (!{loop.flag}) {{")
                self.lines += lines
                self.emit("}")
        return not self.arrive(loop.after)

    def stmt_Break(self, node):
        self.edge(self.exits[-1].after)
        self.emit(self.exits[-1].leave)

    def stmt_Continue(self, node):
        self.next_round(self.exits[-1])
        self.emit(self.exits[-1].go_on)

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
                raise self.error(TypingError, node, "CUDA kernel must have void return type", "write the result into an array argument")
            return self.emit("return;")
        type_ = types.none if value is None else value.own_type
        to = type_ if self.result is None else self.either_type(self.result, type_)
        if to is None:
            raise self.error(TypingError, node, f"it returns {self.result} elsewhere, and {type_} here")
        if isinstance(to, types.FixedArray):
            if self.has_local_arrays and not self.has_shared_arrays:
                hint = "pass the function an array to write to"
                raise self.error(UnsupportedError, node, "it returns a local array, which ends with the call", hint)
            to = to.loose
        if self.has_copies and _holds_arrays(to):
            hint = "pass the function an array to write to"
            raise self.error(UnsupportedError, node, "it makes copies of arrays, which end with the call, and returns an array", hint)
        if to != self.result:
            self.result, self.changed = to, True
        if isinstance(to, types.NoneType):
            return self.emit("return;")
        return self.emit(f"return {self.converted(value or Value(types.none), to, node).text};")

    def ends_without_value(self):
        """As in Python it gives None there."""
        if self.is_kernel or self.result in (None, types.none):
            return
        to = self.either_type(self.result, types.none)
        if to != self.result:
            self.result, self.changed = to, True

    def stmt_Assert(self, node):
        self.program.may_raise = self.stops = True
        if self.is_told:
            test = self.condition(node.test).text
            self.emit(f"if (!({test})) {{")
            self.depth += 1
            self.stop(exception_of(self, ast.Call(ast.Name("AssertionError"), [node.msg] if node.msg else [], [])))
            self.depth -= 1
            self.emit("}")
        elif self.program.debug:
            self.emit(f"assert({self.condition(node.test).text});")

    def stmt_Raise(self, node):
        if node.exc is None:
            raise self.error(UnsupportedError, node, "there is nothing to raise again", "name an exception")
        self.stop(exception_of(self, node.exc) if self.is_told else None, ast.unparse(node))

    def stop(self, raised, said=""):
        """The thread ends; without debugging nobody reads its errors. ``raised``: class and arguments; ``said``: as text."""
        self.program.may_raise = self.stops = True
        if self.reports:
            self.emit(f"now.left = {self.program.raised.number(*raised, self.source, self.at)};")
        elif self.program.raises:
            self.emit(f"raise_number(__FILE__, __LINE__, {', '.join(self.program.raising(*raised))});")
        elif self.program.debug:
            text = said.replace("\\", "\\\\").replace('"', '\\"')
            self.emit(f'assert(!"{text}");')
        self.leave()

    @property
    def is_told(self):
        """Does somebody learn what exception it raises?"""
        return self.reports or self.program.raises

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

    def stopping(self, kind, said):
        """The arguments of a check of the prelude's that ends the thread with ``kind(said)``."""
        self.stops = True
        return failing_assert(kind, said)

    def stop_if(self, test, kind, text):
        """The thread raises ``kind(text)`` there."""
        self.emit(f"if ({test}) {{")
        self.depth += 1
        self.stop((kind, (text,)), f"{kind.__name__}({text!r})")
        self.depth -= 1
        self.emit("}")

    def stmt_Delete(self, node):
        for target in node.targets:
            if not isinstance(target, ast.Name):
                raise self.error(UnsupportedError, target, f"`del {ast.unparse(target)}` is not supported in a kernel", "elements stay")
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
        elif isinstance(part, types.NoneType):
            texts.append(part_text(Value(part)))
        else:
            parameters.append((part, name))
            texts.append(name)
    return f"{type_.c}{{{', '.join(texts)}}}"


def _as_load(node):
    return ast.copy_location(ast.Name(node.id, ast.Load()), node)


_BLOCKS = (ast.If, ast.While, ast.For)
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
