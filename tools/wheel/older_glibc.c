// What objects that were compiled beside a newer glibc call and glibc 2.28 does not have, so that a wheel runs beside 2.28 (see
// tools/build_wheel.py). Linked into each library with hidden names; in terms of what 2.28 has.
//
// Not here are functions that only moved or got another version: exp, dlopen, pthread_once and others are linked against the
// version that 2.28 has.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

// 2.32. libstdc++ takes the locked way of counting references when it is 0.
HIDDEN char __libc_single_threaded = 0;

// 2.33. Before, the headers called these with the structure's version.
int __xstat(int version, const char* path, struct stat* out);
int __lxstat(int version, const char* path, struct stat* out);
int __fxstat(int version, int file, struct stat* out);
int __fxstatat(int version, int folder, const char* path, struct stat* out, int flags);
enum { stat_version = 1 };  // of x86-64
HIDDEN int stat(const char* path, struct stat* out) { return __xstat(stat_version, path, out); }
HIDDEN int lstat(const char* path, struct stat* out) { return __lxstat(stat_version, path, out); }
HIDDEN int fstat(int file, struct stat* out) { return __fxstat(stat_version, file, out); }
HIDDEN int fstatat(int folder, const char* path, struct stat* out, int flags) {
  return __fxstatat(stat_version, folder, path, out, flags);
}
// On x86-64 the 64-bit versions are the same functions.
int stat64(const char* path, struct stat64* out) __attribute__((alias("stat"), visibility("hidden")));
int lstat64(const char* path, struct stat64* out) __attribute__((alias("lstat"), visibility("hidden")));
int fstat64(int file, struct stat64* out) __attribute__((alias("fstat"), visibility("hidden")));
int fstatat64(int folder, const char* path, struct stat64* out, int flags) __attribute__((alias("fstatat"), visibility("hidden")));

// 2.33. The old one counts up to 2 GiB; LLVM prints what it says.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
HIDDEN struct mallinfo2 mallinfo2(void) {
  struct mallinfo old = mallinfo();
  struct mallinfo2 out = {(unsigned)old.arena,    (unsigned)old.ordblks,  (unsigned)old.smblks,   (unsigned)old.hblks,
                          (unsigned)old.hblkhd,   (unsigned)old.usmblks,  (unsigned)old.fsmblks,  (unsigned)old.uordblks,
                          (unsigned)old.fordblks, (unsigned)old.keepcost};
  return out;
}

// 2.30. A condition variable waits by the clock it was made with, which is the real-time one in all of C++.
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  struct timespec now, there, end;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &there);
  end.tv_sec = there.tv_sec + (until->tv_sec - now.tv_sec);
  end.tv_nsec = there.tv_nsec + (until->tv_nsec - now.tv_nsec);
  for (; end.tv_nsec < 0; end.tv_nsec += 1000000000) --end.tv_sec;
  for (; end.tv_nsec >= 1000000000; end.tv_nsec -= 1000000000) ++end.tv_sec;
  return pthread_cond_timedwait(condition, mutex, &end);
}

// 2.36.
HIDDEN unsigned arc4random(void) {
  unsigned out;
  while (getrandom(&out, sizeof out, 0) != sizeof out) {
  }
  return out;
}
