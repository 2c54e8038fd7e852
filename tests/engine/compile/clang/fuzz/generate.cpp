// Draws kernels. What may stand where is kept in Where: how much of the block is surely together, and which shared arrays may be
// written or read by others just now.
#include <algorithm>

#include "program.h"

namespace fuzz {

namespace {

enum class Together { block, warp, nobody };  // who surely runs the same statement

struct Where {
  Together together = Together::block;
  int loops = 0;  // counters of enclosing loops that may be read
  int depth = 0;
  bool in_loop = false;  // may leave or go to the next round here: no barrier in this loop
  bool may_exit = true;
  bool alone_may_exit = true;  // single threads of a warp: not where the warp comes round again and talks to them
};

class Generator {
 public:
  explicit Generator(std::mt19937_64& random) : random_(random) {}

  Kernel kernel() {
    static const Shape shapes[] = {
        {{32, 1, 1}, {3, 1, 1}},  {{64, 1, 1}, {2, 1, 1}}, {{96, 1, 1}, {2, 2, 1}}, {{128, 1, 1}, {2, 1, 1}},
        {{256, 1, 1}, {2, 1, 1}}, {{48, 1, 1}, {2, 1, 1}}, {{1, 1, 1}, {5, 1, 1}},  {{33, 1, 1}, {2, 1, 1}},
        {{32, 4, 1}, {2, 1, 1}},  {{16, 8, 1}, {1, 2, 1}}, {{8, 4, 4}, {2, 1, 1}},  {{64, 2, 1}, {1, 1, 2}},
        {{7, 5, 1}, {2, 1, 1}},
    };
    Kernel k;
    k.shape = shapes[below(std::size(shapes))];
    whole_warps_ = k.shape.threads() % 32 == 0;
    k.has_dynamic_memory = chance(25);
    Where where;
    if (chance(30)) {
      calls_ = true;
      k.inlines = chance(50);
      Where inside = where;
      inside.depth = 2;
      inside.may_exit = false;
      k.function = body(inside, 1 + below(3));
      // Each call starts from whatever the caller left: begin and end with a barrier, and nothing is open.
      k.function.insert(k.function.begin(), simple(Stmt::Op::barrier));
      k.function.push_back(simple(Stmt::Op::barrier));
      settle();
    }
    k.body = body(where, 4 + below(8));
    return k;
  }

 private:
  struct Shared {
    bool dirty = true;  // written since the last barrier: others may not read it
    bool read = false;  // read by others since the last barrier: nobody may write it
    bool counted = false, counter_read = false;
  };

  uint64_t below(uint64_t n) { return random_() % n; }
  bool chance(int percent) { return below(100) < static_cast<uint64_t>(percent); }
  static std::unique_ptr<Stmt> simple(Stmt::Op op) {
    auto s = std::make_unique<Stmt>();
    s->op = op;
    return s;
  }
  static ExprPtr leaf(Expr::Op op, Value number = 0) {
    auto e = std::make_unique<Expr>();
    e->op = op;
    e->number = number;
    return e;
  }
  template <class... Args>
  static ExprPtr node(Expr::Op op, Args... args) {
    auto e = leaf(op);
    (e->args.push_back(std::move(args)), ...);
    return e;
  }

  void settle() {
    for (Shared& s : shared_) s = Shared{false, false, false, false};
  }
  // In a loop or after a branch anything may have happened in between: only a barrier makes it certain again.
  void unsettle() {
    for (Shared& s : shared_) s = Shared{true, true, true, true};
  }

  // ---- expressions

  // The same for all threads of a block.
  ExprPtr uniform(const Where& where, int depth) {
    if (depth <= 0 || chance(35)) {
      switch (below(5)) {
        case 0:
          return leaf(Expr::Op::block);
        case 1:
          return leaf(Expr::Op::n);
        case 2:
          return where.loops ? leaf(Expr::Op::counter_of_loop, static_cast<Value>(below(where.loops))) : leaf(Expr::Op::n);
        case 3:
          return node(Expr::Op::input, leaf(Expr::Op::block));  // uniform, which no compiler can know
        default:
          return leaf(Expr::Op::constant, static_cast<Value>(below(9)));
      }
    }
    static const Expr::Op ops[] = {Expr::Op::add, Expr::Op::mul, Expr::Op::bit_xor, Expr::Op::bit_and, Expr::Op::sub};
    return node(ops[below(std::size(ops))], uniform(where, depth - 1), uniform(where, depth - 1));
  }

  ExprPtr any(const Where& where, int depth) {
    if (depth <= 0 || chance(25)) return any_leaf(where);
    switch (below(29)) {
      case 22: {
        static const Expr::Op ops[] = {Expr::Op::bits_set, Expr::Op::zeros_in_front, Expr::Op::reversed};
        return node(ops[below(std::size(ops))], any(where, depth - 1));
      }
      case 23:
        return node(Expr::Op::high_of_product, any(where, depth - 1), any(where, depth - 1));
      case 24:
        return node(Expr::Op::funnel_shift, any(where, depth - 1), any(where, depth - 1), any(where, depth - 1));
      case 25:
        return node(Expr::Op::bytes_picked, any(where, depth - 1), any(where, depth - 1), any(where, depth - 1));
      case 26:
        return node(Expr::Op::wide_product, any(where, depth - 1), any(where, depth - 1), any(where, depth - 1));
      case 27:
        return node(Expr::Op::real_sum, any(where, depth - 1), any(where, depth - 1));
      case 28:
        return node(Expr::Op::real_quotient, any(where, depth - 1), any(where, depth - 1));
      case 0:
        return node(Expr::Op::sub, any(where, depth - 1), any(where, depth - 1));
      case 1:
        return node(Expr::Op::mul, any(where, depth - 1), any(where, depth - 1));
      case 2:
        return node(Expr::Op::div, any(where, depth - 1),
                    node(Expr::Op::bit_or, any(where, depth - 1), leaf(Expr::Op::constant, 1)));
      case 3:
        return node(Expr::Op::rem, any(where, depth - 1),
                    node(Expr::Op::bit_or, any(where, depth - 1), leaf(Expr::Op::constant, 1)));
      case 4:
        return node(Expr::Op::bit_and, any(where, depth - 1), any(where, depth - 1));
      case 5:
        return node(Expr::Op::bit_or, any(where, depth - 1), any(where, depth - 1));
      case 6:
        return node(Expr::Op::shift_left, any(where, depth - 1),
                    node(Expr::Op::bit_and, any(where, depth - 1), leaf(Expr::Op::constant, 31)));
      case 7:
        return node(Expr::Op::shift_right, any(where, depth - 1),
                    node(Expr::Op::bit_and, any(where, depth - 1), leaf(Expr::Op::constant, 31)));
      case 8:
        return node(Expr::Op::less, any(where, depth - 1), any(where, depth - 1));
      case 9:
        return node(Expr::Op::equal, any(where, depth - 1), any(where, depth - 1));
      case 10:
        return node(Expr::Op::select, any(where, depth - 1), any(where, depth - 1), any(where, depth - 1));
      case 11:
        return node(Expr::Op::minimum, any(where, depth - 1), any(where, depth - 1));
      case 12:
        return node(chance(70) ? Expr::Op::input : Expr::Op::texel, any(where, depth - 1));
      case 13:
        return node(Expr::Op::private_at, any(where, depth - 1));
      case 14:
        return node(Expr::Op::bit_xor, any(where, depth - 1), any(where, depth - 1));
      default:
        return node(Expr::Op::add, any(where, depth - 1), any(where, depth - 1));
    }
  }

  ExprPtr any_leaf(const Where& where) {
    switch (below(12)) {
      case 0:
        return leaf(Expr::Op::tid);
      case 1:
        return leaf(Expr::Op::tid_x);
      case 2:
        return leaf(Expr::Op::lane);
      case 3:
        return leaf(Expr::Op::warp);
      case 4:
        return leaf(Expr::Op::constant, static_cast<Value>(below(2) ? below(40) : random_()));
      case 5:
        return leaf(Expr::Op::tid_y);
      case 6:
        return uniform(where, 1);
      default:
        return leaf(Expr::Op::variable, static_cast<Value>(below(variables)));
    }
  }

  // What threads tell each other, where that is defined; else anything.
  ExprPtr message(const Where& where) {
    bool lanes = where.together != Together::nobody && !exited_in_warp_ && whole_warps_;
    auto of_size = [&](Expr::Op op, int smallest, auto... args) {
      auto e = node(op, std::move(args)...);
      e->number = static_cast<Value>(smallest) << below(smallest == 2 ? 4 : 3);
      return e;
    };
    switch (below(lanes ? 18 : 3)) {
      case 0: {
        int a = static_cast<int>(below(shared_arrays));
        if (shared_[a].dirty) break;
        shared_[a].read = true;
        auto e = node(Expr::Op::shared_other, any(where, 1));
        e->number = static_cast<Value>(a);
        return e;
      }
      case 1: {
        int a = static_cast<int>(below(shared_arrays));
        if (shared_[a].counted) break;
        shared_[a].counter_read = true;
        return leaf(Expr::Op::shared_counter, static_cast<Value>(a));
      }
      case 2:
        return leaf(Expr::Op::shared_own, static_cast<Value>(below(shared_arrays)));
      case 3:
        return node(Expr::Op::shuffle, any(where, 1), any(where, 1));
      case 4:
        return node(Expr::Op::shuffle_xor, any(where, 1), leaf(Expr::Op::constant, 1u << below(5)));
      case 5:
        return node(Expr::Op::shuffle_down, any(where, 1), leaf(Expr::Op::constant, 1u << below(5)));
      case 6:
        return node(Expr::Op::shuffle_up, any(where, 1), leaf(Expr::Op::constant, static_cast<Value>(below(8))));
      case 7:
        return node(Expr::Op::ballot, any(where, 2));
      case 8:
        return node(Expr::Op::any, any(where, 2));
      case 9:
        return node(Expr::Op::all, any(where, 2));
      case 10:
        return of_size(Expr::Op::shuffle_in_part, 2, any(where, 1), any(where, 1));
      case 11:
        return node(Expr::Op::match_any, any(where, 1));
      case 12:
        return node(Expr::Op::match_all, any(where, 1));
      case 13: {
        static const Expr::Op ops[] = {Expr::Op::warp_sum, Expr::Op::warp_min, Expr::Op::warp_xor};
        return node(ops[below(std::size(ops))], any(where, 2));
      }
      case 14:
        return of_size(Expr::Op::tile_sum, 4, any(where, 2));
      case 15:
        return of_size(Expr::Op::tile_scan, 4, any(where, 2));
      case 16:
        return of_size(Expr::Op::tile_shuffle, 4, any(where, 1), any(where, 1));
      case 17:
        return of_size(Expr::Op::tile_ballot, 4, any(where, 2));
    }
    return any(where, 3);
  }

  // ---- statements

  Body body(Where where, uint64_t count) {
    Body out;
    for (uint64_t i = 0; i < count; ++i) statement(where, out);
    return out;
  }

  void assign(Body& out, ExprPtr value) {
    auto s = simple(Stmt::Op::assign);
    s->number = static_cast<Value>(below(variables));
    s->args.push_back(std::move(value));
    out.push_back(std::move(s));
  }

  void barrier(Body& out) {
    out.push_back(simple(Stmt::Op::barrier));
    settle();
  }

  void statement(const Where& where, Body& out) {
    bool block = where.together == Together::block;
    uint64_t pick = below(100);
    if (pick < 24) return assign(out, any(where, 3));
    if (pick < 40) return assign(out, message(where));
    if (pick < 46) {
      auto s = simple(Stmt::Op::store_private);
      s->args.push_back(any(where, 1));
      s->args.push_back(any(where, 2));
      out.push_back(std::move(s));
      return;
    }
    if (pick < 56) return store_shared(where, out);
    if (pick < 60) return count(where, out);
    if (pick < 62) {
      auto s = simple(chance(30) ? Stmt::Op::add_together : Stmt::Op::add_global);
      s->number = static_cast<Value>(below(counters));
      s->args.push_back(any(where, 2));
      out.push_back(std::move(s));
      return;
    }
    if (pick < 72 && block) return barrier(out);
    if (pick < 75 && block && chance(60)) {
      static const Expr::Op ops[] = {Expr::Op::barrier_count, Expr::Op::barrier_or, Expr::Op::barrier_and};
      assign(out, node(ops[below(3)], any(where, 2)));
      settle();
      return;
    }
    if (pick < 77 && where.together != Together::nobody && !exited_in_warp_ && whole_warps_) {
      auto s = simple(chance(50) ? Stmt::Op::warp_barrier : Stmt::Op::among_some);
      if (s->op == Stmt::Op::among_some) {
        s->number = static_cast<Value>(below(variables));
        s->args.push_back(any(where, 2));
        s->args.push_back(any(where, 1));
      } else if (chance(50)) {
        s->number = 4u << below(4);
      }
      out.push_back(std::move(s));
      return;
    }
    if (calls_ && block && !in_loop_ && where.depth == 0 && !exited_in_warp_ && chance(25)) {
      out.push_back(simple(Stmt::Op::call));
      settle();
      return;
    }
    if (where.depth >= 3) return assign(out, any(where, 2));
    if (pick < 86) return branch(where, out);
    if (pick < 94) return loop(where, out);
    if (pick < 96) return switch_of(where, out);
    if (pick < 98 && where.may_exit) return leave(where, out);
    assign(out, any(where, 3));
  }

  void store_shared(const Where& where, Body& out) {
    int a = static_cast<int>(below(shared_arrays));
    if (shared_[a].read) {
      if (where.together != Together::block) return assign(out, any(where, 2));
      barrier(out);
    }
    auto s = simple(Stmt::Op::store_shared);
    s->number = static_cast<Value>(a);
    s->args.push_back(any(where, 3));
    out.push_back(std::move(s));
    shared_[a].dirty = true;
  }

  void count(const Where& where, Body& out) {
    int a = static_cast<int>(below(shared_arrays));
    if (shared_[a].counter_read) {
      if (where.together != Together::block) return assign(out, any(where, 2));
      barrier(out);
    }
    auto s = simple(Stmt::Op::add_counter);
    s->number = static_cast<Value>(a);
    s->args.push_back(any(where, 2));
    out.push_back(std::move(s));
    shared_[a].counted = true;
  }

  // A condition, and who is together behind it.
  ExprPtr condition(const Where& where, Together& then) {
    uint64_t pick = below(10);
    then = where.together;
    if (pick < 3)
      return node(Expr::Op::less, node(Expr::Op::bit_and, uniform(where, 2), leaf(Expr::Op::constant, 7)),
                  leaf(Expr::Op::constant, static_cast<Value>(below(9))));
    if (pick < 6 && where.together != Together::nobody && whole_warps_) {
      then = Together::warp;
      if (chance(50))
        return node(Expr::Op::less, leaf(Expr::Op::tid), leaf(Expr::Op::constant, 32 * static_cast<Value>(below(5))));
      return node(Expr::Op::equal, node(Expr::Op::bit_and, leaf(Expr::Op::warp), leaf(Expr::Op::constant, 1)),
                  leaf(Expr::Op::constant, static_cast<Value>(below(2))));
    }
    then = Together::nobody;
    if (chance(30)) return node(Expr::Op::less, leaf(Expr::Op::tid), leaf(Expr::Op::n));
    return node(Expr::Op::bit_and, any(where, 2), leaf(Expr::Op::constant, 1u << below(4)));
  }

  void branch(const Where& where, Body& out) {
    auto s = simple(Stmt::Op::branch);
    Where inside = where;
    s->args.push_back(condition(where, inside.together));
    inside.depth++;
    bool exits = exited_in_warp_;
    Shared before[shared_arrays];
    std::copy(std::begin(shared_), std::end(shared_), before);
    s->bodies.push_back(body(inside, 1 + below(4)));
    Shared after[shared_arrays];
    std::copy(std::begin(shared_), std::end(shared_), after);
    if (chance(50)) {
      std::copy(std::begin(before), std::end(before), shared_);
      // Threads of both sides run side by side: what one side does must not disturb the other.
      if (inside.together != Together::block)
        for (int a = 0; a < shared_arrays; ++a) {
          shared_[a].dirty |= after[a].dirty;
          shared_[a].read |= after[a].read;
          shared_[a].counted |= after[a].counted;
          shared_[a].counter_read |= after[a].counter_read;
        }
      s->bodies.push_back(body(inside, 1 + below(3)));
    } else {
      std::copy(std::begin(before), std::end(before), shared_);
    }
    for (int a = 0; a < shared_arrays; ++a) {
      shared_[a].dirty |= after[a].dirty;
      shared_[a].read |= after[a].read;
      shared_[a].counted |= after[a].counted;
      shared_[a].counter_read |= after[a].counter_read;
    }
    exited_in_warp_ = exits || exited_in_warp_;
    out.push_back(std::move(s));
  }

  void loop(const Where& where, Body& out) {
    auto s = simple(Stmt::Op::loop);
    Where inside = where;
    inside.depth++;
    bool outer = in_loop_;
    in_loop_ = true;
    if (chance(60) && where.loops < 3) {
      // All that are together here make the same number of rounds; each begins with a barrier when the block is together.
      s->number = 1;
      s->args.push_back(node(Expr::Op::bit_and, uniform(where, 1), leaf(Expr::Op::constant, 3)));
      inside.loops++;
      inside.in_loop = inside.alone_may_exit = false;
      Body rounds;
      unsettle();
      if (where.together == Together::block) {
        rounds.push_back(simple(Stmt::Op::barrier));
        settle();
      }
      Body rest = body(inside, 1 + below(4));
      std::move(rest.begin(), rest.end(), std::back_inserter(rounds));
      s->bodies.push_back(std::move(rounds));
    } else {
      s->op = Stmt::Op::loop_while;  // rounds differ from thread to thread
      s->args.push_back(node(Expr::Op::bit_and, any(where, 2), leaf(Expr::Op::constant, 7)));
      inside.together = Together::nobody;
      inside.in_loop = true;
      unsettle();
      s->bodies.push_back(body(inside, 1 + below(4)));
    }
    in_loop_ = outer;
    unsettle();
    out.push_back(std::move(s));
    if (where.together == Together::block && chance(70)) barrier(out);
  }

  void switch_of(const Where& where, Body& out) {
    auto s = simple(Stmt::Op::switch_of);
    Where inside = where;
    inside.depth++;
    bool same = chance(40);
    if (!same) inside.together = Together::nobody;
    s->args.push_back(node(Expr::Op::bit_and, same ? uniform(where, 2) : any(where, 2), leaf(Expr::Op::constant, 3)));
    bool exits = exited_in_warp_;
    unsettle();
    for (int i = 0; i < 3; ++i) {
      s->bodies.push_back(body(inside, 1 + below(2)));
      exits |= exited_in_warp_;
      unsettle();
    }
    exited_in_warp_ = exits;
    out.push_back(std::move(s));
  }

  // `if (...) return;`, or break and continue in a loop without barriers.
  void leave(const Where& where, Body& out) {
    auto s = simple(Stmt::Op::branch);
    Together then;
    s->args.push_back(condition(where, then));
    Body inner;
    if (where.in_loop && chance(70)) {
      inner.push_back(simple(chance(50) ? Stmt::Op::leave_loop : Stmt::Op::next_round));
    } else {
      bool alone = then == Together::nobody || where.together == Together::nobody;
      if (alone && !where.alone_may_exit) return assign(out, any(where, 2));
      exited_in_warp_ |= alone;
      inner.push_back(simple(Stmt::Op::exit));
    }
    s->bodies.push_back(std::move(inner));
    out.push_back(std::move(s));
  }

  std::mt19937_64& random_;
  Shared shared_[shared_arrays] = {{false, false, false, false}, {false, false, false, false}};
  bool exited_in_warp_ = false;  // single threads of a warp may be gone: no shuffles any more
  bool whole_warps_ = true;
  bool calls_ = false, in_loop_ = false;
};

}  // namespace

Kernel generate(std::mt19937_64& random) { return Generator(random).kernel(); }

}  // namespace fuzz
