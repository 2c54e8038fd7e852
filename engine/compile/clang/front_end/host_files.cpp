#include "compile/clang/front_end/host_files.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/xxhash.h>

namespace quern::plugin {
namespace {

// Sees the content when clang does.
class RecordedFile : public llvm::vfs::File {
 public:
  RecordedFile(std::unique_ptr<llvm::vfs::File> file, HostFiles& record, HostFile& entry)
      : file_(std::move(file)), record_(record), entry_(entry) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t size, bool terminated,
                                                               bool is_volatile) override {
    auto buffer = file_->getBuffer(name, size, terminated, is_volatile);
    if (!buffer) return buffer;
    llvm::StringRef text = (*buffer)->getBuffer();
    llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
    if (entry_.kind == QUERN_CLANG_READ && (entry_.hash[0] != hash.high64 || entry_.hash[1] != hash.low64))
      record_.steady = false;
    entry_.kind = QUERN_CLANG_READ;
    entry_.hash[0] = hash.high64;
    entry_.hash[1] = hash.low64;
    return buffer;
  }

 private:
  std::unique_ptr<llvm::vfs::File> file_;
  HostFiles& record_;
  HostFile& entry_;
};

class Recorder : public llvm::vfs::ProxyFileSystem {
 public:
  explicit Recorder(HostFiles& record) : ProxyFileSystem(llvm::vfs::getRealFileSystem()), record_(record) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    look_at(path);
    return ProxyFileSystem::status(path);
  }

  bool exists(const llvm::Twine& path) override {
    look_at(path);
    return ProxyFileSystem::exists(path);
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    HostFile& entry = look_at(path);
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file) return file;
    return std::make_unique<RecordedFile>(std::move(*file), record_, entry);
  }

 private:
  // Before clang gets the file: if it changes in between, its stamp is no longer true and its content is compared.
  HostFile& look_at(const llvm::Twine& path) {
    llvm::SmallString<256> absolute;
    path.toVector(absolute);
    if (!llvm::sys::path::is_absolute(absolute)) {
      llvm::sys::fs::make_absolute(absolute);
      llvm::SmallString<256> current;
      llvm::sys::fs::current_path(current);
      record_.relative_to = current.str().str();
    }
    HostFile now;
    struct stat s;
    if (stat(absolute.c_str(), &s) != 0) {
      now.kind = QUERN_CLANG_ABSENT;
    } else if (S_ISDIR(s.st_mode)) {
      now.kind = QUERN_CLANG_FOLDER;
      now.stamp.inode = s.st_ino;
    } else {
      now.kind = S_ISREG(s.st_mode) ? QUERN_CLANG_FILE : QUERN_CLANG_OTHER;
      now.stamp = stamp_of(s);
    }
    auto [place, fresh] = record_.seen.try_emplace(absolute.str().str(), now);
    HostFile& entry = place->second;
    uint32_t was = entry.kind == QUERN_CLANG_READ ? uint32_t{QUERN_CLANG_FILE} : entry.kind;
    if (!fresh && was != now.kind) record_.steady = false;
    return entry;
  }

  HostFiles& record_;
};

class Folder : public llvm::vfs::ProxyFileSystem {
 public:
  explicit Folder(std::string path) : ProxyFileSystem(llvm::vfs::getRealFileSystem()), path_(std::move(path)) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    if (!has(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::status(path);
  }

  bool exists(const llvm::Twine& path) override { return has(path) && ProxyFileSystem::exists(path); }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    if (!has(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::openFileForRead(path);
  }

 private:
  bool has(const llvm::Twine& path) const {
    llvm::SmallString<256> plain;
    path.toVector(plain);
    llvm::sys::path::remove_dots(plain, /*remove_dot_dot=*/true);
    llvm::StringRef rest = plain;
    return !path_.empty() && rest.consume_front(path_) && (rest.empty() || rest.front() == '/');
  }

  std::string path_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> host_files(HostFiles& record) {
  return llvm::makeIntrusiveRefCnt<Recorder>(record);
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_below(const std::string& folder) {
  llvm::SmallString<256> plain(folder);
  llvm::sys::path::remove_dots(plain, /*remove_dot_dot=*/true);
  return llvm::makeIntrusiveRefCnt<Folder>(plain.str().str());
}

}  // namespace quern::plugin
