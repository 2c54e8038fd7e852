#include "codegen/printer.h"

#include <algorithm>
#include <ranges>

namespace quern {

// What an element is loaded as: a view may have made bools of any bytes, and all but 0 are true.
static std::string stored_text(DType type) { return type == DType::boolean ? "unsigned char" : type_text(type); }

std::string type_text(DType type) {
  return is_complex(type) ? "quern::" + std::string(row(type).cuda) : std::string(row(type).cuda);
}

std::string user_type_text(DType type) { return type == DType::float16 ? "float16" : type_text(type); }

namespace {

std::string namespace_of(const UserRow& row) { return formatted("row_{:016x}", row.hash); }

// The body may `return`, `continue` or `break`: each ends the element.
std::string print_row(const UserRow& row) {
  std::string parameters;
  for (const UserRow::Input& o : row.operands) {
    if (o.name.empty()) continue;
    parameters += formatted("{}const {} {}", parameters.empty() ? "" : ", ", user_type_text(o.dtype), o.name);
  }
  for (const UserRow::Result& r : row.results)
    parameters += formatted("{}{}& {}", parameters.empty() ? "" : ", ", user_type_text(r.dtype), r.name);
  return formatted(
      "namespace {} {{\n{}\n__QUERN_DEVICE void quern_row({}) {{\n  do {{\n#line 1 \"{}\"\n{};\n  }} while (0);\n}}\n}}\n\n",
      namespace_of(row), row.preamble, parameters, row.name, row.body);
}

}  // namespace

std::string_view name_of(Reduction reduction) {
  constexpr std::string_view names[] = {"Sum", "Product", "Maximum", "Minimum", "Any", "All"};
  return names[static_cast<int>(reduction)];
}

// What stands in front of every kernel.
std::string Printer::start() {
  numbers();
  parameters();
  loaded_.assign(group_.loads.size(), false);
  for (size_t n = 0; n < group_.nodes.size(); ++n) {
    if (is_per_element(n)) loops_ = std::max<uint8_t>(loops_, static_cast<uint8_t>(group_.loops[n] + 1));
  }
  return formatted("#include \"quern/{}.cuh\"\nusing namespace quern;\ntypedef {} I;\n\n{}", group_.is_fast ? "fast" : "array",
                   form_.wide ? "long long" : "int", user_rows());
}

// With what array.cuh may leave out of it: numbers of 16 bits, where neither the group nor a user's text in it has any.
static std::string with_switches(std::string text) {
  for (std::string_view word : {"float16", "half"}) {
    if (text.find(word) != text.npos) return text;
  }
  return "#define QUERN_NO_SHORT_FLOATS\n" + text;
}

std::string launch_bounds(int64_t threads) {
  return threads > threads_with_any_registers ? formatted("__launch_bounds__({}) ", threads) : "";
}

std::string Printer::print() {
  out_ = start() + "extern \"C\" __global__ void " + launch_bounds(most_threads(form_.walk)) + "group(";
  for (const Parameter& p : parameters_) out_ += formatted("{}{} {}", &p == parameters_.data() ? "" : ", ", p.type, p.name);
  out_ += ") {\n";
  group_.reduces ? reduction() : elementwise();
  return with_switches(out_ + "}\n");
}

std::string Printer::print_segments() {
  out_ = start() + "struct Segment {\n";
  for (const Parameter& p : parameters_) line(1, "{} {};", p.type, p.name);
  out_ += "};\n";
  out_ += formatted(
      "struct Segments {{\n  unsigned first[{}];\n  Segment segments[{}];\n}};\n\n"
      "extern \"C\" __global__ void group(const Segments all) {{\n"
      "  int at = 0;\n",
      Segments::most, segments_of(group_, form_).count);
  for (size_t step = Segments::most / 2; step > 0; step /= 2) line(1, "at += blockIdx.x >= all.first[at + {0}] ? {0} : 0;", step);
  line(1, "const unsigned block = blockIdx.x - all.first[at];");
  for (const Parameter& p : parameters_) line(1, "{0} {1} = all.segments[at].{1};", p.type, p.name);
  block_ = "block";
  elementwise();
  return with_switches(out_ + "}\n");
}

// n0, n1 ... are the form's numbers: the dimensions first, then each numbered step in order.
void Printer::numbers() {
  size_t next = form_.shape.size();
  auto of = [&](const Path& path) {
    std::vector<std::string> names;
    for (Step step : path.steps)
      names.push_back(step == Step::none ? "" : step == Step::unit ? "1" : step == Step::back ? "-1" : formatted("n{}", next++));
    return names;
  };
  for (const Path& p : form_.loads) load_steps_.push_back(of(p));
  for (const Path& p : form_.stores) store_steps_.push_back(of(p));
}

void Printer::parameters() {
  auto add = [&](std::string type, std::string name) { parameters_.push_back({std::move(type), std::move(name)}); };
  for (size_t i = 0; i < group_.loads.size(); ++i) {
    if (is_positions(i)) {
      add("long long", formatted("a{}", i));  // the first one
    } else {
      add(formatted("const {}*{}", stored_text(group_.loads[i].dtype), is_number(i) ? " __restrict__" : ""), formatted("a{}", i));
    }
  }
  for (size_t i = 0; i < group_.stores.size(); ++i) add(type_text(stored_type(i)) + "*", formatted("o{}", i));
  if (form_.combines) {
    for (size_t i = 0; i < group_.stores.size(); ++i)
      if (is_reduction(group_.stores[i])) add(type_text(group_.nodes[group_.stores[i]]->dtype) + "*", formatted("f{}", i));
    add("unsigned*", "ended");
  }
  for (size_t i = 0; i < group_.constants.size(); ++i) {
    DType type = group_.constants[i]->dtype;
    if (is_complex(type)) {
      std::string part = type_text(real_part_type(type));
      add(part, formatted("c{}", i));
      add(part, formatted("c{}i", i));
    } else if (type == DType::float16 || type == DType::bfloat16) {
      add("unsigned short", formatted("c{}", i));
    } else {
      add(type_text(type), formatted("c{}", i));
    }
  }
  for (size_t i = 0; i < form_.numbers.size(); ++i) add("I", formatted("n{}", i));
  if (group_.reduces) add("I", "chunks");
}

// What is stored: of a reduction in chunks the type it adds up in, which the last step converts.
DType Printer::stored_type(size_t store) const {
  const Node& node = *group_.nodes[group_.stores[store]];
  if (node.op == Op::reduce && form_.chunked) return accumulator(node.reduction, node.compute);
  return node.op == Op::update ? node.target_dtype : node.dtype;
}

std::string Printer::index(const std::vector<std::string>& steps, size_t from, size_t to) const {
  std::string text;
  for (size_t d = from; d < to; ++d) {
    if (steps[d].empty()) continue;
    text += text.empty() ? "" : " + ";
    text += steps[d] == "1" ? formatted("i{}", d) : steps[d] == "-1" ? formatted("-i{}", d) : formatted("i{} * {}", d, steps[d]);
  }
  return text.empty() ? "0" : text;
}

// Coordinates i<from> ... i<to - 1> from a number in C order.
void Printer::coordinates(int depth, size_t from, size_t to, std::string number) {
  for (size_t d = to; d-- > from;) {
    if (d == from) {
      line(depth, "const I i{} = {};", d, number);
    } else {
      line(depth, "const I i{} = {} % n{}, r{} = {} / n{};", d, number, d, d, number, d);
      number = formatted("r{}", d);
    }
  }
}

void Printer::constants(int depth) {
  for (size_t i = 0; i < group_.constants.size(); ++i) {
    DType type = group_.constants[i]->dtype;
    if (is_complex(type)) {
      const KnownPart known = group_.is_fast ? known_part(*group_.constants[i]) : KnownPart::none;
      const std::string real = known == KnownPart::real_is_zero ? "0" : formatted("c{}", i);
      const std::string imaginary = known == KnownPart::imaginary_is_zero ? "0" : formatted("c{}i", i);
      line(depth, "const {} k{}({}, {});", type_text(type), i, real, imaginary);
    } else if (type == DType::float16 || type == DType::bfloat16) {
      line(depth, "{} k{};", type_text(type), i);
      line(depth, "k{}.__x = c{};", i, i);
    } else {
      line(depth, "const {} k{} = c{};", type_text(type), i, i);
    }
  }
}

std::string Printer::value(const Origin& source, DType wanted) const {
  std::string text = source.kind == Origin::Kind::load       ? "x"
                     : source.kind == Origin::Kind::constant ? "k"
                     : is_reduction(source.index)            ? "w"
                                                             : "v";
  text += std::to_string(source.index);
  DType has = source.kind == Origin::Kind::local  ? group_.nodes[source.index]->dtype
              : source.kind == Origin::Kind::load ? group_.loads[source.index].dtype
                                                  : group_.constants[source.index]->dtype;
  return has == wanted ? text : formatted("op::to<{}>({})", type_text(wanted), text);
}

// Each user row's text once, as a function in a namespace of its own.
std::string Printer::user_rows() const {
  std::string text;
  std::vector<const UserRow*> done;
  bool has_python = false, has_times = false;
  for (const Node* node : group_.nodes) {
    if (node->op != Op::user || std::find(done.begin(), done.end(), node->user) != done.end()) continue;
    done.push_back(node->user);
    if (done.size() == 1) text += "#include \"quern/user.cuh\"\n\n";
    if (node->user->is_python && !std::exchange(has_python, true)) text += "#include \"quern/python.cuh\"\n\n";
    if (node->user->is_python && node->user->preamble.find("times::") != std::string::npos && !std::exchange(has_times, true))
      text += "#include \"quern/python_times.cuh\"\n\n";
    text += print_row(*node->user);
  }
  return text;
}

// A row's results come from one call: nodes of the same row over the same operands share it.
void Printer::user_result(int depth, size_t i) {
  const Node& node = *group_.nodes[i];
  const UserRow& row = *node.user;
  std::span<const Origin> sources = group_.sources(i);
  size_t call = 0;
  auto same = [](const Origin& x, const Origin& y) { return x.kind == y.kind && x.index == y.index; };
  for (; call < i; ++call) {
    const Node& other = *group_.nodes[call];
    if (needed_[call] && other.op == Op::user && other.user == &row && std::ranges::equal(group_.sources(call), sources, same))
      break;
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
      add(formatted("u{}_{}", i, r));
    }
    line(depth, "{}::quern_row({});", namespace_of(row), arguments);
  }
  line(depth, "const {} v{} = u{}_{}{};", type_text(node.dtype), i, call, node.output,
       node.dtype == DType::float16 ? ".half()" : "");
}

// A load that is the same for every element.
bool Printer::is_fixed(size_t load) const {
  const std::vector<Step>& steps = form_.loads[load].steps;
  return std::all_of(steps.begin(), steps.end(), [](Step s) { return s == Step::none; });
}

// Integers over a number: on the CPU what does not change is made ready once (op::Divisor). Those of 64 bits have no vectors of
// that.
bool Printer::divides_by_number(size_t i) const {
  const Node& node = *group_.nodes[i];
  if ((node.op != Op::floor_divide && node.op != Op::remainder) || !is_integer(node.compute)) return false;
  if (size_of(node.compute) == 8 || !group_.device.is_cpu() || group_.is_uniform(node)) return false;
  const Origin& by = group_.sources(i)[1];
  switch (by.kind) {
    case Origin::Kind::constant:
      return true;
    case Origin::Kind::load:
      return is_number(by.index);
    default:
      return group_.is_uniform(*group_.nodes[by.index]);
  }
}

// What is the same for every element, once for each thread; the first thread of all stores what is kept of it.
void Printer::uniform(int depth) {
  constants(depth);
  for (size_t i = 0; i < group_.loads.size(); ++i) {
    if (is_number(i)) line(depth, "const {} x{} = *a{};", type_text(group_.loads[i].dtype), i, i);
    if (is_one_position(i)) line(depth, "const {} x{} = a{};", type_text(group_.loads[i].dtype), i, i);  // of a random number
  }
  for (size_t i = 0; i < group_.nodes.size(); ++i) {
    if (group_.is_uniform(*group_.nodes[i])) row_result(depth, i);
  }
  for (size_t i = 0; i < group_.nodes.size(); ++i) {
    if (!divides_by_number(i)) continue;
    const DType type = group_.nodes[i]->compute;
    line(depth, "const op::Divisor<{}> d{}({});", type_text(type), i, value(group_.sources(i)[1], type));
  }
  std::string stores;
  for (size_t s = 0; s < group_.stores.size(); ++s) {
    if (group_.is_uniform(*group_.nodes[group_.stores[s]])) stores += formatted(" *o{} = v{};", s, group_.stores[s]);
  }
  if (!stores.empty())
    line(depth, "if (({} | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y) == 0) {{{} }}", block_, stores);
}

// In fastmath(), of real and complex numbers: quern/fast.cuh. Quotients are not: reciprocals of small numbers overflow.
bool Printer::is_fast(const Node& node) const {
  if (!group_.is_fast || (!is_complex(node.compute) && node.compute != DType::float32 && node.compute != DType::float64))
    return false;
  switch (node.op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::negative:
    case Op::square:
      return true;
    default:
      return false;
  }
}

void Printer::row_result(int depth, size_t i) {
  const Node& node = *group_.nodes[i];
  std::string operands;
  const char* names[] = {"a", "b", "c"};
  const OpRow& r = row(node.op);
  for (int k = 0; k < r.operands; ++k) {
    DType wanted = operand_type(r, k, node.compute);
    if (k == 1 && divides_by_number(i)) {
      operands += formatted("const op::Divisor<{}>& b = d{}; ", type_text(wanted), i);
    } else {
      operands += formatted("const {} {} = {}; ", type_text(wanted), names[k], value(group_.sources(i)[k], wanted));
    }
  }
  line(depth, "{0} v{1};", type_text(node.dtype), i);
  constexpr std::string_view space = "op::";
  std::string text(r.text);
  if (is_fast(node)) text.replace(text.find(space), space.size(), "fast::");
  line(depth, "{{ {}v{} = {}; }}", operands, i, text);
}

void Printer::load(int depth, size_t i, size_t dimensions) {
  if (in_pack_ && !is_positions(i)) return line(depth, "const {} x{} = p{}.v[e];", type_text(group_.loads[i].dtype), i, i);
  // So written, compilers know that neighbours differ in their last bits alone: random numbers share what the others give.
  if (in_pack_ && form_.loads[i].steps[0] == Step::unit)
    return line(depth, "const {} x{} = ((a{} & ~15ll) + first) | e;", type_text(group_.loads[i].dtype), i, i);
  const char* format = is_positions(i) ? "const {} x{} = a{} + ({});" : "const {} x{} = a{}[{}];";
  line(depth, fmt::runtime(format), type_text(group_.loads[i].dtype), i, i, index(load_steps_[i], 0, dimensions));
}

// The nodes that a loop computes for each element: what it stores and reduces, and what that comes from.
std::vector<bool> Printer::needed_in(uint8_t loop) const {
  std::vector<bool> needed(group_.nodes.size(), false);
  for (uint32_t s : group_.stores) needed[s] = group_.loops[s] == loop;
  for (size_t i = group_.nodes.size(); i-- > 0;) {
    if (is_reduction(i)) needed[i] = group_.loops[i] == loop;
    needed[i] = needed[i] && is_per_element(i);
    if (!needed[i]) continue;
    for (const Origin& from : group_.sources(i).subspan(group_.nodes[i]->writes() ? 1 : 0)) {
      if (from.kind == Origin::Kind::local && !is_reduction(from.index)) needed[from.index] = true;
    }
  }
  return needed;
}

// The elements at the coordinates: loads, then each node, then what is stored of them.
void Printer::element(int depth, uint8_t loop) {
  size_t dims = form_.shape.size();
  needed_ = needed_in(loop);
  std::vector<bool> loads(group_.loads.size(), false);
  for (size_t i = 0; i < group_.nodes.size(); ++i) {
    if (!needed_[i]) continue;
    for (const Origin& from : group_.sources(i).subspan(group_.nodes[i]->writes() ? 1 : 0))
      if (from.kind == Origin::Kind::load) loads[from.index] = true;
  }
  for (size_t i = 0; i < group_.loads.size(); ++i) {
    if (loads[i] && !is_fixed(i) && !loaded_[i]) load(depth, i, dims);
  }
  for (size_t i = 0; i < group_.nodes.size(); ++i) {
    if (!needed_[i]) continue;
    const Node& node = *group_.nodes[i];
    if (node.op == Op::reduce) {
      DType type = accumulator(node.reduction, node.compute);
      std::string text = value(group_.sources(i)[0], type);
      if (form_.walk == Walk::block) {
        line(depth, "t{}[j - k] = {};", i, text);
      } else {
        line(depth, "{3}s{0} = {1}::both(s{0}, {2});", i, reduction_name(i), text, only_if_);
      }
    } else if (node.op == Op::update) {
      line(depth, "const {} v{} = {};", type_text(node.target_dtype), i, value(group_.sources(i)[1], node.target_dtype));
    } else if (node.op == Op::user) {
      user_result(depth, i);
    } else {
      row_result(depth, i);
    }
  }
  for (size_t s = 0; s < group_.stores.size(); ++s) {
    uint32_t node = group_.stores[s];
    if (is_reduction(node) || !needed_[node] || group_.loops[node] != loop) continue;
    if (in_pack_) {
      line(depth, "q{}.v[e] = v{};", s, node);
    } else {
      line(depth, "{}o{}[{}] = v{};", only_if_, s, index(store_steps_[s], 0, dims), node);
    }
  }
}

// A thread takes some neighbours: loads and stores of 16 bytes.
void Printer::packs() {
  line(1, "const I first = ((I){} * blockDim.x + threadIdx.x) * {};", block_, form_.pack);
  line(1, "if (first >= n0) return;");
  uniform(1);
  line(1, "if (n0 - first < {}) {{", form_.pack);
  line(2, "for (I i0 = first; i0 < n0; ++i0) {{");
  element(3, 0);
  line(2, "}}");
  line(2, "return;");
  line(1, "}}");
  auto pack = [&](const std::string& type) { return formatted("op::Pack<{}, {}>", type, form_.pack); };
  for (size_t i = 0; i < group_.loads.size(); ++i) {
    if (is_positions(i) || is_number(i)) continue;
    std::string type = pack(stored_text(group_.loads[i].dtype));
    line(1, "const {0} p{1} = *reinterpret_cast<const {0}*>(a{1} + first);", type, i);
  }
  auto stored = [&](size_t s) { return is_per_element(group_.stores[s]); };
  for (size_t s = 0; s < group_.stores.size(); ++s) {
    if (stored(s)) line(1, "{} q{};", pack(type_text(stored_type(s))), s);
  }
  line(0, "#pragma unroll");
  line(1, "for (int e = 0; e < {}; ++e) {{", form_.pack);
  line(2, "const I i0 = first + e;");
  in_pack_ = true;
  element(2, 0);
  in_pack_ = false;
  line(1, "}}");
  for (size_t s = 0; s < group_.stores.size(); ++s) {
    if (stored(s)) line(1, "*reinterpret_cast<{}*>(o{} + first) = q{};", pack(type_text(stored_type(s))), s, s);
  }
}

// Threads along the innermost dimension, blocks along the others; on a GPU a block has several short rows.
void Printer::elementwise() {
  size_t dims = form_.shape.size();
  if (form_.pack > 1) return packs();
  if (dims == 0) {
    line(1, "if (threadIdx.x) return;");
  } else {
    size_t inner = dims - 1;
    line(1, "const I i{} = (I){} * blockDim.x + threadIdx.x;", inner, block_);
    line(1, "if (i{0} >= n{0}) return;", inner);
    if (inner > 0) {
      std::string rows;
      for (size_t d = 0; d < inner; ++d) rows += formatted("{}n{}", d ? " * " : "", d);
      const bool several = group_.device.is_gpu();  // rows of a block
      line(1, "const I row = {};",
           several ? "((I)blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y"
                   : "(I)blockIdx.z * gridDim.y + blockIdx.y");
      line(1, "if (row >= {}) return;", rows);
      coordinates(1, 0, inner, "row");
    }
  }
  uniform(1);
  element(1, 0);
}

std::string print_kernel(const Group& group, const Form& form) { return Printer(group, form).print(); }
std::string print_kernel_of_segments(const Group& group, const Form& form) { return Printer(group, form).print_segments(); }

Segments segments_of(const Group& group, const Form& form) {
  Segments out;
  if (group.reduces || form.wide || form.shape.size() != 1) return out;
  size_t at = (group.loads.size() + group.stores.size()) * sizeof(void*);
  for (const Node* constant : group.constants) {
    size_t size = size_of(constant->dtype), part = is_complex(constant->dtype) ? size / 2 : size;
    at = (at + part - 1) / part * part + size;
  }
  at = (at + 3) / 4 * 4 + form.numbers.size() * sizeof(int32_t);
  out.bytes = (at + 7) / 8 * 8;
  out.count = std::min(Segments::most, (Segments::argument_bytes - Segments::head_bytes) / out.bytes);
  return out;
}

std::string print_combine(Reduction reduction, DType partial, DType result) {
  std::string a = type_text(partial), r = type_text(result);
  std::string_view name = name_of(reduction);
  return with_switches(formatted(R"(#include "quern/array.cuh"
using namespace quern;
typedef long long I;

extern "C" __global__ void group(const {0}* partial, {1}* out, I results, I count, I chunks) {{
  const I result = (I)blockIdx.x * blockDim.y + threadIdx.y, chunk = (I)blockIdx.z * gridDim.y + blockIdx.y;
  __shared__ {0} t[op::reduce_width][op::reduce_lanes];
  {0} s = op::{2}<{0}>::start();
  if (result < results && chunk < chunks) {{
    const I begin = chunk * op::reduce_chunk, end = count - begin < op::reduce_chunk ? count : begin + op::reduce_chunk;
    s = op::reduce_share<op::{2}<{0}>, 8>(partial + result * count, begin, end, static_cast<int>(threadIdx.x));
  }}
  t[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.x == 0 && result < results && chunk < chunks)
    out[result * chunks + chunk] = op::to<{1}>(op::reduce_tree<op::{2}<{0}>>(t[threadIdx.y], 1));
}}
)",
                                 a, r, name));
}

}  // namespace quern
