#!/usr/bin/env python3
"""Training steps of convolutional and recurrent networks and of transformers, and their parts, compared with PyTorch.

    python bench/networks.py [--device cpu|cuda] [--python PYTHON] [--threads 2] [--out FILE.json] [CASE...]

Each library runs the same program in a process of its own; PYTHON has PyTorch. The processes take turns, a round of each; a figure is the
median over rounds of the time of a step, with the device waited for at a round's end. Losses after the same steps from equal weights are
compared. Start at main().
"""

import argparse
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


# ---- the programs: `torch` is quern's or PyTorch


def block(torch, inner, outer, stride):
    """The two convolutions of a residual block, and what the block adds to them."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.main = nn.Sequential(
                nn.Conv2d(inner, outer, 3, stride, 1, bias=False),
                nn.BatchNorm2d(outer),
                nn.ReLU(),
                nn.Conv2d(outer, outer, 3, 1, 1, bias=False),
                nn.BatchNorm2d(outer),
            )
            self.beside = nn.Sequential()
            if stride != 1 or inner != outer:
                self.beside = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

        def forward(self, x):
            return torch.relu(self.main(x) + self.beside(x))

    return Block()


def resnet18(torch):
    """ResNet-18 for ten classes."""
    nn = torch.nn
    stages = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]
    return nn.Sequential(
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
        *(block(torch, *stage) for stage in stages),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(512, 10),
    )


def convnet(torch, size):
    """Two convolutions with pooling, two products."""
    nn = torch.nn
    inner = 32 * (size // 4) ** 2
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(inner, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def scattered(torch, n):
    """Numbers between -1 and 1 that do not depend on a library's random numbers."""
    k = torch.arange(n, dtype=torch.int64)
    for factor in (2654435761, 2246822519):
        k = (k * factor + 12345) % 2**32 // 3
    return (k % 2**20).to(torch.float32) / 2**19 - 1


def same_weights(torch, model):
    """The model with weights that all libraries have."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            n = p.numel()
            if p.dim() > 1:
                p.copy_(scattered(torch, n).reshape(p.shape) * (6.0 / (n // p.shape[0])) ** 0.5)
            elif "bias" in name:
                p.zero_()
    return model


def images(torch, device, *shape):
    """Numbers that do not depend on a library."""
    n = 1
    for size in shape:
        n *= size
    return scattered(torch, n).reshape(shape).to(device)


def training(torch, device, model, batch, channels, size, last):
    """A training step; returns the loss, which nobody reads."""
    model = same_weights(torch, model).to(device)
    x = images(torch, device, batch, channels, size, size)
    if last:
        model, x = model.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
    y = (torch.arange(batch) % 10).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def layer(torch, device, shape, weight, last, **options):
    """A convolution and both of its gradients."""
    x, w = images(torch, device, *shape).requires_grad_(), images(torch, device, *weight).requires_grad_()
    if last:
        x = x.detach().contiguous(memory_format=torch.channels_last).requires_grad_()
        w = w.detach().contiguous(memory_format=torch.channels_last).requires_grad_()

    def step():
        x.grad = w.grad = None
        y = torch.nn.functional.conv2d(x, w, **options)
        y.backward(y.detach())
        return x.grad.sum() + w.grad.sum()

    return step


def inference(torch, device, model, batch, channels, size):
    """The result of a network, without gradients."""
    model = same_weights(torch, model).to(device).eval()
    x = images(torch, device, batch, channels, size, size)

    def step():
        with torch.no_grad():
            return model(x).sum()

    return step


def recurrent(torch, device, kind, size, layers, batch, steps, **options):
    """A training step of a recurrent network with a product behind its last step."""
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.network = getattr(nn, kind)(40, size, layers, batch_first=True, **options)
            self.last = nn.Linear(size * (2 if options.get("bidirectional") else 1), 10)

        def forward(self, x):
            return self.last(self.network(x)[0][:, -1])

    model = same_weights(torch, Model()).to(device)
    x, y = images(torch, device, batch, steps, 40), (torch.arange(batch) % 10).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def gpt(torch, device, layers, width, batch, tokens, dtype=None):
    """A training step of a small GPT: one matrix for query, key and value, causal attention, the last layer's weights tied."""
    nn = torch.nn
    functional = torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            heads = [y.view(batch, tokens, 4, width // 4).transpose(1, 2) for y in self.parts(self.norm1(x)).split(width, 2)]
            y = functional.scaled_dot_product_attention(*heads, is_causal=True)
            x = x + self.out(y.transpose(1, 2).contiguous().view(batch, tokens, width))
            return x + self.mlp(self.norm2(x))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(96, width), nn.Embedding(tokens, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(layers)])
            self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, 96, bias=False)
            self.tokens.weight = self.out.weight

        def forward(self, x):
            return self.out(self.norm(self.blocks(self.tokens(x) + self.places(torch.arange(tokens, device=device)))))

    model = same_weights(torch, Model()).to(device)
    text = (torch.arange(batch * (tokens + 1)) * 7 % 95).reshape(batch, tokens + 1).to(device)
    x, y = text[:, :-1].contiguous(), text[:, 1:].contiguous()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        with torch.autocast(device, dtype=dtype and getattr(torch, dtype), enabled=dtype is not None):
            loss = functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
        return loss

    return step


def attention(torch, device, samples, heads, tokens, width, is_causal):
    """Attention and its gradients."""
    inputs = [scattered(torch, samples * heads * tokens * width).reshape(samples, heads, tokens, width) for _ in range(4)]
    query, key, value = (x.to(device).requires_grad_() for x in inputs[:3])
    given = inputs[3].to(device)

    def step():
        query.grad = key.grad = value.grad = None
        result = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=is_causal)
        result.backward(given)
        return query.grad.sum() + key.grad.sum() + value.grad.sum()

    return step


CASES = {
    "conv 3x3, 64 channels, 8x56x56": lambda t, d: layer(t, d, (8, 64, 56, 56), (64, 64, 3, 3), False, padding=1),
    "conv 3x3, 64 channels, 8x56x56, channels last": lambda t, d: layer(t, d, (8, 64, 56, 56), (64, 64, 3, 3), True, padding=1),
    "conv 3x3, 256 channels, 8x14x14": lambda t, d: layer(t, d, (8, 256, 14, 14), (256, 256, 3, 3), False, padding=1),
    "conv 1x1, 256 to 64, 8x28x28": lambda t, d: layer(t, d, (8, 256, 28, 28), (64, 256, 1, 1), False),
    "conv 7x7, stride 2, 3 to 64, 4x112x112": lambda t, d: layer(t, d, (4, 3, 112, 112), (64, 3, 7, 7), False, stride=2, padding=3),
    "depthwise 3x3, 64 channels, 8x56x56": lambda t, d: layer(t, d, (8, 64, 56, 56), (64, 1, 3, 3), False, padding=1, groups=64),
    "ConvNet 8x8, batch 64, Adam": lambda t, d: training(t, d, convnet(t, 8), 64, 1, 8, False),
    "ConvNet 28x28, batch 64, Adam": lambda t, d: training(t, d, convnet(t, 28), 64, 1, 28, False),
    "ResNet-18, 4x3x64x64, Adam": lambda t, d: training(t, d, resnet18(t), 4, 3, 64, False),
    "ResNet-18, 4x3x64x64, Adam, channels last": lambda t, d: training(t, d, resnet18(t), 4, 3, 64, True),
    "LSTM(80) x 2, 64x100, Adam": lambda t, d: recurrent(t, d, "LSTM", 80, 2, 64, 100),
    "GRU(80) x 2, 64x100, Adam": lambda t, d: recurrent(t, d, "GRU", 80, 2, 64, 100),
    "LSTM(256), both directions, 32x50, Adam": lambda t, d: recurrent(t, d, "LSTM", 256, 1, 32, 50, bidirectional=True),
    "GPT 4 layers, 128 wide, 8x128 tokens, AdamW": lambda t, d: gpt(t, d, 4, 128, 8, 128),
    "attention 8x4x256x32, causal": lambda t, d: attention(t, d, 8, 4, 256, 32, True),
    "attention 1x8x2048x64": lambda t, d: attention(t, d, 1, 8, 2048, 64, False),
    "ResNet-18, 4x3x64x64, inference": lambda t, d: inference(t, d, resnet18(t), 4, 3, 64),
}
LARGE = {  # for a GPU
    "GPT 4 layers, 128 wide, 64x256 tokens, AdamW": lambda t, d: gpt(t, d, 4, 128, 64, 256),
    "GPT 4 layers, 128 wide, 64x256 tokens, AdamW, bfloat16": lambda t, d: gpt(t, d, 4, 128, 64, 256, "bfloat16"),
    "ResNet-18, 64x3x224x224, Adam": lambda t, d: training(t, d, resnet18(t), 64, 3, 224, False),
    "ResNet-18, 64x3x224x224, Adam, channels last": lambda t, d: training(t, d, resnet18(t), 64, 3, 224, True),
    "ResNet-18, 64x3x224x224, Adam, channels last, TF32": lambda t, d: training(t, d, resnet18(t), 64, 3, 224, True),
}


# ---- processes


def work(library, device, threads):
    """A process's loop: a line names a case or a number of steps; the answer is a line of JSON."""
    if library == "quern":
        if importlib.util.find_spec("quern") is None:
            sys.path.insert(0, str(ROOT / "python"))
        from quern import torch
    else:
        import torch

        torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    step = None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "case":
            torch.backends.cudnn.allow_tf32 = "TF32" in rest
            step = (CASES | LARGE)[json.loads(rest)](torch, device)
            start = time.perf_counter()
            losses = [float(step().detach()) for _ in range(3)]
            answer = {"first": time.perf_counter() - start, "losses": losses}
        else:
            start = time.perf_counter()
            total = 0.0
            for _ in range(int(rest)):
                total = total + step().detach()  # all of them are needed
            float(total)
            answer = {"time": (time.perf_counter() - start) / int(rest)}
        print(json.dumps(answer), flush=True)


class Library:
    """A process that runs the programs."""

    def __init__(self, name, python, device, threads):
        arguments = [python, __file__, "--work", name, "--device", device, "--threads", str(threads)]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        """Send a line; return the answer."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"a process ended at: {line}")
        return json.loads(answer)

    def close(self):
        """End the process."""
        self.process.stdin.close()
        self.process.wait()


def measure(case, libraries, rounds, seconds):
    """The medians of a case, in seconds a step, by library."""
    started = {name: library.ask("case " + json.dumps(case)) for name, library in libraries.items()}
    times = {name: [] for name in libraries}
    for _ in range(rounds):
        for name, library in libraries.items():
            known = times[name][-1] if times[name] else library.ask("run 1")["time"]
            times[name].append(library.ask(f"run {max(1, int(seconds / known))}")["time"])
    return {
        "medians": {name: statistics.median(found) for name, found in times.items()},
        "first three steps": {name: answer["first"] for name, answer in started.items()},
        "losses": {name: answer["losses"] for name, answer in started.items()},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", help="parts of the names of cases; default: all")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--python", default=sys.executable, help="a Python that has PyTorch")
    parser.add_argument("--threads", type=int, default=2, help="PyTorch's threads on the CPU")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.3, help="length of a round")
    parser.add_argument("--out", help="file for the results, JSON")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        return work(given.work, given.device, given.threads)
    libraries = {
        "quern": Library("quern", sys.executable, given.device, given.threads),
        "torch": Library("torch", given.python, given.device, given.threads),
    }
    cases = CASES | LARGE if given.device == "cuda" else CASES
    results = {}
    print(f"{'case':50} {'quern':>10} {'torch':>10}  quern / torch   first three steps")
    for case in cases:
        if given.cases and not any(part in case for part in given.cases):
            continue
        found = results[case] = measure(case, libraries, given.rounds, given.seconds)
        mine, theirs = found["medians"]["quern"], found["medians"]["torch"]
        apart = max(abs(a - b) / max(abs(b), 1e-6) for a, b in zip(*found["losses"].values(), strict=True))
        first = found["first three steps"]
        print(
            f"{case:50} {mine * 1e3:8.2f}ms {theirs * 1e3:8.2f}ms  {mine / theirs:8.2f}      "
            f"{first['quern']:.2f} s, {first['torch']:.2f} s; losses differ by {apart:.0e}",
            flush=True,
        )
    for library in libraries.values():
        library.close()
    if given.out:
        found = {"device": given.device, "threads": given.threads, "results": results}
        pathlib.Path(given.out).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
