"""cupy.cuda.texture: arrays for textures and surfaces, and the objects that a RawKernel takes for them.

Start reading at TextureObject.
"""

from __future__ import annotations

import numpy as np

from quern.lib import _engine

_SIGNED, _UNSIGNED, _FLOAT = 0, 1, 2  # runtime.cudaChannelFormatKind...
_FORMATS = {
    (_SIGNED, 8): 0x08,
    (_SIGNED, 16): 0x09,
    (_SIGNED, 32): 0x0A,
    (_UNSIGNED, 8): 0x01,
    (_UNSIGNED, 16): 0x02,
    (_UNSIGNED, 32): 0x03,
    (_FLOAT, 16): 0x10,
    (_FLOAT, 32): 0x20,
}
_ARRAY, _LINEAR, _PITCHED = 0, 2, 3  # runtime.cudaResourceType...


class ChannelFormatDescriptor:
    """What a texel is: the bits of each channel, 0 for those that are not there, and the kind (runtime.cudaChannelFormatKind...)."""

    def __init__(self, x, y, z, w, f):
        bits = [int(n) for n in (x, y, z, w)]
        used = [n for n in bits if n]
        if len(used) not in (1, 2, 4) or bits[: len(used)] != used or len(set(used)) != 1 or (int(f), used[0]) not in _FORMATS:
            raise ValueError(
                f"[ChannelFormatDescriptor] unsupported channels: {bits} bits of kind {f}; use 1, 2 or 4 channels of the same 8, 16 or 32"
            )
        self._bits, self._kind = bits, int(f)
        self._texel = _FORMATS[self._kind, used[0]], len(used)
        self._bytes = sum(used) // 8

    def get_channel_format(self):
        """The numbers it was made of, by name."""
        return dict(zip("xyzwf", (*self._bits, self._kind), strict=True))


class CUDAarray(_engine.DeviceArray):
    """An array that textures and surfaces read: `width` texels, in `height` rows and `depth` slices where there are any."""

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        if not isinstance(desc, ChannelFormatDescriptor):
            raise TypeError(f"[CUDAarray] a ChannelFormatDescriptor is needed, not {type(desc).__name__}")
        if width <= 0 or height < 0 or depth < 0 or (depth and not height):
            raise ValueError(f"[CUDAarray] there is no array of {width} x {height} x {depth} texels")
        super().__init__(_engine.current_device(), width, height, depth, *desc._texel, flags)
        self.desc, self.width, self.height, self.depth, self.flags = desc, width, height, depth, flags
        self.ndim = 3 if depth else 2 if height else 1

    ptr = property(lambda self: self.native)

    def _copy(self, what, other, stream, to_self):
        box = max(1, self.depth), max(1, self.height), self.width * self.texel_bytes
        if other.nbytes != box[0] * box[1] * box[2] or not other.flags.c_contiguous:
            raise ValueError(f"[CUDAarray.{what}] a C-contiguous array of {box[0] * box[1] * box[2]} bytes is needed")
        on_host = isinstance(other, np.ndarray)
        side = ("host" if on_host else "device", other.reshape(-1).view(np.uint8) if on_host else other, 0, 0, 0, box[2], box[1])
        here = ("array", self, 0, 0, 0, 0, 0)
        _engine.copy_box(self.device, *((here, side) if to_self else (side, here)), box, stream, on_host and stream is None)

    def copy_from(self, in_arr, stream=None):
        """Copy the values of an array.

        Parameters
        ----------
        in_arr : ndarray or numpy.ndarray
            Array; the last axis has the channels.
        stream : Stream, optional
            Stream; None is the current one.
        """
        self._copy("copy_from", in_arr, stream, True)

    def copy_to(self, out_arr, stream=None):
        """Copy the values into an array.

        Parameters
        ----------
        out_arr : ndarray or numpy.ndarray
            Array; the last axis has the channels.
        stream : Stream, optional
            Stream; None is the current one.
        """
        self._copy("copy_to", out_arr, stream, False)


class ResourceDescriptor:
    """What a texture or surface reads: a CUDAarray, or memory of an array of CuPy's, as one row or as rows `pitchInBytes` apart."""

    def __init__(self, restype, cuArr=None, arr=None, chDesc=None, sizeInBytes=0, width=0, height=0, pitchInBytes=0):
        if restype == _ARRAY:
            if not isinstance(cuArr, CUDAarray):
                raise ValueError("[ResourceDescriptor] a resource of the type array needs a CUDAarray as cuArr")
        elif restype not in (_LINEAR, _PITCHED):
            raise ValueError(f"[ResourceDescriptor] the type {restype} is not supported; arrays, linear and pitched memory are")
        elif arr is None or not isinstance(chDesc, ChannelFormatDescriptor):
            raise ValueError("[ResourceDescriptor] linear and pitched memory require arr, a cupy.ndarray, and chDesc")
        self.chDesc = cuArr.desc if restype == _ARRAY else chDesc
        self.cuArr, self.arr, self._type = cuArr, arr, restype
        if restype != _ARRAY:
            self._extents = (int(sizeInBytes), 0, 0, 0) if restype == _LINEAR else (0, int(width), int(height), int(pitchInBytes))


class TextureDescriptor:
    """How a texture is read: address modes of each axis, filter, read mode, the border's colour, and whether coordinates go from 0 to 1."""

    def __init__(
        self, addressModes=None, filterMode=0, readMode=0, sRGB=None, borderColors=None, normalizedCoords=None, maxAnisotropy=None
    ):
        if addressModes is not None and len(addressModes) > 3:
            raise ValueError("[TextureDescriptor] addressModes has more than three axes")
        if borderColors is not None and len(borderColors) > 4:
            raise ValueError("[TextureDescriptor] borderColors has more than four channels")
        if sRGB:
            raise ValueError("[TextureDescriptor] sRGB is not supported; convert the colours in the kernel")
        modes = [int(mode) for mode in addressModes or ()]
        self._settings = {
            "address": modes + modes[-1:] * (3 - len(modes)) if modes else [0, 0, 0],
            "linear": filterMode == 1,
            "normalized_floats": readMode == 1,
            "normalized_coordinates": bool(normalizedCoords),
            "border": [float(c) for c in borderColors or ()],
            "max_anisotropy": int(maxAnisotropy or 0),
        }


def _checked(value, kind, what):
    if not isinstance(value, kind):
        raise TypeError(f"[{what}] a {kind.__name__} is needed, not {type(value).__name__}")
    return value


class TextureObject(int):
    """A texture that a RawKernel takes as its cudaTextureObject_t: a number, which keeps what the texture reads."""

    def __new__(cls, ResDesc, TexDesc):
        """Makes the texture of a ResourceDescriptor and a TextureDescriptor."""
        source, how = _checked(ResDesc, ResourceDescriptor, "TextureObject"), _checked(TexDesc, TextureDescriptor, "TextureObject")
        if source._type == _ARRAY:
            made = _engine.texture_of_array(source.cuArr, **how._settings)
        else:
            device = _engine.current_device()
            made = _engine.texture_of_memory(device, source.arr.data.ptr, source._extents, *source.chDesc._texel, **how._settings)
        self = super().__new__(cls, made.handle)
        self._object, self.ResDesc, self.TexDesc = made, ResDesc, TexDesc
        return self

    ptr = property(int)


class SurfaceObject(int):
    """A surface that a RawKernel takes as its cudaSurfaceObject_t: a number, which keeps the CUDAarray."""

    def __new__(cls, ResDesc):
        """Makes the surface of the ResourceDescriptor of a CUDAarray with runtime.cudaArraySurfaceLoadStore."""
        source = _checked(ResDesc, ResourceDescriptor, "SurfaceObject")
        if source._type != _ARRAY:
            raise ValueError("[SurfaceObject] a surface needs a CUDAarray")
        made = _engine.surface_of_array(source.cuArr)
        self = super().__new__(cls, made.handle)
        self._object, self.ResDesc = made, ResDesc
        return self

    ptr = property(int)
