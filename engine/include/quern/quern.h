// File: quern/quern.h
//
// quern from C++: CUDA C++ source on an NVIDIA GPU where there is one, compiled for the CPU where there is none.
//
//   error.h    what is thrown            buffer.h   device memory, copies
//   device.h   devices, streams, events  kernel.h   programs, kernels, launches
//   array.h    arrays as NumPy has them  trace.h    what it cost, and which line asked for it
//   dtype.h    the types of elements
//
// Link with libquern.so. examples/cpp/saxpy.cpp and heat.cpp are whole programs.
#pragma once

#include "quern/array.h"
#include "quern/buffer.h"
#include "quern/device.h"
#include "quern/dtype.h"
#include "quern/error.h"
#include "quern/kernel.h"
#include "quern/trace.h"
