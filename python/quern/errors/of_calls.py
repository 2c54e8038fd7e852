"""Errors of calls that no binding of the engine accepts, in the words of the caller.

The one translator of such errors: bindings/call_errors.cpp calls `explained` for each of them. Its text names the public function (the
outermost frame of this package), the argument at fault and what it must be. It runs only when a call has failed.
"""

import os
import re
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_CLOSING = {"[": "]", "(": ")", "{": "}"}
# Python types of the engine, as users know them.
_WORDS = {"BareArray": "an array", "Array": "an array", "Device": "a device", "Stream": "a stream", "Program": "a module"}
_PLAIN = {"int": "an integer", "float": "a number", "bool": "a bool", "str": "a string", "bytes": "bytes", "None": "None"}


def _split(text, separator):
    """Split `text` at the separators that stand in no bracket."""
    parts, depth, start = [], 0, 0
    quote = ""
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "[({":
            depth += 1
        elif c in "])}":
            depth -= 1
        elif depth == 0 and text.startswith(separator, i):
            parts.append(text[start:i])
            start = i + len(separator)
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _parameters(signature):
    """Return (name, annotation, has a default) for each parameter of nanobind's signature text."""
    found = re.match(r"def \w+\((.*)\)(?: -> .*)?$", signature, re.DOTALL)
    parameters = []
    for part in _split(found.group(1), ",") if found else ():
        if part in ("/", "*"):
            continue
        name, _, rest = part.partition(":")
        annotation, _, default = rest.partition("=")
        name = name.partition("=")[0].strip()
        parameters.append((name, annotation.strip(), bool(default)))
    return parameters


def _is_a(value, annotation):
    """Return whether a binding accepts `value` for `annotation`; True where that is unknown."""
    options = _split(annotation, " | ")
    if len(options) > 1:
        return any(_is_a(value, option) for option in options)
    if annotation == "None":
        return value is None
    if annotation == "bool":
        return isinstance(value, bool)
    if annotation in ("str", "bytes"):
        return isinstance(value, str if annotation == "str" else bytes)
    if annotation == "int":
        return hasattr(value, "__index__")
    if annotation == "float":
        return hasattr(value, "__float__") or hasattr(value, "__index__")
    if annotation.startswith("collections.abc.Callable"):
        return callable(value)
    if annotation.startswith(("collections.abc.Sequence", "list", "tuple")):
        if isinstance(value, (str, bytes)) or not hasattr(value, "__getitem__") or not hasattr(value, "__len__"):
            return False
        kind, _, of = annotation.partition("[")
        of = _split(of[:-1], ",")
        if kind == "tuple" and of and "..." not in of:
            return len(value) == len(of) and all(_is_a(one, part) for one, part in zip(value, of, strict=True))
        return not of or all(_is_a(one, of[0]) for one in value)
    if annotation.startswith("quern."):
        wanted = annotation.rpartition(".")[2]
        return any(kind.__name__ == wanted for kind in type(value).__mro__)
    return True


def _wanted(annotation):
    """Return what `annotation` accepts, as a user would say it."""
    options = _split(annotation, " | ")
    if len(options) > 1:
        return " or ".join(dict.fromkeys(map(_wanted, options)))
    kind, _, of = annotation.partition("[")
    if kind.startswith("collections.abc.Callable"):
        return "callable"
    if kind in ("collections.abc.Sequence", "list", "tuple"):
        of = dict.fromkeys(_wanted(part).removeprefix("an ").removeprefix("a ") for part in _split(of[:-1], ",") if part != "...")
        words = " and ".join(of)
        words = words.replace("sequence", "sequences") if "sequence" in words else words + " values"
        return f"a sequence of {words}" if of else "a sequence"
    name = annotation.rpartition(".")[2]
    if annotation.startswith("quern."):
        return _WORDS.get(name, "a " + name)
    return _PLAIN.get(annotation, name)


_WRAPPERS = ("call", "wrapped", "wrapper", "inner", "method")  # closures that stand for a function of another name


def _kind(value):
    """Return the name of the type of ``value``; NumPy's with its module, whose ``bool`` is not Python's."""
    kind = type(value)
    return "numpy.bool" if kind.__module__ == "numpy" and kind.__name__.startswith("bool") else kind.__name__


def _public_call(function):
    """Return the public function's name and its arguments by name; the binding's name and no arguments where the user calls it directly."""
    frame, public = sys._getframe(2), None
    while frame and frame.f_code.co_filename.startswith(_PACKAGE):
        name = frame.f_code.co_name
        if not name.startswith("<") and (name not in _WRAPPERS or public is None):
            public = frame
        frame = frame.f_back
    if public is None:
        name = getattr(function, "__name__", "call")
        return name if name.startswith("__") else name.lstrip("_"), {}
    code = public.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = {name: public.f_locals[name] for name in names if name in public.f_locals and name not in ("self", "cls")}
    many = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & 4:
        for i, value in enumerate(public.f_locals.get(code.co_varnames[many], ())):
            values[f"argument {i + 1}"] = value
    if code.co_flags & 8:
        values.update(public.f_locals.get(code.co_varnames[many + bool(code.co_flags & 4)], {}))
    name = code.co_name
    if name == "__init__" and "self" in public.f_locals:
        name = type(public.f_locals["self"]).__name__
    return name, values


def _faults(parameters, args, named):
    """Return how far a call fits a signature, and what is wrong: None, a text, or (name, value, what is wanted) of an argument."""
    names = [name for name, _, _ in parameters]
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names) and not any(name.startswith("*") for name in names):
        return -1, f"takes {len(names)} arguments, not {len(args)}"
    for name in named:
        if name not in names and not any(name.startswith("**") for name in names):
            return -1, f"got an unexpected keyword argument '{name}'"
        if name in given:
            return -1, f"got multiple values for argument '{name}'"
    given.update(named)
    for i, (name, annotation, has_default) in enumerate(parameters):
        if name.startswith("*") or name == "self":
            continue
        if name not in given:
            if has_default:
                continue
            missing = [one for one, _, optional in parameters if one not in given and not optional and one != "self"]
            if all(one.startswith("arg") for one in missing):
                return -1, f"takes {len(names)} arguments, not {len(args)}"
            return -1, f"lacks {', '.join(missing)}"
        if not _is_a(given[name], annotation):
            return i, (name, given[name], _wanted(annotation))
    return len(parameters), None


def wrong_operand(value, wanted):
    """Return the TypeError for an argument `value` that must be `wanted`, as "an array"."""
    operation, public = _public_call(None)
    known = next((known for known, one in public.items() if one is value), "an operand")
    return TypeError(f"[{operation}] {known if ' ' in known else f'`{known}`'} must be {wanted}, not {_kind(value)}")


def explained(function, args, named):
    """Return the exception for a call of `function` (None: unknown) with `args` and `named` that its signatures do not accept."""
    operation, public = _public_call(function)
    signatures = [one[0] for one in getattr(function, "__nb_signature__", ())]
    faults = [_faults(_parameters(signature), args, named) for signature in signatures]
    _, fault = max(faults, key=lambda found: found[0], default=(0, None))
    if isinstance(fault, str):
        if not public:
            return TypeError(f"{operation}() {fault}")
        fault = None
    if fault is not None:
        name, value, wanted = fault
        known = next((known for known, one in public.items() if one is value), None)
        shown = f"`{known}`" if known and " " not in known else known or (f"`{name}`" if not re.match(r"arg\d*$", name) else "an argument")
        inner = next((one for one in value if type(one).__name__ not in wanted), None) if isinstance(value, (list, tuple)) else None
        of = "" if inner is None else f" with {_kind(inner)}"
        return TypeError(f"[{operation}] {shown} must be {wanted}, not {_kind(value)}{of}")
    values = [*args, *named.values()]
    if any(isinstance(one, int) and not -(2**31) <= one < 2**31 for one in values):
        return OverflowError(f"[{operation}] an integer is out of range; pass a smaller one")
    shown = public or {**{f"argument {i + 1}": one for i, one in enumerate(args)}, **named}
    kinds = ", ".join(f"{name}: {_kind(one)}" if " " not in name else _kind(one) for name, one in shown.items())
    return TypeError(f"[{operation}] unsupported argument types ({kinds}); see help({operation})")
