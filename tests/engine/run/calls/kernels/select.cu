// names: counts<long long>; starts<long long>; places<long long>; values<unsigned char>; values<Sixteen>
#include "quern/select.cuh"
using namespace quern::op;
