"""Data sets, samplers, loaders and checkpoints of quern.torch, compared with PyTorch's."""

import itertools

import pytest
from torch_oracle import compare_all

HEAD = """
import collections
D = torch.utils.data
x, y = torch.arange(10.0), torch.arange(20).reshape(10, 2)
data = D.TensorDataset(x, y)
Pair = collections.namedtuple("Pair", "a b")
class Numbers(D.IterableDataset):
    def __iter__(self):
        return iter(range(7))
class Squares(D.Dataset):
    def __len__(self):
        return 7
    def __getitem__(self, i):
        return i * i, {"name": str(i), "part": i / 2}
class Many(Squares):
    def __getitems__(self, indices):
        return [i + 0.5 for i in indices]
"""


def compare_lines(lines, device="cpu"):
    compare_all([HEAD + line for line in lines], device)


# ---- data sets


def test_datasets(device):
    compare_lines(
        [
            "len(data), data[2], data[1:3], data[torch.tensor([1, 2])]",
            "len(data + data), (data + data)[13], (data + data)[-1], D.ConcatDataset([data, data]).cumulative_sizes",
            "list(D.ChainDataset([Numbers(), Numbers()])), list(Numbers() + Numbers())",
            "s = D.Subset(data, [3, 1]); len(s), s[0], s[1], s.__getitems__([1, 0])",
            "s = D.StackDataset(x, data); len(s), s[1], s.__getitems__([1, 2])",
            "s = D.StackDataset(a=x, b=data); len(s), s[1], s.__getitems__([1, 2])",
            "[len(s) for s in D.random_split(range(10), [0.33, 0.33, 0.34])], [len(s) for s in D.random_split(range(2), [0.3, 0.3, 0.4])]",
            "[len(s) for s in D.random_split(data, [3, 7])], sorted(i for s in D.random_split(range(10), [3, 7]) for i in s)",
        ],
        device,
    )


def test_wrong_datasets():
    calls = [
        "D.TensorDataset(x, y[:3])", "D.StackDataset()", "D.StackDataset(x, y[:3])", "D.StackDataset(x, b=y)", "D.ConcatDataset([])", "D.ConcatDataset([Numbers()])",
        "D.ConcatDataset([data])[-11]", "D.ConcatDataset([data])[10]", "list(D.ChainDataset([data]))", "D.random_split(range(10), [3, 6])",
        "D.random_split(range(10), [0.5, 0.7])", "D.random_split(range(3), [1.5, -0.5])", "D.Dataset()[0]", "len(D.Dataset())", "len(D.DataLoader(Numbers(), 3))",
    ]  # fmt: skip
    compare_lines([f"raises(lambda: {call})" for call in calls])


# ---- samplers


def test_samplers():
    compare_lines(
        [
            "list(D.SequentialSampler(data)), len(D.SequentialSampler(data))",
            "list(D.BatchSampler(range(5), 2, False)), list(D.BatchSampler(range(5), 2, True)), len(D.BatchSampler(range(5), 2, True)), len(D.BatchSampler(range(5), 2, False))",
            "sorted(D.RandomSampler(data)), len(D.RandomSampler(data, num_samples=23)), len(list(D.RandomSampler(data, num_samples=23)))",
            "s = list(D.RandomSampler(range(5), True, 40)); len(s), min(s) >= 0, max(s) < 5",
            "sorted(D.SubsetRandomSampler([5, 7, 9])), len(D.SubsetRandomSampler([5, 7, 9]))",
            "s = list(D.WeightedRandomSampler([0.0, 2.0, 1.0], 50)); len(s), 0 in s, set(s)",
            "sorted(D.WeightedRandomSampler([1.0, 2.0, 1.0], 3, replacement=False))",
            "[list(D.DistributedSampler(range(11), 3, r, shuffle=False)) for r in range(3)], [list(D.DistributedSampler(range(11), 3, r, shuffle=False, drop_last=True)) for r in range(3)]",
            "[list(D.DistributedSampler(range(2), 5, r, shuffle=False)) for r in range(5)], sorted(D.DistributedSampler(range(11), num_replicas=1, rank=0))",
        ]
    )


def test_random_orders_repeat():
    compare_lines(
        [
            f"""
def once(seed):
    g = torch.Generator()
    g.manual_seed(seed)
    return list({make})
once(3) == once(3), once(3) != once(4)
"""
            for make in (
                "D.RandomSampler(range(50), generator=g)",
                "D.RandomSampler(range(50), True, 70, generator=g)",
                "D.SubsetRandomSampler(range(50), g)",
                "D.WeightedRandomSampler([1.0] * 50, 60, generator=g)",
                "D.random_split(range(50), [20, 30], generator=g)[0].indices",
            )
        ]
        + [
            """
def once(epoch):
    s = D.DistributedSampler(range(50), 2, 1)
    s.set_epoch(epoch)
    return list(s)
once(1) == once(1), once(1) != once(2)
"""
        ]
    )


def test_wrong_samplers():
    calls = [
        "D.RandomSampler([])", "D.RandomSampler([1], replacement=3)", "D.RandomSampler([1], num_samples=-1)", "D.WeightedRandomSampler([1, 2.0], 0)",
        "D.WeightedRandomSampler([1, 2.0], 2, 3)", "D.WeightedRandomSampler([[1, 2.0]], 2)", "D.BatchSampler([1], 0, True)", "D.BatchSampler([1], 2, 3)",
        "D.DistributedSampler(data)", "D.DistributedSampler(data, num_replicas=2, rank=2)",
    ]  # fmt: skip
    compare_lines([f"kind, text = raises(lambda: {call})\nkind, text[:46]" for call in calls])


# ---- batches of samples


def test_collate(device):
    batches = [
        "[1, 2]", "[1.5, 2]", "[True, False]", "['a', 'b']", "[b'a']", "[(1, 2.0), (3, 4.0)]", "[[1, 2.0], [3, 4.0]]", "[{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]",
        "[Pair(1, 2), Pair(3, 4)]", "[np.float32(1), np.float32(2)]", "[np.float64(3)]", "[np.ones(2), np.zeros(2)]", "[x[:2], x[2:4]]", "[(x[0], {'k': [1, 2]}), (x[1], {'k': [3, 4]})]",
        "[range(2), range(2)]", "[collections.OrderedDict(a=1)]", "[np.int16(3), np.int16(4)]",
    ]  # fmt: skip
    compare_lines([f"D.default_collate({batch})" for batch in batches], device)
    wrong = ["[None]", "[object()]", "[1j]", "[[1, 2], [3]]", "[np.array('a')]"]
    compare_lines([f"raises(lambda: D.default_collate({batch}))" for batch in wrong])
    compare_lines(["D.default_convert([1, 'a', np.ones(2), {'a': np.float32(1)}, (1, x[:1]), Pair(1, np.ones(1)), range(2)])"], device)


LOADERS = [
    "data", "data, 4", "data, 4, drop_last=True", "data, 100", "data, None", "data, 3, collate_fn=len", "data, sampler=[2, 0, 5, 6]", "data, 3, sampler=[2, 3, 4, 9, 0]",
    "data, batch_sampler=[[2, 0], [1], [-1, 3]]", "data, batch_sampler=D.BatchSampler(D.SequentialSampler(data), 3, True)",
    "data, batch_sampler=D.BatchSampler([4, 0, 2, 1], 3, False)", "D.Subset(data, [3, 4, 5, 1, 9, 0]), 3", "D.Subset(data, [3, 4, 5, 1]), 3, drop_last=True", "data + data, 7",
    "Numbers(), 3", "Numbers(), 3, drop_last=True", "Numbers(), None", "Squares(), 3", "Many(), 3", "D.Subset(Many(), [3, 1, 2]), 2", "[1, 2, 3], 2", "[1, 2, 3], batch_sampler=[[2, 0], [1]]",
    "D.StackDataset(x, data), 4", "D.StackDataset(a=x, b=y), 4", "D.TensorDataset(x.to(torch.float16), y.to(torch.uint8), y > 3), 4", "'abcdef', 4",
    "data, 4, num_workers=2, prefetch_factor=3, persistent_workers=True, timeout=5, pin_memory=True",
]  # fmt: skip


def test_batches(device):
    compare_lines([f"list(D.DataLoader({arguments}))" for arguments in LOADERS if "num_workers" not in arguments], device)
    lengths = [arguments for arguments in LOADERS if not arguments.startswith("Numbers") and "num_workers" not in arguments]
    compare_lines([f"len(D.DataLoader({arguments}))" for arguments in lengths])


def test_batches_in_this_process(device):
    from quern.torch.utils.data import DataLoader, dataloader, get_worker_info

    dataloader._told = False
    with pytest.warns(UserWarning, match="batches are made in this process"):
        loader = DataLoader(
            range(5), 2, num_workers=2, prefetch_factor=3, persistent_workers=True, timeout=5, pin_memory=True, worker_init_fn=len
        )
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4]]
    DataLoader(range(5), num_workers=4)  # told once
    assert get_worker_info() is None


def test_the_fast_way_is_the_slow_way(device):
    """Batches that are taken out of tensors at once equal those that are made sample by sample."""
    slow = "def slow(d, *a, **k):\n    class Slow(D.TensorDataset): pass\n    return D.DataLoader(Slow(*d.tensors), *a, **k)\n"
    texts = []
    for options in ("4", "4, drop_last=True", "4, sampler=[1, 2, 3, 7, 0]", "batch_sampler=[[1, 2], [9, 0, 3]]"):
        texts.append(
            f"{slow}a, b = list(slow(data, {options})), list(D.DataLoader(data, {options}))\n"
            "[[torch.equal(s, t) and s.dtype == t.dtype for s, t in zip(u, v)] for u, v in zip(a, b)], len(a) == len(b), type(a[0]) == type(b[0])"
        )
    texts.append(
        f"{slow}def order(make):\n    g = torch.Generator()\n    g.manual_seed(5)\n    return [b[0].tolist() for _ in range(2) for b in make(data, 4, shuffle=True, generator=g)]\n"
        "order(slow) == order(D.DataLoader)"
    )
    texts.append("b = next(iter(D.DataLoader(data, 4)))\nb[0][:] = 7\nx, b")  # a batch is the program's own
    texts.append("b = next(iter(D.DataLoader(D.TensorDataset(torch.ones(3, requires_grad=True)), 2)))\nb[0].requires_grad")
    compare_lines(texts, device)


def test_shuffled_batches(device):
    compare_lines(
        [
            "b = list(D.DataLoader(data, 4, shuffle=True))\n[len(a[0]) for a in b], sorted(torch.cat([a[0] for a in b]).tolist()), all(torch.equal(a[0] * 2, a[1][:, 0].to(torch.float32)) for a in b)",
            "b = list(D.DataLoader(data, 4, shuffle=True, drop_last=True))\n[len(a[0]) for a in b], len(set(torch.cat([a[0] for a in b]).tolist()))",
            "b = list(D.DataLoader(Squares(), 4, shuffle=True))\nsorted(torch.cat([a[0] for a in b]).tolist())",
            """
def once(seed):
    g = torch.Generator()
    g.manual_seed(seed)
    loader = D.DataLoader(D.TensorDataset(torch.arange(50)), 8, shuffle=True, generator=g)
    return [[b[0].tolist() for b in loader] for _ in range(2)]
a, b = once(3), once(4)
a == once(3), a != b, a[0] != a[1]
""",
            """
def once():
    torch.manual_seed(3)
    return [b[0].tolist() for b in D.DataLoader(D.TensorDataset(torch.arange(50)), 8, shuffle=True)]
once() == once()
""",
        ],
        device,
    )


def test_wrong_loaders():
    options = [
        "num_workers=-1", "timeout=-1", "prefetch_factor=2", "persistent_workers=True", "shuffle=True, sampler=[1]", "batch_sampler=[[1]], batch_size=2",
        "batch_sampler=[[1]], drop_last=True", "batch_size=None, drop_last=True", "batch_size=0", "batch_size=1.5", "drop_last=3", "multiprocessing_context='fork'",
    ]  # fmt: skip
    calls = [f"D.DataLoader(data, {option})" for option in options]
    calls += [f"D.DataLoader(Numbers(), {option})" for option in ("shuffle=True", "sampler=[1]", "batch_sampler=[[1]]")]
    calls += [f"setattr(D.DataLoader(data), '{name}', 3)" for name in ("batch_size", "sampler", "dataset")]
    compare_lines([f"raises(lambda: {call})" for call in calls])


# ---- checkpoints


def test_checkpoints(device):
    texts = []
    for reentrant in (True, False):
        texts += [
            f"""
m = nn.Linear(3, 3)
with torch.no_grad():
    m.weight.copy_(torch.linspace(-1, 1, 9).reshape(3, 3)); m.bias.copy_(torch.ones(3))
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
y = torch.utils.checkpoint.checkpoint(lambda a: m(a).exp() * a, x * 0.1, use_reentrant={reentrant})
y.sum().backward()
y.detach(), x.grad, m.weight.grad, m.bias.grad
""",
            f"""
def loss(again):
    torch.manual_seed(1)
    x = torch.arange(6.0).requires_grad_()
    f = lambda a: F.dropout(a * a, 0.5) * torch.rand(6)
    y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant={reentrant}) if again else f(x)
    after = torch.rand(2)
    y.sum().backward()
    return x.grad.tolist(), y.tolist(), after.tolist(), torch.rand(1).tolist()
loss(False) == loss(True)
""",
            f"""
layers = nn.Sequential(*[nn.Linear(2, 2) for _ in range(5)])
with torch.no_grad():
    for k, p in enumerate(layers.parameters()):
        p.copy_(torch.linspace(-1, 0.1 * k, p.numel()).reshape(p.shape))
x = torch.ones(3, 2, requires_grad=True)
torch.utils.checkpoint.checkpoint_sequential(layers, 3, x, use_reentrant={reentrant}).pow(2).sum().backward()
x.grad, [p.grad for p in layers.parameters()]
""",
            f"""
x = torch.ones(3, requires_grad=True)
y = torch.utils.checkpoint.checkpoint(lambda a: (a.exp(), 3, None, a.long()), x, use_reentrant={reentrant})
y[0].sum().backward()
x.grad, y[1], y[2], y[3].requires_grad, [type(v).__name__ for v in y]
""",
            f"with torch.no_grad():\n    y = torch.utils.checkpoint.checkpoint(lambda a: a * 2, torch.ones(2, requires_grad=True), use_reentrant={reentrant})\ny",
            f"torch.utils.checkpoint.checkpoint(lambda a: a * 2, torch.ones(2), use_reentrant={reentrant})",
        ]
    compare_all(texts, device)


def test_checkpoints_without_reentrance(device):
    texts = [
        """
x, z = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
y = torch.utils.checkpoint.checkpoint(lambda a, b: {"q": [a[0] * b["z"] * 3], "n": 5}, [x, "s"], use_reentrant=False, b={"z": z})
y["q"][0].sum().backward()
x.grad, z.grad, y["n"]
""",
        """
m = nn.Linear(3, 2)
y = torch.utils.checkpoint.checkpoint(m, torch.ones(4, 3), use_reentrant=False)
y.sum().backward()
y.requires_grad, m.bias.grad, m.weight.grad
""",
        """
x = torch.ones(3, requires_grad=True)
inner = lambda b: b.exp()
y = torch.utils.checkpoint.checkpoint(lambda a: torch.utils.checkpoint.checkpoint(inner, a * 2, use_reentrant=False) * a, x, use_reentrant=False)
y.sum().backward()
x.grad
""",
        """
C = torch.utils.checkpoint.checkpoint
m, x = nn.Linear(3, 3, dtype=torch.float64), torch.arange(6.0, dtype=torch.float64).reshape(2, 3).requires_grad_()
with torch.no_grad():
    m.weight.copy_(torch.linspace(-1, 1, 9, dtype=torch.float64).reshape(3, 3)); m.bias.copy_(torch.ones(3))
f = lambda a: m(a).tanh() * a * z
z = x.detach().exp().requires_grad_()
once = torch.autograd.grad(C(f, x * 0.3, use_reentrant=False).sum(), [x, z, *m.parameters()], create_graph=True)
again = torch.autograd.grad(sum((g * g).sum() for g in once), [x, z, *m.parameters()])
y = C(f, x, use_reentrant=False).sum()
y.backward(retain_graph=True); y.backward()
once, again, x.grad, z.grad, m.bias.grad, raises(y.backward)
""",
        """
x = torch.ones(3, requires_grad=True)
h = x * 2
y = torch.utils.checkpoint.checkpoint(lambda a: (a, h, a.view(3, 1) * h, 4), x, use_reentrant=False)
(y[0] + y[1] * y[2].sum()).sum().backward()
x.grad, y[3]
""",
        """
seen, p, x = [], torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
p.register_hook(lambda g: seen.append(g) or g * 2)
y = torch.utils.checkpoint.checkpoint(lambda a: (a.detach(), a * p), x, use_reentrant=False)
y[1].sum().backward()
seen, p.grad, x.grad, [v.requires_grad for v in y]
""",
        "raises(lambda: torch.utils.checkpoint.checkpoint(lambda a: a, torch.ones(1), use_reentrant=True, foo=1))",
        "raises(lambda: torch.utils.checkpoint.checkpoint_sequential([lambda a: a], 1, torch.ones(1), use_reentrant=False, foo=1))",
        "raises(lambda: torch.utils.checkpoint.detach_variable(torch.ones(1)))",
    ]
    compare_all(texts, device)


def test_a_checkpoint_notices_another_result(device):
    import quern.torch as torch
    from quern.torch.utils.checkpoint import CheckpointError, checkpoint

    shapes = iter([(3,), (1,)])
    x = torch.ones(3, requires_grad=True)
    y = checkpoint(lambda a: a[: next(shapes)[0]] * 2, x, use_reentrant=False)
    with pytest.raises(CheckpointError, match="different metadata"):
        y.sum().backward()


def test_an_endless_sampler_draws_as_it_goes():
    """RandomSampler(replacement=True) is used with any number of samples; its indices are PyTorch's, in whatever pieces they are drawn."""
    from quern import torch
    from quern.torch.utils.data import RandomSampler

    first = list(itertools.islice(iter(RandomSampler(range(5), replacement=True, num_samples=int(1e10), generator=torch.Generator())), 70))
    again = list(RandomSampler(range(5), replacement=True, num_samples=70, generator=torch.Generator()))
    assert first == again and set(first) <= set(range(5))


def test_files_for_a_gpu_where_there_is_none(on_the_cpu, tmp_path):
    from quern import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    path = tmp_path / "x.pt"
    torch.save({"x": torch.ones(2)}, path)
    assert torch.load(path, map_location="cpu")["x"].tolist() == [1, 1]
    for place in ("cuda", torch.device("cuda:0"), {"cpu": "cuda"}):
        with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
            torch.load(path, map_location=place)
