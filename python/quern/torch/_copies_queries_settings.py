"""Copies of views, queries about tensors, settings that change nothing here, and what is made of a few other functions."""

import builtins
import itertools
import math

import numpy

from quern.arrays.public_names import settle
from quern.arrays.records import numpy_dtypes
from quern.lib import _engine
from quern.torch import (  # noqa: F401
    _creation,
    _elementwise,
    _factors,
    _indexing,
    _linalg,
    _return_types,
    _shaping,
    _special,
    _types,
    _value_checks,
)
from quern.torch._arguments import checked
from quern.torch._core import (
    Tensor,
    _op,
    add_in_place,
    add_methods,
    dim_of,
    finish,
    finish_same,
    name_of,
    sizes_of,
)
from quern.torch._faces import FACES
from quern.torch._layouts import in_rows
from quern.torch._types import DTYPES
from quern.torch.autograd import no_grad

# ---- copies of views


def _copying(name):
    view = FACES.get(name) or next((getattr(m, name) for m in (_shaping, _creation) if hasattr(m, name)), None) or getattr(Tensor, name)

    def function(*args, out=None, **kwargs):
        if "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        made = view(*args, **kwargs)
        if isinstance(made, Tensor):
            return finish_same(in_rows(made), out)
        if out is not None:
            for one, part in zip(out, made, strict=True):
                finish(part, one)
            return None
        return tuple(map(in_rows, made))

    function.__name__ = name + "_copy"
    function.__doc__ = f"A copy of what :func:`{name}` shows."
    return function


_COPIES = """as_strided detach diagonal expand narrow permute select split split_with_sizes squeeze t transpose unbind unfold unsqueeze view
view_as_real view_as_complex""".split()
as_strided_copy = _copying("as_strided")
detach_copy = _copying("detach")
diagonal_copy = _copying("diagonal")
expand_copy = _copying("expand")
narrow_copy = _copying("narrow")
permute_copy = _copying("permute")
select_copy = _copying("select")
split_copy = _copying("split")
split_with_sizes_copy = _copying("split_with_sizes")
squeeze_copy = _copying("squeeze")
t_copy = _copying("t")
transpose_copy = _copying("transpose")
unbind_copy = _copying("unbind")
unfold_copy = _copying("unfold")
unsqueeze_copy = _copying("unsqueeze")
view_copy = _copying("view")
view_as_real_copy = _copying("view_as_real")
view_as_complex_copy = _copying("view_as_complex")


@checked(same_out=True)
def alias_copy(input, *, out=None):
    """A copy."""
    return finish(input.clone(), out)


@checked(free="end", same_out=True)
def slice_copy(input, dim=0, start=None, end=None, step=1, *, out=None):
    """A copy of a part of a dimension."""
    dim = dim_of(dim, input._rank)
    return finish(input[(slice(None),) * dim + (slice(start, end, step),)].clone(), out)


@checked(tensors="src")
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy of ``input`` with ``src`` where as_strided() leads."""
    made = input.clone()
    made.as_strided(size, stride, storage_offset).copy_(src)
    return made


# ---- questions


@checked
def detach(input):
    """The same memory, without the record of what made it."""
    return input.detach()


@checked
def get_device(input):
    """The number of the GPU it is on; -1 on the CPU."""
    return input._device_number


@checked
def is_signed(input):
    """Do the elements have signs?"""
    return input.dtype.is_signed


@checked
def is_conj(input):
    """Is it a view that conjugates? Never here."""
    return False


@checked
def is_neg(input):
    """Is it a view that negates? Never here."""
    return False


@checked
def is_distributed(input):
    """Is it spread over several processes? Never here."""
    return False


@checked
def is_inference(input):
    """Was it made in inference mode, or is it a view of a tensor that was?"""
    return _engine.is_inference(input)


def is_storage(obj):
    """Is it a storage? There are none here."""
    return False


@checked(tensors="other")
def is_same_size(input, other):
    """Have both the same sizes?"""
    return input._shape == other._shape


def typename(obj):
    """The name of an object's type."""
    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(type(obj), "__module__", "")
    return f"{module}.{type(obj).__qualname__}" if module and module != "builtins" else type(obj).__qualname__


# ---- combinations of elements


@checked
def combinations(input, r=2, with_replacement=False):
    """All choices of ``r`` elements of a vector, as rows."""
    if input._rank != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    count = math.comb(input._size + r - 1, r) if with_replacement and r else math.comb(input._size, r)
    _creation.empty((min(count, 1 << 45), r), dtype=DTYPES["int64"], device=input.device)  # raises where the rows do not fit
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = numpy.array(list(choose(range(input._size), r)), numpy.int64).reshape(-1, r)
    return input[_creation.tensor(rows, device=input.device)]


@checked(tensors="indices")
def unravel_index(indices, shape):
    """The places of a tensor of that shape that indices of the flattened one stand for: a tensor for each dimension."""
    if indices.dtype._kind not in "iu":
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, int | list | tuple):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    shape = [shape] if isinstance(shape, int) else shape
    for n in shape:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if builtins.any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(shape)}")
    indices = indices.to(DTYPES["int64"])  # those beyond the shape begin anew, as in PyTorch
    parts = []
    for n in reversed(shape):
        parts.append(indices % n)
        indices = indices // n
    return tuple(reversed(parts))


@checked(same_out=True)
def renorm(input, p, dim, maxnorm, *, out=None):
    """The parts of a dimension, scaled down where their norm is above ``maxnorm``."""
    if input._rank < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input._rank} dimensions")
    if p <= 0:
        raise RuntimeError("renorm: non-positive norm degree")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    dim = dim_of(dim, input._rank)
    size = _linalg.vector_norm(input, p, [d for d in range(input._rank) if d != dim], True)
    scaled = input * _op("where", size > maxnorm, maxnorm / (size + 1e-7), 1.0).to(size.dtype)
    return finish(scaled._in_order("C"), out)


@checked(tensors="source", same_out=True)
def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    """A copy into whose parts of a dimension those of ``source`` are combined: "prod", "mean", "amax" or "amin"."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    dim = dim_of(dim, input._rank)
    _indexing._check_parts(input, dim, index, source, "index_reduce_")
    shape = [1] * input._rank
    if input._rank:
        shape[dim] = index._size
    size = input._shape[dim] if input._rank else 1
    index = _value_checks.places(index, size, "index out of range in self", "IndexError")
    places = index.to(DTYPES["int64"])._reshaped(shape).expand(source._shape)
    return finish(_indexing.scatter_reduce(input, dim, places, source, reduce, include_self=include_self), out)


@checked(same_out=True)
def nonzero_static(input, *, size, fill_value=-1, out=None):
    """The places of what is not 0, as so many rows: cut, or filled up with ``fill_value``."""
    found = _indexing.nonzero(input)
    if size < 0:
        raise RuntimeError(f"nonzero_static: 'size' must be an non-negative integer, but got {size}")
    made = found.new_full((size, input._rank), fill_value)
    count = builtins.min(size, found._shape[0])
    if count and input._rank:
        made[:count] = found[:count]
    return finish(made, out)


# ---- matrices


@checked
def nuclear_norm(input, dim=None, keepdim=False, *, out=None):
    """The sum of the singular values."""
    return _linalg.matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, out=out)


@checked
def frobenius_norm(input, dim, keepdim=False, *, out=None):
    """The root of the sum of squares along dimensions."""
    return _linalg.vector_norm(input, 2, dim, keepdim, out=out)


@checked
def cholesky_inverse(L, upper=False, *, out=None):  # noqa: N803
    """Return the inverse of matrices from the triangular factors of :func:`cholesky`.

    Parameters
    ----------
    L : Tensor
        Triangular factors, of shape (*, M, M).
    upper : bool, optional
        Whether the factors are upper triangular.
    out : Tensor, optional
        Tensor that receives the result.

    Returns
    -------
    Tensor
        Shape (*, M, M).

    Raises
    ------
    RuntimeError
        For matrices that are not square.

    Examples
    --------
    >>> from quern import torch
    >>> torch.cholesky_inverse(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 1.0000]])
    """
    if L._rank < 2:
        raise RuntimeError("cholesky_inverse: The input tensor A must have at least 2 dimensions.")
    rows, columns = L._shape[-2:]
    if rows != columns:
        raise RuntimeError(f"cholesky_inverse: A must be batches of square matrices, but they are {rows} by {columns} matrices")
    shown = L.detach()
    T = shown.triu() if upper else shown.tril()  # noqa: N806
    if L.requires_grad and _engine.gradient_mode():
        T = T + (L - shown)  # noqa: N806  # the gradient is that of the whole matrix, as PyTorch's
    inverse, info = _linalg.inv_ex(T.mH @ T if upper else T @ T.mH)
    _factors.check(info, "cholesky_inverse", _factors.SINGULAR)
    return finish(inverse, out)


@checked(tensors="b")
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False, *, out=None):  # noqa: N803
    """(solution, A): the X with ``A @ X == b`` for a triangular matrix."""
    if transpose:
        A, upper = A.mT, not upper  # noqa: N806
    x = _linalg.solve_triangular(A, b, upper=upper, unitriangular=unitriangular)
    return _return_types.triangular_solve(x, A.clone())


@checked
def svd_lowrank(A, q=6, niter=2, M=None):  # noqa: N803
    """(U, S, V) of the ``q`` largest singular values; all are computed."""
    u, s, vh = _linalg.svd(A if M is None else A - M, False)
    return u[..., :q], s[..., :q], vh.mH[..., :q]


@checked
def pca_lowrank(A, q=None, center=True, niter=2):  # noqa: N803
    """(U, S, V) of a matrix less the means of its columns."""
    q = builtins.min(6, *A._shape[-2:]) if q is None else q
    if not 0 <= q <= builtins.min(*A._shape[-2:]):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={builtins.min(*A._shape[-2:])}")
    return svd_lowrank(A - A.mean(-2, True) if center else A, q)


# ---- windows and spectra over time


# ---- parts


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of that size whose dimensions lie in memory in the order ``physical_layout``; its values are zeros."""
    size, order = sizes_of((size,)), sizes_of((physical_layout,))
    if sorted(order) != list(range(len(size))):
        raise RuntimeError(f"empty_permuted: physical_layout {order} is not a permutation of {len(size)} dimensions")
    made = _creation.empty([size[d] for d in order], dtype=dtype, device=device)
    made = made.permute([order.index(d) for d in range(len(size))])
    return made.requires_grad_() if requires_grad else made


def from_file(filename, shared=False, size=0, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """The first ``size`` numbers of a file, mapped where ``shared`` is True, else read."""
    kind = numpy_dtypes[_engine.torch_default() if dtype is None else name_of(dtype)]
    if shared:
        return _creation.from_numpy(numpy.memmap(filename, kind, "r+", shape=(size,)))
    return _creation.from_numpy(numpy.fromfile(filename, kind, size))


# ---- methods alone


def apply_(self, callable):  # noqa: A002
    """Each element replaced by what a function of Python's gives for it; slow, on the CPU."""
    if self.is_cuda:
        raise TypeError("apply_ is only implemented on CPU tensors")
    return _from_python(self, [callable(v) for v in self.reshape(-1).tolist()])


@checked
def map_(self, tensor, callable):  # noqa: A002
    """Each element replaced by ``callable(own, other)``; slow, on the CPU."""
    others = tensor.expand(self._shape).reshape(-1).tolist()
    return _from_python(self, [callable(a, b) for a, b in zip(self.reshape(-1).tolist(), others, strict=True)])


def _from_python(self, values):
    with no_grad():
        return self.copy_(_creation.tensor(values, dtype=self.dtype).reshape(self._shape)) if values else self


@checked
def sum_to_size(self, *size):
    """The sums over dimensions that broadcasting from that size would have made."""
    size = sizes_of(size)
    if not size:
        return self.sum()
    lead = self._rank - len(size)
    own = self._shape[builtins.max(lead, 0) :]
    if lead < 0 or builtins.any(n not in (1, m) for n, m in zip(size, own, strict=True)):
        raise RuntimeError(f"size {size} is not expandable to size {list(self._shape)}.")
    dims = [*range(lead), *(lead + d for d, n in enumerate(size) if n == 1 and self._shape[lead + d] != 1)]
    return self.sum(dims, True)._reshaped(size) if dims else self


@checked
def dim_order(self, ambiguity_check=False):
    """The dimensions in the order of their steps, the largest first."""
    steps = self._strides
    return tuple(sorted(range(self._rank), key=lambda d: -steps[d]))


def new_empty_strided(self, size, stride, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A new tensor of that size whose elements lie so many elements apart."""
    return _creation.empty_strided(size, stride, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)


def pin_memory(self, device=None):
    """The tensor itself: copies to a GPU go through pinned memory anyway."""
    return self


def record_stream(self, stream):
    """Does nothing: memory is kept until all work that uses it is done."""


def to_dense(self, dtype=None, *, masked_grad=None):
    """The tensor itself, as another type where one is given."""
    return self if dtype is None else self.to(dtype)


def const_data_ptr(self):
    """The address of the first element."""
    return self.data_ptr()


@checked(tensors="other")
def module_load(self, other, assign=False):
    """What load_state_dict() takes from another tensor."""
    return other.detach() if assign else self.copy_(other).detach()


# ---- switches that nothing hangs on


def are_deterministic_algorithms_enabled():
    """Are only algorithms used that give the same bits each time? False: they are not asked for."""
    return False


def get_deterministic_debug_mode():
    """0: nothing is said of algorithms that give other bits each time."""
    return 0


def is_warn_always_enabled():
    """Is a warning given each time? False."""
    return False


def get_num_interop_threads():
    """1: operations are not run at the same time by threads of the host."""
    return 1


def is_anomaly_check_nan_enabled():
    """Does anomaly detection look for NaN? True."""
    return True


def is_autocast_cpu_enabled():
    """Is autocast on for the CPU? False."""
    return False


def is_autocast_cache_enabled():
    """Does autocast keep converted weights? True."""
    return True


def compiled_with_cxx11_abi():
    """Is the C++11 ABI used? True."""
    return True


def is_vulkan_available():
    """Is there Vulkan? False."""
    return False


def is_autocast_enabled(device_type="cuda"):
    """Is autocast on for devices of a type? False."""
    _types.device(device_type)
    return False


def set_flush_denormal(mode, /):
    """Accepted; returns False: denormal numbers stay."""
    return False


def set_deterministic_debug_mode(debug_mode):
    """Accepted; nothing hangs on it here."""


def set_warn_always(b, /):
    """Accepted; nothing hangs on it here."""


def set_num_interop_threads(num, /):
    """Accepted; nothing hangs on it here."""


def set_anomaly_enabled(enabled, check_nan=True):
    """Accepted; nothing hangs on it here."""


def clear_autocast_cache():
    """Accepted; nothing hangs on it here."""


def init_num_threads():
    """Accepted; nothing hangs on it here."""


# ---- sizes that are not known yet: here all are


def sym_float(a):
    """As a float."""
    return float(a)


def sym_int(a):
    """As an int."""
    return int(a)


def sym_max(a, b):
    """The larger one."""
    return b if b > a else a


def sym_min(a, b):
    """The smaller one."""
    return b if b < a else a


def sym_not(a):
    """``not a``."""
    return not a


def sym_sqrt(a):
    """The square root."""
    return math.sqrt(a)


def sym_sum(args):
    """The sum."""
    return builtins.sum(args)


def sym_ite(b, t, f):
    """``t`` if ``b`` else ``f``."""
    return t if b else f


# ---- where they are shown

_TESTED = """as_strided_scatter get_device is_signed is_same_size combinations unravel_index
renorm index_reduce nonzero_static nuclear_norm frobenius_norm cholesky_inverse triangular_solve svd_lowrank
pca_lowrank alias_copy slice_copy
detach""".split()
__all__ = [*_TESTED, *(n + "_copy" for n in _COPIES), *(n for n in list(globals()) if n.startswith("sym_"))]
__all__ += """are_deterministic_algorithms_enabled get_deterministic_debug_mode is_warn_always_enabled get_num_interop_threads
is_anomaly_check_nan_enabled is_autocast_cpu_enabled is_autocast_cache_enabled compiled_with_cxx11_abi is_vulkan_available
is_autocast_enabled set_flush_denormal set_deterministic_debug_mode set_warn_always set_num_interop_threads set_anomaly_enabled
clear_autocast_cache init_num_threads""".split()
__all__ += """is_conj is_neg is_distributed is_inference is_storage typename empty_permuted
from_file""".split()
METHODS = """as_strided_scatter is_same_size is_distributed renorm index_reduce nonzero_static
cholesky_inverse triangular_solve apply_ map_ sum_to_size dim_order new_empty_strided
pin_memory record_stream to_dense const_data_ptr module_load narrow_copy"""
add_methods(__name__, METHODS)
add_in_place("renorm index_reduce")
Tensor.name = property(lambda self: None, doc="None: tensors have no names here.")

settle(__name__)

# In-place functions such as torch.exp_(x).
_IN_PLACE = """as_strided_ conj_physical_ detach_ fill_ i0_ ldexp_ resize_as_ xlogy_ zero_""".split()


def _of_method(name):
    method = getattr(Tensor, name)

    def function(input, *args, **kwargs):
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return method(input, *args, **kwargs)

    function.__name__ = name
    function.__doc__ = method.__doc__
    return function


as_strided_ = _of_method("as_strided_")
conj_physical_ = _of_method("conj_physical_")
detach_ = _of_method("detach_")
fill_ = _of_method("fill_")
i0_ = _of_method("i0_")
ldexp_ = _of_method("ldexp_")
resize_as_ = _of_method("resize_as_")
xlogy_ = _of_method("xlogy_")
zero_ = _of_method("zero_")
__all__ += _IN_PLACE
