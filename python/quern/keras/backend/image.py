"""keras.ops.image: faces of the engine's table (bindings/faces/images.pyi), and what arrays are composed of by Keras's formulas.

What is not defined here comes from the text of Keras's own backend on NumPy (_borrowed.py).
"""

from keras.src.backend.config import standardize_data_format as _format_of

import quern as _qn
from quern.keras.backend import _borrowed, nn, recording
from quern.keras.backend import random as _random
from quern.keras.backend.core import convert_to_tensor
from quern.lib import _engine

_borrowed.names_of("image", globals())

_faces = _engine.add_functions(__name__, "keras", "image")
_ORDERS = {"nearest": 0, "bilinear": 1}


def _plain(numbers):
    """Numbers of the host: a pair of tensors, or one tensor of two, is read."""
    if hasattr(numbers, "shape"):
        numbers = convert_to_tensor(numbers).tolist()
    return tuple(float(one) for one in numbers) if isinstance(numbers, (tuple, list)) else (float(numbers),) * 2


def gaussian_blur(images, kernel_size=(3, 3), sigma=(1.0, 1.0), data_format=None):
    """Images convolved with a bell curve."""
    return _faces["gaussian_blur"](convert_to_tensor(images), kernel_size, _plain(sigma), _format_of(data_format))


def perspective_transform(images, start_points, end_points, interpolation="bilinear", fill_value=0, data_format=None):
    """Images in which the four end points show what was at the start points."""
    images = convert_to_tensor(images)
    points = [convert_to_tensor(one, dtype="float32") for one in (start_points, end_points)]
    for name, one in zip(("start_points", "end_points"), points, strict=True):
        if tuple(one.shape[-2:]) != (4, 2) or one.ndim not in (2, 3):
            raise ValueError(
                f"Invalid {name} shape: expected (4,2) for a single image or (N,4,2) for a batch. Received shape: {one.shape}"
            )
    if points[0].shape != points[1].shape:
        raise ValueError(
            "start_points and end_points must have the same shape. "
            f"Received start_points.shape={points[0].shape}, end_points.shape={points[1].shape}"
        )
    start, end = (_qn.reshape(one, (-1, 4, 2)) for one in points)
    return _faces["affine_transform"](
        images, convert_to_tensor(compute_homography_matrix(start, end)), interpolation, "constant", fill_value, data_format  # noqa: F821
    )


def elastic_transform(
    images, alpha=20.0, sigma=5.0, interpolation="bilinear", fill_mode="reflect", fill_value=0.0, seed=None, data_format=None
):
    """Images whose pixels are moved at random, neighbours alike."""
    data_format = _format_of(data_format)
    if interpolation not in _ORDERS:
        raise ValueError(
            f"Invalid value for argument `interpolation`. Expected of one {set(_ORDERS)}. Received: interpolation={interpolation}"
        )
    if len(images.shape) not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). "
            f"Received input with shape: images.shape={images.shape}"
        )
    images = convert_to_tensor(images)
    alpha, (sigma, _) = _plain(alpha)[0], _plain(sigma)
    batch = images if images.ndim == 4 else images[None]
    batch = batch if data_format == "channels_last" else _qn.moveaxis(batch, 1, -1)
    samples, height, width, channels = batch.shape
    real = "float32" if images.dtype.kind in "iub" else str(images.dtype)
    size = int(6 * sigma) | 1
    moved = []
    for axis in (2, 1):  # the columns are drawn first
        drawn = _random.normal((samples, height, width, 1), dtype=real, seed=seed) * sigma
        drawn = _faces["gaussian_blur"](drawn, (size, size), (sigma, sigma), "channels_last")
        steps = _qn.arange(batch.shape[axis], dtype=real).reshape((-1, 1, 1) if axis == 1 else (1, -1, 1))
        moved.insert(0, steps + alpha * drawn)
    shape = (samples, height, width, channels)
    others = _qn.arange(samples, dtype=real).reshape(-1, 1, 1, 1), _qn.arange(channels, dtype=real)
    places = _qn.stack([_qn.broadcast_to(one, shape) for one in (others[0], *moved, others[1])])
    out = _faces["map_coordinates"](batch, convert_to_tensor(places), _ORDERS[interpolation], fill_mode, fill_value)
    out = out if data_format == "channels_last" else _qn.moveaxis(out, -1, 1)
    return convert_to_tensor(out if images.ndim == 4 else out[0])


def sobel_edges(images, data_format=None):
    """Differences of neighbouring rows and columns: (..., 2)."""
    images = convert_to_tensor(images)
    is_last = data_format != "channels_first"
    rows = _qn.asarray([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], dtype=images.dtype)
    edges = []
    for kernel in (rows, rows.T):
        kernel = _qn.broadcast_to(kernel[:, :, None, None], (3, 3, images.shape[-1 if is_last else 1], 1))
        edges.append(
            nn.depthwise_conv(
                images, convert_to_tensor(kernel), padding="same", data_format="channels_last" if is_last else "channels_first"
            )
        )
    return convert_to_tensor(_qn.stack(edges, axis=-1))


recording.note_functions(globals())
