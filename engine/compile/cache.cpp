#include "compile/cache.h"

#include "compile/cccl.h"
#include "core/error.h"
#include "core/log.h"

#define XXH_INLINE_ALL
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace quern {

namespace fs = std::filesystem;

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

std::string pack(const Binary& binary) {
  std::string out;
  put(out, binary.code.data(), binary.code.size());
  put(out, binary.log.data(), binary.log.size());
  for (auto& [expression, symbol] : binary.names) {
    put(out, expression.data(), expression.size());
    put(out, symbol.data(), symbol.size());
  }
  return out;
}

std::shared_ptr<const Binary> unpack(std::string_view bytes) {
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

// Headers that a text may include from the user's folders decide its code too.
void add_include_folders(Hasher& hasher, const std::vector<std::string>& flags) {
  for (size_t i = 0; i < flags.size(); ++i) {
    const std::string& f = flags[i];
    std::string dir;
    if (f == "-I" || f == "--include-path")
      dir = i + 1 < flags.size() ? flags[i + 1] : "";
    else if (f.rfind("-I", 0) == 0)
      dir = f.substr(2);
    else if (f.rfind("--include-path=", 0) == 0)
      dir = f.substr(15);
    if (dir.empty()) continue;
    std::error_code error;
    int files = 0;
    for (auto it = fs::recursive_directory_iterator(dir, fs::directory_options::skip_permission_denied, error);
         !error && it != fs::recursive_directory_iterator() && ++files < 10000; it.increment(error)) {
      struct stat s;
      if (stat(it->path().c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
      hasher.add(it->path().string());
      hasher.add(&s.st_size, sizeof s.st_size);
      hasher.add(&s.st_mtim, sizeof s.st_mtim);
    }
  }
}

}  // namespace

std::string CacheKey::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

CacheKey cache_key(const Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target) {
  Hasher hasher;
  hasher.add(source.text);
  hasher.add(source.name);
  for (auto& f : options.flags) hasher.add(f);
  hasher.add("names");
  for (auto& n : options.name_expressions) hasher.add(n);
  hasher.add(options.exact_arithmetic ? "exact" : "free");
  hasher.add(target.kind == DeviceKind::cpu ? "cpu" : "cuda");
  hasher.add(target.arch);
  hasher.add(compiler.id());
  if (options.with_cub) hasher.add(cccl_version());
  if (options.relocatable) hasher.add("relocatable");
  add_include_folders(hasher, options.flags);
  return hasher.key();
}

CacheKey cache_key(const CacheKey& of, const std::vector<std::string_view>& parts) {
  Hasher hasher;
  hasher.add(of.hex());
  for (std::string_view part : parts) hasher.add(part);
  return hasher.key();
}

Cache::Cache() : folder_(given_directory()), limit_(limit_from_environment()) {}

Cached Cache::get(Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target) {
  return get(cache_key(compiler, source, options, target), [&] { return compiler.compile(source, options, target); });
}

Cached Cache::get(const CacheKey& key, const std::function<Binary()>& make) {
  {
    std::unique_lock hold(lock_);
    for (;;) {
      auto found = memory_.find(key);
      if (found == memory_.end()) break;
      if (found->second.binary) return {found->second.binary, CacheHit::memory};
      ready_.wait(hold);  // another thread is at it; when it fails, its entry goes and it is our turn
    }
    memory_[key] = {};
  }
  auto settle = [&](std::shared_ptr<const Binary> binary) {
    std::lock_guard hold(lock_);
    if (binary)
      memory_[key].binary = std::move(binary);
    else
      memory_.erase(key);
    ready_.notify_all();
  };
  try {
    if (auto binary = read(key)) {
      settle(binary);
      return {binary, CacheHit::disk};
    }
    auto binary = std::make_shared<const Binary>(make());
    settle(binary);
    if (!binary->code.empty()) write(key, *binary);
    return {binary, CacheHit::compiled};
  } catch (...) {
    settle(nullptr);
    throw;
  }
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
      binary = unpack(payload);
  }
  if (!binary) {
    log(LogLevel::compiles, "the cache's entry {} is damaged or foreign; compiling again", key.hex());
    folder_.remove(key.hex());
  }
  return binary;
}

void Cache::write(const CacheKey& key, const Binary& binary) {
  if (limit_ == 0) return;
  std::string payload = pack(binary);
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
  bool full;
  {
    std::lock_guard hold(lock_);
    written_since_trim_ += bytes.size();
    full = written_since_trim_ > limit_ / 16;
    if (full) written_since_trim_ = 0;
  }
  if (full) folder_.trim(limit_);
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

void Cache::forget_memory() {
  std::lock_guard hold(lock_);
  std::erase_if(memory_, [](auto& entry) { return entry.second.binary != nullptr; });
}

Cache& compile_cache() {
  static Cache* cache = new Cache;
  return *cache;
}

}  // namespace quern
