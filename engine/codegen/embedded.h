// The prelude's headers as text inside the library, for both compilers. embedded.cpp is made by CMake from prelude/.
// The first one, quern/device.cuh, is included before every text.
#pragma once

#include <cstddef>

namespace quern {

struct EmbeddedHeader {
  const char* path;  // how an #include names it
  const char* text;
  size_t size;
};

extern const EmbeddedHeader embedded_headers[];
extern const size_t embedded_header_count;
extern const char* const embedded_version;  // changes with any header's text: part of cache keys

}  // namespace quern
