// A user's elementwise and reduction kernels as text: their parameter lists ("raw T x, float32 y"), the types of a call, and what
// is printed for them. Start at parse_params() and decide_types().
//
// An elementwise kernel that only computes elements from elements is a row (user_row.h) and fuses with array work. One that
// indexes raw arguments, knows its place in the loop or prepares it is a kernel of its own, printed by print_elementwise().
// Reductions are printed by print_user_reduction(). Own kernels take their arguments in this order: for each parameter its
// address, shape and steps, or its value (see ParamForm); then what the printer's comment says.
#pragma once

#include "core/layout.h"
#include "graph/user_row.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct KernelParam {
  std::string name, type;      // the type as it is written: a placeholder of one letter, or a data type's name
  std::optional<DType> dtype;  // of a type's name
  bool is_raw = false;
};

// Raises ErrorKind::value for a text that is no parameter list, ErrorKind::type for an unknown type.
std::vector<KernelParam> parse_params(std::string_view text);

struct KernelTypes {
  std::vector<DType> in, out;  // of the parameters
};

// What placeholders stand for; nothing for a scalar, which takes its parameter's type. `out` is empty when no outputs are given.
// Raises ErrorKind::type when types do not fit.
KernelTypes decide_types(std::span<const KernelParam> in_params, std::span<const KernelParam> out_params,
                         std::span<const std::optional<DType>> in, std::span<const DType> out);

struct ElementwiseText {
  std::vector<KernelParam> in, out;
  std::string operation, name, preamble, loop_prep, after_loop;
  bool reduce_dims = true;
  bool has_options = false;  // compiler options: a kernel of its own
  bool is_python = false;    // a Python function's (quern/python.cuh): always a row
};

bool is_row(const ElementwiseText& text);
// `given`: the outputs are arrays of the caller's, which come as operands after the inputs where the text reads them.
UserRow row_of(const ElementwiseText& text, const KernelTypes& types, bool given);

struct ReductionText {
  std::vector<KernelParam> in, out;
  std::string map, reduce, post_map, name, preamble;
  std::string identity;     // "": none
  std::string reduce_type;  // C++ text
};

// How one argument lies. A scalar is a value; an array an address, its shape and its steps (in elements), a dense one likewise.
struct ParamForm {
  int rank = -1;  // -1: a scalar
  bool is_dense = false;
  bool operator==(const ParamForm&) const = default;
};

// The kernel, of the text's name, then takes the number of elements and the loop's shape.
std::string print_elementwise(const ElementwiseText& text, const KernelTypes& types, std::span<const ParamForm> forms,
                              size_t rank);

// Two kernels: the text's name, and that with "_again", which goes on with partial results. Arrays that are not raw have the
// form's dimensions: the kept, then the reduced ones (outputs the kept ones). Both kernels take further: the shape, the numbers
// of results, elements and chunks, where partial results are stored and, for "_again", where they are read. The variable
// quern_state is as large as one of them.
std::string print_user_reduction(const ReductionText& text, const KernelTypes& types, std::span<const ParamForm> forms,
                                 size_t kept, size_t reduced, bool lanes_inside);

}  // namespace quern
