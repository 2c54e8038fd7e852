// For tests: the controls of the stand-in for the driver, FAKE(fake_cuda_reset)().
#pragma once

#include "fake_cuda.h"

#include <dlfcn.h>

#ifndef QUERN_FAKE_CUDA
#error "QUERN_FAKE_CUDA is the path of the fake driver"
#endif

namespace quern_test {

template <class F>
F control(const char* name) {
  static void* handle = dlopen(QUERN_FAKE_CUDA, RTLD_NOW);
  return reinterpret_cast<F>(dlsym(handle, name));
}

}  // namespace quern_test

#define FAKE(name) quern_test::control<decltype(&name)>(#name)
