// See guard.h. Signals are shared with the rest of the process (the CPU device catches faults of kernels, Python may run its
// faulthandler), so the handlers installed here look first whether the fault is the compiler's, and pass it on unchanged if not.
#include "compile/clang/guard.h"

#include <clang/Basic/Stack.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

namespace quern::plugin {
namespace {

constexpr unsigned stack_bytes = 64u << 20;  // address space only; deep templates need some of it
constexpr size_t signal_stack_bytes = 64u << 10;
constexpr std::array crash_signals = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};

struct sigaction others[NSIG];  // who handled a signal before us
struct sigaction llvms[NSIG];   // LLVM's handler, which jumps back to the crash recovery context
thread_local std::string fatal_text;
std::atomic<int> running{0};  // compiles

void pass_on(int number, siginfo_t* info, void* context) {
  const struct sigaction& other = others[number];
  if (other.sa_flags & SA_SIGINFO) {
    other.sa_sigaction(number, info, context);
  } else if (other.sa_handler == SIG_DFL) {
    signal(number, SIG_DFL);
    raise(number);  // a fault would recur by itself, but an abort would not
  } else if (other.sa_handler != SIG_IGN) {
    other.sa_handler(number);
  }
}

// Asking LLVM may allocate memory, which ends nowhere when an allocation is what failed: not where it cannot be ours.
void on_signal(int number, siginfo_t* info, void* context) {
  if (running.load() > 0 && llvm::CrashRecoveryContext::GetCurrent()) llvms[number].sa_handler(number);
  pass_on(number, info, context);
}

void on_fatal_error(void*, const char* reason, bool) {
  fatal_text = reason;
  if (auto* current = llvm::CrashRecoveryContext::GetCurrent()) current->HandleExit(1);
}

void install_handlers() {
  for (int number : crash_signals) sigaction(number, nullptr, &others[number]);
  llvm::CrashRecoveryContext::Enable();
  for (int number : crash_signals) {
    struct sigaction ours = {};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    sigaction(number, &ours, &llvms[number]);
  }
  llvm::install_fatal_error_handler(on_fatal_error);
}

}  // namespace

std::string run_guarded(const std::function<void()>& work) {
  static std::once_flag once;
  std::call_once(once, install_handlers);

  struct Running {
    Running() { ++running; }
    ~Running() { --running; }
  } counted;
  std::string error;
  std::string fatal;
  std::vector<char> signal_stack(signal_stack_bytes);
  auto body = [&] {
    stack_t alternate = {};
    alternate.ss_sp = signal_stack.data();
    alternate.ss_size = signal_stack.size();
    sigaltstack(&alternate, nullptr);
    clang::noteBottomOfStack();
    llvm::CrashRecoveryContext inner;
    bool finished = inner.RunSafely([&] {
      try {
        work();
      } catch (const std::exception& exception) {
        error = exception.what();
        if (error.empty()) error = "[compile] failed without a message";
      }
    });
    if (!finished) {
      fatal = fatal_text.empty() ? "it crashed (code " + std::to_string(inner.RetCode) + ")" : fatal_text;
    }
  };
  llvm::CrashRecoveryContext outer;
  outer.RunSafelyOnThread(body, stack_bytes);
  if (!fatal.empty()) {
    return "[compile] the CPU compiler failed inside: " + fatal + "; please report this kernel as a bug of quern";
  }
  return error;
}

}  // namespace quern::plugin
