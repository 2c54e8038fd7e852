// BLAS and LAPACK of the host: an OpenBLAS with 64-bit integers, found at run time, as every NumPy from PyPI carries one.
//
// The order: QUERN_BLAS (a file, or "own"), the folders that Python named (NumPy's own libraries, the package scipy-openblas64);
// in programs without Python the same folders of the environment that quern lies in, or that is active; the system's
// libopenblas64. Without any of them products are loops of our own (own_blas.h). Names are asked for as in Fortran and C:
// "dgetrf_", "cblas_sgemm".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quern {

using BlasInt = int64_t;

void set_host_blas_folders(std::vector<std::string> folders);
// The function; raises ErrorKind::runtime that says what to install.
void* host_blas(const char* name);
std::string host_blas_path();  // for a report; "" when there is none
bool has_host_blas();          // false: products are our own loops

// While one lives, the library works on the calling thread alone. Its own threads look for more work for a long time after they
// had some, on processors that the engine's threads need next.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
};

template <class F>
F* host_blas_as(const char* name) {
  return reinterpret_cast<F*>(host_blas(name));
}

}  // namespace quern
