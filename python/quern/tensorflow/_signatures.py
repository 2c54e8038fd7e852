"""tf.function's input_signature: the arguments of a call are converted to the specs, or refused in TensorFlow's words."""

import inspect

from keras import KerasTensor

from quern.keras.backend.core import Array
from quern.keras.backend.core import Variable as KerasVariable
from quern.tensorflow._constants import converted
from quern.tensorflow._specs import DatasetSpec, TensorSpec

_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


class Signature:
    """Which tensors the parameters of a function accept.

    Parameters
    ----------
    func : callable
        Function; a parameter `self` is not counted.
    specs : tuple or list
        One (nested) TensorSpec for each parameter; parameters with defaults may be left out.

    Raises
    ------
    TypeError
        If `specs` are not specs, or do not fit the parameters.
    """

    def __init__(self, func, specs):
        if not isinstance(specs, (tuple, list)):
            raise TypeError(f"input_signature must be either a tuple or a list, got {type(specs)}.")
        wrong = [one for one in _leaves(specs) if not isinstance(one, (TensorSpec, DatasetSpec))]
        if wrong:
            raise TypeError(
                "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args "
                f"{wrong} with types {list(map(type, wrong))}."
            )
        self.specs = tuple(specs)
        self._has_self = False
        self._of_names, self._of_rest = {}, ()
        self._parameters = self._accepted(inspect.signature(func))

    def _accepted(self, signature):
        """The function's signature without what a call cannot pass; notes the spec of each parameter."""
        rest, kept = list(self.specs), []
        for one in signature.parameters.values():
            if one.name == "self":
                self._has_self = True
            elif one.kind is one.VAR_POSITIONAL:
                self._of_rest, rest = tuple(rest), []
            elif one.kind is one.VAR_KEYWORD:
                continue
            elif one.kind not in _POSITIONAL and one.default is one.empty:
                raise TypeError(f"Since input_signature is defined, keyword-only parameter `{one.name}` must have a default value.")
            elif rest:
                self._of_names[one.name] = rest.pop(0)
            elif one.default is one.empty:
                raise TypeError(f"input_signature missing type constraint for {one.name}")
            kept.append(one)
        if rest:
            raise TypeError(f"input_signature contains {len(rest)} extra type constraints.")
        return signature.replace(parameters=kept)

    def bound(self, args, kwargs):
        """Return the arguments of a call as tensors. Raises TypeError where they do not fit."""
        try:
            found = self._parameters.bind(*args, **kwargs)
            for name, value in found.arguments.items():
                if name in self._of_names:
                    found.arguments[name] = _cast(value, self._of_names[name])
                elif self._parameters.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                    found.arguments[name] = self._cast_rest(value)
        except (TypeError, ValueError) as e:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{e}`. Received args: {args[self._has_self :]} and kwargs: {kwargs} for "
                f"signature: {self}."
            ) from None
        return found.args, found.kwargs

    def _cast_rest(self, values):
        if len(values) != len(self._of_rest):
            raise TypeError("too many positional arguments" if len(values) > len(self._of_rest) else "missing a required argument")
        return tuple(map(_cast, values, self._of_rest))

    def __str__(self):
        words = []
        for one in self._parameters.parameters.values():
            spec = f": {_spec_text(self._of_names[one.name])}" if one.name in self._of_names else ""
            words += [] if one.name == "self" else [f"{one.name}{spec}{'' if one.default is one.empty else ' = <captured_default_value>'}"]
        return f"({', '.join(words)})"


def _leaves(specs):
    for one in specs.values() if isinstance(specs, dict) else specs:
        if isinstance(one, (tuple, list, dict)):
            yield from _leaves(one)
        else:
            yield one


def _cast(value, spec):
    """A value as a tensor of a spec, or values as a structure of specs."""
    if isinstance(spec, (tuple, list)):
        kind = tuple if isinstance(spec, tuple) else list
        if not isinstance(value, kind):
            raise TypeError(f"Can not cast {value!r} to {kind.__name__} type.")
        if len(value) != len(spec):
            raise TypeError(f"Expected {value!r} to have length of {len(spec)}")
        parts = list(map(_cast, value, spec))
        return type(value)(*parts) if hasattr(value, "_fields") else kind(parts)
    if isinstance(spec, dict):
        if not isinstance(value, dict) or set(value) != set(spec):
            raise TypeError(f"{value!r} has different keys with the TraceType {_spec_text(spec)}.")
        return {name: _cast(value[name], one) for name, one in spec.items()}
    if isinstance(spec, DatasetSpec) or isinstance(value, KerasTensor):
        return value
    if not isinstance(value, (Array, KerasVariable)):
        value = _converted(value, spec.dtype)
    found = TensorSpec(value.shape, value.dtype)
    if not spec.is_compatible_with(found):
        raise TypeError(f"Can not cast {_spec_text(found)} to {_spec_text(spec)}")
    return value


def _converted(value, dtype):
    try:
        return converted(value, dtype)
    except (TypeError, ValueError) as e:
        raise TypeError(str(e)) from None


def _spec_text(spec):
    """The text of specs in TensorFlow's errors."""
    if isinstance(spec, TensorSpec):
        return f"TensorSpec(shape={spec.shape}, dtype=tf.{spec.dtype.name}, name={spec.name!r})"
    if isinstance(spec, dict):
        return f"Dict[[{', '.join(f'{name!r}, {_spec_text(one)}' for name, one in spec.items())}]]"
    if isinstance(spec, (tuple, list)):
        return f"{'Tuple' if isinstance(spec, tuple) else 'List'}[{', '.join(map(_spec_text, spec))}]"
    return repr(spec)
