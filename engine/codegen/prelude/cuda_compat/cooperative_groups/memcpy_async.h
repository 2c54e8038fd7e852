// Copies that a group makes together. They are made at once: wait() is what makes them seen by all.
#pragma once
#include <cooperative_groups.h>

extern "C++" {
namespace cooperative_groups {

// `bytes` of them; a cuda::aligned_size_t is a number.
template <class Group, class To, class From, class Size>
__QUERN_DEVICE void memcpy_async(const Group& group, To* to, const From* from, Size bytes) {
  auto* out = reinterpret_cast<unsigned char*>(to);
  auto* in = reinterpret_cast<const unsigned char*>(from);
  for (unsigned long long i = group.thread_rank(); i < static_cast<unsigned long long>(bytes); i += group.size()) out[i] = in[i];
}
// As many elements as both have room for.
template <class Group, class T, class ToSize, class FromSize>
__QUERN_DEVICE void memcpy_async(const Group& group, T* to, ToSize room, const T* from, FromSize count) {
  unsigned long long n = static_cast<unsigned long long>(room), m = static_cast<unsigned long long>(count);
  for (unsigned long long i = group.thread_rank(); i < (n < m ? n : m); i += group.size()) to[i] = from[i];
}
template <class Group>
__QUERN_DEVICE void wait(const Group& group) {
  group.sync();
}
template <unsigned int pending, class Group>
__QUERN_DEVICE void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
}  // extern "C++"
