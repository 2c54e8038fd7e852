"""Networks as programs train them: the loss of each of 100 steps, from weights and data that are the same everywhere.

Its text runs in quern.torch and in PyTorch (torch_oracle.py): `torch`, `np`, `math`, `nn` and `F` are there. Start at CURVES.
"""

# ruff: noqa: F821


def batch(values, step, size):
    first = step % (len(values) // size) * size
    return torch.from_numpy(np.ascontiguousarray(values[first : first + size])).to(device)


def filled(model):
    """The model with weights that are the same everywhere, as large as an initialization makes them."""
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            waves = np.sin(np.arange(p.numel()) * (1.7 + 0.13 * i) + i)
            values = waves * math.sqrt(2 * p.shape[0] / p.numel()) if p.ndim > 1 else 0.05 * waves + (i % 2 == 0)
            p.copy_(torch.tensor(values.reshape(tuple(p.shape))))
    return model.to(device)


def losses(model, optimizer, step, schedule=None, count=100):
    model = filled(model)
    optimizer = optimizer(model.parameters())
    schedule = schedule and schedule(optimizer)
    found = []
    for i in range(count):
        optimizer.zero_grad()
        loss = step(model, i)
        loss.backward()
        optimizer.step()
        if schedule:
            schedule.step()
        found.append(loss.item())
    return found


class Residual(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outer)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outer)
        down = [nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer)]
        self.down = nn.Sequential(*down) if inner != outer else nn.Identity()

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + self.down(x))


class Characters(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embedding = nn.Embedding(30, 16)
        self.network = kind(16, 24, num_layers=2, batch_first=True)
        self.out = nn.Linear(24, 30)

    def forward(self, x):
        return self.out(self.network(self.embedding(x))[0])


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.parts, self.out, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads

    def forward(self, x):
        samples, tokens, width = x.shape
        query, key, value = (
            part.view(samples, tokens, self.heads, width // self.heads).transpose(1, 2) for part in self.parts(x).split(width, dim=2)
        )
        y = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(y.transpose(1, 2).contiguous().view(samples, tokens, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(30, 32), nn.Embedding(16, 32)
        self.blocks = nn.ModuleList(Block(32, 4) for _ in range(2))
        self.norm, self.out = nn.LayerNorm(32), nn.Linear(32, 30, bias=False)
        self.tokens.weight = self.out.weight

    def forward(self, x):
        y = self.tokens(x) + self.places(torch.arange(x.shape[1], device=x.device))
        for block in self.blocks:
            y = block(y)
        return self.out(self.norm(y))


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.mean, self.variance = nn.Linear(64, 32), nn.Linear(32, 4), nn.Linear(32, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 64))

    def forward(self, x, noise):
        hidden = F.relu(self.encoder(x))
        mean, variance = self.mean(hidden), self.variance(hidden)
        return torch.sigmoid(self.decoder(mean + noise * torch.exp(0.5 * variance))), mean, variance


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.SiLU())
        self.down2 = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1, stride=2), nn.GroupNorm(4, 16), nn.SiLU())
        self.up = nn.ConvTranspose2d(16, 8, 4, 2, 1)
        self.out = nn.Conv2d(16, 1, 3, padding=1, padding_mode="reflect")

    def forward(self, x):
        first = self.down1(x)
        return self.out(torch.cat([first, self.up(self.down2(first))], 1))


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.places = nn.Embedding(12, 32), nn.Parameter(torch.zeros(8, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.encoder, self.out = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(32, 12)

    def forward(self, x):
        return self.out(self.encoder(self.embedding(x) + self.places))


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.out = nn.Embedding(12, 24, padding_idx=0), nn.Linear(24, 12)
        self.transformer = nn.Transformer(24, 2, 1, 1, 48, dropout=0.0, batch_first=True)

    def forward(self, x, y):
        mask = nn.Transformer.generate_square_subsequent_mask(y.shape[1]).to(x.device)
        return self.out(self.transformer(self.embedding(x), self.embedding(y), tgt_mask=mask, src_key_padding_mask=x == 0))


class Sequences(nn.Module):
    def __init__(self):
        super().__init__()
        self.network, self.out = nn.GRU(5, 12, bidirectional=True, batch_first=True), nn.Linear(24, 3)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        hidden = self.network(packed)[1]
        return self.out(torch.cat([hidden[0], hidden[1]], 1))


random = np.random.default_rng(0)
IMAGES, COLOURED = random.random((200, 1, 8, 8)).astype(floats), random.random((64, 3, 16, 16)).astype(floats)
DIGITS, KINDS = (IMAGES.reshape(200, -1) @ random.standard_normal((64, 10))).argmax(1), random.integers(0, 10, 64)
TEXT, NUMBERS = np.cumsum(random.integers(1, 4, 4000)) % 30, random.integers(0, 12, (128, 8))
WORDS, SERIES = random.integers(1, 12, (64, 7)), random.standard_normal((40, 9, 5)).astype(floats)
WORDS[::3, 5:] = 0
LENGTHS, CLASSES, NOISE = random.integers(1, 10, 40), random.integers(0, 3, 40), random.standard_normal((100, 32, 4)).astype(floats)


def next_characters(model, i):
    starts = (np.arange(8) * 397 + i * 13) % (len(TEXT) - 17)
    x, y = (batch(np.stack([TEXT[s + k : s + k + 16] for s in starts]), 0, 8) for k in (0, 1))
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten())


def autoencoded(model, i):
    x = batch(IMAGES.reshape(200, 64), i, 32)
    y, mean, variance = model(x, batch(NOISE[i], 0, 32))
    apart = -0.5 * torch.mean(torch.sum(1 + variance - mean**2 - variance.exp(), 1))
    return F.binary_cross_entropy(y, x, reduction="sum") / 32 + apart


def convnet():
    features = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(inplace=True)
    )
    return losses(
        nn.Sequential(features, nn.Flatten(), nn.Linear(64, 10)),
        lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, nesterov=True, weight_decay=1e-4),
        lambda model, i: F.cross_entropy(model(batch(IMAGES, i, 40)), batch(DIGITS, i, 40)),
        lambda optimizer: torch.optim.lr_scheduler.StepLR(optimizer, 30, 0.5),
    )


def resnet():
    stem = [nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU()]
    blocks = [Residual(8, 8, 1), Residual(8, 16, 2), Residual(16, 32, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)]
    return losses(
        nn.Sequential(*stem, *blocks),
        lambda p: torch.optim.SGD(p, 1e-3, momentum=0.9),
        lambda model, i: F.cross_entropy(model(batch(COLOURED, i, 16)), batch(KINDS, i, 16)),
        lambda optimizer: torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100),
    )


def lstm():
    return losses(Characters(nn.LSTM), lambda p: torch.optim.RMSprop(p, 2e-3), next_characters)


def gru():
    return losses(Characters(nn.GRU), lambda p: torch.optim.AdamW(p, 3e-3), next_characters)


def gpt():
    return losses(
        GPT(),
        lambda p: torch.optim.AdamW(p, 1e-3, betas=(0.9, 0.95), eps=1e-5, weight_decay=0.1),
        next_characters,
        lambda optimizer: torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-4, total_steps=101),
    )


def vae():
    return losses(VAE(), lambda p: torch.optim.Adam(p, 2e-3), autoencoded)


def unet():
    return losses(
        UNet(),
        lambda p: torch.optim.Adagrad(p, 1e-2),
        lambda model, i: F.mse_loss(model(batch(IMAGES, i, 20)), batch(IMAGES, i, 20) ** 2),
    )


def sorter():
    def step(model, i):
        x = batch(NUMBERS, i, 32)
        return F.cross_entropy(model(x).transpose(1, 2), torch.sort(x, 1).values, label_smoothing=0.1)

    return losses(Sorter(), lambda p: torch.optim.Adam(p, 2e-4, eps=1e-5), step)


def translator():
    def step(model, i):
        x = batch(WORDS, i, 16)
        return F.cross_entropy(model(x, x[:, :-1].flip(1)).flatten(0, 1), x[:, 1:].flatten(), ignore_index=0)

    return losses(Translator(), lambda p: torch.optim.NAdam(p, 2e-3), step)


def sequences():
    def step(model, i):
        return F.cross_entropy(model(batch(SERIES, i, 20), batch(LENGTHS, i, 20)), batch(CLASSES, i, 20))

    return losses(Sequences(), lambda p: torch.optim.Adamax(p, 5e-3), step)


def gan():
    make = filled(nn.Sequential(nn.Linear(6, 32), nn.LeakyReLU(0.2), nn.Linear(32, 16), nn.Tanh()))
    judge = filled(nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1)))
    optimizers = [torch.optim.Adam(net.parameters(), 2e-3, betas=(0.5, 0.999)) for net in (make, judge)]
    criterion, found = nn.BCEWithLogitsLoss(), []
    ones, zeros = torch.ones(20, 1, device=device), torch.zeros(20, 1, device=device)
    for i in range(100):
        real, noise = batch(IMAGES.reshape(200, 64)[:, :16], i, 20), batch(NOISE[i][:20].repeat(2, 1)[:, :6], 0, 20)
        optimizers[1].zero_grad()
        loss = criterion(judge(real), ones) + criterion(judge(make(noise).detach()), zeros)
        loss.backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        made = criterion(judge(make(noise)), ones)
        made.backward()
        optimizers[0].step()
        found.append(loss.item() + made.item())
    return found


CURVES = [convnet, resnet, lstm, gru, gpt, vae, unet, sorter, translator, sequences, gan]
