#include "run/kernel.h"

#include "core/error.h"
#include "core/log.h"
#include "device/check/checker.h"
#include "device/last_words.h"
#include "run/trace.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace quern {

using Number = ParamType::Number;

Kernel::Kernel(std::shared_ptr<Program> program, LoadedKernel& loaded) : program_(std::move(program)), loaded_(loaded) {
  if (auto types = read_signature(loaded.info.signature); types && types->size() == loaded.info.params.size()) {
    types_ = std::move(*types);
    types_known_ = true;
  }
  const bool is_users = !program_->identity || program_->identity->ops.empty();
  if (is_users && context().device.kind == DeviceKind::cpu) last_words_ = kept_for_last_words(loaded.info.name);
}

std::string Kernel::unlike(size_t argument, DType dtype) const {
  if (!types_known_ || argument >= types_.size() || types_[argument].kind != ParamType::Kind::pointer) return "";
  const ParamType& type = types_[argument];
  const DTypeRow& given = row(dtype);
  // Bytes stand for anything, and complex numbers are pairs; integers as wide as floats may be their bits.
  if (type.size <= 1 || given.size <= 1 || given.kind == DTypeKind::complex || given.kind == DTypeKind::record) return "";
  // Integers of 16 bits are how NumPy's arrays hold what it has no type for, such as bfloat16.
  const bool takes_real = type.scalar == Number::floating && type.size != 2;
  return type.size != given.size || (takes_real && given.kind != DTypeKind::real) ? type.text : "";
}

void Kernel::check(const LaunchShape& shape) const {
  const DeviceInfo& device = context().device.info();
  const KernelInfo& kernel = info();
  for (int d = 0; d < 3; ++d) {
    const char axis = "xyz"[d];
    if (shape.block[d] == 0 || shape.block[d] > device.max_block[d])
      raise(ErrorKind::logic, "[launch] block.{} of '{}' is {}; it must be from 1 to {}", axis, kernel.name, shape.block[d],
            device.max_block[d]);
    if (shape.grid[d] == 0 || shape.grid[d] > device.max_grid[d])
      raise(ErrorKind::logic, "[launch] grid.{} of '{}' is {}; it must be from 1 to {}", axis, kernel.name, shape.grid[d],
            device.max_grid[d]);
  }
  uint64_t threads = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  uint32_t most = std::min(device.max_threads_per_block, kernel.max_threads);
  if (threads > most)
    raise(ErrorKind::logic, "[launch] a block of '{}' has {} x {} x {} = {} threads; {} allows {}", kernel.name, shape.block[0],
          shape.block[1], shape.block[2], threads, most < device.max_threads_per_block ? "the kernel" : "the device", most);
  size_t shared = size_t{kernel.static_shared} + shape.dynamic_shared;
  if (shared > device.max_shared_optin)
    raise(ErrorKind::logic,
          "[launch] '{}' requires {} bytes of shared memory ({} in the kernel, {} at the launch); the device has {} "
          "for a block",
          kernel.name, shared, kernel.static_shared, shape.dynamic_shared, device.max_shared_optin);
}

void Kernel::launch(const StreamPtr& stream, const LaunchShape& shape, Arguments& args) {
  const KernelInfo& kernel = info();
  if (kernel.params_known && args.count() != kernel.params.size()) {
    std::string takes = describe_signature(kernel.signature);
    raise(ErrorKind::type, "[launch] '{}' takes {} argument{}{}; {} given", kernel.name, kernel.params.size(),
          kernel.params.size() == 1 ? "" : "s", takes.empty() ? "" : " (" + takes + ")", args.count());
  }
  check(shape);
  launch(stream, shape, args.parameters(), current_site());
}

void Kernel::launch(const StreamPtr& stream, const LaunchShape& shape, const Parameters& parameters, Site site, TracedWork work) {
  const KernelInfo& kernel = info();
  if (logs(LogLevel::launches))
    log(LogLevel::launches, "launch {} grid {}x{}x{} block {}x{}x{} shared {}", kernel.name, shape.grid[0], shape.grid[1],
        shape.grid[2], shape.block[0], shape.block[1], shape.block[2], shape.dynamic_shared);
  if (check::on()) parameters.tell_checks(loaded_);
  if (last_words_) ran_last(last_words_);
  parameters.use_on(stream);
  Traced traced(TraceKind::launch, context().id(), stream.get(), 0, site);
  if (traced.on()) {
    traced.name(kernel.name);
    traced.kernel(program_->identity, kernel, shape);
    traced.work(std::move(work));
  }
  LaunchShape of_device = shape;
  if (shape.turned) std::swap(of_device.block[0], of_device.block[1]);
  context().device.launch(*stream, loaded_, of_device, parameters.data(), parameters.size(), site);
  // Memory may be given back as soon as this returns: a checked kernel has used it by then.
  if (loaded_.is_checked) stream->synchronize();
}

// ---- arguments

// The parameter the next argument goes to; nullptr when the kernel's parameters are not known, and then arguments lie one after
// the other at their own alignment, as a C caller would put them.
const Param* Arguments::next(size_t natural_size) {
  const KernelInfo& kernel = kernel_.info();
  if (!kernel.params_known) {
    (void)natural_size;
    ++count_;
    return nullptr;
  }
  if (count_ >= kernel.params.size()) {
    std::string takes = describe_signature(kernel.signature);
    raise(ErrorKind::type, "[launch] '{}' takes {} argument{}{}; more were given", kernel.name, kernel.params.size(),
          kernel.params.size() == 1 ? "" : "s", takes.empty() ? "" : " (" + takes + ")");
  }
  return &kernel.params[count_++];
}

bool Arguments::takes_value(size_t size) const {
  const KernelInfo& kernel = kernel_.info();
  if (!kernel.params_known || count_ >= kernel.params.size() || kernel.params[count_].size != size) return false;
  return kernel_.types_known_ ? kernel_.types_[count_].kind != ParamType::Kind::pointer : size != sizeof(void*);
}

const ParamType* Arguments::type() const { return kernel_.types_known_ ? &kernel_.types_[count_ - 1] : nullptr; }

void Arguments::mismatch(const std::string& given) const {
  const KernelInfo& kernel = kernel_.info();
  const ParamType* t = type();
  std::string bytes = kernel.params_known ? formatted("{} bytes", kernel.params[count_ - 1].size) : "";
  std::string wants = t ? t->text : bytes;
  if (t && t->kind == ParamType::Kind::other && !bytes.empty()) wants += " of " + bytes;
  raise(ErrorKind::type, "[launch] argument {} of '{}' is {}, the kernel takes {}; convert it before the call", count_,
        kernel.name, given, wants);
}

char* Arguments::at(const Param* param, size_t size) {
  char* to = parameters_.at(param ? param->offset : (parameters_.size() + size - 1) / size * size, size);
  if (!to)
    raise(ErrorKind::value, "[launch] the arguments of '{}' take more than {} bytes", kernel_.info().name, Parameters::limit);
  return to;
}

void Arguments::pointer(uint64_t address, Block* block) {
  const Param* param = next(8);
  const ParamType* t = type();
  bool fits = t ? t->kind == ParamType::Kind::pointer ||
                      (t->kind == ParamType::Kind::scalar && t->size == 8 && t->scalar != Number::floating)
                : !param || param->size == 8;
  if (!fits) mismatch("a device pointer");
  std::memcpy(at(param, 8), &address, 8);
  if (block) parameters_.uses(*block, true, !block->escaped);
}

namespace {

// A plain number as the bytes of a parameter of `size` bytes; false when it does not go in.
bool put_integer(char* to, size_t size, Number scalar, int64_t value) {
  switch (scalar) {
    case Number::floating:
      if (size == 4) {
        float f = static_cast<float>(value);
        std::memcpy(to, &f, 4);
        return true;
      }
      if (size == 8) {
        double d = static_cast<double>(value);
        std::memcpy(to, &d, 8);
        return true;
      }
      return false;
    case Number::boolean:
      *to = value != 0;
      return true;
    default:
      break;
  }
  if (size < 8) {
    int64_t low = -(int64_t{1} << (8 * size - 1)), high = (int64_t{1} << (8 * size)) - 1;
    if (scalar == Number::unsigned_integer) low = 0;
    if (scalar == Number::integer) high = (int64_t{1} << (8 * size - 1)) - 1;
    if (value < low || value > high) return false;
  }
  std::memcpy(to, &value, size);
  return true;
}

// Numbers that know their type into a parameter of another width. No value: there is no such conversion; false: it does not fit.
std::optional<bool> put_integer_of(char* to, size_t to_size, Number wanted, const void* bytes, size_t size, Number scalar) {
  if (to_size > 8 || (to_size & (to_size - 1)) || size > 8) return std::nullopt;
  uint64_t natural = 0;
  std::memcpy(&natural, bytes, size);
  bool is_negative = scalar == Number::integer && natural >> (8 * size - 1);
  if (is_negative && size < 8) natural |= ~uint64_t{0} << (8 * size);
  if (!is_negative && natural >> 63) {  // a parameter of 8 bytes would have the width
    if (wanted != Number::boolean) return false;
    natural = 1;
  }
  return put_integer(to, to_size, wanted, static_cast<int64_t>(natural));
}

std::optional<bool> put_real_of(char* to, size_t to_size, const void* bytes, size_t size) {
  float narrow;
  double wide;
  if (size == 4 && to_size == 8) {
    std::memcpy(&narrow, bytes, 4);
    wide = narrow;
    std::memcpy(to, &wide, 8);
    return true;
  }
  if (size != 8 || to_size != 4) return std::nullopt;
  std::memcpy(&wide, bytes, 8);
  narrow = static_cast<float>(wide);
  std::memcpy(to, &narrow, 4);
  return std::isinf(narrow) == std::isinf(wide);
}

}  // namespace

// No memory lies in the first pages of any process, or at a negative address.
void Arguments::check_address(int64_t number) const {
  constexpr int64_t lowest = 1 << 12;
  const ParamType* t = type();
  if (!t || t->kind != ParamType::Kind::pointer || number == 0 || number >= lowest) return;
  raise(ErrorKind::type, "[launch] argument {} of '{}' is the number {}, the kernel takes {}; pass an array on the device",
        count_, kernel_.info().name, number, t->text);
}

void Arguments::integer(int64_t value, bool is_boolean) {
  const Param* param = next(8);
  const ParamType* t = type();
  if (t && t->kind == ParamType::Kind::other) mismatch("a Python int");
  check_address(value);
  size_t size = param ? param->size : is_boolean ? 1 : 8;
  Number scalar = t && t->kind == ParamType::Kind::scalar ? t->scalar : Number::none;
  if (size > 8 || (size & (size - 1))) mismatch("a Python int");
  if (!put_integer(at(param, size), size, scalar, value)) {
    std::string wants = t ? t->text : formatted("{} bytes", size);
    raise(ErrorKind::overflow, "[launch] argument {} of '{}' is {}, which does not fit into {}", count_, kernel_.info().name,
          value, wants);
  }
}

void Arguments::natural(uint64_t value) {
  const Param* param = next(8);
  const ParamType* t = type();
  bool fits = (!param || param->size == 8) && !(t && (t->scalar == Number::floating && t->kind == ParamType::Kind::scalar));
  if (!fits) mismatch(formatted("the Python int {}", value));
  std::memcpy(at(param, 8), &value, 8);
}

void Arguments::real(double value) {
  const Param* param = next(8);
  const ParamType* t = type();
  size_t size = param ? param->size : 8;
  bool fits = t ? t->kind == ParamType::Kind::scalar && t->scalar == Number::floating : size == 4 || size == 8;
  if (!fits || (size != 4 && size != 8)) mismatch("a Python float");
  char* to = at(param, size);
  if (size == 4) {
    float f = static_cast<float>(value);
    std::memcpy(to, &f, 4);
  } else {
    std::memcpy(to, &value, 8);
  }
}

void Arguments::complex(double re, double im) {
  const Param* param = next(16);
  const ParamType* t = type();
  size_t size = param ? param->size : 16;
  if ((t && t->kind != ParamType::Kind::other) || (size != 8 && size != 16)) mismatch("a Python complex");
  if (size == 8) {
    float parts[2] = {static_cast<float>(re), static_cast<float>(im)};
    std::memcpy(at(param, 8), parts, 8);
  } else {
    double parts[2] = {re, im};
    std::memcpy(at(param, 16), parts, 16);
  }
}

void Arguments::typed(const void* bytes, size_t size, Number scalar, const char* type_name) {
  const Param* param = next(size);
  const ParamType* t = type();
  if (t && scalar != Number::none) {
    bool want_real = t->kind == ParamType::Kind::scalar && t->scalar == Number::floating;
    bool is_real = scalar == Number::floating;
    if (t->kind == ParamType::Kind::pointer ? is_real : t->kind == ParamType::Kind::scalar && want_real != is_real)
      mismatch(type_name);
  }
  if (!param || param->size == size) {
    if (t && t->kind == ParamType::Kind::pointer && scalar != Number::none && size == 8) {
      int64_t address;
      std::memcpy(&address, bytes, 8);
      check_address(address);
    }
    std::memcpy(param ? at(param, size) : at(nullptr, size), bytes, size);
    return;
  }
  // Of another width than the parameter: the value goes in where it fits.
  if (scalar == Number::none || (t && t->kind != ParamType::Kind::scalar)) mismatch(formatted("{} of {} bytes", type_name, size));
  char* to = at(param, param->size);
  Number wanted = t ? t->scalar : scalar == Number::floating ? Number::floating : Number::none;
  std::optional<bool> fits = scalar == Number::floating ? put_real_of(to, param->size, bytes, size)
                                                        : put_integer_of(to, param->size, wanted, bytes, size, scalar);
  if (!fits) mismatch(type_name);
  if (!*fits)
    raise(ErrorKind::overflow, "[launch] argument {} of '{}' is a {} whose value does not fit into {}", count_,
          kernel_.info().name, type_name, t ? t->text : formatted("{} bytes", param->size));
}

}  // namespace quern
