"""cupy.cuda.texture: not served."""

from quern.cupy.cuda import _unserved

for _name in ("ChannelFormatDescriptor", "ResourceDescriptor", "TextureDescriptor", "CUDAarray", "TextureObject", "SurfaceObject"):
    globals()[_name] = _unserved.type(f"cupy.cuda.texture.{_name}", "texture and surface memory is not served; pass the array as a pointer")
