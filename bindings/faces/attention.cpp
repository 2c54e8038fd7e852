// What PyTorch refuses of the arguments of attention, in its words.
#include "bindings/faces/attention.h"

#include "bindings/autocast.h"
#include "bindings/faces/networks.h"
#include "bindings/faces/results.h"
#include "bindings/faces/statistics.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"

namespace quern::python::faces {

Read<const nn::Heads&>::Read(Reading& reading)
    : width(reading),
      count(reading),
      weight(reading),
      bias(reading),
      key_row(reading),
      value_row(reading),
      adds_zeros(reading),
      dropout(reading),
      out_weight(reading),
      out_bias(reading),
      is_training(reading),
      padding(reading),
      gives_weights(reading),
      mask(reading),
      is_separate(reading),
      query_weight(reading),
      key_weight(reading),
      value_weight(reading),
      fixed_key(reading),
      fixed_value(reading),
      averages(reading),
      is_causal(reading),
      value{width.value,
            count.value,
            weight.value,
            bias.value,
            key_row.value,
            value_row.value,
            adds_zeros.value,
            dropout.value,
            out_weight.value,
            out_bias.value,
            is_training.value,
            padding.value,
            gives_weights.value,
            mask.value,
            is_separate.value,
            query_weight.value,
            key_weight.value,
            value_weight.value,
            fixed_key.value,
            fixed_value.value,
            averages.value,
            is_causal.value,
            casting_regions != 0 && reading.first->device().is_gpu() && is_casting(reading.first->device())} {}

void Check<nn::attention>::call(const Reading&, const Array& query, const Array& key, const Array& value, const Array* mask,
                                double, bool, std::optional<double>, bool has_groups, const random::Stream&) {
  const DType type = query.dtype();
  if (key.dtype() != type || value.dtype() != type)
    raise(ErrorKind::runtime,
          "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and value.dtype: {} "
          "instead.",
          torch_name_of(type), torch_name_of(key.dtype()), torch_name_of(value.dtype()));
  if (steps::is_whole(type)) raise(ErrorKind::runtime, "expected scalar type Float but found {}", torch_name_of(type));
  if (is_complex(type))
    raise(ErrorKind::not_implemented, "\"softmax_lastdim_kernel_impl\" not implemented for '{}'", torch_name_of(type));
  if (mask && mask->dtype() != DType::boolean && mask->dtype() != DType::float32 && mask->dtype() != type)
    raise(
        ErrorKind::runtime,
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and  query.dtype: {} "
        "instead.",
        torch_name_of(mask->dtype()), torch_name_of(type));
  if (query.rank() < 2 || key.rank() < 2 || value.rank() < 2 || has_groups) return;
  check_product_as_torch(query, steps::moveaxis(key, key.rank() - 2, key.rank() - 1));
  Shape scores = query.shape();
  scores.back() = key.shape()[key.rank() - 2];
  if (mask) check_broadcast_as_torch(scores, mask->shape());
  if (const int64_t length = value.shape()[value.rank() - 2]; length != scores.back())
    raise(ErrorKind::runtime, "Expected key and value to have the same length, but got {} and {}", scores.back(), length);
}

// ---- several heads

namespace {

// The layer is a Python function of PyTorch's, most of whose checks are assertions.
template <class... T>
void assert_that(bool holds, fmt::format_string<T...> text, T&&... values) {
  if (holds) return;
  PyErr_SetString(PyExc_AssertionError, formatted(text, std::forward<T>(values)...).c_str());
  throw nb::python_error();
}

std::string size_of(const Array& array, size_t axes = 8) {
  Shape shape = array.shape();
  if (shape.size() > axes) shape.resize(axes);
  return formatted("torch.Size({})", quern::in_brackets(shape));
}

void check_dimensions(const Array& query, const Array& key, const Array& value, const nn::Heads& heads) {
  const size_t rank = query.rank();
  assert_that(rank == 2 || rank == 3, "query should be unbatched 2D or batched 3D tensor but received {}-D query tensor", rank);
  const std::string kind = rank == 3 ? "batched (3-D)" : "unbatched (2-D)";
  assert_that(key.rank() == rank && value.rank() == rank,
              "For {} `query`, expected `key` and `value` to be {}-D but found {}-D and {}-D tensors respectively", kind, rank,
              key.rank(), value.rank());
  if (heads.padding)
    assert_that(heads.padding->rank() == rank - 1,
                "For {} `query`, expected `key_padding_mask` to be `None` or {}-D but found {}-D tensor instead", kind, rank - 1,
                heads.padding->rank());
  if (!heads.mask) return;
  const Array& mask = *heads.mask;
  assert_that(mask.rank() == 2 || mask.rank() == 3,
              "For {} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {}-D tensor instead", kind, mask.rank());
  const Shape wanted{heads.count, query.shape()[0], key.shape()[0]};
  assert_that(rank == 3 || mask.rank() == 2 || mask.shape() == wanted, "Expected `attn_mask` shape to be ({}, {}, {}) but got {}",
              wanted[0], wanted[1], wanted[2], size_of(mask));
}

void check_mask_type(const Array& mask, const char* name) {
  assert_that(mask.dtype() == DType::boolean || row(mask.dtype()).kind == DTypeKind::real,
              "only bool and floating types of {} are supported", name);
}

void check_masks(const nn::Heads& heads) {
  if (heads.padding) {
    check_mask_type(*heads.padding, "key_padding_mask");
    if (heads.mask && heads.mask->dtype() != heads.padding->dtype())
      warn(PyExc_UserWarning,
           "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead.");
  }
  if (heads.is_causal && !heads.mask)
    raise(ErrorKind::runtime,
          "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
          "`generate_square_subsequent_mask` to create this mask.");
  if (heads.mask) check_mask_type(*heads.mask, "attn_mask");
}

void check_mask_shape(const Array& mask, int64_t samples, const nn::Heads& heads, int64_t length, int64_t keys) {
  const Shape of_two{length, keys}, of_three{samples * heads.count, length, keys};
  if (mask.rank() == 2 && mask.shape() != of_two)
    raise(ErrorKind::runtime, "The shape of the 2D attn_mask is {}, but should be ({}, {}).", size_of(mask), length, keys);
  if (mask.rank() == 3 && mask.shape() != of_three)
    raise(ErrorKind::runtime, "The shape of the 3D attn_mask is {}, but should be ({}, {}, {}).", size_of(mask), of_three[0],
          length, keys);
}

void check_widths(const Array& query, const Array& key, const Array& value, const nn::Heads& heads) {
  const int64_t width = query.shape().back();
  assert_that(width == heads.width, "was expecting embedding dimension of {}, but got {}", heads.width, width);
  if (heads.count == 0) raise(ErrorKind::zero_division, "integer division or modulo by zero");
  assert_that(width % heads.count == 0, "embed_dim {} not divisible by num_heads {}", width, heads.count);
  const size_t leading = query.rank() - 1;
  if (heads.is_separate)
    assert_that(std::equal(key.shape().begin(), key.shape().begin() + static_cast<ptrdiff_t>(leading), value.shape().begin()),
                "key's sequence and batch dims {} do not match value's {}", size_of(key, leading), size_of(value, leading));
  else
    assert_that(key.shape() == value.shape(), "key shape {} does not match value shape {}", size_of(key), size_of(value));
  if (query.rank() == 3 && key.shape()[1] != query.shape()[1])  // samples; PyTorch's words
    raise(ErrorKind::runtime, "shape '[{}, {}, {}]' is invalid for input of size {}", key.shape()[0],
          query.shape()[1] * heads.count, width / heads.count, key.shape()[0] * key.shape()[1] * width);
}

void check_projections(const Array& query, const Array& key, const Array& value, const nn::Heads& heads) {
  auto third = [&](const Array* array, int64_t place) {
    return steps::part(*array, 0, place * heads.width, (place + 1) * heads.width);
  };
  auto check = [&](const Array& x, const Array& weight, int64_t place) {
    if (!heads.bias) return check_linear_as_torch(x, weight, nullptr);
    const Array bias = third(heads.bias, place);
    check_linear_as_torch(x, weight, &bias);
  };
  if (heads.is_separate) {
    for (auto [weight, name] :
         {std::pair(heads.query_weight, "q"), std::pair(heads.key_weight, "k"), std::pair(heads.value_weight, "v")})
      assert_that(weight, "use_separate_proj_weight is True but {}_proj_weight is None", name);
    const int64_t width = query.shape().back();
    for (auto [x, weight, name] : {std::tuple(&query, heads.query_weight, "query"), std::tuple(&key, heads.key_weight, "key"),
                                   std::tuple(&value, heads.value_weight, "value")})
      assert_that(weight->shape() == Shape{width, x->shape().back()}, "expecting {} weights shape of ({}, {}), but got {}", name,
                  width, x->shape().back(), size_of(*weight));
    check(query, *heads.query_weight, 0), check(key, *heads.key_weight, 1), check(value, *heads.value_weight, 2);
    return;
  }
  assert_that(heads.weight, "use_separate_proj_weight is False but in_proj_weight is None");
  if (query.cell() == key.cell() && key.cell() == value.cell()) return check_linear_as_torch(query, *heads.weight, heads.bias);
  check(query, third(heads.weight, 0), 0), check(key, third(heads.weight, 1), 1), check(value, third(heads.weight, 2), 2);
}

void check_rows(const nn::Heads& heads, int64_t samples) {
  assert_that(heads.key_row || !heads.value_row, "bias_v is set but bias_k is None");
  assert_that(heads.value_row || !heads.key_row, "bias_k is set but bias_v is None");
  for (auto [fixed, name] : {std::pair(heads.fixed_key, "key"), std::pair(heads.fixed_value, "value")}) {
    if (!fixed) continue;
    assert_that(!heads.key_row, "bias cannot be added to static {}.", name);
    assert_that(fixed->shape()[0] == samples * heads.count, "expecting static_{}.size(0) of {}, but got {}", name[0],
                samples * heads.count, fixed->shape()[0]);
    assert_that(fixed->shape()[2] == heads.width / heads.count, "expecting static_{}.size(2) of {}, but got {}", name[0],
                heads.width / heads.count, fixed->shape()[2]);
  }
}

}  // namespace

void Check<nn::attention>::call(const Reading& reading, const Array& query, const Array& key, const Array& value,
                                const nn::Heads& heads, const random::Stream&) {
  check_dimensions(query, key, value, heads);
  check_masks(heads);
  check_widths(query, key, value, heads);
  check_projections(query, key, value, heads);
  const bool has_samples = query.rank() == 3;
  const int64_t samples = has_samples ? query.shape()[1] : 1, keys = key.shape()[0];
  if (heads.mask) check_mask_shape(*heads.mask, samples, heads, query.shape()[0], keys);
  check_rows(heads, samples);
  if (heads.gives_weights && heads.is_training && heads.dropout > 1)
    raise(ErrorKind::value, "dropout probability has to be between 0 and 1, but got {}",
          nb::cast<std::string>(nb::str(reading.slots[10])));
  if (!heads.padding) return;
  const Shape padding = has_samples ? heads.padding->shape() : Shape{1, heads.padding->shape()[0]};
  const int64_t more = (heads.key_row != nullptr) + heads.adds_zeros;
  assert_that(padding[0] == samples, "Expected key_padded_mask.shape[0] to be {}, but got {}", samples, padding[0]);
  assert_that(padding[1] == keys, "Expected key_padded_mask.shape[1] to be {}, but got {}", keys + more, padding[1] + more);
}

nb::object hand_back(const Reading& reading, nn::Attended&& result) {
  nb::object values = hand_back(reading, std::move(result.values));
  return nb::make_tuple(values, result.weights ? hand_back(reading, std::move(*result.weights)) : nb::none());
}

}  // namespace quern::python::faces
