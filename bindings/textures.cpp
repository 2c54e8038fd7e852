// Arrays for textures and surfaces, the objects that kernels know them by, and copies of boxes to and from arrays.
#include "run/textures.h"
#include "bindings/objects.h"
#include "core/error.h"
#include "device/stream_order.h"

#include <cstring>

namespace quern::python {

namespace {

struct PyDeviceArray {
  Context* context = nullptr;
  DeviceArrayPtr array;
  DeviceArray& alive(const char* what) const {
    if (!array) raise(ErrorKind::logic, "[{}] this array was freed", what);
    return *array;
  }
};

struct PyTextureObject {
  Context* context = nullptr;
  TextureObjectPtr object;
  nb::object memory;  // what it reads, when that is no array
};

PyDeviceArray& array_of(nb::handle object, const char* what) {
  if (!nb::isinstance<PyDeviceArray>(object)) raise(ErrorKind::type, "[{}] an Array is needed", what);
  auto& array = *nb::inst_ptr<PyDeviceArray>(object);
  array.alive(what);
  return array;
}

TextureSettings settings_of(const std::vector<int>& address, bool linear, bool normalized_floats, bool normalized_coordinates,
                            const std::vector<float>& border, unsigned max_anisotropy) {
  TextureSettings out;
  for (size_t axis = 0; axis < address.size() && axis < 3; ++axis) {
    if (address[axis] < 0 || address[axis] > 3) raise(ErrorKind::logic, "[texture] unknown address mode {}", address[axis]);
    out.address[axis] = static_cast<AddressMode>(address[axis]);
  }
  for (size_t c = 0; c < border.size() && c < 4; ++c) out.border[c] = border[c];
  out.linear_filter = linear, out.normalized_floats = normalized_floats, out.normalized_coordinates = normalized_coordinates;
  out.max_anisotropy = max_anisotropy;
  return out;
}

// ("array" | "host" | "device", object, x in bytes, y, z, pitch, rows)
using Side = std::tuple<std::string, nb::object, size_t, size_t, size_t, size_t, size_t>;

class SideView {
 public:
  SideView(const Side& given, bool writable) {
    auto& [kind, object, x_bytes, y, z, pitch, rows] = given;
    side.x_bytes = x_bytes, side.y = y, side.z = z, side.pitch = pitch, side.rows = rows;
    if (kind == "array") {
      side.array = &array_of(object, "copy").alive("copy");
    } else if (kind == "host") {
      host_ = std::make_unique<HostView>(object, writable, "copy");
      side.memory = host_->data(), side.on_host = true;
    } else {
      uint64_t address;
      if (!device_address(object.ptr(), address, &block_)) raise(ErrorKind::type, "[copy] device memory is needed");
      side.memory = reinterpret_cast<void*>(address);
    }
  }
  void used_on(const StreamPtr& stream) {
    if (block_) quern::used_on(stream, *block_);
  }
  BoxSide side;

 private:
  std::unique_ptr<HostView> host_;
  Block* block_ = nullptr;
};

void copy(PyDevice device, const Side& to, const Side& from, std::tuple<size_t, size_t, size_t> box, nb::handle stream,
          bool blocking) {
  release_kept();
  SideView target(to, true), source(from, false);
  PyStream* given = stream_or_null(stream);
  const StreamPtr& on = given ? given->stream : device.context->default_stream;
  target.used_on(on);
  source.used_on(on);
  auto [depth, height, width] = box;
  {
    ReleaseGil release;
    copy_box(*device.context, on, target.side, source.side, {width, height, depth}, blocking);
  }
  if (blocking || on->idle()) return;
  for (const Side* side : {&to, &from}) keep_until_done(*device.context, on, std::get<1>(*side));
}

}  // namespace

void init_textures(nb::module_& m) {
  nb::class_<PyDeviceArray>(m, "DeviceArray", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("__init__",
           [](PyDeviceArray* self, PyDevice device, size_t width, size_t height, size_t depth, int format, int channels,
              unsigned flags) {
             ArrayShape shape{width, height, depth, checked_texel("Array", format, channels), flags};
             DeviceArrayPtr made = make_array(*device.context, shape);
             new (self) PyDeviceArray{device.context, std::move(made)};
           })
      .def("free",
           [](PyDeviceArray& a) {
             a.alive("free");
             a.array.reset();
           })
      .def_prop_ro("alive", [](const PyDeviceArray& a) { return static_cast<bool>(a.array); })
      .def_prop_ro("device", [](const PyDeviceArray& a) { return PyDevice{a.context}; })
      .def_prop_ro("native", [](const PyDeviceArray& a) { return a.alive("Array").native(); })
      .def_prop_ro("extents",  // as they were given
                   [](const PyDeviceArray& a) {
                     const ArrayShape& s = a.alive("Array").shape;
                     return nb::make_tuple(s.width, s.height, s.depth);
                   })
      .def_prop_ro("format", [](const PyDeviceArray& a) { return static_cast<int>(a.alive("Array").shape.texel.format); })
      .def_prop_ro("channels", [](const PyDeviceArray& a) { return a.alive("Array").shape.texel.channels; })
      .def_prop_ro("texel_bytes", [](const PyDeviceArray& a) { return a.alive("Array").shape.texel.bytes(); })
      .def_prop_ro("array_flags", [](const PyDeviceArray& a) { return a.alive("Array").shape.flags; });

  nb::class_<PyTextureObject>(m, "TextureObject", nb::is_weak_referenceable())
      .def_prop_ro("handle", [](const PyTextureObject& t) { return t.object->handle; });

  m.def(
      "texture_of_array",
      [](nb::handle array, std::vector<int> address, bool linear, bool normalized_floats, bool normalized_coordinates,
         std::vector<float> border, unsigned max_anisotropy) {
        PyDeviceArray& given = array_of(array, "texture");
        TextureSource source;
        source.array = given.array.get();
        auto settings = settings_of(address, linear, normalized_floats, normalized_coordinates, border, max_anisotropy);
        return PyTextureObject{given.context, make_texture(*given.context, source, settings, given.array), {}};
      },
      nb::arg("array"), nb::arg("address"), nb::arg("linear"), nb::arg("normalized_floats"), nb::arg("normalized_coordinates"),
      nb::arg("border") = std::vector<float>(), nb::arg("max_anisotropy") = 0);
  m.def(
      "texture_of_memory",
      [](PyDevice device, nb::object memory, std::tuple<size_t, size_t, size_t, size_t> extents, int format, int channels,
         std::vector<int> address, bool linear, bool normalized_floats, bool normalized_coordinates, std::vector<float> border,
         unsigned max_anisotropy) {
        TextureSource source;
        uint64_t start;
        Block* block;
        if (!device_address(memory.ptr(), start, &block)) raise(ErrorKind::type, "[texture] device memory is needed");
        if (block) block->escaped = true;  // no launch names it
        source.memory = reinterpret_cast<void*>(start);
        std::tie(source.bytes, source.width, source.height, source.pitch) = extents;
        source.texel = checked_texel("texture", format, channels);
        size_t bytes = source.height ? source.height * source.pitch : source.bytes;
        if (block && start + bytes > reinterpret_cast<uint64_t>(block->pointer) + block->bytes)
          raise(ErrorKind::logic, "[texture] {} bytes from that address exceed the device memory's {} bytes", bytes,
                block->bytes);
        auto settings = settings_of(address, linear, normalized_floats, normalized_coordinates, border, max_anisotropy);
        return PyTextureObject{device.context, make_texture(*device.context, source, settings, nullptr), memory};
      },
      nb::arg("device"), nb::arg("memory"), nb::arg("extents"), nb::arg("format"), nb::arg("channels"), nb::arg("address"),
      nb::arg("linear"), nb::arg("normalized_floats"), nb::arg("normalized_coordinates"),
      nb::arg("border") = std::vector<float>(), nb::arg("max_anisotropy") = 0);
  m.def("surface_of_array", [](nb::handle array) {
    PyDeviceArray& given = array_of(array, "surface");
    return PyTextureObject{given.context, make_surface(*given.context, given.array), {}};
  });
  m.def("copy_box", copy, nb::arg("device"), nb::arg("to"), nb::arg("from"), nb::arg("box"),
        nb::arg("stream").none() = nb::none(), nb::arg("blocking") = true);
}

}  // namespace quern::python
