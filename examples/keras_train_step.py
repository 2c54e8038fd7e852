"""A Keras model with its own train_step: two networks that play against each other learn to draw points on a ring.

The gradients come from quern's tape: `quern.autograd.gradients(loss, arrays)`. quern run examples/keras_train_step.py [--epochs 60]
"""

import argparse

import keras
import numpy as np
from keras import layers, ops
from quern.autograd import gradients, no_grad

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=60)
args = parser.parse_args()


class Rings(keras.Model):
    """A network that makes points from noise, and one that distinguishes them from those of the data."""

    def __init__(self, noise=8):
        super().__init__()
        self.noise = noise
        self.maker = keras.Sequential([keras.Input((noise,)), layers.Dense(64, "relu"), layers.Dense(64, "relu"), layers.Dense(2)])
        self.judge = keras.Sequential([keras.Input((2,)), layers.Dense(64, "leaky_relu"), layers.Dense(64, "leaky_relu"), layers.Dense(1)])
        self.seeds = keras.random.SeedGenerator(1)
        self.of_maker, self.of_judge = keras.metrics.Mean("maker"), keras.metrics.Mean("judge")
        self.built = True

    def compile(self, maker, judge):
        super().compile()
        self.maker_optimizer, self.judge_optimizer = maker, judge

    def made(self, count):
        return self.maker(keras.random.normal((count, self.noise), seed=self.seeds))

    def step(self, loss, network, optimizer):
        weights = network.trainable_variables
        slopes = gradients(loss, [w.value for w in weights])
        with no_grad():
            optimizer.apply(slopes, weights)

    def train_step(self, real):
        count = real.shape[0]
        # Least squares: the judge says 1 for points of the data and 0 for others, the maker wants to hear 1.
        wrong = ops.mean((self.judge(real) - 1) ** 2) + ops.mean(self.judge(ops.stop_gradient(self.made(count))) ** 2)
        self.step(wrong, self.judge, self.judge_optimizer)
        unconvinced = ops.mean((self.judge(self.made(count)) - 1) ** 2)
        self.step(unconvinced, self.maker, self.maker_optimizer)
        with no_grad():
            self.of_judge.update_state(wrong)
            self.of_maker.update_state(unconvinced)
            return {"judge": self.of_judge.result(), "maker": self.of_maker.result()}

    @property
    def metrics(self):
        return [self.of_judge, self.of_maker]


keras.utils.set_random_seed(0)
angle = np.random.uniform(0, 2 * np.pi, 4096)
points = (np.stack([np.cos(angle), np.sin(angle)], 1) + np.random.normal(0, 0.03, (4096, 2))).astype("float32")
model = Rings()
model.compile(keras.optimizers.Adam(1e-3, beta_1=0.5), keras.optimizers.Adam(1e-3, beta_1=0.5))
model.fit(points, batch_size=128, epochs=args.epochs, verbose=2)

with no_grad():
    made = ops.convert_to_numpy(model.made(1000))
radius = np.hypot(*made.T)
quarters = np.bincount(((np.arctan2(made[:, 1], made[:, 0]) + np.pi) // (np.pi / 2)).astype(int).clip(0, 3), minlength=4)
print(f"the points are {radius.mean():.2f} +- {radius.std():.2f} from the middle, {quarters} of them in each quarter")
assert 0.8 < radius.mean() < 1.2 and radius.std() < 0.35
