// What a compile saw of the host's files. Code is used again only where the compiler would see the same once more.
//
// Everything that was looked for is listed, also in vain: a header that appears in a folder that is searched earlier changes what
// an #include means, and __has_include asks for nothing else.
#pragma once

#include "compile/file_stamp.h"

#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct FileRead {
  enum class Kind : uint8_t {
    absent,
    folder,
    file,    // that it was there is all that counts
    read,    // its content counts
    other,   // a device, a pipe
    current  // the folder that relative paths began at
  };
  std::string path;  // absolute
  Kind kind = Kind::absent;
  FileStamp stamp;  // of a file that was read; of a folder the inode alone
  uint64_t hash_high = 0, hash_low = 0;
};

// The path as it is now; `content` is filled where it is a file, which then counts as read.
FileRead look_at(std::string path, std::string* content);
FileRead current_folder();

bool are_unchanged(const std::vector<FileRead>& files);

std::string pack(const std::vector<FileRead>& files);
bool unpack(std::string_view bytes, std::vector<FileRead>& files);

}  // namespace quern
