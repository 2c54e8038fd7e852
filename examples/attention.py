"""Attention with several heads, float32, as in a language model: products of stacks of matrices and a softmax that cannot overflow.

Every token asks all tokens before it. Between the products, scaling, mask and softmax are a few fused kernels. The result is
compared with NumPy's, and the weights of each token must sum to one.

    quern run examples/attention.py [--batch 2] [--tokens 512] [--heads 8] [--width 512]
"""

import argparse
import time

import numpy as np
import quern as qn


def softmax(xp, x):
    """Along the last axis; the largest element is subtracted first, so that exp stays below 1."""
    e = xp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def split(x, heads):
    """(batch, tokens, width) as (batch, heads, tokens, width of a head): a view."""
    batch, tokens, width = x.shape
    return x.reshape(batch, tokens, heads, width // heads).transpose(0, 2, 1, 3)


def attention(xp, x, heads, to_query, to_key, to_value, to_out):
    """What the tokens x take from each other, and the weights with which they do."""
    tokens = x.shape[1]
    query, key, value = (split(x @ matrix, heads) for matrix in (to_query, to_key, to_value))
    scores = query @ key.swapaxes(-1, -2) * query.shape[-1] ** -0.5
    earlier = xp.arange(tokens)[:, None] >= xp.arange(tokens)
    weights = softmax(xp, xp.where(earlier, scores, -np.inf))
    mixed = (weights @ value).transpose(0, 2, 1, 3).reshape(x.shape)
    return mixed @ to_out, weights


def timed(xp, *inputs):
    """The result, and the seconds until it is there."""
    qn.synchronize()
    begin = time.perf_counter()
    result = attention(xp, *inputs)
    qn.synchronize()
    return result, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description="attention with several heads")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--width", type=int, default=512, help="a multiple of the heads")
    args = parser.parse_args()

    rng = np.random.default_rng(5)
    x = rng.standard_normal((args.batch, args.tokens, args.width), dtype=np.float32)
    matrices = [rng.standard_normal((args.width, args.width), dtype=np.float32) / np.float32(args.width**0.5) for _ in range(4)]
    ours = [qn.asarray(v) for v in (x, *matrices)]
    timed(qn, ours[0], args.heads, *ours[1:])  # the first round compiles
    with qn.trace() as events:
        (result, weights), took = timed(qn, ours[0], args.heads, *ours[1:])
    (their_result, their_weights), took_numpy = timed(np, x, args.heads, *matrices)
    assert result.dtype == weights.dtype == np.float32
    error = np.abs(qn.asnumpy(result) - their_result).max()
    assert error < 1e-4 and np.abs(qn.asnumpy(weights) - their_weights).max() < 1e-4, error
    sums = float(qn.abs(weights.sum(-1) - 1).max())
    assert sums < 1e-5, sums

    launches = [e["name"] for e in events if e["kind"] == "launch"]
    copies = sum(e["kind"] in ("host_to_device", "device_to_host", "device_to_device") for e in events)
    assert copies == 0, copies
    shape = f"{args.batch} x {args.tokens} tokens of width {args.width}, {args.heads} heads"
    print(f"attention: {shape}, float32, computed on {qn.device().name}")
    print(f"quern {1e3 * took:.1f} ms, NumPy {1e3 * took_numpy:.1f} ms; largest difference {error:.1e}")
    products = launches.count("matmul")
    print(f"{products} matrix products, {len(launches) - products} other launches, 0 copies; weights sum to one within {sums:.1e}")


if __name__ == "__main__":
    main()
