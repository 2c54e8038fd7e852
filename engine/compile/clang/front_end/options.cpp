// Reads the user's compiler options: those of NVRTC and nvcc that mean something on a CPU. The rest are known and ignored
// (tables below), or unknown and warned about.
#include <algorithm>
#include <iterator>

#include "compile/clang/request.h"

namespace quern::plugin {
namespace {

// Options about a GPU, or about nvcc's own steps. Ignored:
// with the word that follows them,
constexpr std::string_view ignored_with_argument[] = {
    "-arch",
    "--gpu-architecture",
    "-code",
    "--gpu-code",
    "-gencode",
    "--generate-code",
    "-maxrregcount",
    "--maxrregcount",
    "-Xptxas",
    "--ptxas-options",
    "-Xcompiler",
    "--compiler-options",
    "-Xlinker",
    "--linker-options",
    "-Xcudafe",
    "-ccbin",
    "--compiler-bindir",
    "-diag-suppress",
    "--diag-suppress",
    "-x",
    "--x",
    "-optf",
    "--options-file",
    "-time",
    "--time",
};
// as they are,
constexpr std::string_view ignored[] = {
    "-O",
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-Os",
    "-c",
    "-dc",
    "-v",
    "--verbose",
    "-m64",
    "-cubin",
    "--cubin",
    "-ptx",
    "--ptx",
    "-keep",
    "--keep",
    "-lto",
    "-dlto",
    "--dlink-time-opt",
    "-ewp",
    "--extensible-whole-program",
    "-default-device",
    "--device-as-default-execution-space",
    "-expt-relaxed-constexpr",
    "--expt-relaxed-constexpr",
    "-extended-lambda",
    "--extended-lambda",
    "-expt-extended-lambda",
    "--expt-extended-lambda",
    "-no-source-include",
    "--no-source-include",
    "-restrict",
    "--restrict",
    "-dopt",
    "--dopt",
    "-res-usage",
    "--resource-usage",
    "-err-no",
    "--display-error-number",
    "--no-display-error-number",
    "-minimal",
    "--minimal",
    "-fPIC",
};
// and by how they begin.
constexpr std::string_view ignored_prefixes[] = {
    "-arch=",
    "--gpu-architecture=",
    "-code=",
    "--gpu-code=",
    "-gencode=",
    "--generate-code=",
    "-maxrregcount=",
    "--maxrregcount=",
    "-Xptxas=",
    "--ptxas-options=",
    "-Xcompiler=",
    "--compiler-options=",
    "-ccbin=",
    "--compiler-bindir=",
    "-ftz=",
    "--ftz=",
    "-prec-div=",
    "--prec-div=",
    "-prec-sqrt=",
    "--prec-sqrt=",
    "-rdc",
    "--relocatable-device-code",
    "-m=",
    "--machine",
    "-W",
    "-diag-",
    "--diag-",
    "-dopt=",
    "--dopt=",
    "-opt-info",
    "--opt-info",
    "-split-compile",
    "--split-compile",
    "-time=",
    "--time=",
    "-jump-table-density",
    "--jump-table-density",
    "-fdevice-",
    "--fdevice-",
    "-device-int128",
    "--device-int128",
    "-modify-stack-limit",
    "--modify-stack-limit",
    "-builtin-",
    "--builtin-",
    "-pch",
    "--pch",
    "-create-pch",
    "--create-pch",
    "-use-pch",
    "--use-pch",
    "-threads",
    "--threads",
    "-t=",
    "--optimization-level",
};

bool starts_with(const std::string& text, std::string_view prefix) { return text.compare(0, prefix.size(), prefix) == 0; }

template <class Table>
bool contains(const Table& table, const std::string& text) {
  return std::find(std::begin(table), std::end(table), text) != std::end(table);
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
    } else if (value_of("-include=", "-include", value) || value_of("", "--pre-include", value)) {
      out.includes.push_back(value);
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
    } else if (option == QUERN_CHECK_OPTION) {
      out.checked = out.line_info = true;
    } else if (option == QUERN_CHECK_NAN_OPTION) {
      out.checked_nan = true;
    } else if (contains(ignored_with_argument, option)) {
      ++i;
    } else if (contains(ignored, option) || std::any_of(std::begin(ignored_prefixes), std::end(ignored_prefixes),
                                                        [&](std::string_view prefix) { return starts_with(option, prefix); })) {
      continue;
    } else {
      out.warnings.push_back("[compile] option " + option + " is not known and was ignored");
    }
  }
  return out;
}

Request unpack(const quern_clang_request& in) {
  if (in.abi != QUERN_CLANG_ABI) {
    throw CompileError("[compile] the CPU compiler has ABI version " + std::to_string(QUERN_CLANG_ABI) + " and quern expects " +
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
  out.cccl = text(in.cccl);
  return out;
}

}  // namespace quern::plugin
