"""Calls of torch's functions in several wordings against PyTorch: keywords, empty tensors, types, ``out=``, broadcasting and gradients."""

import pytest
from arrays import cases
from torch_oracle import compare_all

HEAD = """F, L, S = torch.nn.functional, torch.linalg, torch.special
inf, nan = math.inf, math.nan
def r(*n, dtype=torch.float64):
    return (torch.arange(float(math.prod(n))) * 0.37).sin().reshape(n).to(dtype).to(device)
def z(*n):
    return torch.complex(r(*n), r(*n).cos())
def n(*values, dtype=torch.int64):
    return torch.tensor(values, dtype=dtype, device=device)
def of(f, *x):
    "The values, and the gradients of a weighted sum of the values."
    x = [one.detach().clone().requires_grad_() for one in x]
    y = f(*x)
    weights = (torch.arange(float(y.numel())) + 1).reshape(y.shape).to(y.dtype).to(device)
    torch.autograd.backward(y, weights)
    return [y.detach()] + [one.grad for one in x]
def into(f, dtype):
    out = torch.empty(0, dtype=dtype, device=device)
    return raises(lambda: f(out))[0], out.dtype
"""

KEYWORDS = """
torch.flip(r(2, 3), dims=(0, 1)) | r(2, 3).flip(dims=[1]) | r(2, 3).flip(0, 1) | torch.permute(r(2, 3), dims=(1, 0)) | r(2, 3).permute(dims=(1, 0))
torch.reshape(r(2, 3), shape=(3, 2)) | r(2, 3).reshape(shape=(6,)) | torch.tile(r(2), dims=(2, 2)) | r(2).tile(dims=(3,)) | r(1, 2).expand(size=(3, 2))
r(2, 2).view(size=(4,)) | r(2).view(dtype=torch.int64) | r(2).repeat(repeats=(2, 1)) | r(2, 3).sum_to_size(size=(1, 3)) | r(4).split(split_size=3)
torch.split_with_sizes(r(4), split_sizes=[1, 3]) | torch.hsplit(r(4), sections=2) | torch.vsplit(r(4, 2), indices=[1]) | torch.dsplit(r(1, 1, 4), sections=2)
torch.tensor_split(r(5), sections=2) | torch.tensor_split(r(5), indices=[1, 2]) | torch.dot(r(2), tensor=r(2)) | torch.mv(r(2, 2), vec=r(2))
torch.max(r(2), other=r(2).cos()) | r(3).min(other=r(3).cos()) | torch.det(input=r(2, 2)) | torch.inverse(input=r(2, 2)) | torch.matrix_exp(input=r(2, 2))
torch.matrix_power(input=r(2, 2), n=2) | torch.pinverse(input=r(2, 3)) | torch.expand_copy(input=r(1, 2), size=(2, 2)) | torch.t_copy(input=r(2, 3))
torch.randint(high=3, size=(2,)).shape | torch.randint_like(r(2), high=3).shape | torch.normal(0.0, 1.0, (2,), layout=torch.strided).shape
torch.slice_scatter(r(4), n(1, 2).double(), 0, 1, 3, 1) | torch.slice_scatter(input=r(2, 3), src=r(2, 1), dim=1, start=0, end=1) | r(4).slice_scatter(r(2), start=0, end=4, step=2)
torch.gradient(r(4), spacing=None, dim=None, edge_order=1) | torch.gradient(r(4), spacing=0.5) | torch.squeeze_copy(input=r(1, 2))
raises(lambda: r(4).slice_scatter(r(3), 0, 0, 2))[0] | raises(lambda: torch.flip(r(2), 0, dims=(0,)))[0]
"""

SHAPES = """
torch.gather(r(3), 0, n(dtype=torch.uint8)) | torch.gather(r(3), 0, torch.empty(2, 0, dtype=torch.int32, device=device)) | r(2, 2).scatter(0, torch.empty(0, 2, dtype=torch.int16, device=device), r(2, 2))
torch.take_along_dim(r(3, 4), n(0, 2)[:, None][:1], 1) | torch.take_along_dim(r(3, 4), n(1)[:, None], 0) | torch.take_along_dim(r(3, 4), n(-1, -2, 0)[:, None], 1) | r(2, 3).take_along_dim(n(5, -7, 1)[None], 1)
torch.masked_scatter(r(3), n(1, 0, 1).bool().expand(2, 3), r(4)) | r(2, 1).masked_scatter(n(0, 1, 1).bool(), r(2, 3)) | F.pad(torch.zeros(0, 3, 3, device=device), (0, 2, 0, 1), value=1.0)
F.pad(r(1, 2, 3, 4), (-1, 1, -2, 1), mode="circular") | F.pad(r(1, 2, 4), (2, -1), mode="circular") | F.pad(r(1, 2, 4), (-1, 3), mode="circular") | F.pad(r(1, 4), (4, 4), mode="circular")
torch.unique_consecutive(r(0)) | torch.unique_consecutive(torch.tensor(2.0, device=device)) | torch.unique_consecutive(torch.zeros(2, 0, device=device), dim=0) | torch.unique_consecutive(torch.zeros(1, 0, device=device), return_counts=True, dim=1)
torch.corrcoef(r(1, 3)) | torch.cov(r(1, 4)) | torch.cov(r(1, 3), aweights=r(3).abs() + 1) | torch.corrcoef(r(5)) | torch.cov(r(2, 3), fweights=n(1, 2, 3)) | torch.cov(r(2, 3, dtype=torch.float16), aweights=r(3, dtype=torch.float32).abs())
torch.tensordot(r(1, 1, 1), r(2, 1, 2), dims=((0, 1), (2, 0))) | torch.tensordot(r(2, 3), r(1, 3), dims=([0, 1], [0, 1])) | F.linear(torch.zeros(3, 4, 0, device=device), torch.zeros(5, 0, device=device)) | torch.diff(r(3), 0, prepend=r(1))
L.lstsq(r(2, 4, 3) + torch.eye(4, 3, device=device), r(2, 4, 2)).solution | L.lstsq(r(3, 2), r(3, 2), driver="gelsd") | L.lstsq(r(2, 3), r(2, 1), driver="gels") | L.lstsq(r(3, 2), r(3, 1), driver="gelss") | L.lstsq(torch.zeros(3, 0, device=device), torch.zeros(3, 2, device=device))
L.lstsq(r(5, 3, 2), r(5, 3)).solution.shape | L.lstsq(r(4, 2), r(2, 4, 1)).rank | L.matrix_rank(torch.zeros(2, 0, 0, device=device)) | L.matrix_rank(torch.eye(3, device=device), atol=0.5, rtol=2.0) | L.matrix_rank(torch.eye(3, device=device) * r(2, 1, 1).to(torch.float32), atol=n(1, 0).float(), rtol=n(0, 1).float())
L.matrix_rank(-torch.eye(3, device=device), hermitian=True) | L.norm(torch.zeros(0, 0, device=device), 2, keepdim=True) | L.norm(torch.zeros(2, 0, device=device), "nuc") | L.vander(torch.tensor(2.0, device=device), N=3) | F.multi_margin_loss(torch.tensor(1.0, device=device), n(0)[0])
F.multilabel_margin_loss(torch.tensor(1.0, device=device), n(0)[0]) | F.batch_norm(torch.zeros(0, device=device), torch.zeros(0, device=device), torch.zeros(0, device=device)) | F.batch_norm(r(1, 2), r(2), r(2).abs()) | torch.nn.BatchNorm1d(2, device=device).eval()(torch.ones(1, 2, device=device))
raises(lambda: F.batch_norm(r(1, 2), None, None, training=True))[0] | F.local_response_norm(torch.zeros(0, 1, 2, device=device), 1)
"""

TYPES = """
torch.addmv(n(1, 2), n(1, 2, 3, 4).reshape(2, 2), n(1, 2), beta=0.6, alpha=0.2) | torch.addbmm(n(1, 2)[None], n(1, 2, 3, 4).reshape(1, 2, 2), n(1, 2, 3, 4).reshape(1, 2, 2), beta=2, alpha=3)
torch.baddbmm(n(1), n(1, 2, 3, 4).reshape(1, 2, 2), n(1, 2, 3, 4).reshape(1, 2, 2), beta=0.6, alpha=1.9) | torch.addbmm(n(1, dtype=torch.uint8), n(1, 2, 3, 4, dtype=torch.uint8).reshape(2, 1, 2), n(1, 2, 3, 4, dtype=torch.uint8).reshape(2, 2, 1))
torch.addr(n(1, 0).bool(), n(1, 0).bool(), n(1, 1).bool(), beta=3, alpha=2) | torch.tensor(True, device=device).sum_to_size(()) | torch.tensor(3, dtype=torch.uint8, device=device).sum_to_size(()) | n(1, 0).bool().sum_to_size(1) | n(1, 0).bool().sum_to_size(2)
torch.scatter_reduce(n(1, 0, 1).bool(), 0, n(0, 1), n(0, 1).bool(), "amin") | torch.scatter_reduce(n(1, 0, 1).bool(), 0, n(0, 1), n(0, 1).bool(), "amax", include_self=False) | torch.logspace(0, 1.2, 2, dtype=torch.int64) | torch.linspace(4.3, -3, 9, dtype=torch.int64) | torch.linspace(-2.7, 2.7, 5, dtype=torch.int32)
torch.logdet(torch.complex(torch.eye(2), torch.eye(2)).to(device)) | L.vector_norm(r(4, dtype=torch.float16) * 50, 6) | torch.trapezoid(n(5, 1, 6, dtype=torch.uint8), n(2, 5, 4, dtype=torch.uint8)) | F.softmin(n(1, 2, dtype=torch.uint8), 0, dtype=torch.float64)
torch.unravel_index(n(3, 8, dtype=torch.uint8), (4, 5)) | torch.logit(r(3).abs(), 0.6) | torch.positive(n(1)) | S.legendre_polynomial_p(r(3), n(0, 1, 4)) | S.hermite_polynomial_h(r(3), n(2, 0, 3).double()) | S.chebyshev_polynomial_t(r(3), n(-1, 1, 2))
"""

OUT = """
into(lambda out: torch.gather(r(3), 0, n(0), out=out), torch.float32) | into(lambda out: torch.abs(r(3), out=out), torch.float32) | into(lambda out: torch.add(r(3), 1, out=out), torch.float32) | into(lambda out: torch.matmul(r(2, 2), r(2, 2), out=out), torch.float32)
into(lambda out: torch.tril(r(2, 2), out=out), torch.float64) | into(lambda out: torch.tril(r(2, 2), out=out), torch.float32) | into(lambda out: torch.amax(r(2, 2), out=out), torch.float32) | into(lambda out: torch.t_copy(r(2, 2), out=out), torch.float32)
into(lambda out: torch.isposinf(r(2), out=out), torch.float32) | into(lambda out: torch.all(r(2), out=out), torch.float32) | into(lambda out: torch.zeros(2, dtype=torch.float64, out=out), torch.float32) | into(lambda out: torch.arange(3, dtype=torch.float32, out=out), torch.float32)
into(lambda out: torch.take(r(3), n(0), out=out), torch.float64) | into(lambda out: torch.diff(r(3), out=out), torch.float64) | into(lambda out: torch.msort(r(3), out=out), torch.float64) | into(lambda out: torch.argmax(r(3), out=out), torch.int64)
into(lambda out: torch.isin(r(3), r(1), out=out), torch.bool) | into(lambda out: torch.renorm(r(2, 2), 2, 0, 1, out=out), torch.float64) | into(lambda out: torch.signbit(r(3), out=out), torch.bool) | into(lambda out: torch.conj_physical(z(2), out=out), torch.complex128)
into(lambda out: torch.nonzero_static(r(3), size=2, out=out), torch.int64) | into(lambda out: torch.slice_scatter(r(3), r(1), 0, 0, 1, out=out), torch.float64) | into(lambda out: L.inv(r(2, 2), out=out), torch.float32) | into(lambda out: torch.softmax(r(2), 0, out=out), torch.float32)
into(lambda out: F.softplus(r(3), out=out), torch.float64) | into(lambda out: F.gelu(r(3), out=out), torch.float64) | into(lambda out: F.hardshrink(r(3), 0.1, out=out), torch.float64) | into(lambda out: F.softshrink(r(3), out=out), torch.float64)
into(lambda out: F.logsigmoid(r(3), out=out), torch.float64) | into(lambda out: F.linear(r(2, 3), r(4, 3), out=out), torch.float64) | into(lambda out: torch.isin(r(3), r(1), out=out), torch.float32) | into(lambda out: torch.signbit(r(3), out=out), torch.float32)
"""

GRADIENTS = """
of(lambda x: torch.cholesky_inverse(x), torch.eye(3).double() + r(3, 3).tril()) | of(lambda x: torch.cholesky_inverse(x, upper=True), torch.eye(3).double() + r(3, 3).triu()) | of(lambda b, a: sum(x.sum() for x in torch.triangular_solve(b, a)), r(3, 1), torch.eye(3).double() + r(3, 3).triu())
of(lambda x, q: torch.quantile(x, q), r(5), n(0.2, 0.6, dtype=torch.float64)) | of(lambda x, q: torch.nanquantile(x, q, dim=0, keepdim=True), r(5, 2), n(0.3, dtype=torch.float64)[0]) | of(lambda x, v: torch.index_put(x, (n(0, 2),), v), r(4), r(2)) | of(lambda x, v: torch.index_put(x, (n(0, 0),), v, True), r(4), r(2))
of(lambda a, b: torch.nextafter(a, b), r(3), r(3) * n(1, 2, 0)) | of(lambda x: torch.diff(x, 0), r(3)) | of(lambda x: x.sum_to_size(()), r(1)[0]) | of(lambda x: torch.logit(x, 0.6), r(3).abs()) | of(lambda x: L.pinv(x, hermitian=True), r(3, 3))
of(lambda x, w: F.linear(x, w), z(2, 3), z(4, 3)) | of(lambda x, w, b: F.linear(x, w, b), z(2, 2, 3), z(4, 3), z(4)) | of(lambda x, w: F.rms_norm(x, (3,), w), z(2, 3), z(3)) | of(lambda x: torch.matrix_exp(x), z(2, 2)) | of(lambda x: L.eigh(x + x.mT, UPLO="U").eigenvalues, r(3, 3)) | of(lambda x: L.eigh(x).eigenvalues, r(3, 3))
of(lambda x: L.eigh(x, UPLO="U")[1].abs(), r(3, 3)) | of(lambda x: torch.logdet(x).real, z(2, 2)) | of(lambda x, s: torch.masked_scatter(x, n(1, 0, 1).bool(), s), r(2, 3), r(4)) | of(lambda x: torch.take_along_dim(x, n(-1, 0)[None], 1), r(2, 3)) | of(lambda a, b: L.lstsq(a, b).solution, r(2, 4, 2) + torch.eye(4, 2), r(2, 4, 1))
of(lambda x: F.pad(x, (-1, 2), mode="circular"), r(1, 2, 4)) | of(lambda x: torch.combinations(x, 2), r(3)) | of(lambda x: L.inv(x), torch.eye(2).double() + r(2, 2) * 0.3) | of(lambda a, b: L.solve(a, b), torch.eye(2).double() + r(2, 2) * 0.3, r(2, 1)) | of(lambda x: L.cholesky(x @ x.mT + torch.eye(2)), r(2, 2))
"""


@pytest.mark.parametrize("name", ["KEYWORDS", "SHAPES", "TYPES", "OUT", "GRADIENTS"])
def test_calls(name, device):
    table = cases(globals()[name])
    compare_all([HEAD + case for case in table], device, rtol=1e-5, atol=1e-6)
