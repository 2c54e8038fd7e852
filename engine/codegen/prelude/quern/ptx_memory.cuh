// CPU: what ptx.cuh's table has of memory, barriers, warps and special registers: the device library's own functions.
#pragma once

// ---- addresses. One that counts within shared memory counts from where the block's begins; a pointer is never that small.

extern "C" __device__ __attribute__((const, nothrow)) void* __quern_shared_base() __asm__("__quern_.shared_base");

__QUERN_PTX(void*, shared_address)(__quern_u64 a) {
  return a >> 32 ? reinterpret_cast<void*>(a) : static_cast<void*>(static_cast<char*>(__quern_shared_base()) + a);
}
__QUERN_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return static_cast<size_t>(static_cast<const char*>(p) - static_cast<const char*>(__quern_shared_base()));
}
__QUERN_DEVICE void* __cvta_shared_to_generic(size_t a) { return static_cast<char*>(__quern_shared_base()) + a; }
__QUERN_DEVICE size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }
__QUERN_DEVICE void* __cvta_global_to_generic(size_t a) { return reinterpret_cast<void*>(a); }
__QUERN_PTX(__quern_u64, cvta_to_shared_u64)(__quern_u64 a) { return __cvta_generic_to_shared(reinterpret_cast<void*>(a)); }
__QUERN_PTX(__quern_u64, cvta_shared_u64)(__quern_u64 a) { return reinterpret_cast<__quern_u64>(__cvta_shared_to_generic(a)); }

// ---- loads and stores

#define __QUERN_PTX_ROWS(type, T)                                                                             \
  __QUERN_PTX(T, ld_##type)(const T* p) { return *p; }                                                        \
  __QUERN_PTX(T, ld_volatile_##type)(const T* p) { return *static_cast<const volatile T*>(p); }               \
  __QUERN_PTX(void, st_##type)(T* p, T a) { *p = a; }                                                         \
  __QUERN_PTX(void, st_volatile_##type)(T* p, T a) { *static_cast<volatile T*>(p) = a; }
__QUERN_PTX_ROWS(b8, unsigned char)
__QUERN_PTX_ROWS(u8, unsigned char)
__QUERN_PTX_ROWS(s8, signed char)
__QUERN_PTX_BITS(__QUERN_PTX_ROWS)
__QUERN_PTX_INTEGERS(__QUERN_PTX_ROWS)
__QUERN_PTX_FLOATS(__QUERN_PTX_ROWS)
#undef __QUERN_PTX_ROWS
__QUERN_PTX(void, prefetch)(const void*) {}

// ---- atomics; red is atom without its result

#define __QUERN_PTX_ATOM(name, type, T, function) \
  __QUERN_PTX(T, atom_##name##_##type)(T* p, T a) { return function(p, a); }
#define __QUERN_PTX_ROWS(type, T)                 \
  __QUERN_PTX_ATOM(min, type, T, atomicMin)       \
  __QUERN_PTX_ATOM(max, type, T, atomicMax)
__QUERN_PTX_ROWS(u32, unsigned int)
__QUERN_PTX_ROWS(s32, int)
__QUERN_PTX_ROWS(u64, __quern_u64)
__QUERN_PTX_ROWS(s64, long long)
#undef __QUERN_PTX_ROWS
#define __QUERN_PTX_ROWS(type, T)                 \
  __QUERN_PTX_ATOM(and, type, T, atomicAnd)       \
  __QUERN_PTX_ATOM(or, type, T, atomicOr)         \
  __QUERN_PTX_ATOM(xor, type, T, atomicXor)       \
  __QUERN_PTX_ATOM(exch, type, T, atomicExch)     \
  __QUERN_PTX(T, atom_cas_##type)(T* p, T a, T b) { return atomicCAS(p, a, b); }
__QUERN_PTX_ROWS(b32, unsigned int)
__QUERN_PTX_ROWS(b64, __quern_u64)
#undef __QUERN_PTX_ROWS
__QUERN_PTX(unsigned short, atom_cas_b16)(unsigned short* p, unsigned short a, unsigned short b) { return atomicCAS(p, a, b); }
__QUERN_PTX_ATOM(add, u32, unsigned int, atomicAdd)
__QUERN_PTX_ATOM(add, s32, int, atomicAdd)
__QUERN_PTX_ATOM(add, u64, __quern_u64, atomicAdd)
__QUERN_PTX_ATOM(add, f32, float, atomicAdd)
__QUERN_PTX_ATOM(add, f64, double, atomicAdd)
__QUERN_PTX_ATOM(inc, u32, unsigned int, atomicInc)
__QUERN_PTX_ATOM(dec, u32, unsigned int, atomicDec)
#undef __QUERN_PTX_ATOM

// ---- barriers and fences. Barriers other than the first are one for the whole block, too.

__QUERN_PTX(void, bar_sync)(unsigned int) { __syncthreads(); }
__QUERN_PTX(unsigned int, bar_red_popc_u32)(unsigned int, bool p) { return static_cast<unsigned int>(__syncthreads_count(p)); }
__QUERN_PTX(bool, bar_red_and_pred)(unsigned int, bool p) { return __syncthreads_and(p) != 0; }
__QUERN_PTX(bool, bar_red_or_pred)(unsigned int, bool p) { return __syncthreads_or(p) != 0; }
__QUERN_PTX(void, bar_warp_sync)(unsigned int mask) { __syncwarp(mask); }
__QUERN_PTX(void, membar)() { __threadfence(); }
__QUERN_PTX(void, membar_cta)() { __threadfence_block(); }
__QUERN_PTX(void, nanosleep_u32)(unsigned int t) { __nanosleep(t); }
__QUERN_PTX(void, trap)() { __trap(); }
__QUERN_PTX(void, brkpt)() { __brkpt(); }

// ---- warps. The forms without .sync are for the lanes that come together.

__QUERN_PTX(unsigned int, activemask_b32)() { return __activemask(); }
__QUERN_PTX(unsigned int, vote_sync_ballot_b32)(bool p, unsigned int mask) { return __ballot_sync(mask, p); }
__QUERN_PTX(bool, vote_sync_any_pred)(bool p, unsigned int mask) { return __any_sync(mask, p) != 0; }
__QUERN_PTX(bool, vote_sync_all_pred)(bool p, unsigned int mask) { return __all_sync(mask, p) != 0; }
__QUERN_PTX(bool, vote_sync_uni_pred)(bool p, unsigned int mask) {
  unsigned int yes = __ballot_sync(mask, p);
  return yes == 0 || yes == (mask & __quern_lanes());
}
__QUERN_PTX(unsigned int, vote_ballot_b32)(bool p) { return __quern_ptx_vote_sync_ballot_b32(p, __activemask()); }
__QUERN_PTX(bool, vote_any_pred)(bool p) { return __quern_ptx_vote_sync_any_pred(p, __activemask()); }
__QUERN_PTX(bool, vote_all_pred)(bool p) { return __quern_ptx_vote_sync_all_pred(p, __activemask()); }
__QUERN_PTX(bool, vote_uni_pred)(bool p) { return __quern_ptx_vote_sync_uni_pred(p, __activemask()); }
__QUERN_PTX(unsigned int, match_any_sync_b32)(unsigned int a, unsigned int mask) { return __match_any_sync(mask, a); }
__QUERN_PTX(unsigned int, match_any_sync_b64)(__quern_u64 a, unsigned int mask) { return __match_any_sync(mask, a); }
#define __QUERN_PTX_ROWS(type, T)                                                                       \
  __QUERN_PTX(unsigned int, match_all_sync_##type##_pair)(T a, unsigned int mask, unsigned char* p) {   \
    int all;                                                                                            \
    unsigned int lanes = __match_all_sync(mask, a, &all);                                               \
    *p = all != 0;                                                                                      \
    return lanes;                                                                                       \
  }                                                                                                     \
  __QUERN_PTX(unsigned int, match_all_sync_##type)(T a, unsigned int mask) {                            \
    int all;                                                                                            \
    return __match_all_sync(mask, a, &all);                                                             \
  }
__QUERN_PTX_ROWS(b32, unsigned int)
__QUERN_PTX_ROWS(b64, __quern_u64)
#undef __QUERN_PTX_ROWS
#define __QUERN_PTX_ROWS(name, type, T) \
  __QUERN_PTX(T, redux_sync_##name##_##type)(T a, unsigned int mask) { return __reduce_##name##_sync(mask, a); }
__QUERN_PTX_ROWS(add, u32, unsigned int)
__QUERN_PTX_ROWS(add, s32, int)
__QUERN_PTX_ROWS(min, u32, unsigned int)
__QUERN_PTX_ROWS(min, s32, int)
__QUERN_PTX_ROWS(max, u32, unsigned int)
__QUERN_PTX_ROWS(max, s32, int)
__QUERN_PTX_ROWS(and, b32, unsigned int)
__QUERN_PTX_ROWS(or, b32, unsigned int)
__QUERN_PTX_ROWS(xor, b32, unsigned int)
#undef __QUERN_PTX_ROWS

// c says how far lanes reach: its low five bits the bound, those from 8 on the lane's bits that stay as they are.
#define __QUERN_PTX_ROWS(mode, from, reaches)                                                                               \
  __QUERN_PTX(unsigned int, shfl_sync_##mode##_b32_pair)                                                                    \
  (unsigned int a, unsigned int b, unsigned int c, unsigned int mask, unsigned char* p) {                                   \
    int lane = static_cast<int>(__quern_lane()), kept = static_cast<int>(c >> 8 & 31), by = static_cast<int>(b & 31);       \
    int first = lane & kept, last = first | (static_cast<int>(c & 31) & ~kept), source = from;                              \
    bool within = source reaches last;                                                                                      \
    *p = within;                                                                                                            \
    static_cast<void>(first);                                                                                               \
    return __quern_shuffle(mask, a, static_cast<unsigned int>(within ? source : lane));                                     \
  }                                                                                                                         \
  __QUERN_PTX(unsigned int, shfl_sync_##mode##_b32)(unsigned int a, unsigned int b, unsigned int c, unsigned int mask) {    \
    unsigned char within;                                                                                                   \
    return __quern_ptx_shfl_sync_##mode##_b32_pair(a, b, c, mask, &within);                                                 \
  }                                                                                                                         \
  __QUERN_PTX(unsigned int, shfl_##mode##_b32)(unsigned int a, unsigned int b, unsigned int c) {                            \
    return __quern_ptx_shfl_sync_##mode##_b32(a, b, c, __activemask());                                                     \
  }                                                                                                                         \
  __QUERN_PTX(unsigned int, shfl_##mode##_b32_pair)(unsigned int a, unsigned int b, unsigned int c, unsigned char* p) {     \
    return __quern_ptx_shfl_sync_##mode##_b32_pair(a, b, c, __activemask(), p);                                             \
  }
__QUERN_PTX_ROWS(up, lane - by, >=)
__QUERN_PTX_ROWS(down, lane + by, <=)
__QUERN_PTX_ROWS(bfly, lane ^ by, <=)
__QUERN_PTX_ROWS(idx, first | (by & ~kept), <=)
#undef __QUERN_PTX_ROWS

// ---- special registers. There is one multiprocessor.

#define __QUERN_PTX_SPECIAL(R, name, value) \
  __QUERN_PTX(R, special_##name)() { return value; }
#define __QUERN_PTX_ROWS(name)                                                          \
  __QUERN_PTX_SPECIAL(unsigned int, name##_x, __quern_##name##_x())                     \
  __QUERN_PTX_SPECIAL(unsigned int, name##_y, __quern_##name##_y())                     \
  __QUERN_PTX_SPECIAL(unsigned int, name##_z, __quern_##name##_z())
__QUERN_PTX_ROWS(tid)
__QUERN_PTX_ROWS(ntid)
__QUERN_PTX_ROWS(ctaid)
__QUERN_PTX_ROWS(nctaid)
#undef __QUERN_PTX_ROWS
__QUERN_PTX_SPECIAL(unsigned int, laneid, __quern_lane())
__QUERN_PTX_SPECIAL(unsigned int, warpid, __quern_thread_in_block() / 32)
__QUERN_PTX_SPECIAL(unsigned int, nwarpid, (__quern_ntid_x() * __quern_ntid_y() * __quern_ntid_z() + 31) / 32)
__QUERN_PTX_SPECIAL(unsigned int, smid, 0)
__QUERN_PTX_SPECIAL(unsigned int, nsmid, 1)
__QUERN_PTX_SPECIAL(__quern_u64, gridid, 0)
__QUERN_PTX_SPECIAL(unsigned int, lanemask_eq, 1u << __quern_lane())
__QUERN_PTX_SPECIAL(unsigned int, lanemask_lt, (1u << __quern_lane()) - 1)
__QUERN_PTX_SPECIAL(unsigned int, lanemask_le, (2u << __quern_lane()) - 1)
__QUERN_PTX_SPECIAL(unsigned int, lanemask_gt, ~((2u << __quern_lane()) - 1))
__QUERN_PTX_SPECIAL(unsigned int, lanemask_ge, ~((1u << __quern_lane()) - 1))
__QUERN_PTX_SPECIAL(unsigned int, clock, static_cast<unsigned int>(clock64()))
__QUERN_PTX_SPECIAL(unsigned int, clock_hi, static_cast<unsigned int>(clock64() >> 32))
__QUERN_PTX_SPECIAL(__quern_u64, clock64, static_cast<__quern_u64>(clock64()))
__QUERN_PTX_SPECIAL(__quern_u64, globaltimer, globaltimer())
__QUERN_PTX_SPECIAL(unsigned int, globaltimer_lo, static_cast<unsigned int>(globaltimer()))
__QUERN_PTX_SPECIAL(unsigned int, globaltimer_hi, static_cast<unsigned int>(globaltimer() >> 32))
#undef __QUERN_PTX_SPECIAL
