"""torch.special: functions of mathematics."""

from quern.torch import _more, _special

globals().update(_special.SPECIAL)
softmax, log_softmax = _more.softmax, _more.log_softmax
