#include "run/calls/fourier_plan.h"

#include <algorithm>
#include <atomic>
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

// k^2 modulo 2 n.
static int64_t half_square(int64_t k, int64_t n) {
  using Wide = unsigned __int128;
  return static_cast<int64_t>(static_cast<Wide>(k) * static_cast<Wide>(k) % static_cast<Wide>(2 * n));
}
// Half of k^2 of a circle of n, for k below n.
template <class T>
static void make_chirp(int64_t n, T* chirp) {
  Roots roots(2 * n);
  for (int64_t k = 0; k < n; ++k) put(chirp + 2 * k, roots(half_square(k, n)));
}

static Roots::Root operator+(Roots::Root a, Roots::Root b) { return {a.re + b.re, a.im + b.im}; }
static Roots::Root operator-(Roots::Root a, Roots::Root b) { return {a.re - b.re, a.im - b.im}; }
static Roots::Root operator*(Roots::Root a, Roots::Root b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

// The transform of n numbers `step` apart, in a type with more digits than are wanted.
static void transform_exactly(const Roots::Root* x, int64_t step, int64_t n, const std::vector<Roots::Root>& circle,
                              Roots::Root* out) {
  if (n == 1) {
    *out = *x;
    return;
  }
  int64_t radix = n % 4 == 0 ? 4 : 2;
  while (n % radix) ++radix;
  int64_t m = n / radix, turn = m * step;
  for (int64_t j = 0; j < radix; ++j) transform_exactly(x + j * step, step * radix, m, circle, out + j * m);
  Roots::Root a[largest_of_convolutions];
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t j = 0; j < radix; ++j) a[j] = out[j * m + k] * circle[static_cast<size_t>(j * k * step)];
    if (radix == 2) {
      out[k] = a[0] + a[1];
      out[m + k] = a[0] - a[1];
    } else if (radix == 4) {
      Roots::Root sum = a[0] + a[2], less = a[0] - a[2], other = a[1] + a[3], rest = a[1] - a[3], turned{rest.im, -rest.re};
      out[k] = sum + other;
      out[m + k] = less + turned;
      out[2 * m + k] = sum - other;
      out[3 * m + k] = less - turned;
    } else {
      for (int64_t q = 0; q < radix; ++q) {
        Roots::Root sum = a[0];
        for (int64_t j = 1; j < radix; ++j) sum = sum + a[j] * circle[static_cast<size_t>(j * q % radix * turn)];
        out[q * m + k] = sum;
      }
    }
  }
}

// What numbers times the chirp are convolved with, transformed: with all digits that T has, but for many numbers in double
// precision, where that takes too long.
template <class T>
static void make_filter(int64_t n, int64_t within, T* filter) {
  constexpr int64_t most_exact = sizeof(T) == 8 ? 1 << 14 : 1 << 7;
  Roots roots(2 * n);
  long double part = 1 / static_cast<long double>(within);
  auto each = [&](auto&& set) {
    for (int64_t k = 0; k < n; ++k) {
      Roots::Root root = roots(half_square(k, n));
      root = {root.re * part, -root.im * part};
      set(k, root);
      if (k > 0) set(within - k, root);
    }
  };
  if (within <= most_exact) {
    std::vector<Roots::Root> x(static_cast<size_t>(within)), out(x.size()), circle;
    each([&](int64_t k, Roots::Root root) { x[static_cast<size_t>(k)] = root; });
    Roots circle_of(within);
    for (int64_t k = 0; k < within; ++k) circle.push_back(circle_of(k));
    transform_exactly(x.data(), 1, within, circle, out.data());
    for (int64_t k = 0; k < within; ++k) put(filter + 2 * k, out[static_cast<size_t>(k)]);
    return;
  }
  LinePlan<double> plan(within, costs_of<double>().line(within).rows, 0);
  Numbers<double> x(2 * within), work(plan.work()), room(plan.room());
  std::fill_n(x.data(), 2 * within, 0.0);
  each([&](int64_t k, Roots::Root root) { put(x.data() + 2 * k, root); });
  int64_t line = 0;
  Places<double> at{x.data(), &line, 2, 1};
  SplitJob<double> job{&plan.split(), false, false, {x.data(), &line, 2, 1}, at, within, 1, work.data()};
  loops<double>().columns(job, 0, plan.blocks(), room.data());
  loops<double>().rows(job, 0, plan.groups(), room.data());
  std::transform(x.data(), x.data() + 2 * within, filter, [](double number) { return static_cast<T>(number); });
}

template <class T>
void StepsPlan<T>::convolve(int64_t n, int64_t within) {
  factorize(within);
  T *chirp = numbers(2 * n).data(), *filter = numbers(2 * within).data();
  make_chirp(n, chirp);
  make_filter(n, within, filter);
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
  split_.width = w;
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
  constexpr int64_t most_turns = 1 << 18;  // more would take time to come from memory
  if (n <= most_turns) {
    turns_ = Numbers<T>(work());
    for (int64_t block = 0; block < blocks(); ++block)
      for (int64_t k = 0; k < n1; ++k) fill(turns_.data() + (block * n1 + k) * 2 * w, k, block * w);
    split_.turns = turns_.data();
  } else {
    turns_ = Numbers<T>(n1 * 2 * w);
    block_turns_ = Numbers<T>(2 * blocks() * n1);
    for (int64_t k = 0; k < n1; ++k) fill(turns_.data() + k * 2 * w, k, 0);
    for (int64_t block = 0; block < blocks(); ++block)
      for (int64_t k = 0; k < n1; ++k) put(block_turns_.data() + 2 * (block * n1 + k), roots(block * w * k));
    split_.lane_turns = turns_.data();
    split_.block_turns = block_turns_.data();
  }
}

template <class T>
LinePlan<T>::LinePlan(int64_t n, int64_t rows, int64_t within) : n_(n) {
  divide(within ? within : n, rows);
  if (!within) return;
  chirp_ = Numbers<T>(2 * n);
  filter_ = Numbers<T>(2 * within);
  make_chirp(n, chirp_.data());
  make_filter(n, within, filter_.data());
}

template <class T>
int64_t LinePlan<T>::room() const {
  int64_t w = loops<T>().width;
  return 4 * w * (std::max(split_.first->buffer(), split_.second->buffer()) + w);
}

template <class T>
int64_t LinePlan<T>::bytes() const {
  return first_->bytes() + second_->bytes() + turns_.bytes() + block_turns_.bytes() + chirp_.bytes() + filter_.bytes();
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
int64_t Plan<T>::tall_work() const {
  return n_ / line_.rows * (line_.rows + 1) * loops<T>().width * 2;
}

// What the tables of all plans take.
template <class T>
static std::atomic<int64_t> plans_bytes{0};

template <class T>
void Plan<T>::made(int64_t bytes) const {
  bytes_ += bytes;
  plans_bytes<T> += bytes;
}
template <class T>
Plan<T>::~Plan() {
  plans_bytes<T> -= bytes_;
}

template <class T>
const Steps<T>& Plan<T>::lanes() const {
  std::lock_guard hold(lock_);
  if (!lanes_) {
    lanes_ = std::make_unique<StepsPlan<T>>(n_);
    made(lanes_->bytes());
  }
  return lanes_->steps();
}
template <class T>
const LinePlan<T>& Plan<T>::line() const {
  std::lock_guard hold(lock_);
  if (!line_plan_) {
    line_plan_ = std::make_unique<LinePlan<T>>(n_, line_.rows, line_.within);
    made(line_plan_->bytes());
  }
  return *line_plan_;
}
template <class T>
const TurnsPlan<T>& Plan<T>::ends() const {
  std::lock_guard hold(lock_);
  if (!ends_) {
    ends_ = std::make_unique<TurnsPlan<T>>(2 * n_);
    made(ends_->bytes());
  }
  return *ends_;
}
template <class T>
const T* Plan<T>::lanes_ends() const {
  std::lock_guard hold(lock_);
  if (!lanes_ends_.data()) {
    Roots roots(2 * n_);
    lanes_ends_ = Numbers<T>(n_ + 2);
    for (int64_t k = 0; 2 * k <= n_; ++k) put(lanes_ends_.data() + 2 * k, roots(k));
    made(lanes_ends_.bytes());
  }
  return lanes_ends_.data();
}

namespace {

template <class T>
struct Plans {
  struct Kept {
    std::shared_ptr<const Plan<T>> plan;
    uint64_t used;
  };
  std::map<int64_t, Kept> all;
  std::mutex lock;
  uint64_t now = 0;

  void let_go_of_oldest() {
    all.erase(std::min_element(all.begin(), all.end(), [](auto& a, auto& b) { return a.second.used < b.second.used; }));
  }
  static Plans& get() {
    static auto* plans = new Plans;
    return *plans;
  }
};

}  // namespace

template <class T>
std::shared_ptr<const Plan<T>> plan_of(int64_t n) {
  constexpr size_t most_plans = 64;
  Plans<T>& plans = Plans<T>::get();
  std::lock_guard hold(plans.lock);
  auto [place, is_new] = plans.all.try_emplace(n);
  place->second.used = ++plans.now;
  if (is_new) {
    place->second.plan = std::make_shared<const Plan<T>>(n);
    if (plans.all.size() > most_plans) plans.let_go_of_oldest();
  }
  return plans.all.at(n).plan;
}

template <class T>
void let_go_of_plans() {
  constexpr int64_t most_bytes = 64 << 20, most_of_one = 256 << 20;
  if (plans_bytes<T> <= most_bytes) return;
  Plans<T>& plans = Plans<T>::get();
  std::lock_guard hold(plans.lock);
  while (plans.all.size() > 1 && plans_bytes<T> > most_bytes) plans.let_go_of_oldest();
  if (plans_bytes<T> > most_of_one) plans.all.clear();
}

#define MAKE(T)                                   \
  template void let_go_of_plans<T>();             \
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
