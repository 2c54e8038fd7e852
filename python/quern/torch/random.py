"""Random tensors, and the generators they are drawn from.

Numbers are counter-based (Philox), the same on every device for a seed; they are not PyTorch's numbers of that seed.
"""

import contextlib
import math

import numpy

from quern.lib import _engine
from quern.torch import _creation, _faces, _shaping, _types, _value_checks
from quern.torch._arguments import check_all, wrong
from quern.torch._core import (
    Tensor,
    _op,
    add_methods,
    engine_device,
    engine_device_of,
    finish,
    grown,
    joined,
    name_of,
    sizes_in,
    sizes_of,
)
from quern.torch._types import DTYPES


class Generator:
    """Where random numbers come from: a seed and how many were drawn.

    >>> import quern.torch as torch
    >>> g = torch.Generator().manual_seed(1)
    >>> torch.rand(2, generator=g).shape
    torch.Size([2])
    """

    def __init__(self, device="cpu"):
        self.device = _types.as_device(device)
        self.manual_seed(67280421310721)

    def manual_seed(self, seed):
        """Starts the numbers of a seed, an integer of 64 bits; returns the generator."""
        try:
            seed = int(seed)
        except OverflowError:
            raise RuntimeError("Overflow when unpacking long long") from None
        if not -(1 << 63) <= seed < 1 << 64:
            raise RuntimeError("Overflow when unpacking long long")
        self._seed = seed % (1 << 64)
        self._stream = _engine.RandomStream(_engine.random_key([self._seed & 0xFFFFFFFF, self._seed >> 32]))
        return self

    def initial_seed(self):
        """The seed."""
        return self._seed

    def seed(self):
        """Starts the numbers of a seed that the system gives, and returns it."""
        import secrets

        self.manual_seed(secrets.randbits(63))
        return self._seed

    def get_state(self):
        """The seed and the place, as a tensor of bytes."""
        return _creation.from_numpy(numpy.array([self._seed, self._stream.place], numpy.uint64).view(numpy.uint8).copy())

    def set_state(self, new_state):
        """Goes back to a state that get_state() gave."""
        seed, place = new_state.cpu().numpy().view(numpy.uint64).tolist()
        self.manual_seed(seed)
        self._stream.place = place
        return self

    def clone_state(self):
        """Another generator in the same state."""
        return Generator(self.device).set_state(self.get_state())

    def __repr__(self):
        return f"<torch._C.Generator object of {self.device}>"


default_generator = Generator()
_engine.set_front_end("torch", generator=default_generator)


def manual_seed(seed):
    """Starts the random numbers of a seed on all devices; returns the default generator."""
    return default_generator.manual_seed(seed)


def seed():
    """Starts the numbers of a seed that the system gives, and returns it."""
    return default_generator.seed()


def initial_seed():
    """The default generator's seed."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state, as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Sets the default generator's state."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    """While it lasts, random numbers are drawn without changing the default generator."""
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(state)


# ---- draws


def _draw(op, sizes, name, device, generator):
    if not isinstance(generator, Generator | None):
        wrong("random function", "generator", 0, "torch.Generator", generator)
    stream = (default_generator if generator is None else generator)._stream
    sizes = sizes_in(sizes)
    return grown(_engine.array_random(op, sizes, stream.key, stream.take(math.prod(sizes)), name, device))


def _unit(sizes, device, generator, name="float32"):
    """In [0, 1)."""
    bits = _draw("random_bits", sizes, "uint64", device, generator)
    double = name == "float64"
    made = _engine.array_op("random_unit" if double else "random_unit32", bits, compute="uint64", result="float64" if double else "float32")
    return made if name in ("float32", "float64") else made._astype(name)


def _normal(sizes, device, generator, name="float32"):
    double = name == "float64"
    made = _draw("random_normal" if double else "random_normal32", sizes, "float64" if double else "float32", device, generator)
    return made if name in ("float32", "float64") else made._astype(name)


def _real_name(dtype, function):
    if dtype is None:
        return _engine.torch_default()
    name = name_of(dtype)
    if not (DTYPES[name].is_floating_point or DTYPES[name].is_complex):
        raise NotImplementedError(f"\"{function}\" not implemented for '{_types.scalar_name(DTYPES[name])}'")
    return name


_LIMITS = {"float32": 1 << 24, "float64": 1 << 53, "float16": 1 << 11, "bfloat16": 1 << 8, "bool": 2}


def normal(
    mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False
):
    """Numbers of normal distributions; mean and standard deviation are numbers, with a size, or tensors."""
    if not isinstance(std, Tensor) and not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        given = [v for v in (mean, std) if isinstance(v, Tensor)]
        shape = _shaping.broadcast_shapes(*(v._shape for v in given))
        made = mean + std * _normal(list(shape), engine_device_of(given[0]), generator, given[0]._dtype_name)
        if isinstance(std, Tensor):
            made = _value_checks.unless(made, _value_checks.all_within(std, 0), "normal expects all elements of std >= 0.0")
    else:
        made = _normal(sizes_of((size,)), engine_device(device), generator, _real_name(dtype, "normal")) * std + mean
    return made if out is None else finish(made, out)


def _trials(sizes, device, generator, p):
    """True with probability ``p``, a number or a tensor."""
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return _unit(sizes, device, generator) < p
    if not p.is_floating_point():
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_p_\" not implemented for '{_types.scalar_name(p.dtype)}'")
    p = p.detach()
    good = _value_checks.all_within(p, 0, 1)
    text = "Expected p_in >= 0 && p_in <= 1 to be true, but got false."
    return _value_checks.unless(_unit(sizes, device, generator) < p, good, text)


def bernoulli(input, p=None, *, generator=None, out=None):
    """1 with the probability that each element says (or ``p``), else 0."""
    made = _trials(list(input._shape), engine_device_of(input), generator, input if p is None else p).to(input.dtype)
    return joined(made, input) if out is None else finish(made, out)


def _unless_no_distribution(made, weights, drawn_again):
    """``made``, for whoever may see it only where each row of weights is a distribution's."""
    limits = _types.finfo(weights.dtype)
    finite = _value_checks.all_within(weights, 0, limits.max)
    filled = _value_checks.all_within(weights.sum(-1), limits.smallest_normal * limits.eps)  # that is, above 0
    if finite is True and filled is True:
        return made
    texts = ["sum of probabilities <= 0", "encountering probability entry < 0", "encountering probability entry = infinity or NaN"]
    texts = [f"invalid multinomial distribution ({text})" for text in texts]
    if not drawn_again:
        texts[1:] = ["probability tensor contains either `inf`, `nan` or element < 0"]
    codes = _op("where", (weights >= 0).all(), _op("where", (weights == math.inf).any(), 2, _op("where", filled, 0, -1)), 1)
    return _value_checks.unless_code(made, codes, texts)


def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """Places drawn with the elements of each row as weights. Without replacement by the largest of random keys (Efraimidis, 2006)."""
    if input._rank not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not input.is_floating_point():
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {_types.scalar_name(input.dtype)}")
    n = input._shape[-1]
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > n:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if replacement and not n:
        raise RuntimeError("cannot sample from prob_dist without categories")
    input, place = input.detach(), engine_device_of(input)
    if replacement:
        ends = _engine.array_running(input._astype("float64"), "add", input._rank - 1, None)
        u = _unit([*input._shape[:-1], num_samples], place, generator, "float64") * ends[..., -1:]
        made = (ends.unsqueeze(-2) <= u.unsqueeze(-1)).sum(-1).clamp(max=n - 1)
    else:
        e = -_op("log", 1 - _unit(list(input._shape), place, generator, "float64"))
        keys = _op("where", input > 0, e / input._astype("float64"), math.inf)
        made = _engine.array_argsort(keys, False, input._rank - 1)[..., :num_samples].contiguous()
    made = _unless_no_distribution(made, input, replacement and num_samples > 1)
    return made if out is None else finish(made, out)


def poisson(input, generator=None):
    """Numbers of Poisson distributions with the elements as means."""
    if not input.is_floating_point():
        raise NotImplementedError(f"\"poisson_cpu\" not implemented for '{_types.scalar_name(input.dtype)}'")
    rates = input.detach()
    bits = _draw("random_bits", list(input._shape), "uint64", engine_device_of(input), generator)
    made = _engine.array_op("random_poisson", bits, rates._astype("float64"), compute="float64", result="float64")._astype(
        input._dtype_name
    )
    text = "invalid Poisson rate, expected rate to be non-negative"
    return _value_checks.unless(made, _value_checks.all_within(rates, 0), text)


def _standard_gamma(alpha, generator=None):
    """Numbers of gamma distributions with the elements as shapes."""
    bits = _draw("random_bits", list(alpha._shape), "uint64", engine_device_of(alpha), generator)
    return _engine.array_op("random_gamma", bits, alpha.detach()._astype("float64"), compute="float64", result="float64")._astype(
        alpha._dtype_name
    )


# ---- in place


def random_(self, from_=None, to=None, *, generator=None, **kwargs):
    """Fills the tensor with integers in [from, to), by default all that its type has from 0 on; returns it."""
    from_ = kwargs.pop("from", from_)
    if self.is_complex():
        raise NotImplementedError(f"\"random_\" not implemented for '{_types.scalar_name(self.dtype)}'")
    if to is None:
        from_, to = 0, from_
    if to is None:
        to = _LIMITS.get(self._dtype_name)
        if to is None:
            to = _types.iinfo(self.dtype).max + 1
            to = min(to, 1 << 63)
    made = _faces.FACES["randint"](from_ or 0, to, self._shape, generator=generator, dtype=self.dtype, device=self.device)
    return self.copy_(made)


def bernoulli_(self, p=0.5, *, generator=None):
    """Fills the tensor with ones of probability ``p`` and zeros; returns it."""
    return self.copy_(_trials(list(self._shape), engine_device_of(self), generator, p))


METHODS = "bernoulli multinomial random_ bernoulli_"
NAMES = """Generator default_generator manual_seed seed initial_seed get_rng_state set_rng_state normal bernoulli multinomial poisson
_standard_gamma""".split()
__all__ = NAMES
check_all(
    globals(),
    """bernoulli multinomial poisson _standard_gamma bernoulli_""".split(),
    {"_standard_gamma": "alpha"},
)
add_methods(__name__, METHODS)
