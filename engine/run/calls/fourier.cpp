// The call: on the CPU fourier_lines.h does the work, on a GPU cuFFT.
#include "run/calls/fourier.h"

#include <algorithm>

#include "core/error.h"
#include "device/cufft.h"
#include "graph/call.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/call_launch.h"
#include "run/calls/formulas.h"
#include "run/calls/fourier_lines.h"
#include "run/tier0.h"
#include "run/trace.h"

namespace quern {

namespace {

using fft::Kind;
constexpr int64_t most_at_once = 4 * at_once;
constexpr std::string_view kinds[] = {"forward", "backward", "half", "whole", "full"};

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
    is_double ? on_lines<double>(run) : on_lines<float>(run);
  }

 private:
  template <class T>
  void on_lines(const CallRun& run) const {
    const CallView &in = run.inputs[0], &out = run.outputs[0];
    Lines lines(*in.layout, *out.layout, axis_);
    fft::Task task{kind_, n_, scale_};
    std::vector<Buffer> memory;
    if (size_t bytes = fft::memory_for<T>(task, lines)) memory.push_back(temporary(run, bytes));
    void* room = memory.empty() ? nullptr : memory[0].pointer();
    on_cpu(
        run, name(), out.layout->elements * 8,
        [=, from = in.data, to = out.data] { fft::transform<T>(task, lines, from, to, room); }, memory);
  }

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
  if (kind == Kind::full && given.device().is_gpu()) bug("reals to all complex numbers, on a GPU");
  bool is_double = given.dtype() == DType::float64 || given.dtype() == DType::complex128;
  Shape shape = given.shape();
  shape[axis] = kind == Kind::half ? n / 2 + 1 : n;
  DType complex = is_double ? DType::complex128 : DType::complex64;
  LayoutRef layout = layout_beside(given, shape);
  const bool is_recorded = is_taping() && wants_gradient(given);
  if (const char* in = given.size() > 0 && !is_recorded ? at_hand(given, most_at_once) : nullptr) {
    char* to;
    Array out = made_now(layout, kind == Kind::whole ? real_part_type(complex) : complex, to);
    Lines lines(given.layout(), *layout, axis);
    fft::Task task{kind, n, scale};
    is_double ? fft::transform<double>(task, lines, in, to, nullptr) : fft::transform<float>(task, lines, in, to, nullptr);
    return out;
  }
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
  if (kind_ == Kind::full) bug("reals to all complex numbers have no gradient");
  if (kind_ == Kind::forward) return {fourier(g, "backward", n_, scale, axis_)};
  if (kind_ == Kind::backward) return {fourier(g, "forward", n_, scale, axis_)};
  Array weights = full({n_ / 2 + 1}, word(1.0).scalar(), real_part_type(g.dtype()), call.device);
  if (n_ > 2) assign(part(weights, 0, 1, (n_ + 1) / 2), word(kind_ == Kind::half ? 0.5 : 2.0));
  weights = along(weights, axis_, g.rank());
  if (kind_ == Kind::half) return {fourier(g * weights, "whole", n_, scale, axis_)};
  return {fourier(g, "half", n_, scale, axis_) * weights};
}

}  // namespace quern
