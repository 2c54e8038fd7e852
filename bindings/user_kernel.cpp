// Elementwise and reduction kernels of the user's. The classes with CuPy's names in python/quern/cupy/ stand on these.
#include "run/user_kernel.h"

#include <deque>

#include "bindings/arrays.h"
#include "bindings/given.h"
#include "core/error.h"
#include "graph/records.h"

namespace quern::python {

namespace {

// The arguments of a call: arrays, and numbers.
struct CallArguments {
  std::vector<Scalar> scalars;
  std::vector<Argument> in;
  std::vector<Array> out;
  std::vector<nb::object> made;  // arrays of what only offers one
  std::deque<Array> copies;      // of numbers that lie anywhere, as fields of packed records do

  CallArguments(nb::handle in_values, nb::handle out_values, const std::string& name) {
    nb::object values = nb::steal(PySequence_Tuple(in_values.ptr()));
    Py_ssize_t count = PyTuple_GET_SIZE(values.ptr());
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* value = PyTuple_GET_ITEM(values.ptr(), i);
      Scalar scalar;
      if (Array* array = as_array(value)) {
        in.emplace_back(lies_anywhere(array->dtype()) ? copies.emplace_back(settled(*array)) : *array);
      } else if (read_scalar(value, scalar)) {
        in.emplace_back(scalar);
      } else if (offers_array(value)) {
        made.push_back(array_of(value));
        in.emplace_back(*as_array(made.back().ptr()));
      } else {
        raise(ErrorKind::type, "[{}] Unsupported type {} of argument {}; pass an array of this device, or a number", name,
              Py_TYPE(value)->tp_name, i + 1);
      }
    }
    values = nb::steal(PySequence_Tuple(out_values.ptr()));
    count = PyTuple_GET_SIZE(values.ptr());
    for (Py_ssize_t i = 0; i < count; ++i) {
      Array* array = as_array(PyTuple_GET_ITEM(values.ptr(), i));
      if (!array) raise(ErrorKind::type, "[{}] Output arguments type must be cupy.ndarray", name);
      out.push_back(*array);
    }
  }
};

nb::list wrap_all(std::vector<Array>&& arrays, nb::handle type) {
  nb::list out;
  for (Array& a : arrays) out.append(nb::steal(wrap(std::move(a), reinterpret_cast<PyTypeObject*>(type.ptr()))));
  return out;
}

nb::list describe(const std::vector<KernelParam>& params) {
  nb::list out;
  for (const KernelParam& p : params)
    out.append(nb::make_tuple(p.name, p.dtype ? std::string(row(*p.dtype).name) : p.type, p.is_raw));
  return out;
}

}  // namespace

void init_user_kernels(nb::module_& m) {
  nb::class_<ElementwiseKernel>(m, "ElementwiseKernel")
      .def(
          "__init__",
          [](ElementwiseKernel* self, const std::string& in, const std::string& out, std::string operation, std::string name,
             std::string preamble, std::string loop_prep, std::string after_loop, bool reduce_dims,
             std::vector<std::string> options, bool is_python) {
            ElementwiseText text{parse_params(in),    parse_params(out),    std::move(operation),  std::move(name),
                                 std::move(preamble), std::move(loop_prep), std::move(after_loop), reduce_dims};
            text.is_python = is_python;
            new (self) ElementwiseKernel(std::move(text), std::move(options));
          },
          nb::arg("in_params"), nb::arg("out_params"), nb::arg("operation"), nb::arg("name"), nb::arg("preamble"),
          nb::arg("loop_prep"), nb::arg("after_loop"), nb::arg("reduce_dims"), nb::arg("options"), nb::arg("is_python") = false)
      .def("call",
           [](ElementwiseKernel& self, nb::handle in, nb::handle out, std::optional<int64_t> size, uint32_t block,
              PyDevice device, nb::handle type) {
             CallArguments arguments(in, out, self.text().name);
             return wrap_all(self.call(arguments.in, arguments.out, size, device.context->id(), block), type);
           })
      .def_prop_ro("in_params", [](const ElementwiseKernel& self) { return describe(self.text().in); })
      .def_prop_ro("out_params", [](const ElementwiseKernel& self) { return describe(self.text().out); })
      .def_prop_ro("fuses", &ElementwiseKernel::fuses)
      .def_prop_ro("codes", &ElementwiseKernel::codes);

  nb::class_<ReductionKernel>(m, "ReductionKernel")
      .def(
          "__init__",
          [](ReductionKernel* self, const std::string& in, const std::string& out, std::string map, std::string reduce,
             std::string post_map, std::string identity, std::string name, std::string reduce_type, std::string preamble,
             std::vector<std::string> options) {
            ReductionText text{parse_params(in),    parse_params(out),   std::move(map),
                               std::move(reduce),   std::move(post_map), std::move(name),
                               std::move(preamble), std::move(identity), std::move(reduce_type)};
            new (self) ReductionKernel(std::move(text), std::move(options));
          },
          nb::arg("in_params"), nb::arg("out_params"), nb::arg("map_expr"), nb::arg("reduce_expr"), nb::arg("post_map_expr"),
          nb::arg("identity"), nb::arg("name"), nb::arg("reduce_type"), nb::arg("preamble"), nb::arg("options"))
      .def("rank",
           [](ReductionKernel& self, nb::handle in) {  // what the arguments broadcast to
             CallArguments arguments(in, nb::make_tuple(), self.text().name);
             std::vector<Shape> shapes;
             for (size_t i = 0; i < arguments.in.size(); ++i)
               if (arguments.in[i].array() && !self.text().in[i].is_raw) shapes.push_back(arguments.in[i].shape());
             return broadcast_shapes(shapes).size();
           })
      .def("call",
           [](ReductionKernel& self, nb::handle in, nb::handle out, std::optional<std::vector<int>> axes, bool keep_dims,
              nb::handle type) {
             CallArguments arguments(in, out, self.text().name);
             return wrap_all(
                 self.call(arguments.in, arguments.out, axes.value_or(std::vector<int>()), !axes.has_value(), keep_dims), type);
           })
      .def_prop_ro("in_params", [](const ReductionKernel& self) { return describe(self.text().in); })
      .def_prop_ro("out_params", [](const ReductionKernel& self) { return describe(self.text().out); })
      .def_prop_ro("reduce_type", [](const ReductionKernel& self) { return self.text().reduce_type; })
      .def_prop_ro("codes", &ReductionKernel::codes);
}

}  // namespace quern::python
