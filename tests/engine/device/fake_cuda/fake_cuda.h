// A stand-in for libcuda.so.1 in tests: "device" memory is host memory, submitted work runs at once, kernels are C++ functions
// found by their symbol (kernels[] in fake_cuda.cpp). What would be late on a GPU is late here too: printf's text and the
// failure of a kernel come out at the next wait.
//
// Kernels that the fake NVRTC (fake_nvrtc.cpp) has compiled compute, on the CPU.
//
// It is loaded through QUERN_CUDA_DRIVER; tests reach its controls by dlsym. Read when cuInit runs:
//   FAKE_CUDA_VERSION=12020   the CUDA version it claims (default 13000)
//   FAKE_CUDA_DEVICES=2       how many GPUs there are (default 2)
//   FAKE_CUDA_LATE=1          work runs as late as the order of streams and events allows: a wait that is missing gives wrong
//                             values
//   FAKE_CUDA_NO_PEERS=1      no GPU sees another one's memory
//   FAKE_CUDA_HOST_THREAD=1   host functions run on threads of the driver's; loading, allocating and launching wait for them
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  char symbol[256];
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  unsigned char args[4096];
  size_t arg_bytes;
  int cooperative;
} FakeCudaLaunch;

void fake_cuda_reset(void);                                // memory limit, planned failures, the record of launches
void fake_cuda_fail_next(const char* symbol, int result);  // the next call of it returns this
void fake_cuda_set_memory(size_t bytes);                   // how much the device has free
size_t fake_cuda_launch_count(void);
int fake_cuda_last_launch(FakeCudaLaunch* launch);                    // 0 when there was none
size_t fake_cuda_live(const char* what);                              // "memory", "host", "stream", "event", "link", "module"
const char* fake_cuda_last_link(void);                                // kinds of what was linked last, a digit each: "01"
uint64_t fake_cuda_calls(void);                                       // of every symbol, since the library was loaded
void fake_cuda_hold(int on);                                          // while on, queries and host functions find work unfinished
unsigned fake_cuda_last_flags(void);                                  // of the last stream, event or host allocation made
size_t fake_cuda_graph_launches(void);                                // graphs launched, since the library was loaded
size_t fake_cuda_graphs(void);                                        // graphs that are ready to launch
int fake_cuda_function_attribute(const char* symbol, int attribute);  // what cuFuncSetAttribute set, or -1

// Called for each call as it begins, by its symbol; then, of a launch, with "" and the launch (fake_cupti.cpp). Null: nobody is.
extern void (*fake_cuda_observer)(const char* symbol, const FakeCudaLaunch* launch);

#ifdef __cplusplus
}
#endif
