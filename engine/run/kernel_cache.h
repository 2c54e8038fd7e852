// The kernels of every text that the engine prints: of array groups, of functions of whole arrays, of users' elementwise and
// reduction kernels. They are found by what their text depends on, as words; who asks prints the text only when they are not
// there yet. Start at KernelCache::get().
//
//   Kernel& kernel = kernel_cache().get(context, TextOf::group, key, [&] { return KernelText{print_kernel(...)};
//   }).kernel("group");
//
// A text that a user wrote as a whole is not in here: it is a program of his own (program.h). Code that was compiled once for
// equal texts is compile/cache.h's to find.
#pragma once

#include "run/kernel.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace quern {

// Who prints: the words of each are its own. What has one text alone has no words.
enum class TextOf : uint8_t {
  group,
  segments,
  combine,
  elementwise,
  reduction,
  checks,
  indexing,
  nonzero,
  counting,
  search,
  scan,
  sort,
  solver,
  convolution,
  pooling
};

inline constexpr const char* author_names[] = {"group",  "segments", "combine", "elementwise", "reduction",
                                               "checks", "indexing", "nonzero", "counting",    "search",
                                               "scan",   "sort",     "solver",  "convolution", "pooling"};

struct KernelText {
  std::string text;
  std::string name = "array group";  // in messages and in the trace
  CompileOptions options = array_options();
  std::vector<std::string> ops = {};     // what it computes, for the trace; none: who prints says it
  std::string form = {};                 // KernelIdentity's
  std::vector<uint32_t> widened = {};    // likewise
  uint64_t work = 0;                     // a hash of what it computes, for the reason of its compile; 0: its author
  std::vector<KernelTrait> traits = {};  // what it is compiled for
  Site site = no_site;                   // the line whose work it is; no_site: that of a WorkOf, else where the program is

  static CompileOptions array_options() {
    CompileOptions options;
    options.exact_arithmetic = true;
    return options;
  }
};

// While one lives, what this thread prints without a site is the work of that line.
class WorkOf {
 public:
  explicit WorkOf(Site site) : before_(now_) { now_ = site; }
  ~WorkOf() { now_ = before_; }
  WorkOf(const WorkOf&) = delete;
  WorkOf& operator=(const WorkOf&) = delete;
  static Site now() { return now_; }

 private:
  static inline thread_local Site now_ = no_site;
  Site before_;
};

// The kernels of one text on one device.
class TextKernels {
 public:
  explicit TextKernels(std::shared_ptr<Program> program) : program_(std::move(program)) {}
  // Stays as long as the text's kernels are kept. Raises ErrorKind::logic when there is none of that name.
  Kernel& kernel(std::string_view name);
  Program& program() const { return *program_; }

 private:
  std::shared_ptr<Program> program_;
  std::mutex lock_;
  std::vector<std::pair<std::string, std::shared_ptr<Kernel>>> kernels_;  // few
};

// Any thread may ask. Two that miss the same words at once both print, and get the same kernels.
class KernelCache {
 public:
  using Words = std::span<const uint64_t>;

  // `print` gives the KernelText; called without a lock held. What it returns must depend on the words and the device alone.
  template <class Print>
  TextKernels& get(Context& context, TextOf of, Words words, Print&& print) {
    if (TextKernels* found = find({of, context.id(), words})) return *found;
    return add(context, of, words, print());
  }
  bool has(Context& context, TextOf of, Words words) { return find({of, context.id(), words}) != nullptr; }
  void forget(DeviceId device, TextOf of, Words words);  // for whoever was the only one to ask with these words
  uint64_t printed() const { return printed_.load(std::memory_order_relaxed); }  // texts, in this process

 private:
  struct View {
    TextOf of;
    DeviceId device;
    Words words;
  };
  struct Key {
    TextOf of;
    DeviceId device;
    std::vector<uint64_t> words;
    operator View() const { return {of, device, words}; }
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const View& key) const;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const View& a, const View& b) const;
  };

  TextKernels* find(const View& key);
  TextKernels& add(Context& context, TextOf of, Words words, KernelText text);

  std::mutex lock_;
  std::unordered_map<Key, std::unique_ptr<TextKernels>, Hash, Equal> all_;
  std::atomic<uint64_t> printed_{0};
};

KernelCache& kernel_cache();

}  // namespace quern
