#include "device/cpu_image.h"

#include "compile/cpu_module.h"
#include "core/error.h"

#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace quern {

namespace {

constexpr size_t page = 4096;
constexpr size_t arena_bytes = QUERN_CPU_DATA_ADDRESS;  // of code, and as much of data behind it

size_t whole_pages(size_t bytes) { return (bytes + page - 1) & ~(page - 1); }

[[noreturn]] void no_memory() { raise(ErrorKind::os, "[load] there is no memory for a kernel's code: {}", std::strerror(errno)); }

void protect(char* at, size_t bytes, int how) {
  if (bytes && mprotect(at, bytes, how) != 0) no_memory();
}

char* reserve(size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) no_memory();
  return static_cast<char*>(at);
}

// Two maps; an image takes the same stretch of both.
class Arena {
 public:
  Arena() : base_(reserve(2 * arena_bytes)) {
    free_[0] = arena_bytes;
    if (mprotect(base_, arena_bytes, PROT_READ | PROT_EXEC) == 0 &&
        mprotect(base_ + arena_bytes, arena_bytes, PROT_READ | PROT_WRITE) == 0)
      return;
    munmap(base_, 2 * arena_bytes);
    no_memory();
  }
  ~Arena() { munmap(base_, 2 * arena_bytes); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  bool holds(const char* at) const { return at >= base_ && at < base_ + arena_bytes; }
  bool empty() const { return free_.size() == 1 && free_.begin()->second == arena_bytes; }

  char* take(size_t bytes) {  // nullptr: there is no room
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      auto [at, room] = *it;
      if (room < bytes) continue;
      free_.erase(it);
      if (room > bytes) free_[at + bytes] = room - bytes;
      return base_ + at;
    }
    return nullptr;
  }

  void give_back(const char* place, size_t bytes) {
    size_t at = static_cast<size_t>(place - base_);
    auto next = free_.lower_bound(at);
    if (next != free_.end() && next->first == at + bytes) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == at) {
        before->second += bytes;
        return;
      }
    }
    free_[at] = bytes;
  }

 private:
  char* base_;
  std::map<size_t, size_t> free_;  // where -> how much
};

struct Shared {
  std::mutex lock;
  std::vector<std::unique_ptr<Arena>> arenas;
  std::unordered_map<std::string, void*> imports;  // by name
};

Shared& shared() {
  static Shared& one = *new Shared;
  return one;
}

// A child that is forked while another thread loads can load, too. From the start: who stops the threads that let go of images
// does so before (handlers run backwards).
[[maybe_unused]] const int at_fork =
    pthread_atfork([] { shared().lock.lock(); }, [] { shared().lock.unlock(); }, [] { shared().lock.unlock(); });

char* take_stretch(size_t bytes) {
  std::lock_guard hold(shared().lock);
  auto& arenas = shared().arenas;
  for (auto it = arenas.rbegin(); it != arenas.rend(); ++it)
    if (char* place = (*it)->take(bytes)) return place;
  arenas.push_back(std::make_unique<Arena>());
  return arenas.back()->take(bytes);
}

void give_stretch_back(char* place, size_t bytes) {
  std::lock_guard hold(shared().lock);
  auto& arenas = shared().arenas;
  for (auto it = arenas.begin(); it != arenas.end(); ++it) {
    if (!(*it)->holds(place)) continue;
    (*it)->give_back(place, bytes);
    if ((*it)->empty() && arenas.size() > 1) arenas.erase(it);
    return;
  }
}

CpuImage::Mapping take_place(size_t code, size_t data, size_t distance, size_t alignment) {
  CpuImage::Mapping place{nullptr, whole_pages(code), whole_pages(data), distance, nullptr, 0};
  size_t stretch = std::max(place.code, place.data);
  if (distance == arena_bytes && stretch <= arena_bytes / 8 && alignment <= page) {
    place.base = take_stretch(stretch);
    return place;
  }
  // A table of a user's that is large has maps of its own.
  place.alone_bytes = distance + place.data + alignment;
  place.alone = reserve(place.alone_bytes);
  uintptr_t start = (reinterpret_cast<uintptr_t>(place.alone) + alignment - 1) / alignment * alignment;
  place.base = reinterpret_cast<char*>(start);
  if (place.data && mprotect(place.base + distance, place.data, PROT_READ | PROT_WRITE) != 0) {
    munmap(place.alone, place.alone_bytes);
    no_memory();
  }
  return place;
}

void give_back(const CpuImage::Mapping& place) {
  if (place.alone) {
    munmap(place.alone, place.alone_bytes);
    return;
  }
  madvise(place.base, place.code, MADV_DONTNEED);
  if (place.data) madvise(place.base + place.distance, place.data, MADV_DONTNEED);
  give_stretch_back(place.base, std::max(place.code, place.data));
}

// What objects may import: from these libraries alone, under the names that the linker let through.
void* imported(const char* name) {
  std::lock_guard hold(shared().lock);
  void*& address = shared().imports[name];
  if (address) return address;
  for (const char* library : {"libm.so.6", "libc.so.6", "libmvec.so.1", "libgcc_s.so.1"}) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) continue;
    // The oldest version of a name, as a program linked without versions gets it.
    address = dlvsym(handle, name, "GLIBC_2.2.5");
    if (!address) address = dlsym(handle, name);
    if (address) return address;
  }
  bug("a compiled kernel needs {}, which the machine's libraries lack", name);
}

[[noreturn]] void foreign(const char* why) {
  raise(ErrorKind::value, "[load] this is not code that quern compiled for the CPU: {}", why);
}

bool fits(uint64_t at, uint64_t size, uint64_t within) { return at <= within && size <= within - at; }

// Where a shared object's parts lie, checked against its size.
struct Segments {
  std::vector<Elf64_Phdr> headers;
  uint64_t code_end = 0, data_start = most, data_end = 0, dynamic = 0, dynamic_bytes = 0, alignment = page;
  static constexpr uint64_t most = uint64_t{1} << 31;  // what code reaches

  // In the code, or in the data.
  bool hold(uint64_t at, uint64_t size) const {
    return fits(at, size, code_end) || (at >= data_start && fits(at, size, data_end));
  }
};

Segments segments_of(std::span<const std::byte> object) {
  Elf64_Ehdr header;
  if (object.size() < sizeof header) foreign("it is too short");
  std::memcpy(&header, object.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN ||
      header.e_machine != EM_X86_64)
    foreign("it is no shared object");
  if (header.e_phentsize != sizeof(Elf64_Phdr) || !fits(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), object.size()))
    foreign("its headers are damaged");
  Segments out;
  out.headers.resize(header.e_phnum);
  std::memcpy(out.headers.data(), object.data() + header.e_phoff, out.headers.size() * sizeof(Elf64_Phdr));
  for (const Elf64_Phdr& s : out.headers) {
    if (s.p_type == PT_DYNAMIC) out.dynamic = s.p_vaddr, out.dynamic_bytes = s.p_memsz;
    if (s.p_type != PT_LOAD || s.p_memsz == 0) continue;
    if (!fits(s.p_offset, s.p_filesz, object.size()) || s.p_filesz > s.p_memsz || !fits(s.p_vaddr, s.p_memsz, Segments::most))
      foreign("its segments are damaged");
    out.alignment = std::max<uint64_t>(out.alignment, s.p_align);
    if (s.p_flags & PF_X) {
      out.code_end = std::max<uint64_t>(out.code_end, s.p_vaddr + s.p_memsz);
    } else {
      out.data_start = std::min<uint64_t>(out.data_start, s.p_vaddr);
      out.data_end = std::max<uint64_t>(out.data_end, s.p_vaddr + s.p_memsz);
    }
  }
  if (out.data_end == 0) out.data_start = out.data_end = std::max<uint64_t>(QUERN_CPU_DATA_ADDRESS, whole_pages(out.code_end));
  if (out.code_end == 0 || out.data_start % page || out.alignment > Segments::most || out.alignment & (out.alignment - 1) ||
      out.code_end > out.data_start)
    foreign("its segments lie in another way");
  if (!fits(out.dynamic, out.dynamic_bytes, out.code_end) || out.dynamic_bytes == 0) foreign("it has no tables");
  return out;
}

// A loaded object's tables: where they begin, and their bytes.
struct Tables {
  struct Table {
    uint64_t at = 0, bytes = 0;
  };
  Table relocations, jumps, symbols, names, hashes;
};

Tables tables_of(const char* base, const Segments& segments) {
  Tables out;
  for (auto *d = reinterpret_cast<const Elf64_Dyn*>(base + segments.dynamic), *end = d + segments.dynamic_bytes / sizeof *d;
       d != end && d->d_tag != DT_NULL; ++d) {
    switch (d->d_tag) {
      case DT_RELA:
        out.relocations.at = d->d_un.d_ptr;
        break;
      case DT_RELASZ:
        out.relocations.bytes = d->d_un.d_val;
        break;
      case DT_JMPREL:
        out.jumps.at = d->d_un.d_ptr;
        break;
      case DT_PLTRELSZ:
        out.jumps.bytes = d->d_un.d_val;
        break;
      case DT_SYMTAB:
        out.symbols.at = d->d_un.d_ptr;
        break;
      case DT_STRTAB:
        out.names.at = d->d_un.d_ptr;
        break;
      case DT_STRSZ:
        out.names.bytes = d->d_un.d_val;
        break;
      case DT_HASH:
        out.hashes.at = d->d_un.d_ptr;
        break;
      default:
        break;
    }
  }
  if (!out.hashes.at || !fits(out.hashes.at, 8, segments.code_end)) foreign("it has no table of symbols");
  uint32_t counts[2];  // of buckets and of symbols
  std::memcpy(counts, base + out.hashes.at, sizeof counts);
  out.symbols.bytes = counts[1] * sizeof(Elf64_Sym);
  for (const Tables::Table& t : {out.relocations, out.jumps, out.symbols, out.names})
    if (!fits(t.at, t.bytes, segments.code_end)) foreign("its tables are damaged");
  return out;
}

// Puts the addresses that the code asks for into it.
void relocate(char* base, const Segments& segments, const Tables& tables) {
  auto* symbols = reinterpret_cast<const Elf64_Sym*>(base + tables.symbols.at);
  const char* names = base + tables.names.at;
  auto value_of = [&](uint64_t index) -> uint64_t {
    if (index >= tables.symbols.bytes / sizeof(Elf64_Sym)) foreign("it is damaged");
    if (index == 0) return 0;
    const Elf64_Sym& s = symbols[index];
    return s.st_shndx != SHN_UNDEF ? reinterpret_cast<uint64_t>(base) + s.st_value
                                   : reinterpret_cast<uint64_t>(imported(names + s.st_name));
  };
  for (const Tables::Table& t : {tables.relocations, tables.jumps}) {
    auto* first = reinterpret_cast<const Elf64_Rela*>(base + t.at);
    for (auto* r = first; r != first + t.bytes / sizeof *r; ++r) {
      if (!segments.hold(r->r_offset, 8)) foreign("it is damaged");
      uint64_t value = value_of(ELF64_R_SYM(r->r_info));
      switch (ELF64_R_TYPE(r->r_info)) {
        case R_X86_64_RELATIVE:
          value = reinterpret_cast<uint64_t>(base) + r->r_addend;
          break;
        case R_X86_64_64:
          value += r->r_addend;
          break;
        case R_X86_64_GLOB_DAT:
        case R_X86_64_JUMP_SLOT:
          break;
        default:
          foreign("it is linked in another way");
      }
      std::memcpy(base + r->r_offset, &value, sizeof value);
    }
  }
}

}  // namespace

struct Symbol : Elf64_Sym {};

CpuImage::CpuImage(std::span<const std::byte> object, const char* runtime_name, const void* runtime) {
  Segments segments = segments_of(object);
  place_ = take_place(segments.code_end, segments.data_end - segments.data_start, segments.data_start, segments.alignment);
  std::unique_ptr<Mapping, void (*)(Mapping*)> undo(&place_, [](Mapping* place) {
    if (!place->alone) mprotect(place->base, place->code, PROT_READ | PROT_EXEC);
    give_back(*place);
  });
  char* base = place_.base;
  protect(base, place_.code, PROT_READ | PROT_WRITE);
  for (const Elf64_Phdr& s : segments.headers)
    if (s.p_type == PT_LOAD && s.p_filesz) std::memcpy(base + s.p_vaddr, object.data() + s.p_offset, s.p_filesz);

  Tables tables = tables_of(base, segments);
  symbols_ = reinterpret_cast<const Symbol*>(base + tables.symbols.at);
  symbol_count_ = tables.symbols.bytes / sizeof(Elf64_Sym);
  names_ = base + tables.names.at;
  if (tables.names.bytes == 0 || names_[tables.names.bytes - 1] != 0) foreign("its names are damaged");
  for (size_t i = 0; i < symbol_count_; ++i)
    if (symbols_[i].st_name >= tables.names.bytes) foreign("its names are damaged");
  relocate(base, segments, tables);

  auto* wanted = static_cast<const char*>(symbol(runtime_name));
  if (!wanted || !fits(wanted - base, sizeof runtime, segments.code_end)) foreign("it does not ask for the runtime");
  std::memcpy(const_cast<char*>(wanted), &runtime, sizeof runtime);
  protect(base, place_.code, PROT_READ | PROT_EXEC);
  undo.release();
}

CpuImage::~CpuImage() { give_back(place_); }

const void* CpuImage::symbol(const char* name) const {
  for (size_t i = 1; i < symbol_count_; ++i) {
    const Symbol& s = symbols_[i];
    if (s.st_shndx != SHN_UNDEF && std::string_view(names_ + s.st_name) == name) return place_.base + s.st_value;
  }
  return nullptr;
}

}  // namespace quern
