// Programs and kernels. A warm call stays in this file and arguments.cpp: values -> packed bytes -> launch.
//
// Two callables, one for each way that kernels are called: Function (PyCUDA: f(a, b, block=..., grid=...)), whose method
// `_call_slowly` is for In, Out, InOut and rare keywords, and RawFunction (CuPy: f(grid, block, args)), which asks its method
// `_bind` for the current device's kernel when it has another's.
#include "bindings/given.h"
#include "compile/clang.h"
#include "compile/nvrtc.h"
#include "core/error.h"
#include "core/kernel_names.h"
#include "run/kept_texts.h"

#include <algorithm>
#include <array>

namespace quern::python {

namespace {

struct PyFunction : PyKernel {};
struct PyRawFunction : PyKernel {
  uint32_t shared = 0;       // when a call does not say
  bool cooperative = false;  // its blocks may wait for each other
};

struct Keywords {
  PyObject* block = PyUnicode_InternFromString("block");
  PyObject* grid = PyUnicode_InternFromString("grid");
  PyObject* stream = PyUnicode_InternFromString("stream");
  PyObject* shared = PyUnicode_InternFromString("shared");
  PyObject* shared_mem = PyUnicode_InternFromString("shared_mem");
  PyObject* args = PyUnicode_InternFromString("args");
  PyObject* cooperative = PyUnicode_InternFromString("enable_cooperative_groups");
  PyObject* call_slowly = PyUnicode_InternFromString("_call_slowly");
  PyObject* bind = PyUnicode_InternFromString("_bind");
  PyObject* device_alloc = PyUnicode_InternFromString("get_device_alloc");
};
const Keywords& keywords() {
  static Keywords k;
  return k;
}

bool is(PyObject* key, PyObject* name) { return key == name || PyUnicode_Compare(key, name) == 0; }

// Zeros and sizes above a limit are refused by the device (Kernel::check).
constexpr DimRule any_dim{0, ErrorKind::logic};
uint32_t to_dim(PyObject* value, const char* what) { return read_dim(value, what, any_dim); }
Dim3 to_dims(PyObject* value, const char* what) { return read_dims(value, what, any_dim); }

// A launch may wait for room in the stream, and there a callback may wait for Python's lock.
void submit(Kernel& kernel, const StreamPtr& stream, const LaunchShape& shape, Arguments& args) {
  // On the CPU whoever else sees the memory finds it written when the call returns.
  bool wait = kernel.context().device.kind == DeviceKind::cpu && args.parameters().any_exposed();
  if (!wait && pending_callbacks.load(std::memory_order_relaxed) == 0) return kernel.launch(stream, shape, args);
  ReleaseGil release;
  kernel.launch(stream, shape, args);
  if (wait) kernel.context().wait(stream, "memory that others see");
}

[[noreturn]] void refuse_in_driver(PyObject* value, Py_ssize_t i) {
  if (classified(value).what == Given::What::host_array)
    raise(
        ErrorKind::type,
        "[launch] argument {} is a NumPy array in host memory; wrap it as In(a), Out(a) or InOut(a), or copy it with to_device()",
        i + 1);
  raise(ErrorKind::type, "invalid type on parameter #{} (0-based): {}", i, Py_TYPE(value)->tp_name);
}

[[noreturn]] void refuse_in_raw(const Kernel& kernel, PyObject* value, Py_ssize_t i) {
  const KernelInfo& info = kernel.info();
  if (classified(value).what == Given::What::host_array) {
    bool sized = info.params_known && static_cast<size_t>(i) < info.params.size();
    std::string size = sized ? formatted(", {} bytes", info.params[static_cast<size_t>(i)].size) : "";
    raise(ErrorKind::type,
          "[launch] argument {} of '{}' is a NumPy array in host memory; copy it to the device with asarray(), or where the "
          "kernel takes a "
          "structure by value, pass one of its size{}",
          i + 1, info.name, size);
  }
  raise(ErrorKind::type, "[launch] argument {} of '{}' is a {}; pass device memory, a number or a NumPy scalar", i + 1, info.name,
        Py_TYPE(value)->tp_name);
}

// f(*args, block=(x, y, z), grid=(x, y), stream=None, shared=0)
PyObject* call_function(PyObject* self, PyObject* args, PyObject* named) {
  try {
    const Keywords& k = keywords();
    Kernel& kernel = *nb::inst_ptr<PyFunction>(self)->kernel;
    LaunchShape shape;
    const StreamPtr* stream = &kernel.context().default_stream;
    bool slow = false, has_block = false;
    if (named) {
      Py_ssize_t at = 0;
      PyObject *key, *value;
      while (PyDict_Next(named, &at, &key, &value)) {
        if (is(key, k.block)) {
          shape.block = to_dims(value, "block");
          has_block = true;
        } else if (is(key, k.grid)) {
          shape.grid = to_dims(value, "grid");
        } else if (is(key, k.shared)) {
          shape.dynamic_shared = to_dim(value, "shared");
        } else if (is(key, k.stream)) {
          if (value != Py_None && !nb::isinstance<PyStream>(value)) {
            slow = true;
          } else if (PyStream* s = stream_or_null(value)) {
            stream = &s->stream;
          }
        } else {
          slow = true;  // texrefs, time_kernel
        }
      }
    }
    if (!has_block) slow = true;
    if (!slow) {
      Arguments packed(kernel);
      Py_ssize_t n = PyTuple_GET_SIZE(args);
      for (Py_ssize_t i = 0; i < n && !slow; ++i) {
        PyObject* value = PyTuple_GET_ITEM(args, i);
        if (add_argument(packed, value)) continue;
        slow = PyObject_HasAttr(value, k.device_alloc);  // In, Out, InOut
        if (!slow) refuse_in_driver(value, i);
      }
      if (!slow) {
        submit(kernel, *stream, shape, packed);
        Py_RETURN_NONE;
      }
    }
    nb::object method = nb::steal(PyObject_GetAttr(self, k.call_slowly));
    if (!method.is_valid()) return nullptr;
    return PyObject_Call(method.ptr(), args, named);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// f(grid, block, args, shared_mem=0, stream=None, enable_cooperative_groups=False)
PyObject* call_raw(PyObject* self, PyObject* args, PyObject* named) {
  try {
    const Keywords& k = keywords();
    auto* function = nb::inst_ptr<PyRawFunction>(self);
    if (!function->kernel || &function->kernel->context() != &current_context()) {
      nb::object done = nb::steal(PyObject_CallMethodNoArgs(self, k.bind));
      if (!done.is_valid()) return nullptr;
    }
    Kernel& kernel = *function->kernel;
    PyObject* const names[] = {k.grid, k.block, k.args, k.shared_mem, k.stream, k.cooperative};
    std::array<PyObject*, std::size(names)> given{};
    Py_ssize_t places = PyTuple_GET_SIZE(args);
    if (places > std::ssize(given)) raise(ErrorKind::type, "[launch] a RawKernel takes (grid, block, args, shared_mem, stream)");
    for (Py_ssize_t i = 0; i < places; ++i) given[static_cast<size_t>(i)] = PyTuple_GET_ITEM(args, i);
    if (named) {
      Py_ssize_t at = 0;
      PyObject *key, *value;
      while (PyDict_Next(named, &at, &key, &value)) {
        auto name = std::find_if(std::begin(names), std::end(names), [&](PyObject* one) { return is(key, one); });
        if (name == std::end(names))
          raise(ErrorKind::type, "[launch] a RawKernel got an unexpected keyword argument '{}'", PyUnicode_AsUTF8(key));
        PyObject*& place = given[static_cast<size_t>(name - std::begin(names))];
        if (place) raise(ErrorKind::type, "[launch] got multiple values for argument '{}'", PyUnicode_AsUTF8(key));
        place = value;
      }
    }
    auto [grid, block, values, shared_mem, on, cooperative] = given;
    if (!grid || !block || !values) raise(ErrorKind::type, "[launch] a RawKernel is called with (grid, block, args)");
    LaunchShape shape;
    shape.grid = to_dims(grid, "grid");
    shape.block = to_dims(block, "block");
    shape.dynamic_shared = shared_mem ? to_dim(shared_mem, "shared_mem") : function->shared;
    shape.cooperative = cooperative ? PyObject_IsTrue(cooperative) == 1 : function->cooperative;
    const StreamPtr* stream = &current_stream(kernel.context());
    nb::object foreign;
    if (on && on != Py_None) {
      // What another library's stream comes in: anything that says its address.
      if (!nb::isinstance<PyStream>(on) && nb::hasattr(on, "ptr"))
        foreign = nb::module_::import_("quern.cupy.cuda.stream").attr("ExternalStream")(nb::handle(on).attr("ptr"));
      PyStream* s = stream_or_null(foreign.is_valid() ? foreign : nb::handle(on));
      stream = s ? &s->stream : &kernel.context().default_stream;
    }
    if (!PyTuple_Check(values) && !PyList_Check(values)) raise(ErrorKind::type, "[launch] a RawKernel's args must be a tuple");
    Arguments packed(kernel);
    Py_ssize_t n = PySequence_Fast_GET_SIZE(values);
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* value = PySequence_Fast_GET_ITEM(values, i);
      if (!add_argument(packed, value)) refuse_in_raw(kernel, value, i);
    }
    submit(kernel, *stream, shape, packed);
    Py_RETURN_NONE;
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

PyType_Slot function_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_function)}, {0, nullptr}};
PyType_Slot raw_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_raw)}, {0, nullptr}};

CodeKind code_kind(const std::string& name) {
  for (int i = 0; i < 5; ++i) {
    if (name == code_kind_names[i]) return static_cast<CodeKind>(i);
  }
  raise(ErrorKind::value, "[link] unknown kind of code '{}'", name);
}

nb::dict describe(const Kernel& kernel) {
  const KernelInfo& i = kernel.info();
  nb::dict out;
  out["name"] = i.name;
  out["symbol"] = i.symbol;
  out["signature"] = describe_signature(i.signature);
  out["static_shared"] = i.static_shared;
  out["local_bytes"] = i.local_bytes;
  out["const_bytes"] = i.const_bytes;
  out["registers"] = i.registers;
  out["max_threads"] = i.max_threads;
  nb::list access;
  const char* names[] = {"none", "read", "write", "both"};
  for (auto& p : i.params) access.append(names[static_cast<int>(p.access)]);
  out["access"] = access;
  nb::list places;
  for (auto& p : i.params) places.append(nb::make_tuple(p.offset, p.size));
  out["places"] = i.params_known ? nb::object(places) : nb::none();  // offset and bytes of each parameter
  return out;
}

}  // namespace

static void define_code(nb::module_& m) {
  // Code for GPUs: PTX as text for an architecture as "compute_90", a cubin for one as "sm_90"; no GPU is needed, but NVRTC is.
  auto gpu_code = [](std::string text, std::string name, std::vector<std::string> flags, std::string architecture,
                     bool relocatable) {
    Source source{std::move(text), std::move(name)};
    CompileOptions options;
    options.flags = std::move(flags);
    options.relocatable = relocatable;
    Target target;
    target.kind = DeviceKind::cuda;
    target.arch = std::move(architecture);
    std::shared_ptr<const Binary> binary;
    {
      ReleaseGil release;
      binary = compile_cache().get(nvrtc_compiler(), source, options, target).binary;
    }
    return std::string(reinterpret_cast<const char*>(binary->code.data()), binary->code.size());
  };
  m.def(
      "ptx",
      [gpu_code](std::string text, std::string name, std::vector<std::string> flags, std::string architecture, bool relocatable) {
        std::string out = gpu_code(std::move(text), std::move(name), std::move(flags), std::move(architecture), relocatable);
        while (!out.empty() && out.back() == '\0') out.pop_back();
        return out;
      },
      nb::arg("text"), nb::arg("name"), nb::arg("flags"), nb::arg("architecture"), nb::arg("relocatable") = false);
  m.def("cubin", [gpu_code](std::string text, std::string name, std::vector<std::string> flags, std::string architecture) {
    std::string out = gpu_code(std::move(text), std::move(name), std::move(flags), std::move(architecture), true);
    return nb::bytes(out.data(), out.size());
  });
  m.def("compile_code", [](PyDevice device, std::string text, std::string name, std::vector<std::string> flags,
                           std::vector<std::string> expressions) {
    Source source{std::move(text), std::move(name)};
    CompileOptions options;
    options.flags = std::move(flags);
    options.name_expressions = std::move(expressions);
    std::shared_ptr<const Binary> binary;
    {
      ReleaseGil release;
      binary = compile_cache().get(device.context->compiler(), source, options, device.context->device.target()).binary;
    }
    return nb::bytes(reinterpret_cast<const char*>(binary->code.data()), binary->code.size());
  });
}

void init_kernels(nb::module_& m) {
  nb::class_<PyProgram>(m, "Program")
      .def("kernel", [](PyProgram& p, const std::string& name) { return PyKernel{p.program->kernel(name)}; })
      .def("has_kernel", [](PyProgram& p, const std::string& name) { return p.program->module->kernel(name) != nullptr; })
      .def("global_variable",
           [](PyProgram& p, const std::string& name) {
             GlobalInfo g = p.program->global(name);
             return std::make_pair(reinterpret_cast<uintptr_t>(g.address), g.size);
           })
      .def_prop_ro("log", [](PyProgram& p) { return p.program->log; })
      .def_prop_ro("device", [](PyProgram& p) { return PyDevice{&p.program->context}; })
      .def_prop_ro("cache", [](PyProgram& p) { return cache_hit_names[static_cast<int>(p.program->hit)]; });

  nb::class_<PyKernel>(m, "Kernel").def("info", [](PyKernel& k) { return describe(*k.kernel); });
  nb::class_<PyFunction, PyKernel>(m, "Function", nb::type_slots(function_slots), nb::dynamic_attr())
      .def("__init__",
           [](PyFunction* self, PyProgram& p, const std::string& name) { new (self) PyFunction{{p.program->kernel(name)}}; });
  nb::class_<PyRawFunction, PyKernel>(m, "RawFunction", nb::type_slots(raw_slots), nb::dynamic_attr())
      .def(nb::init<>())
      .def("set_kernel", [](PyRawFunction& f, PyProgram& p, const std::string& name) { f.kernel = p.program->kernel(name); })
      .def_rw("shared", &PyRawFunction::shared)
      .def_rw("cooperative", &PyRawFunction::cooperative);

  m.def(
      "build",
      [](PyDevice device, std::string text, std::string name, std::vector<std::string> flags,
         std::vector<std::string> expressions, const std::vector<std::tuple<std::string, nb::bytes, std::string>>& linked,
         bool keep, std::string types) {
        Source source{std::move(text), std::move(name), std::move(types)};
        CompileOptions options;
        options.flags = std::move(flags);
        options.name_expressions = std::move(expressions);
        options.tells_types = !keep;  // what is kept is quern's own text, whose values are packed by those who wrote it
        std::vector<LinkedCode> codes;
        for (auto& [kind, bytes, called] : linked) codes.push_back({code_kind(kind), {bytes.c_str(), bytes.size()}, called});
        ReleaseGil release;
        PyProgram made{build(*device.context, source, options, codes)};
        if (keep) keep_text(source.text);
        return made;
      },
      nb::arg("device"), nb::arg("text"), nb::arg("name") = "kernel.cu", nb::arg("flags") = std::vector<std::string>(),
      nb::arg("expressions") = std::vector<std::string>(),
      nb::arg("linked") = std::vector<std::tuple<std::string, nb::bytes, std::string>>(), nb::arg("keep") = false,
      nb::arg("types") = "");
  m.def("show_kernel_as", &show_kernel_as);
  m.def("load_code", [](PyDevice device, nb::bytes code) {
    return PyProgram{load_code(*device.context, std::string_view(code.c_str(), code.size()))};
  });
  define_code(m);
}

}  // namespace quern::python
