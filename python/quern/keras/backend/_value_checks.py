"""Places and labels that are out of range: an error at the call where the values are known, else when the result is read."""

from quern.lib import _engine

error = ValueError  # what is raised at the call; TensorFlow's front end has a class of its own


def unless(result, numbers, low, high, text):
    """Return a result, which can be read only where all numbers are from ``low`` up to ``high``; {} in the text stands for one that is not.

    In a step that is being recorded this is part of the function that calls it.
    """
    try:
        return _engine.tensor_refused(result, numbers, low, high, low, "ValueError", [text])
    except ValueError as e:
        raise error(str(e)) from None
