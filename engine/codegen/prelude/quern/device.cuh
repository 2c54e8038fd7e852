// The first line of every kernel's text: what CUDA C++ has built in, for a compiler that lacks it.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
extern "C" __device__ __attribute__((const, nothrow)) unsigned __quern_tid_x(), __quern_ctaid_x(), __quern_ntid_x();
struct __quern_tid { __declspec(property(get = __get_x)) unsigned x; __device__ __attribute__((always_inline)) unsigned __get_x() const { return __quern_tid_x(); } };
struct __quern_cid { __declspec(property(get = __get_x)) unsigned x; __device__ __attribute__((always_inline)) unsigned __get_x() const { return __quern_ctaid_x(); } };
struct __quern_nid { __declspec(property(get = __get_x)) unsigned x; __device__ __attribute__((always_inline)) unsigned __get_x() const { return __quern_ntid_x(); } };
extern __device__ const __quern_tid threadIdx; extern __device__ const __quern_cid blockIdx; extern __device__ const __quern_nid blockDim;
