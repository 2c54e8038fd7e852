// What run/calls/sort.cpp compiles for complex numbers, complex64 in short rows, complex128 in rows longer than 2^30.
#include "quern/sort.cuh"
typedef quern::op::ComplexOrder<unsigned int, 0x7f800000u> Order;
typedef quern::op::ComplexOrder<unsigned long long, 0x7ff0000000000000ull> Wide;
QUERN_SORT_ROWS(Order)
QUERN_SORT_PLACES(Wide, unsigned long long)
