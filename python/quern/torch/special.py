"""torch.special: functions of mathematics."""

from quern.torch import _special

globals().update(_special.SPECIAL)
