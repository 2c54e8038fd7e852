#include "functions/gradient_parts.h"

#include <algorithm>

#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/formulas.h"
#include "run/calls/indexing.h"

namespace quern {

using namespace steps;

bool repeats(const Layout& layout) {
  for (size_t i = 0; i < layout.rank(); ++i)
    if (layout.strides[i] == 0 && layout.shape[i] > 1) return true;
  return false;
}

namespace {

// The axes of more than one element, from the outermost in memory on.
std::vector<int> by_stride(const Layout& layout) {
  std::vector<int> axes;
  for (size_t i = 0; i < layout.rank(); ++i)
    if (layout.shape[i] != 1) axes.push_back(static_cast<int>(i));
  std::stable_sort(axes.begin(), axes.end(),
                   [&](int a, int b) { return layout.strides[static_cast<size_t>(a)] > layout.strides[static_cast<size_t>(b)]; });
  return axes;
}

// As one run of memory after the other; equal for layouts that touch the same places.
std::vector<std::pair<int64_t, int64_t>> runs_of(const Layout& layout) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (int axis : by_stride(layout)) {
    auto a = static_cast<size_t>(axis);
    if (!out.empty() && out.back().second == layout.shape[a] * layout.strides[a]) {
      out.back() = {out.back().first * layout.shape[a], layout.strides[a]};
    } else {
      out.emplace_back(layout.shape[a], layout.strides[a]);
    }
  }
  return out;
}

// Do two elements of it share a place? Asked of layouts without strides of 0.
bool overlaps_itself(const Layout& layout) {
  int64_t reach = 0;
  std::vector<int> axes = by_stride(layout);
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) {
    return std::abs(layout.strides[static_cast<size_t>(a)]) < std::abs(layout.strides[static_cast<size_t>(b)]);
  });
  for (int axis : axes) {
    auto a = static_cast<size_t>(axis);
    if (std::abs(layout.strides[a]) <= reach) return true;
    reach += std::abs(layout.strides[a]) * (layout.shape[a] - 1);
  }
  return false;
}

// What was seen through `from` as it is seen through `to`; both touch the same places, each once.
std::optional<Array> seen_otherwise(const Array& g, const Layout& from, const Layout& to) {
  if (from.offset != to.offset || from.size() != to.size() || repeats(from) || repeats(to)) return std::nullopt;
  for (const Layout* l : {&from, &to})
    if (std::any_of(l->strides.begin(), l->strides.end(), [](int64_t s) { return s < 0; })) return std::nullopt;
  if (from.size() == 0) return reshape(g, to.shape);
  if (runs_of(from) != runs_of(to)) return std::nullopt;
  auto all_axes = [](const Layout& layout) {
    std::vector<int> order = by_stride(layout);
    for (size_t i = 0; i < layout.rank(); ++i)
      if (layout.shape[i] == 1) order.push_back(static_cast<int>(i));
    return order;
  };
  std::vector<int> there = all_axes(from), here = all_axes(to);
  Array line = transpose(g, there);
  Shape shape;
  for (int axis : here) shape.push_back(to.shape[static_cast<size_t>(axis)]);
  line = reshape(line, shape);
  std::vector<int> back(here.size());
  for (size_t i = 0; i < here.size(); ++i) back[static_cast<size_t>(here[i])] = static_cast<int>(i);
  return transpose(line, back);
}

// The same where elements share places: `from` has the axes of `to` in another order, or axes of one element more or fewer.
std::optional<Array> with_axes_of(const Array& g, const Layout& from, const Layout& to) {
  if (from.offset != to.offset) return std::nullopt;
  std::vector<int> order;
  Shape shape;
  for (size_t i = 0; i < to.rank(); ++i) {
    if (to.shape[i] == 1) continue;
    int found = -1;
    for (size_t j = 0; j < from.rank(); ++j) {
      if (from.shape[j] != to.shape[i] || from.strides[j] != to.strides[i]) continue;
      if (found >= 0) return std::nullopt;  // one of two
      found = static_cast<int>(j);
    }
    if (found < 0 || std::ranges::find(order, found) != order.end()) return std::nullopt;
    order.push_back(found);
  }
  for (size_t j = 0; j < from.rank(); ++j) {
    if (std::ranges::find(order, static_cast<int>(j)) != order.end()) continue;
    if (from.shape[j] != 1) return std::nullopt;
    order.push_back(static_cast<int>(j));
  }
  return reshape(transpose(g, order), to.shape);
}

// The places of elements that overlap in memory, one by one.
void add_at(const Array& memory, const Layout& layout, DType dtype, const Array& g) {
  Array places = full({}, whole(layout.offset), DType::int64, memory.device());
  for (size_t i = 0; i < layout.rank(); ++i) {
    Shape shape(layout.rank(), 1);
    shape[i] = layout.shape[i];
    Array along = multiply(arange(layout.shape[i], memory.device()), layout.strides[i]);
    places = add(places, reshape(along, shape));
  }
  int64_t size = memory.size() * static_cast<int64_t>(size_of(memory.dtype()) / size_of(dtype));
  Pick pick{0, reshape(places, {layout.size()})};
  put_add(memory.view(Layout::contiguous({size}), dtype), {&pick, 1}, Argument(reshape(g, {layout.size()})));
}

// Adds a part where it lies in the memory, which begins `from` elements of the entry's on.
void add_part(const Array& memory, const GradientPart& part, int64_t from) {
  if (part.layout->elements == 0) {  // nothing is added, but what is found depends on it
    if (!wants_gradient(part.g)) return;
    const Array none = as_type(reduce(Reduction::sum, part.g, std::vector<bool>(part.g.rank(), true), false), memory.dtype());
    Argument both[] = {Argument(memory), Argument(none)};
    elementwise(Op::add, both, &memory);
    return;
  }
  Layout layout = *part.layout;
  Array g = part.g;
  if (repeats(layout)) {
    std::vector<bool> axes(layout.rank(), false);
    for (size_t i = 0; i < layout.rank(); ++i) {
      axes[i] = layout.strides[i] == 0 && layout.shape[i] > 1;
      if (axes[i]) layout.shape[i] = 1;
    }
    g = reduce(Reduction::sum, g, axes, true);
  }
  layout.offset -= from * static_cast<int64_t>(size_of(memory.dtype()) / size_of(part.dtype));
  if (overlaps_itself(layout)) return add_at(memory, layout, part.dtype, g);
  Array place = memory.view(layout, part.dtype);
  Argument both[] = {Argument(place), Argument(g)};
  elementwise(Op::add, both, &place);
}

}  // namespace

// Two axes of one size and step: a view that exchanges them has the same layout.
static bool has_axes_alike(const Layout& layout) {
  for (size_t i = 0; i < layout.rank(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (layout.shape[i] > 1 && layout.shape[i] == layout.shape[j] && layout.strides[i] == layout.strides[j]) return true;
  return false;
}

bool has_unclear_parts(const Entry& entry, const std::vector<GradientPart>& parts) {
  const Layout& own = *entry.layout;
  if (own.size() == 0 || (!repeats(own) && !overlaps_itself(own))) return false;
  const bool is_ambiguous = has_axes_alike(own);
  return std::ranges::any_of(parts, [&](const GradientPart& part) {
    return is_ambiguous || part.is_unclear || part.dtype != entry.dtype ||
           (part.layout != entry.layout && !with_axes_of(part.g, *part.layout, own));
  });
}

// as_strided() can lead out of a view, into memory of which the view's gradient has no place.
static void check_lies_within(const Entry& entry, const std::vector<GradientPart>& parts) {
  auto [from, to] = entry.layout->extent();
  for (const GradientPart& part : parts) {
    auto [first, last] = part.layout->extent();
    if (part.dtype == entry.dtype && part.layout->elements > 0 && (first < from || last > to))
      raise(ErrorKind::not_implemented,
            "the gradient of a view by strides that leads out of the tensor it is a view of is not supported; call as_strided() "
            "of the "
            "tensor that has all of the memory");
  }
}

Array total(const Entry& entry, std::optional<Array>& sum, std::vector<GradientPart>& parts) {
  const bool is_repeated = repeats(*entry.layout);
  std::erase_if(parts, [&](const GradientPart& part) {
    if (part.dtype != entry.dtype) return false;
    std::optional<Array> whole;
    if (part.layout == entry.layout) whole = part.g;
    if (!whole && is_repeated) whole = with_axes_of(part.g, *part.layout, *entry.layout);
    if (whole) sum = added(sum, *whole);
    return whole.has_value();
  });
  if (parts.empty()) return *sum;
  if (!sum && parts.size() == 1 && parts[0].dtype == entry.dtype) {
    if (auto whole = seen_otherwise(parts[0].g, *parts[0].layout, *entry.layout)) return *whole;
  }
  // A piece of memory as the entry's value lies in it; the parts are added where they lie.
  auto [from, to] = entry.layout->extent();
  check_lies_within(entry, parts);
  Array memory = full({to - from}, real_number(0), entry.dtype, entry.device);
  Layout seen = *entry.layout;
  seen.offset -= from;
  bool is_once = !repeats(seen) && !overlaps_itself(seen);
  if (sum && is_once) assign(memory.view(seen), Argument(*sum));
  if (sum && !is_once) parts.push_back({entry.layout, entry.dtype, *sum});
  for (const GradientPart& part : parts) add_part(memory, part, from);
  if (is_once) return memory.view(seen);
  // Elements that share a place share what is there.
  Array sharers = full({to - from}, real_number(0), real_part_type(entry.dtype), entry.device);
  add_at(sharers, seen, sharers.dtype(), full(seen.shape, real_number(1), sharers.dtype(), entry.device));
  return true_divide(memory.view(seen), sharers.view(seen));
}

Array as_memory(const Entry& entry, const Array& g) {
  if (entry.layout == entry.whole) {
    Array memory = arranged(g, entry.whole);
    bool lies_so = memory.is_whole() && memory.layout_ref() == entry.whole;
    return lies_so ? memory : copied(g, g.dtype(), entry.whole);
  }
  Array memory(full_in(entry.whole, real_number(0), entry.whole_dtype, entry.device));
  assign(memory.view(*entry.layout, entry.dtype), Argument(g));
  return memory;
}

}  // namespace quern
