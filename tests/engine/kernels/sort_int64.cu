#include "quern/sort.cuh"
typedef quern::op::IntegerOrder<unsigned long long> Order;
QUERN_SORT_ROWS(Order)
QUERN_SORT_PLACES(Order, unsigned int)
