"""torch.special: functions of mathematics."""

from quern.arrays.public_names import settle as _settle
from quern.torch import _more, _special

globals().update(_special.SPECIAL)
softmax, log_softmax = _more.softmax, _more.log_softmax
_settle(globals(), __name__)
