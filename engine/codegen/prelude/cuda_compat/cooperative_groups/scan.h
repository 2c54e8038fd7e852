// Prefix sums over tiles and coalesced groups, and those of other operations.
#pragma once
#include <cooperative_groups.h>

extern "C++" {
namespace cooperative_groups {

template <class Group, class T, class Op = plus<T>>
__QUERN_DEVICE T inclusive_scan(const Group& group, T value, Op op = Op()) {
  for (unsigned int step = 1; step < group.size(); step *= 2) {
    T other = group.shfl_up(value, step);
    if (group.thread_rank() >= step) value = op(other, value);
  }
  return value;
}
// The first thread gets T().
template <class Group, class T, class Op = plus<T>>
__QUERN_DEVICE T exclusive_scan(const Group& group, T value, Op op = Op()) {
  T out = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : out;
}

}  // namespace cooperative_groups
}  // extern "C++"
