// Memory that arrays share with others: NumPy, DLPack, the CUDA array interface, the buffer protocol; and copies in and out.
//
// What goes out is exposed (graph/array.h) for as long as the other side holds it. What comes in becomes a ForeignBlock, whose
// owner is notified when the last array on it is freed and the work that used it is done.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <mutex>

#include "bindings/arrays.h"
#include "bindings/call_errors.h"
#include "bindings/door.h"
#include "bindings/records.h"
#include "core/error.h"
#include "core/room.h"
#include "graph/records.h"
#include "run/transfer.h"

namespace quern::python {

namespace {

// `strides`: of the array that the memory, which has no gaps, is; the new one lies as it does. None: in C order.
NumPyArray from_host(nb::handle memory, const Shape& shape, const std::string& dtype, PyDevice device,
                     const std::optional<std::vector<int64_t>>& strides) {
  HostView host(memory, false, "asarray");
  Layout layout = Layout::contiguous(shape);
  if (strides && layout.size() > 0) layout.strides = *strides;
  return copied_in(*device.context, host.data(), host.bytes(), std::move(layout), dtype_of(dtype), CopyKind::host_to_device);
}

// ---- memory of others

struct ForeignBlock : Block {
  Context* context = nullptr;
  void (*release)(void*) = nullptr;
  void* what = nullptr;
};

// Blocks whose last array is freed. Their owners are notified with Python's lock held, from a call of Python's own: never in the
// middle of ours, nor on a worker.
struct Gone {
  ForeignBlock* block;
  std::vector<EventPtr> until;
};
std::mutex gone_lock;
std::deque<Gone> gone;
std::atomic<bool> release_is_due{false};

int release_gone(void* = nullptr) {
  release_is_due = false;
  std::vector<ForeignBlock*> done;
  {
    std::lock_guard hold(gone_lock);
    std::erase_if(gone, [&](Gone& g) {
      for (EventPtr& event : g.until) {
        try {
          if (!event->done()) return false;
        } catch (const std::exception&) {
          // The device failed: nothing of it runs any more.
        }
      }
      done.push_back(g.block);
      return true;
    });
  }
  for (ForeignBlock* block : done) {
    block->release(block->what);
    delete block;
  }
  return 0;
}

class ForeignOwner : public BlockOwner {
 public:
  void give_back(Block* given) noexcept override {
    auto* block = static_cast<ForeignBlock*>(given);
    Gone out{block, {}};
    auto mark = [&](Stream& stream) {
      if (stream.idle()) return;
      EventPtr event(stream.device.create_event({false, false}).release());
      event->record(stream);
      out.until.push_back(std::move(event));
    };
    try {
      mark(*block->context->default_stream);
      for (auto& use : block->uses) mark(*std::static_pointer_cast<Stream>(use.stream));
    } catch (const std::exception&) {
      // The failure belongs to whoever waits next.
    }
    {
      std::lock_guard hold(gone_lock);
      gone.push_back(std::move(out));
    }
    if (Py_IsInitialized() && !release_is_due.exchange(true) && Py_AddPendingCall(&release_gone, nullptr) != 0)
      release_is_due = false;
  }
};

ForeignOwner& foreign_owner() {
  static auto* owner = new ForeignOwner;
  return *owner;
}

// The lowest unit of the type that elements have, and one past the highest.
std::pair<int64_t, int64_t> units_seen(const Layout& layout, DType dtype) {
  return is_record(dtype) ? in_units(layout, dtype, unit_of(dtype)).extent() : layout.extent();
}

// `strides` in units of the type. What raises leaves the memory with its owner.
Array alias(Context& context, void* data, const Shape& shape, const std::vector<int64_t>& strides, DType dtype, bool read_only,
            void (*release)(void*), void* what) {
  Layout layout{shape, strides, 0};
  auto [low, high] = units_seen(layout, dtype);
  if (!data && high > low) raise(ErrorKind::buffer, "[share] the memory's address is null");
  size_t alignment = row(dtype).kind == DTypeKind::complex ? size_of(real_part_type(dtype)) : unit_of(dtype);
  if (reinterpret_cast<uintptr_t>(data) % alignment != 0)
    raise(ErrorKind::buffer, "[share] the memory is not aligned for {}; make a copy first", row(dtype).name);
  auto* block = new ForeignBlock;
  block->pointer = block->base = static_cast<char*>(data) + low * static_cast<int64_t>(unit_of(dtype));
  block->bytes = block->capacity = static_cast<size_t>(high - low) * unit_of(dtype);
  block->owner = &foreign_owner();
  block->context = &context;
  block->release = release;
  block->what = what;
  layout.offset = -low;
  Array out = from_foreign(Buffer(block), std::move(layout), dtype, context.id(), read_only);
  out.settle_owner();
  return out;
}

// From bytes to units of the type.
std::vector<int64_t> in_units_of_type(std::vector<int64_t> strides, const Shape& shape, DType dtype) {
  auto size = static_cast<int64_t>(unit_of(dtype));
  for (size_t i = 0; i < strides.size(); ++i) {
    if (shape[i] <= 1) {
      strides[i] = 0;
    } else if (strides[i] % size != 0) {
      raise(ErrorKind::value, "[share] a stride of {} bytes is not a multiple of the {} bytes of {}; make a copy first",
            strides[i], size, row(dtype).name);
    }
    strides[i] /= size;
  }
  return strides;
}

}  // namespace

Array over_address(Context& context, uintptr_t address, Shape shape, std::optional<std::vector<int64_t>> strides, DType dtype,
                   bool read_only, nb::handle owner) {
  if (is_record(dtype)) dtype = type_at(shape, strides.value_or(Shape(shape.size(), 0)), static_cast<int64_t>(address), dtype);
  std::vector<int64_t> steps =
      strides ? in_units_of_type(*strides, shape, dtype) : as_arrays_have(Layout::contiguous(shape), dtype).strides;
  Array out = alias(
      context, reinterpret_cast<void*>(address), shape, steps, dtype, read_only,
      [](void* object) { Py_DECREF(static_cast<PyObject*>(object)); }, owner.ptr());
  owner.inc_ref();
  return out;
}

namespace {

// An array over memory of our own pool, which it keeps. `offset` and `strides` in bytes.
NumPyArray over_allocation(const PyAllocation& memory, int64_t offset, Shape shape, std::optional<std::vector<int64_t>> strides,
                           const std::string& dtype_name) {
  memory.require_alive("[share] this device memory was freed");
  DType dtype = dtype_of(dtype_name);
  if (is_record(dtype)) dtype = type_at(shape, strides.value_or(Shape(shape.size(), 0)), offset, dtype);
  std::vector<int64_t> steps =
      strides ? in_units_of_type(*strides, shape, dtype) : as_arrays_have(Layout::contiguous(shape), dtype).strides;
  Layout layout{shape, std::move(steps), 0};
  auto size = static_cast<int64_t>(unit_of(dtype));
  auto [low, high] = units_seen(layout, dtype);
  if (offset % size != 0)
    raise(ErrorKind::value, "[share] {} bytes from the start the memory is not aligned for {}", offset, row(dtype).name);
  layout.offset = offset / size;
  if (high > low && (layout.offset + low < 0 || (layout.offset + high) * size > static_cast<int64_t>(memory.bytes)))
    raise(ErrorKind::value, "[share] an array of this shape does not fit into {} bytes, {} bytes from their start", memory.bytes,
          offset);
  Array out = from_foreign(memory.buffer, std::move(layout), dtype, memory.context->id(), false);
  out.settle_owner();
  return out;
}

// ---- the buffer protocol

std::string buffer_format(DType dtype) {
  if (has_records(dtype)) return buffer_format_of(dtype);
  dtype = settled_type(dtype);
  if (dtype == DType::int64) return "l";  // as NumPy has it
  if (dtype == DType::uint64) return "L";
  return std::string(row(dtype).format);
}

struct BufferView {
  Exposure exposure;
  std::vector<Py_ssize_t> shape, strides;
  std::string format;
};

// ---- DLPack: its structures, as every library lays them out

struct DLDevice {
  int32_t type, number;
  bool operator==(const DLDevice&) const = default;
};
enum : int32_t { dl_cpu = 1, dl_cuda = 2, dl_cuda_host = 3, dl_cuda_managed = 13 };

struct DLType {
  uint8_t code, bits;
  uint16_t lanes;
};
enum : uint8_t { dl_int = 0, dl_natural = 1, dl_real = 2, dl_bfloat = 4, dl_complex = 5, dl_bool = 6 };

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};

struct DLManaged {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManaged*);
};

struct DLManagedVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(DLManagedVersioned*);
  uint64_t flags;
  DLTensor tensor;
};
constexpr uint64_t dl_read_only = 1, dl_copied = 2;

constexpr const char *plain_name = "dltensor", *plain_used = "used_dltensor", *versioned_name = "dltensor_versioned",
                     *versioned_used = "used_dltensor_versioned";

DLType dl_type(DType dtype) {
  auto bits = static_cast<uint8_t>(size_of(dtype) * 8);
  switch (row(dtype).kind) {
    case DTypeKind::boolean:
      return {dl_bool, bits, 1};
    case DTypeKind::integer:
      return {dl_int, bits, 1};
    case DTypeKind::natural:
      return {dl_natural, bits, 1};
    case DTypeKind::complex:
      return {dl_complex, bits, 1};
    default:
      return {dtype == DType::bfloat16 ? uint8_t{dl_bfloat} : uint8_t{dl_real}, bits, 1};
  }
}

DType dtype_of(DLType type) {
  for (int i = 0; i < dtype_count; ++i) {
    DLType t = dl_type(static_cast<DType>(i));
    if (t.code == type.code && t.bits == type.bits && type.lanes == 1) return static_cast<DType>(i);
  }
  raise(ErrorKind::buffer, "[from_dlpack] a data type of code {}, {} bits and {} lanes is not supported; convert it first",
        type.code, type.bits, type.lanes);
}

// Both kinds of capsule point into this; whoever deletes one lets go of the memory.
struct Export {
  Exposure exposure;
  Shape shape, strides;
  DLManaged plain;
  DLManagedVersioned versioned;
};

void delete_plain(DLManaged* managed) { delete static_cast<Export*>(managed->context); }
void delete_versioned(DLManagedVersioned* managed) { delete static_cast<Export*>(managed->context); }

// A capsule that nobody consumed.
void drop_plain(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, plain_name)) return;
  auto* managed = static_cast<DLManaged*>(PyCapsule_GetPointer(capsule, plain_name));
  if (managed->deleter) managed->deleter(managed);
}
void drop_versioned(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, versioned_name)) return;
  auto* managed = static_cast<DLManagedVersioned*>(PyCapsule_GetPointer(capsule, versioned_name));
  if (managed->deleter) managed->deleter(managed);
}

DLDevice dl_device_of(const Array& array) {
  return array.device().is_cpu() ? DLDevice{dl_cpu, 0} : DLDevice{dl_cuda, array.device().number()};
}

// The consumer's stream, in the standard's numbers.
int64_t consumer_stream(nb::handle stream, bool on_cpu) {
  if (stream.is_none()) return 1;
  if (on_cpu) raise(ErrorKind::value, "[__dlpack__] memory of the CPU has no stream; pass stream=None");
  if (!PyIndex_Check(stream.ptr())) raise(ErrorKind::type, "[__dlpack__] stream must be an int or None");
  nb::object number = nb::steal(PyNumber_Index(stream.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  auto value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  if (value == 0)
    raise(ErrorKind::value, "[__dlpack__] stream 0 is ambiguous; pass 1 (the legacy default stream) or 2 (the thread's own)");
  if (value < -1) raise(ErrorKind::value, "[__dlpack__] {} is not a stream", value);
  return value;
}

std::pair<int, int> two_numbers(nb::handle given, const char* name) {
  if (!PyTuple_Check(given.ptr()) || PyTuple_GET_SIZE(given.ptr()) != 2)
    raise(ErrorKind::type, "[__dlpack__] {} must be None or a tuple with two elements", name);
  std::array<int, 2> numbers{};
  for (size_t i = 0; i < 2; ++i) {
    nb::object index = nb::steal(PyNumber_Index(nb::object(given[i]).ptr()));
    if (!index.is_valid()) throw nb::python_error();
    int64_t value = PyLong_AsLongLong(index.ptr());
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    numbers[i] = static_cast<int>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
  }
  return {numbers[0], numbers[1]};
}

// `copy`, which NumPy takes as any value that is true or false, but no string.
bool is_true(nb::handle copy) {
  if (PyUnicode_Check(copy.ptr()))
    raise(ErrorKind::value, "[__dlpack__] strings are not allowed for 'copy' keyword. Use True/False/None instead.");
  int result = PyObject_IsTrue(copy.ptr());
  if (result < 0) throw nb::python_error();
  return result > 0;
}

nb::object to_dlpack(const Array& given, nb::handle stream, nb::handle max_version, nb::handle wanted, nb::handle copy) {
  if (is_record(given.dtype()))
    raise(ErrorKind::buffer,
          "[__dlpack__] DLPack supports no structured dtypes and no irregular strides; export a field, or a copy");
  bool versioned = !max_version.is_none() && two_numbers(max_version, "max_version").first >= 1;
  bool must_copy = !copy.is_none() && is_true(copy), must_not = !copy.is_none() && !must_copy;
  DLDevice device = dl_device_of(given), to = device;
  if (!wanted.is_none()) {
    auto [type, number] = two_numbers(wanted, "dl_device");
    to = {type, number};
  }
  int64_t on = consumer_stream(stream, device.type == dl_cpu);

  Array array = given;
  bool copied = false;
  if (!(to == device)) {
    bool is_gpu = to.type == dl_cuda && device.type == dl_cuda && to.number >= 0 && to.number < cuda_device_count();
    if (to.type != dl_cpu && !is_gpu)
      raise(ErrorKind::buffer, "[__dlpack__] the array is on {}; it can be exported there{} or to the CPU",
            context_on(given.device()).name(), device.type == dl_cuda ? ", to another GPU" : "");
    if (must_not)
      raise(ErrorKind::buffer, "[__dlpack__] the array is on {}; exporting it to another device requires a copy",
            context_on(given.device()).name());
    array = moved_to(given, is_gpu ? cuda_context(to.number) : cpu_context());
    copied = true;
  } else if (must_copy) {
    array = astype(given, given.dtype());
    copied = true;
  }
  bool read_only = !copied && array.is_read_only();
  if (read_only && !versioned)
    raise(ErrorKind::buffer, "[__dlpack__] the array is read-only, which only DLPack 1.0 can say; pass max_version=(1, 0)");

  auto out = std::make_unique<Export>();
  out->exposure = expose(array);
  out->shape = array.shape();
  out->strides = array.layout().strides;
  char* data = static_cast<char*>(out->exposure.buffer().pointer()) + offset_in_bytes(array);
  DLTensor tensor{array.size() > 0 ? data : nullptr,
                  to,
                  static_cast<int32_t>(array.rank()),
                  dl_type(array.dtype()),
                  out->shape.data(),
                  out->strides.data(),
                  0};
  if (to.type != dl_cpu && on != -1) order_foreign_stream(context_on(array.device()), static_cast<uintptr_t>(on), false);
  out->plain = {tensor, out.get(), &delete_plain};
  out->versioned = {1, 0, out.get(), &delete_versioned, (read_only ? dl_read_only : 0) | (copied ? dl_copied : 0), tensor};
  nb::object capsule = nb::steal(versioned ? PyCapsule_New(&out->versioned, versioned_name, &drop_versioned)
                                           : PyCapsule_New(&out->plain, plain_name, &drop_plain));
  if (!capsule.is_valid()) throw nb::python_error();
  out.release();
  return capsule;
}

Array alias_of(const DLTensor& tensor, bool read_only, void (*release)(void*), void* what) {
  bool on_host = tensor.device.type == dl_cpu || tensor.device.type == dl_cuda_host;
  if (!on_host && tensor.device.type != dl_cuda && tensor.device.type != dl_cuda_managed)
    raise(ErrorKind::buffer, "[from_dlpack] memory of device type {} cannot be reached; copy it to the CPU first",
          tensor.device.type);
  Context& context = on_host ? cpu_context() : cuda_context(tensor.device.number);
  auto rank = static_cast<size_t>(tensor.ndim);
  Shape shape(rank);
  for (size_t i = 0; i < rank; ++i) shape[i] = tensor.shape[i];
  std::vector<int64_t> strides = Layout::contiguous(shape).strides;
  if (tensor.strides) strides.assign(tensor.strides, tensor.strides + rank);
  char* data = tensor.data ? static_cast<char*>(tensor.data) + tensor.byte_offset : nullptr;
  return alias(context, data, shape, strides, dtype_of(tensor.dtype), read_only, release, what);
}

NumPyArray from_capsule(nb::handle capsule) {
  if (!PyCapsule_CheckExact(capsule.ptr())) raise(ErrorKind::type, "[from_dlpack] __dlpack__ did not return a capsule");
  const char* name = PyCapsule_GetName(capsule.ptr());
  std::string kind = name ? name : "";
  if (kind == plain_used || kind == versioned_used)
    raise(ErrorKind::value, "[from_dlpack] a capsule cannot be consumed multiple times; export the array again");
  Array out;
  if (kind == versioned_name) {
    auto* managed = static_cast<DLManagedVersioned*>(PyCapsule_GetPointer(capsule.ptr(), versioned_name));
    if (managed->major != 1)
      raise(ErrorKind::buffer, "[from_dlpack] a capsule of DLPack {}.{} cannot be read; request version 1", managed->major,
            managed->minor);
    out = alias_of(
        managed->tensor, managed->flags & dl_read_only,
        [](void* what) {
          auto* m = static_cast<DLManagedVersioned*>(what);
          if (m->deleter) m->deleter(m);
        },
        managed);
    PyCapsule_SetName(capsule.ptr(), versioned_used);
  } else if (kind == plain_name) {
    auto* managed = static_cast<DLManaged*>(PyCapsule_GetPointer(capsule.ptr(), plain_name));
    out = alias_of(
        managed->tensor, false,
        [](void* what) {
          auto* m = static_cast<DLManaged*>(what);
          if (m->deleter) m->deleter(m);
        },
        managed);
    PyCapsule_SetName(capsule.ptr(), plain_used);
  } else {
    raise(ErrorKind::type, "[from_dlpack] a capsule named '{}' is not DLPack's", kind);
  }
  PyCapsule_SetDestructor(capsule.ptr(), nullptr);
  return out;
}

// The address as a number: nobody says when it is no longer used.
uintptr_t exposed_address(const Array& array) {
  Exposure exposure = expose(array);
  auto address = reinterpret_cast<uintptr_t>(exposure.buffer().pointer()) + static_cast<uintptr_t>(offset_in_bytes(array));
  exposure.keep_for_good();
  gather_streams(context_on(array.device()));
  return address;
}

}  // namespace

void release_foreign() { release_gone(); }

// Does a function of quern's own ask, not a program or another library?
static bool is_asked_from_within() {
  PyObject* globals = PyEval_GetGlobals();
  PyObject* package = globals ? PyDict_GetItemString(globals, "__package__") : nullptr;
  return !globals || (package && PyUnicode_Check(package) && nb::cast<std::string>(nb::handle(package)).starts_with("quern"));
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    const Array& array = *as_array(self);
    if (door_of(self).refuses_host_arrays && !is_asked_from_within())
      raise(ErrorKind::type,
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly.");
    if (array.device().is_gpu())
      raise(ErrorKind::buffer, "[memoryview] the array is on {}, where Python cannot see it; copy it with asnumpy()",
            context_on(array.device()).name());
    std::string format = buffer_format(array.dtype());
    if (format.empty())
      raise(ErrorKind::buffer, "[memoryview] {} has no format in the buffer protocol; export its bits, x.view('{}')",
            row(array.dtype()).name, is_record(array.dtype()) ? formatted("V{}", size_of(array.dtype())) : "uint16");
    if ((flags & PyBUF_WRITABLE) && array.is_read_only()) raise(ErrorKind::buffer, "[memoryview] the array is read-only");
    const Layout& layout = array.layout();
    auto asked = [&](int what) { return (flags & what) == what; };
    const ElementLayout lies(array);
    bool is_c = lies->is_contiguous(), is_fortran = lies->is_fortran();
    bool fits = asked(PyBUF_F_CONTIGUOUS)     ? is_fortran
                : asked(PyBUF_ANY_CONTIGUOUS) ? is_c || is_fortran
                : asked(PyBUF_C_CONTIGUOUS)   ? is_c
                                              : is_c || asked(PyBUF_STRIDES);
    if (!fits) raise(ErrorKind::buffer, "[memoryview] the array does not have the requested memory layout; make a copy first");
    auto out = std::make_unique<BufferView>();
    out->exposure = expose(array);
    auto size = static_cast<Py_ssize_t>(size_of(array.dtype()));
    out->shape.assign(layout.shape.begin(), layout.shape.end());
    for (int64_t stride : strides_in_bytes(array)) out->strides.push_back(stride);
    if (array.size() == 0) {  // what buffers have, as if there were elements
      Py_ssize_t step = size;
      for (size_t i = layout.rank(); i-- > 0; step *= std::max<Py_ssize_t>(out->shape[i], 1)) out->strides[i] = step;
    }
    out->format = std::move(format);
    view->buf = static_cast<char*>(out->exposure.buffer().pointer()) + offset_in_bytes(array);
    view->len = array.size() * size;
    view->itemsize = size;
    view->readonly = array.is_read_only();
    view->ndim = asked(PyBUF_ND) ? static_cast<int>(array.rank()) : 1;
    view->format = asked(PyBUF_FORMAT) ? out->format.data() : nullptr;
    view->shape = asked(PyBUF_ND) ? out->shape.data() : nullptr;
    view->strides = asked(PyBUF_STRIDES) ? out->strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = out.release();
    view->obj = Py_NewRef(self);
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<BufferView*>(view->internal); }

void define_exchange(nb::module_& m, nb::class_<Array>& type) {
  nb::handle none = nb::none();
  type.def("__dlpack__", &to_dlpack, nb::kw_only(), nb::arg("stream").none() = none, nb::arg("max_version").none() = none,
           nb::arg("dl_device").none() = none, nb::arg("copy").none() = none,
           "A DLPack capsule of this memory. `max_version`: (1, 0) or later gives a versioned one; `copy`: True for new memory, "
           "False for\n"
           "never; `dl_device`: (1, 0) brings it to the CPU, (2, n) to GPU n; `stream`: the consumer's on a GPU, which waits for "
           "our work.\n"
           "Raises BufferError for what cannot be exported so.")
      .def("__dlpack_device__",
           [](const Array& a) {
             DLDevice device = dl_device_of(a);
             return std::make_pair(device.type, device.number);
           })
      .def_prop_rw(
          "_writeable", [](const Array& a) { return !a.is_read_only(); },
          [](Array& a, bool value) {
            a.set_read_only(false);
            if (value && a.is_read_only()) raise(ErrorKind::value, "cannot set WRITEABLE flag to True of this array");
            a.set_read_only(!value);
          })
      .def("_is_view", &Array::is_view)
      .def_prop_ro("_pinned", &Array::is_exposed)
      .def("_address", &exposed_address);
  m.def("array_from_host", &from_host, nb::arg("memory"), nb::arg("shape"), nb::arg("dtype"), nb::arg("device"),
        nb::arg("strides").none() = nb::none());
  m.def("array_read", [](const Array& array, nb::handle out) {
    HostView host(out, true, "asnumpy");
    read_into(array, host.data(), host.bytes());
  });
  m.def("array_move", [](nb::handle given, PyDevice device) {
    return nb::steal(wrap_beside(moved_to(array_operand(given), *device.context), given.ptr()));
  });
  // The array itself where it is on the current device.
  m.def("array_here", [](nb::handle given) {
    const Array& array = array_operand(given);
    Context& here = current_context();
    return array.device() == here.id() ? nb::borrow(given) : nb::steal(wrap_beside(moved_to(array, here), given.ptr()));
  });
  m.def("array_check_room", [](nb::handle given) {
    const Array& array = array_operand(given);
    check_room(array.size(), array.dtype(), array.device());
  });
  m.def("array_whole", [](nb::handle given) {
    const Array& array = array_operand(given);
    const Array* holder = array.cell()->holder;
    nb::object found = holder ? nb::find(*holder) : nb::object();
    if (found && &door_of(found.ptr()) == &door_of(given.ptr()) && as_array(found.ptr())->cell() == array.cell()) return found;
    const Node& node = *array.cell()->node;
    Array out(array.cell(), node.layout, node.dtype);
    out.set_read_only(array.is_read_only());
    PyTypeObject* type = Py_TYPE(given.ptr());
    nb::object made = nb::steal(wrap_as(std::move(out), result_type(type)));  // not handed_out(): nothing new
    if (is_told(type)) tell(made.ptr(), given.ptr());
    return made;
  });
  m.def(
      "array_alias",
      [](PyDevice device, uintptr_t address, const Shape& shape, std::optional<std::vector<int64_t>> strides,
         const std::string& dtype, bool read_only, nb::handle owner) {
        return NumPyArray(over_address(*device.context, address, shape, std::move(strides), dtype_of(dtype), read_only, owner));
      },
      nb::arg("device"), nb::arg("address"), nb::arg("shape"), nb::arg("strides").none(), nb::arg("dtype"), nb::arg("read_only"),
      nb::arg("owner"));
  m.def("array_over", &over_allocation, nb::arg("memory"), nb::arg("offset"), nb::arg("shape"), nb::arg("strides").none(),
        nb::arg("dtype"));
  m.def("array_from_capsule", &from_capsule);
  m.def("wait_for_stream", [](PyDevice device, uintptr_t stream) { order_foreign_stream(*device.context, stream, true); });
}

}  // namespace quern::python
