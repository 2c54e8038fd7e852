#include "functions/crossentropy.h"

#include "core/error.h"
#include "functions/activations.h"
#include "functions/embeddings.h"
#include "functions/steps.h"

namespace quern::nn {

using namespace steps;

namespace {

// As Python has it.
std::string tuple_of(const Shape& shape) {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

void check_shapes(const Array& target, const Array& output) {
  if (target.shape() == output.shape()) return;
  raise(ErrorKind::value, "Arguments `target` and `output` must have the same shape. Received: target.shape={}, output.shape={}",
        tuple_of(target.shape()), tuple_of(output.shape()));
}

int checked_axis(int64_t axis, const Array& array) {
  const auto rank = static_cast<int64_t>(array.rank());
  if (axis < -rank || axis >= rank) raise(ErrorKind::value, "axis {} is out of bounds for array of dimension {}", axis, rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Array limited(const Array& p, LeastProbability least) { return minimum(maximum(p, least.value), 1 - least.value); }

// Of the probabilities that logits, or odds, stand for.
Array logarithms(const Array& output, bool from_logits, int axis, LeastProbability least) {
  if (from_logits) {
    std::vector<bool> over(output.rank(), false);
    over[axis_of(output, axis)] = true;
    return log_softmax(output, {over}, {});
  }
  return log(limited(true_divide(output, reduced(Reduction::sum, output, axis, true)), least));
}

DType type_of_product(DType a, DType b) {
  const OperandType both[] = {{a}, {b}};
  return resolve_as_keras(Op::multiply, both).result;
}

}  // namespace

// -sum(target * log(probability)) along an axis, which may count from the end. Raises ErrorKind::value for other shapes.
Array categorical_crossentropy(const Array& target, const RealOperand& given, bool from_logits, int64_t axis,
                               LeastProbability least) {
  const Array& output = given.array;
  check_shapes(target, output);
  if (target.rank() == 0)
    raise(ErrorKind::value,
          "Arguments `target` and `output` must be at least rank 1. Received: target.shape=(), output.shape=()");
  const int along = checked_axis(axis, output);
  const DType type = type_of_product(target.dtype(), output.dtype());
  const Array logs = as_type(logarithms(output, from_logits, along, least), type);
  return negative(reduced(Reduction::sum, multiply(as_type(target, type), logs), along));
}

// -log(probability) of the class that each target names; 0 where there is no such class.
Array sparse_categorical_crossentropy(const Array& given_target, const RealOperand& given, bool from_logits, int64_t axis,
                                      LeastProbability least) {
  const Array& output = given.array;
  Array target = given_target;
  if (target.rank() == output.rank() && target.rank() > 0 && last_size(target) == 1) target = element(target, -1, 0);
  if (output.rank() == 0) raise(ErrorKind::value, "Argument `output` must be at least rank 1. Received: output.shape=()");
  const int along = checked_axis(axis, output);
  Shape others = output.shape();
  others.erase(others.begin() + along);
  if (target.shape() != others)
    raise(
        ErrorKind::value,
        "Arguments `target` and `output` must have the same shape up until the last dimension: target.shape={}, output.shape={}",
        tuple_of(target.shape()), tuple_of(output.shape()));
  const auto place = static_cast<size_t>(along);
  // As if the classes were rows of 0 and one 1, which are float32.
  const DType type = type_of_product(DType::float32, output.dtype());
  const Array logs = as_type(logarithms(output, from_logits, along, least), type);
  const Array hits = is_class(target, output.shape()[place], place);
  return negative(reduced(Reduction::sum, where(hits, logs, 0.0), along));
}

// -(target * log(p) + (1 - target) * log(1 - p)) of each element.
Array binary_crossentropy(const Array& given_target, const RealOperand& given, bool from_logits, LeastProbability least) {
  const Array& output = given.array;
  check_shapes(given_target, output);
  const DType type = type_of_product(given_target.dtype(), output.dtype());
  const Array target = as_type(given_target, type);
  if (from_logits) return subtract(as_type(softplus(output, {}, {}), type), multiply(as_type(output, type), target));
  const Array p = as_type(limited(output, least), type), rest = multiply(subtract(1.0, target), log(subtract(1.0, p)));
  return negative(add(multiply(target, log(p)), rest));
}

}  // namespace quern::nn
