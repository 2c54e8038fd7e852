// Readers and checks of attention (engine/functions/attention.h).
#pragma once

#include "bindings/faces/distributions.h"
#include "bindings/faces/shapes.h"
#include "functions/attention.h"

namespace quern::python::faces {

// Everything of the layer but its inputs and what it draws with, in the order of the row's parameters.
template <>
struct Read<const nn::Heads&> {
  static constexpr size_t slots = 22;
  Read<int64_t> width, count;
  Read<const Array*> weight, bias, key_row, value_row;
  Read<bool> adds_zeros;
  Read<double> dropout;
  Read<const Array*> out_weight, out_bias;
  Read<bool> is_training;
  Read<const Array*> padding;
  Read<bool> gives_weights;
  Read<const Array*> mask;
  Read<bool> is_separate;
  Read<const Array*> query_weight, key_weight, value_weight, fixed_key, fixed_value;
  Read<bool> averages, is_causal;
  nn::Heads value;
  explicit Read(Reading& reading);
};

template <>
struct Check<nn::attention> {
  static void call(const Reading& reading, const Array& query, const Array& key, const Array& value, const Array* mask, double p,
                   bool is_causal, std::optional<double> scale, bool has_groups, const random::Stream& draws);
  static void call(const Reading& reading, const Array& query, const Array& key, const Array& value, const nn::Heads& heads,
                   const random::Stream& draws);
};
template <>
struct Check<nn::multi_head_attention> : Check<nn::attention> {};

}  // namespace quern::python::faces
