#include "graph/tape.h"

#include "core/error.h"
#include "graph/call.h"
#include "graph/tape_parts.h"

#include <algorithm>
#include <string>
#include <utility>

namespace quern {

uint64_t live_entries = 0;

namespace {

// Entries are numbered in the order in which they are made, with room before each for leaves that take its place (moved_leaf()).
constexpr uint64_t room_before = 1024;
uint64_t last_number = 0;
RowNeeds row_needs = nullptr;
struct Modes {
  bool is_asked = true, is_inference = false, is_on = true;
  void settle() { is_on = is_asked && !is_inference; }
};
thread_local Modes modes;
thread_local Slopes slopes = Slopes::torch;

}  // namespace

uint64_t next_number() { return last_number += room_before; }

uint64_t writes_of(const Node& node) { return node.is_exposed() && node.buffer ? node.buffer.block()->writes.load() : 0; }

bool has_gradient(DType type) { return !is_record(type) && (row(type).kind == DTypeKind::real || is_complex(type)); }

void check_may_keep(const Array& array) {
  if (!is_inference(array)) return;
  raise(ErrorKind::runtime,
        "Inference tensors cannot be saved for backward. Please do not use tensors made in inference mode where gradients are "
        "recorded and the derivative needs their values; use a clone() made outside of it, or torch.no_grad() instead of "
        "inference_mode().");
}

void keep(TapeOperand& operand, const Array* array) {
  if (array) check_may_keep(*array);
  operand.written = writes_of(*operand.value.node);
}

TapeView& tape_of(const Array& array) {
  TapeViewRef& tape = array.tape();
  if (!tape) tape = TapeViewRef(new TapeView);
  return *tape;
}

bool is_apart(const TapeViewRef& tape) { return tape && (tape->own || tape->is_inference); }

const EntryRef& base_of(const Array& array) {
  static const EntryRef none;
  const TapeViewRef& tape = array.tape();
  if (!is_apart(tape)) return array.cell()->entry;
  return tape->own ? tape->own->entry : none;
}

void set_written(Entry& entry, const Array& target, const EntryRef& base) {
  const Node& node = *target.cell()->node;
  entry.target = target.layout_ref();
  entry.target_dtype = target.dtype();
  entry.whole = entry.layout = node.layout;
  entry.whole_dtype = entry.dtype = node.dtype;
  const TapeViewRef& tape = target.tape();
  if (tape && tape->own) {  // the gradient is of that part of the memory alone
    entry.layout = tape->own->layout;
    entry.dtype = tape->own->dtype;
  } else if (base && takes_shape(*base)) {
    entry.layout = base->layout;
  }
}

bool takes_shape(const Entry& entry) {
  using enum Entry::Kind;
  return entry.kind == view || entry.kind == reduce || entry.kind == update || entry.kind == nothing ||
         (entry.kind == row && entry.op == Op::cast);
}

namespace {

// What an operand of an op is to the tape; a number has no entry.
TapeOperand operand_of(const Argument& argument, DType compute, DeviceId device) {
  TapeOperand out;
  if (const Array* array = argument.array()) {
    out.from = entry_of(*array);
    out.value = array->operand();
  } else {
    out.value.node = constant_node(constant_of(argument.scalar(), compute), compute, device);
    out.value.layout = out.value.node->layout;
    out.value.dtype = compute;
  }
  out.layout = out.value.layout;
  out.dtype = out.value.dtype;
  return out;
}

void keep_not(TapeOperand& operand) { operand.value = {}; }

EntryRef entry_for(Entry::Kind kind, const Node& node) {
  EntryRef entry = new_entry(kind, node.dtype, node.layout, node.device);
  entry->op = node.op;
  entry->compute = node.compute;
  entry->site = node.site;
  return entry;
}

// Nothing is recorded of these: what was made in inference mode is unknown to the tape until something else meets it.
bool are_inference(std::span<const Argument> arguments) {
  return std::ranges::all_of(arguments, [](const Argument& a) { return a.array() && is_inference(*a.array()); });
}

bool shows_all(const Array& array) {
  const TapeViewRef& tape = array.tape();
  if (tape && tape->is_view) return false;
  if (tape && tape->own) return tape->own->layout == array.layout_ref() && tape->own->dtype == array.dtype();
  if (!tape && array.is_view()) return false;
  if (array.is_whole()) return true;
  const EntryRef& base = array.cell()->entry;
  return base && takes_shape(*base) && base->layout == array.layout_ref() && base->dtype == array.dtype();
}

// The gradient of a tensor that is no leaf is the tensor's, and follows it when its entry is replaced.
void move_gradient(Entry& from, Entry& to) {
  if (from.is_leaf() || !from.extras || &from == &to) return;
  if (from.extras->keeps_gradient) to.extra().keeps_gradient = true;
  if (from.extras->gradient) to.extra().gradient = std::move(from.extras->gradient);
  from.extras->keeps_gradient = false;
  from.extras->gradient.reset();
}

// The array has no record any more; views that were made before keep it.
void leave_record(const Array& array) {
  TapeView& tape = tape_of(array);
  tape.base = tape.parent = tape.seen = {};
  if (tape.own && tape.own->references == 1) return void(tape.own->entry = {});
  auto* own = new Variable{1, {}, array.layout_ref(), array.dtype()};
  own->left = std::exchange(tape.own, own);
  own->has_left_cell = !own->left;
}

// Of the value of entry `from`, as `array` lies in its memory.
EntryRef new_view_entry(const Array& array, const EntryRef& from) {
  EntryRef entry = new_entry(Entry::Kind::view, array.dtype(), array.layout_ref(), array.device());
  entry->site = current_site();
  entry->operand_count = 1;
  entry->own[0] = {from, {}, from->layout, from->dtype};
  const Node& node = *array.cell()->node;
  entry->whole = node.layout;
  entry->whole_dtype = node.dtype;
  return entry;
}

EntryRef entry_of_view(const Array& array, const EntryRef& base) {
  const bool is_older = !array.tape() && array.is_view();  // than the record of the array that it shows
  TapeView& tape = tape_of(array);
  tape.is_view |= is_older;
  EntryRef before;
  if (tape.base == base && tape.version == array.cell()->version) {
    if (tape.seen) return tape.seen;
  } else {
    before = std::move(tape.seen);
    tape.base = base, tape.parent = {}, tape.seen = {};
    tape.version = array.cell()->version;
  }
  EntryRef entry = new_view_entry(array, tape.parent ? tape.parent : base);
  if (before) move_gradient(*before, *entry);
  tape.seen = entry;
  return entry;
}

// A view of a leaf that was made before that was one, or while nothing was recorded: it wants a gradient, as its base does, and
// passes none on.
bool is_unrecorded(const Array& array, const EntryRef& base) {
  const TapeViewRef& tape = array.tape();
  const uint32_t version = array.cell()->version;
  if (!tape) return array.is_view() && base && base->is_leaf() && array.version() == version;
  if (tape->made == TapeView::Made::earlier) return tape->version == version;  // once the memory is written, it follows
  return tape->made != TapeView::Made::recorded && !tape->is_inference;
}
// Such is `tape`, that of `array` or of a view of it.
void pass_none_on(TapeView& tape, const Array& array) {
  const TapeView* from = array.tape() ? &*array.tape() : nullptr;
  if (from && from != &tape) {
    tape.made = from->made;
    tape.base = from->base;
    tape.version = from->version;
  } else {
    tape.made = TapeView::Made::earlier;
    tape.version = array.version();
  }
}
EntryRef entry_of_unrecorded(const Array& array, const EntryRef& base) {
  if (!array.tape()) pass_none_on(tape_of(array), array);
  TapeView& tape = tape_of(array);
  const bool is_written = tape.version != array.cell()->version;
  if (tape.base && (tape.base != base || is_written))
    raise(ErrorKind::runtime,
          "A view was created in {} mode and its base or another view of its base has been modified inplace with grad mode "
          "enabled. "
          "Make the view and write both in the {} block (it is not recorded), or both outside (it is).",
          tape.made == TapeView::Made::in_inference ? "inference" : "no_grad",
          tape.made == TapeView::Made::in_inference ? "inference_mode" : "no_grad");
  if (!tape.seen) {
    tape.seen = new_entry(Entry::Kind::nothing, array.dtype(), array.layout_ref(), array.device());
    tape.seen->site = current_site();
  }
  return tape.seen;
}

}  // namespace

uint64_t tape_length() {
  GraphLock lock;
  return last_number;
}

EntryRef new_entry(Entry::Kind kind, DType dtype, LayoutRef layout, DeviceId device) {
  auto* entry = new Entry;
  ++live_entries;
  entry->kind = kind;
  entry->dtype = entry->compute = dtype;
  entry->layout = std::move(layout);
  entry->device = device;
  entry->number = next_number();
  entry->slopes = slopes;
  return EntryRef(entry);
}

// ---- whether anything is recorded

GradientMode::GradientMode(bool on) : before_(modes.is_asked) { set(on); }
GradientMode::~GradientMode() { set(before_); }
bool GradientMode::is_on() { return modes.is_on; }
bool GradientMode::is_asked() { return modes.is_asked; }
void GradientMode::set(bool on) {
  modes.is_asked = on;
  modes.settle();
}

std::atomic<int> InferenceMode::threads_ = 0;
bool InferenceMode::is_on_here() { return modes.is_inference; }
void InferenceMode::set(bool on) {
  if (on == modes.is_inference) return;
  threads_ += on ? 1 : -1;
  modes.is_inference = on;
  modes.settle();
}

WithSlopes::WithSlopes(Slopes those) : before_(std::exchange(slopes, those)) {}
WithSlopes::~WithSlopes() { slopes = before_; }
Slopes WithSlopes::now() { return slopes; }

void set_row_needs(RowNeeds needs) { row_needs = needs; }

// ---- asking

EntryRef entry_of(const Array& array) {
  if (live_entries == 0) return {};
  const EntryRef& base = base_of(array);
  if (!base || !has_gradient(array.dtype())) return {};
  if (is_unrecorded(array, base)) return entry_of_unrecorded(array, base);
  if (array.tape() && array.tape()->made == TapeView::Made::earlier) {  // which follows now
    array.tape()->made = TapeView::Made::recorded;
    array.tape()->seen = {};
    array.tape()->is_view = true;
  }
  if (!shows_all(array)) return entry_of_view(array, base);
  if (!is_apart(array.tape()) && !array.is_whole()) {  // take_shape(): once it is written it has an entry of its own
    TapeView& tape = tape_of(array);
    tape.base = tape.seen = base;
    tape.parent = {};
    tape.version = array.cell()->version;
  }
  return base;
}

EntryRef entry_of_gradient(const Array& array) {
  return array.tape() && array.tape()->kept ? array.tape()->kept : entry_of(array);
}

void set_gradient_apart(const Array& sum) {
  GraphLock lock;
  if (live_entries == 0) return;
  const EntryRef& entry = base_of(sum);
  if (entry && entry->kind == Entry::Kind::reduce) entry->is_apart = true;
}

bool wants_gradient(const Array& array) {
  GraphLock lock;
  return live_entries > 0 && base_of(array) && has_gradient(array.dtype());
}

void want_gradient(const Array& array, bool wants) {
  GraphLock lock;
  if (wants && is_inference(array) && !InferenceMode::is_on())
    raise(
        ErrorKind::runtime,
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed. Make a clone() of it, or set it in "
        "the mode.");
  const EntryRef& base = base_of(array);
  const bool is_new_leaf = wants && is_unrecorded(array, base);
  if (base && (!base->is_leaf() || !shows_all(array)) && !is_new_leaf) {
    if (wants) return;
    raise(ErrorKind::runtime,
          "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph "
          "that doesn't require differentiation use var_no_grad = var.detach().");
  }
  if (wants && !has_gradient(array.dtype()))
    raise(ErrorKind::runtime, "only Tensors of floating point and complex dtype can require gradients");
  if (wants == static_cast<bool>(base) && !is_new_leaf) return;
  if (!wants && array.cell()->references > 1) return leave_record(array);
  EntryRef leaf;
  if (wants) {
    leaf = new_entry(Entry::Kind::leaf, array.dtype(), array.layout_ref(), array.device());
    leaf->site = current_site();
  }
  if (!is_apart(array.tape()) && array.is_whole() && !array.is_view()) return void(array.cell()->entry = std::move(leaf));
  // A view of other memory, which wants none itself, or of a detached one: a leaf of its own.
  TapeView& own = tape_of(array);
  if (own.own && own.own->references > 1) release(std::exchange(own.own, nullptr));
  if (!own.own) own.own = new Variable{1, {}, {}, DType::boolean};
  own.own->layout = array.layout_ref();
  own.own->dtype = array.dtype();
  own.own->entry = std::move(leaf);
  own.base = own.parent = own.seen = {};
  own.is_view = false;
  own.made = TapeView::Made::recorded;
}

Array detached(const Array& array) {
  GraphLock lock;
  Array out = array.view(array.layout());
  out.tape() = TapeViewRef(new TapeView);
  out.tape()->own = new Variable{1, {}, array.layout_ref(), array.dtype()};
  out.tape()->is_inference = is_inference(array);
  out.tape()->may_be_written = out.tape()->is_inference && !InferenceMode::is_on();
  return out;
}

bool is_detached(const Array& array) { return array.tape() && array.tape()->own; }

void mark_inference(const Array& array) {
  GraphLock lock;
  tape_of(array).is_inference = true;
}

void take_shape(const Array& result) {
  const EntryRef& entry = result.cell()->entry;
  if (!entry || !takes_shape(*entry)) return;
  entry->layout = result.layout_ref();
  if (result.tape()) result.tape()->is_view = false;
}

Array unhooked(const Array& view) {
  GraphLock lock;
  const EntryRef& base = base_of(view);
  Array out = view;
  if (!base || !view.tape() || !view.tape()->is_view) return out;
  const TapeView& tape = tape_of(view);
  out.tape() = TapeViewRef(new TapeView);
  TapeView& other = *out.tape();
  if (tape.own) other.own = tape.own, ++tape.own->references;
  other.made = tape.made;
  other.is_view = tape.is_view;
  return out;
}

void settle_view(const Array& array) {
  if (!array.tape() || !array.tape()->is_view) return;
  GraphLock lock;
  if (array.cell()->references == 1 && !array.tape()->seen) array.tape()->is_view = false;
}

bool is_view_of_other(const Array& array) {
  if (!array.is_view()) return false;
  if (has_gradient(array.cell()->node->dtype) && !has_gradient(array.dtype())) return false;  // bytes of reals as integers
  const TapeViewRef& tape = array.tape();
  if (!tape || !tape->own || tape->is_view) return true;
  return tape->own->layout != array.layout_ref() || tape->own->dtype != array.dtype();
}

void forget_gradient(const Array& array) {
  if (is_view_of_other(array))
    raise(ErrorKind::runtime, "Can't detach views in-place. Use detach() instead, which returns a tensor without the record.");
  if (!base_of(array)) return;
  // Views that were made before keep the record.
  const bool is_alone = array.cell()->references == 1;
  if (is_alone && !is_apart(array.tape()) && array.is_whole()) return void(array.cell()->entry = {});
  leave_record(array);
}

// The entry's value where `array` lies: views of it count in that memory.
static EntryRef in_other_memory(const EntryRef& entry, const Array& array) {
  EntryRef same = new_entry(Entry::Kind::row, entry->dtype, array.layout_ref(), array.device());
  same->op = Op::cast;
  same->site = current_site();
  same->operand_count = 1;
  same->own[0].from = entry;
  same->own[0].layout = entry->layout;
  same->own[0].dtype = entry->dtype;
  move_gradient(*entry, *same);
  return same;
}

// The leaf where `array` lies, with its gradient and hooks. What was made of it before counts in the memory that it had: the
// entry stays for that and hands its gradient on.
static EntryRef moved_leaf(const EntryRef& entry, const Array& array) {
  EntryRef leaf = new_entry(Entry::Kind::leaf, array.dtype(), array.layout_ref(), array.device());
  leaf->site = entry->site;
  leaf->number = entry->number - 1;  // backward comes to it later
  if (leaf->number % room_before == 0) raise(ErrorKind::runtime, "the data of a tensor with views was set {} times", room_before);
  leaf->extras = std::move(entry->extras);
  entry->kind = Entry::Kind::row;
  entry->op = Op::cast;
  entry->operand_count = 1;
  entry->own[0].from = leaf;
  entry->own[0].layout = leaf->layout;
  entry->own[0].dtype = leaf->dtype;
  return leaf;
}

void set_data(Array& array, const Array& data) {
  const EntryRef entry = entry_of(array);
  if (entry && !entry->is_leaf() && (array.shape() != data.shape() || array.dtype() != data.dtype()))
    raise(
        ErrorKind::runtime,
        "data of shape {} and dtype {} cannot replace that of a computed tensor of shape {} and dtype {}: its gradient would not "
        "fit. Use detach() first",
        to_string(data.shape()), row(data.dtype()).name, to_string(array.shape()), row(array.dtype()).name);
  Array made = detached(data);
  constexpr uint32_t own_references = 2;  // the array's and this function's
  const bool has_others = array.cell()->references > 1 || (entry && entry->references > own_references);
  if (entry && entry->is_leaf() && has_others && entry->layout != made.layout_ref()) {
    made.tape()->own->entry = moved_leaf(entry, made);
    array = std::move(made);
    return;
  }
  if (entry && entry->is_leaf()) {
    entry->layout = made.layout_ref();
    entry->dtype = entry->compute = made.dtype();
    entry->device = made.device();
  }
  const bool lies_so = !entry || (entry->kind != Entry::Kind::view && entry->layout == made.layout_ref());
  made.tape()->own->entry = lies_so ? entry : in_other_memory(entry, made);
  array = std::move(made);
}

// The array that shows all of a value lies in another way from now on, and all other views of the value are made from that.
static void set_base_view(Array& array, const EntryRef& base) {
  EntryRef entry = new_view_entry(array, base);
  TapeView& tape = tape_of(array);
  tape.base = tape.parent = tape.seen = {};
  tape.is_view = false;
  if (!tape.own) return void(array.cell()->entry = std::move(entry));
  tape.own->entry = std::move(entry);
  tape.own->layout = array.layout_ref();
  tape.own->dtype = array.dtype();
}

void set_view(Array& array, const Array& view, bool is_written) {
  const TapeViewRef& before = array.tape();
  const EntryRef base = base_of(array);
  const bool is_base = base && shows_all(array);
  const bool is_all = is_detached(array) && before->own->layout == array.layout_ref() && before->own->dtype == view.dtype();
  EntryRef kept = is_base && base->is_leaf() ? EntryRef() : entry_of_gradient(array);
  const uint32_t version = array.cell()->version += is_written;
  if (is_base && base->is_leaf()) return set_data(array, view);
  if (kept && !(kept->extras && kept->extras->keeps_gradient)) kept = {};
  // What was no view is none in its new shape.
  const bool stays = is_written && !array.is_view() && array.dtype() == view.dtype();
  Array same = stays ? array.of_shape(view.layout()) : view;
  if (stays) same.tape() = view.tape();
  if (!base && before && before->own && is_all) before->own->layout = view.layout_ref();
  if (same.tape()) {
    same.tape()->made = before ? before->made : TapeView::Made::recorded;  // also under no_grad()
    same.tape()->version = version;
  }
  array = std::move(same);
  if (is_base && is_written && modes.is_on) set_base_view(array, base);
  if (kept) tape_of(array).kept = std::move(kept);
}

Array with_entry(const Operand& value, EntryRef entry, DeviceId) {
  GraphLock lock;
  Array out(CellRef(new Cell(value.node)), value.layout, value.dtype);
  if (!entry) return out;
  if (out.is_whole() && entry->kind != Entry::Kind::view) {
    out.cell()->entry = std::move(entry);
    return out;
  }
  out.tape() = TapeViewRef(new TapeView);
  out.tape()->own = new Variable{1, std::move(entry), value.layout, value.dtype};
  return out;
}

// ---- recording

void check_may_record(const Array& target) {
  const TapeViewRef& tape = target.tape();
  if (!tape || tape->made == TapeView::Made::recorded || tape->made == TapeView::Made::earlier || !modes.is_on) return;
  const bool inference = tape->made == TapeView::Made::in_inference;
  raise(ErrorKind::runtime,
        "A view was created in {} and is being modified inplace {}. Whether this is recorded would be unclear: make the view and "
        "write into it both in the {} block (it is not recorded), or both outside (it is).",
        inference ? "inference mode" : "no_grad mode", inference ? "in normal mode" : "with grad mode enabled",
        inference ? "inference_mode" : "no_grad");
}

void check_may_write(const Array& target) {
  if (is_inference(target) && !target.tape()->may_be_written && !InferenceMode::is_on())
    raise(ErrorKind::runtime,
          "Inplace update to inference tensor outside InferenceMode is not allowed. Make a clone() of it first, or write in the "
          "mode.");
  if (!is_taping() || !modes.is_on) return;
  const EntryRef& base = base_of(target);
  if (!base) return;
  check_may_record(target);
  if (!base->is_leaf()) return;
  raise(ErrorKind::runtime, "a {}leaf Variable that requires grad is being used in an in-place operation.",
        shows_all(target) ? "" : "view of a ");
}

void check_no_gradient(std::string_view kernel, std::span<const Argument> arguments) {
  for (const Argument& a : arguments)
    if (a.array()) check_no_gradient(kernel, *a.array());
}

void check_no_gradient(std::string_view kernel, const Array& argument) {
  if (!is_taping() || !modes.is_on || !wants_gradient(argument)) return;
  raise(ErrorKind::not_implemented,
        "[{}] a kernel compiled from source has no derivative; pass detached arrays, or call it in an autograd.Function of "
        "quern.torch:\n\n"
        "    class Own(torch.autograd.Function):\n"
        "        @staticmethod\n"
        "        def forward(ctx, x):\n"
        "            ctx.save_for_backward(x)\n"
        "            return kernel(x)\n\n"
        "        @staticmethod\n"
        "        def backward(ctx, g):\n"
        "            (x,) = ctx.saved_tensors\n"
        "            return g * slope(x)  # what the kernel's derivative is there\n\n"
        "    y = Own.apply(x)",
        kernel);
}

EntryRef tape_row(const Node& node, std::span<const Argument> arguments) {
  if (!modes.is_on || !has_gradient(node.dtype)) return {};
  bool any = false;
  for (const Argument& a : arguments) any |= a.array() && base_of(*a.array()) && has_gradient(a.array()->dtype());
  if (!any || (node.op != Op::cast && are_inference(arguments))) return {};
  EntryRef entry = entry_for(Entry::Kind::row, node);
  entry->operand_count = static_cast<uint8_t>(arguments.size());
  uint8_t needs = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    TapeOperand& operand = entry->own[i] =
        operand_of(arguments[i], operand_type(row(node.op), static_cast<int>(i), node.compute), node.device);
    if (!operand.from) continue;
    uint8_t needed = row_needs(node.op, static_cast<int>(i));
    if (needed & RowNeedsFlat) return {};
    needs |= needed;
  }
  entry->number = next_number();  // behind the views that the operands just became
  // A quotient's derivative is made from its value here, from the numerator in PyTorch.
  if (node.op == Op::true_divide && entry->own[1].from && arguments[0].array()) check_may_keep(*arguments[0].array());
  for (size_t i = 0; i < arguments.size(); ++i)
    needs >> i & 1 ? keep(entry->own[i], arguments[i].array()) : keep_not(entry->own[i]);
  if (needs >> 3 & 1) {
    entry->value = {NodeRef(const_cast<Node*>(&node)), node.layout, node.dtype};
    entry->written = writes_of(node);
  }
  return entry;
}

EntryRef tape_copy(const Node& node, const Array& from) {
  if (!modes.is_on || !has_gradient(node.dtype)) return {};
  EntryRef of = entry_of(from);
  if (!of) return {};
  EntryRef entry = entry_for(Entry::Kind::row, node);
  entry->op = Op::cast;
  entry->operand_count = 1;
  entry->own[0] = {std::move(of), {}, from.layout_ref(), from.dtype()};
  return entry;
}

EntryRef tape_reduce(const Node& node, const Array& from) {
  if (!modes.is_on || !has_gradient(node.dtype) || is_inference(from)) return {};
  EntryRef of = entry_of(from);
  if (!of) return {};
  EntryRef entry = entry_for(Entry::Kind::reduce, node);
  entry->reduction = node.reduction;
  entry->axes = node.axes;
  entry->operand_count = 1;
  entry->own[0] = {std::move(of), {}, from.layout_ref(), from.dtype()};
  if (node.reduction != Reduction::sum) {
    entry->own[0].value = from.operand();
    keep(entry->own[0], &from);
    entry->value = {NodeRef(const_cast<Node*>(&node)), node.layout, node.dtype};
  }
  return entry;
}

void forget_hooks(Entry& entry, const Array& target) {
  const TapeViewRef& tape = target.tape();
  if (!tape || !tape->is_view || !tape->seen || (!tape->seen->extras && !tape->parent)) return;
  const EntryRef& base = base_of(target);
  EntryRef other;
  for (TapeOperand& operand : entry.operands()) {
    if (operand.from != tape->seen) continue;
    if (!other) {
      const Entry& seen = *tape->seen;
      other = new_entry(Entry::Kind::view, seen.dtype, seen.layout, seen.device);
      other->number = entry.number;
      other->site = seen.site;
      other->operand_count = 1;
      other->own[0] = {base, {}, base->layout, base->dtype};  // past the views between, and their hooks
      other->whole = seen.whole;
      other->whole_dtype = seen.whole_dtype;
    }
    operand.from = other;
  }
  if (other) entry.number = next_number();
}

EntryRef tape_replace(const Array& target, const NodeRef& value, EntryRef entry) {
  const TapeViewRef& tape = target.tape();
  if (!entry || !tape || !tape->own) return entry;
  if (tape->own->layout == target.layout_ref() && tape->own->dtype == target.dtype()) return entry;
  Array with(value);
  set_entry(with, std::move(entry));
  return tape_update(target, Argument(with));
}

EntryRef tape_update(const Array& target, const Argument& value) {
  if (!modes.is_on) return base_of(target);
  if (!has_gradient(target.dtype())) return {};
  const EntryRef& base = base_of(target);
  EntryRef of = value.array() ? entry_of(*value.array()) : EntryRef();
  if (!base && !of) return {};
  check_may_record(target);
  const Node& node = *target.cell()->node;
  EntryRef entry = new_entry(Entry::Kind::update, node.dtype, node.layout, node.device);
  entry->site = current_site();
  entry->operand_count = 2;
  set_written(*entry, target, base);
  entry->own[0] = {base, {}, entry->layout, entry->dtype};
  if (value.array()) entry->own[1] = {std::move(of), {}, value.array()->layout_ref(), value.array()->dtype()};
  return entry;
}

// Views that are older than detach_() of their base are, once that is written, views of what it is then.
static void lead_older_views(const Array& target) {
  const TapeViewRef& tape = target.tape();
  if (!tape || !tape->own) return;
  const Variable& own = *tape->own;
  if (!own.has_left_cell && !own.left) return;
  EntryRef& older = own.left ? own.left->entry : target.cell()->entry;
  if (!older || older == own.entry) return;
  EntryRef entry;
  if (!own.entry) {
    entry = new_entry(Entry::Kind::nothing, older->dtype, older->layout, older->device);
  } else if (own.entry->layout == older->layout && own.entry->kind != Entry::Kind::view) {
    entry = own.entry;
  } else {
    entry = new_view_entry(target, own.entry);
    entry->layout = older->layout;
    entry->dtype = older->dtype;
  }
  older = std::move(entry);
}

static void wrote_value(const Array& target, EntryRef entry) {
  const TapeViewRef& tape = target.tape();
  EntryRef& base = tape && tape->own ? tape->own->entry : target.cell()->entry;
  if (!modes.is_on) return;
  const EntryRef before = base;
  const bool was_all = before && shows_all(target);
  if (base) {
    if (!entry) {
      entry = new_entry(Entry::Kind::nothing, base->dtype, base->layout, base->device);
      entry->site = current_site();
      entry->operand_count = 1;
      entry->own[0] = {base, {}, base->layout, base->dtype};
    } else if (std::ranges::none_of(entry->operands(), [&](const TapeOperand& o) { return o.from == base; })) {
      // What is gone has a gradient all the same: zeros.
      EntryRef both = new_entry(Entry::Kind::update, entry->dtype, entry->layout, entry->device);
      both->site = current_site();
      both->operand_count = 2;
      both->own[0] = {base, {}, base->layout, base->dtype};
      both->own[1] = {entry, {}, entry->layout, entry->dtype};
      both->target = both->whole = entry->layout;
      both->target_dtype = both->whole_dtype = entry->dtype;
      if (takes_shape(*base)) both->layout = base->layout;
      entry = std::move(both);
    }
  }
  base = std::move(entry);
  if (!before) return;
  if (takes_shape(*before) && before->layout != base->layout) {
    if (was_all) entry_of_view(target, base);  // which takes the gradient along; else the array does when it is used next
    return;
  }
  move_gradient(*before, *base);
}

void wrote(const Array& target, EntryRef entry) {
  ++target.cell()->version;
  if (!is_taping()) return;
  wrote_value(target, std::move(entry));
  lead_older_views(target);
}

void set_entry(const Array& result, EntryRef entry) { result.cell()->entry = std::move(entry); }

void tape_view(const Array& of, Array& view) {
  const TapeViewRef& from = of.tape();
  if (from && (from->own || from->is_inference || from->made != TapeView::Made::recorded)) {
    TapeView& tape = tape_of(view);
    if (from->own && !tape.own) tape.own = from->own, ++from->own->references;
    tape.is_inference = from->is_inference;
    tape.made = from->made;
  }
  if (!modes.is_on) {
    if (is_inference(view)) return;
    TapeView& tape = tape_of(view);
    if (is_taping() && !tape.base) tape.base = base_of(of), tape.version = view.cell()->version;
    if (tape.made == TapeView::Made::recorded)
      tape.made = modes.is_inference ? TapeView::Made::in_inference : TapeView::Made::unrecorded;
    return;
  }
  if (!is_taping()) return;
  const EntryRef& base = base_of(of);
  if (!base || !has_gradient(of.dtype())) return;
  TapeView& tape = tape_of(view);  // now: whichever copy of the view is used first, all have its entry
  if (is_unrecorded(of, base)) return pass_none_on(tape, of);
  tape.is_view = true;
  if (shows_all(of)) return;
  EntryRef parent = entry_of_view(of, base);
  tape.base = base;
  tape.parent = std::move(parent);
  tape.version = view.cell()->version;
}

}  // namespace quern
