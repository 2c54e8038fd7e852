"""Writes torch_types.json beside this file, from real PyTorch on the CPU: the types of results, and a few rules of values.

    PYTHON_WITH_TORCH tests/python/data/make_torch_types.py

One line for each expression: a letter for each combination of operands `a` and `b`, in the order of `operands`: the result's type, or
the error that is raised. Groups between spaces have the same `a`. The test that reads it evaluates the same expressions.
"""

import json
import os
import warnings

DTYPES = {
    "bool": "b",
    "uint8": "B",
    "int8": "h",
    "int16": "s",
    "int32": "i",
    "int64": "l",
    "uint16": "S",
    "uint32": "I",
    "uint64": "L",
    "float16": "e",
    "bfloat16": "g",
    "float32": "f",
    "float64": "d",
    "complex64": "c",
    "complex128": "z",
}
# Errors, and results that are no tensors. NotImplementedError is a RuntimeError too.
OTHERS = {
    "complex32": "k",
    "bcomplex32": "K",
    "RuntimeError": "!",
    "TypeError": "?",
    "NotImplementedError": "~",
    "ValueError": "#",
    "IndexError": "%",
    "AttributeError": "@",
    "OverflowError": "^",
    "not asked": "-",
}
_PYTHONS = {"bool": "1", "int": "2", "float": "3", "complex": "4", "NotImplementedType": "5"}
OTHERS |= {f"Python's {name}": letter for name, letter in _PYTHONS.items()}
LETTERS = DTYPES | OTHERS
NUMBERS = {"True": True, "1": 1, "1.0": 1.0, "1j": 1j}

BINARY = """
a + b | a - b | a * b | a / b | a // b | a % b | a ** b | a == b | a != b | a < b | a <= b | a > b | a >= b
a & b | a|b | a ^ b | a << b | a >> b
torch.add(a, b) | torch.sub(a, b) | torch.rsub(a, b) | torch.mul(a, b) | torch.true_divide(a, b) | torch.floor_divide(a, b)
torch.div(a, b, rounding_mode="floor") | torch.div(a, b, rounding_mode="trunc") | torch.remainder(a, b) | torch.fmod(a, b)
torch.pow(a, b) | torch.float_power(a, b) | torch.maximum(a, b) | torch.minimum(a, b) | torch.fmax(a, b) | torch.fmin(a, b)
torch.max(a, b) | torch.min(a, b) | torch.atan2(a, b) | torch.arctan2(a, b) | torch.hypot(a, b) | torch.logaddexp(a, b)
torch.logaddexp2(a, b) | torch.copysign(a, b) | torch.nextafter(a, b) | torch.ldexp(a, b) | torch.heaviside(a, b)
torch.xlogy(a, b) | torch.special.xlog1py(a, b) | torch.gcd(a, b) | torch.lcm(a, b)
torch.eq(a, b) | torch.ne(a, b) | torch.lt(a, b) | torch.le(a, b) | torch.gt(a, b) | torch.ge(a, b)
torch.logical_and(a, b) | torch.logical_or(a, b) | torch.logical_xor(a, b) | torch.isclose(a, b)
torch.bitwise_and(a, b) | torch.bitwise_or(a, b) | torch.bitwise_xor(a, b)
torch.bitwise_left_shift(a, b) | torch.bitwise_right_shift(a, b)
torch.where(mask, a, b) | torch.where(a, b, b) | torch.clamp(a, b) | torch.clamp(a, b, b) | torch.clamp(a, max=b)
torch.add(a, b, alpha=2) | torch.add(a, b, alpha=2.5) | torch.sub(a, b, alpha=2) | torch.sub(a, b, alpha=2.5) | torch.add(a, b, alpha=True)
torch.lerp(a, b, 0.5) | torch.lerp(a, b, b) | torch.addcmul(a, b, b) | torch.addcdiv(a, b, b) | torch.addcmul(a, b, b, value=2.5)
torch.cat([a, b]) | torch.stack([a, b]) | torch.dot(a, b) | torch.matmul(a, b) | torch.outer(a, b) | torch.complex(a, b) | torch.polar(a, b)
torch.result_type(a, b) | torch.full_like(a, b) | torch.fill(a, b) | torch.masked_fill(a, mask, b) | torch.tensor([1, 1]).type_as(b)
torch.nn.functional.mse_loss(a, b) | torch.nn.functional.l1_loss(a, b)
"""

UNARY = """
+a | -a | ~a | abs(a) | torch.positive(a) | torch.neg(a) | torch.abs(a) | torch.sign(a) | torch.sgn(a) | torch.square(a)
torch.reciprocal(a) | torch.sqrt(a) | torch.rsqrt(a) | torch.exp(a) | torch.exp2(a) | torch.expm1(a) | torch.log(a) | torch.log2(a)
torch.log10(a) | torch.log1p(a) | torch.sin(a) | torch.cos(a) | torch.tan(a) | torch.asin(a) | torch.acos(a) | torch.atan(a)
torch.sinh(a) | torch.cosh(a) | torch.tanh(a) | torch.asinh(a) | torch.acosh(a) | torch.atanh(a) | torch.rad2deg(a) | torch.deg2rad(a)
torch.erf(a) | torch.erfc(a) | torch.erfinv(a) | torch.sigmoid(a) | torch.logit(a) | torch.lgamma(a) | torch.digamma(a) | torch.sinc(a)
torch.i0(a) | torch.floor(a) | torch.ceil(a) | torch.trunc(a) | torch.fix(a) | torch.round(a) | torch.round(a, decimals=1) | torch.frac(a)
torch.frexp(a)[0] | torch.frexp(a)[1] | torch.conj(a) | torch.conj_physical(a) | torch.real(a) | torch.imag(a) | torch.angle(a)
torch.logical_not(a) | torch.bitwise_not(a) | torch.isnan(a) | torch.isinf(a) | torch.isfinite(a) | torch.isneginf(a) | torch.isposinf(a)
torch.isreal(a) | torch.signbit(a) | torch.nan_to_num(a) | torch.clone(a) | torch.zeros_like(a) | torch.ones_like(a) | torch.rand_like(a)
torch.randn_like(a) | torch.bernoulli(a) | torch.relu(a) | torch.nn.functional.gelu(a) | torch.nn.functional.silu(a)
torch.nn.functional.softplus(a) | torch.nn.functional.leaky_relu(a) | torch.nn.functional.elu(a) | torch.nn.functional.hardtanh(a)
torch.nn.functional.relu6(a) | torch.nn.functional.logsigmoid(a) | torch.selu(a) | torch.softmax(a, 0) | torch.log_softmax(a, 0)
torch.nn.functional.softsign(a) | torch.nn.functional.mish(a) | torch.nn.functional.hardswish(a) | torch.nn.functional.hardsigmoid(a)
torch.nn.functional.tanhshrink(a) | torch.special.entr(a) | torch.special.ndtr(a) | torch.special.log_ndtr(a)
torch.clamp(a, 0, 1) | torch.clamp(a, 0.0, 1.0) | torch.pow(2, a) | torch.pow(a, 2) | torch.pow(a, 0.5) | torch.pow(a, -1) | torch.polygamma(1, a)
torch.sum(a) | torch.sum(a, 0) | torch.sum(a, 0, dtype=torch.float64) | torch.prod(a) | torch.prod(a, 0) | torch.mean(a) | torch.mean(a, 0)
torch.mean(a, dtype=torch.float32) | torch.nansum(a) | torch.nanmean(a) | torch.amax(a) | torch.amin(a) | torch.amax(a, 0) | torch.aminmax(a)[0]
torch.max(a) | torch.min(a) | torch.max(a, 0)[0] | torch.max(a, 0)[1] | torch.argmax(a) | torch.argmin(a) | torch.argmax(a, 0)
torch.any(a) | torch.all(a) | torch.any(a, 0) | torch.all(a, 0) | torch.std(a) | torch.var(a) | torch.std(a, 0) | torch.var_mean(a)[0]
torch.norm(a) | torch.norm(a, 1) | torch.norm(a, float("inf")) | torch.linalg.vector_norm(a) | torch.dist(a, a) | torch.logsumexp(a, 0)
torch.cumsum(a, 0) | torch.cumprod(a, 0) | torch.cummax(a, 0)[0] | torch.cummin(a, 0)[1] | torch.logcumsumexp(a, 0) | torch.diff(a)
torch.median(a) | torch.nanmedian(a) | torch.median(a, 0)[0] | torch.mode(a, 0)[0] | torch.quantile(a, 0.5) | torch.kthvalue(a, 1)[0]
torch.sort(a)[0] | torch.sort(a)[1] | torch.argsort(a) | torch.topk(a, 1)[0] | torch.unique(a) | torch.msort(a)
torch.count_nonzero(a) | torch.nonzero(a) | torch.bincount(a) | torch.histc(a, 2) | torch.trapezoid(a) | torch.tril(torch.stack([a, a]))
torch.stack([a, a]).trace() | torch.stack([a, a]) @ torch.stack([a, a]) | torch.bmm(a.expand(2, 2, 2), a.expand(2, 2, 2))
torch.nn.functional.linear(a.expand(2, 2), a.expand(2, 2)) | torch.flip(a, (-1,)) | torch.roll(a, 1) | a.item() | a.tolist()
a.float() | a.double() | a.half() | a.bfloat16() | a.int() | a.long() | a.bool() | a.cfloat() | a.to(torch.int16) | a.view(torch.uint8)
torch.searchsorted(a, a) | torch.bucketize(a, a) | torch.cov(a) | torch.corrcoef(a) | torch.fft.fft(a) | torch.fft.rfft(a) | torch.fft.ifft(a)
torch.linspace(0, 1, 3).to(a.dtype) | torch.arange(3, dtype=a.dtype) | torch.linspace(0, 1, 3, dtype=a.dtype) | torch.eye(2, dtype=a.dtype)
torch.rand(2, dtype=a.dtype) | torch.randn(2, dtype=a.dtype) | torch.randint(0, 2, (2,), dtype=a.dtype) | torch.randperm(3, dtype=a.dtype)
torch.view_as_real(a) | torch.view_as_complex(a) | torch.isin(a, a) | torch.nn.functional.one_hot(a)
torch.tensor([1, 2])[a] | torch.take(torch.tensor([1, 1]), a) | torch.index_select(torch.tensor([1, 1]), 0, a) | torch.ones(2, 2).gather(0, a.expand(2, 2))
a.requires_grad_() | torch.ones(2).masked_fill(a, 1.0) | torch.ones(2).masked_select(a) | torch.allclose(a, a) | torch.equal(a, a) | bool(a.flatten()[0])
"""

IN_PLACE = """
a.add_(b) | a.sub_(b) | a.mul_(b) | a.div_(b) | a.floor_divide_(b) | a.remainder_(b) | a.fmod_(b) | a.pow_(b) | a.copysign_(b) | a.atan2_(b)
a.bitwise_and_(b) | a.bitwise_or_(b) | a.bitwise_xor_(b) | a.bitwise_left_shift_(b) | a.bitwise_right_shift_(b) | a.__ilshift__(b)
a.div_(b, rounding_mode="floor") | a.div_(b, rounding_mode="trunc") | a.eq_(b) | a.lt_(b) | a.logical_and_(b) | a.copy_(b) | a.fill_(b)
a.clamp_(b) | a.clamp_(max=b) | a.lerp_(b, 0.5) | a.addcmul_(b, b) | a.addcdiv_(b, b) | a.masked_fill_(mask, b) | a.float_power_(b)
a.__setitem__(0, b) | a.__setitem__(slice(None), b) | torch.add(b, b, out=a) | torch.div(b, b, out=a) | torch.exp(b, out=a) | torch.sum(b, 0, out=a)
torch.eq(b, b, out=a) | torch.where(mask, b, b, out=a) | torch.cumsum(b, 0, out=a) | a.index_add_(0, index, b) | a.scatter_(0, index, b)
a.gcd_(b) | a.xlogy_(b) | a.hypot_(b) | a.nextafter_(b) | a.heaviside_(b)
"""

IN_PLACE_UNARY = """
a.neg_() | a.abs_() | a.exp_() | a.sqrt_() | a.rsqrt_() | a.reciprocal_() | a.sigmoid_() | a.tanh_() | a.sin_() | a.log_() | a.log1p_() | a.erf_()
a.floor_() | a.ceil_() | a.round_() | a.trunc_() | a.frac_() | a.sign_() | a.square_() | a.bitwise_not_() | a.logical_not_() | a.relu_() | a.zero_()
a.cumsum_(0) | a.cumprod_(0) | a.uniform_() | a.normal_() | a.random_() | a.bernoulli_() | a.exponential_() | a.clamp_(0, 1) | a.clamp_(0.0, 1.0)
a.pow_(2) | a.pow_(0.5) | a.nan_to_num_() | a.conj_physical_() | a.sgn_() | a.lgamma_() | a.digamma_() | a.deg2rad_() | a.tril_() | a.erfinv_()
"""

# Rules of values: divisions by zero, shifts, what goes round, and what numbers are refused.
VALUES = """
torch.tensor([1, 0, -1]) // 0 | torch.tensor([1]) % 0 | torch.fmod(torch.tensor([1]), 0) | torch.tensor([1, 0, -1]) / 0
torch.tensor([1.0, 0.0, -1.0]) // 0 | torch.tensor([1.0, -1.0]) % 0 | torch.fmod(torch.tensor([1.0]), 0)
torch.tensor([7, -7]) // 2 | torch.tensor([7, -7]) // -2 | torch.tensor([7.5, -7.5]) // 2 | torch.tensor([7, -7]) % 3 | torch.tensor([7, -7]) % -3
torch.tensor([7.5, -7.5]) % 3 | torch.tensor([7.5, -7.5]) % -3 | torch.fmod(torch.tensor([7, -7]), 3) | torch.fmod(torch.tensor([7.5, -7.5]), -3)
torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc") | torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor") | torch.div(torch.tensor([7, -7]), 2, rounding_mode="up")
torch.tensor([-128], dtype=torch.int8) // -1 | torch.tensor([-128], dtype=torch.int8) % -1 | -torch.tensor([-128], dtype=torch.int8)
torch.abs(torch.tensor([-128], dtype=torch.int8)) | torch.tensor([255], dtype=torch.uint8) + 1 | torch.tensor([0], dtype=torch.uint8) - 1
-torch.tensor([1], dtype=torch.uint8) | torch.tensor([100], dtype=torch.int8) * 2 | torch.tensor([1], dtype=torch.uint8) + 300 | torch.tensor([1], dtype=torch.int8) + 128
torch.tensor([1], dtype=torch.uint8) * -1 | torch.tensor([1], dtype=torch.uint8) < -1 | torch.tensor([200], dtype=torch.uint8) < 300 | torch.tensor([200], dtype=torch.uint8) == 456
torch.tensor([1], dtype=torch.int8) == 257 | torch.tensor([1], dtype=torch.int8) < 2.5 | torch.tensor([3], dtype=torch.int8) >= 2.5
torch.tensor([1, 2, 3]) << 1 | torch.tensor([1]) << 63 | torch.tensor([1]) << 64 | torch.tensor([1]) << -1 | torch.tensor([-8]) >> 1 | torch.tensor([-8]) >> 64
torch.tensor([8]) >> 64 | torch.tensor([-8]) >> -1 | torch.tensor([1], dtype=torch.uint8) << 8 | torch.tensor([255], dtype=torch.uint8) >> 8
torch.tensor([1], dtype=torch.int8) << 7 | torch.tensor([1], dtype=torch.int8) << 8 | 1 << torch.tensor([3]) | torch.tensor([1.5]) << 2
torch.tensor([2]) ** -1 | torch.tensor([1, -1]) ** -1 | torch.tensor([2, 0]) ** torch.tensor([-1, -1]) | torch.tensor([1, -1, -1]) ** torch.tensor([-1, -1, -2])
2 ** torch.tensor([-1]) | 2 ** torch.tensor([3]) | 2.0 ** torch.tensor([-1]) | torch.tensor([0]) ** 0 | torch.tensor([0.0]) ** 0 | torch.tensor([-8.0]) ** (1 / 3)
torch.tensor([0.0]) ** -1 | torch.tensor([3], dtype=torch.int8) ** 5 | torch.tensor([True]) ** 2 | torch.tensor([False]) ** torch.tensor([False])
torch.float_power(torch.tensor([2]), -1) | torch.reciprocal(torch.tensor([0, 2])) | torch.rsqrt(torch.tensor([0.0, 4.0, -1.0])) | torch.sqrt(torch.tensor([-1.0]))
torch.maximum(torch.tensor([1.0, float("nan")]), torch.tensor([float("nan"), 1.0])) | torch.fmax(torch.tensor([1.0, float("nan")]), torch.tensor([float("nan"), 1.0]))
torch.tensor([1.0, float("nan"), 3.0]).max() | torch.tensor([1.0, float("nan"), 3.0]).argmax() | torch.tensor([3, 1, 3]).argmax() | torch.tensor([1.0, float("nan")]).amin()
torch.clamp(torch.tensor([1.0, float("nan"), 5.0]), 2, 3) | torch.clamp(torch.tensor([1, 5]), 4, 2) | torch.clamp(torch.tensor([1, 5])) | torch.clamp(torch.tensor([1, 5]), 1.5)
torch.clamp(torch.tensor([1.0]), min=float("nan")) | torch.sign(torch.tensor([-2.0, 0.0, float("nan")])) | torch.sgn(torch.tensor([3 + 4j, 0j]))
torch.round(torch.tensor([0.5, 1.5, 2.5, -0.5])) | torch.round(torch.tensor([1.25, 1.35]), decimals=1) | torch.round(torch.tensor([15, 25]), decimals=-1) | torch.frac(torch.tensor([-1.75]))
torch.floor(torch.tensor([-1.5])) | torch.trunc(torch.tensor([-1.5])) | torch.heaviside(torch.tensor([-1.0, 0.0, 2.0, float("nan")]), torch.tensor([0.5]))
torch.logical_not(torch.tensor([0.0, float("nan"), 2.0])) | torch.tensor([float("nan")]).bool() | torch.tensor([True]) + torch.tensor([True]) | torch.tensor([True]) * 3
torch.tensor([True]) - torch.tensor([True]) | -torch.tensor([True]) | ~torch.tensor([True]) | ~torch.tensor([1, 0]) | 1 - torch.tensor([True]) | torch.tensor([1]) - True | ~torch.tensor([1.0])
torch.tensor([1.9, -1.9]).int() | torch.tensor([300]).to(torch.uint8) | torch.tensor([-1]).to(torch.uint8) | torch.tensor([1 + 2j]).real | torch.tensor([2.0]).to(torch.bool)
torch.tensor([]).sum() | torch.tensor([]).prod() | torch.tensor([]).mean() | torch.tensor([]).max() | torch.tensor([]).argmax() | torch.tensor([]).any() | torch.tensor([]).all() | torch.tensor([1.0]).std()
torch.tensor([], dtype=torch.int64).sum() | torch.tensor([200, 100], dtype=torch.uint8).sum() | torch.tensor([True, True]).sum() | torch.tensor([True, True]).cumsum(0)
torch.tensor([1, 2]).mean() | torch.tensor([1, 2]).mean(dtype=torch.float32) | torch.tensor([1, 2]).std() | torch.tensor([1, 2, 3, 4]).median() | torch.tensor([1.0, float("nan")]).median()
torch.tensor([1.0, float("nan"), 3.0]).nansum() | torch.tensor([2, 1, 1]).mode() | torch.tensor([1, 2, 3]).float().std(unbiased=False) | torch.tensor([1.0, 2.0, 4.0]).var()
torch.tensor([1]).add(1, alpha=2.5) | torch.tensor([True]).add(True, alpha=True) | torch.tensor([1.0]).add(1, alpha=2) | torch.tensor([1]).add(1, alpha=3) | torch.tensor([True]).add(True, alpha=2)
torch.gcd(torch.tensor([12, -12, 0]), torch.tensor([18, 18, 0])) | torch.lcm(torch.tensor([4, -4, 0]), torch.tensor([6, 6, 5])) | torch.copysign(torch.tensor([1, 2]), -0.0)
torch.xlogy(torch.tensor([0.0, 0.0, 1.0]), torch.tensor([0.0, float("nan"), 0.0])) | torch.hypot(torch.tensor([3.0]), torch.tensor([4.0])) | torch.nan_to_num(torch.tensor([float("inf"), float("nan")]))
torch.isclose(torch.tensor([1.0, float("nan")]), torch.tensor([1.0 + 1e-6, float("nan")])) | torch.isclose(torch.tensor([1]), torch.tensor([1.0])) | torch.equal(torch.tensor([1]), torch.tensor([1.0]))
torch.bincount(torch.tensor([1, 3, 1])) | torch.bincount(torch.tensor([-1])) | torch.arange(1, 0) | torch.arange(0, 1, 0) | torch.arange(3.0) | torch.arange(0, 1, 0.25) | torch.arange(5, 0, -2)
torch.linspace(0, 1, 5) | torch.linspace(0, 10, 4, dtype=torch.int64) | torch.full((2,), 3) | torch.full((2,), 3.0) | torch.full((2,), True) | torch.full((2,), 1j) | torch.tensor(3) | torch.tensor(3.5)
torch.tensor([1, 2.5]) | torch.tensor([True, 2]) | torch.tensor([1, 1j]) | torch.tensor([]) | torch.tensor([[1], [2, 3]]) | torch.tensor("a") | torch.tensor(2 ** 63) | torch.tensor([True, 0.5])
torch.tensor(300, dtype=torch.uint8) | torch.tensor([300], dtype=torch.int8) | torch.tensor(1.5, dtype=torch.int64) | torch.tensor(-1, dtype=torch.uint8) | torch.tensor(1j, dtype=torch.float32)
torch.zeros(2).fill_(1j) | torch.zeros(2, dtype=torch.int64).fill_(2.7) | torch.zeros(2, dtype=torch.uint8).fill_(300) | torch.full((2,), 300, dtype=torch.uint8) | torch.full((1,), 2.7, dtype=torch.int32)
torch.ones(2) + torch.ones(3) | torch.ones(2, 3) @ torch.ones(2, 3) | torch.ones(2).add_(torch.ones(2, 2)) | torch.ones(2, 3).sum(2) | torch.ones(2, 3).sum((0, 0)) | torch.ones(2)[2] | torch.ones(2, 3)[0, 0, 0]
torch.ones(2, 3).reshape(4) | torch.ones(2, 3).reshape(-1, -1) | torch.ones(2, 3).view(3, 2).t().view(6) | torch.ones(2, 3).squeeze(2) | torch.cat([torch.ones(2, 2), torch.ones(3)]) | torch.stack([])
bool(torch.ones(2)) | bool(torch.ones(0)) | int(torch.tensor(2.5)) | int(torch.ones(2)) | float(torch.tensor(3)) | torch.tensor(1.5).__index__() | range(3)[torch.tensor(1)] | complex(torch.tensor(1.5)) | len(torch.tensor(1)) | torch.tensor(1j).__float__()
"""


def expressions(text):
    """The expressions of a table: lines of them with bars between."""
    return [case.strip() for line in text.strip().splitlines() for case in line.split(" | ") if case]


def operands(torch):
    """Name and maker of each operand: tensors of two ones, 0-d tensors, numbers. Asked for anew each time: in-place forms write."""
    made = {}
    for name in DTYPES:
        made[name] = lambda name=name: torch.ones(2, dtype=getattr(torch, name))
        made[name + " 0-d"] = lambda name=name: torch.ones((), dtype=getattr(torch, name))
    for name, value in NUMBERS.items():
        made[name] = lambda value=value: value
    return made


def letter(torch, expression, a, b=None):
    """What comes of an expression, as a letter."""
    names = {"torch": torch, "a": a, "b": b, "mask": torch.ones((), dtype=torch.bool), "index": torch.tensor([0, 1])}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = eval(expression, names)
            if "index" in expression:  # an index out of range may be told when the values are looked at
                value.tolist()
    except Exception as error:
        return LETTERS[type(error).__name__]
    if expression.startswith("a.__setitem__"):
        value = a
    while isinstance(value, (list, tuple)):
        value = value[0]
    kind = value if isinstance(value, torch.dtype) else getattr(value, "dtype", None)
    return LETTERS[f"Python's {type(value).__name__}" if kind is None else str(kind).rpartition(".")[2]]


def is_asked(expression, a, b):
    """No for two numbers, which are no business of PyTorch's, and for what fails for its shape."""
    is_tensor_a, is_tensor_b = a not in NUMBERS, b not in NUMBERS
    if expression in expressions(IN_PLACE):
        return is_tensor_a and not (a.endswith("0-d") and is_tensor_b and not b.endswith("0-d"))
    return is_tensor_a or is_tensor_b


def line_of(torch, expression):
    """The line of the table for one expression."""
    made = operands(torch)
    if expression in expressions(UNARY + IN_PLACE_UNARY):
        return "".join(letter(torch, expression, made[a]()) for a in made if a not in NUMBERS)
    groups = []
    for a in made:
        asked = [is_asked(expression, a, b) for b in made]
        groups.append("".join(letter(torch, expression, made[a](), made[b]()) if ask else "-" for b, ask in zip(made, asked, strict=True)))
    return " ".join(groups)


def value_of(torch, expression):
    """The value of an expression as text: of a tensor its type and its values; of an error its type."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = eval(expression, {"torch": torch})
    except Exception as error:
        return type(error).__name__
    parts = list(value) if isinstance(value, tuple) else [value]
    return ", ".join(f"{str(p.dtype)[6:]} {p.tolist()}" if isinstance(p, torch.Tensor) else repr(p) for p in parts)


def main():
    import torch

    torch.set_num_threads(1)
    types = {e: line_of(torch, e) for e in expressions(BINARY + UNARY + IN_PLACE + IN_PLACE_UNARY)}
    values = {e: value_of(torch, e) for e in expressions(VALUES)}
    table = {
        "torch": torch.__version__.partition("+")[0],
        "operands": list(operands(torch)),
        "letters": LETTERS,
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_types.json")
    with open(path, "w") as f:
        head = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items())
        f.write("{\n" + head)
        for name, part in (("types", types), ("values", values)):
            f.write(f',\n"{name}": {{\n' + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in part.items()) + "\n}")
        f.write("\n}\n")


if __name__ == "__main__":
    main()
