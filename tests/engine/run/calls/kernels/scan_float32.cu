#include "quern/scan.cuh"
typedef float T;
QUERN_SCAN(add, T)
