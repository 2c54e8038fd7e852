#include "compile/clang/checks/instrument.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compile/clang/analyses/intrinsics.h"
#include "compile/clang/checks/places.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr llvm::StringLiteral own_headers = "/quern/include/";
constexpr llvm::StringLiteral runtime_name = "quern_runtime";
constexpr unsigned deepest = 8;  // loads that lead to a pointer

// The places of the runtime's functions in QuernCpuRuntime.
enum RuntimeField : uint64_t {
  access_field = offsetof(QuernCpuRuntime, check_access),
  event_field = offsetof(QuernCpuRuntime, check_event)
};

bool is_own(const llvm::DILocation& location) { return location.getFilename().starts_with(own_headers); }

// A function of the prelude by the name that programs call it by.
llvm::StringRef called_name(const llvm::DILocation& location) {
  const llvm::DISubprogram* function = location.getScope()->getSubprogram();
  return function ? function->getName() : "";
}

class Instrumenter {
 public:
  explicit Instrumenter(LoweringState& kernel) : kernel_(kernel), tables_(*kernel.input.checks), module_(kernel.module) {}

  void run() {
    llvm::SmallVector<Instruction*, 64> all;
    for (Instruction& inst : llvm::instructions(*kernel_.thread)) all.push_back(&inst);
    for (Instruction* inst : all) visit(*inst);
  }

 private:
  void visit(Instruction& inst) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
      guard(inst, llvm::LoadInst::getPointerOperandIndex(), size_of(load->getType()),
            QUERN_CHECK_READ | (load->getName().contains("copyload") ? QUERN_CHECK_COPIED : 0u) |
                how(inst, load->isVolatile(), load->isAtomic()) | aligned(load->getAlign()));
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
      guard(inst, llvm::StoreInst::getPointerOperandIndex(), size_of(store->getValueOperand()->getType()),
            QUERN_CHECK_WRITE | how(inst, store->isVolatile(), store->isAtomic()) | aligned(store->getAlign()));
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) {
      guard(inst, llvm::AtomicRMWInst::getPointerOperandIndex(), size_of(update->getValOperand()->getType()),
            atomic | aligned(update->getAlign()));
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst)) {
      guard(inst, llvm::AtomicCmpXchgInst::getPointerOperandIndex(), size_of(exchange->getNewValOperand()->getType()),
            atomic | aligned(exchange->getAlign()));
    } else if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&inst)) {
      visit_copy(*copy);
    } else if (llvm::isa<llvm::FenceInst>(inst)) {
      tell(inst, QUERN_CHECK_FENCE);
    } else if (is(&inst, Op::barrier)) {
      tell(inst, QUERN_CHECK_BARRIER);
    } else if (is(&inst, Op::warp_barrier)) {
      tell(inst, QUERN_CHECK_WARP_BARRIER);
    } else if (is(&inst, Op::grid_barrier)) {
      tell(inst, QUERN_CHECK_GRID_BARRIER);
    }
  }

  static uint32_t aligned(llvm::Align align) {
    return static_cast<uint32_t>(std::min(llvm::Log2(align), 4u)) << QUERN_CHECK_ALIGN_SHIFT;
  }

  static constexpr uint32_t atomic = QUERN_CHECK_READ | QUERN_CHECK_WRITE | QUERN_CHECK_ATOMIC;

  uint64_t size_of(llvm::Type* type) const { return module_.getDataLayout().getTypeStoreSize(type).getFixedValue(); }

  // The prelude's atomics of types that the machine lacks are loops of plain loads and exchanges.
  uint32_t how(const Instruction& inst, bool is_volatile, bool is_atomic) const {
    uint32_t out = (is_volatile ? QUERN_CHECK_VOLATILE : 0u) | (is_atomic ? QUERN_CHECK_ATOMIC : 0u);
    for (const llvm::DILocation* at = inst.getDebugLoc(); at && is_own(*at); at = at->getInlinedAt())
      if (called_name(*at).contains("atomic")) out |= QUERN_CHECK_ATOMIC;
    return out;
  }

  // The texels of textures and surfaces: the prelude keeps them in their bounds.
  bool is_texel(const Instruction& inst) const {
    for (const llvm::DILocation* at = inst.getDebugLoc(); at && is_own(*at); at = at->getInlinedAt())
      if (called_name(*at).starts_with("tex") || called_name(*at).starts_with("surf")) return true;
    return false;
  }

  void visit_copy(llvm::MemIntrinsic& copy) {
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
    uint64_t bytes = known ? known->getZExtValue() : 0;
    Value *length = copy.getLength(), *readable = nullptr;
    if (llvm::isa<llvm::MemTransferInst>(copy)) readable = guard(copy, 1, bytes, QUERN_CHECK_READ | QUERN_CHECK_COPIED, length);
    Value* writable = guard(copy, 0, bytes, QUERN_CHECK_WRITE, length);
    if (!readable && !writable) return;
    llvm::IRBuilder<> builder(&copy);
    Value* right = !readable ? writable : !writable ? readable : builder.CreateAnd(readable, writable);
    copy.setLength(builder.CreateSelect(right, length, llvm::ConstantInt::get(length->getType(), 0)));
  }

  // What a pointer points into, as far as the code itself says.
  struct Root {
    enum class What : uint8_t { skipped, known, parameter, anywhere } what = What::anywhere;
    Value* base = nullptr;  // of known ones
    uint64_t bytes = 0;
    uint32_t object = 0, flags = 0;
  };

  Root root_of(Value* pointer) {
    for (Value* at = pointer;;) {  // one of the block's shared arrays is its address in the block's memory
      if (auto found = kernel_.shared_objects.find(at); found != kernel_.shared_objects.end()) return shared(at, found->second);
      auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(at);
      if (!step) break;
      at = step->getPointerOperand();
    }
    Value* object = llvm::getUnderlyingObject(pointer, 0);
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(object)) {
      uint64_t bytes = local->getAllocationSize(module_.getDataLayout()).value_or(llvm::TypeSize::getFixed(0)).getFixedValue();
      return {Root::What::known, local, bytes, number(name_of(*local), QUERN_OBJECT_LOCAL, bytes), QUERN_CHECK_LOCAL};
    }
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      if (variable->getName() == runtime_name || variable->getName().starts_with("__quern")) return {Root::What::skipped};
      uint64_t bytes = module_.getDataLayout().getTypeAllocSize(variable->getValueType());
      uint32_t constant = variable->isConstant() ? QUERN_CHECK_LOCAL : 0u;  // nobody writes there
      return {Root::What::known, variable, bytes, number(plain_name(variable->getName()), QUERN_OBJECT_DEVICE, bytes), constant};
    }
    if (object == kernel_.thread->getArg(0)) return {Root::What::skipped};
    if (llvm::isa<llvm::CallBase>(object) && recognise(object).op != Op::none && !is(object, Op::shared_base))
      return {Root::What::skipped};  // the buffers of warps and blocks
    return loaded_from(object);
  }

  Root shared(Value* base, const SharedObject& shared) {
    uint32_t kind = shared.bytes ? QUERN_OBJECT_SHARED : QUERN_OBJECT_DYNAMIC_SHARED;
    return {Root::What::known, base, shared.bytes, number(plain_name(shared.name), kind, shared.bytes),
            QUERN_CHECK_SHARED | (shared.bytes ? 0u : QUERN_CHECK_DYNAMIC)};
  }

  // A parameter, what a parameter's memory leads to, or what the prelude has of the launch and of textures.
  Root loaded_from(Value* object) {
    for (unsigned depth = 0; depth < deepest; ++depth) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
      if (!load) break;
      llvm::APInt offset(64, 0);
      Value* from = load->getPointerOperand()->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset, true);
      if (from == kernel_.thread->getArg(0)) return depth == 0 ? parameter_at(offset.getZExtValue()) : Root{};
      object = llvm::getUnderlyingObject(load->getPointerOperand(), 0);
      if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object))
        if (variable->getName() == runtime_name) return {Root::What::skipped};
      if (is(object, Op::launch)) return {Root::What::skipped};
    }
    return {};
  }

  Root parameter_at(uint64_t offset) {
    const auto& params = kernel_.input.params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (offset < params[i].offset || offset >= uint64_t{params[i].offset} + params[i].size) continue;
      std::string name = i < kernel_.input.param_names.size() ? kernel_.input.param_names[i] : "";
      Root root{Root::What::parameter};
      root.object = number(name, QUERN_OBJECT_PARAMETER, 0);
      if (params[i].pointer && params[i].points_to_const) root.flags = QUERN_CHECK_CONST;
      return root;
    }
    return {};
  }

  // Puts the call before the access, and its answer in the pointer's place. Returns, where `length` is given, whether it was
  // right: an i1; null where there is nothing to check.
  Value* guard(Instruction& inst, unsigned operand, uint64_t bytes, uint32_t what, Value* length = nullptr) {
    Value* pointer = inst.getOperand(operand);
    Root root = root_of(pointer);
    if (root.what == Root::What::skipped || is_texel(inst)) return nullptr;
    if (root.what == Root::What::known && (root.flags & QUERN_CHECK_LOCAL) && !length && is_inside(pointer, root, bytes))
      return nullptr;
    llvm::IRBuilder<> builder(&inst);
    llvm::Type* address = llvm::PointerType::getUnqual(module_.getContext());
    llvm::Type* word = builder.getInt32Ty();
    llvm::Type* wide = builder.getInt64Ty();
    auto* type = llvm::FunctionType::get(address, {address, wide, word, word, address, wide, word}, false);
    Value* size = length ? builder.CreateZExtOrTrunc(length, wide) : builder.getInt64(bytes);
    Value* base = root.base ? root.base : llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module_.getContext()));
    Value* answer = call(builder, access_field, type,
                         {pointer, size, builder.getInt32(what | root.flags), builder.getInt32(place_of(inst)), base,
                          builder.getInt64(root.bytes), builder.getInt32(root.object)});
    inst.setOperand(operand, answer);
    return length ? builder.CreateICmpEQ(answer, pointer) : nullptr;
  }

  bool is_inside(Value* pointer, const Root& root, uint64_t bytes) const {
    llvm::APInt offset(64, 0);
    Value* from = pointer->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset, true);
    return from == root.base && !offset.isNegative() && offset.getZExtValue() + bytes <= root.bytes;
  }

  void tell(Instruction& inst, uint32_t what) {
    llvm::IRBuilder<> builder(&inst);
    auto* type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt32Ty(), builder.getInt32Ty()}, false);
    call(builder, event_field, type, {builder.getInt32(what), builder.getInt32(place_of(inst))});
  }

  llvm::CallInst* call(llvm::IRBuilder<>& builder, uint64_t field, llvm::FunctionType* type, llvm::ArrayRef<Value*> arguments) {
    llvm::Type* address = llvm::PointerType::getUnqual(module_.getContext());
    llvm::GlobalVariable* runtime = module_.getNamedGlobal(runtime_name);
    if (!runtime)
      runtime = new llvm::GlobalVariable(module_, address, false, llvm::GlobalValue::ExternalLinkage, nullptr, runtime_name);
    Value* table = builder.CreateLoad(address, runtime);
    Value* function = builder.CreateLoad(address, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), table, field));
    return builder.CreateCall(type, function, arguments);
  }

  // Where the program's own text asked for it, not the prelude's.
  uint32_t place_of(const Instruction& inst) {
    const llvm::DILocation* at = inst.getDebugLoc();
    while (at && is_own(*at) && at->getInlinedAt()) at = at->getInlinedAt();
    if (!at) return 0;
    return tables_.number_of(Place{at->getFilename().str(), called_name(*at).str(), at->getLine(), at->getColumn()});
  }

  uint32_t number(const std::string& name, uint32_t kind, uint64_t bytes) { return tables_.number_of(Object{name, kind, bytes}); }

  // "_ZZ4sortPfE4tile", which demangles as "sort(float*)::tile" -> "tile"
  static std::string plain_name(llvm::StringRef symbol) {
    std::string name = llvm::demangle(symbol.str());
    size_t colons = name.rfind("::");
    return colons == std::string::npos ? name : name.substr(colons + 2);
  }

  static std::string name_of(const llvm::AllocaInst& local) {
    llvm::StringRef name = local.getName();
    return name.substr(0, name.find('.')).str();
  }

  LoweringState& kernel_;
  CheckTables& tables_;
  llvm::Module& module_;
};

}  // namespace

void instrument(LoweringState& kernel) { Instrumenter(kernel).run(); }

}  // namespace quern::lowering
