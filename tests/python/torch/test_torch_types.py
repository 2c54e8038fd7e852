"""Types of results in quern.torch compared with the table of PyTorch's (data/torch_types.json), its small types, and how tensors are printed."""

import importlib.util
import json
import os
import re

import numpy as np
import pytest
from places import DATA
from quern import torch
from torch_oracle import _device_name, compare_all

with open(os.path.join(DATA, "torch_types.json")) as f:
    TABLE = json.load(f)
_spec = importlib.util.spec_from_file_location("make_torch_types", os.path.join(DATA, "make_torch_types.py"))
maker = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(maker)

NAMES = {letter: name for name, letter in TABLE["letters"].items()}
UNSERVED = str.maketrans({TABLE["letters"][name]: TABLE["letters"]["NotImplementedError"] for name in ("complex32", "bcomplex32")})


@pytest.mark.parametrize("expression", TABLE["types"])
def test_the_type_of_a_result_is_pytorchs(device, expression):
    if expression in DIFFERENT:
        pytest.skip(DIFFERENT[expression])
    with torch.device(_device_name(device)):
        ours = maker.line_of(torch, expression)
    problem = differences(ours.translate(UNSERVED), TABLE["types"][expression].translate(UNSERVED))
    if problem:
        pytest.fail(problem, pytrace=False)


def is_served(ours, theirs, operands):
    """What may differ. quern supports what PyTorch has no kernel for: a result instead of NotImplementedError, and of wide unsigned
    integers, which PyTorch does not promote, instead of RuntimeError. Where both raise for want of a kernel the error may be another
    one. Never a result where PyTorch raises for a wrong argument, never an error where it has a result.
    """
    if NAMES[theirs] == "NotImplementedError":
        return not NAMES[ours].startswith("IndexError")
    if NAMES[theirs] != "RuntimeError":
        return False
    no_promotion = any(name in operands for name in ("uint16", "uint32", "uint64"))
    return NAMES[ours] == "NotImplementedError" or no_promotion and not NAMES[ours].endswith("Error")


# Kept apart from PyTorch's on purpose, with the reason.
DIFFERENT = {
    "torch.nn.functional.mse_loss(a, b)": "a difference with a tensor of bools raises, as the operator - does in both",
}


def differences(ours, theirs):
    """Where two lines of the table differ, in words; the first few of them."""
    operands = TABLE["operands"]
    pairs = [(a, None) for a in operands] if " " not in theirs else [(a, b) for a in operands for b in operands]
    ours, theirs = ours.replace(" ", ""), theirs.replace(" ", "")
    found = [
        f"a: {a}, b: {b}: {NAMES[x]}, but PyTorch's {NAMES[y]}" if b else f"a: {a}: {NAMES[x]}, but PyTorch's {NAMES[y]}"
        for (a, b), x, y in zip(pairs, ours, theirs, strict=False)
        if x != y and not is_served(x, y, f"{a} {b}")
    ]
    return f"{len(found)} differ:\n" + "\n".join(found[:20]) if found else ""


@pytest.mark.parametrize("expression", TABLE["values"])
def test_rules_of_values_are_pytorchs(expression):
    ours, theirs = maker.value_of(torch, expression), TABLE["values"][expression]
    if ours != theirs:  # the last digits of a real number may differ
        texts, numbers = zip(*(_split(text) for text in (ours, theirs)), strict=True)
        assert texts[0] == texts[1], (ours, theirs)
        assert numbers[0] == pytest.approx(numbers[1], rel=3e-7, nan_ok=True), (ours, theirs)


def _split(text):
    """A text without its real numbers, and these."""
    form = r"-?\d+\.\d+(?:e[-+]?\d+)?"
    return re.sub(form, "#", text), [float(number) for number in re.findall(form, text)]


def test_a_default_type_is_that_of_divided_integers_and_of_numbers():
    try:
        for name in ("float64", "float16", "bfloat16", "float32"):
            kind = getattr(torch, name)
            torch.set_default_dtype(kind)
            ones = torch.ones(2, dtype=torch.int32)
            assert torch.get_default_dtype() is kind
            assert (
                (ones / ones).dtype
                is (ones * 1.5).dtype
                is torch.exp(ones).dtype
                is torch.tensor(1.5).dtype
                is torch.zeros(1).dtype
                is kind
            )
            assert (torch.ones(2, dtype=torch.float32) + 1.5).dtype is torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def lines(text):
    return [line for line in text.strip().splitlines() if line]


def test_dtypes_are_pytorchs():
    names = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128".split()
    names += "half float double cfloat cdouble short int long".split()
    texts = []
    for name in names:
        kind = f"torch.{name}"
        texts.append(
            f"{kind}, repr({kind}), {kind}.is_floating_point, {kind}.is_complex, {kind}.is_signed, {kind}.itemsize, {kind}.to_real()"
        )
        texts += [f"raises(lambda: repr(torch.{limits}({kind})))[0], repr(torch.{limits}({kind}))" for limits in ("finfo", "iinfo")]
    texts += [f"torch.{f}(torch.{a}, torch.{b})" for f in ("promote_types", "can_cast") for a in names[:15] for b in names[:15]]
    texts += lines("""
torch.float64.to_complex(), torch.complex64.to_complex()
raises(lambda: torch.int64.to_complex())
torch.finfo(torch.float32).eps, torch.finfo(torch.bfloat16).max, torch.finfo(torch.float16).tiny, torch.finfo(torch.float64).bits
torch.iinfo(torch.int64).max, torch.iinfo(torch.uint8).min, torch.iinfo(torch.int16).bits, torch.finfo().dtype, torch.finfo(float).dtype
torch.finfo(torch.float32) == torch.finfo(torch.float32), torch.iinfo(torch.int8) == torch.iinfo(torch.uint8)
raises(torch.dtype)
raises(lambda: torch.set_default_dtype(torch.int32))
raises(lambda: torch.set_default_dtype("float32"))
torch.float is torch.float32, torch.float == "float32", isinstance(torch.long, torch.dtype)
__import__("copy").deepcopy([torch.float32, torch.device("cuda:1"), torch.Size([2])])
torch.strided, torch.preserve_format, torch.channels_last, str(torch.contiguous_format)
""")
    compare_all(texts)


def test_the_old_names_of_types_are_pytorchs():
    names = "Float Double Half BFloat16 Int Long Short Char Byte Bool".split()
    texts = [
        f"k = torch.{n}Tensor\nx = k([1, 0])\nx, k(2, 3).shape, k().shape, k(torch.Size([2])).shape, k.dtype, k.__name__, repr(k)"
        for n in names
    ]
    texts += [f"x = torch.zeros(1).type(torch.{n}Tensor)\nx, [isinstance(x, getattr(torch, m + 'Tensor')) for m in {names}]" for n in names]
    texts += [
        "isinstance(3, torch.LongTensor), isinstance(torch.Tensor, type), isinstance(torch.zeros(1), (torch.LongTensor, torch.FloatTensor))"
    ]
    compare_all(texts)


def test_devices_are_pytorchs():
    forms = """'cuda'; 'cuda:1'; 'cuda', 1; type='cuda', index=1; 'cuda', index=0; 1; 'cpu', 0; torch.device('cuda:1'); 'cuda', None
device='cuda:1'; 'meta'; 'cuda:x'; 'cuda:'; 'cuda:01'; 'cuda:-1'; 'foo'; 'cuda:0:1'; ''; 'cuda:1', 1; 'cuda', -1; None; 1.5; 'CPU'; index=1"""
    texts = []
    for form in forms.replace("\n", "; ").split("; "):
        texts.append(f"d = torch.device({form})\nd, repr(d), str(d), d.type, d.index, hash(d) == hash(torch.device(str(d)))")
        texts.append(f"raises(lambda: torch.device({form}))")
    texts += lines("""
torch.device("cpu") == torch.device("cpu:0"), torch.device("cpu") == "cpu", torch.device("cuda", 1) == torch.device("cuda:1")
raises(lambda: torch.device("cpu") < torch.device("cuda"))
torch.get_default_device()
""")
    compare_all(texts)


def test_sizes_are_pytorchs():
    compare_all(
        lines("""
torch.Size([1, 2, 3]), repr(torch.Size([1, 2])), str(torch.Size(())), torch.Size()
torch.Size([1, 2, 3])[1:], torch.Size([1, 2, 3])[-1], torch.Size([1, 2]) + (3,), (3,) + torch.Size([1, 2]), torch.Size([1, 2]) * 2, 2 * torch.Size([1])
torch.Size([2, 3]).numel(), torch.Size([]).numel(), torch.Size([2, 0]).numel(), torch.Size([2, 3]).index(3), len(torch.Size([1]))
torch.Size([2, 3]) == (2, 3), torch.Size([2, 3]) == [2, 3], hash(torch.Size([2, 3])) == hash((2, 3)), torch.Size([True])
raises(lambda: torch.Size((1, 2.0)))
raises(lambda: torch.Size(3))
raises(lambda: torch.Size([1, 2]) + [3])
""")
    )


# As PyTorch prints them, for where it is not installed.
PRINTED = {
    "torch.tensor([1.0, 2.5, -3.0])": "tensor([ 1.0000,  2.5000, -3.0000])",
    "torch.tensor([1.0, 2.0])": "tensor([1., 2.])",
    "torch.tensor([1e-5, 1.0])": "tensor([1.0000e-05, 1.0000e+00])",
    "torch.tensor([1.0, float('nan'), float('-inf')])": "tensor([1., nan, -inf])",
    "torch.tensor(3)": "tensor(3)",
    "torch.tensor(2.5, dtype=torch.float64)": "tensor(2.5000, dtype=torch.float64)",
    "torch.tensor([True, False])": "tensor([ True, False])",
    "torch.tensor([[1, -20], [300, 4]], dtype=torch.int16)": ("tensor([[  1, -20],\n        [300,   4]], dtype=torch.int16)"),
    "torch.tensor([1 + 2j, -0.5j])": "tensor([1.+2.0000j, -0.-0.5000j])",
    "torch.zeros(0, 3)": "tensor([], size=(0, 3))",
    "torch.zeros(0, dtype=torch.int64)": "tensor([], dtype=torch.int64)",
    "torch.ones(2, dtype=torch.bfloat16)": "tensor([1., 1.], dtype=torch.bfloat16)",
    "torch.ones(1, requires_grad=True)": "tensor([1.], requires_grad=True)",
    "torch.ones(1, requires_grad=True) + 1": "tensor([2.], grad_fn=<AddBackward0>)",
    "torch.arange(1001)": "tensor([   0,    1,    2,  ...,  998,  999, 1000])",
}


@pytest.mark.parametrize("expression", PRINTED)
def test_a_tensor_prints_as_it_is_known_to(expression):
    assert repr(eval(expression, {"torch": torch})) == PRINTED[expression]


def printed_tensors():
    """Texts that print tensors of many types, shapes and spreads."""
    shapes = "() (1,) (20,) (1001,) (2, 3) (5, 30) (40, 40) (2, 3, 4) (12, 12, 12) (1, 1, 1, 1) (2, 0) (1200, 1) (3, 4, 5, 6)".split(" (")
    shapes = [s if s.startswith("(") else "(" + s for s in shapes]
    values = ["r.normal(size={})", "r.normal(size={}) * 1e5", "r.normal(size={}) * 1e-6", "r.normal(size={}).round(0) * 100"]
    values += ["np.exp(r.normal(size={}) * 6)", "np.where(r.random({}) < 0.3, np.nan, 2)", "np.where(r.random({}) < 0.3, np.inf, 0.5)"]
    kinds = "float32 float64 float16 bfloat16 int64 int8 uint8 bool complex64 complex128".split()
    for i, shape in enumerate(shapes):
        for j, value in enumerate(values):
            for k, kind in enumerate(kinds):
                if (i + j + k) % 3 or j > 3 and kind[0] in "iub" and kind != "bfloat16":
                    continue
                number = f"r = np.random.default_rng({i})\nx = np.asarray({value.format(shape)}"
                number += " % 100)" if kind[0] in "iu" else " * (1 - 2j))" if kind[0] == "c" else ")"
                yield f"{number}\nrepr(torch.from_numpy(x).to(torch.{kind}))"


def test_tensors_print_as_pytorchs(quiet):
    compare_all(list(printed_tensors()))


def test_printing_follows_its_options(quiet):
    options = (
        "precision=2; precision=0; threshold=10; threshold=10, edgeitems=1; linewidth=40; profile='short'; profile='full'; sci_mode=True"
    )
    options += "; sci_mode=False, precision=8; profile='short', precision=6; edgeitems=5, linewidth=120"
    texts = []
    for option in options.split("; "):
        for value in ("torch.arange(1100.0) / 7", "torch.arange(12).reshape(3, 4)", "torch.tensor([1e-9, 1.0])", "torch.ones(3, 40, 2)"):
            texts.append(f"torch.set_printoptions({option})\nrepr({value})")
    compare_all([*texts, "torch.set_printoptions(sci_mode=True)\ntorch.set_printoptions(precision=3)\nrepr(torch.tensor([1.5]))"])


def test_printing_shows_gradients():
    compare_all(
        lines("""
repr(torch.ones(3, requires_grad=True)), repr(torch.ones(3, requires_grad=True) * 2), repr(torch.ones(30, requires_grad=True).sum())
repr(torch.ones(2, 3, dtype=torch.float64, requires_grad=True).exp()), repr(nn.Parameter(torch.ones(2)))
""")
    )


def test_as_tensor_shares_memory(device):
    from quern import cupy as cp

    host = np.arange(4, dtype=np.float32)
    for given in ({}, {"dtype": torch.float32}, {"device": "cpu"}, {"dtype": torch.float32, "device": "cpu"}):
        torch.as_tensor(host, **given)[0] = len(given) + 5
        assert host[0] == len(given) + 5
    for copied in (torch.as_tensor(host, dtype=torch.float64), torch.tensor(host), torch.asarray(host, copy=True)):
        copied[1] = 9
        assert host[1] == 1
    ours = cp.arange(4)
    for tensor in (torch.as_tensor(ours), torch.asarray(ours), torch.as_tensor(ours, device=device.kind)):
        tensor += 1
        assert tensor.data_ptr() == ours.data.ptr and tensor.device.type == device.kind
    assert ours.tolist() == [3, 4, 5, 6]
    assert torch.as_tensor(ours, dtype=torch.float32).dtype == torch.float32
    with pytest.raises(ValueError, match="negative"):
        torch.as_tensor(host[::-1])
    capsule = torch.utils.dlpack.to_dlpack(torch.as_tensor(host))
    assert torch.utils.dlpack.from_dlpack(capsule).data_ptr() == host.__array_interface__["data"][0]
