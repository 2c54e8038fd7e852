#include "codegen/emit.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

namespace quern {

std::string type_text(DType type) {
  return is_complex(type) ? "quern::" + std::string(row(type).cuda) : std::string(row(type).cuda);
}

std::string user_type_text(DType type) { return type == DType::float16 ? "float16" : type_text(type); }

namespace {

std::string namespace_of(const UserRow& row) { return fmt::format("row_{:016x}", row.hash); }

// The body may `return`, `continue` or `break`: each ends the element.
std::string print_row(const UserRow& row) {
  std::string parameters;
  for (const UserRow::Operand& o : row.operands) {
    if (o.name.empty()) continue;
    parameters += fmt::format("{}const {} {}", parameters.empty() ? "" : ", ", user_type_text(o.dtype), o.name);
  }
  for (const UserRow::Result& r : row.results)
    parameters += fmt::format("{}{}& {}", parameters.empty() ? "" : ", ", user_type_text(r.dtype), r.name);
  return fmt::format(
      "namespace {} {{\n{}\n__QUERN_DEVICE void quern_row({}) {{\n  do {{\n#line 1 \"{}\"\n{};\n  }} while (0);\n}}\n}}\n\n",
      namespace_of(row), row.preamble, parameters, row.name, row.body);
}

constexpr std::string_view reduction_names[] = {"Sum", "Product", "Maximum", "Minimum", "Any", "All"};

class Printer {
 public:
  Printer(const Group& group, const Form& form) : group_(group), form_(form) {}

  std::string print() {
    numbers();
    parameters();
    out_ = fmt::format(
        "#include \"quern/array.cuh\"\nusing namespace quern;\ntypedef {} I;\n\n{}extern \"C\" __global__ void group({}) {{\n",
        form_.wide ? "long long" : "int", user_rows(), parameters_);
    if (group_.reduces && group_.device < 0 && !form_.lanes_inside) {
      reduction_of_columns();
    } else if (group_.reduces) {
      reduction();
    } else {
      elementwise();
    }
    return out_ + "}\n";
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    out_ += std::string(static_cast<size_t>(depth) * 2, ' ') + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  // n0, n1 ... are the form's numbers: the dimensions first, then each numbered step in order.
  void numbers() {
    size_t next = form_.shape.size();
    auto of = [&](const Place& place) {
      std::vector<std::string> names;
      for (Step step : place.steps)
        names.push_back(step == Step::none ? "" : step == Step::unit ? "1" : fmt::format("n{}", next++));
      return names;
    };
    for (const Place& p : form_.loads) load_steps_.push_back(of(p));
    for (const Place& p : form_.stores) store_steps_.push_back(of(p));
  }

  void parameters() {
    auto add = [&](std::string text) { parameters_ += (parameters_.empty() ? "" : ", ") + text; };
    for (size_t i = 0; i < group_.loads.size(); ++i) {
      if (is_positions(i)) {
        add(fmt::format("long long a{}", i));  // the first one
      } else {
        add(fmt::format("const {}*{} a{}", type_text(group_.loads[i].dtype), is_number(i) ? " __restrict__" : "", i));
      }
    }
    for (size_t i = 0; i < group_.stores.size(); ++i) add(fmt::format("{}* o{}", type_text(stored_type(i)), i));
    for (size_t i = 0; i < group_.constants.size(); ++i) {
      DType type = group_.constants[i]->dtype;
      if (is_complex(type)) {
        std::string part = type_text(real_part_type(type));
        add(fmt::format("{} c{}, {} c{}i", part, i, part, i));
      } else if (type == DType::float16 || type == DType::bfloat16) {
        add(fmt::format("unsigned short c{}", i));
      } else {
        add(fmt::format("{} c{}", type_text(type), i));
      }
    }
    for (size_t i = 0; i < form_.numbers.size(); ++i) add(fmt::format("I n{}", i));
    if (group_.reduces) add("I chunks");
  }

  // What is stored: of a reduction the type it adds up in, which the last step converts.
  DType stored_type(size_t store) const {
    const Node& node = *group_.nodes[group_.stores[store]];
    if (node.op == Op::reduce) return accumulator(node.reduction, node.compute);
    return node.op == Op::update ? node.target_dtype : node.dtype;
  }

  std::string index(const std::vector<std::string>& steps, size_t from, size_t to) const {
    std::string text;
    for (size_t d = from; d < to; ++d) {
      if (steps[d].empty()) continue;
      text += text.empty() ? "" : " + ";
      text += steps[d] == "1" ? fmt::format("i{}", d) : fmt::format("i{} * {}", d, steps[d]);
    }
    return text.empty() ? "0" : text;
  }

  // Coordinates i<from> ... i<to - 1> from a number in C order.
  void coordinates(int depth, size_t from, size_t to, std::string number) {
    for (size_t d = to; d-- > from;) {
      if (d == from) {
        line(depth, "const I i{} = {};", d, number);
      } else {
        line(depth, "const I i{} = {} % n{}, r{} = {} / n{};", d, number, d, d, number, d);
        number = fmt::format("r{}", d);
      }
    }
  }

  void constants(int depth) {
    for (size_t i = 0; i < group_.constants.size(); ++i) {
      DType type = group_.constants[i]->dtype;
      if (is_complex(type)) {
        line(depth, "const {} k{}(c{}, c{}i);", type_text(type), i, i, i);
      } else if (type == DType::float16 || type == DType::bfloat16) {
        line(depth, "{} k{};", type_text(type), i);
        line(depth, "k{}.__x = c{};", i, i);
      } else {
        line(depth, "const {} k{} = c{};", type_text(type), i, i);
      }
    }
  }

  bool is_positions(size_t load) const { return group_.loads[load].node->op == Op::index; }

  std::string value(const Origin& source, DType wanted) const {
    std::string text = source.kind == Origin::Kind::local ? "v" : source.kind == Origin::Kind::load ? "x" : "k";
    text += std::to_string(source.index);
    DType has = source.kind == Origin::Kind::local  ? group_.nodes[source.index]->dtype
                : source.kind == Origin::Kind::load ? group_.loads[source.index].dtype
                                                    : group_.constants[source.index]->dtype;
    return has == wanted ? text : fmt::format("op::to<{}>({})", type_text(wanted), text);
  }

  // Each user row's text once, as a function in a namespace of its own.
  std::string user_rows() const {
    std::string text;
    std::vector<const UserRow*> done;
    for (const Node* node : group_.nodes) {
      if (node->op != Op::user || std::find(done.begin(), done.end(), node->user) != done.end()) continue;
      done.push_back(node->user);
      text += (done.size() == 1 ? "#include \"quern/user.cuh\"\n\n" : "") + print_row(*node->user);
    }
    return text;
  }

  // A row's results come from one call: nodes of the same row over the same operands share it.
  void user_result(int depth, size_t i) {
    const Node& node = *group_.nodes[i];
    const UserRow& row = *node.user;
    std::span<const Origin> sources = group_.sources(i);
    size_t call = 0;
    auto same = [](const Origin& x, const Origin& y) { return x.kind == y.kind && x.index == y.index; };
    for (; call < i; ++call) {
      const Node& other = *group_.nodes[call];
      if (other.op == Op::user && other.user == &row && std::ranges::equal(group_.sources(call), sources, same)) break;
    }
    if (call == i) {
      std::string arguments;
      auto add = [&](const std::string& text) { arguments += (arguments.empty() ? "" : ", ") + text; };
      for (size_t k = 0; k < row.operands.size(); ++k) {
        if (!row.operands[k].name.empty()) add(value(sources[k], row.operands[k].dtype));
      }
      for (size_t r = 0; r < row.results.size(); ++r) {
        const UserRow::Result& result = row.results[r];
        std::string start = result.start < 0 ? "{}" : value(sources[static_cast<size_t>(result.start)], result.dtype);
        line(depth, "{} u{}_{} = {};", user_type_text(result.dtype), i, r, start);
        add(fmt::format("u{}_{}", i, r));
      }
      line(depth, "{}::quern_row({});", namespace_of(row), arguments);
    }
    line(depth, "const {} v{} = u{}_{}{};", type_text(node.dtype), i, call, node.output,
         node.dtype == DType::float16 ? ".half()" : "");
  }

  // A load of one number, the same for every element; no store of the kernel changes it.
  bool is_number(size_t load) const {
    const std::vector<Step>& steps = form_.loads[load].steps;
    return !is_positions(load) && std::all_of(steps.begin(), steps.end(), [](Step s) { return s == Step::none; });
  }

  // What is the same for every element, once for each thread; the first thread of all stores what is kept of it.
  void uniform(int depth) {
    constants(depth);
    for (size_t i = 0; i < group_.loads.size(); ++i) {
      if (is_number(i)) line(depth, "const {} x{} = *a{};", type_text(group_.loads[i].dtype), i, i);
    }
    for (size_t i = 0; i < group_.nodes.size(); ++i) {
      if (group_.is_uniform(*group_.nodes[i])) row_result(depth, i);
    }
    std::string stores;
    for (size_t s = 0; s < group_.stores.size(); ++s) {
      if (group_.is_uniform(*group_.nodes[group_.stores[s]])) stores += fmt::format(" *o{} = v{};", s, group_.stores[s]);
    }
    if (!stores.empty())
      line(depth, "if ((blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y) == 0) {{{} }}", stores);
  }

  void row_result(int depth, size_t i) {
    const Node& node = *group_.nodes[i];
    std::string operands;
    const char* names[] = {"a", "b", "c"};
    const OpRow& r = row(node.op);
    for (int k = 0; k < r.operands; ++k) {
      DType wanted = operand_type(r, k, node.compute);
      operands += fmt::format("const {} {} = {}; ", type_text(wanted), names[k], value(group_.sources(i)[k], wanted));
    }
    line(depth, "{0} v{1};", type_text(node.dtype), i);
    line(depth, "{{ {}v{} = {}; }}", operands, i, r.text);
  }

  // The elements at the coordinates: loads, then each node, then what is stored of them.
  void element(int depth) {
    size_t dims = form_.shape.size();
    for (size_t i = 0; i < group_.loads.size(); ++i) {
      if (is_number(i)) continue;
      const char* format = is_positions(i) ? "const {} x{} = a{} + ({});" : "const {} x{} = a{}[{}];";
      line(depth, fmt::runtime(format), type_text(group_.loads[i].dtype), i, i, index(load_steps_[i], 0, dims));
    }
    for (size_t i = 0; i < group_.nodes.size(); ++i) {
      const Node& node = *group_.nodes[i];
      if (node.op == Op::reduce) {
        DType type = accumulator(node.reduction, node.compute);
        line(depth, "s{0} = op::{1}<{2}>::both(s{0}, {3});", i, reduction_names[static_cast<int>(node.reduction)],
             type_text(type), value(group_.sources(i)[0], type));
      } else if (node.op == Op::update) {
        line(depth, "const {} v{} = {};", type_text(node.target_dtype), i, value(group_.sources(i)[1], node.target_dtype));
      } else if (node.op == Op::user) {
        user_result(depth, i);
      } else if (!group_.is_uniform(node)) {
        row_result(depth, i);
      }
    }
    for (size_t s = 0; s < group_.stores.size(); ++s) {
      const Node& node = *group_.nodes[group_.stores[s]];
      if (node.op == Op::reduce || group_.is_uniform(node)) continue;
      line(depth, "o{}[{}] = v{};", s, index(store_steps_[s], 0, dims), group_.stores[s]);
    }
  }

  // Threads along the innermost dimension, blocks along the others.
  void elementwise() {
    size_t dims = form_.shape.size();
    if (dims == 0) {
      line(1, "if (threadIdx.x) return;");
    } else {
      size_t inner = dims - 1;
      line(1, "const I i{} = (I)blockIdx.x * blockDim.x + threadIdx.x;", inner);
      line(1, "if (i{0} >= n{0}) return;", inner);
      if (inner > 0) {
        std::string rows;
        for (size_t d = 0; d < inner; ++d) rows += fmt::format("{}n{}", d ? " * " : "", d);
        line(1, "const I row = (I)blockIdx.z * gridDim.y + blockIdx.y;");
        line(1, "if (row >= {}) return;", rows);
        coordinates(1, 0, inner, "row");
      }
    }
    uniform(1);
    element(1);
  }

  bool is_reduction(size_t node) const { return group_.nodes[node]->op == Op::reduce; }

  // How many results there are, and how many elements are reduced to each.
  void result_counts() {
    std::string results = "1", count = "1";
    for (size_t d = 0; d < form_.kept; ++d) results = d ? fmt::format("{} * n{}", results, d) : "n0";
    for (size_t d = form_.kept; d < form_.shape.size(); ++d) {
      count = d > form_.kept ? fmt::format("{} * n{}", count, d) : fmt::format("n{}", d);
    }
    line(1, "const I results = {}, count = {};", results, count);
  }

  void chunk_bounds(int depth) {
    line(depth, "const I begin = chunk * op::reduce_chunk;");
    line(depth, "const I end = count - begin < op::reduce_chunk ? count : begin + op::reduce_chunk;");
  }

  void start_reductions(int depth) {
    for (uint32_t n = 0; n < group_.nodes.size(); ++n) {
      if (!is_reduction(n)) continue;
      const Node& node = *group_.nodes[n];
      std::string type = type_text(accumulator(node.reduction, node.compute));
      line(depth, "{} s{} = op::{}<{}>::start();", type, n, reduction_names[static_cast<int>(node.reduction)], type);
    }
  }

  // What the lanes t<node> give for a result; `column`: which of them are its own.
  void store_reductions(int depth, std::string_view column) {
    for (size_t s = 0; s < group_.stores.size(); ++s) {
      if (!is_reduction(group_.stores[s])) continue;
      const Node& node = *group_.nodes[group_.stores[s]];
      std::string type = type_text(stored_type(s));
      line(depth, "const {0} z{1} = op::reduce_tree<op::{2}<{0}>>(t{1}{3});", type, group_.stores[s],
           reduction_names[static_cast<int>(node.reduction)], column);
      std::string empty = node.reduction == Reduction::sum ? fmt::format("count == 0 ? static_cast<{}>(0) : ", type) : "";
      line(depth, "o{}[({}) * chunks + chunk] = {}z{};", s, index(store_steps_[s], 0, form_.kept), empty, group_.stores[s]);
    }
  }

  // A row of 32 threads makes one result of one chunk; see quern/array.cuh for the order.
  void reduction() {
    std::string lane = form_.lanes_inside ? "threadIdx.x" : "threadIdx.y",
                other = form_.lanes_inside ? "threadIdx.y" : "threadIdx.x";
    const char* width = form_.lanes_inside ? "blockDim.y" : "blockDim.x";
    result_counts();
    line(1, "const I result = (I)blockIdx.x * {} + {}, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;", width, other);
    for (size_t s = 0; s < group_.stores.size(); ++s) {
      if (!is_reduction(group_.stores[s])) continue;
      line(1, "__shared__ {} t{}[op::reduce_lanes][op::reduce_width];", type_text(stored_type(s)), group_.stores[s]);
    }
    uniform(1);
    line(1, "if (result >= results || chunk >= chunks) return;");
    start_reductions(1);
    coordinates(1, 0, form_.kept, "result");
    chunk_bounds(1);
    // Every lane goes around as often: the loop is the block's, and lanes become vectors.
    line(1, "for (I k = begin; k < end; k += op::reduce_lanes) {{");
    line(2, "const I j = k + {};", lane);
    line(2, "if (j < end) {{");
    coordinates(3, form_.kept, form_.shape.size(), "j");
    element(3);
    line(2, "}}");
    line(1, "}}");
    for (uint32_t n = 0; n < group_.nodes.size(); ++n) {
      if (is_reduction(n)) line(1, "t{0}[{1}][{2}] = s{0};", n, lane, other);
    }
    line(1, "__syncthreads();");
    line(1, "if ({} == 0) {{", lane);
    store_reductions(2, ", " + other);
    line(1, "}}");
  }

  // On the CPU, when neighbouring results lie side by side: a thread makes one result, lane after lane. The barrier behind each
  // lane lets the loop over its elements run over whole rows of threads.
  void reduction_of_columns() {
    result_counts();
    line(1, "const I result = (I)blockIdx.x * blockDim.x + threadIdx.x, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;");
    line(1, "if (result >= results || chunk >= chunks) return;");
    uniform(1);
    coordinates(1, 0, form_.kept, "result");
    chunk_bounds(1);
    for (uint32_t n = 0; n < group_.nodes.size(); ++n) {
      const Node& node = *group_.nodes[n];
      if (is_reduction(n)) line(1, "{} t{}[op::reduce_lanes];", type_text(accumulator(node.reduction, node.compute)), n);
    }
    line(1, "for (int lane = 0; lane < op::reduce_lanes; ++lane) {{");
    start_reductions(2);
    line(2, "for (I j = begin + lane; j < end; j += op::reduce_lanes) {{");
    coordinates(3, form_.kept, form_.shape.size(), "j");
    element(3);
    line(2, "}}");
    for (uint32_t n = 0; n < group_.nodes.size(); ++n) {
      if (is_reduction(n)) line(2, "t{0}[lane] = s{0};", n);
    }
    line(2, "__syncthreads();");
    line(1, "}}");
    store_reductions(1, "");
  }

  const Group& group_;
  const Form& form_;
  std::string out_, parameters_;
  std::vector<std::vector<std::string>> load_steps_, store_steps_;
};

}  // namespace

std::string print_kernel(const Group& group, const Form& form) { return Printer(group, form).print(); }

std::string print_combine(Reduction reduction, DType partial, DType result) {
  std::string a = type_text(partial), r = type_text(result);
  std::string_view name = reduction_names[static_cast<int>(reduction)];
  return fmt::format(R"(#include "quern/array.cuh"
using namespace quern;
typedef long long I;

extern "C" __global__ void group(const {0}* partial, {1}* out, I results, I count, I chunks) {{
  const I result = (I)blockIdx.x * blockDim.y + threadIdx.y, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ {0} t[op::reduce_lanes][op::reduce_width];
  {0} s = op::{2}<{0}>::start();
  if (result < results && chunk < chunks) {{
    const I begin = chunk * op::reduce_chunk, end = count - begin < op::reduce_chunk ? count : begin + op::reduce_chunk;
    for (I k = begin; k < end; k += op::reduce_lanes) {{
      const I j = k + threadIdx.x;
      if (j < end) s = op::{2}<{0}>::both(s, partial[result * count + j]);
    }}
  }}
  t[threadIdx.x][threadIdx.y] = s;
  __syncthreads();
  if (threadIdx.x == 0 && result < results && chunk < chunks)
    out[result * chunks + chunk] = op::to<{1}>(op::reduce_tree<op::{2}<{0}>>(t, threadIdx.y));
}}
)",
                     a, r, name);
}

}  // namespace quern
