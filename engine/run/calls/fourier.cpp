// On the CPU: Stockham's autosort FFT with factors 4, 2, 3, 5 and other small primes; lengths with larger prime factors go
// through Bluestein's convolution. Real transforms of even length are complex ones of half the length. Rows are shared out to
// threads.
#include "run/calls/fourier.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>

#include "core/error.h"
#include "device/cufft.h"
#include "graph/call.h"
#include "graph/memory_order.h"
#include "run/calls/call_launch.h"
#include "run/calls/formulas.h"
#include "run/calls/lines.h"
#include "run/trace.h"

namespace quern {

namespace {

// std::complex's product looks for infinities; this one does not.
template <class T>
struct Number {
  T re, im;
  Number operator+(Number b) const { return {re + b.re, im + b.im}; }
  Number operator-(Number b) const { return {re - b.re, im - b.im}; }
  Number operator*(Number b) const { return {re * b.re - im * b.im, re * b.im + im * b.re}; }
  Number operator*(T b) const { return {re * b, im * b}; }
  Number turned() const { return {im, -re}; }  // times -i
  Number conjugate() const { return {re, -im}; }
};

// e^(-2 pi i k / n), by symmetry from angles up to an eighth of the circle.
template <class T>
Number<T> root(int64_t k, int64_t n) {
  k = (k % n + n) % n;
  auto angle = [&](int64_t a, int64_t b) {  // 2 pi a / b
    return 2 * std::numbers::pi_v<long double> * static_cast<long double>(a) / static_cast<long double>(b);
  };
  int64_t quarter = (8 * k + n) / (2 * n) % 4;  // the nearest multiple of a quarter
  long double rest = angle(4 * k - (8 * k + n) / (2 * n) * n, 4 * n);
  long double c = std::cos(rest), s = std::sin(rest);
  switch (quarter) {
    case 0:
      return {static_cast<T>(c), static_cast<T>(-s)};
    case 1:
      return {static_cast<T>(-s), static_cast<T>(-c)};
    case 2:
      return {static_cast<T>(-c), static_cast<T>(s)};
    default:
      return {static_cast<T>(s), static_cast<T>(c)};
  }
}

constexpr int64_t largest_factor = 31;

template <class T>
class LinePlan {
 public:
  using C = Number<T>;

  // `real`: of so many real numbers, in pairs; 0: of complex ones.
  explicit LinePlan(int64_t n, int64_t real = 0) : n_(n) {
    for (int64_t k = 0; real && k <= n; ++k) ends_.push_back(root<T>(k, real));
    int64_t rest = n;
    for (int64_t radix : {4, 2, 3, 5}) {
      for (; rest % radix == 0 && rest > 1; rest /= radix) radices_.push_back(radix);
    }
    for (int64_t radix = 7; radix <= largest_factor; radix += 2) {
      for (; rest % radix == 0; rest /= radix) radices_.push_back(radix);
    }
    if (rest > 1) {
      make_chirp();
      return;
    }
    int64_t length = n;
    for (int64_t radix : radices_) {
      int64_t m = length / radix;
      std::vector<C> turns;
      for (int64_t p = 0; p < m; ++p)
        for (int64_t k = 1; k < radix; ++k) turns.push_back(root<T>(p * k, length));
      turns_.push_back(std::move(turns));
      std::vector<C> circle;
      for (int64_t k = 0; radix > 5 && k < radix; ++k) circle.push_back(root<T>(k, radix));
      circles_.push_back(std::move(circle));
      length = m;
    }
  }

  int64_t scratch() const { return within_ ? 2 * within_->n_ + within_->scratch() : n_; }

  // What parts the even and the odd ones of real numbers.
  const C* ends() const { return ends_.data(); }

  // In place; e^-i.
  void run(C* x, C* scratch) const {
    if (n_ <= 1) return;
    if (within_) return convolve(x, scratch);
    C *from = x, *to = scratch;
    int64_t length = n_, step = 1;
    for (size_t i = 0; i < radices_.size(); ++i) {
      int64_t m = length / radices_[i];
      const C* turns = turns_[i].data();
      switch (radices_[i]) {
        case 2:
          pass2(from, to, m, step, turns);
          break;
        case 3:
          pass3(from, to, m, step, turns);
          break;
        case 4:
          pass4(from, to, m, step, turns);
          break;
        case 5:
          pass5(from, to, m, step, turns);
          break;
        default:
          pass(radices_[i], from, to, m, step, turns, circles_[i].data());
      }
      std::swap(from, to);
      length = m;
      step *= radices_[i];
    }
    if (from != x) std::copy_n(from, n_, x);
  }

 private:
  static void pass2(const C* x, C* y, int64_t m, int64_t s, const C* turns) {
    for (int64_t p = 0; p < m; ++p) {
      C w = turns[p];
      const C *a = x + s * p, *b = x + s * (p + m);
      C* out = y + s * 2 * p;
      for (int64_t q = 0; q < s; ++q) {
        out[q] = a[q] + b[q];
        out[q + s] = (a[q] - b[q]) * w;
      }
    }
  }
  static void pass3(const C* x, C* y, int64_t m, int64_t s, const C* turns) {
    const T half = T(0.5), high = static_cast<T>(std::numbers::sqrt3_v<long double> / 2);
    for (int64_t p = 0; p < m; ++p) {
      C w1 = turns[2 * p], w2 = turns[2 * p + 1];
      const C *a = x + s * p, *b = x + s * (p + m), *c = x + s * (p + 2 * m);
      C* out = y + s * 3 * p;
      for (int64_t q = 0; q < s; ++q) {
        C sum = b[q] + c[q], turned = ((b[q] - c[q]) * high).turned(), middle = a[q] - sum * half;
        out[q] = a[q] + sum;
        out[q + s] = (middle + turned) * w1;
        out[q + 2 * s] = (middle - turned) * w2;
      }
    }
  }
  static void pass4(const C* x, C* y, int64_t m, int64_t s, const C* turns) {
    for (int64_t p = 0; p < m; ++p) {
      C w1 = turns[3 * p], w2 = turns[3 * p + 1], w3 = turns[3 * p + 2];
      const C *a = x + s * p, *b = x + s * (p + m), *c = x + s * (p + 2 * m), *d = x + s * (p + 3 * m);
      C* out = y + s * 4 * p;
      for (int64_t q = 0; q < s; ++q) {
        C sum = a[q] + c[q], less = a[q] - c[q], other = b[q] + d[q], turned = (b[q] - d[q]).turned();
        out[q] = sum + other;
        out[q + s] = (less + turned) * w1;
        out[q + 2 * s] = (sum - other) * w2;
        out[q + 3 * s] = (less - turned) * w3;
      }
    }
  }
  static void pass5(const C* x, C* y, int64_t m, int64_t s, const C* turns) {
    const long double tau = 2 * std::numbers::pi_v<long double>;
    const T c1 = static_cast<T>(std::cos(tau / 5)), c2 = static_cast<T>(std::cos(2 * tau / 5));
    const T s1 = static_cast<T>(std::sin(tau / 5)), s2 = static_cast<T>(std::sin(2 * tau / 5));
    for (int64_t p = 0; p < m; ++p) {
      const C* w = turns + 4 * p;
      const C *a = x + s * p, *b = x + s * (p + m), *c = x + s * (p + 2 * m), *d = x + s * (p + 3 * m), *e = x + s * (p + 4 * m);
      C* out = y + s * 5 * p;
      for (int64_t q = 0; q < s; ++q) {
        C outer = b[q] + e[q], inner = c[q] + d[q], outer_less = b[q] - e[q], inner_less = c[q] - d[q];
        C left = a[q] + outer * c1 + inner * c2, right = a[q] + outer * c2 + inner * c1;
        C left_turned = (outer_less * s1 + inner_less * s2).turned(), right_turned = (outer_less * s2 - inner_less * s1).turned();
        out[q] = a[q] + outer + inner;
        out[q + s] = (left + left_turned) * w[0];
        out[q + 2 * s] = (right + right_turned) * w[1];
        out[q + 3 * s] = (right - right_turned) * w[2];
        out[q + 4 * s] = (left - left_turned) * w[3];
      }
    }
  }
  static void pass(int64_t radix, const C* x, C* y, int64_t m, int64_t s, const C* turns, const C* circle) {
    for (int64_t p = 0; p < m; ++p) {
      C* out = y + s * radix * p;
      for (int64_t q = 0; q < s; ++q) {
        for (int64_t k = 0; k < radix; ++k) {
          C sum = x[q + s * p];
          for (int64_t j = 1, at = k; j < radix; ++j, at = at + k < radix ? at + k : at + k - radix)
            sum = sum + x[q + s * (p + m * j)] * circle[at];
          out[q + s * k] = k == 0 ? sum : sum * turns[p * (radix - 1) + k - 1];
        }
      }
    }
  }

  void make_chirp() {
    radices_.clear();
    int64_t size = 1;
    while (size < 2 * n_ - 1) size *= 2;
    within_ = std::make_unique<LinePlan>(size);
    for (int64_t k = 0; k < n_; ++k) {
      auto square =
          static_cast<unsigned __int128>(k) * static_cast<unsigned __int128>(k) % static_cast<unsigned __int128>(2 * n_);
      chirp_.push_back(root<T>(static_cast<int64_t>(square), 2 * n_));
    }
    filter_.assign(static_cast<size_t>(size), C{0, 0});
    T part = T(1) / static_cast<T>(size);
    for (int64_t k = 0; k < n_; ++k) {
      filter_[static_cast<size_t>(k)] = chirp_[static_cast<size_t>(k)].conjugate() * part;
      if (k) filter_[static_cast<size_t>(size - k)] = filter_[static_cast<size_t>(k)];
    }
    std::vector<C> room(static_cast<size_t>(within_->scratch()));
    within_->run(filter_.data(), room.data());
  }

  void convolve(C* x, C* scratch) const {
    int64_t size = within_->n_;
    C *work = scratch, *rest = scratch + 2 * size;
    for (int64_t k = 0; k < n_; ++k) work[k] = x[k] * chirp_[static_cast<size_t>(k)];
    std::fill(work + n_, work + size, C{0, 0});
    within_->run(work, rest);
    for (int64_t k = 0; k < size; ++k) work[k] = (work[k] * filter_[static_cast<size_t>(k)]).conjugate();
    within_->run(work, rest);
    for (int64_t k = 0; k < n_; ++k) x[k] = work[k].conjugate() * chirp_[static_cast<size_t>(k)];
  }

  int64_t n_;
  std::vector<int64_t> radices_;
  std::vector<std::vector<C>> turns_, circles_;
  std::unique_ptr<LinePlan> within_;  // of Bluestein's convolution
  std::vector<C> chirp_, filter_, ends_;
};

template <class T>
std::shared_ptr<const LinePlan<T>> plan_of(int64_t n, int64_t real) {
  static auto* plans = new std::map<std::pair<int64_t, int64_t>, std::shared_ptr<const LinePlan<T>>>;
  static auto* lock = new std::mutex;
  std::lock_guard hold(*lock);
  if (plans->size() > 64) plans->clear();
  std::shared_ptr<const LinePlan<T>>& found = (*plans)[{n, real}];
  if (!found) found = std::make_shared<const LinePlan<T>>(n, real);
  return found;
}

enum class Kind { forward, backward, half, whole };
constexpr std::string_view kinds[] = {"forward", "backward", "half", "whole"};

template <class T>
void transform(Kind kind, const Lines& lines, const char* in_data, char* out_data, int64_t n, double given_scale) {
  using C = Number<T>;
  bool is_real = kind == Kind::half || kind == Kind::whole, is_packed = is_real && n % 2 == 0;
  int64_t length = is_packed ? n / 2 : n, bins = n / 2 + 1;
  std::shared_ptr<const LinePlan<T>> plan = plan_of<T>(length, is_packed ? n : 0);
  const C* turns = plan->ends();
  T scale = static_cast<T>(given_scale);
  auto part = [&](const char* in, char* out, int64_t rows) {
    std::vector<C> row(static_cast<size_t>(length)), room(static_cast<size_t>(plan->scratch()));
    C* x = row.data();
    for (int64_t i = 0; i < rows; ++i) {
      const C* complex_in = reinterpret_cast<const C*>(in) + i * (kind == Kind::whole ? bins : n);
      C* complex_out = reinterpret_cast<C*>(out) + i * (kind == Kind::half ? bins : n);
      const T* real_in = reinterpret_cast<const T*>(in) + i * n;
      T* real_out = reinterpret_cast<T*>(out) + i * n;
      switch (kind) {
        case Kind::forward:
          std::copy_n(complex_in, n, x);
          plan->run(x, room.data());
          for (int64_t k = 0; k < n; ++k) complex_out[k] = x[k] * scale;
          break;
        case Kind::backward:
          for (int64_t k = 0; k < n; ++k) x[k] = complex_in[k].conjugate();
          plan->run(x, room.data());
          for (int64_t k = 0; k < n; ++k) complex_out[k] = x[k].conjugate() * scale;
          break;
        case Kind::half:
          if (!is_packed) {
            for (int64_t k = 0; k < n; ++k) x[k] = {real_in[k], 0};
            plan->run(x, room.data());
            for (int64_t k = 0; k < bins; ++k) complex_out[k] = x[k] * scale;
            complex_out[0].im = 0;
            break;
          }
          // Two neighbours are one complex number; afterwards what is of the even ones and of the odd ones is parted.
          for (int64_t k = 0; k < length; ++k) x[k] = {real_in[2 * k], real_in[2 * k + 1]};
          plan->run(x, room.data());
          for (int64_t k = 0; k < bins; ++k) {
            C a = x[k == length ? 0 : k], b = x[k == 0 ? 0 : length - k].conjugate();
            C even = (a + b) * T(0.5), odd = ((a - b) * T(0.5)).turned();
            complex_out[k] = (even + odd * turns[k]) * scale;
          }
          complex_out[0].im = complex_out[bins - 1].im = 0;
          break;
        case Kind::whole:
          if (!is_packed) {
            x[0] = {complex_in[0].re, 0};
            for (int64_t k = 1; k < bins; ++k) {
              x[k] = complex_in[k].conjugate();
              x[n - k] = complex_in[k];
            }
            plan->run(x, room.data());
            for (int64_t k = 0; k < n; ++k) real_out[k] = x[k].re * scale;
            break;
          }
          for (int64_t k = 0; k < length; ++k) {
            C a = complex_in[k], b = complex_in[length - k].conjugate();
            if (k == 0) a.im = b.im = 0;
            C even = a + b, odd = (a - b) * turns[k].conjugate();
            // conj(even + i odd), as the plan goes forward
            x[k] = {even.re - odd.im, -(even.im + odd.re)};
          }
          plan->run(x, room.data());
          for (int64_t k = 0; k < length; ++k) {
            real_out[2 * k] = x[k].re * scale;
            real_out[2 * k + 1] = -x[k].im * scale;
          }
          break;
      }
    }
  };
  lines.each(in_data, kind == Kind::half ? sizeof(T) : sizeof(C), out_data, kind == Kind::whole ? sizeof(T) : sizeof(C), part,
             std::max<int64_t>(1, 8192 / n));
}

class Fourier : public CallBody {
 public:
  Fourier(Kind kind, int64_t n, double scale, size_t axis) : kind_(kind), n_(n), scale_(scale), axis_(axis) {}
  std::string_view name() const override { return "fft"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override;

  void run(const CallRun& run) const override {
    const CallView &in = run.inputs[0], &out = run.outputs[0];
    int64_t count = out.shape()[axis_] ? out.layout->elements / out.shape()[axis_] : 0;
    if (count == 0) return;
    bool is_double = in.dtype == DType::float64 || in.dtype == DType::complex128;
    if (run.device.is_gpu()) return on_gpu(run, count, is_double);
    Lines lines(*in.layout, *out.layout, axis_);
    on_cpu(run, name(), out.layout->elements * 8, [=, *this, from = in.data, to = out.data] {
      is_double ? transform<double>(kind_, lines, from, to, n_, scale_) : transform<float>(kind_, lines, from, to, n_, scale_);
    });
  }

 private:
  void on_gpu(const CallRun& run, int64_t count, bool is_double) const {
    Context& context = context_on(run.device);
    const CallView &in = run.inputs[0], &out = run.outputs[0];
    Traced traced(TraceKind::launch, run.device, context.work_stream.get(), 0, run.site);
    traced.name("fft");
    mark_used(run);
    TransformOnGpu transform{is_double, kind_ == Kind::half, kind_ == Kind::whole, kind_ == Kind::backward, n_, count};
    size_t bytes = transform_workspace(context.device, transform);
    Buffer workspace = temporary(run, bytes);
    use_on(context.work_stream, *workspace.block(), true);
    const void* from = in.data;
    Buffer copy;
    if (kind_ == Kind::whole) {  // the library may write over what it transforms
      size_t size = static_cast<size_t>(in.layout->elements) * size_of(in.dtype);
      copy = temporary(run, size);
      use_on(context.work_stream, *copy.block(), true);
      context.copy(context.work_stream, copy.pointer(), in.data, size, CopyKind::device_to_device, false);
      from = copy.pointer();
      // The first number of a row and the middle one count as real.
      size_t half = size_of(in.dtype) / 2, row = size_of(in.dtype) * static_cast<size_t>(n_ / 2 + 1);
      auto clear = [&](int64_t k) {
        char* imaginary = static_cast<char*>(copy.pointer()) + static_cast<size_t>(k) * 2 * half + half;
        context.fill(context.work_stream, imaginary, row, 0, 4, half / 4, static_cast<size_t>(count));
      };
      clear(0);
      if (n_ % 2 == 0 && n_ > 1) clear(n_ / 2);
    }
    transform_on_gpu(context.device, *context.work_stream, transform, from, out.data, workspace.pointer());
  }

  Kind kind_;
  int64_t n_;
  double scale_;
  size_t axis_;
};

}  // namespace

Array fourier(const Array& given, std::string_view name, int64_t n, double scale, size_t axis) {
  const std::string_view* found = std::find(std::begin(kinds), std::end(kinds), name);
  if (found == std::end(kinds)) bug("no Fourier transform {}", name);
  Kind kind = static_cast<Kind>(found - kinds);
  GraphLock lock;
  bool is_double = given.dtype() == DType::float64 || given.dtype() == DType::complex128;
  Shape shape = given.shape();
  shape[axis] = kind == Kind::half ? n / 2 + 1 : n;
  DType complex = is_double ? DType::complex128 : DType::complex64;
  LayoutRef layout = layout_beside(given, shape);
  bool on_gpu = given.device().is_gpu();  // which works on rows
  Array array = on_gpu ? in_rows(given, axis) : given;
  CallResult result{shape, kind == Kind::whole ? real_part_type(complex) : complex, on_gpu ? rows_of(shape, axis) : layout};
  Array out = record_call(std::make_shared<Fourier>(kind, n, scale, axis), {&array, 1}, {&result, 1}, given.device())[0];
  if (!on_gpu || scale == 1) return arranged(out, layout);
  Scalar factor{true, WeakScalar::real};
  factor.re = scale;
  Argument both[] = {Argument(out), Argument(factor)};
  return arranged(elementwise(Op::multiply, both), layout);
}

// ---- derivatives

// The other direction's transform. Of a real line's numbers those between the first and the middle one stand for two.
std::vector<std::optional<Array>> Fourier::gradients(const GradientCall& call) const {
  using namespace formulas;
  const Array& g = *call.given[0];
  double scale = call.device.is_gpu() ? 1 : scale_;  // on a GPU a product of its own
  if (kind_ == Kind::forward) return {fourier(g, "backward", n_, scale, axis_)};
  if (kind_ == Kind::backward) return {fourier(g, "forward", n_, scale, axis_)};
  Array weights = full({n_ / 2 + 1}, word(1.0).scalar(), real_part_type(g.dtype()), call.device);
  if (n_ > 2) assign(part(weights, 0, 1, (n_ + 1) / 2), word(kind_ == Kind::half ? 0.5 : 2.0));
  weights = along(weights, axis_, g.rank());
  if (kind_ == Kind::half) return {fourier(g * weights, "whole", n_, scale, axis_)};
  return {fourier(g, "half", n_, scale, axis_) * weights};
}

}  // namespace quern
