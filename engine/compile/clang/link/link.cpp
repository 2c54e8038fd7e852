// See link.h. lld runs in this process; the files it reads exist only in memory (memfd), and it writes to a pipe.
#include "compile/clang/link/link.h"

#include <fcntl.h>
#include <lld/Common/Driver.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "compile/clang/link/stub_library.h"
#include "compile/clang/link/vector_math.h"
#include "compile/clang/request.h"
#include "compile/cpu_module.h"

LLD_HAS_DRIVER(elf)

namespace quern::plugin {
namespace {

// A file in memory that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw CompileError(std::string("[compile] cannot create a file in memory: ") + std::strerror(errno));
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(const char* data, size_t size) {
    while (size > 0) {
      ssize_t written = ::write(descriptor_, data, size);
      if (written < 0) throw CompileError(std::string("[compile] cannot write a file in memory: ") + std::strerror(errno));
      data += written;
      size -= static_cast<size_t>(written);
    }
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Where lld writes to. It makes a temporary file beside a regular output file, which has no "beside" in memory; to a pipe it
// writes at once. A thread drains the pipe, which holds less than a large kernel. The end is signalled by an event of its own: a
// process forked meanwhile keeps the pipe open, so its end of file may never come.
class OutputPipe {
 public:
  OutputPipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0 || (finished_ = eventfd(0, EFD_CLOEXEC)) < 0) {
      throw CompileError(std::string("[compile] cannot create a pipe: ") + std::strerror(errno));
    }
    reader_ = std::thread([this] { drain(); });
  }
  ~OutputPipe() {
    finish();
    for (int descriptor : {ends_[0], ends_[1], finished_}) close(descriptor);
  }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[1]); }

  std::vector<char> take() {
    finish();
    return std::move(bytes_);
  }

 private:
  void drain() {
    for (bool ended = false; !ended;) {
      pollfd waits[2] = {{ends_[0], POLLIN, 0}, {finished_, POLLIN, 0}};
      if (poll(waits, 2, -1) < 0 && errno != EINTR) return;
      // poll() checks one after the other: what was written between may be there although it says that only the end is.
      ended = (waits[1].revents & POLLIN) != 0;
      read_what_is_there();
    }
  }

  void read_what_is_there() {
    char buffer[16384];
    for (pollfd data = {ends_[0], POLLIN, 0}; poll(&data, 1, 0) > 0 && (data.revents & POLLIN);) {
      ssize_t got = ::read(ends_[0], buffer, sizeof(buffer));
      if (got > 0) bytes_.insert(bytes_.end(), buffer, buffer + got);
    }
  }

  void finish() {
    if (!reader_.joinable()) return;
    uint64_t one = 1;
    if (::write(finished_, &one, sizeof(one)) < 0) return;
    reader_.join();
  }

  int ends_[2] = {-1, -1};
  int finished_ = -1;
  std::vector<char> bytes_;
  std::thread reader_;
};

// libm, by the name of the double variant; each has a float variant with an f behind it.
constexpr const char* libm_functions[] = {
    "acos",      "acosh",     "asin", "asinh",     "atan",   "atan2",  "atanh", "cbrt",      "ceil",    "copysign", "cos",
    "cosh",      "erf",       "erfc", "exp",       "exp10",  "exp2",   "expm1", "fabs",      "fdim",    "floor",    "fma",
    "fmax",      "fmin",      "fmod", "frexp",     "hypot",  "ilogb",  "j0",    "j1",        "jn",      "ldexp",    "lgamma",
    "llrint",    "llround",   "log",  "log10",     "log1p",  "log2",   "logb",  "lrint",     "lround",  "modf",     "nan",
    "nearbyint", "nextafter", "pow",  "remainder", "remquo", "rint",   "round", "roundeven", "scalbln", "scalbn",   "sin",
    "sincos",    "sinh",      "sqrt", "tan",       "tanh",   "tgamma", "trunc", "y0",        "y1",      "yn",
};
constexpr const char* libc_functions[] = {"memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "abort"};
// What compilers call for 128-bit integers and, on old CPUs, for half precision.
constexpr const char* libgcc_functions[] = {
    "__divti3",    "__modti3",    "__udivti3",     "__umodti3",     "__multi3",  "__truncsfhf2", "__truncdfhf2", "__extendhfsf2",
    "__floattisf", "__floattidf", "__floatuntisf", "__floatuntidf", "__fixsfti", "__fixdfti",    "__fixunssfti", "__fixunsdfti",
};

// Constants that hold addresses lie with the code: they are written once, by the loader, before anything runs. The segment says
// that it may be written for other loaders; ours takes that away.
std::string layout() {
  return "PHDRS { code PT_LOAD FILEHDR PHDRS FLAGS(7); data PT_LOAD FLAGS(6); dynamic PT_DYNAMIC FLAGS(4); stack PT_GNU_STACK "
         "FLAGS(6); }\n"
         "SECTIONS {\n"
         "  . = SIZEOF_HEADERS;\n"
         "  .dynsym : { *(.dynsym) } :code\n"
         "  .hash : { *(.hash) } :code\n"
         "  .dynstr : { *(.dynstr) } :code\n"
         "  .rela.dyn : { *(.rela.dyn) } :code\n"
         "  .rela.plt : { *(.rela.plt) } :code\n"
         "  .rodata : { *(.rodata .rodata.*) } :code\n"
         "  .text : { *(.text .text.*) } :code\n"
         "  .plt : { *(.plt) } :code\n"
         "  .data.rel.ro : { *(.data.rel.ro .data.rel.ro.*) } :code\n"
         "  .dynamic : { *(.dynamic) } :code :dynamic\n"
         "  .got : { *(.got) } :code\n"
         "  .got.plt : { *(.got.plt) } :code\n"
         "  . = MAX(ALIGN(4096), " +
         std::to_string(QUERN_CPU_DATA_ADDRESS) +
         ");\n"
         "  .data : { *(.data .data.*) } :data\n"
         "  .bss : { *(.bss .bss.* COMMON) } :data\n"
         "  /DISCARD/ : { *(.eh_frame .note .note.*) }\n"
         "}\n";
}

// Made once; they live as long as the process.
struct Stubs {
  MemoryFile libm{"libm"}, libmvec{"libmvec"}, libc{"libc"}, libgcc{"libgcc"}, script{"layout"};

  Stubs() {
    std::vector<std::string> libm_names;
    for (const char* name : libm_functions) {
      libm_names.push_back(name);
      libm_names.push_back(std::string(name) + "f");
    }
    fill(libm, "libm.so.6", libm_names);
    fill(libmvec, "libmvec.so.1", libmvec_symbols());
    fill(libc, "libc.so.6", {std::begin(libc_functions), std::end(libc_functions)});
    fill(libgcc, "libgcc_s.so.1", {std::begin(libgcc_functions), std::end(libgcc_functions)});
    std::string text = layout();
    script.write(text.data(), text.size());
  }

 private:
  static void fill(MemoryFile& file, const char* soname, const std::vector<std::string>& names) {
    std::vector<char> bytes = stub_library(soname, names);
    file.write(bytes.data(), bytes.size());
  }
};

std::mutex lld_mutex;  // lld keeps its state in globals
bool lld_broken = false;

// lld's "error: undefined symbol: foo(int)" lines as sentences of ours.
std::string explain(const std::string& lld_text) {
  constexpr std::string_view marker = "undefined symbol: ";
  std::string names;
  for (size_t at = lld_text.find(marker); at != std::string::npos; at = lld_text.find(marker, at + 1)) {
    size_t start = at + marker.size();
    std::string name = lld_text.substr(start, lld_text.find('\n', start) - start);
    if (name.rfind("hidden ", 0) == 0) name.erase(0, 7);
    names += "error: [compile] " + name + " is declared and used, but not defined in this text; define it\n";
  }
  return names.empty() ? "error: [compile] linking failed: " + lld_text : names;
}

}  // namespace

llvm::SmallVector<char, 0> emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile, /*DisableVerify=*/true)) {
    throw CompileError("[compile] this target cannot write object files");
  }
  passes.run(module);
  return object;
}

std::vector<char> link_object(const llvm::SmallVectorImpl<char>& object) {
  static const Stubs& stubs = *new Stubs;
  MemoryFile input("quern-object");
  OutputPipe output;
  input.write(object.data(), object.size());

  std::vector<std::string> words = {"ld.lld",
                                    "-shared",
                                    "-z",
                                    "now",
                                    "-z",
                                    "defs",
                                    "-Bsymbolic",
                                    "-z",
                                    "norelro",
                                    "-z",
                                    "max-page-size=4096",
                                    "-T",
                                    stubs.script.path(),
                                    "--hash-style=sysv",
                                    "--build-id=none",
                                    "--threads=1",
                                    "--no-mmap-output-file",
                                    "--gc-sections",
                                    "-o",
                                    output.path(),
                                    input.path(),
                                    "--as-needed",
                                    stubs.libmvec.path(),
                                    stubs.libm.path(),
                                    stubs.libc.path(),
                                    stubs.libgcc.path()};
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());

  std::string messages;
  llvm::raw_string_ostream log(messages);
  lld::Result result;
  {
    std::lock_guard lock(lld_mutex);
    if (lld_broken) throw CompileError("[compile] the linker failed earlier in this process; restart the program");
    result = lld::lldMain(arguments, log, log, {{lld::Gnu, &lld::elf::link}});
    lld_broken = !result.canRunAgain;
  }
  if (result.retCode != 0) throw CompileError(explain(messages));
  std::vector<char> code = output.take();
  if (code.empty()) throw CompileError("[compile] the linker wrote nothing; please report this as a bug of quern");
  return code;
}

}  // namespace quern::plugin
