#include "compile/clang/checks/calls.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compile/cpu_module.h"

namespace quern::lowering {

using llvm::Value;

namespace {

constexpr llvm::StringLiteral own_headers = "/quern/include/", cccl_headers = "/cccl/";

}  // namespace

bool is_own(const llvm::DILocation& location) {
  llvm::StringRef file = location.getFilename();
  return file.starts_with(own_headers) || file.contains(cccl_headers);
}

bool is_users(const llvm::Instruction& inst) {
  const llvm::DILocation* at = inst.getDebugLoc();
  return at && at->getLine() != 0 && !is_own(*at);
}

llvm::StringRef called_name(const llvm::DILocation& location) {
  const llvm::DISubprogram* function = location.getScope()->getSubprogram();
  return function ? function->getName() : "";
}

std::string plain_name(llvm::StringRef symbol) {
  std::string name = llvm::demangle(symbol.str());
  size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

std::string name_of(const llvm::AllocaInst& local) {
  llvm::StringRef name = local.getName();
  return name.substr(0, name.find('.')).str();
}

uint32_t CheckCalls::place_of(const llvm::Instruction& inst) {
  const llvm::DILocation* at = inst.getDebugLoc();
  while (at && is_own(*at) && at->getInlinedAt()) at = at->getInlinedAt();
  if (!at) return 0;
  return tables_.number_of(Place{at->getFilename().str(), called_name(*at).str(), at->getLine(), at->getColumn()});
}

llvm::CallInst* CheckCalls::access(llvm::IRBuilder<>& builder, Value* pointer, Value* bytes, uint32_t what, uint32_t place,
                                   Value* base, uint64_t size, uint32_t object) {
  if (!base) base = llvm::ConstantPointerNull::get(builder.getPtrTy());
  return call(builder, offsetof(QuernCpuRuntime, check_access), builder.getPtrTy(),
              {pointer, builder.CreateZExtOrTrunc(bytes, builder.getInt64Ty()), builder.getInt32(what), builder.getInt32(place),
               base, builder.getInt64(size), builder.getInt32(object)});
}

llvm::CallInst* CheckCalls::index(llvm::IRBuilder<>& builder, Value* data, Value* index, Value* extent, Value* axis,
                                  uint32_t place, uint32_t object) {
  return call(builder, offsetof(QuernCpuRuntime, check_index), builder.getPtrTy(),
              {data, index, extent, axis, builder.getInt32(place), builder.getInt32(object)});
}

void CheckCalls::event(llvm::IRBuilder<>& builder, uint32_t what, uint32_t place) {
  call(builder, offsetof(QuernCpuRuntime, check_event), builder.getVoidTy(), {builder.getInt32(what), builder.getInt32(place)});
}

void CheckCalls::value(llvm::IRBuilder<>& builder, uint32_t what, uint32_t place, Value* first, Value* second) {
  auto wide = [&](Value* value) -> Value* {
    if (value->getType()->isFloatingPointTy())
      return builder.CreateBitCast(builder.CreateFPExt(value, builder.getDoubleTy()), builder.getInt64Ty());
    return builder.CreateSExtOrTrunc(value, builder.getInt64Ty());
  };
  call(builder, offsetof(QuernCpuRuntime, check_value), builder.getVoidTy(),
       {builder.getInt32(what), builder.getInt32(place), wide(first), wide(second)});
}

void CheckCalls::local(llvm::IRBuilder<>& builder, Value* base, uint64_t bytes) {
  call(builder, offsetof(QuernCpuRuntime, check_local), builder.getVoidTy(), {base, builder.getInt64(bytes)});
}

llvm::CallInst* CheckCalls::lane(llvm::IRBuilder<>& builder, Value* lane, uint32_t place) {
  return call(builder, offsetof(QuernCpuRuntime, check_lane), builder.getInt32Ty(), {lane, builder.getInt32(place)});
}

void CheckCalls::give(llvm::IRBuilder<>& builder, Value* doubt) {
  call(builder, offsetof(QuernCpuRuntime, check_give), builder.getVoidTy(), {doubt});
}

void CheckCalls::value_if(Value* wrong, llvm::Instruction& before, uint32_t what, uint32_t place, Value* first, Value* second) {
  llvm::IRBuilder<> builder(llvm::SplitBlockAndInsertIfThen(wrong, &before, /*Unreachable=*/false));
  value(builder, what, place, first, second);
}

llvm::CallInst* CheckCalls::call(llvm::IRBuilder<>& builder, uint64_t field, llvm::Type* result,
                                 llvm::ArrayRef<Value*> arguments) {
  llvm::GlobalVariable* runtime = module_.getNamedGlobal(runtime_name);
  if (!runtime)
    runtime =
        new llvm::GlobalVariable(module_, builder.getPtrTy(), false, llvm::GlobalValue::ExternalLinkage, nullptr, runtime_name);
  llvm::SmallVector<llvm::Type*, 8> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  Value* table = builder.CreateLoad(builder.getPtrTy(), runtime);
  Value* function = builder.CreateLoad(builder.getPtrTy(), builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), table, field));
  return builder.CreateCall(llvm::FunctionType::get(result, types, false), function, arguments);
}

}  // namespace quern::lowering
