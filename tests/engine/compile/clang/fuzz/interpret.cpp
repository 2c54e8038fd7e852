// Runs a kernel the plainest way: one statement after the other, and each for one thread after the other. Threads that are not
// at the statement are left out; so every barrier is passed by all at once, and a shuffle finds its lanes together.
#include <algorithm>
#include <array>
#include <bit>

#include "program.h"

namespace fuzz {

namespace {

struct Thread {
  Value v[variables], p[private_slots];
  std::vector<Value> loops;
};

class Block {
 public:
  Block(const Kernel& k, const std::vector<Value>& in, Value n, Value b, Value* out, Value* sums)
      : k_(k), in_(in), n_(n), b_(b), out_(out), sums_(sums), count_(k.shape.threads()) {
    threads_.resize(count_);
    for (int a = 0; a < shared_arrays; ++a) shared_[a].resize(count_);
    for (Value t = 0; t < count_; ++t) {
      threads_[t] = {{in[t % inputs], t, b * 7 + 1, n ^ t, 5}, {1, t, 3, 4}, {}};
      shared_[0][t] = t * 3 + b;
      shared_[1][t] = t ^ 21u;
    }
  }

  void run() {
    Mask all(count_, true);
    body(k_.body, all);
    for (Value t = 0; t < count_; ++t)
      if (all[t]) finish(t);
  }

 private:
  using Mask = std::vector<bool>;  // who is here
  using Lanes = std::vector<Value>;

  void finish(Value t) {
    Value h = 17 + shared_[0][t];
    for (Value x : threads_[t].v) h = h * 31 + x;
    for (Value x : threads_[t].p) h = h * 31 + x;
    out_[b_ * count_ + t] = h;
  }

  Lanes eval(const Expr& e, const Mask& here) {
    std::vector<Lanes> args;
    for (auto& a : e.args) args.push_back(eval(*a, here));
    Lanes out(count_);
    for (Value t = 0; t < count_; ++t)
      if (here[t]) out[t] = one(e, args, here, t);
    return out;
  }

  Value one(const Expr& e, const std::vector<Lanes>& args, const Mask& here, Value t) {
    auto x = [&](size_t i) { return args[i][t]; };
    Value lane = t & 31, first = t - lane;
    auto from = [&](Value other) { return args[0][first + other]; };
    auto votes = [&](Value begin, Value end) {
      Value bits = 0, total = 0, set = 0;
      for (Value u = begin; u < std::min(end, count_); ++u)
        if (here[u]) {
          ++total;
          if (args[0][u] & 1) {
            ++set;
            if (u - begin < 32) bits |= 1u << (u - begin);
          }
        }
      return std::array<Value, 3>{bits, total, set};
    };
    auto over = [&](Value size, auto combine) {  // those of the warp, or of a part of it
      Value begin = lane & ~(size - 1), out = from(begin);
      for (Value u = begin + 1; u < begin + size; ++u) out = combine(out, from(u));
      return out;
    };
    switch (e.op) {
      case Expr::Op::constant:
        return e.number;
      case Expr::Op::variable:
        return threads_[t].v[e.number];
      case Expr::Op::counter_of_loop:
        return threads_[t].loops[e.number];
      case Expr::Op::tid:
        return t;
      case Expr::Op::tid_x:
        return t % k_.shape.block[0];
      case Expr::Op::tid_y:
        return t / k_.shape.block[0] % k_.shape.block[1];
      case Expr::Op::lane:
        return lane;
      case Expr::Op::warp:
        return t >> 5;
      case Expr::Op::block:
        return b_;
      case Expr::Op::n:
        return n_;
      case Expr::Op::add:
        return x(0) + x(1);
      case Expr::Op::sub:
        return x(0) - x(1);
      case Expr::Op::mul:
        return x(0) * x(1);
      case Expr::Op::div:
        return x(0) / x(1);
      case Expr::Op::rem:
        return x(0) % x(1);
      case Expr::Op::bit_and:
        return x(0) & x(1);
      case Expr::Op::bit_or:
        return x(0) | x(1);
      case Expr::Op::bit_xor:
        return x(0) ^ x(1);
      case Expr::Op::shift_left:
        return x(0) << x(1);
      case Expr::Op::shift_right:
        return x(0) >> x(1);
      case Expr::Op::less:
        return x(0) < x(1);
      case Expr::Op::equal:
        return x(0) == x(1);
      case Expr::Op::select:
        return x(0) ? x(1) : x(2);
      case Expr::Op::minimum:
        return std::min(x(0), x(1));
      case Expr::Op::high_of_product:
        return static_cast<Value>(uint64_t{x(0)} * x(1) >> 32);
      case Expr::Op::bits_set:
        return static_cast<Value>(std::popcount(x(0)));
      case Expr::Op::zeros_in_front:
        return static_cast<Value>(std::countl_zero(x(0)));
      case Expr::Op::reversed: {
        Value out = 0;
        for (int bit = 0; bit < 32; ++bit) out |= (x(0) >> bit & 1u) << (31 - bit);
        return out;
      }
      case Expr::Op::funnel_shift:
        return static_cast<Value>((uint64_t{x(1)} << 32 | x(0)) << (x(2) & 31) >> 32);
      case Expr::Op::bytes_picked: {
        uint64_t both = uint64_t{x(1)} << 32 | x(0);
        Value out = 0;
        for (int byte = 0; byte < 4; ++byte) out |= static_cast<Value>(both >> 8 * (x(2) >> 4 * byte & 7) & 255) << 8 * byte;
        return out;
      }
      case Expr::Op::wide_product:
        return static_cast<Value>((uint64_t{x(0)} * x(1) + x(2)) >> 13);
      case Expr::Op::real_sum:
        return std::bit_cast<Value>(static_cast<float>(x(0) & 65535) * 0.25f + static_cast<float>(x(1) & 255));
      case Expr::Op::real_quotient:
        return static_cast<Value>(static_cast<double>(x(0)) / static_cast<double>(x(1) | 1));
      case Expr::Op::input:
      case Expr::Op::texel:
        return in_[x(0) % inputs];
      case Expr::Op::private_at:
        return threads_[t].p[x(0) % private_slots];
      case Expr::Op::shared_own:
        return shared_[e.number][t];
      case Expr::Op::shared_other:
        return shared_[e.number][x(0) % count_];
      case Expr::Op::shared_counter:
        return counters_[e.number];
      case Expr::Op::shuffle:
        return from(x(1) & 31);
      case Expr::Op::shuffle_xor:
        return from(lane ^ x(1));
      case Expr::Op::shuffle_down:
        return lane + x(1) < 32 ? from(lane + x(1)) : x(0);
      case Expr::Op::shuffle_up:
        return lane >= x(1) ? from(lane - x(1)) : x(0);
      case Expr::Op::shuffle_in_part:
      case Expr::Op::tile_shuffle:
        return from((lane & ~(e.number - 1)) | (x(1) & (e.number - 1)));
      case Expr::Op::match_any: {
        Value alike = 0;
        for (Value u = 0; u < 32; ++u) alike |= Value{(from(u) & 3) == (x(0) & 3)} << u;
        return alike;
      }
      case Expr::Op::match_all: {
        Value alike = 0;
        for (Value u = 0; u < 32; ++u) alike += (from(u) & 1) == (x(0) & 1);
        return alike == 32 ? ~1u : 0;
      }
      case Expr::Op::warp_sum:
        return over(32, [](Value a, Value b) { return a + b; });
      case Expr::Op::warp_min:
        return over(32, [](Value a, Value b) { return std::min(a, b); });
      case Expr::Op::warp_xor:
        return over(32, [](Value a, Value b) { return a ^ b; });
      case Expr::Op::tile_sum:
        return over(e.number, [](Value a, Value b) { return a + b; });
      case Expr::Op::tile_scan: {
        Value sum = 0;
        for (Value u = lane & ~(e.number - 1); u <= lane; ++u) sum += from(u);
        return sum;
      }
      case Expr::Op::tile_ballot: {
        Value bits = 0, begin = lane & ~(e.number - 1);
        for (Value u = 0; u < e.number; ++u) bits |= (from(begin + u) & 1) << u;
        return bits;
      }
      case Expr::Op::ballot:
        return votes(first, first + 32)[0];
      case Expr::Op::any:
        return votes(first, first + 32)[2] > 0;
      case Expr::Op::all: {
        auto v = votes(first, first + 32);
        return v[1] == v[2];
      }
      case Expr::Op::barrier_count:
        return votes(0, count_)[2];
      case Expr::Op::barrier_or:
        return votes(0, count_)[2] > 0;
      case Expr::Op::barrier_and: {
        auto v = votes(0, count_);
        return v[1] == v[2];
      }
    }
    return 0;
  }

  // `here` loses whoever returns, leaves the loop or goes to its next round.
  void body(const Body& statements, Mask& here) {
    for (auto& s : statements) statement(*s, here);
  }

  void add(int number, Value value) {
    Value& sum = sums_[number];
    sum = number < 2 ? sum + value : number == 2 ? std::max(sum, value) : sum ^ value;
  }

  // Of each warp: those that hold get the sum of theirs, and what the first of them has.
  void among_some(const Stmt& s, const std::vector<Lanes>& args, const Mask& here) {
    for (Value first = 0; first < count_; first += 32) {
      Value sum = 0, lowest = 32;
      for (Value u = 32; u-- > 0;)
        if (here[first + u] && (args[0][first + u] & 1)) sum += args[1][first + u], lowest = u;
      for (Value u = lowest; u < 32; ++u)
        if (here[first + u] && (args[0][first + u] & 1)) threads_[first + u].v[s.number] = sum ^ args[1][first + lowest];
    }
  }

  void statement(const Stmt& s, Mask& here) {
    std::vector<Lanes> args;
    if (s.op != Stmt::Op::call)
      for (auto& a : s.args) args.push_back(eval(*a, here));
    auto each = [&](auto f) {
      for (Value t = 0; t < count_; ++t)
        if (here[t]) f(t);
    };
    switch (s.op) {
      case Stmt::Op::assign:
        each([&](Value t) { threads_[t].v[s.number] = args[0][t]; });
        break;
      case Stmt::Op::store_private:
        each([&](Value t) { threads_[t].p[args[0][t] % private_slots] = args[1][t]; });
        break;
      case Stmt::Op::store_shared:
        each([&](Value t) { shared_[s.number][t] = args[0][t]; });
        break;
      case Stmt::Op::add_counter:
        each([&](Value t) { counters_[s.number] += args[0][t]; });
        break;
      case Stmt::Op::add_global:
      case Stmt::Op::add_together:
        each([&](Value t) { add(s.number, args[0][t]); });
        break;
      case Stmt::Op::among_some:
        among_some(s, args, here);
        break;
      case Stmt::Op::barrier:
      case Stmt::Op::warp_barrier:
        break;
      case Stmt::Op::branch:
        choose(s, here, [&](Value t) { return args[0][t] ? 0u : 1u; });
        break;
      case Stmt::Op::switch_of:
        choose(s, here, [&](Value t) { return args[0][t]; });
        break;
      case Stmt::Op::loop:
        rounds(s, here, [&](Value t, Value round) { return round < args[0][t]; }, true);
        break;
      case Stmt::Op::loop_while:
        rounds(s, here, [&](Value t, Value round) { return round < args[0][t]; }, false);
        break;
      case Stmt::Op::exit:
        each([&](Value t) { finish(t); });
        here.assign(count_, false);
        break;
      case Stmt::Op::leave_loop:
        each([&](Value t) { left_.back()[t] = true; });
        here.assign(count_, false);
        break;
      case Stmt::Op::next_round:
        each([&](Value t) { skipped_.back()[t] = true; });
        here.assign(count_, false);
        break;
      case Stmt::Op::call:
        body(k_.function, here);
        break;
    }
  }

  template <class F>
  void choose(const Stmt& s, Mask& here, F which) {
    Mask after(count_, false);
    for (size_t i = 0; i <= s.bodies.size(); ++i) {
      Mask side(count_, false);
      for (Value t = 0; t < count_; ++t) side[t] = here[t] && std::min<size_t>(which(t), s.bodies.size()) == i;
      if (i < s.bodies.size() && std::find(side.begin(), side.end(), true) != side.end()) body(s.bodies[i], side);
      for (Value t = 0; t < count_; ++t) after[t] = after[t] || side[t];
    }
    here = after;
  }

  template <class F>
  void rounds(const Stmt& s, Mask& here, F goes_on, bool counted) {
    Mask in = here, after(count_, false);
    left_.push_back(Mask(count_, false));
    if (counted)
      for (Thread& t : threads_) t.loops.push_back(0);
    for (Value round = 0;; ++round) {
      bool anybody = false;
      for (Value t = 0; t < count_; ++t) {
        if (!in[t]) continue;
        if (goes_on(t, round)) {
          anybody = true;
          if (counted) threads_[t].loops.back() = round;
        } else {
          in[t] = false;
          after[t] = true;
        }
      }
      if (!anybody) break;
      skipped_.push_back(Mask(count_, false));
      body(s.bodies[0], in);
      for (Value t = 0; t < count_; ++t) in[t] = in[t] || skipped_.back()[t];
      skipped_.pop_back();
    }
    for (Value t = 0; t < count_; ++t) after[t] = after[t] || left_.back()[t];
    left_.pop_back();
    if (counted)
      for (Thread& t : threads_) t.loops.pop_back();
    here = after;
  }

  const Kernel& k_;
  const std::vector<Value>& in_;
  Value n_, b_;
  Value *out_, *sums_;
  Value count_;
  std::vector<Thread> threads_;
  std::vector<Value> shared_[shared_arrays];
  Value counters_[shared_arrays] = {0, 1};
  std::vector<Mask> left_, skipped_;
};

}  // namespace

Result interpret(const Kernel& k, const std::vector<Value>& input, Value n) {
  Value total = k.shape.threads() * k.shape.blocks();
  Result result(total + counters);
  for (Value b = 0; b < k.shape.blocks(); ++b) Block(k, input, n, b, result.data(), result.data() + total).run();
  return result;
}

}  // namespace fuzz
