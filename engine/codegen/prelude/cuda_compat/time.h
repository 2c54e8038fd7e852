// clock() is built in; NVRTC has no other names of this header.
#pragma once
#define TIME_UTC 1
typedef long time_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
