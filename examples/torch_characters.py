"""A network that learns to write like the standard library's source: from eight characters it guesses the next one.

quern run examples/torch_characters.py [--steps 600]
"""

import argparse
import textwrap

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

CONTEXT = 8

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=600)
args = parser.parse_args()

with open(textwrap.__file__, encoding="utf-8") as file:
    text = file.read()
letters = sorted(set(text))
number = {c: i for i, c in enumerate(letters)}

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
data = torch.tensor([number[c] for c in text], device=device)


class Guesser(nn.Module):
    """Characters as vectors, one hidden layer, a score for each character that may follow."""

    def __init__(self, width=24, hidden=128):
        super().__init__()
        self.vectors = nn.Embedding(len(letters), width)
        self.hidden = nn.Linear(CONTEXT * width, hidden)
        self.scores = nn.Linear(hidden, len(letters))

    def forward(self, before):
        """Scores: (batch, CONTEXT) -> (batch, letters)."""
        return self.scores(torch.tanh(self.hidden(self.vectors(before).flatten(1))))


model = Guesser().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
places = torch.arange(CONTEXT, device=device)
losses = []
for step in range(args.steps):
    starts = torch.randint(0, len(text) - CONTEXT, (256,), device=device)
    loss = F.cross_entropy(model(data[starts[:, None] + places]), data[starts + CONTEXT])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
    if step % 200 == 199:
        print(f"step {step + 1}: loss {loss.item():.3f}")

losses = torch.stack(losses)
first, last = losses[:10].mean().item(), losses[-50:].mean().item()

written = "    def "
with torch.no_grad():
    for _ in range(160):
        before = torch.tensor([[number[c] for c in written[-CONTEXT:]]], device=device)
        p = F.softmax(model(before)[0] / 0.6, 0)
        written += letters[torch.multinomial(p, 1).item()]
print(f"computed on {device}")
print(f"the loss fell from {first:.3f} to {last:.3f}; a sample:")
print(written)
assert last < 1.9 < first
