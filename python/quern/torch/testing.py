"""torch.testing: comparisons of tensors, numbers, and sequences and mappings of them, with PyTorch's tolerances and messages."""

import cmath
import collections.abc
import contextlib

import numpy

from quern.torch import _namespace as torch
from quern.torch._core import Tensor
from quern.user_files import warn_user

__all__ = ["assert_allclose", "assert_close"]

_TOLERANCES = {"float16": (0.001, 1e-5), "bfloat16": (0.016, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
_TOLERANCES |= {"complex64": _TOLERANCES["float32"], "complex128": _TOLERANCES["float64"]}
_KINDS = {int: "int64", float: "float64", complex: "complex128"}


class _Unequal(Exception):
    """An error about one item: its type, its text, and where the item is."""

    def __init__(self, kind, text, place):
        super().__init__(text)
        self.kind, self.text, self.place = kind, text, place

    def error(self, msg=None):
        text = self.text
        if self.place:
            text += f"\n\nThe failure occurred for item {''.join(str([item]) for item in self.place)}"
        return self.kind(msg if isinstance(msg, str) else msg(text) if callable(msg) else text)


class _Options:
    def __init__(self, rtol, atol, equal_nan, **checks):
        self.rtol, self.atol, self.equal_nan, self.checks = rtol, atol, equal_nan, checks

    def tolerances(self, names, place):
        """(rtol, atol) for values of dtypes."""
        if (self.rtol is None) != (self.atol is None):
            missing = "rtol" if self.rtol is None else "atol"
            raise _Unequal(ValueError, f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.", place)
        if self.rtol is not None:
            return self.rtol, self.atol
        known = [_TOLERANCES.get(name, (0.0, 0.0)) for name in names]
        return max(rtol for rtol, _ in known), max(atol for _, atol in known)


def _mismatch(what, extra, differences, tolerances):
    is_exact = tolerances == (0, 0)
    rtol, atol = tolerances
    lines = [f"{what} are not {'equal' if is_exact else 'close'}!", "", extra]
    for kind, (value, place), most in zip(("absolute", "relative"), differences, (atol, rtol), strict=True):
        line = f"{kind.title()} difference: {value}" if place is None else f"Greatest {kind} difference: {value} at index {place}"
        lines.append(line if is_exact else f"{line} (up to {most} allowed)")
    return "\n".join(lines)


def _scalars(actual, expected, tolerances):
    absolute = abs(actual - expected)
    relative = float("inf") if expected == 0 else absolute / abs(expected)
    return _mismatch("Scalars", f"Expected {expected} but got {actual}.", ((absolute, None), (relative, None)), tolerances)


def _greatest(differences, matches, shape):
    differences = differences.masked_fill(matches, 0)
    place = int(differences.argmax())
    return differences[place].item(), tuple(int(i) for i in numpy.unravel_index(place, shape))


def _tensors(actual, expected, matches, tolerances):
    count = matches.numel()
    wrong = count - int(matches.sum())
    extra = f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})"
    actual, expected, flat = actual.flatten(), expected.flatten(), matches.flatten()
    if not actual.dtype.is_floating_point and not actual.dtype.is_complex:
        actual, expected = actual.to(torch.int64), expected.to(torch.int64)
    absolute = (actual - expected).abs()
    relative = absolute.masked_fill(flat, 0) / expected.abs()
    places = (_greatest(absolute, flat, tuple(matches.shape)), _greatest(relative, flat, tuple(matches.shape)))
    return _mismatch("Tensor-likes", extra, places, tolerances)


def _compare_numbers(actual, expected, options, place):
    actual, expected = (one.item() if isinstance(one, numpy.number) else one for one in (actual, expected))
    tolerances = options.tolerances([_KINDS.get(type(one), "int64") for one in (actual, expected)], place)
    if options.checks["check_dtype"] and type(actual) is not type(expected):
        raise _Unequal(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.", place)
    if actual == expected or (options.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
        return
    difference = abs(actual - expected)
    if not (cmath.isfinite(difference) and difference <= tolerances[1] + tolerances[0] * abs(expected)):
        raise _Unequal(AssertionError, _scalars(actual, expected, tolerances), place)


def _check_attribute(name, actual, expected, place):
    if actual != expected:
        raise _Unequal(AssertionError, f"The values for attribute '{name}' do not match: {actual} != {expected}.", place)


def _compare_tensors(actual, expected, options, place):
    tolerances = options.tolerances([one.dtype._name for one in (actual, expected)], place)
    _check_attribute("shape", actual.shape, expected.shape, place)
    if options.checks["check_stride"]:
        _check_attribute("stride()", actual.stride(), expected.stride(), place)
    for name in ("device", "dtype"):
        if options.checks[f"check_{name}"]:
            _check_attribute(name, getattr(actual, name), getattr(expected, name), place)
    if actual.device != expected.device:
        actual, expected = actual.cpu(), expected.cpu()
    if actual.dtype != expected.dtype:
        dtype = torch.promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(dtype), expected.to(dtype)
    matches = torch.isclose(actual, expected, rtol=tolerances[0], atol=tolerances[1], equal_nan=options.equal_nan)
    if matches.all():
        return
    if actual.dim() == 0:
        raise _Unequal(AssertionError, _scalars(actual.item(), expected.item(), tolerances), place)
    raise _Unequal(AssertionError, _tensors(actual.detach(), expected.detach(), matches, tolerances), place)


def _as_tensors(actual, expected, options):
    """Both as tensors; None where neither is of the other's type."""
    is_kin = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not is_kin or (not options.checks["allow_subclasses"] and type(actual) is not type(expected)):
        return None
    with contextlib.suppress(Exception):
        return tuple(one if isinstance(one, Tensor) else torch.as_tensor(one) for one in (actual, expected))
    return None


def _pairs(actual, expected, options, place):
    """The comparisons of two values, as functions without arguments, in order."""
    both = (actual, expected)

    def all_are(kinds):
        return all(isinstance(one, kinds) for one in both)

    if all_are(collections.abc.Sequence) and not any(isinstance(one, str) for one in both):
        if len(actual) != len(expected):
            raise _Unequal(AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", place)
        return [pair for i, items in enumerate(zip(*both, strict=True)) for pair in _pairs(*items, options, (*place, i))]
    if all_are(collections.abc.Mapping):
        missing, additional = expected.keys() - actual.keys(), actual.keys() - expected.keys()
        if missing or additional:
            raise _Unequal(
                AssertionError,
                f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {sorted(missing)}\n"
                f"Additional keys in the actual mapping: {sorted(additional)}",
                place,
            )
        keys = list(actual)
        with contextlib.suppress(TypeError):
            keys = sorted(keys)
        return [pair for key in keys for pair in _pairs(actual[key], expected[key], options, (*place, key))]
    return [_pair(actual, expected, options, place)]


def _pair(actual, expected, options, place):
    both = (actual, expected)
    if any(one is None for one in both):
        return lambda: _check_same(actual is expected, f"None mismatch: {actual} is not {expected}", place)
    if all(isinstance(one, (bool, numpy.bool_)) for one in both):
        return lambda: _check_same(bool(actual) is bool(expected), f"Booleans mismatch: {actual} is not {expected}", place)
    if all(isinstance(one, (int, float, complex, numpy.number)) for one in both):
        return lambda: _compare_numbers(actual, expected, options, place)
    tensors = _as_tensors(actual, expected, options)
    if tensors is None:
        text = f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
        raise _Unequal(TypeError, text, place)
    return lambda: _compare_tensors(*tensors, options, place)


def _check_same(is_same, text, place):
    if not is_same:
        raise _Unequal(AssertionError, text, place)


def assert_close(
    actual,
    expected,
    *,
    allow_subclasses=True,
    rtol=None,
    atol=None,
    equal_nan=False,
    check_device=True,
    check_dtype=True,
    check_layout=True,
    check_stride=False,
    msg=None,
):
    """Raise AssertionError unless ``|actual - expected| <= atol + rtol * |expected|`` for all elements.

    Parameters
    ----------
    actual, expected : object
        Tensors, arrays or numbers, or sequences and mappings of them.
    allow_subclasses : bool, optional
        Whether one may be of a derived class.
    rtol, atol : float, optional
        Relative and absolute tolerance, both or none; None depends on the dtype.
    equal_nan : bool, optional
        Whether NaN equals NaN.
    check_device, check_dtype, check_stride : bool, optional
        Whether these must agree, too.
    check_layout : bool, optional
        Accepted for compatibility: all tensors are strided.
    msg : str or callable, optional
        Message, or a function that makes one of the message.

    Raises
    ------
    AssertionError
        Where something differs.
    ValueError
        Where only one tolerance is given.
    TypeError
        For values that cannot be compared.

    Examples
    --------
    >>> from quern import torch
    >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.000001]))
    """
    __tracebackhide__ = True
    checks = {"check_device": check_device, "check_dtype": check_dtype, "check_stride": check_stride}
    options = _Options(rtol, atol, equal_nan, allow_subclasses=allow_subclasses, **checks)
    try:
        pairs = _pairs(actual, expected, options, ())
    except _Unequal as found:
        raise found.error() from None
    for compare in pairs:
        try:
            compare()
        except _Unequal as found:
            raise found.error(msg if found.kind is AssertionError else None) from None


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """Compare as :func:`assert_close`, which replaces this, whatever the dtypes; with a FutureWarning.

    Parameters
    ----------
    actual, expected : Tensor or array_like
        Values to compare.
    rtol, atol : float, optional
        Relative and absolute tolerance, both or none.
    equal_nan : bool, optional
        Whether NaN equals NaN.
    msg : str, optional
        Message.

    Raises
    ------
    AssertionError
        Where something differs.
    """
    warn_user("`torch.testing.assert_allclose()` is deprecated. Please use `torch.testing.assert_close()` instead.", FutureWarning)
    actual = actual if isinstance(actual, Tensor) else torch.tensor(actual)
    expected = expected if isinstance(expected, Tensor) else torch.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        known = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
        both = [known.get(one.dtype._name, (0.0, 0.0)) for one in (actual, expected)]
        rtol, atol = max(r for r, _ in both), max(a for _, a in both)
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)
