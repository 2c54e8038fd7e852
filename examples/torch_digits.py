"""Classify handwritten digits with a network of two layers: those of scikit-learn, or, without it, digits drawn from a small font.

quern run examples/torch_digits.py [--epochs 25]
"""

import argparse

import torch
from digits import digits
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=25)
args = parser.parse_args()

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
images, labels, source = digits()
x = torch.tensor(images, dtype=torch.float32, device=device)
y = torch.tensor(labels, dtype=torch.int64, device=device)
split = len(x) * 4 // 5
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(args.epochs):
    order = torch.randperm(split, device=device)
    for start in range(0, split - 63, 64):  # whole batches: one set of kernels serves them all
        picked = order[start : start + 64]
        optimizer.zero_grad()
        loss = loss_fn(model(x[picked]), y[picked])
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}")

with torch.no_grad():
    right = (model(x[split:]).argmax(1) == y[split:]).float().mean().item()
print(f"computed on {device}")
print(f"{right:.1%} of {len(x) - split} digits {source} that it had not seen are right")
assert right >= 0.97
