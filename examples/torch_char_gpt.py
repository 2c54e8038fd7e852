"""Train a small GPT on the source of Python's standard library, then let it write some: 4 layers of attention over characters.

quern run examples/torch_char_gpt.py [--steps 600] [--write 400]
"""

import argparse
import math
import sysconfig
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=600, help="steps of training")
parser.add_argument("--write", type=int, default=400, help="characters that are written at the end")
args = parser.parse_args()

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
folder = Path(sysconfig.get_paths()["stdlib"])
names = ("textwrap.py", "heapq.py", "bisect.py", "fractions.py", "statistics.py", "shlex.py")
text = "".join(letter for name in names for letter in (folder / name).read_text(encoding="utf-8") if letter.isascii())
letters = sorted(set(text))
numbers = {letter: i for i, letter in enumerate(letters)}
data = torch.tensor([numbers[letter] for letter in text], device=device)
batch, length, size, heads, layers = 16, 64, 96, 4, 4


class Block(nn.Module):
    """Attention to earlier characters, then a small network, each beside a path that leaves the values as they are."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)
        self.queries_keys_values, self.joined = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.network = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

    def forward(self, x):
        n, t, _ = x.shape
        parts = self.queries_keys_values(self.first(x)).reshape(n, t, 3, heads, size // heads).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x = x + self.joined(seen.transpose(1, 2).reshape(n, t, size))
        return x + self.network(self.second(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter, self.place = nn.Embedding(len(letters), size), nn.Embedding(length, size)
        self.blocks = nn.Sequential(*(Block() for _ in range(layers)))
        self.norm, self.scores = nn.LayerNorm(size), nn.Linear(size, len(letters), bias=False)
        self.scores.weight = self.letter.weight  # one table for what is read and what is written
        for table in (self.letter, self.place):
            nn.init.normal_(table.weight, std=0.02)

    def forward(self, x):
        x = self.letter(x) + self.place(torch.arange(x.shape[1], device=x.device))
        return self.scores(self.norm(self.blocks(x)))


model = GPT().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
rises = max(args.steps // 20, 1)
schedule = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda step: min((step + 1) / rises, 0.55 + 0.45 * math.cos(math.pi * step / args.steps))
)
places = torch.arange(length + 1, device=device)
print(f"{sum(p.numel() for p in model.parameters())} parameters on {device}, {len(text)} characters, {len(letters)} different ones")
began, average = time.perf_counter(), math.log(len(letters))
for step in range(1, args.steps + 1):
    picked = data[torch.randint(len(data) - length - 1, (batch, 1), device=device) + places]
    scores = model(picked[:, :-1])
    loss = functional.cross_entropy(scores.reshape(-1, len(letters)), picked[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    if step % 10 == 0 or step == args.steps:
        average = 0.7 * average + 0.3 * loss.item()
        filled = 30 * step // args.steps
        seconds = time.perf_counter() - began
        print(f"\r[{'#' * filled}{'.' * (30 - filled)}] step {step}/{args.steps}: loss {average:.3f}, {seconds:.0f} s", end="", flush=True)

model.eval()
print(f"\ncomputed on {device}: the loss is {average:.3f} for a character. It writes:")
written = [numbers[letter] for letter in "def "]
with torch.no_grad():
    for _ in range(args.write):
        scores = model(torch.tensor([written[-length:]], device=device))[0, -1]
        written.append(int(torch.multinomial(torch.softmax(scores / 0.7, 0), 1)))
result = "".join(letters[i] for i in written)
print(result)
with torch.no_grad():  # what comes later does not change what was said of earlier characters
    start = data[:length].unsqueeze(0)
    other = torch.cat([start[:, : length // 2], start[:, : length // 2].flip(1)], 1)
    assert torch.allclose(model(start)[:, : length // 2], model(other)[:, : length // 2], atol=1e-4)
assert len(result) == args.write + 4
assert average < (2.3 if args.steps >= 600 else 4.0), average
