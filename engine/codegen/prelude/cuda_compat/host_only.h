// Read for headers of the host alone, by whichever name (HOST_ONLY in tools/embed_headers.py): nvcc has them beside kernels that
// use nothing of them.
#pragma once
namespace std {}
