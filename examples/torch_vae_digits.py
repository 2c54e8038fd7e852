"""A variational autoencoder of scikit-learn's digits (8 x 8 pixels), and a picture of digits that it makes up.

quern run examples/torch_vae_digits.py [--epochs 60] [--out vae_digits.png]
"""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=60, help="passes over the data")
parser.add_argument("--out", default="vae_digits.png", help="the picture")
args = parser.parse_args()


def load():
    """1797 digits as rows of 64 numbers in [0, 1]; without scikit-learn, bars at random places."""
    try:
        from sklearn.datasets import load_digits

        return load_digits().data.astype(np.float32) / 16
    except ImportError:
        random = np.random.default_rng(0)
        pictures = np.zeros((1797, 8, 8), np.float32)
        for picture in pictures:
            row, column = random.integers(0, 7, 2)
            picture[row : row + 2] = 1
            picture[:, column : column + 2] = 1
        return pictures.reshape(-1, 64)


class Model(nn.Module):
    """Two networks: from a picture to a normal distribution of codes, and from a code to a picture."""

    def __init__(self, codes=8, hidden=128):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, 2 * codes))
        self.decoder = nn.Sequential(nn.Linear(codes, hidden), nn.ReLU(), nn.Linear(hidden, 64))
        self.codes = codes

    def posterior(self, x):
        mean, scale = self.encoder(x).chunk(2, -1)
        return Independent(Normal(mean, nn.functional.softplus(scale) + 1e-4), 1)

    def pictures(self, code):
        return Independent(Bernoulli(logits=self.decoder(code), validate_args=False), 1)  # pixels are between 0 and 1


torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
data = torch.tensor(load(), device=device)
train, test = data[:1500], data[1500:]
model = Model().to(device)
prior = Independent(Normal(torch.zeros(model.codes, device=device), 1.0), 1)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)


def bound(x):
    """Minus the lower bound of the log-probability of pictures, and its part for the codes."""
    posterior = model.posterior(x)
    rate = kl_divergence(posterior, prior)
    return (rate - model.pictures(posterior.rsample()).log_prob(x)).mean(), rate.mean()


began, first = time.perf_counter(), None
for epoch in range(1, args.epochs + 1):
    for rows in torch.randperm(len(train), device=device).split(100):
        loss, _ = bound(train[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        held_out, rate = (value.item() for value in bound(test))
    first = held_out if first is None else first
    filled = 30 * epoch // args.epochs
    print(
        f"\r[{'#' * filled}{'.' * (30 - filled)}] epoch {epoch}/{args.epochs}: {held_out:.2f} nats for a picture, {rate:.2f} of them"
        f" for its code, {time.perf_counter() - began:.0f} s",
        end="",
        flush=True,
    )

model.eval()
with torch.no_grad():
    made = model.pictures(prior.sample((80,))).mean
    again = model.pictures(model.posterior(test[:16]).mean).mean
grid = torch.cat([test[:16], again, made]).reshape(7, 16, 8, 8)
picture = nn.functional.pad(grid, (1, 1, 1, 1), value=0.5).permute(0, 2, 1, 3).reshape(70, 160).cpu().numpy()
try:
    import matplotlib.image

    matplotlib.image.imsave(args.out, np.kron(picture, np.ones((4, 4))), cmap="gray", vmin=0, vmax=1)
    print(f"\nwrote {args.out}: digits, what became of them, and 80 that the model made up")
except ImportError:
    print("\nno picture: matplotlib is not here")
print(f"computed on {device}: {first:.2f} nats for a picture after the first epoch, {held_out:.2f} at the end")
error = ((again - test[:16]) ** 2).mean().item()
spread = test[:16].var().item()
print(f"the pictures' mean squared error is {error:.4f}, their variance {spread:.4f}")
assert held_out < first and rate > 1
assert error < (0.6 if args.epochs < 30 else 0.35) * spread, (error, spread)
