"""OpenGL interoperation is not supported: importing this raises ImportError."""

raise ImportError("pycuda.gl is not supported: OpenGL buffers are not shared; copy the result with memcpy_dtoh and draw it from the host")
