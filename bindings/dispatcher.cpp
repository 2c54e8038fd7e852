// Kernels written in Python: a call's arguments -> their types -> the kernel compiled for those -> packed bytes -> launch.
//
// A Dispatcher is the base of what @cuda.jit makes; dispatcher[grid, block, stream, shared] is a Launch, which is called. Types
// that were not seen before go to the method `_compile`, which is Python's (quern/kernel/dispatcher.py); all other calls stay
// here. Start at call_launch(), then Reader.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>

#include "bindings/arrays.h"
#include "bindings/given.h"
#include "bindings/records.h"
#include "core/error.h"
#include "graph/records.h"
#include "graph/tape.h"
#include "run/host_arguments.h"
#include "run/kernel.h"
#include "run/traced_work.h"
#include "run/transfer.h"

namespace quern::python {

namespace {

using What = Given::What;

// A kernel for given types.
struct Compiled {
  std::shared_ptr<Kernel> kernel;
  std::vector<bool> writes;                   // for each parameter
  std::vector<std::optional<DType>> numbers;  // the type that it takes, of those that are numbers
  std::string dynamic_shared;                 // the place that uses such memory; "": none
  bool cooperative = false;                   // its blocks wait for each other
  bool turned = false;                        // it takes a block's x for y (quern/kernel/transposed_indexing.py)
  std::vector<nb::object> found;              // arrays that its function found around it: arguments behind the others
};

struct PyDispatcher {
  std::unordered_map<std::string, Compiled> compiled;  // by device and types
  bool by_shape = false;                               // ... and by the launch's shape, which its code depends on
};

struct PyLaunch {
  nb::object dispatcher;
  LaunchShape shape;
  nb::object stream;     // None: the current one
  nb::object callbacks;  // what is called before each launch, a list; null: nobody asked for it
};

// Callbacks of quern/cuda/warned.py: for grids of less than so many blocks, for arguments that lie on the host. None:
// nobody.
struct Watchers {
  nb::object of_grids = nb::none(), of_copies = nb::none();
  uint64_t few_blocks = 0;
};
Watchers& watchers() {
  static auto* made = new Watchers();
  return *made;
}

// NumPy's record types that kernels have seen: a key has the place in here. Equal types have one place.
nb::list& record_types() {
  static nb::list* seen = new nb::list();
  return *seen;
}
// Of datetime64 or timedelta64, which kernels have as integers of 64 bits.
bool is_of_times(nb::handle dtype) {
  const std::string kind = nb::cast<std::string>(nb::object(dtype.attr("kind")));
  return (kind == "M" || kind == "m") && nb::cast<bool>(dtype.attr("isnative"));
}
// -1: neither a record's type nor one of times.
int record_number(nb::handle dtype) {
  if (dtype.attr("names").is_none() && !is_of_times(dtype)) return -1;
  nb::list& seen = record_types();
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].is(dtype) || (seen[i].equal(dtype) && seen[i].attr("isalignedstruct").equal(dtype.attr("isalignedstruct"))))
      return static_cast<int>(i);
  }
  if (seen.size() == 10000) raise(ErrorKind::value, "[launch] kernels accept up to 10,000 structured dtypes in one process");
  seen.append(dtype);
  return static_cast<int>(seen.size()) - 1;
}

// Classes of named tuples and enumerations that kernels have seen: a key has the place in here.
nb::list& python_classes() {
  static nb::list* seen = new nb::list();
  return *seen;
}
size_t class_number(PyTypeObject* type) {
  nb::list& seen = python_classes();
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].is(reinterpret_cast<PyObject*>(type))) return i;
  }
  if (seen.size() == 10000) raise(ErrorKind::value, "[launch] kernels accept up to 10,000 Python classes in one process");
  seen.append(nb::handle(reinterpret_cast<PyObject*>(type)));
  return seen.size() - 1;
}

std::optional<DType> dtype_of_format(const char* format, Py_ssize_t size) {
  if (!format) return std::nullopt;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (std::strcmp(format, "l") == 0 || std::strcmp(format, "n") == 0) format = "q";
  if (std::strcmp(format, "L") == 0 || std::strcmp(format, "N") == 0) format = "Q";
  for (size_t i = 0; i < dtype_count; ++i) {
    if (dtype_rows[i].format == format && dtype_rows[i].size == size) return static_cast<DType>(i);
  }
  return std::nullopt;
}

// ---- one call's arguments

struct Leaf {
  enum class What : uint8_t { number, array, host } what;
  DType dtype;
  bool in = true, out = true;  // of host arrays: copied in, copied back
  const Array* array = nullptr;
  uint64_t address = 0;  // of arrays, with the block
  Block* block = nullptr;
  size_t view = 0;         // of host arrays: its place among the views
  bool is_record = false;  // one record: the kernel gets its address alone
  char value[16] = {};     // of numbers
};

class Reader {
 public:
  ~Reader() {
    for (Py_buffer& view : views_) PyBuffer_Release(&view);
  }
  void read(PyObject* value, bool in = true, bool out = true) {
    Given given = classified(value);
    switch (given.what) {
      case What::array:
        return add_array(*as_array(value));
      case What::none:
        key += 'N';
        return;
      case What::boolean: {
        bool truth = value == Py_True;
        return add_number(DType::boolean, &truth);
      }
      case What::real: {
        double number = PyFloat_AS_DOUBLE(value);
        return add_number(DType::float64, &number);
      }
      case What::integer:
        return add_integer(value);
      case What::complex: {
        double parts[2] = {PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value)};
        return add_number(DType::complex128, parts);
      }
      case What::number: {
        nb::object room;
        if (!given.has_dtype) return add_time(value);
        return add_number(given.dtype, bytes_of(given, value, room));
      }
      case What::host_array:
        return add_host(value, in, out);
      case What::record:
        return add_record(value, in, out);
      case What::tuple:
        if (!PyTuple_CheckExact(value) && PyObject_HasAttrString(value, "_fields"))
          key += formatted("T{:04}", class_number(Py_TYPE(value)));
        key += '(';
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) read(PyTuple_GET_ITEM(value, i));
        key += ')';
        return;
      case What::transfer: {
        auto* transfer = nb::inst_ptr<PyTransfer>(value);
        return read(transfer->value.ptr(), transfer->in, transfer->out);
      }
      default:
        return from_others(value);
    }
  }

  std::string key;  // the types; equal keys are equal types
  std::vector<Leaf> leaves;
  const Py_buffer& view(const Leaf& leaf) const { return views_[leaf.view]; }
  bool has_host_arrays() const { return !views_.empty(); }

 private:
  void add(char what, DType dtype) {
    key += what;
    key += static_cast<char>('a' + static_cast<int>(dtype));
  }
  // `aligned_at`: the multiples of so many bytes that elements lie at, where their type wants more; 0: as it wants them.
  void add_axes(size_t rank, char layout, bool read_only, size_t aligned_at = 0) {
    key += static_cast<char>('0' + rank);
    key += layout;
    key += read_only ? 'r' : 'w';
    key += static_cast<char>('0' + aligned_at);
  }
  void add_number(DType dtype, const void* bytes) {
    add('S', dtype);
    Leaf leaf{Leaf::What::number, dtype};
    std::memcpy(leaf.value, bytes, size_of(dtype));
    leaves.push_back(leaf);
  }
  // GPUs, and vectors of the CPU, read whole numbers only where these lie at multiples of their size; memory itself begins at
  // one. What elements lie at instead, if that is less than is theirs; else 0.
  static size_t lower_alignment(uint64_t address, std::span<const int64_t> shape, std::span<const int64_t> strides, size_t size) {
    const uint64_t wanted = std::min<uint64_t>(16, size & -size);
    uint64_t places = address;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 0) return 0;
      if (shape[i] > 1) places |= static_cast<uint64_t>(strides[i]);
    }
    return places % wanted == 0 ? 0 : places & -places;
  }
  // Of host arrays, which a GPU has copies of.
  static size_t lower_alignment(const Py_buffer& view) {
    if (current_context().device.kind != DeviceKind::cpu) return 0;
    const auto rank = static_cast<size_t>(view.ndim);
    static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
    return lower_alignment(reinterpret_cast<uint64_t>(view.buf), {reinterpret_cast<const int64_t*>(view.shape), rank},
                           {reinterpret_cast<const int64_t*>(view.strides), rank}, static_cast<size_t>(view.itemsize));
  }
  void add_time(PyObject* value) {
    const nb::object dtype = nb::handle(value).attr("dtype");
    if (!is_of_times(dtype)) refuse(value);
    key += formatted("V{:04}0", record_number(dtype));
    Leaf leaf{Leaf::What::number, DType::int64};
    const nb::bytes bytes = nb::cast<nb::bytes>(nb::handle(value).attr("tobytes")());
    std::memcpy(leaf.value, bytes.c_str(), 8);
    leaves.push_back(leaf);
  }
  void add_integer(PyObject* value) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) return add_number(DType::int64, &number);
    unsigned long long natural = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
      PyErr_Clear();
      raise(ErrorKind::overflow, "[launch] argument {} is an int that does not fit into 64 bits", leaves.size() + 1);
    }
    add_number(DType::uint64, &natural);
  }
  void add_array(const Array& array) {
    check_no_gradient("launch", array);
    const ElementLayout layout(array);
    check_rank(layout->rank());
    char order = layout->is_contiguous() ? 'C' : layout->is_fortran() ? 'F' : 'A';
    DType dtype = array.dtype();
    if (has_records(dtype)) {
      int number = record_number(numpy_type_of(dtype));
      if (number < 0)
        raise(ErrorKind::type, "[launch] argument {} is an array of {}; kernels accept structured dtypes that have fields",
              leaves.size() + 1, row(dtype).name);
      add_records(number);
    } else {
      dtype = settled_type(dtype);
      add('A', dtype);
    }
    size_t aligned_at = 0;
    if (is_record(array.dtype()))
      aligned_at = lower_alignment(static_cast<uint64_t>(offset_in_bytes(array)), layout->shape, strides_in_bytes(array),
                                   size_of(array.dtype()));
    add_axes(layout->rank(), order, array.is_read_only(), aligned_at);
    Leaf leaf{Leaf::What::array, dtype};
    leaf.array = &array;
    leaves.push_back(leaf);
  }
  void add_host(PyObject* value, bool in, bool out) {
    Py_buffer view;
    std::optional<DType> dtype;
    if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) != 0) {
      // bfloat16 has no letter there. Records whose fields overlap, say, have no buffer; their bytes have.
      nb::python_error error;
      nb::object given = nb::handle(value).attr("dtype");
      if (given.attr("names").is_none()) {
        const std::string kind = nb::cast<std::string>(nb::object(given.attr("kind")));
        if (kind == "M" || kind == "m") {
          made_.push_back(nb::handle(value).attr("view")("int64"));
          if (PyObject_GetBuffer(made_.back().ptr(), &view, PyBUF_FULL_RO & ~PyBUF_FORMAT) != 0) throw nb::python_error();
        } else {
          if (dtype_named(nb::cast<std::string>(nb::str(nb::object(given.attr("name"))))) != DType::bfloat16) throw error;
          if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO & ~PyBUF_FORMAT) != 0) throw nb::python_error();
          if (nb::cast<bool>(given.attr("isnative"))) dtype = DType::bfloat16;
        }
      } else {
        made_.push_back(nb::handle(value).attr("view")(nb::str("V") + nb::str(nb::object(given.attr("itemsize")))));
        if (PyObject_GetBuffer(made_.back().ptr(), &view, PyBUF_FULL_RO) != 0) throw nb::python_error();
      }
    }
    views_.push_back(view);
    if (!dtype) dtype = dtype_of_format(view.format, view.itemsize);
    int record = dtype ? -1 : record_number(nb::handle(value).attr("dtype"));
    if (!dtype && record < 0) {
      std::string text = nb::cast<std::string>(nb::str(nb::object(nb::handle(value).attr("dtype"))));
      raise(ErrorKind::type, "[launch] argument {} is a NumPy array of {}; kernels accept numeric dtypes in native byte order",
            leaves.size() + 1, text);
    }
    check_rank(static_cast<size_t>(view.ndim));
    char layout = PyBuffer_IsContiguous(&view, 'C') ? 'C' : PyBuffer_IsContiguous(&view, 'F') ? 'F' : 'A';
    if (dtype)
      add('A', *dtype);
    else
      add_records(record);
    add_axes(static_cast<size_t>(view.ndim), layout, view.readonly, lower_alignment(view));
    Leaf leaf{Leaf::What::host, dtype.value_or(DType::uint8)};
    leaf.in = in, leaf.out = out, leaf.view = views_.size() - 1;
    leaves.push_back(leaf);
  }
  // The type's number in four digits.
  void add_records(int number) { key += formatted("R{:04}", number); }
  // A record of the host: its memory, which the kernel may write.
  void add_record(PyObject* value, bool in, bool out) {
    int number = record_number(nb::handle(value).attr("dtype"));
    Py_buffer view;
    if (number < 0 || PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) != 0) {
      PyErr_Clear();
      raise(ErrorKind::type, "[launch] argument {} is a numpy.void without fields; kernels accept records with fields",
            leaves.size() + 1);
    }
    views_.push_back(view);
    key += formatted("V{:04}{}", number, static_cast<char>('0' + lower_alignment(view)));
    Leaf leaf{Leaf::What::host, DType::uint8};
    leaf.in = in, leaf.out = out, leaf.view = views_.size() - 1, leaf.is_record = true;
    leaves.push_back(leaf);
  }
  void check_rank(size_t rank) const {
    if (rank > 64) raise(ErrorKind::value, "[launch] argument {} has {} dimensions; the maximum is 64", leaves.size() + 1, rank);
  }
  void from_others(PyObject* value) {
    static nb::handle enumeration = nb::object(nb::module_::import_("enum").attr("Enum")).release();
    if (PyObject_IsInstance(value, enumeration.ptr()) == 1) {
      key += formatted("T{:04}", class_number(Py_TYPE(value)));
      made_.push_back(nb::handle(value).attr("value"));
      return read(made_.back().ptr());
    }
    if (has_attribute(value, "__cuda_array_interface__") || has_attribute(value, "__dlpack__")) {
      nb::object interface = nb::getattr(nb::handle(value), "__cuda_array_interface__", nb::none());
      if (nb::isinstance<nb::dict>(interface) && !interface.attr("get")("mask").is_none())
        raise(ErrorKind::not_implemented,
              "[launch] argument {} is a masked array, which kernels do not accept; pass its data and mask", leaves.size() + 1);
      // The same memory, since the kernel may write there.
      made_.push_back(nb::module_::import_("quern.arrays.core").attr("asarray")(nb::handle(value), nb::arg("copy") = false));
      return add_array(*as_array(made_.back().ptr()));
    }
    refuse(value);
  }
  [[noreturn]] void refuse(PyObject* value) const {
    raise(ErrorKind::type, "[launch] argument {} is a {}; kernels accept arrays, numbers, tuples of them and None",
          leaves.size() + 1, Py_TYPE(value)->tp_name);
  }

  std::vector<Py_buffer> views_;
  std::vector<nb::object> made_;
};

// ---- types, for Python: ("int64",), ("float32", 2, "C", False), None, or a list of them for a tuple, (class, list) for a named
// one; for records, their dtype is in place of the name. A last part is what elements are aligned at, where their type wants more

nb::object described(const std::string& key, size_t& at) {
  char what = key[at++];
  if (what == 'N') return nb::none();
  if (what == '(') {
    nb::list parts;
    while (key[at] != ')') parts.append(described(key, at));
    ++at;
    return parts;
  }
  if (what == 'T') {
    nb::object made = python_classes()[std::stoul(key.substr(at, 4))];
    at += 4;
    return nb::make_tuple(made, described(key, at));
  }
  nb::object name;
  if (what == 'R' || what == 'V') {
    name = record_types()[std::stoul(key.substr(at, 4))];
    at += 4;
  } else {
    name = nb::cast(std::string(row(static_cast<DType>(key[at++] - 'a')).name));
  }
  if (what == 'S') return nb::make_tuple(name);
  if (what == 'V') {
    int aligned_at = key[at++] - '0';
    return aligned_at > 0 ? nb::make_tuple(name, aligned_at) : nb::make_tuple(name);
  }
  int rank = key[at++] - '0';
  char layout = key[at++];
  bool read_only = key[at++] == 'r';
  int aligned_at = key[at++] - '0';
  if (aligned_at > 0) return nb::make_tuple(name, rank, std::string(1, layout), read_only, aligned_at);
  return nb::make_tuple(name, rank, std::string(1, layout), read_only);
}

nb::list described(const std::string& key) {
  nb::list out;
  for (size_t at = 0; at < key.size();) out.append(described(key, at));
  return out;
}

// ---- the call

const Compiled& find(nb::handle launch, nb::handle args, Context& context, const Reader& reader) {
  const auto* given = nb::inst_ptr<PyLaunch>(launch.ptr());
  auto& dispatcher = *nb::inst_ptr<PyDispatcher>(given->dispatcher.ptr());
  auto& known = dispatcher.compiled;
  auto key_now = [&] {
    std::string key = reader.key + static_cast<char>('0' + context.id().key());
    const LaunchShape& shape = given->shape;
    if (dispatcher.by_shape)
      key += formatted("{} {} {}", join_text(shape.grid, ","), join_text(shape.block, ","), shape.dynamic_shared);
    return key;
  };
  std::string key = key_now();
  auto found = known.find(key);
  if (found != known.end()) return found->second;
  // (program, symbol, writes, the place of dynamic shared memory, cooperative, turned, types of numbers[, arrays found, by
  // shape])
  nb::tuple made = nb::cast<nb::tuple>(given->dispatcher.attr("_compile")(described(reader.key), launch, args));
  Compiled compiled;
  compiled.kernel = nb::inst_ptr<PyProgram>(nb::handle(made[0]).ptr())->program->kernel(nb::cast<std::string>(made[1]));
  for (nb::handle writes : made[2]) compiled.writes.push_back(nb::cast<bool>(writes));
  compiled.dynamic_shared = nb::cast<std::string>(made[3]);
  compiled.cooperative = nb::cast<bool>(made[4]);
  compiled.turned = nb::cast<bool>(made[5]);
  for (nb::handle name : made[6]) compiled.numbers.push_back(dtype_named(nb::cast<std::string>(name)));
  if (made.size() > 7) {
    for (nb::handle array : made[7]) compiled.found.push_back(nb::borrow(array));
    if (nb::cast<bool>(made[8]) && !dispatcher.by_shape) dispatcher.by_shape = true, key = key_now();
  }
  return known.insert_or_assign(key, std::move(compiled)).first->second;
}

// An array as kernels see it: address, shape, strides in bytes.
void pack_array(Parameters& packed, const void* address, size_t rank, const int64_t* shape, const int64_t* strides,
                int64_t unit) {
  packed.add(address);
  for (size_t i = 0; i < std::max<size_t>(rank, 1); ++i) packed.add(static_cast<long long>(i < rank ? shape[i] : 1));
  for (size_t i = 0; i < std::max<size_t>(rank, 1); ++i) packed.add(static_cast<long long>(i < rank ? strides[i] * unit : 0));
}

// An integer in 64 bits, of which a narrower type takes the lower ones, as in C.
uint64_t bits_of(const Leaf& leaf) {
  const size_t size = size_of(leaf.dtype), rest = 64 - 8 * size;
  uint64_t bits = 0;
  std::memcpy(&bits, leaf.value, size);
  if (rest > 0 && row(leaf.dtype).kind == DTypeKind::integer)
    bits = static_cast<uint64_t>(static_cast<int64_t>(bits << rest) >> rest);
  return bits;
}

void pack_number(Parameters& packed, const Leaf& leaf, DType wanted) {
  if (wanted == leaf.dtype) {
    packed.raw(leaf.value, size_of(wanted), size_of(wanted));
  } else if (is_integer(wanted) && is_integer(leaf.dtype)) {
    const uint64_t bits = bits_of(leaf);
    packed.raw(&bits, size_of(wanted), size_of(wanted));
  } else {
    Constant constant = constant_of(scalar_of(leaf.dtype, leaf.value), wanted);  // of a signature that was given
    packed.raw(&constant, size_of(wanted), size_of(wanted));
  }
}

void pack_host_array(Parameters& packed, HostArguments& host, const Leaf& leaf, const Py_buffer& view, bool writes) {
  std::vector<int64_t> shape_of(view.shape, view.shape + view.ndim), strides(view.strides, view.strides + view.ndim);
  const bool is_apart = writes && !leaf.out;
  void* address = is_apart ? nullptr : host.in_place(view.buf, shape_of, strides, view.itemsize);
  if (is_apart)
    address = host.add_apart(view.buf, shape_of, strides, view.itemsize);
  else if (!address)
    address = host.add(view.buf, shape_of, strides, view.itemsize, leaf.in, leaf.out && writes);
  else if (!PyObject_HasAttrString(view.obj, "__cuda_memory__"))
    host.must_wait();  // a plain NumPy array is as the kernel leaves it when the launch returns; of a mapped one its user
                       // waits
  if (leaf.is_record) {
    packed.add(address);
    return;
  }
  pack_array(packed, address, shape_of.size(), shape_of.data(), strides.data(), 1);
}

void launch(const Compiled& compiled, const StreamPtr& stream, LaunchShape shape, Reader& reader) {
  Kernel& kernel = *compiled.kernel;
  Context& context = kernel.context();
  if (!compiled.dynamic_shared.empty() && shape.dynamic_shared == 0)
    raise(ErrorKind::logic,
          "[launch] '{}' uses dynamic shared memory ({}) and is launched with 0 bytes of it; pass the size, "
          "kernel[grid, block, stream, nbytes], or a shape other than 0",
          kernel.info().name, compiled.dynamic_shared);
  shape.cooperative = compiled.cooperative;
  shape.turned = compiled.turned;
  const bool traced = tracing();
  TracedWork work;
  Parameters packed;
  HostArguments host(context, stream);
  // What is written gets its memory first: an array that is handed over twice is one memory.
  for (bool writes : {true, false}) {
    for (size_t i = 0; i < reader.leaves.size(); ++i) {
      Leaf& leaf = reader.leaves[i];
      if (leaf.what != Leaf::What::array || compiled.writes[i] != writes) continue;
      leaf.address = writes ? address_for_kernel(*leaf.array, &leaf.block) : address_to_read(*leaf.array, &leaf.block);
    }
  }
  for (size_t i = 0; i < reader.leaves.size(); ++i) {
    const Leaf& leaf = reader.leaves[i];
    if (packed.size() + 1100 > Parameters::limit)
      raise(ErrorKind::value, "[launch] the arguments of '{}' take more than 3,000 bytes; pass fewer", kernel.info().name);
    bool writes = compiled.writes[i];
    if (leaf.what == Leaf::What::number) {
      pack_number(packed, leaf, *compiled.numbers[i]);
    } else if (leaf.what == Leaf::What::array) {
      const Array& array = *leaf.array;
      if (array.device() != context.id())
        raise(ErrorKind::value, "[launch] argument {} of '{}' is on another device; the kernel runs on {}", i + 1,
              kernel.info().name, context.name());
      packed.uses(*leaf.block, writes, !leaf.block->escaped);
      const Layout& layout = array.layout();
      if (traced) add_operand(work, layout, size_of(array.dtype()), array.device());
      pack_array(packed, reinterpret_cast<void*>(leaf.address), layout.rank(), layout.shape.data(), layout.strides.data(),
                 static_cast<int64_t>(unit_of(array.dtype())));
    } else {
      pack_host_array(packed, host, leaf, reader.view(leaf), writes);
    }
  }
  kernel.check(shape);
  kernel.launch(stream, shape, packed, current_site(), std::move(work));
  bool wait = host.any() || (context.device.kind == DeviceKind::cpu && packed.any_exposed());
  if (!wait) return;
  ReleaseGil release;
  host.finish();
}

PyObject* call_launch(PyObject* self, PyObject* args, PyObject* named) {
  return guarded([&]() -> PyObject* {
    auto* given = nb::inst_ptr<PyLaunch>(self);
    if (named && PyDict_Size(named) > 0) raise(ErrorKind::type, "[launch] kernels accept no keyword arguments");
    Reader reader;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) reader.read(PyTuple_GET_ITEM(args, i));
    if (reader.has_host_arrays() && !watchers().of_copies.is_none()) watchers().of_copies(given->dispatcher, nb::handle(args));
    Context& context = current_context();
    const StreamPtr* stream = &current_stream(context);
    if (PyStream* s = stream_or_null(given->stream)) stream = &s->get();
    const Compiled* compiled = &find(self, args, context, reader);
    if (given->callbacks.is_valid() && nb::len(given->callbacks) > 0) {
      const nb::object definition = given->dispatcher.attr("_definition_for")(described(reader.key), nb::handle(self));
      for (nb::handle callback : nb::list(given->callbacks)) callback(definition, nb::handle(self));
      compiled = &find(self, args, context, reader);  // they may have had it compiled anew
    }
    for (const nb::object& array : compiled->found) reader.read(array.ptr());
    launch(*compiled, *stream, given->shape, reader);
    Py_RETURN_NONE;
  });
}

// ---- dispatcher[grid, block, stream, shared]

constexpr DimRule from_one{1, ErrorKind::value};

nb::object stream_of(nb::handle given) {
  if (given.is_none() || nb::isinstance<PyStream>(given)) return nb::borrow(given);
  if (PyLong_Check(given.ptr()) && PyLong_AsLong(given.ptr()) == 0) return nb::none();
  nb::object inner = nb::getattr(given, "_stream", nb::none());
  if (nb::isinstance<PyStream>(inner)) return inner;
  raise(ErrorKind::type, "[launch] the stream must be a Stream or 0, not {}", Py_TYPE(given.ptr())->tp_name);
}

// In Numba's words, which programs look for.
Dim3 dims_of(PyObject* value, const char* name) {
  const bool is_sequence = PyTuple_Check(value) || PyList_Check(value);
  auto said = [&](const char* what) {
    nb::list parts = is_sequence ? nb::list(nb::handle(value)) : nb::list();
    if (!is_sequence) parts.append(nb::handle(value));
    return formatted("[launch] {} must be a sequence of {}integers, got {}", name, what, nb::cast<std::string>(nb::repr(parts)));
  };
  if (is_sequence) {
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    if (count > 3) raise(ErrorKind::value, "{}", said("1, 2 or 3 "));
    for (Py_ssize_t i = 0; i < count; ++i)
      if (!PyIndex_Check(PySequence_Fast_GET_ITEM(value, i))) raise(ErrorKind::type, "{}", said(""));
  } else if (PyFloat_Check(value) || PyUnicode_Check(value) || value == Py_None) {
    raise(ErrorKind::type, "{}", said(""));
  }
  return read_dims(value, name, from_one);
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    Py_ssize_t count = PyTuple_Check(key) ? PyTuple_GET_SIZE(key) : 0;
    if (count < 2 || count > 4)
      raise(ErrorKind::value,
            "[launch] a kernel is launched as kernel[grid, block], or kernel[grid, block, stream, shared_bytes]");
    PyLaunch made{nb::borrow(nb::handle(self)), {}, nb::none(), {}};
    made.shape.grid = dims_of(PyTuple_GET_ITEM(key, 0), "griddim");
    made.shape.block = dims_of(PyTuple_GET_ITEM(key, 1), "blockdim");
    if (watchers().few_blocks > 0) {
      const Dim3& grid = made.shape.grid;
      const uint64_t blocks = static_cast<uint64_t>(grid[0]) * grid[1] * grid[2];
      if (blocks < watchers().few_blocks) watchers().of_grids(nb::handle(self), blocks);
    }
    if (count > 2) made.stream = stream_of(PyTuple_GET_ITEM(key, 2));
    if (count > 3) {
      PyObject* bytes = PyTuple_GET_ITEM(key, 3);
      long long n = PyIndex_Check(bytes) ? PyNumber_AsSsize_t(bytes, nullptr) : -1;
      if (n < 0 || n > 0x7fffffff) raise(ErrorKind::value, "[launch] the size of shared memory must be a non-negative integer");
      made.shape.dynamic_shared = static_cast<uint32_t>(n);
    }
    return nb::cast(std::move(made)).release().ptr();
  });
}

PyType_Slot launch_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_launch)}, {0, nullptr}};
PyType_Slot dispatcher_slots[] = {{Py_mp_subscript, reinterpret_cast<void*>(subscript)}, {0, nullptr}};

}  // namespace

void init_dispatchers(nb::module_& m) {
  nb::class_<PyTransfer>(m, "Transfer", nb::dynamic_attr())
      .def(
          "__init__",
          [](PyTransfer* self, nb::object value, bool in, bool out) { new (self) PyTransfer{std::move(value), in, out}; },
          nb::arg("value"), nb::arg("copies_in"), nb::arg("copies_out"))
      .def_prop_ro("ary_like", [](const PyTransfer& t) { return t.value; });
  nb::class_<PyLaunch>(m, "Launch", nb::type_slots(launch_slots))
      .def_prop_ro("dispatcher", [](const PyLaunch& l) { return l.dispatcher; })
      .def_prop_ro("griddim", [](const PyLaunch& l) { return nb::make_tuple(l.shape.grid[0], l.shape.grid[1], l.shape.grid[2]); })
      .def_prop_ro("blockdim",
                   [](const PyLaunch& l) { return nb::make_tuple(l.shape.block[0], l.shape.block[1], l.shape.block[2]); })
      .def_prop_ro("sharedmem", [](const PyLaunch& l) { return l.shape.dynamic_shared; })
      .def_prop_ro("stream", [](const PyLaunch& l) { return l.stream; })
      .def_prop_ro(
          "pre_launch_callbacks",
          [](PyLaunch& l) {
            if (!l.callbacks.is_valid()) l.callbacks = nb::list();
            return l.callbacks;
          },
          "Functions that are called before each launch, with (kernel, launch).");
  nb::class_<PyDispatcher>(m, "Dispatcher", nb::type_slots(dispatcher_slots), nb::dynamic_attr())
      .def(nb::init<>())
      .def("_forget", [](PyDispatcher& d) { d.compiled.clear(); });
  m.def(
      "watch_launches",
      [](nb::object of_grids, uint64_t few_blocks, nb::object of_copies) {
        watchers() = {of_grids, of_copies, of_grids.is_none() ? 0 : few_blocks};
      },
      nb::arg("of_grids").none(), nb::arg("few_blocks"), nb::arg("of_copies").none());
  m.def("argument_types", [](nb::args values) {
    Reader reader;
    for (nb::handle value : values) reader.read(value.ptr());
    return described(reader.key);
  });
}

}  // namespace quern::python
