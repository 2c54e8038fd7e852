// Loads the clang plug-in on the first cache miss and speaks its C ABI.
#include "compile/clang.h"

#include "codegen/embedded.h"
#include "compile/cccl.h"
#include "compile/clang/plugin.h"
#include "core/error.h"
#include "core/log.h"
#include "core/user_command.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace quern {

namespace {

std::atomic<LoweringWish> lowering_wish{LoweringWish::automatic};
// Of the last compilation, whose thread may not be the one that asks.

constexpr const char* plugin_name = "libquern_clang.so";

std::string plugin_path() {
  if (const char* path = std::getenv("QUERN_CLANG_PLUGIN")) return path;
  return library_directory() + "/" + plugin_name;
}

// What decides which instructions this machine has, without asking LLVM: a cached kernel of another machine must not match.
std::string cpu_fingerprint() {
  std::string out;
  unsigned a, b, c, d;
  for (unsigned leaf : {0u, 1u, 7u, 0xdu, 0x80000001u}) {
    if (!__get_cpuid_count(leaf, 0, &a, &b, &c, &d)) continue;
    if (leaf == 1) b &= 0xff, c &= ~(1u << 27);  // the APIC number and OSXSAVE say nothing about the processor
    out += formatted("{:x}.{:x}.{:x}.{:x}-", a, b, c, d);
  }
  return out;
}

std::string file_stamp(const std::string& path) {
  struct stat s;
  if (stat(path.c_str(), &s) != 0) return "absent";
  return formatted("{}.{}.{}", s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

struct Plugin {
  decltype(&quern_clang_compile) compile = nullptr;
  decltype(&quern_clang_free) free = nullptr;
  decltype(&quern_clang_precompile) precompile = nullptr;
  decltype(&quern_clang_version) version = nullptr;
  decltype(&quern_clang_host_cpu) host_cpu = nullptr;
  double load_ms = 0;
};

std::atomic<Plugin*> loaded_plugin{nullptr};

double now_ms() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Plugin& plugin() {
  static std::mutex lock;
  std::lock_guard hold(lock);
  if (Plugin* p = loaded_plugin.load()) return *p;
  double start = now_ms();
  std::string path = plugin_path();
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle)
    raise(ErrorKind::os, "[compile] the compiler for the CPU could not be loaded: {}; install quern again, or see {}", dlerror(),
          user_command("doctor"));
  auto abi = reinterpret_cast<decltype(&quern_clang_abi)>(dlsym(handle, "quern_clang_abi"));
  if (!abi || abi() != QUERN_CLANG_ABI)
    raise(ErrorKind::os, "[compile] {} belongs to another version of quern; install quern again", path);
  auto p = new Plugin;
  auto find = [&](auto& f, const char* name) {
    f = reinterpret_cast<std::decay_t<decltype(f)>>(dlsym(handle, name));
    if (!f) bug("{} lacks {}", path, name);
  };
  find(p->compile, "quern_clang_compile");
  find(p->free, "quern_clang_free");
  find(p->precompile, "quern_clang_precompile");
  find(p->version, "quern_clang_version");
  find(p->host_cpu, "quern_clang_host_cpu");
  p->load_ms = now_ms() - start;
  log(LogLevel::compiles, "loaded {} ({}) in {:.1f} ms", path, p->version(), p->load_ms);
  loaded_plugin = p;
  return *p;
}

std::vector<quern_clang_header> headers() {
  std::vector<quern_clang_header> out;
  for (size_t i = 0; i < embedded_header_count; ++i)
    out.push_back({embedded_headers[i].path, embedded_headers[i].text, embedded_headers[i].size});
  return out;
}

std::string pch_path(const std::string& directory) { return directory + "/prelude-" + embedded_version + ".pch"; }

// Of a level of x86-64; "" for this machine.
const char* features_of(std::string_view arch) {
#define QUERN_V3 "+sse,+sse2,+sse3,+ssse3,+sse4.1,+sse4.2,+avx,+avx2,+fma,+bmi,+bmi2,+popcnt,+f16c,+lzcnt,+movbe,+cx16,+xsave"
  if (arch == "x86-64-v3") return QUERN_V3;
  if (arch == "x86-64-v4") return QUERN_V3 ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl";
#undef QUERN_V3
  return "";
}

class ClangCompiler : public Compiler {
 public:
  std::string id() const override {
    static const std::string fixed = formatted("clang/{}/{}/{}/{}/{}", QUERN_CLANG_ABI, file_stamp(plugin_path()),
                                               embedded_version, cccl_version(), cpu_fingerprint());
    return formatted("{}/{}", fixed, static_cast<int>(lowering_wish.load()));
  }

  Binary compile(const Source& source, const CompileOptions& options, const Target& target) override {
    Plugin& clang = plugin();
    std::vector<const char*> flags, expressions;
    for (auto& f : options.flags) flags.push_back(f.c_str());
    for (auto& n : options.name_expressions) expressions.push_back(n.c_str());
    std::vector<quern_clang_header> known = headers();
    std::string pch = pch_path(library_directory());
    if (access(pch.c_str(), R_OK) != 0) pch.clear();
    std::string cccl = std::filesystem::absolute(library_directory() + "/cccl").string();
    quern_clang_request request{};
    request.abi = QUERN_CLANG_ABI;
    if (options.exact_arithmetic) request.flags |= QUERN_CLANG_EXACT;
    if (options.fast_arithmetic) request.flags |= QUERN_CLANG_FAST;
    if (lowering_wish == LoweringWish::regions) request.flags |= QUERN_CLANG_REGIONS;
    if (lowering_wish == LoweringWish::coroutines) request.flags |= QUERN_CLANG_COROUTINES;
    if (logs(LogLevel::everything)) request.flags |= QUERN_CLANG_KEEP_IR;
    request.text = source.text.data();
    request.text_size = source.text.size();
    request.name = source.name.c_str();
    request.cpu = target.arch.c_str();
    request.features = features_of(target.arch);
    request.options = flags.data();
    request.option_count = flags.size();
    request.name_expressions = expressions.data();
    request.name_expression_count = expressions.size();
    request.headers = known.data();
    request.header_count = known.size();
    request.pch = pch.c_str();
    request.cccl = cccl.c_str();
    std::unique_ptr<quern_clang_result, decltype(clang.free)> result(clang.compile(&request), clang.free);
    if (!result) bug("the clang plug-in returned nothing");
    std::string text = result->log ? result->log : "";
    if (!result->ok) raise_text(ErrorKind::compile, text);
    log(LogLevel::compiles, "{}: parse {:.1f} lower {:.1f} optimise {:.1f} emit {:.1f} link {:.1f} ms", source.name,
        result->parse_ms, result->lower_ms, result->optimise_ms, result->emit_ms, result->link_ms);
    if (logs(LogLevel::everything) && !text.empty()) log_text(text);
    Binary binary;
    binary.code.resize(result->code_size);
    std::memcpy(binary.code.data(), result->code, result->code_size);
    for (size_t i = 0; i < options.name_expressions.size(); ++i)
      binary.names.emplace_back(options.name_expressions[i], result->symbols[i]);
    binary.log = std::move(text);
    for (size_t i = 0; i < result->file_count; ++i) {
      const quern_clang_file& f = result->files[i];
      FileStamp stamp{f.stamp[0], f.stamp[1], f.stamp[2], f.stamp[3]};
      binary.files.push_back({f.path, static_cast<FileRead::Kind>(f.kind), stamp, f.hash[0], f.hash[1]});
    }
    binary.lasting = result->files_steady != 0;
    return binary;
  }
};

}  // namespace

Compiler& clang_compiler() {
  static ClangCompiler* compiler = new ClangCompiler;
  return *compiler;
}

ClangReport clang_report() {
  ClangReport report{plugin_path(), "", false, ""};
  if (access(report.path.c_str(), R_OK) != 0) report.problem = std::strerror(errno);
  if (Plugin* p = loaded_plugin.load()) {
    report.loaded = true;
    report.version = p->version();
  }
  return report;
}

std::string compiler_of_kernels() { return formatted("clang/{}/{}", QUERN_CLANG_ABI, embedded_version); }

bool lowers_as_built() { return lowering_wish == LoweringWish::automatic; }

void set_lowering_wish(LoweringWish wish) { lowering_wish = wish; }

std::string library_directory() {
  static const std::string directory = [] {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void*>(&clang_compiler), &info) || !info.dli_fname) return std::string(".");
    std::filesystem::path library = info.dli_fname;
    // An installed tree has a link to the library where linkers look; the other files are beside what it leads to.
    std::error_code error;
    if (!std::filesystem::exists(library.parent_path() / plugin_name, error)) {
      std::filesystem::path meant = std::filesystem::canonical(library, error);
      if (!error) library = meant;
    }
    return library.has_parent_path() ? library.parent_path().string() : std::string(".");
  }();
  return directory;
}

std::string precompile_prelude(const std::string& directory) {
  std::vector<quern_clang_header> known = headers();
  quern_clang_request request{};
  request.abi = QUERN_CLANG_ABI;
  request.name = "prelude.cu";
  request.text = "";
  request.cpu = request.features = request.pch = request.cccl = "";
  request.headers = known.data();
  request.header_count = known.size();
  std::string path = pch_path(directory);
  if (const char* error = plugin().precompile(&request, path.c_str()))
    raise(ErrorKind::os, "[build] the prelude could not be precompiled: {}", error);
  return path;
}

}  // namespace quern
