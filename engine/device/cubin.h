// What a GPU binary holds, read from its bytes: a cubin is an ELF file, PTX is text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quern {

struct CubinKernel {
  struct Param {
    uint32_t offset = 0, size = 0;
  };
  std::string symbol;
  std::vector<Param> params;
  bool params_known = false;
};

struct CubinContents {
  std::vector<CubinKernel> kernels;  // in the order of the symbol table
  std::vector<std::string> globals;  // symbols of __device__ and __constant__ variables
  bool prints = false;               // some kernel calls printf
  bool is_ptx = false;
};

// nullopt when the bytes are neither, or are damaged.
std::optional<CubinContents> read_cubin(std::span<const std::byte> code);

}  // namespace quern
