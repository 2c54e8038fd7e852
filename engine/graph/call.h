// Calls: nodes whose value a function of whole arrays gives: a matrix product, a sort, a gather.
//
// Whoever makes one (run/calls/) states its operands, the shapes and types of its results, and a body. The scheduler gives it a
// group of its own, the evaluator memory; then the body submits the work. A call that writes takes an array whose memory it
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
  SpaceRef space;
  DType dtype = DType::boolean;
  const Shape& shape() const { return space->layout.shape; }
  const std::vector<int64_t>& strides() const { return space->layout.strides; }
};

struct CallRun {
  std::span<const CallView> inputs, outputs;
  int8_t device;
  Site site;
};

class CallBody {
 public:
  virtual ~CallBody() = default;
  virtual std::string_view name() const = 0;
  virtual bool crosses_devices() const { return false; }  // its operands may be on other devices than its results
  // Submits the work on the device's default stream. Called with the graph's lock held; must not record.
  virtual void run(const CallRun& run) const = 0;
};

// Operands may have any layout: see in_c_order().
std::vector<Array> record_call(std::shared_ptr<const CallBody> body, std::span<const Array> operands,
                               std::span<const CallResult> results, int8_t device);
// The body gets `target` as its result, with what stands there.
void record_call_into(std::shared_ptr<const CallBody> body, const Array& target, std::span<const Array> operands);

// Small work done at once on the calling thread, without a node that waits, as tier 0 does the rows of quern/ops.def:
//
//   if (const char* in = at_hand(array)) {
//     char* out;
//     Array result = made_now(array.space(), array.dtype(), out);
//     ...
//
// at_hand: the first element of an array of at most so many elements that is in the CPU's memory and that nobody may be writing;
// null: the work has to be recorded. With the graph's lock held.
inline constexpr int64_t at_once = 4096;
const char* at_hand(const Array& array, int64_t most = at_once);
Array made_now(SpaceRef space, DType dtype, char*& memory);
SpaceRef space_like(const Array& array);  // its shape, in C order without gaps
SpaceRef space_of_result(const CallResult& result);

// The array, or its copy without gaps and in C order; `dtype`: converted to that.
Array in_c_order(const Array& array);
Array in_c_order(const Array& array, DType dtype);

// start + i * step for i = 0, 1, 2 ...; both are values of `dtype`, a type with a plain sum (integers, float32, float64).
Array evenly_spaced(const Scalar& start, const Scalar& step, int64_t count, DType dtype, int8_t device);

// 0, 1, 2 ... in C order. Only as an operand of elementwise(), never for a user's hands: it has no memory.
Array positions(const Shape& shape, int8_t device);

}  // namespace quern
