"""keep_sources(): the texts of functions that are in no file, made by exec(), eval() or compile(), so that they can be kernels."""

from __future__ import annotations

import inspect
import os
import sys

_texts: dict = {}  # a code's file name -> its texts, the latest one last
_is_on = False
MOST_TEXTS = 10_000  # of one name


def keep_sources():
    """Keep the source of functions that ``exec``, ``eval`` and ``compile`` make from now on, so that they can be kernels.

    ``quern run`` does so from the beginning. A second call changes nothing; it cannot be undone.

    Examples
    --------
    >>> import quern
    >>> import numpy as np
    >>> from quern import cuda
    >>> quern.keep_sources()  # doctest: +SKIP
    >>> names = {}
    >>> exec("def double(x): x[0] *= 2", names)
    >>> x = np.array([3.0])
    >>> cuda.jit(names["double"])[1, 1](x)  # doctest: +SKIP
    >>> x  # doctest: +SKIP
    array([6.])
    """
    global _is_on
    if not _is_on:
        _is_on = True
        sys.addaudithook(_see)


def _see(event, arguments):
    if event != "compile":
        return
    text, name = arguments
    if isinstance(text, (bytes, bytearray)):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return
    if not isinstance(text, str) or not isinstance(name, (str, bytes)) or ("def" not in text and "lambda" not in text):
        return
    name = os.fsdecode(name)
    if name == "<unknown>" or (not name.startswith("<") and os.path.exists(name)):  # of ast.parse(), or it is in a file
        return
    known = _texts.setdefault(name, {})
    known.pop(text, None)
    known[text] = None
    if len(known) > MOST_TEXTS:
        del known[next(iter(known))]


def text_of(code):
    """The text that the code was made from; None where it is not known."""
    near = None
    for text in reversed(list(_texts.get(code.co_filename, ()))):
        text = text.lstrip(" \t\f")  # as eval() reads it
        try:
            made = compile(text, "<unknown>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        for other in _inside(made):
            if (other.co_name, other.co_firstlineno) == (code.co_name, code.co_firstlineno):
                if _words(other) == _words(code):
                    return text
                near = near or text  # with other words at its head, as `from __future__` has
    return near


def _words(code):
    constants = [_words(c) if inspect.iscode(c) else (type(c), repr(c)) for c in code.co_consts]
    return code.co_name, code.co_code, code.co_names, code.co_varnames, constants


def _inside(code):
    for part in code.co_consts:
        if inspect.iscode(part):
            yield part
            yield from _inside(part)
