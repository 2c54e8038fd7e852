// Kernels that were compiled when quern was built, for the CPU: of single operations, so that a program does not wait for the
// compiler where it can compute operation by operation (run/tiers.h). One file beside the library holds them, for two instruction
// sets; tools/precompile_kernels.cpp writes it. Start at Precompiled::find().
//
// They are found by their text: whatever prints an equal text gets the code. The file belongs to one compiler, by its
// size, and to one prelude; beside another it counts as absent, and everything is compiled when it is needed.
#pragma once

#include "compile/cache.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

// What the code of a text depends on besides the target.
CacheKey text_key(const Source& source, const CompileOptions& options);

class Precompiled {
 public:
  static constexpr std::array<std::string_view, 2> levels{"x86-64-v3", "x86-64-v4"};

  static std::string_view level_of_processor();  // "": the baseline, also with QUERN_TIER0_LEVEL=baseline
  // That of the library, at this processor's level; an empty one at the baseline.
  static const Precompiled& installed();

  Precompiled() = default;
  Precompiled(const std::string& path, std::string_view level);
  ~Precompiled();
  Precompiled(const Precompiled&) = delete;
  Precompiled& operator=(const Precompiled&) = delete;

  // The code is copied. Null: it is not there.
  std::shared_ptr<const Binary> find(const CacheKey& key) const;
  bool has(const CacheKey& key) const { return entry(key) != nullptr; }
  size_t size() const { return entries_.size(); }
  bool belongs_to(std::string_view maker) const { return maker_ == maker; }

  struct Entry {
    CacheKey key;
    uint64_t begin, size;
  };
  // Writes a file: for each level its kernels by key. `maker` is what belongs_to() is asked, for builds that take over old code.
  using Kernels = std::vector<std::pair<CacheKey, std::vector<std::byte>>>;
  static void write(const std::string& path, std::string_view maker, const std::array<Kernels, levels.size()>& kernels);

  static std::string file_name() { return "kernels.precompiled"; }

 private:
  const Entry* entry(const CacheKey& key) const;
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  std::span<const Entry> entries_;  // by key
  std::string_view maker_;
};

}  // namespace quern
