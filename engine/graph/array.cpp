#include "graph/array.h"

#include "core/error.h"
#include "core/room.h"
#include "graph/call.h"
#include "graph/fold.h"
#include "graph/host_reads.h"
#include "graph/memory_order.h"
#include "graph/records.h"
#include "graph/signs.h"
#include "graph/tape.h"
#include "graph/tier0.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace quern {

namespace {

DeviceId device_of(Op op, std::span<const Argument> arguments, const Array* into) {
  const Array* first = into;
  for (const Argument& a : arguments) {
    if (!a.array()) continue;
    if (first && first->device() != a.array()->device())
      raise(ErrorKind::value, "[{}] the operands are on different devices; move one with to_device()", name_of(op));
    first = a.array();
  }
  return first ? first->device() : DeviceId::cpu();
}

// Gives the node its value at once when it is tiny, else leaves it pending.
void submit_or_keep(Node& node) {
  if (!execute(Ask::at_once, node)) graph.pending.add(node);
}

Operand operand_for(const Argument& argument, DType compute, const LayoutRef& layout, DeviceId device) {
  Operand operand;
  if (const Array* array = argument.array()) {
    operand = array->operand();
  } else {
    operand.node = constant_node(constant_of(argument.scalar(), compute), compute, device);
    operand.layout = operand.node->layout;
    operand.dtype = compute;
  }
  if (!(operand.layout == layout) && operand.layout->shape != layout->shape)
    operand.layout = broadcast_layout(operand.layout, layout);
  return operand;
}

// Whoever else sees the memory may write to it next.
void submit_or_keep_reading(Node& node, const Node* except = nullptr) {
  bool now = reads_exposed(node, except);
  submit_or_keep(node);
  if (now && !node.is_computed) submit_now(node);
}

// `entry`: what the tape knows of the target from then on.
void update(const Array& target, Operand value, EntryRef entry) {
  Node* old = target.cell()->node.get();
  // What is read at other places than it is written to is copied first.
  if ((value.node.get() == old && target.layout() != *value.layout) ||
      (value.node.get() != old && share_memory(*value.node, *old))) {
    NodeRef copy = new_node(Op::cast, value.dtype, contiguous_layout(value.shape()), old->device);
    copy->site = current_site();
    copy->operands[0] = std::move(value);
    copy->operand_count = 1;
    submit_or_keep_reading(*copy, old);
    value = {copy, copy->layout, copy->dtype};
  }
  NodeRef node = new_node(Op::update, old->dtype, old->layout, old->device);
  node->site = current_site();
  node->operands[0] = {NodeRef(old), old->layout, old->dtype};
  node->operands[1] = std::move(value);
  node->operand_count = 2;
  node->target = interned(target.layout());
  node->target_dtype = target.dtype();
  node->writes_exposed = target.is_exposed();
  node->compute = target.dtype();
  bool now = node->writes_exposed || reads_exposed(*node, old);
  if (node->writes_exposed && old->buffer) ++old->buffer.block()->writes;
  submit_or_keep(*node);  // which may drop what it reads
  target.cell()->set(std::move(node));
  wrote(target, std::move(entry));
  if (now) submit_now(*target.cell()->node);
}

void raise_if_wrong(const Node& node) {
  std::shared_ptr<const Failed> error = node.error ? node.error : interrupted(node);
  if (error) raise_text(error->kind, error->text);
  raise_confirmed(node.deferred);
}

}  // namespace

// May a number of type `from` be one that the integers of `to` do not have, and would NumPy refuse it?
static bool may_overflow(DType from, DType to) {
  if (row(to).kind != DTypeKind::integer || row(from).kind == DTypeKind::boolean || is_complex(from)) return false;
  if (!is_integer(from)) return true;
  return row(from).kind == DTypeKind::integer ? size_of(from) > size_of(to) : size_of(from) >= size_of(to);
}

void recorded() { graph.pressure.feel(); }

void submit_now(Node& node) {
  NodeRef held(&node);
  execute(Ask::done, node);
  raise_if_wrong(node);
}

bool reads_exposed(Node& node, const Node* except) {
  for (const Operand& o : node.inputs()) {
    if (o.node.get() != except && o.node->is_exposed()) return true;
  }
  return false;
}

bool share_memory(const Node& a, const Node& b) {
  if (!a.is_exposed() || !b.is_exposed() || !a.buffer || !b.buffer) return false;
  const char *from_a = static_cast<const char*>(a.buffer.pointer()), *from_b = static_cast<const char*>(b.buffer.pointer());
  return from_a < from_b + b.buffer.bytes() && from_b < from_a + a.buffer.bytes();
}

void replace(const CellRef& cell, NodeRef node) {
  bool now = node->writes_exposed || reads_exposed(*node, cell->node.get());
  cell->set(std::move(node));
  if (now) submit_now(*cell->node);
}

// ---- arrays

Array::Array(NodeRef value) : layout_(value->layout), dtype_(value->dtype) { cell_ = CellRef(new Cell(std::move(value))); }
Array::Array(const Array& other) {
  GraphLock lock;
  cell_ = other.cell_;
  layout_ = other.layout_;
  tape_ = other.tape_;
  dtype_ = other.dtype_;
  is_view_ = other.is_view_;
  is_read_only_ = other.is_read_only_;
  is_value_ = other.is_value_;
}
Array& Array::operator=(Array other) noexcept {
  std::swap(cell_, other.cell_);
  std::swap(layout_, other.layout_);
  std::swap(tape_, other.tape_);
  std::swap(dtype_, other.dtype_);
  std::swap(is_view_, other.is_view_);
  std::swap(is_read_only_, other.is_read_only_);
  std::swap(is_value_, other.is_value_);
  std::swap(version_, other.version_);
  return *this;
}
Array::~Array() {
  if (!cell_ && !layout_) return;
  GraphLock lock;
  cell_ = {};
  layout_ = {};
  tape_ = {};
}

void Array::refuse_as_operand() const { refuse_records("array", dtype_); }

Array Array::view(Layout layout) const { return view(std::move(layout), dtype_); }
Array Array::view(Layout layout, DType as) const {
  GraphLock lock;
  Array out(cell_, interned(std::move(layout)), as);
  out.is_view_ = true;
  out.is_read_only_ = is_read_only_;
  out.version_ = cell_->version;
  if (tape_ || (is_taping() && cell_->entry) || InferenceMode::is_on()) tape_view(*this, out);
  return out;
}

Array Array::apart() const {
  GraphLock lock;
  if (is_exposed()) return copied(*this, dtype_);
  if (tape_ && is_detached(*this)) {
    Array out = with_entry({cell_->node, layout_, dtype_}, entry_of(*this), device());
    out.is_read_only_ = is_read_only_;
    return out;
  }
  Array out(CellRef(new Cell(cell_->node)), layout_, dtype_);
  out.is_read_only_ = is_read_only_;
  out.cell_->entry = is_whole() ? entry_of(*this) : cell_->entry;
  return out;
}

Array Array::of_shape(Layout layout) const {
  Array out = view(std::move(layout));
  out.is_view_ = is_view_;
  if (out.tape_) out.tape_->is_view = false;
  return out;
}

std::optional<Layout> Array::layout_in_shape(const Shape& shape) const {
  if (!is_record(dtype_)) return reshaped_layout(layout(), shape);
  Layout units = in_units(layout(), dtype_, unit_of(dtype_));
  Shape with_units = shape;
  with_units.push_back(units.shape.back());
  std::optional<Layout> layout = units.reshaped(with_units);
  if (layout) layout->shape.pop_back(), layout->strides.pop_back();
  return layout;
}

bool Array::set_shape(const Shape& shape) {
  GraphLock lock;
  std::optional<Layout> layout = layout_in_shape(known_shape(shape, size()));
  if (layout) layout_ = interned(std::move(*layout));
  return layout.has_value();
}

static Array part(const Array& array, int which) {
  if (is_record(array.dtype())) {  // of numbers that lie anywhere
    DType real = real_part_type(settled_type(array.dtype()));
    int64_t start = offset_in_bytes(array) + which * static_cast<int64_t>(size_of(real));
    return view_of_bytes(array, array.shape(), strides_in_bytes(array), start, real);
  }
  Layout layout = array.layout();
  for (int64_t& s : layout.strides) s *= 2;
  layout.offset = layout.offset * 2 + which;
  return array.view(std::move(layout), real_part_type(array.dtype()));
}
static bool has_parts(DType type) {
  if (has_records(type)) refuse_records("real", type);
  return is_complex(settled_type(type));
}
Array Array::real() const { return has_parts(dtype_) ? part(*this, 0) : *this; }
Array Array::imag() const {
  if (!has_parts(dtype_)) {
    GraphLock lock;
    Array zeros = full_in(copied_layout(*this, Order::any), Scalar{}, settled_type(dtype_), device());
    zeros.set_read_only(true);
    return zeros;
  }
  return part(*this, 1);
}

OperandType Argument::type() const {
  if (array_) return {array_->dtype()};
  if (!scalar_.is_weak) return {scalar_.dtype};
  return {DType::boolean, true, scalar_.kind};
}

const Shape& Argument::shape() const {
  static const Shape none;
  return array_ ? array_->shape() : none;
}

// ---- recording

static thread_local bool truncates_powers = false;

TruncatedPowers::TruncatedPowers(bool on) : before_(truncates_powers) { truncates_powers = on; }
TruncatedPowers::~TruncatedPowers() { truncates_powers = before_; }

// Raises ErrorKind::value, as NumPy does, for an integer to the power of a negative number that the program wrote.
static void check_power(const Argument& exponent, DType compute) {
  if (exponent.array() || !is_integer(compute)) return;
  const Scalar& s = exponent.scalar();
  if (s.kind == WeakScalar::integer && !s.is_natural && s.integer < 0)
    raise(ErrorKind::value, "Integers to negative integer powers are not allowed.");
}

bool fits(const Scalar& integer, DType type) {
  const size_t bits = size_of(type) * 8;
  const bool is_signed = row(type).kind == DTypeKind::integer;
  if (integer.is_huge) return false;
  if (integer.is_natural) return !is_signed && bits == 64;
  if (is_signed) return bits == 64 || (integer.integer >> (bits - 1)) == (integer.integer >> 63);
  return integer.integer >= 0 && (bits == 64 || (integer.integer >> bits) == 0);
}
DType type_beyond(const Scalar& integer, DType type) {
  return integer.is_natural || integer.is_huge || size_of(type) == 8 ? DType::float64 : DType::int64;
}

// A comparison with an integer that the array's type cannot hold is still right: it is made in a wider type.
static Loop loop_for(Op op, std::span<const Argument> arguments) {
  // What resolve() said last about such operands.
  struct Known {
    uint64_t key = 0;
    Loop loop;
  };
  static std::array<Known, 1024> known;
  std::array<OperandType, 3> types;
  uint64_t key = static_cast<uint64_t>(op) + 1;
  for (size_t i = 0; i < arguments.size(); ++i) {
    types[i] = arguments[i].type();
    key = key << 8 | (types[i].is_weak ? 0x80u | static_cast<unsigned>(types[i].weak) : static_cast<unsigned>(types[i].dtype));
  }
  Known& slot = known[(key * 0x9e3779b97f4a7c15ull) >> 54];
  if (slot.key != key) slot = {key, resolve(op, {types.data(), arguments.size()})};
  Loop loop = slot.loop;
  if (row(op).typing != Typing::compare || !is_integer(loop.compute)) return loop;
  for (const Argument& a : arguments) {
    if (a.array() || !a.scalar().is_weak || a.scalar().kind != WeakScalar::integer) continue;
    if (!fits(a.scalar(), loop.compute)) loop.compute = type_beyond(a.scalar(), loop.compute);
  }
  return loop;
}

// Integers that are exponents of integers, with a check that none is negative; none: there is nothing to find out later.
static std::optional<Array> checked_exponents(const Argument& by, const OpRow& r, DType compute) {
  if (!by.array()) constant_of(by.scalar(), operand_type(r, 1, compute));  // it must fit first
  check_power(by, compute);
  const Array* exponents = by.array();
  if (!exponents || row(compute).kind != DTypeKind::integer || row(exponents->dtype()).kind != DTypeKind::integer) return {};
  return checked(*exponents, {Check::For::no_negatives, exponents->dtype()});
}

// The shape that the operands broadcast to, in one of them or in `room`.
static const Shape* shape_of_result(std::span<const Argument> arguments, const Array* into, Shape& room) {
  const Shape* shape = nullptr;
  bool alike = true;
  for (const Argument& a : arguments) {
    if (!a.array()) continue;
    if (!shape) {
      shape = &a.shape();
    } else if (shape != &a.shape() && *shape != a.shape()) {
      alike = false;
    }
  }
  if (!alike || !shape) {
    std::array<Shape, 3> shapes;
    for (size_t i = 0; i < arguments.size(); ++i) shapes[i] = arguments[i].shape();
    room = broadcast_shapes({shapes.data(), arguments.size()});
    shape = &room;
  }
  if (!into || *shape == into->shape()) return shape;
  Shape both[] = {*shape, into->shape()};
  if (broadcast_shapes(both) != into->shape())
    raise(ErrorKind::value, "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
          to_string(into->shape()), to_string(broadcast_shapes(both)));
  room = into->shape();
  return &room;
}

// Makes the node an array's value; `whole`: the array is all of its cell, else it is a part or another type.
static void write_into(const Array& into, NodeRef node, EntryRef entry, bool whole) {
  if (whole) {
    if (entry) forget_hooks(*entry, into);
    entry = tape_replace(into, node, std::move(entry));
    into.cell()->set(std::move(node));
    wrote(into, std::move(entry));
    return;
  }
  EntryRef written;
  if (is_taping()) {
    Array value(node);
    if (entry) forget_hooks(*entry, into);
    set_entry(value, std::move(entry));
    written = tape_update(into, Argument(value));
  }
  update(into, {node, node->layout, node->dtype}, std::move(written));
}

Array elementwise(Op op, std::span<const Argument> arguments, const Array* into, std::optional<Loop> given) {
  GraphLock lock;
  const OpRow& r = row(op);
  if (arguments.size() != r.operands) bug("{} takes {} operands, not {}", r.name, r.operands, arguments.size());
  auto is_of_records = [](const Argument& a) { return a.array() && is_record(a.array()->dtype()); };
  if ((into && is_record(into->dtype())) || std::any_of(arguments.begin(), arguments.end(), is_of_records))
    return elementwise_beside_records(op, arguments, into, given);
  Loop loop = given ? *given : loop_for(op, arguments);
  std::optional<std::array<Argument, 2>> instead;
  if (!given && r.typing == Typing::compare && loop.compute == DType::float64) {
    if (mixes_signs(arguments)) return compare_signs(op, arguments, into, device_of(op, arguments, into));
    if (is_huge(arguments[0]) || is_huge(arguments[1])) arguments = instead.emplace(beyond_all(arguments));
  }
  DeviceId device = device_of(op, arguments, into);
  if (into && into->is_read_only()) raise(ErrorKind::value, "output array is read-only");
  if (into) check_may_write(*into);
  if (into && !can_cast_same_kind(loop.result, into->dtype()))
    raise(ErrorKind::type, "Cannot cast ufunc '{}' output from dtype('{}') to dtype('{}') with casting rule 'same_kind'", r.name,
          row(loop.result).name, row(into->dtype()).name);

  Shape broadcast;
  const Shape* shape = shape_of_result(arguments, into, broadcast);

  // Only now, as nothing can be refused any more: errors in the exponents are reported later.
  std::optional<Array> exponents;
  if (op == Op::power && !truncates_powers && Layout::contiguous(*shape).size() > 0)
    exponents = checked_exponents(arguments[1], r, loop.compute);
  if (exponents) arguments = instead.emplace(std::array{arguments[0], Argument(*exponents)});

  bool whole = into && into->is_whole() && !into->is_exposed() && loop.result == into->dtype();
  LayoutRef layout = whole            ? into->operand().layout
                     : op == Op::cast ? copied_layout(*arguments[0].array())
                                      : ufunc_layout(op, loop.compute, *shape, arguments);
  NodeRef node = new_node(op, loop.result, layout, device);
  node->compute = loop.compute;
  node->site = current_site();
  node->operand_count = r.operands;
  for (size_t i = 0; i < arguments.size(); ++i) {
    node->operands[i] = operand_for(arguments[i], operand_type(r, static_cast<int>(i), loop.compute), layout, device);
  }
  EntryRef entry = is_taping() ? tape_row(*node, arguments) : EntryRef();
  if (into && entry) check_may_record(*into);
  // What reads and writes the same exposed memory is one group with the update that follows.
  submit_or_keep_reading(*node, into && into->is_exposed() ? into->cell()->node.get() : nullptr);
  if (into) {
    write_into(*into, std::move(node), std::move(entry), whole);
    recorded();
    return *into;
  }
  Array out(std::move(node));
  if (entry) set_entry(out, std::move(entry));
  out.set_value(out.rank() == 0 && op != Op::where);  // where() of NumPy gives arrays
  recorded();
  return out;
}

Array raised(const Argument& base, const Argument& exponent) {
  const Argument both[] = {base, exponent};
  const Scalar& by = exponent.scalar();
  if (base.array() && !exponent.array() && by.is_weak) {
    DType type = base.array()->dtype();
    if (type == DType::boolean && (by.kind != WeakScalar::integer || base.array()->is_value()))
      return elementwise(Op::power, both);
    bool is_real = row(type).kind == DTypeKind::real || is_complex(type);
    bool whole = by.kind == WeakScalar::integer, broken = by.kind == WeakScalar::real && is_real;
    if ((whole && !by.is_natural && by.integer == 2) || (broken && by.re == 2)) return elementwise(Op::square, {&base, 1});
    // TensorFlow's power has the gradient of powers, which is NaN where a root's is 0.
    const bool has_slope = WithSlopes::now() == Slopes::tensorflow && wants_gradient(*base.array());
    if (broken && by.re == 0.5 && !has_slope) return elementwise(Op::sqrt, {&base, 1});
  }
  return elementwise(Op::power, both);
}

Array astype(const Array& array, DType dtype, Order order) {
  if ((order != Order::keep && !array.is_value()) || is_record(dtype) || is_record(array.dtype())) {
    Array out = copied(array, dtype, order);
    out.set_value(array.is_value());
    return out;
  }
  if (!array.layout_ref()->dense) check_room(array.size(), dtype, array.device());  // repeated elements may be any number
  Argument argument(array);
  Array out = elementwise(Op::cast, {&argument, 1}, nullptr, Loop{dtype, dtype});
  out.set_value(array.is_value());
  return out;
}

Array copied(const Array& array, DType dtype, Order order) {
  GraphLock lock;
  return copied(array, dtype, copied_layout(array, order));
}

Array copied(const Array& array, DType dtype, LayoutRef layout) {
  GraphLock lock;
  check_room(layout->elements, dtype, array.device());
  if (is_record(array.dtype()) || is_record(dtype)) return copied_records(array, dtype, *layout);
  NodeRef node = new_node(Op::cast, dtype, std::move(layout), array.device());
  node->site = current_site();
  node->operand_count = 1;
  node->operands[0] = array.operand();
  EntryRef entry = is_taping() ? tape_copy(*node, array) : EntryRef();
  submit_or_keep_reading(*node);
  Array out(std::move(node));
  if (entry) set_entry(out, std::move(entry));
  return out;
}

// The cell's value in other memory, laid out alike.
static NodeRef copy_of(const Cell& cell) {
  NodeRef copy = new_node(Op::cast, cell.node->dtype, cell.node->layout, cell.node->device);
  copy->site = current_site();
  copy->operands[0] = {cell.node, cell.node->layout, cell.node->dtype};
  copy->operand_count = 1;
  submit_or_keep(*copy);
  submit_now(*copy);
  return copy;
}

Array as_it_is(const Array& array) {
  GraphLock lock;
  Array same(array.is_exposed() ? copy_of(*array.cell().get()) : array.cell()->node);
  if (!is_detached(array)) set_entry(same, array.is_whole() ? entry_of(array) : array.cell()->entry);
  return same.view(array.layout(), array.dtype());
}

std::vector<Array> apply(const UserRow& row, std::span<const Argument> arguments, const Shape& shape, DeviceId device) {
  static auto* proven = new std::set<std::pair<const UserRow*, DeviceId>>;
  GraphLock lock;
  if (is_taping()) check_no_gradient(row.name, arguments);
  LayoutRef layout = result_layout(shape, arguments);
  std::vector<Operand> operands;
  for (size_t i = 0; i < arguments.size(); ++i)
    operands.push_back(operand_for(arguments[i], row.operands[i].dtype, layout, device));
  // The first kernel holds nothing else, so that a mistake in the text spoils nothing else.
  bool first = layout->elements > 0 && !proven->contains({&row, device});
  if (first) execute(Ask::submitted);
  std::vector<Array> out;
  std::vector<Node*> made;
  for (size_t r = 0; r < row.results.size(); ++r) {
    NodeRef node = new_node(Op::user, row.results[r].dtype, layout, device);
    node->site = current_site();
    node->user = &row;
    node->output = static_cast<uint8_t>(r);
    node->call = std::make_unique<Call>();
    node->call->operands = operands;
    graph.pending.add(*node);
    made.push_back(node.get());
    out.emplace_back(std::move(node));
  }
  bool now = !made.empty() && reads_exposed(*made[0]);
  if (first || now) execute(now ? Ask::done : Ask::submitted, made);
  if (first) raise_if_wrong(*made[0]);
  if (first) proven->insert({&row, device});
  recorded();
  return out;
}

void assign(const Array& target, const Argument& value) {
  GraphLock lock;
  if (target.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
  check_may_write(target);
  device_of(Op::update, {&value, 1}, &target);
  if (is_record(target.dtype()) || (value.array() && is_record(value.array()->dtype()))) return assign_records(target, value);
  DType type = target.dtype();
  if (!value.array()) check_is_real(value.scalar(), type);
  const Shape& to = target.shape();
  Shape from = value.shape();
  while (from.size() > to.size() && from.front() == 1) from.erase(from.begin());  // as NumPy allows when assigning
  if (const Array* array = value.array(); array && from != array->shape()) {
    Array fewer = reshape(*array, from);
    return assign(target, Argument(fewer));
  }
  bool fits = from.size() <= to.size();
  for (size_t i = 0; fits && i < from.size(); ++i) {
    int64_t d = to[to.size() - from.size() + i];
    fits = from[i] == d || from[i] == 1;
  }
  if (!fits)
    raise(ErrorKind::value, "could not broadcast input array from shape {} into shape {}", to_string(value.shape()),
          to_string(to));
  const Array* number = value.array();
  bool is_unsure = number && number->is_value() && may_overflow(number->dtype(), type);
  if (target.size() == 0 && !is_unsure) {
    if (!number) check_fits(value.scalar(), type);  // a number that does not fit is an error all the same
    // Nothing is written, but the value's gradient is zeros from now on, not missing.
    if (number && is_taping() && entry_of(*number)) wrote(target, tape_update(target, value));
    return;
  }
  if (!number) {
    check_fits(value.scalar(), type);
    if (!value.scalar().is_weak && row(type).kind == DTypeKind::natural && value.scalar().dtype != type)
      return assign(target, Argument(full({}, value.scalar(), value.scalar().dtype, target.device())));
  }
  std::optional<Array> checked;  // reading the target raises what was found, even when nothing is stored
  if (is_unsure) checked = quern::checked(*number, {Check::For::range, type});
  const Argument source = checked ? Argument(*checked) : value;
  LayoutRef layout = interned(target.layout());
  if (target.is_whole() && !target.is_exposed()) {
    NodeRef node = new_node(Op::cast, target.dtype(), layout, target.device());
    node->site = current_site();
    node->operand_count = 1;
    node->operands[0] = operand_for(source, target.dtype(), layout, target.device());
    EntryRef entry = is_taping() && source.array() ? tape_copy(*node, *source.array()) : EntryRef();
    if (entry) check_may_record(target);
    submit_or_keep_reading(*node);
    entry = tape_replace(target, node, std::move(entry));
    target.cell()->set(std::move(node));
    wrote(target, std::move(entry));
  } else {
    EntryRef entry = is_taping() ? tape_update(target, source) : EntryRef();
    update(target, operand_for(source, target.dtype(), layout, target.device()), std::move(entry));
  }
  recorded();
}

static NodeRef filled(LayoutRef layout, const Constant& value, DType dtype, DeviceId device) {
  check_limit(layout->elements, dtype, device);
  NodeRef node = new_node(Op::cast, dtype, layout, device), constant = constant_node(value, dtype, device);
  --graph.operations_recorded;  // it depends on no array
  node->site = current_site();
  node->operand_count = 1;
  LayoutRef one = constant->layout;
  node->operands[0] = {std::move(constant), one->shape == layout->shape ? one : broadcast_layout(one, layout), dtype};
  submit_or_keep(*node);
  return node;
}

Array full(const Shape& shape, const Scalar& value, DType dtype, DeviceId device) {
  GraphLock lock;
  return full_in(contiguous_layout(shape), value, dtype, device);
}

Array full_in(LayoutRef layout, const Scalar& value, DType dtype, DeviceId device) {
  GraphLock lock;
  if (is_record(dtype)) return full_of_records(*layout, value, dtype, device);
  return Array(filled(std::move(layout), constant_of(value, dtype), dtype, device));
}

Array from_memory(Buffer buffer, const Shape& shape, DType dtype, DeviceId device) {
  GraphLock lock;
  return from_memory(std::move(buffer), contiguous_layout(shape), dtype, device);
}

Array from_memory(Buffer buffer, LayoutRef layout, DType dtype, DeviceId device) {
  GraphLock lock;
  if (is_record(dtype)) {  // the layout counts in elements, as for other types
    LayoutRef units = interned(in_units(as_arrays_have(*layout, dtype), dtype, unit_of(dtype)));
    return of_units(from_memory(std::move(buffer), std::move(units), number_of_bytes(unit_of(dtype)), device), dtype);
  }
  NodeRef node = new_node(Op::data, dtype, std::move(layout), device);
  node->site = current_site();
  node->buffer = std::move(buffer);
  node->is_computed = node->is_settled = true;
  return Array(std::move(node));
}

Array from_foreign(Buffer buffer, Layout layout, DType dtype, DeviceId device, bool read_only) {
  GraphLock lock;
  Exposure(buffer).keep_for_good();
  DType unit = is_record(dtype) ? number_of_bytes(unit_of(dtype)) : dtype;
  int64_t elements = static_cast<int64_t>(buffer.bytes() / size_of(unit));
  Array whole = from_memory(std::move(buffer), {elements}, unit, device);
  whole.cell()->is_read_only = read_only;
  return whole.view(std::move(layout), dtype);
}

Array reshape(const Array& array, const Shape& shape) {
  GraphLock lock;
  if (auto layout = array.layout_in_shape(shape)) return array.view(std::move(*layout));
  Array copy = copied(array, array.dtype());
  Array out = copy.view(*copy.layout_in_shape(shape));
  take_shape(out);
  return out;
}

// A number as often as `times` says: the product of integers is their power, their sum a multiple, with the low bits kept.
static std::optional<Array> repeated(Reduction reduction, const Array& once, int64_t times) {
  DType type = once.dtype();
  bool adds = reduction == Reduction::sum, multiplies = reduction == Reduction::product;
  if ((!adds && !multiplies) || type == DType::boolean) return once;
  Scalar number;
  number.is_weak = false;
  number.dtype = type;
  number.kind = WeakScalar::integer;
  int free_bits = 64 - 8 * static_cast<int>(size_of(type));
  bool has_sign = row(type).kind == DTypeKind::integer;
  auto low = static_cast<uint64_t>(times) << free_bits;
  number.integer = has_sign ? static_cast<int64_t>(low) >> free_bits : static_cast<int64_t>(low >> free_bits);
  if (multiplies && number.integer != times) return std::nullopt;
  Argument both[] = {Argument(once), Argument(number)};
  return elementwise(adds ? Op::multiply : Op::power, both, nullptr, Loop{type, type});
}

Array reduce(Reduction reduction, const Array& array, const std::vector<bool>& axes, bool keep_dims, std::optional<DType> dtype) {
  GraphLock lock;
  if (is_record(array.dtype())) {
    if (has_records(array.dtype())) refuse_records("reduce", array.dtype());
    Array numbers = quern::settled(array);
    return reduce(reduction, numbers, axes, keep_dims, dtype);
  }
  bool none = false;
  for (size_t i = 0; i < array.rank(); ++i) none |= axes[i] && array.shape()[i] == 0;
  if (none && (reduction == Reduction::maximum || reduction == Reduction::minimum))
    raise(ErrorKind::value, "zero-size array to reduction operation {} which has no identity",
          reduction == Reduction::maximum ? "maximum" : "minimum");
  bool is_test = reduction == Reduction::any || reduction == Reduction::all;
  DType type = is_test ? DType::boolean : dtype.value_or(array.dtype());
  int64_t times = 1;
  if (!array.layout_ref()->dense) {
    if (auto once = without_repeats(reduction, array, axes, type, times)) {
      if (auto out = repeated(reduction, reduce(reduction, *once, axes, keep_dims, type), times)) return *out;
    }
  }
  Reduced layouts = reduced_layouts(array, axes, keep_dims);
  NodeRef node;
  EntryRef entry;
  std::optional<Constant> number;
  if (!array.cell()->node->is_computed && !(is_taping() && wants_gradient(array))) number = number_of(array);
  if (number) {
    int64_t results = layouts.result->elements;
    Constant one = reduced_number(reduction, *number, array.dtype(), type, array.device(), results,
                                  results > 0 ? array.size() / results : 0);
    node = filled(std::move(layouts.result), one, type, array.device());
  } else {
    node = new_node(Op::reduce, type, std::move(layouts.result), array.device());
    node->site = current_site();
    node->reduction = reduction;
    node->axes = axes;
    node->compute = type;
    node->operand_count = 1;
    node->operands[0] = array.operand();
    entry = is_taping() ? tape_reduce(*node, array) : EntryRef();
    submit_or_keep_reading(*node);
  }
  Array out(std::move(node));
  if (entry) set_entry(out, std::move(entry));
  if (keep_dims) {
    out = out.of_shape(std::move(layouts.shown));
    take_shape(out);
  }
  out.set_value(out.rank() == 0);
  recorded();
  return out;
}

Buffer evaluate(const Array& array) {
  GraphLock lock;
  NodeRef node = array.cell()->node;
  execute(Ask::submitted, *node);
  raise_if_wrong(*node);
  return node->buffer;
}

void raise_if_wrong(const Array& array) {
  GraphLock lock;
  NodeRef held = array.cell()->node;
  raise_if_wrong(*held);
}

bool is_there(const Array& array) {
  GraphLock lock;
  const Node& node = *array.cell()->node;
  return node.is_settled && !node.error && node.deferred.empty() && !node.is_exposed();
}

void settle(const Array& array) {
  GraphLock lock;
  Node* node = array.cell()->node.get();
  node->is_settled = node->is_computed;
}

void unsettle(const Array& array) {
  GraphLock lock;
  array.cell()->node->is_settled = false;
  array.cell()->node->looked_through.clear();
}

void separate(const Array& array) {
  GraphLock lock;
  if (array.cell()->node->cells > 1) array.cell()->set(copy_of(*array.cell().get()));
}

Exposure expose(const Array& array) {
  count_host_read();
  GraphLock lock;
  Cell& cell = *array.cell().get();
  if (!cell.node->is_exposed() || !cell.node->is_computed) {
    NodeRef held = cell.node;
    Node* node = held.get();
    std::vector<Node*> targets{node};
    std::vector<NodeRef> readers;
    for (Node* reader : graph.pending.nodes()) {
      if (!reader) continue;
      for (Operand& o : reader->inputs()) {
        if (o.node.get() == node) readers.emplace_back(reader);
      }
    }
    for (const NodeRef& reader : readers) targets.push_back(reader.get());
    execute(Ask::with_readers, targets);
    readers.clear();
    held = {};
    if (cell.node->references > 1) cell.set(copy_of(cell));  // somebody holds this value, which must not change with the memory
  }
  NodeRef node = cell.node;
  execute(Ask::done, *node);
  raise_if_wrong(*node);
  return Exposure(node->buffer);
}

void evaluate_all() {
  GraphLock lock;
  if (graph.pending.count() > 0) execute(Ask::submitted);
}

void end_round() {
  GraphLock lock;
  execute(Ask::round_over);
}

}  // namespace quern
