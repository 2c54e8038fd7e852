// The host's library; what kernels use of it is in the other header.
#pragma once
#include <curand_kernel.h>
