"""keras.random: faces of the engine's table (bindings/faces/distributions.pyi), here the seeds that they draw with. The numbers come from
the engine's counter-based generator, the same on every device for a seed. They are no other backend's.

A seed generator's state is known on the host (core.Variable), so that drawing waits for nothing.
"""

import numpy as np
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.random.seed_generator import (  # noqa: F401
    SeedGenerator,
    draw_seed,
    global_seed_generator,
    make_default_seed,
)

from quern.keras.backend.core import convert_to_tensor
from quern.lib import _engine

_WORD = 0xFFFFFFFF


def _words(seed):
    """The two words of a seed, which the generator then moves on from."""
    ordered = seed is not None
    if seed is None and not in_stateless_scope():
        seed = global_seed_generator()
    if isinstance(seed, SeedGenerator) and not in_stateless_scope():
        known = seed.state.known()
        if known is None:  # the first time; afterwards the host knows it
            known = seed.state._value.get()
        first, second = int(known[0]), int(known[1])
        after = (first, second + 1) if ordered else ((first + 1) * 5387 % 933199, (second + 1) * 5387 % 933199)
        seed.state._told = np.array([after[0] & _WORD, after[1] & _WORD], "uint32")
        seed.state._late = True
        return first, second
    drawn = draw_seed(seed if ordered else None)
    return tuple(int(word) for word in np.asarray(convert_to_tensor(drawn).get()))


def _stream(seed):
    first, second = _words(seed)
    return _engine.RandomStream(_engine.random_key([first & _WORD, second & _WORD]))


_engine.set_front_end("keras", generator=_stream)
_engine.add_functions(__name__, "keras", "random")
