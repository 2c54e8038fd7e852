#include "compile/clang/lower.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>

#include <stdexcept>

#include "compile/clang/access.h"
#include "compile/clang/blocks.h"
#include "compile/clang/coroutines.h"
#include "compile/clang/prepare.h"
#include "compile/clang/regions.h"
#include "compile/clang/spins.h"
#include "compile/clang/warp_sync.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

struct Needs {
  uint32_t flags = 0;
  bool grid_barrier = false;
};

Needs find_needs(const llvm::Function& thread) {
  Needs needs;
  for (const llvm::Instruction& inst : llvm::instructions(thread)) {
    if (is_sync(&inst)) needs.flags |= QUERN_KERNEL_BARRIERS;
    if (is(&inst, Op::grid_barrier)) needs.grid_barrier = true;
    auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == "__quern_print") needs.flags |= QUERN_KERNEL_PRINTS;
  }
  return needs;
}

RegionResult try_regions(Kernel& kernel, bool interchange) {
  RegionResult result;
  BodyArguments arguments;
  llvm::Function* body = make_body(kernel, arguments);
  Regions regions(kernel, body, arguments, interchange);
  try {
    regions.lower(result);
    // Coroutines are always right: a mistake in the regions may cost speed, not the kernel.
    if (llvm::verifyFunction(*body)) throw Refused{"the regions came out wrong"};
  } catch (const Refused& refused) {
    result = {};
    result.reason = refused.reason;
    body->eraseFromParent();
  }
  // An interchange may ask for more than the barriers themselves.
  if (!result.body && regions.interchanged()) return try_regions(kernel, false);
  return result;
}

}  // namespace

LoweredKernel lower(llvm::Module& module, const KernelInput& input) {
  Passes passes;
  Kernel kernel{input, module, input.thread, passes};
  prepare(kernel);

  LoweredKernel lowered;
  lowered.params = find_accesses(kernel);
  lowered.static_shared = kernel.static_shared;
  bool spins = mark_spins(kernel);
  if (!spins) {
    keep_warps_in_step(kernel);
    relax_shared_atomics(kernel);
  }
  Needs needs = find_needs(*kernel.thread);
  lowered.flags = needs.flags | (spins ? QUERN_KERNEL_SPINS : 0);

  bool use_regions = input.strategy != Strategy::coroutines;
  if (use_regions && needs.grid_barrier) lowered.reason = "a barrier of the whole grid";
  if (use_regions && spins) lowered.reason = "a loop that waits for other threads";
  if (use_regions && lowered.reason.empty()) {
    RegionResult regions = try_regions(kernel, /*interchange=*/true);
    lowered.reason = regions.reason;
    if (regions.body) {
      lowered.blocks = make_blocks(kernel, regions.body);
      lowered.slot_bytes = regions.slot_bytes;
      if (regions.needs_full_warps) lowered.flags |= QUERN_KERNEL_FULL_WARPS;
    }
  }
  if (input.strategy == Strategy::regions && !lowered.blocks) {
    throw std::runtime_error("[compile] kernel " + input.symbol + " cannot be split into regions: " + lowered.reason);
  }

  bool blocks_serve_all = lowered.blocks && !(lowered.flags & QUERN_KERNEL_FULL_WARPS);
  if (!blocks_serve_all && input.strategy != Strategy::regions) {
    Coroutine coroutine = make_coroutine(kernel);
    lowered.start = coroutine.start;
    lowered.frame_bytes = coroutine.frame_bytes;
  }
  kernel.thread->deleteBody();
  if (kernel.thread->use_empty()) kernel.thread->eraseFromParent();
  return lowered;
}

}  // namespace quern::lowering
