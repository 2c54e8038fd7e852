// Devices, streams and events.
#include "bindings/objects.h"
#include "core/error.h"
#include "core/print.h"
#include "device/cuda.h"
#include "device/cuda_driver.h"
#include "run/synchronize.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace quern::python {

CudaDevice& shared_gpu(PyDevice device, const char* what) {
  if (device.context->device.kind != DeviceKind::cuda)
    raise(ErrorKind::logic, "[{}] the CPU device's memory and events are not shared between processes; use multiprocessing",
          what);
  return static_cast<CudaDevice&>(device.context->device);
}

namespace {

// ---- Python objects that submitted work still needs

struct Kept {
  EventPtr until;
  PyObject* object;
};
std::mutex kept_lock;
std::deque<Kept> kept;

// printf from kernels goes where Python's print goes.
void write_to_python(const std::string& text) {
  if (!Py_IsInitialized()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  TakeGil hold;
  PyObject* out = PySys_GetObject("stdout");
  if (!out || out == Py_None) return;
  nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  nb::object done = nb::steal(PyObject_CallMethod(out, "write", "O", decoded.ptr()));
  if (!done.is_valid()) PyErr_WriteUnraisable(out);
}

void flush_python() {
  if (!Py_IsInitialized()) return;
  TakeGil hold;
  PyObject* out = PySys_GetObject("stdout");
  if (!out || out == Py_None) return;
  nb::object done = nb::steal(PyObject_CallMethod(out, "flush", nullptr));
  if (!done.is_valid()) PyErr_Clear();
}

// The device whose memory an address is in; None when CUDA knows no such memory.
std::optional<PyDevice> device_of_memory(uintptr_t address) {
  if (cuda_device_count() == 0) return std::nullopt;
  const Device& current = current_context().device;
  int number = cuda_device_of(reinterpret_cast<const void*>(address), current.kind == DeviceKind::cuda ? current.index : 0);
  return number < 0 ? std::nullopt : std::optional(PyDevice{&cuda_context(number)});
}

nb::tuple dims(const Dim3& d) { return nb::make_tuple(d[0], d[1], d[2]); }

nb::dict info_of(const PyDevice& device) {
  const DeviceInfo& i = device.context->device.info();
  nb::dict out;
  out["name"] = i.name;
  out["pci_bus_id"] = i.pci_bus_id;
  out["compute_capability"] = nb::make_tuple(i.major, i.minor);
  out["total_memory"] = i.total_memory;
  out["max_threads_per_block"] = i.max_threads_per_block;
  out["max_block"] = dims(i.max_block);
  out["max_grid"] = dims(i.max_grid);
  out["max_shared"] = i.max_shared;
  out["max_shared_optin"] = i.max_shared_optin;
  out["multiprocessors"] = i.multiprocessors;
  out["warp_size"] = i.warp_size;
  return out;
}

// Functions that streams have called, for Python's main thread to drop: with one of them its stream may go, which waits for all
// that was given to it, and that function is not done while the stream's thread drops it. With the GIL held.
std::vector<PyObject*>& called() {
  static auto* all = new std::vector<PyObject*>;
  return *all;
}

int drop_called(void*) {
  for (PyObject* function : std::exchange(called(), {})) Py_DECREF(function);
  return 0;
}

void drop_later(PyObject* function) {
  called().push_back(function);
  Py_AddPendingCall(drop_called, nullptr);  // refused where many wait: the next one drops this, too
}

// (CUDA's number, PyCUDA's name or None, the name in CUDA's runtime or None), in the table's order.
nb::tuple device_attributes() {
  nb::list rows;
  auto add = [&](int number, std::string_view name, const char* runtime) {
    std::string upper(name);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    nb::object none = nb::none();
    rows.append(nb::make_tuple(number, name.empty() ? none : nb::object(nb::str(upper.c_str())),
                               runtime ? nb::object(nb::str(runtime)) : none));
  };
#define QUERN_ATTRIBUTE(number, name, runtime, value) add(number, #name, #runtime);
#define QUERN_ATTRIBUTE_OF_DRIVER(number, name, value) add(number, #name, nullptr);
#define QUERN_ATTRIBUTE_OF_RUNTIME(number, runtime, value) add(number, "", #runtime);
#define QUERN_ATTRIBUTE_ALIAS(number, name) add(number, #name, nullptr);
#include "device/attributes.def"
  return nb::tuple(rows);
}

}  // namespace

std::atomic<int> pending_callbacks{0};

void keep_until_done(Context& context, const StreamPtr& stream, nb::handle object) {
  EventPtr event(context.device.create_event({false, false}).release());
  event->record(*stream);
  std::lock_guard hold(kept_lock);
  kept.push_back({std::move(event), object.inc_ref().ptr()});
}

void release_kept() {
  std::vector<PyObject*> done;
  {
    std::lock_guard hold(kept_lock);
    while (!kept.empty()) {
      bool passed = true;
      try {
        passed = kept.front().until->done();
      } catch (const std::exception&) {
        // The device failed: nothing of it runs any more.
      }
      if (!passed) break;
      done.push_back(kept.front().object);
      kept.pop_front();
    }
  }
  for (PyObject* o : done) Py_DECREF(o);
  release_foreign();
}

PyStream* stream_or_null(nb::handle object) {
  if (!object.is_valid() || object.is_none()) return nullptr;
  if (nb::isinstance<PyStream>(object)) {
    PyStream* stream = nb::inst_ptr<PyStream>(object);
    return stream->context ? stream : nullptr;
  }
  raise(ErrorKind::type, "[stream] a Stream or None is needed, not {}",
        nb::str(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__")).c_str());
}

static void define_device(nb::module_& m) {
  nb::class_<PyDevice>(m, "Device")
      .def_prop_ro("kind", [](const PyDevice& d) { return d.context->device.kind == DeviceKind::cpu ? "cpu" : "cuda"; })
      .def_prop_ro("index", [](const PyDevice& d) { return d.context->device.index; })
      .def_prop_ro("name", [](const PyDevice& d) { return d.context->name(); })
      .def("info", info_of)
      .def("can_reach",
           [](const PyDevice& d, const PyDevice& other) { return d.context->device.can_reach(other.context->device); })
      .def("reach", [](const PyDevice& d, const PyDevice& other) { d.context->device.reach(other.context->device); })
      .def("attribute", [](const PyDevice& d, int number) { return d.context->device.attribute(number); })
      .def("memory",
           [](const PyDevice& d) {
             MemoryInfo i = d.context->device.memory();
             size_t total = i.total, free = std::min(total, i.free + d.context->pool.info().kept);
             return std::make_pair(free, total);
           })
      .def("pool_info",
           [](const PyDevice& d) {
             PoolInfo i = pool_info(*d.context);
             nb::dict out;
             out["used"] = i.used;
             out["blocks"] = i.blocks;
             out["held"] = i.held;
             out["kept"] = i.kept;
             out["waiting"] = i.waiting;
             out["limit"] = i.limit;
             return out;
           })
      .def("set_pool_limit", [](const PyDevice& d, size_t bytes) { d.context->pool.set_limit(bytes); })
      .def("pool_holds",
           [](const PyDevice& d, uintptr_t address) { return d.context->pool.holds(reinterpret_cast<const void*>(address)); })
      .def(
          "trim", [](const PyDevice& d) { return give_back_unused(*d.context); }, nb::call_guard<ReleaseGil>())
      .def(
          "trim_pinned", [](const PyDevice& d) { return d.context->trim_pinned(); }, nb::call_guard<ReleaseGil>())
      .def("synchronize",
           [](const PyDevice& d) {
             release_kept();
             ReleaseGil release;
             synchronize(*d.context);
           })
      .def("default_stream", [](const PyDevice& d) { return PyStream{d.context, d.context->default_stream}; })
      .def(
          "create_stream",
          [](const PyDevice& d, bool non_blocking, int priority) {
            return PyStream{d.context, d.context->create_stream({non_blocking, priority})};
          },
          nb::arg("non_blocking") = false, nb::arg("priority") = 0)
      .def(
          "create_event",
          [](const PyDevice& d, bool timing, bool blocking_sync) {
            return PyEvent{d.context, EventPtr(d.context->device.create_event({timing, blocking_sync}).release())};
          },
          nb::arg("timing") = true, nb::arg("blocking_sync") = false)
      .def("__eq__", [](const PyDevice& a,
                        nb::handle b) { return nb::isinstance<PyDevice>(b) && nb::inst_ptr<PyDevice>(b)->context == a.context; })
      .def("__hash__", [](const PyDevice& d) { return reinterpret_cast<size_t>(d.context) >> 4; })
      .def("__repr__", [](const PyDevice& d) { return "<quern device " + d.context->name() + ">"; });
}

static void define_stream(nb::module_& m) {
  nb::class_<PyStream>(m, "Stream")
      .def(
          "__init__",
          [](PyStream* self, PyDevice device, bool non_blocking, int priority) {
            new (self) PyStream{device.context, device.context->create_stream({non_blocking, priority})};
          },
          nb::arg("device"), nb::arg("non_blocking") = false, nb::arg("priority") = 0)
      .def("__init__", [](PyStream* self) { new (self) PyStream; })
      .def("__init__", [](PyStream* self, const PyStream& other) { new (self) PyStream(other); })
      .def("synchronize",
           [](const PyStream& s) {
             release_kept();
             Context& context = s.where();
             StreamPtr stream = s.get();
             ReleaseGil release;
             synchronize(context, stream);
           })
      .def("is_done", [](const PyStream& s) { return is_done(*s.get()); })
      .def("wait_for_event", [](const PyStream& s, const PyEvent& e) { wait_for(*s.get(), *e.event); })
      .def("add_callback",
           [](const PyStream& s, nb::callable f) {
             PyObject* callable = f.inc_ref().ptr();
             ++pending_callbacks;
             call_after(*s.get(), [callable] {
               if (!Py_IsInitialized()) return;
               TakeGil hold;
               nb::object result = nb::steal(PyObject_CallNoArgs(callable));
               if (!result.is_valid()) PyErr_WriteUnraisable(callable);
               drop_later(callable);
               --pending_callbacks;
             });
           })
      .def_prop_ro("handle", [](const PyStream& s) { return s.get()->native(); })
      .def_prop_ro("device", [](const PyStream& s) { return PyDevice{&s.where()}; })
      .def("__eq__", [](const PyStream& a,
                        nb::handle b) { return nb::isinstance<PyStream>(b) && nb::inst_ptr<PyStream>(b)->stream == a.stream; })
      .def("__hash__", [](const PyStream& s) { return reinterpret_cast<size_t>(s.stream.get()) >> 4; });
}

static void define_event(nb::module_& m) {
  nb::class_<PyEvent>(m, "Event")
      .def(
          "__init__",
          [](PyEvent* self, PyDevice device, bool timing, bool blocking_sync, bool interprocess) {
            EventOptions options{timing, blocking_sync, interprocess};
            new (self) PyEvent{device.context, EventPtr(device.context->device.create_event(options).release())};
          },
          nb::arg("device"), nb::arg("timing"), nb::arg("blocking_sync"), nb::arg("interprocess") = false)
      .def("__init__",
           [](PyEvent* self, PyDevice device, nb::bytes shared) {
             CudaDevice& on = shared_gpu(device, "Event.from_ipc_handle");
             new (self) PyEvent{device.context, std::make_shared<CudaEvent>(on, std::string(shared.c_str(), shared.size()))};
           })
      .def("share",
           [](PyEvent& e) {
             shared_gpu({e.context}, "Event.ipc_handle");
             std::string handle = static_cast<CudaEvent&>(*e.event).share();
             return nb::bytes(handle.data(), handle.size());
           })
      .def(
          "record",
          [](PyEvent& e, nb::handle stream) {
            PyStream* s = stream_or_null(stream);
            record(*e.event, s ? s->stream : e.context->default_stream);
          },
          nb::arg("stream").none() = nb::none())
      .def("synchronize",
           [](PyEvent& e) {
             release_kept();
             ReleaseGil release;
             synchronize(*e.context, *e.event);
           })
      .def("query", [](PyEvent& e) { return is_done(*e.event); })
      .def("elapsed_since", [](PyEvent& e, PyEvent& start) { return e.event->elapsed_ms(*start.event); })
      .def_prop_ro("handle", [](PyEvent& e) { return e.event->native(); });
}

void init_devices(nb::module_& m) {
  set_print_hooks({write_to_python, flush_python});
  define_device(m);
  define_stream(m);
  define_event(m);
  m.def("foreign_stream", [](PyDevice device, uintptr_t handle) {
    // One of ours lives on with the object: a driver that is asked about a stream that was destroyed may crash.
    for (StreamPtr& stream : device.context->pool.streams())
      if (stream->native() == handle) return PyStream{device.context, std::move(stream)};
    StreamPtr stream = device.context->device.foreign_stream(handle);
    device.context->pool.know(stream);
    return PyStream{device.context, std::move(stream)};
  });
  m.def(
      "set_current_stream",
      [](PyDevice device, PyStream* stream) { set_current_stream(*device.context, stream ? stream->stream : nullptr); },
      nb::arg("device"), nb::arg("stream").none());
  m.def("device_attributes", device_attributes);
  m.def("cpu", [] { return PyDevice{&cpu_context()}; });
  m.def("cuda", [](int index) { return PyDevice{&cuda_context(index)}; });
  m.def("cuda_count", [] { return cuda_device_count(); });
  m.def("device_of_memory", device_of_memory);
  m.def("cuda_driver_version", [] { return cuda::driver_report().version; });
  m.def("cuda_driver_path", [] { return cuda::driver_report().path; });
  m.def("cuda_problem", [] { return cuda_unavailable_reason(); });
  m.def("default_device", [] { return PyDevice{&default_context()}; });
  m.def("current_device", [] { return PyDevice{&current_context()}; });
  m.def(
      "set_current_device", [](PyDevice* device) { set_current_context(device ? device->context : nullptr); },
      nb::arg("device").none());
  // The program's end, before the interpreter's: what is submitted is done. Devices stay: finalizers may still compute.
  m.def("finish_all", [] {
    ReleaseGil::begin_exit();
    {
      ReleaseGil release;
      finish_all();
      deliver_prints();
    }
    release_kept();
  });
  std::atexit(shut_down);
}

}  // namespace quern::python
