"""A training step with a new batch size or sequence length compiles nothing, but where a kernel's size class changes."""

import json

import pytest
from programs import python

PROGRAM = """
import json, sys
import quern as qn
from quern import torch
from quern.torch import nn
F = nn.functional

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2, self.parts, self.out = nn.LayerNorm(width), nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    def forward(self, x):
        samples, tokens, width = x.shape
        heads = [y.view(samples, tokens, 4, width // 4).transpose(1, 2) for y in self.parts(self.norm1(x)).split(width, 2)]
        y = F.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(y.transpose(1, 2).contiguous().view(samples, tokens, width))
        return x + self.mlp(self.norm2(x))

class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(50, 32), nn.Embedding(256, 32)
        self.block, self.norm, self.out = Block(32), nn.LayerNorm(32), nn.Linear(32, 50)
    def forward(self, x):
        y = self.block(self.tokens(x) + self.places(torch.arange(x.shape[1])))
        return self.out(self.norm(y))

class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.network, self.out = nn.Embedding(50, 16), nn.LSTM(16, 24, batch_first=True), nn.Linear(24, 50)
    def forward(self, x):
        return self.out(self.network(self.embedding(x))[0])

def convnet():
    features = [nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*features, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))

words = lambda samples, tokens: (torch.randint(50, (samples, tokens)), torch.randint(50, (samples, tokens)))
images = lambda samples, size: (torch.rand(samples, 1, size, size), torch.randint(10, (samples,)))
kind, way, last = sys.argv[1:]
make, data = {"convnet": (convnet, images), "gpt": (GPT, words), "lstm": (LSTM, words)}[kind]
model = make()
optimizer = torch.optim.Adam(model.parameters())
found = []
for size in range(2, int(last) + 1):
    x, y = data(*((size, 12) if way == "samples" else (4, size)))
    with qn.profile() as profile:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x).flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()
        float(loss.detach())
    rows = profile.recording.of_kind("compile")
    found.append(sum(profile.recording.texts[detail] == "compiled" for detail in rows["detail"]))
print(json.dumps(found))
"""


@pytest.mark.parametrize(
    ("kind", "way", "last"),
    [("convnet", "samples", 70), ("gpt", "samples", 70), ("lstm", "samples", 70), ("gpt", "tokens", 130), ("lstm", "tokens", 130)],
)
def test_new_sizes_compile_nothing(tmp_path, kind, way, last):
    run = python("-c", PROGRAM, kind, way, last, QUERN_CACHE_DIR=tmp_path, QUERN_TIERED="0", QUERN_QUIET="1", timeout=600)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found[0] >= 10  # the first step compiles its kernels
    assert sum(found) <= 4 * found[0]
    assert sum(count > 0 for count in found[1:]) <= 8  # sizes at which a size class begins
    assert max(found[1:]) < found[0]
