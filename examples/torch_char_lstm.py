"""Predict the next character of Python source with an LSTM, then write some. The text is a part of the standard library.

quern run examples/torch_char_lstm.py [--steps 400] [--write 300]
"""

import argparse
import sysconfig
from pathlib import Path

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=400, help="steps of training")
parser.add_argument("--write", type=int, default=300, help="characters that are written at the end")
args = parser.parse_args()

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
folder = Path(sysconfig.get_paths()["stdlib"])
text = "".join((folder / name).read_text() for name in ("textwrap.py", "heapq.py", "bisect.py", "fractions.py"))
letters = sorted(set(text))
numbers = {letter: i for i, letter in enumerate(letters)}
data = torch.tensor([numbers[letter] for letter in text], device=device)
batch, length = 32, 32


class Model(nn.Module):
    def __init__(self, count, size=128):
        super().__init__()
        self.embedding = nn.Embedding(count, 32)
        self.network = nn.LSTM(32, size, batch_first=True)
        self.last = nn.Linear(size, count)

    def forward(self, x, states=None):
        hidden, states = self.network(self.embedding(x), states)
        return self.last(hidden), states


model = Model(len(letters)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
loss_fn = nn.CrossEntropyLoss()
places = torch.arange(length + 1, device=device)
average = None
for step in range(1, args.steps + 1):
    starts = torch.randint(len(data) - length - 1, (batch, 1), device=device)
    picked = data[starts + places]
    scores, _ = model(picked[:, :-1])
    loss = loss_fn(scores.reshape(-1, len(letters)), picked[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 50 == 0 or step == 1:
        average = loss.item()
        print(f"step {step}: loss {average:.3f} for a character", flush=True)

model.eval()
print(f"computed on {device}; {len(text)} characters of the standard library, {len(letters)} different ones. It writes:")
written, states = [numbers["d"]], None
with torch.no_grad():
    for _ in range(args.write):
        scores, states = model(torch.tensor([[written[-1]]], device=device), states)
        written.append(int(torch.multinomial(torch.softmax(scores[0, -1] / 0.7, 0), 1)))
print("".join(letters[i] for i in written))
assert average < (2.2 if args.steps >= 400 else 3.3)
