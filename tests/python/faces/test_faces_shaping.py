"""The shaping functions as faces of the engine's table: views and arrangements, compared with NumPy's and PyTorch's."""

import inspect
import pickle

import numpy as np
import pytest
import quern as qn
import quern.cupy as cupy
import quern.torch as torch
from test_faces import events_of

CALLS = [
    ("moveaxis", (0, -1), {}),
    ("moveaxis", ((0, 1), [-1, -2]), {}),
    ("moveaxis", (5, 0), {}),
    ("moveaxis", ((0, 0), (1, 2)), {}),
    ("moveaxis", ((0, 1), 2), {}),
    ("swapaxes", (0, 2), {}),
    ("swapaxes", (), {"axis2": -1, "axis1": 0}),
    ("swapaxes", (0, 3), {}),
    ("expand_dims", (0,), {}),
    ("expand_dims", ((0, -1),), {}),
    ("expand_dims", ((1, 1),), {}),
    ("expand_dims", (5,), {}),
    ("squeeze", (), {}),
    ("squeeze", (1,), {}),
    ("squeeze", ([1],), {}),
    ("squeeze", (), {"axis": (1, -3)}),
    ("squeeze", (0,), {}),
    ("flip", (), {}),
    ("flip", (1,), {}),
    ("flip", (), {"axis": (0, -1)}),
    ("flip", ((0, 0),), {}),
    ("flip", (0.5,), {}),
    ("flipud", (), {}),
    ("fliplr", (), {}),
    ("rot90", (), {}),
    ("rot90", (2,), {}),
    ("rot90", (-1, (1, 2)), {}),
    ("rot90", (1, (0, 0)), {}),
    ("rot90", (1, (0, 1, 2)), {}),
    ("rot90", (), {"axes": (0, 7)}),
    ("reshape", (6,), {}),
    ("reshape", ((-1, 2),), {}),
    ("reshape", ((3, 2), "F"), {}),
    ("reshape", ([2, 3],), {"order": "A", "copy": True}),
    ("reshape", ((2, 3),), {"order": "F", "copy": False}),
    ("reshape", ((-1, -1),), {}),
    ("reshape", ((5, 2),), {}),
    ("reshape", ((0, -1),), {}),
    ("reshape", ((2.0, 3),), {}),
    ("reshape", (np.array([2, -1]),), {}),
    ("reshape", (6,), {"order": "K"}),
    ("reshape", (6,), {"copy": "maybe"}),
    ("ravel", (), {}),
    ("ravel", ("F",), {}),
    ("ravel", (), {"order": "K"}),
    ("ravel", ("Z",), {}),
    ("transpose", (), {}),
    ("transpose", ((2, 0, 1),), {}),
    ("transpose", ((0, -2, 2),), {}),
    ("transpose", ((0, 1),), {}),
    ("transpose", ((0, 0, 1),), {}),
    ("transpose", ((0, 1, 7),), {}),
    ("matrix_transpose", (), {}),
    ("permute_dims", ((2, 1, 0),), {}),
    ("broadcast_to", ((4, 2, 2, 3),), {}),
    ("broadcast_to", ((2, 2, 3),), {}),
    ("broadcast_to", (3,), {}),
    ("broadcast_to", ((-1, 1, 3),), {}),
    ("roll", (3,), {}),
    ("roll", (-1, 2), {}),
    ("roll", ((1, 2), (0, 2)), {}),
    ("roll", (np.array([1, 2]), 0), {}),
    ("roll", (2.5,), {"axis": (0, 2)}),
    ("roll", ((1, 2), (0, 1, 2)), {}),
    ("roll", ("one",), {}),
]
NAMES = sorted({name for name, *_ in CALLS})


def outcome(call):
    """The values, strides where an array has elements along more than one axis, and whether it is a view; or the type of the error."""
    try:
        result = call()
    except Exception as error:
        return type(error)
    strides = [step for step, size in zip(result.strides, result.shape, strict=True) if size > 1]
    return np.asarray(result).tolist(), result.dtype, result.shape, strides, result.base is not None


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_calls_are_numpys(call):
    name, args, kwargs = call
    for shape in ((2, 1, 3), (3, 2, 2)):
        host = np.arange(np.prod(shape)).reshape(shape).astype("int16")[::-1]
        wanted = outcome(lambda a=host: getattr(np, name)(a, *args, **kwargs))
        ours = qn.arange(np.prod(shape)).reshape(shape).astype("int16")[::-1]
        result = outcome(lambda a=ours: getattr(qn, name)(a, *args, **kwargs))
        if name == "roll" and not isinstance(wanted, type):  # NumPy's may be a view of an array that nobody else has
            wanted, result = wanted[:4], result[:4]
        assert result == wanted
        if hasattr(np.ndarray, name) and name != "reshape":
            assert outcome(lambda a=ours: getattr(a, name)(*args, **kwargs)) == wanted
        if not isinstance(wanted, type):
            result = getattr(cupy, name)(cupy.asarray(host), *args, **kwargs)
            assert type(result) is cupy.ndarray and result.tolist() == wanted[0]


@pytest.mark.parametrize("name", NAMES)
def test_function_objects(name):
    function = getattr(qn, name)
    assert function.__name__ == name and function.__module__ == "quern" and pickle.loads(pickle.dumps(function)) is function
    ours, numpys = (inspect.signature(getattr(xp, name)).parameters for xp in (qn, np))
    assert list(ours) == list(numpys) and [p.default for p in ours.values()] == [p.default for p in numpys.values()]


@pytest.mark.parametrize("times", [2, (2, 1, 3, 1), (), (1, 1), -1, (2, 1.5)], ids=str)
def test_tiles_are_numpys(times):
    for shape in ((2, 3), (), (4,)):
        wanted = outcome(lambda s=shape: np.tile(np.arange(np.prod(s, dtype=int)).reshape(s), times))
        result = outcome(lambda s=shape: qn.tile(qn.arange(int(np.prod(s))).reshape(s), times))
        assert result == wanted if isinstance(wanted, type) else result[:4] == wanted[:4] and not result[4]


def test_views_stay_views():
    x = qn.zeros((2, 3, 1))
    views = (qn.moveaxis(x, 0, 1), x.swapaxes(0, 2), qn.expand_dims(x, 1), x.squeeze(), qn.squeeze(x, 2), qn.flip(x), qn.rot90(x, 0), qn.flipud(x))
    for n, view in enumerate(views, 1):
        assert view.base is x
        view[...] = n
        assert bool((x == n).all())
    for view in (x.reshape(6), x.reshape(2, -1), x.ravel(), x.T, x.transpose(2, 0, 1), qn.reshape(x, (3, 2)), x.mT):
        assert view.base is x
    assert x.flatten().base is None and x.T.ravel().base is None and not qn.broadcast_to(x, (4, 2, 3, 1)).flags.writeable
    frozen = qn.zeros((2, 3))
    frozen.flags.writeable = False
    assert not qn.flip(frozen).flags.writeable and not frozen.swapaxes(0, 1).flags.writeable


def test_what_is_no_array_becomes_one():
    assert qn.flip([1, 2, 3]).tolist() == [3, 2, 1] and qn.roll(((1, 2), (3, 4)), 1).tolist() == [[4, 1], [2, 3]]
    assert type(qn.moveaxis(np.zeros((2, 3)), 0, 1)) is qn.Array and type(cupy.squeeze(qn.zeros((1, 2)))) is cupy.ndarray
    number = qn.flip(5)
    before = number
    number += 1
    assert (before, number) == (5, 6)  # as NumPy's scalars are
    records = qn.asarray(np.array([(1, 2.0), (3, 4.0)], [("a", "i2"), ("b", "f8")]))
    assert qn.flip(records)["a"].tolist() == [3, 1] and qn.expand_dims(records["b"], 0).shape == (1, 2)
    assert qn.roll(records, 1)["b"].tolist() == [4, 2]


TORCH = [
    ("movedim", (0, 2), {}, (3, 4, 2), (4, 1, 12)),
    ("moveaxis", ((0, 1), (2, 0)), {}, (3, 4, 2), (4, 1, 12)),
    ("transpose", (0, -1), {}, (4, 3, 2), (1, 4, 12)),
    ("swapdims", (), {"dim0": 0, "dim1": 1}, (3, 2, 4), (4, 12, 1)),
    ("swapaxes", (), {"axis0": 1, "axis1": 2}, (2, 4, 3), (12, 1, 4)),
    ("unsqueeze", (-1,), {}, (2, 3, 4, 1), (12, 4, 1, 1)),
    ("reshape", ((6, -1),), {}, (6, 4), (4, 1)),
    ("reshape", (), {"shape": [24]}, (24,), (1,)),
    ("ravel", (), {}, (24,), (1,)),
    ("flatten", (), {}, (24,), (1,)),
    ("flatten", (1,), {}, (2, 12), (12, 1)),
    ("flatten", (), {"start_dim": 0, "end_dim": 1}, (6, 4), (4, 1)),
    ("permute", ((2, 0, -2),), {}, (4, 2, 3), (1, 12, 4)),
    ("broadcast_to", ((5, 2, 3, 4),), {}, (5, 2, 3, 4), (0, 12, 4, 1)),
    ("squeeze", (0,), {}, (2, 3, 4), (12, 4, 1)),
    ("squeeze", ((0, 1),), {}, (2, 3, 4), (12, 4, 1)),
    ("flip", ((0, 1),), {}, (2, 3, 4), (12, 4, 1)),
    ("flipud", (), {}, (2, 3, 4), (12, 4, 1)),
    ("fliplr", (), {}, (2, 3, 4), (12, 4, 1)),
    ("rot90", (), {}, (3, 2, 4), (4, 12, 1)),
    ("roll", (1,), {}, (2, 3, 4), (12, 4, 1)),
    ("roll", ((1, 2), (0, 1)), {}, (2, 3, 4), (12, 4, 1)),
]


@pytest.mark.parametrize("call", TORCH, ids=str)
def test_calls_of_torch(call):
    name, args, kwargs, shape, strides = call
    x = torch.arange(24).reshape(2, 3, 4)
    for result in (getattr(torch, name)(x, *args, **kwargs), getattr(x, name)(*args, **kwargs)):
        assert type(result) is torch.Tensor and result.shape == shape and result.stride() == strides


SEQUENCES = [
    ("concatenate", lambda a: (a, a), {}),
    ("concatenate", lambda a: [a, a[..., :1]], {"axis": -1}),
    ("concatenate", lambda a: [a, 2.5], {"axis": None}),
    ("concatenate", lambda a: (a, a.astype("float32")), {}),
    ("concatenate", lambda a: (a, a), {"dtype": "float32"}),
    ("concatenate", lambda a: (a, a), {"dtype": "int8", "casting": "safe"}),
    ("concatenate", lambda a: (a, a), {"dtype": "int8", "casting": "unsafe"}),
    ("concatenate", lambda a: (a, a), {"axis": 5}),
    ("concatenate", lambda a: (a, a[0]), {}),
    ("concatenate", lambda a: (a, a[:, :1]), {}),
    ("concatenate", lambda a: (1, 2), {}),
    ("concatenate", lambda a: (), {}),
    ("concatenate", lambda a: 3, {}),
    ("concatenate", lambda a: a, {}),
    ("concatenate", lambda a: (a, a), {"out": np.zeros((4, 4)), "dtype": "float64"}),
    ("stack", lambda a: (a, a), {"axis": -1}),
    ("stack", lambda a: [a, a], {"axis": 3}),
    ("stack", lambda a: [a, a[0]], {}),
    ("stack", lambda a: [], {}),
    ("hstack", lambda a: (a, a), {}),
    ("hstack", lambda a: (a[0], [1]), {"dtype": "float64"}),
    ("hstack", lambda a: 3, {}),
    ("vstack", lambda a: (a[0], a), {}),
    ("vstack", lambda a: (a[0], a[0, :1]), {}),
    ("row_stack", lambda a: (a, a), {}),
    ("dstack", lambda a: (a, a), {}),
    ("dstack", lambda a: (a[0], a[1]), {}),
    ("column_stack", lambda a: (a[0], a[1]), {}),
    ("column_stack", lambda a: (a[:, 0], a), {}),
]


@pytest.mark.parametrize("n", range(len(SEQUENCES)))
def test_functions_of_several_arrays_are_numpys(n):
    name, arrays, kwargs = SEQUENCES[n]
    theirs = np.vstack if name == "row_stack" else getattr(np, name)  # NumPy 2.5 has no row_stack any more
    host = np.arange(6, dtype="int16").reshape(2, 3)
    wanted = outcome(lambda: theirs(arrays(host), **kwargs))
    assert outcome(lambda: getattr(qn, name)(arrays(qn.asarray(host)), **kwargs)) == wanted


DIVISIONS = [
    ("split", (2,), {}),
    ("split", ((1, 3),), {}),
    ("split", ([1, -1, 9],), {}),
    ("split", (np.array([1, 2]),), {"axis": -1}),
    ("split", (3,), {}),
    ("split", (2.0,), {"axis": 1}),
    ("split", ("two",), {}),
    ("array_split", (3,), {}),
    ("array_split", (5, -1), {}),
    ("array_split", (-1,), {}),
    ("hsplit", (2,), {}),
    ("vsplit", ([1],), {}),
    ("dsplit", (3,), {}),
    ("dsplit", (2,), {}),
    ("unstack", (), {}),
    ("unstack", (), {"axis": 1}),
]


@pytest.mark.parametrize("call", DIVISIONS, ids=str)
def test_parts_are_numpys(call):
    name, args, kwargs = call

    def of(xp):
        try:
            a = xp.arange(24).reshape(4, 2, 3)
            parts = getattr(xp, name)(a, *args, **kwargs)
        except Exception as error:
            return type(error)
        assert xp is np or all(p.base is a.base or p.base is a for p in parts)
        return type(parts), [(p.tolist(), p.strides) for p in parts]

    if hasattr(np, name):  # unstack: from NumPy 2.1 on
        assert of(qn) == of(np)


def test_parts_of_tensors():
    x = torch.arange(12).reshape(4, 3)
    for parts, lengths in [
        (x.split(3), [3, 1]),
        (torch.split(x, split_size_or_sections=[1, 3]), [1, 3]),
        (x.split(split_size=2, dim=0), [2, 2]),
        (torch.split_with_sizes(x, (4, 0)), [4, 0]),
        (x.chunk(3), [2, 2]),
        (torch.unsafe_chunk(x, 2), [2, 2]),
        (x.tensor_split(3), [2, 1, 1]),
        (x.tensor_split(indices=(1,)), [1, 3]),
        (x.tensor_split(torch.tensor([1, 2])), [1, 1, 2]),
        (x.vsplit(2), [2, 2]),
        (x.vsplit(1, 2), [1, 1, 2]),
    ]:
        assert type(parts) is tuple and [len(p) for p in parts] == lengths and all(p._base is x._base for p in parts)
    assert [p.tolist() for p in x.unbind(1)] == x.t().tolist() and len(x.hsplit([1])) == 2
    for call, error, text in [
        (lambda: x.split(-1), RuntimeError, "split expects split_size be non-negative, but got split_size=-1"),
        (lambda: x.split([1, 2]), RuntimeError, "split_with_sizes expects split_sizes to sum exactly to 4 (input tensor's size at dimension 0)"),
        (lambda: x.chunk(0), RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0"),
        (lambda: x.tensor_split(0), RuntimeError, "number of sections must be larger than 0, got 0"),
        (lambda: x.hsplit(2), RuntimeError, "torch.hsplit attempted to split along dimension 1, but the size of the dimension 3 is not"),
        (lambda: x.dsplit(1), RuntimeError, "torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with 2 dimensions!"),
        (lambda: torch.tensor(1).unbind(), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
        (lambda: x.tensor_split(), TypeError, 'tensor_split() missing 1 required positional arguments: "indices_or_sections"'),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value).startswith(text)
    y = torch.arange(4.0).requires_grad_()
    (first, second) = y.split([1, 3])
    (first.sum() * 5 + second.sum()).backward()
    assert y.grad.tolist() == [5, 1, 1, 1]


def test_out_of_joined_arrays():
    x, out = qn.ones((2, 3)), qn.zeros((4, 3), "float32")
    assert qn.concatenate((x, x), out=out) is out and bool((out == 1).all())
    assert qn.stack((x, x), out=qn.zeros((2, 2, 3))).shape == (2, 2, 3)
    for wrong, error in ((qn.zeros((3, 3)), ValueError), (qn.zeros((4, 3), "int8"), TypeError), (3, TypeError)):
        with pytest.raises(error):
            qn.concatenate((x, x), out=wrong)
    t = torch.empty(0)
    assert torch.cat((torch.ones(2), torch.zeros(1)), out=t) is t and t.tolist() == [1, 1, 0]


def test_one_array_or_several():
    x = qn.arange(3)
    for xp, a in ((np, np.arange(3)), (qn, x), (cupy, cupy.arange(3)), (torch, torch.arange(3))):
        assert xp.atleast_1d(a) is a and xp.atleast_2d(a).shape == (1, 3) and xp.atleast_3d(a).shape == (1, 3, 1)
        both = xp.atleast_2d(a, a[0])
        assert type(both) is tuple and [b.shape for b in both] == [(1, 3), (1, 1)] and type(both[1]) is type(a[:1])
    assert qn.atleast_2d(3.5).shape == (1, 1) and qn.atleast_1d([1, 2]).tolist() == [1, 2]
    assert [type(t) for t in torch.atleast_1d([torch.tensor(1)])] == [torch.Tensor]
    first, second = qn.broadcast_arrays(x, [[1], [2]])
    assert first.shape == second.shape == (2, 3) and first.base is x and qn.broadcast_arrays(x)[0] is x
    assert [t.stride() for t in torch.broadcast_tensors(torch.ones(3), torch.ones(2, 1))] == [(0, 1), (1, 0)]


def test_errors_of_torchs_several_tensors():
    x = torch.ones(2, 3)
    for call, error, text in [
        (lambda: torch.cat(x), TypeError, "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"),
        (lambda: torch.cat([]), ValueError, "torch.cat(): expected a non-empty list of Tensors"),
        (lambda: torch.stack([]), RuntimeError, "stack(): expected a non-empty list of Tensors"),
        (lambda: torch.cat([x, 1]), TypeError, "expected Tensor as element 1 in argument 0, but got int"),
        (lambda: torch.cat([x, x[0]]), RuntimeError, "Tensors must have same number of dimensions: got 2 and 1"),
        (lambda: torch.cat([x, x[:, :2]]), RuntimeError, "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for"),
        (lambda: torch.vstack([x, x[:, :2]]), RuntimeError, "Sizes of tensors must match except in dimension 0. Expected size 3 but got"),
        (lambda: torch.cat([x, x], 2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda: torch.cat([torch.tensor(1)]), RuntimeError, "zero-dimensional tensor (at position 0) cannot be concatenated"),
        (lambda: torch.stack([x, x[0]]), RuntimeError, "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3] at entry 1"),
        (lambda: torch.broadcast_tensors(x, x[0, :2]), RuntimeError, "The size of tensor a (3) must match the size of tensor b (2) at non-"),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value).startswith(text)
    assert torch.cat([torch.empty(0), x]).shape == (2, 3) and torch.cat([x, x.int()]).dtype is torch.float32
    with pytest.raises(TypeError):
        cupy.concatenate((cupy.ones(2), np.ones(2)))


def test_integers_one_by_one_are_for_methods():
    x = torch.arange(6).reshape(1, 2, 3)
    assert x.flip(1, 2).tolist() == x.flip((1, 2)).tolist() == x.flip(dims=[1, 2]).tolist() == torch.flip(x, (1, 2)).tolist()
    assert x.squeeze(0, 1).shape == x.squeeze((0, 1)).shape == x.squeeze().shape == x.squeeze(dim=0).shape == (2, 3)
    for wrong in (lambda: torch.flip(x, 1, 2), lambda: torch.flip(x, 1), lambda: x.flip(1, dims=[2]), lambda: x.flip()):
        with pytest.raises(TypeError):
            wrong()


def test_methods_of_torch():
    x = torch.arange(6)
    assert x.view(2, 3).shape == x.view(2, -1).shape == x.view((2, 3)).shape == x.view(size=[2, 3]).shape == x.reshape(-1, 3).shape == (2, 3)
    assert x.view(torch.int32).tolist() == [0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0] and x.view(dtype=torch.uint8).shape == (48,)
    assert x.view_as(torch.ones(3, 2)).shape == x.reshape_as(torch.ones(3, 2)).shape == (3, 2)
    assert x.view(1, 6).expand(4, -1).stride() == (0, 1) and x.expand(2, 6).shape == x.expand_as(torch.ones(2, 6)).shape == (2, 6)
    assert x.tile(2).tolist() == x.repeat(2).tolist() == 2 * x.tolist() and x.tile((2, 1)).shape == x.repeat(2, 1).shape == (2, 6)
    assert torch.tile(x.view(2, 3), (2,)).shape == (2, 6) and x.repeat(repeats=[1, 2]).shape == (1, 12)
    assert x.view(2, 3).t().stride() == (1, 3) and x.t().shape == (6,) and x.flatten() is x
    assert x.view(1, 2, 3).permute(2, 0, 1).shape == x.view(1, 2, 3).permute(dims=(2, 0, 1)).shape == (3, 1, 2)
    for wrong in (x.view, x.reshape, x.permute, lambda: x.view(True), lambda: x.view(2.0, 3), lambda: torch.reshape(x, 2, 3), lambda: torch.permute(x, 0)):
        with pytest.raises(TypeError):
            wrong()


def test_torchs_errors():
    x = torch.ones(2, 3)
    for call, error, text in [
        (lambda: x.repeat(2), RuntimeError, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"),
        (lambda: x.tile(-1), RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
        (lambda: torch.tile(x, 2), TypeError, "tile(): argument 'dims' (position 2) must be tuple of ints, not int"),
        (lambda: x.reshape(4), RuntimeError, "shape '[4]' is invalid for input of size 6"),
        (lambda: x.view(-1, -1), RuntimeError, "only one dimension can be inferred"),
        (lambda: x.reshape(-2, 3), RuntimeError, "invalid shape dimension -2"),
        (lambda: torch.ones(0).reshape(0, -1), RuntimeError, "cannot reshape tensor of 0 elements into shape [0, -1] because"),
        (lambda: x.t().view(6), RuntimeError, "view size is not compatible with input tensor's size and stride"),
        (lambda: x.permute(0, 0), RuntimeError, "permute(): duplicate dims are not allowed."),
        (lambda: x.permute(0), RuntimeError, "permute(sparse_coo): number of dimensions in the tensor input does not match"),
        (lambda: x.expand(2, 4), RuntimeError, "The expanded size of the tensor (4) must match the existing size (3) at"),
        (lambda: x.flatten(1, 0), RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim"),
        (lambda: torch.ones(1, 1, 1).t(), RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is 3D"),
        (lambda: torch.ones(3).view(torch.float64), RuntimeError, "self.size(-1) must be divisible by 2 to view"),
        (lambda: torch.movedim(x, (0, 0), (0, 1)), RuntimeError, "movedim: repeated dim in `source` ([0, 0])"),
        (lambda: x.movedim((0, 1), 1), RuntimeError, "movedim: Invalid source or destination dims: source ([0, 1] dims) should contain"),
        (lambda: x.transpose(0, 2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda: torch.transpose(x, 0, 1.0), TypeError, "transpose(): argument 'dim1' (position 3) must be int, not float"),
        (lambda: torch.unsqueeze([1], 0), TypeError, "unsqueeze(): argument 'input' (position 1) must be Tensor, not list"),
        (lambda: x.unsqueeze(3), IndexError, "Dimension out of range (expected to be in range of [-3, 2], but got 3)"),
        (lambda: torch.flip(x, 0), TypeError, "flip(): argument 'dims' (position 2) must be tuple of ints, not int"),
        (lambda: x.flip(0, -2), RuntimeError, "dim 0 appears multiple times in the list of dims"),
        (lambda: x.roll((1, 2), (0,)), RuntimeError, "shifts and dimensions must align. shifts: 2, dims:1"),
        (lambda: x.rot90(1, (0, 0)), RuntimeError, "expected rotation dims to be different, but got dim0 = 0 and dim1 = 0"),
        (lambda: torch.ones(2).rot90(), RuntimeError, "expected total dims >= 2, but got total dims = 1"),
        (lambda: torch.tensor(1).flipud(), RuntimeError, "Input must be >= 1-d."),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value).startswith(text)


def test_gradients_and_versions():
    x = torch.arange(6.0).reshape(1, 2, 3).requires_grad_()
    weights = torch.arange(6.0)
    for call in (
        lambda: x.movedim(0, 2),
        lambda: x.transpose(1, 2),
        lambda: x.unsqueeze(1),
        lambda: x.squeeze(0),
        lambda: x.reshape(3, 2),
        lambda: x.view(6),
        lambda: x.transpose(1, 2).reshape(6),
        lambda: x.permute(2, 1, 0),
        lambda: x.flatten(1),
        lambda: x.flip(1, 2),
        lambda: x.rot90(1, (1, 2)),
        lambda: x.roll((1, 1), (1, 2)),
        lambda: x.roll(2),
    ):
        result = call()
        (grad,) = torch.autograd.grad((result.reshape(-1) * weights).sum(), x)
        places = torch.arange(6.0).reshape(1, 2, 3)
        for place, weight in zip(result.reshape(-1).tolist(), weights.tolist(), strict=True):
            assert grad[places == place].item() == weight
    y = torch.zeros(2, 3)
    view = y.transpose(0, 1).unsqueeze(0)
    before = y._version
    view += 1
    assert y._version == view._version == before + 1 and y.sum() == 6 and view._base is y


def test_a_list_that_changes_while_it_is_read():
    class Emptying:
        def __array__(self, *args, **kwargs):
            given.clear()
            return np.ones(3)

    for join in (qn.concatenate, qn.stack, qn.vstack, qn.hstack):
        given = [Emptying(), Emptying(), qn.ones(3)]
        assert join(given).size == 9


def test_no_name_stands_for_all_arguments():
    for call in (lambda: torch.atleast_1d(tensors=[torch.ones(1)]), lambda: qn.atleast_2d(arys=[1]), lambda: qn.broadcast_arrays(args=[1, 2])):
        with pytest.raises(TypeError, match="unexpected keyword"):
            call()


def test_empty_vectors_of_another_type_in_cat():
    made = torch.cat((torch.zeros(0), torch.tensor([1])))
    assert made.dtype is torch.float32 and made.tolist() == [1]


def test_one_axis_is_one_integer():
    x = qn.ones(3)
    for axis in ((1, 0), (0,), [0], None, 0.5):
        with pytest.raises(TypeError):
            np.stack([np.ones(3)] * 2, axis)
        with pytest.raises(TypeError):
            qn.stack([x, x], axis)
    with pytest.raises(TypeError):
        qn.stack(x, (1, 0))


def test_nothing_of_python_runs_in_cupys_functions(no_allocator):
    c = cupy.ones((1, 4, 5))
    for call in (
        lambda: cupy.rot90(c),
        lambda: c.squeeze(),
        lambda: cupy.moveaxis(c, 0, 1),
        lambda: cupy.expand_dims(c, 0),
        lambda: cupy.isclose(c, c),
        lambda: cupy.around(c, 1),
    ):
        assert events_of(call) == []


def test_nothing_of_python_runs_between_the_users_line_and_the_result(no_allocator):
    x, t = qn.ones((1, 4, 5)), torch.ones(1, 4, 5)
    for call in (
        lambda: qn.moveaxis(x, (0, 1), (1, 0)),
        lambda: x.swapaxes(0, 1),
        lambda: qn.expand_dims(x, axis=0),
        lambda: x.squeeze(0),
        lambda: qn.flip(x),
        lambda: qn.concatenate((x, x), 1),
        lambda: qn.stack([x, x]),
        lambda: qn.vstack((x, x)),
        lambda: qn.atleast_2d(x),
        lambda: qn.split(x, 2, axis=1),
        lambda: qn.tile(x, (2, 1, 1)),
        lambda: t.repeat(2, 1, 1),
        lambda: t.chunk(2, 1),
        lambda: t.split([1, 3], dim=1),
        lambda: t.unbind(1),
        lambda: torch.cat((t, t), dim=1),
        lambda: torch.stack([t, t]),
        lambda: x.reshape(5, -1),
        lambda: qn.reshape(x, (5, 4), "F"),
        lambda: x.ravel(),
        lambda: x.flatten(),
        lambda: x.T,
        lambda: x.transpose(0, 2, 1),
        lambda: qn.broadcast_to(x, (3, 4, 5)),
        lambda: t.view(-1),
        lambda: t.reshape(2, 10),
        lambda: t.permute(0, 2, 1),
        lambda: t.expand(3, -1, -1),
        lambda: torch.flatten(t),
        lambda: qn.roll(x, (1, 2), (0, 1)),
        lambda: torch.movedim(t, 0, 2),
        lambda: t.unsqueeze(0),
        lambda: t.squeeze(0, 1),
        lambda: t.flip(1, 2),
        lambda: torch.roll(t, 1, dims=0),
    ):
        assert events_of(call) == []


def test_signatures_of_methods():
    for method, text in [
        (torch.Tensor.permute, "(self, *dims)"),
        (torch.Tensor.expand, "(self, *size, implicit=False)"),
        (qn.Array.reshape, "(self, *shape, order='C', copy=None)"),
        (qn.reshape, "(a, /, shape, order='C', *, copy=None)"),
    ]:
        assert str(inspect.signature(method)) == text
