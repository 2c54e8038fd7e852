// How many threads array groups are launched with: blocks and grids from the numbers of a group's form.
#pragma once

#include <optional>

#include "codegen/form.h"
#include "device/device.h"

namespace quern {

LaunchShape elementwise_shape(const Group& group, const Form& form);
// `results`, of `chunks` chunks each; a block never has more than `most` threads. `row`: how many results lie in a row, where the
// columns of a block do.
LaunchShape reduction_shape(int64_t results, int64_t chunks, Walk walk, int64_t most, std::optional<int64_t> row = {});

}  // namespace quern
