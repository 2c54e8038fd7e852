// The library overwrites matrices that lie in columns. factor_on_gpu() records operands that lie so, turned where they must be;
// OnGpu copies them to memory of its own or to that of a result, submits the library's calls and a small kernel of ours that
// finishes the results and reports what was wrong with a matrix. Start at factor_on_gpu().
#include "run/calls/solver.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/error.h"
#include "device/cublas_batches.h"
#include "device/cusolver.h"
#include "graph/algebra.h"
#include "run/calls/call_launch.h"
#include "run/calls/factor_gradients.h"
#include "run/calls/lapack.h"
#include "run/calls/matmul.h"
#include "run/found_errors.h"
#include "run/trace.h"

namespace quern {

using namespace algebra;

namespace {

constexpr const char* text = R"(
template <class R>
struct Complex {
  R re, im;
};
template <class T>
struct Of {
  using Real = T;
  static __device__ T number(T x) { return x; }
  static __device__ T length(T x) { return x < 0 ? -x : x; }
  static __device__ T over(T x, T by) { return x < 0 ? T(-1) : T(1); }  // `by` is its length; NaN has no sign
  static __device__ T times(T x, T y) { return x * y; }
  static __device__ T conjugate(T x) { return x; }
};
template <class R>
struct Of<Complex<R>> {
  using Real = R;
  using C = Complex<R>;
  static __device__ C number(R x) { return C{x, R(0)}; }
  static __device__ R length(C x) { return hypot(x.re, x.im); }
  static __device__ C over(C x, R by) { return C{x.re / by, x.im / by}; }
  static __device__ C conjugate(C x) { return C{x.re, -x.im}; }
  static __device__ C times(C x, C y) { return C{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
};
#define EACH(e, n) \
  for (long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x; e < (n); e += (long long)gridDim.x * blockDim.x)

__device__ void report(long long* error) {
  if (!error) return;
  error[1] = 1;
  error[0] = 1;
}

// marks[i]: does the i-th of `all` / `parts` matrices (or columns) hold NaN?
template <class R>
__global__ void mark_nan(const R* a, long long all, long long parts, int* marks) {
  EACH(e, all) {
    if (a[e] != a[e]) marks[e / parts] = 1;
  }
}
// The same of NaN and infinities, which become 0 in `copy`: the library need not end for them. Only the lower triangle of matrices
// with n columns counts where `triangle` is 1, the upper one where it is -1; `width`: 2 of complex numbers.
template <class R>
__global__ void mark_infinite(const R* a, R* copy, long long all, long long parts, long long n, int width, int triangle, int* marks) {
  EACH(e, all) {
    if (a[e] - a[e] == 0) continue;
    const long long element = e % parts / width;
    if ((element / n - element % n) * triangle < 0) continue;
    marks[e / parts] = 1;
    copy[e] = 0;
  }
}
template <class R>
__device__ void spoil(R* values, long long i, long long parts) {
  for (long long k = 0; values && k < parts; ++k) values[i * parts + k] = (R)__longlong_as_double(0x7ff8000000000000ll);
}

// NaN values, which the first value of each matrix shows, count as not found.
template <class R>
__global__ void verdict(const int* info, long long count, const R* values, long long step, long long* error) {
  EACH(i, count) {
    if (info[i] != 0 || values[i * step] != values[i * step]) report(error);
  }
}

// Of matrices with NaN or infinities (`marks`), eigenvalues are NaN, without an error; singular values are not found.
template <class R>
__global__ void eigh_verdict(const int* info, long long count, const int* marks, long long parts, R* values, long long n,
                             R* vectors, long long* error) {
  EACH(i, count) {
    if (info[i] == 0 && !marks[i]) continue;
    if (!marks[i]) report(error);
    spoil(values, i, n);
    spoil(vectors, i, parts);
  }
}
template <class R>
__global__ void svd_verdict(const int* info, long long count, const int* marks, R* values, long long n, R* u, long long u_parts,
                            R* v, long long v_parts, long long* error) {
  EACH(i, count) {
    if (info[i] == 0 && !marks[i]) continue;
    report(error);
    spoil(values, i, n);
    spoil(u, i, u_parts);
    spoil(v, i, v_parts);
  }
}

// x: columns of n numbers, so many of them `each` matrix. A matrix or a column with NaN has no solution but NaN, which is no error.
template <class T>
__global__ void solved(T* x, long long all, long long each, long long n, const int* info, const int* marks,
                       const int* column_marks, long long* error) {
  EACH(e, all) {
    const long long i = e / each;
    if (info[i] == 0 && !marks[i] && !column_marks[e / n]) continue;
    x[e] = Of<T>::number((typename Of<T>::Real)__longlong_as_double(0x7ff8000000000000ll));
    if (e % each == 0 && info[i] != 0 && !marks[i]) report(error);
  }
}

// A block of 32 threads for each matrix.
template <class T, class I>
__global__ void determinant(const T* a, long long n, const I* pivots, const int* info, const int* marks, T* sign,
                            typename Of<T>::Real* size) {
  using R = typename Of<T>::Real;
  __shared__ T signs[32];
  __shared__ R sizes[32];
  const long long b = blockIdx.x;
  T s = Of<T>::number(R(1));
  R z = 0;
  for (long long i = threadIdx.x; i < n; i += 32) {
    const T x = a[(b * n + i) * n + i];
    const R length = Of<T>::length(x);
    s = Of<T>::times(s, Of<T>::over(x, length));
    if (pivots[b * n + i] != i + 1) s = Of<T>::times(s, Of<T>::number(R(-1)));
    z += log(length);
  }
  signs[threadIdx.x] = s;
  sizes[threadIdx.x] = z;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 32; ++i) {
    s = Of<T>::times(s, signs[i]);
    z += sizes[i];
  }
  if (n > 0 && marks[b]) {
    size[b] = (R)__longlong_as_double(0x7ff8000000000000ll);
    sign[b] = Of<T>::over(Of<T>::number(size[b]), size[b]);
    return;
  }
  const bool is_singular = n > 0 && info[b] > 0;
  sign[b] = is_singular ? Of<T>::number(R(0)) : s;
  size[b] = is_singular ? (R)__longlong_as_double((long long)0xfff0000000000000ull) : z;
}

template <class T>
__global__ void triangle(T* a, long long all, long long n, int upper, int* info, int is_status, long long* error) {
  EACH(e, all) {
    const long long i = e / n % n, j = e % n;
    if (upper ? j < i : j > i) a[e] = Of<T>::number(0);
    if (i == j && info[e / n / n] != 0) report(error);
    if (i != 0 || j != 0 || !is_status) continue;
    for (long long d = 0; d < n && info[e / n / n] == 0; ++d) {  // NaN and infinities have no status of the library's
      const auto length = Of<T>::length(a[e + d * (n + 1)]);
      if (length - length != 0) info[e / n / n] = static_cast<int>(d + 1);
    }
  }
}

// The upper triangle of a, whose columns are m long, in rows of n.
template <class T>
__global__ void upper(const T* a, T* r, long long all, long long m, long long n, long long rows) {
  EACH(e, all) {
    const long long i = e / n % rows, j = e % n;
    r[e] = i <= j ? a[e / n / rows * m * n + j * m + i] : Of<T>::number(0);
  }
}

// The first of a's n columns, as many as there are; the others are 0.
template <class T>
__global__ void columns(const T* a, T* q, long long all, long long m, long long n, long long wide) {
  EACH(e, all) {
    const long long at = e % (m * wide);
    q[e] = at < m * n ? a[e / (m * wide) * m * n + at] : Of<T>::number(0);
  }
}

// n x n matrices turned and conjugated.
template <class T>
__global__ void adjoint(const T* v, T* out, long long all, long long n) {
  EACH(e, all) out[e] = Of<T>::conjugate(v[e / (n * n) * n * n + e % n * n + e / n % n]);
}

template <class T>
__global__ void identity(T* x, long long all, long long n) {
  EACH(e, all) x[e] = Of<T>::number(e / n % n == e % n ? 1 : 0);
}

// Eigenvectors of real matrices: a pair's stand as their real and imaginary parts.
template <class R>
__global__ void paired(const R* v, const Complex<R>* values, Complex<R>* out, long long all, long long n) {
  EACH(e, all) {
    const long long c = e / n % n;
    const R im = values[e / n].im;
    if (im > 0 && c + 1 < n)
      out[e] = Complex<R>{v[e], v[e + n]};
    else if (im < 0 && c > 0)
      out[e] = Complex<R>{v[e - n], -v[e]};
    else
      out[e] = Complex<R>{v[e], R(0)};
  }
}

template <class T>
__global__ void starts(T* data, long long elements, long long count, T** out) {
  EACH(i, count) out[i] = data + i * elements;
}
)";

enum class Kind { solve, slogdet, cholesky, qr, eigh, eig, svd, lstsq };
struct Row {
  std::string_view name;
  Solver solver;
  const char* failure;
};
constexpr std::array<Row, 8> rows{{{"solve", Solver::lu, "Singular matrix"},
                                   {"slogdet", Solver::lu, ""},
                                   {"cholesky", Solver::cholesky, "Matrix is not positive definite"},
                                   {"qr", Solver::qr, ""},
                                   {"eigh", Solver::eigh, "Eigenvalues did not converge"},
                                   {"eig", Solver::eig, "Eigenvalues did not converge"},
                                   {"svd", Solver::svd, "SVD did not converge"},
                                   {"lstsq", Solver::svd, "SVD did not converge in Linear Least Squares"}}};

Kind kind_of(std::string_view name) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == name) return static_cast<Kind>(i);
  }
  bug("no factorisation {}", name);
}

// What one call does on the device.
class Work {
 public:
  Work(const CallRun& run, std::string_view name, DType dtype, int64_t count)
      : run_(run),
        context_(context_on(run.device)),
        traced_(TraceKind::launch, run.device, context_.work_stream.get(), 0, run.site),
        real_(row(real_part_type(dtype)).cuda),
        number_(is_complex(dtype) ? formatted("Complex<{}>", real_) : real_),
        bytes_(size_of(dtype)),
        call{context_.device, *context_.work_stream, dtype, count, [this](size_t bytes) { return room(bytes); }} {
    traced_.name(std::string(name));
    mark_used(run);
  }
  Work(const Work&) = delete;

  // Memory until the work is done.
  void* room(size_t bytes) {
    temporaries_.push_back(temporary(run_, bytes));
    use_on(context_.work_stream, *temporaries_.back().block(), true);
    return temporaries_.back().pointer();
  }
  template <class T>
  T* numbers(int64_t count) {
    return static_cast<T*>(room(static_cast<size_t>(count) * sizeof(T)));
  }
  // A mark for each run of `step` numbers: does it hold NaN?
  int* nan_marks(const CallView& view, int64_t step) {
    int64_t parts = is_complex(view.dtype) ? 2 : 1, runs = step > 0 ? view.layout->elements / step : 0;
    int* marks = numbers<int>(runs);
    if (runs == 0) return marks;
    context_.fill(context_.work_stream, marks, 0, 0, 4, static_cast<size_t>(runs), 1);
    each_real("mark_nan", view.layout->elements * parts,
              Parameters().add(view.data).add(view.layout->elements * parts).add(step * parts).add(marks));
    return marks;
  }
  // The same of NaN and infinities, which are 0 in `copied` from then on; in a triangle of the matrices alone (mark_infinite).
  int* infinite_marks(const CallView& view, void* copied, int64_t step, int triangle) {
    int64_t parts = is_complex(view.dtype) ? 2 : 1, runs = view.layout->elements / step;
    int* marks = numbers<int>(runs);
    context_.fill(context_.work_stream, marks, 0, 0, 4, static_cast<size_t>(runs), 1);
    each_real("mark_infinite", view.layout->elements * parts,
              Parameters()
                  .add(view.data)
                  .add(copied)
                  .add(view.layout->elements * parts)
                  .add(step * parts)
                  .add(view.shape().back())
                  .add(static_cast<int>(parts))
                  .add(triangle)
                  .add(marks));
    return marks;
  }
  // What the library found in each matrix, as a result.
  void copy_status(const int* info, const CallView& to) {
    const size_t bytes = static_cast<size_t>(to.layout->elements) * sizeof(int);
    context_.copy(context_.work_stream, to.data, info, bytes, CopyKind::device_to_device, false);
  }
  // Of matrices without elements, which the library does not take.
  void clear_status(const CallView& to) {
    if (to.layout->elements > 0)
      context_.fill(context_.work_stream, to.data, 0, 0, 4, static_cast<size_t>(to.layout->elements), 1);
  }
  void* elements(int64_t count) { return room(static_cast<size_t>(count) * bytes_); }
  // To `to`, or to memory of its own.
  void* copy(const CallView& from, void* to = nullptr) {
    size_t bytes = static_cast<size_t>(from.layout->elements) * bytes_;
    if (!to) to = room(bytes);
    context_.copy(context_.work_stream, to, from.data, bytes, CopyKind::device_to_device, false);
    return to;
  }

  // Where each of the matrices starts, for what comes in batches.
  void** starts(void* data, int64_t elements_of_each) {
    void** out = numbers<void*>(call.count);
    each("starts", call.count, Parameters().add(data).add(elements_of_each).add(call.count).add(out));
    return out;
  }

  void each(const char* kernel, int64_t n, const Parameters& packed) { start(kernel, number_, shape_for(n), packed); }
  // For kernels of the real part's type.
  void each_real(const char* kernel, int64_t n, const Parameters& packed) { start(kernel, real_, shape_for(n), packed); }
  void determinants(const char* pivot_type, const Parameters& packed) {
    LaunchShape shape;
    shape.block[0] = 32;
    shape.grid[0] = static_cast<uint32_t>(call.count);
    start("determinant", formatted("{}, {}", number_, pivot_type), shape, packed);
  }

  // Asked for once all else is submitted: a wait would end it.
  int64_t* error(const char* failure, bool is_known = false) {
    FoundError found =
        watch_for_error(context_, ErrorKind::algebra, [failure](int64_t, int64_t) { return std::string(failure); }, run_.site);
    if (is_known) found.set(1);
    return found.on_device;
  }

 private:
  void start(const char* kernel, const std::string& types, const LaunchShape& shape, const Parameters& packed) {
    launch(run_, instance_of(context_, TextOf::solver, text, formatted("{}<{}>", kernel, types)), shape, packed, temporaries_);
  }

  const CallRun& run_;
  Context& context_;
  Traced traced_;
  std::string real_, number_;  // types in CUDA C++
  size_t bytes_;
  std::vector<Buffer> temporaries_;

 public:
  SolverCall call;
};

// m x n: what the user sees, before anything was turned.
class OnGpu : public CallBody {
 public:
  OnGpu(Kind kind, std::string_view mode, int64_t m, int64_t n)
      : kind_(kind),
        mode_(mode.empty() ? ' ' : mode[0]),
        more_(mode.size() < 2 ? ' ' : mode[1]),
        m_(m),
        n_(n),
        least_(std::min(m, n)) {}
  std::string_view name() const override { return rows[static_cast<size_t>(kind_)].name; }

  void run(const CallRun& run) const override {
    const CallView& a = run.inputs[0];
    int64_t count = 1;
    for (size_t d = 0; d + 2 < a.shape().size(); ++d) count *= a.shape()[d];
    bool has_results = false;
    for (const CallView& out : run.outputs) has_results |= out.layout->elements > 0;
    if (!has_results) return;
    Work work(run, name(), a.dtype, count);
    switch (kind_) {
      case Kind::solve:
        return solve(run, work);
      case Kind::slogdet:
        return slogdet(run, work);
      case Kind::cholesky:
        return cholesky(run, work);
      case Kind::qr:
        return qr(run, work);
      case Kind::eigh:
        return eigh(run, work);
      case Kind::eig:
        return eig(run, work);
      case Kind::svd:
        return svd(run, work);
      case Kind::lstsq:
        bug("least squares are recorded as an svd and products");
    }
  }

 private:
  const char* failure() const { return rows[static_cast<size_t>(kind_)].failure; }

  void solve(const CallRun& run, Work& work) const {
    const CallView& x = run.outputs[0];
    int64_t count = work.call.count, k = x.shape()[x.shape().size() - 2];
    if (n_ == 0) return work.clear_status(run.outputs[1]);  // else there is nothing to compute
    void* a = work.copy(run.inputs[0]);
    work.copy(run.inputs[1], x.data);
    int* info = work.numbers<int>(count + 1);
    if (has_lu_in_batches(work.call, n_)) {
      int* pivots = work.numbers<int>(count * n_);
      void** each = work.starts(a, n_ * n_);
      lu_in_batches(work.call, n_, each, pivots, info);
      if (k > 0) lu_solve_in_batches(work.call, n_, k, each, pivots, work.starts(x.data, n_ * k));
    } else {
      int64_t* pivots = work.numbers<int64_t>(count * n_);
      lu_on_gpu(work.call, n_, a, pivots, info);
      if (k > 0) lu_solve_on_gpu(work.call, n_, k, a, pivots, x.data, info + count);
    }
    int* marks = work.nan_marks(run.inputs[0], n_ * n_);
    int* column_marks = work.nan_marks(run.inputs[1], n_);
    if (mode_ == 'i') work.copy_status(info, run.outputs[1]);
    int64_t* error = mode_ == 'q' || mode_ == 'i' ? nullptr : error_of(work);
    work.each(
        "solved", x.layout->elements,
        Parameters().add(x.data).add(x.layout->elements).add(n_ * k).add(n_).add(info).add(marks).add(column_marks).add(error));
  }

  void slogdet(const CallRun& run, Work& work) const {
    int64_t count = work.call.count;
    const char* pivot_type = "long long";
    void *a = nullptr, *pivots = nullptr;
    int* info = nullptr;
    if (n_ > 0) {
      a = work.copy(run.inputs[0]);
      info = work.numbers<int>(count);
      if (has_lu_in_batches(work.call, n_)) {
        pivot_type = "int";
        int* made = work.numbers<int>(count * n_);
        lu_in_batches(work.call, n_, work.starts(a, n_ * n_), made, info);
        pivots = made;
      } else {
        int64_t* made = work.numbers<int64_t>(count * n_);
        lu_on_gpu(work.call, n_, a, made, info);
        pivots = made;
      }
    }
    int* marks = n_ > 0 ? work.nan_marks(run.inputs[0], n_ * n_) : nullptr;
    work.determinants(
        pivot_type,
        Parameters().add(a).add(n_).add(pivots).add(info).add(marks).add(run.outputs[0].data).add(run.outputs[1].data));
  }

  // In rows the matrix is the transposed one, which is its conjugate: the other triangle's factor is the wanted one, turned.
  void cholesky(const CallRun& run, Work& work) const {
    const CallView& out = run.outputs[0];
    int upper = mode_ == 'u';
    if (n_ == 0) return work.clear_status(run.outputs[1]);  // else there is nothing to compute
    work.copy(run.inputs[0], out.data);
    int* info = more_ == 'i' ? static_cast<int*>(static_cast<void*>(run.outputs[1].data)) : work.numbers<int>(work.call.count);
    if (has_cholesky_in_batches(work.call, n_))
      cholesky_in_batches(work.call, !upper, n_, work.starts(out.data, n_ * n_), info);
    else
      cholesky_on_gpu(work.call, !upper, n_, out.data, info);
    int64_t* error = more_ == 'i' ? nullptr : error_of(work);
    work.each(
        "triangle", out.layout->elements,
        Parameters().add(out.data).add(out.layout->elements).add(n_).add(upper).add(info).add(more_ == 'i' ? 1 : 0).add(error));
  }

  void qr(const CallRun& run, Work& work) const {
    int64_t count = work.call.count, size = run.outputs[0].layout->elements;
    if (least_ == 0)  // only a complete q has elements
      return work.each("identity", size, Parameters().add(run.outputs[0].data).add(size).add(m_));
    bool is_raw = mode_ == 'w';
    void* a = work.copy(run.inputs[0], is_raw ? run.outputs[0].data : nullptr);
    void* tau = is_raw ? run.outputs[1].data : work.elements(count * least_);
    int* info = work.numbers<int>(count + 1);
    qr_on_gpu(work.call, m_, n_, a, tau, info);
    if (is_raw) return;
    const CallView& r = run.outputs[mode_ == 'r' ? 0 : 1];
    int64_t r_rows = r.shape()[r.shape().size() - 2];
    work.each("upper", r.layout->elements, Parameters().add(a).add(r.data).add(r.layout->elements).add(m_).add(n_).add(r_rows));
    if (mode_ == 'r') return;
    char* q = run.outputs[0].data;
    int64_t wide = mode_ == 'c' ? m_ : least_;
    work.each("columns", size, Parameters().add(a).add(q).add(size).add(m_).add(n_).add(wide));
    build_q_on_gpu(work.call, m_, wide, least_, q, tau, info + count);
  }

  void eigh(const CallRun& run, Work& work) const {
    const CallView &a = run.inputs[0], &values = run.outputs[0];
    bool vectors = more_ == 'v', is_turned = is_complex(a.dtype), upper = (mode_ == 'U') == is_turned;
    void* memory = work.copy(a, vectors ? run.outputs[1].data : nullptr);
    int* info = work.numbers<int>(work.call.count);
    int* marks = work.infinite_marks(a, memory, n_ * n_, (mode_ == 'L') != is_turned ? 1 : -1);
    bool is_done = eigh_on_gpu(work.call, vectors, upper, n_, memory, values.data, info);
    int64_t* error = error_of(work, !is_done);
    int64_t parts = n_ * n_ * (is_turned ? 2 : 1);
    work.each_real("eigh_verdict", work.call.count,
                   Parameters()
                       .add(info)
                       .add(work.call.count)
                       .add(marks)
                       .add(parts)
                       .add(values.data)
                       .add(n_)
                       .add(vectors ? run.outputs[1].data : nullptr)
                       .add(error));
  }

  void eig(const CallRun& run, Work& work) const {
    const CallView &in = run.inputs[0], &values = run.outputs[0];
    bool vectors = mode_ == 'v', is_real = !is_complex(in.dtype);
    int64_t count = work.call.count, size = count * n_ * n_;
    void* a = work.copy(in);
    void* found = !vectors ? nullptr : is_real ? work.elements(size) : run.outputs[1].data;
    int* info = work.numbers<int>(count);
    bool is_done = eig_on_gpu(work.call, n_, a, values.data, found, info);
    if (vectors && is_real)
      work.each_real("paired", size, Parameters().add(found).add(values.data).add(run.outputs[1].data).add(size).add(n_));
    int64_t* error = error_of(work, !is_done);
    work.each_real("verdict", count, Parameters().add(info).add(count).add(values.data).add(2 * n_).add(error));
  }

  // The library wants as many rows as columns or more: a wide matrix is given as it lies in rows, which is the transposed one.
  void svd(const CallRun& run, Work& work) const {
    char job = mode_ == 'n' ? 'N' : mode_ == 's' ? 'S' : 'A';
    if (least_ == 0) {  // only full factors have elements
      for (size_t i : {0, 2}) {
        int64_t size = run.outputs[i].layout->elements;
        if (size > 0)
          work.each("identity", size, Parameters().add(run.outputs[i].data).add(size).add(run.outputs[i].shape().back()));
      }
      return;
    }
    const CallView& values = run.outputs[job == 'N' ? 0 : 1];
    void* a = work.copy(run.inputs[0]);
    int* info = work.numbers<int>(work.call.count);
    int* marks = work.infinite_marks(run.inputs[0], a, m_ * n_, 0);
    int64_t most = std::max(m_, n_);
    bool is_done;
    if (has_svd_in_batches(work.call, most)) {
      is_done = small_svd(run, work, job, a, values.data, info);
    } else {
      void* u = job == 'N' ? nullptr : run.outputs[0].data;
      void* vt = job == 'N' ? nullptr : run.outputs[2].data;
      is_done = svd_on_gpu(work.call, job, most, least_, a, values.data, u, vt, info);
    }
    int64_t* error = more_ == 'q' ? nullptr : error_of(work, !is_done);
    Parameters parameters = Parameters().add(info).add(work.call.count).add(marks).add(values.data).add(least_);
    for (size_t i : {0, 2}) {
      const bool is_there = job != 'N';
      const int64_t elements = is_there ? run.outputs[i].layout->elements / work.call.count : 0;
      parameters.add(is_there ? run.outputs[i].data : nullptr).add(elements * (is_complex(run.inputs[0].dtype) ? 2 : 1));
    }
    work.each_real("svd_verdict", work.call.count, parameters.add(error));
  }

  bool small_svd(const CallRun& run, Work& work, char job, void* a, void* values, int* info) const {
    int64_t most = std::max(m_, n_), count = work.call.count;
    bool is_whole = job == 'A' || (job == 'S' && m_ == n_);  // u comes as it is wanted
    void* u = is_whole ? run.outputs[0].data : work.elements(count * most * most);
    void* v = work.elements(count * least_ * least_);
    bool is_done = svd_in_batches(work.call, job != 'N', most, least_, a, values, u, v, info);
    if (job == 'N') return is_done;
    int64_t size = run.outputs[0].layout->elements, v_size = run.outputs[2].layout->elements;
    if (!is_whole)
      work.each("columns", size, Parameters().add(u).add(run.outputs[0].data).add(size).add(most).add(most).add(least_));
    work.each("adjoint", v_size, Parameters().add(v).add(run.outputs[2].data).add(v_size).add(least_));
    return is_done;
  }

  int64_t* error_of(Work& work, bool is_known = false) const { return is_quiet_ ? nullptr : work.error(failure(), is_known); }

  Kind kind_;
  char mode_, more_;
  int64_t m_, n_, least_;
  bool is_quiet_ = has_quiet_factors();
};

// ---- recording

Array turned(const Array& x) {
  if (x.shape().back() == 1 && x.shape()[x.rank() - 2] == 1) return x;
  return matrix_transpose(x);
}
Array squares_of_columns(const Array& x) {
  Argument one[] = {Argument(x)};
  Array lengths = elementwise(Op::absolute, one);
  return reduce(Reduction::sum, multiply(lengths, lengths), {true, false}, false);
}

// x = V S^+ U^H b, as LAPACK's gelsd has it: singular values up to `rcond` times the largest count as 0; an rcond outside (0, 1)
// is the type's step.
std::vector<Array> least_squares(const Array& a, const Array& b, double rcond) {
  int64_t m = a.shape()[0], n = a.shape()[1], k = b.shape()[1];
  DType t = a.dtype(), real = real_part_type(t);
  if (std::min(m, n) == 0) {
    auto zeros = [&](const Shape& shape, DType type) { return full(shape, real_number(0), type, a.device()); };
    return {zeros({n, k}, t), squares_of_columns(b), astype(zeros({}, real), DType::int32), zeros({0}, real)};
  }
  if (rcond <= 0 || rcond >= 1) rcond = real == DType::float32 ? 0x1p-23 : 0x1p-52;
  Array factors[] = {a};
  std::vector<Array> found = factor_on_gpu("svd", factors, "s", 0);
  const Array &u = found[0], &s = found[1], &vh = found[2];
  Layout first = s.layout();
  first.shape[0] = 1;
  Array counts = greater(s, multiply(s.view(first), real_number(rcond)));  // NaN does not count, and makes x NaN
  Argument safe[] = {Argument(counts), Argument(s), Argument(real_number(1))};
  Array inverse = true_divide(astype(counts, real), elementwise(Op::where, safe));
  Array x = matmul(conj(turned(vh)), multiply(matmul(conj(turned(u)), b), expand_dims(inverse, inverse.rank())));
  Array left = squares_of_columns(subtract(b, matmul(a, x)));
  Array rank = reduce(Reduction::sum, astype(counts, DType::int32), {true}, false, DType::int32);
  return {x, left, rank, s};
}

// The derivative of the function as its caller sees it, whatever was turned for the library.
class FactorGradient : public GradientBody {
 public:
  FactorGradient(Kind kind, std::string_view mode) : kind_(kind), mode_(mode) {}
  std::string_view name() const override { return rows[static_cast<size_t>(kind_)].name; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    return factor_gradients(name(), mode_, call);
  }

 private:
  Kind kind_;
  std::string mode_;
};

// Records the library's call, and turns what it reads and gives.
std::vector<Array> factors(Kind kind, std::span<const Array> operands, std::string_view mode) {
  const Array& a = operands[0];
  const Shape& shape = a.shape();
  Shape stack(shape.begin(), shape.end() - 2);
  int64_t m = shape[shape.size() - 2], n = shape.back(), least = std::min(m, n);
  DType t = a.dtype(), real = real_part_type(t), complex = real == DType::float32 ? DType::complex64 : DType::complex128;
  auto of = [&](std::initializer_list<int64_t> more, DType dtype) {
    Shape whole = stack;
    whole.insert(whole.end(), more);
    return CallResult{std::move(whole), dtype};
  };
  auto record = [&](std::initializer_list<Array> given, std::initializer_list<CallResult> results) {
    std::vector<Array> ready;
    for (const Array& x : given) {
      ready.push_back(in_c_order(x));
      if (is_inference(x)) mark_inference(ready.back());  // a copy is for this call alone
    }
    std::vector<CallResult> all(results);
    return record_call(std::make_shared<OnGpu>(kind, mode, m, n), ready, all, a.device());
  };
  char first = mode.empty() ? ' ' : mode[0], second = mode.size() < 2 ? ' ' : mode[1];
  std::vector<Array> out;
  switch (kind) {
    case Kind::solve:
      if (first == 'i') {
        out = record({turned(a), turned(operands[1])}, {of({operands[1].shape().back(), n}, t), of({}, DType::int32)});
        return {in_c_order(turned(out[0])), out[1]};
      }
      out = record({turned(a), turned(operands[1])}, {of({operands[1].shape().back(), n}, t)});
      return {in_c_order(turned(out[0]))};
    case Kind::slogdet:
      return record({turned(a)}, {of({}, t), of({}, real)});
    case Kind::cholesky:
      if (second == 'i') return record({a}, {of({n, n}, t), of({}, DType::int32)});
      return record({a}, {of({n, n}, t)});
    case Kind::qr: {
      if (first == 'r') return record({turned(a)}, {of({least, n}, t)});
      if (first == 'w') return record({turned(a)}, {of({n, m}, t), of({least}, t)});
      int64_t wide = first == 'c' ? m : least;
      out = record({turned(a)}, {of({wide, m}, t), of({wide, n}, t)});
      return {turned(out[0]), out[1]};
    }
    case Kind::eigh: {
      Array ready = is_complex(t) ? turned(a) : a;
      if (second != 'v') return record({ready}, {of({n}, real)});
      out = record({ready}, {of({n}, real), of({n, n}, t)});
      return {out[0], in_c_order(turned(out[1]))};
    }
    case Kind::eig:
      if (first != 'v') return record({turned(a)}, {of({n}, complex)});
      out = record({turned(a)}, {of({n}, complex), of({n, n}, complex)});
      return {out[0], turned(out[1])};
    case Kind::svd: {
      bool is_wide = m < n;
      Array ready = is_wide ? a : turned(a);
      if (first == 'n') return record({ready}, {of({least}, real)});
      int64_t most = std::max(m, n);
      out = record({ready}, {of({first == 'a' ? most : least, most}, t), of({least}, real), of({least, least}, t)});
      if (is_wide) return {out[2], out[1], out[0]};
      return {turned(out[0]), out[1], turned(out[2])};
    }
    case Kind::lstsq:
      break;
  }
  bug("a factorisation without results");
}

}  // namespace

bool factors_on_gpu(std::string_view name) {
  return name != "lu" && name != "ldl" && has_cusolver(rows[static_cast<size_t>(kind_of(name))].solver);
}

std::vector<Array> factor_on_gpu(std::string_view name, std::span<const Array> operands, std::string_view mode, double number) {
  Kind kind = kind_of(name);
  GraphLock lock;
  if (kind == Kind::lstsq) return least_squares(operands[0], operands[1], number);
  auto make = [&] { return factors(kind, operands, mode); };
  if (std::ranges::none_of(operands, [](const Array& x) { return wants_gradient(x); })) return make();
  auto [operand, results] = factor_keeps(name, mode);
  Kept kept{{operand}, std::vector<bool>(3, results)};
  return differentiable(std::make_shared<FactorGradient>(kind, mode), operands, kept, make);
}

}  // namespace quern
