"""cupy.cuda.texture: arrays, textures and surfaces in RawKernels."""

import numpy as np
import pytest
from quern import cupy
from quern.cupy.cuda import runtime, texture

SAMPLE = """
extern "C" __global__ void sample(float* out, cudaTextureObject_t t, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(t, (x + 1.0f) / width, (y + 0.5f) / height);
}
extern "C" __global__ void add_up(float* out, cudaTextureObject_t t, int n) {
  float2 sum = make_float2(0, 0);
  for (int i = 0; i < n; ++i) {
    float2 v = tex1Dfetch<float2>(t, i);
    sum.x += v.x;
    sum.y += v.y;
  }
  out[0] = sum.x;
  out[1] = sum.y;
}
extern "C" __global__ void fill(cudaSurfaceObject_t s, int n) { surf2Dwrite(threadIdx.x + 10 * threadIdx.y, s, threadIdx.x * 4, threadIdx.y); }
"""


def kernel(name):
    return cupy.RawKernel(SAMPLE, name)


FLOAT = runtime.cudaChannelFormatKindFloat


def test_an_array_is_sampled(device):
    values = np.random.default_rng(0).uniform(size=(6, 8)).astype(np.float32)
    what = texture.ChannelFormatDescriptor(32, 0, 0, 0, FLOAT)
    made = texture.CUDAarray(what, 8, 6)
    assert made.ndim == 2 and made.ptr
    made.copy_from(cupy.asarray(values))
    back = np.zeros_like(values)
    made.copy_to(back)
    assert np.array_equal(back, values)
    how = texture.TextureDescriptor(
        (runtime.cudaAddressModeClamp, runtime.cudaAddressModeClamp),
        runtime.cudaFilterModeLinear,
        runtime.cudaReadModeElementType,
        normalizedCoords=1,
    )
    has = texture.TextureObject(texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=made), how)
    out = cupy.zeros((6, 8), np.float32)
    kernel("sample")((1, 1), (8, 8), (out, has, 8, 6))
    expected = (values + np.pad(values, ((0, 0), (0, 1)), mode="edge")[:, 1:]) / 2
    assert np.allclose(out.get(), expected, atol=4e-3) and has.ptr == has


def test_memory_is_read(device):
    values = cupy.arange(20, dtype=np.float32)
    what = texture.ChannelFormatDescriptor(32, 32, 0, 0, FLOAT)
    source = texture.ResourceDescriptor(runtime.cudaResourceTypeLinear, arr=values, chDesc=what, sizeInBytes=80)
    has = texture.TextureObject(source, texture.TextureDescriptor())
    out = cupy.zeros(2, np.float32)
    kernel("add_up")((1,), (1,), (out, has, np.int32(10)))
    assert out.get().tolist() == [90, 100]


def test_a_surface_is_written(device):
    what = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindSigned)
    made = texture.CUDAarray(what, 4, 3, flags=runtime.cudaArraySurfaceLoadStore)
    surface = texture.SurfaceObject(texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=made))
    kernel("fill")((1,), (4, 3), (surface, 12))
    out = cupy.zeros((3, 4), np.int32)
    made.copy_to(out)
    assert np.array_equal(out.get(), np.arange(4) + 10 * np.arange(3)[:, None])


def test_what_is_refused(device):
    what = texture.ChannelFormatDescriptor(8, 8, 0, 0, 1)
    for refused in (
        lambda: texture.ChannelFormatDescriptor(32, 32, 32, 0, FLOAT),
        lambda: texture.ChannelFormatDescriptor(64, 0, 0, 0, FLOAT),
        lambda: texture.CUDAarray(what, 0),
        lambda: texture.ResourceDescriptor(runtime.cudaResourceTypeMipmappedArray),
        lambda: texture.ResourceDescriptor(runtime.cudaResourceTypeLinear),
        lambda: texture.CUDAarray(what, 4).copy_from(np.zeros(9, np.uint8)),
        lambda: texture.TextureDescriptor(sRGB=1),
    ):
        with pytest.raises(ValueError):
            refused()
    with pytest.raises(TypeError):
        texture.TextureObject(what, texture.TextureDescriptor())
