"""Tensors are indexed as PyTorch 2.15 does, which wrote the table (torch_indexing.py)."""

import json

import torch_indexing
from arrays import cases
from places import DATA
from quern import torch
from torch_oracle import compare_all


def test_every_kind_of_index(device):
    path = DATA / "torch_indexing.jsonl"
    with open(path) as file:
        expected = [json.loads(line) for line in file]
    torch.set_default_device(device.kind)
    try:
        found = list(torch_indexing.results(torch))
    finally:
        torch.set_default_device(None)
    assert len(found) == len(expected) > 600
    assert [(a, b) for a, b in zip(found, expected, strict=True) if a != b and not is_known(a, b)] == []


def is_known(found, expected):
    """Whether the two differ on purpose (docs/torch.md)."""
    tensor, index, read, write = expected
    if index.count("...") > 1:  # PyTorch accepts a second ellipsis
        return True
    has_bytes = "uint8" in index or "byte()" in index
    return has_bytes and found[2] == read and write == "RuntimeError"  # a number written through a byte mask


LAYOUTS = """
x[:, [0, 2]] | x[:, [0, 2]].view(-1) | x[:, torch.tensor([[0, 1], [1, 2]])] | x[[1, 0]] | x[[0, 1], :, [0, 2]] | x[:, [0, 1], [0, 2]] | x[None, :, [0, 1]]
x.mT[:, [0, 2]] | x.permute(2, 0, 1)[[1, 0]] | x.permute(2, 0, 1)[:, [1, 0]] | x[:, torch.tensor([True, False, True])] | x[:, x[0] > 1] | x[..., ::2][:, [1, 0]]
x[torch.tensor([[0, 1], [1, 0]]).t()] | x[torch.tensor([[0], [1]]), torch.tensor([0, 2])] | x[1:, None, [0, 2]] | x[:1].expand(3, 3, 4)[:, [0, 1]] | x[torch.tensor([[0, 1], [1, 1]]).t(), None, ::2]
x[:, [0, 2]].reshape(-1).sum() | x[0, [0, 2]] | x[:, 0, [1, 3]] | x[[True, False], 1:, [2]] | x[None] | x[:, None, 1] | x.mT[torch.tensor([1, 0]), :, torch.tensor([[2], [0]])]
"""
VALUES = """
x[0] = one | x[0, 0] = one[None] | x[0, 0] = torch.ones(2) | x[0, [0, 1]] = torch.ones(1, 2) | x[:2] = torch.ones(1, 1, 2, 4) | x[1:, None, m] = torch.ones(1, 1, 2, 4) | x[:, [0, 2]] = torch.arange(4.)[None, None]
x[:, None, m] = torch.arange(24.).reshape(1, 3, 1, 2, 4) | x[m] = torch.ones(1, 2, 4) | x[m] = torch.ones(2) | x[x > 5] = torch.ones(3) | x[x > 5] = torch.ones(1, 1) | x[x > 2] = torch.tensor(2) | x[[0, 1]] = torch.tensor(2)
x[0] = [1.0, 2.0, 3.0, 4.0] | x[0] = np.ones(4) | x[0] = np.float32(2) | x[0] = np.float64(2) | x[0] = np.int64(2) | x[0] = None | x[m] = (1.0, 2.0) | x[[0, 1]] = torch.ones(4, dtype=torch.float64) | x[0] = torch.ones(4, dtype=torch.int32)
x[..., [1]] = torch.ones(3, 1, 1) | x[:] = torch.ones(3, 1, 1) | x[:] = torch.ones(2, 4) | x[torch.tensor([True, False])] = 1 | x.expand(2, 3, 4)[:] = torch.ones(2, 3, 4) | x.expand(2, 3, 4)[0] = 1
"""


def test_memory_of_what_is_picked(device):
    head = "x = torch.arange(24.0).reshape(2, 3, 4)\n"
    compare_all([f"{head}y = {one}\ny, y.stride()" for one in cases(LAYOUTS)], device)


def test_values_written(device):
    head = "x = torch.arange(12.0).reshape(3, 4)\nm, one = torch.tensor([True, False, True]), torch.ones(1)\n"
    compare_all([f"{head}def write():\n    {one}\nraises(write), x" for one in cases(VALUES)], device)


PUTS = """
(m2,) | (u2,) | (u23,) | (m23,) | (m23, i0) | (u2, i3) | (i3, u3) | (i3, m3) | (i2, m3) | (u2, u3) | (u2, m3, m2) | (i3,) | (i2, i3) | (i2[:, None], u3) | (u3,) | (m3,) | (u2, u3, m2, m2) | (m23, m2) | (u23, u2) | (u23, i0, i0)
(None, i2) | (i2.float(),) | (1,) | (m2 * False,) | (u2 * 0, u3)
"""


def test_masks_of_sums(device):
    head = """
x, i0, i2, i3 = torch.zeros(2, 3, 2), torch.tensor(1), torch.tensor([1, 0]), torch.tensor([1, 0, 1])
m2, m3, m23 = torch.tensor([True, False]), torch.tensor([True, False, True]), torch.tensor([[True, False, True], [False, False, True]])
u2, u3, u23 = m2.byte(), m3.byte(), m23.byte()
"""
    values = ("torch.tensor(1.0)", "torch.tensor([2.0, 3.0])", "torch.tensor([2.0, 3.0, 4.0])")
    calls = [f"{places}, {value}" for places in cases(PUTS) for value in values] + ["(m2,), torch.tensor(1)"]
    compare_all([f"{head}(raises(lambda: x.index_put_({call}, accumulate=True)) or [None])[0], x" for call in calls], device)
