// Compiles the kernels of single operations for the CPU and writes them to a file that libquern finds beside itself: part of the
// build. Which kernels: kernels_of_rows() and its neighbours. What the file is for: compile/precompiled.h, run/tiers.h.
//
//   precompile_kernels FOLDER [native]     `native`: for this machine's level alone
#include "codegen/emit.h"
#include "compile/clang.h"
#include "compile/precompiled.h"
#include "core/error.h"
#include "functions/optimizers.h"
#include "graph/op.h"
#include "graph/schedule.h"
#include "run/calls/random.h"
#include "run/eval.h"
#include "run/kernel_cache.h"

#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace quern;

namespace {

// ---- nodes as a program would record them, without memory

const DeviceId cpu = DeviceId::cpu();

NodeRef memory(DType dtype, Shape shape, Shape strides) {
  NodeRef node = new_node(Op::data, dtype, interned(Layout{std::move(shape), std::move(strides), 0}), cpu);
  node->is_computed = true;
  return node;
}

Operand whole(NodeRef node) {
  LayoutRef layout = node->layout;
  const DType dtype = node->dtype;
  return {std::move(node), std::move(layout), dtype};
}

Operand number(DType dtype, const Shape& shape) {
  Operand out = whole(constant_node({}, dtype, cpu));
  out.layout = interned(out.layout->broadcast_to(shape));
  return out;
}

// How an operand lies: in C order without gaps; its innermost elements side by side; all in the same place along the innermost
// axis; with a distance between neighbours.
enum class Lies { dense, rows, repeated, apart };
constexpr int64_t flat_size = 4096;
Shape shape_of(bool flat) { return flat ? Shape{flat_size} : Shape{3, 4, 6, 64}; }

Operand operand(DType dtype, Lies how) {
  if (how == Lies::dense) return whole(memory(dtype, {flat_size}, {1}));
  return whole(memory(dtype, shape_of(false), {100000, 10000, 130, how == Lies::rows ? 1 : how == Lies::repeated ? 0 : 2}));
}

class Texts {
 public:
  enum class Forms { own, rows, elements };
  void add(NodeRef node, Forms forms) {
    const Group group = group_of(*node);
    const Form form = form_of(group);
    if (forms == Forms::own) {
      texts_.insert(print_kernel(group, form));
      if (form.chunked) texts_.insert(print_combine(node->reduction, accumulator(node->reduction, node->compute), node->dtype));
      return;
    }
    if (auto shared = shared_form(form, forms == Forms::rows ? Shared::rows : Shared::elements))
      texts_.insert(print_kernel(group, *shared));
  }
  const std::set<std::string>& all() const { return texts_; }

 private:
  std::set<std::string> texts_;
};

NodeRef row_node(Op op, Loop loop, const std::vector<Operand>& operands, bool flat) {
  NodeRef node = new_node(op, loop.result, contiguous_layout(shape_of(flat)), cpu);
  node->compute = loop.compute;
  node->operand_count = static_cast<uint8_t>(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) node->operands[i] = operands[i];
  return node;
}

// ---- which kernels

constexpr DType numbers[] = {DType::float64, DType::float32, DType::int64,      DType::int32,
                             DType::uint8,   DType::boolean, DType::complex128, DType::complex64};
bool is_real(DType type) { return type == DType::float64 || type == DType::float32; }

// Operations of arithmetic, which programs apply to all kinds of numbers; the rest are for reals alone.
bool is_common(Op op) {
  switch (op) {
    case Op::negative:
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::true_divide:
    case Op::floor_divide:
    case Op::remainder:
    case Op::power:
    case Op::absolute:
    case Op::square:
    case Op::maximum:
    case Op::minimum:
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
    case Op::invert:
    case Op::conjugate:
    case Op::exp:
    case Op::sqrt:
    case Op::where:
      return true;
    default:
      return false;
  }
}

// Long code that few programs call.
bool is_rare(Op op) { return row(op).origin == OpOrigin::part && !is_common(op) && op != Op::relu; }

// A row's operands in the type it computes in: arrays, and numbers beside arrays.
void kernels_of_row(Texts& texts, Op op, DType type) {
  const OpRow& r = row(op);
  std::vector<OperandType> types(r.operands, OperandType{type});
  Loop loop;
  try {
    loop = resolve(op, types);
  } catch (const Error&) {
    return;  // there is no such loop
  }
  if (loop.compute != type) return;  // what it computes in has kernels of its own
  const size_t first = r.typing == Typing::choose ? 1 : 0;
  for (unsigned mask = 0; mask + 1 < 1u << r.operands; ++mask) {  // the operands that are numbers
    if (first == 1 && (mask & 1)) continue;
    auto node = [&](std::vector<Lies> how, bool flat) {
      std::vector<Operand> operands;
      for (size_t i = 0; i < r.operands; ++i) {
        const DType dtype = operand_type(r, static_cast<int>(i), type);
        operands.push_back(mask >> i & 1 ? number(dtype, shape_of(flat)) : operand(dtype, how[i]));
      }
      return row_node(op, loop, operands, flat);
    };
    texts.add(node({3, Lies::dense}, true), Texts::Forms::own);
    texts.add(node({3, Lies::apart}, false), Texts::Forms::elements);
    if (!is_real(type) || !is_common(op)) continue;
    texts.add(node({3, Lies::rows}, false), Texts::Forms::rows);
    if (r.operands != 2 || mask != 0) continue;
    texts.add(node({Lies::rows, Lies::repeated}, false), Texts::Forms::rows);
    texts.add(node({Lies::repeated, Lies::rows}, false), Texts::Forms::rows);
  }
}

void kernels_of_rows(Texts& texts) {
  for (uint16_t i = 0; i < row_count; ++i) {
    const Op op{i};
    if (row(op).origin == OpOrigin::inner || is_rare(op)) continue;
    for (DType type : numbers)
      if (is_real(type) || is_common(op)) kernels_of_row(texts, op, type);
  }
}

// Their operands are positions and numbers.
void kernels_of_random_rows(Texts& texts) {
  for (auto [op, type] : {std::pair(Op::random_bits, DType::uint64), std::pair(Op::random_normal, DType::float64),
                          std::pair(Op::random_normal32, DType::float32)})
    texts.add(random_row(op, {flat_size}, 1, 1, type, cpu).cell()->node, Texts::Forms::own);
  const auto add = [&](Op op, DType type, std::vector<Operand> operands) {
    texts.add(row_node(op, {DType::uint64, type}, operands, true), Texts::Forms::own);
  };
  const Operand bits = operand(DType::uint64, Lies::dense);
  add(Op::random_unit, DType::float64, {bits});
  add(Op::random_unit32, DType::float32, {bits});
  add(Op::random_below, DType::uint64, {bits, number(DType::uint64, shape_of(true))});
}

// astype(), copies, arange() and full().
void kernels_of_casts(Texts& texts) {
  std::vector<DType> types(std::begin(numbers), std::end(numbers));
  for (DType rare : {DType::uint64, DType::int16, DType::uint16, DType::uint32, DType::int8, DType::float16})
    types.push_back(rare);
  for (DType to : types) {
    const Loop loop{to, to};
    for (DType from : types) {
      texts.add(row_node(Op::cast, loop, {operand(from, Lies::dense)}, true), Texts::Forms::own);
      texts.add(row_node(Op::cast, loop, {operand(from, Lies::apart)}, false), Texts::Forms::elements);
    }
    texts.add(row_node(Op::cast, loop, {operand(to, Lies::rows)}, false), Texts::Forms::rows);
    texts.add(row_node(Op::cast, loop, {operand(to, Lies::repeated)}, false), Texts::Forms::rows);
    texts.add(row_node(Op::cast, loop, {number(to, shape_of(true))}, true), Texts::Forms::own);
    NodeRef positions = new_node(Op::index, DType::int64, contiguous_layout({flat_size}), cpu);
    texts.add(row_node(Op::cast, loop, {whole(positions)}, true), Texts::Forms::own);
    texts.add(row_node(Op::cast, loop, {whole(positions)}, true), Texts::Forms::elements);
  }
}

// x[part] = y, and = a number.
void kernels_of_updates(Texts& texts) {
  for (DType type : numbers) {
    auto node = [&](Operand value, bool flat, Lies target) {
      NodeRef out = new_node(Op::update, type, contiguous_layout(flat ? Shape{flat_size} : Shape{1 << 20}), cpu);
      Operand place = operand(type, target);
      out->operands[0] = whole(memory(type, out->layout->shape, out->layout->strides));
      out->operands[1] = std::move(value);
      out->operand_count = 2;
      out->target = place.layout;
      out->target_dtype = type;
      return out;
    };
    texts.add(node(operand(type, Lies::dense), true, Lies::dense), Texts::Forms::own);
    texts.add(node(number(type, shape_of(true)), true, Lies::dense), Texts::Forms::own);
    for (Lies how : {Lies::rows, Lies::repeated}) texts.add(node(operand(type, how), false, Lies::rows), Texts::Forms::rows);
    texts.add(node(number(type, shape_of(false)), false, Lies::rows), Texts::Forms::rows);
    texts.add(node(operand(type, Lies::apart), false, Lies::apart), Texts::Forms::elements);
    texts.add(node(number(type, shape_of(false)), false, Lies::apart), Texts::Forms::elements);
  }
}

// The updates of optimizers, whose rows are added when a program first takes a step.
void kernels_of_optimizers(Texts& texts) {
  for (size_t i = 0; i < optim::rule_count; ++i) {
    for (DType type : {DType::float32, DType::float64}) {
      const auto rule = static_cast<optim::Rule>(i);
      const size_t arrays = optim::states_of(rule).size() + 2;
      const UserRow& row = optim::row_of(rule, std::vector<DType>(arrays, type));
      for (const Shape& shape : {Shape{flat_size}, Shape{}}) {
        for (size_t result = 0; result < row.results.size(); ++result) {
          NodeRef node = new_node(Op::user, type, contiguous_layout(shape), cpu);
          node->user = &row;
          node->output = static_cast<uint8_t>(result);
          node->call = std::make_unique<Call>();
          for (size_t k = 0; k < row.operands.size(); ++k)
            node->call->operands.push_back(k < arrays ? whole(memory(type, shape, Shape(shape.size(), 1))) : number(type, shape));
          texts.add(std::move(node), Texts::Forms::own);
        }
      }
    }
  }
}

void kernels_of_reduction(Texts& texts, Reduction reduction, DType from, DType type) {
  auto add = [&](const Shape& shape, const Shape& strides, std::vector<bool> axes) {
    Shape kept;
    for (size_t i = 0; i < shape.size(); ++i)
      if (!axes[i]) kept.push_back(shape[i]);
    NodeRef node = new_node(Op::reduce, type, contiguous_layout(kept), cpu);
    node->reduction = reduction;
    node->axes = std::move(axes);
    node->operand_count = 1;
    node->operands[0] = whole(memory(from, shape, strides));
    texts.add(std::move(node), Texts::Forms::own);
  };
  constexpr int64_t few = 20, some = 500, many = 200'000, results = 400;
  add({}, {}, {});
  add({400, 1}, {1, 1}, {false, true});
  add({1, 400}, {400, 1}, {true, false});
  add({30, 1, 40}, {50, 50, 1}, {false, true, false});
  for (int64_t n : {few, some, many}) {
    add({n}, {1}, {true});
    add({n}, {2}, {true});
    add({results, n}, {n, 1}, {false, true});
    add({results, n}, {n + 9, 1}, {false, true});
    add({n, results}, {results, 1}, {true, false});
    add({n, results}, {results + 9, 1}, {true, false});
    add({results, n}, {n + 9, 1}, {true, true});
    add({7, n, results}, {n * results, results, 1}, {false, true, false});
    add({n, 7, results}, {7 * results + 9, results, 1}, {true, false, false});
  }
}

void kernels_of_reductions(Texts& texts) {
  for (DType type : {DType::float64, DType::float32, DType::int64, DType::int32, DType::complex128, DType::complex64}) {
    for (Reduction reduction : {Reduction::sum, Reduction::product, Reduction::maximum, Reduction::minimum}) {
      if (is_complex(type) && reduction != Reduction::sum) continue;
      kernels_of_reduction(texts, reduction, type, type);
    }
  }
  for (DType from : {DType::boolean, DType::int32}) kernels_of_reduction(texts, Reduction::sum, from, DType::int64);
  kernels_of_reduction(texts, Reduction::sum, DType::uint8, DType::uint64);
  for (DType from : {DType::boolean, DType::uint8, DType::int32, DType::int64})  // of means
    kernels_of_reduction(texts, Reduction::sum, from, DType::float64);
  for (Reduction reduction : {Reduction::any, Reduction::all})
    kernels_of_reduction(texts, reduction, DType::boolean, DType::boolean);
}

// ---- compiling

std::string stamp_of_compiler() {
  struct stat s;
  const std::string path = clang_report().path;
  if (stat(path.c_str(), &s) != 0) raise(ErrorKind::os, "[build] there is no {}", path);
  return formatted("{}.{}.{} {}", s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec, compiler_of_kernels());
}

// What `before` has is taken over.
Precompiled::Kernels compiled(const std::set<std::string>& texts, std::string_view level, const Precompiled& before,
                              size_t& taken) {
  struct Work {
    Source source;
    CompileOptions options;
    CacheKey key;
  };
  std::vector<Work> work;
  Precompiled::Kernels out;
  for (const std::string& text : texts) {
    const KernelText kernel{text};
    Work one{{kernel.text, kernel.name}, kernel.options, text_key({kernel.text, kernel.name}, kernel.options)};
    if (auto known = before.find(one.key)) {
      out.emplace_back(one.key, known->code);
      ++taken;
    } else {
      work.push_back(std::move(one));
    }
  }
  Precompiled::Kernels made(work.size());
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  const Target target{DeviceKind::cpu, std::string(level)};
  auto compile = [&] {
    for (size_t i; (i = next.fetch_add(1)) < work.size();) {
      try {
        made[i] = {work[i].key, clang_compiler().compile(work[i].source, work[i].options, target).code};
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n%s\n", work[i].source.text.c_str(), e.what());
        failed = true;
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(compile);
  for (std::thread& thread : threads) thread.join();
  if (failed) raise(ErrorKind::compile, "[build] a kernel could not be compiled");
  out.insert(out.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  return out;
}

void write_file(const std::string& folder, bool native) {
  install_executor();
  Texts texts;
  {
    GraphLock lock;
    kernels_of_rows(texts);
    kernels_of_random_rows(texts);
    kernels_of_casts(texts);
    kernels_of_updates(texts);
    kernels_of_optimizers(texts);
    kernels_of_reductions(texts);
  }
  const std::string path = folder + "/" + Precompiled::file_name(), maker = stamp_of_compiler();
  std::array<Precompiled::Kernels, Precompiled::levels.size()> kernels;
  size_t taken = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::string_view level = Precompiled::levels[i];
    if (native && level != Precompiled::level_of_processor()) continue;
    const Precompiled old(path, level), none;
    kernels[i] = compiled(texts.all(), level, old.belongs_to(maker) ? old : none, taken);
  }
  Precompiled::write(path, maker, kernels);
  std::printf("%zu kernels, %zu of them from before: %s\n", texts.all().size(), taken, path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3 || (argc == 3 && std::strcmp(argv[2], "native") != 0)) {
    std::fprintf(stderr, "usage: precompile_kernels FOLDER [native]\n");
    return 2;
  }
  try {
    write_file(argv[1], argc == 3);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
