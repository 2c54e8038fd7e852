// File: quern/quern.h
//
// quern from C++: CUDA C++ source on an NVIDIA GPU where there is one, compiled for the CPU where there is none.
//
//   error.h    what is thrown            buffer.h   device memory, copies
//   device.h   devices, streams, events  kernel.h   programs, kernels, launches
//   dtype.h    the types of elements     trace.h    what it cost, and which line asked for it
//
// Arrays as NumPy has them:
//
//   array.h       arrays, their parts, arithmetic, sums     linalg.h  equations, factorisations, norms
//   picking.h     elements by places and by masks           fft.h     Fourier transforms
//   sorting.h     order, extremes, distinct values          random.h  random numbers
//   statistics.h  spread, quantiles, running sums, counts
//   shaping.h     cut up, repeated, moved, framed
//   matrices.h    triangles, diagonals, dot products        standard.h  the array API standard's other names
//
// Link with libquern.so. examples/cpp/saxpy.cpp, heat.cpp and least_squares.cpp are whole programs.
#pragma once

#include "quern/array.h"
#include "quern/buffer.h"
#include "quern/device.h"
#include "quern/dtype.h"
#include "quern/error.h"
#include "quern/fft.h"
#include "quern/kernel.h"
#include "quern/linalg.h"
#include "quern/matrices.h"
#include "quern/picking.h"
#include "quern/random.h"
#include "quern/shaping.h"
#include "quern/sorting.h"
#include "quern/standard.h"
#include "quern/statistics.h"
#include "quern/trace.h"
