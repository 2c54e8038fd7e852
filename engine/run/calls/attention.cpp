#include "run/calls/attention.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "device/host_blas.h"
#include "run/calls/attention_rows.h"
#include "run/calls/call_launch.h"
#include "run/trace.h"

namespace quern {

namespace {

struct Present {
  bool mask, kept;
};

AttentionOnHost on_host(const CallRun& run, const AttentionForm& form, Present has) {
  AttentionOnHost out{run.inputs[0], run.inputs[1], run.inputs[2], {}, {}, form, {}, {}};
  size_t next = 3;
  if (has.mask) out.mask = run.inputs[next++];
  if (has.kept) out.kept = run.inputs[next];
  return out;
}

TracedWork traced_work(const CallRun& run, int64_t products) {
  TracedWork work;
  if (!tracing()) return work;
  uint64_t bytes = 0;
  for (const auto& views : {run.inputs, run.outputs})
    for (const CallView& view : views) bytes += static_cast<uint64_t>(view.layout->elements) * size_of(view.dtype);
  work.bytes = work.fetched = bytes;
  work.operations = static_cast<uint64_t>(products) * 2;
  return work;
}

class Attention : public CallBody {
 public:
  Attention(const AttentionForm& form, Present has) : form_(form), has_(has) {}
  std::string_view name() const override { return "attention"; }

  void run(const CallRun& run) const override {
    AttentionOnHost all = on_host(run, form_, has_);
    all.result = run.outputs[0], all.logarithms = run.outputs[1];
    host_blas("cblas_sgemm");  // what is missing is said here, not on another thread
    const int64_t products = products_of(all);
    on_cpu(run, name(), products / 16, [all] { attend_on_host(all); }, {}, traced_work(run, products));
  }

 private:
  AttentionForm form_;
  Present has_;
};

class AttentionBackward : public CallBody {
 public:
  AttentionBackward(const AttentionForm& form, Present has) : form_(form), has_(has) {}
  std::string_view name() const override { return "attention_backward"; }

  void run(const CallRun& run) const override {
    AttentionOnHost all = on_host(run, form_, has_);
    const size_t own = run.inputs.size() - 3;
    all.result = run.inputs[own], all.logarithms = run.inputs[own + 1];
    const AttentionGradientsOnHost wanted{run.inputs[own + 2], {run.outputs[0], run.outputs[1], run.outputs[2]}};
    const int64_t products = products_of(all) * 5 / 2;
    host_blas("cblas_sgemm");
    on_cpu(run, name(), products / 16, [all, wanted] { attend_backward_on_host(all, wanted); }, {}, traced_work(run, products));
  }

 private:
  AttentionForm form_;
  Present has_;
};

// Rows whose elements lie side by side are matrices of BLAS.
Array with_rows(const Array& array) {
  const Layout& layout = array.layout();
  const int64_t width = layout.shape[3], down = layout.strides[2];
  const bool is_matrix = (layout.strides[3] == 1 || width == 1) && (down >= width || layout.shape[2] == 1);
  return is_matrix ? array : in_c_order(array);
}

CallResult laid_out(const Array& like, int64_t width, std::array<size_t, 3> order) {
  const Shape& shape = like.shape();
  Layout layout = Layout::contiguous({shape[0], shape[1], shape[2], width});
  int64_t step = width;
  for (size_t i = order.size(); i-- > 0;) {
    layout.strides[order[i]] = step;
    step *= shape[order[i]];
  }
  const LayoutRef memory = interned(layout);
  return {layout.shape, like.dtype(), memory};
}

// Its axes in the order of the query's, whose rows are without gaps; else in C order.
CallResult result_like(const Array& query, int64_t width) {
  std::array<size_t, 3> order{0, 1, 2};
  const std::vector<int64_t>& strides = query.layout().strides;
  if (strides[3] == 1) std::ranges::stable_sort(order, [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  return laid_out(query, width, order);
}

// Heads lie side by side in a row of all of them, as the layers before have them.
CallResult gradient_of(const Array& operand) { return laid_out(operand, operand.shape()[3], {0, 2, 1}); }

std::vector<Array> listed(const AttentionOperands& operands) {
  std::vector<Array> out{operands.query, with_rows(operands.key), with_rows(operands.value)};
  if (operands.mask) out.push_back(*operands.mask);
  if (operands.kept) out.push_back(*operands.kept);
  return out;
}

Present present(const AttentionOperands& operands) { return {operands.mask.has_value(), operands.kept.has_value()}; }

}  // namespace

std::pair<Array, Array> attend(const AttentionOperands& operands, const AttentionForm& form) {
  const std::vector<Array> all = listed(operands);
  const Shape& shape = operands.query.shape();
  const Shape rows{shape[0], shape[1], shape[2]};
  const CallResult results[] = {result_like(operands.query, operands.value.shape()[3]),
                                {rows, operands.query.dtype(), contiguous_layout(rows)}};
  auto body = std::make_shared<Attention>(form, present(operands));
  const std::vector<Array> out = record_call(body, all, results, operands.query.device());
  return {out[0], out[1]};
}

std::array<Array, 3> attend_backward(const AttentionOperands& operands, const AttentionForm& form, const Array& result,
                                     const Array& logarithms, const Array& given) {
  std::vector<Array> all = listed(operands);
  for (const Array& array : {result, logarithms, with_rows(given)}) all.push_back(array);
  const CallResult results[] = {gradient_of(operands.query), gradient_of(operands.key), gradient_of(operands.value)};
  auto body = std::make_shared<AttentionBackward>(form, present(operands));
  const std::vector<Array> out = record_call(body, all, results, operands.query.device());
  return {out[0], out[1], out[2]};
}

}  // namespace quern
