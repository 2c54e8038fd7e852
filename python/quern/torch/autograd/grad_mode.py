"""Whether gradients are recorded, and whether what is made is an inference tensor: guards that are decorators too."""

import functools
import inspect

from quern.lib import _engine
from quern.user_files import warn_user


def is_grad_enabled():
    """Are gradients recorded in this thread? In inference mode none are, whatever this says.

    Returns
    -------
    bool
        Whether they are.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_grad_enabled()
    True
    """
    return _engine.gradient_mode_asked()


def is_inference_mode_enabled():
    """Return whether this thread is within :func:`inference_mode`.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> from quern import torch
    >>> torch.is_inference_mode_enabled()
    False
    """
    return _engine.inference_mode()


class _Guard:
    """While it lasts, or in the function it decorates, a mode is set."""

    _on = True

    def __init__(self):
        self._before = []  # one for each time that it was entered

    def _set(self):
        """Sets the mode; returns the one before, for _restore()."""
        return _engine.set_gradient_mode(self._on)

    _restore = staticmethod(_engine.set_gradient_mode)

    def __enter__(self):
        self._before.append(self._set())

    def __exit__(self, *error):
        self._restore(self._before.pop())

    def __call__(self, function):
        if not callable(function):
            raise TypeError(f"{type(self).__name__}() decorates functions, not {type(function).__name__}")
        if inspect.isgeneratorfunction(function):
            return self._guarded_generator(function)
        if inspect.isclass(function):
            warn_user(
                f"{type(self).__name__}() over a class is deprecated, as in PyTorch: the name becomes a function that makes objects in the "
                "mode; decorate __init__ and the other methods instead",
                FutureWarning,
            )
        enter, leave = self._set, self._restore

        @functools.wraps(function, updated=() if inspect.isclass(function) else functools.WRAPPER_UPDATES)
        def guarded(*args, **kwargs):
            before = enter()
            try:
                return function(*args, **kwargs)
            finally:
                leave(before)

        return guarded

    def _guarded_generator(self, function):
        """A generator function that runs under the mode; between its values the caller's mode holds."""

        def stepped(step, *args):
            before = self._set()
            try:
                return step(*args)
            finally:
                self._restore(before)

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

    def clone(self):
        """Another such guard."""
        return type(self)()

    @property
    def prev(self):
        """What the mode was before."""
        return self._before[-1] if self._before else False

    def __repr__(self):
        return f"torch.autograd.grad_mode.{type(self).__name__}()"


class no_grad(_Guard):  # noqa: N801
    """Disable the recording of gradients, as a context manager or a decorator.

    Results of operations inside have ``requires_grad=False``.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    _on = False

    def __new__(cls, orig_func=None):
        return super().__new__(cls) if orig_func is None else cls()(orig_func)


class enable_grad(_Guard):  # noqa: N801
    """Enable the recording of gradients, as a context manager or a decorator.

    It has an effect within :class:`no_grad`, and none within :class:`inference_mode`.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    def __new__(cls, orig_func=None):
        return super().__new__(cls) if orig_func is None else cls()(orig_func)


class set_grad_enabled(_Guard):  # noqa: N801
    """Enable or disable the recording of gradients, from the call on or as a context manager.

    Parameters
    ----------
    mode : bool
        Whether gradients are recorded.

    Examples
    --------
    >>> from quern import torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __init__(self, mode):
        self._on = self.mode = bool(mode)
        self._before = [_engine.set_gradient_mode(self._on)]

    def __enter__(self):
        _engine.set_gradient_mode(self._on)

    def __exit__(self, *error):
        _engine.set_gradient_mode(self._before[0])

    def __call__(self, function):
        _engine.set_gradient_mode(self._before[0])
        return super().__call__(function)

    def clone(self):
        """Another such guard, which sets the mode."""
        return type(self)(self.mode)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class inference_mode(_Guard):  # noqa: N801
    """Disable the recording of gradients, and mark results as inference tensors, as a context manager or a decorator.

    Outside of the mode, an inference tensor is neither written in place nor saved for a gradient.

    Parameters
    ----------
    mode : bool or callable, optional
        True enters the mode, False leaves it, also within another one; or the function to decorate.

    Examples
    --------
    >>> import quern.torch as torch
    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> x.is_inference(), x.clone().is_inference()
    (True, False)
    """

    def __new__(cls, mode=True):
        if isinstance(mode, bool):
            return super().__new__(cls)
        if not callable(mode):
            raise TypeError(f"inference_mode(): mode must be a bool, or a function to decorate, not {type(mode).__name__}; use bool(mode)")
        return cls()(mode)

    def __init__(self, mode=True):
        super().__init__()
        self.mode = mode

    def _set(self):
        before = _engine.inference_mode(), _engine.gradient_mode_asked()
        self._restore((self.mode, not self.mode))
        return before

    @staticmethod
    def _restore(modes):
        inference, gradients = modes
        _engine.set_inference_mode(inference)
        _engine.set_gradient_mode(gradients)

    def clone(self):
        """Another such guard."""
        return type(self)(self.mode)

    def __repr__(self):
        return f"torch.autograd.grad_mode.inference_mode(mode={self.mode})"
