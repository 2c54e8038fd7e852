// NumPy's structured and void types: which of ours they are, and views of fields. Python names the types
// (quern/arrays/records.py).
#include "graph/records.h"

#include "bindings/arrays.h"
#include "bindings/call_errors.h"
#include "bindings/records.h"
#include "core/error.h"

namespace quern::python {

namespace {

struct NumpyType {
  nb::object object;
  std::string format;  // of the buffer protocol; empty where it has none
};

// By the number of our type; kept for good, as ours are.
std::vector<NumpyType>& numpy_types() {
  static auto* all = new std::vector<NumpyType>;
  return *all;
}

const NumpyType& numpy_type(DType record) { return numpy_types().at(static_cast<size_t>(natural_of(record)) - first_record); }

nb::object* fields_of = nullptr;

// (name of the field, its type's name, offset, shape) for each. `joined`: the name of that type, or "".
std::string define(const std::string& text, size_t size, nb::list given, const std::string& joined, nb::object object,
                   std::string format) {
  std::vector<RecordField> fields;
  for (nb::handle one : given) {
    fields.push_back({nb::cast<std::string>(nb::object(one[0])), dtype_of(nb::cast<std::string>(nb::object(one[1]))),
                      nb::cast<int64_t>(nb::object(one[2])), nb::cast<Shape>(nb::object(one[3]))});
  }
  auto number = static_cast<size_t>(record_type(text, size, std::move(fields), dtype_named(joined))) - first_record;
  std::vector<NumpyType>& all = numpy_types();
  if (all.size() <= number) all.resize(number + 1);
  all[number] = {std::move(object), std::move(format)};
  return text;
}

}  // namespace

nb::object numpy_type_of(DType record) { return numpy_type(record).object; }
const std::string& buffer_format_of(DType record) { return numpy_type(record).format; }

nb::object fields_by_names(nb::handle array, nb::handle names) { return (*fields_of)(array, names); }

void init_records(nb::module_& m) {
  m.def("record_type", &define, "The name of a structured type, which is made when it is new.");
  m.def("set_fields_maker", [](nb::object make) { fields_of = new nb::object(std::move(make)); });
  m.def("array_viewed_as",
        [](nb::handle given, const Shape& shape, const std::vector<int64_t>& strides, int64_t offset, const std::string& as) {
          return like(given, view_of_bytes(array_operand(given), shape, strides, offset, dtype_of(as)));
        });
}

}  // namespace quern::python
