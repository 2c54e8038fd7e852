"""numba.core.typing: signatures and the types of values. What Numba's typing is made of, its templates and contexts, is not here."""

from quern.kernel.signatures import typeof
from quern.kernel.types import Signature, signature

__all__ = ["Signature", "signature", "typeof"]


def __getattr__(name):
    said = "kernels are typed by other means; functions are added with numba.extending.overload"
    raise AttributeError(f"[numba.core.typing] there is no '{name}' here: {said}")
