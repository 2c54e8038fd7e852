#include "run/calls/convolution_direct.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "device/cpu.h"
#include "run/calls/call_launch.h"
#include "run/calls/convolution_levels.h"

namespace quern {

namespace {

using direct::Loops;
using direct::Tap;

template <class T>
const Loops<T>& loops();
template <>
const Loops<float>& loops<float>() {
  static const direct::LoopsOfLevels<float> all{&direct::float_loops_baseline
#if QUERN_TIER0_LEVELS
                                                ,
                                                &direct::float_loops_avx2, &direct::float_loops_avx512
#endif
  };
  return *tier0::best(all);
}
template <>
const Loops<double>& loops<double>() {
  static const direct::LoopsOfLevels<double> all{&direct::double_loops_baseline
#if QUERN_TIER0_LEVELS
                                                 ,
                                                 &direct::double_loops_avx2, &direct::double_loops_avx512
#endif
  };
  return *tier0::best(all);
}

int64_t remainder_of(int64_t a, int64_t b) { return (a % b + b) % b; }
int64_t rounded_up(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

// An array of channels and positions that is read, or that is computed or given for each position of the loops.
template <class T>
struct Side {
  T* data;
  std::array<int64_t, 5> strides;
  std::array<int64_t, 3> sizes;
  std::array<int64_t, 3> phases;  // remainders of positions by the stride, where they are apart
  int64_t channels;               // of a group

  Side(const CallView& view, int64_t groups, const std::array<int64_t, 3>& phases)
      : data(reinterpret_cast<T*>(view.data)), phases(phases), channels(view.shape()[1] / groups) {
    std::ranges::copy(view.strides(), strides.begin());
    std::ranges::copy(view.shape().begin() + 2, view.shape().end(), sizes.begin());
  }
  T* plane(int64_t sample, int64_t channel, int64_t depth) const {
    return data + sample * strides[0] + channel * strides[1] + depth * strides[2];
  }
};

template <class T>
void copy_row(const T* from, int64_t from_step, int64_t count, T* to, int64_t to_step) {
  if (from_step == 1 && to_step == 1) return void(std::copy_n(from, count, to));
  for (int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
}

// An element of the kernel along an axis, for results of a phase: which of the source's positions it meets.
struct Meeting {
  int64_t phase, shift;
};

template <class T>
class Direct {
 public:
  explicit Direct(const ConvolutionOnHost& c)
      : c_(c),
        is_back_(c.what == Convolved::input),
        kernel_(c.sizes().kernel),
        source_(is_back_ ? c.result : c.input, c.steps.groups, is_back_ ? ones : c.steps.stride),
        target_(is_back_ ? c.input : c.result, c.steps.groups, is_back_ ? c.steps.stride : ones),
        loops_(loops<T>()) {
    for (size_t axis : {1, 2}) set_extent(axis);
    columns_ = rows_[1] * extent_[2];
    step_ = rounded_up(columns_, loops_.block);
    plane_ = extent_[1] * extent_[2];
    taps_ = source_.channels * kernel_[0] * kernel_[1] * kernel_[2];
    blocks_ = (target_.channels + loops_.rows - 1) / loops_.rows;
    find_lists();
  }

  bool run() {
    if (c_.what == Convolved::weight) return weights();
    pack();
    sums();
    return true;
  }

 private:
  static constexpr std::array<int64_t, 3> ones{1, 1, 1};

  std::optional<Meeting> meeting(size_t axis, int64_t k, int64_t phase) const {
    const int64_t s = c_.steps.stride[axis], from = k * c_.steps.dilation[axis] - c_.steps.before[axis];
    if (!is_back_) return Meeting{remainder_of(from, s), (from - remainder_of(from, s)) / s};
    if (remainder_of(phase - from, s) != 0) return std::nullopt;
    return Meeting{0, (phase - from) / s};
  }

  // Which of the source's positions a plane holds along an axis: from first_ on, so many.
  void set_extent(size_t axis) {
    int64_t last = std::numeric_limits<int64_t>::min();
    first_[axis] = std::numeric_limits<int64_t>::max();
    for (int64_t k = 0; k < kernel_[axis]; ++k) {
      for (int64_t phase = 0; phase < target_.phases[axis]; ++phase) {
        const std::optional<Meeting> found = meeting(axis, k, phase);
        if (!found) continue;
        first_[axis] = std::min(first_[axis], found->shift);
        last = std::max(last, found->shift);
      }
    }
    rows_[axis] = (target_.sizes[axis] + target_.phases[axis] - 1) / target_.phases[axis];
    extent_[axis] = rows_[axis] + last - first_[axis];
  }

  int64_t plane_at(int64_t channel, int64_t depth, int64_t phase1, int64_t phase2) const {
    return (((channel * source_.sizes[0] + depth) * source_.phases[1] + phase1) * source_.phases[2] + phase2) * plane_;
  }
  int64_t room_for_planes() const {  // and for what the loops read behind the last one
    return rounded_up(plane_at(source_.channels, 0, 0, 0) + loops_.block + extent_[2], loops_.block);
  }

  // The results of one depth and one phase are a list's: the taps that meet something.
  struct List {
    int64_t depth, phase1, phase2;
    std::vector<Tap> taps;
  };
  void find_lists() {
    for (int64_t depth = 0; depth < target_.sizes[0]; ++depth)
      for (int64_t a = 0; a < target_.phases[1]; ++a)
        for (int64_t b = 0; b < target_.phases[2]; ++b) lists_.push_back({depth, a, b, taps_of(depth, a, b)});
  }
  std::vector<Tap> taps_of(int64_t depth, int64_t a, int64_t b) const {
    std::vector<Tap> out;
    const int64_t s = c_.steps.stride[0];
    for (int64_t k0 = 0; k0 < kernel_[0]; ++k0) {
      const std::optional<Meeting> z = meeting(0, k0, remainder_of(depth, target_.phases[0]));
      if (!z) continue;
      const int64_t at = is_back_ ? depth / s + z->shift : (depth + z->shift) * s + z->phase;
      if (at < 0 || at >= source_.sizes[0]) continue;
      for (int64_t k1 = 0; k1 < kernel_[1]; ++k1) {
        const std::optional<Meeting> y = meeting(1, k1, a);
        if (!y) continue;
        for (int64_t k2 = 0; k2 < kernel_[2]; ++k2) {
          const std::optional<Meeting> x = meeting(2, k2, b);
          if (!x) continue;
          const int64_t from = (y->shift - first_[1]) * extent_[2] + x->shift - first_[2];
          for (int64_t channel = 0; channel < source_.channels; ++channel)
            out.push_back({plane_at(channel, at, y->phase, x->phase) + from, number_of(channel, k0, k1, k2) * loops_.rows});
        }
      }
    }
    std::ranges::sort(out, {}, &Tap::weights);  // channel by channel: what is read next lies near
    return out;
  }
  int64_t number_of(int64_t channel, int64_t k0, int64_t k1, int64_t k2) const {
    return ((channel * kernel_[0] + k0) * kernel_[1] + k1) * kernel_[2] + k2;
  }

  // f(place among the packed weights, the weight): in blocks of rows, the rows of a tap one after the other.
  template <class F>
  void each_weight(const F& f) const {
    in_slices(
        c_.steps.groups * blocks_,
        [&](int64_t from, int64_t to) {
          for (int64_t i = from; i < to; ++i)
            for (int64_t row = 0; row < rows_of(i % blocks_); ++row) each_weight_of(i, row, f);
        },
        std::max<int64_t>(1, 16384 / (taps_ * loops_.rows)));
  }
  template <class F>
  void each_weight_of(int64_t block, int64_t row, const F& f) const {
    const auto& strides = c_.weight.strides();
    const int64_t group = block / blocks_, target = block % blocks_ * loops_.rows + row;
    const int64_t results = (is_back_ ? source_ : target_).channels;
    T* data = reinterpret_cast<T*>(c_.weight.data) + group * results * strides[0];
    int64_t at = block * taps_ * loops_.rows + row;
    for (int64_t channel = 0; channel < source_.channels; ++channel) {
      T* own = data + (is_back_ ? channel : target) * strides[0] + (is_back_ ? target : channel) * strides[1];
      for (int64_t k0 = 0; k0 < kernel_[0]; ++k0)
        for (int64_t k1 = 0; k1 < kernel_[1]; ++k1)
          for (int64_t k2 = 0; k2 < kernel_[2]; ++k2, at += loops_.rows)
            f(at, own[k0 * strides[2] + k1 * strides[3] + k2 * strides[4]]);
    }
  }
  size_t packed_size() const { return static_cast<size_t>(c_.steps.groups * blocks_ * taps_ * loops_.rows); }
  void pack() {
    packed_.assign(packed_size(), T(0));
    each_weight([&](int64_t at, T weight) { packed_[static_cast<size_t>(at)] = weight; });
  }
  int64_t weights_of(int64_t group, int64_t block) const { return (group * blocks_ + block) * taps_ * loops_.rows; }
  int64_t rows_of(int64_t block) const { return std::min(loops_.rows, target_.channels - block * loops_.rows); }

  // Copies the planes of a sample's group.
  void copy_planes(int64_t sample, int64_t group, T* room) const {
    for (int64_t channel = 0; channel < source_.channels; ++channel)
      for (int64_t depth = 0; depth < source_.sizes[0]; ++depth)
        for (int64_t a = 0; a < source_.phases[1]; ++a)
          for (int64_t b = 0; b < source_.phases[2]; ++b)
            copy_plane(source_.plane(sample, group * source_.channels + channel, depth), a, b,
                       room + plane_at(channel, depth, a, b));
  }
  void copy_plane(const T* own, int64_t a, int64_t b, T* to) const {
    const int64_t s1 = source_.phases[1], s2 = source_.phases[2], step = s2 * source_.strides[4];
    // Columns [low, high) of the plane are positions of the source.
    auto at_least = [](int64_t x, int64_t s) { return x <= 0 ? 0 : (x + s - 1) / s; };
    const int64_t low = std::min(std::max<int64_t>(0, -first_[2]), extent_[2]);
    const int64_t high = std::clamp(at_least(source_.sizes[2] - b, s2) - first_[2], low, extent_[2]);
    for (int64_t row = 0; row < extent_[1]; ++row, to += extent_[2]) {
      const int64_t y = (row + first_[1]) * s1 + a;
      if (y < 0 || y >= source_.sizes[1]) {
        std::fill_n(to, extent_[2], T(0));
        continue;
      }
      std::fill_n(to, low, T(0));
      copy_row(own + y * source_.strides[3] + ((low + first_[2]) * s2 + b) * source_.strides[4], step, high - low, to + low, 1);
      std::fill_n(to + high, extent_[2] - high, T(0));
    }
  }

  void sums() const {
    const int64_t groups = c_.steps.groups, samples = c_.sizes().samples, threads = static_cast<int64_t>(cpu_threads());
    const int64_t parts = std::clamp<int64_t>(threads / std::max<int64_t>(1, samples * groups), 1, blocks_);
    in_slices(
        samples * groups * parts,
        [&](int64_t from, int64_t to) {
          auto planes = std::make_unique<T[]>(static_cast<size_t>(room_for_planes()));
          auto out = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(loops_.rows * step_));
          for (int64_t i = from; i < to; ++i) {
            const int64_t part = i % parts, group = i / parts % groups, sample = i / parts / groups;
            if (i == from || part == 0) copy_planes(sample, group, planes.get());
            for (int64_t block = blocks_ * part / parts; block < blocks_ * (part + 1) / parts; ++block)
              for (const List& list : lists_) sums_of(list, sample, group, block, planes.get(), out.get());
          }
        },
        1);
  }
  void sums_of(const List& list, int64_t sample, int64_t group, int64_t block, const T* planes, T* out) const {
    const int64_t rows = rows_of(block);
    loops_.sums({planes, list.taps.data(), static_cast<int64_t>(list.taps.size()), packed_.data() + weights_of(group, block), out,
                 rows, step_, columns_});
    for (int64_t row = 0; row < rows; ++row) {
      T* to = target_.plane(sample, group * target_.channels + block * loops_.rows + row, list.depth);
      each_row(list, [&](int64_t at, int64_t y, int64_t x, int64_t count) {
        copy_row(out + row * step_ + at, 1, count, to + y * target_.strides[3] + x * target_.strides[4],
                 target_.phases[2] * target_.strides[4]);
      });
    }
  }
  // f(place among the columns, the target's row and first column, how many) for each row of the target of a phase.
  template <class F>
  void each_row(const List& list, const F& f) const {
    const int64_t s1 = target_.phases[1], s2 = target_.phases[2];
    const int64_t count = (target_.sizes[2] - list.phase2 + s2 - 1) / s2;
    for (int64_t y = list.phase1, at = 0; y < target_.sizes[1]; y += s1, at += extent_[2]) f(at, y, list.phase2, count);
  }

  // Sums over some samples each, so many that it does not depend on the number of threads.
  bool weights() {
    const int64_t groups = c_.steps.groups, samples = c_.sizes().samples, threads = static_cast<int64_t>(cpu_threads());
    const int64_t sums = std::min<int64_t>(samples, 16);
    const int64_t parts = std::clamp<int64_t>(threads / std::max<int64_t>(1, sums * groups), 1, blocks_);
    packed_.assign(packed_size() * static_cast<size_t>(sums), T(0));
    std::atomic<bool> is_finite{true};
    in_slices(
        sums * groups * parts,
        [&](int64_t from, int64_t to) {
          auto planes = std::make_unique<T[]>(static_cast<size_t>(room_for_planes()));
          auto given = std::make_unique<T[]>(static_cast<size_t>(loops_.rows * step_));
          for (int64_t i = from; i < to; ++i) {
            const int64_t part = i % parts, group = i / parts % groups, sum = i / parts / groups;
            for (int64_t sample = samples * sum / sums; sample < samples * (sum + 1) / sums; ++sample) {
              copy_planes(sample, group, planes.get());
              if (!loops_.are_finite(planes.get(), room_for_planes())) is_finite = false;
              for (int64_t block = blocks_ * part / parts; block < blocks_ * (part + 1) / parts; ++block)
                for (const List& list : lists_) products_of(list, sample, group, block, sum, planes.get(), given.get());
            }
          }
        },
        1);
    if (!is_finite) return false;
    const int64_t all = static_cast<int64_t>(packed_size());
    each_weight([&](int64_t at, T& weight) {
      weight = 0;
      for (int64_t sum = 0; sum < sums; ++sum) weight += packed_[static_cast<size_t>(sum * all + at)];
    });
    return true;
  }
  void products_of(const List& list, int64_t sample, int64_t group, int64_t block, int64_t sum, const T* planes, T* given) {
    const int64_t rows = rows_of(block);
    for (int64_t row = 0; row < rows; ++row) {
      const T* own = target_.plane(sample, group * target_.channels + block * loops_.rows + row, list.depth);
      each_row(list, [&](int64_t at, int64_t y, int64_t, int64_t count) {
        copy_row(own + y * target_.strides[3], target_.strides[4], count, given + row * step_ + at, 1);
      });
    }
    T* weights = packed_.data() + sum * static_cast<int64_t>(packed_size()) + weights_of(group, block);
    loops_.products({planes, list.taps.data(), static_cast<int64_t>(list.taps.size()), weights, given, rows, step_, columns_});
  }

  ConvolutionOnHost c_;
  bool is_back_;
  std::array<int64_t, 3> kernel_;
  Side<T> source_, target_;
  const Loops<T>& loops_;
  std::array<int64_t, 3> first_{}, rows_{}, extent_{};
  int64_t columns_, step_, plane_, taps_, blocks_;
  std::vector<List> lists_;
  std::vector<T> packed_;
};

}  // namespace

// As measured on AVX2: docs/decisions/0019-direct-convolutions.md.
bool is_for_direct(const ConvolutionOnHost& c) {
  if (c.input.dtype != DType::float32 && c.input.dtype != DType::float64) return false;
  const ConvolutionSizes sizes = c.sizes();
  const bool is_back = c.what == Convolved::input;
  const int64_t kernel = sizes.kernel[0] * sizes.kernel[1] * sizes.kernel[2], groups = c.steps.groups;
  const int64_t results = sizes.results / groups, channels = sizes.channels / groups;
  const int64_t sources = is_back ? results : channels, rows = is_back ? channels : results;
  const auto& target = is_back ? sizes.in : sizes.out;
  const int64_t plane = target[1] * target[2], taps = sources * kernel;
  if (kernel == 1 || c.weight.layout->elements == 0) return false;
  if (c.is_last) {  // patches are rows of memory
    if (groups > 1) return sources <= 32;
    return c.what != Convolved::weight && rows > 1 && (sources <= 8 || (plane >= 196 && c.steps.stride[2] == 1));
  }
  if (c.what == Convolved::weight)
    return (taps >= 64 || groups > 1) && ((plane >= 160 && taps <= 300) || (plane >= 2000 && taps <= 640));
  if (rows == 1 && sources > 1) return false;
  return sources <= 32 || (plane >= 64 && sources <= 512);
}

bool convolve_directly(const ConvolutionOnHost& c) {
  if (c.input.dtype == DType::float32) return Direct<float>(c).run();
  return Direct<double>(c).run();
}

}  // namespace quern
