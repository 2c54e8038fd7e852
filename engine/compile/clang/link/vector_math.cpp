// See vector_math.h. libmvec grew over time (six functions in glibc 2.22, the rest in 2.35), so the one that is here is asked.
#include "compile/clang/link/vector_math.h"

#include <dlfcn.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace quern::plugin {
namespace {

// Letters of the instruction sets whose variants keep CUDA's bounds: measured over all floats, and 10**8 doubles for each
// function.
struct MathFunction {
  const char* name;       // of the double variant; the float one has an f behind it
  const char* intrinsic;  // what clang makes of a call: "llvm.sin", or nullptr when the call stays a call
  int arguments;
  const char *of_float, *of_double;
};
constexpr MathFunction functions[] = {
    {"sin", "llvm.sin", 1, "bde", ""},      {"cos", "llvm.cos", 1, "bde", ""},      {"tan", "llvm.tan", 1, "bde", ""},
    {"acos", "llvm.acos", 1, "de", "bde"},  {"atan", "llvm.atan", 1, "de", ""},     {"sinh", "llvm.sinh", 1, "bde", "bde"},
    {"cosh", "llvm.cosh", 1, "bde", "bde"}, {"tanh", "llvm.tanh", 1, "bde", "bde"}, {"asinh", nullptr, 1, "bde", "bde"},
    {"acosh", nullptr, 1, "bde", "e"},      {"atanh", nullptr, 1, "bde", ""},       {"exp2", "llvm.exp2", 1, "bde", ""},
    {"erf", nullptr, 1, "", "bde"},         {"erfc", nullptr, 1, "bde", "bde"},     {"pow", "llvm.pow", 2, "bde", "bde"},
    {"atan2", "llvm.atan2", 2, "de", ""},   {"hypot", nullptr, 2, "bde", "bde"},
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
  bool is_float = false;
};

std::vector<Variant> all_variants() {
  std::vector<Variant> out;
  for (const MathFunction& function : functions) {
    for (const Isa& isa : isas) {
      for (int bytes : {4, 8}) {
        if (!strchr(bytes == 4 ? function.of_float : function.of_double, isa.letter)) continue;
        std::string scalar = function.name + std::string(bytes == 4 ? "f" : "");
        std::string lanes = std::to_string(isa.vector_bytes / bytes);
        std::string shape = "N" + lanes + (function.arguments == 2 ? "vv" : "v");
        std::string intrinsic = function.intrinsic ? function.intrinsic + std::string(bytes == 4 ? ".f32" : ".f64") : "";
        out.push_back({scalar, intrinsic, "_ZGV" + std::string(1, isa.letter) + shape + "_" + scalar, "_ZGV_LLVM_" + shape,
                       isa.vector_bytes / bytes, isa.feature, bytes == 4});
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

bool is_usable(const Variant& variant, const Cpu& cpu) { return cpu.features.find(variant.feature) != std::string::npos; }

// Of each function the variant with the most lanes.
std::vector<const Variant*> widest_variants(const Cpu& cpu) {
  std::vector<const Variant*> out;
  for (const Variant& variant : present_variants()) {
    if (!is_usable(variant, cpu)) continue;
    auto same = std::find_if(out.begin(), out.end(), [&](const Variant* other) { return other->scalar == variant.scalar; });
    if (same == out.end())
      out.push_back(&variant);
    else if (variant.lanes > (*same)->lanes)
      *same = &variant;
  }
  return out;
}

constexpr llvm::StringLiteral alike_prefix = "quern_alike_";
constexpr int most_lanes = 32;

// The vectoriser may take any number of lanes: write_alike_calls() makes calls of the widest variant of them.
const std::vector<Variant>& alike_variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> out;
    for (const MathFunction& function : functions) {
      for (bool is_float : {false, true}) {
        for (int lanes = 2; lanes <= most_lanes; lanes *= 2) {
          std::string scalar = function.name + std::string(is_float ? "f" : "");
          std::string shape = "N" + std::to_string(lanes) + (function.arguments == 2 ? "vv" : "v");
          std::string intrinsic = function.intrinsic ? function.intrinsic + std::string(is_float ? ".f32" : ".f64") : "";
          std::string name = alike_prefix.str() + scalar + "_" + std::to_string(lanes);
          out.push_back({scalar, intrinsic, name, "_ZGV_LLVM_" + shape, lanes, "", is_float});
        }
      }
    }
    return out;
  }();
  return all;
}

// Some lanes of a vector, from `first` on; behind its end the last one again.
llvm::Value* lanes_of(llvm::IRBuilder<>& builder, llvm::Value* value, int first, int count) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (!vector) return builder.CreateVectorSplat(static_cast<unsigned>(count), value);
  const int last = static_cast<int>(vector->getNumElements()) - 1;
  llvm::SmallVector<int, most_lanes> from;
  for (int i = 0; i < count; ++i) from.push_back(std::min(first + i, last));
  return builder.CreateShuffleVector(value, from);
}

// The call, of any number of lanes, by the variant alone.
void compute_alike(llvm::CallInst& call, const Variant& variant, llvm::FunctionCallee function) {
  llvm::IRBuilder<> builder(&call);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(call.getType());
  const int lanes = vector ? static_cast<int>(vector->getNumElements()) : 1;
  llvm::Value* result = nullptr;
  for (int first = 0; first < lanes; first += variant.lanes) {
    llvm::SmallVector<llvm::Value*, 2> arguments;
    for (llvm::Value* argument : call.args()) arguments.push_back(lanes_of(builder, argument, first, variant.lanes));
    llvm::Value* part = builder.CreateCall(function, arguments);
    if (!vector) {
      result = builder.CreateExtractElement(part, uint64_t{0});
    } else {
      const int count = std::min(variant.lanes, lanes - first);
      if (count < variant.lanes) part = lanes_of(builder, part, 0, count);
      result = result ? llvm::concatenateVectors(builder, {result, part}) : part;
    }
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

bool is_of(const llvm::Function& function, const Variant& variant) {
  llvm::StringRef name = function.getName();
  if (name == variant.scalar) return true;
  if (name.starts_with(alike_prefix.str() + variant.scalar + "_")) return true;
  if (variant.intrinsic.empty() || !function.isIntrinsic()) return false;
  llvm::StringRef stem = llvm::StringRef(variant.intrinsic).rsplit('.').first;
  return name.starts_with(stem) && name.drop_front(stem.size()).starts_with(".") &&
         function.getReturnType()->getScalarType()->isFloatTy() == variant.is_float;
}

constexpr llvm::StringLiteral far_prefix = "quern_far_";
constexpr const char* far_functions[] = {"sin", "cos", "tan"};
constexpr int most_far_lanes = 16;

// quern_far_sin as "quern_far_sin_8", of eight numbers and a mask.
const std::vector<Variant>& far_variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> out;
    for (const char* name : far_functions) {
      for (int lanes = 2; lanes <= most_far_lanes; lanes *= 2) {
        std::string scalar = (far_prefix + name).str(), count = std::to_string(lanes);
        out.push_back({scalar, "", scalar + "_" + count, "_ZGV_LLVM_M" + count + "v", lanes, ""});
      }
    }
    return out;
  }();
  return all;
}

// Of numbers and a mask: `scalar` of each number whose bit is set, 0 of the others. A loop: it runs next to never.
void write_far_body(llvm::Function& function, llvm::FunctionCallee scalar) {
  llvm::LLVMContext& context = function.getContext();
  auto* type = llvm::cast<llvm::FixedVectorType>(function.getReturnType());
  llvm::Value *numbers = function.getArg(0), *mask = function.getArg(1);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setDSOLocal(true);
  function.addFnAttr(llvm::Attribute::NoInline);
  function.addFnAttr(llvm::Attribute::Cold);
  auto* entry = llvm::BasicBlock::Create(context, "", &function);
  auto* loop = llvm::BasicBlock::Create(context, "", &function);
  auto* call = llvm::BasicBlock::Create(context, "", &function);
  auto* next = llvm::BasicBlock::Create(context, "", &function);
  auto* done = llvm::BasicBlock::Create(context, "", &function);
  llvm::IRBuilder<> builder(entry);
  builder.CreateBr(loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode* lane = builder.CreatePHI(builder.getInt64Ty(), 2);
  llvm::PHINode* before = builder.CreatePHI(type, 2);
  builder.CreateCondBr(builder.CreateExtractElement(mask, lane), call, next);
  builder.SetInsertPoint(call);
  llvm::Value* value = builder.CreateCall(scalar, builder.CreateExtractElement(numbers, lane));
  llvm::Value* with = builder.CreateInsertElement(before, value, lane);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  llvm::PHINode* after = builder.CreatePHI(type, 2);
  after->addIncoming(before, loop);
  after->addIncoming(with, call);
  llvm::Value* following = builder.CreateAdd(lane, builder.getInt64(1));
  builder.CreateCondBr(builder.CreateICmpEQ(following, builder.getInt64(type->getNumElements())), done, loop);
  lane->addIncoming(builder.getInt64(0), entry);
  lane->addIncoming(following, next);
  before->addIncoming(llvm::Constant::getNullValue(type), entry);
  before->addIncoming(after, next);
  builder.SetInsertPoint(done);
  builder.CreateRet(after);
}

void call_where_needed(llvm::CallInst& call) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value* any = builder.CreateOrReduce(call.getArgOperand(1));
  llvm::MDNode* rarely = llvm::MDBuilder(call.getContext()).createBranchWeights(1, 2000);
  llvm::BasicBlock* before = call.getParent();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(any, &call, false, rarely);
  llvm::BasicBlock* rest = call.getParent();
  auto* value = llvm::PHINode::Create(call.getType(), 2, "", &rest->front());
  call.replaceAllUsesWith(value);
  call.moveBefore(end);
  value->addIncoming(&call, end->getParent());
  value->addIncoming(llvm::Constant::getNullValue(call.getType()), before);
}

bool has_feature(const Cpu& cpu, llvm::StringRef feature) {
  llvm::SmallVector<llvm::StringRef, 128> words;
  llvm::StringRef(cpu.features).split(words, ',');
  return llvm::is_contained(words, feature);
}

}  // namespace

void tell_of_cpu(llvm::Module& module, const Cpu& cpu) {
  for (auto [name, feature] : {std::pair("__quern_has_fma", "+fma"), std::pair("__quern_converts_long", "+avx512dq")}) {
    llvm::Function* question = module.getFunction(name);
    if (!question) continue;
    for (llvm::User* user : llvm::make_early_inc_range(question->users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), has_feature(cpu, feature)));
      call->eraseFromParent();
    }
    question->eraseFromParent();
  }
}

void write_far_calls(llvm::Module& module) {
  for (const char* name : far_functions) {
    llvm::Function* scalar = module.getFunction((far_prefix + name).str());
    if (!scalar) continue;
    llvm::FunctionCallee libm = module.getOrInsertFunction(name, scalar->getFunctionType(), scalar->getAttributes());
    scalar->replaceAllUsesWith(libm.getCallee());
    scalar->eraseFromParent();
    for (int lanes = 2; lanes <= most_far_lanes; lanes *= 2) {
      llvm::Function* vector = module.getFunction((far_prefix + name + "_" + std::to_string(lanes)).str());
      if (!vector) continue;
      for (llvm::User* user : llvm::make_early_inc_range(vector->users())) {
        // The vectoriser's mappings keep declarations alive in llvm.compiler.used, too.
        if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) call_where_needed(*call);
      }
      write_far_body(*vector, libm);
    }
  }
}

void write_alike_calls(llvm::Module& module, const Cpu& cpu) {
  for (const Variant* variant : widest_variants(cpu)) {
    std::vector<llvm::CallInst*> calls;
    for (llvm::Function& function : module) {
      if (!function.isDeclaration() || !is_of(function, *variant)) continue;
      for (llvm::User* user : function.users())
        if (auto* call = llvm::dyn_cast<llvm::CallInst>(user); call && call->getCalledFunction() == &function)
          calls.push_back(call);
    }
    if (calls.empty()) continue;
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* number = variant->is_float ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context);
    auto* type = llvm::FixedVectorType::get(number, static_cast<unsigned>(variant->lanes));
    const std::vector<llvm::Type*> arguments(calls[0]->arg_size(), type);
    llvm::FunctionCallee wide = module.getOrInsertFunction(variant->vector, llvm::FunctionType::get(type, arguments, false));
    auto* declared = llvm::cast<llvm::Function>(wide.getCallee());
    declared->setDoesNotAccessMemory();
    declared->setDoesNotThrow();
    for (llvm::CallInst* call : calls) compute_alike(*call, *variant, wide);
  }
}

std::vector<llvm::VecDesc> vector_functions(const Cpu& cpu, bool alike) {
  std::vector<llvm::VecDesc> out;
  const auto add = [&](const Variant& variant, bool masked) {
    const auto lanes = llvm::ElementCount::getFixed(static_cast<unsigned>(variant.lanes));
    out.emplace_back(variant.scalar, variant.vector, lanes, masked, variant.abi);
    if (!variant.intrinsic.empty()) out.emplace_back(variant.intrinsic, variant.vector, lanes, masked, variant.abi);
  };
  if (alike) {
    const std::vector<const Variant*> widest = widest_variants(cpu);
    for (const Variant& variant : alike_variants())
      if (std::any_of(widest.begin(), widest.end(), [&](const Variant* wide) { return wide->scalar == variant.scalar; }))
        add(variant, false);
  } else {
    for (const Variant& variant : present_variants())
      if (is_usable(variant, cpu)) add(variant, false);
  }
  for (const Variant& variant : far_variants()) add(variant, true);
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
