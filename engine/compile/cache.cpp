#include "compile/cache.h"

#include "compile/clang.h"
#include "compile/precompiled.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "core/wait.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace quern {

namespace {

constexpr char magic[8] = {'Q', 'U', 'E', 'R', 'N', 'C', '0', '1'};
constexpr size_t default_limit = size_t{1} << 30;

struct Header {
  char magic[8];
  uint64_t key_high, key_low;
  uint64_t size;
  uint64_t hash_high, hash_low;
};

class Hasher {
 public:
  Hasher() { XXH3_128bits_reset(&state_); }
  void add(const void* data, size_t size) { XXH3_128bits_update(&state_, data, size); }
  void add(std::string_view text) {  // with its length, so that neighbours cannot run together
    uint64_t n = text.size();
    add(&n, sizeof n);
    add(text.data(), text.size());
  }
  CacheKey key() const {
    XXH128_hash_t h = XXH3_128bits_digest(&state_);
    return {h.high64, h.low64};
  }

 private:
  XXH3_state_t state_;
};

// ---- a Binary as bytes

void put(std::string& out, const void* data, size_t size) {
  uint64_t n = size;
  out.append(reinterpret_cast<const char*>(&n), sizeof n);
  out.append(static_cast<const char*>(data), size);
}

std::string pack_binary(const Binary& binary) {
  std::string out;
  put(out, binary.code.data(), binary.code.size());
  put(out, binary.log.data(), binary.log.size());
  std::string files = pack(binary.files);
  put(out, files.data(), files.size());
  for (auto& [expression, symbol] : binary.names) {
    put(out, expression.data(), expression.size());
    put(out, symbol.data(), symbol.size());
  }
  return out;
}

std::shared_ptr<const Binary> unpack_binary(std::string_view bytes) {
  size_t at = 0;
  bool good = true;
  auto take = [&]() -> std::string {
    uint64_t n = 0;
    if (bytes.size() - at < sizeof n) return good = false, std::string();
    std::memcpy(&n, bytes.data() + at, sizeof n);
    at += sizeof n;
    if (bytes.size() - at < n) return good = false, std::string();
    std::string piece(bytes.substr(at, n));
    at += n;
    return piece;
  };
  auto binary = std::make_shared<Binary>();
  std::string code = take();
  binary->code.resize(code.size());
  std::memcpy(binary->code.data(), code.data(), code.size());
  binary->log = take();
  good = good && unpack(take(), binary->files);
  while (good && at < bytes.size()) {
    std::string expression = take(), symbol = take();
    binary->names.emplace_back(std::move(expression), std::move(symbol));
  }
  return good && !binary->code.empty() ? binary : nullptr;
}

// ---- where the files lie, and how much of them

std::string given_directory() {
  auto value = [](const char* name) -> std::string {
    const char* text = std::getenv(name);
    return text ? text : "";
  };
  if (std::string dir = value("QUERN_CACHE_DIR"); !dir.empty()) return dir;
  if (std::string dir = value("XDG_CACHE_HOME"); !dir.empty()) return dir + "/quern";
  if (std::string home = value("HOME"); !home.empty()) return home + "/.cache/quern";
  return "";
}

size_t limit_from_environment() {
  const char* text = std::getenv("QUERN_CACHE_SIZE");  // MiB
  return text ? static_cast<size_t>(std::max(0L, std::atol(text))) << 20 : default_limit;
}

}  // namespace

std::string CacheKey::hex() const { return formatted("{:016x}{:016x}", high, low); }

static std::string_view name_of_arithmetic(const CompileOptions& options) {
  return options.fast_arithmetic ? "fast" : options.exact_arithmetic ? "exact" : "free";
}

CacheKey cache_key(const Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target) {
  Hasher hasher;
  hasher.add(source.text);
  hasher.add(source.name);
  for (auto& f : options.flags) hasher.add(f);
  hasher.add("names");
  for (auto& n : options.name_expressions) hasher.add(n);
  hasher.add(name_of_arithmetic(options));
  hasher.add(target.kind == DeviceKind::cpu ? "cpu" : "cuda");
  hasher.add(target.arch);
  hasher.add(compiler.id());
  if (options.tells_types) hasher.add("types");
  if (options.relocatable) hasher.add("relocatable");
  return hasher.key();
}

CacheKey text_key(const Source& source, const CompileOptions& options) {
  Hasher hasher;
  hasher.add(source.text);
  for (auto& f : options.flags) hasher.add(f);
  hasher.add("names");
  for (auto& n : options.name_expressions) hasher.add(n);
  hasher.add(name_of_arithmetic(options));
  if (options.tells_types) hasher.add("types");
  if (options.relocatable) hasher.add("relocatable");
  return hasher.key();
}

CacheKey cache_key(const CacheKey& of, const std::vector<std::string_view>& parts) {
  Hasher hasher;
  hasher.add(of.hex());
  for (std::string_view part : parts) hasher.add(part);
  return hasher.key();
}

Cache::Cache() : folder_(given_directory()), limit_(limit_from_environment()) {}

// What somebody asks for: its key, and where the code may be that was compiled with quern.
struct Cache::Asked {
  CacheKey key;
  std::optional<CacheKey> text = {};

  Asked(const CacheKey& key) : key(key) {}
  Asked(const Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target)
      : key(cache_key(compiler, source, options, target)) {
    const bool may_be_built = target.kind == DeviceKind::cpu && target.arch.empty() && lowers_as_built();
    if (may_be_built && Precompiled::installed().size() > 0) text = text_key(source, options);
  }
};

bool Cache::has(Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target) {
  const Asked asked(compiler, source, options, target);
  if (asked.text && Precompiled::installed().has(*asked.text)) return true;
  std::optional<CacheClaim> open = claim(asked.key);
  return !open;
}

Cached Cache::get(Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target) {
  const Asked asked(compiler, source, options, target);
  const CacheKey& key = asked.key;
  if (auto found = find(asked)) return *found;
  if (!handles_signals()) return make_claimed(key, [&] { return compiler.compile(source, options, target); }, For::now);
  // An interrupted caller leaves the compiler to its work, which therefore owns what it reads; and it is the compiler's thread
  // that completes the entry, since a handler may ask for the same one while the caller waits.
  struct Job {
    Source source;
    CompileOptions options;
    Target target;
    Cached made;
  };
  auto job = std::make_shared<Job>();
  job->source = source;
  job->options = options;
  job->target = target;
  const auto make = [this, key, &compiler, job] {
    job->made = make_claimed(key, [&] { return compiler.compile(job->source, job->options, job->target); }, For::now);
  };
  try {
    run_beside(make);
  } catch (const std::system_error&) {
    make();  // no thread is to be had
  }
  return job->made;
}

Cached Cache::get(const CacheKey& key, const std::function<Binary()>& make) {
  if (auto found = find(key)) return *found;
  return make_claimed(key, make, For::now);
}

std::optional<CacheClaim> Cache::claim(Compiler& compiler, const Source& source, const CompileOptions& options,
                                       const Target& target) {
  return claim(Asked(compiler, source, options, target));
}

std::optional<CacheClaim> Cache::claim(const Asked& asked) {
  if (!memory_.claim(asked.key) || read_claimed(asked, For::later)) return std::nullopt;
  return CacheClaim(*this, asked.key);
}

CacheClaim::~CacheClaim() {
  if (cache_) cache_->memory_.settle(key_, {});
}

void CacheClaim::make(const std::function<Binary()>& make) {
  std::exchange(cache_, nullptr)->make_claimed(key_, make, Cache::For::later);
}

// In memory, compiled with quern, or on disk. None: the entry is the caller's to make.
std::optional<Cached> Cache::find(const Asked& asked) {
  const CacheKey& key = asked.key;
  for (;;) {
    std::optional<Cached> known = memory_.take_or_claim(key);
    if (!known) break;
    if (known->binary->files.empty() || are_unchanged(known->binary->files)) return known;
    memory_.forget(key, known->binary);
  }
  return read_claimed(asked, For::now);
}

std::optional<Cached> Cache::read_claimed(const Asked& asked, For when) {
  const int64_t start = now_ns();
  const CacheKey& key = asked.key;
  try {
    if (auto built = asked.text ? Precompiled::installed().find(*asked.text) : nullptr) {
      const Cached found{std::move(built), CacheHit::precompiled, start, now_ns()};
      memory_.settle(key, when == For::later ? found : Cached{found.binary});
      return found;
    }
    if (auto binary = read(key); binary && are_unchanged(binary->files)) {
      memory_.settle(key, when == For::later ? Cached{binary, CacheHit::disk, start, now_ns()} : Cached{binary});
      return Cached{binary, CacheHit::disk};
    }
  } catch (...) {
    memory_.settle(key, {});
    throw;
  }
  return std::nullopt;
}

Cached Cache::make_claimed(const CacheKey& key, const std::function<Binary()>& make, For when) {
  const int64_t start = now_ns();
  struct Work {
    explicit Work(Cache& cache) : cache(cache) { cache.count_work(true); }
    ~Work() { cache.count_work(false); }
    Cache& cache;
  } work(*this);
  try {
    auto binary = std::make_shared<const Binary>(make());
    Cached made{binary, CacheHit::compiled, start, now_ns()};
    memory_.settle(key, !binary->lasting ? Cached{} : when == For::later ? made : Cached{binary});
    if (binary->lasting && !binary->code.empty()) write(key, *binary);
    return {binary, CacheHit::compiled};
  } catch (...) {
    memory_.settle(key, {});
    throw;
  }
}

void Cache::count_work(bool begins) {
  const int64_t now = now_ns();
  std::lock_guard hold(work_lock_);
  if (begins) {
    if (at_work_++ == 0) busy_since_ = now;
    return;
  }
  ++made_;
  if (--at_work_ == 0) busy_ns_ += now - busy_since_;
}

std::pair<size_t, double> Cache::compiled() {
  std::lock_guard hold(work_lock_);
  return {made_, 1e-9 * static_cast<double>(busy_ns_)};
}

std::optional<Cached> CacheMemory::take_or_claim(const CacheKey& key) {
  for (;;) {
    {
      std::lock_guard hold(lock_);
      auto found = entries_.find(key);
      if (found == entries_.end()) {
        entries_[key] = {};
        return std::nullopt;
      }
      if (found->second.made.binary) {
        order_.splice(order_.begin(), order_, found->second.place);
        return std::exchange(found->second.made, Cached{found->second.made.binary});
      }
    }
    // Another thread is at it; when it fails, its entry goes and it is our turn.
    {
      Waiting waiting;
      std::unique_lock hold(lock_);
      ready_.wait_for(hold, slice, [&] { return !is_being_made(key); });
    }
    look_at_signals();
  }
}

bool CacheMemory::claim(const CacheKey& key) {
  std::lock_guard hold(lock_);
  return entries_.try_emplace(key).second;
}

bool CacheMemory::is_being_made(const CacheKey& key) {
  auto found = entries_.find(key);
  return found != entries_.end() && !found->second.made.binary;
}

void CacheMemory::settle(const CacheKey& key, Cached made) {
  std::lock_guard hold(lock_);
  ready_.notify_all();
  if (!made.binary) {
    entries_.erase(key);
    return;
  }
  bytes_ += size_of(*made.binary);
  order_.push_front(key);
  entries_[key] = {std::move(made), order_.begin()};
  while (bytes_ > limit && order_.size() > 1) erase(entries_.find(order_.back()));
}

void CacheMemory::forget(const CacheKey& key, const std::shared_ptr<const Binary>& binary) {
  std::lock_guard hold(lock_);
  auto found = entries_.find(key);
  if (found != entries_.end() && found->second.made.binary == binary) erase(found);
}

void CacheMemory::clear() {
  std::lock_guard hold(lock_);
  while (!order_.empty()) erase(entries_.find(order_.front()));
}

void CacheMemory::after_fork(bool in_child) {
  if (in_child) std::erase_if(entries_, [](const auto& entry) { return !entry.second.made.binary; });
  lock_.unlock();
}

void CacheMemory::erase(Entries::iterator entry) {
  bytes_ -= size_of(*entry->second.made.binary);
  order_.erase(entry->second.place);
  entries_.erase(entry);
}

size_t CacheMemory::size_of(const Binary& binary) {
  size_t size = 512 + binary.code.size() + binary.log.size();  // with what the entry itself takes
  for (auto& [expression, symbol] : binary.names) size += 64 + expression.size() + symbol.size();
  for (const FileRead& file : binary.files) size += sizeof file + file.path.size();
  return size;
}

std::shared_ptr<const Binary> Cache::read(const CacheKey& key) {
  std::optional<std::string> bytes = folder_.read(key.hex());
  if (!bytes) return nullptr;
  std::shared_ptr<const Binary> binary;
  if (bytes->size() > sizeof(Header)) {
    Header header;
    std::memcpy(&header, bytes->data(), sizeof header);
    std::string_view payload = std::string_view(*bytes).substr(sizeof header);
    XXH128_hash_t hash = XXH3_128bits(payload.data(), payload.size());
    if (std::memcmp(header.magic, magic, sizeof magic) == 0 && header.key_high == key.high && header.key_low == key.low &&
        header.size == payload.size() && header.hash_high == hash.high64 && header.hash_low == hash.low64)
      binary = unpack_binary(payload);
  }
  if (!binary) {
    log(LogLevel::compiles, "the cache's entry {} is damaged or foreign; compiling again", key.hex());
    folder_.remove(key.hex());
  }
  return binary;
}

void Cache::write(const CacheKey& key, const Binary& binary) {
  if (limit_ == 0) return;
  std::string payload = pack_binary(binary);
  XXH128_hash_t hash = XXH3_128bits(payload.data(), payload.size());
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.key_high = key.high;
  header.key_low = key.low;
  header.size = payload.size();
  header.hash_high = hash.high64;
  header.hash_low = hash.low64;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += payload;
  if (!folder_.write(key.hex(), bytes)) return;
  if ((written_since_trim_ += bytes.size()) <= limit_ / 16) return;
  written_since_trim_ = 0;
  folder_.trim(limit_);
}

CacheInfo Cache::info() {
  CacheInfo info{folder_.path(), folder_.problem(limit_ > 0), 0, 0, limit_};
  if (!info.problem.empty()) return info;
  CacheFolder::Sum sum = folder_.sum();
  info.files = sum.files;
  info.bytes = sum.bytes;
  return info;
}

size_t Cache::clear() {
  forget_memory();
  return folder_.clear();
}

void Cache::forget_memory() { memory_.clear(); }

Cache& compile_cache() {
  static Cache* cache = [] {
    auto* made = new Cache;
    pthread_atfork([] { compile_cache().before_fork(); }, [] { compile_cache().after_fork(false); },
                   [] { compile_cache().after_fork(true); });
    return made;
  }();
  return *cache;
}

}  // namespace quern
