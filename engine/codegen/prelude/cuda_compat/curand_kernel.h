// cuRAND's device interface: XORWOW, Philox4x32-10 and MRG32k3a are in quern/rand.cuh; the names below ask for others.
#pragma once
#include "quern/rand.cuh"
extern "C++" {
namespace quern {
namespace draws {
template <int there>
__device__ auto refused() {
  static_assert(there != 0,
                "curand_kernel.h: MTGP32 and the quasi-random Sobol generators are not there; use curandState (XORWOW), "
                "curandStatePhilox4_32_10_t or curandStateMRG32k3a");
  return 0;
}
}  // namespace draws
}  // namespace quern
}  // extern "C++"
#define __QUERN_REFUSED decltype(quern::draws::refused<0>())
#define curandStateMtgp32 __QUERN_REFUSED
#define curandStateMtgp32_t __QUERN_REFUSED
#define curandStateSobol32 __QUERN_REFUSED
#define curandStateSobol32_t __QUERN_REFUSED
#define curandStateSobol64 __QUERN_REFUSED
#define curandStateSobol64_t __QUERN_REFUSED
#define curandStateScrambledSobol32 __QUERN_REFUSED
#define curandStateScrambledSobol32_t __QUERN_REFUSED
#define curandStateScrambledSobol64 __QUERN_REFUSED
#define curandStateScrambledSobol64_t __QUERN_REFUSED
