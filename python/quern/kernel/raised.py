"""Exceptions that kernels raise under ``debug=True``.

A thread that raises ends: a status goes back through the functions that it is in, so that others go on and the device lives. The first one
that does it leaves its number and its place in memory that the launch then looks at, and raises it on the host, as Numba does.
"""

from __future__ import annotations

import ast
import os
import threading

import numpy

from quern.arrays import core as _core
from quern.arrays.creation import zeros
from quern.device import current_device
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


def exception_of(compiler, node):
    """The class and the arguments of what ``raise`` raises; arguments that only the thread knows are their texts."""
    call = node if isinstance(node, ast.Call) else None
    value = compiler.expression(call.func if call else node)
    kind = value.const if value.is_const else None
    if isinstance(kind, BaseException) and call is None:
        return type(kind), kind.args
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise compiler.error(TypingError, node, "exceptions must derive from BaseException")
    return kind, tuple(_argument(compiler, a) for a in call.args) if call else ()


def _argument(compiler, node):
    if isinstance(node, ast.JoinedStr):
        parts = [_argument(compiler, v) if isinstance(v, ast.Constant) else f"{{{ast.unparse(v.value)}}}" for v in node.values]
        return "".join(map(str, parts))
    try:
        value, _ = compiler.apart(lambda: compiler.expression(node))
    except KernelError:
        return ast.unparse(node)
    return ast.unparse(node) if value.foreseen is MISSING else value.foreseen
