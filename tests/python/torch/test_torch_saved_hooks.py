"""torch.autograd.graph: nodes; hooks of saved tensors are refused with one message, and checkpoints work."""

import pytest
from quern import torch

graph = torch.autograd.graph


def test_hooks_of_saved_tensors_are_refused():
    for name, make in (("saved_tensors_hooks", lambda: graph.saved_tensors_hooks(lambda x: x, lambda x: x)), ("save_on_cpu", graph.save_on_cpu)):
        with pytest.raises(NotImplementedError, match=rf"\[{name}\] operations keep .* torch.utils.checkpoint"):
            with make():
                pass
        with graph.disable_saved_tensors_hooks("not here"), pytest.raises(RuntimeError, match="not here"):
            with make():
                pass
    x = torch.ones(2, requires_grad=True)
    with graph.disable_saved_tensors_hooks("not here"):
        torch.utils.checkpoint.checkpoint(lambda x: x * x, x, use_reentrant=False).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_nodes():
    x = torch.ones(2, requires_grad=True)
    y = (x * 2).sum()
    assert isinstance(y.grad_fn, graph.Node) and not isinstance(x, graph.Node)
    assert y.grad_fn.name() == "SumBackward0" and y.grad_fn.next_functions[0][0].name() == "MulBackward0"
