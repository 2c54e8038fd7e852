"""keras.ops' mathematics beyond NumPy's: faces of the engine's table (bindings/faces/)."""

from quern.keras.backend import _borrowed, recording
from quern.lib import _engine

_borrowed.names_of("math", globals())
extract_sequences = _engine.add_functions(__name__, "keras", "math")["extract_sequences"]

recording.note_functions(globals())
