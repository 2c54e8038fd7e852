#include "quern/scan.cuh"
typedef bool T;
QUERN_SCAN(logical_or, T)
