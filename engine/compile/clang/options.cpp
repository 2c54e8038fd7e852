// Reads the user's compiler options: those of NVRTC and nvcc that mean something on a CPU. The rest are known and ignored
// (tables below), or unknown and warned about.
#include <algorithm>
#include <array>

#include "compile/clang/request.h"

namespace quern::plugin {
namespace {

// Options that say something about a GPU or about nvcc's own steps; ignored with what follows them.
constexpr std::array ignored_with_argument = {
    "-arch",   "--gpu-architecture", "-gencode", "--generate-code", "-code",           "--gpu-code",        "-Xptxas",
    "-Xcompiler", "--compiler-options", "--ptxas-options", "-maxrregcount", "--maxrregcount", "-Xcudafe",  "-Xlinker",
    "-ccbin",  "--compiler-bindir",  "-diag-suppress", "--diag-suppress", "-x",        "-jump-table-density",
    "-split-compile", "--split-compile", "-opt-info", "--opt-info", "-optf", "--options-file", "-time", "--time",
};
constexpr std::array ignored_exact = {
    "-rdc", "-dc", "-c", "-cubin", "--cubin", "-ptx", "--ptx", "-dlto", "--dlink-time-opt", "-keep", "--keep", "-m64", "--machine=64",
    "-default-device", "--device-as-default-execution-space", "--extensible-whole-program", "-ewp", "--expt-relaxed-constexpr",
    "-expt-relaxed-constexpr", "--expt-extended-lambda", "-expt-extended-lambda", "--extended-lambda", "-extended-lambda", "-O0",
    "-O1", "-O2", "-O3", "-O", "-Os", "--no-source-include", "-no-source-include", "--builtin-initializer-list=true",
    "--builtin-move-forward=true", "-restrict", "--restrict", "--dopt", "-dopt", "-dopt=on", "--verbose",
    "-v", "--resource-usage", "-res-usage", "--display-error-number", "-err-no", "--no-display-error-number",
    "--minimal", "-minimal", "-pic", "-fPIC", "--relocatable-device-code=true", "--relocatable-device-code=false",
    "-rdc=true", "-rdc=false", "-lto",
};
// Options that always carry their value behind '='; ignored by prefix.
constexpr std::array ignored_prefix = {
    "-arch=", "--gpu-architecture=", "-gencode=", "--generate-code=", "-code=", "--gpu-code=", "-Xptxas=", "--ptxas-options=",
    "-Xcompiler=", "--compiler-options=", "-maxrregcount=", "--maxrregcount=", "-ftz=", "--ftz=", "-prec-div=", "--prec-div=",
    "-prec-sqrt=", "--prec-sqrt=", "-ccbin=", "--compiler-bindir=", "-diag-", "--diag-", "-Werror", "-Wno-", "-W",
    "-opt-info=", "--opt-info=", "-split-compile=", "--split-compile=", "-jump-table-density=", "--time=",
    "-time=", "--fdevice-", "-fdevice-", "--device-int128", "-device-int128", "--modify-stack-limit",
    "--pch", "--create-pch", "--use-pch", "--optimization-level", "--threads", "-t=",
};

bool starts_with(const std::string& text, std::string_view prefix) { return text.compare(0, prefix.size(), prefix) == 0; }

template <class Table>
bool contains(const Table& table, const std::string& text) {
  return std::find(table.begin(), table.end(), text) != table.end();
}

// "NAME=VALUE" as #define does it; a name alone is 1, as on every command line.
std::string definition(const std::string& text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos) return "#define " + text + " 1";
  return "#define " + text.substr(0, equals) + " " + text.substr(equals + 1);
}

bool truth(const std::string& value) { return value == "true" || value == "1" || value == "on"; }

std::string standard(const std::string& value, UserOptions& out) {
  for (const char* known : {"c++11", "c++14", "c++17", "c++20"}) {
    if (value == known) return value;
  }
  if (value == "c++03") return "c++11";  // NVRTC's oldest; a subset that the prelude cannot be read in
  if (value == "c++23" || value == "c++2b") return "c++23";
  out.warnings.push_back("[compile] -std=" + value + " is not known; using " + out.standard);
  return out.standard;
}

}  // namespace

UserOptions read_options(const std::vector<std::string>& options) {
  UserOptions out;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    // The value of an option written as "-Xvalue", "-X value", "--long=value" or "--long value".
    auto value_of = [&](std::string_view short_name, std::string_view long_name, std::string& value) {
      if (!short_name.empty() && starts_with(option, short_name) && !starts_with(option, "--")) {
        value = option.substr(short_name.size());
        if (value.empty() && i + 1 < options.size()) value = options[++i];
        return true;
      }
      if (option == long_name && i + 1 < options.size()) {
        value = options[++i];
        return true;
      }
      if (starts_with(option, std::string(long_name) + "=")) {
        value = option.substr(long_name.size() + 1);
        return true;
      }
      return false;
    };
    std::string value;
    if (option.empty()) continue;
    if (value_of("-std=", "--std", value)) {
      out.standard = standard(value, out);
    } else if (option == "-dw" || option == "-w" || option == "--disable-warnings") {
      out.quiet = true;
    } else if (value_of("-D", "--define-macro", value)) {
      out.definitions.push_back(definition(value));
    } else if (value_of("-U", "--undefine-macro", value)) {
      out.definitions.push_back("#undef " + value);
    } else if (value_of("-I", "--include-path", value)) {
      out.include_dirs.push_back(value);
    } else if (option == "-use_fast_math" || option == "--use_fast_math" || option == "-ffast-math" ||
               option == "--use_fast_math=true") {
      out.fast_math = true;
    } else if (value_of("-fmad=", "--fmad", value)) {
      out.contract = truth(value);
    } else if (option == "-lineinfo" || option == "--generate-line-info" || option == "-G" || option == "--device-debug" ||
               option == "-g") {
      out.line_info = true;
    } else if (contains(ignored_with_argument, option)) {
      ++i;
    } else if (contains(ignored_exact, option) ||
               std::any_of(ignored_prefix.begin(), ignored_prefix.end(), [&](const char* p) { return starts_with(option, p); })) {
      continue;
    } else {
      out.warnings.push_back("[compile] option " + option + " is not known and was ignored");
    }
  }
  return out;
}

Request unpack(const quern_clang_request& in) {
  if (in.abi != QUERN_CLANG_ABI) {
    throw CompileError("[compile] the CPU compiler speaks ABI " + std::to_string(QUERN_CLANG_ABI) + " and was asked in ABI " +
                       std::to_string(in.abi) + "; reinstall quern so that both parts are of one version");
  }
  auto text = [](const char* s) { return std::string(s ? s : ""); };
  Request out;
  out.flags = in.flags;
  out.text = std::string_view(in.text ? in.text : "", in.text ? in.text_size : 0);
  out.name = text(in.name);
  if (out.name.empty()) out.name = "kernel.cu";
  out.cpu = text(in.cpu);
  out.features = text(in.features);
  std::vector<std::string> options(in.options, in.options + in.option_count);
  out.options = read_options(options);
  if (out.has(QUERN_CLANG_EXACT)) out.options.contract = false;
  out.name_expressions.assign(in.name_expressions, in.name_expressions + in.name_expression_count);
  for (size_t i = 0; i < in.header_count; ++i) {
    out.headers.push_back({in.headers[i].path, {in.headers[i].text, in.headers[i].text_size}});
  }
  out.pch = text(in.pch);
  return out;
}

}  // namespace quern::plugin
