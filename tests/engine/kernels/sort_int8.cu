#include "quern/sort.cuh"
typedef quern::op::IntegerOrder<unsigned char> Order;
QUERN_SORT_ROWS(Order)
QUERN_SORT_VALUES(Order, unsigned int)
