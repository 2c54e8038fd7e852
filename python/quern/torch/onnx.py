"""torch.onnx: names that programs import. quern writes no ONNX files."""

from quern.torch._refusals import refused

__all__ = ["OnnxExporterError", "export", "is_in_onnx_export"]

export = refused("torch.onnx.export", "with PyTorch installed, `python FILE` runs the program on it")


class OnnxExporterError(RuntimeError):
    """An error of PyTorch's exporter."""


def is_in_onnx_export():
    """Return whether a model is being exported: always False."""
    return False
