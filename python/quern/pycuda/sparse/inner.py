"""AsyncInnerProduct: a dot product whose value comes to the host while work goes on."""

from quern.pycuda import driver, gpuarray


class AsyncInnerProduct:
    """The sum of a * b, begun when this is made.

    Parameters: ``a``, ``b``, GPUArrays of one shape; ``pagelocked_allocator``, called as driver.pagelocked_empty is. ``gpu_result`` is
    the value on the device.
    """

    def __init__(self, a, b, pagelocked_allocator=driver.pagelocked_empty):
        self.gpu_result = gpuarray.dot(a, b)
        self._on_host = pagelocked_allocator(self.gpu_result.shape, self.gpu_result.dtype)
        driver.memcpy_dtoh_async(self._on_host, self.gpu_result.gpudata)
        self._done = driver.Event().record()

    def get_host_result(self):
        """The value once it is there, else None; does not wait."""
        return self._on_host[()] if self._done.query() else None
