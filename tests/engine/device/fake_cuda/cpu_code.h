// Code for the CPU that a "cubin" of the fake NVRTC carries: loaded and run by the engine's own CPU device.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct CpuKernel;
struct CpuGlobal {
  void* address = nullptr;
  size_t bytes = 0;
};

class CpuCode {
 public:
  virtual ~CpuCode() = default;
  virtual const CpuKernel* kernel(const std::string& symbol) = 0;
  virtual CpuGlobal global(const std::string& name) = 0;
};
std::unique_ptr<CpuCode> load_cpu_code(const char* code, size_t bytes);

struct CpuKernelInfo {
  int max_threads, shared;
  size_t params;
  size_t offset(size_t param) const;
  size_t bytes(size_t param) const;
  const CpuKernel* kernel;
};
CpuKernelInfo info_of(const CpuKernel& kernel);

// Done when it returns; "" or what went wrong.
std::string run_on_cpu(const CpuKernel& kernel, const unsigned grid[3], const unsigned block[3], unsigned shared,
                       bool cooperative, const void* args, size_t arg_bytes);
