"""tf.data: datasets of tensors in memory, with the steps that programs of this kind chain."""

import itertools
import math

import numpy as np
from keras.src import tree

import quern as qn
from quern.keras.backend.core import convert_to_tensor
from quern.keras.backend.data import Source
from quern.tensorflow import _elements
from quern.tensorflow._constants import converted
from quern.tensorflow._specs import DatasetSpec, TensorSpec
from quern.tensorflow.dtypes import as_dtype
from quern.tensorflow.errors import InvalidArgumentError

AUTOTUNE = -1
_NOTHING = object()
INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


class Dataset(Source):
    """Elements (tensors, or structures of them) that can be walked over again and again. Each step gives another dataset.

    Examples
    --------
    >>> ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).batch(32)          # doctest: +SKIP
    """

    def __init__(self, make, count, spec=None, kind="Dataset", batch_size=None):
        self._make, self._count, self._spec, self._kind, self.batch_size = make, count, spec, kind, batch_size

    def _same(self, make, count, kind):
        """Another dataset of such elements."""
        return Dataset(make, count, lambda: self.element_spec, kind, self.batch_size)

    def __repr__(self):
        return f"<{self._kind} element_spec={self.element_spec!r}>"

    def __bool__(self):
        return True

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        """Return a dataset of the slices of tensors along their first axis.

        Parameters
        ----------
        tensors : array_like, tuple or dict
            Tensor, or a structure of tensors of one length.
        name : str, optional
            Accepted for compatibility.

        Returns
        -------
        Dataset
            Dataset.

        Examples
        --------
        >>> import quern.keras
        >>> import quern.tensorflow as tf
        >>> list(tf.data.Dataset.from_tensor_slices([1, 2, 3]).batch(2).as_numpy_iterator())
        [array([1, 2], dtype=int32), array([3], dtype=int32)]
        """
        return _Slices(tree.map_structure(_host, _tuples(tensors)))

    @staticmethod
    def from_tensors(tensors, name=None):
        """Return a dataset of one element.

        Parameters
        ----------
        tensors : array_like, tuple or dict
            Element.
        name : str, optional
            Accepted for compatibility.

        Returns
        -------
        Dataset
            Dataset.
        """
        element = tree.map_structure(convert_to_tensor, _tuples(tensors))
        return Dataset(lambda: iter((element,)), 1, lambda: _elements.of_tensors(element), "_TensorDataset")

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None):
        """Return a dataset of what a generator yields.

        Parameters
        ----------
        generator : callable
            Function that returns an iterator.
        output_types : DType or structure, optional
            Data types of the elements.
        output_shapes : TensorShape or structure, optional
            Shapes of the elements.
        args : tuple, optional
            Arguments of the function.
        output_signature : TensorSpec or structure, optional
            Data types and shapes of the elements.
        name : str, optional
            Accepted for compatibility.

        Returns
        -------
        Dataset
            Dataset.

        Examples
        --------
        >>> import quern.keras
        >>> import quern.tensorflow as tf
        >>> ds = tf.data.Dataset.from_generator(lambda: iter([1, 2]), output_signature=tf.TensorSpec((), tf.int32))
        >>> list(ds.as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        kinds = output_types if output_signature is None else tree.map_structure(lambda spec: spec.dtype, output_signature)
        kinds = None if kinds is None else tree.map_structure(as_dtype, kinds)
        spec = output_signature
        if spec is None and kinds is not None:
            shapes = tree.map_structure(lambda kind: None, kinds) if output_shapes is None else output_shapes
            spec = tree.map_structure_up_to(kinds, lambda kind, shape: TensorSpec(shape, kind), kinds, shapes)

        def made(element):
            if kinds is None:
                return tree.map_structure(convert_to_tensor, _tuples(element))
            if not tree.is_nested(kinds):
                return convert_to_tensor(element, kinds)
            element = tuple(element) if isinstance(kinds, tuple) else element
            return tree.map_structure_up_to(kinds, lambda kind, x: convert_to_tensor(x, kind), kinds, element)

        return Dataset(lambda: (made(e) for e in generator(*(args or ()))), UNKNOWN_CARDINALITY, spec, "_FlatMapDataset")

    @staticmethod
    def range(*args, **kwargs):
        """Integers, as Python's range() has them."""
        numbers, kind = range(*map(int, args)), as_dtype(kwargs.get("output_type", "int64"))
        return Dataset(lambda: (convert_to_tensor(n, kind) for n in numbers), len(numbers), TensorSpec((), kind), "_RangeDataset")

    @staticmethod
    def zip(*datasets, **kwargs):
        """Elements of several datasets as tuples."""
        datasets = datasets[0] if len(datasets) == 1 and isinstance(datasets[0], (tuple, list, dict)) else datasets
        flat, shape = tree.flatten(datasets), tuple(datasets) if isinstance(datasets, list) else datasets
        ends = [d._count for d in flat if d._count != INFINITE_CARDINALITY]
        count = UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in ends else min(ends, default=INFINITE_CARDINALITY)
        return Dataset(
            lambda: (tree.pack_sequence_as(shape, list(e)) for e in zip(*flat, strict=False)),
            count,
            lambda: tree.pack_sequence_as(shape, [d.element_spec for d in flat]),
            "_ZipDataset",
        )

    def __iter__(self):
        return _elements.Iterator(self)

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
        return _elements.NumpyIterator(self)

    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        """Return a dataset of the results of a function of each element.

        Parameters
        ----------
        map_func : callable
            Function; the parts of a tuple are its arguments.
        num_parallel_calls, deterministic, name : object, optional
            Accepted for compatibility.

        Returns
        -------
        Dataset
            Dataset.

        Examples
        --------
        >>> import quern.keras
        >>> import quern.tensorflow as tf
        >>> list(tf.data.Dataset.range(3).map(lambda x: x * 10).as_numpy_iterator())
        [np.int64(0), np.int64(10), np.int64(20)]
        """
        kind = "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset"
        return Dataset(
            lambda: (_mapped(map_func, e) for e in self),
            self._count,
            lambda: _elements.mapped(map_func, self.element_spec, _mapped),
            kind,
            self.batch_size,
        )

    def flat_map(self, map_func, name=None):
        """The elements of the datasets that a function gives for each element, one dataset after the other."""
        return Dataset(
            lambda: itertools.chain.from_iterable(_called(map_func, e) for e in self),
            UNKNOWN_CARDINALITY,
            lambda: self._inner_spec(map_func),
            "_FlatMapDataset",
        )

    def _inner_spec(self, function):
        """The spec of the elements of a dataset that a function gives."""
        for element in self:
            return _called(function, element).element_spec
        return None

    def reduce(self, initial_state, reduce_func, name=None):
        """What a function of the state and an element makes of all elements."""
        state = tree.map_structure(converted, initial_state)
        for element in self:
            state = tree.map_structure(converted, reduce_func(state, element))
        return state

    def apply(self, transformation_func):
        """What a function makes of the dataset."""
        return transformation_func(self)

    def shard(self, num_shards, index, name=None):
        """Every ``num_shards``-th element, from number ``index`` on."""
        num_shards, index = int(num_shards), int(index)
        _need(num_shards > 0, f"Number of shards must be greater than zero (currently num_shards = {num_shards}).")
        _need(0 <= index < num_shards, f"Index must be between 0 and {num_shards - 1} (currently index = {index}).")
        count = self._count if self._count < 0 else len(range(index, self._count, num_shards))
        return self._same(lambda: itertools.islice(iter(self), index, None, num_shards), count, "_ShardDataset")

    def filter(self, predicate, name=None):
        """Return a dataset of the elements for which a function is true.

        Parameters
        ----------
        predicate : callable
            Function; the parts of a tuple are its arguments.
        name : str, optional
            Accepted for compatibility.

        Returns
        -------
        Dataset
            Dataset.

        Examples
        --------
        >>> import quern.keras
        >>> import quern.tensorflow as tf
        >>> list(tf.data.Dataset.range(5).filter(lambda x: x % 2 == 0).as_numpy_iterator())
        [np.int64(0), np.int64(2), np.int64(4)]
        """
        return self._same(lambda: (e for e in self if bool(_called(predicate, e))), UNKNOWN_CARDINALITY, "_FilterDataset")

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        """Return a dataset of batches of elements.

        Parameters
        ----------
        batch_size : int
            Number of elements in a batch.
        drop_remainder : bool, optional
            Whether to leave out a last batch that is not full.
        num_parallel_calls, deterministic, name : object, optional
            Accepted for compatibility.

        Returns
        -------
        Dataset
            Dataset.
        """
        size = _batch_size(batch_size)

        def make():
            source = iter(self)
            while part := list(itertools.islice(source, size)):
                if len(part) < size and drop_remainder:
                    return
                yield tree.map_structure(lambda *xs: qn.stack([convert_to_tensor(x) for x in xs]), *part)

        return self._batched(make, size, drop_remainder, num_parallel_calls)

    def _batched(self, make, size, drop_remainder, num_parallel_calls):
        kind = "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset"
        count = _divided(self._count, size, drop_remainder)
        return Dataset(make, count, lambda: _elements.batched(self.element_spec, size if drop_remainder else None), kind, size)

    def unbatch(self, name=None):
        """The slices of each element."""

        def make():
            for element in self:
                for i in range(tree.flatten(element)[0].shape[0]):
                    yield tree.map_structure(lambda x, i=i: x[i], element)

        return Dataset(make, UNKNOWN_CARDINALITY, lambda: _elements.unbatched(self.element_spec), "_UnbatchDataset")

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        """The elements in random order, each drawn from the next ``buffer_size``."""
        buffer_size = _buffer_size(buffer_size, self._count)
        draw = _Order(seed, reshuffle_each_iteration)

        def make():
            rng, held = draw(), []
            for element in self:
                held.append(element)
                if len(held) >= buffer_size:
                    yield held.pop(int(rng.integers(len(held))))
            rng.shuffle(held)
            yield from held

        return self._same(make, self._count, "_ShuffleDataset")

    def repeat(self, count=None, name=None):
        """The dataset so many times; without a number without an end."""
        count = _number(count)
        if count is None or count < 0:
            return self._same(lambda: _without_end(self), INFINITE_CARDINALITY if self._count else 0, "_RepeatDataset")
        return self._same(
            lambda: itertools.chain.from_iterable(itertools.repeat(self, count)),
            self._count * count if self._count >= 0 or not count else self._count,
            "_RepeatDataset",
        )

    def take(self, count, name=None):
        """The first elements; all of them for -1."""
        count = _number(count)
        if count < 0:
            return self._same(self._make, self._count, "_TakeDataset")
        known = self._count if self._count == UNKNOWN_CARDINALITY else count if self._count < 0 else min(count, self._count)
        return self._same(lambda: itertools.islice(iter(self), count), known, "_TakeDataset")

    def skip(self, count, name=None):
        """All but the first elements; no element at all for -1."""
        count = _number(count)
        if count < 0:
            return self._same(lambda: iter(()), 0, "_SkipDataset")
        known = max(self._count - count, 0) if self._count >= 0 else self._count
        return self._same(lambda: itertools.islice(iter(self), count, None), known, "_SkipDataset")

    def take_while(self, predicate, name=None):
        """The elements up to the first one for which a function is not true."""
        make = lambda: itertools.takewhile(lambda e: bool(_called(predicate, e)), self)  # noqa: E731
        return self._same(make, UNKNOWN_CARDINALITY, "_TakeWhileDataset")

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

        return Dataset(make, UNKNOWN_CARDINALITY, lambda: self._inner_spec(map_func), "_InterleaveDataset")

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
        """Elements stacked, so many at a time, each axis as long as the longest of them, or as ``padded_shapes`` says."""
        size = _batch_size(batch_size)

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
            while part := list(itertools.islice(source, size)):
                if len(part) < size and drop_remainder:
                    return
                flat = [tree.flatten(e) for e in part]
                one = not tree.is_nested(part[0])
                shapes = [None] * len(flat[0]) if padded_shapes is None else [padded_shapes] if one else list(padded_shapes)
                values = [padding_values] * len(flat[0]) if not isinstance(padding_values, (tuple, list)) else list(padding_values)
                done = [stacked(xs, s, v) for xs, s, v in zip(zip(*flat, strict=True), shapes, values, strict=True)]
                yield tree.pack_sequence_as(part[0], done)

        return Dataset(
            make,
            _divided(self._count, size, drop_remainder),
            lambda: _elements.padded(self.element_spec, size if drop_remainder else None, padded_shapes),
            "_PaddedBatchDataset",
            size,
        )

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Datasets of ``size`` elements, ``stride`` apart; the next one starts ``shift`` further on."""
        size, shift, stride = int(size), _number(shift) or int(size), int(stride)
        _need(size > 0, "Window size must be greater than zero.")
        _need(shift > 0 and stride > 0, "Window shift and stride must be greater than zero.")

        def make():
            held, source, is_open = [], iter(self), True
            while True:
                while is_open and len(held) <= (size - 1) * stride:
                    element = next(source, _NOTHING)
                    is_open = element is not _NOTHING
                    held += [element] if is_open else []
                part = held[::stride][:size]
                if not part or len(part) < size and drop_remainder:
                    return
                columns = zip(*map(tree.flatten, part), strict=True)
                sets = [_of_column(column) for column in columns]
                yield tree.pack_sequence_as(part[0], sets)
                for _ in range(max(shift - len(held), 0)):
                    next(source, None)
                del held[:shift]

        spec = lambda: tree.map_structure(DatasetSpec, self.element_spec)  # noqa: E731
        count = self._count
        if count >= 0:
            reach = (size - 1) * stride
            count = max(0, (count - reach - 1) // shift + 1) if drop_remainder else math.ceil(count / shift)
        return Dataset(make, count, spec, "_WindowDataset")

    def unique(self, name=None):
        """Each element once, in the order of their first places."""

        def make():
            seen = set()
            for element in self:
                key = tuple((x.shape, x.get().tobytes()) for x in map(convert_to_tensor, tree.flatten(element)))
                if key not in seen:
                    seen.add(key)
                    yield element

        return self._same(make, UNKNOWN_CARDINALITY, "_UniqueDataset")

    def scan(self, initial_state, scan_func, name=None):
        """What a function of a state and an element gives beside the next state."""

        def make():
            state = tree.map_structure(converted, initial_state)
            for element in self:
                state, made = scan_func(state, element)
                yield tree.map_structure(convert_to_tensor, made)

        return Dataset(make, self._count, None, "_ScanDataset")

    def rebatch(self, batch_size, drop_remainder=False, name=None):
        """The rows of batches in batches of another size."""
        made = self.unbatch().batch(batch_size, drop_remainder)
        made._kind = "_RebatchDataset"
        return made

    @staticmethod
    def counter(start=0, step=1, dtype="int64", name=None):
        """Numbers in equal steps without an end."""
        kind = as_dtype(dtype)
        numbers = lambda: (convert_to_tensor(n, kind) for n in itertools.count(start, step))  # noqa: E731
        return Dataset(numbers, INFINITE_CARDINALITY, TensorSpec((), kind), "_CounterDataset")

    @property
    def element_spec(self):
        """The shape and the type of the elements; found from the first one where nothing else determines them."""
        spec = self._spec() if callable(self._spec) else self._spec
        if spec is None:
            for element in self:
                spec = _elements.of_tensors(element)
                break
        self._spec = spec
        return spec

    def get_single_element(self, name=None):
        """Return the only element."""
        found = list(itertools.islice(iter(self), 2))
        _need(found, "Dataset was empty.")
        _need(len(found) == 1, "Dataset had more than one element.")
        return found[0]

    def enumerate(self, start=0, name=None):
        """Pairs of a number and an element."""
        return Dataset(
            lambda: ((convert_to_tensor(i, "int64"), e) for i, e in enumerate(self, int(start))),
            self._count,
            lambda: (TensorSpec((), "int64"), self.element_spec),
            "_ZipDataset",
        )

    def concatenate(self, dataset, name=None):
        """Return a dataset of the elements of this one, followed by those of another one.

        Parameters
        ----------
        dataset : Dataset
            Other dataset.
        name : str, optional
            Accepted for compatibility.

        Returns
        -------
        Dataset
            Dataset.
        """
        counts = self._count, dataset._count
        count = sum(counts) if min(counts) >= 0 else INFINITE_CARDINALITY if INFINITE_CARDINALITY in counts else UNKNOWN_CARDINALITY
        spec = lambda: _elements.joined(self.element_spec, dataset.element_spec)  # noqa: E731
        return Dataset(lambda: itertools.chain(self, dataset), count, spec, "_ConcatenateDataset", self.batch_size)

    def cache(self, filename="", name=None):
        """The dataset, whose elements are kept after the first time."""
        kept = []

        def make():
            if not kept:
                kept.append(list(self))
            return iter(kept[0])

        return self._same(make, self._count, "CacheDataset")

    def prefetch(self, buffer_size, name=None):
        """The same elements: work is submitted ahead of its results anyway."""
        return self._same(self._make, self._count, "_PrefetchDataset")

    def with_options(self, options, name=None):
        """The same elements."""
        return self._same(self._make, self._count, "_OptionsDataset")

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"{self._kind!r} object has no attribute {name!r}")
        raise AttributeError(
            f"{self._kind!r} object has no attribute {name!r}: tf.data.Dataset.{name} is not supported by quern; write it as a Python "
            "generator or with NumPy"
        )


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
        if not all(len(x.shape) for x in tree.flatten(arrays)):
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        counts = sorted({len(x) for x in tree.flatten(arrays)})
        if len(counts) != 1:
            raise ValueError(f"Dimensions {' and '.join(map(str, counts))} are not compatible")
        kind = "_TensorSliceDataset" if order is None else "_ShuffleDataset"
        super().__init__(self._elements, counts[0], lambda: _elements.of_slices(arrays), kind)

    def _places(self):
        return np.arange(self._count) if self._order is None else self._order().permutation(self._count)

    def _elements(self):
        for i in self._places():
            yield tree.map_structure(lambda x, i=i: convert_to_tensor(x[i]), self._arrays)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        buffer_size = _buffer_size(buffer_size, self._count)
        if self._order is None and buffer_size >= self._count:
            return _Slices(self._arrays, _Order(seed, reshuffle_each_iteration))
        return super().shuffle(buffer_size, seed, reshuffle_each_iteration)

    shuffle.__doc__ = Dataset.shuffle.__doc__

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        size = _batch_size(batch_size)

        def make():
            places = self._places()
            stop = self._count - self._count % size if drop_remainder else self._count
            for start in range(0, stop, size):
                part = places[start : start + size]
                part = slice(int(part[0]), int(part[-1]) + 1) if self._order is None else part
                yield tree.map_structure(lambda x, part=part: convert_to_tensor(x[part]), self._arrays)

        return self._batched(make, size, drop_remainder, num_parallel_calls)

    batch.__doc__ = Dataset.batch.__doc__
    batch.__qualname__, shuffle.__qualname__ = "Dataset.batch", "Dataset.shuffle"  # in Python's errors of wrong calls


def _need(condition, text):
    if not condition:
        raise InvalidArgumentError(text)


def _number(count):
    """A number, also of a tensor."""
    return None if count is None else int(count)


def _batch_size(size):
    size = int(size)
    _need(size > 0, "Batch size must be greater than zero.")
    return size


def _buffer_size(size, count):
    size = int(size)
    _need(size > 0 or size == UNKNOWN_CARDINALITY, "buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
    return size if size > 0 else max(count, 1)


def _without_end(dataset):
    while True:
        is_empty = True
        for element in dataset:
            is_empty = False
            yield element
        if is_empty:
            return


def _of_column(column):
    return Dataset(lambda: iter(column), len(column), lambda: _elements.of_tensors(column[0]), "_TensorSliceDataset")


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


def _mapped(function, element):
    """What a function makes of an element, in tensors."""
    made = _called(function, element)
    made = tuple(made) if isinstance(made, list) else made
    return tree.map_structure(lambda x: x if x is None or isinstance(x, Dataset) else convert_to_tensor(x), made)


class experimental:  # noqa: N801
    """The names that stood here first."""

    AUTOTUNE = AUTOTUNE
    INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = INFINITE_CARDINALITY, UNKNOWN_CARDINALITY

    @staticmethod
    def cardinality(dataset):
        """Return how many elements there are: -1 for no end, -2 where it is not known."""
        return dataset.cardinality()


class Options:
    """Takes TensorFlow's options, which change nothing."""


def __getattr__(name):
    raise AttributeError(f"tensorflow.data.{name} is not supported by quern; tf.data.Dataset is")
