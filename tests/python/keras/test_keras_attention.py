"""Attention of Keras, compared with JAX: masks, groups of heads, layers, dtypes and errors."""

from keras_oracle import compare_all, needs_keras

needs_keras()

CALLS = """
dot_product_attention(data(2, 5, 4, 3), data(2, 6, 4, 3), data(2, 6, 4, 3))
dot_product_attention(data(2, 5, 4, 3), data(2, 5, 2, 3), data(2, 5, 2, 3), is_causal=True)
dot_product_attention(data(1, 4, 2, 3), data(1, 5, 2, 3), data(1, 5, 2, 3), data(1, 2, 4, 5), mask=data(1, 1, 4, 5) > 0, scale=0.7)
dot_product_attention(data(2, 3, 2, 4), data(2, 3, 2, 4), data(2, 3, 2, 4), mask=data(2, 1, 3, 3) > 2)
dot_product_attention(data(2, 3, 2, 4), data(2, 3, 2, 4), data(2, 3, 2, 4), mask=data(1, 2, 3, 3) > 0, is_causal=True, flash_attention=False)
dot_product_attention(data(2, 3, 2, 4), data(2, 3, 2, 4), data(2, 3, 2, 4), bias=data(1, 2, 3, 3), is_causal=True)
dot_product_attention(ops.cast(data(2, 3, 2, 4), "float16"), data(2, 3, 2, 4), data(2, 3, 2, 4))
dot_product_attention(*(ops.cast(data(2, 3, 2, 4), "bfloat16") for _ in range(3))).dtype
dot_product_attention(data(2, 3, 4), data(2, 3, 4), data(2, 3, 4))
"""
LAYERS = """
layers.MultiHeadAttention(2, 4) | x, x
layers.MultiHeadAttention(2, 4) | x, x, use_causal_mask=True
layers.MultiHeadAttention(3, 5, use_bias=False) | x, y, attention_mask=data(2, 5, 7) > 0
layers.GroupQueryAttention(4, 4, 2) | x, y
layers.Attention() | [x, y]
layers.Attention(use_scale=True, score_mode="concat") | [x, y]
"""


def test_calls(device):
    compare_all([f"ops.{call}" for call in CALLS.strip().splitlines()], "test_keras_attention", device.kind, rtol=1e-4, atol=1e-5)


def test_layers(device):
    cases = [case.split(" | ") for case in LAYERS.strip().splitlines()]
    head = "x, y = data(2, 5, 6), data(2, 7, 6)\n"
    compare_all([f"{head}layer = {layer}\nlayer({call})\nnamed(layer)({call})" for layer, call in cases], "test_keras_attention", device.kind, rtol=1e-4, atol=1e-5)


def test_gradients(device):
    head = "t = data(1, 3, 2, 4)\nattention = ops.dot_product_attention\n"
    calls = [
        "grads(lambda a, b, c: attention(a, b, c, mask=data(1, 1, 3, 3) > 0) ** 2, t, t * 0.5, t + 0.1)",
        "grads(lambda a, b, c: attention(a, b, c, is_causal=True) ** 2, t, t * 0.5, t + 0.1)",
        "grads(lambda a, b, c: attention(a, a, b, bias=c) ** 2, t, t * 0.5, data(1, 2, 3, 3))",
        "grads(lambda a, b: attention(a, b, b) ** 2, t, data(1, 5, 1, 4))",
    ]
    compare_all([head + call for call in calls], "test_keras_attention", device.kind, rtol=1e-4, atol=1e-5)
