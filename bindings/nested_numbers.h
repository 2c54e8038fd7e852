// Python's and NumPy's numbers, alone or in nested lists and tuples, as elements in C order.
//
//   NestedNumbers numbers(value);
//   if (numbers.are_plain()) ... numbers.torchs_elements(type)
//
// What is not plain (other objects, sequences of several lengths, classes made of list) is NumPy's to read; host_values.cpp.
#pragma once

#include <vector>

#include "bindings/given.h"

namespace quern::python {

// Does NumPy convert the number by rules of its own, or warn?
bool is_odd_to_numpy(const Scalar& number, DType type);

class NestedNumbers {
 public:
  explicit NestedNumbers(PyObject* value);

  bool are_plain() const { return is_plain_; }
  const Shape& shape() const { return shape_; }

  // The type that NumPy gives them; none: that of several kinds, or of numbers beyond 64 bits, is NumPy's to find.
  std::optional<DType> numpys_type() const;
  // What types there are, each once; of Python's numbers weak ones.
  std::vector<OperandType> types() const;
  // The type that PyTorch gives them.
  DType torchs_type() const;

  // The elements in a type, or in numpys_type(); none: NumPy is asked how it converts one of them.
  std::optional<std::vector<char>> numpys_elements(std::optional<DType> asked) const;
  // Raises what PyTorch does for numbers that do not fit the type.
  std::vector<char> torchs_elements(DType type) const;

 private:
  bool measure(PyObject* value, size_t depth);
  bool note(PyObject* number);
  template <class Store>
  bool each(PyObject* value, size_t depth, char*& out, size_t size, const Store& store) const;

  PyObject* value_;
  Shape shape_;
  bool is_plain_;
  // Which kinds of numbers there are: of Python's, and the types of NumPy's.
  bool has_booleans_ = false, has_integers_ = false, has_reals_ = false, has_complex_ = false;
  uint32_t types_ = 0;
};

}  // namespace quern::python
