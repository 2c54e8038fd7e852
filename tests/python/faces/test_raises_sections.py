"""Docstrings name the exception types that wrong calls raise, in each front end: a call for each kind of error that a section lists."""

import importlib
import inspect
import pathlib
import re
import sys

import pytest
from places import ROOT

NUMPY = """
delete(i, 7)  delete(i, b)  insert(i, 9, 1)  clip(x, 1)  clip(x, 1, 2, min=1)  place(x, b, [1])  putmask(x, b, 1)  pad(v, 1, mode="no")  pad(v, 1.5)
nanmean(x, dtype=int)  nanvar(x, dtype=int)  isposinf(c)  isneginf(c)  finfo(int)  diff(x, -1)  diff(x, axis=5)  repeat(x, -1)  repeat(x, v)
cumsum(x, 0, out=v)  cumsum(x, 5)  sum(x, 0, out=x)  sum(x, 5)  sum(x, where=[b, b])  geomspace(0, 1)  sort(x, kind="no")  sort(x, 5)
meshgrid(v, indexing="no")  isin(v, v, kind="no")  searchsorted(v, v, side="no")  searchsorted(x, v)  trim_zeros(v, "no")  diag_indices_from(x)
gradient(v[:1])  gradient(x, 1.0, 1.0, 1.0)  rot90(x, 1, (0, 0))  rot90(x, 1, (0, 5))  tensordot(x, x, 1)  take_along_axis(x, i, 0)
take_along_axis(x, x, 0)  vdot(v, v[1:])  histogram(v, asarray([1, 3, 2]))  histogram(v, range=(2, 1))  histogram(v, 0)  digitize(c, v)
digitize(v, asarray([1, 3, 2]))  block([])  block((v,))  diagonal(v)  diagonal(x, 0, 0, 0)  diagonal(x, 0, 0, 5)  fill_diagonal(v, 1)
matrix_transpose(v)  select([b], [v, v])  select([v], [v])  full(-1, 1)  resize(x, (-1,))  array_split(v, 0)  argmax(e)  argmax(x, 1, out=i)
argmin(e)  nanmax(e)  ptp(e)  ptp(b)  where(b, v)  cross(v, ones(4))  partition(v, 9)  partition(v, 1.5)  argpartition(v, 9)  interp(v, [], [])
interp(v, v, v, period=0)  isclose(v, v[1:])  column_stack([v, v[1:]])  hstack([x, x.T])  concatenate([x, v])
concatenate([x, x], dtype=int, casting="safe")  dot(v, v[1:])  dot(v, v, out=v)  inner(v, v[1:])  einsum("ij,jk", x, x)  convolve(x, v)
tril_indices_from(v)  trace(v)  var(x, ddof=1, correction=1)  split(v, 2)  nanargmax(v * nan)  amax(e)  max(e)  broadcast_arrays(v, v[1:])
average(x, weights=v)  average(x, weights=v[1:], axis=1)  asarray([1], copy=False)  asarray("text")  compress(x, v)  bincount(-i)  bincount(v)
quantile(v, 2.0)  quantile(c, 0.5)  round(x, out=i)  lexsort(())  ediff1d(i, to_end=c)  unique(x, axis=5)  size(x, 5)
linalg.solve(x, v)  linalg.solve(s, v)  linalg.eig(x)  linalg.cholesky(x)  linalg.det(x)  linalg.inv(x)  linalg.lstsq(x, v)  linalg.qr(s, mode="no")
linalg.tensorsolve(x, v)  linalg.matrix_power(s, 1.5)  linalg.tensorinv(s, 0)  linalg.norm(x, "no")  linalg.multi_dot([s])  linalg.outer(x, x)
linalg.cross(v, ones(4))  linalg.pinv(s, 1.0, rtol=1.0)  fft.fft(v, 0)  fft.fft(v, norm="no")  fft.fft(v, axis=5)  fft.rfft(c)  fft.ihfft(c)
fft.fftfreq(1.5)  random.normal(0, -1)  random.uniform(0, inf)  random.vonmises(0, -1)  random.multinomial(-1, [0.5, 0.5])  random.poisson(-1)
random.standard_gamma(-1)  random.exponential(-1)  random.gamma(-1)  random.hypergeometric(-1, 1, 1)  random.randint(5, 5)  random.binomial(1, 2.0)
random.logseries(1.5)  random.zipf(1.0)  random.dirichlet([-1.0, 1.0])  random.dirichlet(1.0)  random.chisquare(0)  random.beta(0, 1)
random.wald(0, 1)  random.noncentral_chisquare(0, 1)  random.noncentral_f(0, 1, 1)  random.triangular(1, 0, 2)
random.multivariate_normal([0, 0], [[1]])  random.choice(3, 5, False)
"""
TORCH = """
linspace(0, 1, -1)  where(b, ones(2, dtype=int32), 2**40)  tensor("text")  tensor([[1], [1, 2]])
nn.Sequential(5)  nn.Sequential(__import__("collections").OrderedDict({"": module.nn.ReLU()}))  nn.ModuleList([5])
nn.ModuleDict({"a": 5})  nn.ModuleDict({"": module.nn.ReLU()})
asarray("text")  asarray([1], copy=False)  asarray([print])  as_tensor("text")  as_tensor([print])  full((-1,), 1)  meshgrid(v, indexing="no")
max(e)  max(e, 0)  amax(e)  amax(e, 0)  imag(x)  round(x, out=i)  isclose(v, v[1:])  isposinf(c)  isneginf(c)  det(x)  inverse(s)  cholesky(-s)
dot(v, v[1:])  vdot(v, v[1:])  inner(v, v[1:])  einsum("ij,jk", x, x)  diagonal(v)  diagonal(x, 0, 0, 0)  diagonal(x, 0, 0, 5)  cumsum(x, 5)
argmax(e)  argmin(e)  sum(x, 5)  rot90(x, 1, (0, 0))  rot90(x, 1, (0, 5))  broadcast_tensors(v, v[1:])  cat([x, v])  concat([x, v])
concatenate([x, v])  hstack([x, x.T])  column_stack([v, v[1:]])  tensor_split(v, 0)  diff(x, -1)  diff(x, 1, 5)  gradient(v[:1])
gradient(x, spacing=[1.0, 1.0, 1.0])  nanmean(x, dtype=int32)  from_numpy([1])  linalg.det(x)  linalg.qr(s, mode="no")
linalg.eig(x)  linalg.pinv(s, rcond=1.0, rtol=1.0)  linalg.multi_dot([s])  linalg.inv(s)  linalg.cholesky(-s)  linalg.solve(s, v[:2])
linalg.lu_factor(s * 0)  linalg.diagonal(v)  fft.fft(v, 0)  fft.fft(v, norm="no")  fft.fft(v, dim=5)  fft.rfft(c)  fft.ihfft(c)  fft.fftfreq(1.5)
nn.functional.hardtanh(x, 2, 1)  nn.functional.leaky_relu(i)  nn.functional.prelu(x, ones(2))  nn.functional.prelu(x, x)
nn.functional.rrelu(x, 1.0, 0.5)  nn.functional.hardsigmoid(i)  nn.functional.hardswish(i)  nn.functional.softshrink(x, -1)
nn.functional.hardshrink(i)  nn.functional.gelu(x, approximate="no")  nn.functional.gelu(i)  nn.functional.silu(i)  nn.functional.mish(i)
lstm(ones(1, 1, 3), (ones(1, 1, 4),), [], False, 1, 0.0, False, False, False)  gru(ones(0, 1, 3), ones(1, 1, 4), [], False, 1, 0.0, False, False, False)
rnn_tanh(ones(1, 1, 3), ones(1, 1, 4), [], False, 1, 0.0, False, False, False)  rnn_relu(ones(1, 1, 3), ones(1, 1, 4), [], False, 1, 0.0, False, False, False)
lstm_cell(ones(1, 3), (ones(1, 4),), ones(16, 3), ones(16, 4))  gru_cell(ones(1, 3), ones(1, 5), ones(12, 3), ones(12, 4))
rnn_tanh_cell(ones(1, 3), ones(1, 5), ones(4, 3), ones(4, 4))  rnn_relu_cell(ones(1, 3), ones(1, 5), ones(4, 3), ones(4, 4))
nn.functional.conv1d(ones(1, 3, 5), ones(2, 2, 3))  nn.functional.conv_transpose1d(ones(1, 3, 5), ones(2, 2, 3))
conv1d(ones(1, 3, 5), ones(2, 2, 3))  conv_transpose1d(ones(1, 3, 5), ones(2, 2, 3))  nn.functional.max_pool1d(ones(1, 3, 5), 9)
max_pool1d(ones(1, 3, 5), 9)  nn.functional.avg_pool1d(ones(1, 3, 5), 9)  avg_pool1d(ones(1, 3, 5), 9)
nn.functional.adaptive_avg_pool1d(ones(1, 3, 5), -1)  nn.functional.adaptive_avg_pool1d(ones(1, 3, 5).long(), 1)
nn.functional.adaptive_max_pool1d(ones(1, 3, 5), -1)  nn.functional.adaptive_max_pool1d(ones(1, 3, 5).long(), 1)
alias_copy(x, out=ones(2, 3).int())  set_deterministic_debug_mode("no")  set_deterministic_debug_mode(None)  detach_(x[0])
expand_copy(x, (4, 3))  unfold_copy(x, 0, 9, 1)  view_copy(x.T, (6,))
adaptive_avg_pool1d(ones(1, 3, 5), -1)  adaptive_avg_pool1d(ones(1, 3, 5).long(), 1)
nn.functional.conv2d(ones(1, 3, 5, 5), ones(2, 2, 3, 3))  nn.functional.conv_transpose2d(ones(1, 3, 5, 5), ones(2, 2, 3, 3))
conv2d(ones(1, 3, 5, 5), ones(2, 2, 3, 3))  conv_transpose2d(ones(1, 3, 5, 5), ones(2, 2, 3, 3))
nn.functional.max_pool2d(ones(1, 3, 5, 5), 9)  max_pool2d(ones(1, 3, 5, 5), 9)  nn.functional.avg_pool2d(ones(1, 3, 5, 5), 9)
nn.functional.adaptive_avg_pool2d(ones(1, 3, 5, 5), -1)  nn.functional.adaptive_avg_pool2d(ones(1, 3, 5, 5).long(), 1)
nn.functional.adaptive_max_pool2d(ones(1, 3, 5, 5), -1)  nn.functional.adaptive_max_pool2d(ones(1, 3, 5, 5).long(), 1)
nn.functional.conv3d(ones(1, 3, 5, 5, 5), ones(2, 2, 3, 3, 3))  nn.functional.conv_transpose3d(ones(1, 3, 5, 5, 5), ones(2, 2, 3, 3, 3))
conv3d(ones(1, 3, 5, 5, 5), ones(2, 2, 3, 3, 3))  conv_transpose3d(ones(1, 3, 5, 5, 5), ones(2, 2, 3, 3, 3))
nn.functional.max_pool3d(ones(1, 3, 5, 5, 5), 9)  max_pool3d(ones(1, 3, 5, 5, 5), 9)  nn.functional.avg_pool3d(ones(1, 3, 5, 5, 5), 9)
nn.functional.adaptive_avg_pool3d(ones(1, 3, 5, 5, 5), -1)  nn.functional.adaptive_avg_pool3d(ones(1, 3, 5, 5, 5).long(), 1)
nn.functional.adaptive_max_pool3d(ones(1, 3, 5, 5, 5), -1)  nn.functional.adaptive_max_pool3d(ones(1, 3, 5, 5, 5).long(), 1)
nn.functional.softplus(i)  nn.functional.logsigmoid(i)  nn.functional.elu(i)  nn.functional.selu(i)  nn.functional.celu(i)
nn.functional.celu(x, 0)  nn.functional.glu(x)  nn.functional.gumbel_softmax(i)  heaviside(x, i)  lerp(x, i, 0.5)  clamp(x)  clip(x)
div(x, 2, rounding_mode="no")  divide(x, 2, rounding_mode="no")  pow(i, -1)  allclose(x, i)
zeros(-1)  ones(-1)  empty(-1)  rand(-1)  randn(-1)  randint(0, 5, (-1,))  randperm(-1)  eye(-1)  eye(2, -1)  tril_indices(-1, 2)
triu_indices(2, -1)  logspace(0, 1, -1)  bartlett_window(-1)  blackman_window(-1)  hann_window(-1)  hann_window(3, dtype=int32)
hamming_window(-1)  kaiser_window(-1)  arange(1, 0)  arange(0, 1, 0)  range(1, 0)  range(0, 1, 0)  rand(2, dtype=int32)
randn(2, dtype=int32)  rand_like(i)  randn_like(i)  randint(5, 5, (2,))  randint_like(x, 5, 5)  poisson(-x)  poisson(i)  binomial(i, x)  linalg.lu_solve(x, i, i)  lu_unpack(x, i)
stft(v, 2)  stft(v, 2, return_complex=True, align_to_window=True)  istft(v, 2)  nn.functional.ctc_loss(ones(2, 1, 3), i, (2, 2), (1,))
nn.AdaptiveLogSoftmaxWithLoss(2, 5, [])  nn.AdaptiveLogSoftmaxWithLoss(2, 5, [2])(x, i)  nn.utils.skip_init(dict)
nn.utils.weight_norm(module.nn.utils.weight_norm(module.nn.Linear(2, 2)))  nn.utils.remove_weight_norm(module.nn.Linear(2, 2))
nn.utils.spectral_norm(module.nn.utils.spectral_norm(module.nn.Linear(2, 2)))
nn.utils.spectral_norm(module.nn.Linear(2, 2), n_power_iterations=0)
nn.utils.remove_spectral_norm(module.nn.Linear(2, 2))
linalg.householder_product(x, x)  ormqr(x, x, x)  binomial(x, x + 2)  _standard_gamma(i)
_sample_dirichlet(i)  bernoulli(x * 2)
normal(0.0, -1.0, (2,))  normal(x, -x)  multinomial(i, 1)  multinomial(x, 0)  multinomial(x, 9)  multinomial(-x, 1)  multinomial(x * 0, 1)
reshape(x, (4,))  reshape(x, (-1, -1))  flatten(x, 1, 0)  flatten(x, 0, 5)  broadcast_to(x, (2,))  transpose(x, 0, 5)  swapaxes(x, 0, 5)
swapdims(x, 5, 0)  movedim(x, 0, 5)  movedim(x, (0, 0), (0, 1))  moveaxis(x, 0, 5)  moveaxis(x, (0, 1), 0)  permute(x, (0,))
permute(x, (0, 5))  t(ones(1, 1, 1))  cov(ones(1, 1, 1))  corrcoef(ones(1, 1, 1))  flipud(ones(()))  fliplr(v)  trace(v)
diag(ones(1, 1, 1))  diag_embed(v, 0, 0, 0)  diag_embed(v, 0, 0, 5)  hsplit(x, 2)  vsplit(v, 1)  dsplit(x, 1)  chunk(x, 0)
unsafe_chunk(x, 0)  split(x, -1)  split(x, [1, 5])  split_with_sizes(x, [1, 5])  unsafe_split(x, -1)  unsafe_split_with_sizes(x, [1, 5])
split_with_sizes(x, [3], 5)  unsafe_split_with_sizes(x, [3], 5)  tile(x, (-1,))  roll(x, (1, 2))  stack([x, v])  vstack([x, v[1:]])
row_stack([x, v[1:]])  dstack([x, v[1:]])  vander(x)  vander(v, -1)  topk(v, 9)  kthvalue(v, 0)  kthvalue(v, 9)  aminmax(e)  min(e)  amin(e)
quantile(i, 0.5)  quantile(v, 2.0)  quantile(v, 0.5, interpolation="no")  nanquantile(v, 2.0)  searchsorted(v, v, side="no")
searchsorted(x, ones(3, 3))  searchsorted(v, v, sorter=v)  bucketize(v, x)  bincount(-i)  bincount(v)  bincount(i, ones(2))
bincount(i, minlength=-1)  histc(v, 0)  histc(v, 2, 3, 1)  histogram(v, 0)  histogram(i, 2)  trapezoid(v, v[1:])  trapz(v, ones(7))
cumulative_trapezoid(v, ones(7))  isin(1, 2)  mean(i)  std(i)  var(i)  std_mean(i)  var_mean(i)  gather(v, 0, i)  gather(v, 0, v)
gather(v, 5, i)  scatter_add(v, 0, i, v)  scatter_add(v, 0, v, v)  scatter_add(v, 5, i, v)  manual_seed(2**70)  manual_seed("a")
linalg.slogdet(x)  slogdet(x)  linalg.eigh(x)  linalg.eigh(s, "no")  linalg.eigvalsh(x)  linalg.eigvals(x)  linalg.inv_ex(x)
linalg.cholesky_ex(x)  linalg.solve_ex(x, v)  linalg.ldl_factor(x)  linalg.ldl_factor_ex(x)  logdet(x)  linalg.matrix_exp(x)
matrix_exp(x)  matrix_power(x, 2)  linalg.matrix_power(x, 2)  linalg.lu(v)  linalg.lu_factor_ex(v)  linalg.svd(v)  svd(v)  qr(v)
linalg.matrix_rank(v)  pinverse(v)  linalg.lstsq(x, x, driver="no")  linalg.lstsq(x, ones(7, 1))  linalg.cond(s, "no")
linalg.matrix_norm(x, "no")  linalg.norm(x, "no")  linalg.solve_triangular(s, x.T, upper=True)  linalg.tensorsolve(x, v)
linalg.tensorinv(s, 0)  linalg.vecdot(v, v[1:])  matmul(x, x)  linalg.matmul(x, x)  mm(x, x)  bmm(x, x)  mv(x, v[1:])  outer(x, x)
ger(x, x)  addmm(x, x, x)  addmv(v, x, v[1:])  addr(x, x, v)  baddbmm(x, x, x)  addbmm(x, x, x)  chain_matmul(x, x)  cdist(x, s)
cdist(x, x, p=-1)  nn.functional.linear(x, s)  nn.functional.bilinear(x, x, ones(4, 2, 3))
nn.functional.scaled_dot_product_attention(x, s, s)  nn.functional.scaled_dot_product_attention(s, s, s, attn_mask=s, is_causal=True)
nn.functional.multi_head_attention_forward(x, x, x, 3, 2, s, None, None, None, False, 0.0, s, None)
nn.functional.multi_head_attention_forward(x, x, x, 3, 1, ones(9, 3), None, None, None, False, 0.0, ones(3, 3), None, attn_mask=x)
nn.MultiheadAttention(0, 2)  nn.MultiheadAttention(5, 2)  nn.TransformerEncoderLayer(5, 2)  nn.TransformerEncoderLayer(4, 2, activation="no")
nn.TransformerDecoderLayer(5, 2)  nn.TransformerDecoderLayer(4, 2, activation="no")  nn.Transformer(4, 2, activation="no")
nn.attention.sdpa_kernel(5).__enter__()
dropout(x, 2.0, True)  feature_dropout(x, 2.0, True)  alpha_dropout(x, 2.0, True)  feature_alpha_dropout(x, 2.0, True)
nn.functional.dropout(x, nan)  nn.functional.dropout1d(x, 2.0)  nn.functional.dropout2d(x, -1.0)  nn.functional.dropout3d(x, 2.0)
nn.functional.alpha_dropout(x, nan)  nn.functional.feature_alpha_dropout(x, nan)  nn.functional.layer_norm(x, (2,))
nn.functional.layer_norm(i, (3,))  layer_norm(x, (2,))  layer_norm(i, (3,))  nn.functional.rms_norm(x, (2,))  rms_norm(x, (2,))
nn.functional.group_norm(x, 2)  group_norm(x, 2)  nn.functional.batch_norm(x, ones(2), ones(2))  nn.functional.batch_norm(x, None, None)
nn.functional.batch_norm(ones(1, 3), None, None, training=True)  nn.functional.instance_norm(ones(1, 2, 1))
nn.functional.local_response_norm(x, 2)  nn.functional.one_hot(x)  nn.functional.one_hot(-i)  nn.functional.one_hot(i, 2)
nn.functional.embedding(i, s)  nn.functional.embedding(x, s)  nn.functional.embedding(i, s, sparse=True)  nn.functional.embedding_bag(i, s)
nn.functional.embedding_bag(i, s, i, mode="no")  nn.functional.embedding_bag(i - 1, s, i)  nn.functional.pad(x, (1,))
nn.functional.pad(x, (1, 1, 1, 1, 1, 1))  nn.functional.pad(x, (5, 5), "reflect")  nn.functional.pad(x, (1, 1), "no")
channel_shuffle(ones(1, 3, 2), 2)  nn.functional.channel_shuffle(ones(1, 3, 2), 2)  pixel_shuffle(ones(3, 2, 2), 2)  pixel_shuffle(x, 2)
nn.functional.pixel_shuffle(x, 2)  pixel_unshuffle(ones(1, 3, 3), 2)  nn.functional.pixel_unshuffle(x, 2)
nn.functional.smooth_l1_loss(v, v, beta=-1)  nn.functional.huber_loss(v, v, delta=0)  nn.functional.binary_cross_entropy(v, v[1:])
nn.functional.binary_cross_entropy_with_logits(v, v[1:])  nn.functional.gaussian_nll_loss(v, v, -v)
nn.functional.cosine_embedding_loss(x, x, x)  nn.functional.multi_margin_loss(x, i)  nn.functional.multi_margin_loss(x, i[:2], p=3)
nn.functional.multi_margin_loss(x, i[:2] + 5)  nn.functional.multilabel_margin_loss(x, i)
nn.functional.multilabel_margin_loss(x, asarray([[9, 0, 0], [0, 0, 0]]))  nn.functional.triplet_margin_loss(x, x, x, margin=-1)
nn.functional.nll_loss(x, i)  nn.functional.nll_loss(x, i[:2] + 5)  nn.functional.nll_loss(x, i[:2] - 1, weight=ones(2))
nn.functional.cross_entropy(x, i)  nn.functional.cross_entropy(x, i[:2] + 5)  nn.functional.cross_entropy(x, i[:2] - 1, weight=ones(2))
nn.functional.cross_entropy(x, i[:2] - 1, label_smoothing=2.0)
clamp_min(x, 1, out=b)  clamp_max(x, 1, out=b)  i0(x, out=b)  i0(c)  special.i0(x, out=b)  special.i0(c)  special.round(x, out=i)
special.modified_bessel_i0(x, out=b)  special.modified_bessel_i0(c)  bilinear(x, x, ones(4, 2, 3))  celu(x, 0)  celu(i)  hardshrink(i)
prelu(x, x)  rrelu(x, 1.0, 0.5)  selu(i)  linalg.diagonal(x, dim1=0, dim2=0)
optim.SGD(w, lr=-1)  optim.SGD(w, momentum=-1)  optim.SGD(w, weight_decay=-1)  optim.SGD(w, nesterov=True)  optim.SGD([])
optim.SGD(w, differentiable=True)  optim.SGD(w, fused=True, foreach=True)  optim.Adam(w, lr=-1)  optim.Adam(w, eps=-1)
optim.Adam(w, betas=(1, 2))  optim.Adam(w, weight_decay=-1)  optim.Adam([])  optim.Adam(w, differentiable=True)
optim.Adam(w, fused=True, foreach=True)  optim.Adadelta(w, lr=-1)  optim.Adadelta([])  optim.Adadelta(w, differentiable=True)  optim.Adagrad(w, lr=-1)  optim.Adagrad([])
optim.Adagrad(w, differentiable=True)  optim.AdamW(w, lr=-1)  optim.AdamW([])  optim.AdamW(w, differentiable=True)  optim.Adamax(w, lr=-1)
optim.Adamax([])  optim.Adamax(w, differentiable=True)  optim.ASGD(w, lr=-1)  optim.ASGD([])  optim.ASGD(w, differentiable=True)
optim.NAdam(w, lr=-1)  optim.NAdam([])  optim.NAdam(w, differentiable=True)  optim.RAdam(w, lr=-1)  optim.RAdam([])
optim.RAdam(w, differentiable=True)  optim.RMSprop(w, lr=-1)  optim.RMSprop([])  optim.RMSprop(w, differentiable=True)
optim.Rprop(w, lr=-1)  optim.Rprop([])  optim.Rprop(w, differentiable=True)  optim.Adadelta(w, eps=-1)  optim.Adadelta(w, weight_decay=-1)
optim.Adagrad(w, lr_decay=-1)  optim.Adagrad(w, weight_decay=-1)  optim.Adagrad(w, initial_accumulator_value=-1)  optim.Adagrad(w, eps=-1)
optim.AdamW(w, eps=-1)  optim.AdamW(w, weight_decay=-1)  optim.Adamax(w, eps=-1)  optim.Adamax(w, weight_decay=-1)
optim.ASGD(w, weight_decay=-1)  optim.NAdam(w, eps=-1)  optim.NAdam(w, weight_decay=-1)  optim.NAdam(w, momentum_decay=-1)
optim.RAdam(w, eps=-1)  optim.RAdam(w, weight_decay=-1)  optim.RMSprop(w, eps=-1)  optim.RMSprop(w, weight_decay=-1)
optim.RMSprop(w, momentum=-1)  optim.RMSprop(w, alpha=-1)  optim.Adafactor(w, lr=-1)  optim.Adafactor(w, weight_decay=-1)
optim.Adafactor(w, d=-1)  optim.Muon(w, lr=-1)  optim.Muon(w, weight_decay=-1)  optim.Muon(w, momentum=-1)  optim.Adadelta(w, rho=2.0)
optim.AdamW(w, betas=(1, 1))  optim.Adamax(w, betas=(1, 1))  optim.NAdam(w, betas=(1, 1))  optim.RAdam(w, betas=(1, 1))
optim.Rprop(w, etas=(2.0, 3.0))  optim.Adafactor(w, beta2_decay=1.0)  optim.Adafactor(w, eps=(-1.0, 1.0))  optim.Adafactor([])
optim.Muon(w)  optim.Muon(w, adjust_lr_fn="no")  optim.LBFGS(w, lr=-1)  optim.LBFGS([])  optim.LBFGS([{"params": w}, {"params": [v]}])
optim.LBFGS(w, line_search_fn="no").step(lambda: [y := w[0].sum() * 2, y.backward()][0])  optim.Optimizer(w[0], {})  optim.Optimizer([], {})
optim.lr_scheduler.ConstantLR(o, factor=2.0)  optim.lr_scheduler.LinearLR(o, start_factor=2.0)
optim.lr_scheduler.LinearLR(o, end_factor=2.0)  optim.lr_scheduler.LambdaLR(o, [])  optim.lr_scheduler.MultiplicativeLR(o, [])
optim.lr_scheduler.SequentialLR(o, [], [])  optim.lr_scheduler.ChainedScheduler([])  optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 0)
optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 1, 0)  optim.lr_scheduler.CyclicLR(o, 0.1, 1.0, mode="no")
optim.lr_scheduler.OneCycleLR(o, 1.0)  optim.lr_scheduler.OneCycleLR(o, 1.0, 5, pct_start=2.0)
optim.lr_scheduler.OneCycleLR(o, 1.0, 5, anneal_strategy="no")  optim.lr_scheduler.ReduceLROnPlateau(o, factor=1.0)
optim.lr_scheduler.ReduceLROnPlateau(o, mode="no")  optim.lr_scheduler.ReduceLROnPlateau(o, threshold_mode="no")
optim.lr_scheduler.ReduceLROnPlateau(o, min_lr=[1, 2])
masked_scatter(x, x, x)  masked_scatter(x, b[:1], i)  take_along_dim(x, x, 1)  scatter(x, 0, i, x)  scatter(v, 0, i * 9, v)  slice_scatter(x, v, 0)
scalar_tensor(x)  to_dlpack(w[0])  frombuffer(b"", dtype=int32)  frombuffer(b"1", dtype=int32)  empty_strided((2,), (-1,))  fill(x, x)
is_nonzero(x)  result_type("a", x)  Tensor.scatter_(x, 0, i, x)  Tensor.scatter_reduce_(x, 0, i, x, "sum")  Tensor.index_copy_(v, 0, v, v)
Tensor.index_copy_(v, 0, i, x[0, :2])  Tensor.index_fill_(v, 0, v, 1)  Tensor.index_fill_(v, 0, i, v)  Tensor.index_put_(x, v, v)
Tensor.index_put_(x, (v,), v)  Tensor.put_(x, v, v)  Tensor.put_(x, i, b)  Tensor.fill_(x, x)  Tensor.fill_(x, "a")  Tensor.fill_diagonal_(v, 1)
Tensor.set_(x, 1)  Tensor.resize_(w[0], 2)  fill_(x, x)  fill_(x, "a")  index_put_(x, v, v)  index_put_(x, (v,), v)
autograd.functional.vjp(abs, v)  autograd.functional.jvp(abs, v)  autograd.functional.hvp(sum, v)  utils.data.RandomSampler("ab", num_samples=0)
utils.data.RandomSampler("ab", 1)  utils.data.WeightedRandomSampler([1.0], 0)  utils.data.WeightedRandomSampler(x, 1)
utils.data.BatchSampler([1], 0, False)  utils.data.BatchSampler([1], 1, 0)  utils.data.DistributedSampler([1])
utils.data.DistributedSampler([1], 2, 2)  utils.data.TensorDataset(x, v)  utils.data.StackDataset()  utils.data.StackDataset([1], [1, 2])
utils.data.ConcatDataset([])  utils.data.random_split([1], [2])  utils.data.default_collate([None])
utils.checkpoint.checkpoint(abs, v, use_reentrant=False, determinism_check="no")  utils.checkpoint.checkpoint_sequential([abs], 2, v)
positive(b)  special.zeta(1, 2)  special.zeta(c, 2)  polygamma(-1, v)  special.polygamma(-1, v)
mvlgamma(v, 0)  special.multigammaln(v, 0)  set_default_dtype(int32)  finfo(int32)  set_printoptions(profile="no")  set_float32_matmul_precision("no")
combinations(x)  combinations(v, -1)  unravel_index(v, 3)  unravel_index(i, 2.5)  renorm(v, 2, 0, 1.0)  renorm(x, 0, 0, 1.0)
index_reduce(v, 0, i, v, "no")  nonzero_static(v, size=-1)  pca_lowrank(x, 9)  empty_permuted((2, 3), (0, 0))  sum_to_size(x, 7)
optim.swa_utils.get_ema_avg_fn(2.0)  optim.swa_utils.get_ema_multi_avg_fn(2.0)  optim.swa_utils.SWALR(o, 1.0, anneal_strategy="no")
cholesky_inverse(x)  cholesky_inverse(v)  index_select(x, 5, i)  index_select(x, 0, i)  index_select(x, 0, v)  masked_fill(x, x, 1.0)  masked_fill(x, b, 1.0)  masked_select(x, x)
take(x, v)  take(x, i * 50)  narrow(x, 0, 1, 5)  narrow(x, 5, 0, 1)  select(x, 5, 0)  select(x, 0, 5)  repeat_interleave(v, -1)
repeat_interleave(v, i[:2])  repeat_interleave(v, 2, 5)  unflatten(x, 1, (2, 2))  unflatten(x, 5, (3,))  cartesian_prod(x, x)
block_diag(ones(1, 1, 1))  view_as_complex(x)  view_as_complex(i)  view_as_real(x)  as_strided(x, (9, 9), (9, 9))
broadcast_shapes((2,), (3,))  adjoint(v)  complex(v, v.double())  complex(i, i)  polar(v, v.double())  rsub(v, ones(7))  norm(x, 2, 5)
norm(i)  norm(x, "no")  dist(v, ones(7))  nn.utils.clip_grad_norm_(w, "a")  nn.utils.clip_grad_norm_([u], 1.0, error_if_nonfinite=True)
nn.utils.vector_to_parameters(3, w)  nn.utils.vector_to_parameters(v[:2], w)  nn.init.calculate_gain("no")  nn.init.uniform_(v, 2.0, 1.0)
nn.init.normal_(v, std=-1)  nn.init.trunc_normal_(v, std=-1)  nn.init.eye_(v)  nn.init.xavier_uniform_(v)  nn.init.xavier_normal_(v)
nn.init.kaiming_uniform_(v)  nn.init.kaiming_uniform_(x, mode="no")  nn.init.kaiming_normal_(x, nonlinearity="no")
nn.init.orthogonal_(v)  nn.init.sparse_(v, 0.1)  nn.init.dirac_(x)  autograd.grad(w[0].sum(), v)  autograd.grad(w[0], w)
autograd.grad(v.sum(), w)  autograd.backward(v)  autograd.backward(w[0] * 2)
nn.BatchNorm1d(3)(ones(1, 3))  nn.BatchNorm1d(4)(x)  nn.BatchNorm2d(3)(x)  nn.BatchNorm2d(4)(ones(2, 3, 2, 2))  nn.BatchNorm3d(3)(x)
nn.BatchNorm3d(4)(ones(2, 3, 2, 2, 2))  nn.GroupNorm(2, 3)  nn.GroupNorm(3, 3)(ones(2, 4))  nn.LayerNorm(4)(x)  nn.RMSNorm(4)(x)
nn.InstanceNorm1d(3)(ones(2, 3, 1))  nn.InstanceNorm1d(4, affine=True)(ones(2, 3, 5))  nn.InstanceNorm2d(3)(x)  nn.InstanceNorm3d(3)(x)
nn.LocalResponseNorm(2)(x)  nn.Embedding(3, 2)(i)  nn.Embedding(3, 2)(x)  nn.Embedding(-1, 2)  nn.Embedding(3, 2, padding_idx=7)
nn.Embedding(3, 2, sparse=True)(i)  nn.EmbeddingBag(3, 2)(i)  nn.EmbeddingBag(3, 2, mode="no")(i)  nn.Bilinear(0, 1, 2)
nn.Bilinear(2, 3, 4)(x, x)  nn.Dropout1d(2.0)  nn.Dropout2d(2.0)  nn.Dropout3d(2.0)  nn.AlphaDropout(-1.0)  nn.FeatureAlphaDropout(2.0)
nn.MultiMarginLoss(p=3)  nn.MultiMarginLoss(weight=x)  nn.MultiMarginLoss()(x, i)  nn.MultiMarginLoss()(x, i[:2] + 5)
nn.TripletMarginLoss(margin=0)  nn.TripletMarginWithDistanceLoss(margin=0)  nn.CrossEntropyLoss()(x, i)  nn.CrossEntropyLoss()(x, i[:2] + 5)
nn.CrossEntropyLoss(label_smoothing=2.0)(x, i[:2] - 1)  nn.NLLLoss()(x, i)  nn.NLLLoss()(x, i[:2] + 5)  nn.BCELoss()(v, v[1:])
nn.BCEWithLogitsLoss()(v, v[1:])  nn.SmoothL1Loss(beta=-1)(v, v)  nn.HuberLoss(delta=0)(v, v)  nn.CosineEmbeddingLoss()(x, x, x)
nn.MultiLabelMarginLoss()(x, i)  nn.GaussianNLLLoss()(v, v, -v)  nn.ReLU()(c)  nn.RReLU(1.0, 0.5)(x)  nn.Hardtanh(2, 1)  nn.Hardsigmoid()(i)
nn.SiLU()(i)  nn.Mish()(i)  nn.Hardswish()(i)  nn.ELU()(i)  nn.CELU()(i)  nn.CELU(0)(x)  nn.SELU()(i)  nn.GLU()(x)  nn.GLU(5)(x)  nn.GELU()(i)
nn.GELU("no")(x)  nn.Hardshrink()(i)  nn.LeakyReLU()(i)  nn.Softplus()(i)  nn.Softshrink(-1)(x)  nn.PReLU(2)(x)  nn.Softmin(5)(x)
nn.Softmax(5)(x)  nn.LogSoftmax(5)(x)  nn.PixelShuffle(2)(ones(3, 2, 2))  nn.PixelUnshuffle(2)(ones(1, 3, 3))
nn.ChannelShuffle(2)(ones(1, 3, 2, 2))  nn.Flatten(1, 5)(x)  nn.Flatten(1, 0)(x)  nn.Unflatten(1, (2, 2))(x)  nn.Unflatten(1, 3)
nn.CosineSimilarity(5)(x, x)  nn.PairwiseDistance()(x, ones(7, 5))
nn.RNNBase("no", 3, 4)  nn.RNNBase("GRU", 3.0, 4)  nn.RNN(3, 0)  nn.RNN(3.0, 4)  nn.RNN(3, 4)(ones(5, 2, 7))  nn.LSTM(3, 0)  nn.LSTM(3.0, 4)
nn.LSTM(3, 4)(ones(5, 2, 7))  nn.GRU(3, 0)  nn.GRU(3.0, 4)  nn.GRU(3, 4)(ones(5, 2, 7))  nn.RNNCell(3, 4)(ones(1, 1, 3))  nn.RNNCell(3, 4)(ones(1, 7))
nn.LSTMCell(3, 4)(ones(1, 1, 3))  nn.LSTMCell(3, 4)(ones(1, 7))  nn.GRUCell(3, 4)(ones(1, 1, 3))  nn.GRUCell(3, 4)(ones(1, 7))
nn.utils.rnn.PackedSequence(ones(3))  nn.utils.rnn.pack_padded_sequence(x, [0, 0, 0])  nn.utils.rnn.pad_sequence([])
nn.utils.rnn.pack_sequence([])
nn.Conv1d(3, 4, 3, groups=2)  nn.Conv1d(3, 4, 3)(x)  nn.Conv2d(3, 4, 3, padding="no")  nn.Conv2d(3, 4, 3)(x)
nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect")  nn.ConvTranspose2d(3, 4, 3)(x)  nn.MaxPool2d(9)(ones(1, 3, 3))
nn.AvgPool2d(9)(ones(1, 3, 3))  nn.AdaptiveAvgPool2d(-1)(ones(1, 3, 3))  nn.AdaptiveMaxPool2d(-1)(ones(1, 3, 3))
nn.Conv3d(3, 4, 3, padding="no")  nn.Conv3d(3, 4, 3)(x)  nn.ConvTranspose1d(3, 4, 3, groups=2)  nn.ConvTranspose1d(3, 4, 3)(x)
nn.ConvTranspose3d(3, 4, 3, groups=2)  nn.ConvTranspose3d(3, 4, 3)(x)  nn.MaxPool1d(9)(ones(1, 3))  nn.MaxPool3d(9)(ones(1, 3, 3, 3))
nn.AvgPool1d(9)(ones(1, 3))  nn.AvgPool3d(9)(ones(1, 3, 3, 3))  nn.AdaptiveAvgPool1d(-1)(ones(1, 3))
nn.AdaptiveAvgPool3d(-1)(ones(1, 3, 3, 3))  nn.AdaptiveMaxPool1d(-1)(ones(1, 3))  nn.AdaptiveMaxPool3d(-1)(ones(1, 3, 3, 3))
nn.L1Loss(reduction="no")(x, x)  nn.MSELoss(reduction="no")(x, x)  nn.PoissonNLLLoss(reduction="no")(x, x)
nn.KLDivLoss(reduction="no")(x, x)  nn.HingeEmbeddingLoss(reduction="no")(x, x)  nn.SoftMarginLoss(reduction="no")(x, x)
nn.MultiLabelSoftMarginLoss(reduction="no")(x, x)  nn.SmoothL1Loss(reduction="no")(x, x)  nn.HuberLoss(reduction="no")(x, x)
nn.MarginRankingLoss(reduction="no")(x, x, x)  nn.TripletMarginLoss(reduction="no")(x, x, x)
nn.TripletMarginWithDistanceLoss(reduction="no")(x, x, x)  nn.CosineEmbeddingLoss(reduction="no")(x, x, v[:2])
nn.MultiLabelMarginLoss(reduction="no")(v, i - 1)  nn.ReflectionPad1d((1,))(x)  nn.ReplicationPad1d((1,))(x)  nn.CircularPad1d((1,))(x)
nn.ZeroPad1d((1,))(x)  nn.ConstantPad1d((1,), 0)(x)  nn.ReflectionPad2d((1,))(x)  nn.ReplicationPad2d((1,))(x)  nn.CircularPad2d((1,))(x)
nn.ZeroPad2d((1,))(x)  nn.ConstantPad2d((1,), 0)(x)  nn.ReflectionPad3d((1,))(x)  nn.ReplicationPad3d((1,))(x)  nn.CircularPad3d((1,))(x)
nn.ZeroPad3d((1,))(x)  nn.ConstantPad3d((1,), 0)(x)
nn.Linear(-1, 2)  nn.Linear(2, 2)(v)  nn.Linear(3, 2)(i)  nn.Dropout(2.0)
"""
FRONT_ENDS = {"quern": NUMPY, "quern.cupy": NUMPY, "quern.torch": TORCH}


def calls(text):
    return re.findall(r"\S.*?\)(?=  |\n)", text)


def raised_types(function):
    """The exception types in a docstring's Raises section."""
    section = re.search(r"^Raises\n-+\n(.*?)(?=\n\n|\Z)", inspect.cleandoc(function.__doc__ or ""), re.MULTILINE | re.DOTALL)
    return set(re.findall(r"^(?:\w+\.)*(\w+)$", section[1], re.MULTILINE)) if section else set()


def operands(module):
    """What the calls above name: a matrix, vectors, a square matrix, complex numbers, bools, integers, an empty array, parameters, an optimizer, infinite gradients."""
    new = getattr(module, "tensor", module.asarray)
    values = {"x": [[1.0] * 3] * 2, "v": [1.0] * 3, "s": [[1.0] * 2] * 2, "c": [1j, 2], "b": [True, False], "i": [1, 2, 3]}
    others = {name: getattr(module, name) for name in ("asarray", "ones", "int32", "inf", "nan")}
    if new is not module.asarray:
        others["w"] = [module.ones(3, requires_grad=True)]
        others["o"] = module.optim.SGD(others["w"])
        others["u"] = module.ones(3, requires_grad=True)
        others["u"].grad = module.ones(3) / 0
    return others | {name: new(value) for name, value in values.items()} | {"e": module.ones((0, 3)), "module": module}


def raised_by(call, names):
    """The type of the error of a call, or of reading its result, and its base types."""
    try:
        str(eval(f"module.{call}", names))  # noqa: S307
    except Exception as error:  # noqa: BLE001
        return {kind.__name__.lstrip("_") for kind in type(error).__mro__}
    return {"no error"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_sections_name_what_is_raised(front_end):
    module, wrong = importlib.import_module(front_end), []
    names = operands(module)
    for call in calls(FRONT_ENDS[front_end]):
        try:
            types = raised_types(eval(f"module.{call.partition('(')[0]}", names))  # noqa: S307
        except AttributeError:  # the front end has no such function
            continue
        raised = raised_by(call, names)
        if types and not raised & types:
            wrong.append(f"{call} raises {', '.join(raised)}, the docstring names {', '.join(types)}")
    assert wrong == []


def functions(module):
    return {name: value for name, value in vars(module).items() if name[0] != "_" and callable(value) and not inspect.isclass(value)}


def test_no_type_of_numpys_in_methods(monkeypatch):
    """Rows name NumPy's exception types, which tools/docstrings.py translates; those that stay are called above."""
    monkeypatch.setattr(sys, "path", [str(pathlib.Path(ROOT, "tools")), *sys.path])
    translated, called = importlib.import_module("docstrings").TORCHS_ERRORS, {call.partition("(")[0].rpartition(".")[2] for call in calls(TORCH)}
    tensor = importlib.import_module("quern.torch").Tensor
    for method in dir(tensor):
        types = raised_types(getattr(tensor, method))
        assert not types & translated.keys() or method in called, f"Tensor.{method}: {types}"
