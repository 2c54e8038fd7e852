// Calls, and functions that are a single autograd node, on the tape.
#include <algorithm>
#include <utility>

#include "graph/call.h"
#include "graph/tape_parts.h"

namespace quern {

// The entry of a call of these operands; null where none wants a gradient.
static EntryRef entry_of_call(Entry::Kind kind, Site site, std::span<const Array> operands, const CallBody* body) {
  if (!GradientMode::is_on()) return {};
  auto wants = [](const Array& array) { return base_of(array) && has_gradient(array.dtype()); };
  const std::ptrdiff_t wanting = std::ranges::count_if(operands, wants);
  if (wanting == 0 || std::ranges::all_of(operands, is_inference)) return {};
  EntryRef entry = new_entry(kind, DType::boolean, {}, operands[0].device());
  entry->site = site;
  std::vector<TapeOperand>& more = entry->extra().more;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Array& array = operands[i];
    TapeOperand operand{entry_of(array), {}, array.layout_ref(), array.dtype()};
    const bool is_needed = body && body->keeps_operand(i) && !(body->is_product() && wanting == wants(array));
    if (is_needed) {
      operand.value = array.operand();
      keep(operand, &array);
    }
    more.push_back(std::move(operand));
  }
  entry->number = next_number();  // behind the views that the operands just became
  return entry;
}

// The results are parts of the entry, each an entry of its own where there are several.
static void give_results(const EntryRef& entry, std::span<const Array> results, const std::function<bool(size_t)>& keeps) {
  TapeExtras& extra = entry->extra();
  bool one = results.size() == 1;
  for (size_t i = 0; i < results.size(); ++i) {
    const Array& result = results[i];
    extra.result_layouts.push_back(result.layout_ref());
    extra.result_types.push_back(result.dtype());
    extra.results.push_back(keeps(i) ? result.operand() : Operand{});
  }
  if (!one) extra.parts.resize(results.size());
  entry->dtype = entry->compute = results[0].dtype();
  entry->layout = results[0].layout_ref();
  entry->device = results[0].device();
  for (size_t i = 0; i < results.size(); ++i) {
    const Array& result = results[i];
    if (!has_gradient(result.dtype())) continue;
    EntryRef own = entry;
    if (!one) {
      own = new_entry(Entry::Kind::part, result.dtype(), result.layout_ref(), result.device());
      own->site = entry->site;
      own->part = static_cast<uint8_t>(i);
      own->operand_count = 1;
      own->own[0] = {entry, {}, result.layout_ref(), result.dtype()};
    }
    if (!one) extra.parts[i] = own.get();
    if (!is_apart(result.tape()) && result.is_whole()) {
      result.cell()->entry = std::move(own);
      if (result.tape()) result.tape()->is_view = false, result.tape()->made = TapeView::Made::recorded;
    } else {  // such as a result with axes of one element, or numbers; or one that was detached from other memory
      TapeView& tape = tape_of(result);
      release(tape.own);
      tape.own = new Variable{1, std::move(own), result.layout_ref(), result.dtype()};
      tape.base = tape.parent = tape.seen = {};
      tape.is_view = false;
      tape.made = TapeView::Made::recorded;
    }
  }
}

void tape_call(const std::shared_ptr<const CallBody>& body, Site site, std::span<const Array> operands,
               std::span<const Array> results) {
  bool any = std::any_of(results.begin(), results.end(), [](const Array& r) { return has_gradient(r.dtype()); });
  if (!any || operands.empty()) return;
  EntryRef entry = entry_of_call(Entry::Kind::call, site, operands, body.get());
  if (!entry) return;
  entry->call = body;
  give_results(entry, results, [&](size_t i) { return body->keeps_result(i); });
}

EntryRef tape_call_into(const std::shared_ptr<const CallBody>& body, Site site, const Array& target,
                        std::span<const Array> operands) {
  if (!GradientMode::is_on() || !has_gradient(target.dtype())) return {};
  std::vector<Array> all{target};
  all.insert(all.end(), operands.begin(), operands.end());
  EntryRef entry = entry_of_call(Entry::Kind::call, site, all, body.get());
  if (!entry) return {};
  entry->call = body;
  check_may_record(target);
  const EntryRef& base = base_of(target);
  set_written(*entry, target, base);
  entry->compute = entry->dtype;
  TapeExtras& extra = entry->extra();
  extra.result_layouts.push_back(target.layout_ref());
  extra.result_types.push_back(target.dtype());
  extra.results.emplace_back();
  extra.more[0] = {base, {}, entry->layout, entry->dtype};
  return entry;
}

std::vector<Array> differentiable(std::shared_ptr<const GradientBody> body, std::span<const Array> inputs, const Kept& kept,
                                  const std::function<std::vector<Array>()>& make) {
  AtSite here(current_site());  // one look for all that is recorded
  std::vector<Array> results;
  {
    GradientMode off(false);
    results = make();
  }
  GraphLock lock;
  if (results.empty() || !is_taping()) return results;
  EntryRef entry = entry_of_call(Entry::Kind::function, current_site(), inputs, nullptr);
  if (!entry) return results;
  std::vector<TapeOperand>& operands = entry->extra().more;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i >= kept.inputs.size() || !kept.inputs[i]) continue;
    operands[i].value = inputs[i].operand();
    keep(operands[i], &inputs[i]);
  }
  entry->function = std::move(body);
  give_results(entry, results, [&](size_t i) { return i < kept.results.size() && kept.results[i]; });
  return results;
}

}  // namespace quern
