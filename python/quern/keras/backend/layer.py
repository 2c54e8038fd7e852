"""What layers derive from besides Keras's own class."""


class QuernLayer:
    """Nothing is needed here: a layer's variables hold arrays, and calls are Keras's."""
