#include "compile/clang/lowering/lower.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>

#include <stdexcept>

#include "compile/clang/analyses/access.h"
#include "compile/clang/analyses/bounded.h"
#include "compile/clang/analyses/joining.h"
#include "compile/clang/checks/instrument.h"
#include "compile/clang/lowering/blocks.h"
#include "compile/clang/lowering/coroutines.h"
#include "compile/clang/lowering/deferred_adds.h"
#include "compile/clang/lowering/prepare.h"
#include "compile/clang/lowering/regions.h"
#include "compile/clang/lowering/spins.h"
#include "compile/clang/lowering/warp_sync.h"
#include "compile/cpu_module.h"

namespace quern::lowering {
namespace {

struct Needs {
  uint32_t flags = 0;
  bool grid_barrier = false, warps = false;
};

Needs find_needs(const llvm::Function& thread) {
  Needs needs;
  for (const llvm::Instruction& inst : llvm::instructions(thread)) {
    if (is_sync(&inst)) needs.flags |= QUERN_KERNEL_BARRIERS;
    if (is(&inst, Op::grid_barrier)) needs.grid_barrier = true;
    if (is_sync(&inst) && !is_block_sync(&inst)) needs.warps = true;
    auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == "__quern_print") needs.flags |= QUERN_KERNEL_PRINTS;
  }
  return needs;
}

RegionResult try_regions(LoweringState& kernel, bool interchange) {
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

void set_start(LoweredKernel& lowered, const Coroutine& coroutine) {
  lowered.start = coroutine.start;
  lowered.frame_bytes = coroutine.frame_bytes;
}

// Regions, where the kernel's control flow lets them.
void lower_to_loops(LoweringState& kernel, const Needs& needs, LoweredKernel& lowered) {
  RegionResult regions = try_regions(kernel, /*interchange=*/true);
  lowered.reason = regions.reason;
  if (!regions.body) return;
  if (needs.grid_barrier && regions.needs_full_warps) {
    lowered.reason = "a barrier of the whole grid, and one of warps";
    regions.body->eraseFromParent();
    return;
  }
  lowered.slot_bytes = regions.slot_bytes;
  lowered.flags |= kernel.joins;
  if (needs.grid_barrier) {
    lowered.flags |= QUERN_KERNEL_WHOLE_BLOCKS;
    set_start(lowered, make_block_coroutine(kernel, regions.body));
  } else {
    lowered.blocks = make_blocks(kernel, regions.body);
    if (regions.needs_full_warps) lowered.flags |= QUERN_KERNEL_FULL_WARPS;
  }
}

}  // namespace

LoweredKernel lower(llvm::Module& module, const KernelInput& input) {
  Passes passes;
  LoweringState kernel{input, module, input.thread, passes};
  prepare(kernel);

  LoweredKernel lowered;
  lowered.params = find_accesses(kernel);
  lowered.static_shared = kernel.static_shared;
  bool spins = mark_spins(kernel);
  if (!spins && !input.checks) {
    keep_warps_in_step(kernel);
    relax_shared_atomics(kernel);
  }
  if (input.checks) instrument(kernel);
  Needs needs = find_needs(*kernel.thread);
  if (!needs.warps) expand_lanes(*kernel.thread);
  kernel.joins = spins || needs.flags || input.checks ? 0 : find_joins(*kernel.thread);
  lowered.flags = needs.flags | (spins ? QUERN_KERNEL_SPINS : 0);
  if (!spins && is_bounded(kernel)) lowered.flags |= QUERN_KERNEL_BOUNDED;

  if (input.strategy != Strategy::coroutines && !input.checks) {
    if (spins) {
      lowered.reason = "a loop that waits for other threads";
    } else {
      mark_deferred_adds(*kernel.thread);
      lower_to_loops(kernel, needs, lowered);
    }
  }
  bool has_loops = lowered.blocks || lowered.start;
  if (input.strategy == Strategy::regions && !has_loops) {
    throw std::runtime_error("[compile] kernel " + input.symbol + " cannot be split into regions: " + lowered.reason);
  }

  bool serves_all = has_loops && !(lowered.flags & QUERN_KERNEL_FULL_WARPS);
  if (!serves_all && input.strategy != Strategy::regions) set_start(lowered, make_coroutine(kernel));
  kernel.thread->deleteBody();
  if (kernel.thread->use_empty()) kernel.thread->eraseFromParent();
  return lowered;
}

}  // namespace quern::lowering
