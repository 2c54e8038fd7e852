"""cupy.cuda.graph: not served; array work is fused and launched without graphs."""

from quern.cupy.cuda import _unserved

Graph = _unserved.type("cupy.cuda.graph.Graph", "CUDA graphs are not served; array work is fused and launched without them")
