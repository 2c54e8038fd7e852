// NumPy's structured types; see records.cpp.
#pragma once

#include "bindings/objects.h"
#include "core/dtype.h"

namespace quern::python {

nb::object numpy_type_of(DType record);
// Empty where the buffer protocol has none, as of fields that overlap.
const std::string& buffer_format_of(DType record);
// a[["x", "y"]]: a view of these fields, made by Python.
nb::object fields_by_names(nb::handle array, nb::handle names);

void init_records(nb::module_& m);

}  // namespace quern::python
