"""Automatic mixed precision compared with PyTorch: dtypes in regions, gradients, nested regions; GradScaler and its skipped steps."""

import pytest
from devices import DEVICES
from quern import torch
from torch_oracle import compare_all

F = torch.nn.functional


@pytest.fixture
def cpu(device):
    """The CPU, whose regions are compared with PyTorch's on a CPU; GPUs' are in test_torch_amp_gpu.py."""
    if device.kind != "cpu":
        pytest.skip("regions of the CPU")
    return device


HEAD = """
def t(*shape, dtype=torch.float32):
    values = np.cos(np.arange(math.prod(shape)) * 0.7).reshape(shape) * 0.4 + 0.6
    return torch.tensor(values, device=device).to(dtype)
def operands(dtype):
    square = t(3, 3)
    made = dict(x=square, y=square + 0.1, v=t(3), w=t(3) + 0.1, s=square @ square.T + 3 * torch.eye(3), b=t(2, 3, 3), c=t(2, 3, 3), im=t(1, 2, 6, 6),
                vol=t(1, 2, 4, 4, 4), sig=t(1, 2, 6), k1=t(4, 2, 3), k2=t(4, 2, 3, 3), k3=t(4, 2, 3, 3, 3), lin=t(4, 3), lb=t(4))
    return {k: v.to(dtype) for k, v in made.items()} | dict(i=torch.tensor([0, 2, 1], device=device), f32=t(3, 3))
def kind(r):
    return [kind(q) for q in r] if isinstance(r, (tuple, list)) else str(r.dtype)
def kinds(text):
    out = []
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        for on in (True, False):
            try:
                with torch.autocast("cpu", enabled=on):
                    out.append(kind(eval(text, dict(torch=torch, F=F) | operands(dtype))))
            except (RuntimeError, NotImplementedError, ValueError):
                out.append("refused")
    return out
"""  # fmt: skip
# One name of autocast's lists, or one that is in none of them, in each.
CALLS = """
F.conv1d(sig, k1) | F.conv2d(im, k2) | F.conv3d(vol, k3) | F.conv_transpose1d(sig, k1.transpose(0,1)) | F.conv_transpose2d(im, k2.transpose(0,1)) | F.conv_transpose3d(vol, k3.transpose(0,1))
F.prelu(x, v[:1]) | torch.addmm(x, x, y) | torch.addbmm(x, b, c) | torch.baddbmm(b, b, c) | torch.bmm(b, c) | torch.matmul(x, y) | x @ y | torch.mm(x, y) | x.mm(y) | F.linear(x, lin, lb) | torch.linalg.vecdot(x, y) | torch.linalg.matmul(x, y)
F.scaled_dot_product_attention(b, b, b) | torch.addmv(v, x, w) | torch.addr(x, v, w) | torch.mv(x, v) | torch.einsum("ij,jk", x, y) | torch.einsum("ij,jk", [x, y]) | torch.chain_matmul(x, y) | torch.linalg.multi_dot([x, y, x]) | torch.dot(v, w) | torch.vdot(v, w) | torch.inner(x, y) | torch.outer(v, w) | torch.ger(v, w) | torch.kron(x, y) | torch.tensordot(x, y, 1)
F.bilinear(x, y, b[:, :3, :3]) | torch.linalg.matrix_power(x, 3) | torch.matrix_power(x, 3) | torch.matrix_exp(x) | torch.cov(x) | torch.corrcoef(x) | F.cosine_similarity(x, y) | F.pairwise_distance(x, y) | torch.dist(x, y) | torch.renorm(x, 2, 0, 1.0)
torch.exp(x) | torch.log(x) | torch.pow(x, 2) | x ** 2 | 2 ** x | torch.softmax(x, 0) | F.softmax(x, 0) | F.log_softmax(x, 0) | torch.sum(x) | torch.cumsum(x, 0) | torch.prod(x) | torch.prod(x, 0) | torch.trace(x) | torch.norm(x) | torch.linalg.norm(x) | torch.linalg.vector_norm(x) | torch.linalg.matrix_norm(x) | torch.logsumexp(x, 0) | torch.prod(x, 0, dtype=torch.bfloat16)
F.layer_norm(x, (3,)) | F.layer_norm(x, (3,), w, w) | F.rms_norm(x, (3,)) | F.group_norm(x, 1) | F.batch_norm(x, None, None, training=True) | F.instance_norm(im) | F.normalize(x)
F.mse_loss(x, y) | F.l1_loss(x, y) | F.smooth_l1_loss(x, y) | F.huber_loss(x, y) | F.kl_div(x, y) | F.binary_cross_entropy(x.sigmoid(), y.sigmoid()) | F.binary_cross_entropy_with_logits(x, y) | F.soft_margin_loss(x, y) | F.multilabel_soft_margin_loss(x, y) | F.poisson_nll_loss(x, y) | F.gaussian_nll_loss(x, y, y) | F.hinge_embedding_loss(x, y) | F.margin_ranking_loss(v, w, w) | F.cosine_embedding_loss(x, y, v) | F.triplet_margin_loss(x, y, x) | F.nll_loss(x, i) | F.cross_entropy(x, i) | F.cross_entropy(x, y)
torch.quantile(v, 0.5) | torch.nanquantile(v, 0.5) | torch.median(v) | torch.polar(v, w) | torch.view_as_complex(x[:, :2].contiguous()) | torch.cholesky_inverse(s) | torch.cholesky_solve(x, s) | torch.inverse(s) | torch.pinverse(x) | torch.svd(x) | torch.triangular_solve(x, s) | torch.linalg.lu_factor(s)[0] | torch.det(s) | torch.logdet(s) | torch.slogdet(s)
torch.fft.fft(v) | torch.fft.ifft(v) | torch.fft.rfft(v) | torch.fft.irfft(v) | torch.fft.fft2(x) | torch.fft.fftn(x) | torch.fft.hfft(v) | torch.fft.ihfft(v) | torch.fft.rfft2(x) | torch.fft.irfft2(x) | torch.fft.rfftn(x) | torch.fft.irfftn(x) | torch.fft.ifft2(x) | torch.fft.ifftn(x) | torch.fft.hfft2(x) | torch.fft.fftshift(x)
torch.linalg.cond(s) | torch.linalg.matrix_rank(s) | torch.linalg.solve(s, v) | torch.linalg.cholesky(s) | torch.linalg.cholesky_ex(s) | torch.linalg.svdvals(x) | torch.linalg.svd(x) | torch.linalg.eigvals(x) | torch.linalg.eigvalsh(s) | torch.linalg.eig(x) | torch.linalg.eigh(s) | torch.linalg.inv(s) | torch.linalg.inv_ex(s) | torch.linalg.qr(x) | torch.linalg.lstsq(s, x)[0] | torch.linalg.det(s) | torch.linalg.slogdet(s) | torch.linalg.solve_triangular(s, x, upper=True) | torch.linalg.lu(s) | torch.linalg.matrix_exp(x) | torch.linalg.cross(x, y) | torch.cross(x, y)
F.avg_pool1d(sig, 2) | F.avg_pool2d(im, 2) | F.max_pool1d(sig, 2) | F.max_pool2d(im, 2) | F.max_pool3d(vol, 2) | F.max_pool3d(vol, 2, return_indices=True) | F.adaptive_avg_pool1d(sig, 2) | F.adaptive_avg_pool2d(im, 2) | F.adaptive_avg_pool3d(vol, 2) | F.adaptive_max_pool1d(sig, 2) | F.adaptive_max_pool2d(im, 2) | F.adaptive_max_pool3d(vol, 2)
F.pad(sig, (1, 1)) | F.pad(sig, (1, 1), "reflect") | F.pad(im, (1, 1, 1, 1), "reflect") | F.pad(vol, (1, 1, 1, 1, 1, 1), "reflect") | F.pad(sig, (1, 1), "replicate") | F.pad(im, (1, 1, 1, 1), "replicate") | F.pad(vol, (1,) * 6, "replicate") | F.pad(im, (1, 1, 1, 1), "circular")
torch.cat([x, f32]) | torch.cat((x, x)) | torch.concat([x, f32]) | torch.stack([x, f32]) | torch.hstack([x, f32]) | torch.vstack([x, f32]) | torch.dstack([x, f32]) | torch.column_stack([x, f32]) | torch.index_copy(x, 0, i, f32) | x.index_copy(0, i, f32) | torch.index_add(x, 0, i, y) | torch.scatter_add(x, 0, i[None], y) | torch.addcmul(x, x, y) | torch.addcdiv(x, x, y) | torch.atan2(x, y) | torch.where(x > 0, x, f32) | torch.maximum(x, f32) | x + f32 | torch.index_put(x, (i,), y)
torch.relu(x) | F.gelu(x) | F.silu(x) | torch.tanh(x) | torch.sigmoid(x) | F.softplus(x) | torch.mean(x) | torch.std(x) | torch.var(x) | torch.nansum(x) | torch.sqrt(x) | torch.rsqrt(x) | torch.reciprocal(x) | 1 / x | x / y | x.square() | torch.erfinv(x * 0.1) | torch.expm1(x) | F.embedding(i, x) | F.dropout(x) | F.softmin(x, 0) | F.hardtanh(x) | F.logsigmoid(x) | torch.clamp(x, 0, 1)
torch.mm(x, f32) | torch.mm(f32, x) | F.linear(f32, x) | f32 @ x | torch.addmm(f32, x, f32) | torch.bmm(b, c, out=torch.empty(2, 3, 3, dtype=b.dtype)) | torch.mm(i[None].float(), x) | torch.matmul(i[None], i[:, None])
"""  # noqa: E501


def test_dtypes_on_the_cpu(cpu):
    calls = [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")]
    compare_all([f"{HEAD}kinds({call!r})" for call in calls], cpu)


REGIONS = """
with torch.autocast("cpu"): y = (t(3, 3) @ t(3, 3), [torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled("cuda"), torch.is_autocast_cpu_enabled(), torch.get_autocast_dtype("cpu"), torch.get_autocast_cpu_dtype()])
with torch.autocast("cpu", dtype=torch.float16) as a: y = (t(3, 3) @ t(3, 3), torch.get_autocast_dtype("cpu"), a.fast_dtype)
with torch.autocast("cpu", enabled=False): y = t(3, 3) @ t(3, 3), torch.is_autocast_enabled("cpu")
a = torch.autocast("cpu"); y = a(lambda x: x @ x)(t(3, 3)), t(3, 3) @ t(3, 3)
with torch.autocast("cpu"), torch.autocast("cpu", enabled=False): y = t(3, 3) @ t(3, 3)
with torch.autocast("cpu"), torch.autocast("cpu", torch.float16): y = t(3, 3) @ t(3, 3)
with torch.autocast("cpu", cache_enabled=False): y = torch.is_autocast_cache_enabled()
torch.set_autocast_enabled("cpu", True); y = [t(3, 3) @ t(3, 3)]; torch.set_autocast_enabled("cpu", False); y.append(t(3, 3) @ t(3, 3))
y = torch.get_autocast_dtype("cuda"), torch.get_autocast_gpu_dtype(), torch.is_autocast_enabled(), torch.is_autocast_cache_enabled(), torch.amp.is_autocast_available("cpu"), torch.amp.is_autocast_available("cuda")
torch.set_autocast_dtype("cpu", torch.float16); y = [torch.get_autocast_dtype("cpu")]; torch.set_autocast_dtype("cpu", torch.bfloat16); y.append(torch.get_autocast_dtype("cpu"))
y = raises(lambda: torch.autocast(5)), raises(lambda: torch.autocast("cpu")(5)), raises(lambda: torch.autocast()), raises(lambda: torch.autocast("meta"))[0]
with torch.autocast("cpu", dtype=torch.float32): y = t(3, 3) @ t(3, 3), torch.is_autocast_enabled("cpu")
with torch.autocast("cpu"): y = t(3, 3).mm(t(3, 3)).dtype, torch.ones(3, 3).addmm_(t(3, 3), t(3, 3)).dtype, raises(lambda: t(3, 3).bfloat16().mv(t(3)))[0]
with torch.autocast("cpu"): y = raises(lambda: torch.stack([t(3), t(3, dtype=torch.float16)]))
a = torch.autocast("cpu"); y = [a.device, a.fast_dtype, a._enabled, a._cache_enabled]
with torch.amp.autocast_mode.autocast("cpu"), torch.no_grad(): y = nn.Linear(3, 2)(t(4, 3)).dtype
"""


def test_regions(cpu):
    compare_all([HEAD + case + "\ny" for case in REGIONS.strip().splitlines()], cpu, rtol=2e-2)


MODEL = """
def fill(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(torch.tensor(np.sin(np.arange(p.numel()) * 1.3 + i).reshape(p.shape)).to(p.dtype) * 0.5)
    return module
def learn(model, x, *cast):
    with torch.autocast("cpu", *cast):
        y = model(x)
        loss = F.mse_loss(y, torch.zeros_like(y))
    loss.backward()
    return y.detach(), loss.detach(), [p.grad for p in model.parameters()]
def trained(make, scaler, losses, clip=False):
    model = fill(nn.Linear(3, 2))
    optimizer = make(model.parameters())
    out = []
    for factor in losses:
        optimizer.zero_grad()
        loss = F.mse_loss(model(t(4, 3)), torch.ones(4, 2)) * factor
        scaler.scale(loss).backward()
        if clip:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        scaler.step(optimizer)
        scaler.update()
        out.append([p.detach().clone() for p in model.parameters()] + [scaler.get_scale()])
    state = [[(k, v) for k, v in sorted(s.items())] for s in optimizer.state_dict()["state"].values() if s.get("momentum_buffer", 0) is not None]
    return out, state, scaler.state_dict()
"""


def test_gradients_arrive_in_float32(cpu):
    cases = """
    learn(fill(nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2))), t(4, 3))
    learn(fill(nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5), nn.GELU(), nn.Linear(5, 2))), t(4, 3), torch.float16)
    learn(fill(nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 2))), t(2, 2, 6, 6))
    m = fill(nn.Linear(3, 3)); learn(nn.Sequential(m, nn.Tanh(), m), t(4, 3))
    learn(fill(nn.TransformerEncoderLayer(6, 2, 8, 0.0, batch_first=True)), t(2, 4, 6))
    m = fill(nn.MultiheadAttention(6, 2)); learn(type("Own", (nn.Module,), {"forward": lambda self, x: m(x, x, x)[0], "parameters": lambda self: m.parameters()})(), t(4, 2, 6))
    """
    compare_all([HEAD + MODEL + case.strip() for case in cases.strip().splitlines()], cpu, rtol=4e-2, atol=4e-2)


def test_a_weight_is_cast_once(device):
    kind = device.kind
    w = torch.ones(3, 3, device=device, requires_grad=True)
    x = torch.ones(2, 3, device=device)
    with torch.autocast(kind if kind == "cpu" else "cuda"):
        y = (x @ w) @ w
        with torch.no_grad():
            assert not (x @ w).requires_grad
            w.mul_(2)
        z = x @ w
    assert z.float().tolist() == [[6.0] * 3] * 2
    y.float().sum().backward()
    assert w.grad.dtype == torch.float32 and w.grad.tolist() == [[12.0] * 3] * 3


def test_a_pass_that_is_computed_again_is_in_the_same_region(cpu):
    cases = """
    checkpoint = __import__("importlib").import_module(torch.__name__ + ".utils.checkpoint").checkpoint
    x, w = t(3, 3).requires_grad_(), t(3, 3).requires_grad_()
    with torch.autocast("cpu", enabled=ON):
        y = checkpoint(lambda a: (a @ w).relu(), x, use_reentrant=REENTRANT)
    y.sum().backward()
    y.detach(), x.grad, w.grad, torch.is_autocast_enabled("cpu")
    """
    text = "\n".join(line[4:] for line in cases.splitlines()[1:])
    texts = [HEAD + text.replace("ON", on).replace("REENTRANT", way) for on in ("True", "False") for way in ("True", "False")]
    compare_all(texts, cpu, rtol=2e-2)


def test_functions_of_programs(cpu):
    cases = """
    class Own(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=CAST)
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.dtype = x.dtype
            return x @ x
        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            seen.append((g.dtype, torch.is_autocast_enabled("cpu"), (g.float() @ g.float()).dtype, ctx._fwd_used_autocast))
            return g.float()
    seen, x = [], t(3, 3).requires_grad_()
    with torch.autocast("cpu", enabled=ON):
        y = Own.apply(x)
    y.sum().backward()
    [y.dtype, x.grad.dtype, seen]
    """
    texts = [HEAD + "\n".join(line[4:] for line in cases.splitlines()[1:]).replace("CAST", cast).replace("ON", on)
             for cast in ("None", "torch.float32") for on in ("True", "False")]  # fmt: skip
    compare_all(texts, cpu)


@pytest.mark.parametrize("make", [
    "lambda p: optim.SGD(p, 0.1)", "lambda p: optim.SGD(p, 0.1, momentum=0.9, dampening=0.5)", "lambda p: optim.Adam(p, 0.05)", "lambda p: optim.AdamW(p, 0.05, amsgrad=True)",
    "lambda p: optim.RMSprop(p, 0.01)", "lambda p: optim.NAdam(p, 0.05)", "lambda p: optim.ASGD(p, 0.1)", "lambda p: optim.Adagrad(p, 0.1)",
])  # fmt: skip
def test_skipped_steps_change_nothing(cpu, make):
    texts = [
        f"trained({make}, torch.amp.GradScaler('cpu', init_scale=1024., growth_interval=2), [1., math.inf, 1., 1., math.nan, 1.], clip={clip})"
        for clip in (False, True)
    ] + [f"trained({make}, torch.amp.GradScaler('cpu', init_scale=8., growth_interval=3), [math.nan, 1., 1.])"]
    compare_all([HEAD + MODEL + text for text in texts], cpu, rtol=1e-5, atol=1e-6)


def test_scalers(cpu):
    cases = """
    s = torch.amp.GradScaler("cpu", 4.0); s.scale(t(2)), s.scale([t(2), (t(1),)]), s.get_scale(), s.is_enabled(), s.get_growth_factor(), s.get_backoff_factor(), s.get_growth_interval()
    s = torch.amp.GradScaler("cpu", enabled=False); x = t(2); s.scale(x) is x, s.get_scale(), s.state_dict(), s.is_enabled(), s.update(), s.load_state_dict({})
    s = torch.amp.GradScaler("cpu"); o = optim.SGD([t(2).requires_grad_()]); [raises(lambda: s.unscale_(o)), raises(lambda: s.step(o)), raises(lambda: s.update()), raises(lambda: s.scale(5)), raises(lambda: s.load_state_dict({}))]
    w = t(2).requires_grad_(); s = torch.amp.GradScaler("cpu"); o = optim.SGD([w]); s.scale(w.sum()).backward(); s.unscale_(o); [w.grad, raises(lambda: s.unscale_(o)), s.step(o), raises(lambda: s.step(o)), raises(lambda: s.unscale_(o)), raises(lambda: s.step(o, closure=None)), s.update()]
    raises(lambda: torch.amp.GradScaler("cpu", growth_factor=1.0)), raises(lambda: torch.amp.GradScaler("cpu", backoff_factor=1.0))
    s = torch.amp.GradScaler("cpu", 4.0); s.scale(t(1)); s.update(16.0); a = s.get_scale(); s.update(torch.tensor(2.0)); [a, s.get_scale(), raises(lambda: s.update(t(2)))[0]]
    s, r = torch.amp.GradScaler("cpu", 4.0, 3.0, 0.25, 7), torch.amp.GradScaler("cpu"); r.load_state_dict(s.state_dict()); r.scale(t(1)); s.load_state_dict(r.state_dict()); r.state_dict(), s.state_dict()
    import copy; s = torch.amp.GradScaler("cpu", 4.0); s.scale(t(1)); copy.deepcopy(s).state_dict()
    w = t(2, dtype=torch.float16).requires_grad_(); s = torch.amp.GradScaler("cpu"); o = optim.SGD([w]); s.scale(w.float().sum()).backward(); raises(lambda: s.unscale_(o))
    s = torch.amp.GradScaler("cpu"); o = optim.SGD([t(2).requires_grad_()]); s.scale(t(1)); raises(lambda: s.step(o)), raises(lambda: s.update())
    s = torch.amp.GradScaler("cpu", 2.0 ** 127, growth_interval=1); w = t(1).requires_grad_(); o = optim.SGD([w]); s.scale(w.sum() * 0).backward(); s.step(o); s.update(); s.get_scale(), s._get_growth_tracker()
    s = torch.amp.GradScaler("cpu", 4.0); w = t(2).requires_grad_(); o = optim.LBFGS([w]); s.scale(w.sum()).backward(); s.unscale_(o); w.grad
    """
    compare_all([HEAD + case.strip() for case in cases.strip().splitlines()], cpu)


def test_nothing_waits_for_a_scaled_step():
    w = torch.ones(4, requires_grad=True)
    scaler, optimizer = torch.amp.GradScaler("cpu", 8.0), torch.optim.Adam([w])
    for _ in range(3):
        optimizer.zero_grad()
        scaler.scale((w * w).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
    assert optimizer._unsettled is not None
    assert next(iter(optimizer.state_dict()["state"].values()))["step"].item() == 3
    assert optimizer._unsettled is None


def test_old_names_warn():
    for make in (torch.cuda.amp.autocast, torch.cpu.amp.autocast, torch.cuda.amp.GradScaler):
        with pytest.warns(FutureWarning, match="is deprecated"):
            make(enabled=False)


@pytest.mark.skipif(len(DEVICES) == 1, reason="needs a GPU")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_training_on_a_gpu(dtype):
    torch.manual_seed(0)
    x = torch.rand(64, 1, 8, 8, device="cuda")
    y = (x.mean((1, 2, 3)) > 0.5).long()
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 2)).cuda()
    optimizer, scaler = torch.optim.Adam(model.parameters(), 0.01), torch.amp.GradScaler("cuda", 2.0**10, enabled=dtype == torch.float16)
    losses = []
    for step in range(40):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype):
            scores = model(x)
            loss = F.cross_entropy(scores, y)
        assert (scores.dtype, loss.dtype) == (dtype, torch.float32)
        scaler.scale(loss * (float("inf") if step == 20 else 1)).backward()
        before = [p.detach().clone() for p in model.parameters()]
        scaler.step(optimizer)
        scaler.update()
        if step == 20 and scaler.is_enabled():
            assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True)) and scaler.get_scale() == 2.0**9
        elif step == 20:
            break
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] / 2
