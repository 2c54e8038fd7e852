// Arrays: views of cells, and the operations on them. An operation records a node and returns; nothing runs until a value is
// read, except tiny work on the CPU, which runs at once (run/tier0.h).
//
//   Array y = elementwise(Op::add, {{Argument(x), Argument(Scalar::real(2.0))}});
//   Array row = y.sliced(0, 3, 1, 1);        // a view
//   assign(row, Argument(Scalar::integer(0)));  // seen through y
//
// Every function takes the graph's lock. Shapes, types and host values are checked when recording and raise quern::Error.
#pragma once

#include "graph/node.h"

#include <optional>

namespace quern {

class CellRef {
 public:
  CellRef() = default;
  explicit CellRef(Cell* cell) : cell_(cell) {
    if (cell_) ++cell_->references;
  }
  CellRef(const CellRef& other) : CellRef(other.cell_) {}
  CellRef(CellRef&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  CellRef& operator=(CellRef other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~CellRef() {
    if (cell_ && --cell_->references == 0) delete cell_;
  }
  Cell* operator->() const { return cell_; }
  Cell* get() const { return cell_; }
  bool operator==(const CellRef& other) const { return cell_ == other.cell_; }
  explicit operator bool() const { return cell_ != nullptr; }

 private:
  Cell* cell_ = nullptr;
};

// What an array that is not plainly its cell's knows of the tape (tape.h); with the lock held.
struct TapeView;
class TapeViewRef {
 public:
  TapeViewRef() = default;
  explicit TapeViewRef(TapeView* view);
  TapeViewRef(const TapeViewRef& other);
  TapeViewRef(TapeViewRef&& other) noexcept : view_(std::exchange(other.view_, nullptr)) {}
  TapeViewRef& operator=(TapeViewRef other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }
  ~TapeViewRef();
  TapeView* operator->() const { return view_; }
  TapeView& operator*() const { return *view_; }
  explicit operator bool() const { return view_ != nullptr; }

 private:
  TapeView* view_ = nullptr;
};

class Array {
 public:
  Array() = default;
  explicit Array(NodeRef value);  // the only view of a new cell
  Array(CellRef cell, LayoutRef layout, DType dtype) : cell_(std::move(cell)), layout_(std::move(layout)), dtype_(dtype) {}
  Array(const Array& other);
  Array(Array&& other) noexcept = default;
  Array& operator=(Array other) noexcept;
  ~Array();

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return layout_->shape; }
  const Layout& layout() const { return *layout_; }
  const LayoutRef& layout_ref() const { return layout_; }
  int64_t size() const { return layout_->elements; }
  size_t rank() const { return shape().size(); }
  DeviceId device() const { return cell_->device; }
  // Raises ErrorKind::type for records: what they are for a kernel, units_of() in records.h says.
  Operand operand() const {
    if (is_record(dtype_)) refuse_as_operand();
    return {cell_->node, layout_, dtype_};
  }
  const CellRef& cell() const { return cell_; }
  bool is_exposed() const { return cell_->is_exposed(); }
  bool is_view() const { return is_view_; }
  uint32_t version() const { return version_; }  // of a view: how often the memory had been written when it was made
  // A view of all of a memory that nobody else knows is no view. Asked of results, once what they were made with is gone.
  void settle_owner() { is_view_ &= cell_->references > 1 || size() != cell_->node->size(); }
  // A number, as NumPy's scalars are: what changes "in place" is the name, not the value.
  bool is_value() const { return is_value_; }
  void set_value(bool value) { is_value_ = value; }
  bool is_read_only() const { return is_read_only_ || cell_->is_read_only; }
  void set_read_only(bool value) { is_read_only_ = value; }
  TapeViewRef& tape() const { return tape_; }
  // Does this view show its cell's whole memory as it lies?
  bool is_whole() const { return layout_ == cell_->node->layout && dtype_ == cell_->node->dtype; }
  explicit operator bool() const { return static_cast<bool>(cell_); }

  // Views of the same memory. Layouts count in units of the type (core/dtype.h).
  Array view(Layout layout) const;
  Array view(Layout layout, DType as) const;
  // The same memory in another shape, where it allows that.
  std::optional<Layout> layout_in_shape(const Shape& shape) const;
  // Of a new array, which nobody has seen yet: the same with axes of one element more or fewer, or as one line.
  Array of_shape(Layout layout) const;
  // The value in a cell of its own: what is written into one of the two is not seen in the other.
  Array apart() const;
  // This view itself in another shape; false where the elements would have to move.
  bool set_shape(const Shape& shape);
  Array real() const;  // of complex numbers; others as they are
  Array imag() const;

 private:
  [[noreturn]] void refuse_as_operand() const;

  CellRef cell_;
  LayoutRef layout_;
  mutable TapeViewRef tape_;
  DType dtype_ = DType::boolean;
  bool is_view_ = false, is_read_only_ = false, is_value_ = false;
  uint32_t version_ = 0;
};

// A host value: weak (a Python number, which takes the other operands' type where it can) or of a type of its own.
struct Scalar {
  bool is_weak = true;
  WeakScalar kind = WeakScalar::boolean;
  DType dtype = DType::boolean;  // when not weak
  bool is_natural = false;       // an integer above the int64 range, in `natural`
  bool is_huge = false;          // an integer of more than 64 bits; `re` is about that
  int64_t integer = 0;
  uint64_t natural = 0;
  double re = 0, im = 0;
};

// As a value of `dtype`. Raises ErrorKind::overflow for an integer that does not fit.
Constant constant_of(const Scalar& scalar, DType dtype);
// Does an integer fit into a type of integers? And the type in which both are compared where it does not.
bool fits(const Scalar& integer, DType type);
DType type_beyond(const Scalar& integer, DType type);
// Raises what an assignment to an array of integers does: ErrorKind::value for NaN, ErrorKind::overflow for what `dtype` cannot
// hold. As in NumPy, a number with a type of its own is not refused by unsigned integers, but converted.
void check_fits(const Scalar& scalar, DType dtype);
// Raises for a complex number where only its real part could be kept.
void check_is_real(const Scalar& scalar, DType dtype);

class Argument {
 public:
  Argument(const Array& array) : array_(&array) {}
  Argument(const Scalar& scalar) : scalar_(scalar) {}
  const Array* array() const { return array_; }
  const Scalar& scalar() const { return scalar_; }
  OperandType type() const;
  const Shape& shape() const;

 private:
  const Array* array_ = nullptr;
  Scalar scalar_;
};

// `into`: the result replaces that array's value (out=, a += b); its type must be able to take it (casting "same_kind").
Array elementwise(Op op, std::span<const Argument> arguments, const Array* into = nullptr,
                  std::optional<Loop> loop = std::nullopt);
// While one lives on this thread, an integer to the power of a negative one is not refused, but what an integer holds of it: 0, 1
// or -1.
class TruncatedPowers {
 public:
  explicit TruncatedPowers(bool on);
  ~TruncatedPowers();
  TruncatedPowers(const TruncatedPowers&) = delete;

 private:
  bool before_;
};
// a ** b: by a number that is 2 or 0.5 it is a product or a root, which are exact and cheaper.
Array raised(const Argument& base, const Argument& exponent);
Array astype(const Array& array, DType dtype, Order order = Order::keep);  // always a copy
Array copied(const Array& array, DType dtype, Order order = Order::c);
Array copied(const Array& array, DType dtype, LayoutRef layout);
// The elements as they are now, whatever is written later. Nothing is copied before that.
Array as_it_is(const Array& array);

// A row that was added at run time: its results, each of the shape that the operands broadcast to, or of `shape`. An operand that
// is an array has the row's type. The first use of a row on a device compiles it, so that what is wrong in its text is raised
// here.
std::vector<Array> apply(const UserRow& row, std::span<const Argument> arguments, const Shape& shape, DeviceId device);

void assign(const Array& target, const Argument& value);

Array full(const Shape& shape, const Scalar& value, DType dtype, DeviceId device);
Array full_in(LayoutRef layout, const Scalar& value, DType dtype, DeviceId device);
Array from_memory(Buffer buffer, const Shape& shape, DType dtype, DeviceId device);
Array from_memory(Buffer buffer, LayoutRef layout, DType dtype, DeviceId device);
// A view of memory that is not ours, exposed for good. `layout` counts from the start of the buffer.
Array from_foreign(Buffer buffer, Layout layout, DType dtype, DeviceId device, bool read_only);
// Reshapes in C order; returns a view when strides allow, else a copy.
Array reshape(const Array& array, const Shape& shape);

// `axes`: true for each dimension that goes. `dtype`: of the result; what is summed is converted to it first.
Array reduce(Reduction reduction, const Array& array, const std::vector<bool>& axes, bool keep_dims,
             std::optional<DType> dtype = std::nullopt);

// Evaluation: when these return, the value is in memory (on a GPU: work that puts it there is submitted). What is known to be
// wrong of it is raised; whoever has waited for the value checks again.
Buffer evaluate(const Array& array);
// The same without computing anything: why the value is wrong, as far as is known.
void raise_if_wrong(const Array& array);
void evaluate_all();
// The same for who knows that this is where a loop's round ends: a step of training. Rounds need not be looked for (rounds.h).
void end_round();
// Is there nothing to wait for? It says no where it cannot tell at once.
bool is_there(const Array& array);
// After a wait: the value is in memory now. `unsettle`: a kernel may write it later.
void settle(const Array& array);
void unsettle(const Array& array);
// Its value is in memory that no other array has: somebody is going to write there.
void separate(const Array& array);
// The array's value is in memory of its own, whose address may be given away: it does not change while the Exposure lives. Every
// later write goes there, and what reads or writes it is submitted before it returns (finished, on the CPU).
Exposure expose(const Array& array);

// For the other files that record: after each op, and when a cell gets another value.
void recorded();
void replace(const CellRef& cell, NodeRef node);

// What reads or writes exposed memory is submitted before the call that records it returns: whoever else sees the memory may
// write to it next. On the CPU it is finished.
void submit_now(Node& node);
bool reads_exposed(Node& node, const Node* except = nullptr);
bool share_memory(const Node& a, const Node& b);  // two nodes over the same foreign memory

}  // namespace quern
