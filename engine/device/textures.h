// The second part of the device contract: arrays that only textures and surfaces read, and texture and surface objects.
//
// textures.cpp checks what users ask for, with one message on every device; cpu_textures.cpp and cuda_textures.cpp do it.
// run/textures.h owns what is made here and lets go of it when no work needs it. Numbers and names follow the driver's
// (CUarray_format and related ones).
#pragma once

#include "device/device.h"

namespace quern {

enum class TexelFormat : int {
  unsigned_8 = 0x01,
  unsigned_16 = 0x02,
  unsigned_32 = 0x03,
  signed_8 = 0x08,
  signed_16 = 0x09,
  signed_32 = 0x0a,
  half = 0x10,
  real = 0x20,
};

struct Texel {
  TexelFormat format = TexelFormat::real;
  unsigned channels = 1;
  size_t bytes() const;
  bool is_integer() const { return format != TexelFormat::half && format != TexelFormat::real; }
};

enum : unsigned { array_layered = 1, array_surface = 2, array_cubemap = 4, array_gather = 8 };

// Extents as the driver's: a height of 0 says that there is one axis, a depth of 0 that there are two. The layers of a layered
// array are its depth.
struct ArrayShape {
  size_t width = 0, height = 0, depth = 0;
  Texel texel;
  unsigned flags = 0;
  size_t rows() const { return height ? height : 1; }
  size_t slices() const { return depth ? depth : 1; }
  size_t row_bytes() const { return width * texel.bytes(); }
};

class DeviceArray {
 public:
  explicit DeviceArray(const ArrayShape& shape) : shape(shape) {}
  virtual ~DeviceArray() = default;
  virtual uintptr_t native() = 0;
  const ArrayShape shape;
};

// One side of a copy: an array, or memory of rows `pitch` bytes apart in slices of `rows` rows; and where the box starts.
struct BoxSide {
  DeviceArray* array = nullptr;
  void* memory = nullptr;
  bool on_host = false;
  size_t x_bytes = 0, y = 0, z = 0, pitch = 0, rows = 0;
};
struct Box {
  size_t width_bytes = 0, height = 1, depth = 1;
};

// What a texture reads: an array, `bytes` of memory as one row of texels, or (height above 0) rows in memory.
struct TextureSource {
  DeviceArray* array = nullptr;
  void* memory = nullptr;
  size_t bytes = 0, width = 0, height = 0, pitch = 0;
  Texel texel;
};

enum class AddressMode : int { wrap = 0, clamp = 1, mirror = 2, border = 3 };

struct TextureSettings {
  std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool linear_filter = false;
  bool normalized_floats = false;  // integers are read as numbers from 0 or -1 to 1
  bool normalized_coordinates = false;
  std::array<float, 4> border{};
  unsigned max_anisotropy = 0;
};

// What GPUs of all generations in use take, in texels; attributes of the CPU tell the same.
namespace texture_limits {
constexpr size_t width = 131072, height = 65536;    // of arrays of one axis and two
constexpr size_t of_three_axes = 16384;             // each
constexpr size_t of_layers = 32768, layers = 2048;  // rows and columns of a layer; how many layers
constexpr size_t linear = size_t{1} << 27;          // of memory without rows
constexpr size_t linear_width = 131072, linear_height = 65000, linear_pitch = 2097120;  // of rows in memory; the last in bytes
}  // namespace texture_limits

class Textures {
 public:
  virtual ~Textures() = default;
  // Nullptr: out of memory.
  virtual std::unique_ptr<DeviceArray> create_array(const ArrayShape& shape) = 0;
  // As Device::copy(): host memory must live until it is done; what is not pinned has been read or written at the return.
  virtual void copy(Stream& stream, const BoxSide& to, const BoxSide& from, const Box& box) = 0;
  virtual uint64_t create_texture(const TextureSource& source, const TextureSettings& settings) = 0;
  virtual uint64_t create_surface(DeviceArray& array) = 0;
  virtual void destroy_texture(uint64_t handle) noexcept = 0;
  virtual void destroy_surface(uint64_t handle) noexcept = 0;
};
Textures& textures(Device& device);

// These raise ErrorKind::logic.
Texel checked_texel(const char* op, int format, int channels);
void check(const ArrayShape& shape);
void check(const TextureSource& source, const TextureSettings& settings);
void check_surface(const DeviceArray& array);
void check(const BoxSide& side, const char* name, const Box& box);

Textures& cpu_textures_of(Device& device);
Textures& cuda_textures_of(Device& device);

}  // namespace quern
