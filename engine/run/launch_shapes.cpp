#include "run/launch_shapes.h"

#include <algorithm>

namespace quern {

static void rows_to_grid(LaunchShape& shape, int64_t rows) {
  int64_t most = 32768;
  shape.grid[1] = static_cast<uint32_t>(std::min(rows, most));
  shape.grid[2] = static_cast<uint32_t>((rows + most - 1) / most);
}

LaunchShape elementwise_shape(const Group& group, const Form& form) {
  LaunchShape shape;
  int64_t width = form.shape.empty() ? 1 : form.shape.back(), rows = form.results / std::max<int64_t>(width, 1);
  int64_t inner = (width + form.pack - 1) / form.pack;
  int64_t most = group.device.is_cpu() ? 1024 : 256;
  int64_t block = std::min((inner + 31) / 32 * 32, most);
  shape.block[0] = static_cast<uint32_t>(block);
  shape.grid[0] = static_cast<uint32_t>((inner + block - 1) / block);
  int64_t in_block = group.device.is_gpu() ? std::clamp<int64_t>(rows, 1, most / block) : 1;
  shape.block[1] = static_cast<uint32_t>(in_block);
  rows_to_grid(shape, (rows + in_block - 1) / in_block);
  return shape;
}

LaunchShape reduction_shape(int64_t results, int64_t chunks, Walk walk, int64_t most, std::optional<int64_t> row) {
  // As many results as leave room for `lanes` threads each.
  auto block = [&](int64_t lanes) { return static_cast<uint32_t>(std::min(results, most / lanes)); };
  LaunchShape shape;
  int64_t in_block = 1, rows = 1;  // results of a block, which lie in one row of them
  switch (walk) {
    case Walk::columns:  // enough blocks for all threads of the CPU, of a few vectors at least
      most = std::min(most, std::max<int64_t>(128, results * chunks / (4 * int64_t{cpu_threads()})));
      if (row) rows = results / std::max<int64_t>(1, *row), results = *row;
      [[fallthrough]];
    case Walk::threads:
      shape.block = {block(1), 1, 1};
      in_block = shape.block[0];
      break;
    case Walk::rows:
      shape.block = {1, 1, 1};
      break;
    case Walk::block:
      shape.block = {static_cast<uint32_t>(most), 1, 1};
      break;
    case Walk::lanes_outside:
      shape.block = {block(reduce_lanes), static_cast<uint32_t>(reduce_lanes), 1};
      in_block = shape.block[0];
      break;
    default:
      shape.block = {static_cast<uint32_t>(reduce_lanes), block(reduce_lanes), 1};
      in_block = shape.block[1];
  }
  shape.grid[0] = static_cast<uint32_t>((results + in_block - 1) / in_block * rows);
  rows_to_grid(shape, chunks);
  return shape;
}

}  // namespace quern
