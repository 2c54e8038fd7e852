"""Views and arrangements of the same elements, and arrays put together."""

from quern.arrays.functions import functions

swapaxes, moveaxis, expand_dims = (functions[name] for name in ("swapaxes", "moveaxis", "expand_dims"))
flip, roll = functions["flip"], functions["roll"]
reshape, ravel, transpose, broadcast_to = (functions[name] for name in ("reshape", "ravel", "transpose", "broadcast_to"))
concatenate, stack, tile = (functions[name] for name in ("concatenate", "stack", "tile"))
