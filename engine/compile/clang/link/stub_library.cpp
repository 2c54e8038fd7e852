#include "compile/clang/link/stub_library.h"

#include <elf.h>

#include <cstring>

namespace quern::plugin {
namespace {

enum Section { none, dynsym, dynstr, dynamic, section_count };

template <class T>
size_t append(std::vector<char>& file, const std::vector<T>& items) {
  file.resize((file.size() + 7) / 8 * 8);
  size_t at = file.size();
  file.resize(at + items.size() * sizeof(T));
  std::memcpy(file.data() + at, items.data(), items.size() * sizeof(T));
  return at;
}

Elf64_Shdr section(uint32_t type, size_t offset, size_t size, size_t entry_size, uint32_t link, uint32_t info) {
  Elf64_Shdr header = {};
  header.sh_type = type;
  header.sh_flags = SHF_ALLOC;
  header.sh_offset = header.sh_addr = offset;
  header.sh_size = size;
  header.sh_entsize = entry_size;
  header.sh_link = link;
  header.sh_info = info;
  header.sh_addralign = 8;
  return header;
}

}  // namespace

std::vector<char> stub_library(const std::string& soname, const std::vector<std::string>& symbols) {
  std::vector<char> strings(1, '\0');
  auto intern = [&](const std::string& text) {
    auto at = static_cast<uint32_t>(strings.size());
    strings.insert(strings.end(), text.c_str(), text.c_str() + text.size() + 1);
    return at;
  };
  std::vector<Elf64_Sym> table(1);
  for (const std::string& name : symbols) {
    Elf64_Sym symbol = {};
    symbol.st_name = intern(name);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = dynsym;  // any section will do: it only has to be defined
    table.push_back(symbol);
  }
  std::vector<Elf64_Dyn> tags(2);
  tags[0].d_tag = DT_SONAME;
  tags[0].d_un.d_val = intern(soname);
  tags[1].d_tag = DT_NULL;

  std::vector<char> file(sizeof(Elf64_Ehdr));
  size_t table_at = append(file, table);
  size_t strings_at = append(file, strings);
  size_t tags_at = append(file, tags);
  std::vector<Elf64_Shdr> sections(section_count);
  sections[dynsym] = section(SHT_DYNSYM, table_at, table.size() * sizeof(Elf64_Sym), sizeof(Elf64_Sym), dynstr, 1);
  sections[dynstr] = section(SHT_STRTAB, strings_at, strings.size(), 0, 0, 0);
  sections[dynamic] = section(SHT_DYNAMIC, tags_at, tags.size() * sizeof(Elf64_Dyn), sizeof(Elf64_Dyn), dynstr, 0);
  size_t sections_at = append(file, sections);

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = section_count;
  header.e_shoff = sections_at;
  header.e_shstrndx = dynstr;  // all names are empty, and its first byte is one
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

}  // namespace quern::plugin
