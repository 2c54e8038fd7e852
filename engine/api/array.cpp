// The arrays of the public headers (engine/include/quern/array.h) on the engine's own. Start at asked() in bodies.h and at
// record(). Functions of whole arrays are in the other files here, one for each header; what they do is in functions/.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>
#include <ostream>

#include "api/bodies.h"
#include "core/error.h"
#include "functions/parts.h"
#include "functions/ranges.h"
#include "functions/shaping.h"
#include "graph/memory_order.h"
#include "quern/kernel.h"
#include "run/calls/matmul.h"
#include "run/eval.h"
#include "run/explain.h"
#include "run/transfer.h"

namespace qn {

std::string name_of(DType dtype) { return std::string(quern::row(dtype).name); }
size_t itemsize_of(DType dtype) { return quern::size_of(dtype); }

namespace inside {

quern::Context& ready(const Device& device) {
  quern::install_executor();
  return device.context();
}

quern::DeviceId number_of(const Device& device) { return ready(device).id(); }

Scalar scalar_of(const Operand& operand) {
  Scalar out;
  out.integer = operand.integer();
  out.re = operand.re();
  out.im = operand.im();
  switch (operand.kind()) {
    case Operand::Kind::boolean:
      out.kind = WeakScalar::boolean;
      break;
    case Operand::Kind::natural:
      out.natural = static_cast<uint64_t>(operand.integer());
      out.is_natural = operand.integer() < 0;
      [[fallthrough]];
    case Operand::Kind::integer:
      out.kind = WeakScalar::integer;
      break;
    case Operand::Kind::real:
      out.kind = WeakScalar::real;
      break;
    default:
      out.kind = WeakScalar::complex;
  }
  return out;
}

quern::Argument argument_of(const Operand& operand) {
  if (operand.array()) return quern::Argument(operand.array()->handle());
  return quern::Argument(scalar_of(operand));
}

DType default_type(const Scalar& scalar) {
  if (scalar.is_natural) return DType::uint64;
  quern::OperandType type{DType::boolean, true, scalar.kind};
  return quern::common_type({&type, 1});
}

// ---- shapes and axes

const Shape& checked(const Shape& shape) {
  for (int64_t n : shape)
    if (n < 0) raise(ErrorKind::value, "[shape] {} has a negative number", quern::to_string(shape));
  return shape;
}

size_t checked_axis(int64_t axis, size_t rank) {
  auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n)
    raise(ErrorKind::index, "[axis] axis {} is out of bounds for an array of {} dimension{}", axis, n, n == 1 ? "" : "s");
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

std::vector<size_t> chosen(const Axes& axes, size_t rank) {
  std::vector<size_t> out(axes.all() ? rank : 0);
  std::iota(out.begin(), out.end(), 0);
  for (int axis : axes.list()) out.push_back(checked_axis(axis, rank));
  std::sort(out.begin(), out.end());
  if (auto twice = std::adjacent_find(out.begin(), out.end()); twice != out.end())
    raise(ErrorKind::value, "[axis] axis {} is repeated", *twice);
  return out;
}

Array made(const Shape& shape, const Scalar& value, DType dtype, const Device& device) {
  quern::DeviceId number = number_of(device);
  return wrap(quern::full(checked(shape), value, dtype, number));
}

// ---- arguments and results

std::vector<quern::Array> given(const std::vector<Array>& arrays) {
  std::vector<quern::Array> out;
  for (const Array& a : arrays) out.push_back(a.handle());
  return out;
}
size_t given(const Along& along) { return checked_axis(along.axis, along.array.handle().rank()); }
std::optional<size_t> given(const AlongOrFlat& along) {
  size_t rank = along.array.handle().rank();
  if (!along.axis || (rank == 0 && (*along.axis == 0 || *along.axis == -1))) return {};
  return checked_axis(*along.axis, rank);
}
std::vector<size_t> given(const AlongAll& along) { return chosen(along.axes, along.array.handle().rank()); }
quern::Over given(const Over& over) {
  quern::Over out{std::vector<bool>(over.array.handle().rank(), over.axes.all()), over.keep_dims};
  if (over.axes.all()) return out;
  for (size_t axis : given(AlongAll{over.array, over.axes})) out.axes[axis] = true;
  return out;
}
std::vector<Array> returned(std::vector<quern::Array>&& arrays) {
  std::vector<Array> out;
  for (quern::Array& a : arrays) out.push_back(wrap(std::move(a)));
  return out;
}

}  // namespace inside

using namespace inside;

namespace {

// ---- recording

// Numbers alone are computed where new arrays are made.
Array record(Op op, std::initializer_list<const Operand*> operands) {
  return asked((*operands.begin())->here(), [&] {
    quern::Argument arguments[] = {Scalar(), Scalar(), Scalar()};
    size_t count = 0;
    bool any = false;
    for (const Operand* o : operands) {
      arguments[count++] = argument_of(*o);
      any |= o->array() != nullptr;
    }
    quern::Array first;
    if (!any) {
      const Scalar& scalar = arguments[0].scalar();
      first = quern::full({}, scalar, default_type(scalar), number_of(Device()));
      arguments[0] = quern::Argument(first);
    }
    return wrap(op == Op::power ? quern::raised(arguments[0], arguments[1]) : quern::elementwise(op, {arguments, count}));
  });
}

Array& record_into(Op op, Array& target, const Operand& b) {
  return asked(b.here(), [&]() -> std::reference_wrapper<Array> {
    quern::Argument arguments[] = {quern::Argument(target.handle()), argument_of(b)};
    if (target.handle().is_value()) {
      target = wrap(quern::elementwise(op, arguments));
    } else {
      quern::elementwise(op, arguments, &target.handle());
    }
    return target;
  });
}

}  // namespace

// ---- what arrays pick

// What a(places) returns: it may be written to, or named. Nothing is picked before somebody asks for it; then with the values of
// the moment of the call.
class detail::Picked {
 public:
  Picked(const quern::Array& array, quern::Places places, Here here)
      : array_(array), then_(quern::as_it_is(array)), places_(std::move(places)), here_(here) {
    if (places_.mask) places_.mask = quern::as_it_is(*places_.mask);
    for (quern::Pick& pick : places_.picks) pick.index = quern::as_it_is(pick.index);
  }

  quern::Array& value() {
    std::scoped_lock lock(mutex_);
    if (!value_) {
      value_ = asked(here_, [&] { return quern::at(then_, places_); });
      array_ = then_ = {};
      places_ = {};
    }
    return value_;
  }

  void assign(const quern::Argument& value) {
    std::scoped_lock lock(mutex_);
    if (value_) return quern::assign(value_, value);
    then_ = {};
    quern::assign_at(array_, places_, value);
  }

  void change(Op op, const quern::Argument& by) {
    std::scoped_lock lock(mutex_);
    if (!value_) quern::find_true(then_, places_);
    quern::Array now = value_ ? value_ : quern::at(then_, places_);
    quern::Argument both[] = {quern::Argument(now), by};
    quern::elementwise(op, both, &now);
    then_ = {};
    if (!value_) quern::assign_at(array_, places_, quern::Argument(now));
  }

 private:
  quern::Array array_, then_, value_;
  quern::Places places_;
  Here here_;
  std::mutex mutex_;
};

namespace {

void record_into(Op op, Array&& target, const std::shared_ptr<detail::Picked>& picked, const Operand& b) {
  if (!picked) {
    record_into(op, target, b);
    return;
  }
  asked(b.here(), [&] { picked->change(op, argument_of(b)); });
}

}  // namespace

Index::Index(const Array& array) : kind_(Kind::array), array_(std::make_shared<const Array>(array)) {}

Array Array::at(std::span<const Index> places, Here here) const {
  return asked(here, [&] {
    const quern::Array& array = handle();
    std::vector<quern::IndexPart> parts;
    for (const Index& place : places) {
      quern::IndexPart part;
      switch (place.kind()) {
        case Index::Kind::absent:
          continue;
        case Index::Kind::slice:
          part.start = place.slice().start;
          part.stop = place.slice().stop;
          part.step = place.slice().step;
          break;
        case Index::Kind::integer:
          part.kind = quern::IndexPart::Kind::integer;
          part.integer = place.integer();
          break;
        case Index::Kind::newaxis:
          part.kind = quern::IndexPart::Kind::axis;
          break;
        case Index::Kind::ellipsis:
          part.kind = quern::IndexPart::Kind::dots;
          break;
        case Index::Kind::array:
          part = quern::part_of(place.array().handle(), array.device());
          break;
      }
      parts.push_back(part);
    }
    quern::Places found = quern::places_of(array, parts);
    if (found.is_view()) return wrap(quern::at(array, std::move(found)));
    return Array(std::make_shared<detail::Picked>(array, std::move(found), here));
  });
}

// ---- the class

quern::Array& Array::handle() const {
  if (handle_) return *handle_;
  if (picked_) return picked_->value();
  raise(ErrorKind::value, "[array] empty Array handle; assign an array first, as in a = qn::zeros({{3}})");
}

void Array::assign(const Operand& value) & {
  asked(value.here(), [&] {
    const quern::Array& to = handle();
    if (const Array* from = value.array()) {
      const quern::Array& a = from->handle();
      if (a.cell() == to.cell() && a.layout_ref() == to.layout_ref() && a.dtype() == to.dtype()) return;
    }
    quern::assign(to, argument_of(value));
  });
}

void Array::assign(const Operand& value) && {
  if (!picked_) return assign(value);
  asked(value.here(), [&] { picked_->assign(argument_of(value)); });
}

Shape Array::shape() const { return handle().shape(); }
int64_t Array::shape(int axis, Here here) const {
  return asked(here, [&] { return handle().shape()[checked_axis(axis, handle().rank())]; });
}
int Array::ndim() const { return static_cast<int>(handle().rank()); }
int64_t Array::size() const { return handle().size(); }
DType Array::dtype() const { return handle().dtype(); }
Device Array::device() const { return handle().device().is_cpu() ? Device::cpu() : Device::cuda(handle().device().number()); }
bool Array::is_read_only() const { return handle().is_read_only(); }
bool Array::shares_memory_with(const Array& b) const { return handle().cell() == b.handle().cell(); }

void Array::read(void* out, size_t count, DType as, Here here) const {
  asked(here, [&] {
    const quern::Array& array = handle();
    if (count != static_cast<size_t>(array.size()))
      raise(ErrorKind::value, "[read] the array has {} element{}, and {} {} requested", array.size(),
            array.size() == 1 ? "" : "s", count, count == 1 ? "was" : "were");
    if (quern::is_complex(array.dtype()) && !quern::is_complex(as))
      raise(ErrorKind::type, "[read] complex elements do not convert to {}; read real(), imag() or absolute()", name_of(as));
    quern::read_into(array.dtype() == as ? array : quern::astype(array, as), out, count * quern::size_of(as));
  });
}

Array::operator bool() const {
  const quern::Array& array = handle();
  if (array.size() != 1)
    raise(ErrorKind::value, "[condition] the truth of an array of {} elements is ambiguous; use any(), all() or size()",
          array.size());
  bool out = false;
  quern::read_into(array.dtype() == DType::boolean ? array : quern::astype(array, DType::boolean), &out, 1);
  return out;
}

Array Array::operator()(const Index& a, const Index& b, const Index& c, const Index& d, const Index& e, const Index& f,
                        Here here) const {
  return at(std::array<Index, 6>{a, b, c, d, e, f}, here);
}
Array Array::slice(int axis, std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step, Here here) const {
  return asked(here, [&] {
    const Layout& layout = handle().layout();
    return wrap(handle().view(quern::sliced(layout, checked_axis(axis, layout.rank()), start, stop, step)));
  });
}

Array Array::reshape(const Shape& shape, Here here) const {
  return asked(here, [&] { return wrap(quern::reshape(handle(), quern::known_shape(shape, size()))); });
}
Array Array::ravel(Here here) const { return call(here, quern::raveled, *this, quern::Order::c); }

Array Array::transpose(Here here) const {
  std::vector<int> order(handle().rank());
  std::iota(order.rbegin(), order.rend(), 0);
  return transpose(order, here);
}
Array Array::transpose(const std::vector<int>& axes, Here here) const {
  return asked(here, [&] {
    std::vector<int> order;
    for (int axis : axes) order.push_back(static_cast<int>(checked_axis(axis, handle().rank())));
    return wrap(quern::steps::transpose(handle(), order));
  });
}
Array Array::swapaxes(int a, int b, Here here) const {
  return asked(here, [&] {
    std::vector<int> order(handle().rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[checked_axis(a, order.size())], order[checked_axis(b, order.size())]);
    return wrap(quern::steps::transpose(handle(), order));
  });
}
Array Array::moveaxis(int from, int to, Here here) const {
  return call(here, quern::steps::moveaxis, *this, Along{*this, from}, Along{*this, to});
}
Array Array::broadcast_to(const Shape& shape, Here here) const {
  return asked(here, [&] {
    quern::Array out = handle().view(handle().layout().broadcast_to(checked(shape)));
    out.set_read_only(true);
    return wrap(std::move(out));
  });
}
Array Array::expand_dims(int axis, Here here) const {
  return asked(here, [&] { return wrap(quern::with_new_axes(handle(), {{checked_axis(axis, handle().rank() + 1)}})); });
}
Array Array::squeeze(const Axes& axes, Here here) const {
  return asked(here, [&] {
    std::vector<size_t> named = chosen(axes, handle().rank());
    if (axes.all()) std::erase_if(named, [&](size_t n) { return handle().shape()[n] != 1; });
    return wrap(quern::without_axes(handle(), named));
  });
}
Array Array::flip(const Axes& axes, Here here) const { return call(here, quern::flipped, *this, AlongAll{*this, axes}); }
Array Array::real(Here here) const {
  return asked(here, [&] { return wrap(handle().real()); });
}
Array Array::imag(Here here) const {
  return asked(here, [&] { return wrap(handle().imag()); });
}

Array Array::copy(Here here) const { return astype(dtype(), here); }
Array Array::astype(DType dtype, Here here) const { return call(here, quern::astype, *this, dtype, quern::Order::keep); }
Array Array::to_device(const Device& device, Here here) const {
  return asked(here, [&] { return wrap(quern::moved_to(handle(), device.context())); });
}

Array Array::mean(const Axes& axes, bool keepdims, Here here) const {
  return call(here, quern::mean, *this, Over{*this, axes, keepdims});
}
#define REDUCTION(name, body)                                                             \
  Array Array::name(const Axes& axes, bool keepdims, Here here) const {                   \
    return call(here, quern::body, *this, Over{*this, axes, keepdims}, quern::Initial{}); \
  }
REDUCTION(sum, sum)
REDUCTION(prod, product)
REDUCTION(max, largest)
REDUCTION(min, smallest)
REDUCTION(any, any_true)
REDUCTION(all, all_true)

void Array::evaluate(Here here) const {
  asked(here, [&] { quern::evaluate(handle()); });
}
std::string Array::explain(Here here) const {
  return asked(here, [&] { return quern::explain(handle()); });
}

void synchronize(const Device& device, Here here) {
  asked(here, [&] { device.synchronize(); });
}

// ---- printing

namespace {

constexpr int64_t most_shown = 1000, at_edges = 3;

template <class T>
void print(std::string& out, const std::vector<T>& values, const Shape& shape, const std::vector<bool>& is_cut, size_t axis,
           size_t& next) {
  if (axis == shape.size()) {
    T value = values[next++];
    if constexpr (detail::is_complex<T>) {
      out += quern::formatted("{:.8g}{:+.8g}j", value.real(), value.imag());
    } else if constexpr (std::is_floating_point_v<T>) {
      out += quern::formatted("{:.8g}", value);
    } else {
      out += quern::formatted("{}", value);
    }
    return;
  }
  bool is_last = axis + 1 == shape.size();
  std::string between = is_last ? ", " : ",\n" + std::string(axis + 1, ' ');
  out += "[";
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (i > 0) out += between;
    if (is_cut[axis] && i == at_edges) out += "..." + between;
    print(out, values, shape, is_cut, axis + 1, next);
  }
  out += "]";
}

template <class T>
std::string printed(const Array& array, const std::vector<bool>& is_cut, Here here) {
  std::string out;
  size_t next = 0;
  print(out, array.to_vector<T>(here), array.shape(), is_cut, 0, next);
  return out;
}

}  // namespace

std::string Array::to_string(Here here) const {
  Array shown = *this;
  std::vector<bool> is_cut(handle().rank(), false);
  for (size_t n = 0; size() > most_shown && n < is_cut.size(); ++n) {
    int axis = static_cast<int>(n);
    if (shown.shape(axis) <= 2 * at_edges) continue;
    is_cut[n] = true;
    shown = concatenate({shown.slice(axis, {}, at_edges, 1, here), shown.slice(axis, -at_edges, {}, 1, here)}, axis, here);
  }
  switch (quern::row(dtype()).kind) {
    case quern::DTypeKind::boolean:
      return printed<bool>(shown, is_cut, here);
    case quern::DTypeKind::integer:
      return printed<int64_t>(shown, is_cut, here);
    case quern::DTypeKind::natural:
      return printed<uint64_t>(shown, is_cut, here);
    case quern::DTypeKind::real:
      return printed<double>(shown, is_cut, here);
    default:
      return printed<std::complex<double>>(shown, is_cut, here);
  }
}

std::ostream& operator<<(std::ostream& out, const Printed& printed) {
  return out << (printed.array.valid() ? printed.array.to_string(printed.here) : "no array");
}

// ---- new arrays

Array zeros(const Shape& shape, DType dtype, const Device& device, Here here) {
  return asked(here, [&] { return made(shape, whole(0), dtype, device); });
}
Array ones(const Shape& shape, DType dtype, const Device& device, Here here) {
  return asked(here, [&] { return made(shape, whole(1), dtype, device); });
}
Array empty(const Shape& shape, DType dtype, const Device& device, Here here) { return zeros(shape, dtype, device, here); }

Array full(const Shape& shape, const Operand& value, std::optional<DType> dtype, const Device& device) {
  return asked(value.here(), [&] {
    if (value.array()) {
      Array out = made(shape, whole(0), dtype.value_or(value.array()->dtype()), device);
      out.assign(value);
      return out;
    }
    Scalar scalar = scalar_of(value);
    return made(shape, scalar, dtype.value_or(default_type(scalar)), device);
  });
}

Array zeros_like(const Array& a, Here here) { return zeros(a.shape(), a.dtype(), a.device(), here); }
Array ones_like(const Array& a, Here here) { return ones(a.shape(), a.dtype(), a.device(), here); }
Array empty_like(const Array& a, Here here) { return zeros(a.shape(), a.dtype(), a.device(), here); }
Array full_like(const Array& a, const Operand& value) { return full(a.shape(), value, a.dtype(), a.device()); }

namespace {

double as_real(const Scalar& s) {
  if (s.kind == WeakScalar::real) return s.re;
  return s.is_natural ? static_cast<double>(s.natural) : static_cast<double>(s.integer);
}

Array ranged(const Operand& from, const Operand& to, const Operand& by, std::optional<DType> wanted, const Device& device) {
  Scalar start = scalar_of(from), stop = scalar_of(to), step = scalar_of(by);
  bool is_real = false;
  for (const Operand* o : {&from, &to, &by}) {
    if (o->kind() == Operand::Kind::array || o->kind() == Operand::Kind::complex)
      raise(ErrorKind::type, "[arange] the limits and the step must be integers or reals");
    is_real |= o->kind() == Operand::Kind::real;
  }
  if (as_real(step) == 0) raise(ErrorKind::value, "[arange] the step cannot be zero");
  for (const Scalar* s : {&start, &stop, &step}) {
    if (s->is_natural) raise(ErrorKind::overflow, "[arange] {} does not fit int64", s->natural);
    if (!std::isfinite(as_real(*s))) raise(ErrorKind::value, "[arange] the limits and the step must be finite");
  }
  DType dtype = wanted.value_or(is_real ? DType::float64 : DType::int64);
  if (dtype == DType::boolean) raise(ErrorKind::type, "[arange] ranges of bool are not supported; use an integer dtype");
  // The others' sums are not plain: they are made of these.
  DType work = quern::is_integer(dtype) || dtype == DType::float32 || dtype == DType::float64 ? dtype
               : is_real                                                                      ? DType::float64
                                                                                              : DType::int64;
  double count;
  if (is_real) {
    count = std::ceil((as_real(stop) - as_real(start)) / as_real(step));
  } else {
    __int128 far = static_cast<__int128>(stop.integer) - start.integer, each = step.integer;
    __int128 n = far / each + ((far % each != 0 && (far < 0) == (each < 0)) ? 1 : 0);
    count = static_cast<double>(n);
  }
  if (!(count < 9e18)) raise(ErrorKind::value, "[arange] the range has too many elements");
  auto evenly = [&](const Scalar& first, const Scalar& each) {
    quern::DeviceId number = number_of(device);
    return quern::evenly_spaced(first, each, std::max<int64_t>(static_cast<int64_t>(count), 0), work, number);
  };
  quern::Array out;
  if (quern::is_integer(work)) {
    auto integer = [&](double value) {
      if (!(std::fabs(value) < 9.2e18)) raise(ErrorKind::overflow, "[arange] {} does not fit int64", value);
      return static_cast<int64_t>(value);
    };
    int64_t first = is_real ? integer(as_real(start)) : start.integer;
    int64_t each = is_real ? integer(as_real(start) + as_real(step)) - first : step.integer;
    out = evenly(whole(first), whole(each));
  } else if (work == DType::float32) {
    auto first = static_cast<float>(as_real(start)), second = static_cast<float>(as_real(start) + as_real(step));
    out = evenly(real_number(first), real_number(second - first));
  } else {
    double first = as_real(start), second = first + as_real(step);
    out = evenly(real_number(first), real_number(second - first));
  }
  return wrap(quern::steps::as_type(out, dtype));
}

}  // namespace

Array arange(const Operand& start, const Operand& stop, const Operand& step, std::optional<DType> dtype, const Device& device) {
  return asked(start.here(), [&] { return ranged(start, stop, step, dtype, device); });
}
Array arange(const Operand& stop, std::optional<DType> dtype, const Device& device) {
  return asked(stop.here(), [&] { return ranged(0, stop, 1, dtype, device); });
}

Array linspace(double start, double stop, int64_t num, bool endpoint, DType dtype, const Device& device, Here here) {
  return call(here, quern::numbers_between, real_number(start), real_number(stop), num, endpoint, dtype, number_of(device),
              DType::float64);
}

Array eye(int64_t n, std::optional<int64_t> columns, int64_t k, DType dtype, const Device& device, Here here) {
  return asked(here, [&] {
    int64_t m = columns.value_or(n);
    checked({n, m});
    namespace steps = quern::steps;
    using steps::operator+;
    quern::Array rows = steps::arange(n, number_of(device)), across = steps::arange(m, number_of(device));
    return wrap(quern::astype(steps::equal(steps::expand_dims(rows, 1) + k, across), dtype));
  });
}

Array detail::from_host(const void* values, size_t count, DType dtype, const Shape& shape, const Device& device, Here here) {
  return asked(here, [&] {
    int64_t size = Layout::contiguous(checked(shape)).size();
    if (static_cast<size_t>(size) != count)
      raise(ErrorKind::value, "[array] {} values do not fill the shape {}", count, quern::to_string(shape));
    return wrap(
        quern::copied_in(ready(device), values, count * quern::size_of(dtype), shape, dtype, quern::CopyKind::host_to_device));
  });
}

// ---- whole arrays

// ---- element by element: a function for each row of the table; array.h says what they take

#define OPERANDS_1 &a
#define OPERANDS_2 OPERANDS_1, &b
#define OPERANDS_3 OPERANDS_2, &c
#define QUERN_ROW(name, operands, ...) \
  Array name(QUERN_OPERANDS_##operands) { return record(Op::name, {OPERANDS_##operands}); }
#define QUERN_INNER(...)
#include "quern/ops.def"

Array abs(const Operand& a) { return absolute(a); }
Array clip(const Operand& a, const Operand& low, const Operand& high) {
  return minimum(Operand(maximum(a, low), a.here()), high);
}

#define BINARY(symbol, name) \
  Array operator symbol(const Operand& a, const Operand& b) { return record(Op::name, {&a, &b}); }
#define IN_PLACE(symbol, name)                                                                     \
  BINARY(symbol, name)                                                                             \
  Array& Array::operator symbol##=(const Operand & b)& { return record_into(Op::name, *this, b); } \
  void Array::operator symbol##=(const Operand & b)&& { record_into(Op::name, std::move(*this), picked_, b); }
IN_PLACE(+, add)
IN_PLACE(-, subtract)
IN_PLACE(*, multiply)
IN_PLACE(/, true_divide)
IN_PLACE(%, remainder)
IN_PLACE(&, bitwise_and)
IN_PLACE(|, bitwise_or)
IN_PLACE(^, bitwise_xor)
IN_PLACE(<<, left_shift)
IN_PLACE(>>, right_shift)
BINARY(==, equal)
BINARY(!=, not_equal)
BINARY(<, less)
BINARY(<=, less_equal)
BINARY(>, greater)
BINARY(>=, greater_equal)
Array operator+(const Operand& a) { return record(Op::positive, {&a}); }
Array operator-(const Operand& a) { return record(Op::negative, {&a}); }
Array operator~(const Operand& a) { return record(Op::invert, {&a}); }
// Beside a conversion to bool only this very type is no ambiguity; so the caller's line is not known.
Array operator!(const Array& a) {
  quern::Argument argument(a.handle());
  return wrap(quern::elementwise(Op::logical_not, {&argument, 1}));
}

// ---- an array as a kernel's argument

detail::Argument detail::argument(const Array& array) {
  const quern::Array& given = array.handle();
  if (!given.layout().is_contiguous()) raise(ErrorKind::value, "[launch] the array is not contiguous; pass a copy()");
  if (given.is_read_only()) raise(ErrorKind::value, "[launch] the array is read-only; pass a copy()");
  quern::Block* block = nullptr;
  uint64_t address = quern::address_for_kernel(given, &block);
  return {ArgumentKind::pointer, reinterpret_cast<const void*>(address), sizeof(void*), block};
}

}  // namespace qn
