#include "device/last_words.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_set>

#include "core/user_command.h"

namespace quern {

namespace {

std::atomic<const char*> last{nullptr};
const char* advice = "";  // what the line ends with; made before the handler is installed

// Only what may be called within a signal's handler.
void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

void on_death(int signal, siginfo_t* info, void*) {
  // A signal that another process sent is not the kernel's doing.
  const bool is_ours = info->si_code > 0 || info->si_pid == getpid();
  const char* name = last.load(std::memory_order_relaxed);
  if (name && is_ours) {
    say("quern: the process ends by ");
    say(signal == SIGABRT ? "SIGABRT" : signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
    say("; the kernel that ran last on the CPU is '");
    say(name);
    say(advice);
  }
  ::signal(signal, SIG_DFL);
  if (info->si_code <= 0) ::raise(signal);  // else returning repeats the fault
}

}  // namespace

void install_last_words() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Never freed: the handler may run while statics die.
    advice = (new std::string("': run " + user_command("check FILE") + " to find the access\n"))->c_str();
    for (int signal : {SIGSEGV, SIGBUS, SIGABRT}) {
      struct sigaction current = {};
      if (sigaction(signal, nullptr, &current) != 0 || (current.sa_flags & SA_SIGINFO) || current.sa_handler != SIG_DFL) continue;
      struct sigaction ours = {};
      ours.sa_sigaction = on_death;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigemptyset(&ours.sa_mask);
      sigaction(signal, &ours, nullptr);
    }
  });
}

const char* kept_for_last_words(const std::string& name) {
  static std::mutex lock;
  static auto* names = new std::unordered_set<std::string>;  // never freed: the handler may run while statics die
  std::lock_guard hold(lock);
  return names->insert(name).first->c_str();
}

void ran_last(const char* kept) { last.store(kept, std::memory_order_relaxed); }

}  // namespace quern
