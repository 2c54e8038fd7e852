"""A policy that learns to balance a pole on a cart, by the policy gradient (REINFORCE) with a mean return as its baseline.

The cart-pole is NumPy's: many carts are driven at once, so that the network sees a batch in each step.

    quern run examples/torch_policy_gradient.py [--rounds 40]
"""

import argparse
import math

import numpy as np
import torch
from torch import nn

CARTS, STEPS = 32, 120


def started(rng):
    """Carts near the middle, poles almost upright: position, speed, angle, its speed."""
    return rng.uniform(-0.05, 0.05, (CARTS, 4))


def moved(state, push):
    """The state after 0.02 s with a force of 10 to the left (0) or right (1)."""
    x, v, angle, turn = state.T
    force = np.where(push == 1, 10.0, -10.0)
    sin, cos = np.sin(angle), np.cos(angle)
    rest = (force + 0.05 * turn**2 * sin) / 1.1
    turning = (9.8 * sin - cos * rest) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
    pushing = rest - 0.05 * turning * cos / 1.1
    return np.stack([x + 0.02 * v, v + 0.02 * pushing, angle + 0.02 * turn, turn + 0.02 * turning], 1)


def stands(state):
    """Which carts are on the track with their poles up."""
    return (np.abs(state[:, 0]) < 2.4) & (np.abs(state[:, 2]) < math.radians(12))


parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=40)
args = parser.parse_args()

rng = np.random.default_rng(0)
torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2)).to(device)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)

means = []
for _ in range(args.rounds):
    state, alive = started(rng), np.ones(CARTS, bool)
    states, pushes, lives = [], [], []
    for _ in range(STEPS):
        with torch.no_grad():
            p = torch.softmax(policy(torch.tensor(state, dtype=torch.float32, device=device)), 1)[:, 1].cpu().numpy()
        push = (rng.random(CARTS) < p).astype(int)
        states.append(state)
        pushes.append(push)
        lives.append(alive)
        state = np.where(alive[:, None], moved(state, push), state)
        alive = alive & stands(state)
    lives = np.array(lives, float)
    to_come = lives[::-1].cumsum(0)[::-1]  # how long each still stands
    counted = lives > 0
    worth = np.where(counted, to_come - to_come.sum(1, keepdims=True) / np.maximum(lives.sum(1, keepdims=True), 1), 0)
    worth /= worth[counted].std() + 1e-6

    # All steps of all carts, also of those that fell, which count nothing: the shapes stay the same.
    seen = torch.tensor(np.concatenate(states), dtype=torch.float32, device=device)
    taken = torch.tensor(np.concatenate(pushes), device=device)
    log_p = torch.log_softmax(policy(seen), 1).gather(1, taken[:, None])[:, 0]
    weights = torch.tensor(worth.reshape(-1), dtype=torch.float32, device=device)
    loss = -(log_p * weights).sum() / counted.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    means.append(lives.sum(0).mean())

first, last = np.mean(means[:3]), np.mean(means[-5:])
print(f"computed on {device}")
print(f"the poles stood {first:.0f} of {STEPS} steps at first and {last:.0f} at last")
assert last > 80 and last > 2 * first
