"""Updates of many arrays in place, as rows of the engine: what optimizers are made of, in every door."""

from quern.lib import _engine


class UpdateRule:
    """One update of each element, written as CUDA C++.

    Parameters: ``name``; ``text``: statements that see the operands and the numbers as local variables of the type ``T`` in which it
    computes; ``writes``: the operands that it assigns to, stored after it; ``reads``: the others; ``scalars``: the numbers' names.
    """

    __slots__ = ("name", "text", "writes", "reads", "scalars", "_numbers")

    def __init__(self, name, text, writes, reads, scalars):
        self.name, self.text = name, text.strip()
        self.writes, self.reads, self.scalars = list(writes), list(reads), list(scalars)
        self._numbers = {}  # the engine's, by the type of the elements

    def apply(self, rows, scalars):
        """Takes the step, in one call for each type of elements, without recording gradients.

        Parameters: ``rows``: tuples of arrays of one type and shape each, those of ``writes`` first, then those of ``reads``;
        ``scalars``: a tuple of the numbers, the same for all.
        """
        by_type = {}
        for row in rows:
            by_type.setdefault(row[0]._dtype_name, []).append(row)
        for name, of_type in by_type.items():
            number = self._numbers.get(name)
            if number is None:
                number = _engine.make_rule(self.name, self.text, self.writes, self.reads, self.scalars, name)
                self._numbers[name] = number
            _engine.apply_rule(number, len(self.writes), of_type, scalars)
