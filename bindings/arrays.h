// What the files about arrays share: Python objects to operands and back.
#pragma once

#include "bindings/objects.h"
#include "graph/array.h"

namespace quern::python {

extern PyTypeObject* bare_type;   // of every array, of any front end
extern PyTypeObject* array_type;  // quern.Array

// The array with NumPy's operators and attributes, which new ones are; a tensor has others (tensor.cpp). Both are the engine's
// array and nothing else.
struct NumPyArray : Array {
  NumPyArray(Array&& array) : Array(std::move(array)) { hold(*this); }
  NumPyArray(NumPyArray&& other) : NumPyArray(static_cast<Array&&>(other)) {}
  ~NumPyArray() {
    if (cell() && cell()->holder == this) cell()->holder = nullptr;
  }
  // An array that is no view says where it is, so that the base of its views is this very object.
  static void hold(const Array& array) {
    if (array && !array.is_view()) array.cell()->holder = &array;
  }
};

Array* as_array(PyObject* object);  // nullptr when it is none of ours
// A result has its first operand's type: each front end has a type of its own over the same array.
// Without a type: quern.Array.
PyObject* wrap(Array&& array, PyTypeObject* type = nullptr);
PyObject* wrap_as(Array&& array, PyTypeObject* type);  // exactly that type
PyTypeObject* result_type(PyTypeObject* type);         // what results of an operand of that type have (tensor.cpp)
// In the type of `beside`, quern.Array where that is no array. An object of a user's subclass of a front end's class is passed it
// (see door.h).
PyObject* wrap_beside(Array&& array, PyObject* beside);
nb::object like(nb::handle operand, Array&& array);  // the same
// A view of the operand's memory, wrapped so. Of one of NumPy's numbers it is an array of its own; CuPy has no such numbers.
nb::object view_of(nb::handle operand, Array&& view);
bool is_tensor_type(PyTypeObject* type);
nb::object item_of(const Array& array);  // the only element, as a number of Python's; this waits for it
// Of operands the one whose type the result has: the first array, or one of a user's subclass of a front end's class.
PyObject* leading(PyObject* const* values, size_t count);

nb::object array_of(PyObject* value);                                // as asarray makes it
nb::object array_of(PyObject* value, DeviceId device);               // on that device
nb::object array_of(PyObject* value, DeviceId device, DType dtype);  // converted as NumPy converts lists: each number must fit
DType dtype_of(const std::string& name);
// As NumPy takes it, in capitals or not; None is `otherwise`. Raises ValueError, TypeError for what is no order.
Order order_of(nb::handle given, Order otherwise);

// An operand of an operator, for as long as this lives.
class GivenOperand {
 public:
  // `strict`: anything may be made an array of; else only what is certain to be one (so that others get their turn).
  // `beside`: an array, perhaps, on whose device it is made.
  bool read(PyObject* value, bool strict, PyObject* beside = nullptr);
  void make_array(PyObject* value, PyObject* beside = nullptr);
  Argument argument() const { return array_ ? Argument(*array_) : Argument(scalar_); }
  bool is_scalar() const { return !array_; }
  const Scalar& scalar() const { return scalar_; }
  Scalar& scalar() { return scalar_; }
  void replace(Array& array) { array_ = &array; }    // by one that lives as long
  bool is_made() const { return made_.is_valid(); }  // it is no array of ours, and no number
  bool is_of_host() const { return made_.is_valid() || (!array_ && !scalar_.is_weak); }

 private:
  Array* array_ = nullptr;
  Scalar scalar_;
  nb::object made_;
};

// A number that is an integer, as one of the integers of `type`: what does not fit goes round.
void wrap_to(Scalar& number, DType type);

template <class F>
PyObject* guarded(F&& f) {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// Raises TypeError for an array or a list of the host's, where the front end of `beside` refuses these.
void refuse_host_array(PyObject* value, PyObject* beside);

DeviceId device_number(PyDevice device);

// exchange.cpp
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);
// Memory at an address, which lives for as long as `owner`. `strides` in bytes; none: C order.
Array over_address(Context& context, uintptr_t address, Shape shape, std::optional<std::vector<int64_t>> strides, DType dtype,
                   bool read_only, nb::handle owner);
void define_exchange(nb::module_& m, nb::class_<Array>& type);

// array_index.cpp
PyObject* get_array_item(PyObject* self, PyObject* key);
int set_array_item(PyObject* self, PyObject* key, PyObject* value);

void init_array_functions(nb::module_& m);  // functions.cpp
void init_tensors(nb::module_& m);          // tensor.cpp
void init_gradients(nb::module_& m);        // gradients.cpp
void release_gradients();                   // releases the Python objects that autograd nodes held

}  // namespace quern::python
