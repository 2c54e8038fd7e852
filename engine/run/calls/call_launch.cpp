#include "run/calls/call_launch.h"
#include "core/format.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.h"
#include "run/streams.h"
#include "run/trace.h"

namespace quern {

namespace {

constexpr int64_t small = 4096;  // elements: less work than waking a thread

}  // namespace

void mark_used(const CallRun& run, std::span<const Buffer> temporaries) {
  Context& context = context_on(run.device);
  for (const CallView& view : run.inputs) use_on(context.work_stream, *view.block, false);
  for (const CallView& view : run.outputs) use_on(context.work_stream, *view.block, true);
  for (const Buffer& buffer : temporaries) use_on(context.work_stream, *buffer.block(), true);
}

void on_cpu(const CallRun& run, std::string_view name, int64_t elements, std::function<void()> f, std::vector<Buffer> temporaries,
            TracedWork work) {
  Context& context = context_on(run.device);
  Traced traced(TraceKind::launch, run.device, context.work_stream.get(), 0, run.site);
  traced.name(std::string(name));
  traced.work(std::move(work));
  if (elements <= small && array_work_ended(context)) return f();
  mark_used(run, temporaries);
  context.work_stream->call(std::move(f));
}

void in_slices(int64_t n, const std::function<void(int64_t, int64_t)>& f, int64_t least) {
  int64_t slices = std::clamp<int64_t>(n / std::max<int64_t>(least, 1), 1, int64_t{cpu_threads()} * 4);
  if (slices == 1) return f(0, n);
  on_cpu_threads(static_cast<size_t>(slices), [&](size_t i) {
    int64_t k = static_cast<int64_t>(i);
    f(n * k / slices, n * (k + 1) / slices);
  });
}

void launch(const CallRun& run, Kernel& kernel, const LaunchShape& shape, const Parameters& packed,
            std::span<const Buffer> temporaries) {
  Context& context = context_on(run.device);
  mark_used(run, temporaries);
  kernel.launch(context.work_stream, shape, packed, run.site);
}

TextKernels& instances_of(Context& context, TextOf of, const char* text, std::span<const std::string> instances) {
  std::array<uint64_t, 32> words{};  // every launch asks: without memory of its own
  size_t bytes = 0;
  for (const std::string& instance : instances) {
    if (bytes + instance.size() + 1 > sizeof words) bug("the names of the instances of {} are too long", instance);
    std::memcpy(reinterpret_cast<char*>(words.data()) + bytes, instance.data(), instance.size());
    bytes += instance.size() + 1;
  }
  auto print = [&] {
    KernelText out{text, join_text(instances, "; ")};
    out.options.name_expressions.assign(instances.begin(), instances.end());
    return out;
  };
  return kernel_cache().get(context, of, std::span(words).first((bytes + 7) / 8), print);
}

std::string_view word_type(size_t bytes) {
  return bytes == 1   ? "unsigned char"
         : bytes == 2 ? "unsigned short"
         : bytes == 4 ? "unsigned int"
         : bytes == 8 ? "unsigned long long"
                      : "Sixteen";
}

LaunchShape shape_for(int64_t n) {
  LaunchShape shape;
  shape.block[0] = 256;
  shape.grid[0] = static_cast<uint32_t>(std::clamp<int64_t>((n + 255) / 256, 1, 132 * 64));
  return shape;
}

Buffer temporary(const CallRun& run, size_t bytes) {
  return context_on(run.device).allocate(std::max<size_t>(bytes, 1), run.site, true);
}

}  // namespace quern
