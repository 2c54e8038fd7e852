"""Whoever waits for a device, a stream or an event, records an event or gets an address finds what arrays have recorded submitted.

Every such call of every front end, one after the other.
"""

import numpy as np
import pytest
import quern
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine


@pytest.fixture(autouse=True)
def everything_large(device):
    """On the device, with nothing that runs at once."""
    set_current_device(device)
    limit = _engine.tier0_limit
    _engine.set_tier0_limit(0)
    yield
    _engine.set_tier0_limit(limit)
    set_current_device(None)


def _pycuda():
    from quern.pycuda import autoinit, driver

    stream = driver.Stream()
    event = driver.Event()
    event.record()
    return {
        "Context.synchronize": driver.Context.synchronize,
        "autoinit.context.synchronize": autoinit.context.synchronize,
        "Stream.synchronize": stream.synchronize,
        "Stream.is_done": stream.is_done,
        "Stream.wait_for_event": lambda: stream.wait_for_event(event),
        "Event.record": lambda: driver.Event().record(),
        "Event.record of a stream": lambda: driver.Event().record(stream),
        "Event.synchronize": event.synchronize,
        "Event.query": event.query,
    }


def _cupy():
    from quern import cupy

    stream = cupy.cuda.Stream()
    event = cupy.cuda.Event()
    event.record()
    null = cupy.cuda.Stream.null
    runtime = cupy.cuda.runtime
    handle = runtime.eventCreate()
    return {
        "Device.synchronize": cupy.cuda.Device().synchronize,
        "Stream.synchronize": stream.synchronize,
        "Stream.null.synchronize": null.synchronize,
        "Stream.done": lambda: stream.done,
        "Stream.record": stream.record,
        "Stream.wait_event": lambda: stream.wait_event(event),
        "Stream.launch_host_func": lambda: stream.launch_host_func(lambda arg: None, None),
        "Event.record": lambda: cupy.cuda.Event().record(),
        "Event.synchronize": event.synchronize,
        "Event.done": lambda: event.done,
        "get_current_stream().synchronize": lambda: cupy.cuda.get_current_stream().synchronize(),
        "runtime.deviceSynchronize": runtime.deviceSynchronize,
        "runtime.streamSynchronize": lambda: runtime.streamSynchronize(0),
        "runtime.streamQuery": lambda: runtime.streamQuery(0),
        "runtime.eventRecord": lambda: runtime.eventRecord(handle, 0),
        "runtime.eventSynchronize": lambda: runtime.eventSynchronize(handle),
    }


def _numba():
    from quern import cuda

    stream = cuda.stream()
    event = cuda.event()
    event.record()
    return {
        "synchronize": cuda.synchronize,
        "current_context().synchronize": lambda: cuda.current_context().synchronize(),
        "Stream.synchronize": stream.synchronize,
        "Stream.add_callback": lambda: stream.add_callback(lambda *args: None),
        "default_stream().synchronize": lambda: cuda.default_stream().synchronize(),
        "Event.record": lambda: cuda.event().record(),
        "Event.record of a stream": lambda: cuda.event().record(stream),
        "Event.wait": lambda: event.wait(stream),
        "Event.synchronize": event.synchronize,
        "Event.query": event.query,
    }


def _quern():
    device = quern.current_device()
    stream = device.create_stream()
    event = device.create_event()
    event.record()
    return {
        "synchronize": qn.synchronize,
        "Device.synchronize": device.synchronize,
        "Stream.synchronize": stream.synchronize,
        "default_stream().synchronize": lambda: device.default_stream().synchronize(),
        "Stream.is_done": stream.is_done,
        "Stream.wait_for_event": lambda: stream.wait_for_event(event),
        "Stream.add_callback": lambda: stream.add_callback(lambda: None),
        "Event.record": lambda: device.create_event().record(),
        "Event.synchronize": event.synchronize,
        "Event.query": event.query,
        "pool_info": device.pool_info,
    }


FRONT_ENDS = {"pycuda": _pycuda, "cupy": _cupy, "numba": _numba, "quern": _quern}


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_every_call_that_waits_or_marks_submits_what_is_recorded(device, front_end):
    for name, call in FRONT_ENDS[front_end]().items():
        x = qn.arange(10000.0) * 2 + 1
        assert _engine.array_pending() > 0
        call()
        assert _engine.array_pending() == 0, f"{front_end}: {name}"
        assert float(x[3]) == 7
    qn.synchronize()


def test_time_between_events_is_that_of_the_work_between_them(device):
    from quern.pycuda import driver

    x = qn.asarray(np.linspace(0, 1, 1_000_000))
    qn.sin(x).sum().item()
    start, end = driver.Event(), driver.Event()
    start.record()
    kept = [qn.sin(x + k) for k in range(5)]
    end.record()
    assert _engine.array_pending() == 0
    end.synchronize()
    assert len(kept) == 5
    assert start.time_till(end) > 0


def test_addresses_are_of_what_is_computed(device):
    x = qn.arange(10000.0) * 2
    y = qn.arange(10000.0) + 1
    assert x.__cuda_array_interface__["data"][0] if device.kind == "cuda" else memoryview(x)
    from quern import cupy

    z = cupy.arange(10000.0) * 3
    assert z.data.ptr != 0
    assert float(y[1]) == 2
