#include "core/kernel_names.h"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace quern {

namespace {

std::mutex lock;
std::unordered_map<std::string, std::string>& names() {
  static auto* all = new std::unordered_map<std::string, std::string>;  // kernels run until the process ends
  return *all;
}

}  // namespace

void show_kernel_as(const std::string& symbol, std::string name) {
  std::lock_guard hold(lock);
  names()[symbol] = std::move(name);
}

std::string shown_kernel_name(const std::string& symbol, std::string otherwise) {
  std::lock_guard hold(lock);
  auto found = names().find(symbol);
  return found == names().end() ? std::move(otherwise) : found->second;
}

}  // namespace quern
