// Device memory, host memory of the device's, copies and fills.
#include "bindings/objects.h"
#include "core/error.h"
#include "core/wait.h"
#include "device/attributes.h"
#include "device/check/checker.h"
#include "device/cuda.h"
#include "device/memory_watch.h"
#include "device/stream_order.h"
#include "run/host_ranges.h"
#include "run/transfer.h"

namespace quern::python {

void PyAllocation::require_alive(const char* what) const {
  if (!buffer) raise(ErrorKind::logic, "{}: {} bytes at {:#x}; it must not be used after free()", what, bytes, address);
}

void PyHostMemory::free() {
  if (!alive) return;
  alive = false;
  if (what != What::part) remove_host_range(pointer);
  switch (what) {
    case What::pinned:
      buffer.reset();
      break;
    case What::managed:
      context->device.release_managed(pointer);
      break;
    case What::registered:
      context->device.unregister_host(pointer);
      owner.reset();
      break;
    case What::part:
      owner.reset();
      break;
  }
}

void* PyHostMemory::device_pointer() const {
  if (what != What::part) return what == What::managed ? pointer : context->device.device_pointer(pointer);
  if (!alive) raise(ErrorKind::logic, "[device pointer] this host memory was freed");
  auto& whole = *nb::inst_ptr<PyHostMemory>(owner);
  return static_cast<char*>(whole.device_pointer()) + (static_cast<char*>(pointer) - static_cast<char*>(whole.pointer));
}

// Work in flight may still read or write it; CUDA's own frees wait too. The pool of pinned memory sees to that itself.
PyHostMemory::~PyHostMemory() {
  if (!alive) return;
  if (what != What::part && what != What::pinned) try {
      ReleaseGil release;
      for (Context* c : all_contexts()) {  // GPUs share it
        if (c->device.kind == context->device.kind) c->device.synchronize();
      }
    } catch (const std::exception&) {
      // The failure belongs to whoever waits next; there is nobody to tell here.
    } catch (const Interrupted&) {
      PyErr_SetInterrupt();  // nor here: what the signal asks for is asked for again
    }
  free();
}

namespace {

// On the CPU a number may be any address: it is checked before something is copied there.
uint64_t address_of(PyDevice& device, nb::handle object, const char* what, size_t bytes, Block** block) {
  uint64_t address;
  if (!device_address(object.ptr(), address, block))
    raise(ErrorKind::type, "[{}] device memory is needed, not {}", what,
          nb::str(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__")).c_str());
  if (*block) {
    uint64_t start = reinterpret_cast<uint64_t>((*block)->pointer);
    if (address + bytes > start + (*block)->bytes)
      raise(ErrorKind::logic, "[{}] {} bytes do not fit into device memory of {} bytes", what, bytes, (*block)->bytes);
  } else if (device.context->device.kind == DeviceKind::cpu) {
    require_host_memory(reinterpret_cast<void*>(address), bytes, what);
  }
  return address;
}

const StreamPtr& stream_for(PyDevice& device, nb::handle stream) {
  PyStream* s = stream_or_null(stream);
  return s ? s->stream : device.context->default_stream;
}

void copy_host(PyDevice device, nb::handle there, nb::handle on_host, nb::handle stream, bool blocking, CopyKind kind) {
  release_kept();
  bool sends = kind == CopyKind::host_to_device;
  const char* what = sends ? "memcpy_htod" : "memcpy_dtoh";
  HostView host(on_host, !sends, what);
  Block* block;
  void* address = reinterpret_cast<void*>(address_of(device, there, what, host.bytes(), &block));
  const StreamPtr& on = stream_for(device, stream);
  if (block) used_on(on, *block);
  if (sends && nb::isinstance<PyAllocation>(there)) nb::inst_ptr<PyAllocation>(there)->holds = host_dtype(on_host);
  {
    ReleaseGil release;
    device.context->copy(on, sends ? address : host.data(), sends ? host.data() : address, host.bytes(), kind,
                         !sends && blocking);
  }
  if (!blocking && !on->idle()) keep_until_done(*device.context, on, on_host);
}

void host_to_device(PyDevice device, nb::handle dst, nb::handle src, nb::handle stream, bool blocking) {
  copy_host(device, dst, src, stream, blocking, CopyKind::host_to_device);
}
void device_to_host(PyDevice device, nb::handle dst, nb::handle src, nb::handle stream, bool blocking) {
  copy_host(device, src, dst, stream, blocking, CopyKind::device_to_host);
}

void device_to_device(PyDevice device, nb::handle dst, nb::handle src, size_t bytes, nb::handle stream) {
  Block *to_block, *from_block;
  if (nb::isinstance<PyAllocation>(dst)) nb::inst_ptr<PyAllocation>(dst)->holds.reset();
  uint64_t to = address_of(device, dst, "memcpy_dtod", bytes, &to_block),
           from = address_of(device, src, "memcpy_dtod", bytes, &from_block);
  copy_within(*device.context, stream_for(device, stream), reinterpret_cast<void*>(to), to_block, reinterpret_cast<void*>(from),
              from_block, bytes);
}

void fill(PyDevice device, nb::handle dst, size_t pitch, uint32_t value, unsigned value_bytes, size_t width, size_t height,
          nb::handle stream) {
  size_t bytes = height == 1 ? width * value_bytes : (height ? (height - 1) * pitch + width * value_bytes : 0);
  Block* block;
  uint64_t to = address_of(device, dst, "memset", bytes, &block);
  const StreamPtr& on = stream_for(device, stream);
  if (block) used_on(on, *block);
  device.context->fill(on, reinterpret_cast<void*>(to), pitch, value, value_bytes, width, height);
}

std::unique_ptr<PyHostMemory> host_memory(PyDevice device, PyHostMemory::What what, void* p, size_t bytes, const char* of) {
  if (!p) raise(ErrorKind::out_of_memory, "[memory] out of memory: no room for {} bytes of {}", bytes, of);
  if (check::on() && device.context->device.kind == DeviceKind::cpu) check::known(p, bytes, current_site());
  auto h = std::make_unique<PyHostMemory>();
  h->what = what, h->context = device.context, h->pointer = p, h->bytes = bytes, h->alive = true;
  return h;
}

// From now on kernels of the GPU, or (`everywhere`) of all, work on it in place.
void let_kernels_reach(PyHostMemory& h, bool everywhere) {
  if (h.context->device.kind == DeviceKind::cpu) return;
  if (void* there = h.device_pointer()) add_host_range(h.pointer, h.bytes, there, everywhere ? nullptr : &h.context->device);
}

// What makes PyHostMemory the base of a NumPy array.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* memory = nb::inst_ptr<PyHostMemory>(self);
  if (!memory->alive) {
    PyErr_SetString(PyExc_ValueError, "this host memory was freed");
    return -1;
  }
  return PyBuffer_FillInfo(view, self, memory->pointer, static_cast<Py_ssize_t>(memory->bytes), 0, flags);
}

PyType_Slot host_memory_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

}  // namespace

void init_memory(nb::module_& m) {
  nb::class_<PyAllocation>(m, "Allocation", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("free",
           [](PyAllocation& a) {
             a.require_alive("[free] this device memory was freed already");
             a.buffer.reset();
           })
      .def_prop_ro("nbytes", [](const PyAllocation& a) { return a.bytes; })
      .def_prop_ro("alive", [](const PyAllocation& a) { return static_cast<bool>(a.buffer); })
      .def_prop_ro("device", [](const PyAllocation& a) { return PyDevice{a.context}; })
      .def("__int__",
           [](PyAllocation& a) {
             a.require_alive("[int] this device memory was freed");
             a.buffer.block()->escaped = true;
             return a.address;
           })
      .def("__index__",
           [](PyAllocation& a) {
             a.require_alive("[int] this device memory was freed");
             a.buffer.block()->escaped = true;
             return a.address;
           })
      .def("__init__", [](PyAllocation* self, PyDevice device, size_t bytes) {
        Buffer buffer = device.context->allocate(bytes);
        if (check::on()) check::unwritten(*buffer.block());
        uint64_t address = reinterpret_cast<uint64_t>(buffer.pointer());
        new (self) PyAllocation{device.context, std::move(buffer), address, bytes};
      });

  nb::class_<PyHostMemory>(m, "HostMemory", nb::type_slots(host_memory_slots), nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("__init__",
           [](PyHostMemory* self, nb::object whole, size_t offset, size_t bytes) {
             if (!nb::isinstance<PyHostMemory>(whole))
               raise(ErrorKind::type, "[memory] expected host memory that quern allocated");
             auto& memory = *nb::inst_ptr<PyHostMemory>(whole);
             if (offset > memory.bytes || bytes > memory.bytes - offset)
               raise(ErrorKind::value, "[memory] {} bytes from offset {} exceed the memory's {} bytes", bytes, offset,
                     memory.bytes);
             new (self) PyHostMemory;
             self->what = PyHostMemory::What::part, self->context = memory.context, self->bytes = bytes;
             self->pointer = static_cast<char*>(memory.pointer) + offset;
             self->owner = std::move(whole), self->alive = memory.alive;
           })
      .def("free",
           [](PyHostMemory& h) {
             if (!h.alive) raise(ErrorKind::logic, "[free] this host memory was freed already");
             h.free();
           })
      .def_prop_ro("nbytes", [](const PyHostMemory& h) { return h.bytes; })
      .def_prop_ro("is_managed", [](const PyHostMemory& h) { return h.what == PyHostMemory::What::managed; })
      .def_prop_ro("address", [](const PyHostMemory& h) { return reinterpret_cast<uintptr_t>(h.pointer); })
      .def("device_pointer", [](const PyHostMemory& h) { return reinterpret_cast<uintptr_t>(h.device_pointer()); });

  m.def(
      "pinned",
      [](PyDevice device, size_t bytes, bool portable, bool mapped, bool write_combined) {
        Buffer buffer = device.context->allocate_pinned(bytes, {portable, mapped, write_combined});
        auto h = host_memory(device, PyHostMemory::What::pinned, buffer.pointer(), bytes, "pinned host memory");
        h->buffer = std::move(buffer);
        if (mapped) let_kernels_reach(*h, portable);
        return h.release();
      },
      nb::rv_policy::take_ownership);
  m.def(
      "managed",
      [](PyDevice device, size_t bytes, unsigned flags) {
        Device& on = device.context->device;
        void* p = on.allocate_managed(bytes, flags);
        auto h = host_memory(device, PyHostMemory::What::managed, p, bytes, "managed memory");
        // Memory of the host's own is not for kernels where they cannot take it while the host has it.
        bool is_global = flags <= 1;
        if (is_global || (on.kind == DeviceKind::cuda && on.attribute(device_attribute::concurrent_managed_access)))
          let_kernels_reach(*h, true);
        return h.release();
      },
      nb::rv_policy::take_ownership);
  m.def(
      "register_host",
      [](PyDevice device, nb::object array, unsigned flags) {
        constexpr unsigned portable = 1, mapped = 2;
        void* p;
        size_t bytes;
        {
          HostView view(array, false, "register_host_memory");
          p = view.data();
          bytes = view.bytes();
        }
        device.context->device.register_host(p, bytes, flags);
        auto h = host_memory(device, PyHostMemory::What::registered, p, bytes, "registered host memory");
        h->owner = array;
        if (flags & mapped) let_kernels_reach(*h, flags & portable);
        return h.release();
      },
      nb::rv_policy::take_ownership);

  m.def("note_dtype", [](PyAllocation& memory, nb::handle array) { memory.holds = host_dtype(array); });
  nb::handle none = nb::none();
  m.def("htod", host_to_device, nb::arg("device"), nb::arg("dst"), nb::arg("src"), nb::arg("stream").none() = none,
        nb::arg("blocking") = true);
  m.def("dtoh", device_to_host, nb::arg("device"), nb::arg("dst"), nb::arg("src"), nb::arg("stream").none() = none,
        nb::arg("blocking") = true);
  m.def("dtod", device_to_device, nb::arg("device"), nb::arg("dst"), nb::arg("src"), nb::arg("bytes"),
        nb::arg("stream").none() = none);
  m.def("require_host_memory", [](uintptr_t address, size_t bytes, const char* what) {
    require_host_memory(reinterpret_cast<void*>(address), bytes, what);
  });
  m.def("fill", fill, nb::arg("device"), nb::arg("dst"), nb::arg("pitch"), nb::arg("value"), nb::arg("value_bytes"),
        nb::arg("width"), nb::arg("height") = 1, nb::arg("stream").none() = none);
  m.def("watch_memory", [](bool on) { watch_memory(on); });
  // (kind, device's number, bytes asked for, bytes taken, address, "file.py:12"), in their order, each once.
  m.def("memory_events", [] {
    nb::list out;
    for (const MemoryEvent& e : take_memory_events())
      out.append(nb::make_tuple(static_cast<int>(e.kind), e.device.number(), e.bytes, e.capacity,
                                reinterpret_cast<uintptr_t>(e.pointer), describe_site(e.site)));
    return out;
  });
  m.def("share_memory", [](PyDevice device, nb::handle memory) {
    CudaDevice& on = shared_gpu(device, "mem_get_ipc_handle");
    Block* block;
    uint64_t address = address_of(device, memory, "mem_get_ipc_handle", 0, &block);
    if (block) block->escaped = true;
    std::string handle = on.share(reinterpret_cast<void*>(address));
    return nb::bytes(handle.data(), handle.size());
  });
  m.def("open_shared", [](PyDevice device, nb::bytes handle, unsigned flags) {
    void* pointer = shared_gpu(device, "IPCMemoryHandle").open_shared(std::string(handle.c_str(), handle.size()), flags);
    return reinterpret_cast<uintptr_t>(pointer);
  });
  m.def("close_shared", [](PyDevice device, uintptr_t pointer) {
    {
      ReleaseGil release;
      device.context->device.synchronize();
    }
    shared_gpu(device, "IPCMemoryHandle").close_shared(reinterpret_cast<void*>(pointer));
  });
  m.def("device_address", [](nb::handle object) {
    uint64_t address;
    Block* block;
    if (!device_address(object.ptr(), address, &block)) raise(ErrorKind::type, "[pointer] expected device memory");
    if (block) block->escaped = true;
    return address;
  });
}

}  // namespace quern::python
