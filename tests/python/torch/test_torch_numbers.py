"""Numbers beside tensors: factors and values that the tensor's type cannot hold are refused, others have its type; against PyTorch."""

from arrays import cases
from torch_oracle import compare_all

HEAD = """
def tried(work, *xs):
    out = []
    for x in xs:
        try:
            out.append(work(x))
        except Exception as error:
            out.append(type(error).__name__)
    return out
kinds = [torch.tensor([1, 2, 3], dtype=t, device=device) for t in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32)]
m = torch.zeros(3, 3, dtype=torch.uint8, device=device)
"""
FACTORS = [2, 3, -1, -2, 127, 128, -128, -129, 255, -255, -256, 300, 2**31, 2**40, -(2**63), 2**63, 2**70]
WORKS = """
torch.add(x, x, alpha=NUMBER) | torch.addcmul(x, x, x, value=NUMBER) | torch.index_add(x, 0, torch.tensor([0, 2], device=device), x[:2], alpha=NUMBER) | x.clone().add_(x, alpha=NUMBER)
torch.addr(x[:1] * torch.ones(3, 3, dtype=x.dtype, device=device), x, x, alpha=NUMBER) | torch.addmm(x[:1] * torch.ones(3, 3, dtype=x.dtype, device=device), x[:, None], x[None], beta=NUMBER)
x.clone().fill_(NUMBER) | torch.threshold(x, NUMBER, 1) | torch.linspace(0, NUMBER, 3, dtype=x.dtype, device=device) | torch.full((2,), NUMBER, dtype=x.dtype, device=device)
"""
MORE = """
kinds[0] ** 300 | kinds[1] ** 200 | kinds[0] ** 3 | kinds[5].add(2**40, alpha=2) | kinds[6].add(2**63, alpha=2) | kinds[6].add(2**62, alpha=4) | kinds[4].add(2**40, alpha=3)
torch.full((2,), 1e6, dtype=torch.float16, device=device) | torch.full((2,), float("inf"), dtype=torch.float16, device=device) | kinds[5].masked_fill(kinds[5] > 1, 1e6)
torch.isin(kinds[0], 300) | torch.isin(kinds[1], -300) | torch.isin(300, kinds[0])
"""
LARGE = """
x.scatter_add(0, i, v) | x.index_add(0, i, v) | x.index_put((i,), v, accumulate=True) | x.scatter(0, i, v, reduce="add") | x.scatter_reduce(0, i, v, "sum") | x.clone().put_(i, v, accumulate=True)
x.int().scatter_add(0, i, v.int()) | x.to(torch.uint8).index_add(0, i, v.to(torch.uint8)) | x.to(torch.int16).index_add(0, i, (v % 40000).to(torch.int16)) | (x > 3).index_put((i,), v > 0, accumulate=True)
"""


def test_factors_and_values(device):
    texts = []
    for work in cases(WORKS):
        for number in FACTORS:
            # Integers beyond 64 bits are refused where they are read; unsigned steps backwards are not what anybody means.
            kinds = "*kinds[1:5]" if number < 0 and "linspace" in work else "*kinds[:5]" if abs(number) > 2**17 else "*kinds"
            if number < 2**64 or "threshold" not in work and "linspace" not in work:
                texts.append(f"{HEAD}tried(lambda x: {work.replace('NUMBER', str(number))}, {kinds})")
    compare_all(texts, device)


def test_large_integers_are_added_exactly(device):
    given = "x, i, v = (torch.tensor(t, device=device) for t in ([3, 5, 7], [0, 2], [2**62 + 1, 2**62 - 2]))\n"
    compare_all([given + one for one in cases(LARGE)], device)


def test_powers_and_wide_numbers(device):
    compare_all([f"{HEAD}tried(lambda _: {one}, 0)" for one in cases(MORE)], device)


LIMITS = [-5, 300, 5, 0.5, -0.5, 100000]
CLAMPS = """
def pairs(x, kinds):
    made = []
    for low in LIMITS:
        for high in LIMITS:
            for a, b in kinds:
                for first, second in (([low], [high]), (low, [high]), ([low], high), (low, high)):
                    made.append(tried(lambda x: torch.clamp(x, torch.tensor(first, device=device).to(a), torch.tensor(second, device=device).to(b)), x))
            for t in (torch.int64, torch.float64):
                made.append(tried(lambda x: torch.clamp(x, torch.tensor(low, device=device).to(t), high), x))
                made.append(tried(lambda x: torch.clamp(x, low, torch.tensor(high, device=device).to(t)), x))
                made.append(tried(lambda x: torch.clamp(x, low, torch.tensor([high], device=device).to(t)), x))
            made.append(tried(lambda x: torch.clamp(x, low, high), x))
    return made
"""


def test_limits_of_other_types(device):
    kinds = "[(torch.int64, torch.int64), (torch.float32, torch.int16), (torch.float64, torch.int64), (torch.int16, torch.float64)]"
    texts = [f"pairs(torch.tensor([2, 4, 8], device=device).to(torch.{t}), {kinds})" for t in ("uint8", "int8", "int32", "float16", "float32", "bool")]
    compare_all([f"{HEAD}LIMITS = {LIMITS}{CLAMPS}{text}" for text in texts], device)


BUFFERS = """
count=0 | offset=8 | offset=9 | offset=-1 | count=3, offset=6 | count=9 | count=-2 | count=2, offset=1
"""
INDICES = """
x.index_fill(0, i, 1.0) | x.index_copy(0, i, x[:1]) | x.index_add(0, i, x[:1]) | x.gather(0, i) | x.scatter(0, i, 1.0) | x.index_select(0, i) | x.take(i)
z.take_along_dim(torch.tensor(0, device=device), 0) | z.take_along_dim(torch.tensor([0], device=device), 0) | z.gather(0, torch.tensor(0, device=device))
x.index_fill(0, i.long(), np.float16(2.5)) | x.index_fill(0, i.long(), np.bool_(True)) | x.index_fill(0, i.long(), 2**63)
"""


def test_buffers_and_types_of_indices(device):
    texts = [f"raises(lambda: torch.frombuffer(bytearray(8), dtype=torch.uint8, {one}))" for one in cases(BUFFERS)]
    texts += [f"raises(lambda: torch.frombuffer(bytearray({n}), dtype=torch.int32))" for n in (0, 4, 7)]
    given = "x, i, z = torch.tensor([1.0, 2.0, 3.0], device=device), torch.tensor([0], dtype=torch.int32, device=device), torch.tensor(5.0, device=device)\n"
    compare_all([*texts, *[f"{given}raises(lambda: {one})[0]" for one in cases(INDICES)]], device)


NARROW = """
x = torch.tensor([0.5, -0.5, 3.0, 0.0, 1e-4, 60000.0, -7.25, math.inf, math.nan], dtype=DTYPE, device=device)
numbers = [0.1, -0.3, 1e5, -1e5, 1 / 3, 1e-9, 7, 2.5]
"""
OF_NARROW = """
x * s | s * x | x / s | s / x | x // s | torch.mul(x, s) | torch.div(x, s, rounding_mode="trunc") | torch.div(x, s, rounding_mode="floor") | x.clone().mul_(s) | x.clone().div_(s)
x * torch.tensor(s, dtype=torch.float64) | x / torch.tensor(s, dtype=torch.float64) | x + s | s - x | torch.add(x, x, alpha=s) | torch.addcmul(x, x, x, value=s) | torch.lerp(x, x + 1, s)
torch.addcdiv(x, x, x, value=s) | x % s | x ** s | F.hardtanh(x, -1, s) | F.threshold(x, s, s) | F.hardshrink(x, abs(s)) | x > s | torch.maximum(x, torch.tensor(s)) | F.elu(x, s) | F.celu(x, s)
"""


def test_numbers_beside_16_bits(device):
    """Factors and divisors keep the digits of float32, what is added does not; numbers that have no 16 bits are refused where PyTorch refuses them."""
    head = HEAD + "F = torch.nn.functional\n"
    texts = [
        f"{head}{NARROW.replace('DTYPE', 'torch.' + dtype)}tried(lambda s: {work}, *numbers)"
        for dtype in ("float16", "bfloat16")
        for work in cases(OF_NARROW)
        if device.kind == "cpu" or "/" not in work
    ]
    compare_all(texts, device.kind, rtol=0, atol=0)


ENDS = """
torch.lerp(torch.tensor([1e8], device=device), torch.tensor([1.0], device=device), 1.0) | torch.lerp(torch.tensor([1e8], device=device), torch.tensor([1.0], device=device), torch.tensor([0.75], device=device))
torch.nan_to_num(torch.tensor([complex("nan"), complex("inf-infj")], device=device)) | torch.nan_to_num(torch.tensor([complex("nan"), complex("inf-infj")], device=device), nan=2, posinf=3, neginf=4)
F.hardtanh(kinds[6], -1, math.nan) | F.elu(kinds[6] - 2, math.inf) | F.celu(kinds[6] - 2, math.inf) | F.softshrink(kinds[6], math.inf) | F.softshrink(kinds[5], 1e5) | torch.renorm(m.float(), 2, 0, math.nan)
torch.full((2,), 1e39, dtype=torch.complex64, device=device) | torch.ones(2, dtype=torch.complex64, device=device).add(1, alpha=1e39j) | torch.clamp(torch.ones(2, dtype=torch.complex64, device=device), 1)
"""


def test_ends_of_ranges(device):
    compare_all([f"{HEAD}F = torch.nn.functional\ntried(lambda x: {one}, 0)" for one in cases(ENDS)], device.kind)


SLOPES = """
slopes(1.0, None) | slopes(None, 3.0) | slopes(1.0, 3.0) | slopes(1, None) | slopes(3.0, 1.0) | slopes(math.nan, None) | slopes(torch.tensor(1.0, device=device), None)
slopes(y, None) | slopes(None, y) | slopes(y[:3], y[:3] + 1) | slopes(y[:3] - 1, y[:3])
"""


def test_derivatives_at_limits(device):
    """Where x equals a limit, and where it is NaN."""
    head = """
x = torch.tensor([1.0, 2.0, 3.0, math.nan], device=device, requires_grad=True)
y = torch.tensor([1.0, 2.5, 3.0, 1.0], device=device, requires_grad=True)
def slopes(low, high):
    out = torch.clamp(x[:3] if isinstance(low, torch.Tensor) and low.shape == (3,) else x, low, high)
    return out.detach(), torch.autograd.grad(out.sum(), [x, y], allow_unused=True)
"""
    compare_all([head + one for one in cases(SLOPES)], device.kind)


SPREADS = """
h.std() | h.std(correction=0) | torch.std_mean(h) | h.reshape(32, 10).std(1) | h.to(torch.bfloat16).std() | torch.addmm(torch.ones(2, 2).half().to(device), h[:6].reshape(2, 3) / 4096, h[:6].reshape(3, 2) / 4096, beta=1e-3, alpha=1e3)
(h / 65536.0).float() | (h * 65536.0) / 65536.0 | torch.addcmul(h, h, h, value=1e-4)
"""


def test_squares_beyond_16_bits(device):
    head = "h = (torch.sin(torch.arange(320.0)) * 1000).half().to(device)\n"
    compare_all([head + one for one in cases(SPREADS)], device.kind, rtol=2e-3, atol=1e-4)


DIGITS = """
torch.lerp(x, y, 0.7) | torch.lerp(x, y, 0.3) | x.clone().lerp_(y, 0.9) | torch.lerp(x, y, True) | torch.lerp(x, y, torch.tensor(0.5)) | torch.lerp(c, c + y, 0.7 - 0.2j) | torch.lerp(x, y, 1e39)
torch.xlogy(x, 0.1) | torch.xlogy(0.1, x) | torch.special.xlog1py(x, 0.1) | torch.special.zeta(x + 1.5, 1.1) | torch.special.zeta(2.2, x) | torch.clone(x).copy_(0.1) | torch.clone(x.long()).copy_(2.7)
torch.add(x, y, alpha=0.1) | torch.rsub(x, 0.1) | torch.addcmul(x, y, y, value=0.1) | torch.addcdiv(x, y, y, value=0.1) | x ** 0.1 | 0.1 ** x | x % 0.1 | x // 0.1 | 0.1 - x | 0.1 / x | c * (0.1 + 0.3j)
torch.where(x > 1, x, 0.1) | torch.clamp(x, 0.1, 0.7) | x.masked_fill(x > 1, 0.1) | x.index_add(0, i, y, alpha=0.1) | torch.logit(x / 9, eps=0.1) | torch.heaviside(x * 0, y) | torch.fmod(x, 0.1) | F.pad(x, (1, 1), value=0.1)
F.elu(y, 0.1) | F.celu(y, 0.3) | F.leaky_relu(y, 0.1) | F.softplus(y, 0.7, 0.9) | F.hardtanh(y, -0.1, 0.1) | F.threshold(y, 0.1, 0.3) | F.softshrink(y, 0.1) | F.selu(y) | F.gelu(y) | F.hardswish(y)
F.normalize(y, p=1.3, eps=0.1) | F.layer_norm(y, (4,), eps=0.1) | F.cosine_similarity(x, y, eps=0.1) | F.pairwise_distance(x, y, p=1.3, eps=0.1) | torch.cdist(x, y, p=1.3) | torch.renorm(x, 1.3, 0, 0.7) | torch.quantile(x, 0.3)
F.cross_entropy(y, i, label_smoothing=0.1) | F.huber_loss(x, y, delta=0.7) | F.smooth_l1_loss(x, y, beta=0.7) | F.gaussian_nll_loss(x, y, x, eps=0.1) | F.poisson_nll_loss(y, x, full=True, eps=0.1) | F.triplet_margin_loss(x, y, c.real, margin=0.3, p=1.3)
torch.addmm(x, x, e, beta=0.1, alpha=0.3) | torch.addr(x, x[:, 0], x[0], beta=0.1, alpha=0.3) | torch.baddbmm(x[None], x[None], e[None], beta=0.1, alpha=0.3) | torch.gradient(x, spacing=0.1)[0] | torch.trapezoid(x, dx=0.1)
"""


def test_numbers_keep_the_digits_of_float64(device):
    head = f"{HEAD}F = torch.nn.functional\n" + (
        "x = torch.arange(1, 13, dtype=torch.float64, device=device).reshape(3, 4) / 7.3\n"
        "y, i = (x - 0.83) * 1.9, torch.tensor([0, 2, 1], device=device)\n"
        "c, e = torch.complex(x, y), torch.eye(4, dtype=torch.float64, device=device)\n"
    )
    compare_all([f"{head}raises(lambda: {one})" for one in cases(DIGITS)], device.kind, rtol=1e-13, atol=1e-14)


FORMS = """
torch.linalg.pinv(m, 1e-3) | torch.linalg.pinv(m, rcond=1e-3) | torch.linalg.pinv(m, 1e-3, True) | torch.linalg.pinv(m, rtol=1e-3) | torch.linalg.matrix_rank(m, 1e-3) | torch.linalg.matrix_rank(m, 1e-2, True) | torch.linalg.matrix_rank(m, tol=1e-2)
torch.repeat_interleave(i) | torch.repeat_interleave(i, output_size=2) | tried(lambda _: torch.repeat_interleave(i, output_size=3), 0) | tried(lambda _: torch.repeat_interleave(m, i[1:], 0, output_size=7), 0) | torch.repeat_interleave(m, i[1:], 0, output_size=2) | torch.gather(z, 0, i) | torch.gather(z, 0, i[:0]) | torch.gather(z, 0, z.long() * 0) | tried(lambda _: torch.index_select(z, 0, i), 0) | tried(lambda _: torch.repeat_interleave(m[0]), 0)
torch.nn.functional.rms_norm(torch.full((2,), 1e-3, dtype=torch.float16, device=device), (2,)) | torch.nn.functional.rms_norm(torch.full((2,), 1e-3, dtype=torch.bfloat16, device=device), (2,))
"""


def test_further_forms_of_calls(device):
    given = "m, i, z = torch.tensor([[1.0, 2], [2, 4.001]], device=device), torch.tensor([0, 0, 2], device=device) * (torch.arange(3, device=device) > 1), torch.tensor(5.0, device=device)\n"
    compare_all([f"{HEAD}{given}{one}" for one in cases(FORMS)], device.kind, rtol=1e-2)


REFUSED = """
torch.lerp(w, w, 0.5) | torch.lerp(b, b, True) | torch.lerp(w, w, w) | torch.lerp(x, x, 1e39) | torch.lerp(x, x, 1j) | torch.addcmul(b, b, b) | torch.clamp(b, False, True) | torch.clamp(b, min=False) | torch.clamp(b, b, b)
x ** 1e39 | x.clone().pow_(-1e39) | x.half() ** 1e39 | torch.where(b, x, 1e39) | torch.where(b, w, 1e39) | torch.where(b, x.half(), 1e39) | torch.where(b, x.double(), 1e39)
m[[1, 'a']] | m[[1, b'a']] | m[0, 'b'] | x.__delitem__(0)
"""


def test_numbers_and_types_refused(device):
    given = "x, w, b = torch.tensor([0.5, 1.0, 3.0], device=device), torch.tensor([1, 2, 3], device=device), torch.tensor([True, False, True], device=device)\n"
    compare_all([f"{HEAD}{given}tried(lambda _: {one}, 0)" for one in cases(REFUSED)], device.kind)


OUTS = """
torch.mean(x, 0, out=o) | torch.sum(x, 0, out=o) | torch.prod(x, 0, out=o) | torch.sum(x, 0, dtype=torch.uint8, out=o) | torch.mean(x, 0, dtype=torch.float64, out=o) | torch.prod(x, 0, dtype=torch.int64, out=o)
torch.cumsum(x[0], 0, out=o) | torch.cumsum(x[0], 0, dtype=torch.float64, out=o) | torch.quantile(x, 0.5, 0, out=o) | torch.clamp(x[0], 0, 1, out=o) | torch.nansum(x, 0, dtype=torch.float64, out=o)
"""


def test_types_of_out(device):
    given = "x = torch.tensor([[1.5, 2, 3], [4, 5, 6.5]], device=device)\n"
    types = [f"torch.{name}" for name in "float32 float64 float16 int64 int32 uint8 complex64".split()]
    texts = [f"{HEAD}{given}tried(lambda t: {one.replace('out=o', 'out=torch.zeros(3, dtype=t, device=device)')}, {', '.join(types)})" for one in cases(OUTS)]
    compare_all(texts, device.kind, rtol=1e-3)
