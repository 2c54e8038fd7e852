// How a front end's arrays differ from quern's own. The rules are a record on its Python type; functions have one body.
#pragma once

#include "bindings/objects.h"
#include "graph/op.h"

namespace quern {
struct OutOfRange;  // run/calls/indexing.h
}

namespace quern::python {

struct Door {
  bool has_numbers = true;           // where NumPy gives a scalar there are numbers (Array::is_value()), not arrays without axes
  bool broadcasts_read_only = true;  // views that repeat elements cannot be written
  bool wraps_indices = false;        // places out of range wrap around, and one in an array counts as an array; else IndexError
  bool tells_subclasses = false;     // __array_finalize__ of subclasses receives what an array is made from
  bool truncates_powers = false;     // integers to negative powers are what is left of the quotient; else ValueError
  bool indexes_as_torch = false;     // arrays of bytes are masks, and a list with sequences, slices or tensors in it is a tuple
  bool refuses_host_arrays = false;  // NumPy's arrays and lists are no operands
  bool rebinds = false;              // Python's operators in place give new arrays and leave the operand as it is
  TypeRules types = TypeRules::numpy;        // what Python's operators give; functions follow NumPy's rules
  PyObject* placer = nullptr;                // see handed_out(); kept for good
  const OutOfRange* out_of_range = nullptr;  // what is said of places in arrays that are not there; null: what NumPy says
};

// The rules of the object's type or its nearest base; quern's own for what is no array of a front end.
const Door& door_of(PyObject* object);

// Of an operator's operands the first array whose front end has type rules of its own; null: the result's type is NumPy's.
PyObject* typed_by(PyObject* left, PyObject* right);

// A user's subclass of a front end's class; tell() passes to its objects what they are made from.
bool is_told(PyTypeObject* type);
void tell(PyObject* made, PyObject* beside);

// What a front end does with the arrays that calls, operators and methods make before the caller has them: its function may give
// another in their stead (cupy.cuda.set_allocator, PyCUDA's pools). It receives the operand whose type the result has, or None.
// The object is taken, and one is given.
PyObject* handed_out(PyObject* made, PyObject* beside = nullptr);

void set_out_of_range(nb::handle type, const OutOfRange* words);

void init_doors(nb::module_& m);

}  // namespace quern::python
