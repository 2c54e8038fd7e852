// File: quern/gradient.h
//
// Gradients: of results with respect to the arrays that they were computed from, by reverse-mode differentiation.
//
//   qn::Array w = qn::zeros({3});
//   qn::requires_grad(w);                             // what is computed from w is recorded from here on
//   qn::Array loss = qn::square(qn::matmul(x, w) - y).mean();
//   qn::backward(loss);
//   {
//     qn::NoGradient off;                             // w itself may only be written where nothing is recorded
//     w -= 0.1 * *qn::gradient(w);
//   }
//   qn::clear_gradient(w);                            // else the next backward() adds to it
//
// Only arrays of real and complex numbers have gradients. For complex ones it is the gradient with respect to the real part plus
// i times that with respect to the imaginary part, so that w - rate * gradient goes down. Views and writes in place are followed:
// what was overwritten has no part in the result. Values that a gradient needs are kept until backward(), also when an array is
// written later.
//
// What is wrong throws ErrorKind::runtime: a result that depends on nothing that requires a gradient, a second backward() over
// what the first one has let go of, a write to an array that requires one. What has no derivative (least squares, kernels) throws
// ErrorKind::not_implemented.
#pragma once

#include "quern/array.h"

namespace qn {

// Whether results computed from x get a gradient for it. Throws for integers, and for computed arrays that require one already.
void requires_grad(const Array& x, bool wants = true, Here here = Here::current());
// Does x require a gradient itself, or was it computed from arrays that do?
bool wants_gradient(const Array& x);
// The same memory without the record: no gradient passes. Writing to it changes x.
Array detach(const Array& x, Here here = Here::current());

// What backward() has added up for x; none before. It changes with the next backward(): copy() keeps it.
std::optional<Array> gradient(const Array& x);
// Removes it, so that the next backward() starts from none.
void clear_gradient(const Array& x);

// Options of backward().
struct BackwardOptions {
  bool retain_graph = false;       // the record is kept, for another backward()
  bool create_graph = false;       // the gradients are recorded themselves, to be differentiated again; also keeps the record
  std::vector<Array> inputs = {};  // only these get gradients; none: all that require one
};
// Adds the gradient of a result of one element to those of the arrays that it was computed from.
void backward(const Array& result, const BackwardOptions& options = {}, Here here = Here::current());
// The same for any shape: each element counts as often as `given`, of the result's shape, says.
void backward(const Array& result, const Array& given, const BackwardOptions& options = {}, Here here = Here::current());

// Options of gradients().
struct GradientOptions {
  bool retain_graph = false, create_graph = false;
  bool allow_unused = false;      // zeros for inputs that no result depends on, instead of an error
  std::vector<Array> given = {};  // one for each result; none: the results have one element each
};
// The gradient of the results' sum with respect to each input. Nothing is added to gradient().
std::vector<Array> gradients(const std::vector<Array>& results, const std::vector<Array>& inputs,
                             const GradientOptions& options = {}, Here here = Here::current());
// The same of one result and one input.
Array gradients(const Array& result, const Array& input, const GradientOptions& options = {}, Here here = Here::current());

// While one lives, this thread records nothing for gradients.
class NoGradient {
 public:
  NoGradient();
  ~NoGradient();
  NoGradient(const NoGradient&) = delete;
  NoGradient& operator=(const NoGradient&) = delete;

 private:
  bool before_;
};

}  // namespace qn
