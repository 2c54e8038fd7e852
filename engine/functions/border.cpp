// Start at with_border(): axis by axis, each over what the axes before it have already made, as NumPy does; border_of() says what
// one axis gets.
#include "functions/border.h"

#include <bit>
#include <variant>

#include "core/error.h"
#include "core/room.h"
#include "functions/quantiles.h"
#include "functions/reductions.h"
#include "functions/steps.h"
#include "graph/memory_order.h"

namespace quern {

using namespace steps;

namespace {

// What goes into [start, stop) of an axis, counted from where the array itself begins.
struct Piece {
  int64_t start, stop;
  std::variant<Array, Scalar> value;
};

bool same(const Scalar& a, const Scalar& b) {
  auto bits = [](double x) { return std::bit_cast<uint64_t>(x); };
  return a.is_weak == b.is_weak && a.kind == b.kind && a.dtype == b.dtype && a.integer == b.integer && a.natural == b.natural &&
         bits(a.re) == bits(b.re) && bits(a.im) == bits(b.im);
}

// A number of the array's type; it wraps where it does not fit.
Array typed(int64_t number, const Array& like) {
  return as_type(full({}, whole(number), DType::int64, like.device()), like.dtype());
}

// Continues the array over [start, stop), there and back (or again: wrap). `period`: how long one there and back is; `skip`: how
// many elements at an end are not repeated; `is_odd`: turned at the end element instead of mirrored.
void add_mirrored(std::vector<Piece>& out, Array a, int axis, int64_t start, int64_t stop, int64_t period, int64_t skip,
                  bool is_odd) {
  int64_t size = a.shape()[static_cast<size_t>(axis)];
  if (is_odd && a.dtype() == DType::boolean) a = astype(a, DType::int64);
  Array first, last;
  if (is_odd) {
    first = part(a, axis, 0, 1);
    last = part(a, axis, size - 1, size);
  }
  for (int64_t at = start; at < stop;) {
    int64_t inside = ((at % period) + period) % period, times = (at - inside) / period;
    bool is_there = inside < size;
    int64_t count = std::min((is_there ? size : period) - inside, stop - at), top = size - 1 - skip - (inside - size);
    Array piece = is_there ? part(a, axis, inside, inside + count) : part(a, axis, top, top - count, -1);
    if (is_odd && !is_there) piece = subtract(multiply(typed(2, a), last), piece);
    if (is_odd && times != 0) piece = add(piece, multiply(typed(2 * times, a), subtract(last, first)));
    out.push_back({at, at + count, piece});
    at += count;
  }
}

Array statistic(Border mode, const Array& part_of_axis, int axis) {
  auto along = static_cast<size_t>(axis);
  if (mode == Border::maximum) return reduced(Reduction::maximum, part_of_axis, axis, true);
  if (mode == Border::minimum) return reduced(Reduction::minimum, part_of_axis, axis, true);
  Array lines = with_last(part_of_axis, along);
  Array middle = expand_dims(mode == Border::mean ? mean(lines, last_axis(lines)) : median(lines, last_axis(lines)), along);
  return is_integer(part_of_axis.dtype()) ? rint(middle) : middle;
}

// From a constant, which is the outermost element, to the array's edge, which is not repeated.
Array ramp(const Array& edge, const Scalar& outermost, int64_t width, int axis, bool is_before) {
  DType type = edge.dtype(), work = is_complex(type) ? DType::complex128 : DType::float64;
  Array from = full({}, outermost, work, edge.device());
  Array step = true_divide(subtract(as_type(edge, work), from), width);
  Shape along(edge.rank(), 1);
  along[static_cast<size_t>(axis)] = width;
  Scalar first = whole(is_before ? 0 : width - 1), by = whole(is_before ? 1 : -1);
  Array places = reshape(evenly_spaced(first, by, width, DType::int64, edge.device()), along);
  Array out = add(multiply(places, step), from);
  return is_integer(type) ? floor(out) : out;
}

std::vector<Piece> border_of(const Array& known, size_t axis_number, std::pair<int64_t, int64_t> width, Border mode,
                             const BorderOptions& options) {
  std::vector<Piece> out;
  int axis = static_cast<int>(axis_number);
  int64_t size = known.shape()[axis_number];
  auto [before, after] = width;
  if (mode == Border::constant) {
    const auto& [low, high] = options.constants[axis_number];
    return {{-before, 0, low}, {size, size + after, high}};
  }
  if (mode == Border::reflect && size == 1) mode = Border::edge;  // nothing to reflect
  if (mode == Border::reflect || mode == Border::symmetric || mode == Border::wrap) {
    int64_t period = mode == Border::reflect ? 2 * size - 2 : mode == Border::symmetric ? 2 * size : size;
    bool is_odd = options.is_odd && mode != Border::wrap;
    add_mirrored(out, known, axis, -before, 0, period, mode == Border::reflect, is_odd);
    add_mirrored(out, known, axis, size, size + after, period, mode == Border::reflect, is_odd);
    return out;
  }
  for (bool is_before : {true, false}) {
    int64_t start = is_before ? -before : size, stop = is_before ? 0 : size + after;
    if (mode == Border::edge || mode == Border::linear_ramp) {
      Array edge = is_before ? part(known, axis, 0, 1) : part(known, axis, size - 1, size);
      if (mode == Border::linear_ramp && stop > start) {
        const auto& [low, high] = options.constants[axis_number];
        edge = ramp(edge, is_before ? low : high, stop - start, axis, is_before);
      }
      out.push_back({start, stop, edge});
      continue;
    }
    int64_t length = size;
    if (!options.lengths.empty()) {
      auto [first, last] = options.lengths[axis_number];
      int64_t given = is_before ? first : last;
      if (given >= 0) length = std::min(given, size);
    }
    if (length == 0 && (mode == Border::maximum || mode == Border::minimum))
      raise(ErrorKind::value, "[pad] stat_length of 0 yields no value for padding");
    Array counted = is_before ? part(known, axis, 0, length) : part(known, axis, size - length, size);
    out.push_back({start, stop, statistic(mode, counted, axis)});
  }
  return out;
}

}  // namespace

Array with_border(const Array& array, std::span<const std::pair<int64_t, int64_t>> widths, Border mode,
                  const BorderOptions& given) {
  BorderOptions options = given;
  size_t rank = array.rank();
  if (options.constants.empty()) options.constants.assign(rank, {whole(0), whole(0)});
  Shape shape = array.shape();
  if (widths.size() != rank) raise(ErrorKind::value, "[pad] {} pairs for {} axes; pass one for each", widths.size(), rank);
  bool is_uniform = mode == Border::constant;
  for (size_t n = 0; n < rank; ++n) {
    auto [before, after] = widths[n];
    if (before < 0 || after < 0)
      raise(ErrorKind::value, "[pad] index can't contain negative values: the widths of axis {} are {} and {}", n, before, after);
    if (shape[n] == 0 && before + after > 0 && mode != Border::constant && mode != Border::empty)
      raise(ErrorKind::value, "[pad] can't extend empty axis {} using modes other than 'constant' or 'empty'", n);
    shape[n] += before + after;
    const auto& [low, high] = options.constants[n];
    is_uniform = is_uniform && same(low, options.constants[0].first) && same(high, options.constants[0].first);
  }
  check_room(Layout::contiguous(shape).size(), array.dtype(), array.device());
  GraphLock lock;
  Array out = full_in(layout_beside(array, shape, Order::any), is_uniform && rank > 0 ? options.constants[0].first : whole(0),
                      array.dtype(), array.device());
  Array inside = out;
  for (size_t n = 0; n < rank; ++n)
    inside = part(inside, static_cast<int>(n), widths[n].first, widths[n].first + array.shape()[n]);
  assign(inside, Argument(array));
  if (is_uniform || mode == Border::empty || (array.size() == 0 && mode != Border::constant)) return out;
  for (size_t n = 0; n < rank; ++n) {
    // Earlier axes with their border, later ones without.
    Array lines = out;
    for (size_t k = n + 1; k < rank; ++k)
      lines = part(lines, static_cast<int>(k), widths[k].first, widths[k].first + array.shape()[k]);
    auto [before, after] = widths[n];
    int axis = static_cast<int>(n);
    Array known = part(lines, axis, before, before + array.shape()[n]);
    for (const Piece& piece : border_of(known, n, widths[n], mode, options)) {
      if (piece.stop <= piece.start) continue;
      Array target = part(lines, axis, before + piece.start, before + piece.stop);
      std::visit([&](const auto& value) { assign(target, Argument(value)); }, piece.value);
    }
  }
  return out;
}

std::optional<Border> border_named(std::string_view name) {
  static constexpr std::pair<std::string_view, Border> names[] = {
      {"constant", Border::constant},       {"edge", Border::edge},   {"reflect", Border::reflect},
      {"symmetric", Border::symmetric},     {"wrap", Border::wrap},   {"maximum", Border::maximum},
      {"minimum", Border::minimum},         {"mean", Border::mean},   {"median", Border::median},
      {"linear_ramp", Border::linear_ramp}, {"empty", Border::empty},
  };
  for (auto [known, border] : names)
    if (name == known) return border;
  return {};
}

}  // namespace quern
