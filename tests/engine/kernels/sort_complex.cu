// What run/calls/sort.cpp compiles for complex128 in rows longer than 2^30.
#include "quern/sort.cuh"
typedef quern::op::ComplexOrder<unsigned long long, 0x7ff0000000000000ull> Order;
QUERN_SORT_PLACES(Order, unsigned long long)
