// Calls of einsum(): subscripts are a text before the operands, or lists of numbers behind each of them.
#include "functions/einsum.h"
#include "bindings/faces/matrices.h"
#include "bindings/faces/operands.h"
#include "bindings/given.h"
#include "core/error.h"
#include "functions/steps.h"

#include <algorithm>

namespace quern::python::faces {

namespace {

void refuse_as_torch(const EinsumFault& fault) {
  using Kind = EinsumFault::Kind;
  const std::string& label = fault.label;
  switch (fault.kind) {
    case Kind::letter:
      if (label == ".")
        raise(ErrorKind::runtime, "einsum(): found '.' for operand {} that is not part of any ellipsis", fault.operand);
      raise(ErrorKind::runtime,
            "einsum(): invalid subscript given in the equation string, subscripts must be in [a-zA-Z], not {}", label);
    case Kind::arrow:
    case Kind::dots:
      raise(ErrorKind::runtime, "einsum(): the equation has more than one '->', or a part of it");
    case Kind::operands:
      raise(ErrorKind::runtime, "einsum(): {} operands were provided than specified in the equation",
            fault.size > fault.other ? "more" : "fewer");
    case Kind::too_many:
    case Kind::too_few:
      if (!label.empty())
        raise(ErrorKind::runtime,
              "einsum(): the number of subscripts in the equation ({}) is more than the number of dimensions ({}) for operand {}",
              fault.size, fault.other, fault.operand);
      raise(ErrorKind::runtime,
            "einsum(): the number of subscripts in the equation ({}) does not match the number of dimensions ({}) for operand {} "
            "and "
            "no ellipsis was given",
            fault.size, fault.other, fault.operand);
    case Kind::repeated_output:
      raise(ErrorKind::runtime, "einsum(): output subscript {} appears more than once in the output", label);
    case Kind::unknown_output:
      raise(ErrorKind::runtime, "einsum(): output subscript {} does not appear in the equation for any input operand", label);
    case Kind::repeated:
      raise(ErrorKind::runtime, "einsum(): subscript {} is repeated for operand {} but the sizes don't match, {} != {}", label,
            fault.operand, fault.other, fault.size);
    case Kind::sizes:
      raise(ErrorKind::runtime,
            "einsum(): subscript {} has size {} for operand {} which does not broadcast with previously seen size {}", label,
            fault.other, fault.operand, fault.size);
  }
}

// ValueError in PyTorch, too.
[[noreturn]] void refuse_value(const char* text) {
  PyErr_SetString(PyExc_ValueError, text);
  throw nb::python_error();
}

// The subscripts in a list of numbers, each a letter.
std::string letters_of(nb::handle numbers) {
  static constexpr std::string_view numpys = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string out;
  nb::object all = nb::steal(PySequence_Tuple(numbers.ptr()));
  if (!all.is_valid()) throw nb::python_error();
  for (nb::handle one : all) {
    int64_t number = one.is(nb::ellipsis()) ? -1 : nb::cast<int64_t>(nb::int_(one));
    if (number >= 52 || (number < 0 && !one.is(nb::ellipsis())))
      refuse_value("einsum(): subscript in subscript list is not within the valid range [0, 52)");
    out += number < 0 ? std::string("...") : std::string(1, numpys[static_cast<size_t>(number)]);
  }
  return out;
}

// Has the result every subscript of the only operand?
bool sums_nothing(const std::string& text) {
  const size_t arrow = text.find("->");
  const std::string given = text.substr(0, arrow), kept = arrow == std::string::npos ? "" : text.substr(arrow + 2);
  for (char c : given) {
    if (c == ' ' || c == '.') continue;
    if (arrow != std::string::npos ? kept.find(c) == std::string::npos : std::count(given.begin(), given.end(), c) != 1)
      return false;
  }
  return arrow == std::string::npos || given.find("...") == std::string::npos || kept.find("...") != std::string::npos;
}

// The type that is computed in, which the operands must be cast to by NumPy's rule.
std::optional<DType> type_of_sum(const Reading& reading, PyObject* dtype, PyObject* casting) {
  if ((!dtype || dtype == Py_None) && (!casting || nb::cast<std::string>(nb::handle(casting)) == "safe")) return {};
  nb::object numpy = nb::module_::import_("numpy"), types = nb::list();
  for (const nb::object& one : reading.sequence->objects) types.attr("append")(one.attr("dtype"));
  nb::object common = dtype && dtype != Py_None ? numpy.attr("dtype")(nb::handle(dtype)) : numpy.attr("result_type")(*types);
  for (nb::handle one : types)
    if (!nb::cast<bool>(numpy.attr("can_cast")(one, common, nb::handle(casting))))
      raise(ErrorKind::type, "Iterator operand required copying or buffering, but {} does not cast to {} by '{}'",
            nb::str(one).c_str(), nb::str(common).c_str(), nb::str(nb::handle(casting)).c_str());
  return read_dtype(reading, common.ptr());
}

// PyTorch has no sums of products of tensors of several types.
void check_types_as_torch(const std::vector<Array>& operands) {
  for (const Array& one : operands)
    if (one.dtype() != operands[0].dtype())
      raise(ErrorKind::runtime, "einsum(): expected operands of one type, found torch.{} and torch.{}; convert one with .to()",
            row(operands[0].dtype()).name, row(one.dtype()).name);
}

// Keras computes operands in one type; bytes alone are summed in 32 bits.
void convert_as_keras(const Reading& reading, std::vector<Array>& operands) {
  if (&reading.front_end != &keras) return;
  std::vector<OperandType> types;
  for (const Array& one : operands) types.push_back({one.dtype()});
  const bool are_bytes = std::all_of(types.begin(), types.end(), [](const OperandType& one) { return one.dtype == DType::int8; });
  const DType type = are_bytes ? DType::int32 : keras_type_of(types);
  for (Array& one : operands) one = steps::as_type(one, type);
}

}  // namespace

EinsumCall read_einsum(Reading& reading) {
  PyObject *given = reading.take(), *equation = reading.take(), *optimize = reading.take(), *dtype = reading.take();
  PyObject *order = reading.take(), *casting = reading.take();
  EinsumCall call;
  if (is_torch(reading)) call.rules = {refuse_as_torch, true, true};
  std::vector<nb::object> all;
  if (equation) all.push_back(nb::borrow(equation));
  nb::object rest = nb::borrow(given);
  PyObject* only = equation && PyUnicode_Check(equation) && PyTuple_GET_SIZE(given) == 1 ? PyTuple_GET_ITEM(given, 0) : nullptr;
  if (only && (PyList_Check(only) || PyTuple_Check(only))) rest = nb::steal(PySequence_Tuple(only));
  for (nb::handle one : rest) all.push_back(nb::borrow(one));
  const bool has_text = !all.empty() && PyUnicode_Check(all[0].ptr());
  if (is_torch(reading) && !has_text && !all.empty() && !as_array(all[0].ptr()) && !PySequence_Check(all[0].ptr()))
    raise(ErrorKind::type, "einsum(): argument 'equation' (position 1) must be str, not {}", Py_TYPE(all[0].ptr())->tp_name);
  nb::list operands;
  if (has_text) {
    call.subscripts = nb::cast<std::string>(all[0]);
    for (size_t i = 1; i < all.size(); ++i) operands.append(all[i]);
  } else {
    for (size_t i = 0; i + 1 < all.size(); i += 2) {
      operands.append(all[i]);
      call.subscripts += (i ? "," : "") + letters_of(all[i + 1]);
    }
    if (all.size() % 2 && all.size() > 1) call.subscripts += "->" + letters_of(all.back());
  }
  if (nb::len(operands) == 0)
    refuse_value(
        "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list");
  call.operands = read_sequence(reading, operands.ptr());
  convert_as_keras(reading, call.operands);
  if (order) call.order = order_of(order, Order::keep);
  const bool is_view = call.operands.size() == 1 && !is_torch(reading) && !(reading.out() && reading.out() != Py_None);
  if (is_view && sums_nothing(call.subscripts)) return call;  // whatever the type, as NumPy has it
  if (is_torch(reading)) check_types_as_torch(call.operands);
  if (!is_torch(reading)) call.dtype = type_of_sum(reading, dtype, casting);
  if (call.operands.size() < 3 || !optimize || optimize == Py_False) return call;
  nb::object steps = nb::module_::import_("quern.arrays.linalg.contraction").attr("steps_of");
  nb::list objects;
  for (const nb::object& one : reading.sequence->objects) objects.append(one);
  for (nb::handle step : steps(call.subscripts, objects, nb::handle(optimize)))
    call.steps.emplace_back(nb::cast<int>(step[0]), nb::cast<int>(step[1]));
  return call;
}

}  // namespace quern::python::faces
