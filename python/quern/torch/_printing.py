"""How tensors are printed: tensor_str() writes what PyTorch would, and set_printoptions() changes it.

Numbers of a tensor share one format, which is found first: whole numbers, decimals, or powers of ten where they spread far.
"""

import math

import numpy

_PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80, "sci_mode": None},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80, "sci_mode": None},
}
_options = dict(_PROFILES["default"])


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Set how tensors are printed.

    Parameters
    ----------
    precision : int, optional
        Number of digits after the decimal point.
    threshold : int, optional
        Number of elements above which only the edges are printed.
    edgeitems : int, optional
        Number of elements at each edge.
    linewidth : int, optional
        Number of characters in a line.
    profile : {'default', 'short', 'full'}, optional
        Sets all of these at once.
    sci_mode : bool, optional
        Whether to print powers of ten; None selects by the values.

    Raises
    ------
    ValueError
        For an unknown `profile`.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([1 / 3])
    tensor([0.33])
    >>> torch.set_printoptions(profile="default")
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"[torch.set_printoptions] profile must be one of {', '.join(map(repr, _PROFILES))}, not {profile!r}")
        kept = _options["sci_mode"]
        _options.update(_PROFILES[profile], sci_mode=kept)
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})
    _options["sci_mode"] = sci_mode


def get_printoptions():
    """The options of set_printoptions(), by name."""
    return dict(_options)


def corners(shape):
    """The places of each dimension that are printed of a large tensor, as lists; None for all of a dimension.

    None altogether where the whole tensor is printed. What tensor_str() gets may be the whole tensor's values or those at the corners.
    """
    edge = _options["edgeitems"]
    if math.prod(shape) <= _options["threshold"]:
        return None
    return [[*range(edge), *range(n - edge, n)] if n > 2 * edge else None for n in shape]


def tensor_str(values, shape, dtype, device=None, requires_grad=False, grad_fn=None, default="float32", prefix="tensor("):
    """The text of a tensor.

    Parameters: ``values``: a NumPy array; of bfloat16 its values in float32; ``shape``, which is larger than that of the values where
    they are those at the corners; ``dtype``: its name; ``device``: a string such as "cuda:0" if it is printed; ``grad_fn``: the name
    of the operation that made it, such as "AddBackward0"; ``default``: the default dtype's name; ``prefix``: what it begins with.
    """
    shape = tuple(shape)
    notes = [] if device is None else [f"device='{device}'"]
    usual = {default}
    if math.prod(shape) == 0:
        if len(shape) != 1:
            notes.append(f"size={shape}")
        text = "[]"
    else:
        usual |= {"int64", "bool", "complex128" if default == "float64" else "complex64"}
        text = _elements(values, shape, len(prefix))
    if dtype not in usual:
        notes.append(f"dtype=torch.{dtype}")
    if grad_fn is not None:
        notes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        notes.append("requires_grad=True")
    return _with_notes(prefix + text, notes, len(prefix)) + ")"


def _with_notes(text, notes, indent):
    """Notes go on the last line as long as they fit."""
    used = len(text) - text.rfind("\n") + 1
    for note in notes:
        if used + len(note) + 2 > _options["linewidth"]:
            text += ",\n" + " " * indent + note
            used = indent + len(note)
        else:
            text += ", " + note
            used += len(note) + 2
    return text


def _elements(values, shape, indent):
    places = corners(shape)
    if places is not None and values.shape == shape:
        values = values[numpy.ix_(*(range(n) if p is None else p for n, p in zip(shape, places, strict=True)))]
    cut = [p is not None for p in places] if places is not None else [False] * len(shape)
    form = _format_of(values)
    if not shape:
        return form.text(values.item()).lstrip()
    return _nested(values.tolist(), cut, indent, form)


def _nested(values, cut, indent, form):
    """A list in brackets; `cut` says for each dimension whether dots stand between its halves."""
    dimensions, edge = len(cut), len(values) // 2
    if dimensions == 1:
        texts = [form.text(v) for v in values]
        if cut[0]:
            texts[edge:edge] = [" ..."]
        in_line = max(1, (_options["linewidth"] - indent) // (form.width + 2))
        lines = [", ".join(texts[i : i + in_line]) for i in range(0, len(texts), in_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    texts = [_nested(v, cut[1:], indent + 1, form) for v in values]
    if cut[0]:
        texts[edge:edge] = ["..."]
    return "[" + ("," + "\n" * (dimensions - 1) + " " * (indent + 1)).join(texts) + "]"


# ---- numbers


def _format_of(values):
    kind = values.dtype.kind
    if kind == "c":
        return _Complex(values)
    return _Real(values) if kind == "f" else _Plain(values)


class _Plain:
    """Integers and bool."""

    def __init__(self, values):
        self.width = max((len(str(v)) for v in values.ravel().tolist()), default=1)

    def text(self, value):
        return str(value).rjust(self.width)


class _Real:
    """Numbers in one of three ways: "2.", "2.5000", "2.5000e+00"."""

    def __init__(self, values):
        values = values.astype(numpy.float64).ravel()
        values = values[numpy.isfinite(values) & (values != 0)]
        self.width = 1
        self.spec, self.point = ".0f", "."
        if values.size == 0:
            return
        sizes = numpy.abs(values)
        small, large = sizes.min(), sizes.max()
        whole = bool((values == numpy.ceil(values)).all())
        spread = large / small > 1000 or large > 1e8 or (small < 1e-4 and not whole)
        precision = _options["precision"]
        if spread if _options["sci_mode"] is None else _options["sci_mode"]:
            self.spec, self.point = f".{precision}e", ""
        elif not whole:
            self.spec, self.point = f".{precision}f", ""
        self.width = max(len(self._number(v)) for v in values.tolist())

    def _number(self, value):
        return format(value, self.spec) + (self.point if math.isfinite(value) else "")

    def text(self, value):
        return self._number(value).rjust(self.width)


class _Complex:
    """Two formats, of the real and of the imaginary parts."""

    def __init__(self, values):
        self.real, self.imaginary = _Real(values.real), _Real(values.imag)
        self.width = self.real.width + self.imaginary.width + 1

    def text(self, value):
        imaginary = self.imaginary.text(value.imag).lstrip()
        return self.real.text(value.real) + ("" if imaginary.startswith("-") else "+") + imaginary + "j"
