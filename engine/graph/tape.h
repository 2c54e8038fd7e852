// The tape: how values that want a gradient came about. functions/backward.h reads it from its end to its start.
//
// An Entry is what the tape knows of one value: the operation, the operands with whose gradients they are for, and as much of
// their values as the derivative needs. Entries are made where nodes are (array.cpp, call.cpp) and nowhere else, and only where
// an operand wants a gradient; the record hangs on the cell, since a node drops its inputs once it is computed. The first
// entries are leaves: want_gradient().
//
// Whose gradient an array has: that of its cell's value; of a detached array, and the views of it, that of a Variable of their
// own. A view of an array that wants a gradient, and an array that does not show its whole cell, get an entry of kind `view` when
// they are first used, again after the cell was written: a hook on a view is not a hook on its base. Entries keep values as nodes
// without cells: to the scheduler these are readers, so a later write in place leaves them as they are.
#pragma once

#include "graph/array.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

// ---- whether anything is recorded here

// On this thread, until it goes: torch.no_grad() and related contexts.
class GradientMode {
 public:
  explicit GradientMode(bool on);
  ~GradientMode();
  GradientMode(const GradientMode&) = delete;
  GradientMode& operator=(const GradientMode&) = delete;
  static bool is_on();     // is anything recorded? Never in inference mode
  static bool is_asked();  // what was set last
  static void set(bool on);

 private:
  bool before_;
};

// On this thread: torch.inference_mode(). Nothing is recorded, whatever GradientMode was set to, and tensors made meanwhile are
// inference tensors: mark_inference().
class InferenceMode {
 public:
  static bool is_on() { return threads_.load(std::memory_order_relaxed) > 0 && is_on_here(); }
  static void set(bool on);

 private:
  static bool is_on_here();
  static std::atomic<int> threads_;  // that are in it
};

// Whose derivatives what is recorded has, where packages differ: at NaN, at zeros, and where the result's gradient is 0. For JAX
// and TensorFlow |NaN| has the slope NaN, relu 0, and of a maximum that is NaN all gradients are NaN.
enum class Slopes : uint8_t { torch, jax, tensorflow };

// On this thread, until it goes. An entry remembers its slopes, and what its derivative is computed with has the same.
class WithSlopes {
 public:
  explicit WithSlopes(Slopes slopes);
  ~WithSlopes();
  WithSlopes(const WithSlopes&) = delete;
  WithSlopes& operator=(const WithSlopes&) = delete;
  static Slopes now();

 private:
  Slopes before_;
};

// ---- entries

// What a derivative is computed from.
struct GradientCall {
  std::vector<Array> operands;              // those that were kept; the others are empty
  std::vector<Array> results;               // likewise
  std::vector<std::optional<Array>> given;  // the gradient of each result; none: it is zero
  std::vector<bool> wanted;                 // whose gradient
  std::vector<const Layout*> layouts;       // of the operands
  std::vector<DType> types;
  std::vector<Shape> result_shapes;
  std::vector<DType> result_types;
  DeviceId device;
};

// The derivative of a function that is a single autograd node, whatever it is made of.
class GradientBody {
 public:
  virtual ~GradientBody() = default;
  virtual std::string_view name() const = 0;
  // Does it hold values of its own? They are freed with those of its entry, and it cannot be asked again then.
  virtual bool keeps_values() const { return false; }
  // Of a second derivative: does it go through the results that the first was computed from, with their hooks? Else to the
  // inputs past them, as where PyTorch computes from the inputs.
  virtual bool goes_through_results() const { return true; }
  // One for each input; none where there is none, or it is not wanted.
  virtual std::vector<std::optional<Array>> gradients(const GradientCall& call) const = 0;
};

// What somebody wants to see, or to replace, of a gradient as it comes by. Called with no lock of the engine's held.
class GradientHook {
 public:
  virtual ~GradientHook() = default;
  virtual std::optional<Array> seen(const Array& gradient) = 0;  // what replaces it
  virtual bool is_gone() const { return false; }                 // nobody wants it any more
};

// An operand as it was.
struct TapeOperand {
  EntryRef from;     // whose gradient it has; null: none is wanted
  Operand value;     // without a node where the derivative does not need it
  LayoutRef layout;  // its shape
  DType dtype = DType::boolean;
  uint64_t written = 0;  // of exposed memory: how often that had been written (Block::writes)
};

// What only some entries have.
struct TapeExtras {
  std::vector<std::shared_ptr<GradientHook>> hooks, after;  // before the gradient is used; after it was added to a leaf's
  std::shared_ptr<Array> gradient;                          // a leaf's, or one that is kept; a program's own object may hold it
  bool keeps_gradient = false;
  std::vector<TapeOperand> more;          // the operands of calls and functions
  std::vector<LayoutRef> result_layouts;  // of a function with several results
  std::vector<DType> result_types;
  std::vector<Operand> results;  // their values, where the derivative needs them
  std::vector<Entry*> parts;     // the entries of several results; null: freed. Each part holds a reference to its call.
  std::string name;              // of a function that has been freed
};

struct Entry {
  enum class Kind : uint8_t {
    leaf,      // asks for a gradient itself
    row,       // an op of the table
    view,      // of operand 0, through `layout` and `dtype`, in the memory of `whole`
    update,    // operand 0 with the part `target` replaced by operand 1
    reduce,    // of operand 0
    call,      // a call's body gives the derivative
    function,  // a GradientBody does
    part,      // result number `part` of operand 0, which is a call or function
    nothing,   // wants a gradient and passes zeros on to operand 0, if any: what was overwritten by a value without one
  };

  uint32_t references = 0;
  Kind kind = Kind::leaf;
  Op op = Op::data;
  Reduction reduction = Reduction::sum;
  uint8_t operand_count = 0, part = 0;
  bool is_spent = false;  // backward() has let go of its values
  Slopes slopes = Slopes::torch;
  bool is_apart = false;  // a sum whose gradient has memory for each element, as that of a mean has in PyTorch
  DType dtype = DType::boolean, compute = DType::boolean;
  DeviceId device;
  Site site = no_site;
  uint64_t number = 0;  // the order in which entries were made
  LayoutRef layout;     // the value's shape; where it is a cell's, how that lies
  LayoutRef target;     // an update's
  DType target_dtype = DType::boolean;
  LayoutRef whole;  // a view's: the memory that its layout counts in
  DType whole_dtype = DType::boolean;
  std::vector<bool> axes;  // a reduction's
  std::array<TapeOperand, 3> own;
  Operand value;  // the result, where the derivative needs it
  uint64_t written = 0;
  std::shared_ptr<const CallBody> call;
  std::shared_ptr<const GradientBody> function;
  std::unique_ptr<TapeExtras> extras;

  std::span<TapeOperand> operands() {
    if (extras && !extras->more.empty()) return extras->more;
    return {own.data(), operand_count};
  }
  bool is_leaf() const { return kind == Kind::leaf; }
  TapeExtras& extra() {
    if (!extras) extras = std::make_unique<TapeExtras>();
    return *extras;
  }
};

EntryRef new_entry(Entry::Kind kind, DType dtype, LayoutRef layout, DeviceId device);
uint64_t tape_length();  // how many entries have been made so far: the number of the newest one

// What detached arrays over one memory share.
struct Variable {
  uint32_t references = 0;
  EntryRef entry;
  LayoutRef layout;  // of the array that was detached: the entry is of this part
  DType dtype = DType::boolean;
  // Of an array that was detached in place: the views that were made before keep the record that it left, its cell's or that of
  // a Variable, until the array is written.
  bool has_left_cell = false;
  Variable* left = nullptr;
};
void release(Variable* variable);

// What an array that is not plainly its cell's knows of the tape. Copies of the array share it.
struct TapeView {
  uint32_t references = 0;
  Variable* own = nullptr;  // null: the cell's
  EntryRef base;            // the value that the rest is about
  uint32_t version = 0;     // of the cell then: views of memory that was written since are views of the value that it has now
  EntryRef parent;          // of the array that this is a view of
  EntryRef seen;            // its own
  EntryRef kept;            // what it was when it was asked to keep its gradient, before it became a view of itself
  bool is_view = false;     // of a value that wants a gradient: it has an entry of its own, also where it shows all of it
  // A view that was made while nothing was recorded passes no gradient on, and is not written while something is: whose the
  // gradient is would be unclear. Nor does one that is older than the wish for a gradient of its base pass it on.
  enum class Made : uint8_t { recorded, unrecorded, in_inference, earlier } made = Made::recorded;
  bool is_inference = false;    // or a view of one that is; its gradient is its own Variable's
  bool may_be_written = false;  // outside of the mode, too: an inference tensor that was detached there
};
void release(TapeView* view);

// ---- asking

extern uint64_t live_entries;                         // with the lock held
inline bool is_taping() { return live_entries > 0; }  // may anything want a gradient?

// The entry of the array's value; null: it wants none.
EntryRef entry_of(const Array& array);
bool wants_gradient(const Array& array);
// The entry whose gradient the array keeps and shows.
EntryRef entry_of_gradient(const Array& array);
// The gradient of a sum, as a program sees it, is no view in which elements share memory.
void set_gradient_apart(const Array& sum);
// Makes the array a leaf. Raises ErrorKind::runtime for types that have none.
void want_gradient(const Array& array, bool wants = true);
// The same memory, without the record.
Array detached(const Array& array);
bool is_detached(const Array& array);  // or a view of one
// The array was made in inference mode: outside of it, it is not written, does not become a leaf, and no derivative keeps it.
void mark_inference(const Array& array);
inline bool is_inference(const Array& array) { return array.tape() && array.tape()->is_inference; }
// Is it a view of another array, as a program sees it? What detached() returns, and what became a view of itself, is none.
bool is_view_of_other(const Array& array);
// The value without what made it. Raises ErrorKind::runtime for views.
void forget_gradient(const Array& array);
// The array becomes a view of other data, as if it had been made so: it stays the leaf that it is, or the result of what made it.
// Raises ErrorKind::runtime for another shape or type where it is a result.
void set_data(Array& array, const Array& data);
// The array becomes a view of itself, record and all. A leaf stays one, in another shape. `is_written`: as by a write, so that
// the other views of the memory are made anew: of what the array shows now, where that was all of it.
void set_view(Array& array, const Array& view, bool is_written = false);
// The same view with an entry of its own, which has no hooks of the view, nor of views between it and its base: for what is about
// to be written into the view.
Array unhooked(const Array& view);
// The array shows all of a new reduction or copy in another shape: the value's gradient has this shape, too.
void take_shape(const Array& result);
// A result that nobody else knows is no view, though it was made as one.
void settle_view(const Array& array);
// The array keeps its record, but is `value` from now on: what backward() gives to derivatives.
Array with_entry(const Operand& value, EntryRef entry, DeviceId device);
// The entry's name as PyTorch's grad_fn has it, without "Backward0": Add, Mul, Sum.
std::string tape_name(Entry& entry);

// ---- recording; called with the lock held, from where nodes are made

// Which values a row's derivative needs, for each operand that wants one (functions/row_gradients.cpp sets it): bits 0 to 2 for
// the operands, bit 3 for the result; bit 7 (RowNeedsFlat): no gradient passes.
inline constexpr uint8_t RowNeedsFlat = 0x80;
using RowNeeds = uint8_t (*)(Op op, int operand);
void set_row_needs(RowNeeds needs);

// What writes into the array must not be a leaf's, or a view of it, nor an inference tensor's; raises ErrorKind::runtime.
void check_may_write(const Array& target);
// The same where what is written has a record.
void check_may_record(const Array& target);
// The entries of what was recorded; null where nothing is wanted.
EntryRef tape_row(const Node& node, std::span<const Argument> arguments);
EntryRef tape_copy(const Node& node, const Array& from);
EntryRef tape_reduce(const Node& node, const Array& from);
EntryRef tape_update(const Array& target, const Argument& value);
// All of the target's memory is replaced by the node's value, whose entry this is. Returns the target's entry then: another one
// where the target is a view of a detached array that lies otherwise.
EntryRef tape_replace(const Array& target, const NodeRef& value, EntryRef entry);
// An operand of `entry` that is the view `target`, which is about to be written: its hooks are of the value that it had.
void forget_hooks(Entry& entry, const Array& target);
// Raises ErrorKind::not_implemented, and says what to write, where an operand of a user's kernel wants a gradient.
void check_no_gradient(std::string_view kernel, std::span<const Argument> arguments);
void check_no_gradient(std::string_view kernel, const Array& argument);
// `target` is the whole of its cell's value, or was updated: that has this entry from now on.
void wrote(const Array& target, EntryRef entry);
// Puts the entry on a new array.
void set_entry(const Array& result, EntryRef entry);
// A call's results, all of them new.
void tape_call(const std::shared_ptr<const CallBody>& body, Site site, std::span<const Array> operands,
               std::span<const Array> results);
EntryRef tape_call_into(const std::shared_ptr<const CallBody>& body, Site site, const Array& target,
                        std::span<const Array> operands);
// A view of `of`, which is about to be handed out.
void tape_view(const Array& of, Array& view);

// ---- functions that are a single autograd node

// `make` computes the results without a record; then they are the function's of the inputs. What it keeps of them its body says.
struct Kept {
  std::vector<bool> inputs, results;
};
std::vector<Array> differentiable(std::shared_ptr<const GradientBody> body, std::span<const Array> inputs, const Kept& kept,
                                  const std::function<std::vector<Array>()>& make);

}  // namespace quern
