"""Indices of tensors of all kinds and what they read and write; run by PyTorch, this writes the table that quern is compared with:

    PYTHON_WITH_PYTORCH tests/python/support/torch_indexing.py > tests/python/data/torch_indexing.jsonl
"""

import itertools
import json
import sys
import warnings

import numpy as np

# For an axis of three elements, and for one of four.
AXES = [
    {
        "number": "-2",
        "slice": "1:",
        "step": "::2",
        "none": "None",
        "dots": "...",
        "true": "True",
        "false": "False",
        "list": "[2, 0]",
        "nested": "[[0, 1], [2, 2]]",
        "tuple": "(2, 1)",
        "bools": "[True, False, True]",
        "long": "T([2, 0])",
        "int": "T([1, 2], dtype=torch.int32)",
        "scalar": "T(1)",
        "bool": "T([True, False, True])",
        "byte": "T([1, 0, 1], dtype=torch.uint8)",
        "byte scalar": "T(1, dtype=torch.uint8)",
        "short": "T([0, 1], dtype=torch.int16)",
        "float": "T([0.0, 1.0])",
        "numpy": "np.array([2, 0])",
        "numpy byte": "np.array([1, 0, 1], np.uint8)",
        "numpy bool": "np.array([True, False, True])",
        "range": "range(2)",
        "out of range": "T([3])",
        "short mask": "T([True, False])",
        "empty": "[]",
    },
    {
        "number": "3",
        "slice": ":2",
        "none": "None",
        "dots": "...",
        "list": "[1, 3]",
        "nested": "[[0, 1], [2, 3]]",
        "bools": "[True, False, False, True]",
        "long": "T([0, 3])",
        "bool": "T([True, False, False, True])",
        "byte": "T([1, 0, 0, 1], dtype=torch.uint8)",
        "numpy": "np.array([3, 0])",
        "numpy byte": "np.array([1, 0, 0, 1], np.uint8)",
    },
]
WHOLE = [
    "[[0, 2], [1, 0]]", "[[0, 2]]", "[T([0, 2]), T([1, 0])]", "[slice(0, 2), 1]", "[None, 1]", "[..., 1]", "[0, None]", "[(0, 1), (1, 2)]",
    "[T(1), T(2)]", "[[0, 1], [1, 2], [0, 0]]", "[[0]] * 31", "[[0]] * 32", "[[True, False, True]]", "[[]]", "([0, 1], [1, 2])", "((0, 1), (1, 2))",
    "[[[0, 2], [1, 0]]]", "([[0, 2], [1, 0]],)", "x > 5", "(x > 5).byte()", "T([1, 0, 1], dtype=torch.uint8).reshape(3, 1).expand(3, 4)", "x > 50", "()",
    "1.0", "'a'", "np.bool_(True)", "np.int64(1)", "T(True)", "T(False)", "0, 0, 0", "..., ...", "[0, 1, 2]", "[0, [1, 2]]", "T([[True, False]])",
]  # fmt: skip

# Of two, three and four elements: numbers beside arrays.
THREE = ["0", "T(1)", ":", "None", "...", "[1, 0]", "T([True, True])"], ["1", ":", "...", "[2, 0]", "None"], ["3", ":", "...", "[1, 3]", "T([0, 2])"]


def indices():
    """All of the table's indices with the tensor that they index, as text."""
    firsts, seconds = (list(axis.values()) for axis in AXES)
    pairs = [f"{a}, {b}" for a, b in itertools.product(firsts, seconds)]
    apart = [f"{a}, None, {b}" for a, b in itertools.product([firsts[0], *firsts[7:16]], seconds)]
    flat = "torch.arange(12.0).reshape(3, 4)"
    deep = "torch.arange(24.0).reshape(2, 3, 4)"
    return [*[(flat, one) for one in [*WHOLE, *firsts, *pairs, *apart]], *[(deep, ", ".join(three)) for three in itertools.product(*THREE)]]


def tried(torch, work):
    """What a function gives, as JSON has it: a shape and the elements, or the error's class."""
    try:
        made = work()
        return [list(made.shape), made.flatten().tolist()]
    except Exception as error:
        return type(error).__name__


def results(torch):
    """Each index with what it reads and what is there after a write."""
    warnings.simplefilter("ignore")
    for tensor, index in indices():
        names = {"torch": torch, "np": np, "T": torch.tensor}
        names["x"] = eval(tensor, names)

        def read(index=index, names=names):
            return eval(f"x[{index}]", names)

        def write(value, tensor=tensor, index=index, names=names):
            names["x"], names["value"] = eval(tensor, names), value
            exec(f"x[{index}] = value", names)
            return names["x"]

        yield [tensor, index, tried(torch, read), tried(torch, lambda write=write: write(-1.0))]


if __name__ == "__main__":
    import torch

    for row in results(torch):
        json.dump(row, sys.stdout)
        print()
