// What arrays, textures and surfaces may be, on every device. See textures.h.
#include "device/textures.h"

#include "core/error.h"

#include <algorithm>

namespace quern {

Textures& textures(Device& device) { return device.kind == DeviceKind::cpu ? cpu_textures_of(device) : cuda_textures_of(device); }

size_t Texel::bytes() const {
  switch (format) {
    case TexelFormat::unsigned_8:
    case TexelFormat::signed_8:
      return channels;
    case TexelFormat::unsigned_16:
    case TexelFormat::signed_16:
    case TexelFormat::half:
      return 2 * channels;
    default:
      return 4 * channels;
  }
}

Texel checked_texel(const char* op, int format, int channels) {
  switch (format) {
    case 0x01:
    case 0x02:
    case 0x03:
    case 0x08:
    case 0x09:
    case 0x0a:
    case 0x10:
    case 0x20:
      break;
    default:
      raise(ErrorKind::logic, "[{}] {} is not a texel format; use one of array_format", op, format);
  }
  if (channels != 1 && channels != 2 && channels != 4)
    raise(ErrorKind::logic, "[{}] texels have 1, 2 or 4 channels, not {}{}", op, channels,
          channels == 3 ? "; leave the fourth unused" : "");
  return {static_cast<TexelFormat>(format), static_cast<unsigned>(channels)};
}

void check(const ArrayShape& shape) {
  using namespace texture_limits;
  struct Limit {
    const char* what;
    size_t width, height, depth;
  };
  bool layered = shape.flags & array_layered;
  if (shape.flags & (array_cubemap | array_gather))
    raise(ErrorKind::logic, "[Array] cube maps and arrays for gathering are not supported; layers are (array3d_flags.LAYERED)");
  if (layered && shape.depth == 0) raise(ErrorKind::logic, "[Array] a layered array needs its number of layers, as its depth");
  Limit limit = layered && shape.height ? Limit{"layered array of rows", of_layers, of_layers, layers}
                : layered               ? Limit{"layered array", of_layers, 0, layers}
                : shape.depth           ? Limit{"array of three axes", of_three_axes, of_three_axes, of_three_axes}
                : shape.height          ? Limit{"array of two axes", width, height, 0}
                                        : Limit{"array of one axis", width, 0, 0};
  if (!layered && shape.depth && !shape.height) raise(ErrorKind::logic, "[Array] an array with a depth needs a height");
  if (shape.width == 0 || shape.width > limit.width || shape.height > limit.height || shape.depth > limit.depth)
    raise(ErrorKind::logic, "[Array] {} x {} x {} texels; an {} has from 1 to {} x {} x {}", shape.width, shape.rows(),
          shape.slices(), limit.what, limit.width, std::max<size_t>(limit.height, 1), std::max<size_t>(limit.depth, 1));
}

void check(const TextureSource& source, const TextureSettings& settings) {
  const Texel& texel = source.array ? source.array->shape.texel : source.texel;
  bool wide = texel.is_integer() && texel.bytes() == 4 * texel.channels;
  if (wide && settings.normalized_floats)
    raise(ErrorKind::logic, "[texture] integers of 32 bits are not read as normalised floats; those of 8 and 16 bits are");
  if (settings.linear_filter && texel.is_integer() && !settings.normalized_floats)
    raise(ErrorKind::logic,
          "[texture] a linear filter needs floats: read the integers as normalised floats, or filter by the nearest point");
  if (source.array) return;
  if (!source.memory) raise(ErrorKind::logic, "[texture] there is no array or memory to read");
  if (source.height == 0) {
    constexpr size_t most = texture_limits::linear;
    size_t texels = source.bytes / texel.bytes();
    if (texels == 0 || texels > most)
      raise(ErrorKind::logic, "[texture] {} bytes are {} texels of {}; memory without rows has from 1 to {}", source.bytes,
            texels, texel.bytes(), most);
    if (settings.linear_filter) raise(ErrorKind::logic, "[texture] memory without rows is not filtered; copy it to an array");
    return;
  }
  if (source.width == 0 || source.width > texture_limits::linear_width || source.height > texture_limits::linear_height)
    raise(ErrorKind::logic, "[texture] {} x {} texels; rows in memory are from 1 to {} x {}", source.width, source.height,
          texture_limits::linear_width, texture_limits::linear_height);
  if (source.pitch < source.width * texel.bytes())
    raise(ErrorKind::logic, "[texture] rows of {} texels of {} bytes do not fit into a pitch of {} bytes", source.width,
          texel.bytes(), source.pitch);
}

void check_surface(const DeviceArray& array) {
  if (!(array.shape.flags & array_surface))
    raise(
        ErrorKind::logic,
        "[surface] the array was not created for surfaces: create it with array3d_flags.SURFACE_LDST, or allowSurfaceBind=True");
}

void check(const BoxSide& side, const char* name, const Box& box) {
  if (!side.array) return;
  const ArrayShape& shape = side.array->shape;
  auto fits = [](size_t start, size_t size, size_t whole) { return start <= whole && size <= whole - start; };
  if (!fits(side.x_bytes, box.width_bytes, shape.row_bytes()) || !fits(side.y, box.height, shape.rows()) ||
      !fits(side.z, box.depth, shape.slices()))
    raise(ErrorKind::logic,
          "[copy] {} bytes x {} x {} from ({}, {}, {}) on are not inside the {} array, which has {} bytes x {} x {}",
          box.width_bytes, box.height, box.depth, side.x_bytes, side.y, side.z, name, shape.row_bytes(), shape.rows(),
          shape.slices());
  if (side.x_bytes % shape.texel.bytes() || box.width_bytes % shape.texel.bytes())
    raise(ErrorKind::logic, "[copy] {} bytes from byte {} on are not whole texels of {} bytes", box.width_bytes, side.x_bytes,
          shape.texel.bytes());
}

}  // namespace quern
