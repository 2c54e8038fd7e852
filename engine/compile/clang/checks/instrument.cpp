#include "compile/clang/checks/instrument.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compile/clang/analyses/intrinsics.h"
#include "compile/clang/checks/calls.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

using llvm::Instruction;
using llvm::Value;

// What the prelude itself reports, in quern/python_checked.cuh.
constexpr llvm::StringLiteral index_name = index_function_name, value_name = "__quern_check_value";
constexpr unsigned deepest = 8;  // loads that lead to a pointer

bool calls(const Instruction& inst, llvm::StringRef name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name;
}

// Is it what stands for an element that is not there, or null where there is one?
bool leads_elsewhere(const Value& pointer, const llvm::DenseSet<const Value*>& elsewhere, unsigned depth = 0) {
  constexpr unsigned deepest_choice = 4;
  if (llvm::isa<llvm::ConstantPointerNull>(pointer) || elsewhere.contains(&pointer)) return true;
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&pointer))
    return depth < deepest_choice &&
           llvm::all_of(phi->incoming_values(), [&](const Value* way) { return leads_elsewhere(*way, elsewhere, depth + 1); });
  const auto* inst = llvm::dyn_cast<Instruction>(&pointer);
  return inst && calls(*inst, index_name);
}

// Of a pointer that leads elsewhere where an index is wrong: what it is otherwise; null where it is something else.
Value* chosen(const Value& pointer, const llvm::DenseSet<const Value*>& elsewhere) {
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(&pointer);
  if (!phi) return nullptr;
  Value* one = nullptr;
  bool any = false;
  for (Value* way : phi->incoming_values()) {
    if (leads_elsewhere(*way, elsewhere)) {
      any = true;
    } else if (one && one != way) {
      return nullptr;
    } else {
      one = way;
    }
  }
  return any ? one : nullptr;
}

// Is it clear from here which accesses there are to the array? Not where its address goes into memory or into a function.
bool is_followed(const Value& pointer) {
  for (const llvm::Use& use : pointer.uses()) {
    const auto* user = llvm::dyn_cast<Instruction>(use.getUser());
    if (!user) return false;
    if (llvm::isa<llvm::LoadInst, llvm::ICmpInst, llvm::MemIntrinsic>(user)) continue;
    if (const auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(user); mark && mark->isLifetimeStartOrEnd()) continue;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user); store && store->getValueOperand() != &pointer) continue;
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user) && use.getOperandNo() == 0) continue;
    if (calls(*user, index_name)) continue;
    if ((!llvm::isa<llvm::GetElementPtrInst>(user) && !chosen(*user, {})) || !is_followed(*user)) return false;
  }
  return true;
}

// Does the program's own text read or write there?
bool is_touched(const Value& pointer) {
  return llvm::any_of(pointer.users(), [](const llvm::User* user) {
    const auto* inst = llvm::dyn_cast<Instruction>(user);
    if (!inst) return false;
    if (llvm::isa<llvm::GetElementPtrInst>(inst) || (llvm::isa<llvm::PHINode>(inst) && chosen(*inst, {})))
      return is_touched(*inst);
    bool is_mark = llvm::isa<llvm::IntrinsicInst>(inst) && llvm::cast<llvm::IntrinsicInst>(inst)->isLifetimeStartOrEnd();
    return !is_mark && (is_users(*inst) || llvm::isa<llvm::PHINode, llvm::SelectInst>(inst));
  });
}

// Are these the same number, or address, by the same arithmetic?
bool is_same(const Value* a, const Value* b, unsigned depth = 0) {
  constexpr unsigned deepest_step = 6;
  if (a == b) return true;
  const auto *one = llvm::dyn_cast<Instruction>(a), *other = llvm::dyn_cast<Instruction>(b);
  if (!one || !other || depth == deepest_step || llvm::isa<llvm::PHINode>(one) || one->mayReadOrWriteMemory()) return false;
  if (!one->isSameOperationAs(other)) return false;
  for (unsigned i = 0; i < one->getNumOperands(); ++i)
    if (!is_same(one->getOperand(i), other->getOperand(i), depth + 1)) return false;
  return true;
}

// The array of an element whose index is checked, as in kernels in Python: the address is the element's or what the check gives.
const Value* array_of_checked(const Value* address) {
  const auto* either = llvm::dyn_cast<llvm::PHINode>(address);
  if (!either || either->getNumIncomingValues() != 2) return nullptr;
  for (unsigned i = 0; i < 2; ++i) {
    const auto* check = llvm::dyn_cast<Instruction>(either->getIncomingValue(i));
    if (!check || !calls(*check, index_name)) continue;
    const Value* array = llvm::getUnderlyingObject(either->getIncomingValue(1 - i), 0);
    const auto* read = llvm::dyn_cast<llvm::LoadInst>(array);
    return read ? read->getPointerOperand() : array;
  }
  return nullptr;
}

// Are these the same address? Of checked elements it is the array alone that is compared: their indices are made of memory.
bool may_be_same_place(const Value* a, const Value* b) {
  const Value* array = array_of_checked(a);
  return is_same(a, b) || (array && array == array_of_checked(b));
}

// Where an atomic updates what lies at that address; null elsewhere.
const Value* updated_by(const llvm::User& user) {
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&user)) return update->getPointerOperand();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&user)) return exchange->getPointerOperand();
  return nullptr;
}

// Does a number go nowhere but into decisions, and into atomics on that address?
bool only_decides(const Instruction& number, const Value& address, llvm::SmallPtrSetImpl<const Instruction*>& known) {
  if (!known.insert(&number).second) return true;
  return llvm::all_of(number.users(), [&](const llvm::User* user) {
    if (const Value* updated = updated_by(*user)) return may_be_same_place(updated, &address);
    if (llvm::isa<llvm::BranchInst, llvm::SwitchInst>(user)) return true;
    return llvm::isa<llvm::CmpInst, llvm::CastInst, llvm::PHINode, llvm::SelectInst, llvm::BinaryOperator, llvm::FreezeInst,
                     llvm::ExtractValueInst>(user) &&
           only_decides(*llvm::cast<Instruction>(user), address, known);
  });
}

class Instrumenter {
 public:
  explicit Instrumenter(LoweringState& kernel) : kernel_(kernel), calls_(kernel), module_(kernel.module) {}

  void run() {
    llvm::SmallVector<Instruction*, 64> all;
    for (Instruction& inst : llvm::instructions(*kernel_.thread)) {
      all.push_back(&inst);
      if (auto* moved = llvm::dyn_cast<llvm::MemTransferInst>(&inst)) note_parameter(*moved);
      if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&inst); local && is_touched(*local)) of_users_.insert(local);
      if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&inst);
          local && of_users_.contains(local) && size_of(*local) && local->getAllocatedType()->isArrayTy() && is_followed(*local))
        followed_.insert(local);
    }
    find_looks(all);
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
            QUERN_CHECK_WRITE | real(*store->getValueOperand()) | how(inst, store->isVolatile(), store->isAtomic()) |
                aligned(store->getAlign()));
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) {
      guard(inst, llvm::AtomicRMWInst::getPointerOperandIndex(), size_of(update->getValOperand()->getType()),
            atomic | scope(inst) | real(*update->getValOperand()) | aligned(update->getAlign()));
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst)) {
      guard(inst, llvm::AtomicCmpXchgInst::getPointerOperandIndex(), size_of(exchange->getNewValOperand()->getType()),
            atomic | scope(inst) | (is_users_exchange(inst) ? QUERN_CHECK_EXCHANGE : 0u) | aligned(exchange->getAlign()));
    } else if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&inst)) {
      visit_copy(*copy);
    } else if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&inst)) {
      tell(inst, fence->getSyncScopeID() == llvm::SyncScope::SingleThread ? QUERN_CHECK_BLOCK_FENCE : QUERN_CHECK_FENCE);
    } else if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&inst)) {
      begin_local(*local);
    } else if (calls(inst, index_name)) {
      visit_index(llvm::cast<llvm::CallInst>(inst));
    } else if (calls(inst, value_name)) {
      visit_value(llvm::cast<llvm::CallInst>(inst));
    } else if (is(&inst, Op::barrier)) {
      tell(inst, QUERN_CHECK_BARRIER);
    } else if (is(&inst, Op::warp_barrier)) {
      tell(inst, warp_event(inst));
    } else if (is(&inst, Op::grid_barrier)) {
      tell(inst, QUERN_CHECK_GRID_BARRIER);
    }
  }

  // Looks that only say whether an atomic behind them is worth while, or what it is to expect: if (v > *p) atomicMax(p, v). An
  // old value does no harm there.
  void find_looks(llvm::ArrayRef<Instruction*> all) {
    llvm::SmallVector<const Instruction*, 8> updates;
    for (const Instruction* inst : all)
      if (updated_by(*inst)) updates.push_back(inst);
    if (updates.empty()) return;
    llvm::DominatorTree order(*kernel_.thread);
    for (Instruction* inst : all) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(inst);
      if (!load || (how(*load, false, false) & QUERN_CHECK_ATOMIC))
        continue;  // kernels in Python read within the prelude's operators
      const Value& address = *load->getPointerOperand();
      llvm::SmallPtrSet<const Instruction*, 16> known;
      bool is_before = llvm::any_of(updates, [&](const Instruction* update) {
        return may_be_same_place(updated_by(*update), &address) && order.dominates(load, update);
      });
      if (is_before && only_decides(*load, address, known)) looks_.insert(load);
    }
  }

  static uint32_t real(const Value& value) {
    return value.getType()->isFloatTy() || value.getType()->isDoubleTy() ? QUERN_CHECK_REAL : 0u;
  }

  static uint32_t aligned(llvm::Align align) {
    return static_cast<uint32_t>(std::min(llvm::Log2(align), 4u)) << QUERN_CHECK_ALIGN_SHIFT;
  }

  static constexpr uint32_t atomic = QUERN_CHECK_READ | QUERN_CHECK_WRITE | QUERN_CHECK_ATOMIC;

  void visit_value(llvm::CallInst& told) {
    llvm::IRBuilder<> builder(&told);
    uint32_t what = static_cast<uint32_t>(llvm::cast<llvm::ConstantInt>(told.getArgOperand(0))->getZExtValue());
    calls_.value(builder, what, calls_.place_of(told), told.getArgOperand(1), told.getArgOperand(2));
    told.eraseFromParent();
  }

  uint64_t size_of(llvm::Type* type) const { return module_.getDataLayout().getTypeStoreSize(type).getFixedValue(); }
  uint64_t size_of(const llvm::AllocaInst& local) const {
    return local.getAllocationSize(module_.getDataLayout()).value_or(llvm::TypeSize::getFixed(0)).getFixedValue();
  }

  // A structure that was handed over by value, as the thread's own copy of it.
  void note_parameter(llvm::MemTransferInst& moved) {
    llvm::APInt from(64, 0), to(64, 0);
    const Value* source = moved.getSource()->stripAndAccumulateConstantOffsets(module_.getDataLayout(), from, true);
    const Value* target = moved.getDest()->stripAndAccumulateConstantOffsets(module_.getDataLayout(), to, true);
    if (source == kernel_.thread->getArg(0) && llvm::isa<llvm::AllocaInst>(target) && to.isZero())
      parameters_[target] = from.getZExtValue();
  }

  // Nothing is written in it yet: where the function begins, and in each round of a loop that declares it.
  void begin_local(llvm::AllocaInst& local) {
    if (!followed_.contains(&local)) return;
    llvm::SmallVector<Instruction*, 4> begins = {&local};
    for (llvm::User* user : local.users())
      if (auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(user);
          mark && mark->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
        begins.push_back(mark);
    for (Instruction* begin : begins) {
      llvm::IRBuilder<> builder(begin->getNextNode());
      calls_.local(builder, &local, size_of(local));
    }
  }

  // An element whose index is outside of its axis.
  void visit_index(llvm::CallInst& asked) {
    llvm::IRBuilder<> builder(&asked);
    uint32_t object = root_of(asked.getArgOperand(0)).object;
    llvm::CallInst* instead = calls_.index(builder, asked.getArgOperand(0), asked.getArgOperand(1), asked.getArgOperand(2),
                                           asked.getArgOperand(3), calls_.place_of(asked), object);
    elsewhere_.insert(instead);
    asked.replaceAllUsesWith(instead);
    asked.eraseFromParent();
  }

  // The prelude's atomics of types that the machine lacks are loops of plain loads and exchanges.
  uint32_t how(const Instruction& inst, bool is_volatile, bool is_atomic) const {
    uint32_t out = (is_volatile ? QUERN_CHECK_VOLATILE : 0u) | (is_atomic || looks_.contains(&inst) ? QUERN_CHECK_ATOMIC : 0u);
    for (const llvm::DILocation* at = inst.getDebugLoc(); at && is_own(*at); at = at->getInlinedAt())
      if (called_name(*at).contains("atomic")) out |= QUERN_CHECK_ATOMIC;
    return out ? out | scope(inst) : 0u;
  }

  // Not one within the prelude's sums and extremes of types that the machine lacks: what they compare with, they have read
  // themselves.
  static bool is_users_exchange(const Instruction& inst) {
    for (const llvm::DILocation* at = inst.getDebugLoc(); at && is_own(*at); at = at->getInlinedAt()) {
      const llvm::StringRef name = called_name(*at);
      if (name.starts_with("atomic") && !name.starts_with("atomicCAS") && !name.starts_with("atomic_cas")) return false;
    }
    return true;
  }

  // The atomic*_block functions, as atomicAdd_block; the functions behind cuda::atomic_ref<T, cuda::thread_scope_block>.
  uint32_t scope(const Instruction& inst) const {
    for (const llvm::DILocation* at = inst.getDebugLoc(); at && is_own(*at); at = at->getInlinedAt()) {
      llvm::StringRef name = called_name(*at);
      if ((name.starts_with("atomic") && name.contains("_block")) || name.contains("__thread_scope_block_tag"))
        return QUERN_CHECK_OF_BLOCK;
    }
    return 0;
  }

  // The texels of textures and surfaces: the prelude keeps them in their bounds.
  bool is_texel(const Instruction& inst) const {
    for (const llvm::DILocation* at = inst.getDebugLoc(); at && is_own(*at); at = at->getInlinedAt())
      if (called_name(*at).starts_with("tex") || called_name(*at).starts_with("surf")) return true;
    return false;
  }

  // Lanes are to come together in one and the same function of CUDA's.
  uint32_t warp_event(const Instruction& inst) {
    uint32_t event = QUERN_CHECK_WARP_OPERATION;
    llvm::StringRef name;
    for (const llvm::DILocation* at = inst.getDebugLoc(); at && is_own(*at); at = at->getInlinedAt()) {
      name = called_name(*at);
      if (name == "__syncwarp") event = QUERN_CHECK_WARP_BARRIER;
      if (name.starts_with("__") && name.ends_with("sync")) break;
    }
    auto [number, is_new] = functions_.try_emplace(name, static_cast<uint32_t>(functions_.size()));
    return event | number->second << QUERN_CHECK_EVENT_SHIFT;
  }

  void visit_copy(llvm::MemIntrinsic& copy) {
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
    uint64_t bytes = known ? known->getZExtValue() : 0;
    Value *length = copy.getLength(), *readable = nullptr;
    if (auto* moved = llvm::dyn_cast<llvm::MemTransferInst>(&copy))
      readable =
          guard(copy, 1, bytes, QUERN_CHECK_READ | QUERN_CHECK_COPIED | aligned(moved->getSourceAlign().valueOrOne()), length);
    Value* writable = guard(copy, 0, bytes, QUERN_CHECK_WRITE | aligned(copy.getDestAlign().valueOrOne()), length);
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
      if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(at)) {
        at = step->getPointerOperand();
      } else if (Value* other = chosen(*at, elsewhere_)) {
        pointer = at = other;
      } else {
        break;
      }
    }
    Value* object = llvm::getUnderlyingObject(pointer, 0);
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(object)) {
      uint64_t bytes = size_of(*local);
      uint32_t followed = followed_.contains(local) ? QUERN_CHECK_FOLLOWED : 0u;
      return {Root::What::known, local, bytes, calls_.number(name_of(*local), QUERN_OBJECT_LOCAL, bytes),
              QUERN_CHECK_LOCAL | followed};
    }
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      if (variable->getName() == runtime_name || variable->getName().starts_with("__quern")) return {Root::What::skipped};
      uint64_t bytes = module_.getDataLayout().getTypeAllocSize(variable->getValueType());
      uint32_t constant = variable->isConstant() ? QUERN_CHECK_LOCAL : 0u;  // nobody writes there
      return {Root::What::known, variable, bytes, calls_.number(plain_name(variable->getName()), QUERN_OBJECT_DEVICE, bytes),
              constant};
    }
    if (object == kernel_.thread->getArg(0)) return {Root::What::skipped};
    if (llvm::isa<llvm::CallBase>(object) && recognise(object).op != Op::none && !is(object, Op::shared_base))
      return {Root::What::skipped};  // the buffers of warps and blocks
    return loaded_from(object);
  }

  Root shared(Value* base, const SharedObject& shared) {
    uint32_t kind = shared.bytes ? QUERN_OBJECT_SHARED : QUERN_OBJECT_DYNAMIC_SHARED;
    return {Root::What::known, base, shared.bytes, calls_.number(plain_name(shared.name), kind, shared.bytes),
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
      if (auto copied = parameters_.find(from); copied != parameters_.end() && depth == 0)
        return parameter_at(copied->second + offset.getZExtValue());
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
      root.object = calls_.number(name, QUERN_OBJECT_PARAMETER, 0);
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
    // The prelude's own variables are in order.
    if (root.base && llvm::isa<llvm::AllocaInst>(root.base) && !of_users_.contains(root.base)) return nullptr;
    if (root.what == Root::What::known && (root.flags & QUERN_CHECK_LOCAL) && !(root.flags & QUERN_CHECK_FOLLOWED) && !length &&
        is_inside(pointer, root, bytes))
      return nullptr;
    llvm::IRBuilder<> builder(&inst);
    Value* answer = calls_.access(builder, pointer, length ? length : builder.getInt64(bytes), what | root.flags,
                                  calls_.place_of(inst), root.base, root.bytes, root.object);
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
    calls_.event(builder, what, calls_.place_of(inst));
  }

  LoweringState& kernel_;
  CheckCalls calls_;
  llvm::Module& module_;
  llvm::StringMap<uint32_t> functions_;                // of warps, that are called
  llvm::DenseSet<const Instruction*> looks_;           // before atomics
  llvm::DenseSet<const Value*> elsewhere_;             // what the device gives instead of an element
  llvm::DenseMap<const Value*, uint64_t> parameters_;  // copies of what was handed over by value, and where that lies
  llvm::DenseSet<const Value*> of_users_;              // local variables that the program's own text reads or writes
  llvm::DenseSet<const llvm::AllocaInst*> followed_;   // local arrays of which every access is seen
};

}  // namespace

void instrument(LoweringState& kernel) {
  check_lanes(kernel);
  check_indices(kernel);
  if (kernel.input.checks_nan) check_finite(kernel);
  Instrumenter(kernel).run();
}

void drop_left_checks(llvm::Module& module) {
  for (llvm::StringRef name : {index_name, value_name}) {
    llvm::Function* left = module.getFunction(name);
    if (!left) continue;
    for (llvm::User* user : llvm::make_early_inc_range(left->users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      if (!call->use_empty()) call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
      call->eraseFromParent();
    }
    left->eraseFromParent();
  }
}

}  // namespace quern::lowering
