// What kernels print, on its way to where the host's own output goes (the bindings' sys.stdout), in order.
//
// The CPU device appends; whoever waits delivers. A GPU's driver writes to C's standard output by itself: flush_host_output()
// puts what the host printed before it.
#pragma once

#include <string>

namespace quern {

struct PrintHooks {
  void (*write)(const std::string& text) = nullptr;  // else C's stdout
  void (*flush)() = nullptr;                         // what the host has printed so far
};
void set_print_hooks(PrintHooks hooks);

void append_print(const std::string& text);  // from any thread, takes no other lock
void deliver_prints();                       // from a thread that waits; may take Python's lock
void flush_host_output();

}  // namespace quern
