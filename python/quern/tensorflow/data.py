"""tf.data: datasets of tensors in memory, with the steps that programs of this kind chain."""

import itertools
import math

import numpy as np
from keras.src import tree

import quern as qn
from quern.keras.backend.core import convert_to_tensor
from quern.keras.backend.data import Source
from quern.tensorflow._functions import DType

AUTOTUNE = -1
_NOTHING = object()
INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


class TensorSpec:
    """The shape and the type of tensors."""

    def __init__(self, shape, dtype="float32", name=None):
        self.shape, self.dtype, self.name = shape, dtype, name


class Dataset(Source):
    """Elements (tensors, or structures of them) that can be walked over again and again. Each step gives another dataset.

    >>> ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).batch(32)          # doctest: +SKIP
    """

    def __init__(self, make, count, batch_size=None):
        self._make, self._count, self.batch_size = make, count, batch_size

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        """The slices of tensors along their first axis."""
        return _Slices(tree.map_structure(_host, _tuples(tensors)))

    @staticmethod
    def from_tensors(tensors, name=None):
        """One element."""
        element = tree.map_structure(convert_to_tensor, _tuples(tensors))
        return Dataset(lambda: iter((element,)), 1)

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None):
        """What a function's generator yields; ``output_signature``, or ``output_types``: the elements' types."""
        kinds = output_types if output_signature is None else tree.map_structure(lambda spec: spec.dtype, output_signature)

        def made(element):
            if kinds is None:
                return tree.map_structure(convert_to_tensor, _tuples(element))
            if not tree.is_nested(kinds):
                return convert_to_tensor(element, kinds)
            element = tuple(element) if isinstance(kinds, tuple) else element
            return tree.map_structure_up_to(kinds, lambda kind, x: convert_to_tensor(x, kind), kinds, element)

        return Dataset(lambda: (made(e) for e in generator(*(args or ()))), UNKNOWN_CARDINALITY)

    @staticmethod
    def range(*args, **kwargs):
        """Integers, as Python's range() has them."""
        numbers = range(*args)
        return Dataset(lambda: (convert_to_tensor(n, "int64") for n in numbers), len(numbers))

    @staticmethod
    def zip(*datasets, **kwargs):
        """Elements of several datasets as tuples."""
        datasets = datasets[0] if len(datasets) == 1 and isinstance(datasets[0], (tuple, list)) else datasets
        return Dataset(lambda: zip(*datasets, strict=False), min(d._count for d in datasets))

    def __iter__(self):
        return self._make()

    def __len__(self):
        if self._count < 0:
            raise TypeError("The dataset is infinite." if self._count == INFINITE_CARDINALITY else "The dataset length is unknown.")
        return self._count

    @property
    def num_batches(self):
        """How many elements there are, or None."""
        return None if self._count < 0 else self._count

    def cardinality(self):
        """How many elements there are: -1 for no end, -2 where it is not known."""
        return convert_to_tensor(self._count, "int64")

    def as_numpy_iterator(self):
        """The elements as NumPy arrays."""
        return (tree.map_structure(lambda x: x.get()[()], e) for e in self)

    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        """A function of each element; tuples are its arguments."""
        return Dataset(lambda: (_called(map_func, e) for e in self), self._count, self.batch_size)

    def flat_map(self, map_func, name=None):
        """The elements of the datasets that a function gives for each element, one dataset after the other."""
        return Dataset(lambda: itertools.chain.from_iterable(_called(map_func, e) for e in self), UNKNOWN_CARDINALITY)

    def reduce(self, initial_state, reduce_func, name=None):
        """What a function of the state and an element makes of all elements."""
        state = tree.map_structure(convert_to_tensor, initial_state)
        for element in self:
            state = reduce_func(state, element)
        return state

    def apply(self, transformation_func):
        """What a function makes of the dataset."""
        return transformation_func(self)

    def shard(self, num_shards, index, name=None):
        """Every ``num_shards``-th element, from number ``index`` on."""
        count = self._count if self._count < 0 else len(range(index, self._count, num_shards))
        return Dataset(lambda: itertools.islice(iter(self), index, None, num_shards), count, self.batch_size)

    def filter(self, predicate, name=None):
        """The elements for which a function is true."""
        return Dataset(lambda: (e for e in self if bool(_called(predicate, e))), UNKNOWN_CARDINALITY, self.batch_size)

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        """Elements stacked, so many at a time; the last ones may be fewer unless ``drop_remainder``."""
        size = int(batch_size)

        def make():
            source = iter(self)
            while part := list(itertools.islice(source, size)):
                if len(part) < size and drop_remainder:
                    return
                yield tree.map_structure(lambda *xs: qn.stack([convert_to_tensor(x) for x in xs]), *part)

        return Dataset(make, _divided(self._count, size, drop_remainder), size)

    def unbatch(self, name=None):
        """The slices of each element."""

        def make():
            for element in self:
                for i in range(tree.flatten(element)[0].shape[0]):
                    yield tree.map_structure(lambda x, i=i: x[i], element)

        return Dataset(make, UNKNOWN_CARDINALITY)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        """The elements in random order, each drawn from the next ``buffer_size``."""
        draw = _Order(seed, reshuffle_each_iteration)

        def make():
            rng, held = draw(), []
            for element in self:
                held.append(element)
                if len(held) >= buffer_size:
                    yield held.pop(int(rng.integers(len(held))))
            rng.shuffle(held)
            yield from held

        return Dataset(make, self._count, self.batch_size)

    def repeat(self, count=None, name=None):
        """The dataset so many times; without a number without an end."""
        if count is None or count < 0:
            return Dataset(lambda: itertools.chain.from_iterable(itertools.repeat(self)), INFINITE_CARDINALITY, self.batch_size)
        return Dataset(
            lambda: itertools.chain.from_iterable(itertools.repeat(self, count)),
            self._count * count if self._count >= 0 else self._count,
            self.batch_size,
        )

    def take(self, count, name=None):
        """The first elements; all of them for -1."""
        if count < 0:
            return self
        return Dataset(lambda: itertools.islice(iter(self), count), count if self._count < 0 else min(count, self._count), self.batch_size)

    def skip(self, count, name=None):
        """All but the first elements; none for -1."""
        count = self._count if count < 0 and self._count >= 0 else count
        return Dataset(lambda: itertools.islice(iter(self), count, None), max(self._count - count, 0) if self._count >= 0 else self._count)

    def take_while(self, predicate, name=None):
        """The elements up to the first one for which a function is not true."""
        return Dataset(lambda: itertools.takewhile(lambda e: bool(_called(predicate, e)), self), UNKNOWN_CARDINALITY, self.batch_size)

    def interleave(self, map_func, cycle_length=None, block_length=1, num_parallel_calls=None, deterministic=None, name=None):
        """The elements of the datasets that a function gives, ``block_length`` of each of ``cycle_length`` datasets in turn."""

        def make():
            source, open_ones = iter(self), []
            places = itertools.cycle(range(cycle_length or 10))
            open_ones = [None] * (cycle_length or 10)
            left = True
            while left or any(one is not None for one in open_ones):
                i = next(places)
                if open_ones[i] is None and left:
                    element = next(source, _NOTHING)
                    left = element is not _NOTHING
                    open_ones[i] = iter(_called(map_func, element)) if left else None
                if open_ones[i] is None:
                    continue
                part = list(itertools.islice(open_ones[i], block_length))
                yield from part
                if len(part) < block_length:
                    open_ones[i] = None

        return Dataset(make, UNKNOWN_CARDINALITY)

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
        """Elements stacked, so many at a time, each axis as long as the longest of them, or as ``padded_shapes`` says."""

        def stacked(xs, shape, value):
            xs = [convert_to_tensor(x) for x in xs]
            most = [max(x.shape[i] for x in xs) for i in range(xs[0].ndim)]
            shape = most if shape is None else [m if n in (None, -1) else int(n) for m, n in zip(most, shape, strict=True)]
            if any(n < m for n, m in zip(shape, most, strict=True)):
                raise ValueError(f"[padded_batch] an element is larger than the padded shape {tuple(shape)}")
            value = 0 if value is None else convert_to_tensor(value, xs[0]._dtype_name)
            made = convert_to_tensor(qn.full((len(xs), *shape), value, dtype=xs[0]._dtype_name))
            for i, x in enumerate(xs):
                made[(i, *(slice(0, n) for n in x.shape))] = x
            return made

        def make():
            source = iter(self)
            while part := list(itertools.islice(source, int(batch_size))):
                if len(part) < batch_size and drop_remainder:
                    return
                flat = [tree.flatten(e) for e in part]
                one = not tree.is_nested(part[0])
                shapes = [None] * len(flat[0]) if padded_shapes is None else [padded_shapes] if one else list(padded_shapes)
                values = [padding_values] * len(flat[0]) if not isinstance(padding_values, (tuple, list)) else list(padding_values)
                done = [stacked(xs, s, v) for xs, s, v in zip(zip(*flat, strict=True), shapes, values, strict=True)]
                yield tree.pack_sequence_as(part[0], done)

        return Dataset(make, _divided(self._count, int(batch_size), drop_remainder), int(batch_size))

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Datasets of ``size`` elements, ``stride`` apart; the next one starts ``shift`` further on."""
        shift = size if shift is None else shift

        def make():
            held = list(self)
            for start in range(0, len(held), shift):
                part = held[start::stride][:size]
                if len(part) < size and drop_remainder:
                    return
                columns = zip(*map(tree.flatten, part), strict=True)
                sets = [Dataset(lambda column=column: iter(column), len(column)) for column in columns]
                yield tree.pack_sequence_as(part[0], sets)

        return Dataset(make, UNKNOWN_CARDINALITY)

    def unique(self, name=None):
        """Each element once, in the order of their first places."""

        def make():
            seen = set()
            for element in self:
                key = tuple((x.shape, x.get().tobytes()) for x in map(convert_to_tensor, tree.flatten(element)))
                if key not in seen:
                    seen.add(key)
                    yield element

        return Dataset(make, UNKNOWN_CARDINALITY)

    @property
    def element_spec(self):
        """The shape and the type of the elements, of the first one's."""
        return tree.map_structure(lambda x: TensorSpec(tuple(x.shape), DType(x._dtype_name)), next(iter(self)))

    def enumerate(self, start=0, name=None):
        """Pairs of a number and an element."""
        return Dataset(lambda: ((convert_to_tensor(i, "int64"), e) for i, e in enumerate(self, start)), self._count)

    def concatenate(self, dataset, name=None):
        """The elements of this dataset, then those of another one."""
        count = self._count + dataset._count if min(self._count, dataset._count) >= 0 else UNKNOWN_CARDINALITY
        return Dataset(lambda: itertools.chain(self, dataset), count, self.batch_size)

    def cache(self, filename="", name=None):
        """The dataset, whose elements are kept after the first time."""
        kept = []

        def make():
            if not kept:
                kept.append(list(self))
            return iter(kept[0])

        return Dataset(make, self._count, self.batch_size)

    def prefetch(self, buffer_size, name=None):
        """The dataset itself: work is submitted ahead of its results anyway."""
        return self

    def with_options(self, options, name=None):
        """The dataset itself."""
        return self

    def __getattr__(self, name):
        raise AttributeError(f"tf.data.Dataset.{name} is not served by quern; write it as a Python generator or with NumPy")


class _Order:
    """Generators for the orders of shuffles: another one each time unless that is not wanted."""

    def __init__(self, seed, again):
        self.first = np.random.randint(1 << 31) if seed is None else int(seed)
        self.again, self.rounds = again is not False, 0

    def __call__(self):
        self.rounds += self.again
        return np.random.default_rng((self.first, self.rounds))


class _Slices(Dataset):
    """Slices of arrays, which shuffle and batch as a whole."""

    def __init__(self, arrays, order=None):
        self._arrays, self._order = arrays, order
        counts = {len(x) for x in tree.flatten(arrays)}
        if len(counts) != 1:
            raise ValueError(f"the tensors have different lengths along their first axis: {sorted(counts)}")
        super().__init__(self._elements, counts.pop())

    def _places(self):
        return np.arange(self._count) if self._order is None else self._order().permutation(self._count)

    def _elements(self):
        for i in self._places():
            yield tree.map_structure(lambda x, i=i: convert_to_tensor(x[i]), self._arrays)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        if self._order is None and buffer_size >= self._count:
            return _Slices(self._arrays, _Order(seed, reshuffle_each_iteration))
        return super().shuffle(buffer_size, seed, reshuffle_each_iteration)

    shuffle.__doc__ = Dataset.shuffle.__doc__

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        size = int(batch_size)

        def make():
            places = self._places()
            stop = self._count - self._count % size if drop_remainder else self._count
            for start in range(0, stop, size):
                part = places[start : start + size]
                part = slice(int(part[0]), int(part[-1]) + 1) if self._order is None else part
                yield tree.map_structure(lambda x, part=part: convert_to_tensor(x[part]), self._arrays)

        return Dataset(make, _divided(self._count, size, drop_remainder), size)

    batch.__doc__ = Dataset.batch.__doc__


def _divided(count, size, drop):
    return count if count < 0 else count // size if drop else math.ceil(count / size)


def _host(x):
    """NumPy arrays stay on the host, where slices cost little; Python's numbers have TensorFlow's types."""
    if isinstance(x, np.ndarray):
        return x
    x = convert_to_tensor(x)
    return x if x._device_number >= 0 else x.get()


def _tuples(x):
    """Lists of tensors are one tensor, tuples and dicts structures, as TensorFlow has it."""
    if isinstance(x, tuple):
        return tuple(_tuples(one) for one in x)
    if isinstance(x, dict):
        return {name: _tuples(one) for name, one in x.items()}
    if not isinstance(x, list) or any(hasattr(one, "_dtype_name") for one in x):
        return x
    made = np.asarray(x)
    if not any(hasattr(one, "dtype") for one in tree.flatten(x)):  # Python's numbers
        if made.dtype == np.float64:
            return made.astype("float32")
        if made.dtype == np.int64 and (not made.size or -(1 << 31) <= made.min() and made.max() < 1 << 31):
            return made.astype("int32")
    return made


def _called(function, element):
    return function(*element) if isinstance(element, tuple) else function(element)


class Options:
    """Takes TensorFlow's options, which change nothing."""


def __getattr__(name):
    raise AttributeError(f"tensorflow.data.{name} is not served by quern; tf.data.Dataset is")
