#include "compile/import_table.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <span>

namespace quern {

namespace {

// What the loader has read of the library: where its calls of others are resolved.
struct Imports {
  uintptr_t base = 0;
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  std::span<const ElfW(Rela)> calls, others;
};

Imports imports_of(const link_map& library) {
  Imports imports;
  imports.base = library.l_addr;
  const ElfW(Rela)* calls = nullptr;
  const ElfW(Rela)* others = nullptr;
  size_t call_bytes = 0, other_bytes = 0;
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto* at = reinterpret_cast<const void*>(entry->d_un.d_ptr);  // glibc has added the base
    switch (entry->d_tag) {
      case DT_STRTAB:
        imports.strings = static_cast<const char*>(at);
        break;
      case DT_SYMTAB:
        imports.symbols = static_cast<const ElfW(Sym)*>(at);
        break;
      case DT_JMPREL:
        calls = static_cast<const ElfW(Rela)*>(at);
        break;
      case DT_PLTRELSZ:
        call_bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        others = static_cast<const ElfW(Rela)*>(at);
        break;
      case DT_RELASZ:
        other_bytes = entry->d_un.d_val;
        break;
    }
  }
  if (calls) imports.calls = {calls, call_bytes / sizeof *calls};
  if (others) imports.others = {others, other_bytes / sizeof *others};
  return imports;
}

// The loader may have made the page read-only.
bool store(uintptr_t slot, void* function) {
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  if (mprotect(reinterpret_cast<void*>(slot / page * page), page, PROT_READ | PROT_WRITE) != 0) return false;
  *reinterpret_cast<void**>(slot) = function;
  return true;
}

}  // namespace

bool redirect_import(void* library, const char* name, void* function) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
  Imports imports = imports_of(*map);
  if (!imports.strings || !imports.symbols) return false;
  bool found = false;
  for (std::span<const ElfW(Rela)> relocations : {imports.calls, imports.others}) {
    for (const ElfW(Rela) & relocation : relocations) {
      auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const char* imported = imports.strings + imports.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
      if (std::strcmp(imported, name) == 0) found |= store(imports.base + relocation.r_offset, function);
    }
  }
  return found;
}

}  // namespace quern
