// Sites: (code object, instruction) of the first frame outside our package, interned to a number. Turned into file and line only
// when printed; no frame is ever held.
#include "core/site.h"
#include "core/site_pairs.h"
#include "core/trace.h"

#include "bindings/objects.h"
#include "core/wait.h"
#include "device/check/checker.h"
#include "run/context.h"
#include "run/interrupt.h"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// Where the interpreter's own frames can be read: PyEval_GetFrame() makes an object of each, which costs as much as a short
// operation.
#if PY_VERSION_HEX >= 0x030C0000
#define QUERN_INTERPRETER_FRAME 1
#elif PY_VERSION_HEX >= 0x030B0000
#define QUERN_INTERPRETER_FRAME 1
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#endif

namespace quern::python {

namespace {

struct CallSite {
  PyCodeObject* code;  // owned by the table
  int instruction;
};

struct CallSiteHash {
  size_t operator()(const std::pair<PyCodeObject*, int>& p) const {
    return reinterpret_cast<size_t>(p.first) / 16 * 31 + static_cast<size_t>(p.second);
  }
};

constexpr size_t most_sites = 1 << 20;  // programs that exec without end must not keep their code for ever
std::mutex table_lock;
std::vector<CallSite> places{{nullptr, 0}};
std::unordered_map<std::pair<PyCodeObject*, int>, Site, CallSiteHash> numbers;
std::string package_folder;  // ends in a slash
// While these are set, work that installed packages ask for is their callers': the beginnings of their files' names.
std::vector<std::string> library_folders;
std::atomic<uint32_t> folders_set{0};  // how often: what the threads keep is of one setting

struct CacheSlot {
  PyCodeObject* code;
  int instruction;
  Site site;
  uint32_t folders_set;
};
thread_local CacheSlot recent[1024];
thread_local Site site_left = no_site;  // where this thread gave Python's lock up, while there is a trace or a check

// Code of our package that was met: it is never let go of, so its address means it alone.
thread_local std::array<PyCodeObject*, 1024> known_own{};
std::unordered_set<PyCodeObject*> own;

void remember_own(PyCodeObject* code, PyCodeObject*& slot) {
  std::lock_guard hold(table_lock);
  if (own.size() >= most_sites) return;
  if (own.insert(code).second) Py_INCREF(code);
  slot = code;
}

bool in_package(PyCodeObject* code) {
  PyCodeObject*& slot = known_own[reinterpret_cast<size_t>(code) / 16 % known_own.size()];
  if (slot == code) return true;
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (!file) {
    PyErr_Clear();
    return false;
  }
  if (package_folder.empty() || !std::string_view(file).starts_with(package_folder)) return false;
  remember_own(code, slot);
  return true;
}

bool in_library(PyCodeObject* code) {
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (!file) {
    PyErr_Clear();
    return false;
  }
  std::string_view name = file;
  return std::any_of(library_folders.begin(), library_folders.end(),
                     [&](const std::string& folder) { return name.starts_with(folder); });
}

Site intern(PyCodeObject* code, int instruction) {
  std::lock_guard hold(table_lock);
  auto [found, is_new] = numbers.try_emplace({code, instruction}, no_site);
  if (!is_new) return found->second;
  if (places.size() >= most_sites) {
    numbers.erase(found);
    return no_site;
  }
  Py_INCREF(code);
  places.push_back({code, instruction});
  return found->second = static_cast<Site>(places.size() - 1);
}

// The rare way: the current frame is ours or a library's; walk out of them. Where there is nothing outside of libraries, the
// innermost frame of theirs counts.
Site outer_site() {
  Site site = no_site;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    bool is_own = in_package(code), is_library = !is_own && in_library(code), ours = is_own || is_library;
    if (!ours || (is_library && site == no_site)) {
#if PY_VERSION_HEX >= 0x030B0000
      int instruction = PyFrame_GetLasti(frame);
#else
      int instruction = frame->f_lasti * 2;
#endif
      site = intern(code, instruction);
    }
    Py_DECREF(code);
    PyFrameObject* back = ours ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = back;
  }
  return site;
}

Site current() {
  if (!PyGILState_Check()) return site_left;
  PyCodeObject* code;
  int instruction;
#ifdef QUERN_INTERPRETER_FRAME
  PyThreadState* state = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030D0000
  auto* frame = state->current_frame;
#else
  auto* frame = state->cframe->current_frame;
#endif
#if PY_VERSION_HEX >= 0x030C0000
  if (!frame) return no_site;
  code = reinterpret_cast<PyCodeObject*>(PyUnstable_InterpreterFrame_GetCode(frame));
  instruction = PyUnstable_InterpreterFrame_GetLasti(frame);
#else
  while (frame && _PyFrame_IsIncomplete(frame)) frame = frame->previous;
  if (!frame) return no_site;
  code = frame->f_code;
  Py_INCREF(code);
  instruction = _PyInterpreterFrame_LASTI(frame) * static_cast<int>(sizeof(_Py_CODEUNIT));
#endif
#else
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame) return no_site;
  code = PyFrame_GetCode(frame);
#if PY_VERSION_HEX >= 0x030B0000
  instruction = PyFrame_GetLasti(frame);
#else
  instruction = frame->f_lasti * 2;
#endif
#endif
  CacheSlot& slot = recent[(reinterpret_cast<size_t>(code) / 16 + static_cast<size_t>(instruction)) % 1024];
  uint32_t now = folders_set.load(std::memory_order_relaxed);
  if (slot.code != code || slot.instruction != instruction || slot.folders_set != now) {
    // A code object in the table is never freed, so its address means it alone; one of ours is not kept here.
    if (!PyCode_Check(code) || in_package(code) || in_library(code)) {
      Py_DECREF(code);
      return outer_site();
    }
    slot = {code, instruction, intern(code, instruction), now};
    if (slot.site == no_site) slot.code = nullptr;
  }
  Py_DECREF(code);
  return slot.site;
}

std::string describe(Site site) {
  if (!Py_IsInitialized()) return "";
  TakeGil hold;
  CallSite place;
  {
    std::lock_guard lock(table_lock);
    if (site >= places.size()) return "";
    place = places[site];
  }
  const char* file = PyUnicode_AsUTF8(place.code->co_filename);
  int line = PyCode_Addr2Line(place.code, place.instruction);
  if (!file) PyErr_Clear();
  return std::string(file ? file : "?") + ":" + std::to_string(line);
}

}  // namespace

namespace {
std::atomic<bool> exiting{false};
std::thread::id exit_thread;
}  // namespace

namespace {

pthread_t main_thread;  // Python's: handlers of signals run there

void handle_signals() {
  TakeGil hold;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void ReleaseGil::begin_exit() {
  exit_thread = std::this_thread::get_id();
  exiting = true;
}

namespace {

std::atomic<int> without_gil{0};  // threads that are in the engine meanwhile

// Before the libraries' destructors run: threads that were in the engine come back, and sleep.
void wait_for_threads() {
  for (int ms = 0; without_gil > 0; ++ms) {
    if (ms == 200) return end_at_once();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

PyThreadState* ReleaseGil::give_up() {
  ++without_gil;
  site_left = tracing() || check::on() ? current() : no_site;
  return PyEval_SaveThread();
}

namespace {

// Until the process ends: for threads that the interpreter has no use for any more.
[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

// Python ends a thread that asks for its lock too late by unwinding its stack. Frames of C++ that cannot be left that way would
// end the process, so the thread stays here.
template <class Take>
auto taken_unless_over(const Take& take) {
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    sleep_for_ever();
  }
}

}  // namespace

void ReleaseGil::take_back(PyThreadState* state) {
  --without_gil;
  const bool is_last = std::this_thread::get_id() == exit_thread;
  if (exiting && !is_last) sleep_for_ever();
#if PY_VERSION_HEX >= 0x030D0000
  bool over = Py_IsFinalizing();
#else
  bool over = _Py_IsFinalizing();
#endif
  if (over && !is_last) sleep_for_ever();  // the thread that ends the interpreter still frees objects of ours
  taken_unless_over([&] { PyEval_RestoreThread(state); });
  site_left = no_site;  // who gives the lock up by himself is somewhere else
}

TakeGil::TakeGil() : state_(taken_unless_over([] { return PyGILState_Ensure(); })) {}

void init_sites(nb::module_& m) {
  set_site_hooks({current, describe});
  set_wait_hooks({[]() -> void* { return PyGILState_Check() ? ReleaseGil::give_up() : nullptr; },
                  [](void* state) {
                    if (state) ReleaseGil::take_back(static_cast<PyThreadState*>(state));
                  },
                  [] { return pthread_equal(pthread_self(), main_thread) && Py_IsInitialized(); }, handle_signals});
  main_thread =
      reinterpret_cast<pthread_t>(nb::cast<uintptr_t>(nb::module_::import_("threading").attr("main_thread")().attr("ident")));
  pthread_atfork(nullptr, nullptr, [] { main_thread = pthread_self(); });
  install_interrupts();
  // Objects that are left may still be computed with while the interpreter ends; behind that nobody asks it for anything.
  Py_AtExit([] {
    set_wait_hooks({});
    set_site_hooks({});
    // Registered last, this runs before what the driver and other libraries have at the process's end.
    std::atexit([] {
      wait_for_threads();
      shut_down();
    });
  });
  m.def("set_library_folders", [](std::vector<std::string> folders) {
    library_folders = std::move(folders);
    ++folders_set;
  });
  m.def("describe_site", [](Site site) { return describe_site(site); });
  // The line that the work is for, and the line that requested it; None: they are the same.
  m.def("site_pair", [](Site site) -> nb::object {
    auto pair = pair_of(site);
    return pair ? nb::object(nb::make_tuple(pair->of, pair->asked_by)) : nb::none();
  });
  // The code object and the offset of the instruction in it; None for what is no place of a Python program.
  m.def("site_code", [](Site site) -> nb::object {
    CallSite place{nullptr, 0};
    {
      std::lock_guard lock(table_lock);
      if (site < places.size()) place = places[site];
    }
    if (!place.code) return nb::none();
    return nb::make_tuple(nb::borrow(reinterpret_cast<PyObject*>(place.code)), place.instruction);
  });
  m.def("set_package_folder", [](const std::string& folder) { package_folder = folder; });
}

}  // namespace quern::python
