"""CuPy's cache of plans for Fourier transforms."""

import operator


class PlanCache:
    """The attributes of CuPy's plan cache, with the limits that programs set. It stays empty: the engine keeps plans itself.

    Iterating gives what it holds, pairs of a key and a plan: none.
    """

    def __init__(self, size=16, memsize=-1, dev=-1):
        self._size, self._memsize, self._device = size, memsize, dev

    def get_size(self):
        """The most plans that it may hold."""
        return self._size

    def set_size(self, size):
        """Sets the most plans; -1: no limit."""
        self._size = operator.index(size)

    def get_memsize(self):
        """The most bytes that its plans may take."""
        return self._memsize

    def set_memsize(self, memsize):
        """Sets the most bytes; -1: no limit."""
        self._memsize = operator.index(memsize)

    def get_curr_size(self):
        """How many plans it holds: 0."""
        return 0

    def get_curr_memsize(self):
        """How many bytes they take: 0."""
        return 0

    def get(self, key, default=None):
        """The plan of a key: the default, as there are none."""
        return default

    def __getitem__(self, key):
        raise KeyError(f"{key!r}: no plans are kept here")

    def __iter__(self):
        return iter(())

    def clear(self):
        """Does nothing: it is empty."""

    def __repr__(self):
        of_device = f" of device {self._device}" if self._device >= 0 else ""
        most, size = ("any number" if limit < 0 else limit for limit in (self._size, self._memsize))
        return f"cached plans{of_device}: 0 of {most}, memory: 0 of {size} bytes; the engine keeps plans itself"

    def show_info(self):
        """Prints the limits."""
        print(self)
