#include "functions/row_gradients.h"

#include <array>
#include <string_view>

#include "core/error.h"
#include "functions/activations.h"
#include "graph/algebra.h"

namespace quern {

namespace {

using namespace algebra;

// ---- the words of grads.def

constexpr double log_of_2 = 0.6931471805599453, log_of_10 = 2.302585092994046;

Array zeros_like(const Array& x) { return full(x.shape(), real_number(0), x.dtype(), x.device()); }

// g where `mine`, half of that where both are, 0 elsewhere.
Array share(const Array& g, const Array& mine, const Array& both) { return where(mine, where(both, g * 0.5, g), 0.0); }

// Does the host know that it is the number 0?
bool is_zero(const Array& x) {
  GraphLock lock;
  const Node& node = *x.cell()->node;
  return node.op == Op::constant && node.constant.bytes == Constant{}.bytes;
}

bool are_torch_slopes() { return WithSlopes::now() == Slopes::torch; }

// Exponents of 0 have no derivative, also where a**-1 is infinite.
Array of_base(const Array& g, const Array& a, const Array& b) {
  if (is_zero(b)) return zeros_like(g);
  Array slope = b * power(a, b - 1.0);
  if (are_torch_slopes()) return where(equal(b, 0.0), 0.0, g * conj(slope));
  return g * conj(where(equal(b, 0.0), 0.0, slope));
}
Array of_exponent(const Array& g, const Array& a, const Array& b, const Array& y) {
  Array slope = y * log(a);
  Array is_flat = equal(a, 0.0);
  if (!is_complex(b.dtype())) is_flat = logical_and(is_flat, greater_equal(b, 0.0));
  return g * conj(where(is_flat, 0.0, slope));
}

// Of complex numbers it is the direction.
Array of_sign(const Array& g, const Array& a, const Array& y) {
  if (!is_complex(a.dtype())) return zeros_like(g);
  Array size = absolute(a), turn = g - y * (conj(y) * g).real();
  return where(equal(size, 0.0), zeros_like(g), turn / where(equal(size, 0.0), 1.0, size));
}

// The sign of real numbers, 0 of NaN for PyTorch, and the direction of complex ones.
Array direction(const Array& a) { return is_complex(a.dtype()) || !are_torch_slopes() ? sign(a) : where(isnan(a), 0.0, sign(a)); }

// Both are recorded; what is not returned is never computed.
Array if_complex(const Array& of, const Array& x, const Array& y) { return is_complex(of.dtype()) ? x : y; }

// 1 in the place of 0, for quotients that are not used there: the derivatives of what is selected must be finite, too.
Array not_zero(const Array& a) { return where(equal(a, 0.0), 1.0, a); }

// Of the incomplete gamma function P(a, x) by x.
Array gamma_density(const Array& a, const Array& x) { return exp((a - 1.0) * log(x) - x - lgamma(a)); }

[[noreturn]] Array refuse_slope(const Array&, std::string_view name) {
  raise(ErrorKind::not_implemented, "the derivative for '{}: input' is not implemented.", name);
}

// The gradient passes at NaN for PyTorch.
Array through_relu(const Array& g, const Array& y) {
  return through_bend(g, y, {are_torch_slopes() ? Bend::Inside::not_below : Bend::Inside::above});
}

// ---- the words of tensorflow_grads.def

Array unless_zero(const Array& g, const Array& slope) { return where(equal(g, 0.0), 0.0, slope); }

Array log_or_zero(const Array& a) {
  const Array has_log = is_complex(a.dtype()) ? not_equal(a, 0.0) : greater(a, 0.0);
  return where(has_log, log(where(has_log, a, 1.0)), 0.0);
}

// ---- the tables

using Formula = Array (*)(const Array& g, const Array& a, const Array& b, const Array& c, const Array& y);
enum class Has : uint8_t { nothing, formulas, no_formula, none };  // `nothing`: a row that grads.def forgot

struct GradRow {
  Has has = Has::nothing;
  std::array<Formula, 3> formulas{};
  std::array<uint8_t, 3> needs{};
  std::array<std::string_view, 3> texts{};
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Which of a, b, c and y stand in the text as words of their own.
constexpr uint8_t words_in(std::string_view text) {
  uint8_t out = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    bool alone = (i == 0 || !is_letter(text[i - 1])) && (i + 1 == text.size() || !is_letter(text[i + 1]));
    if (!alone) continue;
    out |= text[i] == 'a' ? 1 : text[i] == 'b' ? 2 : text[i] == 'c' ? 4 : text[i] == 'y' ? 8 : 0;
  }
  return out;
}

using GradRows = std::array<GradRow, row_count>;

#define FORMULA(k, expression)                                                                                          \
  r.formulas[k] = [](const Array& g, [[maybe_unused]] const Array& a, [[maybe_unused]] const Array& b,                  \
                     [[maybe_unused]] const Array& c, [[maybe_unused]] const Array& y) -> Array { return expression; }; \
  r.needs[k] = words_in(#expression);                                                                                   \
  r.texts[k] = #expression;
#define ONE(x) FORMULA(0, x)
#define TWO(x, z) FORMULA(0, x) FORMULA(1, z)
#define THREE(x, z, w) FORMULA(0, x) FORMULA(1, z) FORMULA(2, w)
#define WHICH(x, z, w, name, ...) name
#define QUERN_GRAD_OF(rows, op, ...)                   \
  {                                                    \
    GradRow& r = rows[static_cast<size_t>(Op::op)];    \
    r.has = Has::formulas;                             \
    WHICH(__VA_ARGS__, THREE, TWO, ONE, )(__VA_ARGS__) \
  }

constexpr GradRows make_rows() {
  GradRows rows{};
#define QUERN_GRAD(op, ...) QUERN_GRAD_OF(rows, op, __VA_ARGS__)
#define QUERN_FLAT(op) rows[static_cast<size_t>(Op::op)].has = Has::none;
#define QUERN_MISSING(op) rows[static_cast<size_t>(Op::op)].has = Has::no_formula;
#include "quern/grads.def"
  return rows;
}

constexpr GradRows rows = make_rows();

constexpr GradRows make_tensorflow_rows() {
  GradRows made = rows;
#define QUERN_GRAD(op, ...) QUERN_GRAD_OF(made, op, __VA_ARGS__)
#include "functions/tensorflow_grads.def"
  return made;
}

constexpr GradRows tensorflow_rows = make_tensorflow_rows();

constexpr GradRows make_jax_rows() {
  GradRows made = rows;
#define QUERN_GRAD(op, ...) QUERN_GRAD_OF(made, op, __VA_ARGS__)
#include "functions/jax_grads.def"
  return made;
}

constexpr GradRows jax_rows = make_jax_rows();

const GradRow& grad_row(Op op) {
  const Slopes slopes = WithSlopes::now();
  const GradRows& theirs = slopes == Slopes::tensorflow ? tensorflow_rows : slopes == Slopes::jax ? jax_rows : rows;
  return theirs[static_cast<size_t>(op)];
}

constexpr bool are_complete() {
  for (const GradRow& r : rows)
    if (r.has == Has::nothing) return false;
  return true;
}
static_assert(are_complete(), "a row of ops.def has no line in grads.def");

const bool is_installed = (set_row_needs(&row_needs), true);

}  // namespace

uint8_t row_needs(Op op, int operand) {
  const GradRow& r = grad_row(op);
  if (r.has == Has::none) return RowNeedsFlat;
  return r.has == Has::formulas ? r.needs[static_cast<size_t>(operand)] : 0;
}

std::array<std::string_view, 3> row_gradient_texts(Op op) { return rows[static_cast<size_t>(op)].texts; }

Array row_gradient(Op op, int k, const Array& g, std::span<const Array> operands, const Array& result) {
  const GradRow& r = grad_row(op);
  if (r.has != Has::formulas)
    raise(ErrorKind::not_implemented, "derivative for {} is not implemented; compute its gradient in an autograd.Function",
          name_of(op));
  static const Array none;
  auto at = [&](size_t i) -> const Array& { return i < operands.size() ? operands[i] : none; };
  return r.formulas[static_cast<size_t>(k)](g, at(0), at(1), at(2), result);
}

}  // namespace quern
