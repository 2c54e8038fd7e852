"""Tensors are indexed as PyTorch 2.15 does, which wrote the table (torch_indexing.py)."""

import json
import os

import torch_indexing
from quern import torch


def test_every_kind_of_index(device):
    path = os.path.join(os.path.dirname(__file__), "data", "torch_indexing.jsonl")
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
