"""Images resampled at places between their elements, blurred and moved, on quern's Keras backend; Keras on JAX is the oracle."""

import pathlib

import pytest
from arrays import cases
from keras_oracle import compare_all, needs_keras

needs_keras()

HERE = pathlib.Path(__file__).stem
VALUES = """ops.image.map_coordinates(data(4, 5), data(2, 3, 4, low=-3.0, high=8.0), ORDER, "FILL", 0.5) | ops.image.map_coordinates(data(6), data(1, 9, low=-9.0, high=14.0), ORDER, "FILL")
ops.image.map_coordinates(data(1, 3), data(2, 7, low=-3.0, high=3.0), ORDER, "FILL") if "FILL" != "mirror" else 0 | ops.image.map_coordinates(ops.cast(data(4, 5) * 90, "int32"), data(2, 7, low=-1.0, high=5.0), ORDER, "FILL")
ops.image.affine_transform(data(2, 4, 5, 3), data(2, 8) * np.array([1, 1, 3, 1, 1, 3, 0, 0], "float32"), ["nearest", "bilinear"][ORDER], "FILL", 0.25, data_format="channels_last")
ops.image.affine_transform(data(3, 4, 5), data(8) * np.array([1, 1, 3, 1, 1, 3, 0, 0], "float32"), ["nearest", "bilinear"][ORDER], "FILL", data_format="channels_first")"""
OTHERS = """ops.image.gaussian_blur(data(2, 6, 7, 3), data_format="channels_last") | ops.image.gaussian_blur(data(6, 7, 3), (5, 3), (0.7, 2.0), data_format="channels_last") | ops.image.gaussian_blur(data(2, 3, 6, 7), (4, 7), (0.7, 2.0), data_format="channels_first")
ops.image.gaussian_blur(data(3, 3, 2), (9, 9), (3.0, 3.0), data_format="channels_last") | ops.image.sobel_edges(data(2, 5, 6, 3), data_format="channels_last") | ops.image.sobel_edges(data(2, 3, 5, 6), data_format="channels_first")
ops.image.perspective_transform(data(1, 5, 6, 3), P + np.float32(0.1), P * np.float32(0.9), data_format="channels_last") | ops.image.perspective_transform(data(3, 5, 6), P, P * np.float32(0.8) + np.float32(0.1), "nearest", 0.5, data_format="channels_first")
ops.image.perspective_transform(data(2, 5, 6, 3), np.stack([P, P + np.float32(0.1)]), np.stack([P, P * np.float32(0.9)]), fill_value=2.0) | ops.image.resize(data(2, 5, 6, 3), (9, 4), "bilinear", data_format="channels_last")
ops.image.resize(data(2, 5, 6, 3), (9, 4), "bicubic", antialias=True) | ops.image.resize(data(2, 3, 50, 6), (9, 4), "lanczos3", antialias=True, data_format="channels_first") | ops.image.resize(data(5, 6, 3), (2, 13), "lanczos5")
ops.image.resize(data(2, 5, 6, 3), (9, 4), "nearest") | ops.image.resize(data(2, 5, 6, 3), (7, 4), crop_to_aspect_ratio=True) | ops.image.resize(data(2, 5, 6, 3), (7, 4), pad_to_aspect_ratio=True, fill_value=0.5)
ops.image.resize(ops.cast(data(5, 6, 3), "float16"), (9, 4))
ops.image.elastic_transform(data(2, 5, 6, 3), seed=3).shape | ops.image.elastic_transform(data(3, 5, 6), data_format="channels_first", seed=3).shape | ops.image.elastic_transform(data(5, 6, 3), alpha=0.0, seed=3)"""
GRADIENTS = """grads(lambda x, p: ops.image.map_coordinates(x, p, 1, "reflect") ** 2, data(4, 5), data(2, 6, low=-3.0, high=8.0)) | grads(lambda x: ops.image.gaussian_blur(x, data_format="channels_last") ** 2, data(1, 4, 5, 2))
grads(lambda x, t: ops.image.affine_transform(x, ops.concatenate([t, np.zeros(2, "float32")])) ** 2, data(1, 4, 5, 2), np.array([1.1, 0.2, 0.3, 0.1, 0.9, 0.4], "float32")) | grads(lambda x: ops.image.resize(x, (7, 3)) ** 2, data(1, 4, 5, 2))"""
ERRORS = """ops.image.map_coordinates(data(4, 5), data(3, 2), 1) | ops.image.map_coordinates(data(4), data(1), 1) | ops.image.map_coordinates(data(4), data(1, 2), 2) | ops.image.map_coordinates(data(4), data(1, 2), 1, "no")
ops.image.affine_transform(data(4, 5), data(8)) | ops.image.affine_transform(data(4, 5, 3), data(8), "cubic") | ops.image.affine_transform(data(4, 5, 3), data(8), fill_mode="no") | ops.image.gaussian_blur(data(4, 5))
ops.image.perspective_transform(data(4, 5), data(4, 2), data(4, 2)) | ops.image.perspective_transform(data(4, 5, 3), data(4, 3), data(4, 2)) | ops.image.elastic_transform(data(4, 5)) | ops.image.elastic_transform(data(4, 5, 3), interpolation="no")"""


@pytest.mark.parametrize("fill", ["constant", "nearest", "wrap", "mirror", "reflect"])
@pytest.mark.parametrize("order", [0, 1])
def test_places(device, fill, order):
    compare_all([one.replace("ORDER", str(order)).replace("FILL", fill) for one in cases(VALUES)], HERE, device.kind, 1e-4, 2e-5)


def test_others(device):
    head = 'P = np.array([[0, 0], [0, 4], [5, 0], [5, 4]], "float32")\n'
    compare_all([head + one for one in cases(OTHERS)], HERE, device.kind, 1e-3, 1e-4)


def test_gradients(device):
    compare_all(cases(GRADIENTS), HERE, device.kind, 1e-4, 1e-4)


def test_errors(device):
    compare_all([f"raises(lambda: {one})[0]" for one in cases(ERRORS)], HERE, device.kind)
