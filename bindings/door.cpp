#include "bindings/door.h"

#include <utility>
#include <vector>

#include "bindings/arrays.h"

namespace quern::python {

namespace {

const Door own;
std::vector<std::pair<PyTypeObject*, Door>> doors;  // kept for good
bool has_placers = false, has_types = false;

}  // namespace

const Door& door_of(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == array_type) return own;
  for (auto& [known, door] : doors)
    if (type == known) return door;
  for (auto& [known, door] : doors)
    if (PyType_IsSubtype(type, known)) return door;
  return own;
}

PyObject* typed_by(PyObject* left, PyObject* right) {
  if (!has_types) return nullptr;
  for (PyObject* one : {left, right})
    if (as_array(one) && door_of(one).types != TypeRules::numpy) return one;
  return nullptr;
}

bool is_told(PyTypeObject* type) {
  if (type == array_type) return false;
  for (auto& [known, door] : doors)
    if (type == known) return false;
  for (auto& [known, door] : doors)
    if (door.tells_subclasses && PyType_IsSubtype(type, known)) return true;
  return false;
}

void tell(PyObject* made, PyObject* beside) { nb::handle(made).attr("__array_finalize__")(nb::handle(beside)); }

PyObject* handed_out(PyObject* made, PyObject* beside) {
  if (!has_placers || !made) return made;
  PyObject* placer = door_of(made).placer;
  if (!placer) return made;
  nb::object given = nb::steal(made);
  return nb::handle(placer)(given, nb::handle(beside ? beside : Py_None)).release().ptr();
}

void set_out_of_range(nb::handle type, const OutOfRange* words) {
  for (auto& [known, door] : doors)
    if (nb::handle(reinterpret_cast<PyObject*>(known)).is(type)) door.out_of_range = words;
}

void init_doors(nb::module_& m) {
  m.def(
      "set_door",
      [](nb::handle type, bool has_numbers, bool broadcasts_read_only, bool wraps_indices, bool tells_subclasses,
         bool truncates_powers, bool indexes_as_torch, bool refuses_host_arrays, bool rebinds, bool types_as_keras) {
        TypeRules types = types_as_keras ? TypeRules::keras : TypeRules::numpy;
        has_types |= types_as_keras;
        Door door{has_numbers,
                  broadcasts_read_only,
                  wraps_indices,
                  tells_subclasses,
                  truncates_powers,
                  indexes_as_torch,
                  refuses_host_arrays,
                  rebinds,
                  types};
        doors.emplace_back(reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()), door);
      },
      nb::arg("type"), nb::kw_only(), nb::arg("has_numbers"), nb::arg("broadcasts_read_only"), nb::arg("wraps_indices") = false,
      nb::arg("tells_subclasses") = false, nb::arg("truncates_powers"), nb::arg("indexes_as_torch") = false,
      nb::arg("refuses_host_arrays") = false, nb::arg("rebinds") = false, nb::arg("types_as_keras") = false);
  m.def("set_keras_quotients", &set_keras_quotients, nb::arg("wide"));
  m.def(
      "set_placer",
      [](nb::handle type, nb::object placer) {
        for (auto& [known, door] : doors)
          if (nb::handle(reinterpret_cast<PyObject*>(known)).is(type))
            door.placer = placer.is_none() ? nullptr : placer.inc_ref().ptr();
        has_placers = true;
      },
      nb::arg("type"), nb::arg("placer").none());
}

}  // namespace quern::python
