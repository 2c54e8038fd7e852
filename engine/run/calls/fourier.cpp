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

Kind kind_of(std::string_view name) {
  const std::string_view* found = std::find(std::begin(kinds), std::end(kinds), name);
  if (found == std::end(kinds)) bug("no Fourier transform {}", name);
  return static_cast<Kind>(found - kinds);
}

class Fourier : public CallBody {
 public:
  // `between`: see Work.
  Fourier(std::vector<fft::Stage> stages, Layout between) : stages_(std::move(stages)), between_(std::move(between)) {}
  std::string_view name() const override { return "fft"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override;

  void run(const CallRun& run) const override {
    const CallView &in = run.inputs[0], &out = run.outputs[0];
    if (out.layout->elements == 0) return;
    bool is_double = in.dtype == DType::float64 || in.dtype == DType::complex128;
    if (run.device.is_gpu()) return on_gpu(run, is_double);
    is_double ? on_lines<double>(run) : on_lines<float>(run);
  }

 private:
  template <class T>
  void on_lines(const CallRun& run) const {
    const CallView &in = run.inputs[0], &out = run.outputs[0];
    fft::Work work{stages_, *in.layout, between_, *out.layout};
    std::vector<Buffer> memory;
    auto take = [&](size_t bytes) -> char* {
      if (bytes == 0) return nullptr;
      memory.push_back(temporary(run, bytes));
      return static_cast<char*>(memory.back().pointer());
    };
    char *room = take(fft::memory_for<T>(work)), *between = take(work.has_between() ? work.between_bytes(sizeof(T) == 8) : 0);
    int64_t elements = out.layout->elements * 8;
    on_cpu(
        run, name(), elements,
        [=, work = std::move(work), from = in.data, to = out.data] { fft::transform<T>(work, from, between, to, room); }, memory);
  }

  void on_gpu(const CallRun& run, bool is_double) const {
    const auto [kind, n, scale, axis] = stages_[0];
    Context& context = context_on(run.device);
    const CallView &in = run.inputs[0], &out = run.outputs[0];
    int64_t count = out.layout->elements / out.shape()[axis];
    Traced traced(TraceKind::launch, run.device, context.work_stream.get(), 0, run.site);
    traced.name("fft");
    mark_used(run);
    TransformOnGpu transform{is_double, kind == Kind::half, kind == Kind::whole, kind == Kind::backward, n, count};
    size_t bytes = transform_workspace(context.device, transform);
    Buffer workspace = temporary(run, bytes);
    use_on(context.work_stream, *workspace.block(), true);
    const void* from = in.data;
    Buffer copy;
    // The library may write over what it transforms, and refuses what begins within a complex number.
    const bool is_within = reinterpret_cast<uintptr_t>(in.data) % (is_double ? 16 : 8) != 0;
    if (kind == Kind::whole || is_within) {
      size_t size = static_cast<size_t>(in.layout->elements) * size_of(in.dtype);
      copy = temporary(run, size);
      use_on(context.work_stream, *copy.block(), true);
      context.copy(context.work_stream, copy.pointer(), in.data, size, CopyKind::device_to_device, false);
      from = copy.pointer();
    }
    if (kind == Kind::whole) {
      // The first number of a row and the middle one count as real.
      size_t half = size_of(in.dtype) / 2, row = size_of(in.dtype) * static_cast<size_t>(n / 2 + 1);
      auto clear = [&](int64_t k) {
        char* imaginary = static_cast<char*>(copy.pointer()) + static_cast<size_t>(k) * 2 * half + half;
        context.fill(context.work_stream, imaginary, row, 0, 4, half / 4, static_cast<size_t>(count));
      };
      clear(0);
      if (n % 2 == 0 && n > 1) clear(n / 2);
    }
    transform_on_gpu(context.device, *context.work_stream, transform, from, out.data, workspace.pointer());
  }

  std::vector<fft::Stage> stages_;
  Layout between_;
};

}  // namespace

Array fourier(const Array& given, std::span<const FourierAxis> axes) {
  GraphLock lock;
  const bool on_gpu = given.device().is_gpu(), is_recorded = is_taping() && wants_gradient(given);
  if (axes.size() > 1 && (on_gpu || is_recorded)) {
    Array out = given;
    for (const FourierAxis& axis : axes) out = fourier(out, {&axis, 1});
    return out;
  }
  bool is_double = given.dtype() == DType::float64 || given.dtype() == DType::complex128;
  DType complex = is_double ? DType::complex128 : DType::complex64;
  std::vector<fft::Stage> stages;
  Shape shape = given.shape(), between = shape;
  for (const FourierAxis& axis : axes) {
    Kind kind = kind_of(axis.kind);
    if (kind == Kind::full && (on_gpu || is_recorded)) bug("reals to all complex numbers, on a GPU or recorded");
    stages.push_back({kind, axis.n, axis.scale, axis.axis});
    between = shape;
    shape[axis.axis] = kind == Kind::half ? axis.n / 2 + 1 : axis.n;
  }
  DType type = stages.back().kind == Kind::whole ? real_part_type(complex) : complex;
  LayoutRef layout = layout_beside(given, shape);
  fft::Work work{stages, given.layout(), *layout_beside(given, between), *layout};
  if (const char* in = given.size() > 0 && !is_recorded ? at_hand(given, most_at_once) : nullptr) {
    char* to;
    Array out = made_now(layout, type, to);
    std::vector<char> room(work.has_between() ? work.between_bytes(is_double) : 0);
    is_double ? fft::transform<double>(work, in, room.data(), to, nullptr)
              : fft::transform<float>(work, in, room.data(), to, nullptr);
    return out;
  }
  // A GPU works on rows.
  const auto [kind, n, scale, axis] = stages[0];
  Array array = on_gpu ? in_rows(given, axis) : given;
  CallResult result{shape, type, on_gpu ? rows_of(shape, axis) : layout};
  auto body = std::make_shared<Fourier>(std::move(stages), std::move(work.between));
  Array out = record_call(std::move(body), {&array, 1}, {&result, 1}, given.device())[0];
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
  const auto& [kind, n, scaled, axis] = stages_[0];
  double scale = call.device.is_gpu() ? 1 : scaled;  // on a GPU a product of its own
  if (kind == Kind::forward) return {fourier(g, "backward", n, scale, axis)};
  if (kind == Kind::backward) return {fourier(g, "forward", n, scale, axis)};
  Array weights = full({n / 2 + 1}, operand(1.0).scalar(), real_part_type(g.dtype()), call.device);
  if (n > 2) assign(part(weights, 0, 1, (n + 1) / 2), operand(kind == Kind::half ? 0.5 : 2.0));
  weights = along(weights, axis, g.rank());
  if (kind == Kind::half) return {fourier(g * weights, "whole", n, scale, axis)};
  return {fourier(g, "half", n, scale, axis) * weights};
}

}  // namespace quern
