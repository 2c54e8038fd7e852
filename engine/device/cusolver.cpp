#include "device/cusolver.h"

#include <dlfcn.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include "core/error.h"
#include "core/nvidia_libraries.h"

namespace quern {

namespace {

using Status = int;
struct Opaque;
using Handle = Opaque*;
using Size = size_t;

enum : int { no_vectors = 0, with_vectors = 1, lower_triangle = 0, upper_triangle = 1, plain = 0 };
enum : int { execution_failed = 6, internal_error = 7 };

// Every symbol used. What an older version lacks stays null.
struct Library {
  Status (*create)(Handle*);
  Status (*set_stream)(Handle, void* stream);
  Status (*create_params)(Handle*);
  Status (*getrf_size)(Handle, Handle params, int64_t m, int64_t n, int type, const void* a, int64_t step, int compute,
                       Size* on_device, Size* on_host);
  Status (*getrf)(Handle, Handle params, int64_t m, int64_t n, int type, void* a, int64_t step, int64_t* pivots, int compute,
                  void* on_device, Size device_size, void* on_host, Size host_size, int* info);
  Status (*getrs)(Handle, Handle params, int transposed, int64_t n, int64_t k, int type, const void* a, int64_t a_step,
                  const int64_t* pivots, int b_type, void* b, int64_t b_step, int* info);
  Status (*potrf_size)(Handle, Handle params, int triangle, int64_t n, int type, const void* a, int64_t step, int compute,
                       Size* on_device, Size* on_host);
  Status (*potrf)(Handle, Handle params, int triangle, int64_t n, int type, void* a, int64_t step, int compute, void* on_device,
                  Size device_size, void* on_host, Size host_size, int* info);
  // One for each type, S, D, C, Z.
  Status (*potrf_batched[4])(Handle, int triangle, int n, void** a, int step, int* info, int count);
  Status (*geqrf_size)(Handle, Handle params, int64_t m, int64_t n, int type, const void* a, int64_t step, int tau_type,
                       const void* tau, int compute, Size* on_device, Size* on_host);
  Status (*geqrf)(Handle, Handle params, int64_t m, int64_t n, int type, void* a, int64_t step, int tau_type, void* tau,
                  int compute, void* on_device, Size device_size, void* on_host, Size host_size, int* info);
  // One for each type.
  Status (*orgqr_size[4])(Handle, int m, int n, int k, const void* a, int step, const void* tau, int* elements);
  Status (*orgqr[4])(Handle, int m, int n, int k, void* a, int step, const void* tau, void* work, int elements, int* info);
  Status (*syevd_size)(Handle, Handle params, int vectors, int triangle, int64_t n, int type, const void* a, int64_t step,
                       int values_type, const void* values, int compute, Size* on_device, Size* on_host);
  Status (*syevd)(Handle, Handle params, int vectors, int triangle, int64_t n, int type, void* a, int64_t step, int values_type,
                  void* values, int compute, void* on_device, Size device_size, void* on_host, Size host_size, int* info);
  // The same with the number of matrices at the end (CUDA 12.6).
  Status (*syev_batched_size)(Handle, Handle params, int vectors, int triangle, int64_t n, int type, const void* a, int64_t step,
                              int values_type, const void* values, int compute, Size* on_device, Size* on_host, int64_t count);
  Status (*syev_batched)(Handle, Handle params, int vectors, int triangle, int64_t n, int type, void* a, int64_t step,
                         int values_type, void* values, int compute, void* on_device, Size device_size, void* on_host,
                         Size host_size, int* info, int64_t count);
  Status (*gesvd_size)(Handle, Handle params, signed char u_job, signed char vt_job, int64_t m, int64_t n, int type,
                       const void* a, int64_t step, int values_type, const void* values, int u_type, const void* u,
                       int64_t u_step, int vt_type, const void* vt, int64_t vt_step, int compute, Size* on_device, Size* on_host);
  Status (*gesvd)(Handle, Handle params, signed char u_job, signed char vt_job, int64_t m, int64_t n, int type, void* a,
                  int64_t step, int values_type, void* values, int u_type, void* u, int64_t u_step, int vt_type, void* vt,
                  int64_t vt_step, int compute, void* on_device, Size device_size, void* on_host, Size host_size, int* info);
  // By Jacobi's method, of up to 32 rows. One for each type.
  Status (*create_jacobi)(Handle*);
  Status (*gesvdj_size[4])(Handle, int vectors, int m, int n, const void* a, int a_step, const void* values, const void* u,
                           int u_step, const void* v, int v_step, int* elements, Handle jacobi, int count);
  Status (*gesvdj[4])(Handle, int vectors, int m, int n, void* a, int a_step, void* values, void* u, int u_step, void* v,
                      int v_step, void* work, int elements, int* info, Handle jacobi, int count);
  // CUDA 12.8
  Status (*geev_size)(Handle, Handle params, int left, int right, int64_t n, int type, const void* a, int64_t step,
                      int values_type, const void* values, int left_type, const void* left_vectors, int64_t left_step,
                      int right_type, const void* right_vectors, int64_t right_step, int compute, Size* on_device, Size* on_host);
  Status (*geev)(Handle, Handle params, int left, int right, int64_t n, int type, void* a, int64_t step, int values_type,
                 void* values, int left_type, void* left_vectors, int64_t left_step, int right_type, void* right_vectors,
                 int64_t right_step, int compute, void* on_device, Size device_size, void* on_host, Size host_size, int* info);
};

const char* const orgqr_names[4] = {"Sorgqr", "Dorgqr", "Cungqr", "Zungqr"};

// Null where there is none.
const Library* library() {
  static const Library* loaded = []() -> const Library* {
    void* handle = open_nvidia_library_if_any("cusolver");
    if (!handle) return nullptr;
    auto* l = new Library{};
    auto get = [&](auto& function, const std::string& name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, ("cusolverDn" + name).c_str()));
    };
    get(l->create, "Create");
    get(l->set_stream, "SetStream");
    get(l->create_params, "CreateParams");
    get(l->getrf_size, "Xgetrf_bufferSize");
    get(l->getrf, "Xgetrf");
    get(l->getrs, "Xgetrs");
    get(l->potrf_size, "Xpotrf_bufferSize");
    get(l->potrf, "Xpotrf");
    get(l->geqrf_size, "Xgeqrf_bufferSize");
    get(l->geqrf, "Xgeqrf");
    for (int i = 0; i < 4; ++i) {
      get(l->orgqr_size[i], std::string(orgqr_names[i]) + "_bufferSize");
      get(l->orgqr[i], orgqr_names[i]);
      std::string letter(1, orgqr_names[i][0]);
      get(l->potrf_batched[i], letter + "potrfBatched");
      get(l->gesvdj_size[i], letter + "gesvdjBatched_bufferSize");
      get(l->gesvdj[i], letter + "gesvdjBatched");
    }
    get(l->syevd_size, "Xsyevd_bufferSize");
    get(l->syevd, "Xsyevd");
    get(l->syev_batched_size, "XsyevBatched_bufferSize");
    get(l->syev_batched, "XsyevBatched");
    get(l->gesvd_size, "Xgesvd_bufferSize");
    get(l->gesvd, "Xgesvd");
    get(l->create_jacobi, "CreateGesvdjInfo");
    get(l->geev_size, "Xgeev_bufferSize");
    get(l->geev, "Xgeev");
    return l;
  }();
  return loaded;
}

void check(Status status, const char* call) {
  if (status) raise(ErrorKind::runtime, "[linalg] cusolverDn{} failed with cuSOLVER status {}", call, status);
}

struct Types {
  int data, real, complex;  // cudaDataType
  int letter;               // S, D, C, Z
  size_t bytes, real_bytes;
};
Types types_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return {0, 0, 4, 0, 4, 4};
    case DType::float64:
      return {1, 1, 5, 1, 8, 8};
    case DType::complex64:
      return {4, 0, 4, 2, 8, 4};
    case DType::complex128:
      return {5, 1, 5, 3, 16, 8};
    default:
      bug("a factorisation of {} by cuSOLVER", row(dtype).name);
  }
}

// The library with the lock held, the device in use, a handle on the stream.
class Session {
 public:
  explicit Session(const SolverCall& call) : lib(*library()), types(types_of(call.dtype)), call_(call), hold_(all_lock()) {
    use_ = call.device.use();
    static auto* all = new std::map<std::pair<int, uintptr_t>, std::pair<Handle, Handle>>;
    auto& [handle_of, params_of] = (*all)[{call.device.index, call.stream.native()}];
    if (!handle_of) {
      Handle made = nullptr;
      check(lib.create(&made), "Create");
      check(lib.set_stream(made, reinterpret_cast<void*>(call.stream.native())), "SetStream");
      check(lib.create_params(&params_of), "CreateParams");
      handle_of = made;
    }
    handle = handle_of;
    params = params_of;
  }

  // work(i, device memory, its size, host memory, its size) for i in [0, count): the library may use the host's until the stream
  // is there, so each call gets its own, kept until then.
  // False: the library gave up on a matrix.
  template <class Query, class Work>
  bool run(const char* name, int64_t count, Query query, Work work) {
    Size on_device = 0, on_host = 0;
    check(query(&on_device, &on_host), name);
    void* room = call_.workspace(on_device);
    std::unique_ptr<char[]> host;
    if (on_host) host.reset(new char[on_host * static_cast<size_t>(count)]);
    bool is_done = true;
    for (int64_t i = 0; i < count; ++i) {
      Status status = work(i, room, on_device, on_host ? host.get() + on_host * static_cast<size_t>(i) : nullptr, on_host);
      bool gave_up = status == execution_failed || status == internal_error;
      if (!gave_up) check(status, name);
      is_done &= !gave_up;
    }
    if (host) keep(std::move(host));
    return is_done;
  }

  const Library& lib;
  Types types;
  Handle handle = nullptr, params = nullptr;

 private:
  struct Kept {
    std::unique_ptr<Event> done;
    std::unique_ptr<char[]> memory;
  };

  static std::mutex& all_lock() {
    static auto* lock = new std::mutex;
    return *lock;
  }

  void keep(std::unique_ptr<char[]> memory) {
    static auto* all = new std::map<std::pair<int, uintptr_t>, std::deque<Kept>>;
    std::deque<Kept>& kept = (*all)[{call_.device.index, call_.stream.native()}];
    while (!kept.empty() && kept.front().done->done()) kept.pop_front();
    EventOptions options;
    options.timing = false;
    Kept more{call_.device.create_event(options), std::move(memory)};
    more.done->record(call_.stream);
    kept.push_back(std::move(more));
  }

  const SolverCall& call_;
  std::lock_guard<std::mutex> hold_;
  std::shared_ptr<void> use_;
};

template <class T>
T* moved(T* data, int64_t i, int64_t elements, size_t bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return data ? reinterpret_cast<Byte*>(data) + static_cast<size_t>(i * elements) * bytes : nullptr;
}

}  // namespace

bool has_cusolver(Solver solver) {
  const Library* l = library();
  if (!l || !l->create || !l->set_stream || !l->create_params) return false;
  switch (solver) {
    case Solver::lu:
      return l->getrf_size && l->getrf && l->getrs;
    case Solver::cholesky:
      return l->potrf_size && l->potrf;
    case Solver::qr:
      for (int i = 0; i < 4; ++i) {
        if (!l->orgqr_size[i] || !l->orgqr[i]) return false;
      }
      return l->geqrf_size && l->geqrf;
    case Solver::eigh:
      return l->syevd_size && l->syevd;
    case Solver::svd:
      return l->gesvd_size && l->gesvd;
    case Solver::eig:
      return l->geev_size && l->geev;
  }
  return false;
}

void lu_on_gpu(const SolverCall& call, int64_t n, void* a, int64_t* pivots, int* info) {
  Session s(call);
  int type = s.types.data;
  bool is_done = s.run(
      "Xgetrf", call.count,
      [&](Size* on_device, Size* on_host) {
        return s.lib.getrf_size(s.handle, s.params, n, n, type, a, n, type, on_device, on_host);
      },
      [&](int64_t i, void* room, Size size, void* host, Size host_size) {
        return s.lib.getrf(s.handle, s.params, n, n, type, moved(a, i, n * n, s.types.bytes), n, pivots + i * n, type, room, size,
                           host, host_size, info + i);
      });
  if (!is_done) check(execution_failed, "Xgetrf");
}

void lu_solve_on_gpu(const SolverCall& call, int64_t n, int64_t k, const void* a, const int64_t* pivots, void* b, int* info) {
  Session s(call);
  int type = s.types.data;
  for (int64_t i = 0; i < call.count; ++i)
    check(s.lib.getrs(s.handle, s.params, plain, n, k, type, moved(a, i, n * n, s.types.bytes), n, pivots + i * n, type,
                      moved(b, i, n * k, s.types.bytes), n, info),
          "Xgetrs");
}

void cholesky_on_gpu(const SolverCall& call, bool upper, int64_t n, void* a, int* info) {
  Session s(call);
  int type = s.types.data, triangle = upper ? upper_triangle : lower_triangle;
  bool is_done = s.run(
      "Xpotrf", call.count,
      [&](Size* on_device, Size* on_host) {
        return s.lib.potrf_size(s.handle, s.params, triangle, n, type, a, n, type, on_device, on_host);
      },
      [&](int64_t i, void* room, Size size, void* host, Size host_size) {
        return s.lib.potrf(s.handle, s.params, triangle, n, type, moved(a, i, n * n, s.types.bytes), n, type, room, size, host,
                           host_size, info + i);
      });
  if (!is_done) check(execution_failed, "Xpotrf");
}

bool has_cholesky_in_batches(const SolverCall& call, int64_t n) {
  constexpr int64_t few = 4, large = 128;  // one after the other is as good with fewer or larger ones
  return call.count >= few && n <= large && call.count <= std::numeric_limits<int>::max() &&
         library()->potrf_batched[types_of(call.dtype).letter];
}

void cholesky_in_batches(const SolverCall& call, bool upper, int64_t n, void** a, int* info) {
  Session s(call);
  int size = static_cast<int>(n);
  check(s.lib.potrf_batched[s.types.letter](s.handle, upper ? upper_triangle : lower_triangle, size, a, size, info,
                                            static_cast<int>(call.count)),
        "potrfBatched");
}

void qr_on_gpu(const SolverCall& call, int64_t m, int64_t n, void* a, void* tau, int* info) {
  Session s(call);
  int type = s.types.data;
  int64_t least = std::min(m, n);
  bool is_done = s.run(
      "Xgeqrf", call.count,
      [&](Size* on_device, Size* on_host) {
        return s.lib.geqrf_size(s.handle, s.params, m, n, type, a, m, type, tau, type, on_device, on_host);
      },
      [&](int64_t i, void* room, Size size, void* host, Size host_size) {
        return s.lib.geqrf(s.handle, s.params, m, n, type, moved(a, i, m * n, s.types.bytes), m, type,
                           moved(tau, i, least, s.types.bytes), type, room, size, host, host_size, info + i);
      });
  if (!is_done) check(execution_failed, "Xgeqrf");
}

void build_q_on_gpu(const SolverCall& call, int64_t m, int64_t columns, int64_t least, void* a, const void* tau, int* info) {
  if (m > std::numeric_limits<int>::max())
    raise(ErrorKind::value, "[linalg] a matrix of {} rows is too large for cuSOLVER's qr", m);
  Session s(call);
  const char* name = orgqr_names[s.types.letter];
  int rows = static_cast<int>(m), wide = static_cast<int>(columns), reflections = static_cast<int>(least), elements = 0;
  check(s.lib.orgqr_size[s.types.letter](s.handle, rows, wide, reflections, a, rows, tau, &elements), name);
  void* room = call.workspace(static_cast<size_t>(elements) * s.types.bytes);
  for (int64_t i = 0; i < call.count; ++i)
    check(s.lib.orgqr[s.types.letter](s.handle, rows, wide, reflections, moved(a, i, m * columns, s.types.bytes), rows,
                                      moved(tau, i, least, s.types.bytes), room, elements, info),
          name);
}

bool eigh_on_gpu(const SolverCall& call, bool vectors, bool upper, int64_t n, void* a, void* values, int* info) {
  Session s(call);
  int type = s.types.data, real = s.types.real;
  int job = vectors ? with_vectors : no_vectors, triangle = upper ? upper_triangle : lower_triangle;
  // The batch is for many small ones; lower triangles of complex64 came out wrong there (CUDA 12.6).
  constexpr int64_t small = 64, most = int64_t{1} << 30;
  bool is_sound = upper || call.dtype != DType::complex64;
  if (is_sound && s.lib.syev_batched_size && s.lib.syev_batched && call.count > 1 && n <= small && call.count * n * n <= most) {
    return s.run(
        "XsyevBatched", 1,
        [&](Size* on_device, Size* on_host) {
          return s.lib.syev_batched_size(s.handle, s.params, job, triangle, n, type, a, n, real, values, type, on_device, on_host,
                                         call.count);
        },
        [&](int64_t, void* room, Size size, void* host, Size host_size) {
          return s.lib.syev_batched(s.handle, s.params, job, triangle, n, type, a, n, real, values, type, room, size, host,
                                    host_size, info, call.count);
        });
  }
  return s.run(
      "Xsyevd", call.count,
      [&](Size* on_device, Size* on_host) {
        return s.lib.syevd_size(s.handle, s.params, job, triangle, n, type, a, n, real, values, type, on_device, on_host);
      },
      [&](int64_t i, void* room, Size size, void* host, Size host_size) {
        return s.lib.syevd(s.handle, s.params, job, triangle, n, type, moved(a, i, n * n, s.types.bytes), n, real,
                           moved(values, i, n, s.types.real_bytes), type, room, size, host, host_size, info + i);
      });
}

bool svd_on_gpu(const SolverCall& call, char job, int64_t m, int64_t n, void* a, void* values, void* u, void* vt, int* info) {
  Session s(call);
  int type = s.types.data, real = s.types.real;
  signed char both = static_cast<signed char>(job);
  int64_t u_size = m * (job == 'A' ? m : n);
  return s.run(
      "Xgesvd", call.count,
      [&](Size* on_device, Size* on_host) {
        return s.lib.gesvd_size(s.handle, s.params, both, both, m, n, type, a, m, real, values, type, u, m, type, vt, n, type,
                                on_device, on_host);
      },
      [&](int64_t i, void* room, Size size, void* host, Size host_size) {
        return s.lib.gesvd(s.handle, s.params, both, both, m, n, type, moved(a, i, m * n, s.types.bytes), m, real,
                           moved(values, i, n, s.types.real_bytes), type, moved(u, i, u_size, s.types.bytes), m, type,
                           moved(vt, i, n * n, s.types.bytes), n, type, room, size, host, host_size, info + i);
      });
}

bool has_svd_in_batches(const SolverCall& call, int64_t m) {
  constexpr int64_t large = 32;  // the library's limit
  int letter = types_of(call.dtype).letter;
  return call.count > 1 && m <= large && call.count <= std::numeric_limits<int>::max() && library()->create_jacobi &&
         library()->gesvdj_size[letter] && library()->gesvdj[letter];
}

bool svd_in_batches(const SolverCall& call, bool vectors, int64_t m, int64_t n, void* a, void* values, void* u, void* v,
                    int* info) {
  Session s(call);
  static Handle jacobi = nullptr;  // with the session's lock held; it stays as it was made
  if (!jacobi) check(s.lib.create_jacobi(&jacobi), "CreateGesvdjInfo");
  int job = vectors ? with_vectors : no_vectors, letter = s.types.letter, elements = 0;
  int high = static_cast<int>(m), wide = static_cast<int>(n), count = static_cast<int>(call.count);
  check(s.lib.gesvdj_size[letter](s.handle, job, high, wide, a, high, values, u, high, v, wide, &elements, jacobi, count),
        "gesvdjBatched_bufferSize");
  void* room = call.workspace(static_cast<size_t>(elements) * s.types.bytes);
  Status status =
      s.lib.gesvdj[letter](s.handle, job, high, wide, a, high, values, u, high, v, wide, room, elements, info, jacobi, count);
  if (status == execution_failed || status == internal_error) return false;
  check(status, "gesvdjBatched");
  return true;
}

bool eig_on_gpu(const SolverCall& call, int64_t n, void* a, void* values, void* vectors, int* info) {
  Session s(call);
  int type = s.types.data, complex = s.types.complex;
  int job = vectors ? with_vectors : no_vectors;
  return s.run(
      "Xgeev", call.count,
      [&](Size* on_device, Size* on_host) {
        return s.lib.geev_size(s.handle, s.params, no_vectors, job, n, type, a, n, complex, values, type, nullptr, n, type,
                               vectors, n, type, on_device, on_host);
      },
      [&](int64_t i, void* room, Size size, void* host, Size host_size) {
        return s.lib.geev(s.handle, s.params, no_vectors, job, n, type, moved(a, i, n * n, s.types.bytes), n, complex,
                          moved(values, i, n, 2 * s.types.real_bytes), type, nullptr, n, type,
                          moved(vectors, i, n * n, s.types.bytes), n, type, room, size, host, host_size, info + i);
      });
}

}  // namespace quern
