"""How to install packages that a program imports and the environment lacks."""

from __future__ import annotations

import difflib
import os
import sys

# Packages that programs with kernels and arrays often import: name of the module -> name of what pip installs. Only these are suggested:
# a misspelt name may be somebody else's package.
_PACKAGES = dict.fromkeys(
    "bokeh dask h5py imageio joblib matplotlib mpmath networkx nibabel numexpr pandas plotly polars pyarrow pydicom pytest requests rich "
    "scipy seaborn sympy tables tifffile tqdm xarray zarr".split()
)
_PACKAGES |= {"PIL": "pillow", "bs4": "beautifulsoup4", "cv2": "opencv-python", "skimage": "scikit-image", "sklearn": "scikit-learn"}
_PACKAGES |= {"yaml": "pyyaml", "mpl_toolkits": "matplotlib"}
_OF_PYTORCH = ("torchaudio", "torchtext", "torchvision")  # they work on PyTorch's own tensors alone
_OTHERS = ("cupy", "keras", "numba", "numpy", "pycuda", "quern", "tensorflow", "torch")


def say_how_to_install(error):
    """Add the command to a ModuleNotFoundError's text, or the name that was meant."""
    top = (error.name or "").partition(".")[0]
    if str(error) != f"No module named {error.name!r}":
        return  # it says already what to do
    if top in _PACKAGES:
        if error.name == top or top in sys.modules:
            error.msg += f"; install it with `{_pip()} install {_PACKAGES[top] or top}`"
    elif top in _OF_PYTORCH:
        error.msg += "; quern does not support it; read the data with NumPy or Pillow, and convert it with torch.from_numpy()"
    elif error.name == top:
        known = [*_OTHERS, *_PACKAGES], sys.stdlib_module_names
        if near := [one for names in known for one in difflib.get_close_matches(top, names, 1, 0.75)]:
            error.msg += f". Did you mean: {near[0]!r}?"


def _pip():
    """Return pip's command of the environment that runs the program."""
    path = os.path.join(sys.prefix, "bin", "pip")
    if not os.path.exists(path):
        return f"{sys.executable} -m pip"
    near = os.path.relpath(path)
    return path if near.startswith("..") else near
