#include "graph/tape.h"

#include "core/error.h"
#include "graph/call.h"

#include <algorithm>
#include <string>
#include <utility>

namespace quern {

uint64_t live_entries = 0;

namespace {

// Entries are numbered in the order in which they are made, with room before each for leaves that take its place (moved_leaf()).
constexpr uint64_t room_before = 1024;
uint64_t last_number = 0;
uint64_t next_number() { return last_number += room_before; }
RowNeeds row_needs = nullptr;
struct Modes {
  bool is_asked = true, is_inference = false, is_on = true;
  void settle() { is_on = is_asked && !is_inference; }
};
thread_local Modes modes;
thread_local Slopes slopes = Slopes::torch;

bool has_gradient(DType type) { return !is_record(type) && (row(type).kind == DTypeKind::real || is_complex(type)); }

uint64_t writes_of(const Node& node) { return node.is_exposed() && node.buffer ? node.buffer.block()->writes.load() : 0; }

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

void check_may_keep(const Array& array) {
  if (!is_inference(array)) return;
  raise(ErrorKind::runtime,
        "Inference tensors cannot be saved for backward. Please do not use tensors made in inference mode where gradients are "
        "recorded and the derivative needs their values; use a clone() made outside of it, or torch.no_grad() instead of "
        "inference_mode().");
}

// `array`: the operand; none for a number.
void keep(TapeOperand& operand, const Array* array) {
  if (array) check_may_keep(*array);
  operand.written = writes_of(*operand.value.node);
}
void keep_not(TapeOperand& operand) { operand.value = {}; }

EntryRef entry_for(Entry::Kind kind, const Node& node) {
  EntryRef entry = new_entry(kind, node.dtype, node.layout, node.device);
  entry->op = node.op;
  entry->compute = node.compute;
  entry->site = node.site;
  return entry;
}

TapeView& tape_of(const Array& array) {
  TapeViewRef& tape = array.tape();
  if (!tape) tape = TapeViewRef(new TapeView);
  return *tape;
}

// Is the record its Variable's and not its cell's?
bool is_apart(const TapeViewRef& tape) { return tape && (tape->own || tape->is_inference); }

// The entry of all that the array's Variable holds, or of its cell's value.
const EntryRef& base_of(const Array& array) {
  static const EntryRef none;
  const TapeViewRef& tape = array.tape();
  if (!is_apart(tape)) return array.cell()->entry;
  return tape->own ? tape->own->entry : none;
}

// Nothing is recorded of these: what was made in inference mode is unknown to the tape until something else meets it.
bool are_inference(std::span<const Argument> arguments) {
  return std::ranges::all_of(arguments, [](const Argument& a) { return a.array() && is_inference(*a.array()); });
}

// Is the entry's layout that of the array which was handed out (take_shape(), set_view()), which its node may lack?
bool takes_shape(const Entry& entry) {
  using enum Entry::Kind;
  return entry.kind == view || entry.kind == reduce || entry.kind == update || entry.kind == nothing ||
         (entry.kind == row && entry.op == Op::cast);
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
  const bool is_older = !array.tape() && array.is_view();  // than the wish for a gradient of the array that it shows
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
  if (base && (!base->is_leaf() || !shows_all(array))) {
    if (wants) return;
    raise(ErrorKind::runtime,
          "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph "
          "that doesn't require differentiation use var_no_grad = var.detach().");
  }
  if (wants && !has_gradient(array.dtype()))
    raise(ErrorKind::runtime, "only Tensors of floating point and complex dtype can require gradients");
  if (wants == static_cast<bool>(base)) return;
  EntryRef leaf;
  if (wants) {
    leaf = new_entry(Entry::Kind::leaf, array.dtype(), array.layout_ref(), array.device());
    leaf->site = current_site();
  }
  if (!is_apart(array.tape()) && array.is_whole() && !array.is_view()) return void(array.cell()->entry = std::move(leaf));
  // A view of other memory, which wants none itself, or of a detached one: a leaf of its own.
  TapeView& own = tape_of(array);
  if (own.own && own.own->references > 1) --own.own->references, own.own = nullptr;
  if (!own.own) own.own = new Variable{1, {}, {}, DType::boolean};
  own.own->layout = array.layout_ref();
  own.own->dtype = array.dtype();
  own.own->entry = std::move(leaf);
  own.base = own.parent = own.seen = {};
  own.is_view = false;
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
  TapeView& own = tape_of(array);
  if (own.own && --own.own->references == 0) delete own.own;
  own.own = new Variable{1, {}, array.layout_ref(), array.dtype()};
  own.base = own.parent = own.seen = {};
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
  if (!tape || tape->made == TapeView::Made::recorded || !modes.is_on) return;
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

// A write into a part of memory: whose gradient is passed on through it, and where that lies.
static void set_written(Entry& entry, const Array& target, const EntryRef& base) {
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

void wrote(const Array& target, EntryRef entry) {
  ++target.cell()->version;
  if (!is_taping()) return;
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

void set_entry(const Array& result, EntryRef entry) { result.cell()->entry = std::move(entry); }

// The entry of a call of these operands; null where none wants a gradient.
static EntryRef entry_of_call(Entry::Kind kind, Site site, std::span<const Array> operands, const CallBody* body) {
  if (!modes.is_on) return {};
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
      if (tape.own && --tape.own->references == 0) delete tape.own;
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
  if (!modes.is_on || !has_gradient(target.dtype())) return {};
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
    if (tape.made == TapeView::Made::recorded)
      tape.made = modes.is_inference ? TapeView::Made::in_inference : TapeView::Made::unrecorded;
    return;
  }
  if (!is_taping()) return;
  const EntryRef& base = base_of(of);
  if (!base || !has_gradient(of.dtype())) return;
  TapeView& tape = tape_of(view);  // now: whichever copy of the view is used first, all have its entry
  tape.is_view = true;
  if (shows_all(of)) return;
  EntryRef parent = entry_of_view(of, base);
  tape.base = base;
  tape.parent = std::move(parent);
  tape.version = view.cell()->version;
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
