#include "run/transfer.h"
#include "core/format.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "core/error.h"
#include "core/wait.h"
#include "device/check/checker.h"
#include "device/stream_order.h"
#include "graph/call.h"
#include "graph/host_reads.h"
#include "graph/records.h"
#include "graph/tape.h"
#include "run/streams.h"
#include "run/tier0.h"
#include "run/trace.h"

namespace quern {

namespace {

// The memory of an array without gaps, in C order: its own, or a copy's.
struct Memory {
  Array array;
  Buffer buffer;
  const char* data = nullptr;
  size_t bytes = 0;
};

Memory dense(const Array& given) {
  const Array array = is_record(given.dtype()) ? units_of(given) : given;
  Memory out;
  out.array = array.layout().is_contiguous() ? array : copied(array, array.dtype());
  out.buffer = evaluate(out.array);
  out.data = static_cast<const char*>(out.buffer.pointer()) + offset_in_bytes(out.array);
  out.bytes = static_cast<size_t>(array.size()) * size_of(array.dtype());
  return out;
}

// Device memory, and whose it is.
struct Side {
  Context& context;
  char* data;
  Block* block;   // null: only the address is known
  bool is_plain;  // work on it may be of those who tell nobody: raw kernels and copies
  bool is_known_outside() const { return is_plain || !block || block->escaped; }
};

// Submits a copy from one GPU to another to a stream of one of them: after the work on both that is submitted already; what comes
// later and touches the memory waits for the copy. Where its address is known outside, all that its device's default stream waits
// for counts as such work.
void copy_across(const StreamPtr& stream, const Side& to, const Side& from, size_t bytes, Site site) {
  if (to.block) use_on(stream, *to.block, true);
  if (from.block) use_on(stream, *from.block, false);
  std::vector<Stream*> in_order;
  for (const Side* side : {&to, &from}) {
    if (&side->context.device == &stream->device) continue;
    stream->device.reach(side->context.device);
    if (side->is_known_outside()) in_order.push_back(side->context.default_stream.get());
  }
  for (Stream* other : in_order) wait_for(*stream, *other);
  {
    Traced traced(TraceKind::device_to_device, to.context.id(), stream.get(), bytes, site);
    traced.from(from.context.id());
    stream->device.copy(*stream, to.data, from.data, bytes, CopyKind::device_to_device);
  }
  for (Stream* other : in_order) wait_for(*other, *stream);
}

// An array of another GPU, in C order there; the result has the same elements here.
class CopyAcross : public CallBody {
 public:
  explicit CopyAcross(DeviceId source) : source_(source) {}
  std::string_view name() const override { return "to_device"; }
  bool crosses_devices() const override { return true; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    return {moved_to(*call.given[0], context_on(source_))};
  }
  void run(const CallRun& run) const override {
    const CallView &in = run.inputs[0], &out = run.outputs[0];
    size_t bytes = static_cast<size_t>(in.layout->elements) * size_of(in.dtype);
    if (bytes == 0) return;
    Context& to = context_on(run.device);
    copy_across(to.work_stream, {to, out.data, out.block, false}, {context_on(source_), in.data, in.block, false}, bytes,
                run.site);
  }

 private:
  DeviceId source_;
};

// From the host to a GPU or back: the copy is made at once, and the tape gets it as one function.
class Moved : public GradientBody {
 public:
  explicit Moved(DeviceId source) : source_(source) {}
  std::string_view name() const override { return "to_copy"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    return {moved_to(*call.given[0], context_on(source_))};
  }

 private:
  DeviceId source_;
};

// Also after the wait: who waits may find that work takes too long which an interrupt had left running.
bool has_deferred(const Array& array) {
  GraphLock lock;
  const Node& node = *array.cell()->node;
  return !node.deferred.empty() || interrupted(node);
}

// Whose memory it is; memory that nobody here made counts as that device's.
Context& holder_of(const void* pointer, const Block* block, Context& otherwise) {
  std::vector<Context*> contexts = all_contexts();
  std::erase_if(contexts, [&](Context* c) { return c->device.kind != otherwise.device.kind; });
  if (contexts.size() == 1) return otherwise;
  for (Context* c : contexts) {
    if (block ? block->owner == &c->pool : c->pool.holds(pointer)) return *c;
  }
  return otherwise;
}

// What came from another device may prove wrong by work there.
void wait_for_deferred(const Array& array, Context& waited) {
  auto is_open = [&] {
    GraphLock lock;
    return any_open(array.cell()->node->deferred);
  };
  for (Context* context : all_contexts()) {
    if (!is_open()) return;
    if (context != &waited && context->device.kind == DeviceKind::cuda) context->wait_all("errors of other devices");
  }
}

}  // namespace

Array copied_in(Context& context, const void* data, size_t bytes, const Shape& shape, DType dtype, CopyKind kind) {
  return copied_in(context, data, bytes, Layout::contiguous(shape), dtype, kind);
}

Array copied_in(Context& context, const void* data, size_t bytes, Layout layout, DType dtype, CopyKind kind) {
  Buffer buffer = context.allocate(std::max<size_t>(bytes, 1));
  StreamPtr stream = context.stream_of_work();
  use_on(stream, *buffer.block(), true);
  if (bytes > 0) {
    Waiting waiting;
    context.copy(stream, buffer.pointer(), data, bytes, kind, true);
  }
  GraphLock lock;
  graph.pressure.filled(static_cast<int64_t>(bytes));
  return from_memory(std::move(buffer), interned(std::move(layout)), dtype, context.id());
}

// A few elements of the CPU that nobody may be writing: kernels that were given an address alone, too. Where there is a trace,
// the copy is shown in it.
static bool is_read_at_once(const Array& array, void* out, size_t bytes) {
  constexpr size_t most = 1 << 12;
  if (bytes > most || !array.device().is_cpu() || tracing() || check::on()) return false;
  GraphLock lock;
  if (!array_work_ended(cpu_context())) return false;
  const char* in = array.layout().is_contiguous() ? at_hand(array) : nullptr;
  if (!in || static_cast<size_t>(array.size()) * size_of(array.dtype()) != bytes) return false;
  std::memcpy(out, in, bytes);
  return true;
}

void read_into(const Array& array, void* out, size_t bytes) {
  count_host_read();
  if (is_read_at_once(array, out, bytes)) return;
  WaitsSoon soon;
  use_current_streams();
  Memory memory = dense(array);
  if (memory.bytes != bytes) bug("a read of {} bytes asked for {}", memory.bytes, bytes);
  if (bytes == 0) return;
  Waiting waiting;
  Context& context = context_on(array.device());
  StreamPtr stream = context.stream_of_work();
  use_on(stream, *memory.buffer.block(), false);
  context.copy(stream, out, memory.data, bytes, CopyKind::device_to_host, true);
  if (has_deferred(memory.array)) {
    if (graph.streams_were_chosen) context.wait_all("values for the host");  // the work may be other streams'
    wait_for_deferred(memory.array, context);
    raise_if_wrong(memory.array);
  }
  settle(array);
}

static Array copied_to(const Array& array, Context& context);

Array moved_to(const Array& array, Context& context) {
  if (context.id() == array.device()) return array;
  bool is_recorded = array.device().is_cpu() || context.device.kind != DeviceKind::cuda;
  if (!is_recorded || !wants_gradient(array)) return copied_to(array, context);
  auto copy = [&] { return std::vector<Array>{copied_to(array, context)}; };
  return differentiable(std::make_shared<Moved>(array.device()), {&array, 1}, {}, copy)[0];
}

static Array copied_to(const Array& array, Context& context) {
  if (is_record(array.dtype())) return of_units(moved_to(units_of(array), context), array.dtype());
  if (array.device().is_cpu()) {
    Memory memory = dense(array);
    finish_array_work(cpu_context());
    raise_if_wrong(memory.array);
    return copied_in(context, memory.data, memory.bytes, array.shape(), array.dtype(), CopyKind::host_to_device);
  }
  if (context.device.kind == DeviceKind::cuda) {
    Array dense = in_c_order(array);
    const CallResult result{array.shape(), array.dtype()};
    auto body = std::make_shared<CopyAcross>(array.device());
    return record_call(std::move(body), {&dense, 1}, {&result, 1}, context.id())[0];
  }
  size_t bytes = static_cast<size_t>(array.size()) * size_of(array.dtype());
  Buffer host = cpu_context().allocate(std::max<size_t>(bytes, 1));
  read_into(array, host.pointer(), bytes);
  return from_memory(std::move(host), array.shape(), array.dtype(), DeviceId::cpu());
}

void copy_within(Context& on, const StreamPtr& stream, void* dst, Block* to_block, const void* src, Block* from_block,
                 size_t bytes) {
  Context &to = holder_of(dst, to_block, on), &from = holder_of(src, from_block, on);
  if (&to != &on || &from != &on) {
    Side there{to, static_cast<char*>(dst), to_block, true};
    Side here{from, static_cast<char*>(const_cast<void*>(src)), from_block, true};
    if (bytes > 0) copy_across(stream, there, here, bytes, tracing() ? current_site() : no_site);
    return;
  }
  for (Block* block : {to_block, from_block})
    if (block) used_on(stream, *block);
  on.copy(stream, dst, src, bytes, CopyKind::device_to_device, false);
}

void require_host_memory(const void* address, size_t bytes, const char* what) {
  if (bytes == 0) return;
  if (auto room = context_on(DeviceId::cpu()).pool.room_at(address)) {
    if (bytes <= room->left) return;
    std::string from = room->offset ? formatted(", {} bytes from its start", room->offset) : "";
    raise(ErrorKind::logic, "[{}] {} bytes do not fit into device memory of {} bytes{}", what, bytes, room->bytes, from);
  }
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), start = reinterpret_cast<uintptr_t>(address);
  constexpr size_t most = size_t{1} << 30;  // bytes a read
  std::vector<unsigned char> pages(std::min(bytes / page + 2, most / page + 2));
  for (size_t at = 0; at < bytes; at += most) {
    uintptr_t from = (start + at) / page * page, end = start + at + std::min(most, bytes - at);
    if (end >= from && mincore(reinterpret_cast<void*>(from), end - from, pages.data()) == 0) continue;
    raise(ErrorKind::logic, "[{}] the memory at {:#x} has fewer than {} bytes; pass a pointer of an allocation or of an array",
          what, start, bytes);
  }
}

uint64_t address_for_kernel(const Array& array, Block** block) {
  evaluate_all();
  separate(array);
  Buffer buffer = evaluate(array);
  unsettle(array);
  *block = buffer.block();
  return reinterpret_cast<uint64_t>(buffer.pointer()) + static_cast<uint64_t>(offset_in_bytes(array));
}

uint64_t address_to_read(const Array& array, Block** block) {
  Buffer buffer = evaluate(array);
  *block = buffer.block();
  return reinterpret_cast<uint64_t>(buffer.pointer()) + static_cast<uint64_t>(offset_in_bytes(array));
}

}  // namespace quern
