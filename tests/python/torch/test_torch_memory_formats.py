"""Memory formats: strides, gradients and is_contiguous() of channels_last, and what preserve_format keeps; against PyTorch."""

import math
from itertools import permutations

from arrays import cases
from long_runs import part
from torch_oracle import compare_all

HEAD = """
CL, CL3 = torch.channels_last, torch.channels_last_3d
PF, CF = torch.preserve_format, torch.contiguous_format
def lies(y):
    return y.shape, y.stride(), y.is_contiguous(), y.is_contiguous(memory_format=CL), y.dtype
def through(f, *sizes):
    w = torch.arange(120.0, device=device).reshape(sizes or (2, 3, 4, 5)).requires_grad_()
    y = f(w)
    (y * torch.arange(120.0, device=device).reshape(w.shape)).sum().backward()
    return w.grad, w.grad.stride(), y.is_leaf, y.requires_grad, lies(y)
z = torch.arange(120.0, device=device).reshape(2, 3, 4, 5)
zc, p, nd, e, t = z.to(memory_format=CL), z.permute(3, 1, 0, 2), z[:, ::2], torch.arange(5.0, device=device).expand(2, 3, 4, 5), z[0, 0].t()
v = z.reshape(1, 2, 3, 4, 5)
"""
GRADIENTS = """
w.to(memory_format=CL) | w.contiguous(memory_format=CL) | w.clone(memory_format=CL) | w.clone() | w.clone(memory_format=PF) | w.clone(memory_format=CF)
w.to(memory_format=CL).contiguous() | w.to(memory_format=CL).clone() | w.to(torch.float64, memory_format=CL) | w.to(w.device, memory_format=CL)
w.to(w.device, torch.float64, False, True, memory_format=CL) | w.to(torch.float32, copy=True, memory_format=CL) | w.double().to(memory_format=CL).float()
w.to(memory_format=CL) * 2 | w.to(memory_format=CL).relu() | w.contiguous() | w.float(memory_format=CL) | w.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
"""
LAYOUTS = """
zc | zc.contiguous() | zc.clone() | zc.to(torch.float64) | zc.double() | zc.to(torch.float64, memory_format=CF) | zc.contiguous(memory_format=CL) | torch.empty_like(zc)
torch.zeros_like(zc) | torch.ones_like(zc) | torch.full_like(zc, 3.0) | torch.rand_like(zc) | torch.randn_like(zc) | torch.randint_like(zc, 5) | torch.empty_like(zc, memory_format=CF)
torch.zeros_like(z, memory_format=CL) | torch.full_like(z, 2.0, memory_format=CL) | torch.rand_like(z, memory_format=CL) | torch.zeros_like(zc, dtype=torch.int32)
torch.zeros_like(p) | torch.empty_like(p) | p.clone() | p.contiguous() | p.double() | nd.clone() | torch.zeros_like(nd) | nd.double() | e.clone() | torch.zeros_like(e) | e.double()
e.contiguous() | t.clone() | torch.zeros_like(t) | t.to(torch.int32) | zc[:1] | zc[:, :1] | zc.permute(0, 2, 3, 1) | torch.empty(2, 3, 4, 5, memory_format=CL) | zc + 1 | zc.relu() | zc > 0
torch.cat([zc, zc]) | torch.cat([zc, z]) | torch.cat([zc, zc], 1) | zc.transpose(1, 2) | zc[0]
torch.cat([t, t]) | torch.cat([t, t], 1) | torch.cat([p, p]) | torch.stack([t, t]) | torch.hstack([t, t]) | torch.vstack([t, t]) | torch.cat([t, t]).view(-1) | t.sum(0)
p.sum(1) | p.sum((0, 2)) | p.mean(2, keepdim=True) | p.amax(1) | p.amin((1, 3)) | p.prod(1) | p.all(1) | p.any(1) | p.argmax(1) | p.max(1).values | p.max(1).indices
p.std(1) | p.var((0, 1)) | p.norm(dim=1) | p.logsumexp(1) | p.median(1).values | p.sum(1).view(-1) | zc.sum(1) | zc.mean((2, 3)) | zc.amax((2, 3), keepdim=True)
t.softmax(0) | torch.nn.functional.log_softmax(t, 1) | p.softmax(1).view(-1) | t.cumsum(0) | t.cumprod(1) | p.cumsum(2) | p.cummax(1).values | t.logcumsumexp(0) | t.exp() | t + t.t().t() | torch.where(t > 2, t, 0.0) | t.clone().view(-1).shape
"""
VALUES = """
v.to(memory_format=CL3).stride() | v.contiguous(memory_format=CL3).is_contiguous(memory_format=CL3) | z.is_contiguous(memory_format=CL3) | z[0].is_contiguous(memory_format=CL)
zc.contiguous(memory_format=CL) is zc | zc.to(memory_format=CL) is zc | z.to(memory_format=PF) is z | z.to(memory_format=CF) is z | z.contiguous() is z | zc | zc.contiguous()
raises(lambda: z[0].to(memory_format=CL)) | raises(lambda: z[0].contiguous(memory_format=CL)) | raises(lambda: v.clone(memory_format=CL)) | raises(lambda: z.clone(memory_format=CL3))
raises(lambda: zc.view(2, -1))[0] | raises(lambda: z.contiguous(CL))[0] | zc.data_ptr() == z.data_ptr() | torch.equal(zc, z)
"""


def test_gradients_and_strides(device):
    compare_all([f"{HEAD}through(lambda w: {one})" for one in cases(GRADIENTS)], device)
    compare_all([f"{HEAD}through(lambda w: w.to(memory_format=CL3), 1, 2, 3, 4, 5)"], device)


def test_layouts(device):
    compare_all([f"{HEAD}lies({one})" for one in cases(LAYOUTS)], device)


def test_values_and_errors(device):
    compare_all([HEAD + one for one in cases(VALUES)], device)


STRIDES = """
from itertools import permutations
def turned(shape, order):
    return torch.ones(*shape, device=device).permute(*order)
def laid(shape, work):
    "The strides of what comes of a tensor in each order of its dimensions."
    return [work(turned(shape, order)).stride() for order in permutations(range(len(shape)))]
def beside(shape, work):
    "The same of two tensors of one shape, in each order; the second is also narrowed to one element along each dimension."
    made = []
    for order in permutations(range(len(shape))):
        a = turned(shape, order)
        for other in permutations(range(len(shape))):
            b = torch.ones(*[a.shape[i] for i in other], device=device).permute(*[other.index(i) for i in range(len(shape))])
            made += [work(a, b).stride()] + [work(*pair).stride() for d in range(len(shape)) for pair in ((a, b.narrow(d, 0, 1)), (b.narrow(d, 0, 1), a))]
    return made
"""
WORKS = """a + 1 | a.clone() | a.exp() | a.int() | -a | torch.zeros_like(a) | a ** 2 | a.clamp(0, 1) | torch.relu(a) | torch.nn.functional.gelu(a) | a.to(torch.float16)
a + torch.ones(a.shape[-1], device=device) | a.double() * a | torch.addcmul(a, a, a) | torch.add(a, a, alpha=2) | torch.where(a > 0, a, 0.0)
a.flip(0) | torch.tril(a) | a.cumsum(0) | torch.softmax(a, -1) | a.sum(0) | a.mean((0, -1), keepdim=True) | a[0:1].expand(2, *a.shape[1:]) + 1"""
SHAPES = [(2, 3, 4), (2, 1, 3), (1, 3, 1), (1, 2), (1, 1), (2, 2, 1, 3), (2, 3, 1, 1)]


PLACED = """
x.sort(0)[0] | x.sort(-1)[1] | x.argsort(0) | torch.msort(x) | x.round(decimals=1) | x.roll(1, 0) | x.roll((1, 1), (0, -1)) | x.roll(1) | 2 ** x | x @ x.mT
x.scatter(0, zeros, x) | x.scatter(0, zeros, 1.0) | x.scatter_add(-1, zeros, x) | x.scatter_reduce(0, zeros, x, "amax") | x.index_add(0, zero, x[:1])
x.index_copy(0, zero, x[:1]) | x.index_reduce(0, zero, x[:1], "amax") | x.gather(0, zeros) | x.take_along_dim(zeros, 0) | x.masked_scatter(x > 0.3, x.clone())
torch.renorm(x, 2, 0, 1) | F.one_hot((x * 3).long(), 4) | torch.normal(x, 1.0) | torch.normal(0.0, x) | torch.gradient(x)[0] | torch.rand_like(x) | torch.randint_like(x, 3)
torch.permute_copy(x, tuple(range(x.dim()))[::-1]) | torch.view_copy(x, x.shape) | torch.fft.fftshift(x) | F.logsigmoid(x) | F.rrelu(x) | F.prelu(x, torch.ones(1, device=device))
F.layer_norm(x, x.shape[-1:]) | F.layer_norm(x, x.shape[1:]) | F.rms_norm(x, x.shape[-1:]) | F.huber_loss(x, x, reduction="none") | torch.cat([x, x]) | torch.cat([x, x], -1)
F.binary_cross_entropy_with_logits(x, x, reduction="none") | F.pad(x, (1, 1)) | torch.exp(x, out=torch.empty(0, device=device)) | torch.cat([x, x], out=torch.empty(0, device=device))
"""
IMAGES = """
F.group_norm(x, x.shape[1]) | F.group_norm(x, 1) | F.instance_norm(x) | F.batch_norm(x, None, None, training=True) | F.pixel_unshuffle(x, 1) | F.channel_shuffle(x, 2)
F.pixel_shuffle(x, 2) | F.scaled_dot_product_attention(x, x, x) | F.pad(x, (1, 1, 1, 1), mode="reflect")
"""
GRADIENTS_PLACED = """
x * 2 | x.exp() | x.sum(0) | x.flip(0) | x[:1] | x.cumsum(0) | F.relu(x) | x.sort(0)[0] | x.permute(*range(x.dim())[::-1]) | x.mean() | x.roll(1, 0)
"""
GIVEN = """
F = torch.nn.functional
def base(*sizes):
    x = torch.arange(float(torch.Size(sizes).numel()), device=device).reshape(sizes)
    return (x + 1) / (x.numel() + 1)
def place(work, *xs):
    out = []
    for x in xs:
        zeros, zero = torch.zeros(x.shape, dtype=torch.int64, device=device), torch.zeros(1, dtype=torch.int64, device=device)
        y = work(x, zeros, zero)
        out.append((y.shape, y.stride()))
    return out
def grown(work, *xs):
    out = []
    for x in xs:
        x = x.detach().requires_grad_()
        y = work(x)
        y.backward(torch.ones(y.shape, device=device))
        out.append(x.grad.stride())
    return out
CL = torch.channels_last
images = [base(2, 4, 3, 5), base(2, 4, 3, 5).to(memory_format=CL), base(5, 3, 4, 2).permute(3, 2, 1, 0), base(2, 8, 3, 5).to(memory_format=CL)[:, ::2]]
planes = [base(4, 3), base(3, 4).t(), base(8, 6)[::2, ::2], base(6, 8)[::2, ::2].t(), base(2, 3, 4).permute(2, 0, 1), base(2, 3, 4).transpose(1, 2), base(4, 6, 4)[:, ::2]]
"""


def test_places_of_results(device):
    """Functions whose results PyTorch places by rules of their own: in C order, as the first tensor lies, in its memory format."""
    texts = [f"place(lambda x, zeros, zero: {one}, *images, *planes)" for one in cases(PLACED)]
    texts += [f"place(lambda x, zeros, zero: {one}, *images)" for one in cases(IMAGES)]
    texts += [f"grown(lambda x: {one}, *images, *planes)" for one in cases(GRADIENTS_PLACED)]
    compare_all([GIVEN + text for text in texts], device)


def test_strides_of_results(device):
    """Axes of one element have strides as well, which programs see and views go by."""
    works = [text for line in WORKS.splitlines() for text in line.split(" | ")]
    texts = [f"laid({shape}, lambda a: {work})" for shape in SHAPES for work in works if len(shape) > 1]
    texts += [f"laid((2, 3, 4), lambda a: {work})" for work in ("a.masked_fill(a > 0, 1.0)", "a.logcumsumexp(0)", "a.roll(1, 0)")]
    texts += [f"beside({shape}, lambda a, b: {work})" for shape in SHAPES[:5] for work in ("a + b", "a < b", "torch.where(a < 1, a, b)")]
    compare_all([STRIDES + text for text in texts], device)


# Shapes that a tensor of so many elements may get.
SHAPES_OF = {1: [(1,), (1, 1), ()], 2: [(2,), (1, 2), (2, 1), (-1,)], 6: [(6,), (2, 3), (3, 1, 2), (1, 6), (2, 1, 3, 1), (-1,)]}


def _parts_in_shapes():
    for sizes in ((1, 1), (2, 1), (1, 2, 1), (2, 3), (1, 2, 3), (3, 1, 2), (2, 1, 3)):
        count = math.prod(sizes)
        for more in range(2 ** len(sizes)):
            whole = tuple(n + (more >> i & 1) for i, n in enumerate(sizes))
            seen = f"torch.zeros({whole}, device=device)[{', '.join(f':{n}' for n in sizes)}]"
            for order in permutations(range(len(sizes))):
                for shape in SHAPES_OF[count]:
                    yield f"x = {seen}.permute({order})\n[raises(lambda: x.view({shape}).stride()), x.reshape({shape}).stride()]"
                yield f"x = {seen}.permute({order})\n[x.unsqueeze(0).stride(), x.unsqueeze(-1).stride(), x[None, :, None].stride(), x.flatten().stride()]"


def test_strides_of_axes_of_one_element(device):
    compare_all(part(_parts_in_shapes(), 200), device)


def test_strides_of_copies_of_repeated_elements(device):
    compare_all(
        [
            "x = torch.empty(4, 3, device=device).t().unsqueeze(0).expand(2, 3, 4)\n[x.clone().stride(), x.double().stride(), (x + 1).stride()]",
            "x = torch.empty(3, 1, device=device).expand(3, 5).t()\n[x.clone().stride(), x.half().stride(), torch.empty_like(x).stride()]",
        ],
        device,
    )
