"""Classify handwritten digits with a network of two layers: those of scikit-learn, or, without it, digits drawn from a small font.

quern run examples/torch_digits.py [--epochs 25]
"""

import argparse

import numpy as np
import torch
from torch import nn

FONT = """
.###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#..## ..#.. ....# ...#. .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# ..#.. #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# ..#.. #...# ....#
.###. .###. ##### .###. ...#. .###. .###. ..#.. .###. .###.
"""


def drawn(count, rng):
    """Digits of the font at a random place in 8 x 8 pixels, fainter or stronger, with noise; and which they are."""
    rows = [line.split() for line in FONT.split("\n") if line]
    shapes = np.array([[[c == "#" for c in row[k]] for row in rows] for k in range(10)], float)
    labels = rng.integers(0, 10, count)
    images = rng.normal(0, 0.15, (count, 8, 8))
    for image, label in zip(images, labels, strict=True):
        top, left = rng.integers(0, 2), rng.integers(0, 4)
        image[top : top + 7, left : left + 5] += shapes[label] * rng.uniform(0.6, 1.0)
    return images.reshape(count, 64), labels


def digits():
    """Images of 64 numbers, labels, and where they come from."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        return *drawn(3000, np.random.default_rng(1)), "drawn from a font"
    found = load_digits()
    order = np.random.default_rng(1).permutation(len(found.target))
    return found.data[order] / 16, found.target[order], "of scikit-learn"


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
