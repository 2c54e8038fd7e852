"""Program: a kernel with all functions that it calls, as one text of CUDA C++."""

from __future__ import annotations

import re

import numpy

from quern.kernel import types
from quern.kernel.errors import TypingError, UnsupportedError
from quern.kernel.function import Function, from_parts
from quern.kernel.linked import POINTER, LinkedCode, prototypes
from quern.kernel.raised import RAISE
from quern.kernel.settings import DEFAULT
from quern.kernel.signatures import typeof
from quern.kernel.source import source_of
from quern.kernel.value import NotYet, Value, literal_text
from quern.lib import _engine

_HEAD = '#include "quern/python.cuh"\n'
# What is read where it is needed alone: NVRTC reads every line anew for each kernel.
_NO_SHORT_FLOATS = "#define QUERN_NO_SHORT_FLOATS\n"
_ATOMICS = '#include "quern/python_atomics.cuh"\n'
_WHOLE_ARRAYS = '#include "quern/python_arrays.cuh"\n'
COOPERATIVE = '#include "cooperative_groups.h"\n'
_RAISED = '#include "quern/python_raised.cuh"\n'
_CHECKED = '#include "quern/python_checked.cuh"\n'
_TIMES = '#include "quern/python_times.cuh"\n'
_TURNED = '#include "quern/turned.cuh"\n'
watchers = []  # are called with the Source of each function that is compiled
MOST_NESTED = 50  # calls inside of each other
MOST_CONSTANTS = 8192  # elements of a global array that become text


_CAST = re.compile(r"\bcast<")


class Program:
    """``function``: the Python function; ``parameters``: the type of each argument.

    ``text`` is the CUDA C++ of all of it, ``kernel`` the Function (whose ``result`` is the type that a device function returns).
    ``debug``: asserts count. ``raises``: the host learns what the function raises. ``settings``: when it does (settings.py).
    ``may_raise``: whether it contains anything that raises, reported to the host or not.
    ``links``: what it is linked with (linked.py).
    ``finds``: who launches it hands the arrays ``found``, those that ``kernel.found`` names, over behind its arguments.
    ``raised``: with it, what threads raise goes there (raised.py), by memory that who launches it hands over as the first of ``found``.
    ``of_host``: numbers convert as on the host, where an integer takes the low bits of a real that it cannot hold, not as in CUDA.
    ``rules``: the class that compiles its functions, for other types than Numba's (cupy_rules.py).
    """

    def __init__(
        self,
        function,
        parameters,
        is_kernel=True,
        debug=False,
        attributes="",
        symbol=None,
        links=(),
        raises=False,
        rules=Function,
        finds=False,
        raised=None,
        settings=DEFAULT,
        of_host=False,
    ):
        self.of_host = of_host
        self.debug, self.raises, self.settings, self.rules = debug, raises, settings, rules
        self.checked = _engine.checks_on()  # is it compiled for `quern check`?
        self.linked = {}  # LinkedText or LinkedCode -> None, in order
        self.declared = {}  # (name, signature, abi) of a function of C++ -> its wrapper's text
        self.link(links)
        self.functions = {}  # (Python function, types, settings) -> Function
        self.symbols = {}  # the same -> its name in the text, also when it is compiled again
        self.in_work = []
        self.constants = {}  # id -> (array, name, text)
        self.kept = {}  # id of a record -> an array of it
        self.dynamic_shared_place = None
        self.dynamic_shared_sizes = set()  # of the elements of such arrays
        self.largest_shared = (-1, None, None)  # bytes of the largest shared array, and where it is: Function, node
        self.raised, self.exceptions, self.may_raise = raised, [], False
        self.finds, self.found = finds, {}  # name -> an array of the device that the functions found around them
        self.is_cooperative = False  # do its blocks wait for each other?
        self.headers = {}  # lines that the text begins with -> None, in order
        source = self._source(function)
        # A kernel may be called `double` or `exp`, which mean something in C++ or to the linker.
        # Of functions no name is one of the prelude's: f(x) = x ** 2 may be called `square`.
        self.kernel = rules(self, source, tuple(parameters), symbol or (source.symbol if is_kernel else f"{source.symbol}_0"), is_kernel)
        if is_kernel:
            show_as(self.kernel.symbol, source)
        self.functions[function, tuple(parameters), settings] = self.kernel
        self.in_work.append(self.kernel)
        self.kernel.compile()
        if raises:
            self._check_recursion()
        self.attributes = attributes
        self._body = None

    def _source(self, function):
        source = source_of(function)
        for watcher in watchers:
            watcher(source)
        return source

    def function(self, callee, parameters, settings, caller, node):
        """The function that a call means, for these types."""
        found = self._function(callee, parameters, settings, caller, node)
        caller.calls.add(found)
        return found

    def _function(self, callee, parameters, settings, caller, node):
        found = self.functions.get((callee, parameters, settings))
        if found is not None and found in self.in_work:
            if found.result is None and found.is_kernel:
                raise caller.error(UnsupportedError, node, "a kernel cannot call itself")
            for one in self.in_work[self.in_work.index(found) + 1 :]:  # they go by a result that may still change
                one.guesses[found] = found.result
            if found.result is None:
                hint = "return a value where the function does not call itself"
                raise NotYet(caller.error(TypingError, node, "the return type of this recursive call cannot be inferred", hint), found)
            found.is_recursive = True
            return found
        if found is not None and all(of.result == result for of, result in found.guesses.items()):
            for of in found.guesses.keys() & set(self.in_work):  # what it goes by, its callers go by
                for one in self.in_work[self.in_work.index(of) + 1 :]:
                    one.guesses[of] = of.result
            return found
        if len(self.in_work) > MOST_NESTED:
            hint = "a function that calls itself does so with the same types"
            raise caller.error(TypingError, node, f"calls are nested more than {MOST_NESTED} deep, each with other types", hint)
        source = self._source(callee)
        symbol = self.symbols.setdefault((callee, parameters, settings), f"{source.symbol}_{len(self.symbols) + 1}")
        found = self.rules(self, source, parameters, symbol, False, settings)
        self.functions[callee, parameters, settings] = found
        self.in_work.append(found)
        try:
            found.compile()
        except BaseException:
            del self.functions[callee, parameters, settings]
            raise
        finally:
            self.in_work.remove(found)
        return found

    def _check_recursion(self):
        """Refuse functions that call themselves and raise errors: calls that stay calls cannot end the thread."""
        for function in self.functions.values():
            open_, seen = [function] if function.is_recursive else [], set()
            while open_:
                one = open_.pop()
                if one in seen:
                    continue
                seen.add(one)
                open_ += one.calls
                if one.stops:
                    hint = "write a loop, or divide and index where the function does not call itself"
                    what = "a function that calls itself is not compiled where it may raise an error (raise, assert, /, //, %)"
                    raise one.error(UnsupportedError, one.source.tree, what, hint)

    def raising(self, kind, arguments):
        """Return the words by which a function for the host reports that exception."""
        self.exceptions.append((kind, arguments))
        return [f"{len(self.exceptions) - 1}ull", *(word for a in arguments for word in getattr(a, "words", ()))]

    def link(self, codes):
        self.linked.update(dict.fromkeys(codes))

    @property
    def linked_code(self):
        """Of what it is linked with, the compiled code, as the engine takes it: (kind, bytes, name)."""
        return [(code.kind, code.data, code.name) for code in self.linked if isinstance(code, LinkedCode)]

    def has_shared(self, size, compiler, node):
        if size > self.largest_shared[0]:
            self.largest_shared = (size, compiler, node)

    def uses_dynamic_shared(self, source, node, dtype):
        self.dynamic_shared_sizes.add(dtype.bits // 8)
        if self.dynamic_shared_place is None:
            self.dynamic_shared_place = f"{source.file}:{source.line(node)}"

    def dynamic_shared_element(self):
        """Bytes of an element where the arrays that findings of `quern check` do not name are in dynamic shared memory; else None."""
        functions = [self.kernel, *self.functions.values()]
        has_others = self.constants or any(f.has_shared_arrays or f.has_local_arrays for f in functions)
        return None if has_others or len(self.dynamic_shared_sizes) != 1 else next(iter(self.dynamic_shared_sizes))

    def constant_array(self, compiler, array, node):
        """A global NumPy array, with the values that it has now."""
        if array.size == 0:
            return self._empty_array(compiler, array, node)
        found = self.constants.get(id(array))
        if found is None:
            try:
                dtype = types.of_dtype(array.dtype)
            except TypeError as e:
                raise compiler.error(TypingError, node, str(e)) from None
            count = array.nbytes // 8 if isinstance(dtype, types.Record) else array.size
            if count > MOST_CONSTANTS:
                raise compiler.error(
                    TypingError,
                    node,
                    f"a global array of {array.size} elements is too large to become part of a kernel",
                    "pass it as an argument",
                )
            name = f"constant_{len(self.constants)}"
            text = _constant_text(name, array, dtype)
            found = self.constants[id(array)] = (array, name, text)
        dtype = types.of_dtype(array.dtype)
        type_ = types.FixedArray(dtype, array.shape or (1,))
        type_.readonly = True
        return Value(type_, f"{type_.c}{{reinterpret_cast<{dtype.memory}*>(const_cast<void*>(reinterpret_cast<const void*>({found[1]})))}}")

    @staticmethod
    def _empty_array(compiler, array, node):
        try:
            type_ = types.FixedArray(types.of_dtype(array.dtype), array.shape)
        except TypeError as e:
            raise compiler.error(TypingError, node, str(e)) from None
        type_.readonly = True
        return Value(type_, f"{type_.c}{{nullptr}}")

    def found_array(self, compiler, array):
        """An array of the device that a function finds around it: a parameter behind the others, in all that it is called by."""
        name = next((n for n, known in self.found.items() if known is array), f"found_{len(self.found)}")
        self.found[name] = array
        if name not in compiler.found:
            compiler.found[name], compiler.changed = typeof(array), True
        return Value(compiler.found[name], name, name=name)

    def body(self):
        """The text without the includes, in the namespace of Python's kernels."""
        parts = ["namespace quern {\nnamespace py {", *[RAISE] * bool(self.exceptions)]
        parts += [text for _, _, text in self.constants.values()]
        if self.declared:
            parts += [POINTER, *self.declared.values()]
        others = [f for f in self.functions.values() if f is not self.kernel]
        parts += [f.prototype() for f in (others if self.kernel.is_kernel or not others else self.functions.values())]
        parts += [f.text() for f in others]
        end = "}  // namespace py\n}  // namespace quern"
        kernel = self.kernel.text(self.attributes)
        parts += [end, "using namespace quern::py;", kernel] if self.kernel.is_kernel else [kernel, end]
        return self._casting("\n".join(parts) + "\n")

    def _casting(self, text):
        """The text with the casts of its language. The prelude is compiled before, so that no macro of the text can choose there."""
        return _CAST.sub("host::cast<", text) if self.of_host else text

    def caller(self, results):
        """A text with a kernel of one thread that calls the function: results of these array types, then the function's arguments."""
        function = self.kernel
        parameters, lines, names = [(t, f"r_{i}") for i, t in enumerate(results)], [], []
        for i, type_ in enumerate(function.parameters):
            if isinstance(type_, types.Tuple):
                lines.append(f"  {type_.c} a_{i} = {from_parts(type_, f'a_{i}', parameters)};")
            elif not isinstance(type_, types.NoneType):
                parameters.append((type_, f"a_{i}"))
            if not isinstance(type_, types.NoneType):
                names.append(f"a_{i}")
        call = f"::quern::py::{function.symbol}({', '.join(names)})"  # `a_0` may be a function's name as well
        if results:
            lines.append(f"  const auto value = {call};")
            lines += [f"  r_{i}(0) = {part};" for i, part in enumerate(_numbers(function.result, "value"))]
        else:
            lines.append(f"  {call};")
        head = ", ".join(f"{t.c} {name}" for t, name in parameters)
        kernel = "\n".join([f'extern "C" __global__ void call_{function.source.symbol}({head}) {{', *lines, "}"])
        return f"{self.text}using namespace quern::py;\n{kernel}\n"

    def inline(self):
        """The text for inside of another's namespace: functions alone."""
        if self.linked or self.declared:
            raise UnsupportedError(f"[{self.kernel.source.name}] functions of CUDA C++ can be called in kernels only")
        parts = ["using namespace quern::py;", *["struct status { unsigned int left = 0; };"] * (self.raised is not None)]
        parts += [text for _, _, text in self.constants.values()]
        others = [f for f in self.functions.values() if f is not self.kernel]
        parts += [f.prototype() for f in self.functions.values()] * bool(others) + [f.text() for f in others] + [self.kernel.text()]
        return self._casting("\n".join(parts))

    @property
    def text(self):
        return self.text_of()

    def text_of(self, is_turned=False):
        """The whole text; turned, with x and y of a block's threads in each other's place (transposed_indexing.py)."""
        if self._body is None:
            self._body = self.body()
        lines = [code.lines() for code in self.linked]
        if any(isinstance(code, LinkedCode) for code in self.linked):
            lines.append(prototypes(self.linked, self.declared))
        head = [_HEAD]
        if not self.linked and "float16" not in self._body and "half" not in self._body:
            head.insert(0, _NO_SHORT_FLOATS)
        if self.checked:
            head.append(_CHECKED)
        if "atomic_" in self._body:
            head.append(_ATOMICS)
        if "whole::" in self._body:
            head.append(_WHOLE_ARRAYS)
        if "times::" in self._body:
            head.append(_TIMES)
        if self.is_cooperative:
            head.append(COOPERATIVE)
        if self.raised is not None:
            head.append(_RAISED)
        head += [line for line in self.headers if line not in head]
        if is_turned:
            head.append(_TURNED)
        return "".join([*head, *lines, self._body])


def show_as(symbol, source):
    """Messages name the kernel of that symbol as Python does."""
    if symbol != source.name:
        _engine.show_kernel_as(symbol, source.name)


def _constant_text(name, array, dtype):
    """The definition of a constant array. NVRTC takes constant expressions alone, and C++ has none for inf, NaN and half-precision numbers:
    arrays with such values are written as integers of the same bits."""
    flat = numpy.ravel(array)
    if isinstance(dtype, types.Record):
        return f"__device__ const __align__(16) unsigned char {name}[] = {{{', '.join(map(str, array.tobytes()))}}};"
    if isinstance(dtype, types.Complex):
        dtype, flat = dtype.part, flat.view(flat.real.dtype)
    if isinstance(dtype, types.Time):
        dtype, flat = types.int64, flat.view(numpy.int64)
    if dtype in types.HALVES or (isinstance(dtype, types.Float) and not numpy.isfinite(flat).all()):
        flat = flat.view(f"u{flat.dtype.itemsize}")
        dtype = types.of_dtype(flat.dtype)
    return f"__device__ const {dtype.c} {name}[] = {{{', '.join(literal_text(v, dtype) for v in flat.tolist())}}};"


def _numbers(type_, text):
    """The texts of the numbers that a value consists of: of an array its address, its shape and its strides; of what may be None first
    whether it is not."""
    if isinstance(type_, types.NoneType):
        return []
    if isinstance(type_, types.Optional):
        return [f"{text}.given", *_numbers(type_.type, f"{text}.value")]
    if isinstance(type_, types.Array):
        of_axes = [f"{text}.{of}({i})" for of in ("extent", "step") for i in range(type_.ndim)]
        return [f"reinterpret_cast<long long>({text}.data)", *of_axes]
    if not isinstance(type_, types.Tuple):
        return [text]
    return [part for i, t in enumerate(type_.types) for part in _numbers(t, f"{text}.get<{i}>()")]
