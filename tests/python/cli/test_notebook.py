"""Notebooks: cells are executed as Jupyter does it, and their output is checked. Arrays' own pages need no notebook."""

import base64
import os
import re
import struct
import zlib

import numpy as np
import pytest
import quern as qn
from places import PACKAGE

KERNEL = """
k = qn.RawKernel('extern "C" __global__ void fill(float* a, int first) { int i = threadIdx.x; a[i + first] = i; }', "fill")
z = qn.zeros(64, dtype="float32")
k((1,), (32,), (z, FIRST))
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Executes cells in a kernel of their own; gives what each has shown: (streams, errors, pages)."""
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("IPython")

    def execute(*cells, **environ):
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in ("%load_ext quern\nimport quern as qn", *cells)])
        path = os.pathsep.join(p for p in (PACKAGE, os.environ.get("PYTHONPATH")) if p)
        folder = str(tmp_path_factory.mktemp("notebook"))
        kernel = client.NotebookClient(
            book, timeout=300, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": folder}}
        )
        kernel.execute(env={**os.environ, "PYTHONPATH": path, **environ})
        return [shown(cell.outputs) for cell in book.cells[1:]]

    return execute


def shown(outputs):
    streams = "".join(o.text for o in outputs if o.output_type == "stream")
    errors = [f"{o.ename}: {o.evalue}" for o in outputs if o.output_type == "error"]
    pages = [o.data for o in outputs if o.output_type in ("display_data", "execute_result")]
    return streams, errors, pages


def test_a_notebook(executed, tmp_path):
    array, profile, nvprof, failing, wrong, html = executed(
        "x = qn.linspace(0, 1, 60_000).reshape(300, 200)\nx * x",
        "%%quern_profile --tree\ny = x + 1\nfor i in range(10):\n    if float(y.sum()) < i - 50_000:\n        break\nprint('done')",
        "%%quern_profile --summary\nfloat((x + 2).sum())",
        "%%quern_profile\ny = x * 3\nfloat(y.sum())\nx.no_such_thing()",
        "%%quern_profile --nonsense\n1",
        f"%%quern_profile --html {tmp_path}/report.html\nfloat(x.sum())",
    )
    assert "image/png" in array[2][0]["text/html"] and "array([[" in array[2][0]["text/plain"]
    streams, errors, (page,) = profile
    assert streams == "done\n" and not errors
    for text in (page["text/plain"], re.sub("<.*?>", "", page["text/html"])):
        assert "quern profile: this cell" in text and "10 copies to the host" in text and "by function" in text
    assert "font-weight: bold" in page["text/html"] and "run_cell_magic" not in page["text/plain"]
    rows = [row for row in page["text/plain"].splitlines() if row.startswith("3 ")]
    assert len(rows) == 1 and rows[0].rstrip().endswith("if float(y.sum()) < i - 50_000:")
    assert "Time(%)" in nvprof[2][-1]["text/plain"]
    streams, errors, (page,) = failing
    assert "AttributeError" in errors[0] and "y = x * 3" in page["text/plain"] and "float(y.sum())" in page["text/plain"]
    assert "unrecognized arguments: --nonsense" in wrong[0] and not wrong[2]
    assert "<html" in (tmp_path / "report.html").read_text()[:500] and not html[1]


def test_checks_in_a_notebook(executed):
    right, wrong, options, within = executed(
        "%%quern_check" + KERNEL.replace("FIRST", "32") + "print(float(z[40]))",
        "%%quern_check" + KERNEL.replace("FIRST", "60"),
        "%%quern_check --orders 0\n1",
        "%%quern_profile\nwith qn.profile():\n    pass",
    )
    assert right[0] == "8.0\n" and right[2][0]["text/plain"] == "quern check: nothing found"
    page = wrong[2][0]
    assert "out of bounds in kernel 'fill'" in page["text/plain"] and "&#x27;fill&#x27;" in page["text/html"]
    assert "pass a number from 1 to 1000" in options[0]
    assert "a profile is already active" in within[1][0]


# ---- arrays' pages


def picture_of(page):
    (data,) = re.findall(r'src="data:image/png;base64,([^"]*)"', page)
    data = base64.b64decode(data)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    columns, rows, depth, colours = struct.unpack(">IIBB", data[16:26])
    assert (depth, colours) == (8, 2)
    at = data.index(b"IDAT")
    (size,) = struct.unpack(">I", data[at - 4 : at])
    lines = np.frombuffer(zlib.decompress(data[at + 4 : at + 4 + size]), np.uint8).reshape(rows, 1 + 3 * columns)
    assert (lines[:, 0] == 0).all()
    return lines[:, 1:].reshape(rows, columns, 3)


def test_a_page_says_what_an_array_is(device):
    x = qn.ones((2000, 1000), dtype="float32")
    float(x[0, 0])
    y = x + 1
    page = y._repr_html_()
    assert "float32, shape (2000, 1000)" in page and device.name in page and "was pending: computed for this display" in page
    assert ", computed<" in y._repr_html_()
    both = y._repr_mimebundle_()
    assert both["text/plain"] == repr(y) and both["text/html"] == y._repr_html_()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float64", "complex64"])
def test_pictures(device, dtype):
    values = np.arange(12).reshape(3, 4) % 2 if dtype == "bool" else np.arange(12).reshape(3, 4)
    pixels = picture_of(qn.asarray(values).astype(dtype)._repr_html_())
    assert pixels.shape == (3, 4, 3)
    assert pixels[0, 0].tolist() == [68, 1, 84] and pixels[2, 3].tolist() == [253, 231, 37]


def test_large_pictures_take_even_parts(device):
    pixels = picture_of((qn.arange(1000)[:, None] + qn.zeros(500))._repr_html_())
    assert pixels.shape == (91, 84, 3)
    green = pixels[:, 0, 1].astype(int)
    assert (np.diff(green) >= 0).all()


def test_what_is_no_number_has_a_colour_of_its_own(device):
    x = qn.asarray(np.array([[np.nan, 0.0], [1.0, -np.inf]]))
    pixels = picture_of(x._repr_html_())
    assert pixels[0, 0].tolist() == pixels[1, 1].tolist() != pixels[0, 1].tolist()


def test_arrays_without_a_picture(device):
    for x in (
        qn.asarray(3.5),
        qn.zeros((0, 5)),
        qn.zeros((1, 5)),
        qn.zeros(7),
        qn.zeros((2, 2, 2)),
        qn.asarray(np.full((2, 2), np.nan)),
        qn.asarray(np.zeros((2, 2), [("a", "i4"), ("<b>", "f4")])),
    ):
        page = x._repr_html_()
        assert "<img" not in page and "<b>" not in page and "<pre>" in page


def test_a_flat_picture(device):
    assert (picture_of(qn.full((4, 4), 7.0)._repr_html_()) == [68, 1, 84]).all()
