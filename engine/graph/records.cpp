// Start at units_of() and of_units().
#include "graph/records.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "graph/memory_order.h"

namespace quern {

namespace {

// The widest unit that all these are multiples of.
size_t common_unit(size_t most, const std::vector<int64_t>& strides, const Shape& shape, int64_t offset) {
  auto all = static_cast<uint64_t>(offset);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) all |= static_cast<uint64_t>(strides[i]);
  }
  while (most > 1 && all % most != 0) most /= 2;
  return most;
}

// Do its fields, with theirs, cover all of a record?
bool has_gaps(DType type) {
  if (!has_records(type) || record_of(type).fields.empty()) return false;
  size_t covered = 0;
  for (const RecordField& f : record_of(type).fields) {
    if (has_gaps(f.dtype)) return true;
    covered += size_of(f.dtype) * static_cast<size_t>(Layout::contiguous(f.shape).size());
  }
  return covered < record_of(type).size;
}

// The same memory where a number lies at multiples of its size, which a view of one element may.
Array as_numbers(const Array& copy, DType number, const Layout& elements) { return copy.view(elements, number); }

}  // namespace

DType number_of_bytes(size_t bytes) {
  return bytes == 8 ? DType::uint64 : bytes == 4 ? DType::uint32 : bytes == 2 ? DType::uint16 : DType::uint8;
}

int64_t units_in(DType type) { return static_cast<int64_t>(size_of(type) / unit_of(type)); }

Layout in_units(Layout layout, DType type, size_t unit) {
  auto times = static_cast<int64_t>(unit_of(type) / unit);
  for (int64_t& s : layout.strides) s *= times;
  layout.offset *= times;
  layout.shape.push_back(static_cast<int64_t>(size_of(type) / unit));
  layout.strides.push_back(1);
  return layout;
}

Array units_of(const Array& array, size_t unit) {
  return array.view(in_units(array.layout(), array.dtype(), unit), number_of_bytes(unit));
}
Array units_of(const Array& array) { return units_of(array, std::min<size_t>(unit_of(array.dtype()), 8)); }

Array of_units(const Array& units, DType type) {
  Layout layout = units.layout();
  layout.shape.pop_back();
  layout.strides.pop_back();
  Array out = units.view(std::move(layout), in_units_of(type, size_of(units.dtype())));
  out.settle_owner();
  return out;
}

std::vector<int64_t> strides_in_bytes(const Array& array) {
  std::vector<int64_t> out = array.layout().strides;
  for (int64_t& s : out) s *= static_cast<int64_t>(unit_of(array.dtype()));
  return out;
}
DType type_at(const Shape& shape, const std::vector<int64_t>& strides, int64_t offset, DType type) {
  DType wide = settled_type(type);
  size_t fits = common_unit(unit_of(wide), strides, shape, offset);
  return fits < unit_of(wide) ? in_units_of(wide, fits) : wide;
}

Array view_of_bytes(const Array& array, const Shape& shape, const std::vector<int64_t>& strides, int64_t offset, DType type) {
  DType as = type_at(shape, strides, offset, type);
  auto unit = static_cast<int64_t>(unit_of(as));
  Layout layout{shape, strides, offset / unit};
  for (int64_t& s : layout.strides) s /= unit;
  return array.view(std::move(layout), as);
}

ElementLayout::ElementLayout(const Array& array) : layout_(&array.layout()) {
  if (!is_record(array.dtype())) return;
  own_ = *std::exchange(layout_, &own_);
  int64_t each = units_in(array.dtype());
  bool fits = true;
  for (size_t i = 0; i < own_.rank(); ++i) fits &= own_.shape[i] <= 1 || own_.strides[i] % each == 0;
  for (int64_t& s : own_.strides) s = fits ? s / each : s * 2;  // twice: never without gaps
  own_.offset /= each;
}

Layout as_arrays_have(Layout elements, DType type) {
  if (!is_record(type)) return elements;
  for (int64_t& s : elements.strides) s *= units_in(type);
  elements.offset *= units_in(type);
  return elements;
}

Array field(const Array& records, const RecordField& f) {
  Shape shape = records.shape();
  std::vector<int64_t> strides = strides_in_bytes(records);
  Layout inner = Layout::contiguous(f.shape);
  for (size_t i = 0; i < f.shape.size(); ++i) {
    shape.push_back(f.shape[i]);
    strides.push_back(inner.strides[i] * static_cast<int64_t>(size_of(f.dtype)));
  }
  return view_of_bytes(records, shape, strides, offset_in_bytes(records) + f.offset, f.dtype);
}

Array field(const Array& records, const std::string& name) {
  if (is_record(records.dtype())) {
    for (const RecordField& f : record_of(records.dtype()).fields)
      if (f.name == name) return field(records, f);
  }
  raise(ErrorKind::value, "no field of name {}", name);
}

Array settled(const Array& array) {
  if (!lies_anywhere(array.dtype())) return array;
  return copied_records(array, settled_type(array.dtype()), *copied_layout(array, Order::keep));
}

void refuse_records(std::string_view op, DType type) {
  raise(ErrorKind::type, "[{}] is not defined for elements of type {}; use their fields, such as a['x']", op, row(type).name);
}

// ---- copies

Array copied_records(const Array& array, DType dtype, const Layout& elements) {
  if (!has_records(array.dtype()) && !has_records(dtype)) {
    // Numbers: gathered as they are, then converted.
    DType number = settled_type(array.dtype());
    Array units = units_of(array);
    Array copy = copied(units, units.dtype(), Order::c);
    Array numbers = as_numbers(copy, number, Layout::contiguous(array.shape()));
    DType wanted = settled_type(dtype);
    if (wanted == number && elements == Layout::contiguous(array.shape())) {
      numbers.settle_owner();
      return numbers;
    }
    return copied(numbers, wanted, interned(elements));
  }
  if (are_same_records(array.dtype(), dtype)) {
    Array units = units_of(array);
    DType type = in_units_of(dtype, size_of(units.dtype()));
    Layout layout = in_units(as_arrays_have(elements, type), type, size_of(units.dtype()));
    Array copy = copied(units, units.dtype(), interned(std::move(layout)));
    Array out = copy.view(as_arrays_have(elements, natural_of(dtype)), natural_of(dtype));
    out.settle_owner();
    return out;
  }
  if (!has_records(dtype)) {
    const RecordType& from = record_of(array.dtype());
    if (from.fields.size() != 1)
      raise(ErrorKind::type, "[astype] cannot cast structured dtype {} to {}; select a field, as in a['x']", from.text,
            row(dtype).name);
    return copied(field(array, from.fields[0]), dtype, interned(elements));
  }
  Array out = full_of_records(elements, Scalar{}, dtype, array.device());
  assign_records(out, Argument(array));
  return out;
}

Array full_of_records(const Layout& elements, const Scalar& value, DType dtype, DeviceId device) {
  size_t unit = unit_of(dtype);
  Layout layout = in_units(as_arrays_have(elements, dtype), dtype, unit);
  Array out = of_units(full_in(interned(std::move(layout)), Scalar{}, number_of_bytes(unit), device), dtype);
  bool is_zero = value.kind != WeakScalar::complex && value.integer == 0 && value.re == 0 && !value.is_natural && !value.is_huge;
  if (!is_zero) assign_records(out, Argument(value));
  return out;
}

// ---- values of parts

static void assign_numbers_anywhere(const Array& target, const Argument& value) {
  DType number = settled_type(target.dtype());
  Array numbers;
  if (!value.array()) {
    numbers = full({}, Scalar{}, number, target.device());
    assign(numbers, value);  // which says what does not fit
  } else if (has_records(value.array()->dtype())) {
    refuse_records("assign", value.array()->dtype());
  } else {
    const Array given = settled(*value.array());
    numbers = given.dtype() == number ? given : copied(given, number);
  }
  size_t unit = unit_of(target.dtype());
  assign(units_of(target, unit), Argument(units_of(numbers, unit)));
}

void assign_records(const Array& target, const Argument& value) {
  GraphLock lock;
  if (target.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
  const Array* given = value.array();
  if (lies_anywhere(target.dtype())) return assign_numbers_anywhere(target, value);
  if (!is_record(target.dtype())) {
    if (has_records(given->dtype())) refuse_records("assign", given->dtype());
    const Array numbers = settled(*given);
    return assign(target, Argument(numbers));
  }
  const RecordType& to = record_of(target.dtype());
  if (given && are_same_records(target.dtype(), given->dtype()) && !has_gaps(target.dtype())) {
    size_t unit = std::min(unit_of(target.dtype()), unit_of(given->dtype()));
    return assign(units_of(target, unit), Argument(units_of(*given, unit)));
  }
  if (to.fields.empty()) raise(ErrorKind::type, "[assign] {} accepts values of the same dtype only", to.text);
  if (!given || !has_records(given->dtype())) {
    std::optional<Array> numbers;
    if (given) numbers = settled(*given);
    for (const RecordField& f : to.fields) {
      // A number is the same for all of a field's elements.
      std::optional<Array> wide;
      if (numbers)
        wide = numbers->view([&] {
          Layout layout = numbers->layout();
          layout.shape.insert(layout.shape.end(), f.shape.size(), 1);
          layout.strides.insert(layout.strides.end(), f.shape.size(), 0);
          return layout;
        }());
      assign(field(target, f), wide ? Argument(*wide) : value);
    }
    return;
  }
  const RecordType& from = record_of(given->dtype());
  if (from.fields.size() != to.fields.size())
    raise(ErrorKind::type, "[assign] cannot cast {} to {}: they differ in the number of fields", from.text, to.text);
  // By position, as NumPy does; what is read is not what was just written.
  Array source = given->cell() == target.cell() ? copied(*given, given->dtype(), Order::keep) : *given;
  for (size_t i = 0; i < to.fields.size(); ++i) {
    Array part = field(source, from.fields[i]);
    // A field's own axes stand last: those that only broadcasting adds go before them.
    while (part.rank() < from.fields[i].shape.size() + target.rank() && part.rank() > 0) {
      Layout layout = part.layout();
      layout.shape.insert(layout.shape.begin(), 1);
      layout.strides.insert(layout.strides.begin(), 0);
      part = part.view(std::move(layout));
    }
    assign(field(target, to.fields[i]), Argument(part));
  }
}

// ---- operations

// where(): the records are chosen whole.
static Array chosen_records(std::span<const Argument> arguments, const Array* into) {
  const Array* records[] = {arguments[1].array(), arguments[2].array()};
  for (const Array* a : records) {
    if (!a || !has_records(a->dtype())) raise(ErrorKind::type, "[where] both values must have one structured dtype");
  }
  DType type = promote(records[0]->dtype(), records[1]->dtype());
  auto as_chosen = [&](const Array& array) { return are_same_records(array.dtype(), type) ? array : astype(array, type); };
  const Array both[] = {as_chosen(*records[0]), as_chosen(*records[1])};
  size_t unit = std::min(unit_of(both[0].dtype()), unit_of(both[1].dtype()));
  Array a = units_of(both[0], unit), b = units_of(both[1], unit);
  std::optional<Array> condition;
  if (const Array* given = arguments[0].array()) {
    Array plain = settled(*given);
    Layout layout = plain.layout();
    layout.shape.push_back(1);
    layout.strides.push_back(0);
    condition = plain.view(std::move(layout));
  }
  const Argument parts[] = {condition ? Argument(*condition) : arguments[0], Argument(a), Argument(b)};
  Array out = of_units(elementwise(Op::where, parts), type);
  if (!into) return out;
  assign(*into, Argument(out));
  return *into;
}

Array elementwise_beside_records(Op op, std::span<const Argument> arguments, const Array* into, std::optional<Loop> loop) {
  auto is_of_records = [](const Argument& a) { return a.array() && has_records(a.array()->dtype()); };
  if (op == Op::where && std::any_of(arguments.begin(), arguments.end(), is_of_records)) return chosen_records(arguments, into);
  std::vector<Array> numbers;
  numbers.reserve(arguments.size());
  std::vector<Argument> plain;
  for (const Argument& a : arguments) {
    if (is_of_records(a)) refuse_records(row(op).name, a.array()->dtype());
    plain.push_back(a.array() ? Argument(numbers.emplace_back(settled(*a.array()))) : a);
  }
  if (!into || !is_record(into->dtype())) return elementwise(op, plain, into, loop);
  if (has_records(into->dtype())) refuse_records(row(op).name, into->dtype());
  Array result = full_of_records(*contiguous_layout(into->shape()), Scalar{}, settled_type(into->dtype()), into->device());
  result = elementwise(op, plain, &result, loop);
  assign(*into, Argument(result));
  return *into;
}

// ---- comparisons

// All of the last axes.
static Array all_of_last(const Array& array, size_t count) {
  if (count == 0) return array;
  std::vector<bool> axes(array.rank(), false);
  std::fill(axes.end() - static_cast<ptrdiff_t>(count), axes.end(), true);
  return reduce(Reduction::all, array, axes, false);
}

Array records_equal(const Array& a, const Array& b) {
  if (!has_records(a.dtype()) || !has_records(b.dtype()))
    raise(ErrorKind::type, "[equal] cannot compare structured arrays with arrays of dtype {}",
          row((has_records(a.dtype()) ? b : a).dtype()).name);
  const RecordType &ta = record_of(a.dtype()), &tb = record_of(b.dtype());
  if (ta.fields.empty() || tb.fields.empty()) {
    if (ta.size != tb.size || !ta.fields.empty() || !tb.fields.empty())
      raise(ErrorKind::type, "[equal] no common dtype for {} and {}", ta.text, tb.text);
    size_t unit = std::min(ta.unit, tb.unit);
    Array ua = units_of(a, unit), ub = units_of(b, unit);
    const Argument both[] = {Argument(ua), Argument(ub)};
    return all_of_last(elementwise(Op::equal, both), 1);
  }
  bool alike = ta.fields.size() == tb.fields.size();
  for (size_t i = 0; alike && i < ta.fields.size(); ++i)
    alike = ta.fields[i].name == tb.fields[i].name && ta.fields[i].shape == tb.fields[i].shape;
  if (!alike)
    raise(ErrorKind::type, "Cannot compare structured arrays unless they have a common dtype: {} and {} differ in their fields",
          ta.text, tb.text);
  std::optional<Array> out;
  for (size_t i = 0; i < ta.fields.size(); ++i) {
    Array fa = field(a, ta.fields[i]), fb = field(b, tb.fields[i]);
    size_t own = ta.fields[i].shape.size();
    if (own > 0 && a.rank() != b.rank()) {  // the fields' axes stand last: others are added before them
      Array& fewer = a.rank() < b.rank() ? fa : fb;
      Layout layout = fewer.layout();
      size_t missing = std::max(a.rank(), b.rank()) + own - fewer.rank();
      layout.shape.insert(layout.shape.begin(), missing, 1);
      layout.strides.insert(layout.strides.begin(), missing, 0);
      fewer = fewer.view(std::move(layout));
    }
    const Argument both[] = {Argument(fa), Argument(fb)};
    Array equal = has_records(fa.dtype()) ? records_equal(fa, fb) : elementwise(Op::equal, both);
    equal = all_of_last(equal, own);
    const Argument so_far[] = {out ? Argument(*out) : Argument(equal), Argument(equal)};
    out = out ? elementwise(Op::logical_and, so_far) : equal;
  }
  return *out;
}

}  // namespace quern
