#include "device/host_blas.h"

#include "core/error.h"
#include "core/log.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace quern {

namespace {

namespace fs = std::filesystem;

struct State {
  std::mutex mutex;
  std::vector<std::string> folders;
  bool looked = false;
  void* handle = nullptr;
  std::string path, prefix, suffix;
  std::map<std::string, void*> known;
};

State& state() {
  static State* s = new State;
  return *s;
}

// SciPy's builds put a prefix and a suffix around every name, Debian's only the suffix.
bool use(State& s, const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  for (const char* prefix : {"scipy_", ""}) {
    if (!dlsym(handle, (prefix + std::string("cblas_sgemm64_")).c_str())) continue;
    s.handle = handle;
    s.path = path;
    s.prefix = prefix;
    s.suffix = "64_";
    log(LogLevel::compiles, "blas: {}", path);
    return true;
  }
  dlclose(handle);
  return false;
}

void look(State& s) {
  if (s.looked) return;
  s.looked = true;
  if (const char* wish = std::getenv("QUERN_BLAS")) {
    if (use(s, wish)) return;
    raise(ErrorKind::runtime, "[blas] QUERN_BLAS is '{}', which is no OpenBLAS with 64-bit integers", wish);
  }
  for (const std::string& folder : s.folders) {
    std::error_code none;
    for (const fs::directory_entry& file : fs::directory_iterator(folder, none)) {
      std::string name = file.path().filename();
      if (name.find("openblas64") != std::string::npos && name.find(".so") != std::string::npos && use(s, file.path())) return;
    }
  }
  for (const char* name : {"libopenblas64.so.0", "libopenblas64_.so.0"})
    if (use(s, name)) return;
}

}  // namespace

void set_host_blas_folders(std::vector<std::string> folders) {
  std::lock_guard hold(state().mutex);
  state().folders = std::move(folders);
}

void* host_blas(const char* name) {
  State& s = state();
  std::lock_guard hold(s.mutex);
  look(s);
  if (!s.handle)
    raise(ErrorKind::runtime,
          "[blas] no OpenBLAS with 64-bit integers was found (NumPy from PyPI carries one); pip install scipy-openblas64 brings "
          "it");
  void*& found = s.known[name];
  if (!found) found = dlsym(s.handle, (s.prefix + name + s.suffix).c_str());
  if (!found) raise(ErrorKind::runtime, "[blas] {} has no {}", s.path, name);
  return found;
}

namespace {
std::mutex one_thread_lock;
int one_thread_users = 0, threads_before = 0;
}  // namespace

OneBlasThread::OneBlasThread() {
  static auto* get = host_blas_as<int()>("openblas_get_num_threads");
  static auto* set = host_blas_as<void(int)>("openblas_set_num_threads");
  std::lock_guard hold(one_thread_lock);
  if (one_thread_users++ > 0) return;
  threads_before = get();
  if (threads_before > 1) set(1);
}

OneBlasThread::~OneBlasThread() {
  static auto* set = host_blas_as<void(int)>("openblas_set_num_threads");
  std::lock_guard hold(one_thread_lock);
  if (--one_thread_users == 0 && threads_before > 1) set(threads_before);
}

std::string host_blas_path() {
  State& s = state();
  std::lock_guard hold(s.mutex);
  look(s);
  return s.path;
}

}  // namespace quern
