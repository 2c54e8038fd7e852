"""Recurrent layers step by step, in Python over the tape. Keras falls back on rnn() where a backend has no cells of its own."""

from quern.keras.backend import _borrowed

_borrowed.names_of("rnn", globals())

# What Keras takes from here; older versions have fewer.
__all__ = [name for name in ("rnn", "lstm", "gru", "bidirectional_lstm", "bidirectional_gru", "cudnn_ok") if name in globals()]
