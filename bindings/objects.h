// The Python objects of the engine, shared by the files here. They translate and decide nothing.
//
//   module.cpp     the module: a list of init_* calls
//   errors.cpp     the one place where C++ errors become Python exceptions
//   site.cpp       who called: code object and instruction of the first frame outside the package
//   given.cpp      what a Python value is    arguments.cpp  values -> arguments of kernels in CUDA C++; grids and blocks
//   host_values.cpp  numbers, lists and host arrays as arrays: the one reader of all front ends; nested_numbers.cpp
//   device.cpp     devices, streams, events      memory.cpp  allocations, copies, fills
//   textures.cpp   arrays for textures, texture and surface objects
//   kernel.cpp     programs and kernels          trace.cpp   the trace, the cache, reports
//   dispatcher.cpp kernels written in Python
//   types.cpp      data types and layouts        array*.cpp  arrays: operators, indexing, functions of whole arrays
//   user_kernel.cpp  elementwise and reduction kernels of the user's
//   ufunc.cpp      ufunc objects
//   exchange.cpp   memory that arrays share with others
//   faces/         functions of the engine's table in each front end's spelling: face.h
#pragma once

#include "core/error.h"
#include "graph/op.h"
#include "run/context.h"
#include "run/kernel.h"
#include "run/streams.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <string>

namespace nb = nanobind;

namespace quern {
class CudaDevice;
}

namespace quern::python {

struct PyDevice {
  Context* context;
};

// Without a context: the default stream of whatever device is current.
struct PyStream {
  Context* context = nullptr;
  StreamPtr stream;
  Context& where() const { return context ? *context : current_context(); }
  const StreamPtr& get() const { return context ? stream : current_context().default_stream; }
};

struct PyEvent {
  Context* context;
  EventPtr event;
};

// The GPU whose memory or events `what` shares with other processes; raises ErrorKind::logic for the CPU.
CudaDevice& shared_gpu(PyDevice device, const char* what);

// Device memory. `buffer` is empty after free(); `address` stays for messages.
struct PyAllocation {
  Context* context = nullptr;
  Buffer buffer;
  uint64_t address = 0;
  size_t bytes = 0;
  std::optional<DType> holds = std::nullopt;  // of the host array that was last copied in; nothing: nobody knows
  void require_alive(const char* what) const;
};

// Host memory from the device: pinned, managed or registered; or a part of such memory, which keeps it.
struct PyHostMemory {
  enum class What { pinned, managed, registered, part } what = What::pinned;
  Context* context = nullptr;
  void* pointer = nullptr;
  size_t bytes = 0;
  Buffer buffer;     // of pinned memory
  nb::object owner;  // registered memory, or the part, belongs to it
  bool alive = false;
  void* device_pointer() const;
  void free();
  ~PyHostMemory();
};

struct PyProgram {
  std::shared_ptr<Program> program;
};

struct PyKernel {
  std::shared_ptr<Kernel> kernel;
};

void init_errors(nb::module_& m);
void init_sites(nb::module_& m);
void init_devices(nb::module_& m);
void init_memory(nb::module_& m);
void init_textures(nb::module_& m);
void init_kernels(nb::module_& m);
void init_dispatchers(nb::module_& m);
void init_trace(nb::module_& m);
void init_libraries(nb::module_& m);
void init_checks(nb::module_& m);
void init_types(nb::module_& m);
void init_given();
void init_arrays(nb::module_& m);
void init_user_kernels(nb::module_& m);
void init_ufuncs(nb::module_& m);
namespace faces {
void init(nb::module_& m);
}

// Gives up Python's lock for as long as it lives. A thread that comes back after the interpreter went away must not touch it:
// it sleeps until the process ends, as Python's own threads do.
class ReleaseGil {
 public:
  ReleaseGil() : state_(give_up()) {}
  ~ReleaseGil() { take_back(state_); }
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;
  static PyThreadState* give_up();  // the trace knows the line that does, whatever happens meanwhile
  static void take_back(PyThreadState* state);
  static void begin_exit();  // from now on only the calling thread gets it back

 private:
  PyThreadState* state_;
};

// Python's lock for a thread that may not have it, for as long as it lives. At the interpreter's end it sleeps like the one
// above.
class TakeGil {
 public:
  TakeGil();
  ~TakeGil() { PyGILState_Release(state_); }
  TakeGil(const TakeGil&) = delete;
  TakeGil& operator=(const TakeGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// Python callbacks that wait in a stream: while there are any, a launch that must wait for room gives up the lock.
extern std::atomic<int> pending_callbacks;

// Turns the C++ exception in flight into the Python error that is set; for slots, which nanobind does not wrap.
void set_python_error() noexcept;

// Puts one Python value into the arguments. False: not a value this knows; no error is set.
bool add_argument(Arguments& args, PyObject* value);
// Of a NumPy array; nothing for other objects, and for types that are none of ours.
std::optional<DType> host_dtype(nb::handle array);

// A launch's grid, block or bytes: numbers from `least` up. Front ends differ in that, and in the kind of the error for others.
struct DimRule {
  int64_t least;
  ErrorKind kind;
};
uint32_t read_dim(PyObject* value, const char* what, DimRule rule);
Dim3 read_dims(PyObject* value, const char* what, DimRule rule);  // a number, or up to three
// The address behind a value that stands for device memory, once everything recorded is submitted; false when it does not.
bool device_address(PyObject* value, uint64_t& address, Block** block);

// An op of the table on arrays, numbers and NumPy arrays, into an array if there is one. Null without an error set: these
// operands need conversions that are Python's to make.
PyObject* call_op(Op op, PyObject* const* values, size_t count, PyObject* into);
Op op_named(const std::string& name);

// Contiguous memory of a Python object, for as long as this lives.
class HostView {
 public:
  HostView(nb::handle object, bool writable, const char* what);
  ~HostView() { PyBuffer_Release(&view_); }
  HostView(const HostView&) = delete;
  void* data() const { return view_.buf; }
  size_t bytes() const { return static_cast<size_t>(view_.len); }

 private:
  Py_buffer view_;
};

// Keeps `object` until `stream` has passed what is submitted now; released by a later call, never by a worker thread.
void keep_until_done(Context& context, const StreamPtr& stream, nb::handle object);
void release_kept();
// Notifies the owners of memory that no array uses any more; with Python's lock held.
void release_foreign();

// Null for the default stream.
PyStream* stream_or_null(nb::handle object);

}  // namespace quern::python
