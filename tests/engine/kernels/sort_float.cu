// What run/calls/sort.cpp compiles for float32; the other types' texts differ in the order alone.
#include "quern/sort.cuh"
typedef quern::op::RealOrder<unsigned int, 0x7f800000u> Order;
QUERN_SORT_ROWS(Order)
QUERN_SORT_VALUES(Order, unsigned int)
