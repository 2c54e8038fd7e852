"""torch.special: functions of mathematics."""

from quern.arrays.public_names import settle as _settle
from quern.torch import _special

globals().update(_special.SPECIAL)
_settle(globals(), __name__)
