// `__shared__ alignas(16) float x[4]`, which CUDA's compilers take: clang reads alignas() at the beginning of a declaration
// alone, and C's _Alignas() among its words. The macros of quern/alignments.cuh lead each such place to the handler here.
#pragma once

namespace clang {
class Preprocessor;
}

namespace quern::plugin {

// Registers the handler, which makes an alignas that follows C's.
void watch_alignments(clang::Preprocessor& preprocessor);

}  // namespace quern::plugin
