"""OpenGL interoperation is not served: importing this raises ImportError."""

raise ImportError("pycuda.gl is not served: no buffers are shared with OpenGL; copy the result with memcpy_dtoh and draw it from the host")
