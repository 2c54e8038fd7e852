// Reductions: who goes over which elements, and in which order they are added up (quern/array.cuh says which). Start at
// Printer::reduction().
#include "codegen/printer.h"

#include <algorithm>

namespace quern {

std::string Printer::sum_type(size_t node) const {
  return type_text(accumulator(group_.nodes[node]->reduction, group_.nodes[node]->compute));
}
std::string Printer::reduction_name(size_t node) const {
  return formatted("op::{}<{}>", name_of(group_.nodes[node]->reduction), sum_type(node));
}

// Loop after loop over a result's elements; in front of each, what is computed once for each result from what is known by then.
void Printer::reduction() {
  const bool one_thread = form_.walk == Walk::threads || form_.walk == Walk::columns || form_.walk == Walk::rows;
  Lanes lanes = form_.walk == Walk::lanes_outside ? Lanes{"threadIdx.y", "threadIdx.x"} : Lanes{"threadIdx.x", "threadIdx.y"};
  reduction_start();
  for (uint8_t loop = 0; loop < loops_; ++loop) {
    on_results(1, loop);
    switch (form_.walk) {
      case Walk::threads:
        one_after_the_other(loop);
        break;
      case Walk::columns:
        in_columns(loop);
        break;
      case Walk::rows:
        in_rows(loop);
        break;
      case Walk::block:
        in_block(loop);
        break;
      default:
        in_lanes(loop, lanes);
    }
  }
  if (!one_thread) line(1, "if ({} == 0) {{", lanes.lane);
  if (form_.walk == Walk::lanes_inside || form_.walk == Walk::lanes_outside) {
    for (size_t n = 0; n < group_.nodes.size(); ++n) {
      if (is_reduction(n) && is_last(group_.loops[n])) finish_reduction(2, n, tree_of(n, lanes));
    }
  }
  on_results(one_thread ? 1 : 2, loops_);
  store_results(one_thread ? 1 : 2);
  if (!one_thread) line(1, "}}");
  if (form_.combines) combine_in_last_block();
}

bool Printer::reduces_in(uint8_t loop) const {
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) return true;
  }
  return false;
}

bool Printer::is_last(uint8_t loop) const { return loop + 1 == loops_; }

// How many results there are, how many elements are reduced to each, and which of them this thread works on.
void Printer::reduction_start() {
  std::string results = "1", count = "1";
  for (size_t d = 0; d < form_.kept; ++d) results = d ? formatted("{} * n{}", results, d) : "n0";
  for (size_t d = form_.kept; d < form_.shape.size(); ++d) {
    count = d > form_.kept ? formatted("{} * n{}", count, d) : formatted("n{}", d);
  }
  line(1, "const I results = {}, count = {};", results, count);
  switch (form_.walk) {
    case Walk::columns:  // a block's lie in one row of results: those of all threads are side by side
      line(1, "const I blocks = (n{0} + (I)blockDim.x - 1) / (I)blockDim.x, row = (I)blockIdx.x / blocks;", form_.kept - 1);
      line(1,
           "const I column = (I)blockIdx.x % blocks * blockDim.x + threadIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;");
      break;
    case Walk::threads:
      line(1, "const I result = (I)blockIdx.x * blockDim.x + threadIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;");
      break;
    case Walk::rows:
      line(1, "if (threadIdx.x) return;");
      [[fallthrough]];
    case Walk::block:
      line(1, "const I result = blockIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;");
      break;
    case Walk::lanes_outside:
      line(1, "const I result = (I)blockIdx.x * blockDim.x + threadIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;");
      break;
    default:
      line(1, "const I result = (I)blockIdx.x * blockDim.y + threadIdx.y, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;");
  }
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (!is_reduction(n)) continue;
    if (form_.walk == Walk::block) {
      line(1, "__shared__ {} t{}[{}];", sum_type(n), n, elements_of_round());
    } else if (form_.walk == Walk::lanes_inside) {
      line(1, "__shared__ {} t{}[op::reduce_width][op::reduce_lanes];", sum_type(n), n);
    } else if (form_.walk == Walk::lanes_outside) {
      line(1, "__shared__ {} t{}[op::reduce_lanes][op::reduce_width];", sum_type(n), n);
    } else if (form_.walk == Walk::columns) {
      line(1, "__shared__ {} t{}[op::reduce_lanes * {}];", sum_type(n), n, form_.block);
    } else if (form_.walk == Walk::rows) {
      line(1, "{} t{}[op::reduce_lanes];", sum_type(n), n);
    }
  }
  uniform(1);
  if (form_.walk == Walk::columns) {
    line(1, "if (column >= n{} || chunk >= chunks) return;", form_.kept - 1);
    if (form_.kept > 1) coordinates(1, 0, form_.kept - 1, "row");
    line(1, "const I i{} = column;", form_.kept - 1);
  } else {
    line(1, "if (result >= results || chunk >= chunks) return;");
    coordinates(1, 0, form_.kept, "result");
  }
  loads_of_results();
  if (form_.walk == Walk::threads) return;
  line(1, "const I begin = chunk * {0}, end = count - begin < {0} ? count : begin + {0};", form_.chunk);
}

// What is computed once for each result reads once for each result.
void Printer::loads_of_results() {
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (!group_.per_result[n]) continue;
    for (const Origin& from : group_.sources(n)) {
      if (from.kind != Origin::Kind::load || is_fixed(from.index) || loaded_[from.index]) continue;
      load(1, from.index, form_.kept);
      loaded_[from.index] = true;
    }
  }
}

void Printer::start_reductions(int depth, uint8_t loop) {
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) line(depth, "{} s{} = {}::start();", sum_type(n), n, reduction_name(n));
  }
}

// What a reduction gives: z its sum, w that in the node's type.
void Printer::finish_reduction(int depth, size_t n, const std::string& sum) {
  line(depth, "const {} z{} = {};", sum_type(n), n, sum);
  if (!form_.chunked) line(depth, "const {0} w{1} = op::to<{0}>(z{1});", type_text(group_.nodes[n]->dtype), n);
}

void Printer::on_results(int depth, uint8_t loop) {
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (group_.per_result[n] && group_.loops[n] == loop) row_result(depth, n);
  }
}

void Printer::store_results(int depth) {
  for (size_t s = 0; s < group_.stores.size(); ++s) {
    uint32_t node = group_.stores[s];
    std::string at = index(store_steps_[s], 0, form_.kept);
    if (is_reduction(node) && form_.chunked) {
      line(depth, "o{}[({}) * chunks + chunk] = z{};", s, at, node);
    } else if (is_reduction(node) || group_.per_result[node]) {
      line(depth, "o{}[{}] = {}{};", s, at, is_reduction(node) ? "w" : "v", node);
    }
  }
}

// Few elements: a thread takes one after the other.
void Printer::one_after_the_other(uint8_t loop) {
  start_reductions(1, loop);
  line(1, "for (I j = 0; j < count; ++j) {{");
  coordinates(2, form_.kept, form_.shape.size(), "j");
  element(2, loop);
  line(1, "}}");
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) finish_reduction(1, n, formatted("s{}", n));
  }
}

// The reduced coordinates of a lane's first element; its next ones are found without dividing where rows are long.
void Printer::coordinates_of_lanes(int depth, const std::string& lane) {
  line(depth, "I first = begin + {};", lane);
  for (size_t d = form_.shape.size(); d-- > form_.kept;) {
    if (d == form_.kept) {
      line(depth, "I i{} = first;", d);
    } else {
      line(depth, "I i{0} = first % n{0};", d);
      line(depth, "first /= n{};", d);
    }
  }
}

void Printer::next_coordinates(int depth) {
  size_t last = form_.shape.size() - 1;
  line(depth, "i{} += op::reduce_lanes;", last);
  for (size_t d = last; d > form_.kept; --d) {
    line(depth, "{{");
    line(depth + 1, "const bool over = i{0} >= n{0};", d);
    line(depth + 1, "i{0} = over ? i{0} - n{0} : i{0};", d);
    line(depth + 1, "i{} += over;", d - 1);
    line(depth, "}}");
  }
}

// What neighbouring threads have of a reduction lies side by side.
std::string Printer::lane_of(size_t n, const Lanes& lanes, const std::string& lane) const {
  bool is_inside = form_.walk == Walk::lanes_inside;
  return formatted("t{}[{}][{}]", n, is_inside ? lanes.other : lane, is_inside ? lane : lanes.other);
}
std::string Printer::tree_of(size_t n, const Lanes& lanes) const {
  const char* format =
      form_.walk == Walk::lanes_inside ? "op::reduce_tree<{}>(t{}[{}], 1)" : "op::reduce_tree<{}>(&t{}[0][{}], op::reduce_width)";
  return formatted(fmt::runtime(format), reduction_name(n), n, lanes.other);
}

// How many elements a GPU's thread reads before it reduces the first of them: fewer where much is computed of each.
int Printer::loads_ahead(uint8_t loop) const {
  if (!group_.device.is_gpu()) return 1;
  const std::vector<bool> needed = needed_in(loop);
  int nodes = 0;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    if (group_.nodes[i]->op == Op::user) return 1;
    ++nodes;
  }
  return nodes <= 8 ? 8 : nodes <= 20 ? 4 : 1;
}

// Those that a block keeps in shared memory before 32 of its threads reduce them.
int64_t Printer::elements_of_round() const {
  constexpr int64_t shared_bytes = 32 << 10;
  int64_t bytes = 0;
  for (const Node* node : group_.nodes)
    if (node->op == Op::reduce) bytes += static_cast<int64_t>(size_of(accumulator(node->reduction, node->compute)));
  return std::clamp(shared_bytes / bytes / reduce_block * reduce_block, reduce_block, form_.chunk);
}

// On a GPU, in the same order, but several elements of a lane are on their way at a time. Of the last ones those beyond the end
// read the last element, and count for nothing: without branches they are read together, too.
void Printer::several_at_a_time(uint8_t loop, const Lanes& lanes, int ahead) {
  line(2, "I k = begin;");
  line(2, "for (; end - k >= {0} * op::reduce_lanes; k += {0} * op::reduce_lanes) {{", ahead);
  line(0, "#pragma unroll");
  line(3, "for (int u = 0; u < {}; ++u) {{", ahead);
  line(4, "const I j = k + u * op::reduce_lanes + {};", lanes.lane);
  if (!form_.has_long_rows) coordinates(4, form_.kept, form_.shape.size(), "j");
  element(4, loop);
  if (form_.has_long_rows) next_coordinates(4);
  line(3, "}}");
  line(2, "}}");
  line(2, "if (k < end) {{");
  line(0, "#pragma unroll");
  line(3, "for (int u = 0; u < {}; ++u) {{", ahead);
  line(4, "const int step = u * op::reduce_lanes + {};", lanes.lane);
  line(4, "const bool is_there = step < end - k;");
  line(4, "const I j = is_there ? k + step : end - 1;");
  coordinates(4, form_.kept, form_.shape.size(), "j");
  only_if_ = "if (is_there) ";
  element(4, loop);
  only_if_.clear();
  line(3, "}}");
  line(2, "}}");
}

// A row of 32 threads makes one result of one chunk.
void Printer::in_lanes(uint8_t loop, const Lanes& lanes) {
  start_reductions(1, loop);
  line(1, "{{");
  if (form_.has_long_rows) coordinates_of_lanes(2, lanes.lane);
  const int ahead = loads_ahead(loop);
  if (ahead > 1) {
    several_at_a_time(loop, lanes, ahead);
  } else {
    // Every lane goes around as often: the loop is the block's, and lanes become vectors.
    line(2, "for (I k = begin; k < end; k += op::reduce_lanes) {{");
    line(3, "const I j = k + {};", lanes.lane);
    line(3, "if (j < end) {{");
    if (!form_.has_long_rows) coordinates(4, form_.kept, form_.shape.size(), "j");
    element(4, loop);
    line(3, "}}");
    if (form_.has_long_rows) next_coordinates(3);
    line(2, "}}");
  }
  line(1, "}}");
  if (!reduces_in(loop)) return;
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) line(1, "{} = s{};", lane_of(n, lanes, lanes.lane), n);
  }
  line(1, "__syncthreads();");
  if (is_last(loop)) return;
  // Every lane needs the result.
  line(1, "if ({} == 0) {{", lanes.lane);
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) line(2, "{} = {};", lane_of(n, lanes, "0"), tree_of(n, lanes));
  }
  line(1, "}}");
  line(1, "__syncthreads();");
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) finish_reduction(1, n, lane_of(n, lanes, "0"));
  }
}

// On the CPU, when neighbouring results lie side by side: a thread makes one result, and what the lanes have of a block's results
// lies in rows of it. The barriers let the loops over elements run over whole rows of threads, in the order of memory.
void Printer::in_columns(uint8_t loop) {
  const bool reduces = reduces_in(loop);
  auto each = [&](auto&& f) {
    for (size_t n = 0; n < group_.nodes.size(); ++n) {
      if (is_reduction(n) && group_.loops[n] == loop) f(n);
    }
  };
  if (reduces) {
    line(1, "for (int lane = 0; lane < op::reduce_lanes; ++lane) {{");
    each([&](size_t n) { line(2, "t{}[lane * blockDim.x + threadIdx.x] = {}::start();", n, reduction_name(n)); });
    line(1, "}}");
    line(1, "__syncthreads();");
  }
  line(1, "for (I j = begin; j < end; ++j) {{");
  if (reduces) line(2, "const I at = (j - begin) % op::reduce_lanes * (I)blockDim.x + threadIdx.x;");
  coordinates(2, form_.kept, form_.shape.size(), "j");
  each([&](size_t n) { line(2, "{0} s{1} = t{1}[at];", sum_type(n), n); });
  element(2, loop);
  each([&](size_t n) { line(2, "t{0}[at] = s{0};", n); });
  line(1, "}}");
  line(1, "__syncthreads();");
  each([&](size_t n) {
    finish_reduction(1, n, formatted("op::reduce_tree<{}>(t{} + threadIdx.x, blockDim.x)", reduction_name(n), n));
  });
}

// The reduced coordinates of the first of several lanes, in variables that the lanes share; and those of the lanes after them.
void Printer::coordinates_of_rows(int depth) {
  line(depth, "I first = begin;");
  for (size_t d = form_.shape.size(); d-- > form_.kept;) {
    if (d == form_.kept) {
      line(depth, "I u{} = first;", d);
    } else {
      line(depth, "I u{0} = first % n{0};", d);
      line(depth, "first /= n{};", d);
    }
  }
}
void Printer::next_row(int depth) {
  const size_t last = form_.shape.size() - 1;
  line(depth, "u{} += op::reduce_lanes;", last);
  for (size_t d = last; d > form_.kept; --d) line(depth, "if (u{0} >= n{0}) u{0} -= n{0}, ++u{1};", d, d - 1);
}

// On the CPU, when a result's elements lie side by side: the only thread of a block makes one result, in a vector's loop over
// lanes of its own. Were that unrolled here, they would be numbers one by one; as vectors it is unrolled later
// (compile/clang/link/unrolled_vectors.h), and q stays in registers because nothing but such loops uses it.
void Printer::in_rows(uint8_t loop) {
  auto each = [&](auto&& f) {
    for (size_t n = 0; n < group_.nodes.size(); ++n) {
      if (is_reduction(n) && group_.loops[n] == loop) f(n);
    }
  };
  auto over_lanes = [&](int depth) {
    line(0, "#pragma clang loop unroll(disable) vectorize(enable)");
    line(depth, "for (int lane = 0; lane < op::reduce_lanes; ++lane) {{");
  };
  const size_t last = form_.shape.size() - 1;
  const bool has_rows = form_.reduced > 1;
  auto element_of_lane = [&](int depth, char lanes, bool is_in_row) {
    if (is_in_row) {
      for (size_t d = form_.kept; d < last; ++d) line(depth, "const I i{0} = u{0};", d);
      line(depth, "const I i{0} = u{0} + lane;", last);
    } else {
      line(depth, "const I j = k + lane;");
      coordinates(depth, form_.kept, form_.shape.size(), "j");
    }
    each([&](size_t n) { line(depth, "{0} s{1} = {2}{1}[lane];", sum_type(n), n, lanes); });
    element(depth, loop);
    each([&](size_t n) { line(depth, "{1}{0}[lane] = s{0};", n, lanes); });
    line(depth - 1, "}}");
  };
  line(1, "{{");
  each([&](size_t n) { line(2, "{} q{}[op::reduce_lanes];", sum_type(n), n); });
  over_lanes(2);
  each([&](size_t n) { line(3, "q{}[lane] = {}::start();", n, reduction_name(n)); });
  line(2, "}}");
  line(2, "I k = begin;");
  if (has_rows) coordinates_of_rows(2);
  line(2, "for (; end - k >= op::reduce_lanes; k += op::reduce_lanes) {{");
  if (has_rows) {  // lanes that lie in one row are vectors; of the others each finds its own row
    line(3, "if (u{0} + op::reduce_lanes <= n{0}) {{", last);
    over_lanes(4);
    element_of_lane(5, 'q', true);
    line(3, "}} else {{");
    line(4, "for (int lane = 0; lane < op::reduce_lanes; ++lane) {{");
    element_of_lane(5, 'q', false);
    line(3, "}}");
    next_row(3);
  } else {
    over_lanes(3);
    element_of_lane(4, 'q', false);
  }
  line(2, "}}");
  over_lanes(2);
  each([&](size_t n) { line(3, "t{0}[lane] = q{0}[lane];", n); });
  line(2, "}}");
  line(2, "for (int lane = 0; k + lane < end; ++lane) {{");
  element_of_lane(3, 't', false);
  line(1, "}}");
  each([&](size_t n) { finish_reduction(1, n, formatted("op::reduce_tree<{}>(t{})", reduction_name(n), n)); });
}

// The order of op::reduce_tree, by a whole warp of a GPU; the result is the first.
void Printer::tree_of_warp(int depth, size_t n, const std::string& lanes, const std::string& lane) {
  line(depth, "for (int half = op::reduce_lanes / 2; half > 0; half /= 2) {{");
  line(depth + 1, "__syncwarp();");
  line(depth + 1, "if ({1} < half) {0}[{1}] = {2}::both({0}[{1}], {0}[{1} + half]);", lanes, lane, reduction_name(n));
  line(depth, "}}");
  line(depth, "__syncwarp();");
}

// On a GPU, when there are few results: all threads of a block compute elements, of which the first 32 take theirs in order.
void Printer::in_block(uint8_t loop) {
  bool reduces = reduces_in(loop);
  start_reductions(1, loop);
  line(1, "for (I k = begin; k < end; k += {}) {{", elements_of_round());
  line(2, "const I stop = end - k < {0} ? end : k + {0};", elements_of_round());
  if (int ahead = loads_ahead(loop); ahead > 1) line(0, "#pragma unroll {}", ahead);
  line(2, "for (I j = k + threadIdx.x; j < stop; j += op::reduce_block) {{");
  coordinates(3, form_.kept, form_.shape.size(), "j");
  element(3, loop);
  line(2, "}}");
  if (reduces) {
    line(2, "__syncthreads();");
    line(2, "if (threadIdx.x < op::reduce_lanes) {{");
    line(0, "#pragma unroll 8");
    line(3, "for (int e = threadIdx.x; e < stop - k; e += op::reduce_lanes) {{");
    for (size_t n = 0; n < group_.nodes.size(); ++n) {
      if (is_reduction(n) && group_.loops[n] == loop) line(4, "s{0} = {1}::both(s{0}, t{0}[e]);", n, reduction_name(n));
    }
    line(3, "}}");
    line(2, "}}");
    line(2, "__syncthreads();");
  }
  line(1, "}}");
  if (!reduces) return;
  line(1, "if (threadIdx.x < op::reduce_lanes) {{");
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) line(2, "t{0}[threadIdx.x] = s{0};", n);
  }
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) tree_of_warp(2, n, formatted("t{}", n), "threadIdx.x");
  }
  line(1, "}}");
  line(1, "__syncthreads();");
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_reduction(n) && group_.loops[n] == loop) finish_reduction(1, n, formatted("t{}[0]", n));
  }
}

// On a GPU the last block to end reduces the chunks' results, in the order of print_combine(); the counter is 0 again then.
void Printer::combine_in_last_block() {
  line(1, "__shared__ unsigned order;");
  line(1, "const unsigned last = gridDim.x * (unsigned)chunks - 1;");
  line(1, "__threadfence();");
  line(1, "__syncthreads();");
  line(1, "if ((threadIdx.x | threadIdx.y) == 0) order = atomicInc(ended, last);");
  line(1, "__syncthreads();");
  line(1, "const int lane = threadIdx.y * blockDim.x + threadIdx.x;");
  line(1, "if (order != last || lane >= op::reduce_lanes) return;");
  line(1, "__threadfence();");
  for (size_t s = 0; s < group_.stores.size(); ++s) {
    uint32_t n = group_.stores[s];
    if (!is_reduction(n)) continue;
    line(1, "__shared__ {} u{}[op::reduce_lanes];", sum_type(n), n);
    line(1, "for (I r = 0; r < results; ++r) {{");
    line(2, "u{}[lane] = op::reduce_share<{}, 16>(o{} + r * chunks, I(0), chunks, lane);", n, reduction_name(n), s);
    tree_of_warp(2, n, formatted("u{}", n), "lane");
    line(2, "if (lane == 0) f{}[r] = op::to<{}>(u{}[0]);", s, type_text(group_.nodes[n]->dtype), n);
    line(2, "__syncwarp();");
    line(1, "}}");
  }
}

}  // namespace quern
