// What the build makes of bindings/faces/*.pyi (tools/faces.py), and the record of what is peculiar to each front end.
//
// A row is a function of engine/functions/functions.def. A face is a row as one front end spells it. A call fills the row's slots
// from the face's parameters (reader.cpp), and the row's thunk reads each slot by the type that the body takes (rows.cpp,
// read.h).
#pragma once

#include <cstdint>

#include "bindings/arrays.h"
#include "functions/functions.h"

namespace quern::python::faces {

// What an argument must be for an overload to take the call. What it means is read later, by the body's type. For a boolean or a
// number None stands for the default; where the default is None, it is no argument. An operand is an array or a number; what is
// its own is anything but None and an array of the host; `some` is anything but None.
enum class Kind : uint8_t { any, array, operand, boolean, integer, number, integers, arrays, dtype, own, some, nothing };

inline constexpr int8_t required = -1;  // a parameter without a default
inline constexpr int8_t absent = 0;     // a default that leaves the slot empty; others are numbers of default_values()

struct Parameter {
  const char* name;
  const char* second_name;  // a keyword that is accepted too, or null
  uint8_t slot;             // the place among the row's parameters, or out_slot
  Kind kind;
  int8_t constant;
  bool is_keyword_only;
  bool takes_rest;  // *parameter: the arguments that are left, or the one sequence that stands for them
};
inline constexpr size_t most_slots = 32;
// No parameters of a body: the array that takes the result, and what is accepted and changes nothing.
inline constexpr uint8_t out_slot = most_slots - 1, ignored_slot = most_slots - 2;
inline constexpr uint8_t gradient_slot = most_slots - 3;  // does a new array want a gradient?
inline constexpr uint8_t in_place_slot = most_slots - 4;  // does the first argument take the result?

struct Overload {
  Function function;  // the row that is called
  const Parameter* parameters;
  uint8_t count, positional;
};
struct Face {
  const char* front_end;
  const char* submodule;  // of the front end's module; "": that itself
  const char* name;
  const char* signature;
  const char* doc;
  const Overload* overloads;
  uint8_t overload_count;
  bool is_in_place;  // the first argument takes the result
};

struct FrontEnd;

// Why an overload does not take a call. Of several overloads the one that took most arguments says what is wrong.
struct Misfit {
  enum class Why : uint8_t { none, too_many, unknown_word, twice, missing, wrong_kind };
  Why why = Why::none;
  const Overload* overload = nullptr;
  size_t parameter = 0;
  const Parameter* other = nullptr;  // of `twice`: another parameter with the same slot
  PyObject* value = nullptr;         // the argument, or the word
  size_t taken = 0, given = 0;       // arguments; those by position
};
// Set Python's TypeError: in Python's own words, and in those of CuPy and PyTorch.
void refuse_as_python(const Face& face, const Misfit& misfit);
void refuse_as_cupy(const Face& face, const Misfit& misfit);
void refuse_as_torch(const Face& face, const Misfit& misfit);

// Thrown while a call is read: arguments that NumPy accepts and the row does not. The front end's `fall_back` gets the call;
// `reason` completes "... is not supported: ".
struct Unserved {
  std::string reason;
};

// Several arrays that are one argument.
struct Sequence {
  std::vector<nb::object> objects;
  std::vector<Array> arrays;
  std::vector<OperandType> types;  // numbers of Python's are weak
  bool is_list = false;            // of a *parameter: the one argument was a list
};

// Is there an argument, which is not None?
inline bool is_given(PyObject* given) { return given && given != Py_None; }

// A call while its slots are read.
struct Reading {
  const Face& face;
  Function function;
  FrontEnd& front_end;
  PyObject* const* slots;
  size_t next = 0;                     // the slot that is read next
  const Array* first = nullptr;        // the first array: others go to its device, axes are its axes
  const Array* second = nullptr;       // the next of those that must be there
  PyObject* beside = nullptr;          // the object of it, whose Python type results have
  PyTypeObject* type = nullptr;        // of results, where an argument says so
  nb::object made = {};                // the same where it was made for this call
  std::optional<Array> numbers{};      // a copy of it where its elements lie anywhere
  std::optional<Sequence> sequence{};  // the first argument, where that is several arrays

  Family family() const;
  PyObject* take() { return slots[next++]; }
  PyObject* out() const { return slots[out_slot]; }
  bool is_in_place() const;
};

// What differs between front ends. The names of parameters stand in the .pyi files.
struct FrontEnd {
  const char* name;
  bool takes_lists_of_axes;          // [0, 1] as (0, 1)
  bool has_axis_without_dimensions;  // axis 0 of an array without dimensions, for all functions
  bool has_weak_numbers;             // numbers of NumPy's have no type of their own, as Python's
  void (*refuse_call)(const Face& face, const Misfit& misfit);
  // Raise the peer's errors.
  void (*refuse_axis)(int64_t axis, size_t rank);
  void (*refuse_repeated_axis)(int64_t axis);
  // The type that is computed in, of what was asked for; none: the body's own rule.
  std::optional<DType> (*computed_type)(const Reading& reading, std::optional<DType> asked);
  // Raises for operands that the peer refuses.
  void (*check)(const Reading& reading, const Over& over);
  void (*check_line)(const Reading& reading, std::optional<size_t> axis);
  DType (*result_type)(const Reading& reading, DType result);
  // An elementwise operation of the operands in the slots; operations within bodies.
  nb::object (*operate)(Reading& reading, Op op);
  bool gives_tuples = false;          // of parts of an array; else lists
  bool has_real_eigenvalues = false;  // of real matrices, where all of them are
  // Of linear algebra: does what fails with a matrix give no error? And what waits for a result, to raise it at the call.
  bool (*is_quiet)() = nullptr;
  void (*settle)(const Reading& reading, const Array& result) = nullptr;
  bool copies_turned = false;  // functions that turn arrays around give new arrays, no views
  const Rules* rules;
  // Raises for operands of elementwise functions that the peer refuses; null: it refuses none.
  void (*check_operands)(const Reading& reading);
  Array (*layer_operand)(const Reading& reading,
                         const Array& array) = nullptr;  // what layers compute in place of the first array
  // Writes a result into the first argument of a face that works in place.
  void (*write_in_place)(const Array& into, const Array& result);
  // The type of real numbers that nothing else says.
  DType (*real_type)() = [] { return DType::float64; };
  // Of `out`: raises for what cannot take a result; writes it (outputs.h).
  void (*check_out)(const Reading& reading, const Array& result, PyObject* out) = nullptr;
  nb::object (*write_out)(const Reading& reading, nb::object made, PyObject* out) = nullptr;
  // The device of what is new; none: `device` says it.
  std::optional<DeviceId> (*default_device)() = [] { return std::optional(current_context().id()); };
  // Set by Python (set_front_end): the type of results where no operand has one of a front end; what makes an array of another
  // operand, the engine's name of a data type, the name of the type of real numbers that integers become, and the least
  // probability; what makes a device of an argument; the generator that draws where none is given; what is asked first for
  // functions of the submodule fft.
  // Of Keras: variables, and placeholders that have no values; what calls a face in its place while a step is recorded, and gets
  // the face, a tuple and a dict. It gives NotImplemented where it does not.
  PyTypeObject* type = nullptr;
  PyTypeObject *variable = nullptr, *symbolic = nullptr;
  PyObject* noter = nullptr;
  PyObject *convert = nullptr, *name_of_dtype = nullptr, *default_real = nullptr, *epsilon = nullptr;
  PyObject *device = nullptr, *generator = nullptr, *before_transforms = nullptr;
  PyObject* fall_back = nullptr;  // what makes a call where it is Unserved: (name, arguments, keywords, reason)
  PyObject* tuples = nullptr;     // the types of results that are tuples, by the functions' names
};
FrontEnd& front_end_named(std::string_view name);
// What PyTorch's messages and types of results call a function: linalg_inv for linalg.inv.
std::string torchs_name(const Face& face);

// The device of new tensors on this thread; none: where torch.set_default_device() says, which Python knows.
void set_torch_device(std::optional<DeviceId> device);
// Does what fails with a matrix raise an error at the call, in CuPy's functions on this thread? Gives what held before.
bool raise_at_calls(bool on);

// `reduce`: the method of NumPy's ufuncs, whose faces have the ufuncs' names.
extern FrontEnd numpy, cupy, reduce, torch, keras;
inline bool is_torch(const Reading& reading) { return &reading.front_end == &torch; }

using Thunk = nb::object (*)(Reading& reading);
struct FunctionRow {
  const char* name;
  Family family;
  Thunk thunk;
};
const FunctionRow& row_of(Function function);  // rows.cpp

}  // namespace quern::python::faces
