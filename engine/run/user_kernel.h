// A user's elementwise and reduction kernels, called with arrays and host values: types, shapes, then a row in the graph or a
// launch.
//
//   ElementwiseKernel square({.in = parse_params("T x"), .out = parse_params("T y"), .operation = "y = x * x", .name = "square"},
//   {}); std::vector<Array> out = square.call(in, {}, std::nullopt, DeviceId::cpu());
//
// A kernel that is a row (codegen/user_text.h) is recorded and fuses with array work; others are launched at once, after all
// that was recorded before.
#pragma once

#include "codegen/user_text.h"
#include "graph/array.h"
#include "run/kernel_cache.h"

#include <initializer_list>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace quern {

// The kernels of its own that a user's kernel has, for each device, combination of types and form: in the kernel cache, which
// lets them go with it.
class UserKernels {
 public:
  UserKernels(TextOf of, std::vector<std::string> flags);
  ~UserKernels();
  UserKernels(const UserKernels&) = delete;
  UserKernels& operator=(const UserKernels&) = delete;

  // `more`: what the text depends on beside types and forms.
  template <class Print>
  TextKernels& find(DeviceId device, const std::string& name, const KernelTypes& types, std::span<const ParamForm> forms,
                    std::initializer_list<uint64_t> more, Print&& print) {
    std::vector<uint64_t> words = words_of(types, forms, more);
    return kernel_cache().get(context_on(device), of_, words, [&] { return kept(device, words, {print(), name, options_}); });
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<uint64_t> words_of(const KernelTypes& types, std::span<const ParamForm> forms,
                                 std::initializer_list<uint64_t> more) const;
  KernelText kept(DeviceId device, const std::vector<uint64_t>& words, KernelText text);

  TextOf of_;
  uint64_t number_;  // its own in this process
  CompileOptions options_;
  std::vector<std::pair<DeviceId, std::vector<uint64_t>>> asked_;
  std::vector<std::string> texts_;
};

class ElementwiseKernel {
 public:
  ElementwiseKernel(ElementwiseText text, std::vector<std::string> flags);

  // `out`: arrays that take the results, or none; they are what is returned then. `size`: how many elements, where no argument
  // says. `device`: where the results are when no argument is an array.
  // Raises ErrorKind::type for types that do not fit, ErrorKind::value for shapes.
  std::vector<Array> call(std::span<const Argument> in, std::span<const Array> out, std::optional<int64_t> size, DeviceId device,
                          uint32_t block = 128);
  const ElementwiseText& text() const { return text_; }
  bool fuses() const { return is_row_; }
  const std::vector<std::string>& codes() const { return kernels_.texts(); }  // of the kernels of its own

 private:
  std::vector<Array> launch(std::span<const Argument> in, std::span<const Array> out, const KernelTypes& types,
                            const Shape& shape, DeviceId device, uint32_t block);

  ElementwiseText text_;
  bool is_row_;
  UserKernels kernels_;
  std::map<std::tuple<std::vector<DType>, std::vector<DType>, bool>, const UserRow*> rows_;
};

class ReductionKernel {
 public:
  ReductionKernel(ReductionText text, std::vector<std::string> flags);

  // `axes`: true for each dimension of the broadcast arguments that goes; nothing: all. Combined in an order that depends on the
  // shape alone. Raises as ElementwiseKernel does, and ErrorKind::value for nothing to reduce without an identity.
  std::vector<Array> call(std::span<const Argument> in, std::span<const Array> out, std::span<const int> axes, bool all_axes,
                          bool keep_dims);
  const ReductionText& text() const { return text_; }
  const std::vector<std::string>& codes() const { return kernels_.texts(); }

 private:
  ReductionText text_;
  UserKernels kernels_;
};

}  // namespace quern
