#include "bindings/autocast.h"
#include "bindings/call_errors.h"
#include "bindings/objects.h"

namespace {

// From Python 3.12 on a class of nanobind is shown as "quern.lib._engine.Array" by the interpreter's messages, because its
// tp_name has the module in it. Setting __name__ makes it "Array", which is what classes of Python and earlier versions show.
void shorten_type_names(nb::module_& m) {
  const nb::dict names(m.attr("__dict__"));
  for (const auto& [name, value] : names)
    if (nb::isinstance<nb::type_object>(value) && nb::type_check(value))
      nb::setattr(value, "__name__", nb::getattr(value, "__name__"));
}

}  // namespace

NB_MODULE(_engine, m) {
  using namespace quern::python;
  // A program may remove the package from sys.modules and import it again: the process has one engine.
  static nb::object* first = nullptr;
  if (first) {
    m.attr("__dict__").attr("update")(first->attr("__dict__"));
    return;
  }
  first = new nb::object(nb::borrow(m));
  m.doc() = "quern's engine. The public names are in quern and its front ends; do not call these functions directly.";
  nb::set_leak_warnings(false);  // what other packages still hold when the process ends is none of the user's concern
  init_errors(m);
  init_sites(m);
  init_devices(m);
  init_memory(m);
  init_textures(m);
  init_kernels(m);
  init_trace(m);
  init_libraries(m);
  init_checks(m);
  init_types(m);
  init_given();
  init_arrays(m);
  init_user_kernels(m);
  init_ufuncs(m);
  faces::init(m);
  init_autocast(m);
  init_dispatchers(m);
  report_calls(m);
  shorten_type_names(m);
}
