// names: extremes<ComplexOrder<unsigned int, 0x7f800000u>, false>; extremes<RealOrder<unsigned short, 0x7c00>, true>
// names: extremes_of_parts<ComplexOrder<unsigned int, 0x7f800000u>>; places_of<IntegerOrder<unsigned long long>>
#include "quern/search.cuh"
using namespace quern::op;
QUERN_COUNTING
