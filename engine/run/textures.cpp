#include "run/textures.h"

#include "core/error.h"
#include "run/trace.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace quern {

namespace {

// What was let go of, and is destroyed when the context is idle. Of each context; never destroyed.
class Retired {
 public:
  static Retired& of(Context& context) {
    static std::mutex lock;
    static auto& all = *new std::map<Context*, Retired*>;
    std::lock_guard hold(lock);
    Retired*& found = all[&context];
    if (!found) found = new Retired(context);
    return *found;
  }

  void add(std::function<void()> destroy) {
    std::lock_guard hold(lock_);
    waiting_.push_back(std::move(destroy));
  }

  // Before something new is made.
  void settle() {
    constexpr size_t most = 64;
    size_t count;
    {
      std::lock_guard hold(lock_);
      count = waiting_.size();
    }
    if (count > most) context_.wait_all("textures that are in use");
    if (count && context_.idle()) destroy(count);
  }

  void wait() {
    context_.wait_all("textures that are in use");
    destroy(SIZE_MAX);
  }

 private:
  explicit Retired(Context& context) : context_(context) {}

  void destroy(size_t most) {
    std::vector<std::function<void()>> ready;
    {
      std::lock_guard hold(lock_);
      auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(most, waiting_.size()));
      ready.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
      waiting_.erase(waiting_.begin(), end);
    }
    for (auto& one : ready) one();
  }

  Context& context_;
  std::mutex lock_;
  std::vector<std::function<void()>> waiting_;
};

TextureObjectPtr hold(Context& context, uint64_t handle, DeviceArrayPtr array, void (Textures::*destroy)(uint64_t) noexcept) {
  return {new TextureObject{handle, std::move(array)}, [&context, destroy](TextureObject* object) {
            Retired::of(context).add([&context, destroy, object] {
              (textures(context.device).*destroy)(object->handle);
              delete object;
            });
          }};
}

}  // namespace

DeviceArrayPtr make_array(Context& context, const ArrayShape& shape) {
  check(shape);
  Retired::of(context).settle();
  std::unique_ptr<DeviceArray> made = textures(context.device).create_array(shape);
  if (!made) {
    Retired::of(context).wait();
    context.trim();
    made = textures(context.device).create_array(shape);
  }
  if (!made)
    raise(ErrorKind::out_of_memory, "[Array] no room on {} for {} x {} x {} texels of {} bytes", context.name(), shape.width,
          shape.rows(), shape.slices(), shape.texel.bytes());
  return {made.release(), [&context](DeviceArray* array) { Retired::of(context).add([array] { delete array; }); }};
}

TextureObjectPtr make_texture(Context& context, const TextureSource& source, const TextureSettings& settings,
                              DeviceArrayPtr array) {
  check(source, settings);
  Retired::of(context).settle();
  return hold(context, textures(context.device).create_texture(source, settings), std::move(array), &Textures::destroy_texture);
}

TextureObjectPtr make_surface(Context& context, DeviceArrayPtr array) {
  check_surface(*array);
  Retired::of(context).settle();
  uint64_t handle = textures(context.device).create_surface(*array);
  return hold(context, handle, std::move(array), &Textures::destroy_surface);
}

void copy_box(Context& context, const StreamPtr& stream, const BoxSide& to, const BoxSide& from, const Box& box, bool blocking) {
  check(to, "destination", box);
  check(from, "source", box);
  if (box.width_bytes == 0 || box.height == 0 || box.depth == 0) return;
  auto traced_as = to.on_host     ? TraceKind::device_to_host
                   : from.on_host ? TraceKind::host_to_device
                                  : TraceKind::device_to_device;
  Traced traced(traced_as, context.id(), stream.get(), box.width_bytes * box.height * box.depth,
                tracing() ? current_site() : no_site);
  textures(context.device).copy(*stream, to, from, box);
  if (blocking) context.wait(stream, "a copy of a texture's memory");
}

}  // namespace quern
