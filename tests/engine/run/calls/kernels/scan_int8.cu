#include "quern/scan.cuh"
typedef signed char T;
QUERN_SCAN(bitwise_xor, T)
