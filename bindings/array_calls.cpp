// Functions of whole arrays for Python: what is in run/calls/, by the names that python/quern/arrays/ asks for.
#include "bindings/arrays.h"
#include "core/error.h"
#include "device/host_blas.h"
#include "graph/call.h"
#include "run/calls/averages.h"
#include "run/calls/border.h"
#include "run/calls/counting.h"
#include "run/calls/einsum.h"
#include "run/calls/fourier.h"
#include "run/calls/indexing.h"
#include "run/calls/lapack.h"
#include "run/calls/matmul.h"
#include "run/calls/parts.h"
#include "run/calls/quantiles.h"
#include "run/calls/random.h"
#include "run/calls/sorting.h"

namespace quern::python {

namespace {

std::vector<Array> arrays_in(nb::handle sequence) {
  std::vector<Array> out;
  for (nb::handle one : sequence) {
    const Array* array = as_array(one.ptr());
    if (!array) bug("an operand that is no array");
    out.push_back(*array);
  }
  return out;
}

const Array* array_or_none(nb::handle given) { return given.is_none() ? nullptr : as_array(given.ptr()); }

Scalar number_of(nb::handle given) {
  Scalar out;
  if (!read_scalar(given.ptr(), out)) bug("a number was expected");
  return out;
}

Border border_named(const std::string& name) {
  static constexpr std::pair<const char*, Border> names[] = {
      {"constant", Border::constant},       {"edge", Border::edge},   {"reflect", Border::reflect},
      {"symmetric", Border::symmetric},     {"wrap", Border::wrap},   {"maximum", Border::maximum},
      {"minimum", Border::minimum},         {"mean", Border::mean},   {"median", Border::median},
      {"linear_ramp", Border::linear_ramp}, {"empty", Border::empty},
  };
  for (auto [known, border] : names)
    if (name == known) return border;
  bug("a border of mode {}", name);
}

// Functions that are made of other operations.
void init_composed_calls(nb::module_& m) {
  m.def("array_median", [](nb::handle_t<Array> lines) { return like(lines, median_of_lines(*as_array(lines.ptr()))); });
  // `weights`: the type that the weights of two neighbours have; none: that of the elements.
  m.def(
      "array_quantiles",
      [](nb::handle_t<Array> lines, const std::vector<double>& q, const std::string& method, bool is_whole,
         const std::optional<std::string>& weights, bool skips_nan) {
        QuantileType type{is_whole, !weights, weights ? dtype_of(*weights) : DType::float64};
        return like(lines, quantiles_of_lines(*as_array(lines.ptr()), q, method, type, skips_nan));
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("quantile_interpolates", [](const std::string& method) { return interpolates(method); });
  m.def(
      "array_bincount",
      [](nb::handle_t<Array> numbers, nb::handle weights, int64_t least) {
        return like(numbers, bincount(*as_array(numbers.ptr()), array_or_none(weights), least));
      },
      nb::arg(), nb::arg().none(), nb::arg());
  // `even`: (first, last, width, count) of bins of one width.
  m.def(
      "array_histogram",
      [](nb::handle_t<Array> elements, nb::handle_t<Array> edges, const std::optional<nb::tuple>& even, nb::handle weights) {
        EvenBins bins;
        if (even) bins = {number_of((*even)[0]), number_of((*even)[1]), number_of((*even)[2]), nb::cast<int64_t>((*even)[3])};
        return like(elements, histogram_counts(*as_array(elements.ptr()), *as_array(edges.ptr()), even ? &bins : nullptr,
                                               array_or_none(weights)));
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("array_argsort_by", [](nb::sequence keys) {
    std::vector<Array> given = arrays_in(keys);
    return like(keys[0], sorted_places_by(given));
  });
  m.def("array_einsum", [](const std::string& subscripts, nb::sequence operands, const std::string& dtype,
                           const std::vector<std::pair<int, int>>& steps) {
    std::vector<Array> given = arrays_in(operands);
    return like(operands[0], einsum(subscripts, given, dtype_of(dtype), steps));
  });
  m.def("array_kron",
        [](nb::handle_t<Array> a, nb::handle_t<Array> b) { return like(a, kron(*as_array(a.ptr()), *as_array(b.ptr()))); });
  m.def(
      "array_fitted_weights",
      [](nb::handle_t<Array> a, nb::handle_t<Array> weights, const std::optional<std::vector<int>>& axes) {
        return like(a, fitted_weights(*as_array(a.ptr()), *as_array(weights.ptr()), axes ? &*axes : nullptr));
      },
      nb::arg(), nb::arg(), nb::arg().none());
  m.def("array_average", [](nb::handle_t<Array> a, nb::handle_t<Array> weights, const std::vector<bool>& axes, bool keep_dims,
                            const std::string& type) {
    Average out = average(*as_array(a.ptr()), *as_array(weights.ptr()), axes, keep_dims, dtype_of(type));
    return nb::make_tuple(like(a, std::move(out.mean)), like(a, std::move(out.total)));
  });
  m.def(
      "array_covariance",
      [](nb::handle_t<Array> rows, double ddof, nb::handle repeated, nb::handle counting) {
        Covariance out = covariance(*as_array(rows.ptr()), ddof, array_or_none(repeated), array_or_none(counting));
        return nb::make_tuple(like(rows, std::move(out.values)), out.is_degenerate);
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("array_correlation", [](nb::handle_t<Array> c) { return like(c, correlation(*as_array(c.ptr()))); });
  // `constants`: a pair of numbers for each axis; `lengths`: a pair of integers for each, -1 for all elements.
  m.def("array_border", [](nb::handle_t<Array> a, const std::vector<std::pair<int64_t, int64_t>>& widths, const std::string& mode,
                           nb::sequence constants, const std::vector<std::pair<int64_t, int64_t>>& lengths, bool is_odd) {
    BorderOptions options{{}, lengths, is_odd};
    for (nb::handle pair : constants) options.constants.emplace_back(number_of(pair[0]), number_of(pair[1]));
    return like(a, with_border(*as_array(a.ptr()), widths, border_named(mode), options));
  });
}

}  // namespace

void init_array_calls(nb::module_& m) {
  init_composed_calls(m);
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
  m.def("array_take_along", [](nb::handle_t<Array> given, nb::handle_t<Array> index, size_t axis) {
    return like(given, take_along(*as_array(given.ptr()), *as_array(index.ptr()), axis));
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
  m.def("array_fourier", [](nb::handle_t<Array> given, const std::string& kind, int64_t n, double scale, size_t axis) {
    return like(given, fourier(*as_array(given.ptr()), kind, n, scale, axis));
  });
  m.def("array_sort", [](nb::handle_t<Array> a, bool descending, size_t axis) {
    return like(a, sorted(*as_array(a.ptr()), descending, axis));
  });
  m.def("array_argsort", [](nb::handle_t<Array> a, bool descending, size_t axis) {
    return like(a, sorted_places(*as_array(a.ptr()), descending, axis));
  });
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
  m.def("array_running",
        [](nb::handle_t<Array> a, const std::string& op, size_t axis) { return like(a, running(*as_array(a.ptr()), op, axis)); });
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
