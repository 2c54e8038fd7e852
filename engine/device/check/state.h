// What the checks of a process share.
#pragma once

#include "device/check/checker.h"
#include "device/check/memory_map.h"

namespace quern::check {

struct State {
  Options options;
  Findings findings;
  MemoryMap map;
  std::atomic<uint32_t> next_tick{1};
  std::atomic<uint64_t> launches{0};
  struct Text {
    std::string name, text;
  };
  std::mutex texts_lock;
  std::map<const void*, Text> texts;  // by the module
};

State& state();

}  // namespace quern::check
