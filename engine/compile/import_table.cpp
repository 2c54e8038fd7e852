#include "compile/import_table.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace quern {

namespace {

// What the library's dynamic section says; glibc has added the base to addresses. 0: nothing.
uintptr_t entry_of(const link_map& library, ElfW(Sxword) tag) {
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == tag) return entry->d_un.d_ptr;
  }
  return 0;
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
  const auto* strings = reinterpret_cast<const char*>(entry_of(*map, DT_STRTAB));
  const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(entry_of(*map, DT_SYMTAB));
  if (!strings || !symbols) return false;
  bool found = false;
  constexpr std::pair<ElfW(Sxword), ElfW(Sxword)> tables[] = {{DT_JMPREL, DT_PLTRELSZ}, {DT_RELA, DT_RELASZ}};
  for (auto [table, bytes] : tables) {
    const auto* first = reinterpret_cast<const ElfW(Rela)*>(entry_of(*map, table));
    for (const ElfW(Rela) & relocation : std::span(first, first ? entry_of(*map, bytes) / sizeof *first : 0)) {
      auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const char* imported = strings + symbols[ELF64_R_SYM(relocation.r_info)].st_name;
      if (std::strcmp(imported, name) == 0) found |= store(map->l_addr + relocation.r_offset, function);
    }
  }
  return found;
}

}  // namespace quern
