"""fit(), evaluate(), predict() and the steps they are made of, over the engine's tape.

A step runs as plain Python: the forward pass is recorded, the gradients are one call of the engine, the optimizer's step another. Nothing
in it waits for the device. Metrics are asked for their results when something reads the logs, which the progress bar does when it
prints. Where the data are arrays that fit, they go to the device once, and are shuffled and sliced there (data.py).
"""

import time

import numpy as np
from keras.src import backend, tree
from keras.src import callbacks as callbacks_module
from keras.src import optimizers as optimizers_module
from keras.src.backend import config
from keras.src.callbacks.history import History
from keras.src.callbacks.progbar_logger import ProgbarLogger
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import data_adapter_utils
from keras.src.utils import traceback_utils
from keras.src.utils.python_utils import is_default, pythonify_logs
from keras.src.version import __version__

import quern as qn
from quern.keras.backend import data as _data
from quern.keras.backend import parts as _parts
from quern.keras.backend import replay as _replay
from quern.keras.backend.core import Array, gradients, no_gradients, without_readers
from quern.keras.backend.interrupts import raise_swallowed, to_the_caller
from quern.user_files import warn_user

# Older versions' metrics go on from one call of train_on_batch() to the next.
_RESETS_EACH_BATCH = tuple(map(int, __version__.split(".")[:2])) >= (3, 15)


class Logs(dict):
    """The results of metrics, computed when they are read; they are those of the moment in which that happens."""

    def __init__(self, compute):
        super().__init__()
        self.original = self._compute = compute

    def renewed(self):
        """The same, to be computed anew."""
        return Logs(self.original)

    def _now(self):
        compute, self._compute = self._compute, None
        if compute is not None:
            dict.update(self, compute())
        return self


def _looking(name):
    method = getattr(dict, name)

    def look(self, *args, **kwargs):
        self._now()
        return method(self, *args, **kwargs)

    look.__name__ = name
    return look


for (
    _name
) in """__contains__ __delitem__ __eq__ __getitem__ __iter__ __len__ __ne__ __or__ __repr__ __reversed__ __ror__ __setitem__ copy get
items keys pop popitem setdefault update values""".split():
    setattr(Logs, _name, _looking(_name))
Logs.__bool__ = lambda self: True


def _as_python(logs):
    """The logs as numbers of Python's. Keras's own function catches every exception, also the one of Ctrl-C in a wait."""
    here = {name: backend.convert_to_numpy(value) if backend.is_tensor(value) else value for name, value in (logs or {}).items()}
    return pythonify_logs(here)


class Callbacks(callbacks_module.CallbackList):
    """Keras's list of callbacks; those that read the logs of a batch get them, others cost no evaluation."""

    def _after_batch(self, kind, batch, logs):
        name = f"on_{kind}_batch_end"
        for callback in self.callbacks:
            cls = type(callback)
            if cls is ProgbarLogger:
                if callback.verbose == 1 and not (kind == "test" and callback._called_in_fit):
                    _show(callback, batch, None if kind == "predict" else logs)
                else:
                    callback.seen = batch + 1
            elif cls is not History and not _is_default(callback, kind):
                getattr(callback, name)(batch, logs=_as_python(logs))

    def _on_train_batch_end(self, batch, logs=None):
        self._after_batch("train", batch, logs)

    def _on_test_batch_end(self, batch, logs=None):
        self._after_batch("test", batch, logs)

    def _on_predict_batch_end(self, batch, logs=None):
        self._after_batch("predict", batch, logs)


def _is_default(callback, kind):
    """Does a callback leave the ends of batches alone?"""
    return is_default(getattr(callback, f"on_{kind}_batch_end")) and (kind != "train" or is_default(callback.on_batch_end))


def _show(callback, batch, logs):
    """Has the progress bar go on; it gets the metrics when it will print."""
    bar = callback.progbar
    if bar is not None and time.time() - bar._last_update < bar.interval:
        callback.seen = batch + 1
        bar.update(callback.seen, (), finalize=False)
    else:
        callback._update_progbar(batch, _as_python(logs))


class QuernTrainer(base_trainer.Trainer):
    """What models train with."""

    def __init__(self):
        super().__init__()
        self.train_function = None
        self.test_function = None
        self.predict_function = None

    def _resolve_auto_jit_compile(self):
        """Steps are recorded where they compute the same each time; ``jit_compile=True`` has all steps recorded."""
        return _parts.is_pure(self)

    def _replayed(self, step, kind):
        """The step as a function of a batch, which records itself and then goes on as a program (replay.py)."""
        if self.run_eagerly or not self.jit_compile:
            return step
        made = _replay.Replayed(step, self)
        self.__dict__.setdefault("_programs", {})[kind] = made
        return made

    def _renew_programs(self):
        for program in self.__dict__.get("_programs", {}).values():
            program.renew()

    # ---- steps

    def train_step(self, data):
        """Trains on a batch; returns the metrics' results. Models may define their own."""
        return dict(self._train_on(data))

    def _forward(self, x, training):
        return self(x, training=training) if self._call_has_training_arg else self(x)

    def _train_on(self, data):
        with without_readers():
            return self._train_by_variables(data)

    def _train_by_variables(self, data):
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self._forward(x, True)
        loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
        with no_gradients():
            self._loss_tracker.update_state(loss, sample_weight=_rows(x))
        weights = self.trainable_weights
        if not weights:
            warn_user("The model does not have any trainable weights.")
        else:
            if self.optimizer is not None:
                loss = self.optimizer.scale_loss(loss)
            slopes = gradients(loss, weights)
            with no_gradients():
                self.optimizer.apply(slopes, weights)
        with no_gradients():
            return self._after_step(x, y, y_pred, sample_weight)

    def test_step(self, data):
        """Evaluates a batch; returns the metrics' results. Models may define their own."""
        return dict(self._test_on(data))

    def _test_on(self, data):
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self._forward(x, False)
        loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False)
        self._loss_tracker.update_state(loss, sample_weight=_rows(x))
        return self._after_step(x, y, y_pred, sample_weight)

    def _after_step(self, x, y, y_pred, sample_weight):
        """compute_metrics(), whose results are pending until they are read unless the model has its own."""
        cls, base = type(self), base_trainer.Trainer
        if cls.compute_metrics is not base.compute_metrics or cls.get_metrics_result is not base.get_metrics_result:
            return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)
        if self._compile_metrics is not None:
            self._compile_metrics.update_state(y, y_pred, sample_weight)
        return Logs(self._results)

    def _results(self):
        with no_gradients():
            return self.get_metrics_result()

    def predict_step(self, data):
        """The outputs for a batch. Models may define their own."""
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        return self._forward(x, False)

    def make_train_function(self, force=False):
        """Makes ``train_function``, which takes a list of batches."""
        if self.train_function is None or force:
            own = type(self).train_step is not QuernTrainer.train_step or "train_step" in self.__dict__
            self.train_function = _each(self._replayed(self.train_step if own else self._train_on, "train"))
        return self.train_function

    def make_test_function(self, force=False):
        """Makes ``test_function``, which takes a list of batches."""
        if self.test_function is None or force:
            own = type(self).test_step is not QuernTrainer.test_step or "test_step" in self.__dict__
            self.test_function = _each(_unrecorded(self._replayed(self.test_step if own else self._test_on, "test")))
        return self.test_function

    def make_predict_function(self, force=False):
        """Makes ``predict_function``, which takes a list of batches."""
        if self.predict_function is None or force:
            step = _unrecorded(self._replayed(self.predict_step, "predict"))

            def predict(batches):
                made = [step(_data.on_device(batch)) for batch in batches]
                return made[0] if len(made) == 1 else tree.map_structure(lambda *parts: qn.concatenate(parts), *made)

            self.predict_function = predict
        return self.predict_function

    # ---- whole runs

    def _callback_list(self, callbacks, verbose, epochs, iterator, history=False):
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        return Callbacks(
            callbacks,
            add_history=history,
            add_progbar=verbose != 0,
            verbose=verbose,
            epochs=epochs,
            steps=iterator.num_batches,
            model=self,
        )

    @traceback_utils.filter_traceback
    @to_the_caller
    def fit(
        self,
        x=None,
        y=None,
        batch_size=None,
        epochs=1,
        verbose="auto",
        callbacks=None,
        validation_split=0.0,
        validation_data=None,
        shuffle=True,
        class_weight=None,
        sample_weight=None,
        initial_epoch=0,
        steps_per_epoch=None,
        validation_steps=None,
        validation_batch_size=None,
        validation_freq=1,
    ):
        """Trains the model; see keras.Model.fit(). Returns the History."""
        self._assert_compile_called("fit")
        most = config.max_epochs() if hasattr(config, "max_epochs") else None
        if most and most < epochs:
            warn_user(f"Limiting epochs to {most}")
            epochs = most
        self._eval_epoch_iterator = None
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = _data.split((x, y, sample_weight), validation_split)
        iterator = _data.Batches(
            x=x,
            y=y,
            sample_weight=sample_weight,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            shuffle=shuffle,
            class_weight=class_weight,
            steps_per_execution=self.steps_per_execution,
        )
        self._symbolic_build(iterator=iterator)
        iterator.reset()
        callbacks = self._callback_list(callbacks, verbose, epochs, iterator, history=True)
        self.stop_training = False
        epoch_logs = {}
        self.make_train_function()
        callbacks.on_train_begin()
        for epoch in range(getattr(self, "_initial_epoch", None) or initial_epoch, epochs):
            self._renew_programs()
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            epoch_logs = self._epoch_of(iterator, callbacks)
            if validation_data is not None and self._should_eval(epoch, validation_freq):
                epoch_logs |= self._validated(validation_data, validation_batch_size or batch_size, validation_steps, callbacks)
            callbacks.on_epoch_end(epoch, epoch_logs := _as_python(epoch_logs))
            if self.stop_training:
                break
        if isinstance(self.optimizer, optimizers_module.Optimizer) and epochs > 0:
            with no_gradients():
                self.optimizer.finalize_variable_values(self.trainable_weights)
        self._eval_epoch_iterator = None
        callbacks.on_train_end(logs=epoch_logs)
        return self.history

    def _epoch_of(self, iterator, callbacks):
        """Take the steps of an epoch; return what the metrics say."""
        logs = {}
        for begin, end, batches in iterator:
            callbacks.on_train_batch_begin(begin)
            logs = self.train_function(batches)
            callbacks.on_train_batch_end(end, logs)
            if self.stop_training:
                break
        with no_gradients():
            return dict(self._get_metrics_result_or_logs(logs))

    def _validated(self, data, batch_size, steps, callbacks):
        """Evaluate the model on the data of validation, whose batches are kept for the next epoch."""
        x, y, weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        if self._eval_epoch_iterator is None:
            self._eval_epoch_iterator = _data.Batches(
                x=x,
                y=y,
                sample_weight=weight,
                batch_size=batch_size,
                steps_per_execution=self.steps_per_execution,
                steps_per_epoch=steps,
                shuffle=False,
            )
        found = self.evaluate(
            x=x,
            y=y,
            sample_weight=weight,
            batch_size=batch_size,
            steps=steps,
            callbacks=callbacks,
            return_dict=True,
            _use_cached_evaldataset=True,
        )
        return {f"val_{name}": value for name, value in found.items()}

    @traceback_utils.filter_traceback
    @to_the_caller
    def evaluate(
        self,
        x=None,
        y=None,
        batch_size=None,
        verbose="auto",
        sample_weight=None,
        steps=None,
        callbacks=None,
        return_dict=False,
        **kwargs,
    ):
        """The loss and the metrics of data; see keras.Model.evaluate()."""
        self._assert_compile_called("evaluate")
        cached = kwargs.pop("_use_cached_evaldataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        iterator = self._eval_epoch_iterator if cached else None
        if iterator is None:
            iterator = _data.Batches(
                x=x,
                y=y,
                sample_weight=sample_weight,
                batch_size=batch_size,
                steps_per_epoch=steps,
                shuffle=False,
                steps_per_execution=self.steps_per_execution,
            )
        self._symbolic_build(iterator=iterator)
        iterator.reset()
        callbacks = self._callback_list(callbacks, verbose, 1, iterator)
        self.make_test_function()
        self._renew_programs()
        self.stop_evaluating = False
        callbacks.on_test_begin()
        logs = {}
        self.reset_metrics()
        for begin, end, batches in iterator:
            callbacks.on_test_batch_begin(begin)
            logs = self.test_function(batches)
            callbacks.on_test_batch_end(end, logs)
            if self.stop_evaluating:
                break
        with no_gradients():
            logs = _as_python(self._get_metrics_result_or_logs(logs))
        callbacks.on_test_end(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback
    @to_the_caller
    def predict(self, x, batch_size=None, verbose="auto", steps=None, callbacks=None):
        """The model's outputs for data, as NumPy arrays; see keras.Model.predict()."""
        iterator = _data.Batches(
            x=x, batch_size=batch_size, steps_per_epoch=steps, shuffle=False, steps_per_execution=self.steps_per_execution
        )
        callbacks = self._callback_list(callbacks, verbose, 1, iterator)
        self.make_predict_function()
        self._renew_programs()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        found = []
        for begin, end, batches in iterator:
            callbacks.on_predict_batch_begin(begin)
            outputs = self.predict_function(batches)
            found.append(outputs)
            callbacks.on_predict_batch_end(end, {"outputs": outputs})
            if self.stop_predicting:
                break
        callbacks.on_predict_end()
        return tree.map_structure(_joined, *found)

    # ---- single batches

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, return_dict=False):
        """Trains on one batch; see keras.Model.train_on_batch()."""
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same time. "
                    f"Received: sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        return self._one_batch((x, y, sample_weight), self.make_train_function, "train_function", return_dict)

    def test_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        """Evaluates one batch; see keras.Model.test_on_batch()."""
        self._assert_compile_called("test_on_batch")
        return self._one_batch((x, y, sample_weight), self.make_test_function, "test_function", return_dict)

    def _one_batch(self, data, make, name, return_dict):
        data = _data.on_device(data)
        self._symbolic_build(data_batch=data)
        make()
        self._renew_programs()
        if _RESETS_EACH_BATCH:
            self.reset_metrics()
        logs = _as_python(getattr(self, name)([data]))
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    def predict_on_batch(self, x):
        """The outputs for one batch, as NumPy arrays."""
        self.make_predict_function()
        self._renew_programs()
        return tree.map_structure(backend.convert_to_numpy, self.predict_function([(x,)]))


def _rows(x):
    return next(one for one in tree.flatten(x) if one is not None).shape[0]


def _each(step):
    """A function of a list of batches, which returns what the step gives for the last one."""

    def each(batches):
        for batch in batches:
            logs = step(_data.on_device(batch))
        raise_swallowed()
        return logs

    return each


def _unrecorded(step):
    def run(data):
        with no_gradients():
            return step(data)

    return run


def _joined(*parts):
    if len(parts) == 1:
        return backend.convert_to_numpy(parts[0])
    if all(type(part) is Array for part in parts):
        return backend.convert_to_numpy(qn.concatenate(parts))
    return np.concatenate([backend.convert_to_numpy(part) for part in parts])
