"""Threads that share parameters, gradients, hooks and buffers. Each program runs in a process of its own, which must not end early."""

import programs

TRAINING = """
import threading
import quern.torch as torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
x, classes = torch.randn(32, 8), torch.randint(0, 4, (32,))
makers = [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop]
problems, losses, calls = [], [], []

def work(k):
    try:
        optimizer = makers[k](net.parameters(), lr=1e-4)
        for i in range(ROUNDS):
            optimizer.zero_grad(set_to_none=(i + k) % 3 != 0)
            hook = net[0].weight.register_hook(lambda g: calls.append(1))
            after = net[3].bias.register_post_accumulate_grad_hook(lambda p: calls.append(1))
            loss = torch.nn.functional.cross_entropy(net(x), classes)
            loss.backward(retain_graph=i % 4 == 0)
            if i % 4 == 0:
                losses.append(loss)
                if len(losses) > 3:
                    try:
                        losses.pop(0).backward()
                    except (RuntimeError, IndexError):
                        pass
            repr(loss), loss.grad_fn.next_functions
            for p in net.parameters():
                g = p.grad
                if g is not None:
                    g.norm()
                if i % 7 == 0:
                    p.grad = None
                elif i % 7 == 1:
                    p.grad = torch.zeros_like(p)
            optimizer.step()
            hook.remove(), after.remove()
            net[1].running_mean.clone(), net[1].num_batches_tracked.item()
            if i % 10 == 0:
                net.state_dict(), net.eval(), net.train()
    except BaseException as error:
        import traceback
        problems.append(traceback.format_exc())

threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print("problems", problems, bool(calls))
"""


def test_training_of_one_module():
    """Four threads, each with an optimizer over the same parameters: what they compute is their affair, that they end is ours."""
    done = programs.code(TRAINING.replace("ROUNDS", "60"))
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "problems [] True", done.stdout


def test_gradients_of_all_threads_are_added():
    done = programs.code(
        """
import threading
import quern.torch as torch
p, q = torch.ones(64, requires_grad=True), torch.ones(3, requires_grad=True)
y = q * 2
y.retain_grad()
seen, start = [], threading.Barrier(4)
p.register_post_accumulate_grad_hook(lambda p: seen.append(1))
def work():
    start.wait()
    for i in range(100):
        (p * 1).sum().backward()
        y.sum().backward(retain_graph=True)
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(set(p.grad.tolist()), len(seen), q.grad.tolist(), y.grad.tolist())
"""
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "{400.0} 400 [800.0, 800.0, 800.0] [400.0, 400.0, 400.0]"


def test_hooks_come_and_go():
    """While one thread goes through the graph another adds hooks to it and takes them away."""
    done = programs.code(
        """
import threading
import quern.torch as torch
x = torch.ones(16, requires_grad=True)
y = x * 2
over, problems = threading.Event(), []
def change():
    try:
        while not over.is_set():
            handles = [t.register_hook(lambda g: None) for t in (x, y, y.view(4, 4)) for _ in range(3)]
            for handle in handles:
                handle.remove()
            y.retain_grad(), y.retains_grad, y.grad
    except BaseException as error:
        problems.append(repr(error))
def work():
    try:
        for _ in range(100):
            y.sum().backward(retain_graph=True)
            torch.autograd.grad(y.exp().sum(), [x, y], retain_graph=True)
    except BaseException as error:
        problems.append(repr(error))
threads = [threading.Thread(target=work) for _ in range(3)]
others = [threading.Thread(target=change) for _ in range(2)]
for t in threads + others: t.start()
for t in threads: t.join()
over.set()
for t in others: t.join()
print(problems, x.grad.tolist() == [600.0] * 16)
"""
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "[] True"


def test_graphs_with_functions_in_python():
    """A hook or a derivative in Python may wait for another thread, which uses tensors meanwhile."""
    done = programs.code(
        """
import threading
import quern.torch as torch
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        wait()
        return g * 2
def wait():
    other = threading.Thread(target=lambda: (torch.ones(4, requires_grad=True) * 3).sum().backward())
    other.start()
    other.join()
x = torch.ones(4, requires_grad=True)
for _ in range(20):
    y = Double.apply(x)
    y.register_hook(lambda g: wait())
    y.sum().backward()
print(x.grad.tolist())
""",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "[40.0, 40.0, 40.0, 40.0]"
