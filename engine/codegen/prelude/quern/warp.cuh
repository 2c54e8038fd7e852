// CPU: shuffles and votes. The threads of a warp share a buffer of 32 * 16 bytes: the first half carries the values of
// shuffles and matches; the bytes from 256 on carry votes and are zero between them. What lies 256 bytes before it may be read, too.
#pragma once

__QUERN_DEVICE unsigned int __quern_thread_in_block() {
  return (__quern_tid_z() * __quern_ntid_y() + __quern_tid_y()) * __quern_ntid_x() + __quern_tid_x();
}

// The lanes of this warp that exist: the last warp of a block may be short.
__QUERN_DEVICE unsigned int __quern_lanes() {
  unsigned int first = __quern_thread_in_block() & ~31u;
  unsigned int left = __quern_ntid_x() * __quern_ntid_y() * __quern_ntid_z() - first;
  return left >= 32 ? 0xffffffffu : (1u << left) - 1;
}
template <class T>
__QUERN_DEVICE T __quern_shuffle(unsigned int mask, T value, unsigned int source) {
  T* values = static_cast<T*>(__quern_warp_buffer());
  values[__quern_lane()] = value;
  __quern_warp_barrier(mask);
  T result = values[source & 31];
  __quern_warp_barrier(mask);
  return result;
}
// Lanes fall into segments of `width`, a power of two. A neighbour is read even by lanes that have none, so that 32 lanes read one run
// of values; they take their own then.
template <class T>
__QUERN_DEVICE T __quern_shuffle_neighbour(unsigned int mask, T value, int distance, bool has_neighbour) {
  T* values = static_cast<T*>(__quern_warp_buffer());
  values[__quern_lane()] = value;
  __quern_warp_barrier(mask);
  T theirs = values[static_cast<int>(__quern_lane()) + distance];
  __quern_warp_barrier(mask);
  return has_neighbour ? theirs : value;
}
template <class T>
__QUERN_DEVICE T __quern_shuffle_below(unsigned int mask, T value, unsigned int delta, int width) {
  unsigned int inside = static_cast<unsigned int>(width) - 1, distance = delta < 32 ? delta : 32;
  return __quern_shuffle_neighbour(mask, value, -static_cast<int>(distance), (__quern_lane() & inside) >= distance);
}
template <class T>
__QUERN_DEVICE T __quern_shuffle_above(unsigned int mask, T value, unsigned int delta, int width) {
  unsigned int inside = static_cast<unsigned int>(width) - 1, distance = delta < 32 ? delta : 32;
  return __quern_shuffle_neighbour(mask, value, static_cast<int>(distance), (__quern_lane() & inside) + distance <= inside);
}
__QUERN_DEVICE unsigned int __quern_source_of_index(int source, int width) {
  unsigned int lane = __quern_lane(), inside = static_cast<unsigned int>(width) - 1;
  return (lane & ~inside) | (static_cast<unsigned int>(source) & inside);
}
// A source in a later segment is out of reach; one in an earlier segment is not.
__QUERN_DEVICE unsigned int __quern_source_of_xor(int lane_mask, int width) {
  unsigned int lane = __quern_lane(), inside = static_cast<unsigned int>(width) - 1;
  unsigned int source = lane ^ static_cast<unsigned int>(lane_mask);
  return source > (lane | inside) ? lane : source;
}

#define __QUERN_SHUFFLES(T)                                                                           \
  __QUERN_DEVICE T __shfl_sync(unsigned int mask, T value, int source, int width = 32) {              \
    return __quern_shuffle(mask, value, __quern_source_of_index(source, width));                      \
  }                                                                                                   \
  __QUERN_DEVICE T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {   \
    return __quern_shuffle_below(mask, value, delta, width);                                          \
  }                                                                                                   \
  __QUERN_DEVICE T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) { \
    return __quern_shuffle_above(mask, value, delta, width);                                          \
  }                                                                                                   \
  __QUERN_DEVICE T __shfl_xor_sync(unsigned int mask, T value, int lane_mask, int width = 32) {       \
    return __quern_shuffle(mask, value, __quern_source_of_xor(lane_mask, width));                     \
  }
__QUERN_SHUFFLES(int)
__QUERN_SHUFFLES(unsigned int)
__QUERN_SHUFFLES(long)
__QUERN_SHUFFLES(unsigned long)
__QUERN_SHUFFLES(long long)
__QUERN_SHUFFLES(unsigned long long)
__QUERN_SHUFFLES(float)
__QUERN_SHUFFLES(double)

// ---- votes: a byte for each lane. A lane clears its own after the others have read it, so a lane that has left the kernel
// counts as no.

__QUERN_DEVICE unsigned char* __quern_vote_bytes() { return static_cast<unsigned char*>(__quern_warp_buffer()) + 256; }
__QUERN_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  unsigned char* votes = __quern_vote_bytes();
  unsigned int lane = __quern_lane();
  votes[lane] = predicate != 0;
  __quern_warp_barrier(mask);
  const unsigned long long* words = reinterpret_cast<const unsigned long long*>(votes);
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    // Eight bytes that are 0 or 1, or more where somebody is in __activemask(): the product gathers their last bits, in order, in its
    // topmost byte.
    result |= static_cast<unsigned int>(((words[i] & 0x0101010101010101ull) * 0x0102040810204080ull) >> 56) << (8 * i);
  }
  __quern_warp_barrier(mask);
  votes[lane] = 0;
  return result & mask & __quern_lanes();
}
// Who comes to this place together: a barrier for no lanes at all is one for those. Each place in the code has a number of its own, so
// that the two sides of a branch do not become one.
__QUERN_DEVICE unsigned int __activemask() {
  // 0 and 1 are votes: of those who wait in __ballot_sync() for lanes that are here.
  unsigned char *votes = __quern_vote_bytes(), place = static_cast<unsigned char>(__quern_place() % 254 + 2);
  unsigned int lane = __quern_lane();
  votes[lane] = place;
  __quern_warp_barrier(0);
  unsigned int result = 0;
  for (int i = 0; i < 32; ++i) result |= static_cast<unsigned int>(votes[i] == place) << i;
  __quern_warp_barrier(result);  // before anybody else comes here, who would find these votes
  votes[lane] = 0;
  return result;
}
__QUERN_DEVICE int __any_sync(unsigned int mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
__QUERN_DEVICE int __all_sync(unsigned int mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

#define __QUERN_MATCH(T)                                                                       \
  __QUERN_DEVICE unsigned int __match_any_sync(unsigned int mask, T value) {                   \
    T* values = static_cast<T*>(__quern_warp_buffer());                                        \
    values[__quern_lane()] = value;                                                            \
    __quern_warp_barrier(mask);                                                                \
    unsigned int result = 0;                                                                   \
    for (int i = 0; i < 32; ++i) result |= static_cast<unsigned int>(values[i] == value) << i; \
    __quern_warp_barrier(mask);                                                                \
    return result & mask & __quern_lanes();                                                    \
  }                                                                                            \
  __QUERN_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int* predicate) {   \
    unsigned int lanes = mask & __quern_lanes();                                               \
    bool all = __match_any_sync(mask, value) == lanes;                                         \
    *predicate = all;                                                                          \
    return all ? lanes : 0;                                                                    \
  }
__QUERN_MATCH(int)
__QUERN_MATCH(unsigned int)
__QUERN_MATCH(long)
__QUERN_MATCH(unsigned long)
__QUERN_MATCH(long long)
__QUERN_MATCH(unsigned long long)
__QUERN_MATCH(float)
__QUERN_MATCH(double)

#define __QUERN_REDUCE(T, name, identity, step)         \
  __QUERN_DEVICE T name(unsigned int mask, T value) {   \
    T* values = static_cast<T*>(__quern_warp_buffer()); \
    values[__quern_lane()] = value;                     \
    __quern_warp_barrier(mask);                         \
    unsigned int lanes = mask & __quern_lanes();        \
    T a = identity;                                     \
    for (int i = 0; i < 32; ++i) {                      \
      T b = values[i];                                  \
      if ((lanes >> i) & 1) a = step;                   \
    }                                                   \
    __quern_warp_barrier(mask);                         \
    return a;                                           \
  }
__QUERN_REDUCE(int, __reduce_add_sync, 0, static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b)))
__QUERN_REDUCE(unsigned int, __reduce_add_sync, 0, a + b)
__QUERN_REDUCE(int, __reduce_min_sync, 0x7fffffff, b < a ? b : a)
__QUERN_REDUCE(unsigned int, __reduce_min_sync, 0xffffffffu, b < a ? b : a)
__QUERN_REDUCE(int, __reduce_max_sync, -0x7fffffff - 1, b > a ? b : a)
__QUERN_REDUCE(unsigned int, __reduce_max_sync, 0, b > a ? b : a)
__QUERN_REDUCE(unsigned int, __reduce_and_sync, 0xffffffffu, a& b)
__QUERN_REDUCE(unsigned int, __reduce_or_sync, 0, a | b)
__QUERN_REDUCE(unsigned int, __reduce_xor_sync, 0, a ^ b)

#undef __QUERN_REDUCE
#undef __QUERN_MATCH
#undef __QUERN_SHUFFLES
