// A compile request in C++: plugin.h's structs, checked and unpacked. The steps of a compilation pass these along.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compile/clang/plugin.h"

namespace quern::plugin {

// The user's text, or what it asks for, is at fault: what() goes to the log as it is.
struct CompileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the user's options ask of the front end (options.cpp reads them).
struct UserOptions {
  std::vector<std::string> definitions;  // "#define" and "#undef" lines, in order
  std::vector<std::string> includes;     // -include: read before the text
  std::vector<std::string> include_dirs;
  std::string standard = "c++17";  // NVRTC's default
  bool fast_math = false;
  bool contract = true;  // -fmad
  bool line_info = false;
  bool quiet = false;    // -w
  bool checked = false;  // --quern-check, the engine's own: the code is checked as it runs
  bool checked_nan = false;
  std::vector<std::string> warnings;
};

struct Header {
  std::string_view path, text;
};

struct Request {
  uint32_t flags = 0;
  std::string_view text;
  std::string name;
  std::string cpu, features;  // never empty: target.cpp fills in this machine's
  UserOptions options;
  std::vector<std::string> name_expressions;
  std::vector<Header> headers;
  std::string pch;
  std::string cccl;

  bool has(uint32_t flag) const { return (flags & flag) != 0; }
};

Request unpack(const quern_clang_request& request);
UserOptions read_options(const std::vector<std::string>& options);

inline constexpr const char* triple = "x86_64-unknown-linux-gnu";

}  // namespace quern::plugin
