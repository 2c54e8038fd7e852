// Why a kernel is compiled: what distinguishes it from the kernels of the same work that were compiled before it in this process.
//
//   std::string why = compile_reasons().note(work, {{"dtypes", 17}, {"size class", 3}});  // "new expression", "new dtypes"
#pragma once

#include "core/trace.h"

#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace quern {

// Any thread may ask.
class CompileReasons {
 public:
  // Notes a kernel and returns the reason for it. `work`: a hash of what is computed; `traits`: in the same order for equal work.
  // `first`: the reason where nothing computed it before; `same`: where no trait is new.
  std::string note(uint64_t work, std::span<const KernelTrait> traits, std::string_view first = "new expression",
                   std::string_view same = "another variant");

 private:
  std::mutex lock_;
  std::unordered_map<uint64_t, std::vector<std::vector<KernelTrait>>> known_;
};

CompileReasons& compile_reasons();

}  // namespace quern
