#include "run/calls/fourier_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <new>
#include <numbers>

#include "run/calls/fourier_costs.h"

namespace quern::fft {

namespace {

template <class T>
const LoopsOfLevels<T>& loops_of_levels();
template <>
const LoopsOfLevels<float>& loops_of_levels<float>() {
#if QUERN_TIER0_LEVELS
  static const LoopsOfLevels<float> all{&float_loops_baseline, &float_loops_avx2, &float_loops_avx512};
#else
  static const LoopsOfLevels<float> all{&float_loops_baseline};
#endif
  return all;
}
template <>
const LoopsOfLevels<double>& loops_of_levels<double>() {
#if QUERN_TIER0_LEVELS
  static const LoopsOfLevels<double> all{&double_loops_baseline, &double_loops_avx2, &double_loops_avx512};
#else
  static const LoopsOfLevels<double> all{&double_loops_baseline};
#endif
  return all;
}
}  // namespace

template <class T>
const Loops<T>& loops() {
  static const Loops<T>& best = *tier0::best(loops_of_levels<T>());
  return best;
}
template <class T>
const Loops<T>& loops_for(int64_t lines) {
  const Loops<T>& wide = loops<T>();
  if (tier0::level() != tier0::Level::avx512 || lines * 2 > wide.width) return wide;
  return *loops_of_levels<T>()[static_cast<size_t>(tier0::Level::avx2)];
}

template <class T>
Numbers<T>::Numbers(int64_t count) : bytes_((count * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64 + 64) {
  data_.reset(static_cast<T*>(::operator new(static_cast<size_t>(bytes_), std::align_val_t{64})));
}
template <class T>
void Numbers<T>::Free::operator()(T* p) const {
  ::operator delete(p, std::align_val_t{64});
}

// ---- roots

namespace {

template <class T>
Costs costs_of() {
  return Costs(loops<T>().width, sizeof(T));
}

// By symmetry from angles up to an eighth of the circle.
Roots::Root root(int64_t k, int64_t n) {
  auto angle = [&](int64_t a, int64_t b) {  // 2 pi a / b
    return 2 * std::numbers::pi_v<long double> * static_cast<long double>(a) / static_cast<long double>(b);
  };
  int64_t quarter = (8 * k + n) / (2 * n);  // the nearest multiple of a quarter
  long double rest = angle(4 * k - quarter * n, 4 * n), c = std::cos(rest), s = std::sin(rest);
  switch (quarter % 4) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

int64_t shift_for(int64_t n) {
  int64_t shift = 0;
  while ((int64_t{1} << (2 * shift)) < n) ++shift;
  return shift;
}

template <class T>
void put(T* to, Roots::Root root) {
  to[0] = static_cast<T>(root.re);
  to[1] = static_cast<T>(root.im);
}

}  // namespace

Roots::Roots(int64_t n) : shift_(shift_for(n)), mask_((int64_t{1} << shift_) - 1) {
  for (int64_t k = 0; k < n; k += mask_ + 1) coarse_.push_back(root(k, n));
  for (int64_t k = 0; k <= mask_ && k < n; ++k) fine_.push_back(root(k, n));
}

template <class T>
TurnsPlan<T>::TurnsPlan(int64_t n) {
  int64_t shift = shift_for(n), block = int64_t{1} << shift, blocks = (n + block - 1) / block, fine = block + loops<T>().width;
  coarse_ = Numbers<T>(2 * blocks);
  fine_ = Numbers<T>(2 * fine);
  for (int64_t k = 0; k < blocks; ++k) put(coarse_.data() + 2 * k, root(k * block, n));
  for (int64_t k = 0; k < fine; ++k) put(fine_.data() + 2 * k, root(k % n, n));
  turns_ = {coarse_.data(), fine_.data(), shift};
}

// ---- lines in lanes

template <class T>
Numbers<T>& StepsPlan<T>::numbers(int64_t count) {
  numbers_.emplace_back(count);
  bytes_ += numbers_.back().bytes();
  return numbers_.back();
}

template <class T>
StepsPlan<T>::StepsPlan(int64_t n) {
  if (int64_t within = costs_of<T>().lanes(n).within)
    convolve(n, within);
  else
    factorize(n);
}

template <class T>
void StepsPlan<T>::factorize(int64_t n) {
  steps_.n = n;
  int64_t length = n;
  for (int64_t radix : costs_of<T>().radices(n)) {
    int64_t m = length / radix;
    Roots roots(length);
    T* turns = numbers(2 * m * (radix - 1)).data();
    for (int64_t p = 0; p < m; ++p)
      for (int64_t k = 1; k < radix; ++k) put(turns + 2 * (p * (radix - 1) + k - 1), roots(p * k));
    T* circle = nullptr;
    if (radix > 16) {
      circle = numbers(2 * radix).data();
      for (int64_t k = 0; k < radix; ++k) put(circle + 2 * k, root(k, radix));
    }
    list_.push_back({radix, m, turns, circle});
    length = m;
  }
  steps_.steps = list_.data();
  steps_.count = static_cast<int64_t>(list_.size());
}

// k^2 / 2 of a circle of n, for k below n.
template <class T>
static void make_chirp(int64_t n, T* chirp) {
  Roots roots(2 * n);
  for (int64_t k = 0; k < n; ++k) {
    auto square = static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k) % static_cast<unsigned __int128>(2 * n);
    put(chirp + 2 * k, roots(static_cast<int64_t>(square)));
  }
}
// What numbers times the chirp are convolved with, before its transform.
template <class T>
static void make_filter(int64_t n, int64_t within, const T* chirp, T* filter) {
  std::fill_n(filter, 2 * within, T(0));
  T part = T(1) / static_cast<T>(within);
  for (int64_t k = 0; k < n; ++k) {
    T re = chirp[2 * k] * part, im = -chirp[2 * k + 1] * part;
    for (int64_t at : {k, (within - k) % within}) {
      filter[2 * at] = re;
      filter[2 * at + 1] = im;
    }
  }
}

template <class T>
void StepsPlan<T>::convolve(int64_t n, int64_t within) {
  factorize(within);
  T *chirp = numbers(2 * n).data(), *filter = numbers(2 * within).data();
  make_chirp(n, chirp);
  make_filter(n, within, chirp, filter);
  int64_t w = loops<T>().width;
  std::vector<int64_t> lines(static_cast<size_t>(w), 0);
  int64_t buffer = steps_.buffer();
  Numbers<T> room(4 * w * buffer);
  LanesJob<T> job{&steps_, Kind::forward, nullptr,     within, 1, {filter, lines.data(), 2, 1}, {filter, lines.data(), 2, 1},
                  T(1),    false,         room.data(), buffer};
  loops<T>().lanes(job);
  steps_.n = n;
  steps_.within = within;
  steps_.chirp = chirp;
  steps_.filter = filter;
}

// ---- one line

template <class T>
void LinePlan<T>::divide(int64_t n, int64_t n1) {
  int64_t w = loops<T>().width;
  split_.n1 = n1;
  split_.n2 = n / n1;
  first_ = std::make_unique<StepsPlan<T>>(n1);
  second_ = std::make_unique<StepsPlan<T>>(split_.n2);
  split_.first = &first_->steps();
  split_.second = &second_->steps();
  Roots roots(n);
  auto fill = [&](T* to, int64_t k, int64_t first) {  // a vector's pair
    for (int64_t l = 0; l < w; ++l) {
      T pair[2];
      put(pair, roots((first + l) % split_.n2 * k));
      to[l] = pair[0];
      to[w + l] = pair[1];
    }
  };
  constexpr int64_t most_turns = 8192;  // more would come from memory
  if (n <= most_turns) {
    turns_ = Numbers<T>(work());
    for (int64_t block = 0; block < blocks(); ++block)
      for (int64_t k = 0; k < n1; ++k) fill(turns_.data() + (block * n1 + k) * 2 * w, k, block * w);
    split_.turns = turns_.data();
  } else {
    turns_ = Numbers<T>(n1 * 2 * w);
    for (int64_t k = 0; k < n1; ++k) fill(turns_.data() + k * 2 * w, k, 0);
    split_.fine = turns_.data();
    coarse_ = std::make_unique<TurnsPlan<T>>(n);
    split_.coarse = coarse_->turns();
  }
}

template <class T>
LinePlan<T>::LinePlan(int64_t n, int64_t rows, int64_t within) : n_(n) {
  divide(within ? within : n, rows);
  if (!within) return;
  chirp_ = Numbers<T>(2 * n);
  filter_ = Numbers<T>(2 * within);
  make_chirp(n, chirp_.data());
  make_filter(n, within, chirp_.data(), filter_.data());
  Numbers<T> work(this->work()), room(this->room());
  int64_t line = 0;
  SplitJob<T> job{&split_, false, false, {filter_.data(), &line, 2, 1}, {filter_.data(), &line, 2, 1}, within, T(1), work.data()};
  loops<T>().columns(job, 0, blocks(), room.data());
  loops<T>().rows(job, 0, groups(), room.data());
}

template <class T>
int64_t LinePlan<T>::room() const {
  int64_t w = loops<T>().width;
  return 4 * w * (std::max(split_.first->buffer(), split_.second->buffer()) + w);
}

template <class T>
int64_t LinePlan<T>::bytes() const {
  int64_t out = first_->bytes() + second_->bytes() + turns_.bytes() + chirp_.bytes() + filter_.bytes();
  return out + (coarse_ ? coarse_->bytes() : 0);
}

// ---- plans

template <class T>
Plan<T>::Plan(int64_t n) : n_(n) {
  Costs costs = costs_of<T>();
  lanes_cost_ = costs.lanes(n).cost + Costs::moving() * static_cast<double>(n);
  line_ = costs.line(n);
}

template <class T>
int64_t Plan<T>::line_work() const {
  int64_t w = loops<T>().width, columns = (line_.within ? line_.within : n_) / line_.rows;
  return (columns + w - 1) / w * line_.rows * w * 2;
}

template <class T>
const Steps<T>& Plan<T>::lanes() const {
  std::lock_guard hold(lock_);
  if (!lanes_) lanes_ = std::make_unique<StepsPlan<T>>(n_);
  return lanes_->steps();
}
template <class T>
const LinePlan<T>& Plan<T>::line() const {
  std::lock_guard hold(lock_);
  if (!line_plan_) line_plan_ = std::make_unique<LinePlan<T>>(n_, line_.rows, line_.within);
  return *line_plan_;
}
template <class T>
const TurnsPlan<T>& Plan<T>::ends() const {
  std::lock_guard hold(lock_);
  if (!ends_) ends_ = std::make_unique<TurnsPlan<T>>(2 * n_);
  return *ends_;
}
template <class T>
const T* Plan<T>::lanes_ends() const {
  std::lock_guard hold(lock_);
  if (!lanes_ends_.data()) {
    Roots roots(2 * n_);
    lanes_ends_ = Numbers<T>(n_ + 2);
    for (int64_t k = 0; 2 * k <= n_; ++k) put(lanes_ends_.data() + 2 * k, roots(k));
  }
  return lanes_ends_.data();
}
template <class T>
int64_t Plan<T>::bytes() const {
  std::lock_guard hold(lock_);
  return (lanes_ ? lanes_->bytes() : 0) + (line_plan_ ? line_plan_->bytes() : 0) + (ends_ ? ends_->bytes() : 0) +
         lanes_ends_.bytes();
}

template <class T>
std::shared_ptr<const Plan<T>> plan_of(int64_t n) {
  struct Kept {
    std::shared_ptr<const Plan<T>> plan;
    uint64_t used;
  };
  static auto* plans = new std::map<int64_t, Kept>;
  static auto* lock = new std::mutex;
  static uint64_t now = 0;
  constexpr size_t most_plans = 64;
  constexpr int64_t most_bytes = 64 << 20;
  std::lock_guard hold(*lock);
  auto [place, is_new] = plans->try_emplace(n);
  place->second.used = ++now;
  if (is_new) {
    place->second.plan = std::make_shared<const Plan<T>>(n);
    auto bytes = [&] {
      int64_t out = 0;
      for (auto& [length, kept] : *plans) out += kept.plan->bytes();
      return out;
    };
    while (plans->size() > 1 && (plans->size() > most_plans || bytes() > most_bytes)) {
      auto oldest =
          std::min_element(plans->begin(), plans->end(), [](auto& a, auto& b) { return a.second.used < b.second.used; });
      plans->erase(oldest);
    }
  }
  return plans->at(n).plan;
}

#define MAKE(T)                                   \
  template const Loops<T>& loops<T>();            \
  template const Loops<T>& loops_for<T>(int64_t); \
  template class Numbers<T>;                      \
  template class StepsPlan<T>;                    \
  template class TurnsPlan<T>;                    \
  template class LinePlan<T>;                     \
  template class Plan<T>;                         \
  template std::shared_ptr<const Plan<T>> plan_of(int64_t n);
MAKE(float)
MAKE(double)

}  // namespace quern::fft
