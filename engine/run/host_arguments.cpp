#include "run/host_arguments.h"

#include "device/check/checker.h"
#include "device/stream_order.h"
#include "run/host_ranges.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace quern {

namespace {

std::vector<int64_t> in_c_order(const std::vector<int64_t>& shape, int64_t size) {
  std::vector<int64_t> out(shape.size());
  for (size_t i = shape.size(); i-- > 0; size *= shape[i]) out[i] = size;
  return out;
}

// One block of memory without gaps, in C or Fortran order? Axes of one element may have any stride.
bool is_block(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t size) {
  auto fits = [&](bool forward) {
    int64_t expected = size;
    for (size_t k = 0; k < shape.size(); ++k) {
      size_t i = forward ? k : shape.size() - 1 - k;
      if (shape[i] != 1 && strides[i] != expected) return false;
      expected *= shape[i];
    }
    return true;
  };
  return fits(false) || fits(true);
}

// Between an array with gaps and its elements in C order.
void walk(char* array, char* packed, const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, size_t size,
          bool pack) {
  std::vector<int64_t> at(shape.size());
  for (;;) {
    char* place = array;
    for (size_t i = 0; i < shape.size(); ++i) place += at[i] * strides[i];
    pack ? std::memcpy(packed, place, size) : std::memcpy(place, packed, size);
    packed += size;
    size_t i = shape.size();
    while (i-- > 0 && ++at[i] == shape[i]) at[i] = 0;
    if (i == static_cast<size_t>(-1)) return;
  }
}

// All that lies between the first and the last element: bytes before the first one's start, and from there on.
struct Extent {
  int64_t before = 0, after = 0;
};

std::optional<Extent> extent_of(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t size) {
  Extent out{0, size};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return std::nullopt;
    (strides[i] < 0 ? out.before : out.after) += (shape[i] - 1) * strides[i];
  }
  return out;
}

}  // namespace

void* HostArguments::in_place(const void* data, const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
                              int64_t size) const {
  if (context_.device.kind == DeviceKind::cpu) return nullptr;
  const int64_t unit = std::min<int64_t>(size & -size, 16);
  auto lies_well = [&](int64_t bytes) { return unit == 0 || bytes % unit == 0; };
  if (!lies_well(static_cast<int64_t>(reinterpret_cast<uintptr_t>(data))) || !std::ranges::all_of(strides, lies_well))
    return nullptr;  // a GPU reads whole numbers where they lie at multiples of their size: in a copy
  auto extent = extent_of(shape, strides, size);
  if (!extent) return nullptr;
  const char* first = static_cast<const char*>(data) + extent->before;
  void* reached = reached_by(context_.device, first, static_cast<size_t>(extent->after - extent->before));
  return reached ? static_cast<char*>(reached) - extent->before : nullptr;
}

void* HostArguments::add(void* data, const std::vector<int64_t>& shape, std::vector<int64_t>& strides, int64_t size, bool in,
                         bool out) {
  any_ = true;
  if (context_.device.kind == DeviceKind::cpu) {
    if (auto extent = check::on() ? extent_of(shape, strides, size) : std::nullopt)
      check::known(static_cast<const char*>(data) + extent->before, static_cast<size_t>(extent->after - extent->before));
    return data;
  }
  Copied made{static_cast<char*>(data), {}, static_cast<size_t>(size), out, {}, shape, strides, size};
  for (int64_t n : shape) made.bytes *= static_cast<size_t>(n);
  bool gaps = made.bytes > 0 && !is_block(shape, strides, size);
  if (gaps) {
    made.packed.resize(made.bytes);
    walk(made.host, made.packed.data(), shape, strides, static_cast<size_t>(size), true);
    strides = in_c_order(shape, size);
  }
  made.device = context_.allocate(std::max<size_t>(made.bytes, 1));
  use_on(stream_, *made.device.block(), true);
  if (in && made.bytes > 0)
    context_.copy(stream_, made.device.pointer(), gaps ? made.packed.data() : made.host, made.bytes, CopyKind::host_to_device,
                  false);
  copied_.push_back(std::move(made));
  return copied_.back().device.pointer();
}

void* HostArguments::add_apart(void* data, const std::vector<int64_t>& shape, std::vector<int64_t>& strides, int64_t size) {
  if (context_.device.kind != DeviceKind::cpu) return add(data, shape, strides, size, true, false);
  any_ = true;
  Copied made{static_cast<char*>(data), {}, static_cast<size_t>(size), false, {}, shape, strides, size};
  for (int64_t n : shape) made.bytes *= static_cast<size_t>(n);
  made.packed.resize(std::max<size_t>(made.bytes, 1));
  if (made.bytes > 0) walk(made.host, made.packed.data(), shape, strides, static_cast<size_t>(size), true);
  strides = in_c_order(shape, size);
  copied_.push_back(std::move(made));
  Copied& kept = copied_.back();
  if (check::on()) check::known(kept.packed.data(), kept.bytes);
  return kept.packed.data();
}

void HostArguments::finish() {
  for (Copied& c : copied_) {
    if (c.out && c.bytes > 0)
      context_.copy(stream_, c.packed.empty() ? c.host : c.packed.data(), c.device.pointer(), c.bytes, CopyKind::device_to_host,
                    false);
  }
  context_.wait(stream_, "a kernel on arrays of the host");
  for (Copied& c : copied_) {
    if (c.out && !c.packed.empty()) walk(c.host, c.packed.data(), c.shape, c.strides, static_cast<size_t>(c.size), false);
  }
}

}  // namespace quern
