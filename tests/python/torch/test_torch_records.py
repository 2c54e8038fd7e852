"""No function of quern.torch loses the record of gradients without a word: what takes real tensors and gives some has a record for them.

Each function is called with the first of many argument lists that it takes.
"""

import inspect

import pytest
import quern.torch as torch
from quern.torch.nn import functional

MODULES = {
    "torch": torch,
    "Tensor": torch.Tensor,
    "functional": functional,
    "linalg": torch.linalg,
    "special": torch.special,
    "fft": torch.fft,
}
# Results that do not depend on the values, or not in a way that has a derivative; PyTorch has no record of them either.
WITHOUT = set(
    """detach detach_ detach_copy tensor new new_empty new_empty_strided new_full new_ones new_tensor new_zeros empty_like zeros_like ones_like
    rand_like randn_like randint_like full_like bernoulli binomial poisson sign histc histogram from_dlpack save load compile seed manual_seed
    set_default_device set_default_dtype FloatTensor DoubleTensor HalfTensor BFloat16Tensor""".split()
)


def argument_lists():
    def a(*shape):
        return (torch.rand(*shape, dtype=torch.float64) * 0.5 + 0.25).requires_grad_()

    mask, places = torch.ones(3, 3, dtype=torch.bool), torch.zeros(3, 3, dtype=torch.int64)
    yield from ([a(3, 3)], [a(3, 3), a(3, 3)], [a(4, 4), 2], [a(3, 3), 0], [a(3, 3), 1, 0], [a(3, 3), (0,)], [a(3, 3), (1, 1)])
    yield from ([a(3, 3), 0, torch.tensor([0, 1, 0])], [a(3, 3)] * 3, [[a(2, 2), a(2, 2)]], [a(3), a(3)], [a(3, 3), a(3)], [a(3)])
    yield from ([a(2, 3, 3), a(2, 3, 3)], [a(3, 3), torch.tensor([0, 1, 0])], [a(3, 3), 0.5], [a(3, 3), (3, 3)], [a(3, 3), mask])
    yield from ([a(3, 3), mask, 0.5], [a(3, 3), 1, places], [a(3, 3), 1, places, a(3, 3)], [a(2, 2, 2), a(2, 2, 2), a(2, 2, 2)])


def tensors(result):
    if isinstance(result, (tuple, list)):
        return [one for part in result for one in tensors(part)]
    return [result] if isinstance(result, torch.Tensor) and (result.is_floating_point() or result.is_complex()) else []


def first_results(function):
    for arguments in argument_lists():
        try:
            found = tensors(function(*arguments))
        except Exception:  # other arguments, then
            continue
        if found:
            return found
    return []


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", MODULES)
def test_records(name):
    tried, lost = 0, []
    for one in dir(MODULES[name]):
        function = getattr(MODULES[name], one, None)
        if one.startswith("_") or one in WITHOUT or not callable(function) or inspect.isclass(function):
            continue
        found = first_results(function)
        tried += bool(found)
        if found and not any(result.requires_grad for result in found):
            lost.append(one)
    assert lost == [] and tried >= 15


def test_of_what_is_inspected(device):
    where = device.kind
    x = torch.tensor([3.0, 1.0, 3.0, float("nan")], dtype=torch.float64, device=where, requires_grad=True)
    torch.nanquantile(x, torch.tensor([0.25, 1.0], dtype=torch.float64, device=where)).sum().backward()
    assert sorted(x.grad.tolist()) == [0.0, 0.5, 0.5, 1.0] and x.grad[1] == 0.5  # which of the two 3 is the last is open
    x = torch.tensor([[3.0, 1.0], [3.0, 1.0], [2.0, 2.0]], device=where, requires_grad=True)
    torch.unique(x, dim=0).sum().backward()
    assert x.grad.tolist() == [[1, 1], [0, 0], [1, 1]]
    (torch.unique(x) * torch.tensor([1.0, 2.0, 4.0], device=where)).sum().backward()
    assert x.grad.tolist() == [[5, 2], [0, 0], [3, 1]]
