#include "quern/search.cuh"
typedef quern::op::ComplexOrder<unsigned int, 0x7f800000u> Order;
QUERN_SEARCH(Order)
QUERN_COUNTING
