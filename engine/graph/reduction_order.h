// In which pieces a reduction goes: what codegen/form.cpp makes kernels of, and graph/fold.cpp follows for equal numbers.
#pragma once

#include "core/device_id.h"

#include <cstdint>

namespace quern {

// op::reduce_chunk, reduce_lanes and reduce_block of quern/array.cuh.
constexpr int64_t chunk_elements = 4096, reduce_lanes = 32, reduce_block = 512;
// On a GPU few results come from more, smaller chunks: there are more multiprocessors than chunks otherwise.
constexpr int64_t small_chunk_elements = 1024, most_small_chunks = 1024, few_results = 4;

constexpr int64_t chunk_of(DeviceId device, int64_t results, int64_t count) {
  bool small = device.is_gpu() && results <= few_results && count > chunk_elements &&
               results * count <= small_chunk_elements * most_small_chunks;
  return small ? small_chunk_elements : chunk_elements;
}

}  // namespace quern
