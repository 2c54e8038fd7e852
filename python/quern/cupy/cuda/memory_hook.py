"""cupy.cuda.memory_hook: hooks for the memory that the engine's pool hands out and takes back.

The pool calls no Python: what it does is kept, in order, and hooks receive it when one is entered or left. Array work that is still
pending then takes its memory first, so that every allocation between the two is seen.
"""

from quern.lib import _engine

TAKEN, TAKEN_ANEW, GIVEN_BACK = range(3)
_hooks: dict[str, "MemoryHook"] = {}


class MemoryHook:
    """The base of hooks: a context manager whose methods are called for what is allocated and freed in its ``with`` block.

    The calls come in the order of the allocations when the block ends, or when another hook is entered or left. ``malloc_*``: the pool
    gives ``mem_size`` bytes for ``size``; ``alloc_*``: for that it asks the device; ``free_*``: memory goes back to the pool. Attribute
    ``place`` is meanwhile the source line of the allocation, "file.py:12". Raises KeyError where a hook of that name is entered already.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> class Counts(cp.cuda.MemoryHook):
    ...     name, taken = "Counts", 0
    ...     def malloc_postprocess(self, **kwargs):
    ...         self.taken += kwargs["size"]
    >>> hook = Counts()
    >>> with hook:
    ...     x = cp.zeros(1000)
    >>> hook.taken
    8000
    """

    name = "MemoryHook"
    place = ""

    def __enter__(self):
        if self.name in _hooks:
            raise KeyError(f"memory hook {self.name} already exists")
        if _hooks:
            _deliver()
        else:
            _engine.array_evaluate_all()  # what was recorded before is not reported
            _engine.watch_memory(True)
        _hooks[self.name] = self
        return self

    def __exit__(self, *exc):
        try:
            _deliver()
        finally:
            _hooks.pop(self.name, None)
            if not _hooks:
                _engine.watch_memory(False)

    def alloc_preprocess(self, **kwargs):
        """Called before the pool asks the device for memory.

        Parameters
        ----------
        **kwargs : dict
            ``device_id`` and ``mem_size``.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.MemoryHook().alloc_preprocess(device_id=0, mem_size=512)
        """

    def alloc_postprocess(self, **kwargs):
        """Called after the pool asked the device for memory.

        Parameters
        ----------
        **kwargs : dict
            ``device_id``, ``mem_size`` and ``mem_ptr``.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.MemoryHook().alloc_postprocess(device_id=0, mem_size=512, mem_ptr=4096)
        """

    def malloc_preprocess(self, **kwargs):
        """Called before the pool allocates memory.

        Parameters
        ----------
        **kwargs : dict
            ``device_id``, ``size`` and ``mem_size``.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.MemoryHook().malloc_preprocess(device_id=0, size=8, mem_size=512)
        """

    def malloc_postprocess(self, **kwargs):
        """Called after the pool allocated memory.

        Parameters
        ----------
        **kwargs : dict
            ``device_id``, ``size``, ``mem_size``, ``mem_ptr`` and ``pmem_id``.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.MemoryHook().malloc_postprocess(device_id=0, size=8, mem_size=512, mem_ptr=4096, pmem_id=4096)
        """

    def free_preprocess(self, **kwargs):
        """Called before memory returns to the pool.

        Parameters
        ----------
        **kwargs : dict
            ``device_id``, ``mem_size``, ``mem_ptr`` and ``pmem_id``.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.MemoryHook().free_preprocess(device_id=0, mem_size=512, mem_ptr=4096, pmem_id=4096)
        """

    def free_postprocess(self, **kwargs):
        """Called after memory returned to the pool.

        Parameters
        ----------
        **kwargs : dict
            ``device_id``, ``mem_size``, ``mem_ptr`` and ``pmem_id``.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.MemoryHook().free_postprocess(device_id=0, mem_size=512, mem_ptr=4096, pmem_id=4096)
        """


MemoryHook.__module__ = "cupy.cuda.memory_hook"


def _deliver():
    """Call the hooks for each event since their last call."""
    _engine.array_evaluate_all()
    events = _engine.memory_events()
    hooks = list(_hooks.values())
    for event in events:
        for hook in hooks:
            _tell(hook, *event)


def _tell(hook, kind, device, size, mem_size, address, place):
    where = {"device_id": max(device, 0), "mem_size": mem_size}
    held = {**where, "mem_ptr": address, "pmem_id": address}
    hook.place = place
    if kind == GIVEN_BACK:
        hook.free_preprocess(**held)
        hook.free_postprocess(**held)
        return
    hook.malloc_preprocess(**where, size=size)
    if kind == TAKEN_ANEW:
        hook.alloc_preprocess(**where)
        hook.alloc_postprocess(**where, mem_ptr=address)
    hook.malloc_postprocess(**held, size=size)
