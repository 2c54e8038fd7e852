// half precision: what quern/half.cuh and quern/half_functions.cuh define, and the short names.
#pragma once
#include "quern/half.cuh"
#include "quern/half_functions.cuh"
typedef __half half;
typedef __half nv_half;
typedef __half2 half2;
typedef __half2 nv_half2;
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
