"""Memory formats: strides, gradients and is_contiguous() of channels_last, and what preserve_format keeps; against PyTorch."""

from arrays import cases
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
