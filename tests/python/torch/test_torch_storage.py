"""Tensors that share memory share it after save and load, pickle and copies; NumPy arrays beside tensors; against PyTorch."""

import multiprocessing.reduction

import numpy as np
import pytest
from torch_oracle import compare_all

HEAD = """import copy, io, pickle
def saved(value, **options):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **options)
def both(how, x, y):
    a, b = how([x, y])
    b.zero_()
    return a, b, a.stride(), b.stride(), b.storage_offset()
x = torch.arange(6.0, device=device).reshape(2, 3)
h = x.cpu()
def trained():
    m = torch.nn.Linear(2, 1, bias=False, device=device)
    m.weight.data.fill_(1.0)
    m(torch.ones(2, device=device)).sum().backward()
    return m
def tagged(tensor):
    tensor.tag = [1]
    return tensor
def kept(how, tensor):
    made = how(tagged(tensor))
    return made.tag, made.tag is tensor.tag, made.grad is None, type(made).__name__
seen = []
p = torch.nn.Parameter(torch.ones(2, device=device))
leaf = torch.ones(2, device=device, requires_grad=True)
leaf.sum().backward()
a, t = np.array([1.0, 2.0]), torch.tensor([1.0, 3.0])
"""
CASES = """
copy.deepcopy(trained()).weight.grad is None | copy.deepcopy(trained().weight).grad is None | copy.copy(trained()).weight.grad | copy.deepcopy(leaf).grad | kept(copy.deepcopy, x) | kept(copy.copy, x) | kept(lambda v: pickle.loads(pickle.dumps(v)), x) | kept(lambda v: pickle.loads(pickle.dumps(v)), p)
kept(copy.deepcopy, leaf) | saved({"a": h}, map_location=lambda storage, place: storage) | saved({"a": h}, map_location=lambda storage, place: None) | saved(h, map_location={"cuda:0": "cpu"}) | saved(h, map_location={"cpu": "cpu"}) | saved(h, map_location=torch.device("cpu"))
saved(h, map_location=lambda storage, place: storage, weights_only=False) | saved(h, map_location={"cpu": "cpu"}, weights_only=False) | saved([h, h.int()], map_location=lambda storage, place: [storage, seen.append(place)][0]) | seen | both(lambda v: saved(v, map_location={"cpu": "cpu"}, weights_only=False), h, h[1])
saved(x.bfloat16()) | saved({"a": x.shape, "b": torch.float16, "c": [torch.Size([])]}) | both(saved, x, x[:1]) | both(saved, x, x.t()) | both(saved, x[0], x[1:]) | both(saved, x.t(), x[:, 1]) | both(copy.deepcopy, x, x[:1]) | both(copy.copy, x, x[:1])
both(copy.deepcopy, x, x.T) | saved(x.t()).stride() | saved(x[1:]).storage_offset() | saved(x[:1].expand(3, 3)).stride() | saved(torch.zeros(0, 3)) | saved(torch.tensor(2.0)) | saved(torch.nn.Parameter(x.bfloat16())) | pickle.loads(pickle.dumps(x[1:])).storage_offset()
pickle.loads(pickle.dumps(x.t())).stride() | saved(x.clone().requires_grad_()) | both(lambda v: saved(v, map_location="cpu"), h, h[1]) | a == t | t == a | a == torch.ones(2, 2) | np.array([1, 2]) == t | np.array(["a"]) == t | a != t | a / t | np.array([1, 2]) / torch.tensor([1, 2])
np.array(1.0) / t | np.float16([1, 2]) / t | a == torch.tensor([1.0, 2.0], requires_grad=True) | raises(lambda: a == torch.ones(3))[0] | raises(lambda: a / torch.ones(2, requires_grad=True))[0] | raises(lambda: a * t)[0] | raises(lambda: a < t)[0]
"""


def test_shared_memory_and_numpy(device):
    cases = [one.strip() for line in CASES.strip().splitlines() for one in line.split(" | ")]
    if device.kind != "cpu":  # NumPy's arrays meet tensors of the CPU alone
        cases = [one for one in cases if "np." not in one and not one.startswith(("a ", "t ", "raises(lambda: a"))]
    compare_all([HEAD + one for one in cases], device)


def test_tied_parameters_stay_tied(device):
    text = """
    m, k = torch.nn.Linear(2, 2, device=device), torch.nn.Linear(2, 2, device=device)
    k.weight = m.weight
    state = saved({"m": m.state_dict(), "k": k.state_dict()})
    state["m"]["weight"].zero_()
    state["k"]["weight"]
    """
    compare_all([HEAD + "\n".join(line.strip() for line in text.strip().splitlines())], device)


def test_plain_pickles_share_memory():
    import pickle

    import quern.torch as torch

    x = torch.arange(4.0)
    a, b = pickle.loads(pickle.dumps([x, x[:2]]))
    b.zero_()
    assert a.tolist() == [0, 0, 2, 3]


def test_a_part_goes_alone_to_another_process():
    import quern.torch as torch

    row = torch.zeros(1000, 100)[3]
    assert len(multiprocessing.reduction.ForkingPickler.dumps(row)) < 2000


@pytest.mark.parametrize("weights_only", [True, False])
def test_a_file_read_twice_gives_memory_of_its_own(weights_only):
    import io

    import quern.torch as torch

    file = io.BytesIO()
    torch.save(torch.arange(3.0), file)
    one = torch.load(io.BytesIO(file.getvalue()), weights_only=weights_only)
    two = torch.load(io.BytesIO(file.getvalue()), weights_only=weights_only)
    one.zero_()
    assert np.array_equal(two.numpy(), [0, 1, 2])
