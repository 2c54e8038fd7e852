#include "graph/fold.h"

#include <algorithm>
#include <cstring>

#include "graph/reduction_order.h"
#include "graph/tier0.h"
#include "graph/tier0/loops.h"

namespace quern {

namespace {

Constant converted(const Constant& number, DType from, DType to) {
  Constant out;
  tier0::conversion(from, to)(number.bytes.data(), 1, out.bytes.data(), 1, 1);
  return out;
}

// Up to a chunk of elements, all of them `most` but the last one, `last`.
class Chunk {
 public:
  Chunk(Reduction reduction, DType type)
      : run_(tier0::reduction(reduction, type)), size_(size_of(type)), bytes_(static_cast<size_t>(chunk_elements) * size_) {
    run_(bytes_.data(), 1, 0, start_.bytes.data());
  }

  Constant one_after_the_other(const Constant& each, int64_t count) {
    fill(each, 0, count);
    return run(count);
  }
  // Each lane starts anew, also where it has no element.
  Constant in_lanes(const Constant& most, const Constant& last, int64_t count) {
    fill(most, 0, count - 1);
    fill(last, count - 1, count);
    fill(start_, count, reduce_lanes + 1);
    return run(std::max(count, reduce_lanes + 1));
  }

 private:
  void fill(const Constant& number, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) std::memcpy(&bytes_[static_cast<size_t>(i) * size_], number.bytes.data(), size_);
  }
  Constant run(int64_t count) {
    Constant out;
    run_(bytes_.data(), 1, count, out.bytes.data());
    return out;
  }

  tier0::RunReduction run_;
  size_t size_;
  std::vector<char> bytes_;
  Constant start_;
};

bool is_idempotent(Reduction reduction, DType type) {
  return (reduction != Reduction::sum && reduction != Reduction::product) || type == DType::boolean;
}

}  // namespace

std::optional<Constant> number_of(const Array& array) {
  GraphLock lock;
  const Node* node = array.cell()->node.get();
  if (array.dtype() != node->dtype || array.size() == 0) return std::nullopt;
  std::vector<DType> types;
  for (;;) {
    if (node->op != Op::cast || node->is_computed || node->error) return std::nullopt;
    const Operand& from = node->operands[0];
    if (from.dtype != from.node->dtype) return std::nullopt;
    types.push_back(node->dtype);
    node = from.node.get();
    if (node->op == Op::constant) break;
  }
  Constant number = node->constant;
  DType type = node->dtype;
  for (size_t i = types.size(); i-- > 0; type = types[i]) number = converted(number, type, types[i]);
  return number;
}

Constant reduced_number(Reduction reduction, const Constant& number, DType from, DType type, DeviceId device, int64_t results,
                        int64_t count) {
  DType work = accumulator(reduction, type);
  Constant most = converted(number, from, work), last = most;
  Chunk chunk(reduction, work);
  if (count <= reduce_lanes) return converted(chunk.one_after_the_other(most, count), work, type);
  // Equal numbers make equal results of chunks, but for the last one, and these are reduced in the same way.
  for (int64_t each = chunk_of(device, results, count);; each = chunk_elements) {
    int64_t chunks = (count + each - 1) / each;
    last = chunk.in_lanes(most, last, count - (chunks - 1) * each);
    if (chunks == 1) return converted(last, work, type);
    most = chunk.in_lanes(most, most, each);
    count = chunks;
  }
}

std::optional<Array> without_repeats(Reduction reduction, const Array& array, const std::vector<bool>& axes, DType type,
                                     int64_t& times) {
  if (array.size() <= tier0_limit) return std::nullopt;
  Layout layout = array.layout();
  bool cuts = false, keeps = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!axes[i] || layout.shape[i] == 1) continue;
    if (layout.strides[i] != 0) {
      keeps = true;
      continue;
    }
    times *= layout.shape[i];
    layout.shape[i] = 1;
    cuts = true;
  }
  if (!cuts) return std::nullopt;
  // Of several reals the order decides which zero, or which NaN, it is.
  bool is_whole = type == DType::boolean || is_integer(type);
  if (keeps ? !is_whole : !is_whole && !is_idempotent(reduction, type)) return std::nullopt;
  return array.view(std::move(layout));
}

}  // namespace quern
