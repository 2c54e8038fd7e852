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

std::string print_kernel(const Group& group, const Form& form);

// results[i] = reduction of partial[i * chunks ... (i + 1) * chunks); again in chunks when there are many.
std::string print_combine(Reduction reduction, DType partial, DType result);

}  // namespace quern
