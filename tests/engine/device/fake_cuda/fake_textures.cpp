// Arrays, textures and surfaces, in the stand-in for the driver: arrays are memory, copies are made at once, objects are numbers.
#include "device/cuda_driver.h"

#include <cstring>
#include <mutex>
#include <set>

using namespace quern::cuda;

extern "C" Result cuStreamSynchronize(StreamHandle stream);

namespace {

struct Array {
  ArrayDescription description;
  size_t texel_bytes;
  char* memory;
  size_t rows() const { return description.height ? description.height : 1; }
  size_t slices() const { return description.depth ? description.depth : 1; }
};

size_t component_bytes(int format) { return format == 1 || format == 8 ? 1 : format == 2 || format == 9 || format == 16 ? 2 : 4; }

std::mutex lock;
std::set<unsigned long long> objects;

Result make(unsigned long long* handle) {
  static unsigned long long last = 0;
  std::lock_guard hold(lock);
  objects.insert(*handle = ++last);
  return success;
}
Result destroy(unsigned long long handle) {
  std::lock_guard hold(lock);
  return objects.erase(handle) ? success : error_invalid_handle;
}

char* start_of(const CopySide& side, size_t& pitch, size_t& slice) {
  char* start;
  if (side.memory_type == memory_array) {
    auto* array = reinterpret_cast<Array*>(side.array);
    pitch = array->description.width * array->texel_bytes;
    slice = pitch * array->rows();
    start = array->memory;
  } else {
    pitch = side.pitch, slice = side.pitch * side.height;
    start = side.memory_type == memory_host ? static_cast<char*>(side.host) : reinterpret_cast<char*>(side.device);
  }
  return start + side.z * slice + side.y * pitch + side.x_bytes;
}

}  // namespace

extern "C" {

Result cuArray3DCreate_v2(ArrayHandle* out, const ArrayDescription* description) {
  auto* array = new Array{*description, component_bytes(description->format) * description->channels, nullptr};
  array->memory = new char[description->width * array->texel_bytes * array->rows() * array->slices()]();
  *out = reinterpret_cast<ArrayHandle>(array);
  return success;
}
Result cuArrayDestroy(ArrayHandle handle) {
  auto* array = reinterpret_cast<Array*>(handle);
  delete[] array->memory;
  delete array;
  return success;
}
Result cuMemcpy3DAsync_v2(const BoxCopy* copy, StreamHandle stream) {
  for (const CopySide* side : {&copy->from, &copy->to}) {
    if (side->memory_type != memory_array && (side->x_bytes + copy->width_bytes > side->pitch)) return error_invalid_value;
  }
  if (Result result = cuStreamSynchronize(stream)) return result;
  size_t from_pitch, from_slice, to_pitch, to_slice;
  char *from = start_of(copy->from, from_pitch, from_slice), *to = start_of(copy->to, to_pitch, to_slice);
  for (size_t z = 0; z < copy->depth; ++z)
    for (size_t y = 0; y < copy->height; ++y)
      std::memcpy(to + z * to_slice + y * to_pitch, from + z * from_slice + y * from_pitch, copy->width_bytes);
  return success;
}
Result cuTexObjectCreate(unsigned long long* out, const ResourceDescription*, const TextureDescription*, const void*) {
  return make(out);
}
Result cuTexObjectDestroy(unsigned long long handle) { return destroy(handle); }
Result cuSurfObjectCreate(unsigned long long* out, const ResourceDescription* resource) {
  auto* array = resource->type == resource_array ? reinterpret_cast<Array*>(resource->of.array) : nullptr;
  return array && array->description.flags & 2 ? make(out) : error_invalid_value;
}
Result cuSurfObjectDestroy(unsigned long long handle) { return destroy(handle); }

}  // extern "C"
