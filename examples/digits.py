"""Handwritten digits for the other examples: those of scikit-learn, or, without it, digits drawn from a small font."""

import numpy as np

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


if __name__ == "__main__":
    images, labels, source = digits()
    print(f"{len(labels)} digits {source}, of {images.shape[1]} numbers each")
