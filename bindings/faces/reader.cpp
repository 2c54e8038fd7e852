// The one reader of calls: a vectorcall type whose objects are faces. A call fills the row's slots on the stack, from the first
// overload that takes its arguments, and calls the row's thunk. Start reading at call().
#include "bindings/autocast.h"
#include "bindings/callable.h"
#include "bindings/faces/distributions.h"
#include "bindings/faces/face.h"
#include "bindings/faces/losses.h"
#include "bindings/functions.h"
#include "bindings/given.h"
#include "core/error.h"

#include <nanobind/eval.h>

#include <algorithm>
#include <array>

namespace quern::python::faces {

namespace {

#include "faces.inc"

constexpr size_t most_parameters = most_slots;

// The names of an overload's parameters as Python has them: the words of a call are the same objects nearly always.
struct Names {
  std::array<PyObject*, most_parameters> first{}, second{};
};
std::vector<PyObject*> default_values;  // of `default_texts`
PyObject* no_value = nullptr;           // NumPy's, which stands for no argument

struct Function : Callable {
  const Face* face;
  FrontEnd* front_end;
  std::vector<Names> names;  // of each overload
  PyObject* weak_references;
  bool binds;           // becomes a method of the object whose class has it
  bool of_state;        // a method of the front end's generator of random numbers as a function
  const CastRow* cast;  // what torch.autocast does to the operands, or null
};
PyTypeObject* function_type = nullptr;

// ---- from a call to slots

bool is_operand(PyObject* value) {
  return as_array(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value) || classified(value).is_number();
}

bool fits(Kind kind, PyObject* value) {
  switch (kind) {
    case Kind::any:
      return true;
    case Kind::array:
      return as_array(value) != nullptr;
    case Kind::operand:
      return is_operand(value);
    case Kind::boolean:
      return PyBool_Check(value);
    case Kind::number:
      return !as_array(value) && PyNumber_Check(value);
    case Kind::integer:
      return PyIndex_Check(value) && !PyBool_Check(value) && !as_array(value);
    case Kind::integers:
      return PyTuple_Check(value) || PyList_Check(value);
    case Kind::arrays:
      return !as_array(value) && (PyTuple_Check(value) || PyList_Check(value));
    case Kind::dtype:
      return dtype_of_object(value) != nullptr;
    case Kind::some:
      return value != Py_None;
    case Kind::nothing:
      return value == Py_None;
    case Kind::own:
      if (value == Py_None) return false;
      return as_array(value) || classified(value).what != Given::What::host_array ||
             nb::cast<int>(nb::handle(value).attr("ndim")) == 0;
  }
  return true;
}

std::optional<size_t> parameter_named(const Overload& overload, const Names& names, PyObject* word) {
  for (size_t i = 0; i < overload.count; ++i)
    if (names.first[i] == word || names.second[i] == word) return i;
  for (size_t i = 0; i < overload.count; ++i)
    for (PyObject* name : {names.first[i], names.second[i]})
      if (name && PyUnicode_Compare(name, word) == 0) return i;
  return {};
}

PyObject* default_of(const Parameter& parameter) {
  return parameter.constant > absent ? default_values[static_cast<size_t>(parameter.constant)] : nullptr;
}

// Fills the slots of one call from one overload.
class Filling {
 public:
  // `rest`: keeps the arguments that one parameter takes together.
  Filling(const Overload& overload, const Names& names, PyObject** slots, nb::object& rest)
      : overload_(overload), names_(names), slots_(slots), rest_(rest) {
    std::fill_n(slots, most_slots, nullptr);
    misfit_.overload = &overload;
  }

  Misfit fill(PyObject* const* args, size_t count, PyObject* words) {
    misfit_.given = count;
    for (size_t i = 0; i < std::min<size_t>(count, overload_.positional); ++i) {
      bool takes_rest = overload_.parameters[i].takes_rest;
      if (!put(i, takes_rest ? together(args + i, count - i, overload_.parameters[i].kind) : args[i], takes_rest)) return misfit_;
      if (takes_rest) count = i + 1;
    }
    if (count > overload_.positional) return fail(Misfit::Why::too_many, 0, nullptr);
    for (Py_ssize_t j = 0, n = words ? PyTuple_GET_SIZE(words) : 0; j < n; ++j) {
      PyObject* word = PyTuple_GET_ITEM(words, j);
      std::optional<size_t> i = parameter_named(overload_, names_, word);
      // No name stands for all arguments together.
      bool is_rest = i && overload_.parameters[*i].takes_rest && overload_.parameters[*i].kind == Kind::arrays;
      if (!i || is_rest) return fail(Misfit::Why::unknown_word, 0, word);
      if (!put(*i, args[misfit_.given + static_cast<size_t>(j)])) return misfit_;
    }
    for (size_t i = 0; i < overload_.count; ++i) {
      const Parameter& parameter = overload_.parameters[i];
      if (slots_[parameter.slot]) continue;
      if (parameter.takes_rest && parameter.kind == Kind::arrays) {
        slots_[parameter.slot] = together(args, 0, Kind::arrays);
        continue;
      }
      if (parameter.constant == required) return fail(Misfit::Why::missing, i, nullptr);
      slots_[parameter.slot] = default_of(parameter);
    }
    return misfit_;
  }

 private:
  // Two parameters may have one slot (ddof and correction): one of them may be given, or its default.
  bool put(size_t i, PyObject* value, bool is_rest = false) {
    const Parameter& parameter = overload_.parameters[i];
    PyObject*& slot = slots_[parameter.slot];
    if (value == no_value) return true;
    if (parameter.slot == ignored_slot) return fits(parameter.kind, value) || (fail(Misfit::Why::wrong_kind, i, value), false);
    if (value == Py_None && parameter.kind != Kind::any && parameter.constant == absent) return true;
    const Parameter* before = filled_by_[parameter.slot];
    if (before && (before == &parameter || slot != default_of(*before))) {
      misfit_.other = before == &parameter ? nullptr : before;
      return fail(Misfit::Why::twice, i, value), false;
    }
    if (parameter.kind != Kind::any && !fits(parameter.kind, value) && !(is_rest && PyIndex_Check(value) && !PyBool_Check(value)))
      return fail(Misfit::Why::wrong_kind, i, value), false;
    filled_by_[parameter.slot] = &parameter;
    slot = value;
    ++misfit_.taken;
    return true;
  }
  PyObject* together(PyObject* const* args, size_t count, Kind kind) {
    if (count == 1 && kind != Kind::arrays) return args[0];
    rest_ = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
    if (!rest_.is_valid()) throw nb::python_error();
    for (size_t i = 0; i < count; ++i) PyTuple_SET_ITEM(rest_.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
    return rest_.ptr();
  }
  const Misfit& fail(Misfit::Why why, size_t parameter, PyObject* value) {
    misfit_.why = why, misfit_.parameter = parameter, misfit_.value = value;
    return misfit_;
  }

  const Overload& overload_;
  const Names& names_;
  PyObject** slots_;
  nb::object& rest_;
  std::array<const Parameter*, most_slots> filled_by_{};
  Misfit misfit_;
};

// The arguments of a call as a tuple and a dict.
std::pair<nb::tuple, nb::dict> arguments_of(PyObject* const* args, size_t count, PyObject* words) {
  nb::list given;
  for (size_t i = 0; i < count; ++i) given.append(nb::handle(args[i]));
  nb::dict named;
  for (Py_ssize_t j = 0, n = words ? PyTuple_GET_SIZE(words) : 0; j < n; ++j)
    named[nb::handle(PyTuple_GET_ITEM(words, j))] = nb::handle(args[count + static_cast<size_t>(j)]);
  return {nb::tuple(given), named};
}
// The same call, made by a function of Python's.
nb::object called_with(PyObject* function, const Face& face, PyObject* const* args, size_t count, PyObject* words,
                       const std::string& reason) {
  const auto [given, named] = arguments_of(args, count, words);
  return nb::handle(function)(face.name, given, named, reason);
}

// A program's own functions inside transforms, as cuFFT's callbacks: NotImplemented where there are none.
PyObject* call_before(const FrontEnd& front_end, const Face& face, PyObject* const* args, size_t count, PyObject* words) {
  return guarded([&] { return called_with(front_end.before_transforms, face, args, count, words, "").release().ptr(); });
}

PyObject* call_noted(Function* function, PyObject* const* args, size_t count, PyObject* words) {
  return guarded([&] {
    const auto [given, named] = arguments_of(args, count, words);
    const nb::object noter = nb::borrow(function->front_end->noter);
    return noter(nb::handle(reinterpret_cast<PyObject*>(function)), given, named).release().ptr();
  });
}

PyObject* fall_back(const Function& function, const Unserved& unserved, PyObject* const* args, size_t count, PyObject* words) {
  const Face& face = *function.face;
  if (!function.front_end->fall_back) raise(ErrorKind::not_implemented, "[{}] is not supported: {}", face.name, unserved.reason);
  return called_with(function.front_end->fall_back, face, args, count, words, unserved.reason).release().ptr();
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flags, PyObject* words);

// PyTorch takes a tensor without dimensions that wants no gradient for the number in it.
bool is_number_in_tensor(const FrontEnd& front_end, const Misfit& misfit) {
  if (&front_end != &torch || misfit.why != Misfit::Why::wrong_kind) return false;
  const Kind kind = misfit.overload->parameters[misfit.parameter].kind;
  const Array* array = as_array(misfit.value);
  if (!array || array->rank() > 0 || wants_gradient(*array)) return false;
  return kind == Kind::number || (kind == Kind::integer && is_integer(array->dtype()));
}

// The call with the number in the place of the tensor that did not fit.
PyObject* call_with_number(PyObject* self, PyObject* tensor, PyObject* const* args, size_t count, PyObject* words) {
  return guarded([&]() -> PyObject* {
    nb::object number = item_of(*as_array(tensor));
    std::vector<PyObject*> all(args, args + count + (words ? static_cast<size_t>(PyTuple_GET_SIZE(words)) : 0));
    *std::find(all.rbegin(), all.rend(), tensor) = number.ptr();
    return call(self, all.data(), count, words);
  });
}

// The slots that an overload filled, with the casts of torch.autocast.
std::vector<nb::object> cast_slots(const CastRow& row, const Overload& overload, PyObject** slots) {
  std::vector<nb::object> kept;
  if (is_given(slots[out_slot])) return kept;
  std::array<PyObject**, most_parameters> values;
  size_t count = 0;
  bool is_said = false;
  for (size_t i = 0; i < overload.count; ++i) {
    const Parameter& parameter = overload.parameters[i];
    const std::string_view name = parameter.name;
    is_said |=
        (name == "dtype" || name == "return_indices") && is_given(slots[parameter.slot]) && slots[parameter.slot] != Py_False;
    if (parameter.slot < in_place_slot) values[count++] = &slots[parameter.slot];
  }
  cast_operands(row, {values.data(), count}, is_said, kept);
  return kept;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flags, PyObject* words) {
  auto* function = reinterpret_cast<Function*>(self);
  const Face& face = *function->face;
  auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
  PyObject* slots[most_slots];
  Misfit worst;
  nb::object rest;
  if (function->front_end->before_transforms && std::string_view(face.submodule) == "fft") {
    PyObject* made = call_before(*function->front_end, face, args, count, words);
    if (made != Py_NotImplemented) return made;
    Py_DECREF(made);
  }
  if (function->front_end->noter) {
    PyObject* made = call_noted(function, args, count, words);
    if (made != Py_NotImplemented) return made;
    Py_DECREF(made);
  }
  for (size_t k = 0; k < face.overload_count; ++k) {
    Misfit misfit = Filling(face.overloads[k], function->names[k], slots, rest).fill(args, count, words);
    if (misfit.why == Misfit::Why::none) {
      return guarded([&] {
        std::vector<nb::object> casts;
        if (casting_regions != 0 && function->cast) casts = cast_slots(*function->cast, face.overloads[k], slots);
        Reading reading{face, face.overloads[k].function, *function->front_end, slots};
        try {
          return row_of(reading.function).thunk(reading).release().ptr();
        } catch (const Unserved& unserved) {
          return fall_back(*function, unserved, args, count, words);
        }
      });
    }
    if (k == 0 || misfit.taken >= worst.taken) worst = misfit;
  }
  if (is_number_in_tensor(*function->front_end, worst)) return call_with_number(self, worst.value, args, count, words);
  function->front_end->refuse_call(face, worst);
  return nullptr;
}

PyObject* call_of_state(PyObject* self, PyObject* const* args, size_t flags, PyObject* words) {
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
  const size_t named = words ? static_cast<size_t>(PyTuple_GET_SIZE(words)) : 0;
  const nb::object state = nb::borrow(reinterpret_cast<Function*>(self)->front_end->generator);
  std::vector<PyObject*> all{state.ptr()};
  all.insert(all.end(), args, args + count + named);
  return call(self, all.data(), count + 1, words);
}

// ---- the type

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  bool binds = object && object != Py_None && reinterpret_cast<Function*>(self)->binds;
  return binds ? PyMethod_New(self, object) : Py_NewRef(self);
}

PyObject* show(PyObject* self) {
  const Face& face = *reinterpret_cast<Function*>(self)->face;
  return PyUnicode_FromFormat("<function %s>", face.name);
}

PyObject* reduce_to_name(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

// Made of its text when somebody asks.
PyObject* signature(PyObject* self, void*) {
  const auto* function = reinterpret_cast<Function*>(self);
  return guarded([&] {
    std::string text = function->face->signature;
    if (function->of_state) text.erase(1, text.find_first_not_of(", ", std::string_view("(self").size()) - 1);
    return nb::module_::import_("quern.arrays.signatures").attr("signature_of")(text).release().ptr();
  });
}

void destroy(PyObject* self) {
  if (reinterpret_cast<Function*>(self)->weak_references) PyObject_ClearWeakRefs(self);
  std::destroy_at(&reinterpret_cast<Function*>(self)->names);
  Callable::destroy(self);
}

PyMemberDef members[] = {
    Callable::members[0],
    Callable::members[1],
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Function, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyMethodDef methods[] = {
    {"__reduce__", reduce_to_name, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__signature__", signature, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot type_slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_repr, reinterpret_cast<void*>(show)},
    {Py_tp_traverse, reinterpret_cast<void*>(Callable::traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Callable::clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"quern.array_function", sizeof(Function), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_METHOD_DESCRIPTOR,
                    type_slots};

PyObject* interned(const char* text) {
  if (!text) return nullptr;
  PyObject* made = PyUnicode_InternFromString(text);
  if (!made) throw nb::python_error();
  return made;
}

// PyTorch's functions that write into none of their arguments.
bool function_is_cast(const Face& face) {
  const std::string_view front_end = face.front_end;
  return (front_end == "torch" || front_end == "Tensor") && !face.is_in_place;
}

nb::object function_of(const Face& face, const std::string& module, const std::string& owner, bool binds, bool of_state = false) {
  nb::object made = nb::steal(function_type->tp_alloc(function_type, 0));
  if (!made.is_valid()) throw nb::python_error();
  auto* function = reinterpret_cast<Function*>(made.ptr());
  std::construct_at(&function->names);
  function->call = of_state ? call_of_state : call;
  function->binds = binds;
  function->of_state = of_state;
  function->cast = function_is_cast(face) ? cast_row(torchs_name(face)) : nullptr;
  function->face = &face;
  function->front_end = &front_end_named(face.front_end);
  for (size_t k = 0; k < face.overload_count; ++k) {
    const Overload& overload = face.overloads[k];
    Names& names = function->names.emplace_back();
    for (size_t i = 0; i < overload.count; ++i) {
      names.first[i] = interned(overload.parameters[i].name);
      names.second[i] = interned(overload.parameters[i].second_name);
    }
  }
  made.attr("__name__") = face.name;
  made.attr("__qualname__") = owner.empty() ? std::string(face.name) : owner + "." + face.name;
  made.attr("__module__") = module;
  made.attr("__doc__") = face.doc;
  return made;
}

// The functions of a front end, by their names, as those of a module, or as methods of a class in it. Only what binds becomes a
// method of an object whose class has it.
nb::dict functions_of(const std::string& front_end, const std::string& module, const std::string& owner, bool binds,
                      const std::string& submodule, bool of_state) {
  nb::dict out;
  for (const Face& face : all_faces)
    if (front_end == face.front_end && submodule == face.submodule)
      out[face.name] = function_of(face, module, owner, binds, of_state);
  return out;
}

// The same, as names of a module; returns them all. `shown`: the module that they say they are in, where that is another one;
// `but`: names that the module does not get;
// `of_state`: they are methods, which the front end's generator of random numbers has.
nb::dict add_functions(const std::string& module, const std::string& front_end, const std::string& submodule, bool binds,
                       const std::string& shown, nb::handle but, bool of_state) {
  nb::dict made = functions_of(front_end, shown.empty() ? module : shown, "", binds && !of_state, submodule, of_state);
  nb::object target = nb::module_::import_(module.c_str());
  for (auto [name, function] : made)
    if (!nb::cast<bool>(but.attr("__contains__")(name))) nb::setattr(target, name, function);
  return made;
}

// Gives a type its methods.
void add_methods(nb::handle type, const nb::dict& methods) {
  for (auto [name, method] : methods) nb::setattr(type, name, method);
}

// Those functions whose first parameter is an array called `input`: methods have the same name.
bool is_method(nb::handle function) {
  const Overload& overload = reinterpret_cast<Function*>(function.ptr())->face->overloads[0];
  if (overload.count == 0 || std::string_view(overload.parameters[0].name) != "input") return false;
  return overload.parameters[0].kind == Kind::array || overload.parameters[0].kind == Kind::operand;
}

void set_front_end(const std::string& name, nb::object type, nb::object convert, nb::object name_of_dtype, nb::object tuples,
                   nb::object default_real, nb::object device, nb::object generator, nb::object before_transforms,
                   nb::object fall_back, nb::object epsilon, nb::object variable, nb::object symbolic) {
  FrontEnd& front_end = front_end_named(name);
  if (!type.is_none()) front_end.type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
  if (!variable.is_none()) front_end.variable = reinterpret_cast<PyTypeObject*>(variable.release().ptr());
  if (!symbolic.is_none()) front_end.symbolic = reinterpret_cast<PyTypeObject*>(symbolic.release().ptr());
  if (!convert.is_none()) front_end.convert = convert.release().ptr();
  if (!name_of_dtype.is_none()) front_end.name_of_dtype = name_of_dtype.release().ptr();
  if (!tuples.is_none()) front_end.tuples = tuples.release().ptr();
  if (!default_real.is_none()) front_end.default_real = default_real.release().ptr();
  if (!device.is_none()) front_end.device = device.release().ptr();
  if (!generator.is_none()) front_end.generator = generator.release().ptr();
  if (!before_transforms.is_none()) front_end.before_transforms = before_transforms.release().ptr();
  if (!fall_back.is_none()) front_end.fall_back = fall_back.release().ptr();
  if (!epsilon.is_none()) front_end.epsilon = epsilon.release().ptr();
}

}  // namespace

void init(nb::module_& m) {
  no_value = nb::object(nb::module_::import_("numpy").attr("_NoValue")).release().ptr();
  for (const char* text : default_texts) default_values.push_back(nb::eval(nb::str(text)).release().ptr());
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid()) throw nb::python_error();
  function_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.attr("array_function") = type;
  m.def("functions_of", functions_of, nb::arg("front_end"), nb::arg("module"), nb::arg("owner") = "", nb::arg("binds") = true,
        nb::arg("submodule") = "", nb::arg("of_state") = false);
  m.def("add_functions", add_functions, nb::arg("module"), nb::arg("front_end"), nb::arg("submodule") = "", nb::kw_only(),
        nb::arg("binds") = true, nb::arg("shown") = "", nb::arg("but") = nb::make_tuple(), nb::arg("of_state") = false);
  m.def("add_methods", add_methods);
  m.def("is_method", is_method);
  define_streams(m);
  m.def("loss_reduction", loss_reduction, nb::arg().none(), nb::arg().none(), nb::arg());
  m.def("raise_at_calls", raise_at_calls);
  m.def(
      "set_torch_device",
      [](std::optional<PyDevice> device) { set_torch_device(device ? std::optional(device_number(*device)) : std::nullopt); },
      nb::arg("device").none());
  m.def("set_real_eigenvalues", [](bool on) { numpy.has_real_eigenvalues = cupy.has_real_eigenvalues = on; });
  m.def("set_front_end", set_front_end, nb::arg("name"), nb::kw_only(), nb::arg("type").none() = nb::none(),
        nb::arg("convert").none() = nb::none(), nb::arg("name_of_dtype").none() = nb::none(),
        nb::arg("tuples").none() = nb::none(), nb::arg("default_real").none() = nb::none(), nb::arg("device").none() = nb::none(),
        nb::arg("generator").none() = nb::none(), nb::arg("before_transforms").none() = nb::none(),
        nb::arg("fall_back").none() = nb::none(), nb::arg("epsilon").none() = nb::none(), nb::arg("variable").none() = nb::none(),
        nb::arg("symbolic").none() = nb::none());
  m.def(
      "set_noter",
      [](nb::object noter) {
        PyObject* before = std::exchange(keras.noter, noter.is_none() ? nullptr : noter.release().ptr());
        Py_XDECREF(before);
      },
      nb::arg().none());
}

}  // namespace quern::python::faces
