"""tf.test: what the machine has."""

from quern.tensorflow.config import _gpus


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Is there a GPU?"""
    return _gpus() > 0


def is_built_with_cuda():
    """True: GPUs are used where there are some."""
    return True


def is_built_with_gpu_support():
    """True: GPUs are used where there are some."""
    return True


def gpu_device_name():
    """The first GPU's name, or ""."""
    return "/device:GPU:0" if _gpus() else ""


def __getattr__(name):
    raise AttributeError(f"tensorflow.test.{name} is not supported by quern; use unittest or pytest with numpy.testing")
