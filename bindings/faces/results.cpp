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
  if (family == Family::moves) {
    result.settle_owner();  // what the body made it of is gone
    result.set_value(false);
  }
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

// One of several results: the argument itself where it is the same view.
static nb::object hand_back_one(const Reading& reading, size_t i, Array&& result, bool may_be_itself) {
  if (!reading.sequence) {
    bool is_number = result.rank() == 0 && door_of(reading.beside).has_numbers && !is_tensor_type(Py_TYPE(reading.beside));
    if (is_number) {  // what an index of NumPy's gives
      result = result.apart();
      result.set_value(true);
    }
    return hand_back(reading, std::move(result));
  }
  Reading one{reading.face, reading.front_end, reading.slots};
  const nb::object& object = reading.sequence->objects[i];
  const Array& array = reading.sequence->arrays[i];
  one.first = &array;
  one.beside = object.ptr();
  bool is_same = may_be_itself && result.cell() == array.cell() && result.layout_ref() == array.layout_ref();
  bool has_type = !reading.front_end.type || Py_TYPE(object.ptr()) != array_type;
  return is_same && has_type ? object : hand_back(one, std::move(result));
}

nb::object hand_back(const Reading& reading, std::vector<Array>&& results) {
  nb::object out = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  if (!out.is_valid()) throw nb::python_error();
  for (size_t i = 0; i < results.size(); ++i)
    PyTuple_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i),
                     hand_back_one(reading, i, std::move(results[i]), &reading.front_end != &torch).release().ptr());
  return out;
}

nb::object hand_back(const Reading& reading, OneForEach&& results) {
  bool is_one = results.arrays.size() == 1 && !reading.sequence->is_list;
  return is_one ? hand_back_one(reading, 0, std::move(results.arrays[0]), true) : hand_back(reading, std::move(results.arrays));
}

nb::object hand_back(const Reading& reading, Parts&& parts) {
  if (reading.front_end.gives_tuples) return hand_back(reading, std::move(parts.arrays));
  nb::list out;
  for (Array& part : parts.arrays) out.append(hand_back(reading, std::move(part)));
  return out;
}

nb::object hand_back(const Reading& reading, std::optional<Array>&& result) {
  // PyTorch's squeeze gives a tensor of its own.
  if (!result && &reading.front_end == &torch && reading.face.function == quern::Function::squeeze_)
    result = reading.first->view(reading.first->layout());
  bool has_type = !reading.front_end.type || Py_TYPE(reading.beside) != array_type;
  if (!result && !has_type) result = reading.first->view(reading.first->layout());
  return result ? hand_back(reading, std::move(*result)) : nb::borrow(reading.beside);
}

}  // namespace quern::python::faces
