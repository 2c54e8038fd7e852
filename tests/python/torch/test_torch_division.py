"""Integers divided by zeros: RuntimeError on the CPU, as PyTorch's, at the call or, of many elements, where the values are read."""

import pytest
import quern.torch as torch
from arrays import cases
from torch_oracle import compare_all

CASES = """
a // 0 | a % 0 | 5 // z | 5 % z | a // z | a % z | torch.fmod(a, z) | torch.floor_divide(a, z) | torch.remainder(a, z) | torch.remainder(7, z) | torch.fmod(a, 0)
torch.div(a, z, rounding_mode='floor') | torch.div(a, z, rounding_mode='trunc') | torch.div(a, 0, rounding_mode='trunc') | a.byte() // z.byte() | a.short() % z.long()
a.clone().floor_divide_(z) | a.clone().remainder_(z) | a.clone().fmod_(z[0]) | a[:, None] // z | a // (z > 0).long() | a.to(torch.uint8) % z.int()
"""
FINE = """
a // (z + 4) | a % -(z + 4) | torch.fmod(-a, z + 4) | a[:0] // z[:0] | a[:0] % 1 | (a / 1) // z | (a / 1) % z | torch.fmod(a / 1, z) | a / z | a // 2 | 7 // (a + 1)
torch.div(-a, z + 4, rounding_mode='trunc') | torch.floor_divide(-a, (z + 4)[:, None]) | torch.remainder(-7, a + 1) | a.clone().remainder_(z + 4)
"""
HEAD = "a, z = torch.tensor([1, 5, 7]), torch.tensor([1, 0, -3])\n"


def test_zeros(device):
    texts = [HEAD + f"raises(lambda: {case})" for case in cases(CASES)]
    compare_all(texts + [HEAD + case for case in cases(FINE)], "cpu")


@pytest.mark.parametrize("count", [10, 100_000])
def test_zeros_that_are_computed(count):
    a = torch.arange(count)
    for divide in (lambda x, y: x // y, lambda x, y: x % y, torch.fmod):
        assert divide(a, a + 1).sum().item() >= 0
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide(a, a - 5).sum().item()
    made = a // (a.view(-1, 1)[:, 0] + 1)
    assert made.tolist()[0] == 0
