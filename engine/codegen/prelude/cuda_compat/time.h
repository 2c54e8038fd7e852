// clock() is built in; NVRTC has no other names of this header, and libcu++ defines them for it.
#pragma once
#ifdef __clang__
#define TIME_UTC 1
typedef long time_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
#endif
