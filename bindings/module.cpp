#include "bindings/call_errors.h"
#include "bindings/objects.h"

NB_MODULE(_engine, m) {
  using namespace quern::python;
  // A program may remove the package from sys.modules and import it again: the process has one engine.
  static nb::object* first = nullptr;
  if (first) {
    m.attr("__dict__").attr("update")(first->attr("__dict__"));
    return;
  }
  first = new nb::object(nb::borrow(m));
  m.doc() = "quern's engine. The public names are in quern and its doors; nothing here is meant to be called directly.";
  nb::set_leak_warnings(false);  // what other packages still hold when the process ends is none of the user's concern
  init_errors(m);
  init_sites(m);
  init_devices(m);
  init_memory(m);
  init_textures(m);
  init_kernels(m);
  init_trace(m);
  init_checks(m);
  init_types(m);
  init_given();
  init_arrays(m);
  init_user_kernels(m);
  init_ufuncs(m);
  init_functions(m);
  faces::init(m);
  init_dispatchers(m);
  report_calls(m);
}
