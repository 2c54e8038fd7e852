"""Updates of many arrays in place, as rows of the engine: what optimizers are made of, in every door."""

from quern.lib import _engine


class UpdateRule:
    """One update of each element, written as CUDA C++.

    Parameters: ``name``; ``text``: statements that see the operands and the numbers as local variables of the type ``T`` in which it
    computes; ``writes``: the operands that it assigns to, stored after it; ``reads``: the others; ``scalars``: the numbers' names.
    """

    __slots__ = ("name", "text", "writes", "reads", "scalars", "_number")

    def __init__(self, name, text, writes, reads, scalars):
        self.name, self.text = name, text.strip()
        self.writes, self.reads, self.scalars = list(writes), list(reads), list(scalars)
        self._number = _engine.make_rule(self.name, self.text, self.writes, self.reads, self.scalars)

    def apply(self, rows, scalars, order=None):
        """Takes the step, in one call, without recording gradients.

        Parameters: ``rows``: tuples of arrays, those of ``writes`` first, then those of ``reads``; ``order``: where in a tuple
        these are, when they stand otherwise; ``scalars``: a tuple of the numbers, the same for all.
        Returns the rows that it does not take, a list: of several shapes or types, or neither float32 nor float64.
        """
        return _engine.apply_rule(self._number, rows, order, scalars)
