"""torch.cuda: GPUs, streams, events and memory figures, on those of quern.cupy.cuda.

Without a GPU, and with QUERN_DEVICE=cpu, is_available() is False, counts and figures are 0, and the rest raises RuntimeError.
"""

import contextlib

from quern import errors as _errors
from quern.cupy import cuda as _cuda
from quern.lib import _engine
from quern.torch import _types
from quern.torch._core import Tensor
from quern.torch._devices import current_gpu, gpu_count, set_current_gpu
from quern.torch.cuda.random import (  # noqa: F401
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)

OutOfMemoryError = _errors.OutOfMemoryError
has_half, has_magma = True, False


# ---- which GPU


def is_available():
    """Return whether there is a GPU and QUERN_DEVICE does not select the CPU."""
    return gpu_count() > 0


def device_count():
    """Return the number of GPUs."""
    return gpu_count()


def is_initialized():
    """Return whether a GPU is initialized: True where there is one."""
    return is_available()


def _number(device):
    if device is None:
        return current_gpu()
    if isinstance(device, int):
        return current_gpu() if device == -1 else device
    device = _types.as_device(device)
    if device.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return current_gpu() if device.index is None else device.index


def _gpu(device=None):
    """The engine's device. Raises RuntimeError where there is no GPU, AssertionError for a number that none has."""
    if not is_available():
        raise RuntimeError("No CUDA GPUs are available")
    number = _number(device)
    if not 0 <= number < gpu_count():
        raise AssertionError(f"Invalid device id {number}: there are {gpu_count()} GPUs")
    return _engine.cuda(number)


def init():
    """Initialize the GPUs; raise RuntimeError where there is none."""
    _gpu()


def current_device():
    """The number of the current GPU."""
    _gpu()
    return current_gpu()


def set_device(device):
    """Make a GPU the current one of this thread: the one that "cuda" means.

    Parameters
    ----------
    device : device, str or int
        GPU, such as "cuda:1"; a negative number has no effect.
    """
    if isinstance(device, int) and device < 0:
        return
    _gpu(device)
    set_current_gpu(_number(device))


@contextlib.contextmanager
def _on(number):
    """While it lasts, a GPU is the engine's current device."""
    before = _engine.current_device()
    _engine.set_current_device(_gpu(number))
    try:
        yield
    finally:
        _engine.set_current_device(before)


class device:  # noqa: N801
    """Make a GPU the current one, as a context manager.

    Parameters
    ----------
    device : device, str, int or None
        GPU, such as "cuda:1"; a negative number and None have no effect.
    """

    def __init__(self, device):
        self.idx = -1 if device is None else device if isinstance(device, int) else _number(device)
        self._before = []

    def __enter__(self):
        self._before.append(_engine.current_device())
        set_device(self.idx)
        return self

    def __exit__(self, *error):
        before = self._before.pop()
        if self.idx >= 0:
            _engine.set_current_device(before)


class device_of(device):  # noqa: N801
    """Make the GPU of a tensor the current one, as a context manager.

    Parameters
    ----------
    obj : Tensor
        Tensor; one on the CPU has no effect.
    """

    def __init__(self, obj):
        super().__init__(obj.get_device() if isinstance(obj, Tensor) else -1)


def synchronize(device=None):
    """Submit the recorded operations, and wait for all work of a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.
    """
    _gpu(device).synchronize()


# ---- what it is


class _CudaDeviceProperties:
    """The result of get_device_properties() for a GPU."""

    def __init__(self, found):
        info = found.info()
        self.name = info["name"]
        self.major, self.minor = info["compute_capability"]
        self.total_memory = info["total_memory"]
        self.multi_processor_count = info["multiprocessors"]
        self.warp_size = info["warp_size"]
        self.shared_memory_per_block = info["max_shared"]
        self.shared_memory_per_block_optin = info["max_shared_optin"]
        self.max_threads_per_block = info["max_threads_per_block"]
        number = _cuda.runtime._constants
        for name, key in (
            ("max_threads_per_multi_processor", "MaxThreadsPerMultiProcessor"),
            ("regs_per_multiprocessor", "MaxRegistersPerMultiprocessor"),
            ("shared_memory_per_multiprocessor", "MaxSharedMemoryPerMultiprocessor"),
            ("L2_cache_size", "L2CacheSize"),
            ("is_integrated", "Integrated"),
            ("is_multi_gpu_board", "IsMultiGpuBoard"),
            ("pci_bus_id", "PciBusId"),
            ("pci_device_id", "PciDeviceId"),
            ("pci_domain_id", "PciDomainId"),
        ):
            setattr(self, name, found.attribute(number[f"cudaDevAttr{key}"]))

    def __repr__(self):
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // (1 << 20)}MB, multi_processor_count={self.multi_processor_count}, "
            f"L2_cache_size={self.L2_cache_size // (1 << 20)}MB)"
        )


def get_device_properties(device=None):
    """Return the properties of a GPU: name, compute capability, memory, number of multiprocessors and others.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    object
        Properties as attributes, such as `total_memory`.
    """
    return _CudaDeviceProperties(_gpu(device))


def get_device_name(device=None):
    """Return the name of a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    str
        Name.
    """
    return _gpu(device).info()["name"]


def get_device_capability(device=None):
    """Return the compute capability of a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    tuple of ints
        Major and minor number.
    """
    return tuple(_gpu(device).info()["compute_capability"])


def get_arch_list():
    """Return the architectures of the GPUs of this machine, such as "sm_90"."""
    return sorted({"sm_{}{}".format(*get_device_capability(i)) for i in range(device_count())})


def get_gencode_flags():
    """Return the options of a compiler for the GPUs of this machine."""
    return " ".join(f"-gencode compute=compute_{a[3:]},code={a}" for a in get_arch_list())


def is_bf16_supported(including_emulation=True):
    """Return whether the current GPU supports bfloat16, with `including_emulation` also by emulation."""
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported():
    """Return whether the current GPU has products in TF32."""
    return is_available() and get_device_capability()[0] >= 8


def can_device_access_peer(device, peer_device):
    """Return whether a GPU can access the memory of another one.

    Parameters
    ----------
    device : device, str or int
        GPU that accesses.
    peer_device : device, str or int
        GPU whose memory is accessed.

    Returns
    -------
    bool
        Whether it can.
    """
    _gpu(device), _gpu(peer_device)
    return bool(_cuda.runtime.deviceCanAccessPeer(_number(device), _number(peer_device)))


def is_current_stream_capturing():
    """Return whether the current stream is captured: always False."""
    return False


# ---- memory


def mem_get_info(device=None):
    """Return the free and the total memory of a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    tuple of ints
        Free and total bytes.
    """
    return tuple(_gpu(device).memory())


_peaks = {}


def _figures(device):
    """(bytes in use, bytes taken from the GPU); the largest that were seen are kept."""
    if not is_available():
        return 0, 0
    info = _gpu(device).pool_info()
    held, taken = info["held"], info["held"] + info["kept"]
    peak = _peaks.get(_number(device), (0, 0))
    _peaks[_number(device)] = max(peak[0], held), max(peak[1], taken)
    return held, taken


def memory_allocated(device=None):
    """Return the number of bytes that tensors use, as the memory pool rounds them; 0 without a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    int
        Bytes.
    """
    return _figures(device)[0]


def memory_reserved(device=None):
    """Return the number of bytes that the memory pool took from the GPU; 0 without a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    int
        Bytes.
    """
    return _figures(device)[1]


def max_memory_allocated(device=None):
    """Return the largest result of :func:`memory_allocated` and related functions so far.

    Allocations between these calls are not tracked.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    int
        Bytes.
    """
    _figures(device)
    return _peaks.get(_number(device), (0, 0))[0] if is_available() else 0


def max_memory_reserved(device=None):
    """Return the largest result of :func:`memory_reserved` and related functions so far.

    Allocations between these calls are not tracked.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    int
        Bytes.
    """
    _figures(device)
    return _peaks.get(_number(device), (0, 0))[1] if is_available() else 0


def reset_peak_memory_stats(device=None):
    """Reset the results of :func:`max_memory_allocated` and :func:`max_memory_reserved`.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.
    """
    if is_available():
        _peaks.pop(_number(device), None)


memory_cached, max_memory_cached = memory_reserved, max_memory_reserved
reset_max_memory_allocated = reset_max_memory_cached = reset_accumulated_memory_stats = reset_peak_memory_stats


def memory_stats(device=None):
    """Return statistics of the memory pool by PyTorch's names; empty without a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    dict
        Numbers by name.
    """
    if not is_available():
        return {}
    held, taken = _figures(device)
    return {
        "allocated_bytes.all.current": held,
        "allocated_bytes.all.peak": max_memory_allocated(device),
        "reserved_bytes.all.current": taken,
        "reserved_bytes.all.peak": max_memory_reserved(device),
    }


def memory_summary(device=None, abbreviated=False):
    """Return statistics of the memory pool as text; all parameters but `device` are accepted for compatibility."""
    return "\n".join(f"{name}: {value}" for name, value in memory_stats(device).items())


def empty_cache():
    """Gives unused memory back to the GPU."""
    if is_available():
        _gpu().trim()


def set_per_process_memory_fraction(fraction, device=None):
    """Limit the memory that the pool takes to a fraction of the GPU's.

    Parameters
    ----------
    fraction : float
        Fraction, from 0 to 1.
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    found = _gpu(device)
    found.set_pool_limit(int(fraction * found.memory()[1]) if fraction < 1 else 0)


def get_allocator_backend():
    """The name of what gives out memory."""
    return "native"


def ipc_collect():
    """Does nothing: tensors are not shared between processes."""


# ---- streams and events


class Stream:
    """A queue of work of a GPU, which runs in order.

    Parameters: ``device``: by default the current one; ``priority``: lower is more urgent. Where work of two streams needs the same
    tensor, the later waits for the earlier by itself.
    """

    def __init__(self, device=None, priority=0, **kwargs):
        number = _number(device)
        with _on(number):
            self._take(_cuda.Stream(non_blocking=True, priority=priority), number)

    def _take(self, stream, number):
        self._stream, self.device_index, self.priority = stream, number, stream.priority

    @classmethod
    def _of(cls, stream, number):
        made = object.__new__(cls)
        made._take(stream, number)
        return made

    @property
    def device(self):
        """Where it is."""
        return _types.device("cuda", self.device_index)

    @property
    def cuda_stream(self):
        """Its address; 0 for the default stream."""
        return 0 if self._stream.ptr in (0, 1, 2) else self._stream.ptr

    stream_id = cuda_stream

    def __cuda_stream__(self):
        return 0, self.cuda_stream

    def synchronize(self):
        """Waits for its work."""
        with _on(self.device_index):
            self._stream.synchronize()

    def query(self):
        """Is its work done?"""
        with _on(self.device_index):
            return self._stream.done

    def record_event(self, event=None):
        """Record an event in the stream.

        Parameters
        ----------
        event : Event, optional
            Event; None makes a new one.

        Returns
        -------
        Event
            The event.
        """
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Let later work of the stream wait for an event.

        Parameters
        ----------
        event : Event
            Event.
        """
        if event._event is not None:
            with _on(self.device_index):
                self._stream.wait_event(event._event)

    def wait_stream(self, stream):
        """Let later work of the stream wait for the work of another stream so far.

        Parameters
        ----------
        stream : Stream
            Other stream.
        """
        self.wait_event(stream.record_event())

    def __eq__(self, other):
        return isinstance(other, Stream) and self.device_index == other.device_index and self.cuda_stream == other.cuda_stream

    def __hash__(self):
        return hash((self.device_index, self.cuda_stream))

    def __repr__(self):
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """Stream of another library, which keeps it.

    Parameters
    ----------
    stream_ptr : int
        Address of the stream.
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.
    """

    def __init__(self, stream_ptr, device=None, **kwargs):
        number = _number(device)
        with _on(number):
            self._take(_cuda.ExternalStream(stream_ptr), number)


def current_stream(device=None):
    """Return the current stream of a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    Stream
        Stream.
    """
    number = _number(device)
    with _on(number):
        return Stream._of(_cuda.get_current_stream(), number)


def default_stream(device=None):
    """Return the default stream of a GPU.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    Stream
        Stream.
    """
    _gpu(device)
    return Stream._of(_cuda.Stream.null, _number(device))


def get_stream_from_external(data_ptr, device=None):
    """Return the stream of another library.

    Parameters
    ----------
    data_ptr : int
        Address of the stream.
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.

    Returns
    -------
    ExternalStream
        Stream.
    """
    return ExternalStream(data_ptr, device)


def set_stream(stream):
    """Make a stream the current one, and its GPU, too; None has no effect."""
    if stream is not None:
        set_device(stream.device_index)
        with _on(stream.device_index):
            stream._stream.use()


class StreamContext:
    """Make a stream the current one, as a context manager.

    Parameters
    ----------
    stream : Stream or None
        Stream; None has no effect.
    """

    def __init__(self, stream):
        self.stream = stream
        self._before = []

    def __enter__(self):
        if self.stream is not None:
            self._before.append((_engine.current_device(), current_stream(self.stream.device_index)))
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *error):
        if self.stream is not None:
            device, before = self._before.pop()
            set_stream(before)
            _engine.set_current_device(device)


def stream(stream):
    """Make a stream the current one, as a context manager.

    Parameters
    ----------
    stream : Stream or None
        Stream; None has no effect.

    Returns
    -------
    StreamContext
        Context manager.
    """
    return StreamContext(stream)


class Event:
    """Mark in a stream, with a time.

    Parameters
    ----------
    enable_timing : bool, optional
        Whether :meth:`elapsed_time` can be called.
    blocking : bool, optional
        Whether a thread that waits for the event sleeps.
    interprocess : bool, optional
        Must be False.
    external : bool, optional
        Accepted for compatibility.
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        _gpu()
        if interprocess:
            raise RuntimeError("sharing events between processes is not supported")
        self._timing, self._blocking, self._event, self._number = bool(enable_timing), bool(blocking), None, None

    @property
    def device(self):
        """Where it was recorded; None before."""
        return None if self._number is None else _types.device("cuda", self._number)

    @property
    def cuda_event(self):
        """Its address; 0 before it was recorded."""
        return 0 if self._event is None else self._event.ptr

    def record(self, stream=None):
        """Record the event in a stream: it is reached when the work of the stream so far is done.

        Parameters
        ----------
        stream : Stream, optional
            Stream; None is the current one.
        """
        stream = current_stream() if stream is None else stream
        with _on(stream.device_index):
            if self._event is None or self._number != stream.device_index:
                self._event, self._number = _cuda.Event(block=self._blocking, disable_timing=not self._timing), stream.device_index
            self._event.record(stream._stream)

    def synchronize(self):
        """Wait until the event is reached."""
        if self._event is not None:
            self._event.synchronize()

    def query(self):
        """Return whether the event is reached."""
        return self._event is None or self._event.done

    def wait(self, stream=None):
        """Let later work of a stream wait for the event.

        Parameters
        ----------
        stream : Stream, optional
            Stream; None is the current one.
        """
        (current_stream() if stream is None else stream).wait_event(self)

    def elapsed_time(self, end_event):
        """Return the time from this event to another.

        Both events have timing, and were recorded and reached.

        Parameters
        ----------
        end_event : Event
            Later event.

        Returns
        -------
        float
            Milliseconds.

        Raises
        ------
        ValueError
            For an event without timing, or one that was not recorded.
        RuntimeError
            For an event that was not reached.
        """
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._event is None or end_event._event is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        try:
            return _cuda.get_elapsed_time(self._event, end_event._event)
        except _cuda.runtime.CUDARuntimeError as error:
            raise RuntimeError(f"CUDA error: {error}") from None

    def __repr__(self):
        return f"<torch.cuda.Event {self.cuda_event:#x}>" if self._event is not None else "<torch.cuda.Event uninitialized>"


def __getattr__(name):
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}': quern does not support it")
