"""Classify handwritten digits with a Keras model: those of scikit-learn, or, without it, digits drawn from a small font.

quern run examples/keras_digits.py [--epochs 30]
"""

import argparse

import keras
import numpy as np
from keras import layers

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
parser.add_argument("--epochs", type=int, default=30)
args = parser.parse_args()

keras.utils.set_random_seed(0)
images, labels, source = digits()
x, y = images.astype("float32"), labels.astype("int32")
split = len(x) * 4 // 5

model = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(128, activation="relu"),
        layers.BatchNormalization(),
        layers.Dropout(0.2),
        layers.Dense(10),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(2e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(x[:split], y[:split], batch_size=64, epochs=args.epochs, validation_split=0.1)

loss, right = model.evaluate(x[split:], y[split:], verbose=0)
print(f"{right:.1%} of {len(x) - split} digits {source} that it had not seen are right, on the backend {keras.backend.backend()}")
assert right >= 0.97
