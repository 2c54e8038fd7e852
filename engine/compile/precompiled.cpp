#include "compile/precompiled.h"

#include "codegen/embedded.h"
#include "compile/clang.h"
#include "core/error.h"
#include "core/log.h"
#include "graph/tier0/levels.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace quern {

namespace {

constexpr char magic[8] = {'Q', 'U', 'E', 'R', 'N', 'P', '0', '1'};

// The head of the file; then the levels' entries, one level after the other, `maker`, and the code. Offsets are from the start.
struct Head {
  char magic[8];
  char compiler[112];  // compiler_of_kernels(), filled up with zeros
  uint64_t size;       // of the file
  struct Part {
    uint64_t begin, count;
  };
  Part entries[Precompiled::levels.size()], maker;
};

// Vectors of mathematical functions are the C library's: the kernels call what glibc has since 2.35.
bool has_vector_functions() {
  void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library && dlsym(library, "_ZGVdN4v_tanh");
}

auto by_key = [](const auto& a, const auto& b) { return std::pair(a.high, a.low) < std::pair(b.high, b.low); };

}  // namespace

std::string_view Precompiled::level_of_processor() {
#if defined(__x86_64__)
  const tier0::Level level = tier0::level();
  if (level == tier0::Level::avx512 && __builtin_cpu_supports("x86-64-v4")) return levels[1];
  if (level != tier0::Level::baseline && __builtin_cpu_supports("x86-64-v3")) return levels[0];
#endif
  return "";
}

Precompiled::Precompiled(const std::string& path, std::string_view level) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status{};
  void* memory = MAP_FAILED;
  if (fstat(file, &status) == 0 && static_cast<size_t>(status.st_size) >= sizeof(Head))
    memory = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  memory_ = memory;
  bytes_ = static_cast<size_t>(status.st_size);
  Head head;
  std::memcpy(&head, memory, sizeof head);
  const std::string compiler = compiler_of_kernels();
  const size_t at = static_cast<size_t>(std::find(levels.begin(), levels.end(), level) - levels.begin());
  if (std::memcmp(head.magic, magic, sizeof magic) != 0 || head.size != bytes_ || compiler.size() >= sizeof head.compiler ||
      compiler != std::string_view(head.compiler, strnlen(head.compiler, sizeof head.compiler)) || at == levels.size()) {
    log(LogLevel::compiles, "{} belongs to another build; kernels are compiled when they are needed", path);
    return;
  }
  const char* bytes = static_cast<const char*>(memory);
  entries_ = {reinterpret_cast<const Entry*>(bytes + head.entries[at].begin), head.entries[at].count};
  maker_ = {bytes + head.maker.begin, head.maker.count};
}

Precompiled::~Precompiled() {
  if (memory_) munmap(memory_, bytes_);
}

const Precompiled& Precompiled::installed() {
  static const Precompiled* one = [] {
    const std::string_view level = level_of_processor();
    if (level.empty() || !has_vector_functions()) return new Precompiled;
    return new Precompiled(library_directory() + "/" + file_name(), level);
  }();
  return *one;
}

const Precompiled::Entry* Precompiled::entry(const CacheKey& key) const {
  auto found = std::lower_bound(entries_.begin(), entries_.end(), key,
                                [](const Entry& entry, const CacheKey& wanted) { return by_key(entry.key, wanted); });
  return found != entries_.end() && found->key == key ? &*found : nullptr;
}

std::shared_ptr<const Binary> Precompiled::find(const CacheKey& key) const {
  const Entry* found = entry(key);
  if (!found) return nullptr;
  auto binary = std::make_shared<Binary>();
  binary->code.resize(found->size);
  std::memcpy(binary->code.data(), static_cast<const char*>(memory_) + found->begin, found->size);
  return binary;
}

void Precompiled::write(const std::string& path, std::string_view maker, const std::array<Kernels, levels.size()>& kernels) {
  Head head{};
  std::memcpy(head.magic, magic, sizeof magic);
  const std::string compiler = compiler_of_kernels();
  if (compiler.size() >= sizeof head.compiler) bug("the compiler's name is too long: {}", compiler);
  std::memcpy(head.compiler, compiler.data(), compiler.size());
  uint64_t end = sizeof head;
  for (size_t i = 0; i < levels.size(); ++i) {
    head.entries[i] = {end, kernels[i].size()};
    end += kernels[i].size() * sizeof(Entry);
  }
  head.maker = {end, maker.size()};
  end += maker.size();
  std::string tables, code;
  for (Kernels of : kernels) {
    std::sort(of.begin(), of.end(), [](const auto& a, const auto& b) { return by_key(a.first, b.first); });
    for (const auto& [key, bytes] : of) {
      const Entry entry{key, end + code.size(), bytes.size()};
      tables.append(reinterpret_cast<const char*>(&entry), sizeof entry);
      code.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  }
  head.size = end + code.size();
  // Renamed when it is whole: a program may have the old one open.
  const std::string unfinished = path + ".unfinished";
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&head), sizeof head);
  out << tables << maker << code;
  out.close();
  if (!out || std::rename(unfinished.c_str(), path.c_str()) != 0)
    raise(ErrorKind::os, "[build] {} could not be written: {}", path, std::strerror(errno));
}

}  // namespace quern
