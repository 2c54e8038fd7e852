#include "compile/cache.h"

#include "compile/cccl.h"
#include "core/error.h"
#include "core/log.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
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

std::shared_ptr<const Binary> unpack(const std::string& bytes) {
  size_t at = 0;
  bool good = true;
  auto take = [&]() -> std::string {
    uint64_t n = 0;
    if (bytes.size() - at < sizeof n) return good = false, std::string();
    std::memcpy(&n, bytes.data() + at, sizeof n);
    at += sizeof n;
    if (bytes.size() - at < n) return good = false, std::string();
    std::string piece = bytes.substr(at, n);
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

// ---- where the files lie

std::string wished_directory() {
  if (const char* dir = std::getenv("QUERN_CACHE_DIR")) return dir;
  if (const char* dir = std::getenv("XDG_CACHE_HOME"); dir && *dir) return std::string(dir) + "/quern";
  if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/quern";
  return "";
}

// The folder must be ours and nobody else's to write.
std::string make_private_directory(const std::string& directory) {
  if (directory.empty()) return "no home folder; set QUERN_CACHE_DIR";
  std::error_code error;
  fs::create_directories(fs::path(directory).parent_path(), error);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return directory + ": " + std::strerror(errno);
  struct stat s;
  if (stat(directory.c_str(), &s) != 0 || !S_ISDIR(s.st_mode)) return directory + " is not a folder";
  if (s.st_uid != geteuid()) return directory + " belongs to another user";
  if ((s.st_mode & 022) && chmod(directory.c_str(), 0700) != 0) return directory + " may be written by others";
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

Cache::Cache() : limit_(limit_from_environment()) {
  directory_ = wished_directory();
  problem_ = make_private_directory(directory_);
  if (!problem_.empty()) log(LogLevel::compiles, "compiled code is not kept on disk: {}", problem_);
}

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

std::string Cache::path_of(const CacheKey& key) const {
  std::string hex = key.hex();
  return directory_ + "/" + hex.substr(0, 2) + "/" + hex;
}

std::shared_ptr<const Binary> Cache::read(const CacheKey& key) {
  if (!problem_.empty()) return nullptr;
  std::string path = path_of(key);
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return nullptr;
  struct stat s;
  std::string bytes;
  bool good = fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & 022) &&
              s.st_size > static_cast<off_t>(sizeof(Header));
  if (good) {
    bytes.resize(static_cast<size_t>(s.st_size));
    size_t done = 0;
    while (done < bytes.size()) {
      ssize_t n = ::read(fd, bytes.data() + done, bytes.size() - done);
      if (n <= 0) break;
      done += static_cast<size_t>(n);
    }
    good = done == bytes.size();
  }
  close(fd);
  std::shared_ptr<const Binary> binary;
  if (good) {
    Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::string payload = bytes.substr(sizeof header);
    XXH128_hash_t hash = XXH3_128bits(payload.data(), payload.size());
    if (std::memcmp(header.magic, magic, sizeof magic) == 0 && header.key_high == key.high && header.key_low == key.low &&
        header.size == payload.size() && header.hash_high == hash.high64 && header.hash_low == hash.low64)
      binary = unpack(payload);
  }
  if (!binary) {
    log(LogLevel::compiles, "cache entry {} is damaged or foreign; compiling again", path);
    unlink(path.c_str());
    return nullptr;
  }
  // What was used last stays longest; once a day is exact enough.
  if (time(nullptr) - s.st_mtime > 86400) utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return binary;
}

// Written beside its place and renamed into it: a reader sees all of an entry or none, also when the writer is killed.
void Cache::write(const CacheKey& key, const Binary& binary) {
  if (!problem_.empty() || limit_ == 0) return;
  static std::atomic<unsigned> counter{0};
  std::string payload = pack(binary);
  XXH128_hash_t hash = XXH3_128bits(payload.data(), payload.size());
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.key_high = key.high;
  header.key_low = key.low;
  header.size = payload.size();
  header.hash_high = hash.high64;
  header.hash_low = hash.low64;
  std::string path = path_of(key);
  std::string folder = path.substr(0, path.rfind('/'));
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    log(LogLevel::compiles, "cannot keep compiled code in {}: {}", folder, std::strerror(errno));
    return;
  }
  std::string temporary = fmt::format("{}.{}.{}.tmp", path, getpid(), counter++);
  int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    log(LogLevel::compiles, "cannot keep compiled code in {}: {}", temporary, std::strerror(errno));
    return;
  }
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += payload;
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  bool good = done == bytes.size();
  good = close(fd) == 0 && good;
  if (!good || rename(temporary.c_str(), path.c_str()) != 0) {
    log(LogLevel::compiles, "cannot keep compiled code in {}: {}", path, std::strerror(errno));
    unlink(temporary.c_str());
    return;
  }
  bool full;
  {
    std::lock_guard hold(lock_);
    written_since_trim_ += bytes.size();
    full = written_since_trim_ > limit_ / 16;
    if (full) written_since_trim_ = 0;
  }
  if (full) trim();
}

// Removes the entries used longest ago until nine tenths of the limit are left, and what killed writers left behind.
void Cache::trim() {
  struct File {
    fs::path path;
    size_t size;
    fs::file_time_type time;
  };
  std::vector<File> files;
  size_t total = 0;
  std::error_code error;
  auto now = fs::file_time_type::clock::now();
  for (auto it = fs::recursive_directory_iterator(directory_, error); !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    std::error_code ignored;
    if (!it->is_regular_file(ignored)) continue;
    File f{it->path(), it->file_size(ignored), it->last_write_time(ignored)};
    if (f.path.extension() == ".tmp") {
      if (now - f.time > std::chrono::hours(1)) fs::remove(f.path, ignored);
      continue;
    }
    total += f.size;
    files.push_back(std::move(f));
  }
  if (total <= limit_) return;
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.time < b.time; });
  for (const File& f : files) {
    if (total <= limit_ / 10 * 9) break;
    std::error_code ignored;
    if (fs::remove(f.path, ignored)) total -= f.size;
  }
}

CacheInfo Cache::info() {
  CacheInfo info{directory_, problem_, 0, 0, limit_};
  std::error_code error;
  if (!problem_.empty()) return info;
  for (auto it = fs::recursive_directory_iterator(directory_, error); !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    std::error_code ignored;
    if (!it->is_regular_file(ignored)) continue;
    ++info.files;
    info.bytes += it->file_size(ignored);
  }
  return info;
}

// Only folders and files named as ours are: a wrong QUERN_CACHE_DIR must not cost anybody their files.
size_t Cache::clear() {
  forget_memory();
  size_t removed = 0;
  std::error_code error;
  auto is_hex = [](const std::string& s) { return s.find_first_not_of("0123456789abcdef") == std::string::npos; };
  for (auto& folder : fs::directory_iterator(directory_, error)) {
    std::string name = folder.path().filename();
    if (name.size() != 2 || !is_hex(name)) continue;
    std::error_code ignored;
    for (auto& file : fs::directory_iterator(folder.path(), ignored)) {
      std::string stem = file.path().filename().string().substr(0, 32);
      if (stem.size() == 32 && is_hex(stem) && fs::remove(file.path(), ignored)) ++removed;
    }
    fs::remove(folder.path(), ignored);
  }
  return removed;
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
