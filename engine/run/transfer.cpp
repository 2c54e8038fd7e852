#include "run/transfer.h"

#include <algorithm>

#include "core/error.h"
#include "core/wait.h"
#include "device/stream_order.h"

namespace quern {

namespace {

int64_t offset_of(const Array& array) { return array.layout().offset * static_cast<int64_t>(size_of(array.dtype())); }

// The memory of an array without gaps, in C order: its own, or a copy's.
struct Memory {
  Array array;
  Buffer buffer;
  const char* data = nullptr;
  size_t bytes = 0;
};

Memory dense(const Array& array) {
  Memory out;
  out.array = array.layout().is_contiguous() ? array : copied(array, array.dtype());
  out.buffer = evaluate(out.array);
  out.data = static_cast<const char*>(out.buffer.pointer()) + offset_of(out.array);
  out.bytes = static_cast<size_t>(array.size()) * size_of(array.dtype());
  return out;
}

// Also after the wait: who waits may find that work takes too long which an interrupt had left running.
bool in_doubt(const Array& array) {
  GraphLock lock;
  const Node& node = *array.cell()->node;
  return !node.doubts.empty() || interrupted(node);
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
  return from_memory(std::move(buffer), space_of(std::move(layout)), dtype, static_cast<int8_t>(context.trace_index()));
}

void read_into(const Array& array, void* out, size_t bytes) {
  WaitsSoon soon;
  Memory memory = dense(array);
  if (memory.bytes != bytes) bug("a look at {} bytes asked for {}", memory.bytes, bytes);
  if (bytes == 0) return;
  Waiting waiting;
  Context& context = context_on(array.device());
  StreamPtr stream = context.stream_of_work();
  use_on(stream, *memory.buffer.block(), false);
  context.copy(stream, out, memory.data, bytes, CopyKind::device_to_host, true);
  if (in_doubt(memory.array)) {
    if (graph.streams_were_chosen) context.wait_all();  // the work may be other streams'
    raise_if_wrong(memory.array);
  }
  settle(array);
}

Array moved_to(const Array& array, Context& context) {
  if (context.trace_index() == array.device()) return array;
  if (array.device() < 0) {
    Memory memory = dense(array);
    {
      Waiting waiting;
      evaluator().finish(-1);
    }
    raise_if_wrong(memory.array);
    return copied_in(context, memory.data, memory.bytes, array.shape(), array.dtype(), CopyKind::host_to_device);
  }
  size_t bytes = static_cast<size_t>(array.size()) * size_of(array.dtype());
  Buffer host = cpu_context().allocate(std::max<size_t>(bytes, 1));
  read_into(array, host.pointer(), bytes);
  if (context.device.kind == DeviceKind::cpu) return from_memory(std::move(host), array.shape(), array.dtype(), -1);
  return copied_in(context, host.pointer(), bytes, array.shape(), array.dtype(), CopyKind::host_to_device);
}

uint64_t address_for_kernel(const Array& array, Block** block) {
  evaluate_all();
  separate(array);
  Buffer buffer = evaluate(array);
  unsettle(array);
  *block = buffer.block();
  return reinterpret_cast<uint64_t>(buffer.pointer()) + static_cast<uint64_t>(offset_of(array));
}

uint64_t address_to_read(const Array& array, Block** block) {
  Buffer buffer = evaluate(array);
  *block = buffer.block();
  return reinterpret_cast<uint64_t>(buffer.pointer()) + static_cast<uint64_t>(offset_of(array));
}

}  // namespace quern
