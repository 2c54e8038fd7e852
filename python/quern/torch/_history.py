"""What made a tensor, for programs that ask: hooks, their handles, and the nodes of the history."""

import functools

from quern.lib import _engine


class RemovableHandle:
    """What register_hook() returns: ``remove()`` takes the hook away."""

    def __init__(self, remove):
        self._remove = remove

    def remove(self):
        """Takes the hook away."""
        if self._remove:
            self._remove()
            self._remove = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def hooked(tensor, hook, after):
    """Register a hook on a tensor's gradient; ``after``: to be called once a leaf's gradient has been added to."""
    if not callable(hook):
        raise TypeError("a hook must be callable")
    handle = _engine.add_hook(tensor, hook, after)
    return RemovableHandle(lambda: handle.remove(tensor))


_OF_AUTOGRAD = ("AccumulateGrad", "CopySlices", "CopyBackwards")  # PyTorch's nodes that are no operations


def full_name(name):
    """Of what made a value, as PyTorch has it: "AddBackward0"; of a program's own Function "CubeBackward"."""
    return name if name in _OF_AUTOGRAD or name.rstrip("0123").endswith("Backward") else name + "Backward0"


class GradientNode:
    """``tensor.grad_fn``: what made the tensor. It keeps its name and its edges when backward() has freed the history."""

    __slots__ = ("_node",)

    def __init__(self, node):
        self._node = node

    def name(self):
        """The operation, as "AddBackward0"."""
        name = self._node.name()
        return f"torch::autograd::{name}" if name in _OF_AUTOGRAD else full_name(name)

    @property
    def next_functions(self):
        """What made the operands: pairs of such a node, or None, and the number of its result."""
        return tuple((None, 0) if edge is None else (history_node(edge[0]), edge[1]) for edge in self._node.inputs())

    def __eq__(self, other):
        return isinstance(other, GradientNode) and self._node.key() == other._node.key()

    def __hash__(self):
        return hash(self._node.key())

    def __repr__(self):
        return f"<{type(self).__name__} object>"


def history_node(node):
    """The ``grad_fn`` for a node of the engine, of the class that has the operation's name."""
    return _class_named(full_name(node.name()))(node)


@functools.cache
def _class_named(name):
    """The class of an operation's nodes, whose name programs read."""
    return type(name, (GradientNode,), {"__slots__": (), "__module__": "builtins"})
