"""Functions and methods of quern.torch against PyTorch: values, types, shapes, gradients, views or copies, errors."""

import pytest
from arrays import cases
from torch_oracle import compare_all

# Of tensors a, b (3, 4), c (4, 3), s (2, 3, 3), v and w (4), all of float64 between 0.2 and 0.9.
MADE = """r = np.random.default_rng(3)
a, b, c, s, v, w = (torch.tensor(r.uniform(0.2, 0.9, n)) for n in ((3, 4), (3, 4), (4, 3), (2, 3, 3), 4, 4))
i, m = torch.tensor([2, 0, 1]), torch.tensor([[True, False, True, True]] * 3)
"""
GRADIENT = """for x in (a, b, c, s, v, w): x.requires_grad_()
y = EXPRESSION
y = y[0] if isinstance(y, tuple) else y
(y * torch.arange(1.0, y.numel() + 1, dtype=torch.float64).reshape(y.shape)).sum().backward()
"""


def listed(text):
    return [one.strip() for one in cases(text) if one.strip()]


SMOOTH = """
a + b | a - b | a * b | a / b | a ** b | a % b | -a | abs(a) | a ** 2 | a ** 0.5 | 2 ** a | 1 / a | 3 - a | a @ c | s @ s | v @ c | a @ v
a.add(b, alpha=2) | a.sub(b, alpha=0.5) | torch.rsub(a, b) | a.mul(2) | a.div(b) | a.pow(3) | a.fmod(0.3) | a.exp() | a.exp2() | a.expm1()
a.log() | a.log2() | a.log10() | a.log1p() | a.sqrt() | a.rsqrt() | a.sin() | a.cos() | a.tan() | a.asin() | a.acos() | a.atan() | a.sinh()
a.cosh() | a.tanh() | a.asinh() | (a + 1).acosh() | a.atanh() | a.erf() | a.erfc() | a.erfinv() | a.lgamma() | a.sigmoid() | a.logit()
a.square() | a.reciprocal() | a.rad2deg() | a.deg2rad() | a.floor() | a.frac() | a.sign() | a.relu() | a.clamp(0.4, 0.6) | a.clamp(min=b)
torch.where(m, a, b) | torch.maximum(a, b) | torch.minimum(a, b) | torch.atan2(a, b) | torch.hypot(a, b) | torch.logaddexp(a, b)
torch.xlogy(a, b) | torch.copysign(a, -b) | a.lerp(b, 0.3) | a.lerp(b, b) | torch.addcmul(a, b, b, value=2) | torch.addcdiv(a, b, b)
a.sinc() | a.nan_to_num() | torch.special.entr(a) | torch.special.ndtr(a) | torch.special.log_ndtr(a) | torch.special.i0(a)
torch.special.i1(a) | torch.special.xlog1py(a, b) | torch.special.ndtri(a) | torch.special.erfcx(a) | torch.float_power(a, b) | torch.ldexp(a, b)
a.sum() | a.sum(0) | a.sum((0, 1), keepdim=True) | a.mean() | a.mean(1) | a.prod() | a.prod(1) | a.var() | a.var(0) | a.std(1, keepdim=True)
a.std(unbiased=False) | a.amax(1) | a.amin(0) | a.max() | a.min() | a.max(1) | a.min(0) | a.median(1) | a.norm() | a.norm(1) | a.norm(dim=1)
a.norm(3, 0) | a.logsumexp(1) | a.cumsum(0) | a.cumprod(1) | a.logcumsumexp(1) | a.cummax(1) | a.diff() | a.sort(1) | a.topk(2)
a.kthvalue(2) | a.quantile(0.3) | a.quantile(torch.tensor([0.1, 0.7], dtype=torch.float64), 1) | torch.dist(a, b) | a.nansum() | a.nanmean()
torch.trapezoid(a) | torch.cumulative_trapezoid(a) | torch.gradient(a)[0] | a.softmax(1) | a.log_softmax(0) | torch.cov(a) | torch.corrcoef(a)
a.reshape(4, 3) | a.view(2, 6) | a.t() | a.T | a.flatten() | a.unsqueeze(1) | a.transpose(0, 1) | s.permute(2, 0, 1) | s.movedim(0, 2)
v.expand(3, 4) | a.narrow(1, 1, 2) | a.select(0, 1) | a[1] | a[:, 1:3] | a[..., None] | a[i] | a[m] | a[i, i] | a[:, [0, 0, 2]] | a.unbind(1)[2]
a.split(2)[1] | a.chunk(2, 1)[0] | a.diagonal() | a.diag() | v.diag() | v.diag_embed() | a.tril() | a.triu(1) | a.flip(0) | a.roll(1, 1)
a.rot90() | a.repeat(2, 1) | a.tile(2) | a.repeat_interleave(2, 1) | a.unfold(1, 2, 1) | torch.cat([a, b]) | torch.stack([a, b], 1)
torch.hstack([a, b]) | torch.vstack([a, b]) | torch.dstack([a, b]) | torch.block_diag(a, b) | torch.meshgrid(v, w, indexing="ij")[1]
torch.cartesian_prod(v, w) | torch.combinations(v) | a.unflatten(1, (2, 2)) | torch.tensor_split(a, 3, 1)[1]
a.gather(1, i[:, None]) | a.index_select(0, i) | a.take(i) | torch.take_along_dim(a, i[:, None], 1) | a.masked_fill(m, 2) | a.masked_select(m)
a.scatter(0, i[:, None].expand(3, 4), b) | a.scatter_add(0, i[:, None].expand(3, 4), b) | a.index_add(0, i, b) | a.index_copy(0, i, b) | a.index_fill(0, i[:2], 3.0)
a.index_put((i,), b) | a.index_put((i,), b, accumulate=True) | a.masked_scatter(m, b) | a.select_scatter(v, 0, 1) | a.slice_scatter(b[:2], 0, 1)
a.diagonal_scatter(v[:3]) | torch.matmul(s, s[0]) | torch.mm(a, c) | torch.bmm(s, s) | torch.mv(a, v) | torch.dot(v, w) | torch.outer(v, w)
torch.inner(a, b) | torch.kron(v, w) | torch.cross(c, c.flip(0), 1) | torch.tensordot(a, c, 1) | torch.einsum("ij,jk->ki", a, c) | torch.einsum("bii->b", s) | torch.einsum("ij,ij->", a, b)
torch.einsum("...i,...i->...", a, b) | torch.einsum("bij,bjk,kl->bil", s, s, s[0]) | torch.einsum("i,j", v, w) | torch.einsum("ij->j", a) | torch.einsum("bij,jk->bik", s, s[0])
torch.addmm(s[0], a, c, beta=0.5, alpha=2) | torch.addmv(v[:3], a, w) | torch.addr(a, v[:3], w) | torch.baddbmm(s, s, s) | torch.cdist(a, b)
torch.pdist(a) | F.pdist(b, 1) | F.pdist(a, float('inf')) | F.pdist(a[:1]) | F.pdist(a, 3.0)
torch.linalg.inv(s) | torch.linalg.det(s) | torch.linalg.slogdet(s)[1] | torch.linalg.solve(s, s.flip(0)) | torch.linalg.vector_norm(a, 3)
torch.linalg.matrix_norm(a) | torch.linalg.matrix_norm(a, 1) | torch.linalg.cholesky(s @ s.mT + 1) | torch.linalg.svdvals(a) | torch.trace(a)
torch.linalg.eigvalsh(s + s.mT) | torch.linalg.pinv(a) | torch.linalg.matrix_power(s, 3) | torch.linalg.multi_dot([a, c, a]) | torch.linalg.vecdot(a, b)
torch.fft.irfft(torch.fft.rfft(v)) | torch.fft.fft(v).abs() | a.renorm(2, 0, 0.5) | a.sum_to_size(1, 4) | a.clone() | a.contiguous() | a.float()
torch.broadcast_to(v, (3, 4)) | a.expand_as(s[..., :1].expand(2, 3, 4)) | a.as_strided((2, 2), (1, 2)) | a.swapaxes(0, 1) | a.ravel() | a.squeeze()
torch.polygamma(1, a) | a.digamma() | a.mT | a.logdet() if 0 else a
"""

# Without gradients: of integers, bools and complex numbers, and what has none.
PLAIN = """
torch.arange(5) | torch.arange(1, 2, 0.25) | torch.arange(5, 1, -2) | torch.linspace(0, 1, 5) | torch.logspace(0, 2, 3) | torch.eye(2, 3) | torch.full((2, 2), 3)
torch.zeros(2, 3) | torch.ones(2, dtype=torch.int16) | torch.full_like(a, 2) | torch.empty(0, 3) | torch.tril_indices(3, 3) | torch.triu_indices(2, 4, 1)
torch.hann_window(5) | torch.hamming_window(4, periodic=False) | torch.blackman_window(6) | torch.bartlett_window(5) | torch.kaiser_window(5)
torch.vander(v, 3) | torch.range(1, 3) | torch.scalar_tensor(2) | a.new_zeros(2) | a.new_full((2,), 4) | a.new_tensor([1, 2]) | torch.complex(a, b) | torch.polar(a, b)
torch.view_as_real(torch.complex(a, b)) | torch.view_as_complex(s[..., :2].contiguous()) | torch.complex(a, b).abs() | torch.complex(a, b).angle()
torch.complex(a, b).conj() * 1 | torch.complex(a, b).real | torch.complex(a, b).imag | torch.complex(a, b) @ torch.complex(c, c) | torch.complex(a, b).exp()
a > b | a.eq(a) | a.isnan() | (a / 0).isinf() | a.isclose(b) | torch.allclose(a, a) | torch.equal(a, b) | a.logical_not() | a.bool() & m | ~m | m ^ m.flip(1)
i << 1 | i >> 1 | i & 1 | i | 4 - i | i // 2 | i % 2 | -i // 2 | i / 2 | i.float() // 2 | torch.gcd(i, i + 2) | torch.lcm(i + 1, i + 2) | torch.floor_divide(-i, 2)
torch.div(-i, 2, rounding_mode="trunc") | torch.div(a, b, rounding_mode="floor") | torch.remainder(-i, 3) | torch.fmod(-i, 3) | i.bitwise_not() | torch.heaviside(a - 0.5, b)
a.argmax() | a.argmax(1) | a.argmin(0, keepdim=True) | a.max(0).indices | a.argsort(1, descending=True) | a.sort(0, descending=True).indices | a.msort()
i.sum() | i.prod() | m.sum() | m.any(0) | m.all(1) | a.count_nonzero() | m.nonzero() | torch.nonzero(m, as_tuple=True) | torch.where(m) | torch.argwhere(m)
i.cumsum(0) | i.cummin(0).values | a.mode(1).values | i.unique() | i.unique(return_counts=True) | torch.tensor([1, 1, 2, 1]).unique_consecutive(return_inverse=True)
i[[0, 0, 1]].unique_consecutive(dim=0) | torch.stack([i, i, i + 1], -1).unique_consecutive(return_inverse=True, return_counts=True, dim=-1) | i[:0].unique_consecutive()
torch.bincount(i) | torch.bincount(i, minlength=5) | torch.histc(a, 4, 0, 1) | torch.histogram(a, 3) | torch.searchsorted(v.sort().values, w) | torch.bucketize(a, w.sort().values, right=True)
torch.isin(i, torch.tensor([1, 2])) | a.aminmax() | torch.std_mean(a, 1) | torch.var_mean(a) | a.nanmedian() | torch.nanquantile(a, 0.4) | a.frexp()
torch.promote_types(torch.int8, torch.float16) | torch.result_type(a, 1j) | torch.can_cast(torch.float32, torch.int32) | a.is_floating_point() | a.size() | a.stride()
a.tolist() | a.sum().item() | i[0].item() | a.numel() | a.dim() | a.element_size() | a.is_contiguous() | a.t().is_contiguous() | a[0].storage_offset() | a.nbytes
torch.linalg.qr(a)[1].abs() | torch.linalg.matrix_rank(a) | torch.linalg.eigvals(s + s.mT).real.sort().values | torch.linalg.cond(s) | torch.linalg.lstsq(c, w)[0]
torch.linalg.solve_triangular(s.triu(), s, upper=True) | torch.cholesky_solve(c[:3, :2], torch.eye(3, dtype=torch.float64)) | torch.linalg.tensorinv(s[0], 1)
torch.fft.fft(a) | torch.fft.ifft(a, 6) | torch.fft.rfft(a, norm="ortho") | torch.fft.fft2(a) | torch.fft.irfftn(torch.fft.rfftn(s)) | torch.fft.fftfreq(5, 0.1) | torch.fft.fftshift(v)
torch.fft.hfft(v) | torch.fft.ihfft(v) | torch.fft.fftn(s, dim=(0, 2)) | torch.fft.rfftfreq(4) | torch.special.zeta(a + 2, b) | torch.special.multigammaln(a + 2, 2)
torch.special.legendre_polynomial_p(a, 3) | torch.special.hermite_polynomial_he(a, 4) | torch.special.i0e(a * 20) | torch.special.i1e(-a * 20) | torch.special.chebyshev_polynomial_t(a, 5)
torch.unravel_index(torch.tensor([5, 7]), (3, 4)) | torch.nonzero_static(m, size=4) | a.index_reduce(0, i, b, "amax") | a.scatter_reduce(0, i[None], b, "mean")
torch.pixel_shuffle(s.repeat(2, 1, 1)[None], 2) | torch.channel_shuffle(s[None].repeat(1, 2, 1, 1), 2) | torch.renorm(a, 1, 0, 1.0) | torch.typename(a)
torch.tensor([[1, 2], [3, 4]]).float().inverse() | torch.numel(a) | torch.is_tensor(3) | torch.is_nonzero(torch.tensor(1)) | i.to(torch.float16) | a.half() | a.int() | a.type()
a.bfloat16() + 1 | a.float().bfloat16().sum(0) | torch.tensor([300, -1]).to(torch.uint8) | torch.tensor([1.9, -1.9]).long() | a.view(torch.int64) | a.float().view(torch.int32)
torch.tensor([0, 1, 2, 5])[torch.tensor([True, False, True, True])] | a[-1, -1] | a[1:, ::2] | a[None] | a[torch.tensor(1)] | a[i, :2] | a[:, i.bool()] if 0 else a | len(a) | 0.5 in a
list(v) | reversed(v) | bool(a[0, 0] > 0) | float(a[0, 0]) | int(i[0]) | complex(a[0, 0]) | f"{a[0, 0]:.3f}" | hash(a) == hash(a) | a.float().numpy() | np.asarray(a) | torch.from_numpy(np.ones(3))
"""

# What is written into a result is seen in the source, or is not.
VIEWS = """
a.view(12) | a.reshape(12) | a.t() | a.t().reshape(12) | a.flatten() | a.t().flatten() | a.squeeze() | a.unsqueeze(0) | a.transpose(0, 1) | a.permute(1, 0)
a.narrow(0, 1, 1) | a.select(1, 2) | a[0] | a[1:] | a[i] | a[m] | a.unbind(0)[1] | a.split(2)[0] | a.chunk(2)[1] | a.diagonal() | a.expand(3, 4) | a.detach()
a.data | a.contiguous() | a.t().contiguous() | a.clone() | a.to(torch.float64) | a.to(torch.float32) | a.double() | a.cpu() | a.flip(0) | a.tril() | a.real
a.unfold(1, 2, 2) | a.as_strided((2, 2), (4, 1)) | a.movedim(0, 1) | a.ravel() | a.T | a.mT | a.view_as(a) | a.type(torch.float64) | torch.atleast_2d(a)
torch.broadcast_to(a, (3, 4)) | a.unflatten(1, (2, 2)) | torch.as_tensor(a) | torch.asarray(a) | torch.tensor_split(a, 2)[0] | a.roll(0) | a.rot90(2) | a.repeat(1, 1)
a.swapaxes(0, 1) | a.hsplit(2)[0] | a.vsplit(3)[1] | a.conj() | a.resolve_conj() | a.index_select(0, i) | a.gather(0, i[None]) | a.adjoint() | a.diag() | a.float()
"""

IN_PLACE = """
a.add_(b) | a.add_(b, alpha=2) | a.sub_(1) | a.mul_(b) | a.div_(2) | a.pow_(2) | a.neg_() | a.exp_() | a.sqrt_() | a.clamp_(0.3, 0.5) | a.zero_() | a.fill_(3)
a.copy_(v) | a.t_() | a.squeeze_() | a.unsqueeze_(0) | a.transpose_(0, 1) | a.relu_() | a.sigmoid_() | a.lerp_(b, 0.5) | a.addcmul_(b, b) | a.addcdiv_(b, b)
a.masked_fill_(m, 9) | a.scatter_(0, i[None], 7.0) | a.scatter_add_(0, i[None], b) | a.index_add_(0, i, b) | a.index_copy_(0, i, b) | a.index_fill_(1, i, 2.0)
a.index_put_((i,), v) | a.put_(i, v[:3]) | a.fill_diagonal_(5) | a.tril_() | a.cumsum_(0) | a.eq_(b) | a.logical_not_() | a.masked_scatter_(m, b) | a.resize_(2, 2)
i.bitwise_or_(4) | i.floor_divide_(2) | a.renorm_(2, 0, 0.5) | a.round_() | a.floor_() | a.remainder_(0.3) | a.nan_to_num_() | a.requires_grad_() | a.set_(b)
a.__setitem__((0, 1), 5) | a.__setitem__(m, 0) | a.__setitem__(slice(1, None), b[1:]) | a.__setitem__((slice(None), i), 1.5) | torch.exp(b, out=a) | torch.add(a, b, out=a)
"""

ERRORS = """
a + torch.ones(5) | a @ a | a.view(5) | a.reshape(-1, 5) | a.sum(5) | a.transpose(0, 7) | a[7] | a[0, 0, 0] | a["x"] | a.narrow(0, 2, 5) | a.select(0, 9) | a.expand(2)
a.squeeze(4) | a.unsqueeze(9) | torch.cat([a, v]) | torch.stack([a, v]) | torch.cat([]) | a.gather(0, i) | a.index_select(0, a) | a.item() | bool(a) | a.masked_fill(a, 1)
torch.mm(a, v) | torch.dot(a, v) | torch.bmm(a, a) | torch.linalg.inv(a) | torch.linalg.cholesky(v) | a.repeat(2) | a.split(0) | a.chunk(0) | a.unfold(1, 9, 1) | a.diagonal(0, 1, 1)
a.permute(0) | a.permute(0, 0) | a.movedim(0, 5) | a.flip(3) | a.roll(1, 4) | a.tril(0.5) | v.tril() | torch.eye(-1) | torch.zeros(-1) | torch.arange(0, 5, -1) | torch.linspace(0, 1, -1)
torch.tensor([[1], [1, 2]]) | torch.tensor("x") | torch.tensor(None) | torch.add(1, "x") | torch.sum("x") | a.add("x") | a.to("nowhere") | torch.zeros(2, dtype="x") | torch.ones(2, foo=1)
a.add_(torch.ones(2, 3, 4)) | i.add_(0.5) | i.mul_(1.5) | m - m | -m | i.mean() | i.norm() | a.median(5) | a.kthvalue(9) | a.topk(9) | a.quantile(2.0) | a.sort(4) | a.argmax(3) | a.unflatten(1, (3, 3))
torch.where(a, a, b) | torch.searchsorted(a, v) | torch.bincount(a) | torch.histc(a, 0) | torch.einsum("ij,jk", a, a) | torch.einsum("ij", v) | torch.cross(a, a) | torch.kron(a, 2) | a.backward()
len(torch.tensor(1)) | iter(torch.tensor(1)) | a.index_add(0, i, v) | a.scatter(0, i, 1.0) | a.scatter_add(1, i[None], i[None]) | torch.fft.fft(torch.tensor(1.0)) | torch.fft.fft(a, 0) | torch.fft.rfft(a, norm="x")
torch.complex(a, i) | torch.view_as_real(a) | a.imag | a.bitwise_and(b) | ~a | a << 1 | i ** -1 | i // 0 | torch.clamp(a) | a.fill_(a) | torch.full((2,), "x") | a.view(torch.complex64).view(5) | a.T.view(12)
torch.manual_seed("x") | torch.randint(5, 2, (3,)) | torch.randperm(-1) | torch.multinomial(a, 9) | torch.normal(0.0, -1.0, (2,)) | torch.rand(-1) | a.bernoulli_(2.0) if 0 else a.fill_("x") | a.uniform_(2, 1)
"""


def texts_of(table, form):
    return [MADE + form.replace("EXPRESSION", e) for e in listed(table)]


def parts(table, size=30):
    every = listed(table)
    return [every[k : k + size] for k in range(0, len(every), size)]


@pytest.mark.parametrize("expressions", parts(SMOOTH), ids=lambda e: e[0])
def test_values_and_gradients_are_pytorchs(expressions):
    compare_all(
        [MADE + GRADIENT.replace("EXPRESSION", e) + "y.detach(), [x.grad for x in (a, b, c, s, v, w)]" for e in expressions],
        rtol=1e-6,
        atol=1e-6,
    )


@pytest.mark.parametrize("expressions", parts(PLAIN), ids=lambda e: e[0])
def test_values_are_pytorchs(expressions):
    compare_all([MADE + e for e in expressions])


def test_views_and_copies_are_pytorchs():
    compare_all([MADE + f"y = {e}\ny.zero_()\na, y.shape, y.stride()" for e in listed(VIEWS)])


@pytest.mark.parametrize("expressions", parts(IN_PLACE), ids=lambda e: e[0])
def test_functions_in_place_are_pytorchs(expressions):
    compare_all([MADE + f"y = {e}\na, i, y is a or y is i" for e in expressions])


@pytest.mark.parametrize("expressions", parts(ERRORS), ids=lambda e: e[0])
def test_errors_are_pytorchs(expressions):
    compare_all([MADE + f"raises(lambda: {e})[0]" for e in expressions])


def test_areas_of_integers(device):
    numbers = ["[120, 140]", "[120, 140, 7]", "[5]", "[]", "[[100, 100, 100], [1, 2, 3]]"]
    compare_all([f"torch.trapezoid(torch.tensor({x}, dtype=torch.{d}, device=device))" for x in numbers for d in ("uint8", "int8", "int64")], device)
    compare_all([f"torch.trapezoid(torch.tensor({x}, device=device) * 1.5, dx=0.5)" for x in numbers], device)


def test_places_are_contiguous(device):
    calls = ["median(1)", "nanmedian(1)", "kthvalue(2, 1)", "mode(1)", "min(1)", "sort(1)", "topk(2, 1)"]
    texts = [f"x = torch.arange(24, device=device).reshape(2, 4, 3).to(torch.{d})\nr = x.{call}\n[r.indices.stride(), r.values.stride()]"
             for d in ("int32", "uint8", "float32") for call in calls]
    compare_all([*texts, "y = torch.arange(6.0, device=device).reshape(3, 2)\ntorch.cross(y, y + 1, dim=0).stride()"], device)
