#include "bindings/faces/results.h"

#include "bindings/door.h"
#include "core/error.h"
#include "functions/steps.h"
#include "graph/memory_order.h"

namespace quern::python::faces {

nb::object hand_back(const Reading& reading, Array&& result) {
  const FrontEnd& front_end = reading.front_end;
  const Family family = reading.family();
  if (family == Family::turned && front_end.copies_turned) result = copied(result, result.dtype(), Order::keep);
  if (family == Family::repeats)
    result.set_read_only(reading.first->is_read_only() || door_of(reading.beside).broadcasts_read_only);
  if (family < Family::views) result = steps::as_type(result, front_end.result_type(reading, result.dtype()));
  PyTypeObject* type = Py_TYPE(reading.beside);
  bool is_plain = type == array_type && front_end.type;
  nb::object made = is_plain                 ? nb::steal(wrap(std::move(result), front_end.type))
                    : family < Family::views ? like(reading.beside, std::move(result))
                                             : view_of(reading.beside, std::move(result));
  PyObject* out = reading.out();
  return out && out != Py_None ? nb::handle(front_end.write)(made, nb::handle(out), reading.face.name) : made;
}

nb::object hand_back(const Reading& reading, std::optional<Array>&& result) {
  return result ? hand_back(reading, std::move(*result)) : nb::borrow(reading.beside);
}

}  // namespace quern::python::faces
