// Indexing: integers, slices, None and ... make views; arrays of integers and bools pick elements.
#include <algorithm>
#include <cstring>

#include "bindings/arrays.h"
#include "core/error.h"
#include "run/calls/indexing.h"

namespace quern::python {

// Where a bool array is true: an index for each of its axes.
std::vector<Array> indices_of(const Array& mask) {
  Array flat = true_positions(mask);
  std::vector<Array> out(mask.rank());
  Array left = flat;
  for (size_t d = mask.rank(); d-- > 0;) {
    if (d == 0) {
      out[d] = left;
      break;
    }
    Scalar size;
    size.kind = WeakScalar::integer;
    size.integer = std::max<int64_t>(mask.shape()[d], 1);
    Argument both[] = {Argument(left), Argument(size)};
    out[d] = elementwise(Op::remainder, both);
    left = elementwise(Op::floor_divide, both);
  }
  return out;
}

namespace {

// A key taken apart. `layout` is the view by its basic parts, in which each array indexes an axis.
struct Index {
  Layout layout;
  std::vector<Pick> picks;
  size_t picks_at = 0;          // where their shape goes in the result
  bool all_integers = false;    // every dimension was picked by an integer
  const Array* mask = nullptr;  // the only part is a bool array of the whole shape
  nb::object mask_owner;
};

enum class Part { dots, none, slice, integer, array };

bool is_numpy_array(PyObject* part) { return std::strcmp(Py_TYPE(part)->tp_name, "numpy.ndarray") == 0; }

Part kind_of(PyObject* part) {
  if (part == Py_Ellipsis) return Part::dots;
  if (part == Py_None) return Part::none;
  if (PySlice_Check(part)) return Part::slice;
  if (PyBool_Check(part)) return Part::array;
  if (Array* array = as_array(part)) return array->rank() == 0 && array->dtype() != DType::boolean ? Part::integer : Part::array;
  if (PyLong_Check(part)) return Part::integer;
  if (is_numpy_array(part) || PyList_Check(part) || PyTuple_Check(part)) return Part::array;
  if (PyIndex_Check(part)) return Part::integer;
  return Part::array;
}

[[noreturn]] void refuse() {
  raise(ErrorKind::index, "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are valid indices");
}

// Indices that come from the host are checked at once.
void check_host_index(PyObject* part, int64_t size, size_t axis) {
  if (as_array(part) || PyBool_Check(part)) return;
  static nb::object* numpy = new nb::object(nb::module_::import_("numpy"));
  nb::object host = numpy->attr("asarray")(nb::handle(part));
  if (nb::cast<std::string>(nb::str(host.attr("dtype").attr("kind"))) == "b" || nb::cast<int64_t>(host.attr("size")) == 0) return;
  for (const char* end : {"min", "max"}) {
    int64_t i = nb::cast<int64_t>(host.attr(end)().attr("item")());
    if (i < -size || i >= size) raise(ErrorKind::index, "index {} is out of bounds for axis {} with size {}", i, axis, size);
  }
}

// An index array as one of ours.
nb::object index_array(PyObject* part, int8_t device) {
  nb::object owner = nb::borrow(part);
  if (!as_array(part)) {
    Operand made;
    if (!is_numpy_array(part) && !PyList_Check(part) && !PyTuple_Check(part) && !PyBool_Check(part)) refuse();
    static nb::object* numpy = new nb::object(nb::module_::import_("numpy"));
    nb::object host = numpy->attr("asarray")(owner);
    std::string kind = nb::cast<std::string>(nb::str(host.attr("dtype").attr("kind")));
    if (nb::cast<int64_t>(host.attr("size")) == 0 && !is_numpy_array(part))
      host = host.attr("astype")("int64");
    else if (kind != "b" && kind != "i" && kind != "u") {
      if (is_numpy_array(part)) raise(ErrorKind::index, "arrays used as indices must be of integer (or boolean) type");
      refuse();
    }
    owner = array_of(host.ptr());
  }
  const Array& array = *as_array(owner.ptr());
  if (!is_integer(array.dtype()) && array.dtype() != DType::boolean)
    raise(ErrorKind::index, "arrays used as indices must be of integer (or boolean) type");
  if (array.device() != device)
    raise(ErrorKind::value, "[index] the index is on another device than the array; move one with to_device()");
  return owner;
}

Index read(const Array& array, PyObject* key) {
  PyObject* one[] = {key};
  std::span<PyObject*> parts(one);
  if (PyTuple_Check(key)) parts = {reinterpret_cast<PyTupleObject*>(key)->ob_item, static_cast<size_t>(PyTuple_GET_SIZE(key))};

  size_t used = 0;
  bool dots = false, advanced = false;
  std::vector<nb::object> arrays(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    switch (kind_of(parts[i])) {
      case Part::dots:
        if (dots) raise(ErrorKind::index, "an index can only have a single ellipsis ('...')");
        dots = true;
        break;
      case Part::none:
        break;
      case Part::array: {
        arrays[i] = index_array(parts[i], array.device());
        const Array& index = *as_array(arrays[i].ptr());
        used += index.dtype() == DType::boolean ? index.rank() : 1;
        advanced = true;
        break;
      }
      default:
        ++used;
    }
  }
  if (used > array.rank())
    raise(ErrorKind::index, "too many indices for array: array is {}-dimensional, but {} were indexed", array.rank(), used);

  Index out;
  out.layout = array.layout();
  Layout& layout = out.layout;
  if (advanced && parts.size() == 1) {
    const Array& index = *as_array(arrays[0].ptr());
    if (index.dtype() == DType::boolean && index.rank() > 0 && index.shape() == array.shape()) {
      out.mask = &index;
      out.mask_owner = arrays[0];
    }
  }
  size_t axis = 0, gone = 0, last_pick = 0, from = 0;
  bool side_by_side = true;
  // With arrays among the parts, integers are picks too.
  auto pick = [&](Array index, size_t part) {
    if (out.picks.empty()) {
      out.picks_at = axis;
    } else if (part > last_pick + 1) {
      side_by_side = false;
    }
    last_pick = part;
    out.picks.push_back({axis, std::move(index)});
    ++axis;
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    PyObject* part = parts[i];
    switch (kind_of(part)) {
      case Part::dots:
        axis += array.rank() - used;
        from += array.rank() - used;
        break;
      case Part::none:
        layout.shape.insert(layout.shape.begin() + static_cast<ptrdiff_t>(axis), 1);
        layout.strides.insert(layout.strides.begin() + static_cast<ptrdiff_t>(axis), 0);
        ++axis;
        break;
      case Part::slice: {
        Py_ssize_t start, stop, step;
        if (PySlice_Unpack(part, &start, &stop, &step) != 0) throw nb::python_error();
        Py_ssize_t count = PySlice_AdjustIndices(layout.shape[axis], &start, &stop, step);
        layout = layout.sliced(axis, start, count, step);
        ++axis;
        ++from;
        break;
      }
      case Part::integer: {
        nb::object number = nb::steal(PyNumber_Index(part));
        if (!number.is_valid()) {
          if (!as_array(part)) throw nb::python_error();
          PyErr_Clear();
          refuse();
        }
        Py_ssize_t index = PyLong_AsSsize_t(number.ptr());
        if (index == -1 && PyErr_Occurred()) throw nb::python_error();
        int64_t size = layout.shape[axis];
        if (index < -size || index >= size)
          raise(ErrorKind::index, "index {} is out of bounds for axis {} with size {}", index, from, size);
        if (advanced) {
          Scalar value;
          value.kind = WeakScalar::integer;
          value.integer = index;
          pick(full({}, value, DType::int64, array.device()), i);
        } else {
          layout = layout.without(axis, index < 0 ? index + size : index);
          ++gone;
        }
        ++from;
        break;
      }
      case Part::array: {
        const Array& index = *as_array(arrays[i].ptr());
        if (index.dtype() != DType::boolean) {
          check_host_index(part, layout.shape[axis], from);
          pick(index, i);
          ++from;
          break;
        }
        if (index.rank() == 0) {  // a new axis of one element, or of none
          layout.shape.insert(layout.shape.begin() + static_cast<ptrdiff_t>(axis), 1);
          layout.strides.insert(layout.strides.begin() + static_cast<ptrdiff_t>(axis), 0);
          pick(true_positions(reshape(index, {1})), i);
          break;
        }
        for (size_t d = 0; d < index.rank(); ++d) {
          if (index.shape()[d] != layout.shape[axis + d])
            raise(ErrorKind::index,
                  "boolean index did not match indexed array along axis {}; size of axis is {} but size of corresponding boolean "
                  "axis is {}",
                  from + d, layout.shape[axis + d], index.shape()[d]);
        }
        if (out.mask) break;  // nobody has to know where yet
        for (Array& where : indices_of(index)) {
          pick(std::move(where), i);
          ++from;
        }
        break;
      }
    }
  }
  if (!side_by_side) out.picks_at = 0;
  out.all_integers = gone > 0 && layout.rank() == 0 && !dots;
  return out;
}

// The picks' shape comes first; this puts it where it belongs.
Array placed(const Array& picked, const Index& index, size_t pick_rank) {
  if (index.picks_at == 0) return picked;
  std::vector<int> order;
  int rank = static_cast<int>(picked.rank()), first = static_cast<int>(pick_rank), at = static_cast<int>(index.picks_at);
  for (int i = 0; i < at; ++i) order.push_back(first + i);
  for (int i = 0; i < first; ++i) order.push_back(i);
  for (int i = first + at; i < rank; ++i) order.push_back(i);
  return picked.view(picked.layout().transposed(order));
}

size_t picks_rank(const Index& index) {
  size_t rank = 0;
  for (const Pick& pick : index.picks) rank = std::max(rank, pick.index.rank());
  return rank;
}

// The elements of a whole-shape mask, as picks of the flattened array where that is a view.
void resolve_mask(const Array& array, Index& index) {
  if (array.layout().is_contiguous()) {
    index.layout = Layout{{array.size()}, {1}, array.layout().offset};
    index.picks = {{0, true_positions(*index.mask)}};
    return;
  }
  std::vector<Array> where = indices_of(*index.mask);
  for (size_t d = 0; d < where.size(); ++d) index.picks.push_back({d, where[d]});
}

}  // namespace

PyTypeObject* item_view_type = nullptr;

PyObject* get_array_item(PyObject* self, PyObject* key) {
  return guarded([&] {
    const Array& array = *as_array(self);
    Index index = read(array, key);
    if (index.mask) resolve_mask(array, index);
    Array view = array.view(index.layout);
    if (!index.picks.empty()) return wrap(placed(take(view, index.picks), index, picks_rank(index)), Py_TYPE(self));
    // Where NumPy gives a scalar: a value of its own, that later writes do not change. CuPy gives a view.
    if (index.all_integers && !(item_view_type && PyType_IsSubtype(Py_TYPE(self), item_view_type))) {
      view = astype(view, view.dtype());
      view.set_value(true);
    }
    return wrap(std::move(view), Py_TYPE(self));
  });
}

int set_array_item(PyObject* self, PyObject* key, PyObject* value) {
  try {
    if (!value) raise(ErrorKind::value, "cannot delete array elements");
    const Array& array = *as_array(self);
    Index index = read(array, key);
    if (array.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
    Array view = array.view(index.layout);
    Operand operand;
    if (!index.mask && index.picks.empty()) {
      // x[i] += y comes here with the view that was just written.
      if (Array* same = as_array(value); same && same->cell() == view.cell() && same->layout() == view.layout()) return 0;
      operand.read(value, true);
      if (const Array* given = operand.argument().array(); index.all_integers && given && given->rank() > 0)
        raise(ErrorKind::value, "setting an array element with a sequence.");
      assign(view, operand.argument());
      return 0;
    }
    operand.read(value, true);
    if (index.mask && (operand.is_scalar() || operand.argument().array()->size() == 1)) {
      // One value where the mask is true: nobody has to count.
      Array one = operand.is_scalar() ? Array() : reshape(*operand.argument().array(), {});
      Argument parts[] = {Argument(*index.mask), one ? Argument(one) : operand.argument(), Argument(array)};
      elementwise(Op::where, parts, &array, Loop{array.dtype(), array.dtype()});
      return 0;
    }
    if (index.mask) {
      resolve_mask(array, index);
      view = array.view(index.layout);
      int64_t picked = index.picks[0].index.size();
      const Array& given = *operand.argument().array();
      if (given.rank() > 1 || given.size() != picked)
        raise(ErrorKind::value,
              "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values "
              "where the mask is true",
              given.size(), picked);
    }
    if (size_t at = index.picks_at; at > 0 && !operand.is_scalar()) {
      // The value's axes as the picked array has them: the picks' first.
      const Array& given = *operand.argument().array();
      size_t first = picks_rank(index), rank = first + view.rank() - index.picks.size();
      if (given.rank() > rank) {
        put(view, index.picks, Argument(given));  // says what does not fit
        return 0;
      }
      Layout layout = given.layout();
      while (layout.rank() < rank) {
        layout.shape.insert(layout.shape.begin(), 1);
        layout.strides.insert(layout.strides.begin(), 0);
      }
      std::vector<int> order;
      for (size_t i = 0; i < first; ++i) order.push_back(static_cast<int>(at + i));
      for (size_t i = 0; i < at; ++i) order.push_back(static_cast<int>(i));
      for (size_t i = at + first; i < rank; ++i) order.push_back(static_cast<int>(i));
      put(view, index.picks, Argument(given.view(layout.transposed(order))));
      return 0;
    }
    put(view, index.picks, operand.argument());
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

}  // namespace quern::python
