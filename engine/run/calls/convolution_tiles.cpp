#include "run/calls/convolution_tiles.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "core/error.h"
#include "device/cpu.h"
#include "device/host_gemm.h"
#include "run/calls/call_launch.h"
#include "run/calls/convolution_direct.h"

namespace quern {

ConvolutionSizes ConvolutionOnHost::sizes() const {
  const Shape &x = input.shape(), &w = weight.shape(), &y = result.shape();
  return {x[0], x[1], w[0], {x[2], x[3], x[4]}, {w[2], w[3], w[4]}, {y[2], y[3], y[4]}};
}

namespace {

// Bytes of a tile of patches, which stay in a core's second cache while they are multiplied; the fewest and most positions of
// one.
constexpr int64_t tile_bytes = 512 << 10, least_tile = 64, most_tile = 1024;

struct Axis {
  int64_t size, stride;
};
// The step of axes that count as one, the innermost last; none where their elements are not evenly spaced.
std::optional<int64_t> one_step(std::initializer_list<Axis> axes) {
  int64_t step = 0, next = 0;
  for (const Axis* axis = axes.end(); axis-- != axes.begin();) {
    if (axis->size == 1) continue;
    if (step == 0) step = next = axis->stride;
    if (axis->stride != next) return std::nullopt;
    next *= axis->size;
  }
  return step == 0 ? 1 : step;
}

// Of the elements of a patch of weights with five axes.
std::optional<int64_t> patch_step(const Layout& weight, bool is_last) {
  auto axis = [&](size_t i) { return Axis{weight.shape[i], weight.strides[i]}; };
  return is_last ? one_step({axis(2), axis(3), axis(4), axis(1)}) : one_step({axis(1), axis(2), axis(3), axis(4)});
}

struct Tile {
  int64_t from, to;  // positions of all samples
  int64_t size() const { return to - from; }
};

// An array with a value for each channel and position: matrices of some channels and the positions of a tile.
template <class T>
class Planes {
 public:
  explicit Planes(const CallView& view) : data_(reinterpret_cast<T*>(view.data)) {
    const Shape& shape = view.shape();
    const auto& strides = view.strides();
    positions_ = shape[2] * shape[3] * shape[4];
    sample_ = strides[0], channel_ = strides[1];
    const auto step = one_step({{shape[2], strides[2]}, {shape[3], strides[3]}, {shape[4], strides[4]}});
    is_even_ = step.has_value();
    step_ = positions_ == 1 ? sample_ : step.value_or(1);
    is_one_ = shape[0] == 1 || sample_ == positions_ * step_;
    is_ready_ = is_even_ && (step_ == 1 || channel_ == 1 || (positions_ == 1 && shape[0] == 1));
  }

  bool is_ready() const { return is_ready_; }
  // Does the tile lie as one matrix?
  bool is_matrix(Tile tile) const { return is_one_ || tile.from / positions_ == (tile.to - 1) / positions_; }
  HostMatrix<T> matrix(int64_t channel, int64_t position) const {
    return {data_ + position / positions_ * sample_ + position % positions_ * step_ + channel * channel_, channel_, step_};
  }
  // The same, gathered in `room` where it does not lie as one.
  HostMatrix<const T> read(int64_t channel, int64_t channels, Tile tile, T* room) const {
    if (is_matrix(tile)) {
      const HostMatrix<T> found = matrix(channel, tile.from);
      return {found.data, found.down, found.across};
    }
    each_part(channel, channels, tile, [&](T* own, int64_t row, int64_t column, int64_t count) {
      T* to = room + row * tile.size() + column;
      for (int64_t i = 0; i < count; ++i) to[i] = own[i * step_];
    });
    return {room, tile.size(), 1};
  }
  void write(int64_t channel, int64_t channels, Tile tile, const T* room) const {
    each_part(channel, channels, tile, [&](T* own, int64_t row, int64_t column, int64_t count) {
      const T* from = room + row * tile.size() + column;
      for (int64_t i = 0; i < count; ++i) own[i * step_] = from[i];
    });
  }

 private:
  // f(first element, row, column, count) for each channel of each sample in the tile.
  template <class F>
  void each_part(int64_t channel, int64_t channels, Tile tile, const F& f) const {
    for (int64_t at = tile.from; at < tile.to;) {
      const int64_t end = std::min(tile.to, (at / positions_ + 1) * positions_);
      const HostMatrix<T> part = matrix(channel, at);
      for (int64_t row = 0; row < channels; ++row) f(part.data + row * channel_, row, at - tile.from, end - at);
      at = end;
    }
  }

  T* data_;
  int64_t positions_, sample_, channel_, step_;
  bool is_even_, is_one_, is_ready_;
};

// The elements of the input under the kernel, as the weights count them: a patch is a column for channels first, a row for last.
template <class T>
class Patches {
 public:
  explicit Patches(const ConvolutionOnHost& c)
      : data_(reinterpret_cast<T*>(c.input.data)), sizes_(c.sizes()), steps_(c.steps), is_last_(c.is_last) {
    std::ranges::copy(c.input.strides(), strides_.begin());
    channels_ = c.weight.shape()[1];
    offsets_ = sizes_.kernel[0] * sizes_.kernel[1] * sizes_.kernel[2];
    are_rows_together_ =
        is_last_ && steps_.groups == 1 && steps_.dilation[2] == 1 && strides_[4] == channels_ && strides_[1] == 1;
    step_ = is_last_ ? strides_[1] : strides_[4] * steps_.stride[2];
  }

  int64_t length() const { return channels_ * offsets_; }
  int64_t unit() const { return is_last_ ? channels_ : 1; }  // a part of a patch begins and ends at a multiple of it

  // Elements [from, to) of the patches of a tile.
  HostMatrix<const T> gather(int64_t group, int64_t from, int64_t to, Tile tile, T* room) const {
    each_run(group, from, to, tile, [&](int64_t place, int64_t count, const T* own) {
      T* out = room + place;
      if (!own)
        std::fill_n(out, count, T(0));
      else if (step_ == 1)
        std::copy_n(own, count, out);
      else
        for (int64_t i = 0; i < count; ++i) out[i] = own[i * step_];
    });
    return is_last_ ? HostMatrix<const T>{room, 1, to - from} : HostMatrix<const T>{room, tile.size(), 1};
  }
  void add_back(int64_t group, Tile tile, const T* room) const {
    each_run(group, 0, length(), tile, [&](int64_t place, int64_t count, T* own) {
      if (!own) return;
      for (int64_t i = 0; i < count; ++i) own[i * step_] += room[place + i];
    });
  }
  HostMatrix<T> room_for(Tile tile, T* room) const {
    return is_last_ ? HostMatrix<T>{room, 1, length()} : HostMatrix<T>{room, tile.size(), 1};
  }

 private:
  struct Position {
    int64_t sample, out[Steps::axes];
  };
  Position position(int64_t at) const {
    const auto& out = sizes_.out;
    return {at / (out[0] * out[1] * out[2]), {at / (out[1] * out[2]) % out[0], at / out[2] % out[1], at % out[2]}};
  }
  struct Offset {
    int64_t at[Steps::axes];
  };
  Offset offset(int64_t i) const {
    const auto& kernel = sizes_.kernel;
    return {i / (kernel[1] * kernel[2]), i / kernel[2] % kernel[1], i % kernel[2]};
  }
  int64_t place(size_t axis, int64_t out, int64_t offset) const {
    return out * steps_.stride[axis] - steps_.before[axis] + offset * steps_.dilation[axis];
  }
  bool is_inside(size_t axis, int64_t place) const { return place >= 0 && place < sizes_.in[axis]; }
  static int64_t at_least(int64_t value, int64_t step) { return value <= 0 ? 0 : (value + step - 1) / step; }

  // f(place in the tile's matrix, count, elements of the input or null for zeros) for runs along memory.
  template <class F>
  void each_run(int64_t group, int64_t from, int64_t to, Tile tile, const F& f) const {
    T* own = data_ + group * channels_ * strides_[1];
    is_last_ ? along_channels(own, from / channels_, to / channels_, tile, f) : along_positions(own, from, to, tile, f);
  }

  template <class F>
  void along_positions(T* own, int64_t from, int64_t to, Tile tile, const F& f) const {
    const int64_t width = sizes_.out[2];
    for (int64_t at = tile.from; at < tile.to;) {
      const Position p = position(at);
      const int64_t count = std::min(tile.to - at, width - p.out[2]), first = p.out[2], end = first + count;
      T* sample = own + p.sample * strides_[0];
      for (int64_t k = from; k < to; ++k) {
        const Offset o = offset(k % offsets_);
        const int64_t out = (k - from) * tile.size() + at - tile.from;
        const int64_t z = place(0, p.out[0], o.at[0]), y = place(1, p.out[1], o.at[1]), before = -place(2, 0, o.at[2]);
        if (!is_inside(0, z) || !is_inside(1, y)) {
          f(out, count, nullptr);
          continue;
        }
        const int64_t low = std::clamp(at_least(before, steps_.stride[2]), first, end);
        const int64_t high = std::clamp(at_least(sizes_.in[2] + before, steps_.stride[2]), low, end);
        T* row = sample + k / offsets_ * strides_[1] + z * strides_[2] + y * strides_[3];
        if (low > first) f(out, low - first, nullptr);
        if (high > low) f(out + low - first, high - low, row + (low * steps_.stride[2] - before) * strides_[4]);
        if (end > high) f(out + high - first, end - high, nullptr);
      }
      at += count;
    }
  }

  template <class F>
  void along_channels(T* own, int64_t from, int64_t to, Tile tile, const F& f) const {
    const int64_t row_length = (to - from) * channels_, width = sizes_.kernel[2];
    for (int64_t at = tile.from; at < tile.to; ++at) {
      const Position p = position(at);
      T* sample = own + p.sample * strides_[0];
      const int64_t x = place(2, p.out[2], 0);
      for (int64_t k = from; k < to;) {
        const Offset o = offset(k);
        const int64_t end = std::min(to, k + width - o.at[2]), out = (at - tile.from) * row_length + (k - from) * channels_;
        const int64_t z = place(0, p.out[0], o.at[0]), y = place(1, p.out[1], o.at[1]);
        T* row = sample + z * strides_[2] + y * strides_[3];
        if (!is_inside(0, z) || !is_inside(1, y))
          f(out, (end - k) * channels_, nullptr);
        else if (are_rows_together_ && x + o.at[2] >= 0 && x + o.at[2] + end - k <= sizes_.in[2])
          f(out, (end - k) * channels_, row + (x + o.at[2]) * strides_[4]);
        else
          for (int64_t i = 0; i < end - k; ++i) {
            const int64_t place = x + (o.at[2] + i) * steps_.dilation[2];
            f(out + i * channels_, channels_, is_inside(2, place) ? row + place * strides_[4] : nullptr);
          }
        k = end;
      }
    }
  }

  T* data_;
  ConvolutionSizes sizes_;
  Steps steps_;
  bool is_last_, are_rows_together_;
  std::array<int64_t, 5> strides_;
  int64_t channels_, offsets_, step_;
};

// Each sample's positions in tiles of about one size, or whole samples in one where they are small.
struct Tiling {
  int64_t positions, samples, size;

  Tiling(const ConvolutionSizes& sizes, int64_t length, size_t bytes)
      : positions(sizes.out[0] * sizes.out[1] * sizes.out[2]), samples(sizes.samples) {
    const int64_t fit = tile_bytes / std::max<int64_t>(1, length * static_cast<int64_t>(bytes));
    const int64_t most = std::clamp(fit, least_tile, most_tile);
    if (positions >= least_tile) {
      const int64_t tiles = (positions + most - 1) / most;
      size = (positions + tiles - 1) / tiles;
    } else {
      size = std::max<int64_t>(1, most / std::max<int64_t>(1, positions)) * positions;
    }
  }
  bool splits_samples() const { return size < positions; }
  int64_t for_a_sample() const { return (positions + size - 1) / size; }
  int64_t count() const {
    if (positions == 0) return 0;
    return splits_samples() ? samples * for_a_sample() : (samples * positions + size - 1) / size;
  }
  Tile tile(int64_t i) const {
    if (!splits_samples()) return {i * size, std::min((i + 1) * size, samples * positions)};
    const int64_t sample = i / for_a_sample(), from = i % for_a_sample() * size;
    return {sample * positions + from, sample * positions + std::min(from + size, positions)};
  }
};

template <class T>
class OnHost {
 public:
  explicit OnHost(const ConvolutionOnHost& c)
      : c_(c),
        sizes_(c.sizes()),
        patches_(c),
        input_(c.input),
        result_(c.result),
        tiling_(sizes_, patches_.length(), sizeof(T)),
        results_(sizes_.results / c.steps.groups),
        channels_(c.weight.shape()[1]) {
    const auto& w = c.weight;
    const std::optional<int64_t> step = patch_step(*w.layout, c.is_last);
    if (!step) bug("weights of a convolution that lie unevenly");
    weight_ = {reinterpret_cast<T*>(w.data), w.strides()[0], *step};
    is_pointwise_ = input_.is_ready() && sizes_.in == sizes_.out &&
                    std::ranges::all_of(sizes_.kernel, [](int64_t n) { return n == 1; }) &&
                    std::ranges::all_of(c.steps.stride, [](int64_t n) { return n == 1; });
  }

  void run() const {
    switch (c_.what) {
      case Convolved::result:
        return results();
      case Convolved::input:
        return inputs();
      case Convolved::weight:
        return weights();
    }
  }

 private:
  struct Rooms {
    std::unique_ptr<T[]> patches, planes;
  };
  Rooms rooms() const {
    const auto size = static_cast<size_t>(tiling_.size);
    return {std::make_unique_for_overwrite<T[]>(size * static_cast<size_t>(patches_.length())),
            std::make_unique_for_overwrite<T[]>(size * static_cast<size_t>(std::max(results_, channels_)))};
  }
  HostMatrix<const T> weight(int64_t group) const {
    return {weight_.data + group * results_ * weight_.down, weight_.down, weight_.across};
  }

  void results() const {
    in_slices(
        c_.steps.groups * tiling_.count(),
        [&](int64_t from, int64_t to) {
          OneBlasThread alone;
          const Rooms rooms = this->rooms();
          for (int64_t i = from; i < to; ++i) result_of(i / tiling_.count(), tiling_.tile(i % tiling_.count()), rooms);
        },
        1);
  }
  void result_of(int64_t group, Tile tile, const Rooms& rooms) const {
    const HostMatrix<const T> patches = read_patches(group, 0, patches_.length(), tile, rooms);
    const bool is_matrix = result_.is_matrix(tile);
    HostMatrix<T> out{rooms.planes.get(), tile.size(), 1};
    if (is_matrix) out = result_.matrix(group * results_, tile.from);
    multiply_matrices<T>(weight(group), patches, out, results_, tile.size(), patches_.length(), false);
    if (!is_matrix) result_.write(group * results_, results_, tile, out.data);
  }
  // A kernel of one element reads its patches where they lie.
  HostMatrix<const T> read_patches(int64_t group, int64_t from, int64_t to, Tile tile, const Rooms& rooms) const {
    if (is_pointwise_) return input_.read(group * channels_ + from, to - from, tile, rooms.patches.get());
    return patches_.gather(group, from, to, tile, rooms.patches.get());
  }

  void inputs() const {
    const size_t elements = static_cast<size_t>(c_.input.layout->elements);
    if (!is_pointwise_) std::memset(c_.input.data, 0, elements * sizeof(T));
    // The patches of a sample overlap: one thread adds them up.
    const int64_t together = tiling_.splits_samples() ? tiling_.for_a_sample() : 1;
    const int64_t parts = tiling_.count() / together;
    in_slices(
        c_.steps.groups * parts,
        [&](int64_t from, int64_t to) {
          OneBlasThread alone;
          const Rooms rooms = this->rooms();
          for (int64_t i = from * together; i < to * together; ++i)
            input_of(i / tiling_.count(), tiling_.tile(i % tiling_.count()), rooms);
        },
        1);
  }
  void input_of(int64_t group, Tile tile, const Rooms& rooms) const {
    const HostMatrix<const T> given = result_.read(group * results_, results_, tile, rooms.planes.get());
    HostMatrix<T> out = patches_.room_for(tile, rooms.patches.get());
    const bool is_in_place = is_pointwise_ && input_.is_matrix(tile);
    if (is_pointwise_) out = is_in_place ? input_.matrix(group * channels_, tile.from) : HostMatrix<T>{out.data, tile.size(), 1};
    multiply_matrices<T>(weight(group).turned(), given, out, patches_.length(), tile.size(), results_, false);
    if (is_in_place) return;
    is_pointwise_ ? input_.write(group * channels_, channels_, tile, out.data) : patches_.add_back(group, tile, out.data);
  }

  // Each part of the weights is the sum over all tiles, in order.
  void weights() const {
    const int64_t length = patches_.length(), unit = patches_.unit();
    const auto threads = static_cast<int64_t>(cpu_threads());
    const int64_t across = std::clamp<int64_t>(length / std::max<int64_t>(unit, 8), 1, threads);
    const int64_t down = std::clamp<int64_t>(threads / (across * c_.steps.groups), 1, std::max<int64_t>(1, results_ / 8));
    auto share = [](int64_t all, int64_t unit, int64_t i, int64_t n) { return all / unit * i / n * unit; };
    in_slices(
        c_.steps.groups * across * down,
        [&](int64_t from, int64_t to) {
          OneBlasThread alone;
          const Rooms rooms = this->rooms();
          for (int64_t i = from; i < to; ++i) {
            const int64_t x = i % across, y = i / across % down;
            weight_of(i / across / down, share(results_, 1, y, down), share(results_, 1, y + 1, down),
                      share(length, unit, x, across), share(length, unit, x + 1, across), rooms);
          }
        },
        1);
  }
  void weight_of(int64_t group, int64_t first, int64_t last, int64_t from, int64_t to, const Rooms& rooms) const {
    const HostMatrix<T> out{weight_.data + (group * results_ + first) * weight_.down + from * weight_.across, weight_.down,
                            weight_.across};
    for (int64_t i = 0; i < tiling_.count(); ++i) {
      const Tile tile = tiling_.tile(i);
      const HostMatrix<const T> patches = read_patches(group, from, to, tile, rooms);
      const HostMatrix<const T> given = result_.read(group * results_ + first, last - first, tile, rooms.planes.get());
      multiply_matrices<T>(given, patches.turned(), out, last - first, to - from, tile.size(), i > 0);
    }
  }

  ConvolutionOnHost c_;
  ConvolutionSizes sizes_;
  Patches<T> patches_;
  Planes<T> input_, result_;
  Tiling tiling_;
  int64_t results_, channels_;  // of a group
  HostMatrix<T> weight_{};
  bool is_pointwise_;
};

}  // namespace

bool is_matrix(const Layout& weight, bool is_last) {
  const std::optional<int64_t> step = patch_step(weight, is_last);
  const int64_t patches = weight.strides[0];
  return step && (*step == 1 || patches == 1) && *step >= 1 && patches >= 1;
}

void convolve_on_host(const ConvolutionOnHost& convolution) {
  if (is_for_direct(convolution) && convolve_directly(convolution)) return;
  switch (convolution.input.dtype) {
    case DType::float32:
      return OnHost<float>(convolution).run();
    case DType::float64:
      return OnHost<double>(convolution).run();
    case DType::complex64:
      return OnHost<std::complex<float>>(convolution).run();
    case DType::complex128:
      return OnHost<std::complex<double>>(convolution).run();
    default:
      bug("a convolution of {} on the CPU", row(convolution.input.dtype).name);
  }
}

}  // namespace quern
