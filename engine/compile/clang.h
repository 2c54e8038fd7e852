// The compiler for the CPU, as the engine sees it: the plug-in of compile/clang/ behind the Compiler contract.
#pragma once

#include "compile/compiler.h"

#include <memory>
#include <string>

namespace quern {

Compiler& clang_compiler();

// For a report: where the plug-in lies, and what is wrong with it ("" when nothing is). Does not load it.
struct ClangReport {
  std::string path, problem;
  bool loaded = false;
  std::string version;  // once loaded
};
ClangReport clang_report();

// How kernels with barriers are lowered; tests compare the ways. Part of the cache key.
enum class LoweringWish { automatic, regions, coroutines };
void set_lowering_wish(LoweringWish wish);

// Where the engine's own library files are: beside libquern.so, links to it followed where they are not beside the link.
std::string library_directory();

// What precompiled kernels (compile/precompiled.h) depend on: the plug-in's interface, and the prelude.
std::string compiler_of_kernels();
bool lowers_as_built();  // no LoweringWish: as the kernels that were compiled with quern

// Writes the precompiled prelude that clang_compiler() looks for; run once, when quern is built. Returns its path.
std::string precompile_prelude(const std::string& directory);

}  // namespace quern
