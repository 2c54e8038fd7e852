"""cupy.cuda.memory_hooks: CuPy's own hooks: what the pool does in lines of text, and which lines of the program took how much."""

import sys

from quern.cupy.cuda.memory_hook import MemoryHook


class DebugPrintHook(MemoryHook):
    """Prints a line for each thing that the pool does: to ``file``, the standard output if not given.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> with cp.cuda.memory_hooks.DebugPrintHook():
    ...     x = cp.zeros(3)  # doctest: +ELLIPSIS
    {"hook":"malloc","device_id":0,"size":24,"mem_size":...,"mem_ptr":...,"pmem_id":"..."}
    """

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file, self.flush = file, flush

    def _print(self, what, numbers):
        words = "".join(f',"{name}":{numbers[name]}' for name in ("device_id", "size", "mem_size", "mem_ptr") if name in numbers)
        if "pmem_id" in numbers:
            words += f',"pmem_id":"{hex(numbers["pmem_id"])}"'
        print(f'{{"hook":"{what}"{words}}}', file=self.file or sys.stdout, flush=self.flush)

    def alloc_postprocess(self, **kwargs):
        self._print("alloc", kwargs)

    def malloc_postprocess(self, **kwargs):
        self._print("malloc", kwargs)

    def free_postprocess(self, **kwargs):
        self._print("free", kwargs)


class LineProfileHook(MemoryHook):
    """How much each line of the program took from the pool, and how much the pool asked the device for on its behalf.

    ``max_depth``: accepted; a line is reported without its callers. ``print_report()`` prints it, in the order in which lines came first.
    """

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self.max_depth = max_depth
        self._lines = {}  # place -> [taken from the pool, asked of the device]

    def malloc_preprocess(self, **kwargs):
        self._lines.setdefault(self.place, [0, 0])[0] += kwargs["mem_size"]

    def alloc_preprocess(self, **kwargs):
        self._lines.setdefault(self.place, [0, 0])[1] += kwargs["mem_size"]

    def print_report(self, file=None):
        """Prints the lines with what they took, and in brackets what was new: "program.py:12 (4.00KB, 4.00KB)"."""
        whole = [sum(numbers) for numbers in zip(*self._lines.values(), strict=True)] if self._lines else [0, 0]
        for depth, place, (taken, anew) in [(0, "_root", whole), *((1, place, numbers) for place, numbers in self._lines.items())]:
            print(f"{'  ' * depth}{place} ({_size(taken)}, {_size(anew)})", file=file or sys.stdout)


def _size(count):
    for unit in ("B", "KB", "MB"):
        if count < 1024:
            return f"{count}B" if unit == "B" else f"{count:.2f}{unit}"
        count /= 1024
    return f"{count:.2f}GB"
