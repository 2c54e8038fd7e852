// A kernel that another thread compiles, for whoever asks the cache of compiled code later.
#pragma once

#include "compile/cache.h"

namespace quern {

struct CompileJob {
  CompileJob(CacheClaim claimed, Compiler& with, Source text, CompileOptions flags, Target for_target);

  CacheClaim claim;
  Compiler& compiler;
  Source source;
  CompileOptions options;
  Target target;

  // The process's end waits for it: nothing may be taken down under a compiler, and the next process finds the kernel. Once that
  // end has begun, it does nothing.
  void run() noexcept;
};

// Waits for those that run; others do nothing from now on. At exit this is called by itself.
void end_compile_jobs() noexcept;

}  // namespace quern
