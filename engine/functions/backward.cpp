#include "functions/backward.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/site_pairs.h"
#include "core/trace.h"
#include "functions/gradient_parts.h"
#include "functions/row_gradients.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/formulas.h"
#include "run/calls/indexing.h"

namespace quern {

using namespace steps;

namespace {

std::atomic<bool> looks_for_nan{false};

Array zeros(const Shape& shape, DType dtype, DeviceId device) { return full(shape, real_number(0), dtype, device); }

}  // namespace

Array summed_to(const Array& g, const Shape& shape) {
  if (g.shape() == shape) return g;
  size_t more = g.rank() - shape.size();
  std::vector<bool> axes(g.rank(), false);
  bool any = false;
  for (size_t i = 0; i < g.rank(); ++i) any |= axes[i] = i < more || (shape[i - more] == 1 && g.shape()[i] != 1);
  Array out = any ? reduce(Reduction::sum, g, axes, false) : g;
  return out.shape() == shape ? out : reshape(out, shape);
}

namespace {

// What has come for an entry.
struct Work {
  EntryRef entry;
  std::optional<Array> sum;
  std::vector<GradientPart> parts;
  bool is_unclear = false;                    // the sum has shares
  std::vector<std::optional<Array>> results;  // of a call with several
};

// A view's entry may be made later than the view, when somebody asks for it.
bool is_within(const Entry& entry, const std::vector<TapeSpan>& spans) {
  return spans.empty() || std::any_of(spans.begin(), spans.end(), [&](const TapeSpan& span) {
           return entry.number > span.since && (entry.number <= span.until || entry.kind == Entry::Kind::view);
         });
}

// A gradient by an operand that it does not change with.
class FlatInOperand : public GradientBody {
 public:
  std::string_view name() const override { return "flat"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    return {call.given[0], zeros(call.layouts[1]->shape, call.types[1], call.device)};
  }
};
Array with_flat_operand(const Array& g, const EntryRef& operand, const GradientCall& call) {
  const Array nothing =
      zeros(call.layouts[0]->shape, call.types[0], call.device);  // stands for the operand, whose values are not kept
  const Array inputs[] = {g, with_entry(nothing.operand(), operand, call.device)};
  return differentiable(std::make_shared<FlatInOperand>(), inputs, {},
                        [&] { return std::vector<Array>{with_entry(g.operand(), {}, call.device)}; })[0];
}

class Backward {
 public:
  Backward(const std::vector<Array>& results, const std::vector<std::optional<Array>>& given, BackwardOptions options)
      : options_(std::move(options)), mode_(options_.create_graph) {
    for (size_t i = 0; i < results.size(); ++i) start(results[i], i < given.size() ? given[i] : std::nullopt, i);
  }

  // Only what leads to the inputs is computed, and nothing is added to leaves.
  void only_for(const std::vector<Array>& inputs, bool accumulate) {
    has_inputs_ = true;
    accumulates_ = accumulate;
    for (const Array& input : inputs) {
      EntryRef entry;
      {
        GraphLock lock;
        entry = entry_of(input);
      }
      if (!entry) raise(ErrorKind::runtime, "One of the differentiated Tensors does not require grad");
      inputs_.push_back(entry);
    }
    find_needed();
  }

  // Several threads may go through one graph. Each step holds the graph's lock: entries, their gradients and hooks are read and
  // written with it. Only the program's own code runs without.
  void run() {
    while (!work_.empty()) {
      GraphLock lock;
      auto node = work_.extract(work_.begin());
      process(node.mapped());
    }
  }
  ~Backward() {
    GraphLock lock;
    work_.clear();
  }
  Backward(const Backward&) = delete;

  std::vector<std::optional<Array>> found(bool allow_unused) {
    std::vector<std::optional<Array>> out;
    for (const EntryRef& input : inputs_) {
      auto it = captured_.find(input.get());
      if (it == captured_.end() && !allow_unused)
        raise(
            ErrorKind::runtime,
            "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if this is "
            "the desired behavior.",
            out.size());
      out.push_back(it == captured_.end() ? std::nullopt : std::optional<Array>(it->second));
    }
    return out;
  }

 private:
  // ---- where it starts

  void start(const Array& result, std::optional<Array> given, size_t number) {
    GraphLock lock;
    EntryRef entry = entry_of(result);
    if (!entry) raise(ErrorKind::runtime, "element {} of tensors does not require grad and does not have a grad_fn", number);
    if (!given) {
      if (result.size() != 1) raise(ErrorKind::runtime, "grad can be implicitly created only for scalar outputs");
      if (is_complex(result.dtype()))
        raise(ErrorKind::runtime, "grad can be implicitly created only for real scalar outputs but got {}",
              row(result.dtype()).name);
      given = full(result.shape(), real_number(1), result.dtype(), result.device());
    } else if (given->shape() != result.shape()) {
      auto size = [](const Shape& shape) {
        std::string text = "torch.Size([";
        for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
        return text + "])";
      };
      raise(ErrorKind::runtime, "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}.", number,
            size(given->shape()), number, size(result.shape()));
    } else if (is_complex(given->dtype()) && !is_complex(result.dtype())) {
      raise(ErrorKind::runtime,
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            "grad_output[{}] has a dtype of {} and output[{}] has a dtype of {}.",
            number, row(given->dtype()).name, number, row(result.dtype()).name);
    } else if (given->device() != result.device()) {
      raise(ErrorKind::runtime, "the gradient of result {} is on another device than the result; move it with to()", number);
    }
    deliver({entry, {}, result.layout_ref(), result.dtype()}, *given);
  }

  void find_needed() {
    std::vector<EntryRef> all;
    std::unordered_set<Entry*> seen;
    uint64_t oldest = ~uint64_t{0};
    for (const EntryRef& input : inputs_) oldest = std::min(oldest, input->number);
    GraphLock lock;
    for (auto& [number, work] : work_) all.push_back(work.entry), seen.insert(work.entry.get());
    for (size_t i = 0; i < all.size(); ++i) {
      Entry& entry = *all[i];
      for (TapeOperand& operand : entry.operands()) {
        if (operand.from && operand.from->number >= oldest && seen.insert(operand.from.get()).second) all.push_back(operand.from);
      }
    }
    std::sort(all.begin(), all.end(), [](const EntryRef& a, const EntryRef& b) { return a->number < b->number; });
    for (const EntryRef& entry : all) {
      bool is_input = std::find(inputs_.begin(), inputs_.end(), entry) != inputs_.end();
      bool leads = false;
      if (is_within(*entry, options_.spans))
        for (TapeOperand& operand : entry->operands()) leads |= operand.from && needed_.contains(operand.from.get());
      if (is_input || leads) needed_.insert(entry.get());
    }
  }

  bool is_needed(const EntryRef& entry) const { return entry && (!has_inputs_ || needed_.contains(entry.get())); }

  // ---- what goes from entry to entry

  Work& work_of(const EntryRef& entry) {
    Work& work = work_[entry->number];
    if (!work.entry) work.entry = entry;
    return work;
  }

  // In the operand's shape and type.
  void deliver(const TapeOperand& operand, Array g) {
    if (!is_needed(operand.from)) return;
    const Shape &shape = operand.layout->shape, &own = operand.from->layout->shape;
    if (g.shape() != shape) g = g.size() == operand.layout->elements ? reshape(g, shape) : summed_to(g, shape);
    if (g.shape() != own) g = reshape(g, own);  // take_shape()
    if (g.dtype() != operand.dtype) {
      if (is_complex(g.dtype()) && !is_complex(operand.dtype)) g = g.real();
      g = as_type(g, operand.dtype);
    }
    Work& work = work_of(operand.from);
    work.sum = added(work.sum, g);
  }

  void deliver_part(const EntryRef& to, const GradientPart& part) {
    if (is_needed(to)) work_of(to).parts.push_back(part);
  }

  // ---- an entry's turn

  void process(Work& work) {
    Entry& entry = *work.entry;
    // Under a trace the work is both its line's and that of who called backward().
    AtSite site(entry.is_leaf() ? asked_by_ : tracing() ? site_pair(entry.site, asked_by_) : entry.site);
    bool has_parts = !work.results.empty();
    if (!has_parts) {
      check_parts(work);
      if (hands_parts_on(work)) return;
      work.sum = total(*work.entry, work.sum, work.parts);
      work.parts.clear();
    }
    bool leads = false;
    if (is_within(entry, options_.spans))
      for (TapeOperand& operand : entry.operands()) leads |= is_needed(operand.from);
    if (!has_parts && (entry.extras || has_inputs_)) look_at(work, leads);
    if (entry.is_leaf()) {
      if (accumulates_ && is_needed(work.entry)) accumulate(work.entry, *work.sum);
      return;
    }
    if (!leads) return;  // an input: what made it keeps its values
    if (entry.is_spent)
      raise(ErrorKind::runtime,
            "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
            "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
            "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
            "after calling backward.");
    const WithSlopes slopes(entry.slopes);
    try {
      pass_on(work);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::not_implemented) throw;
      std::string line = describe_site(entry.site);
      if (line.empty()) throw;
      throw Error(error.kind(), std::string(error.what()) + " (recorded at " + line + ")");
    }
    if (!options_.retain_graph) let_go(entry);
  }

  bool is_seen(const Work& work) const {  // by somebody who wants its gradient
    const TapeExtras* extras = work.entry->extras.get();
    return (work.entry->is_leaf() && accumulates_) || (has_inputs_ && std::ranges::find(inputs_, work.entry) != inputs_.end()) ||
           (extras && (extras->keeps_gradient || !extras->hooks.empty()));
  }

  void check_parts(Work& work) const {
    work.is_unclear = !work.parts.empty() && has_unclear_parts(*work.entry, work.parts);
    if (is_seen(work) && work.is_unclear)
      raise(
          ErrorKind::not_implemented,
          "the gradient of an expanded tensor whose parts are read by indices or as views is not supported, because its elements "
          "share memory; read the parts of a clone() of it");
  }

  // A view that nobody asks for its gradient hands parts on as they are: all of them count in one memory.
  bool hands_parts_on(Work& work) {
    Entry& entry = *work.entry;
    if (entry.kind != Entry::Kind::view || work.parts.empty() || is_seen(work) || !is_within(entry, options_.spans)) return false;
    const EntryRef& from = entry.own[0].from;
    for (GradientPart& part : work.parts) {
      part.is_unclear |= work.is_unclear;
      deliver_part(from, part);
    }
    if (work.sum) deliver_part(from, {entry.layout, entry.dtype, *work.sum});
    return true;
  }

  // Hooks and gradients that are kept or asked for. As in PyTorch, an input that leads on to others is given back as it is before
  // its hooks change it.
  void look_at(Work& work, bool leads) {
    Entry& entry = *work.entry;
    const bool is_input = has_inputs_ && std::find(inputs_.begin(), inputs_.end(), work.entry) != inputs_.end();
    if (is_input && !accumulates_ && leads) capture(entry, *work.sum);
    if (entry.extras && is_within(entry, options_.spans)) {  // else its hooks see what comes of this, later
      for (auto& hook : std::vector(entry.extras->hooks)) {
        if (auto other = seen_by(*hook, forwards(*work.sum))) work.sum = *other;
      }
      if (entry.extras->keeps_gradient && !entry.is_leaf()) store(entry, *work.sum);
    }
    if (!is_input) return;
    if (!accumulates_) {
      if (!leads) capture(entry, *work.sum);
    } else if (!entry.is_leaf() && !(entry.extras && entry.extras->keeps_gradient)) {
      accumulate(work.entry, *work.sum);
    }
  }

  // What programs see has no negative strides, as tensors have none.
  Array forwards(const Array& g) {
    const bool goes_back = std::ranges::any_of(g.layout().strides, [](int64_t step) { return step < 0; });
    return goes_back ? own_copy(g, g.layout_ref()) : g;
  }
  void capture(Entry& entry, const Array& g) { captured_.insert_or_assign(&entry, forwards(g)); }

  static std::optional<Array> seen_by(GradientHook& hook, const Array& g) {
    GraphUnlock unlocked;
    return hook.seen(g);
  }

  // Of a tensor that is no leaf. What the program holds of it stays as it is: a sum is a new array.
  void store(Entry& entry, const Array& g) {
    std::shared_ptr<Array>& gradient = entry.extra().gradient;
    Array own = gradient ? add(*gradient, g) : own_copy(g, g.layout_ref());
    if (InferenceMode::is_on()) mark_inference(own);
    gradient = std::make_shared<Array>(std::move(own));
  }

  // What a program may write into; with its record where gradients are recorded.
  Array own_copy(const Array& g, const LayoutRef& as) {
    const LayoutRef wanted = gradient_layout(as);
    bool is_own = g.is_whole() && !repeats(g.layout());
    for (size_t axis = 0; axis < g.rank(); ++axis)
      is_own = is_own && (g.shape()[axis] == 1 || g.layout().strides[axis] == wanted->strides[axis]);
    if (is_own && options_.create_graph && !(g.tape() && g.tape()->is_view)) return g;
    if (is_own && !options_.create_graph) return g.apart();
    return copied(g, g.dtype(), wanted);
  }

  void accumulate(const EntryRef& entry, const Array& g) {
    TapeExtras& extra = entry->extra();
    const std::shared_ptr<Array> before = extra.gradient;  // also when another thread replaces it
    if (!before) {
      Array own = own_copy(g, entry->layout);
      if (InferenceMode::is_on()) mark_inference(own);
      extra.gradient = std::make_shared<Array>(std::move(own));
    } else {
      if (before->shape() != g.shape())
        raise(ErrorKind::runtime,
              "the gradient has shape {} and the tensor's grad {}: the tensor's shape has changed since; set grad to None first",
              to_string(g.shape()), to_string(before->shape()));
      Argument both[] = {Argument(*before), Argument(g)};
      if (options_.create_graph) {
        extra.gradient = std::make_shared<Array>(elementwise(Op::add, both));
      } else {
        elementwise(Op::add, both, before.get());
      }
    }
    // A hook may look at the gradient, which makes it another object, or take it away.
    for (auto& hook : std::vector(extra.after)) {
      std::shared_ptr<Array> held = extra.gradient;
      if (held) seen_by(*hook, *held);
    }
  }

  static void let_go(Entry& entry) {
    bool any = false;
    auto drop = [&](Operand& value) {
      any |= static_cast<bool>(value.node);
      value = {};
    };
    for (TapeOperand& operand : entry.operands()) drop(operand.value);
    drop(entry.value);
    if (entry.extras)
      for (Operand& result : entry.extras->results) drop(result);
    if (entry.function && entry.function->keeps_values()) {
      entry.extra().name = entry.function->name();
      entry.function.reset();
      any = true;
    }
    entry.is_spent |= any;
  }

  // A value that was kept, as an array with its record where gradients are recorded.
  Array kept(const Operand& value, const EntryRef& from, uint64_t written, const Entry& entry) {
    if (!value.node) return {};
    const Node& node = *value.node;
    if (node.is_exposed() && node.buffer && node.buffer.block()->writes.load() != written)
      raise(ErrorKind::runtime,
            "one of the variables needed for gradient computation has been modified by an inplace operation: an array of shape "
            "{} whose memory is shared with others, used at {}; pass a clone() of it to the operation",
            to_string(value.shape()), describe_site(entry.site));
    return with_entry(value, options_.create_graph ? from : EntryRef(), entry.device);
  }

  void pass_on(Work& work) {
    Entry& entry = *work.entry;
    switch (entry.kind) {
      case Entry::Kind::leaf:
        return;
      case Entry::Kind::nothing: {
        if (entry.operand_count == 0) return;
        const TapeOperand& of = entry.own[0];
        return deliver(of, zeros(of.layout->shape, of.dtype, entry.device));
      }
      case Entry::Kind::view: {
        const EntryRef& from = entry.own[0].from;
        return deliver_part(from, {entry.layout, entry.dtype, *work.sum, work.is_unclear});
      }
      case Entry::Kind::row:
        return pass_row(entry, *work.sum);
      case Entry::Kind::reduce:
        return deliver(entry.own[0], looked_at(entry, 0, reduced(entry, *work.sum)));
      case Entry::Kind::update:
        return pass_update(entry, *work.sum);
      case Entry::Kind::part: {
        const TapeOperand& of = entry.own[0];
        if (!is_needed(of.from)) return;
        Work& call = work_of(of.from);
        call.results.resize(of.from->extras->result_types.size());
        call.results[entry.part] = added(call.results[entry.part], *work.sum);
        return;
      }
      case Entry::Kind::call:
      case Entry::Kind::function:
        return pass_call(work);
    }
  }

  void pass_row(Entry& entry, const Array& g) {
    std::array<Array, 3> operands;
    size_t count = entry.operand_count;
    for (size_t i = 0; i < count; ++i) {
      operands[i] = kept(entry.own[i].value, entry.own[i].from, entry.own[i].written, entry);
      DType type = operand_type(row(entry.op), static_cast<int>(i), entry.compute);
      if (operands[i]) operands[i] = as_type(operands[i], type);
    }
    Array y = kept(entry.value, entry_of_value(entry), entry.written, entry);
    DType in = is_complex(entry.compute) && !is_complex(entry.dtype) ? entry.dtype : entry.compute;
    Array given = entry.op == Op::cast ? g : as_type(g, in);
    auto slope = [&](size_t i) { return row_gradient(entry.op, static_cast<int>(i), given, {operands.data(), count}, y); };
    for (size_t i = 0; i < count; ++i) {
      if (!is_needed(entry.own[i].from)) continue;
      deliver(entry.own[i], looked_at(entry, i, slope(i)));
    }
  }

  static EntryRef work_entry(Entry& entry) { return EntryRef(&entry); }

  // The entry of a result that a derivative is computed from, where gradients are recorded. A quotient's is that of another
  // quotient: PyTorch computes it from the operands, so its second derivative does not pass the hooks of the result.
  EntryRef entry_of_value(Entry& entry) const {
    if (!options_.create_graph) return {};
    return entry.op == Op::true_divide ? unhooked(entry) : work_entry(entry);
  }

  // The same operation on the same operands, without hooks.
  static EntryRef unhooked(const Entry& entry) {
    EntryRef other = new_entry(entry.kind, entry.dtype, entry.layout, entry.device);
    other->op = entry.op;
    other->compute = entry.compute;
    other->slopes = entry.slopes;
    other->site = entry.site;
    other->operand_count = entry.operand_count;
    other->own = entry.own;
    other->value = entry.value;
    other->written = entry.written;
    other->function = entry.function;
    if (!entry.extras) return other;
    TapeExtras& extra = other->extra();
    extra.more = entry.extras->more;
    extra.result_layouts = entry.extras->result_layouts;
    extra.result_types = entry.extras->result_types;
    extra.results = entry.extras->results;
    extra.parts.resize(entry.extras->parts.size());
    return other;
  }

  Array reduced(Entry& entry, const Array& g) {
    const TapeOperand& operand = entry.own[0];
    const Shape& shape = operand.layout->shape;
    auto widened = [&](const Array& x) {  // the axes that went, as ones, over the operand's shape
      Shape kept = shape;
      for (size_t i = 0; i < kept.size(); ++i)
        if (entry.axes[i]) kept[i] = 1;
      Array out = reshape(x, kept);
      return out.view(out.layout().broadcast_to(shape));
    };
    Array wide = widened(g);
    if (entry.reduction == Reduction::sum) return entry.is_apart ? copied(wide, wide.dtype()) : wide;
    Array a = as_type(kept(operand.value, operand.from, operand.written, entry), entry.compute);
    Array y = widened(kept(entry.value, work_entry(entry), entry.written, entry));
    if (entry.reduction == Reduction::product) return multiply(wide, conj(slope_of_product(entry, a, y, widened)));
    // Equal ones share the gradient.
    Array mine = equal(a, y);
    if (entry.slopes == Slopes::torch && row(entry.compute).kind == DTypeKind::real)
      mine = logical_or(mine, logical_and(isnan(a), isnan(y)));
    Array count = widened(reduce(Reduction::sum, mine, entry.axes, false, DType::int64));
    Array share = true_divide(wide, as_type(count, g.dtype()));
    return entry.slopes != Slopes::torch ? multiply(as_type(mine, g.dtype()), share) : where(mine, share, 0);
  }

  // For each factor `a` of a product `y` the product of the others. `widened`: in reduced().
  Array slope_of_product(const Entry& entry, const Array& a, const Array& y, const auto& widened) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    Array is_zero = equal(a, 0);
    if (options_.create_graph) {  // as in PyTorch, without zeros it goes through the product, which may have hooks
      Array has_zero = reduce(Reduction::any, is_zero, std::vector<bool>(a.rank(), true), false);
      return where(has_zero, product_of_others(a, entry.axes), true_divide(y, where(is_zero, 1, a)));
    }
    // Where one factor is zero the others' product is its derivative; with two all derivatives are zero, but beside NaN.
    Array zeros_in = widened(reduce(Reduction::sum, is_zero, entry.axes, false, DType::int64));
    Array others = widened(reduce(Reduction::product, where(is_zero, 1, a), entry.axes, false));
    Array alone = logical_and(is_zero, equal(zeros_in, 1)), quotient = true_divide(y, a);
    if (entry.slopes == Slopes::torch) {
      Array nothing = where(logical_and(isnan(y), isfinite(a)), nan, zeros(a.shape(), others.dtype(), entry.device));
      return where(equal(zeros_in, 0), quotient, where(alone, others, nothing));
    }
    Array slope = where(equal(zeros_in, 0), quotient, where(alone, others, multiply(others, 0)));
    Array is_nan = isnan(a), nans_in = widened(reduce(Reduction::sum, is_nan, entry.axes, false, DType::int64));
    Array numbers = widened(reduce(Reduction::product, where(is_nan, 1, a), entry.axes, false));
    return where(equal(nans_in, 0), slope, where(logical_and(is_nan, equal(nans_in, 1)), numbers, nan));
  }

  // For each factor the others' product, with derivatives of any order: from both ends, without a quotient.
  static Array product_of_others(const Array& a, const std::vector<bool>& axes) {
    std::vector<int> order, back(a.rank());
    for (bool goes : {false, true})
      for (size_t i = 0; i < a.rank(); ++i)
        if (axes[i] == goes) order.push_back(static_cast<int>(i));
    for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int>(i);
    Array turned = transpose(a, order);
    Shape shape;
    int64_t n = 1;
    for (size_t i = 0; i < a.rank(); ++i) axes[i] ? void(n *= a.shape()[i]) : shape.push_back(a.shape()[i]);
    size_t axis = shape.size();
    shape.push_back(n);
    Array lines = reshape(turned, shape);
    Array behind = formulas::flipped(formulas::products_before(formulas::flipped(lines, axis), axis), axis);
    Array others = multiply(formulas::products_before(lines, axis), behind);
    return transpose(reshape(others, turned.shape()), back);
  }

  void pass_update(Entry& entry, const Array& g) {
    if (entry.target == entry.layout && entry.layout == entry.whole && entry.target_dtype == entry.dtype) {
      deliver(entry.own[1], looked_at(entry, 1, g));
      return deliver(entry.own[0], zeros(entry.own[0].layout->shape, entry.own[0].dtype, entry.device));
    }
    Array memory = as_memory(entry, g);
    if (is_needed(entry.own[1].from)) {
      Array part = memory.view(*entry.target, entry.target_dtype);
      deliver(entry.own[1], looked_at(entry, 1, copied(part, part.dtype())));
    }
    if (is_needed(entry.own[0].from)) {
      Array rest = copied(memory, memory.dtype(), memory.layout_ref());
      assign(rest.view(*entry.target, entry.target_dtype), Argument(real_number(0)));
      deliver(entry.own[0], entry.layout == entry.whole ? rest : rest.view(*entry.layout, entry.dtype));
    }
  }

  void pass_call(Work& work) {
    Entry& entry = *work.entry;
    TapeExtras& extra = *entry.extras;
    GradientCall call;
    call.device = entry.device;
    for (TapeOperand& operand : extra.more) {
      call.operands.push_back(kept(operand.value, operand.from, operand.written, entry));
      call.wanted.push_back(is_needed(operand.from));
      call.layouts.push_back(operand.layout.get());
      call.types.push_back(operand.dtype);
    }
    EntryRef origin = work_entry(entry);
    if (options_.create_graph && entry.function && !entry.function->goes_through_results()) origin = unhooked(entry);
    for (size_t i = 0; i < extra.result_types.size(); ++i) {
      EntryRef from = extra.results[i].node && options_.create_graph ? result_entry(*origin, i) : EntryRef();
      call.results.push_back(kept(extra.results[i], from, 0, entry));
      call.result_shapes.push_back(extra.result_layouts[i]->shape);
      call.result_types.push_back(extra.result_types[i]);
    }
    call.given = work.results;
    if (call.given.empty()) call.given.push_back(work.sum);
    if (entry.target) {  // a call that writes into a part of an array: that part is its result, and its first operand
      Array memory = as_memory(entry, *work.sum);
      Array part = memory.view(*entry.target, entry.target_dtype);
      call.given = {copied(part, part.dtype())};
      call.layouts[0] = entry.target.get();
      call.types[0] = entry.target_dtype;
      std::vector<std::optional<Array>> out = gradients_by(entry, call);
      if (is_needed(extra.more[0].from)) {
        Array rest = copied(memory, memory.dtype(), memory.layout_ref());
        Argument before = out[0] ? Argument(*out[0]) : Argument(real_number(0));
        assign(rest.view(*entry.target, entry.target_dtype), before);
        deliver(extra.more[0], entry.layout == entry.whole ? rest : rest.view(*entry.layout, entry.dtype));
      }
      for (size_t i = 1; i < out.size(); ++i)
        if (out[i]) deliver(extra.more[i], looked_at(entry, i, *out[i]));
      return;
    }
    std::vector<std::optional<Array>> out = gradients_by(entry, call);
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i]) deliver(extra.more[i], looked_at(entry, i, *out[i]));
  }

  // Of a result that was kept: the call's own where it is the only one, else another of its parts.
  static EntryRef result_entry(Entry& entry, size_t i) {
    const TapeExtras& extra = *entry.extras;
    if (extra.result_types.size() == 1) return work_entry(entry);
    if (extra.parts[i]) return EntryRef(extra.parts[i]);
    EntryRef part = new_entry(Entry::Kind::part, extra.result_types[i], extra.result_layouts[i], entry.device);
    part->part = static_cast<uint8_t>(i);
    part->operand_count = 1;
    part->own[0] = {work_entry(entry), {}, extra.result_layouts[i], extra.result_types[i]};
    return part;
  }

  static std::vector<std::optional<Array>> gradients_by(Entry& entry, const GradientCall& call) {
    if (entry.kind == Entry::Kind::call) {
      std::vector<std::optional<Array>> out = entry.call->gradients(call);
      const EntryRef& from = entry.extras->more[0].from;
      if (GradientMode::is_on() && entry.slopes == Slopes::torch && from && out[0] && entry.call->gradient_is_of_operand(call))
        out[0] = with_flat_operand(*out[0], from, call);
      return out;
    }
    const std::shared_ptr<const GradientBody> function = entry.function;  // another thread may free it meanwhile
    return function->gradients(call);
  }

  Array looked_at(Entry& entry, size_t operand, Array g) {
    if (!looks_for_nan || row(g.dtype()).kind == DTypeKind::boolean || is_integer(g.dtype())) return g;
    GradientMode off(false);
    Array bad = isnan(is_complex(g.dtype()) ? absolute(g) : g);
    Array any = reduce(Reduction::any, bad, std::vector<bool>(bad.rank(), true), false);
    if (scalar_in(any).integer != 0) {
      std::string name = tape_name(entry);
      if (!name.ends_with("Backward")) name += "Backward0";
      raise(ErrorKind::runtime, "Function '{}' returned nan values in its {}th output. It was recorded at {}.", name, operand,
            describe_site(entry.site));
    }
    return g;
  }

  const BackwardOptions options_;
  const Site asked_by_ = current_site();
  GradientMode mode_;
  bool has_inputs_ = false, accumulates_ = true;
  std::vector<EntryRef> inputs_;
  std::unordered_set<Entry*> needed_;
  std::map<uint64_t, Work, std::greater<>> work_;  // by the entries' numbers, the newest first
  std::unordered_map<Entry*, Array> captured_;
};

}  // namespace

void backward(const std::vector<Array>& results, const std::vector<std::optional<Array>>& given, const std::vector<Array>& inputs,
              BackwardOptions options) {
  Backward backward(results, given, options);
  if (!inputs.empty()) backward.only_for(inputs, true);
  backward.run();
}

std::vector<std::optional<Array>> gradients(const std::vector<Array>& results, const std::vector<std::optional<Array>>& given,
                                            const std::vector<Array>& inputs, BackwardOptions options) {
  Backward backward(results, given, options);
  backward.only_for(inputs, false);
  backward.run();
  return backward.found(options.allow_unused);
}

bool depends_on(const Array& array, const std::vector<Array>& others, const std::vector<TapeSpan>& spans) {
  GraphLock lock;
  std::unordered_set<Entry*> wanted, seen;
  for (const Array& other : others) {
    if (EntryRef entry = entry_of(other)) wanted.insert(entry.get());
  }
  std::vector<EntryRef> open{entry_of(array)};
  while (!open.empty()) {
    EntryRef entry = std::move(open.back());
    open.pop_back();
    if (!entry || !seen.insert(entry.get()).second) continue;
    if (wanted.contains(entry.get())) return true;
    if (!is_within(*entry, spans)) continue;
    for (TapeOperand& operand : entry->operands()) open.push_back(operand.from);
  }
  return false;
}

std::shared_ptr<Array> gradient_of(const Array& array) {
  GraphLock lock;
  EntryRef entry = entry_of_gradient(array);
  return entry && entry->extras ? entry->extras->gradient : nullptr;
}

void set_gradient(const Array& array, std::shared_ptr<Array> gradient) {
  GraphLock lock;
  EntryRef entry = entry_of_gradient(array);
  if (!entry) {
    if (!gradient) return;
    raise(ErrorKind::runtime, "[grad] the array does not require grad; call requires_grad_() first");
  }
  if (!gradient) {
    if (entry->extras) entry->extras->gradient.reset();
    return;
  }
  if (gradient->shape() != array.shape()) raise(ErrorKind::runtime, "assigned grad has data of a different size");
  if (gradient->dtype() != array.dtype()) raise(ErrorKind::runtime, "assigned grad has data of a different type");
  if (gradient->device() != array.device()) raise(ErrorKind::runtime, "assigned grad has data located on a different device");
  entry->extra().gradient = std::move(gradient);
}

void hold_gradient(const Array& array, std::shared_ptr<Array> gradient) {
  GraphLock lock;
  if (EntryRef entry = entry_of_gradient(array)) entry->extra().gradient = std::move(gradient);
}

static EntryRef entry_to_see(const Array& array) {
  EntryRef entry = entry_of(array);
  if (!entry) raise(ErrorKind::runtime, "cannot register a hook on a tensor that doesn't require gradient");
  return entry;
}

void keep_gradient(const Array& array) {
  GraphLock lock;
  EntryRef entry = entry_of_gradient(array);
  if (!entry) raise(ErrorKind::runtime, "can't retain_grad on Tensor that has requires_grad=False");
  if (!entry->is_leaf()) entry->extra().keeps_gradient = true;
}

void add_hook(const Array& array, std::shared_ptr<GradientHook> hook, bool after) {
  GraphLock lock;
  EntryRef entry = entry_to_see(array);
  if (after && !entry->is_leaf())
    raise(ErrorKind::runtime, "post accumulate grad hooks cannot be registered on non-leaf tensors");
  auto& hooks = after ? entry->extra().after : entry->extra().hooks;
  std::erase_if(hooks, [](const auto& one) { return one->is_gone(); });
  hooks.push_back(std::move(hook));
}

void remove_hook(const Array& array, const GradientHook* hook) {
  GraphLock lock;
  EntryRef entry = entry_of(array);
  if (!entry || !entry->extras) return;
  for (auto* hooks : {&entry->extras->hooks, &entry->extras->after})
    std::erase_if(*hooks, [&](const auto& one) { return one.get() == hook; });
}

void set_anomaly_mode(bool on) { looks_for_nan = on; }
bool anomaly_mode() { return looks_for_nan; }

}  // namespace quern
