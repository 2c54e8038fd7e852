// What the bodies of calls stand on: work submitted on the CPU's stream, kernels from a text of ours on a GPU.
//
// A body looks like this (gather.cpp is a good first one to read):
//
//   void run(const CallRun& run) const override {
//     if (run.device.is_cpu()) on_cpu(run, name(), elements, [=] { in_slices(n, [=](int64_t begin, int64_t end) { ... }); });
//     else launch(run, instance_of(context, TextOf::indexing, text, "take<int>"), shape_for(n), Parameters().add(...));
//   }
#pragma once

#include "core/trace.h"
#include "device/stream_order.h"
#include "graph/call.h"
#include "run/kernel_cache.h"

#include <functional>
#include <span>
#include <string>

namespace quern {

// Submits f, which runs on one of the engine's threads, in order; at once, here, when the work is small and nothing is pending.
// `temporaries` stay until it has run. `work` is for the trace.
void on_cpu(const CallRun& run, std::string_view name, int64_t elements, std::function<void()> f,
            std::vector<Buffer> temporaries = {}, TracedWork work = {});

// Inside such an f: [0, n) in slices on the CPU's threads.
void in_slices(int64_t n, const std::function<void(int64_t begin, int64_t end)>& f, int64_t least = 16384);

// The kernel `name` of a text that `print` gives; see KernelCache::get(). `with_cub`: the text includes CUB.
template <class Print>
Kernel& kernel_of(Context& context, TextOf of, KernelCache::Words words, std::string_view name, Print&& print,
                  bool with_cub = false) {
  auto text = [&] {
    KernelText out{print(), std::string(name)};
    out.options.with_cub = with_cub;
    return out;
  };
  return kernel_cache().get(context, of, words, text).kernel(name);
}
// Of the one text there is.
inline Kernel& kernel_of(Context& context, TextOf of, const char* text, std::string_view name) {
  return kernel_of(context, of, {}, name, [&] { return std::string(text); });
}
// Instances, as take<float>, of a source of kernel templates. They are compiled alone: a first use waits for nothing else.
TextKernels& instances_of(Context& context, TextOf of, const char* text, std::span<const std::string> instances);
inline Kernel& instance_of(Context& context, TextOf of, const char* text, const std::string& instance) {
  return instances_of(context, of, text, {&instance, 1}).kernel(instance);
}
std::string_view word_type(size_t bytes);  // of 1, 2, 4, 8 or 16 bytes, in a text that includes quern/index.cuh

// The call's memory is in use on the device's stream of array work from here on; launch() and on_cpu() see to it themselves.
void mark_used(const CallRun& run, std::span<const Buffer> temporaries = {});

// Marks the call's memory (and `temporaries`) as used and launches.
void launch(const CallRun& run, Kernel& kernel, const LaunchShape& shape, const Parameters& packed,
            std::span<const Buffer> temporaries = {});
// A thread for each of n elements, as many as may be at once: the kernel loops over the rest.
LaunchShape shape_for(int64_t n);

// Memory for the work stream alone.
Buffer temporary(const CallRun& run, size_t bytes);

}  // namespace quern
