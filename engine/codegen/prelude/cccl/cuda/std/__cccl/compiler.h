// CPU: stands before CCCL's header of the same name, the first that all others of its read, which distinguishes compilers. The
// CPU's is to be taken for NVRTC as far as the host goes, which has no headers here, and for clang in what CUDA C++ is. What CCCL
// expects of both follows; what cannot be said by macros stands in the other files of this folder.
#pragma once
#include "driver_types.h"
#include "initializer_list"
#include "quern/asm.cuh"
#include "stdint.h"

#define __NV_BUILTIN_INITIALIZER_LIST 1
#define THRUST_DEVICE_SYSTEM 4  // THRUST_DEVICE_SYSTEM_CPP: iterators with no stream to them

#pragma push_macro("__clang__")
#pragma push_macro("__GNUC__")
#undef __clang__
#undef __GNUC__
#include_next <cuda/std/__cccl/compiler.h>
#pragma pop_macro("__clang__")
#pragma pop_macro("__GNUC__")
#undef _CCCL_CUDA_COMPILER_NVRTC
#define _CCCL_CUDA_COMPILER_NVRTC() _CCCL_VERSION_INVALID()
#undef _CCCL_CUDA_COMPILER_CLANG
#define _CCCL_CUDA_COMPILER_CLANG() (__clang_major__, __clang_minor__)
#undef __cpp_pack_indexing  // clang 19 loses count of packs that have passed through an alias

// CCCL asks in its own checks, and to choose what hardware does for objects of one kind: here no memory is special.
__QUERN_DEVICE unsigned int __isGlobal(const void*) { return 1; }
__QUERN_DEVICE unsigned int __isShared(const void*) { return 0; }
__QUERN_DEVICE unsigned int __isConstant(const void*) { return 0; }
__QUERN_DEVICE unsigned int __isLocal(const void*) { return 0; }
__QUERN_DEVICE unsigned int __isGridConstant(const void*) { return 0; }
__QUERN_DEVICE unsigned int __isClusterShared(const void*) { return 0; }

__device__ __attribute__((noinline, cold, noreturn)) inline void __assertfail(const char* condition, const char* file,
                                                                              unsigned int line, const char* function, size_t) {
  __quern_assert_fail(condition, file, line, function);
}
