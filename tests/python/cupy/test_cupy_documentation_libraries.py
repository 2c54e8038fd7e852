"""What CuPy's user guide shows of Fourier transforms and of other libraries together with CuPy, as programs of our own: each checks its answer."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import quern
from quern import cupy as cp
from test_cupy_documentation import close

# ---- Fourier transforms


def test_fourier_transforms(device):
    a = cp.random.random((10, 8)).astype(cp.complex64)
    close(cp.fft.fft(a), np.fft.fft(a.get()), 1e-5)
    close(cp.fft.ifft2(cp.fft.fft2(a)), a.get(), 1e-5)
    close(cp.fft.irfft(cp.fft.rfft(a.real, axis=0), axis=0), a.real.get(), 1e-5)
    assert cp.fft.fft(a).dtype == np.complex64 and cp.fft.rfft(a.real).dtype == np.complex64
    for norm in ("backward", "forward", "ortho"):
        close(cp.fft.fftn(a, norm=norm), np.fft.fftn(a.get(), norm=norm), 1e-4)
    assert cp.fft.fftfreq(8, 0.5).tolist() == np.fft.fftfreq(8, 0.5).tolist()


def test_the_cache_of_plans(device, capsys):
    from quern.cupy.cuda import Device
    from quern.cupy.fft.config import get_plan_cache

    x = cp.random.random((3, 12, 10))
    cache = get_plan_cache()
    for _ in range(2):
        close(cp.fft.fftn(x, axes=(1, 2)), np.fft.fftn(x.get(), axes=(1, 2)), 1e-10)
        cache.show_info()
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2 and all("0 of 16" in line for line in told) and list(cache) == []
    with Device(Device().id):
        cache = get_plan_cache()
        cache.set_size(0)
        assert cache.get_size() == 0 and cp.fft.config.get_plan_cache() is cache
    cache.clear()
    cache.set_size(16)
    cp.fft.config.show_plan_cache_info()
    assert "0 of 16" in capsys.readouterr().out


def test_transforms_on_several_devices(device):
    """They run on the array's."""
    import quern.cupy.fft.config as config

    config.use_multi_gpus = True
    try:
        with pytest.warns(FutureWarning):
            config.set_cufft_gpus([0, 1])
        x = cp.random.random((6, 16)).astype(cp.complex64)
        close(cp.fft.fft(x), np.fft.fft(x.get()), 1e-5)
        assert cp.fft.config.use_multi_gpus is True and cp.fft.fft(x).device == x.device
    finally:
        config.use_multi_gpus = False


def test_plans_made_by_hand(device):
    from quern.cupy.cuda import cufft

    host = np.random.default_rng(3).random((5, 24)).astype(np.complex64)
    for x, out in ((host, np.empty_like(host)), (cp.asarray(host), cp.empty_like(cp.asarray(host)))):
        plan = cufft.Plan1d(24, cufft.CUFFT_C2C, 5, devices=[0, 1])
        plan.fft(x, out, cufft.CUFFT_FORWARD)
        np.testing.assert_allclose(cp.asnumpy(out), np.fft.fft(host), rtol=1e-4, atol=1e-4)
        plan.fft(x, out, cufft.CUFFT_INVERSE)
        np.testing.assert_allclose(cp.asnumpy(out), np.fft.ifft(host) * 24, rtol=1e-4, atol=1e-4)
    real, there, back = cp.random.random((4, 10)), cp.empty((4, 6), complex), cp.empty((4, 10))
    cp.cuda.cufft.Plan1d(10, cufft.CUFFT_D2Z, 4).fft(real, there, cufft.CUFFT_FORWARD)
    close(there, np.fft.rfft(real.get()))
    cp.cuda.cufft.Plan1d(10, cufft.CUFFT_Z2D, 4).fft(there, back, cufft.CUFFT_INVERSE)
    close(back, real.get() * 10)
    solid, out = cp.random.random((2, 6, 4)).astype(complex), cp.empty((2, 6, 4), complex)
    plan = cufft.PlanNd((6, 4), None, 1, 24, None, 1, 24, cufft.CUFFT_Z2Z, 2, "C", -1, None)
    plan.fft(solid, out, cufft.CUFFT_FORWARD)
    close(out, np.fft.fftn(solid.get(), axes=(1, 2)))
    with plan:
        assert cufft.get_current_plan() is plan
        close(cp.fft.fftn(solid, axes=(1, 2)), out.get())
    assert cufft.get_current_plan() is None
    for wrong, what in (((real.astype("f4"), there, -1), "float64"), ((real[:2], there, -1), "shape"), ((real, back, -1), "result")):
        with pytest.raises((TypeError, ValueError), match=what):
            cufft.Plan1d(10, cufft.CUFFT_D2Z, 4).fft(*wrong)
    with pytest.raises(NotImplementedError, match="gaps"):
        cufft.PlanNd((6, 4), None, 2, 48, None, 1, 24, cufft.CUFFT_Z2Z, 2, "C", -1, None)


def test_transforms_of_half_precision(device):
    shape = (3, 8, 6)
    x = cp.random.random((*shape[:2], 2 * shape[2])).astype(cp.float16)
    out = cp.empty_like(x)
    sizes = shape[1:], 1, shape[1] * shape[2], "E"
    plan = cp.cuda.cufft.XtPlanNd(shape[1:], *sizes, *sizes, shape[0], "E", order="C", last_axis=-1, last_size=None)
    plan.fft(x, out, cp.cuda.cufft.CUFFT_FORWARD)
    wanted = np.fft.fftn(x.get().astype(np.float32).view(np.complex64), axes=(1, 2)).astype(np.complex64).view(np.float32)
    assert out.dtype == np.float16
    close(out, wanted, 5e-3)


LEGACY = """
__device__ {kind} from_places(void* data, size_t at, void* info, void* shared) {{
    {kind} x = (({kind}*)data)[at];
    {body}
    return x;
}}
__device__ cufftCallbackLoad{letter} d_loadCallbackPtr = from_places;
"""


def test_functions_that_transforms_load_through(device):
    rng = np.random.default_rng(8)
    for kind, letter, dtype in (("cufftComplex", "C", np.complex64), ("cufftDoubleComplex", "Z", np.complex128)):
        host = (rng.random((3, 6, 10)) + 1j * rng.random((3, 6, 10))).astype(dtype)
        x, factor = cp.asarray(host), np.arange(host.size).reshape(host.shape) % 7
        code = LEGACY.format(kind=kind, letter=letter, body="x.x *= at % 7; x.y *= at % 7;")
        with cp.fft.config.set_cufft_callbacks(cb_load=code):
            for name, options in (("fftn", {"axes": (1, 2)}), ("ifftn", {"axes": (1, 2), "norm": "ortho"}), ("fft", {}), ("ifft2", {})):
                close(getattr(cp.fft, name)(x, **options), getattr(np.fft, name)(host * factor, **options), 1e-4)
        close(cp.fft.fftn(x, axes=(1, 2)), np.fft.fftn(host, axes=(1, 2)), 1e-4)  # behind the block as ever
    for said in ("static __device__ __managed__", "__constant__", "__device__ const"):
        other = code.replace("__device__ cufftCallback", f"{said} cufftCallback").replace("= from_places", "= &from_places")
        with cp.fft.config.set_cufft_callbacks(cb_load=other):
            close(cp.fft.fft(x), np.fft.fft(host * factor), 1e-6)


def test_functions_by_name_with_data(device):
    code = r"""
    #include <cufftXt.h>
    struct Band { unsigned first, last, width; };
    __device__ cufftComplex cufftJITCallbackLoadComplex(void* data, size_t at, void* info, void* shared) {
        const Band* band = static_cast<const Band*>(info);
        unsigned k = at % band->width;
        return k >= band->first && k < band->last ? static_cast<cufftComplex*>(data)[at] : cufftComplex{0.f, 0.f};
    }
    """
    band = np.zeros(1, np.dtype([("first", np.uint32), ("last", np.uint32), ("width", np.uint32)]))
    band["first"], band["last"], band["width"] = 2, 9, 26
    memory = cp.cuda.alloc(band.nbytes)
    memory.copy_from_host(band.ctypes.data, band.nbytes)
    signal = cp.random.random((4, 50), dtype=cp.float32)
    lines = cp.fft.rfft(signal)
    with cp.fft.config.set_cufft_callbacks(cb_load=code, cb_load_data=memory, cb_ver="jit"):
        found = cp.fft.irfft(lines)
    kept = np.fft.rfft(signal.get())
    kept[:, :2], kept[:, 9:] = 0, 0
    close(found, np.fft.irfft(kept), 1e-5)

    named = code.replace("cufftJITCallbackLoadComplex", "in_a_band")
    array = cp.asarray(band.view(np.uint32))
    with cp.fft.config.set_cufft_callbacks(named, None, array, cb_load_name="in_a_band", cb_ver="jit", nvrtc_options=("-DUNUSED",)):
        close(cp.fft.irfft(lines, 50, axis=1), np.fft.irfft(kept), 1e-5)


def test_functions_that_transforms_store_through(device):
    code = r"""
    __device__ void scaled(void* data, size_t at, cufftDoubleComplex x, void* info, void* shared) {
        double by = static_cast<double*>(info)[at % 4];
        static_cast<cufftDoubleComplex*>(data)[at] = make_cuDoubleComplex(x.x * by, -x.y);
    }
    __device__ cufftCallbackStoreZ d_storeCallbackPtr = scaled;
    """
    load = LEGACY.format(kind="cufftDoubleReal", letter="D", body="x = 1 - x;")
    x, by = cp.random.random((5, 6)), cp.asarray([1.0, -2.0, 0.5, 3.0])
    with cp.fft.config.set_cufft_callbacks(cb_load=load, cb_store=code, cb_store_data=by.data):
        for sizes in (None, (4, 6), (7, 6)):
            found = cp.fft.rfft2(x, s=sizes)
            padded = np.zeros((7, 6))
            padded[:5] = x.get()
            plain = np.fft.rfft2(1 - (x.get() if sizes is None else padded[: sizes[0]]))
            close(found, plain.real * by.get()[np.arange(plain.size).reshape(plain.shape) % 4] - 1j * plain.imag, 1e-9)


def test_functions_of_transforms_that_are_refused(device):
    code = LEGACY.format(kind="cufftComplex", letter="C", body="")
    x = cp.ones(4, dtype=cp.complex64)
    for given, error, what in (
        ({"cb_load": code.replace("d_loadCallbackPtr", "other")}, ValueError, "d_loadCallbackPtr"),
        ({"cb_load": code, "cb_ver": "jit"}, ValueError, "cb_load_name"),
        ({"cb_load": code, "cb_ver": "new"}, ValueError, "'legacy' or 'jit'"),
        ({}, ValueError, "cb_load, cb_store or both"),
        ({"cb_load": b"LTO"}, TypeError, "pass no compiled code"),
        ({"cb_load": code.replace("return x;", "return y;")}, quern.CompileError, "'y'|\"y\""),
    ):
        with pytest.raises(error, match=what), cp.fft.config.set_cufft_callbacks(**given):
            cp.fft.fft(x)
    assert cp.fft.fft(x).tolist() == [4, 0, 0, 0]


@pytest.mark.parametrize("part", ["scipy.fft", "scipy.fftpack", "scipy.sparse", "cutensor", "distributed"])
def test_unsupported_modules_of_cupyx(part, tmp_path):
    (tmp_path / "asks.py").write_text(f"import cupyx.{part}\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "quern", "run", str(tmp_path / "asks.py")]
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert found.returncode == 1 and f"No module named 'cupyx.{part}': quern does not support this module of cupyx" in found.stderr


# ---- interoperability


def test_functions_of_numpy(device):
    x = cp.random.randn(2, 3, 4).astype(cp.float32)
    total = np.sum(x)
    assert type(total) is cp.ndarray and total.dtype == np.float32
    close(total, x.get().sum(), 1e-4)
    close(np.exp(x) + np.linalg.norm(x), np.exp(x.get()) + np.linalg.norm(x.get()), 1e-4)


def test_kernels_and_arrays_of_numba(device):
    from quern.numba import cuda

    @cuda.jit
    def weighted(x, y, out):
        first, step = cuda.grid(1), cuda.gridsize(1)
        for i in range(first, x.shape[0], step):
            out[i] = 3 * x[i] - y[i]

    x = cp.arange(10)
    y, out = x * x, cp.zeros_like(x)
    assert str(out) == "[0 0 0 0 0 0 0 0 0 0]"
    weighted[1, 32](x, y, out)
    assert str(out) == str(3 * np.arange(10) - np.arange(10) ** 2)

    of_numba = cuda.to_device(np.arange(6.0))
    ours = cp.asarray(of_numba)
    ours *= 2
    assert of_numba.copy_to_host().tolist() == [0, 2, 4, 6, 8, 10]


def test_libraries_that_reduce_over_processes(device):
    """What mpi4py does with an array, for one process: it reads the one buffer and fills the other, through DLPack."""

    class Communicator:
        def Get_size(self):  # noqa: N802
            return 1

        def Allreduce(self, sent, received):  # noqa: N802
            if device.kind == "cuda":
                for array in (sent, received):
                    assert array.__cuda_array_interface__["data"][0] == array.data.ptr
                received[...] = sent
            else:
                np.from_dlpack(received)[...] = np.from_dlpack(sent)

    world = Communicator()
    sent = cp.arange(10, dtype="i")
    received = cp.empty_like(sent)
    world.Allreduce(sent, received)
    assert cp.allclose(received, sent * world.Get_size())


def test_tensors_of_torch(device):
    from quern import torch

    where = "cuda" if device.kind == "cuda" else "cpu"
    tensor = torch.rand((4, 4), device=where)
    before = tensor.numpy(force=True).copy()
    ours = cp.asarray(tensor) if device.kind == "cuda" else cp.from_dlpack(tensor)  # a tensor of the host is copied by asarray
    ours *= ours
    np.testing.assert_allclose(tensor.numpy(force=True), before**2, rtol=1e-6)
    assert ours.data.ptr == tensor.data_ptr()

    ours = cp.arange(10)
    tensor = torch.as_tensor(ours, device=where)
    tensor += 3
    assert ours.tolist() == list(range(3, 13)) and ours.data.ptr == tensor.data_ptr()

    tensor = torch.randn(1, 2, 3, 4, device=where)
    again = torch.from_dlpack(cp.from_dlpack(tensor))
    assert again.data_ptr() == tensor.data_ptr() and torch.equal(again, tensor)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        through = cp.fromDlpack(torch.utils.dlpack.to_dlpack(tensor))
        again = torch.utils.dlpack.from_dlpack(through.toDlpack())
    assert again.data_ptr() == tensor.data_ptr()


def test_a_function_of_torch_with_raw_kernels(device):
    from quern import torch

    code = r"""
    extern "C" __global__ void root(const float* x, float* y, int n) {
        int i = blockDim.x * blockIdx.x + threadIdx.x;
        if (i < n) y[i] = sqrtf(x[i]);
    }
    extern "C" __global__ void root_gradient(const float* y, const float* after, float* before, int n) {
        int i = blockDim.x * blockIdx.x + threadIdx.x;
        if (i < n) before[i] = after[i] / (2 * y[i]);
    }
    """
    module = cp.RawModule(code=code)
    forward_kernel, backward_kernel = module.get_function("root"), module.get_function("root_gradient")

    class Root(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x = cp.ascontiguousarray(cp.from_dlpack(x.detach()))
            y = cp.empty(x.shape, dtype=x.dtype)
            forward_kernel(((x.size + 63) // 64,), (64,), (x, y, x.size))
            ctx.result = torch.from_dlpack(y)
            return ctx.result

        @staticmethod
        def backward(ctx, after):
            y, after = (cp.from_dlpack(t.detach()).ravel() for t in (ctx.result, after))
            before = cp.zeros(after.shape, dtype=after.dtype)
            backward_kernel(((y.size + 63) // 64,), (64,), (y, after, before, y.size))
            return torch.from_dlpack(before)

    x = (torch.rand(100, device="cuda" if device.kind == "cuda" else "cpu") + 1).requires_grad_()
    y = Root.apply(x)
    (3 * y).sum().backward()
    host = x.detach().numpy(force=True)
    np.testing.assert_allclose(y.detach().numpy(force=True), np.sqrt(host), rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(force=True), 1.5 / np.sqrt(host), rtol=1e-5)


def test_memory_of_other_libraries_as_an_allocator(device):
    """What RMM and pytorch-pfn-extras do: CuPy's arrays lie in memory that another library gives, here torch's."""
    from quern import torch

    given = []

    def allocator(size):
        block = torch.empty(size, dtype=torch.uint8, device="cuda" if device.kind == "cuda" else "cpu")
        given.append(size)
        return cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(block.data_ptr(), size, owner=block), 0)

    cp.cuda.set_allocator(allocator)
    try:
        x = cp.arange(10)
        assert x.data.ptr and sum(given) >= 80
        close(x * 2, np.arange(10) * 2)
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)


def test_dlpack(device):
    x = cp.random.randn(1, 2, 3, 4).astype(cp.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again, old = cp.from_dlpack(x.toDlpack()), cp.fromDlpack(x.toDlpack())
    again[0, 0, 0, 0] = 7
    assert float(x[0, 0, 0, 0]) == 7 and again.data.ptr == x.data.ptr == old.data.ptr
    cp.testing.assert_array_equal(x, old)
    if device.kind == "cpu":  # NumPy is a library that has from_dlpack(), as JAX is
        host = np.arange(5.0)
        ours = cp.from_dlpack(host)
        assert np.from_dlpack(ours).tolist() == host.tolist()


def test_dlpack_with_jax(device):
    jax_numpy = pytest.importorskip("jax.numpy")
    ours = cp.from_dlpack(jax_numpy.arange(5.0))
    assert ours.tolist() == [0, 1, 2, 3, 4]
    assert jax_numpy.from_dlpack(ours).tolist() == [0, 1, 2, 3, 4]


def test_tensors_of_tensorflow(device):
    tf = pytest.importorskip("tensorflow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = tf.random.uniform((10,))
        before = tensor.numpy()
        ours = cp.from_dlpack(tf.experimental.dlpack.to_dlpack(tensor))
        close(ours * 3, before * 3)
        again = tf.experimental.dlpack.from_dlpack(cp.arange(10).toDlpack())
    assert again.numpy().tolist() == list(range(10))


def test_memory_by_its_address(device):
    owner = cp.arange(256, dtype=np.float32)
    assert owner.data.ptr and owner.nbytes == 1024
    memory = cp.cuda.UnownedMemory(owner.data.ptr, 1024, owner=owner)
    pointer = cp.cuda.MemoryPointer(memory, offset=0)
    x = cp.ndarray((16, 16), dtype=cp.float32, memptr=pointer)
    assert x.nbytes <= x.data.mem.size
    x += 1
    close(owner, np.arange(256.0) + 1)
    assert cp.cuda.UnownedMemory(owner.data.ptr, 1024, owner=None).ptr == owner.data.ptr
    if device.kind == "cuda":

        class Foreign:
            __cuda_array_interface__ = owner.__cuda_array_interface__

        close(cp.asarray(Foreign()), np.arange(256.0) + 1)


def test_streams_of_other_libraries(device):
    from quern import torch

    ours = cp.cuda.Stream()
    version, address = ours.__cuda_stream__()
    assert version == 0 and address == ours.ptr and ours.device_id == cp.cuda.Device().id

    class Foreign:
        def __cuda_stream__(self):
            return ours.__cuda_stream__()

    taken = [cp.cuda.Stream.from_external(ours), cp.cuda.Stream.from_external(Foreign())]
    taken += [cp.cuda.ExternalStream(ours.ptr), cp.cuda.ExternalStream(ours.ptr, device_id=ours.device_id)]
    if device.kind == "cuda":
        of_torch = torch.cuda.Stream()
        taken += [cp.cuda.Stream.from_external(of_torch), cp.cuda.ExternalStream(of_torch.cuda_stream)]
        with torch.cuda.stream(of_torch), taken[-1]:
            assert torch.arange(10, device="cuda").sum().item() == 45
    for stream in taken:
        with stream:
            assert cp.cuda.get_current_stream().ptr == stream.ptr
            x = cp.arange(10) * 2
        stream.synchronize()
        assert x.tolist() == list(range(0, 20, 2))
    for wrong in (3, object()):
        with pytest.raises(TypeError):
            cp.cuda.Stream.from_external(wrong)
