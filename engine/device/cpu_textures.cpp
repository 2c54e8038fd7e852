// Arrays, textures and surfaces on the CPU: arrays are memory without gaps; what kernels find by a handle is an entry of
// cpu_textures (compile/cpu_module.h), which codegen/prelude/quern/texture.cuh reads.
#include "core/error.h"
#include "device/cpu.h"
#include "device/textures.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace quern {

QuernCpuTexture cpu_textures[QUERN_CPU_TEXTURES];

namespace {

class CpuArray final : public DeviceArray {
 public:
  CpuArray(Device& device, const ArrayShape& shape, char* memory) : DeviceArray(shape), memory(memory), device_(device) {}
  ~CpuArray() override { device_.release(memory); }
  uintptr_t native() override { return reinterpret_cast<uintptr_t>(memory); }
  char* const memory;

 private:
  Device& device_;
};

uint8_t code_of(const Texel& texel, bool normalized) {
  uint8_t add = normalized ? QUERN_TEXEL_NORMALIZED : 0;
  switch (texel.format) {
    case TexelFormat::half:
      return QUERN_TEXEL_HALF;
    case TexelFormat::unsigned_8:
      return static_cast<uint8_t>(QUERN_TEXEL_UNSIGNED_8 + add);
    case TexelFormat::signed_8:
      return static_cast<uint8_t>(QUERN_TEXEL_SIGNED_8 + add);
    case TexelFormat::unsigned_16:
      return static_cast<uint8_t>(QUERN_TEXEL_UNSIGNED_16 + add);
    case TexelFormat::signed_16:
      return static_cast<uint8_t>(QUERN_TEXEL_SIGNED_16 + add);
    default:
      return QUERN_TEXEL_WORD;
  }
}

// The nearest number that a texel of integers stands for, as GPUs keep the border's colour: halves go down.
float as_texel(float number, TexelFormat format) {
  float most = format == TexelFormat::unsigned_8    ? 255.0f
               : format == TexelFormat::signed_8    ? 127.0f
               : format == TexelFormat::unsigned_16 ? 65535.0f
               : format == TexelFormat::signed_16   ? 32767.0f
                                                    : 0.0f;
  if (most == 0.0f) return number;
  bool is_signed = format == TexelFormat::signed_8 || format == TexelFormat::signed_16;
  return std::ceil(std::clamp(number, is_signed ? -1.0f : 0.0f, 1.0f) * most - 0.5f) / most;
}

// One side of a copy as plain memory.
struct Rows {
  char* start;
  size_t pitch, slice;
  explicit Rows(const BoxSide& side) {
    if (side.array) {
      pitch = side.array->shape.row_bytes();
      slice = pitch * side.array->shape.rows();
      start = static_cast<CpuArray*>(side.array)->memory;
    } else {
      pitch = side.pitch, slice = side.pitch * side.rows;
      start = static_cast<char*>(side.memory);
    }
    start += side.z * slice + side.y * pitch + side.x_bytes;
  }
};

class CpuTextures final : public Textures {
 public:
  explicit CpuTextures(CpuDevice& device) : device_(device) {}

  std::unique_ptr<DeviceArray> create_array(const ArrayShape& shape) override {
    auto* memory = static_cast<char*>(device_.allocate(shape.row_bytes() * shape.rows() * shape.slices()));
    return memory ? std::make_unique<CpuArray>(device_, shape, memory) : nullptr;
  }

  void copy(Stream& stream, const BoxSide& to, const BoxSide& from, const Box& box) override {
    auto& on = static_cast<CpuStream&>(stream);
    auto rows = [to = Rows(to), from = Rows(from), box] {
      for (size_t z = 0; z < box.depth; ++z)
        for (size_t y = 0; y < box.height; ++y)
          std::memcpy(to.start + z * to.slice + y * to.pitch, from.start + z * from.slice + y * from.pitch, box.width_bytes);
    };
    auto fill = [&](Command& command) {
      command.what = Command::What::call;
      command.call = rows;
    };
    bool host_waits = false;
    for (const BoxSide* side : {&to, &from}) {
      size_t bytes = ((box.depth - 1) * side->rows + box.height) * side->pitch;
      host_waits |= side->on_host && !device_.is_exposed(side->memory, bytes);
    }
    if (!host_waits) {
      on.submit(fill);
      return;
    }
    wait_until(*on.state, on.submit(fill, CpuStream::Wake::by_waiter));
    if (to.on_host) raise_failure(*on.state);
  }

  uint64_t create_texture(const TextureSource& source, const TextureSettings& settings) override {
    QuernCpuTexture entry = source.array ? of_array(*source.array) : QuernCpuTexture{};
    const Texel& texel = source.array ? source.array->shape.texel : source.texel;
    if (!source.array) {
      bool has_rows = source.height > 0;
      entry.data = static_cast<char*>(source.memory);
      entry.extent[0] = static_cast<int32_t>(has_rows ? source.width : source.bytes / texel.bytes());
      entry.extent[1] = static_cast<int32_t>(has_rows ? source.height : 1);
      entry.extent[2] = 1;
      entry.pitch = static_cast<int64_t>(source.pitch);
    }
    entry.what = QUERN_TEXTURE_TEXTURE;
    entry.code = code_of(texel, settings.normalized_floats);
    entry.channels = static_cast<uint8_t>(texel.channels);
    entry.texel_bytes = static_cast<uint8_t>(texel.bytes());
    for (size_t axis = 0; axis < 3; ++axis) {
      AddressMode mode = settings.address[axis];  // those that repeat need coordinates from 0 to 1
      if (!settings.normalized_coordinates && mode != AddressMode::border) mode = AddressMode::clamp;
      entry.address[axis] = static_cast<uint8_t>(mode);
    }
    entry.is_linear = settings.linear_filter;
    entry.is_normalized = settings.normalized_coordinates;
    for (size_t c = 0; c < 4; ++c)
      entry.border[c] =
          std::bit_cast<uint32_t>(settings.normalized_floats ? as_texel(settings.border[c], texel.format) : settings.border[c]);
    return put(entry);
  }

  uint64_t create_surface(DeviceArray& array) override {
    QuernCpuTexture entry = of_array(array);
    entry.what = QUERN_TEXTURE_SURFACE;
    return put(entry);
  }

  void destroy_texture(uint64_t handle) noexcept override {
    auto number = static_cast<uint32_t>(handle);
    std::lock_guard hold(lock_);
    if (number >= used_ || cpu_textures[number].generation != handle >> 32) return;
    cpu_textures[number].what = QUERN_TEXTURE_FREE;
    free_.push_back(number);
  }
  void destroy_surface(uint64_t handle) noexcept override { destroy_texture(handle); }

 private:
  static QuernCpuTexture of_array(DeviceArray& array) {
    const ArrayShape& shape = array.shape;
    QuernCpuTexture entry{};
    entry.data = static_cast<CpuArray&>(array).memory;
    entry.pitch = static_cast<int64_t>(shape.row_bytes());
    entry.slice = static_cast<int64_t>(shape.row_bytes() * shape.rows());
    entry.extent[0] = static_cast<int32_t>(shape.width);
    entry.extent[1] = static_cast<int32_t>(shape.rows());
    entry.extent[2] = static_cast<int32_t>(shape.slices());
    entry.channels = static_cast<uint8_t>(shape.texel.channels);
    entry.texel_bytes = static_cast<uint8_t>(shape.texel.bytes());
    return entry;
  }

  uint64_t put(QuernCpuTexture entry) {
    std::lock_guard hold(lock_);
    uint32_t number = used_;
    if (!free_.empty()) {
      number = free_.back();
      free_.pop_back();
    } else if (used_ == QUERN_CPU_TEXTURES) {
      raise(ErrorKind::runtime, "[texture] {} texture and surface objects exist, which is the limit; destroy some",
            QUERN_CPU_TEXTURES);
    } else {
      ++used_;
    }
    entry.generation = cpu_textures[number].generation + 1;
    cpu_textures[number] = entry;
    return uint64_t{entry.generation} << 32 | number;
  }

  CpuDevice& device_;
  std::mutex lock_;
  uint32_t used_ = 0;
  std::vector<uint32_t> free_;
};

}  // namespace

Textures& cpu_textures_of(Device& device) {
  static auto& made = *new CpuTextures(static_cast<CpuDevice&>(device));
  return made;
}

}  // namespace quern
