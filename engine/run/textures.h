// Arrays, textures and surfaces of a context, as long as somebody holds them and no submitted work may use them.
//
// Kernels find them by a handle that no launch names, so nobody knows which work uses which: what is let go of is kept until the
// device has nothing to do, or is waited for when there is much of it.
#pragma once

#include "device/textures.h"
#include "run/context.h"

#include <memory>

namespace quern {

using DeviceArrayPtr = std::shared_ptr<DeviceArray>;

// Raises ErrorKind::out_of_memory when releasing unused memory does not help.
DeviceArrayPtr make_array(Context& context, const ArrayShape& shape);

// A texture or surface object, and what it reads.
struct TextureObject {
  uint64_t handle;
  DeviceArrayPtr array;
};
using TextureObjectPtr = std::shared_ptr<TextureObject>;
TextureObjectPtr make_texture(Context& context, const TextureSource& source, const TextureSettings& settings,
                              DeviceArrayPtr array);
TextureObjectPtr make_surface(Context& context, DeviceArrayPtr array);

// Either side an array; memory on the host must live until the copy is done, and when it is not pinned the copy is done at the
// return. `blocking`: it is done in any case.
void copy_box(Context& context, const StreamPtr& stream, const BoxSide& to, const BoxSide& from, const Box& box, bool blocking);

}  // namespace quern
