// Start at einsum(). A label is a letter, or a negative number for an axis that "..." stands for: -1 is the last of them.
#include "functions/einsum.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "core/error.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/matmul.h"

namespace quern {

using namespace steps;

namespace {

using Labels = std::vector<int>;

bool has(const Labels& labels, int x) { return std::find(labels.begin(), labels.end(), x) != labels.end(); }

std::string name_of(int label) { return label < 0 ? "..." : std::string(1, static_cast<char>(label)); }

struct Subscripts {
  std::vector<Labels> operands;
  Labels result;
};

// A term's labels; `extra`: how many axes its "..." stands for.
Labels labels_of(std::string_view term, size_t dots, int64_t extra, const EinsumRules& rules) {
  Labels out;
  auto add = [&](std::string_view letters) {
    for (char c : letters) {
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
        rules.refuse({.kind = EinsumFault::Kind::letter, .label = std::string(1, c)});
      out.push_back(c);
    }
  };
  add(term.substr(0, dots));
  if (dots == std::string_view::npos) return out;
  for (int64_t n = -extra; n < 0; ++n) out.push_back(static_cast<int>(n));
  add(term.substr(dots + 3));
  return out;
}

Subscripts read(std::string_view given, std::span<const Array> operands, const EinsumRules& rules) {
  using Kind = EinsumFault::Kind;
  std::string text;
  std::copy_if(given.begin(), given.end(), std::back_inserter(text), [](char c) { return c != ' '; });
  size_t arrow = text.find("->");
  bool has_arrow = arrow != std::string::npos;
  if (std::count(text.begin(), text.end(), '-') != (has_arrow ? 1 : 0) ||
      std::count(text.begin(), text.end(), '>') != (has_arrow ? 1 : 0))
    rules.refuse({.kind = Kind::arrow});
  std::string_view all = text, left = all.substr(0, arrow);
  std::vector<std::string_view> terms;
  for (size_t at = 0;;) {
    size_t comma = left.find(',', at);
    terms.push_back(left.substr(at, comma == std::string_view::npos ? comma : comma - at));
    if (comma == std::string_view::npos) break;
    at = comma + 1;
  }
  if (terms.size() != operands.size())
    rules.refuse(
        {.kind = Kind::operands, .size = static_cast<int64_t>(operands.size()), .other = static_cast<int64_t>(terms.size())});
  Subscripts out;
  int64_t widest = 0;
  std::map<int, int> times;
  for (size_t i = 0; i < terms.size(); ++i) {
    size_t dots = terms[i].find("...");
    int64_t letters = static_cast<int64_t>(terms[i].size()) - (dots == std::string_view::npos ? 0 : 3);
    labels_of(terms[i], dots, 0, rules);  // wrong letters raise first
    const auto rank = static_cast<int64_t>(operands[i].rank());
    const bool has_dots = dots != std::string_view::npos;
    int64_t extra = rank - letters;
    if (extra < 0 || (extra > 0 && !has_dots))
      rules.refuse({extra < 0 ? Kind::too_many : Kind::too_few, i, has_dots ? "..." : "", letters, rank});
    widest = std::max(widest, extra);
    out.operands.push_back(labels_of(terms[i], dots, extra, rules));
    for (int x : out.operands.back()) ++times[x];
  }
  if (has_arrow) {
    std::string_view right = all.substr(arrow + 2);
    size_t dots = right.find("...");
    out.result = labels_of(right, dots, widest, rules);
    if (dots == std::string_view::npos && widest > 0 && !rules.sums_dots) rules.refuse({.kind = Kind::dots});
  } else {
    for (auto [x, count] : times)  // in order: what "..." stands for is in front
      if (x < 0 || count == 1) out.result.push_back(x);
  }
  for (int x : out.result) {
    if (std::count(out.result.begin(), out.result.end(), x) > 1)
      rules.refuse({.kind = Kind::repeated_output, .label = name_of(x)});
    if (!times.count(x)) rules.refuse({.kind = Kind::unknown_output, .label = name_of(x)});
  }
  return out;
}

using Sizes = std::map<int, int64_t>;

Sizes sizes_of(std::span<const Array> operands, const Subscripts& subscripts, const EinsumRules& rules) {
  Sizes sizes;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& shape = operands[i].shape();
    const Labels& labels = subscripts.operands[i];
    for (size_t n = 0; n < shape.size(); ++n) {  // one operand's own axes are never broadcast
      size_t first = static_cast<size_t>(std::find(labels.begin(), labels.end(), labels[n]) - labels.begin());
      if (shape[first] != shape[n]) rules.refuse({EinsumFault::Kind::repeated, i, name_of(labels[n]), shape[first], shape[n]});
    }
    for (size_t n = 0; n < operands[i].rank(); ++n) {
      int x = subscripts.operands[i][n];
      int64_t size = operands[i].shape()[n], &known = sizes.try_emplace(x, size).first->second;
      if (known != size && known != 1 && size != 1) rules.refuse({EinsumFault::Kind::sizes, i, name_of(x), known, size});
      if (known == 1) known = size;
    }
  }
  return sizes;
}

struct Factor {
  Array array;
  Labels labels;
};

// Each label once: a view of the diagonal.
Factor diagonal_of(const Array& a, const Labels& labels) {
  Labels own;
  for (int x : labels)
    if (!has(own, x)) own.push_back(x);
  if (own.size() == labels.size()) return {a, labels};
  Layout out;
  out.offset = a.layout().offset;
  for (int x : own) {
    int64_t size = 1, step = 0;
    for (size_t n = 0; n < labels.size(); ++n) {
      if (labels[n] != x || a.shape()[n] == 1) continue;  // one element is repeated
      size = a.shape()[n];
      step += a.layout().strides[n];
    }
    out.shape.push_back(size);
    out.strides.push_back(step);
  }
  return {a.view(std::move(out)), own};
}

// What no one needs any more is summed away.
Factor summed(const Factor& f, const Labels& needed, bool widens) {
  std::vector<bool> goes;
  Labels left;
  for (int x : f.labels) {
    goes.push_back(!has(needed, x));
    if (!goes.back()) left.push_back(x);
  }
  if (left.size() == f.labels.size()) return f;
  if (widens && is_whole(f.array.dtype())) return {reduce(Reduction::sum, f.array, goes, false, DType::int64), left};
  bool is_bool = f.array.dtype() == DType::boolean;
  Array out = reduce(is_bool ? Reduction::any : Reduction::sum, f.array, goes, false,
                     is_bool ? std::nullopt : std::optional(f.array.dtype()));
  return {out, left};
}

// The axes in this order; labels that are not there become axes of one element, or of the size given.
Array in_order(const Factor& f, const Labels& wanted, const Sizes* sizes = nullptr) {
  Layout out;
  const Layout& layout = f.array.layout();
  out.offset = layout.offset;
  for (int x : wanted) {
    auto at = std::find(f.labels.begin(), f.labels.end(), x);
    bool is_there = at != f.labels.end();
    size_t n = static_cast<size_t>(at - f.labels.begin());
    out.shape.push_back(is_there ? layout.shape[n] : 1);
    out.strides.push_back(is_there ? layout.strides[n] : 0);
    int64_t size = sizes ? sizes->at(x) : out.shape.back();
    if (out.shape.back() == size) continue;
    out.shape.back() = size;
    out.strides.back() = 0;
  }
  return f.array.view(std::move(out));
}

int64_t product(const Labels& labels, const Sizes& sizes) {
  int64_t out = 1;
  for (int x : labels) out *= sizes.at(x);
  return out;
}

Labels together(std::initializer_list<Labels> parts) {
  Labels out;
  for (const Labels& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

// Two operands become one; `needed`: the labels that others or the result have.
Factor contracted(Factor a, Factor b, const Labels& needed, bool widens) {
  a = summed(a, together({needed, b.labels}), widens);
  b = summed(b, together({needed, a.labels}), widens);
  Sizes sizes;
  for (const Factor* f : {&a, &b})
    for (size_t n = 0; n < f->labels.size(); ++n) {
      int64_t& size = sizes.try_emplace(f->labels[n], 1).first->second;
      if (size == 1) size = f->array.shape()[n];
    }
  Labels inner, outer, rows, columns;
  for (int x : a.labels) (!has(b.labels, x) ? rows : has(needed, x) ? outer : inner).push_back(x);
  for (int x : b.labels)
    if (!has(a.labels, x)) columns.push_back(x);
  Labels every = together({outer, rows, columns});
  if (inner.empty()) {
    Op op = a.array.dtype() == DType::boolean ? Op::logical_and : Op::multiply;
    return {compute(op, in_order(a, every), in_order(b, every)), every};
  }
  // Of many short sums one kernel makes the products and adds them up; to BLAS each would be a call.
  // Products of 16 bits would be rounded before they are added.
  const DType dtype = a.array.dtype();
  if (rows.empty() && columns.empty() && !outer.empty() && product(inner, sizes) < 256 && wide_type(dtype) == dtype) {
    const Labels both = together({outer, inner});
    return summed(contracted(a, b, both, widens), outer, false);
  }
  Shape left, right, shape;
  for (int x : outer) left.push_back(sizes.at(x));
  right = left;
  int64_t count = product(inner, sizes);
  left.insert(left.end(), {product(rows, sizes), count});
  right.insert(right.end(), {count, product(columns, sizes)});
  for (int x : every) shape.push_back(sizes.at(x));
  Array x = reshape(in_order(a, together({outer, rows, inner}), &sizes), left);
  Array y = reshape(in_order(b, together({outer, inner, columns}), &sizes), right);
  return {reshape(matmul(x, y), shape), every};
}

}  // namespace

Array einsum(std::string_view subscripts, std::span<const Array> operands, std::optional<DType> dtype,
             std::span<const std::pair<int, int>> steps, const EinsumRules& rules) {
  if (operands.empty()) raise(ErrorKind::value, "[einsum] there must be one operand at least");
  Subscripts read_ones = read(subscripts, operands, rules);
  sizes_of(operands, read_ones, rules);
  std::vector<OperandType> types;
  for (const Array& a : operands) types.push_back({a.dtype()});
  DType type = dtype.value_or(common_type(types));
  std::vector<Factor> work;
  for (size_t i = 0; i < operands.size(); ++i) work.push_back(diagonal_of(as_type(operands[i], type), read_ones.operands[i]));
  for (size_t step = 0; work.size() > 1; ++step) {
    auto [i, j] = step < steps.size() ? steps[step] : std::pair(0, 1);
    if (i < 0 || i >= j || static_cast<size_t>(j) >= work.size()) bug("a step of {} and {} of {} operands", i, j, work.size());
    Factor b = work[static_cast<size_t>(j)], a = work[static_cast<size_t>(i)];
    work.erase(work.begin() + j);
    work.erase(work.begin() + i);
    Labels needed = read_ones.result;
    for (const Factor& f : work) needed = together({needed, f.labels});
    work.push_back(contracted(a, b, needed, rules.widens_sums));
  }
  Factor last = summed(work[0], read_ones.result, rules.widens_sums);
  return in_order(last, read_ones.result);
}

static void refuse_as_numpy(const EinsumFault& fault) {
  using Kind = EinsumFault::Kind;
  const std::string& label = fault.label;
  switch (fault.kind) {
    case Kind::letter:
      raise(ErrorKind::value, "[einsum] invalid subscript '{}' in einsum sum subscripts string, subscripts must be letters",
            label);
    case Kind::arrow:
      raise(ErrorKind::value, "[einsum] einstein sum subscripts string contains '->' more than once, or a part of it");
    case Kind::operands:
      raise(ErrorKind::value, "[einsum] {} operands provided to einstein sum function than specified in the subscripts string",
            fault.size > fault.other ? "more" : "fewer");
    case Kind::too_many:
      raise(ErrorKind::value, "[einsum] einstein sum subscripts string contains too many subscripts for operand {}",
            fault.operand);
    case Kind::too_few:
      raise(ErrorKind::value,
            "[einsum] einstein sum subscripts string contains too few subscripts for operand {}, and no '...' for its other axes",
            fault.operand);
    case Kind::dots:
      raise(ErrorKind::value, "[einsum] output had too few broadcast dimensions; it needs '...' too");
    case Kind::repeated_output:
      raise(ErrorKind::value, "[einsum] einstein sum subscripts string includes output subscript '{}' multiple times", label);
    case Kind::unknown_output:
      raise(ErrorKind::value,
            "[einsum] einstein sum subscripts string included output subscript '{}' which never appeared in an input", label);
    case Kind::repeated:
      raise(ErrorKind::value, "[einsum] dimensions in operand {} for collapsing index '{}' don't match ({} != {})", fault.operand,
            label, fault.size, fault.other);
    case Kind::sizes:
      raise(ErrorKind::value, "[einsum] operands could not be broadcast together with remapped shapes: {} and {} for '{}'",
            fault.size, fault.other, label);
  }
}
const EinsumRules numpys_einsum{refuse_as_numpy};

Array einsum_by(const EinsumCall& call) {
  Array out = einsum(call.subscripts, call.operands, call.dtype, call.steps, call.rules);
  if (call.order == Order::c || call.order == Order::fortran) out = quern::in_order(out, call.order);
  if (out.rank() == 0) out.set_value(true);
  return out;
}

Array kron(const Array& a, const Array& b) { return kronecker(numpys_rules, a, b); }

Array kronecker(const Rules& rules, const Array& a, const Array& b) {
  if (a.rank() == 0 || b.rank() == 0) return rules(Op::multiply, a, b);
  size_t rank = std::max(a.rank(), b.rank());
  Shape left, right, shape;
  for (size_t n = 0; n < rank; ++n) {
    auto size = [&](const Array& x) { return n + x.rank() < rank ? 1 : x.shape()[n + x.rank() - rank]; };
    left.insert(left.end(), {size(a), 1});
    right.insert(right.end(), {1, size(b)});
    shape.push_back(size(a) * size(b));
  }
  return reshape(rules(Op::multiply, reshape(a, left), reshape(b, right)), shape);
}
Array kron_of_alike(const Rules& rules, const Alike& of) { return kronecker(rules, of.a, of.b); }

}  // namespace quern
