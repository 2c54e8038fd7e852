"""Recurrent layers: LSTM and GRU as one function of the engine where Keras allows it, others step by step, in Python over the tape."""

from quern.keras.backend import _borrowed
from quern.lib import _engine

_borrowed.names_of("rnn", globals())

_step_by_step = rnn  # noqa: F821
_faces = _engine.functions_of("keras", __name__, submodule="rnn")


def rnn(
    step_function,
    inputs,
    initial_states,
    go_backwards=False,
    mask=None,
    constants=None,
    unroll=False,
    input_length=None,
    time_major=False,
    zero_output_for_mask=False,
    return_all_outputs=True,
):
    """The last outputs, the outputs of all steps or the last one, and the states of a function that computes a step."""
    if mask is not None and hasattr(inputs, "shape"):
        wanted, found = tuple(inputs.shape[:2]), tuple(mask.shape)
        if found[:2] != wanted:
            raise ValueError(f"a mask has an element for each step of the inputs, {wanted}. Received shape: {found}")
    return _step_by_step(
        step_function,
        inputs,
        initial_states,
        go_backwards,
        mask,
        constants,
        unroll,
        input_length,
        time_major,
        zero_output_for_mask,
        return_all_outputs,
    )


def cudnn_ok(activation, recurrent_activation, unroll, use_bias=True, reset_after=True):
    """Are these what lstm() and gru() compute?"""
    from keras.src import activations, ops  # they import the backend

    is_plain = activation in (activations.tanh, ops.tanh) and recurrent_activation in (activations.sigmoid, ops.sigmoid)
    return is_plain and not unroll and reset_after


def _with_last(results, return_sequences):
    outputs, last, *cells = results
    return last, outputs if return_sequences else last[:, None, :], [last, *cells]


def lstm(
    inputs,
    initial_state_h,
    initial_state_c,
    mask,
    kernel,
    recurrent_kernel,
    bias,
    activation,
    recurrent_activation,
    return_sequences=False,
    go_backwards=False,
    unroll=False,
):
    """The last hidden state, the hidden states of all steps or the last one, and the states; without masks."""
    if mask is not None or not cudnn_ok(activation, recurrent_activation, unroll):
        raise NotImplementedError  # Keras then calls rnn()
    results = _faces["lstm_layer"](inputs, initial_state_h, initial_state_c, kernel, recurrent_kernel, bias, go_backwards)
    return _with_last(results, return_sequences)


def gru(
    inputs,
    initial_state,
    mask,
    kernel,
    recurrent_kernel,
    bias,
    activation,
    recurrent_activation,
    return_sequences=False,
    go_backwards=False,
    unroll=False,
    reset_after=True,
):
    """The last hidden state, the hidden states of all steps or the last one, and the states; without masks."""
    if mask is not None or not cudnn_ok(activation, recurrent_activation, unroll, reset_after=reset_after):
        raise NotImplementedError  # Keras then calls rnn()
    results = _faces["gru_layer"](inputs, initial_state, kernel, recurrent_kernel, bias, go_backwards)
    return _with_last(results, return_sequences)


# What Keras takes from here; older versions have fewer.
__all__ = [name for name in ("rnn", "lstm", "gru", "bidirectional_lstm", "bidirectional_gru", "cudnn_ok") if name in globals()]
