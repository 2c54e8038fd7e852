"""PyTorch's functions that are faces of the engine's table (bindings/faces/): by their names, and as methods of the Tensor."""

from quern.lib import _engine
from quern.torch._core import Tensor

FACES = _engine.functions_of("torch", "quern.torch")
METHODS = {name: face for name, face in FACES.items() if _engine.is_method(face)} | _engine.functions_of("Tensor", "quern.torch")
for _name, _method in METHODS.items():
    setattr(Tensor, _name, _method)
