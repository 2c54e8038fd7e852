"""Keras's optimizers on quern: the step of all variables is one call of the engine, with rates and counts that the host knows.

Lamb, Adafactor and Muon, whose steps need norms of whole tensors, optimizers of programs, and variables of half precision take Keras's own
way, an operation at a time.
"""

import numpy as np
from keras.src import optimizers
from keras.src.backend.common.stateless_scope import in_stateless_scope
from keras.src.optimizers import base_optimizer
from keras.src.optimizers.schedules.learning_rate_schedule import LearningRateSchedule

from quern.keras.backend import recording
from quern.keras.backend.core import Array, Variable, convert_to_tensor, no_gradients, on_device
from quern.keras.backend.layer import Counted
from quern.lib import _engine

_PLAIN = ("float32", "float64")


def _number(variable):
    """A variable of one number as Python's; the device is asked at most once."""
    known = variable.known()
    if known is None:
        known = variable._value.get()
        variable.assign(known)
    return known.item()


class QuernOptimizer(Counted, base_optimizer.BaseOptimizer):
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
        pairs = zip(grads, trainable_variables, strict=True)
        grads = [g.dense(v.shape) if hasattr(g, "dense_shape") else g for g, v in pairs]  # a tf.IndexedSlices
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
            if way is _nadam:
                self._u_product.assign(_number(self._u_product) * _updates.nadam_momentum(self.beta_1, 1.0, self._steps_done() + 1))
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

    def _steps_done(self):
        return _number(self._iterations) // (self.gradient_accumulation_steps or 1)

    def _step(self, way, grads, variables):
        rate = self._rate()
        states, (rule, scalars) = way(self, rate, self._steps_done() + 1)
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
            by_shrink.setdefault(shrink, []).append((param, grad, *own))
        for shrink, rows in by_shrink.items():
            _engine.take_steps(rule, rows, (1.0, 0.0, shrink, *scalars))


def _way_of(optimizer, variables):
    """The function that gives the states of a step and its update; None for what takes Keras's own way."""
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


# ---- what an optimizer's options mean: (lists of states, update) from the rate and the number of the step

_updates = _engine.keras_updates


def _sgd(o, rate, step):
    return (o.momentums,) if o.momentum else (), _updates.sgd(rate, o.momentum, 1.0, o.nesterov)


def _rmsprop(o, rate, step):
    states = (o._velocities, *([o._momentums] if o.momentum > 0 else []), *([o._average_gradients] if o.centered else []))
    return states, _updates.rmsprop(rate, o.rho, o.epsilon, o.momentum, o.centered)


def _adam(o, rate, step):
    states = (o._momentums, o._velocities, *([o._velocity_hats] if o.amsgrad else []))
    return states, _updates.adam(rate, o.beta_1, o.beta_2, o.epsilon, o.amsgrad, step)


def _adamax(o, rate, step):
    return (o._m, o._u), _updates.adamax(rate, o.beta_1, o.beta_2, o.epsilon, step)


def _nadam(o, rate, step):
    # Keras's own Nadam updates the product before it asks for a step, _apply_now where it is not asked.
    return (o._momentums, o._velocities), _updates.nadam(rate, o.beta_1, o.beta_2, o.epsilon, 1.0, step, _number(o._u_product))


def _adadelta(o, rate, step):
    return (o._accumulated_grads, o._accumulated_delta_vars), _updates.adadelta(rate, o.rho, o.epsilon)


def _adagrad(o, rate, step):
    return (o._accumulators,), _updates.adagrad(rate, 0.0, o.epsilon, step)


def _ftrl(o, rate, step):
    strengths = o.l1_regularization_strength, o.l2_regularization_strength, o.beta, o.l2_shrinkage_regularization_strength
    return (o._accumulators, o._linears), _updates.ftrl(rate, o.learning_rate_power, *strengths)


def _lion(o, rate, step):
    return (o._momentums,), _updates.lion(rate, o.beta_1, o.beta_2)


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
