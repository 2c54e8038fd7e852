// Looking again and again at what another thread is about to change: shorter than falling asleep and being woken.
#pragma once

#include <immintrin.h>
#include <sched.h>

namespace quern {

// Looks up to `turns` times, while `goes_on()`. Now and then it lets other threads of this core run: where all cores are taken,
// one of them may be the one that is waited for, and would stand still for as long as this looks.
template <class F>
void spin_while(int turns, F goes_on) {
  constexpr int between = 64;
  for (int i = 1; i <= turns && goes_on(); ++i) {
    _mm_pause();
    if (i % between == 0) sched_yield();
  }
}

}  // namespace quern
