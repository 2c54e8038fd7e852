"""Legal arguments of unusual kinds, and wrong ones, compared with PyTorch: tensors in the place of numbers, distances, dtypes of means."""

import pytest
from torch_oracle import compare_all

HEAD = """
x = torch.tensor([1., 2., math.nan], device=device); i = torch.tensor([1, 2, 4], device=device)
A = torch.tensor([[2., 1.], [1., 3.]], device=device); z = torch.tensor([1., 2., 4., 7.], device=device)
def t(value): return torch.tensor(value)
def kind(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
"""


def check(lines, device):
    """Compares the values of expressions, and the types of the exceptions that they raise."""
    cases = [one.strip() for line in lines.strip().splitlines() for one in line.split(" | ")]
    compare_all([f"{HEAD}kind(lambda: {case})" for case in cases], device)


def check_messages(lines, device):
    compare_all([f"{HEAD}raises(lambda: {one.strip()})" for line in lines.strip().splitlines() for one in line.split(" | ")], device)


NUMBERS = """
F.cross_entropy(A, i[:2] - 1, label_smoothing=t(.1)) | F.cross_entropy(A, i[:2] - 1, ignore_index=t(1)) | F.huber_loss(A, A * 2, delta=t(.5))
F.smooth_l1_loss(A, A * 2, beta=t(.5)) | F.layer_norm(A, (2,), eps=t(.1)) | F.normalize(A, eps=t(.1)) | F.dropout(A, t(0.))
F.hardtanh(A, t(-1.), t(1.)) | F.cosine_similarity(A, A, eps=t(.1)) | F.celu(A, alpha=t(2.)) | F.one_hot(i, t(6)) | F.leaky_relu(-A, t(.5))
torch.add(A, A, alpha=t(2.)) | torch.add(A, A, alpha=t(2)) | torch.add(i, i, alpha=t(2.)) | torch.sub(A, A, alpha=t(3)) | torch.logit(A / 4, eps=t(.1))
torch.addmm(A, A, A, beta=t(2.)) | torch.addcmul(z, z, z, value=t(2.)) | torch.isclose(A, A, rtol=t(.1)) | torch.allclose(A, A, t(.1))
torch.nan_to_num(x, nan=t(.5)) | torch.norm(z, t(1.)) | torch.dist(z, z * 2, t(1.)) | torch.var(z, correction=t(0)) | torch.trapezoid(z, dx=t(.5))
torch.softmax(A, t(1)) | torch.cumsum(z, t(0)) | torch.unsqueeze(z, t(0)) | torch.topk(z, t(2)) | torch.kthvalue(z, t(2)) | torch.diag(z, t(1))
torch.tril(A, t(-1)) | torch.chunk(z, t(2)) | torch.transpose(A, t(0), 1) | torch.argsort(z, t(0)) | torch.diff(z, t(1)) | torch.vander(z, t(2))
torch.matrix_power(A, t(2)) | torch.rot90(A, t(1)) | torch.eye(t(2)) | torch.linspace(0, 1, t(3)) | torch.fft.fftfreq(t(3)) | torch.histc(z, bins=t(3))
torch.cumsum(z, t(0.)) | torch.cumsum(z, t([0])) | torch.cumsum(z, t(True)) | torch.flip(z, t(0)) | torch.add(A, A, alpha=t([2.]))
torch.add(A, A, alpha=torch.tensor(2., requires_grad=True)) | torch.isclose(A, A, rtol=torch.tensor(.1, requires_grad=True))
"""
SPACINGS = """
torch.gradient(z, spacing=t(2.)) | torch.gradient(z, spacing=t(2)) | torch.gradient(z, spacing=True) | torch.gradient(z, spacing=z) | torch.gradient(z, spacing='a')
torch.gradient(z, spacing=(z.double(),)) | torch.gradient(z.int(), spacing=(z.double(),)) | torch.gradient(z, spacing=(z.int(),))
torch.gradient(z.double(), spacing=(z,)) | torch.gradient(z.half(), spacing=(z,)) | torch.gradient(i.bool()) | torch.gradient(z, spacing=(None,))
torch.gradient(t(1.)) | torch.gradient(t(1.), spacing=2) | torch.gradient(t(1.), dim=0) | torch.gradient(A, spacing=[], dim=[])
torch.gradient(z, spacing=t([2.])) | torch.gradient(z, spacing=torch.tensor(2., requires_grad=True)) | torch.gradient(z, spacing=t([1., 2.]))
"""
WRONG_SPACINGS = """
torch.gradient(z, spacing=[1., 2.]) | torch.gradient(A, spacing=(2.,)) | torch.gradient(A, spacing=(2., 1.), dim=0) | torch.gradient(z, spacing=[])
torch.gradient(z, spacing=(A,)) | torch.gradient(z, spacing=[t(2.)]) | torch.gradient(A, spacing=(z[:2], 1.)) | torch.gradient(z, spacing=(1., z))
torch.gradient(z, spacing=[z, z]) | torch.gradient(z, spacing=[z, z], dim=0) | torch.gradient(z, edge_order=0) | torch.gradient(i.bool())
torch.nanmean(x, dtype=torch.int32) | torch.nanmean(i) | torch.nanmean(i, dtype=torch.float32) | torch.mean(x, dtype=torch.int32) | torch.std(i)
torch.mean(i, dtype=torch.bool) | torch.nanmean(x, 0, dtype=torch.int64) | torch.fft.fftfreq(-1) | torch.fft.rfftfreq(-4) | torch.fft.fftfreq(3, dtype=torch.int32)
torch.fft.rfftfreq(3, dtype=torch.bool) | torch.linalg.solve(A, z) | torch.linalg.solve(A, torch.ones(2, 3), left=False) | torch.linalg.solve(A, t(1.))
torch.linalg.solve_triangular(A, torch.ones(3, 2), upper=True) | torch.linalg.pinv(z) | torch.linalg.pinv(i[None]) | torch.linalg.pinv(A[:1], hermitian=True)
torch.quantile(z, -.1) | torch.quantile(z, 1.5) | torch.quantile(z.double(), -.1) | torch.nanquantile(z, 1.5)
"""
FREQUENCIES = """
torch.fft.fftfreq(0) | torch.fft.rfftfreq(0) | torch.fft.rfftfreq(-1) | torch.fft.rfftfreq(-2) | torch.fft.fftfreq(4, 0) | torch.fft.rfftfreq(2, 0.)
torch.fft.fftfreq(0, 0) | torch.fft.fftfreq(1, 0) | torch.fft.fftfreq(3, d=t(.5)) | torch.fft.fftfreq(3, d=True) | torch.fft.fftfreq(0, dtype=torch.float64)
torch.linalg.pinv(A, rtol=.1, rcond=.1) | torch.linalg.pinv(A, rtol=.5) | torch.linalg.pinv(A, atol=2., rtol=.1) | torch.linalg.pinv(A, .5, True)
"""
HALVES = """qr eig eigvals svd svdvals inv inv_ex det slogdet cholesky cholesky_ex matrix_rank cond pinv ldl_factor norm vector_norm""".split()


@pytest.mark.parametrize("lines", [NUMBERS, SPACINGS, FREQUENCIES], ids=["numbers", "spacings", "frequencies"])
def test_values(device, lines):
    check(lines, device)


def test_messages(device):
    check_messages(WRONG_SPACINGS, device)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_matrices_of_halves(device, dtype):
    """PyTorch has no kernels for these; the exceptions have the same types and begin alike."""
    compare_all([f"{HEAD}raises(lambda: torch.linalg.{name}(A.to(torch.{dtype})))" for name in HALVES], device)
    compare_all([f"{HEAD}raises(lambda: torch.linalg.{name}(A.to(torch.{dtype}), A.to(torch.{dtype})))" for name in ("solve", "lstsq")], device)


def test_tensors_without_dimensions_as_numbers(device):
    compare_all(
        [
            *[f"torch.arange(6.).reshape(2, 3).index_fill(1, torch.tensor([0, 2]), torch.tensor({v}))" for v in ("2", "2.5", "True")],
            "torch.arange(6).index_fill(0, torch.tensor([1]), torch.tensor(2.5, dtype=torch.float64))",
            "raises(lambda: torch.arange(6).index_fill(0, torch.tensor([1]), torch.tensor(1j)))[0]",
            "raises(lambda: torch.arange(6.).masked_fill(torch.arange(6) > 3, torch.tensor(1j)))[0]",
            *[f"torch.lerp(torch.arange(3.), torch.arange(3.) * 2, torch.tensor({w}))" for w in ("2", "True", "0.5")],
            *[f"torch.split(torch.arange(5), torch.tensor({s}))" for s in ("2", "[2]", "2, dtype=torch.int32", "2.")],
            "raises(lambda: torch.split(torch.arange(5), torch.tensor([2, 3])))[0]",
            *[f"torch.norm(torch.tensor([3., 4.]), np.{t}(1))" for t in ("float64", "float32", "int64")],
            "torch.linalg.vector_norm(torch.tensor([3., 4.]), np.float64(0.5)), torch.linalg.norm(torch.eye(2), np.float64(2))",
            "torch.cdist(torch.eye(2), torch.eye(2), p=np.float64(0.5))",
            "torch.polar(torch.tensor([math.inf, 1.]), torch.tensor([0., math.inf]))",
        ],
        device,
    )


def test_exception_types_of_values(device):
    calls = [
        *[f"torch.{f}(torch.ones(2, 3), {p}, True)" for f in ("dropout", "alpha_dropout", "feature_dropout") for p in ("1.5", "math.nan")],
        *[f"F.{f}(torch.ones(2, 3), {p})" for f in ("dropout", "alpha_dropout") for p in ("1.5", "math.nan")],
        *[f"torch.linalg.cond(torch.eye(2), {p})" for p in ("3", "0", "'abc'")],
        "torch.baddbmm(torch.ones(2, 3, 3), torch.ones(2, 3, 3), torch.ones(3, 3))",
        "torch.addbmm(torch.ones(3, 3), torch.ones(2, 3, 3), torch.ones(3))",
        "torch.bmm(torch.ones(2, 3, 3), torch.ones(3, 3))",
        "torch.unravel_index(torch.tensor([1]), (2, torch.tensor(3)))",
        "torch.unravel_index(torch.tensor([1]), np.int64(6))",
    ]
    compare_all([f"raises(lambda: {call})[0]" for call in calls], device)
    compare_all(
        [
            "torch.linalg.cond(torch.zeros(0, 0)), torch.linalg.cond(torch.zeros(2, 0), 1)",
            "torch.unravel_index(torch.tensor([6, 100, -1]), (2, 3)), torch.unravel_index(torch.tensor(7), 6)",
        ],
        device,
    )


def test_capturable_is_for_gpus():
    names = "Adam AdamW Adamax NAdam RAdam ASGD Adadelta RMSprop Rprop".split()
    start = "p = torch.nn.Parameter(torch.ones(2)); o = optim.{}([p], lr=0.1, capturable=True); o.step(); p.sum().backward(); raises(o.step)[0]"
    compare_all([start.format(name) for name in names])


def test_gradient_with_complex_spacing(device):
    compare_all(
        [f"torch.gradient(torch.arange(5.) ** 2, spacing={s}{e})" for s in ("1j", "2 + 1j", "torch.tensor(1j)") for e in ("", ", edge_order=2")]
        + ["torch.gradient(torch.arange(6., dtype=torch.float64).reshape(2, 3) ** 2, spacing=(2., 1j))"],
        device,
    )


MIXED = """F.layer_norm(A, (2,), w, w) | F.group_norm(A, 1, w, w) | F.batch_norm(A, w.clone(), w.clone(), w, w) | F.instance_norm(A[None], None, None, w, w)
F.binary_cross_entropy(A.sigmoid(), B) | F.binary_cross_entropy_with_logits(A, B) | F.binary_cross_entropy_with_logits(A, B, pos_weight=w)
F.huber_loss(A, B) | F.soft_margin_loss(A, B) | F.hinge_embedding_loss(A, B) | F.cross_entropy(A, B) | F.cross_entropy(A, i[:2] - 1, weight=w)
F.nll_loss(A, i[:2] - 1, weight=w) | torch.cdist(A, B) | F.mse_loss(A, B) | F.l1_loss(A, B) | F.smooth_l1_loss(A, B) | F.kl_div(A, B)"""


@pytest.mark.parametrize("types", ["float32 float64", "float64 float32", "float16 float32", "bfloat16 float32", "float16 bfloat16"])
def test_operands_of_several_dtypes(types, device):
    """Which dtype losses and normalised tensors have, and which mixtures are errors."""
    own, other = types.split()
    start = f"A = A.to(torch.{own}); B = (A > 1).to(torch.{other}); w = torch.ones(2, dtype=torch.{other}, device=device); "
    cases = [f"{HEAD}{start}kind(lambda: ({one.strip()}).dtype)" for line in MIXED.splitlines() for one in line.split(" | ")]
    compare_all([case for case in cases if own != "float16" and own != "bfloat16" or "cdist" not in case], device)
