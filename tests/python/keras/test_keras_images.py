"""Images on quern's Keras backend: values by formulas of what Keras's documentation says, shapes, types and errors."""

import colorsys
import functools
import itertools
import sys

import numpy as np
import pytest
from keras_oracle import answers, needs_keras

needs_keras()

SIZES = {(4, 6, 3): "channels_last", (2, 4, 6, 3): "channels_last", (3, 4, 6): "channels_first", (2, 3, 4, 6): "channels_first"}


# What texts begin with: numbers in [0, 1), or in 0 ... 255.
IMAGE = """
import numpy as np
def image(shape, dtype="float32"):
    made = np.random.default_rng(3).uniform(0, 1, shape)
    return (made * 256).astype("uint8") if dtype == "uint8" else made.astype(dtype)
"""
_names = {}
exec(IMAGE, _names)
image = _names["image"]


@functools.cache
def everything(kind):
    """The values of all calls of this file, as arrays with the names of their types; in place of what raised an error the error's words."""
    calls = [case[0] for make in (colours, sizes, aspect_ratios, scales_and_translations) for case in make()]
    calls += [HOMOGRAPHY, *ERRORS]
    out = {}
    for call, got in zip(calls, answers([IMAGE + call for call in calls], "quern", sys.executable, kind), strict=True):
        if got[0] == "array":
            _, dtype, shape, data = got
            flat = np.frombuffer(data, "uint16" if dtype == "bfloat16" else dtype).reshape(shape)
            got = (flat.astype("uint32") << 16).view("float32") if dtype == "bfloat16" else flat, dtype
        out[call] = got
    return out


@pytest.mark.parametrize("make", ["colours", "sizes", "aspect_ratios", "scales_and_translations"])
def test_values(device, make):
    wrong = []
    for call, want, dtype, close in globals()[make]():
        got = everything(device.kind)[call]
        if not isinstance(got[0], np.ndarray) or got[1] != dtype or got[0].shape != want.shape:
            wrong.append(f"{call}: {(got[1], got[0].shape) if isinstance(got[0], np.ndarray) else got}, not {dtype}{want.shape}")
        elif not np.allclose(got[0], want, rtol=close if close < 0.5 else 0, atol=close):
            wrong.append(f"{call}: up to {np.abs(got[0].astype('float64') - want).max()} off")
    assert not wrong, "\n".join(wrong)


# ---- colours


def by_pixels(function, images, data_format):
    """A function of each pixel's three numbers."""
    axis = -1 if data_format == "channels_last" else -3
    return np.apply_along_axis(lambda pixel: np.array(function(*pixel)), axis, images.astype("float64"))


def colours():
    cases = []
    for shape, form in SIZES.items():
        at = f'data_format="{form}"'
        x = image(shape)
        gray = by_pixels(lambda r, g, b: [0.2989 * r + 0.587 * g + 0.114 * b], x, form)
        cases += [
            (f"ops.image.rgb_to_grayscale(image({shape}), {at})", gray, "float32", 1e-6),
            (f"ops.image.rgb_to_hsv(image({shape}), {at})", by_pixels(colorsys.rgb_to_hsv, x, form), "float32", 1e-5),
            (f"ops.image.hsv_to_rgb(image({shape}), {at})", by_pixels(colorsys.hsv_to_rgb, x, form), "float32", 1e-5),
        ]
    for dtype, close in (("float16", 2e-3), ("bfloat16", 2e-2), ("float64", 1e-6)):
        x = f'ops.cast(image((4, 6, 3)), "{dtype}")'
        as_it_is = image((4, 6, 3))
        gray = as_it_is @ np.array([0.2989, 0.587, 0.114])
        cases += [
            (f"ops.image.rgb_to_grayscale({x})", gray[..., None], dtype, close),
            (f"ops.image.hsv_to_rgb({x})[..., 0]", by_pixels(colorsys.hsv_to_rgb, as_it_is, "channels_last")[..., 0], dtype, 5 * close),
            (f"ops.image.rgb_to_hsv({x})[..., 1:]", by_pixels(colorsys.rgb_to_hsv, as_it_is, "channels_last")[..., 1:], dtype, 5 * close),
        ]
    whole = image((4, 6, 3), "uint8")
    gray = np.floor(whole @ np.array([0.2989, 0.587, 0.114]) + 1e-5)[..., None]
    cases.append(('ops.image.rgb_to_grayscale(image((4, 6, 3), "uint8"))', gray, "uint8", 0))
    cases.append(("ops.image.rgb_to_grayscale(image((4, 6, 1)))", image((4, 6, 1)), "float32", 0))
    edges = np.array([[[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0.2]]])
    want = by_pixels(colorsys.rgb_to_hsv, edges, "channels_last")
    cases.append((f"ops.image.rgb_to_hsv(np.array({edges.tolist()}, 'float32'))", want, "float32", 1e-6))
    return cases


# ---- sizes

KERNELS = {
    "bilinear": lambda t: np.maximum(0, 1 - t),
    "bicubic": lambda t: np.where(t < 1, 1.5 * t**3 - 2.5 * t**2 + 1, np.where(t < 2, -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2, 0)),
    "lanczos3": lambda t: np.where(t <= 3, np.sinc(t) * np.sinc(t / 3), 0),
    "lanczos5": lambda t: np.where(t <= 5, np.sinc(t) * np.sinc(t / 5), 0),
}


def along(x, axis, size, method, antialias=False, scale=None, translation=0.0):
    """Samples at (i + 1/2 - translation) / scale - 1/2 along an axis, each a mean of elements weighted by their distance."""
    count = x.shape[axis]
    scale = size / count if scale is None else scale
    if method == "nearest":
        return np.take(x, [int(np.floor((i + 0.5) / scale)) for i in range(size)], axis=axis)
    out = []
    for i in range(size):
        place = (i + 0.5 - translation) / scale - 0.5
        weights = KERNELS[method](np.abs(place - np.arange(count)) / (max(1 / scale, 1) if antialias else 1))
        weights = weights / weights.sum() if -0.5 <= place <= count - 0.5 else weights * 0
        out.append(np.tensordot(weights, x.astype("float64"), axes=(0, axis)))
    return np.stack(out, axis=axis)


def resized(x, size, method, form, antialias=False):
    axes = (-3, -2) if form == "channels_last" else (-2, -1)
    for axis, n in zip(axes, size, strict=True):
        if x.shape[axis] != n:
            x = along(x, axis % x.ndim, n, method, antialias)
    return x


def sizes():
    cases = []
    for (shape, form), method, size in itertools.product(SIZES.items(), (*KERNELS, "nearest"), ((7, 9), (2, 3), (4, 8))):
        for antialias in (False, True) if size == (2, 3) and method != "nearest" else (False,):
            call = f'ops.image.resize(image({shape}), {size}, interpolation="{method}", antialias={antialias}, data_format="{form}")'
            cases.append((call, resized(image(shape), size, method, form, antialias), "float32", 1e-5))
    cases.append(("ops.image.resize(image((4, 6, 3)), (4, 6))", image((4, 6, 3)), "float32", 0))
    want = resized(image((4, 6, 3)), (5, 5), "bilinear", "channels_last")
    cases.append(("ops.image.resize(ops.convert_to_tensor(image((4, 6, 3))), (5, 5))", want, "float32", 1e-5))
    cases.append(("ops.image.resize(keras.Variable(image((4, 6, 3))), (5, 5))", want, "float32", 1e-5))
    for dtype, close in (("float16", 4e-3), ("bfloat16", 3e-2), ("float64", 1e-6)):
        want = resized(image((4, 6, 3)), (5, 9), "bilinear", "channels_last")
        cases.append((f'ops.image.resize(ops.cast(image((4, 6, 3)), "{dtype}"), (5, 9))', want, dtype, close))
    for method in ("bilinear", "bicubic", "nearest"):
        x = image((4, 6, 3), "uint8")
        want = resized(x, (7, 9), method, "channels_last")
        want = np.clip(want, x.min(), x.max())
        cases.append((f'ops.image.resize(image((4, 6, 3), "uint8"), (7, 9), interpolation="{method}")', want, "uint8", 0.5001))
    return cases


def aspect_ratios():
    cases = []
    for (shape, form), dtype in itertools.product(SIZES.items(), ("float32", "uint8", "float16")):
        x = image(shape, dtype)
        rows, columns = (-3, -2) if form == "channels_last" else (-2, -1)
        begin = f'ops.image.resize(image({shape}, "{dtype}"), '
        end = f', interpolation="nearest", data_format="{form}"'
        for size in ((4, 4), (4, 8)):  # of 4 rows and 6 columns: too wide, too narrow
            # the largest part of this ratio around the middle
            part = x.take(range(1, 5), columns) if size == (4, 4) else x.take(range(3), rows)
            cases.append((f"{begin}{size}, crop_to_aspect_ratio=True{end})", resized(part, size, "nearest", form), dtype, 0))
            # as much as is missing for it on both sides, of one value
            missing = [(0, 0)] * x.ndim
            missing[rows if size == (4, 4) else columns] = (1, 1)
            for value in (0, 3):
                want = resized(np.pad(x, missing, constant_values=value), size, "nearest", form)
                cases.append((f"{begin}{size}, pad_to_aspect_ratio=True, fill_value={value}{end})", want, dtype, 0))
    return cases


def scales_and_translations():
    cases, x = [], image((4, 6, 3))
    for method in ("linear", "bilinear", "cubic", "lanczos3", "lanczos5"):
        kernel = {"linear": "bilinear", "cubic": "bicubic"}.get(method, method)
        for antialias, scale, shift in itertools.product((True, False), ((1.5, 0.7), (2.0, 1.0)), ((0.0, 0.0), (0.6, -1.2))):
            want = along(x, 0, 5, kernel, antialias, scale[0], shift[0])
            want = along(want, 1, 7, kernel, antialias, scale[1], shift[1])
            of = f'np.array({scale}, "float32"), np.array({shift}, "float32")'
            call = f'ops.image.scale_and_translate(image((4, 6, 3)), (5, 7, 3), {of}, (0, 1), "{method}", {antialias})'
            cases.append((call, want, "float32", 2e-5))
    return cases


# ---- the rest

START = np.array([[[0, 0], [0, 3], [4, 0], [4, 3]], [[1, 1], [1, 5], [6, 1], [7, 6]]], "float32")
END = START + np.array([[0.5, 0.2], [-0.3, 0.4], [0.1, 0.6], [0.2, -0.7]], "float32")
HOMOGRAPHY = f"""from keras.src import backend
backend.image.compute_homography_matrix(np.array({START.tolist()}, 'float32'), np.array({END.tolist()}, 'float32'))"""


def test_homographies(device):
    got, dtype = everything(device.kind)[HOMOGRAPHY]
    assert (got.shape, dtype) == ((2, 8), "float32")
    # what it gives takes each end to its start
    matrix = np.concatenate([got, np.ones((2, 1))], axis=1).reshape(2, 3, 3)
    places = np.einsum("bij,bkj->bki", matrix, np.concatenate([END, np.ones((2, 4, 1))], axis=-1))
    np.testing.assert_allclose(places[..., :2] / places[..., 2:], START, atol=2e-4)


ERRORS = {
    "ops.image.rgb_to_grayscale(image((4, 3)))": "rank",
    "ops.image.rgb_to_hsv(image((4, 3)))": "rank",
    "ops.image.hsv_to_rgb(image((1, 1, 4, 4, 3)))": "rank",
    "ops.image.resize(image((4, 3)), (2, 2))": "rank",
    "ops.image.rgb_to_grayscale(image((4, 4, 2)))": "channel",
    'ops.image.rgb_to_hsv(image((4, 4, 3), "uint8"))': "dtype",
    'ops.image.hsv_to_rgb(image((4, 4, 3), "uint8"))': "dtype",
    'ops.image.resize(image((4, 4, 3)), (2, 2), interpolation="area")': "interpolation",
    'ops.image.resize(image((4, 4, 3)), (2, 2), fill_mode="wrap", pad_to_aspect_ratio=True)': "fill_mode",
    "ops.image.resize(image((4, 4, 3)), (2, 2), crop_to_aspect_ratio=True, pad_to_aspect_ratio=True)": "Only one",
    "ops.image.resize(image((4, 4, 3)), (2, 2, 2))": "size",
    'ops.image.scale_and_translate(image((4, 4, 3)), (2, 2, 3), np.ones(2), np.zeros(2), (0, 1), "area")': "method",
}


def test_errors(device):
    for call, words in ERRORS.items():
        got = everything(device.kind)[call]
        assert got[:2] == ("raised", "ValueError"), (call, got)
        assert words in got[2]
