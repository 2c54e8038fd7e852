// Arrays, textures and surfaces on a GPU: the driver's.
#include "core/error.h"
#include "device/cuda.h"
#include "device/textures.h"

#include <map>

namespace quern {

using namespace cuda;

namespace {

class CudaArray final : public DeviceArray {
 public:
  CudaArray(CudaDevice& device, const ArrayShape& shape, ArrayHandle handle)
      : DeviceArray(shape), handle(handle), device_(device) {}
  ~CudaArray() override {
    if (!device_.usable()) return;
    try {
      Use use(device_, "release");
      if (use) device_.note(driver().cuArrayDestroy(handle));
    } catch (...) {
    }
  }
  uintptr_t native() override { return reinterpret_cast<uintptr_t>(handle); }
  const ArrayHandle handle;

 private:
  CudaDevice& device_;
};

CopySide side_of(const BoxSide& side) {
  CopySide out{};
  out.x_bytes = side.x_bytes, out.y = side.y, out.z = side.z;
  out.pitch = side.pitch, out.height = side.rows;
  if (side.array) {
    out.memory_type = memory_array;
    out.array = static_cast<CudaArray*>(side.array)->handle;
  } else if (side.on_host) {
    out.memory_type = memory_host;
    out.host = side.memory;
  } else {
    out.memory_type = memory_device;
    out.device = static_cast<Address>(reinterpret_cast<uintptr_t>(side.memory));
  }
  return out;
}

class CudaTextures final : public Textures {
 public:
  explicit CudaTextures(CudaDevice& device) : device_(device) {}

  std::unique_ptr<DeviceArray> create_array(const ArrayShape& shape) override {
    Use use(device_, "Array");
    ArrayHandle handle = nullptr;
    if (use) {
      ArrayDescription description{shape.width,          shape.height, shape.depth, static_cast<int>(shape.texel.format),
                                   shape.texel.channels, shape.flags};
      Result result = driver().cuArray3DCreate_v2(&handle, &description);
      if (result == error_out_of_memory) return nullptr;
      device_.check(result, "Array", "cuArray3DCreate");
    }
    return std::make_unique<CudaArray>(device_, shape, handle);
  }

  void copy(Stream& stream, const BoxSide& to, const BoxSide& from, const Box& box) override {
    Use use(device_, "copy");
    if (!use) return;
    StreamHandle s = device_.own(stream, "copy").handle();
    BoxCopy copy{side_of(from), side_of(to), box.width_bytes, box.height, box.depth};
    if (to.on_host) {
      device_.before_wait();
      stream.synchronize();
    }
    QUERN_CU(device_, "copy", cuMemcpy3DAsync_v2(&copy, s));
    if (from.on_host || to.on_host) stream.synchronize();
  }

  uint64_t create_texture(const TextureSource& source, const TextureSettings& settings) override {
    ResourceDescription resource = source.array ? of_array(*source.array) : ResourceDescription{};
    if (!source.array) {
      auto memory = static_cast<Address>(reinterpret_cast<uintptr_t>(source.memory));
      int format = static_cast<int>(source.texel.format);
      if (source.height == 0) {
        resource.type = resource_linear;
        resource.of.linear = {memory, format, source.texel.channels, source.bytes};
      } else {
        resource.type = resource_pitched;
        resource.of.pitched = {memory, format, source.texel.channels, source.width, source.height, source.pitch};
      }
    }
    TextureDescription texture{};
    // An array of one axis has a second one for the hardware: with a border there, linear filtering would blend it in.
    size_t axes = !source.array || source.array->shape.height ? 3 : 1;
    for (size_t axis = 0; axis < 3; ++axis)
      texture.address_mode[axis] = static_cast<int>(axis < axes ? settings.address[axis] : AddressMode::clamp);
    texture.filter_mode = settings.linear_filter;
    texture.flags = (settings.normalized_floats ? 0u : texture_read_as_integer) |
                    (settings.normalized_coordinates ? texture_normalized_coordinates : 0u);
    texture.max_anisotropy = settings.max_anisotropy;
    for (size_t c = 0; c < 4; ++c) texture.border[c] = settings.border[c];
    Use use(device_, "texture");
    unsigned long long handle = 0;
    if (use) QUERN_CU(device_, "texture", cuTexObjectCreate(&handle, &resource, &texture, nullptr));
    return handle;
  }

  uint64_t create_surface(DeviceArray& array) override {
    Use use(device_, "surface");
    ResourceDescription resource = of_array(array);
    unsigned long long handle = 0;
    if (use) QUERN_CU(device_, "surface", cuSurfObjectCreate(&handle, &resource));
    return handle;
  }

  void destroy_texture(uint64_t handle) noexcept override { destroy(handle, driver().cuTexObjectDestroy); }
  void destroy_surface(uint64_t handle) noexcept override { destroy(handle, driver().cuSurfObjectDestroy); }

 private:
  static ResourceDescription of_array(DeviceArray& array) {
    ResourceDescription resource{};
    resource.type = resource_array;
    resource.of.array = static_cast<CudaArray&>(array).handle;
    return resource;
  }

  void destroy(uint64_t handle, Result (*call)(unsigned long long)) noexcept {
    if (!device_.usable()) return;
    try {
      Use use(device_, "destroy");
      if (use) device_.note(call(handle));
    } catch (...) {
    }
  }

  CudaDevice& device_;
};

}  // namespace

Textures& cuda_textures_of(Device& device) {
  static std::mutex lock;
  static auto& made = *new std::map<Device*, CudaTextures*>;  // never destroyed, as devices
  std::lock_guard hold(lock);
  CudaTextures*& textures = made[&device];
  if (!textures) textures = new CudaTextures(static_cast<CudaDevice&>(device));
  return *textures;
}

}  // namespace quern
