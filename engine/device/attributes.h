// CUDA's numbers of the attributes of devices, by the driver's names: device_attribute::warp_size is 10. The table is
// attributes.def.
#pragma once

namespace quern::device_attribute {

enum : int {
#define QUERN_ATTRIBUTE(number, name, runtime, value) name = number,
#define QUERN_ATTRIBUTE_OF_DRIVER(number, name, value) name = number,
#define QUERN_ATTRIBUTE_OF_RUNTIME(number, runtime, value)
#define QUERN_ATTRIBUTE_ALIAS(number, name)
#include "device/attributes.def"
};

}  // namespace quern::device_attribute
