#include "run/found_errors.h"
#include "core/format.h"

#include "graph/deferred_errors.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace quern {

namespace {

struct Watch {
  uint64_t number;
  FoundError words;
  ErrorKind kind;
  FoundError::Text text;
  Site site;
  StreamPtr stream;
};

// An event behind the work of all watches up to a number.
struct Mark {
  uint64_t last;
  StreamPtr stream;
  std::shared_ptr<Event> event;
};

// One for each device, never destroyed; the words are pinned memory that kernels can write.
struct Watches {
  std::mutex lock;
  size_t unmarked = 0;
  std::deque<Mark> marks;
  std::vector<FoundError> free;
  std::deque<Watch> active;
  std::vector<Buffer> memory;  // of the words
};

constexpr size_t words_at_once = 512;
constexpr size_t watches_of_a_mark = 16;
std::atomic<size_t> active_watches{0};
std::atomic<uint64_t> watches_begun{0}, watches_submitted{0};  // written with the graph's lock held

Watches& watches_of(Context& context) {
  static std::mutex lock;
  static auto* all = new std::map<Context*, Watches>;
  std::lock_guard hold(lock);
  return (*all)[&context];
}

void add_words(Context& context, Watches& watches) {
  PinnedOptions options;
  options.mapped = true;
  size_t bytes = words_at_once * 2 * sizeof(int64_t);
  watches.memory.push_back(context.allocate_pinned(bytes, options, no_site));
  auto* host = static_cast<int64_t*>(watches.memory.back().pointer());
  auto* device = static_cast<int64_t*>(context.device.device_pointer(host));
  for (size_t i = 0; i < words_at_once; ++i) watches.free.push_back({host + 2 * i, device + 2 * i, nullptr});
}

// Reports the errors of those that are done.
template <class IsDone>
void settle(Watches& watches, IsDone&& is_done) {
  for (auto at = watches.active.begin(); at != watches.active.end();) {
    if (!is_done(*at)) {
      ++at;
      continue;
    }
    if (at->words.on_host[0] == 0) {
      settle_deferred(at->words.error);
    } else {
      confirm_deferred(at->words.error, {at->kind, at->text(at->words.on_host[1], at->words.on_host[0]), at->site});
    }
    at->words.error = nullptr;
    watches.free.push_back(at->words);
    at = watches.active.erase(at);
    active_watches.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace

FoundError watch_for_error(Context& context, ErrorKind kind, FoundError::Text text, Site site) {
  Watches& watches = watches_of(context);
  std::lock_guard hold(watches.lock);
  if (watches.free.empty()) add_words(context, watches);
  FoundError words = watches.free.back();
  watches.free.pop_back();
  words.on_host[0] = words.on_host[1] = 0;
  words.error = open_deferred();
  ++watches.unmarked;
  active_watches.fetch_add(1, std::memory_order_relaxed);
  uint64_t number = watches_begun.fetch_add(1, std::memory_order_relaxed) + 1;
  watches.active.push_back({number, words, kind, std::move(text), site, context.work_stream});
  return words;
}

void watched_work_is_submitted() {
  watches_submitted.store(watches_begun.load(std::memory_order_relaxed), std::memory_order_release);
}
uint64_t last_watch() { return watches_submitted.load(std::memory_order_acquire); }

void settle_found_errors(Context& context, const Stream* waited, uint64_t last) {
  if (active_watches.load(std::memory_order_acquire) == 0) return;
  Watches& watches = watches_of(context);
  // Until all are reported: another thread whose work this is may have waited, too, and reads its error next.
  std::lock_guard hold(watches.lock);
  settle(watches, [&](const Watch& watch) {
    return watch.number <= last && (!waited || watch.stream.get() == waited || watch.stream->idle());
  });
}

void settle_done(Context& context) {
  if (active_watches.load(std::memory_order_acquire) == 0) return;
  Watches& watches = watches_of(context);
  std::lock_guard hold(watches.lock);
  while (!watches.marks.empty() && watches.marks.front().event->done()) {
    const Mark mark = std::move(watches.marks.front());
    watches.marks.pop_front();
    settle(watches, [&](const Watch& watch) { return watch.number <= mark.last && watch.stream == mark.stream; });
  }
  if (watches.unmarked < watches_of_a_mark) return;
  std::shared_ptr<Event> event = context.device.create_event({false, false});
  event->record(*context.work_stream);
  watches.marks.push_back({last_watch(), context.work_stream, std::move(event)});
  watches.unmarked = 0;
}

}  // namespace quern
