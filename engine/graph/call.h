// Calls: nodes whose value a function of whole arrays gives: a matrix product, a sort, a gather.
//
// Whoever makes one (run/calls/) states its operands, the shapes and types of its results, and a body. The scheduler gives it a
// group of its own, the executor memory; then the body submits the work. A call that writes takes an array whose memory it
// changes in part.
#pragma once

#include "graph/array.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace quern {

// An operand or result in memory: `data` is its first element.
struct CallView {
  char* data = nullptr;
  Block* block = nullptr;
  LayoutRef layout;
  DType dtype = DType::boolean;
  Node* node = nullptr;  // of an operand
  const Shape& shape() const { return layout->shape; }
  const std::vector<int64_t>& strides() const { return layout->strides; }
};

struct CallRun {
  std::span<const CallView> inputs, outputs;
  DeviceId device;
  Site site;
};

struct GradientCall;

class CallBody {
 public:
  virtual ~CallBody() = default;
  virtual std::string_view name() const = 0;
  virtual bool crosses_devices() const { return false; }  // its operands may be on other devices than its results
  // Submits the work to the device's stream of array work (Context::work_stream). Called with the graph's lock held; must not
  // record.
  virtual void run(const CallRun& run) const = 0;
  // The derivative (GradientCall in tape.h): one gradient for each operand, none where it has none or it is not wanted; which
  // values it needs. Raises ErrorKind::not_implemented where there is no formula.
  virtual std::vector<std::optional<Array>> gradients(const GradientCall& call) const;
  virtual bool keeps_operand(size_t) const { return false; }
  virtual bool keeps_result(size_t) const { return false; }
  // Does the gradient of operand 0 want a gradient itself, zeros by the operand? It does where PyTorch computes it from the
  // operand.
  virtual bool gradient_is_of_operand(const GradientCall&) const { return false; }
  virtual bool is_product() const { return false; }  // the derivative by one operand needs the others alone
};

// The same values, once they are looked through.
Array checked(const Array& values, const Check& check);

// Operands may have any layout: see in_c_order().
std::vector<Array> record_call(std::shared_ptr<const CallBody> body, std::span<const Array> operands,
                               std::span<const CallResult> results, DeviceId device);
// The body gets `target` as its result, with what stands there.
void record_call_into(std::shared_ptr<const CallBody> body, const Array& target, std::span<const Array> operands);

LayoutRef layout_like(const Array& array);  // its shape, in C order without gaps
LayoutRef layout_of_result(const CallResult& result);

// The array, or its copy without gaps and in C order; `dtype`: converted to that.
Array in_c_order(const Array& array);
Array in_c_order(const Array& array, DType dtype);

// start + i * step for i = 0, 1, 2 ...; both are values of `dtype`, a type with a plain sum (integers, float32, float64).
Array evenly_spaced(const Scalar& start, const Scalar& step, int64_t count, DType dtype, DeviceId device);

// 0, 1, 2 ... in C order. Only as an operand of elementwise(), never for a user's hands: it has no memory.
Array positions(const Shape& shape, DeviceId device);

}  // namespace quern
