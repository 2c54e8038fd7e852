"""Wrong calls raise the peers' exception types: against the tables that wrong_calls.py made of the peers themselves.

CuPy's table needs a GPU: where there is none in the repository, its part is skipped.
"""

import importlib
import json
import warnings

import pytest
import wrong_calls

FRONT_ENDS = {"numpy": "quern", "cupy": "quern.cupy", "torch": "quern.torch", "keras": "keras"}
TABLES = {peer: json.loads(path.read_text()) for peer in FRONT_ENDS if (path := wrong_calls.DATA / f"{peer}.json").exists()}

BOTH = ("array_equal", "array_equiv", "may_share_memory", "shares_memory")
# Where quern raises another type, and why: (peer's module, function, call or "*").
KNOWN = {
    ("numpy", "einsum", "*"): "NumPy reads the subscripts before it checks the keywords",
    ("numpy", "cumulative_prod", "an unknown dtype"): "quern reads the dtype before it misses the axis",
    ("numpy", "cumulative_sum", "an unknown dtype"): "quern reads the dtype before it misses the axis",
    ("numpy", "trace", "no arguments"): "quern.trace() is quern's own, which records events, where there are no arguments",
    ("torch", "einsum", "*"): "PyTorch counts the operands before it checks them",
    ("torch", "broadcast_shapes", "*"): "PyTorch's check of the sizes raises RuntimeError for what is no size",
    ("torch", "binary_cross_entropy_with_logits", "two objects"): "quern's is the function of torch.nn.functional",
    ("torch", "cholesky", "*"): "PyTorch looks for more dimensions before it looks for a tensor",
    ("torch", "qr", "*"): "PyTorch looks for more dimensions before it looks for a tensor",
    ("torch", "norm", "an axis too far"): "PyTorch's norm() has no `axis`, quern's has",
    ("torch", "unique", "*"): "PyTorch's unique() has no `axis`, and unpacks its arguments itself",
    ("torch", "unique_consecutive", "*"): "PyTorch's unique_consecutive() has no `axis`, and unpacks its arguments itself",
    ("torch", "norm_except_dim", "*"): "PyTorch's own is not documented",
    ("torch.nn.functional", "glu", "an axis too far"): "`axis` means `dim`, as in PyTorch's functions outside of torch.nn.functional",
    ("torch.nn.functional", "gumbel_softmax", "an axis too far"): "the same",
    ("torch.nn.functional", "log_softmax", "an axis too far"): "the same",
    ("torch.nn.functional", "normalize", "an axis too far"): "the same",
    ("torch.nn.functional", "softmax", "an axis too far"): "the same",
    ("torch.nn.functional", "softmin", "an axis too far"): "the same",
    **{
        ("torch.nn.functional", f"{name}_pool{axes}d", "twelve arguments"): "PyTorch chooses one of two functions before it counts the arguments"
        for name in ("max", "adaptive_max")
        for axes in (1, 2, 3)
    },
    **{
        ("torch.nn.functional", f"fractional_max_pool{axes}d{end}", "*"): "PyTorch misses the sizes before it looks for a tensor"
        for axes in (2, 3)
        for end in ("", "_with_indices")
    },
    **{("cupy", name, "*"): "CuPy took it from NumPy 1 and raises with NumPy 2; quern supports it" for name in ("disp", "find_common_type", "safe_eval")},
    **{("cupy", name, "two objects"): "objects are equal or not, and share no memory" for name in BOTH},
    **{("cupy", f"poly{name}", "*"): "CuPy's takes more arguments before it fails" for name in ("add", "sub", "mul")},
    **{("cupy", f"cumulative_{name}", "an unknown dtype"): "quern reads the dtype before it misses the axis" for name in ("sum", "prod")},
    **{("cupy", f"format_float_{name}", "text"): "CuPy converts the text first" for name in ("positional", "scientific")},
    **{("cupy.fft", name, call): "NumPy's error" for name in ("fftfreq", "rfftfreq") for call in ("an object", "two objects", "text")},
    **{("cupy", name, "text"): "NumPy's error, of another type in CuPy" for name in ("i0", "poly")},
    **{("keras.ops", f"nancum{name}", "an unknown dtype"): "Keras's error for names of dtypes; JAX reads them first" for name in ("sum", "prod")},
    ("keras.ops", "einsum", "*"): "quern counts the operands before it checks them",
    ("keras.ops", "tri", "an unknown dtype"): "quern reads the number of rows first",
    ("keras.random", "normal", "an unknown dtype"): "the same",
    ("keras.random", "truncated_normal", "an unknown dtype"): "the same",
    ("keras.random", "shuffle", "text"): "quern counts the axes first",
    ("cupy", "einsum", "*"): "quern counts the operands before it checks them",
    ("cupy", "isclose", "two objects"): "CuPy compares them first",
    ("cupy", "meshgrid", "twelve arguments"): "CuPy's kernels stop at so many dimensions",
    ("cupy", "piecewise", "twelve arguments"): "further arguments are the functions' own, which are numbers",
    ("cupy", "real_if_close", "*"): "as in NumPy, what is not complex is as it is",
    ("cupy", "size", "*"): "as in NumPy, an object has the size 1",
    ("cupy", "tri", "an unknown dtype"): "quern reads the number of rows first",
    ("cupy", "trim_zeros", "an axis too far"): "CuPy's has no `axis`, quern's has",
}


def agrees(peer, call, expected, error):
    kinds = [kind.__name__ for kind in type(error).__mro__]
    if expected in kinds:
        return True
    if expected == "AttributeError":  # of what the argument has not, by accident: quern says that its type is wrong
        return "TypeError" in kinds
    if peer == "keras" and call == "an axis of text":  # JAX takes it for the name of an axis
        return "TypeError" in kinds
    # NumPy has arrays of objects and texts, and fails later.
    return peer != "torch" and call in ("an object", "two objects", "text") and "UnsupportedDType" in kinds


def wrong(peer, module):
    """(function, call, the peer's exception, ours) where they differ."""
    told, shown = TABLES[peer][module], importlib.import_module(module.replace(peer, FRONT_ENDS[peer], 1))
    array = wrong_calls.array_of(peer, importlib.import_module(FRONT_ENDS[peer]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, types in told.items():
            function, expected = getattr(shown, name, None), dict(zip(TABLES[peer]["calls"], types.split(), strict=True))
            for call, given in wrong_calls.calls(array).items() if function is not None else ():
                if expected[call] != "-":
                    error = wrong_calls.raised(function, *given)
                    if error is None or not agrees(peer, call, expected[call], error):
                        yield name, call, expected[call], "no error" if error is None else f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("peer, module", [(peer, module) for peer in FRONT_ENDS for module in wrong_calls.MODULES[peer]])
def test_exceptions_are_the_peers(peer, module):
    if peer not in TABLES:
        pytest.skip(f"no table of {peer}: tests/python/support/wrong_calls.py makes it")
    if peer == "keras":
        pytest.importorskip("quern.keras")
    assert len(TABLES[peer][module]) >= 10
    found = list(wrong(peer, module))
    unknown = [one for one in found if not KNOWN.keys() & {(module, one[0], one[1]), (module, one[0], "*")}]
    assert unknown == []
    differing = {(module, name, call) for name, call, *_ in found} | {(module, name, "*") for name, *_ in found}
    assert [one for one in KNOWN if one[0] == module and one not in differing] == []  # what agrees is no difference
