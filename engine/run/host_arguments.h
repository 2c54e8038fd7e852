// Host arrays as a kernel's arguments: used in place on the CPU, and on a GPU where it reaches their memory (host_ranges.h);
// others are copied there before the launch, and back after it where the kernel writes them.
//
//   HostArguments host(context, stream);
//   void* address = host.in_place(data, shape, strides, size);          // for each, before the launch
//   if (!address) address = host.add(data, shape, strides, size, true, true);
//   kernel.launch(...);
//   host.finish();                                                      // the arrays are as the kernel left them
#pragma once

#include "run/context.h"

#include <vector>

namespace quern {

class HostArguments {
 public:
  HostArguments(Context& context, const StreamPtr& stream) : context_(context), stream_(stream) {}

  // On a GPU: the address of an array that is not copied, nullptr for others. Nobody waits for the kernel unless must_wait().
  void* in_place(const void* data, const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t size) const;
  void must_wait() { any_ = true; }
  // The address that the kernel gets. `strides`, in bytes, become what they are there. `in`: the kernel may read it, or leave
  // parts of it as they are; `out`: it may write it.
  void* add(void* data, const std::vector<int64_t>& shape, std::vector<int64_t>& strides, int64_t size, bool in, bool out);
  // The same for an array that the kernel may write and that must not change: everywhere a copy.
  void* add_apart(void* data, const std::vector<int64_t>& shape, std::vector<int64_t>& strides, int64_t size);
  bool any() const { return any_; }
  // Waits for the kernel; raises what failed in it.
  void finish();

 private:
  struct Copied {
    char* host;
    Buffer device;
    size_t bytes;
    bool out;
    std::vector<char> packed;  // of an array with gaps: its elements in C order
    std::vector<int64_t> shape, strides;
    int64_t size;
  };

  Context& context_;
  StreamPtr stream_;
  std::vector<Copied> copied_;
  bool any_ = false;
};

}  // namespace quern
