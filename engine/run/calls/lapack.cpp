// Each matrix of a stack is brought into columns, factorised, and the results go back into rows. Many small matrices are shared
// out to the CPU's threads; a large one uses the threads of LAPACK itself.
#include "run/calls/lapack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.h"
#include "device/host_blas.h"
#include "run/calls/call_launch.h"
#include "run/calls/factor_gradients.h"
#include "run/calls/solver.h"
#include "run/found_errors.h"
#include "run/transfer.h"

namespace quern {

namespace {

enum class Kind { solve, slogdet, cholesky, qr, eigh, eig, svd, lstsq, lu, ldl };
constexpr std::array<std::string_view, 10> names{"solve", "slogdet", "cholesky", "qr", "eigh",
                                                 "eig",   "svd",     "lstsq",    "lu", "ldl"};
constexpr std::array<const char*, 10> failures{"Singular matrix",
                                               "",
                                               "Matrix is not positive definite",
                                               "",
                                               "Eigenvalues did not converge",
                                               "Eigenvalues did not converge",
                                               "SVD did not converge",
                                               "SVD did not converge in Linear Least Squares",
                                               "",
                                               ""};

template <class T>
struct Part {
  using type = T;
};
template <class T>
struct Part<std::complex<T>> {
  using type = T;
};
template <class T>
constexpr bool is_complex_type = !std::is_same_v<T, typename Part<T>::type>;

template <class T>
T conj(T x) {
  if constexpr (is_complex_type<T>)
    return std::conj(x);
  else
    return x;
}

// Does the last result say what is wrong with each matrix, in LAPACK's numbers?
bool gives_status(std::string_view mode) { return mode.ends_with('i'); }

struct Job {
  Kind kind;
  std::string mode;
  double number;
  int64_t m, n, k;  // a: m x n; b: m x k
  std::vector<char*> in, out;
  std::vector<size_t> in_bytes, out_bytes;  // of one matrix

  char option(size_t i = 0) const { return i < mode.size() ? mode[i] : ' '; }
  bool has_status() const { return gives_status(mode); }
};

// The work on one matrix after the other: memory is kept between them.
template <class T>
class Worker {
  using R = typename Part<T>::type;
  using Int = BlasInt;

 public:
  explicit Worker(const Job& job) : job_(job), m_(job.m), n_(job.n), k_(job.k), least_(std::min(job.m, job.n)) {}

  // False where the matrix has no such factors, which are NaN then.
  bool run(int64_t i) {
    index_ = i;
    bool is_done = has_finite_operands() && factorise();
    if (!is_done) spoil();
    return is_done || is_quiet();
  }

 private:
  bool factorise() {
    switch (job_.kind) {
      case Kind::solve:
        return solve();
      case Kind::slogdet:
        return slogdet();
      case Kind::cholesky:
        return cholesky();
      case Kind::qr:
        return qr();
      case Kind::eigh:
        return eigh();
      case Kind::eig:
        return eig();
      case Kind::svd:
        return svd();
      case Kind::lstsq:
        return lstsq();
      case Kind::lu:
        return lu();
      case Kind::ldl:
        return ldl();
    }
    return false;
  }

  // LAPACK's SVD does not end for some matrices that are not finite, and leaves results unwritten for others.
  bool has_finite_operands() const {
    if (job_.kind != Kind::svd && job_.kind != Kind::lstsq) return true;
    for (size_t i = 0; i < job_.in.size(); ++i) {
      const R* from = reinterpret_cast<const R*>(job_.in[i] + static_cast<size_t>(index_) * job_.in_bytes[i]);
      if (!std::all_of(from, from + job_.in_bytes[i] / sizeof(R), [](R x) { return std::isfinite(x); })) return false;
    }
    return true;
  }
  void spoil() const {
    for (size_t i = 0; i + (job_.has_status() ? 1 : 0) < job_.out.size(); ++i) {
      if (job_.kind == Kind::lstsq && i == 2)
        *out<int32_t>(2) = 0;
      else
        std::fill_n(out<R>(i), job_.out_bytes[i] / sizeof(R), std::numeric_limits<R>::quiet_NaN());
    }
  }
  bool is_quiet() const {
    return job_.has_status() || (job_.kind == Kind::solve && job_.option() == 'q') ||
           (job_.kind == Kind::svd && job_.option(1) == 'q');
  }

  template <class P>
  P* out(size_t which) const {
    return reinterpret_cast<P*>(job_.out[which] + static_cast<size_t>(index_) * job_.out_bytes[which]);
  }

  // Operand `which` (rows x columns) in columns, each `step` long.
  void load(size_t which, int64_t rows, int64_t columns, std::vector<T>& to, int64_t step = 0) const {
    const T* from = reinterpret_cast<const T*>(job_.in[which] + static_cast<size_t>(index_) * job_.in_bytes[which]);
    step = std::max<int64_t>({step, rows, 1});
    to.resize(static_cast<size_t>(std::max<int64_t>(step * columns, 1)));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) to[static_cast<size_t>(c * step + r)] = from[r * columns + c];
  }
  template <class P>
  void store(const std::vector<P>& from, int64_t step, int64_t rows, int64_t columns, size_t which) const {
    P* to = out<P>(which);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) to[r * columns + c] = from[static_cast<size_t>(c * step + r)];
  }
  void store_identity(int64_t n, size_t which) const {
    T* to = out<T>(which);
    for (int64_t i = 0; i < n * n; ++i) to[i] = i % (n + 1) == 0 ? T(1) : T(0);
  }

  // The function of the type: "getrf" is dgetrf_; where real and complex ones have different names, both are given.
  template <class F>
  F* function(const char* real, const char* complex = nullptr) {
    const char* wanted = is_complex_type<T> && complex ? complex : real;
    for (const auto& [name, known] : functions_)
      if (name == wanted) return reinterpret_cast<F*>(known);
    constexpr bool is_single = sizeof(R) == 4;
    const char letter = is_complex_type<T> ? (is_single ? 'c' : 'z') : (is_single ? 's' : 'd');
    functions_.emplace_back(wanted, host_blas((letter + std::string(wanted) + "_").c_str()));
    return reinterpret_cast<F*>(functions_.back().second);
  }
  static int64_t first(const T& x) { return static_cast<int64_t>(std::real(x)); }
  T* workspace(int64_t size) {
    if (static_cast<int64_t>(work_.size()) < size) work_.resize(static_cast<size_t>(size));
    return work_.data();
  }
  R* real_workspace(int64_t size) {
    if (static_cast<int64_t>(real_work_.size()) < size) real_work_.resize(static_cast<size_t>(std::max<int64_t>(size, 1)));
    return real_work_.data();
  }
  Int* int_workspace(int64_t size) {
    if (static_cast<int64_t>(int_work_.size()) < size) int_work_.resize(static_cast<size_t>(std::max<int64_t>(size, 1)));
    return int_work_.data();
  }

  // What LAPACK found: 0 is good.
  bool is_good(Int info) const {
    if (job_.has_status()) reinterpret_cast<int32_t*>(job_.out.back())[index_] = static_cast<int32_t>(info);
    return info == 0;
  }

  bool solve() {
    if (n_ == 0 || k_ == 0) return is_good(0);
    load(0, n_, n_, a_);
    load(1, n_, k_, b_);
    Int info = 0;
    function<void(const Int*, const Int*, T*, const Int*, Int*, T*, const Int*, Int*)>("gesv")(
        &n_, &k_, a_.data(), &n_, int_workspace(n_), b_.data(), &n_, &info);
    store(b_, n_, n_, k_, 0);
    return is_good(info);
  }

  bool slogdet() {
    T sign(1);
    R size(0);
    if (n_ > 0) {
      load(0, n_, n_, a_);
      Int info = 0;
      Int* swaps = int_workspace(n_);
      function<void(const Int*, const Int*, T*, const Int*, Int*, Int*)>("getrf")(&n_, &n_, a_.data(), &n_, swaps, &info);
      for (Int i = 0; i < n_; ++i) {
        T x = a_[static_cast<size_t>(i * n_ + i)];
        R length = std::abs(x);
        if (info > 0) {
          sign = T(0);
          size = -INFINITY;
          break;
        }
        if constexpr (is_complex_type<T>)
          sign *= x / length;
        else if (x < 0)  // NaN has no sign
          sign = -sign;
        if (swaps[i] != i + 1) sign = -sign;
        size += std::log(length);
      }
    }
    *out<T>(0) = sign;
    *out<R>(1) = size;
    return true;
  }

  bool cholesky() {
    if (n_ == 0) return is_good(0);
    load(0, n_, n_, a_);
    bool upper = job_.option() == 'u';
    char triangle = upper ? 'U' : 'L';
    Int info = 0;
    function<void(const char*, const Int*, T*, const Int*, Int*, size_t)>("potrf")(&triangle, &n_, a_.data(), &n_, &info, 1);
    for (Int c = 0; c < n_; ++c)
      for (Int r = upper ? c + 1 : 0; r < (upper ? n_ : c); ++r) a_[static_cast<size_t>(c * n_ + r)] = T(0);
    store(a_, n_, n_, n_, 0);
    // Not every library reports NaN; who asks for a status wants to know.
    for (Int i = 0; job_.has_status() && info == 0 && i < n_; ++i)
      if (!std::isfinite(std::abs(a_[static_cast<size_t>(i * n_ + i)]))) info = i + 1;
    return is_good(info);
  }

  // Factors are given where one of them is singular, too.
  bool lu() {
    Int info = 0;
    Int* swaps = int_workspace(least_);
    load(0, m_, n_, a_);
    if (least_ > 0)
      function<void(const Int*, const Int*, T*, const Int*, Int*, Int*)>("getrf")(&m_, &n_, a_.data(), &m_, swaps, &info);
    store(a_, m_, m_, n_, 0);
    std::copy_n(swaps, least_, out<int32_t>(1));
    int64_t* rows = out<int64_t>(2);
    std::iota(rows, rows + m_, int64_t{0});
    for (int64_t i = 0; i < least_; ++i) std::swap(rows[i], rows[swaps[i] - 1]);
    is_good(info);
    return true;
  }

  bool ldl() {
    Int info = 0;
    if (n_ == 0) return is_good(0);
    Int* swaps = int_workspace(n_);
    load(0, n_, n_, a_);
    char triangle = 'L';
    T wanted{};
    const bool is_hermitian = is_complex_type<T> && job_.option() == 'h';
    auto* run = function<void(const char*, const Int*, T*, const Int*, Int*, T*, const Int*, Int*, size_t)>(
        is_hermitian ? "hetrf" : "sytrf");
    Int size = -1;
    run(&triangle, &n_, a_.data(), &n_, swaps, &wanted, &size, &info, 1);
    size = std::max<Int>(first(wanted), 1);
    run(&triangle, &n_, a_.data(), &n_, swaps, workspace(size), &size, &info, 1);
    for (Int c = 0; c < n_; ++c)
      for (Int r = 0; r < c; ++r) a_[static_cast<size_t>(c * n_ + r)] = T(0);
    store(a_, n_, n_, n_, 0);
    std::copy_n(swaps, n_, out<int32_t>(1));
    is_good(info);
    return true;
  }

  bool qr() {
    char mode = job_.option();
    int64_t columns = mode == 'c' ? m_ : least_;
    if (least_ == 0) {
      if (mode == 'c') store_identity(m_, 0);
      return true;
    }
    load(0, m_, n_, a_);
    tau_.assign(static_cast<size_t>(least_), T(0));
    Int info = 0, all = -1;
    T wanted{};
    auto* run = function<void(const Int*, const Int*, T*, const Int*, T*, T*, const Int*, Int*)>("geqrf");
    run(&m_, &n_, a_.data(), &m_, tau_.data(), &wanted, &all, &info);
    Int size = std::max<Int>(first(wanted), n_);
    run(&m_, &n_, a_.data(), &m_, tau_.data(), workspace(size), &size, &info);
    if (mode == 'w') {
      std::copy_n(a_.data(), m_ * n_, out<T>(0));
      std::copy(tau_.begin(), tau_.end(), out<T>(1));
      return true;
    }
    int64_t rows = mode == 'c' ? m_ : least_;
    T* r = out<T>(mode == 'r' ? 0 : 1);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n_; ++j) r[i * n_ + j] = i <= j ? a_[static_cast<size_t>(j * m_ + i)] : T(0);
    if (mode == 'r') return true;
    a_.resize(static_cast<size_t>(m_ * std::max(columns, n_)));
    auto* build =
        function<void(const Int*, const Int*, const Int*, T*, const Int*, const T*, T*, const Int*, Int*)>("orgqr", "ungqr");
    Int wide = columns, reflections = least_;
    build(&m_, &wide, &reflections, a_.data(), &m_, tau_.data(), &wanted, &all, &info);
    size = std::max<Int>(first(wanted), wide);
    build(&m_, &wide, &reflections, a_.data(), &m_, tau_.data(), workspace(size), &size, &info);
    store(a_, m_, m_, columns, 0);
    return true;
  }

  bool eigh() {
    if (n_ == 0) return true;
    load(0, n_, n_, a_);
    char triangle = job_.option(), job = job_.option(1) == 'v' ? 'V' : 'N';
    Int info = 0, all = -1, int_size = 0, real_size = 0;
    T wanted{};
    R real_wanted{};
    auto call = [&](T* work, Int size, R* reals, Int real_count, Int* ints, Int int_count) {
      if constexpr (is_complex_type<T>)
        function<void(const char*, const char*, const Int*, T*, const Int*, R*, T*, const Int*, R*, const Int*, Int*, const Int*,
                      Int*, size_t, size_t)>("", "heevd")(&job, &triangle, &n_, a_.data(), &n_, out<R>(0), work, &size, reals,
                                                          &real_count, ints, &int_count, &info, 1, 1);
      else
        function<void(const char*, const char*, const Int*, T*, const Int*, R*, T*, const Int*, Int*, const Int*, Int*, size_t,
                      size_t)>("syevd")(&job, &triangle, &n_, a_.data(), &n_, out<R>(0), work, &size, ints, &int_count, &info, 1,
                                        1);
    };
    call(&wanted, all, &real_wanted, all, &int_size, all);
    real_size = static_cast<Int>(real_wanted);
    Int size = first(wanted);
    call(workspace(size), size, real_workspace(real_size), real_size, int_workspace(int_size), int_size);
    if (job == 'V') store(a_, n_, n_, n_, 1);
    return info == 0;
  }

  bool eig() {
    using C = std::complex<R>;
    if (n_ == 0) return true;
    load(0, n_, n_, a_);
    bool vectors = job_.option() == 'v';
    char none = 'N', right = vectors ? 'V' : 'N';
    b_.resize(static_cast<size_t>(vectors ? n_ * n_ : 1));
    tau_.resize(static_cast<size_t>(2 * n_));
    Int info = 0, step = vectors ? n_ : 1;
    T wanted{};
    auto call = [&](T* work, Int size) {
      if constexpr (is_complex_type<T>)
        function<void(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*, T*, const Int*, T*, const Int*,
                      R*, Int*, size_t, size_t)>("geev")(&none, &right, &n_, a_.data(), &n_, tau_.data(), nullptr, &step,
                                                         b_.data(), &step, work, &size, real_workspace(2 * n_), &info, 1, 1);
      else
        function<void(const char*, const char*, const Int*, T*, const Int*, T*, T*, T*, const Int*, T*, const Int*, T*,
                      const Int*, Int*, size_t, size_t)>("geev")(&none, &right, &n_, a_.data(), &n_, tau_.data(),
                                                                 tau_.data() + n_, nullptr, &step, b_.data(), &step, work, &size,
                                                                 &info, 1, 1);
    };
    call(&wanted, -1);
    Int size = first(wanted);
    call(workspace(size), size);
    C* values = out<C>(0);
    C* to = vectors ? out<C>(1) : nullptr;
    for (Int c = 0; c < n_; ++c) {
      if constexpr (is_complex_type<T>) {
        values[c] = tau_[static_cast<size_t>(c)];
        for (Int r = 0; to && r < n_; ++r) to[r * n_ + c] = b_[static_cast<size_t>(c * n_ + r)];
      } else {
        R im = tau_[static_cast<size_t>(n_ + c)];
        values[c] = C(tau_[static_cast<size_t>(c)], im);
        // A pair's vectors stand as their real and imaginary parts.
        for (Int r = 0; to && r < n_; ++r) {
          auto at = [&](Int column) { return b_[static_cast<size_t>(column * n_ + r)]; };
          to[r * n_ + c] = im == 0 ? C(at(c)) : im > 0 ? C(at(c), at(c + 1)) : C(at(c - 1), -at(c));
        }
      }
    }
    return info == 0;
  }

  bool svd() {
    char mode = job_.option() == 'n' ? 'N' : job_.option() == 's' ? 'S' : 'A';
    int64_t u_columns = mode == 'A' ? m_ : least_, v_rows = mode == 'A' ? n_ : least_;
    size_t values = mode == 'N' ? 0 : 1;
    if (least_ == 0) {
      if (mode == 'A') {
        store_identity(m_, 0);
        store_identity(n_, 2);
      }
      return true;
    }
    load(0, m_, n_, a_);
    b_.resize(static_cast<size_t>(mode == 'N' ? 1 : m_ * u_columns));
    tau_.resize(static_cast<size_t>(mode == 'N' ? 1 : v_rows * n_));
    Int info = 0, u_step = m_, v_step = std::max<Int>(v_rows, 1);
    T wanted{};
    int64_t most = std::max(m_, n_);
    R* reals = real_workspace(is_complex_type<T> ? least_ * std::max(5 * least_ + 7, 2 * most + 2 * least_ + 1) : 1);
    Int* ints = int_workspace(8 * least_);
    auto call = [&](T* work, Int size) {
      if constexpr (is_complex_type<T>)
        function<void(const char*, const Int*, const Int*, T*, const Int*, R*, T*, const Int*, T*, const Int*, T*, const Int*, R*,
                      Int*, Int*, size_t)>("gesdd")(&mode, &m_, &n_, a_.data(), &m_, out<R>(values), b_.data(), &u_step,
                                                    tau_.data(), &v_step, work, &size, reals, ints, &info, 1);
      else
        function<void(const char*, const Int*, const Int*, T*, const Int*, R*, T*, const Int*, T*, const Int*, T*, const Int*,
                      Int*, Int*, size_t)>("gesdd")(&mode, &m_, &n_, a_.data(), &m_, out<R>(values), b_.data(), &u_step,
                                                    tau_.data(), &v_step, work, &size, ints, &info, 1);
    };
    call(&wanted, -1);
    Int size = first(wanted);
    call(workspace(size), size);
    if (mode != 'N') {
      store(b_, m_, m_, u_columns, 0);
      store(tau_, v_step, v_rows, n_, 2);
    }
    return info == 0;
  }

  bool lstsq() {
    int32_t* rank = out<int32_t>(2);
    std::fill_n(out<R>(1), k_, R(0));
    *rank = 0;
    if (least_ == 0) {
      std::fill_n(out<T>(0), n_ * k_, T(0));
      if (m_ > 0 && k_ > 0) {  // all of b is left
        load(1, m_, k_, b_);
        for (Int c = 0; c < k_; ++c)
          for (Int r = 0; r < m_; ++r) out<R>(1)[c] += std::norm(b_[static_cast<size_t>(c * m_ + r)]);
      }
      return true;
    }
    load(0, m_, n_, a_);
    Int step = std::max(m_, n_), right = std::max<Int>(k_, 1), found = 0, info = 0, int_wanted = 0;
    load(1, m_, k_, b_, step);
    if (k_ == 0) b_.assign(static_cast<size_t>(step), T(0));
    R limit = static_cast<R>(job_.number), real_wanted{};
    T wanted{};
    auto call = [&](T* work, Int size, R* reals, Int* ints) {
      if constexpr (is_complex_type<T>)
        function<void(const Int*, const Int*, const Int*, T*, const Int*, T*, const Int*, R*, const R*, Int*, T*, const Int*, R*,
                      Int*, Int*)>("gelsd")(&m_, &n_, &right, a_.data(), &m_, b_.data(), &step, out<R>(3), &limit, &found, work,
                                            &size, reals, ints, &info);
      else
        function<void(const Int*, const Int*, const Int*, T*, const Int*, T*, const Int*, R*, const R*, Int*, T*, const Int*,
                      Int*, Int*)>("gelsd")(&m_, &n_, &right, a_.data(), &m_, b_.data(), &step, out<R>(3), &limit, &found, work,
                                            &size, ints, &info);
    };
    call(&wanted, -1, &real_wanted, &int_wanted);
    Int size = first(wanted);
    call(workspace(size), size, real_workspace(static_cast<int64_t>(real_wanted)), int_workspace(int_wanted));
    *rank = static_cast<int32_t>(found);
    store(b_, step, n_, k_, 0);
    for (Int c = 0; c < k_; ++c)
      for (Int r = n_; r < m_; ++r) out<R>(1)[c] += std::norm(b_[static_cast<size_t>(c * step + r)]);
    return info == 0;
  }

  const Job& job_;
  std::vector<std::pair<std::string_view, void*>> functions_;
  int64_t index_ = 0;
  Int m_, n_, k_;
  int64_t least_;
  std::vector<T> a_, b_, tau_, work_;
  std::vector<R> real_work_;
  std::vector<Int> int_work_;
};

template <class T>
void work_on(const Job& job, int64_t count, const FoundError& error) {
  auto part = [&](int64_t from, int64_t to) {
    Worker<T> worker(job);
    for (int64_t i = from; i < to; ++i)
      if (!worker.run(i) && error.on_host) error.set(1);
  };
  int64_t effort = std::max<int64_t>(job.m * job.n * std::max(job.m, job.n), 1);
  effort > 1'000'000 ? part(0, count) : in_slices(count, part, std::max<int64_t>(1, 100'000 / effort));
}

class Factorisation : public CallBody {
 public:
  Factorisation(Kind kind, std::string mode, double number) : kind_(kind), mode_(std::move(mode)), number_(number) {}
  std::string_view name() const override { return names[static_cast<size_t>(kind_)]; }
  bool keeps_operand(size_t i) const override { return i == 0 && factor_keeps(name(), mode_).operand; }
  bool keeps_result(size_t) const override { return factor_keeps(name(), mode_).results; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    return factor_gradients(name(), mode_, call);
  }

  void run(const CallRun& run) const override {
    const CallView& a = run.inputs[0];
    size_t r = a.shape().size();
    Job job{kind_, mode_, number_, a.shape()[r - 2], a.shape()[r - 1], 0, {}, {}, {}, {}};
    if (run.inputs.size() > 1) job.k = run.inputs[1].shape()[r - 1];
    int64_t count = 1;
    for (size_t d = 0; d + 2 < r; ++d) count *= a.shape()[d];
    if (count == 0) return;
    auto add = [&](const CallView& view, std::vector<char*>& data, std::vector<size_t>& bytes) {
      data.push_back(view.data);
      bytes.push_back(static_cast<size_t>(view.layout->elements / count) * size_of(view.dtype));
    };
    for (const CallView& view : run.inputs) add(view, job.in, job.in_bytes);
    for (const CallView& view : run.outputs) add(view, job.out, job.out_bytes);
    host_blas("dgesv_");  // what is missing is said here, not on another thread
    FoundError error;
    if (!is_quiet_ && !gives_status(mode_))
      error = watch_for_error(
          context_on(run.device), ErrorKind::algebra,
          [text = failures[static_cast<size_t>(kind_)]](int64_t, int64_t) { return std::string(text); }, run.site);
    int64_t effort = job.m * job.n * std::max(job.m, job.n) * count / 64;
    on_cpu(run, name(), effort, [job, count, error, dtype = a.dtype] {
      switch (dtype) {
        case DType::float32:
          return work_on<float>(job, count, error);
        case DType::float64:
          return work_on<double>(job, count, error);
        case DType::complex64:
          return work_on<std::complex<float>>(job, count, error);
        default:
          return work_on<std::complex<double>>(job, count, error);
      }
    });
  }

 private:
  Kind kind_;
  std::string mode_;
  double number_;
  bool is_quiet_ = has_quiet_factors();
};

std::vector<CallResult> results_of(Kind kind, char first, char second, const Shape& stack, int64_t m, int64_t n, int64_t k,
                                   DType t) {
  DType real = real_part_type(t), complex = real == DType::float32 ? DType::complex64 : DType::complex128;
  int64_t least = std::min(m, n);
  auto of = [&](std::initializer_list<int64_t> more, DType dtype) {
    Shape shape = stack;
    shape.insert(shape.end(), more);
    return CallResult{std::move(shape), dtype};
  };
  switch (kind) {
    case Kind::solve:
      if (first == 'i') return {of({n, k}, t), of({}, DType::int32)};
      return {of({n, k}, t)};
    case Kind::slogdet:
      return {of({}, t), of({}, real)};
    case Kind::cholesky:
      if (second == 'i') return {of({n, n}, t), of({}, DType::int32)};
      return {of({n, n}, t)};
    case Kind::qr:
      if (first == 'r') return {of({least, n}, t)};
      if (first == 'w') return {of({n, m}, t), of({least}, t)};
      return {of({m, first == 'c' ? m : least}, t), of({first == 'c' ? m : least, n}, t)};
    case Kind::eigh:
      if (second != 'v') return {of({n}, real)};
      return {of({n}, real), of({n, n}, t)};
    case Kind::eig:
      if (first != 'v') return {of({n}, complex)};
      return {of({n}, complex), of({n, n}, complex)};
    case Kind::svd:
      if (first == 'n') return {of({least}, real)};
      return {of({m, first == 'a' ? m : least}, t), of({least}, real), of({first == 'a' ? n : least, n}, t)};
    case Kind::lstsq:
      return {of({n, k}, t), of({k}, real), of({}, DType::int32), of({least}, real)};
    case Kind::lu:
      return {of({m, n}, t), of({least}, DType::int32), of({m}, DType::int64), of({}, DType::int32)};
    case Kind::ldl:
      return {of({n, n}, t), of({n}, DType::int32), of({}, DType::int32)};
  }
  bug("a factorisation without results");
}

// Where there is no library for a GPU: to the host and back.
std::vector<Array> factor_elsewhere(std::string_view name, std::span<const Array> operands, std::string_view mode,
                                    double number) {
  Context& place = context_on(operands[0].device());
  std::vector<Array> here, out;
  for (const Array& x : operands) here.push_back(moved_to(x, cpu_context()));
  for (const Array& x : factor(name, here, mode, number)) out.push_back(moved_to(x, place));
  return out;
}

thread_local bool is_quiet = false;

}  // namespace

bool set_quiet_factors(bool on) { return std::exchange(is_quiet, on); }
bool has_quiet_factors() { return is_quiet; }

std::vector<Array> factor(std::string_view name, std::span<const Array> operands, std::string_view mode, double number) {
  for (const Array& x : operands) {
    if (x.device() != operands[0].device())
      raise(ErrorKind::value, "[linalg] the operands are on different devices; move one with to_device()");
  }
  if (operands[0].device().is_gpu())
    return factors_on_gpu(name) ? factor_on_gpu(name, operands, mode, number) : factor_elsewhere(name, operands, mode, number);
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) bug("no factorisation {}", name);
  Kind kind = static_cast<Kind>(found - names.begin());
  GraphLock lock;
  std::vector<Array> ready;
  for (const Array& x : operands) ready.push_back(in_c_order(x));
  const Shape& shape = ready[0].shape();
  Shape stack(shape.begin(), shape.end() - 2);
  int64_t m = shape[shape.size() - 2], n = shape.back(), k = ready.size() > 1 ? ready[1].shape().back() : 0;
  char first = mode.empty() ? ' ' : mode[0], second = mode.size() < 2 ? ' ' : mode[1];
  std::vector<CallResult> results = results_of(kind, first, second, stack, m, n, k, ready[0].dtype());
  return record_call(std::make_shared<Factorisation>(kind, std::string(mode), number), ready, results, ready[0].device());
}

}  // namespace quern
