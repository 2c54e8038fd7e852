#include "compile/clang/lowering/blocks.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compile/clang/lowering/deferred_adds.h"
#include "compile/clang/lowering/exchanges.h"
#include "compile/clang/lowering/layout.h"

namespace quern::lowering {
namespace {

constexpr uint64_t warp_buffer_bytes = 2 * exchange_bytes, block_buffer_bytes = 64;
constexpr uint64_t before_warp_buffer = 256;
constexpr uint64_t buffer_align = 64;

// The order of the body's arguments.
enum Argument : unsigned { arg_args, arg_launch, arg_shared, arg_slots, arg_warp_buffer, arg_block_buffer, first_index };
constexpr const char* argument_names[] = {"args",         "launch",   "shared",  "slots",   "warp.buffer",
                                          "block.buffer", "ctaid.x",  "ctaid.y", "ctaid.z", "nctaid.x",
                                          "nctaid.y",     "nctaid.z", "ntid.x",  "ntid.y",  "ntid.z"};
constexpr unsigned argument_count = 15;

llvm::Value* argument_for(const BodyArguments& arguments, Special special) {
  switch (special.op) {
    case Op::ctaid:
      return arguments.ctaid[special.dim];
    case Op::nctaid:
      return arguments.nctaid[special.dim];
    case Op::ntid:
      return arguments.ntid[special.dim];
    case Op::launch:
      return arguments.launch;
    default:
      return nullptr;
  }
}

uint64_t end_of_block_size(const LoweringState& kernel) { return (kernel.joins ? QUERN_JOINED_THREADS : 1024) + 1; }

}  // namespace

llvm::Function* make_body(LoweringState& kernel, BodyArguments& arguments) {
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  llvm::SmallVector<llvm::Type*, argument_count> types(first_index, pointer);
  types.append(argument_count - first_index, i32);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* body = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kernel.input.symbol + ".body", kernel.module);
  for (unsigned i = 0; i < argument_count; ++i) body->getArg(i)->setName(argument_names[i]);
  arguments.args = body->getArg(arg_args);
  arguments.launch = body->getArg(arg_launch);
  arguments.shared = body->getArg(arg_shared);
  arguments.slots = body->getArg(arg_slots);
  arguments.warp_buffer = body->getArg(arg_warp_buffer);
  arguments.block_buffer = body->getArg(arg_block_buffer);
  for (unsigned dim = 0; dim < 3; ++dim) {
    arguments.ctaid[dim] = body->getArg(first_index + dim);
    arguments.nctaid[dim] = body->getArg(first_index + 3 + dim);
    arguments.ntid[dim] = body->getArg(first_index + 6 + dim);
  }

  llvm::ValueToValueMapTy map;
  map[kernel.thread->getArg(0)] = arguments.args;
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(body, kernel.thread, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  body->setLinkage(llvm::GlobalValue::InternalLinkage);
  auto range = [&](llvm::Value* value, uint64_t low, uint64_t end) {
    auto* argument = llvm::cast<llvm::Argument>(value);
    argument->addAttr(
        llvm::Attribute::get(context, llvm::Attribute::Range, llvm::ConstantRange(llvm::APInt(32, low), llvm::APInt(32, end))));
    argument->addAttr(llvm::Attribute::NoUndef);
  };
  for (unsigned dim = 0; dim < 3; ++dim) {
    range(arguments.ctaid[dim], 0, 0x7fffffff);
    range(arguments.nctaid[dim], 1, 0x80000000);
    range(arguments.ntid[dim], 1, end_of_block_size(kernel));
  }
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(body))) {
    llvm::Value* argument = argument_for(arguments, recognise(&inst));
    if (!argument) continue;
    inst.replaceAllUsesWith(argument);
    inst.eraseFromParent();
  }
  return body;
}

llvm::CallInst* call_body(llvm::IRBuilder<>& builder, llvm::Function* body, const BodyArguments& from) {
  llvm::Value* arguments[argument_count] = {from.args, from.launch, from.shared, from.slots, from.warp_buffer, from.block_buffer};
  for (unsigned dim = 0; dim < 3; ++dim) {
    arguments[first_index + dim] = from.ctaid[dim];
    arguments[first_index + 3 + dim] = from.nctaid[dim];
    arguments[first_index + 6 + dim] = from.ntid[dim];
  }
  return builder.CreateCall(body, arguments);
}

namespace {

// What the body gets that is the same for all blocks: buffers on the stack, and the launch's fields.
BodyArguments arguments_for_all(const LoweringState& kernel, llvm::IRBuilder<>& builder, llvm::Function* body,
                                llvm::Function* blocks) {
  BodyArguments arguments;
  auto buffer = [&](unsigned which, uint64_t bytes, uint64_t before = 0) {
    if (body->getArg(which)->use_empty()) return static_cast<llvm::Value*>(llvm::ConstantPointerNull::get(builder.getPtrTy()));
    llvm::AllocaInst* memory = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), before + bytes));
    memory->setAlignment(llvm::Align(buffer_align));
    return before ? builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, before) : memory;
  };
  arguments.warp_buffer = buffer(arg_warp_buffer, warp_buffer_bytes, before_warp_buffer);
  arguments.block_buffer = buffer(arg_block_buffer, block_buffer_bytes);
  if (!llvm::isa<llvm::Constant>(arguments.warp_buffer)) {
    builder.CreateMemSet(arguments.warp_buffer, builder.getInt8(0), warp_buffer_bytes, llvm::Align(buffer_align));
  }
  arguments.launch = blocks->getArg(0);
  arguments.args = load_field(builder, builder.getPtrTy(), arguments.launch, offsetof(QuernCpuLaunch, args), "args");
  arguments.shared = blocks->getArg(3);
  arguments.slots = blocks->getArg(4);
  llvm::MDBuilder metadata(builder.getContext());
  auto load_sizes = [&](llvm::Value** into, unsigned argument, size_t offset, uint64_t end) {
    for (unsigned dim = 0; dim < 3; ++dim) {
      llvm::LoadInst* size = load_field(builder, builder.getInt32Ty(), arguments.launch, offset + dim * sizeof(uint32_t),
                                        body->getArg(argument + dim)->getName());
      size->setMetadata(llvm::LLVMContext::MD_range, metadata.createRange(llvm::APInt(32, 1), llvm::APInt(32, end)));
      into[dim] = size;
    }
  };
  load_sizes(arguments.nctaid, first_index + 3, offsetof(QuernCpuLaunch, grid), 0x80000000);
  load_sizes(arguments.ntid, first_index + 6, offsetof(QuernCpuLaunch, block), end_of_block_size(kernel));
  return arguments;
}

// The indices of block `first`, x fastest.
std::array<llvm::Value*, 3> first_indices(llvm::IRBuilder<>& builder, llvm::Value* first, const BodyArguments& arguments) {
  llvm::Value* wide_x = builder.CreateZExt(arguments.nctaid[0], builder.getInt64Ty());
  llvm::Value* wide_y = builder.CreateZExt(arguments.nctaid[1], builder.getInt64Ty());
  llvm::Value* rest = builder.CreateUDiv(first, wide_x);
  std::array<llvm::Value*, 3> out{builder.CreateURem(first, wide_x), builder.CreateURem(rest, wide_y),
                                  builder.CreateUDiv(rest, wide_y)};
  for (llvm::Value*& value : out) value = builder.CreateTrunc(value, builder.getInt32Ty());
  return out;
}

// Those of the block after the one that `arguments` says.
std::array<llvm::Value*, 3> next_indices(llvm::IRBuilder<>& builder, const BodyArguments& arguments) {
  llvm::Value *zero = builder.getInt32(0), *one = builder.getInt32(1);
  llvm::Value* next_x = builder.CreateAdd(arguments.ctaid[0], one, "", true, true);
  llvm::Value* wraps_x = builder.CreateICmpEQ(next_x, arguments.nctaid[0]);
  llvm::Value* next_y = builder.CreateAdd(arguments.ctaid[1], builder.CreateZExt(wraps_x, builder.getInt32Ty()), "", true, true);
  llvm::Value* wraps_y = builder.CreateICmpEQ(next_y, arguments.nctaid[1]);
  llvm::Value* next_z = builder.CreateAdd(arguments.ctaid[2], builder.CreateZExt(wraps_y, builder.getInt32Ty()), "", true, true);
  return {builder.CreateSelect(wraps_x, zero, next_x), builder.CreateSelect(wraps_y, zero, next_y), next_z};
}

llvm::Function* declare_blocks(LoweringState& kernel, llvm::Function* body) {
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer, pointer}, false);
  auto* blocks = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, kernel.input.symbol + ".blocks", kernel.module);
  blocks->setAttributes(llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex,
                                                 llvm::AttrBuilder(context, body->getAttributes().getFnAttrs())));
  blocks->setDoesNotThrow();
  for (unsigned i : {0, 3, 4}) blocks->addParamAttr(i, llvm::Attribute::NoAlias);
  for (unsigned i : {3, 4}) blocks->addParamAttr(i, llvm::Attribute::getWithAlignment(context, llvm::Align(buffer_align)));
  return blocks;
}

}  // namespace

// for each block: fresh block buffer, body(...), next block, x fastest.
llvm::Function* make_blocks(LoweringState& kernel, llvm::Function* body) {
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::Function* blocks = declare_blocks(kernel, body);
  llvm::Value *first = blocks->getArg(1), *last = blocks->getArg(2);
  auto* entry = llvm::BasicBlock::Create(context, "entry", blocks);
  auto* start = llvm::BasicBlock::Create(context, "start", blocks);
  auto* loop = llvm::BasicBlock::Create(context, "block", blocks);
  auto* done = llvm::BasicBlock::Create(context, "done", blocks);

  llvm::IRBuilder<> builder(entry);
  BodyArguments arguments = arguments_for_all(kernel, builder, body, blocks);
  builder.CreateCondBr(builder.CreateICmpULT(first, last), start, done);

  builder.SetInsertPoint(start);
  std::array<llvm::Value*, 3> begin = first_indices(builder, first, arguments);
  builder.CreateBr(loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* number = builder.CreatePHI(builder.getInt64Ty(), 2, "number");
  number->addIncoming(first, start);
  llvm::PHINode* index[3];
  for (unsigned dim = 0; dim < 3; ++dim) {
    index[dim] = builder.CreatePHI(builder.getInt32Ty(), 2, body->getArg(first_index + dim)->getName());
    index[dim]->addIncoming(begin[dim], start);
    arguments.ctaid[dim] = index[dim];
  }
  if (!llvm::isa<llvm::Constant>(arguments.block_buffer)) {
    builder.CreateMemSet(arguments.block_buffer, builder.getInt8(0), block_buffer_bytes, llvm::Align(buffer_align));
  }
  llvm::CallInst* call = call_body(builder, body, arguments);
  std::array<llvm::Value*, 3> next = next_indices(builder, arguments);
  llvm::Value* next_number = builder.CreateAdd(number, builder.getInt64(1), "", true, true);
  builder.CreateCondBr(builder.CreateICmpULT(next_number, last), loop, done);
  number->addIncoming(next_number, loop);
  for (unsigned dim = 0; dim < 3; ++dim) index[dim]->addIncoming(next[dim], loop);

  builder.SetInsertPoint(done);
  builder.CreateRetVoid();

  if (llvm::DISubprogram* subprogram = body->getSubprogram()) {
    body->setSubprogram(nullptr);
    blocks->setSubprogram(subprogram);
  }
  // The body's loop over blocks is closed by now: inlining renames the block that the phis come from.
  llvm::InlineFunctionInfo info;
  bool inlined = llvm::InlineFunction(*call, info, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/false).isSuccess();
  if (inlined) {
    body->eraseFromParent();
    defer_adds(*blocks);
    verify(*blocks, "gathering atomic additions");
  }
  verify(*blocks, "making the loop over blocks");
  return blocks;
}

}  // namespace quern::lowering
