"""Steps of training, evaluation and prediction that are recorded once for each kind of batch and then replayed (recording.py)."""

from keras.src import tree

from quern.keras.backend import recording
from quern.keras.backend.core import Array
from quern.keras.backend.layer import Changes
from quern.keras.backend.parts import State

_PLAIN_STEPS = 1  # of each kind of batch, which build what is built late


class Replayed:
    """A step as a function of a batch.

    A batch of a kind (structure, shapes, types) that has not been seen runs as plain Python, the next one is recorded, later ones are
    replayed. What a step returns are tensors, in any structure, or logs that are computed when they are read.

    Attributes of layers, optimizers and what they hold are constants of a program. Where one is set between two steps, as callbacks do, all
    programs are recorded anew; a step that sets some itself stays plain Python.
    """

    def __init__(self, step, model):
        self.step, self.model = step, model
        self.programs = {}  # by the kind of batch: how often it was seen, a program with what makes its result, or None
        self.print = None
        self.changes = Changes.count
        self.state = None  # of what the programs were recorded with

    def renew(self):
        """Forgets the programs where the model is another one than when they were recorded."""
        model = self.model
        now = [*map(id, model.trainable_variables), len(model.non_trainable_variables), id(getattr(model, "optimizer", None))]
        if now != self.print:
            self.print = now
            self.programs.clear()

    def __call__(self, batch):
        if self.changes != Changes.count or (self.state is not None and not self.state.is_the_same()):
            self.programs.clear()
            self.state = None
        try:
            return self._step_on(batch)
        finally:
            self.changes = Changes.count

    def _step_on(self, batch):
        flat = tree.flatten(batch)
        arrays = [x for x in flat if x is not None]
        key = (len(flat), *[(x._shape, x._dtype_name) if type(x) is Array else None for x in flat])
        known = self.programs.get(key, 0)
        if type(known) is tuple:
            run, finish = known
            return finish(run(arrays))
        if known is None or any(type(x) is not Array for x in arrays) or not recording.can_begin():
            return self.step(batch)
        if known < _PLAIN_STEPS:
            self.programs[key] = known + 1
            return self.step(batch)
        return self._record(key, batch, arrays)

    def _record(self, key, batch, arrays):
        self.programs[key] = None
        before, state = Changes.count, State(self.model)
        with recording.Recorder(arrays) as recorder:
            result = self.step(_traced_batch(batch, recorder))
        plain, outputs, finish = _finisher(result, recorder)
        del result
        recorder.check_escaped()
        if Changes.count != before or not state.is_the_same():
            recorder.void("attributes that the step sets")
        if not recorder.failed:
            self.programs[key] = recording.program(recorder, outputs), finish
            self.state = self.state or state
        return plain


def _traced_batch(batch, recorder):
    traced = iter(recorder.inputs)
    return tree.pack_sequence_as(batch, [None if x is None else next(traced) for x in tree.flatten(batch)])


def _finisher(result, recorder):
    """Return a result in plain tensors, the slots of its tensors, and the function that makes a result of their arrays."""
    if hasattr(result, "renewed"):  # logs that are computed later
        return result, [], lambda arrays: result.renewed()
    flat = tree.flatten(result)
    plain = tree.map_structure(recording.plain, result)
    if not all(type(x) is recording.Traced and x.slot is not None for x in flat):
        recorder.void("a result that is no tensor of the step")
        return plain, [], None
    slots = [x.slot for x in flat]
    if not tree.is_nested(plain):
        return plain, slots, lambda arrays: arrays[0]
    structure = tree.map_structure(lambda _: 0, plain)
    return plain, slots, lambda arrays: tree.pack_sequence_as(structure, arrays)
