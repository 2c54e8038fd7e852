"""Whether gradients are recorded: guards that are decorators too."""

import functools
import inspect
import threading

from quern.lib import _engine


def is_grad_enabled():
    """Are gradients recorded in this thread?"""
    return _engine.gradient_mode()


class _Guard:
    """While it lasts, or in the function it decorates, recording is on or off."""

    _on = True

    def __enter__(self):
        self._before = _engine.set_gradient_mode(self._on)

    def __exit__(self, *error):
        _engine.set_gradient_mode(self._before)

    def __call__(self, function):
        if inspect.isclass(function):
            return function
        on = self._on
        if inspect.isgeneratorfunction(function):
            return _guarded_generator(function, on)

        @functools.wraps(function)
        def guarded(*args, **kwargs):
            before = _engine.set_gradient_mode(on)
            try:
                return function(*args, **kwargs)
            finally:
                _engine.set_gradient_mode(before)

        return guarded


def _guarded_generator(function, on):
    """A generator function that runs under the mode; between its values the caller's mode holds."""

    def stepped(step, *args):
        before = _engine.set_gradient_mode(on)
        try:
            return step(*args)
        finally:
            _engine.set_gradient_mode(before)

    @functools.wraps(function)
    def generator(*args, **kwargs):
        made = function(*args, **kwargs)
        try:
            value = stepped(made.send, None)
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    stepped(made.close)
                    raise
                except BaseException as error:
                    value = stepped(made.throw, error)
                else:
                    value = stepped(made.send, sent)
        except StopIteration as end:
            return end.value

    return generator


class no_grad(_Guard):  # noqa: N801
    """Nothing is recorded: ``with torch.no_grad():``, or ``@torch.no_grad()``."""

    _on = False

    def __new__(cls, function=None):
        made = super().__new__(cls)
        return made if function is None else made(function)


class enable_grad(_Guard):  # noqa: N801
    """Everything is recorded, also within no_grad()."""

    _on = True

    def __new__(cls, function=None):
        made = super().__new__(cls)
        return made if function is None else made(function)


class set_grad_enabled(_Guard):  # noqa: N801
    """Recording on or off from now on; as a context, while it lasts."""

    def __init__(self, mode):
        self._on = bool(mode)
        self._before = _engine.set_gradient_mode(self._on)

    def __enter__(self):
        _engine.set_gradient_mode(self._on)

    def __call__(self, function):
        _engine.set_gradient_mode(self._before)
        return super().__call__(function)


_inference = threading.local()


class inference_mode(_Guard):  # noqa: N801
    """As no_grad(), and is_inference_mode_enabled() tells of it; ``mode=False`` turns recording on, also within another."""

    def __new__(cls, mode=True):
        if callable(mode):
            return super().__new__(cls)(mode)
        made = super().__new__(cls)
        made._on = not mode
        return made

    def __init__(self, mode=True):
        self._on = not mode

    def __enter__(self):
        super().__enter__()
        self._outer = is_inference_mode_enabled()
        _inference.on = not self._on

    def __exit__(self, *error):
        super().__exit__(*error)
        _inference.on = self._outer


def is_inference_mode_enabled():
    """Is this thread within inference_mode()?"""
    return getattr(_inference, "on", False)


class set_detect_anomaly:  # noqa: N801
    """Looks at every gradient: one that is NaN raises RuntimeError with the operation and its line. As a context, while it lasts."""

    def __init__(self, mode, check_nan=True):
        self._before = _engine.anomaly_mode()
        _engine.set_anomaly_mode(bool(mode and check_nan))

    def __enter__(self):
        pass

    def __exit__(self, *error):
        _engine.set_anomaly_mode(self._before)


class detect_anomaly(set_detect_anomaly):  # noqa: N801
    """While it lasts, a gradient that is NaN raises RuntimeError with the operation and its line."""

    def __init__(self, check_nan=True):
        super().__init__(True, check_nan)


def is_anomaly_enabled():
    """Is every gradient looked at?"""
    return _engine.anomaly_mode()
