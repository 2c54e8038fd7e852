// File: quern/kernel.h
//
// Kernels from CUDA C++ source. A Program is source compiled for one device (or taken from the cache); a Kernel is one of its
// __global__ functions. Arguments are checked against the kernel's parameters: buffers and C-contiguous arrays for pointers,
// scalars and trivially copyable structs for values.
//
//   qn::Program program(device, R"(
//     __global__ void scale(float* x, float a, int n) {
//       int i = blockIdx.x * blockDim.x + threadIdx.x;
//       if (i < n) x[i] *= a;
//     })");
//   qn::Kernel scale = program.kernel("scale");
//   scale({(n + 255) / 256}, {256}, x, 2.0f, n);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "quern/buffer.h"
#include "quern/device.h"

namespace quern {
class Kernel;
class Program;
}  // namespace quern

namespace qn {

class Array;  // array.h

// The dimensions of a grid or a block: {x}, {x, y} or {x, y, z}.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

// Options of the compilation of CUDA C++ source.
struct CompileOptions {
  std::vector<std::string> flags;             // "-DN=4", "--use_fast_math"
  std::vector<std::string> name_expressions;  // instantiations of templates: "reduce<float>"
};

namespace detail {

// How an argument is checked against the kernel's parameter.
enum class ArgumentKind : uint8_t { pointer, boolean, integer, unsigned_integer, floating, bytes };

// An argument of a launch.
struct Argument {
  ArgumentKind kind;
  const void* data;  // the value, or the address for a pointer
  size_t size;
  quern::Block* block = nullptr;
};

template <class T>
Argument argument(const Buffer<T>& buffer) {
  return {ArgumentKind::pointer, buffer.pointer(), sizeof(void*), buffer.memory().block()};
}

Argument argument(const Array& array);

template <class T>
Argument argument(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>, "a kernel's argument is a Buffer, a number or a plain struct");
  if constexpr (std::is_pointer_v<T>) return {ArgumentKind::pointer, value, sizeof(void*)};
  constexpr ArgumentKind kind = std::is_same_v<T, bool>                        ? ArgumentKind::boolean
                                : std::is_floating_point_v<T>                  ? ArgumentKind::floating
                                : std::is_integral_v<T> && std::is_signed_v<T> ? ArgumentKind::integer
                                : std::is_integral_v<T>                        ? ArgumentKind::unsigned_integer
                                                                               : ArgumentKind::bytes;
  return {kind, &value, sizeof(T)};
}

}  // namespace detail

// The configuration of a launch.
struct Launch {
  Dim3 grid, block;
  uint32_t shared_bytes = 0;       // dynamic shared memory
  const Stream* stream = nullptr;  // default: the device's default stream
  bool cooperative = false;
};

// A compiled kernel of a Program.
class Kernel {
 public:
  // Launches asynchronously; an error of the kernel is thrown by the next call that waits.
  template <class... Args>
  void operator()(Dim3 grid, Dim3 block, const Args&... args) const {
    (*this)(Launch{grid, block}, args...);
  }
  template <class... Args>
  void operator()(const Launch& launch, const Args&... args) const {
    const std::array<detail::Argument, sizeof...(Args)> values{detail::argument(args)...};
    submit(launch, values.data(), values.size());
  }
  std::string name() const;       // as in the source, or the name expression
  std::string signature() const;  // "float*, float, int"; "" if unknown

 private:
  friend class Program;
  explicit Kernel(std::shared_ptr<quern::Kernel> handle) : handle_(std::move(handle)) {}
  void submit(const Launch& launch, const detail::Argument* values, size_t count) const;
  std::shared_ptr<quern::Kernel> handle_;
};

// CUDA C++ source, compiled for a device.
class Program {
 public:
  // Throws ErrorKind::compile with the compiler's log.
  Program(const Device& device, const std::string& source, const CompileOptions& options = {});
  // Finds a kernel by its name or by a name expression of the options. Throws ErrorKind::logic, listing the kernels, if there is
  // none.
  Kernel kernel(const std::string& name) const;
  std::string log() const;  // the compiler's warnings

 private:
  std::shared_ptr<quern::Program> handle_;
};

}  // namespace qn
