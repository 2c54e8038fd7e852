"""Names of torch that other tests do not call, compared with PyTorch: aliases, in-place forms, operators, copies of views, states."""

import math

import pytest
from arrays import cases
from torch_oracle import compare_all

# Of tensors a, b (3, 4), c (4, 3), s (2, 3, 3) symmetric and positive definite, v and w (4), float64 between 0.2 and 0.9; i, j of integers.
MADE = """r = np.random.default_rng(5)
a, b, c, s, v, w = (torch.tensor(r.uniform(0.2, 0.9, n), device=device) for n in ((3, 4), (3, 4), (4, 3), (2, 3, 3), 4, 4))
s = s @ s.mT + torch.eye(3, dtype=torch.float64, device=device)
i, j = torch.tensor([[6, 4, 9]], device=device), torch.tensor([[4], [6]], device=device)
m = a > b
def inside(name, x, *args):
    y = x.clone()
    got = getattr(y, name)(*args)
    return got is y, y
"""

IN_PLACE = """acos_ arccos_ arcsin_ arctan_ arctanh_ asin_ asinh_ arcsinh_ atan_ atanh_ cos_ cosh_ sin_ sinh_ tan_ erfc_ exp2_ expm1_ fix_ i0_ log10_ log2_
logit_ negative_ rad2deg_ sinc_ absolute_ triu_""".split()
OPERATORS = {
    "a": "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__"
    " __eq__ __ne__ __lt__ __le__ __gt__ __ge__",
    "i": "__and__ __xor__ __lshift__ __rshift__ __rand__ __ror__ __rxor__ __rlshift__ __rrshift__",
}
WITHIN = {
    "a": "__imul__ __isub__ __itruediv__ __ifloordiv__ __imod__ __ipow__",
    "i": "__iand__ __ior__ __ixor__ __irshift__",
}
COMPARED = "ge_ gt_ le_ ne_ greater_ greater_equal_ less_ less_equal_ not_equal_".split()

TEXTS = """
torch.addbmm(s[0], s, s) | s[0].addbmm(s, s, beta=0.5, alpha=2) | inside("addbmm_", s[0], s, s) | inside("addmm_", s[0], a, c) | inside("addmv_", v[:3], a, w)
inside("addr_", a, v[:3], w) | inside("baddbmm_", s, s, s) | torch.addmv_(v[:3].clone(), a, w) | torch.atleast_1d(v[0]), torch.atleast_1d(v[0], a)
torch.atleast_3d(v), torch.atleast_3d(a, v) | torch.chain_matmul(a, c, a) | torch.cholesky_inverse(torch.linalg.cholesky(s)), s.cholesky_inverse()
torch.clamp_max(a, 0.5), torch.clamp_min(a, 0.5), a.clamp_max(b), a.clamp_min(b) | inside("clamp_max_", a, 0.5), inside("clamp_min_", a, 0.5)
torch.clamp_max_(a.clone(), 0.5), torch.clamp_min_(a.clone(), 0.5), torch.clip_(a.clone(), 0.3, 0.5) | inside("clip_", a, 0.3, 0.5)
torch.column_stack([v, a.T]) | torch.concat([a, b], 1) | torch.diagflat(a), v.diagflat(1) | torch.divide(a, b), a.divide(b, rounding_mode="floor")
inside("divide_", a, b), inside("multiply_", a, b), inside("subtract_", a, b), inside("true_divide_", a, b) | torch.dsplit(s, 3), s.dsplit([1])
torch.tensor_split(a, [1, 3], 1), torch.tensor_split(v, (2,)), a.tensor_split([-1], 1), a.tensor_split([2, 1, 9]), torch.tensor_split(v, torch.tensor([1, 2]))
torch.hsplit(a, [1, 2]), a.hsplit(2), a.vsplit([1]), torch.vsplit(a, 3), v.hsplit([3]), torch.tensor_split(a, [], 1), torch.tensor_split(a, torch.tensor(2), 1)
torch.fliplr(a), torch.flipud(a), a.fliplr(), a.flipud()
torch.ger(v, w), v.ger(w) | torch.greater_equal(a, b), torch.less_equal(a, b), torch.not_equal(a, b), a.greater_equal(b), a.less_equal(b), a.not_equal(b)
inside("lcm_", i, j[:1]), inside("gcd_", i, j[:1]) | inside("ldexp_", a, i[0, :1]) | torch.matrix_exp(s), s.matrix_exp(), torch.linalg.matrix_exp(s)
torch.mvlgamma(a + 3, 2), (a + 3).mvlgamma(2), inside("mvlgamma_", a + 3, 2) | torch.narrow_copy(a, 1, 1, 2), a.narrow_copy(0, 0, 1)
torch.nuclear_norm(a), torch.frobenius_norm(a, (0, 1)) | torch.pinverse(a), a.pinverse() | torch.pixel_unshuffle(a.reshape(1, 2, 6)[:, :, :4].reshape(1, 2, 4), 2)
torch.row_stack([a, v]) | torch.split_with_sizes(a, [1, 3], 1), a.split_with_sizes([2, 1]) | torch.swapdims(s, 0, 2), s.swapdims(0, 1), inside("swapdims_", s, 0, 1)
inside("swapaxes_", s, 0, 2) | torch.trapz(a), torch.trapz(a, dx=0.5) | torch.unsafe_chunk(a, 2, 1), torch.unsafe_split(a, 2), a.unsafe_chunk(3), a.unsafe_split(1)
torch.unsafe_split_with_sizes(a, [1, 2]), a.unsafe_split_with_sizes([3]) | torch.triangular_solve(c[:3], s[0], upper=True)[0]
inside("arctan2_", a, b) | inside("index_reduce_", a, 0, torch.tensor([0, 0, 2], device=device), b, "prod") | inside("logical_or_", m, ~m), inside("logical_xor_", m, m)
inside("polygamma_", a, 2) | inside("scatter_reduce_", a, 0, torch.zeros(3, 4, dtype=torch.int64, device=device), b, "sum")
a.reshape_as(c), torch.empty(2, 2).resize_as_(a).shape | a.byte(), (a * 100).char() | a.nelement(), a.ndimension(), a.dim_order(), a.is_same_size(b), torch.is_same_size(a, c)
a.is_set_to(a), a.is_set_to(b), a[:1].is_set_to(a[:1]) | a.to_dense(), a.is_sparse, a.is_sparse_csr, a.is_quantized, a.is_nested, a.is_meta, a.is_mkldnn
a.is_conj(), a.is_neg(), torch.is_conj(a), torch.is_neg(a), a.is_distributed(), a.is_inference(), a.is_mps, a.is_xla, a.is_xpu, a.is_ipu, a.is_vulkan
torch.as_strided_copy(a, (2, 2), (1, 2)), torch.as_strided_scatter(a, v.reshape(2, 2), (2, 2), (1, 2)), a.as_strided_scatter(v[:2], (2,), (3,)) | inside("as_strided_", a, (2, 3), (3, 1))
torch.alias_copy(a), torch.diagonal_copy(a), torch.expand_copy(v, (2, 4)), torch.permute_copy(s, (2, 0, 1)), torch.select_copy(a, 0, 1), torch.slice_copy(a, 1, 0, 4, 2)
torch.split_copy(a, 2), torch.split_with_sizes_copy(a, [1, 2]), torch.squeeze_copy(v[None]), torch.t_copy(a), torch.transpose_copy(s, 0, 1), torch.unbind_copy(a)
torch.unfold_copy(a, 1, 2, 1), torch.unsqueeze_copy(a, 0), torch.view_copy(a, (4, 3)), torch.view_as_real_copy(torch.complex(a, b)), torch.view_as_complex_copy(torch.stack([a, b], -1))
torch.empty_strided((2, 3), (1, 2), device=device).stride(), torch.empty_permuted((2, 3), (1, 0), device=device).stride() | torch.pi, torch.newaxis, torch.is_storage(a)
torch.fft.ifft2(s), torch.fft.ifftn(s), torch.fft.hfft2(s), torch.fft.hfftn(s), torch.fft.ihfft2(a), torch.fft.ihfftn(a) | torch.fft.ifftshift(v), torch.fft.fftshift(v)
torch.special.chebyshev_polynomial_u(a, 3), torch.special.chebyshev_polynomial_v(a, 3), torch.special.chebyshev_polynomial_w(a, 3), torch.special.chebyshev_polynomial_t(a, 4)
torch.special.hermite_polynomial_h(a, 3), torch.special.hermite_polynomial_he(a, 3), torch.special.laguerre_polynomial_l(a, 3), torch.special.legendre_polynomial_p(a, 3)
torch.special.shifted_chebyshev_polynomial_t(a, 3), torch.special.shifted_chebyshev_polynomial_u(a, 3), torch.special.shifted_chebyshev_polynomial_v(a, 3), torch.special.shifted_chebyshev_polynomial_w(a, 3)
torch.special.expit(a), torch.special.gammaln(a), torch.special.psi(a), torch.special.modified_bessel_i0(a), torch.special.modified_bessel_i1(a), torch.special.spherical_bessel_j0(a)
torch.linalg.tensorsolve(s[0].reshape(3, 1, 3), v[:3].reshape(3, 1)) | issubclass(torch.linalg.LinAlgError, RuntimeError) | bool(a[0, 0]), complex(a[0, 0]), int(i[0, 0]), format(a[0, 0], ".3f"), v[0] in v
abs(-a), -a, +a, ~m, a @ c, c.__rmatmul__(a), i | 3 | a.cpu().__array__().dtype.name, np.asarray(a.cpu()).shape, a.__array_priority__, a.output_nr | a.get_device() >= -1, a.data_ptr() != 0, a.const_data_ptr() == a.data_ptr()
torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled(), torch.get_deterministic_debug_mode(), torch.is_warn_always_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
torch.is_anomaly_check_nan_enabled(), torch.is_autocast_enabled(), torch.is_autocast_cpu_enabled(), torch.is_autocast_cache_enabled(), torch.is_vulkan_available()
torch.get_num_threads() > 0, torch.get_num_interop_threads() > 0, torch.set_flush_denormal(False) in (True, False) | torch.manual_seed(7); torch.initial_seed(), torch.default_generator.initial_seed(), torch.get_rng_state().dtype
torch.sym_int(2.5), torch.sym_float(2), torch.sym_max(2, 3), torch.sym_min(2, 3), torch.sym_not(True), torch.sym_sqrt(4.0), torch.sym_ite(True, 1, 2), torch.sym_sum([1, 2])
torch.compiled_with_cxx11_abi(), torch.channels_last_3d, torch.legacy_contiguous_format, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc, torch.jagged
a.cpu().clone().apply_(lambda x: x + 1), a.cpu().clone().map_(b.cpu(), lambda x, y: x * y) | a.as_subclass(torch.Tensor).shape, type(a.share_memory_()) is torch.Tensor, a.cpu().is_shared() in (True, False)
"""


def listed():
    return [one.strip() for one in cases(TEXTS) if one.strip()]


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_functions(device, first):
    compare_all([MADE + text.replace("; ", "\n") for text in listed()[first : first + 20]], device)


def test_forms_in_place(device):
    texts = [f"inside({name!r}, a), torch.{name}(a.clone())" for name in IN_PLACE if name not in ("absolute_", "triu_")]
    texts += [
        'inside("absolute_", -a)',
        'inside("triu_", a)',
        'inside("acosh_", a + 1), inside("arccosh_", a + 1), torch.acosh_(a + 1), torch.arccosh_(a + 1)',
    ]
    texts += [f"inside({name!r}, a, b), inside({name!r}, a, 0.5)" for name in COMPARED]
    compare_all([MADE + text for text in texts], device)


def test_operators_by_name(device):
    texts = [
        f"{x}.{name}({y})" for x, names in OPERATORS.items() for name in names.split() for y in {"a": ("b", "2.5"), "i": ("j[:1]", "2")}[x]
    ]
    texts += [
        f"inside({name!r}, {x}, {y})"
        for x, names in WITHIN.items()
        for name in names.split()
        for y in {"a": ("b", "2.5"), "i": ("j[:1]", "2")}[x]
    ]
    compare_all([MADE + text for text in texts], device)


PADS = [f"{kind}Pad{n}d" for kind in ("Circular", "Constant", "Reflection", "Replication", "Zero") for n in (1, 2, 3)]


@pytest.mark.parametrize("name", PADS)
def test_padding_layers(device, name):
    sizes = (2, 3, 4, 5, 6)[: int(name[-2]) + 2]
    value = ", 1.5" if name.startswith("Constant") else ""
    text = f"x = torch.arange({math.prod(sizes)}.0, device=device).reshape{sizes}\nlayer = nn.{name}(1{value})\nlayer(x), repr(layer), layer(x[0])"
    compare_all([text], device)


def test_modules_and_their_helpers(device):
    compare_all(
        [
            "m = nn.Module()\nm.register_buffer('x', torch.ones(2))\n[b.shape for b in m.buffers()], m.share_memory() is m",
            "w = torch.zeros(3, 4)\n[type(getattr(nn.init, n)(w.clone())) is torch.Tensor for n in ('kaiming_normal', 'kaiming_uniform', 'orthogonal', 'xavier_normal', 'xavier_uniform')]",
            "w = torch.zeros(2, 2, 3)\nnn.init.dirac(w), nn.init.dirac_(torch.zeros(2, 2, 3))",
            "p = nn.Parameter(torch.ones(3))\np.grad = torch.full((3,), 4.0)\nnn.utils.clip_grad_norm([p], 1.0), p.grad",
            "s = torch.utils.data.Sampler()\nisinstance(torch.utils.data.SequentialSampler([1]), torch.utils.data.Sampler)",
        ],
        device,
    )
