// Functions of whole arrays for Python, by the names that python/quern/arrays/ asks for.
#include "bindings/functions.h"

#include <array>
#include <deque>

#include "bindings/call_errors.h"

#include "bindings/given.h"
#include "core/error.h"
#include "device/host_blas.h"
#include "functions/border.h"
#include "functions/einsum.h"
#include "functions/linalg.h"
#include "functions/matrices.h"
#include "functions/ordering.h"
#include "functions/parts.h"
#include "functions/picking.h"
#include "functions/rounding.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/call.h"
#include "graph/records.h"
#include "run/calls/indexing.h"
#include "run/calls/lapack.h"
#include "run/calls/matmul.h"
#include "run/calls/random.h"
#include "run/calls/sorting.h"

namespace quern::python {

const Array& array_in(nb::handle given) {
  const Array* array = as_array(given.ptr());
  if (!array) throw WrongOperand(given, "an array");
  return *array;
}

// What programs call data types; kept for good, where it is.
static std::deque<std::pair<PyObject*, DType>> named_types;

const DType* dtype_of_object(PyObject* object) {
  // Programs name few types, again and again.
  thread_local std::array<std::pair<PyObject*, const DType*>, 64> recent;
  auto& slot = recent[reinterpret_cast<size_t>(object) / 16 % recent.size()];
  if (slot.first == object) return slot.second;
  for (const auto& [known, dtype] : named_types)
    if (known == object) return (slot = {object, &dtype}).second;
  return nullptr;
}

[[noreturn]] static void refuse(const Call& call, DType records) {
  std::string_view name = call.name;
  refuse_records(name.substr(name.find('_') + 1), records);
}

const Array& array_in(nb::handle given, const Call& call, std::optional<Array>& room) {
  const Array& array = array_in(given);
  if (lies_anywhere(array.dtype())) return room.emplace(settled(array));
  if (is_record(array.dtype()) && call.use != Use::moves) refuse(call, array.dtype());
  return array;
}

DType dtype_in(nb::handle name, const Call& call) {
  DType out = dtype_of(nb::cast<std::string>(name));
  if (is_record(out) && call.use != Use::moves) refuse(call, out);
  return out;
}

std::vector<Array> arrays_in(nb::handle sequence, const Call& call) {
  std::vector<Array> out;
  for (nb::handle one : sequence) {
    std::optional<Array> numbers;
    out.push_back(array_in(one, call, numbers));
  }
  return out;
}

Scalar number_in(nb::handle given) {
  Scalar out;
  if (!read_scalar(given.ptr(), out)) raise_not_taken(given);
  return out;
}

void raise_not_taken(nb::handle given) {
  nb::object shown = nb::repr(given);
  raise(ErrorKind::type, "[array] an argument has an unsupported type or is too large: {}", nb::str(shown).c_str());
}

nb::handle first_array(std::initializer_list<nb::handle> given) {
  nb::handle first = nb::none();
  auto is_of_a_door = [&](PyObject* one) {
    if (as_array(one) && first.is_none()) first = one;
    return as_array(one) && Py_TYPE(one) != array_type;
  };
  for (nb::handle one : given) {
    if (is_of_a_door(one.ptr())) return one;
    if (!PyList_CheckExact(one.ptr()) && !PyTuple_CheckExact(one.ptr())) continue;
    for (Py_ssize_t n = 0; n < PySequence_Fast_GET_SIZE(one.ptr()); ++n) {
      PyObject* part = PySequence_Fast_GET_ITEM(one.ptr(), n);
      if (is_of_a_door(part)) return part;
    }
  }
  return first;
}

namespace {

// `constants`: a pair of numbers for each axis; `lengths`: a pair of integers for each, -1 for all elements.
Array with_border_by_name(const Array& a, const std::vector<std::pair<int64_t, int64_t>>& widths, const std::string& mode,
                          const nb::sequence& constants, const std::vector<std::pair<int64_t, int64_t>>& lengths, bool is_odd) {
  BorderOptions options{{}, lengths, is_odd};
  for (nb::handle pair : constants) options.constants.emplace_back(number_in(pair[0]), number_in(pair[1]));
  return with_border(a, widths, border_named(mode).value(), options);
}

// `first` is the number of its first element in the stream of `key`.
Array row_of_random(const std::string& op, const Shape& shape, uint64_t key, uint64_t first, DType dtype, PyDevice device) {
  return random_row(op_named(op), shape, key, first, dtype, device_number(device));
}

std::vector<Pick> picks_of(const std::vector<int>& axes, const nb::args& indices) {
  std::vector<Pick> picks;
  for (size_t k = 0; k < axes.size(); ++k) picks.push_back({static_cast<size_t>(axes[k]), array_in(indices[k])});
  return picks;
}

void define_functions(nb::module_& m) {
  define(m, "array_stacked", stacked, Use::moves);
  define(m, "array_repeated", repeated, Use::moves);
  define(m, "array_diagonal", diagonal, Use::moves);
  define(m, "array_vecdot", vecdot);
  define(m, "array_matvec", matvec);
  define(m, "array_vecmat", vecmat);
  m.def("set_quiet_factors", &set_quiet_factors);
  define(m, "array_argsort", ordered_places, Use::moves);
  define(m, "array_fitted_places", fitted_places);
  define(m, "array_take_at", taken, Use::moves);
  define(m, "array_take_along", taken_along, Use::moves);
  define(m, "array_indices_along", indices_along, Use::moves);
  define(m, "array_coordinates", coordinates, Use::moves);
  define(m, "array_put_in_line", put_in_line, Use::moves);
  define(m, "array_true_positions", true_positions);
  define(m, "array_nonzero", nonzero);
  define(m, "array_flat_nonzero", flat_nonzero);
  define(m, "array_argwhere", rows_of_nonzero);
  define(m, "array_compress", compressed, Use::moves);
  define(m, "array_extract", extracted, Use::moves);
  define(m, "array_border", with_border_by_name);
  define(m, "array_matmul", matmul);
  define(m, "array_running", accumulated);
  define(m, "array_random", row_of_random);
}

}  // namespace

void init_array_functions(nb::module_& m) {
  define_functions(m);
  m.def("name_dtype", [](nb::object object, const std::string& name) {
    PyObject* kept = object.release().ptr();
    if (PyUnicode_CheckExact(kept)) PyUnicode_InternInPlace(&kept);  // names in programs are the same object then
    named_types.emplace_back(kept, dtype_of(name));
  });
  m.def("summed_type", [](const std::string& name) { return std::string(row(summed_type(dtype_of(name))).name); });
  m.def("array_take", [](nb::handle_t<Array> given, const std::vector<int>& axes, nb::args indices) {
    return like(given, take(settled(array_operand(given)), picks_of(axes, indices)));
  });
  // The new result of a function, which is its own owner where nobody else has its memory; tuples and lists of results alike.
  auto settled = [](nb::object result) {
    auto settle = [](PyObject* object, Py_ssize_t holders) {
      Array* array = Py_REFCNT(object) <= holders ? as_array(object) : nullptr;
      if (array) array->settle_owner();
    };
    settle(result.ptr(), 2);  // the caller and `result`
    if (PyTuple_CheckExact(result.ptr()) || PyList_CheckExact(result.ptr()))
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(result.ptr()); ++i)
        settle(PySequence_Fast_GET_ITEM(result.ptr(), i), 1);
    return result;
  };
  m.def("array_settled", settled, nb::arg().none());
  m.def("random_key", &random_key);
  // The device of the first array among arguments (or of the lists among them), when it is not the current one; else None.
  m.def("device_elsewhere", [](nb::tuple arguments) -> nb::object {
    for (nb::handle argument : arguments) {
      const Array* array = as_array(argument.ptr());
      if (!array && (PyList_CheckExact(argument.ptr()) || PyTuple_CheckExact(argument.ptr()))) {
        Py_ssize_t count = PySequence_Fast_GET_SIZE(argument.ptr());
        for (Py_ssize_t i = 0; i < count && !array; ++i) array = as_array(PySequence_Fast_GET_ITEM(argument.ptr(), i));
      }
      if (!array) continue;
      if (array->device() == current_context().id()) return nb::none();
      return nb::cast(PyDevice{&context_on(array->device())});
    }
    return nb::none();
  });
  m.def("set_host_blas_folders", [](std::vector<std::string> folders) { set_host_blas_folders(std::move(folders)); });
}

}  // namespace quern::python
