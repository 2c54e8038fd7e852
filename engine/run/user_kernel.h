// A user's elementwise and reduction kernels, called with arrays and host values: types, shapes, then a row in the graph or a
// launch.
//
//   ElementwiseKernel square({.in = parse_params("T x"), .out = parse_params("T y"), .operation = "y = x * x", .name = "square"},
//   {}); std::vector<Array> out = square.call(in, {}, std::nullopt, -1);
//
// A kernel that is a row (codegen/user_text.h) is recorded and fuses with array work; others are launched at once, after all
// that was recorded before.
#pragma once

#include "codegen/user_text.h"
#include "graph/array.h"
#include "run/kernel.h"

#include <map>
#include <memory>
#include <tuple>

namespace quern {

// The kernels of a text, compiled for each device, combination of types and form.
class UserKernels {
 public:
  explicit UserKernels(std::vector<std::string> flags) : flags_(std::move(flags)) {}
  std::shared_ptr<Program> find(int8_t device, const std::string& text, const std::string& name);

 private:
  std::vector<std::string> flags_;
  std::map<std::pair<int8_t, std::string>, std::shared_ptr<Program>> programs_;
};

class ElementwiseKernel {
 public:
  ElementwiseKernel(ElementwiseText text, std::vector<std::string> flags);

  // `out`: arrays that take the results, or none; they are what is returned then. `size`: how many elements, where no argument
  // says. `device`: where the results are when no argument is an array.
  // Raises ErrorKind::type for types that do not fit, ErrorKind::value for shapes.
  std::vector<Array> call(std::span<const Argument> in, std::span<const Array> out, std::optional<int64_t> size, int8_t device,
                          uint32_t block = 128);
  const ElementwiseText& text() const { return text_; }
  bool fuses() const { return is_row_; }
  const std::vector<std::string>& codes() const { return codes_; }  // the texts of the kernels of its own

 private:
  std::vector<Array> launch(std::span<const Argument> in, std::span<const Array> out, const KernelTypes& types,
                            const Shape& shape, int8_t device, uint32_t block);

  ElementwiseText text_;
  bool is_row_;
  UserKernels kernels_;
  std::map<std::tuple<std::vector<DType>, std::vector<DType>, bool>, const UserRow*> rows_;
  std::vector<std::string> codes_;
};

class ReductionKernel {
 public:
  ReductionKernel(ReductionText text, std::vector<std::string> flags);

  // `axes`: true for each dimension of the broadcast arguments that goes; nothing: all. Combined in an order that depends on the
  // shape alone. Raises as ElementwiseKernel does, and ErrorKind::value for nothing to reduce without an identity.
  std::vector<Array> call(std::span<const Argument> in, std::span<const Array> out, std::span<const int> axes, bool all_axes,
                          bool keep_dims);
  const ReductionText& text() const { return text_; }
  const std::vector<std::string>& codes() const { return codes_; }

 private:
  ReductionText text_;
  UserKernels kernels_;
  std::vector<std::string> codes_;
};

}  // namespace quern
