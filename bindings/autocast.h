// torch.autocast: regions of a thread in which functions compute in other dtypes than their operands'. What each function does
// stands in autocast.def; a call's operands are replaced by casts of them before it is read. Outside of regions a call costs one
// test.
#pragma once

#include <span>
#include <string_view>

#include "bindings/objects.h"

namespace quern::python {

enum class Cast : uint8_t { keep, lower, wide, sum, widest, edges, refuse };
struct CastRow {
  const char* name;
  Cast cpu, gpu;
};

// How many regions threads have that cast: 0 nearly always.
extern int casting_regions;

// The row of a function by PyTorch's name; null where it has none.
const CastRow* cast_row(std::string_view name);

// Replaces tensors among a call's values, also those within lists and tuples, by casts, which `kept` owns. `is_said`: the call
// gives a dtype, or asks for places.
void cast_operands(const CastRow& row, std::span<PyObject**> values, bool is_said, std::vector<nb::object>& kept);
// Is this thread within a region for that device?
bool is_casting(DeviceId device);

void init_autocast(nb::module_& m);

}  // namespace quern::python
