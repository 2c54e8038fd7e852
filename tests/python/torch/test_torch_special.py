"""Bessel functions, incomplete gamma functions and torch's low-level losses and layers against PyTorch."""

import pytest
from arrays import cases
from torch_oracle import compare_all

HEAD = """
S, inf, nan = torch.special, math.inf, math.nan
def of(f, *x):
    x = [torch.tensor(one, dtype=torch.float64, device=device) for one in x]
    x[-1].requires_grad_()
    y = f(*x)
    y.sum().backward()
    return y.detach(), x[-1].grad
x = torch.tensor([[0.3, -0.7, 0.9], [0.1, 0.8, -0.2]], device=device)
y = x.flip(1).abs()
t = y.sign() * torch.tensor([1.0, -1.0, 1.0], device=device)
"""
BESSEL = "bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 i0e i1e".split()
POINTS = "[1e-3, 0.1, 0.5, 1.0, 1.9, 2.1, 5.0, 7.9, 8.1, 19.9, 20.1, 50.0, 300.0]"
GAMMA = """
of(torch.igamma, [0.1, 0.5, 1.0, 3.0, 30.0, 30.0, 49.0, 51.0, 1000.0, 1000.0], [0.01, 0.5, 4.0, 2.9, 29.0, 60.0, 31.0, 52.0, 990.0, 1100.0])
of(torch.igammac, [0.1, 0.5, 1.0, 3.0, 30.0, 30.0, 49.0, 51.0, 1000.0, 1000.0], [0.01, 0.5, 4.0, 2.9, 29.0, 60.0, 31.0, 52.0, 990.0, 1100.0])
torch.igamma(torch.tensor([0.0, 0.0, 1.0, -1.0, inf, 2.0, 1.0], device=device), torch.tensor([1.0, 0.0, 0.0, 1.0, 1.0, inf, -1.0], device=device))
S.gammaincc(torch.tensor([0.0, 0.0, 1.0, -1.0, inf, 2.0, 1.0], device=device), torch.tensor([1.0, 0.0, 0.0, 1.0, 1.0, inf, -1.0], device=device))
y.clone().igamma_(y), y.igammac(y), raises(lambda: torch.igamma(torch.ones(1, requires_grad=True), torch.ones(1)).backward())[0]
raises(lambda: S.bessel_j0(y.half()))[0], raises(lambda: S.modified_bessel_k1(y + 1j))[0], S.bessel_j0(torch.tensor([1, 2], device=device)), S.ndtri(y * 1e-9)
S.scaled_modified_bessel_k0(y), S.scaled_modified_bessel_k1(torch.tensor([0.0, -1.0, inf, nan, 1000.0], device=device)), S.i1(y * 1e-9), S.i0(y * 1e-9)
"""
NATIVE = """
torch.binary_cross_entropy_with_logits(x, y, None, None, 0) | torch.kl_div(x, y, 1) | torch.kl_div(x, y, 2, log_target=True) | torch.hinge_embedding_loss(x, t, 1.0, 2)
torch.margin_ranking_loss(x, y, t, 0.1) | torch.poisson_nll_loss(x, y, True, False, 1e-8, 1) | torch.triplet_margin_loss(x, y, t, reduction=0) | torch.cosine_embedding_loss(x, y, t[:, 0], 0.1, 0)
torch.kl_div(x, y, 3) | torch.kl_div(x, y) | torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False) | torch.instance_norm(x[None], None, None, None, None, True, 0.1, 1e-5, False)
torch.constant_pad_nd(x, (1, -1), 3) | torch.norm_except_dim(x, 2, 1) | torch.norm_except_dim(x, 2, -1) | torch.native_dropout(x, 0.5, False) | torch.native_dropout(x, 0.0, True)
torch.feature_dropout(x, 1.0, True) | torch.dropout_(x.clone(), 0.5, False) | torch.dropout_(x.clone(), 1.0, True) | torch.feature_alpha_dropout(x, 0.3, False)
F.pad(x.requires_grad_(), (-2, 2, 1, -1)) | F.pad(torch.zeros(0, 3, device=device, requires_grad=True), (1, 2)) | torch.linalg.matrix_power(torch.eye(2, device=device, requires_grad=True), 0)
torch.bernoulli(torch.ones(2, device=device, requires_grad=True)) | y[:, :2].cholesky_solve(torch.eye(2, device=device) + y[:, :2].tril())
"""


RANGES = """
torch.tensor([65504.0, 1234.56, -0.25, 60000], dtype=torch.float16, device=device).round(decimals=1), torch.tensor([1234.56, 7.25], dtype=torch.bfloat16, device=device).round(decimals=1)
torch.tensor([0, 3, -1, 3.4e38], device=device).std(), torch.std_mean(torch.tensor([[0, 3], [-1, 3.4e38]], device=device), 1), torch.tensor([0, 3, -1, 3.4e38], device=device).var()
torch.tensor([1e-30, 3e-30], device=device).std(), torch.tensor([0, 3, -1, 3.3e38], dtype=torch.bfloat16, device=device).std(), torch.tensor([2.0, 2.0], device=device).std(unbiased=False)
torch.igamma(y.double(), torch.ones(3, dtype=torch.int32, device=device)), torch.igammac(torch.ones(3, dtype=torch.bool, device=device), y), S.gammainc(y.half(), y), S.gammaincc(y, y.double())
raises(lambda: torch.igamma(torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.int32)))[0], raises(lambda: torch.igammac(y + 1j, y))[0], torch.igamma(torch.tensor(2.0, device=device), y.half())
S.ndtri(torch.tensor([1e-20, 0.0, 1.0, 2.0, 0.3], device=device)), S.log_ndtr(torch.tensor([-1e4, 40.0, 1.0], device=device)), S.ndtri(torch.tensor([0, 1], device=device)), S.ndtr(y), S.ndtr(y.half()).dtype
[raises(lambda: f(y.half()))[0] for f in (S.ndtri, S.log_ndtr, S.erfcx, S.bessel_y1)], [raises(lambda: f(y + 1j))[0] for f in (S.ndtr, S.ndtri, S.log_ndtr, S.erfcx, torch.i0, S.i1e)]
torch.logcumsumexp(x, 1), torch.logcumsumexp(x.half(), 0), torch.logcumsumexp(x[0, 0], 0), raises(lambda: torch.logcumsumexp(torch.ones(2, dtype=torch.int64), 0))[0], torch.logcumsumexp(x + 1j, -1)
torch.logcumsumexp(torch.tensor([-inf, -inf, 0.0, inf, 1.0, nan, 2.0], device=device), 0), raises(lambda: torch.logcumsumexp(x, 2))[0], torch.logcumsumexp(torch.zeros(0, 2, device=device), 0)
torch.cdist(x, y), torch.cdist(x, y, 1.0), torch.cdist(x[None], y, inf), raises(lambda: torch.cdist(x, y[:, :2])), raises(lambda: torch.cdist(x[0], y)), raises(lambda: torch.cdist(x.long(), y)), raises(lambda: torch.cdist(x, y, -1.0))
"""


def test_ends_of_ranges_and_types(device):
    compare_all([HEAD + text for text in RANGES.strip().splitlines()], device, rtol=1e-5)


@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions(name, device):
    odd = "-3.0, -0.5, inf, nan" if "k" in name else "-3.0, -0.5, nan"
    texts = [f"of(S.{name}, {POINTS})", f"of(S.{name}, [0.0, {odd}])[0]", f"S.{name}(torch.tensor({POINTS[:-9]}], device=device))"]
    compare_all([HEAD + text for text in texts], device, rtol=1e-5, atol=1e-12)


def test_incomplete_gamma_functions(device):
    compare_all([HEAD + text for text in GAMMA.strip().splitlines()], device, rtol=1e-5, atol=1e-12)


PIXELS = """
F.pixel_shuffle(torch.arange(24.0, device=device).reshape(4, 2, 3), 2) | nn.PixelShuffle(2)(torch.arange(32.0, device=device).reshape(2, 4, 2, 2)) | raises(lambda: F.pixel_shuffle(x[None], 2))
F.pixel_unshuffle(torch.arange(24.0, device=device).reshape(1, 4, 6), 2) | nn.PixelUnshuffle(2)(torch.ones(2, 1, 2, 2, device=device)) | raises(lambda: F.pixel_unshuffle(x[None], 3))
F.channel_shuffle(torch.arange(12, device=device).reshape(1, 4, 3), 2) | repr(nn.ChannelShuffle(2)) | raises(lambda: F.channel_shuffle(x, 2)) | raises(lambda: F.pixel_shuffle(x, 2))
raises(lambda: F.pixel_shuffle(x[None], 0)) | raises(lambda: F.pixel_unshuffle(x[None], -1)) | raises(lambda: F.channel_shuffle(x[None], 2)) | raises(lambda: F.channel_shuffle(x[None], 0))
"""


def test_channels_and_pixels(device):
    compare_all([HEAD + text for text in cases(PIXELS)], device)


def test_functions_with_numbers_for_reductions(device):
    compare_all([HEAD + text for text in cases(NATIVE)], device, rtol=1e-5, atol=1e-6)
