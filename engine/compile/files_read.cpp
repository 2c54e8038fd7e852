#include "compile/files_read.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace quern {

namespace {

bool read_file(const std::string& path, std::string& out) {
  int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  char buffer[16384];
  ssize_t n;
  while ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)) {
    if (n > 0) out.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  return n == 0;
}

void set_hash(FileRead& file, const std::string& content) {
  XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  file.hash_high = hash.high64;
  file.hash_low = hash.low64;
}

bool is_unchanged(const FileRead& was) {
  using Kind = FileRead::Kind;
  if (was.kind == Kind::current) return current_folder().path == was.path;
  FileRead now = look_at(was.path, nullptr);
  if (was.kind != Kind::read) return now.kind == was.kind && (was.kind != Kind::folder || now.stamp == was.stamp);
  if (now.kind != Kind::file) return false;
  if (was.stamp.known() && now.stamp == was.stamp) return true;
  std::string content;
  if (!read_file(was.path, content)) return false;
  set_hash(now, content);
  return now.hash_high == was.hash_high && now.hash_low == was.hash_low;
}

}  // namespace

FileRead look_at(std::string path, std::string* content) {
  FileRead file;
  struct stat s;
  bool there = stat(path.c_str(), &s) == 0;
  file.path = std::move(path);
  if (!there) return file;
  if (S_ISDIR(s.st_mode)) {
    file.kind = FileRead::Kind::folder;
    file.stamp.inode = s.st_ino;
  } else if (S_ISREG(s.st_mode)) {
    file.kind = FileRead::Kind::file;
    file.stamp = stamp_of(s);
    // The stamp is older than the content: a file that changes in between is read again, never believed.
    if (content && read_file(file.path, *content)) {
      file.kind = FileRead::Kind::read;
      set_hash(file, *content);
    }
  } else {
    file.kind = FileRead::Kind::other;
  }
  return file;
}

FileRead current_folder() {
  FileRead file;
  file.kind = FileRead::Kind::current;
  char path[PATH_MAX];
  if (getcwd(path, sizeof path)) file.path = path;
  return file;
}

bool are_unchanged(const std::vector<FileRead>& files) {
  for (const FileRead& file : files)
    if (!is_unchanged(file)) return false;
  return true;
}

// Of each: kind, stamp, hash, the path with its length.
constexpr size_t fixed_size = 1 + sizeof(FileStamp) + 3 * sizeof(uint64_t);

std::string pack(const std::vector<FileRead>& files) {
  std::string out;
  auto put = [&](const auto& value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const FileRead& file : files) {
    put(file.kind);
    put(file.stamp);
    put(file.hash_high);
    put(file.hash_low);
    put(static_cast<uint64_t>(file.path.size()));
    out += file.path;
  }
  return out;
}

bool unpack(std::string_view bytes, std::vector<FileRead>& files) {
  auto take = [&](auto& value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
  };
  while (!bytes.empty()) {
    if (bytes.size() < fixed_size) return false;
    FileRead file;
    uint64_t size = 0;
    take(file.kind);
    take(file.stamp);
    take(file.hash_high);
    take(file.hash_low);
    take(size);
    if (bytes.size() < size) return false;
    file.path = bytes.substr(0, size);
    bytes.remove_prefix(size);
    files.push_back(std::move(file));
  }
  return true;
}

}  // namespace quern
