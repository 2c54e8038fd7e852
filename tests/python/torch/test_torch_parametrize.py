"""nn.utils: parametrizations, weight and spectral norms, skip_init and functional_call are PyTorch's."""

import pytest
from quern import torch
from torch_oracle import compare_all

LAYER = """m = nn.Linear(3, 3)
m.weight.data = torch.tensor([[1.0, 2.0, -1.0], [0.5, -0.3, 0.8], [2.0, 0.1, 0.4]])
m.bias.data = torch.tensor([0.1, 0.2, 0.3])
x = torch.tensor([[1.0, -1.0, 0.5]])
p = nn.utils.parametrize
class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).mT
    def right_inverse(self, w):
        return w.triu()
class Twice(nn.Module):
    def forward(self, w):
        return 2 * w
class Sum(nn.Module):
    def forward(self, a, b):
        return a + b
    def right_inverse(self, w):
        return w / 3, w * 2 / 3
class Float64(nn.Module):
    def forward(self, w):
        return w.double()
class Row(nn.Module):
    def forward(self, w):
        return w[0]
"""


def test_registered_parametrizations():
    compare_all(
        [
            LAYER + text
            for text in (
                "p.register_parametrization(m, 'weight', Symmetric())\n[m.weight, m(x), repr(m), [n for n, _ in m.named_parameters()]]",
                "p.register_parametrization(m, 'weight', Symmetric())\nm(x).sum().backward()\n[m.parametrizations.weight.original.grad]",
                "p.register_parametrization(m, 'weight', Symmetric())\np.register_parametrization(m, 'weight', Twice())\n[m.weight, m(x), repr(m)]",
                "p.register_parametrization(m, 'weight', Symmetric())\nm.weight = torch.ones(3, 3)\n[m.weight, m.parametrizations.weight.original]",
                "p.register_parametrization(m, 'weight', Sum())\n[m.weight, sorted(m.state_dict()), m.parametrizations.weight.original0]",
                "p.register_parametrization(m, 'weight', Sum())\nm.weight = torch.ones(3, 3)\n[m.weight, m.parametrizations.weight.original1]",
                "p.register_parametrization(m, 'bias', Twice())\n[m.bias, type(m).__name__, p.type_before_parametrizations(m).__name__]",
                "p.register_parametrization(m, 'weight', Symmetric())\np.register_parametrization(m, 'bias', Twice())\n[repr(m), m(x)]",
                "p.register_parametrization(m, 'weight', Symmetric())\n[p.is_parametrized(m), p.is_parametrized(m, 'weight'), p.is_parametrized(m, 'bias')]",
                "p.register_parametrization(m, 'weight', Symmetric())\np.remove_parametrizations(m, 'weight')\n[m.weight, type(m).__name__, repr(m)]",
                "p.register_parametrization(m, 'weight', Symmetric())\np.remove_parametrizations(m, 'weight', False)\nm.weight",
                "p.register_parametrization(m, 'weight', Sum())\np.remove_parametrizations(m, 'weight')\n[m.weight, type(m.weight).__name__]",
                "p.register_parametrization(m, 'weight', Sum())\nraises(lambda: p.remove_parametrizations(m, 'weight', False))",
                "raises(lambda: p.remove_parametrizations(m, 'weight'))",
                "raises(lambda: p.register_parametrization(m, 'other', Twice()))",
                "raises(lambda: p.register_parametrization(m, 'weight', Float64()))",
                "raises(lambda: p.register_parametrization(m, 'weight', Row()))",
                "p.register_parametrization(m, 'weight', Row(), unsafe=True)\nm.weight",
                "p.register_parametrization(m, 'weight', Twice())\nraises(lambda: setattr(m, 'weight', torch.ones(3, 3)))",
                "p.register_parametrization(m, 'weight', Twice())\nraises(lambda: p.register_parametrization(m, 'weight', Float64()))",
                "p.register_parametrization(m, 'weight', Twice())\nwith p.cached():\n    same = m.weight is m.weight\n[same, m.weight is m.weight]",
                "p.register_parametrization(m, 'weight', Twice())\nimport copy\nother = copy.deepcopy(m)\n[other.weight, type(other).__name__]",
                "p.register_parametrization(m, 'weight', Twice())\nimport pickle\nraises(lambda: pickle.dumps(m))",
                "p.register_parametrization(m, 'weight', Sum())\nother = nn.Linear(3, 3)\np.transfer_parametrizations_and_params(m, other)\nother.weight",
                "p.register_parametrization(m, 'weight', Twice())\n[m.eval().parametrizations.weight.training, m.double().weight.dtype]",
            )
        ]
    )


def test_weight_norms():
    new = "nn.utils.parametrizations.weight_norm"
    old = "nn.utils.weight_norm"
    conv = "m = nn.Conv2d(2, 3, 2)\nm.weight.data = torch.arange(24.0).reshape(3, 2, 2, 2) / 7 - 1\nm.bias.data.zero_()\nx = torch.ones(1, 2, 3, 3)\n"
    texts = []
    for dim in (0, 1, None, -1):
        texts.append(LAYER + f"{new}(m, dim={dim})\nm(x).sum().backward()\n[m.weight, m(x), *[q.grad for q in m.parameters()]]")
        texts.append(LAYER + f"{old}(m, dim={dim})\nm(x).sum().backward()\n[m.weight, m(x), m.weight_g, m.weight_g.grad, m.weight_v.grad]")
    texts += [
        conv + f"{new}(m)\n[m.weight, m(x), sorted(m.state_dict())]",
        conv + f"{old}(m)\nm.weight_g.data *= 2\n[m(x), sorted(m.state_dict()), nn.utils.remove_weight_norm(m).weight]",
        LAYER + f"{old}(m)\nraises(lambda: {old}(m))",
        LAYER + "raises(lambda: nn.utils.remove_weight_norm(m))",
        LAYER + f"{new}(m)\nm.load_state_dict({{'weight_g': torch.ones(3, 1), 'weight_v': torch.eye(3), 'bias': m.bias.data}})\nm.weight",
    ]
    compare_all(texts)


def test_spectral_norms():
    new = "nn.utils.parametrizations.spectral_norm"
    old = "nn.utils.spectral_norm"
    compare_all(
        [
            LAYER + f"{new}(m, n_power_iterations=30)\nm.weight\n[m.weight, m(x), sorted(m.state_dict()), repr(m)]",
            LAYER + f"{new}(m, n_power_iterations=30)\nm.weight\nm.eval()\nm(x).sum().backward()\nm.parametrizations.weight.original.grad",
            LAYER + f"{new}(m, 'bias')\nm.bias",
            LAYER + f"raises(lambda: {new}(m, 'other'))",
            LAYER + f"raises(lambda: {new}(m, n_power_iterations=0))",
            LAYER + f"{old}(m, n_power_iterations=40)\n[m(x), m.weight, sorted(m.state_dict()), nn.utils.remove_spectral_norm(m).weight]",
            LAYER + f"{old}(m)\nraises(lambda: {old}(m))",
            LAYER + "raises(lambda: nn.utils.remove_spectral_norm(m))",
            "m = nn.utils.parametrizations.spectral_norm(nn.ConvTranspose1d(2, 3, 2))\n[m.parametrizations.weight[0]._u.shape, m.weight.shape]",
        ],
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("kind", ["matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_orthogonal_matrices(kind, shape):
    torch.manual_seed(3)
    layer = torch.nn.Linear(shape[1], shape[0])
    torch.nn.utils.parametrizations.orthogonal(layer, orthogonal_map=kind)
    weight = layer.weight if shape[0] <= shape[1] else layer.weight.T
    one = torch.eye(min(shape))
    assert torch.allclose(weight @ weight.T, one, atol=1e-5)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
    before = layer.weight.detach().clone()
    layer(torch.ones(1, shape[1])).square().sum().backward()
    optimizer.step()
    after = layer.weight.detach()
    assert not torch.allclose(before, after, atol=1e-3)
    square = after @ after.T if shape[0] <= shape[1] else after.T @ after
    assert torch.allclose(square, one, atol=1e-5)
    wanted = torch.linalg.qr(torch.randn(max(shape), min(shape)))[0]
    wanted = wanted if shape[0] >= shape[1] else wanted.T
    layer.weight = wanted
    assert torch.allclose(layer.weight, wanted, atol=1e-5)


def test_orthogonal_maps_are_pytorchs():
    text = "import torch.nn.utils.parametrizations as n\nm = nn.Linear({0})\nm.weight.data = torch.arange(12.0).sin()[:{1}].reshape({2})\n"
    text = text.replace("import torch.nn.utils.parametrizations as n\n", "n = nn.utils.parametrizations\n")
    compare_all(
        [
            text.format("3, 3", 9, "3, 3") + f"n.orthogonal(m, orthogonal_map='{kind}', use_trivialization=False)\nm.weight.sum().backward()\n"
            "[m.weight, m.parametrizations.weight.original.grad]"
            for kind in ("matrix_exp", "cayley")
        ]
        + [
            text.format("3, 3", 9, "3, 3") + "raises(lambda: n.orthogonal(m, orthogonal_map='other'))",
            text.format("3, 3", 9, "3, 3") + "raises(lambda: n.orthogonal(m, 'bias'))",
            text.format("3, 3", 9, "3, 3") + "raises(lambda: n.orthogonal(m, 'other'))",
        ],
        rtol=1e-4,
        atol=1e-5,
    )


def test_functional_calls():
    make = LAYER + "w = torch.eye(3, requires_grad=True)\ncall = torch.func.functional_call\n"
    shared = "class Tied(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(2, 2, bias=False)\n"
    shared += "        self.b = self.a\n        self.c = nn.Linear(2, 2, bias=False)\n        self.c.weight = self.a.weight\n"
    shared += "    def forward(self, x):\n        return self.b(self.a(self.c(x)))\nm = Tied()\nw = 2 * torch.eye(2)\n"
    call = "torch.func.functional_call"
    compare_all(
        [
            make + "y = call(m, {'weight': w}, x)\ny.sum().backward()\n[y, w.grad, m.weight.grad, m.weight]",
            make + "call(m, ({'weight': w}, {'bias': torch.zeros(3)}), (x,))",
            make + "raises(lambda: call(m, ({'weight': w}, {'weight': w}), (x,)))",
            make + "raises(lambda: call(m, {'other': w}, (x,)))",
            make + "raises(lambda: call(m, {'weight': w}, (x,), strict=True))",
            make + "raises(lambda: call(m, {'weight': 3}, (x,)))",
            make + "call(nn.Sequential(m, nn.BatchNorm1d(3)).eval(), {'0.weight': w, '1.running_mean': torch.ones(3)}, x)",
            make + "nn.utils.stateless.functional_call(m, {'weight': w}, x)",
            shared + f"{call}(m, {{'a.weight': w}}, torch.ones(1, 2))",
            shared + f"{call}(m, {{'a.weight': w, 'b.weight': w, 'c.weight': w + 1}}, torch.ones(1, 2), tie_weights=False)",
            "hasattr(torch.func, 'functional_call')",
        ]
    )


def test_different_tensors_for_a_tied_parameter():
    first = torch.nn.Linear(2, 2, bias=False)
    both = torch.nn.Sequential(first, first)
    tensors = {"0.weight": torch.eye(2), "1.weight": torch.ones(2, 2)}
    with pytest.raises(ValueError, match="multiple values for keys .*tied"):
        torch.func.functional_call(both, tensors, torch.ones(2))


def test_modules_without_initialization():
    torch.manual_seed(0)
    wanted = torch.rand(2)
    torch.manual_seed(0)
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 3, 2)
    assert torch.equal(torch.rand(2), wanted)  # nothing is drawn
    assert layer.weight.shape == (2, 3) and layer.weight.requires_grad
    with pytest.raises(RuntimeError, match="Expected a Module"):
        torch.nn.utils.skip_init(dict)
    with pytest.raises(RuntimeError, match="'device' arg"):
        torch.nn.utils.skip_init(torch.nn.ReLU)


def test_transforms_are_refused():
    with pytest.raises(AttributeError, match="function transforms are not supported yet"):
        torch.func.grad  # noqa: B018
    assert not hasattr(torch.func, "vmap")
