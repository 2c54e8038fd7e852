"""keras.ops.image: what NumPy's functions make up; the rest raises an error that names the function."""

from quern.keras.backend import _borrowed, recording

_borrowed.names_of("image", globals())

recording.note_functions(globals())
