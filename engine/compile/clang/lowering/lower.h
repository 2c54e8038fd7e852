// The lowering: one CUDA thread's code -> code that runs whole blocks on a CPU.
//
// Start reading at lower() in lower.cpp: it is the list of steps. Regions (regions_*.cpp) are the fast path; coroutines
// (coroutines.cpp) serve the control flow that regions refuse. What comes out keeps the contract in compile/cpu_module.h.
//
// The prelude speaks to the lowering through functions that have no body (extern "C", all arguments plain integers):
//
//   __quern_tid_x/y/z()  __quern_ctaid_x/y/z()  __quern_ntid_x/y/z()  __quern_nctaid_x/y/z()   unsigned; pure
//   __quern_lane()                      unsigned: the thread's number in its warp; pure
//   __quern_place()                     unsigned from 1 to 255: another one at each place in the code, as far as they reach
//   __quern_barrier()                   __syncthreads; convergent
//   __quern_warp_barrier(unsigned mask) __syncwarp and the steps of shuffles and votes; mask 0 stands for whoever of the warp
//   comes
//                                       there together; convergent
//   __quern_grid_barrier()              grid-wide barrier of a cooperative launch; convergent
//   __quern_warp_buffer()               void*: 32 * 16 bytes shared by the threads of a warp, zero at the start; what lies up to
//                                       256 bytes before it may be read; pure
//   __quern_block_buffer()              void*: 64 bytes shared by the threads of a block, zero at the start; pure
//   __quern_launch()                    const QuernCpuLaunch*; pure
//
// __shared__ variables arrive as globals named in KernelInput::shared; dynamic shared memory as KernelInput::dynamic_shared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
class TargetMachine;
}  // namespace llvm

namespace quern::lowering {

class CheckTables;

enum class Strategy { automatic, regions, coroutines };

struct KernelParam {
  uint32_t offset = 0, size = 0, align = 0;
  bool pointer = false;
  bool points_to_const = false;
  uint32_t access = 0;  // QUERN_ACCESS_..., filled by the lowering from what the code does
};

struct KernelInput {
  // void thread(ptr args): loads the parameters from the packed block and runs one CUDA thread. Always-inline callees allowed.
  llvm::Function* thread = nullptr;
  std::string symbol;
  std::vector<KernelParam> params;
  std::vector<llvm::GlobalVariable*> shared;          // __shared__ with a size
  std::vector<llvm::GlobalVariable*> dynamic_shared;  // extern __shared__: all start where the static ones end
  uint32_t max_threads = 1024;                        // __launch_bounds__
  Strategy strategy = Strategy::automatic;
  CheckTables* checks = nullptr;         // the code is to be checked as it runs (checks/instrument.h)
  bool checks_nan = false;               // and numbers that become NaN or infinite
  std::vector<std::string> param_names;  // as the text has them; for checks
};

struct LoweredKernel {
  llvm::Function* blocks = nullptr;             // QuernCpuBlocks, or
  llvm::Function* start = nullptr;              // QuernCpuStart; both with QUERN_KERNEL_FULL_WARPS
  llvm::GlobalVariable* frame_bytes = nullptr;  // i64 holding the coroutine's frame size once the coroutine passes have run
  std::vector<KernelParam> params;
  uint32_t static_shared = 0, slot_bytes = 0, flags = 0;
  std::string reason;  // why regions refused, for QUERN_DEBUG
};

// Lowers one kernel in place; its thread function is gone afterwards. Raises std::runtime_error with a user-readable text for
// what is not supported.
LoweredKernel lower(llvm::Module& module, const KernelInput& input);

}  // namespace quern::lowering
