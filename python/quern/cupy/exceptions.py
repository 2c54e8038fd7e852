"""cupy.exceptions: NumPy's."""

from numpy.exceptions import (
    AxisError,
    ComplexWarning,
    ModuleDeprecationWarning,
    RankWarning,
    TooHardError,
    VisibleDeprecationWarning,
)

__all__ = ["AxisError", "ComplexWarning", "ModuleDeprecationWarning", "RankWarning", "TooHardError", "VisibleDeprecationWarning"]
