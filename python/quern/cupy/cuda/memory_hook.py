"""cupy.cuda.memory_hook: the engine's pool calls no Python, so that hooks cannot be entered."""


class MemoryHook:
    """The base of hooks. Entering one raises NotImplementedError; quern.trace() tells what was allocated, and by which line."""

    name = "MemoryHook"

    def __enter__(self):
        raise NotImplementedError(
            f"[{type(self).__name__}] the engine's pool calls no hooks; quern.trace() tells what was allocated and by which line"
        )

    def __exit__(self, *exc):
        pass

    def alloc_preprocess(self, **kwargs):
        """Would be called before the pool asks the device."""

    def alloc_postprocess(self, **kwargs):
        """Would be called after it."""

    def malloc_preprocess(self, **kwargs):
        """Would be called before the pool gives memory."""

    def malloc_postprocess(self, **kwargs):
        """Would be called after it."""

    def free_preprocess(self, **kwargs):
        """Would be called before memory goes back."""

    def free_postprocess(self, **kwargs):
        """Would be called after it."""


MemoryHook.__module__ = "cupy.cuda.memory_hook"
