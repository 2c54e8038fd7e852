"""cupy.cuda.memory_hooks: CuPy's own hooks. They can be made; entering one raises NotImplementedError (see memory_hook)."""

from quern.cupy.cuda.memory_hook import MemoryHook


class DebugPrintHook(MemoryHook):
    """Would print what the pool does."""

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file, self.flush = file, flush


class LineProfileHook(MemoryHook):
    """Would tell which lines allocate what; quern.trace() does."""

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self.max_depth = max_depth
