"""What takes a result: `out` of another type, another shape, on the host, and what is no array at all."""

import numpy as np
import pytest
import quern as qn
from arrays import operands

CALLS = """sum(g, 0) | prod(a, 0) | min(g, 1) | any(a, 0) | all(a, 1) | var(g, 0) | std(g, 1) | median(a, 0) | argmax(a, 0) | argmin(a, 1) | nansum(f, 0)
nanvar(g, 0) | take(v, [0, 1]) | choose([0, 1, 0], [v[:3], w[:3]]) | choose(b, [1, 2]) | clip(a, 0, 3) | clip(g, None, 2) | round(g, 1)
compress([1, 0, 1], v) | concatenate((v, w)) | concatenate((v, v), None) | stack((v, v)) | dot(g, g.T) | dot(a, a.T) | matmul(g, g.T) | trace(a)
quantile(g, 0.5, 0) | percentile(a, [10, 20], 0) | add(a, a) | sqrt(g) | isnan(f) | logical_and(a, g) | equal(a, g) | multiply(u, u)
add.reduce(a) | add.accumulate(v) | maximum.accumulate(v) | maximum.reduceat(v, [0, 2]) | add.reduceat(v, [0, 2]) | add.outer(v, w)
cumulative_sum(v) | cumsum(a, 0) | fix(g) | fft.fft(g) | fft.irfft(g) | fft.rfft(g) | vecdot(g, g) | divide(a, 2) | negative(u) | absolute(c) | exp(a)"""
CALLS = [call.strip() for line in CALLS.splitlines() for call in line.split(" | ")]
OUTS = ("same", "f4", "f2", "i1", "i8", "u1", "c8", "?", "longer", "no dimensions", "list", "host", "columns")
# NumPy reads memory that is not there, goes through buffers of the other type, or takes what fits after broadcasting.
STRANGE = {("cumsum(a, 0)", "?"), ("quantile(g, 0.5, 0)", "longer"), ("dot(g, g.T)", "list"), ("dot(a, a.T)", "list")}


def is_defined(values, dtype):
    """Can all of them be converted to the type? What becomes of the others is the processor's choice."""
    if values.dtype.kind not in "fc" or dtype.kind not in "iu":
        return True
    return bool((np.isfinite(values) & (np.abs(values) < 127) & ((values.real >= 0) | (dtype.kind == "i"))).all())


def taker(out, like, m):
    if out == "list":
        return [0.0]
    if out == "host":
        return np.zeros(like.shape, like.dtype)
    if out == "columns":
        return m.zeros(like.shape[::-1], like.dtype).T
    shape = {"longer": (*like.shape, 2), "no dimensions": ()}.get(out, like.shape)
    return m.zeros(shape, out if len(out) < 3 else like.dtype)


@pytest.mark.parametrize("call", CALLS)
def test_out(call, device, quiet):
    call = f"m.{call}"
    like = np.asarray(eval(call, operands(np)))
    for out in OUTS:
        if (call[2:], out) in STRANGE or out in ("longer", "no dimensions") and any(w in call for w in ("cum", "accumulate", "reduceat")):
            continue
        given = [{**operands(m), "OUT": taker(out, like, m)} for m in (np, qn)]
        asked = f"{call[:-1]}, out=OUT)"
        try:
            want = eval(asked, given[0])
        except Exception as error:
            with pytest.raises(TypeError if isinstance(error, TypeError) else type(error)):
                eval(asked, given[1])
            continue
        got = eval(asked, given[1])
        assert (got is given[1]["OUT"]) == (want is given[0]["OUT"]), out
        got = qn.asnumpy(got) if isinstance(got, qn.Array) else got
        assert got.dtype == want.dtype, out
        if not is_defined(like, want.dtype):
            continue
        loose = 1e-2 if want.dtype.itemsize < 4 else 1e-5
        np.testing.assert_allclose(got, want, rtol=loose, atol=loose, err_msg=out)


def test_concatenate_takes_one_of_out_and_dtype():
    with pytest.raises(TypeError, match="both"):
        qn.concatenate(([1], [2]), out=qn.zeros(2), dtype="float32")
    with pytest.raises(TypeError, match="same_kind"):
        qn.stack(([1.5], [2.5]), dtype=int)
    assert qn.stack(([1.5], [2.5]), dtype=int, casting="unsafe").tolist() == [[1], [2]]


def test_running_sums_are_computed_in_the_wider_type(device):
    x = np.array([1.5, 2.5, 3.5])
    for function in ("cumsum", "cumprod"):
        for dtype in ("i8", "i1", "f4", "c16"):
            want, got = getattr(np, function)(x, out=np.zeros(3, dtype)), getattr(qn, function)(qn.asarray(x), out=qn.zeros(3, dtype))
            np.testing.assert_array_equal(qn.asnumpy(got), want)


def test_refused_outs_stay_as_they_were(device):
    x = qn.asarray([[1.5, 2.5]])
    for call, shape, dtype in (
        (lambda out: qn.round(x, 1, out=out), (2, 2), float),
        (lambda out: qn.clip(x, 0, 1, out=out), (1, 2), int),
        (lambda out: qn.linalg.multi_dot([x.T, x], out=out), (2, 3), float),
        (lambda out: qn.sum(x, 0, out=out), (1, 2), float),
    ):
        out = qn.full(shape, 7, dtype)
        with pytest.raises((ValueError, TypeError)):
            call(out)
        assert (out == 7).all()
    assert qn.clip(x, 2, 3, out=qn.zeros((2, 2))).tolist() == [[2.0, 2.5]] * 2
