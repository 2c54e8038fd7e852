#include "fake_cuda.h"

void (*fake_cuda_observer)(const char* symbol, const FakeCudaLaunch* launch) = nullptr;
