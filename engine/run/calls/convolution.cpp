#include "run/calls/convolution.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "device/cudnn.h"
#include "device/host_blas.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/call_launch.h"
#include "run/calls/convolution_tiles.h"
#include "run/calls/formulas.h"
#include "run/trace.h"

namespace quern {

using namespace algebra;

namespace {

// As quern/convolution.cuh has it.
struct Plan {
  int32_t samples, channels, results;
  int32_t in[3], kernel[3], out[3], stride[3], before[3], dilation[3];
  long long input[5], weight[5], result[5];
  int32_t parts;
};

constexpr std::string_view names[] = {"convolution", "convolution_input", "convolution_weight"};

// Are the channels next to each other, and nothing else?
bool has_channels_last(const Layout& layout) {
  if (layout.shape[1] < 2 || layout.strides[1] != 1) return false;
  bool is_any = false;
  for (size_t i = 2; i < layout.rank(); ++i)
    if (layout.shape[i] > 1) is_any = true;
  return is_any && !layout.is_contiguous();
}

// With the axes that are missing between channels and sizes.
Layout in_five_axes(Layout layout) {
  const size_t missing = Steps::axes + 2 - layout.rank();
  layout.shape.insert(layout.shape.begin() + 2, missing, 1);
  layout.strides.insert(layout.strides.begin() + 2, missing, 0);
  return layout;
}
CallView in_five_axes(const CallView& view) {
  CallView out = view;
  if (view.layout->rank() < Steps::axes + 2) out.layout = interned(in_five_axes(*view.layout));
  return out;
}

std::atomic<CudnnSettings> settings{};
std::atomic<bool> only_deterministic{false};

bool is_for_cudnn(DType dtype, const CudnnSettings& now) {
  const bool has_type = dtype == DType::float32 || dtype == DType::float64 || size_of(dtype) == 2;
  return now.enabled && has_type && cudnn_problem().empty();
}

// Do as many zeros behind an axis as before it give these places? cuDNN has had wrong results for other numbers of them.
bool is_even(const ConvolutionSizes& sizes, const Steps& steps, size_t axis) {
  const int64_t before = steps.before[axis], used = (sizes.kernel[axis] - 1) * steps.dilation[axis] + 1;
  const int64_t least = (sizes.out[axis] - 1) * steps.stride[axis] + used - sizes.in[axis] - before;
  const int64_t most = least + steps.stride[axis] - 1;
  return least <= before && before <= most;
}

// The array, which lies in C order or with its channels last, without gaps; none: it lies otherwise.
std::optional<TensorOnGpu> packed(const CallView& view, bool is_last) {
  static constexpr size_t in_order[] = {4, 3, 2, 1, 0}, channels_last[] = {1, 4, 3, 2, 0};
  TensorOnGpu out{view.data, {}, {}};
  int64_t step = 1;
  for (size_t axis : is_last ? channels_last : in_order) {
    out.shape[axis] = view.shape()[axis];
    out.strides[axis] = step;
    if (out.shape[axis] > 1 && view.strides()[axis] != step) return std::nullopt;
    step *= out.shape[axis];
  }
  return out;
}

class Convolution : public CallBody {
 public:
  Convolution(Convolved what, const Steps& steps, const CudnnSettings& now) : what_(what), steps_(steps), settings_(now) {}
  std::string_view name() const override { return names[static_cast<size_t>(what_)]; }
  bool keeps_operand(size_t) const override { return true; }
  bool is_product() const override { return true; }

  void run(const CallRun& run) const override {
    if (run.outputs[0].layout->elements == 0) return;
    const ConvolutionOnHost all = arrays(run);
    const ConvolutionSizes sizes = all.sizes();
    const int64_t positions = sizes.samples * sizes.out[0] * sizes.out[1] * sizes.out[2];
    const int64_t products = positions * all.weight.layout->elements;
    if (products == 0) return fill_with_zeros(run);
    if (run.device.is_gpu()) return on_gpu(run, all, products);
    host_blas("cblas_sgemm");  // what is missing is said here, not on another thread
    on_cpu(run, name(), products / 64, [all] { convolve_on_host(all); }, {}, traced_work(run, products));
  }

  // Each is the sum of products of two of the three arrays; its gradient by one of them is the sum of the same products, of the
  // other and of what is given.
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    std::vector<std::optional<Array>> out(2);
    const Array& g = *call.given[0];
    const auto [first, second] = operands_of(what_);
    auto gradient = [&](Convolved wanted, Convolved other, size_t slot, size_t other_slot) {
      if (!call.wanted[slot]) return;
      const Array kept = conj(call.operands[other_slot]);
      const auto [left, right] = operands_of(wanted);
      const Array& one = left == other ? kept : g;
      const Array& two = right == other ? kept : g;
      const Layout& layout = *call.layouts[slot];
      out[slot] = convolve(wanted, one, two, steps_, layout.shape, wanted == Convolved::input && has_channels_last(layout));
    };
    gradient(first, second, 0, 1);
    gradient(second, first, 1, 0);
    return out;
  }

 private:
  static std::pair<Convolved, Convolved> operands_of(Convolved what) {
    using enum Convolved;
    return what == result ? std::pair(input, weight) : what == input ? std::pair(result, weight) : std::pair(input, result);
  }

  ConvolutionOnHost arrays(const CallRun& run) const {
    ConvolutionOnHost out{what_, steps_, {}, {}, {}, false};
    auto place = [&](Convolved which) -> CallView& {
      return which == Convolved::input ? out.input : which == Convolved::weight ? out.weight : out.result;
    };
    const auto [first, second] = operands_of(what_);
    place(first) = in_five_axes(run.inputs[0]);
    place(second) = in_five_axes(run.inputs[1]);
    place(what_) = in_five_axes(run.outputs[0]);
    out.is_last = has_channels_last(*out.input.layout);
    return out;
  }

  // Of no samples or channels.
  void fill_with_zeros(const CallRun& run) const {
    const CallView& out = run.outputs[0];
    const size_t bytes = static_cast<size_t>(out.layout->elements) * size_of(out.dtype);
    if (run.device.is_cpu())
      return on_cpu(run, name(), out.layout->elements, [to = out.data, bytes] { std::memset(to, 0, bytes); });
    mark_used(run);
    Context& context = context_on(run.device);
    context.fill(context.work_stream, out.data, 0, 0, 1, bytes, 1);
  }

  TracedWork traced_work(const CallRun& run, int64_t products) const {
    TracedWork work;
    if (!tracing()) return work;
    int64_t elements = run.outputs[0].layout->elements;
    for (const CallView& view : run.inputs) elements += view.layout->elements;
    const DType dtype = run.outputs[0].dtype;
    work.bytes = work.fetched = static_cast<uint64_t>(elements) * size_of(dtype);
    work.operations = static_cast<uint64_t>(products * (is_complex(dtype) ? 8 : 2));
    return work;
  }

  Plan plan_of(const ConvolutionOnHost& all) const {
    const ConvolutionSizes sizes = all.sizes();
    const int64_t most = std::numeric_limits<int32_t>::max() / 2;
    for (const CallView* view : {&all.input, &all.result})
      if (view->layout->elements / std::max<int64_t>(1, view->shape()[1]) > most)
        raise(ErrorKind::not_implemented, "[{}] more than {} positions; split the samples into several calls", name(), most);
    Plan plan{};
    plan.samples = static_cast<int32_t>(sizes.samples);
    plan.channels = static_cast<int32_t>(all.weight.shape()[1]);
    plan.results = static_cast<int32_t>(sizes.results / steps_.groups);
    for (size_t d = 0; d < Steps::axes; ++d) {
      plan.in[d] = static_cast<int32_t>(sizes.in[d]);
      plan.kernel[d] = static_cast<int32_t>(sizes.kernel[d]);
      plan.out[d] = static_cast<int32_t>(sizes.out[d]);
      plan.stride[d] = static_cast<int32_t>(steps_.stride[d]);
      plan.before[d] = static_cast<int32_t>(steps_.before[d]);
      plan.dilation[d] = static_cast<int32_t>(steps_.dilation[d]);
    }
    std::ranges::copy(all.input.strides(), plan.input);
    std::ranges::copy(all.weight.strides(), plan.weight);
    std::ranges::copy(all.result.strides(), plan.result);
    plan.parts = 1;
    return plan;
  }

  std::optional<ConvolutionOnGpu> for_cudnn(const CallRun& run, const ConvolutionOnHost& all) const {
    const DType dtype = run.outputs[0].dtype;
    if (!is_for_cudnn(dtype, settings_)) return std::nullopt;
    const ConvolutionSizes sizes = all.sizes();
    using enum ConvolutionOnGpu::Wanted;
    ConvolutionOnGpu out{what_ == Convolved::result  ? result
                         : what_ == Convolved::input ? input
                                                     : weight,
                         dtype,
                         {},
                         {},
                         {},
                         steps_.stride,
                         steps_.before,
                         steps_.dilation};
    for (size_t axis = 0; axis < Steps::axes; ++axis)
      if (!is_even(sizes, steps_, axis)) return std::nullopt;
    const std::pair<const CallView*, TensorOnGpu*> tensors[] = {
        {&all.input, &out.input}, {&all.weight, &out.weight}, {&all.result, &out.result}};
    for (const auto& [view, tensor] : tensors) {
      const std::optional<TensorOnGpu> found = packed(*view, all.is_last);
      if (!found) return std::nullopt;
      *tensor = *found;
    }
    out.tf32 = settings_.allow_tf32;
    out.deterministic = settings_.deterministic;
    out.measured = settings_.benchmark;
    return out;
  }

  // Did cuDNN compute it?
  bool with_cudnn(const CallRun& run, const ConvolutionOnHost& all, int64_t products) const {
    const std::optional<ConvolutionOnGpu> convolution = for_cudnn(run, all);
    if (!convolution) return false;
    Context& context = context_on(run.device);
    const std::optional<size_t> bytes = convolution_workspace(context.device, *convolution);
    if (!bytes) return false;
    mark_used(run);
    Traced traced(TraceKind::launch, run.device, context.work_stream.get(), 0, run.site);
    traced.name(std::string(name()));
    traced.work(traced_work(run, products));
    const Buffer workspace = temporary(run, std::max<size_t>(*bytes, 16));
    use_on(context.work_stream, *workspace.block(), true);
    convolve_on_gpu(context.device, *context.work_stream, *convolution, workspace.pointer(), run.site);
    return true;
  }

  void on_gpu(const CallRun& run, const ConvolutionOnHost& all, int64_t products) const {
    if (with_cudnn(run, all, products)) return;
    Context& context = context_on(run.device);
    Plan plan = plan_of(all);
    const int64_t patch = int64_t{plan.channels} * plan.kernel[0] * plan.kernel[1] * plan.kernel[2];
    const int64_t positions = int64_t{plan.samples} * plan.out[0] * plan.out[1] * plan.out[2];
    const int64_t places = int64_t{plan.samples} * plan.in[0] * plan.in[1] * plan.in[2];
    const bool of_weights = what_ == Convolved::weight;
    const int64_t rows = what_ == Convolved::input ? plan.channels : plan.results;
    const int64_t columns = of_weights ? patch : what_ == Convolved::input ? places : positions;
    const int64_t squares = (rows + 63) / 64 * ((columns + 63) / 64) * steps_.groups;
    if (of_weights)
      plan.parts = static_cast<int32_t>(std::clamp<int64_t>(positions / 512, 1, std::max<int64_t>(1, 264 / squares)));
    LaunchShape shape;
    shape.block[0] = 256;
    shape.grid[0] = static_cast<uint32_t>((columns + 63) / 64);
    shape.grid[1] = static_cast<uint32_t>((rows + 63) / 64);
    shape.grid[2] = static_cast<uint32_t>(steps_.groups * plan.parts);

    const DType dtype = run.outputs[0].dtype, sum = size_of(dtype) == 2 ? DType::float32 : dtype;
    const std::string_view type = row(dtype).cuda, sum_type = row(sum).cuda;
    static constexpr const char* text = "#include \"quern/convolution.cuh\"\nusing quern::complex;\nusing namespace quern::op;\n";
    static constexpr std::string_view kinds[] = {"ResultOf", "InputOf", "WeightOf"};
    auto kernel = [&](const std::string& instance) -> Kernel& {
      return instance_of(context, TextOf::convolution, text, instance);
    };
    const std::string instance =
        formatted("convolve<{}, {}, {}>", kinds[static_cast<size_t>(what_)], type, of_weights ? sum_type : type);
    if (!of_weights)
      return launch(run, kernel(instance), shape,
                    Parameters().add(plan).add(run.inputs[0].data).add(run.inputs[1].data).add(run.outputs[0].data));
    const int64_t n = run.outputs[0].layout->elements;
    const Buffer sums = temporary(run, static_cast<size_t>(n * plan.parts) * size_of(sum));
    launch(run, kernel(instance), shape,
           Parameters().add(plan).add(run.inputs[0].data).add(run.inputs[1].data).add(sums.pointer()), {&sums, 1});
    launch(run, kernel(formatted("sum_parts<{}, {}>", sum_type, type)), shape_for(n),
           Parameters().add(plan).add(sums.pointer()).add(run.outputs[0].data).add(static_cast<long long>(n)), {&sums, 1});
  }

  Convolved what_;
  Steps steps_;
  CudnnSettings settings_;
};

// On the CPU weights and results are matrices of BLAS: copies where they lie otherwise.
Array ready_weight(const Array& weight, bool is_last) {
  if (is_matrix(in_five_axes(weight.layout()), is_last)) return weight;
  const LayoutRef wanted = is_last ? channels_last_layout(weight.shape()) : contiguous_layout(weight.shape());
  return arranged(weight, wanted);
}
Array ready_result(const Array& result) {
  return arranged(result,
                  has_channels_last(result.layout()) ? channels_last_layout(result.shape()) : contiguous_layout(result.shape()));
}

// For cuDNN all three lie alike. Axes of one element say nothing.
Array without_gaps(const Array& array, bool is_last) {
  const LayoutRef wanted = is_last ? channels_last_layout(array.shape()) : contiguous_layout(array.shape());
  const Layout& layout = array.layout();
  bool lies_so = true;
  for (size_t i = 0; i < layout.rank(); ++i) lies_so &= layout.shape[i] == 1 || layout.strides[i] == wanted->strides[i];
  return lies_so ? array : arranged(array, wanted);
}

}  // namespace

CudnnSettings cudnn_settings() { return settings; }
void set_cudnn_settings(CudnnSettings now) { settings = now; }
bool only_deterministic_algorithms() { return only_deterministic; }
void set_only_deterministic_algorithms(bool only) { only_deterministic = only; }

bool is_convolved_by_cudnn(const Array& x) { return x.device().is_gpu() && is_for_cudnn(x.dtype(), settings); }

Array convolve(Convolved what, const Array& first, const Array& second, const Steps& steps, const Shape& shape, bool is_last) {
  const DType dtype = first.dtype();
  const bool is_cpu = first.device().is_cpu();
  if (is_cpu && size_of(dtype) == 2) {
    const Array wide = convolve(what, astype(first, DType::float32), astype(second, DType::float32), steps, shape, is_last);
    return astype(wide, dtype);
  }
  // The weights count a patch as the input has it.
  is_last = is_last || has_channels_last(first.layout()) || (what != Convolved::weight && has_channels_last(second.layout()));
  const CallResult result{shape, dtype, is_last ? channels_last_layout(shape) : contiguous_layout(shape)};
  Array operands[] = {first, second};
  if (is_cpu) {
    const bool patches_last = has_channels_last(what == Convolved::input ? *result.layout : first.layout());
    operands[1] = what == Convolved::weight ? ready_result(second) : ready_weight(second, patches_last);
    if (what == Convolved::input) operands[0] = ready_result(first);
  }
  CudnnSettings now = settings;
  now.deterministic |= only_deterministic;
  if (!is_cpu && is_for_cudnn(dtype, now)) {
    for (Array& operand : operands) operand = without_gaps(operand, is_last);
  }
  return record_call(std::make_shared<Convolution>(what, steps, now), operands, {&result, 1}, first.device())[0];
}

}  // namespace quern
