// Functions of arrays for Python: a C++ function's parameters say what Python gives for them.
//
//   define(m, "array_matmul", matmul);   // Array (*)(const Array&, const Array&)
//
// Arrays come as arrays (a pointer: or None), types as their names, numbers as numbers. Results have the first array's Python
// type; structs come back as tuples (see given_back()).
#pragma once

#include <concepts>

#include "bindings/arrays.h"
#include "core/error.h"
#include "functions/reductions.h"

namespace quern::python {

// What a function does with elements: of records it can only move them about.
enum class Use : uint8_t { computes, moves };
// What the reading of a call's arguments depends on.
struct Call {
  const char* name;
  Use use;
  nb::handle beside = {};  // the array whose device and Python type results have
};

const Array& array_in(nb::handle given);
// The same, where the function takes its elements. Numbers that lie anywhere are copied into `room`. Raises ErrorKind::type.
const Array& array_in(nb::handle given, const Call& call, std::optional<Array>& room);
std::vector<Array> arrays_in(nb::handle sequence, const Call& call);
DType dtype_in(nb::handle name, const Call& call);
const DType* dtype_of_object(PyObject* object);  // null for an object that name_dtype() has not registered
Scalar number_in(nb::handle given);
[[noreturn]] void raise_not_taken(nb::handle given);

// Python's TypeError for what is no T, and its OverflowError for an integer that is too large.
template <class T>
T cast_from(nb::handle given) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    nb::object index = nb::steal(PyNumber_Index(given.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    auto number = std::unsigned_integral<T> ? static_cast<T>(PyLong_AsUnsignedLongLong(index.ptr()))
                                            : static_cast<T>(PyLong_AsLongLong(index.ptr()));
    if (number == static_cast<T>(-1) && PyErr_Occurred()) throw nb::python_error();
    return number;
  } else {
    try {
      return nb::cast<T>(given);
    } catch (const nb::cast_error&) {
      raise_not_taken(given);
    }
  }
}

// What a parameter of type T is made of. Lives as long as the call.
template <class T>
struct Taken {
  std::decay_t<T> value;
  Taken(nb::handle given, const Call&) : value(cast_from<std::decay_t<T>>(given)) {}
};
template <class T>
struct Taken<const T*> {
  std::optional<Taken<const T&>> taken;
  const T* value = nullptr;
  Taken(nb::handle given, const Call& call) {
    if (!given.is_none()) value = &taken.emplace(given, call).value;
  }
};
template <class T>
  requires std::is_enum_v<T>
struct Taken<T> {  // by its number
  T value;
  Taken(nb::handle given, const Call&) : value(static_cast<T>(nb::cast<int>(given))) {}
};
template <>
struct Taken<const Array&> {
  std::optional<Array> numbers;
  const Array& value;
  Taken(nb::handle given, const Call& call) : value(array_in(given, call, numbers)) {}
};
template <>
struct Taken<const std::vector<Array>&> {
  std::vector<Array> value;
  Taken(nb::handle given, const Call& call) : value(arrays_in(given, call)) {}
};
template <>
struct Taken<const Scalar&> {
  Scalar value;
  Taken(nb::handle given, const Call&) : value(number_in(given)) {}
};
// An array or a number, on the device of the first array.
template <>
struct Taken<const Argument&> {
  GivenOperand operand;
  Argument value;
  Taken(nb::handle given, const Call& call)
      : operand(), value((operand.read(given.ptr(), true, call.beside.ptr()), operand.argument())) {}
};
template <>
struct Taken<std::string_view> {
  std::string value;
  Taken(nb::handle given, const Call&) : value(nb::cast<std::string>(given)) {}
};
template <>
struct Taken<DType> {
  DType value;
  Taken(nb::handle given, const Call& call) : value(dtype_in(given, call)) {}
};
template <>
struct Taken<std::optional<DType>> {
  std::optional<DType> value;
  Taken(nb::handle given, const Call& call) {
    if (!given.is_none()) value = dtype_in(given, call);
  }
};
// A tuple: bools, a list, for the axes; whether they stay; the type or None; what counts or None.
template <>
struct Taken<Over> {
  Over value;
  std::optional<Array> where;
  Taken(nb::handle given, const Call& call) {
    auto part = [&](Py_ssize_t n) { return nb::handle(PyTuple_GET_ITEM(given.ptr(), n)); };
    Py_ssize_t count = PyList_GET_SIZE(part(0).ptr());
    value.axes.resize(static_cast<size_t>(count));
    for (Py_ssize_t n = 0; n < count; ++n) value.axes[static_cast<size_t>(n)] = PyList_GET_ITEM(part(0).ptr(), n) == Py_True;
    value.keep_dims = part(1).ptr() == Py_True;
    if (!part(2).is_none()) value.dtype = dtype_in(part(2), call);
    if (!part(3).is_none()) value.where = &array_in(part(3), call, where);
  }
};
template <>
struct Taken<const Over&> : Taken<Over> {
  using Taken<Over>::Taken;
};
inline nb::object given_back(nb::handle beside, Array&& array) { return like(beside, std::move(array)); }
inline nb::object given_back(nb::handle, bool value) { return nb::bool_(value); }
inline nb::object given_back(nb::handle beside, std::optional<Array>&& array) {
  return array ? given_back(beside, std::move(*array)) : nb::none();
}
template <class T>
nb::object given_back(nb::handle beside, std::vector<T>&& all) {
  nb::list out;
  for (T& one : all) out.append(given_back(beside, std::move(one)));
  return out;
}
template <class A, class B>
nb::object given_back(nb::handle beside, std::pair<A, B>&& both) {
  return nb::make_tuple(given_back(beside, std::move(both.first)), given_back(beside, std::move(both.second)));
}

// The first array of a front end among arguments and in sequences of them; else the first array: lists become quern's own arrays.
nb::handle first_array(std::initializer_list<nb::handle> given);

template <class T>
using AnyHandle = nb::handle;

template <class R, class... T>
void define(nb::module_& m, const char* name, R (*function)(T...), Use use = Use::computes) {
  auto called = [function, name, use](AnyHandle<T>... given) -> nb::object {
    const Call call{name, use, first_array({given...})};
    if constexpr (std::is_void_v<R>) {
      function(Taken<T>(given, call).value...);
      return nb::none();
    } else {
      return given_back(call.beside, function(Taken<T>(given, call).value...));
    }
  };
  m.def(name, called, (static_cast<void>(static_cast<Taken<T>*>(nullptr)), nb::arg().none())...);
}

}  // namespace quern::python
