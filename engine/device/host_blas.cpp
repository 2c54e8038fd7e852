#include "device/host_blas.h"

#include "core/error.h"
#include "core/log.h"
#include "device/own_blas.h"

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
  bool is_python = false;  // which named the folders
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

// The libraries of NumPy and of scipy-openblas64 in a folder of packages.
void add_packages(std::vector<std::string>& out, const fs::path& packages) {
  for (const char* name : {"numpy.libs", "scipy_openblas64/lib"}) {
    std::error_code none;
    if (fs::is_directory(packages / name, none)) out.push_back(packages / name);
  }
}

// Those of an environment of Python's.
void add_environment(std::vector<std::string>& out, const fs::path& environment) {
  std::error_code none;
  for (const fs::directory_entry& version : fs::directory_iterator(environment / "lib", none))
    if (version.path().filename().string().starts_with("python")) add_packages(out, version.path() / "site-packages");
}

// Where Python would look, for programs without it: in the environment that this library lies in or beside, then in the active
// one.
std::vector<std::string> folders_without_python() {
  std::vector<std::string> out;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&host_blas_path), &info) && info.dli_fname) {
    std::error_code none;
    fs::path folder = fs::weakly_canonical(info.dli_fname, none).parent_path();
    for (int up = 0; up < 5 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
      add_packages(out, folder);
      add_environment(out, folder / ".venv");
    }
  }
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* environment = std::getenv(name)) add_environment(out, environment);
  return out;
}

const char* what_helps(const State& s) {
  return s.is_python ? "NumPy from PyPI carries one, and pip install scipy-openblas64 brings one"
                     : "install libopenblas64 (Debian and Ubuntu: libopenblas64-0), or name a library's file by QUERN_BLAS";
}

void look(State& s) {
  if (s.looked) return;
  s.looked = true;
  const char* wish = std::getenv("QUERN_BLAS");
  if (wish && std::string(wish) == "own") return;
  if (wish) {
    if (use(s, wish)) return;
    s.looked = false;
    raise(ErrorKind::runtime, "[blas] QUERN_BLAS is '{}', which is not an OpenBLAS with 64-bit integers", wish);
  }
  for (const std::string& folder : s.is_python ? s.folders : folders_without_python()) {
    std::error_code none;
    for (const fs::directory_entry& file : fs::directory_iterator(folder, none)) {
      std::string name = file.path().filename();
      if (name.find("openblas64") != std::string::npos && name.find(".so") != std::string::npos && use(s, file.path())) return;
    }
  }
  for (const char* name : {"libopenblas64.so.0", "libopenblas64_.so.0"})
    if (use(s, name)) return;
  log_text(formatted("no OpenBLAS with 64-bit integers was found, so that products of matrices are slower: {}", what_helps(s)));
}

}  // namespace

void set_host_blas_folders(std::vector<std::string> folders) {
  std::lock_guard hold(state().mutex);
  state().folders = std::move(folders);
  state().is_python = true;
}

void* host_blas(const char* name) {
  State& s = state();
  std::lock_guard hold(s.mutex);
  look(s);
  if (!s.handle) {
    if (void* own = own_blas(name)) return own;
    raise(ErrorKind::runtime, "[blas] {} needs an OpenBLAS with 64-bit integers, and none was found: {}", name, what_helps(s));
  }
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

bool has_host_blas() {
  State& s = state();
  std::lock_guard hold(s.mutex);
  look(s);
  return s.handle != nullptr;
}

std::string host_blas_path() {
  State& s = state();
  std::lock_guard hold(s.mutex);
  look(s);
  return s.path;
}

}  // namespace quern
