// Data types and layouts, for the tests: NumPy is their oracle.
#include "core/dtype.h"
#include "core/error.h"
#include "core/layout.h"
#include "core/overlap.h"

#include "bindings/objects.h"

namespace quern::python {

namespace {

DType dtype_of(const std::string& name) {
  auto found = dtype_named(name);
  if (!found) raise(ErrorKind::type, "[dtype] data type '{}' not understood", name);
  return *found;
}

}  // namespace

void init_types(nb::module_& m) {
  m.def("dtype_names", [] {
    std::vector<std::string> names;
    for (const DTypeRow& r : dtype_rows) names.emplace_back(r.name);
    return names;
  });
  m.def("promote_types",
        [](const std::string& a, const std::string& b) { return std::string(row(promote(dtype_of(a), dtype_of(b))).name); });
  m.def("promote_weak", [](const std::string& a, int kind) {
    return std::string(row(promote(dtype_of(a), static_cast<WeakScalar>(kind))).name);
  });
  m.def("can_cast_safely", [](const std::string& a, const std::string& b) { return can_cast_safely(dtype_of(a), dtype_of(b)); });

  nb::class_<Layout>(m, "Layout")
      .def("__init__", [](Layout* self, Shape shape, std::vector<int64_t> strides,
                          int64_t offset) { new (self) Layout{std::move(shape), std::move(strides), offset}; })
      .def_static("contiguous", &Layout::contiguous)
      .def_ro("shape", &Layout::shape)
      .def_ro("strides", &Layout::strides)
      .def_ro("offset", &Layout::offset)
      .def("size", &Layout::size)
      .def("is_contiguous", &Layout::is_contiguous)
      .def("is_fortran", &Layout::is_fortran)
      .def("extent", &Layout::extent)
      .def("transposed", [](const Layout& l, std::vector<int> axes) { return l.transposed(axes); })
      .def("sliced", &Layout::sliced)
      .def("without", &Layout::without)
      .def("broadcast_to", &Layout::broadcast_to)
      .def("reshaped", &Layout::reshaped);
  m.def("broadcast_shapes", [](std::vector<Shape> shapes) { return broadcast_shapes(shapes); });
  m.def("overlap", &overlap, nb::arg("a"), nb::arg("bytes_a"), nb::arg("b"), nb::arg("bytes_b"), nb::arg("work") = -1);
  m.def("collapse", [](std::vector<Layout> layouts) {
    collapse(layouts);
    return layouts;
  });
}

}  // namespace quern::python
