// The C headers that nvcc includes before every source and NVRTC does not: the PyCUDA front end includes them, as its programs
// are for nvcc.
#pragma once
#include "limits.h"
#include "math.h"
#include "stdlib.h"
#include "time.h"
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef unsigned long u_int64_t;
typedef unsigned long ulong;
typedef long ssize_t;
// Not from today's nvcc, but a text that counts on them is better served than refused.
#include "float.h"
#include "math_constants.h"
#include "quern/texture_references.cuh"
