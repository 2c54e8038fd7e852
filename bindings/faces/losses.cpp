// Arguments of losses, and what PyTorch refuses of them in its words.
#include "bindings/faces/losses.h"

#include "bindings/faces/statistics.h"
#include "core/error.h"
#include "functions/steps.h"
#include "graph/tape.h"

namespace quern::python::faces {

std::string loss_reduction(nb::handle size_average, nb::handle reduce, nb::handle reduction) {
  auto is_there = [](nb::handle given) { return given.ptr() && !given.is_none(); };
  if (!is_there(size_average) && !is_there(reduce)) return nb::cast<std::string>(nb::str(reduction));
  auto is_false = [&](nb::handle given) { return is_there(given) && PyObject_IsTrue(given.ptr()) == 0; };
  const std::string name = is_false(reduce) ? "none" : is_false(size_average) ? "sum" : "mean";
  warn(PyExc_UserWarning, "size_average and reduce args will be deprecated, please use reduction='" + name + "' instead.");
  return name;
}

nn::LossReduction read_loss_reduction(const Reading& reading, PyObject* size_average, PyObject* reduce, PyObject* reduction) {
  using R = nn::LossReduction;
  const std::string name = loss_reduction(size_average, reduce, reduction);
  if (name == "mean") return R::mean;
  if (name == "sum") return R::sum;
  if (name == "none") return R::none;
  if (name == "batchmean" && reading.function == quern::Function::kl_div_) return R::batch_mean;
  raise(ErrorKind::value, "{} is not a valid value for reduction", name);
}

// ---- what PyTorch refuses

namespace {

using F = quern::Function;

const Array* operand_in(const Reading& reading, size_t slot) {
  PyObject* given = reading.slots[slot];
  return given ? as_array(given) : nullptr;
}

std::string size_of_tensor(const Array& tensor) {
  std::string out = "torch.Size([";
  for (size_t i = 0; i < tensor.rank(); ++i) out += (i ? ", " : "") + std::to_string(tensor.shape()[i]);
  return out + "])";
}

bool is_real(const Array& tensor) { return row(tensor.dtype()).kind == DTypeKind::real; }

void refuse_gradient(const Reading& reading, const char* function, size_t slot, const char* name) {
  const Array* tensor = operand_in(reading, slot);
  if (!tensor || !GradientMode::is_on() || !wants_gradient(*tensor)) return;
  raise(ErrorKind::runtime,
        "The function '{}' is not differentiable with respect to argument '{}'. This input cannot have requires_grad True.",
        function, name);
}

// What is broadcast together: the first tensors of the call.
size_t operands_of(F function) {
  switch (function) {
    case F::l1_loss_:
    case F::mse_loss_:
    case F::smooth_l1_loss_:
    case F::huber_loss_:
    case F::kl_div_:
    case F::soft_margin_loss_:
    case F::multilabel_soft_margin_loss_:
    case F::poisson_nll_loss_:
    case F::gaussian_nll_loss_:
    case F::hinge_embedding_loss_:
    case F::cosine_similarity_:
    case F::pairwise_distance_:
      return 2;
    case F::margin_ranking_loss_:
    case F::triplet_margin_loss_:
      return 3;
    default:
      return 1;
  }
}

void warn_of_sizes(const Array& x, const Array& target) {
  if (x.shape() == target.shape()) return;
  warn(PyExc_UserWarning,
       "Using a target size (" + size_of_tensor(target) + ") that is different to the input size (" + size_of_tensor(x) +
           "). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same "
           "size.");
}

void check_whole(const Array& x, const Array& target, const char* kernel) {
  if (!is_real(target) && steps::is_whole(x.dtype()))  // beside real numbers they are converted
    raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", kernel, torch_name_of(x.dtype()));
}

void check_probabilities(const Reading& reading, const Array& x, const Array& target) {
  if (x.shape() != target.shape())
    raise(
        ErrorKind::value,
        "Using a target size ({}) that is different to the input size ({}) is deprecated. Please ensure they have the same size.",
        size_of_tensor(target), size_of_tensor(x));
  refuse_gradient(reading, "binary_cross_entropy", 2, "weight");
}

void check_logits(const Reading& reading, const Array& x, const Array& target) {
  if (x.shape() != target.shape())
    raise(ErrorKind::value, "Target size ({}) must be the same as input size ({})", size_of_tensor(target), size_of_tensor(x));
  if (steps::is_whole(target.dtype()))
    raise(ErrorKind::runtime, "result type {} can't be cast to the desired output type {}; convert the target with .float()",
          torch_name_of(x.dtype()), torch_name_of(target.dtype()));
  refuse_gradient(reading, "binary_cross_entropy_with_logits", 2, "weight");
  refuse_gradient(reading, "binary_cross_entropy_with_logits", 3, "pos_weight");
}

void check_classes(const Reading& reading, const Array& x, const Array& target) {
  const bool are_probabilities = reading.function == F::cross_entropy_ && x.shape() == target.shape() && is_real(target);
  if (are_probabilities) return;
  const char* kernel = reading.function == F::cross_entropy_ ? "log_softmax_lastdim_kernel_impl" : "nll_loss_out_frame";
  if (!is_real(x)) raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", kernel, torch_name_of(x.dtype()));
  refuse_gradient(reading, "nll_loss_forward", 2, "weight");
}

void check_three(const Reading& reading) {
  const Array &a = *operand_in(reading, 0), &b = *operand_in(reading, 1), &c = *operand_in(reading, 2);
  const bool have_one_rank = a.rank() == b.rank() && b.rank() == c.rank();
  if (reading.function == F::margin_ranking_loss_ && !have_one_rank)
    raise(ErrorKind::runtime,
          "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {}, input2: {}, target: {} ",
          size_of_tensor(a), size_of_tensor(b), size_of_tensor(c));
  if (reading.function == F::margin_ranking_loss_) return;
  PyObject* margin = reading.slots[3];
  if (!(read_number(reading, margin) > 0))
    raise(ErrorKind::value, "margin must be greater than 0, got {}", nb::cast<std::string>(nb::str(margin)));
  if (!have_one_rank)
    raise(ErrorKind::runtime,
          "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {}D, "
          "positive {}D, and negative {}D inputs",
          a.rank(), b.rank(), c.rank());
}

void check_divergence(const Reading& reading, const Array& x, const Array& target) {
  if (!is_real(x) && !is_real(target)) raise(ErrorKind::runtime, "kl_div: Integral inputs not supported.");
  PyObject* reduction = reading.slots[5];
  if (PyUnicode_Check(reduction) && PyUnicode_CompareWithASCIIString(reduction, "mean") == 0)
    warn(PyExc_UserWarning,
         "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides only by the "
         "batch size, and aligns with the KL div math definition.");
}

}  // namespace

void check_losses_as_torch(const Reading& reading) {
  const F function = reading.function;
  const Array& x = *operand_in(reading, 0);
  const Array* target = operand_in(reading, 1);
  const bool compares =
      function == F::l1_loss_ || function == F::mse_loss_ || function == F::smooth_l1_loss_ || function == F::huber_loss_;
  if (compares) warn_of_sizes(x, *target);
  if (function == F::margin_ranking_loss_ || function == F::triplet_margin_loss_) check_three(reading);
  if (function == F::kl_div_) check_divergence(reading, x, *target);
  if (function == F::binary_cross_entropy_) check_probabilities(reading, x, *target);
  if (function == F::binary_cross_entropy_with_logits_) check_logits(reading, x, *target);
  if (function == F::cross_entropy_ || function == F::nll_loss_) check_classes(reading, x, *target);
  if (function == F::soft_margin_loss_) refuse_gradient(reading, "soft_margin_loss", 1, "target");
  if (function == F::multi_margin_loss_) refuse_gradient(reading, "multi_margin_loss", 4, "weight");
  if (function == F::normalize_ && steps::is_whole(x.dtype()))
    raise(ErrorKind::runtime, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
          torch_name_of(x.dtype()));
  for (size_t slot = 1; slot < operands_of(function); ++slot) {
    const Array& other = *operand_in(reading, slot);
    compares ? check_broadcast_as_torch(x.shape(), other.shape()) : check_broadcast_as_torch(other.shape(), x.shape());
  }
  if (compares && function != F::l1_loss_)
    check_whole(x, *target, function == F::mse_loss_ ? "mse_cpu" : function == F::huber_loss_ ? "huber_cpu" : "smooth_l1_cpu");
}

}  // namespace quern::python::faces
