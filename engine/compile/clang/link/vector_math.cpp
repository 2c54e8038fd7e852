// See vector_math.h. libmvec grew over time (six functions in glibc 2.22, the rest in 2.35), so the one that is here is asked.
#include "compile/clang/link/vector_math.h"

#include <dlfcn.h>

#include <string>

namespace quern::plugin {
namespace {

struct MathFunction {
  const char* name;       // of the double variant; the float one has an f behind it
  const char* intrinsic;  // what clang makes of a call: "llvm.sin", or nullptr when the call stays a call
  int arguments;
};
constexpr MathFunction functions[] = {
    {"sin", "llvm.sin", 1},     {"cos", "llvm.cos", 1},   {"tan", "llvm.tan", 1},     {"asin", "llvm.asin", 1},
    {"acos", "llvm.acos", 1},   {"atan", "llvm.atan", 1}, {"sinh", "llvm.sinh", 1},   {"cosh", "llvm.cosh", 1},
    {"tanh", "llvm.tanh", 1},   {"asinh", nullptr, 1},    {"acosh", nullptr, 1},      {"atanh", nullptr, 1},
    {"exp", "llvm.exp", 1},     {"exp2", "llvm.exp2", 1}, {"exp10", "llvm.exp10", 1}, {"expm1", nullptr, 1},
    {"log", "llvm.log", 1},     {"log2", "llvm.log2", 1}, {"log10", "llvm.log10", 1}, {"log1p", nullptr, 1},
    {"cbrt", nullptr, 1},       {"erf", nullptr, 1},      {"erfc", nullptr, 1},       {"pow", "llvm.pow", 2},
    {"atan2", "llvm.atan2", 2}, {"hypot", nullptr, 2},
};

// The letters of the x86 vector ABI.
struct Isa {
  char letter;
  const char* feature;
  int vector_bytes;
};
constexpr Isa isas[] = {{'b', "+sse2", 16}, {'d', "+avx2", 32}, {'e', "+avx512f", 64}};

struct Variant {
  std::string scalar, intrinsic, vector, abi;
  int lanes;
  const char* feature;
};

std::vector<Variant> all_variants() {
  std::vector<Variant> out;
  for (const MathFunction& function : functions) {
    for (const Isa& isa : isas) {
      for (int bytes : {4, 8}) {
        std::string scalar = function.name + std::string(bytes == 4 ? "f" : "");
        std::string lanes = std::to_string(isa.vector_bytes / bytes);
        std::string shape = "N" + lanes + (function.arguments == 2 ? "vv" : "v");
        std::string intrinsic = function.intrinsic ? function.intrinsic + std::string(bytes == 4 ? ".f32" : ".f64") : "";
        out.push_back({scalar, intrinsic, "_ZGV" + std::string(1, isa.letter) + shape + "_" + scalar, "_ZGV_LLVM_" + shape,
                       isa.vector_bytes / bytes, isa.feature});
      }
    }
  }
  return out;
}

const std::vector<Variant>& present_variants() {
  static const std::vector<Variant> present = [] {
    std::vector<Variant> out;
    void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return out;
    for (Variant& variant : all_variants()) {
      if (dlsym(library, variant.vector.c_str())) out.push_back(std::move(variant));
    }
    return out;
  }();
  return present;
}

}  // namespace

std::vector<llvm::VecDesc> vector_functions(const Cpu& cpu) {
  std::vector<llvm::VecDesc> out;
  for (const Variant& variant : present_variants()) {
    bool usable = cpu.features.find(variant.feature) != std::string::npos;
    if (!usable) continue;
    auto lanes = llvm::ElementCount::getFixed(variant.lanes);
    out.emplace_back(variant.scalar, variant.vector, lanes, false, variant.abi);
    if (!variant.intrinsic.empty()) out.emplace_back(variant.intrinsic, variant.vector, lanes, false, variant.abi);
  }
  return out;
}

const std::vector<std::string>& libmvec_symbols() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Variant& variant : present_variants()) out.push_back(variant.vector);
    return out;
  }();
  return names;
}

}  // namespace quern::plugin
