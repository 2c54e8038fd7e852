// File: quern/quern.h
//
// quern from C++: CUDA C++ source on an NVIDIA GPU where there is one, compiled for the CPU where there is none.
//
//   error.h    exceptions                buffer.h   device memory, copies
//   device.h   devices, streams, events  kernel.h   programs, kernels, launches
//   dtype.h    element types             trace.h    events with their cost and source line
//
// Arrays, with NumPy's semantics:
//
//   array.h       arrays, indexing, arithmetic, reductions      linalg.h    solvers, factorisations, norms
//   picking.h     selecting by index and by mask                fft.h       Fourier transforms
//   sorting.h     sorting, searching, unique values             random.h    random numbers
//   statistics.h  variance, quantiles, histograms, cumulative sums
//   shaping.h     splitting, repeating, rolling, padding
//   matrices.h    triangles, diagonals, dot products, einsum    standard.h  further names of the array API standard
//   gradient.h    derivatives of results, for training          nn.h        activations, losses and layers of networks
//   optim.h       optimizers, for training
//
// Link with libquern.so: quern::quern of CMake's find_package(quern). examples/cpp/saxpy.cpp, heat.cpp, least_squares.cpp and
// train.cpp are whole programs.
#pragma once

#include "quern/array.h"
#include "quern/buffer.h"
#include "quern/device.h"
#include "quern/dtype.h"
#include "quern/error.h"
#include "quern/fft.h"
#include "quern/gradient.h"
#include "quern/kernel.h"
#include "quern/linalg.h"
#include "quern/matrices.h"
#include "quern/nn.h"
#include "quern/optim.h"
#include "quern/picking.h"
#include "quern/random.h"
#include "quern/shaping.h"
#include "quern/sorting.h"
#include "quern/standard.h"
#include "quern/statistics.h"
#include "quern/trace.h"
