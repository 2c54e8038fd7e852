"""States of optimizers that go to a model of another dtype, compared with PyTorch: keys, dtypes, values, and the steps that follow."""

import pytest
from torch_oracle import compare_all

HEAD = """
def parameter(dtype):
    return [torch.nn.Parameter(torch.tensor([[1., 2.], [3., 4.]], dtype=dtype, device=device))]
def steps(optimizer, params, count):
    for _ in range(count):
        for p in params:
            p.grad = p.detach() / 2
        optimizer.step()
def shown(optimizer):
    return [list(optimizer.state_dict()['state'][0].items()), optimizer.param_groups[0]['lr']]
"""
OPTIMIZERS = """SGD(p, lr=.1, momentum=.9) | Adam(p, lr=.1) | Adam(p, lr=.1, amsgrad=True) | AdamW(p, lr=.1) | NAdam(p, lr=.1) | RAdam(p, lr=.1) |
Adamax(p, lr=.1) | Adagrad(p, lr=.1) | Adadelta(p, lr=.1) | ASGD(p, lr=.1, t0=1) | RMSprop(p, lr=.1, momentum=.9) | Rprop(p, lr=.1)"""
HOOKS = """a.register_load_state_dict_post_hook(lambda o: seen.append(shown(o)))
a.register_state_dict_post_hook(lambda o, d: seen.append(shown_dict(d)))
a.register_load_state_dict_pre_hook(lambda o, d: seen.append(shown_dict(d)))"""


@pytest.mark.parametrize("optimizer", [one.strip() for one in OPTIMIZERS.replace("\n", " ").split("|")])
@pytest.mark.parametrize("dtypes", ["float32 float64", "float64 float32", "float32 float32", "float64 float64"])
def test_states_in_another_dtype(device, optimizer, dtypes):
    """What is loaded has the parameter's dtype, but for counts."""
    old, new = dtypes.split()
    text = f"""{HEAD}
p = parameter(torch.{old}); a = optim.{optimizer}; steps(a, p, 2); saved = a.state_dict()
p = parameter(torch.{new}); b = optim.{optimizer}; b.load_state_dict(saved); loaded = shown(b)
steps(b, p, 2)
loaded, shown(b), p
"""
    compare_all([text.replace("optim.", "torch.optim.")], device)


@pytest.mark.parametrize("optimizer", ["NAdam(p, lr=.1)", "ASGD(p, lr=.1, t0=1)", "Adam(p, lr=.1)"])
def test_hooks_see_the_same_states(device, optimizer):
    head = HEAD + "seen = []\ndef shown_dict(d): return [list(d['state'][0].items())]\n"
    text = f"""{head}
import copy
p = parameter(torch.float32); a = torch.optim.{optimizer}; steps(a, p, 2); saved = copy.deepcopy(a.state_dict())
p = parameter(torch.float64); a = torch.optim.{optimizer}
{HOOKS}
a.load_state_dict(saved); steps(a, p, 1); a.state_dict(); list(a.state[p[0]].items()), seen
"""
    compare_all([text], device)


@pytest.mark.parametrize("optimizer", [one.strip() for one in OPTIMIZERS.replace("\n", " ").split("|")])
def test_states_before_the_first_step(device, optimizer):
    compare_all([f"{HEAD}\np = parameter(torch.float32); torch.optim.{optimizer}.state_dict()['state']"], device)
