"""Teach a Transformer to sort digits: it reads a sequence and writes it in order, one digit after the other.

quern run examples/torch_sort_transformer.py [--steps 300] [--length 6]
"""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--length", type=int, default=6)
args = parser.parse_args()

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
START = 10  # the token in front of what is written


class Sorter(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.digits = nn.Embedding(11, width)
        self.places = nn.Parameter(torch.randn(args.length, width) * 0.1)
        self.transformer = nn.Transformer(width, 4, 1, 1, 128, dropout=0.0, batch_first=True)
        self.to_digit = nn.Linear(width, 10)

    def forward(self, source, target):
        length = target.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=target.device)
        read, written = self.digits(source), self.digits(target) + self.places[:length]
        return self.to_digit(self.transformer(read, written, tgt_mask=mask, tgt_is_causal=True))


model = Sorter().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=args.steps)


def batch(count):
    source = torch.randint(0, 10, (count, args.length), device=device)
    ordered = source.sort(1).values
    start = torch.full((count, 1), START, device=device)
    return source, torch.cat([start, ordered[:, :-1]], 1), ordered


for step in range(args.steps):
    source, target, ordered = batch(128)
    loss = nn.functional.cross_entropy(model(source, target).flatten(0, 1), ordered.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 50 == 49:
        print(f"step {step + 1}: loss {loss.item():.4f}")

model.eval()
source, _, ordered = batch(200)
written = torch.full((200, 1), START, device=device)
with torch.no_grad():
    for _ in range(args.length):  # the likeliest digit each time
        digit = model(source, written)[:, -1].argmax(1, keepdim=True)
        written = torch.cat([written, digit], 1)
right = (written[:, 1:] == ordered).all(1).float().mean().item()
print(f"computed on {device}")
print(f"{source[0].tolist()} -> {written[0, 1:].tolist()}")
print(f"{right:.1%} of 200 sequences of {args.length} digits are in order")
assert right >= 0.95
