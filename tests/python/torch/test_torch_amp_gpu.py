"""The lists of functions that PyTorch's documentation has for autocast on a GPU. Without one the tests' own driver stands in: dtypes need no
values."""

import os

import pytest
from programs import quern, stand_in
from quern.lib import _engine

HALF = """
x @ y | torch.addbmm(x, b, b) | torch.addmm(x, x, y) | torch.addmv(v, x, v) | torch.addr(x, v, v) | torch.baddbmm(b, b, b) | torch.bmm(b, b)
torch.chain_matmul(x, y) | torch.linalg.multi_dot([x, y, x]) | F.conv1d(b, k1) | F.conv2d(im, k2) | F.conv3d(im[None], k3)
F.conv_transpose1d(b, k1) | F.conv_transpose2d(im, k2) | F.conv_transpose3d(im[None], k3) | F.linear(x, y, v) | torch.matmul(x, y)
torch.mm(x, y) | torch.mv(x, v) | F.prelu(x, v[:1]) | torch.einsum("ij,jk", x, y) | torch.linalg.vecdot(x, y)
F.scaled_dot_product_attention(b, b, b) | F.multi_head_attention_forward(x, x, x, 3, 1, b[0].repeat(3, 1), None, None, None, False, 0.0, y, None)[0]
"""
FLOAT = """
x ** 2 | 2 ** x | 1 / x | torch.pow(x, 2) | torch.acos(x) | torch.asin(x) | F.binary_cross_entropy_with_logits(x, y) | torch.cosh(x) | torch.cdist(x, y)
F.cosine_embedding_loss(x, y, v) | F.cosine_similarity(x, y) | F.cross_entropy(x, i) | torch.cumprod(x, 0) | torch.cumsum(x, 0) | torch.dist(x, y)
torch.erfinv(x) | torch.exp(x) | torch.expm1(x) | F.group_norm(x, 1) | F.hinge_embedding_loss(x, y) | F.kl_div(x, y) | F.l1_loss(x, y)
F.layer_norm(x, (3,)) | torch.log(x) | torch.log10(x) | F.log_softmax(x, 0) | torch.log1p(x) | torch.log2(x) | F.margin_ranking_loss(v, v, v)
F.mse_loss(x, y) | F.multilabel_margin_loss(x, i.repeat(3, 1)) | F.multi_margin_loss(x, i) | F.nll_loss(x, i) | torch.norm(x) | F.normalize(x)
F.pdist(x) | F.poisson_nll_loss(x, y) | torch.prod(x) | torch.reciprocal(x) | torch.rsqrt(x) | torch.sinh(x) | F.smooth_l1_loss(x, y)
F.soft_margin_loss(x, y) | torch.softmax(x, 0) | F.softmin(x, 0) | F.softplus(x) | torch.sum(x) | torch.renorm(x, 2, 0, 1.0) | torch.tan(x)
F.triplet_margin_loss(x, y, x) | torch.logsumexp(x, 0) | F.rms_norm(x, (3,)) | F.huber_loss(x, y) | x.exp() | x.sum(0) | torch.linalg.norm(x)
F.multi_head_attention_forward(x, x, x, 3, 1, b[0].repeat(3, 1), None, None, None, False, 0.0, y, None)[1] | torch.sum(x, 0, dtype=torch.float32)
"""
WIDEST = """
torch.addcdiv(x, x, o) | torch.addcmul(x, x, o) | torch.atan2(x, o) | F.bilinear(x, o, b[:, :3, :3]) | torch.cross(x, o) | torch.dot(v, o[0])
torch.index_put(x, (i,), o) | torch.scatter_add(x, 0, i[None], o) | torch.tensordot(x, o, 1) | torch.vdot(v, o[0])
"""
SAME = """
x + y | x * 2 | torch.relu(x) | torch.tanh(x) | F.gelu(x) | torch.mean(x) | torch.std(x) | torch.cat([x, y]) | F.dropout(x) | torch.sqrt(x)
F.max_pool2d(im, 2) | torch.sum(x, dtype=torch.float16) | x.add_(y) | F.softmax(x, 0, dtype=torch.float16) | torch.where(x > 0, x, y)
"""
PROGRAM = """
from quern import torch
F = torch.nn.functional
def kind(text, dtype, other=None):
    made = lambda *s: torch.ones(*s, device="cuda", dtype=dtype)
    names = dict(x=made(3, 3), y=made(3, 3), v=made(3), b=made(3, 3, 3), im=made(1, 3, 4, 4), k1=made(3, 3, 1), k2=made(3, 3, 1, 1))
    names |= dict(k3=made(1, 1, 1, 1, 1), i=torch.tensor([0, 1, 2], device="cuda"), o=made(3, 3).to(other or dtype), torch=torch, F=F)
    return str(eval(text, names).dtype)[6:]
half, single, wide = torch.float16, torch.float32, torch.float64
with torch.autocast("cuda"):
    for text in HALF:
        got = [kind(text, dtype) for dtype in (half, single, wide)]
        assert got == ["float16", "float16", "float64"], (text, got)
    for text in FLOAT:
        got = [kind(text, dtype) for dtype in (half, single)]
        assert got == ["float32", "float32"], (text, got)
    for text in WIDEST:
        got = [kind(text, a, b) for a, b in ((half, half), (single, single), (half, single), (single, half))]
        assert got == ["float16", "float32", "float32", "float32"], (text, got)
    for text in SAME:
        got = kind(text, half)
        assert got == "float16", (text, got)
    x = torch.ones(3, device="cuda")
    try:
        F.binary_cross_entropy(x, x)
        raise SystemExit("no error")
    except RuntimeError as error:
        assert "unsafe to autocast" in str(error)
    with torch.autocast("cuda", torch.bfloat16):
        assert kind("x @ y", single) == "bfloat16"
    with torch.autocast("cuda", enabled=False):
        assert kind("x @ y", single) == "float32"
    a = torch.ones(2, 2)
    assert (a @ a).dtype == torch.float32  # of another device
assert kind("x @ y", single) == "float32"
print("done")
"""


def calls(text):
    return repr([one.strip() for line in text.strip().splitlines() for one in line.split(" | ")])


def test_the_lists_for_gpus(program):
    named = {}
    if not _engine.cuda_count():
        driver = stand_in()
        if not driver:
            pytest.skip("no GPU, and the tests' own driver is not built (ninja -C build/develop)")
        named = {"QUERN_CUDA_DRIVER": driver, "CUDA_HOME": os.path.join(os.path.dirname(driver), "fake_toolkit"), "FAKE_CUDA_DEVICES": 1}
    lists = f"HALF, FLOAT, WIDEST, SAME = {calls(HALF)}, {calls(FLOAT)}, {calls(WIDEST)}, {calls(SAME)}\n"
    done = quern("run", program(lists + PROGRAM), **named)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"
