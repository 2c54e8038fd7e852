// Matrix products for machines without a BLAS: loops over blocks, in the signatures of CBLAS. For row-major matrices.
#pragma once

namespace quern {

// The function of that name ("cblas_sgemm", "cblas_ddot", "openblas_set_num_threads"); nullptr where there is none of our own.
void* own_blas(const char* name);

}  // namespace quern
