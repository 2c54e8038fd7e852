"""Find the only number of a sequence that occurs twice: a bidirectional LSTM reads each sequence in both directions.

quern run examples/keras_bidirectional_lstm.py [--epochs 10]
"""

import argparse

import keras
import numpy as np
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=10)
args = parser.parse_args()

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
count, length, kinds = 6000, 8, 12

x = np.array([rng.permutation(kinds)[:length] for _ in range(count)], "int32")
first, second = rng.integers(0, length, count), rng.integers(1, length, count)
places = np.stack([first, (first + second) % length], 1)
rows = np.arange(count)
x[rows, places[:, 1]] = x[rows, places[:, 0]]
y = x[rows, places[:, 0]]
split = count * 5 // 6

model = keras.Sequential(
    [
        keras.Input((length,), dtype="int32"),
        layers.Embedding(kinds, 16),
        layers.Bidirectional(layers.LSTM(64, return_sequences=True)),
        layers.GlobalMaxPooling1D(),
        layers.Dense(kinds),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(4e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(x[:split], y[:split], batch_size=100, epochs=args.epochs, validation_split=0.1)

loss, right = model.evaluate(x[split:], y[split:], verbose=0)
print(f"{right:.1%} of {count - split} sequences that it had not seen are right, on the backend {keras.backend.backend()}")
assert right >= 0.9
