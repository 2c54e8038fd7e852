// A part of the main header.
#pragma once
#include <curand_kernel.h>
