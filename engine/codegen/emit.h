// The only printer: a group and its form become CUDA C++ text.
//
// The kernel `group` takes, in this order: a pointer for each load, a pointer for each store, the constants (see constant_words),
// the form's numbers as indices, and for a reduction the number of chunks. A reduction over several chunks stores its partial
// results, one for each result and chunk; print_combine() makes the kernel that reduces those.
#pragma once

#include "codegen/form.h"

#include <string>

namespace quern {

std::string type_text(DType type);       // in CUDA C++
std::string user_type_text(DType type);  // in a user's text: quern/user.cuh
// Of a kernel whose blocks have up to so many threads: limits registers where all of them would not leave room for such a block.
std::string launch_bounds(int64_t threads);

std::string print_kernel(const Group& group, const Form& form);

// Many groups with equal keys, each a segment of one launch. The kernel's one argument: the first block of each segment (`most`
// of uint32_t; beyond the last one the largest number there is), and the arguments that print_kernel()'s kernel takes, for each.
struct Segments {
  static constexpr size_t most = 64, argument_bytes = 4096, head_bytes = most * sizeof(uint32_t);
  size_t bytes = 0;  // of one segment's arguments
  size_t count = 0;  // that fit; 0: such a group cannot be one
};
Segments segments_of(const Group& group, const Form& form);
std::string print_kernel_of_segments(const Group& group, const Form& form);

// results[i] = reduction of partial[i * chunks ... (i + 1) * chunks); again in chunks when there are many.
std::string print_combine(Reduction reduction, DType partial, DType result);

}  // namespace quern
