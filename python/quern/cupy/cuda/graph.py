"""cupy.cuda.graph: not supported; array work is fused and launched without graphs."""

from quern.cupy.cuda import _unserved

Graph = _unserved.type("cupy.cuda.graph.Graph", "CUDA graphs are not supported; array work is fused and launched without them")
