// Functions of whole arrays for Python: what is in run/calls/, by the names that python/quern/arrays/ asks for.
#include "bindings/arrays.h"
#include "core/error.h"
#include "device/host_blas.h"
#include "graph/call.h"
#include "run/calls/fourier.h"
#include "run/calls/indexing.h"
#include "run/calls/lapack.h"
#include "run/calls/matmul.h"
#include "run/calls/parts.h"
#include "run/calls/random.h"
#include "run/calls/sorting.h"

namespace quern::python {

void init_array_calls(nb::module_& m) {
  m.def("array_true_positions", [](nb::handle_t<Array> mask) { return like(mask, true_positions(*as_array(mask.ptr()))); });
  m.def("array_indices_of", [](nb::handle_t<Array> mask) {
    nb::list out;
    for (Array& index : indices_of(*as_array(mask.ptr()))) out.append(like(mask, std::move(index)));
    return out;
  });
  m.def("array_take", [](nb::handle_t<Array> given, const std::vector<int>& axes, nb::args indices) {
    const Array& array = *as_array(given.ptr());
    std::vector<Pick> picks;
    for (size_t k = 0; k < axes.size(); ++k) {
      const Array* index = as_array(indices[k].ptr());
      if (!index) bug("an index that is no array");
      picks.push_back({static_cast<size_t>(axes[k]), *index});
    }
    return like(given, take(array, picks));
  });
  m.def("array_matmul",
        [](nb::handle_t<Array> a, nb::handle_t<Array> b) { return like(a, matmul(*as_array(a.ptr()), *as_array(b.ptr()))); });
  m.def("array_put", [](nb::handle_t<Array> given, const std::vector<int>& axes, nb::handle value, nb::args indices) {
    std::vector<Pick> picks;
    for (size_t k = 0; k < axes.size(); ++k) {
      const Array* index = as_array(indices[k].ptr());
      if (!index) bug("an index that is no array");
      picks.push_back({static_cast<size_t>(axes[k]), *index});
    }
    Operand operand;
    operand.read(value.ptr(), true, given.ptr());
    put(*as_array(given.ptr()), picks, operand.argument());
  });
  m.def("array_range", [](nb::handle start, nb::handle step, int64_t count, const std::string& dtype, PyDevice device) {
    Scalar from, by;
    if (!read_scalar(start.ptr(), from) || !read_scalar(step.ptr(), by)) bug("a range of what is no number");
    int8_t number = static_cast<int8_t>(device.context->trace_index());
    return nb::steal(wrap(evenly_spaced(from, by, count, dtype_of(dtype), number), array_type));
  });
  // A row of random numbers: `first` is the number of its first element in the stream of `key`.
  m.def("array_random",
        [](const std::string& name, const Shape& shape, uint64_t key, uint64_t first, const std::string& dtype, PyDevice device) {
          Array out = random_row(op_named(name), shape, key, first, dtype_of(dtype), device_number(device));
          return nb::steal(wrap(std::move(out), array_type));
        });
  m.def("random_key", &random_key);
  m.def("array_factor", [](const std::string& name, const std::string& mode, double number, nb::args given) {
    std::vector<Array> operands;
    for (nb::handle operand : given) operands.push_back(*as_array(operand.ptr()));
    nb::list out;
    for (Array& result : factor(name, operands, mode, number)) out.append(like(given[0], std::move(result)));
    return out;
  });
  m.def("array_fourier", [](nb::handle_t<Array> given, const std::string& kind, int64_t n, double scale) {
    return like(given, fourier(*as_array(given.ptr()), kind, n, scale));
  });
  // Sorting and searching along the last axis.
  m.def("array_sort", [](nb::handle_t<Array> a, bool descending) { return like(a, sorted(*as_array(a.ptr()), descending)); });
  m.def("array_argsort",
        [](nb::handle_t<Array> a, bool descending) { return like(a, sorted_places(*as_array(a.ptr()), descending)); });
  m.def("array_extreme_places",
        [](nb::handle_t<Array> a, bool least) { return like(a, extreme_places(*as_array(a.ptr()), least)); });
  m.def("array_places_in", [](nb::handle_t<Array> a, nb::handle_t<Array> values, bool right) {
    return like(a, places_in(*as_array(a.ptr()), *as_array(values.ptr()), right));
  });
  m.def(
      "array_counts_of",
      [](nb::handle_t<Array> numbers, nb::handle weights, int64_t bins) {
        return like(numbers, counts_of(*as_array(numbers.ptr()), weights.is_none() ? nullptr : as_array(weights.ptr()), bins));
      },
      nb::arg(), nb::arg().none(), nb::arg());
  m.def("array_running", [](nb::handle_t<Array> a, const std::string& op) { return like(a, running(*as_array(a.ptr()), op)); });
  m.def("has_scan", [](const std::string& op, const std::string& dtype) { return has_scan(op, dtype_of(dtype)); });
  // The device of the first array among arguments (or of the lists among them), when it is not the current one; else None.
  m.def("device_elsewhere", [](nb::tuple arguments) -> nb::object {
    for (nb::handle argument : arguments) {
      const Array* array = as_array(argument.ptr());
      if (!array && (PyList_CheckExact(argument.ptr()) || PyTuple_CheckExact(argument.ptr()))) {
        Py_ssize_t count = PySequence_Fast_GET_SIZE(argument.ptr());
        for (Py_ssize_t i = 0; i < count && !array; ++i) array = as_array(PySequence_Fast_GET_ITEM(argument.ptr(), i));
      }
      if (!array) continue;
      if (array->device() == current_context().trace_index()) return nb::none();
      return nb::cast(PyDevice{&context_on(array->device())});
    }
    return nb::none();
  });
  m.def("set_host_blas_folders", [](std::vector<std::string> folders) { set_host_blas_folders(std::move(folders)); });
  m.def("host_blas_path", &host_blas_path);
}

}  // namespace quern::python
