"""torch.types: names for annotations."""

from quern.torch import _types

Number = int | float | bool
Device = _types.device | str | int | None
_int, _float, _bool, _complex = int, float, bool, complex
_dtype, _device, _layout = _types.dtype, _types.device, _types.NAMES["layout"] if "layout" in _types.NAMES else object
_size = _types.Size | list[int] | tuple[int, ...]
FileLike = str
