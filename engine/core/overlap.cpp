#include "core/overlap.h"

#include <algorithm>
#include <numeric>

namespace quern {

namespace {

// A count of steps: x times `step` with 0 <= x <= most.
struct Term {
  int64_t step = 0, most = 0;
};

// Is `wanted` a sum of the terms? From the largest step down; of the smaller ones is known how far they reach, what divides them,
// and whether they make every sum up to their reach.
class Sums {
 public:
  Sums(std::vector<Term> terms, int64_t work) : terms_(std::move(terms)), work_(work) {
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.step < b.step; });
    // Steps that are the same are one.
    size_t kept = 0;
    for (const Term& term : terms_) {
      if (kept && terms_[kept - 1].step == term.step)
        terms_[kept - 1].most += term.most;
      else
        terms_[kept++] = term;
    }
    terms_.resize(kept);
    reach_.push_back(0), divisor_.push_back(0), is_dense_.push_back(true);
    for (const Term& term : terms_) {
      is_dense_.push_back(is_dense_.back() && term.step <= reach_.back() + 1);
      reach_.push_back(reach_.back() + term.step * term.most);
      divisor_.push_back(std::gcd(divisor_.back(), term.step));
    }
  }

  std::optional<bool> make(int64_t wanted) { return make(wanted, terms_.size()); }

 private:
  std::optional<bool> make(int64_t wanted, size_t count) {
    if (wanted < 0 || wanted > reach_[count]) return false;
    if (wanted == 0 || is_dense_[count]) return true;
    if (wanted % divisor_[count] != 0) return false;
    const Term& term = terms_[count - 1];
    int64_t left_over = std::max<int64_t>(wanted - reach_[count - 1], 0);
    int64_t first = (left_over + term.step - 1) / term.step, last = std::min(wanted / term.step, term.most);
    for (int64_t x = last; x >= first; --x) {
      if (work_ == 0) return std::nullopt;
      if (work_ > 0) --work_;
      std::optional<bool> made = make(wanted - x * term.step, count - 1);
      if (!made || *made) return made;
    }
    return false;
  }

  std::vector<Term> terms_;
  std::vector<int64_t> reach_, divisor_;  // of the first so many terms
  std::vector<char> is_dense_;
  int64_t work_;
};

}  // namespace

std::optional<bool> overlap(const Layout& a, int64_t bytes_a, const Layout& b, int64_t bytes_b, int64_t work) {
  auto [a0, a1] = a.extent();
  auto [b0, b1] = b.extent();
  if (a0 == a1 || b0 == b1 || a1 * bytes_a <= b0 * bytes_b || b1 * bytes_b <= a0 * bytes_a) return false;
  // a's lowest byte + steps of a = b's highest byte - steps of b, where the bytes of an element are steps of 1.
  std::vector<Term> terms;
  terms.reserve(a.rank() + b.rank() + 1);
  auto add = [&](const Layout& layout, int64_t bytes) {
    for (size_t i = 0; i < layout.rank(); ++i)
      if (layout.shape[i] > 1 && layout.strides[i] != 0)
        terms.push_back({std::abs(layout.strides[i]) * bytes, layout.shape[i] - 1});
  };
  add(a, bytes_a);
  add(b, bytes_b);
  if (bytes_a + bytes_b > 2) terms.push_back({1, bytes_a + bytes_b - 2});
  return Sums(std::move(terms), work).make(b1 * bytes_b - 1 - a0 * bytes_a);
}

}  // namespace quern
