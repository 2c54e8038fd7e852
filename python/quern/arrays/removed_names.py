"""What errors suggest in place of names that NumPy 2 no longer has."""

import re

import numpy

# Those of which NumPy itself says nothing any more.
_TODAY = {
    "asscalar": "`a.item()`", "cumproduct": "`{}.cumprod`", "in1d": "`{}.isin`", "msort": "`{}.sort(a, axis=0)`", "product": "`{}.prod`",
    "trapz": "`{}.trapezoid`",
}  # fmt: skip


def todays(name, module):
    """Return a clause such as ": NumPy 2 removed it; use `quern.float64` instead"; "" for names that NumPy never had."""
    if name.startswith("_"):
        return ""
    if name in _TODAY:
        return f": NumPy 2 removed it; use {_TODAY[name].format(module)} instead"
    try:
        getattr(numpy, name)
    except AttributeError as e:
        use = re.search(r"[Uu]se (`.*?`)", str(e))
        if use and "builtin" not in str(e) and not use[1].startswith("`numpy."):
            return f": NumPy 2 removed it; use {use[1].replace('np.', module + '.')} instead"
        if use:
            return f": NumPy 2 removed it; use {use[1]} instead"
    return ""
