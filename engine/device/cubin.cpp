// A reader of cubins. Kernels are functions in sections .text.<symbol> that carry the entry flag; the sizes of their parameters
// stand in .nv.info.<symbol>. Nothing of the file is trusted: it may come from a damaged cache.
#include "device/cubin.h"

#include "compile/c_kernels.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace quern {
namespace {

constexpr unsigned char entry_flag = 0x10;  // in st_other of a kernel

// Records of .nv.info: format, attribute, then two bytes of value, or their count and a block.
constexpr uint8_t format_block = 4;
constexpr uint8_t attribute_param = 0x17;     // ordinal, offset: 16 bits each after 32 bits; size in the upper 14 of 32 bits
constexpr uint8_t attribute_param_v2 = 0x45;  // parameters of more than 4 KiB: size in the lower 24 bits

using Bytes = std::span<const std::byte>;

template <class T>
bool read_at(Bytes bytes, uint64_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

std::string_view string_at(Bytes table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const char* start = reinterpret_cast<const char*>(table.data()) + offset;
  return {start, strnlen(start, table.size() - offset)};
}

struct Section {
  std::string_view name;
  uint32_t type = 0, link = 0;
  Bytes bytes;
};

bool read_sections(Bytes file, std::vector<Section>& sections) {
  Elf64_Ehdr header;
  if (!read_at(file, 0, header) || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0) return false;
  std::vector<Elf64_Shdr> headers(header.e_shnum);
  for (size_t i = 0; i < headers.size(); ++i) {
    if (!read_at(file, header.e_shoff + i * sizeof(Elf64_Shdr), headers[i])) return false;
    Section section;
    section.type = headers[i].sh_type;
    section.link = headers[i].sh_link;
    uint64_t start = headers[i].sh_offset, size = headers[i].sh_size;
    if (section.type != SHT_NOBITS && section.type != SHT_NULL) {
      if (start > file.size() || file.size() - start < size) return false;
      section.bytes = file.subspan(start, size);
    }
    sections.push_back(section);
  }
  if (header.e_shstrndx >= sections.size()) return false;
  for (size_t i = 0; i < headers.size(); ++i) {
    sections[i].name = string_at(sections[header.e_shstrndx].bytes, headers[i].sh_name);
  }
  return true;
}

void read_params(Bytes info, CubinKernel& kernel) {
  struct Found {
    uint16_t ordinal;
    CubinKernel::Param param;
  };
  std::vector<Found> found;
  uint64_t at = 0;
  while (at + 4 <= info.size()) {
    uint8_t format = 0, attribute = 0;
    uint16_t value = 0;
    read_at(info, at, format);
    read_at(info, at + 1, attribute);
    read_at(info, at + 2, value);
    if (format == format_block && (attribute == attribute_param || attribute == attribute_param_v2)) {
      uint16_t ordinal = 0, offset = 0;
      uint32_t bits = 0;
      if (!read_at(info, at + 8, ordinal) || !read_at(info, at + 10, offset) || !read_at(info, at + 12, bits)) return;
      found.push_back({ordinal, {offset, attribute == attribute_param ? bits >> 18 : bits & 0xffffff}});
    }
    at += 4 + (format == format_block ? value : 0u);
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.ordinal < b.ordinal; });
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].ordinal != i) return;
    kernel.params.push_back(found[i].param);
  }
  kernel.params_known = true;
}

std::optional<CubinContents> read_elf(Bytes file) {
  std::vector<Section> sections;
  if (!read_sections(file, sections)) return std::nullopt;
  CubinContents contents;
  for (const Section& table : sections) {
    if (table.type != SHT_SYMTAB || table.link >= sections.size()) continue;
    Bytes strings = sections[table.link].bytes;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      read_at(table.bytes, at, symbol);
      std::string_view name = string_at(strings, symbol.st_name);
      int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF) {
        contents.prints |= name == "vprintf";
        continue;
      }
      if (symbol.st_shndx >= sections.size() || name.empty()) continue;
      std::string_view section = sections[symbol.st_shndx].name;
      if (type == STT_FUNC && (symbol.st_other & entry_flag) && section.substr(0, 6) == ".text." && section.substr(6) == name) {
        CubinKernel kernel;
        kernel.symbol = std::string(name);
        std::string info = ".nv.info." + kernel.symbol;
        for (const Section& candidate : sections) {
          if (candidate.name == info) read_params(candidate.bytes, kernel);
        }
        if (!is_of_type_request(kernel.symbol)) contents.kernels.push_back(std::move(kernel));
      } else if (type == STT_OBJECT && name[0] != '$' && name[0] != '.' &&
                 (section.substr(0, 10) == ".nv.global" || section.substr(0, 12) == ".nv.constant")) {
        contents.globals.emplace_back(name);
      }
    }
  }
  return contents;
}

bool is_name(char c) {
  return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

std::string_view word_at(std::string_view text, size_t& at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n')) ++at;
  size_t start = at;
  while (at < text.size() && is_name(text[at])) ++at;
  return text.substr(start, at - start);
}

// PTX is only made for a GPU newer than the compiler; the driver reports the parameters.
CubinContents read_ptx(std::string_view text) {
  CubinContents contents;
  contents.is_ptx = true;
  contents.prints = text.find("vprintf") != std::string_view::npos;
  for (size_t at = text.find(".entry"); at != std::string_view::npos; at = text.find(".entry", at)) {
    at += 6;
    std::string_view name = word_at(text, at);
    CubinKernel kernel;
    kernel.symbol = std::string(name);
    if (!name.empty() && !is_of_type_request(name)) contents.kernels.push_back(std::move(kernel));
  }
  return contents;
}

}  // namespace

std::optional<CubinContents> read_cubin(std::span<const std::byte> code) {
  if (code.size() >= SELFMAG && std::memcmp(code.data(), ELFMAG, SELFMAG) == 0) return read_elf(code);
  std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
  if (text.find(".version") != std::string_view::npos && text.find(".target") != std::string_view::npos) return read_ptx(text);
  return std::nullopt;
}

}  // namespace quern
