// Classifies a Python object that is passed to a kernel, an operator or a function, in this one place. How a front end uses
// it is defined in the front end.
//
//   Given given = classified(value);
//   switch (given.what) { ... }
//
// A type is inspected once and then remembered. What says by its attributes that it stands for memory is Given::other;
// foreign_address() in here and from_others() in dispatcher.cpp ask for those.
#pragma once

#include "bindings/objects.h"
#include "graph/array.h"

namespace quern::python {

struct Given {
  enum class What : uint8_t {
    other,
    none,
    array,  // one of ours, of any front end
    boolean,
    integer,
    real,
    complex,     // Python's own, with what derives from them
    number,      // NumPy's, which has a type; also of types that others add to NumPy, as bfloat16
    record,      // numpy.void
    host_array,  // numpy.ndarray, with what derives from it
    tuple,
    list,
    allocation,   // PyAllocation
    host_memory,  // PyHostMemory
    transfer,     // PyTransfer
  };
  What what = What::other;
  bool is_derived = false;  // from that type
  bool has_dtype = false;   // of a NumPy number: its type is one of ours
  DType dtype = DType::boolean;
  uint16_t offset = 0, size = 0;  // where a NumPy number keeps its bytes; size 0: somewhere else

  bool is_number() const { return what >= What::boolean && what <= What::number; }
};

Given classified(PyObject* value);

// A number's value: Python's own are weak, NumPy's have a type. False: it is not a number, or its type is not supported.
bool read_scalar(PyObject* value, Scalar& out);
// OverflowError for integers of more than 64 bits, in PyTorch's words.
void refuse_huge(const Scalar& number);
// The same of bytes.
Scalar scalar_of(DType dtype, const void* bytes);
// A NumPy number's bytes, which are there for as long as the object and `room` are.
const void* bytes_of(const Given& given, PyObject* value, nb::object& room);

// The address that an object of somebody else's stands for: gpudata, __cuda_array_interface__, get_pointer(). The same for a
// NumPy array in pinned or managed memory. False: it says nothing of one.
bool foreign_address(const Given& given, PyObject* value, uint64_t& address, Block** block);

// Has it the attribute? As hasattr of Python: what an attribute raises but AttributeError goes on.
bool has_attribute(PyObject* value, const char* name);

// Does it give an array of the device when asked (CuPy's __cupy_get_ndarray__), or describe one? asarray makes one of it.
bool offers_array(PyObject* value);

// The product of a list, tuple or text and a number as NumPy's: integers repeat a sequence, others raise TypeError. Null without
// an error: the operands are others.
PyObject* repeated_sequence(PyObject* left, PyObject* right);
// Raises TypeError for sums and products of arrays with texts, as NumPy does: an array of one integer would repeat them, and its
// bytes would be joined to them.
void refuse_texts(Op op, PyObject* left, PyObject* right);

// In(x), Out(x), InOut(x): what a kernel does with a host array.
struct PyTransfer {
  nb::object value;
  bool in = true, out = true;
};

}  // namespace quern::python
