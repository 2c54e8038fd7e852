// Real and complex matrices go to OpenBLAS or cuBLASLt; the other types are sums of products, in one fused kernel.
#include "run/calls/matmul.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "core/error.h"
#include "device/cublas.h"
#include "device/host_gemm.h"
#include "graph/algebra.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/call_launch.h"
#include "run/calls/short_products.h"
#include "run/tier0.h"
#include "run/trace.h"

namespace quern {

using namespace algebra;

namespace {

bool has_library(DType dtype) { return row(dtype).kind == DTypeKind::real || is_complex(dtype); }

// A stack of matrices as a library takes it: one of its last two steps is 1, the other no less than a row is long.
bool is_ready(const Array& x) {
  size_t r = x.rank();
  int64_t rows = x.shape()[r - 2], columns = x.shape()[r - 1];
  int64_t down = x.layout().strides[r - 2], across = x.layout().strides[r - 1];
  if (across == 1 && (down >= std::max<int64_t>(columns, 1) || rows == 1)) return down > 0 || rows == 1;
  return down == 1 && (across >= std::max<int64_t>(rows, 1) || columns == 1);
}

MatrixBatch matrix_of(const CallView& view) {
  size_t r = view.shape().size();
  int64_t rows = view.shape()[r - 2], columns = view.shape()[r - 1], down = view.strides()[r - 2], across = view.strides()[r - 1];
  MatrixBatch out{view.data, false, 0, 0};
  if (across == 1 && (down >= std::max<int64_t>(columns, 1) || rows == 1)) {
    out.step = rows == 1 ? std::max<int64_t>(columns, 1) : down;
  } else {
    out.transposed = true;
    out.step = columns == 1 ? std::max<int64_t>(rows, 1) : across;
  }
  return out;
}

// Where each matrix of a stack starts, in elements; `counts`: the stack's shape.
std::vector<int64_t> starts_of(const CallView& view) {
  size_t stack = view.shape().size() - 2;
  std::vector<int64_t> out{0};
  for (size_t d = 0; d < stack; ++d) {
    std::vector<int64_t> next;
    for (int64_t at : out)
      for (int64_t i = 0; i < view.shape()[d]; ++i) next.push_back(at + i * view.strides()[d]);
    out = std::move(next);
  }
  return out;
}

// The step from one matrix to the next, when all steps are alike.
std::optional<int64_t> even_step(const std::vector<int64_t>& starts) {
  if (starts.size() < 2) return 0;
  int64_t step = starts[1] - starts[0];
  for (size_t i = 2; i < starts.size(); ++i)
    if (starts[i] - starts[i - 1] != step) return std::nullopt;
  return step;
}

// ---- the host's library

template <class T>
HostMatrix<const T> host_matrix(const MatrixBatch& matrix) {
  const HostMatrix<const T> found{static_cast<const T*>(matrix.data), matrix.step, 1};
  return matrix.transposed ? found.turned() : found;
}
// `step`: the length of the result's rows in memory.
template <class T>
void gemm_on_host(const MatrixProduct& p, int64_t step) {
  multiply_matrices<T>(host_matrix<T>(p.a), host_matrix<T>(p.b), {static_cast<T*>(p.c), step, 1}, p.m, p.n, p.k, false);
}

// A row times a column: of up to so many numbers by one thread, so that it has the same bits wherever it is computed.
constexpr int64_t most_of_a_dot = 1 << 17;
bool is_dot(const MatrixProduct& p) { return p.m == 1 && p.n == 1 && p.k > 0 && !is_complex(p.dtype); }
template <class T>
void dot_on_host(const char* name, const MatrixProduct& p) {
  auto* f = host_blas_as<T(BlasInt, const T*, BlasInt, const T*, BlasInt)>(name);
  *static_cast<T*>(p.c) = f(p.k, static_cast<const T*>(p.a.data), p.a.transposed ? p.a.step : 1, static_cast<const T*>(p.b.data),
                            p.b.transposed ? 1 : p.b.step);
}

// Of so few multiplications a product takes less time than a call of the library.
constexpr int64_t most_of_few = 64;
bool are_few(const MatrixProduct& p) {
  return p.m * p.n * p.k <= most_of_few && (p.dtype == DType::float32 || p.dtype == DType::float64);
}
template <class T>
void few_on_host(const MatrixProduct& p) {
  const HostMatrix<const T> a = host_matrix<T>(p.a), b = host_matrix<T>(p.b);
  T* c = static_cast<T*>(p.c);
  for (int64_t i = 0; i < p.m; ++i, c += p.n) {
    for (int64_t j = 0; j < p.n; ++j) c[j] = a.data[i * a.down] * b.data[j * b.across];
    for (int64_t k = 1; k < p.k; ++k) {
      const T factor = a.data[i * a.down + k * a.across];
      const T* row = b.data + k * b.down;
      for (int64_t j = 0; j < p.n; ++j) c[j] += factor * row[j * b.across];
    }
  }
}

void multiply_on_host(const MatrixProduct& p, int64_t step) {
  if (is_dot(p) && p.dtype == DType::float32) return dot_on_host<float>("cblas_sdot", p);
  if (is_dot(p) && p.dtype == DType::float64) return dot_on_host<double>("cblas_ddot", p);
  switch (p.dtype) {
    case DType::float32:
      return gemm_on_host<float>(p, step);
    case DType::float64:
      return gemm_on_host<double>(p, step);
    case DType::complex64:
      return gemm_on_host<std::complex<float>>(p, step);
    default:
      return gemm_on_host<std::complex<double>>(p, step);
  }
}

std::atomic<bool> tf32_allowed{false};

class Product : public CallBody {
 public:
  explicit Product(bool tf32) : tf32_(tf32) {}
  std::string_view name() const override { return "matmul"; }
  bool keeps_operand(size_t) const override { return true; }
  bool is_product() const override { return true; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override;

  void run(const CallRun& run) const override {
    const CallView &a = run.inputs[0], &b = run.inputs[1], &c = run.outputs[0];
    if (c.layout->elements == 0) return;
    size_t r = c.shape().size();
    MatrixProduct p{c.dtype, c.shape()[r - 2], c.shape()[r - 1], a.shape()[r - 1], 1, matrix_of(a), matrix_of(b), c.data, tf32_};
    std::vector<int64_t> a_starts = starts_of(a), b_starts = starts_of(b);
    if (run.device.is_gpu()) return on_gpu(run, p, a_starts, b_starts);
    if (p.k > 0) host_blas("cblas_sgemm");  // what is missing is said here, not on another thread
    int64_t work = p.m * p.n * std::max<int64_t>(p.k, 1);
    int64_t count = static_cast<int64_t>(a_starts.size());
    if (size_of(c.dtype) == 2)
      return on_cpu(
          run, name(), work * count / 64, [p, a_starts, b_starts] { multiply_short(p, a_starts, b_starts); }, {},
          traced_work(p, count));
    auto multiply = [p, a_starts, b_starts, count, work, bytes = size_of(c.dtype)] {
      if (p.k == 0) return std::memset(p.c, 0, static_cast<size_t>(count * p.m * p.n) * bytes), void();
      if ((work >= for_the_library && has_host_blas()) || (count == 1 && is_dot(p) && p.k > most_of_a_dot)) {
        for (int64_t i = 0; i < count; ++i) multiply_on_host(at(p, a_starts[i], b_starts[i], i, bytes), p.n);
        return;
      }
      if (are_few(p)) {
        in_slices(
            count,
            [&](int64_t from, int64_t to) {
              for (int64_t i = from; i < to; ++i) {
                const MatrixProduct one = at(p, a_starts[i], b_starts[i], i, bytes);
                p.dtype == DType::float32 ? few_on_host<float>(one) : few_on_host<double>(one);
              }
            },
            std::max<int64_t>(1, for_a_thread / work));
        return;
      }
      OneBlasThread alone;
      int64_t slices = std::clamp<int64_t>(work * count / for_a_thread, 1, cpu_threads());
      const bool by_columns = p.n > p.m;  // the library prepares all of b for each part: of rows, again and again
      int64_t parts = count >= slices ? 1 : std::min((slices + count - 1) / count, std::max(p.m, p.n));
      auto part = [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
          int64_t which = i / parts, k = i % parts;
          const MatrixProduct one = at(p, a_starts[which], b_starts[which], which, bytes);
          multiply_on_host(by_columns ? columns_of(one, p.n * k / parts, p.n * (k + 1) / parts, bytes)
                                      : rows_of(one, p.m * k / parts, p.m * (k + 1) / parts, bytes),
                           p.n);
        }
      };
      in_slices(count * parts, part, std::max<int64_t>(1, count * parts / slices));
    };
    on_cpu(run, name(), work * count / 64, std::move(multiply), {}, traced_work(p, count));
  }

 private:
  static TracedWork traced_work(const MatrixProduct& p, int64_t count) {
    TracedWork work;
    if (!tracing()) return work;
    auto bytes = static_cast<int64_t>(size_of(p.dtype));
    work.bytes = work.fetched = static_cast<uint64_t>(count * bytes * (p.m * p.k + p.k * p.n + p.m * p.n));
    work.operations = static_cast<uint64_t>(count * p.m * p.n * p.k * (is_complex(p.dtype) ? 8 : 2));
    return work;
  }

  const bool tf32_;
  // Of so many multiplications a product is the library's own threads' work; of so many one of ours gets a share.
  static constexpr int64_t for_the_library = int64_t{1} << 28, for_a_thread = 200'000;

  static MatrixProduct rows_of(MatrixProduct p, int64_t from, int64_t to, size_t bytes) {
    auto moved = [&](void* data, int64_t by) { return static_cast<char*>(data) + by * static_cast<int64_t>(bytes); };
    p.a.data = moved(p.a.data, p.a.transposed ? from : from * p.a.step);
    p.c = moved(p.c, from * p.n);
    p.m = to - from;
    return p;
  }

  static MatrixProduct columns_of(MatrixProduct p, int64_t from, int64_t to, size_t bytes) {
    auto moved = [&](void* data, int64_t by) { return static_cast<char*>(data) + by * static_cast<int64_t>(bytes); };
    p.b.data = moved(p.b.data, p.b.transposed ? from * p.b.step : from);
    p.c = moved(p.c, from);
    p.n = to - from;
    return p;
  }

  static MatrixProduct at(MatrixProduct p, int64_t a, int64_t b, int64_t i, size_t bytes) {
    auto moved = [&](void* data, int64_t by) { return static_cast<char*>(data) + by * static_cast<int64_t>(bytes); };
    p.a.data = moved(p.a.data, a);
    p.b.data = moved(p.b.data, b);
    p.c = moved(p.c, i * p.m * p.n);
    return p;
  }

  static void on_gpu(const CallRun& run, MatrixProduct p, const std::vector<int64_t>& a_starts,
                     const std::vector<int64_t>& b_starts) {
    Context& context = context_on(run.device);
    const CallView& c = run.outputs[0];
    mark_used(run);
    if (p.k == 0) {
      context.fill(context.work_stream, c.data, 0, 0, 1, static_cast<size_t>(c.layout->elements) * size_of(c.dtype), 1);
      return;
    }
    Traced traced(TraceKind::launch, run.device, context.work_stream.get(), 0, run.site);
    traced.name("matmul");
    traced.work(traced_work(p, static_cast<int64_t>(a_starts.size())));
    Buffer workspace = temporary(run, product_workspace);
    use_on(context.work_stream, *workspace.block(), true);
    std::optional<int64_t> a_step = even_step(a_starts), b_step = even_step(b_starts);
    if (a_step && b_step) {
      p.count = static_cast<int64_t>(a_starts.size());
      p.a.batch_step = *a_step;
      p.b.batch_step = *b_step;
      return multiply_on_gpu(context.device, *context.work_stream, p, workspace.pointer(), run.site);
    }
    for (size_t i = 0; i < a_starts.size(); ++i)
      multiply_on_gpu(context.device, *context.work_stream,
                      at(p, a_starts[i], b_starts[i], static_cast<int64_t>(i), size_of(c.dtype)), workspace.pointer(), run.site);
  }
};

Array sum_of_products(const Array& a, const Array& b, DType dtype) {
  // a: ... m k 1 -> ... m 1 k;  b: ... k n -> ... 1 n k
  size_t r = a.rank();
  Array left = expand_dims(a, r - 1);
  Array right = expand_dims(matrix_transpose(b), r - 2);
  Argument both[] = {Argument(left), Argument(right)};
  std::vector<bool> axes(r + 1, false);
  axes[r] = true;
  if (dtype == DType::boolean) return reduce(Reduction::any, elementwise(Op::logical_and, both), axes, false);
  return reduce(Reduction::sum, elementwise(Op::multiply, both), axes, false, dtype);
}

}  // namespace

void allow_tf32(bool allowed) { tf32_allowed = allowed; }
bool allows_tf32() { return tf32_allowed; }

// The product of two vectors that are there.
static std::optional<Array> dot_at_once(const Array& a, const Array& b) {
  const DType type = a.dtype();
  if (a.rank() != 1 || b.rank() != 1 || type != b.dtype() || (type != DType::float32 && type != DType::float64))
    return std::nullopt;
  const int64_t k = a.size(), a_step = a.layout().strides[0], b_step = b.layout().strides[0];
  if (k == 0 || k != b.size() || a_step < 1 || b_step < 1 || a.device().is_gpu()) return std::nullopt;
  if (tracing() || (is_taping() && (wants_gradient(a) || wants_gradient(b)))) return std::nullopt;
  const char *x = at_hand(a, most_of_a_dot), *y = x ? at_hand(b, most_of_a_dot) : nullptr;
  if (!y) return std::nullopt;
  static const auto* none = new LayoutRef(contiguous_layout({}));
  char* c;
  Array out = made_now(*none, type, c);
  OneBlasThread alone;
  multiply_on_host({type, 1, 1, k, 1, {const_cast<char*>(x), true, a_step, 0}, {const_cast<char*>(y), false, b_step, 0}, c}, 1);
  out.set_value(true);
  return out;
}

Array matmul(const Array& first, const Array& second) {
  GraphLock lock;
  if (auto out = dot_at_once(first, second)) return *out;
  for (const Array* x : {&first, &second}) {
    if (x->rank() == 0)
      raise(ErrorKind::value,
            "matmul: Input operand {} does not have enough dimensions (has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) "
            "requires 1)",
            x == &first ? 0 : 1);
  }
  if (first.device() != second.device())
    raise(ErrorKind::value, "[matmul] the operands are on different devices; move one with to_device()");
  Array a = first.rank() == 1 ? expand_dims(first, 0) : first, b = second.rank() == 1 ? expand_dims(second, 1) : second;
  int64_t m = a.shape()[a.rank() - 2], k = a.shape().back(), n = b.shape().back(), other = b.shape()[b.rank() - 2];
  if (k != other)
    raise(ErrorKind::value,
          "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size {} "
          "is "
          "different from {})",
          other, k);
  Shape stacks[] = {{a.shape().begin(), a.shape().end() - 2}, {b.shape().begin(), b.shape().end() - 2}};
  Shape stack = broadcast_shapes(stacks), shape = stack;
  shape.insert(shape.end(), {m, n});
  auto spread = [&](const Array& x) {
    Shape to = stack;
    to.insert(to.end(), x.shape().end() - 2, x.shape().end());
    return to == x.shape() ? x : x.view(x.layout().broadcast_to(to));
  };

  OperandType both[] = {{a.dtype()}, {b.dtype()}};
  DType dtype = common_type(both);
  Array out;
  if (has_library(dtype)) {
    auto ready = [&](const Array& x) { return x.dtype() == dtype && is_ready(x) ? x : copied(x, dtype); };
    Array operands[] = {spread(ready(a)), spread(ready(b))};
    CallResult result{shape, dtype};
    static auto* bodies =
        new std::array<std::shared_ptr<const CallBody>, 2>{std::make_shared<Product>(false), std::make_shared<Product>(true)};
    const bool tf32 = dtype == DType::float32 && a.device().is_gpu() && allows_tf32();
    out = record_call((*bodies)[tf32], operands, {&result, 1}, a.device())[0];
  } else {
    out = sum_of_products(spread(a), spread(b), dtype);
  }
  LayoutRef layout = matrices_layout(shape, a, b);
  if (!layout->dense || !out.layout().is_contiguous()) out = arranged(out, layout);
  if (first.rank() > 1 && second.rank() > 1) return out;
  Shape fewer = stack;
  if (first.rank() > 1) fewer.push_back(m);
  if (second.rank() > 1) fewer.push_back(n);
  out = reshape(out, fewer);
  out.set_value(fewer.empty());
  return out;
}

// ---- derivatives

namespace {

// left @ right, lying in memory as `like` does: turned where its columns are the rows of memory.
Array product_like(const Layout& like, const Array& left, const Array& right) {
  size_t r = like.rank();
  bool by_columns = like.strides[r - 2] == 1 && like.strides[r - 1] != 1;
  return by_columns ? matrix_transpose(matmul(matrix_transpose(right), matrix_transpose(left))) : matmul(left, right);
}

}  // namespace

std::vector<std::optional<Array>> Product::gradients(const GradientCall& call) const {
  const Array& g = *call.given[0];
  std::vector<std::optional<Array>> out(2);
  if (call.wanted[0]) out[0] = product_like(*call.layouts[0], g, matrix_transpose(conj(call.operands[1])));
  if (call.wanted[1]) out[1] = product_like(*call.layouts[1], matrix_transpose(conj(call.operands[0])), g);
  return out;
}

}  // namespace quern
