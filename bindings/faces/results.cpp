#include "bindings/faces/results.h"

#include "bindings/door.h"
#include "bindings/faces/matrices.h"
#include "bindings/faces/read.h"
#include "core/error.h"
#include "core/room.h"
#include "functions/steps.h"
#include "graph/memory_order.h"

namespace quern::python::faces {

namespace {

// Is the result an array that the caller asks for as a whole? What is computed element by element may never be in memory: a sum
// of it takes the numbers as they are made.
bool needs_room(const Reading& reading, const Array& result) {
  const Family family = reading.family();
  // quern's own equal numbers take none before work needs them, and sums of them never do; those of other front ends are an
  // error.
  if (family == Family::creates && reading.front_end.type == nullptr) return false;
  if (family == Family::repeats) return reading.first && result.cell() != reading.first->cell();
  return family != Family::elementwise && family != Family::views && family != Family::turned;
}

nb::object object_of(const Reading& reading, Array&& result) {
  if (needs_room(reading, result)) check_room(result.size(), result.dtype(), result.device());
  const bool is_plain =
      &reading.front_end == &cupy && std::string_view(reading.face.name).ends_with("_like");  // also of subclasses
  if (reading.type || !reading.beside || is_plain) {
    result.settle_owner();
    return nb::steal(wrap(std::move(result), reading.type ? reading.type : reading.front_end.type));
  }
  const bool is_view = reading.family() >= Family::views;
  if (!is_view) result.settle_owner();
  PyTypeObject* type = Py_TYPE(reading.beside);
  if (type == array_type && reading.front_end.type) return nb::steal(wrap(std::move(result), reading.front_end.type));
  return is_view ? view_of(reading.beside, std::move(result)) : like(reading.beside, std::move(result));
}

void check_out(const Reading& reading, const nb::object& made, PyObject* out) {
  reading.front_end.check_out(reading, *as_array(made.ptr()), out);
}

// Each into its own of `out`, if all of these can take them.
void write_all(const Reading& reading, std::vector<nb::object>& parts) {
  PyObject* out = reading.out();
  if (!out || out == Py_None) return;
  const std::string name = torchs_name(reading.face);
  if (as_array(out) || !PySequence_Check(out))
    raise(ErrorKind::type, "{}(): argument 'out' must be tuple of Tensors, not {}", name, Py_TYPE(out)->tp_name);
  nb::object all = nb::steal(PySequence_Tuple(out));
  if (!all.is_valid()) throw nb::python_error();
  for (nb::handle one : all)
    if (!as_array(one.ptr()))
      raise(ErrorKind::type, "{}(): argument 'out' must be tuple of Tensors, but it holds {}", name, Py_TYPE(one.ptr())->tp_name);
  if (nb::len(all) != parts.size())
    raise(ErrorKind::type, "expected tuple of {} elements but got {}", parts.size(), nb::len(all));
  for (size_t i = 0; i < parts.size(); ++i) check_out(reading, parts[i], PyTuple_GET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i)));
  for (size_t i = 0; i < parts.size(); ++i) {
    PyObject* taker = PyTuple_GET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i));
    parts[i] = reading.front_end.write_out(reading, std::move(parts[i]), taker);
  }
}

// As tuple.__new__ makes one of a class of tuples.
nb::object tuple_of(const Reading& reading, std::vector<nb::object>&& parts) {
  const std::string name = is_torch(reading) ? torchs_name(reading.face) : reading.face.name;
  PyObject* types = reading.front_end.tuples;
  PyObject* type = types ? PyDict_GetItemString(types, name.c_str()) : nullptr;
  auto count = static_cast<Py_ssize_t>(parts.size());
  if (!type) type = reinterpret_cast<PyObject*>(&PyTuple_Type);
  nb::object made = nb::steal(reinterpret_cast<PyTypeObject*>(type)->tp_alloc(reinterpret_cast<PyTypeObject*>(type), count));
  if (!made.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(made.ptr(), i, parts[static_cast<size_t>(i)].release().ptr());
  return made;
}

}  // namespace

// Results that PyTorch places by a rule of the function's own: in C order, as the first tensor lies, or in its memory format.
static LayoutRef torchs_place(const Reading& reading, const Array& result) {
  using enum quern::Function;
  switch (reading.function) {
    case tril_:
    case triu_:
    case layer_norm_:
    case instance_norm_:
    case log_sigmoid_:
    case rrelu_:
    case one_hot_classes_:
    case normal_around_:
    case gradient_:
      return contiguous_layout(result.shape());
    case sort_along_:
    case argsort_along_:
    case msort_:
    case round_:
    case prelu_:
    case huber_loss_:
    case binary_cross_entropy_with_logits_:
    case gaussian_nll_loss_:
      return result.shape() == reading.first->shape() ? layout_beside(*reading.first, result.shape()) : result.layout_ref();
    case roll_:
      if (PySequence_Check(reading.slots[2]) && PySequence_Size(reading.slots[2]) == 0)
        return contiguous_layout(result.shape());  // of all elements in one line
      [[fallthrough]];
    case fftshift_:
    case ifftshift_:
    case rms_norm_:
    case batch_norm_:
    case group_norm_:
    case pixel_shuffle_:
    case pixel_unshuffle_:
    case channel_shuffle_:
      return format_beside(*reading.first, result.shape());
    default:
      return result.layout_ref();
  }
}
static Array placed(const Reading& reading, Array&& result) {
  if (!is_torch(reading)) return std::move(result);
  const LayoutRef place = torchs_place(reading, result);
  return place == result.layout_ref() ? std::move(result) : arranged(result, place);
}

// NumPy's broadcast_to gives each axis of one element the stride 0, also those that its argument has.
static Array without_steps_along_ones(const Array& array) {
  Layout layout = array.layout();
  for (size_t axis = 0; axis < layout.rank(); ++axis)
    if (layout.shape[axis] == 1) layout.strides[axis] = 0;
  return array.view(std::move(layout));
}

// The object made of a result, which is not written into `out` yet.
static nb::object finished(const Reading& reading, Array&& result) {
  const FrontEnd& front_end = reading.front_end;
  const Family family = reading.family();
  if (reading.is_in_place()) {
    front_end.write_in_place(*as_array(reading.beside), result);
    return nb::borrow(reading.beside);
  }
  if (family == Family::elementwise) {
    // A body that works in the array's own memory, as nan_to_num(copy=False), gives the array itself.
    if (result.cell() == reading.first->cell() && result.layout() == reading.first->layout()) return nb::borrow(reading.beside);
    const bool is_array = reading.function == quern::Function::where_;  // of NumPy's, too
    if (result.rank() == 0 && !is_array && door_of(reading.beside).has_numbers) result.set_value(true);
  }
  if (is_torch(reading)) result = placed(reading, std::move(result));
  if (family == Family::algebra) {
    if (reading.front_end.settle) reading.front_end.settle(reading, result);
    bool is_number = reading.function != quern::Function::tensorsolve_ && door_of(reading.beside).has_numbers;
    if (result.rank() == 0 && is_number) result.set_value(true);
  }
  if (family == Family::turned && front_end.copies_turned) result = copied(result, result.dtype(), Order::keep);
  const bool may_copy = family == Family::repeats || reading.function == quern::Function::meshgrid_;
  const bool is_new = may_copy && result.cell() != reading.first->cell();
  if (family == Family::moves || is_new) {
    result.settle_owner();  // what the body made it of is gone
    result.set_value(false);
  }
  if (family == Family::repeats && !is_new) {
    const bool as_numpy = door_of(reading.beside).broadcasts_read_only;
    if (as_numpy && reading.function == quern::Function::broadcast_to_) result = without_steps_along_ones(result);
    result.set_read_only(reading.first->is_read_only() || as_numpy);
  }
  if (family < Family::views) {
    const DType type = front_end.result_type(reading, result.dtype());
    if (type != result.dtype()) result = astype(result, type);
  }
  return object_of(reading, std::move(result));
}

nb::object hand_back(const Reading& reading, Array&& result) {
  nb::object made = written(reading, finished(reading, std::move(result)));
  if (read_flag(reading, reading.slots[gradient_slot])) want_gradient(*as_array(made.ptr()));
  return made;
}

nb::object written(const Reading& reading, nb::object made) {
  PyObject* out = reading.out();
  if (!out || out == Py_None) return made;
  check_out(reading, made, out);
  return reading.front_end.write_out(reading, std::move(made), out);
}

nb::object hand_back(const Reading& reading, Ranked&& result) {
  return hand_back(reading, std::pair(std::move(result.values), std::move(result.places)));
}

nb::object hand_back(const Reading& reading, std::pair<Array, Array>&& result) {
  std::vector<nb::object> both;
  for (Array* one : {&result.first, &result.second}) both.push_back(object_of(reading, placed(reading, std::move(*one))));
  write_all(reading, both);
  return tuple_of(reading, std::move(both));
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
  Reading one{reading.face, reading.function, reading.front_end, reading.slots};
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
  using F = quern::Function;
  const bool is_list = &reading.front_end == &keras && (reading.function == F::meshgrid_ || reading.function == F::unstack_);
  return is_list ? nb::object(nb::list(out)) : out;
}

nb::object hand_back(const Reading& reading, linalg::Factors&& results) {
  const bool is_pair_of_one = reading.function == quern::Function::qr_ && is_torch(reading);
  if (results.arrays.size() == 1 && is_pair_of_one)  // of mode "r": Q is empty
    results.arrays.insert(results.arrays.begin(), full({0}, steps::whole(0), reading.first->dtype(), reading.first->device()));
  if (results.arrays.size() == 1) return hand_back(reading, std::move(results.arrays[0]));
  if (!results.is_named) return hand_back(reading, std::move(results.arrays));
  std::vector<nb::object> parts;
  for (Array& one : results.arrays) parts.push_back(finished(reading, std::move(one)));
  write_all(reading, parts);
  return tuple_of(reading, std::move(parts));
}

nb::object hand_back(const Reading& reading, linalg::WithStatus&& result) {
  if (result.is_checked) check_status(reading, result.status);
  if (result.has_status) result.results.push_back(result.status);
  if (result.results.size() == 1) return hand_back(reading, std::move(result.results[0]));
  std::vector<nb::object> parts;
  for (Array& one : result.results) parts.push_back(finished(reading, std::move(one)));
  write_all(reading, parts);
  return tuple_of(reading, std::move(parts));
}

nb::object hand_back(const Reading& reading, OneForEach&& results) {
  bool is_list = results.is_always_tuple || (reading.sequence && reading.sequence->is_list);
  bool is_one = results.arrays.size() == 1 && !is_list;
  return is_one ? hand_back_one(reading, 0, std::move(results.arrays[0]), true) : hand_back(reading, std::move(results.arrays));
}

nb::object hand_back(const Reading& reading, Parts&& parts) {
  if (reading.front_end.gives_tuples) return hand_back(reading, std::move(parts.arrays));
  nb::list out;
  for (Array& part : parts.arrays) out.append(hand_back(reading, std::move(part)));
  return out;
}

nb::object hand_back(const Reading& reading, NumbersAndStep&& result) {
  nb::object numbers = hand_back(reading, std::move(result.numbers));
  if (!result.has_step) return numbers;
  if (!result.steps) return nb::make_tuple(numbers, result.step);
  Array& step = *result.steps;
  if (step.rank() == 0) step.set_value(door_of(reading.beside).has_numbers);
  return nb::make_tuple(numbers, object_of(reading, std::move(step)));
}

nb::object hand_back(const Reading& reading, std::optional<Array>&& result) {
  // PyTorch's squeeze gives a tensor of its own.
  if (!result && is_torch(reading) && reading.function == quern::Function::squeeze_)
    result = reading.first->view(reading.first->layout());
  const bool has_type = result || !reading.front_end.type || Py_TYPE(reading.beside) != array_type;
  if (!has_type) result = reading.first->view(reading.first->layout());
  return result ? hand_back(reading, std::move(*result)) : nb::borrow(reading.beside);
}

}  // namespace quern::python::faces
