// For kernels that are turned (quern/kernel/turning.py): from here on x and y of threadIdx and blockDim stand in each other's place,
// as they do in the block that such a kernel is launched with. Included last.
#pragma once

#include "quern/python.cuh"

extern "C++" {
namespace quern {
namespace py {

struct turned {
  unsigned int x, y, z;
};
__QUERN_DEVICE turned turned_thread() { return {threadIdx.y, threadIdx.x, threadIdx.z}; }
__QUERN_DEVICE turned turned_block() { return {blockDim.y, blockDim.x, blockDim.z}; }

}  // namespace py
}  // namespace quern
}

#define threadIdx (quern::py::turned_thread())
#define blockDim (quern::py::turned_block())
