"""Keras's optimizers on quern: the step of all variables is one call of the engine, with rates and counts that the host knows.

Lamb, Adafactor and Muon, whose steps need norms of whole tensors, optimizers of programs, and variables of half precision take Keras's own
way, an operation at a time.
"""

import numpy as np
from keras.src import optimizers
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.optimizers import base_optimizer
from keras.src.optimizers.schedules.learning_rate_schedule import LearningRateSchedule

from quern.keras.backend import _rules, recording
from quern.keras.backend.core import Array, Variable, convert_to_tensor, no_gradients, on_device
from quern.lib import _engine

_PLAIN = ("float32", "float64")


def _number(variable):
    """A variable of one number as Python's; the device is asked at most once."""
    known = variable.known()
    if known is None:
        known = variable._value.get()
        variable.assign(known)
    return known.item()


class QuernOptimizer(base_optimizer.BaseOptimizer):
    """What Keras's optimizers derive from."""

    def _rate(self):
        """The learning rate of this step, a float."""
        rate = self._learning_rate
        if isinstance(rate, LearningRateSchedule):
            step = _number(self._iterations)
            with on_device(_engine.cpu()), no_gradients():  # where looking at it waits for nothing
                return float(rate(convert_to_tensor(np.asarray(step, "int32"))))
        if callable(rate) and not isinstance(rate, Variable):
            rate = rate()
        return _number(rate) if isinstance(rate, Variable) else float(rate)

    def _backend_apply_gradients(self, grads, trainable_variables):
        way = None if in_stateless_scope() or self.gradient_accumulation_steps else _way_of(self, trainable_variables)
        if way is None:
            return super()._backend_apply_gradients(grads, trainable_variables)
        r = recording.recorder()
        if r is None:
            self._apply_now(grads, trainable_variables)
        else:
            r.effect(lambda *grads: self._apply_now(grads, trainable_variables), *grads)

    def _apply_now(self, grads, trainable_variables):
        way = _way_of(self, trainable_variables)
        with no_gradients():
            self._step(way, self._clip_gradients(grads), trainable_variables)
            if self.use_ema:
                self._update_model_variables_moving_average(self._trainable_variables)
                every = self.ema_overwrite_frequency
                if every and (_number(self._iterations) + 1) % every == 0:
                    self._overwrite_model_variables_with_average_value(self._trainable_variables)

    def _backend_update_step(self, grads, trainable_variables, learning_rate):
        way = None if in_stateless_scope() else _way_of(self, trainable_variables)
        if way is None or self.weight_decay is not None:  # decay has been applied before this call
            return super()._backend_update_step(grads, trainable_variables, learning_rate)
        with no_gradients():
            self._step(way, grads, trainable_variables)

    def _step(self, way, grads, variables):
        rate = self._rate()
        rule, states, scalars = way(self, rate, _number(self._iterations) // (self.gradient_accumulation_steps or 1) + 1)
        decay = self.weight_decay
        by_shrink = {}
        for variable, grad in zip(variables, grads, strict=True):
            shrink = 1.0 - decay * rate if decay is not None and self._use_weight_decay(variable) else 1.0
            place = self._get_variable_index(variable)
            param = variable.memory()
            if type(grad) is not Array or grad._dtype_name != param._dtype_name:
                grad = convert_to_tensor(grad, param._dtype_name)
            if grad._shape != param._shape:
                grad = grad._broadcast_to(param._shape)
            own = [state[place].memory() for state in states]
            by_shrink.setdefault(shrink, []).append((param, *own, grad))
        for shrink, rows in by_shrink.items():
            rule.apply(rows, (shrink, *scalars))


def _way_of(optimizer, variables):
    """The function that names the rule, its states and its numbers; None for what takes Keras's own way."""
    if not _WAYS:
        _find_ways()
    way = _WAYS.get(type(optimizer))
    if way is None:  # of a class made from one of them that keeps its step
        for cls, known in _WAYS.items():
            if isinstance(optimizer, cls) and type(optimizer).update_step is cls.update_step:
                way = known
        if way is None:
            return None
    for variable in variables:
        if not isinstance(variable, Variable) or variable._dtype not in _PLAIN:
            return None
    return way


# ---- which rule an optimizer's options mean: (rule, lists of states, scalars) from the rate and the number of the step


def _sgd(o, rate, step):
    if not o.momentum:
        return _rules.SGD, (), (rate,)
    return _rules.SGD_NESTEROV if o.nesterov else _rules.SGD_MOMENTUM, (o.momentums,), (rate, o.momentum)


def _rmsprop(o, rate, step):
    scalars = (rate, o.rho, 1.0 - o.rho, o.epsilon, o.momentum)
    if o.momentum > 0:
        if o.centered:
            return _rules.RMSPROP_BOTH, (o._velocities, o._momentums, o._average_gradients), scalars
        return _rules.RMSPROP_MOMENTUM, (o._velocities, o._momentums), scalars
    if o.centered:
        return _rules.RMSPROP_CENTERED, (o._velocities, o._average_gradients), scalars
    return _rules.RMSPROP, (o._velocities,), scalars


def _adam(o, rate, step):
    alpha = rate * (1.0 - o.beta_2**step) ** 0.5 / (1.0 - o.beta_1**step)
    scalars = (alpha, 1.0 - o.beta_1, 1.0 - o.beta_2, o.epsilon)
    if o.amsgrad:
        return _rules.ADAM_AMSGRAD, (o._momentums, o._velocities, o._velocity_hats), scalars
    return _rules.ADAM, (o._momentums, o._velocities), scalars


def _adamax(o, rate, step):
    return _rules.ADAMAX, (o._m, o._u), (rate / (1.0 - o.beta_1**step), 1.0 - o.beta_1, o.beta_2, o.epsilon)


def _nadam(o, rate, step):
    now, then = (o.beta_1 * (1.0 - 0.5 * 0.96**k) for k in (step, step + 1))
    product = _number(o._u_product) * now
    o._u_product.assign(product)
    scalars = (rate, 1.0 - o.beta_1, 1.0 - o.beta_2, 1.0 - o.beta_2**step, o.epsilon)
    return _rules.NADAM, (o._momentums, o._velocities), (*scalars, then / (1.0 - product * then), (1.0 - now) / (1.0 - product))


def _adadelta(o, rate, step):
    return _rules.ADADELTA, (o._accumulated_grads, o._accumulated_delta_vars), (rate, o.rho, 1.0 - o.rho, o.epsilon)


def _adagrad(o, rate, step):
    return _rules.ADAGRAD, (o._accumulators,), (rate, o.epsilon)


def _ftrl(o, rate, step):
    l2 = o.l2_regularization_strength + o.beta / (2.0 * rate)
    numbers = (rate, -o.learning_rate_power, o.l1_regularization_strength, l2, o.l2_shrinkage_regularization_strength)
    return _rules.FTRL, (o._accumulators, o._linears), numbers


def _lion(o, rate, step):
    return _rules.LION, (o._momentums,), (rate, o.beta_1, 1.0 - o.beta_1, o.beta_2, 1.0 - o.beta_2)


_WAYS = {}


def _find_ways():
    """Filled when Keras has defined its optimizers, which derive from the class above."""
    for name, way in (
        ("SGD", _sgd),
        ("RMSprop", _rmsprop),
        ("Adam", _adam),
        ("AdamW", _adam),
        ("Adamax", _adamax),
        ("Nadam", _nadam),
        ("Adadelta", _adadelta),
        ("Adagrad", _adagrad),
        ("Ftrl", _ftrl),
        ("Lion", _lion),
    ):
        _WAYS[getattr(optimizers, name)] = way
