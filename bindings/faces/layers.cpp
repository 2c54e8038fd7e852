// What PyTorch refuses of the arguments of dropout and embeddings before a body runs, in its words, and what it warns
// of.
#include <algorithm>
#include <cmath>

#include "bindings/faces/networks.h"
#include "bindings/faces/statistics.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"
#include "functions/steps.h"

namespace quern::python::faces {

namespace {

// dropout2d and dropout3d accept other dimensions still, and warn.
struct Dropped {
  const char *name, *spatial, *inputs;
  size_t least, most;
};
std::optional<Dropped> dropped_by(quern::Function function) {
  using F = quern::Function;
  if (function == F::dropout1d_) return Dropped{"dropout1d", "1 spatial dimension", "2D or 3D", 2, 3};
  if (function == F::dropout2d_) return Dropped{"dropout2d", "2 spatial dimensions", "3D or 4D", 3, 4};
  if (function == F::dropout3d_) return Dropped{"dropout3d", "3 spatial dimensions", "4D or 5D", 4, 5};
  return {};
}

void check_dimensions(const Array& x, const Dropped& by) {
  const std::string name = by.name, rank = std::to_string(x.rank());
  const std::string end = "Note that " + name + " exists to provide channel-wise dropout on inputs with " + by.spatial +
                          ", a channel dimension, and an optional batch dimension (i.e. " + by.inputs + " inputs).";
  if (x.rank() < by.least || x.rank() > by.most) {
    if (by.least == 2) raise(ErrorKind::runtime, "{}: Expected 2D or 3D input, but received a {}D input. {}", name, rank, end);
    warn(PyExc_UserWarning,
         name + ": Received a " + rank + "-D input to " + name +
             ", which is deprecated and will result in an error in a future release. To retain the behavior and "
             "silence this warning, please use dropout instead. " +
             end);
  }
  if (by.least == 3 && x.rank() == 3)
    warn(PyExc_UserWarning,
         "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is "
         "interpreted as shape (N, C, L), where C is the channel dim. Please use dropout1d for it.");
}

// As tensor.type() has it.
std::string type_of(const Array& tensor) {
  return std::string(tensor.device().is_cpu() ? "torch." : "torch.cuda.") + std::string(torch_name_of(tensor.dtype())) + "Tensor";
}

bool is_place(const Array& tensor) { return tensor.dtype() == DType::int64 || tensor.dtype() == DType::int32; }

void check_places(const char* function, const char* name, const Array& places) {
  if (is_place(places)) return;
  raise(ErrorKind::runtime,
        "Expected tensor for argument #1 '{}' to have one of the following scalar types: Long, Int; but got {} instead (while "
        "checking arguments for {})",
        name, type_of(places), function);
}

bool is_row(int64_t row, const Array& table) { return row >= -table.shape()[0] && row < table.shape()[0]; }

}  // namespace

void Check<nn::dropout>::call(const Reading& reading, const Array& x, double p, bool is_training, const random::Stream&) {
  // The functions of nn.functional check for themselves.
  const bool is_functional = *reading.face.submodule != 0 && !std::isnan(p);
  if (!(p >= 0 && p <= 1))
    raise(is_functional ? ErrorKind::value : ErrorKind::runtime, "dropout probability has to be between 0 and 1, but got {}",
          nb::cast<std::string>(nb::str(reading.slots[1])));
  if (const std::optional<Dropped> by = dropped_by(reading.function)) check_dimensions(x, *by);
  const bool is_empty = x.size() == 0 && reading.function != Function::dropout_;
  if (is_training && p != 0 && p != 1 && !is_empty && steps::is_whole(x.dtype()))
    raise(ErrorKind::runtime, "result type Float can't be cast to the desired output type {}", torch_name_of(x.dtype()));
}

void Check<nn::embedding>::call(const Reading& reading, const Array& places, const Array& table, std::optional<int64_t> padding,
                                std::optional<double> max_norm, double, bool, bool) {
  if (table.rank() != 2) raise(ErrorKind::runtime, "'weight' must be 2-D");
  if (max_norm && steps::is_whole(table.dtype()))
    raise(ErrorKind::not_implemented, "norm(): input dtype should be either floating point or complex. Got {} instead.",
          torch_name_of(table.dtype()));
  check_places(reading.face.name, "indices", places);
  if (padding && !is_row(*padding, table)) {
    PyErr_SetString(PyExc_AssertionError, "Padding_idx must be within num_embeddings");
    throw nb::python_error();
  }
}

void Check<nn::embedding_bag>::call(const Reading& reading, const Array& places, const Array& table, const Array* offsets,
                                    std::optional<double>, double, bool, std::optional<std::string_view>, bool,
                                    const Array* weights, bool, std::optional<int64_t> padding) {
  if (table.rank() != 2) return;  // the body says what must have how many dimensions
  check_places(reading.face.name, "indices", places);
  if (offsets) check_places(reading.face.name, "offsets", *offsets);
  if (row(table.dtype()).kind != DTypeKind::real)
    raise(
        ErrorKind::runtime,
        "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but "
        "got {} instead (while checking arguments for embedding_bag)",
        type_of(table));
  if (weights && weights->dtype() != table.dtype())
    raise(
        ErrorKind::runtime,
        "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type "
        "{} does not equal {} (while checking arguments for embedding_bag)",
        type_of(table), type_of(*weights));
  if (padding && !is_row(*padding, table))
    raise(ErrorKind::runtime, "padding_idx must be within the number of embeddings, -{} through {}, but got {}", table.shape()[0],
          table.shape()[0] - 1, *padding);
}

// ---- places in images

void warn_of_corners(const Reading& reading) {
  const bool is_grid = reading.function == quern::Function::affine_grid_;
  PyObject* const given = reading.slots[is_grid ? 2 : 4];
  if (!is_given(given))
    return warn(PyExc_UserWarning,
                "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
                "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.");
  if (!is_grid || given != Py_True) return;
  const std::vector<int64_t> size = read_integers(reading, reading.slots[1]);
  if (size.size() > 3 && *std::min_element(size.begin() + 2, size.end()) == 1)
    warn(PyExc_UserWarning,
         "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
         "intended use case of affine_grid. See the documentation of affine_grid for details.");
}

}  // namespace quern::python::faces
