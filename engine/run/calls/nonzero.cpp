// true_positions() and selected(): count, then write.
#include <cstring>

#include "graph/host_reads.h"
#include "graph/records.h"
#include "run/calls/call_launch.h"
#include "run/calls/indexing.h"

namespace quern {

namespace {

constexpr int64_t tile = 4096;  // that a block of a GPU, or a slice of the host's work, reads: select_tile in quern/select.cuh
constexpr const char* text = "#include \"quern/select.cuh\"\nusing namespace quern::op;\n";

// The places where the mask is true, or with `values` what they hold there.
Array on_gpu(const CallRun& run, int64_t n, DType dtype) {
  Context& context = context_on(run.device);
  const char* mask = run.inputs[0].data;
  int64_t blocks = (n + tile - 1) / tile;
  Buffer starts = temporary(run, static_cast<size_t>(blocks + 1) * 8);
  LaunchShape shape;
  shape.block[0] = 256;
  shape.grid[0] = static_cast<uint32_t>(blocks);
  const std::string instances[] = {
      "counts<long long>", "starts<long long>",
      run.inputs.size() == 1 ? "places<long long>" : formatted("values<{}>", word_type(size_of(dtype)))};
  TextKernels& kernels = instances_of(context, TextOf::nonzero, text, instances);
  launch(run, kernels.kernel(instances[0]), shape, Parameters().add(mask).add(static_cast<long long>(n)).add(starts.pointer()),
         {&starts, 1});
  LaunchShape one;
  one.block[0] = 1024;
  launch(run, kernels.kernel(instances[1]), one, Parameters().add(starts.pointer()).add(static_cast<long long>(blocks)),
         {&starts, 1});
  int64_t total = 0;
  context.copy(context.work_stream, &total, static_cast<int64_t*>(starts.pointer()) + blocks, 8, CopyKind::device_to_host, true);
  Buffer out = context.allocate(std::max<size_t>(static_cast<size_t>(total) * size_of(dtype), 1), run.site);
  Buffer both[] = {starts, out};
  Parameters packed;
  packed.add(mask).add(static_cast<long long>(n)).add(starts.pointer()).add(out.pointer());
  if (run.inputs.size() == 2) packed.add(run.inputs[1].data);
  if (total > 0) launch(run, kernels.kernel(instances[2]), shape, packed, both);
  return from_memory(std::move(out), {total}, dtype, run.device);
}

Array on_host(Context& context, const CallView& mask, int64_t n, Site site) {
  StreamPtr stream = context.stream_of_work();
  use_on(stream, *mask.block, false);
  context.wait(stream, "the number of elements that are found");
  const auto* flags = reinterpret_cast<const uint8_t*>(mask.data);
  int64_t slices = (n + tile - 1) / tile;
  std::vector<int64_t> starts(static_cast<size_t>(slices) + 1, 0);
  auto each = [&](auto&& f) {
    in_slices(
        slices,
        [&](int64_t from, int64_t to) {
          for (int64_t s = from; s < to; ++s) f(s, s * tile, std::min(n, (s + 1) * tile));
        },
        8);
  };
  each([&](int64_t s, int64_t from, int64_t to) {
    int64_t count = 0;
    for (int64_t i = from; i < to; ++i) count += flags[i] != 0;
    starts[static_cast<size_t>(s) + 1] = count;
  });
  for (size_t s = 1; s < starts.size(); ++s) starts[s] += starts[s - 1];
  Buffer out = context.allocate(std::max<size_t>(static_cast<size_t>(starts.back()) * 8, 1), site);
  auto* places = static_cast<int64_t*>(out.pointer());
  each([&](int64_t s, int64_t from, int64_t to) {
    int64_t* to_here = places + starts[static_cast<size_t>(s)];
    int64_t* end = places + starts[static_cast<size_t>(s) + 1];
    // Without a branch for each element: the next place is written anyway, and kept when it is one.
    for (int64_t i = from; i < to && to_here < end; ++i) {
      *to_here = i;
      to_here += flags[i] != 0;
    }
  });
  return from_memory(std::move(out), {starts.back()}, DType::int64, DeviceId::cpu());
}

// The memory of arrays, with the values in it.
class Looked {
 public:
  explicit Looked(std::initializer_list<const Array*> arrays) {
    count_host_read();
    for (const Array* array : arrays) buffers_.push_back(evaluate(*array));
    GraphLock lock;
    for (const Array* array : arrays) {
      const Buffer& buffer = buffers_[views.size()];
      char* data = static_cast<char*>(buffer.pointer()) + offset_in_bytes(*array);
      views.push_back({data, buffer.block(), array->layout_ref(), array->dtype()});
    }
  }
  ~Looked() {
    GraphLock lock;
    views.clear();
  }
  Looked(const Looked&) = delete;
  Looked& operator=(const Looked&) = delete;
  std::vector<CallView> views;

 private:
  std::vector<Buffer> buffers_;
};

}  // namespace

Array true_positions(const Array& given) {
  Site site = current_site();
  Array mask = in_c_order(given, DType::boolean);
  int64_t n = mask.size();
  if (n == 0) return full({0}, Scalar{}, DType::int64, mask.device());
  Looked looked({&mask});
  if (mask.device().is_cpu()) return on_host(context_on(mask.device()), looked.views[0], n, site);
  return on_gpu({looked.views, {}, mask.device(), site}, n, DType::int64);
}

Array selected(const Array& values, const Array& given) {
  Site site = current_site();
  Array mask = in_c_order(given, DType::boolean);
  if (mask.size() == 0) return full({0}, Scalar{}, values.dtype(), values.device());
  Looked looked({&mask, &values});
  return on_gpu({looked.views, {}, mask.device(), site}, mask.size(), values.dtype());
}

}  // namespace quern
