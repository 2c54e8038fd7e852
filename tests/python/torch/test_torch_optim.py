"""Optimizers, learning rate schedules and averages of quern.torch, compared with PyTorch's."""

import math

import pytest
from torch_oracle import compare, compare_all

# Ten steps by given gradients; the second parameter has none in the fourth, so that its count falls behind.
STEPS = """
p = [nn.Parameter(torch.linspace(-1, 1, 12, dtype=torch.{dtype}).reshape(3, 4)), nn.Parameter(torch.linspace(0.5, 2, {second}, dtype=torch.{dtype}){shape})]
x = [torch.linspace(2, -1.4, 12, dtype=torch.{dtype}).reshape(3, 4), torch.linspace(-1, 3, {second}, dtype=torch.{dtype}){shape}]
o = optim.{name}(p{options})
for i in range(10):
    for k in range(2):
        p[k].grad = None if k == 1 and i == 3 else (p[k].detach() - x[k]) * (1 + 0.1 * i)
    o.step()
[a.detach() for a in p], o.state_dict(), repr(o)
"""

CASES = {
    "SGD": [
        "",
        "lr=0.1",
        "lr=0.1, momentum=0.9",
        "lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1",
        "momentum=0.5, nesterov=True, maximize=True",
    ],
    "Adam": [
        "",
        "lr=0.1, weight_decay=0.1",
        "amsgrad=True, betas=(0.5, 0.7)",
        "lr=0.1, maximize=True",
        "lr=0.1, decoupled_weight_decay=True, weight_decay=0.3",
    ],
    "AdamW": ["", "lr=0.1, weight_decay=0.3", "lr=0.1, amsgrad=True, maximize=True, eps=1e-3"],
    "Adamax": ["", "lr=0.1, weight_decay=0.1, maximize=True, betas=(0.5, 0.7)"],
    "NAdam": ["", "lr=0.1, weight_decay=0.1, maximize=True", "lr=0.1, decoupled_weight_decay=True, weight_decay=0.1, momentum_decay=0.1"],
    "RAdam": ["", "lr=0.1, weight_decay=0.1, maximize=True, betas=(0.5, 0.9)", "lr=0.1, decoupled_weight_decay=True, weight_decay=0.1"],
    "RMSprop": ["", "centered=True, weight_decay=0.1", "momentum=0.9", "centered=True, momentum=0.5, maximize=True, alpha=0.9, eps=1e-3"],
    "Rprop": ["", "lr=0.5, etas=(0.4, 1.3), step_sizes=(1e-3, 0.9)", "lr=0.1, maximize=True"],
    "Adagrad": ["", "lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.2, maximize=True"],
    "Adadelta": ["", "lr=0.5, rho=0.8, weight_decay=0.1, maximize=True"],
    "ASGD": ["", "lr=0.05, lambd=0.01, t0=3, alpha=0.5, weight_decay=0.1", "maximize=True"],
    "Adafactor": ["", "lr=0.1, weight_decay=0.1, beta2_decay=-0.5, d=1.5, eps=(1e-3, 1e-2), maximize=True"],
}


def steps(name, options="", dtype="float32", second=5, shape=""):
    return STEPS.format(name=name, options=options and ", " + options, dtype=dtype, second=second, shape=shape)


# ---- optimizers


@pytest.mark.parametrize("name", CASES)
def test_ten_steps(device, name):
    compare_all([steps(name, options) for options in CASES[name]], device, rtol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_ten_steps_of_float64(device, name):
    # what PyTorch keeps as tensors of float32 in between is a number here: eta, mu_product
    compare_all([steps(name, options, "float64") for options in CASES[name]], device, rtol=1e-6)


@pytest.mark.parametrize("name", sorted(set(CASES) - {"Adafactor"}))
def test_complex_parameters(device, name):
    compare(steps(name, CASES[name][-1], "complex64"), device, rtol=2e-5)


@pytest.mark.parametrize("name", ["SGD", "AdamW", "Adagrad"])
def test_bfloat16(device, name):
    # PyTorch rounds after each operation, the rules once a step
    text = steps(name, "lr=0.1", "bfloat16").replace("o.state_dict(), repr(o)", "repr(o)")
    compare(text, device, rtol=3e-2, atol=3e-2)


NUMBERS_OF_STATES = """
p = [nn.Parameter(torch.linspace(-1, 1, 4)), nn.Parameter(torch.linspace(-1, 2, 4))]
o = optim.{name}(p, lr=0.01)
def step():
    for q in p:
        q.grad = q.detach() * 2 + 0.75
    o.step()
    return [(type(v).__name__, v.dtype, v.shape, v.item()) for v in (o.state[p[0]][k] for k in numbers)]
numbers = {numbers}
def all():
    return [[(k, v.clone()) for k, v in o.state[q].items()] for q in p]
"""


@pytest.mark.parametrize("name", sorted(set(CASES) - {"SGD"}))
def test_numbers_of_states_are_tensors(device, name):
    numbers = ["step", *{"NAdam": ["mu_product"], "ASGD": ["eta", "mu"]}.get(name, [])]
    head = NUMBERS_OF_STATES.format(name=name, numbers=numbers)
    texts = [
        "step(), step(), list(o.state[p[1]]), all()",
        "step(); held = o.state[p[0]]['step']; a = held.clone(); step(); a, held, held is o.state[p[0]]['step']",
        "step(); o.state[p[0]]['step'] += 5; step(); o.state[p[1]]['step'].fill_(40); step(), all()",
        "step(); o.state[p[0]]['step'] = torch.tensor(7.0); step(); s = o.state[p[0]]; {**s}['step'], dict(s)['step'], s.copy()['step'], s.get('step')",
        "step(); s = o.state_dict(); type(s['state'][0]) is dict, s",
        "import pickle, copy; step(); a = pickle.loads(pickle.dumps(o.state_dict())); b = copy.deepcopy(o).state_dict(); a, b, pickle.loads(pickle.dumps(o)).state_dict()",
        "step(); s = o.state_dict(); o = optim.NAME(p, lr=0.5); o.load_state_dict(s); a = o.state[p[0]]['step'].clone(); step(); a, all()",
        "step(); o.state[p[0]] = dict(o.state[p[0]]); o.state[p[0]]['step'] = torch.tensor(3.0); step(), all()",
        "step(); import collections; o.state = collections.defaultdict(dict, {q: dict(s) for q, s in o.state.items()}); step(), all()",
        "step(); s = dict(o.state[p[0]]); s == o.state[p[0]], 'step' in s, o.state[p[0]].pop('step'), 'step' in o.state[p[0]]",
    ]
    compare_all([head + text.replace("; ", "\n").replace("NAME", name) for text in texts], device, rtol=1e-5)


def test_options_that_change_nothing(device):
    compare_all(
        [
            steps(name, f"lr=0.1, {option}")
            for name, option in [("SGD", "foreach=True"), ("Adam", "foreach=False"), ("AdamW", "fused=True"), ("Adagrad", "foreach=True")]
        ],
        device,
        rtol=1e-5,
    )


def test_a_tensor_as_rate(device):
    compare_all([steps(name, "lr=torch.tensor(0.1)") for name in ("SGD", "Adam", "RMSprop", "ASGD")], device, rtol=1e-5)


def test_muon(device):
    texts = [
        steps("Muon", options, second=10, shape=".reshape(5, 2)")
        for options in ("", "lr=0.1, nesterov=False, adjust_lr_fn='match_rms_adamw', momentum=0.8")
    ]
    # Matrices of full rank: the singular values that are rounding errors would grow to one.
    texts = [text.replace("o = optim", "x[0] = x[0] + torch.eye(3, 4)\no = optim") for text in texts]
    compare_all(texts, device, rtol=2e-2, atol=1e-2)  # its matrices are of bfloat16


LBFGS = """
p = nn.Parameter(torch.tensor([-1.2, 1.0, 0.5, 2.0], dtype=torch.float64))
o = optim.LBFGS([p]{options})
def closure():
    o.zero_grad()
    loss = (100 * (p[1:] - p[:-1] ** 2) ** 2 + (1 - p[:-1]) ** 2).sum()
    loss.backward()
    return loss
losses = [o.step(closure).item() for _ in range(4)]
state = next(iter(o.state.values()))
p.detach(), losses, state["n_iter"], state["func_evals"], sorted(o.state_dict()["state"][0])
"""


@pytest.mark.parametrize(
    "options",
    [
        ", lr=1e-4",
        ", line_search_fn='strong_wolfe'",
        ", line_search_fn='strong_wolfe', history_size=3, max_iter=5",
        ", max_iter=7, lr=1e-3, history_size=2",
    ],
)
def test_lbfgs(device, options):
    compare(LBFGS.format(options=options), device, rtol=1e-6)


SEARCH = """
p = nn.Parameter(torch.tensor([{start}, -3.0]))
o = optim.LBFGS([p], line_search_fn="strong_wolfe", lr={lr}, max_iter={most})
def closure():
    o.zero_grad()
    loss = {loss}
    loss.backward()
    return loss
for _ in range(3):
    o.step(closure)
state = o.state_dict()["state"][0]
p.detach().nan_to_num(nan=7.0), state["func_evals"], state["n_iter"]
"""


def test_line_search_meets_infinities_and_counts_its_points(device):
    cases = [("1e20", 1e5, 20, "(p**4).sum()"), ("1e10", 1e5, 20, "p.exp().sum()"), ("inf", 1e-3, 20, "(p**4).sum()"), ("1e3", 1.0, 4, "(p**4).sum()")]
    compare_all([SEARCH.format(start=a, lr=lr, most=most, loss=loss) for a, lr, most, loss in cases], device, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_steps_of_half_precision_are_rounded_once(device, dtype):
    """Adam's first step in float32, rounded to the parameter's type: PyTorch's fused step does the same."""
    import quern.torch as torch

    name = "cpu" if device.kind == "cpu" else f"cuda:{device.index}"
    start = torch.linspace(-1, 1, 37, dtype=getattr(torch, dtype), device=name)
    short, long = torch.nn.Parameter(start.clone()), torch.nn.Parameter(start.float())
    for p in (short, long):
        p.grad = (start * 0.5 + 0.25).to(p.dtype)
        torch.optim.Adam([p], lr=0.03).step()
    assert torch.equal(short.detach(), long.detach().to(short.dtype))


def test_wrong_steps_are_refused():
    import quern.torch as torch
    from quern.lib import _engine

    p, g = torch.ones(3), torch.ones(3)
    with pytest.raises(ValueError, match="unknown optimizer rule 'sdg'"):
        _engine.take_steps("sdg", [(p, g)], (1.0, 0.0, 1.0, 0.1))
    with pytest.raises(ValueError, match="and 1 states, not 2 arrays"):
        _engine.take_steps("sgd_momentum", [(p, g)], (1.0, 0.0, 1.0, 0.1, 0.9, 1.0))
    with pytest.raises(ValueError, match="requires 4 hyperparameters, not 3"):
        _engine.take_steps("sgd", [(p, g)], (1.0, 0.0, 1.0))
    with pytest.raises(RuntimeError, match="differ in shape"):
        _engine.take_steps("sgd", [(p, torch.ones(1))], (1.0, 0.0, 1.0, 0.1))
    with pytest.raises(TypeError, match="real floating-point arrays, not int64"):
        _engine.take_steps("sgd", [(p, torch.ones(3, dtype=torch.int64))], (1.0, 0.0, 1.0, 0.1))
    assert p.tolist() == [1, 1, 1]


# ---- what optimizers share


def test_states_are_saved_and_loaded(device):
    text = """
    def made():
        p = [nn.Parameter(torch.linspace(-1, 1, 6).reshape(2, 3)), nn.Parameter(torch.ones(2))]
        return p, optim.{name}([{{"params": [p[0]], "lr": 0.05}}, {{"params": [p[1]]}}]{options})
    def steps(p, o, n):
        for i in range(n):
            for q in p:
                q.grad = q.detach() * 2 + i
            o.step()
    p, o = made()
    steps(p, o, 3)
    q, other = made()
    other.load_state_dict(o.state_dict())
    with torch.no_grad():
        for a, b in zip(p, q):
            b.copy_(a)
    states = [{{k: v.clone() if isinstance(v, torch.Tensor) else v for k, v in s.items()}} for s in other.state_dict()["state"].values()]
    steps(q, other, 3)
    [a.detach() for a in q], states, other.state_dict()["param_groups"]
    """
    names = {
        "SGD": ", momentum=0.9",
        "Adam": ", amsgrad=True",
        "NAdam": "",
        "ASGD": "",
        "Rprop": "",
        "Adagrad": "",
        "RMSprop": ", centered=True, momentum=0.1",
        "Adafactor": "",
    }
    compare_all([text.format(name=name, options=options) for name, options in names.items()], device, rtol=1e-5)


def test_groups_and_their_options(device):
    compare_all(
        [
            """
            a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))
            o = optim.SGD([{"params": a, "lr": 0.5}], lr=0.1)
            o.add_param_group({"params": [b], "momentum": 0.5})
            a.grad, b.grad = torch.ones(2), torch.ones(3)
            o.step()
            a.detach(), b.detach(), repr(o), o.state_dict(), o.defaults
            """,
            """
            m = nn.Linear(2, 3)
            o = optim.Adam(m.named_parameters())
            repr(o), o.state_dict()["param_groups"]
            """,
            """
            p = nn.Parameter(torch.ones(2))
            o = optim.SGD([p], lr=0.1)
            p.grad = torch.ones(2)
            o.zero_grad(set_to_none=False)
            zero = p.grad.clone()
            o.zero_grad()
            zero, p.grad
            """,
            """
            p = nn.Parameter(torch.tensor([3.0]))
            o = optim.SGD([p], lr=0.1)
            def closure():
                o.zero_grad()
                loss = (p * p).sum()
                loss.backward()
                return loss
            [o.step(closure).item() for _ in range(3)], p.detach()
            """,
            """
            import copy, pickle
            p = nn.Parameter(torch.ones(2))
            o = optim.Adam([p], lr=0.1)
            p.grad = torch.ones(2)
            o.step()
            c = copy.deepcopy(o)
            c.state_dict()
            """,
        ],
        device,
    )


def test_hooks(device):
    compare_all(
        [
            """
            p = nn.Parameter(torch.ones(2))
            p.grad = torch.ones(2)
            o = optim.SGD([p], lr=0.1)
            log = []
            before = o.register_step_pre_hook(lambda o, args, kwargs: log.append(("before", len(args), sorted(kwargs))))
            o.register_step_post_hook(lambda o, args, kwargs: log.append(("after", len(args), sorted(kwargs))))
            o.step()
            before.remove()
            o.step(closure=lambda: 1.0)
            log, p.detach()
            """,
            """
            p = nn.Parameter(torch.ones(2))
            o = optim.SGD([p], lr=0.1)
            log = []
            o.register_state_dict_pre_hook(lambda o: log.append("before"))
            o.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
            o.register_load_state_dict_pre_hook(lambda o, state: log.append(sorted(state)))
            o.register_load_state_dict_post_hook(lambda o: log.append("loaded"))
            o.load_state_dict(o.state_dict())
            log
            """,
            """
            class Own(optim.Optimizer):
                def __init__(self, params, lr):
                    super().__init__(params, {"lr": lr})
                @torch.no_grad()
                def step(self, closure=None):
                    for group in self.param_groups:
                        for p in group["params"]:
                            self.state[p]["step"] = self.state[p].get("step", 0) + 1
                            p.add_(p.grad, alpha=-group["lr"])
            p = nn.Parameter(torch.ones(2))
            p.grad = torch.ones(2)
            o = Own([p], 0.25)
            s = optim.lr_scheduler.ExponentialLR(o, 0.5)
            for _ in range(3):
                o.step()
                s.step()
            p.detach(), o.state_dict(), repr(o)
            """,
        ],
        device,
    )


def test_wrong_arguments(device):
    calls = [
        "optim.SGD([])", "optim.SGD(p)", "optim.SGD([1])", "optim.SGD([p * 2])", "optim.SGD([{'params': [p]}, {'params': p}])",
        "optim.SGD([p], lr=-1)", "optim.SGD([p], momentum=-1)", "optim.SGD([p], weight_decay=-1)", "optim.SGD([p], nesterov=True)",
        "optim.SGD([p], lr=torch.tensor([0.1, 0.2]))", "optim.SGD([p], foreach=True, fused=True)", "optim.SGD([('a', p), p])",
        "optim.Adam([p], lr=-1)", "optim.Adam([p], eps=-1)", "optim.Adam([p], betas=(1.0, 0))", "optim.Adam([p], betas=(0, 1.0))",
        "optim.Adam([p], weight_decay=-1)", "optim.Adam([p], lr=torch.tensor(0.1), foreach=True)", "optim.NAdam([p], momentum_decay=-1)",
        "optim.RMSprop([p], alpha=-1)", "optim.RMSprop([p], momentum=-1)", "optim.Rprop([p], etas=(1.5, 2))", "optim.Adagrad([p], lr_decay=-1)",
        "optim.Adagrad([p], initial_accumulator_value=-1)", "optim.Adadelta([p], rho=2)", "optim.ASGD([p], weight_decay=-1)", "optim.Adafactor([p], d=0.5)",
        "optim.Adafactor([p], eps=(1, -1))", "optim.Muon([p])", "optim.Muon([p], adjust_lr_fn='x')", "optim.LBFGS([{'params': [p]}, {'params': [q]}])", "optim.ASGD([p], alpha=-1.)",
        "optim.ASGD([p], lambd=-1.)", "optim.SGD([{'params': {p}}])",
        "optim.LBFGS([p], line_search_fn='x').step(lambda: (p * p).sum())", "optim.Optimizer([p], {}).step()",
        "optim.SGD([p]).add_param_group([q])", "optim.SGD([p]).add_param_group({'params': [p]})", "optim.SGD([('a', p)]).add_param_group({'params': [q]})",
        "optim.SGD([p]).load_state_dict({'param_groups': [], 'state': {}})", "optim.SGD([p]).load_state_dict({'param_groups': [{'params': []}], 'state': {}})",
    ]  # fmt: skip
    head = "p, q = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))\n"
    compare_all([f"{head}raises(lambda: {call})" for call in calls], device)


def test_what_is_refused(device):
    from quern.torch import nn, ones, optim

    p = nn.Parameter(ones(2))
    for make in (optim.SGD, optim.Adam, optim.Rprop, optim.ASGD):
        with pytest.raises(RuntimeError, match="differentiable=True is not supported"):
            make([p], differentiable=True)
    with pytest.raises(RuntimeError, match="use torch.optim.Adam"):
        optim.SparseAdam([p])


# ---- schedules

SCHEDULES = [
    "L.LambdaLR(o, lambda e: 0.5**e)", "L.LambdaLR(o, [lambda e: 1 / (e + 1), lambda e: 0.9**e])", "L.MultiplicativeLR(o, lambda e: 0.9 + 0.001 * e)",
    "L.StepLR(o, 3)", "L.MultiStepLR(o, [2, 5, 5, 9], 0.5)", "L.ConstantLR(o)", "L.LinearLR(o, 0.2, 0.8, 7)", "L.ExponentialLR(o, 0.9)",
    "L.CosineAnnealingLR(o, 5, 0.01)", "L.PolynomialLR(o, 20, 2.0)", "L.CosineAnnealingWarmRestarts(o, 3, 2, 0.001)", "L.CosineAnnealingWarmRestarts(o, 4)",
    "L.CyclicLR(o, 0.1, 0.2, step_size_up=3, step_size_down=4, mode='triangular2')", "L.CyclicLR(o, [0.1, 0.05], [0.2, 0.3], step_size_up=3, mode='exp_range', gamma=0.9)",
    "L.CyclicLR(o, 0.1, 0.2, step_size_up=3, scale_fn=lambda x: 1 / x, cycle_momentum=False)", "L.OneCycleLR(o, 0.1, total_steps=40)",
    "L.OneCycleLR(o, [0.1, 0.2], epochs=4, steps_per_epoch=10, three_phase=True, anneal_strategy='linear')",
    "optim.swa_utils.SWALR(o, 0.01, anneal_epochs=5)", "optim.swa_utils.SWALR(o, 0.01, anneal_epochs=0)", "optim.swa_utils.SWALR(o, [0.01, 0.2], anneal_strategy='linear')",
    "L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), L.LinearLR(o, 0.1, total_iters=5), L.CosineAnnealingLR(o, 9)], [3, 12])",
    "L.SequentialLR(o, [L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)], [4]), L.StepLR(o, 2)], [9])",
    "L.ChainedScheduler([L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)])",
]  # fmt: skip

SCHEDULE_HEAD = """
L = optim.lr_scheduler
def made(lr=0.1):
    return optim.SGD([{"params": [nn.Parameter(torch.ones(2))]}, {"params": [nn.Parameter(torch.ones(3))], "lr": 0.5 * lr}], lr=lr, momentum=0.9)
def told(o):
    return [[(k, v) for k, v in group.items() if k != "params"] for group in o.param_groups]
"""


@pytest.mark.parametrize("make", SCHEDULES)
def test_thirty_epochs(make):
    text = f"""{SCHEDULE_HEAD}
o = made()
s = {make}
out = [told(o)]
for _ in range(30):
    o.step()
    s.step()
    out.append((s.get_last_lr(), told(o)))
out, sorted(k for k in s.state_dict())
"""
    again = f"""{SCHEDULE_HEAD}
o = made()
s = {make}
for _ in range(7):
    o.step()
    s.step()
state, of_optimizer = s.state_dict(), o.state_dict()
o = made()
s = {make}
o.load_state_dict(of_optimizer)
s.load_state_dict(state)
out = []
for _ in range(9):
    s.step()
    out.append(s.get_last_lr())
out
"""
    compare_all([text, again])


def test_a_schedule_goes_on_at_an_epoch():
    texts = []
    for make in SCHEDULES[:17]:
        texts.append(f"""{SCHEDULE_HEAD}
o = made()
{make}
s = {make[:-1]}, last_epoch=6)
out = [s.get_last_lr()]
for _ in range(5):
    s.step()
    out.append(s.get_last_lr())
out
""")
    for make in SCHEDULES[:12]:
        texts.append(f"""{SCHEDULE_HEAD}
o = made()
s = {make}
out = []
for epoch in (3, 8, 0, 5):
    s.step(epoch)
    out.append(s.get_last_lr())
out
""")
    compare_all(texts)


def test_rates_that_are_tensors(device):
    texts = []
    for make in (
        "L.StepLR(o, 2)",
        "L.ExponentialLR(o, 0.9)",
        "L.LinearLR(o)",
        "L.CosineAnnealingLR(o, 5)",
        "L.OneCycleLR(o, 0.1, total_steps=10)",
        "L.SequentialLR(o, [L.ConstantLR(o), L.ExponentialLR(o, 0.9)], [3])",
    ):
        texts.append(f"""{SCHEDULE_HEAD}
rate = torch.tensor(0.1)
o = optim.SGD([nn.Parameter(torch.ones(2))], lr=rate, momentum=0.9)
s = {make}
out = []
for _ in range(6):
    o.step()
    s.step()
    out.append((s.get_last_lr(), rate.clone()))
out
""")
    compare_all(texts, device)


@pytest.mark.parametrize(
    "options",
    [
        "",
        "mode='max', threshold_mode='abs', threshold=0.1, patience=1, cooldown=2, min_lr=[0.001, 0.02]",
        "factor=0.5, patience=0, min_lr=0.01, eps=0.01",
    ],
)
def test_reduce_on_plateau(options):
    compare(f"""{SCHEDULE_HEAD}
o = made()
s = L.ReduceLROnPlateau(o, {options})
out = []
for i in range(40):
    s.step([3, 2, 2.5, 2, torch.tensor(2.0), 1.9][i % 6])
    out.append((s.get_last_lr(), s.best, s.num_bad_epochs, s.cooldown_counter, s.last_epoch))
out, s.state_dict()
""")


def test_a_callable_object_is_saved():
    compare(f"""{SCHEDULE_HEAD}
class Own:
    def __init__(self, rate):
        self.rate = rate
    def __call__(self, epoch):
        return self.rate**epoch
s = L.LambdaLR(made(), [Own(0.5), lambda e: 1.0])
other = L.LambdaLR(made(), [Own(0.9), lambda e: 1.0])
other.load_state_dict(s.state_dict())
other.step()
s.state_dict()["lr_lambdas"], other.get_last_lr()
""")


def test_schedules_warn_of_the_order():
    text = """
import warnings
def told(change):
    o = optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1)
    s = optim.lr_scheduler.StepLR(o, 3)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        change(o)
        s.step()
        s.step()
    return [str(w.message)[:40] for w in found]
def override(o):
    o.step = lambda: None
o = optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1)
told(lambda o: None), told(lambda o: o.step()), told(override)
"""
    compare(text)


def test_wrong_schedules():
    calls = [
        "L.StepLR(1, 3)", "L.StepLR(o, 3, last_epoch=3)", "L.LambdaLR(o, [1])", "L.ConstantLR(o, factor=2)", "L.LinearLR(o, start_factor=0)", "L.LinearLR(o, end_factor=2)",
        "L.SequentialLR(o, [], [])", "L.SequentialLR(o, [L.StepLR(o, 3)], [3])", "L.SequentialLR(o, [L.StepLR(made(), 3), L.StepLR(o, 3)], [3])",
        "L.SequentialLR(o, [L.ReduceLROnPlateau(o), L.StepLR(o, 3)], [3])", "L.SequentialLR(o, [1, L.StepLR(o, 3)], [3])", "L.ChainedScheduler([])",
        "L.ChainedScheduler([L.StepLR(made(), 3), L.StepLR(o, 3)])", "L.ChainedScheduler([L.ReduceLROnPlateau(o)])", "L.ReduceLROnPlateau(o, factor=1)",
        "L.ReduceLROnPlateau(o, mode='x')", "L.ReduceLROnPlateau(o, threshold_mode='x')", "L.ReduceLROnPlateau(o, min_lr=[1])", "L.ReduceLROnPlateau(1)",
        "L.CyclicLR(o, 0.1, 0.2, mode='x')", "L.CyclicLR(optim.Adagrad([nn.Parameter(torch.ones(1))]), 0.1, 0.2)", "L.CyclicLR(o, [0.1], 0.2)",
        "L.CosineAnnealingWarmRestarts(o, 0)", "L.CosineAnnealingWarmRestarts(o, 1, 0)", "L.CosineAnnealingWarmRestarts(o, 1).step(-1)", "L.OneCycleLR(o, 0.1)",
        "L.OneCycleLR(o, 0.1, total_steps=0)", "L.OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=3)", "L.OneCycleLR(o, 0.1, total_steps=3, pct_start=2)",
        "L.OneCycleLR(o, 0.1, total_steps=3, anneal_strategy='x')", "[s.step() for s in [L.OneCycleLR(o, 0.1, total_steps=3)] * 5]",
        "optim.swa_utils.SWALR(o, 0.1, anneal_strategy='x')", "optim.swa_utils.SWALR(o, 0.1, anneal_epochs=-1)", "L.LRScheduler(o)",
    ]  # fmt: skip
    compare_all([f"{SCHEDULE_HEAD}\no = made()\nraises(lambda: {call})" for call in calls])


# ---- averages


@pytest.mark.parametrize(
    "options",
    [
        "",
        "use_buffers=True",
        "multi_avg_fn=U.get_ema_multi_avg_fn(0.9)",
        "multi_avg_fn=U.get_ema_multi_avg_fn(0.9), use_buffers=True",
        "avg_fn=U.get_ema_avg_fn(0.8)",
        "avg_fn=U.get_swa_avg_fn()",
        "multi_avg_fn=U.get_swa_multi_avg_fn()",
    ],
)
def test_averaged_models(device, options):
    compare(
        f"""
U = optim.swa_utils
m = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
with torch.no_grad():
    for k, p in enumerate(m.parameters()):
        p.copy_(torch.linspace(-1, k, p.numel()).reshape(p.shape))
a = U.AveragedModel(m, {options})
for i in range(4):
    m(torch.linspace(-i, 2, 8).reshape(4, 2))
    with torch.no_grad():
        for p in m.parameters():
            p.mul_(0.5).add_(i)
    a.update_parameters(m)
before = {{k: v.clone() for k, v in a.state_dict().items()}}
U.update_bn([torch.linspace(-1, 2, 8).reshape(4, 2), [torch.linspace(0, 2, 8).reshape(4, 2)]], a)
before, dict(a.state_dict()), a.training, a(torch.linspace(-1, 2, 4).reshape(2, 2)).detach()
""",
        device,
        rtol=1e-5,
    )


def test_averages_refuse():
    texts = ["raises(lambda: optim.swa_utils.AveragedModel(nn.Linear(1, 1), avg_fn=1, multi_avg_fn=2))"]
    texts += [
        f"raises(lambda: optim.swa_utils.{name}({decay}))" for name in ("get_ema_avg_fn", "get_ema_multi_avg_fn") for decay in (2, -1)
    ]
    compare_all(texts)


def test_a_model_learns(device):
    """A line through points, by each optimizer: the loss falls."""
    from quern.torch import linspace, optim

    name = "cpu" if device.kind == "cpu" else f"cuda:{device.index}"
    x = linspace(-1, 1, 64, device=name).reshape(64, 1)
    y = 3 * x - 1
    for make, options in (
        (optim.SGD, {"lr": 0.1}),
        (optim.Adam, {"lr": 0.1}),
        (optim.AdamW, {"lr": 0.1}),
        (optim.RMSprop, {"lr": 0.05}),
        (optim.Adagrad, {"lr": 0.5}),
    ):
        from quern.torch import nn

        m = nn.Linear(1, 1).to(name)
        o = make(m.parameters(), **options)
        for _ in range(100):
            o.zero_grad()
            loss = ((m(x) - y) ** 2).mean()
            loss.backward()
            o.step()
        assert math.isfinite(loss.item()) and loss.item() < 0.05, make.__name__
