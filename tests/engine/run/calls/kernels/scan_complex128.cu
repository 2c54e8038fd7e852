#include "quern/scan.cuh"
typedef quern::op::complex128 T;
QUERN_SCAN(multiply, T)
