#include "bindings/faces/results.h"

#include "bindings/door.h"
#include "core/error.h"
#include "functions/steps.h"

namespace quern::python::faces {

nb::object hand_back(const Reading& reading, Array&& result) {
  const FrontEnd& front_end = reading.front_end;
  if (reading.face.is_in_place) {
    front_end.write_in_place(*as_array(reading.beside), result);
    return nb::borrow(reading.beside);
  }
  if (reading.family() == Family::elementwise) {
    // A body that works in the array's own memory, as nan_to_num(copy=False), gives the array itself.
    if (result.cell() == reading.first->cell() && result.layout() == reading.first->layout()) return nb::borrow(reading.beside);
    if (result.rank() == 0 && door_of(reading.beside).has_numbers) result.set_value(true);
  }
  result = steps::as_type(result, front_end.result_type(reading, result.dtype()));
  PyTypeObject* type = Py_TYPE(reading.beside);
  bool is_plain = type == array_type && front_end.type;
  nb::object made = is_plain ? nb::steal(wrap(std::move(result), front_end.type)) : like(reading.beside, std::move(result));
  return written(reading, std::move(made));
}

nb::object written(const Reading& reading, nb::object made) {
  PyObject* out = reading.out();
  return out && out != Py_None ? nb::handle(reading.front_end.write)(made, nb::handle(out), reading.face.name) : made;
}

}  // namespace quern::python::faces
