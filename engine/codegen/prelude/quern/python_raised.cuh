// What a kernel written in Python raises when it is compiled for debugging: see python/quern/kernel/raised.py.
#pragma once

extern "C++" {
namespace quern {
namespace py {

// Of a thread; functions that it calls are given it. In memory: the number of what was raised first, by which thread of which block (x, y
// and z), and how many threads have come to barriers of the grid. The kernel itself writes there, as functions that call themselves do
// not know their thread.
struct status {
  unsigned int* memory;
  unsigned int left = 0;  // why the thread leaves: the number of what it raised
  unsigned int barriers = 0;

  __QUERN_DEVICE explicit status(unsigned int* words) : memory(words) {}
  __QUERN_DEVICE void tell() {
    if (atomicCAS(memory, 0u, left) != 0u) return;
    memory[1] = threadIdx.x;
    memory[2] = threadIdx.y;
    memory[3] = threadIdx.z;
    memory[4] = blockIdx.x;
    memory[5] = blockIdx.y;
    memory[6] = blockIdx.z;
  }
  // Those that wait for a thread that has left leave, too.
  __QUERN_DEVICE void sync_grid() {
#ifdef __QUERN_CPU__
    __quern_grid_barrier();
#else
    const unsigned int all = gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z;
    const unsigned int wanted = ++barriers * all;
    volatile unsigned int* words = memory;
    __threadfence();
    atomicAdd(memory + 7, 1u);  // each by itself, as any may have left
    while (static_cast<int>(words[7] - wanted) < 0 && words[0] == 0) {
    }
    __threadfence();
#endif
    left = *const_cast<volatile unsigned int*>(memory);
  }
};

}  // namespace py
}  // namespace quern
}
