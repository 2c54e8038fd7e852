"""Classify handwritten digits with a convolutional Keras model: those of scikit-learn, or, without it, digits drawn from a small font.

quern run examples/keras_convnet.py [--epochs 15]
"""

import argparse

import keras
from digits import digits
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=15)
args = parser.parse_args()

keras.utils.set_random_seed(0)
images, labels, source = digits()
x, y = images.astype("float32").reshape(-1, 8, 8, 1), labels.astype("int32")
split = len(x) * 4 // 5

model = keras.Sequential(
    [
        keras.Input((8, 8, 1)),
        layers.Conv2D(32, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(64, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(0.3),
        layers.Dense(10),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(3e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(x[:split], y[:split], batch_size=64, epochs=args.epochs, validation_split=0.1)

loss, right = model.evaluate(x[split:], y[split:], verbose=0)
print(f"{right:.1%} of {len(x) - split} digits {source} that it had not seen are right, on the backend {keras.backend.backend()}")
assert right >= 0.98
