"""Exceptions that kernels raise under ``debug=True``, and functions for the host.

A function for the host ends with a failed assert whose text has a number, by which its Program knows what is raised, and the bits of the
arguments that only the function knows.

In kernels a thread that raises ends: a status goes back through the functions that it is in, so that others go on and the device lives.
The first one that does it leaves its number and its place in memory that the launch then reads, and raises it on the host, as Numba
does.
"""

from __future__ import annotations

import ast
import os
import re
import threading

import numpy

from quern.arrays import core as _core
from quern.arrays.creation import zeros
from quern.device import current_device
from quern.kernel import types
from quern.kernel.errors import KernelError, TypingError
from quern.kernel.value import MISSING

WORDS = 8  # of memory: see prelude/quern/python_raised.cuh


class Raised:
    """What the kernels of a dispatcher may raise, and where they leave that they did."""

    def __init__(self):
        self._numbers = {}  # what is raised where -> its number, from 1 up
        self._places = []  # for each number: class, arguments, function, file, line
        self._memory = {}  # device -> array
        self._lock = threading.Lock()

    def number(self, kind, arguments, source, node):
        """The number of an exception that a place of a kernel may raise."""
        place = (kind, arguments, source.name, source.file, source.line(node))
        number = self._numbers.setdefault((kind, repr(place)), len(self._numbers) + 1)
        if number > len(self._places):
            self._places.append(place)
        return number

    def memory(self, device):
        found = self._memory.get(device)
        if found is None:
            found = self._memory[device] = zeros(WORDS, numpy.uint32, device=device)
        return found

    def launched(self, launch, arguments):
        """Launches, waits, and raises what the kernel raises."""
        with self._lock:
            launch(*arguments)
            memory = self._memory[current_device()]
            words = _core.asnumpy(memory).tolist()
            if any(words):
                memory[...] = 0
        if words[0]:
            raise self._error(words)

    def error(self, number):
        """The exception of that number, as far as it is known without the thread."""
        kind, arguments = self._places[number - 1][:2]
        return kind(*arguments)

    def _error(self, words):
        kind, arguments, name, file, line = self._places[words[0] - 1]
        thread, block = words[3:0:-1], words[6:3:-1]  # z, y, x
        said = f"In function {name!r}, file {os.path.abspath(file)}, line {line}, tid={thread} ctaid={block}"
        return kind(f"{said}: {arguments[0]}", *arguments[1:]) if arguments else kind(said)


class RaisingLaunch:
    """``kernel[grid, block]`` of a kernel under ``debug=True``."""

    def __init__(self, launch, raised):
        self._launch, self._raised = launch, raised

    def __call__(self, *arguments):
        self._raised.launched(self._launch, arguments)

    def __getattr__(self, name):
        return getattr(self._launch, name)


# Fails as an assert does, with a text of numbers.
RAISE = """template <class... Words>
static __device__ void raise_number(const char* file, unsigned int line, Words... words) {
  const unsigned long long all[] = {words...};
  char text[7 + 17 * sizeof...(Words)];
  char* at = text;
  for (const char* word = "!raise"; *word; ++word) *at++ = *word;
  for (unsigned int i = 0; i < sizeof...(Words); ++i) {
    *at++ = ' ';
    for (int shift = 60; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[all[i] >> shift & 15];
  }
  *at = 0;
  __quern_assert_fail(text, file, line, "");
}"""


class Carried:
    """An argument of an exception that the function knows when it raises: a number, and the words that it is made of."""

    def __init__(self, value):
        self.type = value.type
        parts = [value.text]
        if isinstance(self.type, types.Complex):
            parts = [f"({value.text}).real()", f"({value.text}).imag()"]
        is_real = isinstance(self.type, (types.Float, types.Complex))
        self.words = [f"__quern_word(cast<{'double' if is_real else 'long long'}>({part}))" for part in parts]

    def taken(self, words):
        """Python's own number, as from Numba's functions."""
        if isinstance(self.type, (types.Float, types.Complex)):
            parts = numpy.array([words.pop(0) for _ in self.words], numpy.uint64).view(numpy.float64).tolist()
            return complex(*parts) if isinstance(self.type, types.Complex) else parts[0]
        return numpy.array([words.pop(0)], numpy.uint64).astype(self.type.dtype)[0].item()


class Several:
    """A tuple with such numbers in it."""

    def __init__(self, parts, kind):
        self.parts, self.kind = parts, kind
        self.words = [word for part in parts for word in getattr(part, "words", ())]

    def taken(self, words):
        made = [_taken(part, words) for part in self.parts]
        return self.kind._make(made) if hasattr(self.kind, "_make") else tuple(made)


class Formatted:
    """An f-string with such numbers."""

    def __init__(self, parts):
        self.parts = parts
        self.words = [word for part in parts if isinstance(part, Carried) for word in part.words]

    def taken(self, words):
        return "".join(str(part.taken(words)) if isinstance(part, Carried) else str(part) for part in self.parts)


def failing_assert(kind, said):
    """The arguments of the prelude's functions of a value that must hold: a failed assert that is ``kind(said)`` on the host."""
    return f"\"!\\\"{kind.__name__}('{said}')\\\"\", __FILE__, __LINE__"


_OF_ASSERTS = {kind.__name__: kind for kind in (ZeroDivisionError, IndexError)}


def raised_on_host(error, places):
    """The exception that a function for the host has raised; None: it is another failure. ``places``: class and arguments by number."""
    found = re.search(r"Assertion `!raise ([0-9a-f ]+)` failed", str(error))
    if found is None:
        found = re.search(rf"Assertion `!\"({'|'.join(_OF_ASSERTS)})\('([^']*)'\)", str(error))
        return None if found is None else _OF_ASSERTS[found[1]](found[2])
    number, *words = (int(word, 16) for word in found[1].split())
    kind, arguments = places[number]
    return kind(*(_taken(a, words) for a in arguments))


def _taken(argument, words):
    return argument.taken(words) if isinstance(argument, (Carried, Several, Formatted)) else argument


def exception_of(compiler, node):
    """The class and the arguments of what ``raise`` raises; of those that only the thread knows kernels tell the texts."""
    call = node if isinstance(node, ast.Call) else None
    if call is not None and call.keywords:
        raise compiler.error(TypingError, node, "exceptions take no keyword arguments in a kernel", "write them by position")
    value = compiler.expression(call.func if call else node)
    kind = value.const if value.is_const else None
    if isinstance(kind, BaseException) and call is None:
        return type(kind), kind.args
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise compiler.error(TypingError, node, "exceptions must derive from BaseException")
    return kind, tuple(_argument(compiler, a) for a in call.args) if call else ()


def _argument(compiler, node):
    if isinstance(node, ast.JoinedStr) and compiler.program.raises:
        return Formatted([_part(compiler, v) for v in node.values])
    if isinstance(node, ast.JoinedStr):
        parts = [_argument(compiler, v) if isinstance(v, ast.Constant) else f"{{{ast.unparse(v.value)}}}" for v in node.values]
        return "".join(map(str, parts))
    try:
        value, lines = compiler.apart(lambda: compiler.expression(node))
    except KernelError:
        return ast.unparse(node)
    if value.foreseen is not MISSING:
        return value.foreseen
    if not compiler.program.raises:
        return ast.unparse(node)
    length = len(compiler.lines)
    compiler.lines += lines
    carried = _carried(compiler, value, node)
    if carried is not None:
        return carried
    del compiler.lines[length:]
    return ast.unparse(node)


def _carried(compiler, value, node):
    """Return what passes a number or a tuple of numbers to the host; None for other values."""
    if value.foreseen is not MISSING:
        return value.foreseen
    if isinstance(value.type, types.Number):
        return Carried(compiler.kept(compiler.present(value, node)))
    if not isinstance(value.type, types.Tuple):
        return None
    parts = [_carried(compiler, part, node) for part in compiler.parts(value, node)]
    kind = value.type.instance_class if isinstance(value.type, types.NamedTuple) else tuple
    return None if any(part is None for part in parts) else Several(parts, kind)


def _part(compiler, node):
    """A part of an f-string."""
    if isinstance(node, ast.Constant):
        return node.value
    made = _argument(compiler, node.value) if node.format_spec is None and node.conversion == -1 else None
    return f"{{{ast.unparse(node.value)}}}" if made is None else made
