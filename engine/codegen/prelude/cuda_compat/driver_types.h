// The runtime's types that headers for kernels name; NVRTC has them built in.
#pragma once
#ifdef __clang__
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorUnknown = 999 };
typedef cudaError cudaError_t;
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2,
};
enum cudaDeviceAttr : int;
#endif
