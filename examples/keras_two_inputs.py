"""A functional Keras model with two inputs and two outputs: prices of houses from their figures and their district.

quern run examples/keras_two_inputs.py [--epochs 40]
"""

import argparse

import keras
import numpy as np
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=40)
args = parser.parse_args()

# Made-up houses: area, rooms and age, each around 0, and one of 12 districts that have a level of their own.
rng = np.random.default_rng(0)
count, districts = 4000, 12
figures = rng.normal(size=(count, 3)).astype("float32")
district = rng.integers(0, districts, (count, 1))
level = rng.normal(0, 0.7, districts)
price = 2 + 0.8 * figures[:, 0] + 0.3 * figures[:, 1] - 0.4 * np.maximum(figures[:, 2], 0) + level[district[:, 0]]
price = (price + rng.normal(0, 0.1, count)).astype("float32")
is_sold = (rng.random(count) < 1 / (1 + np.exp(3 * (price - 2)))).astype("float32")  # the cheap ones go

keras.utils.set_random_seed(0)
numbers = keras.Input((3,), name="figures")
place = keras.Input((1,), dtype="int32", name="district")
known = layers.Flatten()(layers.Embedding(districts, 4)(place))
hidden = layers.Concatenate()([layers.LayerNormalization()(layers.Dense(32, activation="gelu")(numbers)), known])
hidden = layers.Dense(32, activation="relu")(hidden)
outputs = {"price": layers.Dense(1, name="price")(hidden), "sold": layers.Dense(1, activation="sigmoid", name="sold")(hidden)}
model = keras.Model([numbers, place], outputs)
model.summary()

rate = keras.optimizers.schedules.CosineDecay(5e-3, args.epochs * 50)
model.compile(
    optimizer=keras.optimizers.AdamW(rate),
    loss={"price": "mse", "sold": "binary_crossentropy"},
    loss_weights={"price": 1.0, "sold": 0.3},
    metrics={"price": ["mae"], "sold": ["accuracy"]},
)
data = {"figures": figures, "district": district}
targets = {"price": price, "sold": is_sold}
model.fit(
    data,
    targets,
    batch_size=64,
    epochs=args.epochs,
    validation_split=0.2,
    callbacks=[keras.callbacks.EarlyStopping(patience=10, restore_best_weights=True)],
    verbose=2,
)
found = model.predict({name: x[-800:] for name, x in data.items()}, verbose=0)
error = float(np.abs(found["price"][:, 0] - price[-800:]).mean())
print(f"prices are {error:.3f} off, of which the noise is {0.1 * np.sqrt(2 / np.pi):.3f}; on the backend {keras.backend.backend()}")
assert error < 0.15
