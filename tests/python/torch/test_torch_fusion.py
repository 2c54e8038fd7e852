"""quern.torch: fusion of batch normalization, weights with channels last, CrossMapLRN2d, conv_tbc() and convolution(). PyTorch is the oracle."""

import quern.torch as torch
from arrays import cases
from torch_oracle import compare_all

HEAD = """
F = torch.nn.functional
def made(*shape, dtype=torch.float64):
    return ((torch.arange(math.prod(shape), dtype=torch.float64, device=device) * 1.7).sin().reshape(shape) * 3).to(dtype)
def laid(y):
    return y, y.stride()
def set_up(module):
    with torch.no_grad():
        for n, one in enumerate([*module.parameters(), *module.buffers()]):
            if one.is_floating_point():
                one.copy_(made(*one.shape, dtype=one.dtype).abs() + n)
    return module.to(device).eval()
"""
CASES = """laid(F.conv_tbc(made(5, 2, 3), made(3, 3, 4), made(4))) | laid(F.conv_tbc(made(5, 2, 3), made(3, 3, 4), made(4), 2)) | laid(torch.conv_tbc(made(5, 2, 3), made(3, 3, 4), made(4), -1)) | laid(torch.conv_tbc(made(2, 2, 3), made(3, 3, 4), made(4)))
laid(torch.convolution(made(2, 4, 6, 6), made(3, 4, 3, 3), None, [2, 1], [0, 1], [1, 1], False, [0, 0], 1)) | laid(torch.convolution(made(2, 4, 6), made(4, 3, 3), made(3), [2], [1], [1], True, [1], 1)) | laid(torch.convolution(made(2, 4, 6), made(4, 2, 3), made(4), [1], [0], [2], False, [0], 2))
torch.autograd.grad((torch.conv_tbc(x := made(5, 2, 3).requires_grad_(), w := made(3, 3, 4).requires_grad_(), b := made(4).requires_grad_(), 1) ** 2).sum(), (x, w, b))
nn.CrossMapLRN2d(3, 0.1, 0.5, 2)(made(2, 5, 2, 3)) | nn.CrossMapLRN2d(4, 0.1, 0.5, 2)(made(2, 5, 2, 3)) | str(nn.CrossMapLRN2d(4)) | nn.CrossMapLRN2d(9, 0.1)(made(1, 2, 2, 3))
[laid(p.detach()) for p in nn.utils.fuse_conv_bn_eval(set_up(nn.Conv2d(3, 4, 2)), set_up(nn.BatchNorm2d(4))).parameters()] | [laid(p.detach()) for p in nn.utils.fuse_conv_bn_eval(set_up(nn.Conv1d(3, 4, 2, bias=False)), set_up(nn.BatchNorm1d(4, affine=False))).parameters()]
[laid(p.detach()) for p in nn.utils.fuse_conv_bn_eval(set_up(nn.ConvTranspose2d(3, 4, 2)), set_up(nn.BatchNorm2d(4)), transpose=True).parameters()] | [p.requires_grad for p in nn.utils.fuse_conv_bn_weights(made(4, 3, 2), None, made(4), made(4).abs(), 0.1, None, None)]
[laid(p.detach()) for p in nn.utils.fuse_linear_bn_eval(set_up(nn.Linear(3, 4)), set_up(nn.BatchNorm1d(4))).parameters()] | [laid(p.detach()) for p in nn.utils.fuse_linear_bn_weights(made(4, 3), None, made(4), made(4).abs(), 0.1, made(4), made(4))]
[p.stride() for p in nn.utils.convert_conv2d_weight_memory_format(nn.Sequential(nn.Conv2d(3, 4, 2), nn.ConvTranspose2d(4, 2, 3), nn.Conv1d(2, 2, 2)), torch.channels_last).parameters()]
[p.stride() for p in nn.utils.convert_conv3d_weight_memory_format(nn.Sequential(nn.Conv2d(3, 4, 2), nn.Conv3d(4, 2, 3)), torch.channels_last_3d).parameters()]"""
ERRORS = """torch.conv_tbc(x[0], w, b) | torch.conv_tbc(x, w[0], b) | torch.conv_tbc(x, w, b[:2]) | torch.conv_tbc(x, w[:, :2], b) | torch.conv_tbc(x, w, b[None]) | torch.conv_tbc(x.double(), w, b) | torch.convolution(x, w[0], None, [1], [0], [1], False, [0], 1)
torch.convolution(x[0], w, None, [1], [0], [1], False, [0], 1) | torch.convolution(x, w, None, [1], [0], [1], False, [0], 1) | nn.CrossMapLRN2d(3)(x) | nn.utils.fuse_conv_bn_eval(nn.Conv1d(1, 1, 1), nn.BatchNorm1d(1).eval())
nn.utils.fuse_linear_bn_eval(nn.Linear(2, 3).eval(), nn.BatchNorm1d(2).eval()) | nn.utils.fuse_linear_bn_eval(nn.Linear(2, 3).eval(), nn.BatchNorm1d(3, track_running_stats=False).eval())"""


def test_values_and_layouts(device):
    compare_all([HEAD + one for one in cases(CASES)], device)


def test_errors(device):
    head = "x, w, b = torch.ones(5, 2, 3, device=device), torch.ones(3, 3, 4, device=device), torch.ones(4, device=device)\n"
    compare_all([f"{head}raises(lambda: {one})" for one in cases(ERRORS)], device)


def test_fused_layers_compute_the_same():
    conv, norm = torch.nn.Conv2d(3, 4, 3).eval(), torch.nn.BatchNorm2d(4).eval()
    norm.running_mean.uniform_()
    norm.running_var.uniform_(0.5, 2)
    x = torch.rand(2, 3, 6, 6)
    assert torch.allclose(torch.nn.utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-5)
