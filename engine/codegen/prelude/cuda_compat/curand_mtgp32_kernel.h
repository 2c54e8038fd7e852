// A generator that is not there.
#error "MTGP32 is not there; use curandState (XORWOW), curandStatePhilox4_32_10_t or curandStateMRG32k3a of curand_kernel.h"
