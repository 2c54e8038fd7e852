// NVRTC, found at run time. Start at NvrtcCompiler::compile; the table of nvcc's options is above nvrtc_options.
#include "compile/nvrtc.h"

#include "codegen/embedded.h"
#include "compile/c_kernels.h"
#include "compile/cccl.h"
#include "compile/import_table.h"
#include "compile/include_walk.h"
#include "compile/nvrtc_shortcuts.h"
#include "core/error.h"
#include "core/log.h"
#include "core/nvidia_libraries.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace quern {
namespace {

// Goes into every cache key: raise it when the same text and options give other code than before.
constexpr int revision = 3;

using Program = struct ProgramTag*;  // nvrtcProgram

// X(symbol, parameters): all of NVRTC that is used; there since CUDA 11.2.
#define QUERN_NVRTC_SYMBOLS(X)                                                                                                \
  X(nvrtcVersion, (int* major, int* minor))                                                                                   \
  X(nvrtcGetNumSupportedArchs, (int* count))                                                                                  \
  X(nvrtcGetSupportedArchs, (int* archs))                                                                                     \
  X(nvrtcCreateProgram,                                                                                                       \
    (Program * program, const char* text, const char* name, int headers, const char* const* texts, const char* const* names)) \
  X(nvrtcDestroyProgram, (Program * program))                                                                                 \
  X(nvrtcCompileProgram, (Program program, int count, const char* const* options))                                            \
  X(nvrtcGetCUBINSize, (Program program, size_t* bytes))                                                                      \
  X(nvrtcGetCUBIN, (Program program, char* code))                                                                             \
  X(nvrtcGetPTXSize, (Program program, size_t* bytes))                                                                        \
  X(nvrtcGetPTX, (Program program, char* code))                                                                               \
  X(nvrtcGetProgramLogSize, (Program program, size_t* bytes))                                                                 \
  X(nvrtcGetProgramLog, (Program program, char* log))                                                                         \
  X(nvrtcAddNameExpression, (Program program, const char* expression))                                                        \
  X(nvrtcGetLoweredName, (Program program, const char* expression, const char** name))

enum : int { nvrtc_success = 0, nvrtc_out_of_memory = 1, nvrtc_invalid_option = 5, nvrtc_compilation = 6 };

struct Nvrtc {
#define QUERN_NVRTC_MEMBER(name, params) int(*name) params = nullptr;
  QUERN_NVRTC_SYMBOLS(QUERN_NVRTC_MEMBER)
#undef QUERN_NVRTC_MEMBER
  std::string path, version;
  std::vector<int> archs;  // 75, 80, 86, 90, ...: what it makes cubins for
  int release = 0;         // 1208 for 12.8
};

// NVRTC's front end takes over SIGINT and SIGTERM while it parses; its handler ends the process, or breaks it when another thread
// than the compiling one gets the signal. A program's handlers are its own.
__sighandler_t leave_handlers(int number, __sighandler_t handler) {
  return number == SIGINT || number == SIGTERM ? SIG_DFL : ::signal(number, handler);
}

const Nvrtc& load_nvrtc() {
  static std::mutex& mutex = *new std::mutex;
  static std::map<std::string, Nvrtc>& loaded = *new std::map<std::string, Nvrtc>;
  void* handle = open_nvidia_library("nvrtc");
  NvidiaLibrary library = *find_nvidia_library("nvrtc");
  std::lock_guard lock(mutex);
  auto [it, fresh] = loaded.try_emplace(library.path);
  Nvrtc& nvrtc = it->second;
  if (!fresh) return nvrtc;
  nvrtc.path = library.path;
  nvrtc.version = library.version;
#define QUERN_NVRTC_LOAD(name, params)                                                                  \
  nvrtc.name = reinterpret_cast<decltype(nvrtc.name)>(dlsym(handle, #name));                            \
  if (!nvrtc.name) {                                                                                    \
    loaded.erase(it);                                                                                   \
    raise(ErrorKind::runtime, "[compile] {} lacks {}: it is not a working NVRTC", library.path, #name); \
  }
  QUERN_NVRTC_SYMBOLS(QUERN_NVRTC_LOAD)
#undef QUERN_NVRTC_LOAD
  redirect_import(handle, "signal", reinterpret_cast<void*>(leave_handlers));
  int major = 0, minor = 0, count = 0;
  if (nvrtc.nvrtcVersion(&major, &minor) == nvrtc_success) nvrtc.release = major * 100 + minor;
  if (nvrtc.nvrtcGetNumSupportedArchs(&count) == nvrtc_success && count > 0) {
    nvrtc.archs.resize(static_cast<size_t>(count));
    nvrtc.nvrtcGetSupportedArchs(nvrtc.archs.data());
    std::sort(nvrtc.archs.begin(), nvrtc.archs.end());
  }
  return nvrtc;
}

// Identifies an NVRTC without loading it: the linker's build id, else size and time.
std::string file_identity(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "unreadable";
  std::string identity;
  Elf64_Ehdr header;
  if (pread(fd, &header, sizeof header, 0) == sizeof header && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0) {
    for (unsigned i = 0; i < header.e_phnum && identity.empty(); ++i) {
      Elf64_Phdr segment;
      off_t at = static_cast<off_t>(header.e_phoff + i * sizeof segment);
      if (pread(fd, &segment, sizeof segment, at) != sizeof segment || segment.p_type != PT_NOTE || segment.p_filesz > 4096)
        continue;
      std::vector<unsigned char> notes(segment.p_filesz);
      if (pread(fd, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset)) != static_cast<ssize_t>(notes.size()))
        continue;
      for (size_t n = 0; n + sizeof(Elf64_Nhdr) <= notes.size();) {
        Elf64_Nhdr note;
        std::memcpy(&note, notes.data() + n, sizeof note);
        size_t text = n + sizeof note + ((note.n_namesz + 3u) & ~size_t{3});
        if (text + note.n_descsz > notes.size()) break;
        if (note.n_type == NT_GNU_BUILD_ID) {
          for (size_t k = 0; k < note.n_descsz; ++k) identity += formatted("{:02x}", notes[text + k]);
          break;
        }
        n = text + ((note.n_descsz + 3u) & ~size_t{3});
      }
    }
  }
  struct stat status;
  if (identity.empty() && fstat(fd, &status) == 0) identity = formatted("{}-{}", status.st_size, status.st_mtime);
  close(fd);
  return identity;
}

// Options, in nvcc's and NVRTC's spelling. The user's `-name`, `--name`, `-name=v`, `-name v` are all one.
enum class Take {
  pass,    // to NVRTC, under its name
  value,   // the same with a value, which may follow as the next word
  joined,  // the same; the value may also stand without '=': -Idir
  arch,    // the target decides
  drop,    // about the host, the linker or nvcc itself: nothing to do here
  drop_value,
};

struct OptionRow {
  std::string_view name;
  Take take;
  std::string_view to;
};

constexpr OptionRow option_rows[] = {
    {"I", Take::joined, "--include-path"},
    {"include-path", Take::value, "--include-path"},
    {"isystem", Take::value, "--include-path"},
    {"system-include", Take::value, "--include-path"},
    {"D", Take::joined, "--define-macro"},
    {"define-macro", Take::value, "--define-macro"},
    {"U", Take::joined, "--undefine-macro"},
    {"undefine-macro", Take::value, "--undefine-macro"},
    {"include", Take::value, "--pre-include"},
    {"pre-include", Take::value, "--pre-include"},
    {"std", Take::value, "--std"},
    {"arch", Take::arch, ""},
    {"gpu-architecture", Take::arch, ""},
    {"code", Take::drop_value, ""},
    {"gpu-code", Take::drop_value, ""},
    {"gencode", Take::drop_value, ""},
    {"generate-code", Take::drop_value, ""},
    {"use_fast_math", Take::pass, "--use_fast_math"},
    {"use-fast-math", Take::pass, "--use_fast_math"},
    {"fmad", Take::value, "--fmad"},
    {"ftz", Take::value, "--ftz"},
    {"prec-div", Take::value, "--prec-div"},
    {"prec-sqrt", Take::value, "--prec-sqrt"},
    {"maxrregcount", Take::value, "--maxrregcount"},
    {"G", Take::pass, "--device-debug"},
    {"device-debug", Take::pass, "--device-debug"},
    {"lineinfo", Take::pass, "--generate-line-info"},
    {"generate-line-info", Take::pass, "--generate-line-info"},
    {"w", Take::pass, "--disable-warnings"},
    {"disable-warnings", Take::pass, "--disable-warnings"},
    {"restrict", Take::pass, "--restrict"},
    {"Xptxas", Take::value, "--ptxas-options"},
    {"ptxas-options", Take::value, "--ptxas-options"},
    {"diag-suppress", Take::value, "--diag-suppress"},
    {"diag-warn", Take::value, "--diag-warn"},
    {"diag-error", Take::value, "--diag-error"},
    {"default-device", Take::drop, ""},  // always given
    {"device-as-default-execution-space", Take::drop, ""},
    {"O", Take::joined, ""},  // NVRTC always optimises
    {"optimize", Take::drop_value, ""},
    {"g", Take::drop, ""},
    {"debug", Take::drop, ""},
    {"Xcompiler", Take::drop_value, ""},
    {"compiler-options", Take::drop_value, ""},
    {"Xlinker", Take::drop_value, ""},
    {"linker-options", Take::drop_value, ""},
    {"Xcudafe", Take::drop_value, ""},
    {"Xnvlink", Take::drop_value, ""},
    {"nvlink-options", Take::drop_value, ""},
    {"Xarchive", Take::drop_value, ""},
    {"ccbin", Take::drop_value, ""},
    {"compiler-bindir", Take::drop_value, ""},
    {"L", Take::joined, ""},
    {"l", Take::joined, ""},
    {"rdc", Take::drop_value, ""},  // CompileOptions say it
    {"relocatable-device-code", Take::drop_value, ""},
    {"dc", Take::drop, ""},
    {"dw", Take::drop, ""},
    {"c", Take::drop, ""},
    {"dlto", Take::drop, ""},
    {"lto", Take::drop, ""},
    {"dlink-time-opt", Take::drop, ""},
    {"cubin", Take::drop, ""},
    {"ptx", Take::drop, ""},
    {"fatbin", Take::drop, ""},
    {"m64", Take::drop, ""},
    {"m", Take::drop_value, ""},
    {"machine", Take::drop_value, ""},
    {"expt-relaxed-constexpr", Take::drop, ""},  // host functions count as device functions anyway
    {"expt-extended-lambda", Take::drop, ""},
    {"extended-lambda", Take::drop, ""},
    {"Werror", Take::drop_value, ""},
    {"keep", Take::drop, ""},
    {"keep-dir", Take::drop_value, ""},
    {"v", Take::drop, ""},
    {"verbose", Take::drop, ""},
    {"t", Take::drop_value, ""},
    {"threads", Take::drop_value, ""},
    {"cudart", Take::drop_value, ""},
    {"no-align-double", Take::drop, ""},
};

// Words that nvcc takes without a value of their own in the next word, though "-Werror=x" has one.
bool value_may_follow(std::string_view name) { return name != "Werror" && name != "m"; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

struct Match {
  const OptionRow* row = nullptr;
  std::optional<std::string_view> value;
};

Match match_option(std::string_view flag) {
  std::string_view word = flag;
  bool two_dashes = word.substr(0, 2) == "--";
  word.remove_prefix(two_dashes ? 2 : 1);
  size_t end = std::min(word.find_first_of("= \t"), word.size());
  std::string_view name = word.substr(0, end);
  Match match;
  for (const OptionRow& row : option_rows) {
    if (row.name != name) continue;
    match.row = &row;
    if (end < word.size()) match.value = trim(word.substr(end + 1));
    return match;
  }
  if (two_dashes) return match;
  for (const OptionRow& row : option_rows) {  // -Idir, -DNAME=1, -O3
    if (row.take != Take::joined || word.substr(0, row.name.size()) != row.name) continue;
    match.row = &row;
    match.value = trim(word.substr(row.name.size()));
    return match;
  }
  return match;
}

bool same_suffix_arch(std::string_view wanted, const std::string& arch) {
  return wanted.size() == arch.size() + 1 && wanted.substr(0, arch.size()) == arch &&
         (wanted.back() == 'a' || wanted.back() == 'f');
}

// Lines of the log that have one cause and deserve one sentence.
struct KnownTrouble {
  std::string_view sign, says;
};

constexpr KnownTrouble troubles[] = {
    {"requires separate compilation mode",
     "kernels cannot launch kernels (dynamic parallelism is not supported): launch them from the host"},
    {"device-side kernel launch could not be processed",
     "kernels cannot launch kernels (dynamic parallelism is not supported): launch them from the host"},
    {"texture is not a template", "texture and surface references belong to SourceModule: take a texture or surface object here"},
    {"surface is not a template", "texture and surface references belong to SourceModule: take a texture or surface object here"},
    {"identifier \"texture\" is undefined",
     "texture and surface references belong to SourceModule: take a texture or surface object here"},
    {"identifier \"surface\" is undefined",
     "texture and surface references belong to SourceModule: take a texture or surface object here"},
    {"could not open source file \"thrust/",
     "Thrust's algorithms are not supported in kernel source: use quern's sort, reduce and scan"},
    {"could not open source file \"cub/", "this header of CUB is not supported in kernel source; those of blocks and warps are"},
    {"cannot open source file \"thrust/",
     "Thrust's algorithms are not supported in kernel source: use quern's sort, reduce and scan"},
    {"cannot open source file \"cub/", "this header of CUB is not supported in kernel source; those of blocks and warps are"},
};

std::string explain(const std::string& log) {
  for (const KnownTrouble& trouble : troubles) {
    size_t at = log.find(trouble.sign);
    if (at == std::string::npos) continue;
    size_t start = log.rfind('\n', at);
    start = start == std::string::npos ? 0 : start + 1;
    size_t colon = log.find(": ", start);
    std::string place = colon < at ? log.substr(start, colon - start) + ": " : "";
    return formatted("{}error: {}", place, trouble.says);
  }
  size_t at = log.find("Error in parsing name expression for lowered name lookup");
  if (at != std::string::npos) {
    size_t quote = log.find('"', at), end = quote == std::string::npos ? quote : log.find('"', quote + 1);
    std::string expression =
        end == std::string::npos ? "" : std::string(trim(std::string_view(log).substr(quote + 1, end - quote - 1)));
    return formatted("error: the name \"{}\" that was asked for means nothing in this text\n{}", expression, log);
  }
  return log;
}

class NvrtcCompiler final : public Compiler {
 public:
  std::string id() const override {
    std::optional<NvidiaLibrary> library = find_nvidia_library("nvrtc");
    if (!library) open_nvidia_library("nvrtc");  // raises and says what to do
    std::lock_guard lock(mutex_);
    if (library->path != id_path_) {
      id_ = formatted("nvrtc {} {} r{} {} {}", library->version, file_identity(library->path), revision, embedded_version,
                      cccl_version());
      id_path_ = library->path;
    }
    return id_;
  }

  Binary compile(const Source& source, const CompileOptions& options, const Target& target) override;

 private:
  mutable std::mutex mutex_;
  mutable std::string id_path_, id_;
  Heads heads_;
};

struct ProgramOwner {
  const Nvrtc& nvrtc;
  Program program = nullptr;
  ~ProgramOwner() {
    if (program) nvrtc.nvrtcDestroyProgram(&program);
  }
};

// A cubin runs on its own GPU and on later ones of the same generation; a GPU newer than this NVRTC gets PTX, which the driver
// compiles when it loads it.
struct Architecture {
  std::string name;  // "sm_90", or "compute_90"
  bool ptx = false;
};

Architecture choose_architecture(const Nvrtc& nvrtc, const std::string& arch) {
  if (arch.starts_with("compute_")) return {arch, true};
  int wanted = arch.compare(0, 3, "sm_") == 0 ? std::atoi(arch.c_str() + 3) : 0;
  if (wanted == 0) bug("\"{}\" is no GPU architecture", arch);
  int best = 0;
  for (int known : nvrtc.archs) {
    if (known <= wanted) best = std::max(best, known);
  }
  if (best == wanted || nvrtc.archs.empty()) return {arch};
  if (best == 0) {
    raise(ErrorKind::runtime, "[compile] NVRTC {} ({}) no longer compiles for {}: pip install \"nvidia-cuda-nvrtc-cu12==12.9.*\"",
          nvrtc.version, nvrtc.path, arch);
  }
  if (best / 10 == wanted / 10) return {formatted("sm_{}", best)};
  return {formatted("compute_{}", best), true};
}

std::string read_log(const Nvrtc& nvrtc, Program program) {
  size_t bytes = 0;
  if (nvrtc.nvrtcGetProgramLogSize(program, &bytes) != nvrtc_success || bytes <= 1) return "";
  std::string log(bytes, '\0');
  nvrtc.nvrtcGetProgramLog(program, log.data());
  log.resize(std::strlen(log.c_str()));
  // A hint about NVRTC's own options helps nobody here.
  size_t remark = log.find("Remark: The warnings can be suppressed with");
  if (remark != std::string::npos) log.erase(remark, log.find('\n', remark) + 2 - remark);
  while (!log.empty() && log.back() == '\n') log.pop_back();
  return log;
}

// Texts of ours with CUB read only what quern brings.
IncludeWalk walk(const Source& source, const CompileOptions& options, const std::vector<std::string>& words) {
  if (options.with_cub) return {};
  IncludeRoot root{source.text, source.name, {}, {}, {}, {}};
  auto take = [](std::string_view word, std::string_view name, std::vector<std::string>& out) {
    if (word.starts_with(name)) out.emplace_back(word.substr(name.size()));
  };
  for (const std::string& word : words) {
    take(word, "--include-path=", root.folders);
    take(word, "--pre-include=", root.before);
    take(word, "--define-macro=", root.definitions);
  }
  root.ours = [](std::string_view name) {
    return std::any_of(embedded_headers, embedded_headers + embedded_header_count, [&](auto& h) { return h.path == name; }) ||
           is_of_cccl(name);
  };
  return walk_includes(root);
}

void check_status(const Nvrtc& nvrtc, int status, const std::string& log, const std::string& name) {
  if (status == nvrtc_success) return;
  if (status == nvrtc_out_of_memory) raise(ErrorKind::out_of_memory, "[compile] NVRTC ran out of memory in {}", name);
  if (status == nvrtc_invalid_option) raise(ErrorKind::compile, "[compile] {}", log);
  if (log.empty()) raise(ErrorKind::runtime, "[compile] NVRTC {} failed with status {}", nvrtc.version, status);
  raise(ErrorKind::compile, "[compile] {}", explain(log));
}

void read_code(const Nvrtc& nvrtc, Program program, bool is_ptx, const std::string& name, Binary& binary) {
  auto get_size = is_ptx ? nvrtc.nvrtcGetPTXSize : nvrtc.nvrtcGetCUBINSize;
  auto get_code = is_ptx ? nvrtc.nvrtcGetPTX : nvrtc.nvrtcGetCUBIN;
  size_t bytes = 0;
  if (get_size(program, &bytes) != nvrtc_success || bytes == 0) bug("NVRTC {} made no code for {}", nvrtc.version, name);
  binary.code.resize(bytes);
  get_code(program, reinterpret_cast<char*>(binary.code.data()));
}

// What the compiler calls the functions that were asked for.
void read_names(const Nvrtc& nvrtc, Program program, const std::vector<std::string>& expressions, Binary& binary) {
  for (const std::string& expression : expressions) {
    const char* lowered = nullptr;
    if (nvrtc.nvrtcGetLoweredName(program, expression.c_str(), &lowered) == nvrtc_success && lowered)
      binary.names.emplace_back(expression, lowered);
  }
}

Binary NvrtcCompiler::compile(const Source& source, const CompileOptions& options, const Target& target) {
  const Nvrtc& nvrtc = load_nvrtc();
  Architecture architecture = choose_architecture(nvrtc, target.arch);
  std::vector<std::string> words = nvrtc_options(options, architecture.name);
  if (options.relocatable) words.emplace_back("--relocatable-device-code=true");
  IncludeWalk read = walk(source, options, words);
  words.push_back("--include-path=" + cccl_folder());  // behind the user's
  // libcu++ writes its lists of types out up to this length (16), which costs half a second; longer ones fold.
  words.emplace_back("--define-macro=_CCCL_META_UNROLL_LIMIT=4");
  const size_t plain = words.size();  // what comes now is taken back where a text fails
  if (nvrtc.release >= 1204 && is_minimal(source.text, words)) words.emplace_back("--minimal");
  struct HeadOption {
    Heads& heads;
    std::string word;
    ~HeadOption() { heads.compiled(word); }
  } head{heads_, ""};
  // Headers of the host's may change from one text to the next.
  if (nvrtc.release >= 1208 && read.complete && read.files.empty()) head.word = heads_.option(source.text, words);
  if (!head.word.empty()) {
    words.push_back(head.word);
    words.emplace_back("--pch-messages=false");
  }
  std::vector<const char*> arguments, texts, names;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  for (size_t i = 0; i < embedded_header_count; ++i)
    texts.push_back(embedded_headers[i].text), names.push_back(embedded_headers[i].path);
  log(LogLevel::compiles, "nvrtc {}: {} for {}", nvrtc.version, source.name, architecture.name);
  log(LogLevel::source, "{}", source.text);

  ProgramOwner owner{nvrtc};
  std::vector<std::string> expressions;
  auto compiled = [&](const std::vector<std::string>& typed) {
    if (owner.program) nvrtc.nvrtcDestroyProgram(&owner.program);
    std::string text = typed.empty() ? source.text : source.text + std::string(type_requests_need);
    if (nvrtc.nvrtcCreateProgram(&owner.program, text.c_str(), source.name.c_str(), static_cast<int>(names.size()), texts.data(),
                                 names.data()) != nvrtc_success) {
      raise(ErrorKind::runtime, "[compile] NVRTC {} rejected the source of {}", nvrtc.version, source.name);
    }
    expressions = options.name_expressions;
    for (const std::string& kernel : typed) expressions.push_back(type_request(kernel));
    for (const std::string& expression : expressions) nvrtc.nvrtcAddNameExpression(owner.program, expression.c_str());
    return nvrtc.nvrtcCompileProgram(owner.program, static_cast<int>(arguments.size()), arguments.data());
  };
  std::vector<std::string> typed;
  if (options.tells_types && !options.relocatable) typed = c_kernels(source.text);
  int status = compiled(typed);
  if (status == nvrtc_compilation && arguments.size() > plain) {
    arguments.resize(plain);
    status = compiled(typed);
  }
  if (status == nvrtc_compilation && !typed.empty()) status = compiled({});
  Binary binary;
  binary.log = read_log(nvrtc, owner.program);
  check_status(nvrtc, status, binary.log, source.name);
  read_code(nvrtc, owner.program, architecture.ptx, source.name, binary);
  read_names(nvrtc, owner.program, expressions, binary);
  binary.lasting = read.complete && are_unchanged(read.files);  // they were stamped before NVRTC read them
  binary.files = std::move(read.files);
  return binary;
}

}  // namespace

std::vector<std::string> nvrtc_options(const CompileOptions& options, const std::string& gpu_architecture) {
  std::string architecture = gpu_architecture;
  std::vector<std::string> words;
  bool has_std = false;
  for (size_t i = 0; i < options.flags.size(); ++i) {
    std::string_view flag = trim(options.flags[i]);
    if (flag.empty()) continue;
    Match match = flag[0] == '-' && flag.size() > 1 ? match_option(flag) : Match{};
    if (!match.row) {
      words.emplace_back(flag);  // NVRTC knows it or says that it does not
      continue;
    }
    const OptionRow& row = *match.row;
    bool has_value = row.take != Take::pass && row.take != Take::drop;
    bool missing = has_value && (!match.value || (match.value->empty() && row.take == Take::joined && row.name != "O"));
    if (missing && value_may_follow(row.name)) {
      if (i + 1 == options.flags.size()) raise(ErrorKind::value, "[compile] the option {} requires a value", flag);
      match.value = trim(options.flags[++i]);
    }
    if (row.take == Take::arch && match.value && same_suffix_arch(*match.value, gpu_architecture)) architecture = *match.value;
    if (row.to.empty()) continue;
    bool about_rounding =
        row.to == "--use_fast_math" || row.to == "--fmad" || row.to == "--ftz" || row.to.substr(0, 6) == "--prec";
    if (options.exact_arithmetic && about_rounding) continue;
    has_std |= row.to == "--std";
    if (!has_value) {
      words.emplace_back(row.to);
    } else if (row.to != "--ptxas-options") {
      words.push_back(formatted("{}={}", row.to, *match.value));
    } else {  // nvcc takes a list, NVRTC one word
      for (size_t at = 0; at < match.value->size();) {
        size_t end = std::min(match.value->find_first_of(", ", at), match.value->size());
        if (end > at) words.push_back(formatted("{}={}", row.to, match.value->substr(at, end - at)));
        at = end + 1;
      }
    }
  }
  words.insert(words.begin(), "--gpu-architecture=" + architecture);
  if (!has_std) words.emplace_back("--std=c++17");
  words.emplace_back("--device-as-default-execution-space");
  if (options.exact_arithmetic) {
    words.emplace_back(options.fast_arithmetic ? "--fmad=true" : "--fmad=false");
    for (const char* word : {"--ftz=false", "--prec-div=true", "--prec-sqrt=true"}) words.emplace_back(word);
  }
  // The first header of the prelude comes before the text and before the user's own -include.
  if (embedded_header_count > 0) words.insert(words.begin() + 1, formatted("--pre-include={}", embedded_headers[0].path));
  return words;
}

Compiler& nvrtc_compiler() {
  static NvrtcCompiler& compiler = *new NvrtcCompiler;
  return compiler;
}

}  // namespace quern
