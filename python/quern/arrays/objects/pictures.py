"""Arrays in notebooks: type, shape, device, whether the values were there already, a small picture of 2-D numbers, and the values."""

from __future__ import annotations

import struct
import zlib

import numpy

from quern.arrays.core import Array, asnumpy
from quern.lib import _engine

MOST_PIXELS = 96  # along an axis
SHOWN_PIXELS = 144
# Dark blue over green to yellow, of even lightness: viridis at 0, 1/4, 1/2, 3/4 and 1.
COLOURS = numpy.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], float)
NO_NUMBER = (190, 60, 50)


def attach():
    """Gives arrays their methods for notebooks."""
    Array._repr_html_, Array._repr_mimebundle_ = _repr_html, _repr_mimebundle


def _repr_mimebundle(self, include=None, exclude=None):
    # As one: the page is to say whether the values were there, and the text alone would compute them before.
    return {"text/html": _repr_html(self), "text/plain": repr(self)}


def _repr_html(self):
    state = "computed" if _engine.array_explain(self).startswith("the value is computed") else "was pending: computed for this display"
    text = repr(self)
    words = f"{self._dtype_name}, shape {self.shape}, {self.device.name if hasattr(self.device, 'name') else self.device}, {state}"
    parts = [f'<div style="font-family:monospace"><div style="opacity:.7">{_escaped(words)}</div>']
    picture = None if text.startswith("<failed") else _picture(self)
    if picture:
        parts.append(picture)
    parts.append(f"<pre>{_escaped(text)}</pre></div>")
    return "".join(parts)


def _escaped(text):
    import html  # slow to import, rarely needed

    return html.escape(text)


def _picture(x):
    """A 2-D array of numbers as an image element; None for others. At most 96 rows and columns are taken, evenly."""
    if x.ndim != 2 or x.size == 0 or x._has_records or min(x.shape) < 2:
        return None
    steps = [-(-n // MOST_PIXELS) for n in x.shape]
    part = x[:: steps[0], :: steps[1]]
    values = asnumpy(part.astype("float32") if x._dtype_name == "bfloat16" else part)
    values = numpy.abs(values) if values.dtype.kind == "c" else values.astype(float)
    finite = numpy.isfinite(values)
    if not finite.any():
        return None
    low, high = float(values[finite].min()), float(values[finite].max())
    scale = numpy.where(finite, (values - low) / ((high - low) or 1.0), 0) * (len(COLOURS) - 1)
    below = numpy.minimum(scale.astype(int), len(COLOURS) - 2)
    rest = (scale - below)[..., None]
    pixels = (COLOURS[below] * (1 - rest) + COLOURS[below + 1] * rest).astype(numpy.uint8)
    pixels[~finite] = NO_NUMBER
    rows, columns = pixels.shape[:2]
    larger = max(SHOWN_PIXELS // max(rows, columns), 1)
    said = _escaped(f"from {low:.6g} to {high:.6g}" + (f", every {steps[0]} x {steps[1]}" if max(steps) > 1 else ""))
    import base64  # slow to import, rarely needed

    data = base64.b64encode(_png(pixels)).decode()
    size = f'width="{columns * larger}" height="{rows * larger}"'
    return f'<img src="data:image/png;base64,{data}" {size} alt="{said}" title="{said}" style="image-rendering:pixelated">'


def _png(pixels):
    """A PNG file of an array of bytes, rows x columns x 3 (source: W3C, Portable Network Graphics)."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, columns = pixels.shape[:2]
    lines = numpy.concatenate([numpy.zeros((rows, 1), numpy.uint8), pixels.reshape(rows, -1)], axis=1)  # each begins with its filter: none
    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes())) + chunk(b"IEND", b"")
