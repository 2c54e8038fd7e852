#include "quern/scan.cuh"
typedef quern::op::bfloat16 T;
QUERN_SCAN(maximum, T)
