#include "compile/nvrtc_shortcuts.h"
#include "core/format.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace quern {

using namespace std::string_view_literals;

namespace {

constexpr std::string_view writes = "--create-pch=";
constexpr std::string_view space = " \t\r\n\f\v";

// The text's first line, with those that a backslash joins to it; without the line's end.
std::string_view first_line(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && (text[end] != '\n' || (end > 0 && text[end - 1] == '\\'))) ++end;
  return text.substr(0, end);
}

// What comes after white space and comments.
size_t past_comments(std::string_view text, size_t at) {
  for (;;) {
    at = std::min(text.find_first_not_of(space, at), text.size());
    std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      at += first_line(rest).size();
    } else if (rest.starts_with("/*")) {
      size_t end = text.find("*/", at + 2);
      at = end == text.npos ? text.size() : end + 2;
    } else {
      return at;
    }
  }
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Headers whose parsing takes longer than all else.
bool is_heavy(std::string_view head) {
  return has(head, "cub/") || has(head, "cuda/") || has(head, "thrust/") || has(head, "quern/sort.cuh") ||
         has(head, "quern/select.cuh");
}

// NVRTC maps what it writes: where a folder is full or a quota is reached, it ends the process with SIGBUS.
bool has_room(const std::string& folder) {
  constexpr off_t room = off_t{256} << 20;
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  struct statfs status;
  bool in_memory = fstatfs(fd, &status) == 0 && status.f_type == TMPFS_MAGIC;  // where room that is asked for is memory
  bool has = in_memory ? status.f_bavail * static_cast<uint64_t>(status.f_bsize) >= room : fallocate(fd, 0, 0, room) == 0;
  close(fd);
  return has;
}

// Of this process alone, for one file; "": there is none to be had.
std::string new_folder() {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error);
  if (error || !has_room(folder)) return "";
  folder += "/quern-XXXXXX";
  return mkdtemp(folder.data()) ? folder : "";
}

}  // namespace

bool is_minimal(std::string_view text, const std::vector<std::string>& words) {
  constexpr std::string_view nvcc = "nvcc_includes.h";  // references of textures are among what it declares
  for (const std::string& word : words)
    if (has(word, nvcc)) return false;
  for (std::string_view part :
       {nvcc, "cuda"sv, "cub/"sv, "tex"sv, "surf"sv, "<<<"sv, "thrust/"sv, "quern/sort.cuh"sv, "quern/select.cuh"sv}) {
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
      size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
      if (!text.substr(line).starts_with("#line")) return false;
    }
  }
  return true;
}

std::string_view head_of(std::string_view text) {
  size_t end = 0;
  for (size_t at = past_comments(text, 0); at < text.size() && text[at] == '#'; at = past_comments(text, at)) {
    at += first_line(text.substr(at)).size();
    end = at;
  }
  return text.substr(0, end);
}

std::string Heads::option(std::string_view text, const std::vector<std::string>& words) {
  std::string_view head = head_of(text);
  if (!has(head, "#include")) return "";
  std::string key(head);
  for (const std::string& word : words) key.append("\n").append(word);
  std::lock_guard lock(mutex_);
  Head& known = heads_[key];
  const uint32_t enough = is_heavy(head) ? 2 : 3;
  if (known.seen == enough) return known.option;  // "" while it is written, and where that failed
  if (free_ == 0 || ++known.seen < enough) return "";
  --free_;
  std::string folder = new_folder();
  if (folder.empty()) {
    free_ = 0;
    return "";
  }
  std::string option = std::string(writes).append(folder).append("/head.pch");
  writing_.emplace(option, std::move(key));
  return option;
}

void Heads::compiled(const std::string& option) {
  if (!option.starts_with(writes)) return;
  std::string file = option.substr(writes.size());
  int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  unlink(file.c_str());
  rmdir(file.substr(0, file.rfind('/')).c_str());
  std::lock_guard lock(mutex_);
  auto found = writing_.find(option);
  if (fd >= 0) heads_[found->second].option = formatted("--use-pch=/proc/self/fd/{}", fd);
  writing_.erase(found);
}

}  // namespace quern
