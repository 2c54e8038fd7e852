// A kernel as CUDA C++.
#include "program.h"

namespace fuzz {

namespace {

std::string number(Value v) { return std::to_string(v) + "u"; }

std::string text(const Expr& e) {
  auto arg = [&](size_t i) { return text(*e.args[i]); };
  auto binary = [&](const char* op) { return "(" + arg(0) + " " + op + " " + arg(1) + ")"; };
  auto call = [&](const std::string& f) {
    std::string out = f + "(";
    for (size_t i = 0; i < e.args.size(); ++i) out += (i ? ", " : "") + arg(i);
    return out + ")";
  };
  std::string a = std::to_string(e.number);
  switch (e.op) {
    case Expr::Op::constant:
      return number(e.number);
    case Expr::Op::variable:
      return "v[" + a + "]";
    case Expr::Op::counter_of_loop:
      return "i" + a;
    case Expr::Op::tid:
      return "t";
    case Expr::Op::tid_x:
      return "threadIdx.x";
    case Expr::Op::tid_y:
      return "threadIdx.y";
    case Expr::Op::lane:
      return "(t & 31u)";
    case Expr::Op::warp:
      return "(t >> 5)";
    case Expr::Op::block:
      return "b";
    case Expr::Op::n:
      return "n";
    case Expr::Op::add:
      return binary("+");
    case Expr::Op::sub:
      return binary("-");
    case Expr::Op::mul:
      return binary("*");
    case Expr::Op::div:
      return binary("/");
    case Expr::Op::rem:
      return binary("%");
    case Expr::Op::bit_and:
      return binary("&");
    case Expr::Op::bit_or:
      return binary("|");
    case Expr::Op::bit_xor:
      return binary("^");
    case Expr::Op::shift_left:
      return binary("<<");
    case Expr::Op::shift_right:
      return binary(">>");
    case Expr::Op::less:
      return "(unsigned)" + binary("<");
    case Expr::Op::equal:
      return "(unsigned)" + binary("==");
    case Expr::Op::select:
      return "(" + arg(0) + " ? " + arg(1) + " : " + arg(2) + ")";
    case Expr::Op::minimum:
      return call("min");
    case Expr::Op::high_of_product:
      return call("__umulhi");
    case Expr::Op::bits_set:
      return "(unsigned)" + call("__popc");
    case Expr::Op::zeros_in_front:
      return "(unsigned)__clz((int)" + arg(0) + ")";
    case Expr::Op::reversed:
      return call("__brev");
    case Expr::Op::funnel_shift:
      return call("__funnelshift_l");
    case Expr::Op::bytes_picked:
      return call("__byte_perm");
    case Expr::Op::wide_product:
      return "(unsigned)(((unsigned long long)" + arg(0) + " * " + arg(1) + " + " + arg(2) + ") >> 13)";
    case Expr::Op::real_sum:
      return "__float_as_uint((float)(" + arg(0) + " & 65535u) * 0.25f + (float)(" + arg(1) + " & 255u))";
    case Expr::Op::real_quotient:
      return "(unsigned)((double)" + arg(0) + " / (double)(" + arg(1) + " | 1u))";
    case Expr::Op::texel:
      return "tex1Dfetch<unsigned>(texels, (int)(" + arg(0) + " % " + number(inputs) + "))";
    case Expr::Op::input:
      return "in[" + arg(0) + " % " + number(inputs) + "]";
    case Expr::Op::private_at:
      return "p[" + arg(0) + " % " + number(private_slots) + "]";
    case Expr::Op::shared_own:
      return "s" + a + "[t]";
    case Expr::Op::shared_other:
      return "s" + a + "[" + arg(0) + " % T]";
    case Expr::Op::shared_counter:
      return "c[" + a + "]";
    case Expr::Op::shuffle:
      return "__shfl_sync(~0u, " + arg(0) + ", (int)(" + arg(1) + " & 31u))";
    case Expr::Op::shuffle_xor:
      return "__shfl_xor_sync(~0u, " + arg(0) + ", (int)" + arg(1) + ")";
    case Expr::Op::shuffle_down:
      return "__shfl_down_sync(~0u, " + arg(0) + ", " + arg(1) + ")";
    case Expr::Op::shuffle_up:
      return "__shfl_up_sync(~0u, " + arg(0) + ", " + arg(1) + ")";
    case Expr::Op::shuffle_in_part:
      return "__shfl_sync(~0u, " + arg(0) + ", (int)(" + arg(1) + " & 31u), " + a + ")";
    case Expr::Op::match_any:
      return "__match_any_sync(~0u, " + arg(0) + " & 3u)";
    case Expr::Op::match_all:
      return "all_alike(" + arg(0) + " & 1u)";
    case Expr::Op::warp_sum:
      return "__reduce_add_sync(~0u, " + arg(0) + ")";
    case Expr::Op::warp_min:
      return "__reduce_min_sync(~0u, " + arg(0) + ")";
    case Expr::Op::warp_xor:
      return "__reduce_xor_sync(~0u, " + arg(0) + ")";
    case Expr::Op::tile_sum:
      return "cg::reduce(tile_of<" + a + ">(), " + arg(0) + ", cg::plus<unsigned>())";
    case Expr::Op::tile_scan:
      return "cg::inclusive_scan(tile_of<" + a + ">(), " + arg(0) + ")";
    case Expr::Op::tile_shuffle:
      return "tile_of<" + a + ">().shfl(" + arg(0) + ", (int)(" + arg(1) + " % " + a + "u))";
    case Expr::Op::tile_ballot:
      return "tile_of<" + a + ">().ballot((int)(" + arg(0) + " & 1u))";
    case Expr::Op::ballot:
      return "__ballot_sync(~0u, (int)(" + arg(0) + " & 1u))";
    case Expr::Op::any:
      return "(unsigned)__any_sync(~0u, (int)(" + arg(0) + " & 1u))";
    case Expr::Op::all:
      return "(unsigned)__all_sync(~0u, (int)(" + arg(0) + " & 1u))";
    case Expr::Op::barrier_count:
      return "(unsigned)__syncthreads_count((int)(" + arg(0) + " & 1u))";
    case Expr::Op::barrier_or:
      return "(unsigned)(__syncthreads_or((int)(" + arg(0) + " & 1u)) != 0)";
    case Expr::Op::barrier_and:
      return "(unsigned)(__syncthreads_and((int)(" + arg(0) + " & 1u)) != 0)";
  }
  return "?";
}

struct Printer {
  std::string out, name;
  int loops = 0, whiles = 0;

  void line(int depth, const std::string& s) { out += std::string(static_cast<size_t>(2 * depth), ' ') + s + "\n"; }

  void body(const Body& statements, int depth) {
    for (auto& s : statements) statement(*s, depth);
  }

  static std::string addition(const Stmt& s) { return s.number < 2 ? "atomicAdd" : s.number == 2 ? "atomicMax" : "atomicXor"; }

  void add_together(const Stmt& s, int depth) {
    std::string a = std::to_string(s.number);
    const char* whole[] = {"plus", "plus", "greater", "bit_xor"};
    line(depth, "{ auto all = cg::coalesced_threads();");
    line(depth,
         std::string("unsigned sum = cg::reduce(all, ") + text(*s.args[0]) + ", cg::" + whole[s.number] + "<unsigned>());");
    line(depth, "if (all.thread_rank() == 0) " + addition(s) + "(&sums[" + a + "], sum); }");
  }

  void among_some(const Stmt& s, int depth) {
    std::string a = std::to_string(s.number);
    line(depth, "{ unsigned holds = " + text(*s.args[0]) + " & 1u, x = " + text(*s.args[1]) + ";");
    line(depth, "unsigned some = __ballot_sync(~0u, (int)holds);");
    line(depth, "if (holds) v[" + a + "] = __reduce_add_sync(some, x) ^ __shfl_sync(some, x, __ffs((int)some) - 1); }");
  }

  void loop(const Stmt& s, int depth) {
    const std::string count = text(*s.args[0]);
    if (s.op == Stmt::Op::loop) {
      std::string i = "i" + std::to_string(loops++);
      line(depth, "for (unsigned " + i + " = 0, last = " + count + "; " + i + " < last; ++" + i + ") {");
    } else {
      std::string w = "w" + std::to_string(whiles++);
      line(depth, "for (unsigned " + w + " = " + count + "; " + w + " > 0; --" + w + ") {");
    }
    body(s.bodies[0], depth + 1);
    line(depth, "}");
    if (s.op == Stmt::Op::loop) --loops;
  }

  void switch_of(const Stmt& s, int depth) {
    // As an if chain where a loop may be left from inside: `break` would mean the switch.
    line(depth, "{ unsigned which = " + text(*s.args[0]) + ";");
    for (size_t i = 0; i < s.bodies.size(); ++i) {
      line(depth, (i ? std::string("else ") : std::string()) + "if (which == " + std::to_string(i) + ") {");
      body(s.bodies[i], depth + 1);
      line(depth, "}");
    }
    line(depth, "}");
  }

  void statement(const Stmt& s, int depth) {
    std::string a = std::to_string(s.number);
    switch (s.op) {
      case Stmt::Op::assign:
        line(depth, "v[" + a + "] = " + text(*s.args[0]) + ";");
        break;
      case Stmt::Op::store_private:
        line(depth, "p[" + text(*s.args[0]) + " % " + number(private_slots) + "] = " + text(*s.args[1]) + ";");
        break;
      case Stmt::Op::store_shared:
        line(depth, "s" + a + "[t] = " + text(*s.args[0]) + ";");
        break;
      case Stmt::Op::add_counter:
        line(depth, "atomicAdd(&c[" + a + "], " + text(*s.args[0]) + ");");
        break;
      case Stmt::Op::add_global:
        line(depth, addition(s) + "(&sums[" + a + "], " + text(*s.args[0]) + ");");
        break;
      case Stmt::Op::add_together:
        add_together(s, depth);
        break;
      case Stmt::Op::among_some:
        among_some(s, depth);
        break;
      case Stmt::Op::barrier:
        line(depth, "__syncthreads();");
        break;
      case Stmt::Op::warp_barrier:
        line(depth, s.number ? "tile_of<" + a + ">().sync();" : "__syncwarp();");
        break;
      case Stmt::Op::branch:
        line(depth, "if (" + text(*s.args[0]) + ") {");
        body(s.bodies[0], depth + 1);
        if (s.bodies.size() > 1) {
          line(depth, "} else {");
          body(s.bodies[1], depth + 1);
        }
        line(depth, "}");
        break;
      case Stmt::Op::loop:
      case Stmt::Op::loop_while:
        loop(s, depth);
        break;
      case Stmt::Op::switch_of:
        switch_of(s, depth);
        break;
      case Stmt::Op::exit:
        line(depth, "{ finish(out, v, p, s0[t], t, b); return; }");
        break;
      case Stmt::Op::leave_loop:
        line(depth, "break;");
        break;
      case Stmt::Op::next_round:
        line(depth, "continue;");
        break;
      case Stmt::Op::call:
        line(depth, name + "_part(in, texels, sums, n, t, b, v, p, s0, s1, c);");
        break;
    }
  }
};

const char* const prologue =
    "#ifndef FUZZ_FINISH\n#define FUZZ_FINISH\n"
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n"
    "namespace cg = cooperative_groups;\n"
    "template <unsigned size> __device__ auto tile_of() { return cg::tiled_partition<size>(cg::this_thread_block()); }\n"
    "__device__ unsigned all_alike(unsigned x) {\n"
    "  int alike;\n"
    "  unsigned who = __match_all_sync(~0u, x, &alike);\n"
    "  return who ^ (unsigned)alike;\n"
    "}\n"
    "__device__ void finish(unsigned* out, const unsigned* v, const unsigned* p, unsigned own, unsigned t, unsigned b) {\n"
    "  unsigned h = 17 + own;\n"
    "  for (int k = 0; k < 5; ++k) h = h * 31 + v[k];\n"
    "  for (int k = 0; k < 4; ++k) h = h * 31 + p[k];\n"
    "  out[b * (blockDim.x * blockDim.y * blockDim.z) + t] = h;\n"
    "}\n#endif\n";

}  // namespace

std::string print(const Kernel& k, const std::string& name) {
  Printer printer;
  printer.name = name;
  printer.out = prologue;
  std::string threads = std::to_string(k.shape.threads());
  if (!k.function.empty()) {
    printer.line(0, std::string(k.inlines ? "" : "__noinline__ ") + "__device__ void " + name +
                        "_part(const unsigned* in, cudaTextureObject_t texels, unsigned* sums, unsigned n, unsigned t, unsigned "
                        "b, unsigned* v, unsigned* p, "
                        "unsigned* s0, unsigned* s1, unsigned* c) {");
    printer.line(1, "const unsigned T = " + threads + ";");
    printer.body(k.function, 1);
    printer.line(0, "}");
  }
  printer.line(0, "extern \"C\" __global__ void " + name +
                      "(const unsigned* in, unsigned* out, unsigned* sums, unsigned n, cudaTextureObject_t texels) {");
  printer.line(1, "const unsigned T = " + threads + ";");
  printer.line(1, k.has_dynamic_memory ? "__shared__ unsigned s0[T], c[2]; extern __shared__ unsigned s1[];"
                                       : "__shared__ unsigned s0[T], s1[T], c[2];");
  printer.line(1, "unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;");
  printer.line(1, "unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;");
  printer.line(1, "unsigned v[5] = {in[t % 64], t, b * 7 + 1, n ^ t, 5}, p[4] = {1, t, 3, 4};");
  printer.line(1, "s0[t] = t * 3 + b; s1[t] = t ^ 21u; if (t == 0) { c[0] = 0; c[1] = 1; }");
  printer.line(1, "__syncthreads();");
  printer.body(k.body, 1);
  printer.line(1, "finish(out, v, p, s0[t], t, b);");
  printer.line(0, "}");
  return printer.out;
}

}  // namespace fuzz
