"""torch.cuda: on a GPU where there is one; with the CPU in a GPU's place elsewhere; and what it says without one."""

import os
import subprocess
import sys

import pytest
from quern import torch
from quern.lib import _engine


@pytest.fixture
def cuda(monkeypatch):
    """torch.cuda with a GPU, or with the CPU as its device 0."""
    if not torch.cuda.is_available():
        monkeypatch.setattr("quern.torch.cuda._gpus.gpu_count", lambda: 1)
        for part in ("_gpus", "_memory", "_streams"):
            monkeypatch.setattr(f"quern.torch.cuda.{part}._gpu", lambda device=None: _checked(device))
        monkeypatch.setattr("quern.torch.cuda._gpus.set_current_gpu", lambda number: None)
    return torch.cuda


def _checked(device):
    number = torch.cuda._number(device)
    if number:
        raise AssertionError(f"Invalid device id {number}")
    return _engine.cpu()


def test_without_a_gpu_all_says_so():
    code = """
import quern.torch as torch
c = torch.cuda
assert not c.is_available() and c.device_count() == 0 and c.memory_allocated() == c.memory_reserved() == c.max_memory_allocated() == 0
assert c.memory_stats() == {} and c.get_rng_state_all() == []
c.empty_cache(), c.reset_peak_memory_stats(), c.ipc_collect(), c.manual_seed_all(1)
calls = [c.current_device, c.Stream, c.Event, c.current_stream, c.synchronize, c.get_device_properties, c.get_device_name, c.init]
calls += [c.mem_get_info, lambda: c.set_device(0), lambda: c.device(0).__enter__(), lambda: torch.ones(1).cuda(), c.default_stream]
for call in calls:
    try:
        call()
    except RuntimeError as error:
        assert "No CUDA GPUs are available" in str(error), error
    else:
        raise AssertionError(call)
"""
    environment = os.environ | {"QUERN_DEVICE": "cpu", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_events_tell_the_time_between_them(cuda):
    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    assert start.query() and start.cuda_event == 0
    start.record()
    x = torch.ones(100_000) * 2
    end.record()
    end.synchronize()
    assert end.query() and start.elapsed_time(end) >= 0
    assert x.sum().item() == 200_000
    with pytest.raises(ValueError, match="enable_timing"):
        cuda.Event().elapsed_time(end)
    with pytest.raises(ValueError, match="recorded"):
        cuda.Event(enable_timing=True).elapsed_time(end)


def test_streams_are_current_while_they_last(cuda):
    stream, before = cuda.Stream(), cuda.current_stream()
    assert before == cuda.default_stream() and before.cuda_stream == 0
    with cuda.stream(stream) as inside:
        assert inside is stream and cuda.current_stream() == stream
        event = stream.record_event()
    assert cuda.current_stream() == before
    before.wait_stream(stream)
    before.wait_event(event)
    event.wait(before)
    stream.synchronize()
    assert stream.query() and hash(stream) == hash(stream) and str(stream.device) == "cuda:0"
    with cuda.stream(None):
        assert cuda.current_stream() == before


def test_devices_have_properties_and_memory(cuda):
    found = cuda.get_device_properties(0)
    assert found.name == cuda.get_device_name() and (found.major, found.minor) == cuda.get_device_capability()
    assert found.total_memory > 0 and found.multi_processor_count > 0 and repr(found).startswith("_CudaDeviceProperties(name=")
    free, total = cuda.mem_get_info()
    assert 0 < free <= total
    assert cuda.max_memory_allocated() >= cuda.memory_allocated() >= 0
    assert cuda.memory_reserved() >= cuda.memory_allocated()
    assert cuda.memory_stats()["allocated_bytes.all.peak"] >= 0
    cuda.reset_peak_memory_stats()
    cuda.empty_cache()
    cuda.synchronize()
    assert cuda.get_arch_list() and cuda.is_bf16_supported()


def test_the_current_device_is_set_and_given_back(cuda):
    assert cuda.current_device() == 0
    with cuda.device(0):
        assert cuda.current_device() == 0
    with cuda.device(-1), cuda.device(None), cuda.device_of(torch.ones(1)):
        pass
    cuda.set_device("cuda:0")
    with pytest.raises(ValueError, match="Expected a cuda device"):
        cuda.set_device("cpu")
    with pytest.raises(AssertionError, match="Invalid device id"):
        cuda.set_device(99)


def test_unsupported_names_are_absent(cuda):
    assert not hasattr(cuda, "CUDAGraph")


def test_the_switches_of_tf32_are_one():
    switch = torch.backends.cuda.matmul
    try:
        assert torch.get_float32_matmul_precision() == "highest" and switch.allow_tf32 is False
        torch.set_float32_matmul_precision("high")
        assert switch.allow_tf32 is True
        switch.allow_tf32 = False
        assert torch.get_float32_matmul_precision() == "highest"
        switch.allow_tf32 = True
        assert torch.get_float32_matmul_precision() == "high"
        with pytest.raises(TypeError, match="set_allow_tf32_cublas expects a bool, but got int"):
            switch.allow_tf32 = 1
        with pytest.raises(RuntimeError, match="low is not one of 'highest', 'high', or 'medium'"):
            torch.set_float32_matmul_precision("low")
    finally:
        torch.set_float32_matmul_precision("highest")


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not _engine.cuda_count(), reason="needs a GPU"))])
def test_products_are_as_exact_as_the_switch_says(device):
    a, b = torch.rand(64, 512, device=device), torch.rand(512, 64, device=device)
    exact = a.double() @ b.double()

    def off():
        return ((a @ b).double() - exact).abs().max().item() / 128

    try:
        assert off() < 1e-5
        torch.set_float32_matmul_precision("high")
        assert 1e-5 < off() < 1e-3 if device == "cuda" else off() < 1e-5
        half = a.half() @ b.half()
        assert half.dtype == torch.float16
    finally:
        torch.set_float32_matmul_precision("highest")
    assert off() < 1e-5


def test_the_array_interface(device):
    import numpy as np
    from quern import cuda as numba_cuda
    from quern import cupy as cp

    x = torch.arange(6.0, device=device.name if device.kind == "cuda" else "cpu")
    if device.kind != "cuda":
        assert not hasattr(x, "__cuda_array_interface__") and not hasattr(x.requires_grad_(), "__cuda_array_interface__")
        with pytest.raises(AttributeError, match=r"on non-CUDA tensor type: torch.FloatTensor If CUDA data is required use tensor.cuda\(\)"):
            x.__cuda_array_interface__  # noqa: B018
        return
    every = x[::2]
    assert every.__cuda_array_interface__["strides"] == (8,) and x.__cuda_array_interface__["strides"] is None
    assert every.__cuda_array_interface__["data"] == (x.data_ptr(), False) and every.__cuda_array_interface__["shape"] == (3,)
    cp.asarray(every)[...] *= 10
    assert x.tolist() == [0, 1, 20, 3, 40, 5]
    numba_cuda.as_cuda_array(x)[1] = 7
    apart = numba_cuda.to_device(x)
    apart[0] = 5
    assert apart.copy_to_host().tolist() == [5, 7, 20, 3, 40, 5] and x[0] == 0

    @numba_cuda.jit
    def halved(x):
        i = numba_cuda.grid(1)
        if i < x.size:
            x[i] /= 2

    halved[1, 32](x)
    assert x.tolist() == [0, 3.5, 10, 1.5, 20, 2.5]
    assert cp.asarray(x.to(torch.int16)).dtype == np.int16 and cp.asarray(torch.zeros(0, device="cuda")).shape == (0,)
    with pytest.raises(RuntimeError, match="on Variable that requires grad"):
        cp.asarray(x.requires_grad_())
    with pytest.raises(AttributeError, match="no bfloat16"):
        x.detach().bfloat16().__cuda_array_interface__  # noqa: B018
    stream = torch.cuda.Stream()
    assert stream.__cuda_stream__() == (0, stream.cuda_stream)
    assert torch.as_tensor(cp.arange(3), device="cuda").tolist() == [0, 1, 2]
