#include "compile/clang/analyses/intrinsics.h"

#include <array>

namespace quern::lowering {
namespace {

constexpr unsigned max_block = 1024;

struct Row {
  llvm::StringLiteral name;
  Op op;
  unsigned dim;
};

constexpr Row rows[] = {
    {"tid_x", Op::tid, 0},
    {"tid_y", Op::tid, 1},
    {"tid_z", Op::tid, 2},
    {"ctaid_x", Op::ctaid, 0},
    {"ctaid_y", Op::ctaid, 1},
    {"ctaid_z", Op::ctaid, 2},
    {"ntid_x", Op::ntid, 0},
    {"ntid_y", Op::ntid, 1},
    {"ntid_z", Op::ntid, 2},
    {"nctaid_x", Op::nctaid, 0},
    {"nctaid_y", Op::nctaid, 1},
    {"nctaid_z", Op::nctaid, 2},
    {"lane", Op::lane, 0},
    {"place", Op::place, 0},
    {"barrier", Op::barrier, 0},
    {"warp_barrier", Op::warp_barrier, 0},
    {"grid_barrier", Op::grid_barrier, 0},
    {"warp_buffer", Op::warp_buffer, 0},
    {"block_buffer", Op::block_buffer, 0},
    {"launch", Op::launch, 0},
    {".shared_base", Op::shared_base, 0},
    {".soft_barrier", Op::soft_barrier, 0},
    {".leave", Op::leave, 0},
    {".guard", Op::guard, 0},
    {".any", Op::any, 0},
    {".lockstep", Op::lockstep, 0},
    {".turn", Op::turn, 0},
};
constexpr llvm::StringLiteral prefix = "__quern_";

bool is_index(Op op) { return op == Op::tid || op == Op::ctaid || op == Op::ntid || op == Op::nctaid || op == Op::lane; }
bool is_address(Op op) { return op == Op::warp_buffer || op == Op::block_buffer || op == Op::launch || op == Op::shared_base; }

void annotate(llvm::Function& function, Special special) {
  if (!is_index(special.op) && !is_address(special.op)) {
    function.addFnAttr(llvm::Attribute::Convergent);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    return;
  }
  function.removeFnAttr(llvm::Attribute::Convergent);
  function.setDoesNotAccessMemory();
  function.setDoesNotThrow();
  function.setWillReturn();
  function.setNoSync();
  function.setDoesNotFreeMemory();
  function.addFnAttr(llvm::Attribute::Speculatable);
  function.addRetAttr(llvm::Attribute::NoUndef);
  if (is_address(special.op)) return;
  // Block dimensions and thread indices are known to be small.
  auto range = [&](uint64_t low, uint64_t end) {
    function.addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, low), llvm::APInt(32, end)));
  };
  if (special.op == Op::tid) range(0, max_block);
  if (special.op == Op::lane) range(0, 32);
  if (special.op == Op::ntid) range(1, max_block + 1);
  if (special.op == Op::ctaid) range(0, 0x7fffffff);
  if (special.op == Op::nctaid) range(1, 0x80000000);
}

Special parse_name(llvm::StringRef name) {
  if (!name.consume_front(prefix)) return {};
  for (const Row& row : rows) {
    if (row.name == name) return {row.op, row.dim};
  }
  return {};
}

}  // namespace

Special recognise(const llvm::Value* value) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (!call) return {};
  llvm::Function* callee = call->getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return {};
  return parse_name(callee->getName());
}

bool contains_sync(const llvm::BasicBlock& block) {
  return llvm::any_of(block, [](const llvm::Instruction& inst) { return is_sync(&inst); });
}

llvm::Function* declare(llvm::Module& module, Op op, unsigned dim) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* result = llvm::Type::getVoidTy(context);
  llvm::SmallVector<llvm::Type*, 1> params;
  if (is_index(op)) result = llvm::Type::getInt32Ty(context);
  if (is_address(op)) result = llvm::PointerType::getUnqual(context);
  if (op == Op::any) result = llvm::Type::getInt1Ty(context);
  if (op == Op::warp_barrier) params.push_back(llvm::Type::getInt32Ty(context));
  if (op == Op::leave || op == Op::guard || op == Op::any) params.push_back(llvm::Type::getInt1Ty(context));
  for (const Row& row : rows) {
    if (row.op != op || row.dim != dim) continue;
    auto callee = module.getOrInsertFunction((prefix + row.name).str(), llvm::FunctionType::get(result, params, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    annotate(*function, {op, dim});
    return function;
  }
  llvm_unreachable("every Op but none has a row");
}

void annotate_declarations(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) continue;
    Special special = parse_name(function.getName());
    if (special.op == Op::none) continue;
    annotate(function, special);
    // Calls carry attributes of their own, convergent among them, which hinder the passes.
    for (llvm::User* user : function.users()) {
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) call->setAttributes({});
    }
  }
}

}  // namespace quern::lowering
