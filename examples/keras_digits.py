"""Classify handwritten digits with a Keras model: those of scikit-learn, or, without it, digits drawn from a small font.

quern run examples/keras_digits.py [--epochs 30]
"""

import argparse

import keras
from digits import digits
from keras import layers

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
