"""An autoencoder in Keras: pictures of 64 pixels through 8 numbers and back, and without noise; a grid of them is shown in a PNG.

quern run examples/keras_autoencoder.py [--epochs 60] [--out keras_autoencoder.png]
"""

import argparse

import keras
import numpy as np
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=60)
parser.add_argument("--out", default="keras_autoencoder.png")
args = parser.parse_args()


def pictures(count, rng):
    """Bars, rings and crosses in 8 x 8 pixels, at random places."""
    y, x = np.mgrid[0:8, 0:8]
    made = np.empty((count, 8, 8))
    for i in range(count):
        a, b = rng.uniform(2, 5, 2)
        kind = i % 3
        if kind == 0:
            turn = rng.uniform(0, np.pi)
            made[i] = np.exp(-(((x - a) * np.sin(turn) - (y - b) * np.cos(turn)) ** 2))
        elif kind == 1:
            made[i] = np.exp(-((np.hypot(x - a, y - b) - rng.uniform(1.5, 2.5)) ** 2) * 3)
        else:
            made[i] = np.maximum(np.exp(-((x - a) ** 2) * 2), np.exp(-((y - b) ** 2) * 2))
    return made.reshape(count, 64).astype("float32")


keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x = pictures(3000, rng)
split = 2700

encoder = keras.Sequential(
    [keras.Input((64,)), layers.GaussianNoise(0.15), layers.Dense(128, "relu"), layers.Dense(64, "relu"), layers.Dense(8)]
)
decoder = keras.Sequential([keras.Input((8,)), layers.Dense(64, "relu"), layers.Dense(128, "relu"), layers.Dense(64, "sigmoid")])
model = keras.Sequential([encoder, decoder])
model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(2e-3, args.epochs * 43)), "mse")
model.fit(x[:split], x[:split], batch_size=64, epochs=args.epochs, validation_data=(x[split:], x[split:]), verbose=2)

shown = x[split : split + 12]
noisy = np.clip(shown + rng.normal(0, 0.15, shown.shape), 0, 1).astype("float32")
back = model.predict(noisy, verbose=0)
error = float(np.sqrt(np.mean((model.predict(x[split:], verbose=0) - x[split:]) ** 2)))
try:
    from matplotlib import image

    rows = [np.pad(row.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)), constant_values=0.5) for row in (shown, noisy, back)]
    grid = np.concatenate([np.concatenate(list(row), 1) for row in rows], 0)
    image.imsave(args.out, np.kron(grid, np.ones((6, 6))), cmap="gray", vmin=0, vmax=1)
    print(f"{args.out}: pictures, the same with noise, and what became of them")
except ImportError:
    print("without matplotlib no picture is written")
print(f"pictures that it had not seen come back {error:.3f} off, of values up to 1; on the backend {keras.backend.backend()}")
assert error < 0.15
