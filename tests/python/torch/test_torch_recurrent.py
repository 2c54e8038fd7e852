"""Recurrent networks, their cells and packed sequences, compared with PyTorch: values, gradients, states, and what is refused."""

import numpy as np
import pytest
from quern import torch
from torch_oracle import compare_all

HEAD = """
R = torch.nn.utils.rnn

def a(*shape, dtype=torch.float32, seed=0):
    n = math.prod(shape)
    x = ((torch.arange(n, dtype=torch.float64, device=device) + seed) * 7919 % 101) / 60 - 0.8
    return x.reshape(shape).to(dtype)

def filled(m, dtype=torch.float32):
    m = m.to(device=device, dtype=dtype)
    with torch.no_grad():
        for i, q in enumerate(m.parameters()):
            q.copy_(a(*q.shape, dtype=dtype, seed=5 * i))
    return m

def flat(result):
    if isinstance(result, (tuple, list)):
        return [one for part in result for one in flat(part)]
    return [] if result is None else [result]

def derive(m, *xs, second=False):
    "Results, the gradients of their weighted sum, and those of a weighted sum of these."
    results = flat(m(*xs))
    total = lambda ys: sum((y * a(*y.shape, dtype=y.dtype, seed=3 + i)).sum() for i, y in enumerate(ys))
    wanted = [x for x in flat(xs) if x.requires_grad] + (list(m.parameters()) if isinstance(m, nn.Module) else [])
    found = torch.autograd.grad(total([y for y in results if y.requires_grad]), wanted, create_graph=second)
    again = torch.autograd.grad(total(found) + sum((g * g).sum() for g in found), wanted) if second else ()
    return [one.detach() for one in results], found, again

def wants(*shape, dtype=torch.float32, seed=0):
    return a(*shape, dtype=dtype, seed=seed).requires_grad_()
"""
OPTIONS = (
    "", "num_layers=2, bidirectional=True", "bias=False, batch_first=True", "num_layers=3, dropout=0.5", "batch_first=True, bidirectional=True",
)  # fmt: skip
KINDS = ("RNN", "LSTM", "GRU")


def check(texts, device, **tolerances):
    compare_all([HEAD + text for text in texts], device, **tolerances)


def states(kind, shape, dtype="torch.float32"):
    one = f"wants({shape}, dtype={dtype}, seed=11)"
    return f"({one}, wants({shape}, dtype={dtype}, seed=13))" if kind == "LSTM" else one


@pytest.mark.parametrize("kind", KINDS)
def test_networks(device, kind):
    texts = []
    for options in OPTIONS:
        layers = (2 if "bidirectional" in options else 1) * (3 if "=3" in options else 2 if "=2" in options else 1)
        model = f"filled(nn.{kind}(3, 4, {options})).eval()"
        texts.append(f"derive({model}, wants(4, 4, 3), {states(kind, f'{layers}, 4, 4')})")
        if "dropout" in options:
            continue
        texts += [f"derive({model}, wants(5, 2, 3))", f"derive({model}, wants(5, 3))"]
        texts.append(f"derive({model}, wants(6, 3), {states(kind, f'{layers}, 4')})")
        texts.append(f"derive({model}, wants(10, 3, 6)[::2, :, ::2].transpose(0, 1))")
        double = f"filled(nn.{kind}(1, 2, {options}), torch.float64).eval()"
        texts.append(f"derive({double}, wants(3, 3, 1, dtype=torch.float64), second=True)")
    if kind == "RNN":
        texts.append("derive(filled(nn.RNN(3, 4, nonlinearity='relu')), wants(5, 2, 3))")
    if kind == "LSTM":
        texts.append("derive(filled(nn.LSTM(3, 5, proj_size=2, num_layers=2, bidirectional=True)), wants(4, 2, 3))")
        double = "filled(nn.LSTM(2, 3, proj_size=1), torch.float64)"
        texts.append(f"derive({double}, wants(3, 2, 2, dtype=torch.float64), second=True)")
        texts.append(f"derive({double}, R.pack_sequence([wants(n, 2, dtype=torch.float64) for n in (3, 1)]), second=True)")
    check(texts, device, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_of_zero_and_one(device, kind):
    model = f"filled(nn.{kind}(1, 1))"
    texts = [f"derive({model}, wants(1, 1, 1))", f"derive({model}, wants(4, 1, 1))", f"derive({model}, wants(2, 0, 1))"]
    check(texts, device, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_packed_sequences_of_random_lengths(device, kind):
    rng = np.random.default_rng(0)
    texts = []
    for trial in range(5):
        lengths = [int(n) for n in rng.integers(1, 7, rng.integers(1, 6))]
        options = OPTIONS[trial % len(OPTIONS)].replace("batch_first=True", "").strip(", ")
        model = f"filled(nn.{kind}(2, 3, {options}), torch.float64).eval()"
        sequences = f"[wants(n, 2, dtype=torch.float64, seed=n) for n in {lengths}]"
        texts.append(f"derive({model}, R.pack_sequence({sequences}, enforce_sorted=False), second={trial < 3})")
        layers = (2 if "bidirectional" in options else 1) * (3 if "=3" in options else 2 if "=2" in options else 1)
        given = states(kind, f"{layers}, {len(lengths)}, 3", "torch.float64")
        texts.append(f"derive({model}, R.pack_sequence({sequences}, enforce_sorted=False), {given})")
    check(texts, device)


def test_halves(device):
    for dtype, rtol, atol in (("float16", 4e-3, 4e-3), ("bfloat16", 3e-2, 3e-2)):
        names = [f"filled(nn.{kind}(3, 4), torch.{dtype})(a(5, 2, 3, dtype=torch.{dtype}))" for kind in KINDS]
        check([f"[one.detach() for one in flat({name})]" for name in names], device, rtol=rtol, atol=atol)


def test_cells(device):
    texts = []
    for cell in ("RNNCell(3, 4)", "RNNCell(3, 4, nonlinearity='relu', bias=False)", "LSTMCell(3, 4)", "LSTMCell(3, 4, bias=False)", "GRUCell(3, 4)",
                 "GRUCell(3, 4, False)"):  # fmt: skip
        kind = "LSTM" if "LSTM" in cell else ""
        model = f"filled(nn.{cell}, torch.float64)"
        x, one = "wants(2, 3, dtype=torch.float64)", "wants(3, dtype=torch.float64)"
        texts += [f"derive({model}, {x})", f"derive({model}, {x}, {states(kind, '2, 4', 'torch.float64')}, second=True)"]
        texts += [f"derive({model}, {one})", f"derive({model}, {one}, {states(kind, '4', 'torch.float64')})"]
        texts += [f"derive({model}, wants(0, 3, dtype=torch.float64))", f"repr({model})", f"list({model}.state_dict())"]
    check(texts, device)


def test_functions(device):
    weights = "[a(16, 3), a(16, 4), a(16), a(16)]"
    rows = "[a(12, 3), a(12, 4), a(12), a(12)]"
    texts = [
        f"torch.lstm(a(5, 2, 3), (a(1, 2, 4), a(1, 2, 4)), {weights}, True, 1, 0.0, False, False, False)",
        f"torch.lstm(a(2, 5, 3), [a(1, 2, 4), a(1, 2, 4)], {weights}, True, 1, 0.0, False, False, True)",
        f"torch.lstm(a(5, 3), torch.tensor([2, 2, 1]), (a(1, 2, 4), a(1, 2, 4)), {weights}, True, 1, 0.0, False, False)",
        f"torch.gru(a(5, 2, 3), a(1, 2, 4), {rows}, True, 1, 0.0, False, False, False)",
        f"torch.gru(data=a(5, 3), batch_sizes=torch.tensor([2, 2, 1]), hx=a(1, 2, 4), params={rows}, has_biases=True, num_layers=1,"
        " dropout=0.0, train=False, bidirectional=False)",
        "torch.rnn_tanh(a(5, 2, 3), a(1, 2, 4), [a(4, 3), a(4, 4)], False, 1, 0.0, False, False, False)",
        "torch.rnn_relu(a(5, 3), torch.tensor([3, 2]), a(1, 3, 4), [a(4, 3), a(4, 4)], False, 1, 0.0, False, False)",
        "torch.lstm_cell(a(2, 3), (a(2, 4), a(2, 4)), a(16, 3), a(16, 4), a(16))",
        "torch.gru_cell(a(2, 3), a(2, 4), a(12, 3), a(12, 4), None, a(12))",
        "torch.rnn_tanh_cell(a(2, 3), a(2, 4), a(4, 3), a(4, 4), b_hh=a(4))",
        "torch.rnn_relu_cell(a(2, 3), a(2, 4), a(4, 3), a(4, 4))",
        "hasattr(torch.Tensor, 'lstm'), hasattr(torch.Tensor, 'gru_cell')",
    ]
    check(texts, device, rtol=2e-5, atol=2e-6)


REFUSED = """
torch.lstm(a(5, 2, 3), (a(1, 2, 4),), W, True, 1, 0.0, False, False, False)
torch.lstm(a(5, 2, 3), S, W, True, 0, 0.0, False, False, False)
torch.lstm(a(5, 2, 3), (a(2, 2, 4), a(2, 2, 4)), [*W, a(16, 4), *W[1:]], True, 2, 2.0, True, False, False)
torch.lstm(a(5, 2), S, W, True, 1, 0.0, False, False, False)
torch.lstm(a(0, 2, 3), S, W, True, 1, 0.0, False, False, False)
torch.lstm(a(5, 2, 3).double(), S, W, True, 1, 0.0, False, False, False)
torch.lstm(a(5, 2, 3), (a(1, 2, 5), a(1, 2, 4)), W, True, 1, 0.0, False, False, False)
torch.lstm_cell(a(2, 3), (a(2, 4),), *W)
torch.lstm_cell(a(2, 3), (a(2, 5), a(2, 4)), *W)
torch.lstm_cell(a(2, 3), (a(3, 4), a(3, 4)), *W)
torch.lstm_cell(a(2, 7), (a(2, 4), a(2, 4)), *W)
torch.lstm_cell(a(3), (a(4), a(4)), *W)
torch.rnn_relu_cell(a(2, 3), a(2, 4), a(4, 3), a(4, 5))
torch.gru_cell(a(2, 3), a(2, 4), a(12, 3), a(12, 5))
nn.RNN(3, 4, 1, "gelu")
nn.RNN(3, 4, dropout=2)
nn.GRU(3, 0)
nn.GRU(3.0, 1)
nn.LSTM(3, 4, num_layers=0)
nn.LSTM(3, 4, proj_size=4)
nn.LSTM(3, 4, proj_size=-1)
nn.GRU(3, 4, proj_size=1)
nn.RNN(3, 4, proj_size=1)
nn.LSTM(3, 4, bias=1)
nn.LSTM(3, 4, batch_first=None)
nn.LSTM(3, 4, dropout=True)
nn.RNNBase("X", 3, 4)
nn.RNNBase("LSTM", 3, 4)(a(1, 2, 3))
nn.LSTM(3, 4)(a(5, 2, 4))
nn.LSTM(3, 4)(a(5, 2, 3).double())
nn.LSTM(3, 4)(a(5, 2, 3, 1))
nn.GRU(3, 4)(a(3))
nn.RNN(3, 4)(a(3))
nn.LSTM(3, 4)(a(0, 2, 3))
nn.LSTM(3, 4)(a(5, 2, 3), (a(1, 3, 4), a(1, 3, 4)))
nn.LSTM(3, 4)(a(5, 2, 3), (a(1, 2, 4), a(1, 2, 5)))
nn.LSTM(3, 4)(a(5, 2, 3), (a(2, 4), a(2, 4)))
nn.LSTM(3, 4)(a(5, 3), (a(1, 2, 4), a(1, 2, 4)))
nn.GRU(3, 4)(a(5, 2, 3), a(2, 4))
nn.GRU(3, 4)(a(5, 2, 3), a(1, 3, 4))
nn.LSTMCell(3, 4)(a(1, 2, 3))
nn.GRUCell(3, 4)(a(2, 3), a(1, 2, 4))
nn.GRUCell(3, 4)(a(2, 3), a(3, 4))
R.pack_padded_sequence(a(5, 2, 3), [2, 3])
R.pack_padded_sequence(a(5, 2, 3), [3, 0])
R.pack_padded_sequence(a(5, 2, 3), [3, -1], enforce_sorted=False)
R.pack_padded_sequence(a(5, 2, 3), [3])
R.pack_padded_sequence(a(5, 2, 3), [])
R.pack_padded_sequence(a(5, 2, 3), torch.tensor([[3, 2]]))
R.pack_padded_sequence(a(5), [1])
R.pack_padded_sequence(a(5, 0, 3), [])
R.pad_sequence([])
R.pad_sequence(3)
R.pad_sequence([a(2, 3), a(3, 4)])
R.pad_sequence([a(2), a(3, 3)])
R.pad_sequence([a(2, 3), a(3, 3)], padding_side="up")
R.pack_sequence([a(2, 3), a(3, 3)])
R.pad_packed_sequence(R.pack_sequence([a(3), a(2)]), total_length=2)
R.PackedSequence(a(3))
"""


def test_wrong_arguments_raise_as_in_pytorch(device):
    head = "W, S = [a(16, 3), a(16, 4), a(16), a(16)], (a(1, 2, 4), a(1, 2, 4))\ntorch.set_default_device(device)\nf = lambda: raises(lambda: {})\n"
    texts = [head.format(line) + "found = f()\ntorch.set_default_device(None)\nfound" for line in REFUSED.strip().splitlines()]
    check(texts, device)


def test_what_pytorch_reads_or_writes_out_of_range_is_refused(device):
    weights = [torch.zeros(n, device=device) for n in ((16, 3), (16, 4), (16,), (16,))]
    x, zero = torch.zeros(5, 2, 3, device=device), torch.zeros(1, 2, 4, device=device)

    def lstm(x=x, hx=(zero, zero), params=weights, layers=1):
        return torch.lstm(x, hx, params, True, layers, 0.0, False, False, False)

    for call, text in (
        (lambda: lstm(x=torch.zeros(5, 2, 7, device=device)), "Expected 3, got 7"),
        (lambda: lstm(x=torch.zeros(5, 2, 3, 1, device=device)), "input must have 3 dimensions, got 4"),
        (lambda: lstm(hx=(torch.zeros(1, 3, 4, device=device),) * 2), r"Expected hidden\[0\] size \(1, 2, 4\), got \[1, 3, 4\]"),
        (lambda: lstm(hx=(torch.zeros(2, 2, 4, device=device),) * 2), r"Expected hidden\[0\] size \(1, 2, 4\), got \[2, 2, 4\]"),
        (lambda: lstm(hx=(torch.zeros(2, 4, device=device),) * 2), "to have 3 dimensions"),
        (lambda: lstm(params=weights[:2]), "got an incorrect number of RNN parameters"),
        (lambda: lstm(layers=2), "got an incorrect number of RNN parameters"),
        (lambda: torch.nn.utils.rnn.pack_padded_sequence(x, [6, 2]), "lengths of at most 5 steps"),
        (lambda: torch.lstm(x[0], torch.tensor([1, 2]), (zero, zero), weights, True, 1, 0.0, False, False), "must not increase"),
        (lambda: torch.lstm(x[0], torch.tensor([2, 1]), (zero, zero), weights, True, 1, 0.0, False, False), "add up to 3"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()


def test_modules(device):
    texts = [f"repr(nn.{kind}(3, 4, {options}))" for kind in KINDS for options in (*OPTIONS[:3], "2, dropout=0.5")]
    texts += [
        "repr(nn.RNN(3, 4, 2, 'relu', False, True, 0.3, True))",
        "repr(nn.LSTM(3, 4, proj_size=2))",
        "m = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)\n[(name, tuple(p.shape)) for name, p in m.state_dict().items()]",
        "m = nn.GRU(3, 4, 2, bias=False)\n[[tuple(p.shape) for p in one] for one in m.all_weights], m._flat_weights_names, len(m._flat_weights)",
        "m = nn.LSTM(3, 4).double()\nm.flatten_parameters(), m.weight_ih_l0.dtype, m.mode, m.bias, m.dropout, m.proj_size",
        "m = filled(nn.GRU(3, 4))\nm.weight_hh_l0 = nn.Parameter(a(12, 4, seed=7))\nm(a(5, 2, 3))[0].detach()",
        "import copy, pickle\nm = filled(nn.LSTM(3, 4))\n[n(a(5, 2, 3))[0].detach() for n in (copy.deepcopy(m), pickle.loads(pickle.dumps(m)))]",
        "m = nn.LSTM(3, 16)\n[float(p.detach().abs().max()) <= 0.25 for p in m.parameters()]",
        "import warnings\nwith warnings.catch_warnings(record=True) as seen:\n    warnings.simplefilter('always')\n    nn.GRU(3, 4, dropout=0.5)\n"
        "[str(w.message) for w in seen]",
        "m = filled(nn.LSTM(3, 4))\ny, (h, c) = m(a(5, 2, 3))\n[one.stride() for one in (y, h, c)], [one._base is None for one in (y, h, c)], type(m(a(5, 2, 3))[1])",
    ]
    check(texts, device)


def test_dropout_between_layers(device):
    torch.manual_seed(0)
    model = torch.nn.LSTM(3, 64, 2, dropout=0.5).to(torch.zeros(1, device=device).device)
    x = torch.ones(4, 8, 3, device=device)
    assert not torch.equal(model(x)[0], model(x)[0])
    model.eval()
    assert torch.equal(model(x)[0], model(x)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_writes_after_the_call_change_no_gradient(device, kind):
    torch.manual_seed(0)
    model = getattr(torch.nn, kind)(3, 4).to(torch.zeros(1, device=device).device)
    x, h = torch.randn(5, 2, 3, device=device), torch.randn(1, 2, 4, device=device)
    found = []
    for writes in (False, True):
        states = [h.clone(), h.clone()] if kind == "LSTM" else [h.clone()]
        y, after = model(x, tuple(states) if kind == "LSTM" else states[0])
        total = y.sum()
        if writes:
            after = after if kind == "LSTM" else (after,)
            with torch.no_grad():
                for one in (y, *states, *after):
                    one.mul_(5)
        found.append(torch.autograd.grad(total, list(model.parameters())))
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


PACKING = """
R.pack_padded_sequence(a(5, 3, 2), [5, 2, 1]) | R.pack_padded_sequence(a(3, 5, 2), torch.tensor([2, 5, 1]), batch_first=True, enforce_sorted=False)
R.pack_padded_sequence(torch.arange(10, device=device).reshape(5, 2), [4, 2]) | R.pack_padded_sequence(a(5, 2), [3.5, 2])
derive(lambda x: R.pack_padded_sequence(x, [4, 2, 2]).data, wants(5, 3, 2)) | R.pack_sequence([a(2), a(3), a(1)], enforce_sorted=False)
R.pad_packed_sequence(R.pack_sequence([a(3, 2), a(2, 2)])) | R.pad_packed_sequence(R.pack_sequence([a(3, 2), a(2, 2)]), batch_first=True, padding_value=2.5)
R.pad_packed_sequence(R.pack_sequence([a(3, 2), a(2, 2)]), total_length=5) | R.pad_packed_sequence(R.pack_sequence([a(1), a(2), a(2)], enforce_sorted=False))
R.pad_packed_sequence(R.PackedSequence(torch.arange(3, device=device), torch.tensor([2, 1])), padding_value=-1.5)
derive(lambda x: R.pad_packed_sequence(R.pack_padded_sequence(x, [4, 2, 2]), padding_value=3.0)[0], wants(5, 3, 2))
R.pad_sequence([a(2, 3), a(4, 3), a(0, 3)]) | R.pad_sequence((a(n) for n in (2, 4, 1)), batch_first=True, padding_value=1.5, padding_side="left")
R.pad_sequence([torch.arange(n, device=device) for n in (2, 4)], padding_value=-1.5) | R.pad_sequence(a(2, 3)) | R.pad_sequence([a(2, 3), a(3)])
derive(lambda *xs: R.pad_sequence(xs, padding_side="left"), wants(2, 3), wants(4, 3)) | R.pad_sequence([a(2, 3), a(3, 3).double()])
R.unpad_sequence(a(4, 3, 2), torch.tensor([2, 4, 0])) | R.unpad_sequence(a(3, 4), torch.tensor([2, 4, 1], device=device), batch_first=True)
R.unpack_sequence(R.pack_sequence([a(2, 2), a(3, 2), a(1, 2)], enforce_sorted=False)) | R.invert_permutation(torch.tensor([2, 0, 1])) | R.invert_permutation(None)
R.pack_sequence([a(3), a(2)]).double().data | R.pack_sequence([a(3), a(2)]).to(torch.int32).data | R.PackedSequence((a(3), torch.tensor([2, 1])))
[getattr(R.pack_sequence([a(3), a(2)]), name)().data.dtype for name in "double float half long int short char byte".split()]
R.PackedSequence(a(3), torch.tensor([2, 1]), torch.tensor([1, 0])).unsorted_indices | R.pack_sequence([a(3), a(2)]).cpu().is_cuda
"""


def test_packing_and_padding(device):
    check([part for line in PACKING.strip().splitlines() for part in line.split(" | ")], device)


def test_a_cell_of_two_states_takes_a_tuple(device):
    with pytest.raises(TypeError, match="argument 'hx' .* must be tuple of Tensors, not Tensor"):
        torch.nn.LSTMCell(3, 4, device=device)(torch.ones(2, 3, device=device), torch.ones(2, 4, device=device))
