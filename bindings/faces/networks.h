// Readers of what functions of networks take (engine/functions/activations.h), and what PyTorch refuses of them.
#pragma once

#include "bindings/faces/operands.h"
#include "bindings/faces/shapes.h"
#include "functions/functions.h"

namespace quern::python::faces {

nn::SoftmaxAxes read_softmax_axes(const Reading& reading, PyObject* given);
nn::GeluFormula read_gelu_formula(const Reading& reading, PyObject* given);
// Keras's layers compute integers as real numbers of its default type.
Array keras_layer_operand(const Reading& reading, const Array& array);
void check_layers_as_torch(const Reading& reading);
// Warns of what PyTorch warns of.
void warn_of_corners(const Reading& reading);
void check_linear_as_torch(const Array& x, const Array& weight, const Array* bias);

template <>
struct Read<const nn::SoftmaxAxes&> {
  static constexpr size_t slots = 1;
  nn::SoftmaxAxes value;
  explicit Read(Reading& reading) : value(read_softmax_axes(reading, reading.take())) {}
};

// PyTorch's "none" or "tanh", or a bool: by the formula with tanh?
template <>
struct Read<nn::GeluFormula> {
  static constexpr size_t slots = 1;
  nn::GeluFormula value;
  explicit Read(Reading& reading) : value(read_gelu_formula(reading, reading.take())) {}
};

template <>
struct Read<const nn::RealOperand&> {
  static constexpr size_t slots = 1;
  Read<const Array&> given;
  nn::RealOperand value;
  explicit Read(Reading& reading) : given(reading), value{real_operand(reading, given.value)} {}

 private:
  static Array real_operand(const Reading& reading, const Array& array);
};

nn::ForEachAxis read_for_each_axis(const Reading& reading, PyObject* given);
nn::Around read_padding(const Reading& reading, PyObject* given);
template <>
inline constexpr auto reader<const nn::ForEachAxis&> = read_for_each_axis;
template <>
inline constexpr auto reader<const nn::Around&> = read_padding;
nn::WantedSizes read_wanted_sizes(const Reading& reading, PyObject* given);
template <>
inline constexpr auto reader<const nn::WantedSizes&> = read_wanted_sizes;
nn::ResultSizes read_result_sizes(const Reading& reading, PyObject* given);
template <>
inline constexpr auto reader<const nn::ResultSizes&> = read_result_sizes;
nn::ScaleFactors read_scale_factors(const Reading& reading, PyObject* given);
template <>
inline constexpr auto reader<const nn::ScaleFactors&> = read_scale_factors;
nn::Tensors read_tensors(Reading& reading, PyObject* given);
template <>
inline constexpr auto reader<const nn::Tensors&> = read_tensors;
// An empty sequence is as no argument, too.
template <>
struct Read<const std::optional<nn::ForEachAxis>&> {
  static constexpr size_t slots = 1;
  std::optional<nn::ForEachAxis> value;
  explicit Read(Reading& reading) {
    PyObject* given = reading.take();
    if (!is_given(given)) return;
    value = read_for_each_axis(reading, given);
    if (value->numbers.empty()) value.reset();
  }
};

template <>
struct Read<nn::LeastProbability> {
  static constexpr size_t slots = 0;
  nn::LeastProbability value;
  explicit Read(const Reading& reading) : value{nb::cast<double>(nb::handle(reading.front_end.epsilon)())} {}
};

template <>
struct Check<nn::prelu> {
  static void call(const Reading& reading, const Array& x, const Array& weight);
};
template <>
struct Check<nn::batch_norm> {
  static void call(const Reading& reading, const Array& x, const Array* running_mean, const Array* running_var,
                   const Array* weight, const Array* bias, bool is_training, double momentum, double eps);
};
template <>
struct Check<nn::instance_norm> : Check<nn::batch_norm> {};
template <>
struct Check<nn::dropout> {
  static void call(const Reading& reading, const Array& x, double p, bool is_training, const random::Stream& draws);
};
template <>
struct Check<nn::dropout1d> : Check<nn::dropout> {};
template <>
struct Check<nn::channel_dropout> : Check<nn::dropout> {};
template <>
struct Check<nn::dropout3d> : Check<nn::dropout> {};
template <>
struct Check<nn::alpha_dropout> : Check<nn::dropout> {};
template <>
struct Check<nn::feature_alpha_dropout> : Check<nn::dropout> {};
template <>
struct Check<nn::embedding> {
  static void call(const Reading& reading, const Array& places, const Array& table, std::optional<int64_t> padding,
                   std::optional<double> max_norm, double norm_order, bool by_frequency, bool is_sparse);
};
template <>
struct Check<nn::embedding_bag> {
  static void call(const Reading& reading, const Array& places, const Array& table, const Array* offsets,
                   std::optional<double> max_norm, double norm_order, bool by_frequency, std::optional<std::string_view> mode,
                   bool is_sparse, const Array* weights, bool has_last_offset, std::optional<int64_t> padding);
};
template <>
struct Check<nn::celu> {
  static void call(const Reading& reading, const Array& x, double number);
};
template <>
struct Check<nn::softshrink> : Check<nn::celu> {};

}  // namespace quern::python::faces
