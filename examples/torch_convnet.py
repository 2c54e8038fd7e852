"""Classify handwritten digits with a convolutional network: those of scikit-learn, or, without it, digits drawn from a small font.

quern run examples/torch_convnet.py [--epochs 15]
"""

import argparse

import torch
from digits import digits
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=15)
args = parser.parse_args()

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
images, labels, source = digits()
x = torch.tensor(images, dtype=torch.float32, device=device).reshape(-1, 1, 8, 8)
y = torch.tensor(labels, dtype=torch.int64, device=device)
split = len(x) * 4 // 5
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.BatchNorm2d(32),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(2),
    nn.Flatten(),
    nn.Dropout(0.2),
    nn.Linear(128, 10),
).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
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

model.eval()
with torch.no_grad():
    right = (model(x[split:]).argmax(1) == y[split:]).float().mean().item()
print(f"computed on {device}")
print(f"{right:.1%} of {len(x) - split} digits {source} that it had not seen are right")
assert right >= 0.98
