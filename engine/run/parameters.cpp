#include "run/parameters.h"

#include "core/error.h"
#include "device/check/checker.h"
#include "device/stream_order.h"

#include <cstring>

namespace quern {

void Parameters::raw(const void* value, size_t size, size_t alignment) {
  char* to = at((end_ + alignment - 1) / alignment * alignment, size);
  if (!to) bug("too many arguments for a kernel");
  std::memcpy(to, value, size);
}

void Parameters::fill(size_t size) {
  if (size < end_ || size > limit) bug("arguments of {} bytes where {} have room", end_, size);
  end_ = size;
}

void Parameters::use_on(const std::shared_ptr<Stream>& stream) const {
  auto use = [&](const Used& used) {
    used.ordered ? quern::use_on(stream, *used.block, used.writes) : quern::used_on(stream, *used.block);
  };
  for (size_t i = 0; i < count_; ++i) use(used_[i]);
  for (const Used& used : more_) use(used);
}

void Parameters::tell_checks(const LoadedKernel& kernel) const {
  auto tell = [&](const Used& used) {
    check::known(*used.block);
    if (used.writes && !kernel.is_checked) check::written(used.block->pointer, used.block->bytes);
  };
  for (size_t i = 0; i < count_; ++i) tell(used_[i]);
  for (const Used& used : more_) tell(used);
}

bool Parameters::any_exposed() const {
  auto exposed = [](const Used& used) { return used.block->exposures > 0; };
  for (size_t i = 0; i < count_; ++i)
    if (exposed(used_[i])) return true;
  for (const Used& used : more_)
    if (exposed(used)) return true;
  return false;
}

}  // namespace quern
