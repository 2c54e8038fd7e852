// File: quern/quern.h
//
// quern from C++: CUDA C++ source on an NVIDIA GPU where there is one, compiled for the CPU where there is none.
//
//   error.h    what is thrown            buffer.h   device memory, copies
//   device.h   devices, streams, events  kernel.h   programs, kernels, launches
//
// Link with libquern.so. examples/cpp/saxpy.cpp is a whole program.
#pragma once

#include "quern/buffer.h"
#include "quern/device.h"
#include "quern/error.h"
#include "quern/kernel.h"
