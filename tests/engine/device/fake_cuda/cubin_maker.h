// Makes small cubins for tests: ELF files with the sections and symbols that device/cubin.cpp looks for, and no code.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace quern {

struct MadeKernel {
  std::string symbol;
  std::vector<std::pair<uint16_t, uint32_t>> params;  // offset, size
};

class CubinMaker {
 public:
  CubinMaker& kernel(MadeKernel kernel) {
    kernels_.push_back(std::move(kernel));
    return *this;
  }
  CubinMaker& global(std::string symbol) {
    globals_.push_back(std::move(symbol));
    return *this;
  }
  CubinMaker& carries(std::string section, std::string content) {
    carried_.emplace_back(std::move(section), std::move(content));
    return *this;
  }
  CubinMaker& prints() {
    prints_ = true;
    return *this;
  }

  std::vector<std::byte> make() {
    bytes_.assign(sizeof(Elf64_Ehdr), 0);
    headers_.assign(1, {});
    names_ = strings_ = std::string(1, '\0');
    std::vector<Elf64_Sym> symbols(1);
    size_t data = section(".nv.global", SHT_PROGBITS, std::string(64, '\0'));
    for (const MadeKernel& kernel : kernels_) {
      size_t text = section(".text." + kernel.symbol, SHT_PROGBITS, std::string(16, '\1'));
      section(".nv.info." + kernel.symbol, SHT_LOPROC, info(kernel));
      symbols.push_back(symbol(kernel.symbol, STT_FUNC, 0x10, text));
      symbols.push_back(symbol("$" + kernel.symbol + "$helper", STT_FUNC, 0, text));  // no kernel
    }
    for (const std::string& global : globals_) symbols.push_back(symbol(global, STT_OBJECT, 0, data));
    if (prints_) symbols.push_back(symbol("vprintf", STT_FUNC, 0, SHN_UNDEF));
    for (const auto& [name, content] : carried_) section(name, SHT_PROGBITS, content);
    std::string table(reinterpret_cast<const char*>(symbols.data()), symbols.size() * sizeof(Elf64_Sym));
    size_t symtab = section(".symtab", SHT_SYMTAB, table);
    headers_[symtab].sh_link = static_cast<Elf64_Word>(section(".strtab", SHT_STRTAB, strings_));
    size_t own = add_name(".shstrtab");
    std::string names = names_;
    headers_.push_back(header(own, SHT_STRTAB, names));

    Elf64_Ehdr elf{};
    std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = ELFCLASS64;
    elf.e_shoff = bytes_.size();
    elf.e_shentsize = sizeof(Elf64_Shdr);
    elf.e_shnum = static_cast<Elf64_Half>(headers_.size());
    elf.e_shstrndx = static_cast<Elf64_Half>(headers_.size() - 1);
    std::memcpy(bytes_.data(), &elf, sizeof elf);
    bytes_.append(reinterpret_cast<const char*>(headers_.data()), headers_.size() * sizeof(Elf64_Shdr));
    std::vector<std::byte> result(bytes_.size());
    std::memcpy(result.data(), bytes_.data(), bytes_.size());
    return result;
  }

 private:
  static std::string info(const MadeKernel& kernel) {
    std::string text;
    auto put = [&](uint32_t value, size_t bytes) { text.append(reinterpret_cast<const char*>(&value), bytes); };
    put(0x00802f03, 4);  // a record with a short value, to be skipped
    for (size_t i = kernel.params.size(); i-- > 0;) {
      put(0x04, 1);
      put(0x17, 1);
      put(12, 2);
      put(0, 4);
      put(static_cast<uint32_t>(i), 2);
      put(kernel.params[i].first, 2);
      put(kernel.params[i].second << 18 | 0x1f000, 4);
    }
    return text;
  }
  size_t add_name(const std::string& name) {
    size_t at = names_.size();
    names_.append(name.c_str(), name.size() + 1);
    return at;
  }
  Elf64_Shdr header(size_t name, Elf64_Word type, const std::string& content) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(name);
    header.sh_type = type;
    header.sh_offset = bytes_.size();
    header.sh_size = content.size();
    bytes_ += content;
    return header;
  }
  size_t section(const std::string& name, Elf64_Word type, const std::string& content) {
    headers_.push_back(header(add_name(name), type, content));
    return headers_.size() - 1;
  }
  Elf64_Sym symbol(const std::string& name, unsigned type, unsigned char other, size_t section) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(strings_.size());
    strings_.append(name.c_str(), name.size() + 1);
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
    symbol.st_other = other;
    symbol.st_shndx = static_cast<Elf64_Half>(section);
    return symbol;
  }

  std::vector<MadeKernel> kernels_;
  std::vector<std::string> globals_;
  std::vector<std::pair<std::string, std::string>> carried_;
  bool prints_ = false;
  std::string bytes_, names_, strings_;
  std::vector<Elf64_Shdr> headers_;
};

}  // namespace quern
