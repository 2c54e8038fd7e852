"""cupyx.GeneralizedUFunc: a function of small arrays, over all positions of larger ones."""

import itertools
import re

import numpy

from quern.arrays.ufuncs import core_axes

_NAMES = r"\w+(?:,\w+)*"


class GeneralizedUFunc:
    """A function that works on the last dimensions of its arguments, called for each position of the others.

    Parameters: ``func``; ``signature``: the names of the dimensions, such as "(m,n),(n)->(m)"; ``name``, ``doc``; ``supports_batched``:
    it takes all positions at once; ``supports_out``: it takes ``out=``. Call it with the arrays; keywords: ``out``, and for one result
    ``axes``, ``axis`` and ``keepdims`` as NumPy's ufuncs have them.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> from quern import cupyx
    >>> dot = cupyx.GeneralizedUFunc(lambda a, b: (a * b).sum(), "(n),(n)->()")
    >>> dot(cp.ones((2, 3)), cp.arange(3))
    array([3., 3.])
    """

    def __init__(
        self,
        func,
        signature,
        *,
        name=None,
        doc=None,
        supports_batched=False,
        supports_out=False,
        signatures=None,
        try_fastcall_func=None,
    ):
        text = signature.replace(" ", "")
        part = rf"\((?:{_NAMES})?\)"
        if not re.fullmatch(rf"{part}(?:,{part})*->{part}(?:,{part})*", text):
            raise ValueError(f"Not a valid gufunc signature: {signature}")
        before, after = text.split("->")
        self._ins, self._outs = ([p[1:-1].split(",") if p != "()" else [] for p in re.findall(part, side)] for side in (before, after))
        self._func, self.signature = func, signature
        self.nin, self.nargs = len(self._ins), len(self._ins) + len(self._outs)
        self.__name__ = name or getattr(func, "__name__", "gufunc")
        self.__doc__ = doc if doc is not None else func.__doc__
        self._batched, self._takes_out = supports_batched, supports_out

    def __call__(self, *args, out=None, axes=None, axis=None, keepdims=False, **kwargs):
        from quern import cupy

        if axes is not None or axis is not None or keepdims:
            if len(self._outs) != 1:
                raise NotImplementedError(f"[{self.__name__}] `axes` with several results is not supported; move the axes before the call")
            named = {k: v for k, v in {"axes": axes, "axis": axis, "keepdims": keepdims}.items() if v is not None}
            core_axes.check(self, **named)
            result = core_axes.call(self, args, **named, **kwargs)
            if out is None:
                return result
            (out,) = out if isinstance(out, tuple) else (out,)
            out[...] = result
            return out
        if len(args) != len(self._ins):
            raise TypeError(f"{self.__name__}() takes {len(self._ins)} arrays, {len(args)} were given")
        arrays, sizes, loops = [cupy.asarray(a) for a in args], {}, []
        for array, names in zip(arrays, self._ins, strict=True):
            if array.ndim < len(names):
                raise ValueError(f"{self.__name__}: an array of {array.ndim} dimensions is given for ({','.join(names)})")
            loops.append(array.shape[: array.ndim - len(names)])
            for name, size in zip(names, array.shape[array.ndim - len(names) :], strict=True):
                if sizes.setdefault(name, size) != size:
                    raise ValueError(f"{self.__name__}: dimension {name} is {sizes[name]} and {size}")
        loop = numpy.broadcast_shapes(*loops)
        arrays = [cupy.broadcast_to(a, loop + a.shape[a.ndim - len(names) :]) for a, names in zip(arrays, self._ins, strict=True)]
        if self._batched or not loop:
            results = self._as_tuple(self._func(*arrays, **kwargs))
        else:
            each = [self._as_tuple(self._func(*(a[at] for a in arrays), **kwargs)) for at in itertools.product(*map(range, loop))]
            parts = [cupy.stack([cupy.asarray(r[n]) for r in each]) for n in range(len(self._outs))]
            results = tuple(p.reshape(loop + p.shape[1:]) for p in parts)
        if out is not None:
            outs = out if isinstance(out, tuple) else (out,)
            for target, result in zip(outs, results, strict=True):
                target[...] = result
            results = outs
        return results[0] if len(results) == 1 else results

    def _as_tuple(self, value):
        values = value if isinstance(value, tuple) else (value,)
        if len(values) != len(self._outs):
            raise ValueError(f"{self.__name__}: the function gives {len(values)} results, the signature says {len(self._outs)}")
        return values
