// A kernel that another thread compiles, for whoever asks the cache of compiled code later.
#pragma once

#include "compile/cache.h"

namespace quern {

struct CompileJob {
  CacheClaim claim;
  Compiler& compiler;
  Source source;
  CompileOptions options;
  Target target;

  void run() noexcept {
    try {
      claim.make([&] { return compiler.compile(source, options, target); });
    } catch (...) {
      // Whoever needs the kernel compiles it once more, and raises.
    }
  }
};

}  // namespace quern
