#include "compile/cache_folder.h"

#include "core/log.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

namespace quern {

namespace {

// Raise the number when entries are laid out in another way: the folders of two versions do not know each other.
constexpr const char* own_name = "quern-cache-1";
constexpr const char* marker = "marker.txt";
constexpr std::string_view marker_text =
    "quern keeps compiled kernels in this folder. It may be removed as a whole; `quern cache clear` removes its entries.\n";

bool is_hex(std::string_view s) { return s.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

bool is_part(std::string_view name) { return name.size() == 2 && is_hex(name); }

bool is_entry(std::string_view name, std::string_view part) {
  return name.size() == 32 && is_hex(name) && name.substr(0, 2) == part;
}

// "<32 hex>.<pid>.<n>.tmp"
bool is_temporary(std::string_view name, std::string_view part) {
  if (!is_entry(name.substr(0, 32), part)) return false;
  name.remove_prefix(32);
  for (int i = 0; i < 2; ++i) {
    if (name.empty() || name[0] != '.') return false;
    size_t end = std::min(name.find_first_not_of("0123456789", 1), name.size());
    if (end == 1) return false;
    name.remove_prefix(end);
  }
  return name == ".tmp";
}

// Ours, and nobody else's to write.
bool is_private(const struct stat& s) { return s.st_uid == geteuid() && !(s.st_mode & 022); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Calls visit() with each name in the folder until it returns false.
template <class Visit>
void each_name(const Descriptor& folder, Visit visit) {
  Descriptor own(openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));  // a place to read from, not shared with others
  if (!own) return;
  std::unique_ptr<DIR, int (*)(DIR*)> names(fdopendir(own.get()), closedir);
  if (!names) return;
  own.release();
  while (dirent* entry = readdir(names.get())) {
    std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !visit(std::string(name))) return;
  }
}

bool has_marker(const Descriptor& folder) {
  struct stat s;
  return fstatat(folder.get(), marker, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode) && is_private(s);
}

// A folder without a marker becomes ours when it is empty: made by us just now, or by one of us that was killed.
std::string mark(const Descriptor& folder) {
  if (has_marker(folder)) return "";
  bool empty = true;
  each_name(folder, [&](const std::string&) { return empty = false; });
  if (!empty) return has_marker(folder) ? "" : "holds files that are not the cache's";  // another process may have come first
  Descriptor file(openat(folder.get(), marker, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return has_marker(folder) ? "" : std::string("cannot be written: ") + std::strerror(errno);
  write_all(file.get(), marker_text);  // the name is what counts
  return "";
}

}  // namespace

struct CacheFolder::File {
  const Descriptor& folder;  // that it lies in
  std::string part, name;
  size_t size;
  timespec used;
  bool temporary;

  bool remove() const { return unlinkat(folder.get(), name.c_str(), 0) == 0; }
};

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

CacheFolder::CacheFolder(const std::string& given) {
  if (given.empty()) return;
  std::error_code error;
  given_ = std::filesystem::absolute(given, error).lexically_normal();  // the process may go to another folder
  if (given_.size() > 1 && given_.back() == '/') given_.pop_back();
  // The number in the name: who becomes another user (sudo) or shares the given folder has a cache, too.
  path_ = formatted("{}/{}-{}", given_, own_name, geteuid());
}

std::string CacheFolder::problem(bool make) {
  std::string problem;
  open(make, &problem);
  return problem;
}

Descriptor CacheFolder::open(bool make, std::string* problem) {
  auto refuse = [&](const std::string& why) {
    if (problem)
      *problem = why;
    else
      tell(why);
    return Descriptor();
  };
  if (path_.empty()) return make ? refuse("there is no home folder") : Descriptor();
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor folder(::open(path_.c_str(), flags));
  if (!folder && errno == ENOENT) {
    if (!make) return folder;
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(given_).parent_path(), error);
    mkdir(given_.c_str(), 0700);
    if (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) return refuse(path_ + " cannot be made: " + std::strerror(errno));
    folder = Descriptor(::open(path_.c_str(), flags));
  }
  if (!folder) {
    if (errno != ENOTDIR && errno != ELOOP) return refuse(path_ + " cannot be opened: " + std::strerror(errno));
    struct stat s;
    bool link = lstat(path_.c_str(), &s) == 0 && S_ISLNK(s.st_mode);
    return refuse(path_ + (link ? " is a link" : " is not a folder"));
  }
  struct stat s;
  if (fstat(folder.get(), &s) != 0) return refuse(path_ + " cannot be opened: " + std::strerror(errno));
  if (s.st_uid != geteuid()) return refuse(path_ + " belongs to another user");
  if (!is_private(s)) return refuse(path_ + " may be written by others");
  std::string why = mark(folder);
  if (!why.empty()) return refuse(path_ + " " + why);
  seen_ = true;
  return folder;
}

void CacheFolder::tell(const std::string& problem) {
  if (told_.exchange(true)) return;
  log_text(formatted("compiled code is not kept on disk: {}; set QUERN_CACHE_DIR to a folder of yours", problem));
}

Descriptor CacheFolder::open_part(const Descriptor& folder, const std::string& part, bool make) {
  if (make && mkdirat(folder.get(), part.c_str(), 0700) != 0 && errno != EEXIST) {
    log(LogLevel::compiles, "cannot keep compiled code in {}/{}: {}", path_, part, std::strerror(errno));
    return Descriptor();
  }
  Descriptor opened(openat(folder.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat s;
  if (opened && (fstat(opened.get(), &s) != 0 || !is_private(s))) return Descriptor();
  return opened;
}

std::optional<std::string> CacheFolder::read(const std::string& name) {
  // A process checks the folder once before it reads: each file is checked anyway, and its content carries its own proof.
  if (!seen_ && !open(false)) return std::nullopt;
  std::string path = formatted("{}/{}/{}", path_, name.substr(0, 2), name);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat s;
  if (!file || fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode) || !is_private(s)) return std::nullopt;
  std::string bytes(static_cast<size_t>(s.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    done += static_cast<size_t>(n);
  }
  // What was used last stays longest; once a day is exact enough.
  if (time(nullptr) - s.st_mtime > 86400) futimens(file.get(), nullptr);
  return bytes;
}

// Written beside its place and renamed into it: a reader sees all of an entry or none, also when the writer is killed.
bool CacheFolder::write(const std::string& name, std::string_view bytes) {
  static std::atomic<unsigned> counter{0};
  Descriptor folder = open(true);
  if (!folder) return false;
  Descriptor part = open_part(folder, name.substr(0, 2), true);
  if (!part) return false;
  std::string temporary = formatted("{}.{}.{}.tmp", name, getpid(), counter++);
  Descriptor file(openat(part.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  bool good = file && write_all(file.get(), bytes);
  if (file) good = close(file.release()) == 0 && good;
  good = good && renameat(part.get(), temporary.c_str(), part.get(), name.c_str()) == 0;
  if (good) return true;
  log(LogLevel::compiles, "cannot keep compiled code in {}: {}", path_, std::strerror(errno));
  unlinkat(part.get(), temporary.c_str(), 0);
  return false;
}

void CacheFolder::remove(const std::string& name) {
  Descriptor folder = open(false);
  if (!folder) return;
  Descriptor part = open_part(folder, name.substr(0, 2), false);
  struct stat s;
  if (part && fstatat(part.get(), name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode))
    unlinkat(part.get(), name.c_str(), 0);
}

void CacheFolder::each_file(const std::function<void(const File&)>& visit) {
  Descriptor folder = open(false);
  if (!folder) return;
  std::vector<std::string> parts;
  each_name(folder, [&](const std::string& name) {
    if (is_part(name)) parts.push_back(name);
    return true;
  });
  for (const std::string& part : parts) {
    Descriptor opened = open_part(folder, part, false);
    if (!opened) continue;
    each_name(opened, [&](const std::string& name) {
      bool temporary = is_temporary(name, part);
      struct stat s;
      if ((temporary || is_entry(name, part)) && fstatat(opened.get(), name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISREG(s.st_mode))
        visit({opened, part, name, static_cast<size_t>(s.st_size), s.st_mtim, temporary});
      return true;
    });
  }
}

CacheFolder::Sum CacheFolder::sum() {
  Sum sum;
  each_file([&](const File& file) {
    sum.files += !file.temporary;
    sum.bytes += file.size;
  });
  return sum;
}

size_t CacheFolder::clear() {
  size_t removed = 0;
  each_file([&](const File& file) { removed += file.remove(); });
  if (Descriptor folder = open(false)) {
    each_name(folder, [&](const std::string& name) {
      if (is_part(name)) unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR);  // what is not empty stays
      return true;
    });
  }
  return removed;
}

void CacheFolder::trim(size_t limit) {
  struct Entry {
    std::string name;
    size_t size;
    timespec used;
  };
  std::vector<Entry> entries;
  size_t total = 0;
  each_file([&](const File& file) {
    if (file.temporary) {
      if (time(nullptr) - file.used.tv_sec > 3600) file.remove();
      return;
    }
    total += file.size;
    entries.push_back({file.name, file.size, file.used});
  });
  if (total <= limit) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (const Entry& entry : entries) {
    if (total <= limit / 10 * 9) break;
    remove(entry.name);
    total -= entry.size;
  }
}

}  // namespace quern
