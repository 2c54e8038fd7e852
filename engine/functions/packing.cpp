// Sequences of different lengths: padded to one length, or packed, which is the elements of all sequences step by step.
#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "functions/parts.h"
#include "functions/recurrent.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "run/calls/indexing.h"

namespace quern::nn {

using namespace steps;

namespace {

void check_counts(const Array& counts, const char* name) {
  if (counts.rank() != 1 || !counts.device().is_cpu() || counts.dtype() != DType::int64)
    raise(ErrorKind::runtime, "'{}' argument should be a 1D CPU int64 tensor, but got {}D {} {} tensor", name, counts.rank(),
          counts.device().is_cpu() ? "cpu" : "cuda", torch_name_of(counts.dtype()));
}

// The rows at places, in the places' shape.
Array rows_at(const Array& rows, const std::vector<int64_t>& places, Shape shape) {
  const Array picked = take_along(rows, array_of(places, rows.device()), 0);
  shape.insert(shape.end(), rows.shape().begin() + 1, rows.shape().end());
  return reshape(picked, shape);
}

}  // namespace

std::vector<int64_t> packed_counts(const Array& rows, const Array& batch_sizes) {
  check_counts(batch_sizes, "batch_sizes");
  const std::vector<int64_t> counts = values_of<int64_t>(batch_sizes);
  if (counts.empty()) raise(ErrorKind::runtime, "Expected sequence length to be larger than 0 in RNN");
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] <= 0 || (i && counts[i] > counts[i - 1]))
      raise(ErrorKind::runtime, "batch_sizes must be positive and must not increase, but element {} is {}", i, counts[i]);
  const int64_t all = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (rows.rank() == 0 || all != rows.shape()[0])
    raise(ErrorKind::runtime, "batch_sizes add up to {}, but the data has the size {}", all, in_brackets(rows.shape()));
  return counts;
}

// {the first elements of each sequence step by step, how many sequences each step has}. The lengths must not increase.
std::vector<Array> pack_padded(const Array& given, const Array& lengths, bool is_batch_first) {
  if (given.rank() < 2) raise(ErrorKind::index, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  const Array x = is_batch_first ? moveaxis(given, 1, 0) : given;
  const int64_t steps = x.shape()[0], samples = x.shape()[1];
  check_counts(lengths, "lengths");
  if (given.size() == 0) raise(ErrorKind::runtime, "Cannot pack empty tensors.");
  const std::vector<int64_t> counts = values_of<int64_t>(lengths);
  if (static_cast<int64_t>(counts.size()) != samples)
    raise(ErrorKind::runtime, "Expected `len(lengths)` to be equal to batch_size, but got {} (batch_size={})", counts.size(),
          samples);
  if (std::ranges::any_of(counts, [](int64_t n) { return n <= 0; }))
    raise(ErrorKind::runtime, "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0");
  if (!std::ranges::is_sorted(counts, std::ranges::greater()))
    raise(ErrorKind::runtime,
          "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
          "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need "
          "ONNX exportability.");
  if (counts[0] > steps)
    raise(ErrorKind::runtime, "Expected lengths of at most {} steps, but found an element in 'lengths' that is {}", steps,
          counts[0]);
  std::vector<int64_t> sizes, places;
  for (int64_t step = 0; step < counts[0]; ++step) {
    int64_t count = 0;
    for (; count < samples && counts[static_cast<size_t>(count)] > step; ++count) places.push_back(step * samples + count);
    sizes.push_back(count);
  }
  Shape rows{steps * samples};
  rows.insert(rows.end(), x.shape().begin() + 2, x.shape().end());
  const int64_t all = static_cast<int64_t>(places.size());
  return {rows_at(reshape(x, rows), places, {all}), array_of(sizes, lengths.device())};
}

// {the sequences with `padding` behind the ends of shorter ones, their lengths}.
std::vector<Array> pad_packed(const Array& rows, const Array& batch_sizes, bool is_batch_first, double padding,
                              int64_t total_length) {
  const std::vector<int64_t> counts = packed_counts(rows, batch_sizes);
  const int64_t samples = counts[0], steps = std::max<int64_t>(total_length, static_cast<int64_t>(counts.size()));
  std::vector<int64_t> lengths(static_cast<size_t>(samples), 0), places;
  int64_t start = 0;
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t count = step < static_cast<int64_t>(counts.size()) ? counts[static_cast<size_t>(step)] : 0;
    for (int64_t i = 0; i < samples; ++i) places.push_back(i < count ? start + i : -1);
    for (int64_t i = 0; i < count; ++i) ++lengths[static_cast<size_t>(i)];
    start += count;
  }
  std::vector<uint8_t> is_there;
  for (int64_t& place : places) is_there.push_back(place >= 0), place = std::max<int64_t>(place, 0);
  Array out = rows_at(rows, places, {steps, samples});
  Shape shape(out.rank(), 1);
  shape[0] = steps, shape[1] = samples;
  const Array there = reshape(astype(array_of(is_there, rows.device()), DType::boolean), shape);
  out = where(there, out, full({}, fitted_as_torch(real_number(padding), rows.dtype()), rows.dtype(), rows.device()));
  return {is_batch_first ? moveaxis(out, 1, 0) : out, array_of(lengths, batch_sizes.device())};
}

// The sequences side by side, with `padding` behind the ends of shorter ones or, "left", before their starts.
Array pad_sequence(const Tensors& sequences, bool is_batch_first, double padding, std::string_view side) {
  if (sequences.all.empty()) raise(ErrorKind::runtime, "received an empty list of sequences");
  if (side != "left" && side != "right")
    raise(ErrorKind::runtime, "Expected padding_side to be one of left or right, but got {}.", side);
  const Array& first = sequences.all[0];
  int64_t longest = 0;
  for (const Array& one : sequences.all) {
    if (one.rank() == 0) raise(ErrorKind::runtime, "pad_sequence expects sequences of one dimension or more, but got a number");
    Shape room = first.shape();
    room[0] = one.shape()[0];
    if (one.rank() > room.size())
      raise(ErrorKind::runtime, "output with shape {} doesn't match the broadcast shape {}", in_brackets(room),
            in_brackets(one.shape()));
    longest = std::max(longest, one.shape()[0]);
    for (size_t d = 1; d < one.rank(); ++d)
      if (const int64_t size = first.shape()[first.rank() - one.rank() + d]; one.shape()[d] != size && one.shape()[d] != 1)
        raise(ErrorKind::runtime, "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}",
              size, one.shape()[d], d);
  }
  const auto samples = static_cast<int64_t>(sequences.all.size());
  Shape shape = first.shape();
  shape[0] = longest;
  shape.insert(shape.begin() + !is_batch_first, samples);
  const Array out = full(shape, fitted_as_torch(real_number(padding), first.dtype()), first.dtype(), first.device());
  for (int64_t i = 0; i < samples; ++i) {
    const Array& one = sequences.all[static_cast<size_t>(i)];
    const int64_t from = side == "left" ? longest - one.shape()[0] : 0;
    assign(part(element(out, !is_batch_first, i), 0, from, from + one.shape()[0]), Argument(one));
  }
  return out;
}

}  // namespace quern::nn
